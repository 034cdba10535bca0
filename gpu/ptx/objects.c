/*
 * gpu/ptx/objects - what has an address: buffers, variables, parameters and
 * results, each with the base that its addresses derive from, and with what
 * it holds at the start.
 */
#include <string.h>

#include "gpu/ptx/priv/analysis.h"

/* Allocas of one kernel that are told apart; more are refused. */
#define STACKS_MAX  8u
#define STACK_ALIGN 8u

uint32_t analysis_object_of(const struct analysis *n, uint32_t function,
			    const struct ptx_operand *o)
{
	switch ((enum ptx_base)o->base) {
	case PTX_BASE_VARIABLE:
		return n->variable_object[o->index];
	case PTX_BASE_PARAM:
		return n->param_object[function] + o->index;
	case PTX_BASE_RETURN:
		return n->return_object[function] + o->index;
	case PTX_BASE_NONE:
	case PTX_BASE_REG:
	case PTX_BASE_FUNCTION:
		break;
	}
	return PTX_NO_INDEX;
}

static uint32_t add_base(struct analysis *n)
{
	if (n->base_count == BASE_OTHER)
		return BASE_OTHER;
	n->base_object[n->base_count] = n->object_count;
	return n->base_count++;
}

/* Whether a generic address is the same number as the address in a space. */
static bool is_identity(uint8_t space)
{
	return space == PTX_SPACE_GLOBAL;
}

static struct object *add_object(struct analysis *n, struct object o,
				 bool is_taken)
{
	if (n->object_count == n->object_cap) {
		n->err = ERR_LIMIT;
		return NULL;
	}
	o.base = is_taken ? add_base(n) : BASE_OTHER;
	o.is_taken = is_taken;
	o.generic = o.base;
	if (is_taken && !is_identity(o.space)) {
		o.generic = add_base(n);
		if (o.generic != BASE_OTHER)
			n->generic_bases |= 1ull << o.generic;
	}
	o.cell_first = n->cell_count;
	o.has_cells = o.kind != OBJECT_BUFFER;
	if (o.has_cells && o.bytes <= OBJECT_CELLS * 4ull &&
	    n->cell_count < CELLS_MAX)
		o.cell_count = (uint32_t)(o.bytes + 3) / 4;
	if (o.has_cells)
		n->cell_count += o.cell_count + 2;
	n->objects[n->object_count] = o;
	return &n->objects[n->object_count++];
}

static bool is_module_space(uint8_t space)
{
	return space == PTX_SPACE_GLOBAL || space == PTX_SPACE_CONST;
}

/* Kernel parameters that may hold addresses: one buffer for each, or what the
 * launch binds. */
static void add_buffers(struct analysis *n)
{
	const struct ptx_function *f = &n->m->functions[n->kernel];

	for (uint32_t i = 0; n->launch && i < n->launch->bound_count; i++) {
		const struct ptx_bound *b = &n->launch->bound[i];
		uint32_t p = 0;

		while (p + 1 < f->param_count &&
		       f->params[p + 1].offset <= b->param_offset)
			p++;
		if (f->param_count)
			add_object(
				n,
				(struct object){.kind = OBJECT_BUFFER,
						.index = b->buffer,
						.param = p,
						.param_offset = b->param_offset,
						.space = PTX_SPACE_GLOBAL,
						.is_global = true},
				true);
	}
	for (uint32_t p = 0; !n->launch && p < f->param_count; p++)
		for (uint32_t at = 0; at + 8 <= f->params[p].bytes; at += 8)
			add_object(n,
				   (struct object){.kind = OBJECT_BUFFER,
						   .index = n->object_count,
						   .param = p,
						   .param_offset =
							   f->params[p].offset +
							   at,
						   .space = PTX_SPACE_GLOBAL,
						   .is_global = true},
				   true);
}

/* Whether the address of a parameter or result is ever a value: marks by
 * index, parameters first. */
static bool *find_taken(struct analysis *n, const struct ptx_function *f)
{
	bool *taken =
		ARENA_ARRAY(n->a, f->param_count + f->return_count + 1u, bool);

	for (uint32_t i = 0; taken && i < f->operand_count; i++) {
		const struct ptx_operand *o = &f->operands[i];

		if (o->kind != PTX_OPERAND_ADDRESS)
			continue;
		if (o->base == PTX_BASE_PARAM)
			taken[o->index] = true;
		if (o->base == PTX_BASE_RETURN)
			taken[f->param_count + o->index] = true;
		if (o->base == PTX_BASE_VARIABLE)
			n->variable_is_taken[o->index] = true;
	}
	return taken;
}

