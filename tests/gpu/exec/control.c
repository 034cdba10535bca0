/*
 * Divergence, calls, barriers, warp operations, and what ends a CTA.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/gpu/exec/kit.h"

static uint32_t out[1024];

/* %r0 = tid, %rd1 = &out[tid]. */
#define EACH                                                \
	"mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4;\n" \
	"add.s64 %rd1, %rd0, %rd1;\n"

static struct exec_result run(const char *text, uint32_t threads)
{
	enum exec_lanes sets[3];
	struct exec_result first = {0};
	static uint32_t before[1024];
	struct kit k = kit_load(text);
	for (uint32_t s = 0; s < kit_lanes(sets); s++) {
		struct kit_run r = KIT_RUN(out, threads);
		r.options.lanes = sets[s];
		memset(out, 0, sizeof(out));
		struct exec_result res = kit_run(&k, &r);
		if (s == 0) {
			first = res;
			memcpy(before, out, sizeof(out));
		}
		cr_expect_eq(res.outcome, first.outcome);
		cr_expect_eq(res.line, first.line);
		cr_expect_eq(res.thread, first.thread);
		cr_expect_arr_eq(out, before, sizeof(out));
		if (res.outcome == EXEC_OK)
			cr_expect_eq(res.count, first.count);
	}
	kit_free(&k);
	return first;
}

static void expect_ok(struct exec_result r)
{
	cr_assert_eq(r.outcome, EXEC_OK, "%s at line %u, thread %u",
		     exec_reason_word(r.reason), r.line, r.thread);
}

Test(gpu_exec_control, threads_that_loop_differently)
{
	struct exec_result r = run(
		KIT_KERNEL(EACH "mov.u32 %r1, 0; mov.u32 %r2, 0;\n"
				"L: setp.ge.u32 %p1, %r1, %r0;\n"
				"@%p1 bra D;\n"
				"add.u32 %r2, %r2, %r1; add.u32 %r1, %r1, 1;\n"
				"bra L;\n"
				"D: st.global.u32 [%rd1], %r2;"),
		300);
	expect_ok(r);
	uint64_t count = 0;
	for (uint32_t i = 0; i < 300; i++) {
		cr_expect_eq(out[i], i * (i - 1) / 2 * (i > 0));
		/* head 6, each round 5, the last 2, st and ret */
		count += 6 + 5 * (uint64_t)i + 2 + 2;
	}
	cr_expect_eq(r.count, count);
}

Test(gpu_exec_control, predicated_off_instructions_count)
{
	struct exec_result r = run(
		KIT_KERNEL("setp.ne.u32 %p0, 0, 0;\n@%p0 add.u32 %r1, %r1, 1;\n"
			   "@%p0 bra E;\nE:"),
		33);
	expect_ok(r);
	cr_expect_eq(r.count, 33 * 5);
}

Test(gpu_exec_control, both_sides_of_a_branch_meet)
{
	expect_ok(
		run(KIT_KERNEL(EACH
			       "and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 0;\n"
			       "@%p1 bra A;\n"
			       "mov.u32 %r2, 7; bra M;\n"
			       "A: mov.u32 %r2, 9;\n"
			       "M: vote.sync.ballot.b32 %r3, %p1, -1;\n"
			       "add.u32 %r2, %r2, %r3;\n"
			       "st.global.u32 [%rd1], %r2;"),
		    64));
	for (uint32_t i = 0; i < 64; i++)
		cr_expect_eq(out[i], 0x55555555u + (i % 2 ? 7 : 9));
}

Test(gpu_exec_control, carries)
{
	expect_ok(
		run(KIT_KERNEL("mov.u32 %r1, 0xffffffff; mov.u32 %r2, 1;\n"
			       "add.cc.u32 %r3, %r1, %r2; addc.u32 %r4, 0, 0;\n"
			       "sub.cc.u32 %r5, 0, %r2; subc.u32 %r6, 5, 0;\n"
			       "mad.lo.cc.u32 %r7, %r1, %r1, %r1;\n"
			       "madc.hi.u32 %r8, %r1, %r1, 0;\n"
			       "st.global.v4.u32 [%rd0], {%r3,%r4,%r5,%r6};\n"
			       "st.global.v2.u32 [%rd0+16], {%r7,%r8};"),
		    1));
	/* (2^32-1)^2 + (2^32-1) = 0xffffffff_00000000 */
	uint32_t want[6] = {0, 1, 0xffffffff, 4, 0, 0xffffffff};
	cr_expect_arr_eq(out, want, sizeof(want));
}

