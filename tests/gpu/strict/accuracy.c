/*
 * The strict functions against the C library's double precision ones: a
 * stride over all 2^32 inputs here, every input by tests/bench/strict.
 */
#include <stdint.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include "tests/support/strict_host.h"
#include "tests/support/strict_list.h"

#define STRIDE 20011u

static int64_t order(float f)
{
	int32_t i = __float_as_int(f);

	return i < 0 ? -(int64_t)(i & 0x7fffffff) : i;
}

static void check(const char *name, float x, float y, float got, float want)
{
	if (want != want || got != got) {
		cr_assert(want != want && got != got, "%s(%a, %a): %a", name,
			  (double)x, (double)y, (double)got);
		return;
	}
	if (want == 0.0f && got == 0.0f)
		cr_assert_eq(signbit(want) != 0, signbit(got) != 0,
			     "%s(%a): sign of zero", name, (double)x);
	cr_assert_leq(llabs(order(got) - order(want)), 1,
		      "%s(%a, %a): %a, not %a", name, (double)x, (double)y,
		      (double)got, (double)want);
}

Test(strict, one_ulp_over_a_stride)
{
	for (size_t i = 0; i < STRICT_COUNT; i++) {
		const struct strict_function *f = &strict_functions[i];

		for (uint64_t u = 0; u < 1ull << 32; u += STRIDE) {
			float x = __int_as_float((int)(uint32_t)u);

			check(f->name, x, 0.0f, f->ours(x),
			      (float)f->libm((double)x));
		}
	}
}

Test(strict, edges)
{
	static const float edge[] = {
		0.0f,
		-0.0f,
		1.0f,
		-1.0f,
		0x1p-149f,
		-0x1p-149f,
		0x1p-126f,
		0x1.fffffep127f,
		88.72283f,
		88.72284f,
		-103.97208f,
		-103.97207f,
		128.0f,
		127.99999f,
		-149.0f,
		-150.0f,
		38.53184f,
		38.53185f,
		32767.998f,
		32768.0f,
		0x1.921fb6p+1f,
		0x1.921fb6p+0f,
		0x1p+100f,
		0x1.e4p+60f,
		(float)INFINITY,
		-(float)INFINITY,
		(float)NAN,
	};

	for (size_t i = 0; i < STRICT_COUNT; i++) {
		const struct strict_function *f = &strict_functions[i];

		for (size_t j = 0; j < sizeof(edge) / sizeof(edge[0]); j++)
			check(f->name, edge[j], 0.0f, f->ours(edge[j]),
			      (float)f->libm((double)edge[j]));
	}
}

Test(strict, frsqrt_rn_is_correctly_rounded_where_rsqrt_is_not)
{
	int differ = 0;

	/* Two binades hold every mantissa with both parities. */
	for (uint32_t u = 0x3f800000; u < 0x40800000; u += 7) {
		float x = __int_as_float((int)u);
		float want = (float)(1.0 / sqrt((double)x));

		cr_assert_eq(weft_rsqrt_rn(x), want);
		differ += weft_rsqrtf(x) != want;
	}
	cr_assert_gt(differ, 0);
}

static void check_pair(const struct strict_pair *p, float x, float y)
{
	float got = p->ours(x, y);
	float want = (float)p->libm((double)x, (double)y);

	check(p->name, x, y, got, want);
	if (p->exact && want == want)
		cr_assert_eq(__float_as_int(got), __float_as_int(want),
			     "%s(%a, %a): %a, not %a", p->name, (double)x,
			     (double)y, (double)got, (double)want);
}

Test(strict, special_cases_of_two_arguments)
{
	static const float v[] = {
		0.0f,
		-0.0f,
		1.0f,
		-1.0f,
		(float)INFINITY,
		-(float)INFINITY,
		(float)NAN,
		2.0f,
		-2.0f,
		3.0f,
		-3.0f,
		0.5f,
		-0.5f,
		1e30f,
		2.5f,
		-1e-45f,
		3e-45f,
		0x1.fffffep127f,
		16777216.0f,
		16777215.0f,
		-8388609.0f,
	};
	const size_t count = sizeof(v) / sizeof(v[0]);

	for (size_t k = 0; k < STRICT_PAIRS; k++)
		for (size_t i = 0; i < count; i++)
			for (size_t j = 0; j < count; j++)
				check_pair(&strict_pairs[k], v[i], v[j]);
}

