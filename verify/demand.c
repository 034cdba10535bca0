/*
 * Demands: openings asked for on the chain, and the provider's window for
 * answering.  One demand of a lease is open at a time; its deposit goes to
 * the provider when every sample was answered well, back to its sender when
 * the lease ends by it.
 */
#include "base/codec.h"
#include "ledger/money.h"
#include "ledger/queue.h"
#include "verify/priv/flow.h"

/* Blocks after which a due demand whose answers are still on their way is
 * looked at again. */
#define DEMAND_RETRY_BLOCKS 5u

/* A lease that can be asked about: stated, drawn or passed, not final. */
static enum err asked_lease(struct ledger *l, const struct hash *id,
			    struct market_lease *ret_x)
{
	enum err err = market_lease_get(l, id, ret_x);

	if (err == ERR_NOT_FOUND)
		return ledger_refuse(l, REASON_not_found);
	if (err)
		return err;
	if (market_lease_is_final(ret_x->state))
		return ledger_refuse(l, REASON_already_settled);
	if (ret_x->state != MARKET_LEASE_committed &&
	    ret_x->state != MARKET_LEASE_auditing)
		return ledger_refuse(l, REASON_wrong_state);
	if (ret_x->sampling_height == 0)
		return ledger_refuse(l, REASON_too_early);
	return ERR_OK;
}

/* May the auditor on duty ask for these draws? */
static enum err auditor_may(struct ledger *l, const struct market_lease *x,
			    const struct verify_audit_demand *b)
{
	struct verify_audit a;
	enum err err = verify_audit_get(l, &x->id, &a);

	if (err == ERR_NOT_FOUND)
		return ledger_refuse(l, REASON_no_permission);
	if (err)
		return err;
	if (!pubkey_eq(verify_audit_auditor(&a), &l->sender))
		return ledger_refuse(l, REASON_no_permission);
	if (a.state != VERIFY_AUDIT_PLEDGE)
		return ledger_refuse(l, REASON_wrong_state);
	if (l->height > a.window_height)
		return ledger_refuse(l, REASON_too_late);
	if (b->draw_count > l->params->demand_samples_max ||
	    b->draws[b->draw_count - 1] >= a.sample_count)
		return ledger_refuse(l, REASON_bad_value);
	return ERR_OK;
}

static enum err buyer_may(struct ledger *l, const struct market_lease *x,
			  const struct verify_audit_demand *b,
			  uint32_t buyer_used)
{
	if (!pubkey_eq(&x->buyer, &l->sender))
		return ledger_refuse(l, REASON_no_permission);
	if (b->sample_count + (uint64_t)buyer_used >
	    l->params->buyer_samples_max)
		return ledger_refuse(l, REASON_limit_reached);
	for (uint32_t i = 0; i < b->sample_count; i++)
		if (b->samples[i].task_index < x->first ||
		    b->samples[i].task_index - x->first >= x->done)
			return ledger_refuse(l, REASON_bad_value);
	return ERR_OK;
}

static void demand_fill(struct ledger *l, const struct market_lease *x,
			const struct verify_audit_demand *b,
			struct verify_demand *d)
{
	uint32_t used = d->buyer_used;

	*d = (struct verify_demand){
		.lease = x->id,
		.provider = x->provider,
		.sender = l->sender,
		.by_auditor = b->draw_count > 0,
		.count = b->draw_count + b->sample_count,
		.until_height = l->height + l->params->answer_blocks,
		.buyer_used = used + b->sample_count,
		.is_open = true,
		.deposit = coin_picks(l->params->deposit_picks),
	};
	for (uint32_t i = 0; i < b->draw_count; i++)
		d->draws[i] = b->draws[i];
	for (uint32_t i = 0; i < b->sample_count; i++)
		d->samples[i] = b->samples[i];
}

enum err verify_apply_demand(struct ledger *l, const void *body)
{
	const struct verify_audit_demand *b = body;
	struct ledger_lock_id lock = verify_deposit_lock(&l->sender, &b->lease);
	struct ledger_note note = {LEDGER_WHY_deposit, b->lease};
	struct verify_demand d = {0};
	struct market_lease x;
	bool stopped;
	enum err err = asked_lease(l, &b->lease, &x);

