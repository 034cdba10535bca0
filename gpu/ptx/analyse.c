/*
 * gpu/ptx/analyse - a flow-insensitive fixpoint.
 *
 * Compilers print nearly every register with one definition, so one value a
 * register is enough, and it is sound for hand-written text too: a register
 * is the join of all that is ever written to it.  Functions are analysed once
 * for all callers.  Memory that is no buffer (locals, shared, parameters,
 * module variables) has contents, told apart in cells of 8 bytes.
 */
#include <string.h>

#include "gpu/ptx/priv/analysis.h"

struct value *analysis_reg(struct analysis *n, uint32_t function,
			   const struct ptx_operand *o)
{
	return &n->regs[n->reg_first[function] +
			n->class_first[function][o->cls] + o->index];
}

void analysis_set(struct analysis *n, uint32_t function,
		  const struct ptx_operand *o, struct value v)
{
	if (o->kind == PTX_OPERAND_REG &&
	    value_join(analysis_reg(n, function, o), &v, n->widen))
		n->grew = true;
}

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

/* The first and last cell that bytes at offset touch. */
static void cell_range(const struct object *o, bool is_known, int64_t offset,
		       uint32_t bytes, uint32_t *first, uint32_t *end)
{
	*first = o->cell_first;
	*end = o->cell_first + o->cell_count;
	if (!is_known || o->cell_count <= 1)
		return;
	if (offset < 0 || (uint64_t)offset + bytes > o->bytes) {
		*end = *first; /* a fault: it touches nothing */
		return;
	}
	*end = *first + (uint32_t)(((uint64_t)offset + bytes - 1) / 8) + 1;
	*first += (uint32_t)((uint64_t)offset / 8);
}

struct value analysis_load(struct analysis *n, uint32_t object, bool is_known,
			   int64_t offset, uint32_t bytes)
{
	const struct object *o = &n->objects[object];
	struct value v = {0};
	uint32_t first, end;

	if (o->cell_count == 0)
		return value_data();
	cell_range(o, is_known, offset, bytes, &first, &end);
	for (uint32_t i = first; i < end; i++)
		value_join(&v, &n->cells[i], false);
	/* An aligned load of 8 bytes takes one cell, whichever it is; a part
	 * of a cell holds a part of its value. */
	if (bytes == 8 && !is_known && o->align >= 8) {
		value_forget(&v);
		return v;
	}
	if (v.kinds && (bytes < 4 || !is_known || end - first > 1 ||
			(bytes == 4 && (v.kinds & VALUE_HIDDEN))))
		v = value_mix(&v, &v);
	return v;
}

