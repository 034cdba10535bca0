/*
 * tests/sim/lease - a provider of one lease, honest or not, in this process.
 *
 * The lease is computed by gpu/worker's machine, its openings are built by
 * gpu/program, drawn by verify, judged by gpu/worker's referee: only the
 * cheating is this folder's.  Whatever cannot happen ends the program
 * (must), for nothing here comes from a stranger.
 *
 * Memory is never given back: run one lease in a process of its own.
 */
#ifndef WEFT_TESTS_SIM_LEASE_LEASE_H
#define WEFT_TESTS_SIM_LEASE_LEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/program/header.h"
#include "gpu/program/judge.h"
#include "gpu/program/opening.h"
#include "gpu/program/trace.h"
#include "gpu/worker/priv/machine.h"
#include "ledger/params.h"
#include "market/lease.h"

#define SIM_TASKS	6u
#define SIM_STEPS_MAX	8u
#define SIM_OBJECTS_MAX 4u

/* xorshift64*, so that a seed gives the same run everywhere. */
struct sim_random {
	uint64_t state;
};
uint64_t sim_random_next(struct sim_random *r);
uint64_t sim_random_below(struct sim_random *r, uint64_t n); /* n > 0 */

/* What one sample of a launch writes. */
struct sim_unit {
	struct program_range *ranges;
	size_t count;
};

/* All samples of one launch: its CTAs, their warps, or itself. */
struct sim_footprint {
	uint64_t ctas;	/* 1 if the launch is one sample */
	uint32_t warps; /* of a CTA; 1 if CTAs are not sampled by warp */
	struct sim_unit *units; /* [cta * warps + warp] */
};

/* A job as its buyer posted it: a manifest of tests/vectors/sim. */
struct sim_job {
	struct worker w;
	uint32_t steps;
	uint32_t objects;
	struct program program;
	struct program_header header;
	struct hash program_id;
	struct hash tasks_root;
	struct program_task tasks[SIM_TASKS];
	struct bytes encoded[SIM_TASKS];
	struct hash leaves[SIM_TASKS];
	uint8_t *inputs[SIM_TASKS]; /* of object 0 */
	struct machine *machines[SIM_TASKS];
	struct program_launch launches[SIM_STEPS_MAX + 1]; /* by number */
	/* In each task; what a search writes differs from task to task. */
	struct sim_footprint footprints[SIM_TASKS][SIM_STEPS_MAX + 1];
};

/* Read, build and measure name.json and name.ptx: the header's counts are of
 * every CTA.  Object 0 is the only input.  varies: which bytes a CTA writes
 * differs from task to task. */
struct sim_job *sim_job_open(const char *name, bool varies);

/* A lease has fewer launches than CTAs: cheat more often. */
#define SIM_TAMPERED_LAUNCHES 8u

enum sim_cheat {
	SIM_HONEST,
	SIM_TAMPER, /* one CTA of every fraction, in every launch */
	SIM_SKIP,   /* likewise, but these CTAs are not run at all */
	SIM_START,  /* inputs are zero, and so says S_0 */
	SIM_END,    /* an output's root is not the one in S_last */
};

struct sim_lease {
	struct sim_job *job;
	struct market_lease terms; /* as the ledger would hold it */
	struct hash seed;
	uint8_t *states[SIM_TASKS][SIM_STEPS_MAX + 1][SIM_OBJECTS_MAX];
	struct hash roots[SIM_TASKS][SIM_STEPS_MAX + 1][SIM_OBJECTS_MAX];
	struct hash memory_roots[SIM_TASKS][SIM_STEPS_MAX + 1];
	bool *tampered[SIM_TASKS][SIM_STEPS_MAX + 1]; /* by CTA */
	struct bytes results[SIM_TASKS];
	struct hash result_leaves[SIM_TASKS];
};

/*
 * Compute all tasks, cheating as told, and commit.  A tampered CTA has one
 * byte turned in all that a sample of it would compare (in each warp's share
 * where warps are sampled); the steps behind it go on from the turned bytes,
 * so that nothing but this CTA shows it.  Of launches that are one sample,
 * SIM_TAMPERED_LAUNCHES of every fraction are tampered with.
 */
struct sim_lease *sim_lease_make(struct sim_job *job, struct sim_random *r,
				 enum sim_cheat cheat, uint32_t fraction);

/* Sample number index of the audit. */
struct program_sample sim_sample(const struct sim_lease *x, uint32_t index);

/*
 * Serve the opening of a sample and have it judged.  *ret_guilty: is what
 * must be run a tampered CTA?
 */
enum program_verdict sim_audit(struct sim_lease *x, uint32_t index,
			       bool *ret_guilty);

/*
 * Chance that an audit of sample_count samples meets a tampered CTA, by the
 * rules of the draw, of this very lease.  A CTA sample does when it names
 * one, a chunk sample when the writer of the byte that it draws is one.
 */
double sim_chance(const struct sim_lease *x, uint32_t sample_count);

#endif /* WEFT_TESTS_SIM_LEASE_LEASE_H */
