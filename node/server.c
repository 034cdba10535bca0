/*
 * node/server - a connection is a small machine: HEAD, BODY, CALL (a handler
 * owes the answer), SENDING, STREAM, LINGER.  It leaves SENDING in the write
 * callback only, so handlers never run inside an answer.  Who is answered
 * before its body was read is read on for a while: closing at once would take
 * the answer away from it.
 */
#include "node/server.h"

#include <arpa/inet.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/must.h"

#define READ_TIMEOUT_S	30
#define WRITE_TIMEOUT_S 60
#define LINGER_S	2
#define INPUT_BYTES_MAX (256u << 10)

enum phase {
	PHASE_HEAD,
	PHASE_BODY,
	PHASE_CALL,
	PHASE_SENDING,
	PHASE_STREAM,
	PHASE_LINGER,
};

struct server_call {
	struct server *server;
	struct server_call *next;
	struct server_call *prev;
	struct bufferevent *bev;
	enum phase phase;
	bool close_after;
	struct buf head_bytes;
	struct http_head head;
	struct buf body;
	uint64_t body_left;
	server_sink *sink;
	void *sink_ctx;
	void *kept;
	void (*gone)(void *kept);
};

struct server {
	struct event_base *base;
	struct evconnlistener *listener;
	struct server_options options;
	uint16_t port;
	struct server_call *first;
	size_t count;
};

static void call_drop_kept(struct server_call *c)
{
	void (*gone)(void *) = c->gone;

	c->gone = NULL;
	if (gone)
		gone(c->kept);
	c->kept = NULL;
}

static void call_free(struct server_call *c)
{
	struct server *s = c->server;

	call_drop_kept(c);
	if (c->prev)
		c->prev->next = c->next;
	else
		s->first = c->next;
	if (c->next)
		c->next->prev = c->prev;
	s->count--;
	if (s->count + 1 == s->options.connections_max)
		evconnlistener_enable(s->listener);
	bufferevent_free(c->bev);
	buf_free(&c->head_bytes);
	buf_free(&c->body);
	free(c);
}

static void call_reset(struct server_call *c)
{
	call_drop_kept(c);
	c->phase = PHASE_HEAD;
	c->sink = NULL;
	buf_reset(&c->head_bytes);
	buf_reset(&c->body);
}

/* "127.0.0.1:9420", "localhost:9420", "[::1]:9420", with or without port. */
static bool host_is_own(struct bytes host)
{
	static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct bytes name = bytes_str(names[i]);
		uint64_t port;

		if (!bytes_starts(host, name))
			continue;
		host = bytes_skip(host, name.n);
		if (!host.n)
			return true;
		return host.p[0] == ':' &&
		       http_number(bytes_skip(host, 1), &port) == ERR_OK;
	}
	return false;
}

static bool origin_is_own(struct bytes origin)
{
	struct bytes scheme = BYTES_LIT("http://");

	return bytes_starts(origin, scheme) &&
	       host_is_own(bytes_skip(origin, scheme.n));
}

static bool caller_is_own(const struct http_head *h)
{
	struct bytes origin = http_header_find(h, "origin");

	return host_is_own(http_header_find(h, "host")) &&
	       (!origin.p || origin_is_own(origin));
}

static void refuse(struct server_call *c, unsigned status)
{
	c->close_after = true;
	server_answer(c, status, "text/plain", "",
		      bytes_str(http_status_words(status)));
}

static unsigned parse_status(enum err e)
{
	if (e == ERR_LIMIT)
		return 431;
	return e == ERR_UNSUPPORTED ? 501 : 400;
}

static bool wants_body(const struct http_head *h)
{
	return bytes_eq(h->method, BYTES_LIT("POST")) ||
	       bytes_eq(h->method, BYTES_LIT("PUT"));
}

/* The head is whole: look at it and go to BODY, or answer. */
static void begin_call(struct server_call *c)
{
	struct server *s = c->server;

	c->body_left = c->head.length_bytes;
	c->phase = PHASE_BODY;
	c->close_after = !c->head.keep_alive;
	if (!caller_is_own(&c->head)) {
		refuse(c, 403);
		return;
	}
	if (wants_body(&c->head) && !c->head.has_length) {
		refuse(c, 411);
		return;
	}
	if (s->options.handlers.head)
		s->options.handlers.head(s->options.handlers.ctx, c);
	if (c->phase != PHASE_BODY || c->sink)
		return;
	if (c->body_left > s->options.body_bytes_max)
		refuse(c, 413);
}

