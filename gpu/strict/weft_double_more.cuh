/*
 * Doubles: hyperbolic, inverse and tangent functions, roots and lengths.
 */
WEFT_FN double weft_d_tanh(double x)
{
	double a = fabs(x), s, p, h, l;
	int    k;

	if (a < 0.55) {
		s = __dmul_rn(x, x);
		p = __fma_rn(-0x1.58e16a22d9745p-16, s, 0x1.64b5e31f9eecbp-14);
		p = __fma_rn(p, s, -0x1.ebfaacb6f77cbp-13);
		p = __fma_rn(p, s, 0x1.34c3cff88d108p-11);
		p = __fma_rn(p, s, -0x1.7d979fca06a7cp-10);
		p = __fma_rn(p, s, 0x1.d6d33630df82cp-9);
		p = __fma_rn(p, s, -0x1.226e32e16b1bcp-7);
		p = __fma_rn(p, s, 0x1.664f4876c1de8p-6);
		p = __fma_rn(p, s, -0x1.ba1ba1b9fde3dp-5);
		p = __fma_rn(p, s, 0x1.111111111102ap-3);
		p = __fma_rn(p, s, -0x1.5555555555555p-2);
		return copysign(__fma_rn(__dmul_rn(a, s), p, a), x);
	}
	if (x != x)
		return x;
	a = a > 25.0 ? 25.0 : a;
	k = weft_d_exp_pair(__dmul_rn(2.0, a), 0.0, &h, &l);
	h = __dmul_rn(__dadd_rn(h, l), weft_d_two_to(k));
	h = __dadd_rn(1.0, -__ddiv_rn(2.0, __dadd_rn(h, 1.0)));
	return copysign(h, x);
}

WEFT_FN double weft_d_cosh(double x)
{
	double a = fabs(x), h, l, q;
	int    k;

	if (x != x)
		return x;
	a = a > 800.0 ? 800.0 : a;
	k = weft_d_exp_pair(a, 0.0, &h, &l);
	q = __dmul_rn(weft_d_two_to(k < 100 ? -2 * k : -200), __drcp_rn(h));
	return weft_d_scale(__dadd_rn(h, __dadd_rn(l, q)), k - 1);
}

/* log(a + sqrt(a^2 + one)), one = +-1, the argument at least 1. */
WEFT_FN double weft_d_inverse_hyper(double a, double one)
{
	double u, ul, v, vl, s, w, wl, h, l;

	/* Past 2^30, one is nothing beside the square. */
	if (a > 0x1p+30) {
		weft_d_log_pair(a, 0.0, &h, &l);
		weft_d_sum(h, 0x1.62e42fefa39efp-1, &h, &u);
		return __dadd_rn(h, __dadd_rn(u, l));
	}
	u = __dmul_rn(a, a);
	ul = __fma_rn(a, a, -u);
	weft_d_sum(u, one, &v, &vl);
	s = __dsqrt_rn(v);
	ul = __dadd_rn(__fma_rn(-s, s, v), __dadd_rn(ul, vl));
	ul = __ddiv_rn(ul, __dadd_rn(s, s));
	weft_d_sum(a, s, &w, &wl);
	weft_d_log_pair(w, __dadd_rn(wl, ul), &h, &l);
	return h;
}

WEFT_FN double weft_d_asinh(double x)
{
	double a = fabs(x), u, ul, s, h, l;

	if (!(a < WEFT_D_INF) || a < 0x1p-30)
		return a < 0x1p-30 && a > 0x1p-1000
			       ? __fma_rn(__dmul_rn(x, __dmul_rn(x, x)),
					  -0x1.5555555555555p-3, x)
			       : x;
	if (a >= 0.25)
		return copysign(weft_d_inverse_hyper(a, 1.0), x);
	/* log1p(a + a^2 / (1 + sqrt(1 + a^2))). */
	u = __dmul_rn(a, a);
	weft_d_fast_sum(1.0, u, &h, &l);
	s = __dsqrt_rn(h);
	l = __dadd_rn(__fma_rn(-s, s, h), __dadd_rn(l, __fma_rn(a, a, -u)));
	l = __ddiv_rn(l, __dadd_rn(s, s));
	/* s + l = sqrt; the quotient to twice the precision it needs. */
	h = __dadd_rn(1.0, s);
	l = __dadd_rn(__dadd_rn(__dadd_rn(1.0, -h), s), l);
	ul = __fma_rn(a, a, -u);
	s = __ddiv_rn(u, h);
	l = __ddiv_rn(__dadd_rn(__fma_rn(-s, l, __fma_rn(-s, h, u)), ul), h);
	weft_d_fast_sum(a, s, &h, &u);
	weft_d_log_core(h, __dadd_rn(u, l), 0.0, &h, &l);
	return copysign(h, x);
}

