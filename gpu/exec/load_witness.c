/*
 * Which instructions a witness may look at: typed arithmetic with a result
 * of 32 or 64 bits that derives from no address.
 *
 * Derives: a register is tainted when any instruction of the function puts
 * into it an address, an integer of 64 or 128 bits out of memory or a
 * parameter, the result of a call, or anything computed from a tainted
 * register; a comparison's predicate is never tainted.
 */
#include <stdlib.h>

#include "gpu/exec/priv/load.h"

struct taint {
	const struct ptx_function *pf;
	uint8_t *marks[PTX_CLASS_COUNT];
	bool changed;
};

static bool is_tainted(const struct taint *t, const struct ptx_operand *o)
{
	if (o->kind == PTX_OPERAND_ADDRESS)
		return true;
	if (o->kind == PTX_OPERAND_REG && o->cls != PTX_CLASS_PRED)
		return t->marks[o->cls][o->index] != 0;
	if (o->kind != PTX_OPERAND_VECTOR)
		return false;
	for (uint32_t i = 0; i < o->count; i++) {
		if (is_tainted(t, &t->pf->elements[o->index + i]))
			return true;
	}
	return false;
}

static void mark(struct taint *t, const struct ptx_operand *o)
{
	if (o->kind == PTX_OPERAND_VECTOR) {
		for (uint32_t i = 0; i < o->count; i++)
			mark(t, &t->pf->elements[o->index + i]);
	} else if (o->kind == PTX_OPERAND_REG && o->cls != PTX_CLASS_PRED &&
		   t->marks[o->cls][o->index] == 0) {
		t->marks[o->cls][o->index] = 1;
		t->changed = true;
	}
}

static bool loads_address(const struct ptx_instr *in)
{
	const struct ptx_type_info *type = &ptx_types[in->types[0]];
	return (in->op == PTX_OP_ld || in->op == PTX_OP_ldu ||
		in->op == PTX_OP_atom) &&
	       type->bits >= 64 && type->kind != PTX_KIND_F;
}

static void spread(struct taint *t, const struct ptx_instr *in)
{
	bool tainted = in->op == PTX_OP_cvta || in->op == PTX_OP_alloca ||
		       in->op == PTX_OP_stacksave || loads_address(in);
	if (in->op == PTX_OP_call) {
		const struct ptx_call *c = &t->pf->calls[in->aux];
		for (uint32_t i = 0; i < c->result_count; i++)
			mark(t, &c->results[i]);
		return;
	}
	if (in->operand_count == 0 || in->op == PTX_OP_opaque)
		return;
	for (uint32_t i = 1; i < in->operand_count; i++)
		tainted = tainted || is_tainted(t, ptx_operand(t->pf, in, i));
	if (tainted && ptx_ops[in->op].operands[0] == '=')
		mark(t, ptx_operand(t->pf, in, 0));
}

/* Arguments of device functions: nothing is known of them. */
static void mark_parameters(struct taint *t)
{
	for (uint32_t i = 0; i < t->pf->param_count; i++) {
		const struct ptx_param *p = &t->pf->params[i];
		if (p->in_register && p->cls != PTX_CLASS_PRED)
			t->marks[p->cls][p->index] = 1;
	}
}

static bool is_typed_arithmetic(const struct ptx_instr *in)
{
	uint32_t kind = ptx_types[in->types[0]].kind;
	return ptx_ops[in->op].trait == PTX_TRAIT_EXACT &&
	       !ptx_type_is_pair(in->types[0]) &&
	       (kind == PTX_KIND_U || kind == PTX_KIND_S || kind == PTX_KIND_F);
}

/* The last op of an instruction leaves its result in d. */
static bool is_last(const struct loader *l, uint32_t i)
{
	return i + 1 >= l->f->end ||
	       l->m->ops[i + 1].number_in_text != l->m->ops[i].number_in_text;
}

static void allow(struct loader *l, struct taint *t)
{
	for (uint32_t i = l->f->entry; i < l->f->end; i++) {
		struct op *o = &l->m->ops[i];
		if (o->number_in_text == UINT32_MAX || !is_last(l, i) ||
		    load_is_step((enum op_id)o->id))
			continue;
		const struct ptx_instr *in = &t->pf->instrs[o->number_in_text];
		if (in->operand_count == 0 || !is_typed_arithmetic(in))
			continue;
		const struct ptx_operand *d = ptx_operand(t->pf, in, 0);
		if (d->kind != PTX_OPERAND_REG || is_tainted(t, d) ||
		    (d->cls != PTX_CLASS_32 && d->cls != PTX_CLASS_64))
			continue;
		o->is_witness = 1;
		o->is_float = ptx_types[in->types[0]].kind == PTX_KIND_F;
		o->result = load_unit(l, d->cls, d->index);
		o->result_bytes = d->cls == PTX_CLASS_64 ? 8 : 4;
	}
}

void load_witness(struct loader *l)
{
	struct taint t = {.pf = l->pf, .changed = true};
	bool ok = true;
	for (uint32_t c = 0; c < PTX_CLASS_COUNT; c++) {
		t.marks[c] = calloc((size_t)l->pf->reg_count[c] + 1, 1);
		ok = ok && t.marks[c] != NULL;
	}
	if (ok) {
		mark_parameters(&t);
		while (t.changed) {
			t.changed = false;
			for (uint32_t i = 0; i < l->pf->instr_count; i++)
				spread(&t, &l->pf->instrs[i]);
		}
		allow(l, &t);
	} else {
		l->err = ERR_NO_MEMORY;
	}
	for (uint32_t c = 0; c < PTX_CLASS_COUNT; c++)
		free(t.marks[c]);
}
