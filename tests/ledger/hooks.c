/* Hooks, queues, refusals that leave no trace, and the clock. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/account.h"
#include "ledger/queue.h"
#include "tests/ledger/poke.h"
#include "tests/support/ledger/rig.h"

#define START 1000000000u

static struct rig rig;

static void open_two(void)
{
	rig_open(&rig, &(struct rig_options){.rows = &poke_rows,
					     .row_count = 1,
					     .actor_count = 2,
					     .balance_picks = START});
	poke_served_count = 0;
	poke_order_count = 0;
}

static void shut(void)
{
	rig_close(&rig);
}

static struct bytes poke_tx(enum poke_op op, uint8_t object, uint64_t amount)
{
	struct poke p = {.op = op, .object = object, .amount = amount};
	struct buf b = buf_make(256);
	struct bytes tx;

	p.a = rig.keys[1];
	p.b = rig.keys[2];
	poke_encode(&b, &p);
	tx = rig_tx(&rig, 1, POKE_KIND, buf_bytes(&b));
	buf_free(&b);
	return tx;
}

static enum reason send(enum poke_op op, uint8_t object, uint64_t amount)
{
	struct bytes tx = poke_tx(op, object, amount);

	rig_block(&rig, &tx, 1);
	return rig.outcome.results[1].reason;
}

Test(hooks, run_by_phase_then_name, .init = open_two, .fini = shut)
{
	send(POKE_PAY, 0, 1);
	cr_assert_eq(poke_order_count, 4);
	cr_assert_eq(memcmp(poke_order, "absm", 4), 0);
}

Test(hooks, nothing_runs_in_a_block_that_is_not_live, .init = open_two,
     .fini = shut)
{
	struct ledger_info before;
	struct ledger_info after;

	ledger_chain_info(rig.chain, &before);
	rig_idle(&rig, 3);
	ledger_chain_info(rig.chain, &after);
	cr_assert_eq(poke_order_count, 0);
	cr_assert_not(rig.outcome.is_live);
	cr_assert_eq(after.height, 3);
	cr_assert(hash_eq(&before.state_root, &after.state_root));
	cr_assert(hash_eq(&before.seed, &after.seed));
}

Test(hooks, clock_makes_every_block_live, .init = open_two, .fini = shut)
{
	struct ledger_info before;
	struct ledger_info after;

	cr_assert_eq(send(POKE_CLOCK_HOLD, 0, 0), REASON_none);
	cr_assert(rig.outcome.is_clock_set);
	for (int i = 0; i < 3; i++) {
		ledger_chain_info(rig.chain, &before);
		rig_idle(&rig, 1);
		ledger_chain_info(rig.chain, &after);
		cr_assert(rig.outcome.is_live);
		cr_assert(!hash_eq(&before.state_root, &after.state_root));
		cr_assert(!hash_eq(&before.seed, &after.seed));
	}
	cr_assert_eq(send(POKE_CLOCK_RELEASE, 0, 0), REASON_none);
	cr_assert_not(rig.outcome.is_clock_set);
	rig_idle(&rig, 1);
	cr_assert_not(rig.outcome.is_live);
	cr_assert_eq(send(POKE_CLOCK_RELEASE, 0, 0), REASON_not_found);
}

Test(hooks, entries_are_served_when_due_oldest_first, .init = open_two,
     .fini = shut)
{
	struct bytes txs[4];

	send(POKE_CLOCK_HOLD, 0, 0); /* height 1 */
	txs[0] = poke_tx(POKE_QUEUE_ADD, 3, 4);
	txs[1] = poke_tx(POKE_QUEUE_ADD, 2, 3);
	txs[2] = poke_tx(POKE_QUEUE_ADD, 9, 3);
	txs[3] = poke_tx(POKE_QUEUE_ADD, 1, 3);
	rig_block(&rig, txs, 4); /* 2 */
	cr_assert_eq(poke_served_count, 0);
	rig_idle(&rig, 3);
	cr_assert_eq(poke_served_count, 4);
	static const struct poke_served want[4] = {
		{3, 3, 1}, {3, 3, 2}, {3, 3, 9}, {4, 4, 3}};
	for (int i = 0; i < 4; i++) {
		cr_assert_eq(poke_served[i].height, want[i].height);
		cr_assert_eq(poke_served[i].due, want[i].due);
		cr_assert_eq(poke_served[i].object, want[i].object);
	}
}

