/*
 * node/blobs - GET and PUT of blobs.
 *
 * A PUT names the root and how the blob is named ("name=bytes", list,
 * program or header; node/core/work.h); its body goes into the store as it
 * arrives and stays only when the root is right.  Without a root in the path
 * the body is collected, bounded like any request, and the answer tells the
 * root.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/http.h"
#include "node/priv/node.h"

#define PREFIX_BYTES 6u /* "/blob/" */

/* "bytes" when nothing, or nothing known, is named. */
static enum core_name name_of(const struct http_head *h)
{
	static const char *const words[] = {"bytes", "list", "program",
					    "header"};
	struct bytes v = http_query_find(h->query, "name");

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (bytes_eq(v, bytes_str(words[i])))
			return (enum core_name)i;
	return CORE_NAME_BYTES;
}

static bool root_of(const struct http_head *h, struct hash *ret_root)
{
	return hex_decode(bytes_skip(h->path, PREFIX_BYTES), ret_root->b,
			  HASH_BYTES) == ERR_OK;
}

static void refuse(struct server_call *c, unsigned status, const char *words)
{
	server_answer(c, status, "text/plain", "", bytes_str(words));
}

void node_blob_answer(struct node *n, struct server_call *c,
		      const struct hash *root)
{
	struct bytes range = http_header_find(server_call_head(c), "range");
	char headers[128] = "Accept-Ranges: bytes\r\n";
	uint64_t bytes;
	uint64_t first = 0;
	uint64_t count;
	unsigned status = 200;
	int fd;

	if (blob_open(n->blobs, root, &fd, &bytes)) {
		refuse(c, 404, "no such blob");
		return;
	}
	count = bytes;
	if (range.p) {
		enum err e = http_range_parse(range, bytes, &first, &count);

		if (e == ERR_REFUSED) {
			close(fd);
			refuse(c, 416, "range");
			return;
		}
		if (e == ERR_OK) {
			status = 206;
			(void)snprintf(headers, sizeof(headers),
				       "Content-Range: bytes %llu-%llu/%llu"
				       "\r\n",
				       (unsigned long long)first,
				       (unsigned long long)(first + count - 1),
				       (unsigned long long)bytes);
		}
	}
	server_answer_file(c, status, headers, fd, first, count);
}

void node_blob_get(struct node *n, struct server_call *c)
{
	struct hash root;

	if (!root_of(server_call_head(c), &root))
		refuse(c, 400, "expected /blob/ROOT");
	else
		node_blob_answer(n, c, &root);
}

static bool on_piece(void *ctx, struct bytes piece)
{
	struct server_call *c = ctx;

	return blob_writer_put(server_call_kept(c), piece) == ERR_OK;
}

static bool on_unwanted(void *ctx, struct bytes piece)
{
	(void)ctx, (void)piece;
	return true;
}

static void writer_gone(void *kept)
{
	blob_writer_close(kept);
}

static void answer_root(struct node *n, struct server_call *c,
			const struct hash *root)
{
	uint64_t bytes = 0;
	char text[HASH_TEXT_BYTES];
	struct buf b = buf_make(128);

	(void)blob_has(n->blobs, root, &bytes);
	buf_printf(&b, "{\"root\":\"%s\",\"bytes\":\"%llu\"}",
		   hash_text(root, text), (unsigned long long)bytes);
	server_answer(c, 200, "application/json", "", buf_bytes(&b));
	buf_free(&b);
}

void node_blob_put_head(struct node *n, struct server_call *c)
{
	const struct http_head *h = server_call_head(c);
	struct blob_writer *w;
	struct hash root;
	uint64_t have;
	enum err e;

	if (h->path.n <= PREFIX_BYTES)
		return; /* POST-like: the body is collected */
	if (!root_of(h, &root)) {
		refuse(c, 400, "expected /blob/ROOT");
		return;
	}
	e = blob_writer_begin(n->blobs, name_of(h), &root, h->length_bytes,
			      &have, &w);
	if (e == ERR_EXISTS) {
		/* what is here already is read and forgotten */
		server_call_sink(c, on_unwanted, NULL);
		return;
	}
	/* an upload begins at its beginning */
	if (!e && have) {
		e = blob_writer_restart(w);
		if (e)
			blob_writer_close(w);
	}
	if (e) {
		refuse(c, e == ERR_LIMIT ? 507 : 500, err_words(e));
		return;
	}
	server_call_keep(c, w, writer_gone);
	server_call_sink(c, on_piece, c);
}

void node_blob_put(struct node *n, struct server_call *c)
{
	const struct http_head *h = server_call_head(c);
	struct blob_writer *w = server_call_kept(c);
	struct hash root = HASH_ZERO;
	enum err e;

	if (w) {
		server_call_unkeep(c);
		(void)root_of(h, &root);
		e = blob_writer_end(w, NULL);
	} else if (h->path.n > PREFIX_BYTES) {
		e = root_of(h, &root) ? ERR_OK : ERR_MALFORMED;
	} else {
		e = blob_put(n->blobs, name_of(h), server_call_body(c), NULL,
			     NULL, &root);
	}
	if (e == ERR_PROOF || e == ERR_MALFORMED)
		refuse(c, 422, "the content is not what its root says");
	else if (e)
		refuse(c, e == ERR_LIMIT ? 507 : 500, err_words(e));
	else
		answer_root(n, c, &root);
}
