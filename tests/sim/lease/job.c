/*
 * The job is built as the market builds it; what a quote would sample is
 * counted whole, so that the header's numbers are exact.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/coin.h"
#include "base/must.h"
#include "gpu/build/build.h"
#include "gpu/build/manifest.h"
#include "tests/sim/lease/lease.h"

#define ARENA_BYTES (4ull << 30)

uint64_t sim_random_next(struct sim_random *r)
{
	r->state ^= r->state >> 12;
	r->state ^= r->state << 25;
	r->state ^= r->state >> 27;
	return r->state * 0x2545f4914f6cdd1dull;
}

uint64_t sim_random_below(struct sim_random *r, uint64_t n)
{
	return u64_mulhi(sim_random_next(r), n);
}

static struct bytes read_file(struct arena *a, const char *name)
{
	char *path = arena_printf(a, "%s/tests/vectors/sim/%s", WEFT_SOURCE_DIR,
				  name);
	FILE *f = fopen(path, "rb");
	uint8_t *p = ARENA_ARRAY(a, 1u << 20, uint8_t);
	size_t n;

	if (!f) {
		fprintf(stderr, "cannot read %s\n", path);
		exit(2);
	}
	n = fread(p, 1, 1u << 20, f);
	fclose(f);
	return bytes_of(p, n);
}

static void make_inputs(struct sim_job *j)
{
	uint64_t bytes = program_object_bytes(&j->program, 0);

	for (uint32_t t = 0; t < SIM_TASKS; t++) {
		struct sim_random r = {t + 1};

		j->inputs[t] = ARENA_ARRAY(j->w.arena, (size_t)bytes, uint8_t);
		for (uint64_t i = 0; i < bytes; i++)
			j->inputs[t][i] = (uint8_t)(sim_random_next(&r) >> 56);
	}
}

static void make_tasks(struct sim_job *j)
{
	uint64_t bytes = program_object_bytes(&j->program, 0);

	for (uint32_t t = 0; t < SIM_TASKS; t++) {
		struct program_task *k = &j->tasks[t];
		struct buf b = buf_make(PROGRAM_TASK_BYTES_MAX);

		*k = (struct program_task){.program_id = j->program_id,
					   .index = t,
					   .input_count = 1};
		k->inputs = ARENA_ARRAY(j->w.arena, 1, struct program_input);
		k->inputs[0] = (struct program_input){
			merkle_bytes_root(bytes_of(j->inputs[t], bytes)),
			bytes};
		program_task_encode(&b, k);
		j->encoded[t] = arena_copy(j->w.arena, buf_bytes(&b));
		j->leaves[t] = program_task_leaf(j->encoded[t]);
		buf_free(&b);
	}
	j->tasks_root = merkle_list_root(j->leaves, SIM_TASKS);
}

static void make_machines(struct sim_job *j)
{
	for (uint32_t t = 0; t < SIM_TASKS; t++) {
		j->machines[t] = ARENA_NEW(j->w.arena, struct machine);
		must(j->machines[t]);
		must(machine_init(j->machines[t], &j->w, &j->program,
				  &j->tasks[t], NULL, 0) == ERR_OK);
	}
}

static void make_program(struct sim_job *j, const char *name)
{
	struct build_files_memory none = {NULL, 0};
	struct build_files files = build_files_memory(&none);
	struct arena *a = j->w.arena;
	char *json = arena_printf(a, "%s.json", name);
	char *ptx = arena_printf(a, "%s.ptx", name);
	struct build_text text = {ptx, read_file(a, ptx)};
	struct build_result built;
	struct build_diag diag = {0};
	struct manifest m;

	if (manifest_read(a, read_file(a, json), json, &files, &m, &diag) ||
	    build_program(a, &m, &text, 1, &files, &built, &diag)) {
		fprintf(stderr, "%s: %s\n", json, diag.text);
		exit(2);
	}
	must(m.task_count == SIM_TASKS);
	must(program_decode(a, built.encoding, &j->program) == ERR_OK);
	j->objects = program_object_count(&j->program);
	j->steps = (uint32_t)program_launch_count(&j->program);
	must(j->objects <= SIM_OBJECTS_MAX && j->steps <= SIM_STEPS_MAX);
	must(program_header_make(a, &j->program, &j->header) == ERR_OK);
	must(j->header.class <= PROGRAM_CLASS_S);
	j->program_id = built.id;
	for (uint64_t k = 1; k <= j->steps; k++)
		must(program_launch_at(&j->program, k, &j->launches[k]) ==
		     ERR_OK);
}

/* What a warp, a CTA or (cta UINT64_MAX) a launch writes. */
static struct sim_unit written_by(struct machine *m,
				  const struct program_launch *step,
				  uint64_t cta, uint32_t warp)
{
	struct exec_options o = EXEC_OPTIONS_DEFAULT;
	struct exec_result r;
	struct sim_unit u;

	o.record_writes = true;
	o.warp = warp;
	if (cta == UINT64_MAX)
		must(machine_step(m, step, &o, &r) == ERR_OK);
	else
		must(machine_step_ctas(m, step, &cta, 1, &o, &r) == ERR_OK);
	must(r.outcome == EXEC_OK);
	u.count = r.write_count;
	u.ranges = ARENA_ARRAY(m->w->arena, r.write_count + 1,
			       struct program_range);
	for (size_t i = 0; i < r.write_count; i++)
		u.ranges[i] = (struct program_range){r.writes[i].buffer,
						     r.writes[i].offset,
						     r.writes[i].bytes};
	return u;
}

