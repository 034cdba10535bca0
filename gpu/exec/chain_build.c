/*
 * Which ops form chains, and their links.
 *
 * Inside a basic block a chain takes every op that has a link and wants
 * nothing else, and loads of 32-bit elements by a register.  A value that was
 * loaded is where it lies in memory until the register is written again; what
 * is still wanted at the chain's end is copied then.  A result that only the
 * next link reads, for the last time, is not stored.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/exec/priv/machine.h"
#include "gpu/exec/priv/op_list.h"

/* Longest chain, in ops and in values that it has loaded. */
#define CHAIN_OPS_MAX	 96u
#define CHAIN_LOADED_MAX 64u
/* An op has at most four links, a value kept two; and the end. */
#define LINKS_PER_CHAIN (4 * CHAIN_OPS_MAX + 2 * CHAIN_LOADED_MAX + 2)
/* Links of a launch: a strip's copies of them stay below a MiB. */
#define CHAIN_LINKS_MAX (1u << 14)

struct loaded {
	op_ref ref;
	uint32_t span;
	int64_t at;
};

struct builder {
	struct launch *l;
	uint8_t *leads; /* by op: others may come to it */
	struct loaded loaded[CHAIN_LOADED_MAX];
	uint32_t loaded_count;
	op_ref in_cpu;	  /* what the link before gives; REF_NONE */
	bool is_raw;	  /* its NaNs have any bits */
	uint32_t csr;	  /* that a link has set; 0: none has */
	bool is_unstored; /* and it is nowhere else */
	uint32_t link_cap, span_cap, chain_cap;
};

/* Where links round by themselves, those of other ways are others. */
static const struct link_row *row_of(const struct launch *l, uint32_t id,
				     uint32_t rounding)
{
	const struct link_set *set = l->lanes->links;
	const struct link_row *row =
		&set->rows[set->rows[1] != NULL ? rounding : 0][id];
	return row->forms != NULL ? row : NULL;
}

static bool is_directed(const struct launch *l, const struct link_row *row)
{
	const struct link_row *nearest = l->lanes->links->rows[0];
	return row < nearest || row >= nearest + OP_COUNT;
}

static bool is_link(const struct launch *l, uint32_t i)
{
	const struct op *o = &l->m->ops[i];
	const struct lane_op *lane = &l->lane_ops[i];
	/* The sanitizer follows what becomes of addresses op by op. */
	if (l->options->sanitize && o->spoils != 0)
		return false;
	/* Unit 0 is nobody's: rows leave it where they have no operand. */
	return (lane->flags & ~LANE_CSR) == 0 &&
	       (o->e == REF_NONE || o->e == 0) && o->d != REF_NONE &&
	       row_of(l, lane->id, lane->rounding) != NULL;
}

static bool is_load(const struct launch *l, uint32_t i)
{
	const struct op *o = &l->m->ops[i];
	return o->id == OP_ld && o->guard == REF_NONE && o->span_slot != 0 &&
	       o->size == 4 && o->is_volatile == 0 && o->space != SPACE_FRAME;
}

static bool mark_leaders(struct builder *b)
{
	const struct exec_module *m = b->l->m;
	b->leads = calloc((size_t)m->op_count + 1, 1);
	if (b->leads == NULL)
		return false;
	for (uint32_t i = 0; i < m->function_count; i++)
		b->leads[m->functions[i].entry] = 1;
	for (uint32_t i = 0; i < m->op_count; i++) {
		const struct op *o = &m->ops[i];
		if (o->id == OP_bra)
			b->leads[o->target] = 1;
		for (uint32_t k = 0; o->id == OP_brx && k < o->imm; k++)
			b->leads[m->tables[o->list + k]] = 1;
	}
	return true;
}

static bool grow(void **p, uint32_t *cap, uint32_t need, size_t size)
{
	if (need <= *cap)
		return true;
	uint32_t more = need + need / 2 + 64;
	void *q = realloc(*p, (size_t)more * size);
	if (q == NULL)
		return false;
	*p = q;
	*cap = more;
	return true;
}

/* Room for one chain more, whatever it has; false: out of memory. */
static bool make_room(struct builder *b)
{
	struct chain_plans *c = &b->l->chains;
	void *chains = c->chains, *links = c->links, *spans = c->spans;
	bool ok =
		grow(&chains, &b->chain_cap, c->count + 1, sizeof(*c->chains));
	c->chains = chains;
	ok = ok && grow(&links, &b->link_cap, c->link_count + LINKS_PER_CHAIN,
			sizeof(*c->links));
	c->links = links;
	ok = ok && grow(&spans, &b->span_cap, c->span_count + SPAN_SLOTS,
			sizeof(*c->spans));
	c->spans = spans;
	return ok;
}

