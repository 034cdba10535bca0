/*
 * How jobs pause, close and end.  A job holds the clock from its post to its
 * end; its leases never outlive it, so nobody else needs to.
 */
#include "base/must.h"
#include "ledger/account.h"
#include "ledger/money.h"
#include "ledger/queue.h"
#include "market/kinds.h"
#include "market/price.h"
#include "market/priv/codec.h"
#include "market/priv/flow.h"
#include "market/priv/index.h"
#include "market/priv/ranges.h"
#include "market/priv/store.h"
#include "market/record.h"

/* Claims of faulty tasks that a job remembers; the oldest goes first. */
#define FAULTS_MAX 96u

struct fault {
	uint32_t task;
	struct pubkey account; /* the operator's */
};

enum err market_job_price_checks(struct ledger *l, struct market_job *j)
{
	const struct market_job_terms *t = &j->terms;
	struct coin median;
	enum err e = market_median(l, &median);

	if (e == ERR_OK)
		e = market_audit_cost(
			l->params, &t->work,
			market_sample_count(l->params, &t->work, t->samples),
			median, &j->audit_cost);
	if (e == ERR_OK)
		e = market_check_fee_task(l->params, t, j->audit_cost,
					  &j->check_fee_task);
	return e;
}

/* The next height at which the job itself has something to do; 0: none. */
static uint64_t next_due(const struct ledger *l, const struct market_job *j)
{
	uint64_t due = j->terms.deadline_height;

	if (j->state == MARKET_JOB_CLOSING || j->state == MARKET_JOB_ENDED)
		return 0;
	if (j->state == MARKET_JOB_PAUSED && j->pause_until < due)
		due = j->pause_until;
	if (j->state == MARKET_JOB_OPEN &&
	    j->terms.not_before_height > l->height &&
	    j->terms.not_before_height < due)
		due = j->terms.not_before_height;
	return due;
}

static enum err schedule(struct ledger *l, struct market_job *j)
{
	uint64_t due = next_due(l, j);
	enum err e;

	if (due == j->due_height)
		return ERR_OK;
	if (j->due_height != 0) {
		e = ledger_queue_remove(l, MARKET_QUEUE_JOB, j->due_height,
					&j->id);
		if (e != ERR_OK)
			return e;
	}
	j->due_height = due;
	if (due == 0)
		return ERR_OK;
	return ledger_queue_add(l, MARKET_QUEUE_JOB, due, &j->id);
}

static enum err refund(struct ledger *l, struct market_job *j)
{
	struct ledger_lock_id lock = market_escrow_lock(j);
	struct ledger_note note = {LEDGER_WHY_refund, j->id};
	struct coin amount = j->escrow;

	j->escrow = COIN_ZERO;
	return ledger_release(l, &lock, amount, note);
}

static enum err end(struct ledger *l, struct market_job *j)
{
	struct market_buyer y;
	enum err e;

	must(coin_is_zero(j->reserved) && j->in_lease_count == 0 &&
	     j->committed_count == 0);
	j->state = MARKET_JOB_ENDED;
	j->ended_height = l->height;
	e = market_ranges_forget(l, j);
	if (e == ERR_OK)
		e = market_job_forget_faults(l, j);
	if (e == ERR_OK)
		e = ledger_clock_release(l);
	if (e == ERR_OK)
		e = market_buyer_get(l, &j->buyer, &y);
	if (e != ERR_OK)
		return e;
	must(y.open_jobs > 0);
	y.open_jobs--;
	e = market_buyer_save(l, &j->buyer, &y);
	if (e != ERR_OK)
		return e;
	return ledger_emit(l, "job.ended", &j->id, &j->buyer, NULL,
			   (struct bytes){NULL, 0});
}

enum err market_job_settle(struct ledger *l, struct market_job *j)
{
	bool waits = j->free_count > 0 || j->live_leases > 0;
	enum err e = ERR_OK;