Test(gpu_exec_control, brx_and_scopes_and_warp_size)
{
	expect_ok(run(KIT_KERNEL(EACH "T: .branchtargets A, B, C;\n"
				      "rem.u32 %r1, %r0, 3;\n"
				      "brx.idx %r1, T;\n"
				      "A: mov.u32 %r2, 10; bra E;\n"
				      "B: { .reg .u32 %r2; mov.u32 %r2, 99; }\n"
				      "mov.u32 %r2, 11; bra E;\n"
				      "C: mov.u32 %r2, WARP_SZ;\n"
				      "E: st.global.u32 [%rd1], %r2;"),
		      48));
	for (uint32_t i = 0; i < 48; i++)
		cr_expect_eq(out[i], i % 3 == 0 ? 10u : i % 3 == 1 ? 11u : 32u);
}

Test(gpu_exec_control, a_function_called_by_some)
{
	expect_ok(run(KIT_HEAD
		      ".func (.param .b32 r) sq(.param .b32 a, .param .b32 b)\n"
		      "{ .reg .u32 %x, %y; ld.param.u32 %x, [a];\n"
		      "ld.param.u32 %y, [b]; mad.lo.u32 %x, %x, %x, %y;\n"
		      "st.param.u32 [r], %x; ret; }\n"
		      ".visible .entry k(.param .u64 out) {\n"
		      ".reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<5>;\n"
		      "ld.param.u64 %rd0, [out];\n" EACH "mov.u32 %r5, 1;\n"
		      "setp.lt.u32 %p1, %r0, 20;\n"
		      "@!%p1 bra N;\n"
		      "{ .param .b32 x; .param .b32 y; .param .b32 z;\n"
		      "st.param.u32 [x], %r0; st.param.u32 [y], 3;\n"
		      "call.uni (z), sq, (x, y); ld.param.u32 %r5, [z]; }\n"
		      "N: st.global.u32 [%rd1], %r5; ret; }\n",
		      40));
	for (uint32_t i = 0; i < 40; i++)
		cr_expect_eq(out[i], i < 20 ? i * i + 3 : 1);
}

#define SHARED                                                              \
	KIT_HEAD ".visible .entry k(.param .u64 out) {\n"                   \
		 ".shared .align 4 .b8 s[1024];\n"                          \
		 ".shared .align 4 .b8 t[64];\n"                            \
		 ".local .align 4 .b8 loc[16];\n"                           \
		 ".reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<16>;\n" \
		 "ld.param.u64 %rd0, [out];\n" EACH

Test(gpu_exec_control, shared_memory_reversed_through_a_barrier)
{
	expect_ok(run(SHARED "mov.u32 %r1, s; shl.b32 %r2, %r0, 2;\n"
			     "add.u32 %r3, %r1, %r2;\n"
			     "st.shared.u32 [%r3], %r0;\n"
			     "bar.sync 0;\n"
			     "mov.u32 %r4, 255; sub.u32 %r4, %r4, %r0;\n"
			     "shl.b32 %r4, %r4, 2; add.u32 %r4, %r4, %r1;\n"
			     "ld.shared.u32 %r5, [%r4];\n"
			     "st.global.u32 [%rd1], %r5; ret; }\n",
		      256));
	for (uint32_t i = 0; i < 256; i++)
		cr_expect_eq(out[i], 255 - i);
}

