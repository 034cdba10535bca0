/*
 * node/feed - blocks for followers (a request waits until there is one) and
 * events for listeners.
 *
 * Events have ids of the form height.index, so that a listener that lost its
 * connection gets, by Last-Event-ID, what the kept blocks can still tell: it
 * is told to look again at the state when they cannot.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/codec.h"
#include "node/clock.h"
#include "node/http.h"
#include "node/priv/node.h"

#define FEED_BLOCKS_MAX	 1000u
#define FEED_ARENA_BYTES (64u << 20)
#define PING_BYTES_MAX	 (1u << 20)

struct node_wait {
	struct node *node;
	struct node_wait *next;
	struct server_call *call;
	struct event *timer;
	uint64_t from_height;
};

struct node_stream {
	struct node *node;
	struct node_stream *next;
	struct server_call *call;
};

static uint64_t tip(struct node *n)
{
	struct ledger_info info;

	ledger_chain_info(n->chain, &info);
	return info.height;
}

/* [height, [block ...]] from from_height on, as many as fit. */
static enum err encode_blocks(struct node *n, uint64_t from_height,
			      struct buf *out)
{
	struct arena *a = arena_new(FEED_ARENA_BYTES);
	struct buf blocks = buf_make(ENGINE_FEED_BYTES_MAX - 64);
	uint64_t height = tip(n);
	uint32_t count = 0;
	enum err e = a ? ERR_OK : ERR_NO_MEMORY;

	for (uint64_t h = from_height; !e && h <= height; h++) {
		struct ledger_kept kept;
		size_t before = blocks.n;

		if (count == FEED_BLOCKS_MAX)
			break;
		e = ledger_chain_block(n->chain, a, h, &kept);
		if (e)
			break;
		enc_bin(&blocks, kept.block);
		if (blocks.err == ERR_LIMIT && count) {
			blocks.err = ERR_OK;
			blocks.n = before;
			break;
		}
		count++;
		arena_reset(a);
	}
	enc_array(out, 2);
	enc_uint(out, height);
	enc_array(out, count);
	buf_put_bytes(out, buf_bytes(&blocks));
	if (!e)
		e = blocks.err ? blocks.err : out->err;
	buf_free(&blocks);
	arena_free(a);
	return e;
}

static void answer_blocks(struct node *n, struct server_call *c,
			  uint64_t from_height)
{
	struct buf b = buf_make(ENGINE_FEED_BYTES_MAX);
	enum err e = encode_blocks(n, from_height, &b);

	if (e)
		server_answer(c, e == ERR_NOT_FOUND ? 404 : 500, "text/plain",
			      "", bytes_str(err_words(e)));
	else
		server_answer(c, 200, "application/octet-stream", "",
			      buf_bytes(&b));
	buf_free(&b);
}

static void wait_gone(void *kept)
{
	struct node_wait *w = kept;
	struct node_wait **at = &w->node->waits;

	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	if (w->timer)
		event_free(w->timer);
	free(w);
}

static void on_wait_over(evutil_socket_t fd, short what, void *ctx)
{
	struct node_wait *w = ctx;

	(void)fd, (void)what;
	if (w->call) {
		struct server_call *c = w->call;

		w->call = NULL;
		answer_blocks(w->node, c, w->from_height);
	}
}

static void wait_for_block(struct node *n, struct server_call *c,
			   uint64_t from_height, uint64_t wait_ms)
{
	struct node_wait *w = calloc(1, sizeof(*w));
	struct timeval in;

	if (wait_ms > ENGINE_FEED_WAIT_MS)
		wait_ms = ENGINE_FEED_WAIT_MS;
	in.tv_sec = (time_t)(wait_ms / 1000);
	in.tv_usec = (suseconds_t)(wait_ms % 1000) * 1000;
	if (w)
		w->timer = evtimer_new(n->base, on_wait_over, w);
	if (!w || !w->timer || evtimer_add(w->timer, &in)) {
		if (w && w->timer)
			event_free(w->timer);
		free(w);
		answer_blocks(n, c, from_height);
		return;
	}
	w->node = n;
	w->call = c;
	w->from_height = from_height;
	w->next = n->waits;
	n->waits = w;
	server_call_keep(c, w, wait_gone);
}

