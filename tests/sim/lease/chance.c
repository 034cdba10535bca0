/*
 * The formula.  Samples are independent, so a lease escapes with the product
 * of their chances to miss; a choice by mulhi of 64 bits is uniform for all
 * that can be measured.
 */
#include "tests/sim/lease/lease.h"

#include "base/must.h"

/* Of one executed launch: the share of its CTAs. */
static double cta_share(const struct sim_lease *x, uint32_t t, uint64_t k)
{
	uint64_t ctas = x->job->steps[k].cta_count;
	uint64_t bad = 0;

	for (uint64_t i = 0; i < ctas; i++)
		bad += x->tampered[t][k][i];
	return (double)bad / (double)ctas;
}

/* Of one CTA: the changed bytes it wrote, added to its chunks' counts. */
static void count_changed(const struct sim_lease *x, uint32_t t, uint64_t k,
			  uint64_t unit, uint64_t *changed, uint64_t *bad)
{
	const struct sim_footprint *f = &x->job->footprints[k];
	const struct program_range *r = &f->ranges[unit];
	const uint8_t *before = x->states[t][k - 1][r->object_index];
	const uint8_t *after = x->states[t][k][r->object_index];

	for (uint64_t at = r->offset; at < r->offset + r->bytes; at++) {
		if (before[at] == after[at])
			continue;
		changed[at / PROGRAM_CHUNK_BYTES]++;
		bad[at / PROGRAM_CHUNK_BYTES] +=
			x->tampered[t][k][unit / f->units];
	}
}

/* Of one executed launch: the mean share over its chunks.  It writes one
 * object, the only one whose chunks are counted. */
static double chunk_share(const struct sim_lease *x, uint32_t t, uint64_t k)
{
	const struct sim_footprint *f = &x->job->footprints[k];
	const struct program_header_row *row =
		&x->job->header.rows[x->job->steps[k].step_index];
	uint64_t chunks = row->write_chunks / row->runs;
	uint64_t changed[64] = {0}, bad[64] = {0};
	double sum = 0;

	must(chunks <= 64);
	for (uint64_t i = 0; i < x->job->steps[k].cta_count * f->units; i++)
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

	for (uint64_t k = 1; k <= SIM_STEPS; k++) {
		const struct program_launch *s = &x->job->steps[k];
		const struct program_header_row *row = &h->rows[s->step_index];
		double runs = (double)row->runs * SIM_TASKS;
		double ops = (double)(row->ctas * row->mean_ops) / runs;
		double bytes = (double)row->write_bytes / runs;

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
