/*
 * Samples that are not a CTA: a launch of class R, a warp; and searches, whose
 * CTAs must write something.  Quoted, opened and judged through real workers,
 * honest and not.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/merkle.h"
#include "gpu/program/trace.h"
#include "tests/gpu/worker/kit.h"

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"

/* i = ctaid * CTA's threads + tid into %r4 */
#define INDEX                                              \
	".reg .b32 %r<8>;\n.reg .b64 %d<8>;\n"             \
	"ld.param.u64 %d0, [a];\nmov.u32 %r1, %ctaid.x;\n" \
	"mov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"    \
	"mad.lo.s32 %r4, %r1, %r2, %r3;\n"

/* a[i % 64]++ */
static const char tally[] =
	HEAD ".visible .entry tally(.param .u64 a)\n{\n" INDEX
	     "and.b32 %r5, %r4, 63;\nmul.wide.u32 %d1, %r5, 4;\n"
	     "add.s64 %d2, %d0, %d1;\nred.global.add.u32 [%d2], 1;\nret;\n}\n";

static const char tally_json[] =
	"{\"weft\": 1, \"name\": \"m\", \"ptx\": \"m.ptx\","
	"\"buffers\": {\"a\": {\"bytes\": 256, \"save\": \"a.bin\"}},"
	"\"steps\": [{\"repeat\": 2, \"steps\": ["
	" {\"launch\": \"tally\", \"grid\": [8], \"block\": [32],"
	"  \"args\": [{\"buffer\": \"a\"}]}]}]}";

#define TALLY_OPS 10u /* instructions of a thread */

TestSuite(samples, .fini = kit_end, .timeout = 120);

static void run_tally(void)
{
	struct memory out;

	kit_build(tally_json, tally);
	cr_assert_eq(kit.quote.end.outcome, JOB_OK);
	cr_assert_eq(kit.built.class_name, 'R');
	kit_run(0, &out);
	/* 256 threads over 64 bins, twice */
	for (uint32_t i = 0; i < 64; i++)
		cr_expect_eq(u32_le(out.p + 4 * i), 8u);
	memory_free(&out);
}

Test(samples, a_launch_is_quoted_whole)
{
	struct program_header h;

	run_tally();
	cr_expect_eq(kit.quote.ops_per_task, 2 * TALLY_OPS * 256);
	cr_assert_eq(program_header_decode(kit.arena, kit.quote.header, &h),
		     ERR_OK);
	/* a repeat and a launch of 8 CTAs, run twice */
	cr_assert_eq(h.row_count, 2u);
	cr_expect_eq(h.rows[1].ctas, 16u);
	cr_expect_eq(h.rows[1].warps, 0u);
	cr_expect_eq(h.rows[1].mean_ops, TALLY_OPS * 32);
	/* the buffer's one leaf, before and after, and what was added to */
	cr_expect_eq(h.rows[1].cta_open, 3 * 512u);
	cr_expect_eq(program_sample_ops(&kit.program, &h), TALLY_OPS * 256 + 1);
}

Test(samples, honest_launches_are_valid)
{
	struct program_sample s[] = {
		{0, 1, PROGRAM_SAMPLE_LAUNCH, 0, PROGRAM_WARP_ALL},
		{0, 2, PROGRAM_SAMPLE_LAUNCH, 0, PROGRAM_WARP_ALL},
		{0, 2, PROGRAM_SAMPLE_CHUNK, 0, PROGRAM_WARP_ALL},
	};
	struct bytes openings[3];

	run_tally();
	kit_open(s, 3, openings);
	for (size_t i = 0; i < 3; i++) {
		struct program_judge_answer a = kit_judge(openings[i]);

		cr_expect_eq(a.verdict, PROGRAM_VERDICT_VALID, "%zu: %s", i,
			     program_verdict_word(a.verdict));
		cr_expect_eq(a.count, TALLY_OPS * 256);
		cr_expect(!hash_is_zero(&a.witness));
	}
	/* 8 CTAs in order: their cost together is what is limited */
	kit.cost_max = kit_judge(openings[0]).cost;
	cr_expect_eq(kit_judge(openings[0]).verdict, PROGRAM_VERDICT_VALID);
	kit.cost_max--;
	cr_expect_eq(kit_judge(openings[0]).verdict, PROGRAM_VERDICT_VOID);
	cr_expect_eq(kit_judge(openings[0]).outcome, PROGRAM_OUTCOME_OVER);
	/* what bounds a CTA does not bound the launch */
	kit.cost_max = DISPUTE_COST_MAX;
	kit.count_max = TALLY_OPS * 32;
	cr_expect_eq(kit_judge(openings[0]).verdict, PROGRAM_VERDICT_VALID);
	kit.count_max--;
	cr_expect_eq(kit_judge(openings[0]).outcome, PROGRAM_OUTCOME_OVER);
}

