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
	if (mc->trace != NULL)
		return false;
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
			struct window *w)
{
	if (mc->trace != NULL || (o->a & REF_CONST) == 0)
		return false;
	uint64_t a = lane_address(mc, s, o, 0);
	uint32_t size = (uint32_t)o->size * o->vec;
	if (!machine_window(mc, s, (enum op_space)o->space, a, w) ||
	    w->is_per_lane || w->bytes < size ||
	    a - w->base > w->bytes - size || a % size != 0)
		return false;
	w->host += a - w->base;
	return true;
}

static enum step load_fixed(struct machine *mc, struct strip *s,
			    const struct op *o, const struct window *w)
{
	for (uint32_t k = 0; k < o->vec; k++)
		load_uniform(mc,
			     machine_lanes(mc, s, mc->l->m->lists[o->list + k]),
			     w->host + (size_t)k * o->size, o->size, s->n);
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

/* Does the slot hold this load's addresses, but for a constant? */
static bool slot_fits(const struct span_slot *k, const struct op *o,
		      int64_t delta)
{
	uint32_t size = (uint32_t)o->size * o->vec;
	return k->is_valid && k->size == size && k->space == o->space &&
	       delta >= -(int64_t)k->least &&
	       delta <= (int64_t)k->bytes - size - (int64_t)k->most &&
	       ((uint64_t)delta & (size - 1)) == 0;
}

/*
 * Loads from an address register that has not changed since the slot's last
 * load of this block: only the constant offset differs.  Fills the slot when
 * it does not fit; false: take another way.
 */
static bool load_kept(struct machine *mc, struct strip *s, const struct op *o,
		      const uint32_t *mask)
{
	struct span_slot *k = &s->spans[o->span_slot - 1];
	int64_t delta = o->offset - k->offset;
	if (mc->trace != NULL)
		return false;
	if (o->span_reuse == 0 || !slot_fits(k, o, delta)) {
		struct window w;
		struct lane_span span;
		k->is_valid = false;
		if (!reach_all(mc, s, o, mask, false, &w, &span))
			return false;
		uint32_t *at = s->at;
		s->at = k->at;
		*k = (struct span_slot){.is_valid = true,
					.space = o->space,
					.size = span.size,
					.offset = o->offset,
					.least = span.least,
					.most = span.most,
					.host = w.host,
					.bytes = w.bytes,
					.at = at};
		mc->lanes->patterns(k->patterns, at, o->size, s->n, mask);
		delta = 0;
	}
	load_lanes(mc, s, o, mask, k->host + delta, k->at, k->patterns);
	return true;
}

enum step step_ld(struct machine *mc, struct strip *s, const struct op *o,
		  const uint32_t *mask, UNUSED uint32_t active)
{
	struct window w;
	struct lane_span span;
	uint8_t patterns[STRIP_LANES / 16 + 1];
	if (o->space == SPACE_FRAME) {
		frame_access(mc, s, o, mask, false);
		return STEP_NEXT;
	}
	if (mask == NULL && reach_fixed(mc, s, o, &w))
		return load_fixed(mc, s, o, &w);
	if (o->span_slot != 0 && load_kept(mc, s, o, mask))
		return STEP_NEXT;
	if (!reach_all(mc, s, o, mask, false, &w, &span))
		return slow_access(mc, s, o, mask, false);
	mc->lanes->patterns(patterns, span.at, o->size, s->n, mask);
	load_lanes(mc, s, o, mask, w.host, span.at, patterns);
	return STEP_NEXT;
}

/* A parameter of the kernel at a known place: the same for all lanes. */
enum step step_ld_static(struct machine *mc, struct strip *s,
			 const struct op *o, const uint32_t *mask,
			 UNUSED uint32_t active)
{
	const uint8_t *host = mc->l->params + o->offset;
	for (uint32_t k = 0; k < o->vec; k++, host += o->size) {
		op_ref r = mc->l->m->lists[o->list + k];
		void *d = machine_lanes(mc, s, r);
		if (mc->trace != NULL && mc->trace->shadow != NULL)
			shadow_clear(mc, s, r, mask);
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
	if (o->space == SPACE_FRAME) {
		frame_access(mc, s, o, mask, true);
		return STEP_NEXT;
	}
	if (!reach_all(mc, s, o, mask, true, &w, &span))
		return slow_access(mc, s, o, mask, true);
	for (uint32_t k = 0; k < o->vec; k++) {
		const void *r =
			machine_lanes(mc, s, mc->l->m->lists[o->list + k]);
		mc->lanes->scatter(r, w.host + (size_t)k * o->size, span.at,
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

enum step step_cp_async(UNUSED struct machine *mc, UNUSED struct strip *s,
			UNUSED const struct op *o, UNUSED const uint32_t *mask,
			UNUSED uint32_t active)
{
	return STEP_NEXT;
}
