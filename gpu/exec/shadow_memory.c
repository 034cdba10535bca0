/*
 * The sanitizer at memory: where tags of bytes are kept, what a store of a
 * tagged value means, and races.
 *
 * Two accesses to one byte race when nothing orders them (no barrier of the
 * CTA between, no bar.warp.sync for lanes of one warp), one writes and not
 * both are atomic.  A write that leaves the byte as it was counts as a read.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/exec/priv/shadow.h"
#include "gpu/exec/priv/trace.h"

#define READER_MANY UINT16_MAX

static bool ordered(const struct shadow *h, uint16_t other, uint16_t epoch,
		    uint32_t thread)
{
	uint32_t who = other - 1u;
	return who == thread ||
	       (other != READER_MANY && who / 32 == thread / 32 &&
		h->warp_epoch[who / 32] != epoch);
}

/* One byte; true: a race. */
static bool touch(struct shadow *h, struct byte_state *b, uint32_t thread,
		  bool writes, bool changes, bool is_atomic)
{
	bool race = false;
	if (b->epoch != h->epoch) {
		b->epoch = h->epoch;
		b->writer = b->reader = 0;
	}
	uint16_t warp_epoch = h->warp_epoch[thread / 32];
	bool both = is_atomic && b->is_atomic != 0;
	if (b->writer != 0 && !both &&
	    (changes || !writes || b->is_atomic != 0))
		race = !ordered(h, b->writer, b->writer_warp_epoch, thread);
	if (changes && b->reader != 0)
		race = race ||
		       !ordered(h, b->reader, b->reader_warp_epoch, thread);
	if (changes || (writes && is_atomic)) {
		b->writer = (uint16_t)(thread + 1);
		b->writer_warp_epoch = warp_epoch;
		b->is_atomic = is_atomic;
	} else if (!writes || b->writer == 0) {
		bool other =
			b->reader != 0 && b->reader != thread + 1 &&
			!ordered(h, b->reader, b->reader_warp_epoch, thread);
		b->reader = other ? READER_MANY : (uint16_t)(thread + 1);
		b->reader_warp_epoch = warp_epoch;
	}
	return race;
}

/* Race states of the bytes at p, NULL where none are kept. */
static struct byte_state *states(struct machine *mc,
				 const struct shadow_place *p)
{
	struct shadow *h = mc->trace->shadow;
	struct cells *c = &mc->trace->cells;
	if (p->cell == NULL) {
		uint64_t at = (uint64_t)(p->host - mc->shared);
		return p->host >= mc->shared && at < mc->l->shared_bytes
			       ? &h->shared[at]
			       : NULL;
	}
	if (c->cap > h->global_cap) {
		struct byte_state *g = realloc(
			h->global, (size_t)c->cap * CELL_BYTES * sizeof(*g));
		if (g == NULL)
			return NULL;
		memset(g + (size_t)h->global_cap * CELL_BYTES, 0,
		       (size_t)(c->cap - h->global_cap) * CELL_BYTES *
			       sizeof(*g));
		h->global = g;
		h->global_cap = c->cap;
	}
	return h->global + (size_t)(p->cell - c->list) * CELL_BYTES +
	       (size_t)(p->host - p->cell->host);
}

/* The tag of the byte at p->host + i: where it is kept outside buffers. */
static uint8_t *byte_tag(struct machine *mc, struct strip *s,
			 const struct shadow_place *p, uint32_t i)
{
	struct shadow *h = mc->trace->shadow;
	uint8_t *host = p->host + i;
	if (p->window->is_per_lane)
		return h->local[s->first / STRIP_LANES] + (host - s->local);
	if (host >= mc->shared &&
	    (uint64_t)(host - mc->shared) < mc->l->shared_bytes)
		return &h->shared[host - mc->shared].tag;
	return NULL;
}

/* Bytes of a buffer: the cell knows which are NaNs of which size. */
static uint8_t cell_tag(const struct cell *e, size_t k, uint32_t size)
{
	uint64_t bits = (((uint64_t)1 << size) - 1) << k;
	if ((e->nan & bits) == 0)
		return 0;
	bool whole = (e->nan & bits) == bits && e->nan_bytes == size;
	return (uint8_t)(TAG_NAN | (whole ? tag_pure(size) : 0));
}

