/*
 * The encoding of programs: each record has a writer and a reader, side by
 * side, in the order of the wire (doc/formats/program.md).  A reader bounds
 * every count by the bytes that are left, so that a short hostile text cannot
 * ask for much memory.
 */
#include <string.h>

#include "base/arena.h"
#include "base/codec.h"
#include "gpu/program/program.h"

/* An array head of at most max elements, each at least one byte. */
static uint32_t dec_count(struct dec *d, uint32_t max)
{
	uint32_t n = dec_array(d, max);

	if (!d->err && n > d->in.n - d->at)
		dec_fail(d, ERR_MALFORMED);
	return d->err ? 0 : n;
}

/* Room for count things; NULL with d failed if there is none. */
static void *room(struct dec *d, struct arena *a, uint32_t count, size_t size)
{
	void *p = NULL;

	if (!d->err && count > 0) {
		p = arena_array(a, count, size, _Alignof(max_align_t));
		if (!p)
			dec_fail(d, ERR_NO_MEMORY);
	}
	return p;
}

static uint32_t dec_u32(struct dec *d)
{
	return (uint32_t)dec_uint(d, UINT32_MAX);
}

static void enc_buffer(struct buf *b, const struct program_buffer *v)
{
	enc_array(b, 4);
	enc_uint(b, v->bytes);
	enc_uint(b, v->init);
	enc_uint(b, v->fill);
	enc_bool(b, v->save);
}

static void dec_buffer(struct dec *d, struct program_buffer *v)
{
	dec_array_exact(d, 4);
	v->bytes = dec_uint(d, TASK_BUFFER_BYTES_MAX);
	v->init = (enum program_init)dec_uint(d, PROGRAM_INIT_INPUT);
	v->fill = (uint8_t)dec_uint(d, UINT8_MAX);
	v->save = dec_bool(d);
}

static void enc_symbol(struct buf *b, const struct program_symbol *v)
{
	enc_array(b, 4);
	enc_str(b, v->name);
	enc_uint(b, v->bytes);
	enc_bool(b, v->written);
	enc_bin(b, v->data);
}

static void dec_symbol(struct dec *d, struct program_symbol *v)
{
	dec_array_exact(d, 4);
	v->name = dec_str(d, PROGRAM_NAME_BYTES_MAX);
	v->bytes = dec_uint(d, TASK_BUFFER_BYTES_MAX);
	v->written = dec_bool(d);
	v->data = dec_bin(d, PROGRAM_BYTES_MAX);
}

static void enc_preamble(struct buf *b, const struct program *p)
{
	enc_array(b, 6);
	enc_uint(b, PROGRAM_VERSION);
	enc_array(b, p->buffer_count);
	for (uint32_t i = 0; i < p->buffer_count; i++)
		enc_buffer(b, &p->buffers[i]);
	enc_array(b, p->symbol_count);
	for (uint32_t i = 0; i < p->symbol_count; i++)
		enc_symbol(b, &p->symbols[i]);
	enc_array(b, p->column_count);
	for (uint32_t i = 0; i < p->column_count; i++)
		enc_uint(b, p->columns[i]);
	enc_array(b, p->part_count);
	for (uint32_t i = 0; i < p->part_count; i++)
		enc_str(b, p->parts[i].entry);
	enc_uint(b, p->trace);
}

