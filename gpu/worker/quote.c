/*
 * The quote runs sampled CTAs of every step in the state that the task has
 * there; gpu/build plans and sums, this file runs.
 */
#include "gpu/worker/priv/quoting.h"

#include <string.h>

#include "gpu/build/quote.h"
#include "gpu/program/header.h"

/* CTAs of a step whose opening is measured: the first and the last. */
#define OPENINGS_MEASURED 2u

/* Copy what the step may write aside, or back. */
static enum err save(struct quoting *q, const uint8_t *access)
{
	for (uint32_t i = 0; i < q->m->object_count; i++) {
		const struct exec_buffer *b = &q->m->buffers[i];

		if (!(access[i] & PROGRAM_WRITE) || !b->bytes)
			continue;
		if (!q->saved[i]) {
			enum err e =
				worker_zeroes(q->w, b->bytes, &q->saved[i]);

			if (e)
				return e;
		}
		memcpy(q->saved[i], b->data, b->bytes);
	}
	return ERR_OK;
}

static void restore(struct quoting *q, const uint8_t *access)
{
	for (uint32_t i = 0; i < q->m->object_count; i++) {
		const struct exec_buffer *b = &q->m->buffers[i];

		if ((access[i] & PROGRAM_WRITE) && b->bytes)
			memcpy(b->data, q->saved[i], b->bytes);
	}
}

/* Note how it ended; true if that is a finding or worse. */
static enum err note_end(struct quoting *q, const struct program_launch *step,
			 const struct exec_result *r, bool *ret_bad)
{
	enum err e = worker_run_report(
		q->w, r, q->p.parts[step->part_index].entry, &q->built.end);

	q->built.end.step = step->number;
	*ret_bad = r->outcome != EXEC_OK || r->finding_count;
	if (!e && *ret_bad && r->outcome == EXEC_OK)
		q->built.end.outcome = JOB_VOID;
	return e;
}

static enum err fill_fault(struct quoting *q, struct quote_fault *why)
{
	const struct job_run *end = &q->built.end;

	why->cta = end->cta;
	why->outcome = job_outcome_word(end->outcome);
	why->text = arena_printf(
		q->w->arena, "%.*s, line %llu: %.*s", (int)end->kernel.n,
		(const char *)end->kernel.p, (unsigned long long)end->line,
		(int)end->text.n, (const char *)end->text.p);
	return why->text ? ERR_REFUSED : ERR_NO_MEMORY;
}

static uint64_t rounded_to_leaves(uint64_t offset, uint64_t bytes)
{
	uint64_t first = offset / MERKLE_LEAF_BYTES;
	uint64_t last =
		(offset + bytes + MERKLE_LEAF_BYTES - 1) / MERKLE_LEAF_BYTES;

	return (last - first) * MERKLE_LEAF_BYTES;
}

/* What an audit of this CTA would have to be shown: its reads, and its
 * writes before and after. */
static enum err measure_opening(struct quoting *q,
				const struct program_launch *step, uint64_t cta,
				uint64_t *ret_bytes)
{
	struct exec_options o = q->o;
	struct exec_result r;
	uint64_t bytes = 0;
	enum err e;

	o.record_writes = true;
	o.record_reads = true;
	o.threads = 1;
	e = machine_step_ctas(q->m, step, &cta, 1, &o, &r);
	if (e)
		return e;
	for (size_t i = 0; i < r.write_count; i++)
		bytes += 2 * rounded_to_leaves(r.writes[i].offset,
					       r.writes[i].bytes);
	for (size_t i = 0; i < r.read_count; i++)
		bytes += rounded_to_leaves(r.reads[i].offset, r.reads[i].bytes);
	*ret_bytes = bytes;
	return ERR_OK;
}

static enum err measure_openings(struct quoting *q,
				 const struct program_launch *step,
				 const uint64_t *ctas, uint32_t count,
				 uint64_t *ret_most)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < OPENINGS_MEASURED && i < count; i++) {
		uint64_t cta = i ? ctas[count - 1] : ctas[0];
		uint64_t bytes;
		enum err e = measure_opening(q, step, cta, &bytes);

		if (e)
			return e;
		if (bytes > most)
			most = bytes;
	}
	*ret_most = most;
	return ERR_OK;
}

static enum err quote_sample(void *ctx, const struct program_launch *launch,
			     const uint64_t *ctas, uint32_t count,
			     struct quote_cta *ret_ctas,
			     struct quote_fault *reterr_fault)
{
	struct quoting *q = ctx;
	struct exec_options o = q->o;
	struct exec_result r;
	uint8_t access[PROGRAM_OBJECTS_MAX];
	uint64_t open_bytes = 0;
	uint64_t *counts = ARENA_ARRAY(q->w->arena, count, uint64_t);
	bool bad = false;
	enum err e;

