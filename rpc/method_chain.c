/*
 * chain.*: the ledger as this node has it.
 */
#include <string.h>

#include "base/arena.h"
#include "ledger/chain.h"
#include "ledger/params.h"
#include "rpc/priv/call.h"

#define BLOCK_ARENA_BYTES (64u << 20)

static bool info_of(struct rpc_call *c, struct ledger_info *ret_info)
{
	if (c->rpc->host.chain)
		ledger_chain_info(c->rpc->host.chain, ret_info);
	if (!c->rpc->host.chain || ret_info->is_empty) {
		rpc_fail(c, RPC_ERROR_no_state, 0);
		return false;
	}
	return true;
}

static void status(struct rpc_call *c)
{
	struct ledger_info i;
	json_t *o;

	if (!info_of(c, &i))
		return;
	o = json_object();
	out_bytes_text(o, "chain_id", i.chain_id);
	out_hash(o, "genesis", &i.genesis_hash);
	out_number(o, "height", i.height);
	out_time(o, "time", i.time_ms);
	out_hash(o, "block", &i.block_id);
	out_hash(o, "state_root", &i.state_root);
	out_hash(o, "seed", &i.seed);
	out_bool(o, "clock", i.is_clock_set);
	rpc_answer(c, o);
}

static void params(struct rpc_call *c)
{
	const struct ledger_params *p;
	struct ledger_info i;
	json_t *o;

	if (!info_of(c, &i))
		return;
	p = ledger_chain_params(c->rpc->host.chain);
	o = json_object();
#define X(name, normal, least, most) out_count(o, #name, p->name);
	LEDGER_PARAMS(X)
#undef X
	rpc_answer(c, o);
}

static json_t *result_json(const struct ledger_tx_result *r)
{
	json_t *o = json_object();

	out_hash(o, "tx", &r->id);
	out_number(o, "kind", r->kind);
	out_text(o, "reason", reason_word(r->reason));
	out_coin(o, "fee_picks", r->fee);
	out_number(o, "height", r->height);
	return o;
}

static const struct rpc_param block_params[] = {
	{"height", RPC_TYPE_NUMBER, true, "of the block"},
	{"raw", RPC_TYPE_BOOL, false, "also the signed bytes, in hex"},
	{0},
};

static void block(struct rpc_call *c)
{
	struct arena *a = arena_new(BLOCK_ARENA_BYTES);
	struct ledger_kept k;
	struct ledger_info i;
	json_t *o, *txs;
	enum err e;

	if (!a || !info_of(c, &i)) {
		arena_free(a);
		return;
	}
	e = ledger_chain_block(c->rpc->host.chain, a, c->arg[0].number, &k);
	if (e) {
		arena_free(a);
		rpc_fail_err(c, e);
		return;
	}
	o = json_object();
	txs = json_array();
	out_number(o, "height", c->arg[0].number);
	out_hash(o, "block", &k.block_id);
	out_time(o, "time", k.time_ms);
	out_hash(o, "state_root", &k.state_root);
	for (uint32_t n = 0; n < k.result_count; n++)
		json_array_append_new(txs, result_json(&k.results[n]));
	json_object_set_new(o, "txs", txs);
	if (c->arg[1].number)
		out_hex(o, "raw", k.block);
	arena_free(a);
	rpc_answer(c, o);
}

static void fsck(struct rpc_call *c)
{
	struct ledger_fsck f;
	struct ledger_info i;
	enum err e;
	json_t *o;

	if (!info_of(c, &i))
		return;
	e = ledger_chain_fsck(c->rpc->host.chain, &f);
	if (e) {
		rpc_fail_err(c, e);
		return;
	}
	o = json_object();
	out_number(o, "height", i.height);
	out_count(o, "records_count", f.record_count);
	out_count(o, "accounts_count", f.account_count);
	out_coin(o, "balances_picks", f.balances);
	out_coin(o, "locks_picks", f.locks);
	out_coin(o, "pools_picks", f.pools);
	out_coin(o, "burnt_picks", f.burnt);
	out_coin(o, "issued_picks", f.issued);
	out_bool(o, "conserved", f.is_conserved);
	out_bool(o, "root_right", f.is_root_right);
	out_bool(o, "canonical", f.is_canonical);
	rpc_answer(c, o);
}

const struct rpc_method rpc_methods_chain[] = {
	{"chain.status", "height, roots and clock of the ledger",
	 RPC_SCOPE_READ, false, 0, status,
	 "chain_id, genesis, height, time, block, state_root, seed, clock"},
	{"chain.block", "a block and what became of its transactions",
	 RPC_SCOPE_READ, false, block_params, block,
	 "height, block, time, state_root, txs"},
	{"chain.params", "every parameter of this chain", RPC_SCOPE_READ, false,
	 0, params, "name: value, as decimal strings"},
	{"chain.fsck", "count all money and rebuild the state root: slow",
	 RPC_SCOPE_CONTROL, false, 0, fsck,
	 "balances, locks, pools, burnt, issued; conserved, root_right"},
	{0},
};
