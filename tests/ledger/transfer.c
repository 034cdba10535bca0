/* Transfers, fees, and what refuses them, to the pick. */
#include <criterion/criterion.h>

#include "base/codec.h"
#include "base/limits.h"
#include "ledger/account.h"
#include "tests/support/ledger/rig.h"

#define START 1000000000u

static struct rig rig;

static void open_two(void)
{
	rig_open(&rig, &(struct rig_options){.actor_count = 2,
					     .balance_picks = START});
}

static void shut(void)
{
	rig_close(&rig);
}

/* base + per_byte * size, with the default parameters. */
static uint64_t fee_of(struct bytes tx)
{
	return 1000 + 10 * (uint64_t)tx.n;
}

Test(transfer, moves_amount_and_splits_fee, .init = open_two, .fini = shut)
{
	struct bytes tx = rig_transfer(&rig, 1, 2, 12345);
	uint64_t fee = fee_of(tx);

	rig_block(&rig, &tx, 1);
	cr_assert_eq(rig.outcome.results[1].reason, REASON_none);
	cr_assert_eq(coin_raw(rig.outcome.results[1].fee), fee);
	cr_assert_eq(coin_raw(rig_balance(&rig, 1)), START - 12345 - fee);
	cr_assert_eq(coin_raw(rig_balance(&rig, 2)), START + 12345);
	cr_assert_eq(coin_raw(rig_balance(&rig, 0)), fee / 2);
}

Test(transfer, odd_fee_burns_the_larger_half, .init = open_two, .fini = shut)
{
	struct ledger *view;
	struct coin issued;
	struct coin burnt;
	struct bytes tx = rig_transfer(&rig, 1, 2, 1);
	uint64_t fee = fee_of(tx);

	rig_block(&rig, &tx, 1);
	cr_assert_eq(ledger_chain_view(rig.chain, &view), ERR_OK);
	cr_assert_eq(ledger_totals(view, &issued, &burnt), ERR_OK);
	ledger_chain_view_end(view);
	cr_assert_eq(coin_raw(issued), 2 * (uint64_t)START);
	cr_assert_eq(coin_raw(burnt), fee - fee / 2);
}

Test(transfer, too_much_costs_the_fee_only, .init = open_two, .fini = shut)
{
	struct bytes tx = rig_transfer(&rig, 1, 2, START);
	uint64_t fee = fee_of(tx);

	rig_block(&rig, &tx, 1);
	cr_assert_eq(rig.outcome.results[1].reason, REASON_insufficient_funds);
	cr_assert(rig.outcome.results[1].is_charged);
	cr_assert_eq(coin_raw(rig_balance(&rig, 1)), START - fee);
	cr_assert_eq(coin_raw(rig_balance(&rig, 2)), START);
}

Test(transfer, all_leaves_nothing, .init = open_two, .fini = shut)
{
	struct buf b = buf_make(256);
	struct bytes tx;
	uint64_t fee;

	enc_array(&b, 4);
	enc_pubkey(&b, &rig.keys[2]);
	enc_uint(&b, 0);
	enc_bool(&b, true);
	enc_bin(&b, bytes_of(NULL, 0));
	tx = rig_tx(&rig, 1, LEDGER_KIND_TRANSFER, buf_bytes(&b));
	fee = fee_of(tx);
	rig_block(&rig, &tx, 1);
	buf_free(&b);
	cr_assert_eq(rig.outcome.results[1].reason, REASON_none);
	cr_assert_eq(coin_raw(rig_balance(&rig, 1)), 0);
	cr_assert_eq(coin_raw(rig_balance(&rig, 2)), 2 * (uint64_t)START - fee);
}

Test(transfer, duplicate_has_no_second_effect, .init = open_two, .fini = shut)
{
	struct bytes txs[2];
	uint64_t fee;

	txs[0] = rig_transfer(&rig, 1, 2, 100);
	txs[1] = txs[0];
	fee = fee_of(txs[0]);
	rig_block(&rig, txs, 2);
	cr_assert_eq(rig.outcome.results[1].reason, REASON_none);
	cr_assert_eq(rig.outcome.results[2].reason, REASON_bad_sequence);
	cr_assert_not(rig.outcome.results[2].is_charged);
	cr_assert_eq(coin_raw(rig_balance(&rig, 1)), START - 100 - fee);
}

Test(transfer, reordered_lane_is_refused, .init = open_two, .fini = shut)
{
	struct bytes first = rig_transfer(&rig, 1, 2, 1);
	struct bytes second = rig_transfer(&rig, 1, 2, 2);
	struct bytes txs[2] = {second, first};

	rig_block(&rig, txs, 2);
	cr_assert_eq(rig.outcome.results[1].reason, REASON_bad_sequence);
	cr_assert_eq(rig.outcome.results[2].reason, REASON_none);
	cr_assert_eq(coin_raw(rig_balance(&rig, 2)), START + 1);
}

static struct bytes custom(struct rig *r, struct ledger_tx *tx, struct buf *b)
{
	struct buf body = buf_make(256);

