/*
 * From a manifest to a verdict through real workers: build, run with roots,
 * open samples, judge; and a cheat that is caught.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/merkle.h"
#include "gpu/program/trace.h"
#include "tests/gpu/worker/kit.h"

#define WORDS 2048u /* of each buffer; 64 CTAs of 32 threads */
#define BYTES (WORDS * 4)

/* b[i] = a[i] + t; then c[i] = 2 * b[i] in a second kernel. */
static const char ptx[] =
	".version 7.0\n.target sm_75\n.address_size 64\n"
	".visible .entry add(.param .u64 a, .param .u64 b, .param .u32 t)\n{\n"
	".reg .b32 %r<8>;\n.reg .b64 %d<6>;\n"
	"ld.param.u64 %d0, [a];\nld.param.u64 %d1, [b];\n"
	"ld.param.u32 %r0, [t];\n"
	"mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"
	"mad.lo.s32 %r4, %r1, %r2, %r3;\nmul.wide.u32 %d2, %r4, 4;\n"
	"add.s64 %d3, %d0, %d2;\nadd.s64 %d4, %d1, %d2;\n"
	"ld.global.u32 %r5, [%d3];\nadd.s32 %r6, %r5, %r0;\n"
	"st.global.u32 [%d4], %r6;\nret;\n}\n"
	".visible .entry twice(.param .u64 b, .param .u64 c)\n{\n"
	".reg .b32 %r<8>;\n.reg .b64 %d<6>;\n"
	"ld.param.u64 %d0, [b];\nld.param.u64 %d1, [c];\n"
	"mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"
	"mad.lo.s32 %r4, %r1, %r2, %r3;\nmul.wide.u32 %d2, %r4, 4;\n"
	"add.s64 %d3, %d0, %d2;\nadd.s64 %d4, %d1, %d2;\n"
	"ld.global.u32 %r5, [%d3];\nshl.b32 %r6, %r5, 1;\n"
	"st.global.u32 [%d4], %r6;\nret;\n}\n";

static const char manifest[] =
	"{\"weft\": 1, \"name\": \"m\", \"ptx\": \"m.ptx\","
	"\"buffers\": {\"a\": {\"bytes\": 8192, \"fill\": 1},"
	" \"b\": {\"bytes\": 8192},"
	" \"c\": {\"bytes\": 8192, \"save\": \"c.bin\"}},"
	"\"steps\": ["
	" {\"launch\": \"add\", \"grid\": [64], \"block\": [32], \"args\":"
	"  [{\"buffer\": \"a\"}, {\"buffer\": \"b\"}, {\"u32\": \"t\"}]},"
	" {\"launch\": \"twice\", \"grid\": [64], \"block\": [32], \"args\":"
	"  [{\"buffer\": \"b\"}, {\"buffer\": \"c\"}]},"
	" {\"copy\": \"c\", \"to\": \"a\"}],"
	"\"tasks\": {\"count\": 1, \"index\": \"t\"}}";

#define STEPS 3u

static void set_up(void)
{
	struct memory out;

	kit_build(manifest, ptx);
	cr_assert_eq(kit.built.class_name, 'A');
	/* 14 and 13 instructions of 2,048 threads */
	cr_expect_eq(kit.quote.ops_per_task, (14u + 13u) * WORDS);
	/* A CTA of add reads 128 bytes (one leaf) and writes 128, shown
	 * before and after. */
	cr_expect_eq(kit.quote.cta_open, 3 * 512);
	kit_run(2, &out);
	cr_expect_eq(kit.done.steps, STEPS);
	/* every byte of a is 1 */
	for (uint32_t i = 0; i < WORDS; i++)
		cr_expect_eq(u32_le(out.p + 4 * i), 0x02020202u);
	memory_free(&out);
}

TestSuite(audit, .init = set_up, .fini = kit_end);

Test(audit, memory_roots_follow_from_the_bytes)
{
	static uint8_t b[BYTES];
	const struct hash *roots = (const struct hash *)kit.done.memory_roots.p;
	struct hash objects[3];
	struct hash want;

	objects[0] = merkle_fill_root(1, BYTES);
	objects[1] = merkle_fill_root(0, BYTES);
	objects[2] = merkle_fill_root(0, BYTES);
	want = program_memory_root(objects, 3);
	cr_expect(hash_eq(&roots[0], &want));
	memset(b, 1, BYTES);
	objects[1] = merkle_bytes_root(bytes_of(b, BYTES));
	want = program_memory_root(objects, 3);
	cr_expect(hash_eq(&roots[1], &want));
	memset(b, 2, BYTES);
	objects[2] = merkle_bytes_root(bytes_of(b, BYTES));
	want = program_memory_root(objects, 3);
	cr_expect(hash_eq(&roots[2], &want));
	objects[0] = objects[2];
	want = program_memory_root(objects, 3);
	cr_expect(hash_eq(&roots[3], &want));
}

