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
#include "base/merkle.h"
#include "gpu/exec/priv/op_list.h"
#include "gpu/exec/priv/prepare.h"
#include "gpu/exec/priv/shadow.h"
#include "gpu/exec/priv/trace.h"

struct run {
	struct launch l;
	const struct exec_options *options;
	uint64_t total;		/* CTAs to run */
	uint64_t multiplier;	/* of the shuffled order */
	uint64_t next;		/* atomic */
	uint64_t done;		/* atomic */
	uint64_t bad;		/* lowest bad position, atomic */
	bool is_limited;	/* a CTA passed a limit, atomic */
	uint64_t count, cost;	/* of the CTAs done, atomic */
	struct cross *cross;	/* NULL: nobody asks */
	struct hash *witnesses; /* by position; NULL: none */
	struct exec_result *result;
};

struct worker {
	struct run *run;
	struct machine machine;
	pthread_t thread;
	uint64_t count, cost, count_most, cost_most;
	uint64_t bad; /* position of end */
	struct end end;
	struct pages pages; /* of all its CTAs */
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

/* A conflict with another CTA counts for the later of the two. */
static void take_conflict(struct worker *w, uint64_t position,
			  const struct cross_find *f)
{
	struct run *r = w->run;
	struct machine *mc = &w->machine;
	uint64_t other = f->other == 0 ? position : f->other - 1;
	struct exec_finding *note =
		shadow_find(mc, &mc->strips[0], &mc->ops[f->op],
			    EXEC_REASON_cross_cta, 0, f->address);
	if (note != NULL) {
		note->other_line = mc->ops[f->other_op].line;
		note->other_source_line = mc->ops[f->other_op].source_line;
		note->other_cta = cta_at(r, other);
	}
	uint64_t later = other > position ? other : position;
	if (mc->end.outcome != EXEC_OK || later >= w->bad)
		return;
	w->bad = later;
	w->end = (struct end){.outcome = EXEC_VOID,
			      .reason = EXEC_REASON_cross_cta,
			      .op = r->l.kernel->entry,
			      .address = f->address};
	lower(&r->bad, later);
}

/* What a traced CTA leaves for the whole run. */
static void keep_trace(struct worker *w, uint64_t position)
{
	struct run *r = w->run;
	struct machine *mc = &w->machine;
	const struct exec_options *op = r->options;
	struct cross_find f = {0};
	if (r->witnesses != NULL)
		r->witnesses[position] = witness_end(mc);
	if (r->cross != NULL)
		w->err = cross_add(r->cross, mc, position, &f);
	if (f.found)
		take_conflict(w, position, &f);
	if (op->sanitize && mc->end.reason == EXEC_REASON_bad_sync)
		(void)shadow_find(mc, &mc->strips[0], &mc->ops[mc->end.op],
				  EXEC_REASON_bad_sync, mc->end.thread,
				  mc->end.address);
	if (w->err == ERR_OK && (op->record_writes || op->record_reads))
		w->err = pages_merge(&w->pages, &mc->trace->pages);
}

static void run_one(struct worker *w, uint64_t position)
{
	struct run *r = w->run;
	struct machine *mc = &w->machine;
	if (mc->trace == NULL) {
		machine_run_cta(mc, cta_at(r, position));
	} else {
		trace_run_cta(mc, cta_at(r, position));
		keep_trace(w, position);
	}
	w->count += mc->count;
	w->cost += mc->cost;
	__atomic_fetch_add(&r->count, mc->count, __ATOMIC_RELAXED);
	__atomic_fetch_add(&r->cost, mc->cost, __ATOMIC_RELAXED);
	if (mc->count > w->count_most)
		w->count_most = mc->count;
	if (mc->cost > w->cost_most)
		w->cost_most = mc->cost;
	if (r->options->ret_cta_counts != NULL)
		r->options->ret_cta_counts[position] = mc->count;
	if (mc->end.outcome == EXEC_OVER)
		__atomic_store_n(&r->is_limited, true, __ATOMIC_RELAXED);
	if (mc->end.outcome != EXEC_OK && position < w->bad) {
		w->bad = position;
		w->end = mc->end;
		lower(&r->bad, position);
	}
}

static bool is_past(const uint64_t *sum, uint64_t max)
{
	return max != 0 && __atomic_load_n(sum, __ATOMIC_RELAXED) > max;
}

/* Past a limit of the whole run? */
static bool is_over(const struct run *r)
{
	return is_past(&r->count, r->options->count_max) ||
	       is_past(&r->cost, r->options->cost_max);
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
		if (i >= r->total || is_cancelled(r) || is_over(r) ||
		    w->err != ERR_OK)
			return NULL;
		uint64_t position = order_at(r, i);
		bool runs_on =
			r->options->runs_on &&
			!__atomic_load_n(&r->is_limited, __ATOMIC_RELAXED);
		if (runs_on ||
		    position <= __atomic_load_n(&r->bad, __ATOMIC_RELAXED))
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
	if (r->bad == UINT64_MAX && is_over(r)) {
		res->outcome = EXEC_OVER;
		res->reason = is_past(&r->count, r->options->count_max)
				      ? EXEC_REASON_count_limit
				      : EXEC_REASON_cost_limit;
		return;
	}
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

/* f takes its place in a list of *count, where each line and kind is once:
 * the lowest CTA's, whatever thread has run it. */
static void join_finding(struct exec_finding *list, size_t *count,
			 const struct exec_finding *f)
{
	struct exec_finding new = *f;
	size_t at = 0;
	while (at < *count &&
	       (list[at].kind != f->kind || list[at].line != f->line))
		at++;
	if (at == *count && *count == EXEC_FINDINGS_MAX)
		return;
	if (at < *count) {
		list[at].count += f->count;
		if (list[at].cta <= f->cta)
			return;
		new.count = list[at].count;
	} else {
		++*count;
	}
	for (; at > 0 && list[at - 1].cta > new.cta; at--)
		list[at] = list[at - 1];
	list[at] = new;
}

/* Findings of all workers, by CTA. */
static enum err join_findings(struct run *r, const struct worker *workers,
			      uint32_t n, struct arena *arena)
{
	struct exec_finding *list =
		ARENA_ARRAY(arena, EXEC_FINDINGS_MAX, struct exec_finding);
	size_t count = 0;
	if (list == NULL)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < n; i++) {
		const struct shadow *h = workers[i].machine.trace->shadow;
		r->result->finding_total += h->finding_total;
		for (uint32_t k = 0; k < h->finding_count; k++)
			join_finding(list, &count, &h->findings[k]);
	}
	r->result->findings = list;
	r->result->finding_count = count;
	return ERR_OK;
}

static enum err join_pages(struct run *r, struct worker *workers, uint32_t n,
			   struct arena *arena)
{
	struct exec_result *res = r->result;
	struct pages *all = &workers[0].pages;
	enum err err = ERR_OK;
	for (uint32_t i = 1; i < n && err == ERR_OK; i++)
		err = pages_merge(all, &workers[i].pages);
	if (err == ERR_OK && r->options->record_writes)
		err = pages_writes(all, arena, &res->writes, &res->write_count);
	if (err == ERR_OK && r->options->record_reads)
		err = pages_reads(all, r->l.in, arena, &res->reads,
				  &res->read_count);
	return err;
}

/* Lists and hashes of a traced run. */
static enum err join_traces(struct run *r, struct worker *workers, uint32_t n,
			    struct arena *arena)
{
	enum err err = join_pages(r, workers, n, arena);
	if (err == ERR_OK && r->options->sanitize)
		err = join_findings(r, workers, n, arena);
	if (r->witnesses != NULL)
		r->result->witness =
			r->total == 1
				? r->witnesses[0]
				: merkle_list_root(r->witnesses, r->total);
	if (r->cross != NULL)
		cross_found(r->cross, r->result->found);
	return err;
}

bool run_is_traced(const struct exec_options *o)
{
	return o->sanitize || o->record_writes || o->record_reads ||
	       o->witness_seed32 != NULL || o->range_count > 0;
}

static enum err worker_init(struct run *r, struct worker *w, bool is_shared)
{
	const struct exec_options *o = r->options;
	w->run = r;
	w->bad = UINT64_MAX;
	enum err err = machine_new(&r->l, &w->machine);
	if (err != ERR_OK)
		return err;
	machine_set_nan(&w->machine, o->nan_variant);
	w->machine.count_max =
		o->cta_count_max == 0 ? UINT64_MAX : o->cta_count_max;
	w->machine.cost_max =
		o->cta_cost_max == 0 ? UINT64_MAX : o->cta_cost_max;
	if (!run_is_traced(o))
		return ERR_OK;
	return trace_new(&r->l, is_shared, &w->machine.trace);
}

static void worker_free(struct worker *w)
{
	trace_free(w->machine.trace);
	machine_free(&w->machine);
	pages_free(&w->pages);
}

static enum err run_workers(struct run *r, struct worker *workers, uint32_t n,
			    struct arena *arena)
{
	uint32_t started = 1;
	enum err err = ERR_OK;
	for (uint32_t i = 0; i < n && err == ERR_OK; i++)
		err = worker_init(r, &workers[i], n > 1);
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
	for (uint32_t i = 0; i < n && err == ERR_OK; i++)
		err = workers[i].err;
	if (err == ERR_OK)
		collect(r, workers, n);
	if (err == ERR_OK && run_is_traced(r->options))
		err = join_traces(r, workers, n, arena);
	for (uint32_t i = 0; i < n; i++)
		worker_free(&workers[i]);
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

/* The order of a shuffled run: positions times a number prime to total. */
static uint64_t prime_to(uint64_t seed, uint64_t total)
{
	uint64_t m = seed | 1;
	while (total > 0 && gcd(m, total) != 1)
		m += 2;
	return m;
}

/* On memory that other CTAs may use, too. */
static bool has_atomics(const struct exec_module *m)
{
	bool any = false;
	for (uint32_t i = 0; i < m->op_count; i++) {
		const struct op *o = &m->ops[i];
		any = any || (op_is_atomic(o) && o->space != SPACE_SHARED);
	}
	return any;
}

static enum err run_prepared(struct run *r, struct arena *arena)
{
	const struct exec_launch *in = r->l.in;
	const struct exec_options *o = r->options;
	uint32_t n = o->threads == 0 ? 1 : o->threads;
	/* A CTA with atomics can only be undone when it is alone. */
	if (o->sanitize && has_atomics(r->l.m))
		n = 1;
	r->total = in->ctas != NULL || in->cta_count != 0
			   ? in->cta_count
			   : r->l.cta_total - in->cta_first;
	r->bad = UINT64_MAX;
	r->multiplier = prime_to(o->shuffle_seed, r->total);
	n = n > EXEC_THREADS_MAX ? EXEC_THREADS_MAX : n;
	n = n > r->total ? (uint32_t)r->total : n;
	n = n == 0 ? 1 : n;
	struct worker *workers = calloc(n, sizeof(*workers));
	bool ok = workers != NULL;
	if (o->sanitize || o->range_count > 0)
		ok = ok && (r->cross = cross_new(o)) != NULL;
	if (o->witness_seed32 != NULL)
		ok = ok &&
		     (r->witnesses = calloc(r->total + 1,
					    sizeof(*r->witnesses))) != NULL;
	enum err err = ok ? run_workers(r, workers, n, arena) : ERR_NO_MEMORY;
	free(workers);
	free(r->witnesses);
	cross_free(r->cross);
	return err;
}

enum err exec_run(const struct exec_module *m, const struct exec_launch *launch,
		  const struct exec_options *options, struct arena *arena,
		  struct exec_result *ret_result)
{
	const struct lane_set *lanes = lane_set_of(options->lanes);
	struct run r = {.options = options, .result = ret_result};
	enum exec_reason reason = EXEC_REASON_none;
	if (lanes == NULL)
		return ERR_UNSUPPORTED;
	if (options->range_count > EXEC_RANGES_MAX)
		return ERR_LIMIT;
	*ret_result = (struct exec_result){.outcome = EXEC_OK};
	memcpy(ret_result->grid, launch->grid, sizeof(launch->grid));
	memcpy(ret_result->block, launch->block, sizeof(launch->block));
	enum err err = launch_prepare(m, launch, options, lanes, &r.l, &reason);
	bool runs = err == ERR_OK && reason == EXEC_REASON_none;
	if (err == ERR_OK && runs)
		err = run_prepared(&r, arena);
	if (!runs) {
		ret_result->outcome = EXEC_REFUSED;
		ret_result->reason = reason;
	}
	launch_free(&r.l);
	return err;
}