static void add_objects_of(struct analysis *n, uint32_t function)
{
	const struct ptx_function *f = &n->m->functions[function];
	bool *taken = find_taken(n, f);

	if (!taken) {
		n->err = ERR_NO_MEMORY;
		return;
	}
	n->param_object[function] = n->object_count;
	for (uint32_t i = 0; i < f->param_count; i++)
		add_object(n,
			   (struct object){.kind = OBJECT_PARAM,
					   .function = function,
					   .index = i,
					   .bytes = f->params[i].bytes,
					   .align = f->params[i].align,
					   .space = PTX_SPACE_PARAM},
			   taken[i]);
	n->return_object[function] = n->object_count;
	for (uint32_t i = 0; i < f->return_count; i++)
		add_object(n,
			   (struct object){.kind = OBJECT_RETURN,
					   .function = function,
					   .index = i,
					   .bytes = f->returns[i].bytes,
					   .align = f->returns[i].align,
					   .space = PTX_SPACE_PARAM},
			   taken[f->param_count + i]);
}

/* Variables whose address stands in an initialiser. */
static void mark_initialisers(struct analysis *n)
{
	for (uint32_t i = 0; i < n->m->variable_count; i++) {
		const struct ptx_variable *v = &n->m->variables[i];

		if (!n->reach.variables[i])
			continue;
		for (uint32_t r = 0; r < v->reloc_count; r++)
			if (v->relocs[r].base == PTX_BASE_VARIABLE)
				n->variable_is_taken[v->relocs[r].index] = true;
	}
}

/* Whether the block of an instruction can come round to itself; marks and todo
 * have a place for each block. */
static bool is_in_loop(const struct flow *w, uint32_t instr, bool *marks,
		       uint32_t *todo)
{
	uint32_t goal = w->block_of[instr], count = 1;

	memset(marks, 0, w->block_count * sizeof(*marks));
	todo[0] = goal;
	while (count > 0) {
		const struct flow_block *b = &w->blocks[todo[--count]];

		for (uint32_t k = 0; k < b->pred_count; k++) {
			uint32_t from = w->preds[b->pred_first + k];

			if (from == goal)
				return true;
			if (!marks[from])
				todo[count++] = from;
			marks[from] = true;
		}
	}
	return false;
}

/* What the kernel itself takes of the stack, once at most and for good, is a
 * variable; anything else of the kind is refused (reasons.c). */
static void add_stack(struct analysis *n)
{
	const struct ptx_function *f = &n->m->functions[n->kernel];
	const struct flow *w = &n->ssa[n->kernel].flow;
	bool *marks = ARENA_ARRAY(n->a, w->block_count + 1u, bool);
	uint32_t *todo = ARENA_ARRAY(n->a, w->block_count + 1u, uint32_t);

	if (!marks || !todo) {
		n->err = ERR_NO_MEMORY;
		return;
	}
	n->stack_object = n->object_count;
	for (uint32_t i = 0; i < f->instr_count; i++)
		if (f->instrs[i].op == PTX_OP_stackrestore)
			return;
	for (uint32_t i = 0; i < f->instr_count && n->stack_count < STACKS_MAX;
	     i++) {
		if (f->instrs[i].op != PTX_OP_alloca ||
		    is_in_loop(w, i, marks, todo))
			continue;
		add_object(n,
			   (struct object){.kind = OBJECT_STACK,
					   .function = n->kernel,
					   .index = i,
					   .bytes = UINT64_MAX,
					   .align = STACK_ALIGN,
					   .space = PTX_SPACE_LOCAL},
			   true);
		n->stack_count++;
	}
}

static void add_objects(struct analysis *n)
{
	const struct ptx_module *m = n->m;

	add_buffers(n);
	add_stack(n);
	for (uint32_t i = 0; i < m->function_count; i++)
		if (n->reach.functions[i])
			add_objects_of(n, i);
	mark_initialisers(n);
	for (uint32_t i = 0; i < m->variable_count; i++) {
		const struct ptx_variable *v = &m->variables[i];

		n->variable_object[i] = PTX_NO_INDEX;
		if (!n->reach.variables[i])
			continue;
		n->variable_object[i] = n->object_count;
		add_object(
			n,
			(struct object){.kind = OBJECT_VARIABLE,
					.index = i,
					.bytes = v->bytes,
					.align = v->align,
					.space = v->space,
					.is_global = is_module_space(v->space)},
			n->variable_is_taken[i]);
	}
}

uint32_t analysis_stack_of(const struct analysis *n, uint32_t function,
			   const struct ptx_instr *in)
{
	uint32_t i = n->stack_object, end = i + n->stack_count;

	if (function != n->kernel)
		return PTX_NO_INDEX;
	while (i < end &&
	       &n->m->functions[function].instrs[n->objects[i].index] != in)
		i++;
	return i < end ? i : PTX_NO_INDEX;
}

bool analysis_is_other(const struct object *o)
{
	return o->is_taken &&
	       (o->base == BASE_OTHER || o->generic == BASE_OTHER);
}

