/*
 * ledger/state - the state as a rule sees it: canonical keys and values.
 *
 * A key is one byte that names the record's kind (LEDGER_PREFIXES), then
 * fixed-width big-endian fields, so that byte order is the order of a scan.
 * A value is one canonical msgpack value.  Reads see earlier writes of the
 * same block.  What a refused transaction wrote is taken back by the caller
 * of the rule.
 */
#ifndef WEFT_LEDGER_STATE_H
#define WEFT_LEDGER_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/coin.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/reason.h"
#include "base/sig.h"
#include "ledger/params.h"
#include "ledger/store.h"

struct arena;
struct ledger_priv;
struct ledger_rules;

/*
 * First bytes of keys, part of the state's format.  ledger: lower case,
 * market: upper case and digits, verify: punctuation.  The owner of a range
 * keeps its own list in its own header.
 */
enum ledger_prefix {
	LEDGER_PREFIX_ACCOUNT = 'a',   /* account */
	LEDGER_PREFIX_LANE = 'n',      /* account, u8 lane -> next seq */
	LEDGER_PREFIX_LOCK = 'l',      /* account, u8 purpose, object */
	LEDGER_PREFIX_POOL = 'o',      /* u8 pool */
	LEDGER_PREFIX_TOTALS = 't',    /* issued, burnt */
	LEDGER_PREFIX_PARAMS = 'p',    /* chain id, parameters */
	LEDGER_PREFIX_LIVE = 'c',      /* clock, seed, count of live blocks */
	LEDGER_PREFIX_SEED = 's',      /* u64 height -> seed, proposer */
	LEDGER_PREFIX_HASH = 'h',      /* u64 slot -> id of a live block */
	LEDGER_PREFIX_VALIDATOR = 'v', /* ed25519 key -> validator */
	LEDGER_PREFIX_NODE = 'e',      /* account -> node.announce */
	LEDGER_PREFIX_QUEUE = 'q',     /* u8 queue, u64 height, id */
};

/* Longest value that a rule may put: an evidence part and its frame. */
#define LEDGER_VALUE_MAX (512u << 10)

/* Most scratch one transaction or one queue entry may use, in bytes. */
#define LEDGER_SCRATCH_BYTES_MAX (64u << 20)

/*
 * The ledger at one moment: what every rule is handed.  Rules read the fields
 * and call functions; they change no field.
 */
struct ledger {
	uint64_t height;	/* of the block being applied; in a view: tip */
	uint64_t time_ms;	/* of that block; money never depends on it */
	struct hash seed;	/* after this block's beacon */
	struct pubkey proposer; /* gets half of the fees */
	struct bytes chain_id;
	bool is_dry;  /* a check or simulation: no referee */
	bool is_view; /* read-only */

	/* the transaction at hand, zero in hooks */
	struct hash tx_id;
	uint32_t tx_index;
	struct pubkey sender; /* the account that acts */
	struct pubkey signer; /* sender or one of its rig keys */
	bool is_on_credit;    /* its fee is owed */

	const struct ledger_params *params;
	const struct ledger_rules *rules;
	/* zeroed memory until the transaction, hook entry or view ends */
	struct arena *scratch;
	struct ledger_priv *priv; /* ledger's own */
};

/* A key under construction; zero it, or begin with ledger_key. */
struct ledger_key {
	uint8_t b[LEDGER_KEY_MAX];
	size_t n;
};

struct ledger_key ledger_key(uint8_t prefix);
void key_u8(struct ledger_key *k, uint8_t v);
void key_u32(struct ledger_key *k, uint32_t v);
void key_u64(struct ledger_key *k, uint64_t v);
/* Descending order: stores ~v. */
void key_u64_down(struct ledger_key *k, uint64_t v);
void key_hash(struct ledger_key *k, const struct hash *h);
void key_pubkey(struct ledger_key *k, const struct pubkey *pk);
/* Raw bytes: fixed width, or last in the key. */
void key_bytes(struct ledger_key *k, struct bytes b);
struct bytes key_view(const struct ledger_key *k); /* borrows *k */

/*
 * The value under key, copied into l->scratch.
 * Returns ERR_OK, ERR_NOT_FOUND, ERR_STORE, ERR_NO_MEMORY.
 */
MUST_USE enum err ledger_get(struct ledger *l, const struct ledger_key *key,
			     struct bytes *ret_value);

/* Is it there?  ERR_OK, ERR_STORE. */
MUST_USE enum err ledger_has(struct ledger *l, const struct ledger_key *key,
			     bool *ret_there);

