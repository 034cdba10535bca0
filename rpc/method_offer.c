/*
 * offer.*: what providers sell.
 */
#include <string.h>

#include "ledger/chain.h"
#include "market/explain.h"
#include "market/kinds.h"
#include "market/offer.h"
#include "rpc/priv/call.h"

static const char *device_word(enum market_device d)
{
	switch (d) {
	case MARKET_DEVICE_CPU:
		return "cpu";
	case MARKET_DEVICE_GPU:
		return "gpu";
	}
	return "?";
}

static json_t *classes_json(uint32_t classes)
{
	json_t *all = json_array();

	for (uint32_t i = 0; i < MARKET_CLASS_COUNT; i++) {
		if (classes >> i & 1)
			json_array_append_new(
				all, json_string(market_class_word(1u << i)));
	}
	return all;
}

static json_t *offer_json(const struct rpc *r, const struct ledger *l,
			  const struct market_offer *f)
{
	const struct market_offer_terms *t = &f->terms;
	json_t *o = json_object();

	out_hash(o, "id", &f->id);
	out_account(o, "owner", r, &f->owner);
	out_text(o, "device", device_word(t->device));
	out_number(o, "sm", t->sm);
	out_count(o, "memory_bytes", t->memory_bytes);
	out_bytes_text(o, "name", bytes_of(t->name.b, t->name.n));
	out_coin(o, "price_picks_per_gop", t->gop_price);
	out_coin(o, "value_min_picks", t->value_min);
	out_count(o, "rate_ops_per_s", t->rate);
	out_number(o, "slots", t->slots);
	out_number(o, "used_slots", f->used_slots);
	json_object_set_new(o, "classes", classes_json(t->classes));
	out_bytes_text(o, "region", bytes_of(t->region.b, t->region.n));
	out_number(o, "watts", t->watts);
	out_number(o, "until_height", t->until_height);
	out_number(o, "closed_until_height", f->closed_until);
	out_bool(o, "withdrawn", f->withdrawn);
	out_bool(o, "stands", market_offer_stands(f, l->height));
	return o;
}

static const struct rpc_param list_params[] = {
	{"owner", RPC_TYPE_ADDRESS, false, "only this account's"},
	{"limit", RPC_TYPE_NUMBER, false, "at most (50, 500 at most)"},
	{"cursor", RPC_TYPE_ID, false, "next of the list before"},
	{0},
};

static enum err next_offer(struct rpc_call *c, struct ledger *l,
			   const struct hash *after, struct hash *ret_id,
			   json_t **ret_o)
{
	struct market_offer f;
	enum err e =
		c->arg[0].present
			? market_offer_next(l, &c->arg[0].account, after, &f)
			: market_offer_next_any(l, after, &f);

	if (e)
		return e;
	*ret_id = f.id;
	*ret_o = offer_json(c->rpc, l, &f);
	return ERR_OK;
}

static void list(struct rpc_call *c)
{
	rpc_answer_page(c, "offers", 1, next_offer);
}

static const struct rpc_param post_params[] = {
	{"price_picks_per_gop", RPC_TYPE_PICKS, true, "per 10^9 instructions"},
	{"rate_ops_per_s", RPC_TYPE_COUNT, true,
	 "thread-instructions a second"},
	{"memory_bytes", RPC_TYPE_COUNT, true, "for a task's buffers"},
	{"name", RPC_TYPE_TEXT, false, "of the device, 48 bytes at most"},
	{"slots", RPC_TYPE_NUMBER, false, "leases at a time (1)"},
	{"value_min_picks", RPC_TYPE_PICKS, false, "smallest lease (0)"},
	{"until_blocks", RPC_TYPE_NUMBER, false, "stands so long (1,000,000)"},
	{"seconds_max", RPC_TYPE_NUMBER, false, "of a lease (no limit)"},
	{"region", RPC_TYPE_TEXT, false, "tag, 16 bytes at most"},
	{"watts", RPC_TYPE_NUMBER, false, "stated power"},
	{"assumed", RPC_TYPE_BOOL, false,
	 "also take programs whose independence is assumed (true)"},
	{"id", RPC_TYPE_ID, false, "offer.update: which offer"},
	{"idempotency_key", RPC_TYPE_TEXT, false, "posts once"},
	{0},
};