/* One object of `bytes` bytes before and after step 1 of a task of `steps`
 * steps, all ending in after; the run of `unit` touches its first bytes. */
static struct bytes lie(const struct program *p, const uint8_t *before,
			const uint8_t *after, uint64_t bytes,
			const struct program_sample *s, uint64_t writer,
			uint32_t writer_warp)
{
	struct hash b = merkle_bytes_root(bytes_of(before, bytes));
	struct hash a = merkle_bytes_root(bytes_of(after, bytes));
	struct hash roots[3];
	struct program_state s_before = {before, NULL}, s_after = {after, NULL};
	struct program_range all = {0, 0, bytes};
	struct program_witness w;
	struct program_opening o;
	struct buf out = buf_make(1u << 20);
	struct bytes ret;

	roots[0] = program_memory_root(&b, 1);
	roots[1] = program_memory_root(&a, 1);
	roots[2] = roots[1];
	kit_commit(bytes_of(roots, (kit.done.steps + 1) * HASH_BYTES),
		   hash_bytes(&a));
	w = (struct program_witness){.program = p,
				     .task_leaves = &kit.task_leaf,
				     .task_count = 1,
				     .task = kit.task,
				     .result_leaves = &kit.result_leaf,
				     .done_count = 1,
				     .result = kit.result,
				     .memory_roots = roots,
				     .memory_root_count = kit.done.steps + 1,
				     .before_roots = &b,
				     .after_roots = &a,
				     .before = &s_before,
				     .after = &s_after,
				     .reads = &all,
				     .read_count = 1,
				     .writes = &all,
				     .write_count = 1};
	cr_assert_eq(program_opening_build(kit.arena, &w, s, writer, &o),
		     ERR_OK);
	o.writer_warp = writer_warp;
	program_opening_encode(&out, &o);
	ret = arena_copy(kit.arena, buf_bytes(&out));
	buf_free(&out);
	return ret;
}

Test(samples, a_wrong_bin_is_fraud)
{
	static uint8_t before[256], after[256];
	struct program_sample all = {0, 1, PROGRAM_SAMPLE_LAUNCH, 0,
				     PROGRAM_WARP_ALL};
	struct program_sample chunk = {0, 1, PROGRAM_SAMPLE_CHUNK, 0,
				       PROGRAM_WARP_ALL};
	struct program_judge_answer a;

	run_tally();
	for (uint32_t i = 0; i < 64; i++)
		after[4 * i] = 4;
	a = kit_judge(lie(&kit.program, before, after, 256, &all,
			  PROGRAM_WRITER_NONE, PROGRAM_WARP_ALL));
	cr_expect_eq(a.verdict, PROGRAM_VERDICT_VALID);
	after[4 * 9] = 5;
	a = kit_judge(lie(&kit.program, before, after, 256, &all,
			  PROGRAM_WRITER_NONE, PROGRAM_WARP_ALL));
	cr_expect_eq(a.verdict, PROGRAM_VERDICT_FRAUD);
	cr_expect_eq(a.difference.offset, 4 * 9u);
	cr_expect_eq(a.difference.expected, 4);
	cr_expect_eq(a.difference.found, 5);
	/* whatever byte of the chunk is drawn */
	a = kit_judge(lie(&kit.program, before, after, 256, &chunk, 0,
			  PROGRAM_WARP_ALL));
	cr_expect_eq(a.verdict, PROGRAM_VERDICT_FRAUD);
}

/* A buyer who calls its launch class A, so that one CTA of it is judged: an
 * honest provider, whose bins are sums of all CTAs, must not be struck. */
