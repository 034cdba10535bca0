/*
 * gpu/program/walk - a program's steps, loops expanded, one at a time.
 *
 * Executed steps are numbered from 1: step k leads from memory root k - 1 to
 * memory root k of the trace.  Nothing is unrolled in memory.
 */
#ifndef WEFT_GPU_PROGRAM_WALK_H
#define WEFT_GPU_PROGRAM_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "gpu/program/program.h"

struct arena;
struct program_task;

/* One executed step, everything evaluated. */
struct program_launch {
	uint64_t number;	     /* k, from 1 */
	uint32_t step_index;	     /* in program.steps */
	enum program_step_kind kind; /* never REPEAT */
	struct program_env env;	     /* loops only; no task */
	/* LAUNCH */
	uint32_t part_index;
	uint32_t grid[3];
	uint32_t block[3];
	uint32_t shared_bytes;
	uint64_t cta_count;
	/* COPY, FILL */
	uint32_t from_index;
	uint32_t to_index;
	uint64_t from_offset;
	uint64_t to_offset;
	uint64_t bytes;
	uint8_t with;
};

/* Executed steps of a program; at most PROGRAM_LAUNCHES_MAX. */
uint64_t program_launch_count(const struct program *p);

/* How often step step_index of the program is executed. */
uint64_t program_step_runs(const struct program *p, uint32_t step_index);

/* A place in the expansion; copy it freely.  All fields private. */
struct program_walk {
	const struct program *p;
	uint64_t number;
	uint32_t at;
	uint32_t depth;
	uint32_t loop[PROGRAM_REPEAT_DEPTH];
	uint64_t turn[PROGRAM_REPEAT_DEPTH];
};

void program_walk_start(struct program_walk *w, const struct program *p);

/*
 * The next executed step.  Returns ERR_OK, ERR_NOT_FOUND (the end),
 * ERR_OVERFLOW, ERR_REFUSED (an expression outside its range: such a program
 * is refused by program_check).
 */
MUST_USE enum err program_walk_next(struct program_walk *w,
				    struct program_launch *ret_launch);

/* Step number k, without walking.  ERR_NOT_FOUND if k is not in 1 ... n. */
MUST_USE enum err program_launch_at(const struct program *p, uint64_t number,
				    struct program_launch *ret_launch);

/* The number of run run_index (from 0) of step step_index. */
MUST_USE enum err program_run_number(const struct program *p,
				     uint32_t step_index, uint64_t run_index,
				     uint64_t *ret_number);

/*
 * CTA cta_index of a step, counted through all its runs in order: the number
 * of the executed step and the CTA in it.
 * Returns ERR_OK, ERR_NOT_FOUND (fewer CTAs), ERR_OVERFLOW, ERR_REFUSED.
 */
MUST_USE enum err program_cta_place(const struct program *p,
				    uint32_t step_index, uint64_t cta_index,
				    uint64_t *ret_number, uint64_t *ret_cta);

/*
 * What of a launch is one sample.  All of it when its part is of class R;
 * else one warp of a CTA when this gives how many there are; else, when it
 * gives 0, a CTA.
 */
bool program_launch_is_whole(const struct program *p,
			     const struct program_launch *l);
uint32_t program_launch_warps(const struct program *p,
			      const struct program_launch *l);

/* An address to be put into the parameter bytes: 8 bytes, little endian. */
struct program_reloc {
	uint32_t at_bytes; /* in the parameter space */
	uint32_t buffer_index;
	uint64_t offset;
};

struct program_params {
	uint8_t *bytes; /* zero where a reloc goes */
	uint32_t byte_count;
	struct program_reloc *relocs;
	uint32_t reloc_count;
};

/*
 * The parameter space of a launch for one task.
 * a              owns the result
 * Returns ERR_OK, ERR_OVERFLOW or ERR_REFUSED (an argument outside its type or
 * buffer for this task), ERR_NO_MEMORY.
 */
MUST_USE enum err program_launch_params(struct arena *a,
					const struct program *p,
					const struct program_launch *l,
					const struct program_task *task,
					struct program_params *ret_params);

#endif /* WEFT_GPU_PROGRAM_WALK_H */
