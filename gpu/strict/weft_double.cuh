/*
 * Doubles: the exponential, the logarithms and the power.  Only what CUDA
 * approximates is replaced; its own exp, sin, cos and their like are exact
 * operations already.
 */
#define WEFT_D_INF   (__longlong_as_double(0x7ff0000000000000ll))
#define WEFT_D_NAN   (__longlong_as_double(0x7fffffffffffffffll))
#define WEFT_D_ROUND 6755399441055744.0

/* ln 2: 42 bits, whose products with an exponent are exact, and the rest. */
#define WEFT_D_LN2_HI 0x1.62e42fefa3800p-1
#define WEFT_D_LN2_LO 0x1.ef35793c76730p-45

/* 2^k, -1022 <= k <= 1023. */
WEFT_FN double weft_d_two_to(int k)
{
	return __longlong_as_double((long long)(k + 1023) << 52);
}

/* v * 2^k, rounded once; |k| <= 2200 and 2^-1 < |v| < 2^2. */
WEFT_FN double weft_d_scale(double v, int k)
{
	int half = k >> 1;

	half = half > 1000 ? 1000 : half < -1000 ? -1000 : half;
	/* The first product is exact, the second may be subnormal. */
	return __dmul_rn(__dmul_rn(v, weft_d_two_to(half)),
			 weft_d_two_to(k - half > 1023    ? 1023
				       : k - half < -1022 ? -1022
							  : k - half));
}

/* v * 2^k for any v but a subnormal one, rounded once. */
WEFT_FN double weft_d_scale_any(double v, int k)
{
	long long bits = __double_as_longlong(v);
	int	  e = (int)(bits >> 52 & 2047) - 1023;

	if (e == -1023 || e == 1024)
		return v;
	bits = (bits & (long long)0x800fffffffffffffull) |
	       0x3ff0000000000000ll;
	return weft_d_scale(__longlong_as_double(bits), k + e);
}

/* a + b = *ret_h + *ret_l exactly, |a| >= |b| or a = 0. */
WEFT_FN void weft_d_fast_sum(double a, double b, double *ret_h, double *ret_l)
{
	double h = __dadd_rn(a, b);

	*ret_l = __dadd_rn(__dadd_rn(a, -h), b);
	*ret_h = h;
}

/* The same for any a and b. */
WEFT_FN void weft_d_sum(double a, double b, double *ret_h, double *ret_l)
{
	double h = __dadd_rn(a, b), d = __dadd_rn(h, -a);

	*ret_l = __dadd_rn(__dadd_rn(a, -__dadd_rn(h, -d)), __dadd_rn(b, -d));
	*ret_h = h;
}

/* e^(xh + xl) = (*ret_h + *ret_l) * 2^k, |xh| < 1100, |xl| < 2^-40. */
WEFT_FN int weft_d_exp_pair(double xh, double xl, double *ret_h,
			    double *ret_l)
{
	double t, k, r, d, q, p;

	t = __fma_rn(xh, 0x1.71547652b82fep+0, WEFT_D_ROUND);
	k = __dadd_rn(t, -WEFT_D_ROUND);
	d = __fma_rn(k, -WEFT_D_LN2_HI, xh);
	r = __fma_rn(k, -WEFT_D_LN2_LO, d);
	d = __fma_rn(k, -WEFT_D_LN2_LO, __dadd_rn(d, -r));
	d = __dadd_rn(d, xl);
	q = __fma_rn(0x1.61c2c1ba3877dp-33, r, 0x1.1f820dbf5e732p-29);
	q = __fma_rn(q, r, 0x1.ae642ad2afd38p-26);
	q = __fma_rn(q, r, 0x1.27e4d2841fc93p-22);
	q = __fma_rn(q, r, 0x1.71de3a5af94e9p-19);
	q = __fma_rn(q, r, 0x1.a01a01aa828e2p-16);
	q = __fma_rn(q, r, 0x1.a01a01a0195e6p-13);
	q = __fma_rn(q, r, 0x1.6c16c16c158f5p-10);
	q = __fma_rn(q, r, 0x1.1111111111111p-7);
	q = __fma_rn(q, r, 0x1.5555555555557p-5);
	q = __fma_rn(q, r, 0x1.5555555555555p-3);
	q = __fma_rn(q, r, 0x1.0000000000000p-1);
	weft_d_fast_sum(r, __dmul_rn(__dmul_rn(r, r), q), &p, &q);
	weft_d_fast_sum(1.0, p, ret_h, ret_l);
	/* e^d is 1 + d. */
	*ret_l = __dadd_rn(*ret_l, __fma_rn(d, *ret_h, q));
	return (int)__double2ll_rn(k);
}

