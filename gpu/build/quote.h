/*
 * gpu/build/quote - how much work a task is, before anybody runs it.
 *
 * Some CTAs of every step are run on the referee, in the state that the
 * program has there (or as near as the budget allows: then the number is
 * called an estimate).  What runs a CTA is an ops struct, filled by the
 * worker; this folder only plans and sums.
 */
#ifndef WEFT_GPU_BUILD_QUOTE_H
#define WEFT_GPU_BUILD_QUOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/coin.h"
#include "base/err.h"
#include "gpu/program/header.h"
#include "gpu/program/walk.h"

struct arena;

/* Tasks that are looked into, spread over the job; CTAs sampled in each of
 * their launches: all of a small grid, else between 4 and this many, some
 * QUOTE_SAMPLES of one step over all tasks. */
#define QUOTE_TASKS_MAX	   256u
#define QUOTE_CTAS_PER_RUN 16u
#define QUOTE_SAMPLES	   1024u

/* Runs of one step (in loops) that are sampled per task. */
#define QUOTE_RUNS_PER_STEP 8u

/* Thread-instructions that a quote may spend, unless the options say
 * otherwise: about a second of one core. */
#define QUOTE_BUDGET_OPS (1ull << 31)

/* What one CTA, or a launch that is one sample, did. */
struct quote_cta {
	uint64_t ops;	     /* thread-instructions */
	uint64_t cost;	     /* one lane at a time, for disputes: a warp's
			      * where warps are sampled */
	uint64_t open_bytes; /* of the opening an audit would need, likewise */
};

/* Why a CTA could not be counted. */
struct quote_fault {
	uint32_t step_index; /* in program.steps */
	uint64_t number;     /* of the executed step, from 1 */
	uint64_t cta;
	const char *outcome; /* "fault", "void", "over", "refused" */
	const char *text;    /* reason, kernel, file and line; in the arena */
};

struct quote_ops {
	void *ctx;
	/*
	 * Run these CTAs of a launch in the present state and forget what
	 * they wrote.  ret_ctas has count entries.  Returns ERR_OK;
	 * ERR_REFUSED with outcome, text and cta of *reterr_fault filled;
	 * other errors end the quote.
	 */
	enum err (*sample)(void *ctx, const struct program_launch *launch,
			   const uint64_t *ctas, uint32_t count,
			   struct quote_cta *ret_ctas,
			   struct quote_fault *reterr_fault);
	/* Run a whole step (also copy and fill) and keep its writes;
	 * *ret_ops: its work.  Returns as sample. */
	enum err (*advance)(void *ctx, const struct program_launch *launch,
			    uint64_t *ret_ops,
			    struct quote_fault *reterr_fault);
	/*
	 * Start over: the memory that task index begins with.  NULL when only
	 * the present task is at hand.  Returns ERR_OK; ERR_UNSUPPORTED (its
	 * inputs are not here: memory is untouched, and the task passed over;
	 * for the first, the task at hand is taken); others end the quote.
	 */
	enum err (*task)(void *ctx, uint64_t index);
	/*
	 * Run all CTAs of a launch that is one sample in the present state and
	 * forget what they wrote.  *ret_most: ops of the largest CTA.  Returns
	 * as sample.
	 */
	enum err (*launch)(void *ctx, const struct program_launch *launch,
			   struct quote_cta *ret_all, uint64_t *ret_most,
			   struct quote_fault *reterr_fault);
};

/* One step of the program, as written; a repeat's is zero. */
struct quote_line {
	uint64_t mean_ops; /* rounded up */
	uint64_t most_ops; /* of a sampled CTA */
	uint64_t cta_ops;  /* bound of any CTA */
	uint64_t cta_cost; /* of the largest sample */
	uint64_t cta_open; /* bytes of the largest opening */
	uint64_t sampled;  /* CTAs that were run */
	bool is_exact;	   /* every CTA of every run was */
	bool is_estimate;  /* the state was not the true one */
};

