/*
 * What random kernels (tests/diff) have found, as short as it goes.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/gpu/exec/kit.h"

static uint64_t out[32];

/* The smallest subnormal is 2^-149, whatever ran before. */
Test(gpu_exec_found, no_flush_is_left_over_for_a_conversion)
{
	static const char text[] = KIT_KERNEL(
		"mov.b32 %f1, 1; mov.f32 %f2, 0f3F800000;\n"
		"add.ftz.f32 %f2, %f2, %f2;\n"
		"cvt.f64.f32 %fd1, %f1;\n"
		"st.global.f64 [%rd0], %fd1; st.global.f32 [%rd0+8], %f2;");
	struct kit k = kit_load(text);
	struct kit_run r = KIT_RUN(out, 32);
	enum exec_lanes lanes[3];
	uint32_t n = kit_lanes(lanes);
	for (uint32_t i = 0; i < n; i++) {
		r.options.lanes = lanes[i];
		cr_assert_eq(kit_run(&k, &r).outcome, EXEC_OK);
		cr_expect_eq(out[0], (uint64_t)(1023 - 149) << 52);
		cr_expect_eq(out[1], 0x40000000u);
	}
	kit_free(&k);
}
