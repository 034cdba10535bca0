/*
 * lease.decline: handed back before it was accepted.  No mark; if the buyer
 * did not serve the inputs, the provider's idle time is paid, and after
 * enough operators the job pauses.
 */
#include "base/must.h"
#include "ledger/money.h"
#include "market/priv/kind.h"
#include "market/priv/store.h"

MARKET_KIND_DECODE(lease_decline, struct market_lease_decline,
		   market_lease_decline_decode)

static enum err unserved(struct ledger *l, struct market_deal *d)
{
	struct market_job *j = d->job;
	struct ledger_lock_id lock = market_escrow_lock(j);
	struct ledger_note note = {LEDGER_WHY_idle_fee, d->lease.id};
	struct coin fee = coin_picks(l->params->idle_fee_picks);
	struct market_buyer y;
	enum err e = market_buyer_get(l, &j->buyer, &y);

	if (e != ERR_OK)
		return e;
	y.unserved_inputs++;
	fee = coin_min(fee, j->escrow);
	must(coin_sub(j->escrow, fee, &j->escrow));
	j->fees = market_tally(j->fees, fee);
	e = market_buyer_save(l, &j->buyer, &y);
	if (e == ERR_OK)
		e = ledger_lock_pay(l, &lock, &d->lease.provider, fee, note);
	if (e != ERR_OK)
		return e;
	j->unserved_count++;
	if (j->unserved_count < l->params->input_missing_operators)
		return ERR_OK;
	return market_job_pause(l, j, REASON_input_missing);
}

/* How long the job passes the operator over.  Who was paid for idle time is
 * not asked again until the buyer resumed the job (job.top_up). */
static uint64_t skip_until(const struct ledger *l, const struct market_job *j,
			   enum reason why)
{
	if (why == REASON_declined_policy || why == REASON_underpriced ||
	    why == REASON_limit_memory || why == REASON_input_missing)
		return j->terms.deadline_height + 1;
	return l->height + l->params->accept_blocks;
}

enum err market_apply_lease_decline(struct ledger *l, const void *body)
{
	const struct market_lease_decline *x = body;
	struct market_deal d;
	enum err e = market_deal_own(l, &x->lease, &d);

	if (e == ERR_OK)
		e = market_deal_step(l, &d, MARKET_EVENT_decline);
	if (e == ERR_OK)
		e = market_deal_return(l, &d, x->reason, MARKET_MARK_NONE);
	if (e == ERR_OK)
		e = market_job_skip(l, d.job, &d.lease.provider,
				    skip_until(l, d.job, x->reason));
	if (e == ERR_OK && x->reason == REASON_input_missing)
		e = unserved(l, &d);
	return e == ERR_OK ? market_deal_save(l, &d) : e;
}
