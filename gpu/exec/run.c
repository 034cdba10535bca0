/*
 * CTAs over the host's threads: each takes the next CTA of the list until
 * none is left or one has ended badly.  Which thread runs which changes no
 * byte; the first bad CTA in the list's order is the one that is named, so
 * CTAs before it are still run.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "gpu/exec/priv/prepare.h"

struct run {
	struct launch l;
	const struct exec_options *options;
	uint64_t total;	      /* CTAs to run */
	uint64_t multiplier;  /* of the shuffled order */
	uint64_t next;	      /* atomic */
	uint64_t done;	      /* atomic */
	uint64_t bad;	      /* lowest bad position, atomic */
	pthread_mutex_t lock; /* below */
	struct exec_result *result;
};

struct worker {
	struct run *run;
	struct machine machine;
	pthread_t thread;
	uint64_t count, cost, count_most, cost_most;
	uint64_t bad; /* position of end */
	struct end end;
	enum err err;
};

static uint64_t cta_at(const struct run *r, uint64_t position)
{
	const struct exec_launch *in = r->l.in;
	if (in->ctas != NULL)
		return in->ctas[position];
	return in->cta_first + position;
}

/* The i-th position to run: a permutation when shuffled. */
static uint64_t order_at(const struct run *r, uint64_t i)
{
	__extension__ typedef unsigned __int128 wide;
	if (r->options->shuffle_seed == 0)
		return i;
	return (uint64_t)(((wide)i * r->multiplier + r->options->shuffle_seed) %
			  r->total);
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b != 0) {
		uint64_t t = a % b;
		a = b;
		b = t;
	}
	return a;
}

