/*
 * Chains on a strip: their links get addresses when the strip first runs them,
 * and again when the slots of their loads have changed.
 */
#include "gpu/exec/priv/machine.h"

enum chain_state {
	CHAIN_NEW,
	CHAIN_READY,
	CHAIN_UNFIT, /* no link takes its loads as they lie */
};

/* A group's lanes must fill so much of a tile: one in so many. */
#define LEAST_PART 2u

struct form {
	uint8_t kinds[CHAIN_SOURCES];
	bool is_swapped;
};

static const struct span_slot *slot_of(const struct machine *mc,
				       const struct strip *s, uint32_t span)
{
	const struct chain_span *c = &mc->l->chains.spans[span];
	return &s->spans[mc->ops[c->op].span_slot];
}

/* Where the slot's lane 0 is with no offset. */
static uintptr_t base_of(const struct span_slot *k)
{
	return (uintptr_t)k->host - (uintptr_t)k->offset;
}

static void set_source(const struct machine *mc, const struct strip *s,
		       const struct link_source *from, uint8_t *ret_kind,
		       const uint8_t **ret_p, int64_t *ret_row)
{
	*ret_kind = from->kind;
	*ret_p = s->regs;
	*ret_row = 0;
	if (from->span != SOURCE_NO_SPAN) {
		const struct span_slot *k = slot_of(mc, s, from->span);
		if (k->shape == SPAN_SAME)
			*ret_kind = k->row == 0 ? LINK_B : LINK_R;
		else
			*ret_kind = k->row == 64 ? LINK_V : LINK_U;
		*ret_p = k->host + (from->at - k->offset);
		*ret_row = k->row;
	} else if (from->ref != REF_NONE && from->kind != LINK_T) {
		*ret_p = machine_lanes(mc, s, from->ref);
	}
}

static void swap(struct link *r, struct form *f)
{
	const uint8_t *p = r->a, kind = f->kinds[0];
	int64_t row = r->a_row;
	r->a = r->b;
	r->a_row = r->b_row;
	r->b = p;
	r->b_row = row;
	f->kinds[0] = f->kinds[1];
	f->kinds[1] = kind;
	f->is_swapped = !f->is_swapped;
}

static link_fn *form_of(const struct link_row *row, struct link *r,
			struct form *f)
{
	const uint8_t *k = f->kinds;
	link_fn *fn = row->forms[LINK_FORM(k[0], k[1], k[2])];
	if (fn == NULL && (row->traits & LINK_SWAPS) != 0) {
		swap(r, f);
		fn = row->forms[LINK_FORM(k[0], k[1], k[2])];
		if (fn == NULL)
			swap(r, f);
	}
	return fn;
}

/* Addresses and functions of one link; false: none fits. */
static bool set_link(const struct machine *mc, const struct strip *s,
		     const struct link_plan *p, struct link *r, struct form *f)
{
	*r = (struct link){.fn = p->fn};
	*f = (struct form){.is_swapped = false};
	set_source(mc, s, &p->sources[0], &f->kinds[0], &r->a, &r->a_row);
	set_source(mc, s, &p->sources[1], &f->kinds[1], &r->b, &r->b_row);
	set_source(mc, s, &p->sources[2], &f->kinds[2], &r->c, &r->c_row);
	if (p->d != REF_NONE)
		r->d = machine_lanes(mc, s, p->d);
	if (p->row == NULL) {
		r->a_row = p->csr;
		return true;
	}
	r->fn = form_of(p->row, r, f);
	/* Constants are vectors, too. */
	for (uint32_t k = 0; r->fn == NULL && k < p->row->sources; k++) {
		if (f->kinds[k] != LINK_B ||
		    p->sources[k].span != SOURCE_NO_SPAN)
			continue;
		f->kinds[k] = LINK_V;
		r->fn = form_of(p->row, r, f);
	}
	return r->fn != NULL;
}

/* Where the address of source k stands. */
static const uint8_t **address_of(struct link *r, uint32_t k, bool is_swapped)
{
	if (k == 2)
		return &r->c;
	return (k == 1) != is_swapped ? &r->b : &r->a;
}

