/*
 * Accesses of a traced CTA, before they happen.  Runs of lanes side by side
 * in one page are noted whole, the rest lane by lane.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/exec/priv/op_list.h"
#include "gpu/exec/priv/race.h"
#include "gpu/exec/priv/shadow.h"
#include "gpu/exec/priv/trace.h"

enum err trace_new(const struct launch *l, bool is_shared,
		   struct trace **ret_trace)
{
	struct trace *t = calloc(1, sizeof(*t));
	enum err err = ERR_OK;
	if (t == NULL)
		return ERR_NO_MEMORY;
	t->keeps_reads = l->options->range_count > 0;
	t->keeps_values = is_shared && l->options->sanitize;
	if (l->options->witness_seed32 != NULL) {
		t->witness = calloc(l->threads, sizeof(*t->witness));
		err = t->witness == NULL ? ERR_NO_MEMORY : ERR_OK;
	}
	if (err == ERR_OK && l->options->sanitize)
		err = shadow_new(l, &t->shadow);
	if (err != ERR_OK) {
		trace_free(t);
		return err;
	}
	*ret_trace = t;
	return ERR_OK;
}

void trace_free(struct trace *t)
{
	if (t == NULL)
		return;
	shadow_free(t->shadow);
	pages_free(&t->pages);
	free(t->witness);
	free(t);
}

void trace_start(struct machine *mc)
{
	struct trace *t = mc->trace;
	pages_clear(&t->pages);
	t->nan_matters = false;
	t->is_again = false;
	if (t->shadow != NULL)
		shadow_start(mc);
	if (t->witness != NULL)
		witness_start(mc);
}

void trace_barrier(struct machine *mc, uint32_t id)
{
	if (mc->trace->shadow != NULL)
		race_barrier(mc, id);
}

void trace_undo(struct trace *t)
{
	for (uint32_t i = 0; i < t->pages.count; i++) {
		struct page *e = t->pages.list[i];
		for (uint32_t k = 0; e->is_written && k < e->bytes; k++) {
			if ((e->written[k / 64] >> (k % 64) & 1u) != 0)
				e->host[k] = e->old[k];
		}
	}
}

/* An access by some lanes of a strip. */
struct access {
	struct machine *mc;
	struct strip *s;
	const struct op *o;
	const struct window *w;
	const uint32_t *at; /* NULL: in rows */
	int64_t row;
	uint32_t step;
	uint64_t base;	 /* of at[], in its buffer or in shared memory */
	uint8_t *host;	 /* likewise */
	uint32_t stored; /* lanes whose values have been stored already */
	uint32_t size;
	bool is_write;
	bool is_shared;
	bool is_dirty; /* a store of values with tags */
	bool is_again; /* its tags have gone where they belong */
};

/* From base and host on. */
static inline uint64_t away(const struct access *x, uint32_t lane)
{
	if (x->at != NULL)
		return x->at[lane];
	return (uint64_t)(x->row * (lane / TRACK_LANES)) +
	       (uint64_t)x->step * (lane % TRACK_LANES);
}

static bool out_of_memory(struct machine *mc, struct strip *s, uint32_t lane)
{
	machine_end(mc, s, EXEC_FAULT, EXEC_REASON_no_memory, lane, 0);
	return false;
}

static struct page *page_of(const struct access *x, uint64_t offset)
{
	struct trace *t = x->mc->trace;
	struct page *e =
		x->is_shared ? &t->shadow->shared[offset / PAGE_BYTES]
			     : pages_at(&t->pages, x->w->buffer, offset, x->w);
	if (e == NULL || (t->shadow != NULL && !race_need(t->shadow, e)))
		return NULL;
	return e;
}

static void set_bits(uint64_t *bits, uint32_t at, uint32_t n)
{
	uint32_t i = at / 64, low = at % 64;
	for (; n > 0; i++, low = 0) {
		uint32_t m = 64 - low < n ? 64 - low : n;
		bits[i] |= (m == 64 ? UINT64_MAX : ((uint64_t)1 << m) - 1)
			   << low;
		n -= m;
	}
}

