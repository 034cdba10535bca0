/*
 * erf, erfc and the normal distribution; the gamma function and its
 * logarithm.  All in doubles: the float forms are rounded from them.
 */

/* (1 + 2 a) e^(a^2) erfc(a) for a >= 0, in q = (a - 4) / (a + 4). */
WEFT_FN double weft_d_erfc_poly(double a)
{
	double q = __ddiv_rn(__dadd_rn(a, -4.0), __dadd_rn(a, 4.0)), p;

	p = __fma_rn(-0x1.3ab58f87cfb03p-33, q, -0x1.24000f0a15ee9p-32);
	p = __fma_rn(p, q, 0x1.f5d7df6dfda90p-30);
	p = __fma_rn(p, q, 0x1.b34e17ed4ff9fp-29);
	p = __fma_rn(p, q, -0x1.fcc3a5268653fp-27);
	p = __fma_rn(p, q, -0x1.611fc8f45b510p-26);
	p = __fma_rn(p, q, 0x1.d98825ca9deb5p-24);
	p = __fma_rn(p, q, 0x1.4cb0ece36623dp-24);
	p = __fma_rn(p, q, -0x1.baf5e74545cc2p-21);
	p = __fma_rn(p, q, 0x1.398374178fe8cp-22);
	p = __fma_rn(p, q, 0x1.7f2545048fbf3p-18);
	p = __fma_rn(p, q, -0x1.78862b6b1e3abp-17);
	p = __fma_rn(p, q, -0x1.9958e21c32f5cp-16);
	p = __fma_rn(p, q, 0x1.3be04c486a75ep-13);
	p = __fma_rn(p, q, -0x1.a1df289a58f28p-13);
	p = __fma_rn(p, q, -0x1.8d4a9b0690e08p-11);
	p = __fma_rn(p, q, 0x1.49c6728a1a0f0p-8);
	p = __fma_rn(p, q, -0x1.096238838fb04p-6);
	p = __fma_rn(p, q, 0x1.3079edf67777bp-5);
	p = __fma_rn(p, q, -0x1.0fb06dfe52605p-4);
	p = __fma_rn(p, q, 0x1.7fee004e1295bp-4);
	p = __fma_rn(p, q, -0x1.9ddb23c3e89f3p-4);
	p = __fma_rn(p, q, 0x1.16ecefcfa5383p-4);
	p = __fma_rn(p, q, 0x1.f7f5df66fd6bap-7);
	p = __fma_rn(p, q, -0x1.1df1ad154a28ep-3);
	p = __fma_rn(p, q, 0x1.3ba5916e9fd7fp+0);
	return p;
}

/* erfc(a), a >= 0.  a + al is the argument, al below an ulp of a. */
WEFT_FN double weft_d_erfc_core(double a, double al)
{
	double h, l, p, eh, el;
	int    k;

	if (a > 30.0)
		return 0.0;
	p = __ddiv_rn(weft_d_erfc_poly(a), __fma_rn(2.0, a, 1.0));
	h = __dmul_rn(a, a);
	l = __fma_rn(-a, a, h);
	l = __fma_rn(__dmul_rn(-2.0, a), al, l);
	k = weft_d_exp_pair(-h, l, &eh, &el);
	p = __fma_rn(p, eh, __dmul_rn(p, el));
	/* Towards 1 again: only the scaling may leave the normal numbers. */
	if (p < 0.0625)
		return weft_d_scale(__dmul_rn(p, 16.0), k - 4);
	return weft_d_scale(p, k);
}

/* erf x for |x| < 1/2. */
WEFT_FN double weft_d_erf_small(double x)
{
	double s = __dmul_rn(x, x), p;

	p = __fma_rn(-0x1.39a108f52b66dp-23, s, 0x1.b76a36257b548p-20);
	p = __fma_rn(p, s, -0x1.f4baf45a38aaep-17);
	p = __fma_rn(p, s, 0x1.f9a2a14adf6d8p-14);
	p = __fma_rn(p, s, -0x1.c02db226b5da4p-11);
	p = __fma_rn(p, s, 0x1.565bcd0a6be9ep-8);
	p = __fma_rn(p, s, -0x1.b82ce3127ecb4p-6);
	p = __fma_rn(p, s, 0x1.ce2f21a042b1ap-4);
	p = __fma_rn(p, s, -0x1.812746b0379e6p-2);
	p = __fma_rn(p, s, 0x1.06eba8214db69p-3);
	return __fma_rn(x, p, x);
}