Test(gpu_exec_control, generic_addresses_and_wrapping_shared_ones)
{
	expect_ok(run(SHARED
		      "mov.u64 %rd2, s; cvta.shared.u64 %rd3, %rd2;\n"
		      "mul.wide.u32 %rd4, %r0, 4; add.s64 %rd5, %rd3, %rd4;\n"
		      "st.u32 [%rd5], %r0; bar.sync 0; ld.u32 %r1, [%rd5];\n"
		      /* local, through a generic address */
		      "mov.u64 %rd6, loc; cvta.local.u64 %rd7, %rd6;\n"
		      "add.u32 %r2, %r0, 100; st.local.u32 [loc+4], %r2;\n"
		      "ld.u32 %r3, [%rd7+4]; add.u32 %r1, %r1, %r3;\n"
		      /* a negative register plus the offset of the variable */
		      "mov.u32 %r4, s; neg.s32 %r5, %r4; mov.u32 %r6, s;\n"
		      "add.u32 %r7, %r6, 8; ld.shared.u32 %r8, [%r7+-8];\n"
		      "add.u32 %r1, %r1, %r8; isspacep.shared %p1, %rd5;\n"
		      "isspacep.global %p2, %rd5; selp.u32 %r9, 1000, 0, %p1;\n"
		      "selp.u32 %r10, 5000, 0, %p2; add.u32 %r1, %r1, %r9;\n"
		      "add.u32 %r1, %r1, %r10;\n"
		      "st.global.u32 [%rd1], %r1; ret; }\n",
		      64));
	for (uint32_t i = 0; i < 64; i++)
		cr_expect_eq(out[i], i + i + 100 + 1000);
}

Test(gpu_exec_control, warps_that_leave_a_barrier_loop_early)
{
	/* Warp w goes w + 1 rounds; exited threads count as arrived. */
	expect_ok(run(KIT_KERNEL(EACH "shr.u32 %r1, %r0, 5; mov.u32 %r2, 0;\n"
				      "L: bar.sync 0; add.u32 %r2, %r2, 1;\n"
				      "setp.gt.u32 %p1, %r2, %r1;\n"
				      "@%p1 st.global.u32 [%rd1], %r2;\n"
				      "@%p1 exit;\n"
				      "bra L;"),
		      160));
	for (uint32_t i = 0; i < 160; i++)
		cr_expect_eq(out[i], i / 32 + 1);
}

Test(gpu_exec_control, producer_and_consumer_with_counts)
{
	/* Warp 0 waits for 64 threads, warp 1 only arrives; warp 2 is away. */
	struct exec_result r =
		run(KIT_KERNEL(EACH "shr.u32 %r1, %r0, 5;\n"
				    "setp.eq.u32 %p1, %r1, 0;\n"
				    "setp.eq.u32 %p2, %r1, 1;\n"
				    "@%p2 st.global.u32 [%rd1], 5;\n"
				    "@%p2 bar.arrive 3, 64;\n"
				    "@!%p1 bra E;\n"
				    "bar.sync 3, 64;\n"
				    "ld.global.u32 %r2, [%rd1+128];\n"
				    "st.global.u32 [%rd1], %r2;\n"
				    "E:"),
		    96);
	expect_ok(r);
	for (uint32_t i = 0; i < 64; i++)
		cr_expect_eq(out[i], 5);
	cr_expect_eq(out[64], 0);
}

Test(gpu_exec_control, reductions_at_a_barrier)
{
	expect_ok(run(KIT_KERNEL(EACH "setp.lt.u32 %p1, %r0, 37;\n"
				      "bar.red.popc.u32 %r1, 0, %p1;\n"
				      "bar.red.and.pred %p2, 0, %p1;\n"
				      "bar.red.or.pred %p3, 0, %p1;\n"
				      "selp.u32 %r2, 1000, 0, %p2;\n"
				      "selp.u32 %r3, 2000, 0, %p3;\n"
				      "add.u32 %r1, %r1, %r2;\n"
				      "add.u32 %r1, %r1, %r3;\n"
				      "st.global.u32 [%rd1], %r1;"),
		      100));
	for (uint32_t i = 0; i < 100; i++)
		cr_expect_eq(out[i], 2037);
}

