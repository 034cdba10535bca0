/*
 * Registers that hold what derives from an address, by passes over the
 * function until nothing is added.  Each pass that goes on adds a register, so
 * the passes are bounded by the registers; in practice there are two or three.
 */
#include <string.h>

#include "gpu/ptx/priv/taint.h"

struct marks {
	const struct ptx_function *f;
	bool *of[PTX_CLASS_COUNT];
};

static bool is_derived(const struct marks *t, const struct ptx_operand *o)
{
	switch ((enum ptx_operand_kind)o->kind) {
	case PTX_OPERAND_ADDRESS:
		return true;
	case PTX_OPERAND_REG:
		return o->cls != PTX_CLASS_PRED && t->of[o->cls][o->index];
	case PTX_OPERAND_VECTOR:
		for (uint32_t i = 0; i < o->count; i++)
			if (is_derived(t, &t->f->elements[o->index + i]))
				return true;
		return false;
	case PTX_OPERAND_NONE:
	case PTX_OPERAND_IMM:
	case PTX_OPERAND_SREG:
	case PTX_OPERAND_MEMORY:
	case PTX_OPERAND_LABEL:
	case PTX_OPERAND_TABLE:
		break;
	}
	return false;
}

/* true: something new. */
static bool add(struct marks *t, const struct ptx_operand *o)
{
	bool grew = false;

	if (o->kind == PTX_OPERAND_VECTOR)
		for (uint32_t i = 0; i < o->count; i++)
			grew = add(t, &t->f->elements[o->index + i]) || grew;
	if (o->kind != PTX_OPERAND_REG || o->cls == PTX_CLASS_PRED ||
	    t->of[o->cls][o->index])
		return grew;
	t->of[o->cls][o->index] = true;
	return true;
}

/* A 64-bit integer out of memory may be an address, one of 128 two. */
static bool may_load_address(const struct ptx_instr *in)
{
	const struct ptx_type_info *type = &ptx_types[in->types[0]];
	bool loads = in->op == PTX_OP_ld || in->op == PTX_OP_ldu ||
		     in->op == PTX_OP_atom;

	return loads && type->bits >= 64 && type->kind != PTX_KIND_F;
}

static bool follow(struct marks *t, const struct ptx_instr *in)
{
	bool derived = in->op == PTX_OP_cvta || in->op == PTX_OP_alloca ||
		       in->op == PTX_OP_stacksave || may_load_address(in);
	bool grew = false;

	if (in->op == PTX_OP_call) {
		const struct ptx_call *c = &t->f->calls[in->aux];

		for (uint32_t i = 0; i < c->result_count; i++)
			grew = add(t, &c->results[i]) || grew;
		return grew;
	}
	if (in->op == PTX_OP_opaque || in->operand_count == 0 ||
	    ptx_ops[in->op].operands[0] != '=')
		return false;
	for (uint32_t i = 1; i < in->operand_count && !derived; i++)
		derived = is_derived(t, ptx_operand(t->f, in, i));
	return derived && add(t, ptx_operand(t->f, in, 0));
}

static bool is_number(const struct ptx_instr *in)
{
	uint32_t kind = ptx_types[in->types[0]].kind;

	return ptx_ops[in->op].trait == PTX_TRAIT_EXACT &&
	       !ptx_type_is_pair(in->types[0]) &&
	       (kind == PTX_KIND_U || kind == PTX_KIND_S || kind == PTX_KIND_F);
}

static bool is_allowed(const struct marks *t, const struct ptx_instr *in)
{
	const struct ptx_operand *d;

	if (in->operand_count == 0 || !is_number(in))
		return false;
	d = ptx_operand(t->f, in, 0);
	return d->kind == PTX_OPERAND_REG && !is_derived(t, d) &&
	       (d->cls == PTX_CLASS_32 || d->cls == PTX_CLASS_64);
}

enum err taint_allow(struct arena *a, const struct ptx_function *f, bool *ret)
{
	struct marks t = {.f = f};
	bool grew = true;

	for (uint32_t c = 0; c < PTX_CLASS_COUNT; c++) {
		t.of[c] = ARENA_ARRAY(a, f->reg_count[c] + 1u, bool);
		if (t.of[c] == NULL)
			return ERR_NO_MEMORY;
		memset(t.of[c], 0, f->reg_count[c] + 1u);
	}
	for (uint32_t i = 0; i < f->param_count; i++) {
		const struct ptx_param *p = &f->params[i];

		if (p->in_register && p->cls != PTX_CLASS_PRED)
			t.of[p->cls][p->index] = true;
	}
	while (grew) {
		grew = false;
		for (uint32_t i = 0; i < f->instr_count; i++)
			grew = follow(&t, &f->instrs[i]) || grew;
	}
	for (uint32_t i = 0; i < f->instr_count; i++)
		ret[i] = is_allowed(&t, &f->instrs[i]);
	return ERR_OK;
}
