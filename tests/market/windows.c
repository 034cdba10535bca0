/*
 * Windows start at the right height and end at the right one: each is tried
 * in its last block and in the one after.
 */
#include <criterion/criterion.h>

#include "tests/market/world.h"

#define BUYER	 1
#define PROVIDER 2
#define VERIFIER 4

struct scene {
	struct world *w;
	struct hash job;
	struct market_lease x;
};

static struct scene begin(const struct ledger_params *p)
{
	struct scene s = {.w = world_new(p)};
	struct market_offer_terms o = world_offer_terms(s.w);
	struct market_job_terms t = world_job_terms(s.w);

	world_post_offer(s.w, PROVIDER, &o);
	s.job = world_post_job(s.w, BUYER, &t);
	cr_assert(world_lease_of(s.w, &s.job, 0, &s.x));
	return s;
}

static void reload(struct scene *s)
{
	s->x = world_lease(s->w, &s->x.id);
}

Test(windows, a_fresh_lease_has_its_whole_window)
{
	struct scene s = begin(NULL);

	cr_assert_eq(s.x.open_height, s.w->height);
	cr_assert_eq(s.x.window_height, s.w->height + 60);
	world_free(s.w);
}

Test(windows, accept_in_the_last_block)
{
	struct ledger_params p = world_params_small();
	struct scene s = begin(&p);

	world_until(s.w, s.x.open_height + p.accept_blocks - 1);
	cr_assert_eq(world_accept(s.w, PROVIDER, &s.x.id), REASON_none);
	reload(&s);
	cr_assert_eq(s.x.accept_height, s.x.open_height + p.accept_blocks);
	/* 4 s of work: 2 * 4 blocks are more than the least of 6 */
	cr_assert_eq(s.x.window_height, s.x.accept_height + 8);
	world_free(s.w);
}

Test(windows, accept_one_block_late)
{
	struct ledger_params p = world_params_small();
	struct scene s = begin(&p);

	world_until(s.w, s.x.open_height + p.accept_blocks);
	cr_assert_eq(world_accept(s.w, PROVIDER, &s.x.id),
		     REASON_already_settled);
	world_free(s.w);
}

Test(windows, commit_in_the_last_block_and_after)
{
	struct ledger_params p = world_params_small();
	struct scene s = begin(&p);

	world_accept(s.w, PROVIDER, &s.x.id);
	reload(&s);
	world_until(s.w, s.x.window_height - 1);
	cr_assert_eq(world_commit(s.w, PROVIDER, &s.x.id, 4), REASON_none);
	world_free(s.w);

	s = begin(&p);
	world_accept(s.w, PROVIDER, &s.x.id);
	reload(&s);
	world_until(s.w, s.x.window_height);
	reload(&s);
	cr_assert_eq(s.x.state, MARKET_LEASE_lapsed);
	cr_assert_eq(world_commit(s.w, PROVIDER, &s.x.id, 4),
		     REASON_already_settled);
	world_free(s.w);
}

Test(windows, extend_once_by_half)
{
	struct ledger_params p = world_params_small();
	struct scene s = begin(&p);
	uint64_t was;

	cr_assert_eq(world_extend(s.w, PROVIDER, &s.x.id), REASON_wrong_state);
	world_accept(s.w, PROVIDER, &s.x.id);
	reload(&s);
	was = s.x.window_height;
	cr_assert_eq(world_extend(s.w, PROVIDER, &s.x.id), REASON_none);
	reload(&s);
	cr_assert_eq(s.x.window_height, was + 4);
	cr_assert_eq(world_extend(s.w, PROVIDER, &s.x.id), REASON_duplicate);
	world_until(s.w, was + 3);
	cr_assert_eq(world_commit(s.w, PROVIDER, &s.x.id, 4), REASON_none);
	world_free(s.w);
}

