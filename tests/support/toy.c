#include "tests/support/toy.h"

#include <string.h>

#include "base/codec.h"
#include "base/merkle.h"
#include "base/must.h"
#include "gpu/program/trace.h"
#include "gpu/program/walk.h"

size_t toy_text_bytes;
enum program_class toy_class;

static struct program_expr code(struct arena *a, const int64_t *v, uint32_t n)
{
	int64_t *c = ARENA_ARRAY(a, n, int64_t);

	memcpy(c, v, n * sizeof(*v));
	return (struct program_expr){.code = c, .code_count = n};
}

#define CODE(a, ...)                            \
	code(a, (const int64_t[]){__VA_ARGS__}, \
	     sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static void three(struct program_expr e[3], int64_t x, int64_t y, int64_t z)
{
	e[0].value = x;
	e[1].value = y;
	e[2].value = z;
}

static void parts(struct arena *a, struct program *p)
{
	static const struct program_param p0[] = {
		{0, 8, 1}, {8, 8, 2}, {16, 4, 0}, {20, 4, 0}, {24, 16, 0}};
	struct program_part *k = ARENA_ARRAY(a, 2, struct program_part);

	k[0] = (struct program_part){.entry = BYTES_LIT("k0"),
				     .text = BYTES_LIT("toy text 0"),
				     .by_warp = true,
				     .param_count = 5,
				     .symbol_count = 2,
				     .needs = {75, 0, 64, 0, 7240}};
	if (toy_text_bytes) {
		uint8_t *text = ARENA_ARRAY(a, toy_text_bytes, uint8_t);

		for (size_t i = 0; i < toy_text_bytes; i++)
			text[i] = (uint8_t)(i / 1000 + i);
		k[0].text = bytes_of(text, toy_text_bytes);
	}
	k[0].params = ARENA_ARRAY(a, 5, struct program_param);
	memcpy(k[0].params, p0, sizeof(p0));
	k[0].symbols = ARENA_ARRAY(a, 2, struct program_symbol_use);
	k[0].symbols[0] = (struct program_symbol_use){0, 3};
	k[0].symbols[1] = (struct program_symbol_use){1, 1};
	k[1] = (struct program_part){.entry = BYTES_LIT("k1"),
				     .text = BYTES_LIT("toy text 1"),
				     .class = toy_class,
				     .independence = PROGRAM_ASSUMED,
				     .param_count = 1,
				     .needs = {80, 256, 8, 16, 7240}};
	k[1].params = ARENA_ARRAY(a, 1, struct program_param);
	k[1].params[0] = (struct program_param){0, 8, 3};
	p->parts = k;
	p->part_count = 2;
}

static void launch0(struct arena *a, struct program_step *s)
{
	static const uint8_t data[16] = {0xaa, 0xaa, 0xaa, 0xaa,
					 0xaa, 0xaa, 0xaa, 0xaa};
	struct program_arg *arg = ARENA_ARRAY(a, 5, struct program_arg);

	three(s->grid, 3, 1, 1);
	three(s->block, 64, 1, 1);
	s->args = arg;
	s->arg_count = 5;
	arg[1].buffer_index = 1;
	arg[1].value =
		CODE(a, PROGRAM_OP_TASK, PROGRAM_OP_PUSH, 16, PROGRAM_OP_MUL);
	arg[2].kind = PROGRAM_ARG_VALUE;
	arg[2].type = PROGRAM_TYPE_S32;
	arg[2].value = CODE(a, PROGRAM_OP_COLUMN, 0, PROGRAM_OP_PUSH, 3,
			    PROGRAM_OP_MUL, PROGRAM_OP_PUSH, 1, PROGRAM_OP_ADD);
	arg[3].kind = PROGRAM_ARG_VALUE;
	arg[3].type = PROGRAM_TYPE_B32;
	arg[3].value = CODE(a, PROGRAM_OP_COLUMN, 1);
	arg[4].kind = PROGRAM_ARG_BYTES;
	arg[4].data = bytes_of(data, 16);
	arg[4].addresses = ARENA_ARRAY(a, 1, struct program_address);
	arg[4].addresses[0] = (struct program_address){
		.at_bytes = 8, .buffer_index = 2, .offset.value = 4};
	arg[4].address_count = 1;
}

static void steps(struct arena *a, struct program *p)
{
	struct program_step *s = ARENA_ARRAY(a, 6, struct program_step);

	launch0(a, &s[0]);
	s[1] = (struct program_step){
		.kind = PROGRAM_STEP_REPEAT, .count = 2, .body_count = 3};
	s[2].part_index = 1;
	three(s[2].grid, 0, 2, 1);
	s[2].grid[0] = CODE(a, PROGRAM_OP_REPEAT, 0, PROGRAM_OP_PUSH, 1,
			    PROGRAM_OP_ADD);
	three(s[2].block, 8, 1, 1);
	s[2].shared_bytes.value = 128;
	s[2].args = ARENA_ARRAY(a, 1, struct program_arg);
	s[2].args[0].buffer_index = 1;
	s[2].arg_count = 1;
	s[3] = (struct program_step){
		.kind = PROGRAM_STEP_REPEAT, .count = 3, .body_count = 1};
	s[4] = (struct program_step){.kind = PROGRAM_STEP_COPY,
				     .from_index = 1,
				     .to_index = 2,
				     .bytes.value = 50};
	s[4].from_offset = CODE(a, PROGRAM_OP_REPEAT, 1, PROGRAM_OP_PUSH, 100,
				PROGRAM_OP_MUL);
	s[5] = (struct program_step){.kind = PROGRAM_STEP_FILL,
				     .to_index = 2,
				     .to_offset.value = 10,
				     .bytes.value = 20,
				     .with.value = 9};
	p->steps = s;
	p->step_count = 6;
}

struct program toy_program(struct arena *a)
{
	static const uint8_t counter[] = {1, 2, 3, 4};
	static const uint8_t table[] = {0, 1, 2, 3, 4, 5, 6, 7};
	struct program p = {
		.buffer_count = 3, .symbol_count = 2, .column_count = 2};

	p.buffers = ARENA_ARRAY(a, 3, struct program_buffer);
	p.buffers[0] = (struct program_buffer){1500, PROGRAM_INIT_INPUT, 0, 0};
	p.buffers[1] = (struct program_buffer){5000, PROGRAM_INIT_FILL, 7, 1};
	p.buffers[2] = (struct program_buffer){700, PROGRAM_INIT_FILL, 0, 0};
	p.symbols = ARENA_ARRAY(a, 2, struct program_symbol);
	p.symbols[0] = (struct program_symbol){BYTES_LIT("counter"), 40, true,
					       bytes_of(counter, 4)};
	p.symbols[1] = (struct program_symbol){BYTES_LIT("table"), 8, false,
					       bytes_of(table, 8)};
	p.columns = ARENA_ARRAY(a, 2, enum program_column);
	p.columns[0] = PROGRAM_COLUMN_INT;
	p.columns[1] = PROGRAM_COLUMN_F32;
	parts(a, &p);
	steps(a, &p);
	return p;
}

struct program_header toy_header(struct arena *a, const struct program *p)
{
	struct program_header h;

	must(program_header_make(a, p, &h) == ERR_OK);
	h.rows[0].mean_ops = 1000;
	h.rows[0].cta_ops = 1100;
	h.rows[0].cta_open = 4000;
	h.rows[2].mean_ops = 50;
	h.rows[2].cta_ops = 60;
	h.rows[2].cta_open = 3000;
	must(program_header_total(&h) == ERR_OK);
	return h;
}

uint8_t *toy_input(struct arena *a, uint64_t index)
{
	uint8_t *b = ARENA_ARRAY(a, 1500, uint8_t);

	for (size_t i = 0; i < 1200; i++)
		b[i] = (uint8_t)(index * 31 + i);
	return b;
}

struct program_task toy_task(struct arena *a, const struct hash *program_id,
			     uint64_t index)
{
	struct program_task t = {.program_id = *program_id,
				 .index = index,
				 .input_count = 1,
				 .column_count = 2};

	t.inputs = ARENA_ARRAY(a, 1, struct program_input);
	t.inputs[0].root =
		merkle_bytes_root(bytes_of(toy_input(a, index), 1500));
	t.inputs[0].length_bytes = 1200;
	t.columns = ARENA_ARRAY(a, 2, int64_t);
	t.columns[0] = (int64_t)index - 2;
	t.columns[1] = 0x3f800000 + (int64_t)index;
	return t;
}

size_t toy_writes(struct arena *a, uint64_t number, uint32_t step_index,
		  uint64_t cta, struct program_write out[2])
{
	uint8_t *b = ARENA_ARRAY(a, 64, uint8_t);

	if (step_index == 2) {
		memset(b, (int)(number & 255), 16);
		out[0] = (struct program_write){1, 2048 + cta * 16, {b, 16}, 0};
		return 1;
	}
	for (size_t i = 0; i < 64; i++)
		b[i] = (uint8_t)(number * 7 + cta * 5 + i);
	out[0] = (struct program_write){1, cta * 600, {b, 64}, 0};
	out[1] = (struct program_write){3, 8, {b, 4}, 0};
	return cta == 2 ? 2 : 1;
}

static void toy_step(struct arena *a, const struct program_launch *l,
		     uint8_t **before, uint8_t **after)
{
	static const size_t bytes[TOY_OBJECTS] = {1500, 5000, 700, 40};

	for (int i = 0; i < 4; i++) {
		after[i] = ARENA_ARRAY(a, bytes[i], uint8_t);
		memcpy(after[i], before[i], bytes[i]);
	}
	if (l->kind == PROGRAM_STEP_COPY)
		memcpy(after[2] + l->to_offset, before[1] + l->from_offset,
		       (size_t)l->bytes);
	if (l->kind == PROGRAM_STEP_FILL)
		memset(after[2] + l->to_offset, l->with, (size_t)l->bytes);
	for (uint64_t cta = 0; cta < l->cta_count; cta++) {
		struct program_write w[2];
		size_t n = toy_writes(a, l->number, l->step_index, cta, w);

		for (size_t i = 0; i < n; i++)
			memcpy(after[w[i].object_index] + w[i].offset,
			       w[i].data.p, w[i].data.n);
	}
}

static void object_roots(uint8_t *const *state, struct hash roots[TOY_OBJECTS])
{
	static const size_t bytes[TOY_OBJECTS] = {1500, 5000, 700, 40};

	for (int i = 0; i < 4; i++)
		roots[i] = merkle_bytes_root(bytes_of(state[i], bytes[i]));
}

static void toy_run(struct arena *a, struct toy_lease *t, uint32_t at,
		    const struct toy_cheat *cheat)
{
	struct program_walk w;
	struct program_launch l;
	uint8_t **s = t->states[at][0];
	struct hash roots[TOY_OBJECTS];

	s[0] = toy_input(a, t->claim.first_task + at);
	if (cheat && cheat->start)
		memset(s[0], 0, 1500);
	s[1] = ARENA_ARRAY(a, 5000, uint8_t);
	memset(s[1], 7, 5000);
	s[2] = ARENA_ARRAY(a, 700, uint8_t);
	s[3] = ARENA_ARRAY(a, 40, uint8_t);
	memcpy(s[3], t->program.symbols[0].data.p, 4);
	object_roots(s, roots);
	t->memory_roots[at][0] = program_memory_root(roots, TOY_OBJECTS);
	program_walk_start(&w, &t->program);
	while (program_walk_next(&w, &l) == ERR_OK) {
		uint8_t **after = t->states[at][l.number];

		toy_step(a, &l, t->states[at][l.number - 1], after);
		if (cheat && cheat->step == l.number)
			after[cheat->object][cheat->offset] ^= cheat->flip;
		object_roots(after, roots);
		t->memory_roots[at][l.number] =
			program_memory_root(roots, TOY_OBJECTS);
	}
}

static void toy_result(struct arena *a, struct toy_lease *t, uint32_t at,
		       const struct toy_cheat *cheat)
{
	struct buf b = buf_make(PROGRAM_RESULT_BYTES_MAX);
	struct hash roots[TOY_OBJECTS];
	struct program_result r = {.index = t->claim.first_task + at,
				   .steps = TOY_STEPS,
				   .object_roots = roots,
				   .object_count = TOY_OBJECTS};

	object_roots(t->states[at][TOY_STEPS], roots);
	if (cheat && cheat->end)
		roots[1].b[0] ^= 1;
	must(program_trace_root(a, t->memory_roots[at], TOY_STEPS + 1,
				&r.trace_root) == ERR_OK);
	program_result_encode(&b, &r);
	t->results[at] = arena_copy(a, buf_bytes(&b));
	t->result_leaves[at] = program_result_leaf(t->results[at]);
	buf_free(&b);
}

struct toy_lease *toy_lease_make(struct arena *a, const struct hash *lease,
				 const struct pubkey *provider, uint32_t first,
				 uint32_t done, const struct toy_cheat *cheat)
{
	struct toy_lease *t = ARENA_NEW(a, struct toy_lease);
	struct program_claim *c = &t->claim;

	t->program = toy_program(a);
	must(program_id(a, &t->program, &c->program_id) == ERR_OK);
	for (uint32_t i = 0; i < TOY_TASKS; i++) {
		struct program_task task = toy_task(a, &c->program_id, i);
		struct buf b = buf_make(PROGRAM_TASK_BYTES_MAX);

		program_task_encode(&b, &task);
		t->tasks[i] = arena_copy(a, buf_bytes(&b));
		t->task_leaves[i] = program_task_leaf(t->tasks[i]);
		buf_free(&b);
	}
	c->first_task = first;
	c->done_count = done;
	for (uint32_t i = 0; i < done; i++) {
		toy_run(a, t, i, cheat);
		toy_result(a, t, i, cheat);
	}
	c->lease = *lease;
	c->provider = *provider;
	c->tasks_root = merkle_list_root(t->task_leaves, TOY_TASKS);
	c->task_count = TOY_TASKS;
	t->leaves_root = merkle_list_root(t->result_leaves, done);
	c->result_root = program_result_root(lease, provider, &t->leaves_root);
	return t;
}

/* What CTAs [cta, end) read and write. */
static void cta_ranges(struct arena *a, const struct program_launch *l,
		       uint64_t cta, uint64_t end, struct program_witness *w)
{
	struct program_range *reads =
		ARENA_ARRAY(a, end - cta, struct program_range);
	struct program_range *writes =
		ARENA_ARRAY(a, 2 * (end - cta), struct program_range);

	w->reads = reads;
	w->writes = writes;
	for (; cta < end; cta++) {
		struct program_write one[2];
		size_t n = toy_writes(a, l->number, l->step_index, cta, one);

		for (size_t i = 0; i < n; i++)
			writes[w->write_count++] = (struct program_range){
				one[i].object_index, one[i].offset,
				one[i].data.n};
		reads[w->read_count++] =
			l->step_index == 0 ? (struct program_range){0, 700, 600}
					   : (struct program_range){1, 100, 4};
	}
}

/* Of a CTA, of all, or of two that stand apart. */
static void show_ranges(struct arena *a, const struct program *p,
			const struct program_launch *l,
			const struct program_sample *s, uint64_t cta,
			uint64_t writer, struct program_witness *w)
{
	if (program_launch_is_whole(p, l))
		cta_ranges(a, l, 0, l->cta_count, w);
	else if (s->kind == PROGRAM_SAMPLE_PAIR)
		/* whatever lies between is shown too */
		cta_ranges(a, l, cta < writer ? cta : writer,
			   (cta < writer ? writer : cta) + 1, w);
	else
		cta_ranges(a, l, cta, cta + 1, w);
}

struct program_opening toy_opening(struct arena *a, const struct toy_lease *t,
				   const struct program_sample *s,
				   uint64_t writer)
{
	uint64_t at = s->task_index - t->claim.first_task;
	uint64_t k = s->step_number;
	uint64_t cta = s->kind == PROGRAM_SAMPLE_CHUNK ? writer : s->number;
	struct program_state before[TOY_OBJECTS] = {0};
	struct program_state after[TOY_OBJECTS] = {0};
	struct hash roots[2][TOY_OBJECTS];
	struct program_launch l;
	struct program_opening o;
	struct program_witness w = {.program = &t->program,
				    .task_leaves = t->task_leaves,
				    .task_count = TOY_TASKS,
				    .task = t->tasks[s->task_index],
				    .result_leaves = t->result_leaves,
				    .done_count = t->claim.done_count,
				    .result_position = at,
				    .result = t->results[at],
				    .memory_roots = t->memory_roots[at],
				    .memory_root_count = TOY_STEPS + 1,
				    .before_roots = roots[0],
				    .after_roots = roots[1],
				    .before = before,
				    .after = after};

	must(program_launch_at(&t->program, k, &l) == ERR_OK);
	for (int i = 0; i < 4; i++) {
		before[i].bytes = t->states[at][k - 1][i];
		after[i].bytes = t->states[at][k][i];
	}
	object_roots(t->states[at][k - 1], roots[0]);
	object_roots(t->states[at][k], roots[1]);
	if (l.kind == PROGRAM_STEP_LAUNCH && cta != PROGRAM_WRITER_NONE)
		show_ranges(a, &t->program, &l, s, cta, writer, &w);
	must(program_opening_build(a, &w, s, writer, &o) == ERR_OK);
	return o;
}

uint64_t toy_writer(struct arena *a, const struct program *p, uint64_t number,
		    uint32_t object, uint64_t offset)
{
	struct program_launch l;

	must(program_launch_at(p, number, &l) == ERR_OK);
	for (uint64_t cta = 0; cta < l.cta_count; cta++) {
		struct program_write w[2];
		size_t n = toy_writes(a, number, l.step_index, cta, w);

		for (size_t i = 0; i < n; i++)
			if (w[i].object_index == object &&
			    offset >= w[i].offset &&
			    offset < w[i].offset + w[i].data.n)
				return cta;
	}
	return PROGRAM_WRITER_NONE;
}

uint64_t toy_chunk_writer(struct arena *a, const struct toy_lease *t,
			  const struct program_sample *s,
			  const struct hash *seed)
{
	uint64_t at = s->task_index - t->claim.first_task;
	uint64_t k = s->step_number;
	struct program_launch l;
	uint32_t object;
	uint64_t offset;
	uint32_t bytes;
	uint32_t byte;

	must(program_launch_at(&t->program, k, &l) == ERR_OK);
	must(program_chunk_find(&t->program, l.step_index, s->number, &object,
				&offset, &bytes) == ERR_OK);
	if (l.kind != PROGRAM_STEP_LAUNCH ||
	    program_chunk_byte(
		    seed, s,
		    bytes_of(t->states[at][k - 1][object] + offset, bytes),
		    bytes_of(t->states[at][k][object] + offset, bytes), &byte))
		return PROGRAM_WRITER_NONE;
	return toy_writer(a, &t->program, k, object, offset + byte);
}

struct bytes toy_encode(struct arena *a, const struct program_opening *o)
{
	struct buf b = buf_make(PROGRAM_OPENING_BYTES_MAX);
	struct bytes out;

	program_opening_encode(&b, o);
	must(b.err == ERR_OK);
	out = arena_copy(a, buf_bytes(&b));
	buf_free(&b);
	return out;
}
