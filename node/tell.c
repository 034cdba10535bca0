/*
 * node/tell - one function for each topic of the RPC.
 */
#include "node/priv/tell.h"

#include <stdio.h>

#include "base/bech32m.h"
#include "ledger/account.h"
#include "market/explain.h"
#include "market/offer.h"
#include "node/clock.h"

#define EXPLAIN_JOBS_MAX 256u
#define PEERS_MAX	 200u

void tell_u64(json_t *j, const char *key, uint64_t v)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)v);
	json_object_set_new(j, key, json_string(text));
}

void tell_number(json_t *j, const char *key, uint64_t v)
{
	json_object_set_new(j, key, json_integer((json_int_t)v));
}

void tell_hash(json_t *j, const char *key, const struct hash *h)
{
	char text[HASH_TEXT_BYTES];

	json_object_set_new(j, key, json_string(hash_text(h, text)));
}

void tell_account(struct node *n, json_t *j, const char *key,
		  const struct pubkey *pk)
{
	struct ledger_info info;
	char text[ADDRESS_TEXT_BYTES];

	ledger_chain_info(n->chain, &info);
	json_object_set_new(j, key,
			    json_string(address_text(genesis_hrp(info.chain_id),
						     pk, text)));
}

void tell_reason(json_t *j, enum reason r)
{
	const char *word = r == REASON_none ? NULL : reason_word(r);

	json_object_set_new(j, "reason",
			    word ? json_string(word) : json_null());
}

static json_t *peers(struct node *n, struct ledger *view)
{
	json_t *follows = json_array();
	json_t *announced = json_array();
	struct pubkey after;
	struct ledger_node node;
	bool first = true;

	for (size_t i = 0; i < n->network.node_count; i++)
		json_array_append_new(follows,
				      json_string(n->network.endpoints[i]));
	while (json_array_size(announced) < PEERS_MAX &&
	       ledger_node_next(view, first ? NULL : &after, &after, &node) ==
		       ERR_OK) {
		json_t *o = json_object();

		first = false;
		tell_account(n, o, "account", &after);
		if (node.endpoint_count)
			json_object_set_new(
				o, "endpoint",
				json_stringn((const char *)node.endpoints[0].p,
					     node.endpoints[0].n));
		tell_number(o, "height", node.height);
		json_array_append_new(announced, o);
	}
	return json_pack("{s:o, s:o}", "follows", follows, "announced",
			 announced);
}

static json_t *clock_json(struct node *n)
{
	struct ledger_info info;
	uint64_t wall_ms = clock_wall_ms();
	char text[CLOCK_TEXT_BYTES];
	json_t *j = json_object();

	ledger_chain_info(n->chain, &info);
	json_object_set_new(j, "time", json_string(clock_text(wall_ms, text)));
	json_object_set_new(j, "block_time",
			    json_string(clock_text(info.time_ms, text)));
	tell_number(j, "height", info.height);
	return j;
}

/* Why no lease came: the jobs there are against our offer, counted. */
static json_t *misfits(struct node *n, struct ledger *view)
{
	uint32_t counts[MARKET_MISFIT_COUNT] = {0};
	struct market_offer offer;
	json_t *j = json_object();

	if (market_offer_next(view, &n->owner, NULL, &offer) ||
	    market_offer_explain(view, &offer.id, EXPLAIN_JOBS_MAX, counts))
		return j;
	for (unsigned i = 0; i < MARKET_MISFIT_COUNT; i++)
		if (counts[i])
			tell_number(j,
				    market_misfit_word((enum market_misfit)i),
				    counts[i]);
	return j;
}

static json_t *provider_json(struct node *n, struct ledger *view)
{
	struct provider_status s;
	json_t *j;

	if (!n->provider)
		return NULL;
	provider_status(n->provider, &s);
	j = json_object();
	json_object_set_new(j, "state",
			    json_string(s.draining	? "draining"
					: s.paused	? "paused"
					: s.lease_count ? "working"
							: "waiting"));
	json_object_set_new(j, "why", json_string(s.waiting));
	json_object_set_new(j, "no_lease_because", misfits(n, view));
	tell_number(j, "leases", s.lease_count);
	tell_number(j, "running_tasks", s.running_count);
	tell_number(j, "serving_leases", s.serving_count);
	tell_u64(j, "done_tasks", s.done_tasks);
	tell_u64(j, "done_leases", s.done_leases);
	if (s.last_task_ms)
		tell_u64(j, "last_task_ago_ms",
			 clock_now_ms() - s.last_task_ms);
	json_object_set_new(j, "last_reason",
			    s.last_reason
				    ? json_string(reason_word(s.last_reason))
				    : json_null());
	return j;
}

