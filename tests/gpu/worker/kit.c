#define _GNU_SOURCE
#include "tests/gpu/worker/kit.h"

#include <criterion/criterion.h>

#include "base/merkle.h"
#include "gpu/client/client.h"
#include "gpu/program/task.h"
#include "gpu/program/trace.h"

#define WORKER	 WEFT_BINARY_DIR "/weft-worker"
#define LIMIT_MS 60000

struct kit kit;

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
	answer = arena_copy(kit.arena, client_answer(c));
	client_free(c);
	return answer;
}

void kit_build(const char *manifest, const char *ptx)
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

	kit_end();
	kit = (struct kit){.arena = arena_new(256u << 20),
			   .cost_max = DISPUTE_COST_MAX,
			   .count_max = 1u << 20};
	program_task_encode(&record, &t);
	b.task = buf_bytes(&record);
	job_build_encode(&request, &b);
	cr_assert_eq(job_built_decode(kit.arena,
				      ask(WIRE_BUILD, &request, NULL, 0),
				      &kit.quote),
		     ERR_OK);
	buf_free(&record);
	cr_assert_eq(
		build_result_decode(kit.arena, kit.quote.result, &kit.built),
		ERR_OK);
	cr_assert_eq(
		program_decode(kit.arena, kit.built.encoding, &kit.program),
		ERR_OK);
}

void kit_end(void)
{
	arena_free(kit.arena);
	kit.arena = NULL;
}

void kit_commit(struct bytes memory_roots, struct bytes object_roots)
{
	struct program_result r = {
		.index = 0,
		.steps = kit.done.steps,
		.object_roots = (struct hash *)object_roots.p,
		.object_count = (uint32_t)(object_roots.n / HASH_BYTES)};
	struct buf out = buf_make(4096);
	struct hash list;

	cr_assert_eq(program_trace_root(kit.arena,
					(const struct hash *)memory_roots.p,
					kit.done.steps + 1, &r.trace_root),
		     ERR_OK);
	program_result_encode(&out, &r);
	kit.result = arena_copy(kit.arena, buf_bytes(&out));
	buf_free(&out);
	kit.result_leaf = program_result_leaf(kit.result);
	list = merkle_list_root(&kit.result_leaf, 1);
	kit.claim.program_id = kit.built.id;
	kit.claim.tasks_root = merkle_list_root(&kit.task_leaf, 1);
	kit.claim.task_count = 1;
	kit.claim.done_count = 1;
	kit.claim.result_root = program_result_root(&kit.claim.lease,
						    &kit.claim.provider, &list);
}

static void name_task(void)
{
	struct program_task t = {.program_id = kit.built.id};
	struct buf b = buf_make(4096);

	program_task_encode(&b, &t);
	kit.task = arena_copy(kit.arena, buf_bytes(&b));
	kit.task_leaf = program_task_leaf(kit.task);
	buf_free(&b);
}

void kit_rebuild(void)
{
	struct buf b = buf_make(1u << 20);

	program_encode(&b, &kit.program);
	kit.built.encoding = arena_copy(kit.arena, buf_bytes(&b));
	cr_assert_eq(program_id(kit.arena, &kit.program, &kit.built.id),
		     ERR_OK);
	name_task();
	buf_free(&b);
}

void kit_run(uint32_t output, struct memory *ret_out)
{
	struct buf request = buf_make(1u << 20);
	uint64_t bytes = program_object_bytes(&kit.program, output);
	struct job_task job = {.program = kit.built.encoding,
			       .outputs = &output,
			       .output_count = 1,
			       .want_roots = true};

	name_task();
	job.task = kit.task;
	cr_assert_eq(memory_new("out", bytes, ret_out), ERR_OK);
	job_task_encode(&request, &job);
	cr_assert_eq(
		job_task_done_decode(kit.arena,
				     ask(WIRE_TASK, &request, &ret_out->fd, 1),
				     &kit.done),
		ERR_OK);
	cr_assert_eq(kit.done.run.outcome, JOB_OK);
	kit_commit(kit.done.memory_roots, kit.done.object_roots);
}

uint32_t kit_try(void)
{
	struct buf request = buf_make(1u << 20);
	struct job_task job = {.program = kit.built.encoding,
			       .want_roots = true};

	name_task();
	job.task = kit.task;
	job_task_encode(&request, &job);
	cr_assert_eq(job_task_done_decode(kit.arena,
					  ask(WIRE_TASK, &request, NULL, 0),
					  &kit.done),
		     ERR_OK);
	return kit.done.run.outcome;
}

void kit_open(struct program_sample *samples, uint32_t count,
	      struct bytes *ret_openings)
{
	struct buf request = buf_make(1u << 20);
	struct job_open open = {
		.samples = samples,
		.sample_count = count,
		.seed = {{7}},
		.task_leaves = hash_bytes(&kit.task_leaf),
		.result_leaves = hash_bytes(&kit.result_leaf),
		.result = kit.result,
		.memory_roots = kit.done.memory_roots,
	};
	struct job_task job = {
		.program = kit.built.encoding, .task = kit.task, .open = &open};
	struct job_task_done opened;

	job_task_encode(&request, &job);
	cr_assert_eq(job_task_done_decode(kit.arena,
					  ask(WIRE_OPEN, &request, NULL, 0),
					  &opened),
		     ERR_OK);
	cr_assert_eq(opened.opening_count, count);
	for (uint32_t i = 0; i < count; i++)
		ret_openings[i] = opened.openings[i];
}

struct program_judge_answer kit_judge(struct bytes opening)
{
	struct program_header h;
	struct program_judge_request r = {
		.referee_version = PROGRAM_REFEREE_VERSION,
		.claim = kit.claim,
		.seed = {{7}},
		.cost_max = kit.cost_max,
		.count_max = kit.count_max,
		.want_witness = true,
		.witness_seed = {{9}},
		.opening = opening,
	};
	struct buf record = buf_make(32u << 20);
	struct buf request = buf_make(32u << 20);
	struct program_judge_answer a;
	struct bytes answer;

	cr_assert_eq(program_header_make(kit.arena, &kit.program, &h), ERR_OK);
	r.class = h.class;
	program_judge_request_encode(&record, &r);
	job_record_encode(&request, buf_bytes(&record));
	buf_free(&record);
	cr_assert_eq(job_record_decode(ask(WIRE_REFEREE, &request, NULL, 0),
				       &answer),
		     ERR_OK);
	cr_assert_eq(program_judge_answer_decode(answer, &a), ERR_OK);
	return a;
}