/* What was in blocks [first, last] before the CTA's first write. */
static void save(struct page *e, uint32_t first, uint32_t last)
{
	for (uint32_t k = first; k <= last; k++) {
		uint32_t at = k * PAGE_BLOCK, n = e->bytes - at;
		if (((uint32_t)e->saved >> k & 1u) == 0)
			memcpy(e->old + at, e->host + at,
			       n < PAGE_BLOCK ? n : PAGE_BLOCK);
		e->saved |= (uint8_t)(1u << k);
	}
}

/* Which bytes of a page, and what was there. */
static void note(const struct trace *t, struct page *e, uint32_t at, uint32_t n,
		 bool reads, bool writes)
{
	if (e->buffer == UINT32_MAX) {
		e->noted = t->shadow->number;
		e->wrote = writes ? e->noted : e->wrote;
		return;
	}
	uint32_t first = at / PAGE_BLOCK, last = (at + n - 1) / PAGE_BLOCK;
	uint8_t blocks = (uint8_t)((2u << last) - (1u << first));
	e->touched |= blocks;
	if (writes) {
		if ((blocks & ~e->saved) != 0)
			save(e, first, last);
		e->is_written = true;
		set_bits(e->written, at, n);
	}
	if (reads) {
		e->is_read = true;
		if (t->keeps_reads)
			set_bits(e->read, at, n);
	}
}

/* Accesses of less than a word: the CTA runs again, races by byte. */
static bool fits_entries(struct machine *mc, struct strip *s, uint32_t size)
{
	struct trace *t = mc->trace;
	if (size >= 1u << t->shadow->entry_shift)
		return true;
	t->is_again = true;
	machine_end(mc, s, EXEC_VOID, EXEC_REASON_none, 0, 0);
	return false;
}

static void keep_value(const struct access *x, struct page *e, uint32_t at,
		       uint32_t lane)
{
	const struct op *o = x->o;
	for (uint32_t k = 0; k < o->vec; k++) {
		const void *v = machine_lanes(x->mc, x->s,
					      x->mc->l->m->lists[o->list + k]);
		memcpy(e->mine + at + k * o->size,
		       o->size == 8
			       ? (const void *)((const uint64_t *)v + lane)
			       : (const void *)((const uint32_t *)v + lane),
		       o->size);
	}
}

static bool touch_lane(const struct access *x, uint32_t lane, uint64_t offset,
		       uint8_t *host)
{
	struct trace *t = x->mc->trace;
	struct page *e = page_of(x, offset);
	bool is_atomic = op_is_atomic(x->o);
	if (e == NULL)
		return out_of_memory(x->mc, x->s, lane);
	uint32_t at = (uint32_t)(offset % PAGE_BYTES);
	note(t, e, at, x->size, !x->is_write || is_atomic, x->is_write);
	if (t->keeps_values && x->is_write && !is_atomic)
		keep_value(x, e, at, lane);
	if (t->shadow == NULL)
		return true;
	struct touch v = {.lane = lane,
			  .address = x->w->base + (uint64_t)(host - x->w->host),
			  .host = host,
			  .window = x->w,
			  .page = e,
			  .at = at,
			  .size = x->size,
			  .is_write = x->is_write,
			  .is_atomic = is_atomic};
	if (!fits_entries(x->mc, x->s, x->size))
		return false;
	race_touch(x->mc, x->s, x->o, &v);
	if (is_atomic)
		shadow_atomic(x->mc, x->s, x->o, &v);
	else if (!x->is_again && (x->is_dirty || e->has != 0))
		shadow_move(x->mc, x->s, x->o, &v);
	return true;
}

static void store_lane(const struct access *x, uint32_t lane)
{
	const struct op *o = x->o;
	uint8_t *host = x->host + away(x, lane);
	for (uint32_t k = 0; k < o->vec; k++) {
		const void *v = machine_lanes(x->mc, x->s,
					      x->mc->l->m->lists[o->list + k]);
		memcpy(host + k * o->size,
		       o->size == 8
			       ? (const void *)((const uint64_t *)v + lane)
			       : (const void *)((const uint32_t *)v + lane),
		       o->size);
	}
}

/* Lane by lane, in the order of the threads: whether a store changes what is
 * there is asked of what the lanes before it have left. */