static void dec_preamble(struct dec *d, struct arena *a, struct program *p)
{
	dec_array_exact(d, 6);
	if (dec_uint(d, UINT32_MAX) != PROGRAM_VERSION)
		dec_fail(d, ERR_MALFORMED);
	p->buffer_count = dec_count(d, PROGRAM_BUFFERS_MAX);
	p->buffers = room(d, a, p->buffer_count, sizeof(*p->buffers));
	for (uint32_t i = 0; i < p->buffer_count && !d->err; i++)
		dec_buffer(d, &p->buffers[i]);
	p->symbol_count = dec_count(d, PROGRAM_SYMBOLS_MAX);
	p->symbols = room(d, a, p->symbol_count, sizeof(*p->symbols));
	for (uint32_t i = 0; i < p->symbol_count && !d->err; i++)
		dec_symbol(d, &p->symbols[i]);
	p->column_count = dec_count(d, PROGRAM_COLUMNS_MAX);
	p->columns = room(d, a, p->column_count, sizeof(*p->columns));
	for (uint32_t i = 0; i < p->column_count && !d->err; i++)
		p->columns[i] =
			(enum program_column)dec_uint(d, PROGRAM_COLUMN_F64);
	p->part_count = dec_count(d, PROGRAM_KERNELS_MAX);
	p->parts = room(d, a, p->part_count, sizeof(*p->parts));
	for (uint32_t i = 0; i < p->part_count && !d->err; i++)
		p->parts[i].entry = dec_str(d, PROGRAM_NAME_BYTES_MAX);
	p->trace = (enum program_trace)dec_uint(d, PROGRAM_TRACE_STEPS);
}

static void enc_needs(struct buf *b, const struct program_needs *v)
{
	enc_array(b, 5);
	enc_uint(b, v->sm);
	enc_uint(b, v->shared_bytes);
	enc_uint(b, v->threads);
	enc_uint(b, v->local_bytes);
	enc_uint(b, v->memory_bytes);
}

static void dec_needs(struct dec *d, struct program_needs *v)
{
	dec_array_exact(d, 5);
	v->sm = dec_u32(d);
	v->shared_bytes = dec_u32(d);
	v->threads = dec_u32(d);
	v->local_bytes = dec_u32(d);
	v->memory_bytes = dec_uint(d, UINT64_MAX);
}

static void enc_part(struct buf *b, const struct program_part *v)
{
	enc_array(b, 9);
	enc_bin(b, v->text);
	enc_uint(b, v->class);
	enc_uint(b, v->independence);
	enc_bool(b, v->by_warp);
	enc_bool(b, v->reads_all);
	enc_uint(b, v->stack_bytes);
	enc_array(b, v->param_count);
	for (uint32_t i = 0; i < v->param_count; i++) {
		enc_array(b, 3);
		enc_uint(b, v->params[i].offset_bytes);
		enc_uint(b, v->params[i].bytes);
		enc_uint(b, v->params[i].access);
	}
	enc_array(b, v->symbol_count);
	for (uint32_t i = 0; i < v->symbol_count; i++) {
		enc_array(b, 2);
		enc_uint(b, v->symbols[i].symbol_index);
		enc_uint(b, v->symbols[i].access);
	}
	enc_needs(b, &v->needs);
}

static void dec_part_lists(struct dec *d, struct arena *a,
			   struct program_part *v)
{
	v->param_count = dec_count(d, PROGRAM_ARGS_MAX);
	v->params = room(d, a, v->param_count, sizeof(*v->params));
	for (uint32_t i = 0; i < v->param_count && !d->err; i++) {
		dec_array_exact(d, 3);
		v->params[i].offset_bytes = dec_u32(d);
		v->params[i].bytes = dec_u32(d);
		v->params[i].access = dec_u32(d);
	}
	v->symbol_count = dec_count(d, PROGRAM_SYMBOLS_MAX);
	v->symbols = room(d, a, v->symbol_count, sizeof(*v->symbols));
	for (uint32_t i = 0; i < v->symbol_count && !d->err; i++) {
		dec_array_exact(d, 2);
		v->symbols[i].symbol_index = dec_u32(d);
		v->symbols[i].access = dec_u32(d);
	}
}

static void dec_part(struct dec *d, struct arena *a, struct program_part *v)
{
	dec_array_exact(d, 9);
	v->text = dec_bin(d, PTX_TEXT_BYTES_MAX);
	v->class = (enum program_class)dec_uint(d, PROGRAM_CLASS_X);
	v->independence =
		(enum program_independence)dec_uint(d, PROGRAM_ASSUMED);
	v->by_warp = dec_bool(d);
	v->reads_all = dec_bool(d);
	v->stack_bytes = dec_u32(d);
	dec_part_lists(d, a, v);
	dec_needs(d, &v->needs);
	if (!d->err && v->text.n == 0)
		dec_fail(d, ERR_MALFORMED);
}

