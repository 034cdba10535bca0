/*
 * ldmatrix, stmatrix, movmatrix, mma and cp.async: from ordinary loads and
 * stores of whole rows and one operation between the lanes of the warp.
 */
#include "gpu/exec/priv/load.h"
#include "gpu/exec/priv/op_list.h"

/* Room for n places in the module's lists; their first. */
static uint32_t new_list(struct loader *l, uint32_t n)
{
	void *p = l->m->lists;
	bool ok = load_grow(l, &p, &l->list_cap, l->m->list_count + n,
			    sizeof(op_ref));
	l->m->lists = p;
	if (!ok)
		return UINT32_MAX;
	l->m->list_count += n;
	return l->m->list_count - n;
}

static uint32_t width_of(const struct ptx_operand *o)
{
	return o->kind == PTX_OPERAND_VECTOR ? o->count : 1;
}

static const struct ptx_operand *part(struct loader *l,
				      const struct ptx_operand *o, uint32_t i)
{
	return o->kind == PTX_OPERAND_VECTOR ? &l->pf->elements[o->index + i]
					     : o;
}

static op_ref dest(struct loader *l, const struct ptx_operand *o, uint32_t i)
{
	return o->kind == PTX_OPERAND_NONE ? load_temp(l, i)
					   : load_register(l, o, 4);
}

static void set_guard(struct op *o, op_ref p)
{
	o->guard = p;
	o->guard_flip = 0;
}

/* The guard of the instruction and another condition, as one predicate in
 * temporary t; or that condition alone. */
static op_ref and_guard(struct loader *l, op_ref p, uint32_t t)
{
	const struct ptx_instr *in = l->in;
	if (in->guard == PTX_NO_INDEX)
		return p;
	op_ref g = load_unit(l, PTX_CLASS_PRED, in->guard);
	if (in->guard_negated) {
		struct op *n = load_emit(l, OP_not_pred);
		n->d = load_temp(l, t);
		n->a = g;
		set_guard(n, REF_NONE);
		g = load_temp(l, t);
	}
	struct op *o = load_emit(l, OP_and_pred);
	o->d = load_temp(l, t);
	o->a = g;
	o->b = p;
	set_guard(o, REF_NONE);
	return load_temp(l, t);
}

static op_ref below(struct loader *l, op_ref a, op_ref b, uint32_t t)
{
	struct op *o = load_emit(l, OP_lt_u32);
	o->d = load_temp(l, t);
	o->a = a;
	o->b = b;
	set_guard(o, REF_NONE);
	return load_temp(l, t);
}

/* Lanes that hold the address of a row: eight for each matrix. */
static op_ref row_lanes(struct loader *l, uint32_t count)
{
	op_ref lane = load_special(l, PTX_SREG_LANEID, 0);
	op_ref n = load_constant(l, count * 8, false);
	return and_guard(l, below(l, lane, n, 2), 3);
}

/* A load or store of rows in two temporaries. */
static void move_rows(struct loader *l, enum op_id id,
		      const struct ptx_operand *mem, uint32_t count)
{
	struct op o = {.size = 8, .vec = 2};
	uint8_t space = l->in->mod[PTX_MOD_SPACE];
	load_memory(l, mem, space, &o);
	uint32_t list = new_list(l, 2);
	op_ref guard = count == 4 ? REF_NONE : row_lanes(l, count);
	if (l->err != ERR_OK)
		return;
	l->m->lists[list] = load_temp(l, LOAD_TEMP_ROW);
	l->m->lists[list + 1] = load_temp(l, LOAD_TEMP_ROW + 1);
	struct op *e = load_emit(l, id);
	e->space = o.space;
	e->size = o.size;
	e->vec = o.vec;
	e->a = o.a;
	e->offset = o.offset;
	e->is_wide = o.is_wide;
	e->is_static = o.is_static;
	e->list = list;
	if (guard != REF_NONE)
		set_guard(e, guard);
}

static void matrix_op(struct loader *l, enum op_id id, uint32_t list,
		      uint32_t writes, uint32_t reads)
{
	struct op *o = load_emit(l, id);
	o->list = list;
	o->vec = (uint8_t)writes;
	o->target = reads;
	o->flags = l->in->mod[PTX_MOD_TRANS] != 0;
	o->f = load_constant(l, UINT32_MAX, false);
}