static bool touch_lanes(struct access *x, const uint32_t *mask, uint32_t from,
			uint32_t to)
{
	bool stores = x->is_write && !x->is_again;
	for (; stores && x->stored < from; x->stored++) {
		if (lane_is_on(mask, x->stored))
			store_lane(x, x->stored);
	}
	for (uint32_t i = from; i < to; i++)
		__builtin_prefetch(x->host + away(x, i));
	for (uint32_t i = from; i < to; i++) {
		if (!lane_is_on(mask, i))
			continue;
		if (!touch_lane(x, i, x->base + away(x, i),
				x->host + away(x, i)))
			return false;
		if (stores)
			store_lane(x, i);
	}
	x->stored = to;
	return true;
}

/* Do bytes [at, at + n) of the page have tags? */
static bool has_tags(const struct shadow *h, const struct page *e, uint32_t at,
		     uint32_t n)
{
	if ((e->has & HAS_UNSET) != 0 && h->track->any(e->tags->unset + at, n))
		return true;
	if ((e->has & HAS_NAN) != 0 && h->track->any(e->tags->nan + at, n))
		return true;
	return (e->has & HAS_FORM) != 0 &&
	       h->track->any(e->tags->form + at / 4, (n + 3) / 4 * 2);
}

/* Bytes are written that have none.  Of an address in a word, accesses of
 * less leave something else. */
static void clear_tags(struct page *e, uint32_t at, uint32_t n, uint32_t size)
{
	if ((e->has & HAS_UNSET) != 0)
		memset(e->tags->unset + at, 0, n);
	if ((e->has & HAS_NAN) != 0)
		memset(e->tags->nan + at, 0, n);
	if ((e->has & HAS_FORM) == 0)
		return;
	for (uint32_t k = at / 4; k <= (at + n - 1) / 4; k++) {
		uint16_t *f = &e->tags->form[k];
		*f = size < 4 && *f != FORM_CLEAN ? FORM_MIXED : FORM_CLEAN;
	}
}

/* Lanes [lane, lane + count) side by side, in one page. */
static bool touch_run(struct access *x, const uint32_t *mask, uint32_t lane,
		      uint32_t count)
{
	struct trace *t = x->mc->trace;
	uint64_t offset = x->base + away(x, lane);
	struct page *e = page_of(x, offset);
	uint32_t at = (uint32_t)(offset % PAGE_BYTES), n = count * x->size;
	if (e == NULL)
		return out_of_memory(x->mc, x->s, lane);
	if (t->shadow != NULL) {
		if (!fits_entries(x->mc, x->s, x->size))
			return false;
		bool moves = x->is_dirty ||
			     (e->has != 0 && !x->is_write && !x->is_again &&
			      has_tags(t->shadow, e, at, n));
		if (moves || !race_touch_run(x->mc, x->s, x->o, e, at, lane,
					     count, x->size, x->is_write))
			return touch_lanes(x, mask, lane, lane + count);
		if (x->is_write && !x->is_again && e->has != 0)
			clear_tags(e, at, n, (uint32_t)x->o->size);
	}
	note(t, e, at, n, !x->is_write, x->is_write);
	for (uint32_t i = 0; t->keeps_values && x->is_write && i < count; i++)
		keep_value(x, e, at + i * x->size, lane + i);
	return true;
}

/* A block of lanes side by side, which may straddle pages. */
static bool touch_unit(struct access *x, const uint32_t *mask, uint32_t lane)
{
	uint32_t left = TRACK_LANES;
	while (left > 0) {
		uint64_t offset = x->base + away(x, lane);
		uint32_t room = (PAGE_BYTES - (uint32_t)(offset % PAGE_BYTES)) /
				x->size;
		uint32_t count = left < room ? left : room;
		if (!touch_run(x, mask, lane, count))
			return false;
		lane += count;
		left -= count;
	}
	return true;
}

