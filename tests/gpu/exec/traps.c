/*
 * What other executors got wrong and one instruction alone cannot show; the
 * rest of the list is in tests/vectors/ptx (README.md says which is where).
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/gpu/exec/kit.h"

static uint32_t out[256];

static struct exec_result run(const char *text, uint32_t threads)
{
	struct kit k = kit_load(text);
	struct kit_run r = KIT_RUN(out, threads);
	memset(out, 0, sizeof(out));
	struct exec_result result = kit_run(&k, &r);
	kit_free(&k);
	return result;
}

static void expect(const char *body, uint32_t first, uint32_t second)
{
	struct exec_result r = run(body, 1);
	cr_expect_eq(r.outcome, EXEC_OK, "%s", exec_reason_word(r.reason));
	cr_expect_eq(out[0], first, "%x in\n%s", out[0], body);
	cr_expect_eq(out[1], second, "%x in\n%s", out[1], body);
}

/* %p1 and %p2 to out[0] and out[1]. */
#define STORE_PREDICATES                                      \
	"selp.u32 %r8, 1, 0, %p1; selp.u32 %r9, 1, 0, %p2;\n" \
	"st.global.v2.u32 [%rd0], {%r8, %r9};\n"
#define STORE_TWO "st.global.v2.u32 [%rd0], {%r8, %r9};\n"

Test(gpu_exec_traps, the_same_predicate_goes_in_and_out)
{
	expect(KIT_KERNEL("setp.eq.u32 %p1, 0, 0; setp.eq.u32 %p2, 0, 1;\n"
			  "setp.lt.and.s32 %p1, 1, 2, %p1;\n"
			  "setp.lt.or.s32 %p2, 2, 1, %p2;\n" STORE_PREDICATES),
	       1, 0);
	/* Both results look at p1 as it was. */
	expect(KIT_KERNEL("setp.eq.u32 %p1, 0, 0;\n"
			  "setp.lt.and.s32 %p1|%p2, 2, 1, "
			  "%p1;\n" STORE_PREDICATES),
	       0, 1);
	expect(KIT_KERNEL("setp.eq.u32 %p2, 0, 0;\n"
			  "setp.lt.and.s32 %p1|%p2, 2, 1, "
			  "%p2;\n" STORE_PREDICATES),
	       0, 1);
	expect(KIT_KERNEL("setp.eq.u32 %p1, 0, 0; setp.ne.u32 %p2, 0, 0;\n"
			  "setp.lt.xor.s32 %p1|%p2, 1, 2, "
			  "!%p1;\n" STORE_PREDICATES),
	       1, 0);
}

Test(gpu_exec_traps, a_predicate_selects_negated)
{
	expect(KIT_KERNEL("setp.eq.u32 %p1, 0, 0;\n"
			  "selp.b32 %r8, 5, 6, !%p1; selp.b32 %r9, 5, 6, "
			  "%p1;\n" STORE_TWO),
	       6, 5);
}

Test(gpu_exec_traps, a_vector_straddles_an_end)
{
	/* 1,024 bytes: the last eight are there, the next eight not. */
	struct exec_result r =
		run(KIT_KERNEL("ld.global.v2.u32 {%r8,%r9}, [%rd0+1016];"), 1);
	cr_expect_eq(r.outcome, EXEC_OK);
	r = run(KIT_KERNEL("ld.global.v4.u32 {%r8,%r9,%r10,%r11}, "
			   "[%rd0+1024];"),
		1);
	cr_expect_eq(r.reason, EXEC_REASON_out_of_bounds);
	r = run(KIT_KERNEL("ld.global.v4.u32 {%r8,%r9,%r10,%r11}, "
			   "[%rd0+1016];"),
		1);
	cr_expect_eq(r.reason, EXEC_REASON_misaligned);
	r = run(KIT_HEAD ".visible .entry k(.param .u64 out) {\n"
			 ".reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
			 ".shared .align 16 .b8 s[24];\n"
			 "ld.shared.v4.u32 {%r0,%r1,%r2,%r3}, [s+16];\n"
			 "ret;\n}\n",
		1);
	cr_expect_eq(r.reason, EXEC_REASON_out_of_bounds);
}

Test(gpu_exec_traps, indexes_wrap_in_64_bits)
{
	/* base + 2^63 + 2^63 + 8, and an index of minus one. */
	expect(KIT_KERNEL("mov.u64 %rd1, 0x8000000000000000;\n"
			  "add.u64 %rd2, %rd0, %rd1; add.u64 %rd2, %rd2, "
			  "%rd1;\n"
			  "st.global.u32 [%rd2+4], 7;\n"
			  "mad.wide.s32 %rd3, -1, 4, %rd2;\n"
			  "st.global.u32 [%rd3+4], 9;"),
	       9, 7);
}