WEFT_FN double weft_d_erf(double x)
{
	double a = fabs(x);

	if (a < 0.5)
		return weft_d_erf_small(x);
	if (x != x)
		return x;
	return copysign(__dadd_rn(1.0, -weft_d_erfc_core(a, 0.0)), x);
}

WEFT_FN double weft_d_erfc(double x)
{
	if (x != x)
		return x;
	if (x < 0.5 && x > -0.5)
		return __dadd_rn(1.0, -weft_d_erf_small(x));
	if (x > 0.0)
		return weft_d_erfc_core(x, 0.0);
	return __dadd_rn(2.0, -weft_d_erfc_core(-x, 0.0));
}

/* e^(x^2) erfc(x). */
WEFT_FN double weft_d_erfcx(double x)
{
	double a = fabs(x), p, h, l;

	if (x != x)
		return x;
	if (a > 0x1p+60)
		return x > 0.0 ? __ddiv_rn(0x1.20dd750429b6dp-1, x)
			       : WEFT_D_INF;
	p = __ddiv_rn(weft_d_erfc_poly(a), __fma_rn(2.0, a, 1.0));
	if (x >= 0.0)
		return p;
	if (a > 30.0)
		return WEFT_D_INF;
	h = __dmul_rn(a, a);
	l = __fma_rn(a, a, -h);
	return __dadd_rn(__dmul_rn(2.0, weft_d_exp(h, l)), -p);
}

WEFT_FN double weft_d_normcdf(double x)
{
	double a = fabs(x), h, l;

	if (x != x)
		return x;
	a = a > 45.0 ? 45.0 : a;
	/* -x / sqrt 2 in two doubles. */
	h = __dmul_rn(a, 0x1.6a09e667f3bcdp-1);
	l = __fma_rn(a, 0x1.6a09e667f3bcdp-1, -h);
	l = __fma_rn(a, -0x1.bdd3413b26456p-55, l);
	if (h < 0.5) {
		h = __dmul_rn(0.5, weft_d_erf_small(h));
		return __dadd_rn(0.5, x < 0.0 ? -h : h);
	}
	h = weft_d_erfc_core(h, l);
	h = __dmul_rn(0.5, h);
	return x < 0.0 ? h : __dadd_rn(1.0, -h);
}

/* sin(pi x) for |x| <= 1/2. */
WEFT_FN double weft_d_sinpi_core(double x)
{
	double a = fabs(x), s, p;

	if (a <= 0.25) {
		s = __dmul_rn(a, a);
		p = __fma_rn(0x1.0d9705e9ea3cep-22, s, -0x1.d4207b5ff254fp-18);
		p = __fma_rn(p, s, 0x1.374717e674f00p-13);
		p = __fma_rn(p, s, -0x1.33816aa326f28p-9);
		p = __fma_rn(p, s, 0x1.ac6805cf34316p-6);
		p = __fma_rn(p, s, -0x1.86a8e4720db62p-3);
		p = __fma_rn(p, s, 0x1.9f9cb402bc46cp-1);
		p = __fma_rn(p, s, -0x1.a51a6625307d3p+0);
		p = __fma_rn(p, s, 0x1.0000000000000p+0);
		p = __dmul_rn(__dmul_rn(a, p), 0x1.921fb54442d18p+1);
	} else {
		a = __dadd_rn(0.5, -a);
		s = __dmul_rn(a, a);
		p = __fma_rn(0x1.1e745e5e09ce2p-18, s, -0x1.b6de8b8e9b9ffp-14);
		p = __fma_rn(p, s, 0x1.f9d3870871194p-10);
		p = __fma_rn(p, s, -0x1.a6d1f2a086c90p-6);
		p = __fma_rn(p, s, 0x1.e1f506891ae95p-3);
		p = __fma_rn(p, s, -0x1.55d3c7e3cbff7p+0);
		p = __fma_rn(p, s, 0x1.03c1f081b5ac4p+2);
		p = __fma_rn(p, s, -0x1.3bd3cc9be45dep+2);
		p = __fma_rn(p, s, 1.0);
	}
	return copysign(p, x);
}

