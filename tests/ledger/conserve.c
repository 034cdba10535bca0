/*
 * Money is conserved over random sequences of everything that rules can do
 * with it: 2,000 sequences, times WEFT_HEAVY, eight to a block.  Every block
 * is counted in full (ledger_chain_options.paranoid aborts on a pick too many
 * or too few).
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "ledger/account.h"
#include "tests/ledger/poke.h"
#include "tests/support/ledger/rig.h"

#define ACTORS	  3u
#define SEQUENCES 2000u
#define IN_BLOCK  8u
#define START	  30000000u

static void sync_seqs(struct rig *r)
{
	struct ledger *view;

	must(ledger_chain_view(r->chain, &view) == ERR_OK);
	for (uint32_t i = 1; i <= ACTORS; i++)
		must(ledger_account_seq(view, &r->keys[i], 0, &r->seqs[i]) ==
		     ERR_OK);
	ledger_chain_view_end(view);
}

/* SEQUENCES on a chain of its own: a longer one would burn all money. */
static void play(uint64_t *random, uint64_t *worked, uint64_t *refused)
{
	static struct rig r;
	struct buf body = buf_make(256);

	rig_open(&r, &(struct rig_options){.rows = &poke_rows,
					   .row_count = 1,
					   .actor_count = ACTORS,
					   .balance_picks = START});
	for (uint32_t i = 0; i < SEQUENCES; i += IN_BLOCK) {
		struct bytes txs[3 * IN_BLOCK];
		uint32_t n =
			IN_BLOCK + (uint32_t)poke_draw(random, 2 * IN_BLOCK);

		for (uint32_t j = 0; j < n; j++) {
			struct poke p = poke_random(random, r.keys, ACTORS,
						    rig_height(&r), START);

			buf_reset(&body);
			poke_encode(&body, &p);
			txs[j] = rig_tx(&r,
					1 + (uint32_t)poke_draw(random, ACTORS),
					POKE_KIND, buf_bytes(&body));
		}
		rig_block(&r, txs, n);
		for (uint32_t j = 1; j <= n; j++) {
			bool ok = r.outcome.results[j].reason == REASON_none;

			*worked += ok;
			*refused += !ok;
		}
		poke_served_count = 0;
		sync_seqs(&r);
	}
	buf_free(&body);
	rig_close(&r);
}

Test(conserve, random_sequences, .timeout = 3600)
{
	const char *heavy = getenv("WEFT_HEAVY");
	const char *fixed = getenv("WEFT_SEED");
	uint64_t random = fixed ? (uint64_t)atoll(fixed) : 3;
	uint64_t rounds = heavy ? (uint64_t)atol(heavy) : 1;
	uint64_t worked = 0, refused = 0;

	fprintf(stderr, "WEFT_SEED=%llu\n", (unsigned long long)random);
	for (uint64_t i = 0; i < rounds; i++)
		play(&random, &worked, &refused);
	/* The sequences are not all noise. */
	cr_assert_gt(worked, rounds * SEQUENCES / 4);
	cr_assert_gt(refused, rounds * SEQUENCES / 4);
}
