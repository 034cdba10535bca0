/*
 * ledger/chain - the ledger as an engine drives it, in ABCI's order:
 *
 *   info, init, check, prepare, process, finalize, commit, query
 *
 * One chain is used from one thread.  Refusals are data; ERR_STORE,
 * ERR_NO_MEMORY and ERR_REFEREE mean that the node must stop (the store holds
 * the last committed block; starting again goes on from there).
 */
#ifndef WEFT_LEDGER_CHAIN_H
#define WEFT_LEDGER_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/coin.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/vrf.h"
#include "ledger/apply.h"
#include "ledger/event.h"
#include "ledger/genesis.h"
#include "ledger/rules.h"
#include "ledger/state.h"
#include "ledger/store.h"

struct arena;
struct ledger_chain;

/* Blocks that ledger_chain_rollback can undo. */
#define LEDGER_UNDO_BLOCKS 1000u

struct ledger_chain_options {
	bool history;  /* keep account lines and transaction index */
	bool blocks;   /* keep blocks and results (solo, follow) */
	bool paranoid; /* count all money after every block; O(state) */
};

/*
 * Open what is in the store.  store and rules must outlive the chain.
 * Returns ERR_OK (also for an empty store: init comes next), ERR_STORE,
 * ERR_NO_MEMORY.
 */
MUST_USE enum err ledger_chain_open(const struct ledger_store *store,
				    const struct ledger_rules *rules,
				    const struct ledger_chain_options *options,
				    struct ledger_chain **ret_chain);
void ledger_chain_close(struct ledger_chain *c); /* NULL is fine */

struct ledger_info {
	bool is_empty;	       /* no genesis yet: all else is zero */
	struct bytes chain_id; /* lives as long as the chain */
	struct hash genesis_hash;
	uint64_t height; /* last committed; 0 after init */
	uint64_t time_ms;
	struct hash block_id; /* of that height; genesis hash at 0 */
	struct hash state_root;
	struct hash seed;
	bool is_clock_set; /* every block is live now */
};

/* From committed state; cheap, any time. */
void ledger_chain_info(const struct ledger_chain *c,
		       struct ledger_info *ret_info);

const struct ledger_params *ledger_chain_params(const struct ledger_chain *c);

/*
 * Write the genesis.  A second call before the first block replaces the
 * first.  Returns ERR_OK, ERR_REFUSED (bad genesis, or blocks exist).
 */
MUST_USE enum err ledger_chain_init(struct ledger_chain *c,
				    const struct ledger_genesis *genesis,
				    struct hash *ret_root);

enum ledger_check_mode {
	LEDGER_CHECK_NEW = 0,	   /* all rules; then counts as pending */
	LEDGER_CHECK_RECHECK = 1,  /* after a block: no signature check */
	LEDGER_CHECK_SIMULATE = 2, /* all but the signature; leaves no trace */
};

/*
 * Would this transaction be taken, on top of the committed state and what was
 * checked since?  ERR_OK with ret_result->reason none, or ERR_REFUSED with
 * the reason in ret_result (always written).
 * After each commit the pending set is empty: recheck what still waits, in
 * order.
 */
MUST_USE enum err ledger_chain_check(struct ledger_chain *c, struct bytes tx,
				     enum ledger_check_mode mode,
				     struct ledger_tx_result *ret_result);

/* What a proposer starts from. */
struct ledger_prepare {
	uint64_t height; /* committed + 1 */
	uint64_t time_ms;
	struct pubkey proposer;	      /* its account ... */
	const struct vrf_secret *vrf; /* ... and registered key */
	const struct bytes *txs;      /* candidates in order */
	uint32_t tx_count;
	uint32_t bytes_max; /* of all txs; 0: BLOCK_BYTES_MAX */
};

/*
 * The transactions of the next block: the beacon (if the block will be live)
 * and the candidates that fit and would be taken.  Lives in a.
 * ret_txs may be empty: then nothing waits and the clock is not set.
 * Returns ERR_OK, ERR_REFUSED (not the next height, no such validator),
 * ERR_NO_MEMORY, ERR_STORE.
 */
MUST_USE enum err ledger_chain_prepare(struct ledger_chain *c, struct arena *a,
				       const struct ledger_prepare *in,
				       struct bytes **ret_txs,
				       uint32_t *ret_count);

/*
 * May this block be voted for?  The form, the beacon and every signature;
 * what a transaction then achieves is finalize's answer.
 * Returns ERR_OK, ERR_REFUSED, ERR_STORE, ERR_NO_MEMORY.
 */
MUST_USE enum err ledger_chain_process(struct ledger_chain *c,
				       const struct ledger_proposal *in,
				       struct ledger_refusal *reterr_why);

