/*
 * Who gets what: price, preference, filters, sizes, the market's limits, and
 * why nobody got anything.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/must.h"
#include "ledger/account.h"
#include "tests/market/world.h"

#define BUYER	 1
#define PROVIDER 2
#define VERIFIER 9

static uint64_t raw(struct coin c)
{
	return coin_raw(c);
}

static struct market_lease lease_of(struct world *w, const struct hash *job,
				    uint32_t n)
{
	struct market_lease x;

	cr_assert(world_lease_of(w, job, n, &x), "no lease %u", n);
	return x;
}

static uint32_t lease_count(struct world *w, const struct hash *job)
{
	struct market_lease x;
	uint32_t n = 0;

	while (world_lease_of(w, job, n, &x))
		n++;
	return n;
}

static void explain(struct world *w, const struct hash *job,
		    uint32_t counts[MARKET_MISFIT_COUNT])
{
	struct ledger *l = NULL;

	must(ledger_chain_view(w->rig.chain, &l) == ERR_OK);
	cr_assert_eq(market_job_explain(l, job, 1000, counts), ERR_OK);
	ledger_chain_view_end(l);
}

/* One offer that differs in one thing: why it does not fit. */
static void expect_misfit(void (*bend)(struct market_job_terms *,
				       struct market_offer_terms *),
			  enum market_misfit why)
{
	struct world *w = world_new(NULL);
	struct market_job_terms t = world_job_terms(w);
	struct market_offer_terms o = world_offer_terms(w);
	uint32_t counts[MARKET_MISFIT_COUNT];
	struct hash job;

	bend(&t, &o);
	world_post_offer(w, PROVIDER, &o);
	job = world_post_job(w, BUYER, &t);
	cr_assert_eq(lease_count(w, &job), 0, "%s", market_misfit_word(why));
	explain(w, &job, counts);
	cr_assert_eq(counts[why], 1, "%s", market_misfit_word(why));
	world_free(w);
}

static void bend_device(struct market_job_terms *t,
			struct market_offer_terms *o UNUSED)
{
	t->want = MARKET_WANT_GPU;
}
static void bend_sm(struct market_job_terms *t, struct market_offer_terms *o)
{
	o->device = MARKET_DEVICE_GPU;
	o->sm = 75;
	t->want_sm_min = 80;
}
static void bend_memory(struct market_job_terms *t,
			struct market_offer_terms *o)
{
	o->memory_bytes = t->work.memory_bytes - 1;
}
static void bend_class(struct market_job_terms *t, struct market_offer_terms *o)
{
	t->work.class_bit = MARKET_CLASS_A_ASSUMED;
	o->classes = MARKET_CLASS_A | MARKET_CLASS_S;
}
static void bend_region(struct market_job_terms *t,
			struct market_offer_terms *o)
{
	t->want_region = (struct market_region){2, "de"};
	o->region = (struct market_region){2, "fr"};
}
static void bend_price(struct market_job_terms *t, struct market_offer_terms *o)
{
	o->gop_price = coin_picks(raw(t->gop_price_max) + 1);
}
static void bend_record(struct market_job_terms *t,
			struct market_offer_terms *o UNUSED)
{
	t->want_record_min = 1;
}
static void bend_seconds(struct market_job_terms *t,
			 struct market_offer_terms *o)
{
	t->work.ops_per_task = 10 * o->rate;
	t->work.limit_ops = 40 * o->rate;
	o->seconds_max = 9;
}
static void bend_carbon(struct market_job_terms *t,
			struct market_offer_terms *o)
{
	/* 100 W for one second a Gop: 100 J = 1/36,000 kWh at 400 g */
	o->watts = 100;
	o->energy_count = 1;
	o->energy[0] = (struct market_energy){300, 400};
	t->prefer = MARKET_PREFER_CARBON;
	t->max_ug_per_gop = 11111;
}
static void bend_deadline(struct market_job_terms *t,
			  struct market_offer_terms *o)
{
	t->work.ops_per_task = 6000 * o->rate;
	t->work.limit_ops = 24000 * o->rate;
	t->gop_price_max = coin_picks(1000);
	o->gop_price = coin_picks(1000);
}
static void bend_exposure(struct market_job_terms *t,
			  struct market_offer_terms *o)
{
	/* one task is worth one pick more than a starter may hold */
	t->gop_price_max = coin_picks(1000000001);
	o->gop_price = coin_picks(1000000001);
}
static void bend_value(struct market_job_terms *t, struct market_offer_terms *o)
{
	t->task_count = 4;
	o->value_min = coin_picks(1000000); /* a quarter is one task */
}
static void bend_slots(struct market_job_terms *t UNUSED,
		       struct market_offer_terms *o)
{
	o->slots = 0;
}

