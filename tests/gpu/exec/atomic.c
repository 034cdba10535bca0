/*
 * Atomics of vectors and of 128 bits: in thread order, as one where they are
 * one, and what a trace and the sanitizer see of them.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/gpu/exec/kit.h"

static uint64_t out[512];

#define KERNEL(body)                                                        \
	".version 8.3\n.target sm_90\n.address_size 64\n"                   \
	".visible .entry k(.param .u64 out) {\n"                            \
	".shared .align 16 .b8 s[1024];\n"                                  \
	".reg .pred %p<8>; .reg .b16 %h<16>; .reg .b32 %r<32>;\n"           \
	".reg .b64 %rd<32>; .reg .b128 %q<8>; .reg .f32 %f<4>;\n"           \
	"ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x;\n"                  \
	"mul.wide.u32 %rd1, %r0, 16; add.u64 %rd1, %rd0, %rd1;\n" body "\n" \
	"ret;\n}\n"

static struct exec_result run_out(const char *text, struct kit_run r)
{
	struct kit k = kit_load(text);
	memset(out, 0, sizeof(out));
	struct exec_result res = kit_run(&k, &r);
	res.findings = NULL;
	kit_free(&k);
	return res;
}

/* Lane i exchanges what lane i - 1 has left. */
Test(gpu_exec_atomic, exchanges_of_16_bytes_go_in_thread_order)
{
	static const char *const texts[] = {
		KERNEL("cvt.u64.u32 %rd2, %r0; add.u64 %rd3, %rd2, 100;\n"
		       "mov.b128 %q1, {%rd2, %rd3};\n"
		       "atom.global.exch.b128 %q1, [%rd0], %q1;\n"
		       "mov.b128 {%rd4, %rd5}, %q1;\n"
		       "st.global.v2.u64 [%rd1+16], {%rd4, %rd5};"),
		KERNEL("cvt.u64.u32 %rd2, %r0; add.u64 %rd3, %rd2, 100;\n"
		       "mov.b128 %q1, {%rd2, %rd3}; mov.u64 %rd4, 0;\n"
		       "setp.eq.u32 %p1, %r0, 0;\n"
		       "@%p1 st.shared.v2.u64 [s+32], {%rd4, %rd4};\n"
		       "bar.sync 0; atom.shared.exch.b128 %q2, [s+32], %q1;\n"
		       "mov.b128 {%rd4, %rd5}, %q2;\n"
		       "st.global.v2.u64 [%rd1+16], {%rd4, %rd5}; bar.sync 0;\n"
		       "ld.shared.v2.u64 {%rd4, %rd5}, [s+32];\n"
		       "@%p1 st.global.v2.u64 [%rd0], {%rd4, %rd5};")};
	static const uint32_t widths[] = {0, 1, 8};
	for (uint32_t way = 0; way < 6; way++) {
		struct kit_run r = KIT_RUN(out, 64);
		r.options.group_lanes = widths[way / 2];
		r.options.sanitize = way < 2;
		cr_assert_eq(run_out(texts[way % 2], r).outcome, EXEC_OK);
		cr_expect_eq(out[0], 63);
		cr_expect_eq(out[1], 163);
		for (uint32_t i = 0; i < 64; i++) {
			cr_expect_eq(out[2 * i + 2], i == 0 ? 0 : i - 1);
			cr_expect_eq(out[2 * i + 3], i == 0 ? 0 : i + 99);
		}
	}
}

/* Where the address points decides whether subnormal floats are flushed, not
 * how the instruction names the space. */
Test(gpu_exec_atomic, float_sums_in_shared_memory_keep_subnormals)
{
	static const char text[] = KERNEL(
		"mov.u64 %rd2, s; cvta.shared.u64 %rd3, %rd2;\n"
		"mov.b32 %r1, 3; mov.f32 %f2, 0f00000005;\n"
		"st.shared.u32 [s], %r1; st.shared.u32 [s+4], %r1;\n"
		"st.global.u32 [%rd0], %r1; st.global.u32 [%rd0+4], %r1;\n"
		"red.shared.add.f32 [s], %f2; red.add.f32 [%rd3+4], %f2;\n"
		"red.global.add.f32 [%rd0], %f2; red.add.f32 [%rd0+4], %f2;\n"
		"ld.shared.u32 %r3, [s]; ld.shared.u32 %r4, [s+4];\n"
		"st.global.v2.u32 [%rd0+8], {%r3, %r4};");

	cr_assert_eq(run_out(text, KIT_RUN(out, 1)).outcome, EXEC_OK);
	cr_expect_eq(out[0], 0, "%llx", (unsigned long long)out[0]);
	cr_expect_eq(out[1], 0x0000000800000008u);
}

/* Counts in both halves, which never differ: a counter in many CTAs, on more
 * threads than one. */