void load_ldmatrix(struct loader *l)
{
	const struct ptx_operand *d = load_operand(l, 0);
	uint32_t n = width_of(d);
	for (uint32_t i = 0; n < 4 && i < 2; i++) {
		/* Lanes without an address have a row all the same. */
		struct op *o = load_emit(l, OP_mov_64);
		o->d = load_temp(l, LOAD_TEMP_ROW + i);
		o->a = load_constant(l, 0, true);
	}
	move_rows(l, OP_ld, load_operand(l, 1), n);
	uint32_t list = new_list(l, n + 2);
	if (l->err != ERR_OK)
		return;
	for (uint32_t i = 0; i < n; i++) {
		op_ref r = dest(l, part(l, d, i), i);
		l->m->lists[list + i] = r;
	}
	l->m->lists[list + n] = load_temp(l, LOAD_TEMP_ROW);
	l->m->lists[list + n + 1] = load_temp(l, LOAD_TEMP_ROW + 1);
	matrix_op(l, OP_spread, list, n, 2);
}

void load_stmatrix(struct loader *l)
{
	const struct ptx_operand *v = load_operand(l, 1);
	uint32_t n = width_of(v), list = new_list(l, n + 2);
	if (l->err != ERR_OK)
		return;
	l->m->lists[list] = load_temp(l, LOAD_TEMP_ROW);
	l->m->lists[list + 1] = load_temp(l, LOAD_TEMP_ROW + 1);
	for (uint32_t i = 0; i < n; i++) {
		op_ref r = load_source(l, part(l, v, i), 4);
		l->m->lists[list + 2 + i] = r;
	}
	matrix_op(l, OP_collect, list, 2, n);
	move_rows(l, OP_st, load_operand(l, 0), n);
}

/* Rows out of fragments, and back again the other way. */
void load_movmatrix(struct loader *l)
{
	uint32_t list = new_list(l, 6);
	if (l->err != ERR_OK)
		return;
	op_ref a = load_source(l, load_operand(l, 1), 4);
	op_ref d = load_register(l, load_operand(l, 0), 4);
	op_ref rows[2] = {load_temp(l, LOAD_TEMP_ROW),
			  load_temp(l, LOAD_TEMP_ROW + 1)};
	l->m->lists[list] = rows[0];
	l->m->lists[list + 1] = rows[1];
	l->m->lists[list + 2] = a;
	l->m->lists[list + 3] = d;
	l->m->lists[list + 4] = rows[0];
	l->m->lists[list + 5] = rows[1];
	matrix_op(l, OP_collect, list, 2, 1);
	matrix_op(l, OP_spread, list + 3, 1, 2);
	l->m->ops[l->m->op_count - 1].flags = 0;
}

static bool mma_kind(struct loader *l, struct op *o)
{
	const struct ptx_instr *in = l->in;
	const struct ptx_type_info *a = &ptx_types[in->types[1]];
	const struct ptx_type_info *b = &ptx_types[in->types[2]];
	if (in->types[0] != PTX_TYPE_S32 || in->mod[PTX_MOD_SATFINITE] != 0)
		return false;
	if (a->bits == 1)
		o->what = in->mod[PTX_MOD_BOOL] == PTX_BOOL_XOR ? MMA_XOR
								: MMA_AND;
	else
		o->what = a->bits == 8 ? MMA_BYTES : MMA_NIBBLES;
	o->flags = (uint8_t)((a->kind == PTX_KIND_S ? MMA_A_SIGNED : 0) |
			     (b->kind == PTX_KIND_S ? MMA_B_SIGNED : 0));
	return true;
}

void load_mma(struct loader *l)
{
	struct op kind = {0};
	uint32_t n = 0, widths[4];
	for (uint32_t i = 0; i < 4; i++) {
		widths[i] = width_of(load_operand(l, i));
		n += widths[i];
	}
	if (!mma_kind(l, &kind)) {
		load_refuse(l, "is not executed here");
		return;
	}
	uint32_t list = new_list(l, n), at = 0;
	for (uint32_t i = 0; i < 4 && l->err == ERR_OK; i++) {
		const struct ptx_operand *o = load_operand(l, i);
		for (uint32_t k = 0; k < widths[i]; k++) {
			op_ref r = i == 0 ? dest(l, part(l, o, k), k)
					  : load_source(l, part(l, o, k), 4);
			l->m->lists[list + at++] = r;
		}
	}
	if (l->err != ERR_OK)
		return;
	matrix_op(l, OP_mma, list, widths[0], n - widths[0]);
	struct op *o = &l->m->ops[l->m->op_count - 1];
	o->what = kind.what;
	o->flags = kind.flags;
}

/* What cp.async copies, in pieces of a word or a byte. */
struct copy {
	struct op from, to;
	uint32_t bytes;
	op_ref amount; /* bytes that are read; REF_NONE: all */
};

