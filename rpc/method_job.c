/*
 * job.*: what a buyer asks for. A job comes as a manifest, which is built
 * first, or as a program whose blobs are at this node already.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/chain.h"
#include "market/explain.h"
#include "market/kinds.h"
#include "market/price.h"
#include "market/record.h"
#include "rpc/priv/build.h"

#define DEADLINE_BLOCKS	     10000u
#define GRACE_BLOCKS	     600u
#define WAIT_MS_MAX	     600000u
#define DEFAULT_PRICE_FACTOR 2u /* of the median, when no limit is given */

/* The order is that of enum below. */
static const struct rpc_param submit_params[] = {
	{"manifest", RPC_TYPE_OBJECT, false, "build and buy this"},
	{"program", RPC_TYPE_ID, false, "or: a program held here"},
	{"header_root", RPC_TYPE_ID, false, "its header"},
	{"tasks_root", RPC_TYPE_ID, false, "its task list"},
	{"tasks", RPC_TYPE_NUMBER, false, "how many"},
	{"work", RPC_TYPE_OBJECT, false, "its totals, as program.build gave"},
	{"price_max_picks_per_gop", RPC_TYPE_PICKS, false,
	 "limit per 10^9 instructions (twice the market's median)"},
	{"deadline_blocks", RPC_TYPE_NUMBER, false, "from now on (10,000)"},
	{"samples", RPC_TYPE_NUMBER, false, "of every lease, 20 to 1000"},
	{"kind", RPC_TYPE_TEXT, false, "any, cpu or gpu (any)"},
	{"lease_tasks_min", RPC_TYPE_NUMBER, false, "smallest lease (1)"},
	{"seconds_max", RPC_TYPE_NUMBER, false, "device time of a task"},
	{"grace_blocks", RPC_TYPE_NUMBER, false, "a pause may last (600)"},
	{"from", RPC_TYPE_ADDRESS, false, "an account of this wallet"},
	{"idempotency_key", RPC_TYPE_TEXT, false, "buys once"},
	{0},
};
enum {
	ARG_MANIFEST,
	ARG_PROGRAM,
	ARG_HEADER,
	ARG_TASKS_ROOT,
	ARG_TASKS,
	ARG_WORK,
	ARG_PRICE,
	ARG_DEADLINE,
	ARG_SAMPLES,
	ARG_KIND,
	ARG_LEASE_MIN,
	ARG_SECONDS,
	ARG_GRACE,
	ARG_FROM,
};

static bool want_of(struct bytes word, enum market_want *ret_want)
{
	static const char *const words[] = {"any", "cpu", "gpu"};

	for (unsigned i = 0; i < 3; i++) {
		if (bytes_eq(word, bytes_str(words[i]))) {
			*ret_want = (enum market_want)i;
			return true;
		}
	}
	return false;
}

static struct coin price_limit(const struct rpc_call *c, struct ledger *l)
{
	struct coin median = COIN_ZERO, limit;

	if (c->arg[ARG_PRICE].present)
		return c->arg[ARG_PRICE].coin;
	if (market_median(l, &median) != ERR_OK ||
	    !coin_mul(median, DEFAULT_PRICE_FACTOR, &limit))
		return median;
	return limit;
}

/* What a job.post says, from the arguments and what was built (or NULL). */
static bool terms_of(struct rpc_call *c, struct ledger *l,
		     const struct rpc_built *b, struct market_job_terms *t,
		     const char **why)
{
	const struct rpc_arg *a = c->arg;

	memset(t, 0, sizeof(*t));
	if (b) {
		t->program_id = b->program_id;
		t->header_root = b->header_root;
		t->tasks_root = b->tasks_root;
		t->task_count = b->task_count;
		t->work = b->work;
		t->confidence = b->confidence;
		t->samples = b->samples;
		t->seconds_max = b->seconds_max;
	} else {
		t->program_id = a[ARG_PROGRAM].id;
		t->header_root = a[ARG_HEADER].id;
		t->tasks_root = a[ARG_TASKS_ROOT].id;
		t->task_count = (uint32_t)a[ARG_TASKS].number;
		if (!work_of_json(c->rpc, a[ARG_WORK].json, &t->work, why))
			return false;
	}
	if (a[ARG_SAMPLES].present) {
		t->confidence = MARKET_SAMPLES;
		t->samples = (uint32_t)a[ARG_SAMPLES].number;
	}
	if (a[ARG_SECONDS].present)
		t->seconds_max = (uint32_t)a[ARG_SECONDS].number;
	if (a[ARG_KIND].present && !want_of(a[ARG_KIND].text, &t->want)) {
		*why = "params.kind: expected any, cpu or gpu";
		return false;
	}
	t->lease_tasks_min = a[ARG_LEASE_MIN].present
				     ? (uint32_t)a[ARG_LEASE_MIN].number
				     : 1;
	t->grace_blocks = a[ARG_GRACE].present ? (uint32_t)a[ARG_GRACE].number
					       : GRACE_BLOCKS;
	t->deadline_height =
		l->height + (a[ARG_DEADLINE].present ? a[ARG_DEADLINE].number
						     : DEADLINE_BLOCKS);
	t->gop_price_max = price_limit(c, l);
	return true;
}