void analysis_store(struct analysis *n, uint32_t object, bool is_known,
		    int64_t offset, uint32_t bytes, struct value v)
{
	const struct object *o = &n->objects[object];
	uint32_t first, end;

	if (o->cell_count == 0 || !v.kinds)
		return;
	cell_range(o, is_known, offset, bytes, &first, &end);
	/* Two numbers of 4 bytes share a cell: neither is the whole. */
	if (bytes < 8 && o->bytes > 4)
		v = value_mix(&v, &v);
	for (uint32_t i = first; i < end; i++)
		if (value_join(&n->cells[i], &v, n->widen))
			n->grew = true;
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
	if (o.kind != OBJECT_BUFFER) {
		o.cell_count = o.bytes <= OBJECT_CELLS * 8
				       ? (uint32_t)(o.bytes + 7) / 8
				       : 1;
		if (o.cell_count == 0)
			o.cell_count = 1;
	}
	n->cell_count += o.cell_count;
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

static void add_objects(struct analysis *n)
{
	const struct ptx_module *m = n->m;

	add_buffers(n);
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
	uint32_t count = m->variable_count + k->param_bytes / 8 + 1;

	if (n->launch)
		count += n->launch->bound_count;
	for (uint32_t i = 0; i < m->function_count; i++)
		if (n->reach.functions[i])
			count += m->functions[i].param_count +
				 m->functions[i].return_count;
	return count;
}

/* The object of a buffer by its number, under one base for all its aliases. */
static uint32_t buffer_of(const struct analysis *n, uint32_t object)
{
	uint32_t i = 0;

	while (n->objects[i].index != n->objects[object].index)
		i++;
	return i;
}

/* Cells of the kernel's parameters hold the addresses of buffers. */
static void fill_params(struct analysis *n)
{
	const struct ptx_function *f = &n->m->functions[n->kernel];

	for (uint32_t i = 0; i < f->param_count; i++) {
		struct object *o = &n->objects[n->param_object[n->kernel] + i];

		for (uint32_t c = 0; c < o->cell_count; c++) {
			struct value v = value_any();

			value_join(&n->cells[o->cell_first + c], &v, false);
		}
	}
	for (uint32_t i = 0; i < n->object_count; i++) {
		const struct object *b = &n->objects[i];
		struct value v;
		struct object *o;
		uint32_t at;

		if (b->kind != OBJECT_BUFFER)
			break;
		v = value_address(n->objects[buffer_of(n, i)].base, 0);
		if (n->launch)
			v.c0 = (int64_t)n->launch->bound[i].offset;
		o = &n->objects[n->param_object[n->kernel] + b->param];
		at = (b->param_offset - f->params[b->param].offset) / 8;
		if (o->cell_count == 1)
			at = 0;
		/* The cell is the address alone, not a number as well. */
		if (at < o->cell_count) {
			struct value *cell = &n->cells[o->cell_first + at];

			if (o->cell_count > 1 || o->bytes <= 8)
				*cell = v;
			else
				value_join(cell, &v, false);
		}
	}
}

/* A cell that holds an address and nothing else. */
static void clear_cell(struct analysis *n, uint32_t object, uint32_t offset)
{
	const struct object *o = &n->objects[object];

	if (offset % 8 == 0 && (o->cell_count > 1 || o->bytes <= 8))
		n->cells[o->cell_first + offset / 8] = (struct value){0};
}

/* Variables start with their initialiser or the manifest: numbers, and the
 * addresses that relocations put there. */
static void fill_variables(struct analysis *n)
{
	for (uint32_t i = 0; i < n->m->variable_count; i++) {
		const struct ptx_variable *v = &n->m->variables[i];
		uint32_t id = n->variable_object[i];
		struct value any = value_data();

		if (id == PTX_NO_INDEX || v->space == PTX_SPACE_PARAM)
			continue;
		/* With addresses in it, it is a constant: the manifest cannot
		 * put other pointers there. */
		if (v->reloc_count)
			any.kinds = VALUE_CLEAN;
		if (is_module_space(v->space))
			analysis_store(n, id, false, 0, 8, any);
		for (uint32_t r = 0; r < v->reloc_count; r++) {
			const struct ptx_reloc *reloc = &v->relocs[r];
			struct value at;
			uint32_t base = BASE_OTHER;

			if (reloc->base == PTX_BASE_VARIABLE) {
				const struct object *to =
					&n->objects[n->variable_object
							    [reloc->index]];

				base = reloc->generic ? to->generic : to->base;
			}
			at = value_address(base, reloc->addend);
			if (reloc->bytes != 8)
				at = value_mix(&at, &at);
			else
				clear_cell(n, id, reloc->offset);
			analysis_store(n, id, true, reloc->offset, reloc->bytes,
				       at);
		}
	}
}

static enum err make_registers(struct analysis *n)
{
	const struct ptx_module *m = n->m;
	uint32_t count = 0;

	n->reg_first = ARENA_ARRAY(n->a, m->function_count, uint32_t);
	n->class_first = arena_array(n->a, m->function_count,
				     sizeof(*n->class_first), 8);
	if (!n->reg_first || !n->class_first)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < m->function_count; i++) {
		uint32_t at = 0;

		if (!n->reach.functions[i])
			continue;
		n->reg_first[i] = count;
		for (uint32_t c = 0; c < PTX_CLASS_COUNT; c++) {
			n->class_first[i][c] = at;
			at += m->functions[i].reg_count[c];
		}
		count += at;
	}
	n->regs = ARENA_ARRAY(n->a, count + 1u, struct value);
	n->reg_used = ARENA_ARRAY(n->a, count + 1u, bool);
	return n->regs && n->reg_used ? ERR_OK : ERR_NO_MEMORY;
}

