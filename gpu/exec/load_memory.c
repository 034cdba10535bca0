/*
 * ld, st, atom, red and their addresses.  A load brings the bytes into lanes;
 * extensions and wide registers are ops of their own behind it.
 */
#include "gpu/exec/priv/load.h"
#include "gpu/exec/priv/soft.h"

static bool is_param_space(uint32_t space)
{
	return space == PTX_SPACE_PARAM || space == PTX_SPACE_PARAM_ENTRY ||
	       space == PTX_SPACE_PARAM_FUNC;
}

static void static_place(struct loader *l, struct op *o, enum op_space space,
			 uint64_t at, uint64_t place_bytes, int64_t offset)
{
	uint64_t size = (uint64_t)o->size * o->vec;
	if (offset < 0 || (uint64_t)offset + size > place_bytes)
		load_refuse(l, "is outside its parameter");
	if ((at + (uint64_t)offset) % size != 0)
		load_refuse(l, "is misaligned in its parameter");
	o->space = (uint8_t)space;
	o->is_static = 1;
	o->offset = (int64_t)at + offset;
}

static void param_place(struct loader *l, const struct ptx_operand *mem,
			struct op *o)
{
	const struct ptx_function *pf = l->pf;
	if (mem->base == PTX_BASE_VARIABLE) {
		struct place p = l->variable_place[mem->index];
		static_place(l, o, SPACE_FRAME, p.at, p.bytes, mem->offset);
		return;
	}
	bool is_return = mem->base == PTX_BASE_RETURN;
	const struct ptx_param *p =
		is_return ? &pf->returns[mem->index] : &pf->params[mem->index];
	if (p->in_register || (is_return && l->f->is_entry)) {
		load_refuse(l, "has a parameter that is no memory");
	} else if (l->f->is_entry) {
		static_place(l, o, SPACE_PARAM, p->offset, p->bytes,
			     mem->offset);
	} else {
		struct place at = is_return ? l->f->return_places[mem->index]
					    : l->f->param_places[mem->index];
		static_place(l, o, SPACE_FRAME, at.at, at.bytes, mem->offset);
	}
}

static enum op_space space_of(struct loader *l, uint32_t space)
{
	switch (space) {
	case PTX_SPACE_NONE:
		return SPACE_GENERIC;
	case PTX_SPACE_GLOBAL:
	case PTX_SPACE_CONST:
		return SPACE_GLOBAL;
	case PTX_SPACE_SHARED:
	case PTX_SPACE_SHARED_CTA:
		return SPACE_SHARED;
	case PTX_SPACE_LOCAL:
		return SPACE_LOCAL;
	case PTX_SPACE_PARAM:
	case PTX_SPACE_PARAM_ENTRY:
		return SPACE_PARAM;
	default:
		break;
	}
	load_refuse(l, "names a state space that is not done here");
	return SPACE_GLOBAL;
}

static void variable_address(struct loader *l, const struct ptx_operand *mem,
			     struct op *o)
{
	const struct ptx_variable *v = &l->pm->variables[mem->index];
	uint64_t home = l->variable_home[mem->index];
	o->is_wide = 1;
	if (v->space == PTX_SPACE_LOCAL) {
		o->a = load_local_address(
			l, mem->index,
			o->space == SPACE_GENERIC ? WINDOW_LOCAL : 0, true);
	} else if (v->space == PTX_SPACE_SHARED) {
		o->a = load_address(
			l, FIX_SHARED, (uint32_t)home,
			o->space == SPACE_GENERIC ? WINDOW_SHARED : 0, true);
	} else if (v->space == PTX_SPACE_PARAM) {
		load_refuse(l, "names a parameter as other memory");
	} else {
		o->a = load_address(l, FIX_VARIABLE, (uint32_t)home, 0, true);
	}
}

void load_memory(struct loader *l, const struct ptx_operand *mem,
		 uint32_t space_mod, struct op *o)
{
	if (mem->kind != PTX_OPERAND_MEMORY) {
		load_refuse(l, "has no memory operand");
		return;
	}
	if (is_param_space(space_mod) && mem->base != PTX_BASE_REG &&
	    mem->base != PTX_BASE_NONE) {
		if (mem->base == PTX_BASE_VARIABLE &&
		    l->pm->variables[mem->index].space != PTX_SPACE_PARAM)
			load_refuse(l, "names no parameter");
		else
			param_place(l, mem, o);
		return;
	}
	o->space = (uint8_t)space_of(l, space_mod);
	o->offset = mem->offset;
	switch (mem->base) {
	case PTX_BASE_REG:
		o->is_wide = mem->cls == PTX_CLASS_64;
		o->a = load_unit(l, mem->cls, mem->index);
		if (mem->cls != PTX_CLASS_64 && mem->cls != PTX_CLASS_32)
			load_refuse(l, "has an address of the wrong width");
		break;
	case PTX_BASE_VARIABLE:
		variable_address(l, mem, o);
		break;
	case PTX_BASE_NONE:
		o->is_wide = 1;
		o->a = load_constant(l, 0, true);
		break;
	default:
		load_refuse(l, "has an address that is not done here");
	}
}

