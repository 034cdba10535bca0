/*
 * WIRE_BUILD: a manifest and its PTX become a program, its header and quote.
 * The inputs of the quoted task come as memfds.
 */
#include "gpu/build/build.h"

#include "gpu/build/manifest.h"
#include "gpu/worker/priv/quoting.h"

struct build_job {
	struct worker *w;
	struct job_build b;
};

static enum err make_program(struct build_job *q, struct manifest *ret_manifest,
			     struct build_result *ret_result)
{
	struct arena *a = q->w->arena;
	struct build_diag diag = {0};
	struct build_file *files =
		ARENA_ARRAY(a, (size_t)q->b.file_count + 1, struct build_file);
	struct build_text *ptx =
		ARENA_ARRAY(a, (size_t)q->b.ptx_count + 1, struct build_text);
	struct build_files_memory memory = {files, q->b.file_count};
	struct build_files ops = build_files_memory(&memory);
	const char *name = arena_str(a, q->b.manifest_name);
	enum err e;

	if (!files || !ptx || !name)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < q->b.file_count; i++)
		files[i] = (struct build_file){
			(enum build_source_kind)q->b.files[i].kind,
			q->b.files[i].name, q->b.files[i].bytes};
	for (uint32_t i = 0; i < q->b.ptx_count; i++) {
		ptx[i].name = arena_str(a, q->b.ptx[i].name);
		ptx[i].text = q->b.ptx[i].bytes;
		if (!ptx[i].name)
			return ERR_NO_MEMORY;
	}
	e = manifest_read(a, q->b.manifest, name, &ops, ret_manifest, &diag);
	if (!e)
		e = build_program(a, ret_manifest, ptx, q->b.ptx_count, &ops,
				  ret_result, &diag);
	return e ? quoting_fail(q->w, e, &diag) : ERR_OK;
}

enum err worker_build(struct worker *w, struct bytes request,
		      struct buf *answer)
{
	static struct quoting quote;
	struct build_job q = {.w = w};
	struct build_result result;
	struct manifest manifest;
	struct buf record = buf_make(JOB_RECORD_BYTES_MAX);
	enum err e = job_build_decode(w->arena, request, &q.b);

	if (!e)
		e = make_program(&q, &manifest, &result);
	if (e)
		return e;
	build_result_encode(&record, &result);
	quote = (struct quoting){.w = w,
				 .manifest = &manifest,
				 .seed = q.b.seed,
				 .budget_ops = q.b.budget_ops,
				 .any_class = q.b.any_class,
				 .o = EXEC_OPTIONS_DEFAULT};
	quote.built.result = buf_bytes(&record);
	if (q.b.want_quote &&
	    (q.b.any_class || quoting_is_sold(result.class_name))) {
		e = worker_how(w, &q.b.how, &quote.o);
		if (!e)
			e = quoting_begin(&quote, result.encoding, q.b.task,
					  q.b.inputs, q.b.input_count);
		if (!e)
			e = quoting_make(&quote);
		if (e)
			return e;
	}
	job_built_encode(answer, &quote.built);
	return record.err;
}
