/*
 * Heads of HTTP requests and answers: whatever comes, what is read lies
 * inside the input.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "node/http.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void inside(struct bytes b, const uint8_t *data, size_t size)
{
	must(!b.n || (b.p >= data && b.p + b.n <= data + size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct http_head h;
	uint64_t first;
	uint64_t count;

	if (http_request_parse(bytes_of(data, size), &h) == ERR_OK) {
		must(h.head_bytes <= size &&
		     h.header_count <= HTTP_HEADERS_MAX);
		inside(h.method, data, size);
		inside(h.path, data, size);
		inside(h.query, data, size);
		inside(http_query_find(h.query, "from"), data, size);
		if (http_range_parse(http_header_find(&h, "range"), 1000,
				     &first, &count) == ERR_OK)
			must(count && first + count <= 1000);
	}
	if (http_response_parse(bytes_of(data, size), &h) == ERR_OK)
		must(h.status >= 100 && h.status <= 999);
	return 0;
}
