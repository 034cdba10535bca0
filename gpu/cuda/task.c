/*
 * Every part is a module of its own, so a module variable has a copy in each.
 * The object's memory is the truth: it is copied into the part's variable
 * before a launch and back behind it if the part may write it.
 */
#include "gpu/cuda/task.h"

#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "gpu/program/task.h"

static enum err begin_buffer(struct cuda_task *t, uint32_t index,
			     const struct bytes *input, struct cuda_diag *diag)
{
	const struct program_buffer *b = &t->p->buffers[index];
	enum err e;

	if (input && input->n != b->bytes) {
		*diag = (struct cuda_diag){.text = "an input's size is not "
						   "its buffer's"};
		return ERR_MALFORMED;
	}
	e = cuda_alloc(t->card, b->bytes, &t->objects[index], diag);
	if (e)
		return e;
	if (input)
		return cuda_put(t->card, t->objects[index], input->p, input->n,
				diag);
	return cuda_fill(t->card, t->objects[index], b->fill, b->bytes, diag);
}

static enum err begin_symbol(struct cuda_task *t, uint32_t object,
			     struct cuda_diag *diag)
{
	const struct program_symbol *s =
		&t->p->symbols[program_object_symbol(t->p, object)];
	enum err e = cuda_alloc(t->card, s->bytes, &t->objects[object], diag);

	if (!e)
		e = cuda_fill(t->card, t->objects[object], 0, s->bytes, diag);
	if (!e)
		e = cuda_put(t->card, t->objects[object], s->data.p, s->data.n,
			     diag);
	return e;
}

enum err cuda_task_begin(struct cuda_task *t, struct cuda_card *card,
			 struct arena *arena, const struct program *p,
			 const struct program_task *task,
			 const struct bytes *inputs, uint32_t input_count,
			 struct cuda_diag *reterr_diag)
{
	uint32_t count = program_object_count(p), used = 0;
	enum err e = ERR_OK;

	*t = (struct cuda_task){
		.card = card, .arena = arena, .p = p, .task = task};
	t->objects = ARENA_ARRAY(arena, count + 1, uint64_t);
	t->modules =
		ARENA_ARRAY(arena, p->part_count + 1, struct cuda_module *);
	if (!t->objects || !t->modules)
		return ERR_NO_MEMORY;
	memset(t->objects, 0, (count + 1) * sizeof(*t->objects));
	memset(t->modules, 0, (p->part_count + 1) * sizeof(*t->modules));
	if (input_count != program_input_count(p)) {
		*reterr_diag = (struct cuda_diag){
			.text = "not as many inputs as the program has"};
		return ERR_MALFORMED;
	}
	for (uint32_t i = 0; i < p->buffer_count && !e; i++) {
		bool is_input = p->buffers[i].init == PROGRAM_INIT_INPUT;

		e = begin_buffer(t, i, is_input ? &inputs[used] : NULL,
				 reterr_diag);
		used += is_input;
	}
	for (uint32_t i = p->buffer_count; i < count && !e; i++)
		e = begin_symbol(t, i, reterr_diag);
	return e;
}

/* Where variable number symbol of the program lies in a part's module. */
static enum err locate(struct cuda_task *t, uint32_t part, uint32_t symbol,
		       uint64_t *ret_address, struct cuda_diag *diag)
{
	const struct program_symbol *s = &t->p->symbols[symbol];
	uint64_t bytes = 0;
	enum err e = cuda_module_symbol(t->card, t->modules[part], s->name,
					ret_address, &bytes, diag);

	if (e || bytes == s->bytes)
		return e;
	*diag = (struct cuda_diag){
		.reason = REASON_driver_fault,
		.text = "the driver gives a module variable another size"};
	return ERR_CUDA;
}

/* Constants to which the manifest gave bytes get them once. */
static enum err put_constants(struct cuda_task *t, uint32_t part,
			      struct cuda_diag *diag)
{
	const struct program_part *pp = &t->p->parts[part];
	enum err e = ERR_OK;

	for (uint32_t i = 0; i < pp->symbol_count && !e; i++) {
		uint32_t symbol = pp->symbols[i].symbol_index;
		const struct program_symbol *s = &t->p->symbols[symbol];
		uint64_t at = 0;

		if (s->written)
			continue;
		e = locate(t, part, symbol, &at, diag);
		if (!e)
			e = cuda_fill(t->card, at, 0, s->bytes, diag);
		if (!e)
			e = cuda_put(t->card, at, s->data.p, s->data.n, diag);
	}
	return e;
}

