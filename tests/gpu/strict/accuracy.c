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

Test(strict, pow_special_cases)
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
		16777216.0f,
		16777215.0f,
		-8388609.0f,
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		for (size_t j = 0; j < sizeof(v) / sizeof(v[0]); j++)
			check("pow", v[i], v[j], weft_powf(v[i], v[j]),
			      (float)pow((double)v[i], (double)v[j]));
}

Test(strict, pow_one_ulp_at_random_points)
{
	uint64_t s = 1;

	for (int n = 0; n < 400000; n++) {
		float x, y;
		double l;

		s = s * 6364136223846793005u + 1442695040888963407u;
		x = __int_as_float((int)(uint32_t)(s >> 33));
		l = log((double)x);
		y = (float)((double)(s % 193) - 103.5) /
		    (float)(l != 0.0 ? l : 1.0);
		check("pow", x, y, weft_powf(x, y),
		      (float)pow((double)x, (double)y));
	}
}
