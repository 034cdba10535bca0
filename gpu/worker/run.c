/*
 * How to run, and what a run came to, between the wire's words and gpu/exec.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <string.h>

#include "gpu/worker/priv/job.h"

/* The numbers on the wire are the executor's. */
_Static_assert((int)JOB_OK == (int)EXEC_OK, "outcome");
_Static_assert((int)JOB_FAULT == (int)EXEC_FAULT, "outcome");
_Static_assert((int)JOB_VOID == (int)EXEC_VOID, "outcome");
_Static_assert((int)JOB_OVER == (int)EXEC_OVER, "outcome");
_Static_assert((int)JOB_REFUSED == (int)EXEC_REFUSED, "outcome");
_Static_assert((int)JOB_INCOMPLETE == (int)EXEC_INCOMPLETE, "outcome");
_Static_assert((int)JOB_CANCELLED == (int)EXEC_CANCELLED, "outcome");

static uint32_t allowed_threads(void)
{
	cpu_set_t set;
	int count;

	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	count = CPU_COUNT(&set);
	return count < 1 ? 1 : (uint32_t)count;
}

enum err worker_how(struct worker *w, const struct job_how *how,
		    struct exec_options *o)
{
	uint32_t threads = how->threads ? how->threads : w->limits.threads;

	if (!threads)
		threads = allowed_threads();
	o->threads = threads > EXEC_THREADS_MAX ? EXEC_THREADS_MAX : threads;
	o->sanitize = how->sanitize;
	o->runs_on = how->sanitize;
	if (!how->lanes.n)
		return ERR_OK;
	if (exec_lanes_parse(how->lanes, &o->lanes))
		return worker_fail(w, ERR_REFUSED, "unknown lanes");
	return ERR_OK;
}

enum err worker_run_report(struct worker *w, const struct exec_result *r,
			   struct bytes kernel, struct job_run *ret)
{
	uint32_t count = (uint32_t)r->finding_count;

	if (r->finding_count > JOB_FINDINGS_MAX)
		count = JOB_FINDINGS_MAX;
	*ret = (struct job_run){
		.outcome = r->outcome,
		.kernel = kernel,
		.line = r->line,
		.source_line = r->source_line,
		.cta = r->cta,
		.thread = r->thread,
		.address = r->address,
		.count = r->count,
		.cost = r->cost,
		.cta_count_most = r->cta_count_most,
	};
	memcpy(ret->grid, r->grid, sizeof(ret->grid));
	memcpy(ret->block, r->block, sizeof(ret->block));
	if (r->reason != EXEC_REASON_none) {
		ret->reason = bytes_str(exec_reason_word(r->reason));
		ret->text = bytes_str(exec_reason_text(r->reason));
	}
	ret->findings = ARENA_ARRAY(w->arena, count, struct job_finding);
	if (!ret->findings && count)
		return ERR_NO_MEMORY;
	ret->finding_count = count;
	for (uint32_t i = 0; i < count; i++) {
		const struct exec_finding *f = &r->findings[i];

		ret->findings[i] = (struct job_finding){
			.kind = bytes_str(exec_reason_word(f->kind)),
			.text = bytes_str(exec_reason_text(f->kind)),
			.line = f->line,
			.source_line = f->source_line,
			.cta = f->cta,
			.thread = f->thread,
			.address = f->address,
			.count = f->count,
			.other_line = f->other_line,
			.other_source_line = f->other_source_line,
			.other_cta = f->other_cta,
			.other_thread = f->other_thread,
			.other_threads = f->other_threads,
		};
	}
	return ERR_OK;
}
