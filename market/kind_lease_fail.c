/*
 * lease.fail: handed back after it was accepted, with the reason; tasks that
 * are done are committed and paid, the others go to somebody else.
 */
#include "market/priv/kind.h"

MARKET_KIND_DECODE(lease_fail, struct market_lease_fail,
		   market_lease_fail_decode)

/* Faults of the program stay faults elsewhere; the rest may pass. */
static uint64_t skip_until(const struct ledger *l, const struct market_job *j,
			   enum reason why)
{
	if (why == REASON_gpu_lost || why == REASON_owner_active ||
	    why == REASON_power)
		return l->height + l->params->accept_blocks;
	return j->terms.deadline_height + 1;
}

static enum err give_back(struct ledger *l, struct market_deal *d,
			  enum reason why)
{
	enum err e = market_deal_step(l, d, MARKET_EVENT_fail);

	if (e != ERR_OK)
		return e;
	return market_deal_return(l, d, why, MARKET_MARK_NONE);
}

enum err market_apply_lease_fail(struct ledger *l, const void *body)
{
	const struct market_lease_fail *x = body;
	struct market_deal d;
	uint32_t from, end;
	enum err e = market_deal_own(l, &x->lease, &d);

	if (e != ERR_OK)
		return e;
	from = d.lease.first + (x->has_result ? x->result.done : 0);
	end = d.lease.first + d.lease.count;
	e = x->has_result ? market_commit(l, &d, &x->result)
			  : give_back(l, &d, x->reason);
	if (e == ERR_OK && x->fault.present) {
		/* only a task that this lease gives back */
		if (x->fault.task < from || x->fault.task >= end)
			return ledger_refuse(l, REASON_bad_value);
		e = market_job_fault(l, d.job, x->fault.task,
				     &d.lease.provider);
	}
	if (e == ERR_OK)
		e = market_job_skip(l, d.job, &d.lease.provider,
				    skip_until(l, d.job, x->reason));
	return e == ERR_OK ? market_deal_save(l, &d) : e;
}
