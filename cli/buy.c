/*
 * The program is built here, from the buyer's own files; the node gets only
 * blobs: program, header, task list, inputs.
 */
#define _GNU_SOURCE
#include "cli/buy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/merkle.h"
#include "cli/clock.h"
#include "cli/compile.h"
#include "cli/money.h"
#include "cli/progress.h"
#include "gpu/build/view.h"
#include "gpu/program/header.h"

#define OUTPUTS_MS_MAX	 30000u
#define OUTPUTS_STEP_MS	 100u
#define TASK_ARENA_BYTES (1ull << 30)
#define LIST_BYTES_MAX	 ((size_t)PROGRAM_TASK_BYTES_MAX * 1024u)

/* Roots that were put already, in order. */
struct put_set {
	struct hash *roots;
	size_t count;
	size_t cap;
};

static enum err list_item(void *ctx, uint64_t index, struct bytes encoded)
{
	struct buf *list = ctx;
	uint8_t length[4];

	(void)index;
	put_u32_be(length, (uint32_t)encoded.n);
	buf_put(list, length, sizeof(length));
	buf_put_bytes(list, encoded);
	return list->err;
}

static void put_count(json_t *o, const char *key, uint64_t v)
{
	json_object_set_new(o, key, json_sprintf("%" PRIu64, v));
}

static const char *class_word(const struct program_header *h)
{
	switch (h->class) {
	case PROGRAM_CLASS_A:
		return h->independence == PROGRAM_PROVED ? "A" : "A_assumed";
	case PROGRAM_CLASS_B:
		return "B";
	case PROGRAM_CLASS_R:
		return "R";
	case PROGRAM_CLASS_S:
		return "S";
	case PROGRAM_CLASS_C:
	case PROGRAM_CLASS_D:
	case PROGRAM_CLASS_X:
		break;
	}
	return "refused";
}

static json_t *work_json(const struct program *p,
			 const struct program_header *h, uint64_t limit_ops)
{
	const struct program_totals *t = &h->totals;
	json_t *o = json_object();

	put_count(o, "ops_per_task", t->ops_per_task);
	put_count(o, "limit_ops", limit_ops);
	put_count(o, "cta_ops_max", t->cta_ops);
	put_count(o, "sample_ops", program_sample_ops(p, h));
	put_count(o, "cta_open_max_bytes", t->cta_open);
	put_count(o, "written_bytes", t->write_bytes);
	put_count(o, "input_bytes", t->input_bytes);
	put_count(o, "output_bytes", t->output_bytes);
	put_count(o, "memory_bytes", h->needs.memory_bytes);
	json_object_set_new(o, "step_count",
			    json_integer((json_int_t)t->launches));
	json_object_set_new(o, "sm_min", json_integer(h->needs.sm));
	json_object_set_new(o, "class", json_string(class_word(h)));
	return o;
}

static void put_hash(json_t *o, const char *key, const struct hash *h)
{
	char text[HASH_TEXT_BYTES];

	json_object_set_new(o, key, json_string(hash_text(h, text)));
}

/* What the options say into b->params. */
static enum cli_exit put_wishes(struct cli *c, struct buy *b)
{
	unsigned long long deadline = 0, samples = 0;
	const char *price = cli_value(c, "price"), *key = cli_value(c, "key");
	char picks[MONEY_PICKS_BYTES];

	if (price && !money_picks(price, picks))
		return cli_usage(c,
				 "--price takes WEFT per Gop such as 0.0001");
	if (price)
		json_object_set_new(b->params, "price_max_picks_per_gop",
				    json_string(picks));
	if (cli_number(c, "deadline", 1u << 21, &deadline) ||
	    cli_number(c, "samples", 1000, &samples))
		return CLI_USAGE;
	if (deadline)
		json_object_set_new(b->params, "deadline_blocks",
				    json_integer((json_int_t)deadline));
	if (samples)
		json_object_set_new(b->params, "samples",
				    json_integer((json_int_t)samples));
	if (key)
		json_object_set_new(b->params, "idempotency_key",
				    json_string(key));
	return CLI_DONE;
}

static enum cli_exit name_all(struct cli *c, struct buy *b)
{
	struct local_job *j = &b->job;
	struct arena *scratch = arena_new(TASK_ARENA_BYTES);
	struct program p;
	struct program_header h;
	struct hash header_root;
	struct build_diag diag = {0};
	enum err e = scratch ? ERR_OK : ERR_NO_MEMORY;