Test(gpu_exec_traps, a_struct_with_padding)
{
	static const uint8_t bytes[24] = {0,	0, 0, 0, 0,    0,   0, 0,
					  0x11, 0, 0, 0, 0,    0,   0, 0,
					  0x22, 0, 0, 0, 0x33, 0x44};
	struct kit k = kit_load(
		KIT_HEAD ".visible .entry k(.param .align 8 .b8 a[24]) {\n"
			 ".reg .b32 %r<4>; .reg .b64 %rd<2>;\n"
			 "ld.param.u64 %rd0, [a]; ld.param.u8 %r0, [a+8];\n"
			 "ld.param.u32 %r1, [a+16]; ld.param.u16 %r2, "
			 "[a+20];\n"
			 "shl.b32 %r2, %r2, 8; or.b32 %r1, %r1, %r2;\n"
			 "st.global.v2.u32 [%rd0], {%r0, %r1};\nret;\n}\n");
	struct exec_buffer buffer = {
		.data = (uint8_t *)out, .bytes = sizeof(out), .writable = true};
	struct exec_reloc reloc = {.param_offset = 0, .buffer = 0};
	struct exec_launch in = {.kernel = BYTES_LIT("k"),
				 .grid = {1, 1, 1},
				 .block = {1, 1, 1},
				 .params = bytes_of(bytes, sizeof(bytes)),
				 .relocs = &reloc,
				 .reloc_count = 1,
				 .buffers = &buffer,
				 .buffer_count = 1};
	struct exec_options o = EXEC_OPTIONS_DEFAULT;
	struct exec_result r;
	cr_assert_eq(exec_run(k.module, &in, &o, k.arena, &r), ERR_OK);
	cr_expect_eq(r.outcome, EXEC_OK, "%s", exec_reason_word(r.reason));
	cr_expect_eq(out[0], 0x11u);
	cr_expect_eq(out[1], 0x443322u | 0x22u);
	kit_free(&k);
}

Test(gpu_exec_traps, no_parameters)
{
	struct kit k = kit_load(
		KIT_HEAD ".global .u32 g;\n.visible .entry k() {\n"
			 ".reg .b32 %r<2>;\nst.global.u32 [g], 3;\nret;\n}\n");
	struct exec_launch in = {.kernel = BYTES_LIT("k"),
				 .grid = {2, 1, 1},
				 .block = {32, 1, 1}};
	struct exec_options o = EXEC_OPTIONS_DEFAULT;
	struct exec_result r;
	cr_assert_eq(k.err, ERR_OK);
	cr_assert_eq(exec_run(k.module, &in, &o, k.arena, &r), ERR_OK);
	cr_expect(r.outcome == EXEC_OK || r.reason == EXEC_REASON_read_only,
		  "%s", exec_reason_word(r.reason));
	kit_free(&k);
}

Test(gpu_exec_traps, functions_before_they_are_defined)
{
	expect(KIT_HEAD
	       ".func (.reg .u32 z) twice(.reg .u32 a);\n"
	       ".visible .entry k(.param .u64 out) {\n"
	       ".reg .b32 %r<4>; .reg .b64 %rd<2>;\n"
	       "ld.param.u64 %rd0, [out]; mov.u32 %r1, 21;\n"
	       "call (%r2), twice, (%r1);\n"
	       "call (%r3), twice, (%r2);\n"
	       "st.global.v2.u32 [%rd0], {%r2, %r3};\nret;\n}\n"
	       ".func (.reg .u32 z) twice(.reg .u32 a) { add.u32 z, a, a; ret; "
	       "}\n",
	       42, 84);
}

Test(gpu_exec_traps, unreachable_code_reads_what_nobody_wrote)
{
	struct kit k = kit_load(KIT_KERNEL(
		"st.global.u32 [%rd0], 5; bra E;\n"
		"add.u32 %r1, %r2, %r3; st.global.u32 [%rd0], %r1;\nE:"));
	struct kit_run r = KIT_RUN(out, 64);
	r.options.sanitize = true;
	struct exec_result result = kit_run(&k, &r);
	cr_expect_eq(result.outcome, EXEC_OK);
	cr_expect_eq(result.finding_count, 0u);
	cr_expect_eq(out[0], 5u);
	kit_free(&k);
}

