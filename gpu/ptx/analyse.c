/*
 * gpu/ptx/analyse - the fixpoint over all functions of a kernel.
 *
 * Registers have one definition each (ssa.c), so a register is one value; what
 * comes together at the head of a loop is joined until nothing grows.
 * Functions are analysed once for all callers, and memory for all times.  What
 * was never written may be anything: registers from the start, memory when
 * all that is written to it is known.
 */
#include <string.h>

#include "gpu/ptx/priv/analysis.h"

/* Names of all functions together. */
#define NAMES_MAX (1u << 20)

struct value *analysis_reg(struct analysis *n, uint32_t function,
			   const struct ptx_operand *o)
{
	return &n->regs[n->reg_first[function] + o->index];
}

/* A number of unknown shape in a small register is one of those that fit. */
static void fit(struct analysis *n, const struct ptx_operand *o,
		struct value *v)
{
	if (!value_is_clean(v) || v->shape != SHAPE_ANY)
		return;
	if (o->cls == PTX_CLASS_32)
		value_clip(v, n->extent, INT32_MIN, INT32_MAX);
	if (o->cls == PTX_CLASS_16)
		value_clip(v, n->extent, 0, UINT16_MAX);
	if (o->cls == PTX_CLASS_8)
		value_clip(v, n->extent, 0, UINT8_MAX);
}

static bool set(struct analysis *n, uint32_t function,
		const struct ptx_operand *o, struct value v)
{
	struct value *reg;
	bool grew;

	if (o->kind != PTX_OPERAND_REG)
		return false;
	reg = analysis_reg(n, function, o);
	fit(n, o, &v);
	grew = value_join(reg, &v, n->extent);
	if (grew && n->widen == WIDEN_SHAPE)
		value_forget(reg);
	n->grew |= grew;
	return grew;
}

void analysis_set(struct analysis *n, uint32_t function,
		  const struct ptx_operand *o, struct value v)
{
	set(n, function, o, v);
}

void analysis_carry(struct analysis *n, uint32_t function,
		    const struct ptx_operand *o, struct value v)
{
	struct value old = {0};

	if (o->kind == PTX_OPERAND_REG)
		old = *analysis_reg(n, function, o);
	if (set(n, function, o, v) && n->widen == WIDEN_RANGE)
		value_widen(analysis_reg(n, function, o), &old, n->extent,
			    n->stops, n->stop_count);
}

void analysis_at(struct analysis *n, uint32_t function, uint32_t instr)
{
	const struct ptx_instr *in = &n->m->functions[function].instrs[instr];

	n->block = n->ssa[function].flow.block_of[instr];
	n->guard = in->guard;
	n->guard_truth = !in->guard_negated;
}

/* A copy of the module whose reached functions have names for registers. */
static enum err make_names(struct analysis *n)
{
	const struct ptx_module *m = n->m;
	struct ptx_module *named = ARENA_NEW(n->a, struct ptx_module);
	uint32_t count = 0;

	n->ssa = ARENA_ARRAY(n->a, m->function_count, struct ssa);
	n->reg_first = ARENA_ARRAY(n->a, m->function_count, uint32_t);
	n->addressed = ARENA_ARRAY(n->a, m->function_count, uint32_t);
	if (!named || !n->ssa || !n->reg_first || !n->addressed)
		return ERR_NO_MEMORY;
	*named = *m;
	named->functions =
		ARENA_ARRAY(n->a, m->function_count, struct ptx_function);
	if (!named->functions)
		return ERR_NO_MEMORY;
	memcpy(named->functions, m->functions,
	       m->function_count * sizeof(*m->functions));
	for (uint32_t i = 0; i < m->function_count; i++) {
		struct ptx_function f;
		enum err e;

		if (!n->reach.functions[i])
			continue;
		e = slots_apply(n->a, &m->functions[i], &n->slots[i], &f);
		if (e == ERR_OK)
			e = ssa_make(n->a, &f, &n->ssa[i]);
		if (e != ERR_OK)
			return e;
		named->functions[i] = n->ssa[i].f;
		n->ssa[i].flow.f = &named->functions[i];
		n->reg_first[i] = count;
		count += n->ssa[i].name_count;
		if (count > NAMES_MAX)
			return ERR_LIMIT;
		if (n->reach.addressed[i])
			n->addressed[n->addressed_count++] = i;
	}
	n->m = named;
	n->regs = ARENA_ARRAY(n->a, count + 1u, struct value);
	n->reg_used = ARENA_ARRAY(n->a, count + 1u, bool);
	n->reg_compared = ARENA_ARRAY(n->a, count + 1u, bool);
	return n->regs && n->reg_used && n->reg_compared ? ERR_OK
							 : ERR_NO_MEMORY;
}

static void make_extents(struct analysis *n)
{
	const struct ptx_function *f = &n->m->functions[n->kernel];

	n->var_count = VALUE_IDS;
	for (uint32_t i = 0; i < 3; i++) {
		if (n->launch) {
			n->extent[i] = n->launch->block[i];
			n->extent[3 + i] = n->launch->grid[i];
		} else if (f->reqntid[0]) {
			n->extent[i] = f->reqntid[i];
		}
	}
}

