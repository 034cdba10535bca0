/*
 * Every way a lease can go, with the picks that each party ends up with.
 *
 * Numbers of the plain job (world_tx.c), by hand:
 *   task price at the limit    1,000,000; at the plain offer 900,000
 *   audit cost                 10^4 + 4 * 10,000 * 20 * 500,000 / 10^9 (400)
 *                              + 20 * 64 KiB (1,280) = 11,680
 *   check fee of one task      max(3 % of 10^6 = 30,000; 100,000;
 *                              1.2 * 11,680 = 14,016) = 100,000
 *   escrow                     16 * (1,000,000 + 100,000) + 100,000
 *                              = 17,700,000
 *   a newcomer's lease         4 tasks: 3,600,000; fee 3 % = 108,000
 */
#include <criterion/criterion.h>

#include "base/must.h"
#include "tests/market/world.h"

#define BUYER	 1
#define PROVIDER 2
#define OTHER	 3
#define VERIFIER 4

static uint64_t raw(struct coin c)
{
	return coin_raw(c);
}

/* What BUYER has less than at first, fees of its transactions aside. */
struct scene {
	struct world *w;
	struct hash job;
	struct hash offer;
	struct market_lease lease;
	uint64_t buyer, provider, pool; /* before the first lease ends */
};

/* A job, an offer, and the first lease between them, open. */
static struct scene begin(const struct ledger_params *p)
{
	struct scene s = {.w = world_new(p)};
	struct market_job_terms t;
	struct market_offer_terms o;
	struct market_job j;

	o = world_offer_terms(s.w);
	s.offer = world_post_offer(s.w, PROVIDER, &o);
	t = world_job_terms(s.w);
	s.job = world_post_job(s.w, BUYER, &t);
	j = world_job(s.w, &s.job);
	cr_assert_eq(raw(j.audit_cost), 11680);
	cr_assert_eq(raw(j.check_fee_task), 100000);
	/* 17,700,000 less posting fee, less 3,600,000 + 108,000 reserved */
	cr_assert_eq(raw(j.escrow), 17700000 - 100000 - 3708000);
	cr_assert_eq(raw(j.reserved), 3708000);
	cr_assert(world_lease_of(s.w, &s.job, 0, &s.lease));
	cr_assert_eq(s.lease.state, MARKET_LEASE_open);
	cr_assert_eq(s.lease.first, 0);
	cr_assert_eq(s.lease.count, 4);
	cr_assert_eq(raw(s.lease.price), 3600000);
	cr_assert_eq(raw(s.lease.check_fee), 108000);
	cr_assert_eq(s.lease.audit_p, 1ull << 32);
	cr_assert_eq(raw(world_pool(s.w)), 100000);
	return s;
}

static void note(struct scene *s)
{
	s->buyer = raw(world_balance(s->w, BUYER));
	s->provider = raw(world_balance(s->w, PROVIDER));
	s->pool = raw(world_pool(s->w));
}

static void end(struct scene *s)
{
	world_free(s->w);
}

static void reload(struct scene *s)
{
	s->lease = world_lease(s->w, &s->lease.id);
}

static void must_be(struct scene *s, enum market_lease_state state,
		    enum reason why)
{
	reload(s);
	cr_assert_eq(s->lease.state, state, "is %s",
		     market_lease_state_word(s->lease.state));
	cr_assert_eq(s->lease.reason, why, "is %s",
		     reason_word(s->lease.reason));
}

static void commit(struct scene *s, uint32_t done)
{
	cr_assert_eq(world_accept(s->w, PROVIDER, &s->lease.id), REASON_none);
	cr_assert_eq(world_commit(s->w, PROVIDER, &s->lease.id, done),
		     REASON_none);
}

/* Cancel, so that no further lease moves money while one is watched. */
static void cancel(struct scene *s)
{
	cr_assert_eq(world_cancel(s->w, BUYER, &s->job), REASON_none);
}

