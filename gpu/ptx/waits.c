/*
 * gpu/ptx/waits - code that waits for other CTAs without saying so.
 *
 * A loop that loads the same place again and again, from a buffer that the
 * launch writes but the loop does not, and that ends by what it loads, waits
 * for another CTA.  A ticket (the result of an atomic, or of a function that
 * has one) that is compared with the number of CTAs makes one CTA the last: it
 * reads what all others wrote.
 */
#include "gpu/ptx/priv/analysis.h"

/* Blocks and names looked at for one kernel, and names for one question. */
#define VISITS_MAX (1u << 22)
#define SLICE_MAX  64u

struct waits {
	struct analysis *n;
	uint32_t function;
	const struct ssa *s;
	uint32_t *in_loop; /* [block] the loop that it was last seen in */
	uint32_t *made_in; /* [name] the loop that defines it */
	uint32_t *body, body_count;
	uint32_t loop;	     /* number of the loop at hand */
	uint32_t *phi_of;    /* [name] + 1 */
	uint32_t *access_of; /* [instruction] + 1 */
	/* Functions in which an atomic or a call of such a one stands, and
	 * variables that take what such a call gives. */
	bool *has_atom, *takes_ticket;
	uint64_t visits;
};

typedef bool is_goal(const struct waits *w, const struct ptx_instr *in,
		     uint32_t name, const void *goal);

/* Whether a name is made, near enough, from what the goal looks for. */
static bool derives(struct waits *w, uint32_t name, is_goal *is,
		    const void *goal)
{
	uint32_t todo[SLICE_MAX], count = 1;
	const struct ptx_function *f = &w->n->m->functions[w->function];

	todo[0] = name;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t def = w->s->def[todo[i]], phi = w->phi_of[todo[i]];
		const struct ptx_instr *in;

		w->visits++;
		if (phi) {
			const struct ssa_phi *p = &w->s->phis[phi - 1];

			for (uint32_t k = 0;
			     k < p->arg_count && count < SLICE_MAX; k++)
				todo[count++] = w->s->args[p->arg_first + k];
		}
		if (def == PTX_NO_INDEX)
			continue;
		in = &f->instrs[def];
		if (is(w, in, todo[i], goal))
			return true;
		if (ptx_ops[in->op].trait == PTX_TRAIT_LOAD)
			continue;
		for (uint32_t k = ptx_dest_count(in); k < in->operand_count;
		     k++) {
			const struct ptx_operand *o = ptx_operand(f, in, k);

			if (o->kind == PTX_OPERAND_REG && count < SLICE_MAX)
				todo[count++] = o->index;
		}
	}
	return false;
}

static bool is_instr(const struct waits *w, const struct ptx_instr *in,
		     uint32_t name, const void *goal)
{
	(void)w;
	(void)name;
	return in == goal;
}

static bool calls_atom(const struct waits *w, const struct ptx_function *f,
		       const struct ptx_instr *in)
{
	return in->op == PTX_OP_call &&
	       f->calls[in->aux].callee != PTX_NO_INDEX &&
	       w->has_atom[f->calls[in->aux].callee];
}

static bool is_ticket(const struct waits *w, const struct ptx_instr *in,
		      uint32_t name, const void *goal)
{
	const struct ptx_function *f = &w->n->m->functions[w->function];
	const struct ptx_operand *m;

	(void)name;
	(void)goal;
	if (in->op == PTX_OP_atom || calls_atom(w, f, in))
		return true;
	if (in->op != PTX_OP_ld)
		return false;
	m = ptx_operand(f, in, 1);
	return m->kind == PTX_OPERAND_MEMORY && m->base == PTX_BASE_VARIABLE &&
	       w->takes_ticket[m->index];
}

static bool is_grid_size(const struct waits *w, const struct ptx_instr *in,
			 uint32_t name, const void *goal)
{
	const struct ptx_function *f = &w->n->m->functions[w->function];

	(void)name;
	(void)goal;
	for (uint32_t k = 0; k < in->operand_count; k++) {
		const struct ptx_operand *o = ptx_operand(f, in, k);

		if (o->kind == PTX_OPERAND_SREG && o->index == PTX_SREG_NCTAID)
			return true;
	}
	return false;
}

static bool dominates(const struct flow *w, uint32_t x, uint32_t y)
{
	while (w->blocks[y].rank > w->blocks[x].rank)
		y = w->blocks[y].idom;
	return x == y;
}

static void add_block(struct waits *w, uint32_t block)
{
	if (w->in_loop[block] == w->loop)
		return;
	w->in_loop[block] = w->loop;
	w->body[w->body_count++] = block;
}

/* The blocks of the loop that goes back from one to its head, and the names
 * that they define. */
