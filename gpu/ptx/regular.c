/*
 * gpu/ptx/regular - which stores happen by chance.
 *
 * A branch is irregular when its predicate owes something to memory or to
 * mixed bits, regular when it compares plain indexes and parameters.  A store
 * happens by chance when an irregular branch can lead both to it and around
 * it.  A launch whose every store is such is a search: most CTAs may write
 * nothing, so that a sample of them would show nothing.  This is a guess in
 * the provider's and buyer's favour, and decides no money: a quote that sees
 * most sampled CTAs write nothing comes to the same end.
 */
#include <string.h>

#include "gpu/ptx/priv/analysis.h"

/* Instructions visited in all; beyond it the launch is no search. */
#define VISITS_MAX (1u << 23)

struct flow {
	struct analysis *n;
	uint32_t function;
	const struct ptx_function *f;
	/* Predecessors of each instruction, as lists. */
	uint32_t *pred_first, *pred;
	uint32_t *todo;
	uint8_t *marks; /* bits below */
	uint64_t visits;
};

#define MARK_BEFORE  1u /* can run before the store */
#define MARK_TO_EXIT 2u /* can end without the store */
#define MARK_TO_IT   4u /* can lead to the store */

static bool ends(const struct ptx_instr *in)
{
	return in->op == PTX_OP_ret || in->op == PTX_OP_exit ||
	       in->op == PTX_OP_trap;
}

/* The successors of instruction i that are not its next one. */
static const uint32_t *jumps(const struct ptx_function *f, uint32_t i,
			     uint32_t *count)
{
	const struct ptx_instr *in = &f->instrs[i];

	*count = 0;
	if (in->op == PTX_OP_bra) {
		*count = 1;
		return &ptx_operand(f, in, 0)->index;
	}
	if (in->op == PTX_OP_brx_idx) {
		const struct ptx_table *t =
			&f->tables[ptx_operand(f, in, 1)->index];

		*count = t->count;
		return t->targets;
	}
	return NULL;
}

static bool falls_through(const struct ptx_function *f, uint32_t i)
{
	const struct ptx_instr *in = &f->instrs[i];

	if (i + 1 >= f->instr_count)
		return false;
	return in->guard != PTX_NO_INDEX ||
	       !(ends(in) || in->op == PTX_OP_bra || in->op == PTX_OP_brx_idx);
}

static bool is_irregular(struct flow *w, const struct ptx_instr *in)
{
	struct ptx_operand guard = {.kind = PTX_OPERAND_REG,
				    .cls = PTX_CLASS_PRED,
				    .index = in->guard};

	if (in->op == PTX_OP_brx_idx) {
		struct value v =
			transfer_value(w->n, w->function,
				       ptx_operand(w->f, in, 0), PTX_TYPE_B32);

		if (v.irregular)
			return true;
	}
	return in->guard != PTX_NO_INDEX &&
	       analysis_reg(w->n, w->function, &guard)->irregular;
}

/* Counts edges into first[] + 1, or with pred set fills the lists. */
static void edge(struct flow *w, uint32_t from, uint32_t to, bool fill)
{
	if (to >= w->f->instr_count)
		return;
	if (fill)
		w->pred[w->pred_first[to]++] = from;
	else
		w->pred_first[to + 1]++;
}

static void edges(struct flow *w, bool fill)
{
	for (uint32_t i = 0; i < w->f->instr_count; i++) {
		uint32_t count;
		const uint32_t *to = jumps(w->f, i, &count);

		for (uint32_t k = 0; k < count; k++)
			edge(w, i, to[k], fill);
		if (falls_through(w->f, i))
			edge(w, i, i + 1, fill);
	}
}

static bool make_flow(struct flow *w)
{
	uint32_t count = w->f->instr_count, total = 0;

	w->pred_first = ARENA_ARRAY(w->n->a, count + 2u, uint32_t);
	w->todo = ARENA_ARRAY(w->n->a, count + 1u, uint32_t);
	w->marks = ARENA_ARRAY(w->n->a, count + 1u, uint8_t);
	if (!w->pred_first || !w->todo || !w->marks)
		return false;
	edges(w, false);
	for (uint32_t i = 0; i <= count; i++) {
		total += w->pred_first[i];
		w->pred_first[i] = total;
	}
	w->pred = ARENA_ARRAY(w->n->a, total + 1u, uint32_t);
	if (!w->pred)
		return false;
	edges(w, true);
	/* Filling moved every start to its end: move them back. */
	for (uint32_t i = count; i > 0; i--)
		w->pred_first[i] = w->pred_first[i - 1];
	w->pred_first[0] = 0;
	return true;
}

