/*
 * Loads and stores.  The fast path looks up one window for the first lane,
 * checks all lanes against it at once and moves whole vectors; anything it
 * cannot do (several windows, faults, traced runs) goes lane by lane, in the
 * order of the threads.
 */
#include <string.h>

#include "gpu/exec/priv/shadow.h"
#include "gpu/exec/priv/steps.h"
#include "gpu/exec/priv/trace.h"

static uint64_t lane_address(const struct machine *mc, const struct strip *s,
			     const struct op *o, uint32_t lane)
{
	if (o->is_static != 0)
		return (uint64_t)o->offset +
		       (o->space == SPACE_FRAME
				? (uint64_t)lane * mc->l->m->frame_bytes
				: 0);
	const void *a = machine_lanes(mc, s, o->a);
	if (o->is_wide != 0)
		return ((const uint64_t *)a)[lane] + (uint64_t)o->offset;
	return (uint32_t)(((const uint32_t *)a)[lane] + (uint32_t)o->offset);
}

/* One element between memory and a lane; narrow lanes are 32 bits. */
static void lane_put(void *lanes, uint32_t lane, const uint8_t *host,
		     uint32_t size)
{
	uint64_t v = 0;
	memcpy(&v, host, size);
	if (size == 8)
		((uint64_t *)lanes)[lane] = v;
	else
		((uint32_t *)lanes)[lane] = (uint32_t)v;
}

static void lane_get(const void *lanes, uint32_t lane, uint8_t *host,
		     uint32_t size)
{
	if (size == 8)
		memcpy(host, &((const uint64_t *)lanes)[lane], 8);
	else
		memcpy(host, &((const uint32_t *)lanes)[lane], size);
}

/* Call parameters are places of the thread, checked when loading. */
static void frame_access(struct machine *mc, struct strip *s,
			 const struct op *o, const uint32_t *mask,
			 bool is_write)
{
	for (uint32_t i = 0; i < s->n; i++) {
		if (!lane_is_on(mask, i))
			continue;
		uint8_t *host = s->frames + lane_address(mc, s, o, i);
		if (mc->trace != NULL && mc->trace->shadow != NULL)
			shadow_frame(mc, s, o, i, lane_address(mc, s, o, i),
				     is_write);
		for (uint32_t k = 0; k < o->vec; k++, host += o->size) {
			void *r = machine_lanes(mc, s,
						mc->l->m->lists[o->list + k]);
			if (is_write)
				lane_get(r, i, host, o->size);
			else
				lane_put(r, i, host, o->size);
		}
	}
}

/* In the window of the lane before? */
static bool reach_again(const struct window *w, uint64_t address, uint32_t size,
			bool is_write, uint8_t **ret_host)
{
	if (w->bytes < size || address - w->base > w->bytes - size ||
	    w->is_per_lane || (address & (size - 1)) != 0 ||
	    (is_write && !w->is_writable))
		return false;
	*ret_host = w->host + (address - w->base);
	return true;
}

/* Lane by lane. */
static enum step slow_access(struct machine *mc, struct strip *s,
			     const struct op *o, const uint32_t *mask,
			     bool is_write)
{
	uint32_t size = (uint32_t)o->size * o->vec;
	struct window w = {.bytes = 0};
	for (uint32_t i = 0; i < s->n; i++) {
		uint8_t *host;
		if (!lane_is_on(mask, i))
			continue;
		uint64_t a = lane_address(mc, s, o, i);
		if (!reach_again(&w, a, size, is_write, &host) &&
		    !machine_reach(mc, s, (enum op_space)o->space, i, a, size,
				   is_write, &host, &w))
			return STEP_STOP;
		if (mc->trace != NULL &&
		    !trace_access(mc, s, o, i, a, host, &w, size, is_write))
			return STEP_STOP;
		for (uint32_t k = 0; k < o->vec; k++, host += o->size) {
			void *r = machine_lanes(mc, s,
						mc->l->m->lists[o->list + k]);
			if (is_write)
				lane_get(r, i, host, o->size);
			else
				lane_put(r, i, host, o->size);
		}
	}
	return STEP_NEXT;
}

static uint32_t first_on(const uint32_t *mask)
{
	uint32_t i = 0;
	if (mask != NULL) {
		while (mask[i] == 0)
			i++;
	}
	return i;
}