Test(gpu_exec_control, shuffles)
{
	expect_ok(run(KIT_KERNEL(EACH
				 "shfl.sync.down.b32 %r1, %r0, 1, 31, -1;\n"
				 "shfl.sync.up.b32 %r2, %r0, 2, 0, -1;\n"
				 "shfl.sync.bfly.b32 %r3, %r0, 4, 31, -1;\n"
				 /* segments of 8: width 8 */
				 "shfl.sync.idx.b32 %r4|%p1, %r0, 3, 0x1807, "
				 "-1;\n"
				 "mul.lo.u32 %r5, %r2, 1000;\n"
				 "mad.lo.u32 %r5, %r3, 1000000, %r5;\n"
				 "add.u32 %r5, %r5, %r1; st.global.u32 [%rd1],"
				 " %r5;\n"
				 "st.global.u32 [%rd1+1024], %r4;"),
		      64));
	for (uint32_t i = 0; i < 64; i++) {
		uint32_t lane = i % 32, w = i - lane;
		uint32_t down = lane == 31 ? i : i + 1;
		uint32_t up = lane < 2 ? i : i - 2;
		cr_expect_eq(out[i],
			     down + up * 1000 + (w + (lane ^ 4)) * 1000000);
		cr_expect_eq(out[256 + i], w + (lane & ~7u) + 3);
	}
}

Test(gpu_exec_control, warp_values)
{
	expect_ok(run(KIT_KERNEL(EACH "and.b32 %r1, %r0, 3;\n"
				      "match.any.sync.b32 %r2, %r1, -1;\n"
				      "redux.sync.add.u32 %r3, %r0, -1;\n"
				      "redux.sync.max.s32 %r4, %r0, -1;\n"
				      "activemask.b32 %r5;\n"
				      "setp.eq.u32 %p1, %r1, 9;\n"
				      "vote.sync.any.pred %p2, %p1, -1;\n"
				      "vote.sync.all.pred %p3, !%p1, -1;\n"
				      "selp.u32 %r6, 1, 0, %p2;\n"
				      "selp.u32 %r7, 2, 0, %p3;\n"
				      "add.u32 %r6, %r6, %r7;\n"
				      "st.global.u32 [%rd1], %r2;\n"
				      "st.global.u32 [%rd1+512], %r3;\n"
				      "st.global.u32 [%rd1+1024], %r4;\n"
				      "st.global.u32 [%rd1+1536], %r5;\n"
				      "st.global.u32 [%rd1+2048], %r6;"),
		      48));
	for (uint32_t i = 0; i < 48; i++) {
		/* The second warp has 16 threads. */
		uint32_t live = i < 32 ? 0xffffffff : 0xffff;
		cr_expect_eq(out[i], (0x11111111u << (i % 4)) & live);
		cr_expect_eq(out[128 + i], i < 32 ? 496 : 16 * 32 + 120);
		cr_expect_eq(out[256 + i], i < 32 ? 31 : 47);
		cr_expect_eq(out[384 + i], live);
		cr_expect_eq(out[512 + i], 2);
	}
}

Test(gpu_exec_control, lanes_wait_for_those_their_mask_names)
{
	/* Lane 0 comes to the shuffle by a longer way. */
	expect_ok(run(KIT_KERNEL(EACH "mov.u32 %r1, 5;\n"
				      "setp.ne.u32 %p1, %r0, 0;\n"
				      "@%p1 bra B;\n"
				      "mov.u32 %r1, 6; bra C;\n"
				      "B: mov.u32 %r1, 7;\n"
				      "C: shfl.sync.idx.b32 %r2, %r1, 0, 31, "
				      "-1;\n"
				      "st.global.u32 [%rd1], %r2;"),
		      32));
	for (uint32_t i = 0; i < 32; i++)
		cr_expect_eq(out[i], 6);
}

Test(gpu_exec_control, masks_that_never_meet_are_void)
{
	struct exec_result r = run(
		KIT_KERNEL(EACH "setp.eq.u32 %p1, %r0, 0;\n"
				"@%p1 bra A;\n"
				"shfl.sync.idx.b32 %r2, %r0, 0, 31, -1;\n"
				"bra E;\n"
				"A: shfl.sync.idx.b32 %r2, %r0, 1, 31, -1;\n"
				"E: st.global.u32 [%rd1], %r2;"),
		32);
	cr_expect_eq(r.outcome, EXEC_VOID);
	cr_expect_eq(r.reason, EXEC_REASON_bad_sync);
}

/* Halves, alone and in pairs: ties to even, one place more, and past the
 * largest; and an exchange of 16 bits. */