static void push(struct flow *w, uint32_t i, uint8_t mark, uint32_t *depth)
{
	if (w->marks[i] & mark)
		return;
	w->marks[i] |= mark;
	w->todo[(*depth)++] = i;
	w->visits++;
}

/* Everything that runs before the store, from the entry on. */
static void walk_forward(struct flow *w, uint32_t store)
{
	uint32_t depth = 0;

	push(w, 0, MARK_BEFORE, &depth);
	while (depth > 0) {
		uint32_t i = w->todo[--depth], count;
		const uint32_t *to = jumps(w->f, i, &count);

		if (i == store)
			continue;
		for (uint32_t k = 0; k < count; k++)
			if (to[k] < w->f->instr_count)
				push(w, to[k], MARK_BEFORE, &depth);
		if (falls_through(w->f, i))
			push(w, i + 1, MARK_BEFORE, &depth);
	}
}

static void walk_back(struct flow *w, uint32_t store, uint8_t mark,
		      uint32_t depth)
{
	while (depth > 0) {
		uint32_t i = w->todo[--depth];

		for (uint32_t k = w->pred_first[i]; k < w->pred_first[i + 1];
		     k++)
			if (w->pred[k] != store)
				push(w, w->pred[k], mark, &depth);
	}
}

static bool by_chance(struct flow *w, uint32_t store)
{
	uint32_t count = w->f->instr_count, depth = 0;

	if (is_irregular(w, &w->f->instrs[store]))
		return true;
	memset(w->marks, 0, count);
	walk_forward(w, store);
	for (uint32_t i = 0; i < count; i++)
		if (i != store && (ends(&w->f->instrs[i]) || i + 1 == count))
			push(w, i, MARK_TO_EXIT, &depth);
	walk_back(w, store, MARK_TO_EXIT, depth);
	depth = 0;
	push(w, store, MARK_TO_IT, &depth);
	walk_back(w, PTX_NO_INDEX, MARK_TO_IT, depth);
	for (uint32_t i = 0; i < count; i++)
		if (w->marks[i] == (MARK_BEFORE | MARK_TO_EXIT | MARK_TO_IT) &&
		    is_irregular(w, &w->f->instrs[i]))
			return true;
	return false;
}

/* Whether the access writes a buffer, plainly. */
static bool is_plain_store(const struct analysis *n, const struct access *c,
			   bool *reads_too)
{
	uint32_t function = (uint32_t)(c->f - n->m->functions);
	uint32_t direct = analysis_object_of(n, function, c->memory);
	bool is_one = false;

	if (!c->is_write || c->is_atomic)
		return false;
	for (uint32_t b = 0; b < n->base_count; b++) {
		const struct object *o = &n->objects[n->base_object[b]];
		bool hit = direct == n->base_object[b] ||
			   (direct == PTX_NO_INDEX && (c->at.bases >> b & 1));

		if (!hit || !o->is_global)
			continue;
		is_one = true;
		*reads_too |= o->read;
	}
	return is_one;
}

bool regular_is_search(struct analysis *n)
{
	struct flow w = {.n = n};
	const struct access *first = NULL;
	bool reads_too = false;

	for (uint32_t i = 0; i < n->access_count; i++) {
		const struct access *c = &n->accesses[i];

		if (!is_plain_store(n, c, &reads_too))
			continue;
		if (reads_too)
			return false;
		if (w.f != c->f) {
			w.f = c->f;
			w.function = (uint32_t)(c->f - n->m->functions);
			if (!make_flow(&w)) {
				n->err = ERR_NO_MEMORY;
				return false;
			}
		}
		w.visits += w.f->instr_count;
		if (w.visits > VISITS_MAX ||
		    !by_chance(&w, (uint32_t)(c->in - c->f->instrs)))
			return false;
		if (!first)
			first = c;
	}
	if (first)
		reasons_add(n, PTX_WHY_writes_by_chance, first->f, first->in,
			    "");
	return first != NULL;
}