Test(match, every_filter_says_its_word)
{
	expect_misfit(bend_device, MARKET_MISFIT_device);
	expect_misfit(bend_sm, MARKET_MISFIT_sm);
	expect_misfit(bend_memory, MARKET_MISFIT_memory);
	expect_misfit(bend_class, MARKET_MISFIT_class_);
	expect_misfit(bend_region, MARKET_MISFIT_region);
	expect_misfit(bend_price, MARKET_MISFIT_price);
	expect_misfit(bend_record, MARKET_MISFIT_record);
	expect_misfit(bend_seconds, MARKET_MISFIT_seconds);
	expect_misfit(bend_carbon, MARKET_MISFIT_carbon);
	expect_misfit(bend_deadline, MARKET_MISFIT_deadline);
	expect_misfit(bend_exposure, MARKET_MISFIT_exposure);
	expect_misfit(bend_value, MARKET_MISFIT_value);
	expect_misfit(bend_slots, MARKET_MISFIT_busy);
}

Test(match, carbon_is_counted_exactly)
{
	struct market_offer o = {.posted_height = 10};

	o.terms.watts = 100;
	o.terms.rate = 1000000000;
	o.terms.energy_count = 2;
	o.terms.energy[0].g_per_kwh = 400;
	o.terms.energy[1].g_per_kwh = 36;
	/* 100 J * 400 g / 3.6 MJ = 11,111.1 ug, rounded up */
	cr_assert_eq(market_offer_ug_per_gop(&o, 10, 1000), 11112);
	cr_assert_eq(market_offer_ug_per_gop(&o, 10 + 3599, 1000), 11112);
	cr_assert_eq(market_offer_ug_per_gop(&o, 10 + 3600, 1000), 1000);
	cr_assert_eq(market_offer_ug_per_gop(&o, 10 + 7200, 1000), UINT64_MAX);
}

Test(match, cheapest_first_and_as_asked)
{
	struct world *w = world_new(NULL);
	struct market_job_terms t = world_job_terms(w);
	struct market_offer_terms o = world_offer_terms(w);
	struct market_lease x;
	struct hash job;
	uint32_t i;
	static const uint64_t asks[3] = {900000, 700000, 800000};

	for (i = 0; i < 3; i++) {
		o.gop_price = coin_picks(asks[i]);
		world_post_offer(w, PROVIDER + i, &o);
	}
	job = world_post_job(w, BUYER, &t);
	cr_assert_eq(lease_count(w, &job), 3);
	x = lease_of(w, &job, 0);
	cr_assert_eq(raw(x.task_price), 700000);
	cr_assert_eq(x.first, 0);
	x = lease_of(w, &job, 1);
	cr_assert_eq(raw(x.task_price), 800000);
	cr_assert_eq(x.first, 4);
	x = lease_of(w, &job, 2);
	cr_assert_eq(raw(x.task_price), 900000);
	cr_assert_eq(x.first, 8);
	world_free(w);
}

Test(match, soon_prefers_the_fastest)
{
	struct world *w = world_new(NULL);
	struct market_job_terms t = world_job_terms(w);
	struct market_offer_terms o = world_offer_terms(w);
	struct market_lease x;
	struct hash job;

	t.task_count = 1;
	t.prefer = MARKET_PREFER_SOON;
	o.gop_price = coin_picks(1);
	world_post_offer(w, PROVIDER, &o);
	o.gop_price = coin_picks(1000000);
	o.rate *= 2;
	world_post_offer(w, PROVIDER + 1, &o);
	job = world_post_job(w, BUYER, &t);
	x = lease_of(w, &job, 0);
	cr_assert(pubkey_eq(&x.provider, &w->pk[PROVIDER + 1]));
	world_free(w);
}