static void find_body(struct waits *w, uint32_t from, uint32_t head)
{
	const struct flow *flow = &w->s->flow;
	const struct ptx_function *f = flow->f;

	w->loop++;
	w->body_count = 0;
	add_block(w, head);
	add_block(w, from);
	for (uint32_t i = 1; i < w->body_count; i++) {
		const struct flow_block *b = &flow->blocks[w->body[i]];

		for (uint32_t k = 0; k < b->pred_count; k++)
			add_block(w, flow->preds[b->pred_first + k]);
	}
	for (uint32_t i = 0; i < w->body_count; i++) {
		uint32_t block = w->body[i];
		const struct flow_block *b = &flow->blocks[block];

		w->visits += b->end - b->first;
		for (uint32_t k = w->s->phi_first[block];
		     k < w->s->phi_first[block + 1]; k++)
			w->made_in[w->s->phis[k].name] = w->loop;
		for (uint32_t k = b->first; k < b->end; k++)
			for (uint32_t o = 0; o < ptx_dest_count(&f->instrs[k]);
			     o++) {
				const struct ptx_operand *d =
					ptx_operand(f, &f->instrs[k], o);

				if (d->kind == PTX_OPERAND_REG)
					w->made_in[d->index] = w->loop;
			}
	}
}

/* Whether an access may be to the same global object as another. */
static bool share(const struct waits *w, const struct access *a,
		  const struct access *b)
{
	uint32_t x = analysis_object_of(w->n, w->function, a->memory);
	uint32_t y = analysis_object_of(w->n, w->function, b->memory);

	if (x != PTX_NO_INDEX && y != PTX_NO_INDEX)
		return x == y;
	if (x != PTX_NO_INDEX)
		return b->at.bases >> w->n->objects[x].base & 1;
	if (y != PTX_NO_INDEX)
		return a->at.bases >> w->n->objects[y].base & 1;
	return (a->at.bases & b->at.bases) != 0;
}

static bool loop_writes(const struct waits *w, const struct access *c)
{
	for (uint32_t i = 0; i < w->body_count; i++) {
		const struct flow_block *b = &w->s->flow.blocks[w->body[i]];

		for (uint32_t k = b->first; k < b->end; k++) {
			const struct access *o =
				w->access_of[k]
					? &w->n->accesses[w->access_of[k] - 1]
					: NULL;

			if (o && o->is_write && share(w, c, o))
				return true;
		}
	}
	return false;
}

/* Whether the launch writes what c loads. */
static bool is_written(const struct waits *w, const struct access *c)
{
	uint32_t direct = analysis_object_of(w->n, w->function, c->memory);

	if (direct != PTX_NO_INDEX)
		return w->n->objects[direct].is_global &&
		       w->n->objects[direct].written;
	for (uint32_t b = 0; b < w->n->base_count; b++) {
		const struct object *o = &w->n->objects[w->n->base_object[b]];

		if ((c->at.bases >> b & 1) && o->is_global && o->written)
			return true;
	}
	return false;
}

static bool is_same_place(const struct waits *w, const struct access *c)
{
	const struct ptx_operand *m = c->memory;

	if (m->base != PTX_BASE_REG || w->made_in[m->index] != w->loop)
		return true;
	return c->at.shape == SHAPE_AFFINE && c->at.step == 0;
}

/* Whether some way out of the loop is chosen by what in loads. */
static bool ends_by(struct waits *w, const struct ptx_instr *in)
{
	const struct flow *flow = &w->s->flow;

	for (uint32_t i = 0; i < w->body_count; i++) {
		uint32_t last = flow->blocks[w->body[i]].end - 1, count;
		const uint32_t *to = flow_jumps(flow->f, last, &count);
		const struct ptx_instr *x = &flow->f->instrs[last];
		bool leaves = x->op != PTX_OP_bra ||
			      to[0] >= flow->f->instr_count ||
			      w->in_loop[flow->block_of[to[0]]] != w->loop ||
			      w->in_loop[flow->block_of[last + 1]] != w->loop;

		if (x->guard != PTX_NO_INDEX && leaves &&
		    derives(w, x->guard, is_instr, in))
			return true;
	}
	return false;
}

/* The same of a copy: by anything that the loop loads then. */
static bool ends_by_access(struct waits *w, const struct access *c)
{
	if (c->in->op != PTX_OP_cp_async)
		return ends_by(w, c->in);
	for (uint32_t i = 0; i < w->body_count; i++) {
		const struct flow_block *b = &w->s->flow.blocks[w->body[i]];

		for (uint32_t k = b->first; k < b->end; k++) {
			const struct ptx_instr *in = &w->s->f.instrs[k];

			if (ptx_ops[in->op].trait == PTX_TRAIT_LOAD &&
			    w->visits <= VISITS_MAX && ends_by(w, in))
				return true;
		}
	}
	return false;
}

static void check_loop(struct waits *w)
{
	for (uint32_t i = 0; i < w->body_count; i++) {
		const struct flow_block *b = &w->s->flow.blocks[w->body[i]];

		for (uint32_t k = b->first; k < b->end; k++) {
			const struct access *c;

			if (!w->access_of[k])
				continue;
			c = &w->n->accesses[w->access_of[k] - 1];
			if (c->is_read && is_written(w, c) &&
			    is_same_place(w, c) && !loop_writes(w, c) &&
			    ends_by_access(w, c))
				reasons_add(w->n, PTX_WHY_waits, c->f, c->in,
					    "");
		}
	}
}

