/*
 * Jobs and the totals of their work as JSON, and back.
 */
#define _GNU_SOURCE
#include <stdio.h>

#include "ledger/chain.h"
#include "ledger/state.h"
#include "market/explain.h"
#include "market/job.h"
#include "rpc/priv/call.h"

/* Most offers or jobs that one explanation looks at. */
#define EXPLAIN_MOST 4096u

/* name in JSON, field: both directions from one list. */
#define WORK_COUNTS(X)                      \
	X(ops_per_task, ops_per_task)       \
	X(limit_ops, limit_ops)             \
	X(cta_ops_max, cta_ops_max)         \
	X(sample_ops, sample_ops)           \
	X(cta_open_max_bytes, cta_open_max) \
	X(written_bytes, written_bytes)     \
	X(input_bytes, input_bytes)         \
	X(output_bytes, output_bytes)       \
	X(memory_bytes, memory_bytes)

json_t *json_of_work(const struct market_work *w)
{
	json_t *o = json_object();

#define X(name, field) out_count(o, #name, w->field);
	WORK_COUNTS(X)
#undef X
	out_number(o, "step_count", w->step_count);
	out_number(o, "sm_min", w->sm_min);
	out_text(o, "class", market_class_word(w->class_bit));
	return o;
}

static bool take(const struct rpc *r, json_t *o, const char *key,
		 enum rpc_type type, struct rpc_arg *a, const char **why)
{
	static char words[128];
	json_t *v = json_object_get(o, key);

	if (v && rpc_value_read(r, type, v, a, why))
		return true;
	snprintf(words, sizeof(words), "params.work.%s: expected %s", key,
		 v ? *why : "to be there");
	*why = words;
	return false;
}

