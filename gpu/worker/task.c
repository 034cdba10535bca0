/*
 * WIRE_TASK: all steps of one task, with the memory root after each.
 */
#include <string.h>

#include "gpu/program/program.h"
#include "gpu/program/task.h"
#include "gpu/program/trace.h"
#include "gpu/program/walk.h"
#include "gpu/worker/priv/machine.h"
#include "gpu/worker/priv/sold.h"

struct run {
	struct worker *w;
	struct machine *m;
	const struct job_task *t;
	struct exec_options o;
	struct job_task_done done;
	struct hash *roots; /* S_0 ... */
	bool *is_sold;	    /* [step as written] was looked at */
	uint64_t total;	    /* steps */
	uint64_t count;	    /* thread-instructions so far */
};

static void note_root(struct run *r, uint64_t number)
{
	r->roots[number] = program_memory_root(r->m->roots, r->m->object_count);
}

/* A provider does not run what no referee would judge as it is sold: its
 * first launch of each kind is classified.  *ret_refused: done says why. */
static enum err refuse_unsold(struct run *r, const struct program_launch *step,
			      bool *ret_refused)
{
	const struct program_part *part = &r->m->p->parts[step->part_index];
	struct program_params params;
	struct ptx_report report;
	enum err e;

	*ret_refused = false;
	if (!r->t->want_roots || step->kind != PROGRAM_STEP_LAUNCH ||
	    r->is_sold[step->step_index])
		return ERR_OK;
	r->is_sold[step->step_index] = true;
	e = machine_load(r->m, step->part_index);
	if (!e)
		e = program_launch_params(r->w->arena, r->m->p, step,
					  r->m->task, &params);
	if (e == ERR_OVERFLOW || e == ERR_REFUSED)
		return ERR_OK; /* running it says so */
	if (!e)
		e = sold_classify(r->w->arena, r->m->trees[step->part_index],
				  part, step, &params, ret_refused, &report);
	if (e)
		return e;
	*ret_refused = *ret_refused || (part->by_warp && !report.by_warp);
	if (*ret_refused)
		r->done.run = (struct job_run){
			.outcome = JOB_REFUSED,
			.reason = BYTES_LIT("class"),
			.text = BYTES_LIT("the launch is of a worse class than "
					  "the program says"),
			.kernel = part->entry,
			.step = step->number};
	return ERR_OK;
}

/* One step, and what it did to the counts.  *ret_go: go on. */
static enum err one_step(struct run *r, const struct program_launch *step,
			 bool *ret_go)
{
	struct exec_result result;
	struct bytes kernel = {0};
	uint64_t begin = worker_now_us();
	struct exec_options o;
	struct job_run end;
	enum err e;

	/* 0 would mean no limit; a used-up one still stops any launch. */
	if (r->t->limit_ops)
		r->o.count_max = r->count < r->t->limit_ops
					 ? r->t->limit_ops - r->count
					 : 1;
	o = r->t->want_roots ? machine_repeatable(r->m, step, &r->o) : r->o;
	e = machine_step(r->m, step, &o, &result);
	if (e)
		return e;
	if (step->kind == PROGRAM_STEP_LAUNCH)
		kernel = r->m->p->parts[step->part_index].entry;
	e = worker_run_report(r->w, &result, kernel, &end);
	if (e)
		return e;
	r->count += result.count;
	end.step = step->number;
	end.count = r->count;
	end.cost = r->done.run.cost + result.cost;
	end.run_us = r->done.run.run_us + worker_now_us() - begin;
	if (end.cta_count_most < r->done.run.cta_count_most)
		end.cta_count_most = r->done.run.cta_count_most;
	r->done.run = end;
	*ret_go = result.outcome == EXEC_OK && !end.finding_count;
	return ERR_OK;
}

static enum err all_steps(struct run *r)
{
	struct program_walk walk;
	struct program_launch step;
	bool go = true;
	enum err e;

	program_walk_start(&walk, r->m->p);
	while (go && !(e = program_walk_next(&walk, &step))) {
		bool refused;
		uint64_t begin;

		e = refuse_unsold(r, &step, &refused);
		if (e || refused)
			return e;
		e = one_step(r, &step, &go);
		if (e)
			return e;
		r->done.steps = step.number;
		worker_progress(r->w, step.number, r->total);
		if (!r->t->want_roots || !go)
			continue;
		begin = worker_now_us();
		e = machine_hash(r->m, &step);
		if (e)
			return e;
		note_root(r, step.number);
		r->done.hash_us += worker_now_us() - begin;
	}
	return go && e != ERR_NOT_FOUND ? e : ERR_OK;
}

static enum err write_outputs(struct run *r)
{
	for (uint32_t i = 0; i < r->t->output_count; i++) {
		uint32_t index = r->t->outputs[i];
		uint8_t *p;
		enum err e;

		if (index >= r->m->p->buffer_count)
			return worker_fail(r->w, ERR_MALFORMED,
					   "buffer %u is no output", index);
		e = worker_next_memory(r->w, r->m->buffers[index].bytes, false,
				       &p);
		if (e)
			return e;
		memcpy(p, r->m->buffers[index].data,
		       r->m->buffers[index].bytes);
	}
	return ERR_OK;
}

enum err worker_task(struct worker *w, struct bytes request, struct buf *answer)
{
	static struct machine m;
	struct program p;
	struct program_task task;
	struct job_task t;
	struct run r = {.w = w, .m = &m, .t = &t, .o = EXEC_OPTIONS_DEFAULT};
	enum err e = worker_task_begin(w, request, &t, &p, &task);

	if (!e)
		e = worker_how(w, &t.how, &r.o);
	if (!e)
		e = machine_init(&m, w, &p, &task, t.inputs, t.input_count);
	if (e)
		return e;
	r.total = program_launch_count(&p);
	r.o.cta_count_max = t.cta_ops;
	if (t.want_roots) {
		r.roots = ARENA_ARRAY(w->arena, r.total + 1, struct hash);
		r.is_sold =
			ARENA_ARRAY(w->arena, (size_t)p.step_count + 1, bool);
		if (!r.roots || !r.is_sold)
			return ERR_NO_MEMORY;
		note_root(&r, 0);
	}
	e = all_steps(&r);
	if (!e && r.done.run.outcome == JOB_OK)
		e = write_outputs(&r);
	if (e)
		return e;
	if (t.want_roots && r.done.run.outcome == JOB_OK) {
		r.done.memory_roots =
			bytes_of(r.roots, (size_t)(r.total + 1) * HASH_BYTES);
		r.done.object_roots =
			bytes_of(m.roots, (size_t)m.object_count * HASH_BYTES);
	}
	job_task_done_encode(answer, &r.done);
	return ERR_OK;
}