static void find_loops(struct waits *w)
{
	const struct flow *flow = &w->s->flow;

	for (uint32_t h = 0; flow->has_dominators && h < flow->block_count;
	     h++) {
		const struct flow_block *b = &flow->blocks[h];

		for (uint32_t k = 0; k < b->pred_count; k++) {
			uint32_t from = flow->preds[b->pred_first + k];

			if (!dominates(flow, h, from) || w->visits > VISITS_MAX)
				continue;
			find_body(w, from, h);
			check_loop(w);
		}
	}
}

static void find_tickets(struct waits *w)
{
	const struct ptx_function *f = &w->n->m->functions[w->function];

	for (uint32_t i = 0; i < f->instr_count; i++) {
		const struct ptx_instr *in = &f->instrs[i];
		const struct ptx_operand *a, *b;

		if (in->op != PTX_OP_setp || w->visits > VISITS_MAX)
			continue;
		a = ptx_operand(f, in, 2);
		b = ptx_operand(f, in, 3);
		if (a->kind != PTX_OPERAND_REG || b->kind != PTX_OPERAND_REG)
			continue;
		if ((derives(w, a->index, is_ticket, NULL) &&
		     derives(w, b->index, is_grid_size, NULL)) ||
		    (derives(w, b->index, is_ticket, NULL) &&
		     derives(w, a->index, is_grid_size, NULL)))
			reasons_add(w->n, PTX_WHY_grid_barrier, f, in,
				    "the last CTA goes on alone");
	}
}

static void mark_results(struct waits *w, const struct ptx_call *c)
{
	for (uint32_t i = 0; i < c->result_count; i++)
		if (c->results[i].kind == PTX_OPERAND_ADDRESS)
			w->takes_ticket[c->results[i].index] = true;
}

/* Calls deeper than this give no tickets. */
#define DEPTH_MAX 8u

static bool list_tickets(struct waits *w)
{
	const struct ptx_module *m = w->n->m;

	w->has_atom = ARENA_ARRAY(w->n->a, m->function_count + 1u, bool);
	w->takes_ticket = ARENA_ARRAY(w->n->a, m->variable_count + 1u, bool);
	if (!w->has_atom || !w->takes_ticket)
		return false;
	for (uint32_t depth = 0; depth < DEPTH_MAX; depth++)
		for (uint32_t i = 0; i < m->function_count; i++) {
			const struct ptx_function *f = &m->functions[i];

			for (uint32_t k = 0;
			     k < f->instr_count && !w->has_atom[i]; k++)
				w->has_atom[i] =
					f->instrs[k].op == PTX_OP_atom ||
					calls_atom(w, f, &f->instrs[k]);
		}
	for (uint32_t i = 0; i < m->function_count; i++) {
		const struct ptx_function *f = &m->functions[i];

		for (uint32_t k = 0; k < f->instr_count; k++)
			if (calls_atom(w, f, &f->instrs[k]))
				mark_results(w, &f->calls[f->instrs[k].aux]);
	}
	return true;
}

static bool begin(struct waits *w, uint32_t function)
{
	const struct ptx_function *f = &w->n->m->functions[function];
	struct arena *a = w->n->a;

	w->function = function;
	w->s = &w->n->ssa[function];
	w->loop = 0;
	w->in_loop = ARENA_ARRAY(a, w->s->flow.block_count + 1u, uint32_t);
	w->body = ARENA_ARRAY(a, w->s->flow.block_count + 2u, uint32_t);
	w->made_in = ARENA_ARRAY(a, w->s->name_count + 1u, uint32_t);
	w->phi_of = ARENA_ARRAY(a, w->s->name_count + 1u, uint32_t);
	w->access_of = ARENA_ARRAY(a, f->instr_count + 1u, uint32_t);
	if (!w->in_loop || !w->body || !w->made_in || !w->phi_of ||
	    !w->access_of)
		return false;
	for (uint32_t i = 0; i < w->s->phi_count; i++)
		w->phi_of[w->s->phis[i].name] = i + 1;
	for (uint32_t i = 0; i < w->n->access_count; i++)
		if (w->n->accesses[i].function == function)
			w->access_of[w->n->accesses[i].in - f->instrs] = i + 1;
	return true;
}

void waits_find(struct analysis *n)
{
	struct waits w = {.n = n};
	bool writes = false;

	for (uint32_t i = 0; i < n->object_count; i++)
		writes |= n->objects[i].is_global && n->objects[i].written;
	if (writes && !list_tickets(&w)) {
		n->err = ERR_NO_MEMORY;
		return;
	}
	for (uint32_t i = 0; writes && i < n->m->function_count; i++) {
		if (!n->reach.functions[i])
			continue;
		if (!begin(&w, i)) {
			n->err = ERR_NO_MEMORY;
			return;
		}
		find_loops(&w);
		find_tickets(&w);
	}
}
