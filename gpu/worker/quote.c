/*
 * The quote runs sampled CTAs of every step in the state that the task has
 * there; gpu/build plans and sums, this file runs.
 */
#include "gpu/worker/priv/quoting.h"

#include <string.h>

#include "base/limits.h"
#include "gpu/build/quote.h"
#include "gpu/program/header.h"

/* CTAs of a launch that are run once more to see what they touch: the first
 * and the last of those that are sampled. */
#define CTAS_MEASURED 4u

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

/* What a CTA may cost at most: one that a dispute could not decide, or that
 * passes what the buyer grants a whole task, is not waited for. */
static void bound(const struct quoting *q, const struct program_launch *step,
		  struct exec_options *o)
{
	uint64_t warps = program_launch_warps(&q->p, step);

	o->cta_count_max = q->manifest->limit_ops;
	if (!q->any_class)
		o->cta_cost_max = DISPUTE_COST_MAX * (warps ? warps : 1);
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

/* One CTA, or one warp of it. */
static enum err measure_unit(struct quoting *q,
			     const struct program_launch *step, uint64_t cta,
			     uint32_t warp, struct shown *most)
{
	struct exec_options o = q->o;
	struct exec_result r;
	struct shown s;
	enum err e;

	o.record_writes = true;
	o.record_reads = true;
	o.threads = 1;
	o.warp = warp;
	bound(q, step, &o);
	e = machine_step_ctas(q->m, step, &cta, 1, &o, &r);
	if (e)
		return e;
	s = quoting_shown(q, step, &r);
	quoting_shown_most(most, &s);
	return ERR_OK;
}

/* A CTA's samples, and whether it writes anything. */
static enum err measure_cta(struct quoting *q,
			    const struct program_launch *step, uint64_t cta,
			    uint64_t ops, struct shown *most)
{
	struct silence *quiet = &q->silence[step->step_index];
	uint32_t warps = program_launch_warps(&q->p, step);
	uint64_t before = most->written_bytes;
	enum err e = ERR_OK;

	if (!warps)
		e = measure_unit(q, step, cta, EXEC_WARP_ALL, most);
	for (uint32_t i = 0; i < warps && !e; i++)
		e = measure_unit(q, step, cta, i, most);
	quiet->ops += ops;
	if (most->written_bytes == before)
		quiet->silent_ops += ops;
	return e;
}

/* Of a search all CTAs are looked at: one that writes nothing refuses it. */
static enum err measure(struct quoting *q, const struct program_launch *step,
			const uint64_t *ctas, const uint64_t *counts,
			uint32_t count, struct shown *most)
{
	bool all = q->p.parts[step->part_index].class == PROGRAM_CLASS_S;
	enum err e = ERR_OK;

	for (uint32_t i = 0; i < count && !e; i++)
		if (all || i < CTAS_MEASURED / 2 ||
		    i + CTAS_MEASURED / 2 >= count)
			e = measure_cta(q, step, ctas[i], counts[i], most);
	return e;
}

/*
 * A sample of a CTA that writes nothing shows nothing: somebody could leave
 * out the work and would never be caught.
 */
static enum err refuse_silent(struct quoting *q,
			      const struct program_launch *step,
			      struct quote_fault *why)
{
	const struct silence *quiet = &q->silence[step->step_index];
	bool search = q->p.parts[step->part_index].class == PROGRAM_CLASS_S;

	if (q->any_class || !quiet->silent_ops)
		return ERR_OK;
	if (search)
		return quoting_refuse(q, step, "writes_by_chance",
				      "a CTA writes nothing at all: write one "
				      "result per CTA with WEFT_WITNESS",
				      why);
	if (quiet->silent_ops <= quiet->ops / 2)
		return ERR_OK;
	return quoting_refuse(q, step, "writes_by_chance",
			      "most of the work is in CTAs that write nothing: "
			      "write one result per CTA with WEFT_WITNESS",
			      why);
}

/* It was stopped where it became too dear: there it may loop for ever. */
static enum err refuse_dear(struct quoting *q,
			    const struct program_launch *step,
			    const struct exec_result *r,
			    struct quote_fault *why)
{
	struct shown s = {.cost = DISPUTE_COST_MAX + 1};
	enum err e;