static void put_quote(json_t *o, struct ledger *l,
		      const struct market_job_terms *t)
{
	struct coin task, cost, fee, median, escrow;
	uint32_t n = market_sample_count(l->params, &t->work, t->samples);

	if (market_median(l, &median) ||
	    market_task_price(t->work.ops_per_task, t->gop_price_max, &task) ||
	    market_audit_cost(l->params, &t->work, n, median, &cost) ||
	    market_check_fee_task(l->params, t, cost, &fee) ||
	    market_escrow(l->params, t, fee, &escrow)) {
		out_text(o, "estimate", "the amounts do not fit 64 bits");
		return;
	}
	out_coin(o, "task_price_max_picks", task);
	out_coin(o, "check_fee_max_picks_per_task", fee);
	out_coin(o, "escrow_picks", escrow);
	out_coin(o, "median_picks_per_gop", median);
	out_coin(o, "price_max_picks_per_gop", t->gop_price_max);
	out_number(o, "samples", n);
	out_number(o, "deadline_height", t->deadline_height);
}

static void quoted(struct rpc_call *c, const struct rpc_built *b)
{
	struct market_job_terms *t = malloc(sizeof(*t));
	struct ledger *l = t ? rpc_view(c) : 0;
	const char *why = "";
	bool ok;
	json_t *o;

	if (!l) {
		if (!t)
			rpc_fail_err(c, ERR_NO_MEMORY);
		free(t);
		return;
	}
	ok = terms_of(c, l, b, t, &why);
	o = b ? json_of_built(b) : json_object();
	if (ok)
		put_quote(o, l, t);
	ledger_chain_view_end(l);
	free(t);
	if (ok) {
		rpc_answer(c, o);
	} else {
		json_decref(o);
		rpc_fail(c, RPC_ERROR_invalid_params, why);
	}
}

/* A manifest, or a whole program: true and told when it is neither. */
static bool form_is_wrong(struct rpc_call *c)
{
	const struct rpc_arg *a = c->arg;
	bool whole = a[ARG_PROGRAM].present && a[ARG_HEADER].present &&
		     a[ARG_TASKS_ROOT].present && a[ARG_TASKS].present &&
		     a[ARG_WORK].present;

	if (a[ARG_MANIFEST].present != whole)
		return false;
	rpc_fail(c, RPC_ERROR_invalid_params,
		 "params: give manifest, or program with header_root, "
		 "tasks_root, tasks and work");
	return true;
}

static void quote(struct rpc_call *c)
{
	if (form_is_wrong(c))
		return;
	if (c->arg[ARG_MANIFEST].present)
		rpc_build(c, c->arg[ARG_MANIFEST].json, quoted);
	else
		quoted(c, 0);
}

static void posted(struct rpc_call *c, const struct rpc_sent *s)
{
	json_t *o = c->saved ? json_incref(c->saved) : json_object();
	struct hash id = market_job_id(&s->tx_id);

	out_hash(o, "id", &id);
	out_hash(o, "tx", &s->tx_id);
	out_number(o, "height", s->height);
	rpc_answer(c, o);
}

