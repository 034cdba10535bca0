/*
 * mov in all its shapes, cvta, and comparisons with a boolean: each becomes a
 * few lane operations on the strip.
 */
#include "gpu/exec/priv/load.h"

static struct op *emit1(struct loader *l, enum op_id id, op_ref d, op_ref a)
{
	struct op *o = load_emit(l, id);
	o->d = d;
	o->a = a;
	return o;
}

static struct op *emit2(struct loader *l, enum op_id id, op_ref d, op_ref a,
			op_ref b)
{
	struct op *o = emit1(l, id, d, a);
	o->b = b;
	return o;
}

/* The address that a symbol names, as a value of its own space. */
static op_ref address_value(struct loader *l, const struct ptx_operand *o,
			    uint32_t size)
{
	uint64_t offset = (uint64_t)o->offset;
	if (o->base == PTX_BASE_FUNCTION && size == 8)
		return load_constant(l, FUNCTION_BASE(o->index), true);
	if (o->base == PTX_BASE_PARAM && l->f->is_entry)
		return load_constant(l, l->pf->params[o->index].offset + offset,
				     size == 8);
	if (o->base != PTX_BASE_VARIABLE) {
		load_refuse(l, "takes an address that is not executed here");
		return 0;
	}
	const struct ptx_variable *v = &l->pm->variables[o->index];
	uint64_t home = l->variable_home[o->index];
	if (v->space == PTX_SPACE_SHARED || v->space == PTX_SPACE_LOCAL)
		return load_address(l,
				    v->space == PTX_SPACE_SHARED ? FIX_SHARED
								 : FIX_LOCAL,
				    (uint32_t)home, offset, size == 8);
	if ((v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST) &&
	    size == 8)
		return load_address(l, FIX_VARIABLE, (uint32_t)home, offset,
				    true);
	load_refuse(l, "takes an address that is not executed here");
	return 0;
}

static bool is_shared_mod(uint32_t space)
{
	return space == PTX_SPACE_SHARED || space == PTX_SPACE_SHARED_CTA ||
	       space == PTX_SPACE_SHARED_CLUSTER;
}

/* What a generic address has above one of this space. */
static uint64_t window_of(struct loader *l, uint32_t space)
{
	if (is_shared_mod(space))
		return WINDOW_SHARED;
	if (space == PTX_SPACE_LOCAL)
		return WINDOW_LOCAL;
	if (space == PTX_SPACE_PARAM || space == PTX_SPACE_PARAM_ENTRY)
		return WINDOW_PARAM;
	if (space != PTX_SPACE_GLOBAL && space != PTX_SPACE_CONST)
		load_refuse(l, "converts to a space that is not done here");
	return 0;
}

void load_cvta(struct loader *l)
{
	const struct ptx_operand *d = load_operand(l, 0);
	const struct ptx_operand *a = load_operand(l, 1);
	if (load_type_bytes(l->in->types[0]) != 8) {
		load_refuse(l, "of 32 bits is not executed here");
		return;
	}
	uint64_t window = window_of(l, l->in->mod[PTX_MOD_SPACE]);
	op_ref from = a->kind == PTX_OPERAND_ADDRESS ? address_value(l, a, 8)
						     : load_source(l, a, 8);
	op_ref to = load_register(l, d, 8);
	if (window == 0)
		emit1(l, OP_mov_64, to, from);
	else
		emit2(l, l->in->mod[PTX_MOD_TO] != 0 ? OP_sub_64 : OP_add_64,
		      to, from, load_constant(l, window, true));
}