/* lgamma(2 + y) for |y| <= 1/2. */
WEFT_FN double weft_d_lgamma_two(double y)
{
	double p;

	p = __fma_rn(0x1.124e021964971p-24, y, -0x1.20614454ece38p-23);
	p = __fma_rn(p, y, 0x1.b3de5f464ae18p-23);
	p = __fma_rn(p, y, -0x1.cde8c7a3ff64fp-22);
	p = __fma_rn(p, y, 0x1.01228762fe406p-20);
	p = __fma_rn(p, y, -0x1.12797d945f9e1p-19);
	p = __fma_rn(p, y, 0x1.258f0b107f2edp-18);
	p = __fma_rn(p, y, -0x1.3cb39735e60a3p-17);
	p = __fma_rn(p, y, 0x1.580e0c429d82ap-16);
	p = __fma_rn(p, y, -0x1.78de9c0ece161p-15);
	p = __fma_rn(p, y, 0x1.a127afe7baadbp-14);
	p = __fma_rn(p, y, -0x1.d3fd4b60b4a7ep-13);
	p = __fma_rn(p, y, 0x1.0b36af8783445p-11);
	p = __fma_rn(p, y, -0x1.38ac5c2d520b2p-10);
	p = __fma_rn(p, y, 0x1.7add6eadb523ep-9);
	p = __fma_rn(p, y, -0x1.e404fc218dacbp-8);
	p = __fma_rn(p, y, 0x1.51322ac7d848ap-6);
	p = __fma_rn(p, y, -0x1.13e001a55760ap-4);
	p = __fma_rn(p, y, 0x1.4a34cc4a60fa6p-2);
	p = __fma_rn(p, y, 0x1.b0ee6072093cep-2);
	return __dmul_rn(y, p);
}

/* What lgamma x is beside (x - 1/2) log x - x + log(2 pi) / 2, for x >= 8. */
WEFT_FN double weft_d_stirling_rest(double x)
{
	double r = __drcp_rn(x), w = __dmul_rn(r, r), p;

	p = __fma_rn(0x1.c29fa8a00bff4p-4, w, -0x1.c6897d7841011p-6);
	p = __fma_rn(p, w, 0x1.a2565f7556310p-8);
	p = __fma_rn(p, w, -0x1.f69af4ce77ca5p-10);
	p = __fma_rn(p, w, 0x1.b951b70668da6p-11);
	p = __fma_rn(p, w, -0x1.381381168d350p-11);
	p = __fma_rn(p, w, 0x1.a01a01a00d0c8p-11);
	p = __fma_rn(p, w, -0x1.6c16c16c16c0fp-9);
	p = __fma_rn(p, w, 0x1.5555555555555p-4);
	return __dmul_rn(p, r);
}

/* lgamma x = *ret_h + *ret_l for x >= 8: Stirling's series. */
WEFT_FN void weft_d_stirling(double x, double *ret_h, double *ret_l)
{
	double h, l, t, u, ul;

	/* (x - 1/2) log x - x + log(2 pi) / 2 */
	weft_d_log_pair(x, 0.0, &h, &l);
	u = __dadd_rn(x, -0.5);
	ul = __dadd_rn(__dadd_rn(x, -u), -0.5);
	t = __dmul_rn(u, h);
	l = __fma_rn(u, l, __fma_rn(u, h, -t));
	l = __fma_rn(ul, h, l);
	weft_d_fast_sum(t, -x, &h, &u);
	l = __dadd_rn(l, u);
	weft_d_sum(h, 0x1.d67f1c864beb5p-1, &h, &u);
	l = __dadd_rn(__dadd_rn(l, u), -0x1.65b5a1b7ff5dfp-55);
	l = __dadd_rn(l, weft_d_stirling_rest(x));
	weft_d_fast_sum(h, l, ret_h, ret_l);
}

/* lgamma x for x > 0 finite. */
WEFT_FN double weft_d_lgamma_core(double x)
{
	double h, l, p = 1.0;

	if (x >= 8.0) {
		if (x <= 0x1p+60) {
			weft_d_stirling(x, &h, &l);
			return h;
		}
		/* x (log x - 1); the series is nothing beside it. */
		weft_d_log_pair(x, 0.0, &h, &l);
		return __dmul_rn(x, __dadd_rn(__dadd_rn(h, -1.0), l));
	}
	if (x >= 2.5) {
		while (x >= 2.5) {
			x = __dadd_rn(x, -1.0);
			p = __dmul_rn(p, x);
		}
		return __dadd_rn(weft_d_log(p),
				 weft_d_lgamma_two(__dadd_rn(x, -2.0)));
	}
	if (x >= 1.5)
		return weft_d_lgamma_two(__dadd_rn(x, -2.0));
	if (x >= 0.5) {
		x = __dadd_rn(x, -1.0);
		return __dadd_rn(weft_d_lgamma_two(x), -weft_d_log1p(x));
	}
	p = __dadd_rn(weft_d_lgamma_two(x), -weft_d_log1p(x));
	return __dadd_rn(p, -weft_d_log(x));
}

