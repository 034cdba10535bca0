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

/*
 * How a blob is named and so how it is checked: by the root over its bytes,
 * or, for the lists of PROGRAM.md (programs, tasks, headers), by the root
 * over its items, each written as a u32be length and its bytes.
 */
enum core_name {
	CORE_NAME_BYTES = 0,
	CORE_NAME_LIST = 1,
};

/* Run one task of a program. */
struct core_run {
	struct hash program; /* a list blob in the store */
	struct bytes task;   /* its encoding; inputs are in the store */
	uint64_t limit_ops;
	uint64_t wall_ms;
	uint32_t threads;     /* 0: all */
	const uint32_t *save; /* buffers whose final bytes to keep */
	size_t save_count;
};

struct core_ran {
	enum reason reason; /* none: it ran to its end */
	struct bytes fault; /* kernel_fault: step and CTA, as the
			     * worker told; "" otherwise */
	struct hash trace_root;
	uint64_t steps;		 /* committed memory roots less one */
	const struct hash *last; /* roots of all buffers after the last step */
	size_t last_count;
	const uint64_t *last_bytes; /* their sizes */
	uint64_t wall_ms;
	uint64_t count; /* thread-instructions executed */
};

/* Make the openings of samples of one task by running it again. */
struct core_open {
	struct hash program;
	struct bytes task;
	struct bytes samples; /* encoded list of samples */
	uint64_t limit_ops;
	uint64_t wall_ms;
};

struct core_opened {
	enum reason reason;
	const struct bytes *openings; /* one per sample, in their order */
	size_t count;
};

enum core_verdict {
	CORE_VERDICT_VALID = 0,
	CORE_VERDICT_FRAUD = 1,
	CORE_VERDICT_VOID = 2,
	CORE_VERDICT_INCOMPLETE = 3, /* malformed, or a piece is missing */
};

/* Check one opening: proofs, then the CTA. */
struct core_audit {
	struct bytes opening;
	uint64_t limit_ops;
	uint64_t wall_ms;
};

struct core_audited {
	enum core_verdict verdict;
	uint64_t count; /* thread-instructions of the sample */
	struct hash witness;
};

#endif /* WEFT_NODE_CORE_WORK_H */
