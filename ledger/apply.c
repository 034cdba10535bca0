/*
 * A block is looked at twice.  Validation asks what every node can answer
 * before the vote: form, beacon, signatures.  Application then asks the state,
 * transaction by transaction: sequence, key, fee, and what the kind's rule
 * says.  A transaction that the state does not admit has no effect at all; one
 * that its rule refuses has paid its fee.
 */
#include "ledger/apply.h"

#include <string.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/must.h"
#include "ledger/account.h"
#include "ledger/priv/apply.h"
#include "ledger/priv/kinds.h"
#include "ledger/priv/state.h"
#include "ledger/queue.h"

static uint32_t slot_of(const struct hash *id)
{
	return u32_be(id->b) % LEDGER_SIGS_SLOTS;
}

bool ledger_sigs_has(const struct ledger_sigs *s, const struct hash *tx_id)
{
	return hash_eq(&s->slot[slot_of(tx_id)], tx_id);
}

void ledger_sigs_add(struct ledger_sigs *s, const struct hash *tx_id)
{
	s->slot[slot_of(tx_id)] = *tx_id;
}

enum err ledger_parse(struct ledger *l, struct bytes in,
		      struct ledger_parsed *ret_parsed, enum reason *reterr_why)
{
	struct ledger_parsed *p = ret_parsed;
	uint32_t bytes_max;
	enum err e = ledger_tx_decode(in, &p->tx, reterr_why);

	if (e != ERR_OK)
		return e;
	*reterr_why = REASON_wrong_chain;
	if (!bytes_eq(p->tx.chain_id, l->chain_id))
		return ERR_REFUSED;
	*reterr_why = REASON_unknown_kind;
	p->kind = p->tx.kind < LEDGER_KIND_NUMBERS
			  ? l->rules->kind_at[p->tx.kind]
			  : NULL;
	if (!p->kind)
		return ERR_REFUSED;
	*reterr_why = REASON_too_large;
	bytes_max = p->kind->bytes_max ? p->kind->bytes_max : TX_BYTES_MAX;
	if (p->tx.size_bytes > bytes_max)
		return ERR_REFUSED;
	*reterr_why = REASON_bad_encoding;
	e = p->kind->decode(l->scratch, p->tx.body, &p->body, reterr_why);
	if (e == ERR_OK || e == ERR_NO_MEMORY)
		return e;
	if (e != ERR_REFUSED)
		*reterr_why = REASON_bad_encoding;
	return ERR_REFUSED;
}

enum err ledger_signed(struct ledger_sigs *sigs, const struct ledger_parsed *p)
{
	enum err e;

	if (ledger_sigs_has(sigs, &p->tx.id))
		return ERR_OK;
	e = ledger_tx_verify(&p->tx);
	if (e == ERR_OK)
		ledger_sigs_add(sigs, &p->tx.id);
	return e;
}

/* --- admission: who, when, and the fee --- */

static enum err admit_expiry(struct ledger *l, const struct ledger_tx *tx)
{
	uint64_t last;

	if (tx->expiry_height < l->height)
		return ledger_refuse_window(l, REASON_tx_expired, 0,
					    tx->expiry_height);
	if (!u64_add(l->height, TX_EXPIRY_AHEAD_MAX, &last))
		last = UINT64_MAX;
	if (tx->expiry_height > last)
		return ledger_refuse_window(l, REASON_expiry_too_far, l->height,
					    last);
	return ERR_OK;
}

static enum err admit_key(struct ledger *l, const struct ledger_parsed *p,
			  const struct ledger_account *a)
{
	if (!p->tx.has_key)
		return ERR_OK;
	for (uint32_t i = 0; p->kind->by_rig_key && i < a->rig_key_count; i++)
		if (pubkey_eq(&a->rig_keys[i], &p->tx.key))
			return ERR_OK;
	return ledger_refuse(l, REASON_no_permission);
}

static enum err admit_seq(struct ledger *l, const struct ledger_tx *tx)
{
	uint64_t seq;
	enum err e = ledger_account_seq(l, &tx->sender, tx->lane, &seq);

