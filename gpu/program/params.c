/*
 * A launch's parameter space: every argument at its parameter's offset,
 * little endian, addresses left to the executor, which knows where buffers
 * lie.
 */
#include <string.h>

#include "base/arena.h"
#include "base/must.h"
#include "gpu/program/task.h"
#include "gpu/program/walk.h"

struct fill {
	const struct program *p;
	const struct program_task *task;
	struct program_env env;
	struct program_params out;
};

static enum err add_reloc(struct fill *f, uint32_t at_bytes,
			  uint32_t buffer_index,
			  const struct program_expr *offset)
{
	int64_t v = 0;
	enum err err = program_expr_eval(offset, &f->env, &v);

	if (err)
		return err;
	if (v < 0 || (uint64_t)v > f->p->buffers[buffer_index].bytes)
		return ERR_REFUSED;
	f->out.relocs[f->out.reloc_count++] =
		(struct program_reloc){at_bytes, buffer_index, (uint64_t)v};
	return ERR_OK;
}

/* B64 and U64 take all 64 bits; a value of U64 must not be negative. */
static bool type_holds(enum program_type t, int64_t v)
{
	uint32_t bits = 8 * program_type_bytes(t);
	int64_t max;

	if (t == PROGRAM_TYPE_B64 || t == PROGRAM_TYPE_S64)
		return true;
	if (t == PROGRAM_TYPE_U64)
		return v >= 0;
	max = program_type_signed(t) ? ((int64_t)1 << (bits - 1)) - 1
				     : ((int64_t)1 << bits) - 1;
	return v <= max && v >= (program_type_signed(t) ? -max - 1 : 0);
}

static enum err put_value(struct fill *f, uint32_t at, enum program_type t,
			  int64_t v)
{
	uint8_t le[8];

	if (!type_holds(t, v))
		return ERR_REFUSED;
	put_u64_le(le, (uint64_t)v);
	memcpy(f->out.bytes + at, le, program_type_bytes(t));
	return ERR_OK;
}

static uint64_t input_length(const struct fill *f, uint32_t buffer_index)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < buffer_index; i++)
		n += f->p->buffers[i].init == PROGRAM_INIT_INPUT;
	return f->task->inputs[n].length_bytes;
}

static enum err put_arg(struct fill *f, const struct program_arg *arg,
			const struct program_param *param)
{
	uint32_t at = param->offset_bytes;
	int64_t v = 0;
	enum err err = ERR_OK;

	switch (arg->kind) {
	case PROGRAM_ARG_BUFFER:
		return add_reloc(f, at, arg->buffer_index, &arg->value);
	case PROGRAM_ARG_NULL:
		return ERR_OK;
	case PROGRAM_ARG_VALUE:
		err = program_expr_eval(&arg->value, &f->env, &v);
		return err ? err : put_value(f, at, arg->type, v);
	case PROGRAM_ARG_BYTES:
		memcpy(f->out.bytes + at, arg->data.p, arg->data.n);
		for (uint32_t i = 0; i < arg->address_count && !err; i++)
			err = add_reloc(f, at + arg->addresses[i].at_bytes,
					arg->addresses[i].buffer_index,
					&arg->addresses[i].offset);
		return err;
	case PROGRAM_ARG_LENGTH:
		return put_value(f, at, arg->type,
				 (int64_t)input_length(f, arg->buffer_index));
	}
	return ERR_REFUSED;
}

enum err program_launch_params(struct arena *a, const struct program *p,
			       const struct program_launch *l,
			       const struct program_task *task,
			       struct program_params *ret_params)
{
	const struct program_step *s = &p->steps[l->step_index];
	const struct program_part *part = &p->parts[s->part_index];
	struct fill f = {.p = p, .task = task};
	uint32_t relocs = 0;
	enum err err = ERR_OK;

	must(s->kind == PROGRAM_STEP_LAUNCH && part->text.n > 0);
	f.env = program_task_env(&l->env, task);
	for (uint32_t i = 0; i < s->arg_count; i++) {
		const struct program_param *q = &part->params[i];

		f.out.byte_count = q->offset_bytes + q->bytes;
		relocs += (s->args[i].kind == PROGRAM_ARG_BUFFER) +
			  s->args[i].address_count;
	}
	f.out.bytes = ARENA_ARRAY(a, f.out.byte_count + 1, uint8_t);
	f.out.relocs = ARENA_ARRAY(a, relocs + 1, struct program_reloc);
	if (!f.out.bytes || !f.out.relocs)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < s->arg_count && !err; i++)
		err = put_arg(&f, &s->args[i], &part->params[i]);
	if (!err)
		*ret_params = f.out;
	return err;
}
