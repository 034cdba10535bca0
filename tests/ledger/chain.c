/* The interface of engines: checks, proposals, votes, and what they refuse. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/must.h"
#include "ledger/account.h"
#include "ledger/block.h"
#include "ledger/bodies.h"
#include "ledger/smt.h"
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
}

static void shut(void)
{
	rig_close(&rig);
}

static enum reason check(struct bytes tx, enum ledger_check_mode mode)
{
	struct ledger_tx_result r;
	enum err e = ledger_chain_check(rig.chain, tx, mode, &r);

	cr_assert_eq(e, r.reason == REASON_none ? ERR_OK : ERR_REFUSED);
	return r.reason;
}

Test(chain, checks_build_on_one_another, .init = open_two, .fini = shut)
{
	struct bytes a = rig_transfer(&rig, 1, 2, 1);
	struct bytes b = rig_transfer(&rig, 1, 2, 2);
	struct bytes c = rig_transfer(&rig, 1, 2, START);

	cr_assert_eq(check(b, LEDGER_CHECK_NEW), REASON_bad_sequence);
	cr_assert_eq(check(a, LEDGER_CHECK_NEW), REASON_none);
	cr_assert_eq(check(a, LEDGER_CHECK_NEW), REASON_bad_sequence);
	cr_assert_eq(check(b, LEDGER_CHECK_SIMULATE), REASON_none);
	cr_assert_eq(check(b, LEDGER_CHECK_NEW), REASON_none);
	/* What its rule refuses is told before it costs a fee. */
	cr_assert_eq(check(c, LEDGER_CHECK_NEW), REASON_insufficient_funds);
	cr_assert_eq(coin_raw(rig_balance(&rig, 1)), START);
	rig_block(&rig, &a, 1);
	rig.seqs[1] = 1;
	b = rig_transfer(&rig, 1, 2, 2);
	cr_assert_eq(check(b, LEDGER_CHECK_RECHECK), REASON_none);
}

/* Refusals leave memory behind; an idle chain must go on answering. */
Test(chain, refusals_never_stop_the_checks, .init = open_two, .fini = shut)
{
	struct poke p = {.op = POKE_WRITE_AND_REFUSE};
	struct buf b = buf_make(256);
	struct bytes tx;
	uint32_t many = getenv("WEFT_HEAVY") ? 300000 : 3000;

	poke_encode(&b, &p);
	tx = rig_tx(&rig, 1, POKE_KIND, buf_bytes(&b));
	for (uint32_t i = 0; i < many; i++)
		cr_assert_eq(check(tx, LEDGER_CHECK_NEW), REASON_too_early);
	rig.seqs[1] = 0;
	cr_assert_eq(check(rig_transfer(&rig, 1, 2, 1), LEDGER_CHECK_NEW),
		     REASON_none);
	buf_free(&b);
}

Test(chain, check_refuses, .init = open_two, .fini = shut)
{
	struct bytes good = rig_transfer(&rig, 1, 2, 1);
	uint8_t bent[512];
	struct buf b = buf_make(1024);
	struct ledger_tx tx;
	enum reason why;

	memcpy(bent, good.p, good.n);
	bent[good.n - 1] ^= 1;
	cr_assert_eq(check(bytes_of(bent, good.n), LEDGER_CHECK_NEW),
		     REASON_bad_signature);
	cr_assert_eq(check(bytes_slice(good, 0, good.n - 1), LEDGER_CHECK_NEW),
		     REASON_bad_encoding);
	cr_assert_eq(ledger_tx_decode(good, &tx, &why), ERR_OK);
	tx.chain_id = BYTES_LIT("other");
	cr_assert_eq(ledger_tx_sign(&tx, &rig.secrets[1], &b), ERR_OK);
	cr_assert_eq(check(buf_bytes(&b), LEDGER_CHECK_NEW),
		     REASON_wrong_chain);
	tx.chain_id = RIG_CHAIN_ID;
	tx.kind = 199;
	buf_reset(&b);
	cr_assert_eq(ledger_tx_sign(&tx, &rig.secrets[1], &b), ERR_OK);
	cr_assert_eq(check(buf_bytes(&b), LEDGER_CHECK_NEW),
		     REASON_unknown_kind);
	tx.kind = LEDGER_KIND_BEACON;
	tx.body = BYTES_LIT("\x90");
	buf_reset(&b);
	cr_assert_eq(ledger_tx_sign(&tx, &rig.secrets[1], &b), ERR_OK);
	cr_assert_eq(check(buf_bytes(&b), LEDGER_CHECK_NEW),
		     REASON_bad_encoding);
	buf_free(&b);
}

