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
		return value_id(id);
	case PTX_SREG_NTID:
	case PTX_SREG_NCTAID:
		id = o->component + (o->index == PTX_SREG_NCTAID ? 3u : 0u);
		if (n->extent[id])
			return value_const((int64_t)n->extent[id]);
		return value_any();
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
		return *analysis_reg(n, function, o);
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
			value_join(&v, &e, false);
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

static struct value source(struct analysis *n, uint32_t function,
			   const struct ptx_instr *in, uint32_t i)
{
	const struct ptx_function *f = &n->m->functions[function];

	return transfer_value(n, function, ptx_operand(f, in, i),
			      transfer_type(in, i));
}

/* A constant of the launch's parameters, if the load is of one. */
static bool load_launch(struct analysis *n, uint32_t function,
			const struct object *o, int64_t offset,
			const struct ptx_instr *in, struct value *ret)
{
	const struct ptx_type_info *t = &ptx_types[in->types[0]];
	uint64_t at, bits = 0;
	uint32_t bytes = t->bits / 8u;

	if (!n->launch || function != n->kernel || o->kind != OBJECT_PARAM ||
	    o->function != n->kernel || offset < 0 || bytes > 8 ||
	    in->mod[PTX_MOD_VEC] || t->kind == PTX_KIND_F)
		return false;
	at = n->m->functions[function].params[o->index].offset +
	     (uint64_t)offset;
	if (at + bytes > n->launch->params.n)
		return false;
	for (uint32_t i = 0; i < n->launch->bound_count; i++)
		if (n->launch->bound[i].param_offset < at + bytes &&
		    at < n->launch->bound[i].param_offset + 8ull)
			return false;
	for (uint32_t i = 0; i < bytes; i++)
		bits |= (uint64_t)n->launch->params.p[at + i] << (8 * i);
	if (t->kind == PTX_KIND_U && bytes < 4)
		*ret = value_const((int64_t)bits);
	else
		*ret = value_const(
			signed_imm(bits, (enum ptx_type)in->types[0]));
	return true;
}

