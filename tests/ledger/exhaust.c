/*
 * A tiny universe, exhausted: two accounts, three coins, every order of every
 * transfer to a depth of three (four with WEFT_HEAVY), against a model that is
 * two numbers.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/must.h"
#include "ledger/bodies.h"
#include "tests/support/ledger/rig.h"

#define MOVES	  12u /* from 2, to 2, amount 1, 2 or all */
#define DEPTH_MAX 4u

struct model {
	uint64_t balance[2];
	uint64_t seq[2];
};

struct universe {
	struct rig rig;
	struct arena *a;
	/* signed once for each move and sequence */
	struct bytes txs[MOVES][DEPTH_MAX];
	uint64_t steps;
};

static uint32_t from_of(uint32_t move)
{
	return move & 1;
}

static uint32_t to_of(uint32_t move)
{
	return move >> 1 & 1;
}

static uint64_t amount_of(uint32_t move)
{
	return (move >> 2) + 1; /* 3 stands for all */
}

static struct bytes sign(struct universe *u, uint32_t move, uint64_t seq)
{
	struct ledger_transfer t = {.to = u->rig.keys[1 + to_of(move)]};
	struct buf b = buf_make(256);
	struct bytes tx;

	t.is_all = amount_of(move) == 3;
	t.amount = coin_picks(t.is_all ? 0 : amount_of(move));
	ledger_transfer_encode(&b, &t);
	u->rig.seqs[1 + from_of(move)] = seq;
	tx = arena_copy(u->a, rig_tx(&u->rig, 1 + from_of(move),
				     LEDGER_KIND_TRANSFER, buf_bytes(&b)));
	buf_free(&b);
	return tx;
}

/* What must happen: true if the rule lets it. */
static bool model_step(struct model *m, uint32_t move)
{
	uint32_t from = from_of(move);
	uint64_t amount = amount_of(move);

	m->seq[from]++;
	if (amount == 3)
		amount = m->balance[from];
	if (amount == 0 || amount > m->balance[from])
		return false;
	m->balance[from] -= amount;
	m->balance[to_of(move)] += amount;
	return true;
}

static void explore(struct universe *u, struct model m, uint32_t depth)
{
	uint64_t height = rig_height(&u->rig);

	for (uint32_t move = 0; depth > 0 && move < MOVES; move++) {
		struct model next = m;
		struct bytes tx = u->txs[move][m.seq[from_of(move)]];
		bool lets = model_step(&next, move);

		rig_block(&u->rig, &tx, 1);
		cr_assert_eq(u->rig.outcome.results[1].reason,
			     lets ? REASON_none : REASON_insufficient_funds);
		for (uint32_t i = 0; i < 2; i++)
			cr_assert_eq(coin_raw(rig_balance(&u->rig, 1 + i)),
				     next.balance[i]);
		u->steps++;
		explore(u, next, depth - 1);
		must(ledger_chain_rollback(u->rig.chain, height) == ERR_OK);
	}
}

Test(exhaust, two_accounts_three_coins, .timeout = 600)
{
	static struct universe u;
	struct ledger_params p = ledger_params_default();
	struct model m = {{0, 0}, {0, 0}};
	uint32_t depth = getenv("WEFT_HEAVY") ? 4 : 3;
	uint64_t want = 0;
	struct bytes tx;

	p.fee_base_picks = 0;
	p.fee_per_byte_picks = 0;
	u.a = arena_new(1u << 20);
	rig_open(&u.rig, &(struct rig_options){.params = &p,
					       .actor_count = 3,
					       .balance_picks = 2});
	/* Two and two in genesis; one leaves for a third account. */
	tx = rig_transfer(&u.rig, 2, 3, 1);
	rig_block(&u.rig, &tx, 1);
	m.balance[0] = 2;
	m.balance[1] = 1;
	m.seq[1] = 0;
	for (uint32_t move = 0; move < MOVES; move++)
		for (uint32_t seq = 0; seq < DEPTH_MAX; seq++)
			u.txs[move][seq] = sign(&u, move, seq + from_of(move));
	explore(&u, m, depth);
	for (uint32_t i = 0, level = 1; i < depth; i++) {
		level *= MOVES;
		want += level;
	}
	cr_assert_eq(u.steps, want);
	rig_close(&u.rig);
	arena_free(u.a);
}
