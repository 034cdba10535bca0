/*
 * The planes of a launch's registers, one lane's tags at a time, and what is
 * found.
 */
#include "gpu/exec/priv/shadow.h"
#include "gpu/exec/priv/race.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/exec/priv/trace.h"

static void *zeroed(size_t n, size_t size, bool *ok)
{
	void *p = calloc(n + 1, size);
	*ok = *ok && p != NULL;
	return p;
}

const struct track_set *track_set_of(const struct launch *l)
{
	if (l->lanes == &exec_lanes_avx512)
		return &track_avx512;
	return l->lanes == &exec_lanes_avx2 ? &track_avx2 : &track_plain;
}

static bool bytes_new(struct tag_bytes *b, uint32_t bytes)
{
	bool ok = true;
	b->bytes = bytes;
	b->unset = zeroed(bytes, 1, &ok);
	b->nan = zeroed(bytes, 1, &ok);
	b->form = zeroed(bytes / 4 + 1u, sizeof(*b->form), &ok);
	return ok;
}

static void bytes_free(struct tag_bytes *b)
{
	free(b->unset);
	free(b->nan);
	free(b->form);
}

/* All of it unset. */
static void bytes_start(struct tag_bytes *b)
{
	memset(b->unset, 0xff, b->bytes);
	if ((b->has & HAS_NAN) != 0)
		memset(b->nan, 0, b->bytes);
	if ((b->has & HAS_FORM) != 0)
		memset(b->form, 0, b->bytes / 4 * sizeof(*b->form));
	b->has = b->bytes != 0 ? HAS_UNSET : 0;
}

static bool strip_planes(const struct launch *l, struct shadow *h, uint32_t k)
{
	size_t planes = h->planes, lanes = h->stride / 4;
	uint32_t n = l->threads - k * STRIP_LANES;
	bool ok = true;
	n = n < STRIP_LANES ? n : STRIP_LANES;
	h->flags[k] = zeroed(planes, 1, &ok);
	h->unset[k] = zeroed(l->m->unit_count + 1u, h->stride, &ok);
	h->nan[k] = zeroed(l->m->unit_count + 1u, h->stride, &ok);
	h->forms[k] = zeroed(planes, sizeof(uint16_t), &ok);
	h->lane_forms[k] =
		zeroed(l->m->unit_count + 1u, lanes * sizeof(uint16_t), &ok);
	return ok && bytes_new(&h->local[k], n * l->m->local_bytes) &&
	       bytes_new(&h->frames[k], n * l->m->frame_bytes);
}

static bool shared_pages(const struct launch *l, struct shadow *h)
{
	uint32_t n = (uint32_t)(l->shared_bytes / PAGE_BYTES) + 1;
	bool ok = true;
	h->shared_pages = n;
	h->shared = zeroed(n, sizeof(*h->shared), &ok);
	for (uint32_t i = 0; ok && i < n; i++) {
		h->shared[i].buffer = UINT32_MAX;
		h->shared[i].number = i;
		ok = page_need_tags(&h->shared[i]);
	}
	return ok;
}

enum err shadow_new(const struct launch *l, struct shadow **ret_shadow)
{
	bool ok = true;
	struct shadow *h = zeroed(1, sizeof(*h), &ok);
	if (h == NULL)
		return ERR_NO_MEMORY;
	h->track = track_set_of(l);
	h->stride = l->stride;
	h->clean = l->m->unit_count + l->m->constant_units;
	h->planes = h->clean + 1;
	h->zero = zeroed(3, h->stride, &ok);
	for (int i = 0; i < 2; i++)
		h->scratch[i] = zeroed(2, h->stride, &ok);
	h->operands = aligned_alloc(64, (size_t)12 * h->stride);
	ok = ok && h->operands != NULL;
	h->flows = zeroed(l->m->op_count, sizeof(*h->flows), &ok);
	h->quiet = zeroed(l->m->op_count, sizeof(*h->quiet), &ok);
	h->param_forms =
		zeroed(l->param_bytes / 4 + 1, sizeof(*h->param_forms), &ok);
	for (uint32_t k = 0; ok && k < l->strip_count; k++)
		ok = strip_planes(l, h, k);
	ok = ok && form_setup(&h->table) && shared_pages(l, h) &&
	     race_setup(l, h) && shadow_flows(l, h) && shadow_plan_chains(l, h);
	if (!ok) {
		shadow_free(h);
		return ERR_NO_MEMORY;
	}
	*ret_shadow = h;
	return ERR_OK;
}

