/*
 * The files that reading the manifest opened are sent along to the worker,
 * which reads the same manifest again from memory.
 */
#include "cli/local.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/compile.h"
#include "cli/place.h"
#include "gpu/build/quote.h"
#include "gpu/program/header.h"
#include "gpu/program/task.h"

/* Which CTAs and tasks are sampled: the same at every run. */
#define QUOTE_SEED 1u

/* Tasks with inputs of their own that are looked into. */
#define QUOTED_TASKS_MAX 8u

/* Tasks that are quoted when each has its own inputs. */
#define QUOTED_TASKS_MAX 8u

/* Which CTAs and tasks a quote looks into: the same for everybody. */
#define QUOTE_SEED 1u

#define VIEW_BYTES_MAX (16u << 20)

/* build_files that remembers what was opened. */
struct recorder {
	struct cli *c;
	struct local_job *j;
	struct build_files inner;
};

static enum err remember(struct cli *c, struct local_job *j,
			 const struct build_source *s, struct bytes bytes)
{
	struct job_file *f;

	if (j->sent_count == JOB_FILES_MAX)
		return ERR_LIMIT;
	f = &j->sent[j->sent_count];
	f->kind = s->kind;
	f->name = s->name;
	f->bytes = arena_copy(c->arena, bytes);
	if (!f->bytes.p && bytes.n)
		return ERR_NO_MEMORY;
	j->sent_count++;
	return ERR_OK;
}

static enum err record_open(void *ctx, const struct build_source *s,
			    uint64_t max_bytes, struct build_data *ret_data,
			    const char **reterr_why)
{
	struct recorder *r = ctx;
	enum err e =
		r->inner.open(r->inner.ctx, s, max_bytes, ret_data, reterr_why);

	if (e)
		return e;
	e = remember(r->c, r->j, s, ret_data->bytes);
	if (e) {
		*reterr_why = err_words(e);
		r->inner.close(r->inner.ctx, ret_data);
	}
	return e;
}

static void record_close(void *ctx, struct build_data *d)
{
	struct recorder *r = ctx;

	r->inner.close(r->inner.ctx, d);
}

/* Bytes of symbols, which only the worker reads. */
static enum cli_exit send_symbols(struct cli *c, struct local_job *j)
{
	for (uint32_t i = 0; i < j->m.symbol_count; i++) {
		const struct build_source *s = &j->m.symbols[i].from;
		struct build_diag diag = {.file = j->m.file, .at = s->at};
		struct build_data data;
		enum err e;

		if (s->kind != BUILD_SOURCE_PATH)
			continue;
		e = build_open(&j->files, s, JOB_RECORD_BYTES_MAX, &data,
			       &diag.text);
		if (e)
			return compile_fail(c, e, &diag);
		e = remember(c, j, s, data.bytes);
		build_close(&j->files, s, &data);
		if (e)
			return compile_fail(c, e, &diag);
	}
	return CLI_DONE;
}

static enum cli_exit read_manifest(struct cli *c, struct local_job *j)
{
	struct recorder recorder = {c, j, j->files};
	struct build_files files = {&recorder, record_open, record_close};
	struct build_diag diag = {0};
	enum err e =
		manifest_read(c->arena, j->text, j->path, &files, &j->m, &diag);

	if (e)
		return compile_fail(c, e, &diag);
	return send_symbols(c, j);
}

enum cli_exit local_open(struct cli *c, const char *path, struct local_job *j)
{
	const char *name;
	enum cli_exit code;

	memset(j, 0, sizeof(*j));
	j->path = path;
	j->folder.folder_fd = -1;
	j->sent = ARENA_ARRAY(c->arena, JOB_FILES_MAX, struct job_file);
	if (!j->sent)
		return cli_fail(c, CLI_FAILED, "no_memory", "out of memory");
	code = work_read(c, path, BUILD_MANIFEST_BYTES_MAX, &j->text);
	if (!code)
		code = compile_folder(c, path, &j->folder.folder_fd, &name);
	if (code)
		return code;
	j->files = build_files_folder(&j->folder);
	code = read_manifest(c, j);
	if (!code)
		code = compile_manifest(c, &j->m, &j->files, &j->ptx,
					&j->ptx_count);
	return code;
}

void local_close(struct local_job *j)
{
	if (j->folder.folder_fd >= 0)
		close(j->folder.folder_fd);
	j->folder.folder_fd = -1;
}

static enum cli_exit input_memory(struct cli *c, struct local_inputs *in,
				  uint32_t buffer, struct bytes bytes)
{
	struct memory m;

	if (memory_new("input", bytes.n, &m))
		return cli_fail(c, CLI_FAILED, "no_memory",
				"no memory for inputs");
	if (bytes.n)
		memcpy(m.p, bytes.p, bytes.n);
	in->inputs[in->count] = (struct job_input){buffer, bytes.n};
	in->memory[in->count] = m;
	in->count++;
	if (memory_freeze(&in->memory[in->count - 1]))
		return cli_fail(c, CLI_FAILED, "io", "cannot seal an input");
	return CLI_DONE;
}

