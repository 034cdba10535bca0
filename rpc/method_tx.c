/*
 * tx.*: transactions that were signed elsewhere.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/limits.h"
#include "ledger/chain.h"
#include "rpc/priv/call.h"

#define BLOCK_ARENA_BYTES (64u << 20)

static const struct rpc_param raw_params[] = {
	{"tx", RPC_TYPE_HEX, true, "the signed transaction's bytes"},
	{0},
};

/* ret_bytes is the caller's to free. */
static bool decode_hex(struct rpc_call *c, uint8_t **ret_p, struct bytes *ret_b)
{
	struct bytes hex = c->arg[0].text;
	uint8_t *p;

	if (hex.n / 2 > TX_EVIDENCE_BYTES_MAX) {
		rpc_refuse(c, REASON_too_large, 0);
		return false;
	}
	p = malloc(hex.n / 2 + 1);
	if (!p || hex_decode(hex, p, hex.n / 2)) {
		free(p);
		rpc_fail(c, RPC_ERROR_internal, 0);
		return false;
	}
	*ret_p = p;
	*ret_b = bytes_of(p, hex.n / 2);
	return true;
}

static json_t *result_json(const struct ledger_tx_result *r)
{
	json_t *o = json_object();

	out_hash(o, "tx", &r->id);
	out_coin(o, "fee_picks", r->fee);
	out_number(o, "height", r->height);
	return o;
}

static void answer(struct rpc_call *c, enum err e,
		   const struct ledger_tx_result *r)
{
	if (e == ERR_REFUSED)
		rpc_refuse(c, r->reason, 0);
	else if (e)
		rpc_fail_err(c, e);
	else
		rpc_answer(c, result_json(r));
}

static void submit(struct rpc_call *c)
{
	const struct rpc_ops *ops = &c->rpc->host.ops;
	struct ledger_tx_result r = {0};
	struct bytes tx;
	uint8_t *p;
	enum err e;

	if (!ops->tx_submit) {
		rpc_fail(c, RPC_ERROR_not_here, 0);
		return;
	}
	if (!decode_hex(c, &p, &tx))
		return;
	e = ops->tx_submit(ops->ctx, tx, &r);
	free(p);
	answer(c, e, &r);
}

static void simulate(struct rpc_call *c)
{
	struct ledger_tx_result r = {0};
	struct bytes tx;
	uint8_t *p;
	enum err e;

	if (!c->rpc->host.chain) {
		rpc_fail(c, RPC_ERROR_no_state, 0);
		return;
	}
	if (!decode_hex(c, &p, &tx))
		return;
	e = ledger_chain_check(c->rpc->host.chain, tx, LEDGER_CHECK_SIMULATE,
			       &r);
	free(p);
	answer(c, e, &r);
}

static const struct rpc_param id_params[] = {
	{"id", RPC_TYPE_ID, true, "of the transaction"},
	{0},
};

static void get(struct rpc_call *c)
{
	struct ledger_chain *chain = c->rpc->host.chain;
	struct arena *a = arena_new(BLOCK_ARENA_BYTES);
	struct ledger_kept k;
	uint64_t height = 0;
	uint32_t index = 0;
	enum err e = chain && a ? ledger_chain_tx_find(chain, &c->arg[0].id,
						       &height, &index)
				: ERR_NO_MEMORY;
	json_t *o;

	if (!e)
		e = ledger_chain_block(chain, a, height, &k);
	if (!e && index >= k.result_count)
		e = ERR_NOT_FOUND;
	if (e) {
		arena_free(a);
		rpc_fail_err(c, e);
		return;
	}
	o = result_json(&k.results[index]);
	out_number(o, "index", index);
	out_number(o, "kind", k.results[index].kind);
	out_text(o, "reason", reason_word(k.results[index].reason));
	arena_free(a);
	rpc_answer(c, o);
}

const struct rpc_method rpc_methods_tx[] = {
	{"tx.submit", "hand over a signed transaction", RPC_SCOPE_READ, false,
	 raw_params, submit, "tx, fee_picks, height it is expected at"},
	{"tx.simulate", "would it be taken? signature not needed",
	 RPC_SCOPE_READ, false, raw_params, simulate, "tx, fee_picks, height"},
	{"tx.get", "what became of a transaction", RPC_SCOPE_READ, false,
	 id_params, get, "tx, height, index, kind, reason, fee_picks"},
	{0},
};
