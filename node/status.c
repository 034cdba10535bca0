/*
 * node/status - how the node is doing, from what has moved lately.
 *
 * Being alive is no sign of health: a follower is well when a peer answered
 * lately and the height is the peer's; a provider when a task that runs has
 * ended within its limit (M12, M21).
 */
#include <stdio.h>

#include "base/bech32m.h"
#include "node/clock.h"
#include "node/priv/node.h"

#define QUIET_MS_MAX 30000u

const char *node_trouble(struct node *n)
{
	struct engine_status s;
	uint64_t now_ms = clock_now_ms();

	if (n->stopping)
		return "stopping";
	if (n->disk_low)
		return "the disk is nearly full: no transactions are taken";
	if (!n->engine)
		return "starting";
	n->engine_ops->status(n->engine, &s);
	if (s.trouble[0])
		return s.trouble;
	if (now_ms - n->started_ms > QUIET_MS_MAX &&
	    now_ms - s.heard_ms > QUIET_MS_MAX)
		return "no peer has answered for 30 s";
	if (s.height < s.peer_height && now_ms - s.applied_ms > QUIET_MS_MAX)
		return "behind its peers and not moving";
	return "";
}

static json_t *u64_string(uint64_t v)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)v);
	return json_string(text);
}

static uint64_t ago(uint64_t then_ms)
{
	return then_ms ? clock_now_ms() - then_ms : 0;
}

static void put_engine(struct node *n, json_t *j)
{
	struct engine_status s = {.name = "none", .trouble = ""};

	if (n->engine)
		n->engine_ops->status(n->engine, &s);
	json_object_set_new(j, "engine", json_string(s.name));
	json_object_set_new(j, "height", json_integer((json_int_t)s.height));
	json_object_set_new(j, "peer_height",
			    json_integer((json_int_t)s.peer_height));
	json_object_set_new(j, "pending_transactions",
			    json_integer((json_int_t)s.pending_count));
	json_object_set_new(j, "last_block_ago_ms",
			    u64_string(ago(s.applied_ms)));
}

static void put_data(struct node *n, json_t *j)
{
	struct blob_usage u;

	blob_usage(n->blobs, &u);
	json_object_set_new(j, "blobs",
			    json_pack("{s:o, s:o, s:o, s:o}", "count",
				      u64_string(u.count), "bytes",
				      u64_string(u.bytes), "pinned_bytes",
				      u64_string(u.pinned_bytes), "quota_bytes",
				      u64_string(u.quota_bytes)));
}

static void put_roles(struct node *n, json_t *j)
{
	json_t *roles = json_array();

	json_array_append_new(
		roles,
		json_string(n->network.node_count ? "follower" : "validator"));
	if (n->provider)
		json_array_append_new(roles, json_string("provider"));
	if (n->verifier)
		json_array_append_new(roles, json_string("verifier"));
	if (n->buyer)
		json_array_append_new(roles, json_string("buyer"));
	json_object_set_new(j, "roles", roles);
}

json_t *node_status_json(struct node *n)
{
	const char *trouble = node_trouble(n);
	struct ledger_info info;
	char address[ADDRESS_TEXT_BYTES];
	char hash[HASH_TEXT_BYTES];
	json_t *j = json_object();

	ledger_chain_info(n->chain, &info);
	json_object_set_new(j, "version", json_string(NODE_VERSION));
	json_object_set_new(
		j, "chain_id",
		json_stringn((const char *)info.chain_id.p, info.chain_id.n));
	json_object_set_new(j, "genesis_hash",
			    json_string(hash_text(&info.genesis_hash, hash)));
	json_object_set_new(
		j, "account",
		json_string(address_text(genesis_hrp(info.chain_id),
					 &n->keys.account, address)));
	put_engine(n, j);
	put_roles(n, j);
	put_data(n, j);
	json_object_set_new(j, "workers",
			    json_integer((json_int_t)n->job_count));
	json_object_set_new(
		j, "connections",
		json_integer((json_int_t)server_connections(n->server)));
	json_object_set_new(j, "healthy", json_boolean(!trouble[0]));
	json_object_set_new(j, "trouble", json_string(trouble));
	json_object_set_new(j, "uptime_ms",
			    u64_string(clock_now_ms() - n->started_ms));
	return j;
}
