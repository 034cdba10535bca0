/*
 * node/door - the HTTP routes, and who may use them.
 *
 *   POST /rpc, GET /events, PUT /blob    the cookie's holder
 *   GET /blob, /blocks, /genesis, /health, POST /tx    anybody
 *   GET /lease/ID/openings               a drawn auditor, by signature
 *   GET /lease/ID/receipt                anybody
 *
 * The cookie is new at every start: <data>/cookie holds 64 hex digits, mode
 * 0600, given as "Authorization: Bearer HEX" or by basic authentication as
 * "__cookie__:HEX".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "ledger/tx.h"
#include "node/clock.h"
#include "node/http.h"
#include "node/log.h"
#include "node/priv/node.h"
#include "node/random.h"

#define ASK_SKEW_MS 600000u
#define COOKIE_NAME "__cookie__:"
#define LEASE_PATH  "/lease/"

/* A question to the core, until it is answered. */
struct door_ask {
	struct node *node;
	struct server_call *call;
	uint64_t ticket;
	struct door_ask *next;
};

/* An RPC request, until it is answered. */
struct door_rpc {
	struct server_call *call;
	struct rpc_request *request;
	bool answered;
	bool gone;
};

static struct door_ask *asks;

static void plain(struct server_call *c, unsigned status, const char *words)
{
	server_answer(c, status, "text/plain", "", bytes_str(words));
}

static bool is_method(const struct http_head *h, const char *method)
{
	return bytes_eq(h->method, bytes_str(method));
}

/* Compare without telling by the time taken where they differ. */
static bool same_secret(struct bytes a, struct bytes b)
{
	uint8_t differ = 0;

	if (a.n != b.n)
		return false;
	for (size_t i = 0; i < a.n; i++)
		differ |= (uint8_t)(a.p[i] ^ b.p[i]);
	return differ == 0;
}

static int base64_digit(uint8_t c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *p = c ? strchr(digits, c) : NULL;

	return p ? (int)(p - digits) : -1;
}

/* As many whole bytes as text gives, until '=' or nonsense. */
static size_t base64_decode(struct bytes text, uint8_t *out, size_t max)
{
	uint32_t bits = 0;
	unsigned have = 0;
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++) {
		int d = base64_digit(text.p[i]);

		if (d < 0)
			break;
		bits = (bits << 6 | (uint32_t)d) & 0xffffff;
		have += 6;
		if (have < 8)
			continue;
		have -= 8;
		if (n == max)
			return 0;
		out[n++] = (uint8_t)(bits >> have);
	}
	return n;
}

static bool has_cookie(const struct node *n, const struct http_head *h)
{
	struct bytes given = http_header_find(h, "authorization");
	struct bytes bearer = BYTES_LIT("Bearer ");
	struct bytes basic = BYTES_LIT("Basic ");
	char expected[sizeof(COOKIE_NAME) + NODE_COOKIE_HEX_BYTES];
	uint8_t text[128];

	if (bytes_starts(given, bearer))
		return same_secret(bytes_skip(given, bearer.n),
				   bytes_str(n->cookie));
	if (!bytes_starts(given, basic))
		return false;
	(void)snprintf(expected, sizeof(expected), "%s%s", COOKIE_NAME,
		       n->cookie);
	return same_secret(
		bytes_of(text, base64_decode(bytes_skip(given, basic.n), text,
					     sizeof(text))),
		bytes_str(expected));
}

static void ask_gone(void *kept)
{
	struct door_ask *a = kept;
	struct door_ask **at = &asks;

	while (*at != a)
		at = &(*at)->next;
	*at = a->next;
	free(a);
}

static void ask(struct node *n, struct server_call *c, enum core_ask what,
		const struct hash *lease, const struct pubkey *who)
{
	struct node_event *e =
		node_event_new(n, CORE_EVENT_ASKED, ++n->next_ask);
	struct door_ask *a = calloc(1, sizeof(*a));

	if (!e || !a) {
		free(a);
		plain(c, 503, "busy");
		return;
	}
	a->node = n;
	a->call = c;
	a->ticket = n->next_ask;
	a->next = asks;
	asks = a;
	server_call_keep(c, a, ask_gone);
	e->event.ask = what;
	e->event.id = *lease;
	e->event.who = *who;
	node_post(n, e);
}

void node_door_reply(struct node *n, uint64_t ticket, enum err e,
		     const struct hash *root)
{
	struct door_ask *a = asks;

	while (a && (a->node != n || a->ticket != ticket || !a->call))
		a = a->next;
	if (!a)
		return;
	if (e == ERR_OK)
		node_blob_answer(n, a->call, root);
	else if (e == ERR_BUSY)
		plain(a->call, 503, "not yet");
	else
		plain(a->call, e == ERR_REFUSED ? 403 : 404, err_words(e));
	a->call = NULL;
}