struct quote {
	struct quote_line *lines; /* one for each of program.steps */
	uint64_t ops_per_task;
	uint64_t limit_ops; /* given, or 4 x ops_per_task */
	uint64_t cta_open;  /* largest */
	uint64_t cta_cost;
	uint64_t spent_ops; /* what quoting itself took */
	bool is_estimate;
};

struct quote_options {
	uint64_t seed;	     /* picks tasks and CTAs */
	uint64_t task_count; /* of the job; 0: 1 */
	uint64_t budget_ops; /* 0: QUOTE_BUDGET_OPS */
	uint64_t cta_ops;    /* manifest's bound, 0: 4 x largest sampled */
	uint64_t limit_ops;  /* manifest's, 0: 4 x ops_per_task */
};

/*
 * Plan, sample, sum, and fill the header's mean_ops, cta_ops, cta_open and
 * totals.
 *
 * The mean is over up to QUOTE_TASKS_MAX tasks of the job; where not every
 * CTA was run it is raised by a standard error (an eighth at most), so that
 * an honest buyer is not found to have declared too little.  A step inside
 * loops is sampled at its first run, its last, and some between; a launch
 * that is one sample is run whole.  The first
 * task is brought forward by running whole steps while the budget lasts;
 * behind that point its samples are estimates.  Further tasks are looked into
 * only as far as they can be brought forward.
 *
 * a        in/out  holds the lines
 * header   in/out  as program_header_make gave it
 * Returns ERR_OK; ERR_REFUSED with *reterr_fault (a sampled CTA faulted: the
 * job is not sold); ERR_OVERFLOW (over 2^63 ops); ERR_NO_MEMORY; others from
 * the ops.
 */
MUST_USE enum err quote_make(struct arena *a, const struct program *p,
			     const struct quote_options *options,
			     const struct quote_ops *ops,
			     struct program_header *header,
			     struct quote *ret_quote,
			     struct quote_fault *reterr_fault);

/*
 * Number i of the slots tasks that a quote looks into: one of each stratum of
 * the job, drawn by seed; the first is always task 0.
 */
uint64_t quote_task_at(uint64_t seed, uint64_t task_count, uint64_t slots,
		       uint64_t i);

/*
 * For programs whose inputs differ by task, so that each task is quoted in a
 * worker of its own: combine such headers into the first.  The mean is that
 * of the headers' means, raised by its standard error (an eighth at most);
 * the bounds are the largest.
 *
 * headers          of one program; headers[0] is changed
 * task_count       of the job
 * ret_limit_ops    4 x ops_per_task, or twice the largest task's if more
 * Returns ERR_OK, ERR_REFUSED (headers of different programs), ERR_OVERFLOW.
 */
MUST_USE enum err quote_merge(struct program_header *const *headers,
			      uint32_t count, uint64_t task_count,
			      uint64_t *ret_limit_ops);

/* task_price(x) = ceil(ops_per_task * x / 10^9) picks at x picks per Gop. */
MUST_USE bool quote_task_price(const struct quote *q, struct coin per_gop,
			       struct coin *ret_price);

/* Milliseconds of count tasks at a rate of ops a second, rounded up;
 * UINT64_MAX when it does not fit. */
uint64_t quote_time_ms(const struct quote *q, uint64_t tasks,
		       uint64_t ops_per_second);

/* Draws in the audit of a lease, unless the buyer asks for more. */
#define QUOTE_SAMPLES_OF_LEASE 20u

/*
 * Chance, in parts per million, that samples draws by work catch a provider
 * that fakes fraction_ppm of a lease's work, when the lease is audited with
 * chance audit_ppm.
 */
uint32_t quote_caught_ppm(uint32_t fraction_ppm, uint32_t samples,
			  uint32_t audit_ppm);

/* "a provider that fakes 1 % / 10 % / half of a lease is caught with
 * x / y / z %" appended to out. */
void quote_confidence_put(struct buf *out, uint32_t samples,
			  uint32_t audit_ppm);

#endif /* WEFT_GPU_BUILD_QUOTE_H */