Test(samples, a_launch_sold_as_independent_is_void)
{
	static uint8_t before[256], after[256];
	struct program_sample cta = {0, 1, PROGRAM_SAMPLE_CTA, 0,
				     PROGRAM_WARP_ALL};
	struct program_judge_answer a;

	run_tally();
	for (uint32_t i = 0; i < 64; i++)
		after[4 * i] = 4;
	kit.program.parts[0].class = PROGRAM_CLASS_A;
	kit_rebuild();
	a = kit_judge(lie(&kit.program, before, after, 256, &cta,
			  PROGRAM_WRITER_NONE, PROGRAM_WARP_ALL));
	cr_expect_eq(a.verdict, PROGRAM_VERDICT_VOID);
	cr_expect_eq(a.outcome, PROGRAM_OUTCOME_REFUSED);
}

static void refused(const char *json, const char *ptx, const char *reason)
{
	kit_build(json, ptx);
	cr_expect_eq(kit.quote.end.outcome, JOB_REFUSED, "%u",
		     kit.quote.end.outcome);
	cr_expect(bytes_eq(kit.quote.end.reason, bytes_str(reason)), "%.*s",
		  (int)kit.quote.end.reason.n,
		  (const char *)kit.quote.end.reason.p);
	cr_expect_eq(kit.quote.header.n, 0u);
}

#define TALLY_JSON(bytes, grid, block)                         \
	"{\"weft\": 1, \"name\": \"m\", \"ptx\": \"m.ptx\","   \
	"\"buffers\": {\"a\": {\"bytes\": " bytes "}},"        \
	"\"steps\": [{\"launch\": \"tally\", \"grid\": [" grid \
	"], \"block\": [" block "], \"args\": [{\"buffer\": \"a\"}]}]}"

#define TALLY_STEP(grid)                                                 \
	"{\"launch\": \"tally\", \"grid\": [" grid "], \"block\": [32]," \
	" \"args\": [{\"buffer\": \"a\"}]}"

#define TALLY2_JSON                                                           \
	"{\"weft\": 1, \"name\": \"m\", \"ptx\": \"m.ptx\","                  \
	"\"buffers\": {\"a\": {\"bytes\": 128000}}, \"steps\": [" TALLY_STEP( \
		"1000") "," TALLY_STEP("1000") "]}"

#define LIMIT_JSON                                                         \
	"{\"weft\": 1, \"name\": \"m\", \"ptx\": \"m.ptx\","               \
	"\"limits\": {\"limit_ops\": 1000000},"                            \
	"\"buffers\": {\"a\": {\"bytes\": 512}}, \"steps\": [" TALLY_STEP( \
		"4") "]}"

/* a[512 * i]++: a leaf for every thread */
static const char spread[] =
	HEAD ".visible .entry tally(.param .u64 a)\n{\n" INDEX
	     "mul.wide.u32 %d1, %r4, 512;\n"
	     "add.s64 %d2, %d0, %d1;\nred.global.add.u32 [%d2], 1;\nret;\n}\n";

Test(samples, a_launch_that_no_dispute_could_decide_is_not_sold)
{
	kit_build(TALLY_JSON("256", "65536", "1"), tally);
	cr_expect_eq(kit.quote.end.outcome, JOB_OK);
	refused(TALLY_JSON("256", "65537", "1"), tally, "too_large");
	/* 2 MiB are shown in three, 16 MiB in 48 */
	kit_build(TALLY_JSON("2097152", "128", "32"), spread);
	cr_expect_eq(kit.quote.end.outcome, JOB_OK);
	refused(TALLY_JSON("16777216", "1024", "32"), spread, "too_large");
}

/* a[i]++, and CTA `which` goes on for ever; `how` writes. */
#define ENDLESS(which, how)                                               \
	HEAD ".visible .entry tally(.param .u64 a)\n{\n"                  \
	     ".reg .pred %p<2>;\n" INDEX "mul.wide.u32 %d1, %r4, 4;\n"    \
	     "add.s64 %d2, %d0, %d1;\nsetp.ne.u32 %p1, %r1, " which ";\n" \
	     "@%p1 bra out;\nmov.u32 %r5, 0;\n"                           \
	     "more:\nadd.u32 %r5, %r5, 1;\nbra more;\n"                   \
	     "out:\n" how " [%d2], 1;\nret;\n}\n"

