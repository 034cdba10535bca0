/*
 * rpc.discover: OpenRPC, made from the dispatcher's own table.
 */
#include <stdlib.h>

#include "ledger/event.h"
#include "rpc/priv/call.h"

static json_t *schema_of(enum rpc_type type)
{
	return json_loads(rpc_type_schema(type), 0, 0);
}

static json_t *params_of(const struct rpc_method *m)
{
	json_t *all = json_array();

	for (const struct rpc_param *p = m->params; p && p->name; p++) {
		json_t *o = json_object();

		out_text(o, "name", p->name);
		out_text(o, "description", p->words);
		out_bool(o, "required", p->required);
		json_object_set_new(o, "schema", schema_of(p->type));
		json_array_append_new(all, o);
	}
	return all;
}

static const char *scope_word(enum rpc_scope s)
{
	switch (s) {
	case RPC_SCOPE_READ:
		return "read";
	case RPC_SCOPE_SPEND:
		return "spend";
	case RPC_SCOPE_CONTROL:
		return "control";
	}
	return "";
}

static json_t *method_json(const struct rpc_method *m)
{
	json_t *o = json_object(), *result = json_object();

	out_text(o, "name", m->name);
	out_text(o, "summary", m->words);
	out_text(o, "paramStructure", "by-name");
	out_text(o, "x-scope", scope_word(m->scope));
	out_bool(o, "x-spends", m->spends);
	json_object_set_new(o, "params", params_of(m));
	out_text(result, "name", "result");
	out_text(result, "description", m->result);
	json_object_set_new(result, "schema", json_object());
	json_object_set_new(o, "result", result);
	return o;
}

static json_t *errors_json(void)
{
	json_t *all = json_array();

#define X(word, code, message_, hint)                               \
	{                                                           \
		json_t *e = json_object();                          \
		json_object_set_new(e, "code", json_integer(code)); \
		out_text(e, "message", message_);                   \
		out_text(e, "x-reason", #word);                     \
		json_array_append_new(all, e);                      \
	}
	RPC_ERRORS(X)
#undef X
#define X(word, number, hint)                                         \
	if ((number) > 0) {                                           \
		json_t *e = json_object();                            \
		json_object_set_new(e, "code", json_integer(number)); \
		out_text(e, "message", #word);                        \
		out_text(e, "x-reason", #word);                       \
		json_array_append_new(all, e);                        \
	}
	REASON_LIST(X)
#undef X
	return all;
}

static void discover(struct rpc_call *c)
{
	json_t *o = json_object(), *info = json_object(), *all = json_array();
	const struct rpc_method *m;

	out_text(o, "openrpc", "1.3.2");
	out_text(info, "title", "Weft");
	out_text(info, "version", c->rpc->host.version);
	json_object_set_new(o, "info", info);
	for (size_t i = 0; (m = rpc_method_at(i)); i++)
		json_array_append_new(all, method_json(m));
	json_object_set_new(o, "methods", all);
	json_object_set_new(o, "x-errors", errors_json());
	rpc_answer(c, o);
}

const struct rpc_method rpc_methods_rpc[] = {
	{"rpc.discover", "every method with its parameters, as OpenRPC",
	 RPC_SCOPE_READ, false, 0, discover, "an OpenRPC document"},
	{0},
};

void rpc_event_json(const struct rpc *r, const struct ledger_event *e,
		    uint64_t height, uint64_t time_ms, struct buf *out)
{
	static const struct pubkey nobody;
	json_t *o = json_object();
	char *text;

	out_text(o, "event", e->name);
	out_number(o, "height", height);
	out_time(o, "time", time_ms);
	out_id_or_null(o, "object", &e->object);
	if (!pubkey_eq(&e->a, &nobody))
		out_account(o, "account", r, &e->a);
	if (!pubkey_eq(&e->b, &nobody))
		out_account(o, "other", r, &e->b);
	text = json_dumps(o, JSON_COMPACT);
	if (text)
		buf_put_str(out, text);
	else
		out->err = ERR_NO_MEMORY;
	free(text);
	json_decref(o);
}
