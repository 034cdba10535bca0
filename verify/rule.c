/*
 * What a verdict does: to the lease, the audit, the deposits and bonds.
 */
#include "base/codec.h"
#include "base/limits.h"
#include "base/merkle.h"
#include "gpu/program/task.h"
#include "ledger/money.h"
#include "ledger/queue.h"
#include "verify/draw.h"
#include "verify/priv/flow.h"

static bool is_fraud(enum program_verdict v)
{
	return v == PROGRAM_VERDICT_FRAUD || v == PROGRAM_VERDICT_BAD_START ||
	       v == PROGRAM_VERDICT_BAD_END;
}

/* The lease ends by fraud or void; anything else leaves it alone. */
static enum err end_lease(struct ledger *l, const struct market_lease *x,
			  const struct verify_ruling *r, bool seed_drawn,
			  const struct pubkey *accuser)
{
	enum err err;

	if (is_fraud(r->verdict)) {
		err = verify_refute(l, x, REASON_refuted, seed_drawn, accuser);
		return err ? err
			   : verify_audit_verdict(l, &x->id, VERIFY_END_FRAUD);
	}
	err = market_lease_void(l, &x->id, &r->prior_root,
				r->sample.step_number == 1);
	return err ? err : verify_audit_verdict(l, &x->id, VERIFY_END_VOID);
}

static bool ends_lease(const struct verify_ruling *r)
{
	return is_fraud(r->verdict) || r->verdict == PROGRAM_VERDICT_VOID;
}

static enum err deposit_back(struct ledger *l, const struct pubkey *sender,
			     const struct hash *object)
{
	struct ledger_lock_id id = verify_deposit_lock(sender, object);
	struct ledger_note note = {LEDGER_WHY_deposit, *object};
	struct ledger_lock lock;
	enum err err = ledger_lock_get(l, &id, &lock);

	return err ? err : ledger_release(l, &id, lock.amount, note);
}

static enum err deposit_to(struct ledger *l, const struct pubkey *sender,
			   const struct hash *object, const struct pubkey *to)
{
	struct ledger_lock_id id = verify_deposit_lock(sender, object);
	struct ledger_note note = {LEDGER_WHY_deposit, *object};
	struct ledger_lock lock;
	enum err err = ledger_lock_get(l, &id, &lock);

	return err ? err : ledger_lock_pay(l, &id, to, lock.amount, note);
}

/* A dispute: the accuser is right, or pays. */
static enum err rule_dispute(struct ledger *l, const struct verify_case *c,
			     const struct market_lease *x,
			     const struct verify_ruling *r)
{
	enum err err;

	if (market_lease_is_final(x->state)) {
		err = deposit_back(l, &c->sender, &c->id);
		return err ? err
			   : verify_audit_verdict(l, &x->id, VERIFY_END_CLOSED);
	}
	if (!ends_lease(r)) {
		err = deposit_to(l, &c->sender, &c->id, &x->provider);
		if (err || c->place == 0)
			return err;
		return verify_audit_go(l, &x->id, false);
	}
	err = deposit_back(l, &c->sender, &c->id);
	return err ? err : end_lease(l, x, r, r->seed_drawn, &c->sender);
}

/* Is the judged sample the one that the demand asked for at this place? */
static bool is_asked(const struct verify_demand *d, const struct verify_case *c,
		     const struct verify_ruling *r)
{
	if (!r->has_sample || c->place >= d->count)
		return false;
	if (d->by_auditor)
		return r->seed_drawn && r->draw_index == d->draws[c->place];
	return program_sample_eq(&d->samples[c->place], &r->sample);
}

/* All samples are answered: the deposit is the provider's. */
static enum err demand_met(struct ledger *l, struct verify_demand *d)
{
	enum err err = deposit_to(l, &d->sender, &d->lease, &d->provider);

	d->is_open = false;
	if (!err)
		err = ledger_clock_release(l);
	return err ? err : verify_audit_go(l, &d->lease, true);
}

static enum err rule_answer(struct ledger *l, const struct verify_case *c,
			    const struct market_lease *x,
			    const struct verify_ruling *r)
{
	struct verify_demand d;
	uint64_t all;
	enum err err = verify_demand_get(l, &c->lease, &d);

	if (err)
		return err == ERR_NOT_FOUND ? ERR_STORE : err;
	if (d.open_cases > 0)
		d.open_cases--;
	all = d.count == 64 ? UINT64_MAX : ((uint64_t)1 << d.count) - 1;
	if (!d.is_open)
		return verify_demand_save(l, &d);
	if (market_lease_is_final(x->state) ||
	    (is_asked(&d, c, r) && ends_lease(r))) {
		d.is_open = false;
		err = deposit_back(l, &d.sender, &d.lease);
		if (!err)
			err = ledger_clock_release(l);
		if (!err)
			err = verify_demand_save(l, &d);
		if (err)
			return err;
		if (market_lease_is_final(x->state))
			return verify_audit_verdict(l, &x->id,
						    VERIFY_END_CLOSED);
		return end_lease(l, x, r, d.by_auditor, &d.sender);
	}
	if (r->no_such ||
	    (is_asked(&d, c, r) && r->verdict == PROGRAM_VERDICT_VALID)) {
		d.answered |= (uint64_t)1 << c->place;
		if (d.answered == all)
			err = demand_met(l, &d);
	}
	return err ? err : verify_demand_save(l, &d);
}