	if (!e)
		e = program_decode(scratch, j->result.encoding, &p);
	if (!e)
		e = program_header_decode(scratch, j->built.header, &h);
	if (!e)
		e = program_header_root(scratch, &h, &header_root);
	if (!e)
		e = build_tasks_root(scratch, &j->m, &j->files, &j->result.id,
				     &b->tasks_root, &diag, NULL, NULL);
	if (e) {
		arena_free(scratch);
		return compile_fail(c, e, &diag);
	}
	b->params = json_object();
	put_hash(b->params, "program", &j->result.id);
	put_hash(b->params, "header_root", &header_root);
	put_hash(b->params, "tasks_root", &b->tasks_root);
	json_object_set_new(b->params, "tasks",
			    json_integer((json_int_t)j->m.task_count));
	json_object_set_new(b->params, "work",
			    work_json(&p, &h, j->built.limit_ops));
	if (j->m.seconds)
		json_object_set_new(b->params, "seconds_max",
				    json_integer((json_int_t)j->m.seconds));
	if (j->m.samples)
		json_object_set_new(b->params, "samples",
				    json_integer((json_int_t)j->m.samples));
	arena_free(scratch);
	return put_wishes(c, b);
}

enum cli_exit buy_open(struct cli *c, const char *path, struct buy *b)
{
	struct local_job *j = &b->job;
	enum cli_exit code;

	memset(b, 0, sizeof(*b));
	code = local_open(c, path, j);
	if (!code)
		code = work_how(c, &j->how);
	if (!code)
		code = local_build(c, j, true, false);
	if (!code)
		code = local_admit(c, j);
	if (!code)
		code = local_sampled(c, j);
	if (!code)
		code = name_all(c, b);
	return code;
}

void buy_close(struct buy *b)
{
	json_decref(b->params);
	b->params = NULL;
	local_close(&b->job);
}

static bool put_set_add(struct put_set *s, const struct hash *root)
{
	for (size_t i = 0; i < s->count; i++) {
		if (hash_eq(&s->roots[i], root))
			return false;
	}
	if (s->count == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 64;
		struct hash *more = realloc(s->roots, cap * sizeof(*more));

		if (!more)
			return true;
		s->roots = more;
		s->cap = cap;
	}
	s->roots[s->count++] = *root;
	return true;
}

static enum cli_exit put_task(struct cli *c, struct link *l, struct buy *b,
			      uint64_t index, struct put_set *s,
			      struct arena *a)
{
	struct local_job *j = &b->job;
	struct build_task t;
	struct build_diag diag = {0};
	enum err e = build_task_open(a, &j->m, &j->files, &j->result.id, index,
				     &t, &diag);
	enum cli_exit code = CLI_DONE;

	if (e)
		return compile_fail(c, e, &diag);
	for (uint32_t i = 0; i < t.task.input_count && !code; i++) {
		if (put_set_add(s, &t.task.inputs[i].root))
			code = link_put(c, l, LINK_BYTES, t.inputs[i],
					&t.task.inputs[i].root);
	}
	build_task_close(&j->files, &t);
	return code;
}

static enum cli_exit put_inputs(struct cli *c, struct link *l, struct buy *b)
{
	struct put_set s = {0};
	struct progress bar;
	uint64_t count = b->job.m.task_count;
	struct arena *a = arena_new(TASK_ARENA_BYTES);
	enum cli_exit code = CLI_DONE;

	if (!a)
		return cli_fail(c, CLI_FAILED, "no_memory", "out of memory");
	progress_begin(&bar, c, "inputs");
	for (uint64_t i = 0; i < count && !code; i++) {
		code = cli_interrupted() ? CLI_INTERRUPTED
					 : put_task(c, l, b, i, &s, a);
		arena_reset(a);
	}
	progress_end(&bar);
	arena_free(a);
	free(s.roots);
	return code;
}

static enum cli_exit put_tasks(struct cli *c, struct link *l, struct buy *b)
{
	struct local_job *j = &b->job;
	struct arena *a = arena_new(TASK_ARENA_BYTES);
	struct buf list = buf_make(LIST_BYTES_MAX);
	struct build_diag diag = {0};
	struct hash root;
	enum err e = a ? build_tasks_root(a, &j->m, &j->files, &j->result.id,
					  &root, &diag, list_item, &list)
		       : ERR_NO_MEMORY;
	enum cli_exit code;

	if (e)
		code = compile_fail(c, e, &diag);
	else
		code = link_put(c, l, LINK_LIST, buf_bytes(&list),
				&b->tasks_root);
	buf_free(&list);
	arena_free(a);
	return code;
}

enum cli_exit buy_put(struct cli *c, struct link *l, struct buy *b)
{
	struct hash header_root;
	enum cli_exit code;

	if (hex_decode(bytes_str(link_text(b->params, "header_root")),
		       header_root.b, sizeof(header_root.b)))
		return CLI_FAILED;
	code = link_put(c, l, LINK_PROGRAM, b->job.result.encoding,
			&b->job.result.id);
	if (!code)
		code = link_put(c, l, LINK_HEADER, b->job.built.header,
				&header_root);
	if (!code)
		code = put_tasks(c, l, b);
	if (!code && b->job.m.task_count)
		code = put_inputs(c, l, b);
	return code;
}