static void enc_addresses(struct buf *b, const struct program_arg *v)
{
	enc_array(b, v->address_count);
	for (uint32_t i = 0; i < v->address_count; i++) {
		enc_array(b, 3);
		enc_uint(b, v->addresses[i].at_bytes);
		enc_uint(b, v->addresses[i].buffer_index);
		program_expr_encode(b, &v->addresses[i].offset);
	}
}

static void enc_arg(struct buf *b, const struct program_arg *v)
{
	static const uint8_t count[] = {3, 1, 3, 3, 3};

	enc_array(b, count[v->kind]);
	enc_uint(b, v->kind);
	switch (v->kind) {
	case PROGRAM_ARG_BUFFER:
		enc_uint(b, v->buffer_index);
		program_expr_encode(b, &v->value);
		break;
	case PROGRAM_ARG_NULL:
		break;
	case PROGRAM_ARG_VALUE:
		enc_uint(b, v->type);
		program_expr_encode(b, &v->value);
		break;
	case PROGRAM_ARG_BYTES:
		enc_bin(b, v->data);
		enc_addresses(b, v);
		break;
	case PROGRAM_ARG_LENGTH:
		enc_uint(b, v->buffer_index);
		enc_uint(b, v->type);
		break;
	}
}

static void dec_addresses(struct dec *d, struct arena *a, struct program_arg *v)
{
	v->address_count = dec_count(d, PROGRAM_ARGS_MAX);
	v->addresses = room(d, a, v->address_count, sizeof(*v->addresses));
	for (uint32_t i = 0; i < v->address_count && !d->err; i++) {
		dec_array_exact(d, 3);
		v->addresses[i].at_bytes = dec_u32(d);
		v->addresses[i].buffer_index = dec_u32(d);
		v->addresses[i].offset = program_expr_decode(d, a);
	}
}

static void dec_arg(struct dec *d, struct arena *a, struct program_arg *v)
{
	uint32_t count = dec_array(d, 3);

	v->kind = (enum program_arg_kind)dec_uint(d, PROGRAM_ARG_LENGTH);
	if (!d->err && count != (v->kind == PROGRAM_ARG_NULL ? 1u : 3u))
		dec_fail(d, ERR_MALFORMED);
	switch (v->kind) {
	case PROGRAM_ARG_BUFFER:
		v->buffer_index = dec_u32(d);
		v->value = program_expr_decode(d, a);
		break;
	case PROGRAM_ARG_NULL:
		break;
	case PROGRAM_ARG_VALUE:
		v->type = (enum program_type)dec_uint(d, PROGRAM_TYPE_B64);
		v->value = program_expr_decode(d, a);
		break;
	case PROGRAM_ARG_BYTES:
		v->data = dec_bin(d, PROGRAM_PARAM_BYTES_MAX);
		dec_addresses(d, a, v);
		break;
	case PROGRAM_ARG_LENGTH:
		v->buffer_index = dec_u32(d);
		v->type = (enum program_type)dec_uint(d, PROGRAM_TYPE_B64);
		break;
	}
}

static void enc_three(struct buf *b, const struct program_expr v[3])
{
	enc_array(b, 3);
	for (int i = 0; i < 3; i++)
		program_expr_encode(b, &v[i]);
}

static void dec_three(struct dec *d, struct arena *a, struct program_expr v[3])
{
	dec_array_exact(d, 3);
	for (int i = 0; i < 3; i++)
		v[i] = program_expr_decode(d, a);
}

static const uint8_t step_fields[] = {6, 6, 5, 3};

