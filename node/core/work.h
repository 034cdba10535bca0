/*
 * node/core/work - what the node asks its workers, and what they answer.
 *
 * Bytes are named, not carried: the shell takes blobs from the store, hands
 * them to a worker and puts what comes back into the store.  Only what a
 * decision needs (roots, counts, verdicts) comes back into the core.
 */
#ifndef WEFT_NODE_CORE_WORK_H
#define WEFT_NODE_CORE_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/reason.h"
#include "gpu/program/judge.h"
#include "gpu/program/sample.h"

/*
 * How a blob is named and so how it is checked.  The numbers are on disk and
 * in requests: append, never renumber.
 */
enum core_name {
	CORE_NAME_BYTES = 0,   /* root over its bytes (base/merkle.h) */
	CORE_NAME_LIST = 1,    /* list root over its items, each a u32be
				* length and its bytes: tasks */
	CORE_NAME_PROGRAM = 2, /* an encoded program: program_id */
	CORE_NAME_HEADER = 3,  /* an encoded header: root of its rows */
};

/*
 * Run one task.  Program and inputs are in the store; the saved buffers go
 * into the store, pinned by the action's owner, and so do the memory roots,
 * as one blob of 32 bytes each.
 */
struct core_run {
	struct hash program;
	struct bytes task; /* its encoding */
	uint64_t limit_ops;
	uint64_t cta_ops; /* 0: no limit */
	uint64_t wall_ms;
	uint32_t threads; /* 0: all */
};

struct core_ran {
	enum reason reason; /* none: it ran to its end */
	struct bytes words; /* for a person, when it did not */
	uint64_t step;	    /* of a fault, from 1 */
	uint64_t cta;
	uint64_t steps;		  /* executed */
	struct hash memory_roots; /* the blob of S_0 ... S_n */
	struct hash trace_root;
	const struct hash *objects; /* roots of all objects at the end */
	uint32_t object_count;
	uint64_t count; /* thread-instructions */
	uint64_t run_ms;
	uint64_t wall_ms;
	uint64_t out_bytes; /* of the saved buffers */
};

/* Most samples of one core_open. */
#define CORE_SAMPLES_MAX 16u

/* Make the openings of samples of one task, by running it again. */
struct core_open {
	struct hash program;
	struct hash tasks_root;	  /* a list blob in the store */
	struct hash leaves_root;  /* the lease's results, likewise */
	struct hash memory_roots; /* as core_ran gave it */
	uint64_t task_index;
	uint64_t position; /* of its result among the leaves */
	struct hash seed;
	const struct program_sample *samples;
	uint32_t sample_count;
	uint64_t limit_ops;
	uint64_t wall_ms;
};

struct core_opened {
	const struct bytes *openings; /* encoded, one per sample */
	size_t count;
	uint64_t wall_ms;
};

/* Judge one opening as the referee does; gpu/program/judge.h. */
struct core_audit {
	struct bytes request; /* an encoded program_judge_request */
	uint64_t wall_ms;
};

#endif /* WEFT_NODE_CORE_WORK_H */