void node_feed_call(struct node *n, struct server_call *c)
{
	struct bytes query = server_call_head(c)->query;
	struct bytes wait = http_query_find(query, "wait_ms");
	uint64_t from_height;
	uint64_t wait_ms = 0;

	if (http_number(http_query_find(query, "from"), &from_height) ||
	    !from_height || (wait.p && http_number(wait, &wait_ms))) {
		server_answer(c, 400, "text/plain", "",
			      BYTES_LIT("expected from=HEIGHT, wait_ms=MS"));
		return;
	}
	if (from_height <= tip(n) || !wait_ms)
		answer_blocks(n, c, from_height);
	else
		wait_for_block(n, c, from_height, wait_ms);
}

void node_feed_applied(struct node *n)
{
	uint64_t height = tip(n);

	for (struct node_wait *w = n->waits; w; w = w->next)
		if (w->call && w->from_height <= height) {
			struct server_call *c = w->call;

			w->call = NULL;
			answer_blocks(n, c, w->from_height);
		}
}

static void stream_gone(void *kept)
{
	struct node_stream *s = kept;
	struct node_stream **at = &s->node->streams;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	free(s);
}

/* After this height; "" or nonsense: from now on. */
static void missed(struct node *n, struct server_call *c)
{
	struct bytes id =
		http_header_find(server_call_head(c), "last-event-id");
	char text[128];
	uint64_t height = 0;
	size_t digits = 0;

	while (digits < id.n && id.p[digits] != '.')
		digits++;
	if (!id.p || http_number(bytes_slice(id, 0, digits), &height) ||
	    height >= tip(n))
		return;
	(void)snprintf(text, sizeof(text),
		       "event: missed\ndata: {\"from_height\":%llu,"
		       "\"height\":%llu}\n\n",
		       (unsigned long long)height, (unsigned long long)tip(n));
	if (!server_stream_put(c, bytes_str(text)))
		return;
}

void node_stream_call(struct node *n, struct server_call *c)
{
	struct node_stream *s = calloc(1, sizeof(*s));

	if (!s) {
		server_answer(c, 503, "text/plain", "",
			      (struct bytes){NULL, 0});
		return;
	}
	s->node = n;
	s->call = c;
	s->next = n->streams;
	n->streams = s;
	server_stream_begin(c, "text/event-stream");
	server_call_keep(c, s, stream_gone);
	missed(n, c);
}

void node_stream_put(struct node *n, const char *name, struct bytes data)
{
	struct buf b = buf_make(PING_BYTES_MAX);
	struct node_stream *next;

	if (!n->streams)
		return;
	buf_printf(&b, "id: %llu.%llu\nevent: %s\ndata: ",
		   (unsigned long long)tip(n),
		   (unsigned long long)++n->next_event_id, name);
	buf_put_bytes(&b, data);
	buf_put_str(&b, "\n\n");
	for (struct node_stream *s = n->streams; s && !b.err; s = next) {
		next = s->next;
		/* one that is too slow is gone after this */
		if (!server_stream_put(s->call, buf_bytes(&b)))
			continue;
	}
	buf_free(&b);
}

void node_stream_applied(struct node *n, const struct ledger_outcome *outcome)
{
	struct ledger_info info;

	n->next_event_id = 0;
	if (!n->streams || !n->rpc)
		return;
	ledger_chain_info(n->chain, &info);
	for (uint32_t i = 0; i < outcome->event_count; i++) {
		struct buf b = buf_make(PING_BYTES_MAX);

		rpc_event_json(n->rpc, &outcome->events[i], info.height,
			       info.time_ms, &b);
		if (!b.err)
			node_stream_put(n, outcome->events[i].name,
					buf_bytes(&b));
		buf_free(&b);
	}
}
