/*
 * ledger/bodies - the bodies of the ledger's own kinds, to be sent.
 *
 * One encoder per kind; the decoders are in ledger/kind_*.c.  Errors stick in
 * the buffer.
 */
#ifndef WEFT_LEDGER_BODIES_H
#define WEFT_LEDGER_BODIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/coin.h"
#include "base/hash.h"
#include "base/sig.h"
#include "ledger/account.h"

/* transfer: [to, amount, all, memo] */
#define LEDGER_MEMO_BYTES_MAX 64u
struct ledger_transfer {
	struct pubkey to;
	struct coin amount; /* zero if is_all, else not */
	bool is_all;	    /* balance - locks - fee, at its block */
	struct bytes memo;  /* at most LEDGER_MEMO_BYTES_MAX */
};
void ledger_transfer_encode(struct buf *out, const struct ledger_transfer *t);

/* account.keys: [[rig key ...], payout]; replaces what was set. */
struct ledger_keys {
	uint32_t rig_key_count; /* at most LEDGER_RIG_KEYS_MAX */
	struct pubkey rig_keys[LEDGER_RIG_KEYS_MAX]; /* ascending */
	bool has_payout;
	struct pubkey payout;
};
void ledger_keys_encode(struct buf *out, const struct ledger_keys *k);

/*
 * node.announce: [[endpoint ...], cert, box, operator, operator_sig, stamp].
 * node.height is not sent.  operator_sig is over ledger_operator_digest.
 */
struct ledger_announce {
	struct ledger_node node;
	struct sig operator_sig; /* if node.has_operator */
	bool has_stamp;
	struct hash stamp_block; /* one of the last live blocks */
	uint64_t stamp_nonce;	 /* see ledger_stamp_hash */
};
void ledger_announce_encode(struct buf *out, const struct ledger_announce *a);

#endif /* WEFT_LEDGER_BODIES_H */
