/*
 * weft job run --local, weft job quote --local: no node, no chain.
 *
 * The same steps as on the market: build, refuse what is not sold, run the
 * sampled CTAs under the sanitizer, then all tasks, each in a worker.
 */
#include "cli/cmd_job_local.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/merkle.h"
#include "base/reason.h"
#include "cli/compile.h"
#include "cli/json.h"
#include "cli/local.h"
#include "cli/place.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "cli/work.h"
#include "gpu/build/quote.h"
#include "gpu/build/view.h"
#include "gpu/program/trace.h"

#define TASK_ARENA_BYTES (1ull << 30)

/* Failed tasks that are told in full. */
#define FAILURES_TOLD 16u

/* All tasks of one job. */
struct local_run {
	struct cli *c;
	struct local_job *j;
	struct view_results *results;
	const char *dir;
	uint32_t outputs[PROGRAM_BUFFERS_MAX];
	uint32_t output_count;
	uint64_t done;
	uint64_t failed;
	uint64_t count; /* thread-instructions */
	json_t *failures;
};

/* The memfds of one task, inputs first. */
struct local_task {
	struct local_inputs in;
	struct memory out[PROGRAM_BUFFERS_MAX];
	int fds[2 * PROGRAM_BUFFERS_MAX];
	size_t fd_count;
};

static enum cli_exit make_outputs(struct local_run *r, struct local_task *t)
{
	for (uint32_t i = 0; i < t->in.count; i++)
		t->fds[t->fd_count++] = t->in.memory[i].fd;
	for (uint32_t i = 0; i < r->output_count; i++) {
		uint64_t bytes = r->j->m.buffers[r->outputs[i]].size_bytes;

		if (memory_new("output", bytes, &t->out[i]))
			return cli_fail(r->c, CLI_FAILED, "no_memory",
					"no memory for outputs");
		t->fds[t->fd_count++] = t->out[i].fd;
	}
	return CLI_DONE;
}

static enum reason reason_of(const struct job_run *run)
{
	switch ((enum job_outcome)run->outcome) {
	case JOB_VOID:
		return REASON_void;
	case JOB_OVER:
		return REASON_limit_ops;
	case JOB_OK: /* with findings */
		return REASON_void;
	case JOB_FAULT:
	case JOB_REFUSED:
	case JOB_INCOMPLETE:
	case JOB_CANCELLED:
		break;
	}
	return REASON_kernel_fault;
}

/* Of the saved buffers: one's own root, several ones' list root. */
static struct hash output_root(const struct local_run *r,
			       const struct local_task *t)
{
	struct hash roots[PROGRAM_BUFFERS_MAX];
	uint32_t count = 0;

	for (uint32_t i = 0; i < r->output_count; i++)
		if (r->j->m.buffers[r->outputs[i]].save.n)
			roots[count++] = merkle_bytes_root(
				bytes_of(t->out[i].p, t->out[i].bytes));
	if (count == 1)
		return roots[0];
	return program_memory_root(roots, count);
}

/* root: NULL for a task that is not done. */
static enum cli_exit note_row(struct local_run *r, uint64_t index,
			      const struct hash *root, enum reason reason)
{
	bool done = root != NULL;
	struct view_task_row row = {
		.index = index,
		.state = done ? "done" : "failed",
		.reason = done ? "" : reason_word(reason),
		.provider = "local",
		.lease = "",
		.output_root = done ? hash_bytes(root) : (struct bytes){0},
	};

	if (done)
		r->done++;
	else
		r->failed++;
	if (view_results_row(r->results, &row))
		return cli_fail(r->c, CLI_FAILED, "io",
				"cannot note how task %" PRIu64 " ended",
				index);
	return CLI_DONE;
}

/* c: with the task's arena. */
static void tell_failure(struct cli *c, struct local_run *r, uint64_t index,
			 struct job_run *run)
{
	struct buf text = buf_make(64u << 10);
	json_t *o;

	if (r->failed >= FAILURES_TOLD)
		return;
	place_find(c, r->j, run);
	place_put(&text, r->j, run);
	cli_note(c, "task %" PRIu64 ": %.*s", index, (int)text.n,
		 (const char *)text.p);
	buf_free(&text);
	o = json_run(run);
	json_object_set_new(o, "task", json_count(index));
	json_array_append_new(r->failures, o);
}

static enum cli_exit take_outputs(struct local_run *r, struct local_task *t,
				  uint64_t index)
{
	for (uint32_t i = 0; i < r->output_count; i++)
		if (view_results_put(r->results, index, r->outputs[i],
				     bytes_of(t->out[i].p, t->out[i].bytes)))
			return cli_fail(r->c, CLI_FAILED, "io",
					"cannot write the outputs of task "
					"%" PRIu64 " to %s",
					index, r->dir);
	return CLI_DONE;
}