WEFT_FN double weft_d_exp(double xh, double xl)
{
	double h, l;
	int    k;

	if (xh != xh)
		return xh;
	xh = xh > 800.0 ? 800.0 : xh;
	xh = xh < -800.0 ? -800.0 : xh;
	k = weft_d_exp_pair(xh, xl, &h, &l);
	return weft_d_scale(__dadd_rn(h, l), k);
}

/*
 * log(1 + p + pl) + e ln 2 = *ret_h + *ret_l to about 2^-64,
 * -1/3 <= p <= 1/3, |pl| at most an ulp of 1 + p.
 */
WEFT_FN void weft_d_log_core(double p, double pl, double e, double *ret_h,
			     double *ret_l)
{
	double q, ql, sh, sl, zh, zl, c, ch, cl, mh, ml, ph, ql2, h, l, t;

	/* s = p / (2 + p); log = 2 atanh s. */
	weft_d_fast_sum(2.0, p, &q, &ql);
	c = __drcp_rn(q);
	sh = __dmul_rn(p, c);
	t = __fma_rn(sh, -q, p);
	t = __fma_rn(sh, -__dadd_rn(ql, pl), __dadd_rn(t, pl));
	sl = __dmul_rn(t, c);
	/* z = s^2; atanh s = s + s z (1/3 + z P(z)). */
	zh = __dmul_rn(sh, sh);
	zl = __fma_rn(sh, sh, -zh);
	zl = __fma_rn(__dmul_rn(2.0, sh), sl, zl);
	c = __fma_rn(0x1.7d843e34d268dp-5, zh, 0x1.3f0ab91606e6bp-5);
	c = __fma_rn(c, zh, 0x1.64b60c33e5611p-5);
	c = __fma_rn(c, zh, 0x1.861300c1cfb14p-5);
	c = __fma_rn(c, zh, 0x1.af288f3284839p-5);
	c = __fma_rn(c, zh, 0x1.e1e1e146c39adp-5);
	c = __fma_rn(c, zh, 0x1.11111111f05d5p-4);
	c = __fma_rn(c, zh, 0x1.3b13b13b121a3p-4);
	c = __fma_rn(c, zh, 0x1.745d1745d1761p-4);
	c = __fma_rn(c, zh, 0x1.c71c71c71c71cp-4);
	c = __fma_rn(c, zh, 0x1.2492492492492p-3);
	c = __fma_rn(c, zh, 0x1.999999999999ap-3);
	t = __dmul_rn(zh, c);
	weft_d_fast_sum(0x1.5555555555555p-2, t, &ch, &cl);
	cl = __dadd_rn(cl, __fma_rn(zh, c, -t));
	cl = __dadd_rn(cl, __fma_rn(zl, c, 0x1.5555555555555p-56));
	mh = __dmul_rn(sh, zh);
	ml = __fma_rn(sh, zh, -mh);
	ml = __fma_rn(sh, zl, __fma_rn(sl, zh, ml));
	ph = __dmul_rn(mh, ch);
	ql2 = __fma_rn(mh, ch, -ph);
	ql2 = __fma_rn(mh, cl, __fma_rn(ml, ch, ql2));
	weft_d_fast_sum(sh, ph, &h, &l);
	l = __dadd_rn(l, __dadd_rn(sl, ql2));
	h = __dmul_rn(2.0, h);
	l = __dmul_rn(2.0, l);
	/* e ln 2 in front; |h| < 0.41 is the smaller part unless e = 0. */
	t = __dmul_rn(e, WEFT_D_LN2_HI);
	l = __fma_rn(e, WEFT_D_LN2_LO, l);
	weft_d_sum(t, h, &p, &q);
	weft_d_fast_sum(p, __dadd_rn(l, q), ret_h, ret_l);
}

/* log(x + xl) in two doubles, finite x > 0, |xl| at most an ulp of x. */
WEFT_FN void weft_d_log_pair(double x, double xl, double *ret_h,
			     double *ret_l)
{
	unsigned long long bits, cut;
	double		   e = 0.0, scale;

	if (x < 0x1p-1022) {
		x = __dmul_rn(x, 0x1p+54);
		xl = 0.0;
		e = -54.0;
	}
	bits = (unsigned long long)__double_as_longlong(x);
	cut = (bits - 0x3fe5555555555555ull) & 0xfff0000000000000ull;
	e = __dadd_rn(e, (double)((int)((long long)cut >> 52)));
	x = __longlong_as_double((long long)(bits - cut));
	/* The rest is scaled by 2^-e in two steps: e may be 1024. */
	if (xl != 0.0) {
		scale = weft_d_two_to(-(int)e / 2);
		xl = __dmul_rn(__dmul_rn(xl, scale),
			       weft_d_two_to(-(int)e + (int)e / 2));
	}
	weft_d_log_core(__dadd_rn(x, -1.0), xl, e, ret_h, ret_l);
}

