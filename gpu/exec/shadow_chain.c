/*
 * Chains in sanitized runs.  A chain runs as in a plain run when nothing that
 * its ops read or write has a tag, but the addresses of its loads, and when
 * no load can bring one: then the only tags that it can leave are those of
 * floats that are NaNs, and they are asked for behind it.
 */
#include <stdlib.h>

#include "gpu/exec/priv/shadow.h"
#include "gpu/exec/priv/trace.h"

static bool is_load(const struct launch *l, uint32_t i)
{
	return l->lanes->ops[l->m->ops[i].id] == NULL;
}

/* Where element k of a load goes. */
static uint32_t load_plane(const struct launch *l, const struct shadow *h,
			   const struct op *o, uint32_t k)
{
	op_ref r = l->m->lists[o->list + k];
	return r == REF_NONE || r == 0 ? h->clean : r;
}

/* The registers that a load writes, as bits. */
static uint64_t load_planes(const struct launch *l, const struct shadow *h,
			    const struct op *o)
{
	uint64_t planes = 0;
	for (uint32_t k = 0; k < o->vec; k++)
		planes |= shadow_plane_bit(h, load_plane(l, h, o, k));
	return planes;
}

static bool writes(const struct launch *l, const struct shadow *h, uint32_t i,
		   uint32_t plane)
{
	const struct op *o = &l->m->ops[i];
	if (!is_load(l, i))
		return h->flows[i].d == plane;
	for (uint32_t k = 0; k < o->vec; k++) {
		if (load_plane(l, h, o, k) == plane)
			return true;
	}
	return false;
}

/* A chain that is planned: of its ops, whose results are f32 of which a NaN
 * gets marks by its bits, and the last of them that wrote a register. */
struct planner {
	const struct launch *l;
	const struct shadow *h;
	uint32_t from, end;
	uint8_t *is_float;
};

/* Is what op i reads of plane a float of this chain? */
static bool reads_float(const struct planner *p, uint32_t i, uint32_t plane)
{
	for (uint32_t k = i; k-- > p->from;) {
		if (writes(p->l, p->h, k, plane))
			return p->is_float[k - p->from] != 0;
	}
	return false;
}

/* A copy of a float of the chain has the marks that it has. */
static bool is_float(const struct planner *p, uint32_t i)
{
	const struct flow *f = &p->h->flows[i];
	if (is_load(p->l, i))
		return false;
	return f->result == 4 ||
	       (p->l->m->ops[i].id == OP_mov_32 && reads_float(p, i, f->a));
}

/* Does op i look at marks that a float of the chain may have? */
static bool looks_at_marks(const struct planner *p, uint32_t i)
{
	const struct flow *f = &p->h->flows[i];
	const uint32_t planes[4] = {f->a, f->b, f->c, f->f};
	if (is_load(p->l, i) || p->l->m->ops[i].id == OP_mov_32)
		return false;
	for (uint32_t k = 0; k < 4; k++) {
		if (planes[k] != p->h->clean &&
		    !flow_reads_as_float(p->h, f, planes[k], 4) &&
		    reads_float(p, i, planes[k]))
			return true;
	}
	return false;
}

/* Is op i's result still there at the chain's end? */
static bool stays(const struct planner *p, uint32_t i)
{
	uint32_t plane = p->h->flows[i].d;
	for (uint32_t k = i + 1; k < p->end; k++) {
		if (writes(p->l, p->h, k, plane))
			return false;
	}
	return true;
}

/* Most planes that an op lists: a load's results, or a lane op's six. */
#define OP_PLANES 8u

/* Those of op i, each once. */
static void list_planes(const struct planner *p, uint32_t i, uint32_t *list,
			uint32_t *count)
{
	const struct op *o = &p->l->m->ops[i];
	const struct flow *f = &p->h->flows[i];
	uint32_t planes[OP_PLANES] = {f->a, f->b, f->c, f->f, f->d, f->e};
	uint32_t n = is_load(p->l, i) ? o->vec : 6;
	for (uint32_t k = 0; k < n; k++) {
		uint32_t at = 0;
		uint32_t plane = is_load(p->l, i) ? load_plane(p->l, p->h, o, k)
						  : planes[k];
		while (at < *count && list[at] != plane)
			at++;
		list[at] = plane;
		*count += at == *count;
	}
}