enum cli_exit local_inputs(struct cli *c, struct local_job *j, uint64_t index,
			   struct local_inputs *ret)
{
	struct build_diag diag = {0};
	struct buf record = buf_make(PROGRAM_TASK_BYTES_MAX);
	enum cli_exit code = CLI_DONE;
	enum err e;

	ret->count = 0;
	e = build_task_open(c->arena, &j->m, &j->files,
			    j->result.encoding.n ? &j->result.id : NULL, index,
			    &ret->task, &diag);
	if (e)
		return compile_fail(c, e, &diag);
	program_task_encode(&record, &ret->task.task);
	ret->record = arena_copy(c->arena, buf_bytes(&record));
	if (record.err || !ret->record.p)
		code = cli_fail(c, CLI_FAILED, "too_large",
				"the task's record is too large");
	buf_free(&record);
	for (uint32_t i = 0; i < ret->task.task.input_count && !code; i++)
		code = input_memory(c, ret, ret->task.input_buffers[i],
				    ret->task.inputs[i]);
	if (code)
		local_inputs_free(j, ret);
	return code;
}

void local_inputs_free(struct local_job *j, struct local_inputs *in)
{
	for (uint32_t i = 0; i < in->count; i++)
		memory_free(&in->memory[i]);
	in->count = 0;
	build_task_close(&j->files, &in->task);
}

static enum cli_exit take_built(struct cli *c, struct local_job *j,
				struct client *client)
{
	struct bytes answer = arena_copy(c->arena, client_answer(client));

	if (!answer.p || job_built_decode(c->arena, answer, &j->built) ||
	    build_result_decode(c->arena, j->built.result, &j->result))
		return work_bad_answer(c);
	return CLI_DONE;
}

/* How to build: sampled tasks are quoted one at a time. */
struct building {
	bool want_quote;
	bool any_class;
	uint64_t task;	     /* to sample */
	uint64_t budget_ops; /* 0: the default */
};

static void encode_build(struct buf *out, struct cli *c, struct local_job *j,
			 const struct local_inputs *in,
			 const struct building *how)
{
	struct job_file *ptx = ARENA_ARRAY(c->arena, (size_t)j->ptx_count + 1,
					   struct job_file);
	struct job_build b = {
		.manifest = j->text,
		.manifest_name = bytes_str(j->path),
		.ptx = ptx,
		.ptx_count = j->ptx_count,
		.files = j->sent,
		.file_count = j->sent_count,
		.want_quote = how->want_quote,
		.any_class = how->any_class,
		.task = in->record,
		.inputs = (struct job_input *)in->inputs,
		.input_count = in->count,
		.seed = QUOTE_SEED,
		.budget_ops = how->budget_ops,
		.how = j->how,
	};

	if (!ptx) {
		out->err = ERR_NO_MEMORY;
		return;
	}
	for (uint32_t i = 0; i < j->ptx_count; i++)
		ptx[i] = (struct job_file){0, bytes_str(j->ptx[i].name),
					   j->ptx[i].text};
	job_build_encode(out, &b);
}

static enum cli_exit build_once(struct cli *c, struct local_job *j,
				const struct building *how)
{
	static struct local_inputs in;
	struct buf request = buf_make(WIRE_FRAME_BYTES_MAX);
	int fds[PROGRAM_BUFFERS_MAX];
	struct work w = {.kind = WIRE_BUILD,
			 .request = &request,
			 .fds = fds,
			 .label = how->want_quote ? "quoting" : NULL};
	struct client *client;
	enum cli_exit code = CLI_DONE;

	memset(&in, 0, sizeof(in));
	if (how->want_quote)
		code = local_inputs(c, j, how->task, &in);
	if (code)
		return code;
	for (uint32_t i = 0; i < in.count; i++)
		fds[i] = in.memory[i].fd;
	w.fd_count = in.count;
	encode_build(&request, c, j, &in, how);
	code = work_run(c, &w, &client);
	if (!code) {
		code = take_built(c, j, client);
		client_free(client);
	}
	if (how->want_quote)
		local_inputs_free(j, &in);
	return code;
}

/* The merged header takes the place of the last one. */
static enum cli_exit take_merged(struct cli *c, struct local_job *j,
				 const struct program_header *h,
				 uint64_t limit_ops)
{
	struct buf out = buf_make(PROGRAM_HEADER_BYTES_MAX);

	program_header_encode(&out, h);
	j->built.header = arena_copy(c->arena, buf_bytes(&out));
	buf_free(&out);
	if (!j->built.header.p)
		return cli_fail(c, CLI_FAILED, "no_memory", "out of memory");
	j->built.ops_per_task = h->totals.ops_per_task;
	j->built.cta_ops = h->totals.cta_ops;
	j->built.cta_open = h->totals.cta_open;
	j->built.limit_ops = j->m.limit_ops ? j->m.limit_ops : limit_ops;
	return CLI_DONE;
}

