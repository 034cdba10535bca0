/*
 * program.*: manifests over JSON-RPC. Compiling happens in the worker.
 */
#include <stdlib.h>
#include <string.h>

#include "rpc/priv/build.h"

static const struct rpc_param build_params[] = {
	{"manifest", RPC_TYPE_OBJECT, true,
	 "as in a file, with {\"text\": ...} or {\"blob\": ROOT} for paths"},
	{0},
};

struct build_state {
	struct rpc_call *call;
	void (*then)(struct rpc_call *c, const struct rpc_built *b);
};

static void built(void *arg, const struct rpc_built *b)
{
	struct build_state *st = arg;
	struct rpc_call *c = st->call;
	void (*then)(struct rpc_call *, const struct rpc_built *) = st->then;

	free(st);
	if (b->err == ERR_OK)
		then(c, b);
	else if (b->err == ERR_WORKER_DIED || b->err == ERR_WORKER_LIED)
		rpc_fail_err(c, b->err);
	else
		rpc_fail(c, RPC_ERROR_build_failed,
			 b->words ? b->words : err_words(b->err));
}

void rpc_build(struct rpc_call *c, json_t *manifest,
	       void (*then)(struct rpc_call *c, const struct rpc_built *b))
{
	const struct rpc_ops *ops = &c->rpc->host.ops;
	struct build_state *st;
	char *text;

	if (!ops->build) {
		rpc_fail(c, RPC_ERROR_not_here, 0);
		return;
	}
	st = malloc(sizeof(*st));
	text = json_dumps(manifest, JSON_PRESERVE_ORDER);
	if (!st || !text) {
		free(st);
		free(text);
		rpc_fail_err(c, ERR_NO_MEMORY);
		return;
	}
	st->call = c;
	st->then = then;
	ops->build(ops->ctx, bytes_str(text), built, st);
	free(text);
}

json_t *json_of_built(const struct rpc_built *b)
{
	json_t *o = json_object();

	out_hash(o, "program", &b->program_id);
	out_hash(o, "header_root", &b->header_root);
	out_hash(o, "tasks_root", &b->tasks_root);
	out_number(o, "tasks", b->task_count);
	json_object_set_new(o, "work", json_of_work(&b->work));
	json_object_set(o, "detail", b->detail ? b->detail : json_null());
	return o;
}

static void answer(struct rpc_call *c, const struct rpc_built *b)
{
	rpc_answer(c, json_of_built(b));
}

static void build(struct rpc_call *c)
{
	rpc_build(c, c->arg[0].json, answer);
}

static void tell(struct rpc_call *c)
{
	rpc_tell(c, RPC_TOPIC_PROGRAM);
}

static const struct rpc_param id_params[] = {
	{"id", RPC_TYPE_ID, true, "program id"},
	{0},
};

const struct rpc_method rpc_methods_program[] = {
	{"program.build", "compile, check and quote a manifest; kept here",
	 RPC_SCOPE_SPEND, false, build_params, build,
	 "program, header_root, tasks_root, tasks, work, detail"},
	{"program.check", "the class of each launch, with reasons",
	 RPC_SCOPE_SPEND, false, build_params, build, "as program.build"},
	{"program.get", "a program that this node holds", RPC_SCOPE_READ, false,
	 id_params, tell, "an object"},
	{"program.list", "programs that this node holds", RPC_SCOPE_READ, false,
	 0, tell, "programs"},
	{0},
};