Test(match, gpus_of_every_newer_kind_and_cpus)
{
	struct world *w = world_new(NULL);
	struct market_job_terms t = world_job_terms(w);
	struct market_offer_terms o = world_offer_terms(w);
	struct market_lease x;
	struct hash job;

	t.want_sm_min = 81; /* no bucket of its own: 86 and newer, and cpus */
	o.gop_price = coin_picks(3);
	world_post_offer(w, PROVIDER, &o);
	o.device = MARKET_DEVICE_GPU;
	o.sm = 80;
	o.gop_price = coin_picks(1);
	world_post_offer(w, PROVIDER + 1, &o);
	o.sm = 120;
	o.gop_price = coin_picks(2);
	world_post_offer(w, PROVIDER + 2, &o);
	job = world_post_job(w, BUYER, &t);
	cr_assert_eq(lease_count(w, &job), 2);
	x = lease_of(w, &job, 0);
	cr_assert_eq(x.sm, 120);
	x = lease_of(w, &job, 1);
	cr_assert_eq(x.device, MARKET_DEVICE_CPU);
	world_free(w);
}

Test(match, the_dearer_job_goes_first)
{
	struct world *w = world_new(NULL);
	struct market_job_terms t = world_job_terms(w);
	struct market_offer_terms o = world_offer_terms(w);
	struct hash cheap, dear;

	cheap = world_post_job(w, BUYER, &t);
	t.gop_price_max = coin_picks(2000000);
	dear = world_post_job(w, BUYER, &t);
	world_post_offer(w, PROVIDER, &o);
	cr_assert_eq(lease_count(w, &dear), 1);
	cr_assert_eq(lease_count(w, &cheap), 0);
	world_free(w);
}

Test(match, a_newcomer_has_one_lease_and_a_quarter)
{
	struct world *w = world_new(NULL);
	struct market_job_terms t = world_job_terms(w);
	struct market_offer_terms o = world_offer_terms(w);
	uint32_t counts[MARKET_MISFIT_COUNT];
	struct hash job;

	o.slots = 8;
	world_post_offer(w, PROVIDER, &o);
	job = world_post_job(w, BUYER, &t);
	cr_assert_eq(lease_count(w, &job), 1);
	cr_assert_eq(lease_of(w, &job, 0).count, 4);
	explain(w, &job, counts);
	cr_assert_eq(counts[MARKET_MISFIT_newcomer], 1);
	world_free(w);
}

Test(match, trust_lifts_the_limits)
{
	struct ledger_params p = world_params_small();
	struct world *w;
	struct market_job_terms t;
	struct market_offer_terms o;
	struct market_lease x;
	struct hash job;
	uint32_t i;

	p.newcomer_cv = 2;
	w = world_new(&p);
	t = world_job_terms(w);
	o = world_offer_terms(w);
	o.rate = 100000000; /* a task takes ten seconds */
	o.slots = 2;
	world_post_offer(w, PROVIDER, &o);
	job = world_post_job(w, BUYER, &t);
	for (i = 0; i < 2; i++) {
		x = lease_of(w, &job, i);
		cr_assert_eq(x.count, 4);
		world_accept(w, PROVIDER, &x.id);
		world_commit(w, PROVIDER, &x.id, 4);
		world_block(w);
		world_audit(w, VERIFIER, WORLD_DRAWN, &x.id, 0);
		world_audit(w, VERIFIER, WORLD_VALID, &x.id, 0);
		x = world_lease(w, &x.id);
		cr_assert_eq(x.state, MARKET_LEASE_settled);
	}
	/* CV is 2: no longer a newcomer; 60 s hold six tasks */
	t.task_count = 6;
	job = world_post_job(w, BUYER, &t);
	for (i = 0; i < 12 && lease_count(w, &job) == 0; i++)
		world_block(w);
	x = lease_of(w, &job, 0);
	cr_assert_eq(x.count, 6);
	world_free(w);
}

Test(match, exposure_holds_a_starter_to_its_value)
{
	struct world *w = world_new(NULL);
	struct market_job_terms t = world_job_terms(w);
	struct market_offer_terms o = world_offer_terms(w);
	struct hash job;
	struct market_lease x;

	/* 300,000,000 a task; 1,000,000,000 in all: three */
	t.gop_price_max = coin_picks(300000000);
	o.gop_price = coin_picks(300000000);
	world_post_offer(w, PROVIDER, &o);
	job = world_post_job(w, BUYER, &t);
	x = lease_of(w, &job, 0);
	cr_assert_eq(x.count, 3);
	world_accept(w, PROVIDER, &x.id);
	world_commit(w, PROVIDER, &x.id, 3);
	world_block(w);
	cr_assert_eq(lease_count(w, &job), 1);
	world_free(w);
}

