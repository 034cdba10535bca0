/*
 * The formula.  Samples are independent, so a lease escapes with the product
 * of their chances to miss; a choice by mulhi of 64 bits is uniform for all
 * that can be measured.
 */
#include "tests/sim/lease/lease.h"

#include "base/must.h"

#define CHUNKS_MAX 64u

/* Of one executed launch: the share of its CTAs; all or nothing where it is
 * one sample. */
static double cta_share(const struct sim_lease *x, uint32_t t, uint64_t k)
{
	uint64_t ctas = x->job->footprints[t][k].ctas;
	uint64_t bad = 0;

	for (uint64_t i = 0; i < ctas; i++)
		bad += x->tampered[t][k][i];
	return (double)bad / (double)ctas;
}

/* Chunks of the objects that a step may write, in their order. */
static uint64_t chunk_of(const struct sim_lease *x, uint64_t k, uint32_t object,
			 uint64_t offset)
{
	uint8_t access[PROGRAM_OBJECTS_MAX];
	uint64_t first = 0;

	program_step_access(&x->job->program, x->job->launches[k].step_index,
			    access);
	for (uint32_t i = 0; i < object; i++)
		if (access[i] & PROGRAM_WRITE)
			first += (program_object_bytes(&x->job->program, i) +
				  PROGRAM_CHUNK_BYTES - 1) /
				 PROGRAM_CHUNK_BYTES;
	return first + offset / PROGRAM_CHUNK_BYTES;
}

/* Of one unit: the changed bytes it wrote, added to its chunks' counts. */
static void count_changed(const struct sim_lease *x, uint32_t t, uint64_t k,
			  uint64_t unit, uint64_t *changed, uint64_t *bad)
{
	const struct sim_footprint *f = &x->job->footprints[t][k];
	const struct sim_unit *u = &f->units[unit];

	for (size_t i = 0; i < u->count; i++) {
		const struct program_range *r = &u->ranges[i];
		const uint8_t *before = x->states[t][k - 1][r->object_index];
		const uint8_t *after = x->states[t][k][r->object_index];

		for (uint64_t at = r->offset; at < r->offset + r->bytes; at++) {
			uint64_t c = chunk_of(x, k, r->object_index, at);

			if (before[at] == after[at])
				continue;
			must(c < CHUNKS_MAX);
			changed[c]++;
			bad[c] += x->tampered[t][k][unit / f->warps];
		}
	}
}

/* Of one executed launch: the mean share over its chunks. */
static double chunk_share(const struct sim_lease *x, uint32_t t, uint64_t k)
{
	const struct sim_footprint *f = &x->job->footprints[t][k];
	const struct program_header_row *row =
		&x->job->header.rows[x->job->launches[k].step_index];
	uint64_t chunks = row->write_chunks / row->runs;
	uint64_t changed[CHUNKS_MAX] = {0}, bad[CHUNKS_MAX] = {0};
	double sum = 0;

	must(chunks <= CHUNKS_MAX);
	for (uint64_t i = 0; i < f->ctas * f->warps; i++)
		count_changed(x, t, k, i, changed, bad);
	for (uint64_t c = 0; c < chunks; c++)
		if (changed[c])
			sum += (double)bad[c] / (double)changed[c];
	return sum / (double)chunks;
}

double sim_chance(const struct sim_lease *x, uint32_t sample_count)
{
	const struct program_header *h = &x->job->header;
	uint64_t every = ledger_params_default().chunk_sample_every;
	double by_cta = 0, by_chunk = 0, miss = 1;

	for (uint64_t k = 1; k <= x->job->steps; k++) {
		const struct program_launch *s = &x->job->launches[k];
		const struct program_header_row *row = &h->rows[s->step_index];
		/* a run weighs by its CTAs */
		double ops = (double)(s->cta_count * row->mean_ops) / SIM_TASKS;
		double bytes = (double)row->write_bytes /
			       ((double)row->runs * SIM_TASKS);

		for (uint32_t t = 0; t < SIM_TASKS; t++) {
			if (s->kind != PROGRAM_STEP_LAUNCH)
				continue;
			by_cta += ops * cta_share(x, t, k);
			by_chunk += bytes * chunk_share(x, t, k);
		}
	}
	by_cta /= (double)h->totals.ops_per_task;
	by_chunk /= (double)h->totals.write_bytes;
	for (uint32_t i = 0; i < sample_count; i++)
		miss *= 1 - (i % every == every - 1 ? by_chunk : by_cta);
	return 1 - miss;
}