Test(gpu_exec_traps, registers_in_scopes_with_and_without_percent)
{
	expect(KIT_HEAD ".visible .entry k(.param .u64 out) {\n"
			".reg .b64 d0; .reg .b32 r1, %r1, $r1, _r1;\n"
			"ld.param.u64 d0, [out];\n"
			"mov.u32 r1, 1; mov.u32 %r1, 2;\n"
			"{ .reg .b32 r1; mov.u32 r1, 64; { .reg .b32 %r<4>;\n"
			"mov.u32 %r1, 128; } st.global.u32 [d0], r1; }\n"
			"add.u32 $r1, r1, %r1; mov.u32 _r1, $r1;\n"
			"st.global.u32 [d0+4], _r1;\nret;\n}\n",
	       64, 3);
}

Test(gpu_exec_traps, a_cta_that_is_no_multiple_of_32)
{
	struct exec_result r = run(
		KIT_KERNEL("vote.sync.ballot.b32 %r1, 1, 0xffffffff;\n"
			   "mov.u32 %r2, %tid.x; mul.wide.u32 %rd1, %r2, 4;\n"
			   "add.u64 %rd1, %rd0, %rd1;\n"
			   "st.global.u32 [%rd1], %r1;"),
		40);
	cr_expect_eq(r.outcome, EXEC_OK);
	for (uint32_t i = 0; i < 40; i++)
		cr_expect_eq(out[i], i < 32 ? UINT32_MAX : 0xffu);
	cr_expect_eq(out[40], 0u);
}

Test(gpu_exec_traps, old_texts_write_modifiers_in_another_order)
{
	expect(KIT_KERNEL("mov.u32 %r1, 0x7fffffff;\n"
			  "add.s32.sat %r8, %r1, 1; ld.u32.global.volatile "
			  "%r9, [%rd0];\n" STORE_TWO),
	       0x7fffffff, 0);
}

/* The launch aligns shared variables to sixteen bytes, whatever they say. */
Test(gpu_exec_traps, shared_arrays_that_say_too_little)
{
	expect(KIT_HEAD ".visible .entry k(.param .u64 out) {\n"
			".reg .b32 %r<10>; .reg .b64 %rd<2>;\n"
			".shared .align 1 .b8 a[3]; .shared .align 4 .b8 "
			"s[32];\n"
			"ld.param.u64 %rd0, [out]; st.shared.u8 [a], 1;\n"
			"st.shared.v4.u32 [s], {1, 2, 3, 4};\n"
			"ld.shared.v2.u32 {%r8, %r9}, [s+8];\n"
			"st.global.v2.u32 [%rd0], {%r8, %r9};\nret;\n}\n",
	       3, 4);
}

static float as_float(uint32_t v)
{
	float f;
	memcpy(&f, &v, sizeof(f));
	return f;
}

static uint32_t bits_of(float f)
{
	uint32_t v;
	memcpy(&v, &f, sizeof(v));
	return v;
}

/* Pairs of floats keep 1e-14: nothing is fused or reordered, though the text
 * does not say how to round. */
Test(gpu_exec_traps, pairs_of_floats_keep_their_digits)
{
	static const char text[] =
		KIT_KERNEL("ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%rd0];\n"
			   /* (f0 + f1) (f2 + f3) */
			   "mul.f32 %f4, %f0, %f2; neg.f32 %f5, %f4;\n"
			   "fma.rn.f32 %f5, %f0, %f2, %f5;\n"
			   "mul.f32 %f6, %f0, %f3; mul.f32 %f7, %f1, %f2;\n"
			   "add.f32 %f6, %f6, %f7; add.f32 %f5, %f5, %f6;\n"
			   /* + (f0 + f1) */
			   "add.f32 %f8, %f4, %f0; sub.f32 %f9, %f8, %f4;\n"
			   "sub.f32 %f10, %f8, %f9; sub.f32 %f10, %f4, %f10;\n"
			   "sub.f32 %f9, %f0, %f9; add.f32 %f9, %f10, %f9;\n"
			   "add.f32 %f9, %f9, %f5; add.f32 %f9, %f9, %f1;\n"
			   "st.global.v2.f32 [%rd0], {%f8, %f9};");
	const double a = 1.0 / 3, b = 1.4142135623730951;
	struct kit k = kit_load(text);
	struct kit_run r = KIT_RUN(out, 1);
	out[0] = bits_of((float)a);
	out[1] = bits_of((float)(a - (double)(float)a));
	out[2] = bits_of((float)b);
	out[3] = bits_of((float)(b - (double)(float)b));
	cr_assert_eq(kit_run(&k, &r).outcome, EXEC_OK);
	double got = (double)as_float(out[0]) + (double)as_float(out[1]);
	double want = a * b + a;
	cr_expect(got / want - 1 < 1e-14 && got / want - 1 > -1e-14, "%.17g",
		  got / want - 1);
	kit_free(&k);
}

/* 70 threads, of which some leave a loop with two barriers early, one of them
 * in a branch that all or none take. */