Test(match, a_new_offer_wakes_a_waiting_job_at_once)
{
	struct world *w = world_new(NULL);
	struct market_job_terms t = world_job_terms(w);
	struct market_offer_terms o = world_offer_terms(w);
	struct hash job = world_post_job(w, BUYER, &t);

	/* long enough to be out of sight for 64 blocks */
	world_until(w, w->height + 70);
	cr_assert_eq(world_job(w, &job).index, MARKET_JOB_WAITING);
	cr_assert_geq(world_job(w, &job).retry_height, w->height + 50);
	world_post_offer(w, PROVIDER, &o);
	cr_assert_eq(lease_count(w, &job), 1);
	world_free(w);
}

Test(match, back_off_doubles)
{
	struct world *w = world_new(NULL);
	struct market_job_terms t = world_job_terms(w);
	struct hash job = world_post_job(w, BUYER, &t);
	uint64_t at = w->height;
	uint32_t n;

	for (n = 0; n < 6; n++) {
		cr_assert_eq(world_job(w, &job).retry_height, at + (1u << n));
		at += 1u << n;
		world_until(w, at);
	}
	world_free(w);
}

Test(match, not_before_waits)
{
	struct world *w = world_new(NULL);
	struct market_job_terms t = world_job_terms(w);
	struct market_offer_terms o = world_offer_terms(w);
	struct hash job;

	world_post_offer(w, PROVIDER, &o);
	t.not_before_height = w->height + 10;
	job = world_post_job(w, BUYER, &t);
	world_until(w, t.not_before_height - 1);
	cr_assert_eq(lease_count(w, &job), 0);
	world_block(w);
	cr_assert_eq(lease_count(w, &job), 1);
	world_free(w);
}

Test(match, out_of_funds_pauses_and_a_top_up_resumes)
{
	struct world *w = world_new(NULL);
	struct market_job_terms t = world_job_terms(w);
	struct market_offer_terms o = world_offer_terms(w);
	struct market_job_top_up x = {.amount = coin_picks(200000)};
	struct buf b = buf_make(1000);
	struct market_lease lease;
	struct market_job j;

	/* a job of one task, its escrow eaten by one idle fee */
	t.task_count = 1;
	o.gop_price = t.gop_price_max;
	world_post_offer(w, PROVIDER, &o);
	x.id = world_post_job(w, BUYER, &t);
	lease = lease_of(w, &x.id, 0);
	world_decline(w, PROVIDER, &lease.id, REASON_input_missing);
	world_post_offer(w, PROVIDER + 1, &o);
	j = world_job(w, &x.id);
	cr_assert_eq(j.state, MARKET_JOB_PAUSED);
	cr_assert_eq(j.reason, REASON_out_of_funds);
	market_job_top_up_encode(&b, &x);
	cr_assert_eq(world_send(w, BUYER, MARKET_KIND_JOB_TOP_UP, &b, NULL),
		     REASON_none);
	cr_assert_eq(lease_count(w, &x.id), 2);
	world_free(w);
}

Test(match, a_lease_is_no_larger_than_the_escrow)
{
	struct world *w = world_new(NULL);
	struct market_job_terms t = world_job_terms(w);
	struct market_offer_terms o = world_offer_terms(w);
	struct market_lease x;
	struct hash job;

	/* 4 * (1,000,000 + 30,000) + posting, then one idle fee is paid:
	 * 4,020,000 are three tasks' worth */
	t.task_count = 4;
	t.lease_tasks_min = 4;
	o.gop_price = t.gop_price_max;
	world_post_offer(w, PROVIDER, &o);
	job = world_post_job(w, BUYER, &t);
	x = lease_of(w, &job, 0);
	cr_assert_eq(x.count, 4);
	world_decline(w, PROVIDER, &x.id, REASON_input_missing);
	cr_assert_eq(raw(world_job(w, &job).escrow), 4020000);
	world_post_offer(w, PROVIDER + 1, &o);
	x = lease_of(w, &job, 1);
	cr_assert_eq(x.count, 3);
	world_free(w);
}

Test(match, redeclare_locks_what_dearer_work_needs)
{
	struct world *w = world_new(NULL);
	struct market_job_terms t = world_job_terms(w);
	struct market_job_redeclare x = {.gop_price_max = t.gop_price_max};
	struct buf b = buf_make(1000);
	struct market_job j;
	uint64_t before;

	x.id = world_post_job(w, BUYER, &t);
	x.work = t.work;
	x.work.ops_per_task = 2000000000;
	before = raw(world_balance(w, BUYER));
	market_job_redeclare_encode(&b, &x);
	cr_assert_eq(world_send(w, BUYER, MARKET_KIND_JOB_REDECLARE, &b, NULL),
		     REASON_none);
	j = world_job(w, &x.id);
	/* 16 * (2,000,000 + 100,000) + posting: 16,000,000 more */
	cr_assert_eq(raw(j.escrow), 33700000);
	cr_assert_lt(raw(world_balance(w, BUYER)), before - 16000000);
	world_free(w);
}

