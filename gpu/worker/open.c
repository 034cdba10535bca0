/*
 * WIRE_OPEN: run a task again up to the sampled steps, and show what an audit
 * needs of each.
 *
 * For one step the objects that it may write are kept twice, before and
 * after; the CTA in question is then run once more on the state before, to
 * see which bytes it reads and writes, and for a chunk one more run of the
 * launch finds the CTA that wrote the drawn byte, and its warp where warps
 * are sampled.  A launch of class R is shown whole.
 */
#include <string.h>

#include "gpu/program/opening.h"
#include "gpu/program/trace.h"
#include "gpu/worker/priv/opener.h"

static struct hash committed(const struct opener *q, uint64_t number)
{
	struct hash h;

	memcpy(h.b, q->t.open->memory_roots.p + number * HASH_BYTES,
	       HASH_BYTES);
	return h;
}

static enum err run_step(struct opener *q, const struct program_launch *step)
{
	struct exec_options o = machine_repeatable(q->m, step, &q->o);
	struct exec_result r;
	enum err e = machine_step(q->m, step, &o, &r);

	if (!e && r.outcome != EXEC_OK)
		return worker_fail(q->w, ERR_REFUSED,
				   "step %llu does not run to its end again",
				   (unsigned long long)step->number);
	return e;
}

/* Hash what the steps so far may have written, and compare with what was
 * committed: an opening of another state would prove nothing. */
static enum err check_state(struct opener *q, uint64_t number)
{
	struct hash want = committed(q, number);
	struct hash root;

	for (uint32_t i = 0; i < q->m->object_count; i++) {
		enum err e =
			q->dirty[i] ? machine_hash_object(q->m, i) : ERR_OK;

		if (e)
			return e;
		q->dirty[i] = false;
	}
	root = program_memory_root(q->m->roots, q->m->object_count);
	if (!hash_eq(&root, &want))
		return worker_fail(q->w, ERR_REFUSED,
				   "the memory root after step %llu is not "
				   "the committed one",
				   (unsigned long long)number);
	return ERR_OK;
}

static void mark_dirty(struct opener *q, const struct program_launch *step)
{
	uint8_t access[PROGRAM_OBJECTS_MAX];

	program_step_access(&q->p, step->step_index, access);
	for (uint32_t i = 0; i < q->m->object_count; i++)
		q->dirty[i] |= (access[i] & PROGRAM_WRITE) != 0;
}

/* Bytes and leaf hashes of the objects that the step may write. */
static enum err keep(struct opener *q, struct side *side)
{
	for (uint32_t i = 0; i < q->m->object_count; i++) {
		const struct exec_buffer *b = &q->m->buffers[i];
		uint64_t count = merkle_leaf_count(b->bytes);
		const struct hash *leaves;
		uint8_t *room;
		enum err e = ERR_OK;

		if (!(q->access[i] & PROGRAM_WRITE) || !b->bytes)
			continue;
		if (!side[i].bytes) {
			e = worker_zeroes(q->w, b->bytes, &side[i].bytes);
			if (!e)
				e = worker_zeroes(q->w, count * HASH_BYTES,
						  &room);
			if (!e)
				side[i].leaves = (struct hash *)room;
		}
		if (!e)
			e = machine_leaves(q->m, i, &leaves);
		if (e)
			return e;
		memcpy(side[i].bytes, b->data, b->bytes);
		memcpy(side[i].leaves, leaves, count * HASH_BYTES);
	}
	return ERR_OK;
}

void opener_put_back(struct opener *q, const struct side *side)
{
	for (uint32_t i = 0; i < q->m->object_count; i++) {
		const struct exec_buffer *b = &q->m->buffers[i];

		if ((q->access[i] & PROGRAM_WRITE) && b->bytes)
			memcpy(b->data, side[i].bytes, b->bytes);
	}
}

static void set_states(struct opener *q)
{
	for (uint32_t i = 0; i < q->m->object_count; i++) {
		struct program_state same = {q->m->buffers[i].data,
					     q->m->tree[i].leaves};
		bool changes = (q->access[i] & PROGRAM_WRITE) &&
			       q->m->buffers[i].bytes;

		q->before_state[i] = same;
		q->after_state[i] = same;
		if (!changes)
			continue;
		q->before_state[i] = (struct program_state){
			q->before[i].bytes, q->before[i].leaves};
		q->after_state[i] = (struct program_state){q->after[i].bytes,
							   q->after[i].leaves};
	}
}

