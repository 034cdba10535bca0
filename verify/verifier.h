/*
 * verify/verifier - who may be drawn to audit, and what stands behind it.
 *
 * The bond is the lock (account, verifier, zero).  An auditor is drawn with a
 * chance in proportion to its bond among those that are active, have
 * verifier_bond_factor times the lease's price free, and are operated neither
 * by the provider nor by the buyer.
 */
#ifndef WEFT_VERIFY_VERIFIER_H
#define WEFT_VERIFY_VERIFIER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/coin.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/sig.h"

struct ledger;

/* Most accounts with a verifier's bond. */
#define VERIFY_VERIFIERS_MAX 1024u

/* On disk: append, never renumber. */
enum verify_verifier_state {
	VERIFY_ACTIVE = 0,
	VERIFY_PAUSED = 1,  /* by itself */
	VERIFY_OUT = 2,	    /* missed too many duties; may unbond */
	VERIFY_LEAVING = 3, /* unbonding until leave_height */
};

struct verify_verifier {
	struct pubkey account;
	enum verify_verifier_state state;
	struct coin reserved; /* by duties at hand */
	uint32_t duties;      /* at hand */
	uint32_t missed;      /* in a row */
	uint64_t audits;      /* done */
	uint64_t leave_height;
};

/* ERR_OK, ERR_NOT_FOUND, ERR_STORE. */
MUST_USE enum err verify_verifier_get(struct ledger *l,
				      const struct pubkey *account,
				      struct verify_verifier *ret_verifier);

/* All, in the order of their accounts, as verify_duty_next. */
MUST_USE enum err verify_verifier_next(struct ledger *l,
				       const struct pubkey *after,
				       struct verify_verifier *ret_verifier);

#endif /* WEFT_VERIFY_VERIFIER_H */
