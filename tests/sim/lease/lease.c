/*
 * The lease and its openings.  All states are kept, so that an opening needs
 * no second run of the task.
 */
#include "tests/sim/lease/lease.h"

#include <string.h>

#include "base/must.h"
#include "verify/draw.h"
#include "verify/evidence.h"

static struct hash random_hash(struct sim_random *r)
{
	uint64_t w[4];

	for (int i = 0; i < 4; i++)
		w[i] = sim_random_next(r);
	return sha256(w, sizeof(w));
}

/* State k of task t is what the machine's memory holds. */
static void note_state(struct sim_lease *x, uint32_t t, uint64_t k)
{
	struct machine *m = x->job->machines[t];
	uint8_t access[PROGRAM_OBJECTS_MAX];

	memset(access, PROGRAM_WRITE, sizeof(access));
	if (k)
		program_step_access(m->p, x->job->launches[k].step_index,
				    access);
	for (uint32_t i = 0; i < x->job->objects; i++) {
		const struct exec_buffer *b = &m->buffers[i];

		if (access[i] & PROGRAM_WRITE) {
			must(machine_hash_object(m, i) == ERR_OK);
			x->states[t][k][i] = ARENA_ARRAY(
				x->job->w.arena, (size_t)b->bytes, uint8_t);
			memcpy(x->states[t][k][i], b->data, b->bytes);
		} else {
			x->states[t][k][i] = x->states[t][k - 1][i];
		}
		x->roots[t][k][i] = m->roots[i];
	}
	x->memory_roots[t][k] = program_memory_root(m->roots, x->job->objects);
}

static void set_memory(struct sim_lease *x, uint32_t t, uint64_t k)
{
	struct machine *m = x->job->machines[t];

	for (uint32_t i = 0; i < x->job->objects; i++)
		memcpy(m->buffers[i].data, x->states[t][k][i],
		       m->buffers[i].bytes);
}

static void turn_byte(struct machine *m, const struct sim_unit *u,
		      struct sim_random *r)
{
	const struct program_range *range =
		&u->ranges[sim_random_below(r, u->count)];
	uint64_t at = range->offset + sim_random_below(r, range->bytes);

	m->buffers[range->object_index].data[at] ^=
		(uint8_t)(1 + sim_random_below(r, 255));
}

/* As if the unit had not been run; true if that leaves other bytes. */
static bool undo(struct sim_lease *x, uint32_t t, uint64_t k,
		 const struct sim_unit *u)
{
	bool differs = false;

	for (size_t i = 0; i < u->count; i++) {
		const struct program_range *r = &u->ranges[i];
		uint8_t *at =
			x->job->machines[t]->buffers[r->object_index].data +
			r->offset;
		const uint8_t *was =
			x->states[t][k - 1][r->object_index] + r->offset;

		differs |= memcmp(at, was, r->bytes) != 0;
		memcpy(at, was, r->bytes);
	}
	return differs;
}

static void tamper_cta(struct sim_lease *x, uint32_t t, uint64_t k,
		       uint64_t cta, struct sim_random *r, enum sim_cheat cheat)
{
	const struct sim_footprint *f = &x->job->footprints[t][k];

	for (uint32_t i = 0; i < f->warps; i++) {
		const struct sim_unit *u = &f->units[cta * f->warps + i];

		if (cheat == SIM_SKIP) {
			x->tampered[t][k][cta] |= undo(x, t, k, u);
			continue;
		}
		turn_byte(x->job->machines[t], u, r);
		x->tampered[t][k][cta] = true;
	}
}

/* One CTA of each fraction consecutive ones. */
static void tamper(struct sim_lease *x, uint32_t t, uint64_t k,
		   struct sim_random *r, enum sim_cheat cheat,
		   uint32_t fraction)
{
	uint64_t ctas = x->job->footprints[t][k].ctas;

	if (program_launch_is_whole(&x->job->program, &x->job->launches[k])) {
		if (sim_random_below(r, fraction) < SIM_TAMPERED_LAUNCHES)
			tamper_cta(x, t, k, 0, r, cheat);
		return;
	}
	for (uint64_t first = 0; first + fraction <= ctas; first += fraction)
		tamper_cta(x, t, k, first + sim_random_below(r, fraction), r,
			   cheat);
}