/*
 * Apply a decided block.  Nothing is on disk until commit.  A block that
 * process refuses is refused and leaves no trace.  A second finalize before
 * commit starts again from the committed state.
 * ret_outcome's arrays live until the next finalize.
 * Returns as process, and ERR_REFEREE.
 */
MUST_USE enum err ledger_chain_finalize(struct ledger_chain *c,
					const struct ledger_proposal *in,
					struct ledger_outcome *ret_outcome,
					struct ledger_refusal *reterr_why);

/*
 * Engine solo: the signed bytes of the next block, with the transactions that
 * prepare gave.  out is emptied first.  Changes nothing.
 * Returns ERR_OK, ERR_REFUSED (bad secret), ERR_LIMIT, ERR_NO_MEMORY.
 */
MUST_USE enum err ledger_chain_seal(struct ledger_chain *c, uint64_t time_ms,
				    const struct bytes *txs, uint32_t tx_count,
				    const struct seckey *sk, struct buf *out,
				    struct hash *ret_block_id);

/*
 * Engines solo and follow: what a signed block says, ready for finalize.  It
 * must be for this chain, the next height, on the committed block and root,
 * and signed by the only validator's account.  The arrays live in a, the
 * transactions borrow from block.
 * Returns ERR_OK, ERR_REFUSED (bad_encoding, wrong_chain, bad_height,
 * bad_parent, bad_root, bad_signature ...), ERR_STORE, ERR_NO_MEMORY.
 */
MUST_USE enum err ledger_chain_unseal(struct ledger_chain *c, struct arena *a,
				      struct bytes block,
				      struct ledger_proposal *ret_proposal,
				      struct ledger_refusal *reterr_why);

/*
 * Persist what was finalized, in one store transaction.
 * block: the engine's encoding of the block, kept if options.blocks; may be
 * empty.  Returns ERR_OK, ERR_STORE.  Aborts without finalize.
 */
MUST_USE enum err ledger_chain_commit(struct ledger_chain *c,
				      struct bytes block);

/*
 * Step back to height to, which must be within LEDGER_UNDO_BLOCKS of the tip;
 * restores every byte of the state, one store transaction a block.
 * Returns ERR_OK, ERR_NOT_FOUND (no undo record), ERR_STORE, ERR_NO_MEMORY.
 */
MUST_USE enum err ledger_chain_rollback(struct ledger_chain *c,
					uint64_t to_height);

/*
 * Read the last committed state with the functions that rules use.  Any
 * number of views may be open; each sees the block it was opened at, also
 * while later ones are applied.  Keep them short: an old one holds disk space.
 */
MUST_USE enum err ledger_chain_view(struct ledger_chain *c,
				    struct ledger **ret_view);
void ledger_chain_view_end(struct ledger *view);

/* A block and its results as kept; lives in a. */
struct ledger_kept {
	struct bytes block;
	struct hash block_id;
	struct hash state_root; /* after it */
	uint64_t time_ms;
	struct ledger_tx_result *results;
	uint32_t result_count;
};
/* ERR_OK, ERR_NOT_FOUND (not kept, not there), ERR_STORE, ERR_NO_MEMORY. */
MUST_USE enum err ledger_chain_block(struct ledger_chain *c, struct arena *a,
				     uint64_t height,
				     struct ledger_kept *ret_kept);

/* The genesis encoding; lives in a.  ERR_OK, ERR_NOT_FOUND, ERR_STORE,
 * ERR_NO_MEMORY. */
MUST_USE enum err ledger_chain_genesis(struct ledger_chain *c, struct arena *a,
				       struct bytes *ret_genesis);

/* Where a transaction went: needs options.history.  ERR_OK, ERR_NOT_FOUND,
 * ERR_STORE. */
MUST_USE enum err ledger_chain_tx_find(struct ledger_chain *c,
				       const struct hash *tx_id,
				       uint64_t *ret_height,
				       uint32_t *ret_index);

/*
 * Proof that key has a value in, or is absent from, the committed state tree.
 * See ledger/smt.h for its form and its check.
 */
struct ledger_proof;
MUST_USE enum err ledger_chain_prove(struct ledger_chain *c, struct bytes key,
				     struct ledger_proof *ret_proof);

/* What a full look at a store found. */
struct ledger_fsck {
	uint64_t record_count; /* of the state */
	uint64_t account_count;
	struct coin balances;
	struct coin locks;
	struct coin pools;
	struct coin burnt;
	struct coin issued;
	bool is_conserved;  /* the four add up to issued */
	bool is_root_right; /* the tree rebuilt from nothing agrees */
	bool is_canonical;  /* every value is well-formed msgpack */
};

/* O(state); reads only.  ERR_OK, ERR_STORE, ERR_NO_MEMORY. */
MUST_USE enum err ledger_chain_fsck(struct ledger_chain *c,
				    struct ledger_fsck *ret_found);

#endif /* WEFT_LEDGER_CHAIN_H */