static void read_head(struct server_call *c, struct evbuffer *in)
{
	size_t n = evbuffer_get_length(in);
	struct http_head head;
	const uint8_t *p;
	enum err e;

	if (n > HTTP_HEADER_BYTES_MAX)
		n = HTTP_HEADER_BYTES_MAX;
	p = evbuffer_pullup(in, (ev_ssize_t)n);
	if (!p)
		return;
	e = http_request_parse(bytes_of(p, n), &head);
	if (e == ERR_BUSY)
		return;
	if (e) {
		refuse(c, parse_status(e));
		return;
	}
	/* the head must outlive the input: read it again from a copy */
	buf_put(&c->head_bytes, p, head.head_bytes);
	evbuffer_drain(in, head.head_bytes);
	if (c->head_bytes.err ||
	    http_request_parse(buf_bytes(&c->head_bytes), &c->head)) {
		refuse(c, 500);
		return;
	}
	begin_call(c);
}

static void read_body(struct server_call *c, struct evbuffer *in)
{
	while (c->body_left && evbuffer_get_length(in)) {
		size_t n = evbuffer_get_contiguous_space(in);
		struct bytes piece;

		if (n > c->body_left)
			n = (size_t)c->body_left;
		piece = bytes_of(evbuffer_pullup(in, (ev_ssize_t)n), n);
		if (c->sink && !c->sink(c->sink_ctx, piece)) {
			if (c->phase == PHASE_BODY)
				refuse(c, 413);
			return;
		}
		if (!c->sink)
			buf_put_bytes(&c->body, piece);
		evbuffer_drain(in, n);
		c->body_left -= n;
	}
	if (c->body.err) {
		refuse(c, 500);
		return;
	}
	if (c->body_left)
		return;
	c->phase = PHASE_CALL;
	bufferevent_set_timeouts(c->bev, NULL, NULL);
	c->server->options.handlers.call(c->server->options.handlers.ctx, c);
}

/* The rest of a body that nobody wants. */
static void discard(struct server_call *c, struct evbuffer *in)
{
	size_t n = evbuffer_get_length(in);

	if (n > c->body_left)
		n = (size_t)c->body_left;
	evbuffer_drain(in, n);
	c->body_left -= n;
	if (!c->body_left && c->phase == PHASE_LINGER)
		call_free(c);
}

static void on_read(struct bufferevent *bev, void *ctx)
{
	struct server_call *c = ctx;
	struct evbuffer *in = bufferevent_get_input(bev);

	if (c->phase == PHASE_HEAD)
		read_head(c, in);
	if (c->phase == PHASE_BODY)
		read_body(c, in);
	if (c->phase == PHASE_LINGER ||
	    (c->phase == PHASE_SENDING && c->close_after))
		discard(c, in);
}

static void set_timeouts(struct server_call *c)
{
	struct timeval r = {READ_TIMEOUT_S, 0};
	struct timeval w = {WRITE_TIMEOUT_S, 0};

	bufferevent_set_timeouts(c->bev, &r, &w);
}

/* All that was to be sent is sent. */
static void on_write(struct bufferevent *bev, void *ctx)
{
	struct server_call *c = ctx;

	if (c->phase != PHASE_SENDING)
		return;
	if (c->close_after && c->body_left) {
		struct timeval r = {LINGER_S, 0};

		c->phase = PHASE_LINGER;
		bufferevent_set_timeouts(bev, &r, NULL);
		return;
	}
	if (c->close_after) {
		call_free(c);
		return;
	}
	call_reset(c);
	set_timeouts(c);
	if (evbuffer_get_length(bufferevent_get_input(bev)))
		on_read(bev, c);
}

static void on_event(struct bufferevent *bev, short what, void *ctx)
{
	(void)bev;
	if (what & (BEV_EVENT_EOF | BEV_EVENT_ERROR | BEV_EVENT_TIMEOUT))
		call_free(ctx);
}

static void on_accept(struct evconnlistener *listener, evutil_socket_t fd,
		      struct sockaddr *from, int from_bytes, void *ctx)
{
	struct server *s = ctx;
	struct server_call *c = calloc(1, sizeof(*c));
	int one = 1;

	(void)from, (void)from_bytes;
	if (c)
		c->bev = bufferevent_socket_new(s->base, fd,
						BEV_OPT_CLOSE_ON_FREE);
	if (!c || !c->bev) {
		free(c);
		close(fd);
		return;
	}
	/* answers are written whole: waiting for more only delays them */
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	c->server = s;
	c->head_bytes = buf_make(HTTP_HEADER_BYTES_MAX);
	c->body = buf_make(s->options.body_bytes_max);
	c->next = s->first;
	if (s->first)
		s->first->prev = c;
	s->first = c;
	s->count++;
	if (s->count == s->options.connections_max)
		evconnlistener_disable(listener);
	bufferevent_setcb(c->bev, on_read, on_write, on_event, c);
	bufferevent_setwatermark(c->bev, EV_READ, 0, INPUT_BYTES_MAX);
	set_timeouts(c);
	bufferevent_enable(c->bev, EV_READ | EV_WRITE);
}

