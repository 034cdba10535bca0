/*
 * Sine and cosine.  Arguments below 2^15 are reduced by pi/2 in three pieces,
 * whose products are exact in a fused multiply-add; larger ones by Payne and
 * Hanek's method, in integers, with as many bits of 2/pi as they need.
 */
#define WEFT_TRIG_SMALL 32768.0f

/* Bits 32 * i ... of 2/pi, of which the first word holds 2^-1. */
WEFT_FN unsigned weft_two_over_pi(int i)
{
	switch (i) {
	case 0:
		return 0xa2f9836eu;
	case 1:
		return 0x4e441529u;
	case 2:
		return 0xfc2757d1u;
	case 3:
		return 0xf534ddc0u;
	case 4:
		return 0xdb629599u;
	case 5:
		return 0x3c439041u;
	case 6:
		return 0xfe5163abu;
	default:
		return 0u;
	}
}

/* 32 bits of 2/pi from bit 32 * i - 32 + shift on, 0 <= shift < 32. */
WEFT_FN unsigned weft_pi_window(int i, int shift)
{
	unsigned long long w = (unsigned long long)weft_two_over_pi(i - 1)
				       << 32 |
			       weft_two_over_pi(i);

	return (unsigned)(w << shift >> 32);
}

/*
 * x = quadrant * pi/2 + r + *ret_low, |r| <= pi/4 rounded to nearest, for
 * finite |x| >= 1.
 */
WEFT_FN float weft_trig_large(float x, float *ret_low, int *ret_quadrant)
{
	unsigned           bits = (unsigned)__float_as_int(x);
	int                e = (int)(bits >> 23 & 255u) - 126;
	unsigned long long m = (unsigned long long)(bits << 8 | 0x80000000u);
	int                i = e >> 5, shift = e & 31, q;
	unsigned long long a, b, c, low;
	long long          frac;
	float              h, l, rh, rl, r;

	/* x * 2/pi * 2^64 modulo 2^96, the top 32 bits whole quadrants. */
	a = m * weft_pi_window(i, shift);
	b = m * weft_pi_window(i + 1, shift);
	c = m * weft_pi_window(i + 2, shift);
	low = (b & 0xffffffffu) + (c >> 32);
	a += (b >> 32) + (low >> 32);
	q = (int)(a >> 32 & 3u);
	frac = (long long)(a << 32 | (low & 0xffffffffu));
	q += frac < 0;
	h = __ll2float_rn(frac);
	/* 2^63 would not come back into 64 bits: take half of it there. */
	l = h >= 0x1p+63f ? 0.0f : __ll2float_rn(frac - __float2ll_rz(h));
	rh = __fmul_rn(h, 0x1.921fb6p+0f);
	rl = __fmaf_rn(h, 0x1.921fb6p+0f, -rh);
	rl = __fmaf_rn(h, -0x1.777a5cp-25f, rl);
	rl = __fmaf_rn(l, 0x1.921fb6p+0f, rl);
	r = __fadd_rn(rh, rl);
	rl = __fmul_rn(__fadd_rn(__fadd_rn(rh, -r), rl), 0x1p-64f);
	r = __fmul_rn(r, 0x1p-64f);
	*ret_low = x < 0.0f ? -rl : rl;
	*ret_quadrant = x < 0.0f ? -q : q;
	return x < 0.0f ? -r : r;
}

/*
 * What weft_trig_reduce's two sums lose, for the tangent alone: where it is
 * not used it costs nothing.
 */
WEFT_FN float weft_trig_low(float k, float r)
{
	float t = __fmul_rn(k, 0x1.777a5cp-25f), h, d, low;

	h = __fadd_rn(r, t);
	d = __fadd_rn(h, -r);
	low = __fadd_rn(__fadd_rn(r, -__fadd_rn(h, -d)), __fadd_rn(t, -d));
	low = __fadd_rn(low, __fmaf_rn(k, 0x1.777a5cp-25f, -t));
	low = __fmaf_rn(k, 0x1.ee59dap-50f, low);
	/* h + low is the argument; the caller's sum is near it. */
	t = __fmaf_rn(k, 0x1.777a5cp-25f, r);
	t = __fmaf_rn(k, 0x1.ee59dap-50f, t);
	return __fadd_rn(__fadd_rn(h, -t), low);
}