/* Who signed this question about a lease, at a time near ours? */
static bool auditor_of(const struct node *n, const struct http_head *h,
		       const struct hash *lease, struct pubkey *ret_who)
{
	struct hash digest;
	struct sig sig;
	uint64_t time_ms;
	uint64_t now_ms = clock_wall_ms();

	if (hex_decode(http_header_find(h, "x-weft-account"), ret_who->b,
		       sizeof(ret_who->b)) ||
	    hex_decode(http_header_find(h, "x-weft-signature"), sig.b,
		       sizeof(sig.b)) ||
	    http_number(http_header_find(h, "x-weft-time"), &time_ms))
		return false;
	if (time_ms > now_ms + ASK_SKEW_MS || now_ms > time_ms + ASK_SKEW_MS)
		return false;
	digest = node_ask_digest(lease, &n->owner, time_ms);
	return sig_verify(ret_who, hash_bytes(&digest), &sig) == ERR_OK;
}

/* "/lease/<64 hex>/openings" and ".../receipt" */
static void lease_call(struct node *n, struct server_call *c)
{
	const struct http_head *h = server_call_head(c);
	struct bytes rest = bytes_skip(h->path, sizeof(LEASE_PATH) - 1);
	struct bytes what = bytes_skip(rest, 64);
	struct pubkey who = {{0}};
	struct hash lease;

	if (hex_decode(bytes_slice(rest, 0, 64), lease.b, HASH_BYTES)) {
		plain(c, 400, "expected /lease/ID/openings");
	} else if (bytes_eq(what, BYTES_LIT("/receipt"))) {
		ask(n, c, CORE_ASK_RECEIPT, &lease, &who);
	} else if (!bytes_eq(what, BYTES_LIT("/openings"))) {
		plain(c, 404, "no such thing of a lease");
	} else if (!auditor_of(n, h, &lease, &who)) {
		plain(c, 403, "sign the question as the drawn auditor");
	} else {
		ask(n, c, CORE_ASK_OPENINGS, &lease, &who);
	}
}

static void genesis_call(struct node *n, struct server_call *c)
{
	struct arena *a = arena_new(2 * LEDGER_GENESIS_BYTES_MAX);
	struct bytes genesis;

	if (!a || ledger_chain_genesis(n->chain, a, &genesis))
		plain(c, 404, "no genesis kept");
	else
		server_answer(c, 200, "application/octet-stream", "", genesis);
	arena_free(a);
}

static void health_call(struct node *n, struct server_call *c)
{
	const char *trouble = node_trouble(n);

	plain(c, trouble[0] ? 503 : 200, trouble[0] ? trouble : "moving");
}

static void tx_call(struct node *n, struct server_call *c)
{
	enum reason why = REASON_none;
	enum err e = node_submit(n, server_call_body(c), &why);

	if (e == ERR_REFUSED)
		plain(c, 422, reason_word(why) ? reason_word(why) : "refused");
	else if (e)
		plain(c, 503, err_words(e));
	else
		plain(c, 200, "taken");
}

static void rpc_done(void *arg, int http_status, struct bytes answer)
{
	struct door_rpc *r = arg;

	r->answered = true;
	if (r->gone)
		return;
	server_answer(r->call, (unsigned)http_status, "application/json",
		      "Cache-Control: no-store\r\n", answer);
}

/* The connection ended, or the answer is sent. */
static void rpc_gone(void *kept)
{
	struct door_rpc *r = kept;

	r->gone = true;
	if (!r->answered)
		rpc_drop(r->request);
	free(r);
}

static void rpc_call(struct node *n, struct server_call *c)
{
	const struct rpc_caller all = {RPC_SCOPE_READ | RPC_SCOPE_SPEND |
				       RPC_SCOPE_CONTROL};
	struct door_rpc *r = calloc(1, sizeof(*r));

	if (!r || !n->rpc) {
		free(r);
		plain(c, 503, "busy");
		return;
	}
	r->call = c;
	server_call_keep(c, r, rpc_gone);
	r->request = rpc_handle(n->rpc, &all, server_call_body(c),
				clock_now_ms(), rpc_done, r);
	node_rpc_look(n);
}

struct route {
	const char *method;
	const char *path; /* a prefix if it ends in '/' */
	bool with_cookie;
	void (*call)(struct node *n, struct server_call *c);
};

static const struct route routes[] = {
	/* clang-format off */
	{"POST", "/rpc",     true,  rpc_call},
	{"GET",  "/events",  true,  node_stream_call},
	{"PUT",  "/blob",    true,  node_blob_put},
	{"PUT",  "/blob/",   true,  node_blob_put},
	{"GET",  "/blob/",   false, node_blob_get},
	{"GET",  "/blocks",  false, node_feed_call},
	{"GET",  "/genesis", false, genesis_call},
	{"GET",  "/health",  false, health_call},
	{"POST", "/tx",      false, tx_call},
	{"GET",  "/lease/",  false, lease_call},
	/* clang-format on */
};