static void memory_shape(struct loader *l, struct op *o)
{
	static const uint8_t counts[4] = {1, 2, 4, 8};
	uint32_t type = l->in->types[0];
	o->size = (uint8_t)load_type_bytes(type);
	o->vec = counts[l->in->mod[PTX_MOD_VEC] & 3u];
	/* 128 bits are two of 64. */
	if (type == PTX_TYPE_B128) {
		o->size = 8;
		o->vec = 2;
	}
	if (type == PTX_TYPE_PRED || o->size > 8 || o->size * o->vec > 32)
		load_refuse(l, "is not executed here");
}

/* Element i of a vector operand, or the operand itself; of a register of 128
 * bits the operand twice. */
static const struct ptx_operand *element(struct loader *l,
					 const struct ptx_operand *v,
					 uint32_t i, uint32_t count)
{
	static const struct ptx_operand none;
	if (v->kind == PTX_OPERAND_REG && v->cls == PTX_CLASS_128)
		return l->in->types[0] == PTX_TYPE_B128 ? v : &none;
	if (v->kind != PTX_OPERAND_VECTOR)
		return count == 1 ? v : &none;
	if (v->count != count) {
		load_refuse(l, "has a vector of the wrong length");
		return &none;
	}
	return &l->pf->elements[v->index + i];
}

static bool reserve_list(struct loader *l, uint32_t n)
{
	void *p = l->m->lists;
	bool ok = load_grow(l, &p, &l->list_cap, l->m->list_count + n,
			    sizeof(op_ref));
	l->m->lists = p;
	return ok;
}

/* Where a loaded element goes first: its register, or a temporary when more
 * ops must bring it there. */
static op_ref load_place(struct loader *l, const struct ptx_operand *e,
			 uint32_t size, uint32_t i)
{
	if (e->kind == PTX_OPERAND_NONE)
		return load_temp(l, i);
	uint32_t have =
		e->kind == PTX_OPERAND_REG ? load_class_bytes(e->cls) : 0;
	if (have == 16)
		return load_unit(l, e->cls, e->index) + 2 * i;
	if (have < size || have < 2 || have > 8 || e->cls == PTX_CLASS_PRED) {
		load_refuse(l, "has a register of the wrong width");
		return 0;
	}
	if (have == 8 && size < 8)
		return load_temp(l, i);
	return load_unit(l, e->cls, e->index);
}

static void extend_loaded(struct loader *l, const struct ptx_operand *e,
			  uint32_t size, op_ref at)
{
	bool is_signed = ptx_types[l->in->types[0]].kind == PTX_KIND_S;
	uint32_t have = load_class_bytes(e->cls);
	if (e->kind == PTX_OPERAND_NONE || have == size || have == 16)
		return;
	if (is_signed && size < 4) {
		struct op *o = load_emit(l, size == 1 ? OP_ext_s8 : OP_ext_s16);
		o->d = o->a = at;
	}
	if (have == 2 && is_signed) {
		struct op *o = load_emit(l, OP_ext_u16);
		o->d = o->a = at;
	}
	if (have == 8) {
		struct op *o =
			load_emit(l, is_signed ? OP_widen_s : OP_widen_u);
		o->d = load_unit(l, e->cls, e->index);
		o->a = at;
	}
}

void load_ld(struct loader *l)
{
	struct op o = {0};
	const struct ptx_operand *d = load_operand(l, 0);
	memory_shape(l, &o);
	load_memory(l, load_operand(l, 1), l->in->mod[PTX_MOD_SPACE], &o);
	if (l->err != ERR_OK || !reserve_list(l, o.vec))
		return;
	uint32_t list = l->m->list_count;
	l->m->list_count += o.vec;
	for (uint32_t i = 0; i < o.vec; i++)
		l->m->lists[list + i] =
			load_place(l, element(l, d, i, o.vec), o.size, i);
	struct op *e = load_emit(l, o.is_static && o.space == SPACE_PARAM
					    ? OP_ld_static
					    : OP_ld);
	e->space = o.space;
	e->size = o.size;
	e->vec = o.vec;
	e->a = o.a;
	e->offset = o.offset;
	e->is_wide = o.is_wide;
	e->is_static = o.is_static;
	e->is_volatile = l->in->mod[PTX_MOD_SEM] > PTX_SEM_WEAK;
	e->list = list;
	for (uint32_t i = 0; i < o.vec && l->err == ERR_OK; i++)
		extend_loaded(l, element(l, d, i, o.vec), o.size,
			      l->m->lists[list + i]);
}

