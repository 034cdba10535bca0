/*
 * Lanes at different places of one kernel do not disturb each other, in the
 * executor's own order and in any other.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/gpu/exec/kit.h"

static uint64_t wide[256];

/* Out of the loop with a 64-bit value, while others convert on. */
Test(gpu_exec_schedule, a_value_of_64_bits_waits_behind_a_loop)
{
	static const char text[] = KIT_KERNEL(
		"mov.u32 %r0, %tid.x; mov.u32 %r1, 0;\n"
		"mul.wide.u32 %rd1, %r0, 8; add.s64 %rd1, %rd0, %rd1;\n"
		"L:\n"
		"cvt.sat.s16.s32 %r2, %r1; add.u32 %r1, %r1, 1;\n"
		"mul.wide.u32 %rd2, %r1, 0x10001; setp.le.u32 %p1, %r1, %r0;\n"
		"@%p1 bra L;\n"
		"st.global.u64 [%rd1], %rd2;");
	struct kit k = kit_load(text);
	struct kit_run r = KIT_RUN(wide, 256);
	enum exec_lanes lanes[3];
	uint32_t n = kit_lanes(lanes);
	for (uint32_t way = 0; way < 3 * n; way++) {
		r.options.lanes = lanes[way % n];
		r.options.group_lanes = way < n ? 0 : 8;
		r.options.schedule_seed = way < 2 * n ? 0 : 77;
		memset(wide, 0, sizeof(wide));
		cr_assert_eq(kit_run(&k, &r).outcome, EXEC_OK);
		for (uint32_t i = 0; i < 256; i++)
			cr_assert_eq(wide[i], (i + 1) * 0x10001ull,
				     "way %u, thread %u", way, i);
	}
	kit_free(&k);
}

/* One warp is complete at the vote; the other's last lane comes late. */
Test(gpu_exec_schedule, a_whole_warp_does_not_wake_another)
{
	static const char text[] = KIT_KERNEL(
		"mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 8;\n"
		"add.s64 %rd1, %rd0, %rd1; setp.eq.u32 %p1, %r0, 40;\n"
		"@%p1 bra M;\n"
		"L: vote.sync.ballot.b32 %r2, %p1, -1;\n"
		"bra N;\n"
		"M: mov.u32 %r3, 5; bra L;\n"
		"N: cvt.u64.u32 %rd2, %r2; st.global.u64 [%rd1], %rd2;");
	struct kit k = kit_load(text);
	struct kit_run r = KIT_RUN(wide, 64);
	memset(wide, 0, sizeof(wide));
	r.options.cta_cost_max = 1000000;
	cr_assert_eq(kit_run(&k, &r).outcome, EXEC_OK);
	for (uint32_t i = 0; i < 64; i++)
		cr_expect_eq(wide[i], i < 32 ? 0u : 256u);
	kit_free(&k);
}

/* Behind a barrier no lane rests inside an instruction, either: the halves of
 * the pack would stand where the conversion keeps its result. */
Test(gpu_exec_schedule, a_barrier_parts_no_instruction)
{
	static const char text[] = KIT_KERNEL(
		"mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 8;\n"
		"add.s64 %rd1, %rd0, %rd1; cvt.rn.f32.u32 %f0, %r0;\n"
		"mul.rn.f32 %f0, %f0, 0f40700000;\n" /* 3.75 */
		"cvt.u16.u32 %h0, %r0; setp.ne.u32 %p1, %r0, %r0;\n"
		"vote.sync.ballot.b32 %r3, %p1, -1; barrier.sync.aligned 8;\n"
		"cvt.rzi.s64.f32 %rd2, %f0;\n"
		"@!%p1 mov.b64 %rd3, {%h0, %h0, %h0, %h0};\n"
		"st.global.u64 [%rd1], %rd2;");
	struct kit k = kit_load(text);
	struct kit_run r = KIT_RUN(wide, 32);
	r.options.group_lanes = 8;
	for (uint64_t seed = 1; seed <= 64; seed++) {
		r.options.schedule_seed = seed;
		memset(wide, 0, sizeof(wide));
		cr_assert_eq(kit_run(&k, &r).outcome, EXEC_OK);
		for (uint32_t i = 0; i < 32; i++)
			cr_assert_eq(wide[i], i * 15ull / 4,
				     "seed %u, thread %u", (unsigned)seed, i);
	}
	kit_free(&k);
}

