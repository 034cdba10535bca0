/*
 * Arguments against parameters.  PTX keeps sizes and, for scalars, whether a
 * parameter is a float; it keeps no names, so that messages count from 1.
 */
#include <stdio.h>
#include <string.h>

#include "gpu/build/priv/make.h"

/* "u32 (4 bytes)", "a struct of 12 bytes", "a pointer (8 bytes)". */
static void param_text(const struct ptx_param *q, char out[64])
{
	const struct ptx_type_info *t = &ptx_types[q->type];

	if (q->pointee_align > 0)
		snprintf(out, 64, "a pointer (8 bytes)");
	else if (t->bits / 8u == q->bytes)
		snprintf(out, 64, "%s (%u bytes)", t->text, (unsigned)q->bytes);
	else
		snprintf(out, 64, "a struct of %u bytes", (unsigned)q->bytes);
}

static uint32_t arg_bytes(const struct manifest_arg *arg,
			  const struct ptx_param *q)
{
	switch (arg->kind) {
	case MANIFEST_ARG_BUFFER:
	case MANIFEST_ARG_NULL:
		return 8;
	case MANIFEST_ARG_LENGTH:
		return q->bytes == 4 ? 4 : 8;
	case MANIFEST_ARG_BYTES:
		return (uint32_t)arg->data.n;
	case MANIFEST_ARG_VALUE:
		break;
	}
	return program_type_bytes(arg->type);
}

/* Is the parameter's type one that this argument may not have? */
static bool kind_differs(const struct manifest_arg *arg,
			 const struct ptx_param *q)
{
	const struct ptx_type_info *t = &ptx_types[q->type];
	bool scalar = t->bits / 8u == q->bytes;

	if (!scalar || arg->kind == MANIFEST_ARG_BYTES)
		return false;
	if (t->kind == PTX_KIND_F)
		return arg->kind != MANIFEST_ARG_VALUE || !arg->is_float;
	if (t->kind == PTX_KIND_U || t->kind == PTX_KIND_S)
		return arg->kind == MANIFEST_ARG_VALUE && arg->is_float;
	return false;
}

static enum err check_one(struct make *k, const struct manifest_arg *arg,
			  uint32_t number, const struct ptx_param *q)
{
	uint32_t bytes = arg_bytes(arg, q);
	char want[64];

	if (bytes == q->bytes && !kind_differs(arg, q))
		return ERR_OK;
	param_text(q, want);
	return make_fail(k, arg->at,
			 "argument %u is %s (%u bytes), the kernel's parameter "
			 "%u is %s",
			 (unsigned)number, arg->key, (unsigned)bytes,
			 (unsigned)number, want);
}

/* The bytes of a struct; addresses are put in later, over zeroes. */
static enum err bytes_arg(struct make *k, const struct manifest_arg *arg,
			  struct program_arg *out)
{
	struct program_address *ad =
		ARENA_ARRAY(k->a, arg->at_count + 1, struct program_address);
	uint8_t *data = ARENA_ARRAY(k->a, arg->data.n + 1, uint8_t);

	if (!ad || !data)
		return make_no_memory(k);
	if (arg->data.n > 0)
		memcpy(data, arg->data.p, arg->data.n);
	for (uint32_t i = 0; i < arg->at_count; i++) {
		ad[i].at_bytes = arg->ats[i].byte;
		ad[i].buffer_index = arg->ats[i].buffer;
		ad[i].offset = arg->ats[i].offset.expr;
		memset(data + arg->ats[i].byte, 0, 8);
	}
	out->kind = PROGRAM_ARG_BYTES;
	out->data = bytes_of(data, arg->data.n);
	out->addresses = ad;
	out->address_count = arg->at_count;
	return ERR_OK;
}

static enum err convert(struct make *k, const struct manifest_arg *arg,
			const struct ptx_param *q, struct program_arg *out)
{
	switch (arg->kind) {
	case MANIFEST_ARG_BUFFER:
		out->kind = PROGRAM_ARG_BUFFER;
		out->buffer_index = arg->buffer;
		out->value = arg->value.expr;
		return ERR_OK;
	case MANIFEST_ARG_NULL:
		out->kind = PROGRAM_ARG_NULL;
		return ERR_OK;
	case MANIFEST_ARG_LENGTH:
		out->kind = PROGRAM_ARG_LENGTH;
		out->buffer_index = arg->buffer;
		out->type = q->bytes == 4 ? PROGRAM_TYPE_U32 : PROGRAM_TYPE_U64;
		return ERR_OK;
	case MANIFEST_ARG_BYTES:
		return bytes_arg(k, arg, out);
	case MANIFEST_ARG_VALUE:
		out->kind = PROGRAM_ARG_VALUE;
		out->type = arg->type;
		out->value = arg->value.expr;
		return ERR_OK;
	}
	return ERR_OK;
}

enum err make_args(struct make *k, const struct manifest_step *s,
		   const struct ptx_function *f, struct program_step *step)
{
	if (s->arg_count != f->param_count)
		return make_fail(k, s->at,
				 "kernel \"%.*s\" takes %u arguments, %u are "
				 "given",
				 (int)(s->kernel.n < 100 ? s->kernel.n : 100),
				 (const char *)s->kernel.p,
				 (unsigned)f->param_count,
				 (unsigned)s->arg_count);
	step->args = ARENA_ARRAY(k->a, s->arg_count + 1, struct program_arg);
	if (!step->args)
		return make_no_memory(k);
	step->arg_count = s->arg_count;
	for (uint32_t i = 0; i < s->arg_count; i++) {
		enum err err = check_one(k, &s->args[i], i + 1, &f->params[i]);

		if (err == ERR_OK)
			err = convert(k, &s->args[i], &f->params[i],
				      &step->args[i]);
		if (err != ERR_OK)
			return err;
	}
	return ERR_OK;
}