/* mov.b64 {a, b}, d and the like. */
static void unpack(struct loader *l, uint32_t size)
{
	const struct ptx_operand *v = load_operand(l, 0);
	uint32_t count = v->count;
	op_ref from = load_source(l, load_operand(l, 1), size);
	if (!(size == 8 && (count == 2 || count == 4)) &&
	    !(size == 4 && count == 2)) {
		load_refuse(l, "unpacks widths that are not executed here");
		return;
	}
	/* Copies first: an element may be the source's own register. */
	op_ref low = load_temp(l, 0), high = load_temp(l, 1);
	if (size == 8) {
		emit1(l, OP_narrow, low, from);
		emit1(l, OP_high, high, from);
	} else {
		emit1(l, OP_mov_32, low, from);
	}
	for (uint32_t i = 0; i < count && l->err == ERR_OK; i++) {
		const struct ptx_operand *e = &l->pf->elements[v->index + i];
		if (e->kind == PTX_OPERAND_NONE)
			continue;
		op_ref d = load_register(l, e, size / count);
		if (count == 2 && size == 8)
			emit1(l, OP_mov_32, d, i == 0 ? low : high);
		else
			emit1(l, (i & 1) != 0 ? OP_shift16 : OP_ext_u16, d,
			      i < 2 ? low : high);
	}
}