/* The lanes to store: 32 bits up to 4 bytes, else 64. */
static op_ref stored_value(struct loader *l, const struct ptx_operand *e,
			   uint32_t size, uint32_t i)
{
	if (e->kind == PTX_OPERAND_IMM)
		return load_constant(l, e->imm, size == 8);
	if (e->kind == PTX_OPERAND_REG && e->cls == PTX_CLASS_128)
		return load_unit(l, e->cls, e->index) + 2 * i;
	if (e->kind != PTX_OPERAND_REG || e->cls == PTX_CLASS_PRED ||
	    load_class_bytes(e->cls) < size || load_class_bytes(e->cls) > 8) {
		load_refuse(l, "has a register of the wrong width");
		return 0;
	}
	op_ref r = load_unit(l, e->cls, e->index);
	if (load_class_bytes(e->cls) != 8 || size == 8)
		return r;
	struct op *o = load_emit(l, OP_narrow);
	o->d = load_temp(l, i);
	o->a = r;
	return o->d;
}

void load_st(struct loader *l)
{
	struct op o = {0};
	const struct ptx_operand *v = load_operand(l, 1);
	memory_shape(l, &o);
	load_memory(l, load_operand(l, 0), l->in->mod[PTX_MOD_SPACE], &o);
	if (l->err != ERR_OK || !reserve_list(l, o.vec))
		return;
	if (o.space == SPACE_PARAM) {
		load_refuse(l, "writes a kernel's parameter");
		return;
	}
	uint32_t list = l->m->list_count;
	l->m->list_count += o.vec;
	for (uint32_t i = 0; i < o.vec; i++) {
		op_ref r = stored_value(l, element(l, v, i, o.vec), o.size, i);
		l->m->lists[list + i] = r;
	}
	struct op *e = load_emit(l, OP_st);
	e->space = o.space;
	e->size = o.size;
	e->vec = o.vec;
	e->a = o.a;
	e->offset = o.offset;
	e->is_wide = o.is_wide;
	e->is_static = o.is_static;
	e->is_volatile = l->in->mod[PTX_MOD_SEM] > PTX_SEM_WEAK;
	e->list = list;
}

static enum op_number number_of(uint32_t type)
{
	if (type == PTX_TYPE_F16 || type == PTX_TYPE_F16X2)
		return NUMBER_F16;
	if (type == PTX_TYPE_BF16 || type == PTX_TYPE_BF16X2)
		return NUMBER_BF16;
	switch (ptx_types[type].kind) {
	case PTX_KIND_S:
		return NUMBER_S;
	case PTX_KIND_F:
		return NUMBER_F;
	default:
		return NUMBER_U;
	}
}

static bool atom_fits(const struct op *o, uint32_t type)
{
	bool is_int = o->number < NUMBER_F, is_half = o->number >= NUMBER_F16;
	if (o->size == 1 || type == PTX_TYPE_F32X2)
		return false;
	if (o->size == 2)
		return is_half || (is_int && o->what == ATOM_CAS);
	switch (o->what) {
	case ATOM_ADD:
		return true;
	case ATOM_MIN:
	case ATOM_MAX:
		return is_int || is_half;
	case ATOM_INC:
	case ATOM_DEC:
		return type == PTX_TYPE_U32;
	default:
		return is_int;
	}
}

static struct op *emit_atom(struct loader *l, const struct op *o, enum op_id id)
{
	struct op *e = load_emit(l, id);
	e->space = o->space;
	e->size = o->size;
	e->vec = o->vec;
	e->what = o->what;
	e->number = o->number;
	e->a = o->a;
	e->offset = o->offset;
	e->is_wide = o->is_wide;
	e->csr = l->in->mod[PTX_MOD_FTZ] != 0 ? CSR_BASE | CSR_FLUSH : CSR_BASE;
	return e;
}

/* One by one: each element is atomic by itself.  The first looks whether all
 * are there.  Results go to their registers when all have been read. */
