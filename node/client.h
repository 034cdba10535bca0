/*
 * node/client - HTTP requests to other nodes, each on its own connection,
 * never blocking.
 */
#ifndef WEFT_NODE_CLIENT_H
#define WEFT_NODE_CLIENT_H

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"

struct event_base;
struct node_request;

struct node_request_options {
	struct bytes endpoint; /* "127.0.0.1:9420"; loopback only */
	const char *method;
	const char *path;    /* with query */
	const char *headers; /* more lines, each with CRLF; "" */
	struct bytes body;
	uint64_t body_bytes_max; /* of the answer */
	uint32_t wait_ms;	 /* for each sign of life */
	/*
	 * Pieces of a 200 or 206 answer's body as they come; NULL: collected
	 * for done.  ERR_OK, or what done shall tell.
	 */
	enum err (*piece)(void *ctx, struct bytes piece);
	/*
	 * The end, called once, never inside node_request_start.  e: ERR_OK
	 * (any status), ERR_UNREACHABLE (no connection, cut off),
	 * ERR_TIMEOUT, ERR_LIMIT, ERR_MALFORMED.  The request is freed
	 * afterwards.
	 */
	void (*done)(void *ctx, enum err e, unsigned status, struct bytes body);
	void *ctx;
};

/*
 * Everything in options is copied.
 * Returns ERR_OK, ERR_REFUSED (not a loopback endpoint), ERR_NO_MEMORY; then
 * done is not called.
 */
MUST_USE enum err node_request_start(struct event_base *base,
				     const struct node_request_options *options,
				     struct node_request **ret_request);

/* done will not be called.  NULL is fine. */
void node_request_cancel(struct node_request *r);

#endif /* WEFT_NODE_CLIENT_H */