	if (r->outcome != EXEC_OVER || r->reason != EXEC_REASON_cost_limit)
		return ERR_OK;
	e = quoting_limit(q, step, &s, why);
	q->built.end.cta = r->cta;
	q->built.end.thread = r->thread;
	q->built.end.line = r->line;
	q->built.end.source_line = r->source_line;
	return e;
}

static enum err quote_sample(void *ctx, const struct program_launch *launch,
			     const uint64_t *ctas, uint32_t count,
			     struct quote_cta *ret_ctas,
			     struct quote_fault *reterr_fault)
{
	struct quoting *q = ctx;
	struct exec_options o = q->o;
	struct exec_result r;
	struct shown most = {0};
	uint8_t access[PROGRAM_OBJECTS_MAX];
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
	bound(q, launch, &o);
	e = machine_step_ctas(q->m, launch, ctas, count, &o, &r);
	if (!e)
		e = refuse_dear(q, launch, &r, reterr_fault);
	if (!e)
		e = note_end(q, launch, &r, &bad);
	if (!e && bad)
		e = fill_fault(q, reterr_fault);
	if (!e)
		e = measure(q, launch, ctas, counts, count, &most);
	restore(q, access);
	if (!program_launch_warps(&q->p, launch) && !e)
		most.cost = r.cta_cost_most;
	if (!e)
		e = quoting_limit(q, launch, &most, reterr_fault);
	if (!e)
		e = refuse_silent(q, launch, reterr_fault);
	for (uint32_t i = 0; i < count && !e; i++)
		ret_ctas[i] =
			(struct quote_cta){counts[i], most.cost, most.bytes};
	return e;
}

/* Too dear for a dispute is known when that much is spent. */
static enum err quote_launch(void *ctx, const struct program_launch *launch,
			     struct quote_cta *ret_all, uint64_t *ret_most,
			     struct quote_fault *reterr_fault)
{
	struct quoting *q = ctx;
	struct exec_options o = q->o;
	struct exec_result r;
	struct shown s = {0};
	uint8_t access[PROGRAM_OBJECTS_MAX];
	bool bad = false;
	enum err e = quoting_limit(q, launch, &s, reterr_fault);

	program_step_access(&q->p, launch->step_index, access);
	if (!e)
		e = save(q, access);
	if (e)
		return e;
	o.sanitize = true;
	o.record_reads = true;
	o.record_writes = true;
	bound(q, launch, &o);
	o.cost_max = o.cta_cost_max;
	e = machine_step(q->m, launch, &o, &r);
	restore(q, access);
	if (e)
		return e;
	s = quoting_shown(q, launch, &r);
	e = quoting_limit(q, launch, &s, reterr_fault);
	if (!e)
		e = note_end(q, launch, &r, &bad);
	if (!e && bad)
		e = fill_fault(q, reterr_fault);
	if (e)
		return e;
	*ret_all = (struct quote_cta){r.count, r.cost, s.bytes};
	*ret_most = r.cta_count_most;
	return ERR_OK;
}

static enum err quote_advance(void *ctx, const struct program_launch *launch,
			      uint64_t *ret_ops,
			      struct quote_fault *reterr_fault)
{
	struct quoting *q = ctx;
	struct exec_options o = q->o;
	bool is_launch = launch->kind == PROGRAM_STEP_LAUNCH;
	struct exec_result r;
	bool bad = false;
	enum err e;

	if (is_launch)
		bound(q, launch, &o);
	e = machine_step(q->m, launch, &o, &r);
	if (e)
		return e;
	worker_progress(q->w, launch->number, program_launch_count(&q->p));
	*ret_ops = r.count;
	if (!is_launch)
		return ERR_OK;
	e = refuse_dear(q, launch, &r, reterr_fault);
	if (!e)
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
	struct quote_ops ops = {.ctx = q,
				.sample = quote_sample,
				.advance = quote_advance,
				.task = quote_task,
				.launch = quote_launch};
	struct buf out = buf_make(PROGRAM_HEADER_BYTES_MAX);
	struct quote_fault fault = {0};
	struct program_header h;
	struct quote quote;
	enum err e = program_header_make(q->w->arena, &q->p, &h);

	q->silence = ARENA_ARRAY(q->w->arena, (size_t)q->p.step_count + 1,
				 struct silence);
	if (!e && !q->silence)
		e = ERR_NO_MEMORY;
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
	return class_name == 'A' || class_name == 'R' || class_name == 'S';
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