/* All lanes in one window; false: take the slow path. */
static bool reach_all(struct machine *mc, struct strip *s, const struct op *o,
		      const uint32_t *mask, bool is_write, struct window *w,
		      struct lane_span *span)
{
	uint32_t first = first_on(mask);
	uint64_t a = lane_address(mc, s, o, first);
	if (!machine_window(mc, s, (enum op_space)o->space, a, w) ||
	    (is_write && !w->is_writable) || w->is_per_lane)
		return false;
	*span = (struct lane_span){.address = machine_lanes(mc, s, o->a),
				   .is_wide = o->is_wide != 0,
				   .offset = (uint64_t)o->offset,
				   .base = w->base,
				   .bytes = w->bytes,
				   .size = (uint32_t)o->size * o->vec,
				   .count = s->n,
				   .mask = mask,
				   .at = s->at};
	return mc->lanes->span(span);
}

static bool traced(struct machine *mc, struct strip *s, const struct op *o,
		   const uint32_t *mask, const struct window *w,
		   const struct lane_span *span, bool is_write)
{
	const struct trace_at at = {
		.at = span->at, .least = span->least, .most = span->most};
	return trace_span(mc, s, o, mask, w, &at, is_write);
}

static void load_uniform(struct machine *mc, void *d, const uint8_t *host,
			 uint32_t size, uint32_t n)
{
	uint64_t v = 0;
	memcpy(&v, host, size);
	if (size < 8) {
		mc->lanes->fill(d, NULL, (uint32_t)v, n);
	} else {
		for (uint32_t i = 0; i < n; i++)
			((uint64_t *)d)[i] = v;
	}
}

/* The address is a constant: one place for all lanes. */
static bool reach_fixed(struct machine *mc, struct strip *s, const struct op *o,
			struct window *w, int64_t *ret_delta)
{
	if ((o->a & REF_CONST) == 0)
		return false;
	uint64_t a = lane_address(mc, s, o, 0);
	uint32_t size = (uint32_t)o->size * o->vec;
	if (!machine_window(mc, s, (enum op_space)o->space, a, w) ||
	    w->is_per_lane || w->bytes < size ||
	    a - w->base > w->bytes - size || a % size != 0)
		return false;
	*ret_delta = (int64_t)(a - w->base);
	return true;
}

static enum step load_fixed(struct machine *mc, struct strip *s,
			    const struct op *o, const struct window *w,
			    int64_t delta)
{
	if (mc->trace != NULL && !trace_fixed(mc, s, o, w, delta))
		return STEP_STOP;
	for (uint32_t k = 0; k < o->vec; k++)
		load_uniform(
			mc, machine_lanes(mc, s, mc->l->m->lists[o->list + k]),
			w->host + delta + (size_t)k * o->size, o->size, s->n);
	return STEP_NEXT;
}

static void load_lanes(struct machine *mc, struct strip *s, const struct op *o,
		       const uint32_t *mask, const uint8_t *host,
		       const uint32_t *at, const uint8_t *patterns)
{
	for (uint32_t k = 0; k < o->vec; k++)
		mc->lanes->gather(
			machine_lanes(mc, s, mc->l->m->lists[o->list + k]),
			host + (size_t)k * o->size, at, o->size, s->n, mask,
			patterns);
}

/* A slot whose lanes lie in rows; false: they do not. */
static bool fill_rows(struct machine *mc, struct strip *s, const struct op *o,
		      const struct window *w, struct span_slot *k)
{
	int64_t step, row, size = (int64_t)o->size * o->vec;
	if (s->mask != NULL || s->n % 16 != 0 ||
	    !mc->lanes->rows(machine_lanes(mc, s, o->a), o->is_wide != 0, s->n,
			     &step, &row))
		return false;
	int64_t at = (int64_t)(lane_address(mc, s, o, 0) - w->base);
	int64_t far = (int64_t)(s->n / 16 - 1);
	if ((step != 0 && (step != o->size || o->vec != 1)) ||
	    w->bytes > (uint64_t)1 << 40 || at < 0 || at > (int64_t)w->bytes ||
	    row > (int64_t)1 << 40 || row < -((int64_t)1 << 40) ||
	    ((at | row) & (size - 1)) != 0)
		return false;
	int64_t least = at + (row < 0 ? far * row : 0);
	int64_t most = at + 15 * step + (row > 0 ? far * row : 0);
	if (least < 0 || most > (int64_t)w->bytes - size)
		return false;
	uint32_t log = (uint32_t)__builtin_ctz(o->size);
	k->shape = step == 0 ? SPAN_SAME : SPAN_UNIT;
	k->load = step == 0 ? mc->lanes->load_same[log]
			    : mc->lanes->load_unit[log];
	k->host = w->host + at;
	k->row = row;
	k->low = o->offset - least;
	k->room = (uint64_t)(least + (int64_t)w->bytes - size - most);
	return true;
}

