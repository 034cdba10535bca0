/*
 * account.*: balances, locks and history of any account.
 */
#include <string.h>

#include "ledger/account.h"
#include "ledger/chain.h"
#include "ledger/money.h"
#include "market/record.h"
#include "rpc/priv/call.h"

#define LOCKS_SHOWN_MAX 500u

static const struct rpc_param one_account[] = {
	{"account", RPC_TYPE_ADDRESS, true, "its address"},
	{0},
};

static void put_records(json_t *o, struct ledger *l, const struct pubkey *pk)
{
	struct market_provider p;
	struct market_buyer b;
	json_t *x;

	if (market_provider_get(l, pk, &p) == ERR_OK) {
		x = json_object();
		out_count(x, "settled_leases", p.settled);
		out_count(x, "lapsed_leases", p.lapsed);
		out_count(x, "refuted_leases", p.refuted);
		out_coin(x, "exposure_picks", p.exposure);
		json_object_set_new(o, "provider", x);
	}
	if (market_buyer_get(l, pk, &b) == ERR_OK) {
		x = json_object();
		out_count(x, "jobs", b.jobs);
		out_count(x, "void_programs", b.void_programs);
		out_count(x, "quarantined_tasks", b.quarantined_tasks);
		out_count(x, "unserved_inputs", b.unserved_inputs);
		out_coin(x, "spent_picks", b.spent);
		json_object_set_new(o, "buyer", x);
	}
}

static void get(struct rpc_call *c)
{
	const struct pubkey *pk = &c->arg[0].account;
	struct ledger *l = rpc_view(c);
	struct ledger_account a;
	struct coin bond = COIN_ZERO;
	json_t *o, *keys;
	enum err e;

	if (!l)
		return;
	e = ledger_account_get(l, pk, &a);
	if (e) {
		ledger_chain_view_end(l);
		rpc_fail_err(c, e);
		return;
	}
	o = json_object();
	keys = json_array();
	out_account(o, "account", c->rpc, pk);
	out_coin(o, "balance_picks", a.balance);
	out_coin(o, "owed_picks", a.owed);
	if (market_bond(l, pk, &bond) == ERR_OK)
		out_coin(o, "bond_picks", bond);
	if (a.has_payout)
		out_account(o, "payout", c->rpc, &a.payout);
	for (uint32_t i = 0; i < a.rig_key_count; i++) {
		json_t *k = json_object();

		out_account(k, "k", c->rpc, &a.rig_keys[i]);
		json_array_append(keys, json_object_get(k, "k"));
		json_decref(k);
	}
	json_object_set_new(o, "rig_keys", keys);
	put_records(o, l, pk);
	out_number(o, "height", l->height);
	ledger_chain_view_end(l);
	rpc_answer(c, o);
}

static void locks(struct rpc_call *c)
{
	struct ledger *l = rpc_view(c);
	struct ledger_lock_id id = {.owner = c->arg[0].account};
	struct ledger_lock lock;
	json_t *all, *o;

	if (!l)
		return;
	all = json_array();
	while (json_array_size(all) < LOCKS_SHOWN_MAX &&
	       ledger_account_lock_next(l, &id, &id, &lock) == ERR_OK) {
		json_t *x = json_object();

		out_text(x, "purpose", ledger_purpose_word(id.purpose));
		out_id_or_null(x, "object", &id.object);
		out_coin(x, "amount_picks", lock.amount);
		out_number(x, "end_height", lock.end_height);
		json_array_append_new(all, x);
	}
	o = json_object();
	json_object_set_new(o, "locks", all);
	out_number(o, "height", l->height);
	ledger_chain_view_end(l);
	rpc_answer(c, o);
}

static json_t *line_json(const struct rpc *r, const struct ledger_line *n)
{
	json_t *o = json_object();

	out_number(o, "height", n->height);
	out_number(o, "index", n->index);
	out_text(o, "why", ledger_why_word(n->why));
	out_text(o, "direction", n->is_in ? "in" : "out");
	out_coin(o, "amount_picks", n->amount);
	out_coin(o, "balance_picks", n->balance);
	out_id_or_null(o, "ref", &n->ref);
	if (n->has_other)
		out_account(o, "other", r, &n->other);
	return o;
}

static const struct rpc_param history_params[] = {
	{"account", RPC_TYPE_ADDRESS, true, "its address"},
	{"limit", RPC_TYPE_NUMBER, false, "lines at most (50, 500 at most)"},
	{"before_height", RPC_TYPE_NUMBER, false, "next's height"},
	{"before_index", RPC_TYPE_NUMBER, false, "next's index"},
	{0},
};