/* Whether the CTA that does not end is looked at, is only run to reach the
 * next step, or is one of a launch that is one sample. */
Test(samples, what_does_not_end_is_not_waited_for)
{
	static const char first[] = ENDLESS("0", "st.global.u32");
	static const char late[] = ENDLESS("777", "st.global.u32");
	static const char whole[] = ENDLESS("3", "red.global.add.u32");

	refused(TALLY_JSON("512", "4", "32"), first, "too_large");
	cr_expect_eq(kit.quote.end.cta, 0u);
	cr_expect_eq(kit.quote.end.line, 20u);
	refused(TALLY2_JSON, late, "too_large");
	cr_expect_eq(kit.quote.end.cta, 777u);
	refused(TALLY_JSON("512", "4", "32"), whole, "too_large");
	/* what the buyer grants a task bounds each CTA, too */
	kit_build(LIMIT_JSON, first);
	cr_expect_eq(kit.quote.end.outcome, JOB_OVER);
	cr_expect(bytes_eq(kit.quote.end.reason, BYTES_LIT("count_limit")));
}

/* a[i] = 3 * i, by CTAs of two warps */
static const char triple[] =
	HEAD ".visible .entry triple(.param .u64 a)\n{\n" INDEX
	     "mul.lo.u32 %r5, %r4, 3;\nmul.wide.u32 %d1, %r4, 4;\n"
	     "add.s64 %d2, %d0, %d1;\nst.global.u32 [%d2], %r5;\nret;\n}\n";

static const char triple_json[] =
	"{\"weft\": 1, \"name\": \"m\", \"ptx\": \"m.ptx\","
	"\"buffers\": {\"a\": {\"bytes\": 1024, \"save\": \"a.bin\"}},"
	"\"steps\": [{\"launch\": \"triple\", \"grid\": [4], \"block\": [64],"
	"  \"args\": [{\"buffer\": \"a\"}]}]}";

#define TRIPLE_OPS 10u

static void run_triple(void)
{
	struct memory out;

	kit_build(triple_json, triple);
	cr_assert_eq(kit.quote.end.outcome, JOB_OK);
	cr_assert_eq(kit.built.class_name, 'A');
	kit_run(0, &out);
	for (uint32_t i = 0; i < 256; i++)
		cr_expect_eq(u32_le(out.p + 4 * i), 3 * i);
	memory_free(&out);
}

Test(samples, a_warp_is_quoted)
{
	struct program_header h;

	run_triple();
	cr_assert_eq(program_header_decode(kit.arena, kit.quote.header, &h),
		     ERR_OK);
	cr_expect_eq(h.rows[0].ctas, 4u);
	cr_expect_eq(h.rows[0].warps, 2u);
	cr_expect_eq(h.rows[0].mean_ops, TRIPLE_OPS * 64);
	/* its 128 bytes lie in one leaf, shown before and after */
	cr_expect_eq(h.rows[0].cta_open, 2 * 512u);
	cr_expect_eq(program_sample_ops(&kit.program, &h), TRIPLE_OPS * 32 + 1);
}

/* The dispute's limit lies between what a warp and what a CTA costs. */
Test(samples, a_warp_fits_where_its_cta_does_not)
{
	struct program_sample s[] = {
		{0, 1, PROGRAM_SAMPLE_CTA, 1, 1},
		{0, 1, PROGRAM_SAMPLE_CHUNK, 0, PROGRAM_WARP_ALL},
		{0, 1, PROGRAM_SAMPLE_CTA, 1, PROGRAM_WARP_ALL},
	};
	struct bytes openings[3];
	struct program_opening o;
	struct program_judge_answer a;

	run_triple();
	kit_open(s, 3, openings);
	a = kit_judge(openings[2]);
	cr_expect_eq(a.verdict, PROGRAM_VERDICT_VALID);
	cr_expect_eq(a.count, TRIPLE_OPS * 64);
	kit.cost_max = a.cost - 1;
	/* the whole CTA proves nothing, to nobody's cost */
	a = kit_judge(openings[2]);
	cr_expect_eq(a.verdict, PROGRAM_VERDICT_INCOMPLETE);
	for (size_t i = 0; i < 2; i++) {
		a = kit_judge(openings[i]);
		cr_expect_eq(a.verdict, PROGRAM_VERDICT_VALID, "%zu: %s", i,
			     program_verdict_word(a.verdict));
		cr_expect_eq(a.count, TRIPLE_OPS * 32);
	}
	cr_assert_eq(program_opening_decode(kit.arena, openings[1], &o),
		     ERR_OK);
	cr_expect_neq(o.writer, PROGRAM_WRITER_NONE);
	cr_expect_lt(o.writer_warp, 2u);
}

