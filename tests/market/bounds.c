/*
 * What one block may be made to do, and what a strike sets off.
 */
#include <criterion/criterion.h>

#include "base/must.h"
#include "market/priv/match.h"
#include "tests/market/world.h"

#define BUYER	 1
#define PROVIDER 2
#define VERIFIER 9

static uint32_t count_index(struct world *w, enum market_job_index where)
{
	struct market_job j;
	struct ledger *l = NULL;
	struct hash after;
	bool first = true;
	uint32_t n = 0;

	must(ledger_chain_view(w->rig.chain, &l) == ERR_OK);
	while (market_job_next_any(l, first ? NULL : &after, &j) == ERR_OK) {
		first = false;
		after = j.id;
		n += j.index == where;
	}
	ledger_chain_view_end(l);
	return n;
}

static void post_many(struct world *w, const struct market_job_terms *t,
		      uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		struct buf b = buf_make(4000);

		market_job_terms_encode(&b, t);
		world_add(w, BUYER, MARKET_KIND_JOB_POST, &b);
		if (w->tx_count == WORLD_TXS_MAX)
			world_block(w);
	}
	if (w->tx_count > 0)
		world_block(w);
}

Test(bounds, a_block_looks_at_256_jobs)
{
	struct world *w = world_new(NULL);
	struct market_job_terms t = world_job_terms(w);
	struct market_offer_terms o = world_offer_terms(w);
	uint32_t i;

	w->skip_checks = true;
	/* offers that fail at the last test only: the dearest walk */
	o.value_min = coin_picks(1000000000);
	for (i = 0; i < 40; i++)
		world_post_offer(w, PROVIDER + i % 4, &o);
	t.not_before_height = w->height + 20;
	post_many(w, &t, 300);
	world_until(w, t.not_before_height - 1);
	cr_assert_eq(count_index(w, MARKET_JOB_NOWHERE), 300);
	world_block(w);
	cr_assert_eq(count_index(w, MARKET_JOB_WAITING), 256);
	cr_assert_eq(count_index(w, MARKET_JOB_READY), 44);
	world_block(w);
	/* the rest, and whose back-off of one block has ended */
	cr_assert_eq(count_index(w, MARKET_JOB_READY), 44);
	world_free(w);
}

Test(bounds, a_changed_offer_wakes_32_jobs)
{
	struct world *w = world_new(NULL);
	struct market_job_terms t = world_job_terms(w);
	struct market_offer_terms o = world_offer_terms(w);
	uint64_t at;
	uint32_t i, woken = 0;

	w->skip_checks = true;
	post_many(w, &t, 64);
	world_until(w, w->height + 140); /* back-offs of 128 blocks */
	cr_assert_eq(count_index(w, MARKET_JOB_WAITING), 64);
	o.value_min = coin_picks(1000000000);
	at = w->height + 1;
	world_post_offer(w, PROVIDER, &o);
	{
		struct market_job j;
		struct ledger *l = NULL;
		struct hash after;

		must(ledger_chain_view(w->rig.chain, &l) == ERR_OK);
		for (i = 0; market_job_next_any(l, i > 0 ? &after : NULL, &j) ==
			    ERR_OK;
		     i++) {
			after = j.id;
			woken += j.retry_height == at + 256;
		}
		ledger_chain_view_end(l);
	}
	cr_assert_eq(woken, MARKET_WAKE_MAX);
	world_free(w);
}

/* Accept and commit the job's n-th lease. */
static struct market_lease commit(struct world *w, const struct hash *job,
				  uint32_t n)
{
	struct market_lease x;

	cr_assert(world_lease_of(w, job, n, &x), "lease %u", n);
	world_accept(w, PROVIDER, &x.id);
	cr_assert_eq(world_commit(w, PROVIDER, &x.id, x.count), REASON_none);
	return world_lease(w, &x.id);
}

