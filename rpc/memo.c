/*
 * Idempotency: the answer of a spending call is kept under (method, key)
 * with a hash of its parameters.  The same key gives the same answer; with
 * other parameters it is an error.  A call that failed is not kept.
 */
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "rpc/priv/call.h"

static const json_t *key_of(const struct rpc_call *c)
{
	const json_t *k = json_object_get(c->params, "idempotency_key");

	return json_is_string(k) ? k : 0;
}

static bool hash_params(struct rpc_call *c)
{
	char *text = json_dumps(c->params, JSON_SORT_KEYS | JSON_COMPACT);

	if (!text)
		return false;
	c->memo_params = sha256_tagged("weft/memo", text, strlen(text));
	free(text);
	return true;
}

static void answer_kept(struct rpc_call *c, struct bytes value)
{
	struct dec d = dec_make(value);
	struct hash params;
	struct bytes text;
	json_t *result;

	dec_array_exact(&d, 2);
	params = dec_hash(&d);
	text = dec_str(&d, RPC_ANSWER_BYTES_MAX);
	if (dec_end(&d)) {
		rpc_fail(c, RPC_ERROR_internal, "a kept answer is damaged");
		return;
	}
	if (!hash_eq(&params, &c->memo_params)) {
		rpc_fail(c, RPC_ERROR_other_params, 0);
		return;
	}
	result = json_loadb((const char *)text.p, text.n, JSON_DECODE_ANY, 0);
	if (!result) {
		rpc_fail(c, RPC_ERROR_internal, "a kept answer is damaged");
		return;
	}
	buf_reset(&c->memo_key);
	rpc_answer(c, result);
}

bool rpc_memo_look(struct rpc_call *c)
{
	const struct rpc_ops *ops = &c->rpc->host.ops;
	const json_t *key = key_of(c);
	struct buf value = buf_make(RPC_ANSWER_BYTES_MAX);
	enum err e;

	if (!key)
		return false;
	if (json_string_length(key) == 0 ||
	    json_string_length(key) > RPC_IDEMPOTENCY_MAX) {
		rpc_fail(c, RPC_ERROR_invalid_params,
			 "params.idempotency_key: expected 1 to 64 bytes");
		return true;
	}
	if (!ops->memo_get || !ops->memo_put || !hash_params(c))
		return false;
	c->memo_key = buf_make(256);
	buf_put_str(&c->memo_key, c->method->name);
	buf_put_u8(&c->memo_key, 0);
	buf_put(&c->memo_key, json_string_value(key), json_string_length(key));
	e = ops->memo_get(ops->ctx, buf_bytes(&c->memo_key), &value);
	if (e == ERR_OK)
		answer_kept(c, buf_bytes(&value));
	else if (e != ERR_NOT_FOUND)
		rpc_fail_err(c, e);
	buf_free(&value);
	return e != ERR_NOT_FOUND;
}

void rpc_memo_keep(struct rpc_call *c, const json_t *result)
{
	const struct rpc_ops *ops = &c->rpc->host.ops;
	struct buf value = buf_make(RPC_ANSWER_BYTES_MAX);
	char *text;

	if (c->memo_key.n == 0)
		return;
	text = json_dumps(result, JSON_COMPACT | JSON_ENCODE_ANY);
	if (text) {
		enc_array(&value, 2);
		enc_hash(&value, &c->memo_params);
		enc_str(&value, bytes_str(text));
		/* An answer that cannot be kept is still an answer. */
		if (!value.err)
			(void)!ops->memo_put(ops->ctx, buf_bytes(&c->memo_key),
					     buf_bytes(&value));
	}
	free(text);
	buf_free(&value);
}
