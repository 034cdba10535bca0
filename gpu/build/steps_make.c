/*
 * The manifest's tree of steps becomes the program's flat list, a repeat
 * before its body, and its launches' kernels become parts, each once, in the
 * order of first use.
 */
#include <string.h>

#include "gpu/build/priv/make.h"
#include "gpu/ptx/print.h"

static const int64_t grid_max[3] = {INT32_MAX, 65535, 65535};
static const int64_t block_max[3] = {1024, 1024, 64};

/* Canonical text of a part.  One that cannot be printed is class X; the
 * classifier says why. */
static enum err print_part(struct make *k, struct make_part *part,
			   struct program_part *out)
{
	struct buf b = buf_make(PTX_TEXT_BYTES_MAX);
	struct ptx_diag d;
	enum err err = ptx_print(k->scratch, k->modules[part->module],
				 &part->kernel, 1, &b, NULL, &d);

	out->text = BYTES_LIT("?");
	part->is_printed = err == ERR_OK;
	if (err == ERR_OK)
		out->text = arena_copy(k->a, buf_bytes(&b));
	buf_free(&b);
	if (err == ERR_PTX_UNKNOWN || err == ERR_REFUSED)
		return ERR_OK;
	if (err == ERR_NO_MEMORY || !out->text.p)
		return make_no_memory(k);
	if (err != ERR_OK)
		return make_fail(k, (struct build_pos){0, 0}, "kernel %.*s: %s",
				 (int)(out->entry.n < 100 ? out->entry.n : 100),
				 (const char *)out->entry.p, d.text);
	return ERR_OK;
}

static enum err new_part(struct make *k, uint32_t module, uint32_t kernel)
{
	struct ptx_module *m = k->modules[module];
	const struct ptx_function *f = &m->functions[kernel];
	struct make_part *part = &k->parts[k->p.part_count];
	struct program_part *out = &k->p.parts[k->p.part_count];

	part->module = module;
	part->kernel = kernel;
	part->variables = ARENA_ARRAY(k->a, m->variable_count + 1, uint8_t);
	out->entry = arena_copy(k->a, f->name);
	out->params =
		ARENA_ARRAY(k->a, f->param_count + 1, struct program_param);
	if (!part->variables || !out->entry.p || !out->params)
		return make_no_memory(k);
	out->param_count = f->param_count;
	for (uint32_t i = 0; i < f->param_count; i++) {
		out->params[i].offset_bytes = f->params[i].offset;
		out->params[i].bytes = f->params[i].bytes;
	}
	k->p.part_count++;
	return print_part(k, part, out);
}

static enum err part_of(struct make *k, const struct manifest_step *s,
			uint32_t *ret_part)
{
	uint32_t module = 0, kernel = 0;
	enum err err = make_find_kernel(k, s, &module, &kernel);

	if (err != ERR_OK)
		return err;
	for (uint32_t i = 0; i < k->p.part_count; i++) {
		*ret_part = i;
		if (k->parts[i].module == module &&
		    k->parts[i].kernel == kernel)
			return ERR_OK;
	}
	if (k->p.part_count == PROGRAM_KERNELS_MAX)
		return make_fail(k, s->at, "more than %u kernels",
				 PROGRAM_KERNELS_MAX);
	*ret_part = k->p.part_count;
	return new_part(k, module, kernel);
}

static void count_steps(const struct manifest_step *steps, uint32_t count,
			uint32_t *total, uint32_t *launches)
{
	*total += count;
	for (uint32_t i = 0; i < count; i++) {
		if (steps[i].kind == MANIFEST_LAUNCH)
			++*launches;
		if (steps[i].kind == MANIFEST_LOOP)
			count_steps(steps[i].steps, steps[i].step_count, total,
				    launches);
	}
}

/* What a program would refuse, said with its place. */
static enum err check_dims(struct make *k, const struct manifest_step *s)
{
	uint64_t threads = 1;
	bool fixed = true;

