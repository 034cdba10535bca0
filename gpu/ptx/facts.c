/*
 * gpu/ptx/facts - what the guards on the way to a place say of registers.
 *
 * A block that has one predecessor, which chose the way by a predicate, knows
 * that predicate; so do all blocks that it dominates, and a register that was
 * compared there keeps its name and its value.  Comparisons of integers are
 * used where the machine's order is that of the integers.
 */
#include "gpu/ptx/priv/analysis.h"

/* Facts looked at for one question, and how deep a predicate is taken apart. */
#define FACTS_MAX 24u
#define DEPTH_MAX 8u

enum relation {
	REL_EQ,
	REL_NE,
	REL_LT,
	REL_LE,
	REL_GT,
	REL_GE,
	REL_NONE,
};

/* One comparison that is known to hold. */
struct compare {
	const struct ptx_operand *a, *b;
	enum relation rel;
	enum ptx_type type;
	bool is_unsigned;
};

struct query {
	struct analysis *n;
	uint32_t function;
	void (*tell)(struct query *q, const struct compare *c);
	/* Bounding: */
	uint32_t name;
	struct value *v;
	/* Rows: */
	struct row *rows;
	uint32_t row_count;
	bool is_lost; /* something was said that no row says */
};

static enum relation opposite(enum relation r)
{
	static const uint8_t to[] = {REL_NE, REL_EQ, REL_GE,  REL_GT,
				     REL_LE, REL_LT, REL_NONE};

	return (enum relation)to[r];
}

static enum relation turned(enum relation r)
{
	static const uint8_t to[] = {REL_EQ, REL_NE, REL_GT,  REL_GE,
				     REL_LT, REL_LE, REL_NONE};

	return (enum relation)to[r];
}

static enum relation relation_of(uint8_t cmp)
{
	switch (cmp) {
	case PTX_CMP_EQ:
		return REL_EQ;
	case PTX_CMP_NE:
		return REL_NE;
	case PTX_CMP_LT:
	case PTX_CMP_LO:
		return REL_LT;
	case PTX_CMP_LE:
	case PTX_CMP_LS:
		return REL_LE;
	case PTX_CMP_GT:
	case PTX_CMP_HI:
		return REL_GT;
	case PTX_CMP_GE:
	case PTX_CMP_HS:
		return REL_GE;
	default:
		return REL_NONE;
	}
}

static bool is_unsigned(uint8_t cmp, enum ptx_type t)
{
	return cmp == PTX_CMP_LO || cmp == PTX_CMP_LS || cmp == PTX_CMP_HI ||
	       cmp == PTX_CMP_HS || ptx_types[t].kind != PTX_KIND_S;
}

static void tell(struct query *q, const struct ptx_instr *in, bool truth)
{
	const struct ptx_function *f = &q->n->m->functions[q->function];
	enum ptx_type t = transfer_type(in, 2);
	uint8_t cmp = in->mod[PTX_MOD_CMP];
	struct compare c = {.a = ptx_operand(f, in, 2),
			    .b = ptx_operand(f, in, 3),
			    .rel = relation_of(cmp),
			    .type = t,
			    .is_unsigned = is_unsigned(cmp, t)};

	if (ptx_types[t].kind == PTX_KIND_F || c.rel == REL_NONE ||
	    (ptx_types[t].bits != 32 && ptx_types[t].bits != 64)) {
		q->is_lost = true;
		return;
	}
	if (!truth)
		c.rel = opposite(c.rel);
	q->tell(q, &c);
}

static void expand(struct query *q, uint32_t predicate, bool truth,
		   uint32_t depth);

/* Of setp p|q = (a cmp b) bool c. */
static void expand_setp(struct query *q, const struct ptx_instr *in,
			uint32_t predicate, bool truth, uint32_t depth)
{
	const struct ptx_function *f = &q->n->m->functions[q->function];
	const struct ptx_operand *p = ptx_operand(f, in, 0);
	bool is_first = p->kind == PTX_OPERAND_REG && p->index == predicate;
	bool tells_both = truth ? in->mod[PTX_MOD_BOOL] == PTX_BOOL_AND
				: in->mod[PTX_MOD_BOOL] == PTX_BOOL_OR;
	const struct ptx_operand *c;

	if (in->operand_count == 4) {
		tell(q, in, truth == is_first);
		return;
	}
	c = ptx_operand(f, in, 4);
	/* A true conjunction, or a false disjunction, tells of both. */
	if (c->kind != PTX_OPERAND_REG || !tells_both) {
		q->is_lost = true;
		return;
	}
	tell(q, in, truth == is_first);
	expand(q, c->index, truth != c->negated, depth + 1);
}

