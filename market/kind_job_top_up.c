/*
 * job.top_up: more escrow; a job that was paused for it goes on.
 */
#include "ledger/money.h"
#include "market/priv/kind.h"
#include "market/priv/store.h"

MARKET_KIND_DECODE(job_top_up, struct market_job_top_up,
		   market_job_top_up_decode)

enum err market_apply_job_top_up(struct ledger *l, const void *body)
{
	const struct market_job_top_up *x = body;
	struct ledger_lock_id lock;
	struct ledger_note note = {LEDGER_WHY_top_up, x->id};
	struct market_job j;
	enum err e = market_job_own(l, &x->id, &j);

	if (e != ERR_OK)
		return e;
	if (!coin_add(j.escrow, x->amount, &j.escrow))
		return ERR_OVERFLOW;
	lock = market_escrow_lock(&j);
	e = ledger_lock(l, &lock, x->amount, j.terms.deadline_height, note);
	if (e != ERR_OK)
		return e;
	if (j.state == MARKET_JOB_PAUSED &&
	    (j.reason == REASON_out_of_funds ||
	     j.reason == REASON_input_missing)) {
		/* those who found no inputs may look again */
		if (j.reason == REASON_input_missing)
			j.skip_count = 0;
		j.state = MARKET_JOB_OPEN;
		j.reason = REASON_none;
		j.unserved_count = 0;
	}
	e = market_job_settle(l, &j);
	return e == ERR_OK ? market_job_save(l, &j) : e;
}
