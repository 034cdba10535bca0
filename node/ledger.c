/*
 * node/ledger - the store, the joined rules, the chain, and its engine.
 *
 * A store that has a genesis is simply opened.  An empty one gets its genesis
 * from the network's nodes, from a file, or makes its own.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/must.h"
#include "ledger/apply.h"
#include "market/kinds.h"
#include "node/client.h"
#include "node/clock.h"
#include "node/log.h"
#include "node/priv/node.h"
#include "verify/kinds.h"

#define STORE_ARENA_BYTES_MAX (4u << 20)
#define GENESIS_ARENA_BYTES   (256u << 20)
#define JSON_BYTES_MAX	      (64u << 20)
#define JOIN_WAIT_MS	      5000u
#define JOIN_TRIES_MAX	      60u
#define JOIN_PAUSE_MS	      250u

static void join_rules(struct node *n)
{
	const struct ledger_rows rows[] = {
		{market_kinds, market_kind_count, market_hooks,
		 market_hook_count},
		{verify_kinds, verify_kind_count, verify_hooks,
		 verify_hook_count},
	};

	ledger_rules_join(rows, sizeof(rows) / sizeof(rows[0]),
			  (struct ledger_referee){node_referee, n}, &n->rules);
}

static enum err read_json(const char *path, struct buf *out)
{
	char dir[CONFIG_PATH_BYTES];
	const char *slash = strrchr(path, '/');

	(void)snprintf(dir, sizeof(dir), "%.*s",
		       slash ? (int)(slash - path) : 1, slash ? path : ".");
	return file_get(dir, slash ? slash + 1 : path, out);
}

/* Genesis by the nodes of the network: one answer, waited for. */
struct join {
	struct event_base *base;
	struct buf bytes;
	enum err err;
};

static void on_genesis(void *ctx, enum err e, unsigned status,
		       struct bytes body)
{
	struct join *j = ctx;

	j->err = !e && status != 200 ? ERR_NOT_FOUND : e;
	if (!j->err)
		buf_put_bytes(&j->bytes, body);
	event_base_loopbreak(j->base);
}

static enum err ask_genesis(struct node *n, const char *endpoint,
			    struct join *j)
{
	struct node_request *request;
	struct node_request_options options = {
		.endpoint = bytes_str(endpoint),
		.method = "GET",
		.path = "/genesis",
		.headers = "",
		.body_bytes_max = LEDGER_GENESIS_BYTES_MAX,
		.wait_ms = JOIN_WAIT_MS,
		.done = on_genesis,
		.ctx = j,
	};
	enum err e = node_request_start(n->base, &options, &request);

	if (e)
		return e;
	j->err = ERR_UNREACHABLE;
	event_base_dispatch(n->base);
	return j->err;
}

static void on_pause(evutil_socket_t fd, short what, void *ctx)
{
	(void)fd, (void)what;
	event_base_loopbreak(ctx);
}

static void pause_a_little(struct node *n)
{
	struct timeval in = {0, JOIN_PAUSE_MS * 1000};

	event_base_once(n->base, -1, EV_TIMEOUT, on_pause, n->base, &in);
	event_base_dispatch(n->base);
}

static enum err fetch_genesis(struct node *n, struct arena *a,
			      struct ledger_genesis *ret_genesis)
{
	struct join j = {.base = n->base,
			 .bytes = buf_make(LEDGER_GENESIS_BYTES_MAX)};
	struct bytes own;
	struct hash hash;
	enum err e = ERR_UNREACHABLE;

	for (unsigned try = 0; e && try < JOIN_TRIES_MAX && !n->stopping;
	     try++) {
		e = ask_genesis(
			n, n->network.endpoints[try % n->network.node_count],
			&j);
		if (e)
			pause_a_little(n);
	}
	own = arena_copy(a, buf_bytes(&j.bytes));
	buf_free(&j.bytes);
	if (!e)
		e = ledger_genesis_decode(a, own, ret_genesis);
	if (!e)
		e = ledger_genesis_hash(ret_genesis, &hash);
	if (!e && !hash_eq(&hash, &n->network.genesis_hash))
		e = ERR_PROOF;
	if (e)
		log_line(LOG_ERROR, "genesis", "from the network's nodes: %s",
			 err_words(e));
	return e;
}

