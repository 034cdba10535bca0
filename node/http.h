/*
 * node/http - HTTP/1.1 heads as structs; pure, total, without allocation.
 *
 * Only what Weft speaks: a request or status line, headers, Content-Length.
 * Chunked bodies, continuation lines, bare line feeds and control characters
 * are refused.  Everything borrows from the input.
 */
#ifndef WEFT_NODE_HTTP_H
#define WEFT_NODE_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"

#define HTTP_HEADERS_MAX 64u

struct http_header {
	struct bytes name;
	struct bytes value;
};

struct http_head {
	/* of a request; empty in a response */
	struct bytes method;
	struct bytes path;  /* begins with '/', before '?' */
	struct bytes query; /* after '?' */
	/* of a response; 0 in a request */
	unsigned status;
	struct http_header headers[HTTP_HEADERS_MAX];
	size_t header_count;
	bool has_length;
	uint64_t length_bytes; /* Content-Length, 0 without one */
	bool keep_alive;
	size_t head_bytes; /* the body begins there */
};

/*
 * Read a head from the beginning of in.
 * Returns ERR_OK, ERR_BUSY (not all there yet), ERR_LIMIT (over
 * HTTP_HEADER_BYTES_MAX or HTTP_HEADERS_MAX), ERR_UNSUPPORTED
 * (Transfer-Encoding, another version), ERR_MALFORMED.
 */
MUST_USE enum err http_request_parse(struct bytes in, struct http_head *ret);
MUST_USE enum err http_response_parse(struct bytes in, struct http_head *ret);

/* The value of a header, name in lower case; p is NULL if it is absent. */
struct bytes http_header_find(const struct http_head *h, const char *name);

/* The value of name in "a=1&b=2", not decoded; p is NULL if absent. */
struct bytes http_query_find(struct bytes query, const char *name);

/* Decimal digits only.  ERR_OK, ERR_MALFORMED, ERR_OVERFLOW. */
MUST_USE enum err http_number(struct bytes text, uint64_t *ret);

/*
 * One byte range of an object of size bytes: "bytes=a-b", "bytes=a-",
 * "bytes=-n".
 * Returns ERR_OK, ERR_REFUSED (cannot be satisfied: 416), ERR_MALFORMED
 * (several ranges or nonsense: serve the whole).
 */
MUST_USE enum err http_range_parse(struct bytes value, uint64_t size,
				   uint64_t *ret_first, uint64_t *ret_count);

/* "OK" for 200, and so on for those that Weft sends. */
const char *http_status_words(unsigned status);

#endif /* WEFT_NODE_HTTP_H */
