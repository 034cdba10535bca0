/*
 * Every launch of the manifest is classified with the buffers and values it
 * really has.  Where they depend on a loop or on the task it is classified at
 * both ends of each, and the worse answer counts.
 */
#include <string.h>

#include "gpu/build/priv/make.h"

static const enum program_class classes[] = {
	[PTX_SALE_A] = PROGRAM_CLASS_A, [PTX_SALE_R] = PROGRAM_CLASS_R,
	[PTX_SALE_B] = PROGRAM_CLASS_B, [PTX_SALE_S] = PROGRAM_CLASS_S,
	[PTX_SALE_C] = PROGRAM_CLASS_C, [PTX_SALE_D] = PROGRAM_CLASS_D,
	[PTX_SALE_X] = PROGRAM_CLASS_X,
};

/* The task as the classifier sees it: columns of its row, inputs full. */
static enum err fake_task(struct make *k, uint64_t index,
			  struct program_task *t)
{
	const struct manifest *m = k->m;
	uint32_t n = 0;

	t->index = index;
	t->inputs = ARENA_ARRAY(k->scratch, m->buffer_count + 1,
				struct program_input);
	t->columns = ARENA_ARRAY(k->scratch, m->carried_count + 1, int64_t);
	if (!t->inputs || !t->columns)
		return make_no_memory(k);
	for (uint32_t i = 0; i < m->buffer_count; i++)
		if (m->buffers[i].from.kind != BUILD_SOURCE_NONE)
			t->inputs[n++].length_bytes = m->buffers[i].size_bytes;
	t->input_count = n;
	t->column_count = m->carried_count;
	for (uint32_t i = 0; i < m->carried_count; i++)
		if (manifest_carried_value(m, i, index, &t->columns[i]) !=
		    ERR_OK)
			return make_fail(k, (struct build_pos){0, 0},
					 "a column's value is outside its "
					 "type's range");
	return ERR_OK;
}

/* source file and line where the compiler left them, else the PTX's. */
static void reason_place(const struct ptx_module *m, const struct ptx_reason *r,
			 struct build_reason *out)
{
	if (r->source_line == 0) {
		out->line = r->line;
		return;
	}
	out->line = r->source_line;
	if (r->source_file < m->file_count)
		out->file = m->files[r->source_file];
}

static struct bytes copy_str(struct make *k, const char *s)
{
	return arena_copy(k->a, bytes_str(s));
}

static bool same_reason(const struct build_reason *a,
			const struct build_reason *b)
{
	return a->line == b->line && bytes_eq(a->reason, b->reason) &&
	       bytes_eq(a->opcode, b->opcode) && bytes_eq(a->file, b->file);
}

/* What is special here, and the rewrite that would help. */
static struct bytes hint_of(struct make *k, const struct ptx_reason *r)
{
	const char *hint = ptx_why_hint(r->why), *both;

	if (!r->detail[0] || !hint[0])
		return copy_str(k, r->detail[0] ? r->detail : hint);
	both = arena_printf(k->a, "%s; %s", r->detail, hint);
	return both ? bytes_str(both) : (struct bytes){NULL, 0};
}

static enum err add_reason(struct make *k, struct build_launch *launch,
			   const struct ptx_module *m,
			   const struct ptx_reason *r)
{
	struct build_reason out = {.kernel = launch->kernel};

	reason_place(m, r, &out);
	out.file = arena_copy(k->a, out.file);
	out.opcode = copy_str(k, r->opcode);
	out.reason = copy_str(k, ptx_why_word(r->why));
	out.hint = hint_of(k, r);
	for (uint32_t i = 0; i < launch->reason_count; i++)
		if (same_reason(&k->reasons[launch->first_reason + i], &out))
			return ERR_OK;
	if (launch->reason_count == BUILD_REASONS_MAX)
		return ERR_OK;
	if (k->reason_count == k->reason_room) {
		uint32_t room = k->reason_room * 2 + 64;
		struct build_reason *more =
			ARENA_ARRAY(k->a, room, struct build_reason);

		if (!more)
			return make_no_memory(k);
		if (k->reason_count > 0)
			memcpy(more, k->reasons,
			       k->reason_count * sizeof(*more));
		k->reasons = more;
		k->reason_room = room;
	}
	k->reasons[k->reason_count++] = out;
	launch->reason_count++;
	return ERR_OK;
}