static enum err read_genesis(struct node *n, struct arena *a,
			     struct ledger_genesis *ret_genesis)
{
	char words[GENESIS_ERROR_BYTES];
	struct buf json = buf_make(JSON_BYTES_MAX);
	enum err e = read_json(n->config.node_genesis, &json);

	if (e)
		log_line(LOG_ERROR, "genesis", "cannot read %s",
			 n->config.node_genesis);
	else
		e = genesis_parse(a, buf_bytes(&json), &n->keys,
				  clock_wall_ms(), ret_genesis, words);
	if (e == ERR_MALFORMED)
		log_line(LOG_ERROR, "genesis", "%s: %s", n->config.node_genesis,
			 words);
	buf_free(&json);
	return e;
}

static enum err init_chain(struct node *n)
{
	struct arena *a = arena_new(GENESIS_ARENA_BYTES);
	struct ledger_genesis genesis;
	struct hash root;
	enum err e;

	if (!a)
		return ERR_NO_MEMORY;
	if (n->network.node_count)
		e = fetch_genesis(n, a, &genesis);
	else if (n->config.node_genesis[0])
		e = read_genesis(n, a, &genesis);
	else
		e = genesis_own(a, &n->config, &n->keys, clock_wall_ms(),
				&genesis);
	if (!e)
		e = ledger_chain_init(n->chain, &genesis, &root);
	arena_free(a);
	return e;
}

static enum err read_network(struct node *n)
{
	char words[GENESIS_ERROR_BYTES];
	struct buf json = buf_make(JSON_BYTES_MAX);
	enum err e;

	if (!n->config.node_network[0])
		return ERR_OK;
	e = read_json(n->config.node_network, &json);
	if (e)
		log_line(LOG_ERROR, "network", "cannot read %s",
			 n->config.node_network);
	else
		e = network_parse(buf_bytes(&json), &n->network, words);
	if (e == ERR_MALFORMED)
		log_line(LOG_ERROR, "network", "%s: %s", n->config.node_network,
			 words);
	buf_free(&json);
	return e;
}

/* An existing store must be of the network that is to be joined. */
static enum err check_network(const struct node *n,
			      const struct ledger_info *info)
{
	if (!n->network.node_count ||
	    (hash_eq(&info->genesis_hash, &n->network.genesis_hash) &&
	     bytes_eq(info->chain_id, bytes_str(n->network.chain_id))))
		return ERR_OK;
	log_line(LOG_ERROR, "network",
		 "the data folder holds another chain than the network file");
	return ERR_REFUSED;
}

enum err node_ledger_open(struct node *n)
{
	const struct ledger_chain_options options = {
		.history = n->config.node_history,
		.blocks = true,
		.paranoid = n->config.node_paranoid,
	};
	char path[CONFIG_PATH_BYTES + 16];
	struct ledger_info info;
	enum err e;

	(void)snprintf(path, sizeof(path), "%s/ledger", n->config.node_data);
	if (mkdir(path, 0700) && errno != EEXIST)
		return ERR_IO;
	e = read_network(n);
	if (e)
		return e;
	join_rules(n);
	n->store_arena = arena_new(STORE_ARENA_BYTES_MAX);
	if (!n->store_arena)
		return ERR_NO_MEMORY;
	e = ledger_store_lmdb_open(n->store_arena, path, NULL, &n->store);
	if (e)
		return e;
	e = ledger_chain_open(&n->store, &n->rules, &options, &n->chain);
	if (e)
		return e;
	ledger_chain_info(n->chain, &info);
	if (info.is_empty)
		e = init_chain(n);
	ledger_chain_info(n->chain, &info);
	return e ? e : check_network(n, &info);
}

/* The engine's world. */
static uint64_t io_now_ms(void *ctx)
{
	(void)ctx;
	return clock_now_ms();
}

static uint64_t io_wall_ms(void *ctx)
{
	(void)ctx;
	return clock_wall_ms();
}

static void on_engine_timer(evutil_socket_t fd, short what, void *ctx)
{
	struct node *n = ctx;

	(void)fd, (void)what;
	if (n->engine)
		n->engine_ops->tick(n->engine);
}

static void io_wake(void *ctx, uint64_t at_ms)
{
	struct node *n = ctx;
	uint64_t now_ms = clock_now_ms();
	uint64_t in_ms = at_ms > now_ms ? at_ms - now_ms : 0;
	struct timeval in = {(time_t)(in_ms / 1000),
			     (suseconds_t)(in_ms % 1000) * 1000};

	if (event_add(n->engine_timer, &in))
		node_fail(n, ERR_NO_MEMORY, "the engine's timer");
}

