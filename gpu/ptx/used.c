/*
 * gpu/ptx/used - which registers anybody reads, to tell whether the results of
 * atomics are dead.
 *
 * What a call takes and gives goes through objects in .param space: storing
 * to one is no use of a value until somebody loads it and uses that.  A plain
 * move is two names of one value (ssa.c), and no use either.
 */
#include "gpu/ptx/priv/analysis.h"

/* Rounds over all functions; what grows longer is used. */
#define ROUNDS_MAX 24u

struct uses {
	struct analysis *n;
	bool *live; /* [object] what it holds is used */
	bool all;   /* everything is */
	bool grew;
};

static void mark_used(struct uses *u, uint32_t function,
		      const struct ptx_operand *o)
{
	struct analysis *n = u->n;
	const struct ptx_function *f = &n->m->functions[function];

	if (o->kind == PTX_OPERAND_REG ||
	    (o->kind == PTX_OPERAND_MEMORY && o->base == PTX_BASE_REG)) {
		bool *used =
			&n->reg_used[analysis_reg(n, function, o) - n->regs];

		u->grew |= !*used;
		*used = true;
	}
	for (uint32_t i = 0; o->kind == PTX_OPERAND_VECTOR && i < o->count; i++)
		mark_used(u, function, &f->elements[o->index + i]);
}

static bool is_used(const struct uses *u, uint32_t function,
		    const struct ptx_operand *o)
{
	struct analysis *n = u->n;
	const struct ptx_function *f = &n->m->functions[function];

	for (uint32_t i = 0; o->kind == PTX_OPERAND_VECTOR && i < o->count; i++)
		if (is_used(u, function, &f->elements[o->index + i]))
			return true;
	return o->kind == PTX_OPERAND_REG &&
	       n->reg_used[analysis_reg(n, function, o) - n->regs];
}

static void make_live(struct uses *u, uint32_t object)
{
	u->grew |= !u->live[object];
	u->live[object] = true;
}

/* The object in .param space that only its own name reaches; PTX_NO_INDEX. */
static uint32_t private_object(const struct uses *u, uint32_t function,
			       const struct ptx_operand *o)
{
	uint32_t object = analysis_object_of(u->n, function, o);

	if (object == PTX_NO_INDEX ||
	    u->n->objects[object].space != PTX_SPACE_PARAM ||
	    u->n->objects[object].is_taken)
		return PTX_NO_INDEX;
	return object;
}

/* What one call of a function that may be called reads and gives. */
static void visit_bind(struct uses *u, uint32_t function,
		       const struct ptx_call *c, uint32_t callee)
{
	struct analysis *n = u->n;
	const struct ptx_function *g = &n->m->functions[callee];

	for (uint32_t i = 0; i < c->result_count && i < g->return_count; i++) {
		const struct ptx_operand *o = &c->results[i];
		uint32_t object = private_object(u, function, o);
		struct ptx_operand reg = {.kind = PTX_OPERAND_REG,
					  .cls = g->returns[i].cls,
					  .index = g->returns[i].index};

		if (o->kind == PTX_OPERAND_REG
			    ? !is_used(u, function, o)
			    : object != PTX_NO_INDEX && !u->live[object])
			continue;
		if (g->returns[i].in_register)
			mark_used(u, callee, &reg);
		else
			make_live(u, n->return_object[callee] + i);
	}
	for (uint32_t i = 0; i < c->arg_count; i++) {
		uint32_t object = private_object(u, function, &c->args[i]);
		bool live = i >= g->param_count || g->params[i].in_register ||
			    u->live[n->param_object[callee] + i];

		if (live && object != PTX_NO_INDEX)
			make_live(u, object);
		if (live)
			mark_used(u, function, &c->args[i]);
	}
}