Test(samples, a_wrong_byte_of_a_warp_is_fraud)
{
	static uint8_t before[1024], after[1024];
	struct program_sample warp[2] = {{0, 1, PROGRAM_SAMPLE_CTA, 1, 0},
					 {0, 1, PROGRAM_SAMPLE_CTA, 1, 1}};
	struct program_sample chunk = {0, 1, PROGRAM_SAMPLE_CHUNK, 0,
				       PROGRAM_WARP_ALL};
	struct program_judge_answer a;

	run_triple();
	for (uint32_t i = 0; i < 256; i++) {
		after[4 * i] = (uint8_t)(3 * i);
		after[4 * i + 1] = (uint8_t)(3 * i >> 8);
	}
	/* thread 40 of CTA 1 is in its second warp */
	after[4 * (64 + 40) + 3] = 1;
	for (int i = 0; i < 2; i++) {
		a = kit_judge(lie(&kit.program, before, after, 1024, &warp[i],
				  PROGRAM_WRITER_NONE, PROGRAM_WARP_ALL));
		cr_expect_eq(a.verdict,
			     i ? PROGRAM_VERDICT_FRAUD : PROGRAM_VERDICT_VALID);
	}
	cr_expect_eq(a.difference.offset, 4 * (64 + 40) + 3u);
	/* only one byte differs, so a chunk draws it: thread 70's, which is
	 * warp 0 of CTA 1 and nobody else's */
	memset(after, 0, sizeof(after));
	after[4 * 70] = 210;
	a = kit_judge(lie(&kit.program, before, after, 1024, &chunk, 1, 1));
	cr_expect_eq(a.verdict, PROGRAM_VERDICT_FRAUD);
	a = kit_judge(lie(&kit.program, before, after, 1024, &chunk, 0, 0));
	cr_expect_eq(a.verdict, PROGRAM_VERDICT_FRAUD);
	cr_expect_eq(a.difference.offset, 4u);
}

/* A buyer who says that warps with a barrier between them run alone. */
Test(samples, warps_that_meet_are_no_samples)
{
	static const char meet[] =
		HEAD ".visible .entry triple(.param .u64 a)\n{\n" INDEX
		     "bar.sync 0;\nmul.lo.u32 %r5, %r4, 3;\n"
		     "mul.wide.u32 %d1, %r4, 4;\nadd.s64 %d2, %d0, %d1;\n"
		     "st.global.u32 [%d2], %r5;\nret;\n}\n";
	static uint8_t before[1024], after[1024];
	struct program_sample warp = {0, 1, PROGRAM_SAMPLE_CTA, 1, 1};
	struct program_judge_answer a;
	struct memory out;

	kit_build(triple_json, meet);
	cr_assert_eq(kit.built.class_name, 'A');
	cr_assert(!kit.program.parts[0].by_warp);
	kit_run(0, &out);
	memory_free(&out);
	kit.program.parts[0].by_warp = true;
	kit_rebuild();
	a = kit_judge(lie(&kit.program, before, after, 1024, &warp,
			  PROGRAM_WRITER_NONE, PROGRAM_WARP_ALL));
	cr_expect_eq(a.verdict, PROGRAM_VERDICT_VOID);
	cr_expect_eq(a.outcome, PROGRAM_OUTCOME_REFUSED);
}

