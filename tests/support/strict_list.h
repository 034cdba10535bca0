/*
 * tests/support/strict_list - the strict functions of one and of two arguments
 * beside the C library's double precision ones.
 */
#ifndef WEFT_TESTS_SUPPORT_STRICT_LIST_H
#define WEFT_TESTS_SUPPORT_STRICT_LIST_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "tests/support/strict_host.h"

struct strict_function {
	const char *name;
	float (*ours)(float);
	double (*libm)(double);
};

static double strict_exp10(double x)
{
	return pow(10.0, x);
}

static double strict_rsqrt(double x)
{
	return 1.0 / sqrt(x);
}

static double strict_rcbrt(double x)
{
	return 1.0 / cbrt(x);
}

static double strict_normcdf(double x)
{
	return 0.5 * erfc(-x * 0x1.6a09e667f3bcdp-1);
}

/* e^(x^2) erfc x; where erfc fades, its series in h = 1 / (2 x^2). */
static double strict_erfcx(double x)
{
	double h = 0.5 / (x * x), s = 1.0;

	/* The square of a float is exact. */
	if (!(x > 20.0))
		return exp(x * x) * erfc(x);
	for (int k = 8; k > 0; k--)
		s = 1.0 - (2 * k - 1) * h * s;
	return s / (x * 1.77245385090551602730);
}

struct strict_pair {
	const char *name;
	float (*ours)(float, float);
	double (*libm)(double, double);
	bool exact; /* no error at all is allowed */
};

static const struct strict_pair strict_pairs[] = {
	{"pow", weft_powf, pow, false},
	{"atan2", weft_atan2f, atan2, false},
	{"hypot", weft_hypotf, hypot, false},
	{"fmod", weft_fmodf, fmod, true},
	{"remainder", weft_remainderf, remainder, true},
};

#define STRICT_PAIRS (sizeof(strict_pairs) / sizeof(strict_pairs[0]))

/* Doubles, beside the C library's long double ones. */
struct strict_double {
	const char *name;
	double (*ours)(double);
	long double (*libm)(long double);
	int ulps; /* most from the rounded value */
};

static double strict_d_exp(double x)
{
	return weft_d_exp(x, 0.0);
}

static long double strict_rsqrtl(long double x)
{
	return 1.0L / sqrtl(x);
}

static long double strict_rcbrtl(long double x)
{
	return 1.0L / cbrtl(x);
}

/* With what the product of x and the root is wrong by, times the slope. */
static long double strict_normcdfl(long double x)
{
	const long double root = 0.70710678118654752440084436L;
	long double z = -x * root, e = fmal(-x, root, -z);

	/* The root's own last places. */
	e -= x * 0x1.65f626cdd52bp-66L;
	if (fabsl(z) > 200.0L)
		return 0.5L * erfcl(z);
	return 0.5L * (erfcl(z) - e * expl(-z * z) * 1.12837916709551257390L);
}

static long double strict_erfcxl(long double x)
{
	long double h = 0.5L / (x * x), s = 1.0L;

	if (!(x > 80.0L)) {
		h = x * x;
		if (h > 10000.0L)
			return expl(h) * 2.0L;
		return expl(h) * (1.0L + fmal(x, x, -h)) * erfcl(x);
	}
	for (int k = 7; k > 0; k--)
		s = 1.0L - (long double)(2 * k - 1) * h * s;
	return s / (x * 1.77245385090551602729816748334L);
}

/*
 * The C library has no inverses: ours, corrected by two of Newton's steps in
 * long doubles with its own erf and erfc.  A wrong one would move far.
 */
static inline long double strict_erfcinvl(long double q)
{
	long double y = weft_d_erfcinv((double)q);

	for (int i = 0; i < 2 && isfinite((double)y); i++) {
		long double slope = expl(-y * y) * 1.12837916709551257390L;

		y += q < 0.5L ? (erfcl(y) - q) / slope
			      : -(erfl(y) - (1.0L - q)) / slope;
	}
	return y;
}

static inline long double strict_erfinvl(long double x)
{
	long double y = weft_d_erfinv((double)x);

	for (int i = 0; i < 2 && isfinite((double)y); i++) {
		long double a = fabsl(x), b = fabsl(y);
		long double slope = expl(-y * y) * 1.12837916709551257390L;

		b += a > 0.5L ? (erfcl(b) - (1.0L - a)) / slope
			      : -(erfl(b) - a) / slope;
		y = copysignl(b, x);
	}
	return y;
}

static inline long double strict_normcdfinvl(long double p)
{
	/* Not minus zero for 1/2. */
	return 0.0L - 1.41421356237309504880L * strict_erfcinvl(2.0L * p);
}

static inline double strict_erfinv(double x)
{
	return (double)strict_erfinvl((long double)x);
}

static inline double strict_erfcinv(double x)
{
	return (double)strict_erfcinvl((long double)x);
}

static inline double strict_normcdfinv(double x)
{
	/* NaNs are slow in long doubles. */
	if (!(x >= 0.0 && x <= 1.0))
		return (double)NAN;
	return (double)strict_normcdfinvl((long double)x);
}

