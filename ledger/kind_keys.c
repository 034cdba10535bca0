/*
 * account.keys [[rig key ...], payout]: replaces both lists of the sender.
 * Keys ascend, so that a set has one form; payout nil: the account itself.
 */
#include <string.h>

#include "base/arena.h"
#include "base/codec.h"
#include "ledger/account.h"
#include "ledger/priv/kinds.h"
#include "ledger/priv/state.h"

struct keys {
	uint32_t count;
	struct pubkey keys[LEDGER_RIG_KEYS_MAX];
	bool has_payout;
	struct pubkey payout;
};

enum err kind_keys_decode(struct arena *a, struct bytes body, void **ret_body,
			  enum reason *reterr_why)
{
	struct keys *k = ARENA_NEW(a, struct keys);
	struct dec d = dec_make(body);

	if (!k)
		return ERR_NO_MEMORY;
	dec_array_exact(&d, 2);
	k->count = dec_array(&d, LEDGER_RIG_KEYS_MAX);
	for (uint32_t i = 0; i < k->count; i++)
		k->keys[i] = dec_pubkey(&d);
	k->has_payout = !dec_is_nil(&d);
	if (k->has_payout)
		k->payout = dec_pubkey(&d);
	else
		dec_nil(&d);
	if (dec_end(&d) != ERR_OK)
		return dec_end(&d);
	*reterr_why = REASON_bad_value;
	for (uint32_t i = 1; i < k->count; i++)
		if (memcmp(k->keys[i - 1].b, k->keys[i].b, 32) >= 0)
			return ERR_REFUSED;
	*ret_body = k;
	return ERR_OK;
}

enum err kind_keys_apply(struct ledger *l, const void *body)
{
	const struct keys *k = body;
	struct ledger_account a;
	enum err e = ledger_account_get(l, &l->sender, &a);

	if (e != ERR_OK)
		return e;
	for (uint32_t i = 0; i < k->count; i++)
		if (pubkey_eq(&k->keys[i], &l->sender))
			return ledger_refuse(l, REASON_bad_value);
	a.rig_key_count = k->count;
	memcpy(a.rig_keys, k->keys, sizeof(a.rig_keys));
	a.has_payout = k->has_payout;
	a.payout = k->payout;
	return ledger_account_put(l, &l->sender, &a);
}
