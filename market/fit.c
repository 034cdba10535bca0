/*
 * Does this job go with this offer, and how many of its tasks?
 *
 * Tests run cheapest first; what needs the state (skips by operator, bond,
 * device record) comes after what stands in the two records.
 */
#include "ledger/account.h"
#include "market/explain.h"
#include "market/price.h"
#include "market/priv/index.h"

/* Terms against terms: nothing but the two records. */
static enum market_misfit fit_terms(const struct ledger *l,
				    const struct market_job *j,
				    const struct market_offer *o)
{
	const struct market_job_terms *t = &j->terms;
	const struct market_offer_terms *u = &o->terms;
	uint64_t memory = t->work.memory_bytes > t->want_memory_min_bytes
				  ? t->work.memory_bytes
				  : t->want_memory_min_bytes;

	if ((t->want == MARKET_WANT_CPU && u->device != MARKET_DEVICE_CPU) ||
	    (t->want == MARKET_WANT_GPU && u->device != MARKET_DEVICE_GPU))
		return MARKET_MISFIT_device;
	if (u->device == MARKET_DEVICE_GPU && u->sm < market_job_sm(j))
		return MARKET_MISFIT_sm;
	if (u->memory_bytes < memory)
		return MARKET_MISFIT_memory;
	if ((u->classes & t->work.class_bit) == 0)
		return MARKET_MISFIT_class_;
	if (t->want_region.n > 0 &&
	    !bytes_eq(bytes_of(t->want_region.b, t->want_region.n),
		      bytes_of(u->region.b, u->region.n)))
		return MARKET_MISFIT_region;
	if (coin_cmp(u->gop_price, t->gop_price_max) > 0)
		return MARKET_MISFIT_price;
	if (u->seconds_max > 0 &&
	    t->work.ops_per_task / u->rate >= u->seconds_max)
		return MARKET_MISFIT_seconds;
	if (t->prefer == MARKET_PREFER_CARBON &&
	    market_offer_ug_per_gop(o, l->height, l->params->block_ms) >
		    t->max_ug_per_gop)
		return MARKET_MISFIT_carbon;
	return MARKET_MISFIT_fits;
}