/* From the state that is there to the one after the sampled step. */
static enum err cross_step(struct opener *q)
{
	enum err e;

	program_step_access(&q->p, q->step.step_index, q->access);
	memcpy(q->before_roots, q->m->roots, sizeof(q->before_roots));
	e = keep(q, q->before);
	/* Hashing what was never hashed must not lose the roots. */
	memcpy(q->before_roots, q->m->roots, sizeof(q->before_roots));
	if (!e)
		e = run_step(q, &q->step);
	if (e)
		return e;
	mark_dirty(q, &q->step);
	e = check_state(q, q->step.number);
	if (!e)
		e = keep(q, q->after);
	if (!e)
		set_states(q);
	return e;
}

/* The first warp of a CTA that writes the byte. */
static enum err find_warp(struct opener *q, const struct exec_range *byte,
			  uint32_t warps, struct unit *unit)
{
	struct exec_options o = q->o;

	o.ranges = byte;
	o.range_count = 1;
	o.threads = 1;
	for (uint32_t i = 0; i < warps; i++) {
		struct exec_result r;
		enum err e;

		o.warp = i;
		opener_put_back(q, q->before);
		e = machine_step_ctas(q->m, &q->step, &unit->cta, 1, &o, &r);
		if (e)
			return e;
		if (r.found[0].written) {
			unit->warp = i;
			return ERR_OK;
		}
	}
	return worker_fail(q->w, ERR_REFUSED,
			   "CTA %llu does not write alone what it writes",
			   (unsigned long long)unit->cta);
}

/* Who wrote a byte: a CTA, its warp where warps are sampled, or, of a launch
 * that is one sample, all. */
static enum err find_unit(struct opener *q, const struct exec_range *byte,
			  struct unit *unit)
{
	struct exec_options o = machine_repeatable(q->m, &q->step, &q->o);
	uint32_t warps = program_launch_warps(&q->p, &q->step);
	struct exec_result r;
	enum err e;

	if (program_launch_is_whole(&q->p, &q->step)) {
		*unit = (struct unit){.warp = PROGRAM_WARP_ALL, .whole = true};
		return ERR_OK;
	}
	o.ranges = byte;
	o.range_count = 1;
	opener_put_back(q, q->before);
	e = machine_step(q->m, &q->step, &o, &r);
	if (e || !r.found[0].written)
		return e;
	unit->cta = r.found[0].writer;
	return warps ? find_warp(q, byte, warps, unit) : ERR_OK;
}

/* What wrote the drawn byte of a chunk. */
static enum err find_writer(struct opener *q, const struct program_sample *s,
			    struct unit *unit)
{
	struct exec_range byte;
	uint32_t object;
	uint64_t offset;
	uint32_t bytes;
	uint32_t at;
	enum err e;

	e = program_chunk_find(&q->p, q->step.step_index, s->number, &object,
			       &offset, &bytes);
	if (e)
		return worker_fail(q->w, ERR_REFUSED,
				   "the step writes no such chunk");
	if (program_chunk_byte(
		    &q->t.open->seed, s,
		    bytes_of(q->before_state[object].bytes + offset, bytes),
		    bytes_of(q->after_state[object].bytes + offset, bytes),
		    &at))
		return ERR_OK; /* nothing differs */
	if (q->step.kind != PROGRAM_STEP_LAUNCH)
		return ERR_OK;
	byte = (struct exec_range){object, offset + at, 1};
	return find_unit(q, &byte, unit);
}

/* count more ranges of room behind the old ones. */
static struct program_range *grow(struct opener *q,
				  const struct program_range *old,
				  size_t old_count, size_t count)
{
	struct program_range *list = ARENA_ARRAY(
		q->w->arena, old_count + count + 1, struct program_range);

	if (list && old_count)
		memcpy(list, old, old_count * sizeof(*list));
	return list;
}

/* What a run read and wrote, beside what is shown already. */
static enum err add_ranges(struct opener *q, const struct exec_result *r,
			   struct program_witness *x)
{
	struct program_range *reads =
		grow(q, x->reads, x->read_count, r->read_count);
	struct program_range *writes =
		grow(q, x->writes, x->write_count, r->write_count);

