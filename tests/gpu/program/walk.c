/* Loops expanded one at a time, found at once, refused at their limits. */
#include <criterion/criterion.h>
#include <string.h>

#include "gpu/program/header.h"
#include "gpu/program/walk.h"
#include "tests/support/toy.h"

static struct arena *a;

static void setup(void)
{
	a = arena_new(64u << 20);
}

static void teardown(void)
{
	arena_free(a);
}

TestSuite(walk, .init = setup, .fini = teardown);

Test(walk, the_toy)
{
	static const struct {
		uint32_t step;
		int64_t turn[2];
		uint64_t ctas;
		uint64_t from;
	} want[TOY_STEPS] = {
		{0, {0, 0}, 3, 0},   {2, {0, 0}, 2, 0},	  {4, {0, 0}, 0, 0},
		{4, {0, 1}, 0, 100}, {4, {0, 2}, 0, 200}, {2, {1, 0}, 4, 0},
		{4, {1, 0}, 0, 0},   {4, {1, 1}, 0, 100}, {4, {1, 2}, 0, 200},
		{5, {0, 0}, 0, 0},
	};
	struct program p = toy_program(a);
	struct program_walk w;
	struct program_launch l;
	struct program_launch at;

	program_walk_start(&w, &p);
	for (uint64_t i = 0; i < TOY_STEPS; i++) {
		cr_assert_eq(program_walk_next(&w, &l), ERR_OK);
		cr_assert_eq(l.number, i + 1);
		cr_assert_eq(l.step_index, want[i].step);
		cr_assert_eq(l.env.repeat[0], want[i].turn[0]);
		cr_assert_eq(l.env.repeat[1], want[i].turn[1]);
		cr_assert_eq(l.cta_count, want[i].ctas);
		cr_assert_eq(l.from_offset, want[i].from);
		cr_assert_eq(program_launch_at(&p, i + 1, &at), ERR_OK);
		cr_assert_eq(memcmp(&at, &l, sizeof(l)), 0);
	}
	cr_assert_eq(program_walk_next(&w, &l), ERR_NOT_FOUND);
	cr_assert_eq(program_launch_at(&p, 0, &l), ERR_NOT_FOUND);
	cr_assert_eq(program_launch_at(&p, TOY_STEPS + 1, &l), ERR_NOT_FOUND);
	cr_assert_eq(program_launch_count(&p), TOY_STEPS);
	cr_assert_eq(program_step_runs(&p, 4), 6u);
}

Test(walk, places)
{
	static const uint64_t numbers[6] = {3, 4, 5, 7, 8, 9};
	/* k1's six CTAs: two in executed step 2, four in step 6 */
	static const uint64_t place[6][2] = {{2, 0}, {2, 1}, {6, 0},
					     {6, 1}, {6, 2}, {6, 3}};
	struct program p = toy_program(a);
	uint64_t number;
	uint64_t cta;

	for (uint64_t i = 0; i < 6; i++) {
		cr_assert_eq(program_run_number(&p, 4, i, &number), ERR_OK);
		cr_assert_eq(number, numbers[i]);
		cr_assert_eq(program_cta_place(&p, 2, i, &number, &cta),
			     ERR_OK);
		cr_assert_eq(number, place[i][0]);
		cr_assert_eq(cta, place[i][1]);
	}
	cr_assert_eq(program_run_number(&p, 4, 6, &number), ERR_NOT_FOUND);
	cr_assert_eq(program_cta_place(&p, 2, 6, &number, &cta), ERR_NOT_FOUND);
	cr_assert_eq(program_cta_place(&p, 0, 2, &number, &cta), ERR_OK);
	cr_assert_eq(number, 1u);
	cr_assert_eq(cta, 2u);
}