	enc_array(&body, 4);
	enc_pubkey(&body, &r->keys[2]);
	enc_uint(&body, 5);
	enc_bool(&body, false);
	enc_bin(&body, bytes_of(NULL, 0));
	tx->kind = LEDGER_KIND_TRANSFER;
	tx->sender = r->keys[1];
	tx->chain_id = RIG_CHAIN_ID;
	tx->body = buf_bytes(&body);
	buf_reset(b);
	cr_assert_eq(ledger_tx_sign(tx, &r->secrets[1], b), ERR_OK);
	buf_free(&body);
	return buf_bytes(b);
}

Test(transfer, lanes_are_independent, .init = open_two, .fini = shut)
{
	struct buf b[3];
	struct bytes txs[3];
	struct ledger_tx tx = {.fee = coin_picks(100000), .expiry_height = 9};
	static const uint8_t lanes[3] = {255, 0, 7};

	for (int i = 0; i < 3; i++) {
		b[i] = buf_make(1024);
		tx.lane = lanes[i];
		txs[i] = custom(&rig, &tx, &b[i]);
	}
	rig_block(&rig, txs, 3);
	for (int i = 0; i < 3; i++) {
		cr_assert_eq(rig.outcome.results[1 + i].reason, REASON_none);
		buf_free(&b[i]);
	}
}

Test(transfer, expiry_edges, .init = open_two, .fini = shut)
{
	/* At height 1: 0 has passed, 1 is the last, 1 + 10,000 the farthest. */
	static const struct {
		uint64_t expiry;
		enum reason reason;
	} rows[] = {
		{0, REASON_tx_expired},
		{TX_EXPIRY_AHEAD_MAX + 2, REASON_expiry_too_far},
		{UINT64_MAX, REASON_expiry_too_far},
		{TX_EXPIRY_AHEAD_MAX + 1, REASON_none},
		{1, REASON_none},
	};
	struct buf b[5];
	struct bytes txs[5];
	struct ledger_tx tx = {.fee = coin_picks(100000)};

	for (int i = 0; i < 5; i++) {
		b[i] = buf_make(1024);
		tx.expiry_height = rows[i].expiry;
		tx.lane = (uint8_t)i;
		txs[i] = custom(&rig, &tx, &b[i]);
	}
	rig_block(&rig, txs, 5);
	for (int i = 0; i < 5; i++) {
		cr_assert_eq(rig.outcome.results[1 + i].reason, rows[i].reason,
			     "row %d: %s", i,
			     reason_word(rig.outcome.results[1 + i].reason));
		buf_free(&b[i]);
	}
}

Test(transfer, fee_edge, .init = open_two, .fini = shut)
{
	struct buf b = buf_make(1024);
	struct ledger_tx tx = {.expiry_height = 5, .fee = coin_picks(3000)};
	struct bytes in = custom(&rig, &tx, &b);
	uint64_t fee = fee_of(in);

	/* All fees below 2^16 and above 2^8 encode to the same length. */
	tx.fee = coin_picks(fee - 1);
	in = custom(&rig, &tx, &b);
	cr_assert_eq(fee_of(in), fee);
	rig_block(&rig, &in, 1);
	cr_assert_eq(rig.outcome.results[1].reason, REASON_fee_too_low);
	cr_assert_not(rig.outcome.results[1].is_charged);
	tx.fee = coin_picks(fee);
	in = custom(&rig, &tx, &b);
	rig_block(&rig, &in, 1);
	cr_assert_eq(rig.outcome.results[1].reason, REASON_none);
	buf_free(&b);
}

Test(transfer, to_oneself_costs_the_fee, .init = open_two, .fini = shut)
{
	struct bytes tx = rig_transfer(&rig, 1, 1, 777);
	uint64_t fee = fee_of(tx);

	rig_block(&rig, &tx, 1);
	cr_assert_eq(rig.outcome.results[1].reason, REASON_none);
	cr_assert_eq(coin_raw(rig_balance(&rig, 1)), START - fee);
}

Test(transfer, history_explains_the_balance, .init = open_two, .fini = shut)
{
	struct ledger *view;
	struct ledger_line line;
	uint64_t height = UINT64_MAX;
	uint32_t index = UINT32_MAX;
	uint64_t in = 0;
	uint64_t out = 0;
	int lines = 0;

	for (int i = 0; i < 3; i++) {
		struct bytes txs[2] = {rig_transfer(&rig, 1, 2, 10),
				       rig_transfer(&rig, 2, 1, 3)};

		rig_block(&rig, txs, 2);
	}
	cr_assert_eq(ledger_chain_view(rig.chain, &view), ERR_OK);
	while (ledger_account_line_before(view, &rig.keys[1], height, index,
					  &line) == ERR_OK) {
		if (lines++ == 0)
			cr_assert_eq(coin_raw(line.balance),
				     coin_raw(rig_balance(&rig, 1)));
		*(line.is_in ? &in : &out) += coin_raw(line.amount);
		height = line.height;
		index = line.index;
	}
	ledger_chain_view_end(view);
	/* genesis; three times fee, out and in */
	cr_assert_eq(lines, 1 + 3 * 3);
	cr_assert_eq(height, 0);
	cr_assert_eq(in - out, coin_raw(rig_balance(&rig, 1)));
}