static void load_piece(struct loader *l, const struct copy *c, uint32_t size,
		       uint32_t vec, uint32_t at, op_ref to, op_ref guard)
{
	uint32_t list = new_list(l, vec);
	if (l->err != ERR_OK)
		return;
	l->m->lists[list] = to;
	for (uint32_t i = 1; i < vec; i++)
		l->m->lists[list + i] = load_temp(l, i);
	struct op *o = load_emit(l, OP_ld);
	o->space = c->from.space;
	o->size = (uint8_t)size;
	o->vec = (uint8_t)vec;
	o->a = c->from.a;
	o->offset = c->from.offset + at;
	o->is_wide = c->from.is_wide;
	o->list = list;
	if (guard != REF_NONE)
		set_guard(o, guard);
}

static void store_piece(struct loader *l, const struct copy *c, uint32_t size,
			uint32_t vec, uint32_t first)
{
	uint32_t list = new_list(l, vec);
	if (l->err != ERR_OK)
		return;
	for (uint32_t i = 0; i < vec; i++)
		l->m->lists[list + i] = load_temp(l, first + i);
	struct op *o = load_emit(l, OP_st);
	o->space = c->to.space;
	o->size = (uint8_t)size;
	o->vec = (uint8_t)vec;
	o->a = c->to.a;
	o->offset = c->to.offset;
	o->is_wide = c->to.is_wide;
	o->list = list;
}

/* One word of which perhaps only some bytes are there. */
static void copy_word(struct loader *l, const struct copy *c, uint32_t word)
{
	op_ref t = load_temp(l, word);
	for (uint32_t k = 0; k < 4; k++) {
		/* Byte k is there; the last means the whole word. */
		op_ref most = load_constant(l, word * 4 + k, false);
		op_ref p = and_guard(l, below(l, most, c->amount, 5), 6);
		if (k == 3) {
			load_piece(l, c, 4, 1, word * 4, t, p);
			continue;
		}
		op_ref byte = load_temp(l, 4);
		load_piece(l, c, 1, 1, word * 4 + k, byte, p);
		struct op *o = load_emit(l, OP_put_byte);
		o->d = t;
		o->a = t;
		o->b = byte;
		o->imm = k;
		set_guard(o, p);
	}
}

static op_ref copy_amount(struct loader *l, uint32_t bytes)
{
	const struct ptx_operand *o = load_operand(l, 3);
	if (l->in->operand_count < 4)
		return REF_NONE;
	if (o->kind == PTX_OPERAND_REG && o->cls == PTX_CLASS_PRED) {
		op_ref p = load_source(l, o, 1);
		struct op *e = load_emit(l, OP_selp_32);
		e->d = load_temp(l, 7);
		e->a = load_constant(l, 0, false);
		e->b = load_constant(l, bytes, false);
		e->c = p;
		return load_temp(l, 7);
	}
	if (o->kind == PTX_OPERAND_IMM && o->imm >= bytes)
		return REF_NONE;
	return load_source(l, o, 4);
}

/* Everything in one load where all is read; else bytes, and zeros behind. */
static void copy_some(struct loader *l, struct copy *c)
{
	uint32_t words = c->bytes / 4;
	op_ref most = load_constant(l, c->bytes - 1, false);
	for (uint32_t i = 0; i < words; i++) {
		struct op *z = load_emit(l, OP_mov_32);
		z->d = load_temp(l, i);
		z->a = load_constant(l, 0, false);
	}
	op_ref all = and_guard(l, below(l, most, c->amount, 5), 6);
	load_piece(l, c, 4, words, 0, load_temp(l, 0), all);
	struct op *o = load_emit(l, OP_selp_32);
	o->d = load_temp(l, 7);
	o->a = load_constant(l, 0, false);
	o->b = c->amount;
	o->c = all;
	c->amount = load_temp(l, 7);
	for (uint32_t i = 0; i < words; i++)
		copy_word(l, c, i);
	store_piece(l, c, 4, words, 0);
}

/* At once: waiting for it is a hint. */
void load_cp_async(struct loader *l)
{
	struct copy c = {.bytes = (uint32_t)load_operand(l, 2)->imm};
	if (l->in->mod[PTX_MOD_CP] != 0) {
		load_hint(l);
		return;
	}
	c.from.size = c.to.size = 4;
	c.from.vec = c.to.vec = 1;
	load_memory(l, load_operand(l, 0), PTX_SPACE_SHARED, &c.to);
	load_memory(l, load_operand(l, 1), PTX_SPACE_GLOBAL, &c.from);
	c.amount = copy_amount(l, c.bytes);
	if (c.amount == REF_NONE) {
		uint32_t size = c.bytes == 4 ? 4 : 8;
		load_piece(l, &c, size, c.bytes / size, 0, load_temp(l, 0),
			   REF_NONE);
		store_piece(l, &c, size, c.bytes / size, 0);
		return;
	}
	copy_some(l, &c);
}
