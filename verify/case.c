/*
 * Cases: evidence named by one transaction, carried by others, ruled when it
 * is complete.  A case holds the clock until it is over, so its windows pass.
 */
#include "base/limits.h"
#include "ledger/money.h"
#include "ledger/queue.h"
#include "verify/priv/flow.h"

/* Blocks that a sender has for each part, and at least. */
#define PART_BLOCKS	2u
#define PART_BLOCKS_MIN 60u

uint32_t verify_part_count(uint64_t evidence_bytes)
{
	return (uint32_t)((evidence_bytes + VERIFY_PART_BYTES - 1) /
			  VERIFY_PART_BYTES);
}

enum err verify_case_open(struct ledger *l, enum verify_case_kind kind,
			  const struct hash *lease, uint32_t place,
			  const struct hash *evidence_root,
			  uint64_t evidence_bytes)
{
	struct verify_case c = {
		.id = l->tx_id,
		.kind = kind,
		.lease = *lease,
		.sender = l->sender,
		.place = place,
		.evidence_root = *evidence_root,
		.evidence_bytes = evidence_bytes,
		.sample.warp = PROGRAM_WARP_ALL,
	};
	uint32_t parts = verify_part_count(evidence_bytes);
	enum err err;

	if (parts > l->params->evidence_parts_max + 6)
		return ledger_refuse(l, REASON_too_large);
	c.until_height = l->height + PART_BLOCKS_MIN + PART_BLOCKS * parts;
	err = ledger_cost_charge(l, DISPUTE_COST_MAX);
	if (!err)
		err = ledger_clock_hold(l);
	if (!err)
		err = ledger_queue_add(l, VERIFY_QUEUE_CASE, c.until_height + 1,
				       &c.id);
	return err ? err : verify_case_save(l, &c);
}

enum err verify_case_finish(struct ledger *l, struct verify_case *c)
{
	enum err err = ledger_clock_release(l);

	for (uint32_t i = 0; i < c->part_count && !err; i++)
		err = verify_part_drop(l, &c->id, i);
	c->is_ruled = true;
	c->ruled_height = l->height;
	return err ? err : verify_case_save(l, c);
}

enum err verify_apply_part(struct ledger *l, const void *body)
{
	const struct verify_evidence_part *b = body;
	struct verify_case c;
	uint64_t from = (uint64_t)b->index * VERIFY_PART_BYTES;
	uint64_t want;
	enum err err = verify_case_get(l, &b->case_id, &c);

	if (err == ERR_NOT_FOUND)
		return ledger_refuse(l, REASON_not_found);
	if (err)
		return err;
	if (!pubkey_eq(&c.sender, &l->sender))
		return ledger_refuse(l, REASON_no_permission);
	if (c.is_ruled || from >= c.evidence_bytes)
		return ledger_refuse(l, REASON_wrong_state);
	if (l->height > c.until_height)
		return ledger_refuse(l, REASON_too_late);
	want = c.evidence_bytes - from;
	if (want > VERIFY_PART_BYTES)
		want = VERIFY_PART_BYTES;
	if (b->index != c.part_count || b->data.n != want)
		return ledger_refuse(l, REASON_bad_value);
	err = verify_part_put(l, &c.id, b->index, b->data);
	c.part_count++;
	if (!err && c.part_count == verify_part_count(c.evidence_bytes))
		err = ledger_queue_add(l, VERIFY_QUEUE_RULE, l->height, &c.id);
	return err ? err : verify_case_save(l, &c);
}

enum err verify_apply_dispute(struct ledger *l, const void *body)
{
	const struct verify_dispute_open *b = body;
	struct ledger_lock_id lock = verify_deposit_lock(&l->sender, &l->tx_id);
	struct ledger_note note = {LEDGER_WHY_deposit, b->lease};
	struct market_lease x;
	uint64_t until;
	bool stopped = false;
	enum err err = market_lease_get(l, &b->lease, &x);

