/*
 * gpu/worker/priv/opener - a task on its way to its openings.
 */
#ifndef WEFT_GPU_WORKER_PRIV_OPENER_H
#define WEFT_GPU_WORKER_PRIV_OPENER_H

#include "gpu/program/opening.h"
#include "gpu/worker/priv/machine.h"

/* One object around a step. */
struct side {
	uint8_t *bytes;
	struct hash *leaves;
};

/* What a sample runs: a CTA, a warp of it, two CTAs, or the whole launch. */
struct unit {
	uint64_t cta; /* or PROGRAM_WRITER_NONE */
	uint32_t warp;
	bool whole;
	bool pair;
	uint64_t other; /* of a pair */
};

struct opener {
	struct worker *w;
	struct machine *m;
	struct job_task t;
	struct program p;
	struct program_task task;
	struct exec_options o;
	struct program_launch step; /* the sampled one */
	uint8_t access[PROGRAM_OBJECTS_MAX];
	bool dirty[PROGRAM_OBJECTS_MAX];
	struct side before[PROGRAM_OBJECTS_MAX];
	struct side after[PROGRAM_OBJECTS_MAX];
	struct hash before_roots[PROGRAM_OBJECTS_MAX];
	struct program_state before_state[PROGRAM_OBJECTS_MAX];
	struct program_state after_state[PROGRAM_OBJECTS_MAX];
	struct bytes openings[JOB_SAMPLES_MAX];
};

/* The objects that the sampled step may write, as they are on one side of
 * it. */
void opener_put_back(struct opener *q, const struct side *side);

/*
 * Another CTA that changes what unit->cta leaves, when it runs before or after
 * it: fills unit->other.  Every byte that the CTA touches is looked at, up to
 * OPENER_LEAVES_MAX leaves of them, with one run of the launch for each.
 * Returns ERR_OK, ERR_REFUSED (none was found), what running gives.
 */
#define OPENER_LEAVES_MAX 64u
MUST_USE enum err opener_find_other(struct opener *q, struct unit *unit);

#endif /* WEFT_GPU_WORKER_PRIV_OPENER_H */