	if (j->state == MARKET_JOB_ENDED)
		return ERR_OK;
	if (j->state != MARKET_JOB_CLOSING && !waits) {
		j->state = MARKET_JOB_CLOSING;
		j->reason = j->quarantined_count > 0 ? REASON_quarantined
						     : REASON_done;
	}
	if (j->state == MARKET_JOB_CLOSING) {
		e = refund(l, j);
		if (e == ERR_OK && j->live_leases == 0)
			e = end(l, j);
	}
	if (e == ERR_OK)
		e = market_job_place(l, j);
	return e == ERR_OK ? schedule(l, j) : e;
}

enum err market_job_pause(struct ledger *l, struct market_job *j,
			  enum reason why)
{
	enum err e;

	if (j->state != MARKET_JOB_OPEN)
		return ERR_OK;
	j->state = MARKET_JOB_PAUSED;
	j->reason = why;
	j->pause_until = l->height + j->terms.grace_blocks;
	e = ledger_emit(l, "job.paused", &j->id, &j->buyer, NULL,
			(struct bytes){NULL, 0});
	return e == ERR_OK ? market_job_settle(l, j) : e;
}

/* Leases that nobody accepted yet end with their job. */
static enum err cancel_open(struct ledger *l, struct market_job *j)
{
	struct market_deal d;
	struct market_lease x = {0};
	uint32_t n = 0;
	bool first = true;
	enum err e = ERR_OK;

	while (n < MARKET_CLOSE_MAX && j->open_leases > 0) {
		struct hash after = x.id;

		e = market_lease_next_live_of_job(l, &j->id,
						  first ? NULL : &after, &x);
		first = false;
		if (e == ERR_NOT_FOUND)
			return ERR_OK;
		if (e != ERR_OK)
			return e;
		n++;
		if (x.state != MARKET_LEASE_open)
			continue;
		e = market_deal_load(l, &x.id, j, &d);
		if (e == ERR_OK)
			e = market_deal_step(l, &d, MARKET_EVENT_close);
		if (e == ERR_OK)
			e = market_deal_return(l, &d, REASON_cancelled,
					       MARKET_MARK_NONE);
		if (e == ERR_OK)
			e = market_deal_save(l, &d);
		if (e != ERR_OK)
			return e;
	}
	return e;
}

enum err market_job_close(struct ledger *l, struct market_job *j,
			  enum reason why)
{
	enum err e;

	if (j->state == MARKET_JOB_CLOSING || j->state == MARKET_JOB_ENDED)
		return ERR_OK;
	e = market_job_unplace(l, j);
	if (e != ERR_OK)
		return e;
	j->state = MARKET_JOB_CLOSING;
	j->reason = why;
	e = cancel_open(l, j);
	return e == ERR_OK ? market_job_settle(l, j) : e;
}

enum err market_job_skip(struct ledger *l, struct market_job *j,
			 const struct pubkey *account, uint64_t until_height)
{
	struct pubkey operator_account;
	uint32_t i, at = 0;
	enum err e = ledger_operator(l, account, &operator_account);

	if (e != ERR_OK)
		return e;
	for (i = 0; i < j->skip_count; i++) {
		struct market_skip *s = &j->skips[i];

		if (pubkey_eq(&s->account, &operator_account)) {
			if (s->until_height < until_height)
				s->until_height = until_height;
			return ERR_OK;
		}
		if (s->until_height < j->skips[at].until_height)
			at = i;
	}
	/* when the list is full, the one that ends first makes room */
	if (j->skip_count < MARKET_SKIPS_MAX)
		at = j->skip_count++;
	j->skips[at] = (struct market_skip){operator_account, until_height};
	return ERR_OK;
}

static enum err faults_load(struct ledger *l, const struct market_job *j,
			    struct fault *ret_v, uint32_t *ret_n)
{
	struct ledger_key k = market_key_object(MARKET_PREFIX_FAULTS, &j->id);
	struct bytes v;
	struct dec d;
	uint32_t i, n;
	enum err e = ledger_get(l, &k, &v);