	if (err)
		return err;
	err = verify_demand_get(l, &b->lease, &d);
	if (err && err != ERR_NOT_FOUND)
		return err;
	if (err == ERR_OK && d.is_open)
		return ledger_refuse(l, REASON_duplicate);
	err = b->draw_count ? auditor_may(l, &x, b)
			    : buyer_may(l, &x, b, d.buyer_used);
	if (err)
		return err;
	demand_fill(l, &x, b, &d);
	err = ledger_lock(l, &lock, d.deposit, d.until_height, note);
	if (!err)
		err = ledger_clock_hold(l);
	if (!err)
		err = ledger_queue_add(l, VERIFY_QUEUE_DEMAND,
				       d.until_height + 1, &x.id);
	if (!err)
		err = verify_audit_stop(l, &x.id, false, &stopped);
	if (!err)
		err = market_lease_hold(
			l, &x.id, d.until_height + l->params->answer_blocks);
	if (!err)
		err = verify_demand_save(l, &d);
	return err ? err
		   : ledger_emit(l, "audit.demanded", &x.id, &x.provider,
				 &d.sender, (struct bytes){0});
}

/* The open demand that the sender, its provider, has to answer. */
static enum err open_demand(struct ledger *l, const struct hash *lease,
			    struct verify_demand *ret_d)
{
	enum err err = verify_demand_get(l, lease, ret_d);

	if (err == ERR_NOT_FOUND)
		return ledger_refuse(l, REASON_not_found);
	if (err)
		return err;
	if (!pubkey_eq(&ret_d->provider, &l->sender))
		return ledger_refuse(l, REASON_no_permission);
	if (!ret_d->is_open)
		return ledger_refuse(l, REASON_wrong_state);
	if (l->height > ret_d->until_height)
		return ledger_refuse(l, REASON_too_late);
	return ERR_OK;
}

enum err verify_apply_answer(struct ledger *l, const void *body)
{
	const struct verify_audit_answer *b = body;
	struct verify_demand d;
	enum err err = open_demand(l, &b->lease, &d);

	if (err)
		return err;
	if (b->place >= d.count)
		return ledger_refuse(l, REASON_bad_value);
	if (d.answered >> b->place & 1)
		return ledger_refuse(l, REASON_duplicate);
	if (d.open_cases >= d.count)
		return ledger_refuse(l, REASON_limit_reached);
	d.open_cases++;
	err = verify_case_open(l, VERIFY_CASE_ANSWER, &b->lease, b->place,
			       &b->evidence_root, b->evidence_bytes);
	return err ? err : verify_demand_save(l, &d);
}

enum err verify_apply_delay(struct ledger *l, const void *body)
{
	const struct verify_audit_delay *b = body;
	struct verify_demand d;
	uint64_t more = l->params->delay_blocks;
	enum err err = open_demand(l, &b->lease, &d);

	if (err)
		return err;
	if (d.delayed)
		return ledger_refuse(l, REASON_duplicate);
	d.delayed = true;
	more -= more < l->params->answer_blocks ? more
						: l->params->answer_blocks;
	d.until_height += more;
	err = ledger_queue_add(l, VERIFY_QUEUE_DEMAND, d.until_height + 1,
			       &b->lease);
	if (!err)
		err = market_lease_hold(l, &b->lease,
					d.until_height +
						l->params->answer_blocks);
	return err ? err : verify_demand_save(l, &d);
}

/* Not answered: what that costs, and the deposit back. */
static enum err unanswered(struct ledger *l, struct verify_demand *d)
{
	struct ledger_lock_id lock = verify_deposit_lock(&d->sender, &d->lease);
	struct ledger_note note = {LEDGER_WHY_deposit, d->lease};
	struct market_lease x;
	enum err err = market_lease_get(l, &d->lease, &x);

	if (!err)
		err = ledger_release(l, &lock, d->deposit, note);
	if (!err)
		err = ledger_clock_release(l);
	d->is_open = false;
	if (!err)
		err = verify_demand_save(l, d);
	if (!err && market_lease_is_final(x.state))
		return verify_audit_verdict(l, &d->lease, VERIFY_END_CLOSED);
	if (err)
		return err;
	err = verify_refute(l, &x, REASON_opening_unavailable, d->by_auditor,
			    &d->sender);
	return err ? err
		   : verify_audit_verdict(l, &d->lease, VERIFY_END_UNAVAILABLE);
}

enum err verify_hook_demand(struct ledger *l, uint64_t due_height UNUSED,
			    const struct hash *id)
{
	struct verify_demand d;
	enum err err = verify_demand_get(l, id, &d);

	if (err)
		return err == ERR_NOT_FOUND ? ERR_OK : err;
	if (!d.is_open || l->height <= d.until_height)
		return ERR_OK;
	if (d.open_cases > 0)
		return ledger_queue_add(l, VERIFY_QUEUE_DEMAND,
					l->height + DEMAND_RETRY_BLOCKS, id);
	return unanswered(l, &d);
}