	if (e != ERR_OK)
		return e;
	if (tx->seq != seq || seq == UINT64_MAX)
		return ledger_refuse(l, REASON_bad_sequence);
	return ledger_account_seq_put(l, &tx->sender, tx->lane, seq + 1);
}

/* base + per_byte * size, if that is a number. */
static enum err fee_of(struct ledger *l, const struct ledger_tx *tx,
		       struct coin *ret_fee)
{
	struct coin base = coin_picks(l->params->fee_base_picks);
	struct coin bytes = coin_picks(l->params->fee_per_byte_picks);

	if (!coin_mul(bytes, tx->size_bytes, &bytes) ||
	    !coin_add(base, bytes, ret_fee))
		return ledger_refuse(l, REASON_overflow);
	return ERR_OK;
}

static enum err charge_credit(struct ledger *l, const struct ledger_parsed *p,
			      struct ledger_account *a, struct coin fee)
{
	bool opens = false;
	enum err e = ERR_OK;

	if (!p->kind->on_credit)
		return ledger_refuse(l, REASON_insufficient_funds);
	if (!a->has_credit && p->tx.kind == LEDGER_KIND_NODE_ANNOUNCE)
		e = ledger_announce_stamp(l, p->body, &opens);
	if (e != ERR_OK)
		return e;
	if (!a->has_credit && !opens)
		return ledger_refuse(l, REASON_insufficient_funds);
	if (a->unpaid_count >= l->params->credit_tx_max ||
	    !coin_add(a->owed, fee, &a->owed))
		return ledger_refuse(l, REASON_credit_used_up);
	a->has_credit = true;
	a->unpaid_count++;
	l->is_on_credit = true;
	return ledger_account_put(l, &l->sender, a);
}

static enum err admit(struct ledger *l, const struct ledger_parsed *p,
		      struct coin *ret_fee)
{
	struct ledger_note note = {LEDGER_WHY_tx_fee, p->tx.id};
	struct ledger_account a;
	enum err e = admit_expiry(l, &p->tx);

	if (e == ERR_OK)
		e = ledger_account_get(l, &p->tx.sender, &a);
	if (e == ERR_OK)
		e = admit_key(l, p, &a);
	if (e == ERR_OK)
		e = admit_seq(l, &p->tx);
	if (e == ERR_OK)
		e = fee_of(l, &p->tx, ret_fee);
	if (e != ERR_OK)
		return e;
	if (coin_cmp(p->tx.fee, *ret_fee) < 0)
		return ledger_refuse(l, REASON_fee_too_low);
	if (!coin_sub(p->tx.fee, *ret_fee, &l->priv->fee_cap))
		l->priv->fee_cap = COIN_ZERO;
	if (coin_cmp(a.balance, *ret_fee) < 0)
		return charge_credit(l, p, &a, *ret_fee);
	e = ledger_debit(l, &l->sender, *ret_fee, note, NULL);
	return e == ERR_OK ? ledger_fee_note(l, *ret_fee) : e;
}

/* --- one transaction --- */

static void tx_enter(struct ledger *l, const struct ledger_parsed *p)
{
	struct ledger_priv *priv = l->priv;

	l->tx_id = p->tx.id;
	l->sender = p->tx.sender;
	l->signer = *ledger_tx_signer(&p->tx);
	l->is_on_credit = false;
	priv->why = REASON_none;
	priv->from_height = 0;
	priv->until_height = 0;
	priv->at.tx_cost = COIN_ZERO;
	priv->fee_cap = COIN_ZERO;
}

static void tx_leave(struct ledger *l)
{
	memset(&l->tx_id, 0, sizeof(l->tx_id));
	memset(&l->sender, 0, sizeof(l->sender));
	memset(&l->signer, 0, sizeof(l->signer));
	l->is_on_credit = false;
	l->tx_index = UINT32_MAX;
}

static void result_refuse(const struct ledger *l, struct ledger_tx_result *r)
{
	r->reason = l->priv->why;
	r->from_height = l->priv->from_height;
	r->until_height = l->priv->until_height;
}

static enum err rule_run(struct ledger *l, const struct ledger_parsed *p)
{
	enum err e = ERR_OK;

