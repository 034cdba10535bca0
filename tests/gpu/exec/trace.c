/*
 * Openings, writes and reads of one CTA, the finder, the witness, and the
 * sanitizer's rules; and that bytes depend on no option.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/gpu/exec/kit.h"

static uint32_t out[2048];

#define EACH                                                                  \
	"mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;\n" \
	"mad.lo.u32 %r3, %r1, %r2, %r0; mul.wide.u32 %rd1, %r3, 4;\n"         \
	"add.s64 %rd1, %rd0, %rd1;\n"

#define SHARED(body)                                                        \
	KIT_HEAD ".visible .entry k(.param .u64 out) {\n"                   \
		 ".shared .align 4 .b8 s[1024];\n"                          \
		 ".reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<16>;\n" \
		 ".reg .f32 %f<8>;\n"                                       \
		 "ld.param.u64 %rd0, [out];\n" EACH                         \
		 "mov.u32 %r9, s; shl.b32 %r10, %r0, 2;\n"                  \
		 "add.u32 %r9, %r9, %r10;\n" body "\nret; }\n"

static void expect_void(const char *text, uint32_t ctas, uint32_t threads,
			enum exec_reason reason)
{
	struct exec_result r = kit_sanitize(text, KIT_RUN(out, threads), ctas);
	cr_expect_eq(r.outcome, EXEC_VOID, "outcome %d for %s", r.outcome,
		     exec_reason_word(reason));
	cr_expect_eq(r.reason, reason, "%s", exec_reason_word(r.reason));
	cr_expect_gt(r.finding_total, 0u);
}

static void expect_clean(const char *text, uint32_t ctas, uint32_t threads)
{
	struct exec_result r = kit_sanitize(text, KIT_RUN(out, threads), ctas);
	cr_expect_eq(r.outcome, EXEC_OK, "%s line %u thread %u",
		     exec_reason_word(r.reason), r.line, r.thread);
	cr_expect_eq(r.finding_total, 0u);
}

Test(gpu_exec_sanitize, values_that_were_never_written)
{
	expect_void(KIT_KERNEL(EACH "st.global.u32 [%rd1], %r9;"), 1, 32,
		    EXEC_REASON_uninitialised);
	expect_void(KIT_KERNEL("setp.eq.u32 %p1, %r9, 0;\n@%p1 trap;"), 1, 1,
		    EXEC_REASON_uninitialised);
	expect_void(SHARED("ld.shared.u32 %r11, [%r9];\n"
			   "st.global.u32 [%rd1], %r11;"),
		    1, 32, EXEC_REASON_uninitialised);
	/* Written by half of the lanes only. */
	expect_void(KIT_KERNEL(EACH "setp.lt.u32 %p1, %r0, 16;\n"
				    "@%p1 mov.u32 %r9, 1;\n"
				    "st.global.u32 [%rd1], %r9;"),
		    1, 32, EXEC_REASON_uninitialised);
	/* Computed from, but nothing depends on it. */
	expect_clean(KIT_KERNEL(EACH "add.u32 %r9, %r9, 1;\n"
				     "setp.eq.u32 %p1, %r0, %r0;\n"
				     "selp.u32 %r8, %r0, %r9, %p1;\n"
				     "st.global.u32 [%rd1], %r8;"),
		     2, 48);
}

