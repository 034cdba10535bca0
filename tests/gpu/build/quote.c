/*
 * The quote against a machine made up here: CTAs whose work is a formula, so
 * that means, bounds and totals are known.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/arena.h"
#include "gpu/build/quote.h"

/* What the fake machine does. */
struct machine {
	uint64_t task;
	uint64_t advanced; /* steps run whole, all tasks */
	uint64_t sampled;  /* CTAs */
	uint64_t runs_seen;
	uint64_t base; /* ops of a CTA: base + slope * cta + 1000 * task */
	uint64_t slope;
	uint64_t fault_step; /* number; 0: none */
	bool one_task;
};

static uint64_t work(const struct machine *m, uint64_t cta)
{
	return m->base + m->slope * cta + 1000 * m->task;
}

static enum err sample(void *ctx, const struct program_launch *l,
		       const uint64_t *ctas, uint32_t count,
		       struct quote_cta *ret, struct quote_fault *fault)
{
	struct machine *m = ctx;

	m->runs_seen++;
	if (l->number == m->fault_step) {
		fault->cta = ctas[count - 1];
		fault->outcome = "fault";
		fault->text = "out_of_bounds";
		return ERR_REFUSED;
	}
	for (uint32_t i = 0; i < count; i++) {
		cr_assert_lt(ctas[i], l->cta_count);
		for (uint32_t k = 0; k < i; k++)
			cr_assert_neq(ctas[i], ctas[k]);
		ret[i] =
			(struct quote_cta){work(m, ctas[i]), 77, 512 + ctas[i]};
		m->sampled++;
	}
	return ERR_OK;
}

static enum err whole(void *ctx, const struct program_launch *l,
		      struct quote_cta *ret, uint64_t *ret_most,
		      struct quote_fault *fault)
{
	struct machine *m = ctx;

	(void)fault;
	m->runs_seen++;
	*ret = (struct quote_cta){0, 99 * l->cta_count, 4096};
	for (uint64_t i = 0; i < l->cta_count; i++)
		ret->ops += work(m, i);
	*ret_most = work(m, l->cta_count - 1);
	return ERR_OK;
}

static enum err advance(void *ctx, const struct program_launch *l,
			uint64_t *ret_ops, struct quote_fault *fault)
{
	struct machine *m = ctx;

	(void)fault;
	m->advanced++;
	*ret_ops = 0;
	for (uint64_t i = 0; i < l->cta_count; i++)
		*ret_ops += work(m, i);
	return ERR_OK;
}

static enum err task(void *ctx, uint64_t index)
{
	struct machine *m = ctx;

	if (m->one_task && index > 0)
		return ERR_UNSUPPORTED;
	m->task = index;
	return ERR_OK;
}

static struct program_buffer buffer = {.bytes = 4096, .save = true};
static struct program_param param = {0, 8, PROGRAM_WRITE};
static struct program_part part = {.entry = {(const uint8_t *)"k", 1},
				   .text = {(const uint8_t *)"t", 1},
				   .params = &param,
				   .param_count = 1,
				   .needs.sm = 75};
static struct program_arg arg = {.kind = PROGRAM_ARG_BUFFER};

static struct program_step launch(int64_t grid)
{
	struct program_step s = {
		.kind = PROGRAM_STEP_LAUNCH, .args = &arg, .arg_count = 1};

	for (int i = 0; i < 3; i++) {
		s.grid[i] = program_expr_const(i == 0 ? grid : 1);
		s.block[i] = program_expr_const(i == 0 ? 32 : 1);
	}
	return s;
}

static struct program make(struct program_step *steps, uint32_t count)
{
	struct program p = {.buffers = &buffer,
			    .buffer_count = 1,
			    .parts = &part,
			    .part_count = 1,
			    .steps = steps,
			    .step_count = count};

	cr_assert_eq(program_check(&p), ERR_OK);
	return p;
}

