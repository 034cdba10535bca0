/*
 * gpu/ptx/flow - leaders, edges, reverse postorder, and dominators by the
 * iteration of Cooper, Harvey and Kennedy with a limit on its steps.
 */
#include "gpu/ptx/priv/flow.h"

/* Steps of the dominator iteration for each block. */
#define STEPS_PER_BLOCK 64u

static bool ends(const struct ptx_instr *in)
{
	return in->op == PTX_OP_ret || in->op == PTX_OP_exit ||
	       in->op == PTX_OP_trap;
}

static bool is_jump(const struct ptx_instr *in)
{
	return in->op == PTX_OP_bra || in->op == PTX_OP_brx_idx;
}

const uint32_t *flow_jumps(const struct ptx_function *f, uint32_t instr,
			   uint32_t *ret_count)
{
	const struct ptx_instr *in = &f->instrs[instr];

	*ret_count = 0;
	if (in->op == PTX_OP_bra) {
		*ret_count = 1;
		return &ptx_operand(f, in, 0)->index;
	}
	if (in->op == PTX_OP_brx_idx) {
		const struct ptx_table *t =
			&f->tables[ptx_operand(f, in, 1)->index];

		*ret_count = t->count;
		return t->targets;
	}
	return NULL;
}

bool flow_falls_through(const struct ptx_function *f, uint32_t instr)
{
	const struct ptx_instr *in = &f->instrs[instr];

	return instr + 1 < f->instr_count &&
	       (in->guard != PTX_NO_INDEX || !(ends(in) || is_jump(in)));
}

/* Numbers the blocks: a leader is the entry, a target, or what stands behind
 * an end. */
static enum err find_blocks(struct arena *a, struct flow *w)
{
	const struct ptx_function *f = w->f;
	uint32_t at = 0, edges = 0;

	w->block_of = ARENA_ARRAY(a, f->instr_count + 1u, uint32_t);
	if (!w->block_of)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < f->instr_count; i++) {
		uint32_t count;
		const uint32_t *to = flow_jumps(f, i, &count);

		edges += count + 1;
		if (edges > FLOW_EDGES_MAX)
			return ERR_LIMIT;
		for (uint32_t k = 0; k < count; k++)
			w->block_of[to[k]] = 1;
		if (is_jump(&f->instrs[i]) || ends(&f->instrs[i]))
			w->block_of[i + 1] = 1;
	}
	for (uint32_t i = 1; i < f->instr_count; i++)
		w->block_count += w->block_of[i];
	w->block_count += f->instr_count > 0;
	w->blocks = ARENA_ARRAY(a, w->block_count + 1u, struct flow_block);
	if (!w->blocks)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < f->instr_count; i++) {
		if (i > 0 && w->block_of[i]) {
			w->blocks[at++].end = i;
			w->blocks[at].first = i;
		}
		w->block_of[i] = at;
	}
	if (f->instr_count)
		w->blocks[at].end = f->instr_count;
	return ERR_OK;
}

/* The k-th block after b, block_count for the end of the function;
 * PTX_NO_INDEX behind the last. */
static uint32_t successor(const struct flow *w, uint32_t b, uint32_t k)
{
	uint32_t last = w->blocks[b].end - 1, count;
	const uint32_t *to = flow_jumps(w->f, last, &count);

	if (k < count)
		return to[k] < w->f->instr_count ? w->block_of[to[k]]
						 : w->block_count;
	if (k == count && flow_falls_through(w->f, last))
		return w->block_of[last + 1];
	return PTX_NO_INDEX;
}

/* Depth first from the entry, without recursion. */
static enum err find_order(struct arena *a, struct flow *w)
{
	uint32_t *stack = ARENA_ARRAY(a, w->block_count + 1u, uint32_t);
	uint32_t *next = ARENA_ARRAY(a, w->block_count + 1u, uint32_t);
	uint32_t depth = 0, left = w->block_count;

	w->order = ARENA_ARRAY(a, w->block_count + 1u, uint32_t);
	if (!stack || !next || !w->order)
		return ERR_NO_MEMORY;
	for (uint32_t b = 0; b < w->block_count; b++)
		w->blocks[b].rank = w->blocks[b].idom = PTX_NO_INDEX;
	if (w->block_count) {
		w->blocks[0].rank = 0;
		stack[depth++] = 0;
	}
	while (depth > 0) {
		uint32_t b = stack[depth - 1];
		uint32_t s = successor(w, b, next[b]++);

		if (s == PTX_NO_INDEX) {
			w->order[--left] = b;
			depth--;
		} else if (s < w->block_count &&
			   w->blocks[s].rank == PTX_NO_INDEX) {
			w->blocks[s].rank = 0;
			stack[depth++] = s;
		}
	}
	w->order_count = w->block_count - left;
	for (uint32_t i = 0; i < w->order_count; i++) {
		w->order[i] = w->order[left + i];
		w->blocks[w->order[i]].rank = i;
	}
	return ERR_OK;
}

