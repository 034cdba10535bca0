/*
 * ledger/priv/state - what stands behind struct ledger.
 *
 * Writes go to the store at once and are remembered twice: a cell per touched
 * record holds its first value of the block (for undo and the tree) and its
 * present one (so that reading it again costs no store); a stack of writes
 * takes a transaction's back.
 */
#ifndef WEFT_LEDGER_PRIV_STATE_H
#define WEFT_LEDGER_PRIV_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/coin.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/reason.h"
#include "ledger/event.h"
#include "ledger/money.h"
#include "ledger/state.h"
#include "ledger/store.h"

struct arena;

#define CELL_BUCKETS (1u << 14)
#define QUEUES_MAX   64u

/* A record that this block has read or written. */
struct ledger_cell {
	struct ledger_cell *next; /* in its bucket */
	struct ledger_cell *next_written;
	struct bytes key;
	struct bytes first;
	struct bytes now;
	bool had; /* first is a value */
	bool has; /* now is a value */
	bool is_written;
};

struct ledger_write {
	struct ledger_write *prev;
	struct ledger_cell *cell;
	struct bytes old;
	bool had;
};

/* Which way a line's amount went: to or from the balance, or a lock. */
enum ledger_line_way {
	LINE_OUT = 0,
	LINE_IN = 1,
	LINE_LOCK_OUT = 2,
	LINE_LOCK_IN = 3,
};

/* A line of history before it is indexed. */
struct ledger_line_note {
	struct ledger_line_note *prev;
	struct pubkey account;
	struct pubkey other;
	bool has_other;
	enum ledger_line_way way;
	enum ledger_why why;
	struct coin amount;
	struct coin balance;
	struct hash ref;
	uint32_t index;
};

struct ledger_event_note {
	struct ledger_event_note *prev;
	struct ledger_event event;
};

/* All that a refusal takes back. */
struct ledger_mark {
	struct ledger_write *writes;
	struct ledger_line_note *lines;
	struct ledger_event_note *events;
	uint32_t line_count;
	uint32_t event_count;
	struct coin fees;
	struct coin tx_cost;
	uint64_t cost_left;
	uint16_t queue_added[QUEUES_MAX];
};

/* A recent live block's mark on the seed. */
struct ledger_live {
	uint64_t holds;	 /* of the clock */
	uint64_t count;	 /* of live blocks so far */
	uint64_t height; /* of the last one */
	struct hash seed;
};

struct ledger_priv {
	const struct ledger_store *store;
	struct ledger_txn *txn;
	struct arena *arena; /* of the block; NULL in a view */

	struct ledger_cell **buckets; /* CELL_BUCKETS */
	struct ledger_cell *written;
	size_t written_count;

	/* what a mark remembers */
	struct ledger_mark at;

	bool keeps_lines;
	struct coin fee_cap; /* of the transaction at hand */

	enum reason why;
	uint64_t from_height;
	uint64_t until_height;
};

/*
 * Make l ready for block after block: p's arena, buckets, store and txn are
 * set by the caller, buckets are cleared here.
 */
void ledger_begin(struct ledger *l);

struct ledger_mark ledger_mark_take(const struct ledger *l);

/* Take back everything since the mark.  ERR_OK, ERR_STORE. */
MUST_USE enum err ledger_mark_back(struct ledger *l,
				   const struct ledger_mark *mark);

/* Accounts, as money and admission change them. */
struct ledger_account;
MUST_USE enum err ledger_account_put(struct ledger *l,
				     const struct pubkey *account,
				     const struct ledger_account *value);
MUST_USE enum err ledger_account_seq_put(struct ledger *l,
					 const struct pubkey *account,
					 uint8_t lane, uint64_t seq);

/* Credit an account, owed fees first. */
MUST_USE enum err ledger_credit(struct ledger *l, const struct pubkey *to,
				struct coin amount, struct ledger_note note,
				const struct pubkey *from);
/* Take from a balance; ERR_REFUSED if there is too little. */
MUST_USE enum err ledger_debit(struct ledger *l, const struct pubkey *from,
			       struct coin amount, struct ledger_note note,
			       const struct pubkey *to);

MUST_USE enum err ledger_totals_put(struct ledger *l, struct coin issued,
				    struct coin burnt);

/* A fee that was taken: half is burnt, half goes to the proposer, both when
 * the block's transactions are done (ledger_fees_settle). */
MUST_USE enum err ledger_fee_note(struct ledger *l, struct coin fee);
MUST_USE enum err ledger_fees_settle(struct ledger *l);

/* The live record. */
MUST_USE enum err ledger_live_get(struct ledger *l, struct ledger_live *ret);
MUST_USE enum err ledger_live_put(struct ledger *l,
				  const struct ledger_live *live);

/* Remember the seed of this height and who moved it; forget old ones. */
MUST_USE enum err ledger_seed_note(struct ledger *l, uint64_t power,
				   uint64_t total_power);
/* Remember a live block's id for stamps. */
MUST_USE enum err ledger_block_note(struct ledger *l, uint64_t live_count,
				    const struct hash *block_id);
MUST_USE enum err ledger_block_noted(struct ledger *l,
				     const struct hash *block_id,
				     bool *ret_there);

/* Write a validator's record. */
struct ledger_validator;
MUST_USE enum err ledger_validator_put(struct ledger *l,
				       const struct ledger_validator *v);

/* The announcement of a node: does its stamp, if any, open credit for the
 * sender?  Used by admission before anything is charged. */
MUST_USE enum err ledger_announce_stamp(struct ledger *l, const void *body,
					bool *ret_opens);

/* History: write the noted lines into the index; drop those of a height. */
MUST_USE enum err ledger_lines_flush(struct ledger *l);
MUST_USE enum err ledger_lines_drop(const struct ledger_store *store,
				    struct ledger_txn *txn,
				    const struct pubkey *account,
				    uint64_t height);
MUST_USE enum err ledger_line_note(struct ledger *l,
				   const struct pubkey *account,
				   const struct pubkey *other,
				   enum ledger_line_way way, struct coin amount,
				   struct coin balance,
				   struct ledger_note note);

/* Turn codec and arithmetic errors of a rule into its refusal. */
enum err ledger_rule_result(struct ledger *l, enum err e);

#endif /* WEFT_LEDGER_PRIV_STATE_H */
