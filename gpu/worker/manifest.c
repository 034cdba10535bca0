/*
 * WIRE_MANIFEST: everything between a manifest and a job that can be posted,
 * in one worker.  Its CUDA C is compiled here when NVRTC is installed; a
 * manifest with PTX needs none.
 */
#include "gpu/build/manifest.h"

#include <string.h>

#include "gpu/build/build.h"
#include "gpu/build/compile.h"
#include "gpu/worker/priv/quoting.h"

struct planning {
	struct worker *w;
	struct job_manifest r;
	struct manifest m;
	struct build_files files;
	struct build_files_memory memory;
	struct build_text *ptx;
	struct build_result result;
	struct build_task open; /* the task whose inputs are at hand */
	bool is_open;
	struct job_planned planned;
	struct quoting quote;
};

/* What preparing found, for a manifest that turns out to need it. */
static struct buf why_no_compiler;

enum err worker_manifest_prepare(struct worker *w,
				 const char *const **ret_folders)
{
	enum err e = worker_compile_prepare(w, ret_folders);

	if (e != ERR_NO_COMPILER)
		return e;
	why_no_compiler = buf_make(64u << 10);
	buf_put_bytes(&why_no_compiler, buf_bytes(&w->words));
	return ERR_OK;
}

static enum err take_files(struct planning *p)
{
	struct build_file *files = ARENA_ARRAY(
		p->w->arena, (size_t)p->r.file_count + 1, struct build_file);

	if (!files)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < p->r.file_count; i++)
		files[i] = (struct build_file){
			(enum build_source_kind)p->r.files[i].kind,
			p->r.files[i].name, p->r.files[i].bytes};
	p->memory = (struct build_files_memory){files, p->r.file_count};
	p->files = build_files_memory(&p->memory);
	return ERR_OK;
}

static enum err read_ptx(struct planning *p)
{
	struct build_diag diag = {.file = p->m.file};

	for (uint32_t i = 0; i < p->m.source_count; i++) {
		struct build_data data;
		enum err e = build_open(&p->files, &p->m.sources[i],
					PTX_TEXT_BYTES_MAX, &data, &diag.text);

		diag.at = p->m.sources[i].at;
		if (e)
			return quoting_fail(p->w, e, &diag);
		p->ptx[i] = (struct build_text){"ptx", data.bytes};
	}
	return ERR_OK;
}

static enum err compile(struct planning *p)
{
	struct build_diag diag = {0};
	struct build_unit *units;
	uint32_t count;
	enum err e = build_units(p->w->arena, &p->m, &p->files, &units, &count,
				 &diag);

	if (!e && !p->w->compiler)
		return worker_fail(p->w, ERR_NO_COMPILER, "%.*s",
				   (int)why_no_compiler.n,
				   (const char *)why_no_compiler.p);
	for (uint32_t i = 0; i < count && !e; i++) {
		p->ptx[i].name = units[i].source.name;
		e = build_compile(p->w->compiler, p->w->arena, &units[i],
				  &p->ptx[i].text, &diag);
	}
	return e ? quoting_fail(p->w, e, &diag) : ERR_OK;
}

static enum err build(struct planning *p)
{
	struct build_diag diag = {0};
	struct buf *record;
	enum err e = manifest_read(p->w->arena, p->r.manifest, "manifest",
				   &p->files, &p->m, &diag);

	if (e)
		return quoting_fail(p->w, e, &diag);
	p->ptx = ARENA_ARRAY(p->w->arena, (size_t)p->m.source_count + 1,
			     struct build_text);
	record = ARENA_NEW(p->w->arena, struct buf);
	if (!p->ptx || !record)
		return ERR_NO_MEMORY;
	e = p->m.is_ptx ? read_ptx(p) : compile(p);
	if (e)
		return e;
	e = build_program(p->w->arena, &p->m, p->ptx, p->m.source_count,
			  &p->files, &p->result, &diag);
	if (e)
		return quoting_fail(p->w, e, &diag);
	*record = buf_make(JOB_RECORD_BYTES_MAX);
	build_result_encode(record, &p->result);
	p->planned.built.result = buf_bytes(record);
	p->planned.program = p->result.encoding;
	return record->err;
}

static enum err take_task(void *ctx, uint64_t index, struct bytes encoded)
{
	struct planning *p = ctx;
	struct bytes copy = arena_copy(p->w->arena, encoded);