Test(chain, a_rig_key_may_not_move_money, .init = open_two, .fini = shut)
{
	struct ledger_keys k = {.rig_key_count = 1, .has_payout = true};
	struct seckey sk = rig_secret(40);
	struct buf b = buf_make(1024);
	struct buf out = buf_make(1024);
	struct ledger_tx tx;
	struct bytes raw;
	enum reason why;

	must(sig_pubkey(&sk, &k.rig_keys[0]) == ERR_OK);
	k.payout = rig.keys[2];
	ledger_keys_encode(&b, &k);
	cr_assert_eq(rig_send(&rig, 1, LEDGER_KIND_ACCOUNT_KEYS, buf_bytes(&b)),
		     REASON_none);
	raw = rig_transfer(&rig, 1, 2, 1);
	must(ledger_tx_decode(raw, &tx, &why) == ERR_OK);
	tx.has_key = true;
	tx.key = k.rig_keys[0];
	must(ledger_tx_sign(&tx, &sk, &out) == ERR_OK);
	cr_assert_eq(check(buf_bytes(&out), LEDGER_CHECK_NEW),
		     REASON_no_permission);
	/* And a key that nobody named may not even announce. */
	tx.kind = LEDGER_KIND_NODE_ANNOUNCE;
	buf_reset(&b);
	ledger_announce_encode(&b, &(struct ledger_announce){0});
	tx.body = buf_bytes(&b);
	buf_reset(&out);
	must(ledger_tx_sign(&tx, &sk, &out) == ERR_OK);
	cr_assert_eq(check(buf_bytes(&out), LEDGER_CHECK_SIMULATE),
		     REASON_none);
	tx.key = rig.keys[2];
	buf_reset(&out);
	must(ledger_tx_sign(&tx, &rig.secrets[2], &out) == ERR_OK);
	cr_assert_eq(check(buf_bytes(&out), LEDGER_CHECK_NEW),
		     REASON_no_permission);
	buf_free(&b);
	buf_free(&out);
}

static void expect_refused(const struct ledger_proposal *p, enum reason reason,
			   uint32_t index)
{
	struct ledger_refusal w = {REASON_none, 0};
	struct ledger_outcome out;
	struct ledger_info before;
	struct ledger_info after;

	ledger_chain_info(rig.chain, &before);
	cr_assert_eq(ledger_chain_process(rig.chain, p, &w), ERR_REFUSED, "%s",
		     reason_word(reason));
	cr_assert_eq(w.reason, reason, "%s, not %s", reason_word(w.reason),
		     reason_word(reason));
	cr_assert_eq(w.tx_index, index);
	w.reason = REASON_none;
	cr_assert_eq(ledger_chain_finalize(rig.chain, p, &out, &w),
		     ERR_REFUSED);
	cr_assert_eq(w.reason, reason);
	ledger_chain_info(rig.chain, &after);
	cr_assert(hash_eq(&before.state_root, &after.state_root));
	cr_assert_eq(before.height, after.height);
}

