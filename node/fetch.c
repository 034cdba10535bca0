/*
 * node/fetch - blobs and openings from other nodes.
 *
 * A blob is asked of one source after another; what has arrived stays, so
 * that the next source is asked for the rest.  The same blob is never on its
 * way twice: a second wish waits for the first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node/client.h"
#include "node/clock.h"
#include "node/log.h"
#include "node/priv/node.h"

#define FETCH_WAIT_MS	 20000u
#define PATH_BYTES_MAX	 160u
#define HEADER_BYTES_MAX 512u

struct node_fetch {
	struct node *node;
	struct node_fetch *next;
	uint64_t ticket;
	bool of_lease; /* openings or a receipt, not a blob */
	struct hash root;
	enum core_name name;
	struct hash owner;
	uint64_t bytes_max;
	bool want_bytes;
	struct pubkey from[CORE_SOURCES_MAX];
	size_t from_count;
	size_t from_next;
	bool waits;	  /* for another fetch of the same root */
	bool all_missing; /* every source said 404 */
	struct blob_writer *writer;
	struct node_request *request;
};

static void try_next(struct node_fetch *f);

static void fetch_free(struct node_fetch *f)
{
	struct node_fetch **at = &f->node->fetches;

	while (*at != f)
		at = &(*at)->next;
	*at = f->next;
	node_request_cancel(f->request);
	blob_writer_close(f->writer);
	free(f);
}

/* Let those go on that waited for this root. */
static void wake_waiting(struct node *n, const struct hash *root)
{
	for (struct node_fetch *f = n->fetches; f; f = f->next)
		if (f->waits && hash_eq(&f->root, root)) {
			f->waits = false;
			try_next(f);
			return;
		}
}

static void finish(struct node_fetch *f, enum err err, struct bytes bytes)
{
	struct node *n = f->node;
	struct hash root = f->root;
	struct node_event *e = node_event_new(n, CORE_EVENT_FETCHED, f->ticket);

	if (e) {
		e->event.err = err;
		e->event.id = root;
		if (!err && f->of_lease)
			buf_put_bytes(&e->keep, bytes);
		else if (!err && f->want_bytes)
			e->event.err = blob_read(n->blobs, &root, &e->keep);
		e->event.bytes = buf_bytes(&e->keep);
		if (!e->event.err)
			e->event.err = e->keep.err;
		node_post(n, e);
	}
	fetch_free(f);
	wake_waiting(n, &root);
}

/* Is it here?  Then pin it and be done. */
static bool is_here(struct node_fetch *f)
{
	uint64_t bytes;
	enum err e;

	if (!blob_has(f->node->blobs, &f->root, &bytes))
		return false;
	e = bytes > f->bytes_max
		    ? ERR_LIMIT
		    : blob_pin(f->node->blobs, &f->root, &f->owner);
	finish(f, e, (struct bytes){NULL, 0});
	return true;
}

static bool is_on_its_way(const struct node_fetch *f)
{
	for (const struct node_fetch *o = f->node->fetches; o; o = o->next)
		if (o != f && !o->waits && o->writer &&
		    hash_eq(&o->root, &f->root))
			return true;
	return false;
}

static enum err on_piece(void *ctx, struct bytes piece)
{
	struct node_fetch *f = ctx;

	return blob_writer_put(f->writer, piece);
}

static void on_done(void *ctx, enum err e, unsigned status, struct bytes body)
{
	struct node_fetch *f = ctx;

	(void)body;
	f->request = NULL;
	if (!e && (status == 200 || status == 206)) {
		struct blob_writer *w = f->writer;

		f->writer = NULL;
		e = blob_writer_end(w, &f->owner);
		if (!e) {
			finish(f, ERR_OK, (struct bytes){NULL, 0});
			return;
		}
		log_line(LOG_WARN, "data", "a peer's blob: %s", err_words(e));
	}
	if (e || status != 404)
		f->all_missing = false;
	blob_writer_close(f->writer);
	f->writer = NULL;
	if (e == ERR_PROOF || e == ERR_IO || e == ERR_LIMIT) {
		/* another source is asked, unless the fault is ours */
		if (e == ERR_IO || f->from_next == f->from_count) {
			finish(f, e, (struct bytes){NULL, 0});
			return;
		}
	}
	try_next(f);
}

static bool ask(struct node_fetch *f, const char *endpoint)
{
	char root[HASH_TEXT_BYTES];
	char path[PATH_BYTES_MAX];
	char headers[HEADER_BYTES_MAX] = "";
	struct node_request_options options = {
		.endpoint = bytes_str(endpoint),
		.method = "GET",
		.path = path,
		.headers = headers,
		.body_bytes_max = f->bytes_max,
		.wait_ms = FETCH_WAIT_MS,
		.piece = on_piece,
		.done = on_done,
		.ctx = f,
	};
	uint64_t have;

	if (blob_writer_begin(f->node->blobs, f->name, &f->root, f->bytes_max,
			      &have, &f->writer))
		return false;
	(void)snprintf(path, sizeof(path), "/blob/%s",
		       hash_text(&f->root, root));
	if (have)
		(void)snprintf(headers, sizeof(headers),
			       "Range: bytes=%llu-\r\n",
			       (unsigned long long)have);
	if (node_request_start(f->node->base, &options, &f->request)) {
		blob_writer_close(f->writer);
		f->writer = NULL;
		return false;
	}
	return true;
}