WEFT_FN double weft_d_acosh(double x)
{
	double t, v, s, l, h;

	if (!(x > 1.0 && x < WEFT_D_INF)) {
		if (x == 1.0)
			return 0.0;
		return x > 1.0 ? x : WEFT_D_NAN;
	}
	if (x >= 1.25)
		return weft_d_inverse_hyper(x, -1.0);
	/* log1p(t + sqrt(t (t + 2))), the root in two doubles. */
	t = __dadd_rn(x, -1.0);
	v = __dmul_rn(t, t);
	l = __fma_rn(t, t, -v);
	weft_d_fast_sum(__dadd_rn(t, t), v, &v, &h);
	s = __dsqrt_rn(v);
	l = __dadd_rn(__fma_rn(-s, s, v), __dadd_rn(l, h));
	l = __ddiv_rn(l, __dadd_rn(s, s));
	weft_d_fast_sum(s, t, &h, &v);
	l = __dadd_rn(v, l);
	if (h < 0.3) {
		weft_d_log_core(h, l, 0.0, &h, &l);
		return h;
	}
	weft_d_fast_sum(1.0, h, &t, &v);
	weft_d_log_pair(t, __dadd_rn(v, l), &h, &l);
	return h;
}

WEFT_FN double weft_d_atanh(double x)
{
	double a = fabs(x), n, nl, d, q, l, h;

	if (!(a < 1.0))
		return a == 1.0 ? copysign(WEFT_D_INF, x) : WEFT_D_NAN;
	if (a < 0x1p-28)
		return x;
	/* log1p(2a / (1 - a)) / 2. */
	weft_d_fast_sum(1.0, -a, &d, &l);
	n = __dadd_rn(a, a);
	q = __ddiv_rn(n, d);
	nl = __fma_rn(-q, l, __fma_rn(-q, d, n));
	nl = __ddiv_rn(nl, d);
	if (q < 0.3) {
		weft_d_log_core(q, nl, 0.0, &h, &l);
	} else {
		weft_d_sum(1.0, q, &h, &l);
		weft_d_log_pair(h, __dadd_rn(l, nl), &h, &l);
	}
	return copysign(__dmul_rn(0.5, h), x);
}

/*
 * atan((n + nl) / (d + dl)) for 0 <= n <= d, d in [2^-500, 2^500]: above
 * tan(pi/8) turned by pi/4; subtracted from pi/2 if steep, from pi if back.
 */
WEFT_FN double weft_d_atan_core(double n, double nl, double d, double dl,
				bool steep, bool back)
{
	double c, t, tl, s, p, base = 0.0, low = 0.0;

	if (n > __dmul_rn(d, 0x1.a827999fcef32p-2)) {
		weft_d_fast_sum(d, n, &s, &p);
		p = __dadd_rn(p, __dadd_rn(nl, dl));
		c = __dadd_rn(n, -d);
		t = __dadd_rn(n, -__dadd_rn(c, d));
		nl = __dadd_rn(t, __dadd_rn(nl, -dl));
		n = c;
		d = s;
		dl = p;
		base = 0x1.921fb54442d18p-1;
		low = 0x1.1a62633145c07p-55;
	}
	c = __drcp_rn(d);
	t = __dmul_rn(n, c);
	tl = __dadd_rn(__fma_rn(-t, d, n), __fma_rn(-t, dl, nl));
	tl = __dmul_rn(c, tl);
	s = __dmul_rn(t, t);
	p = __fma_rn(0x1.099b06d690f8fp-6, s, -0x1.1aa666f098928p-5);
	p = __fma_rn(p, s, 0x1.74a6bab667090p-5);
	p = __fma_rn(p, s, -0x1.ac6e76f07bd9fp-5);
	p = __fma_rn(p, s, 0x1.e1986d992448fp-5);
	p = __fma_rn(p, s, -0x1.110e75a26d5dbp-4);
	p = __fma_rn(p, s, 0x1.3b1391d2d73acp-4);
	p = __fma_rn(p, s, -0x1.745d1654d473ep-4);
	p = __fma_rn(p, s, 0x1.c71c71c2d5a6ap-4);
	p = __fma_rn(p, s, -0x1.249249248d40ep-3);
	p = __fma_rn(p, s, 0x1.999999999994fp-3);
	p = __fma_rn(p, s, -0x1.5555555555555p-2);
	tl = __fma_rn(__dmul_rn(t, s), p, tl);
	if (steep) {
		base = __dadd_rn(0x1.921fb54442d18p+0, -base);
		low = __dadd_rn(0x1.1a62633145c07p-54, -low);
		t = -t;
		tl = -tl;
	}
	if (back) {
		base = __dadd_rn(0x1.921fb54442d18p+1, -base);
		low = __dadd_rn(0x1.1a62633145c07p-53, -low);
		t = -t;
		tl = -tl;
	}
	weft_d_fast_sum(base, t, &s, &p);
	return __dadd_rn(s, __dadd_rn(p, __dadd_rn(low, tl)));
}

