/*
 * Reads of shared memory between two barriers that no write comes near: most
 * of what kernels do there.  They are put into a log and forgotten at the
 * next barrier of the CTA.  A write to one of their pages, or a
 * synchronisation of less than the CTA, has them noted entry by entry first,
 * as they would have been.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/exec/priv/shadow.h"
#include "gpu/exec/priv/trace.h"

/* Most reads in the log, and most words of their addresses and masks. */
#define CALM_READS 1024u
#define CALM_WORDS (64u * STRIP_LANES)

struct calm_read {
	const struct op *o;
	uint64_t base; /* in shared memory; at[] is added */
	uint32_t strip;
	uint32_t at;   /* in words; UINT32_MAX: one place for all */
	uint32_t mask; /* likewise; UINT32_MAX: all lanes */
};

struct calm {
	uint32_t count, words;
	uint64_t pages; /* bit: page number modulo 64 */
	struct calm_read reads[CALM_READS];
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
	h->calm->pages = 0;
}

static uint64_t page_bits(uint64_t from, uint64_t to)
{
	uint64_t bits = 0;
	for (uint64_t k = from / PAGE_BYTES; k <= to / PAGE_BYTES; k++)
		bits |= (uint64_t)1 << (k % 64);
	return bits;
}

/* No write since the barrier, and all bytes are set. */
static bool is_calm(struct shadow *h, struct page *e)
{
	if (e->has == HAS_UNSET && !h->track->any(e->tags->unset, PAGE_BYTES))
		e->has = 0;
	return e->has == 0 && e->wrote << SET_SHIFT < h->epoch;
}

static uint32_t keep(struct calm *c, const uint32_t *words, uint32_t n)
{
	uint32_t at = c->words;
	memcpy(c->memory + at, words, n * sizeof(*words));
	c->words += n;
	return at;
}

bool calm_read(struct machine *mc, struct strip *s, const struct op *o,
	       const uint32_t *mask, uint64_t base, const uint32_t *at,
	       uint32_t least, uint32_t most)
{
	struct shadow *h = mc->trace->shadow;
	struct calm *c = h->calm;
	uint32_t size = (uint32_t)o->size * o->vec;
	uint64_t from = base + least, to = base + most + size - 1;
	if (size < 1u << h->entry_shift)
		return false;
	for (uint64_t k = from / PAGE_BYTES; k <= to / PAGE_BYTES; k++) {
		if (!is_calm(h, &h->shared[k]))
			return false;
	}
	if (c->count == CALM_READS || c->words + 2 * STRIP_LANES > CALM_WORDS)
		calm_note(mc);
	bool one = least == most && mask == NULL;
	c->pages |= page_bits(from, to);
	c->reads[c->count++] = (struct calm_read){
		.o = o,
		.base = one ? base + at[0] : base,
		.strip = s->first / STRIP_LANES,
		.at = one ? UINT32_MAX : keep(c, at, s->n),
		.mask = mask == NULL ? UINT32_MAX : keep(c, mask, s->n)};
	return true;
}

void calm_note(struct machine *mc)
{
	static const uint32_t zero[STRIP_LANES];
	struct calm *c = mc->trace->shadow->calm;
	uint32_t count = c->count;
	c->count = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct calm_read *r = &c->reads[i];
		trace_read_again(
			mc, &mc->strips[r->strip], r->o,
			r->mask == UINT32_MAX ? NULL : c->memory + r->mask,
			r->base,
			r->at == UINT32_MAX ? zero : c->memory + r->at);
	}
	calm_forget(mc->trace->shadow);
}

void calm_write(struct machine *mc, uint64_t from, uint64_t to)
{
	struct calm *c = mc->trace->shadow->calm;
	if (c->count != 0 && (c->pages & page_bits(from, to)) != 0)
		calm_note(mc);
}