/* All lanes read one place. */
static bool touch_uniform(struct access *x, uint32_t lane, uint32_t count)
{
	struct trace *t = x->mc->trace;
	uint64_t offset = x->base + away(x, lane);
	uint32_t at = (uint32_t)(offset % PAGE_BYTES);
	struct page *e = page_of(x, offset);
	if (e == NULL)
		return out_of_memory(x->mc, x->s, lane);
	if (t->shadow != NULL) {
		if (!fits_entries(x->mc, x->s, x->size))
			return false;
		if ((e->has != 0 && !x->is_again &&
		     has_tags(t->shadow, e, at, x->size)) ||
		    !race_touch_one(x->mc, x->s, x->o, e, at, lane, count,
				    x->size))
			return touch_lanes(x, NULL, lane, lane + count);
	}
	note(t, e, at, x->size, true, false);
	return true;
}

/* Lanes in rows, all of them. */
static bool touch_rows(struct access *x)
{
	for (uint32_t i = 0; i < x->s->n; i += TRACK_LANES) {
		if (i + TRACK_LANES > x->s->n)
			return touch_lanes(x, NULL, i, x->s->n);
		bool ok = x->step != 0 ? touch_unit(x, NULL, i)
			  : x->is_write
				  ? touch_lanes(x, NULL, i, i + TRACK_LANES)
				  : touch_uniform(x, i, TRACK_LANES);
		if (!ok)
			return false;
	}
	return true;
}

static bool touch_blocks(struct access *x, const uint32_t *mask)
{
	uint8_t patterns[STRIP_LANES / TRACK_LANES];
	const struct track_set *track = track_set_of(x->mc->l);
	uint32_t n = x->s->n, i = 0;
	if (x->at == NULL)
		return touch_rows(x);
	track->patterns(patterns, x->at, x->size, n, mask);
	for (uint32_t b = 0; i < n; b++, i += TRACK_LANES) {
		uint32_t end = i + TRACK_LANES < n ? i + TRACK_LANES : n;
		bool ok = true;
		if (patterns[b] == TRACK_UNIT)
			ok = touch_unit(x, mask, i);
		else if (patterns[b] == TRACK_UNIFORM && !x->is_write)
			ok = touch_uniform(x, i, TRACK_LANES);
		else if (patterns[b] != TRACK_NONE)
			ok = touch_lanes(x, mask, i, end);
		if (!ok)
			return false;
	}
	return true;
}

static bool has_flags(const struct access *x)
{
	const struct shadow *h = x->mc->trace->shadow;
	uint8_t flags = 0;
	for (uint32_t k = 0; h != NULL && k < x->o->vec; k++) {
		op_ref r = x->mc->l->m->lists[x->o->list + k];
		flags |= h->flags[x->s->first / STRIP_LANES]
				 [shadow_plane(x->mc, h, r)];
	}
	return flags != 0;
}

static void clear_results(const struct access *x, const uint32_t *mask)
{
	for (uint32_t k = 0; k < x->o->vec; k++)
		shadow_clear(x->mc, x->s, x->mc->l->m->lists[x->o->list + k],
			     x->o->size == 8, mask);
}

/* What must be noted of window w: nothing, in shared memory only by the
 * sanitizer, in a buffer that nobody writes only reads. */
static bool is_noted(const struct machine *mc, const struct window *w,
		     bool is_shared)
{
	const struct trace *t = mc->trace;
	if (w->buffer == UINT32_MAX)
		return is_shared && t->shadow != NULL;
	return w->is_writable || t->keeps_reads || mc->l->options->record_reads;
}

static bool is_shared_window(const struct machine *mc, const struct window *w)
{
	return w->buffer == UINT32_MAX && w->host >= mc->shared &&
	       (uint64_t)(w->host - mc->shared) < mc->l->shared_bytes;
}

static struct access access_of(struct machine *mc, struct strip *s,
			       const struct op *o, const struct window *w,
			       const struct trace_at *at, bool is_write)
{
	struct access x = {.mc = mc,
			   .s = s,
			   .o = o,
			   .w = w,
			   .at = at->at,
			   .row = at->row,
			   .step = at->step,
			   .size = (uint32_t)o->size * o->vec,
			   .is_write = is_write,
			   .is_shared = is_shared_window(mc, w)};
	int64_t first = at->delta + (at->at == NULL ? at->first : 0);
	x.base = x.is_shared ? (uint64_t)(w->host - mc->shared)
			     : w->base - w->origin;
	x.base += (uint64_t)first;
	x.host = w->host + first;
	return x;
}