static void visit_call(struct uses *u, uint32_t function,
		       const struct ptx_instr *in)
{
	struct analysis *n = u->n;
	const struct ptx_call *c = &n->m->functions[function].calls[in->aux];

	mark_used(u, function, &c->target);
	if (c->callee != PTX_NO_INDEX) {
		visit_bind(u, function, c, c->callee);
		return;
	}
	for (uint32_t i = 0; i < n->addressed_count; i++)
		if (analysis_may_reach(n, c, n->addressed[i]))
			visit_bind(u, function, c, n->addressed[i]);
}

/* Whether an instruction uses what it reads; a load or store of .param space
 * tells how far. */
static bool uses_sources(struct uses *u, uint32_t function,
			 const struct ptx_instr *in)
{
	const struct ptx_function *f = &u->n->m->functions[function];
	const struct ptx_operand *o = ptx_operand(f, in, 0);
	uint32_t object;

	if (u->all)
		return true;
	switch (in->op) {
	case PTX_OP_mov:
		return in->guard != PTX_NO_INDEX ||
		       o[0].kind != PTX_OPERAND_REG ||
		       o[1].kind != PTX_OPERAND_REG || o[0].cls != o[1].cls ||
		       o[0].index != o[1].index;
	case PTX_OP_ld:
		object = private_object(u, function, &o[1]);
		if (object != PTX_NO_INDEX && is_used(u, function, &o[0]))
			make_live(u, object);
		return true;
	case PTX_OP_st:
		object = private_object(u, function, &o[0]);
		return object == PTX_NO_INDEX || u->live[object];
	default:
		return true;
	}
}

static void visit(struct uses *u, uint32_t function)
{
	const struct ptx_function *f = &u->n->m->functions[function];

	for (uint32_t k = f->instr_count; k > 0; k--) {
		const struct ptx_instr *in = &f->instrs[k - 1];
		struct ptx_operand guard = {.kind = PTX_OPERAND_REG,
					    .cls = PTX_CLASS_PRED,
					    .index = in->guard};

		if (!uses_sources(u, function, in))
			continue;
		if (in->guard != PTX_NO_INDEX)
			mark_used(u, function, &guard);
		for (uint32_t i = ptx_dest_count(in); i < in->operand_count;
		     i++)
			mark_used(u, function, ptx_operand(f, in, i));
		if (in->op == PTX_OP_call)
			visit_call(u, function, in);
	}
}

/* A phi that is read reads its arguments, and a guarded definition the old
 * value. */
static void spread(struct uses *u, uint32_t function)
{
	const struct ssa *s = &u->n->ssa[function];
	bool *used = &u->n->reg_used[u->n->reg_first[function]];
	bool grew = true;

	while (grew) {
		grew = false;
		for (uint32_t i = s->phi_count; i > 0; i--) {
			const struct ssa_phi *p = &s->phis[i - 1];

			for (uint32_t k = 0; used[p->name] && k < p->arg_count;
			     k++) {
				bool *arg = &used[s->args[p->arg_first + k]];

				grew |= !*arg;
				*arg = true;
			}
		}
		for (uint32_t i = s->merge_count; i > 0; i--) {
			const struct ssa_merge *g = &s->merges[i - 1];

			grew |= used[g->name] && !used[g->old];
			used[g->old] |= used[g->name];
		}
		u->grew |= grew;
	}
}

enum err used_find(struct analysis *n)
{
	struct uses u = {.n = n, .grew = true};

	u.live = ARENA_ARRAY(n->a, n->object_count + 1u, bool);
	if (!u.live)
		return ERR_NO_MEMORY;
	for (uint32_t round = 0; u.grew; round++) {
		u.grew = false;
		u.all = round >= ROUNDS_MAX;
		for (uint32_t i = 0; u.all && i < n->object_count; i++)
			u.live[i] = true;
		for (uint32_t i = n->m->function_count; i > 0; i--) {
			if (!n->reach.functions[i - 1])
				continue;
			visit(&u, i - 1);
			spread(&u, i - 1);
		}
	}
	return ERR_OK;
}