WEFT_FN float weft_trig_reduce(float x, float *ret_low, int *ret_quadrant)
{
	float a = x < 0.0f ? -x : x, t, k, r;

	*ret_low = 0.0f;
	if (!(a < WEFT_TRIG_SMALL)) {
		*ret_quadrant = 0;
		if (!(a < WEFT_INF))
			return WEFT_NAN;
		return weft_trig_large(x, ret_low, ret_quadrant);
	}
	t = __fmaf_rn(x, 0x1.45f306p-1f, WEFT_ROUND);
	k = __fadd_rn(t, -WEFT_ROUND);
	r = __fmaf_rn(k, -0x1.921fb6p+0f, x);
	*ret_low = weft_trig_low(k, r);
	r = __fmaf_rn(k, 0x1.777a5cp-25f, r);
	r = __fmaf_rn(k, 0x1.ee59dap-50f, r);
	*ret_quadrant = weft_round_bits(t);
	if (k != 0.0f)
		return r;
	/* Keeps the sign of a zero. */
	*ret_low = 0.0f;
	return x;
}

WEFT_FN float weft_sin_core(float r)
{
	float s = __fmul_rn(r, r), p;

	p = __fmaf_rn(0x1.7ccf16p-19f, s, -0x1.a05ba8p-13f);
	p = __fmaf_rn(p, s, 0x1.111176p-7f);
	p = __fmaf_rn(p, s, -0x1.555556p-3f);
	/* The sign of a zero would be lost in the sum. */
	return r == 0.0f ? r : __fmaf_rn(__fmul_rn(r, s), p, r);
}

WEFT_FN float weft_cos_core(float r)
{
	float s = __fmul_rn(r, r), p;

	p = __fmaf_rn(-0x1.371c76p-22f, s, 0x1.a075d8p-16f);
	p = __fmaf_rn(p, s, -0x1.6c1762p-10f);
	p = __fmaf_rn(p, s, 0x1.555556p-5f);
	p = __fmaf_rn(p, s, -0.5f);
	return __fmaf_rn(p, s, 1.0f);
}

WEFT_FN float weft_trig_pick(float r, int quadrant)
{
	float v = quadrant & 1 ? weft_cos_core(r) : weft_sin_core(r);

	return quadrant & 2 ? -v : v;
}

WEFT_FN float weft_sinf(float x)
{
	int   q;
	float low, r = weft_trig_reduce(x, &low, &q);

	return weft_trig_pick(r, q);
}

WEFT_FN float weft_cosf(float x)
{
	int   q;
	float low, r = weft_trig_reduce(x, &low, &q);

	return weft_trig_pick(r, q + 1);
}

WEFT_FN void weft_sincosf(float x, float *sine, float *cosine)
{
	int   q;
	float low, r = weft_trig_reduce(x, &low, &q);

	*sine = weft_trig_pick(r, q);
	*cosine = weft_trig_pick(r, q + 1);
}

/*
 * tan r = r + r^3 p(r^2), kept in two floats; its negative inverse in odd
 * quadrants, corrected once by what the division left.
 */
WEFT_FN float weft_tanf(float x)
{
	int   q;
	float low, r = weft_trig_reduce(x, &low, &q), s, p, h, c;

	s = __fmul_rn(r, r);
	p = __fmaf_rn(0x1.1f07cap-8f, s, 0x1.642a98p-14f);
	p = __fmaf_rn(p, s, 0x1.631be4p-7f);
	p = __fmaf_rn(p, s, 0x1.5cb318p-6f);
	p = __fmaf_rn(p, s, 0x1.badad8p-5f);
	p = __fmaf_rn(p, s, 0x1.110d9ap-3f);
	p = __fmaf_rn(p, s, 0x1.555560p-2f);
	low = __fmaf_rn(low, s, low);
	p = __fmaf_rn(__fmul_rn(r, s), p, low);
	if (r == 0.0f)
		return r;
	h = __fadd_rn(r, p);
	if (!(q & 1))
		return h;
	p = __fadd_rn(__fadd_rn(r, -h), p);
	c = __fdiv_rn(-1.0f, h);
	s = __fmaf_rn(c, p, __fmaf_rn(c, h, 1.0f));
	return __fmaf_rn(c, s, c);
}