static void run_task(struct sim_lease *x, uint32_t t, struct sim_random *r,
		     enum sim_cheat cheat, uint32_t fraction)
{
	struct sim_job *j = x->job;
	struct machine *m = j->machines[t];

	for (uint32_t i = 0; i < x->job->objects; i++)
		memset(m->buffers[i].data, 0, m->buffers[i].bytes);
	if (cheat != SIM_START)
		memcpy(m->buffers[0].data, j->inputs[t], m->buffers[0].bytes);
	note_state(x, t, 0);
	for (uint64_t k = 1; k <= x->job->steps; k++) {
		struct exec_options o = EXEC_OPTIONS_DEFAULT;
		struct exec_result result;

		must(machine_step(m, &j->launches[k], &o, &result) == ERR_OK);
		must(result.outcome == EXEC_OK);
		x->tampered[t][k] = ARENA_ARRAY(
			j->w.arena, j->launches[k].cta_count + 1, bool);
		if ((cheat == SIM_TAMPER || cheat == SIM_SKIP) &&
		    j->launches[k].kind == PROGRAM_STEP_LAUNCH)
			tamper(x, t, k, r, cheat, fraction);
		note_state(x, t, k);
	}
}

static void note_result(struct sim_lease *x, uint32_t t, enum sim_cheat cheat)
{
	struct arena *a = x->job->w.arena;
	struct hash roots[SIM_OBJECTS_MAX];
	struct program_result r = {.index = t,
				   .steps = x->job->steps,
				   .object_roots = roots,
				   .object_count = x->job->objects};
	struct buf b = buf_make(PROGRAM_RESULT_BYTES_MAX);

	memcpy(roots, x->roots[t][x->job->steps], sizeof(roots));
	if (cheat == SIM_END)
		roots[x->job->objects - 1] = x->roots[t][0][0];
	must(program_trace_root(a, x->memory_roots[t], x->job->steps + 1,
				&r.trace_root) == ERR_OK);
	program_result_encode(&b, &r);
	x->results[t] = arena_copy(a, buf_bytes(&b));
	x->result_leaves[t] = program_result_leaf(x->results[t]);
	buf_free(&b);
}

static uint32_t class_bit(enum program_class c)
{
	return c == PROGRAM_CLASS_R   ? MARKET_CLASS_R
	       : c == PROGRAM_CLASS_S ? MARKET_CLASS_S
				      : MARKET_CLASS_A;
}

static void commit(struct sim_lease *x, struct sim_random *r)
{
	struct ledger_params params = ledger_params_default();
	struct market_lease *l = &x->terms;
	struct hash leaves_root = merkle_list_root(x->result_leaves, SIM_TASKS);
	struct hash key = random_hash(r);

	l->id = random_hash(r);
	memcpy(l->provider.b, key.b, sizeof(l->provider.b));
	l->program_id = x->job->program_id;
	l->tasks_root = x->job->tasks_root;
	l->count = SIM_TASKS;
	l->done = SIM_TASKS;
	l->leaves_root = leaves_root;
	l->result_root =
		program_result_root(&l->id, &l->provider, &leaves_root);
	l->work.cta_ops_max = x->job->header.totals.cta_ops;
	l->work.class_bit = class_bit(x->job->header.class);
	l->sample_count = (uint32_t)params.samples;
	l->referee_version = PROGRAM_REFEREE_VERSION;
	x->seed = random_hash(r); /* of a later height */
}

struct sim_lease *sim_lease_make(struct sim_job *job, struct sim_random *r,
				 enum sim_cheat cheat, uint32_t fraction)
{
	struct sim_lease *x = ARENA_NEW(job->w.arena, struct sim_lease);

	must(x && fraction > 0);
	x->job = job;
	for (uint32_t t = 0; t < SIM_TASKS; t++) {
		run_task(x, t, r, cheat, fraction);
		note_result(x, t, cheat);
	}
	commit(x, r);
	return x;
}