/*
 * Write; value is copied, at most LEDGER_VALUE_MAX bytes, not empty.
 * ledger_put_buf takes a finished encoding and its sticky error.
 * Returns ERR_OK, ERR_STORE, ERR_NO_MEMORY, ERR_LIMIT (a bug or a hostile
 * size: the transaction is refused).  Aborts in a view.
 */
MUST_USE enum err ledger_put(struct ledger *l, const struct ledger_key *key,
			     struct bytes value);
MUST_USE enum err ledger_put_buf(struct ledger *l, const struct ledger_key *key,
				 const struct buf *value);

/* Delete; ERR_NOT_FOUND if it was not there, ERR_STORE, ERR_NO_MEMORY. */
MUST_USE enum err ledger_del(struct ledger *l, const struct ledger_key *key);

/*
 * The first record with prefix (its leading bytes) whose key is >= from, or
 * > from if after.  from may be NULL: the first of all.  Key and value are
 * copied: ret_key into the struct, ret_value into l->scratch.  Writing between
 * two calls is fine.
 * Returns ERR_OK, ERR_NOT_FOUND (no more), ERR_STORE, ERR_NO_MEMORY.
 */
MUST_USE enum err ledger_scan(struct ledger *l, const struct ledger_key *prefix,
			      const struct ledger_key *from, bool after,
			      struct ledger_key *ret_key,
			      struct bytes *ret_value);

/*
 * Refuse the transaction at hand: "return ledger_refuse(l, REASON_x)".
 * The first refusal's reason is the one that is told.
 */
MUST_USE enum err ledger_refuse(struct ledger *l, enum reason why);

/* The same with the heights it judged by: now is added by itself. */
MUST_USE enum err ledger_refuse_window(struct ledger *l, enum reason why,
				       uint64_t from_height,
				       uint64_t until_height);

/*
 * The clock: while anybody holds it, every block is live.  Each hold needs
 * one release.  ERR_OK, ERR_STORE, ERR_NO_MEMORY.
 */
MUST_USE enum err ledger_clock_hold(struct ledger *l);
MUST_USE enum err ledger_clock_release(struct ledger *l);

/* Is it held?  True total of holds in ret_holds (may be NULL). */
MUST_USE enum err ledger_clock(struct ledger *l, uint64_t *ret_holds);

/*
 * The sampling height of something stated at height stated, and the seed
 * there: the first live height >= stated + 2 by which proposers with more
 * than 1/3 of the power, that of stated not counted, have contributed.
 * Returns ERR_OK, ERR_NOT_FOUND (not reached at l->height), ERR_STORE.
 * Cost: at most 256 reads.
 */
MUST_USE enum err ledger_sampling(struct ledger *l, uint64_t stated_height,
				  uint64_t *ret_height, struct hash *ret_seed);

/* The seed after live height h (kept for params.seed_keep_blocks).
 * ERR_OK, ERR_NOT_FOUND, ERR_STORE. */
MUST_USE enum err ledger_seed_at(struct ledger *l, uint64_t height,
				 struct hash *ret_seed);

/*
 * Re-execution paid and bounded.  ledger_cost_charge takes cost from the
 * transaction's fee (refuses fee_too_low); ledger_cost_take from the block's
 * BLOCK_COST_MAX: false when this block has no room left, nothing taken.
 */
MUST_USE enum err ledger_cost_charge(struct ledger *l, uint64_t cost);
MUST_USE bool ledger_cost_take(struct ledger *l, uint64_t cost);

/*
 * Run the referee of that version on a request (verify defines the bytes);
 * the verdict lives in l->scratch.
 * Returns ERR_OK, ERR_REFEREE (its process failed: the node stops at this
 * block), ERR_UNSUPPORTED (no such version), ERR_BUSY (a dry run: go on
 * without a verdict).
 */
MUST_USE enum err ledger_referee_run(struct ledger *l, uint64_t version,
				     struct bytes request,
				     struct bytes *ret_verdict);

/*
 * Tell the world: name is a literal such as "lease.committed", object the
 * thing's id, a and b accounts concerned (NULL: none), body one msgpack
 * value of the emitter's choice (copied; may be empty).  Not consensus; taken
 * back with a refused transaction; dropped in a dry run.
 * Returns ERR_OK, ERR_NO_MEMORY.
 */
MUST_USE enum err ledger_emit(struct ledger *l, const char *name,
			      const struct hash *object, const struct pubkey *a,
			      const struct pubkey *b, struct bytes body);

#endif /* WEFT_LEDGER_STATE_H */
