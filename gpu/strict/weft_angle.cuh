/*
 * The inverse trigonometric functions.
 */

/* (asin r - r) / r^3 in s = r^2 <= 1/4. */
WEFT_FN float weft_asin_poly(float s)
{
	float p = __fmaf_rn(0x1.5a82dcp-5f, s, 0x1.8af050p-6f);

	p = __fmaf_rn(p, s, 0x1.749c5ep-5f);
	p = __fmaf_rn(p, s, 0x1.3300c0p-4f);
	return __fmaf_rn(p, s, 0x1.5555ccp-3f);
}

/* acos a = 2 asin sqrt((1 - a) / 2) = *ret_h + *ret_l for 1/2 <= a <= 1. */
WEFT_FN void weft_acos_near_one(float a, float *ret_h, float *ret_l)
{
	float z = __fmul_rn(0.5f, __fadd_rn(1.0f, -a)), s, l;

	s = __fsqrt_rn(z);
	l = s == 0.0f ? 0.0f
		      : __fdiv_rn(__fmaf_rn(-s, s, z), __fadd_rn(s, s));
	l = __fmaf_rn(__fmul_rn(s, z), weft_asin_poly(z), l);
	*ret_h = __fadd_rn(s, s);
	*ret_l = __fadd_rn(l, l);
}

WEFT_FN float weft_asinf(float x)
{
	float a = x < 0.0f ? -x : x, s, h, l;

	if (a < 0.5f) {
		s = __fmul_rn(a, a);
		s = __fmaf_rn(__fmul_rn(a, s), weft_asin_poly(s), a);
		return copysignf(s, x);
	}
	if (!(a <= 1.0f))
		return WEFT_NAN;
	weft_acos_near_one(a, &h, &l);
	/* pi/2 - h is exact or rounds far above the result's last place. */
	s = __fadd_rn(0x1.921fb6p+0f, -h);
	h = __fadd_rn(__fadd_rn(0x1.921fb6p+0f, -s), -h);
	s = __fadd_rn(s, __fadd_rn(h, __fadd_rn(-0x1.777a5cp-25f, -l)));
	return copysignf(s, x);
}

WEFT_FN float weft_acosf(float x)
{
	float a = x < 0.0f ? -x : x, s, h, l;

	if (a < 0.5f) {
		s = __fmul_rn(x, x);
		l = __fmaf_rn(__fmul_rn(x, s), weft_asin_poly(s),
			      0x1.777a5cp-25f);
		h = __fadd_rn(0x1.921fb6p+0f, -x);
		s = __fadd_rn(__fadd_rn(0x1.921fb6p+0f, -h), -x);
		return __fadd_rn(h, __fadd_rn(s, -l));
	}
	if (!(a <= 1.0f))
		return WEFT_NAN;
	weft_acos_near_one(a, &h, &l);
	if (x > 0.0f)
		return __fadd_rn(h, l);
	s = __fadd_rn(0x1.921fb6p+1f, -h);
	h = __fadd_rn(__fadd_rn(0x1.921fb6p+1f, -s), -h);
	return __fadd_rn(s, __fadd_rn(h, __fadd_rn(-0x1.777a5cp-24f, -l)));
}

/*
 * atan(n / d) for 0 <= n <= d, d in [2^-60, 2^60]: above tan(pi/8) turned by
 * pi/4.  Then subtracted from pi/2 if steep, from pi if back.
 */
WEFT_FN float weft_atan_core(float n, float d, bool steep, bool back)
{
	float nl = 0.0f, dl = 0.0f, c, t, tl, s, p, base = 0.0f, low = 0.0f;

	if (n > __fmul_rn(d, 0x1.a82790p-2f)) {
		s = __fadd_rn(n, d);
		dl = __fadd_rn(__fadd_rn(d, -s), n);
		p = __fadd_rn(n, -d);
		nl = __fadd_rn(n, -__fadd_rn(p, d));
		n = p;
		d = s;
		base = 0x1.921fb6p-1f;
		low = -0x1.777a5cp-26f;
	}
	c = __fdiv_rn(1.0f, d);
	t = __fmul_rn(n, c);
	tl = __fmaf_rn(-t, d, n);
	tl = __fmul_rn(c, __fmaf_rn(-t, dl, __fadd_rn(tl, nl)));
	s = __fmul_rn(t, t);
	p = __fmaf_rn(-0x1.ef339ep-5f, s, 0x1.b160e0p-4f);
	p = __fmaf_rn(p, s, -0x1.23ab8ap-3f);
	p = __fmaf_rn(p, s, 0x1.999110p-3f);
	p = __fmaf_rn(p, s, -0x1.555548p-2f);
	tl = __fmaf_rn(__fmul_rn(t, s), p, tl);
	if (steep) {
		base = __fadd_rn(0x1.921fb6p+0f, -base);
		low = __fadd_rn(-0x1.777a5cp-25f, -low);
		t = -t;
		tl = -tl;
	}
	if (back) {
		base = __fadd_rn(0x1.921fb6p+1f, -base);
		low = __fadd_rn(-0x1.777a5cp-24f, -low);
		t = -t;
		tl = -tl;
	}
	/* base is 0 or larger than t: what the sum loses is found exactly. */
	s = __fadd_rn(base, t);
	p = base == 0.0f ? 0.0f : __fadd_rn(__fadd_rn(base, -s), t);
	return __fadd_rn(s, __fadd_rn(p, __fadd_rn(low, tl)));
}

WEFT_FN float weft_atanf(float x)
{
	float a = x < 0.0f ? -x : x, v;

	if (x != x)
		return x;
	/* Past 2^60 it is pi/2, below 2^-60 it is x. */
	if (a < 0x1p-60f)
		return x;
	a = a > 0x1p+60f ? 0x1p+60f : a;
	v = a > 1.0f ? weft_atan_core(1.0f, a, true, false)
		     : weft_atan_core(a, 1.0f, false, false);
	return copysignf(v, x);
}

WEFT_FN float weft_atan2f(float y, float x)
{
	float a = y < 0.0f ? -y : y, b = x < 0.0f ? -x : x, n, d, s, v;
	bool  back, steep = a > b;

	if (x != x || y != y)
		return __fadd_rn(x, y);
	back = __float_as_int(x) < 0;
	n = steep ? b : a;
	d = steep ? a : b;
	if (d == 0.0f)
		return copysignf(back ? 0x1.921fb6p+1f : 0.0f, y);
	if (d == WEFT_INF) {
		n = n == WEFT_INF ? 1.0f : 0.0f;
		d = 1.0f;
	}
	s = d > 0x1p+60f ? 0x1p-68f : d < 0x1p-60f ? 0x1p+89f : 1.0f;
	/* A quotient below 2^-40 is lost in pi/2 or pi, else it is all. */
	if (!steep && !back && n < __fmul_rn(d, 0x1p-40f))
		return copysignf(__fdiv_rn(n, d), y);
	v = weft_atan_core(__fmul_rn(n, s), __fmul_rn(d, s), steep, back);
	return copysignf(v, y);
}