/* How both stand at this height. */
static enum market_misfit fit_standing(const struct ledger *l,
				       const struct market_job *j,
				       const struct market_offer *o,
				       const struct market_provider *p,
				       uint32_t cv)
{
	uint64_t ranges =
		(uint64_t)j->free_ranges + j->live_leases + j->open_leases;

	if (o->withdrawn || l->height < o->closed_until)
		return MARKET_MISFIT_closed;
	if (l->height > o->terms.until_height)
		return MARKET_MISFIT_expired;
	if (o->used_slots >= o->terms.slots)
		return MARKET_MISFIT_busy;
	if (cv < l->params->newcomer_cv && o->used_slots > 0)
		return MARKET_MISFIT_newcomer;
	if (p->live_leases >= MARKET_LIVE_MAX)
		return MARKET_MISFIT_leases;
	/* an open lease may return two ranges, a committed one may return one
	 */
	if (ranges >= l->params->free_ranges_max)
		return MARKET_MISFIT_ranges;
	if (j->state != MARKET_JOB_OPEN || j->free_count == 0 ||
	    l->height < j->terms.not_before_height ||
	    l->height >= j->terms.deadline_height)
		return MARKET_MISFIT_job;
	return MARKET_MISFIT_fits;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Tasks that run in `seconds` at `rate`; saturates. */
static uint64_t tasks_in(uint64_t seconds, uint64_t rate, uint64_t ops)
{
	uint64_t n;

	return u64_muldiv(seconds, rate, ops, &n) ? n : UINT64_MAX;
}

/* The size by time: L seconds, the offer's limit, the deadline. */
static enum market_misfit size_by_time(const struct ledger *l,
				       const struct market_job *j,
				       const struct market_offer *o,
				       uint64_t rate, uint32_t cv,
				       uint64_t *ret_n)
{
	const struct ledger_params *p = l->params;
	uint64_t ops = j->terms.work.ops_per_task, n, left, most;

	n = tasks_in(market_lease_seconds(p, cv), rate, ops);
	if (n < j->terms.lease_tasks_min)
		n = j->terms.lease_tasks_min;
	if (o->terms.seconds_max > 0) {
		most = tasks_in(o->terms.seconds_max, rate, ops);
		if (most == 0)
			return MARKET_MISFIT_seconds;
		n = least(n, most);
	}
	left = j->terms.deadline_height - l->height;
	if (u64_mul(left, p->block_ms, &left)) {
		most = tasks_in(left / 1000, rate, ops);
		if (most == 0)
			return MARKET_MISFIT_deadline;
		n = least(n, most);
	}
	*ret_n = n > 0 ? n : 1;
	return MARKET_MISFIT_fits;
}

/* The size by money: exposure, escrow, the offer's least value. */
static enum err size_by_money(struct ledger *l, const struct market_job *j,
			      const struct market_offer *o,
			      const struct market_provider *p, struct coin bond,
			      uint32_t cv, uint64_t n,
			      enum market_misfit *ret_misfit,
			      struct market_fit *ret_fit)
{
	const struct ledger_params *q = l->params;
	struct coin room, cash = j->escrow, each, task = ret_fit->task_price;
	uint64_t cap, least_n;

	*ret_misfit = MARKET_MISFIT_exposure;
	if (!coin_sub(market_exposure_max(q, bond), p->exposure, &room) ||
	    coin_raw(room) < coin_raw(task))
		return ERR_OK;
	*ret_misfit = MARKET_MISFIT_funds;
	if ((!j->posting_charged &&
	     !coin_sub(cash, coin_picks(q->posting_picks), &cash)) ||
	    !coin_add(task, j->check_fee_task, &each) ||
	    coin_raw(cash) < coin_raw(each))
		return ERR_OK;
	least_n = coin_raw(o->terms.value_min) / coin_raw(task) +
		  (coin_raw(o->terms.value_min) % coin_raw(task) != 0);
	if (n < least_n)
		n = least_n;
	if (cv < q->newcomer_cv) {
		cap = j->terms.task_count * q->newcomer_tasks_ppm / 1000000;
		if (cap < j->terms.lease_tasks_min)
			cap = j->terms.lease_tasks_min;
		n = least(n, cap);
	}
	n = least(n, j->low_count);
	n = least(n, coin_raw(room) / coin_raw(task));
	n = least(n, coin_raw(cash) / coin_raw(each));
	*ret_misfit = MARKET_MISFIT_value;
	if (n < least_n)
		return ERR_OK;
	ret_fit->tasks = (uint32_t)n;
	*ret_misfit = MARKET_MISFIT_fits;
	return coin_mul(task, n, &ret_fit->price) ? ERR_OK : ERR_OVERFLOW;
}

static enum err price_it(struct ledger *l, const struct market_job *j,
			 struct coin bond, uint64_t rate, struct market_fit *f)
{
	struct coin most;
	uint64_t ops;
	enum err e;

	f->audit_p = market_audit_p(l->params, f->cv, f->price, bond);
	e = market_check_fee(l->params, f->price, f->audit_p, j->audit_cost,
			     &f->check_fee);
	if (e != ERR_OK)
		return e;
	if (!coin_mul(j->check_fee_task, f->tasks, &most))
		return ERR_OVERFLOW;
	f->check_fee = coin_min(f->check_fee, most);
	if (!u64_mul(j->terms.work.ops_per_task, f->tasks, &ops))
		ops = UINT64_MAX;
	f->expected_blocks = market_expected_blocks(l->params, ops, rate);
	return ERR_OK;
}

static enum err fit_size(struct ledger *l, const struct market_job *j,
			 const struct market_offer *o,
			 const struct market_provider *p, uint64_t rate,
			 enum market_misfit *ret_misfit,
			 struct market_fit *ret_fit)
{
	struct coin bond;
	uint64_t n;
	enum err e;

	*ret_misfit = size_by_time(l, j, o, rate, ret_fit->cv, &n);
	if (*ret_misfit != MARKET_MISFIT_fits)
		return ERR_OK;
	e = market_bond(l, &o->owner, &bond);
	if (e == ERR_OK)
		e = market_task_price(j->terms.work.ops_per_task,
				      o->terms.gop_price, &ret_fit->task_price);
	if (e == ERR_OK)
		e = size_by_money(l, j, o, p, bond, ret_fit->cv, n, ret_misfit,
				  ret_fit);
	if (e != ERR_OK || *ret_misfit != MARKET_MISFIT_fits)
		return e;
	ret_fit->first = j->low_first;
	return price_it(l, j, bond, rate, ret_fit);
}

enum err market_fit(struct ledger *l, const struct market_job *j,
		    const struct market_offer *o,
		    const struct market_provider *provider,
		    enum market_misfit *ret_misfit, struct market_fit *ret_fit)
{
	struct market_device_record d;
	struct pubkey operator_account;
	uint64_t rate = o->terms.rate;
	enum err e;

	*ret_fit = (struct market_fit){0};
	*ret_misfit = fit_terms(l, j, o);
	if (*ret_misfit != MARKET_MISFIT_fits)
		return ERR_OK;
	e = market_device_get(l, &o->owner, o->terms.device_index, &d);
	if (e != ERR_OK)
		return e;
	ret_fit->cv = market_cv(provider, &d);
	if (market_record(l->params, provider, ret_fit->cv) <
	    j->terms.want_record_min) {
		*ret_misfit = MARKET_MISFIT_record;
		return ERR_OK;
	}
	*ret_misfit = fit_standing(l, j, o, provider, ret_fit->cv);
	if (*ret_misfit != MARKET_MISFIT_fits)
		return ERR_OK;
	e = ledger_operator(l, &o->owner, &operator_account);
	if (e != ERR_OK)
		return e;
	if (market_job_skips(j, &operator_account, l->height)) {
		*ret_misfit = MARKET_MISFIT_skipped;
		return ERR_OK;
	}
	/* what was measured counts, but never above the claim */
	if (d.rate > 0 && d.rate < rate)
		rate = d.rate;
	return fit_size(l, j, o, provider, rate, ret_misfit, ret_fit);
}

static const struct {
	const char *word;
	const char *text;
} misfits[MARKET_MISFIT_COUNT] = {
#define X(word, text) {#word, text},
	MARKET_MISFITS(X)
#undef X
};

const char *market_misfit_word(enum market_misfit m)
{
	if (m == MARKET_MISFIT_class_)
		return "class";
	return m < MARKET_MISFIT_COUNT ? misfits[m].word : "?";
}

const char *market_misfit_text(enum market_misfit m)
{
	return m < MARKET_MISFIT_COUNT ? misfits[m].text : "?";
}
