/*
 * The inverses of erf, erfc and the normal distribution: Winitzki's formula,
 * right to 2^-9, then some of Halley's steps, each of which triples the digits.
 * In doubles; the float forms are rounded from them.
 */

/* y for erf y = x, erfc y = q with x + q = 1, from the smaller of the two. */
WEFT_FN double weft_d_erf_seed(double x, double q)
{
	double l, t;

	if (x < 0x1p-10)
		return __dmul_rn(x, 0x1.c5bf891b4ef6bp-1);
	l = __dadd_rn(weft_d_log(q), weft_d_log(__dadd_rn(1.0, x)));
	t = __fma_rn(0.5, l, 4.330746750799873);
	return __dsqrt_rn(__dadd_rn(__dsqrt_rn(__fma_rn(t, t, __dmul_rn(
						       l, -6.802721088435374))),
				    -t));
}

/* One step; u is what y is wrong by, in units of the slope. */
WEFT_FN double weft_d_halley(double y, double u)
{
	return __dadd_rn(y, -__ddiv_rn(u, __fma_rn(u, y, 1.0)));
}

/* erf y = x for 0 <= x <= 1/2. */
WEFT_FN double weft_d_erfinv_low(double x)
{
	double y = weft_d_erf_seed(x, __dadd_rn(1.0, -x)), u;
	int    i;

	if (x < 0x1p-1000)
		return y;
	for (i = 0; i < 2; i++) {
		u = __dadd_rn(weft_d_erf(y), -x);
		u = __dmul_rn(u, weft_d_exp(__dmul_rn(y, y), 0.0));
		y = weft_d_halley(y, __dmul_rn(u, 0x1.c5bf891b4ef6bp-1));
	}
	return y;
}

/* erfc y = q for 0 < q < 1/2, both sides times e^(y^2). */
WEFT_FN double weft_d_erfinv_high(double q)
{
	double y = weft_d_erf_seed(__dadd_rn(1.0, -q), q), l, ll, s, u;
	int    i;

	weft_d_log_pair(q, 0.0, &l, &ll);
	/* Far out the formula is right to 2^-4 of what a step can mend. */
	for (i = 0; i < 4; i++) {
		s = __dmul_rn(y, y);
		u = __dadd_rn(__fma_rn(y, y, -s), ll);
		u = weft_d_exp(__dadd_rn(s, l), u);
		u = __dadd_rn(u, -weft_d_erfcx(y));
		y = weft_d_halley(y, __dmul_rn(u, 0x1.c5bf891b4ef6bp-1));
	}
	return y;
}

WEFT_FN double weft_d_erfinv(double x)
{
	double a = fabs(x);

	if (!(a < 1.0))
		return a == 1.0 ? copysign(WEFT_D_INF, x) : WEFT_D_NAN;
	if (a == 0.0)
		return x;
	a = a <= 0.5 ? weft_d_erfinv_low(a)
		     : weft_d_erfinv_high(__dadd_rn(1.0, -a));
	return copysign(a, x);
}

WEFT_FN double weft_d_erfcinv(double q)
{
	if (!(q > 0.0 && q < 2.0)) {
		if (q == 0.0)
			return WEFT_D_INF;
		return q == 2.0 ? -WEFT_D_INF : WEFT_D_NAN;
	}
	if (q < 0.5)
		return weft_d_erfinv_high(q);
	/* 1 - q is exact from here on. */
	return weft_d_erfinv(__dadd_rn(1.0, -q));
}

WEFT_FN double weft_d_normcdfinv(double p)
{
	double y = weft_d_erfcinv(__dadd_rn(p, p)), h;

	if (!(fabs(y) < WEFT_D_INF))
		return y == y ? -y : y;
	h = __dmul_rn(y, -0x1.6a09e667f3bcdp+0);
	return __fma_rn(y, 0x1.bdd3413b26456p-54, h);
}

WEFT_FN float weft_erfinvf(float x)
{
	return __double2float_rn(weft_d_erfinv((double)x));
}

WEFT_FN float weft_erfcinvf(float x)
{
	return __double2float_rn(weft_d_erfcinv((double)x));
}

WEFT_FN float weft_normcdfinvf(float x)
{
	return __double2float_rn(weft_d_normcdfinv((double)x));
}
