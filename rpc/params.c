/*
 * Parameters are read by the method's list: unknown names, missing ones and
 * values of another type are refused with the name and what was expected.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bech32m.h"
#include "rpc/priv/call.h"

static const struct {
	const char *schema;
	const char *words;
} types[] = {
	[RPC_TYPE_TEXT] = {"{\"type\":\"string\"}", "a string"},
	[RPC_TYPE_ID] = {"{\"type\":\"string\",\"pattern\":\"^[0-9a-f]{64}$\"}",
			 "64 lower-case hex digits"},
	[RPC_TYPE_ADDRESS] = {"{\"type\":\"string\",\"format\":\"bech32m\"}",
			      "an address of this network"},
	[RPC_TYPE_COUNT] = {"{\"type\":\"string\",\"pattern\":\"^(0|[1-9]"
			    "[0-9]{0,19})$\"}",
			    "a whole number below 2^64 as a decimal string"},
	[RPC_TYPE_PICKS] = {"{\"type\":\"string\",\"pattern\":\"^(0|[1-9]"
			    "[0-9]{0,19})$\"}",
			    "picks (10^-9 WEFT) as a decimal string"},
	[RPC_TYPE_NUMBER] = {"{\"type\":\"integer\",\"minimum\":0,"
			     "\"maximum\":9007199254740991}",
			     "a whole number"},
	[RPC_TYPE_BOOL] = {"{\"type\":\"boolean\"}", "true or false"},
	[RPC_TYPE_HEX] = {"{\"type\":\"string\",\"pattern\":\"^([0-9a-f]{2})"
			  "*$\"}",
			  "bytes in hex"},
	[RPC_TYPE_OBJECT] = {"{\"type\":\"object\"}", "an object"},
	[RPC_TYPE_ARRAY] = {"{\"type\":\"array\"}", "an array"},
};

const char *rpc_type_schema(enum rpc_type type)
{
	return types[type].schema;
}

static bool read_decimal(struct bytes t, uint64_t *ret_v)
{
	uint64_t v = 0;

	if (t.n == 0 || t.n > 20 || (t.n > 1 && t.p[0] == '0'))
		return false;
	for (size_t i = 0; i < t.n; i++) {
		if (t.p[i] < '0' || t.p[i] > '9' || !u64_mul(v, 10, &v) ||
		    !u64_add(v, (uint64_t)(t.p[i] - '0'), &v))
			return false;
	}
	*ret_v = v;
	return true;
}

static bool is_lower_hex(struct bytes t)
{
	for (size_t i = 0; i < t.n; i++) {
		if (!strchr("0123456789abcdef", t.p[i]) || !t.p[i])
			return false;
	}
	return t.n % 2 == 0;
}

static bool read_number(json_t *v, struct rpc_arg *a)
{
	json_int_t i = json_integer_value(v);

	if (!json_is_integer(v) || i < 0 || i > 9007199254740991)
		return false;
	a->number = (uint64_t)i;
	return true;
}

bool rpc_value_read(const struct rpc *r, enum rpc_type type, json_t *v,
		    struct rpc_arg *a, const char **reterr_why)
{
	struct bytes t = {(const uint8_t *)json_string_value(v),
			  json_string_length(v)};
	bool ok = false;

	a->text = t;
	a->json = v;
	switch (type) {
	case RPC_TYPE_TEXT:
		ok = json_is_string(v);
		break;
	case RPC_TYPE_ID:
		ok = json_is_string(v) && is_lower_hex(t) &&
		     hex_decode(t, a->id.b, sizeof(a->id.b)) == ERR_OK;
		break;
	case RPC_TYPE_ADDRESS:
		ok = json_is_string(v) &&
		     address_parse(r->host.hrp, t, &a->account) == ERR_OK;
		break;
	case RPC_TYPE_COUNT:
	case RPC_TYPE_PICKS:
		ok = json_is_string(v) && read_decimal(t, &a->number);
		a->coin = coin_picks(a->number);
		break;
	case RPC_TYPE_NUMBER:
		ok = read_number(v, a);
		break;
	case RPC_TYPE_BOOL:
		ok = json_is_boolean(v);
		a->number = json_is_true(v);
		break;
	case RPC_TYPE_HEX:
		ok = json_is_string(v) && is_lower_hex(t);
		break;
	case RPC_TYPE_OBJECT:
		ok = json_is_object(v);
		break;
	case RPC_TYPE_ARRAY:
		ok = json_is_array(v);
		break;
	}
	a->present = ok;
	if (!ok)
		*reterr_why = types[type].words;
	return ok;
}

static int param_index(const struct rpc_param *p, const char *name)
{
	for (int i = 0; p[i].name; i++) {
		if (strcmp(p[i].name, name) == 0)
			return i;
	}
	return -1;
}

static void fail_param(struct rpc_call *c, const char *name, const char *why)
{
	char words[256];

	snprintf(words, sizeof(words), "params.%.64s: %s", name, why);
	rpc_fail(c, RPC_ERROR_invalid_params, words);
}

bool rpc_args_read(struct rpc_call *c)
{
	static const struct rpc_param none[] = {{0}};
	const struct rpc_param *p =
		c->method->params ? c->method->params : none;
	const char *name, *why = "";
	char expected[160];
	json_t *v;

	if (c->params && !json_is_object(c->params)) {
		rpc_fail(c, RPC_ERROR_invalid_params,
			 "params go by name: send an object");
		return false;
	}
	json_object_foreach(c->params, name, v)
	{
		int i = param_index(p, name);

		if (i < 0) {
			fail_param(c, name, "no such parameter");
			return false;
		}
		if (json_is_null(v))
			continue;
		if (!rpc_value_read(c->rpc, p[i].type, v, &c->arg[i], &why)) {
			snprintf(expected, sizeof(expected), "expected %s",
				 why);
			fail_param(c, name, expected);
			return false;
		}
	}
	for (int i = 0; p[i].name; i++) {
		if (p[i].required && !c->arg[i].present) {
			fail_param(c, p[i].name, "missing");
			return false;
		}
	}
	return true;
}

uint32_t rpc_limit(const struct rpc_arg *limit)
{
	if (!limit->present || limit->number == 0)
		return 50;
	return limit->number > 500 ? 500 : (uint32_t)limit->number;
}