static enum err load_part(struct cuda_task *t, uint32_t part,
			  struct cuda_diag *diag)
{
	const struct program_part *pp = &t->p->parts[part];
	enum err e;

	if (t->modules[part])
		return ERR_OK;
	e = cuda_module_load(t->card, pp->text, pp->needs.threads,
			     &t->modules[part], diag);
	return e ? e : put_constants(t, part, diag);
}

/* Objects into the part's variables, or what it wrote back. */
static enum err move_symbols(struct cuda_task *t, uint32_t part, bool back,
			     struct cuda_diag *diag)
{
	const struct program_part *pp = &t->p->parts[part];
	enum err e = ERR_OK;

	for (uint32_t i = 0; i < pp->symbol_count && !e; i++) {
		const struct program_symbol_use *use = &pp->symbols[i];
		uint32_t object =
			program_symbol_object(t->p, use->symbol_index);
		uint64_t at = 0, bytes;

		if (object == UINT32_MAX)
			continue;
		if (back && !(use->access & PROGRAM_WRITE))
			continue;
		bytes = program_object_bytes(t->p, object);
		e = locate(t, part, use->symbol_index, &at, diag);
		if (e)
			break;
		e = back ? cuda_copy(t->card, t->objects[object], at, bytes,
				     diag)
			 : cuda_copy(t->card, at, t->objects[object], bytes,
				     diag);
	}
	return e;
}

static enum err step_launch(struct cuda_task *t,
			    const struct program_launch *step,
			    struct cuda_diag *diag)
{
	const struct program_part *pp = &t->p->parts[step->part_index];
	struct cuda_launch l = {
		.kernel = pp->entry,
		.shared_bytes = step->shared_bytes,
		.stack_bytes = pp->stack_bytes,
	};
	struct program_params params;
	enum err e =
		program_launch_params(t->arena, t->p, step, t->task, &params);

	if (e)
		return e;
	for (uint32_t i = 0; i < params.reloc_count; i++) {
		const struct program_reloc *r = &params.relocs[i];

		put_u64_le(params.bytes + r->at_bytes,
			   t->objects[r->buffer_index] + r->offset);
	}
	l.params = bytes_of(params.bytes, params.byte_count);
	memcpy(l.grid, step->grid, sizeof(l.grid));
	memcpy(l.block, step->block, sizeof(l.block));
	e = load_part(t, step->part_index, diag);
	if (!e)
		e = move_symbols(t, step->part_index, false, diag);
	if (!e)
		e = cuda_launch(t->card, t->modules[step->part_index], &l,
				diag);
	return e ? e : move_symbols(t, step->part_index, true, diag);
}

enum err cuda_task_step(struct cuda_task *t, const struct program_launch *step,
			struct cuda_diag *reterr_diag)
{
	switch (step->kind) {
	case PROGRAM_STEP_LAUNCH:
		return step_launch(t, step, reterr_diag);
	case PROGRAM_STEP_COPY:
		/* The two ranges do not overlap: the program was checked. */
		return cuda_copy(
			t->card, t->objects[step->to_index] + step->to_offset,
			t->objects[step->from_index] + step->from_offset,
			step->bytes, reterr_diag);
	case PROGRAM_STEP_FILL:
		return cuda_fill(t->card,
				 t->objects[step->to_index] + step->to_offset,
				 step->with, step->bytes, reterr_diag);
	case PROGRAM_STEP_REPEAT:
		break;
	}
	return ERR_REFUSED;
}

enum err cuda_task_get(struct cuda_task *t, uint32_t object_index,
		       uint64_t offset, uint64_t bytes, void *to,
		       struct cuda_diag *reterr_diag)
{
	if (object_index >= program_object_count(t->p) ||
	    offset > program_object_bytes(t->p, object_index) ||
	    bytes > program_object_bytes(t->p, object_index) - offset)
		return ERR_REFUSED;
	return cuda_get(t->card, to, t->objects[object_index] + offset, bytes,
			reterr_diag);
}

void cuda_task_end(struct cuda_task *t)
{
	if (!t->objects || !t->modules)
		return;
	for (uint32_t i = 0; i < program_object_count(t->p); i++)
		cuda_free(t->card, t->objects[i]);
	for (uint32_t i = 0; i < t->p->part_count; i++)
		cuda_module_free(t->card, t->modules[i]);
}