Test(walk, parameters)
{
	static const uint8_t want[40] = {[16] = 4,    [20] = 3,	   [22] = 0x80,
					 [23] = 0x3f, [24] = 0xaa, 0xaa,
					 0xaa,	      0xaa,	   0xaa,
					 0xaa,	      0xaa,	   0xaa};
	struct program p = toy_program(a);
	struct hash id = HASH_ZERO;
	struct program_task task = toy_task(a, &id, 3);
	struct program_launch l;
	struct program_params q;

	cr_assert_eq(program_launch_at(&p, 1, &l), ERR_OK);
	cr_assert_eq(program_launch_params(a, &p, &l, &task, &q), ERR_OK);
	cr_assert_eq(q.byte_count, 40u);
	/* column 0 is 1: 1 * 3 + 1; column 1 is the bits of 1.0f plus 3 */
	cr_assert_arr_eq(q.bytes, want, 40);
	cr_assert_eq(q.reloc_count, 3u);
	cr_assert_eq(q.relocs[1].at_bytes, 8u);
	cr_assert_eq(q.relocs[1].buffer_index, 1u);
	cr_assert_eq(q.relocs[1].offset, 48u);
	cr_assert_eq(q.relocs[2].at_bytes, 32u);
	cr_assert_eq(q.relocs[2].offset, 4u);
	/* an argument outside its type */
	p.steps[0].args[2].type = PROGRAM_TYPE_U32;
	task.columns[0] = -1;
	cr_assert_eq(program_launch_params(a, &p, &l, &task, &q), ERR_REFUSED);
	/* an address outside its buffer */
	task = toy_task(a, &id, 3);
	task.index = 313; /* 313 * 16 > 5000 */
	cr_assert_eq(program_launch_params(a, &p, &l, &task, &q), ERR_REFUSED);
}

/* One change that makes the toy wrong. */
static void expect(enum err want, void (*change)(struct program *p))
{
	struct program p = toy_program(a);

	change(&p);
	cr_assert_eq(program_check(&p), want);
}

#define CHANGE(name, body)                  \
	static void name(struct program *p) \
	{                                   \
		body;                       \
	}
CHANGE(no_bytes, p->buffers[0].bytes = 0)
CHANGE(filled_input, p->buffers[0].fill = 1)
CHANGE(too_large, p->buffers[1].bytes = TASK_BUFFER_BYTES_MAX)
CHANGE(unsorted, p->symbols[0].name = BYTES_LIT("zzz"))
CHANGE(long_data, p->symbols[1].bytes = 7)
CHANGE(huge_data, p->symbols[0].bytes = PROGRAM_DATA_BYTES_MAX + 1)
CHANGE(overlap, p->parts[0].params[1].offset_bytes = 7)
CHANGE(far_param, p->parts[1].params[0].offset_bytes = 32760)
CHANGE(writes_const, p->parts[0].symbols[1].access = 3)
CHANGE(no_symbol, p->parts[0].symbols[1].symbol_index = 2)
CHANGE(no_part, p->steps[0].part_index = 2)
CHANGE(few_args, p->steps[0].arg_count = 4)
CHANGE(wrong_size, p->steps[0].args[2].type = PROGRAM_TYPE_U64)
CHANGE(no_buffer, p->steps[0].args[0].buffer_index = 3)
CHANGE(no_length, p->steps[0].args[2].kind = PROGRAM_ARG_LENGTH;
       p->steps[0].args[2].buffer_index = 1)
CHANGE(zero_grid, p->steps[0].grid[1].value = 0)
CHANGE(wide_block, p->steps[0].block[1].value = 17)
CHANGE(task_grid, p->steps[0].grid[0] = p->steps[0].args[1].value)
CHANGE(short_body, p->steps[1].body_count = 2)
CHANGE(long_body, p->steps[1].body_count = 5)
CHANGE(no_body, p->steps[3].body_count = 0)
CHANGE(many, p->steps[1].count = PROGRAM_LAUNCHES_MAX / 3)
CHANGE(past_end, p->steps[4].bytes.value = 701)
CHANGE(source_end, p->steps[4].from_index = 0; p->steps[4].from_offset.code = 0;
       p->steps[4].from_offset.code_count = 0;
       p->steps[4].from_offset.value = 1451)