Test(gpu_exec_atomic, sixteen_bytes_are_never_torn)
{
	static const char text[] = KERNEL(
		"mov.u64 %rd2, 0; mov.u64 %rd3, 0;\n"
		"L: mov.b128 %q1, {%rd2, %rd3};\n"
		"add.u64 %rd4, %rd2, 1; add.u64 %rd5, %rd3, 1;\n"
		"mov.b128 %q2, {%rd4, %rd5};\n"
		"atom.global.cas.b128 %q3, [%rd0], %q1, %q2;\n"
		"mov.b128 {%rd6, %rd7}, %q3;\n"
		"setp.ne.u64 %p1, %rd6, %rd2; setp.ne.or.u64 %p1, %rd7, %rd3, "
		"%p1;\n"
		"mov.u64 %rd2, %rd6; mov.u64 %rd3, %rd7; @%p1 bra L;");
	for (uint32_t threads = 1; threads <= 4; threads++) {
		struct kit_run r = KIT_RUN(out, 8);
		r.grid[0] = 500;
		r.options.threads = threads;
		cr_assert_eq(run_out(text, r).outcome, EXEC_OK);
		cr_expect_eq(out[0], 4000);
		cr_expect_eq(out[1], 4000);
	}
}

/* Operands and results share registers, crosswise; a guard; a sink. */
Test(gpu_exec_atomic, elements_are_read_before_results_are_there)
{
	static const uint32_t want[8] = {5 + 10, 6 + 20, 20, 10, 5, 6, 40, 0};
	struct kit_run r = KIT_RUN(out, 1);
	static const char text[] = KERNEL(
		/* 5 and 6; 10 and 20. */
		"st.global.v4.u32 [%rd0], {0x40a00000, 0x40c00000, 0, 0};\n"
		"mov.b32 %r1, 0x41200000; mov.b32 %r2, 0x41a00000;\n"
		"atom.global.add.v2.f32 {%r2, %r1}, [%rd0], {%r1, %r2};\n"
		"st.global.v2.u32 [%rd0+16], {%r2, %r1};\n"
		"setp.eq.u32 %p1, %r0, 1;\n"
		"@%p1 atom.global.add.v2.f32 {%r2, %r1}, [%rd0], {%r1, %r2};\n"
		"mov.b32 %r3, 0x41a00000;\n"
		"atom.global.add.v2.f32 _, [%rd0+24], {%r3, 0f00000000};\n"
		"red.global.add.v2.f32 [%rd0+24], {%r3, 0f00000000};\n"
		"st.global.v2.u32 [%rd0+8], {0x41a00000, 0x41200000};");
	cr_assert_eq(run_out(text, r).outcome, EXEC_OK);
	const uint32_t *words = (const uint32_t *)out;
	for (uint32_t i = 0; i < 8; i++) {
		float v;
		memcpy(&v, &words[i], 4);
		cr_expect_eq((uint32_t)v, want[i], "%u: %x", i, words[i]);
	}
}

static void expect_fault(const char *text, enum exec_reason reason,
			 uint64_t address)
{
	struct exec_result r = run_out(text, KIT_RUN(out, 1));
	cr_expect_eq(r.outcome, EXEC_FAULT);
	cr_expect_eq(r.reason, reason, "%s", exec_reason_word(r.reason));
	cr_expect_eq(r.address, EXEC_BUFFER_BASE(0) + address);
	for (uint32_t i = 0; i < 512; i++)
		cr_assert_eq(out[i], 0, "nothing has been written");
}

Test(gpu_exec_atomic, a_vector_is_aligned_and_inside_as_a_whole)
{
	expect_fault(KERNEL("red.global.add.v2.f32 [%rd0+4], {%r1, %r2};"),
		     EXEC_REASON_misaligned, 4);
	expect_fault(KERNEL("mov.b32 %r1, 0f3f800000; mov.b32 %r2, %r1;\n"
			    "red.global.add.v4.f32 [%rd0+8], "
			    "{%r1, %r2, %r1, %r2};"),
		     EXEC_REASON_misaligned, 8);
	expect_fault(KERNEL("mov.b16 %h1, 0x3c00;\n"
			    "red.global.add.noftz.v8.f16 [%rd0+8], {%h1, %h1, "
			    "%h1, %h1, %h1, %h1, %h1, %h1};"),
		     EXEC_REASON_misaligned, 8);
	expect_fault(KERNEL("atom.global.exch.b128 %q1, [%rd0+8], %q2;"),
		     EXEC_REASON_misaligned, 8);
	expect_fault(KERNEL("atom.global.exch.b128 %q1, [%rd0+4096], %q2;"),
		     EXEC_REASON_out_of_bounds, 4096);
	/* Of the last vector only the first element is there. */
	struct kit k = kit_load(
		KERNEL("mov.b32 %r1, 0f3f800000;\n"
		       "red.global.add.v4.f32 [%rd0+16], {%r1, %r1, %r1, "
		       "%r1};"));
	struct kit_run r = KIT_RUN(out, 1);
	memset(out, 0, sizeof(out));
	r.out_bytes = 20;
	cr_expect_eq(kit_run(&k, &r).reason, EXEC_REASON_out_of_bounds);
	cr_expect_eq(out[2], 0);
	kit_free(&k);
}

