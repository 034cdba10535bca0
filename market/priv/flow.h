/*
 * market/priv/flow - what happens to jobs and leases, whoever asked for it.
 *
 * Transactions, hooks and verify's calls all end here, so that money and
 * counts move in one place.  The invariants that every function keeps:
 *
 *   the escrow lock of a job    = job.escrow + job.reserved
 *   job.reserved                = sum of (price + check_fee) of live leases
 *   provider.exposure           = sum of price of live leases
 *   free + in lease + committed + done + quarantined = task_count
 */
#ifndef WEFT_MARKET_PRIV_FLOW_H
#define WEFT_MARKET_PRIV_FLOW_H

#include "ledger/state.h"
#include "market/explain.h"
#include "market/job.h"
#include "market/lease.h"
#include "market/offer.h"
#include "market/record.h"

/*
 * Jobs.  All change *j and leave saving it to the caller.
 */

/* What an audit of j costs now, and each task's share: job->audit_cost,
 * job->check_fee_task. */
MUST_USE enum err market_job_price_checks(struct ledger *l,
					  struct market_job *j);

/* After any change: closes a job with nothing left, refunds what a closing
 * one no longer needs, ends it with its last lease, keeps its index place and
 * its next due height. */
MUST_USE enum err market_job_settle(struct ledger *l, struct market_job *j);

/* No new leases until it is resumed or its grace ends. */
MUST_USE enum err market_job_pause(struct ledger *l, struct market_job *j,
				   enum reason why);

/* No new leases ever; leases that wait for an accept are cancelled (those
 * beyond MARKET_CLOSE_MAX at the end of their windows). */
#define MARKET_CLOSE_MAX 256u
MUST_USE enum err market_job_close(struct ledger *l, struct market_job *j,
				   enum reason why);

/* Pass the account's operator over below until_height. */
MUST_USE enum err market_job_skip(struct ledger *l, struct market_job *j,
				  const struct pubkey *account,
				  uint64_t until_height);

/*
 * A provider says that a task faults.  After quarantine_operators different
 * operators said so the task leaves the job; it must be free.
 */
MUST_USE enum err market_job_fault(struct ledger *l, struct market_job *j,
				   uint32_t task, const struct pubkey *account);
MUST_USE enum err market_job_forget_faults(struct ledger *l,
					   const struct market_job *j);

/*
 * A sum that is only told, never paid out: it stops at the top instead of
 * overflowing.  The same money can be spent again and again for ever.
 */
static inline struct coin market_tally(struct coin sum, struct coin more)
{
	if (!coin_add(sum, more, &sum))
		return coin_picks(UINT64_MAX);
	return sum;
}

/*
 * A lease with everything that changes along with it.  job points to the
 * caller's job or to own_job.
 */
struct market_deal {
	struct market_lease lease;
	struct market_job *job;
	struct market_job own_job;
	struct market_offer offer;
	struct market_provider provider;
	struct market_device_record device;
};

/*
 * Load a lease's records; shared is the caller's copy of its job (or NULL).
 * ERR_OK, ERR_NOT_FOUND (no such lease), ERR_STORE, ERR_NO_MEMORY.
 */
MUST_USE enum err market_deal_load(struct ledger *l, const struct hash *id,
				   struct market_job *shared,
				   struct market_deal *ret_deal);

/* Settle the job (unless it is the caller's), index the offer, write all. */
MUST_USE enum err market_deal_save(struct ledger *l, struct market_deal *d);

/* The table's answer: the new state in d->lease, or a refusal. */
MUST_USE enum err market_deal_step(struct ledger *l, struct market_deal *d,
				   enum market_lease_event event);

/* What a fit becomes: reserve the money, take the tasks, start the window.
 * *j, *o and *p are the caller's to save. */
MUST_USE enum err market_deal_open(struct ledger *l, struct market_job *j,
				   struct market_offer *o,
				   struct market_provider *p,
				   const struct market_fit *fit);

/* States results: the rest of the range and of the money goes back. */
MUST_USE enum err market_deal_commit(struct ledger *l, struct market_deal *d,
				     const struct market_result *r);

/* How an ended lease counts in its provider's record. */
enum market_mark_kind {
	MARKET_MARK_NONE = 0, /* handed back in time: no mark */
	MARKET_MARK_GOOD = 1,
	MARKET_MARK_BAD = 2,
};

/*
 * After market_deal_step reached a final state: unpaid, everything returns;
 * paid, the provider (part withheld into its bond) and, if charge_fee, the
 * pool of auditors.
 */
MUST_USE enum err market_deal_return(struct ledger *l, struct market_deal *d,
				     enum reason why,
				     enum market_mark_kind mark);
MUST_USE enum err market_deal_pay(struct ledger *l, struct market_deal *d,
				  enum reason why, bool charge_fee);

/* The window's own end, for hooks: lapses, cancels, settles. */
MUST_USE enum err market_deal_window(struct ledger *l, struct market_deal *d);

/* Move the lease's window: its queue entry with it. */
MUST_USE enum err market_deal_set_window(struct ledger *l,
					 struct market_deal *d,
					 uint64_t height);

#endif /* WEFT_MARKET_PRIV_FLOW_H */