WEFT_FN double weft_d_atan(double x)
{
	double a = fabs(x), v;

	if (!(a >= 0x1p-30))
		return x == x && a > 0x1p-1000
			       ? __fma_rn(__dmul_rn(x, __dmul_rn(x, x)),
					  -0x1.5555555555555p-2, x)
			       : x;
	a = a > 0x1p+100 ? 0x1p+100 : a;
	v = a > 1.0 ? weft_d_atan_core(1.0, 0.0, a, 0.0, true, false)
		    : weft_d_atan_core(a, 0.0, 1.0, 0.0, false, false);
	return copysign(v, x);
}

/* sqrt(1 - a^2) = *ret_h + *ret_l, 0 <= a <= 1. */
WEFT_FN void weft_d_coside(double a, double *ret_h, double *ret_l)
{
	double u, ul, v, vl, s;

	/* (1 - a)(1 + a), both factors in two doubles. */
	weft_d_fast_sum(1.0, a, &u, &ul);
	weft_d_fast_sum(1.0, -a, &v, &vl);
	s = __dmul_rn(u, v);
	vl = __fma_rn(u, vl, __fma_rn(ul, v, __fma_rn(u, v, -s)));
	u = __dsqrt_rn(s);
	*ret_h = u;
	*ret_l = u == 0.0 ? 0.0
			  : __ddiv_rn(__dadd_rn(__fma_rn(-u, u, s), vl),
				      __dadd_rn(u, u));
}

WEFT_FN double weft_d_asin(double x)
{
	double a = fabs(x), h, l, v;

	if (!(a <= 1.0))
		return WEFT_D_NAN;
	if (a < 0x1p-28)
		return x;
	weft_d_coside(a, &h, &l);
	v = a > h ? weft_d_atan_core(h, l, a, 0.0, true, false)
		  : weft_d_atan_core(a, 0.0, h, l, false, false);
	return copysign(v, x);
}

WEFT_FN double weft_d_acos(double x)
{
	double a = fabs(x), h, l;
	bool   back = x < 0.0;

	if (!(a <= 1.0))
		return WEFT_D_NAN;
	weft_d_coside(a, &h, &l);
	return h > a ? weft_d_atan_core(a, 0.0, h, l, true, back)
		     : weft_d_atan_core(h, l, a, 0.0, false, back);
}

/* 64 bits of 2/pi from bit b on; bit 0 is worth 1/2. */
WEFT_FN unsigned long long weft_d_pi_bits(int b)
{
	static const unsigned long long word[20] = {
		0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull,
		0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull,
		0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull,
		0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full,
		0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull,
		0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull,
		0x56033046fc7b6babull, 0ull
	};
	int i = b >> 6, s = b & 63;

	return s == 0 ? word[i] : word[i] << s | word[i + 1] >> (64 - s);
}

