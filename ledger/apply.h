/*
 * ledger/apply - move the ledger from one block to the next.
 *
 * A pure function of (state, block): no clock, no randomness, no I/O but the
 * store transaction it is handed.  Two honest nodes that apply the same
 * blocks in the same order hold the same root, byte for byte.
 *
 * ledger/chain is what engines call; this is the step inside it.
 */
#ifndef WEFT_LEDGER_APPLY_H
#define WEFT_LEDGER_APPLY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/reason.h"
#include "base/sig.h"
#include "base/vrf.h"
#include "ledger/event.h"

/* One block as any engine describes it; the engine has checked who signed. */
struct ledger_proposal {
	uint64_t height;
	uint64_t time_ms;
	struct pubkey proposer; /* a validator's account */
	struct hash block_id;	/* the engine's name for it; zero in prepare
				 * and process */
	const struct bytes *txs;
	uint32_t tx_count;
};

/* Where and why: filled on ERR_REFUSED, untouched otherwise. */
struct ledger_refusal {
	enum reason reason;
	uint32_t tx_index; /* UINT32_MAX: the block itself */
};

/* What a block did.  Arrays live until the next call on the chain. */
struct ledger_outcome {
	uint64_t height;
	bool is_live;
	bool is_clock_set;			/* afterwards */
	struct hash state_root;			/* afterwards */
	const struct ledger_tx_result *results; /* one a transaction */
	uint32_t result_count;
	const struct ledger_event *events;
	uint32_t event_count;
	uint32_t hook_refusals; /* our own bugs, see ledger/rules.h */
};

/*
 * What is hashed with the proposer's VRF key for transaction 0:
 * "weft-beacon" || chain_id || u64be height || seed.
 */
#define LEDGER_BEACON_ALPHA_BYTES_MAX 96u
struct bytes ledger_beacon_alpha(struct bytes chain_id, uint64_t height,
				 const struct hash *seed,
				 uint8_t out[LEDGER_BEACON_ALPHA_BYTES_MAX]);

/* Append the encoded beacon of a proposer; errors stick. */
void ledger_beacon_encode(struct bytes chain_id, uint64_t height,
			  const struct pubkey *proposer,
			  const struct vrf_proof *pi, struct buf *out);

/*
 * The stamp that opens credit for an account (section 1 of doc/protocol.md):
 * SHA-256(T("weft/stamp") || u32be length || chain_id || block_id || account ||
 * u64be nonce) begins
 * with params.credit_stamp_bits zero bits.
 */
struct hash ledger_stamp_hash(struct bytes chain_id,
			      const struct hash *block_id,
			      const struct pubkey *account, uint64_t nonce);

/* Does h begin with that many zero bits? */
bool ledger_stamp_ok(const struct hash *h, uint64_t bits);

#endif /* WEFT_LEDGER_APPLY_H */