/* b[a[ctaid] + base] = ctaid: independent if the buyer's a says so */
#define SCATTER(base)                                                           \
	HEAD ".visible .entry scatter(.param .u64 a, .param .u64 b)\n{\n" INDEX \
	     "ld.param.u64 %d3, [b];\nmul.wide.u32 %d1, %r1, 4;\n"              \
	     "add.s64 %d2, %d0, %d1;\nld.global.u32 %r5, [%d2];\n"              \
	     "add.u32 %r5, %r5, " base ";\n"                                    \
	     "mul.wide.u32 %d4, %r5, 4;\nadd.s64 %d5, %d3, %d4;\n"              \
	     "st.global.u32 [%d5], %r1;\nret;\n}\n"

/* a is zero: all write b[0] */
static const char scatter[] = SCATTER("0");

static const char scatter_json[] =
	"{\"weft\": 1, \"name\": \"m\", \"ptx\": \"m.ptx\","
	"\"buffers\": {\"a\": {\"bytes\": 64},"
	" \"b\": {\"bytes\": 64, \"save\": \"b.bin\"}},"
	"\"steps\": [{\"launch\": \"scatter\", \"grid\": [8], \"block\": [1],"
	"  \"args\": [{\"buffer\": \"a\"}, {\"buffer\": \"b\"}]}]}";

/* All CTAs write b[0]: whichever is looked at alone, the provider seems to
 * have lied; with another one it can show that nobody can say. */
Test(samples, a_conflict_clears_the_provider)
{
	struct program_sample s[] = {
		{0, 1, PROGRAM_SAMPLE_CTA, 2, PROGRAM_WARP_ALL},
		{0, 1, PROGRAM_SAMPLE_PAIR, 2, PROGRAM_WARP_ALL},
	};
	struct bytes openings[2];
	struct program_opening o;
	struct program_judge_answer a;
	struct memory out;

	kit_build(scatter_json, scatter);
	/* the quote has seen it, so the market would not sell it */
	cr_expect_eq(kit.quote.end.outcome, JOB_VOID);
	cr_assert_eq(kit.built.class_name, 'A');
	cr_assert_eq(kit.program.parts[0].independence, PROGRAM_ASSUMED);
	kit_run(1, &out);
	memory_free(&out);
	kit_open(s, 2, openings);
	a = kit_judge(openings[0]);
	cr_expect_eq(a.verdict, PROGRAM_VERDICT_FRAUD);
	cr_assert_eq(program_opening_decode(kit.arena, openings[1], &o),
		     ERR_OK);
	cr_expect(o.writer < 8 && o.writer != 2);
	a = kit_judge(openings[1]);
	cr_expect_eq(a.verdict, PROGRAM_VERDICT_VOID, "%s",
		     program_verdict_word(a.verdict));
	cr_expect_eq(a.outcome, PROGRAM_OUTCOME_VOID);
	/* three runs of them, five CTAs: within one limit */
	kit.cost_max = a.cost - 1;
	cr_expect_eq(kit_judge(openings[1]).verdict,
		     PROGRAM_VERDICT_INCOMPLETE);
}

Test(samples, ctas_that_do_not_meet_clear_nobody)
{
	static uint8_t before[1024], after[1024];
	struct program_sample pair = {0, 1, PROGRAM_SAMPLE_PAIR, 1,
				      PROGRAM_WARP_ALL};
	struct program_judge_answer a;

	run_triple();
	a = kit_judge(lie(&kit.program, before, after, 1024, &pair, 3,
			  PROGRAM_WARP_ALL));
	cr_expect_eq(a.verdict, PROGRAM_VERDICT_INCOMPLETE);
}

/* A buyer who calls proved what depends on a would leave its provider no
 * window, whether or not CTAs conflict. */
Test(samples, what_is_only_assumed_is_not_sold_as_proved)
{
	struct program_sample s = {0, 1, PROGRAM_SAMPLE_CTA, 2,
				   PROGRAM_WARP_ALL};
	struct program_judge_answer a;
	struct memory out;
	static const char apart[] = SCATTER("%r1");
	struct bytes opening;

	kit_build(scatter_json, apart);
	cr_expect_eq(kit.quote.end.outcome, JOB_OK);
	cr_assert_eq(kit.program.parts[0].independence, PROGRAM_ASSUMED);
	kit_run(1, &out);
	memory_free(&out);
	kit.program.parts[0].independence = PROGRAM_PROVED;
	kit_rebuild();
	kit_commit(kit.done.memory_roots, kit.done.object_roots);
	kit_open(&s, 1, &opening);
	a = kit_judge(opening);
	cr_expect_eq(a.verdict, PROGRAM_VERDICT_VOID);
	cr_expect_eq(a.outcome, PROGRAM_OUTCOME_REFUSED);
}