static void lower(uint64_t *at, uint64_t v)
{
	uint64_t old = __atomic_load_n(at, __ATOMIC_RELAXED);
	while (v < old &&
	       !__atomic_compare_exchange_n(at, &old, v, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void run_one(struct worker *w, uint64_t position)
{
	struct run *r = w->run;
	struct machine *mc = &w->machine;
	machine_run_cta(mc, cta_at(r, position));
	w->count += mc->count;
	w->cost += mc->cost;
	if (mc->count > w->count_most)
		w->count_most = mc->count;
	if (mc->cost > w->cost_most)
		w->cost_most = mc->cost;
	if (r->options->ret_cta_counts != NULL)
		r->options->ret_cta_counts[position] = mc->count;
	if (mc->end.outcome != EXEC_OK && position < w->bad) {
		w->bad = position;
		w->end = mc->end;
		lower(&r->bad, position);
	}
}

static bool is_cancelled(const struct run *r)
{
	return r->options->cancel != NULL && *r->options->cancel != 0;
}

static void *work(void *ctx)
{
	struct worker *w = ctx;
	struct run *r = w->run;
	for (;;) {
		uint64_t i = __atomic_fetch_add(&r->next, 1, __ATOMIC_RELAXED);
		if (i >= r->total || is_cancelled(r))
			return NULL;
		uint64_t position = order_at(r, i);
		if (position <= __atomic_load_n(&r->bad, __ATOMIC_RELAXED))
			run_one(w, position);
		__atomic_fetch_add(&r->done, 1, __ATOMIC_RELAXED);
		if (w->thread == pthread_self() && r->options->progress != NULL)
			r->options->progress(
				r->options->progress_ctx,
				__atomic_load_n(&r->done, __ATOMIC_RELAXED));
	}
}

static void take_end(struct run *r, const struct worker *w)
{
	struct exec_result *res = r->result;
	const struct op *o = &r->l.m->ops[w->end.op];
	res->outcome = w->end.outcome;
	res->reason = w->end.reason;
	res->line = o->line;
	res->source_line = o->source_line;
	res->cta = cta_at(r, w->bad);
	res->thread = w->end.thread;
	res->address = w->end.address;
	res->missing = w->end.missing;
}

static void collect(struct run *r, struct worker *workers, uint32_t n)
{
	struct exec_result *res = r->result;
	for (uint32_t i = 0; i < n; i++) {
		res->count += workers[i].count;
		res->cost += workers[i].cost;
		if (workers[i].count_most > res->cta_count_most)
			res->cta_count_most = workers[i].count_most;
		if (workers[i].cost_most > res->cta_cost_most)
			res->cta_cost_most = workers[i].cost_most;
	}
	res->ctas_done = r->done;
	if (r->bad == UINT64_MAX) {
		if (res->ctas_done < r->total)
			res->outcome = EXEC_CANCELLED;
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (workers[i].bad == r->bad)
			take_end(r, &workers[i]);
	}
}

static enum err run_workers(struct run *r, struct worker *workers, uint32_t n)
{
	uint32_t started = 1;
	enum err err = ERR_OK;
	for (uint32_t i = 0; i < n; i++) {
		workers[i].run = r;
		workers[i].bad = UINT64_MAX;
		err = machine_new(&r->l, &workers[i].machine);
		if (err != ERR_OK)
			break;
		uint64_t most = r->options->cta_count_max;
		workers[i].machine.count_max = most == 0 ? UINT64_MAX : most;
		most = r->options->cta_cost_max;
		workers[i].machine.cost_max = most == 0 ? UINT64_MAX : most;
	}
	workers[0].thread = pthread_self();
	for (; err == ERR_OK && started < n; started++) {
		if (pthread_create(&workers[started].thread, NULL, work,
				   &workers[started]) != 0)
			break;
	}
	if (err == ERR_OK)
		work(&workers[0]);
	for (uint32_t i = 1; i < started; i++)
		pthread_join(workers[i].thread, NULL);
	if (err == ERR_OK)
		collect(r, workers, n);
	for (uint32_t i = 0; i < n; i++)
		machine_free(&workers[i].machine);
	return err;
}

static const struct lane_set *lane_set_of(enum exec_lanes lanes)
{
	if (lanes == EXEC_LANES_AUTO)
		lanes = exec_lanes_best();
	if (lanes > exec_lanes_best())
		return NULL;
	switch (lanes) {
	case EXEC_LANES_AVX512:
		return &exec_lanes_avx512;
	case EXEC_LANES_AVX2:
		return &exec_lanes_avx2;
	case EXEC_LANES_AUTO:
	case EXEC_LANES_PLAIN:
		break;
	}
	return &exec_lanes_plain;
}

static enum err run_prepared(struct run *r)
{
	const struct exec_launch *in = r->l.in;
	uint32_t n = r->options->threads == 0 ? 1 : r->options->threads;
	r->total = in->ctas != NULL || in->cta_count != 0
			   ? in->cta_count
			   : r->l.cta_total - in->cta_first;
	r->bad = UINT64_MAX;
	for (r->multiplier = r->options->shuffle_seed | 1;
	     r->total > 0 && gcd(r->multiplier, r->total) != 1;
	     r->multiplier += 2)
		;
	n = n > EXEC_THREADS_MAX ? EXEC_THREADS_MAX : n;
	n = n > r->total ? (uint32_t)r->total : n;
	n = n == 0 ? 1 : n;
	struct worker *workers = calloc(n, sizeof(*workers));
	if (workers == NULL)
		return ERR_NO_MEMORY;
	enum err err = run_workers(r, workers, n);
	free(workers);
	return err;
}

enum err exec_run(const struct exec_module *m, const struct exec_launch *launch,
		  const struct exec_options *options,
		  UNUSED struct arena *arena, struct exec_result *ret_result)
{
	const struct lane_set *lanes = lane_set_of(options->lanes);
	struct run r = {.options = options, .result = ret_result};
	enum exec_reason reason = EXEC_REASON_none;
	if (lanes == NULL)
		return ERR_UNSUPPORTED;
	*ret_result = (struct exec_result){.outcome = EXEC_OK};
	enum err err = launch_prepare(m, launch, options, lanes, &r.l, &reason);
	if (err == ERR_OK && reason != EXEC_REASON_none) {
		ret_result->outcome = EXEC_REFUSED;
		ret_result->reason = reason;
	} else if (err == ERR_OK) {
		err = run_prepared(&r);
	}
	launch_free(&r.l);
	return err;
}
