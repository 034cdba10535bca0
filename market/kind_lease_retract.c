/*
 * lease.retract: results taken back while nobody can know what will be
 * sampled.  It costs the pay, nothing else.
 */
#include "market/priv/kind.h"

MARKET_KIND_DECODE(lease_retract, struct market_lease_retract,
		   market_lease_retract_decode)

enum err market_apply_lease_retract(struct ledger *l, const void *body)
{
	const struct market_lease_retract *x = body;
	struct market_deal d;
	struct hash seed;
	uint64_t height;
	enum err e = market_deal_own(l, &x->lease, &d);

	if (e == ERR_OK)
		e = market_deal_step(l, &d, MARKET_EVENT_retract);
	if (e != ERR_OK)
		return e;
	e = ledger_sampling(l, d.lease.commit_height, &height, &seed);
	if (e == ERR_OK)
		return ledger_refuse_window(l, REASON_too_late,
					    d.lease.commit_height, height - 1);
	if (e != ERR_NOT_FOUND)
		return e;
	e = market_deal_return(l, &d, REASON_driver_fault, MARKET_MARK_NONE);
	if (e == ERR_OK)
		e = market_job_skip(l, d.job, &d.lease.provider,
				    l->height + l->params->accept_blocks);
	return e == ERR_OK ? market_deal_save(l, &d) : e;
}