	if (!counts)
		return ERR_NO_MEMORY;
	program_step_access(&q->p, launch->step_index, access);
	e = save(q, access);
	if (e)
		return e;
	o.sanitize = true;
	o.ret_cta_counts = counts;
	e = machine_step_ctas(q->m, launch, ctas, count, &o, &r);
	if (!e)
		e = note_end(q, launch, &r, &bad);
	if (!e && bad)
		e = fill_fault(q, reterr_fault);
	if (!e)
		e = measure_openings(q, launch, ctas, count, &open_bytes);
	restore(q, access);
	for (uint32_t i = 0; i < count && !e; i++)
		ret_ctas[i] = (struct quote_cta){counts[i], r.cta_cost_most,
						 open_bytes};
	return e;
}

static enum err quote_advance(void *ctx, const struct program_launch *launch,
			      uint64_t *ret_ops,
			      struct quote_fault *reterr_fault)
{
	struct quoting *q = ctx;
	struct exec_result r;
	bool bad = false;
	enum err e = machine_step(q->m, launch, &q->o, &r);

	if (e)
		return e;
	worker_progress(q->w, launch->number, program_launch_count(&q->p));
	*ret_ops = r.count;
	if (launch->kind != PROGRAM_STEP_LAUNCH)
		return ERR_OK;
	e = note_end(q, launch, &r, &bad);
	return !e && bad ? fill_fault(q, reterr_fault) : e;
}

/* Another task of the job: its own index and columns, and its inputs if they
 * can be opened, else the same. */
static enum err quote_task(void *ctx, uint64_t index)
{
	struct quoting *q = ctx;

	if (q->open_task) {
		enum err e = q->open_task(q, index);

		return e ? e : machine_reset(q->m);
	}
	q->task.index = index;
	for (uint32_t i = 0; i < q->task.column_count; i++) {
		enum err e = manifest_carried_value(q->manifest, i, index,
						    &q->task.columns[i]);

		if (e)
			return e;
	}
	return machine_reset(q->m);
}

enum err quoting_make(struct quoting *q)
{
	const struct manifest *manifest = q->manifest;
	struct quote_options options = {.seed = q->seed,
					.task_count = manifest->task_count,
					.budget_ops = q->budget_ops,
					.cta_ops = manifest->cta_ops,
					.limit_ops = manifest->limit_ops};
	struct quote_ops ops = {q, quote_sample, quote_advance, quote_task};
	struct buf out = buf_make(PROGRAM_HEADER_BYTES_MAX);
	struct quote_fault fault = {0};
	struct program_header h;
	struct quote quote;
	enum err e = program_header_make(q->w->arena, &q->p, &h);

	/* Tasks whose inputs are not here are quoted in workers of their own
	 * (quote_merge). */
	if (!q->open_task && manifest_inputs_per_task(manifest))
		ops.task = NULL;
	if (!e)
		e = quote_make(q->w->arena, &q->p, &options, &ops, &h, &quote,
			       &fault);
	if (e == ERR_REFUSED && q->built.end.outcome != JOB_OK)
		return ERR_OK; /* the answer says how it ended */
	if (e)
		return e;
	program_header_encode(&out, &h);
	q->built.header = buf_bytes(&out); /* until the process ends */
	q->built.ops_per_task = h.totals.ops_per_task;
	q->built.limit_ops = quote.limit_ops;
	q->built.cta_ops = h.totals.cta_ops;
	q->built.cta_cost = quote.cta_cost;
	q->built.cta_open = quote.cta_open;
	q->built.sampled_ops = quote.spent_ops;
	q->built.is_estimate = quote.is_estimate;
	q->built.end = (struct job_run){.outcome = JOB_OK};
	return out.err;
}

enum err quoting_begin(struct quoting *q, struct bytes encoding,
		       struct bytes task, const struct job_input *inputs,
		       uint32_t input_count)
{
	static struct machine m;
	enum err e;

	q->m = &m;
	e = program_decode(q->w->arena, encoding, &q->p);
	if (e)
		return worker_fail(q->w, e, "the program does not decode");
	e = program_task_decode(q->w->arena, task, &q->task);
	if (!e)
		e = program_task_fits(&q->p, &q->task);
	if (e)
		return worker_fail(q->w, e, "the task does not fit");
	return machine_init(&m, q->w, &q->p, &q->task, inputs, input_count);
}

bool quoting_is_sold(char class_name)
{
	return class_name == 'A' || class_name == 'B' || class_name == 'R' ||
	       class_name == 'S';
}

enum err quoting_fail(struct worker *w, enum err e,
		      const struct build_diag *diag)
{
	if (diag->text) {
		buf_reset(&w->words);
		build_diag_put(&w->words, diag);
	}
	return e;
}