void shadow_free(struct shadow *h)
{
	if (h == NULL)
		return;
	for (uint32_t k = 0; k < MACHINE_STRIPS; k++) {
		free(h->flags[k]);
		free(h->unset[k]);
		free(h->nan[k]);
		free(h->forms[k]);
		free(h->lane_forms[k]);
		bytes_free(&h->local[k]);
		bytes_free(&h->frames[k]);
	}
	for (uint32_t i = 0; h->shared != NULL && i < h->shared_pages; i++) {
		free(h->shared[i].race);
		free(h->shared[i].tags);
	}
	for (int i = 0; i < 2; i++)
		free(h->scratch[i]);
	free(h->operands);
	free(h->shared);
	free(h->zero);
	free(h->flows);
	free(h->quiet);
	free(h->chains);
	free(h->chain_ops);
	free(h->param_forms);
	free(h->calm);
	free(h->lane_seen);
	free(h->arrived_seen);
	form_free(&h->table);
	free(h);
}

static void unset_shared(struct shadow *h, uint64_t at, uint64_t bytes)
{
	while (bytes > 0) {
		struct page *e = &h->shared[at / PAGE_BYTES];
		uint64_t n = PAGE_BYTES - at % PAGE_BYTES;
		n = n < bytes ? n : bytes;
		memset(e->tags->unset + at % PAGE_BYTES, 0xff, n);
		e->has |= HAS_UNSET;
		at += n;
		bytes -= n;
	}
}

/* Shared memory is unset, but for the gaps between its variables. */
static void start_shared(struct machine *mc)
{
	struct shadow *h = mc->trace->shadow;
	const struct launch *l = mc->l;
	for (uint32_t i = 0; i < h->shared_pages; i++) {
		struct page *e = &h->shared[i];
		e->host = mc->shared + (uint64_t)i * PAGE_BYTES;
		e->bytes = PAGE_BYTES;
		if (e->has != 0)
			memset(e->tags, 0, sizeof(*e->tags));
		e->has = 0;
	}
	for (uint32_t k = 0; k < l->m->shared_slot_count; k++) {
		const struct slot *v = &l->m->shared_slots[k];
		if (k == l->m->dynamic_slot)
			unset_shared(h, l->dynamic_at, l->in->shared_bytes);
		else
			unset_shared(h, v->at, v->bytes);
	}
}

static void count_dirty(struct shadow *h, uint32_t k)
{
	h->dirty[k] = QUIET_NEVER;
	memset(h->dirty_count[k], 0, sizeof(h->dirty_count[k]));
	for (uint32_t i = 0; i < h->planes; i++) {
		uint32_t bit = shadow_dirty_bit(i);
		if (h->flags[k][i] == 0)
			continue;
		h->dirty_count[k][bit]++;
		h->dirty[k] |= (uint64_t)1 << bit;
	}
}

void shadow_start(struct machine *mc)
{
	const struct launch *l = mc->l;
	struct shadow *h = mc->trace->shadow;
	form_reset(&h->table);
	for (uint32_t k = 0; k < l->strip_count; k++) {
		memset(h->flags[k], 0, h->planes);
		for (uint32_t i = 0; i < l->m->zero_run_count; i++) {
			struct place p = l->m->zero_runs[i];
			memset(h->flags[k] + p.at, FLAG_UNSET, p.bytes);
			memset(h->unset[k] + (size_t)p.at * h->stride, 0xff,
			       (size_t)p.bytes * h->stride);
		}
		bytes_start(&h->local[k]);
		bytes_start(&h->frames[k]);
	}
	start_shared(mc);
	shadow_bases(mc);
	for (uint32_t k = 0; k < l->strip_count; k++)
		count_dirty(h, k);
	h->first.outcome = EXEC_OK;
	race_start(mc);
}

