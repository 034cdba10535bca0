/*
 * ledger/tx - transactions as bytes.
 *
 * msgpack array of eleven: [version, chain_id, kind, sender, key, lane, seq,
 * fee, expiry_height, body, signature].  key is nil when the sender signs
 * itself, else the rig key that does.  body is an array that the kind
 * defines.  signature is 64 bytes, nil only in a beacon.
 *
 * Signed is SHA-256(T("weft/tx") || the array of the first ten); the id is
 * SHA-256(T("weft/txid") || all).  Decoding refuses every form that encoding
 * would not give.
 */
#ifndef WEFT_LEDGER_TX_H
#define WEFT_LEDGER_TX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/coin.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/reason.h"
#include "base/sig.h"

#define LEDGER_TX_VERSION     1u
#define LEDGER_CHAIN_ID_BYTES 32u
#define LEDGER_LANES	      256u

struct ledger_tx {
	struct bytes chain_id;
	uint32_t kind;	      /* enum ledger_kind_number, market's, verify's */
	struct pubkey sender; /* the account that acts and pays */
	bool has_key;
	struct pubkey key;	/* the rig key, if has_key */
	uint8_t lane;		/* [0, 255] */
	uint64_t seq;		/* next of this lane, from 0 */
	struct coin fee;	/* the most it may cost */
	uint64_t expiry_height; /* last height it is valid at */
	struct bytes body;	/* one raw msgpack array */
	bool is_signed;
	struct sig sig;

	/* filled by ledger_tx_decode */
	struct hash id;
	struct hash digest; /* what was signed */
	uint32_t size_bytes;
};

/*
 * Append tx's encoding to out, with its signature (nil if !is_signed).
 * Errors stick in out.
 */
void ledger_tx_encode(const struct ledger_tx *tx, struct buf *out);

/*
 * Strict; checks no signature, no chain, no kind and not the body's inside.
 * The result borrows from in.
 * Returns ERR_OK or ERR_REFUSED (*reterr_why: bad_encoding, bad_version,
 * too_large: over TX_EVIDENCE_BYTES_MAX; the kind's own limit comes later).
 */
MUST_USE enum err ledger_tx_decode(struct bytes in, struct ledger_tx *ret_tx,
				   enum reason *reterr_why);

/*
 * What a signer signs.  Returns ERR_OK, ERR_LIMIT (too long), ERR_NO_MEMORY.
 */
MUST_USE enum err ledger_tx_digest(const struct ledger_tx *tx,
				   struct hash *ret_digest);

/* The id of an encoding. */
struct hash ledger_tx_id(struct bytes encoding);

/* The key that must have signed: key if there is one, else sender. */
const struct pubkey *ledger_tx_signer(const struct ledger_tx *tx);

/* ERR_OK or ERR_SIGNATURE.  For decoded transactions; about 40 us. */
MUST_USE enum err ledger_tx_verify(const struct ledger_tx *tx);

/*
 * Sign (deterministically, zero auxiliary randomness) and append the encoding
 * to out; tx->sig and tx->is_signed are set.
 * Returns ERR_OK, ERR_REFUSED (bad secret), ERR_LIMIT, ERR_NO_MEMORY.
 */
MUST_USE enum err ledger_tx_sign(struct ledger_tx *tx, const struct seckey *sk,
				 struct buf *out);

#endif /* WEFT_LEDGER_TX_H */
