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

static void make_program(struct sim_job *j)
{
	struct build_files_memory none = {NULL, 0};
	struct build_files files = build_files_memory(&none);
	struct arena *a = j->w.arena;
	struct bytes ptx = read_file(a, "churn.ptx");
	struct build_text text = {"churn.ptx", ptx};
	struct build_result built;
	struct build_diag diag = {0};
	struct manifest m;

	if (manifest_read(a, read_file(a, "churn.json"), "churn.json", &files,
			  &m, &diag) ||
	    build_program(a, &m, &text, 1, &files, &built, &diag)) {
		fprintf(stderr, "churn.json: %s\n", diag.text);
		exit(2);
	}
	must(m.task_count == SIM_TASKS && built.class_name == 'A');
	must(program_decode(a, built.encoding, &j->program) == ERR_OK);
	must(program_object_count(&j->program) == SIM_OBJECTS);
	must(program_launch_count(&j->program) == SIM_STEPS);
	must(program_header_make(a, &j->program, &j->header) == ERR_OK);
	j->program_id = built.id;
	for (uint64_t k = 1; k <= SIM_STEPS; k++)
		must(program_launch_at(&j->program, k, &j->steps[k]) == ERR_OK);
}

/* The range that a warp, or all of a CTA, writes: one, in these kernels. */
static struct program_range written_by(struct machine *m,
				       const struct program_launch *step,
				       uint64_t cta, uint32_t warp)
{
	struct exec_options o = EXEC_OPTIONS_DEFAULT;
	struct exec_result r;

	o.record_writes = true;
	o.warp = warp;
	must(machine_step_ctas(m, step, &cta, 1, &o, &r) == ERR_OK);
	must(r.outcome == EXEC_OK && r.write_count == 1);
	return (struct program_range){r.writes[0].buffer, r.writes[0].offset,
				      r.writes[0].bytes};
}

static void find_footprint(struct sim_job *j, uint64_t k)
{
	const struct program_launch *step = &j->steps[k];
	struct sim_footprint *f = &j->footprints[k];
	uint64_t warps = j->header.rows[step->step_index].warps;

	f->units = warps ? (uint32_t)warps : 1;
	f->ranges = ARENA_ARRAY(j->w.arena, step->cta_count * f->units,
				struct program_range);
	for (uint64_t i = 0; i < step->cta_count * f->units; i++)
		f->ranges[i] = written_by(j->machines[0], step, i / f->units,
					  warps ? (uint32_t)(i % f->units)
						: EXEC_WARP_ALL);
}

/* Counts of every CTA of every task. */
static void measure(struct sim_job *j)
{
	uint64_t sum[SIM_STEPS + 1] = {0}; /* by row */

	for (uint32_t t = 0; t < SIM_TASKS; t++) {
		struct machine *m = j->machines[t];

		memcpy(m->buffers[0].data, j->inputs[t], m->buffers[0].bytes);
		for (uint64_t k = 1; k <= SIM_STEPS; k++) {
			const struct program_launch *s = &j->steps[k];
			struct exec_options o = EXEC_OPTIONS_DEFAULT;
			struct exec_result r;
			struct program_header_row *row =
				&j->header.rows[s->step_index];

			must(machine_step(m, s, &o, &r) == ERR_OK);
			must(r.outcome == EXEC_OK);
			sum[s->step_index] += r.count;
			if (r.cta_count_most > row->cta_ops)
				row->cta_ops = r.cta_count_most;
		}
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

struct sim_job *sim_job_open(void)
{
	struct arena *a = arena_new(ARENA_BYTES);
	struct sim_job *j = ARENA_NEW(a, struct sim_job);

	must(j);
	j->w.arena = a;
	j->w.limits.memory_bytes = ARENA_BYTES;
	j->w.limits.threads = 1;
	j->w.words = buf_make(4096);
	make_program(j);
	make_inputs(j);
	make_tasks(j);
	make_machines(j);
	measure(j);
	for (uint64_t k = 1; k <= SIM_STEPS; k++)
		if (j->steps[k].kind == PROGRAM_STEP_LAUNCH)
			find_footprint(j, k);
	return j;
}