Test(match, ranges_stay_few)
{
	struct ledger_params p = ledger_params_default();
	struct world *w;
	struct market_job_terms t;
	struct market_offer_terms o;
	uint32_t counts[MARKET_MISFIT_COUNT], i;
	struct hash job;

	p.free_ranges_max = 5;
	w = world_new(&p);
	t = world_job_terms(w);
	o = world_offer_terms(w);
	for (i = 0; i < 4; i++)
		world_post_offer(w, PROVIDER + i, &o);
	job = world_post_job(w, BUYER, &t);
	/* one range; each open lease may return two more: 1, 3, 5 */
	cr_assert_eq(lease_count(w, &job), 2);
	explain(w, &job, counts);
	cr_assert_eq(counts[MARKET_MISFIT_ranges], 2);
	world_free(w);
}

Test(match, an_updated_offer_leaves_running_leases_alone)
{
	struct world *w = world_new(NULL);
	struct market_job_terms t = world_job_terms(w);
	struct market_offer_terms o = world_offer_terms(w);
	struct buf b = buf_make(4000);
	struct hash offer = world_post_offer(w, PROVIDER, &o), job;
	struct market_lease x;

	job = world_post_job(w, BUYER, &t);
	o.gop_price = coin_picks(1000000);
	o.slots = 0;
	market_offer_update_encode(&b, &offer, &o);
	cr_assert_eq(
		world_send(w, PROVIDER, MARKET_KIND_OFFER_UPDATE, &b, NULL),
		REASON_none);
	x = lease_of(w, &job, 0);
	cr_assert_eq(raw(x.task_price), 900000);
	cr_assert_eq(world_accept(w, PROVIDER, &x.id), REASON_none);
	world_commit(w, PROVIDER, &x.id, 4);
	cr_assert_eq(lease_count(w, &job), 1);
	world_free(w);
}

Test(match, refusals_of_bad_jobs_change_nothing)
{
	struct world *w = world_new(NULL);
	struct market_job_terms t = world_job_terms(w);
	uint64_t i;

	for (i = 0; i < 6; i++) {
		struct market_job_terms u = t;
		struct buf b = buf_make(4000);
		enum reason want = REASON_bad_value;
		uint64_t had = raw(world_balance(w, BUYER));

		if (i == 0)
			u.deadline_height = w->height;
		if (i == 1)
			u.deadline_height = w->height + 2 + (1u << 21);
		if (i == 2)
			u.confidence = MARKET_DUAL;
		if (i == 3)
			u.work.class_bit = MARKET_CLASS_B;
		if (i == 4)
			u.work.cta_open_max = (16u << 20) + 1;
		if (i == 5)
			u.gop_price_max = coin_picks(100000000000);
		if (i == 3 || i == 4)
			want = REASON_class_refused;
		if (i == 5)
			want = REASON_insufficient_funds;
		market_job_terms_encode(&b, &u);
		cr_assert_eq(
			world_send(w, BUYER, MARKET_KIND_JOB_POST, &b, NULL),
			want, "case %u", (unsigned)i);
		cr_assert_gt(raw(world_balance(w, BUYER)), had - 20000);
	}
	world_free(w);
}

Test(match, strangers_may_not_touch_what_is_not_theirs)
{
	struct world *w = world_new(NULL);
	struct market_job_terms t = world_job_terms(w);
	struct market_offer_terms o = world_offer_terms(w);
	struct hash offer = world_post_offer(w, PROVIDER, &o), job;
	struct market_lease x;
	struct buf b = buf_make(4000);

	job = world_post_job(w, BUYER, &t);
	x = lease_of(w, &job, 0);
	cr_assert_eq(world_accept(w, VERIFIER, &x.id), REASON_no_permission);
	cr_assert_eq(world_cancel(w, VERIFIER, &job), REASON_no_permission);
	market_offer_withdraw_encode(&b, &offer);
	cr_assert_eq(
		world_send(w, VERIFIER, MARKET_KIND_OFFER_WITHDRAW, &b, NULL),
		REASON_no_permission);
	world_free(w);
}