Test(paths, audited_valid)
{
	struct scene s = begin(NULL);
	struct market_provider p;

	commit(&s, 4);
	cancel(&s);
	world_until(s.w, s.w->height + 1);
	cr_assert_eq(world_audit(s.w, VERIFIER, WORLD_DRAWN, &s.lease.id, 0),
		     REASON_none);
	note(&s);
	cr_assert_eq(world_audit(s.w, VERIFIER, WORLD_VALID, &s.lease.id, 0),
		     REASON_none);
	must_be(&s, MARKET_LEASE_settled, REASON_done);
	cr_assert(s.lease.audited);
	/* 20 % of 3,600,000 is withheld; the fee goes to the pool */
	cr_assert_eq(raw(world_balance(s.w, PROVIDER)), s.provider + 2880000);
	cr_assert_eq(raw(world_bond(s.w, PROVIDER)), 720000);
	cr_assert_eq(raw(world_pool(s.w)), s.pool + 108000);
	cr_assert_eq(raw(world_balance(s.w, BUYER)), s.buyer);
	cr_assert_eq(world_job(s.w, &s.job).state, MARKET_JOB_ENDED);
	cr_assert_eq(world_job(s.w, &s.job).reason, REASON_cancelled);
	p = world_provider(s.w, PROVIDER);
	cr_assert_eq(p.settled, 1);
	cr_assert_eq(p.live_leases, 0);
	cr_assert_eq(raw(p.exposure), 0);
	end(&s);
}

Test(paths, settles_unaudited_at_the_challenge_window)
{
	struct ledger_params q = world_params_small();
	struct scene s = begin(&q);
	uint64_t c;

	commit(&s, 4);
	c = s.w->height;
	cancel(&s);
	note(&s);
	world_until(s.w, c + q.challenge_blocks - 1);
	must_be(&s, MARKET_LEASE_committed, REASON_none);
	world_block(s.w);
	must_be(&s, MARKET_LEASE_settled, REASON_done);
	cr_assert_not(s.lease.audited);
	cr_assert_eq(raw(world_balance(s.w, PROVIDER)), s.provider + 2880000);
	cr_assert_eq(raw(world_pool(s.w)), s.pool + 108000);
	end(&s);
}

Test(paths, partial_commit_returns_the_rest)
{
	struct scene s = begin(NULL);
	struct market_job j;

	commit(&s, 1);
	reload(&s);
	/* one task: 900,000; fee max(27,000; 100,000; 14,016) */
	cr_assert_eq(raw(s.lease.price), 900000);
	cr_assert_eq(raw(s.lease.check_fee), 100000);
	cr_assert_eq(s.lease.reason, REASON_gpu_lost);
	j = world_job(s.w, &s.job);
	cr_assert_eq(j.committed_count, 1);
	/* [1, 16) is free again but for the next lease of four */
	cr_assert_eq(j.free_count + j.in_lease_count, 15);
	cr_assert_eq(j.low_first, j.in_lease_count > 0 ? 5 : 1);
	/* not in the block after the commit: the seed is still to come */
	cr_assert_eq(world_audit(s.w, VERIFIER, WORLD_DRAWN, &s.lease.id, 0),
		     REASON_too_early);
	cr_assert_eq(world_audit(s.w, VERIFIER, WORLD_DRAWN, &s.lease.id, 0),
		     REASON_none);
	cr_assert_eq(world_audit(s.w, VERIFIER, WORLD_VALID, &s.lease.id, 0),
		     REASON_none);
	must_be(&s, MARKET_LEASE_settled, REASON_gpu_lost);
	cr_assert_eq(raw(s.lease.paid), 900000);
	end(&s);
}

