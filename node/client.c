/*
 * node/client - connect, send, read a head, then exactly Content-Length
 * bytes.
 */
#include "node/client.h"

#include <arpa/inet.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/limits.h"
#include "node/http.h"

struct node_request {
	struct node_request_options options;
	struct bufferevent *bev;
	bool has_head;
	unsigned status;
	uint64_t left;
	struct buf body;
};

static bool parse_endpoint(struct bytes text, struct sockaddr_in *ret)
{
	char host[32];
	uint64_t port;
	size_t colon = 0;

	while (colon < text.n && text.p[colon] != ':')
		colon++;
	if (colon >= text.n || colon >= sizeof(host) ||
	    http_number(bytes_skip(text, colon + 1), &port) || !port ||
	    port > UINT16_MAX)
		return false;
	memcpy(host, text.p, colon);
	host[colon] = '\0';
	memset(ret, 0, sizeof(*ret));
	ret->sin_family = AF_INET;
	ret->sin_port = htons((uint16_t)port);
	return inet_pton(AF_INET, host, &ret->sin_addr) == 1 &&
	       (ntohl(ret->sin_addr.s_addr) >> 24) == 127;
}

void node_request_cancel(struct node_request *r)
{
	if (!r)
		return;
	if (r->bev)
		bufferevent_free(r->bev);
	buf_free(&r->body);
	free(r);
}

static void finish(struct node_request *r, enum err e)
{
	r->options.done(r->options.ctx, e, r->status, buf_bytes(&r->body));
	node_request_cancel(r);
}

/* Reads the head; false when the request is over. */
static bool read_head(struct node_request *r, struct evbuffer *in)
{
	size_t n = evbuffer_get_length(in);
	struct http_head head;
	enum err e;

	if (n > HTTP_HEADER_BYTES_MAX)
		n = HTTP_HEADER_BYTES_MAX;
	e = http_response_parse(bytes_of(evbuffer_pullup(in, (ev_ssize_t)n), n),
				&head);
	if (e == ERR_BUSY)
		return false;
	if (e || (!head.has_length && head.status != 204)) {
		finish(r, ERR_MALFORMED);
		return false;
	}
	r->status = head.status;
	r->left = head.length_bytes;
	r->has_head = true;
	evbuffer_drain(in, head.head_bytes);
	if (r->left > r->options.body_bytes_max) {
		finish(r, ERR_LIMIT);
		return false;
	}
	return true;
}

static void on_read(struct bufferevent *bev, void *ctx)
{
	struct node_request *r = ctx;
	struct evbuffer *in = bufferevent_get_input(bev);

	if (!r->has_head && !read_head(r, in))
		return;
	while (r->left && evbuffer_get_length(in)) {
		size_t n = evbuffer_get_contiguous_space(in);
		struct bytes piece;
		enum err e = ERR_OK;

		if (n > r->left)
			n = (size_t)r->left;
		piece = bytes_of(evbuffer_pullup(in, (ev_ssize_t)n), n);
		if (r->options.piece && (r->status == 200 || r->status == 206))
			e = r->options.piece(r->options.ctx, piece);
		else
			buf_put_bytes(&r->body, piece);
		if (!e)
			e = r->body.err;
		if (e) {
			finish(r, e);
			return;
		}
		evbuffer_drain(in, n);
		r->left -= n;
	}
	if (!r->left)
		finish(r, ERR_OK);
}

static void on_event(struct bufferevent *bev, short what, void *ctx)
{
	struct node_request *r = ctx;

	(void)bev;
	if (what & BEV_EVENT_TIMEOUT)
		finish(r, ERR_TIMEOUT);
	else if (what & (BEV_EVENT_EOF | BEV_EVENT_ERROR))
		finish(r, ERR_UNREACHABLE);
}

enum err node_request_start(struct event_base *base,
			    const struct node_request_options *options,
			    struct node_request **ret_request)
{
	struct node_request *r;
	struct sockaddr_in to;
	struct timeval wait = {(time_t)(options->wait_ms / 1000),
			       (suseconds_t)(options->wait_ms % 1000) * 1000};
	struct evbuffer *out;

	if (!parse_endpoint(options->endpoint, &to))
		return ERR_REFUSED;
	r = calloc(1, sizeof(*r));
	if (!r)
		return ERR_NO_MEMORY;
	r->options = *options;
	r->body = buf_make((size_t)options->body_bytes_max);
	r->bev = bufferevent_socket_new(
		base, -1, BEV_OPT_CLOSE_ON_FREE | BEV_OPT_DEFER_CALLBACKS);
	if (!r->bev) {
		node_request_cancel(r);
		return ERR_NO_MEMORY;
	}
	out = bufferevent_get_output(r->bev);
	evbuffer_add_printf(out,
			    "%s %s HTTP/1.1\r\nHost: %.*s\r\n"
			    "Content-Length: %zu\r\nConnection: close\r\n"
			    "%s\r\n",
			    options->method, options->path,
			    (int)options->endpoint.n,
			    (const char *)options->endpoint.p, options->body.n,
			    options->headers);
	evbuffer_add(out, options->body.p, options->body.n);
	bufferevent_setcb(r->bev, on_read, NULL, on_event, r);
	bufferevent_set_timeouts(r->bev, &wait, &wait);
	bufferevent_enable(r->bev, EV_READ | EV_WRITE);
	if (bufferevent_socket_connect(r->bev, (struct sockaddr *)&to,
				       sizeof(to))) {
		node_request_cancel(r);
		return ERR_NO_MEMORY;
	}
	*ret_request = r;
	return ERR_OK;
}
