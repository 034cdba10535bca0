/*
 * node/http - a head is cut into lines first; then every line is checked
 * alone, so that no state survives a mistake.
 */
#include "node/http.h"

#include <string.h>

#include "base/limits.h"

/* Visible ASCII without separators, as RFC 9110 has it for names. */
static bool is_token_char(uint8_t c)
{
	if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	    (c >= 'A' && c <= 'Z'))
		return true;
	return c && strchr("!#$%&'*+-.^_`|~", c) != NULL;
}

static bool is_token(struct bytes b)
{
	for (size_t i = 0; i < b.n; i++)
		if (!is_token_char(b.p[i]))
			return false;
	return b.n > 0;
}

/* Field values: no controls but the tab. */
static bool is_value(struct bytes b)
{
	for (size_t i = 0; i < b.n; i++)
		if ((b.p[i] < 0x20 && b.p[i] != '\t') || b.p[i] == 0x7f)
			return false;
	return true;
}

static bool name_is(struct bytes name, const char *lower)
{
	size_t n = strlen(lower);

	if (name.n != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		uint8_t c = name.p[i];

		if (c >= 'A' && c <= 'Z')
			c = (uint8_t)(c + 'a' - 'A');
		if (c != (uint8_t)lower[i])
			return false;
	}
	return true;
}

/* The next line of *rest, without its CRLF; p is NULL when none is whole. */
static struct bytes take_line(struct bytes *rest)
{
	for (size_t i = 0; i + 1 < rest->n; i++) {
		struct bytes line = bytes_slice(*rest, 0, i);

		if (rest->p[i] != '\r' || rest->p[i + 1] != '\n')
			continue;
		*rest = bytes_skip(*rest, i + 2);
		return line;
	}
	return (struct bytes){NULL, 0};
}

static size_t index_of(struct bytes b, uint8_t c)
{
	const uint8_t *p = b.n ? memchr(b.p, c, b.n) : NULL;

	return p ? (size_t)(p - b.p) : b.n;
}

static struct bytes trim(struct bytes b)
{
	while (b.n && (b.p[0] == ' ' || b.p[0] == '\t'))
		b = bytes_skip(b, 1);
	while (b.n && (b.p[b.n - 1] == ' ' || b.p[b.n - 1] == '\t'))
		b.n--;
	return b;
}

enum err http_number(struct bytes text, uint64_t *ret)
{
	uint64_t v = 0;

	if (!text.n)
		return ERR_MALFORMED;
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] < '0' || text.p[i] > '9')
			return ERR_MALFORMED;
		if (__builtin_mul_overflow(v, (uint64_t)10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(text.p[i] - '0'), &v))
			return ERR_OVERFLOW;
	}
	*ret = v;
	return ERR_OK;
}

static enum err take_length(struct http_head *h, struct bytes value)
{
	uint64_t v;

	if (http_number(value, &v))
		return ERR_MALFORMED;
	if (h->has_length && h->length_bytes != v)
		return ERR_MALFORMED;
	h->has_length = true;
	h->length_bytes = v;
	return ERR_OK;
}

static enum err take_header(struct http_head *h, struct bytes line)
{
	size_t colon = index_of(line, ':');
	struct bytes name = bytes_slice(line, 0, colon);
	struct bytes value;

	if (colon == line.n || !is_token(name))
		return ERR_MALFORMED;
	value = trim(bytes_skip(line, colon + 1));
	if (!is_value(value))
		return ERR_MALFORMED;
	if (h->header_count == HTTP_HEADERS_MAX)
		return ERR_LIMIT;
	h->headers[h->header_count++] = (struct http_header){name, value};
	if (name_is(name, "transfer-encoding"))
		return ERR_UNSUPPORTED;
	if (name_is(name, "connection") && name_is(value, "close"))
		h->keep_alive = false;
	if (name_is(name, "content-length"))
		return take_length(h, value);
	return ERR_OK;
}

static enum err take_request_line(struct http_head *h, struct bytes line)
{
	size_t space = index_of(line, ' ');
	struct bytes target;
	size_t mark;

	h->method = bytes_slice(line, 0, space);
	if (!is_token(h->method) || space == line.n)
		return ERR_MALFORMED;
	line = bytes_skip(line, space + 1);
	space = index_of(line, ' ');
	target = bytes_slice(line, 0, space);
	if (space == line.n || !target.n || target.p[0] != '/')
		return ERR_MALFORMED;
	for (size_t i = 0; i < target.n; i++)
		if (target.p[i] <= 0x20 || target.p[i] >= 0x7f)
			return ERR_MALFORMED;
	mark = index_of(target, '?');
	h->path = bytes_slice(target, 0, mark);
	h->query = bytes_skip(target, mark + 1);
	line = bytes_skip(line, space + 1);
	if (!bytes_eq(line, BYTES_LIT("HTTP/1.1")))
		return bytes_starts(line, BYTES_LIT("HTTP/")) ? ERR_UNSUPPORTED
							      : ERR_MALFORMED;
	return ERR_OK;
}