CHANGE(onto_itself, p->steps[4].from_index = 2;
       p->steps[4].to_offset.value = 20)
CHANGE(wide_byte, p->steps[5].with.value = 256)
CHANGE(outer_loop, p->steps[0].grid[0] = p->steps[2].grid[0])

Test(walk, wrong_programs)
{
	expect(ERR_MALFORMED, no_bytes);
	expect(ERR_MALFORMED, filled_input);
	expect(ERR_LIMIT, too_large);
	expect(ERR_MALFORMED, unsorted);
	expect(ERR_MALFORMED, long_data);
	expect(ERR_LIMIT, huge_data);
	expect(ERR_MALFORMED, overlap);
	expect(ERR_LIMIT, far_param);
	expect(ERR_MALFORMED, writes_const);
	expect(ERR_MALFORMED, no_symbol);
	expect(ERR_MALFORMED, no_part);
	expect(ERR_MALFORMED, few_args);
	expect(ERR_MALFORMED, wrong_size);
	expect(ERR_MALFORMED, no_buffer);
	expect(ERR_MALFORMED, no_length);
	expect(ERR_MALFORMED, zero_grid);
	expect(ERR_MALFORMED, wide_block);
	expect(ERR_MALFORMED, task_grid);
	expect(ERR_MALFORMED, short_body);
	expect(ERR_MALFORMED, long_body);
	expect(ERR_MALFORMED, no_body);
	expect(ERR_LIMIT, many);
	expect(ERR_MALFORMED, past_end);
	expect(ERR_MALFORMED, source_end);
	expect(ERR_MALFORMED, onto_itself);
	expect(ERR_MALFORMED, wide_byte);
	expect(ERR_MALFORMED, outer_loop);
}

/* The most launches there may be, each with a grid of its own, are walked in
 * a moment; code over the budget is refused. */
Test(walk, limits)
{
	struct program p = toy_program(a);
	int64_t *code = ARENA_ARRAY(a, 64, int64_t);
	uint64_t number;
	uint64_t cta;

	p.steps += 1;
	p.step_count = 2;
	p.steps[0].count = PROGRAM_LAUNCHES_MAX;
	p.steps[0].body_count = 1;
	cr_assert_eq(program_check(&p), ERR_LIMIT); /* 2^40 CTAs and more */
	p.steps[1].grid[0].code = code;
	p.steps[1].grid[0].code_count = 5;
	code[0] = PROGRAM_OP_REPEAT;
	code[2] = PROGRAM_OP_PUSH;
	code[3] = 1 << 20;
	code[4] = PROGRAM_OP_DIV;
	cr_assert_eq(program_check(&p), ERR_MALFORMED); /* a grid of 0 */
	code[4] = PROGRAM_OP_REM;
	code[1] = 0;
	cr_assert_eq(program_check(&p), ERR_MALFORMED); /* turn 0 gives 0 */
	/* index / 2^20 + 1 */
	code[4] = PROGRAM_OP_DIV;
	code[5] = PROGRAM_OP_PUSH;
	code[6] = 1;
	code[7] = PROGRAM_OP_ADD;
	p.steps[1].grid[0].code_count = 8;
	cr_assert_eq(program_check(&p), ERR_OK);
	cr_assert_eq(program_launch_count(&p), PROGRAM_LAUNCHES_MAX);
	cr_assert_eq(program_cta_place(&p, 1, 2 * PROGRAM_LAUNCHES_MAX - 1,
				       &number, &cta),
		     ERR_OK);
	cr_assert_eq(number, PROGRAM_LAUNCHES_MAX);
	cr_assert_eq(cta, 1u);
	for (int i = 8; i < 35; i++)
		code[i] = PROGRAM_OP_NEG;
	p.steps[1].grid[0].code_count = 33;
	cr_assert_eq(program_check(&p), ERR_LIMIT);
}