static void try_next(struct node_fetch *f)
{
	if (is_here(f))
		return;
	if (is_on_its_way(f)) {
		f->waits = true;
		return;
	}
	while (f->from_next < f->from_count) {
		const struct pubkey *from = &f->from[f->from_next++];
		char endpoint[NETWORK_ENDPOINT_BYTES];

		if (pubkey_eq(from, &f->node->keys.account))
			continue;
		if (node_endpoint_of(f->node, from, endpoint) &&
		    ask(f, endpoint))
			return;
		f->all_missing = false;
	}
	finish(f, f->all_missing ? ERR_NOT_FOUND : ERR_UNREACHABLE,
	       (struct bytes){NULL, 0});
}

static struct node_fetch *fetch_new(struct node *n, const struct core_action *a)
{
	struct node_fetch *f = calloc(1, sizeof(*f));

	if (!f) {
		node_post_err(n, CORE_EVENT_FETCHED, a->ticket, ERR_NO_MEMORY);
		return NULL;
	}
	f->node = n;
	f->ticket = a->ticket;
	f->root = a->root;
	f->name = a->name;
	f->owner = a->owner;
	f->bytes_max = a->bytes_max;
	f->want_bytes = a->want_bytes;
	f->all_missing = true;
	memcpy(f->from, a->from, sizeof(f->from));
	f->from_count = a->from_count;
	f->next = n->fetches;
	n->fetches = f;
	return f;
}

void node_fetch_begin(struct node *n, const struct core_action *a)
{
	struct node_fetch *f = fetch_new(n, a);

	if (f)
		try_next(f);
}

struct hash node_ask_digest(const struct hash *lease,
			    const struct pubkey *provider, uint64_t time_ms)
{
	struct sha256 s;

	sha256_init_tag(&s, "weft/ask");
	sha256_put(&s, lease->b, HASH_BYTES);
	sha256_put(&s, provider->b, sizeof(provider->b));
	sha256_put_u64_be(&s, time_ms);
	return sha256_end(&s);
}

static enum err status_err(unsigned status)
{
	switch (status) {
	case 200:
		return ERR_OK;
	case 404:
		return ERR_NOT_FOUND;
	case 503:
		return ERR_BUSY;
	default:
		return ERR_REFUSED;
	}
}

static void on_of_lease(void *ctx, enum err e, unsigned status,
			struct bytes body)
{
	struct node_fetch *f = ctx;

	f->request = NULL;
	finish(f, e ? e : status_err(status), body);
}

/* Who we are, proved. */
static bool ask_headers(struct node *n, const struct hash *lease,
			const struct pubkey *provider,
			char out[HEADER_BYTES_MAX])
{
	uint64_t time_ms = clock_wall_ms();
	struct hash digest = node_ask_digest(lease, provider, time_ms);
	char account[2 * sizeof(struct pubkey) + 1];
	char sig_text[2 * sizeof(struct sig) + 1];
	struct sig sig;

	if (sig_sign(&n->keys.account_secret, hash_bytes(&digest), NULL, &sig))
		return false;
	hex_encode(BYTES_OF(n->keys.account), account);
	hex_encode(BYTES_OF(sig), sig_text);
	(void)snprintf(out, HEADER_BYTES_MAX,
		       "X-Weft-Account: %s\r\nX-Weft-Time: %llu\r\n"
		       "X-Weft-Signature: %s\r\n",
		       account, (unsigned long long)time_ms, sig_text);
	return true;
}

void node_fetch_of_lease(struct node *n, const struct core_action *a)
{
	struct node_fetch *f = fetch_new(n, a);
	char endpoint[NETWORK_ENDPOINT_BYTES];
	char root[HASH_TEXT_BYTES];
	char path[PATH_BYTES_MAX];
	char headers[HEADER_BYTES_MAX];
	struct node_request_options options = {
		.method = "GET",
		.path = path,
		.headers = headers,
		.body_bytes_max = a->bytes_max,
		.wait_ms = FETCH_WAIT_MS,
		.done = on_of_lease,
		.ctx = f,
	};

	if (!f)
		return;
	f->of_lease = true;
	(void)snprintf(path, sizeof(path), "/lease/%s/%s",
		       hash_text(&a->root, root),
		       a->ask == CORE_ASK_OPENINGS ? "openings" : "receipt");
	if (node_endpoint_of(n, &a->from[0], endpoint) &&
	    ask_headers(n, &a->root, &a->from[0], headers)) {
		options.endpoint = bytes_str(endpoint);
		if (node_request_start(n->base, &options, &f->request) ==
		    ERR_OK)
			return;
	}
	finish(f, ERR_UNREACHABLE, (struct bytes){NULL, 0});
}

bool node_fetch_cancel(struct node *n, uint64_t ticket)
{
	for (struct node_fetch *f = n->fetches; f; f = f->next)
		if (f->ticket == ticket) {
			struct hash root = f->root;

			fetch_free(f);
			wake_waiting(n, &root);
			return true;
		}
	return false;
}

void node_fetch_close(struct node *n)
{
	while (n->fetches)
		fetch_free(n->fetches);
}
