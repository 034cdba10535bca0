/*
 * x^y as e^(y * log x), the logarithm and the product kept in two floats
 * each: the exponential magnifies an error of its argument up to 88 times.
 */

/* log x = *ret_h + *ret_l to about 2^-45, finite x > 0. */
WEFT_FN void weft_log_pair(float x, float *ret_h, float *ret_l)
{
	float    e = 0.0f, p, q, ql, sh, sl, zh, zl, c, ch, cl, mh, ml, ph, pl;
	float    h, l, t;
	unsigned bits, cut;

	if (x < 0x1p-126f) {
		x = __fmul_rn(x, 0x1p+23f);
		e = -23.0f;
	}
	bits = (unsigned)__float_as_int(x);
	cut = (bits - 0x3f2aaaabu) & 0xff800000u;
	e = __fadd_rn(e, (float)((int)cut >> 23));
	x = __int_as_float((int)(bits - cut));
	/* s = (x - 1) / (x + 1); log x = 2 atanh s. */
	p = __fadd_rn(x, -1.0f);
	q = __fadd_rn(x, 1.0f);
	ql = __fadd_rn(__fadd_rn(1.0f, -q), x);
	c = __fdiv_rn(1.0f, q);
	sh = __fmul_rn(p, c);
	t = __fmaf_rn(sh, -q, p);
	t = __fmaf_rn(sh, -ql, t);
	sl = __fmul_rn(t, c);
	/* z = s^2; atanh s = s + s z (1/3 + z P(z)). */
	zh = __fmul_rn(sh, sh);
	zl = __fmaf_rn(sh, sh, -zh);
	zl = __fmaf_rn(__fmul_rn(2.0f, sh), sl, zl);
	c = __fmaf_rn(0x1.9b63e2p-4f, zh, 0x1.c57646p-4f);
	c = __fmaf_rn(c, zh, 0x1.2495f6p-3f);
	c = __fmaf_rn(c, zh, 0x1.999994p-3f);
	t = __fmul_rn(zh, c);
	ch = __fadd_rn(0x1.555556p-2f, t);
	cl = __fadd_rn(__fadd_rn(0x1.555556p-2f, -ch), t);
	cl = __fadd_rn(cl, __fmaf_rn(zh, c, -t));
	cl = __fadd_rn(cl, -0x1.555556p-27f);
	mh = __fmul_rn(sh, zh);
	ml = __fmaf_rn(sh, zh, -mh);
	ml = __fmaf_rn(sh, zl, __fmaf_rn(sl, zh, ml));
	ph = __fmul_rn(mh, ch);
	pl = __fmaf_rn(mh, ch, -ph);
	pl = __fmaf_rn(mh, cl, __fmaf_rn(ml, ch, pl));
	h = __fadd_rn(sh, ph);
	l = __fadd_rn(__fadd_rn(sh, -h), ph);
	l = __fadd_rn(l, __fadd_rn(sl, pl));
	h = __fmul_rn(2.0f, h);
	l = __fmul_rn(2.0f, l);
	/* e * ln 2 in front; |h| < 0.41 is the smaller part unless e = 0. */
	t = __fmul_rn(e, WEFT_LN2_HI);
	l = __fadd_rn(l, __fmaf_rn(e, WEFT_LN2_HI, -t));
	l = __fmaf_rn(e, WEFT_LN2_LO, l);
	p = __fadd_rn(t, h);
	q = __fadd_rn(p, -t);
	ql = __fadd_rn(__fadd_rn(t, -__fadd_rn(p, -q)), __fadd_rn(h, -q));
	l = __fadd_rn(l, ql);
	*ret_h = __fadd_rn(p, l);
	*ret_l = __fadd_rn(__fadd_rn(p, -*ret_h), l);
}

/* x^y for finite x > 0 and finite y. */
WEFT_FN float weft_pow_core(float x, float y)
{
	float h, l, ph, pl, t, k, r;

	weft_log_pair(x, &h, &l);
	ph = __fmul_rn(y, h);
	if (ph > 89.0f)
		return WEFT_INF;
	if (ph < -104.5f)
		return 0.0f;
	pl = __fmaf_rn(y, h, -ph);
	pl = __fmaf_rn(y, l, pl);
	t = __fmaf_rn(ph, WEFT_LOG2E_HI, WEFT_ROUND);
	k = __fadd_rn(t, -WEFT_ROUND);
	r = __fmaf_rn(k, -WEFT_LN2_HI, ph);
	pl = __fmaf_rn(k, -WEFT_LN2_LO, pl);
	h = __fadd_rn(r, pl);
	l = __fadd_rn(__fadd_rn(r, -h), pl);
	return weft_exp_core(h, l, weft_round_bits(t));
}

/* 0: y is no integer, 1: odd, 2: even. */
WEFT_FN int weft_pow_parity(float y)
{
	unsigned bits = (unsigned)__float_as_int(y) & 0x7fffffffu;
	int      e = (int)(bits >> 23) - 127;
	unsigned m = (bits & 0x7fffffu) | 0x800000u;

	if (bits == 0)
		return 2;
	if (e < 0)
		return 0;
	if (e > 23)
		return 2;
	if (m << (e + 8) << 1)
		return 0;
	return m >> (23 - e) & 1u ? 1 : 2;
}

/* The cases of C17 F.10.4.4 in which x or y is zero or infinite. */
WEFT_FN float weft_pow_edge(float x, float y, int parity)
{
	float a = x < 0.0f ? -x : x;
	float v;

	if (y == WEFT_INF || y == -WEFT_INF) {
		if (a == 1.0f)
			return 1.0f;
		return (a > 1.0f) == (y > 0.0f) ? WEFT_INF : 0.0f;
	}
	v = (a == 0.0f) == (y > 0.0f) ? 0.0f : WEFT_INF;
	return parity == 1 ? copysignf(v, x) : v;
}

WEFT_FN float weft_powf(float x, float y)
{
	float a = x < 0.0f ? -x : x, b = y < 0.0f ? -y : y, v;
	int   parity;

	if (x == 1.0f || y == 0.0f)
		return 1.0f;
	if (x != x || y != y)
		return __fadd_rn(x, y);
	parity = weft_pow_parity(y);
	if (a == 0.0f || a == WEFT_INF || b == WEFT_INF)
		return weft_pow_edge(x, y, parity);
	if (x < 0.0f && parity == 0)
		return WEFT_NAN;
	v = weft_pow_core(a, y);
	return x < 0.0f && parity == 1 ? -v : v;
}
