/*
 * node.*, provider.*, blob.*: what the node tells about itself.
 */
#include "rpc/priv/call.h"

#define TELL(name, topic)                    \
	static void name(struct rpc_call *c) \
	{                                    \
		rpc_tell(c, topic);          \
	}
TELL(status, RPC_TOPIC_NODE_STATUS)
TELL(peers, RPC_TOPIC_NODE_PEERS)
TELL(clock_of, RPC_TOPIC_NODE_CLOCK)
TELL(provider_status, RPC_TOPIC_PROVIDER_STATUS)
TELL(earnings, RPC_TOPIC_PROVIDER_EARNINGS)
TELL(doctor, RPC_TOPIC_PROVIDER_DOCTOR)
TELL(blob_stat, RPC_TOPIC_BLOB)
#undef TELL

static void control(struct rpc_call *c, enum rpc_verb verb)
{
	const struct rpc_ops *ops = &c->rpc->host.ops;
	enum err e = ERR_UNSUPPORTED;

	if (ops->control)
		e = ops->control(ops->ctx, verb);
	if (e)
		rpc_fail_err(c, e);
	else
		rpc_tell(c, RPC_TOPIC_PROVIDER_STATUS);
}

static void pause(struct rpc_call *c)
{
	control(c, RPC_VERB_PAUSE);
}

static void resume(struct rpc_call *c)
{
	control(c, RPC_VERB_RESUME);
}

static void drain(struct rpc_call *c)
{
	control(c, RPC_VERB_DRAIN);
}

static const struct rpc_param root_params[] = {
	{"root", RPC_TYPE_ID, true, "the blob's name"},
	{0},
};

const struct rpc_method rpc_methods_node[] = {
	{"node.status", "roles, height, health from progress", RPC_SCOPE_READ,
	 false, 0, status, "an object"},
	{"node.peers", "nodes it follows or knows", RPC_SCOPE_READ, false, 0,
	 peers, "peers"},
	{"node.clock", "its clock against its peers'", RPC_SCOPE_READ, false, 0,
	 clock_of, "an object"},
	{"provider.status", "earning, paused or waiting, and why",
	 RPC_SCOPE_READ, false, 0, provider_status, "an object"},
	{"provider.earnings", "what this rig earned", RPC_SCOPE_READ, false, 0,
	 earnings, "an object"},
	{"provider.doctor", "what keeps this rig from earning", RPC_SCOPE_READ,
	 false, 0, doctor, "an object"},
	{"provider.pause", "take no work; openings are still served",
	 RPC_SCOPE_CONTROL, false, 0, pause, "provider.status"},
	{"provider.resume", "take work again", RPC_SCOPE_CONTROL, false, 0,
	 resume, "provider.status"},
	{"provider.drain", "finish what runs, then take no more",
	 RPC_SCOPE_CONTROL, false, 0, drain, "provider.status"},
	{"blob.stat", "is it here, how long, who pins it", RPC_SCOPE_READ,
	 false, root_params, blob_stat, "root, bytes, pinned"},
	{0},
};
