/*
 * From a manifest to a verdict through real workers: build, run with roots,
 * open samples, judge; and a cheat that is caught.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <string.h>

#include "base/arena.h"
#include "base/merkle.h"
#include "gpu/build/build.h"
#include "gpu/client/client.h"
#include "gpu/client/job.h"
#include "gpu/client/memory.h"
#include "gpu/program/judge.h"
#include "gpu/program/opening.h"
#include "gpu/program/task.h"
#include "gpu/program/trace.h"

#define WORKER	 WEFT_BINARY_DIR "/weft-worker"
#define LIMIT_MS 60000

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

static struct arena *arena;
static struct build_result built;
static struct program program;
static struct program_claim claim;
static struct bytes task;
static struct hash task_leaf;
static struct bytes result;
static struct hash result_leaf;
static struct job_task_done done;

static struct bytes ask(enum wire_kind kind, struct buf *request,
			const int *fds, size_t fd_count)
{
	struct client_options o = {.worker_path = WORKER, .wall_ms = LIMIT_MS};
	struct client *c = NULL;
	struct bytes answer;

	cr_assert_eq(request->err, ERR_OK);
	cr_assert_eq(client_run(&o, kind, buf_bytes(request), fds, fd_count,
				NULL, NULL, &c),
		     ERR_OK);
	cr_assert_eq(client_state_of(c), CLIENT_ANSWERED, "%s",
		     client_error_words(c));
	buf_free(request);
	answer = arena_copy(arena, client_answer(c));
	client_free(c);
	return answer;
}

static void build(void)
{
	struct buf request = buf_make(1u << 20);
	struct job_file text = {0, BYTES_LIT("m.ptx"), bytes_str(ptx)};
	struct program_task t = {.index = 0};
	struct buf record = buf_make(4096);
	struct job_build b = {.manifest = bytes_str(manifest),
			      .manifest_name = BYTES_LIT("m.json"),
			      .ptx = &text,
			      .ptx_count = 1,
			      .want_quote = true,
			      .seed = 1};
	struct job_built answer;

	program_task_encode(&record, &t);
	b.task = buf_bytes(&record);
	job_build_encode(&request, &b);
	cr_assert_eq(job_built_decode(arena, ask(WIRE_BUILD, &request, NULL, 0),
				      &answer),
		     ERR_OK);
	buf_free(&record);
	cr_assert_eq(answer.end.outcome, JOB_OK);
	cr_assert_eq(build_result_decode(arena, answer.result, &built), ERR_OK);
	cr_assert_eq(built.class_name, 'A');
	/* 14 and 13 instructions of 2,048 threads */
	cr_expect_eq(answer.ops_per_task, (14u + 13u) * WORDS);
	/* A CTA of add reads 128 bytes (one leaf) and writes 128, shown
	 * before and after. */
	cr_expect_eq(answer.cta_open, 3 * 512);
	cr_assert_eq(program_decode(arena, built.encoding, &program), ERR_OK);
}

/* What a provider commits, from memory roots and the last object roots. */
static void commit(struct bytes memory_roots, struct bytes object_roots)
{
	struct program_result r = {.index = 0,
				   .steps = STEPS,
				   .object_roots =
					   (struct hash *)object_roots.p,
				   .object_count = 3};
	struct buf out = buf_make(4096);
	struct hash list;

	cr_assert_eq(program_trace_root(arena,
					(const struct hash *)memory_roots.p,
					STEPS + 1, &r.trace_root),
		     ERR_OK);
	program_result_encode(&out, &r);
	result = arena_copy(arena, buf_bytes(&out));
	buf_free(&out);
	result_leaf = program_result_leaf(result);
	list = merkle_list_root(&result_leaf, 1);
	claim.program_id = built.id;
	claim.tasks_root = merkle_list_root(&task_leaf, 1);
	claim.task_count = 1;
	claim.done_count = 1;
	claim.result_root =
		program_result_root(&claim.lease, &claim.provider, &list);
}