static struct quiet_chain plan(const struct launch *l, const struct shadow *h,
			       uint32_t from, uint32_t *list)
{
	const struct chain *c = &l->chains.chains[l->lane_ops[from].chain];
	struct quiet_chain q = {.list = list};
	uint8_t floats[UINT8_MAX] = {0};
	struct planner p = {l, h, from, from + c->ops, floats};
	if (c->ops > sizeof(floats))
		return (struct quiet_chain){.planes = QUIET_NEVER};
	for (uint32_t i = from; i < p.end; i++) {
		bool other = !is_load(l, i) && h->flows[i].result != 0 &&
			     h->flows[i].result != 4;
		floats[i - from] = is_float(&p, i);
		q.planes |= other || looks_at_marks(&p, i) ? QUIET_NEVER : 0;
		q.planes |= is_load(l, i) ? load_planes(l, h, &l->m->ops[i])
					  : h->quiet[i].planes;
		if (is_load(l, i))
			list[q.loads++] = i;
	}
	for (uint32_t i = from; i < p.end; i++) {
		if (floats[i - from] != 0 && stays(&p, i))
			list[q.loads + q.floats++] = i;
	}
	for (uint32_t i = from; i < p.end; i++)
		list_planes(&p, i, list + q.loads + q.floats, &q.plane_count);
	return q;
}

bool shadow_plan_chains(const struct launch *l, struct shadow *h)
{
	uint32_t at = 0;
	h->chains = calloc(l->chains.count + 1u, sizeof(*h->chains));
	h->chain_ops = calloc((size_t)l->m->op_count * (OP_PLANES + 1) + 1,
			      sizeof(*h->chain_ops));
	if (h->chains == NULL || h->chain_ops == NULL)
		return false;
	for (uint32_t i = 0; i < l->m->op_count; i++) {
		if ((l->lane_ops[i].flags & LANE_CHAIN) == 0)
			continue;
		struct quiet_chain *q = &h->chains[l->lane_ops[i].chain];
		*q = plan(l, h, i, h->chain_ops + at);
		at += q->loads + q->floats + q->plane_count;
	}
	return true;
}

/* The set has bits of several planes each. */
static bool has_tags(const struct shadow *h, const struct quiet_chain *q,
		     uint32_t strip)
{
	const uint32_t *planes = q->list + q->loads + q->floats;
	if ((q->planes & h->dirty[strip]) == 0)
		return false;
	uint8_t flags = (q->planes & QUIET_NEVER) != 0;
	for (uint32_t i = 0; i < q->plane_count; i++)
		flags |= h->flags[strip][planes[i]];
	return flags != 0;
}

uint32_t shadow_chain(struct machine *mc, struct strip *s, uint32_t pc)
{
	const struct shadow *h = mc->trace->shadow;
	uint32_t id = mc->l->lane_ops[pc].chain;
	const struct quiet_chain *q = &h->chains[id];
	const struct chain *c = &mc->l->chains.chains[id];
	if (has_tags(h, q, s->first / STRIP_LANES) ||
	    (q->loads > 0 && s->mask != NULL) || s->stop_pc - pc < c->ops)
		return 0;
	for (uint32_t i = 0; i < c->span_count; i++) {
		if (!trace_calm_loads(
			    mc, s, &mc->l->chains.spans[c->first_span + i], id))
			return 0;
	}
	uint32_t n = chain_run(mc, s, pc);
	for (uint32_t i = 0; n > 0 && i < q->floats; i++)
		shadow_after_float(mc, s, &mc->ops[q->list[q->loads + i]],
				   s->mask);
	return n;
}
