/*
 * The lease's table: complete, sane, and printed in doc/leases.md.
 * WEFT_WRITE=1 writes the page anew.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "market/lease.h"

static void print_cell(struct buf *b, struct market_lease_cell c,
		       enum market_lease_state s)
{
	if (!c.moves)
		buf_printf(b, " %s |", reason_word(c.reason));
	else if (c.next == s)
		buf_printf(b, " *stays* |");
	else
		buf_printf(b, " **%s** |", market_lease_state_word(c.next));
}

static void print_page(struct buf *b)
{
	int s, e;

	buf_put_str(
		b,
		"# A lease's states\n\n"
		"Printed from `market/lease_table.def` by "
		"`tests/market/table.c` (`WEFT_WRITE=1`).\n"
		"**bold**: the lease goes there; *stays*: allowed, the state "
		"does not change; a plain word: refused\nwith that reason, "
		"nothing changes.\n\n"
		"`accept decline commit fail retract extend` are the "
		"provider's transactions (`lease.fail` with done\ntasks is a "
		"commit); `close` is the job's end by cancel, deadline or "
		"grace; `window` the hooks EXPIRE and\nSETTLE at the end of "
		"the lease's window; the others are verify's calls.\n\n|  |");
	for (s = 0; s < MARKET_LEASE_STATE_COUNT; s++) {
		if (!market_lease_is_final((enum market_lease_state)s))
			buf_printf(b, " %s |",
				   market_lease_state_word(
					   (enum market_lease_state)s));
	}
	buf_put_str(b, " any final state |\n| --- |");
	for (s = 0; s < 5; s++)
		buf_put_str(b, " --- |");
	for (e = 0; e < MARKET_LEASE_EVENT_COUNT; e++) {
		enum market_lease_event v = (enum market_lease_event)e;

		buf_printf(b, "\n| %s |", market_lease_event_word(v));
		for (s = 0; s <= MARKET_LEASE_settled; s++)
			print_cell(b,
				   market_lease_cell((enum market_lease_state)s,
						     v),
				   (enum market_lease_state)s);
	}
	buf_put_str(b, "\n\nFinal states:");
	for (s = 0; s < MARKET_LEASE_STATE_COUNT; s++) {
		if (market_lease_is_final((enum market_lease_state)s))
			buf_printf(b, " %s",
				   market_lease_state_word(
					   (enum market_lease_state)s));
	}
	buf_put_str(b,
		    ".\nPaid: settled, unchecked (and void, when the program "
		    "is marked).\n");
}

Test(table, page_is_printed_from_it)
{
	const char *path = WEFT_SOURCE_DIR "/doc/leases.md";
	struct buf b = buf_make(65536), have = buf_make(65536);
	FILE *f;
	int c;

	print_page(&b);
	cr_assert_eq(b.err, ERR_OK);
	if (getenv("WEFT_WRITE") != NULL) {
		f = fopen(path, "w");
		cr_assert_not_null(f);
		fwrite(b.p, 1, b.n, f);
		fclose(f);
	}
	f = fopen(path, "r");
	cr_assert_not_null(f, "doc/leases.md is missing");
	while ((c = fgetc(f)) != EOF)
		buf_put_u8(&have, (uint8_t)c);
	fclose(f);
	cr_assert(bytes_eq(buf_bytes(&b), buf_bytes(&have)),
		  "doc/leases.md differs: WEFT_WRITE=1 test_market");
	buf_free(&b);
	buf_free(&have);
}

Test(table, final_states_stay)
{
	int s, e;

	for (s = 0; s < MARKET_LEASE_STATE_COUNT; s++) {
		bool moves = false;

		for (e = 0; e < MARKET_LEASE_EVENT_COUNT; e++) {
			struct market_lease_cell c =
				market_lease_cell((enum market_lease_state)s,
						  (enum market_lease_event)e);

			moves = moves || c.moves;
			/* a refusal says why */
			cr_assert(c.moves || c.reason != REASON_none);
		}
		cr_assert_eq(moves, !market_lease_is_final(
					    (enum market_lease_state)s));
	}
}

Test(table, every_state_but_open_is_reached)
{
	bool reached[MARKET_LEASE_STATE_COUNT] = {true};
	int s, e;

	for (s = 0; s < MARKET_LEASE_STATE_COUNT; s++) {
		for (e = 0; e < MARKET_LEASE_EVENT_COUNT; e++) {
			struct market_lease_cell c =
				market_lease_cell((enum market_lease_state)s,
						  (enum market_lease_event)e);

			if (c.moves)
				reached[c.next] = true;
		}
	}
	for (s = 0; s < MARKET_LEASE_STATE_COUNT; s++)
		cr_assert(reached[s], "%s",
			  market_lease_state_word((enum market_lease_state)s));
}

Test(table, the_window_ends_every_state)
{
	/* whatever the parties do, time leads to a final state */
	int s, n;

	for (s = 0; s <= MARKET_LEASE_auditing; s++) {
		enum market_lease_state at = (enum market_lease_state)s;

		for (n = 0; n < 3 && !market_lease_is_final(at); n++)
			at = market_lease_cell(at, MARKET_EVENT_window).next;
		cr_assert(market_lease_is_final(at));
	}
}