	*ret_n = 0;
	if (e == ERR_NOT_FOUND)
		return ERR_OK;
	if (e != ERR_OK)
		return e;
	d = dec_make(v);
	n = dec_array(&d, FAULTS_MAX);
	for (i = 0; i < n && d.err == ERR_OK; i++) {
		dec_array_exact(&d, 2);
		ret_v[i].task = market_dec_u32(&d, UINT32_MAX);
		ret_v[i].account = dec_pubkey(&d);
	}
	*ret_n = n;
	return dec_end(&d) == ERR_OK ? ERR_OK : ERR_STORE;
}

static enum err faults_save(struct ledger *l, const struct market_job *j,
			    const struct fault *v, uint32_t n)
{
	struct ledger_key k = market_key_object(MARKET_PREFIX_FAULTS, &j->id);
	struct buf b = buf_make(FAULTS_MAX * 64);
	uint32_t i;
	enum err e;

	enc_array(&b, n);
	for (i = 0; i < n; i++) {
		enc_array(&b, 2);
		enc_uint(&b, v[i].task);
		enc_pubkey(&b, &v[i].account);
	}
	e = ledger_put_buf(l, &k, &b);
	buf_free(&b);
	return e;
}

static enum err quarantine(struct ledger *l, struct market_job *j,
			   uint32_t task)
{
	struct market_buyer y;
	enum err e = market_ranges_drop(l, j, task);

	if (e != ERR_OK)
		return e;
	j->quarantined_count++;
	e = market_buyer_get(l, &j->buyer, &y);
	if (e != ERR_OK)
		return e;
	y.quarantined_tasks++;
	return market_buyer_save(l, &j->buyer, &y);
}

enum err market_job_fault(struct ledger *l, struct market_job *j, uint32_t task,
			  const struct pubkey *account)
{
	struct fault v[FAULTS_MAX];
	struct pubkey who;
	uint32_t i, n, same = 1;
	enum err e = ledger_operator(l, account, &who);

	if (e == ERR_OK)
		e = faults_load(l, j, v, &n);
	if (e != ERR_OK)
		return e;
	for (i = 0; i < n; i++) {
		if (v[i].task != task)
			continue;
		if (pubkey_eq(&v[i].account, &who))
			return ERR_OK;
		same++;
	}
	if (same >= l->params->quarantine_operators)
		return quarantine(l, j, task);
	if (n == FAULTS_MAX) {
		for (i = 1; i < n; i++)
			v[i - 1] = v[i];
		n--;
	}
	v[n++] = (struct fault){task, who};
	return faults_save(l, j, v, n);
}

enum err market_job_forget_faults(struct ledger *l, const struct market_job *j)
{
	struct ledger_key k = market_key_object(MARKET_PREFIX_FAULTS, &j->id);

	return market_unmark(l, &k);
}

enum err market_job_counted(struct ledger *l, const struct hash *id,
			    uint64_t count, uint64_t mean_ops)
{
	const struct ledger_params *p = l->params;
	struct market_job j;
	uint64_t milli, limit;
	enum err e = market_job_get(l, id, &j);

	if (e != ERR_OK || j.state == MARKET_JOB_ENDED)
		return e;
	/* one absurd sample must not outweigh a thousand others */
	if (mean_ops == 0 || !u64_muldiv(count, 1000, mean_ops, &milli) ||
	    milli > 100000)
		milli = 100000;
	j.counted_milli += milli;
	j.counted_samples++;
	if (j.counted_samples >= p->underdeclared_ctas_min &&
	    u64_muldiv(p->underdeclared_ppm, j.counted_samples, 1000, &limit) &&
	    j.counted_milli > limit) {
		e = market_job_pause(l, &j, REASON_underdeclared);
		if (e != ERR_OK)
			return e;
	}
	return market_job_save(l, &j);
}
