/*
 * market/kinds - the rows that the market adds to the ledger's rules.
 *
 * Each kind of transaction is one file, market/kind_<name>.c, and one row in
 * market/kinds.c.  node joins these tables with verify's.
 */
#ifndef WEFT_MARKET_KINDS_H
#define WEFT_MARKET_KINDS_H

#include <stddef.h>

#include "ledger/rules.h"

/* On the wire: append, never renumber. */
enum market_kind {
	MARKET_KIND_JOB_POST = 20,
	MARKET_KIND_JOB_TOP_UP = 21,
	MARKET_KIND_JOB_EXTEND = 22,
	MARKET_KIND_JOB_REDECLARE = 23,
	MARKET_KIND_JOB_CANCEL = 24,
	MARKET_KIND_OFFER_POST = 25,
	MARKET_KIND_OFFER_UPDATE = 26,
	MARKET_KIND_OFFER_WITHDRAW = 27,
	MARKET_KIND_LEASE_ACCEPT = 30,
	MARKET_KIND_LEASE_DECLINE = 31,
	MARKET_KIND_LEASE_COMMIT = 32,
	MARKET_KIND_LEASE_FAIL = 33,
	MARKET_KIND_LEASE_RETRACT = 34,
	MARKET_KIND_LEASE_EXTEND = 35,
};

/* Queues (ledger/queue.h); part of the state's format. */
enum market_queue {
	MARKET_QUEUE_WINDOW = 1, /* leases: accept and commit windows */
	MARKET_QUEUE_SETTLE = 2, /* leases: challenge window, life */
	MARKET_QUEUE_SAMPLE = 3, /* leases: verify's hook draws */
	MARKET_QUEUE_JOB = 4,	 /* jobs: not_before, deadline, grace */
	MARKET_QUEUE_RETRY = 5,	 /* jobs: back-off of matching */
	MARKET_QUEUE_OFFER = 6,	 /* offers: closed_until */
	MARKET_QUEUE_BOND = 7,	 /* provider accounts: bonds return */
};

extern const struct ledger_kind market_kinds[];
extern const size_t market_kind_count;
extern const struct ledger_hook market_hooks[];
extern const size_t market_hook_count;

#endif /* WEFT_MARKET_KINDS_H */