static struct exec_finding *finding_at(struct shadow *h, enum exec_reason kind,
				       uint32_t line)
{
	for (uint32_t i = 0; i < h->finding_count; i++) {
		if (h->findings[i].kind == kind && h->findings[i].line == line)
			return &h->findings[i];
	}
	return NULL;
}

struct exec_finding *shadow_find(struct machine *mc, struct strip *s,
				 const struct op *o, enum exec_reason kind,
				 uint32_t lane, uint64_t address)
{
	struct shadow *h = mc->trace->shadow;
	h->finding_total++;
	if (h->first.outcome == EXEC_OK)
		h->first = (struct end){.outcome = EXEC_VOID,
					.reason = kind,
					.op = (uint32_t)(o - mc->ops),
					.thread = s->first + lane,
					.address = address};
	struct exec_finding *f = finding_at(h, kind, o->line);
	if (f != NULL) {
		f->count++;
		return NULL;
	}
	if (h->finding_count == EXEC_FINDINGS_MAX)
		return NULL;
	f = &h->findings[h->finding_count++];
	*f = (struct exec_finding){.kind = kind,
				   .line = o->line,
				   .source_line = o->source_line,
				   .cta = mc->cta,
				   .thread = s->first + lane,
				   .address = address,
				   .count = 1};
	return f;
}

void shadow_find_race(struct machine *mc, struct strip *s, const struct op *o,
		      uint32_t lane, uint64_t address, struct clash other)
{
	struct exec_finding *f =
		shadow_find(mc, s, o, EXEC_REASON_race, lane, address);
	if (f == NULL || other.op >= mc->l->m->op_count)
		return;
	f->other_line = mc->ops[other.op].line;
	f->other_source_line = mc->ops[other.op].source_line;
	f->other_thread = other.thread;
	f->other_threads = other.threads;
}

void shadow_nan(struct machine *mc, struct strip *s, const struct op *o,
		uint32_t lane)
{
	struct trace *t = mc->trace;
	if (t->nan_matters)
		return;
	t->nan_matters = true;
	t->nan_op = (uint32_t)(o - mc->ops);
	t->nan_thread = s->first + lane;
}

bool tag_is_clear(struct tag t)
{
	return t.unset == 0 && t.nan == 0 && t.form == FORM_CLEAN;
}

bool nan_is_whole(uint64_t codes, uint32_t size)
{
	for (uint32_t k = 0; k < size;) {
		uint64_t c = codes >> (8 * k);
		if (k + 8 <= size && c == NAN_WORD64)
			k += 8;
		else if (k + 4 <= size && (uint32_t)c == NAN_WORD32)
			k += 4;
		else if (k + 2 <= size && (uint16_t)c == NAN_WORD16)
			k += 2;
		else if (k + 2 <= size && (uint16_t)c == 0)
			k += 2;
		else if ((uint8_t)c == 0)
			k++;
		else
			return false;
	}
	return true;
}

static uint64_t plane_value(const uint8_t *planes, size_t stride, uint32_t at,
			    uint32_t lane, bool wide)
{
	const void *p = planes + at * stride;
	return wide ? ((const uint64_t *)p)[lane] : ((const uint32_t *)p)[lane];
}