static void post(struct rpc_call *c, const struct rpc_built *b)
{
	struct market_job_terms *t = malloc(sizeof(*t));
	struct ledger *l = t ? rpc_view(c) : 0;
	struct buf body = buf_make(MARKET_JOB_BYTES_MAX);
	const char *why = "";
	bool ok;

	if (!l) {
		if (!t)
			rpc_fail_err(c, ERR_NO_MEMORY);
		free(t);
		return;
	}
	ok = terms_of(c, l, b, t, &why);
	if (ok) {
		c->saved = b ? json_of_built(b) : json_object();
		put_quote(c->saved, l, t);
		market_job_terms_encode(&body, t);
	}
	ledger_chain_view_end(l);
	free(t);
	if (ok)
		rpc_send_kind(c, MARKET_KIND_JOB_POST, &body, &c->arg[ARG_FROM],
			      posted);
	else
		rpc_fail(c, RPC_ERROR_invalid_params, why);
	buf_free(&body);
}

static void submit(struct rpc_call *c)
{
	if (form_is_wrong(c))
		return;
	if (c->arg[ARG_MANIFEST].present)
		rpc_build(c, c->arg[ARG_MANIFEST].json, post);
	else
		post(c, 0);
}

static const struct rpc_param id_params[] = {
	{"id", RPC_TYPE_ID, true, "of the job"},
	{0},
};

static void get(struct rpc_call *c)
{
	struct ledger *l = rpc_view(c);
	struct market_job *j = malloc(sizeof(*j));
	json_t *o = 0;
	enum err e;

	if (!l || !j) {
		if (l) {
			ledger_chain_view_end(l);
			rpc_fail_err(c, ERR_NO_MEMORY);
		}
		free(j);
		return;
	}
	e = market_job_get(l, &c->arg[0].id, j);
	if (!e)
		o = json_of_job(c->rpc, l, j);
	ledger_chain_view_end(l);
	free(j);
	if (e)
		rpc_fail_err(c, e);
	else
		rpc_answer(c, o);
}

static const struct rpc_param list_params[] = {
	{"buyer", RPC_TYPE_ADDRESS, false, "only this account's"},
	{"limit", RPC_TYPE_NUMBER, false, "at most (50, 500 at most)"},
	{"cursor", RPC_TYPE_ID, false, "next of the list before"},
	{0},
};

static enum err next_job(struct rpc_call *c, struct ledger *l,
			 const struct hash *after, struct hash *ret_id,
			 json_t **ret_o)
{
	struct market_job *j = malloc(sizeof(*j));
	enum err e;

	if (!j)
		return ERR_NO_MEMORY;
	e = c->arg[0].present ? market_job_next(l, &c->arg[0].account, after, j)
			      : market_job_next_any(l, after, j);
	if (!e) {
		*ret_id = j->id;
		*ret_o = json_of_job(c->rpc, l, j);
	}
	free(j);
	return e;
}

static void list(struct rpc_call *c)
{
	rpc_answer_page(c, "jobs", 1, next_job);
}

static const struct rpc_param wait_params[] = {
	{"id", RPC_TYPE_ID, true, "of the job"},
	{"timeout_ms", RPC_TYPE_NUMBER, false, "at most (30,000)"},
	{"until", RPC_TYPE_TEXT, false,
	 "ended: all is settled (default); committed: all results are stated"},
	{0},
};

static bool is_until(const struct market_job *j, const struct rpc_arg *until)
{
	if (j->state == MARKET_JOB_ENDED)
		return true;
	return until->present &&
	       bytes_eq(until->text, BYTES_LIT("committed")) &&
	       j->free_count == 0 && j->in_lease_count == 0;
}

static bool wait_look(struct rpc_call *c, bool timed_out)
{
	struct ledger_chain *chain = c->rpc->host.chain;
	struct market_job *j = malloc(sizeof(*j));
	struct ledger *l = 0;
	json_t *o = 0;
	enum err e = j && chain ? ledger_chain_view(chain, &l) : ERR_NO_MEMORY;

	if (!e)
		e = market_job_get(l, &c->arg[0].id, j);
	if (!e && (timed_out || is_until(j, &c->arg[2])))
		o = json_of_job(c->rpc, l, j);
	if (l)
		ledger_chain_view_end(l);
	free(j);
	if (e)
		rpc_fail_err(c, e);
	else if (o)
		rpc_answer(c, o);
	return e || o;
}

static void wait(struct rpc_call *c)
{
	const struct rpc_arg *u = &c->arg[2];
	uint64_t ms = c->arg[1].present ? c->arg[1].number : 30000;

	if (u->present && !bytes_eq(u->text, BYTES_LIT("committed")) &&
	    !bytes_eq(u->text, BYTES_LIT("ended"))) {
		rpc_fail(c, RPC_ERROR_invalid_params,
			 "params.until: expected ended or committed");
		return;
	}
	rpc_wait(c, ms > WAIT_MS_MAX ? WAIT_MS_MAX : ms, wait_look);
}

