/*
 * gpu/ptx/access - what every memory instruction touches, once all values are
 * known.
 *
 * Without a launch each 64-bit parameter could be an address.  Those that are
 * ever used as one (converted by cvta, or dereferenced as they are) are taken
 * for pointers, the others for numbers that entered an address sum.
 */
#include "gpu/ptx/priv/analysis.h"

static void add_access(struct analysis *n, struct access c)
{
	if (n->access_count < n->access_cap)
		n->accesses[n->access_count++] = c;
}

static void visit(struct analysis *n, uint32_t function,
		  const struct ptx_instr *in)
{
	const struct ptx_function *f = &n->m->functions[function];
	enum ptx_trait trait = (enum ptx_trait)ptx_ops[in->op].trait;
	bool first = true;

	for (uint32_t i = 0; i < in->operand_count; i++) {
		const struct ptx_operand *o = ptx_operand(f, in, i);
		struct access c = {
			.f = f, .in = in, .memory = o, .function = function};

		if (o->kind != PTX_OPERAND_MEMORY)
			continue;
		c.at = transfer_address(n, function, o);
		c.bytes = transfer_bytes(in);
		if (trait == PTX_TRAIT_COPY) {
			c.bytes = 16;
			c.is_write = first;
			c.is_read = !first;
		} else if (in->op == PTX_OP_ldmatrix ||
			   in->op == PTX_OP_stmatrix) {
			c.bytes = 16;
		}
		c.is_read |= trait == PTX_TRAIT_LOAD;
		c.is_write |= trait == PTX_TRAIT_STORE;
		c.is_atomic = trait == PTX_TRAIT_ATOMIC;
		c.is_nc = in->mod[PTX_MOD_NC] || in->op == PTX_OP_ldu;
		first = false;
		if (trait != PTX_TRAIT_HINT)
			add_access(n, c);
	}
}

static void mark_pointer(struct analysis *n, const struct value *v)
{
	if (v->kinds != VALUE_ADDRESS || !v->bases)
		return;
	for (uint32_t b = 0; b < n->base_count; b++)
		if (v->bases >> b & 1)
			n->objects[n->base_object[b]].is_addressed = true;
}

static void find_pointers(struct analysis *n, uint32_t function)
{
	const struct ptx_function *f = &n->m->functions[function];

	for (uint32_t i = 0; i < f->instr_count; i++) {
		struct value v;

		if (f->instrs[i].op != PTX_OP_cvta)
			continue;
		analysis_at(n, function, i);
		v = transfer_value(n, function,
				   ptx_operand(f, &f->instrs[i], 1),
				   PTX_TYPE_B64);
		mark_pointer(n, &v);
	}
}

/* Drops from bases what is no pointer. */
static uint64_t only_pointers(const struct analysis *n, uint64_t bases)
{
	uint64_t kept = bases;

	for (uint32_t b = 0; b < n->base_count; b++) {
		const struct object *o = &n->objects[n->base_object[b]];

		if (o->kind == OBJECT_BUFFER && !n->launch && !o->is_addressed)
			kept &= ~(1ull << b);
	}
	return kept ? kept : bases;
}

static void mark_object(struct analysis *n, struct object *o,
			const struct access *c)
{
	o->is_addressed = true;
	o->read |= c->is_read || c->is_atomic;
	o->written |= c->is_write || c->is_atomic;
	o->atomic |= c->is_atomic;
	o->plain |= !c->is_atomic;
	o->nc |= c->is_nc;
	if (o->kind == OBJECT_VARIABLE &&
	    n->m->variables[o->index].space == PTX_SPACE_SHARED)
		n->uses_shared = true;
}

static void mark_access(struct analysis *n, struct access *c)
{
	uint32_t direct = analysis_object_of(n, c->function, c->memory);

	if (direct != PTX_NO_INDEX) {
		mark_object(n, &n->objects[direct], c);
		return;
	}
	c->all_bases = c->at.bases;
	c->at.bases = only_pointers(n, c->at.bases);
	for (uint32_t b = 0; b < n->base_count; b++)
		if (c->at.bases >> b & 1)
			mark_object(n, &n->objects[n->base_object[b]], c);
	if (value_may_be_anywhere(&c->at)) {
		for (uint32_t i = 0; i < n->object_count; i++)
			if (analysis_is_other(&n->objects[i]))
				mark_object(n, &n->objects[i], c);
		n->reads_all |= c->is_read &&
				(!c->at.bases || c->at.kinds & VALUE_DATA);
	}
}

enum err access_find(struct analysis *n)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < n->m->function_count; i++) {
		const struct ptx_function *f = &n->m->functions[i];

		for (uint32_t k = 0;
		     n->reach.functions[i] && k < f->operand_count; k++)
			count += f->operands[k].kind == PTX_OPERAND_MEMORY;
	}
	n->access_cap = count;
	n->accesses = ARENA_ARRAY(n->a, count + 1u, struct access);
	if (!n->accesses)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < n->m->function_count; i++) {
		const struct ptx_function *f = &n->m->functions[i];

		if (!n->reach.functions[i])
			continue;
		for (uint32_t k = 0; k < f->instr_count; k++) {
			analysis_at(n, i, k);
			visit(n, i, &f->instrs[k]);
		}
		find_pointers(n, i);
	}
	for (uint32_t i = 0; i < n->access_count; i++)
		mark_pointer(n, &n->accesses[i].at);
	for (uint32_t i = 0; i < n->access_count; i++)
		mark_access(n, &n->accesses[i]);
	return ERR_OK;
}