static void expand(struct query *q, uint32_t predicate, bool truth,
		   uint32_t depth)
{
	const struct ssa *s = &q->n->ssa[q->function];
	const struct ptx_function *f = &q->n->m->functions[q->function];
	const struct ptx_instr *in;

	if (depth == DEPTH_MAX || s->def[predicate] == PTX_NO_INDEX ||
	    f->instrs[s->def[predicate]].guard != PTX_NO_INDEX) {
		q->is_lost = true;
		return;
	}
	in = &f->instrs[s->def[predicate]];
	if (in->op == PTX_OP_setp) {
		expand_setp(q, in, predicate, truth, depth);
		return;
	}
	/* One operand, or two that both say the same. */
	if (!(in->op == PTX_OP_and && truth) &&
	    !(in->op == PTX_OP_or && !truth) && in->op != PTX_OP_not)
		q->is_lost = true;
	else
		for (uint32_t i = 1; i < in->operand_count; i++) {
			const struct ptx_operand *o = ptx_operand(f, in, i);
			bool is_not = in->op == PTX_OP_not;

			if (o->kind == PTX_OPERAND_REG)
				expand(q, o->index,
				       truth != (o->negated != is_not),
				       depth + 1);
		}
}

/* The predicate that a block knows of itself. */
static bool own_fact(const struct flow *w, uint32_t block, uint32_t *predicate,
		     bool *truth)
{
	const struct flow_block *b = &w->blocks[block];

	return b->pred_count == 1 && block != 0 &&
	       flow_edge_guard(w, w->preds[b->pred_first], block, predicate,
			       truth);
}

enum err facts_make(struct analysis *n)
{
	n->fact_up = ARENA_ARRAY(n->a, n->m->function_count, uint32_t *);
	if (!n->fact_up)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < n->m->function_count; i++) {
		const struct ptx_function *f = &n->m->functions[i];
		const struct flow *w = &n->ssa[i].flow;
		uint32_t *up, p;
		bool t;

		if (!n->reach.functions[i])
			continue;
		up = n->fact_up[i] =
			ARENA_ARRAY(n->a, w->block_count + 1u, uint32_t);
		if (!up)
			return ERR_NO_MEMORY;
		for (uint32_t b = 0; b < w->block_count; b++)
			up[b] = PTX_NO_INDEX;
		for (uint32_t k = 0; k < w->order_count; k++) {
			uint32_t b = w->order[k];

			if (own_fact(w, b, &p, &t))
				up[b] = b;
			else if (w->has_dominators && b != 0)
				up[b] = up[w->blocks[b].idom];
		}
		for (uint32_t k = 0; k < f->instr_count; k++) {
			const struct ptx_instr *in = &f->instrs[k];

			for (uint32_t o = 2; in->op == PTX_OP_setp && o < 4;
			     o++)
				if (ptx_operand(f, in, o)->kind ==
				    PTX_OPERAND_REG)
					n->reg_compared[n->reg_first[i] +
							ptx_operand(f, in, o)
								->index] = true;
		}
	}
	return ERR_OK;
}

/* Every fact that holds in a block. */
static void walk(struct query *q, uint32_t block)
{
	const struct flow *w = &q->n->ssa[q->function].flow;
	const uint32_t *up = q->n->fact_up[q->function];
	uint32_t count = 0;

	for (uint32_t b = up[block]; b != PTX_NO_INDEX; count++) {
		uint32_t predicate, above = w->blocks[b].idom;
		bool truth;

		if (own_fact(w, b, &predicate, &truth))
			expand(q, predicate, truth, 0);
		if (!w->has_dominators || count == FACTS_MAX) {
			q->is_lost = true;
			return;
		}
		if (above == b)
			return;
		b = up[above];
	}
}