static void history(struct rpc_call *c)
{
	struct ledger *l = rpc_view(c);
	uint32_t most = rpc_limit(&c->arg[1]);
	uint64_t height = c->arg[2].present ? c->arg[2].number : UINT64_MAX;
	uint32_t index =
		c->arg[3].present ? (uint32_t)c->arg[3].number : UINT32_MAX;
	struct ledger_line n;
	json_t *all, *o, *next = json_null();
	enum err e = ERR_NOT_FOUND;

	if (!l)
		return;
	all = json_array();
	while (json_array_size(all) < most) {
		e = ledger_account_line_before(l, &c->arg[0].account, height,
					       index, &n);
		if (e)
			break;
		height = n.height;
		index = n.index;
		json_array_append_new(all, line_json(c->rpc, &n));
	}
	if (!e && json_array_size(all)) {
		next = json_object();
		out_number(next, "before_height", height);
		out_number(next, "before_index", index);
	}
	o = json_object();
	json_object_set_new(o, "lines", all);
	json_object_set_new(o, "next", next);
	ledger_chain_view_end(l);
	rpc_answer(c, o);
}

/* Follow the history back and add it up: does it give the balance? */
static void explain(struct rpc_call *c)
{
	struct ledger *l = rpc_view(c);
	struct coin in = COIN_ZERO, out = COIN_ZERO, sum = COIN_ZERO;
	struct coin balance = COIN_ZERO;
	uint64_t height = UINT64_MAX, count = 0;
	uint32_t index = UINT32_MAX;
	struct ledger_line n;
	bool ok = true;
	json_t *o;

	if (!l)
		return;
	while (ok && ledger_account_line_before(l, &c->arg[0].account, height,
						index, &n) == ERR_OK) {
		struct coin *side = n.is_in ? &in : &out;

		ok = coin_add(*side, n.amount, side);
		height = n.height;
		index = n.index;
		count++;
	}
	ok = ok && ledger_balance(l, &c->arg[0].account, &balance) == ERR_OK &&
	     coin_sub(in, out, &sum);
	o = json_object();
	out_count(o, "lines_count", count);
	out_coin(o, "in_picks", in);
	out_coin(o, "out_picks", out);
	out_coin(o, "balance_picks", balance);
	out_bool(o, "adds_up", ok && coin_cmp(sum, balance) == 0);
	ledger_chain_view_end(l);
	rpc_answer(c, o);
}

static const struct rpc_param seq_params[] = {
	{"account", RPC_TYPE_ADDRESS, true, "its address"},
	{"lane", RPC_TYPE_NUMBER, false, "0 to 255 (0)"},
	{0},
};

/* Size of a transfer with every number at its longest, and a rig key. */
#define TRANSFER_BYTES_MAX 400u

static void seq(struct rpc_call *c)
{
	struct ledger *l;
	uint64_t next = 0;
	json_t *o;
	enum err e;

	if (c->arg[1].number > 255) {
		rpc_fail(c, RPC_ERROR_invalid_params,
			 "params.lane: expected 0 to 255");
		return;
	}
	l = rpc_view(c);
	if (!l)
		return;
	e = ledger_account_seq(l, &c->arg[0].account, (uint8_t)c->arg[1].number,
			       &next);
	o = json_object();
	out_count(o, "next_seq", next);
	out_count(o, "transfer_fee_picks",
		  l->params->fee_base_picks +
			  l->params->fee_per_byte_picks * TRANSFER_BYTES_MAX);
	out_number(o, "height", l->height);
	ledger_chain_view_end(l);
	if (!e) {
		rpc_answer(c, o);
		return;
	}
	json_decref(o);
	rpc_fail_err(c, e);
}

const struct rpc_method rpc_methods_account[] = {
	{"account.get", "balance, bond, keys and records of an account",
	 RPC_SCOPE_READ, false, one_account, get,
	 "balance_picks, owed_picks, bond_picks, rig_keys, provider, buyer"},
	{"account.seq", "the next sequence of a lane, and a transfer's fee",
	 RPC_SCOPE_READ, false, seq_params, seq,
	 "next_seq, transfer_fee_picks, height"},
	{"account.locks", "what is locked, for what, until when",
	 RPC_SCOPE_READ, false, one_account, locks, "locks, height"},
	{"account.history", "every movement of money, newest first",
	 RPC_SCOPE_READ, false, history_params, history, "lines, next"},
	{"account.explain", "the balance added up from its history",
	 RPC_SCOPE_READ, false, one_account, explain,
	 "in_picks, out_picks, balance_picks, adds_up"},
	{0},
};
