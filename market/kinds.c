/*
 * The table of kinds, and what their files share.
 */
#include "market/kinds.h"
#include "base/limits.h"
#include "market/priv/kind.h"

const struct ledger_kind market_kinds[] = {
#define X(fn, num, word, rig, credit)         \
	{                                     \
		.number = num,                \
		.name = word,                 \
		.by_rig_key = rig,            \
		.on_credit = credit,          \
		.decode = market_decode_##fn, \
		.apply = market_apply_##fn,   \
	},
	MARKET_KINDS(X)
#undef X
};
const size_t market_kind_count = sizeof(market_kinds) / sizeof(market_kinds[0]);

enum err market_deal_own(struct ledger *l, const struct hash *id,
			 struct market_deal *ret_deal)
{
	const struct market_lease *x = &ret_deal->lease;
	enum err e = market_deal_load(l, id, NULL, ret_deal);

	if (e == ERR_NOT_FOUND)
		return ledger_refuse(l, REASON_not_found);
	if (e != ERR_OK)
		return e;
	if (!pubkey_eq(&x->provider, &l->sender))
		return ledger_refuse(l, REASON_no_permission);
	if (x->commit_height == 0 && !market_lease_is_final(x->state) &&
	    l->height > x->window_height)
		return ledger_refuse_window(l, REASON_too_late,
					    x->accept_height != 0
						    ? x->accept_height
						    : x->open_height,
					    x->window_height);
	return ERR_OK;
}

enum err market_job_own(struct ledger *l, const struct hash *id,
			struct market_job *ret_job)
{
	enum err e = market_job_get(l, id, ret_job);

	if (e == ERR_NOT_FOUND)
		return ledger_refuse(l, REASON_not_found);
	if (e != ERR_OK)
		return e;
	if (!pubkey_eq(&ret_job->buyer, &l->sender))
		return ledger_refuse(l, REASON_no_permission);
	if (ret_job->state == MARKET_JOB_CLOSING ||
	    ret_job->state == MARKET_JOB_ENDED)
		return ledger_refuse(l, REASON_wrong_state);
	if (l->height > ret_job->terms.deadline_height ||
	    (ret_job->state == MARKET_JOB_PAUSED &&
	     l->height > ret_job->pause_until))
		return ledger_refuse_window(
			l, REASON_too_late, ret_job->posted_height,
			ret_job->state == MARKET_JOB_PAUSED
				? ret_job->pause_until
				: ret_job->terms.deadline_height);
	return ERR_OK;
}

enum err market_offer_own(struct ledger *l, const struct hash *id,
			  struct market_offer *ret_offer,
			  struct market_provider *ret_provider)
{
	enum err e = market_offer_get(l, id, ret_offer);

	if (e == ERR_NOT_FOUND)
		return ledger_refuse(l, REASON_not_found);
	if (e != ERR_OK)
		return e;
	if (!pubkey_eq(&ret_offer->owner, &l->sender))
		return ledger_refuse(l, REASON_no_permission);
	if (ret_offer->withdrawn)
		return ledger_refuse(l, REASON_withdrawn);
	return market_provider_get(l, &ret_offer->owner, ret_provider);
}

enum err market_work_check(struct ledger *l, const struct market_work *w)
{
	/* a sample must fit a dispute; class B needs two legs */
	if (w->class_bit == MARKET_CLASS_B ||
	    w->cta_open_max > DISPUTE_OPEN_BYTES_MAX)
		return ledger_refuse(l, REASON_class_refused);
	return ERR_OK;
}