/* What a buyer says of its launch decides how it is checked: what is not so is
 * not run by whoever would have to answer for it. */
Test(samples, a_provider_does_not_run_what_is_sold_too_well)
{
	static const char apart[] = SCATTER("%r1");

	run_tally();
	kit.program.parts[0].class = PROGRAM_CLASS_A;
	kit_rebuild();
	cr_expect_eq(kit_try(), JOB_REFUSED);
	kit_build(scatter_json, apart);
	cr_expect_eq(kit_try(), JOB_OK);
	kit.program.parts[0].independence = PROGRAM_PROVED;
	kit_rebuild();
	cr_expect_eq(kit_try(), JOB_REFUSED);
	run_triple();
	cr_expect_eq(kit_try(), JOB_OK);
	cr_assert(kit.program.parts[0].by_warp);
	/* worse than it is: nobody is harmed */
	kit.program.parts[0].by_warp = false;
	kit.program.parts[0].independence = PROGRAM_ASSUMED;
	kit_rebuild();
	cr_expect_eq(kit_try(), JOB_OK);
}

/* if (hash(i) has 20 zero bits) a[i] = i; and with SLOT, b[ctaid] = 1 + it */
#define SEEK(params, slot)                                                     \
	HEAD ".visible .entry seek(.param .u64 a" params ")\n{\n"              \
	     ".reg .pred %p<4>;\n" INDEX                                       \
	     "mul.wide.u32 %d1, %r4, 4;\nadd.s64 %d2, %d0, %d1;\n"             \
	     "ld.global.u32 %r5, [%d2];\nmad.lo.u32 %r5, %r5, 77, %r4;\n"      \
	     "mul.lo.u32 %r5, %r5, 747796405;\nshl.b32 %r6, %r5, 12;\n" slot   \
	     "setp.eq.u32 %p1, %r6, 7;\n@%p1 st.global.u32 [%d2+4096], %r4;\n" \
	     "ret;\n}\n"

#define SEEK_JSON(more, args)                                \
	"{\"weft\": 1, \"name\": \"m\", \"ptx\": \"m.ptx\"," \
	"\"buffers\": {\"a\": {\"bytes\": 8192}" more "},"   \
	"\"steps\": [{\"launch\": \"seek\", \"grid\": [32]," \
	"  \"block\": [32], \"args\": [{\"buffer\": \"a\"}" args "]}]}"

Test(samples, a_search_is_sold_with_a_witness_only)
{
	static const char bare[] = SEEK("", "");
	static const char slots[] =
		SEEK(", .param .u64 b",
		     "ld.param.u64 %d3, [b];\nmul.wide.u32 %d4, %r1, 8;\n"
		     "add.s64 %d5, %d3, %d4;\nsetp.eq.u32 %p2, %r3, 0;\n"
		     "or.b32 %r7, %r6, 1;\n"
		     "@%p2 st.global.u32 [%d5], %r7;\n");

	refused(SEEK_JSON("", ""), bare, "writes_by_chance");
	kit_build(
		SEEK_JSON(", \"b\": {\"bytes\": 256}", ", {\"buffer\": \"b\"}"),
		slots);
	cr_expect_eq(kit.quote.end.outcome, JOB_OK);
	cr_expect_neq(kit.quote.header.n, 0u);
}

/* Only CTA 0 writes, whatever the data: the classifier sees no chance in it,
 * the quote sees work that leaves nothing. */
Test(samples, work_that_leaves_nothing_is_not_sold)
{
	static const char idle[] = HEAD
		".visible .entry seek(.param .u64 a)\n{\n"
		".reg .pred %p<2>;\n" INDEX
		"mul.wide.u32 %d1, %r4, 4;\nadd.s64 %d2, %d0, %d1;\n"
		"setp.eq.u32 %p1, %r1, 0;\n@%p1 st.global.u32 [%d2], %r4;\n"
		"ret;\n}\n";

	refused(SEEK_JSON("", ""), idle, "writes_by_chance");
}