struct tag shadow_tag(const struct machine *mc, const struct strip *s, op_ref r,
		      uint32_t lane, bool wide)
{
	const struct shadow *h = mc->trace->shadow;
	uint32_t k = s->first / STRIP_LANES, at = shadow_plane(mc, h, r);
	uint8_t flags = h->flags[k][at];
	struct tag t = {0};
	if ((flags & FLAG_UNSET) != 0)
		t.unset = plane_value(h->unset[k], h->stride, at, lane, wide);
	if ((flags & FLAG_NAN) != 0)
		t.nan = plane_value(h->nan[k], h->stride, at, lane, wide);
	if ((flags & FLAG_FORM) != 0)
		t.form = h->forms[k][at];
	if (t.form == FORM_VARIED)
		t.form = h->lane_forms[k][(size_t)at * (h->stride / 4) + lane];
	return t;
}

static void set_value(uint8_t *planes, size_t stride, uint32_t at,
		      uint32_t lane, bool wide, bool is_valid, uint64_t v)
{
	void *p = planes + at * stride;
	if (!is_valid)
		memset(p, 0, wide ? 2 * stride : stride);
	if (wide)
		((uint64_t *)p)[lane] = v;
	else
		((uint32_t *)p)[lane] = (uint32_t)v;
}

void shadow_put_form(struct machine *mc, struct strip *s, uint32_t at,
		     const uint32_t *mask, uint16_t form, const uint16_t *lanes)
{
	struct shadow *h = mc->trace->shadow;
	uint32_t k = s->first / STRIP_LANES;
	uint16_t *v = h->lane_forms[k] + (size_t)at * (h->stride / 4);
	uint8_t flags = h->flags[k][at];
	uint16_t old = (flags & FLAG_FORM) != 0 ? h->forms[k][at] : FORM_CLEAN;
	flags &= (uint8_t)~FLAG_FORM;
	if (lanes == NULL && (mask == NULL || old == form)) {
		h->forms[k][at] = form;
		flags |= form != FORM_CLEAN ? FLAG_FORM : 0;
		shadow_put_flags(h, k, at, flags);
		return;
	}
	for (uint32_t i = 0; old != FORM_VARIED && i < s->n; i++)
		v[i] = old;
	uint32_t lo = shadow_low(s), n = shadow_high(s);
	uint16_t any = lo > 0 || n < s->n;
	for (uint32_t i = lo; i < n; i++) {
		uint16_t x = lanes == NULL ? form : lanes[i];
		v[i] = mask == NULL || mask[i] != 0 ? x : v[i];
		any |= v[i];
	}
	h->forms[k][at] = FORM_VARIED;
	flags |= any != 0 ? FLAG_FORM : 0;
	shadow_put_flags(h, k, at, flags);
}

static void set_form(struct shadow *h, uint32_t k, uint32_t at, uint32_t lane,
		     uint16_t form)
{
	uint32_t lanes = h->stride / 4;
	uint16_t *f = &h->forms[k][at];
	uint16_t *v = h->lane_forms[k] + (size_t)at * lanes;
	uint16_t old = (h->flags[k][at] & FLAG_FORM) != 0 ? *f : FORM_CLEAN;
	if (old == form)
		return;
	for (uint32_t i = 0; old != FORM_VARIED && i < lanes; i++)
		v[i] = old;
	v[lane] = form;
	*f = FORM_VARIED;
	shadow_put_flags(h, k, at, h->flags[k][at] | FLAG_FORM);
}

void shadow_set_tag(struct machine *mc, struct strip *s, op_ref r,
		    uint32_t lane, bool wide, struct tag t)
{
	struct shadow *h = mc->trace->shadow;
	uint32_t k = s->first / STRIP_LANES, at = shadow_plane(mc, h, r);
	bool unset = (h->flags[k][at] & FLAG_UNSET) != 0;
	bool nan = (h->flags[k][at] & FLAG_NAN) != 0;
	if (at == h->clean)
		return;
	if (unset || t.unset != 0)
		set_value(h->unset[k], h->stride, at, lane, wide, unset,
			  t.unset);
	if (nan || t.nan != 0)
		set_value(h->nan[k], h->stride, at, lane, wide, nan, t.nan);
	set_form(h, k, at, lane, t.form);
	shadow_put_flags(h, k, at,
			 (uint8_t)(h->flags[k][at] |
				   (t.unset != 0 ? FLAG_UNSET : 0) |
				   (t.nan != 0 ? FLAG_NAN : 0)));
}

