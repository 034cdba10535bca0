/*
 * Heads of requests and answers: what is read, what is refused.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "node/http.h"

static struct http_head head;

static enum err request(const char *text)
{
	return http_request_parse(bytes_str(text), &head);
}

Test(http, reads_a_request)
{
	const char *text = "GET /blocks?from=1&wait_ms=5 HTTP/1.1\r\n"
			   "Host: x\r\nRange:  bytes=1-2 \r\n\r\nbody";

	cr_assert_eq(request(text), ERR_OK);
	cr_assert(bytes_eq(head.method, BYTES_LIT("GET")));
	cr_assert(bytes_eq(head.path, BYTES_LIT("/blocks")));
	cr_assert(bytes_eq(http_query_find(head.query, "wait_ms"),
			   BYTES_LIT("5")));
	cr_assert_null(http_query_find(head.query, "wait").p);
	cr_assert(bytes_eq(http_header_find(&head, "range"),
			   BYTES_LIT("bytes=1-2")));
	cr_assert_null(http_header_find(&head, "origin").p);
	cr_assert_eq(head.head_bytes, strlen(text) - 4);
	cr_assert(!head.has_length);
	cr_assert(head.keep_alive);
}

Test(http, waits_for_the_rest_of_every_prefix)
{
	const char *text = "POST /rpc HTTP/1.1\r\nContent-Length: 3\r\n"
			   "Connection: close\r\n\r\n";

	for (size_t n = 0; n < strlen(text); n++)
		cr_assert_eq(http_request_parse(bytes_of(text, n), &head),
			     ERR_BUSY, "%zu", n);
	cr_assert_eq(request(text), ERR_OK);
	cr_assert_eq(head.length_bytes, 3);
	cr_assert(!head.keep_alive);
}

Test(http, refuses_what_is_not_a_request)
{
	static const char *const bad[] = {
		"GET\r\n\r\n",
		"GET x HTTP/1.1\r\n\r\n",
		" GET / HTTP/1.1\r\n\r\n",
		"GET / junk\r\n\r\n",
		"GET /\x01 HTTP/1.1\r\n\r\n",
		"GET / HTTP/1.1\r\nno colon\r\n\r\n",
		"GET / HTTP/1.1\r\n folded: x\r\n\r\n",
		"GET / HTTP/1.1\r\nName : x\r\n\r\n",
		"GET / HTTP/1.1\r\nA: x\ny\r\n\r\n",
		"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
		"GET / HTTP/1.1\r\nContent-Length: 1\r\n"
		"Content-Length: 2\r\n\r\n",
		"GET / HTTP/1.1\r\nContent-Length: 18446744073709551616"
		"\r\n\r\n",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_assert_eq(request(bad[i]), ERR_MALFORMED, "%s", bad[i]);
	cr_assert_eq(request("GET / HTTP/1.0\r\n\r\n"), ERR_UNSUPPORTED);
	cr_assert_eq(request("POST / HTTP/1.1\r\n"
			     "Transfer-Encoding: chunked\r\n\r\n"),
		     ERR_UNSUPPORTED);
}

Test(http, head_ends_at_its_limit)
{
	size_t n = HTTP_HEADER_BYTES_MAX;
	char *text = malloc(n + 1);
	int begun = snprintf(text, n, "GET / HTTP/1.1\r\nA: ");

	memset(text + begun, 'x', n - (size_t)begun);
	memcpy(text + n - 4, "\r\n\r\n", 4);
	cr_assert_eq(http_request_parse(bytes_of(text, n), &head), ERR_OK);
	/* one byte more in the header does not fit */
	memcpy(text + n - 4, "xxxx", 4);
	cr_assert_eq(http_request_parse(bytes_of(text, n), &head), ERR_LIMIT);
	free(text);
}

Test(http, exactly_the_most_headers_fit)
{
	char text[4096] = "GET / HTTP/1.1\r\n";
	char longer[4096 + 16];

	for (unsigned i = 0; i < HTTP_HEADERS_MAX; i++)
		strcat(text, "A: b\r\n");
	snprintf(longer, sizeof(longer), "%sA: b\r\n\r\n", text);
	strcat(text, "\r\n");
	cr_assert_eq(request(text), ERR_OK);
	cr_assert_eq(request(longer), ERR_LIMIT);
}

Test(http, reads_an_answer)
{
	cr_assert_eq(
		http_response_parse(bytes_str("HTTP/1.1 206 Partial Content\r\n"
					      "Content-Length: 7\r\n\r\n"),
				    &head),
		ERR_OK);
	cr_assert_eq(head.status, 206);
	cr_assert_eq(head.length_bytes, 7);
	cr_assert_eq(
		http_response_parse(bytes_str("HTTP/1.1 x\r\n\r\n"), &head),
		ERR_MALFORMED);
}

Test(http, ranges)
{
	/* text, size, expected result, first, count */
	static const struct {
		const char *text;
		uint64_t size;
		enum err e;
		uint64_t first;
		uint64_t count;
	} rows[] = {
		{"bytes=0-0", 10, ERR_OK, 0, 1},
		{"bytes=3-5", 10, ERR_OK, 3, 3},
		{"bytes=3-", 10, ERR_OK, 3, 7},
		{"bytes=3-99", 10, ERR_OK, 3, 7},
		{"bytes=-4", 10, ERR_OK, 6, 4},
		{"bytes=-99", 10, ERR_OK, 0, 10},
		{"bytes=10-", 10, ERR_REFUSED, 0, 0},
		{"bytes=-0", 10, ERR_REFUSED, 0, 0},
		{"bytes=0-", 0, ERR_REFUSED, 0, 0},
		{"bytes=5-3", 10, ERR_MALFORMED, 0, 0},
		{"bytes=1-2,4-5", 10, ERR_MALFORMED, 0, 0},
		{"bytes=-", 10, ERR_MALFORMED, 0, 0},
		{"lines=1-2", 10, ERR_MALFORMED, 0, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t first = 0;
		uint64_t count = 0;

		cr_assert_eq(http_range_parse(bytes_str(rows[i].text),
					      rows[i].size, &first, &count),
			     rows[i].e, "%s", rows[i].text);
		cr_assert_eq(first, rows[i].first, "%s", rows[i].text);
		cr_assert_eq(count, rows[i].count, "%s", rows[i].text);
	}
}