	if (!reads || !writes)
		return ERR_NO_MEMORY;
	/* Constants lie behind the objects and are proved by the program. */
	for (size_t i = 0; i < r->read_count; i++)
		if (r->reads[i].buffer < q->m->object_count)
			reads[x->read_count++] = (struct program_range){
				r->reads[i].buffer, r->reads[i].offset,
				r->reads[i].bytes};
	for (size_t i = 0; i < r->write_count; i++)
		writes[x->write_count++] = (struct program_range){
			r->writes[i].buffer, r->writes[i].offset,
			r->writes[i].bytes};
	x->reads = reads;
	x->writes = writes;
	return ERR_OK;
}

/* Which bytes CTAs touch in this order, on the state before the step; none:
 * the whole launch. */
static enum err trace_ctas(struct opener *q, const uint64_t *ctas,
			   uint32_t count, uint32_t warp,
			   struct program_witness *x)
{
	struct exec_options o = q->o;
	struct exec_result r;
	enum err e;

	o.record_reads = true;
	o.record_writes = true;
	o.threads = 1;
	o.warp = warp == PROGRAM_WARP_ALL ? EXEC_WARP_ALL : warp;
	opener_put_back(q, q->before);
	if (count)
		e = machine_step_ctas(q->m, &q->step, ctas, count, &o, &r);
	else
		e = machine_step(q->m, &q->step, &o, &r);
	if (e)
		return e;
	if (r.outcome != EXEC_OK)
		return worker_fail(q->w, ERR_REFUSED,
				   "CTA %llu does not run alone",
				   (unsigned long long)r.cta);
	return add_ranges(q, &r, x);
}

static enum err trace_unit(struct opener *q, const struct unit *unit,
			   struct program_witness *x)
{
	const uint64_t orders[2][2] = {{unit->cta, unit->other},
				       {unit->other, unit->cta}};
	enum err e;

	if (!unit->pair)
		return trace_ctas(q, orders[0], unit->whole ? 0 : 1, unit->warp,
				  x);
	/* what one leaves may send the other elsewhere */
	e = trace_ctas(q, orders[0], 2, unit->warp, x);
	return e ? e : trace_ctas(q, orders[1], 2, unit->warp, x);
}

static struct program_witness witness_of(struct opener *q)
{
	const struct job_open *open = q->t.open;

	return (struct program_witness){
		.program = &q->p,
		.task_leaves = (const struct hash *)open->task_leaves.p,
		.task_count = open->task_leaves.n / HASH_BYTES,
		.task = q->t.task,
		.result_leaves = (const struct hash *)open->result_leaves.p,
		.done_count = open->result_leaves.n / HASH_BYTES,
		.result_position = open->result_position,
		.result = open->result,
		.memory_roots = (const struct hash *)open->memory_roots.p,
		.memory_root_count = open->memory_roots.n / HASH_BYTES,
		.before_roots = q->before_roots,
		.after_roots = q->m->roots,
		.before = q->before_state,
		.after = q->after_state,
	};
}

/* Whose accesses an opening shows; cta stays NONE if nobody's. */
static enum err shown_unit(struct opener *q, const struct program_sample *s,
			   struct unit *unit)
{
	bool is_launch = q->step.kind == PROGRAM_STEP_LAUNCH;
	bool is_whole = program_launch_is_whole(&q->p, &q->step);

	switch (s->kind) {
	case PROGRAM_SAMPLE_CHUNK:
		return find_writer(q, s, unit);
	case PROGRAM_SAMPLE_CTA:
		if (!is_launch || is_whole || s->number >= q->step.cta_count)
			return worker_fail(q->w, ERR_REFUSED, "no such CTA");
		*unit = (struct unit){.cta = s->number, .warp = s->warp};
		return ERR_OK;
	case PROGRAM_SAMPLE_LAUNCH:
		if (!is_whole)
			return worker_fail(q->w, ERR_REFUSED,
					   "a launch of CTAs is no sample");
		*unit = (struct unit){.warp = PROGRAM_WARP_ALL, .whole = true};
		return ERR_OK;
	case PROGRAM_SAMPLE_PAIR:
		if (!is_launch || is_whole || s->number >= q->step.cta_count)
			return worker_fail(q->w, ERR_REFUSED, "no such CTA");
		*unit = (struct unit){.cta = s->number,
				      .warp = PROGRAM_WARP_ALL,
				      .pair = true};
		return opener_find_other(q, unit);
	}
	return worker_fail(q->w, ERR_MALFORMED, "no such kind of sample");
}