uint32_t analysis_align(const struct analysis *n, const struct value *v)
{
	uint32_t least = 256; /* of buffers */

	if (v->bases >> BASE_OTHER & 1)
		return 1;
	for (uint32_t b = 0; b < n->base_count; b++) {
		const struct object *o = &n->objects[n->base_object[b]];

		if ((v->bases >> b & 1) && o->kind != OBJECT_BUFFER &&
		    o->align < least)
			least = o->align;
	}
	return least;
}

static uint64_t small_bases(const struct analysis *n, const struct value *v)
{
	uint64_t small = 0;

	for (uint32_t b = 0; b < n->base_count; b++)
		if (!is_identity(n->objects[n->base_object[b]].space))
			small |= 1ull << b;
	return v->bases & small & ~n->generic_bases;
}

bool analysis_is_small(const struct analysis *n, const struct value *v)
{
	return v->bases && small_bases(n, v) == v->bases;
}

bool analysis_has_small(const struct analysis *n, const struct value *v)
{
	return small_bases(n, v) != 0;
}

static uint32_t count_objects(const struct analysis *n)
{
	const struct ptx_module *m = n->m;
	const struct ptx_function *k = &m->functions[n->kernel];
	uint32_t count =
		m->variable_count + k->param_bytes / 8 + 1 + STACKS_MAX;

	if (n->launch)
		count += n->launch->bound_count;
	for (uint32_t i = 0; i < m->function_count; i++)
		if (n->reach.functions[i])
			count += m->functions[i].param_count +
				 m->functions[i].return_count;
	return count;
}

uint32_t analysis_buffer_of(const struct analysis *n, uint32_t object)
{
	uint32_t i = 0;

	while (n->objects[i].index != n->objects[object].index)
		i++;
	return i;
}

/* Cells of the kernel's parameters hold the addresses of buffers, and else
 * numbers. */
static void fill_params(struct analysis *n)
{
	const struct ptx_function *f = &n->m->functions[n->kernel];

	for (uint32_t i = 0; i < n->object_count; i++) {
		const struct object *b = &n->objects[i];
		struct value v;
		uint32_t at;

		if (b->kind != OBJECT_BUFFER)
			break;
		v = value_address(n->objects[analysis_buffer_of(n, i)].base, 0);
		if (n->launch)
			v.c0 = (int64_t)n->launch->bound[i].offset;
		at = b->param_offset - f->params[b->param].offset;
		contents_init(n, n->param_object[n->kernel] + b->param, at, 8,
			      v);
	}
	for (uint32_t i = 0; i < f->param_count; i++)
		contents_fill(n, n->param_object[n->kernel] + i, value_any());
}

/* An address that a relocation puts into a variable. */
static void fill_reloc(struct analysis *n, uint32_t object,
		       const struct ptx_reloc *r)
{
	uint32_t base = BASE_OTHER;
	struct value v;

	if (r->base == PTX_BASE_VARIABLE) {
		const struct object *to =
			&n->objects[n->variable_object[r->index]];

		base = r->generic ? to->generic : to->base;
	}
	v = value_address(base, r->addend);
	if (r->bytes != 8)
		v = value_mix(&v, &v);
	contents_init(n, object, r->offset, r->bytes, v);
}

/* Variables start with their initialiser or the manifest: numbers, and the
 * addresses that relocations put there. */
static void fill_variables(struct analysis *n)
{
	for (uint32_t i = 0; i < n->m->variable_count; i++) {
		const struct ptx_variable *v = &n->m->variables[i];
		uint32_t id = n->variable_object[i];
		struct value any = value_data();

		if (id == PTX_NO_INDEX || !is_module_space(v->space))
			continue;
		for (uint32_t r = 0; r < v->reloc_count; r++)
			fill_reloc(n, id, &v->relocs[r]);
		/* With addresses in it, it is a constant: the manifest cannot
		 * put other pointers there. */
		if (v->reloc_count)
			any.kinds = VALUE_CLEAN;
		contents_fill(n, id, any);
	}
}

enum err objects_make(struct analysis *n)
{
	const struct ptx_module *m = n->m;

	n->object_cap = count_objects(n);
	n->objects = ARENA_ARRAY(n->a, n->object_cap, struct object);
	n->variable_object =
		ARENA_ARRAY(n->a, m->variable_count + 1u, uint32_t);
	n->param_object = ARENA_ARRAY(n->a, m->function_count, uint32_t);
	n->return_object = ARENA_ARRAY(n->a, m->function_count, uint32_t);
	n->variable_is_taken = ARENA_ARRAY(n->a, m->variable_count + 1u, bool);
	if (!n->variable_is_taken || !n->objects || !n->variable_object ||
	    !n->param_object || !n->return_object)
		return ERR_NO_MEMORY;
	add_objects(n);
	n->cells = ARENA_ARRAY(n->a, n->cell_count + 1u, struct cell);
	if (!n->cells)
		return ERR_NO_MEMORY;
	if (n->err != ERR_OK)
		return n->err;
	fill_params(n);
	fill_variables(n);
	return ERR_OK;
}