#define ROUTE_COUNT (sizeof(routes) / sizeof(routes[0]))

static bool is_path(const struct route *r, struct bytes path)
{
	struct bytes own = bytes_str(r->path);

	if (own.p[own.n - 1] == '/')
		return bytes_starts(path, own);
	return bytes_eq(path, own);
}

/* The route of a request, or NULL with the status of the refusal. */
static const struct route *route_of(const struct http_head *h,
				    unsigned *ret_status)
{
	*ret_status = 404;
	for (size_t i = 0; i < ROUTE_COUNT; i++) {
		if (!is_path(&routes[i], h->path))
			continue;
		*ret_status = 405;
		if (is_method(h, routes[i].method))
			return &routes[i];
	}
	return NULL;
}

/* Refuse before a body is read; an upload's goes to the store. */
static void on_head(void *ctx, struct server_call *c)
{
	struct node *n = ctx;
	const struct http_head *h = server_call_head(c);
	unsigned status;
	const struct route *r = route_of(h, &status);

	if (!r)
		plain(c, status, http_status_words(status));
	else if (r->with_cookie && !has_cookie(n, h))
		server_answer(c, 401, "text/plain",
			      "WWW-Authenticate: Bearer\r\n",
			      BYTES_LIT("give the cookie of the data folder"));
	else if (r->call == tx_call && h->length_bytes > TX_EVIDENCE_BYTES_MAX)
		plain(c, 413, "a transaction is smaller");
	else if (r->call == node_blob_put)
		node_blob_put_head(n, c);
}

static void on_call(void *ctx, struct server_call *c)
{
	unsigned status;
	const struct route *r = route_of(server_call_head(c), &status);

	/* on_head let it pass */
	if (r)
		r->call(ctx, c);
}

static enum err make_cookie(struct node *n)
{
	uint8_t secret[NODE_COOKIE_HEX_BYTES / 2];
	enum err e = random_bytes(secret, sizeof(secret));

	if (e)
		return e;
	hex_encode(BYTES_OF(secret), n->cookie);
	return file_put(n->config.node_data, "cookie", bytes_str(n->cookie));
}

/* Where the node is, for programs on this machine. */
static enum err tell_where(struct node *n)
{
	struct ledger_info info;
	struct buf b = buf_make(4096);
	struct network self = {.node_count = 1};
	enum err e;

	ledger_chain_info(n->chain, &info);
	(void)snprintf(self.chain_id, sizeof(self.chain_id), "%.*s",
		       (int)info.chain_id.n, (const char *)info.chain_id.p);
	self.genesis_hash = info.genesis_hash;
	(void)snprintf(self.endpoints[0], NETWORK_ENDPOINT_BYTES, "%s:%u",
		       n->config.node_host, server_port(n->server));
	network_print(&self, &b);
	e = b.err ? b.err
		  : file_put(n->config.node_data, "network.json",
			     buf_bytes(&b));
	buf_reset(&b);
	buf_printf(&b, "%s\n", self.endpoints[0]);
	if (!e)
		e = file_put(n->config.node_data, "endpoint", buf_bytes(&b));
	buf_free(&b);
	return e;
}

enum err node_door_open(struct node *n)
{
	struct server_options options = {
		.host = n->config.node_host,
		.connections_max = HTTP_CONNECTIONS_MAX,
		.body_bytes_max = RPC_REQUEST_BYTES_MAX,
		.handlers = {.ctx = n, .head = on_head, .call = on_call},
	};
	enum err e;

	if (n->config.node_port > UINT16_MAX)
		return ERR_REFUSED;
	options.port = (uint16_t)n->config.node_port;
	e = make_cookie(n);
	if (!e)
		e = server_new(n->base, &options, &n->server);
	if (e == ERR_REFUSED)
		log_line(LOG_ERROR, "door",
			 "%s is not loopback: refused until there is TLS",
			 n->config.node_host);
	else if (e)
		log_line(LOG_ERROR, "door", "cannot listen on %s:%u",
			 n->config.node_host, options.port);
	return e ? e : tell_where(n);
}

void node_door_close(struct node *n)
{
	char path[CONFIG_PATH_BYTES + 16];

	if (!n->server)
		return;
	(void)snprintf(path, sizeof(path), "%s/endpoint", n->config.node_data);
	/* who finds it knows that the node runs */
	if (unlink(path))
		log_line(LOG_WARN, "door", "cannot remove %s", path);
	server_free(n->server);
	n->server = NULL;
}
