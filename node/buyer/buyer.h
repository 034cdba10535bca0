/*
 * node/buyer - owns the jobs of this node's account: whoever submitted them
 * may go away, the outputs are fetched.
 *
 * Inputs are served by the node's blob store, where they are pinned under
 * the job.  From a lease's commit on its results are fetched, checked
 * against the committed root, and kept; what the ledger later says of the
 * lease (audited, refuted ...) is read from the ledger, not stored.
 */
#ifndef WEFT_NODE_BUYER_BUYER_H
#define WEFT_NODE_BUYER_BUYER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/sig.h"
#include "node/core/core.h"

/* Most leases whose outputs are on their way. */
#define BUYER_FETCHES_MAX 256u

struct buyer;

/* NULL when out of memory.  Belongs to the core it is added to. */
struct buyer *buyer_new(const struct pubkey *account);

extern const struct core_role buyer_role;

struct buyer_status {
	uint32_t job_count;    /* not ended */
	uint32_t lease_count;  /* being fetched */
	uint64_t output_count; /* fetched since start */
	uint64_t wrong_count;  /* content that was not what was committed */
	uint64_t last_ms;      /* steady time of the last output */
};
void buyer_status(const struct buyer *b, struct buyer_status *ret);

/*
 * Who pins a job's inputs; program, tasks, header and outputs are pinned by
 * the job's own id.  Inputs are let go when the job has ended.
 */
struct hash buyer_inputs_owner(const struct hash *job);

/* Is everything of this lease's results here? */
bool buyer_has_lease(const struct buyer *b, const struct hash *lease);

#endif /* WEFT_NODE_BUYER_BUYER_H */
