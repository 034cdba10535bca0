/*
 * gpu/ptx/regular - which stores happen by chance.
 *
 * A branch is irregular when its predicate owes something to memory or to
 * mixed bits, regular when it compares plain indexes and parameters.  A store
 * happens by chance when an irregular branch decides whether it runs.  A launch
 * whose every store is such is a search: most CTAs may write nothing, so that a
 * sample of them would show nothing.  This is a guess in the provider's and
 * buyer's favour, and decides no money: a quote that sees most sampled CTAs
 * write nothing comes to the same end.
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
	uint32_t *targets; /* the store, and what decides if it runs */
	uint8_t *marks;	   /* bits below */
	uint64_t visits;
};

#define MARK_OUT    1u /* can end without the target */
#define MARK_TARGET 2u /* among the targets */

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
	w->targets = ARENA_ARRAY(w->n->a, count + 1u, uint32_t);
	w->marks = ARENA_ARRAY(w->n->a, count + 1u, uint8_t);
	if (!w->pred_first || !w->todo || !w->targets || !w->marks)
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

/* Marks what can end without coming to target first. */
static void mark_ways_out(struct flow *w, uint32_t target)
{
	uint32_t count = w->f->instr_count, depth = 0;

	for (uint32_t i = 0; i < count; i++) {
		w->marks[i] &= (uint8_t)~MARK_OUT;
		if (i != target && (ends(&w->f->instrs[i]) || i + 1 == count))
			push(w, i, MARK_OUT, &depth);
	}
	w->visits += count;
	while (depth > 0) {
		uint32_t i = w->todo[--depth];

		for (uint32_t k = w->pred_first[i]; k < w->pred_first[i + 1];
		     k++)
			if (w->pred[k] != target)
				push(w, w->pred[k], MARK_OUT, &depth);
	}
}

static bool leads_out(const struct flow *w, uint32_t i)
{
	return i >= w->f->instr_count || (w->marks[i] & MARK_OUT);
}

/* Whether instruction i decides if the target runs: one way out of it makes
 * the target certain, another one does not. */
static bool decides(const struct flow *w, uint32_t i)
{
	uint32_t count;
	const uint32_t *to = jumps(w->f, i, &count);
	bool certain = falls_through(w->f, i) && !leads_out(w, i + 1);

	if (!(w->marks[i] & MARK_OUT))
		return false;
	for (uint32_t k = 0; k < count; k++)
		certain |= !leads_out(w, to[k]);
	return certain;
}

/* Whether an irregular branch decides, itself or through others, if the
 * store runs. */
static bool by_chance(struct flow *w, uint32_t store)
{
	uint32_t count = w->f->instr_count, next = 0, end = 1;

	if (is_irregular(w, &w->f->instrs[store]))
		return true;
	memset(w->marks, 0, count);
	w->targets[0] = store;
	w->marks[store] = MARK_TARGET;
	for (; next < end && w->visits <= VISITS_MAX; next++) {
		mark_ways_out(w, w->targets[next]);
		for (uint32_t i = 0; i < count; i++) {
			if (i == w->targets[next] || !decides(w, i) ||
			    (w->marks[i] & MARK_TARGET))
				continue;
			if (is_irregular(w, &w->f->instrs[i]))
				return true;
			w->marks[i] |= MARK_TARGET;
			w->targets[end++] = i;
		}
	}
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
	if (direct != PTX_NO_INDEX) {
		*reads_too |= n->objects[direct].read;
		return n->objects[direct].is_global;
	}
	for (uint32_t b = 0; b < n->base_count; b++) {
		const struct object *o = &n->objects[n->base_object[b]];

		if (!(c->at.bases >> b & 1) || !o->is_global)
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