static enum err find_preds(struct arena *a, struct flow *w)
{
	uint32_t total = 0, s;

	for (uint32_t i = 0; i < w->order_count; i++)
		for (uint32_t k = 0;
		     (s = successor(w, w->order[i], k)) != PTX_NO_INDEX; k++)
			if (s < w->block_count)
				w->blocks[s].pred_count++;
	for (uint32_t b = 0; b < w->block_count; b++) {
		w->blocks[b].pred_first = total;
		total += w->blocks[b].pred_count;
		w->blocks[b].pred_count = 0;
	}
	w->preds = ARENA_ARRAY(a, total + 1u, uint32_t);
	if (!w->preds)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < w->order_count; i++)
		for (uint32_t k = 0;
		     (s = successor(w, w->order[i], k)) != PTX_NO_INDEX; k++) {
			struct flow_block *b = &w->blocks[s];

			if (s < w->block_count)
				w->preds[b->pred_first + b->pred_count++] =
					w->order[i];
		}
	return ERR_OK;
}

/* The nearest block that dominates both. */
static uint32_t meet(const struct flow *w, uint32_t x, uint32_t y,
		     uint64_t *steps)
{
	while (x != y) {
		if (w->blocks[x].rank > w->blocks[y].rank)
			x = w->blocks[x].idom;
		else
			y = w->blocks[y].idom;
		++*steps;
	}
	return x;
}

/* The nearest block that dominates all known predecessors of b. */
static uint32_t meet_preds(const struct flow *w, const struct flow_block *b,
			   uint64_t *steps, uint64_t most)
{
	uint32_t best = PTX_NO_INDEX;

	for (uint32_t k = 0; k < b->pred_count && *steps <= most; k++) {
		uint32_t p = w->preds[b->pred_first + k];

		if (w->blocks[p].idom == PTX_NO_INDEX)
			continue;
		best = best == PTX_NO_INDEX ? p : meet(w, p, best, steps);
	}
	return best;
}

static void find_dominators(struct flow *w)
{
	uint64_t steps = 0;
	uint64_t most = (uint64_t)STEPS_PER_BLOCK * (w->order_count + 64u);
	bool grew = w->order_count > 0;

	if (grew)
		w->blocks[0].idom = 0;
	while (grew) {
		grew = false;
		for (uint32_t i = 1; i < w->order_count; i++) {
			struct flow_block *b = &w->blocks[w->order[i]];
			uint32_t best = meet_preds(w, b, &steps, most);

			if (++steps > most)
				return;
			grew |= best != b->idom;
			b->idom = best;
		}
	}
	w->has_dominators = true;
}

bool flow_edge_guard(const struct flow *w, uint32_t from, uint32_t to,
		     uint32_t *ret_guard, bool *ret_truth)
{
	uint32_t last = w->blocks[from].end - 1, count;
	const struct ptx_instr *in = &w->f->instrs[last];
	const uint32_t *jumps = flow_jumps(w->f, last, &count);
	bool jumped;

	if (in->guard == PTX_NO_INDEX || in->op == PTX_OP_brx_idx ||
	    !(is_jump(in) || ends(in)))
		return false;
	jumped = count == 1 && jumps[0] < w->f->instr_count &&
		 w->block_of[jumps[0]] == to;
	/* Both ways lead there: nothing is known. */
	if (jumped && flow_falls_through(w->f, last) &&
	    w->block_of[last + 1] == to)
		return false;
	*ret_guard = in->guard;
	*ret_truth = jumped != in->guard_negated;
	return true;
}

enum err flow_make(struct arena *a, const struct ptx_function *f,
		   struct flow *ret)
{
	struct flow w = {.f = f};
	enum err e = find_blocks(a, &w);

	if (e == ERR_OK)
		e = find_order(a, &w);
	if (e == ERR_OK)
		e = find_preds(a, &w);
	if (e != ERR_OK)
		return e;
	find_dominators(&w);
	*ret = w;
	return ERR_OK;
}
