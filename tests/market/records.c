/*
 * Medians, failures, records, ranges: the small parts.
 */
#include <criterion/criterion.h>

#include "market/priv/store.h"
#include "market/record.h"

Test(records, lower_median_of_the_last_31)
{
	struct market_prices p = {0};
	uint64_t i;

	cr_assert_eq(coin_raw(market_prices_median(&p, coin_picks(5))), 5);
	market_prices_put(&p, coin_picks(9));
	cr_assert_eq(coin_raw(market_prices_median(&p, COIN_ZERO)), 9);
	market_prices_put(&p, coin_picks(1));
	cr_assert_eq(coin_raw(market_prices_median(&p, COIN_ZERO)), 1);
	market_prices_put(&p, coin_picks(9));
	cr_assert_eq(coin_raw(market_prices_median(&p, COIN_ZERO)), 9);
	for (i = 1; i <= 31; i++)
		market_prices_put(&p, coin_picks(i));
	cr_assert_eq(p.n, 31);
	cr_assert_eq(coin_raw(market_prices_median(&p, COIN_ZERO)), 16);
}

Test(records, failures_count_over_the_last_hundred)
{
	struct ledger_params q = ledger_params_default();
	struct market_provider p = {0};
	int i;

	cr_assert_eq(market_record(&q, &p, 10), 10000);
	market_provider_ended(&p, true, REASON_provider_timeout);
	market_provider_ended(&p, false, REASON_gpu_lost);
	cr_assert_eq(market_failures(&p), 1);
	cr_assert_eq(market_record(&q, &p, 10), 5000);
	cr_assert_eq(market_record(&q, &p, 1000), 25000);
	cr_assert_eq(p.reason_count, 2);
	for (i = 0; i < 98; i++)
		market_provider_ended(&p, false, REASON_none);
	cr_assert_eq(market_failures(&p), 1);
	market_provider_ended(&p, false, REASON_none);
	cr_assert_eq(market_failures(&p), 0);
}

Test(records, a_strike_ends_every_devices_run)
{
	struct market_provider p = {.struck_height = 100};
	struct market_device_record d = {.cv = 40, .cv_height = 100};

	cr_assert_eq(market_cv(&p, &d), 0);
	d.cv_height = 101;
	cr_assert_eq(market_cv(&p, &d), 40);
}

Test(records, exposure_is_half_the_bond_or_a_starter)
{
	struct ledger_params q = ledger_params_default();

	cr_assert_eq(coin_raw(market_exposure_max(&q, COIN_ZERO)), 1000000000);
	cr_assert_eq(coin_raw(market_exposure_max(&q, coin_picks(3000000001))),
		     1500000000);
}