/* Constants that hold addresses. */
static void move_constants(const struct access *x, const uint32_t *mask)
{
	for (uint32_t i = 0; i < x->s->n; i++) {
		uint8_t *host = x->host + away(x, i);
		if (lane_is_on(mask, i))
			shadow_move(x->mc, x->s, x->o,
				    &(struct touch){.lane = i,
						    .host = host,
						    .window = x->w,
						    .size = x->size});
	}
}

/* Bytes of shared memory within which lanes are told apart. */
#define APART_BYTES (64u << 10)

/* Has every lane bytes of its own?  Accesses are multiples of their size. */
static bool is_apart(const struct access *x, const uint32_t *mask,
		     const struct trace_at *at)
{
	uint64_t seen[APART_BYTES / 64];
	uint32_t clash = 0, shift = (uint32_t)__builtin_ctz(x->size);
	if (x->at == NULL)
		return x->step == x->size &&
		       x->row >= (int64_t)x->size * TRACK_LANES;
	uint64_t span = (at->most - at->least) >> shift;
	if (span >= APART_BYTES || (x->size & (x->size - 1)) != 0)
		return false;
	memset(seen, 0, (span / 64 + 1) * sizeof(*seen));
	for (uint32_t i = 0; i < x->s->n; i++) {
		if (!lane_is_on(mask, i))
			continue;
		uint64_t k = (x->at[i] - at->least) >> shift;
		clash |= (uint32_t)(seen[k / 64] >> (k % 64)) & 1u;
		seen[k / 64] |= (uint64_t)1 << (k % 64);
	}
	return clash == 0;
}

/* Lanes store, within bytes [from, to] of shared memory, what has no tags. */
static void clear_lanes(const struct access *x, const uint32_t *mask,
			uint64_t from, uint64_t to)
{
	struct page *pages = x->mc->trace->shadow->shared;
	uint8_t has = 0;
	for (uint64_t k = from / PAGE_BYTES; k <= to / PAGE_BYTES; k++)
		has |= pages[k].has;
	for (uint32_t i = 0; has != 0 && i < x->s->n; i++) {
		uint64_t at = x->base + away(x, i);
		struct page *e = &pages[at / PAGE_BYTES];
		if (e->has != 0 && lane_is_on(mask, i))
			clear_tags(e, (uint32_t)(at % PAGE_BYTES), x->size,
				   x->o->size);
	}
}

/* Accesses of shared memory that no other is near are only kept in mind. */
static bool keep_in_mind(const struct access *x, const uint32_t *mask,
			 const struct trace_at *at)
{
	uint64_t start = (uint64_t)(x->w->host - x->mc->shared);
	uint64_t from = start + (uint64_t)at->delta + at->least;
	uint64_t to = start + (uint64_t)at->delta + at->most + x->size - 1;
	if ((!x->is_write || (!x->is_dirty && is_apart(x, mask, at))) &&
	    calm_access(x->mc, x->s, x->o, mask, x->base, at, from, to,
			x->is_write, UINT32_MAX)) {
		if (x->is_write)
			clear_lanes(x, mask, from, to);
		return true;
	}
	calm_before(x->mc, from, to, x->is_write);
	return false;
}

bool trace_span(struct machine *mc, struct strip *s, const struct op *o,
		const uint32_t *mask, const struct window *w,
		const struct trace_at *at, bool is_write)
{
	struct access x = access_of(mc, s, o, w, at, is_write);
	struct shadow *h = mc->trace->shadow;
	if (h != NULL && !at->is_known && !shadow_addresses(mc, s, o, mask, w))
		return false;
	if (h != NULL && !is_write)
		clear_results(&x, mask);
	x.is_dirty = is_write && has_flags(&x);
	if (x.is_shared && h != NULL && keep_in_mind(&x, mask, at))
		return true;
	if (is_noted(mc, w, x.is_shared))
		return touch_blocks(&x, mask);
	if (h != NULL && w->buffer == UINT32_MAX && shadow_holds_forms(mc, w))
		move_constants(&x, mask);
	return true;
}

