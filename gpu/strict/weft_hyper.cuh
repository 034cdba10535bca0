/*
 * expm1, log1p and the hyperbolic functions with their inverses.  Near zero
 * an odd polynomial; further out the exponential or the logarithm of a value
 * in two floats, so that only the last sum rounds.
 */

/* e^x = (*ret_h + *ret_l) * 2^k for |x| < 110. */
WEFT_FN int weft_exp_pair(float x, float *ret_h, float *ret_l)
{
	float t, k, r, d, q, p;

	t = __fmaf_rn(x, WEFT_LOG2E_HI, WEFT_ROUND);
	k = __fadd_rn(t, -WEFT_ROUND);
	d = __fmaf_rn(k, -WEFT_LN2_HI, x);
	r = __fmaf_rn(k, -WEFT_LN2_LO, d);
	d = __fmaf_rn(k, -WEFT_LN2_LO, __fadd_rn(d, -r));
	q = __fmaf_rn(0x1.6a4dcep-10f, r, 0x1.123e5cp-7f);
	q = __fmaf_rn(q, r, 0x1.5558b8p-5f);
	q = __fmaf_rn(q, r, 0x1.55548cp-3f);
	q = __fmaf_rn(q, r, 0x1.fffffcp-2f);
	q = __fmaf_rn(__fmul_rn(r, r), q, d);
	p = __fadd_rn(r, q);
	q = __fadd_rn(__fadd_rn(r, -p), q);
	*ret_h = __fadd_rn(1.0f, p);
	*ret_l = __fadd_rn(__fadd_rn(__fadd_rn(1.0f, -*ret_h), p), q);
	return weft_round_bits(t);
}

WEFT_FN float weft_expm1f(float x)
{
	float p, h, l, s;
	int   k;

	if (x < 0.5f && x > -0.5f) {
		p = __fmaf_rn(0x1.a69006p-13f, x, 0x1.6f49bep-10f);
		p = __fmaf_rn(p, x, 0x1.110b48p-7f);
		p = __fmaf_rn(p, x, 0x1.5551bep-5f);
		p = __fmaf_rn(p, x, 0x1.55555ap-3f);
		p = __fmaf_rn(p, x, 0x1.000002p-1f);
		/* The sign of a zero would be lost in the sum. */
		return x == 0.0f ? x : __fmaf_rn(__fmul_rn(x, x), p, x);
	}
	if (x != x)
		return x;
	x = x > 89.0f ? 89.0f : x;
	x = x < -20.0f ? -20.0f : x;
	k = weft_exp_pair(x, &h, &l);
	/* Half the result first: 2^128 is no float. */
	s = weft_two_to(k - 1);
	p = __fmaf_rn(h, s, __fmaf_rn(l, s, -0.5f));
	/* Both sums in one: h * s is exact and dominates from k = 2 on. */
	if (k < 2) {
		h = __fmul_rn(h, s);
		p = __fmaf_rn(l, s, __fadd_rn(h, -0.5f));
	}
	return __fmul_rn(2.0f, p);
}

WEFT_FN float weft_sinhf(float x)
{
	float a = x < 0.0f ? -x : x, s, p, h, l, q;
	int   k;

	if (a < 1.0f) {
		s = __fmul_rn(x, x);
		p = __fmaf_rn(0x1.75c150p-19f, s, 0x1.a02104p-13f);
		p = __fmaf_rn(p, s, 0x1.1110e2p-7f);
		p = __fmaf_rn(p, s, 0x1.555556p-3f);
		return copysignf(__fmaf_rn(__fmul_rn(a, s), p, a), x);
	}
	if (x != x)
		return x;
	a = a > 95.0f ? 95.0f : a;
	k = weft_exp_pair(a, &h, &l);
	q = __fmul_rn(weft_two_to(k < 60 ? -2 * k : -120), __frcp_rn(h));
	h = __fadd_rn(h, __fadd_rn(l, -q));
	k -= 1;
	h = __fmul_rn(h, weft_two_to(k >> 1));
	return copysignf(__fmul_rn(h, weft_two_to(k - (k >> 1))), x);
}

WEFT_FN float weft_coshf(float x)
{
	float a = x < 0.0f ? -x : x, h, l, q;
	int   k;

	if (x != x)
		return x;
	a = a > 95.0f ? 95.0f : a;
	k = weft_exp_pair(a, &h, &l);
	q = __fmul_rn(weft_two_to(k < 60 ? -2 * k : -120), __frcp_rn(h));
	h = __fadd_rn(h, __fadd_rn(l, q));
	k -= 1;
	h = __fmul_rn(h, weft_two_to(k >> 1));
	return __fmul_rn(h, weft_two_to(k - (k >> 1)));
}

WEFT_FN float weft_log1pf(float x)
{
	float    h, l, e, m, s, d = 0.0f;
	unsigned cut;

	if (!(x > -1.0f && x < 0x1p+30f)) {
		if (x == -1.0f)
			return -WEFT_INF;
		/* 1 is less than a sixtieth of an ulp of the logarithm. */
		return x > 0.0f ? weft_logf(x) : WEFT_NAN;
	}
	cut = (unsigned)__float_as_int(__fadd_rn(1.0f, x));
	cut = (cut - 0x3f2aaaabu) & 0xff800000u;
	e = (float)((int)cut >> 23);
	s = __int_as_float((int)(0x3f800000u - cut));
	m = x;
	if (cut != 0) {
		/* What rounding m loses counts where e ln 2 cancels it. */
		d = __fadd_rn(s, -1.0f);
		m = __fmaf_rn(x, s, d);
		d = __fmaf_rn(x, s, __fadd_rn(d, -m));
		d = __fmaf_rn(-d, m, d);
	}
	weft_log_poly(m, &h, &l);
	if (cut == 0)
		return h;
	l = __fmaf_rn(e, WEFT_LN2_LO, __fadd_rn(l, d));
	return __fmaf_rn(e, WEFT_LN2_HI, __fadd_rn(h, l));
}