	if (err == ERR_NOT_FOUND)
		return ledger_refuse(l, REASON_not_found);
	if (err)
		return err;
	if (market_lease_is_final(x.state))
		return ledger_refuse(l, REASON_already_settled);
	if (x.state != MARKET_LEASE_committed &&
	    x.state != MARKET_LEASE_auditing)
		return ledger_refuse(l, REASON_wrong_state);
	if (x.sampling_height == 0)
		return ledger_refuse(l, REASON_too_early);
	until = l->height + PART_BLOCKS_MIN +
		PART_BLOCKS * verify_part_count(b->evidence_bytes) +
		l->params->challenge_blocks;
	err = ledger_lock(l, &lock, coin_picks(l->params->deposit_picks), until,
			  note);
	if (!err)
		err = verify_audit_stop(l, &b->lease, true, &stopped);
	if (!err)
		err = verify_case_open(l, VERIFY_CASE_DISPUTE, &b->lease,
				       stopped, &b->evidence_root,
				       b->evidence_bytes);
	if (!err)
		err = market_lease_hold(l, &b->lease, until);
	return err ? err
		   : ledger_emit(l, "dispute.opened", &b->lease, &x.provider,
				 &l->sender, (struct bytes){0});
}

/* The held case that its provider answers; at most once. */
static enum err held_case(struct ledger *l, const struct hash *id,
			  struct verify_case *ret_c)
{
	struct market_lease x;
	enum err err = verify_case_get(l, id, ret_c);

	if (!err)
		err = market_lease_get(l, &ret_c->lease, &x);
	if (err == ERR_NOT_FOUND)
		return ledger_refuse(l, REASON_not_found);
	if (err)
		return err;
	if (!pubkey_eq(&x.provider, &l->sender))
		return ledger_refuse(l, REASON_no_permission);
	if (ret_c->held_height == 0 || ret_c->is_ruled ||
	    ret_c->kind == VERIFY_CASE_CONFLICT)
		return ledger_refuse(l, REASON_wrong_state);
	if (l->height > ret_c->held_height)
		return ledger_refuse(l, REASON_too_late);
	if (!hash_is_zero(&ret_c->conflict))
		return ledger_refuse(l, REASON_duplicate);
	return ERR_OK;
}

enum err verify_apply_conflict(struct ledger *l, const void *body)
{
	const struct verify_dispute_conflict *b = body;
	struct verify_case held, c;
	enum err err = held_case(l, &b->case_id, &held);

	if (err)
		return err;
	err = verify_case_open(l, VERIFY_CASE_CONFLICT, &held.lease, 0,
			       &b->evidence_root, b->evidence_bytes);
	if (!err)
		err = verify_case_get(l, &l->tx_id, &c);
	if (err)
		return err;
	c.conflict = held.id;
	held.conflict = c.id;
	err = verify_case_save(l, &c);
	if (!err)
		err = verify_case_save(l, &held);
	return err ? err
		   : market_lease_hold(l, &held.lease,
				       c.until_height +
					       l->params->answer_blocks);
}

enum err verify_apply_prove(struct ledger *l, const void *body)
{
	const struct verify_audit_prove *b = body;
	struct verify_audit a;
	enum err err = verify_audit_get(l, &b->lease, &a);

	if (err == ERR_NOT_FOUND)
		return ledger_refuse(l, REASON_not_found);
	if (err)
		return err;
	if (!pubkey_eq(verify_audit_auditor(&a), &l->sender))
		return ledger_refuse(l, REASON_no_permission);
	if (a.state != VERIFY_AUDIT_PROVE || a.stops > 0)
		return ledger_refuse(l, REASON_wrong_state);
	if (l->height > a.window_height)
		return ledger_refuse(l, REASON_too_late);
	a.stops++;
	a.window_left = a.window_height - l->height;
	err = verify_case_open(l, VERIFY_CASE_PROVE, &b->lease, a.prove_index,
			       &b->evidence_root, b->evidence_bytes);
	return err ? err : verify_audit_save(l, &a);
}