static struct quote_ops ops_of(struct machine *m)
{
	return (struct quote_ops){.ctx = m,
				  .sample = sample,
				  .advance = advance,
				  .task = task,
				  .launch = whole};
}

Test(quote, small_grid_is_exact)
{
	struct arena *a = arena_new(1u << 20);
	struct program_step s[] = {launch(10)};
	struct program p = make(s, 1);
	struct machine m = {.base = 100, .slope = 3};
	struct quote_ops ops = ops_of(&m);
	struct quote_options o = {.seed = 1};
	struct program_header h;
	struct quote q;
	struct quote_fault f;

	cr_assert_eq(program_header_make(a, &p, &h), ERR_OK);
	cr_assert_eq(quote_make(a, &p, &o, &ops, &h, &q, &f), ERR_OK);
	/* 100 ... 127: sum 1135, mean 113.5 */
	cr_expect(q.lines[0].is_exact);
	cr_expect_eq(h.rows[0].mean_ops, 114);
	cr_expect_eq(h.rows[0].cta_ops, 4 * 127);
	cr_expect_eq(h.rows[0].cta_open, 521);
	cr_expect_eq(q.ops_per_task, 1140);
	cr_expect_eq(q.limit_ops, 4560);
	cr_expect_eq(m.advanced, 0, "the last step is not run whole");
	cr_expect_eq(q.cta_cost, 77);
	arena_free(a);
}

/* A class R launch is one sample: run whole, and priced by its CTAs. */
Test(quote, a_launch_that_is_one_sample)
{
	struct arena *a = arena_new(1u << 20);
	struct program_step s[] = {launch(1000)};
	struct program p = make(s, 1);
	struct machine m = {.base = 100, .slope = 2};
	struct quote_ops ops = ops_of(&m);
	struct quote_options options = {.seed = 1};
	struct program_header h;
	struct quote q;
	struct quote_fault fault;

	part.class = PROGRAM_CLASS_R;
	cr_assert_eq(program_header_make(a, &p, &h), ERR_OK);
	cr_assert_eq(quote_make(a, &p, &options, &ops, &h, &q, &fault), ERR_OK);
	cr_expect_eq(m.sampled, 0u);
	cr_expect_eq(m.runs_seen, 1u);
	/* 100 + 2 * 499.5 */
	cr_expect_eq(h.rows[0].mean_ops, 1099u);
	cr_expect_eq(q.lines[0].most_ops, 100u + 2 * 999);
	cr_expect_eq(q.lines[0].cta_cost, 99u * 1000);
	cr_expect_eq(h.rows[0].cta_open, 4096u);
	cr_expect(q.lines[0].is_exact);
	part.class = PROGRAM_CLASS_A;
	arena_free(a);
}

Test(quote, large_grid_is_sampled_and_raised)
{
	struct arena *a = arena_new(1u << 20);
	struct program_step s[] = {launch(100000)};
	struct program p = make(s, 1);
	struct machine m = {.base = 1000, .slope = 1};
	struct quote_ops ops = ops_of(&m);
	struct quote_options o = {.seed = 7, .cta_ops = 500000};
	struct program_header h;
	struct quote q;
	struct quote_fault f;

	cr_assert_eq(program_header_make(a, &p, &h), ERR_OK);
	cr_assert_eq(quote_make(a, &p, &o, &ops, &h, &q, &f), ERR_OK);
	cr_expect(!q.lines[0].is_exact && !q.is_estimate);
	cr_expect_eq(m.sampled, 16);
	/* true mean 50,999.5; a standard error is 15 % of it, capped to 12.5 %
	 */
	cr_expect(h.rows[0].mean_ops > 48000 && h.rows[0].mean_ops < 62000,
		  "%llu", (unsigned long long)h.rows[0].mean_ops);
	cr_expect_eq(h.rows[0].cta_ops, 500000);
	arena_free(a);
}