/* Memory is left as the units made it. */
static void find_units(struct sim_job *j, uint32_t t, uint64_t k)
{
	const struct program_launch *step = &j->launches[k];
	struct sim_footprint *f = &j->footprints[t][k];
	bool whole = program_launch_is_whole(&j->program, step);
	uint32_t warps = program_launch_warps(&j->program, step);

	f->ctas = whole ? 1 : step->cta_count;
	f->warps = warps ? warps : 1;
	f->units = ARENA_ARRAY(j->w.arena, f->ctas * f->warps, struct sim_unit);
	for (uint64_t i = 0; i < f->ctas * f->warps; i++)
		f->units[i] = written_by(
			j->machines[t], step, whole ? UINT64_MAX : i / f->warps,
			warps ? (uint32_t)(i % f->warps) : EXEC_WARP_ALL);
}

static void find_footprint(struct sim_job *j, uint32_t t, uint64_t k,
			   bool varies)
{
	struct machine *m = j->machines[t];
	uint8_t *kept[SIM_OBJECTS_MAX];

	if (t > 0 && !varies) {
		j->footprints[t][k] = j->footprints[0][k];
		return;
	}
	for (uint32_t i = 0; i < j->objects; i++) {
		kept[i] = ARENA_ARRAY(j->w.arena, m->buffers[i].bytes, uint8_t);
		memcpy(kept[i], m->buffers[i].data, m->buffers[i].bytes);
	}
	find_units(j, t, k);
	for (uint32_t i = 0; i < j->objects; i++)
		memcpy(m->buffers[i].data, kept[i], m->buffers[i].bytes);
}

/* One step of one task: what it writes, and its counts. */
static uint64_t measure_step(struct sim_job *j, uint32_t t, uint64_t k,
			     bool varies)
{
	const struct program_launch *s = &j->launches[k];
	struct program_header_row *row = &j->header.rows[s->step_index];
	struct exec_options o = EXEC_OPTIONS_DEFAULT;
	struct exec_result r;

	if (s->kind == PROGRAM_STEP_LAUNCH)
		find_footprint(j, t, k, varies);
	must(machine_step(j->machines[t], s, &o, &r) == ERR_OK);
	must(r.outcome == EXEC_OK);
	if (r.cta_count_most > row->cta_ops)
		row->cta_ops = r.cta_count_most;
	return r.count;
}

/* Counts of every CTA of every task. */
static void measure(struct sim_job *j, bool varies)
{
	uint64_t sum[PROGRAM_STEPS_MAX] = {0}; /* by row */

	for (uint32_t t = 0; t < SIM_TASKS; t++) {
		struct machine *m = j->machines[t];

		memcpy(m->buffers[0].data, j->inputs[t], m->buffers[0].bytes);
		for (uint64_t k = 1; k <= j->steps; k++)
			sum[j->launches[k].step_index] +=
				measure_step(j, t, k, varies);
	}
	for (uint32_t i = 0; i < j->header.row_count; i++) {
		struct program_header_row *row = &j->header.rows[i];
		uint64_t ctas = row->ctas * SIM_TASKS;

		if (ctas)
			row->mean_ops = (sum[i] + ctas - 1) / ctas;
		row->cta_open = ctas ? 4096 : 0;
	}
	must(program_header_total(&j->header) == ERR_OK);
}

struct sim_job *sim_job_open(const char *name, bool varies)
{
	struct arena *a = arena_new(ARENA_BYTES);
	struct sim_job *j = ARENA_NEW(a, struct sim_job);

	must(j);
	j->w.arena = a;
	j->w.limits.memory_bytes = ARENA_BYTES;
	j->w.limits.threads = 1;
	j->w.words = buf_make(4096);
	make_program(j, name);
	make_inputs(j);
	make_tasks(j);
	make_machines(j);
	measure(j, varies);
	return j;
}