static void enc_step(struct buf *b, const struct program_step *v)
{
	enc_array(b, step_fields[v->kind]);
	enc_uint(b, v->kind);
	switch (v->kind) {
	case PROGRAM_STEP_LAUNCH:
		enc_uint(b, v->part_index);
		enc_three(b, v->grid);
		enc_three(b, v->block);
		program_expr_encode(b, &v->shared_bytes);
		enc_array(b, v->arg_count);
		for (uint32_t i = 0; i < v->arg_count; i++)
			enc_arg(b, &v->args[i]);
		break;
	case PROGRAM_STEP_COPY:
		enc_uint(b, v->from_index);
		enc_uint(b, v->to_index);
		program_expr_encode(b, &v->from_offset);
		program_expr_encode(b, &v->to_offset);
		program_expr_encode(b, &v->bytes);
		break;
	case PROGRAM_STEP_FILL:
		enc_uint(b, v->to_index);
		program_expr_encode(b, &v->to_offset);
		program_expr_encode(b, &v->bytes);
		program_expr_encode(b, &v->with);
		break;
	case PROGRAM_STEP_REPEAT:
		enc_uint(b, v->count);
		enc_uint(b, v->body_count);
		break;
	}
}

static void dec_launch(struct dec *d, struct arena *a, struct program_step *v)
{
	v->part_index = dec_u32(d);
	dec_three(d, a, v->grid);
	dec_three(d, a, v->block);
	v->shared_bytes = program_expr_decode(d, a);
	v->arg_count = dec_count(d, PROGRAM_ARGS_MAX);
	v->args = room(d, a, v->arg_count, sizeof(*v->args));
	for (uint32_t i = 0; i < v->arg_count && !d->err; i++)
		dec_arg(d, a, &v->args[i]);
}

static void dec_step(struct dec *d, struct arena *a, struct program_step *v)
{
	uint32_t count = dec_array(d, 6);

	v->kind = (enum program_step_kind)dec_uint(d, PROGRAM_STEP_REPEAT);
	if (!d->err && count != step_fields[v->kind])
		dec_fail(d, ERR_MALFORMED);
	switch (v->kind) {
	case PROGRAM_STEP_LAUNCH:
		dec_launch(d, a, v);
		break;
	case PROGRAM_STEP_COPY:
		v->from_index = dec_u32(d);
		v->to_index = dec_u32(d);
		v->from_offset = program_expr_decode(d, a);
		v->to_offset = program_expr_decode(d, a);
		v->bytes = program_expr_decode(d, a);
		break;
	case PROGRAM_STEP_FILL:
		v->to_index = dec_u32(d);
		v->to_offset = program_expr_decode(d, a);
		v->bytes = program_expr_decode(d, a);
		v->with = program_expr_decode(d, a);
		break;
	case PROGRAM_STEP_REPEAT:
		v->count = dec_uint(d, PROGRAM_LAUNCHES_MAX);
		v->body_count = dec_u32(d);
		break;
	}
}

void program_encode(struct buf *out, const struct program *p)
{
	enc_array(out, 3);
	enc_preamble(out, p);
	enc_array(out, p->part_count);
	for (uint32_t i = 0; i < p->part_count; i++)
		enc_part(out, &p->parts[i]);
	enc_array(out, p->step_count);
	for (uint32_t i = 0; i < p->step_count; i++)
		enc_step(out, &p->steps[i]);
}

uint32_t program_item_count(const struct program *p)
{
	return 1 + p->part_count + p->step_count;
}

void program_item_encode(struct buf *out, const struct program *p,
			 uint32_t item_index)
{
	if (item_index == 0)
		enc_preamble(out, p);
	else if (item_index <= p->part_count)
		enc_part(out, &p->parts[item_index - 1]);
	else
		enc_step(out, &p->steps[item_index - 1 - p->part_count]);
}

static enum err preamble_decode(struct arena *a, struct bytes in,
				struct program *p)
{
	struct dec d = dec_make(in);

	dec_preamble(&d, a, p);
	return dec_end(&d);
}