/* Does a scalar of this type hold v? */
static bool type_holds(enum program_type t, int64_t v)
{
	uint32_t bits = 8 * program_type_bytes(t);
	bool is_signed = program_type_signed(t);
	int64_t top;

	if (bits == 64)
		return is_signed || v >= 0;
	top = ((int64_t)1 << (is_signed ? bits - 1 : bits)) - 1;
	return v <= top && v >= (is_signed ? -top - 1 : 0);
}

static enum err value_fail(struct make *k, const struct manifest_arg *arg,
			   uint32_t number, uint64_t task, const char *what)
{
	return make_fail(k, arg->value.at, "argument %u (%s) of task %llu: %s",
			 (unsigned)number, arg->key, (unsigned long long)task,
			 what);
}

static enum err check_offset(struct make *k, const struct manifest_arg *arg,
			     uint32_t number, uint64_t task, uint32_t buffer,
			     const struct program_expr *e,
			     const struct program_env *env)
{
	int64_t v = 0;

	if (program_expr_eval(e, env, &v) != ERR_OK)
		return value_fail(k, arg, number, task,
				  "the offset cannot be computed in 64 bits");
	if (v < 0 || (uint64_t)v > k->m->buffers[buffer].size_bytes)
		return value_fail(k, arg, number, task,
				  "the offset lies outside the buffer");
	return ERR_OK;
}

static enum err check_arg_value(struct make *k, const struct manifest_arg *arg,
				uint32_t number, uint64_t task,
				const struct program_env *env)
{
	int64_t v = 0;
	enum err err = ERR_OK;

	switch (arg->kind) {
	case MANIFEST_ARG_BUFFER:
		return check_offset(k, arg, number, task, arg->buffer,
				    &arg->value.expr, env);
	case MANIFEST_ARG_BYTES:
		for (uint32_t i = 0; i < arg->at_count && err == ERR_OK; i++)
			err = check_offset(k, arg, number, task,
					   arg->ats[i].buffer,
					   &arg->ats[i].offset.expr, env);
		return err;
	case MANIFEST_ARG_VALUE:
		if (program_expr_eval(&arg->value.expr, env, &v) != ERR_OK)
			return value_fail(k, arg, number, task,
					  "the value cannot be computed in 64 "
					  "bits");
		if (!type_holds(arg->type, v))
			return value_fail(k, arg, number, task,
					  "the value is outside its range");
		return ERR_OK;
	case MANIFEST_ARG_NULL:
	case MANIFEST_ARG_LENGTH:
		break;
	}
	return ERR_OK;
}

/* Does an argument depend on the task, or on the loops? */
static void depends(const struct manifest_step *s, bool *task, bool *loops)
{
	for (uint32_t i = 0; i < s->arg_count; i++) {
		const struct manifest_arg *arg = &s->args[i];

		*task = *task || program_expr_uses_task(&arg->value.expr);
		*loops = *loops || program_expr_uses_repeat(&arg->value.expr);
		for (uint32_t j = 0; j < arg->at_count; j++) {
			const struct program_expr *e = &arg->ats[j].offset.expr;

			*task = *task || program_expr_uses_task(e);
			*loops = *loops || program_expr_uses_repeat(e);
		}
	}
}

/* All columns of one task, into columns. */
static enum err task_columns(struct make *k, uint64_t task, int64_t *columns)
{
	for (uint32_t i = 0; i < k->m->carried_count; i++)
		if (manifest_carried_value(k->m, i, task, &columns[i]) !=
		    ERR_OK)
			return make_fail(k, (struct build_pos){0, 0},
					 "row %llu of the task table: a value "
					 "is outside its type's range",
					 (unsigned long long)task + 1);
	return ERR_OK;
}

/* One launch in one run: for the first and last task, or all of them. */
static enum err check_run(struct make *k, const struct manifest_step *s,
			  const struct program_launch *l, bool all_tasks)
{
	int64_t columns[PROGRAM_COLUMNS_MAX];
	struct program_env env = l->env;
	uint64_t tasks = all_tasks ? k->m->task_count : 1;
	enum err err = ERR_OK;

	env.columns = columns;
	env.column_count = k->m->carried_count;
	for (uint64_t t = 0; t < tasks && err == ERR_OK; t++) {
		env.task_index = (int64_t)t;
		err = task_columns(k, t, columns);
		for (uint32_t i = 0; i < s->arg_count && err == ERR_OK; i++)
			err = check_arg_value(k, &s->args[i], i + 1, t, &env);
	}
	return err;
}

enum err make_check_values(struct make *k)
{
	for (uint32_t i = 0; i < k->p.step_count; i++) {
		uint64_t runs, number;
		bool task = false, loops = false;
		struct program_launch l;

		if (k->p.steps[i].kind != PROGRAM_STEP_LAUNCH)
			continue;
		depends(k->origin[i], &task, &loops);
		runs = program_step_runs(&k->p, i);
		for (uint64_t run = 0;
		     run<runs; run += runs> 1 && run == 0 ? runs - 1 : 1) {
			enum err err;

			if (program_run_number(&k->p, i, run, &number) !=
				    ERR_OK ||
			    program_launch_at(&k->p, number, &l) != ERR_OK)
				return make_fail(k, k->origin[i]->at,
						 "this step's sizes are "
						 "outside their limits");
			err = check_run(k, k->origin[i], &l, task);
			if (err != ERR_OK)
				return err;
			if (!loops)
				break;
		}
	}
	return ERR_OK;
}