WEFT_FN bool weft_d_log_has_edge(double x)
{
	return !(x > 0.0 && x < WEFT_D_INF);
}

WEFT_FN double weft_d_log_edge(double x)
{
	if (x == 0.0)
		return -WEFT_D_INF;
	return x > 0.0 ? x : WEFT_D_NAN;
}

WEFT_FN double weft_d_log(double x)
{
	double h, l;

	if (weft_d_log_has_edge(x))
		return weft_d_log_edge(x);
	weft_d_log_pair(x, 0.0, &h, &l);
	return h;
}

/* log x * (hi + lo). */
WEFT_FN double weft_d_log_scaled(double x, double hi, double lo)
{
	double h, l, p;

	if (weft_d_log_has_edge(x))
		return weft_d_log_edge(x);
	weft_d_log_pair(x, 0.0, &h, &l);
	p = __dmul_rn(h, hi);
	l = __fma_rn(h, lo, __fma_rn(l, hi, __fma_rn(h, hi, -p)));
	return __dadd_rn(p, l);
}

WEFT_FN double weft_d_log2(double x)
{
	return weft_d_log_scaled(x, 0x1.71547652b82fep+0,
				 0x1.777d0ffda0d24p-56);
}

WEFT_FN double weft_d_log10(double x)
{
	return weft_d_log_scaled(x, 0x1.bcb7b1526e50ep-2,
				 0x1.95355baaafad3p-57);
}

WEFT_FN double weft_d_log1p(double x)
{
	double h, l;

	if (!(x > -1.0 && x < WEFT_D_INF)) {
		if (x == -1.0)
			return -WEFT_D_INF;
		return x > 0.0 ? x : WEFT_D_NAN;
	}
	if (x < 0.3 && x > -0.3) {
		/* Keeps the sign of a zero, and what is too small to square. */
		if (fabs(x) < 0x1p-54)
			return x;
		weft_d_log_core(x, 0.0, 0.0, &h, &l);
		return h;
	}
	weft_d_sum(1.0, x, &h, &l);
	weft_d_log_pair(h, l, &h, &l);
	return h;
}

/* x^y for finite x > 0 and finite y. */
WEFT_FN double weft_d_pow_core(double x, double y)
{
	double h, l, ph, pl;

	weft_d_log_pair(x, 0.0, &h, &l);
	ph = __dmul_rn(y, h);
	if (ph > 720.0)
		return WEFT_D_INF;
	if (ph < -760.0)
		return 0.0;
	pl = __fma_rn(y, l, __fma_rn(y, h, -ph));
	return weft_d_exp(ph, pl);
}

/* 0: y is no integer, 1: odd, 2: even. */
WEFT_FN int weft_d_pow_parity(double y)
{
	unsigned long long bits = (unsigned long long)__double_as_longlong(y) &
				  0x7fffffffffffffffull;
	int		   e = (int)(bits >> 52) - 1023;
	unsigned long long m =
		(bits & 0xfffffffffffffull) | 0x10000000000000ull;

	if (bits == 0 || e > 52)
		return 2;
	if (e < 0 || m << (e + 11) << 1)
		return 0;
	return m >> (52 - e) & 1u ? 1 : 2;
}

/* The cases of C17 F.10.4.4 in which x or y is zero or infinite. */
WEFT_FN double weft_d_pow_edge(double x, double y, int parity)
{
	double a = fabs(x), v;

	if (fabs(y) == WEFT_D_INF) {
		if (a == 1.0)
			return 1.0;
		return (a > 1.0) == (y > 0.0) ? WEFT_D_INF : 0.0;
	}
	v = (a == 0.0) == (y > 0.0) ? 0.0 : WEFT_D_INF;
	return parity == 1 ? copysign(v, x) : v;
}

WEFT_FN double weft_d_pow(double x, double y)
{
	double a = fabs(x), b = fabs(y), v;
	int    parity;

	if (x == 1.0 || y == 0.0)
		return 1.0;
	if (x != x || y != y)
		return __dadd_rn(x, y);
	parity = weft_d_pow_parity(y);
	if (a == 0.0 || a == WEFT_D_INF || b == WEFT_D_INF)
		return weft_d_pow_edge(x, y, parity);
	if (x < 0.0 && parity == 0)
		return WEFT_D_NAN;
	v = weft_d_pow_core(a, y);
	return x < 0.0 && parity == 1 ? -v : v;
}