static void atom_elements(struct loader *l, const struct op *o)
{
	bool is_red = l->in->op == PTX_OP_red;
	uint32_t n = o->vec, first = is_red ? 0 : 1;
	const struct ptx_operand *d = load_operand(l, 0), none = {0};
	for (uint32_t i = 0; i < n && l->err == ERR_OK; i++) {
		struct op *e;
		op_ref b = load_source(
			l, element(l, load_operand(l, first + 1), i, n),
			o->size);
		op_ref c = o->what == ATOM_CAS
				   ? load_source(l, load_operand(l, first + 2),
						 o->size)
				   : REF_NONE;
		op_ref to = load_temp(l, i);
		if (!is_red && n == 1 && d->kind != PTX_OPERAND_NONE)
			to = load_register(l, d, o->size);
		e = emit_atom(l, o, is_red ? OP_red : OP_atom);
		e->vec = 1;
		e->b = b;
		e->c = c;
		e->d = to;
		e->flags = is_red;
		e->offset += i * o->size;
		e->imm = i == 0 ? n * o->size : o->size;
	}
	for (uint32_t i = 0; i < n && n > 1 && !is_red; i++) {
		const struct ptx_operand *x = d->kind == PTX_OPERAND_NONE
						      ? &none
						      : element(l, d, i, n);
		if (l->err != ERR_OK || x->kind == PTX_OPERAND_NONE)
			continue;
		op_ref to = load_register(l, x, o->size);
		struct op *e = load_emit(l, OP_mov_32);
		e->d = to;
		e->a = load_temp(l, i);
	}
}

/* Two halves of 64 bits, in registers of 128. */
static void atom_wide(struct loader *l, const struct op *o)
{
	uint32_t n = o->what == ATOM_CAS ? 3 : 2, list = l->m->list_count;
	if (!reserve_list(l, 2 * n))
		return;
	l->m->list_count += 2 * n;
	for (uint32_t i = 0; i < n; i++) {
		/* d, b, c: before and behind the memory operand. */
		const struct ptx_operand *x =
			load_operand(l, i == 0 ? 0 : i + 1);
		bool is_sink = i == 0 && x->kind == PTX_OPERAND_NONE;
		if (!is_sink &&
		    (x->kind != PTX_OPERAND_REG || x->cls != PTX_CLASS_128)) {
			load_refuse(l, "has a register of the wrong width");
			return;
		}
		for (uint32_t k = 0; k < 2; k++)
			l->m->lists[list + 2 * i + k] =
				is_sink ? load_temp(l, k)
					: load_unit(l, x->cls, x->index) +
						  2 * k;
	}
	struct op *e = emit_atom(l, o, OP_atom_wide);
	e->list = list;
	e->imm = 16;
}

void load_atom(struct loader *l)
{
	/* By PTX_ATOM_*. */
	static const uint8_t whats[11] = {
		0,	  ATOM_ADD,  ATOM_AND, ATOM_OR,	 ATOM_XOR, ATOM_MIN,
		ATOM_MAX, ATOM_EXCH, ATOM_CAS, ATOM_INC, ATOM_DEC};
	bool is_red = l->in->op == PTX_OP_red;
	uint32_t type = l->in->types[0];
	bool is_128 = type == PTX_TYPE_B128;
	struct op o = {0};
	memory_shape(l, &o);
	load_memory(l, load_operand(l, is_red ? 0 : 1),
		    l->in->mod[PTX_MOD_SPACE], &o);
	o.what = whats[l->in->mod[PTX_MOD_ATOM]];
	o.number = (uint8_t)number_of(type);
	if (l->err != ERR_OK)
		return;
	bool fits =
		is_128 ? !is_red && (o.what == ATOM_EXCH || o.what == ATOM_CAS)
		       : atom_fits(&o, type) &&
				 (o.vec == 1 || o.what != ATOM_CAS);
	if (!fits || o.is_static || o.space == SPACE_PARAM)
		load_refuse(l, "is not executed here");
	else if (is_128)
		atom_wide(l, &o);
	else
		atom_elements(l, &o);
}

void load_isspacep(struct loader *l)
{
	uint32_t space = l->in->mod[PTX_MOD_SPACE];
	op_ref a = load_source(l, load_operand(l, 1), 8);
	op_ref d = load_register(l, load_operand(l, 0), 1);
	struct op *o = load_emit(l, OP_isspacep);
	o->d = d;
	o->a = a;
	o->space = (uint8_t)space_of(l, space);
	o->flags = space == PTX_SPACE_CONST;
}

void load_hint(struct loader *l)
{
	load_emit(l, OP_nop);
}
