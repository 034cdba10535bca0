/*
 * gpu/worker/priv/machine - a task's memory, and the steps that change it.
 *
 * Buffers 0 .. object_count - 1 of a launch are the program's memory objects;
 * constants that the manifest gave bytes follow them.
 */
#ifndef WEFT_GPU_WORKER_PRIV_MACHINE_H
#define WEFT_GPU_WORKER_PRIV_MACHINE_H

#include "base/merkle.h"
#include "gpu/program/program.h"
#include "gpu/program/task.h"
#include "gpu/program/walk.h"
#include "gpu/worker/priv/job.h"

/* Roots of one object, kept up to date. */
struct machine_tree {
	struct hash *leaves; /* NULL: not hashed yet */
	struct merkle_tree_store *store;
};

struct machine {
	struct worker *w;
	const struct program *p;
	const struct program_task *task;
	uint32_t object_count;
	uint32_t buffer_count; /* and constants */
	struct exec_buffer buffers[PROGRAM_OBJECTS_MAX + PROGRAM_SYMBOLS_MAX];
	struct exec_symbol symbols[PROGRAM_SYMBOLS_MAX];
	uint32_t symbol_count;
	struct exec_module **modules; /* one per part */
	struct ptx_module **trees;
	struct machine_tree tree[PROGRAM_OBJECTS_MAX];
	struct hash roots[PROGRAM_OBJECTS_MAX];
	int fds[PROGRAM_BUFFERS_MAX]; /* of inputs, else -1 */
	/* of inputs that came as bytes, else empty; machine_reset copies them
	 */
	struct bytes given[PROGRAM_BUFFERS_MAX];
};

/*
 * Memory as it is before the first step.  inputs: as the request lists them;
 * their descriptors come next.  Input buffers that the request does not list
 * are zero.  m is large: static or in an arena.
 * Returns ERR_OK, ERR_MALFORMED, ERR_LIMIT, ERR_NO_MEMORY.
 */
MUST_USE enum err machine_init(struct machine *m, struct worker *w,
			       const struct program *p,
			       const struct program_task *task,
			       const struct job_input *inputs,
			       uint32_t input_count);

/* Back to the memory before the first step, of the same inputs.
 * Returns ERR_OK, ERR_NO_MEMORY. */
MUST_USE enum err machine_reset(struct machine *m);

/* Parse and load the part of a launch, once. */
MUST_USE enum err machine_load(struct machine *m, uint32_t part_index);

/* Everything that exec_run needs for a launch step; ctas stay all.
 * Returns ERR_OK, ERR_REFUSED (an argument does not fit), ERR_NO_MEMORY. */
MUST_USE enum err machine_launch(struct machine *m,
				 const struct program_launch *step,
				 struct exec_launch *ret_launch);

/*
 * How to run a step that will be run again for an opening: CTAs that are only
 * assumed to be independent in order, so that they end alike even if they
 * conflict, and a provider can show that they do.
 */
struct exec_options machine_repeatable(const struct machine *m,
				       const struct program_launch *step,
				       const struct exec_options *o);

/*
 * Execute one step.  o: for launches.  *ret_result is zero with outcome OK
 * for copies and fills.
 * Returns ERR_OK whatever the outcome; ERR_REFUSED, ERR_NO_MEMORY, ...
 */
MUST_USE enum err machine_step(struct machine *m,
			       const struct program_launch *step,
			       const struct exec_options *o,
			       struct exec_result *ret_result);

/* The same for some CTAs of a launch step; what they write stays. */
MUST_USE enum err machine_step_ctas(struct machine *m,
				    const struct program_launch *step,
				    const uint64_t *ctas, uint64_t cta_count,
				    const struct exec_options *o,
				    struct exec_result *ret_result);

/* Bring m->roots[object] up to date. */
MUST_USE enum err machine_hash_object(struct machine *m, uint32_t object);

/* m->roots of the objects that step may write. */
MUST_USE enum err machine_hash(struct machine *m,
			       const struct program_launch *step);

/* Leaf hashes of an object, computed now if they were not kept. */
MUST_USE enum err machine_leaves(struct machine *m, uint32_t object,
				 const struct hash **ret_leaves);

/* Decode a job_task, its program and its task, and check that they fit. */
MUST_USE enum err worker_task_begin(struct worker *w, struct bytes request,
				    struct job_task *ret_t,
				    struct program *ret_p,
				    struct program_task *ret_task);

#endif /* WEFT_GPU_WORKER_PRIV_MACHINE_H */