Test(quote, tasks_differ)
{
	struct arena *a = arena_new(1u << 20);
	struct program_step s[] = {launch(4)};
	struct program p = make(s, 1);
	struct machine m = {.base = 0};
	struct quote_ops ops = ops_of(&m);
	struct quote_options o = {.seed = 3, .task_count = 64};
	struct program_header h;
	struct quote q;
	struct quote_fault f;

	cr_assert_eq(program_header_make(a, &p, &h), ERR_OK);
	cr_assert_eq(quote_make(a, &p, &o, &ops, &h, &q, &f), ERR_OK);
	/* tasks 0 to 63 take 0 to 63,000: the mean is 31,500, and as every CTA
	 * was run nothing is added to it */
	cr_expect_eq(m.sampled, 64 * 4);
	cr_expect_eq(h.rows[0].mean_ops, 31500);
	cr_expect_eq(q.limit_ops, 2 * 4 * 63000);
	/* a fifth of 1,280 tasks: mean 639,500, its standard error is that of
	 * 256 of a uniform draw, sqrt(1280^2 / 12 / 255 * 0.8) thousand */
	o.task_count = 1280;
	m = (struct machine){.base = 0};
	cr_assert_eq(quote_make(a, &p, &o, &ops, &h, &q, &f), ERR_OK);
	cr_expect_eq(m.sampled, 256 * 4);
	cr_expect(h.rows[0].mean_ops > 639500 + 20696 - 3000 &&
			  h.rows[0].mean_ops < 639500 + 20696 + 3000,
		  "%llu", (unsigned long long)h.rows[0].mean_ops);
	o.task_count = 64;
	m = (struct machine){.base = 500, .one_task = true};
	cr_assert_eq(quote_make(a, &p, &o, &ops, &h, &q, &f), ERR_OK);
	cr_expect_eq(m.sampled, 4);
	cr_expect_eq(h.rows[0].mean_ops, 500);
	arena_free(a);
}

Test(quote, loops_and_states)
{
	struct arena *a = arena_new(1u << 20);
	struct program_step s[] = {
		launch(4),
		{.kind = PROGRAM_STEP_REPEAT, .count = 100, .body_count = 2},
		launch(8),
		{.kind = PROGRAM_STEP_FILL},
	};
	struct program p;
	struct machine m = {.base = 10};
	struct quote_ops ops = ops_of(&m);
	struct quote_options o = {.seed = 3};
	struct program_header h;
	struct quote q;
	struct quote_fault f;

	s[3].bytes = program_expr_const(4096);
	p = make(s, 4);
	cr_assert_eq(program_header_make(a, &p, &h), ERR_OK);
	cr_assert_eq(quote_make(a, &p, &o, &ops, &h, &q, &f), ERR_OK);
	cr_expect_eq(m.runs_seen, 1 + 8, "first, last, six between");
	cr_expect_eq(m.advanced, 200, "all but the last step");
	cr_expect_eq(h.rows[0].mean_ops, 10);
	cr_expect_eq(h.rows[2].mean_ops, 10);
	cr_expect_eq(q.ops_per_task, 40 + 100 * 80);
	cr_expect(!q.is_estimate);
	arena_free(a);
}

Test(quote, a_budget_makes_estimates)
{
	struct arena *a = arena_new(1u << 20);
	struct program_step s[] = {launch(1000), launch(1000)};
	struct program p = make(s, 2);
	struct machine m = {.base = 1000};
	struct quote_ops ops = ops_of(&m);
	struct quote_options o = {.seed = 3, .budget_ops = 100000};
	struct program_header h;
	struct quote q;
	struct quote_fault f;

	cr_assert_eq(program_header_make(a, &p, &h), ERR_OK);
	cr_assert_eq(quote_make(a, &p, &o, &ops, &h, &q, &f), ERR_OK);
	cr_expect_eq(m.advanced, 0);
	cr_expect(!q.lines[0].is_estimate && q.lines[1].is_estimate);
	cr_expect(q.is_estimate);
	cr_expect_eq(q.ops_per_task, 2000000);
	o.budget_ops = 10000000;
	cr_assert_eq(quote_make(a, &p, &o, &ops, &h, &q, &f), ERR_OK);
	cr_expect_eq(m.advanced, 1);
	cr_expect(!q.is_estimate);
	arena_free(a);
}