static void pack(struct loader *l, uint32_t size)
{
	const struct ptx_operand *v = load_operand(l, 1);
	uint32_t count = v->count;
	op_ref e[4] = {0};
	if (!(size == 8 && (count == 2 || count == 4)) &&
	    !(size == 4 && count == 2)) {
		load_refuse(l, "packs widths that are not executed here");
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		e[i] = load_source(l, &l->pf->elements[v->index + i],
				   size / count);
	op_ref d = load_register(l, load_operand(l, 0), size);
	if (size == 4) {
		emit2(l, OP_join16, d, e[0], e[1]);
	} else if (count == 2) {
		emit2(l, OP_join, d, e[0], e[1]);
	} else {
		emit2(l, OP_join16, load_temp(l, 0), e[0], e[1]);
		emit2(l, OP_join16, load_temp(l, 1), e[2], e[3]);
		emit2(l, OP_join, d, load_temp(l, 0), load_temp(l, 1));
	}
}

void load_mov(struct loader *l)
{
	const struct ptx_operand *d = load_operand(l, 0);
	const struct ptx_operand *a = load_operand(l, 1);
	uint32_t type = l->in->types[0];
	uint32_t size = type == PTX_TYPE_PRED ? 1 : load_type_bytes(type);
	if (size > 8 || (size == 1 && type != PTX_TYPE_PRED)) {
		load_refuse(l, "of this width is not executed here");
	} else if (d->kind == PTX_OPERAND_VECTOR) {
		unpack(l, size);
	} else if (a->kind == PTX_OPERAND_VECTOR) {
		pack(l, size);
	} else {
		op_ref from = a->kind == PTX_OPERAND_ADDRESS
				      ? address_value(l, a, size)
				      : load_source(l, a, size);
		emit1(l, size == 8 ? OP_mov_64 : OP_mov_32,
		      load_register(l, d, size), from);
	}
}

/* Modifiers that load_setp and load_set look after themselves. */
#define SETP_IGNORE (1ull << PTX_MOD_BOOL)

/* Halves are compared as f32, which holds them all. */
static bool compare_half(struct loader *l, uint32_t type, uint32_t first,
			 op_ref d)
{
	enum op_id id = load_match(PTX_OP_setp, PTX_TYPE_F32, PTX_TYPE_NONE,
				   l->in->mod, SETP_IGNORE);
	enum op_id widen = type == PTX_TYPE_F16 ? OP_f32_f16 : OP_f32_bf16;
	if (id == OP_COUNT || l->in->mod[PTX_MOD_FTZ] != 0) {
		load_refuse(l, "is not executed here");
		return false;
	}
	for (uint32_t i = 0; i < 2; i++)
		emit1(l, widen, load_temp(l, 4 + i),
		      load_source(l, load_operand(l, first + i), 2));
	emit2(l, id, d, load_temp(l, 4), load_temp(l, 5))->csr = CSR_BASE;
	return true;
}

/* The bare comparison into d; false when refused. */
static bool compare(struct loader *l, uint32_t type, uint32_t first, op_ref d)
{
	const struct ptx_instr *in = l->in;
	if (type == PTX_TYPE_F16 || type == PTX_TYPE_BF16)
		return compare_half(l, type, first, d);
	enum op_id id = load_match(PTX_OP_setp, type, PTX_TYPE_NONE, in->mod,
				   SETP_IGNORE);
	if (id == OP_COUNT) {
		load_refuse(l, "is not executed here");
		return false;
	}
	uint32_t size = load_type_bytes(type);
	op_ref a = load_source(l, load_operand(l, first), size);
	op_ref b = load_source(l, load_operand(l, first + 1), size);
	struct op *o = emit2(l, id, d, a, b);
	if (ptx_types[type].kind == PTX_KIND_F)
		o->csr = load_csr(in);
	return true;
}

static enum op_id bool_op(struct loader *l)
{
	switch (l->in->mod[PTX_MOD_BOOL]) {
	case PTX_BOOL_AND:
		return OP_and_pred;
	case PTX_BOOL_OR:
		return OP_or_pred;
	case PTX_BOOL_XOR:
		return OP_xor_pred;
	default:
		break;
	}
	load_refuse(l, "has a boolean that is not executed here");
	return OP_and_pred;
}

void load_setp(struct loader *l)
{
	bool has_bool = l->in->mod[PTX_MOD_BOOL] != 0;
	bool has_q = load_operand(l, 1)->kind == PTX_OPERAND_REG;
	op_ref p = load_temp(l, 2), q = load_temp(l, 3);
	if (load_operand(l, 0)->kind == PTX_OPERAND_REG)
		p = load_register(l, load_operand(l, 0), 1);
	if (!has_bool && !has_q) {
		compare(l, l->in->types[0], 2, p);
		return;
	}
	/* Through temporaries: p or q may be c. */
	op_ref t = load_temp(l, 0), n = load_temp(l, 1);
	if (!compare(l, l->in->types[0], 2, t))
		return;
	emit1(l, OP_not_pred, n, t);
	if (has_bool) {
		op_ref c = load_source(l, load_operand(l, 4), 1);
		emit2(l, bool_op(l), t, t, c);
		emit2(l, bool_op(l), n, n, c);
	}
	emit1(l, OP_mov_32, p, t);
	if (has_q)
		q = load_register(l, load_operand(l, 1), 1);
	emit1(l, OP_mov_32, q, n);
}

void load_set(struct loader *l)
{
	uint32_t type = l->in->types[0];
	op_ref t = load_temp(l, 0);
	if (type != PTX_TYPE_U32 && type != PTX_TYPE_S32 &&
	    type != PTX_TYPE_F32) {
		load_refuse(l, "is not executed here");
		return;
	}
	if (!compare(l, l->in->types[1], 1, t))
		return;
	if (l->in->mod[PTX_MOD_BOOL] != 0)
		emit2(l, bool_op(l), t, t,
		      load_source(l, load_operand(l, 3), 1));
	uint32_t one = type == PTX_TYPE_F32 ? 0x3f800000u : UINT32_MAX;
	emit2(l, OP_and_32, load_register(l, load_operand(l, 0), 4), t,
	      load_constant(l, one, false));
}

void load_testp(struct loader *l)
{
	enum op_id id = load_match(PTX_OP_testp, l->in->types[0], PTX_TYPE_NONE,
				   l->in->mod, 0);
	if (id == OP_COUNT) {
		load_refuse(l, "is not executed here");
		return;
	}
	op_ref d = load_register(l, load_operand(l, 0), 1);
	op_ref a = load_source(l, load_operand(l, 1),
			       load_type_bytes(l->in->types[0]));
	emit1(l, id, d, a)->imm = l->in->mod[PTX_MOD_TESTP] - 1u;
}
