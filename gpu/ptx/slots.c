#include "gpu/ptx/priv/slots.h"

#include <string.h>

#include "gpu/ptx/priv/analysis.h"
#include "gpu/ptx/priv/isa.h"

/* Of one function; accesses of further places stay memory. */
#define SLOTS_MAX 4096u
/* Of the local variables of a function together. */
#define FRAME_BYTES_MAX (1u << 18)

/* Owners of bytes: the number of a slot plus one. */
#define BYTE_FREE  0u
#define BYTE_MIXED UINT16_MAX

/* Where a register of 64 bits points, for good. */
struct place {
	uint32_t variable; /* PTX_NO_INDEX: it is not known */
	bool is_generic;
	int64_t at;
};

struct finder {
	const struct ptx_module *m;
	const struct ptx_function *f;
	struct place *places; /* [register of 64 bits] */
	uint8_t *defs;	      /* how often it is written, up to 2 */
	uint32_t *byte_first; /* [own variable] in owners; PTX_NO_INDEX */
	uint16_t *owners;
	struct slots *s;
};

static const struct place nowhere = {.variable = PTX_NO_INDEX};

static void count_def(struct finder *w, const struct ptx_operand *o)
{
	for (uint32_t i = 0; o->kind == PTX_OPERAND_VECTOR && i < o->count; i++)
		count_def(w, &w->f->elements[o->index + i]);
	if (o->kind == PTX_OPERAND_REG && o->cls == PTX_CLASS_64 &&
	    w->defs[o->index] < 2)
		w->defs[o->index]++;
}

static void count_defs(struct finder *w)
{
	const struct ptx_function *f = w->f;

	for (uint32_t i = 0; i < f->param_count; i++)
		if (f->params[i].in_register &&
		    f->params[i].cls == PTX_CLASS_64)
			w->defs[f->params[i].index] = 2;
	for (uint32_t i = 0; i < f->instr_count; i++) {
		const struct ptx_instr *in = &f->instrs[i];

		for (uint32_t k = 0;
		     k < ptx_dest_count(in) && k < in->operand_count; k++)
			count_def(w, ptx_operand(f, in, k));
		for (uint32_t k = 0; in->op == PTX_OP_call &&
				     k < f->calls[in->aux].result_count;
		     k++)
			count_def(w, &f->calls[in->aux].results[k]);
	}
}

/* A value that is an address of a local variable of this function. */
static struct place place_of(const struct finder *w,
			     const struct ptx_operand *o)
{
	const struct ptx_variable *v;

	if (o->kind == PTX_OPERAND_REG && o->cls == PTX_CLASS_64)
		return w->places[o->index];
	if (o->kind != PTX_OPERAND_ADDRESS || o->base != PTX_BASE_VARIABLE)
		return nowhere;
	v = &w->m->variables[o->index];
	if (v->space != PTX_SPACE_LOCAL ||
	    o->index - w->f->variable_first >= w->f->variable_count)
		return nowhere;
	return (struct place){.variable = o->index, .at = o->offset};
}

static struct place place_after(const struct finder *w,
				const struct ptx_instr *in)
{
	const struct ptx_operand *o = ptx_operand(w->f, in, 1);
	const struct ptx_operand *by = ptx_operand(w->f, in, 2);
	struct place p;

	switch (in->op) {
	case PTX_OP_mov:
		return place_of(w, o);
	case PTX_OP_cvta:
		p = place_of(w, o);
		if (ptx_mod_canonical(in, PTX_MOD_SPACE) != PTX_SPACE_LOCAL ||
		    p.is_generic != (in->mod[PTX_MOD_TO] != 0))
			return nowhere;
		p.is_generic = !p.is_generic;
		return p;
	case PTX_OP_add:
		if (in->mod[PTX_MOD_CC] || by->kind != PTX_OPERAND_IMM)
			return nowhere;
		p = place_of(w, o);
		p.at = (int64_t)((uint64_t)p.at + by->imm);
		return p;
	default:
		return nowhere;
	}
}

