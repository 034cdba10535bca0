/*
 * job.cancel: no new leases.  Those that run are paid for what they commit in
 * their windows; what nobody needs any more returns at once.
 */
#include "market/priv/kind.h"
#include "market/priv/store.h"

MARKET_KIND_DECODE(job_cancel, struct market_job_cancel,
		   market_job_cancel_decode)

enum err market_apply_job_cancel(struct ledger *l, const void *body)
{
	const struct market_job_cancel *x = body;
	struct market_job j;
	enum err e = market_job_own(l, &x->id, &j);

	if (e == ERR_OK)
		e = market_job_close(l, &j, REASON_cancelled);
	return e == ERR_OK ? market_job_save(l, &j) : e;
}
