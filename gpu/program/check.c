/*
 * The rules of a program, in two halves: the form, in O(steps), and the
 * values of all expressions over all turns of the loops.  A step whose
 * expressions name no loop is evaluated once.
 */
#include <string.h>

#include "gpu/program/priv/walk.h"
#include "gpu/program/program.h"

static enum err check_buffers(const struct program *p)
{
	uint64_t sum = 0;
	uint64_t data = 0;

	if (p->buffer_count > PROGRAM_BUFFERS_MAX ||
	    p->symbol_count > PROGRAM_SYMBOLS_MAX)
		return ERR_LIMIT;
	for (uint32_t i = 0; i < p->buffer_count; i++) {
		const struct program_buffer *b = &p->buffers[i];

		if (b->bytes == 0 ||
		    (b->init == PROGRAM_INIT_INPUT && b->fill != 0))
			return ERR_MALFORMED;
		if (b->bytes > TASK_BUFFER_BYTES_MAX - sum)
			return ERR_LIMIT;
		sum += b->bytes;
	}
	for (uint32_t i = 0; i < p->symbol_count; i++) {
		const struct program_symbol *s = &p->symbols[i];

		if (s->bytes == 0 || s->data.n > s->bytes || s->name.n == 0)
			return ERR_MALFORMED;
		if (i && bytes_cmp(p->symbols[i - 1].name, s->name) >= 0)
			return ERR_MALFORMED;
		if (s->bytes > TASK_BUFFER_BYTES_MAX - sum)
			return ERR_LIMIT;
		sum += s->bytes;
		if (s->data.n > 0 && s->bytes > PROGRAM_DATA_BYTES_MAX - data)
			return ERR_LIMIT;
		data += s->data.n > 0 ? s->bytes : 0;
	}
	return ERR_OK;
}

static enum err check_part(const struct program *p,
			   const struct program_part *part)
{
	uint32_t end = 0;

	for (uint32_t i = 0; i < part->param_count; i++) {
		const struct program_param *q = &part->params[i];

		if (q->bytes == 0 || q->offset_bytes < end ||
		    q->access > (PROGRAM_READ | PROGRAM_WRITE))
			return ERR_MALFORMED;
		if (q->bytes > PROGRAM_PARAM_BYTES_MAX ||
		    q->offset_bytes > PROGRAM_PARAM_BYTES_MAX - q->bytes)
			return ERR_LIMIT;
		end = q->offset_bytes + q->bytes;
	}
	for (uint32_t i = 0; i < part->symbol_count; i++) {
		const struct program_symbol_use *u = &part->symbols[i];

		if (u->symbol_index >= p->symbol_count ||
		    (i && part->symbols[i - 1].symbol_index >= u->symbol_index))
			return ERR_MALFORMED;
		if (u->access > (PROGRAM_READ | PROGRAM_WRITE) ||
		    ((u->access & PROGRAM_WRITE) &&
		     !p->symbols[u->symbol_index].written))
			return ERR_MALFORMED;
	}
	return ERR_OK;
}

static enum err check_bytes_arg(const struct program *p,
				const struct program_arg *arg, uint32_t depth)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < arg->address_count; i++) {
		const struct program_address *ad = &arg->addresses[i];

		if (ad->at_bytes < end ||
		    (uint64_t)ad->at_bytes + 8 > arg->data.n ||
		    ad->buffer_index >= p->buffer_count)
			return ERR_MALFORMED;
		end = (uint64_t)ad->at_bytes + 8;
		if (program_expr_check(&ad->offset, depth, p->column_count))
			return ERR_MALFORMED;
		for (uint32_t j = 0; j < 8; j++)
			if (arg->data.p[ad->at_bytes + j] != 0)
				return ERR_MALFORMED;
	}
	return ERR_OK;
}

/* bytes: of the parameter; 0 if the part is not carried. */
static enum err check_arg(const struct program *p,
			  const struct program_arg *arg, uint32_t bytes,
			  uint32_t depth)
{
	uint64_t have = 8;

	switch (arg->kind) {
	case PROGRAM_ARG_BUFFER:
		if (arg->buffer_index >= p->buffer_count ||
		    program_expr_check(&arg->value, depth, p->column_count))
			return ERR_MALFORMED;
		break;
	case PROGRAM_ARG_NULL:
		break;
	case PROGRAM_ARG_VALUE:
		if (program_expr_check(&arg->value, depth, p->column_count))
			return ERR_MALFORMED;
		have = program_type_bytes(arg->type);
		break;
	case PROGRAM_ARG_BYTES:
		if (check_bytes_arg(p, arg, depth))
			return ERR_MALFORMED;
		have = arg->data.n;
		break;
	case PROGRAM_ARG_LENGTH:
		if (arg->buffer_index >= p->buffer_count ||
		    p->buffers[arg->buffer_index].init != PROGRAM_INIT_INPUT)
			return ERR_MALFORMED;
		have = program_type_bytes(arg->type);
		break;
	}
	return bytes == 0 || have == bytes ? ERR_OK : ERR_MALFORMED;
}

/* May use loops, not the task. */
static bool shape_ok(const struct program_expr *e, uint32_t depth)
{
	return !program_expr_check(e, depth, 0) && !program_expr_uses_task(e);
}

