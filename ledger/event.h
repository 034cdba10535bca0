/*
 * ledger/event - what a block did, for whoever listens (RPC, roles).
 *
 * Events are not consensus: a node may drop them, and learns the same from
 * the state.
 */
#ifndef WEFT_LEDGER_EVENT_H
#define WEFT_LEDGER_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/coin.h"
#include "base/hash.h"
#include "base/reason.h"
#include "base/sig.h"

struct ledger_event {
	const char *name;   /* "lease.committed"; a literal */
	struct hash object; /* its id; zero: none */
	struct pubkey a;    /* accounts concerned; zero: none */
	struct pubkey b;
	struct bytes body; /* the emitter's msgpack */
	uint32_t tx_index; /* UINT32_MAX: a hook's */
};

/* What became of one transaction. */
struct ledger_tx_result {
	struct hash id;
	uint32_t kind;
	enum reason reason; /* none: it took effect */
	bool is_charged;    /* its sequence and fee were used */
	struct coin fee;    /* what it cost or owes */
	uint64_t height;
	/* the window it was judged by, if it was refused for one; else 0 */
	uint64_t from_height;
	uint64_t until_height;
};

#endif /* WEFT_LEDGER_EVENT_H */
