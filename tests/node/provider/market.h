/*
 * A chain with a market, a buyer, and one provider's core whose world the
 * test plays: it answers what the role asks for, or leaves it unanswered.
 */
#ifndef WEFT_TESTS_NODE_PROVIDER_MARKET_H
#define WEFT_TESTS_NODE_PROVIDER_MARKET_H

#include "market/job.h"
#include "market/lease.h"
#include "node/core/act.h"
#include "node/core/core.h"
#include "node/provider/provider.h"
#include "tests/support/ledger/rig.h"
#include "tests/support/toy.h"

#define MARKET_BUYER	 1u
#define MARKET_PROVIDER	 2u
#define MARKET_VERIFIER	 3u
#define MARKET_KEPT_MAX	 64u
#define MARKET_ASKED_MAX 512u

struct kept {
	struct buf key;
	struct buf value;
};

struct fake_market {
	struct rig rig;
	struct arena *arena;
	struct core *core;
	struct provider *provider;
	struct provider_config config;
	uint64_t now_ms;
	struct toy_lease *toy; /* of the lease at hand */
	struct hash job;
	struct hash header_root;
	struct hash tasks_root;
	/* the journal, as the disk would have it */
	struct kept kept[MARKET_KEPT_MAX];
	size_t kept_count;
	/* actions not yet answered, in order */
	struct core_action asked[MARKET_ASKED_MAX];
	size_t asked_count;
	bool buyer_is_away; /* fetches fail */
	/* what the self-check is told of every sample, and the class that the
	 * job says; 0: as the toy's header has it */
	enum program_verdict verdict;
	uint32_t class_bit;
	unsigned pairs; /* openings of pairs that were asked for */
	unsigned runs;	/* RUN actions seen */
	unsigned cancels;
};

/* The provider has said START; no offer and no job yet. */
void market_open(struct fake_market *m);
void market_shut(struct fake_market *m);

/* Another process with the same disk (or with an empty one). */
void market_restart(struct fake_market *m, bool disk_is_lost);

/* The buyer posts the toy job of TOY_TASKS tasks. */
void market_post_job(struct fake_market *m);

/*
 * Answer what waits and make blocks until nothing moves.  Of RUN actions
 * only so many are answered.
 */
void market_turn(struct fake_market *m, unsigned runs);

/* The buyer disputes CTA 2 of step 6 of the lease's first task, and the
 * referee agrees; it calls every pair a conflict. */
void market_dispute(struct fake_market *m);

/* Empty blocks. */
void market_blocks(struct fake_market *m, unsigned count);

/* The only lease of the job that is not final, or the last one. */
struct market_lease market_the_lease(struct fake_market *m);

void market_tell(struct fake_market *m, struct core_event *event);

#endif /* WEFT_TESTS_NODE_PROVIDER_MARKET_H */