/* Is the witness that the referee got the one behind the reveal's root? */
static bool witness_fits(const struct verify_audit *a,
			 const struct verify_ruling *r)
{
	struct merkle_range range = {a->prove_index, 1};
	struct hash leaf = verify_witness_leaf(&r->answer.witness);
	struct hash root;

	if (merkle_check(a->sample_count, &range, 1, &leaf, 1,
			 (const struct hash *)(const void *)r->witness_proof.p,
			 r->witness_proof.n / HASH_BYTES, &root))
		return false;
	root = merkle_list_wrap(a->sample_count, &root);
	root = verify_witness_root(&a->lease, verify_audit_auditor(a), &root);
	return hash_eq(&root, &a->witness_root);
}

static enum err rule_prove(struct ledger *l, const struct market_lease *x,
			   const struct verify_ruling *r)
{
	struct verify_audit a;
	bool good;
	enum err err = verify_audit_get(l, &x->id, &a);

	if (err)
		return err == ERR_NOT_FOUND ? ERR_STORE : err;
	a.stops = 0;
	good = r->seed_drawn && r->draw_index == a.prove_index &&
	       r->verdict == PROGRAM_VERDICT_VALID && witness_fits(&a, r);
	if (good)
		return verify_audit_close(l, &a, VERIFY_END_VALID);
	err = verify_duty_failed(l, verify_audit_auditor(&a), a.reserved,
				 &a.lease);
	return err ? err : verify_audit_finish(l, &a);
}

static enum err tell(struct ledger *l, const struct verify_case *c,
		     const struct market_lease *x)
{
	struct buf b = buf_make(256);
	enum err err;

	enc_array(&b, 3);
	enc_hash(&b, &c->id);
	enc_uint(&b, c->verdict);
	program_sample_encode(&b, &c->sample);
	err = b.err ? b.err
		    : ledger_emit(l, "case.ruled", &x->id, &x->provider,
				  &c->sender, buf_bytes(&b));
	buf_free(&b);
	return err;
}

/* Fraud, if the CTA's bytes are its own; may its provider still show that
 * another one has a part in them? */
static bool is_held(const struct verify_case *c, const struct market_lease *x,
		    const struct verify_ruling *r)
{
	return r->assumed && r->verdict == PROGRAM_VERDICT_FRAUD &&
	       c->held_height == 0 && !market_lease_is_final(x->state) &&
	       (c->kind == VERIFY_CASE_DISPUTE ||
		c->kind == VERIFY_CASE_ANSWER);
}

static enum err hold(struct ledger *l, struct verify_case *c,
		     const struct market_lease *x,
		     const struct verify_ruling *r)
{
	enum err err;

	c->held_height = l->height + l->params->answer_blocks;
	c->draw_index = r->draw_index;
	c->cta = r->cta;
	c->prior_root = r->prior_root;
	err = ledger_queue_add(l, VERIFY_QUEUE_HELD, c->held_height + 1,
			       &c->id);
	if (!err)
		err = market_lease_hold(
			l, &x->id, c->held_height + l->params->answer_blocks);
	if (!err)
		err = verify_case_save(l, c);
	return err ? err
		   : ledger_emit(l, "case.held", &x->id, &x->provider,
				 &c->sender, hash_bytes(&c->id));
}

static enum err rule(struct ledger *l, struct verify_case *c,
		     const struct market_lease *x,
		     const struct verify_ruling *r);

/* A held case comes to its end: void if a conflict was shown, else fraud. */
static enum err release(struct ledger *l, struct verify_case *c, bool is_void)
{
	struct verify_ruling r = {
		.verdict =
			is_void ? PROGRAM_VERDICT_VOID : PROGRAM_VERDICT_FRAUD,
		.seed_drawn = c->seed_drawn,
		.draw_index = c->draw_index,
		.has_sample = true,
		.sample = c->sample,
		.prior_root = c->prior_root,
		.answer = c->answer,
	};
	struct market_lease x;
	enum err err = market_lease_get(l, &c->lease, &x);