/* Warp 1 comes to its arrival in parts, in one order or another. */
Test(gpu_exec_schedule, a_warp_arrives_in_parts)
{
	static const char text[] = KIT_KERNEL(
		"mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 8;\n"
		"add.s64 %rd1, %rd0, %rd1; setp.gt.u32 %p1, %r0, 31;\n"
		"mov.u64 %rd2, 0; @%p1 mov.u64 %rd2, 7;\n"
		"@%p1 st.global.u64 [%rd1], %rd2; @%p1 bra A;\n"
		"bar.sync 3, 64; ld.global.u64 %rd2, [%rd1+256];\n"
		"st.global.u64 [%rd1], %rd2; bra E;\n"
		"A: setp.eq.u32 %p2, %r0, 40; @%p2 bra M;\n"
		"L: bar.arrive 3, 64; bra E;\n"
		"M: mov.u32 %r3, 5; bra L;\n"
		"E:");
	struct kit k = kit_load(text);
	struct kit_run r = KIT_RUN(wide, 64);
	static const uint32_t widths[] = {0, 1, 8, 16, 32};
	for (uint32_t way = 0; way < 10; way++) {
		r.options.group_lanes = widths[way % 5];
		r.options.schedule_seed = way < 5 ? 0 : way;
		memset(wide, 0, sizeof(wide));
		cr_assert_eq(kit_run(&k, &r).outcome, EXEC_OK, "way %u", way);
		for (uint32_t i = 0; i < 64; i++)
			cr_assert_eq(wide[i], 7, "way %u, thread %u", way, i);
	}
	kit_free(&k);
}

/* Lanes that enter a function, one by one, find what it has unset; what the
 * lanes before them hold there stays as it is. */
Test(gpu_exec_schedule, who_enters_a_function_disturbs_nobody_in_it)
{
	static const char text[] = KIT_HEAD
		".func (.param .b64 ret) f(.param .b32 a, .param .b64 b) {\n"
		".reg .pred %p<8>; .reg .b32 %i<8>; .reg .b64 %l<5>;\n"
		".reg .b32 %t<3>;\n"
		"ld.param.b32 %i0, [a]; ld.param.b64 %l0, [b];\n"
		"mad.lo.u32 %i1, %i0, 0x1, 0xbc000fc4;\n"
		"mad.lo.u32 %i2, %i1, 0xcc68e00f, 0x0;\n"
		"mad.lo.u32 %i3, %i2, 0xcc7033b7, 0x1;\n"
		"mad.lo.u32 %i4, %i2, 0x814bfa45, 0x9355f0f2;\n"
		"mad.lo.u32 %i6, %i0, 0x7fffffff, 0xf4791fa9;\n"
		"mad.wide.u32 %l1, %i3, 0x7, %l0;\n"
		"mad.wide.u32 %l2, %i6, 0xbb1f7af6, %l1;\n"
		"setp.gt.s32 %p3, %i4, %i2; and.b32 %t2, %i3, 3;\n"
		"T0: .branchtargets B0, B1, B2, B1;\n"
		"brx.idx %t2, T0;\n"
		"B0:\nB1:\n"
		"cvt.sat.u64.s16 %l4, %i4;\n"
		"vadd.s32.u32.u32.sat %i5.h1, %i2, %i2, %i5;\n"
		"bra D;\n"
		"B2:\n"
		"@!%p3 setp.lt.or.s32 %p0, 0xffffffc1, %i4, !%p3;\n"
		"D:\n"
		"sub.cc.u64 %l4, 0xfffffffeffffffff, 0xce01629ec16d0bca;\n"
		"madc.lo.u64 %l0, %l2, %l0, 0xd950cd01e7310fc3;\n"
		"st.param.b64 [ret], %l0; ret; }\n"
		".global .align 8 .u64 table[1] = {f};\n"
		".visible .entry k(.param .u64 out) {\n"
		".reg .b32 %r<4>; .reg .b64 %d<8>;\n"
		"ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x;\n"
		"mul.wide.u32 %d1, %r0, 8; add.s64 %d0, %d0, %d1;\n"
		"{ .param .b32 ca; .param .b64 cb; .param .b64 cr;\n"
		"st.param.b32 [ca], %r0; st.param.b64 [cb], %d1;\n"
		"call (cr), f, (ca, cb); ld.param.b64 %d2, [cr]; }\n"
		"st.global.u64 [%d0], %d2; ret; }\n";
	struct kit k = kit_load_stack(text, 1024);
	struct kit_run r = KIT_RUN(wide, 64);
	r.options.sanitize = true;
	r.options.group_lanes = 1;
	for (uint64_t seed = 0; seed <= 64; seed++) {
		struct exec_result x;
		r.options.schedule_seed = seed;
		memset(wide, 0, sizeof(wide));
		x = kit_run(&k, &r);
		cr_assert_eq(x.outcome, EXEC_OK, "seed %u: %u at line %u",
			     (unsigned)seed, (unsigned)x.reason,
			     (unsigned)x.line);
	}
	kit_free(&k);
}
