/*
 * A request holds one slot a call; each call answers its slot, and the last
 * one sends the whole.  Waiting calls hang in one list that rpc_look walks.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/must.h"
#include "ledger/chain.h"
#include "rpc/priv/call.h"

struct rpc_request {
	json_t **slots; /* answers; NULL: none (notification, or open) */
	size_t count;
	size_t open; /* calls that have not answered, and the parser */
	bool is_batch;
	bool is_dropped;
	void (*done)(void *arg, int http_status, struct bytes answer);
	void *arg;
};

struct rpc *rpc_new(const struct rpc_host *host)
{
	struct rpc *r = calloc(1, sizeof(*r));

	if (r)
		r->host = *host;
	return r;
}

static void request_free(struct rpc_request *q)
{
	for (size_t i = 0; i < q->count; i++)
		json_decref(q->slots[i]);
	free(q->slots);
	free(q);
}

static void request_send(struct rpc_request *q)
{
	json_t *all = q->is_batch ? json_array() : 0;
	char *text = 0;
	bool any = false;

	for (size_t i = 0; i < q->count; i++) {
		if (!q->slots[i])
			continue;
		any = true;
		if (q->is_batch)
			json_array_append(all, q->slots[i]);
		else
			all = json_incref(q->slots[i]);
	}
	if (any)
		text = json_dumps(all, JSON_COMPACT);
	if (!q->is_dropped)
		q->done(q->arg, any ? 200 : 204,
			text ? bytes_str(text) : (struct bytes){0});
	free(text);
	json_decref(all);
	request_free(q);
}

static void request_release(struct rpc_request *q)
{
	must(q->open > 0);
	if (--q->open == 0)
		request_send(q);
}

void rpc_drop(struct rpc_request *q)
{
	q->is_dropped = true;
}

static void call_free(struct rpc_call *c)
{
	json_decref(c->id);
	json_decref(c->params);
	json_decref(c->saved);
	buf_free(&c->memo_key);
	free(c);
}

/* Put an answer object into the call's slot; the call is gone. */
static void call_end(struct rpc_call *c, const char *key, json_t *value)
{
	struct rpc_request *q = c->request;

	if (c->id) {
		json_t *o = json_object();

		json_object_set_new(o, "jsonrpc", json_string("2.0"));
		json_object_set(o, "id", c->id);
		json_object_set_new(o, key, value);
		q->slots[c->index] = o;
	} else {
		json_decref(value);
	}
	call_free(c);
	request_release(q);
}

void rpc_answer(struct rpc_call *c, json_t *result)
{
	if (!result) {
		rpc_fail(c, RPC_ERROR_internal, 0);
		return;
	}
	rpc_memo_keep(c, result);
	call_end(c, "result", result);
}

static void fail_with(struct rpc_call *c, int code, const char *message,
		      const char *word, const char *hint)
{
	json_t *e = json_object(), *data = json_object();

	out_text(data, "reason", word);
	out_text(data, "hint", hint);
	json_object_set_new(e, "code", json_integer(code));
	out_text(e, "message", message);
	json_object_set_new(e, "data", data);
	call_end(c, "error", e);
}

void rpc_fail(struct rpc_call *c, int code, const char *words)
{
	fail_with(c, code, words ? words : rpc_error_message(code),
		  rpc_error_word(code), rpc_error_hint(code));
}

void rpc_refuse(struct rpc_call *c, enum reason why, const char *words)
{
	const char *word = reason_word(why);

	fail_with(c, (int)why, words ? words : word, word, reason_hint(why));
}

void rpc_fail_err(struct rpc_call *c, enum err e)
{
	if (e == ERR_NOT_FOUND)
		rpc_refuse(c, REASON_not_found, 0);
	else if (e == ERR_BUSY)
		rpc_fail(c, RPC_ERROR_busy, 0);
	else if (e == ERR_UNSUPPORTED)
		rpc_fail(c, RPC_ERROR_not_here, 0);
	else if (e == ERR_WORKER_DIED || e == ERR_WORKER_LIED)
		rpc_fail(c, RPC_ERROR_worker_failed, err_words(e));
	else
		rpc_fail(c, RPC_ERROR_internal, err_words(e));
}

struct ledger *rpc_view(struct rpc_call *c)
{
	struct ledger_chain *chain = c->rpc->host.chain;
	struct ledger *l = 0;

	if (chain && ledger_chain_view(chain, &l) == ERR_OK)
		return l;
	rpc_fail(c, RPC_ERROR_no_state, 0);
	return 0;
}

void rpc_tell(struct rpc_call *c, enum rpc_topic topic)
{
	const struct rpc_ops *ops = &c->rpc->host.ops;
	const struct hash *id = c->arg[0].present ? &c->arg[0].id : 0;
	json_t *o = ops->tell ? ops->tell(ops->ctx, topic, id) : 0;

	if (o)
		rpc_answer(c, o);
	else if (ops->tell && id)
		rpc_refuse(c, REASON_not_found, 0);
	else
		rpc_fail(c, RPC_ERROR_not_here, 0);
}

void rpc_wait(struct rpc_call *c, uint64_t timeout_ms,
	      bool (*look)(struct rpc_call *c, bool timed_out))
{
	struct rpc *r = c->rpc;

	if (look(c, timeout_ms == 0))
		return;
	if (r->waiting_count == RPC_WAITING_MAX) {
		rpc_fail(c, RPC_ERROR_busy, 0);
		return;
	}
	c->look = look;
	if (!u64_add(r->now_ms, timeout_ms, &c->until_ms))
		c->until_ms = UINT64_MAX;
	c->next_waiting = r->waiting;
	r->waiting = c;
	r->waiting_count++;
}