Test(paths, declined_leaves_no_mark)
{
	struct scene s = begin(NULL);

	note(&s);
	cr_assert_eq(
		world_decline(s.w, PROVIDER, &s.lease.id, REASON_declined_busy),
		REASON_none);
	must_be(&s, MARKET_LEASE_declined, REASON_declined_busy);
	cr_assert_eq(market_failures(&(struct market_provider){0}), 0);
	struct market_provider p = world_provider(s.w, PROVIDER);
	cr_assert_eq(market_failures(&p), 0);
	cr_assert_eq(raw(world_pool(s.w)), s.pool);
	cr_assert_eq(world_job(s.w, &s.job).free_count, 16);
	end(&s);
}

static void top_up(struct world *w, const struct hash *job, uint64_t picks)
{
	struct market_job_top_up x = {*job, coin_picks(picks)};
	struct buf b = buf_make(1000);

	market_job_top_up_encode(&b, &x);
	cr_assert_eq(world_send(w, BUYER, MARKET_KIND_JOB_TOP_UP, &b, NULL),
		     REASON_none);
}

Test(paths, input_missing_pays_idle_time_and_pauses)
{
	struct world *w = world_new(NULL);
	struct market_job_terms t = world_job_terms(w);
	struct hash job;
	struct market_lease x;
	struct market_job j;
	uint64_t escrow;
	uint32_t i;

	for (i = 0; i < 4; i++) {
		struct market_offer_terms o = world_offer_terms(w);

		world_post_offer(w, PROVIDER + i, &o);
	}
	job = world_post_job(w, BUYER, &t);
	for (i = 0; i < 3; i++) {
		uint32_t who;

		cr_assert(world_lease_of(w, &job, i, &x));
		for (who = PROVIDER; !pubkey_eq(&x.provider, &w->pk[who]);)
			who++;
		escrow = raw(world_balance(w, who));
		cr_assert_eq(world_decline(w, who, &x.id, REASON_input_missing),
			     REASON_none);
		/* what it got, less its own transaction's fee */
		cr_assert_gt(raw(world_balance(w, who)), escrow + 90000);
		j = world_job(w, &job);
		cr_assert_eq(raw(j.fees), 100000 + 100000 * (i + 1));
	}
	cr_assert_eq(j.state, MARKET_JOB_PAUSED);
	cr_assert_eq(j.reason, REASON_input_missing);
	/* the buyer is back: all three may be asked again */
	cr_assert_eq(j.skip_count, 3);
	top_up(w, &job, 1);
	j = world_job(w, &job);
	cr_assert_eq(j.state, MARKET_JOB_OPEN);
	cr_assert_eq(j.live_leases, 4);
	world_free(w);
}

Test(paths, lapses_requeue_and_close_the_offer)
{
	struct ledger_params q = world_params_small();
	struct scene s = begin(&q);
	struct market_offer o;
	struct market_provider p;
	uint64_t at = s.lease.open_height + q.accept_blocks;

	world_until(s.w, at - 1);
	must_be(&s, MARKET_LEASE_open, REASON_none);
	world_block(s.w);
	must_be(&s, MARKET_LEASE_lapsed, REASON_provider_timeout);
	o = world_offer(s.w, &s.offer);
	cr_assert_eq(o.closed_until, at + q.lapse_close_blocks);
	cr_assert_eq(o.lapses, 1);
	p = world_provider(s.w, PROVIDER);
	cr_assert_eq(market_failures(&p), 1);
	cr_assert_eq(p.lapsed, 1);
	/* the operator is passed over by this job: it waits */
	world_until(s.w, at + 3 * q.lapse_close_blocks);
	cr_assert_eq(world_job(s.w, &s.job).live_leases, 0);
	cr_assert_eq(world_job(s.w, &s.job).free_count, 16);
	end(&s);
}