static struct link_plan *add_link(struct builder *b, link_fn *fn)
{
	struct chain_plans *c = &b->l->chains;
	struct link_plan *p = &c->links[c->link_count++];
	*p = (struct link_plan){.fn = fn, .d = REF_NONE};
	for (uint32_t k = 0; k < CHAIN_SOURCES; k++)
		p->sources[k].span = SOURCE_NO_SPAN;
	return p;
}

static void store_result(struct builder *b)
{
	const struct link_set *set = b->l->lanes->links;
	if (!b->is_unstored)
		return;
	add_link(b, b->is_raw ? set->store_raw : set->store)->d = b->in_cpu;
	b->is_unstored = false;
	b->is_raw = false;
}

static struct loaded *find_loaded(struct builder *b, op_ref r)
{
	for (uint32_t i = 0; i < b->loaded_count; i++) {
		if (b->loaded[i].ref == r)
			return &b->loaded[i];
	}
	return NULL;
}

/* Links with directed rounding take nothing from memory. */
static bool may_follow(struct builder *b, const struct op *o,
		       const struct link_row *row)
{
	return !is_directed(b->l, row) ||
	       (find_loaded(b, o->a) == NULL && find_loaded(b, o->b) == NULL &&
		find_loaded(b, o->c) == NULL);
}

static void forget(struct builder *b, op_ref r)
{
	struct loaded *v = find_loaded(b, r);
	if (v != NULL)
		*v = b->loaded[--b->loaded_count];
	if (b->in_cpu == r)
		b->in_cpu = REF_NONE;
}

/* Is it the last that reads r? */
static bool is_last(const struct op *o, op_ref r)
{
	return (o->a == r && (o->last_reads & READS_A) != 0) ||
	       (o->b == r && (o->last_reads & READS_B) != 0) ||
	       (o->c == r && (o->last_reads & READS_C) != 0);
}

static struct link_source source_of(struct builder *b, op_ref r)
{
	struct link_source s = {
		.ref = r, .span = SOURCE_NO_SPAN, .kind = LINK_V};
	const struct loaded *v = find_loaded(b, r);
	if (r == REF_NONE)
		return s;
	if ((r & REF_CONST) != 0) {
		s.kind = LINK_B;
	} else if (r == b->in_cpu) {
		s.kind = LINK_T;
	} else if (v != NULL) {
		s.span = v->span;
		s.at = v->at;
	}
	return s;
}

/* What MXCSR must be, where ops of the launch differ. */
static void add_csr(struct builder *b, const struct lane_op *lane)
{
	if ((lane->flags & LANE_CSR) == 0 || lane->csr == b->csr)
		return;
	add_link(b, b->l->lanes->links->csr)->csr = lane->csr;
	b->csr = lane->csr;
}

static void add_op(struct builder *b, const struct op *o,
		   const struct link_row *row)
{
	const op_ref refs[CHAIN_SOURCES] = {o->a, o->b, o->c};
	struct link_source sources[CHAIN_SOURCES];
	bool uses_cpu = false, ends_cpu = is_last(o, b->in_cpu);
	for (uint32_t k = 0; k < CHAIN_SOURCES; k++) {
		sources[k] =
			source_of(b, k < row->sources ? refs[k] : REF_NONE);
		uses_cpu = uses_cpu || sources[k].kind == LINK_T;
	}
	if (!uses_cpu || !ends_cpu)
		store_result(b);
	bool raw_stays = b->is_raw;
	if (uses_cpu && raw_stays && (row->traits & LINK_BITS) != 0)
		add_link(b, b->l->lanes->links->settle);
	struct link_plan *p = add_link(b, NULL);
	p->row = row;
	memcpy(p->sources, sources, sizeof(sources));
	for (uint32_t k = 0; k < row->sources; k++) {
		if (is_last(o, refs[k]))
			forget(b, refs[k]);
	}
	forget(b, o->d);
	b->in_cpu = o->d;
	b->is_raw = (row->traits & LINK_RAW) != 0;
	b->is_unstored = true;
}

/* The span of a load in chain c; SOURCE_NO_SPAN: another has its slot. */
static uint32_t span_of_load(struct builder *b, struct chain *c, uint32_t i)
{
	struct chain_plans *p = &b->l->chains;
	const struct op *o = &b->l->m->ops[i];
	for (uint32_t k = c->first_span; k < p->span_count; k++) {
		struct chain_span *s = &p->spans[k];
		const struct op *first = &b->l->m->ops[s->op];
		if (first->span_slot != o->span_slot)
			continue;
		if (first->a != o->a || first->span_key != o->span_key ||
		    (o->offset - first->offset) % (o->size * o->vec) != 0)
			return SOURCE_NO_SPAN;
		s->low = o->offset < s->low ? o->offset : s->low;
		s->high = o->offset > s->high ? o->offset : s->high;
		return k;
	}
	p->spans[p->span_count] = (struct chain_span){i, o->offset, o->offset};
	return p->span_count++;
}