Test(gpu_exec_sanitize, races)
{
	/* The neighbour's value without a barrier, and with one. */
	expect_void(SHARED("st.shared.u32 [%r9], %r3;\n"
			   "xor.b32 %r11, %r10, 4; mov.u32 %r12, s;\n"
			   "add.u32 %r11, %r11, %r12;\n"
			   "ld.shared.u32 %r13, [%r11];\n"
			   "st.global.u32 [%rd1], %r13;"),
		    1, 64, EXEC_REASON_race);
	expect_clean(SHARED("st.shared.u32 [%r9], %r3; bar.sync 0;\n"
			    "xor.b32 %r11, %r10, 4; mov.u32 %r12, s;\n"
			    "add.u32 %r11, %r11, %r12;\n"
			    "ld.shared.u32 %r13, [%r11];\n"
			    "st.global.u32 [%rd1], %r13;"),
		     2, 64);
	/* bar.warp.sync orders lanes of one warp. */
	expect_clean(SHARED("st.shared.u32 [%r9], %r3; bar.warp.sync -1;\n"
			    "xor.b32 %r11, %r10, 4; mov.u32 %r12, s;\n"
			    "add.u32 %r11, %r11, %r12;\n"
			    "ld.shared.u32 %r13, [%r11];\n"
			    "st.global.u32 [%rd1], %r13;"),
		     1, 64);
	/* Writes to one place: equal ones are none. */
	expect_void(KIT_KERNEL(EACH "st.global.u32 [%rd0], %r0;"), 1, 64,
		    EXEC_REASON_race);
	expect_clean(KIT_KERNEL("st.global.u32 [%rd0], 7;"), 1, 64);
	expect_clean(KIT_KERNEL("red.global.add.u32 [%rd0], 7;"), 1, 64);
}

Test(gpu_exec_sanitize, ctas_that_touch_each_others_bytes)
{
	expect_void(KIT_KERNEL(EACH "ld.global.u32 %r9, [%rd0];\n"
				    "add.u32 %r9, %r9, 1;\n"
				    "st.global.u32 [%rd1], %r9;"),
		    4, 1, EXEC_REASON_cross_cta);
	expect_clean(KIT_KERNEL(EACH "ld.global.u32 %r9, [%rd1];\n"
				     "add.u32 %r9, %r9, 1;\n"
				     "st.global.u32 [%rd1], %r9;"),
		     4, 32);
}

Test(gpu_exec_sanitize, bits_of_a_nan)
{
	/* 0 / 0, stored as what it is: any NaN. */
	expect_clean(KIT_KERNEL(EACH "mov.f32 %f1, 0f00000000;\n"
				     "div.rn.f32 %f2, %f1, %f1;\n"
				     "st.global.f32 [%rd1], %f2;"),
		     1, 32);
	/* Its lowest bit decides. */
	expect_void(KIT_KERNEL(EACH "mov.f32 %f1, 0f00000000;\n"
				    "div.rn.f32 %f2, %f1, %f1;\n"
				    "mov.b32 %r9, %f2; and.b32 %r9, %r9, 2;\n"
				    "st.global.u32 [%rd1], %r9;"),
		    1, 32, EXEC_REASON_nan_bits);
	/* Looked at, but it makes no difference. */
	expect_clean(KIT_KERNEL(EACH "mov.f32 %f1, 0f00000000;\n"
				     "div.rn.f32 %f2, %f1, %f1;\n"
				     "mov.b32 %r9, %f2;\n"
				     "shr.u32 %r9, %r9, 23;\n"
				     "and.b32 %r9, %r9, 255;\n"
				     "st.global.u32 [%rd1], %r9;"),
		     1, 32);
	/* Compared as a float. */
	expect_clean(KIT_KERNEL(EACH "mov.f32 %f1, 0f00000000;\n"
				     "div.rn.f32 %f2, %f1, %f1;\n"
				     "setp.nan.f32 %p1, %f2, %f2;\n"
				     "@%p1 st.global.u32 [%rd1], 1;"),
		     1, 32);
}

/* out[2 * i] += i for the CTA's threads; reads and writes 4 of 8 bytes. */
#define STRIDED                                                            \
	KIT_KERNEL(EACH                                                    \
		   "add.s64 %rd1, %rd1, %rd1; sub.s64 %rd1, %rd1, %rd0;\n" \
		   "ld.global.u32 %r9, [%rd1];\n"                          \
		   "add.u32 %r9, %r9, %r3;\n"                              \
		   "st.global.u32 [%rd1], %r9;")

