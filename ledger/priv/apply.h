/*
 * ledger/priv/apply - the steps of a block, for ledger/chain.c.
 */
#ifndef WEFT_LEDGER_PRIV_APPLY_H
#define WEFT_LEDGER_PRIV_APPLY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/reason.h"
#include "ledger/apply.h"
#include "ledger/event.h"
#include "ledger/rules.h"
#include "ledger/state.h"
#include "ledger/tx.h"

/* Ids of transactions whose signature has been seen to be right.  Newer ones
 * push out older ones of the same slot. */
#define LEDGER_SIGS_SLOTS (1u << 15)
struct ledger_sigs {
	struct hash slot[LEDGER_SIGS_SLOTS];
};

bool ledger_sigs_has(const struct ledger_sigs *s, const struct hash *tx_id);
void ledger_sigs_add(struct ledger_sigs *s, const struct hash *tx_id);

struct ledger_parsed {
	struct ledger_tx tx;
	const struct ledger_kind *kind;
	void *body; /* in l->scratch */
};

/*
 * All that needs no state but the chain's id: encoding, kind, size, body.
 * Returns ERR_OK, ERR_REFUSED, ERR_NO_MEMORY.
 */
MUST_USE enum err ledger_parse(struct ledger *l, struct bytes in,
			       struct ledger_parsed *ret_parsed,
			       enum reason *reterr_why);

/* The signature of a user's transaction, through the cache.  ERR_OK,
 * ERR_SIGNATURE. */
MUST_USE enum err ledger_signed(struct ledger_sigs *sigs,
				const struct ledger_parsed *p);

/*
 * Admit, charge and apply one user's transaction.  What is refused leaves no
 * trace, or its fee only; *ret_result says which.  ERR_OK also then.
 */
MUST_USE enum err ledger_apply_tx(struct ledger *l,
				  const struct ledger_parsed *p,
				  struct ledger_tx_result *ret_result);

/* What validation learns and application needs. */
struct ledger_verdict {
	bool is_live;
	uint32_t first_tx; /* 1 behind a beacon */
	struct hash seed;  /* the new one */
	uint64_t power;	   /* of the proposer */
	uint64_t total_power;
};

/* What the chain is at before the block. */
struct ledger_before {
	uint64_t height;
	uint64_t time_ms;
};

/*
 * May this block be voted for?  l is a view or stage of the state before it.
 * Returns ERR_OK, ERR_REFUSED, ERR_STORE, ERR_NO_MEMORY.
 */
MUST_USE enum err ledger_validate(struct ledger *l,
				  const struct ledger_before *before,
				  const struct ledger_proposal *in,
				  struct ledger_sigs *sigs,
				  struct ledger_verdict *ret_verdict,
				  struct ledger_refusal *reterr_why);

/* Transactions from first_tx on, fees, hooks, the live record.  results has
 * room for in->tx_count. */
MUST_USE enum err ledger_apply_live(struct ledger *l,
				    const struct ledger_proposal *in,
				    const struct ledger_verdict *verdict,
				    struct ledger_tx_result *results,
				    uint32_t *ret_hook_refusals);

#endif /* WEFT_LEDGER_PRIV_APPLY_H */
