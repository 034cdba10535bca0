/*
 * verify/priv/records - verify's keys in the state, and its records there.
 */
#ifndef WEFT_VERIFY_PRIV_RECORDS_H
#define WEFT_VERIFY_PRIV_RECORDS_H

#include "ledger/money.h"
#include "ledger/state.h"
#include "verify/audit.h"
#include "verify/verifier.h"

/* Part of the state's format.  Index records hold nil. */
enum verify_prefix {
	VERIFY_PREFIX_VERIFIER = '!', /* account -> verifier */
	VERIFY_PREFIX_COUNT = '+',    /* -> number of verifiers */
	VERIFY_PREFIX_AUDIT = '#',    /* lease -> audit */
	VERIFY_PREFIX_DUTY = '$',     /* account, lease: waits for it */
	VERIFY_PREFIX_DEMAND = '%',   /* lease -> demand */
	VERIFY_PREFIX_DEMANDED = '&', /* provider, lease: an open demand */
	VERIFY_PREFIX_CASE = '(',     /* case -> case */
	VERIFY_PREFIX_CASE_OF = ')',  /* lease, case */
	VERIFY_PREFIX_PART = '*',     /* case, u32 index -> bytes */
};

/* Saving keeps the indexes: a duty is indexed while it waits for somebody,
 * a demand while it is open. */
MUST_USE enum err verify_verifier_save(struct ledger *l,
				       const struct verify_verifier *v);
MUST_USE enum err verify_verifier_drop(struct ledger *l,
				       const struct pubkey *account);
MUST_USE enum err verify_audit_save(struct ledger *l,
				    const struct verify_audit *a);
MUST_USE enum err verify_demand_save(struct ledger *l,
				     const struct verify_demand *x);
MUST_USE enum err verify_case_save(struct ledger *l,
				   const struct verify_case *c);

/* Takes an auditor's duty out of its index. */
MUST_USE enum err verify_duty_clear(struct ledger *l,
				    const struct pubkey *auditor,
				    const struct hash *lease);

/* How many verifiers there are. */
MUST_USE enum err verify_verifier_count(struct ledger *l, uint32_t *ret_count);
MUST_USE enum err verify_verifier_count_put(struct ledger *l, uint32_t count);

MUST_USE enum err verify_part_put(struct ledger *l, const struct hash *case_id,
				  uint32_t index, struct bytes data);
MUST_USE enum err verify_part_get(struct ledger *l, const struct hash *case_id,
				  uint32_t index, struct bytes *ret_data);
MUST_USE enum err verify_part_drop(struct ledger *l, const struct hash *case_id,
				   uint32_t index);

struct ledger_lock_id verify_bond_lock(const struct pubkey *account);
struct ledger_lock_id verify_deposit_lock(const struct pubkey *sender,
					  const struct hash *object);

#endif /* WEFT_VERIFY_PRIV_RECORDS_H */
