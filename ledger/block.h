/*
 * ledger/block - blocks as bytes, for the engines that keep their own.
 *
 * msgpack array of eight: [version, chain_id, height, parent, time_ms,
 * state_root_before, txs, signature].  txs are byte strings.  Signed is
 * SHA-256(T("weft/block") || the array of the first seven), by the proposer's
 * account; the id is SHA-256(T("weft/blockid") || all).
 */
#ifndef WEFT_LEDGER_BLOCK_H
#define WEFT_LEDGER_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/reason.h"
#include "base/sig.h"

struct arena;

#define LEDGER_BLOCK_VERSION 1u

struct ledger_block {
	struct bytes chain_id;
	uint64_t height;    /* 1 is the first after genesis */
	struct hash parent; /* id of the block before; genesis: zero */
	uint64_t time_ms;
	struct hash state_root_before;
	struct bytes *txs;
	uint32_t tx_count; /* [0, BLOCK_TX_MAX] */
	bool is_signed;
	struct sig sig;

	/* filled by ledger_block_decode */
	struct hash id;
	struct hash digest;
};

/* Append the encoding to out; errors stick. */
void ledger_block_encode(const struct ledger_block *b, struct buf *out);

/*
 * Strict.  The txs array lives in a, all else borrows from in.  Nothing
 * inside the transactions is looked at.
 * Returns ERR_OK, ERR_NO_MEMORY, ERR_REFUSED (*reterr_why: bad_encoding,
 * bad_version, too_large).
 */
MUST_USE enum err ledger_block_decode(struct arena *a, struct bytes in,
				      struct ledger_block *ret_block,
				      enum reason *reterr_why);

/* ERR_OK, ERR_LIMIT, ERR_NO_MEMORY. */
MUST_USE enum err ledger_block_digest(const struct ledger_block *b,
				      struct hash *ret_digest);

struct hash ledger_block_id(struct bytes encoding);

/* Of a decoded block: ERR_OK or ERR_SIGNATURE. */
MUST_USE enum err ledger_block_verify(const struct ledger_block *b,
				      const struct pubkey *proposer);

/* As ledger_tx_sign; ret_id is the signed block's id. */
MUST_USE enum err ledger_block_sign(struct ledger_block *b,
				    const struct seckey *sk, struct buf *out,
				    struct hash *ret_id);

#endif /* WEFT_LEDGER_BLOCK_H */