static uint8_t loaded_tag(struct machine *mc, struct strip *s,
			  const struct shadow_place *p, uint32_t at,
			  uint32_t size)
{
	if (p->cell != NULL)
		return cell_tag(p->cell, (size_t)(p->host + at - p->cell->host),
				size);
	const uint8_t *t = byte_tag(mc, s, p, at);
	if (t == NULL)
		return 0;
	uint8_t tag = *t;
	for (uint32_t i = at + 1; i < at + size; i++)
		tag = tag_join(tag, *byte_tag(mc, s, p, i));
	return tag & (tag_pure(size) | TAG_UNSET | TAG_NAN);
}

static void stored_tag(struct machine *mc, struct strip *s, const struct op *o,
		       const struct shadow_place *p, uint32_t at, uint8_t tag)
{
	bool is_nan = (tag & tag_pure(o->size)) != 0;
	if (p->cell != NULL) {
		size_t k = (size_t)(p->host + at - p->cell->host);
		uint64_t bits = (((uint64_t)1 << o->size) - 1) << k;
		if ((tag & TAG_UNSET) != 0)
			shadow_find(mc, s, o, EXEC_REASON_uninitialised,
				    p->lane, p->address);
		bool fits = p->cell->nan == 0 || p->cell->nan_bytes == o->size;
		if ((tag & TAG_NAN) != 0 && is_nan && fits) {
			p->cell->nan |= bits;
			p->cell->nan_bytes = o->size;
		} else if ((tag & TAG_NAN) != 0) {
			shadow_nan(mc, s, o, p->lane);
		}
		return;
	}
	for (uint32_t i = at; i < at + o->size; i++) {
		uint8_t *t = byte_tag(mc, s, p, i);
		if (t != NULL)
			*t = tag;
	}
}

static uint64_t stored_value(struct machine *mc, struct strip *s, op_ref r,
			     uint32_t size, uint32_t lane)
{
	const void *v = machine_lanes(mc, s, r);
	return size == 8 ? ((const uint64_t *)v)[lane]
			 : ((const uint32_t *)v)[lane];
}

static bool check_races(struct machine *mc, const struct op *o, struct strip *s,
			const struct shadow_place *p)
{
	struct byte_state *b = states(mc, p);
	bool race = false;
	for (uint32_t i = 0; b != NULL && i < p->size; i++) {
		bool changes = p->is_write;
		if (p->is_write && !p->is_atomic) {
			uint64_t v = stored_value(
				mc, s, mc->l->m->lists[o->list + i / o->size],
				o->size, p->lane);
			changes = p->host[i] !=
				  (uint8_t)(v >> (8 * (i % o->size)));
		}
		race |= touch(mc->trace->shadow, &b[i], s->first + p->lane,
			      p->is_write, changes, p->is_atomic);
	}
	return race;
}

bool shadow_access(struct machine *mc, struct strip *s, const struct op *o,
		   const struct shadow_place *p)
{
	uint8_t at_tag =
		o->is_static != 0 ? 0 : shadow_tags(mc, s, o->a)[p->lane];
	if ((at_tag & TAG_UNSET) != 0)
		shadow_find(mc, s, o, EXEC_REASON_uninitialised, p->lane,
			    p->address);
	if ((at_tag & TAG_NAN) != 0)
		shadow_nan(mc, s, o, p->lane);
	if (check_races(mc, o, s, p))
		shadow_find(mc, s, o, EXEC_REASON_race, p->lane, p->address);
	if (p->is_atomic) {
		uint8_t tag = loaded_tag(mc, s, p, 0, p->size);
		uint8_t b = shadow_tags(mc, s, o->b)[p->lane] |
			    shadow_tags(mc, s, o->c)[p->lane];
		shadow_tags(mc, s, o->d)[p->lane] = tag & (uint8_t)~TAG_PURE;
		stored_tag(mc, s, o, p, 0, (b | tag) & (uint8_t)~TAG_PURE);
		return true;
	}
	for (uint32_t k = 0; k < o->vec; k++) {
		op_ref r = mc->l->m->lists[o->list + k];
		uint8_t *t = shadow_tags(mc, s, r) + p->lane;
		uint32_t at = k * o->size;
		if (p->is_write)
			stored_tag(mc, s, o, p, at, *t);
		else
			*t = loaded_tag(mc, s, p, at, o->size);
	}
	return true;
}
