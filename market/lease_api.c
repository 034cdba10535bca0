/*
 * What verify may do to a lease.  Each call is one event of the table; the
 * money and the counts move in deal.c.
 */
#include "base/must.h"
#include "ledger/account.h"
#include "ledger/money.h"
#include "ledger/queue.h"
#include "market/kinds.h"
#include "market/lease.h"
#include "market/price.h"
#include "market/priv/flow.h"
#include "market/priv/store.h"

/* Load and step; ERR_NOT_FOUND when there is no such lease. */
static enum err begin(struct ledger *l, const struct hash *id,
		      enum market_lease_event event, struct market_deal *ret_d)
{
	enum err e = market_deal_load(l, id, NULL, ret_d);

	return e == ERR_OK ? market_deal_step(l, ret_d, event) : e;
}

static enum err note_sampling(struct ledger *l, struct market_lease *x)
{
	struct hash seed;
	enum err e;

	e = ledger_sampling(l, x->stated_height, &x->sampling_height, &seed);
	return e == ERR_NOT_FOUND ? ledger_refuse(l, REASON_too_early) : e;
}

enum err market_lease_passed(struct ledger *l, const struct hash *id)
{
	struct market_lease x;
	enum err e = market_lease_get(l, id, &x);

	if (e != ERR_OK)
		return e;
	if (x.state != MARKET_LEASE_committed || x.sampling_height != 0)
		return ledger_refuse(l, REASON_wrong_state);
	e = note_sampling(l, &x);
	return e == ERR_OK ? market_lease_save(l, &x) : e;
}

enum err market_lease_drawn(struct ledger *l, const struct hash *id)
{
	struct market_deal d;
	enum err e = begin(l, id, MARKET_EVENT_draw, &d);

	if (e == ERR_OK)
		e = note_sampling(l, &d.lease);
	if (e == ERR_OK)
		e = market_deal_set_window(
			l, &d, d.lease.commit_height + l->params->life_blocks);
	if (e != ERR_OK)
		return e;
	d.lease.drawn = true;
	return market_lease_save(l, &d.lease);
}

enum err market_lease_hold(struct ledger *l, const struct hash *id,
			   uint64_t height)
{
	struct market_deal d;
	uint64_t life;
	enum err e = market_deal_load(l, id, NULL, &d);

	if (e != ERR_OK)
		return e;
	if (d.lease.state == MARKET_LEASE_auditing)
		return ERR_OK;
	if (d.lease.state != MARKET_LEASE_committed)
		return ledger_refuse(l, market_lease_is_final(d.lease.state)
						? REASON_already_settled
						: REASON_wrong_state);
	life = d.lease.commit_height + l->params->life_blocks;
	if (height > life)
		height = life;
	if (height <= d.lease.window_height)
		return ERR_OK;
	e = market_deal_set_window(l, &d, height);
	return e == ERR_OK ? market_lease_save(l, &d.lease) : e;
}

/* One step of CV; not for dust: at least half of the account's median. */
static void step_cv(struct ledger *l, struct market_deal *d)
{
	struct market_device_record *v = &d->device;
	struct coin median =
		market_prices_median(&d->provider.lease_prices, COIN_ZERO);
	struct coin half;

	if (coin_scale_up(median, 1, 2, &half) &&
	    coin_cmp(d->lease.price, half) < 0)
		return;
	v->cv = market_cv(&d->provider, v) + 1;
	v->cv_height = l->height;
}

enum err market_lease_audited(struct ledger *l, const struct hash *id)
{
	struct market_deal d;
	enum err e = begin(l, id, MARKET_EVENT_valid, &d);

	if (e != ERR_OK)
		return e;
	d.lease.audited = true;
	step_cv(l, &d);
	e = market_deal_pay(l, &d, REASON_done, true);
	return e == ERR_OK ? market_deal_save(l, &d) : e;
}

enum err market_lease_unchecked(struct ledger *l, const struct hash *id)
{
	struct market_deal d;
	enum err e = begin(l, id, MARKET_EVENT_unchecked, &d);

	if (e == ERR_OK)
		e = market_deal_pay(l, &d, REASON_unchecked, false);
	return e == ERR_OK ? market_deal_save(l, &d) : e;
}

/* Take the penalty out of the bond: to the accuser, the rest burnt. */
static enum err punish(struct ledger *l, struct market_deal *d,
		       const struct market_ruling *ruling)
{
	struct market_lease *x = &d->lease;
	struct ledger_lock_id lock = market_bond_lock(&x->provider);
	struct ledger_note reward = {LEDGER_WHY_reward, x->id};
	struct ledger_note burn = {LEDGER_WHY_penalty, x->id};
	struct coin bond, part = COIN_ZERO, rest;
	enum err e = market_bond(l, &x->provider, &bond);

	if (e != ERR_OK)
		return e;
	if (!ruling->seed_drawn)
		return ERR_OK;
	x->penalty = market_penalty(l->params, x->price, x->audit_p, bond);
	if (ruling->has_accuser)
		part = coin_min(ruling->reward, x->penalty);
	must(coin_sub(x->penalty, part, &rest));
	e = ledger_lock_pay(l, &lock, &ruling->accuser, part, reward);
	return e == ERR_OK ? ledger_lock_burn(l, &lock, rest, burn) : e;
}

/* The account was caught: its other leases are looked at for certain. */
static enum err suspect(struct ledger *l, struct market_lease *x)
{
	struct market_deal d;
	uint64_t now = l->height, delay, end;
	enum err e;

