/*
 * gpu/ptx/transfer - what one instruction does to the analyser's values.
 *
 * A few integer instructions keep the shape of indexes and addresses; all
 * others make a number of unknown shape, mixed if an address went in.
 */
#include <string.h>

#include "gpu/ptx/priv/analysis.h"
#include "gpu/ptx/priv/isa.h"

/* Registers of 32 bits hold values modulo 2^32: the signed one of two equal
 * constants keeps differences small. */
static int64_t signed_imm(uint64_t bits, enum ptx_type t)
{
	switch (ptx_types[t].bits) {
	case 8:
		return (int8_t)bits;
	case 16:
		return (int16_t)bits;
	case 32:
		return (int32_t)bits;
	default:
		return (int64_t)bits;
	}
}

static struct value sreg_value(struct analysis *n, const struct ptx_operand *o)
{
	uint32_t id;

	switch (o->index) {
	case PTX_SREG_TID:
	case PTX_SREG_CTAID:
		id = o->component + (o->index == PTX_SREG_CTAID ? 3u : 0u);
		if (n->extent[id] == 1)
			return value_const(0);
		return value_var(id);
	case PTX_SREG_NTID:
	case PTX_SREG_NCTAID:
		id = o->component + (o->index == PTX_SREG_NCTAID ? 3u : 0u);
		if (n->extent[id])
			return value_const((int64_t)n->extent[id]);
		return value_any();
	case PTX_SREG_LANEID:
		return value_in(0, 31);
	default:
		return value_any();
	}
}

static struct value address_value(struct analysis *n, uint32_t function,
				  const struct ptx_operand *o)
{
	uint32_t object = analysis_object_of(n, function, o);

	if (object == PTX_NO_INDEX)
		return value_address(BASE_OTHER, 0);
	return value_address(n->objects[object].base, o->offset);
}

struct value transfer_value(struct analysis *n, uint32_t function,
			    const struct ptx_operand *o, enum ptx_type t)
{
	const struct ptx_function *f = &n->m->functions[function];
	struct value v = {0}, e;

	switch ((enum ptx_operand_kind)o->kind) {
	case PTX_OPERAND_REG:
		v = *analysis_reg(n, function, o);
		facts_bound(n, function, o->index, &v);
		return v;
	case PTX_OPERAND_IMM:
		return value_const(signed_imm(o->imm, t));
	case PTX_OPERAND_SREG:
		return sreg_value(n, o);
	case PTX_OPERAND_ADDRESS:
		v = address_value(n, function, o);
		/* 32 bits hold the addresses of small spaces only. */
		if (ptx_types[t].bits == 32 && !analysis_is_small(n, &v))
			v = value_mix(&v, &v);
		return v;
	case PTX_OPERAND_VECTOR:
		/* Packed: a number of unknown shape, or a mixed one. */
		for (uint32_t i = 0; i < o->count; i++) {
			e = transfer_value(n, function,
					   &f->elements[o->index + i], t);
			value_join(&v, &e, n->extent);
		}
		return value_mix(&v, &v);
	case PTX_OPERAND_NONE:
	case PTX_OPERAND_MEMORY:
	case PTX_OPERAND_LABEL:
	case PTX_OPERAND_TABLE:
		break;
	}
	return v;
}

struct value transfer_address(struct analysis *n, uint32_t function,
			      const struct ptx_operand *o)
{
	struct value base, offset = value_const(o->offset);

	if (o->base == PTX_BASE_NONE)
		return offset;
	if (o->base != PTX_BASE_REG)
		return address_value(n, function, o);
	base = *analysis_reg(n, function, o);
	facts_bound(n, function, o->index, &base);
	return value_add(&base, &offset);
}

uint32_t transfer_bytes(const struct ptx_instr *in)
{
	static const uint8_t widths[] = {1, 2, 4, 8};

	return ptx_types[in->types[0]].bits / 8u *
	       widths[in->mod[PTX_MOD_VEC] & 3];
}

enum ptx_type transfer_type(const struct ptx_instr *in, uint32_t i)
{
	const char *c = ptx_ops[in->op].operands;

	/* The letter of operand i. */
	for (uint32_t k = 0; *c; c++) {
		if (*c == '=' || *c == '|' || *c == '?')
			continue;
		if (k++ == i)
			break;
	}
	switch (*c) {
	case '1':
	case 'S':
		return (enum ptx_type)in->types[1];
	case 'i':
	case '#':
		return PTX_TYPE_S32;
	case 'l':
		return PTX_TYPE_B64;
	default:
		return in->types[0] ? (enum ptx_type)in->types[0]
				    : PTX_TYPE_B32;
	}
}