static void see_spans(const struct machine *mc, struct strip *s,
		      const struct chain *c)
{
	for (uint32_t i = c->first_span; i < c->first_span + c->span_count;
	     i++) {
		const struct span_slot *k = slot_of(mc, s, i);
		s->chains.seen[i] = (struct span_seen){k->fill, k->shape,
						       k->row, base_of(k)};
	}
}

static void set_links(const struct machine *mc, struct strip *s,
		      const struct chain *c, uint8_t *state)
{
	struct link_patch *patch = &s->chains.patches[c->first_patch];
	*state = CHAIN_UNFIT;
	see_spans(mc, s, c);
	for (uint32_t i = c->first_link; i < c->first_link + c->link_count;
	     i++) {
		const struct link_plan *p = &mc->l->chains.links[i];
		struct link *r = &s->chains.links[i];
		struct form f;
		if (!set_link(mc, s, p, r, &f))
			return;
		for (uint32_t k = 0; k < CHAIN_SOURCES; k++) {
			if (p->sources[k].span != SOURCE_NO_SPAN)
				*patch++ = (struct link_patch){
					address_of(r, k, f.is_swapped),
					p->sources[k].span};
		}
	}
	*state = CHAIN_READY;
}

/* Loads from elsewhere, which lie as they did. */
static void move_loads(const struct machine *mc, struct strip *s,
		       const struct chain *c)
{
	struct link_patch *patches = &s->chains.patches[c->first_patch];
	for (uint32_t i = 0; i < c->patch_count; i++) {
		const struct link_patch *p = &patches[i];
		*p->address += base_of(slot_of(mc, s, p->span)) -
			       s->chains.seen[p->span].base;
	}
	see_spans(mc, s, c);
}

/* What became of the loads since the chain last ran. */
enum change { CHANGE_NONE, CHANGE_PLACE, CHANGE_ALL, CHANGE_UNFIT };

/* Every load's addresses must be in rows. */
static enum change look_at_loads(struct machine *mc, struct strip *s,
				 const struct chain *c)
{
	enum change all = CHANGE_NONE;
	for (uint32_t i = c->first_span; i < c->first_span + c->span_count;
	     i++) {
		const struct chain_span *span = &mc->l->chains.spans[i];
		const struct span_seen *seen = &s->chains.seen[i];
		const struct span_slot *k =
			memory_span(mc, s, &mc->ops[span->op]);
		if (k == NULL || k->shape == SPAN_ANY ||
		    (uint64_t)(span->low - k->low) > k->room ||
		    (uint64_t)(span->high - k->low) > k->room)
			return CHANGE_UNFIT;
		if (k->shape != seen->shape || k->row != seen->row)
			all = CHANGE_ALL;
		else if (k->fill != seen->fill && all == CHANGE_NONE)
			all = CHANGE_PLACE;
	}
	return all;
}

uint32_t chain_run(struct machine *mc, struct strip *s, uint32_t pc)
{
	uint32_t i = mc->l->lane_ops[pc].chain;
	const struct chain *c = &mc->l->chains.chains[i];
	const struct link_set *set = mc->lanes->links;
	uint8_t *state = &s->chains.states[i];
	enum change change = CHANGE_NONE;
	if ((s->args.hi - s->args.lo) * LEAST_PART < set->tile_lanes ||
	    s->stop_pc - pc < c->ops)
		return 0;
	if (c->span_count > 0)
		change = look_at_loads(mc, s, c);
	if (change == CHANGE_UNFIT)
		return 0;
	if (change == CHANGE_ALL || *state == CHAIN_NEW)
		set_links(mc, s, c, state);
	else if (change == CHANGE_PLACE && *state == CHAIN_READY)
		move_loads(mc, s, c);
	if (*state == CHAIN_UNFIT)
		return 0;
	const struct tile t = {.nan32 = mc->nan32, .mask = s->mask};
	set->run(&s->chains.links[c->first_link], &t, s->args.lo, s->args.hi);
	if (c->csr != 0)
		mc->csr = c->csr;
	if (c->last_load != UINT32_MAX)
		s->pc = c->last_load;
	s->spans_valid &= ~(uint32_t)c->spoils;
	return c->ops;
}