Test(gpu_exec_traps, barriers_in_loops_and_branches)
{
	struct exec_result r =
		run(KIT_HEAD ".visible .entry k(.param .u64 out) {\n"
			     ".reg .pred %p<4>; .reg .b32 %r<16>;\n"
			     ".reg .b64 %rd<4>; .shared .align 4 .u32 s[96];\n"
			     "ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x;\n"
			     "mul.wide.u32 %rd1, %r0, 4;\n"
			     "add.s64 %rd1, %rd0, %rd1; shl.b32 %r1, %r0, 2;\n"
			     "mov.u32 %r2, s; add.u32 %r1, %r1, %r2;\n"
			     "mov.u32 %r3, 0; mov.u32 %r4, 0;\n"
			     "st.shared.u32 [%r1], 0;\n"
			     "L: bar.sync 0;\n"
			     /* what thread 0 wrote in the round before */
			     "ld.shared.u32 %r5, [s]; add.u32 %r4, %r4, %r5;\n"
			     "st.global.u32 [%rd1], %r4;\n"
			     "and.b32 %r6, %r3, 1; setp.eq.u32 %p1, %r6, 1;\n"
			     "@%p1 bra.uni O;\n"
			     "bar.sync 0; add.u32 %r7, %r3, 1;\n"
			     "st.shared.u32 [%r1], %r7;\n"
			     "O: setp.ge.u32 %p2, %r0, 64;\n"
			     "setp.eq.and.u32 %p2, %r3, 2, %p2;\n"
			     "@%p2 exit;\n"
			     "add.u32 %r3, %r3, 1; setp.lt.u32 %p3, %r3, 5;\n"
			     "@%p3 bra L;\nret;\n}\n",
		    70);
	cr_expect_eq(r.outcome, EXEC_OK, "%s", exec_reason_word(r.reason));
	/* Seen in rounds 0 to 4: 0 1 1 3 3; rounds 0 to 2 by those that go. */
	for (uint32_t i = 0; i < 70; i++)
		cr_expect_eq(out[i], i < 64 ? 8u : 2u, "%u: %u", i, out[i]);
}

/* A broadcast among those that took one way, in each of them. */
Test(gpu_exec_traps, a_shuffle_inside_a_branch)
{
	struct exec_result r = run(
		KIT_KERNEL("mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4;\n"
			   "add.s64 %rd1, %rd0, %rd1; and.b32 %r1, %r0, 1;\n"
			   "setp.eq.u32 %p1, %r1, 1; mov.u32 %r3, %r0;\n"
			   "@%p1 bra O;\n"
			   "shfl.sync.idx.b32 %r2, %r3, 4, 31, 0x55555555;\n"
			   "bra E;\n"
			   "O: add.u32 %r3, %r3, 100;\n"
			   "shfl.sync.idx.b32 %r2, %r3, 9, 31, 0xaaaaaaaa;\n"
			   "E: st.global.u32 [%rd1], %r2;"),
		64);
	cr_expect_eq(r.outcome, EXEC_OK);
	for (uint32_t i = 0; i < 64; i++)
		cr_expect_eq(out[i], i / 32 * 32 + (i % 2 ? 109 : 4));
}

/* The carry goes through the high half of a product, and on. */
Test(gpu_exec_traps, a_product_of_128_bits)
{
	struct exec_result r = run(
		KIT_KERNEL("mov.u32 %r0, 0xfedcba98; mov.u32 %r1, 0x76543210;\n"
			   "mov.u32 %r2, 0x89abcdef; mov.u32 %r3, 0xffffffff;\n"
			   /* (r1 r0) (r3 r2) */
			   "mul.lo.u32 %r4, %r0, %r2;\n"
			   "mul.hi.u32 %r5, %r0, %r2;\n"
			   "mad.lo.cc.u32 %r5, %r1, %r2, %r5;\n"
			   "madc.hi.u32 %r6, %r1, %r2, 0;\n"
			   "mad.lo.cc.u32 %r5, %r0, %r3, %r5;\n"
			   "madc.hi.cc.u32 %r6, %r0, %r3, %r6;\n"
			   "addc.u32 %r7, 0, 0;\n"
			   "mad.lo.cc.u32 %r6, %r1, %r3, %r6;\n"
			   "madc.hi.u32 %r7, %r1, %r3, %r7;\n"
			   "st.global.v4.u32 [%rd0], {%r4, %r5, %r6, %r7};"),
		1);
	__extension__ typedef unsigned __int128 wide_int;
	wide_int p = (wide_int)0x76543210fedcba98u * 0xffffffff89abcdefu;
	cr_expect_eq(r.outcome, EXEC_OK);
	for (uint32_t i = 0; i < 4; i++)
		cr_expect_eq(out[i], (uint32_t)(p >> 32 * i));
}