enum cli_exit buy_submit(struct cli *c, struct link *l, struct buy *b,
			 char ret_id[HASH_TEXT_BYTES], json_t **ret_answer)
{
	enum cli_exit code = link_call(c, l, "job.submit",
				       json_incref(b->params), ret_answer);

	if (!code)
		snprintf(ret_id, HASH_TEXT_BYTES, "%s",
			 link_text(*ret_answer, "id"));
	return code;
}

/* One task's outputs; *ret_came when all were there. */
static enum cli_exit fetch_task(struct cli *c, struct link *l,
				const json_t *task, struct view_results *r,
				bool *ret_came)
{
	json_t *outputs = json_object_get(task, "outputs"), *o;
	enum cli_exit code = CLI_DONE;
	size_t i;

	*ret_came = json_array_size(outputs) > 0;
	json_array_foreach(outputs, i, o)
	{
		uint8_t *bytes = NULL;
		uint64_t n = link_count(o, "bytes");
		struct hash root;

		if (hex_decode(bytes_str(link_text(o, "root")), root.b,
			       sizeof(root.b)))
			return cli_fail(c, CLI_FAILED, "internal",
					"the node gave no root");
		code = link_get(c, l, &root, n, &bytes);
		if (!code &&
		    view_results_put(r, link_number(task, "index"),
				     (uint32_t)link_number(o, "buffer"),
				     bytes_of(bytes, n)))
			code = cli_fail(c, CLI_FAILED, "io",
					"cannot write the outputs");
		free(bytes);
		if (code)
			break;
	}
	return code;
}

static enum cli_exit fetch_row(struct cli *c, const json_t *task,
			       struct view_results *r)
{
	struct hash root = HASH_ZERO;
	const json_t *first =
		json_array_get(json_object_get(task, "outputs"), 0);
	struct view_task_row row = {
		.index = link_number(task, "index"),
		.state = link_text(task, "state"),
		.reason = link_text(task, "reason"),
		.provider = link_text(task, "provider"),
		.lease = link_text(task, "lease"),
	};

	if (first && hex_decode(bytes_str(link_text(first, "root")), root.b,
				sizeof(root.b)) == ERR_OK)
		row.output_root = hash_bytes(&root);
	if (strcmp(row.reason, "none") == 0)
		row.reason = "";
	if (view_results_row(r, &row))
		return cli_fail(c, CLI_FAILED, "io", "cannot note a task");
	return CLI_DONE;
}

static enum cli_exit fetch_all(struct cli *c, struct link *l,
			       const json_t *tasks, struct view_results *r,
			       uint64_t *ret_done)
{
	enum cli_exit code = CLI_DONE;
	struct progress bar;
	json_t *task;
	size_t i;

	progress_begin(&bar, c, "outputs");
	json_array_foreach(tasks, i, task)
	{
		bool came = false;

		progress_update(&bar, i, json_array_size(tasks));
		code = fetch_task(c, l, task, r, &came);
		if (!code)
			code = fetch_row(c, task, r);
		if (code)
			break;
		*ret_done += came;
	}
	progress_end(&bar);
	return code;
}

/* Tasks that are stated and whose outputs the node does not hold yet. */
static uint64_t still_coming(const json_t *answer)
{
	uint64_t n = 0;
	json_t *task;
	size_t i;

	json_array_foreach(json_object_get(answer, "tasks"), i, task) n +=
		strcmp(link_text(task, "state"), "missing") != 0 &&
		json_array_size(json_object_get(task, "outputs")) == 0;
	return n;
}

/* job.result, once the node has fetched what providers committed. */
static enum cli_exit ask_result(struct cli *c, struct link *l, const char *id,
				bool is_partial, json_t **ret)
{
	uint64_t begin = clock_now_ms();
	enum cli_exit code;

	for (;;) {
		code = link_call(c, l, "job.result",
				 json_pack("{s:s}", "id", id), ret);
		if (code || is_partial || !still_coming(*ret) ||
		    clock_now_ms() - begin > OUTPUTS_MS_MAX)
			return code;
		if (cli_interrupted())
			code = CLI_INTERRUPTED;
		json_decref(*ret);
		*ret = NULL;
		if (code)
			return code;
		clock_pause_ms(OUTPUTS_STEP_MS);
	}
}

enum cli_exit buy_fetch(struct cli *c, struct link *l, const struct manifest *m,
			const char *id, const char *dir, bool is_partial,
			uint64_t *ret_done)
{
	struct view_results *r = NULL;
	struct build_diag diag = {0};
	json_t *answer;
	enum cli_exit code = ask_result(c, l, id, is_partial, &answer);
	const char *picture;
	enum err e;

	*ret_done = 0;
	if (code)
		return code;
	e = view_results_new(m, dir, &r, &diag);
	if (!e) {
		code = fetch_all(c, l, json_object_get(answer, "tasks"), r,
				 ret_done);
		if (!code)
			e = view_results_finish(r, &picture, &diag);
	}
	if (e)
		code = compile_fail(c, e, &diag);
	else if (!code && !c->json && !c->quiet)
		local_print_views(r);
	json_decref(answer);
	view_results_free(r);
	return code;
}
