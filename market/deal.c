/*
 * One lease from the match to its end, with all that changes along with it.
 *
 * Money never leaves the job's escrow lock before a lease ends: opening only
 * moves it from `escrow` to `reserved` in the job's books.  A subtraction
 * that fails here is a broken invariant, hence must().
 */
#include "base/must.h"
#include "ledger/account.h"
#include "ledger/money.h"
#include "ledger/queue.h"
#include "market/kinds.h"
#include "market/price.h"
#include "market/priv/flow.h"
#include "market/priv/index.h"
#include "market/priv/ranges.h"
#include "market/priv/store.h"

/* Lapses in a row that still double the time an offer is closed. */
#define LAPSES_MAX 10u

static struct coin plus(struct coin a, struct coin b)
{
	struct coin c;

	must(coin_add(a, b, &c));
	return c;
}

static struct coin minus(struct coin a, struct coin b)
{
	struct coin c;

	must(coin_sub(a, b, &c));
	return c;
}

enum err market_deal_load(struct ledger *l, const struct hash *id,
			  struct market_job *shared,
			  struct market_deal *ret_deal)
{
	struct market_deal *d = ret_deal;
	enum err e = market_lease_get(l, id, &d->lease);

	if (e != ERR_OK)
		return e;
	d->job = shared;
	if (shared == NULL) {
		d->job = &d->own_job;
		e = market_job_get(l, &d->lease.job, d->job);
	}
	if (e == ERR_OK)
		e = market_offer_get(l, &d->lease.offer, &d->offer);
	if (e == ERR_OK)
		e = market_provider_get(l, &d->lease.provider, &d->provider);
	if (e == ERR_OK)
		e = market_device_get(l, &d->lease.provider,
				      d->lease.device_index, &d->device);
	/* a lease without its job or offer is a broken store */
	return e == ERR_NOT_FOUND ? ERR_STORE : e;
}

enum err market_deal_save(struct ledger *l, struct market_deal *d)
{
	enum err e = market_device_save(l, &d->lease.provider,
					d->lease.device_index, &d->device);

	if (e == ERR_OK)
		e = market_offer_place(l, &d->offer, &d->provider);
	if (e == ERR_OK)
		e = market_offer_save(l, &d->offer);
	if (e == ERR_OK)
		e = market_provider_save(l, &d->lease.provider, &d->provider);
	if (e == ERR_OK)
		e = market_lease_save(l, &d->lease);
	if (e != ERR_OK || d->job != &d->own_job)
		return e;
	e = market_job_settle(l, d->job);
	return e == ERR_OK ? market_job_save(l, d->job) : e;
}

enum err market_deal_step(struct ledger *l, struct market_deal *d,
			  enum market_lease_event event)
{
	struct market_lease_cell c = market_lease_cell(d->lease.state, event);

	if (!c.moves)
		return ledger_refuse(l, c.reason);
	d->lease.state = c.next;
	return ERR_OK;
}

/* Which queue holds a lease's window. */
static uint8_t window_queue(const struct market_lease *x)
{
	return x->commit_height == 0 ? MARKET_QUEUE_WINDOW
				     : MARKET_QUEUE_SETTLE;
}

enum err market_deal_set_window(struct ledger *l, struct market_deal *d,
				uint64_t height)
{
	struct market_lease *x = &d->lease;
	enum err e = ERR_OK;

	if (x->window_height != 0)
		e = ledger_queue_remove(l, window_queue(x), x->window_height,
					&x->id);
	if (e != ERR_OK)
		return e;
	x->window_height = height;
	return ledger_queue_add(l, window_queue(x), height, &x->id);
}

/* The posting fee is due with the first lease: nobody is charged before. */
static enum err charge_posting(struct ledger *l, struct market_job *j)
{
	struct ledger_lock_id lock = market_escrow_lock(j);
	struct ledger_note note = {LEDGER_WHY_posting, j->id};
	struct coin fee = coin_picks(l->params->posting_picks);

	if (j->posting_charged)
		return ERR_OK;
	j->posting_charged = true;
	j->escrow = minus(j->escrow, fee);
	j->fees = market_tally(j->fees, fee);
	return ledger_lock_pool(l, &lock, LEDGER_POOL_AUDIT, fee, note);
}