/* Tasks whose inputs differ: several are quoted, and their headers merged. */
static enum cli_exit build_merged(struct cli *c, struct local_job *j,
				  const struct building *how)
{
	struct program_header headers[QUOTED_TASKS_MAX];
	struct program_header *list[QUOTED_TASKS_MAX];
	uint64_t count = j->m.task_count;
	uint64_t slots = count < QUOTED_TASKS_MAX ? count : QUOTED_TASKS_MAX;
	uint64_t limit_ops;

	for (uint64_t i = 0; i < slots; i++) {
		struct building one = *how;
		enum cli_exit code;

		one.task = quote_task_at(QUOTE_SEED, count, slots, i);
		one.budget_ops = QUOTE_BUDGET_OPS / slots;
		code = build_once(c, j, &one);
		/* A class that is not sold, or a finding, ends it. */
		if (code || !j->built.header.n)
			return code;
		if (program_header_decode(c->arena, j->built.header,
					  &headers[i]))
			return work_bad_answer(c);
		list[i] = &headers[i];
	}
	if (quote_merge(list, (uint32_t)slots, count, &limit_ops))
		return cli_fail(c, CLI_FAILED, "overflow",
				"the quotes of the tasks do not add up");
	return take_merged(c, j, &headers[0], limit_ops);
}

enum cli_exit local_build(struct cli *c, struct local_job *j, bool want_quote,
			  bool any_class)
{
	struct building how = {.want_quote = want_quote,
			       .any_class = any_class};

	if (want_quote && j->m.task_count > 1 &&
	    manifest_inputs_per_task(&j->m))
		return build_merged(c, j, &how);
	return build_once(c, j, &how);
}

static bool is_sold(char class_name)
{
	return strchr("ARS", class_name) != NULL;
}

enum cli_exit local_admit(struct cli *c, const struct local_job *j)
{
	struct buf text = buf_make(64u << 10);
	enum cli_exit code;

	if (is_sold(j->result.class_name))
		return CLI_DONE;
	buf_printf(&text, "%s: class %c is not sold (--any-class runs it)",
		   j->path, j->result.class_name);
	for (uint32_t i = 0; i < j->result.launch_count; i++) {
		const struct build_launch *l = &j->result.launches[i];

		if (is_sold(l->class_name))
			continue;
		for (uint32_t k = 0; k < l->reason_count; k++) {
			const struct build_reason *r =
				&j->result.reasons[l->first_reason + k];

			buf_printf(&text, "\n  %.*s%sline %u: %.*s: %.*s; %.*s",
				   (int)r->file.n, (const char *)r->file.p,
				   r->file.n ? " " : "", r->line,
				   (int)r->opcode.n, (const char *)r->opcode.p,
				   (int)r->reason.n, (const char *)r->reason.p,
				   (int)r->hint.n, (const char *)r->hint.p);
		}
	}
	code = cli_fail(c, CLI_REFUSED, "class_refused", "%.*s", (int)text.n,
			(const char *)text.p);
	buf_free(&text);
	return code;
}

enum cli_exit local_sampled(struct cli *c, const struct local_job *j)
{
	struct job_run run = j->built.end;
	struct buf text = buf_make(64u << 10);
	enum cli_exit code;

	if (run.outcome == JOB_OK)
		return CLI_DONE;
	place_find(c, j, &run);
	place_put(&text, j, &run);
	code = cli_fail(c,
			run.outcome == JOB_REFUSED ? CLI_REFUSED : CLI_FAULTED,
			job_outcome_word(run.outcome), "%s%.*s",
			run.outcome == JOB_REFUSED ? "not for sale: "
						   : "a sampled CTA ended as ",
			(int)text.n, (const char *)text.p);
	buf_free(&text);
	return code;
}

void local_print_views(struct view_results *results)
{
	struct buf text = buf_make(VIEW_BYTES_MAX);

	if (view_results_table(results, &text) == ERR_OK &&
	    view_results_plots(results, &text) == ERR_OK && text.n)
		fwrite(text.p, 1, text.n, stdout);
	buf_free(&text);
}

void local_print_files(const struct manifest *m, const char *dir)
{
	const struct {
		bool is_there;
		const char *name;
	} own[] = {{true, "tasks.csv"},
		   {m->frames.is_set, "frames.png"},
		   {m->line.is_set, "line.png"},
		   {m->points.is_set, "points.png"},
		   {m->picture.is_set, "picture.png"}};

	for (uint32_t i = 0; i < m->buffer_count; i++) {
		struct bytes name = m->buffers[i].save;

		if (name.n)
			printf("%s/%.*s\n", dir, (int)name.n,
			       (const char *)name.p);
	}
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (own[i].is_there)
			printf("%s/%s\n", dir, own[i].name);
}
