/*
 * One connection, one request at a time, each run in a loop of its own until
 * it is answered.
 */
#define _GNU_SOURCE
#include "cli/link.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>

#include "base/merkle.h"
#include "base/reason.h"

#define SMALL_FILE_BYTES 256u
#define WAIT_SECONDS	 660 /* longer than any *.wait */
#define BLOB_BYTES_MAX	 (64ull << 30)

const char *link_dir(struct cli *c)
{
	const char *dir = cli_value(c, "data"), *home = getenv("HOME");

	if (!dir)
		dir = getenv("WEFT_DIR");
	if (!dir && home)
		dir = arena_printf(c->arena, "%s/.weft", home);
	if (!dir && cli_usage(c, "name the node's folder with --data DIR"))
		return NULL;
	return dir;
}

/* The first line of dir/name, without its end. */
static bool read_line(const char *dir, const char *name, char *out, size_t size)
{
	char path[4096];
	FILE *f;
	bool ok;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "r");
	if (!f)
		return false;
	ok = fgets(out, (int)size, f) != NULL;
	fclose(f);
	if (ok)
		out[strcspn(out, "\r\n")] = 0;
	return ok;
}

static bool parse_endpoint(const char *text, struct link *l)
{
	const char *colon = strrchr(text, ':');
	char *end;
	unsigned long port;

	if (!colon || colon == text ||
	    (size_t)(colon - text) >= sizeof(l->host))
		return false;
	port = strtoul(colon + 1, &end, 10);
	if (*end || port == 0 || port > 65535)
		return false;
	memcpy(l->host, text, (size_t)(colon - text));
	l->host[colon - text] = 0;
	l->port = (uint16_t)port;
	return true;
}

static enum cli_exit unreachable(struct cli *c, const struct link *l)
{
	return cli_fail(c, CLI_UNREACHABLE, "unreachable",
			"no node answers at %s; start one with weft node "
			"start --data %s",
			l->dir, l->dir);
}

enum cli_exit link_open(struct cli *c, struct link *l)
{
	const char *dir = link_dir(c);

	return dir ? link_open_dir(c, dir, l) : CLI_USAGE;
}

enum cli_exit link_open_dir(struct cli *c, const char *dir, struct link *l)
{
	char endpoint[SMALL_FILE_BYTES];

	memset(l, 0, sizeof(*l));
	l->dir = dir;
	if (!read_line(dir, "endpoint", endpoint, sizeof(endpoint)))
		return unreachable(c, l);
	if (!parse_endpoint(endpoint, l))
		return cli_fail(c, CLI_FAILED, "bad_value",
				"%s/endpoint is damaged", dir);
	if (!read_line(dir, "cookie", l->cookie, sizeof(l->cookie)))
		return cli_fail(c, CLI_FAILED, "no_permission",
				"cannot read %s/cookie: %s", dir,
				strerror(errno));
	l->base = event_base_new();
	if (l->base)
		l->connection = evhttp_connection_base_new(l->base, NULL,
							   l->host, l->port);
	if (!l->connection)
		return cli_fail(c, CLI_FAILED, "no_memory", "out of memory");
	evhttp_connection_set_timeout(l->connection, WAIT_SECONDS);
	evhttp_connection_set_max_body_size(l->connection,
					    (ev_ssize_t)BLOB_BYTES_MAX);
	return CLI_DONE;
}

void link_close(struct link *l)
{
	if (l->connection)
		evhttp_connection_free(l->connection);
	if (l->base)
		event_base_free(l->base);
	memset(l, 0, sizeof(*l));
}

/* An answer, copied out of libevent's request. */
struct answer {
	struct event_base *base;
	int status; /* 0: none came */
	uint8_t *body;
	size_t bytes;
	bool done;
};

static void take_answer(struct evhttp_request *q, void *arg)
{
	struct answer *a = arg;
	struct evbuffer *in;

	a->done = true;
	event_base_loopbreak(a->base);
	if (!q)
		return;
	a->status = evhttp_request_get_response_code(q);
	in = evhttp_request_get_input_buffer(q);
	a->bytes = evbuffer_get_length(in);
	a->body = malloc(a->bytes + 1);
	if (!a->body) {
		a->status = 0;
		return;
	}
	evbuffer_remove(in, a->body, a->bytes);
	a->body[a->bytes] = 0;
}

static void look_for_interrupt(evutil_socket_t fd, short what, void *arg)
{
	struct answer *a = arg;

	(void)fd;
	(void)what;
	if (cli_interrupted())
		event_base_loopbreak(a->base);
}