Test(paths, lapses_in_a_row_double_until_a_commit)
{
	struct ledger_params q = world_params_small();
	struct world *w = world_new(&q);
	struct market_job_terms t = world_job_terms(w);
	struct market_offer_terms o = world_offer_terms(w);
	struct hash offer = world_post_offer(w, PROVIDER, &o), job;
	struct market_lease x;
	const uint32_t before[4] = {0, 1, 2, 0};
	uint32_t i;

	for (i = 0; i < 4; i++) {
		struct market_offer y = world_offer(w, &offer);

		cr_assert_eq(y.lapses, before[i]);
		world_until(w, y.closed_until + 1);
		/* a job each: one does not ask the same operator again */
		job = world_post_job(w, BUYER, &t);
		cr_assert(world_lease_of(w, &job, 0, &x), "job %u", i);
		if (i == 2) {
			world_accept(w, PROVIDER, &x.id);
			world_commit(w, PROVIDER, &x.id, x.count);
			world_cancel(w, BUYER, &job);
			world_until(w, w->height + q.challenge_blocks);
			continue;
		}
		world_until(w, x.window_height);
		y = world_offer(w, &offer);
		cr_assert_eq(y.closed_until - w->height,
			     q.lapse_close_blocks << before[i]);
		world_cancel(w, BUYER, &job);
	}
	world_free(w);
}

Test(paths, failed_and_retracted)
{
	struct scene s = begin(NULL);
	struct market_lease x;

	cr_assert_eq(world_accept(s.w, PROVIDER, &s.lease.id), REASON_none);
	cr_assert_eq(world_fail(s.w, PROVIDER, &s.lease.id, REASON_driver_fault,
				-1, 0),
		     REASON_none);
	must_be(&s, MARKET_LEASE_failed, REASON_driver_fault);
	cr_assert_eq(world_job(s.w, &s.job).free_count, 16);
	end(&s);

	s = begin(NULL);
	commit(&s, 4);
	/* the block after the commit is still before the sample */
	cr_assert_eq(world_retract(s.w, PROVIDER, &s.lease.id), REASON_none);
	must_be(&s, MARKET_LEASE_retracted, REASON_driver_fault);
	cr_assert_eq(raw(s.lease.paid), 0);
	end(&s);

	s = begin(NULL);
	commit(&s, 4);
	world_block(s.w);
	cr_assert_eq(world_retract(s.w, PROVIDER, &s.lease.id),
		     REASON_too_late);
	cr_assert(world_lease_of(s.w, &s.job, 0, &x));
	cr_assert_eq(x.state, MARKET_LEASE_committed);
	end(&s);
}

Test(paths, failed_with_done_tasks_is_committed)
{
	struct scene s = begin(NULL);

	cr_assert_eq(world_accept(s.w, PROVIDER, &s.lease.id), REASON_none);
	cr_assert_eq(world_fail(s.w, PROVIDER, &s.lease.id, REASON_owner_active,
				-1, 2),
		     REASON_none);
	must_be(&s, MARKET_LEASE_committed, REASON_owner_active);
	cr_assert_eq(s.lease.done, 2);
	cr_assert_eq(raw(s.lease.price), 1800000);
	end(&s);
}

Test(paths, quarantined_after_three_operators)
{
	struct world *w = world_new(NULL);
	struct market_job_terms t = world_job_terms(w);
	struct market_offer_terms o = world_offer_terms(w);
	struct hash job;
	struct market_lease x;
	struct market_job j;
	uint32_t i, who;

	t.task_count = 1;
	for (i = 0; i < 4; i++)
		world_post_offer(w, PROVIDER + i, &o);
	job = world_post_job(w, BUYER, &t);
	for (i = 0; i < 3; i++) {
		cr_assert(world_lease_of(w, &job, i, &x));
		for (who = PROVIDER; !pubkey_eq(&x.provider, &w->pk[who]);)
			who++;
		cr_assert_eq(world_accept(w, who, &x.id), REASON_none);
		/* a task that it does not hold is none of its business */
		cr_assert_eq(
			world_fail(w, who, &x.id, REASON_kernel_fault, 1, 0),
			REASON_bad_value);
		cr_assert_eq(
			world_fail(w, who, &x.id, REASON_kernel_fault, 0, 0),
			REASON_none);
	}
	j = world_job(w, &job);
	cr_assert_eq(j.quarantined_count, 1);
	cr_assert_eq(j.state, MARKET_JOB_ENDED);
	cr_assert_eq(j.reason, REASON_quarantined);
	cr_assert_not(world_lease_of(w, &job, 3, &x));
	world_free(w);
}

