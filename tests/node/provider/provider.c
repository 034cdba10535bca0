/*
 * The provider against a real ledger with a market: what it says, and what a
 * restart, a lost disk, an absent buyer and an owner who is back change.
 */
#include <criterion/criterion.h>

#include "tests/node/provider/market.h"
#include "verify/kinds.h"

static struct fake_market m;

static void begin(void)
{
	market_open(&m);
	/* its offer goes into the first block */
	market_turn(&m, 0);
	market_post_job(&m);
	market_blocks(&m, 1);
}

static void end(void)
{
	market_shut(&m);
}

TestSuite(provider, .init = begin, .fini = end, .timeout = 60);

static struct market_offer the_offer(void)
{
	struct market_offer offer;
	struct ledger *view;

	cr_assert_eq(ledger_chain_view(m.rig.chain, &view), ERR_OK);
	cr_assert_eq(market_offer_next(view, &m.rig.keys[MARKET_PROVIDER], NULL,
				       &offer),
		     ERR_OK);
	ledger_chain_view_end(view);
	return offer;
}

Test(provider, posts_its_offer_and_is_given_a_lease)
{
	struct market_offer offer = the_offer();

	cr_assert_eq(coin_raw(offer.terms.gop_price), 900000);
	cr_assert_eq(market_the_lease(&m).state, MARKET_LEASE_open);
}

Test(provider, commits_what_its_tasks_gave)
{
	struct market_lease l;

	market_turn(&m, TOY_TASKS);
	l = market_the_lease(&m);
	cr_assert(l.state == MARKET_LEASE_committed ||
			  l.state == MARKET_LEASE_auditing ||
			  market_lease_is_final(l.state),
		  "%s", market_lease_state_word(l.state));
	cr_assert_eq(l.done, l.count);
	/* the toy machine computes the same root by itself */
	cr_assert(hash_eq(&l.result_root, &m.toy->claim.result_root));
	cr_assert(hash_eq(&l.leaves_root, &m.toy->leaves_root));
	cr_assert_eq(m.runs, l.count);
}

Test(provider, after_a_restart_runs_only_what_is_not_done)
{
	struct market_lease l;
	unsigned before;

	market_turn(&m, 0);
	l = market_the_lease(&m);
	cr_assert_eq(l.state, MARKET_LEASE_accepted);
	cr_assert_eq(m.runs, l.count);
	market_turn(&m, l.count - 1);
	before = m.runs;
	market_restart(&m, false);
	market_turn(&m, TOY_TASKS);
	cr_assert_eq(m.runs, before + 1);
	l = market_the_lease(&m);
	cr_assert_eq(l.done, l.count);
	cr_assert(hash_eq(&l.result_root, &m.toy->claim.result_root));
}

Test(provider, hands_back_a_lease_that_it_does_not_know)
{
	struct hash id;
	struct market_lease l;
	struct ledger *view;

	market_turn(&m, 0);
	id = market_the_lease(&m).id;
	market_restart(&m, true);
	market_blocks(&m, 2);
	cr_assert_eq(ledger_chain_view(m.rig.chain, &view), ERR_OK);
	cr_assert_eq(market_lease_get(view, &id, &l), ERR_OK);
	ledger_chain_view_end(view);
	cr_assert_eq(l.state, MARKET_LEASE_failed);
	cr_assert_eq(l.reason, REASON_driver_fault);
}

Test(provider, begins_again_with_a_lease_that_is_only_open)
{
	market_restart(&m, true);
	market_turn(&m, TOY_TASKS);
	cr_assert_eq(market_the_lease(&m).done, TOY_TASKS);
}

Test(provider, declines_when_the_inputs_are_not_served)
{
	struct hash id = market_the_lease(&m).id;
	struct market_lease l;
	struct ledger *view;

	m.buyer_is_away = true;
	for (unsigned i = 0; i < 70; i++) {
		market_turn(&m, 0);
		market_blocks(&m, 1);
	}
	cr_assert_eq(ledger_chain_view(m.rig.chain, &view), ERR_OK);
	cr_assert_eq(market_lease_get(view, &id, &l), ERR_OK);
	ledger_chain_view_end(view);
	cr_assert_eq(l.state, MARKET_LEASE_declined);
	cr_assert_eq(l.reason, REASON_input_missing);
	cr_assert_eq(m.runs, 0);
}

/* A referee would go by the job's word: a program that is worse than that is
 * void, and its work for nothing. */