Test(gpu_exec_trace, writes_and_reads_of_one_cta)
{
	struct kit k = kit_load(STRIDED);
	memset(out, 0, sizeof(out));
	struct exec_buffer b = {
		.data = (uint8_t *)out, .bytes = sizeof(out), .writable = true};
	struct exec_reloc reloc = {0};
	struct exec_launch in = {.kernel = BYTES_LIT("k"),
				 .grid = {8, 1, 1},
				 .block = {32, 1, 1},
				 .relocs = &reloc,
				 .reloc_count = 1,
				 .buffers = &b,
				 .buffer_count = 1,
				 .cta_first = 3,
				 .cta_count = 1};
	struct exec_options o = EXEC_OPTIONS_DEFAULT;
	struct exec_result res;
	o.record_writes = o.record_reads = true;
	cr_assert_eq(exec_run(k.module, &in, &o, k.arena, &res), ERR_OK);
	cr_assert_eq(res.outcome, EXEC_OK);
	cr_assert_eq(res.write_count, 32u);
	for (uint32_t i = 0; i < 32; i++) {
		cr_expect_eq(res.writes[i].offset, (96 + i) * 8);
		cr_expect_eq(res.writes[i].bytes, 4u);
		cr_expect_eq(u32_le(res.writes[i].data), 96 + i);
	}
	/* Bytes 768 to 1020: two leaves. */
	cr_assert_eq(res.read_count, 1u);
	cr_expect_eq(res.reads[0].offset, 512u);
	cr_expect_eq(res.reads[0].bytes, 512u);
	kit_free(&k);
}

Test(gpu_exec_trace, pieces_are_enough_or_named)
{
	static uint8_t piece[512];
	struct kit k = kit_load(STRIDED);
	struct exec_piece p = {.offset = 512, .bytes = 512, .data = piece};
	struct exec_buffer b = {.bytes = sizeof(out),
				.writable = true,
				.pieces = &p,
				.piece_count = 1};
	struct exec_reloc reloc = {0};
	struct exec_launch in = {.kernel = BYTES_LIT("k"),
				 .grid = {8, 1, 1},
				 .block = {32, 1, 1},
				 .relocs = &reloc,
				 .reloc_count = 1,
				 .buffers = &b,
				 .buffer_count = 1,
				 .cta_first = 3,
				 .cta_count = 1};
	struct exec_options o = EXEC_OPTIONS_DEFAULT;
	struct exec_result res;
	cr_assert_eq(exec_run(k.module, &in, &o, k.arena, &res), ERR_OK);
	cr_expect_eq(res.outcome, EXEC_OK);
	cr_expect_eq(piece[256], 96);
	in.cta_first = 4;
	cr_assert_eq(exec_run(k.module, &in, &o, k.arena, &res), ERR_OK);
	cr_expect_eq(res.outcome, EXEC_INCOMPLETE);
	cr_expect_eq(res.reason, EXEC_REASON_not_open);
	cr_expect_eq(res.missing.offset, 1024u);
	/* Outside the buffer is a fault, opened or not. */
	b.bytes = 1024;
	cr_assert_eq(exec_run(k.module, &in, &o, k.arena, &res), ERR_OK);
	cr_expect_eq(res.outcome, EXEC_FAULT);
	kit_free(&k);
}

Test(gpu_exec_trace, finder)
{
	struct kit k = kit_load(STRIDED);
	struct kit_run r = KIT_RUN(out, 32);
	struct exec_range ranges[3] = {{.offset = 8 * 70, .bytes = 1},
				       {.offset = 8 * 70 + 4, .bytes = 4},
				       {.offset = 0, .bytes = 2048}};
	r.grid[0] = 8;
	r.options.ranges = ranges;
	r.options.range_count = 3;
	struct exec_result res = kit_run(&k, &r);
	cr_assert_eq(res.outcome, EXEC_OK);
	cr_expect(res.found[0].written && res.found[0].read);
	cr_expect_eq(res.found[0].writer, 2u);
	cr_expect_eq(res.found[0].reader, 2u);
	cr_expect(!res.found[1].written && !res.found[1].read);
	cr_expect(res.found[2].written && !res.found[2].conflict);
	cr_expect_eq(res.found[2].writer, 0u);
	kit_free(&k);
}

