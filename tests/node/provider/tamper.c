/*
 * The cheat of the demo: what it serves is authentic to the last hash and
 * still wrong, so that only running the step again shows it.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/merkle.h"
#include "node/provider/tamper.h"
#include "tests/support/toy.h"

Test(tamper, chooses_tasks_by_their_index)
{
	struct tamper_config off = {.one_in = 1};
	struct tamper_config third = {.on = true, .one_in = 3};

	cr_assert(!tamper_wants(&off, 0));
	cr_assert(tamper_wants(&third, 6));
	cr_assert(!tamper_wants(&third, 7));
}

Test(tamper, turns_the_lowest_bit_of_every_fourth_byte)
{
	uint8_t bytes[9] = {0, 0, 0, 0, 1, 0, 0, 0, 2};
	const uint8_t expected[9] = {1, 0, 0, 0, 0, 0, 0, 0, 3};

	tamper_bytes(bytes, sizeof(bytes));
	cr_assert_eq(memcmp(bytes, expected, sizeof(bytes)), 0);
}

/* Commit to a tampered end of the first task; gives the tampered bytes. */
static struct bytes lie(struct arena *a, struct toy_lease *t, uint32_t object)
{
	struct program_result r;
	struct bytes bytes;
	struct hash root;
	uint8_t roots[(TOY_STEPS + 1) * HASH_BYTES];
	struct buf b = buf_make(PROGRAM_RESULT_BYTES_MAX);
	struct hash trace;

	bytes = arena_copy(a,
			   bytes_of(t->states[0][TOY_STEPS][object],
				    program_object_bytes(&t->program, object)));
	tamper_bytes((uint8_t *)(uintptr_t)bytes.p, bytes.n);
	root = merkle_bytes_root(bytes);
	cr_assert_eq(program_result_decode(a, t->results[0], &r), ERR_OK);
	memcpy(roots, t->memory_roots[0], sizeof(roots));
	cr_assert_eq(tamper_trace(a, r.object_roots, r.object_count, object,
				  &root, roots, TOY_STEPS + 1, &trace),
		     ERR_OK);
	r.trace_root = trace;
	program_result_encode(&b, &r);
	t->results[0] = arena_copy(a, buf_bytes(&b));
	buf_free(&b);
	t->result_leaves[0] = program_result_leaf(t->results[0]);
	t->leaves_root =
		merkle_list_root(t->result_leaves, t->claim.done_count);
	t->claim.result_root = program_result_root(
		&t->claim.lease, &t->claim.provider, &t->leaves_root);
	return bytes;
}

/* What the check of a tampered opening of step k finds. */
static enum program_finding check(uint64_t step_number, bool tampered)
{
	struct arena *a = arena_new(256u << 20);
	struct hash lease = {{4}};
	struct pubkey provider = {{5}};
	struct toy_lease *t =
		toy_lease_make(a, &lease, &provider, 0, TOY_TASKS, NULL);
	uint32_t object = tamper_object(&t->program);
	struct program_sample s = {.task_index = 0,
				   .step_number = step_number,
				   .kind = PROGRAM_SAMPLE_CTA,
				   .warp = PROGRAM_WARP_ALL};
	struct bytes bytes = lie(a, t, object);
	struct program_opening o = toy_opening(a, t, &s, PROGRAM_WRITER_NONE);
	struct buf honest = buf_make(1u << 20);
	struct buf out = buf_make(1u << 20);
	enum program_finding finding;
	struct program_run run;

	program_opening_encode(&honest, &o);
	cr_assert_eq(tamper_opening(a, buf_bytes(&honest), object, bytes, &out),
		     ERR_OK);
	cr_assert_eq(program_opening_decode(
			     a, buf_bytes(tampered ? &out : &honest), &o),
		     ERR_OK);
	cr_assert_eq(
		program_opening_check(a, &t->claim, &o, &lease, &finding, &run),
		ERR_OK);
	buf_free(&honest);
	buf_free(&out);
	arena_free(a);
	return finding;
}

Test(tamper, opening_of_an_earlier_step_proves_its_place)
{
	/* without the change the shown end is not the committed one */
	cr_assert_neq(check(1, false), PROGRAM_FINE);
	cr_assert_eq(check(1, true), PROGRAM_FINE);
}

Test(tamper, opening_of_the_last_step_is_never_without_a_finding_that_shows_it)
{
	/* the last step does not write that object: hashes alone show it;
	 * if it does, the run of the CTA will */
	enum program_finding f = check(TOY_STEPS, true);

	cr_assert(f == PROGRAM_FINE || f == PROGRAM_BAD_WRITE ||
			  f == PROGRAM_BAD_BYTES,
		  "%d", f);
}
