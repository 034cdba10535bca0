/*
 * node/server - an HTTP/1.1 server on loopback, one connection at a time
 * served in order, never blocking.
 *
 * Bounded everywhere: connections, head, body, what waits to be sent.  When
 * all connections are taken the listener rests until one ends.  A Host that
 * is not this machine's, or a foreign Origin, is refused before the handler
 * hears of it (a web page in a browser here must not reach the node).
 */
#ifndef WEFT_NODE_SERVER_H
#define WEFT_NODE_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "node/http.h"

struct event_base;
struct server;
struct server_call; /* one request until it is answered */

/* A request's body arrives: false refuses the rest (413). */
typedef bool server_sink(void *ctx, struct bytes piece);

struct server_handlers {
	void *ctx;
	/*
	 * The head is there, the body is not: answer now (refusal), or call
	 * server_call_sink, or return: then the body is collected, up to
	 * body_bytes_max.
	 */
	void (*head)(void *ctx, struct server_call *call);
	/* All is there: answer now or later, exactly once. */
	void (*call)(void *ctx, struct server_call *call);
};

struct server_options {
	const char *host; /* a loopback address; others are ERR_REFUSED */
	uint16_t port;	  /* 0: any free one */
	size_t connections_max;
	size_t body_bytes_max;
	struct server_handlers handlers;
};

/*
 * Listen.  base is borrowed until server_free.
 * Returns ERR_OK, ERR_REFUSED (not loopback), ERR_IO (address in use ...),
 * ERR_NO_MEMORY.
 */
MUST_USE enum err server_new(struct event_base *base,
			     const struct server_options *options,
			     struct server **ret_server);
uint16_t server_port(const struct server *s);
size_t server_connections(const struct server *s);

/* Ends all connections without answers.  NULL is fine. */
void server_free(struct server *s);

/* The request; the body is complete in the call handler only. */
const struct http_head *server_call_head(const struct server_call *c);
struct bytes server_call_body(const struct server_call *c);

/* Give the body's pieces to sink instead of collecting them. */
void server_call_sink(struct server_call *c, server_sink *sink, void *ctx);

/*
 * Anything a handler keeps for a call.  gone is called when the connection
 * ends before the answer, or after the answer was sent; the call is not
 * valid after it.
 */
void server_call_keep(struct server_call *c, void *kept,
		      void (*gone)(void *kept));
void *server_call_kept(const struct server_call *c);

/* Take back what was kept: gone is not called. */
void server_call_unkeep(struct server_call *c);

/*
 * Answer.  headers: more header lines, each with its CRLF, or "".  body is
 * copied.  The call is over and not valid afterwards.
 */
void server_answer(struct server_call *c, unsigned status, const char *type,
		   const char *headers, struct bytes body);

/* Answer with bytes [first, first + count) of fd, which is taken over. */
void server_answer_file(struct server_call *c, unsigned status,
			const char *headers, int fd, uint64_t first,
			uint64_t count);

/*
 * Begin an answer of events without an end; server_stream_put adds to it.
 * A listener too slow for SERVER_STREAM_BYTES_MAX is disconnected: put
 * returns false and the call is not valid.
 */
#define SERVER_STREAM_BYTES_MAX (4u << 20)
void server_stream_begin(struct server_call *c, const char *type);
MUST_USE bool server_stream_put(struct server_call *c, struct bytes bytes);

#endif /* WEFT_NODE_SERVER_H */
