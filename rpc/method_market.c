/*
 * market.*: the order book.
 */
#include "ledger/chain.h"
#include "market/explain.h"
#include "market/record.h"
#include "rpc/priv/call.h"

#define BOOK_MOST 500u

struct side {
	const struct rpc *rpc;
	json_t *all;
};

static void put_offer(void *ctx, const struct market_offer *f)
{
	struct side *s = ctx;
	json_t *o = json_object();

	out_hash(o, "offer", &f->id);
	out_coin(o, "price_picks_per_gop", f->terms.gop_price);
	out_count(o, "rate_ops_per_s", f->terms.rate);
	out_number(o, "free_slots",
		   f->terms.slots > f->used_slots
			   ? f->terms.slots - f->used_slots
			   : 0);
	json_array_append_new(s->all, o);
}

static void put_job(void *ctx, const struct market_job *j)
{
	struct side *s = ctx;
	json_t *o = json_object();

	out_hash(o, "job", &j->id);
	out_coin(o, "price_max_picks_per_gop", j->terms.gop_price_max);
	out_number(o, "free_tasks", j->free_count);
	out_count(o, "ops_per_task", j->terms.work.ops_per_task);
	json_array_append_new(s->all, o);
}

static const struct rpc_param depth_params[] = {
	{"limit", RPC_TYPE_NUMBER, false, "rows a side (50, 500 at most)"},
	{0},
};

static void depth(struct rpc_call *c)
{
	struct ledger *l = rpc_view(c);
	struct side offers = {c->rpc, 0}, jobs = {c->rpc, 0};
	uint32_t most = rpc_limit(&c->arg[0]);
	struct coin median = COIN_ZERO;
	enum err e;
	json_t *o;

	if (!l)
		return;
	offers.all = json_array();
	jobs.all = json_array();
	e = market_book_offers(l, most, put_offer, &offers);
	if (!e)
		e = market_book_jobs(l, most, put_job, &jobs);
	if (!e)
		e = market_median(l, &median);
	if (e) {
		json_decref(offers.all);
		json_decref(jobs.all);
		ledger_chain_view_end(l);
		rpc_fail_err(c, e);
		return;
	}
	o = json_object();
	json_object_set_new(o, "offers", offers.all);
	json_object_set_new(o, "jobs", jobs.all);
	out_coin(o, "median_picks_per_gop", median);
	out_number(o, "height", l->height);
	ledger_chain_view_end(l);
	rpc_answer(c, o);
}

const struct rpc_method rpc_methods_market[] = {
	{"market.depth", "what is offered and wanted, by price", RPC_SCOPE_READ,
	 false, depth_params, depth,
	 "offers, jobs, median_picks_per_gop, height"},
	{0},
};
