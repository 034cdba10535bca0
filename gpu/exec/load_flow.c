/*
 * Branches, barriers and what lanes of a warp do together.
 */
#include "gpu/exec/priv/load.h"

void load_bra(struct loader *l)
{
	const struct ptx_operand *t = load_operand(l, 0);
	if (t->kind != PTX_OPERAND_LABEL) {
		load_refuse(l, "has no label");
		return;
	}
	load_emit(l, OP_bra)->target = t->index;
}

void load_brx(struct loader *l)
{
	const struct ptx_operand *t = load_operand(l, 1);
	struct exec_module *m = l->m;
	if (t->kind != PTX_OPERAND_TABLE) {
		load_refuse(l, "has no table");
		return;
	}
	const struct ptx_table *table = &l->pf->tables[t->index];
	void *p = m->tables;
	if (!load_grow(l, &p, &l->table_cap, m->table_count + table->count,
		       sizeof(uint32_t)))
		return;
	m->tables = p;
	op_ref a = load_source(l, load_operand(l, 0), 4);
	struct op *o = load_emit(l, OP_brx);
	o->a = a;
	o->list = m->table_count;
	o->imm = table->count;
	for (uint32_t i = 0; i < table->count; i++)
		m->tables[m->table_count++] = table->targets[i];
}

void load_ret(struct loader *l)
{
	load_emit(l, l->f->is_entry ? OP_exit : OP_ret);
}

void load_exit(struct loader *l)
{
	load_emit(l, OP_exit);
}

void load_trap(struct loader *l)
{
	load_emit(l, OP_trap);
}

void load_bar(struct loader *l)
{
	/* By PTX_BAR_*: sync, arrive, red. */
	static const enum op_id ids[4] = {OP_COUNT, OP_bar_sync, OP_bar_arrive,
					  OP_bar_red};
	const struct ptx_instr *in = l->in;
	enum op_id id = ids[in->mod[PTX_MOD_BAR] & 3u];
	if (id == OP_COUNT) {
		load_refuse(l, "is not executed here");
		return;
	}
	uint32_t at = id == OP_bar_red ? 1 : 0;
	struct op o = {.d = REF_NONE, .b = REF_NONE, .c = REF_NONE};
	o.a = load_source(l, load_operand(l, at), 4);
	if (load_operand(l, at + 1)->kind != PTX_OPERAND_NONE)
		o.b = load_source(l, load_operand(l, at + 1), 4);
	if (id == OP_bar_red) {
		bool is_popc = in->mod[PTX_MOD_BOOL] == PTX_BOOL_POPC;
		o.c = load_source(l, load_operand(l, 3), 1);
		o.d = load_register(l, load_operand(l, 0), is_popc ? 4 : 1);
		o.what = in->mod[PTX_MOD_BOOL];
	}
	struct op *e = load_emit(l, id);
	e->a = o.a;
	e->b = o.b;
	e->c = o.c;
	e->d = o.d;
	e->what = o.what;
	e->is_aligned = in->op == PTX_OP_bar || in->mod[PTX_MOD_ALIGNED] != 0;
}

void load_bar_warp(struct loader *l)
{
	op_ref a = load_source(l, load_operand(l, 0), 4);
	load_emit(l, OP_bar_warp)->a = a;
}

/* Forms without a mask are gone since sm_70. */
static bool has_sync(struct loader *l)
{
	if (l->in->mod[PTX_MOD_SYNC] == 0)
		load_refuse(l, "without .sync is not executed here");
	return l->in->mod[PTX_MOD_SYNC] != 0;
}

void load_shfl(struct loader *l)
{
	if (!has_sync(l))
		return;
	op_ref a = load_source(l, load_operand(l, 2), 4);
	op_ref b = load_source(l, load_operand(l, 3), 4);
	op_ref c = load_source(l, load_operand(l, 4), 4);
	op_ref f = load_source(l, load_operand(l, 5), 4);
	op_ref d = load_register(l, load_operand(l, 0), 4);
	op_ref p = REF_NONE;
	if (load_operand(l, 1)->kind != PTX_OPERAND_NONE)
		p = load_register(l, load_operand(l, 1), 1);
	struct op *o = load_emit(l, OP_shfl);
	o->a = a;
	o->b = b;
	o->c = c;
	o->f = f;
	o->d = d;
	o->e = p;
	o->what = l->in->mod[PTX_MOD_SHFL];
}

void load_vote(struct loader *l)
{
	if (!has_sync(l))
		return;
	uint32_t what = l->in->mod[PTX_MOD_VOTE];
	op_ref a = load_source(l, load_operand(l, 1), 1);
	op_ref f = load_source(l, load_operand(l, 2), 4);
	op_ref d = load_register(l, load_operand(l, 0),
				 what == PTX_VOTE_BALLOT ? 4 : 1);
	struct op *o = load_emit(l, OP_vote);
	o->a = a;
	o->f = f;
	o->d = d;
	o->what = (uint8_t)what;
}

void load_match_sync(struct loader *l)
{
	uint32_t size = load_type_bytes(l->in->types[0]);
	op_ref a = load_source(l, load_operand(l, 2), size);
	op_ref f = load_source(l, load_operand(l, 3), 4);
	op_ref d = load_register(l, load_operand(l, 0), 4);
	op_ref p = REF_NONE;
	if (load_operand(l, 1)->kind != PTX_OPERAND_NONE)
		p = load_register(l, load_operand(l, 1), 1);
	struct op *o = load_emit(l, OP_match);
	o->a = a;
	o->f = f;
	o->d = d;
	o->e = p;
	o->size = (uint8_t)size;
	o->what = l->in->mod[PTX_MOD_VOTE];
}

void load_redux(struct loader *l)
{
	static const uint8_t whats[7] = {0,	   ATOM_ADD, ATOM_AND, ATOM_OR,
					 ATOM_XOR, ATOM_MIN, ATOM_MAX};
	uint32_t what = l->in->mod[PTX_MOD_ATOM];
	if (what == 0 || what > 6 ||
	    ptx_types[l->in->types[0]].kind == PTX_KIND_F) {
		load_refuse(l, "is not executed here");
		return;
	}
	op_ref a = load_source(l, load_operand(l, 1), 4);
	op_ref f = load_source(l, load_operand(l, 2), 4);
	op_ref d = load_register(l, load_operand(l, 0), 4);
	struct op *o = load_emit(l, OP_redux);
	o->a = a;
	o->f = f;
	o->d = d;
	o->what = whats[what];
	o->number = ptx_types[l->in->types[0]].kind == PTX_KIND_S ? NUMBER_S
								  : NUMBER_U;
}

void load_activemask(struct loader *l)
{
	op_ref d = load_register(l, load_operand(l, 0), 4);
	load_emit(l, OP_activemask)->d = d;
}
