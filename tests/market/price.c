/*
 * Amounts against arithmetic done by hand.
 */
#include <criterion/criterion.h>

#include "market/price.h"

static uint64_t raw(struct coin c)
{
	return coin_raw(c);
}

static struct ledger_params params(void)
{
	return ledger_params_default();
}

Test(price, task_is_rounded_up)
{
	struct coin c;

	cr_assert_eq(market_task_price(1000000000, coin_picks(7), &c), ERR_OK);
	cr_assert_eq(raw(c), 7);
	cr_assert_eq(market_task_price(1, coin_picks(1), &c), ERR_OK);
	cr_assert_eq(raw(c), 1);
	cr_assert_eq(market_task_price(1000000001, coin_picks(1), &c), ERR_OK);
	cr_assert_eq(raw(c), 2);
	/* 1.5 Gop at 3 picks: 4.5 */
	cr_assert_eq(market_task_price(1500000000, coin_picks(3), &c), ERR_OK);
	cr_assert_eq(raw(c), 5);
	cr_assert_eq(market_task_price(1ull << 62, coin_picks(1ull << 62), &c),
		     ERR_OVERFLOW);
}

Test(price, samples_shrink_with_their_openings)
{
	struct ledger_params p = params();
	struct market_work w = {.cta_open_max = 1};

	cr_assert_eq(market_sample_count(&p, &w, 0), 20);
	cr_assert_eq(market_sample_count(&p, &w, 64), 64);
	w.cta_open_max = (32u << 20) / 20; /* 20 of them fit just so */
	cr_assert_eq(market_sample_count(&p, &w, 0), 20);
	w.cta_open_max = (32u << 20) / 20 + 1;
	cr_assert_eq(market_sample_count(&p, &w, 0), 19);
	w.cta_open_max = 16u << 20;
	cr_assert_eq(market_sample_count(&p, &w, 0), 8);
	w.cta_open_max = 0;
	cr_assert_eq(market_sample_count(&p, &w, 0), 20);
}

Test(price, check_fee_is_the_largest_of_three)
{
	struct ledger_params p = params();
	struct coin c;

	/* 3 % of 10^9 */
	cr_assert_eq(market_check_fee(&p, coin_picks(1000000000),
				      MARKET_CERTAIN, COIN_ZERO, &c),
		     ERR_OK);
	cr_assert_eq(raw(c), 30000000);
	/* the floor */
	cr_assert_eq(market_check_fee(&p, coin_picks(1), MARKET_CERTAIN,
				      COIN_ZERO, &c),
		     ERR_OK);
	cr_assert_eq(raw(c), 100000);
	/* 1.2 * 1/4 * 10^9 */
	cr_assert_eq(market_check_fee(&p, coin_picks(1), MARKET_CERTAIN / 4,
				      coin_picks(1000000000), &c),
		     ERR_OK);
	cr_assert_eq(raw(c), 300000000);
}

Test(price, charges_never_exceed_the_escrow)
{
	/* however tasks are cut, a lease's fee is at most its tasks' shares */
	struct ledger_params p = params();
	struct market_job_terms t = {.task_count = 1000, .lease_tasks_min = 7};
	uint64_t seed = 1;
	int i;

	for (i = 0; i < 20000; i++) {
		struct coin cost, task, fee, price, most;
		uint64_t n, audit_p;

		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		t.work.ops_per_task = 1 + (seed >> 20) % 100000000000;
		t.gop_price_max = coin_picks(1 + (seed >> 40) % 1000000);
		t.lease_tasks_min = 1 + (uint32_t)(seed >> 33) % 50;
		cost = coin_picks((seed >> 17) % 10000000);
		n = t.lease_tasks_min + (seed >> 50) % 100;
		audit_p = 1 + (seed >> 32);
		cr_assert_eq(market_task_price(t.work.ops_per_task,
					       t.gop_price_max, &task),
			     ERR_OK);
		cr_assert_eq(market_check_fee_task(&p, &t, cost, &fee), ERR_OK);
		cr_assert(coin_mul(task, n, &price) && coin_mul(fee, n, &most));
		cr_assert_eq(market_check_fee(&p, price, audit_p, cost, &fee),
			     ERR_OK);
		cr_assert_leq(raw(fee), raw(most), "round %d", i);
	}
}

Test(price, audits_by_record_price_and_bond)
{
	struct ledger_params p = params();
	struct coin bond = coin_picks(1000000);

	cr_assert_eq(market_audit_p(&p, 9, coin_picks(1), bond),
		     MARKET_CERTAIN);
	cr_assert_eq(market_audit_p(&p, 10, coin_picks(1), bond),
		     MARKET_CERTAIN / 10);
	cr_assert_eq(market_audit_p(&p, 1000, coin_picks(1), bond),
		     MARKET_CERTAIN / 50);
	/* 2 * 250,000 of 10^6 */
	cr_assert_eq(market_audit_p(&p, 1000, coin_picks(250000), bond),
		     MARKET_CERTAIN / 2);
	cr_assert_eq(market_audit_p(&p, 1000, coin_picks(500000), bond),
		     MARKET_CERTAIN);
	cr_assert_eq(market_audit_p(&p, 1000, coin_picks(1), COIN_ZERO),
		     MARKET_CERTAIN);
}

Test(price, penalty_makes_cheating_a_losing_trade)
{
	struct ledger_params p = params();

	/* 2 * 100 / (1/10) */
	cr_assert_eq(raw(market_penalty(&p, coin_picks(100), MARKET_CERTAIN / 8,
					coin_picks(1000000))),
		     1600);
	cr_assert_eq(raw(market_penalty(&p, coin_picks(100), MARKET_CERTAIN,
					coin_picks(150))),
		     150);
}

Test(price, leases_grow_with_trust)
{
	struct ledger_params p = params();

	cr_assert_eq(market_lease_seconds(&p, 0), 60);
	cr_assert_eq(market_lease_seconds(&p, 9), 60);
	cr_assert_eq(market_lease_seconds(&p, 10), 120);
	cr_assert_eq(market_lease_seconds(&p, 59), 1920);
	cr_assert_eq(market_lease_seconds(&p, 60), 3600);
	cr_assert_eq(market_lease_seconds(&p, UINT32_MAX), 3600);
}

Test(price, expected_blocks_round_up)
{
	struct ledger_params p = params();

	cr_assert_eq(market_expected_blocks(&p, 1, 1000000000), 1);
	cr_assert_eq(market_expected_blocks(&p, 1000000000, 1000000000), 1);
	cr_assert_eq(market_expected_blocks(&p, 1001000000, 1000000000), 2);
	cr_assert_eq(market_expected_blocks(&p, UINT64_MAX, 1),
		     p.job_blocks_max);
}
