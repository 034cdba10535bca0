/*
 * ledger/priv/chain - what a chain holds between blocks.
 */
#ifndef WEFT_LEDGER_PRIV_CHAIN_H
#define WEFT_LEDGER_PRIV_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "ledger/chain.h"
#include "ledger/priv/apply.h"
#include "ledger/priv/state.h"
#include "ledger/tx.h"

/* Version of the tables' layout in META. */
#define LAYOUT_VERSION 1u

/* Limits of the arenas; only a broken rule comes near them. */
#define BLOCK_ARENA_BYTES_MAX ((size_t)4 << 30)
#define CHECK_ARENA_BYTES_MAX ((size_t)256 << 20)
/* From here on new transactions wait for the next block. */
#define CHECK_ARENA_BYTES_FULL ((size_t)192 << 20)

/* Keys of BLOCKS and INDEX. */
#define BLOCKS_BLOCK  'b' /* u64be height -> block */
#define BLOCKS_RESULT 'r' /* u64be height -> results */
#define INDEX_TX      't' /* id -> [height, index] */

struct ledger_tip {
	bool is_empty;
	uint64_t height;
	uint64_t time_ms;
	struct hash block_id;
	struct hash state_root;
	struct hash genesis_hash;
	struct hash seed; /* from the state */
	uint64_t holds;	  /* from the state */
};

/* A ledger with all it stands on. */
struct ledger_stage {
	struct ledger l;
	struct ledger_priv p;
	struct ledger_store store;   /* a layer of its own, or the chain's */
	struct ledger_store base;    /* below the layer */
	struct ledger_txn *base_txn; /* below the layer; NULL: no layer */
	struct arena *arena;
	struct arena *scratch;
	struct ledger_cell **buckets;
	bool is_open;
};

struct ledger_chain {
	struct ledger_store store;
	const struct ledger_rules *rules;
	struct ledger_chain_options options;
	struct arena *home;
	struct ledger_sigs *sigs;
	struct ledger_params params;
	uint8_t chain_id[LEDGER_CHAIN_ID_BYTES];
	size_t chain_id_n;
	struct ledger_tip tip;
	struct ledger_tip next; /* of what is finalized */
	bool is_final;
	struct ledger_stage block;
	struct ledger_stage check; /* what waits */
	struct ledger_stage plan;  /* of prepare */
	uint32_t check_count;	   /* of what waits, since the last commit */
};

/* Memory for a stage, once.  ERR_OK, ERR_NO_MEMORY. */
MUST_USE enum err stage_new(struct ledger_chain *c, struct ledger_stage *s,
			    size_t bytes_max);
void stage_free(struct ledger_stage *s);

/* Open on a write transaction of the store itself. */
MUST_USE enum err stage_open(struct ledger_chain *c, struct ledger_stage *s);
/* Open on a layer above the committed state; dry. */
MUST_USE enum err stage_open_dry(struct ledger_chain *c,
				 struct ledger_stage *s);
/* Drop what it did. */
void stage_abort(struct ledger_stage *s);

/* META */
MUST_USE enum err tip_read(struct ledger_chain *c, struct ledger_txn *txn,
			   struct ledger_tip *ret_tip);
MUST_USE enum err tip_write(const struct ledger_store *store,
			    struct ledger_txn *txn,
			    const struct ledger_tip *tip);
void tip_encode(const struct ledger_tip *tip, struct buf *out);
MUST_USE enum err tip_decode(struct bytes in, struct ledger_tip *ret_tip);

/* Chain id and parameters, seed and holds, from the state below txn. */
MUST_USE enum err chain_load(struct ledger_chain *c);

/* Fold the written cells into the tree. */
MUST_USE enum err stage_root(struct ledger_stage *s, struct hash *ret_root);

/* Undo record of the block in s; forgets the one LEDGER_UNDO_BLOCKS ago. */
MUST_USE enum err undo_write(struct ledger_stage *s,
			     const struct ledger_tip *before);

/* Results and index of a block. */
MUST_USE enum err kept_write(struct ledger_chain *c, struct ledger_stage *s,
			     const struct ledger_tip *tip,
			     const struct ledger_tx_result *results,
			     uint32_t count);
MUST_USE enum err kept_drop(struct ledger_chain *c, struct ledger_txn *txn,
			    uint64_t height);
MUST_USE enum err kept_read(struct ledger_chain *c, struct ledger_txn *txn,
			    struct arena *a, uint64_t height,
			    struct ledger_kept *ret_kept);

struct ledger_key height_key(uint8_t prefix, uint64_t height);

/* All money and records as they lie in txn. */
MUST_USE enum err money_count(const struct ledger_store *store,
			      struct ledger_txn *txn,
			      struct ledger_fsck *ret_found);

#endif /* WEFT_LEDGER_PRIV_CHAIN_H */
