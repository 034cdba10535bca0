/*
 * One walk over the executed steps per task.  Before a step is run whole to
 * bring the state forward, its work is foretold from what is known of it; if
 * that passes the budget the state stays where it is.
 */
#include "gpu/build/quote.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/coin.h"
#include "base/limits.h"

/* What is known of one program step. */
struct known {
	uint64_t samples;
	double sum;
	double squares;
	uint64_t most;
	uint64_t cost;
	uint64_t open;
	uint64_t exact_ctas; /* of runs that were run whole */
	uint64_t exact_ops;
	uint64_t all_ctas; /* of all runs in the tasks looked into */
	uint64_t tasks;	   /* with samples of it */
	double task_sum;   /* of these tasks' means */
	double task_squares;
	bool is_estimate;
};

struct make {
	const struct program *p;
	const struct quote_options *options;
	const struct quote_ops *ops;
	struct quote_fault *fault;
	struct known *known;
	uint64_t *run; /* of each step, in this task */
	uint64_t budget;
	uint64_t spent;
	uint64_t rng;
	uint64_t largest_task;
	uint32_t ctas_per_run;
	bool is_first; /* task */
	bool is_stale;
	bool ended; /* nothing more in this task */
};

/* splitmix64 */
static uint64_t draw_from(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static uint64_t draw(struct make *k)
{
	return draw_from(&k->rng);
}

uint64_t quote_task_at(uint64_t seed, uint64_t task_count, uint64_t slots,
		       uint64_t i)
{
	uint64_t low = task_count * i / slots;
	uint64_t high = task_count * (i + 1) / slots;
	uint64_t state = seed ^ i * 0xd1342543de82ef95ull;

	return i == 0 ? 0 : low + u64_mulhi(draw_from(&state), high - low);
}

/* All of a small grid; else the first, the last, and one of each stratum. */
static uint32_t pick_ctas(struct make *k, uint64_t count, uint32_t most,
			  uint64_t ctas[QUOTE_CTAS_PER_RUN])
{
	if (count <= most) {
		for (uint64_t i = 0; i < count; i++)
			ctas[i] = i;
		return (uint32_t)count;
	}
	for (uint32_t i = 0; i < most; i++) {
		uint64_t low, high;

		/* i * count / most fits: count < 2^40 */
		low = count * i / most;
		high = count * (i + 1) / most;
		ctas[i] = low + u64_mulhi(draw(k), high - low);
	}
	if (most >= 4) {
		ctas[0] = 0;
		ctas[most - 1] = count - 1;
	}
	return most;
}

/* Is this run of a step one of the few that are sampled? */
static bool is_chosen(uint64_t run, uint64_t runs)
{
	uint64_t last = runs - 1, slots = QUOTE_RUNS_PER_STEP - 1;

	if (runs <= QUOTE_RUNS_PER_STEP)
		return true;
	for (uint64_t i = 0; i <= slots; i++)
		if (run == last * i / slots)
			return true;
	return false;
}

static double mean_of(const struct known *s)
{
	if (s->samples > 0)
		return s->sum / (double)s->samples;
	if (s->exact_ctas > 0)
		return (double)s->exact_ops / (double)s->exact_ctas;
	return 0;
}

/* A launch that is one sample; once known, only while it is affordable. */
static enum err sample_whole(struct make *k, const struct program_launch *l)
{
	struct known *s = &k->known[l->step_index];
	double n = (double)l->cta_count, mean;
	struct quote_cta got = {0};
	uint64_t most = 0;
	enum err err;

	if (s->samples > 0 &&
	    (double)k->spent + mean_of(s) * n > (double)k->budget)
		return ERR_OK;
	err = k->ops->launch(k->ops->ctx, l, &got, &most, k->fault);
	if (err != ERR_OK || l->cta_count == 0)
		return err;
	mean = (double)got.ops / n;
	s->samples += l->cta_count;
	s->sum += (double)got.ops;
	s->squares += mean * mean * n;
	s->most = most > s->most ? most : s->most;
	s->cost = got.cost > s->cost ? got.cost : s->cost;
	s->open = got.open_bytes > s->open ? got.open_bytes : s->open;
	k->spent += got.ops;
	s->is_estimate = s->is_estimate || k->is_stale;
	return ERR_OK;
}

static enum err sample(struct make *k, const struct program_launch *l)
{
	struct known *s = &k->known[l->step_index];
	uint64_t ctas[QUOTE_CTAS_PER_RUN];
	struct quote_cta got[QUOTE_CTAS_PER_RUN];
	uint32_t most = k->ctas_per_run, n;
	double ahead = mean_of(s) * most;
	enum err err;

	/* dear CTAs: a few are enough once something is known */
	if (s->samples > 0 && (double)k->spent + ahead > (double)k->budget)
		most = k->is_first ? 2 : 1;
	n = pick_ctas(k, l->cta_count, most, ctas);
	memset(got, 0, sizeof(got));
	err = k->ops->sample(k->ops->ctx, l, ctas, n, got, k->fault);
	if (err != ERR_OK)
		return err;
	for (uint32_t i = 0; i < n; i++) {
		double ops = (double)got[i].ops;

		s->samples++;
		s->sum += ops;
		s->squares += ops * ops;
		s->most = got[i].ops > s->most ? got[i].ops : s->most;
		s->cost = got[i].cost > s->cost ? got[i].cost : s->cost;
		s->open = got[i].open_bytes > s->open ? got[i].open_bytes
						      : s->open;
		k->spent += got[i].ops;
	}
	s->is_estimate = s->is_estimate || k->is_stale;
	return ERR_OK;
}

/* Bring the state over this step, if that can be afforded. */
static enum err advance(struct make *k, const struct program_launch *l)
{
	struct known *s = &k->known[l->step_index];
	bool launch = l->kind == PROGRAM_STEP_LAUNCH;
	double ahead = launch ? mean_of(s) * (double)l->cta_count
			      : (double)l->bytes / 16;
	uint64_t ops = 0;
	enum err err;

	if (k->is_stale)
		return ERR_OK;
	if ((double)k->spent + ahead > (double)k->budget) {
		k->is_stale = true;
		return ERR_OK;
	}
	err = k->ops->advance(k->ops->ctx, l, &ops, k->fault);
	if (err != ERR_OK)
		return err;
	k->spent += launch ? ops : l->bytes / 16;
	if (launch) {
		s->exact_ctas += l->cta_count;
		s->exact_ops += ops;
	}
	return ERR_OK;
}

static enum err step(struct make *k, const struct program_launch *l,
		     bool is_last)
{
	struct known *s = &k->known[l->step_index];
	uint64_t runs = program_step_runs(k->p, l->step_index);
	uint64_t run = k->run[l->step_index]++;
	enum err err = ERR_OK;

	if (l->kind == PROGRAM_STEP_LAUNCH) {
		if (k->is_stale && !k->is_first) {
			k->ended = true;
			return ERR_OK;
		}
		if (is_chosen(run, runs))
			err = program_launch_is_whole(k->p, l)
				      ? sample_whole(k, l)
				      : sample(k, l);
		s->all_ctas += l->cta_count;
	}
	if (err == ERR_OK && !is_last)
		err = advance(k, l);
	if (err == ERR_REFUSED) {
		k->fault->step_index = l->step_index;
		k->fault->number = l->number;
	}
	return err;
}

/* What this task added to what is known; its work, as far as is known. */
static void note_task(struct make *k, const struct known *was)
{
	double ops = 0;

	for (uint32_t i = 0; i < k->p->step_count; i++) {
		struct known *s = &k->known[i];
		double n = (double)(s->samples - was[i].samples), mean;

		if (n < 1)
			continue;
		mean = (s->sum - was[i].sum) / n;
		ops += mean * (double)(s->all_ctas - was[i].all_ctas);
		s->tasks++;
		s->task_sum += mean;
		s->task_squares += mean * mean;
	}
	if (ops > (double)k->largest_task && ops < 9e18)
		k->largest_task = (uint64_t)ops;
}

static enum err walk_task(struct make *k, struct known *was)
{
	struct program_walk w;
	struct program_launch l;
	uint64_t total = program_launch_count(k->p);
	enum err err = ERR_OK;

	memset(k->run, 0, k->p->step_count * sizeof(*k->run));
	memcpy(was, k->known, k->p->step_count * sizeof(*was));
	k->is_stale = false;
	k->ended = false;
	program_walk_start(&w, k->p);
	while (err == ERR_OK && !k->ended) {
		err = program_walk_next(&w, &l);
		if (err == ERR_OK)
			err = step(k, &l, l.number == total);
	}
	note_task(k, was);
	return err == ERR_NOT_FOUND ? ERR_OK : err;
}

/* Tasks of the job, one of each stratum; the first is always number 0. */
static enum err walk_tasks(struct make *k, struct arena *a)
{
	uint64_t count = k->options->task_count ? k->options->task_count : 1;
	uint64_t slots = count < QUOTE_TASKS_MAX ? count : QUOTE_TASKS_MAX;
	uint64_t whole = k->budget;
	struct known *was = ARENA_ARRAY(a, k->p->step_count + 1, struct known);
	enum err err = ERR_OK;

	if (!was)
		return ERR_NO_MEMORY;
	if (!k->ops->task)
		slots = 1;
	k->budget = slots > 1 ? whole / 2 : whole;
	k->ctas_per_run = (uint32_t)(QUOTE_SAMPLES / slots);
	if (k->ctas_per_run > QUOTE_CTAS_PER_RUN)
		k->ctas_per_run = QUOTE_CTAS_PER_RUN;
	for (uint64_t i = 0; i < slots && err == ERR_OK; i++) {
		uint64_t task =
			quote_task_at(k->options->seed, count, slots, i);

		k->is_first = i == 0;
		if (i > 0 && k->spent >= whole)
			break;
		if (i > 0)
			k->budget = k->spent + (whole - k->spent) / (slots - i);
		if (k->ops->task)
			err = k->ops->task(k->ops->ctx, task);
		if (err == ERR_UNSUPPORTED && i > 0) {
			err = ERR_OK;
			continue;
		}
		if (err == ERR_UNSUPPORTED) /* stay with the one at hand */
			err = ERR_OK;
		if (err == ERR_OK)
			err = walk_task(k, was);
	}
	return err;
}

/*
 * The standard error of the mean: what the tasks that were not looked into
 * leave open, and the CTAs in those that were.
 */
static double standard_error(const struct make *k, const struct known *s,
			     uint64_t ctas_per_task)
{
	double jobs =
		(double)(k->options->task_count ? k->options->task_count : 1);
	double n = (double)s->samples, t = (double)s->tasks;
	double mean = s->sum / n, task_mean = s->task_sum / t;
	double all = s->squares / n - mean * mean;
	double between = s->task_squares / t - task_mean * task_mean;
	double within = all > between ? all - between : 0;
	double variance = 0;
	double rest = 1 - n / ((double)ctas_per_task * jobs);

	if (n > 1 && rest > 0)
		variance = within / (n - 1) * rest;
	if (t < jobs && t > 1 && between > 0)
		variance += between / (t - 1) * (1 - t / jobs);
	return sqrt(variance);
}

/* ceil of the mean, raised by a standard error. */
static uint64_t declared_mean(const struct make *k, const struct known *s,
			      uint64_t ctas_per_task, bool is_exact)
{
	double rest = (double)(s->all_ctas - s->exact_ctas);
	double mean, margin = 0;

	if (s->samples == 0 && s->exact_ctas == 0)
		return 0;
	mean = mean_of(s);
	if (s->samples > 0 && !is_exact)
		margin = standard_error(k, s, ctas_per_task);
	mean += margin > mean / 8 ? mean / 8 : margin;
	if (s->exact_ctas > 0 && s->all_ctas > 0)
		mean = ((double)s->exact_ops + mean * rest) /
		       (double)s->all_ctas;
	return mean < 9e18 ? (uint64_t)ceil(mean) : UINT64_MAX;
}

static enum err sum_line(struct make *k, uint32_t i,
			 struct program_header_row *row,
			 struct quote_line *line)
{
	const struct known *s = &k->known[i];
	bool single = k->options->task_count < 2;

	line->sampled = s->samples;
	line->is_exact = single && (s->exact_ctas == row->ctas ||
				    (s->samples == row->ctas));
	line->is_estimate = s->is_estimate;
	line->mean_ops = declared_mean(k, s, row->ctas, line->is_exact);
	line->most_ops = s->most;
	line->cta_cost = s->cost;
	line->cta_open = s->open;
	line->cta_ops = k->options->cta_ops;
	if (line->cta_ops == 0 && !u64_mul(s->most, 4, &line->cta_ops))
		return ERR_OVERFLOW;
	if (line->cta_ops < line->mean_ops)
		line->cta_ops = line->mean_ops;
	row->mean_ops = line->mean_ops;
	row->cta_ops = line->cta_ops;
	row->cta_open = line->cta_open;
	return ERR_OK;
}

static uint64_t limit_of(uint64_t ops_per_task, uint64_t largest_task)
{
	uint64_t limit, twice;

	if (!u64_mul(ops_per_task, 4, &limit) || limit > TASK_OPS_MAX)
		limit = TASK_OPS_MAX;
	if (u64_mul(largest_task, 2, &twice) && twice > limit &&
	    twice <= TASK_OPS_MAX)
		limit = twice;
	return limit;
}

static enum err sum(struct make *k, struct program_header *header,
		    struct quote *q)
{
	enum err err = ERR_OK;

	for (uint32_t i = 0; i < k->p->step_count && err == ERR_OK; i++) {
		struct quote_line *line = &q->lines[i];

		if (k->p->steps[i].kind != PROGRAM_STEP_LAUNCH)
			continue;
		err = sum_line(k, i, &header->rows[i], line);
		q->is_estimate = q->is_estimate || line->is_estimate;
		if (line->cta_open > q->cta_open)
			q->cta_open = line->cta_open;
		if (line->cta_cost > q->cta_cost)
			q->cta_cost = line->cta_cost;
	}
	if (err == ERR_OK)
		err = program_header_total(header);
	if (err != ERR_OK)
		return err;
	q->ops_per_task = header->totals.ops_per_task;
	q->limit_ops = k->options->limit_ops;
	q->spent_ops = k->spent;
	if (q->limit_ops == 0)
		q->limit_ops = limit_of(q->ops_per_task, k->largest_task);
	return ERR_OK;
}

enum err quote_make(struct arena *a, const struct program *p,
		    const struct quote_options *options,
		    const struct quote_ops *ops, struct program_header *header,
		    struct quote *ret_quote, struct quote_fault *reterr_fault)
{
	struct make k = {.p = p,
			 .options = options,
			 .ops = ops,
			 .fault = reterr_fault,
			 .rng = options->seed,
			 .budget = options->budget_ops ? options->budget_ops
						       : QUOTE_BUDGET_OPS};
	struct quote q = {.lines = NULL};
	enum err err;

	memset(reterr_fault, 0, sizeof(*reterr_fault));
	k.known = ARENA_ARRAY(a, p->step_count + 1, struct known);
	k.run = ARENA_ARRAY(a, p->step_count + 1, uint64_t);
	q.lines = ARENA_ARRAY(a, p->step_count + 1, struct quote_line);
	if (!k.known || !k.run || !q.lines)
		return ERR_NO_MEMORY;
	err = walk_tasks(&k, a);
	if (err == ERR_OK)
		err = sum(&k, header, &q);
	if (err == ERR_OK)
		*ret_quote = q;
	return err;
}

/* Mean of one row's means, raised by its standard error. */
static uint64_t merged_mean(struct program_header *const *headers,
			    uint32_t count, uint32_t row, uint64_t task_count)
{
	double sum = 0, squares = 0, mean, spread, margin = 0;

	for (uint32_t i = 0; i < count; i++) {
		double ops = (double)headers[i]->rows[row].mean_ops;

		sum += ops;
		squares += ops * ops;
	}
	mean = sum / count;
	spread = squares / count - mean * mean;
	if (count > 1 && count < task_count && spread > 0)
		margin = sqrt(spread / (count - 1) *
			      (1 - (double)count / (double)task_count));
	mean += margin > mean / 8 ? mean / 8 : margin;
	return mean < 9e18 ? (uint64_t)ceil(mean) : UINT64_MAX;
}

enum err quote_merge(struct program_header *const *headers, uint32_t count,
		     uint64_t task_count, uint64_t *ret_limit_ops)
{
	struct program_header *h = headers[0];
	uint64_t largest = 0;
	enum err err;

	for (uint32_t i = 0; i < count; i++) {
		if (headers[i]->row_count != h->row_count)
			return ERR_REFUSED;
		if (headers[i]->totals.ops_per_task > largest)
			largest = headers[i]->totals.ops_per_task;
	}
	for (uint32_t r = 0; r < h->row_count; r++) {
		struct program_header_row *row = &h->rows[r];

		row->mean_ops = merged_mean(headers, count, r, task_count);
		for (uint32_t i = 1; i < count; i++) {
			const struct program_header_row *other =
				&headers[i]->rows[r];

			if (other->cta_ops > row->cta_ops)
				row->cta_ops = other->cta_ops;
			if (other->cta_open > row->cta_open)
				row->cta_open = other->cta_open;
		}
		if (row->cta_ops < row->mean_ops)
			row->cta_ops = row->mean_ops;
	}
	err = program_header_total(h);
	if (err == ERR_OK)
		*ret_limit_ops = limit_of(h->totals.ops_per_task, largest);
	return err;
}

bool quote_task_price(const struct quote *q, struct coin per_gop,
		      struct coin *ret_price)
{
	return coin_scale_up(per_gop, q->ops_per_task, 1000000000, ret_price);
}

uint64_t quote_time_ms(const struct quote *q, uint64_t tasks,
		       uint64_t ops_per_second)
{
	uint64_t ops, ms;

	if (ops_per_second == 0 || !u64_mul(q->ops_per_task, tasks, &ops) ||
	    !u64_muldiv_up(ops, 1000, ops_per_second, &ms))
		return UINT64_MAX;
	return ms;
}

uint32_t quote_caught_ppm(uint32_t fraction_ppm, uint32_t samples,
			  uint32_t audit_ppm)
{
	double missed = pow(1 - (double)fraction_ppm / 1e6, samples);

	return (uint32_t)((1 - missed) * (double)audit_ppm);
}

/* One decimal, never "100.0" for less than certainty. */
static void put_percent(struct buf *out, uint32_t ppm)
{
	if (ppm >= 999500 && ppm < 1000000)
		buf_put_str(out, "over 99.9");
	else
		buf_printf(out, "%u.%u", (unsigned)(ppm / 10000),
			   (unsigned)(ppm / 1000 % 10));
}

void quote_confidence_put(struct buf *out, uint32_t samples, uint32_t audit_ppm)
{
	buf_put_str(out, "a provider that fakes 1 % / 10 % / half of a lease "
			 "is caught with ");
	put_percent(out, quote_caught_ppm(10000, samples, audit_ppm));
	buf_put_str(out, " / ");
	put_percent(out, quote_caught_ppm(100000, samples, audit_ppm));
	buf_put_str(out, " / ");
	put_percent(out, quote_caught_ppm(500000, samples, audit_ppm));
	buf_put_str(out, " %");
}