/* Send; CLI_DONE with *ret (body to be freed), CLI_UNREACHABLE (not said),
 * CLI_INTERRUPTED. */
static enum cli_exit request(struct link *l, enum evhttp_cmd_type verb,
			     const char *path, const char *type,
			     struct bytes body, struct answer *ret)
{
	static const struct timeval often = {0, 100000};
	struct evhttp_request *q = evhttp_request_new(take_answer, ret);
	struct evkeyvalq *headers = evhttp_request_get_output_headers(q);
	struct event *tick;
	char text[160];

	memset(ret, 0, sizeof(*ret));
	ret->base = l->base;
	snprintf(text, sizeof(text), "%s:%u", l->host, (unsigned)l->port);
	evhttp_add_header(headers, "Host", text);
	snprintf(text, sizeof(text), "Bearer %s", l->cookie);
	evhttp_add_header(headers, "Authorization", text);
	if (type)
		evhttp_add_header(headers, "Content-Type", type);
	if (body.n)
		evbuffer_add_reference(evhttp_request_get_output_buffer(q),
				       body.p, body.n, NULL, NULL);
	if (evhttp_make_request(l->connection, q, verb, path))
		return CLI_UNREACHABLE;
	tick = event_new(l->base, -1, EV_PERSIST, look_for_interrupt, ret);
	if (tick)
		event_add(tick, &often);
	event_base_dispatch(l->base);
	if (tick)
		event_free(tick);
	if (!ret->done)
		return CLI_INTERRUPTED;
	return ret->status ? CLI_DONE : CLI_UNREACHABLE;
}

/* What refused the call before anything ran. */
static enum cli_exit code_of(int64_t code)
{
	switch (code) {
	case REASON_insufficient_funds:
	case REASON_class_refused:
	case REASON_wrong_state:
	case REASON_limit_reached:
	case REASON_no_permission:
	case REASON_bad_value:
	case REASON_too_late:
	case REASON_credit_used_up:
		return CLI_REFUSED;
	default:
		return CLI_FAILED;
	}
}

static enum cli_exit fail_error(struct cli *c, const json_t *error)
{
	const json_t *data = json_object_get(error, "data");
	const char *hint = link_text(data, "hint");

	return cli_fail(
		c, code_of(json_integer_value(json_object_get(error, "code"))),
		link_text(data, "reason"), "%s%s%s",
		link_text(error, "message"), *hint ? "; " : "", hint);
}

static json_t *make_request(const char *method, json_t *params)
{
	json_t *q = json_pack("{s:s,s:i,s:s}", "jsonrpc", "2.0", "id", 1,
			      "method", method);

	if (params)
		json_object_set_new(q, "params", params);
	return q;
}

/* CLI_DONE with the whole answer object. */
static enum cli_exit exchange(struct cli *c, struct link *l, const char *method,
			      json_t *params, json_t **ret, int *ret_status)
{
	json_t *q = make_request(method, params);
	char *text = json_dumps(q, JSON_COMPACT);
	struct answer a;
	enum cli_exit code;

	json_decref(q);
	if (!text)
		return CLI_FAILED;
	if (c->explain)
		fprintf(stderr, "POST http://%s:%u/rpc %s\n", l->host,
			(unsigned)l->port, text);
	code = request(l, EVHTTP_REQ_POST, "/rpc", "application/json",
		       bytes_str(text), &a);
	free(text);
	*ret = NULL;
	*ret_status = a.status;
	if (!code && a.body)
		*ret = json_loadb((const char *)a.body, a.bytes, 0, NULL);
	free(a.body);
	return code;
}

enum cli_exit link_call(struct cli *c, struct link *l, const char *method,
			json_t *params, json_t **ret_result)
{
	json_t *answer, *result, *error;
	int status;
	enum cli_exit code = exchange(c, l, method, params, &answer, &status);

	if (code == CLI_INTERRUPTED)
		return code;
	if (code)
		return unreachable(c, l);
	result = json_object_get(answer, "result");
	error = json_object_get(answer, "error");
	if (result) {
		*ret_result = json_incref(result);
		code = CLI_DONE;
	} else if (error) {
		code = fail_error(c, error);
	} else {
		code = cli_fail(c, CLI_FAILED, "internal",
				"the node answered %s with HTTP status %d",
				method, status);
	}
	json_decref(answer);
	return code;
}

json_t *link_try(struct cli *c, struct link *l, const char *method,
		 json_t *params)
{
	json_t *answer = NULL, *result;
	int status;

	if (exchange(c, l, method, params, &answer, &status))
		return NULL;
	result = json_incref(json_object_get(answer, "result"));
	json_decref(answer);
	return result;
}