static bool put_name(const struct rpc_arg *a, uint8_t *b, size_t max,
		     uint8_t *ret_n)
{
	if (!a->present)
		return true;
	if (a->text.n > max)
		return false;
	memcpy(b, a->text.p, a->text.n);
	*ret_n = (uint8_t)a->text.n;
	return true;
}

static bool terms_of(struct rpc_call *c, uint64_t height,
		     struct market_offer_terms *t)
{
	const struct rpc_arg *a = c->arg;

	memset(t, 0, sizeof(*t));
	t->device = MARKET_DEVICE_CPU;
	t->gop_price = a[0].coin;
	t->rate = a[1].number;
	t->memory_bytes = a[2].number;
	t->slots = a[4].present ? (uint32_t)a[4].number : 1;
	t->value_min = a[5].coin;
	t->until_height = height + (a[6].present ? a[6].number : 1000000);
	t->seconds_max = (uint32_t)a[7].number;
	t->watts = (uint32_t)a[9].number;
	t->classes = MARKET_CLASS_A | MARKET_CLASS_R | MARKET_CLASS_S;
	if (!a[10].present || a[10].number)
		t->classes |= MARKET_CLASS_A_ASSUMED;
	return put_name(&a[3], t->name.b, MARKET_NAME_MAX, &t->name.n) &&
	       put_name(&a[8], t->region.b, MARKET_REGION_MAX, &t->region.n);
}

static void posted(struct rpc_call *c, const struct rpc_sent *s)
{
	json_t *o = json_object();
	struct hash id =
		c->arg[11].present ? c->arg[11].id : market_offer_id(&s->tx_id);

	out_hash(o, "id", &id);
	out_hash(o, "tx", &s->tx_id);
	out_number(o, "height", s->height);
	rpc_answer(c, o);
}

static void post(struct rpc_call *c)
{
	struct ledger *l = rpc_view(c);
	struct market_offer_terms t;
	struct buf body = buf_make(MARKET_OFFER_BYTES_MAX);
	bool ok;

	if (!l)
		return;
	ok = terms_of(c, l->height, &t);
	ledger_chain_view_end(l);
	if (!ok) {
		rpc_fail(c, RPC_ERROR_invalid_params,
			 "params: name holds 48 bytes, region 16");
		return;
	}
	if (c->arg[11].present) {
		market_offer_update_encode(&body, &c->arg[11].id, &t);
		rpc_send_kind(c, MARKET_KIND_OFFER_UPDATE, &body, 0, posted);
	} else {
		market_offer_terms_encode(&body, &t);
		rpc_send_kind(c, MARKET_KIND_OFFER_POST, &body, 0, posted);
	}
	buf_free(&body);
}

static void update(struct rpc_call *c)
{
	if (!c->arg[11].present)
		rpc_fail(c, RPC_ERROR_invalid_params, "params.id: missing");
	else
		post(c);
}

static const struct rpc_param id_params[] = {
	{"id", RPC_TYPE_ID, true, "of the offer"},
	{"idempotency_key", RPC_TYPE_TEXT, false, "acts once"},
	{0},
};

static void withdraw(struct rpc_call *c)
{
	struct buf body = buf_make(64);

	market_offer_withdraw_encode(&body, &c->arg[0].id);
	rpc_send_kind(c, MARKET_KIND_OFFER_WITHDRAW, &body, 0,
		      rpc_answer_changed);
	buf_free(&body);
}

static const struct rpc_param explain_params[] = {
	{"id", RPC_TYPE_ID, true, "of the offer"},
	{0},
};

static void explain(struct rpc_call *c)
{
	rpc_explain(c, market_offer_explain);
}

const struct rpc_method rpc_methods_offer[] = {
	{"offer.post", "sell this machine's work", RPC_SCOPE_SPEND, true,
	 post_params, post, "id, tx, height"},
	{"offer.update", "change an offer; running leases keep their terms",
	 RPC_SCOPE_SPEND, true, post_params, update, "id, tx, height"},
	{"offer.withdraw", "take an offer back", RPC_SCOPE_SPEND, true,
	 id_params, withdraw, "id, tx, height"},
	{"offer.list", "offers that stand or stood", RPC_SCOPE_READ, false,
	 list_params, list, "offers, next, height"},
	{"offer.explain", "why no lease: jobs counted by reason",
	 RPC_SCOPE_READ, false, explain_params, explain, "reasons"},
	{0},
};
