/*
 * The market's hooks.  Each entry of a queue names a thing that is due; what
 * happens depends on the record alone, never on when the hook came round.
 */
#include "ledger/money.h"
#include "ledger/queue.h"
#include "market/kinds.h"
#include "market/priv/flow.h"
#include "market/priv/index.h"
#include "market/priv/match.h"
#include "market/priv/store.h"

/* A lease's window ended; an entry that lags behind its record is nothing. */
static enum err window_due(struct ledger *l, uint64_t due_height UNUSED,
			   const struct hash *id)
{
	struct market_deal d;
	enum err e = market_deal_load(l, id, NULL, &d);

	if (e != ERR_OK)
		return e;
	if (market_lease_is_final(d.lease.state) ||
	    l->height < d.lease.window_height)
		return ERR_OK;
	e = market_deal_window(l, &d);
	return e == ERR_OK ? market_deal_save(l, &d) : e;
}

static enum reason reason_at_deadline(const struct market_job *j)
{
	if (j->state == MARKET_JOB_PAUSED)
		return j->reason;
	/* the posting fee is due with the first lease: there was none */
	return j->posting_charged ? REASON_expired : REASON_no_match;
}

/* not_before, deadline or the end of a pause. */
static enum err job_due(struct ledger *l, uint64_t due_height UNUSED,
			const struct hash *id)
{
	struct market_job j;
	enum err e = market_job_get(l, id, &j);

	if (e != ERR_OK)
		return e;
	j.due_height = 0;
	if (l->height >= j.terms.deadline_height)
		e = market_job_close(l, &j, reason_at_deadline(&j));
	else if (j.state == MARKET_JOB_PAUSED && l->height >= j.pause_until)
		e = market_job_close(l, &j, j.reason);
	if (e == ERR_OK)
		e = market_job_settle(l, &j);
	return e == ERR_OK ? market_job_save(l, &j) : e;
}

static enum err retry_due(struct ledger *l, uint64_t due_height UNUSED,
			  const struct hash *id)
{
	struct market_job j;
	enum err e = market_job_get(l, id, &j);

	if (e == ERR_OK)
		e = market_job_wake(l, &j);
	return e == ERR_OK ? market_job_save(l, &j) : e;
}

static enum err offer_due(struct ledger *l, uint64_t due_height UNUSED,
			  const struct hash *id)
{
	struct market_offer o;
	struct market_provider p;
	enum err e = market_offer_get(l, id, &o);

	if (e == ERR_OK)
		e = market_provider_get(l, &o.owner, &p);
	if (e == ERR_OK)
		e = market_offer_place(l, &o, &p);
	return e == ERR_OK ? market_offer_save(l, &o) : e;
}

/* A bond goes back when nothing it stands for is open. */
static enum err bond_due(struct ledger *l, uint64_t due_height UNUSED,
			 const struct hash *id)
{
	struct market_provider p;
	struct ledger_lock_id lock;
	struct ledger_note note = {LEDGER_WHY_bond_back, HASH_ZERO};
	struct pubkey account;
	struct coin bond;
	enum err e;

	for (size_t i = 0; i < sizeof(account.b); i++)
		account.b[i] = id->b[i];
	e = market_provider_get(l, &account, &p);
	if (e == ERR_OK)
		e = market_bond(l, &account, &bond);
	if (e != ERR_OK || p.live_leases > 0)
		return e;
	lock = market_bond_lock(&account);
	return ledger_release(l, &lock, bond, note);
}

const struct ledger_hook market_hooks[] = {
	{LEDGER_PHASE_EXPIRE, "bond.return", MARKET_QUEUE_BOND, bond_due, NULL},
	{LEDGER_PHASE_EXPIRE, "job.due", MARKET_QUEUE_JOB, job_due, NULL},
	{LEDGER_PHASE_EXPIRE, "job.retry", MARKET_QUEUE_RETRY, retry_due, NULL},
	{LEDGER_PHASE_EXPIRE, "lease.window", MARKET_QUEUE_WINDOW, window_due,
	 NULL},
	{LEDGER_PHASE_EXPIRE, "offer.open", MARKET_QUEUE_OFFER, offer_due,
	 NULL},
	{LEDGER_PHASE_SETTLE, "lease.settle", MARKET_QUEUE_SETTLE, window_due,
	 NULL},
	{LEDGER_PHASE_MATCH, "market.match", 0, NULL, market_match},
};
const size_t market_hook_count = sizeof(market_hooks) / sizeof(market_hooks[0]);