struct value transfer_source(struct analysis *n, uint32_t function,
			     const struct ptx_instr *in, uint32_t i)
{
	const struct ptx_function *f = &n->m->functions[function];

	return transfer_value(n, function, ptx_operand(f, in, i),
			      transfer_type(in, i));
}

static struct value transfer_mul(struct analysis *n, uint32_t function,
				 const struct ptx_instr *in)
{
	struct value a = transfer_source(n, function, in, 1);
	struct value b = transfer_source(n, function, in, 2);
	const struct ptx_type_info *t = &ptx_types[in->types[0]];
	bool is_signed = t->kind == PTX_KIND_S;

	if (in->mod[PTX_MOD_MUL] == PTX_MUL_HI)
		return value_mix(&a, &b);
	if (in->mod[PTX_MOD_MUL] == PTX_MUL_WIDE) {
		if (t->bits > 32)
			return value_mix(&a, &b);
		a = value_extend(&a, t->bits, is_signed, n->extent);
		b = value_extend(&b, t->bits, is_signed, n->extent);
	}
	return value_mul(&a, &b, n->extent);
}

/* Whether 24 bits hold a number, whatever its sign is taken for. */
static bool is_short(const struct analysis *n, const struct value *v)
{
	int64_t lo, hi;

	value_range(v, n->extent, &lo, &hi);
	return value_is_clean(v) && lo >= 0 && hi < 1 << 23;
}

static struct value transfer_mul24(struct analysis *n, uint32_t function,
				   const struct ptx_instr *in)
{
	struct value a = transfer_source(n, function, in, 1);
	struct value b = transfer_source(n, function, in, 2), c;
	bool whole = in->mod[PTX_MOD_MUL] == PTX_MUL_LO &&
		     !in->mod[PTX_MOD_SAT] && is_short(n, &a) &&
		     is_short(n, &b);
	struct value v =
		whole ? value_mul(&a, &b, n->extent) : value_mix(&a, &b);

	if (in->op != PTX_OP_mad24)
		return v;
	c = transfer_source(n, function, in, 3);
	return whole ? value_add(&v, &c) : value_mix(&v, &c);
}

static struct value transfer_cvt(struct analysis *n, uint32_t function,
				 const struct ptx_instr *in)
{
	const struct ptx_type_info *d = &ptx_types[in->types[0]];
	const struct ptx_type_info *s = &ptx_types[in->types[1]];
	const struct ptx_operand *o =
		ptx_operand(&n->m->functions[function], in, 0);
	struct value a = transfer_source(n, function, in, 1);

	if (d->kind == PTX_KIND_F || s->kind == PTX_KIND_F ||
	    in->mod[PTX_MOD_SAT])
		return value_mix(&a, &a);
	/* Half of an address is no address, unless it has only that. */
	if (!value_is_clean(&a) &&
	    (d->bits < 32 || s->bits < 32 ||
	     (d->bits < s->bits &&
	      (a.kinds != VALUE_ADDRESS || !analysis_is_small(n, &a)))))
		return value_mix(&a, &a);
	return integer_convert(
		n, (enum ptx_type)in->types[0], (enum ptx_type)in->types[1],
		o->kind == PTX_OPERAND_REG ? ptx_class_bits(o->cls) : d->bits,
		a);
}

/* Between a space and the generic addresses, whose windows lie elsewhere on
 * each architecture. */
static struct value transfer_cvta(struct analysis *n,
				  const struct ptx_instr *in, struct value a)
{
	bool to_space = in->mod[PTX_MOD_TO] != 0;
	uint8_t space = ptx_mod_canonical(in, PTX_MOD_SPACE);
	uint64_t bases = 0;

	if (space == PTX_SPACE_GLOBAL || !a.kinds)
		return a;
	for (uint32_t b = 0; b < n->base_count; b++) {
		const struct object *o = &n->objects[n->base_object[b]];

		if (!(a.bases >> b & 1))
			continue;
		if (o->space != space || b != (to_space ? o->generic : o->base))
			a.kinds |= VALUE_MIXED;
		bases |= 1ull << (to_space ? o->base : o->generic);
	}
	if (a.kinds != VALUE_ADDRESS || a.bases >> BASE_OTHER & 1) {
		/* A number becomes one that tells where the window is. */
		a = value_mix(&a, &a);
		a.kinds = VALUE_MIXED;
		bases |= 1ull << BASE_OTHER;
	}
	a.bases = bases;
	return a;
}

static bool is_integer(const struct ptx_instr *in)
{
	const struct ptx_type_info *t = &ptx_types[in->types[0]];

	/* Two halves are no whole. */
	if (in->types[0] == PTX_TYPE_U16X2 || in->types[0] == PTX_TYPE_S16X2)
		return false;
	return t->kind != PTX_KIND_F && t->kind != PTX_KIND_P &&
	       t->bits >= 32 && !in->mod[PTX_MOD_SAT];
}