/* Whether some way into a block comes from behind it. */
static bool is_loop(const struct flow *w, uint32_t block)
{
	const struct flow_block *b = &w->blocks[block];

	for (uint32_t k = 0; k < b->pred_count; k++)
		if (w->blocks[w->preds[b->pred_first + k]].rank >= b->rank)
			return true;
	return false;
}

/* Whether arg is the phi itself plus a number. */
static bool is_own_step(struct analysis *n, uint32_t function,
			const struct ssa_phi *p, uint32_t arg, int64_t *ret)
{
	const struct ssa *s = &n->ssa[function];
	const struct ptx_function *f = &n->m->functions[function];
	const struct ptx_instr *in;
	const struct ptx_operand *o, *other;
	struct value v;

	if (s->def[arg] == PTX_NO_INDEX)
		return false;
	in = &f->instrs[s->def[arg]];
	if (in->op != PTX_OP_add || in->guard != PTX_NO_INDEX ||
	    in->mod[PTX_MOD_CC] || in->mod[PTX_MOD_SAT] ||
	    ptx_types[in->types[0]].kind == PTX_KIND_F)
		return false;
	o = ptx_operand(f, in, 1);
	other = ptx_operand(f, in, 2);
	if (o->kind != PTX_OPERAND_REG || o->index != p->name) {
		other = o;
		o = ptx_operand(f, in, 2);
	}
	if (o->kind != PTX_OPERAND_REG || o->index != p->name)
		return false;
	v = transfer_value(n, function, other, transfer_type(in, 1));
	*ret = v.c0;
	return value_is_const(&v);
}

/* Whether some guard compares the phi, or what it becomes. */
static bool is_counter(struct analysis *n, uint32_t function,
		       const struct ssa_phi *p)
{
	const struct ssa *s = &n->ssa[function];
	const bool *compared = &n->reg_compared[n->reg_first[function]];
	bool any = compared[p->name];

	for (uint32_t k = 0; k < p->arg_count; k++)
		any |= compared[s->args[p->arg_first + k]];
	return any;
}

/* How often a loop goes round at most, by the counters at its head: each adds
 * one and the same number every time, and has bounds. */
static int64_t find_trips(struct analysis *n, uint32_t function, uint32_t block)
{
	const struct ssa *s = &n->ssa[function];
	const struct flow_block *b = &s->flow.blocks[block];
	int64_t trips = VALUE_FAR;

	for (uint32_t i = s->phi_first[block]; i < s->phi_first[block + 1];
	     i++) {
		const struct ssa_phi *p = &s->phis[i];
		const struct value *v =
			&n->regs[n->reg_first[function] + p->name];
		int64_t step = 0, one;
		bool is_good = is_counter(n, function, p) &&
			       value_is_clean(v) && v->shape == SHAPE_AFFINE &&
			       !value_is_far(v->lo) && !value_is_far(v->hi);

		for (uint32_t k = 0; is_good && k < b->pred_count; k++) {
			uint32_t from = s->flow.preds[b->pred_first + k];

			if (s->flow.blocks[from].rank < b->rank)
				continue;
			is_good =
				is_own_step(n, function, p,
					    s->args[p->arg_first + k], &one) &&
				one != 0 && (step == 0 || step == one);
			step = one;
		}
		if (!is_good || step == 0)
			continue;
		one = (v->hi - v->lo) / (step < 0 ? -step : step);
		trips = one < trips ? one : trips;
	}
	return trips;
}

/* A register that only adds a number each time: as far as the trips take
 * it. */
static void join_walker(struct analysis *n, uint32_t function,
			const struct ptx_operand *reg, struct value v,
			int64_t least, int64_t most, int64_t trips)
{
	int64_t step = value_gcd(least, most);
	uint64_t size = (uint64_t)(most > -least ? most : -least);

	if (v.shape == SHAPE_AFFINE) {
		v.step = value_gcd(v.step, step);
		v.lo = value_far_add(v.lo, value_far_mul(least, trips));
		v.hi = value_far_add(v.hi, value_far_mul(most, trips));
		v.reach = v.reach < size ? size : v.reach;
		if (v.step == 0)
			v.lo = v.hi = 0;
	}
	analysis_set(n, function, reg, v);
}

/* trips: of a loop whose head the phi stands at; VALUE_FAR: not known. */
static void join_phi(struct analysis *n, uint32_t function,
		     const struct ssa_phi *p, bool in_loop, int64_t trips)
{
	const struct ssa *s = &n->ssa[function];
	struct value *regs = &n->regs[n->reg_first[function]];
	struct value entry = {0};
	struct ptx_operand reg = {.kind = PTX_OPERAND_REG,
				  .cls = s->cls[p->name],
				  .index = p->name};
	bool walks =
		in_loop && trips < VALUE_FAR && !is_counter(n, function, p);
	int64_t least = 0, most = 0, step;

	for (uint32_t k = 0; k < p->arg_count; k++) {
		uint32_t arg = s->args[p->arg_first + k];
		struct value v = regs[arg];
		const struct flow_block *b = &s->flow.blocks[p->block];

		if (walks && is_own_step(n, function, p, arg, &step)) {
			least = step < least ? step : least;
			most = step > most ? step : most;
			continue;
		}
		if (p->block != PTX_NO_INDEX && k < b->pred_count)
			facts_bound_edge(n, function,
					 s->flow.preds[b->pred_first + k],
					 p->block, arg, &v);
		if (walks)
			value_join(&entry, &v, n->extent);
		else if (in_loop)
			analysis_carry(n, function, &reg, v);
		else
			analysis_set(n, function, &reg, v);
	}
	if (walks)
		join_walker(n, function, &reg, entry, least, most, trips);
}