	if (err)
		return err == ERR_NOT_FOUND ? ERR_STORE : err;
	return rule(l, c, &x, &r);
}

/* The pair must be of the CTA that was run, in the task and step at issue. */
static enum err rule_conflict(struct ledger *l, const struct verify_case *c,
			      const struct verify_ruling *r)
{
	struct verify_case held;
	enum err err = verify_case_get(l, &c->conflict, &held);

	if (err)
		return err == ERR_NOT_FOUND ? ERR_STORE : err;
	return release(l, &held,
		       r->verdict == PROGRAM_VERDICT_VOID && r->has_sample &&
			       r->sample.task_index == held.sample.task_index &&
			       r->sample.step_number ==
				       held.sample.step_number &&
			       r->cta == held.cta);
}

static enum err rule(struct ledger *l, struct verify_case *c,
		     const struct market_lease *x,
		     const struct verify_ruling *r)
{
	enum err err = ERR_OK;

	c->verdict = r->verdict;
	c->seed_drawn = r->seed_drawn;
	c->answer = r->answer;
	if (r->has_sample)
		c->sample = r->sample;
	if (is_held(c, x, r))
		return hold(l, c, x, r);
	switch (c->kind) {
	case VERIFY_CASE_DISPUTE:
		err = rule_dispute(l, c, x, r);
		break;
	case VERIFY_CASE_ANSWER:
		err = rule_answer(l, c, x, r);
		break;
	case VERIFY_CASE_PROVE:
		err = rule_prove(l, x, r);
		break;
	case VERIFY_CASE_CONFLICT:
		err = rule_conflict(l, c, r);
		break;
	}
	if (!err)
		err = verify_case_finish(l, c);
	return err ? err : tell(l, c, x);
}

/* The auditor whose witness a case of this kind must show, or NULL. */
static enum err witness_auditor(struct ledger *l, const struct verify_case *c,
				struct pubkey *ret_auditor,
				const struct pubkey **ret_which)
{
	struct verify_audit a;
	enum err err;

	*ret_which = NULL;
	if (c->kind != VERIFY_CASE_PROVE)
		return ERR_OK;
	err = verify_audit_get(l, &c->lease, &a);
	if (err)
		return err == ERR_NOT_FOUND ? ERR_STORE : err;
	*ret_auditor = *verify_audit_auditor(&a);
	*ret_which = ret_auditor;
	return ERR_OK;
}

enum err verify_hook_rule(struct ledger *l, uint64_t due_height UNUSED,
			  const struct hash *id)
{
	struct verify_case c;
	struct market_lease x;
	struct verify_ruling r;
	struct pubkey auditor;
	const struct pubkey *witness_of;
	struct hash seed;
	enum err err = verify_case_get(l, id, &c);

	if (err || c.is_ruled)
		return err == ERR_NOT_FOUND ? ERR_OK : err;
	err = market_lease_get(l, &c.lease, &x);
	if (err)
		return err == ERR_NOT_FOUND ? ERR_STORE : err;
	if (!ledger_cost_take(l, DISPUTE_COST_MAX))
		return ledger_queue_add(l, VERIFY_QUEUE_RULE, l->height + 1,
					id);
	err = verify_lease_seed(l, &x, &seed);
	if (!err)
		err = witness_auditor(l, &c, &auditor, &witness_of);
	if (!err)
		err = verify_judge(l, &c, &x, &seed, witness_of, &r);
	return err ? err : rule(l, &c, &x, &r);
}

/* Parts that did not come in time: the evidence proves nothing. */
enum err verify_hook_case(struct ledger *l, uint64_t due_height UNUSED,
			  const struct hash *id)
{
	struct verify_ruling r = {.verdict = PROGRAM_VERDICT_INCOMPLETE};
	struct market_lease x;
	struct verify_case c;
	enum err err = verify_case_get(l, id, &c);

	if (err)
		return err == ERR_NOT_FOUND ? ERR_OK : err;
	/* complete ones wait for their turn in the other queue */
	if (c.is_ruled || c.part_count == verify_part_count(c.evidence_bytes))
		return ERR_OK;
	err = market_lease_get(l, &c.lease, &x);
	if (err)
		return err == ERR_NOT_FOUND ? ERR_STORE : err;
	return rule(l, &c, &x, &r);
}

/* The window of a held case is over.  A conflict that is on its way decides
 * when it is ruled, which its own window bounds. */
enum err verify_hook_held(struct ledger *l, uint64_t due_height UNUSED,
			  const struct hash *id)
{
	struct verify_case c;
	enum err err = verify_case_get(l, id, &c);

	if (err)
		return err == ERR_NOT_FOUND ? ERR_OK : err;
	if (c.is_ruled || !hash_is_zero(&c.conflict))
		return ERR_OK;
	return release(l, &c, false);
}