Test(chain, votes_against, .init = open_two, .fini = shut)
{
	struct bytes tx = rig_transfer(&rig, 1, 2, 1);
	struct ledger_proposal good = rig_proposal(&rig, &tx, 1);
	struct ledger_proposal p = good;
	struct bytes list[3] = {good.txs[0], good.txs[1], good.txs[0]};
	uint8_t bent[512];

	p.height = 2;
	expect_refused(&p, REASON_bad_height, UINT32_MAX);
	p = good;
	p.time_ms = 999999;
	expect_refused(&p, REASON_bad_time, UINT32_MAX);
	p = good;
	p.proposer = rig.keys[1];
	expect_refused(&p, REASON_no_permission, UINT32_MAX);
	p = good;
	p.txs = good.txs + 1;
	p.tx_count = 1;
	expect_refused(&p, REASON_bad_beacon, 0);
	p = good;
	p.tx_count = 1; /* a beacon alone, and no clock */
	expect_refused(&p, REASON_not_live, UINT32_MAX);
	p.txs = list;
	p.tx_count = 3; /* a second beacon */
	expect_refused(&p, REASON_bad_beacon, 2);
	memcpy(bent, list[1].p, list[1].n);
	bent[list[1].n - 1] ^= 1;
	list[1] = bytes_of(bent, list[1].n);
	p.tx_count = 2;
	expect_refused(&p, REASON_bad_signature, 1);
	list[1].n--;
	expect_refused(&p, REASON_bad_encoding, 1);
	list[1] = good.txs[1];
	memcpy(bent, list[0].p, list[0].n);
	bent[list[0].n - 2] ^= 1; /* within pi */
	list[0] = bytes_of(bent, list[0].n);
	expect_refused(&p, REASON_bad_beacon, 0);
	cr_assert_eq(ledger_chain_process(rig.chain, &good,
					  &(struct ledger_refusal){0}),
		     ERR_OK);
}

Test(chain, beacon_is_of_its_height_and_seed, .init = open_two, .fini = shut)
{
	struct bytes tx = rig_transfer(&rig, 1, 2, 1);
	struct ledger_proposal first = rig_proposal(&rig, &tx, 1);
	struct bytes old = first.txs[0];
	uint8_t copy[512];
	struct bytes list[2];
	struct ledger_proposal p;

	memcpy(copy, old.p, old.n);
	rig_block(&rig, &tx, 1);
	tx = rig_transfer(&rig, 1, 2, 1);
	p = rig_proposal(&rig, &tx, 1);
	list[0] = bytes_of(copy, old.n);
	list[1] = p.txs[1];
	p.txs = list;
	expect_refused(&p, REASON_bad_beacon, 0);
}

static enum reason unseal(struct bytes block)
{
	struct ledger_proposal p;
	struct ledger_refusal w = {REASON_none, 0};
	enum err e = ledger_chain_unseal(rig.chain, rig.block, block, &p, &w);

	cr_assert(e == ERR_OK || e == ERR_REFUSED);
	return e == ERR_OK ? REASON_none : w.reason;
}

Test(chain, unseal_refuses, .init = open_two, .fini = shut)
{
	struct buf out = buf_make(4096);
	struct ledger_block b;
	struct hash id;
	enum reason why;

	must(ledger_chain_seal(rig.chain, 1001000, NULL, 0, &rig.secrets[0],
			       &out, &id) == ERR_OK);
	cr_assert_eq(unseal(buf_bytes(&out)), REASON_none);
	must(ledger_block_decode(rig.block,
				 arena_copy(rig.block, buf_bytes(&out)), &b,
				 &why) == ERR_OK);
	must(ledger_block_sign(&b, &rig.secrets[1], &out, &id) == ERR_OK);
	cr_assert_eq(unseal(buf_bytes(&out)), REASON_bad_signature);
	b.height = 2;
	must(ledger_block_sign(&b, &rig.secrets[0], &out, &id) == ERR_OK);
	cr_assert_eq(unseal(buf_bytes(&out)), REASON_bad_height);
	b.height = 1;
	b.parent.b[0] ^= 1;
	must(ledger_block_sign(&b, &rig.secrets[0], &out, &id) == ERR_OK);
	cr_assert_eq(unseal(buf_bytes(&out)), REASON_bad_parent);
	b.parent.b[0] ^= 1;
	b.state_root_before.b[0] ^= 1;
	must(ledger_block_sign(&b, &rig.secrets[0], &out, &id) == ERR_OK);
	cr_assert_eq(unseal(buf_bytes(&out)), REASON_bad_root);
	b.state_root_before.b[0] ^= 1;
	b.chain_id = BYTES_LIT("other");
	must(ledger_block_sign(&b, &rig.secrets[0], &out, &id) == ERR_OK);
	cr_assert_eq(unseal(buf_bytes(&out)), REASON_wrong_chain);
	cr_assert_eq(unseal(BYTES_LIT("\x98\x01")), REASON_bad_encoding);
	buf_free(&out);
}