Test(hooks, entry_that_refuses_is_taken_back_and_told, .init = open_two,
     .fini = shut)
{
	struct ledger_proposal p;
	struct ledger_refusal w;
	struct bytes tx;
	struct ledger_fsck before;
	struct ledger_fsck after;
	bool told = false;

	send(POKE_PAY, 0, 1);
	cr_assert_eq(ledger_chain_fsck(rig.chain, &before), ERR_OK);
	tx = poke_tx(POKE_BAD_ENTRY, 1, 0);
	p = rig_proposal(&rig, &tx, 1);
	cr_assert_eq(ledger_chain_finalize(rig.chain, &p, &rig.outcome, &w),
		     ERR_OK);
	cr_assert_eq(rig.outcome.hook_refusals, 1);
	for (uint32_t i = 0; i < rig.outcome.event_count; i++)
		told |= strcmp(rig.outcome.events[i].name, "hook.refused") == 0;
	cr_assert(told);
	cr_assert_eq(ledger_chain_commit(rig.chain, bytes_of(0, 0)), ERR_OK);
	cr_assert_eq(ledger_chain_fsck(rig.chain, &after), ERR_OK);
	/* One more seed, one more recent block; no 'Y', no queue entry. */
	cr_assert_eq(after.record_count, before.record_count + 2);
}

Test(hooks, refusal_leaves_the_fee_only, .init = open_two, .fini = shut)
{
	struct bytes tx = poke_tx(POKE_WRITE_AND_REFUSE, 1, 0);
	uint64_t fee = 1000 + 10 * (uint64_t)tx.n;
	struct ledger_key k = ledger_key('Z');
	struct ledger *view;
	bool there;

	rig_block(&rig, &tx, 1);
	cr_assert_eq(rig.outcome.results[1].reason, REASON_too_early);
	cr_assert_eq(rig.outcome.results[1].from_height, 3);
	cr_assert_eq(rig.outcome.results[1].until_height, 4);
	cr_assert_eq(rig.outcome.event_count, 0);
	cr_assert_eq(coin_raw(rig_balance(&rig, 1)), START - fee);
	key_u8(&k, 1);
	cr_assert_eq(ledger_chain_view(rig.chain, &view), ERR_OK);
	cr_assert_eq(ledger_has(view, &k, &there), ERR_OK);
	cr_assert_not(there);
	ledger_chain_view_end(view);
}

Test(hooks, cost_is_charged_up_to_the_fee_cap, .init = open_two, .fini = shut)
{
	/* 1 pick per 2^20, rounded up: 3 for 2^21 + 1. */
	struct bytes tx = poke_tx(POKE_COST, 0, (2u << 20) + 1);
	uint64_t fee = 1000 + 10 * (uint64_t)tx.n;

	rig_block(&rig, &tx, 1);
	cr_assert_eq(rig.outcome.results[1].reason, REASON_none);
	cr_assert_eq(coin_raw(rig.outcome.results[1].fee), fee + 3);
	cr_assert_eq(coin_raw(rig_balance(&rig, 1)), START - fee - 3);
	cr_assert_eq(send(POKE_COST, 0, (uint64_t)1 << 50), REASON_fee_too_low);
}

Test(hooks, a_block_lets_so_many_entries_in_and_serves_as_many,
     .init = open_two, .fini = shut)
{
	struct bytes *txs = calloc(1100, sizeof(txs[0]));
	uint32_t refused = 0;

	/* 255 ids and five heights, all passed. */
	for (uint32_t i = 0; i < 1100; i++)
		txs[i] = poke_tx(POKE_QUEUE_ADD, (uint8_t)(i % 220), i / 220);
	rig_block(&rig, txs, 1100);
	for (uint32_t i = 0; i < 1100; i++)
		refused += rig.outcome.results[1 + i].reason ==
			   REASON_limit_reached;
	cr_assert_eq(refused, 1100 - LEDGER_HOOK_ENTRIES_MAX);
	/* Those due at height 0 and 1 at once; the rest needs its heights. */
	cr_assert_eq(poke_served_count, 440);
	free(txs);
}