static void freeze(struct ledger *l, const struct market_job *j,
		   const struct market_offer *o, const struct market_fit *fit,
		   struct market_lease *ret_x)
{
	*ret_x = (struct market_lease){
		.id = market_lease_id(&j->id, &o->id, fit->first, l->height),
		.job = j->id,
		.offer = o->id,
		.buyer = j->buyer,
		.provider = o->owner,
		.first = fit->first,
		.count = fit->tasks,
		.program_id = j->terms.program_id,
		.header_root = j->terms.header_root,
		.tasks_root = j->terms.tasks_root,
		.work = j->terms.work,
		.confidence = j->terms.confidence,
		.sample_count = market_sample_count(l->params, &j->terms.work,
						    j->terms.samples),
		.referee_version = (uint32_t)l->params->referee_version,
		.device_index = o->terms.device_index,
		.device = o->terms.device,
		.sm = o->terms.sm,
		.gop_price = o->terms.gop_price,
		.task_price = fit->task_price,
		.price = fit->price,
		.check_fee = fit->check_fee,
		.audit_cost = j->audit_cost,
		.audit_p = fit->audit_p,
		.expected_blocks = fit->expected_blocks,
		.state = MARKET_LEASE_open,
		.open_height = l->height,
	};
}

enum err market_deal_open(struct ledger *l, struct market_job *j,
			  struct market_offer *o, struct market_provider *p,
			  const struct market_fit *fit)
{
	struct market_lease x;
	struct ledger_key k;
	struct coin cost = plus(fit->price, fit->check_fee);
	enum err e = charge_posting(l, j);

	if (e != ERR_OK)
		return e;
	freeze(l, j, o, fit, &x);
	j->escrow = minus(j->escrow, cost);
	j->reserved = plus(j->reserved, cost);
	j->in_lease_count += x.count;
	j->live_leases++;
	j->open_leases++;
	j->backoff = 0;
	o->used_slots++;
	p->live_leases++;
	p->exposure = plus(p->exposure, x.price);
	e = market_ranges_take(l, j, x.count);
	k = market_key_pair(MARKET_PREFIX_JOB_LEASE, &j->id, &x.id);
	if (e == ERR_OK)
		e = market_mark(l, &k);
	k = market_key_pair(MARKET_PREFIX_JOB_LIVE, &j->id, &x.id);
	if (e == ERR_OK)
		e = market_mark(l, &k);
	k = market_key_owned(MARKET_PREFIX_LIVE, &o->owner, &x.id);
	if (e == ERR_OK)
		e = market_mark(l, &k);
	x.window_height = l->height + l->params->accept_blocks;
	if (e == ERR_OK)
		e = ledger_queue_add(l, MARKET_QUEUE_WINDOW, x.window_height,
				     &x.id);
	if (e == ERR_OK)
		e = market_lease_save(l, &x);
	if (e != ERR_OK)
		return e;
	return ledger_emit(l, "lease.open", &x.id, &x.buyer, &x.provider,
			   (struct bytes){NULL, 0});
}

/* The device is free again: the lease is committed or gone. */
static void leave_slot(struct market_deal *d)
{
	must(d->offer.used_slots > 0 && d->job->open_leases > 0);
	d->offer.used_slots--;
	d->job->open_leases--;
	d->job->in_lease_count -= d->lease.count;
}

/* What the device showed it can do; too short a run tells nothing. */
static void measure(struct ledger *l, struct market_deal *d)
{
	const struct market_lease *x = &d->lease;
	uint64_t blocks = x->commit_height - x->accept_height, ops, ms;

	if (blocks < 10 || !u64_mul(x->work.ops_per_task, x->done, &ops) ||
	    !u64_mul(blocks, l->params->block_ms, &ms) ||
	    !u64_muldiv(ops, 1000, ms, &d->device.rate))
		return;
	if (d->device.rate == 0)
		d->device.rate = 1;
}

/* The price of the done tasks; what was reserved for the rest returns. */
static enum err shrink(struct ledger *l, struct market_deal *d)
{
	struct market_lease *x = &d->lease;
	struct market_job *j = d->job;
	struct coin price, fee, most, back;
	enum err e;

	if (!coin_mul(x->task_price, x->done, &price) ||
	    !coin_mul(j->check_fee_task, x->done, &most))
		return ERR_OVERFLOW;
	e = market_check_fee(l->params, price, x->audit_p, x->audit_cost, &fee);
	if (e != ERR_OK)
		return e;
	/* a share of the smallest lease's fee bounds every fee (price.h) */
	fee = coin_min(coin_min(fee, most), x->check_fee);
	back = plus(minus(x->price, price), minus(x->check_fee, fee));
	d->provider.exposure =
		minus(d->provider.exposure, minus(x->price, price));
	j->reserved = minus(j->reserved, back);
	j->escrow = plus(j->escrow, back);
	x->price = price;
	x->check_fee = fee;
	return market_ranges_give(l, j, x->first + x->done, x->count - x->done);
}