enum err server_new(struct event_base *base,
		    const struct server_options *options,
		    struct server **ret_server)
{
	struct server *s;
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons(options->port)};
	socklen_t at_bytes = sizeof(at);

	/* TLS is not there yet: nothing but loopback */
	if (inet_pton(AF_INET, options->host, &at.sin_addr) != 1 ||
	    (ntohl(at.sin_addr.s_addr) >> 24) != 127)
		return ERR_REFUSED;
	s = calloc(1, sizeof(*s));
	if (!s)
		return ERR_NO_MEMORY;
	s->base = base;
	s->options = *options;
	s->listener = evconnlistener_new_bind(
		base, on_accept, s,
		LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC |
			LEV_OPT_REUSEABLE,
		128, (struct sockaddr *)&at, sizeof(at));
	if (!s->listener || getsockname(evconnlistener_get_fd(s->listener),
					(struct sockaddr *)&at, &at_bytes)) {
		server_free(s);
		return ERR_IO;
	}
	s->port = ntohs(at.sin_port);
	*ret_server = s;
	return ERR_OK;
}

uint16_t server_port(const struct server *s)
{
	return s->port;
}

size_t server_connections(const struct server *s)
{
	return s->count;
}

void server_free(struct server *s)
{
	if (!s)
		return;
	while (s->first)
		call_free(s->first);
	if (s->listener)
		evconnlistener_free(s->listener);
	free(s);
}

const struct http_head *server_call_head(const struct server_call *c)
{
	return &c->head;
}

struct bytes server_call_body(const struct server_call *c)
{
	return buf_bytes(&c->body);
}

void server_call_sink(struct server_call *c, server_sink *sink, void *ctx)
{
	c->sink = sink;
	c->sink_ctx = ctx;
}

void server_call_keep(struct server_call *c, void *kept,
		      void (*gone)(void *kept))
{
	must(!c->gone);
	c->kept = kept;
	c->gone = gone;
}

void *server_call_kept(const struct server_call *c)
{
	return c->kept;
}

void server_call_unkeep(struct server_call *c)
{
	c->kept = NULL;
	c->gone = NULL;
}

static void put_head(struct server_call *c, unsigned status, const char *type,
		     const char *headers, uint64_t length)
{
	struct evbuffer *out = bufferevent_get_output(c->bev);

	/* an answer before the body was read ends the connection */
	if (c->body_left)
		c->close_after = true;
	evbuffer_add_printf(out,
			    "HTTP/1.1 %u %s\r\nContent-Type: %s\r\n"
			    "Content-Length: %llu\r\n"
			    "X-Content-Type-Options: nosniff\r\n%s%s\r\n",
			    status, http_status_words(status), type,
			    (unsigned long long)length, headers,
			    c->close_after ? "Connection: close\r\n" : "");
	c->phase = PHASE_SENDING;
	set_timeouts(c);
}

void server_answer(struct server_call *c, unsigned status, const char *type,
		   const char *headers, struct bytes body)
{
	put_head(c, status, type, headers, body.n);
	evbuffer_add(bufferevent_get_output(c->bev), body.p, body.n);
}

void server_answer_file(struct server_call *c, unsigned status,
			const char *headers, int fd, uint64_t first,
			uint64_t count)
{
	put_head(c, status, "application/octet-stream", headers, count);
	if (!count || evbuffer_add_file(bufferevent_get_output(c->bev), fd,
					(ev_off_t)first, (ev_off_t)count))
		close(fd);
}

void server_stream_begin(struct server_call *c, const char *type)
{
	struct timeval w = {WRITE_TIMEOUT_S, 0};

	evbuffer_add_printf(bufferevent_get_output(c->bev),
			    "HTTP/1.1 200 OK\r\nContent-Type: %s\r\n"
			    "Cache-Control: no-store\r\n"
			    "Connection: close\r\n\r\n",
			    type);
	c->phase = PHASE_STREAM;
	bufferevent_set_timeouts(c->bev, NULL, &w);
}

bool server_stream_put(struct server_call *c, struct bytes bytes)
{
	struct evbuffer *out = bufferevent_get_output(c->bev);

	if (evbuffer_get_length(out) + bytes.n > SERVER_STREAM_BYTES_MAX) {
		call_free(c);
		return false;
	}
	evbuffer_add(out, bytes.p, bytes.n);
	return true;
}