static void run(void)
{
	struct buf request = buf_make(1u << 20);
	struct buf record = buf_make(4096);
	struct program_task t = {.program_id = built.id};
	uint32_t outputs[] = {2};
	struct memory out;
	struct job_task job = {.program = built.encoding,
			       .outputs = outputs,
			       .output_count = 1,
			       .want_roots = true};

	program_task_encode(&record, &t);
	task = arena_copy(arena, buf_bytes(&record));
	buf_free(&record);
	task_leaf = program_task_leaf(task);
	job.task = task;
	cr_assert_eq(memory_new("c", BYTES, &out), ERR_OK);
	job_task_encode(&request, &job);
	cr_assert_eq(job_task_done_decode(arena,
					  ask(WIRE_TASK, &request, &out.fd, 1),
					  &done),
		     ERR_OK);
	cr_assert_eq(done.run.outcome, JOB_OK);
	cr_expect_eq(done.steps, STEPS);
	/* every byte of a is 1 */
	for (uint32_t i = 0; i < WORDS; i++)
		cr_expect_eq(u32_le(out.p + 4 * i), 0x02020202u);
	memory_free(&out);
	commit(done.memory_roots, done.object_roots);
}

static void set_up(void)
{
	arena = arena_new(256u << 20);
	build();
	run();
}

static void tear_down(void)
{
	arena_free(arena);
}

TestSuite(audit, .init = set_up, .fini = tear_down);

static struct program_judge_answer judge(struct bytes opening)
{
	struct program_judge_request r = {
		.referee_version = PROGRAM_REFEREE_VERSION,
		.claim = claim,
		.seed = {{7}},
		.class = PROGRAM_CLASS_A,
		.cost_max = DISPUTE_COST_MAX,
		.count_max = 1u << 20,
		.want_witness = true,
		.witness_seed = {{9}},
		.opening = opening,
	};
	struct buf record = buf_make(32u << 20);
	struct buf request = buf_make(32u << 20);
	struct program_judge_answer a;
	struct bytes answer;

	program_judge_request_encode(&record, &r);
	job_record_encode(&request, buf_bytes(&record));
	buf_free(&record);
	cr_assert_eq(job_record_decode(ask(WIRE_REFEREE, &request, NULL, 0),
				       &answer),
		     ERR_OK);
	cr_assert_eq(program_judge_answer_decode(answer, &a), ERR_OK);
	return a;
}

Test(audit, memory_roots_follow_from_the_bytes)
{
	static uint8_t b[BYTES];
	const struct hash *roots = (const struct hash *)done.memory_roots.p;
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
	struct buf request = buf_make(1u << 20);
	struct job_open open = {
		.samples = samples,
		.sample_count = (uint32_t)count,
		.seed = {{7}},
		.task_leaves = hash_bytes(&task_leaf),
		.result_leaves = hash_bytes(&result_leaf),
		.result = result,
		.memory_roots = done.memory_roots,
	};
	struct job_task job = {
		.program = built.encoding, .task = task, .open = &open};
	struct job_task_done opened;

	job_task_encode(&request, &job);
	cr_assert_eq(job_task_done_decode(
			     arena, ask(WIRE_OPEN, &request, NULL, 0), &opened),
		     ERR_OK);
	cr_assert_eq(opened.opening_count, count);
	for (size_t i = 0; i < count; i++) {
		struct program_judge_answer a = judge(opened.openings[i]);

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
	memcpy(roots, done.memory_roots.p, sizeof(roots));
	roots[1] = program_memory_root(after, 3);
	commit(BYTES_OF(roots), done.object_roots);
	w = (struct program_witness){.program = &program,
				     .task_leaves = &task_leaf,
				     .task_count = 1,
				     .task = task,
				     .result_leaves = &result_leaf,
				     .done_count = 1,
				     .result = result,
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
	cr_assert_eq(
		program_opening_build(arena, &w, &s, PROGRAM_WRITER_NONE, &o),
		ERR_OK);
	program_opening_encode(&out, &o);
	answer = judge(buf_bytes(&out));
	cr_expect_eq(answer.verdict, PROGRAM_VERDICT_FRAUD, "%s",
		     program_verdict_word(answer.verdict));
	cr_expect_eq(answer.difference.object_index, 1);
	cr_expect_eq(answer.difference.offset, 5 * 128 + 9);
	cr_expect_eq(answer.difference.expected, 1);
	cr_expect_eq(answer.difference.found, 3);
	buf_free(&out);
}