/* One request of the engine's, until it is answered. */
struct node_ask {
	struct node *node;
	struct node_ask *next;
	struct node_request *request;
	uint64_t ticket;
};

static void ask_free(struct node_ask *r)
{
	struct node_ask **at = &r->node->asks;

	while (*at != r)
		at = &(*at)->next;
	*at = r->next;
	free(r);
}

static void on_engine_answer(void *ctx, enum err e, unsigned status,
			     struct bytes body)
{
	struct node_ask *r = ctx;
	struct node *n = r->node;
	uint64_t ticket = r->ticket;

	ask_free(r);
	if (e)
		e = ERR_UNREACHABLE;
	else if (status != 200)
		e = ERR_REFUSED;
	if (n->engine && !n->stopping)
		n->engine_ops->answer(n->engine, ticket, e, body);
}

static void io_request(void *ctx, size_t peer, const char *path,
		       struct bytes body, uint64_t ticket)
{
	struct node *n = ctx;
	struct node_ask *r = calloc(1, sizeof(*r));
	struct node_request_options options = {
		.endpoint = bytes_str(n->network.endpoints[peer]),
		.method = body.n ? "POST" : "GET",
		.path = path,
		.headers = "",
		.body = body,
		.body_bytes_max = ENGINE_FEED_BYTES_MAX,
		.wait_ms = ENGINE_FEED_WAIT_MS + JOIN_WAIT_MS,
		.done = on_engine_answer,
		.ctx = r,
	};

	if (!r) {
		node_fail(n, ERR_NO_MEMORY, "a request");
		return;
	}
	r->node = n;
	r->ticket = ticket;
	r->next = n->asks;
	n->asks = r;
	if (node_request_start(n->base, &options, &r->request)) {
		ask_free(r);
		node_fail(n, ERR_REFUSED,
			  "a node of the network file is not on loopback");
	}
}

static void io_applied(void *ctx, const struct ledger_outcome *outcome)
{
	struct node *n = ctx;
	struct node_event *e = node_event_new(n, CORE_EVENT_BLOCK, 0);
	struct ledger_info info;

	if (!e)
		return;
	ledger_chain_info(n->chain, &info);
	e->event.height = info.height;
	e->event.time_ms = info.time_ms;
	/* first what became of transactions, then the state they made */
	node_send_applied(n, outcome);
	node_post(n, e);
	node_stream_applied(n, outcome);
	node_feed_applied(n);
	node_announce(n);
	node_rpc_look(n);
}

static void io_dropped(void *ctx, const struct hash *tx_id, enum reason reason)
{
	node_send_dropped(ctx, tx_id, reason);
}

static void io_failed(void *ctx, enum err e, const char *words)
{
	node_fail(ctx, e, words);
}

enum err node_engine_open(struct node *n)
{
	const struct engine_io io = {
		.ctx = n,
		.now_ms = io_now_ms,
		.wall_ms = io_wall_ms,
		.wake = io_wake,
		.request = io_request,
		.applied = io_applied,
		.dropped = io_dropped,
		.failed = io_failed,
	};
	const struct engine_config config = {
		.operator_key = &n->keys.account_secret,
		.vrf_key = &n->keys.vrf_secret,
		.block_ms = ledger_chain_params(n->chain)->block_ms,
		.peer_count = n->network.node_count,
	};

	n->engine_ops = n->network.node_count ? &engine_follow : &engine_solo;
	n->engine_timer = evtimer_new(n->base, on_engine_timer, n);
	if (!n->engine_timer)
		return ERR_NO_MEMORY;
	return n->engine_ops->start(n->chain, &io, &config, &n->engine);
}

void node_ledger_close(struct node *n)
{
	if (n->engine)
		n->engine_ops->stop(n->engine);
	n->engine = NULL;
	while (n->asks) {
		node_request_cancel(n->asks->request);
		ask_free(n->asks);
	}
	if (n->engine_timer)
		event_free(n->engine_timer);
	ledger_chain_close(n->chain);
	if (n->store.ops)
		ledger_store_close(&n->store);
	arena_free(n->store_arena);
}
