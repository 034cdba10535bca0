/*
 * tests/gpu/worker/kit - one task of one manifest through real workers: built
 * and quoted, run with roots, committed, opened, judged.
 */
#ifndef WEFT_TESTS_GPU_WORKER_KIT_H
#define WEFT_TESTS_GPU_WORKER_KIT_H

#include <stdint.h>

#include "base/arena.h"
#include "gpu/build/build.h"
#include "gpu/client/job.h"
#include "gpu/client/memory.h"
#include "gpu/program/header.h"
#include "gpu/program/judge.h"
#include "gpu/program/opening.h"

struct kit {
	struct arena *arena;
	struct job_built quote;
	struct build_result built;
	struct program program; /* if it is for sale */
	struct program_claim claim;
	struct bytes task;
	struct hash task_leaf;
	struct bytes result;
	struct hash result_leaf;
	struct job_task_done done;
	uint64_t cost_max;  /* that the referee is told */
	uint64_t count_max; /* likewise */
};

extern struct kit kit;

/* Starts over.  The manifest has one task and no inputs. */
void kit_build(const char *manifest, const char *ptx);
void kit_end(void);

/* kit.program was changed: encode and name it, and its task. */
void kit_rebuild(void);

/* Run it; output is the index of the one saved buffer. */
void kit_run(uint32_t output, struct memory *ret_out);

/* Run it as a provider would, for roots only: its outcome (enum job_outcome).
 */
uint32_t kit_try(void);

/* What a provider commits, from memory roots and the last object roots. */
void kit_commit(struct bytes memory_roots, struct bytes object_roots);

/* Openings of samples, in order; seed 7. */
void kit_open(struct program_sample *samples, uint32_t count,
	      struct bytes *ret_openings);

struct program_judge_answer kit_judge(struct bytes opening);

#endif /* WEFT_TESTS_GPU_WORKER_KIT_H */