Test(provider, declines_what_is_not_as_its_job_says)
{
	static const uint32_t bits[] = {MARKET_CLASS_A, MARKET_CLASS_R};

	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		struct hash id;
		struct market_lease l;
		struct ledger *view;

		market_shut(&m);
		market_open(&m);
		m.class_bit = bits[i];
		market_turn(&m, 0);
		market_post_job(&m);
		market_blocks(&m, 1);
		id = market_the_lease(&m).id;
		market_turn(&m, 0);
		cr_assert_eq(ledger_chain_view(m.rig.chain, &view), ERR_OK);
		cr_assert_eq(market_lease_get(view, &id, &l), ERR_OK);
		ledger_chain_view_end(view);
		cr_assert_eq(l.state, MARKET_LEASE_declined);
		cr_assert_eq(l.reason, REASON_declined_policy);
		cr_assert_eq(m.runs, 0);
	}
}

static void check_ends(enum program_verdict verdict, enum reason reason)
{
	struct hash id = market_the_lease(&m).id;
	struct market_lease l;
	struct ledger *view;

	m.verdict = verdict;
	market_turn(&m, TOY_TASKS);
	cr_assert_eq(ledger_chain_view(m.rig.chain, &view), ERR_OK);
	cr_assert_eq(market_lease_get(view, &id, &l), ERR_OK);
	ledger_chain_view_end(view);
	cr_assert_eq(l.state, MARKET_LEASE_failed, "%s",
		     market_lease_state_word(l.state));
	cr_assert_eq(l.reason, reason);
	cr_assert_eq(l.done, 0);
}

Test(provider, a_wrong_sample_before_the_commit_is_a_driver_fault)
{
	check_ends(PROGRAM_VERDICT_FRAUD, REASON_driver_fault);
}

Test(provider, a_void_sample_before_the_commit_strikes_nobody)
{
	check_ends(PROGRAM_VERDICT_VOID, REASON_void);
}

static void bond_verifier(void)
{
	struct verify_verifier_bond x = {.amount = {20000000000}};
	struct buf b = buf_make(64);

	verify_verifier_bond_encode(&b, &x);
	cr_assert_eq(rig_send(&m.rig, MARKET_VERIFIER,
			      VERIFY_KIND_VERIFIER_BOND, buf_bytes(&b)),
		     REASON_none);
	buf_free(&b);
}

/* Nobody can say what such a CTA leaves: it shows so, and is not fined. */
Test(provider, shows_a_conflict_when_it_is_accused)
{
	struct hash id = market_the_lease(&m).id;
	struct market_lease l;
	struct ledger *view;

	bond_verifier();
	market_turn(&m, TOY_TASKS);
	market_blocks(&m, 3);
	market_turn(&m, 0);
	cr_assert_eq(market_the_lease(&m).state, MARKET_LEASE_auditing);
	market_dispute(&m);
	market_blocks(&m, 1);
	cr_assert_eq(market_the_lease(&m).state, MARKET_LEASE_auditing);
	market_turn(&m, 0);
	market_blocks(&m, 2);
	cr_assert_eq(m.pairs, 1);
	cr_assert_eq(ledger_chain_view(m.rig.chain, &view), ERR_OK);
	cr_assert_eq(market_lease_get(view, &id, &l), ERR_OK);
	ledger_chain_view_end(view);
	cr_assert_eq(l.state, MARKET_LEASE_void, "%s",
		     market_lease_state_word(l.state));
}

Test(provider, hands_back_the_rest_when_its_owner_is_there)
{
	struct core_event pause = {.kind = CORE_EVENT_PAUSE, .flag = true};
	struct hash id;
	struct market_lease l;
	struct ledger *view;

	market_turn(&m, 0);
	id = market_the_lease(&m).id;
	market_turn(&m, 2);
	market_tell(&m, &pause);
	cr_assert_gt(m.cancels, 0);
	market_turn(&m, 0);
	cr_assert_eq(ledger_chain_view(m.rig.chain, &view), ERR_OK);
	cr_assert_eq(market_lease_get(view, &id, &l), ERR_OK);
	ledger_chain_view_end(view);
	/* two tasks were done, and are stated */
	cr_assert_eq(l.done, 2);
	cr_assert_eq(l.reason, REASON_owner_active);
	cr_assert_eq(the_offer().terms.slots, 0);
}

Test(provider, keeps_on_when_no_block_comes)
{
	struct core_event nothing = {.kind = CORE_EVENT_START};
	unsigned before;

	market_turn(&m, 0);
	before = m.runs;
	m.now_ms += 3600000;
	market_tell(&m, &nothing);
	cr_assert_eq(m.cancels, 0);
	cr_assert_eq(m.runs, before);
}