struct program_sample sim_sample(const struct sim_lease *x, uint32_t index)
{
	struct ledger_params params = ledger_params_default();
	struct verify_draw d = verify_draw_of(&params, &x->terms, &x->seed);
	struct program_sample s;

	must(verify_draw_sample(&d, &x->job->program, &x->job->header, index,
				&s) == ERR_OK);
	return s;
}

static struct program_witness witness_of(const struct sim_lease *x, uint32_t t,
					 uint64_t k,
					 struct program_state *before,
					 struct program_state *after)
{
	for (uint32_t i = 0; i < x->job->objects; i++) {
		before[i].bytes = x->states[t][k - 1][i];
		after[i].bytes = x->states[t][k][i];
	}
	return (struct program_witness){
		.program = &x->job->program,
		.task_leaves = x->job->leaves,
		.task_count = SIM_TASKS,
		.task = x->job->encoded[t],
		.result_leaves = x->result_leaves,
		.done_count = SIM_TASKS,
		.result_position = t,
		.result = x->results[t],
		.memory_roots = x->memory_roots[t],
		.memory_root_count = x->job->steps + 1,
		.before_roots = x->roots[t][k - 1],
		.after_roots = x->roots[t][k],
		.before = before,
		.after = after,
	};
}

static bool writes(const struct sim_unit *u, uint32_t object, uint64_t offset)
{
	for (size_t i = 0; i < u->count; i++)
		if (u->ranges[i].object_index == object &&
		    offset - u->ranges[i].offset < u->ranges[i].bytes)
			return true;
	return false;
}

/* The unit that wrote a byte; the executor's finder says the same. */
static uint64_t writer_of(const struct sim_lease *x, uint32_t t, uint64_t k,
			  uint32_t object, uint64_t offset)
{
	const struct sim_footprint *f = &x->job->footprints[t][k];

	for (uint64_t i = 0; i < f->ctas * f->warps; i++)
		if (writes(&f->units[i], object, offset))
			return i;
	return PROGRAM_WRITER_NONE;
}

static uint64_t chunk_writer(const struct sim_lease *x,
			     const struct program_sample *s)
{
	uint32_t t = (uint32_t)s->task_index;
	uint64_t k = s->step_number;
	uint64_t offset;
	uint32_t object, bytes, at;
	const uint8_t *before, *after;

	must(program_chunk_find(&x->job->program,
				x->job->launches[k].step_index, s->number,
				&object, &offset, &bytes) == ERR_OK);
	before = x->states[t][k - 1][object] + offset;
	after = x->states[t][k][object] + offset;
	if (x->job->launches[k].kind != PROGRAM_STEP_LAUNCH ||
	    program_chunk_byte(&x->seed, s, bytes_of(before, bytes),
			       bytes_of(after, bytes), &at))
		return PROGRAM_WRITER_NONE;
	return writer_of(x, t, k, object, offset + at);
}

/* What the unit reads and writes, on the state before. */
static void trace_unit(struct sim_lease *x, const struct program_sample *s,
		       uint64_t unit, struct program_witness *w)
{
	struct sim_job *j = x->job;
	const struct program_launch *step = &j->launches[s->step_number];
	struct machine *m = j->machines[s->task_index];
	uint32_t warps = program_launch_warps(&j->program, step);
	uint64_t cta = unit / (warps ? warps : 1);
	struct exec_options o = EXEC_OPTIONS_DEFAULT;
	struct program_range *ranges;
	struct exec_result r;

	o.record_reads = true;
	o.record_writes = true;
	if (warps)
		o.warp = (uint32_t)(unit % warps);
	set_memory(x, (uint32_t)s->task_index, s->step_number - 1);
	if (program_launch_is_whole(&j->program, step))
		must(machine_step(m, step, &o, &r) == ERR_OK);
	else
		must(machine_step_ctas(m, step, &cta, 1, &o, &r) == ERR_OK);
	must(r.outcome == EXEC_OK);
	ranges = ARENA_ARRAY(j->w.arena, r.read_count + r.write_count + 1,
			     struct program_range);
	for (size_t i = 0; i < r.read_count; i++)
		ranges[i] = (struct program_range){
			r.reads[i].buffer, r.reads[i].offset, r.reads[i].bytes};
	for (size_t i = 0; i < r.write_count; i++)
		ranges[r.read_count + i] = (struct program_range){
			r.writes[i].buffer, r.writes[i].offset,
			r.writes[i].bytes};
	w->reads = ranges;
	w->read_count = r.read_count;
	w->writes = ranges + r.read_count;
	w->write_count = r.write_count;
}

