/*
 * ledger/rules - what the ledger can be taught: kinds, hooks and a referee.
 *
 * The ledger knows no market.  market and verify export rows, node joins the
 * tables, and every node of a chain must join the same.  A new kind of
 * transaction is one file and one row.
 */
#ifndef WEFT_LEDGER_RULES_H
#define WEFT_LEDGER_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/reason.h"
#include "ledger/state.h"
#include "ledger/tx.h"

struct arena;

/* Most rows of each table. */
#define LEDGER_KINDS_MAX    128u
#define LEDGER_HOOKS_MAX    64u
#define LEDGER_KIND_NUMBERS 256u

/* Kind numbers: ledger 1-19, market 20-59, verify 60-99; append only. */
enum ledger_kind_number {
	LEDGER_KIND_BEACON = 1,
	LEDGER_KIND_TRANSFER = 2,
	LEDGER_KIND_ACCOUNT_KEYS = 3,
	LEDGER_KIND_NODE_ANNOUNCE = 4,
	/* 10-12: staking */
};

/* One kind of transaction. */
struct ledger_kind {
	uint32_t number;    /* [1, LEDGER_KIND_NUMBERS) */
	const char *name;   /* "job.post" */
	uint32_t bytes_max; /* of the whole transaction; 0: TX_BYTES_MAX */
	bool by_rig_key;    /* a rig key may sign it */
	bool on_credit;	    /* may be sent on credit */

	/*
	 * Decode and check the body's form (tx->body, one msgpack array) into
	 * a struct in a: no state, no chain parameters.  The struct may borrow
	 * from the body.  Returns ERR_OK, ERR_NO_MEMORY, ERR_REFUSED with
	 * *reterr_why, or a codec's error, which counts as bad_encoding.
	 */
	enum err (*decode)(struct arena *a, struct bytes body, void **ret_body,
			   enum reason *reterr_why);

	/* Rules that only read; runs before apply.  May be NULL. */
	enum err (*check)(struct ledger *l, const void *body);

	/*
	 * The change itself.  Returns ERR_OK, what ledger_refuse gave (all
	 * its writes are taken back, the fee stays), or an error of the
	 * environment (ERR_STORE, ERR_NO_MEMORY, ERR_IO, ERR_REFEREE: the
	 * node stops).  Any other error counts as a refusal of its own word:
	 * ERR_LIMIT limit_reached, ERR_OVERFLOW overflow, ERR_NOT_FOUND
	 * not_found, ERR_EXISTS duplicate, ERR_PROOF bad_proof, ERR_SIGNATURE
	 * bad_signature, the rest bad_value.
	 */
	enum err (*apply)(struct ledger *l, const void *body);
};

/* Order of hooks at a live block's end; then by name. */
enum ledger_phase {
	LEDGER_PHASE_EXPIRE = 0,
	LEDGER_PHASE_SAMPLE = 1,
	LEDGER_PHASE_SETTLE = 2,
	LEDGER_PHASE_MATCH = 3,
};

/*
 * A hook at a live block's end.  Exactly one of entry and run is set.
 *
 * entry: called for each entry of queue that is due (its height <= now),
 * oldest first, at most LEDGER_HOOK_ENTRIES_MAX a block; the entry has been
 * taken out, it may put itself in again at a later height.
 * run:   called once.
 *
 * Either returns ERR_OK or an error of the environment.  Other errors are
 * our own bugs in consensus code: that call's writes are taken back and the
 * event "hook.refused" is emitted, the chain goes on.
 */
struct ledger_hook {
	enum ledger_phase phase;
	const char *name; /* "lease.expire" */
	uint8_t queue;
	enum err (*entry)(struct ledger *l, uint64_t due_height,
			  const struct hash *id);
	enum err (*run)(struct ledger *l);
};

#define LEDGER_HOOK_ENTRIES_MAX 1024u

/* Judges one sample; the bytes are verify's.  Deterministic by contract. */
struct ledger_referee {
	/* ERR_OK, ERR_REFEREE, ERR_UNSUPPORTED; the verdict lives in a */
	enum err (*run)(void *ctx, struct arena *a, uint64_t version,
			struct bytes request, struct bytes *ret_verdict);
	void *ctx;
};

/* All that a chain knows; immutable once made. */
struct ledger_rules {
	const struct ledger_kind *kind_at[LEDGER_KIND_NUMBERS]; /* NULL: none */
	const struct ledger_hook *hooks[LEDGER_HOOKS_MAX]; /* in run order */
	size_t hook_count;
	struct ledger_referee referee; /* run may be NULL: none */
};

/* The ledger's own rows. */
extern const struct ledger_kind ledger_kinds[];
extern const size_t ledger_kind_count;

/* One joined table. */
struct ledger_rows {
	const struct ledger_kind *kinds;
	size_t kind_count;
	const struct ledger_hook *hooks;
	size_t hook_count;
};

/*
 * Join the ledger's own rows and count others; the rows must outlive
 * ret_rules.  The order of tables does not matter.
 * Aborts on two kinds of one number or name, two hooks of one phase and name,
 * or too many rows: our own bugs.
 */
void ledger_rules_join(const struct ledger_rows *rows, size_t count,
		       struct ledger_referee referee,
		       struct ledger_rules *ret_rules);

/* NULL if there is none. */
const struct ledger_kind *ledger_kind_find(const struct ledger_rules *rules,
					   struct bytes name);

#endif /* WEFT_LEDGER_RULES_H */