	if (p->kind->check)
		e = p->kind->check(l, p->body);
	if (e == ERR_OK)
		e = p->kind->apply(l, p->body);
	return ledger_rule_result(l, e);
}

enum err ledger_apply_tx(struct ledger *l, const struct ledger_parsed *p,
			 struct ledger_tx_result *ret_result)
{
	struct ledger_tx_result *r = ret_result;
	struct ledger_mark mark;
	struct coin fee;
	enum err e;

	memset(r, 0, sizeof(*r));
	r->id = p->tx.id;
	r->kind = p->tx.kind;
	r->height = l->height;
	tx_enter(l, p);
	mark = ledger_mark_take(l);
	e = admit(l, p, &fee);
	if (e == ERR_OK) {
		r->is_charged = true;
		mark = ledger_mark_take(l);
		e = rule_run(l, p);
	}
	if (e == ERR_REFUSED) {
		result_refuse(l, r);
		e = ledger_mark_back(l, &mark);
	}
	if (e == ERR_OK && r->is_charged)
		must(coin_add(fee, l->priv->at.tx_cost, &r->fee));
	tx_leave(l);
	return e;
}

/* --- validation --- */

static bool refused(struct ledger_refusal *w, enum reason why, uint32_t index)
{
	w->reason = why;
	w->tx_index = index;
	return true;
}

static bool bad_frame(const struct ledger_before *before,
		      const struct ledger_proposal *in,
		      struct ledger_refusal *w)
{
	uint64_t sum = 0;

	if (in->height != before->height + 1)
		return refused(w, REASON_bad_height, UINT32_MAX);
	if (in->time_ms < before->time_ms)
		return refused(w, REASON_bad_time, UINT32_MAX);
	if (in->tx_count > BLOCK_TX_MAX)
		return refused(w, REASON_too_large, UINT32_MAX);
	for (uint32_t i = 0; i < in->tx_count; i++)
		sum += in->txs[i].n;
	if (sum > BLOCK_BYTES_MAX)
		return refused(w, REASON_too_large, UINT32_MAX);
	return false;
}

/* The proposer's record, and everybody's power. */
static enum err find_proposer(struct ledger *l, const struct pubkey *account,
			      struct ledger_validator *ret_v,
			      struct ledger_verdict *verdict)
{
	struct ledger_validator v;
	bool found = false;
	enum err e = ledger_validator_next(l, NULL, &v);

	verdict->total_power = 0;
	while (e == ERR_OK) {
		verdict->total_power += v.power;
		if (pubkey_eq(&v.account, account)) {
			*ret_v = v;
			verdict->power = v.power;
			found = true;
		}
		e = ledger_validator_next(l, v.key32, &v);
	}
	if (e != ERR_NOT_FOUND)
		return e;
	return found ? ERR_OK : ERR_NOT_FOUND;
}

static enum err beacon_check(struct ledger *l, const struct ledger_proposal *in,
			     const struct ledger_validator *v,
			     struct ledger_verdict *verdict,
			     struct ledger_refusal *w)
{
	uint8_t alpha[LEDGER_BEACON_ALPHA_BYTES_MAX];
	struct ledger_parsed p;
	const struct kind_beacon *body;
	struct vrf_output beta;
	struct sha256 s;
	enum err e;

	w->tx_index = 0;
	w->reason = REASON_bad_beacon;
	if (in->tx_count == 0)
		return ERR_REFUSED;
	e = ledger_parse(l, in->txs[0], &p, &w->reason);
	if (e != ERR_OK)
		return e;
	w->reason = REASON_bad_beacon;
	if (p.tx.kind != LEDGER_KIND_BEACON || p.tx.is_signed || p.tx.has_key ||
	    p.tx.lane != 0 || p.tx.seq != 0 || !coin_is_zero(p.tx.fee) ||
	    p.tx.expiry_height != in->height ||
	    !pubkey_eq(&p.tx.sender, &in->proposer))
		return ERR_REFUSED;
	body = p.body;
	if (vrf_verify(&v->vrf,
		       ledger_beacon_alpha(l->chain_id, in->height, &l->seed,
					   alpha),
		       &body->pi, &beta) != ERR_OK)
		return ERR_REFUSED;
	sha256_init(&s);
	sha256_put(&s, l->seed.b, sizeof(l->seed.b));
	sha256_put(&s, beta.b, sizeof(beta.b));
	verdict->seed = sha256_end(&s);
	return ERR_OK;
}

