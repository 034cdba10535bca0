/*
 * gpu/program/trace - memory roots, trace roots and results.
 *
 * A memory root is the list root over the roots of all memory objects.  A
 * trace root is the list root over the memory roots S_0, S_1, ... S_n, one
 * after each executed step; the item of a memory root is its 32 bytes.
 * A result is (index, steps, trace root, S_n's object roots); result_root
 * binds the list of a lease's results to the lease and its provider.
 */
#ifndef WEFT_GPU_PROGRAM_TRACE_H
#define WEFT_GPU_PROGRAM_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/sig.h"
#include "gpu/program/program.h"
#include "gpu/program/task.h"

struct arena;

#define PROGRAM_RESULT_BYTES_MAX (64u << 10)

/* Of the object roots in order; count <= PROGRAM_OBJECTS_MAX. */
struct hash program_memory_root(const struct hash *object_roots,
				uint32_t count);

/*
 * The roots of all objects before the first step, from the task alone.
 * ret_object_roots has program_object_count entries.
 */
void program_start_roots(const struct program *p, const struct program_task *t,
			 struct hash *ret_object_roots);

/* S_0. */
struct hash program_start_root(const struct program *p,
			       const struct program_task *t);

/* The leaf of a trace, for proofs. */
struct hash program_trace_leaf(const struct hash *memory_root);

/* Of S_0 ... S_n, count = n + 1; scratch takes 32 bytes for each. */
MUST_USE enum err program_trace_root(struct arena *scratch,
				     const struct hash *memory_roots,
				     uint64_t count, struct hash *ret_root);

struct program_result {
	uint64_t index; /* of the task */
	uint64_t steps; /* executed; the trace has one leaf more */
	struct hash trace_root;
	struct hash *object_roots; /* of S_last */
	uint32_t object_count;
};

void program_result_encode(struct buf *out, const struct program_result *r);
MUST_USE enum err program_result_decode(struct arena *a, struct bytes in,
					struct program_result *ret_result);

/* The leaf of an encoded result. */
struct hash program_result_leaf(struct bytes encoded_result);

/*
 * SHA-256(T("weft/result") || lease || provider || list root), the list over
 * the leaves of the done tasks in index order.
 */
struct hash program_result_root(const struct hash *lease,
				const struct pubkey *provider,
				const struct hash *list_root);

#endif /* WEFT_GPU_PROGRAM_TRACE_H */
