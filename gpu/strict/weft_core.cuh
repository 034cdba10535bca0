/*
 * Weft's strict math: the functions whose CUDA versions use a card's own
 * approximations, from exactly rounded operations only.  The same text is
 * compiled by NVRTC for the buyer's kernels and by a C compiler for the
 * accuracy tests; every product and sum names its rounding, so no compiler
 * may fuse or split it.  Coefficients come from gpu/strict/fit.py.
 */
#define WEFT_FN static __device__ __forceinline__

#define WEFT_INF   (__int_as_float(0x7f800000))
#define WEFT_NAN   (__int_as_float(0x7fffffff))
/* Adding 1.5 * 2^23 rounds to the nearest integer, kept in the low bits. */
#define WEFT_ROUND 12582912.0f

#define WEFT_LN2_HI   0x1.62e430p-1f
#define WEFT_LN2_LO   (-0x1.05c610p-29f)
#define WEFT_LOG2E_HI 0x1.715476p+0f
#define WEFT_LOG2E_LO 0x1.4ae0c0p-26f

/* 2^k, -126 <= k <= 127. */
WEFT_FN float weft_two_to(int k)
{
	return __int_as_float((k + 127) << 23);
}

/*
 * e^(rh + rl) * 2^k for |rh| <= 0.35, -150 <= k <= 128.  The scale goes in by
 * halves so that subnormal results are rounded once and large ones overflow.
 */
WEFT_FN float weft_exp_core(float rh, float rl, int k)
{
	float q = 0x1.6a4dcep-10f, s;
	int   half = k >> 1;

	q = __fmaf_rn(q, rh, 0x1.123e5cp-7f);
	q = __fmaf_rn(q, rh, 0x1.5558b8p-5f);
	q = __fmaf_rn(q, rh, 0x1.55548cp-3f);
	q = __fmaf_rn(q, rh, 0x1.fffffcp-2f);
	s = __fmaf_rn(__fmul_rn(rh, rh), q, rl);
	s = __fadd_rn(__fadd_rn(s, rh), 1.0f);
	return __fmul_rn(__fmul_rn(s, weft_two_to(half)),
			 weft_two_to(k - half));
}

/* k = round(t's value), as left by adding WEFT_ROUND. */
WEFT_FN int weft_round_bits(float t)
{
	return (int)((unsigned)__float_as_int(t) - 0x4b400000u);
}

/*
 * Without a branch, for it is the heart of many loops: an infinity or a NaN
 * comes through r, which is not bounded above.
 */
WEFT_FN float weft_expf(float x)
{
	float t, k, r, q;
	int   e, half;

	x = x < -104.0f ? -104.0f : x;
	t = __fmaf_rn(fminf(x, 89.0f), WEFT_LOG2E_HI, WEFT_ROUND);
	k = __fadd_rn(t, -WEFT_ROUND);
	r = __fmaf_rn(k, -WEFT_LN2_HI, x);
	r = __fmaf_rn(k, -WEFT_LN2_LO, r);
	q = __fmaf_rn(0x1.6a4dcep-10f, r, 0x1.123e5cp-7f);
	q = __fmaf_rn(q, r, 0x1.5558b8p-5f);
	q = __fmaf_rn(q, r, 0x1.55548cp-3f);
	q = __fmaf_rn(q, r, 0x1.fffffcp-2f);
	q = __fmaf_rn(q, r, 1.0f);
	q = __fmaf_rn(q, r, 1.0f);
	/* 2^k by halves; the first cannot leave the normal numbers. */
	e = (int)((unsigned)__float_as_int(t) << 23);
	half = (e >> 1) & (int)0xff800000u;
	q = __fmul_rn(q, __int_as_float(half + 0x3f800000));
	return __fmul_rn(q, __int_as_float(e - half + 0x3f800000));
}

WEFT_FN float weft_exp2f(float x)
{
	float t, r, h, l;

	x = x > 128.0f ? 128.0f : x;
	x = x < -150.0f ? -150.0f : x;
	if (x != x)
		return x;
	t = __fadd_rn(x, WEFT_ROUND);
	r = __fadd_rn(x, -__fadd_rn(t, -WEFT_ROUND));
	h = __fmul_rn(r, WEFT_LN2_HI);
	l = __fmaf_rn(r, WEFT_LN2_LO, __fmaf_rn(r, WEFT_LN2_HI, -h));
	return weft_exp_core(h, l, weft_round_bits(t));
}