/* A register's value without the facts at hand. */
static struct value plain(struct query *q, const struct ptx_operand *o,
			  enum ptx_type t)
{
	if (o->kind == PTX_OPERAND_REG)
		return *analysis_reg(q->n, q->function, o);
	return transfer_value(q->n, q->function, o, t);
}

/* Whether the machine's order of values in [lo, hi] is that of integers. */
static bool in_order(const struct compare *c, int64_t lo, int64_t hi)
{
	if (ptx_types[c->type].bits == 32)
		return c->is_unsigned ? lo >= 0 && hi <= UINT32_MAX
				      : lo >= INT32_MIN && hi <= INT32_MAX;
	return lo > (c->is_unsigned ? -1 : -VALUE_FAR) && hi < VALUE_FAR;
}

/* A number in the register's own width as a signed one: below a bound that is
 * not negative as an unsigned one. */
static bool is_signed_form(const struct query *q, const struct compare *c,
			   int64_t lo, int64_t hi)
{
	if (ptx_types[c->type].bits == 64)
		return q->v->shape == SHAPE_ANY ||
		       (lo > -VALUE_FAR && hi < VALUE_FAR);
	return lo >= INT32_MIN && hi <= INT32_MAX;
}

static void clip_by(struct query *q, enum relation rel, int64_t lo, int64_t hi,
		    int64_t own_lo, int64_t own_hi)
{
	const uint64_t *extent = q->n->extent;
	int64_t step = q->v->step > 0 ? q->v->step : 1;

	switch (rel) {
	case REL_LT:
		value_clip(q->v, extent, -VALUE_FAR, hi - 1);
		return;
	case REL_LE:
		value_clip(q->v, extent, -VALUE_FAR, hi);
		return;
	case REL_GT:
		value_clip(q->v, extent, lo + 1, VALUE_FAR);
		return;
	case REL_GE:
		value_clip(q->v, extent, lo, VALUE_FAR);
		return;
	case REL_EQ:
		value_clip(q->v, extent, lo, hi);
		return;
	case REL_NE:
		/* An end that it is not. */
		if (lo == hi && lo == own_hi && q->v->term_count == 0)
			value_clip(q->v, extent, -VALUE_FAR, hi - step);
		else if (lo == hi && lo == own_lo && q->v->term_count == 0)
			value_clip(q->v, extent, lo + step, VALUE_FAR);
		return;
	case REL_NONE:
		return;
	}
}

static void bound_by(struct query *q, const struct compare *c,
		     const struct ptx_operand *other, enum relation rel)
{
	struct value o = plain(q, other, c->type);
	int64_t lo, hi, own_lo, own_hi;

	if (!value_is_clean(&o) || !value_is_clean(q->v) ||
	    o.shape != SHAPE_AFFINE)
		return;
	value_range(&o, q->n->extent, &lo, &hi);
	value_range(q->v, q->n->extent, &own_lo, &own_hi);
	if (!in_order(c, lo, hi))
		return;
	if (in_order(c, own_lo, own_hi) ||
	    (!c->is_unsigned && is_signed_form(q, c, own_lo, own_hi))) {
		clip_by(q, rel, lo, hi, own_lo, own_hi);
	} else if (c->is_unsigned && (rel == REL_LT || rel == REL_LE) &&
		   is_signed_form(q, c, own_lo, own_hi) &&
		   (ptx_types[c->type].bits == 64 || hi <= INT32_MAX)) {
		clip_by(q, rel, lo, hi, own_lo, own_hi);
		value_clip(q->v, q->n->extent, 0, VALUE_FAR);
	} else if (rel == REL_EQ && is_signed_form(q, c, own_lo, own_hi) &&
		   is_signed_form(q, c, lo, hi)) {
		clip_by(q, rel, lo, hi, own_lo, own_hi);
	}
}

static void tell_bound(struct query *q, const struct compare *c)
{
	if (c->a->kind == PTX_OPERAND_REG && c->a->index == q->name)
		bound_by(q, c, c->b, c->rel);
	else if (c->b->kind == PTX_OPERAND_REG && c->b->index == q->name)
		bound_by(q, c, c->a, turned(c->rel));
}

