/*
 * node/engine/priv/pending - transactions that wait for a block, and the one
 * way in which a block goes into the ledger.
 */
#ifndef WEFT_NODE_ENGINE_PRIV_PENDING_H
#define WEFT_NODE_ENGINE_PRIV_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/reason.h"
#include "ledger/chain.h"
#include "node/engine/engine.h"

struct pending_tx {
	struct buf bytes;
	struct hash id;
	uint64_t again_ms; /* follow: not before */
};

struct pending {
	struct pending_tx *txs; /* ENGINE_PENDING_MAX */
	size_t count;
};

MUST_USE enum err pending_init(struct pending *p);
void pending_free(struct pending *p);

/* Check a transaction and let it wait.  As engine_ops.submit. */
MUST_USE enum err pending_add(struct pending *p, struct ledger_chain *chain,
			      struct bytes tx, enum reason *reterr_reason);

/*
 * After a commit: drop what the block took, check the rest again, drop what
 * is refused now and say so.  ERR_OK, or the environment's error.
 */
MUST_USE enum err pending_after(struct pending *p, struct ledger_chain *chain,
				const struct ledger_outcome *outcome,
				const struct engine_io *io);

/*
 * A signed block: unseal, process, finalize, commit.  scratch is reset first.
 * *ret_outcome borrows from the chain.
 * Returns ERR_OK, ERR_REFUSED with *reterr_why, or the environment's error.
 */
MUST_USE enum err engine_apply(struct ledger_chain *chain,
			       struct arena *scratch, struct bytes block,
			       struct ledger_outcome *ret_outcome,
			       struct ledger_refusal *reterr_why);

#endif /* WEFT_NODE_ENGINE_PRIV_PENDING_H */