/* Registers that are written once, before they are read. */
static void find_places(struct finder *w)
{
	const struct ptx_function *f = w->f;

	for (uint32_t i = 0; i < f->reg_count[PTX_CLASS_64]; i++)
		w->places[i] = nowhere;
	for (uint32_t i = 0; i < f->instr_count; i++) {
		const struct ptx_instr *in = &f->instrs[i];
		const struct ptx_operand *d;

		if (ptx_dest_count(in) != 1 || in->operand_count < 2 ||
		    in->guard != PTX_NO_INDEX)
			continue;
		d = ptx_operand(f, in, 0);
		if (d->kind == PTX_OPERAND_REG && d->cls == PTX_CLASS_64 &&
		    w->defs[d->index] == 1)
			w->places[d->index] = place_after(w, in);
	}
}

/* Where a load or store goes, if that can be read off. */
static struct place place_of_access(const struct finder *w,
				    const struct ptx_instr *in,
				    const struct ptx_operand *m)
{
	struct ptx_operand base = *m;
	struct place p;
	uint8_t space = ptx_mod_canonical(in, PTX_MOD_SPACE);

	base.kind =
		m->base == PTX_BASE_REG ? PTX_OPERAND_REG : PTX_OPERAND_ADDRESS;
	p = place_of(w, &base);
	if (p.variable == PTX_NO_INDEX)
		return nowhere;
	if (m->base == PTX_BASE_REG)
		p.at = (int64_t)((uint64_t)p.at + (uint64_t)m->offset);
	if (space != (p.is_generic ? PTX_SPACE_NONE : PTX_SPACE_LOCAL))
		return nowhere;
	return p;
}

/* The owners of the bytes of an access; NULL: it is outside. */
static uint16_t *owners_of(const struct finder *w, const struct place *p,
			   uint32_t bytes)
{
	uint32_t own = p->variable - w->f->variable_first;

	if (w->byte_first[own] == PTX_NO_INDEX || p->at < 0 ||
	    (uint64_t)p->at + bytes > w->m->variables[p->variable].bytes)
		return NULL;
	return &w->owners[w->byte_first[own] + (uint32_t)p->at];
}

static void spoil(struct finder *w, uint16_t *owners, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++) {
		if (owners[i] != BYTE_FREE && owners[i] != BYTE_MIXED)
			w->s->list[owners[i] - 1].is_dropped = true;
		owners[i] = BYTE_MIXED;
	}
}

/* The slot of an access that is one value at a place of its own; NULL: its
 * bytes are none. */
static struct slot *take_slot(struct finder *w, const struct place *p,
			      uint16_t *owners, uint32_t bytes)
{
	struct slot *s;

	if (owners[0] == BYTE_FREE && w->s->count < SLOTS_MAX) {
		for (uint32_t i = 1; i < bytes; i++)
			if (owners[i] != BYTE_FREE)
				return NULL;
		s = &w->s->list[w->s->count++];
		*s = (struct slot){.variable = p->variable,
				   .at = (uint32_t)p->at,
				   .bytes = (uint8_t)bytes,
				   .cls = bytes == 8   ? PTX_CLASS_64
					  : bytes == 4 ? PTX_CLASS_32
						       : PTX_CLASS_16};
		for (uint32_t i = 0; i < bytes; i++)
			owners[i] = (uint16_t)w->s->count;
		return s;
	}
	if (owners[0] == BYTE_FREE || owners[0] == BYTE_MIXED)
		return NULL;
	s = &w->s->list[owners[0] - 1];
	return s->at == p->at && s->bytes == bytes ? s : NULL;
}