static struct bytes serve(struct sim_lease *x, const struct program_sample *s,
			  uint64_t unit)
{
	struct arena *a = x->job->w.arena;
	const struct program_launch *step = &x->job->launches[s->step_number];
	uint32_t warps = program_launch_warps(&x->job->program, step);
	struct program_state before[SIM_OBJECTS_MAX] = {0},
			     after[SIM_OBJECTS_MAX] = {0};
	struct program_witness w = witness_of(x, (uint32_t)s->task_index,
					      s->step_number, before, after);
	struct buf b = buf_make(PROGRAM_OPENING_BYTES_MAX);
	uint64_t writer = PROGRAM_WRITER_NONE;
	struct program_opening opening;
	struct bytes out;

	if (unit != PROGRAM_WRITER_NONE)
		trace_unit(x, s, unit, &w);
	/* only a chunk's opening names who wrote it */
	if (s->kind == PROGRAM_SAMPLE_CHUNK && unit != PROGRAM_WRITER_NONE)
		writer = unit / (warps ? warps : 1);
	must(program_opening_build(a, &w, s, writer, &opening) == ERR_OK);
	if (writer != PROGRAM_WRITER_NONE && warps)
		opening.writer_warp = (uint32_t)(unit % warps);
	program_opening_encode(&b, &opening);
	must(b.err == ERR_OK);
	out = arena_copy(a, buf_bytes(&b));
	buf_free(&b);
	return out;
}

static struct program_judge_answer ask(struct sim_lease *x, uint32_t index,
				       struct bytes opening)
{
	struct program_judge_request q =
		verify_request(&x->terms, SIM_TASKS, &x->seed,
			       &x->terms.provider, index, opening);
	struct buf question = buf_make(JOB_RECORD_BYTES_MAX);
	struct buf request = buf_make(JOB_RECORD_BYTES_MAX);
	struct buf answer = buf_make(JOB_RECORD_BYTES_MAX);
	struct program_judge_answer ret;
	struct bytes record;

	program_judge_request_encode(&question, &q);
	job_record_encode(&request, buf_bytes(&question));
	must(worker_referee(&x->job->w, buf_bytes(&request), &answer) ==
	     ERR_OK);
	must(job_record_decode(buf_bytes(&answer), &record) == ERR_OK);
	must(program_judge_answer_decode(record, &ret) == ERR_OK);
	buf_free(&question);
	buf_free(&request);
	buf_free(&answer);
	return ret;
}

/* What the sample runs: number of a unit, or PROGRAM_WRITER_NONE. */
static uint64_t unit_of(const struct sim_lease *x,
			const struct program_sample *s)
{
	switch (s->kind) {
	case PROGRAM_SAMPLE_CTA:
		if (s->warp == PROGRAM_WARP_ALL)
			return s->number;
		return s->number *
			       x->job->footprints[s->task_index][s->step_number]
				       .warps +
		       s->warp;
	case PROGRAM_SAMPLE_CHUNK:
		return chunk_writer(x, s);
	case PROGRAM_SAMPLE_LAUNCH:
		return 0;
	case PROGRAM_SAMPLE_PAIR:
		break;
	}
	must(false);
	return 0;
}

enum program_verdict sim_audit(struct sim_lease *x, uint32_t index,
			       bool *ret_guilty)
{
	struct program_sample s = sim_sample(x, index);
	uint64_t unit = unit_of(x, &s);
	const struct sim_footprint *f =
		&x->job->footprints[s.task_index][s.step_number];

	*ret_guilty = unit != PROGRAM_WRITER_NONE &&
		      x->tampered[s.task_index][s.step_number][unit / f->warps];
	return ask(x, index, serve(x, &s, unit)).verdict;
}