static struct value load_from(struct analysis *n, uint32_t function,
			      const struct ptx_instr *in,
			      const struct value *at)
{
	bool known = at->shape == SHAPE_AFFINE && at->step == 0;
	struct value v = {0}, part;

	for (uint32_t i = 0; i < VALUE_IDS; i++)
		known = known && at->coef[i] == 0;
	for (uint32_t b = 0; b < n->base_count; b++) {
		const struct object *o;

		if (!(at->bases >> b & 1))
			continue;
		o = &n->objects[n->base_object[b]];
		if (!known || !load_launch(n, function, o, at->c0, in, &part))
			part = analysis_load(n, n->base_object[b], known,
					     at->c0, transfer_bytes(in));
		value_join(&v, &part, false);
	}
	if (value_may_be_anywhere(at)) {
		/* Some memory without a name: it may hold what any such
		 * object holds. */
		part = value_data();
		value_join(&v, &part, false);
		for (uint32_t i = 0;
		     at->bases >> BASE_OTHER & 1 && i < n->object_count; i++) {
			if (!analysis_is_other(&n->objects[i]))
				continue;
			part = analysis_load(n, i, false, 0, 1);
			value_join(&v, &part, false);
		}
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

static void load_direct(struct analysis *n, uint32_t function,
			const struct ptx_instr *in, uint32_t object)
{
	const struct ptx_function *f = &n->m->functions[function];
	const struct ptx_operand *d = ptx_operand(f, in, 0);
	int64_t at = ptx_operand(f, in, 1)->offset;
	uint32_t bytes = ptx_types[in->types[0]].bits / 8u;
	struct value v;

	if (d->kind != PTX_OPERAND_VECTOR) {
		if (!load_launch(n, function, &n->objects[object], at, in, &v))
			v = analysis_load(n, object, true, at, bytes);
		analysis_set(n, function, d, v);
		return;
	}
	for (uint32_t i = 0; i < d->count; i++)
		analysis_set(n, function, &f->elements[d->index + i],
			     analysis_load(n, object, true,
					   at + (int64_t)bytes * i, bytes));
}

static void transfer_load(struct analysis *n, uint32_t function,
			  const struct ptx_instr *in)
{
	const struct ptx_function *f = &n->m->functions[function];
	const struct ptx_operand *d = ptx_operand(f, in, 0);
	struct value at = transfer_address(n, function, ptx_operand(f, in, 1));
	uint32_t bytes = ptx_types[in->types[0]].bits / 8u;
	uint32_t object =
		analysis_object_of(n, function, ptx_operand(f, in, 1));
	struct ptx_instr one = *in;

	/* Named directly, it may have no number. */
	if (object != PTX_NO_INDEX) {
		load_direct(n, function, in, object);
		return;
	}
	if (d->kind != PTX_OPERAND_VECTOR) {
		analysis_set(n, function, d, load_from(n, function, in, &at));
		return;
	}
	one.mod[PTX_MOD_VEC] = PTX_VEC_NONE;
	for (uint32_t i = 0; i < d->count; i++) {
		struct value step = value_const((int64_t)bytes * i);
		struct value e = value_add(&at, &step);

		analysis_set(n, function, &f->elements[d->index + i],
			     load_from(n, function, &one, &e));
	}
}

static void store_to(struct analysis *n, const struct value *at, uint32_t bytes,
		     struct value v)
{
	bool known = at->shape == SHAPE_AFFINE && at->step == 0;

	for (uint32_t i = 0; i < VALUE_IDS; i++)
		known = known && at->coef[i] == 0;
	for (uint32_t b = 0; b < n->base_count; b++)
		if (at->bases >> b & 1)
			analysis_store(n, n->base_object[b], known, at->c0,
				       bytes, v);
	for (uint32_t i = 0; at->bases >> BASE_OTHER & 1 && i < n->object_count;
	     i++)
		if (analysis_is_other(&n->objects[i]))
			analysis_store(n, i, false, 0, bytes, v);
}

/* Into an object that is named, or wherever at points. */
static void store_value(struct analysis *n, uint32_t object,
			const struct value *at, uint32_t bytes, struct value v)
{
	if (object != PTX_NO_INDEX)
		analysis_store(n, object, true, at->c0, bytes, v);
	else
		store_to(n, at, bytes, v);
}

static void transfer_store(struct analysis *n, uint32_t function,
			   const struct ptx_instr *in)
{
	const struct ptx_function *f = &n->m->functions[function];
	const struct ptx_operand *m = ptx_operand(f, in, 0);
	const struct ptx_operand *s = ptx_operand(f, in, 1);
	struct value at = transfer_address(n, function, m);
	uint32_t object = analysis_object_of(n, function, m);
	uint32_t bytes = ptx_types[in->types[0]].bits / 8u;
	enum ptx_type t = (enum ptx_type)in->types[0];

	if (s->kind != PTX_OPERAND_VECTOR) {
		store_value(n, object, &at, bytes,
			    transfer_value(n, function, s, t));
		return;
	}
	for (uint32_t i = 0; i < s->count; i++) {
		struct value step = value_const((int64_t)bytes * i);
		struct value e = value_add(&at, &step);

		store_value(n, object, &e, bytes,
			    transfer_value(n, function,
					   &f->elements[s->index + i], t));
	}
}

/* A value into a parameter or result of another function. */
static void bind_in(struct analysis *n, uint32_t function,
		    const struct ptx_operand *actual, uint32_t callee,
		    const struct ptx_param *formal, uint32_t object)
{
	struct ptx_operand reg = {.kind = PTX_OPERAND_REG,
				  .cls = formal->cls,
				  .index = formal->index};
	struct value v;

	if (actual->kind == PTX_OPERAND_ADDRESS) {
		const struct object *from =
			&n->objects[n->variable_object[actual->index]];
		const struct object *to = &n->objects[object];

		for (uint32_t i = 0; i < from->cell_count; i++)
			analysis_store(n, object, to->cell_count > 1,
				       (int64_t)i * 8,
				       to->bytes - i * 8u < 8
					       ? (uint32_t)(to->bytes - i * 8u)
					       : 8,
				       n->cells[from->cell_first + i]);
		return;
	}
	v = transfer_value(n, function, actual, PTX_TYPE_B64);
	if (formal->in_register)
		analysis_set(n, callee, &reg, v);
	else
		analysis_store(n, object, true, 0, formal->bytes, v);
}

static void bind_out(struct analysis *n, uint32_t function,
		     const struct ptx_operand *actual, uint32_t callee,
		     const struct ptx_param *formal, uint32_t object)
{
	struct ptx_operand reg = {.kind = PTX_OPERAND_REG,
				  .cls = formal->cls,
				  .index = formal->index};
	struct value v;

	if (formal->in_register)
		v = *analysis_reg(n, callee, &reg);
	else
		v = analysis_load(n, object, true, 0, formal->bytes);
	if (actual->kind == PTX_OPERAND_REG) {
		analysis_set(n, function, actual, v);
	} else if (actual->kind == PTX_OPERAND_ADDRESS) {
		uint32_t to = n->variable_object[actual->index];
		const struct object *from = &n->objects[object];

		for (uint32_t i = 0; i < from->cell_count; i++)
			analysis_store(
				n, to, n->objects[to].cell_count > 1,
				(int64_t)i * 8,
				from->bytes - i * 8u < 8
					? (uint32_t)(from->bytes - i * 8u)
					: 8,
				n->cells[from->cell_first + i]);
	}
}

static void bind_call(struct analysis *n, uint32_t function,
		      const struct ptx_call *c, uint32_t callee)
{
	const struct ptx_function *g = &n->m->functions[callee];

	if (g->param_count != c->arg_count ||
	    g->return_count != c->result_count)
		return; /* an indirect call of another shape: undefined */
	for (uint32_t i = 0; i < c->arg_count; i++)
		if (c->args[i].kind == PTX_OPERAND_ADDRESS &&
		    g->params[i].in_register)
			return;
	for (uint32_t i = 0; i < c->arg_count; i++)
		bind_in(n, function, &c->args[i], callee, &g->params[i],
			n->param_object[callee] + i);
	for (uint32_t i = 0; i < c->result_count; i++)
		bind_out(n, function, &c->results[i], callee, &g->returns[i],
			 n->return_object[callee] + i);
}

static void transfer_call(struct analysis *n, uint32_t function,
			  const struct ptx_instr *in)
{
	const struct ptx_call *c = &n->m->functions[function].calls[in->aux];

	if (c->callee != PTX_NO_INDEX) {
		bind_call(n, function, c, c->callee);
		return;
	}
	for (uint32_t i = 0; i < n->m->function_count; i++)
		if (n->reach.addressed[i] && n->reach.functions[i])
			bind_call(n, function, c, i);
}

static struct value transfer_mul(struct analysis *n, uint32_t function,
				 const struct ptx_instr *in)
{
	struct value a = source(n, function, in, 1);
	struct value b = source(n, function, in, 2);
	bool is_signed = ptx_types[in->types[0]].kind == PTX_KIND_S;

	if (in->mod[PTX_MOD_MUL] == PTX_MUL_HI)
		return value_mix(&a, &b);
	if (in->mod[PTX_MOD_MUL] == PTX_MUL_WIDE) {
		if (ptx_types[in->types[0]].bits != 32)
			return value_mix(&a, &b);
		a = value_widen(&a, is_signed, n->extent);
		b = value_widen(&b, is_signed, n->extent);
	}
	return value_mul(&a, &b);
}

static struct value transfer_cvt(struct analysis *n, uint32_t function,
				 const struct ptx_instr *in)
{
	const struct ptx_type_info *d = &ptx_types[in->types[0]];
	const struct ptx_type_info *s = &ptx_types[in->types[1]];
	struct value a = source(n, function, in, 1);

	if (d->kind == PTX_KIND_F || s->kind == PTX_KIND_F ||
	    in->mod[PTX_MOD_SAT] || d->bits < 32 || s->bits < 32)
		return value_mix(&a, &a);
	/* Half of an address is no address, unless it has only that. */
	if (!value_is_clean(&a) && d->bits < s->bits &&
	    (a.kinds != VALUE_ADDRESS || !analysis_is_small(n, &a)))
		return value_mix(&a, &a);
	if (d->bits == 64 && s->bits == 32)
		return value_widen(&a, s->kind == PTX_KIND_S, n->extent);
	return a;
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
		s = source(n, function, in, i);
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

	if (in->op == PTX_OP_shl)
		return value_shl(a, b);
	return in->op == PTX_OP_and ? value_and(a, b, align)
				    : value_or(a, b, align);
}

static struct value transfer_plain(struct analysis *n, uint32_t function,
				   const struct ptx_instr *in)
{
	struct value a = {0}, b = {0}, c;
	bool whole = is_integer(in);

	if (in->operand_count > 1)
		a = source(n, function, in, 1);
	if (in->operand_count > 2)
		b = source(n, function, in, 2);
	switch (in->op) {
	case PTX_OP_mov:
		if (ptx_operand(&n->m->functions[function], in, 0)->kind ==
		    PTX_OPERAND_VECTOR)
			return value_mix(&a, &a);
		return a;
	case PTX_OP_cvta:
		return transfer_cvta(n, in, a);
	case PTX_OP_add:
		if (whole && !in->mod[PTX_MOD_CC])
			return value_add(&a, &b);
		break;
	case PTX_OP_sub:
		if (whole && !in->mod[PTX_MOD_CC])
			return value_sub(&a, &b);
		break;
	case PTX_OP_neg:
		c = value_const(0);
		if (whole)
			return value_sub(&c, &a);
		break;
	case PTX_OP_mul:
		if (whole)
			return transfer_mul(n, function, in);
		break;
	case PTX_OP_mad:
		if (whole && !in->mod[PTX_MOD_CC]) {
			c = source(n, function, in, 3);
			a = transfer_mul(n, function, in);
			return value_add(&a, &c);
		}
		break;
	case PTX_OP_shl:
	case PTX_OP_and:
	case PTX_OP_or:
		return whole ? transfer_bits(n, in, &a, &b) : value_mix(&a, &b);
	case PTX_OP_cvt:
		if (in->operand_count == 2)
			return transfer_cvt(n, function, in);
		break;
	case PTX_OP_selp:
		c = source(n, function, in, 3);
		value_join(&a, &b, false);
		a.irregular |= c.irregular;
		return a;
	case PTX_OP_shfl:
		/* Another lane's value: of the same origin. */
		a = source(n, function, in, 2);
		c = value_mix(&a, &a);
		a.shape = SHAPE_ANY;
		c.kinds = a.kinds & VALUE_LINEAR ? VALUE_MIXED : a.kinds;
		c.irregular = true;
		return c;
	case PTX_OP_isspacep:
		return value_any();
	default:
		break;
	}
	return mix_sources(n, function, in);
}

/* Comparisons that learn nothing of where memory lies give clean results. */
static struct value transfer_setp(struct analysis *n, uint32_t function,
				  const struct ptx_instr *in)
{
	uint32_t first = ptx_dest_count(in);
	struct value a = source(n, function, in, first);
	struct value b = source(n, function, in, first + 1), v;

	v = value_mix(&a, &b);
	if (!v.kinds)
		return v;
	v.kinds = VALUE_CLEAN;
	v.bases = 0;
	if (in->operand_count > first + 2) {
		struct value c = source(n, function, in, first + 2);

		v = value_mix(&v, &c);
	}
	return v;
}

/* Memory that is changed to some number. */
static void transfer_update(struct analysis *n, uint32_t function,
			    const struct ptx_instr *in)
{
	const struct ptx_function *f = &n->m->functions[function];
	struct value any = value_data(), at;
	uint32_t object;

	for (uint32_t i = 0; i < in->operand_count; i++) {
		const struct ptx_operand *o = ptx_operand(f, in, i);

		if (o->kind != PTX_OPERAND_MEMORY)
			continue;
		at = transfer_address(n, function, o);
		at.shape = SHAPE_ANY;
		object = analysis_object_of(n, function, o);
		if (object != PTX_NO_INDEX)
			analysis_store(n, object, false, 0, 8, any);
		else
			store_to(n, &at, 8, any);
		return;
	}
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
		FALLTHROUGH;
	case PTX_OP_ldmatrix:
		v = value_data();
		break;
	case PTX_OP_setp:
	case PTX_OP_set:
		v = transfer_setp(n, function, in);
		break;
	default:
		if (ptx_dest_count(in) == 0)
			return;
		v = transfer_plain(n, function, in);
		break;
	}
	for (uint32_t i = 0; i < ptx_dest_count(in); i++)
		set_all(n, function, ptx_operand(f, in, i), v);
}