/* Whether a register of that class can hold what the slot holds. */
static bool fits(struct slot *s, const struct ptx_operand *o, bool is_store)
{
	uint32_t bits = ptx_class_bits((enum ptx_class)o->cls);

	if (o->kind == PTX_OPERAND_IMM)
		return is_store;
	if (o->kind != PTX_OPERAND_REG || o->cls == PTX_CLASS_PRED ||
	    bits > 64 || bits < 16 || bits < 8u * s->bytes)
		return false;
	if (!is_store)
		return true;
	if ((s->bytes >= 4 && bits != 8u * s->bytes) || bits > 32u * s->bytes ||
	    (s->has_class && s->cls != o->cls))
		return false;
	s->has_class = true;
	s->cls = o->cls;
	return true;
}

static void visit_access(struct finder *w, uint32_t instr)
{
	const struct ptx_instr *in = &w->f->instrs[instr];
	bool is_store = in->op == PTX_OP_st;
	const struct ptx_operand *m = ptx_operand(w->f, in, is_store ? 0u : 1u);
	const struct ptx_operand *o = ptx_operand(w->f, in, is_store ? 1u : 0u);
	struct place p = place_of_access(w, in, m);
	uint32_t bytes = transfer_bytes(in);
	uint8_t sem = in->mod[PTX_MOD_SEM];
	struct slot *s = NULL;
	uint16_t *owners;

	if (p.variable == PTX_NO_INDEX)
		return;
	owners = owners_of(w, &p, bytes);
	if (!owners)
		return;
	if (bytes <= 8 && p.at % bytes == 0 &&
	    w->m->variables[p.variable].align % bytes == 0 &&
	    in->operand_count == 2 &&
	    (sem == PTX_SEM_NONE || sem == PTX_SEM_WEAK))
		s = take_slot(w, &p, owners, bytes);
	if (!s || s->is_dropped || !fits(s, o, is_store)) {
		spoil(w, owners, bytes);
		return;
	}
	w->s->of[instr] = (uint32_t)(s - w->s->list);
}

/* By variable and offset. */
static enum err sort_slots(struct arena *a, struct finder *w)
{
	struct slots *s = w->s;
	struct slot *list = ARENA_ARRAY(a, s->count + 1u, struct slot);
	uint32_t *now = ARENA_ARRAY(a, s->count + 1u, uint32_t);
	const struct ptx_function *f = w->f;
	uint32_t count = 0;

	s->first = ARENA_ARRAY(a, f->variable_count + 1u, uint32_t);
	if (!list || !now || !s->first)
		return ERR_NO_MEMORY;
	for (uint32_t v = 0; v < f->variable_count; v++) {
		uint64_t bytes = w->m->variables[f->variable_first + v].bytes;

		s->first[v] = count;
		for (uint64_t i = 0;
		     w->byte_first[v] != PTX_NO_INDEX && i < bytes; i++) {
			uint16_t owner = w->owners[w->byte_first[v] + i];

			if (owner == BYTE_FREE || owner == BYTE_MIXED ||
			    s->list[owner - 1].at != i)
				continue;
			now[owner - 1] = count;
			list[count++] = s->list[owner - 1];
		}
	}
	s->first[f->variable_count] = count;
	for (uint32_t i = 0; i < f->instr_count; i++)
		if (s->of[i] != PTX_NO_INDEX)
			s->of[i] = s->list[s->of[i]].is_dropped ? PTX_NO_INDEX
								: now[s->of[i]];
	s->list = list;
	s->count = count;
	return ERR_OK;
}

static enum err make_room(struct arena *a, struct finder *w)
{
	const struct ptx_function *f = w->f;
	uint32_t bytes = 0;