Test(gpu_exec_control, atomics_of_halves)
{
	static const uint32_t want[8] = {0x4000, 0x3c00,     0x7c003c01,
					 0x3f80, 0x3f823f81, 0x3c00,
					 0x1234, 0x8001};
	static uint32_t halves[8];
	struct kit k = kit_load(KIT_KERNEL(
		"st.global.u32 [%rd0], 0x3c00; st.global.u32 [%rd0+4], 0x3c00;\n"
		"st.global.u32 [%rd0+8], 0x7bff3c00;\n"
		"st.global.u32 [%rd0+12], 0x3f80;\n"
		"st.global.u32 [%rd0+16], 0x3f813f80;\n"
		"st.global.u32 [%rd0+24], 0x8001;\n"
		"mov.b16 %h1, 0x3c00; mov.b16 %h2, 0x1000;\n"
		"atom.global.add.noftz.f16 %h3, [%rd0], %h1;\n"
		"red.global.add.noftz.f16 [%rd0+4], %h2;\n"
		"mov.b32 %r1, 0x4f801001;\n"
		"red.global.add.noftz.f16x2 [%rd0+8], %r1;\n"
		"mov.b16 %h4, 0x3b80;\n"
		"red.global.add.noftz.bf16 [%rd0+12], %h4;\n"
		"mov.b32 %r2, 0x3b803b81;\n"
		"atom.global.add.noftz.bf16x2 %r3, [%rd0+16], %r2;\n"
		"st.global.u16 [%rd0+20], %h3;\n"
		"mov.b16 %h5, 0x8001; mov.b16 %h6, 0x1234;\n"
		"atom.global.cas.b16 %h7, [%rd0+24], %h5, %h6;\n"
		"st.global.u16 [%rd0+28], %h7;"));
	cr_assert_eq(k.err, ERR_OK, "%s", k.why.text);
	struct kit_run r = KIT_RUN(halves, 1);
	struct exec_result res = kit_run(&k, &r);
	cr_assert_eq(res.outcome, EXEC_OK, "%s", exec_reason_word(res.reason));
	for (uint32_t i = 0; i < 8; i++)
		cr_expect_eq(halves[i], want[i], "%u: %x", i, halves[i]);
	kit_free(&k);
}

Test(gpu_exec_control, atomics)
{
	expect_ok(run(KIT_KERNEL(EACH
				 "atom.global.add.u32 %r1, [%rd0], 2;\n"
				 "red.global.max.s32 [%rd0+4], %r0;\n"
				 "atom.global.cas.b32 %r2, [%rd0+8], 0, 7;\n"
				 "red.global.or.b32 [%rd0+12], 16;\n"
				 "atom.global.inc.u32 %r3, [%rd0+16], 9;\n"
				 "atom.global.exch.b32 %r4, [%rd0+20], %r0;\n"
				 "red.global.add.u64 [%rd0+24], 1;"),
		      50));
	uint32_t want[8] = {100, 49, 7, 16, 0, 49, 50, 0};
	cr_expect_arr_eq(out, want, sizeof(want));
}

static void expect_end(struct exec_result r, enum exec_outcome outcome,
		       enum exec_reason reason, uint32_t line, uint32_t thread)
{
	cr_expect_eq(r.outcome, outcome, "outcome %d", r.outcome);
	cr_expect_eq(r.reason, reason, "%s", exec_reason_word(r.reason));
	cr_expect_eq(r.line, line, "line %u", r.line);
	cr_expect_eq(r.thread, thread, "thread %u", r.thread);
}

Test(gpu_exec_control, faults_name_line_and_thread)
{
	/* Line 7 is the body's first; EACH takes two. */
	struct exec_result r =
		run(KIT_KERNEL(EACH "mul.wide.u32 %rd2, %r0, 64;\n"
				    "add.s64 %rd2, %rd2, %rd0;\n"
				    "st.global.u32 [%rd2], %r0;"),
		    80);
	expect_end(r, EXEC_FAULT, EXEC_REASON_out_of_bounds, 12, 64);
	cr_expect_eq(r.address, EXEC_BUFFER_BASE(0) + 4096);
	r = run(KIT_KERNEL(EACH "st.global.u32 [%rd1+2], %r0;"), 5);
	expect_end(r, EXEC_FAULT, EXEC_REASON_misaligned, 10, 0);
	/* A vector that starts inside and ends outside. */
	r = run(KIT_KERNEL("st.global.v4.u32 [%rd0+4088], {1,2,3,4};"), 1);
	expect_end(r, EXEC_FAULT, EXEC_REASON_misaligned, 8, 0);
	r = run(KIT_KERNEL("st.global.v2.u32 [%rd0+4096], {1,2};"), 1);
	expect_end(r, EXEC_FAULT, EXEC_REASON_out_of_bounds, 8, 0);
	r = run(KIT_KERNEL(EACH "setp.eq.u32 %p1, %r0, 9;\n@%p1 trap;"), 40);
	expect_end(r, EXEC_FAULT, EXEC_REASON_trap, 11, 9);
	r = run(KIT_KERNEL("mov.u64 %rd2, 64; ld.global.u32 %r1, [%rd2];"), 1);
	expect_end(r, EXEC_FAULT, EXEC_REASON_out_of_bounds, 8, 0);
}