static uint32_t access_of(const struct ptx_footprint *f)
{
	return (f->read || f->atomic ? PROGRAM_READ : 0) |
	       (f->written || f->atomic ? PROGRAM_WRITE : 0);
}

static uint32_t max_u32(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* A part is as bad, and touches as much, as any launch of it. */
static void merge_part(struct make *k, uint32_t index,
		       const struct ptx_report *r, uint32_t threads)
{
	struct make_part *part = &k->parts[index];
	struct program_part *out = &k->p.parts[index];

	if (!part->is_seen || r->sale > part->sale)
		part->sale = r->sale;
	out->class = classes[part->sale];
	if (!part->is_seen || r->independence == PTX_ASSUMED)
		out->independence = r->independence == PTX_PROVED
					    ? PROGRAM_PROVED
					    : PROGRAM_ASSUMED;
	out->by_warp = r->by_warp && (!part->is_seen || out->by_warp);
	out->reads_all = out->reads_all || r->reads_all;
	for (uint32_t i = 0; i < r->footprint_count; i++) {
		const struct ptx_footprint *f = &r->footprint[i];

		if (f->is_variable)
			part->variables[f->index] |= (uint8_t)access_of(f);
		else if (f->index < out->param_count)
			out->params[f->index].access |= access_of(f);
	}
	if (r->needs.needs_stack)
		out->stack_bytes = k->m->stack_bytes;
	out->needs.sm = max_u32(out->needs.sm, r->needs.sm);
	out->needs.shared_bytes =
		max_u32(out->needs.shared_bytes, r->needs.shared_bytes);
	out->needs.threads = max_u32(out->needs.threads, threads);
	out->needs.local_bytes =
		max_u32(out->needs.local_bytes, r->needs.local_bytes);
	if (r->needs.memory_bytes > out->needs.memory_bytes)
		out->needs.memory_bytes = r->needs.memory_bytes;
	part->is_seen = true;
}

/* The letters in ascending order of how bad they are for a sale. */
static uint32_t rank(char letter)
{
	static const char order[] = "ARBSCDX";
	const char *at = strchr(order, letter);

	return at ? (uint32_t)(at - order) : 6;
}

static void merge_launch(struct make *k, struct build_launch *launch,
			 const struct ptx_report *r, bool first)
{
	char letter = ptx_sale_letter(r->sale);

	if (first || rank(letter) > rank(launch->class_name))
		launch->class_name = letter;
	launch->is_proved =
		(first || launch->is_proved) && r->independence == PTX_PROVED;
	if (r->sale > k->sale)
		k->sale = r->sale;
	k->is_proved = k->is_proved && launch->is_proved;
}

/* One launch of one run and task. */
static enum err classify_one(struct make *k, struct build_launch *launch,
			     const struct program_launch *l, uint64_t task,
			     bool first)
{
	const struct make_part *part = &k->parts[l->part_index];
	const struct ptx_module *m = k->modules[part->module];
	struct program_task t = {.index = 0};
	struct program_params params;
	struct ptx_bound *bound;
	struct ptx_launch x = {.shared_bytes = l->shared_bytes,
			       .stack_bytes = k->m->stack_bytes};
	struct ptx_report r;
	enum err err = fake_task(k, task, &t);

	if (err == ERR_OK)
		err = program_launch_params(k->scratch, &k->p, l, &t, &params);
	if (err != ERR_OK)
		return err;
	bound = ARENA_ARRAY(k->scratch, params.reloc_count + 1,
			    struct ptx_bound);
	if (!bound)
		return make_no_memory(k);
	memcpy(x.grid, l->grid, sizeof(x.grid));
	memcpy(x.block, l->block, sizeof(x.block));
	x.params = bytes_of(params.bytes, params.byte_count);
	for (uint32_t i = 0; i < params.reloc_count; i++)
		bound[i] = (struct ptx_bound){params.relocs[i].at_bytes,
					      params.relocs[i].buffer_index,
					      params.relocs[i].offset};
	x.bound = bound;
	x.bound_count = params.reloc_count;
	err = ptx_classify(k->scratch, m, part->kernel, &x, &r);
	if (err != ERR_OK)
		return err == ERR_NO_MEMORY ? make_no_memory(k) : err;
	merge_launch(k, launch, &r, first);
	merge_part(k, l->part_index, &r,
		   l->block[0] * l->block[1] * l->block[2]);
	for (uint32_t i = 0; i < r.reason_count && err == ERR_OK; i++)
		err = add_reason(k, launch, m, &r.reasons[i]);
	return err;
}

/* Do the sizes or arguments of this launch differ between runs, or tasks? */
static void varies(const struct program_step *s, bool *loops, bool *tasks)
{
	*loops = program_expr_uses_repeat(&s->shared_bytes);
	*tasks = false;
	for (int i = 0; i < 3; i++)
		*loops = *loops || program_expr_uses_repeat(&s->grid[i]) ||
			 program_expr_uses_repeat(&s->block[i]);
	for (uint32_t i = 0; i < s->arg_count; i++) {
		const struct program_arg *arg = &s->args[i];

		*loops = *loops || program_expr_uses_repeat(&arg->value);
		*tasks = *tasks || program_expr_uses_task(&arg->value) ||
			 arg->kind == PROGRAM_ARG_LENGTH;
		for (uint32_t j = 0; j < arg->address_count; j++) {
			const struct program_expr *e =
				&arg->addresses[j].offset;

			*loops = *loops || program_expr_uses_repeat(e);
			*tasks = *tasks || program_expr_uses_task(e);
		}
	}
}

static enum err classify_step(struct make *k, uint32_t step,
			      struct build_launch *launch)
{
	uint64_t runs = program_step_runs(&k->p, step);
	bool loops, tasks, first = true;

	varies(&k->p.steps[step], &loops, &tasks);
	tasks = tasks && k->m->task_count > 1;
	loops = loops && runs > 1;
	launch->part = k->p.steps[step].part_index;
	launch->first_reason = k->reason_count;
	for (uint32_t i = 0; i < (loops ? 2u : 1u); i++) {
		uint64_t number = 0;
		struct program_launch l;
		enum err err = program_run_number(
			&k->p, step, i > 0 ? runs - 1 : 0, &number);

		if (err == ERR_OK)
			err = program_launch_at(&k->p, number, &l);
		for (uint32_t j = 0; j < (tasks ? 2u : 1u) && err == ERR_OK;
		     j++) {
			err = classify_one(k, launch, &l,
					   j > 0 ? k->m->task_count - 1 : 0,
					   first);
			first = false;
		}
		if (err != ERR_OK)
			return err;
	}
	return ERR_OK;
}

enum err make_classify(struct make *k)
{
	uint32_t n = 0;
	enum err err = ERR_OK;

	k->is_proved = true;
	for (uint32_t i = 0; i < k->p.step_count && err == ERR_OK; i++)
		if (k->p.steps[i].kind == PROGRAM_STEP_LAUNCH)
			err = classify_step(k, i, &k->launches[n++]);
	if (err == ERR_REFUSED || err == ERR_OVERFLOW)
		return make_fail(k, (struct build_pos){0, 0},
				 "an argument is outside its range");
	return err;
}
