/*
 * Records of verify in the state.  What our own state holds and does not
 * decode is a broken store.
 */
#include "verify/priv/records.h"

#include <string.h>

#include "base/codec.h"

#define RECORD_BYTES_MAX 8192u

static struct ledger_key key_object(uint8_t prefix, const struct hash *id)
{
	struct ledger_key k = ledger_key(prefix);

	key_hash(&k, id);
	return k;
}

static struct ledger_key key_account(uint8_t prefix,
				     const struct pubkey *account)
{
	struct ledger_key k = ledger_key(prefix);

	key_pubkey(&k, account);
	return k;
}

static struct ledger_key key_owned(uint8_t prefix, const struct pubkey *account,
				   const struct hash *id)
{
	struct ledger_key k = key_account(prefix, account);

	key_hash(&k, id);
	return k;
}

static enum err put(struct ledger *l, const struct ledger_key *k, struct buf *b)
{
	enum err err = ledger_put_buf(l, k, b);

	buf_free(b);
	return err;
}

static enum err mark(struct ledger *l, const struct ledger_key *k, bool set)
{
	static const uint8_t nil[1] = {0xc0};
	enum err err;

	if (set)
		return ledger_put(l, k, bytes_of(nil, 1));
	err = ledger_del(l, k);
	return err == ERR_NOT_FOUND ? ERR_OK : err;
}

static enum err stored(const struct dec *d)
{
	return dec_end(d) == ERR_OK ? ERR_OK : ERR_STORE;
}

/* The tail of the next key below prefix, after tail *after (NULL: first). */
static enum err next_tail(struct ledger *l, const struct ledger_key *prefix,
			  const void *after, uint8_t ret_tail[32],
			  struct bytes *ret_value)
{
	struct ledger_key from = *prefix;
	struct ledger_key k;
	enum err err;

	if (after)
		key_bytes(&from, bytes_of(after, 32));
	err = ledger_scan(l, prefix, after ? &from : NULL, after != NULL, &k,
			  ret_value);
	if (err)
		return err;
	if (k.n != prefix->n + 32)
		return ERR_STORE;
	memcpy(ret_tail, k.b + prefix->n, 32);
	return ERR_OK;
}

/* Verifiers */

static enum err verifier_decode(struct bytes in, struct verify_verifier *v)
{
	struct dec d = dec_make(in);

	dec_array_exact(&d, 6);
	v->state = (enum verify_verifier_state)dec_uint(&d, VERIFY_LEAVING);
	v->reserved = dec_coin(&d);
	v->duties = (uint32_t)dec_uint(&d, UINT32_MAX);
	v->missed = (uint32_t)dec_uint(&d, UINT32_MAX);
	v->audits = dec_uint(&d, UINT64_MAX);
	v->leave_height = dec_uint(&d, UINT64_MAX);
	return stored(&d);
}

enum err verify_verifier_save(struct ledger *l, const struct verify_verifier *v)
{
	struct ledger_key k = key_account(VERIFY_PREFIX_VERIFIER, &v->account);
	struct buf b = buf_make(RECORD_BYTES_MAX);

	enc_array(&b, 6);
	enc_uint(&b, v->state);
	enc_coin(&b, v->reserved);
	enc_uint(&b, v->duties);
	enc_uint(&b, v->missed);
	enc_uint(&b, v->audits);
	enc_uint(&b, v->leave_height);
	return put(l, &k, &b);
}

enum err verify_verifier_drop(struct ledger *l, const struct pubkey *account)
{
	struct ledger_key k = key_account(VERIFY_PREFIX_VERIFIER, account);

	return ledger_del(l, &k);
}

enum err verify_verifier_get(struct ledger *l, const struct pubkey *account,
			     struct verify_verifier *ret_verifier)
{
	struct ledger_key k = key_account(VERIFY_PREFIX_VERIFIER, account);
	struct bytes in;
	enum err err = ledger_get(l, &k, &in);

	if (err)
		return err;
	ret_verifier->account = *account;
	return verifier_decode(in, ret_verifier);
}

enum err verify_verifier_next(struct ledger *l, const struct pubkey *after,
			      struct verify_verifier *ret_verifier)
{
	struct ledger_key prefix = ledger_key(VERIFY_PREFIX_VERIFIER);
	struct bytes in;
	enum err err =
		next_tail(l, &prefix, after, ret_verifier->account.b, &in);

	return err ? err : verifier_decode(in, ret_verifier);
}

enum err verify_verifier_count(struct ledger *l, uint32_t *ret_count)
{
	struct ledger_key k = ledger_key(VERIFY_PREFIX_COUNT);
	struct bytes in;
	enum err err = ledger_get(l, &k, &in);
	struct dec d = dec_make(in);

