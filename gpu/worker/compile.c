/*
 * WIRE_COMPILE: CUDA C to PTX.  NVRTC is loaded and has compiled something
 * before the lock, so that all it opens lazily is open; afterwards it reads
 * the toolkit's headers and nothing else.
 */
#include "gpu/build/compile.h"

#include "gpu/worker/priv/job.h"

enum err worker_compile_prepare(struct worker *w,
				const char *const **ret_folders)
{
	struct build_nvrtc_place *place =
		ARENA_NEW(w->arena, struct build_nvrtc_place);
	struct build_diag diag = {0};
	enum err e;

	if (!place)
		return ERR_NO_MEMORY;
	e = build_nvrtc_find(w->arena, place, &diag);
	if (!e)
		e = build_compiler_new(w->arena, place, &w->compiler, &diag);
	if (e)
		return worker_fail(w, e, "%s",
				   diag.text ? diag.text : err_words(e));
	*ret_folders = place->includes;
	return ERR_OK;
}

enum err worker_compile(struct worker *w, struct bytes request,
			struct buf *answer)
{
	struct build_unit unit;
	struct build_diag diag = {0};
	struct bytes record;
	struct bytes ptx;
	enum err e = job_record_decode(request, &record);

	if (!e)
		e = build_unit_decode(w->arena, record, &unit);
	if (e)
		return worker_fail(w, ERR_MALFORMED, "not a unit to compile");
	e = build_compile(w->compiler, w->arena, &unit, &ptx, &diag);
	if (e) {
		buf_reset(&w->words);
		build_diag_put(&w->words, &diag);
		return e;
	}
	job_record_encode(answer, ptx);
	return ERR_OK;
}