enum err market_deal_commit(struct ledger *l, struct market_deal *d,
			    const struct market_result *r)
{
	struct market_lease *x = &d->lease;
	enum err e;

	leave_slot(d);
	d->offer.lapses = 0;
	e = ledger_queue_remove(l, window_queue(x), x->window_height, &x->id);
	if (e != ERR_OK)
		return e;
	x->commit_height = l->height;
	x->stated_height = l->height;
	x->window_height = l->height + l->params->challenge_blocks;
	x->done = r->done;
	x->reason = r->rest;
	x->result_root = r->result_root;
	x->leaves_root = r->leaves_root;
	x->leaves_bytes = r->leaves_bytes;
	x->receipt_hash = r->receipt_hash;
	x->totals = r->totals;
	d->job->committed_count += x->done;
	measure(l, d);
	e = shrink(l, d);
	if (e == ERR_OK)
		e = ledger_queue_add(l, MARKET_QUEUE_SETTLE, x->window_height,
				     &x->id);
	if (e == ERR_OK)
		e = ledger_queue_add(
			l, MARKET_QUEUE_SAMPLE,
			l->height + l->params->sampling_delay_blocks, &x->id);
	if (e != ERR_OK)
		return e;
	return ledger_emit(l, "lease.committed", &x->id, &x->buyer,
			   &x->provider, (struct bytes){NULL, 0});
}

/* The bond's way back begins with the last settlement. */
static enum err await_bond(struct ledger *l, struct market_deal *d)
{
	uint64_t wait = l->params->bond_return_blocks;
	struct hash id;
	enum err e;

	for (size_t i = 0; i < HASH_BYTES; i++)
		id.b[i] = d->lease.provider.b[i];
	e = ledger_queue_remove(l, MARKET_QUEUE_BOND,
				d->provider.last_settled_height + wait, &id);
	if (e != ERR_OK)
		return e;
	d->provider.last_settled_height = l->height;
	return ledger_queue_add(l, MARKET_QUEUE_BOND, l->height + wait, &id);
}

/* What every end has in common. */
static enum err finish(struct ledger *l, struct market_deal *d, enum reason why)
{
	struct market_lease *x = &d->lease;
	struct ledger_key k;
	enum err e;

	e = ledger_queue_remove(l, window_queue(x), x->window_height, &x->id);
	if (e == ERR_OK && x->commit_height != 0)
		e = ledger_queue_remove(
			l, MARKET_QUEUE_SAMPLE,
			x->stated_height + l->params->sampling_delay_blocks,
			&x->id);
	k = market_key_pair(MARKET_PREFIX_JOB_LIVE, &x->job, &x->id);
	if (e == ERR_OK)
		e = market_unmark(l, &k);
	k = market_key_owned(MARKET_PREFIX_LIVE, &x->provider, &x->id);
	if (e == ERR_OK)
		e = market_unmark(l, &k);
	if (e == ERR_OK)
		e = await_bond(l, d);
	if (e != ERR_OK)
		return e;
	must(d->provider.live_leases > 0 && d->job->live_leases > 0);
	d->provider.live_leases--;
	d->job->live_leases--;
	d->provider.exposure = minus(d->provider.exposure, x->price);
	d->job->reserved =
		minus(d->job->reserved, plus(x->price, x->check_fee));
	x->window_height = 0;
	x->end_height = l->height;
	x->reason = why;
	return ledger_emit(l, "lease.ended", &x->id, &x->buyer, &x->provider,
			   (struct bytes){NULL, 0});
}

enum err market_deal_return(struct ledger *l, struct market_deal *d,
			    enum reason why, enum market_mark_kind mark)
{
	struct market_lease *x = &d->lease;
	struct market_job *j = d->job;
	uint32_t count = x->count;
	enum err e;

	if (x->commit_height == 0) {
		leave_slot(d);
	} else {
		count = x->done;
		j->committed_count -= count;
	}
	e = finish(l, d, why);
	if (e != ERR_OK)
		return e;
	j->escrow = plus(j->escrow, plus(x->price, x->check_fee));
	market_provider_ended(&d->provider, mark == MARKET_MARK_BAD, why);
	return market_ranges_give(l, j, x->first, count);
}

/* The part of a payment that goes into the provider's bond. */
static enum err split(struct ledger *l, const struct market_deal *d,
		      struct coin *ret_withheld)
{
	struct coin bond, part, room;
	enum err e = market_bond(l, &d->lease.provider, &bond);

	if (e != ERR_OK)
		return e;
	*ret_withheld = COIN_ZERO;
	if (!coin_sub(d->provider.bond_target, bond, &room))
		return ERR_OK;
	if (!coin_scale(d->lease.price, l->params->withhold_ppm, 1000000,
			&part))
		return ERR_OVERFLOW;
	*ret_withheld = coin_min(part, room);
	return ERR_OK;
}