Test(windows, retract_ends_before_the_sampling_height)
{
	struct scene s = begin(NULL);

	world_accept(s.w, PROVIDER, &s.x.id);
	world_commit(s.w, PROVIDER, &s.x.id, 4);
	/* sampled at c + 2; so c + 1 is the last block */
	cr_assert_eq(world_retract(s.w, PROVIDER, &s.x.id), REASON_none);
	world_free(s.w);

	s = begin(NULL);
	world_accept(s.w, PROVIDER, &s.x.id);
	world_commit(s.w, PROVIDER, &s.x.id, 4);
	world_block(s.w);
	cr_assert_eq(world_retract(s.w, PROVIDER, &s.x.id), REASON_too_late);
	world_free(s.w);
}

Test(windows, hold_moves_the_challenge_but_not_beyond_life)
{
	struct ledger_params p = world_params_small();
	struct scene s = begin(&p);
	uint64_t c;

	world_accept(s.w, PROVIDER, &s.x.id);
	world_commit(s.w, PROVIDER, &s.x.id, 4);
	c = s.w->height;
	cr_assert_eq(world_audit(s.w, VERIFIER, WORLD_HOLD, &s.x.id, c + 20),
		     REASON_none);
	world_until(s.w, c + 19);
	reload(&s);
	cr_assert_eq(s.x.state, MARKET_LEASE_committed);
	cr_assert_eq(world_audit(s.w, VERIFIER, WORLD_HOLD, &s.x.id, c + 1000),
		     REASON_none);
	world_until(s.w, c + p.life_blocks - 1);
	reload(&s);
	cr_assert_eq(s.x.state, MARKET_LEASE_committed);
	world_block(s.w);
	reload(&s);
	cr_assert_eq(s.x.state, MARKET_LEASE_settled);
	world_free(s.w);
}

Test(windows, an_audit_that_never_ends_is_unchecked_at_the_lifes_end)
{
	struct ledger_params p = world_params_small();
	struct scene s = begin(&p);
	uint64_t c;

	world_accept(s.w, PROVIDER, &s.x.id);
	world_commit(s.w, PROVIDER, &s.x.id, 4);
	c = s.w->height;
	world_block(s.w);
	cr_assert_eq(world_audit(s.w, VERIFIER, WORLD_DRAWN, &s.x.id, 0),
		     REASON_none);
	world_until(s.w, c + p.life_blocks - 1);
	reload(&s);
	cr_assert_eq(s.x.state, MARKET_LEASE_auditing);
	world_block(s.w);
	reload(&s);
	cr_assert_eq(s.x.state, MARKET_LEASE_unchecked);
	cr_assert_eq(coin_raw(s.x.paid), 3600000);
	world_free(s.w);
}

Test(windows, a_pause_ends_with_its_grace)
{
	struct ledger_params p = world_params_small();
	struct world *w = world_new(&p);
	struct market_job_terms t = world_job_terms(w);
	struct market_offer_terms o = world_offer_terms(w);
	struct market_lease x;
	struct market_job j;
	struct hash job;
	uint32_t i;

	world_post_offer(w, PROVIDER, &o);
	job = world_post_job(w, BUYER, &t);
	cr_assert(world_lease_of(w, &job, 0, &x));
	world_accept(w, PROVIDER, &x.id);
	world_commit(w, PROVIDER, &x.id, 4);
	/* 64 samples at 1.1 do not pause, one above does */
	for (i = 0; i < 64; i++)
		world_audit(w, VERIFIER, WORLD_COUNTED, &x.id, 1100);
	cr_assert_eq(world_job(w, &job).state, MARKET_JOB_OPEN);
	world_audit(w, VERIFIER, WORLD_COUNTED, &x.id, 1165);
	j = world_job(w, &job);
	cr_assert_eq(j.state, MARKET_JOB_PAUSED);
	cr_assert_eq(j.reason, REASON_underdeclared);
	cr_assert_eq(j.pause_until, w->height + t.grace_blocks);
	world_until(w, j.pause_until - 1);
	cr_assert_eq(world_job(w, &job).state, MARKET_JOB_PAUSED);
	world_block(w);
	j = world_job(w, &job);
	cr_assert_eq(j.state, MARKET_JOB_ENDED);
	cr_assert_eq(j.reason, REASON_underdeclared);
	world_free(w);
}
