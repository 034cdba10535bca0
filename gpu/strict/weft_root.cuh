/*
 * Cube roots, lengths, and the two remainders.
 */

/* x^(-1/3) to about 2^-22 for x in [2^-90, 2^128). */
WEFT_FN float weft_rcbrt_seed(float x)
{
	float r = __int_as_float(
		(int)(0x548c39cbu - (unsigned)__float_as_int(x) / 3u));
	float e;
	int   i;

	for (i = 0; i < 3; i++) {
		e = __fmul_rn(__fmul_rn(x, r), __fmul_rn(r, r));
		e = __fmaf_rn(e, -0x1.555556p-2f, 0x1.555556p-2f);
		r = __fmaf_rn(r, e, r);
	}
	return r;
}

WEFT_FN float weft_cbrtf(float x)
{
	float a = x < 0.0f ? -x : x, scale = 1.0f, r, y, s, l, e;

	if (!(a > 0.0f && a < WEFT_INF))
		return x;
	if (a < 0x1p-80f) {
		a = __fmul_rn(a, 0x1p+72f);
		scale = 0x1p-24f;
	}
	r = weft_rcbrt_seed(a);
	r = __fmul_rn(r, r);
	y = __fmul_rn(a, r);
	/* a - y^3 exactly enough, then one step of Newton's. */
	s = __fmul_rn(y, y);
	l = __fmaf_rn(y, y, -s);
	e = __fmaf_rn(-l, y, __fmaf_rn(-s, y, a));
	y = __fmaf_rn(e, __fmul_rn(r, 0x1.555556p-2f), y);
	return copysignf(__fmul_rn(y, scale), x);
}

WEFT_FN float weft_rcbrtf(float x)
{
	float a = x < 0.0f ? -x : x, scale = 1.0f, r, p, q, e;

	if (!(a > 0.0f && a < WEFT_INF)) {
		if (x != x)
			return x;
		return copysignf(a == 0.0f ? WEFT_INF : 0.0f, x);
	}
	if (a < 0x1p-80f) {
		a = __fmul_rn(a, 0x1p+72f);
		scale = 0x1p+24f;
	}
	r = weft_rcbrt_seed(a);
	/* 1 - a r^3 with both products' rests. */
	p = __fmul_rn(a, r);
	q = __fmul_rn(r, r);
	e = __fmaf_rn(-p, q, 1.0f);
	e = __fmaf_rn(-__fmaf_rn(a, r, -p), q, e);
	e = __fmaf_rn(-__fmaf_rn(r, r, -q), p, e);
	r = __fmaf_rn(__fmul_rn(r, 0x1.555556p-2f), e, r);
	return copysignf(__fmul_rn(r, scale), x);
}

WEFT_FN float weft_hypotf(float x, float y)
{
	float a = x < 0.0f ? -x : x, b = y < 0.0f ? -y : y, up = 1.0f;
	float down = 1.0f, u, ul, v, s, r;

	if (a == WEFT_INF || b == WEFT_INF)
		return WEFT_INF;
	if (x != x || y != y)
		return __fadd_rn(x, y);
	u = a > b ? a : b;
	b = a > b ? b : a;
	a = u;
	if (a > 0x1p+60f) {
		up = 0x1p-70f;
		down = 0x1p+70f;
	} else if (a < 0x1p-40f) {
		up = 0x1p+100f;
		down = 0x1p-100f;
	}
	a = __fmul_rn(a, up);
	b = __fmul_rn(b, up);
	u = __fmul_rn(a, a);
	ul = __fmaf_rn(a, a, -u);
	v = __fmul_rn(b, b);
	ul = __fadd_rn(ul, __fmaf_rn(b, b, -v));
	s = __fadd_rn(u, v);
	ul = __fadd_rn(ul, __fadd_rn(__fadd_rn(u, -s), v));
	r = __fsqrt_rn(s);
	if (r == 0.0f)
		return 0.0f;
	ul = __fadd_rn(__fmaf_rn(-r, r, s), ul);
	r = __fadd_rn(r, __fdiv_rn(ul, __fadd_rn(r, r)));
	return __fmul_rn(r, down);
}

/* The significand of a > 0 finite as an integer; a = it * 2^(*ret_e). */
WEFT_FN unsigned weft_split(float a, int *ret_e)
{
	unsigned bits = (unsigned)__float_as_int(a);
	int      e = (int)(bits >> 23);

	*ret_e = e > 1 ? e - 1 : 0;
	return e > 0 ? (bits & 0x7fffffu) | 0x800000u : bits;
}

/* m * 2^e in units of 2^-149, m < 2^24 representable. */
WEFT_FN float weft_join(unsigned m, int e)
{
	float f = __fmul_rn((float)(int)m, 0x1p-75f);

	/* 2^(e - 74) by halves: both products are exact. */
	e -= 74;
	f = __fmul_rn(f, weft_two_to(e >> 1));
	return __fmul_rn(f, weft_two_to(e - (e >> 1)));
}

/*
 * |x| mod |y|, exact, in integers: 40 bits of the quotient a turn.  *ret_low
 * gets the quotient's last bits, if it has few enough.
 */
WEFT_FN float weft_mod(float a, float b, unsigned *ret_low)
{
	int                ea, eb, n, step;
	unsigned long long m = weft_split(a, &ea), d = weft_split(b, &eb), q;

	*ret_low = 0;
	if (a < b || b == WEFT_INF)
		return a;
	/* Now ea >= eb. */
	q = m / d;
	m -= q * d;
	*ret_low = (unsigned)q;
	for (n = ea - eb; n > 0; n -= step) {
		step = n < 40 ? n : 40;
		m <<= step;
		q = m / d;
		m -= q * d;
		*ret_low = (step < 32 ? *ret_low << step : 0u) + (unsigned)q;
	}
	return weft_join((unsigned)m, eb);
}

WEFT_FN float weft_fmodf(float x, float y)
{
	float    a = x < 0.0f ? -x : x, b = y < 0.0f ? -y : y;
	unsigned low;

	if (!(a < WEFT_INF && b > 0.0f))
		return WEFT_NAN;
	return copysignf(weft_mod(a, b, &low), x);
}

/* The remainder of the nearest quotient, ties to even. */
WEFT_FN float weft_remquof(float x, float y, int *quotient)
{
	float    a = x < 0.0f ? -x : x, b = y < 0.0f ? -y : y, r;
	unsigned low;

	*quotient = 0;
	if (!(a < WEFT_INF && b > 0.0f))
		return WEFT_NAN;
	r = weft_mod(a, b, &low);
	/* 2 r > b, written so that it neither overflows nor rounds. */
	if (r > __fadd_rn(b, -r) ||
	    (r == __fadd_rn(b, -r) && (low & 1u) != 0)) {
		r = __fadd_rn(r, -b);
		low++;
	}
	low &= 7u;
	*quotient = (__float_as_int(x) ^ __float_as_int(y)) < 0 ? -(int)low
								 : (int)low;
	return r == 0.0f ? copysignf(r, x)
			 : copysignf(1.0f, x) > 0.0f ? r : -r;
}

WEFT_FN float weft_remainderf(float x, float y)
{
	int quotient;

	return weft_remquof(x, y, &quotient);
}