/* What a masked write leaves of a plane. */
static bool clear_lanes(const struct strip *s, uint32_t *p,
			const uint32_t *mask, bool wide)
{
	uint32_t lo = shadow_low(s), n = shadow_high(s);
	uint64_t *q = (void *)p;
	uint64_t rest = lo > 0 || n < s->n;
	for (uint32_t i = lo; wide && i < n; i++) {
		q[i] = mask[i] != 0 ? 0 : q[i];
		rest |= q[i];
	}
	for (uint32_t i = lo; !wide && i < n; i++) {
		p[i] &= ~mask[i];
		rest |= p[i];
	}
	return rest != 0;
}

void shadow_clear(struct machine *mc, struct strip *s, op_ref r, bool wide,
		  const uint32_t *mask)
{
	struct shadow *h = mc->trace->shadow;
	uint32_t k = s->first / STRIP_LANES, at = shadow_plane(mc, h, r);
	uint8_t flags = h->flags[k][at];
	if (flags == 0)
		return;
	if (mask == NULL) {
		shadow_put_flags(h, k, at, 0);
		return;
	}
	void *unset = h->unset[k] + (size_t)at * h->stride;
	void *nan = h->nan[k] + (size_t)at * h->stride;
	if ((flags & FLAG_UNSET) != 0 && !clear_lanes(s, unset, mask, wide))
		flags &= (uint8_t)~FLAG_UNSET;
	if ((flags & FLAG_NAN) != 0 && !clear_lanes(s, nan, mask, wide))
		flags &= (uint8_t)~FLAG_NAN;
	shadow_put_flags(h, k, at, flags);
	if ((flags & FLAG_FORM) != 0)
		shadow_put_form(mc, s, at, mask, FORM_CLEAN, NULL);
}

void shadow_use(struct machine *mc, struct strip *s, const struct op *o,
		op_ref r, uint32_t lane)
{
	struct tag t = shadow_tag(mc, s, r, lane, false);
	if (t.unset != 0)
		shadow_find(mc, s, o, EXEC_REASON_uninitialised, lane, 0);
	if (t.nan != 0)
		shadow_nan(mc, s, o, lane);
	if (t.form != FORM_CLEAN)
		shadow_find(mc, s, o, EXEC_REASON_address_leak, lane, 0);
}

void shadow_use_all(struct machine *mc, struct strip *s, const struct op *o,
		    op_ref r, const uint32_t *mask)
{
	const struct shadow *h = mc->trace->shadow;
	if (h->flags[s->first / STRIP_LANES][shadow_plane(mc, h, r)] == 0)
		return;
	for (uint32_t i = shadow_low(s); i < shadow_high(s); i++) {
		if (lane_is_on(mask, i))
			shadow_use(mc, s, o, r, i);
	}
}

void shadow_decide(struct machine *mc, struct strip *s, const struct op *o)
{
	shadow_use_all(mc, s, o, o->guard, s->mask);
}

/* Of several lanes' values together. */
static struct tag join(struct tag a, struct tag b)
{
	a.unset |= b.unset;
	a.nan |= b.nan;
	a.form = a.form == b.form ? a.form : FORM_MIXED;
	return a;
}

static struct tag spread(struct tag t)
{
	return (struct tag){.unset = t.unset != 0 ? UINT32_MAX : 0,
			    .nan = t.nan != 0 ? NAN_MARK * 0x01010101u : 0,
			    .form = t.form == FORM_CLEAN ? FORM_CLEAN
							 : FORM_MIXED};
}

