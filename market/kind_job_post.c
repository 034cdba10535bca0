/*
 * job.post: lock the escrow, free all tasks, enter the market.
 */
#include "ledger/money.h"
#include "market/price.h"
#include "market/priv/index.h"
#include "market/priv/kind.h"
#include "market/priv/ranges.h"
#include "market/priv/store.h"

MARKET_KIND_DECODE(job_post, struct market_job_terms, market_job_terms_decode)

static enum err check(struct ledger *l, const struct market_job_terms *t)
{
	uint64_t last = l->height + l->params->job_blocks_max;

	/* the audits there are: sampled, or n samples of every lease */
	if (t->confidence != MARKET_SAMPLED && t->confidence != MARKET_SAMPLES)
		return ledger_refuse(l, REASON_bad_value);
	if (t->deadline_height <= l->height || t->deadline_height > last ||
	    t->not_before_height >= t->deadline_height)
		return ledger_refuse_window(l, REASON_bad_value, l->height + 1,
					    last);
	return market_work_check(l, &t->work);
}

static enum err add_buyer(struct ledger *l, const struct market_job *j)
{
	struct ledger_key k =
		market_key_owned(MARKET_PREFIX_BUYER_JOB, &j->buyer, &j->id);
	struct market_buyer y;
	enum err e = market_buyer_get(l, &j->buyer, &y);

	if (e != ERR_OK)
		return e;
	if (y.open_jobs >= l->params->account_jobs_max)
		return ledger_refuse(l, REASON_limit_reached);
	y.open_jobs++;
	y.jobs++;
	e = market_buyer_save(l, &j->buyer, &y);
	return e == ERR_OK ? market_mark(l, &k) : e;
}

static enum err lock_escrow(struct ledger *l, struct market_job *j)
{
	const struct market_job_terms *t = &j->terms;
	struct ledger_lock_id lock = market_escrow_lock(j);
	struct ledger_note note = {LEDGER_WHY_lock, j->id};
	enum err e = market_job_price_checks(l, j);

	if (e == ERR_OK)
		e = market_escrow(l->params, t, j->check_fee_task, &j->escrow);
	if (e != ERR_OK)
		return e;
	return ledger_lock(l, &lock, j->escrow, t->deadline_height, note);
}

enum err market_apply_job_post(struct ledger *l, const void *body)
{
	struct market_job j = {0};
	enum err e;

	j.terms = *(const struct market_job_terms *)body;
	j.id = market_job_id(&l->tx_id);
	j.buyer = l->sender;
	j.posted_height = l->height;
	e = check(l, &j.terms);
	if (e == ERR_OK)
		e = add_buyer(l, &j);
	if (e == ERR_OK)
		e = lock_escrow(l, &j);
	if (e == ERR_OK)
		e = market_ranges_give(l, &j, 0, j.terms.task_count);
	if (e == ERR_OK)
		e = ledger_clock_hold(l);
	if (e == ERR_OK)
		e = market_job_settle(l, &j);
	if (e == ERR_OK)
		e = market_job_save(l, &j);
	if (e != ERR_OK)
		return e;
	return ledger_emit(l, "job.posted", &j.id, &j.buyer, NULL,
			   (struct bytes){NULL, 0});
}