Test(bounds, a_strike_puts_every_other_lease_under_audit)
{
	struct ledger_params p = world_params_small();
	struct world *w;
	struct market_job_terms t;
	struct market_offer_terms o;
	struct market_lease a, b, c;
	struct hash job;
	uint64_t at;

	p.accept_blocks = 20;
	w = world_new(&p);
	t = world_job_terms(w);
	o = world_offer_terms(w);
	world_post_offer(w, PROVIDER, &o);
	job = world_post_job(w, BUYER, &t);
	a = commit(w, &job, 0);
	b = commit(w, &job, 1);
	cr_assert(world_lease_of(w, &job, 2, &c));
	world_block(w);
	/* the seed passed a over; b is caught */
	cr_assert_eq(world_audit(w, VERIFIER, WORLD_PASSED, &a.id, 0),
		     REASON_none);
	cr_assert_eq(world_audit(w, VERIFIER, WORLD_PASSED, &a.id, 0),
		     REASON_wrong_state);
	cr_assert_eq(world_audit(w, VERIFIER, WORLD_DRAWN, &b.id, 0),
		     REASON_none);
	cr_assert_eq(world_audit(w, VERIFIER, WORLD_FRAUD, &b.id, 0),
		     REASON_none);
	at = w->height;
	a = world_lease(w, &a.id);
	cr_assert(a.struck);
	cr_assert_eq(a.audit_p, 1ull << 32);
	cr_assert_eq(a.stated_height, at);
	cr_assert_eq(a.sampling_height, 0);
	/* it cannot settle before it is looked at */
	cr_assert_eq(a.window_height, at + p.challenge_blocks);
	c = world_lease(w, &c.id);
	cr_assert(c.struck);
	cr_assert_eq(c.state, MARKET_LEASE_open);
	/* the seed that decides is one after the strike */
	cr_assert_eq(world_audit(w, VERIFIER, WORLD_DRAWN, &a.id, 0),
		     REASON_too_early);
	cr_assert_eq(world_audit(w, VERIFIER, WORLD_DRAWN, &a.id, 0),
		     REASON_none);
	cr_assert_eq(world_provider(w, PROVIDER).struck_height, at);
	world_free(w);
}

static struct market_device_record device(struct world *w)
{
	struct market_device_record d;
	struct ledger *l = NULL;

	must(ledger_chain_view(w->rig.chain, &l) == ERR_OK);
	must(market_device_get(l, &w->pk[PROVIDER], 0, &d) == ERR_OK);
	ledger_chain_view_end(l);
	return d;
}

/* The job's n-th lease through its audit. */
static void audited(struct world *w, const struct hash *job, uint32_t n,
		    uint32_t done, enum world_audit end)
{
	struct market_lease x;

	cr_assert(world_lease_of(w, job, n, &x));
	world_accept(w, PROVIDER, &x.id);
	world_commit(w, PROVIDER, &x.id, done);
	world_block(w);
	world_audit(w, VERIFIER, WORLD_DRAWN, &x.id, 0);
	cr_assert_eq(world_audit(w, VERIFIER, end, &x.id, 0), REASON_none);
}

/* A newcomer has one lease at a time: free it of the job's next one. */
static struct hash another(struct world *w, const struct hash *job,
			   const struct market_job_terms *t)
{
	cr_assert_eq(world_cancel(w, BUYER, job), REASON_none);
	return world_post_job(w, BUYER, t);
}

Test(bounds, cv_steps_not_for_dust_and_begins_anew_after_a_strike)
{
	struct ledger_params p = world_params_small();
	struct world *w = world_new(&p);
	struct market_job_terms t = world_job_terms(w);
	struct market_offer_terms o = world_offer_terms(w);
	struct hash job;

	world_post_offer(w, PROVIDER, &o);
	job = world_post_job(w, BUYER, &t);
	audited(w, &job, 0, 4, WORLD_VALID);
	audited(w, &job, 1, 4, WORLD_VALID);
	cr_assert_eq(device(w).cv, 2);
	/* one task of four: below half the median */
	job = another(w, &job, &t);
	audited(w, &job, 0, 1, WORLD_VALID);
	cr_assert_eq(device(w).cv, 2);
	cr_assert_eq(device(w).settled, 3);
	job = another(w, &job, &t);
	audited(w, &job, 0, 4, WORLD_FRAUD);
	job = another(w, &job, &t);
	audited(w, &job, 0, 4, WORLD_VALID);
	cr_assert_eq(device(w).cv, 1);
	world_free(w);
}

Test(bounds, same_blocks_same_root)
{
	struct hash roots[2];
	int i;

	for (i = 0; i < 2; i++) {
		struct world *w = world_new(NULL);
		struct market_job_terms t = world_job_terms(w);
		struct market_offer_terms o = world_offer_terms(w);
		struct hash job;

		world_post_offer(w, PROVIDER, &o);
		job = world_post_job(w, BUYER, &t);
		commit(w, &job, 0);
		world_until(w, w->height + 5);
		roots[i] = w->rig.outcome.state_root;
		world_free(w);
	}
	cr_assert(hash_eq(&roots[0], &roots[1]));
}
