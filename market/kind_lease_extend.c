/*
 * lease.extend: half the commit window more, once, against stated progress.
 */
#include "market/priv/kind.h"

MARKET_KIND_DECODE(lease_extend, struct market_lease_extend,
		   market_lease_extend_decode)

enum err market_apply_lease_extend(struct ledger *l, const void *body)
{
	const struct market_lease_extend *x = body;
	struct market_deal d;
	struct market_lease *y = &d.lease;
	uint64_t half;
	enum err e = market_deal_own(l, &x->lease, &d);

	if (e == ERR_OK)
		e = market_deal_step(l, &d, MARKET_EVENT_extend);
	if (e != ERR_OK)
		return e;
	if (y->extended)
		return ledger_refuse(l, REASON_duplicate);
	if (x->progress == 0 || x->progress > y->count)
		return ledger_refuse(l, REASON_bad_value);
	half = (y->window_height - y->accept_height) / 2;
	y->extended = true;
	y->progress = x->progress;
	y->progress_root = x->progress_root;
	e = market_deal_set_window(l, &d, y->window_height + half);
	return e == ERR_OK ? market_deal_save(l, &d) : e;
}