/* log(h + l), h > 0 finite, |l| below an ulp of h; times 2^extra. */
WEFT_FN float weft_log_sum(float h, float l, float extra)
{
	float d = __fdiv_rn(l, h), e, r, t;

	e = __fadd_rn(weft_log_core(h, &r, &t), extra);
	t = __fmaf_rn(e, WEFT_LN2_LO, __fadd_rn(t, d));
	return __fmaf_rn(e, WEFT_LN2_HI, __fadd_rn(r, t));
}

/* log(a + sqrt(a^2 + one)), one = +-1, the argument at least 1. */
WEFT_FN float weft_inverse_hyper(float a, float one)
{
	float u, ul, v, t, s, w;

	/* Past 2^20, one is nothing beside the square. */
	if (a > 0x1p+20f)
		return weft_log_sum(a, 0.0f, 1.0f);
	u = __fmul_rn(a, a);
	ul = __fmaf_rn(a, a, -u);
	v = __fadd_rn(u, one);
	t = __fadd_rn(v, -u);
	t = __fadd_rn(__fadd_rn(u, -__fadd_rn(v, -t)), __fadd_rn(one, -t));
	ul = __fadd_rn(ul, t);
	s = __fsqrt_rn(v);
	t = __fdiv_rn(__fadd_rn(__fmaf_rn(-s, s, v), ul), __fadd_rn(s, s));
	w = __fadd_rn(a, s);
	u = __fadd_rn(w, -a);
	ul = __fadd_rn(__fadd_rn(a, -__fadd_rn(w, -u)), __fadd_rn(s, -u));
	return weft_log_sum(w, __fadd_rn(ul, t), 0.0f);
}

WEFT_FN float weft_asinhf(float x)
{
	float a = x < 0.0f ? -x : x, s, p;

	if (a < 0.5f) {
		s = __fmul_rn(x, x);
		p = __fmaf_rn(0x1.2ec084p-7f, s, -0x1.485004p-6f);
		p = __fmaf_rn(p, s, 0x1.ec0792p-6f);
		p = __fmaf_rn(p, s, -0x1.6d7e40p-5f);
		p = __fmaf_rn(p, s, 0x1.333238p-4f);
		p = __fmaf_rn(p, s, -0x1.555554p-3f);
		return copysignf(__fmaf_rn(__fmul_rn(a, s), p, a), x);
	}
	if (!(a < WEFT_INF))
		return x;
	return copysignf(weft_inverse_hyper(a, 1.0f), x);
}

WEFT_FN float weft_acoshf(float x)
{
	float t = __fadd_rn(x, -1.0f), v, s, p;

	if (!(t > 0.0f && x < WEFT_INF)) {
		if (t == 0.0f)
			return 0.0f;
		return x > 0.0f && !(t < 0.0f) ? x : WEFT_NAN;
	}
	if (t >= 0.5f)
		return weft_inverse_hyper(x, -1.0f);
	v = __fadd_rn(t, t);
	s = __fsqrt_rn(v);
	v = __fdiv_rn(__fmaf_rn(-s, s, v), __fadd_rn(s, s));
	p = __fmaf_rn(0x1.2cce88p-13f, t, -0x1.47b4fap-11f);
	p = __fmaf_rn(p, t, 0x1.ebe57ep-10f);
	p = __fmaf_rn(p, t, -0x1.6d7cb6p-8f);
	p = __fmaf_rn(p, t, 0x1.333232p-6f);
	p = __fmaf_rn(p, t, -0x1.555554p-4f);
	return __fadd_rn(s, __fmaf_rn(__fmul_rn(s, t), p, v));
}

WEFT_FN float weft_atanhf(float x)
{
	float a = x < 0.0f ? -x : x, s, p, n, d, q;

	if (a < 0.5f) {
		s = __fmul_rn(x, x);
		p = __fmaf_rn(0x1.6b79e0p-3f, s, 0x1.a03de2p-5f);
		p = __fmaf_rn(p, s, 0x1.e4e152p-4f);
		p = __fmaf_rn(p, s, 0x1.233f7cp-3f);
		p = __fmaf_rn(p, s, 0x1.99a742p-3f);
		p = __fmaf_rn(p, s, 0x1.55553ep-2f);
		return copysignf(__fmaf_rn(__fmul_rn(a, s), p, a), x);
	}
	if (!(a < 1.0f))
		return a == 1.0f ? copysignf(WEFT_INF, x) : WEFT_NAN;
	/* (1 + a) / (1 - a); the difference is exact. */
	n = __fadd_rn(1.0f, a);
	s = __fadd_rn(__fadd_rn(1.0f, -n), a);
	d = __fadd_rn(1.0f, -a);
	q = __fdiv_rn(n, d);
	s = __fdiv_rn(__fadd_rn(__fmaf_rn(-q, d, n), s), d);
	return copysignf(__fmul_rn(0.5f, weft_log_sum(q, s, 0.0f)), x);
}