/* x = quadrant * pi/2 + *ret_h + *ret_l for |x| >= 2^20, Payne-Hanek. */
WEFT_FN int weft_d_trig_large(double x, double *ret_h, double *ret_l)
{
	unsigned long long bits = (unsigned long long)__double_as_longlong(x);
	int		   e = (int)(bits >> 52 & 2047u) - 1075, b, q;
	unsigned long long m =
		(bits & 0xfffffffffffffull) | 0x10000000000000ull;
	unsigned long long p0, p1, p2, lo, hi, low, top;
	double		   h, l, sign = x < 0.0 ? -1.0 : 1.0;
	int		   shift;

	/* Bits of 2/pi worth 4 or more in the product are left out. */
	b = e - 2 > 0 ? e - 2 : 0;
	shift = e - 2 - b;
	p2 = weft_d_pi_bits(b + 128);
	p1 = weft_d_pi_bits(b + 64);
	p0 = weft_d_pi_bits(b);
	/* The product's words from 2^1 down; top is what lies above. */
	lo = m * p1 + __umul64hi(m, p2);
	low = m * p0;
	hi = low + __umul64hi(m, p1);
	top = __umul64hi(m, p0) + (hi < low);
	low = hi;
	hi += lo < m * p1;
	top += hi < low;
	/* hi:lo / 2^(126 - shift): two bits of quadrant, then the fraction. */
	if (shift < 0) {
		lo = lo >> -shift | hi << (64 + shift);
		hi = hi >> -shift | top << (64 + shift);
	}
	q = (int)(hi >> 62);
	hi = hi << 2 | lo >> 62;
	lo <<= 2;
	/* The fraction to nearest: [-1/2, 1/2). */
	if (hi >> 63) {
		q++;
		lo = ~lo + 1;
		hi = ~hi + (lo == 0);
		sign = -sign;
	}
	b = hi == 0 ? 64 : __clzll((long long)hi);
	if (b == 64) {
		hi = lo;
		lo = 0;
	} else if (b > 0) {
		hi = hi << b | lo >> (64 - b);
		lo <<= b;
	}
	/* 2^-64-b * (hi + lo / 2^64) as two doubles, then times pi/2. */
	h = __ull2double_rn(hi & ~2047ull);
	l = __fma_rn(__ull2double_rn(lo), 0x1p-64,
		     __ull2double_rn(hi & 2047u));
	h = __dmul_rn(h, weft_d_two_to(-64 - b));
	l = __dmul_rn(l, weft_d_two_to(-64 - b));
	*ret_h = __dmul_rn(h, 0x1.921fb54442d18p+0);
	*ret_l = __fma_rn(h, 0x1.921fb54442d18p+0, -*ret_h);
	*ret_l = __fma_rn(h, 0x1.1a62633145c07p-54, *ret_l);
	*ret_l = __fma_rn(l, 0x1.921fb54442d18p+0, *ret_l);
	*ret_h = __dmul_rn(sign, *ret_h);
	*ret_l = __dmul_rn(sign, *ret_l);
	return x < 0.0 ? -q : q;
}

/* The same for |x| < 2^20: three pieces of pi/2. */
WEFT_FN int weft_d_trig_small(double x, double *ret_h, double *ret_l)
{
	double t = __fma_rn(x, 0x1.45f306dc9c883p-1, WEFT_D_ROUND), k, r, l;

	k = __dadd_rn(t, -WEFT_D_ROUND);
	/* 33 bits: its products with k are exact. */
	r = __fma_rn(k, -0x1.921fb54400000p+0, x);
	t = __dmul_rn(k, -0x1.0b4611a626331p-34);
	weft_d_sum(r, t, ret_h, &l);
	l = __dadd_rn(l, __fma_rn(k, -0x1.0b4611a626331p-34, -t));
	*ret_l = __fma_rn(k, -0x1.1701b839a2520p-88, l);
	return (int)__double2ll_rn(k);
}

