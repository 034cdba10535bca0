/*
 * lease.accept: the provider holds inputs and key; its time begins.
 */
#include "market/priv/kind.h"

MARKET_KIND_DECODE(lease_accept, struct market_lease_accept,
		   market_lease_accept_decode)

enum err market_apply_lease_accept(struct ledger *l, const void *body)
{
	const struct market_lease_accept *x = body;
	const struct ledger_params *p = l->params;
	struct market_deal d;
	uint64_t window;
	enum err e = market_deal_own(l, &x->lease, &d);

	if (e == ERR_OK)
		e = market_deal_step(l, &d, MARKET_EVENT_accept);
	if (e != ERR_OK)
		return e;
	if (d.job->state == MARKET_JOB_CLOSING)
		return ledger_refuse(l, d.job->reason);
	window = p->commit_expected_factor * d.lease.expected_blocks;
	if (window < p->commit_blocks_min)
		window = p->commit_blocks_min;
	d.lease.accept_height = l->height;
	d.job->unserved_count = 0;
	e = market_deal_set_window(l, &d, l->height + window);
	if (e == ERR_OK)
		e = market_deal_save(l, &d);
	if (e != ERR_OK)
		return e;
	return ledger_emit(l, "lease.accepted", &d.lease.id, &d.lease.buyer,
			   &d.lease.provider, (struct bytes){NULL, 0});
}