static enum err open_sample(struct opener *q, uint32_t index)
{
	const struct program_sample *s = &q->t.open->samples[index];
	struct program_witness x = witness_of(q);
	bool is_chunk = s->kind == PROGRAM_SAMPLE_CHUNK;
	struct program_opening opening;
	struct buf out = buf_make(JOB_RECORD_BYTES_MAX);
	struct unit unit = {.cta = PROGRAM_WRITER_NONE,
			    .warp = PROGRAM_WARP_ALL};
	uint64_t writer = PROGRAM_WRITER_NONE;
	enum err e = shown_unit(q, s, &unit);

	if (!e && unit.cta != PROGRAM_WRITER_NONE)
		e = trace_unit(q, &unit, &x);
	opener_put_back(q, q->after);
	if (is_chunk)
		writer = unit.cta;
	else if (unit.pair)
		writer = unit.other;
	if (!e)
		e = program_opening_build(q->w->arena, &x, s, writer, &opening);
	if (e)
		return e;
	if (is_chunk)
		opening.writer_warp = unit.warp;
	program_opening_encode(&out, &opening);
	q->openings[index] = buf_bytes(&out); /* until the process ends */
	return out.err;
}

/* All samples of the step just ahead. */
static enum err open_step(struct opener *q)
{
	enum err e = check_state(q, q->step.number - 1);

	if (!e)
		e = cross_step(q);
	for (uint32_t i = 0; i < q->t.open->sample_count && !e; i++)
		if (q->t.open->samples[i].step_number == q->step.number)
			e = open_sample(q, i);
	return e;
}

static bool is_sampled(const struct opener *q, uint64_t number)
{
	for (uint32_t i = 0; i < q->t.open->sample_count; i++)
		if (q->t.open->samples[i].step_number == number)
			return true;
	return false;
}

static enum err open_all(struct opener *q)
{
	struct program_walk walk;
	enum err e;

	program_walk_start(&walk, &q->p);
	while (!(e = program_walk_next(&walk, &q->step))) {
		if (is_sampled(q, q->step.number))
			e = open_step(q);
		else
			e = run_step(q, &q->step);
		if (e)
			return e;
		mark_dirty(q, &q->step);
		worker_progress(q->w, q->step.number,
				program_launch_count(&q->p));
	}
	return e == ERR_NOT_FOUND ? ERR_OK : e;
}

/* What the request claims must have the shape of the program. */
static enum err check_request(const struct opener *q)
{
	const struct job_open *open = q->t.open;
	uint64_t steps = program_launch_count(&q->p);

	if (!open || !open->sample_count ||
	    open->memory_roots.n != (steps + 1) * HASH_BYTES)
		return ERR_MALFORMED;
	for (uint32_t i = 0; i < open->sample_count; i++)
		if (open->samples[i].step_number < 1 ||
		    open->samples[i].step_number > steps)
			return ERR_MALFORMED;
	return ERR_OK;
}

enum err worker_open(struct worker *w, struct bytes request, struct buf *answer)
{
	static struct machine m;
	static struct opener q;
	struct job_task_done done = {.run = {.outcome = JOB_OK}};
	enum err e;

	q.w = w;
	q.m = &m;
	q.o = EXEC_OPTIONS_DEFAULT;
	e = worker_task_begin(w, request, &q.t, &q.p, &q.task);
	if (!e && check_request(&q))
		e = worker_fail(w, ERR_MALFORMED,
				"the samples do not fit the program");
	if (!e)
		e = worker_how(w, &q.t.how, &q.o);
	if (!e)
		e = machine_init(&m, w, &q.p, &q.task, q.t.inputs,
				 q.t.input_count);
	if (!e)
		e = open_all(&q);
	if (e)
		return e;
	done.steps = program_launch_count(&q.p);
	done.openings = q.openings;
	done.opening_count = q.t.open->sample_count;
	job_task_done_encode(answer, &done);
	return ERR_OK;
}