/* False: it cannot be part of the chain. */
static bool add_load(struct builder *b, struct chain *c, uint32_t i)
{
	const struct exec_module *m = b->l->m;
	const struct op *o = &m->ops[i];
	if (((uint32_t)c->spoils >> o->span_slot & 1u) != 0 ||
	    b->loaded_count + o->vec > CHAIN_LOADED_MAX)
		return false;
	for (uint32_t k = 0; k < o->vec; k++) {
		if (m->lists[o->list + k] == b->in_cpu && b->is_unstored)
			store_result(b);
	}
	uint32_t span = span_of_load(b, c, i);
	if (span == SOURCE_NO_SPAN)
		return false;
	for (uint32_t k = 0; k < o->vec; k++) {
		op_ref r = m->lists[o->list + k];
		forget(b, r);
		b->loaded[b->loaded_count++] = (struct loaded){
			r, span, o->offset + (int64_t)k * o->size};
	}
	c->last_load = i;
	return true;
}

/* What was loaded and may be wanted later. */
static void keep_loaded(struct builder *b)
{
	store_result(b);
	for (uint32_t i = 0; i < b->loaded_count; i++) {
		struct link_plan *p = add_link(b, NULL);
		p->row = row_of(b->l, OP_mov_32, 0);
		p->sources[0] = (struct link_source){.ref = b->loaded[i].ref,
						     .span = b->loaded[i].span,
						     .at = b->loaded[i].at};
		add_link(b, b->l->lanes->links->store)->d = b->loaded[i].ref;
	}
}

/* Sources of a chain's links that are loads. */
static uint32_t count_loads(const struct chain_plans *p, const struct chain *c)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->link_count; i++) {
		for (uint32_t k = 0; k < CHAIN_SOURCES; k++)
			n += p->links[c->first_link + i].sources[k].span !=
			     SOURCE_NO_SPAN;
	}
	return n;
}

/* The chain that starts at op i, up to op end; how many ops it has. */
static uint32_t build(struct builder *b, uint32_t i, uint32_t end)
{
	struct launch *l = b->l;
	struct chain_plans *p = &l->chains;
	struct chain c = {.first_link = p->link_count,
			  .first_span = p->span_count,
			  .last_load = UINT32_MAX};
	uint32_t at = i, computed = 0;
	b->loaded_count = 0;
	b->in_cpu = REF_NONE;
	b->is_unstored = false;
	b->is_raw = false;
	b->csr = 0;
	for (; at < end && at - i < CHAIN_OPS_MAX; at++) {
		const struct op *o = &l->m->ops[at];
		if (at > i && b->leads[at] != 0)
			break;
		if (is_link(l, at)) {
			struct op changed = *o;
			enum op_id id = op_simplify(&changed);
			const struct link_row *row =
				row_of(l, id, l->lane_ops[at].rounding);
			if (!may_follow(b, &changed, row))
				break;
			add_csr(b, &l->lane_ops[at]);
			add_op(b, &changed, row);
			computed++;
		} else if (!is_load(l, at) || !add_load(b, &c, at)) {
			break;
		}
		c.spoils |= o->spoils;
	}
	keep_loaded(b);
	add_link(b, l->lanes->links->end);
	c.ops = at - i;
	c.csr = b->csr;
	c.link_count = p->link_count - c.first_link;
	c.first_patch = p->patch_count;
	c.patch_count = count_loads(p, &c);
	c.span_count = p->span_count - c.first_span;
	if (c.ops < 2 || computed == 0) {
		p->link_count = c.first_link;
		p->span_count = c.first_span;
		return 0;
	}
	l->lane_ops[i].chain = p->count;
	l->lane_ops[i].flags |= LANE_CHAIN;
	p->patch_count += c.patch_count;
	p->chains[p->count++] = c;
	return c.ops;
}

enum err launch_chain(struct launch *l)
{
	struct builder b = {.l = l};
	enum err err = ERR_OK;
	uint32_t tile = l->lanes->links->tile_lanes;
	const struct exec_options *o = l->options;
	bool by_op =
		run_is_traced(o) && (!o->sanitize || o->witness_seed32 != NULL);
	if (by_op || l->is_scheduled || l->threads % tile != 0)
		return ERR_OK;
	if (!mark_leaders(&b))
		return ERR_NO_MEMORY;
	for (uint32_t k = 0; k < l->m->function_count; k++) {
		const struct function *f = &l->m->functions[k];
		if (f->is_entry && f != l->kernel)
			continue;
		for (uint32_t i = f->entry;
		     i < f->end && err == ERR_OK &&
		     l->chains.link_count + LINKS_PER_CHAIN <=
			     CHAIN_LINKS_MAX;) {
			if (!make_room(&b))
				err = ERR_NO_MEMORY;
			uint32_t n = err == ERR_OK ? build(&b, i, f->end) : 0;
			i += n > 0 ? n : 1;
		}
	}
	free(b.leads);
	return err;
}