static void mix_run(struct kit *k, const struct exec_options *o,
		    uint32_t *results, struct exec_result *ret)
{
	struct kit_run r = KIT_RUN(out, 70);
	memset(out, 0, sizeof(out));
	r.grid[0] = 12;
	r.options = *o;
	*ret = kit_run(k, &r);
	cr_assert_eq(ret->outcome, EXEC_OK, "%s line %u",
		     exec_reason_word(ret->reason), ret->line);
	memcpy(results, out, sizeof(out));
}

Test(gpu_exec_trace, nothing_depends_on_how_it_runs)
{
	static uint32_t first[2048], other[2048];
	static const uint8_t seed[32] = {1, 2, 3};
	struct kit k = kit_load(SHARED(
		"st.shared.u32 [%r9], %r3; cvt.rn.f32.u32 %f1, %r3;\n"
		"mov.u32 %r20, 0; bar.sync 0;\n"
		"L: sqrt.rz.f32 %f1, %f1; fma.rp.f32 %f1, %f1, %f1, %f1;\n"
		"add.u32 %r20, %r20, 1; and.b32 %r21, %r0, 7;\n"
		"setp.le.u32 %p1, %r20, %r21;\n@%p1 bra L;\n"
		"xor.b32 %r11, %r10, 4; mov.u32 %r12, s;\n"
		"add.u32 %r11, %r11, %r12;\n"
		"ld.shared.u32 %r13, [%r11];\n"
		"shfl.sync.bfly.b32 %r14, %r13, 1, 31, -1;\n"
		"mov.b32 %r15, %f1; xor.b32 %r15, %r15, %r14;\n"
		"st.global.u32 [%rd1], %r15;"));
	struct exec_options base = EXEC_OPTIONS_DEFAULT;
	struct exec_result a, b;
	enum exec_lanes sets[3];
	base.witness_seed32 = seed;
	mix_run(&k, &base, first, &a);
	for (uint32_t i = 0; i < 6 + kit_lanes(sets); i++) {
		struct exec_options o = base;
		o.threads = i == 0 ? 2 : 1;
		o.shuffle_seed = i == 1 ? 77 : 0;
		o.sanitize = i == 2;
		o.record_writes = i == 3;
		o.nan_variant = i == 4 ? 1 : 0;
		if (i == 5)
			o.witness_seed32 = NULL;
		if (i >= 6)
			o.lanes = sets[i - 6];
		mix_run(&k, &o, other, &b);
		cr_expect_arr_eq(first, other, sizeof(first), "variant %u", i);
		cr_expect_eq(a.count, b.count);
		cr_expect_eq(a.cost, b.cost);
		cr_expect(i == 5 || hash_eq(&a.witness, &b.witness),
			  "variant %u", i);
	}
	kit_free(&k);
}

static void count_call(void *ctx, uint64_t done)
{
	uint64_t *calls = ctx;
	calls[0]++;
	calls[1] = done;
}

Test(gpu_exec_trace, counts_progress_and_cancellation)
{
	struct kit k = kit_load(KIT_KERNEL(
		"mov.u32 %r1, %ctaid.x; mov.u32 %r2, 0;\n"
		"L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1;\n"
		"@%p1 bra L;"));
	uint64_t counts[5] = {0}, calls[2] = {0};
	volatile int cancel = 0;
	struct kit_run r = KIT_RUN(out, 1);
	r.grid[0] = 5;
	r.options.ret_cta_counts = counts;
	r.options.progress = count_call;
	r.options.progress_ctx = calls;
	r.options.cancel = &cancel;
	struct exec_result res = kit_run(&k, &r);
	/* ld, two mov, a round of 3 at least once, ret */
	uint64_t want[5] = {7, 7, 10, 13, 16};
	cr_expect_arr_eq(counts, want, sizeof(want));
	cr_expect_eq(res.count, 53u);
	cr_expect_eq(res.cta_count_most, 16u);
	cr_expect_eq(calls[0], 5u);
	cr_expect_eq(calls[1], 5u);
	cancel = 1;
	cr_expect_eq(kit_run(&k, &r).outcome, EXEC_CANCELLED);
	kit_free(&k);
}

