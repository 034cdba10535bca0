/*
 * lease.*, audit.*, receipt.*: what became of a job's ranges.
 */
#include <stdlib.h>
#include <string.h>

#include "ledger/chain.h"
#include "market/lease.h"
#include "market/receipt.h"
#include "rpc/priv/call.h"

static void put_result(json_t *o, const struct market_lease *s)
{
	json_t *x = json_object();

	out_number(x, "done", s->done);
	out_hash(x, "result_root", &s->result_root);
	out_hash(x, "leaves_root", &s->leaves_root);
	out_hash(x, "receipt_hash", &s->receipt_hash);
	if (s->totals.wall_ms != MARKET_ABSENT)
		out_count(x, "wall_ms", s->totals.wall_ms);
	if (s->totals.device_mj != MARKET_ABSENT)
		out_count(x, "device_mj", s->totals.device_mj);
	json_object_set_new(o, "result", x);
}

static json_t *lease_json(const struct rpc *r, const struct market_lease *s)
{
	json_t *o = json_object();

	out_hash(o, "id", &s->id);
	out_hash(o, "job", &s->job);
	out_hash(o, "offer", &s->offer);
	out_account(o, "buyer", r, &s->buyer);
	out_account(o, "provider", r, &s->provider);
	out_number(o, "first", s->first);
	out_number(o, "count", s->count);
	out_text(o, "state", market_lease_state_word(s->state));
	out_text(o, "reason", reason_word(s->reason));
	out_coin(o, "price_picks", s->price);
	out_coin(o, "check_fee_picks", s->check_fee);
	out_coin(o, "paid_picks", s->paid);
	out_coin(o, "withheld_picks", s->withheld);
	out_coin(o, "charged_picks", s->charged);
	out_coin(o, "penalty_picks", s->penalty);
	out_text(o, "class", market_class_word(s->work.class_bit));
	out_number(o, "referee_version", s->referee_version);
	out_number(o, "open_height", s->open_height);
	out_number(o, "accept_height", s->accept_height);
	out_number(o, "commit_height", s->commit_height);
	out_number(o, "sampling_height", s->sampling_height);
	out_number(o, "window_height", s->window_height);
	out_number(o, "end_height", s->end_height);
	out_bool(o, "drawn", s->drawn);
	out_bool(o, "audited", s->audited);
	if (s->commit_height)
		put_result(o, s);
	return o;
}

static const struct rpc_param id_params[] = {
	{"id", RPC_TYPE_ID, true, "of the lease"},
	{0},
};

static void get(struct rpc_call *c)
{
	struct ledger *l = rpc_view(c);
	struct market_lease s;
	enum err e;

	if (!l)
		return;
	e = market_lease_get(l, &c->arg[0].id, &s);
	ledger_chain_view_end(l);
	if (e)
		rpc_fail_err(c, e);
	else
		rpc_answer(c, lease_json(c->rpc, &s));
}

static const struct rpc_param list_params[] = {
	{"job", RPC_TYPE_ID, false, "leases of this job"},
	{"provider", RPC_TYPE_ADDRESS, false, "unsettled ones of a provider"},
	{"limit", RPC_TYPE_NUMBER, false, "at most (50, 500 at most)"},
	{"cursor", RPC_TYPE_ID, false, "next of the list before"},
	{0},
};

static enum err next_lease(struct rpc_call *c, struct ledger *l,
			   const struct hash *after, struct hash *ret_id,
			   json_t **ret_o)
{
	struct market_lease s;
	enum err e =
		c->arg[0].present
			? market_lease_next_of_job(l, &c->arg[0].id, after, &s)
			: market_lease_next_live(l, &c->arg[1].account, after,
						 &s);

	if (e)
		return e;
	*ret_id = s.id;
	*ret_o = lease_json(c->rpc, &s);
	return ERR_OK;
}

static void list(struct rpc_call *c)
{
	if (c->arg[0].present == c->arg[1].present)
		rpc_fail(c, RPC_ERROR_invalid_params,
			 "params: give job or provider");
	else
		rpc_answer_page(c, "leases", 2, next_lease);
}

static void audits(struct rpc_call *c)
{
	rpc_tell(c, RPC_TOPIC_AUDITS);
}

static void receipts(struct rpc_call *c)
{
	rpc_tell(c, RPC_TOPIC_RECEIPTS);
}

static const struct rpc_param optional_params[] = {
	{"lease", RPC_TYPE_ID, false, "only of this lease"},
	{0},
};

static const struct rpc_param lease_params[] = {
	{"lease", RPC_TYPE_ID, true, "of which lease"},
	{0},
};

static const struct rpc_param receipt_params[] = {
	{"receipt", RPC_TYPE_HEX, true, "a signed receipt's bytes"},
	{0},
};

static void verify(struct rpc_call *c)
{
	struct market_receipt_signed *s = calloc(1, sizeof(*s));
	struct bytes hex = c->arg[0].text;
	uint8_t *p = malloc(hex.n / 2 + 1);
	struct hash digest;
	json_t *o;

	if (!s || !p || hex_decode(hex, p, hex.n / 2) ||
	    market_receipt_signed_decode(bytes_of(p, hex.n / 2), s) ||
	    market_receipt_digest(&s->receipt, &digest)) {
		free(s);
		free(p);
		rpc_refuse(c, REASON_bad_encoding, 0);
		return;
	}
	o = json_object();
	out_bool(o, "signature", market_receipt_verify(s) == ERR_OK);
	out_hash(o, "receipt_hash", &digest);
	out_hash(o, "lease", &s->receipt.lease);
	out_account(o, "signer", c->rpc, &s->provider_key);
	free(s);
	free(p);
	rpc_answer(c, o);
}

const struct rpc_method rpc_methods_lease[] = {
	{"lease.get", "one lease", RPC_SCOPE_READ, false, id_params, get,
	 "the lease"},
	{"lease.list", "leases of a job, or running ones of a provider",
	 RPC_SCOPE_READ, false, list_params, list, "leases, next, height"},
	{"audit.get", "the audit of a lease", RPC_SCOPE_READ, false,
	 lease_params, audits, "auditor, samples, verdict, heights"},
	{"audit.list", "audits that this node knows of", RPC_SCOPE_READ, false,
	 optional_params, audits, "audits"},
	{"receipt.get", "the signed receipt of a lease", RPC_SCOPE_READ, false,
	 lease_params, receipts, "the receipt, its bytes and its parts"},
	{"receipt.list", "receipts that this node holds", RPC_SCOPE_READ, false,
	 optional_params, receipts, "receipts"},
	{"receipt.verify", "is it signed by whom it says?", RPC_SCOPE_READ,
	 false, receipt_params, verify,
	 "signature, receipt_hash, lease, signer"},
	{0},
};