Test(paths, fraud_costs_bond_and_returns_the_pay)
{
	struct scene s = begin(NULL);
	struct market_lease x;
	uint64_t verifier, bond;

	/* earn a bond first: 720,000 */
	commit(&s, 4);
	world_block(s.w);
	world_audit(s.w, VERIFIER, WORLD_DRAWN, &s.lease.id, 0);
	world_audit(s.w, VERIFIER, WORLD_VALID, &s.lease.id, 0);
	cr_assert(world_lease_of(s.w, &s.job, 1, &s.lease));
	commit(&s, 4);
	world_block(s.w);
	world_audit(s.w, VERIFIER, WORLD_DRAWN, &s.lease.id, 0);
	bond = raw(world_bond(s.w, PROVIDER));
	cr_assert_eq(bond, 720000);
	cancel(&s);
	note(&s);
	verifier = raw(world_balance(s.w, VERIFIER));
	cr_assert_eq(
		world_audit(s.w, VERIFIER, WORLD_FRAUD, &s.lease.id, 432000),
		REASON_none);
	must_be(&s, MARKET_LEASE_refuted, REASON_refuted);
	/* 2 * 3,600,000 is more than there is: the whole bond goes */
	cr_assert_eq(raw(s.lease.penalty), 720000);
	cr_assert_eq(raw(world_bond(s.w, PROVIDER)), 0);
	cr_assert_eq(raw(world_balance(s.w, PROVIDER)), s.provider);
	cr_assert_gt(raw(world_balance(s.w, VERIFIER)), verifier + 400000);
	/* pay and check fee return to the buyer */
	cr_assert_eq(raw(world_balance(s.w, BUYER)), s.buyer + 3708000);
	cr_assert(world_lease_of(s.w, &s.job, 0, &x));
	cr_assert_eq(x.state, MARKET_LEASE_settled);
	end(&s);
}

Test(paths, chosen_sample_spares_the_bond)
{
	struct scene s = begin(NULL);

	commit(&s, 4);
	world_block(s.w);
	world_audit(s.w, VERIFIER, WORLD_DRAWN, &s.lease.id, 0);
	world_audit(s.w, VERIFIER, WORLD_VALID, &s.lease.id, 0);
	cr_assert(world_lease_of(s.w, &s.job, 1, &s.lease));
	commit(&s, 4);
	cr_assert_eq(
		world_audit(s.w, VERIFIER, WORLD_FRAUD_CHOSEN, &s.lease.id, 5),
		REASON_none);
	must_be(&s, MARKET_LEASE_refuted, REASON_refuted);
	cr_assert_eq(raw(world_bond(s.w, PROVIDER)), 720000);
	end(&s);
}

Test(paths, unavailable_and_unchecked)
{
	struct scene s = begin(NULL);

	commit(&s, 4);
	cancel(&s);
	note(&s);
	cr_assert_eq(
		world_audit(s.w, VERIFIER, WORLD_UNAVAILABLE, &s.lease.id, 0),
		REASON_none);
	must_be(&s, MARKET_LEASE_unavailable, REASON_opening_unavailable);
	cr_assert_eq(raw(world_balance(s.w, BUYER)), s.buyer + 3708000);
	end(&s);

	s = begin(NULL);
	commit(&s, 4);
	cancel(&s);
	note(&s);
	cr_assert_eq(
		world_audit(s.w, VERIFIER, WORLD_UNCHECKED, &s.lease.id, 0),
		REASON_none);
	must_be(&s, MARKET_LEASE_unchecked, REASON_unchecked);
	/* paid; the check fee goes back to the buyer */
	cr_assert_eq(raw(world_balance(s.w, PROVIDER)), s.provider + 2880000);
	cr_assert_eq(raw(world_balance(s.w, BUYER)), s.buyer + 108000);
	cr_assert_eq(raw(world_pool(s.w)), s.pool);
	end(&s);
}