void rpc_look(struct rpc *r, uint64_t now_ms)
{
	struct rpc_call **at = &r->waiting;

	r->now_ms = now_ms;
	while (*at) {
		struct rpc_call *c = *at, *next = c->next_waiting;

		if (c->look(c, now_ms >= c->until_ms)) {
			*at = next;
			r->waiting_count--;
		} else {
			at = &c->next_waiting;
		}
	}
}

uint64_t rpc_wake_ms(const struct rpc *r)
{
	uint64_t soonest = UINT64_MAX;

	for (struct rpc_call *c = r->waiting; c; c = c->next_waiting) {
		if (c->until_ms < soonest)
			soonest = c->until_ms;
	}
	return soonest;
}

void rpc_free(struct rpc *r)
{
	if (!r)
		return;
	while (r->waiting) {
		struct rpc_call *c = r->waiting;

		r->waiting = c->next_waiting;
		c->request->is_dropped = true;
		rpc_fail(c, RPC_ERROR_internal, "the node stops");
	}
	free(r);
}

static void call_run(struct rpc_call *c, const struct rpc_caller *caller)
{
	if (!c->method) {
		rpc_fail(c, RPC_ERROR_method_not_found, 0);
		return;
	}
	if (!(caller->scopes & (unsigned)c->method->scope)) {
		rpc_fail(c, RPC_ERROR_forbidden, 0);
		return;
	}
	if (c->method->spends && !c->id) {
		rpc_fail(c, RPC_ERROR_spends_silently, 0);
		return;
	}
	if (!rpc_args_read(c) || (c->method->spends && rpc_memo_look(c)))
		return;
	c->method->run(c);
}

static bool id_is_good(const json_t *id)
{
	return json_is_string(id) || json_is_number(id) || json_is_null(id);
}

static void request_call(struct rpc *r, struct rpc_request *q, size_t index,
			 const struct rpc_caller *caller, json_t *v)
{
	const json_t *version = json_object_get(v, "jsonrpc");
	const json_t *method = json_object_get(v, "method");
	json_t *id = json_object_get(v, "id");
	struct rpc_call *c = calloc(1, sizeof(*c));

	if (!c)
		return;
	q->open++;
	c->rpc = r;
	c->request = q;
	c->index = index;
	c->id = id && id_is_good(id) ? json_incref(id) : 0;
	c->params = json_incref(json_object_get(v, "params"));
	if (!json_is_object(v) || !json_is_string(method) ||
	    !json_is_string(version) ||
	    strcmp(json_string_value(version), "2.0") != 0 ||
	    (id && !id_is_good(id))) {
		if (!c->id)
			c->id = json_null();
		rpc_fail(c, RPC_ERROR_invalid_request, 0);
		return;
	}
	c->method = rpc_method_find(json_string_value(method));
	call_run(c, caller);
}

/* A request that cannot be taken apart is answered as one call with id null. */
static void request_fail(struct rpc *r, struct rpc_request *q, int code,
			 const char *words)
{
	struct rpc_call *c = calloc(1, sizeof(*c));

	q->is_batch = false;
	if (!c)
		return;
	q->open++;
	c->rpc = r;
	c->request = q;
	c->id = json_null();
	rpc_fail(c, code, words);
}

static bool request_slots(struct rpc_request *q, size_t count)
{
	q->slots = calloc(count ? count : 1, sizeof(*q->slots));
	q->count = q->slots ? count : 0;
	return q->slots != 0;
}

static void request_take(struct rpc *r, struct rpc_request *q,
			 const struct rpc_caller *caller, struct bytes body)
{
	json_error_t why;
	json_t *v = 0;
	size_t n;

	if (!request_slots(q, 1))
		return;
	if (body.n <= RPC_REQUEST_BYTES_MAX && rpc_depth_ok(body))
		v = json_loadb((const char *)body.p, body.n,
			       JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &why);
	if (!v) {
		request_fail(r, q, RPC_ERROR_parse_error, 0);
		return;
	}
	n = json_array_size(v);
	if (!json_is_array(v)) {
		request_call(r, q, 0, caller, v);
	} else if (n == 0) {
		request_fail(r, q, RPC_ERROR_invalid_request, 0);
	} else if (n > RPC_BATCH_MAX) {
		request_fail(r, q, RPC_ERROR_too_many, 0);
	} else {
		free(q->slots);
		q->is_batch = true;
		if (request_slots(q, n)) {
			for (size_t i = 0; i < n; i++)
				request_call(r, q, i, caller,
					     json_array_get(v, i));
		}
	}
	json_decref(v);
}

struct rpc_request *rpc_handle(struct rpc *r, const struct rpc_caller *caller,
			       struct bytes body, uint64_t now_ms,
			       void (*done)(void *arg, int http_status,
					    struct bytes answer),
			       void *arg)
{
	struct rpc_request *q = calloc(1, sizeof(*q));
	bool is_open;

	if (!q) {
		done(arg, 500, (struct bytes){0});
		return 0;
	}
	r->now_ms = now_ms;
	q->done = done;
	q->arg = arg;
	q->open = 1;
	request_take(r, q, caller, body);
	is_open = q->open > 1;
	request_release(q);
	return is_open ? q : 0;
}