/* Every operand that is read, mixed. */
static struct value mix_sources(struct analysis *n, uint32_t function,
				const struct ptx_instr *in)
{
	struct value v = value_any();

	for (uint32_t i = ptx_dest_count(in); i < in->operand_count; i++) {
		struct value s;

		if (ptx_operand(&n->m->functions[function], in, i)->kind ==
		    PTX_OPERAND_NONE)
			continue;
		s = transfer_source(n, function, in, i);
		v = value_mix(&v, &s);
		if (!v.kinds)
			break;
	}
	/* Bits that are mixed, not counted: how searches make numbers. */
	if (in->op == PTX_OP_xor || in->op == PTX_OP_lop3 ||
	    in->op == PTX_OP_shf || in->op == PTX_OP_prmt ||
	    ptx_ops[in->op].trait == PTX_TRAIT_WARP)
		v.irregular = v.irregular ||
			      ptx_types[in->types[0]].kind != PTX_KIND_P;
	return v;
}

static struct value transfer_bits(struct analysis *n,
				  const struct ptx_instr *in,
				  const struct value *a, const struct value *b)
{
	struct value both = value_mix(a, b);
	uint32_t align = analysis_align(n, &both);

	switch (in->op) {
	case PTX_OP_shl:
		return value_shl(a, b, n->extent);
	case PTX_OP_and:
		return integer_and(n, a, b, align);
	default:
		return value_or(a, b, align, n->extent);
	}
}

static struct value transfer_selp(struct analysis *n, uint32_t function,
				  const struct ptx_instr *in, struct value a,
				  struct value b)
{
	const struct ptx_function *f = &n->m->functions[function];
	const struct ptx_operand *o = ptx_operand(f, in, 1);
	const struct ptx_operand *p = ptx_operand(f, in, 3);
	struct value c = transfer_source(n, function, in, 3);

	for (uint32_t i = 0; i < 2 && p->kind == PTX_OPERAND_REG; i++)
		if (o[i].kind == PTX_OPERAND_REG)
			facts_bound_if(n, function, p->index,
				       (i == 0) != p->negated, o[i].index,
				       i == 0 ? &a : &b);
	value_join(&a, &b, n->extent);
	a.irregular |= c.irregular;
	return a;
}

/* Another lane's value: of the same origin. */
static struct value transfer_shfl(struct analysis *n, uint32_t function,
				  const struct ptx_instr *in)
{
	struct value a = transfer_source(n, function, in, 2);

	value_flatten(&a, n->extent);
	if (a.kinds & VALUE_LINEAR)
		a.kinds = VALUE_MIXED;
	a.irregular = true;
	return a;
}

/* Sums and products of whole integers; false: no rule. */
static bool transfer_whole(struct analysis *n, uint32_t function,
			   const struct ptx_instr *in, const struct value *a,
			   const struct value *b, struct value *ret)
{
	enum ptx_type t = (enum ptx_type)in->types[0];
	struct value c = value_const(0);

	if (!is_integer(in) || in->mod[PTX_MOD_CC])
		return false;
	switch (in->op) {
	case PTX_OP_add:
		*ret = value_add(a, b);
		return true;
	case PTX_OP_sub:
		*ret = value_sub(a, b);
		return true;
	case PTX_OP_neg:
		*ret = value_sub(&c, a);
		return true;
	case PTX_OP_not:
		c = value_const(-1);
		*ret = value_is_clean(a) ? value_sub(&c, a) : value_mix(a, a);
		return true;
	case PTX_OP_mul:
		*ret = transfer_mul(n, function, in);
		return true;
	case PTX_OP_mad:
		c = transfer_source(n, function, in, 3);
		*ret = transfer_mul(n, function, in);
		*ret = value_add(ret, &c);
		return true;
	case PTX_OP_mul24:
	case PTX_OP_mad24:
		*ret = transfer_mul24(n, function, in);
		return true;
	case PTX_OP_shl:
	case PTX_OP_and:
	case PTX_OP_or:
		*ret = transfer_bits(n, in, a, b);
		return true;
	case PTX_OP_shr:
		*ret = integer_shr(n, t, a, b);
		return true;
	case PTX_OP_div:
	case PTX_OP_rem:
		*ret = integer_divide(n, t, a, b, in->op == PTX_OP_rem);
		return true;
	case PTX_OP_min:
	case PTX_OP_max:
		if (in->operand_count != 3 || in->mod[PTX_MOD_RELU])
			return false;
		*ret = integer_least(n, t, a, b, in->op == PTX_OP_max);
		return true;
	case PTX_OP_bfe:
		c = transfer_source(n, function, in, 3);
		*ret = integer_extract(n, t, a, b, &c);
		return true;
	default:
		return false;
	}
}

