/*
 * node/ops - what the RPC asks of the node: the functions of struct rpc_ops.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bech32m.h"
#include "node/clock.h"
#include "node/log.h"
#include "node/priv/node.h"
#include "node/priv/tell.h"

#define MEMO_PREFIX	   "memo/"
#define MEMO_KEY_BYTES_MAX 256u

static enum err op_tx_submit(void *ctx, struct bytes tx,
			     struct ledger_tx_result *ret)
{
	struct node *n = ctx;
	enum err e =
		ledger_chain_check(n->chain, tx, LEDGER_CHECK_SIMULATE, ret);

	return e ? e : node_submit(n, tx, &ret->reason);
}

static bool op_account(void *ctx, uint32_t index, struct pubkey *ret_account,
		       const char **ret_name)
{
	struct node *n = ctx;

	if (index)
		return false;
	*ret_account = n->keys.account;
	*ret_name = "node";
	return true;
}

static void op_send(void *ctx, const struct rpc_send *s,
		    void (*done)(void *arg, const struct rpc_sent *r),
		    void *arg)
{
	node_send_rpc(ctx, s, done, arg);
}

static void op_build(void *ctx, struct bytes manifest,
		     void (*done)(void *arg, const struct rpc_built *b),
		     void *arg)
{
	node_build(ctx, manifest, done, arg);
}

static json_t *op_tell(void *ctx, enum rpc_topic topic, const struct hash *id)
{
	return node_tell(ctx, topic, id);
}

static enum err op_control(void *ctx, enum rpc_verb verb)
{
	struct node *n = ctx;
	struct node_event *e;

	if (!n->provider)
		return ERR_UNSUPPORTED;
	if (verb == RPC_VERB_DRAIN) {
		provider_drain(n->provider);
		return ERR_OK;
	}
	e = node_event_new(n, CORE_EVENT_PAUSE, 0);
	if (!e)
		return ERR_NO_MEMORY;
	e->event.flag = verb == RPC_VERB_PAUSE;
	node_post(n, e);
	return ERR_OK;
}

static struct bytes memo_key(struct bytes key, uint8_t out[MEMO_KEY_BYTES_MAX])
{
	size_t n = sizeof(MEMO_PREFIX) - 1;

	if (key.n > MEMO_KEY_BYTES_MAX - n)
		key.n = MEMO_KEY_BYTES_MAX - n;
	memcpy(out, MEMO_PREFIX, n);
	memcpy(out + n, key.p, key.n);
	return bytes_of(out, n + key.n);
}

static enum err op_memo_get(void *ctx, struct bytes key, struct buf *out)
{
	struct node *n = ctx;
	uint8_t full[MEMO_KEY_BYTES_MAX];

	return journal_get(n->env, memo_key(key, full), out);
}

static enum err op_memo_put(void *ctx, struct bytes key, struct bytes value)
{
	struct node *n = ctx;
	uint8_t full[MEMO_KEY_BYTES_MAX];
	enum err e = journal_begin(n->env);

	if (!e)
		e = journal_put(n->env, memo_key(key, full), value);
	return e ? e : journal_commit(n->env);
}

static void on_rpc_timer(evutil_socket_t fd, short what, void *ctx)
{
	(void)fd, (void)what;
	node_rpc_look(ctx);
}

void node_rpc_look(struct node *n)
{
	uint64_t now_ms = clock_now_ms();
	uint64_t at_ms;
	struct timeval in;

	if (!n->rpc)
		return;
	rpc_look(n->rpc, now_ms);
	at_ms = rpc_wake_ms(n->rpc);
	if (at_ms == UINT64_MAX)
		return;
	at_ms = at_ms > now_ms ? at_ms - now_ms : 0;
	in.tv_sec = (time_t)(at_ms / 1000);
	in.tv_usec = (suseconds_t)(at_ms % 1000) * 1000;
	if (event_add(n->rpc_timer, &in))
		node_fail(n, ERR_NO_MEMORY, "the RPC's timer");
}

enum err node_rpc_open(struct node *n)
{
	struct ledger_info info;
	struct rpc_host host = {
		.chain = n->chain,
		.version = NODE_VERSION,
		.ops =
			{
				.ctx = n,
				.tx_submit = op_tx_submit,
				.account = op_account,
				.send = op_send,
				.build = op_build,
				.tell = op_tell,
				.control = op_control,
				.memo_get = op_memo_get,
				.memo_put = op_memo_put,
			},
	};

	ledger_chain_info(n->chain, &info);
	host.hrp = genesis_hrp(info.chain_id);
	n->rpc_timer = evtimer_new(n->base, on_rpc_timer, n);
	n->rpc = rpc_new(&host);
	return n->rpc && n->rpc_timer ? ERR_OK : ERR_NO_MEMORY;
}

void node_rpc_close(struct node *n)
{
	rpc_free(n->rpc);
	n->rpc = NULL;
	if (n->rpc_timer)
		event_free(n->rpc_timer);
	n->rpc_timer = NULL;
}
