/*
 * job.extend: a later deadline.
 */
#include "market/priv/kind.h"
#include "market/priv/store.h"

MARKET_KIND_DECODE(job_extend, struct market_job_extend,
		   market_job_extend_decode)

enum err market_apply_job_extend(struct ledger *l, const void *body)
{
	const struct market_job_extend *x = body;
	struct market_job j;
	enum err e = market_job_own(l, &x->id, &j);

	if (e != ERR_OK)
		return e;
	if (x->deadline_height <= j.terms.deadline_height ||
	    x->deadline_height > l->height + l->params->job_blocks_max)
		return ledger_refuse_window(
			l, REASON_bad_value, j.terms.deadline_height + 1,
			l->height + l->params->job_blocks_max);
	j.terms.deadline_height = x->deadline_height;
	e = market_job_settle(l, &j);
	return e == ERR_OK ? market_job_save(l, &j) : e;
}
