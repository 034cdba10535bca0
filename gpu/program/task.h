/*
 * gpu/program/task - one execution of a program with its own inputs.
 *
 * Encoded: [version, program_id, index, [[root, length] ...], [column ...]].
 * tasks_root is the list root over the encodings in index order, so that a
 * lease names a range and one task can be shown alone.
 */
#ifndef WEFT_GPU_PROGRAM_TASK_H
#define WEFT_GPU_PROGRAM_TASK_H

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "gpu/program/program.h"

struct arena;

#define PROGRAM_TASK_VERSION   1u
#define PROGRAM_TASK_BYTES_MAX (64u << 10)

struct program_input {
	struct hash root;      /* of the padded buffer */
	uint64_t length_bytes; /* before padding; at most the buffer's */
};

struct program_task {
	struct hash program_id;
	uint64_t index;		      /* below JOB_TASKS_MAX */
	struct program_input *inputs; /* one per input buffer, in order */
	uint32_t input_count;
	int64_t *columns; /* one per column of the program */
	uint32_t column_count;
};

void program_task_encode(struct buf *out, const struct program_task *t);

/* Form only; program_task_fits checks it against its program. */
MUST_USE enum err program_task_decode(struct arena *a, struct bytes in,
				      struct program_task *ret_task);

/* Counts, lengths and column ranges.  ERR_OK or ERR_REFUSED. */
MUST_USE enum err program_task_fits(const struct program *p,
				    const struct program_task *t);

/* The leaf of tasks_root; tasks_root = merkle_list_root(leaves, count). */
struct hash program_task_leaf(struct bytes encoded_task);

/* The environment of a launch's arguments: l's loops with this task. */
struct program_env program_task_env(const struct program_env *loops,
				    const struct program_task *t);

/*
 * Proof that items [first, first + item_count) stand in a list of list_count
 * items: the multiproof's hashes.  leaves: all list_count item hashes.
 * Returns ERR_OK, ERR_REFUSED (outside the list), ERR_NO_MEMORY.
 */
MUST_USE enum err program_list_prove(struct arena *a, const struct hash *leaves,
				     uint64_t list_count, uint64_t first,
				     uint64_t item_count,
				     struct hash **ret_proof,
				     size_t *ret_proof_count);

/* Do these item hashes stand there under root?  ERR_OK or ERR_PROOF. */
MUST_USE enum err
program_list_check(const struct hash *root, uint64_t list_count, uint64_t first,
		   const struct hash *leaves, uint64_t item_count,
		   const struct hash *proof, size_t proof_count);

#endif /* WEFT_GPU_PROGRAM_TASK_H */
