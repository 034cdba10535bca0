/*
 * lease.commit: what the provider computed, stated before it can know what
 * will be looked at.
 */
#include "ledger/money.h"
#include "market/priv/kind.h"

MARKET_KIND_DECODE(lease_commit, struct market_lease_commit,
		   market_lease_commit_decode)

static enum err check_drop(struct ledger *l, const struct market_deal *d,
			   const struct market_drop_sig *s)
{
	const struct market_job_terms *t = &d->job->terms;
	struct hash h;

	if (!s->present)
		return ERR_OK;
	if (s->index >= t->drop_count)
		return ledger_refuse(l, REASON_bad_value);
	h = market_drop_digest(&d->lease.id, &s->outputs_root);
	if (sig_verify(&t->drops[s->index], hash_bytes(&h), &s->sig) != ERR_OK)
		return ledger_refuse(l, REASON_bad_signature);
	return ERR_OK;
}

static enum err check_result(struct ledger *l, const struct market_deal *d,
			     const struct market_result *r)
{
	const struct market_lease *x = &d->lease;
	struct hash root;

	root = market_result_root(&x->id, &x->provider, &r->leaves_root);
	if (!hash_eq(&root, &r->result_root))
		return ledger_refuse(l, REASON_bad_root);
	if (r->done > x->count ||
	    (r->done == x->count ? r->rest != REASON_none
				 : !market_reason_fails(r->rest)))
		return ledger_refuse(l, REASON_bad_value);
	return check_drop(l, d, &r->drop);
}

enum err market_commit(struct ledger *l, struct market_deal *d,
		       const struct market_result *r)
{
	enum err e = market_deal_step(l, d, MARKET_EVENT_commit);

	if (e == ERR_OK)
		e = check_result(l, d, r);
	return e == ERR_OK ? market_deal_commit(l, d, r) : e;
}

enum err market_apply_lease_commit(struct ledger *l, const void *body)
{
	const struct market_lease_commit *x = body;
	struct market_deal d;
	enum err e = market_deal_own(l, &x->lease, &d);

	if (e == ERR_OK)
		e = market_commit(l, &d, &x->result);
	return e == ERR_OK ? market_deal_save(l, &d) : e;
}
