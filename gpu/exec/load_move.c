/*
 * mov in all its shapes, cvta, and comparisons with a boolean: each becomes a
 * few lane operations on the strip.
 */
#include "gpu/exec/priv/load.h"
#include "gpu/exec/priv/load_pack.h"

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
		return load_address(l, FIX_FUNCTION, o->index, offset, true);
	if (o->base == PTX_BASE_PARAM && !l->f->is_entry)
		return load_param_address(l, o->index, offset, size == 8);
	if (o->base == PTX_BASE_PARAM)
		return load_constant(l, l->pf->params[o->index].offset + offset,
				     size == 8);
	if (o->base != PTX_BASE_VARIABLE) {
		load_refuse(l, "takes an address that is not executed here");
		return 0;
	}
	const struct ptx_variable *v = &l->pm->variables[o->index];
	uint64_t home = l->variable_home[o->index];
	if (v->space == PTX_SPACE_LOCAL)
		return load_local_address(l, o->index, offset, size == 8);
	if (v->space == PTX_SPACE_SHARED)
		return load_address(l, FIX_SHARED, (uint32_t)home, offset,
				    size == 8);
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

/* A register of 128 bits is two of 64. */
static op_ref wide_register(struct loader *l, const struct ptx_operand *o)
{
	if (o->kind != PTX_OPERAND_REG || o->cls != PTX_CLASS_128) {
		load_refuse(l, "has a register of the wrong width");
		return 0;
	}
	return load_unit(l, o->cls, o->index);
}

static void mov_128(struct loader *l)
{
	const struct ptx_operand *d = load_operand(l, 0);
	const struct ptx_operand *a = load_operand(l, 1);
	const struct ptx_operand *v = d->kind == PTX_OPERAND_VECTOR ? d : a;
	op_ref from[2], t[2] = {load_temp(l, 0), load_temp(l, 1)};
	if (v->kind == PTX_OPERAND_VECTOR && v->count != 2) {
		load_refuse(l, "packs widths that are not executed here");
		return;
	}
	for (uint32_t i = 0; i < 2; i++) {
		from[i] =
			a->kind == PTX_OPERAND_VECTOR
				? load_source(l, &l->pf->elements[a->index + i],
					      8)
				: wide_register(l, a) + 2 * i;
		emit1(l, OP_mov_64, t[i], from[i]);
	}
	for (uint32_t i = 0; i < 2 && l->err == ERR_OK; i++) {
		const struct ptx_operand *e = &l->pf->elements[d->index + i];
		if (d->kind != PTX_OPERAND_VECTOR)
			emit1(l, OP_mov_64, wide_register(l, d) + 2 * i, t[i]);
		else if (e->kind != PTX_OPERAND_NONE)
			emit1(l, OP_mov_64, load_register(l, e, 8), t[i]);
	}
}

void load_mov(struct loader *l)
{
	const struct ptx_operand *d = load_operand(l, 0);
	const struct ptx_operand *a = load_operand(l, 1);
	uint32_t type = l->in->types[0];
	uint32_t size = type == PTX_TYPE_PRED ? 1 : load_type_bytes(type);
	if (size == 16) {
		mov_128(l);
	} else if (size > 8 || (size == 1 && type != PTX_TYPE_PRED)) {
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

/* The bare comparison into d; false when refused. */
static bool compare(struct loader *l, uint32_t type, uint32_t first, op_ref d)
{
	const struct ptx_instr *in = l->in;
	if (type == PTX_TYPE_F16 || type == PTX_TYPE_BF16)
		return load_compare_half(l, type, first, 0, d);
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

static bool is_pair(uint32_t type)
{
	return type == PTX_TYPE_F16X2 || type == PTX_TYPE_BF16X2;
}

/* p and q of setp: the second is the complement, or of the upper halves. */
static bool compare_both(struct loader *l, op_ref p, op_ref q)
{
	uint32_t type = l->in->types[0];
	if (is_pair(type))
		return load_compare_half(l, type, 2, 0, p) &&
		       load_compare_half(l, type, 2, 1, q);
	if (!compare(l, type, 2, p))
		return false;
	emit1(l, OP_not_pred, q, p);
	return true;
}

void load_setp(struct loader *l)
{
	bool has_bool = l->in->mod[PTX_MOD_BOOL] != 0;
	bool has_q = load_operand(l, 1)->kind == PTX_OPERAND_REG;
	op_ref p = load_temp(l, 2), q = load_temp(l, 3);
	if (load_operand(l, 0)->kind == PTX_OPERAND_REG)
		p = load_register(l, load_operand(l, 0), 1);
	if (!has_bool && !has_q && !is_pair(l->in->types[0])) {
		compare(l, l->in->types[0], 2, p);
		return;
	}
	/* Through temporaries: p or q may be c. */
	op_ref t = load_temp(l, 0), n = load_temp(l, 1);
	if (!compare_both(l, t, n))
		return;
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

/* What "true" is in a type. */
static uint32_t true_of(uint32_t type)
{
	switch (type) {
	case PTX_TYPE_F32:
		return 0x3f800000u;
	case PTX_TYPE_F16:
	case PTX_TYPE_F16X2:
		return 0x3c00u;
	case PTX_TYPE_BF16:
	case PTX_TYPE_BF16X2:
		return 0x3f80u;
	case PTX_TYPE_U16:
	case PTX_TYPE_S16:
		return 0xffffu;
	default:
		return UINT32_MAX;
	}
}

/* One comparison as a number in d; part 1: of the upper halves. */
static bool set_part(struct loader *l, uint32_t part, uint32_t one, op_ref d)
{
	uint32_t type = l->in->types[1];
	bool ok = is_pair(type) ? load_compare_half(l, type, 1, part, d)
				: compare(l, type, 1, d);
	if (ok && l->in->mod[PTX_MOD_BOOL] != 0)
		emit2(l, bool_op(l), d, d,
		      load_source(l, load_operand(l, 3), 1));
	if (ok)
		emit2(l, OP_and_32, d, d, load_constant(l, one, false));
	return ok;
}

void load_set(struct loader *l)
{
	uint32_t type = l->in->types[0], size = load_type_bytes(type);
	op_ref t = load_temp(l, 0), high = load_temp(l, 1);
	if (is_pair(l->in->types[1])) {
		uint32_t one = is_pair(type) ? true_of(type) : 0xffffu;
		if (set_part(l, 0, one, t) && set_part(l, 1, one, high))
			emit2(l, OP_join16,
			      load_register(l, load_operand(l, 0), 4), t, high);
		return;
	}
	if (set_part(l, 0, true_of(type), t))
		emit1(l, OP_mov_32, load_register(l, load_operand(l, 0), size),
		      t);
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