/* CTAs, a warp, chunks, of launches and of the copy. */
Test(audit, honest_openings_are_valid)
{
	struct program_sample samples[] = {
		{0, 1, PROGRAM_SAMPLE_CTA, 0, PROGRAM_WARP_ALL},
		{0, 1, PROGRAM_SAMPLE_CTA, 63, 0},
		{0, 2, PROGRAM_SAMPLE_CTA, 17, PROGRAM_WARP_ALL},
		{0, 1, PROGRAM_SAMPLE_CHUNK, 1, PROGRAM_WARP_ALL},
		{0, 2, PROGRAM_SAMPLE_CHUNK, 0, PROGRAM_WARP_ALL},
		{0, 3, PROGRAM_SAMPLE_CHUNK, 1, PROGRAM_WARP_ALL},
	};
	size_t count = sizeof(samples) / sizeof(*samples);
	struct bytes openings[6];

	kit_open(samples, (uint32_t)count, openings);
	for (size_t i = 0; i < count; i++) {
		struct program_judge_answer a = kit_judge(openings[i]);

		cr_expect_eq(a.verdict, PROGRAM_VERDICT_VALID, "%zu: %s", i,
			     program_verdict_word(a.verdict));
		/* 14 or 13 instructions of a CTA's 32 threads */
		if (samples[i].step_number < 3)
			cr_expect_eq(
				a.count,
				(samples[i].step_number == 1 ? 14u : 13u) * 32,
				"%zu: %llu", i, (unsigned long long)a.count);
		cr_expect(!hash_is_zero(&a.witness));
	}
}

/* A provider that commits one wrong byte after step 1, consistently. */
Test(audit, a_wrong_byte_is_fraud)
{
	static uint8_t a_bytes[BYTES];
	static uint8_t zero[BYTES];
	static uint8_t wrong[BYTES];
	struct hash before[3] = {merkle_fill_root(1, BYTES),
				 merkle_fill_root(0, BYTES),
				 merkle_fill_root(0, BYTES)};
	struct hash after[3];
	struct hash roots[STEPS + 1];
	struct program_state s_before[3] = {
		{a_bytes, NULL}, {zero, NULL}, {zero, NULL}};
	struct program_state s_after[3] = {
		{a_bytes, NULL}, {wrong, NULL}, {zero, NULL}};
	struct program_range reads = {0, 5 * 128, 128};
	struct program_range writes = {1, 5 * 128, 128};
	struct program_sample s = {0, 1, PROGRAM_SAMPLE_CTA, 5,
				   PROGRAM_WARP_ALL};
	struct program_witness w;
	struct program_opening o;
	struct program_judge_answer answer;
	struct buf out = buf_make(1u << 20);

	memset(a_bytes, 1, BYTES);
	memset(wrong, 1, BYTES);
	wrong[5 * 128 + 9] = 3;
	memcpy(after, before, sizeof(after));
	after[1] = merkle_bytes_root(bytes_of(wrong, BYTES));
	memcpy(roots, kit.done.memory_roots.p, sizeof(roots));
	roots[1] = program_memory_root(after, 3);
	kit_commit(BYTES_OF(roots), kit.done.object_roots);
	w = (struct program_witness){.program = &kit.program,
				     .task_leaves = &kit.task_leaf,
				     .task_count = 1,
				     .task = kit.task,
				     .result_leaves = &kit.result_leaf,
				     .done_count = 1,
				     .result = kit.result,
				     .memory_roots = roots,
				     .memory_root_count = STEPS + 1,
				     .before_roots = before,
				     .after_roots = after,
				     .before = s_before,
				     .after = s_after,
				     .reads = &reads,
				     .read_count = 1,
				     .writes = &writes,
				     .write_count = 1};
	cr_assert_eq(program_opening_build(kit.arena, &w, &s,
					   PROGRAM_WRITER_NONE, &o),
		     ERR_OK);
	program_opening_encode(&out, &o);
	answer = kit_judge(buf_bytes(&out));
	cr_expect_eq(answer.verdict, PROGRAM_VERDICT_FRAUD, "%s",
		     program_verdict_word(answer.verdict));
	cr_expect_eq(answer.difference.object_index, 1);
	cr_expect_eq(answer.difference.offset, 5 * 128 + 9);
	cr_expect_eq(answer.difference.expected, 1);
	cr_expect_eq(answer.difference.found, 3);
	buf_free(&out);
}