	*ret_count = 0;
	if (err)
		return err == ERR_NOT_FOUND ? ERR_OK : err;
	*ret_count = (uint32_t)dec_uint(&d, UINT32_MAX);
	return stored(&d);
}

enum err verify_verifier_count_put(struct ledger *l, uint32_t count)
{
	struct ledger_key k = ledger_key(VERIFY_PREFIX_COUNT);
	struct buf b = buf_make(RECORD_BYTES_MAX);

	enc_uint(&b, count);
	return put(l, &k, &b);
}

/* Audits */

static void audit_encode(struct buf *b, const struct verify_audit *a)
{
	enc_array(b, 18);
	enc_uint(b, a->state);
	enc_uint(b, a->end);
	enc_hash(b, &a->seed);
	enc_uint(b, a->draw_height);
	enc_uint(b, a->sample_count);
	enc_array(b, a->auditor_count);
	for (uint32_t i = 0; i < a->auditor_count; i++)
		enc_pubkey(b, &a->auditors[i]);
	enc_coin(b, a->reserved);
	enc_uint(b, a->window_height);
	enc_uint(b, a->window_left);
	enc_uint(b, a->stops);
	enc_uint(b, a->foreign_stops);
	enc_hash(b, &a->pledge);
	enc_hash(b, &a->witness_root);
	enc_uint(b, a->reveal_height);
	enc_uint(b, a->prove_index);
	enc_coin(b, a->paid);
	enc_coin(b, a->missed);
	enc_uint(b, a->end_height);
}

static enum err audit_decode(struct bytes in, struct verify_audit *a)
{
	struct dec d = dec_make(in);

	dec_array_exact(&d, 18);
	a->state = (enum verify_audit_state)dec_uint(&d, VERIFY_AUDIT_DONE);
	a->end = (enum verify_audit_end)dec_uint(&d, VERIFY_END_CLOSED);
	a->seed = dec_hash(&d);
	a->draw_height = dec_uint(&d, UINT64_MAX);
	a->sample_count = (uint32_t)dec_uint(&d, UINT32_MAX);
	a->auditor_count = dec_array(&d, VERIFY_AUDITORS_MAX);
	for (uint32_t i = 0; i < a->auditor_count; i++)
		a->auditors[i] = dec_pubkey(&d);
	a->reserved = dec_coin(&d);
	a->window_height = dec_uint(&d, UINT64_MAX);
	a->window_left = dec_uint(&d, UINT64_MAX);
	a->stops = (uint32_t)dec_uint(&d, UINT32_MAX);
	a->foreign_stops = (uint32_t)dec_uint(&d, UINT32_MAX);
	a->pledge = dec_hash(&d);
	a->witness_root = dec_hash(&d);
	a->reveal_height = dec_uint(&d, UINT64_MAX);
	a->prove_index = (uint32_t)dec_uint(&d, UINT32_MAX);
	a->paid = dec_coin(&d);
	a->missed = dec_coin(&d);
	a->end_height = dec_uint(&d, UINT64_MAX);
	return a->auditor_count ? stored(&d) : ERR_STORE;
}

enum err verify_audit_save(struct ledger *l, const struct verify_audit *a)
{
	struct ledger_key k = key_object(VERIFY_PREFIX_AUDIT, &a->lease);
	struct buf b = buf_make(RECORD_BYTES_MAX);
	enum err err;

	audit_encode(&b, a);
	err = put(l, &k, &b);
	if (err)
		return err;
	k = key_owned(VERIFY_PREFIX_DUTY, verify_audit_auditor(a), &a->lease);
	return mark(l, &k, a->state != VERIFY_AUDIT_DONE);
}

enum err verify_duty_clear(struct ledger *l, const struct pubkey *auditor,
			   const struct hash *lease)
{
	struct ledger_key k = key_owned(VERIFY_PREFIX_DUTY, auditor, lease);

	return mark(l, &k, false);
}

enum err verify_audit_get(struct ledger *l, const struct hash *lease,
			  struct verify_audit *ret_audit)
{
	struct ledger_key k = key_object(VERIFY_PREFIX_AUDIT, lease);
	struct bytes in;
	enum err err = ledger_get(l, &k, &in);

	if (err)
		return err;
	ret_audit->lease = *lease;
	return audit_decode(in, ret_audit);
}

const struct pubkey *verify_audit_auditor(const struct verify_audit *a)
{
	return &a->auditors[a->auditor_count - 1];
}

