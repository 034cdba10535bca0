/* One transaction, one form: whatever decodes encodes to the same bytes. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/must.h"
#include "ledger/block.h"
#include "ledger/money.h"
#include "ledger/params.h"
#include "ledger/tx.h"
#include "tests/support/ledger/rig.h"

static struct bytes sample(struct buf *out)
{
	struct seckey sk = rig_secret(1);
	struct ledger_tx tx = {
		.chain_id = BYTES_LIT("weft-test"),
		.kind = 300,
		.lane = 200,
		.seq = 70000,
		.fee = coin_picks(5000000000u),
		.expiry_height = 129,
		.body = BYTES_LIT("\x93\x01\xc4\x02hi\x91\xc0"),
	};

	must(sig_pubkey(&sk, &tx.sender) == ERR_OK);
	must(ledger_tx_sign(&tx, &sk, out) == ERR_OK);
	return buf_bytes(out);
}

static void expect_stable(struct bytes in)
{
	struct buf out = buf_make(TX_EVIDENCE_BYTES_MAX);
	struct ledger_tx tx;
	enum reason why = REASON_none;

	if (ledger_tx_decode(in, &tx, &why) == ERR_OK) {
		ledger_tx_encode(&tx, &out);
		cr_assert(bytes_eq(in, buf_bytes(&out)));
	} else {
		cr_assert(why == REASON_bad_encoding ||
			  why == REASON_bad_version);
	}
	buf_free(&out);
}

Test(tx, every_bit_flip_is_refused_or_another_transaction)
{
	struct buf out = buf_make(4096);
	struct bytes in = sample(&out);
	uint8_t bent[512];
	struct ledger_tx tx;
	enum reason why;

	for (size_t bit = 0; bit < in.n * 8; bit++) {
		memcpy(bent, in.p, in.n);
		bent[bit / 8] ^= (uint8_t)(1u << bit % 8);
		expect_stable(bytes_of(bent, in.n));
		if (ledger_tx_decode(bytes_of(bent, in.n), &tx, &why) == ERR_OK)
			cr_assert_eq(ledger_tx_verify(&tx), ERR_SIGNATURE,
				     "bit %zu", bit);
	}
	for (size_t n = 0; n < in.n; n++)
		cr_assert_eq(ledger_tx_decode(bytes_slice(in, 0, n), &tx, &why),
			     ERR_REFUSED);
	buf_free(&out);
}

Test(tx, key_of_the_sender_itself_is_refused)
{
	struct buf out = buf_make(4096);
	struct seckey sk = rig_secret(1);
	struct ledger_tx tx;
	enum reason why;

	must(ledger_tx_decode(sample(&out), &tx, &why) == ERR_OK);
	struct buf again = buf_make(4096);

	tx.has_key = true;
	tx.key = tx.sender;
	must(ledger_tx_sign(&tx, &sk, &again) == ERR_OK);
	cr_assert_eq(ledger_tx_decode(buf_bytes(&again), &tx, &why),
		     ERR_REFUSED);
	cr_assert_eq(why, REASON_bad_encoding);
	buf_free(&again);
	buf_free(&out);
}

static struct bytes of_size(struct buf *out, size_t body_bytes)
{
	struct seckey sk = rig_secret(1);
	struct buf body = buf_make(TX_EVIDENCE_BYTES_MAX);
	struct ledger_tx tx = {.chain_id = BYTES_LIT("x"), .kind = 1};
	uint8_t head[6] = {0x91, 0xc6};
	uint8_t *p;

	put_u32_be(head + 2, (uint32_t)body_bytes);
	buf_put(&body, head, sizeof(head));
	p = buf_extend(&body, body_bytes);
	must(p);
	memset(p, 0, body_bytes);
	tx.body = buf_bytes(&body);
	tx.is_signed = true;
	ledger_tx_encode(&tx, out);
	buf_free(&body);
	(void)sk;
	return buf_bytes(out);
}

Test(tx, size_edge)
{
	struct buf out = buf_make(2 * TX_EVIDENCE_BYTES_MAX);
	size_t frame = of_size(&out, 70000).n - 70000;
	struct ledger_tx tx;
	enum reason why;

	buf_reset(&out);
	cr_assert_eq(
		ledger_tx_decode(of_size(&out, TX_EVIDENCE_BYTES_MAX - frame),
				 &tx, &why),
		ERR_OK);
	cr_assert_eq(tx.size_bytes, TX_EVIDENCE_BYTES_MAX);
	buf_reset(&out);
	cr_assert_eq(ledger_tx_decode(
			     of_size(&out, TX_EVIDENCE_BYTES_MAX - frame + 1),
			     &tx, &why),
		     ERR_REFUSED);
	cr_assert_eq(why, REASON_too_large);
	buf_free(&out);
}

static struct bytes block_of(struct arena *a, uint32_t count, size_t each,
			     struct buf *out)
{
	struct ledger_block b = {.chain_id = BYTES_LIT("weft-test"),
				 .height = 9,
				 .is_signed = true,
				 .tx_count = count};
	struct bytes one = arena_copy(a, bytes_of("", 0));

	(void)one;
	b.txs = ARENA_ARRAY(a, (size_t)count + 1, struct bytes);
	for (uint32_t i = 0; i < count; i++)
		b.txs[i] = bytes_of(arena_alloc(a, each, 1), each);
	buf_reset(out);
	ledger_block_encode(&b, out);
	return buf_bytes(out);
}

Test(tx, block_edges)
{
	struct arena *a = arena_new((size_t)64 << 20);
	struct buf out = buf_make((size_t)32 << 20);
	struct ledger_block b;
	enum reason why;

	cr_assert_eq(ledger_block_decode(a, block_of(a, BLOCK_TX_MAX, 2, &out),
					 &b, &why),
		     ERR_OK);
	cr_assert_eq(b.tx_count, BLOCK_TX_MAX);
	cr_assert_eq(ledger_block_decode(a,
					 block_of(a, BLOCK_TX_MAX + 1, 2, &out),
					 &b, &why),
		     ERR_REFUSED);
	cr_assert_eq(ledger_block_decode(
			     a,
			     block_of(a, BLOCK_BYTES_MAX >> 16, 1u << 16, &out),
			     &b, &why),
		     ERR_OK);
	cr_assert_eq(
		ledger_block_decode(a,
				    block_of(a, (BLOCK_BYTES_MAX >> 16) + 1,
					     1u << 16, &out),
				    &b, &why),
		ERR_REFUSED);
	buf_free(&out);
	arena_free(a);
}

Test(tx, block_bit_flips)
{
	struct arena *a = arena_new((size_t)16 << 20);
	struct buf out = buf_make(65536);
	struct bytes in = block_of(a, 3, 20, &out);
	uint8_t bent[1024];

	for (size_t bit = 0; bit < in.n * 8; bit++) {
		struct buf again = buf_make(65536);
		struct ledger_block b;
		enum reason why;

		memcpy(bent, in.p, in.n);
		bent[bit / 8] ^= (uint8_t)(1u << bit % 8);
		if (ledger_block_decode(a, bytes_of(bent, in.n), &b, &why) ==
		    ERR_OK) {
			ledger_block_encode(&b, &again);
			cr_assert(bytes_eq(bytes_of(bent, in.n),
					   buf_bytes(&again)));
		}
		buf_free(&again);
	}
	buf_free(&out);
	arena_free(a);
}

/* Numbers on disk: this list only ever gets longer. */
Test(tx, frozen_numbers)
{
	cr_assert_eq(LEDGER_PURPOSE_escrow, 1);
	cr_assert_eq(LEDGER_PURPOSE_bond, 2);
	cr_assert_eq(LEDGER_PURPOSE_verifier, 3);
	cr_assert_eq(LEDGER_PURPOSE_deposit, 4);
	cr_assert_eq(LEDGER_PURPOSE_stake, 5);
	cr_assert_eq(LEDGER_PURPOSE_leaving, 6);
	cr_assert_eq(LEDGER_PURPOSE_fee, 7);
	cr_assert_eq(LEDGER_WHY_genesis, 1);
	cr_assert_eq(LEDGER_WHY_top_up, 22);
	cr_assert_str_eq(ledger_why_word(LEDGER_WHY_lease_pay), "lease_pay");
	cr_assert_str_eq(ledger_purpose_word(LEDGER_PURPOSE_escrow), "escrow");
	cr_assert_eq(LEDGER_PARAM_block_ms, 0);
	cr_assert_eq(LEDGER_PARAM_posting_picks, 15);
	cr_assert_eq(LEDGER_PARAM_audit_one_in_max, 46);
}