static enum err check_launch(const struct program *p,
			     const struct program_step *s, uint32_t depth)
{
	const struct program_part *part;
	bool carried;

	if (s->part_index >= p->part_count || s->arg_count > PROGRAM_ARGS_MAX)
		return ERR_MALFORMED;
	part = &p->parts[s->part_index];
	carried = part->text.n > 0;
	if (carried && s->arg_count != part->param_count)
		return ERR_MALFORMED;
	for (int i = 0; i < 3; i++)
		if (!shape_ok(&s->grid[i], depth) ||
		    !shape_ok(&s->block[i], depth))
			return ERR_MALFORMED;
	if (!shape_ok(&s->shared_bytes, depth))
		return ERR_MALFORMED;
	for (uint32_t i = 0; i < s->arg_count; i++) {
		uint32_t bytes = carried ? part->params[i].bytes : 0;

		if (check_arg(p, &s->args[i], bytes, depth))
			return ERR_MALFORMED;
	}
	return ERR_OK;
}

static enum err check_step(const struct program *p,
			   const struct program_step *s, uint32_t depth)
{
	bool ok = true;

	switch (s->kind) {
	case PROGRAM_STEP_LAUNCH:
		return check_launch(p, s, depth);
	case PROGRAM_STEP_COPY:
		ok = s->from_index < p->buffer_count &&
		     s->to_index < p->buffer_count &&
		     shape_ok(&s->from_offset, depth) &&
		     shape_ok(&s->to_offset, depth) &&
		     shape_ok(&s->bytes, depth);
		break;
	case PROGRAM_STEP_FILL:
		ok = s->to_index < p->buffer_count &&
		     shape_ok(&s->to_offset, depth) &&
		     shape_ok(&s->bytes, depth) && shape_ok(&s->with, depth);
		break;
	case PROGRAM_STEP_REPEAT:
		ok = s->count > 0 && s->body_count > 0 &&
		     depth < PROGRAM_REPEAT_DEPTH;
		break;
	}
	return ok ? ERR_OK : ERR_MALFORMED;
}

/* The expressions that shape a step: everything but its arguments. */
#define SHAPE_COUNT 11u

static void shape_of(const struct program_step *s,
		     const struct program_expr *ret[SHAPE_COUNT])
{
	for (int i = 0; i < 3; i++) {
		ret[i] = &s->grid[i];
		ret[3 + i] = &s->block[i];
	}
	ret[6] = &s->shared_bytes;
	ret[7] = &s->from_offset;
	ret[8] = &s->to_offset;
	ret[9] = &s->bytes;
	ret[10] = &s->with;
}

static bool step_uses_repeat(const struct program_step *s)
{
	const struct program_expr *e[SHAPE_COUNT];

	shape_of(s, e);
	for (uint32_t i = 0; i < SHAPE_COUNT; i++)
		if (program_expr_uses_repeat(e[i]))
			return true;
	return false;
}

/* Integers of code to evaluate a step once. */
static uint64_t step_code(const struct program_step *s)
{
	const struct program_expr *e[SHAPE_COUNT];
	uint64_t n = 0;

	shape_of(s, e);
	for (uint32_t i = 0; i < SHAPE_COUNT; i++)
		n += e[i]->code_count;
	return n;
}

static enum err check_steps(const struct program *p)
{
	uint32_t end[PROGRAM_REPEAT_DEPTH + 1] = {p->step_count};
	uint64_t times[PROGRAM_REPEAT_DEPTH + 1] = {1};
	uint32_t depth = 0;
	uint64_t launches = 0;
	uint64_t code = 0;

	for (uint32_t i = 0; i < p->step_count; i++) {
		const struct program_step *s = &p->steps[i];
		enum err err;

		while (i == end[depth])
			depth--;
		err = check_step(p, s, depth);
		if (err)
			return err;
		if (s->kind != PROGRAM_STEP_REPEAT) {
			launches += times[depth];
			if (step_uses_repeat(s))
				code += times[depth] * step_code(s);
		} else {
			if (s->body_count > end[depth] - i - 1)
				return ERR_MALFORMED;
			if (s->count > PROGRAM_LAUNCHES_MAX / times[depth])
				return ERR_LIMIT;
			end[depth + 1] = i + 1 + s->body_count;
			times[depth + 1] = times[depth] * s->count;
			depth++;
		}
		if (launches > PROGRAM_LAUNCHES_MAX || code > PROGRAM_EVAL_MAX)
			return ERR_LIMIT;
	}
	return ERR_OK;
}

enum err program_check_form(const struct program *p)
{
	enum err err = check_buffers(p);

	if (err)
		return err;
	if (p->part_count > PROGRAM_KERNELS_MAX || p->step_count == 0 ||
	    p->step_count > PROGRAM_STEPS_MAX ||
	    p->column_count > PROGRAM_COLUMNS_MAX)
		return ERR_LIMIT;
	for (uint32_t i = 0; i < p->part_count; i++) {
		if (p->parts[i].entry.n == 0)
			return ERR_MALFORMED;
		err = p->parts[i].text.n ? check_part(p, &p->parts[i]) : ERR_OK;
		if (err)
			return err;
	}
	return check_steps(p);
}

bool program_step_fixed(const struct program *p, uint32_t step_index)
{
	return !step_uses_repeat(&p->steps[step_index]);
}

enum err program_check(const struct program *p)
{
	enum err err = program_check_form(p);
	uint64_t ctas = 0;

	for (uint32_t i = 0; i < p->part_count && !err; i++)
		if (p->parts[i].text.n == 0)
			err = ERR_MALFORMED;
	for (uint32_t i = 0; i < p->step_count && !err; i++) {
		uint64_t sum = 0;

		if (p->steps[i].kind == PROGRAM_STEP_REPEAT)
			continue;
		err = program_step_ctas(p, i, &sum);
		if (!err && sum > PROGRAM_CTAS_MAX - ctas)
			err = ERR_LIMIT;
		ctas += sum;
	}
	return err == ERR_REFUSED || err == ERR_OVERFLOW ? ERR_MALFORMED : err;
}
