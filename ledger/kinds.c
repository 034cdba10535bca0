/*
 * The table of the ledger's own kinds, and the two smallest of them:
 * transfer and beacon.
 */
#include "ledger/priv/kinds.h"
#include "base/arena.h"
#include "base/codec.h"
#include "ledger/bodies.h"
#include "ledger/money.h"
#include "ledger/priv/state.h"
#include "ledger/rules.h"

/* clang-format off */
const struct ledger_kind ledger_kinds[] = {
	{
		.number = LEDGER_KIND_BEACON, .name = "beacon",
		.bytes_max = 512,
		.decode = kind_beacon_decode, .apply = kind_beacon_apply,
	}, {
		.number = LEDGER_KIND_TRANSFER, .name = "transfer",
		.bytes_max = 1024,
		.decode = kind_transfer_decode, .apply = kind_transfer_apply,
	}, {
		.number = LEDGER_KIND_ACCOUNT_KEYS, .name = "account.keys",
		.bytes_max = 2048,
		.decode = kind_keys_decode, .apply = kind_keys_apply,
	}, {
		.number = LEDGER_KIND_NODE_ANNOUNCE, .name = "node.announce",
		.bytes_max = 4096, .by_rig_key = true, .on_credit = true,
		.decode = kind_announce_decode, .check = kind_announce_check,
		.apply = kind_announce_apply,
	},
};
/* clang-format on */

const size_t ledger_kind_count = sizeof(ledger_kinds) / sizeof(ledger_kinds[0]);

void ledger_transfer_encode(struct buf *out, const struct ledger_transfer *t)
{
	enc_array(out, 4);
	enc_pubkey(out, &t->to);
	enc_coin(out, t->amount);
	enc_bool(out, t->is_all);
	enc_bin(out, t->memo);
}

enum err kind_transfer_decode(struct arena *a, struct bytes body,
			      void **ret_body, enum reason *reterr_why)
{
	struct ledger_transfer *t = ARENA_NEW(a, struct ledger_transfer);
	struct dec d = dec_make(body);

	if (!t)
		return ERR_NO_MEMORY;
	dec_array_exact(&d, 4);
	t->to = dec_pubkey(&d);
	t->amount = dec_coin(&d);
	t->is_all = dec_bool(&d);
	t->memo = dec_bin(&d, LEDGER_MEMO_BYTES_MAX);
	if (dec_end(&d) != ERR_OK)
		return dec_end(&d);
	*ret_body = t;
	*reterr_why = REASON_bad_value;
	return t->is_all == coin_is_zero(t->amount) ? ERR_OK : ERR_REFUSED;
}

enum err kind_transfer_apply(struct ledger *l, const void *body)
{
	const struct ledger_transfer *t = body;
	struct ledger_note note = {LEDGER_WHY_transfer, l->tx_id};
	struct coin amount = t->amount;
	enum err e = ERR_OK;

	/* Locks are apart and the fee is gone: the balance is what is left. */
	if (t->is_all)
		e = ledger_balance(l, &l->sender, &amount);
	if (e != ERR_OK)
		return e;
	if (coin_is_zero(amount))
		return ledger_refuse(l, REASON_insufficient_funds);
	e = ledger_pay(l, &l->sender, &t->to, amount, note);
	if (e != ERR_OK)
		return e;
	return ledger_emit(l, "transfer", &l->tx_id, &l->sender, &t->to,
			   bytes_of(NULL, 0));
}

enum err kind_beacon_decode(struct arena *a, struct bytes body, void **ret_body,
			    enum reason *reterr_why)
{
	struct kind_beacon *b = ARENA_NEW(a, struct kind_beacon);
	struct dec d = dec_make(body);

	(void)reterr_why;
	if (!b)
		return ERR_NO_MEMORY;
	dec_array_exact(&d, 1);
	dec_bin_exact(&d, b->pi.b, sizeof(b->pi.b));
	*ret_body = b;
	return dec_end(&d);
}

enum err kind_beacon_apply(struct ledger *l, const void *body)
{
	(void)body;
	return ledger_refuse(l, REASON_bad_beacon);
}