	x->audit_p = MARKET_CERTAIN;
	x->struck = true;
	if (x->state != MARKET_LEASE_committed || x->sampling_height == 0)
		return market_lease_save(l, x);
	/* the seed had passed it over: drawn anew, by a seed still to come */
	delay = l->params->sampling_delay_blocks;
	x->stated_height = now;
	x->sampling_height = 0;
	e = ledger_queue_add(l, MARKET_QUEUE_SAMPLE, now + delay, &x->id);
	if (e != ERR_OK)
		return e;
	d.lease = *x;
	end = now + l->params->challenge_blocks;
	if (end > x->commit_height + l->params->life_blocks)
		end = x->commit_height + l->params->life_blocks;
	if (end > x->window_height)
		e = market_deal_set_window(l, &d, end);
	return e == ERR_OK ? market_lease_save(l, &d.lease) : e;
}

static enum err suspect_others(struct ledger *l, const struct pubkey *provider)
{
	struct market_lease x;
	struct hash after;
	uint32_t n;
	enum err e = ERR_OK;

	for (n = 0; n < MARKET_LIVE_MAX; n++) {
		e = market_lease_next_live(l, provider, n > 0 ? &after : NULL,
					   &x);
		if (e == ERR_NOT_FOUND)
			return ERR_OK;
		if (e != ERR_OK)
			return e;
		after = x.id;
		if (x.state == MARKET_LEASE_auditing)
			continue;
		e = suspect(l, &x);
		if (e != ERR_OK)
			return e;
	}
	return e;
}

enum err market_lease_refuted(struct ledger *l, const struct hash *id,
			      enum reason reason,
			      const struct market_ruling *ruling,
			      struct coin *ret_penalty)
{
	struct market_deal d;
	enum err e;

	e = begin(l, id,
		  reason == REASON_refuted ? MARKET_EVENT_fraud
					   : MARKET_EVENT_unavailable,
		  &d);
	if (e == ERR_OK)
		e = punish(l, &d, ruling);
	if (e == ERR_OK)
		e = market_deal_return(l, &d, reason, MARKET_MARK_BAD);
	if (e == ERR_OK)
		e = market_job_skip(l, d.job, &d.lease.provider,
				    d.job->terms.deadline_height + 1);
	if (e != ERR_OK)
		return e;
	d.provider.refuted++;
	d.provider.struck_height = l->height;
	e = market_deal_save(l, &d);
	if (e == ERR_OK)
		e = suspect_others(l, &d.lease.provider);
	if (e == ERR_OK)
		*ret_penalty = d.lease.penalty;
	return e;
}

/* The provider of the job's first void lease is paid too, as far as the
 * escrow goes: its lease is final and stays as it is. */
static enum err pay_first(struct ledger *l, struct market_job *j)
{
	struct ledger_lock_id lock = market_escrow_lock(j);
	struct ledger_note note = {LEDGER_WHY_lease_pay, j->void_lease};
	struct market_lease x;
	struct coin pay;
	enum err e;

	if (hash_is_zero(&j->void_lease))
		return ERR_OK;
	e = market_lease_get(l, &j->void_lease, &x);
	if (e != ERR_OK)
		return e;
	pay = coin_min(x.price, j->escrow);
	must(coin_sub(j->escrow, pay, &j->escrow));
	j->paid = market_tally(j->paid, pay);
	return ledger_lock_pay(l, &lock, &x.provider, pay, note);
}

static enum err mark_program(struct ledger *l, struct market_deal *d)
{
	struct market_buyer y;
	struct market_job j;
	enum err e = market_deal_pay(l, d, REASON_void, true);

	if (e == ERR_OK)
		e = pay_first(l, d->job);
	if (e == ERR_OK)
		e = market_deal_save(l, d);
	if (e == ERR_OK)
		e = market_job_get(l, &d->lease.job, &j);
	/* closing ends other leases, maybe of this provider: after the save */
	if (e == ERR_OK)
		e = market_job_close(l, &j, REASON_void);
	if (e == ERR_OK)
		e = market_job_save(l, &j);
	if (e == ERR_OK)
		e = market_buyer_get(l, &d->lease.buyer, &y);
	if (e != ERR_OK)
		return e;
	y.void_programs++;
	return market_buyer_save(l, &d->lease.buyer, &y);
}

/* Was an earlier lease of another operator void on the same state? */
static enum err confirmed(struct ledger *l, const struct market_deal *d,
			  const struct hash *prior_root, bool *ret_is)
{
	struct market_lease x;
	struct pubkey a, b;
	enum err e;

	*ret_is = false;
	if (hash_is_zero(&d->job->void_lease) ||
	    !hash_eq(&d->job->void_prior_root, prior_root))
		return ERR_OK;
	e = market_lease_get(l, &d->job->void_lease, &x);
	if (e == ERR_OK)
		e = ledger_operator(l, &x.provider, &a);
	if (e == ERR_OK)
		e = ledger_operator(l, &d->lease.provider, &b);
	if (e == ERR_OK)
		*ret_is = !pubkey_eq(&a, &b);
	return e;
}

enum err market_lease_void(struct ledger *l, const struct hash *id,
			   const struct hash *prior_root, bool at_start)
{
	struct market_deal d;
	bool marked = at_start;
	enum err e = begin(l, id, MARKET_EVENT_void, &d);

	if (e == ERR_OK && !at_start)
		e = confirmed(l, &d, prior_root, &marked);
	if (e != ERR_OK)
		return e;
	if (marked)
		return mark_program(l, &d);
	e = market_deal_return(l, &d, REASON_void, MARKET_MARK_NONE);
	if (e == ERR_OK)
		e = market_job_skip(l, d.job, &d.lease.provider,
				    d.job->terms.deadline_height + 1);
	if (e != ERR_OK)
		return e;
	d.job->void_lease = d.lease.id;
	d.job->void_prior_root = *prior_root;
	return market_deal_save(l, &d);
}