static struct kit load_file(const char *path)
{
	static char text[1 << 16];
	FILE *f = fopen(path, "r");
	cr_assert(f != NULL, "%s", path);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	return kit_load(text);
}

/* tests/vectors/witness: seeds and hashes that a Python program worked out. */
Test(gpu_exec_trace, witnesses)
{
	char line[256], seed_hex[65], hash_hex[65];
	uint8_t seed[32];
	unsigned threads;
	uint32_t lines = 0;
	struct kit k =
		load_file(WEFT_SOURCE_DIR "/tests/vectors/witness/kernel.ptx");
	FILE *f = fopen(WEFT_SOURCE_DIR "/tests/vectors/witness/witness.txt",
			"r");
	cr_assert(f != NULL);
	while (fgets(line, sizeof(line), f) != NULL) {
		char text[HASH_TEXT_BYTES];
		if (sscanf(line, "%64s %u %64s", seed_hex, &threads,
			   hash_hex) != 3 ||
		    line[0] == '#')
			continue;
		cr_assert_eq(hex_decode(bytes_str(seed_hex), seed, 32), ERR_OK);
		struct kit_run r = KIT_RUN(out, threads);
		r.options.witness_seed32 = seed;
		struct exec_result res = kit_run(&k, &r);
		cr_expect_str_eq(hash_text(&res.witness, text), hash_hex);
		lines++;
	}
	cr_expect_eq(lines, 40u);
	fclose(f);
	kit_free(&k);
}

Test(gpu_exec_sanitize, a_nan_in_parts_is_no_nan)
{
#define NAN32 EACH "mov.f32 %f1, 0f7f800000; sub.rn.f32 %f2, %f1, %f1;\n"
	expect_void(KIT_KERNEL(NAN32 "mov.b32 {%h1, %h2}, %f2;\n"
				     "st.global.u16 [%rd1], %h2;"),
		    1, 32, EXEC_REASON_nan_bits);
	expect_void(KIT_KERNEL(NAN32 "mov.b32 %r9, %f2;\n"
				     "cvt.u16.u32 %h1, %r9;\n"
				     "st.global.u16 [%rd1], %h1;"),
		    1, 32, EXEC_REASON_nan_bits);
	expect_void(KIT_KERNEL(NAN32 "mov.b32 %r9, %f2;\n"
				     "max.s32 %r8, %r9, 0;\n"
				     "st.global.u32 [%rd1], %r8;"),
		    1, 32, EXEC_REASON_nan_bits);
	expect_void(KIT_KERNEL(NAN32 "cvt.rn.f16.f32 %h1, %f2;\n"
				     "shr.u16 %h2, %h1, 15;\n"
				     "st.global.u16 [%rd1], %h2;"),
		    1, 32, EXEC_REASON_nan_bits);
	expect_clean(KIT_KERNEL(NAN32 "cvt.rn.f16.f32 %h1, %f2;\n"
				      "st.global.u16 [%rd1], %h1;"),
		     1, 32);
	expect_void(KIT_KERNEL(EACH "mov.f64 %fd1, 0d7ff0000000000000;\n"
				    "sub.rn.f64 %fd2, %fd1, %fd1;\n"
				    "mov.b64 {%r8, %r9}, %fd2;\n"
				    "st.global.u32 [%rd1], %r9;"),
		    1, 32, EXEC_REASON_nan_bits);
}

Test(gpu_exec_sanitize, a_function_starts_with_unset_registers)
{
	expect_void(KIT_HEAD
		    ".func (.param .b32 o) g(.param .b32 a)\n"
		    "{ .reg .pred %p; .reg .u32 %a, %t; ld.param.u32 %a, [a];\n"
		    "setp.eq.u32 %p, %a, 1; @%p mov.u32 %t, 7;\n"
		    "st.param.u32 [o], %t; ret; }\n"
		    ".visible .entry k(.param .u64 out) {\n"
		    ".reg .b32 %r<9>; .reg .b64 %rd<5>;\n"
		    "ld.param.u64 %rd0, [out];\n"
		    "{ .param .b32 x; .param .b32 z; st.param.u32 [x], 1;\n"
		    "call.uni (z), g, (x); ld.param.u32 %r1, [z]; }\n"
		    "{ .param .b32 x; .param .b32 z; st.param.u32 [x], 0;\n"
		    "call.uni (z), g, (x); ld.param.u32 %r2, [z]; }\n"
		    "st.global.u32 [%rd0], %r2; ret; }\n",
		    1, 1, EXEC_REASON_uninitialised);
}