	w->byte_first = ARENA_ARRAY(a, f->variable_count + 1u, uint32_t);
	w->places =
		ARENA_ARRAY(a, f->reg_count[PTX_CLASS_64] + 1u, struct place);
	w->defs = ARENA_ARRAY(a, f->reg_count[PTX_CLASS_64] + 1u, uint8_t);
	w->s->list = ARENA_ARRAY(a, SLOTS_MAX, struct slot);
	w->s->of = ARENA_ARRAY(a, f->instr_count + 1u, uint32_t);
	if (!w->byte_first || !w->places || !w->defs || !w->s->list ||
	    !w->s->of)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < f->instr_count; i++)
		w->s->of[i] = PTX_NO_INDEX;
	for (uint32_t i = 0; i < f->variable_count; i++) {
		const struct ptx_variable *v =
			&w->m->variables[f->variable_first + i];

		w->byte_first[i] = PTX_NO_INDEX;
		if (v->space != PTX_SPACE_LOCAL ||
		    v->bytes > FRAME_BYTES_MAX - bytes)
			continue;
		w->byte_first[i] = bytes;
		bytes += (uint32_t)v->bytes;
	}
	w->owners = ARENA_ARRAY(a, bytes + 1u, uint16_t);
	return w->owners ? ERR_OK : ERR_NO_MEMORY;
}

static bool has_frame(const struct ptx_module *m, const struct ptx_function *f)
{
	for (uint32_t i = 0; i < f->variable_count; i++)
		if (m->variables[f->variable_first + i].space ==
		    PTX_SPACE_LOCAL)
			return true;
	return false;
}

enum err slots_find(struct arena *a, const struct ptx_module *m,
		    uint32_t function, struct slots *ret)
{
	const struct ptx_function *f = &m->functions[function];
	struct finder w = {.m = m, .f = f, .s = ret};
	enum err e;

	*ret = (struct slots){0};
	if (!has_frame(m, f))
		return ERR_OK;
	e = make_room(a, &w);
	if (e != ERR_OK)
		return e;
	count_defs(&w);
	find_places(&w);
	for (uint32_t i = 0; i < f->instr_count; i++)
		if (f->instrs[i].op == PTX_OP_ld ||
		    f->instrs[i].op == PTX_OP_st)
			visit_access(&w, i);
	return sort_slots(a, &w);
}

static enum ptx_type bits_type(uint32_t bits)
{
	return bits == 64   ? PTX_TYPE_B64
	       : bits == 32 ? PTX_TYPE_B32
			    : PTX_TYPE_B16;
}

/* The whole number of that many bits. */
static enum ptx_type whole_type(uint32_t bits, bool is_signed)
{
	switch (bits) {
	case 8:
		return is_signed ? PTX_TYPE_S8 : PTX_TYPE_U8;
	case 16:
		return is_signed ? PTX_TYPE_S16 : PTX_TYPE_U16;
	case 32:
		return is_signed ? PTX_TYPE_S32 : PTX_TYPE_U32;
	default:
		return is_signed ? PTX_TYPE_S64 : PTX_TYPE_U64;
	}
}

/* A load or store becomes what a register does. */
static void rewrite(struct ptx_function *f, struct ptx_instr *in,
		    const struct slot *s)
{
	struct ptx_operand *o = &f->operands[in->operand_first];
	struct ptx_operand reg = {
		.kind = PTX_OPERAND_REG, .cls = s->cls, .index = s->reg};
	bool is_store = in->op == PTX_OP_st;
	enum ptx_type t = (enum ptx_type)in->types[0];
	bool is_signed = ptx_types[t].kind == PTX_KIND_S;
	uint32_t bits = ptx_class_bits((enum ptx_class)s->cls), to;

	memset(in->mod, 0, sizeof(in->mod));
	in->op = PTX_OP_mov;
	in->types[0] = (uint8_t)bits_type(bits);
	if (is_store) {
		o[0] = reg;
		return;
	}
	o[1] = reg;
	to = ptx_class_bits((enum ptx_class)o[0].cls);
	if (bits == to && bits == 8u * s->bytes)
		return;
	in->op = PTX_OP_cvt;
	in->types[0] = (uint8_t)whole_type(to, is_signed);
	in->types[1] = (uint8_t)whole_type(8u * s->bytes, is_signed);
}