bool trace_calm_loads(struct machine *mc, struct strip *s,
		      const struct chain_span *c, uint32_t chain)
{
	const struct op *o = &mc->ops[c->op];
	struct span_slot *k = &s->spans[o->span_slot];
	if (memory_span(mc, s, o) == NULL || k->shape == SPAN_ANY)
		return false;
	k->is_known = k->is_known || shadow_knows(mc, s, o, &k->window);
	const struct trace_at at = trace_at_slot(o, k);
	struct access x = access_of(mc, s, o, &k->window, &at, false);
	if (!k->is_known)
		return false;
	if (!x.is_shared)
		return !is_noted(mc, &k->window, false) &&
		       (k->window.buffer != UINT32_MAX ||
			!shadow_holds_forms(mc, &k->window));
	/* What lies beyond the window makes the chain go op by op. */
	if ((uint64_t)(c->low - k->low) > k->room ||
	    (uint64_t)(c->high - k->low) > k->room)
		return false;
	uint64_t start = (uint64_t)(k->window.host - mc->shared);
	uint64_t from = start + at.least + (uint64_t)(c->low - k->offset);
	uint64_t to =
		start + at.most + (uint64_t)(c->high - k->offset) + x.size - 1;
	return calm_access(mc, s, o, NULL, x.base, &at, from, to, false, chain);
}

bool trace_fixed(struct machine *mc, struct strip *s, const struct op *o,
		 const struct window *w, int64_t delta)
{
	const struct trace_at at = {.delta = delta};
	return trace_span(mc, s, o, NULL, w, &at, false);
}

void trace_again(struct machine *mc, struct strip *s, const struct op *o,
		 const uint32_t *mask, uint64_t base, const struct trace_at *at,
		 bool is_write)
{
	struct window w = {.buffer = UINT32_MAX, .host = mc->shared};
	struct access x = {.mc = mc,
			   .s = s,
			   .o = o,
			   .w = &w,
			   .at = at->at,
			   .row = at->row,
			   .step = at->step,
			   .base = base,
			   .host = mc->shared + base,
			   .size = (uint32_t)o->size * o->vec,
			   .is_shared = true,
			   .is_write = is_write,
			   .is_again = true};
	/* Nothing but memory can fail, and then the CTA has ended. */
	(void)touch_blocks(&x, mask);
}

bool trace_access(struct machine *mc, struct strip *s, const struct op *o,
		  uint32_t lane, uint64_t address, uint8_t *host,
		  const struct window *w, uint32_t size, bool is_write)
{
	struct shadow *h = mc->trace->shadow;
	struct access x =
		access_of(mc, s, o, w, &(struct trace_at){0}, is_write);
	if (h != NULL && !shadow_address(mc, s, o, lane, address, w))
		return false;
	x.is_dirty = true;
	if (x.is_shared && h != NULL) {
		uint64_t from = (uint64_t)(host - mc->shared);
		calm_before(mc, from, from + size - 1, is_write);
	}
	if (is_noted(mc, w, x.is_shared)) {
		return touch_lane(&x, lane, x.base + (uint64_t)(host - w->host),
				  host);
	}
	if (h != NULL && !op_is_atomic(o))
		shadow_move(mc, s, o,
			    &(struct touch){.lane = lane,
					    .address = address,
					    .host = host,
					    .window = w,
					    .size = size,
					    .is_write = is_write});
	return true;
}

void trace_updated(struct machine *mc, struct strip *s, const struct op *o,
		   uint32_t lane, uint8_t *host, const struct window *w)
{
	struct access x = access_of(mc, s, o, w, &(struct trace_at){0}, true);
	if (mc->trace->shadow == NULL || o->number < NUMBER_F ||
	    !is_noted(mc, w, x.is_shared))
		return;
	uint64_t offset = x.base + (uint64_t)(host - w->host);
	struct touch v = {.lane = lane,
			  .host = host,
			  .window = w,
			  .page = page_of(&x, offset),
			  .at = (uint32_t)(offset % PAGE_BYTES),
			  .size = o->size};
	if (v.page != NULL)
		shadow_atomic_done(mc, s, o, &v);
}