Test(gpu_exec_sanitize, plain_and_atomic_accesses_race)
{
	expect_void(SHARED("setp.eq.u32 %p1, %r0, 0; mov.u32 %r12, s;\n"
			   "@%p1 st.shared.u32 [s], 0;\n"
			   "red.shared.add.u32 [%r12], 1;"),
		    1, 64, EXEC_REASON_race);
	expect_clean(SHARED("setp.eq.u32 %p1, %r0, 0; mov.u32 %r12, s;\n"
			    "@%p1 st.shared.u32 [s], 0; bar.sync 0;\n"
			    "red.shared.add.u32 [%r12], 1; bar.sync 0;\n"
			    "ld.shared.u32 %r13, [s];\n"
			    "st.global.u32 [%rd1], %r13;"),
		     1, 64);
}

Test(gpu_exec_sanitize, addresses_that_leak)
{
	/* Stored. */
	expect_void(KIT_KERNEL("st.global.u64 [%rd0], %rd0;"), 1, 1,
		    EXEC_REASON_address_leak);
	expect_void(SHARED("st.global.u32 [%rd1], %r9;"), 1, 32,
		    EXEC_REASON_address_leak);
	/* Compared with a constant. */
	expect_void(KIT_KERNEL("setp.eq.u64 %p1, %rd0, 0x10000000000;\n"
			       "@%p1 st.global.u32 [%rd0], 1;"),
		    1, 1, EXEC_REASON_address_leak);
	/* A difference inside one buffer, and a comparison with zero. */
	expect_clean(KIT_KERNEL(EACH "sub.s64 %rd3, %rd1, %rd0;\n"
				     "cvt.u32.u64 %r9, %rd3;\n"
				     "setp.ne.u64 %p1, %rd0, 0;\n"
				     "@%p1 st.global.u32 [%rd1], %r9;"),
		     2, 32);
}

Test(gpu_exec_sanitize, reductions_at_a_barrier)
{
	expect_clean(KIT_KERNEL(EACH "setp.lt.u32 %p1, %r0, 7;\n"
				     "bar.red.popc.u32 %r9, 0, %p1;\n"
				     "st.global.u32 [%rd1], %r9;"),
		     1, 64);
	expect_void(KIT_KERNEL(EACH "bar.red.popc.u32 %r9, 0, %p1;\n"
				    "st.global.u32 [%rd1], %r9;"),
		    1, 64, EXEC_REASON_uninitialised);
}

Test(gpu_exec_trace, ctas_of_one_thread_on_two_threads)
{
	struct kit k = kit_load(KIT_KERNEL(
		"mov.u32 %r0, %ctaid.x; cvt.u64.u32 %rd1, %r0;\n"
		"add.s64 %rd1, %rd0, %rd1; ld.global.u8 %r1, [%rd1];\n"
		"add.u32 %r1, %r1, %r0; st.global.u8 [%rd1], %r1;\n"
		"ld.global.u8 %r2, [%rd1]; add.u32 %r2, %r2, 1;\n"
		"st.global.u8 [%rd1], %r2;"));
	struct kit_run r = KIT_RUN(out, 1);
	memset(out, 0, sizeof(out));
	r.grid[0] = 500;
	r.options.threads = 2;
	cr_assert_eq(kit_run(&k, &r).outcome, EXEC_OK);
	for (uint32_t i = 0; i < 500; i++)
		cr_expect_eq(((uint8_t *)out)[i], (uint8_t)(i + 1));
	kit_free(&k);
}