static enum err make_objects(struct analysis *n)
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
	n->cells = ARENA_ARRAY(n->a, n->cell_count + 1u, struct value);
	if (!n->cells)
		return ERR_NO_MEMORY;
	if (n->err != ERR_OK)
		return n->err;
	fill_params(n);
	fill_variables(n);
	return ERR_OK;
}

static void make_extents(struct analysis *n)
{
	const struct ptx_function *f = &n->m->functions[n->kernel];

	for (uint32_t i = 0; i < 3; i++) {
		if (n->launch) {
			n->extent[i] = n->launch->block[i];
			n->extent[3 + i] = n->launch->grid[i];
		} else if (f->reqntid[0]) {
			n->extent[i] = f->reqntid[i];
		}
	}
}

static void one_pass(struct analysis *n)
{
	for (uint32_t i = 0; i < n->m->function_count; i++) {
		const struct ptx_function *f = &n->m->functions[i];

		if (!n->reach.functions[i])
			continue;
		for (uint32_t k = 0; k < f->instr_count; k++)
			transfer_instr(n, i, &f->instrs[k]);
	}
}

static void mark_used(struct analysis *n, uint32_t function,
		      const struct ptx_operand *o)
{
	const struct ptx_function *f = &n->m->functions[function];

	if (o->kind == PTX_OPERAND_REG ||
	    (o->kind == PTX_OPERAND_MEMORY && o->base == PTX_BASE_REG))
		n->reg_used[analysis_reg(n, function, o) - n->regs] = true;
	for (uint32_t i = 0; o->kind == PTX_OPERAND_VECTOR && i < o->count; i++)
		mark_used(n, function, &f->elements[o->index + i]);
}

/* Which registers anybody reads. */
static void find_used(struct analysis *n, uint32_t function)
{
	const struct ptx_function *f = &n->m->functions[function];

	for (uint32_t k = 0; k < f->instr_count; k++) {
		const struct ptx_instr *in = &f->instrs[k];
		struct ptx_operand guard = {.kind = PTX_OPERAND_REG,
					    .cls = PTX_CLASS_PRED,
					    .index = in->guard};

		if (in->guard != PTX_NO_INDEX)
			mark_used(n, function, &guard);
		for (uint32_t i = ptx_dest_count(in); i < in->operand_count;
		     i++)
			mark_used(n, function, ptx_operand(f, in, i));
		if (in->op != PTX_OP_call)
			continue;
		mark_used(n, function, &f->calls[in->aux].target);
		for (uint32_t i = 0; i < f->calls[in->aux].arg_count; i++)
			mark_used(n, function, &f->calls[in->aux].args[i]);
	}
	/* Results in registers are read by the callers. */
	for (uint32_t i = 0; i < f->return_count; i++) {
		struct ptx_operand o = {.kind = PTX_OPERAND_REG,
					.cls = f->returns[i].cls,
					.index = f->returns[i].index};

		if (f->returns[i].in_register)
			mark_used(n, function, &o);
	}
}

enum err analysis_run(struct analysis *n)
{
	enum err e = make_registers(n);

	if (e == ERR_OK)
		e = make_objects(n);
	if (e != ERR_OK)
		return e;
	make_extents(n);
	for (uint32_t i = 0; i < n->m->function_count; i++)
		if (n->reach.functions[i])
			find_used(n, i);
	for (uint32_t pass = 0; pass < ANALYSIS_PASSES; pass++) {
		n->grew = false;
		n->widen = pass >= ANALYSIS_WIDEN;
		one_pass(n);
		if (!n->grew)
			return n->err;
	}
	return ERR_LIMIT;
}