Test(gpu_exec_control, a_false_predicate_keeps_a_lane_inside)
{
	expect_ok(run(
		KIT_KERNEL("mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 64;\n"
			   "add.s64 %rd1, %rd1, %rd0;\n"
			   "setp.lt.u32 %p1, %r0, 64;\n"
			   "@%p1 st.global.u32 [%rd1], %r0;"),
		80));
	cr_expect_eq(out[63 * 16], 63);
}

Test(gpu_exec_control, overruns_of_shared_variables_fault)
{
	struct exec_result r =
		run(SHARED "mov.u32 %r1, s; st.shared.u32 [%r1+1024], %r0;\n"
			   "ret; }\n",
		    1);
	cr_expect_eq(r.outcome, EXEC_FAULT);
	cr_expect_eq(r.reason, EXEC_REASON_out_of_bounds);
	r = run(SHARED "st.local.u32 [loc+16], %r0;\nret; }\n", 1);
	cr_expect_eq(r.reason, EXEC_REASON_out_of_bounds);
}

Test(gpu_exec_control, barriers_that_never_open)
{
	/* Warp 0 waits at barrier 1, warp 1 at barrier 2. */
	struct exec_result r = run(KIT_KERNEL(EACH "setp.lt.u32 %p1, %r0, 32;\n"
						   "@%p1 bra A;\n"
						   "bar.sync 2; bra E;\n"
						   "A: bar.sync 1;\nE:"),
				   64);
	cr_expect_eq(r.outcome, EXEC_FAULT);
	cr_expect_eq(r.reason, EXEC_REASON_deadlock);
	/* Half a warp at an aligned barrier, the rest at another one. */
	r = run(KIT_KERNEL(EACH "setp.lt.u32 %p1, %r0, 16;\n"
				"@%p1 bra A;\n"
				"bar.sync 1; bra E;\n"
				"A: bar.sync 1;\nE:"),
		32);
	cr_expect_eq(r.outcome, EXEC_VOID);
	cr_expect_eq(r.reason, EXEC_REASON_bad_sync);
}

Test(gpu_exec_control, endless_loops_pass_the_limit)
{
	struct kit k = kit_load(KIT_KERNEL("L: add.u32 %r1, %r1, 1;\nbra L;"));
	struct kit_run r = KIT_RUN(out, 32);
	r.options.cta_count_max = 100000;
	struct exec_result res = kit_run(&k, &r);
	cr_expect_eq(res.outcome, EXEC_OVER);
	cr_expect_eq(res.reason, EXEC_REASON_count_limit);
	r.options.cta_count_max = 0;
	r.options.cta_cost_max = 100000;
	res = kit_run(&k, &r);
	cr_expect_eq(res.reason, EXEC_REASON_cost_limit);
	kit_free(&k);
}

Test(gpu_exec_control, launches_that_do_not_fit)
{
	struct kit k = kit_load(KIT_KERNEL(""));
	struct kit_run r = KIT_RUN(out, 1025);
	cr_expect_eq(kit_run(&k, &r).reason, EXEC_REASON_bad_launch);
	r.block[0] = 32;
	r.grid[1] = 0;
	cr_expect_eq(kit_run(&k, &r).reason, EXEC_REASON_bad_launch);
	r.grid[1] = 1;
	r.shared_bytes = 228u << 10;
	cr_expect_eq(kit_run(&k, &r).reason, EXEC_REASON_bad_launch);
	kit_free(&k);
}