Test(chain, prepare_takes_what_works_and_leaves_checks_alone, .init = open_two,
     .fini = shut)
{
	struct bytes txs[4];
	struct bytes *list;
	uint32_t count;
	struct ledger_prepare in = {.height = 1,
				    .time_ms = 1001000,
				    .proposer = rig.keys[0],
				    .vrf = &rig.vrf,
				    .txs = txs,
				    .tx_count = 4};
	struct ledger_proposal p = {.height = 1, .time_ms = 1001000};
	struct ledger_refusal w;

	txs[0] = rig_transfer(&rig, 1, 2, 1);
	txs[1] = rig_transfer(&rig, 1, 2, 2 * (uint64_t)START); /* cannot */
	rig.seqs[1]--;
	txs[2] = rig_transfer(&rig, 1, 2, 3);
	txs[3] = BYTES_LIT("garbage");
	cr_assert_eq(check(txs[0], LEDGER_CHECK_NEW), REASON_none);
	cr_assert_eq(
		ledger_chain_prepare(rig.chain, rig.block, &in, &list, &count),
		ERR_OK);
	cr_assert_eq(count, 3);
	cr_assert(bytes_eq(list[1], txs[0]) && bytes_eq(list[2], txs[2]));
	cr_assert_eq(check(txs[2], LEDGER_CHECK_NEW), REASON_none);
	p.proposer = rig.keys[0];
	p.txs = list;
	p.tx_count = count;
	cr_assert_eq(ledger_chain_process(rig.chain, &p, &w), ERR_OK);
	in.tx_count = 0;
	cr_assert_eq(
		ledger_chain_prepare(rig.chain, rig.block, &in, &list, &count),
		ERR_OK);
	cr_assert_eq(count, 0);
	in.height = 2;
	cr_assert_eq(
		ledger_chain_prepare(rig.chain, rig.block, &in, &list, &count),
		ERR_REFUSED);
}

Test(chain, finalize_again_starts_again, .init = open_two, .fini = shut)
{
	struct bytes a = rig_transfer(&rig, 1, 2, 5);
	struct ledger_proposal p = rig_proposal(&rig, &a, 1);
	struct ledger_outcome first;
	struct ledger_outcome second;
	struct ledger_refusal w;
	struct hash root;

	must(ledger_chain_finalize(rig.chain, &p, &first, &w) == ERR_OK);
	root = first.state_root;
	must(ledger_chain_finalize(rig.chain, &p, &second, &w) == ERR_OK);
	cr_assert(hash_eq(&root, &second.state_root));
	/* Not committed: nobody sees it. */
	cr_assert_eq(coin_raw(rig_balance(&rig, 2)), START);
	must(ledger_chain_commit(rig.chain, bytes_of(NULL, 0)) == ERR_OK);
	cr_assert_eq(coin_raw(rig_balance(&rig, 2)), START + 5);
}

Test(chain, keeps_blocks_and_finds_transactions, .init = open_two, .fini = shut)
{
	struct bytes a = rig_transfer(&rig, 1, 2, 5);
	struct hash id = ledger_tx_id(a);
	struct ledger_proposal p = rig_proposal(&rig, &a, 1);
	struct ledger_refusal w;
	struct ledger_kept kept;
	uint64_t height;
	uint32_t index;

	must(ledger_chain_finalize(rig.chain, &p, &rig.outcome, &w) == ERR_OK);
	must(ledger_chain_commit(rig.chain, BYTES_LIT("as it came")) == ERR_OK);
	cr_assert_eq(ledger_chain_block(rig.chain, rig.block, 1, &kept),
		     ERR_OK);
	cr_assert(bytes_eq(kept.block, BYTES_LIT("as it came")));
	cr_assert_eq(kept.result_count, 2);
	cr_assert(hash_eq(&kept.results[1].id, &id));
	cr_assert_eq(ledger_chain_tx_find(rig.chain, &id, &height, &index),
		     ERR_OK);
	cr_assert_eq(height, 1);
	cr_assert_eq(index, 1);
	cr_assert_eq(ledger_chain_block(rig.chain, rig.block, 2, &kept),
		     ERR_NOT_FOUND);
	id.b[0] ^= 1;
	cr_assert_eq(ledger_chain_tx_find(rig.chain, &id, &height, &index),
		     ERR_NOT_FOUND);
}