Test(tx, params_encode_what_differs)
{
	struct ledger_params p = ledger_params_default();
	struct ledger_params back;
	struct buf b = buf_make(4096);
	enum ledger_param row;

	ledger_params_encode(&p, &b);
	cr_assert(bytes_eq(buf_bytes(&b), BYTES_LIT("\x90")));
	cr_assert_eq(ledger_param_find(BYTES_LIT("accept_blocks"), &row),
		     ERR_OK);
	cr_assert_eq(ledger_param_set(&p, row, 0), ERR_REFUSED);
	cr_assert_eq(ledger_param_set(&p, row, 7), ERR_OK);
	cr_assert_eq(p.accept_blocks, 7);
	buf_reset(&b);
	ledger_params_encode(&p, &b);
	cr_assert_eq(b.n, 1 + 1 + 1 + 1);
	cr_assert_eq(ledger_params_decode(buf_bytes(&b), &back), ERR_OK);
	cr_assert_eq(memcmp(&p, &back, sizeof(p)), 0);
	/* A default spelled out, a row twice, out of range, out of order. */
	cr_assert_neq(
		ledger_params_decode(BYTES_LIT("\x91\x92\x02\x0a"), &back),
		ERR_OK);
	cr_assert_neq(ledger_params_decode(
			      BYTES_LIT("\x92\x92\x02\x0b\x92\x02\x0c"), &back),
		      ERR_OK);
	cr_assert_eq(ledger_params_decode(BYTES_LIT("\x91\x92\x00\x00"), &back),
		     ERR_REFUSED);
	cr_assert_neq(ledger_params_decode(
			      BYTES_LIT("\x92\x92\x02\x0b\x92\x01\x0c"), &back),
		      ERR_OK);
	cr_assert_eq(ledger_param_find(BYTES_LIT("none"), &row), ERR_NOT_FOUND);
	buf_free(&b);
}