static const struct rpc_param cancel_params[] = {
	{"id", RPC_TYPE_ID, true, "of the job"},
	{"idempotency_key", RPC_TYPE_TEXT, false, "acts once"},
	{0},
};

static void cancel(struct rpc_call *c)
{
	struct market_job_cancel x = {.id = c->arg[0].id};
	struct buf body = buf_make(128);

	market_job_cancel_encode(&body, &x);
	rpc_send_kind(c, MARKET_KIND_JOB_CANCEL, &body, 0, rpc_answer_changed);
	buf_free(&body);
}

static const struct rpc_param top_up_params[] = {
	{"id", RPC_TYPE_ID, true, "of the job"},
	{"amount_picks", RPC_TYPE_PICKS, true, "added to the escrow"},
	{"idempotency_key", RPC_TYPE_TEXT, false, "pays once"},
	{0},
};

static void top_up(struct rpc_call *c)
{
	struct market_job_top_up x = {.id = c->arg[0].id,
				      .amount = c->arg[1].coin};
	struct buf body = buf_make(128);

	market_job_top_up_encode(&body, &x);
	rpc_send_kind(c, MARKET_KIND_JOB_TOP_UP, &body, 0, rpc_answer_changed);
	buf_free(&body);
}

static const struct rpc_param extend_params[] = {
	{"id", RPC_TYPE_ID, true, "of the job"},
	{"deadline_height", RPC_TYPE_NUMBER, true, "the new one, later"},
	{"idempotency_key", RPC_TYPE_TEXT, false, "acts once"},
	{0},
};

static void extend(struct rpc_call *c)
{
	struct market_job_extend x = {.id = c->arg[0].id,
				      .deadline_height = c->arg[1].number};
	struct buf body = buf_make(128);

	market_job_extend_encode(&body, &x);
	rpc_send_kind(c, MARKET_KIND_JOB_EXTEND, &body, 0, rpc_answer_changed);
	buf_free(&body);
}

static void explain(struct rpc_call *c)
{
	rpc_explain(c, market_job_explain);
}

static void result(struct rpc_call *c)
{
	rpc_tell(c, RPC_TOPIC_JOB_RESULT);
}

static void log_of(struct rpc_call *c)
{
	rpc_tell(c, RPC_TOPIC_JOB_LOG);
}

const struct rpc_method rpc_methods_job[] = {
	{"job.quote", "what it would cost, before anything is spent",
	 RPC_SCOPE_SPEND, false, submit_params, quote,
	 "task_price_max_picks, escrow_picks, samples, work, ..."},
	{"job.submit", "buy: the escrow is locked, matching begins",
	 RPC_SCOPE_SPEND, true, submit_params, submit,
	 "id, tx, height, escrow_picks, ..."},
	{"job.get", "a job as it stands", RPC_SCOPE_READ, false, id_params, get,
	 "state, reason, tasks, money, terms"},
	{"job.list", "jobs", RPC_SCOPE_READ, false, list_params, list,
	 "jobs, next, height"},
	{"job.wait", "answer when it has ended, or the time is up",
	 RPC_SCOPE_READ, false, wait_params, wait, "as job.get"},
	{"job.result", "outputs by task, as far as they are there",
	 RPC_SCOPE_READ, false, id_params, result,
	 "tasks: state, reason, provider, lease, outputs"},
	{"job.log", "what happened to a job, in order", RPC_SCOPE_READ, false,
	 id_params, log_of, "lines"},
	{"job.explain", "why no lease: offers counted by reason",
	 RPC_SCOPE_READ, false, id_params, explain, "reasons"},
	{"job.cancel",
	 "no new leases; running ones are paid for what they "
	 "commit",
	 RPC_SCOPE_SPEND, true, cancel_params, cancel, "id, tx, height"},
	{"job.top_up", "add to the escrow; a paused job goes on",
	 RPC_SCOPE_SPEND, true, top_up_params, top_up, "id, tx, height"},
	{"job.extend", "a later deadline", RPC_SCOPE_SPEND, true, extend_params,
	 extend, "id, tx, height"},
	{0},
};