static enum err users_check(struct ledger *l, const struct ledger_proposal *in,
			    uint32_t first, struct ledger_sigs *sigs,
			    struct ledger_refusal *w)
{
	for (uint32_t i = first; i < in->tx_count; i++) {
		struct ledger_parsed p;
		enum err e;

		w->tx_index = i;
		arena_reset(l->scratch);
		e = ledger_parse(l, in->txs[i], &p, &w->reason);
		if (e != ERR_OK)
			return e;
		w->reason = REASON_bad_beacon;
		if (p.tx.kind == LEDGER_KIND_BEACON)
			return ERR_REFUSED;
		w->reason = REASON_bad_signature;
		if (ledger_signed(sigs, &p) != ERR_OK)
			return ERR_REFUSED;
	}
	return ERR_OK;
}

enum err ledger_validate(struct ledger *l, const struct ledger_before *before,
			 const struct ledger_proposal *in,
			 struct ledger_sigs *sigs,
			 struct ledger_verdict *ret_verdict,
			 struct ledger_refusal *reterr_why)
{
	struct ledger_verdict verdict = {.seed = l->seed};
	struct ledger_refusal w = {REASON_none, UINT32_MAX};
	struct ledger_validator v;
	uint64_t holds;
	enum err e;

	if (bad_frame(before, in, &w)) {
		*reterr_why = w;
		return ERR_REFUSED;
	}
	e = ledger_clock(l, &holds);
	if (e == ERR_OK)
		e = find_proposer(l, &in->proposer, &v, &verdict);
	if (e == ERR_NOT_FOUND) {
		w.reason = REASON_no_permission;
		e = ERR_REFUSED;
	}
	verdict.is_live = holds > 0 || in->tx_count > 0;
	verdict.first_tx = verdict.is_live;
	if (e == ERR_OK && verdict.is_live)
		e = beacon_check(l, in, &v, &verdict, &w);
	/* A beacon alone is nobody's wish: without a clock it changes nothing
	 * that anybody waits for. */
	if (e == ERR_OK && holds == 0 && in->tx_count == 1) {
		w = (struct ledger_refusal){REASON_not_live, UINT32_MAX};
		e = ERR_REFUSED;
	}
	if (e == ERR_OK)
		e = users_check(l, in, verdict.first_tx, sigs, &w);
	arena_reset(l->scratch);
	if (e == ERR_OK)
		*ret_verdict = verdict;
	if (e == ERR_REFUSED)
		*reterr_why = w;
	return e;
}

/* --- hooks --- */

static enum err hook_call(struct ledger *l, const struct ledger_hook *h,
			  uint64_t due, const struct hash *id,
			  uint32_t *refusals)
{
	struct ledger_mark mark = ledger_mark_take(l);
	enum err e;

	l->priv->why = REASON_none;
	l->priv->at.tx_cost = COIN_ZERO;
	e = ledger_rule_result(l, h->entry ? h->entry(l, due, id) : h->run(l));
	arena_reset(l->scratch);
	if (e != ERR_REFUSED)
		return e;
	e = ledger_mark_back(l, &mark);
	(*refusals)++;
	if (e != ERR_OK)
		return e;
	return ledger_emit(l, "hook.refused", id, NULL, NULL,
			   bytes_str(h->name));
}

/* The entries that are due now, oldest first. */
static enum err due_list(struct ledger *l, uint8_t queue, struct hash *ids,
			 uint64_t *dues, uint32_t *ret_count)
{
	uint64_t due = 0;
	uint32_t count = 0;
	enum err e;

	e = ledger_queue_first(l, queue, &due, &ids[0]);
	while (e == ERR_OK && due <= l->height) {
		dues[count++] = due;
		if (count == LEDGER_HOOK_ENTRIES_MAX)
			break;
		ids[count] = ids[count - 1];
		e = ledger_queue_next(l, queue, &due, &ids[count]);
	}
	*ret_count = count;
	return e == ERR_NOT_FOUND ? ERR_OK : e;
}