static enum cli_exit run_in_worker(struct cli *c, struct local_run *r,
				   struct local_task *t, struct client **ret)
{
	struct buf request = buf_make(WIRE_FRAME_BYTES_MAX);
	struct work w = {.kind = WIRE_TASK,
			 .request = &request,
			 .fds = t->fds,
			 .fd_count = t->fd_count,
			 .wall_ms = r->j->m.seconds * 1000};
	struct job_task request_of = {
		.program = r->j->result.encoding,
		.task = t->in.record,
		.inputs = t->in.inputs,
		.input_count = t->in.count,
		.outputs = r->outputs,
		.output_count = r->output_count,
		.limit_ops = r->j->built.limit_ops,
		.cta_ops = r->j->built.cta_ops,
		.how = r->j->how,
	};

	if (r->j->m.task_count == 1)
		w.label = "running";
	job_task_encode(&request, &request_of);
	return work_run(c, &w, ret);
}

static enum cli_exit settle(struct cli *c, struct local_run *r,
			    struct local_task *t, uint64_t index,
			    struct client *client)
{
	struct job_task_done done;
	struct hash root;
	bool good;
	enum cli_exit code = CLI_DONE;

	if (job_task_done_decode(c->arena, client_answer(client), &done))
		return work_bad_answer(c);
	r->count += done.run.count;
	good = done.run.outcome == JOB_OK && !done.run.finding_count;
	if (good)
		code = take_outputs(r, t, index);
	else
		tell_failure(c, r, index, &done.run);
	if (code)
		return code;
	if (!good)
		return note_row(r, index, NULL, reason_of(&done.run));
	root = output_root(r, t);
	return note_row(r, index, &root, REASON_none);
}

/* c: with an arena that is the task's own. */
static enum cli_exit run_task(struct cli *c, struct local_run *r,
			      uint64_t index)
{
	static struct local_task t;
	struct client *client;
	enum cli_exit code;

	memset(&t, 0, sizeof(t));
	for (uint32_t i = 0; i < PROGRAM_BUFFERS_MAX; i++)
		t.out[i] = MEMORY_NONE;
	code = local_inputs(c, r->j, index, &t.in);
	if (code)
		return code;
	code = make_outputs(r, &t);
	if (!code)
		code = run_in_worker(c, r, &t, &client);
	if (!code) {
		code = settle(c, r, &t, index, client);
		client_free(client);
	} else if (code == CLI_FAULTED) {
		code = note_row(r, index, NULL, REASON_limit_seconds);
	}
	for (uint32_t i = 0; i < r->output_count; i++)
		memory_free(&t.out[i]);
	local_inputs_free(r->j, &t.in);
	return code;
}

static enum cli_exit run_tasks(struct local_run *r)
{
	struct cli task_cli = *r->c;
	struct progress bar;
	enum cli_exit code = CLI_DONE;
	uint64_t count = r->j->m.task_count;

	task_cli.arena = arena_new(TASK_ARENA_BYTES);
	if (!task_cli.arena)
		return cli_fail(r->c, CLI_FAILED, "no_memory", "out of memory");
	progress_begin(&bar, r->c, "tasks");
	for (uint64_t i = 0; i < count && !code; i++) {
		if (count > 1)
			progress_update(&bar, i, count);
		code = cli_interrupted() ? CLI_INTERRUPTED
					 : run_task(&task_cli, r, i);
		arena_reset(task_cli.arena);
	}
	if (count > 1)
		progress_update(&bar, r->done + r->failed, count);
	progress_end(&bar);
	arena_free(task_cli.arena);
	return code;
}

static enum cli_exit verdict(const struct local_run *r)
{
	if (!r->failed)
		return CLI_DONE;
	return r->done ? CLI_PARTLY : CLI_FAULTED;
}

static void report(struct local_run *r, const char *picture, uint64_t ms)
{
	const struct local_job *j = r->j;
	char id[HASH_TEXT_BYTES];
	char class_name[2] = {j->result.class_name, 0};

	if (r->c->json) {
		json_put(json_pack(
			"{s:o,s:s,s:s,s:s,s:o,s:o,s:o,s:o,s:o,s:s,s:o,s:o}",
			"name", json_text(j->m.name), "state",
			r->failed ? (r->done ? "partly" : "failed") : "done",
			"program", hash_text(&j->result.id, id), "class",
			class_name, "tasks", json_count(j->m.task_count),
			"done", json_count(r->done), "failed",
			json_count(r->failed), "count", json_count(r->count),
			"ms", json_count(ms), "out", r->dir, "picture",
			picture ? json_sprintf("%s/%s", r->dir, picture)
				: json_null(),
			"failures", json_incref(r->failures)));
		return;
	}
	printf("%.*s: %" PRIu64 " of %" PRIu64 " tasks done, class %s, "
	       "%" PRIu64 " thread-instructions in %.2f s%s\n",
	       (int)j->m.name.n, (const char *)j->m.name.p, r->done,
	       j->m.task_count, class_name, r->count, (double)ms / 1000,
	       j->how.sanitize && !r->failed ? "; the sanitizer found nothing"
					     : "");
	local_print_views(r->results);
	local_print_files(&j->m, r->dir);
}

