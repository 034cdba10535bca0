/*
 * gpu/ptx/regular - which stores happen by chance.
 *
 * A branch is irregular when its predicate owes something to memory or to
 * mixed bits, regular when it compares plain indexes and parameters.  A store
 * happens by chance when an irregular branch decides whether it runs.  A launch
 * whose stores are such, or go to a slot that every CTA owns, is a search: most
 * CTAs write nothing else, so that a sample of them would show nothing.  This
 * is a guess in the provider's and buyer's favour, and decides no money: a
 * quote that sees most sampled CTAs write nothing comes to the same end.
 */
#include <string.h>

#include "gpu/ptx/priv/analysis.h"

/* Blocks visited in all; beyond it the launch is no search. */
#define VISITS_MAX (1u << 23)

struct walk {
	struct analysis *n;
	uint32_t function;
	const struct flow *w; /* NULL: not begun */
	uint32_t *todo;
	uint32_t *targets; /* the store's block, and what decides if it runs */
	uint8_t *marks;	   /* bits below */
	uint64_t visits;
};

#define MARK_OUT    1u /* can end without the target */
#define MARK_TARGET 2u /* among the targets */

static const struct ptx_instr *last_of(const struct flow *w, uint32_t block)
{
	return &w->f->instrs[w->blocks[block].end - 1];
}

/* Whether the function may end behind a block; a trap is a fault, whatever
 * was stored before it. */
static bool may_end(const struct flow *w, uint32_t block)
{
	const struct ptx_instr *in = last_of(w, block);
	uint32_t last = w->blocks[block].end - 1, count;
	const uint32_t *to = flow_jumps(w->f, last, &count);

	if (in->op == PTX_OP_ret || in->op == PTX_OP_exit)
		return true;
	if (in->op == PTX_OP_trap)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (to[i] >= w->f->instr_count)
			return true;
	return last + 1 == w->f->instr_count && !count;
}

static bool is_irregular(struct walk *k, const struct ptx_instr *in)
{
	struct ptx_operand guard = {.kind = PTX_OPERAND_REG,
				    .cls = PTX_CLASS_PRED,
				    .index = in->guard};

	if (in->op == PTX_OP_brx_idx) {
		struct value v = transfer_value(k->n, k->function,
						ptx_operand(k->w->f, in, 0),
						PTX_TYPE_B32);

		if (v.irregular)
			return true;
	}
	return in->guard != PTX_NO_INDEX &&
	       analysis_reg(k->n, k->function, &guard)->irregular;
}

static bool begin(struct walk *k, uint32_t function)
{
	uint32_t count;

	if (k->w && k->function == function)
		return true;
	k->function = function;
	k->w = &k->n->ssa[function].flow;
	count = k->w->block_count;
	k->todo = ARENA_ARRAY(k->n->a, count + 1u, uint32_t);
	k->targets = ARENA_ARRAY(k->n->a, count + 1u, uint32_t);
	k->marks = ARENA_ARRAY(k->n->a, count + 1u, uint8_t);
	return k->todo && k->targets && k->marks;
}

static void push(struct walk *k, uint32_t block, uint32_t *depth)
{
	if (k->marks[block] & MARK_OUT)
		return;
	k->marks[block] |= MARK_OUT;
	k->todo[(*depth)++] = block;
	k->visits++;
}

/* Marks what can end without coming to target first. */
static void mark_ways_out(struct walk *k, uint32_t target)
{
	const struct flow *w = k->w;
	uint32_t depth = 0;

	for (uint32_t b = 0; b < w->block_count; b++)
		k->marks[b] &= (uint8_t)~MARK_OUT;
	for (uint32_t b = 0; b < w->block_count; b++)
		if (b != target && may_end(w, b))
			push(k, b, &depth);
	k->visits += w->block_count;
	while (depth > 0) {
		const struct flow_block *b = &w->blocks[k->todo[--depth]];

		for (uint32_t i = 0; i < b->pred_count; i++)
			if (w->preds[b->pred_first + i] != target)
				push(k, w->preds[b->pred_first + i], &depth);
	}
}

/* Whether a block decides if the target runs: one way out of it makes the
 * target certain, another one does not. */
static bool decides(const struct walk *k, uint32_t block)
{
	const struct flow *w = k->w;
	uint32_t last = w->blocks[block].end - 1, count;
	const uint32_t *to = flow_jumps(w->f, last, &count);
	bool certain = flow_falls_through(w->f, last) &&
		       !(k->marks[w->block_of[last + 1]] & MARK_OUT);

	if (!(k->marks[block] & MARK_OUT))
		return false;
	for (uint32_t i = 0; i < count; i++)
		certain |= to[i] < w->f->instr_count &&
			   !(k->marks[w->block_of[to[i]]] & MARK_OUT);
	return certain;
}

/* Whether an irregular branch decides, itself or through others, if the
 * store runs. */
static bool by_chance(struct walk *k, const struct ptx_instr *store)
{
	const struct flow *w = k->w;
	uint32_t block = w->block_of[store - w->f->instrs];
	uint32_t next = 0, end = 1;

	if (is_irregular(k, store))
		return true;
	memset(k->marks, 0, w->block_count);
	k->targets[0] = block;
	k->marks[block] = MARK_TARGET;
	for (; next < end && k->visits <= VISITS_MAX; next++) {
		mark_ways_out(k, k->targets[next]);
		for (uint32_t b = 0; b < w->block_count; b++) {
			if (b == k->targets[next] || !decides(k, b) ||
			    (k->marks[b] & MARK_TARGET))
				continue;
			if (is_irregular(k, last_of(w, b)))
				return true;
			k->marks[b] |= MARK_TARGET;
			k->targets[end++] = b;
		}
	}
	return false;
}

/* Whether the access writes a buffer, plainly. */
static bool is_plain_store(const struct analysis *n, const struct access *c,
			   bool *reads_too)
{
	uint32_t direct = analysis_object_of(n, c->function, c->memory);
	bool is_one = false;

	if (!c->is_write || c->is_atomic)
		return false;
	if (direct != PTX_NO_INDEX) {
		is_one = n->objects[direct].is_global;
		*reads_too |= is_one && n->objects[direct].read;
		return is_one;
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

bool regular_is_search(struct analysis *n, bool *ret_has_slots)
{
	struct walk k = {.n = n};
	const struct access *first = NULL;
	bool reads_too = false, has_slots = false;

	for (uint32_t i = 0; i < n->access_count; i++) {
		const struct access *c = &n->accesses[i];

		if (!is_plain_store(n, c, &reads_too))
			continue;
		if (reads_too)
			return false;
		if (!begin(&k, c->function)) {
			n->err = ERR_NO_MEMORY;
			return false;
		}
		k.visits += k.w->block_count;
		if (k.visits > VISITS_MAX)
			return false;
		if (by_chance(&k, c->in)) {
			first = first ? first : c;
			continue;
		}
		if (!independence_is_slot(n, c))
			return false;
		has_slots = true;
	}
	if (!first)
		return false;
	*ret_has_slots = has_slots;
	reasons_add(n, PTX_WHY_writes_by_chance, first->f, first->in,
		    has_slots ? "every CTA owns a slot besides" : "");
	return true;
}