bool work_of_json(const struct rpc *r, json_t *o, struct market_work *ret_work,
		  const char **why)
{
	struct market_work w = {0};
	struct rpc_arg a = {0};

#define X(name, field)                                   \
	if (!take(r, o, #name, RPC_TYPE_COUNT, &a, why)) \
		return false;                            \
	w.field = a.number;
	WORK_COUNTS(X)
#undef X
	if (!take(r, o, "step_count", RPC_TYPE_NUMBER, &a, why))
		return false;
	w.step_count = (uint32_t)a.number;
	if (!take(r, o, "sm_min", RPC_TYPE_NUMBER, &a, why))
		return false;
	w.sm_min = (uint32_t)a.number;
	if (!take(r, o, "class", RPC_TYPE_TEXT, &a, why))
		return false;
	for (uint32_t i = 0; i < MARKET_CLASS_COUNT; i++) {
		if (bytes_eq(a.text, bytes_str(market_class_word(1u << i))))
			w.class_bit = 1u << i;
	}
	if (!w.class_bit) {
		*why = "params.work.class: expected A, A_assumed, B, R or S";
		return false;
	}
	*ret_work = w;
	return true;
}

static const char *state_word(enum market_job_state s)
{
	switch (s) {
	case MARKET_JOB_OPEN:
		return "open";
	case MARKET_JOB_PAUSED:
		return "paused";
	case MARKET_JOB_CLOSING:
		return "closing";
	case MARKET_JOB_ENDED:
		return "ended";
	}
	return "?";
}

static const char *confidence_word(enum market_confidence c)
{
	switch (c) {
	case MARKET_SAMPLED:
		return "sampled";
	case MARKET_SAMPLES:
		return "samples";
	case MARKET_DUAL:
		return "dual";
	case MARKET_FULL:
		return "full";
	case MARKET_TASKS:
		return "tasks";
	}
	return "?";
}

static void put_money(json_t *o, const struct market_job *j)
{
	out_coin(o, "escrow_picks", j->escrow);
	out_coin(o, "reserved_picks", j->reserved);
	out_coin(o, "paid_picks", j->paid);
	out_coin(o, "fees_picks", j->fees);
	out_coin(o, "price_max_picks_per_gop", j->terms.gop_price_max);
}

static void put_tasks(json_t *o, const struct market_job *j)
{
	json_t *t = json_object();

	out_number(t, "count", j->terms.task_count);
	out_number(t, "free", j->free_count);
	out_number(t, "in_lease", j->in_lease_count);
	out_number(t, "committed", j->committed_count);
	out_number(t, "done", j->done_count);
	out_number(t, "quarantined", j->quarantined_count);
	json_object_set_new(o, "tasks", t);
}

json_t *json_of_job(const struct rpc *r, struct ledger *l,
		    const struct market_job *j)
{
	json_t *o = json_object();

	out_hash(o, "id", &j->id);
	out_account(o, "buyer", r, &j->buyer);
	out_text(o, "state", state_word(j->state));
	out_text(o, "reason", reason_word(j->reason));
	put_tasks(o, j);
	put_money(o, j);
	out_hash(o, "program", &j->terms.program_id);
	out_hash(o, "header_root", &j->terms.header_root);
	out_hash(o, "tasks_root", &j->terms.tasks_root);
	out_text(o, "confidence", confidence_word(j->terms.confidence));
	json_object_set_new(o, "work", json_of_work(&j->terms.work));
	out_number(o, "posted_height", j->posted_height);
	out_number(o, "deadline_height", j->terms.deadline_height);
	out_number(o, "ended_height", j->ended_height);
	out_number(o, "height", l->height);
	return o;
}

json_t *json_of_misfits(const uint32_t *counts)
{
	json_t *o = json_object(), *all = json_array();

	for (unsigned i = 0; i < MARKET_MISFIT_COUNT; i++) {
		json_t *x;

		if (!counts[i])
			continue;
		x = json_object();
		out_text(x, "reason",
			 market_misfit_word((enum market_misfit)i));
		out_text(x, "words", market_misfit_text((enum market_misfit)i));
		out_number(x, "count", counts[i]);
		json_array_append_new(all, x);
	}
	json_object_set_new(o, "reasons", all);
	return o;
}

void rpc_answer_changed(struct rpc_call *c, const struct rpc_sent *s)
{
	json_t *o = json_object();

	out_hash(o, "id", &c->arg[0].id);
	out_hash(o, "tx", &s->tx_id);
	out_number(o, "height", s->height);
	rpc_answer(c, o);
}

void rpc_answer_page(struct rpc_call *c, const char *name, size_t limit_at,
		     enum err (*next)(struct rpc_call *c, struct ledger *l,
				      const struct hash *after,
				      struct hash *ret_id, json_t **ret_o))
{
	const struct rpc_arg *cursor = &c->arg[limit_at + 1];
	uint32_t most = rpc_limit(&c->arg[limit_at]);
	struct ledger *l = rpc_view(c);
	const struct hash *after = cursor->present ? &cursor->id : NULL;
	struct hash id;
	json_t *all, *one, *o;
	enum err e = ERR_OK;

	if (!l)
		return;
	all = json_array();
	while (json_array_size(all) < most) {
		e = next(c, l, after, &id, &one);
		if (e)
			break;
		after = &id;
		json_array_append_new(all, one);
	}
	o = json_object();
	json_object_set_new(o, name, all);
	out_id_or_null(o, "next", e ? &HASH_ZERO : after);
	out_number(o, "height", l->height);
	ledger_chain_view_end(l);
	if (e && e != ERR_NOT_FOUND) {
		json_decref(o);
		rpc_fail_err(c, e);
		return;
	}
	rpc_answer(c, o);
}

void rpc_explain(struct rpc_call *c,
		 enum err (*explain)(struct ledger *l, const struct hash *id,
				     uint32_t most, uint32_t *ret_counts))
{
	struct ledger *l = rpc_view(c);
	uint32_t counts[MARKET_MISFIT_COUNT] = {0};
	enum err e;

	if (!l)
		return;
	e = explain(l, &c->arg[0].id, EXPLAIN_MOST, counts);
	ledger_chain_view_end(l);
	if (e)
		rpc_fail_err(c, e);
	else
		rpc_answer(c, json_of_misfits(counts));
}