enum cli_exit link_put(struct cli *c, struct link *l, const char *name,
		       struct bytes body, const struct hash *want)
{
	char path[128], text[HASH_TEXT_BYTES];
	struct answer a;
	json_t *o = NULL;
	enum cli_exit code;

	snprintf(path, sizeof(path), "/blob/%s?name=%s", hash_text(want, text),
		 name);
	if (c->explain)
		fprintf(stderr, "PUT http://%s:%u%s (%zu bytes)\n", l->host,
			(unsigned)l->port, path, body.n);
	code = request(l, EVHTTP_REQ_PUT, path, "application/octet-stream",
		       body, &a);
	if (!code && (a.status == 200 || a.status == 201))
		o = json_loadb((const char *)a.body, a.bytes, 0, NULL);
	if (code == CLI_UNREACHABLE)
		code = unreachable(c, l);
	else if (!code && strcmp(link_text(o, "root"), hash_text(want, text)))
		code = cli_fail(c, CLI_FAILED, "bad_proof",
				"the node did not keep blob %.16s (HTTP "
				"status %d)",
				text, a.status);
	json_decref(o);
	free(a.body);
	return code;
}

enum cli_exit link_get(struct cli *c, struct link *l, const struct hash *root,
		       uint64_t bytes, uint8_t **ret_bytes)
{
	char path[96], text[HASH_TEXT_BYTES];
	struct answer a;
	struct hash got;
	enum cli_exit code;

	snprintf(path, sizeof(path), "/blob/%s", hash_text(root, text));
	if (c->explain)
		fprintf(stderr, "GET http://%s:%u%s\n", l->host,
			(unsigned)l->port, path);
	code = request(l, EVHTTP_REQ_GET, path, NULL, (struct bytes){0}, &a);
	if (code == CLI_UNREACHABLE)
		return unreachable(c, l);
	if (code)
		return code;
	got = merkle_bytes_root(bytes_of(a.body, a.bytes));
	if (a.status != 200 || a.bytes != bytes || !hash_eq(&got, root)) {
		free(a.body);
		return cli_fail(c, CLI_FAILED, "output_unavailable",
				"blob %.16s cannot be had (HTTP status %d)",
				text, a.status);
	}
	*ret_bytes = a.body;
	return CLI_DONE;
}

/* Ids of one page that begin with typed; the last one into ret_id. */
static unsigned count_matches(const json_t *page, const char *typed,
			      char ret_id[HASH_TEXT_BYTES])
{
	unsigned n = 0;
	json_t *o;
	size_t i;

	json_array_foreach(page, i, o)
	{
		const char *id = link_text(o, "id");

		if (strncmp(id, typed, strlen(typed)) != 0)
			continue;
		snprintf(ret_id, HASH_TEXT_BYTES, "%s", id);
		n++;
	}
	return n;
}

enum cli_exit link_id(struct cli *c, struct link *l, const char *method,
		      const char *key, const char *typed,
		      char ret_id[HASH_TEXT_BYTES])
{
	json_t *page, *cursor = NULL;
	unsigned n = 0;
	enum cli_exit code;

	if (strspn(typed, "0123456789abcdef") != strlen(typed) ||
	    strlen(typed) > 64 || !*typed)
		return cli_usage(c,
				 "\"%s\" is no id: it is made of 64 hex "
				 "digits, or the first few",
				 typed);
	if (strlen(typed) == 64) {
		snprintf(ret_id, HASH_TEXT_BYTES, "%s", typed);
		return CLI_DONE;
	}
	do {
		json_t *params = json_pack("{s:i}", "limit", 500);

		if (cursor)
			json_object_set_new(params, "cursor", cursor);
		code = link_call(c, l, method, params, &page);
		if (code)
			return code;
		n += count_matches(json_object_get(page, key), typed, ret_id);
		cursor = json_incref(json_object_get(page, "next"));
		json_decref(page);
	} while (json_is_string(cursor));
	json_decref(cursor);
	if (n == 1)
		return CLI_DONE;
	if (n)
		return cli_fail(c, CLI_FAILED, "not_found",
				"%u ids begin with %s: type more of it", n,
				typed);
	return cli_fail(c, CLI_FAILED, "not_found", "no id begins with %s",
			typed);
}

const char *link_text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

uint64_t link_number(const json_t *o, const char *key)
{
	json_int_t v = json_integer_value(json_object_get(o, key));

	return v < 0 ? 0 : (uint64_t)v;
}

uint64_t link_count(const json_t *o, const char *key)
{
	return strtoull(link_text(o, key), NULL, 10);
}