enum err verify_duty_next(struct ledger *l, const struct pubkey *auditor,
			  const struct hash *after,
			  struct verify_audit *ret_audit)
{
	struct ledger_key prefix = key_account(VERIFY_PREFIX_DUTY, auditor);
	struct hash lease;
	struct bytes in;
	enum err err = next_tail(l, &prefix, after, lease.b, &in);

	return err ? err : verify_audit_get(l, &lease, ret_audit);
}

/* Demands */

static void demand_encode(struct buf *b, const struct verify_demand *x)
{
	enc_array(b, 11);
	enc_pubkey(b, &x->provider);
	enc_pubkey(b, &x->sender);
	enc_bool(b, x->by_auditor);
	enc_array(b, x->count);
	for (uint32_t i = 0; i < x->count; i++) {
		if (x->by_auditor)
			enc_uint(b, x->draws[i]);
		else
			program_sample_encode(b, &x->samples[i]);
	}
	enc_uint(b, x->answered);
	enc_uint(b, x->until_height);
	enc_bool(b, x->delayed);
	enc_uint(b, x->open_cases);
	enc_uint(b, x->buyer_used);
	enc_bool(b, x->is_open);
	enc_coin(b, x->deposit);
}

static enum err demand_decode(struct bytes in, struct verify_demand *x)
{
	struct dec d = dec_make(in);

	memset(x->draws, 0, sizeof(x->draws));
	memset(x->samples, 0, sizeof(x->samples));
	dec_array_exact(&d, 11);
	x->provider = dec_pubkey(&d);
	x->sender = dec_pubkey(&d);
	x->by_auditor = dec_bool(&d);
	x->count = dec_array(&d, VERIFY_DEMAND_MAX);
	for (uint32_t i = 0; i < x->count; i++) {
		if (x->by_auditor)
			x->draws[i] = (uint32_t)dec_uint(&d, UINT32_MAX);
		else
			x->samples[i] = program_sample_decode(&d);
	}
	x->answered = dec_uint(&d, UINT64_MAX);
	x->until_height = dec_uint(&d, UINT64_MAX);
	x->delayed = dec_bool(&d);
	x->open_cases = (uint32_t)dec_uint(&d, UINT32_MAX);
	x->buyer_used = (uint32_t)dec_uint(&d, UINT32_MAX);
	x->is_open = dec_bool(&d);
	x->deposit = dec_coin(&d);
	return stored(&d);
}

enum err verify_demand_save(struct ledger *l, const struct verify_demand *x)
{
	struct ledger_key k = key_object(VERIFY_PREFIX_DEMAND, &x->lease);
	struct buf b = buf_make(RECORD_BYTES_MAX);
	enum err err;

	demand_encode(&b, x);
	err = put(l, &k, &b);
	if (err)
		return err;
	k = key_owned(VERIFY_PREFIX_DEMANDED, &x->provider, &x->lease);
	return mark(l, &k, x->is_open);
}

enum err verify_demand_get(struct ledger *l, const struct hash *lease,
			   struct verify_demand *ret_demand)
{
	struct ledger_key k = key_object(VERIFY_PREFIX_DEMAND, lease);
	struct bytes in;
	enum err err = ledger_get(l, &k, &in);

	if (err)
		return err;
	ret_demand->lease = *lease;
	return demand_decode(in, ret_demand);
}

enum err verify_demand_next(struct ledger *l, const struct pubkey *provider,
			    const struct hash *after,
			    struct verify_demand *ret_demand)
{
	struct ledger_key prefix =
		key_account(VERIFY_PREFIX_DEMANDED, provider);
	struct hash lease;
	struct bytes in;
	enum err err = next_tail(l, &prefix, after, lease.b, &in);

	return err ? err : verify_demand_get(l, &lease, ret_demand);
}

/* Cases */

static void case_encode(struct buf *b, const struct verify_case *c)
{
	enc_array(b, 19);
	enc_uint(b, c->kind);
	enc_hash(b, &c->lease);
	enc_pubkey(b, &c->sender);
	enc_uint(b, c->place);
	enc_hash(b, &c->evidence_root);
	enc_uint(b, c->evidence_bytes);
	enc_uint(b, c->part_count);
	enc_uint(b, c->until_height);
	enc_bool(b, c->is_ruled);
	enc_uint(b, c->verdict);
	enc_bool(b, c->seed_drawn);
	program_sample_encode(b, &c->sample);
	program_judge_answer_encode(b, &c->answer);
	enc_uint(b, c->ruled_height);
	enc_uint(b, c->held_height);
	enc_uint(b, c->draw_index);
	enc_uint(b, c->cta);
	enc_hash(b, &c->prior_root);
	enc_hash(b, &c->conflict);
}