/* The address of memory of the stack, or a number that tells where it is. */
static struct value transfer_stack(struct analysis *n, uint32_t function,
				   const struct ptx_instr *in)
{
	uint32_t object = analysis_stack_of(n, function, in);
	struct value v = value_any();

	if (object != PTX_NO_INDEX)
		return value_address(n->objects[object].base, 0);
	v.kinds = VALUE_MIXED;
	v.bases = 1ull << BASE_OTHER;
	return v;
}

static struct value transfer_plain(struct analysis *n, uint32_t function,
				   const struct ptx_instr *in)
{
	struct value a = {0}, b = {0}, c;

	if (in->operand_count > 1)
		a = transfer_source(n, function, in, 1);
	if (in->operand_count > 2)
		b = transfer_source(n, function, in, 2);
	switch (in->op) {
	case PTX_OP_mov:
		if (ptx_operand(&n->m->functions[function], in, 0)->kind ==
		    PTX_OPERAND_VECTOR)
			return value_mix(&a, &a);
		return a;
	case PTX_OP_cvta:
		return transfer_cvta(n, in, a);
	case PTX_OP_cvt:
		if (in->operand_count == 2)
			return transfer_cvt(n, function, in);
		break;
	case PTX_OP_selp:
		return transfer_selp(n, function, in, a, b);
	case PTX_OP_shfl:
		return transfer_shfl(n, function, in);
	case PTX_OP_isspacep:
		return value_any();
	case PTX_OP_alloca:
	case PTX_OP_stacksave:
		return transfer_stack(n, function, in);
	case PTX_OP_popc:
	case PTX_OP_clz:
		c = value_mix(&a, &a);
		if (value_is_clean(&c))
			value_clip(&c, n->extent, 0, 64);
		return c;
	default:
		if (transfer_whole(n, function, in, &a, &b, &c))
			return c;
		break;
	}
	return mix_sources(n, function, in);
}

/* Comparisons that learn nothing of where memory lies give clean results. */
static struct value transfer_setp(struct analysis *n, uint32_t function,
				  const struct ptx_instr *in)
{
	uint32_t first = ptx_dest_count(in);
	struct value a = transfer_source(n, function, in, first);
	struct value b = transfer_source(n, function, in, first + 1), v;

	v = value_mix(&a, &b);
	if (!v.kinds)
		return v;
	v.kinds = VALUE_CLEAN;
	v.bases = 0;
	if (in->operand_count > first + 2) {
		struct value c = transfer_source(n, function, in, first + 2);

		v = value_mix(&v, &c);
	}
	return v;
}

/* The carry flag is one value for all places: of all that may set it. */
static struct value transfer_carry(struct analysis *n, uint32_t function,
				   const struct ptx_instr *in, struct value v)
{
	if (in->op == PTX_OP_addc || in->op == PTX_OP_subc ||
	    in->op == PTX_OP_madc)
		v = value_mix(&v, &n->carry);
	if (in->mod[PTX_MOD_CC]) {
		struct value c = mix_sources(n, function, in);

		n->grew |= value_join(&n->carry, &c, n->extent);
	}
	return v;
}

static void set_all(struct analysis *n, uint32_t function,
		    const struct ptx_operand *o, struct value v)
{
	const struct ptx_function *f = &n->m->functions[function];

	if (o->kind != PTX_OPERAND_VECTOR) {
		analysis_set(n, function, o, v);
		return;
	}
	for (uint32_t i = 0; i < o->count; i++)
		analysis_set(n, function, &f->elements[o->index + i], v);
}

void transfer_instr(struct analysis *n, uint32_t function,
		    const struct ptx_instr *in)
{
	const struct ptx_function *f = &n->m->functions[function];
	struct value v;

	switch (in->op) {
	case PTX_OP_ld:
	case PTX_OP_ldu:
		transfer_load(n, function, in);
		return;
	case PTX_OP_st:
		transfer_store(n, function, in);
		return;
	case PTX_OP_call:
		transfer_call(n, function, in);
		return;
	case PTX_OP_red:
	case PTX_OP_atom:
	case PTX_OP_cp_async:
	case PTX_OP_stmatrix:
		transfer_update(n, function, in);
		v = value_data();
		break;
	case PTX_OP_ldmatrix:
		v = transfer_anywhere(n, function, ptx_operand(f, in, 1));
		break;
	case PTX_OP_setp:
	case PTX_OP_set:
		v = transfer_setp(n, function, in);
		break;
	default:
		if (ptx_dest_count(in) == 0)
			return;
		v = transfer_carry(n, function, in,
				   transfer_plain(n, function, in));
		break;
	}
	for (uint32_t i = 0; i < ptx_dest_count(in); i++)
		set_all(n, function, ptx_operand(f, in, i), v);
}