Test(chain, proves_a_balance, .init = open_two, .fini = shut)
{
	struct ledger_key k = ledger_key(LEDGER_PREFIX_ACCOUNT);
	struct ledger_proof proof;
	struct ledger_info info;

	key_pubkey(&k, &rig.keys[1]);
	ledger_chain_info(rig.chain, &info);
	cr_assert_eq(ledger_chain_prove(rig.chain, key_view(&k), &proof),
		     ERR_OK);
	cr_assert(proof.is_there);
	cr_assert(hash_eq(&proof.state_root, &info.state_root));
	cr_assert_eq(ledger_proof_check(&proof, key_view(&k)), ERR_OK);
}

/* Four validators: a sampling height needs two others than who proposed c. */
Test(chain, sampling_height_waits_for_a_third_of_the_power)
{
	struct ledger *view;
	struct hash seed;
	uint64_t height;
	struct poke hold = {.op = POKE_CLOCK_HOLD};
	struct buf b = buf_make(256);
	static const uint32_t proposers[] = {0, 0, 1, 1, 2, 3};

	rig_open(&rig, &(struct rig_options){.rows = &poke_rows,
					     .row_count = 1,
					     .actor_count = 4,
					     .validators = 4,
					     .balance_picks = START});
	poke_encode(&b, &hold);
	cr_assert_eq(rig_send(&rig, 1, POKE_KIND, buf_bytes(&b)), REASON_none);
	/* c = 1 by 0.  2 by 0: not counted.  3 by 1: 1 of the other 3 is not
	 * more than a third.  4 by 1 again.  5 by 2: enough. */
	for (int i = 1; i < 6; i++) {
		enum err e;

		rig.proposer = proposers[i];
		rig_idle(&rig, 1);
		must(ledger_chain_view(rig.chain, &view) == ERR_OK);
		e = ledger_sampling(view, 1, &height, &seed);
		cr_assert_eq(e, i < 4 ? ERR_NOT_FOUND : ERR_OK, "at %d", i + 1);
		if (i == 4)
			cr_assert(hash_eq(&seed, &view->seed));
		ledger_chain_view_end(view);
	}
	cr_assert_eq(height, 5);
	buf_free(&b);
	rig_close(&rig);
}

Test(chain, sampling_height_of_one_validator_is_two_later, .init = open_two,
     .fini = shut)
{
	struct ledger *view;
	struct hash seed;
	struct hash at;
	uint64_t height = 0;
	struct poke hold = {.op = POKE_CLOCK_HOLD};
	struct buf b = buf_make(256);

	poke_encode(&b, &hold);
	rig_send(&rig, 1, POKE_KIND, buf_bytes(&b));
	rig_idle(&rig, 1);
	must(ledger_chain_view(rig.chain, &view) == ERR_OK);
	cr_assert_eq(ledger_sampling(view, 1, &height, &seed), ERR_NOT_FOUND);
	ledger_chain_view_end(view);
	rig_idle(&rig, 3);
	must(ledger_chain_view(rig.chain, &view) == ERR_OK);
	cr_assert_eq(ledger_sampling(view, 1, &height, &seed), ERR_OK);
	cr_assert_eq(height, 3);
	cr_assert_eq(ledger_seed_at(view, 3, &at), ERR_OK);
	cr_assert(hash_eq(&at, &seed));
	ledger_chain_view_end(view);
	buf_free(&b);
}