static bool fill_any(struct machine *mc, struct strip *s, const struct op *o,
		     const struct window *w, struct span_slot *k)
{
	struct lane_span span = {.address = machine_lanes(mc, s, o->a),
				 .is_wide = o->is_wide != 0,
				 .offset = (uint64_t)o->offset,
				 .base = w->base,
				 .bytes = w->bytes,
				 .size = (uint32_t)o->size * o->vec,
				 .count = s->n,
				 .mask = s->mask,
				 .at = k->at};
	if (!mc->lanes->span(&span))
		return false;
	mc->lanes->patterns(k->patterns, k->at, o->size, s->n, s->mask);
	k->shape = SPAN_ANY;
	k->host = w->host;
	k->low = o->offset - (int64_t)span.least;
	k->room = span.least + w->bytes - span.size - span.most;
	return true;
}

static bool fill_slot(struct machine *mc, struct strip *s, const struct op *o,
		      struct span_slot *k)
{
	struct window w;
	uint64_t a = lane_address(mc, s, o, first_on(s->mask));
	s->spans_valid &= ~(1u << o->span_slot);
	if (!machine_window(mc, s, (enum op_space)o->space, a, &w) ||
	    w.is_per_lane)
		return false;
	if (!fill_rows(mc, s, o, &w, k) && !fill_any(mc, s, o, &w, k))
		return false;
	k->window = w;
	k->ref = o->a;
	k->key = o->span_key;
	k->offset = o->offset;
	k->is_writable = w.is_writable;
	k->fill = ++s->span_fills;
	k->is_known = false;
	s->spans_valid |= 1u << o->span_slot;
	return true;
}

/* Has the slot this access's addresses, but for the constant offset? */
static inline bool slot_fits(const struct strip *s, const struct op *o,
			     const struct span_slot *k)
{
	return (s->spans_valid >> o->span_slot & 1u) != 0 && k->ref == o->a &&
	       k->key == o->span_key &&
	       (uint64_t)(o->offset - k->low) <= k->room &&
	       ((uint64_t)(o->offset - k->offset) & ((k->key >> 8) - 1u)) == 0;
}

/* The access's slot, filled if need be; NULL: take another way. */
static inline const struct span_slot *span_of(struct machine *mc,
					      struct strip *s,
					      const struct op *o,
					      const uint32_t *mask)
{
	struct span_slot *k = &s->spans[o->span_slot];
	if (mask != s->mask)
		return NULL;
	if (slot_fits(s, o, k) || (o->span_slot != 0 && fill_slot(mc, s, o, k)))
		return k;
	return NULL;
}

const struct span_slot *memory_span(struct machine *mc, struct strip *s,
				    const struct op *o)
{
	return span_of(mc, s, o, s->mask);
}

/* An access at a slot's addresses. */
static bool traced_slot(struct machine *mc, struct strip *s, const struct op *o,
			bool is_write)
{
	struct span_slot *k = &s->spans[o->span_slot];
	if (mc->trace->shadow != NULL && !k->is_known)
		k->is_known = shadow_knows(mc, s, o, &k->window);
	const struct trace_at at = trace_at_slot(o, k);
	return trace_span(mc, s, o, s->mask, &k->window, &at, is_write);
}

static void load_span(struct machine *mc, struct strip *s, const struct op *o,
		      const struct span_slot *k)
{
	const uint8_t *host = k->host + (o->offset - k->offset);
	const op_ref *list = mc->l->m->lists + o->list;
	for (uint32_t i = 0; i < o->vec; i++, host += o->size) {
		void *d = machine_lanes(mc, s, list[i]);
		if (k->shape != SPAN_ANY)
			k->load(d, host, k->row, s->n);
		else
			mc->lanes->gather(d, host, k->at, o->size, s->n,
					  s->mask, k->patterns);
	}
}

static void store_span(struct machine *mc, struct strip *s, const struct op *o,
		       const struct span_slot *k)
{
	uint8_t *host = k->host + (o->offset - k->offset);
	const op_ref *list = mc->l->m->lists + o->list;
	for (uint32_t i = 0; i < o->vec; i++, host += o->size) {
		const void *r = machine_lanes(mc, s, list[i]);
		if (k->shape == SPAN_UNIT)
			mc->lanes->store_unit[__builtin_ctz(o->size)](
				r, host, k->row, s->n);
		else
			mc->lanes->scatter(r, host, k->at, o->size, s->n,
					   s->mask);
	}
}