Test(paths, void_once_is_unpaid_twice_is_the_programs)
{
	struct world *w = world_new(NULL);
	struct market_job_terms t = world_job_terms(w);
	struct market_offer_terms o = world_offer_terms(w);
	struct hash job;
	struct market_lease x, y;
	struct market_job j;
	uint64_t first;

	t.task_count = 4;
	world_post_offer(w, PROVIDER, &o);
	job = world_post_job(w, BUYER, &t);
	cr_assert(world_lease_of(w, &job, 0, &x));
	cr_assert_eq(x.count, 1); /* a quarter */
	world_accept(w, PROVIDER, &x.id);
	world_commit(w, PROVIDER, &x.id, 1);
	cr_assert_eq(world_audit(w, VERIFIER, WORLD_VOID, &x.id, 5),
		     REASON_none);
	x = world_lease(w, &x.id);
	cr_assert_eq(x.state, MARKET_LEASE_void);
	cr_assert_eq(raw(x.paid), 0);
	first = raw(world_balance(w, PROVIDER));
	/* the same operator was given another lease meanwhile; another one
	 * confirms on the same state */
	world_post_offer(w, OTHER, &o);
	j = world_job(w, &job);
	cr_assert_eq(j.state, MARKET_JOB_OPEN);
	for (uint32_t n = 1;; n++) {
		cr_assert(world_lease_of(w, &job, n, &y));
		if (pubkey_eq(&y.provider, &w->pk[OTHER]))
			break;
	}
	world_accept(w, OTHER, &y.id);
	world_commit(w, OTHER, &y.id, 1);
	cr_assert_eq(world_audit(w, VERIFIER, WORLD_VOID, &y.id, 5),
		     REASON_none);
	y = world_lease(w, &y.id);
	cr_assert_eq(y.state, MARKET_LEASE_void);
	cr_assert_eq(raw(y.paid), 900000);
	j = world_job(w, &job);
	cr_assert_eq(j.reason, REASON_void);
	cr_assert_geq(raw(world_balance(w, PROVIDER)), first + 900000);
	world_free(w);
}

Test(paths, cancel_ends_what_is_open_and_pays_what_runs)
{
	struct scene s = begin(NULL);
	struct market_job j;

	note(&s);
	cancel(&s);
	must_be(&s, MARKET_LEASE_cancelled, REASON_cancelled);
	j = world_job(s.w, &s.job);
	cr_assert_eq(j.state, MARKET_JOB_ENDED);
	/* all but the posting fee came back, less the fee of the cancel */
	cr_assert_gt(raw(world_balance(s.w, BUYER)), s.buyer + 17590000);
	cr_assert_eq(world_accept(s.w, PROVIDER, &s.lease.id),
		     REASON_already_settled);
	end(&s);

	s = begin(NULL);
	cr_assert_eq(world_accept(s.w, PROVIDER, &s.lease.id), REASON_none);
	cancel(&s);
	must_be(&s, MARKET_LEASE_accepted, REASON_none);
	note(&s);
	cr_assert_eq(world_commit(s.w, PROVIDER, &s.lease.id, 3), REASON_none);
	/* one task of the four was not done: its share returns at once */
	cr_assert_eq(raw(world_balance(s.w, BUYER)),
		     s.buyer + 900000 + 108000 - 100000);
	end(&s);
}