Test(quote, a_faulting_cta_ends_it)
{
	struct arena *a = arena_new(1u << 20);
	struct program_step s[] = {launch(4), launch(4)};
	struct program p = make(s, 2);
	struct machine m = {.base = 1, .fault_step = 2};
	struct quote_ops ops = ops_of(&m);
	struct quote_options o = {.seed = 3};
	struct program_header h;
	struct quote q;
	struct quote_fault f;

	cr_assert_eq(program_header_make(a, &p, &h), ERR_OK);
	cr_assert_eq(quote_make(a, &p, &o, &ops, &h, &q, &f), ERR_REFUSED);
	cr_expect_eq(f.number, 2);
	cr_expect_eq(f.step_index, 1);
	cr_expect_eq(f.cta, 3);
	cr_expect_str_eq(f.text, "out_of_bounds");
	arena_free(a);
}

Test(quote, merged_over_tasks)
{
	struct arena *a = arena_new(1u << 20);
	struct program_step s[] = {launch(4)};
	struct program p = make(s, 1);
	struct program_header h[3];
	struct program_header *list[3] = {&h[0], &h[1], &h[2]};
	uint64_t limit = 0;

	for (uint64_t i = 0; i < 3; i++) {
		cr_assert_eq(program_header_make(a, &p, &h[i]), ERR_OK);
		h[i].rows[0].mean_ops = 1000 + 100 * i;
		h[i].rows[0].cta_ops = 5000 - 100 * i;
		h[i].rows[0].cta_open = 512 * i;
		cr_assert_eq(program_header_total(&h[i]), ERR_OK);
	}
	cr_assert_eq(quote_merge(list, 3, 3, &limit), ERR_OK);
	cr_expect_eq(h[0].rows[0].mean_ops, 1100);
	cr_expect_eq(h[0].rows[0].cta_ops, 5000);
	cr_expect_eq(h[0].rows[0].cta_open, 1024);
	cr_expect_eq(limit, 4 * 4400);
	/* again, as 3 of 300: 1133.3 + sqrt(2222.2 / 2 * 0.99) = 1166.5 */
	cr_assert_eq(quote_merge(list, 3, 300, &limit), ERR_OK);
	cr_expect_eq(h[0].rows[0].mean_ops, 1167);
	for (uint64_t i = 0; i < 8; i++) {
		uint64_t t = quote_task_at(5, 100, 8, i);

		cr_expect(t >= 100 * i / 8 && t < 100 * (i + 1) / 8);
	}
	cr_expect_eq(quote_task_at(5, 100, 8, 0), 0);
	arena_free(a);
}

Test(quote, price_time_confidence)
{
	struct quote q = {.ops_per_task = 1500000001};
	struct coin price;
	struct buf b = buf_make(1000);

	cr_assert(quote_task_price(&q, coin_picks(10), &price));
	cr_expect_eq(coin_raw(price), 16, "15.00000001 rounded up");
	cr_expect_eq(quote_time_ms(&q, 2, 1000000000), 3001);
	cr_expect_eq(quote_time_ms(&q, 2, 0), UINT64_MAX);
	/* 1 - 0.99^20 = 0.18209, 1 - 0.9^20 = 0.87842, 1 - 2^-20 */
	cr_expect_eq(quote_caught_ppm(10000, 20, 1000000), 182093);
	cr_expect_eq(quote_caught_ppm(100000, 20, 500000), 439211);
	quote_confidence_put(&b, 20, 1000000);
	cr_expect(bytes_eq(buf_bytes(&b),
			   BYTES_LIT("a provider that fakes 1 % / 10 % / half "
				     "of a lease is caught with 18.2 / 87.8 / "
				     "over 99.9 %")),
		  "%.*s", (int)b.n, (const char *)b.p);
	buf_free(&b);
}