/*
 * The list is made before the first call: an entry that puts itself in again
 * at a height that has passed waits for the next block; one that an earlier
 * call took out is passed over.
 */
static enum err hook_queue(struct ledger *l, const struct ledger_hook *h,
			   struct hash *ids, uint64_t *dues, uint32_t *refusals)
{
	uint32_t count;
	enum err e = due_list(l, h->queue, ids, dues, &count);

	arena_reset(l->scratch);
	for (uint32_t i = 0; i < count && e == ERR_OK; i++) {
		bool there;

		e = ledger_queue_take(l, h->queue, dues[i], &ids[i], &there);
		if (e == ERR_OK && there)
			e = hook_call(l, h, dues[i], &ids[i], refusals);
	}
	return e;
}

static enum err hooks_run(struct ledger *l, uint32_t *refusals)
{
	struct hash *ids = ARENA_ARRAY(l->priv->arena, LEDGER_HOOK_ENTRIES_MAX,
				       struct hash);
	uint64_t *dues =
		ARENA_ARRAY(l->priv->arena, LEDGER_HOOK_ENTRIES_MAX, uint64_t);
	enum err e = ERR_OK;

	if (!ids || !dues)
		return ERR_NO_MEMORY;
	for (size_t i = 0; i < l->rules->hook_count && e == ERR_OK; i++) {
		const struct ledger_hook *h = l->rules->hooks[i];

		if (h->entry)
			e = hook_queue(l, h, ids, dues, refusals);
		else
			e = hook_call(l, h, 0, NULL, refusals);
	}
	return e;
}

/* --- a live block --- */

static void beacon_result(const struct ledger *l,
			  const struct ledger_proposal *in,
			  struct ledger_tx_result *r)
{
	memset(r, 0, sizeof(*r));
	r->id = ledger_tx_id(in->txs[0]);
	r->kind = LEDGER_KIND_BEACON;
	r->height = l->height;
}

static enum err users_apply(struct ledger *l, const struct ledger_proposal *in,
			    uint32_t first, struct ledger_tx_result *results)
{
	for (uint32_t i = first; i < in->tx_count; i++) {
		struct ledger_parsed p;
		enum reason why;
		enum err e;

		e = ledger_parse(l, in->txs[i], &p, &why);
		must(e != ERR_REFUSED); /* validated */
		l->tx_index = i;
		if (e == ERR_OK)
			e = ledger_apply_tx(l, &p, &results[i]);
		arena_reset(l->scratch);
		if (e != ERR_OK)
			return e;
	}
	return ERR_OK;
}

static enum err live_close(struct ledger *l, const struct ledger_proposal *in)
{
	struct ledger_live live;
	enum err e = ledger_live_get(l, &live);

	if (e != ERR_OK)
		return e;
	live.count++;
	live.height = l->height;
	live.seed = l->seed;
	e = ledger_live_put(l, &live);
	if (e == ERR_OK)
		e = ledger_block_note(l, live.count, &in->block_id);
	return e;
}

enum err ledger_apply_live(struct ledger *l, const struct ledger_proposal *in,
			   const struct ledger_verdict *verdict,
			   struct ledger_tx_result *results,
			   uint32_t *ret_hook_refusals)
{
	uint32_t refusals = 0;
	enum err e;

	l->seed = verdict->seed;
	beacon_result(l, in, &results[0]);
	/* First, so that rules can ask for the sampling height of now. */
	e = ledger_seed_note(l, verdict->power, verdict->total_power);
	if (e == ERR_OK)
		e = users_apply(l, in, verdict->first_tx, results);
	if (e == ERR_OK)
		e = ledger_fees_settle(l);
	if (e == ERR_OK)
		e = hooks_run(l, &refusals);
	/* Hooks pay accounts, and those may owe fees. */
	if (e == ERR_OK)
		e = ledger_fees_settle(l);
	if (e == ERR_OK)
		e = live_close(l, in);
	if (e == ERR_OK)
		*ret_hook_refusals = refusals;
	return e;
}
