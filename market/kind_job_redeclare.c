/*
 * job.redeclare: other work per task, or another price limit, for the tasks
 * that no lease holds.  What they may now cost is locked in addition; leases
 * that run keep their terms.
 */
#include "ledger/money.h"
#include "market/price.h"
#include "market/priv/index.h"
#include "market/priv/kind.h"
#include "market/priv/store.h"

MARKET_KIND_DECODE(job_redeclare, struct market_job_redeclare,
		   market_job_redeclare_decode)

/* What the tasks still to be paid may cost, less what is locked. */
static enum err missing(struct ledger *l, struct market_job *j,
			struct coin *ret_more)
{
	const struct market_job_terms *t = &j->terms;
	uint64_t left = (uint64_t)j->free_count + j->in_lease_count +
			j->committed_count;
	struct coin task, each, need, held;
	enum err e = market_job_price_checks(l, j);

	if (e == ERR_OK)
		e = market_task_price(t->work.ops_per_task, t->gop_price_max,
				      &task);
	if (e != ERR_OK)
		return e;
	if (!coin_add(task, j->check_fee_task, &each) ||
	    !coin_mul(each, left, &need) ||
	    !coin_add(need,
		      coin_picks(j->posting_charged ? 0
						    : l->params->posting_picks),
		      &need) ||
	    !coin_add(j->escrow, j->reserved, &held))
		return ERR_OVERFLOW;
	if (!coin_sub(need, held, ret_more))
		*ret_more = COIN_ZERO;
	return ERR_OK;
}

enum err market_apply_job_redeclare(struct ledger *l, const void *body)
{
	const struct market_job_redeclare *x = body;
	struct ledger_note note = {LEDGER_WHY_top_up, x->id};
	struct ledger_lock_id lock;
	struct market_job j;
	struct coin more;
	enum err e = market_job_own(l, &x->id, &j);

	if (e == ERR_OK)
		e = market_work_check(l, &x->work);
	if (e == ERR_OK)
		e = market_job_unplace(l, &j);
	if (e != ERR_OK)
		return e;
	j.terms.header_root = x->header_root;
	j.terms.work = x->work;
	j.terms.gop_price_max = x->gop_price_max;
	e = missing(l, &j, &more);
	if (e != ERR_OK)
		return e;
	if (!coin_add(j.escrow, more, &j.escrow))
		return ERR_OVERFLOW;
	lock = market_escrow_lock(&j);
	e = ledger_lock(l, &lock, more, j.terms.deadline_height, note);
	if (e != ERR_OK)
		return e;
	if (j.state == MARKET_JOB_PAUSED && (j.reason == REASON_underdeclared ||
					     j.reason == REASON_out_of_funds)) {
		j.state = MARKET_JOB_OPEN;
		j.reason = REASON_none;
	}
	j.counted_milli = 0;
	j.counted_samples = 0;
	j.backoff = 0;
	e = market_job_settle(l, &j);
	return e == ERR_OK ? market_job_save(l, &j) : e;
}