static json_t *earnings(struct node *n, struct ledger *view)
{
	struct market_provider p;
	struct coin bond;
	json_t *j;

	if (!n->provider || market_provider_get(view, &n->owner, &p) ||
	    market_bond(view, &n->owner, &bond))
		return NULL;
	j = json_object();
	tell_account(n, j, "account", &n->owner);
	tell_u64(j, "bond_picks", coin_raw(bond));
	tell_u64(j, "settled_leases", p.settled);
	return j;
}

/* What can be seen to be wrong, one line each. */
static json_t *doctor(struct node *n, struct ledger *view)
{
	struct ledger_account account;
	struct ledger_node self;
	struct market_offer offer;
	const char *trouble = node_trouble(n);
	json_t *list = json_array();

	if (trouble[0])
		json_array_append_new(list, json_string(trouble));
	if (ledger_node_get(view, &n->keys.account, &self))
		json_array_append_new(
			list, json_string("this node's address is not on "
					  "the chain: buyers cannot reach it"));
	if (n->provider && market_offer_next(view, &n->owner, NULL, &offer))
		json_array_append_new(list, json_string("no offer stands"));
	if (ledger_account_get(view, &n->keys.account, &account) == ERR_OK &&
	    coin_is_zero(account.balance))
		json_array_append_new(list,
				      json_string("the account has no funds "
						  "for fees"));
	return json_pack("{s:o}", "findings", list);
}

static json_t *program_json(struct node *n, const struct hash *id)
{
	uint64_t bytes;
	json_t *j;

	if (!id)
		return json_pack("{s:[]}", "programs");
	if (!blob_has(n->blobs, id, &bytes))
		return NULL;
	j = json_object();
	tell_hash(j, "id", id);
	tell_u64(j, "bytes", bytes);
	return j;
}

static json_t *blob_json(struct node *n, const struct hash *root)
{
	uint64_t bytes;
	json_t *j;

	if (!root || !blob_has(n->blobs, root, &bytes))
		return NULL;
	j = json_object();
	tell_hash(j, "root", root);
	tell_u64(j, "bytes", bytes);
	return j;
}

static json_t *tell_from(struct node *n, struct ledger *view,
			 enum rpc_topic topic, const struct hash *id)
{
	switch (topic) {
	case RPC_TOPIC_NODE_STATUS:
		return node_status_json(n);
	case RPC_TOPIC_NODE_PEERS:
		return peers(n, view);
	case RPC_TOPIC_NODE_CLOCK:
		return clock_json(n);
	case RPC_TOPIC_PROVIDER_STATUS:
		return provider_json(n, view);
	case RPC_TOPIC_PROVIDER_EARNINGS:
		return earnings(n, view);
	case RPC_TOPIC_PROVIDER_DOCTOR:
		return doctor(n, view);
	case RPC_TOPIC_AUDITS:
		return tell_audits(n, view, id);
	case RPC_TOPIC_JOB_RESULT:
		return id ? tell_job_result(n, view, id) : NULL;
	case RPC_TOPIC_JOB_LOG:
		return id ? tell_job_log(n, view, id) : NULL;
	case RPC_TOPIC_RECEIPTS:
		return tell_receipts(n, view, id);
	case RPC_TOPIC_PROGRAM:
		return program_json(n, id);
	case RPC_TOPIC_BLOB:
		return blob_json(n, id);
	}
	return NULL;
}

json_t *node_tell(struct node *n, enum rpc_topic topic, const struct hash *id)
{
	struct ledger *view;
	json_t *j;

	if (ledger_chain_view(n->chain, &view))
		return NULL;
	j = tell_from(n, view, topic, id);
	ledger_chain_view_end(view);
	return j;
}