static enum cli_exit run_all(struct cli *c, struct local_job *j,
			     const char *dir)
{
	struct local_run r = {.c = c, .j = j, .dir = dir};
	struct build_diag diag = {0};
	const char *picture = NULL;
	uint64_t begin = client_now_ms();
	enum cli_exit code;
	enum err e = view_results_new(&j->m, dir, &r.results, &diag);

	if (e)
		return compile_fail(c, e, &diag);
	for (uint32_t i = 0; i < j->m.buffer_count; i++)
		if (view_needs_buffer(&j->m, i))
			r.outputs[r.output_count++] = i;
	r.failures = json_array();
	code = run_tasks(&r);
	e = view_results_finish(r.results, &picture, &diag);
	if (!code && e)
		code = compile_fail(c, e, &diag);
	if (!code) {
		report(&r, picture, client_now_ms() - begin);
		code = verdict(&r);
	}
	json_decref(r.failures);
	view_results_free(r.results);
	return code;
}

/* The sanitizer looks at all CTAs of all tasks, whatever the sampled ones have
 * shown. */
static bool goes_on(const struct local_job *j)
{
	uint32_t outcome = j->built.end.outcome;

	return j->how.sanitize && (outcome == JOB_VOID || outcome == JOB_FAULT);
}

/* Read, compile, build, admit, sample. */
static enum cli_exit prepare(struct cli *c, struct local_job *j)
{
	bool any_class = cli_flag(c, "any-class");
	enum cli_exit code;

	code = local_open(c, c->operands[0], j);
	if (!code)
		code = work_how(c, &j->how);
	if (!code)
		code = local_build(c, j, true, any_class);
	if (!code && !any_class)
		code = local_admit(c, j);
	if (!code && !goes_on(j))
		code = local_sampled(c, j);
	return code;
}

enum cli_exit job_run_local(struct cli *c)
{
	static struct local_job j;
	const char *dir = cli_value(c, "output");
	enum cli_exit code = prepare(c, &j);

	if (!code && !dir)
		dir = arena_printf(c->arena, "%.*s.out", (int)j.m.name.n,
				   (const char *)j.m.name.p);
	if (!code)
		code = dir ? run_all(c, &j, dir) : CLI_FAILED;
	local_close(&j);
	return code;
}

/* What the buyer's confidence buys, in a sentence. */
static void put_confidence(const struct manifest *m)
{
	struct buf b = buf_make(1024);

	switch (m->confidence) {
	case MANIFEST_SAMPLED:
		buf_printf(&b, "confidence: ");
		quote_confidence_put(
			&b, m->samples ? m->samples : QUOTE_SAMPLES_OF_LEASE,
			1000000);
		buf_put_str(&b, ", when the lease is audited");
		break;
	case MANIFEST_DUAL:
		buf_put_str(&b, "confidence: every lease is computed twice");
		break;
	case MANIFEST_FULL:
		buf_put_str(&b, "confidence: a verifier runs everything again");
		break;
	case MANIFEST_TASKS:
		buf_printf(&b, "confidence: %u tasks are run again whole",
			   (unsigned)m->check_task_count);
		break;
	}
	if (!b.err)
		printf("%.*s\n", (int)b.n, (const char *)b.p);
	buf_free(&b);
}

static void put_quote(struct cli *c, const struct local_job *j)
{
	const struct job_built *b = &j->built;
	char class_name[2] = {j->result.class_name, 0};
	char id[HASH_TEXT_BYTES];

	if (c->json) {
		json_put(json_pack("{s:s,s:s,s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:b}",
				   "program", hash_text(&j->result.id, id),
				   "class", class_name, "independence",
				   j->result.is_proved ? "proved" : "assumed",
				   "tasks", json_count(j->m.task_count),
				   "ops_per_task", json_count(b->ops_per_task),
				   "limit_ops", json_count(b->limit_ops),
				   "cta_ops", json_count(b->cta_ops),
				   "cta_open_bytes", json_count(b->cta_open),
				   "sampled_ops", json_count(b->sampled_ops),
				   "is_estimate", b->is_estimate));
		return;
	}
	printf("program %s, class %s (%s)\n", hash_text(&j->result.id, id),
	       class_name, j->result.is_proved ? "proved" : "assumed");
	printf("%" PRIu64 " tasks of %" PRIu64 " thread-instructions%s, "
	       "%.3f Gop together\n",
	       j->m.task_count, b->ops_per_task,
	       b->is_estimate ? " (an estimate)" : "",
	       (double)b->ops_per_task * (double)j->m.task_count / 1e9);
	printf("stopped at %" PRIu64 " a task, %" PRIu64
	       " a CTA; an audit opens up to %" PRIu64 " bytes\n",
	       b->limit_ops, b->cta_ops, b->cta_open);
	put_confidence(&j->m);
}

enum cli_exit job_quote_local(struct cli *c)
{
	static struct local_job j;
	enum cli_exit code = prepare(c, &j);

	if (!code)
		put_quote(c, &j);
	local_close(&j);
	return code;
}
