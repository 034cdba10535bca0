/*
 * The engine that follows: it believes nobody, and asks the next one.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/arena.h"
#include "base/codec.h"
#include "ledger/block.h"
#include "tests/node/engine/world.h"

static struct world from; /* orders */
static struct world to;	  /* follows */
static struct arena *arena;

static void open_both(void)
{
	world_open(&from, &engine_solo, 100, 0);
	world_open(&to, &engine_follow, 0, 2);
	arena = arena_new(1u << 24);
	world_pass(&to, 0);
}

static void shut_both(void)
{
	world_close(&from);
	world_close(&to);
	arena_free(arena);
}

TestSuite(follow, .init = open_both, .fini = shut_both);

static void order(unsigned blocks)
{
	for (unsigned i = 0; i < blocks; i++) {
		enum reason why;

		cr_assert_eq(from.ops->submit(from.engine,
					      world_transfer(&from, 1, 2),
					      &why),
			     ERR_OK);
		world_pass(&from, 100);
	}
}

static struct bytes block_at(uint64_t height)
{
	struct ledger_kept kept;

	cr_assert_eq(ledger_chain_block(from.rig.chain, arena, height, &kept),
		     ERR_OK);
	return kept.block;
}

/* The feed of blocks first to last. */
static struct bytes feed(uint64_t first, uint64_t last)
{
	struct buf b = buf_make(1u << 22);
	struct bytes out;

	enc_array(&b, 2);
	enc_uint(&b, world_height(&from));
	enc_array(&b, (uint32_t)(last + 1 - first));
	for (uint64_t h = first; h <= last; h++)
		enc_bin(&b, block_at(h));
	out = arena_copy(arena, buf_bytes(&b));
	buf_free(&b);
	return out;
}

static const char *trouble(void)
{
	static struct engine_status s;

	to.ops->status(to.engine, &s);
	return s.trouble;
}

Test(follow, asks_for_the_next_block)
{
	cr_assert_eq(to.request_count, 1);
	cr_assert_str_eq(to.requests[0].path, "/blocks?from=1&wait_ms=10000");
	cr_assert_eq(to.requests[0].peer, 0);
}

Test(follow, has_the_same_root_after_the_same_blocks)
{
	struct ledger_info a;
	struct ledger_info b;

	order(3);
	world_answer(&to, ERR_OK, feed(1, 3));
	ledger_chain_info(from.rig.chain, &a);
	ledger_chain_info(to.rig.chain, &b);
	cr_assert_eq(b.height, 3);
	cr_assert(hash_eq(&a.state_root, &b.state_root));
	cr_assert_eq(to.applied, 3);
	world_pass(&to, 0);
	cr_assert_str_eq(to.requests[0].path, "/blocks?from=4&wait_ms=10000");
}

Test(follow, passes_over_a_peer_whose_block_is_not_signed_by_the_operator)
{
	struct ledger_block b;
	struct buf out = buf_make(1u << 20);
	struct buf one = buf_make(1u << 20);
	struct hash id;
	enum reason why;

	order(1);
	cr_assert_eq(ledger_block_decode(arena, block_at(1), &b, &why), ERR_OK);
	cr_assert_eq(ledger_block_sign(&b, &from.rig.secrets[1], &out, &id),
		     ERR_OK);
	enc_array(&one, 2);
	enc_uint(&one, 1);
	enc_array(&one, 1);
	enc_bin(&one, buf_bytes(&out));
	world_answer(&to, ERR_OK, buf_bytes(&one));
	cr_assert_eq(world_height(&to), 0);
	cr_assert_str_eq(trouble(), "bad_signature");
	cr_assert_eq(to.failed, ERR_OK);
	world_pass(&to, 1000);
	cr_assert_eq(to.requests[0].peer, 1);
	world_answer(&to, ERR_OK, feed(1, 1));
	cr_assert_eq(world_height(&to), 1);
	cr_assert_str_eq(trouble(), "");
	buf_free(&out);
	buf_free(&one);
}

Test(follow, asks_the_other_peer_later_and_later)
{
	uint64_t distance_ms = 0;

	for (unsigned i = 0; i < 8; i++) {
		uint64_t began_ms = to.now_ms;

		cr_assert_eq(to.requests[0].peer, i % 2);
		world_answer(&to, ERR_UNREACHABLE, (struct bytes){NULL, 0});
		while (!to.request_count)
			world_pass(&to, 50);
		cr_assert_geq(to.now_ms - began_ms, distance_ms);
		distance_ms = to.now_ms - began_ms;
		cr_assert_leq(distance_ms, 5050);
	}
	cr_assert_geq(distance_ms, 5000);
	cr_assert_eq(to.failed, ERR_OK);
}

Test(follow, survives_any_garbage)
{
	static const uint8_t bytes[] = {0x92, 0x01, 0x91, 0xc4, 0x02, 1, 2};

	world_answer(&to, ERR_OK, BYTES_OF(bytes));
	world_pass(&to, 10000);
	world_answer(&to, ERR_OK, BYTES_LIT("garbage"));
	world_pass(&to, 10000);
	world_answer(&to, ERR_OK, (struct bytes){NULL, 0});
	cr_assert_eq(world_height(&to), 0);
	cr_assert_eq(to.failed, ERR_OK);
}

Test(follow, an_empty_feed_is_not_asked_for_in_a_rush)
{
	order(0);
	for (unsigned i = 0; i < 5; i++) {
		uint64_t began_ms = to.now_ms;

		world_answer(&to, ERR_OK, feed(1, 0));
		while (!to.request_count)
			world_pass(&to, 5);
		cr_assert_geq(to.now_ms - began_ms, 20);
	}
}

Test(follow, sends_a_transaction_until_a_block_has_it)
{
	struct bytes tx = world_transfer(&to, 1, 2);
	enum reason why;

	cr_assert_eq(to.ops->submit(to.engine, tx, &why), ERR_OK);
	cr_assert_eq(to.request_count, 2);
	cr_assert_str_eq(to.requests[1].path, "/tx");
	cr_assert(bytes_eq(buf_bytes(&to.requests[1].body), tx));
	world_pass(&to, 999);
	cr_assert_eq(to.request_count, 2);
	world_pass(&to, 1);
	cr_assert_eq(to.request_count, 3);
	/* the operator took it */
	cr_assert_eq(from.ops->submit(from.engine, tx, &why), ERR_OK);
	world_pass(&from, 100);
	world_answer(&to, ERR_OK, feed(1, 1));
	world_pass(&to, 10000);
	for (size_t i = 2; i < to.request_count; i++)
		cr_assert_str_neq(to.requests[i].path, "/tx");
}

Test(follow, says_when_a_waiting_transaction_can_no_longer_be_taken)
{
	struct bytes mine = world_transfer(&to, 1, 2);
	struct engine_status s;
	enum reason why;

	cr_assert_eq(to.ops->submit(to.engine, mine, &why), ERR_OK);
	/* another one of the same lane and sequence is in a block first */
	cr_assert_eq(from.ops->submit(from.engine,
				      rig_transfer(&from.rig, 1, 2, 7), &why),
		     ERR_OK);
	world_pass(&from, 100);
	world_answer(&to, ERR_OK, feed(1, 1));
	cr_assert_eq(to.dropped, REASON_bad_sequence);
	to.ops->status(to.engine, &s);
	cr_assert_eq(s.pending_count, 0);
}
