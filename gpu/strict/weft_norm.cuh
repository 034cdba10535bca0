/*
 * Lengths of vectors and their inverses.  Floats are summed in doubles, which
 * hold their squares exactly; doubles are scaled by their largest exponent
 * and summed in two.
 */

/* The largest magnitude: an infinity before a NaN, a NaN before a number. */
WEFT_FN double weft_d_larger(double m, double x)
{
	x = fabs(x);
	if (m == WEFT_D_INF || x == WEFT_D_INF)
		return WEFT_D_INF;
	return m != m || m >= x ? m : x;
}

/* Adds (x * scale)^2 to *h + *l. */
WEFT_FN void weft_d_add_square(double x, double scale, double *h, double *l)
{
	double s, e;

	x = __dmul_rn(x, scale);
	s = __dmul_rn(x, x);
	*l = __dadd_rn(*l, __fma_rn(x, x, -s));
	weft_d_sum(*h, s, h, &e);
	*l = __dadd_rn(*l, e);
}

/* 2^-k that brings m, positive and finite, to [1, 2) or a little below. */
WEFT_FN double weft_d_norm_scale(double m)
{
	int e = (int)(__double_as_longlong(m) >> 52) - 1023;

	return weft_d_two_to(e > 1000 ? -1000 : e < -1000 ? 1000 : -e);
}

/* sqrt(h + l) / scale, or its inverse. */
WEFT_FN double weft_d_norm_end(double h, double l, double scale, bool inverse)
{
	double r = __dsqrt_rn(h), e;

	r = __dadd_rn(r, __ddiv_rn(__dadd_rn(__fma_rn(-r, r, h), l),
				   __dadd_rn(r, r)));
	if (inverse)
		return __dmul_rn(__drcp_rn(r), scale);
	/* The inverse of a power of two is exact. */
	e = __drcp_rn(scale);
	return __dmul_rn(r, e);
}

WEFT_FN double weft_d_norm_edge(double m, bool inverse)
{
	if (m != m)
		return m;
	return (m == 0.0) == inverse ? WEFT_D_INF : 0.0;
}

WEFT_FN double weft_d_norm4(double a, double b, double c, double d,
			    bool inverse)
{
	double m = weft_d_larger(weft_d_larger(weft_d_larger(
						       fabs(a), b),
					       c),
				 d);
	double h = 0.0, l = 0.0, scale;

	if (!(m > 0.0 && m < WEFT_D_INF))
		return weft_d_norm_edge(m, inverse);
	scale = weft_d_norm_scale(m);
	weft_d_add_square(a, scale, &h, &l);
	weft_d_add_square(b, scale, &h, &l);
	weft_d_add_square(c, scale, &h, &l);
	weft_d_add_square(d, scale, &h, &l);
	return weft_d_norm_end(h, l, scale, inverse);
}

WEFT_FN double weft_d_norm_many(int n, const double *p, bool inverse)
{
	double m = 0.0, h = 0.0, l = 0.0, scale;
	int    i;

	for (i = 0; i < n; i++)
		m = weft_d_larger(m, p[i]);
	if (!(m > 0.0 && m < WEFT_D_INF))
		return weft_d_norm_edge(m, inverse);
	scale = weft_d_norm_scale(m);
	for (i = 0; i < n; i++)
		weft_d_add_square(p[i], scale, &h, &l);
	return weft_d_norm_end(h, l, scale, inverse);
}

WEFT_FN double weft_d_hypot(double x, double y)
{
	return weft_d_norm4(x, y, 0.0, 0.0, false);
}

WEFT_FN double weft_d_rhypot(double x, double y)
{
	return weft_d_norm4(x, y, 0.0, 0.0, true);
}

WEFT_FN float weft_norm4f(float a, float b, float c, float d, bool inverse)
{
	double m = weft_d_larger(weft_d_larger(
					 weft_d_larger(fabs((double)a),
						       (double)b),
					 (double)c),
				 (double)d);
	double s;

	if (!(m > 0.0 && m < WEFT_D_INF))
		return __double2float_rn(weft_d_norm_edge(m, inverse));
	s = __dmul_rn((double)a, (double)a);
	s = __fma_rn((double)b, (double)b, s);
	s = __fma_rn((double)c, (double)c, s);
	s = __fma_rn((double)d, (double)d, s);
	s = __dsqrt_rn(s);
	return __double2float_rn(inverse ? __drcp_rn(s) : s);
}

WEFT_FN float weft_norm_manyf(int n, const float *p, bool inverse)
{
	double m = 0.0, s = 0.0;
	int    i;

	for (i = 0; i < n; i++) {
		m = weft_d_larger(m, (double)p[i]);
		s = __fma_rn((double)p[i], (double)p[i], s);
	}
	if (!(m > 0.0 && m < WEFT_D_INF))
		return __double2float_rn(weft_d_norm_edge(m, inverse));
	s = __dsqrt_rn(s);
	return __double2float_rn(inverse ? __drcp_rn(s) : s);
}

WEFT_FN float weft_rhypotf(float x, float y)
{
	return weft_norm4f(x, y, 0.0f, 0.0f, true);
}