static enum err move_money(struct ledger *l, struct market_deal *d,
			   bool charge_fee)
{
	struct market_lease *x = &d->lease;
	struct ledger_lock_id from = market_escrow_lock(d->job);
	struct ledger_lock_id bond = market_bond_lock(&x->provider);
	struct ledger_note pay = {LEDGER_WHY_lease_pay, x->id};
	struct ledger_note held = {LEDGER_WHY_withheld, x->id};
	struct ledger_note fee = {LEDGER_WHY_check_fee, x->id};
	enum err e = split(l, d, &x->withheld);

	if (e != ERR_OK)
		return e;
	x->paid = x->price;
	x->charged = charge_fee ? x->check_fee : COIN_ZERO;
	e = ledger_lock_pay(l, &from, &x->provider,
			    minus(x->price, x->withheld), pay);
	if (e == ERR_OK)
		e = ledger_lock_move(l, &from, &bond, x->withheld,
				     l->height + l->params->bond_return_blocks,
				     held);
	if (e == ERR_OK)
		e = ledger_lock_pool(l, &from, LEDGER_POOL_AUDIT, x->charged,
				     fee);
	return e;
}

enum err market_deal_pay(struct ledger *l, struct market_deal *d,
			 enum reason why, bool charge_fee)
{
	struct market_lease *x = &d->lease;
	struct market_job *j = d->job;
	struct market_prices prices;
	struct market_buyer y;
	enum reason rest = x->reason;
	enum err e;

	/* why the rest of the range was not done outlives a good end */
	e = finish(l, d,
		   why == REASON_done && rest != REASON_none ? rest : why);

	if (e == ERR_OK)
		e = move_money(l, d, charge_fee);
	if (e == ERR_OK)
		e = market_prices_load(l, &prices);
	if (e == ERR_OK)
		e = market_buyer_get(l, &x->buyer, &y);
	if (e != ERR_OK)
		return e;
	j->committed_count -= x->done;
	j->done_count += x->done;
	j->paid = market_tally(j->paid, x->paid);
	j->fees = market_tally(j->fees, x->charged);
	j->escrow = plus(j->escrow, minus(x->check_fee, x->charged));
	y.spent = market_tally(y.spent, plus(x->paid, x->charged));
	d->provider.settled++;
	d->device.settled++;
	market_provider_ended(&d->provider, false, rest);
	market_prices_put(&d->provider.lease_prices, x->price);
	market_prices_put(&prices, x->gop_price);
	e = market_prices_save(l, &prices);
	return e == ERR_OK ? market_buyer_save(l, &x->buyer, &y) : e;
}

static enum err lapse(struct ledger *l, struct market_deal *d)
{
	struct market_offer *o = &d->offer;
	uint64_t n = o->lapses < LAPSES_MAX ? o->lapses : LAPSES_MAX;
	enum err e;

	o->closed_until = l->height + (l->params->lapse_close_blocks << n);
	o->lapses++;
	d->provider.lapsed++;
	e = market_deal_return(l, d, REASON_provider_timeout, MARKET_MARK_BAD);
	if (e != ERR_OK)
		return e;
	return market_job_skip(l, d->job, &d->lease.provider,
			       d->job->terms.deadline_height + 1);
}

enum err market_deal_window(struct ledger *l, struct market_deal *d)
{
	enum market_lease_event event = MARKET_EVENT_window;
	enum err e;

	if (d->lease.state == MARKET_LEASE_open &&
	    d->job->state == MARKET_JOB_CLOSING)
		event = MARKET_EVENT_close;
	e = market_deal_step(l, d, event);
	if (e != ERR_OK)
		return e;
	switch (d->lease.state) {
	case MARKET_LEASE_cancelled:
		return market_deal_return(l, d, REASON_cancelled,
					  MARKET_MARK_NONE);
	case MARKET_LEASE_lapsed:
		return lapse(l, d);
	case MARKET_LEASE_settled:
		return market_deal_pay(l, d, REASON_done, true);
	case MARKET_LEASE_unchecked:
		return market_deal_pay(l, d, REASON_unchecked, false);
	case MARKET_LEASE_open:
	case MARKET_LEASE_accepted:
	case MARKET_LEASE_committed:
	case MARKET_LEASE_auditing:
	case MARKET_LEASE_declined:
	case MARKET_LEASE_failed:
	case MARKET_LEASE_retracted:
	case MARKET_LEASE_refuted:
	case MARKET_LEASE_void:
	case MARKET_LEASE_unavailable:
	case MARKET_LEASE_STATE_COUNT:
		break;
	}
	return ERR_OK;
}
