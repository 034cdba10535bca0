/*
 * node/provider - the rig: takes leases given to its offers, runs their
 * tasks, commits, answers for them.
 *
 * At every block the ledger's live leases of this account are compared with
 * what is here.  One that is here goes on, one that is new is begun, one
 * that was accepted but is unknown (a lost journal) is handed back with a
 * reason.  What a task gave is in the journal, so that after a restart no
 * finished task runs again.  A lease leaves when the ledger says that it is
 * final; never because the ledger could not be asked.
 */
#ifndef WEFT_NODE_PROVIDER_PROVIDER_H
#define WEFT_NODE_PROVIDER_PROVIDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/reason.h"
#include "base/sig.h"
#include "market/offer.h"
#include "node/core/core.h"
#include "node/provider/tamper.h"

/* Most leases that a provider holds at a time, those it still serves too. */
#define PROVIDER_LEASES_MAX 256u

/* Most bytes of one lease's program, tasks and results in memory. */
#define PROVIDER_LEASE_BYTES_MAX (512u << 20)

struct provider_config {
	struct pubkey account; /* the owner's */
	struct pubkey signer;  /* account, or its rig key */
	struct seckey key;     /* the signer's: openings and receipts */
	uint32_t slots;	       /* tasks at a time */
	uint32_t threads;      /* of a task; 0: all */
	uint64_t task_wall_ms; /* a task is stopped after */
	/* Post this offer when none of the account stands.  Its until_height
	 * is blocks from then on. */
	bool has_offer;
	struct market_offer_terms offer;
	uint64_t drop_keep_blocks; /* outputs are kept so long after the end */
	struct tamper_config tamper; /* demo and tests only */
};

struct provider;

/* NULL when out of memory.  Belongs to the core it is added to. */
struct provider *provider_new(const struct provider_config *config);

extern const struct core_role provider_role;

/* How it is doing, and why no lease came. */
struct provider_status {
	bool paused;
	bool draining;
	uint32_t lease_count; /* live */
	uint32_t running_count;
	uint32_t serving_count; /* ended, outputs still kept */
	uint64_t done_tasks;	/* since start */
	uint64_t done_leases;
	uint64_t last_task_ms;	 /* steady time of the last finished task */
	struct hash lease;	 /* one that is being worked on; zero: none */
	enum reason last_reason; /* of the last lease that did not settle */
	const char *waiting;	 /* why nothing runs, for a person; "" */
};
void provider_status(const struct provider *p, struct provider_status *ret);

/*
 * Finish what runs, take nothing new.  The offer is withdrawn at the next
 * block.
 */
void provider_drain(struct provider *p);
bool provider_is_idle(const struct provider *p);

#endif /* WEFT_NODE_PROVIDER_PROVIDER_H */
