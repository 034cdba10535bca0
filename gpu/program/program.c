/*
 * What follows from a program's tables without evaluating anything: object
 * numbers, access of steps, types.
 */
#include "gpu/program/program.h"

#include <string.h>

#include "base/arena.h"
#include "base/merkle.h"
#include "base/must.h"
#include "gpu/program/sample.h"

static const struct {
	uint32_t bytes;
	bool is_signed;
} types[] = {
#define X(name, number, bytes, is_signed) [number] = {bytes, is_signed},
	PROGRAM_TYPE_LIST(X)
#undef X
};

uint32_t program_type_bytes(enum program_type t)
{
	return types[t].bytes;
}

bool program_type_signed(enum program_type t)
{
	return types[t].is_signed;
}

uint32_t program_object_count(const struct program *p)
{
	uint32_t n = p->buffer_count;

	for (uint32_t i = 0; i < p->symbol_count; i++)
		n += p->symbols[i].written;
	return n;
}

uint32_t program_symbol_object(const struct program *p, uint32_t symbol_index)
{
	uint32_t n = p->buffer_count;

	if (!p->symbols[symbol_index].written)
		return UINT32_MAX;
	for (uint32_t i = 0; i < symbol_index; i++)
		n += p->symbols[i].written;
	return n;
}

uint32_t program_object_symbol(const struct program *p, uint32_t object_index)
{
	uint32_t n = p->buffer_count;

	for (uint32_t i = 0; i < p->symbol_count; i++) {
		if (!p->symbols[i].written)
			continue;
		if (n == object_index)
			return i;
		n++;
	}
	must(false); /* an object_index outside the program */
	return UINT32_MAX;
}

uint64_t program_object_bytes(const struct program *p, uint32_t object_index)
{
	if (object_index < p->buffer_count)
		return p->buffers[object_index].bytes;
	return p->symbols[program_object_symbol(p, object_index)].bytes;
}

uint32_t program_input_count(const struct program *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->buffer_count; i++)
		n += p->buffers[i].init == PROGRAM_INIT_INPUT;
	return n;
}

uint32_t program_output_count(const struct program *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->buffer_count; i++)
		n += p->buffers[i].save;
	return n;
}

static void launch_access(const struct program *p, const struct program_step *s,
			  uint8_t *access)
{
	const struct program_part *part = &p->parts[s->part_index];
	uint32_t count = program_object_count(p);

	for (uint32_t i = 0; i < s->arg_count && i < part->param_count; i++) {
		const struct program_arg *arg = &s->args[i];
		uint8_t flags = (uint8_t)part->params[i].access;

		if (arg->kind == PROGRAM_ARG_BUFFER)
			access[arg->buffer_index] |= flags;
		for (uint32_t j = 0; j < arg->address_count; j++)
			access[arg->addresses[j].buffer_index] |= flags;
	}
	for (uint32_t i = 0; i < part->symbol_count; i++) {
		uint32_t object =
			program_symbol_object(p, part->symbols[i].symbol_index);

		if (object != UINT32_MAX)
			access[object] |= (uint8_t)part->symbols[i].access;
	}
	for (uint32_t i = 0; part->reads_all && i < count; i++)
		access[i] |= PROGRAM_READ;
}

void program_step_access(const struct program *p, uint32_t step_index,
			 uint8_t *access)
{
	const struct program_step *s = &p->steps[step_index];

	memset(access, 0, program_object_count(p));
	switch (s->kind) {
	case PROGRAM_STEP_LAUNCH:
		launch_access(p, s, access);
		break;
	case PROGRAM_STEP_COPY:
		access[s->from_index] |= PROGRAM_READ;
		access[s->to_index] |= PROGRAM_WRITE;
		break;
	case PROGRAM_STEP_FILL:
		access[s->to_index] |= PROGRAM_WRITE;
		break;
	case PROGRAM_STEP_REPEAT:
		break;
	}
}

void program_step_written(const struct program *p, uint32_t step_index,
			  uint64_t *ret_bytes, uint64_t *ret_chunks)
{
	uint8_t access[PROGRAM_OBJECTS_MAX];
	uint32_t count = program_object_count(p);

	program_step_access(p, step_index, access);
	*ret_bytes = 0;
	*ret_chunks = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t bytes = program_object_bytes(p, i);

		if (!(access[i] & PROGRAM_WRITE))
			continue;
		*ret_bytes += bytes;
		*ret_chunks += bytes / PROGRAM_CHUNK_BYTES +
			       (bytes % PROGRAM_CHUNK_BYTES != 0);
	}
}

enum err program_id(struct arena *scratch, const struct program *p,
		    struct hash *ret_id)
{
	uint32_t count = program_item_count(p);
	struct hash *items = ARENA_ARRAY(scratch, count, struct hash);
	struct buf b = buf_make(PROGRAM_BYTES_MAX);
	enum err err;

	if (!items)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < count && !b.err; i++) {
		buf_reset(&b);
		program_item_encode(&b, p, i);
		items[i] = merkle_item(b.p, b.n);
	}
	err = b.err;
	buf_free(&b);
	if (!err)
		*ret_id = merkle_list_root(items, count);
	return err;
}