	if (index != p->planned.task_count || index >= p->m.task_count)
		return ERR_MALFORMED;
	if (!copy.p)
		return ERR_NO_MEMORY;
	p->planned.tasks[p->planned.task_count++] = copy;
	worker_progress(p->w, index, p->m.task_count);
	return ERR_OK;
}

static enum err encode_tasks(struct planning *p)
{
	struct build_diag diag = {0};
	struct hash root;
	enum err e;

	if (p->m.task_count > JOB_TASKS_MAX)
		return worker_fail(p->w, ERR_LIMIT, "over %u tasks",
				   JOB_TASKS_MAX);
	p->planned.tasks = ARENA_ARRAY(p->w->arena, (size_t)p->m.task_count + 1,
				       struct bytes);
	if (!p->planned.tasks)
		return ERR_NO_MEMORY;
	e = build_tasks_root(p->w->arena, &p->m, &p->files, &p->result.id,
			     &root, &diag, take_task, p);
	return e ? quoting_fail(p->w, e, &diag) : ERR_OK;
}

/* Inputs of a task into the machine; its record becomes the present one. */
static enum err open_task(struct quoting *q, uint64_t index)
{
	struct planning *p = q->ctx;
	struct build_diag diag = {0};
	enum err e;

	if (p->is_open)
		build_task_close(&p->files, &p->open);
	e = build_task_open(p->w->arena, &p->m, &p->files, &p->result.id, index,
			    &p->open, &diag);
	p->is_open = e == ERR_OK;
	if (e)
		return quoting_fail(p->w, e, &diag);
	q->task = p->open.task;
	for (uint32_t i = 0; i < p->open.task.input_count; i++)
		q->m->given[p->open.input_buffers[i]] = p->open.inputs[i];
	return ERR_OK;
}

static enum err quote(struct planning *p)
{
	struct quoting *q = &p->quote;
	enum err e;

	*q = (struct quoting){.w = p->w,
			      .manifest = &p->m,
			      .seed = p->r.seed,
			      .budget_ops = p->r.budget_ops,
			      .o = EXEC_OPTIONS_DEFAULT,
			      .open_task = open_task,
			      .ctx = p};
	q->built.result = p->planned.built.result;
	e = worker_how(p->w, &(struct job_how){0}, &q->o);
	if (!e)
		e = quoting_begin(q, p->result.encoding, p->planned.tasks[0],
				  NULL, 0);
	if (!e)
		e = quoting_make(q);
	if (!e)
		p->planned.built = q->built;
	return e;
}

/* Why launches are not class A, one a line. */
static struct bytes reasons_of(struct planning *p)
{
	struct buf out = buf_make(JOB_REASONS_BYTES_MAX);

	for (uint32_t i = 0; i < p->result.reason_count; i++) {
		const struct build_reason *r = &p->result.reasons[i];

		buf_printf(&out, "%s%.*s: %.*s%sline %u: %.*s: %.*s; %.*s",
			   i ? "\n" : "", (int)r->kernel.n,
			   (const char *)r->kernel.p, (int)r->file.n,
			   (const char *)r->file.p, r->file.n ? " " : "",
			   r->line, (int)r->opcode.n, (const char *)r->opcode.p,
			   (int)r->reason.n, (const char *)r->reason.p,
			   (int)r->hint.n, (const char *)r->hint.p);
	}
	return buf_bytes(&out); /* until the process ends */
}

static void describe(struct planning *p)
{
	p->planned.class_name = bytes_of(&p->result.class_name, 1);
	p->planned.reasons = reasons_of(p);
	p->planned.confidence = p->m.confidence;
	p->planned.samples = p->m.samples;
	p->planned.seconds = p->m.seconds;
}

enum err worker_manifest(struct worker *w, struct bytes request,
			 struct buf *answer)
{
	static struct planning p;
	enum err e;

	p.w = w;
	e = job_manifest_decode(w->arena, request, &p.r);
	if (e)
		return worker_fail(w, ERR_MALFORMED,
				   "not a manifest's request");
	e = take_files(&p);
	if (!e)
		e = build(&p);
	if (!e)
		e = encode_tasks(&p);
	if (!e && p.r.want_quote && quoting_is_sold(p.result.class_name))
		e = quote(&p);
	if (e)
		return e;
	describe(&p);
	job_planned_encode(answer, &p.planned);
	return ERR_OK;
}