Test(paths, nobody_is_charged_before_a_lease)
{
	struct world *w = world_new(NULL);
	struct market_job_terms t = world_job_terms(w);
	uint64_t before;
	struct hash job = world_post_job(w, BUYER, &t);

	cr_assert_eq(raw(world_job(w, &job).escrow), 17700000);
	before = raw(world_balance(w, BUYER));
	cr_assert_eq(world_cancel(w, BUYER, &job), REASON_none);
	/* back to the pick, less the cancel's own fee (below 5,000) */
	cr_assert_gt(raw(world_balance(w, BUYER)), before + 17700000 - 5000);
	cr_assert_eq(raw(world_pool(w)), 0);
	cr_assert_eq(world_job(w, &job).state, MARKET_JOB_ENDED);
	world_free(w);
}

Test(paths, deadline_without_a_lease_says_no_match)
{
	struct ledger_params q = world_params_small();
	struct world *w = world_new(&q);
	struct market_job_terms t = world_job_terms(w);
	struct hash job;
	struct market_job j;

	t.deadline_height = w->height + 12;
	job = world_post_job(w, BUYER, &t);
	world_until(w, t.deadline_height - 1);
	cr_assert_eq(world_job(w, &job).state, MARKET_JOB_OPEN);
	world_block(w);
	j = world_job(w, &job);
	cr_assert_eq(j.state, MARKET_JOB_ENDED);
	cr_assert_eq(j.reason, REASON_no_match);
	/* nobody waits any more: blocks change nothing */
	world_block(w);
	cr_assert_not(w->is_live);
	world_free(w);
}

Test(paths, bond_returns_after_the_last_settlement)
{
	struct ledger_params q = world_params_small();
	struct scene s = begin(&q);
	uint64_t settled;

	commit(&s, 4);
	cancel(&s);
	world_until(s.w, s.w->height + q.challenge_blocks);
	reload(&s);
	settled = s.lease.end_height;
	cr_assert_eq(raw(world_bond(s.w, PROVIDER)), 720000);
	/* no clock: somebody's transactions carry the chain there */
	while (s.w->height < settled + q.bond_return_blocks - 1)
		world_cancel(s.w, BUYER, &s.job);
	cr_assert_eq(raw(world_bond(s.w, PROVIDER)), 720000);
	note(&s);
	world_cancel(s.w, BUYER, &s.job);
	cr_assert_eq(raw(world_bond(s.w, PROVIDER)), 0);
	cr_assert_eq(raw(world_balance(s.w, PROVIDER)), s.provider + 720000);
	end(&s);
}

Test(paths, a_bond_stays_while_anything_it_stands_for_is_open)
{
	struct ledger_params q = world_params_small();
	struct scene s;

	q.bond_return_blocks = 10;
	s = begin(&q);
	commit(&s, 4);
	world_block(s.w);
	world_audit(s.w, VERIFIER, WORLD_DRAWN, &s.lease.id, 0);
	world_audit(s.w, VERIFIER, WORLD_VALID, &s.lease.id, 0);
	cr_assert(world_lease_of(s.w, &s.job, 1, &s.lease));
	commit(&s, 4);
	world_block(s.w);
	world_audit(s.w, VERIFIER, WORLD_DRAWN, &s.lease.id, 0);
	cancel(&s);
	/* ten blocks after the first settlement the second is under audit */
	world_until(s.w, s.w->height + 15);
	must_be(&s, MARKET_LEASE_auditing, REASON_none);
	cr_assert_eq(raw(world_bond(s.w, PROVIDER)), 720000);
	world_audit(s.w, VERIFIER, WORLD_VALID, &s.lease.id, 0);
	cr_assert_eq(raw(world_bond(s.w, PROVIDER)), 1440000);
	while (s.w->height < world_lease(s.w, &s.lease.id).end_height + 10)
		world_cancel(s.w, BUYER, &s.job);
	cr_assert_eq(raw(world_bond(s.w, PROVIDER)), 0);
	end(&s);
}