static const struct strict_double strict_doubles[] = {
	{"exp", strict_d_exp, expl, 1},
	{"log", weft_d_log, logl, 1},
	{"log2", weft_d_log2, log2l, 1},
	{"log10", weft_d_log10, log10l, 1},
	{"log1p", weft_d_log1p, log1pl, 1},
	{"cosh", weft_d_cosh, coshl, 1},
	{"tanh", weft_d_tanh, tanhl, 2},
	{"tan", weft_d_tan, tanl, 1},
	{"asin", weft_d_asin, asinl, 1},
	{"acos", weft_d_acos, acosl, 1},
	{"atan", weft_d_atan, atanl, 1},
	{"asinh", weft_d_asinh, asinhl, 1},
	{"acosh", weft_d_acosh, acoshl, 1},
	{"atanh", weft_d_atanh, atanhl, 1},
	{"cbrt", weft_d_cbrt, cbrtl, 1},
	{"rcbrt", weft_d_rcbrt, strict_rcbrtl, 1},
	{"rsqrt", weft_d_rsqrt, strict_rsqrtl, 1},
	{"erf", weft_d_erf, erfl, 2},
	{"erfc", weft_d_erfc, erfcl, 4},
	{"erfcx", weft_d_erfcx, strict_erfcxl, 6},
	{"normcdf", weft_d_normcdf, strict_normcdfl, 4},
	{"tgamma", weft_d_tgamma, tgammal, 6},
	{"erfinv", weft_d_erfinv, strict_erfinvl, 6},
	{"erfcinv", weft_d_erfcinv, strict_erfcinvl, 6},
	{"normcdfinv", weft_d_normcdfinv, strict_normcdfinvl, 6},
	/* Beside its zeros, which are irrational, only as close as a sum. */
	{"lgamma", weft_d_lgamma, lgammal, 4},
};

#define STRICT_DOUBLES (sizeof(strict_doubles) / sizeof(strict_doubles[0]))

static const struct strict_function strict_functions[] = {
	{"exp", weft_expf, exp},
	{"exp2", weft_exp2f, exp2},
	{"exp10", weft_exp10f, strict_exp10},
	{"log", weft_logf, log},
	{"log2", weft_log2f, log2},
	{"log10", weft_log10f, log10},
	{"sin", weft_sinf, sin},
	{"cos", weft_cosf, cos},
	{"tanh", weft_tanhf, tanh},
	{"erf", weft_erff, erf},
	{"rsqrt", weft_rsqrtf, strict_rsqrt},
	{"expm1", weft_expm1f, expm1},
	{"log1p", weft_log1pf, log1p},
	{"sinh", weft_sinhf, sinh},
	{"cosh", weft_coshf, cosh},
	{"tan", weft_tanf, tan},
	{"asin", weft_asinf, asin},
	{"acos", weft_acosf, acos},
	{"atan", weft_atanf, atan},
	{"asinh", weft_asinhf, asinh},
	{"acosh", weft_acoshf, acosh},
	{"atanh", weft_atanhf, atanh},
	{"cbrt", weft_cbrtf, cbrt},
	{"rcbrt", weft_rcbrtf, strict_rcbrt},
	{"erfc", weft_erfcf, erfc},
	{"erfcx", weft_erfcxf, strict_erfcx},
	{"normcdf", weft_normcdff, strict_normcdf},
	{"lgamma", weft_lgammaf, lgamma},
	{"tgamma", weft_tgammaf, tgamma},
	{"erfinv", weft_erfinvf, strict_erfinv},
	{"erfcinv", weft_erfcinvf, strict_erfcinv},
	{"normcdfinv", weft_normcdfinvf, strict_normcdfinv},
};

#define STRICT_COUNT (sizeof(strict_functions) / sizeof(strict_functions[0]))

/* The n-th of a series: ordinary numbers, all exponents, near integers. */
static inline double strict_hard_double(uint64_t n)
{
	uint64_t a = (n + 1) * 0x9e3779b97f4a7c15u;

	a = (a ^ (a >> 30)) * 0xbf58476d1ce4e5b9u;
	a = (a ^ (a >> 27)) * 0x94d049bb133111ebu;
	a ^= a >> 31;
	if (n % 8 == 3)
		return (double)(int)(a >> 58) +
		       (double)((int)(a & 255) - 128) * 0x1p-50 *
			       (double)(1u << (a >> 8 & 31));
	if (n % 2)
		a = (a & 0x800fffffffffffffu) | (1011 + a % 24) << 52;
	return __longlong_as_double((long long)a);
}

/*
 * The n-th of a series of hard arguments: ordinary ones, all exponents,
 * nearly equal ones, and for powers those whose result is in range.
 */
static inline void strict_hard_pair(uint64_t n, float *ret_x, float *ret_y)
{
	uint64_t a = (n + 1) * 0x9e3779b97f4a7c15u, b;
	float x, y;
	double l;

	a = (a ^ (a >> 30)) * 0xbf58476d1ce4e5b9u;
	a = (a ^ (a >> 27)) * 0x94d049bb133111ebu;
	a ^= a >> 31;
	b = a * 0xd1342543de82ef95u + n;
	x = __int_as_float((int)(uint32_t)a);
	y = __int_as_float((int)(uint32_t)(a >> 32));
	switch (n % 4) {
	case 0: /* exponents near zero */
		x = __int_as_float((int)(uint32_t)((a & 0x807fffff) |
						   (118 + (b >> 60)) << 23));
		y = __int_as_float(
			(int)(uint32_t)((a >> 32 & 0x807fffff) |
					(118 + (b >> 56 & 15)) << 23));
		break;
	case 1: /* a few units apart */
		y = __int_as_float((int)(uint32_t)(a + (b >> 58)));
		break;
	case 2: /* a power in range */
		l = log(fabs((double)x));
		y = (float)(((double)(b >> 40) * 0x1p-24 * 193.0 - 104.0) /
			    (l == 0.0 ? 1.0 : l));
		break;
	default: /* anything */
		break;
	}
	*ret_x = x;
	*ret_y = y;
}

#endif /* WEFT_TESTS_SUPPORT_STRICT_LIST_H */