Test(strict, two_arguments_at_hard_points)
{
	for (size_t k = 0; k < STRICT_PAIRS; k++)
		for (uint64_t n = 0; n < 100000; n++) {
			float x, y;

			strict_hard_pair(n, &x, &y);
			check_pair(&strict_pairs[k], x, y);
		}
}

static int64_t order_double(double f)
{
	int64_t i = __double_as_longlong(f);

	return i < 0 ? -(i & INT64_MAX) : i;
}

static void check_double(const struct strict_double *f, double x)
{
	double got = f->ours(x), want = (double)f->libm((long double)x);

	if (want != want || got != got) {
		cr_assert(want != want && got != got, "%s(%a): %a", f->name, x,
			  got);
		return;
	}
	if (f->libm == lgammal && x < 0.0 && fabs(got - want) < 0x1p-48)
		return;
	cr_assert_leq(llabs(order_double(got) - order_double(want)), f->ulps,
		      "%s(%a): %a, not %a", f->name, x, got, want);
}

Test(strict, doubles_at_hard_points)
{
	const char *count = getenv("WEFT_HEAVY");

	for (size_t k = 0; k < STRICT_DOUBLES; k++)
		for (uint64_t n = 0; n < (count ? 10000000u : 40000u); n++)
			check_double(&strict_doubles[k], strict_hard_double(n));
}

Test(strict, double_edges)
{
	static const double v[] = {
		0.0,
		-0.0,
		1.0,
		-1.0,
		0x1p-1074,
		-0x1p-1022,
		0x1.fffffffffffffp1023,
		709.782712893384,
		709.7827128933841,
		-745.1332191019411,
		-745.1332191019412,
		171.624376956302,
		171.6243769563028,
		-0.5,
		-2.0,
		-170.5,
		-184.25,
		0x1p52,
		-0x1p53,
		0x1.921fb54442d18p+0,
		0x1.6ac5b262ca1ffp+849,
		0x1.73e5bdd0c113dp+36,
		(double)INFINITY,
		-(double)INFINITY,
		(double)NAN,
	};

	for (size_t k = 0; k < STRICT_DOUBLES; k++)
		for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
			check_double(&strict_doubles[k], v[i]);
}

Test(strict, double_powers_and_lengths)
{
	for (uint64_t n = 0; n < 100000; n++) {
		double x = strict_hard_double(2 * n + 1);
		double y = strict_hard_double(n ^ 0x5555);
		double l = log(fabs(x));
		double got, want;

		if (n % 2)
			y = ((double)(n % 1459) - 746.0) / (l == 0.0 ? 1.0 : l);
		got = weft_d_pow(x, y);
		want = (double)powl((long double)x, (long double)y);
		if (want != want)
			cr_assert(got != got, "pow(%a, %a): %a", x, y, got);
		else
			cr_assert_leq(
				llabs(order_double(got) - order_double(want)),
				1, "pow(%a, %a): %a, not %a", x, y, got, want);
		if (y != y)
			continue;
		got = weft_d_hypot(x, y);
		want = (double)hypotl((long double)x, (long double)y);
		cr_assert_leq(llabs(order_double(got) - order_double(want)), 1,
			      "hypot(%a, %a): %a, not %a", x, y, got, want);
	}
}

Test(strict, quotients_of_remquo)
{
	static const int v[][3] = {
		/* x, y, low bits of the nearest quotient */
		{7, 2, 4}, {5, 2, 2},  {-7, 2, -4}, {7, -2, -4}, {1, 2, 0},
		{3, 2, 2}, {17, 1, 1}, {100, 7, 6}, {-9, -2, 4}, {0, 5, 0},
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		int quotient;
		float r =
			weft_remquof((float)v[i][0], (float)v[i][1], &quotient);

		cr_assert_eq(quotient, v[i][2], "%d / %d: %d", v[i][0], v[i][1],
			     quotient);
		cr_assert_eq(r, remainderf((float)v[i][0], (float)v[i][1]));
	}
}