static enum err take_status_line(struct http_head *h, struct bytes line)
{
	uint64_t status;

	if (!bytes_starts(line, BYTES_LIT("HTTP/1.1 ")) || line.n < 12)
		return ERR_MALFORMED;
	if (http_number(bytes_slice(line, 9, 3), &status) || status < 100)
		return ERR_MALFORMED;
	h->status = (unsigned)status;
	return ERR_OK;
}

static enum err parse(struct bytes in, bool is_request, struct http_head *ret)
{
	struct bytes all = bytes_slice(in, 0, HTTP_HEADER_BYTES_MAX);
	struct bytes rest = all;
	struct bytes line = take_line(&rest);
	enum err e;

	memset(ret, 0, sizeof(*ret));
	ret->keep_alive = true;
	if (!line.p)
		return in.n >= HTTP_HEADER_BYTES_MAX ? ERR_LIMIT : ERR_BUSY;
	e = is_request ? take_request_line(ret, line)
		       : take_status_line(ret, line);
	while (!e) {
		line = take_line(&rest);
		if (!line.p)
			return in.n >= HTTP_HEADER_BYTES_MAX ? ERR_LIMIT
							     : ERR_BUSY;
		if (!line.n)
			break;
		e = take_header(ret, line);
	}
	if (!e)
		ret->head_bytes = all.n - rest.n;
	return e;
}

enum err http_request_parse(struct bytes in, struct http_head *ret)
{
	return parse(in, true, ret);
}

enum err http_response_parse(struct bytes in, struct http_head *ret)
{
	return parse(in, false, ret);
}

struct bytes http_header_find(const struct http_head *h, const char *name)
{
	for (size_t i = 0; i < h->header_count; i++)
		if (name_is(h->headers[i].name, name))
			return h->headers[i].value;
	return (struct bytes){NULL, 0};
}

struct bytes http_query_find(struct bytes query, const char *name)
{
	size_t n = strlen(name);

	while (query.n) {
		size_t end = index_of(query, '&');
		struct bytes pair = bytes_slice(query, 0, end);

		if (pair.n > n && pair.p[n] == '=' &&
		    memcmp(pair.p, name, n) == 0)
			return bytes_skip(pair, n + 1);
		query = bytes_skip(query, end + 1);
	}
	return (struct bytes){NULL, 0};
}

enum err http_range_parse(struct bytes value, uint64_t size,
			  uint64_t *ret_first, uint64_t *ret_count)
{
	struct bytes unit = BYTES_LIT("bytes=");
	struct bytes first;
	struct bytes last;
	uint64_t a = 0;
	uint64_t b = 0;
	size_t dash;

	if (!bytes_starts(value, unit))
		return ERR_MALFORMED;
	value = bytes_skip(value, unit.n);
	dash = index_of(value, '-');
	first = bytes_slice(value, 0, dash);
	last = bytes_skip(value, dash + 1);
	if (dash == value.n || (first.n && http_number(first, &a)) ||
	    (last.n && http_number(last, &b)) || (!first.n && !last.n))
		return ERR_MALFORMED;
	if (!first.n) {
		if (!b || !size)
			return ERR_REFUSED;
		a = b < size ? size - b : 0;
		b = size - 1;
	} else if (!last.n || b >= size) {
		if (last.n && b < a)
			return ERR_MALFORMED;
		b = size ? size - 1 : 0;
	}
	if (a >= size)
		return ERR_REFUSED;
	if (b < a)
		return ERR_MALFORMED;
	*ret_first = a;
	*ret_count = b - a + 1;
	return ERR_OK;
}

const char *http_status_words(unsigned status)
{
	static const struct {
		unsigned status;
		const char *words;
	} table[] = {
		/* clang-format off */
		{200, "OK"}, {201, "Created"}, {204, "No Content"},
		{206, "Partial Content"}, {400, "Bad Request"},
		{401, "Unauthorized"}, {403, "Forbidden"}, {404, "Not Found"},
		{405, "Method Not Allowed"}, {408, "Request Timeout"},
		{409, "Conflict"}, {411, "Length Required"},
		{413, "Content Too Large"}, {416, "Range Not Satisfiable"},
		{422, "Unprocessable Content"}, {429, "Too Many Requests"},
		{431, "Request Header Fields Too Large"},
		{500, "Internal Server Error"}, {501, "Not Implemented"},
		{503, "Service Unavailable"}, {507, "Insufficient Storage"},
		/* clang-format on */
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].status == status)
			return table[i].words;
	return "Status";
}