WEFT_FN double weft_d_tan(double x)
{
	double a = fabs(x), h, l, s, p, c;
	int    q;

	if (!(a < WEFT_D_INF))
		return WEFT_D_NAN;
	if (a < 0x1p-28)
		return x;
	q = a < 0x1p+20 ? weft_d_trig_small(x, &h, &l)
			: weft_d_trig_large(x, &h, &l);
	weft_d_fast_sum(h, l, &h, &l);
	s = __dmul_rn(h, h);
	p = __fma_rn(0x1.0a5e7bc71f0c6p-18, s, -0x1.49ef4fd354370p-17);
	p = __fma_rn(p, s, 0x1.4ab93b259a839p-16);
	p = __fma_rn(p, s, -0x1.5d30779eebb92p-17);
	p = __fma_rn(p, s, 0x1.c991dede9dc64p-16);
	p = __fma_rn(p, s, 0x1.1bdc6183973b2p-15);
	p = __fma_rn(p, s, 0x1.9e69d026ca7e9p-14);
	p = __fma_rn(p, s, 0x1.f47d3188bec33p-13);
	p = __fma_rn(p, s, 0x1.3563dacdcfcb6p-11);
	p = __fma_rn(p, s, 0x1.7da2a1a6a7773p-10);
	p = __fma_rn(p, s, 0x1.d6d3d9947643fp-9);
	p = __fma_rn(p, s, 0x1.226e353ddc3edp-7);
	p = __fma_rn(p, s, 0x1.664f488354104p-6);
	p = __fma_rn(p, s, 0x1.ba1ba1ba1a460p-5);
	p = __fma_rn(p, s, 0x1.111111111111bp-3);
	p = __fma_rn(p, s, 0x1.5555555555555p-2);
	l = __fma_rn(l, s, l);
	weft_d_fast_sum(h, __fma_rn(__dmul_rn(h, s), p, l), &h, &l);
	if (!(q & 1))
		return h;
	c = __ddiv_rn(-1.0, h);
	s = __fma_rn(c, l, __fma_rn(c, h, 1.0));
	return __fma_rn(c, s, c);
}

/* x^(-1/3) for x in [2^-800, 2^1024). */
WEFT_FN double weft_d_rcbrt_seed(double x)
{
	unsigned high = (unsigned)(__double_as_longlong(x) >> 32);
	double	 r = __longlong_as_double(
		  (long long)(0x553ef0ffu - high / 3u) << 32);
	double e;
	int    i;

	for (i = 0; i < 4; i++) {
		e = __dmul_rn(__dmul_rn(x, r), __dmul_rn(r, r));
		e = __fma_rn(e, -0x1.5555555555555p-2, 0x1.5555555555555p-2);
		r = __fma_rn(r, e, r);
	}
	return r;
}

WEFT_FN double weft_d_cbrt(double x)
{
	double a = fabs(x), scale = 1.0, r, y, s, l, e;

	if (!(a > 0.0 && a < WEFT_D_INF))
		return x;
	if (a < 0x1p-700) {
		a = __dmul_rn(a, 0x1p+600);
		scale = 0x1p-200;
	}
	r = weft_d_rcbrt_seed(a);
	r = __dmul_rn(r, r);
	y = __dmul_rn(a, r);
	s = __dmul_rn(y, y);
	l = __fma_rn(y, y, -s);
	e = __fma_rn(-l, y, __fma_rn(-s, y, a));
	y = __fma_rn(e, __dmul_rn(r, 0x1.5555555555555p-2), y);
	return copysign(__dmul_rn(y, scale), x);
}

WEFT_FN double weft_d_rcbrt(double x)
{
	double a = fabs(x), scale = 1.0, r, p, q, e;

	if (!(a > 0.0 && a < WEFT_D_INF)) {
		if (x != x)
			return x;
		return copysign(a == 0.0 ? WEFT_D_INF : 0.0, x);
	}
	if (a < 0x1p-700) {
		a = __dmul_rn(a, 0x1p+600);
		scale = 0x1p+200;
	}
	r = weft_d_rcbrt_seed(a);
	p = __dmul_rn(a, r);
	q = __dmul_rn(r, r);
	e = __fma_rn(-p, q, 1.0);
	e = __fma_rn(-__fma_rn(a, r, -p), q, e);
	e = __fma_rn(-__fma_rn(r, r, -q), p, e);
	r = __fma_rn(__dmul_rn(r, 0x1.5555555555555p-2), e, r);
	return copysign(__dmul_rn(r, scale), x);
}

WEFT_FN double weft_d_rsqrt(double x)
{
	double s = __dsqrt_rn(x), r = __drcp_rn(s), e;

	if (!(r > 0.0 && r < WEFT_D_INF))
		return r;
	/* What the root lost counts half in its inverse. */
	e = __fma_rn(-s, s, x);
	e = __dmul_rn(__dmul_rn(-0.5, e), r);
	e = __fma_rn(e, r, __fma_rn(-s, r, 1.0));
	return __fma_rn(r, e, r);
}