/* Sixteen bytes each, in what a CTA wrote and read. */
Test(gpu_exec_atomic, traces_know_their_size)
{
	static const char *const texts[] = {
		KERNEL("mov.u64 %rd2, 7; mov.b128 %q1, {%rd2, %rd2};\n"
		       "atom.global.exch.b128 _, [%rd0+32], %q1;"),
		KERNEL("mov.b32 %r1, 0f3f800000;\n"
		       "red.global.add.v4.f32 [%rd0+32], {%r1, %r1, %r1, %r1};")};
	for (uint32_t i = 0; i < 2; i++) {
		struct kit k = kit_load(texts[i]);
		struct kit_run r = KIT_RUN(out, 1);
		r.options.record_writes = r.options.record_reads = true;
		memset(out, 0, sizeof(out));
		struct exec_result res = kit_run(&k, &r);
		cr_assert_eq(res.outcome, EXEC_OK);
		cr_assert_eq(res.write_count, 1);
		cr_expect_eq(res.writes[0].offset, 32);
		cr_expect_eq(res.writes[0].bytes, 16);
		cr_assert_geq(res.read_count, 1);
		cr_expect_leq(res.reads[0].offset, 32);
		cr_expect_geq(res.reads[0].offset + res.reads[0].bytes, 48);
		cr_expect_eq(res.count, i == 0 ? 8 : 7);
		kit_free(&k);
	}
}

static void expect_found(const char *text, enum exec_reason reason)
{
	struct exec_result r = kit_sanitize(text, KIT_RUN(out, 32), 1);
	cr_expect_eq(r.outcome, EXEC_VOID, "%s", exec_reason_word(reason));
	cr_expect_eq(r.reason, reason, "%s, not %s", exec_reason_word(r.reason),
		     exec_reason_word(reason));
}

Test(gpu_exec_atomic, the_sanitizer_sees_both_halves)
{
	/* The high half comes from nowhere. */
	expect_found(KERNEL("mov.u64 %rd2, 7; mov.b128 %q1, {%rd2, %rd9};\n"
			    "atom.global.exch.b128 _, [%rd0], %q1;"),
		     EXEC_REASON_uninitialised);
	expect_found(KERNEL("mov.u64 %rd2, 7; mov.b128 %q1, {%rd2, %rd2};\n"
			    "mov.b128 %q2, {%rd9, %rd2};\n"
			    "atom.global.cas.b128 _, [%rd0], %q2, %q1;"),
		     EXEC_REASON_uninitialised);
	/* So does what shared memory holds. */
	expect_found(KERNEL("mov.u64 %rd2, 7; mov.b128 %q1, {%rd2, %rd2};\n"
			    "atom.shared.exch.b128 %q2, [s], %q1;\n"
			    "mov.b128 {%rd3, %rd4}, %q2;\n"
			    "st.global.u64 [%rd0], %rd4;"),
		     EXEC_REASON_uninitialised);
	expect_found(KERNEL("mov.u64 %rd2, 7; mov.b128 %q1, {%rd2, %rd1};\n"
			    "atom.global.exch.b128 _, [%rd0], %q1;"),
		     EXEC_REASON_address_leak);
	/* A plain store into the high half. */
	expect_found(KERNEL("mov.u64 %rd2, 7; mov.b128 %q1, {%rd2, %rd2};\n"
			    "setp.eq.u32 %p1, %r0, 3;\n"
			    "@%p1 st.global.u64 [%rd0+8], 1;\n"
			    "atom.global.exch.b128 _, [%rd0], %q1;"),
		     EXEC_REASON_race);
	expect_found(KERNEL("mov.b32 %r1, 0f3f800000;\n"
			    "setp.eq.u32 %p1, %r0, 3;\n"
			    "@%p1 st.global.u32 [%rd0+12], 1;\n"
			    "red.global.add.v4.f32 [%rd0], {%r1, %r1, %r1, "
			    "%r1};"),
		     EXEC_REASON_race);
	expect_found(KERNEL("mov.b32 %r1, 0f3f800000;\n"
			    "red.global.add.v2.f32 [%rd0], {%r1, %r9};"),
		     EXEC_REASON_uninitialised);
}