/* x - round(x), exact; *ret_odd: round(x) is odd. */
WEFT_FN double weft_d_from_integer(double x, bool *ret_odd)
{
	double k;

	*ret_odd = false;
	if (fabs(x) >= 0x1p+52) {
		*ret_odd = fabs(x) < 0x1p+53 &&
			   (__double_as_longlong(x) & 1) != 0;
		return 0.0;
	}
	k = __dadd_rn(__dadd_rn(x, x > 0.0 ? 0x1p+52 : -0x1p+52),
		      x > 0.0 ? -0x1p+52 : 0x1p+52);
	*ret_odd = (__double2ll_rn(k) & 1) != 0;
	return __dadd_rn(x, -k);
}

WEFT_FN double weft_d_lgamma(double x)
{
	double a = fabs(x), s;
	bool   odd;

	if (x != x)
		return x;
	if (a == 0.0 || a == WEFT_D_INF)
		return WEFT_D_INF;
	if (x > 0.0)
		return weft_d_lgamma_core(x);
	s = fabs(weft_d_sinpi_core(weft_d_from_integer(a, &odd)));
	if (s == 0.0)
		return WEFT_D_INF;
	if (a < 0x1p-60)
		return -weft_d_log(a);
	/* |Gamma(-a)| = pi / (a sin(pi a) Gamma(a)) */
	s = __ddiv_rn(0x1.921fb54442d18p+1, __dmul_rn(a, s));
	return __dadd_rn(weft_d_log(s), -weft_d_lgamma_core(a));
}

/* Gamma(a) = p e^(*ret_h + *ret_l) with the p returned, 2^-60 < a <= 200. */
WEFT_FN double weft_d_gamma_parts(double a, double *ret_h, double *ret_l)
{
	double p = 1.0;

	if (a >= 8.0) {
		weft_d_stirling(a, ret_h, ret_l);
		return p;
	}
	*ret_l = 0.0;
	/* No step but the last below rounds its argument. */
	while (a >= 2.5) {
		a = __dadd_rn(a, -1.0);
		p = __dmul_rn(p, a);
	}
	if (a >= 1.5) {
		*ret_h = weft_d_lgamma_two(__dadd_rn(a, -2.0));
	} else if (a >= 0.5) {
		*ret_h = weft_d_lgamma_two(__dadd_rn(a, -1.0));
		p = __drcp_rn(a);
	} else {
		*ret_h = weft_d_lgamma_two(a);
		p = __drcp_rn(__fma_rn(a, a, a));
	}
	return p;
}

WEFT_FN double weft_d_tgamma(double x)
{
	double a = fabs(x), s = 1.0, p, h, l;
	bool   odd;
	int    k;

	if (x != x || x == WEFT_D_INF)
		return x;
	if (a < 0x1p-60)
		return __drcp_rn(x);
	if (x < 0.0) {
		s = weft_d_sinpi_core(weft_d_from_integer(a, &odd));
		if (s == 0.0)
			return WEFT_D_NAN;
		/* Gamma(-a) = -pi / (a sin(pi a) Gamma(a)) */
		s = __dmul_rn(a, odd ? s : -s);
		s = __ddiv_rn(0x1.921fb54442d18p+1, s);
		if (a > 200.0)
			return copysign(0.0, s);
	}
	if (a > 200.0)
		return WEFT_D_INF;
	p = weft_d_gamma_parts(a, &h, &l);
	if (x < 0.0) {
		h = -h;
		l = -l;
		p = __ddiv_rn(s, p);
	}
	k = weft_d_exp_pair(h, l, &h, &l);
	return weft_d_scale_any(__fma_rn(h, p, __dmul_rn(l, p)), k);
}

/* The float forms. */
WEFT_FN float weft_erfcf(float x)
{
	return __double2float_rn(weft_d_erfc((double)x));
}

WEFT_FN float weft_erfcxf(float x)
{
	return __double2float_rn(weft_d_erfcx((double)x));
}

WEFT_FN float weft_normcdff(float x)
{
	return __double2float_rn(weft_d_normcdf((double)x));
}

WEFT_FN float weft_lgammaf(float x)
{
	return __double2float_rn(weft_d_lgamma((double)x));
}

WEFT_FN float weft_tgammaf(float x)
{
	return __double2float_rn(weft_d_tgamma((double)x));
}
