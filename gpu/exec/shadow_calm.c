/*
 * Accesses of shared memory between two barriers that no other comes near:
 * reads of pages that nobody writes, writes of pages that nobody else
 * touches.  They are put into a log and forgotten at the next barrier of the
 * CTA.  Another access of one of their pages, or a synchronisation of less
 * than the CTA, has them noted entry by entry first, as they would have been:
 * writes that come first need not be asked whether they changed anything.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/exec/priv/race.h"
#include "gpu/exec/priv/shadow.h"
#include "gpu/exec/priv/trace.h"

/* Most accesses in the log, and most words of their addresses and masks. */
#define CALM_COUNT 1024u
#define CALM_WORDS (64u * STRIP_LANES)

struct calm_entry {
	const struct op *o;
	uint64_t base; /* in shared memory; at[] or rows are added */
	int64_t row;
	uint32_t step;
	uint32_t strip;
	uint32_t at;   /* in words; UINT32_MAX: in rows */
	uint32_t mask; /* likewise; UINT32_MAX: all lanes */
	bool is_write;
	/* All loads of the chain through o's slot; UINT32_MAX: o alone. */
	uint32_t chain;
};

struct calm {
	uint32_t count, words;
	uint64_t pages;	 /* bit: page number modulo 64 */
	uint64_t writes; /* those that are written */
	struct calm_entry list[CALM_COUNT];
	uint32_t memory[CALM_WORDS];
};

bool calm_setup(struct shadow *h)
{
	h->calm = calloc(1, sizeof(*h->calm));
	return h->calm != NULL;
}

void calm_forget(struct shadow *h)
{
	h->calm->count = 0;
	h->calm->words = 0;
	h->calm->pages = h->calm->writes = 0;
}

static uint64_t page_bits(uint64_t from, uint64_t to)
{
	uint64_t bits = 0;
	if (to - from >= 63 * PAGE_BYTES)
		return UINT64_MAX;
	for (uint64_t k = from / PAGE_BYTES; k <= to / PAGE_BYTES; k++)
		bits |= (uint64_t)1 << (k % 64);
	return bits;
}

/* No write since the barrier, and all bytes are set. */
static bool is_unwritten(struct shadow *h, struct page *e)
{
	if (e->has == HAS_UNSET && !h->track->any(e->tags->unset, PAGE_BYTES))
		e->has = 0;
	return e->has == 0 && e->wrote << SET_SHIFT < h->epoch;
}

/* May the access be noted later, or never? */
static bool is_calm(struct machine *mc, uint64_t from, uint64_t to,
		    uint64_t bits, bool is_write)
{
	struct shadow *h = mc->trace->shadow;
	if (((is_write ? h->calm->pages : h->calm->writes) & bits) != 0)
		return false;
	for (uint64_t k = from / PAGE_BYTES; k <= to / PAGE_BYTES; k++) {
		struct page *e = &h->shared[k];
		if (is_write ? e->noted << SET_SHIFT >= h->epoch
			     : !is_unwritten(h, e))
			return false;
	}
	return true;
}

static uint32_t keep(struct calm *c, const uint32_t *words, uint32_t n)
{
	uint32_t at = c->words;
	memcpy(c->memory + at, words, n * sizeof(*words));
	c->words += n;
	return at;
}

/* The same place for all lanes. */
static bool is_one(const struct trace_at *at, const uint32_t *mask)
{
	return at->at != NULL && at->least == at->most && mask == NULL;
}

bool calm_access(struct machine *mc, struct strip *s, const struct op *o,
		 const uint32_t *mask, uint64_t base, const struct trace_at *at,
		 uint64_t from, uint64_t to, bool is_write, uint32_t chain)
{
	struct shadow *h = mc->trace->shadow;
	struct calm *c = h->calm;
	uint64_t bits = page_bits(from, to);
	if ((uint32_t)o->size * o->vec < 1u << h->entry_shift ||
	    !is_calm(mc, from, to, bits, is_write))
		return false;
	if (c->count == CALM_COUNT || c->words + 2 * STRIP_LANES > CALM_WORDS) {
		calm_note(mc);
		return false;
	}
	struct calm_entry *r = &c->list[c->count++];
	*r = (struct calm_entry){.o = o,
				 .base = is_one(at, mask) ? from : base,
				 .row = at->at == NULL ? at->row : 0,
				 .step = at->at == NULL ? at->step : 0,
				 .strip = s->first / STRIP_LANES,
				 .at = UINT32_MAX,
				 .mask = UINT32_MAX,
				 .is_write = is_write,
				 .chain = chain};
	c->pages |= bits;
	c->writes |= is_write ? bits : 0;
	if (at->at != NULL && !is_one(at, mask))
		r->at = keep(c, at->at, s->n);
	if (mask != NULL)
		r->mask = keep(c, mask, s->n);
	return true;
}

/* Every load of the entry's chain that goes through its slot. */
static void note_chain(struct machine *mc, const struct calm_entry *r,
		       const struct trace_at *at)
{
	const struct quiet_chain *q = &mc->trace->shadow->chains[r->chain];
	for (uint32_t i = 0; i < q->loads; i++) {
		const struct op *o = &mc->ops[q->list[i]];
		uint64_t base = r->base + (uint64_t)(o->offset - r->o->offset);
		if (o->span_slot == r->o->span_slot)
			trace_again(mc, &mc->strips[r->strip], o, NULL, base,
				    at, false);
	}
}

void calm_note(struct machine *mc)
{
	struct calm *c = mc->trace->shadow->calm;
	uint32_t count = c->count;
	for (uint32_t i = 0; i < count; i++) {
		const struct calm_entry *r = &c->list[i];
		const struct trace_at at = {
			.at = r->at == UINT32_MAX ? NULL : c->memory + r->at,
			.row = r->row,
			.step = r->step};
		if (r->chain != UINT32_MAX)
			note_chain(mc, r, &at);
		else
			trace_again(mc, &mc->strips[r->strip], r->o,
				    r->mask == UINT32_MAX ? NULL
							  : c->memory + r->mask,
				    r->base, &at, r->is_write);
	}
	calm_forget(mc->trace->shadow);
}

void calm_before(struct machine *mc, uint64_t from, uint64_t to, bool is_write)
{
	const struct calm *c = mc->trace->shadow->calm;
	if (((is_write ? c->pages : c->writes) & page_bits(from, to)) != 0)
		calm_note(mc);
}
