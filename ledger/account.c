/*
 * Records: account [balance, owed, unpaid, has_credit, payout, [rig keys]],
 * lane next-sequence, validator [vrf key, account, power].  The node's
 * announcement is in ledger/kind_announce.c, lines are in ledger/history.c.
 */
#include "ledger/account.h"

#include <string.h>

#include "base/codec.h"
#include "ledger/priv/state.h"
#include "ledger/tx.h"

static struct ledger_key account_key(const struct pubkey *account)
{
	struct ledger_key k = ledger_key(LEDGER_PREFIX_ACCOUNT);

	key_pubkey(&k, account);
	return k;
}

enum err ledger_account_get(struct ledger *l, const struct pubkey *account,
			    struct ledger_account *ret_account)
{
	struct ledger_key k = account_key(account);
	struct ledger_account a = {0};
	struct bytes value;
	struct dec d;
	enum err e = ledger_get(l, &k, &value);

	if (e == ERR_NOT_FOUND) {
		*ret_account = a;
		return ERR_OK;
	}
	if (e != ERR_OK)
		return e;
	d = dec_make(value);
	dec_array_exact(&d, 6);
	a.balance = dec_coin(&d);
	a.owed = dec_coin(&d);
	a.unpaid_count = (uint32_t)dec_uint(&d, UINT32_MAX);
	a.has_credit = dec_bool(&d);
	a.has_payout = !dec_is_nil(&d);
	if (a.has_payout)
		a.payout = dec_pubkey(&d);
	else
		dec_nil(&d);
	a.rig_key_count = dec_array(&d, LEDGER_RIG_KEYS_MAX);
	for (uint32_t i = 0; i < a.rig_key_count; i++)
		a.rig_keys[i] = dec_pubkey(&d);
	if (dec_end(&d) != ERR_OK)
		return ERR_STORE;
	*ret_account = a;
	return ERR_OK;
}

enum err ledger_account_put(struct ledger *l, const struct pubkey *account,
			    const struct ledger_account *a)
{
	struct ledger_key k = account_key(account);
	struct buf b = buf_make(LEDGER_VALUE_MAX);
	enum err e;

	enc_array(&b, 6);
	enc_coin(&b, a->balance);
	enc_coin(&b, a->owed);
	enc_uint(&b, a->unpaid_count);
	enc_bool(&b, a->has_credit);
	if (a->has_payout)
		enc_pubkey(&b, &a->payout);
	else
		enc_nil(&b);
	enc_array(&b, a->rig_key_count);
	for (uint32_t i = 0; i < a->rig_key_count; i++)
		enc_pubkey(&b, &a->rig_keys[i]);
	e = ledger_put_buf(l, &k, &b);
	buf_free(&b);
	return e;
}

static struct ledger_key lane_key(const struct pubkey *account, uint8_t lane)
{
	struct ledger_key k = ledger_key(LEDGER_PREFIX_LANE);

	key_pubkey(&k, account);
	key_u8(&k, lane);
	return k;
}

enum err ledger_account_seq(struct ledger *l, const struct pubkey *account,
			    uint8_t lane, uint64_t *ret_seq)
{
	struct ledger_key k = lane_key(account, lane);
	struct bytes value;
	struct dec d;
	uint64_t seq;
	enum err e = ledger_get(l, &k, &value);

	if (e == ERR_NOT_FOUND) {
		*ret_seq = 0;
		return ERR_OK;
	}
	if (e != ERR_OK)
		return e;
	d = dec_make(value);
	seq = dec_uint(&d, UINT64_MAX);
	if (dec_end(&d) != ERR_OK)
		return ERR_STORE;
	*ret_seq = seq;
	return ERR_OK;
}

enum err ledger_account_seq_put(struct ledger *l, const struct pubkey *account,
				uint8_t lane, uint64_t seq)
{
	struct ledger_key k = lane_key(account, lane);
	struct buf b = buf_make(16);
	enum err e;

	enc_uint(&b, seq);
	e = ledger_put_buf(l, &k, &b);
	buf_free(&b);
	return e;
}

enum err ledger_account_has_key(struct ledger *l, const struct pubkey *account,
				const struct pubkey *key, bool *ret_may)
{
	struct ledger_account a;
	enum err e = ledger_account_get(l, account, &a);

	if (e != ERR_OK)
		return e;
	*ret_may = pubkey_eq(account, key);
	for (uint32_t i = 0; i < a.rig_key_count; i++)
		*ret_may |= pubkey_eq(&a.rig_keys[i], key);
	return ERR_OK;
}

static struct ledger_key validator_key(const uint8_t *key32)
{
	struct ledger_key k = ledger_key(LEDGER_PREFIX_VALIDATOR);

	key_bytes(&k, bytes_of(key32, 32));
	return k;
}

enum err ledger_validator_put(struct ledger *l,
			      const struct ledger_validator *v)
{
	struct ledger_key k = validator_key(v->key32);
	struct buf b = buf_make(LEDGER_VALUE_MAX);
	enum err e;

	enc_array(&b, 3);
	enc_bin(&b, bytes_of(v->vrf.b, sizeof(v->vrf.b)));
	enc_pubkey(&b, &v->account);
	enc_uint(&b, v->power);
	e = ledger_put_buf(l, &k, &b);
	buf_free(&b);
	return e;
}

enum err ledger_validator_next(struct ledger *l, const uint8_t *after_key32,
			       struct ledger_validator *ret_validator)
{
	struct ledger_key prefix = ledger_key(LEDGER_PREFIX_VALIDATOR);
	struct ledger_key k = prefix;
	struct ledger_validator v;
	struct bytes value;
	struct dec d;
	enum err e;

	if (after_key32)
		k = validator_key(after_key32);
	e = ledger_scan(l, &prefix, &k, true, &k, &value);
	if (e != ERR_OK)
		return e;
	d = dec_make(value);
	memcpy(v.key32, k.b + 1, 32);
	dec_array_exact(&d, 3);
	dec_bin_exact(&d, v.vrf.b, sizeof(v.vrf.b));
	v.account = dec_pubkey(&d);
	v.power = dec_uint(&d, UINT64_MAX);
	if (dec_end(&d) != ERR_OK)
		return ERR_STORE;
	*ret_validator = v;
	return ERR_OK;
}

enum err ledger_validator_of(struct ledger *l, const struct pubkey *account,
			     struct ledger_validator *ret_validator)
{
	struct ledger_validator v;
	enum err e = ledger_validator_next(l, NULL, &v);

	while (e == ERR_OK && !pubkey_eq(&v.account, account))
		e = ledger_validator_next(l, v.key32, &v);
	if (e == ERR_OK)
		*ret_validator = v;
	return e;
}