/* The old values that a guarded instruction may keep. */
static void join_old(struct analysis *n, uint32_t function, uint32_t instr)
{
	const struct ssa *s = &n->ssa[function];
	struct value *regs = &n->regs[n->reg_first[function]];
	uint32_t lo = 0, hi = s->merge_count;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;

		if (s->merges[mid].instr < instr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < s->merge_count && s->merges[lo].instr == instr; lo++) {
		const struct ssa_merge *g = &s->merges[lo];
		struct ptx_operand reg = {.kind = PTX_OPERAND_REG,
					  .cls = s->cls[g->name],
					  .index = g->name};
		struct value v = regs[g->old];

		facts_bound_if(n, function, n->guard, !n->guard_truth, g->old,
			       &v);
		analysis_set(n, function, &reg, v);
	}
}

/* Numbers that registers of a function are compared with: where loops stop. */
static void find_stops(struct analysis *n, uint32_t function)
{
	const struct ptx_function *f = &n->m->functions[function];

	n->stop_count = 0;
	for (uint32_t i = 0; i < f->instr_count; i++) {
		const struct ptx_instr *in = &f->instrs[i];

		if (in->op != PTX_OP_setp ||
		    ptx_types[in->types[0]].kind == PTX_KIND_F)
			continue;
		for (uint32_t k = 2; k < 4 && n->stop_count < STOPS_MAX; k++) {
			const struct ptx_operand *o = ptx_operand(f, in, k);
			struct value v = {0};

			if (o->kind == PTX_OPERAND_REG)
				v = *analysis_reg(n, function, o);
			if (o->kind == PTX_OPERAND_IMM)
				v = transfer_value(n, function, o,
						   transfer_type(in, k));
			if (value_is_const(&v) && v.c0 < VALUE_FAR / 2 &&
			    v.c0 > -VALUE_FAR / 2)
				n->stops[n->stop_count++] = v.c0;
		}
	}
}

static void pass_function(struct analysis *n, uint32_t function)
{
	const struct ptx_function *f = &n->m->functions[function];
	const struct ssa *s = &n->ssa[function];

	if (n->widen == WIDEN_RANGE)
		find_stops(n, function);
	for (uint32_t i = 0; i < s->flow.order_count; i++) {
		uint32_t block = s->flow.order[i];
		const struct flow_block *b = &s->flow.blocks[block];
		bool in_loop = is_loop(&s->flow, block);
		int64_t trips =
			in_loop ? find_trips(n, function, block) : VALUE_FAR;

		for (uint32_t k = s->phi_first[block];
		     k < s->phi_first[block + 1]; k++)
			join_phi(n, function, &s->phis[k], in_loop, trips);
		for (uint32_t k = b->first; k < b->end; k++) {
			analysis_at(n, function, k);
			transfer_instr(n, function, &f->instrs[k]);
			if (f->instrs[k].guard != PTX_NO_INDEX)
				join_old(n, function, k);
		}
	}
	for (uint32_t k = s->phi_first[s->flow.block_count]; k < s->phi_count;
	     k++)
		join_phi(n, function, &s->phis[k], true, VALUE_FAR);
}

static enum widen widen_at(uint32_t pass)
{
	if (pass < ANALYSIS_WIDEN)
		return WIDEN_NOT;
	return pass < ANALYSIS_GIVE_UP ? WIDEN_RANGE : WIDEN_SHAPE;
}

enum err analysis_run(struct analysis *n)
{
	enum err e = make_names(n);

	n->is_settled = false;
	n->carry = value_any();
	make_extents(n);
	for (uint32_t i = 0; e == ERR_OK && i < n->m->function_count; i++)
		if (n->reach.functions[i])
			n->regs[n->reg_first[i]] = value_unset();
	if (e == ERR_OK)
		e = objects_make(n);
	if (e == ERR_OK)
		e = used_find(n);
	if (e == ERR_OK)
		e = facts_make(n);
	if (e != ERR_OK)
		return e;
	for (uint32_t pass = 0; pass < ANALYSIS_PASSES; pass++) {
		n->grew = n->saw_unset = false;
		n->widen = widen_at(pass);
		for (uint32_t i = 0; i < n->m->function_count; i++)
			if (n->reach.functions[i])
				pass_function(n, i);
		if (n->err != ERR_OK)
			return n->err;
		if (n->grew)
			continue;
		if (n->is_settled || !n->saw_unset)
			return ERR_OK;
		n->is_settled = true;
	}
	return ERR_LIMIT;
}
