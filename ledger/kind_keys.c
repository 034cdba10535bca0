/*
 * account.keys [[rig key ...], payout]: replaces both lists of the sender.
 * Keys ascend, so that a set has one form; payout nil: the account itself.
 */
#include <string.h>

#include "base/arena.h"
#include "base/codec.h"
#include "ledger/account.h"
#include "ledger/bodies.h"
#include "ledger/priv/kinds.h"
#include "ledger/priv/state.h"

void ledger_keys_encode(struct buf *out, const struct ledger_keys *k)
{
	enc_array(out, 2);
	enc_array(out, k->rig_key_count);
	for (uint32_t i = 0; i < k->rig_key_count; i++)
		enc_pubkey(out, &k->rig_keys[i]);
	if (k->has_payout)
		enc_pubkey(out, &k->payout);
	else
		enc_nil(out);
}

enum err kind_keys_decode(struct arena *a, struct bytes body, void **ret_body,
			  enum reason *reterr_why)
{
	struct ledger_keys *k = ARENA_NEW(a, struct ledger_keys);
	struct dec d = dec_make(body);

	if (!k)
		return ERR_NO_MEMORY;
	dec_array_exact(&d, 2);
	k->rig_key_count = dec_array(&d, LEDGER_RIG_KEYS_MAX);
	for (uint32_t i = 0; i < k->rig_key_count; i++)
		k->rig_keys[i] = dec_pubkey(&d);
	k->has_payout = !dec_is_nil(&d);
	if (k->has_payout)
		k->payout = dec_pubkey(&d);
	else
		dec_nil(&d);
	if (dec_end(&d) != ERR_OK)
		return dec_end(&d);
	*reterr_why = REASON_bad_value;
	for (uint32_t i = 1; i < k->rig_key_count; i++)
		if (memcmp(k->rig_keys[i - 1].b, k->rig_keys[i].b, 32) >= 0)
			return ERR_REFUSED;
	*ret_body = k;
	return ERR_OK;
}

enum err kind_keys_apply(struct ledger *l, const void *body)
{
	const struct ledger_keys *k = body;
	struct ledger_account a;
	enum err e = ledger_account_get(l, &l->sender, &a);

	if (e != ERR_OK)
		return e;
	for (uint32_t i = 0; i < k->rig_key_count; i++)
		if (pubkey_eq(&k->rig_keys[i], &l->sender))
			return ledger_refuse(l, REASON_bad_value);
	a.rig_key_count = k->rig_key_count;
	memcpy(a.rig_keys, k->rig_keys, sizeof(a.rig_keys));
	a.has_payout = k->has_payout;
	a.payout = k->payout;
	return ledger_account_put(l, &l->sender, &a);
}
