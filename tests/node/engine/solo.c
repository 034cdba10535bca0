/*
 * The engine that orders by itself: when there is a block, and when not.
 */
#include <criterion/criterion.h>

#include "tests/node/engine/world.h"

static struct world w;

static void open_solo(void)
{
	world_open(&w, &engine_solo, 100, 0);
}

static void shut(void)
{
	world_close(&w);
}

TestSuite(solo, .init = open_solo, .fini = shut);

static enum reason submit(struct bytes tx)
{
	enum reason why = REASON_none;
	enum err e = w.ops->submit(w.engine, tx, &why);

	cr_assert(e == ERR_OK || e == ERR_REFUSED);
	return why;
}

Test(solo, makes_no_block_when_idle)
{
	world_pass(&w, 100000);
	cr_assert_eq(world_height(&w), 0);
	cr_assert_eq(w.applied, 0);
}

Test(solo, makes_a_block_at_once_when_a_transaction_waits)
{
	cr_assert_eq(submit(world_transfer(&w, 1, 2)), REASON_none);
	world_pass(&w, 0);
	cr_assert_eq(world_height(&w), 1);
	cr_assert_eq(w.applied, 1);
	world_pass(&w, 100000);
	cr_assert_eq(world_height(&w), 1);
}

Test(solo, keeps_the_least_distance_of_blocks)
{
	(void)submit(world_transfer(&w, 1, 2));
	world_pass(&w, 0);
	(void)submit(world_transfer(&w, 1, 2));
	world_pass(&w, 99);
	cr_assert_eq(world_height(&w), 1);
	world_pass(&w, 1);
	cr_assert_eq(world_height(&w), 2);
}

Test(solo, takes_all_that_waits_into_one_block)
{
	struct engine_status s;

	for (int i = 0; i < 20; i++)
		cr_assert_eq(submit(world_transfer(&w, 1, 2)), REASON_none);
	w.ops->status(w.engine, &s);
	cr_assert_eq(s.pending_count, 20);
	world_pass(&w, 0);
	w.ops->status(w.engine, &s);
	cr_assert_eq(s.pending_count, 0);
	cr_assert_eq(world_height(&w), 1);
}

Test(solo, same_transaction_twice_is_one)
{
	struct bytes tx = world_transfer(&w, 1, 2);
	struct engine_status s;

	cr_assert_eq(submit(tx), REASON_none);
	cr_assert_eq(submit(tx), REASON_none);
	w.ops->status(w.engine, &s);
	cr_assert_eq(s.pending_count, 1);
}

Test(solo, refuses_what_the_ledger_refuses)
{
	struct bytes tx = world_transfer(&w, 1, 2);

	cr_assert_eq(submit(BYTES_LIT("junk")), REASON_bad_encoding);
	(void)submit(tx);
	world_pass(&w, 0);
	cr_assert_eq(submit(tx), REASON_bad_sequence);
}

Test(solo, goes_on_when_the_clock_is_set_back)
{
	(void)submit(world_transfer(&w, 1, 2));
	world_pass(&w, 0);
	w.wall_ms -= 3600000;
	(void)submit(world_transfer(&w, 1, 2));
	world_pass(&w, 200);
	cr_assert_eq(world_height(&w), 2);
	cr_assert_eq(w.failed, ERR_OK);
}