static enum err steps_decode(struct arena *a, const struct bytes *steps,
			     uint32_t step_count, struct program *p)
{
	size_t bytes = 0;

	if (step_count == 0 || step_count > PROGRAM_STEPS_MAX)
		return ERR_LIMIT;
	for (uint32_t i = 0; i < step_count; i++) {
		if (steps[i].n > PROGRAM_STEP_BYTES_MAX - bytes)
			return ERR_LIMIT;
		bytes += steps[i].n;
	}
	p->steps = ARENA_ARRAY(a, step_count, struct program_step);
	if (!p->steps)
		return ERR_NO_MEMORY;
	p->step_count = step_count;
	for (uint32_t i = 0; i < step_count; i++) {
		struct dec d = dec_make(steps[i]);
		enum err err;

		dec_step(&d, a, &p->steps[i]);
		err = dec_end(&d);
		if (err)
			return err;
	}
	return ERR_OK;
}

enum err program_items_decode(struct arena *a, struct bytes preamble,
			      uint32_t part_index, const struct bytes *parts,
			      uint32_t part_count, const struct bytes *steps,
			      uint32_t step_count, struct program *ret_program)
{
	struct program p = {0};
	uint32_t first = part_index == PROGRAM_PART_ALL ? 0 : part_index;
	uint32_t want;
	enum err err = preamble_decode(a, preamble, &p);

	if (err)
		return err;
	want = part_index == PROGRAM_PART_ALL	 ? p.part_count
	       : part_index == PROGRAM_PART_NONE ? 0
						 : 1;
	if (part_count != want || (want && first >= p.part_count))
		return ERR_MALFORMED;
	for (uint32_t i = 0; i < part_count; i++) {
		struct dec d = dec_make(parts[i]);

		dec_part(&d, a, &p.parts[first + i]);
		err = dec_end(&d);
		if (err)
			return err;
	}
	err = steps_decode(a, steps, step_count, &p);
	if (!err)
		err = program_check_form(&p);
	if (!err)
		*ret_program = p;
	return err;
}

enum err program_list_decode(struct arena *a, const struct bytes *items,
			     uint32_t item_count, struct program *ret_program)
{
	struct program p = {0};
	uint32_t parts;
	enum err err;

	if (item_count == 0)
		return ERR_MALFORMED;
	err = preamble_decode(a, items[0], &p);
	if (err)
		return err;
	parts = p.part_count;
	if (item_count - 1 < parts)
		return ERR_MALFORMED;
	err = program_items_decode(a, items[0], PROGRAM_PART_ALL, items + 1,
				   parts, items + 1 + parts,
				   item_count - 1 - parts, &p);
	if (!err)
		err = program_check(&p);
	if (!err)
		*ret_program = p;
	return err;
}

enum err program_decode(struct arena *a, struct bytes in,
			struct program *ret_program)
{
	struct dec d = dec_make(in);
	struct program p = {0};
	struct bytes *items;
	uint32_t n = 1;
	uint32_t parts;
	enum err err;

	if (in.n > PROGRAM_BYTES_MAX)
		return ERR_LIMIT;
	items = ARENA_ARRAY(a, 1 + PROGRAM_KERNELS_MAX + PROGRAM_STEPS_MAX,
			    struct bytes);
	if (!items)
		return ERR_NO_MEMORY;
	dec_array_exact(&d, 3);
	items[0] = dec_raw(&d);
	parts = dec_array(&d, PROGRAM_KERNELS_MAX);
	for (uint32_t left = parts; left; left--)
		items[n++] = dec_raw(&d);
	for (uint32_t left = dec_array(&d, PROGRAM_STEPS_MAX); left; left--)
		items[n++] = dec_raw(&d);
	if (dec_end(&d))
		return dec_end(&d);
	err = program_list_decode(a, items, n, &p);
	if (!err && p.part_count != parts)
		err = ERR_MALFORMED;
	if (!err)
		*ret_program = p;
	return err;
}
