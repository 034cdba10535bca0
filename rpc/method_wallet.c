/*
 * wallet.*: the accounts whose keys this node holds.
 */
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "ledger/account.h"
#include "ledger/bodies.h"
#include "ledger/chain.h"
#include "ledger/money.h"
#include "ledger/rules.h"
#include "rpc/priv/call.h"

struct send_state {
	struct rpc_call *call;
	void (*then)(struct rpc_call *c, const struct rpc_sent *s);
};

static void sent(void *arg, const struct rpc_sent *s)
{
	struct send_state *st = arg;
	struct rpc_call *c = st->call;
	void (*then)(struct rpc_call *, const struct rpc_sent *) = st->then;

	free(st);
	if (s->err == ERR_REFUSED)
		rpc_refuse(c, s->reason, 0);
	else if (s->err)
		rpc_fail_err(c, s->err);
	else
		then(c, s);
}

void rpc_send_kind(struct rpc_call *c, uint32_t kind, const struct buf *body,
		   const struct rpc_arg *from,
		   void (*then)(struct rpc_call *c, const struct rpc_sent *s))
{
	const struct rpc_ops *ops = &c->rpc->host.ops;
	struct rpc_send s = {.kind = kind, .body = buf_bytes(body)};
	struct send_state *st = malloc(sizeof(*st));
	struct pubkey first;
	const char *name;

	if (!st || body->err) {
		free(st);
		rpc_fail_err(c, body->err ? body->err : ERR_NO_MEMORY);
		return;
	}
	if (!ops->send || !ops->account ||
	    !ops->account(ops->ctx, 0, &first, &name)) {
		free(st);
		rpc_fail(c, RPC_ERROR_no_wallet, 0);
		return;
	}
	if (from && from->present) {
		s.has_from = true;
		s.from = from->account;
	}
	st->call = c;
	st->then = then;
	ops->send(ops->ctx, &s, sent, st);
}

static void list(struct rpc_call *c)
{
	const struct rpc_ops *ops = &c->rpc->host.ops;
	struct ledger *l = rpc_view(c);
	json_t *all, *o;
	struct pubkey pk;
	const char *name;

	if (!l)
		return;
	all = json_array();
	for (uint32_t i = 0;
	     ops->account && ops->account(ops->ctx, i, &pk, &name); i++) {
		struct coin balance = COIN_ZERO;
		json_t *x = json_object();

		out_text(x, "name", name);
		out_account(x, "account", c->rpc, &pk);
		if (ledger_balance(l, &pk, &balance) == ERR_OK)
			out_coin(x, "balance_picks", balance);
		json_array_append_new(all, x);
	}
	o = json_object();
	json_object_set_new(o, "accounts", all);
	out_number(o, "height", l->height);
	ledger_chain_view_end(l);
	rpc_answer(c, o);
}

static const struct rpc_param send_params[] = {
	{"to", RPC_TYPE_ADDRESS, true, "who receives"},
	{"amount_picks", RPC_TYPE_PICKS, false, "how much; or all"},
	{"all", RPC_TYPE_BOOL, false, "balance less locks and fee"},
	{"from", RPC_TYPE_ADDRESS, false, "an account of this wallet"},
	{"idempotency_key", RPC_TYPE_TEXT, false,
	 "the same key never pays twice"},
	{0},
};

static void transferred(struct rpc_call *c, const struct rpc_sent *s)
{
	json_t *o = json_object();

	out_hash(o, "tx", &s->tx_id);
	out_number(o, "height", s->height);
	rpc_answer(c, o);
}

static void transfer(struct rpc_call *c)
{
	struct ledger_transfer t = {
		.to = c->arg[0].account,
		.amount = c->arg[1].coin,
		.is_all = c->arg[2].number != 0,
	};
	struct buf body = buf_make(1024);

	if (c->arg[1].present == t.is_all) {
		rpc_fail(c, RPC_ERROR_invalid_params,
			 "params: give amount_picks, or all: true");
		return;
	}
	ledger_transfer_encode(&body, &t);
	rpc_send_kind(c, LEDGER_KIND_TRANSFER, &body, &c->arg[3], transferred);
	buf_free(&body);
}

const struct rpc_method rpc_methods_wallet[] = {
	{"wallet.list", "the accounts this node can sign for", RPC_SCOPE_READ,
	 false, 0, list, "accounts, height"},
	{"wallet.send", "pay somebody", RPC_SCOPE_SPEND, true, send_params,
	 transfer, "tx, height"},
	{0},
};
