/*
 * ledger/genesis - the state before the first block.
 *
 * Parsed from JSON above; here it is a struct, its canonical encoding
 *
 *   [1, chain_id, time_ms, params, [[account, picks] ...],
 *    [[ed25519 key, vrf key, account, power] ...]]
 *
 * (accounts ascending by key, validators by ed25519 key, no doubles) and the
 * hash of that, SHA-256(T("weft/genesis") || encoding), which names the chain
 * together with its id and is the parent of block 1.
 */
#ifndef WEFT_LEDGER_GENESIS_H
#define WEFT_LEDGER_GENESIS_H

#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/coin.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/reason.h"
#include "base/sig.h"
#include "ledger/account.h"
#include "ledger/params.h"

struct arena;

#define LEDGER_GENESIS_ACCOUNTS_MAX 1000000u
#define LEDGER_GENESIS_BYTES_MAX    (64u << 20)

struct ledger_genesis_account {
	struct pubkey account;
	struct coin balance;
};

struct ledger_genesis {
	struct bytes chain_id; /* 1-32 of [a-z0-9-] */
	uint64_t time_ms;
	struct ledger_params params;
	const struct ledger_genesis_account *accounts;
	uint32_t account_count;
	const struct ledger_validator *validators; /* at least one */
	uint32_t validator_count;
};

/*
 * Is it well-formed?  ERR_OK or ERR_REFUSED (*reterr_why: bad_value for a
 * chain id, order or number; duplicate; overflow: more issued than 64 bits).
 */
MUST_USE enum err ledger_genesis_check(const struct ledger_genesis *g,
				       enum reason *reterr_why);

/* Append the encoding; errors stick. */
void ledger_genesis_encode(const struct ledger_genesis *g, struct buf *out);

/* Strict, and checked; arrays live in a, chain_id borrows from in.
 * ERR_OK, ERR_REFUSED, ERR_NO_MEMORY. */
MUST_USE enum err ledger_genesis_decode(struct arena *a, struct bytes in,
					struct ledger_genesis *ret_genesis);

/* ERR_OK, ERR_NO_MEMORY, ERR_LIMIT. */
MUST_USE enum err ledger_genesis_hash(const struct ledger_genesis *g,
				      struct hash *ret_hash);

#endif /* WEFT_LEDGER_GENESIS_H */