static enum err case_decode(struct bytes in, struct verify_case *c)
{
	struct dec d = dec_make(in);
	struct bytes answer;

	dec_array_exact(&d, 19);
	c->kind = (enum verify_case_kind)dec_uint(&d, VERIFY_CASE_CONFLICT);
	c->lease = dec_hash(&d);
	c->sender = dec_pubkey(&d);
	c->place = (uint32_t)dec_uint(&d, UINT32_MAX);
	c->evidence_root = dec_hash(&d);
	c->evidence_bytes = dec_uint(&d, UINT64_MAX);
	c->part_count = (uint32_t)dec_uint(&d, UINT32_MAX);
	c->until_height = dec_uint(&d, UINT64_MAX);
	c->is_ruled = dec_bool(&d);
	c->verdict =
		(enum program_verdict)dec_uint(&d, PROGRAM_VERDICT_COUNT - 1);
	c->seed_drawn = dec_bool(&d);
	c->sample = program_sample_decode(&d);
	answer = dec_raw(&d);
	c->ruled_height = dec_uint(&d, UINT64_MAX);
	c->held_height = dec_uint(&d, UINT64_MAX);
	c->draw_index = (uint32_t)dec_uint(&d, UINT32_MAX);
	c->cta = dec_uint(&d, UINT64_MAX);
	c->prior_root = dec_hash(&d);
	c->conflict = dec_hash(&d);
	if (d.err || program_judge_answer_decode(answer, &c->answer))
		return ERR_STORE;
	return stored(&d);
}

enum err verify_case_save(struct ledger *l, const struct verify_case *c)
{
	struct ledger_key k = key_object(VERIFY_PREFIX_CASE, &c->id);
	struct buf b = buf_make(RECORD_BYTES_MAX);
	enum err err;

	case_encode(&b, c);
	err = put(l, &k, &b);
	if (err)
		return err;
	k = key_object(VERIFY_PREFIX_CASE_OF, &c->lease);
	key_hash(&k, &c->id);
	return mark(l, &k, true);
}

enum err verify_case_get(struct ledger *l, const struct hash *id,
			 struct verify_case *ret_case)
{
	struct ledger_key k = key_object(VERIFY_PREFIX_CASE, id);
	struct bytes in;
	enum err err = ledger_get(l, &k, &in);

	if (err)
		return err;
	ret_case->id = *id;
	return case_decode(in, ret_case);
}

enum err verify_case_next(struct ledger *l, const struct hash *lease,
			  const struct hash *after,
			  struct verify_case *ret_case)
{
	struct ledger_key prefix = key_object(VERIFY_PREFIX_CASE_OF, lease);
	struct hash id;
	struct bytes in;
	enum err err = next_tail(l, &prefix, after, id.b, &in);

	return err ? err : verify_case_get(l, &id, ret_case);
}

static struct ledger_key part_key(const struct hash *case_id, uint32_t index)
{
	struct ledger_key k = key_object(VERIFY_PREFIX_PART, case_id);

	key_u32(&k, index);
	return k;
}

enum err verify_part_put(struct ledger *l, const struct hash *case_id,
			 uint32_t index, struct bytes data)
{
	struct ledger_key k = part_key(case_id, index);
	struct buf b = buf_make(LEDGER_VALUE_MAX);

	enc_bin(&b, data);
	return put(l, &k, &b);
}

enum err verify_part_get(struct ledger *l, const struct hash *case_id,
			 uint32_t index, struct bytes *ret_data)
{
	struct ledger_key k = part_key(case_id, index);
	struct bytes in;
	enum err err = ledger_get(l, &k, &in);
	struct dec d = dec_make(in);

	if (err)
		return err == ERR_NOT_FOUND ? ERR_STORE : err;
	*ret_data = dec_bin(&d, LEDGER_VALUE_MAX);
	return stored(&d);
}

enum err verify_part_drop(struct ledger *l, const struct hash *case_id,
			  uint32_t index)
{
	struct ledger_key k = part_key(case_id, index);
	enum err err = ledger_del(l, &k);

	return err == ERR_NOT_FOUND ? ERR_OK : err;
}

struct ledger_lock_id verify_bond_lock(const struct pubkey *account)
{
	return (struct ledger_lock_id){*account, LEDGER_PURPOSE_verifier,
				       HASH_ZERO};
}

struct ledger_lock_id verify_deposit_lock(const struct pubkey *sender,
					  const struct hash *object)
{
	return (struct ledger_lock_id){*sender, LEDGER_PURPOSE_deposit,
				       *object};
}
