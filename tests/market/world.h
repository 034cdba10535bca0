/*
 * tests/market/world - a chain in memory with the market's rules, and one
 * kind of the tests' own that stands in for verify: it calls market_lease_*.
 */
#ifndef WEFT_TESTS_MARKET_WORLD_H
#define WEFT_TESTS_MARKET_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/reason.h"
#include "base/sig.h"
#include "ledger/chain.h"
#include "ledger/money.h"
#include "market/explain.h"
#include "market/job.h"
#include "market/kinds.h"
#include "market/lease.h"
#include "market/offer.h"
#include "market/record.h"
#include "tests/support/ledger/rig.h"

#define WORLD_ACCOUNTS 12u
#define WORLD_TXS_MAX  64u
#define WORLD_FUNDS    1000000000000ull /* of each account, in picks */

/* The tests' kind: body [op, lease, a]. */
#define WORLD_KIND_AUDIT 250u
enum world_audit {
	WORLD_PASSED,
	WORLD_DRAWN,
	WORLD_VALID,
	WORLD_UNCHECKED,
	WORLD_FRAUD,	    /* drawn by the seed; sender accuses, a: reward */
	WORLD_FRAUD_CHOSEN, /* the accuser chose the sample */
	WORLD_UNAVAILABLE,
	WORLD_VOID,	  /* a: which prior root */
	WORLD_VOID_START, /* at step 1 */
	WORLD_HOLD,	  /* a: height */
	WORLD_COUNTED,	  /* a: counted, against 1,000 */
	WORLD_AUDITS
};

struct world {
	struct rig rig;
	struct pubkey *pk; /* of the actors; 0 is the proposer */
	uint64_t height;   /* of the last block */
	/* of the block under construction */
	struct bytes txs[WORLD_TXS_MAX];
	uint32_t tx_count;
	/* of the last block */
	enum reason reasons[WORLD_TXS_MAX];
	bool is_live;
	char dir[256];	  /* of the LMDB store, empty in memory */
	bool skip_checks; /* do not look at every sum after every block */
};

/* NULL: defaults.  Aborts the test on any failure, as all here. */
struct world *world_new(const struct ledger_params *params);
void world_free(struct world *w);

/* Small windows, so that lives are short. */
struct ledger_params world_params_small(void);

/* Add a transaction to the next block; body is freed.  Returns its id. */
struct hash world_add(struct world *w, uint32_t who, uint32_t kind,
		      struct buf *body);

/* Make the next block. */
void world_block(struct world *w);

/* One block with one transaction: its reason. */
enum reason world_send(struct world *w, uint32_t who, uint32_t kind,
		       struct buf *body, struct hash *ret_id);

/* Blocks until height. */
void world_until(struct world *w, uint64_t height);

/* What the state says. */
struct market_job world_job(struct world *w, const struct hash *id);
struct market_offer world_offer(struct world *w, const struct hash *id);
struct market_lease world_lease(struct world *w, const struct hash *id);
struct market_provider world_provider(struct world *w, uint32_t who);
struct coin world_balance(struct world *w, uint32_t who);
struct coin world_bond(struct world *w, uint32_t who);
struct coin world_pool(struct world *w);
/* The job's n-th lease by match height, then first; false: there is none. */
bool world_lease_of(struct world *w, const struct hash *job, uint32_t n,
		    struct market_lease *ret_lease);

/* Every invariant of market/priv/flow.h over all jobs and providers. */
void world_check(struct world *w);

/* Transactions with plain values. */
struct market_job_terms world_job_terms(struct world *w);
struct market_offer_terms world_offer_terms(struct world *w);
struct hash world_post_job(struct world *w, uint32_t who,
			   const struct market_job_terms *t);
struct hash world_post_offer(struct world *w, uint32_t who,
			     const struct market_offer_terms *t);
enum reason world_accept(struct world *w, uint32_t who, const struct hash *id);
enum reason world_decline(struct world *w, uint32_t who, const struct hash *id,
			  enum reason why);
enum reason world_commit(struct world *w, uint32_t who, const struct hash *id,
			 uint32_t done);
enum reason world_fail(struct world *w, uint32_t who, const struct hash *id,
		       enum reason why, int64_t fault_task, uint32_t done);
enum reason world_retract(struct world *w, uint32_t who, const struct hash *id);
enum reason world_extend(struct world *w, uint32_t who, const struct hash *id);
enum reason world_cancel(struct world *w, uint32_t who, const struct hash *id);
enum reason world_audit(struct world *w, uint32_t who, enum world_audit op,
			const struct hash *id, uint64_t a);

/* Bodies, for tests that fill a block themselves. */
struct buf world_body_accept(const struct hash *id);
struct buf world_body_commit(const struct hash *id, const struct pubkey *who,
			     uint32_t done, enum reason rest);
struct buf world_body_audit(enum world_audit op, const struct hash *id,
			    uint64_t a);

/* The text of WEFT_HEAVY as a number, 1 if it is not set. */
uint64_t world_heavy(void);

#endif /* WEFT_TESTS_MARKET_WORLD_H */