/* Whether facts can narrow the value at all. */
static bool is_open(const struct analysis *n, uint32_t function, uint32_t name,
		    const struct value *v)
{
	return n->reg_compared[n->reg_first[function] + name] &&
	       value_is_clean(v) &&
	       (v->shape == SHAPE_ANY ||
		(v->shape == SHAPE_AFFINE && v->step != 0));
}

void facts_bound(struct analysis *n, uint32_t function, uint32_t name,
		 struct value *v)
{
	struct query q = {.n = n,
			  .function = function,
			  .tell = tell_bound,
			  .name = name,
			  .v = v};

	if (!is_open(n, function, name, v))
		return;
	if (n->guard != PTX_NO_INDEX)
		expand(&q, n->guard, n->guard_truth, 0);
	walk(&q, n->block);
}

void facts_bound_edge(struct analysis *n, uint32_t function, uint32_t from,
		      uint32_t to, uint32_t name, struct value *v)
{
	struct query q = {.n = n,
			  .function = function,
			  .tell = tell_bound,
			  .name = name,
			  .v = v};
	uint32_t predicate;
	bool truth;

	if (!is_open(n, function, name, v))
		return;
	if (flow_edge_guard(&n->ssa[function].flow, from, to, &predicate,
			    &truth))
		expand(&q, predicate, truth, 0);
	walk(&q, from);
}

void facts_bound_if(struct analysis *n, uint32_t function, uint32_t predicate,
		    bool truth, uint32_t name, struct value *v)
{
	struct query q = {.n = n,
			  .function = function,
			  .tell = tell_bound,
			  .name = name,
			  .v = v};

	if (is_open(n, function, name, v))
		expand(&q, predicate, truth, 0);
}

static void tell_row(struct query *q, const struct compare *c)
{
	struct value a = plain(q, c->a, c->type), b = plain(q, c->b, c->type);
	struct value d;
	int64_t lo, hi;
	struct row *r = &q->rows[q->row_count];
	bool was_lost = q->is_lost;

	q->is_lost = true;
	if (q->row_count == ROWS_MAX || !value_is_clean(&a) ||
	    !value_is_clean(&b) || a.shape != SHAPE_AFFINE ||
	    b.shape != SHAPE_AFFINE || a.step || b.step)
		return;
	value_range(&a, q->n->extent, &lo, &hi);
	if (!in_order(c, lo, hi))
		return;
	value_range(&b, q->n->extent, &lo, &hi);
	if (!in_order(c, lo, hi))
		return;
	d = value_sub(&a, &b);
	/* The same for all threads: it holds, or nothing runs here. */
	if (value_is_fixed(&d))
		q->is_lost = was_lost;
	if (d.shape != SHAPE_AFFINE || !d.term_count || c->rel == REL_NE ||
	    d.c0 > VALUE_FAR / 2 || d.c0 < -VALUE_FAR / 2)
		return;
	*r = (struct row){
		.term_count = d.term_count, .lo = -VALUE_FAR, .hi = VALUE_FAR};
	for (uint32_t i = 0; i < d.term_count; i++) {
		r->var[i] = d.var[i];
		r->coef[i] = d.coef[i];
	}
	if (c->rel == REL_LT || c->rel == REL_LE || c->rel == REL_EQ)
		r->hi = -d.c0 - (c->rel == REL_LT);
	if (c->rel == REL_GT || c->rel == REL_GE || c->rel == REL_EQ)
		r->lo = -d.c0 + (c->rel == REL_GT);
	q->row_count++;
	q->is_lost = was_lost;
}

uint32_t facts_rows(struct analysis *n, uint32_t function,
		    struct row rows[ROWS_MAX], bool *ret_whole)
{
	struct query q = {
		.n = n, .function = function, .tell = tell_row, .rows = rows};

	if (n->guard != PTX_NO_INDEX)
		expand(&q, n->guard, n->guard_truth, 0);
	walk(&q, n->block);
	*ret_whole = !q.is_lost;
	return q.row_count;
}