	for (int i = 0; i < 3; i++) {
		const struct manifest_expr *g = &s->grid[i];
		const struct manifest_expr *b = &s->cta[i];

		if (g->expr.code_count == 0 && g->expr.value > grid_max[i])
			return make_fail(k, g->at,
					 "the grid's %c may be %lld at most",
					 "xyz"[i], (long long)grid_max[i]);
		if (b->expr.code_count > 0)
			fixed = false;
		else if (b->expr.value > block_max[i])
			return make_fail(k, b->at,
					 "the block's %c may be %lld at most",
					 "xyz"[i], (long long)block_max[i]);
		else
			threads *= (uint64_t)b->expr.value;
	}
	if (fixed && threads > CTA_THREADS_MAX)
		return make_fail(k, s->cta[0].at,
				 "the block has %llu threads, at most %u are "
				 "allowed",
				 (unsigned long long)threads, CTA_THREADS_MAX);
	if (s->shared_bytes.expr.code_count == 0 &&
	    (s->shared_bytes.expr.value < 0 ||
	     s->shared_bytes.expr.value > CTA_SHARED_BYTES_MAX))
		return make_fail(k, s->shared_bytes.at,
				 "\"shared\" must lie between 0 and %u",
				 CTA_SHARED_BYTES_MAX);
	return ERR_OK;
}

static enum err add_launch(struct make *k, const struct manifest_step *s,
			   struct program_step *step)
{
	const struct make_part *part;
	const struct ptx_function *f;
	struct build_launch *launch = &k->launches[k->launch_count];
	enum err err = part_of(k, s, &step->part_index);

	if (err == ERR_OK)
		err = check_dims(k, s);
	if (err != ERR_OK)
		return err;
	part = &k->parts[step->part_index];
	f = &k->modules[part->module]->functions[part->kernel];
	for (int i = 0; i < 3; i++) {
		step->grid[i] = s->grid[i].expr;
		step->block[i] = s->cta[i].expr;
	}
	step->shared_bytes = s->shared_bytes.expr;
	launch->kernel = s->kernel;
	launch->entry = k->p.parts[step->part_index].entry;
	k->launch_count++;
	return make_args(k, s, f, step);
}

static enum err add_steps(struct make *k, const struct manifest_step *steps,
			  uint32_t count)
{
	enum err err = ERR_OK;

	for (uint32_t i = 0; i < count && err == ERR_OK; i++) {
		const struct manifest_step *s = &steps[i];
		uint32_t at = k->p.step_count++;
		struct program_step *step = &k->p.steps[at];

		k->origin[at] = s;
		switch (s->kind) {
		case MANIFEST_LAUNCH:
			step->kind = PROGRAM_STEP_LAUNCH;
			err = add_launch(k, s, step);
			break;
		case MANIFEST_COPY:
			step->kind = PROGRAM_STEP_COPY;
			step->from_index = s->buffer;
			step->to_index = s->to;
			step->from_offset = s->from_offset.expr;
			step->to_offset = s->to_offset.expr;
			step->bytes = s->bytes.expr;
			break;
		case MANIFEST_FILL:
			step->kind = PROGRAM_STEP_FILL;
			step->to_index = s->to;
			step->bytes = program_expr_const(
				(int64_t)k->m->buffers[s->to].size_bytes);
			step->with = s->with.expr;
			break;
		case MANIFEST_LOOP:
			step->kind = PROGRAM_STEP_REPEAT;
			step->count = s->times;
			err = add_steps(k, s->steps, s->step_count);
			step->body_count = k->p.step_count - at - 1;
			break;
		}
	}
	return err;
}

enum err make_steps(struct make *k)
{
	uint32_t total = 0, launches = 0;

	count_steps(k->m->steps, k->m->step_count, &total, &launches);
	k->p.steps = ARENA_ARRAY(k->a, total + 1, struct program_step);
	k->p.parts =
		ARENA_ARRAY(k->a, PROGRAM_KERNELS_MAX, struct program_part);
	k->parts = ARENA_ARRAY(k->a, PROGRAM_KERNELS_MAX, struct make_part);
	k->origin = ARENA_ARRAY(k->a, total + 1, const struct manifest_step *);
	k->launches = ARENA_ARRAY(k->a, launches + 1, struct build_launch);
	if (!k->p.steps || !k->p.parts || !k->parts || !k->origin ||
	    !k->launches)
		return make_no_memory(k);
	return add_steps(k, k->m->steps, k->m->step_count);
}