enum err slots_apply(struct arena *a, const struct ptx_function *f,
		     struct slots *s, struct ptx_function *ret)
{
	*ret = *f;
	if (!s->count)
		return ERR_OK;
	ret->instrs = ARENA_ARRAY(a, f->instr_count, struct ptx_instr);
	ret->operands = ARENA_ARRAY(a, f->operand_count, struct ptx_operand);
	if (!ret->instrs || !ret->operands)
		return ERR_NO_MEMORY;
	memcpy(ret->instrs, f->instrs, f->instr_count * sizeof(*f->instrs));
	memcpy(ret->operands, f->operands,
	       f->operand_count * sizeof(*f->operands));
	for (uint32_t i = 0; i < s->count; i++)
		if (!s->list[i].is_dropped)
			s->list[i].reg = ret->reg_count[s->list[i].cls]++;
	for (uint32_t i = 0; i < f->instr_count; i++)
		if (s->of[i] != PTX_NO_INDEX && !s->list[s->of[i]].is_dropped)
			rewrite(ret, &ret->instrs[i], &s->list[s->of[i]]);
	return ERR_OK;
}

/* Drops the slots first .. end that bytes [lo, hi] touch. */
static bool drop(struct slots *s, uint32_t first, uint32_t end, int64_t lo,
		 int64_t hi)
{
	uint32_t from = first, to = end;
	bool any = false;

	while (from < to) {
		uint32_t mid = (from + to) / 2;

		if (s->list[mid].at + s->list[mid].bytes <= lo)
			from = mid + 1;
		else
			to = mid;
	}
	for (; from < end && s->list[from].at <= hi; from++) {
		any |= !s->list[from].is_dropped;
		s->list[from].is_dropped = true;
	}
	return any;
}

static bool drop_in(struct analysis *n, uint32_t object, const struct value *at,
		    uint32_t bytes)
{
	const struct object *o = &n->objects[object];
	const struct ptx_function *f;
	struct slots *s;
	uint32_t own;
	int64_t lo = -VALUE_FAR, hi = VALUE_FAR;

	if (o->kind != OBJECT_VARIABLE || o->space != PTX_SPACE_LOCAL)
		return false;
	own = n->m->variables[o->index].owner;
	if (own == PTX_NO_INDEX || !n->slots[own].count)
		return false;
	s = &n->slots[own];
	f = &n->m->functions[own];
	own = o->index - f->variable_first;
	if (at && at->shape == SHAPE_AFFINE && at->kinds == VALUE_ADDRESS)
		value_range(at, n->extent, &lo, &hi);
	if (value_is_far(lo) || value_is_far(hi) || hi > INT32_MAX)
		lo = -VALUE_FAR, hi = INT32_MAX;
	return drop(s, s->first[own], s->first[own + 1], lo, hi + bytes - 1);
}

/* What an access may touch, of all that it may point at. */
static bool check_access(struct analysis *n, const struct access *c)
{
	uint32_t direct = analysis_object_of(n, c->function, c->memory);
	struct value at = c->at;
	bool any = false;

	if (direct != PTX_NO_INDEX) {
		at = value_address(0, c->memory->offset);
		return drop_in(n, direct, &at, c->bytes);
	}
	for (uint32_t b = 0; b < n->base_count; b++)
		if (c->all_bases >> b & 1)
			any |= drop_in(n, n->base_object[b], &at, c->bytes);
	for (uint32_t i = 0; value_may_be_anywhere(&at) && i < n->object_count;
	     i++)
		if (analysis_is_other(&n->objects[i]))
			any |= drop_in(n, i, NULL, c->bytes);
	return any;
}

bool slots_check(struct analysis *n)
{
	bool any = false;

	for (uint32_t i = 0; i < n->access_count; i++)
		any |= check_access(n, &n->accesses[i]);
	return any;
}

bool slots_drop_all(struct analysis *n)
{
	bool any = false;

	for (uint32_t i = 0; i < n->m->function_count; i++)
		for (uint32_t k = 0; k < n->slots[i].count; k++) {
			any |= !n->slots[i].list[k].is_dropped;
			n->slots[i].list[k].is_dropped = true;
		}
	return any;
}