/* What lane i gets of the lanes that it meets. */
static struct tag met(struct machine *mc, struct strip *s, const struct op *o,
		      const uint32_t *mask, const struct tag *old, uint32_t i)
{
	struct tag t = {0};
	for (uint32_t k = i & ~31u; k < s->n && k <= (i | 31u); k++) {
		if (lane_is_on(mask, k) && shadow_meets(mc, s, o, i, k))
			t = join(t, spread(old[k]));
	}
	return t;
}

void shadow_step(struct machine *mc, struct strip *s, const struct op *o,
		 const uint32_t *mask)
{
	const struct shadow *h = mc->trace->shadow;
	uint8_t flags =
		h->flags[s->first / STRIP_LANES][shadow_plane(mc, h, o->a)];
	bool wide = o->id == OP_isspacep || (o->id == OP_match && o->size == 8);
	struct tag old[STRIP_LANES];
	bool tagged = flags != 0 && o->id != OP_activemask;
	for (uint32_t i = 0; tagged && i < s->n; i++)
		old[i] = shadow_tag(mc, s, o->a, i, wide);
	shadow_clear(mc, s, o->d, false, mask);
	shadow_clear(mc, s, o->e, false, mask);
	for (uint32_t i = 0; tagged && i < s->n; i++) {
		if (!lane_is_on(mask, i))
			continue;
		struct tag t = o->id == OP_isspacep
				       ? spread(old[i])
				       : met(mc, s, o, mask, old, i);
		/* Which space an address is in depends on its base alone. */
		if (o->id == OP_isspacep)
			t.form = FORM_CLEAN;
		shadow_set_tag(mc, s, o->d, i, false, t);
		shadow_set_tag(mc, s, o->e, i, false, t);
	}
}

/* Of all that a warp's lanes read. */
static struct tag warp_tag(struct machine *mc, struct strip *s,
			   const struct op *o, uint32_t first)
{
	const struct shadow *h = mc->trace->shadow;
	bool wide = o->id == OP_spread;
	struct tag t = {0};
	for (uint32_t k = o->vec; k < o->vec + o->target; k++) {
		op_ref r = mc->l->m->lists[o->list + k];
		if (h->flags[s->first / STRIP_LANES][shadow_plane(mc, h, r)] ==
		    0)
			continue;
		for (uint32_t i = first; i < first + 32 && i < s->n; i++)
			t = join(t, spread(shadow_tag(mc, s, r, i, wide)));
	}
	return t;
}

void shadow_matrix(struct machine *mc, struct strip *s, const struct op *o,
		   const uint32_t *mask)
{
	bool wide = o->id == OP_collect;
	struct tag t[STRIP_LANES / 32];
	for (uint32_t i = 0; i < s->n; i += 32) {
		struct tag *w = &t[i / 32];
		*w = warp_tag(mc, s, o, i);
		if (wide && w->unset != 0)
			w->unset = UINT64_MAX;
		if (wide && w->nan != 0)
			w->nan = NAN_MARK * 0x0101010101010101u;
	}
	for (uint32_t k = 0; k < o->vec; k++) {
		op_ref r = mc->l->m->lists[o->list + k];
		shadow_clear(mc, s, r, wide, mask);
		for (uint32_t i = 0; i < s->n; i++) {
			if (lane_is_on(mask, i) && !tag_is_clear(t[i / 32]))
				shadow_set_tag(mc, s, r, i, wide, t[i / 32]);
		}
	}
}

void shadow_shuffle(struct machine *mc, struct strip *s, const struct op *o,
		    uint32_t i, bool is_member, struct tag old)
{
	struct tag how = join(spread(shadow_tag(mc, s, o->b, i, false)),
			      spread(shadow_tag(mc, s, o->c, i, false)));
	struct tag t = old;
	if (!is_member)
		t = (struct tag){.unset = UINT32_MAX};
	if (!tag_is_clear(how))
		t = join(spread(t), how);
	shadow_set_tag(mc, s, o->d, i, false, t);
	shadow_set_tag(mc, s, o->e, i, false, how);
}
