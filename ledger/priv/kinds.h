/*
 * ledger/priv/kinds - the ledger's own kinds of transactions, one file each.
 */
#ifndef WEFT_LEDGER_PRIV_KINDS_H
#define WEFT_LEDGER_PRIV_KINDS_H

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/reason.h"
#include "base/vrf.h"
#include "ledger/state.h"

struct arena;

MUST_USE enum err kind_transfer_decode(struct arena *a, struct bytes body,
				       void **ret_body,
				       enum reason *reterr_why);
MUST_USE enum err kind_transfer_apply(struct ledger *l, const void *body);

MUST_USE enum err kind_keys_decode(struct arena *a, struct bytes body,
				   void **ret_body, enum reason *reterr_why);
MUST_USE enum err kind_keys_apply(struct ledger *l, const void *body);

MUST_USE enum err kind_announce_decode(struct arena *a, struct bytes body,
				       void **ret_body,
				       enum reason *reterr_why);
MUST_USE enum err kind_announce_check(struct ledger *l, const void *body);
MUST_USE enum err kind_announce_apply(struct ledger *l, const void *body);

/* Body [pi]; what it means is done by apply before all else. */
struct kind_beacon {
	struct vrf_proof pi;
};
MUST_USE enum err kind_beacon_decode(struct arena *a, struct bytes body,
				     void **ret_body, enum reason *reterr_why);
MUST_USE enum err kind_beacon_apply(struct ledger *l, const void *body);

#endif /* WEFT_LEDGER_PRIV_KINDS_H */