WEFT_FN float weft_exp10f(float x)
{
	float t, k, r, h, l;

	x = x > 39.0f ? 39.0f : x;
	x = x < -46.0f ? -46.0f : x;
	if (x != x)
		return x;
	t = __fmaf_rn(x, 0x1.a934f0p+1f, WEFT_ROUND);
	k = __fadd_rn(t, -WEFT_ROUND);
	/* Above 10^38.6 the scale alone must overflow. */
	if (weft_round_bits(t) > 128)
		return WEFT_INF;
	if (weft_round_bits(t) < -150)
		return 0.0f;
	r = __fmaf_rn(k, -0x1.344136p-2f, x);
	r = __fmaf_rn(k, 0x1.ec10c0p-27f, r);
	h = __fmul_rn(r, 0x1.26bb1cp+1f);
	l = __fmaf_rn(r, -0x1.12aabap-25f, __fmaf_rn(r, 0x1.26bb1cp+1f, -h));
	return weft_exp_core(h, l, weft_round_bits(t));
}

/* log(1 + f) = *ret_h + *ret_l for -1/3 <= f < 1/3. */
WEFT_FN void weft_log_poly(float f, float *ret_h, float *ret_l)
{
	float p, t;

	p = -0x1.07f7d8p-3f;
	p = __fmaf_rn(p, f, 0x1.1e73a0p-3f);
	p = __fmaf_rn(p, f, -0x1.f317dep-4f);
	p = __fmaf_rn(p, f, 0x1.1ed424p-3f);
	p = __fmaf_rn(p, f, -0x1.559d8ap-3f);
	p = __fmaf_rn(p, f, 0x1.99d05ep-3f);
	p = __fmaf_rn(p, f, -0x1.fffef2p-3f);
	p = __fmaf_rn(p, f, 0x1.555506p-2f);
	p = __fmaf_rn(p, f, -0.5f);
	t = __fmul_rn(__fmul_rn(f, f), p);
	*ret_h = __fadd_rn(f, t);
	*ret_l = __fadd_rn(__fadd_rn(f, -*ret_h), t);
}

/*
 * x = 2^e * (1 + f), -1/3 <= f < 1/3, for finite x > 0; log(1 + f) is
 * *ret_h + *ret_l.
 */
WEFT_FN float weft_log_core(float x, float *ret_h, float *ret_l)
{
	float    e = 0.0f;
	unsigned bits, cut;

	if (x < 0x1p-126f) {
		x = __fmul_rn(x, 0x1p+23f);
		e = -23.0f;
	}
	bits = (unsigned)__float_as_int(x);
	cut = (bits - 0x3f2aaaabu) & 0xff800000u;
	e = __fadd_rn(e, (float)((int)cut >> 23));
	weft_log_poly(__fadd_rn(__int_as_float((int)(bits - cut)), -1.0f),
		      ret_h, ret_l);
	return e;
}

/* What the logarithms of everything but finite positive numbers are. */
WEFT_FN float weft_log_edge(float x)
{
	if (x == 0.0f)
		return -WEFT_INF;
	return x > 0.0f ? x : WEFT_NAN;
}

WEFT_FN bool weft_log_has_edge(float x)
{
	return !(x > 0.0f && x < WEFT_INF);
}

WEFT_FN float weft_logf(float x)
{
	float h, l, e;

	if (weft_log_has_edge(x))
		return weft_log_edge(x);
	e = weft_log_core(x, &h, &l);
	l = __fmaf_rn(e, WEFT_LN2_LO, l);
	return e == 0.0f ? h : __fmaf_rn(e, WEFT_LN2_HI, __fadd_rn(h, l));
}

/* e * scale_two + (h + l) * (hi + lo). */
WEFT_FN float weft_log_scaled(float x, float hi, float lo, float two_hi,
			      float two_lo)
{
	float h, l, e, w;

	if (weft_log_has_edge(x))
		return weft_log_edge(x);
	e = weft_log_core(x, &h, &l);
	w = __fmaf_rn(h, lo, __fmaf_rn(l, hi, __fmul_rn(e, two_lo)));
	w = __fmaf_rn(h, hi, w);
	return e == 0.0f ? w : __fmaf_rn(e, two_hi, w);
}

WEFT_FN float weft_log2f(float x)
{
	return weft_log_scaled(x, WEFT_LOG2E_HI, WEFT_LOG2E_LO, 1.0f, 0.0f);
}

WEFT_FN float weft_log10f(float x)
{
	return weft_log_scaled(x, 0x1.bcb7b2p-2f, -0x1.5b235ep-27f,
			       0x1.344136p-2f, -0x1.ec10c0p-27f);
}

WEFT_FN float weft_rsqrtf(float x)
{
	return __frcp_rn(__fsqrt_rn(x));
}

/* Correctly rounded; a double's error is too small to cross a midpoint. */
WEFT_FN float weft_rsqrt_rn(float x)
{
	return __double2float_rn(__drcp_rn(__dsqrt_rn((double)x)));
}
