/*
 * gpu/program/priv/walk - the loops around a step, as numbers.
 */
#ifndef WEFT_GPU_PROGRAM_PRIV_WALK_H
#define WEFT_GPU_PROGRAM_PRIV_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "gpu/program/program.h"
#include "gpu/program/walk.h"

/* Is every run of the step alike (but for its arguments)? */
bool program_step_fixed(const struct program *p, uint32_t step_index);

/*
 * Warps that a CTA of so many threads is sampled by; 0: it is not.  Where the
 * block's size depends on a loop, CTAs are sampled.
 */
uint32_t program_warps(const struct program *p, uint32_t step_index,
		       uint32_t threads);

/* All executions of one step; to evaluate any of them costs O(1). */
struct program_runs {
	const struct program *p;
	uint32_t step_index;
	uint32_t depth;
	uint64_t loops[PROGRAM_REPEAT_DEPTH]; /* their counts */
	uint64_t count;			      /* runs */
	bool fixed;			      /* program_step_fixed */
};

/* The step is not a repeat. */
struct program_runs program_runs_make(const struct program *p,
				      uint32_t step_index);

/* Evaluate run run_index < count; the launch's number is left 0. */
MUST_USE enum err program_runs_at(const struct program_runs *r,
				  uint64_t run_index,
				  struct program_launch *ret_launch);

/*
 * CTAs of a step over all its runs; each run is evaluated if they differ.
 * Returns ERR_OK, ERR_LIMIT (more than PROGRAM_CTAS_MAX), or what evaluating
 * a run gave.
 */
MUST_USE enum err program_step_ctas(const struct program *p,
				    uint32_t step_index, uint64_t *ret_ctas);

#endif /* WEFT_GPU_PROGRAM_PRIV_WALK_H */