/* Without the help of a slot. */
static enum step load_plainly(struct machine *mc, struct strip *s,
			      const struct op *o, const uint32_t *mask)
{
	struct window w;
	struct lane_span span;
	int64_t delta;
	uint8_t patterns[STRIP_LANES / 16 + 1];
	if (o->space == SPACE_FRAME) {
		frame_access(mc, s, o, mask, false);
		return STEP_NEXT;
	}
	if (mask == NULL && reach_fixed(mc, s, o, &w, &delta))
		return load_fixed(mc, s, o, &w, delta);
	if (!reach_all(mc, s, o, mask, false, &w, &span))
		return slow_access(mc, s, o, mask, false);
	if (mc->trace != NULL && !traced(mc, s, o, mask, &w, &span, false))
		return STEP_STOP;
	mc->lanes->patterns(patterns, span.at, o->size, s->n, mask);
	load_lanes(mc, s, o, mask, w.host, span.at, patterns);
	return STEP_NEXT;
}

enum step step_ld(struct machine *mc, struct strip *s, const struct op *o,
		  const uint32_t *mask, UNUSED uint32_t active)
{
	const struct span_slot *k = span_of(mc, s, o, mask);
	if (k == NULL)
		return load_plainly(mc, s, o, mask);
	if (mc->trace != NULL && !traced_slot(mc, s, o, false))
		return STEP_STOP;
	load_span(mc, s, o, k);
	return STEP_NEXT;
}

/* A parameter of the kernel at a known place: the same for all lanes. */
enum step step_ld_static(struct machine *mc, struct strip *s,
			 const struct op *o, const uint32_t *mask,
			 UNUSED uint32_t active)
{
	const uint8_t *host = mc->l->params + o->offset;
	if (mc->trace != NULL && mc->trace->shadow != NULL)
		shadow_param(mc, s, o, mask);
	for (uint32_t k = 0; k < o->vec; k++, host += o->size) {
		op_ref r = mc->l->m->lists[o->list + k];
		void *d = machine_lanes(mc, s, r);
		if (mask == NULL) {
			load_uniform(mc, d, host, o->size, s->n);
			continue;
		}
		for (uint32_t i = 0; i < s->n; i++) {
			if (mask[i] != 0)
				lane_put(d, i, host, o->size);
		}
	}
	return STEP_NEXT;
}

enum step step_st(struct machine *mc, struct strip *s, const struct op *o,
		  const uint32_t *mask, UNUSED uint32_t active)
{
	struct window w;
	struct lane_span span;
	const struct span_slot *k = span_of(mc, s, o, mask);
	if (k != NULL && k->is_writable && k->shape != SPAN_SAME) {
		if (mc->trace != NULL && !traced_slot(mc, s, o, true))
			return STEP_STOP;
		store_span(mc, s, o, k);
		return STEP_NEXT;
	}
	if (o->space == SPACE_FRAME) {
		frame_access(mc, s, o, mask, true);
		return STEP_NEXT;
	}
	if (!reach_all(mc, s, o, mask, true, &w, &span))
		return slow_access(mc, s, o, mask, true);
	if (mc->trace != NULL && !traced(mc, s, o, mask, &w, &span, true))
		return STEP_STOP;
	for (uint32_t i = 0; i < o->vec; i++) {
		const void *r =
			machine_lanes(mc, s, mc->l->m->lists[o->list + i]);
		mc->lanes->scatter(r, w.host + (size_t)i * o->size, span.at,
				   o->size, s->n, mask);
	}
	return STEP_NEXT;
}

enum step step_isspacep(struct machine *mc, struct strip *s, const struct op *o,
			const uint32_t *mask, UNUSED uint32_t active)
{
	const uint64_t *a = machine_lanes(mc, s, o->a);
	uint32_t *d = machine_lanes(mc, s, o->d);
	for (uint32_t i = 0; i < s->n; i++) {
		if (!lane_is_on(mask, i))
			continue;
		uint64_t window = a[i] >> 40 != 0 ? 0 : a[i] >> WINDOW_SHIFT;
		bool is = false;
		if (o->space == SPACE_GLOBAL)
			is = a[i] >> 40 != 0 && o->flags == 0;
		else if (o->space == SPACE_SHARED)
			is = window == 1;
		else if (o->space == SPACE_LOCAL)
			is = window == 2;
		else if (o->space == SPACE_PARAM)
			is = window == 3;
		d[i] = is ? UINT32_MAX : 0;
	}
	return STEP_NEXT;
}
