/*
 * Branches, calls, barriers and what lanes of a warp do together.
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

static void add_copy(struct loader *l, struct call_copy c)
{
	struct exec_module *m = l->m;
	void *p = m->copies;
	if (!load_grow(l, &p, &l->copy_cap, m->copy_count + 1,
		       sizeof(*m->copies)))
		return;
	m->copies = p;
	m->copies[m->copy_count++] = c;
}

/* The caller's side of one argument or result. */
static void caller_side(struct loader *l, const struct ptx_operand *o,
			const struct ptx_param *p, op_ref *ret_ref,
			uint32_t *ret_at)
{
	*ret_ref = REF_NONE;
	*ret_at = 0;
	if (o->kind == PTX_OPERAND_ADDRESS && o->base == PTX_BASE_VARIABLE &&
	    l->pm->variables[o->index].space == PTX_SPACE_PARAM) {
		struct place at = l->variable_place[o->index];
		*ret_at = at.at;
		if (at.bytes < p->bytes)
			load_refuse(l, "passes a parameter that is too small");
	} else if (o->kind == PTX_OPERAND_REG || o->kind == PTX_OPERAND_IMM) {
		uint32_t size =
			p->in_register ? load_class_bytes(p->cls) : p->bytes;
		if (size != 2 && size != 4 && size != 8 &&
		    !(size == 1 && p->in_register))
			load_refuse(l, "passes a parameter of this width");
		else
			*ret_ref = load_source(l, o, size);
	} else {
		load_refuse(l, "passes an operand that is not done here");
	}
}

/* A register of the callee, whose frame load_unit() does not see. */
static op_ref callee_unit(struct loader *l, uint32_t callee, uint32_t cls,
			  uint32_t index)
{
	struct function *f = l->f;
	const struct ptx_function *pf = l->pf;
	l->f = &l->m->functions[callee];
	l->pf = &l->pm->functions[callee];
	op_ref ref = load_unit(l, cls, index);
	l->f = f;
	l->pf = pf;
	return ref;
}

static struct call_copy callee_side(struct loader *l, uint32_t callee,
				    const struct ptx_param *p,
				    struct place place)
{
	struct call_copy c = {.from_ref = REF_NONE,
			      .to_ref = REF_NONE,
			      .to_at = place.at,
			      .bytes = p->bytes};
	if (p->in_register) {
		c.to_ref = callee_unit(l, callee, p->cls, p->index);
		c.bytes = load_class_bytes(p->cls);
	}
	return c;
}

static void pass_arguments(struct loader *l, const struct ptx_call *call,
			   struct op *o)
{
	const struct ptx_function *pf = &l->pm->functions[call->callee];
	struct function *f = &l->m->functions[call->callee];
	o->list = l->m->copy_count;
	for (uint32_t i = 0; i < call->arg_count && l->err == ERR_OK; i++) {
		struct call_copy c = callee_side(
			l, call->callee, &pf->params[i], f->param_places[i]);
		caller_side(l, &call->args[i], &pf->params[i], &c.from_ref,
			    &c.from_at);
		add_copy(l, c);
	}
	o->imm = l->m->copy_count - o->list;
}

static void take_results(struct loader *l, const struct ptx_call *call,
			 struct op *o)
{
	const struct ptx_function *pf = &l->pm->functions[call->callee];
	struct function *f = &l->m->functions[call->callee];
	o->list = l->m->copy_count;
	for (uint32_t i = 0; i < call->result_count && l->err == ERR_OK; i++) {
		struct call_copy c = callee_side(
			l, call->callee, &pf->returns[i], f->return_places[i]);
		struct call_copy back = {.from_ref = c.to_ref,
					 .from_at = c.to_at,
					 .bytes = c.bytes};
		caller_side(l, &call->results[i], &pf->returns[i], &back.to_ref,
			    &back.to_at);
		if (back.to_ref != REF_NONE && (back.to_ref & REF_CONST) != 0)
			load_refuse(l, "has a constant as a result");
		add_copy(l, back);
	}
	o->imm = l->m->copy_count - o->list;
}

void load_call(struct loader *l)
{
	const struct ptx_call *call = &l->pf->calls[l->in->aux];
	if (call->callee == PTX_NO_INDEX) {
		load_refuse(l, "by an address is not executed here");
		return;
	}
	const struct ptx_function *pf = &l->pm->functions[call->callee];
	if (!pf->has_body || pf->is_entry) {
		load_refuse(l, "of a function without a body");
		return;
	}
	if (call->arg_count != pf->param_count ||
	    call->result_count != pf->return_count) {
		load_refuse(l, "does not fit the callee's parameters");
		return;
	}
	struct op pass = {0}, take = {0};
	pass_arguments(l, call, &pass);
	take_results(l, call, &take);
	struct op *o = load_emit(l, OP_call);
	o->target = call->callee;
	o->list = pass.list;
	o->imm = pass.imm;
	l->m->has_calls = true;
	/* Lanes come back here; those that did not call pass by. */
	struct op *r = load_emit(l, OP_call_end);
	r->list = take.list;
	r->imm = take.imm;
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
