/* Transactions of accounts that have nothing yet. */
#include <criterion/criterion.h>

#include "base/must.h"
#include "ledger/account.h"
#include "ledger/bodies.h"
#include "tests/support/ledger/rig.h"

#define START 1000000000u
#define POOR  2u /* has the genesis balance taken away */

static struct rig rig;

static void open_poor(void)
{
	struct ledger_params p = ledger_params_default();
	struct ledger_transfer all = {.is_all = true};
	struct buf b = buf_make(256);

	p.credit_stamp_bits = 8;
	p.credit_tx_max = 3;
	rig_open(&rig, &(struct rig_options){.params = &p,
					     .actor_count = 2,
					     .balance_picks = START});
	all.to = rig.keys[1];
	ledger_transfer_encode(&b, &all);
	must(rig_send(&rig, POOR, LEDGER_KIND_TRANSFER, buf_bytes(&b)) ==
	     REASON_none);
	must(coin_is_zero(rig_balance(&rig, POOR)));
	buf_free(&b);
}

static void shut(void)
{
	rig_close(&rig);
}

static enum reason announce(bool stamped, uint64_t skip)
{
	struct ledger_announce a = {.has_stamp = stamped};
	struct ledger_info info;
	struct buf b = buf_make(1024);
	enum reason r;

	ledger_chain_info(rig.chain, &info);
	a.stamp_block = info.block_id;
	while (stamped) {
		struct hash h =
			ledger_stamp_hash(RIG_CHAIN_ID, &a.stamp_block,
					  &rig.keys[POOR], a.stamp_nonce);

		if (ledger_stamp_ok(&h, 8) && skip-- == 0)
			break;
		a.stamp_nonce++;
	}
	ledger_announce_encode(&b, &a);
	r = rig_send(&rig, POOR, LEDGER_KIND_NODE_ANNOUNCE, buf_bytes(&b));
	buf_free(&b);
	return r;
}

static struct ledger_account poor(void)
{
	struct ledger_account a;
	struct ledger *view;

	must(ledger_chain_view(rig.chain, &view) == ERR_OK);
	must(ledger_account_get(view, &rig.keys[POOR], &a) == ERR_OK);
	ledger_chain_view_end(view);
	return a;
}

Test(credit, needs_a_stamp, .init = open_poor, .fini = shut)
{
	cr_assert_eq(announce(false, 0), REASON_insufficient_funds);
	cr_assert_not(rig.outcome.results[1].is_charged);
	cr_assert_eq(announce(true, 0), REASON_none);
	cr_assert(poor().has_credit);
	cr_assert_eq(coin_raw(poor().owed),
		     coin_raw(rig.outcome.results[1].fee));
	/* Opened once, it needs no more stamps. */
	cr_assert_eq(announce(false, 0), REASON_none);
	cr_assert_eq(poor().unpaid_count, 2);
}

Test(credit, is_used_up, .init = open_poor, .fini = shut)
{
	cr_assert_eq(announce(true, 0), REASON_none);
	cr_assert_eq(announce(false, 0), REASON_none);
	cr_assert_eq(announce(false, 0), REASON_none);
	cr_assert_eq(announce(false, 0), REASON_credit_used_up);
	cr_assert_not(rig.outcome.results[1].is_charged);
}

Test(credit, does_not_move_money, .init = open_poor, .fini = shut)
{
	struct bytes tx;

	cr_assert_eq(announce(true, 0), REASON_none);
	tx = rig_transfer(&rig, POOR, 1, 1);
	rig_block(&rig, &tx, 1);
	cr_assert_eq(rig.outcome.results[1].reason, REASON_insufficient_funds);
	cr_assert_not(rig.outcome.results[1].is_charged);
}

Test(credit, is_taken_first_from_what_comes, .init = open_poor, .fini = shut)
{
	struct bytes tx;
	uint64_t owed;
	uint64_t fee;

	cr_assert_eq(announce(true, 0), REASON_none);
	owed = coin_raw(poor().owed);
	tx = rig_transfer(&rig, 1, POOR, owed - 1);
	rig_block(&rig, &tx, 1);
	cr_assert_eq(coin_raw(poor().balance), 0);
	cr_assert_eq(coin_raw(poor().owed), 1);
	cr_assert_eq(poor().unpaid_count, 1);
	fee = coin_raw(rig_balance(&rig, 0));
	tx = rig_transfer(&rig, 1, POOR, 100);
	rig_block(&rig, &tx, 1);
	cr_assert_eq(coin_raw(poor().balance), 99);
	cr_assert_eq(coin_raw(poor().owed), 0);
	cr_assert_eq(poor().unpaid_count, 0);
	/* The proposer gets half of this fee and of the pick that was owed,
	 * each block's sum rounded down. */
	cr_assert_eq(coin_raw(rig_balance(&rig, 0)) - fee,
		     (coin_raw(rig.outcome.results[1].fee) + 1) / 2);
}

Test(credit, stamp_of_a_block_long_past, .init = open_poor, .fini = shut)
{
	struct ledger_announce a = {.has_stamp = true};
	struct buf b = buf_make(1024);
	struct ledger_info info;

	ledger_chain_info(rig.chain, &info);
	a.stamp_block = info.block_id;
	for (;; a.stamp_nonce++) {
		struct hash h =
			ledger_stamp_hash(RIG_CHAIN_ID, &a.stamp_block,
					  &rig.keys[POOR], a.stamp_nonce);
		if (ledger_stamp_ok(&h, 8))
			break;
	}
	for (int i = 0; i < 100; i++) {
		struct bytes tx = rig_transfer(&rig, 1, 1, 1);

		rig_block(&rig, &tx, 1);
	}
	ledger_announce_encode(&b, &a);
	cr_assert_eq(
		rig_send(&rig, POOR, LEDGER_KIND_NODE_ANNOUNCE, buf_bytes(&b)),
		REASON_insufficient_funds);
	buf_free(&b);
}
