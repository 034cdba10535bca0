/*
 * Tags follow values: a result has the tags of what it was made from, except
 * that a float result is a marked NaN exactly when it is a NaN, and that
 * comparing floats does not look at a NaN's bits.
 */
#include "gpu/exec/priv/shadow.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/exec/priv/trace.h"

static void *zeroed(size_t n, bool *ok)
{
	void *p = calloc(n + 1, 1);
	*ok = *ok && p != NULL;
	return p;
}

enum err shadow_new(const struct launch *l, struct shadow **ret_shadow)
{
	bool ok = true;
	struct shadow *h = zeroed(sizeof(*h), &ok);
	if (h == NULL)
		return ERR_NO_MEMORY;
	h->lanes = l->stride / 4;
	h->zero = zeroed(h->lanes, &ok);
	h->shared = zeroed(l->shared_bytes * sizeof(*h->shared), &ok);
	for (uint32_t k = 0; k < l->strip_count; k++) {
		h->tags[k] = zeroed((size_t)l->m->unit_count * h->lanes, &ok);
		h->local[k] = zeroed((size_t)h->lanes * l->m->local_bytes, &ok);
		h->frames[k] =
			zeroed((size_t)h->lanes * l->m->frame_bytes, &ok);
	}
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
		free(h->tags[k]);
		free(h->local[k]);
		free(h->frames[k]);
	}
	free(h->zero);
	free(h->shared);
	free(h->global);
	free(h);
}

void shadow_start(struct machine *mc)
{
	const struct launch *l = mc->l;
	struct shadow *h = mc->trace->shadow;
	uint32_t first = l->m->first_unit;
	for (uint32_t k = 0; k < l->strip_count; k++) {
		memset(h->tags[k] + (size_t)first * h->lanes, TAG_UNSET,
		       (size_t)(l->m->unit_count - first) * h->lanes);
		memset(h->local[k], TAG_UNSET,
		       (size_t)h->lanes * l->m->local_bytes);
		memset(h->frames[k], TAG_UNSET,
		       (size_t)h->lanes * l->m->frame_bytes);
	}
	memset(h->shared, 0, l->shared_bytes * sizeof(*h->shared));
	for (uint64_t i = 0; i < l->shared_bytes; i++)
		h->shared[i].tag = TAG_UNSET;
	h->first.outcome = EXEC_OK;
	h->epoch++;
}

void shadow_barrier(struct shadow *h)
{
	h->epoch++;
}

void shadow_warp_barrier(struct shadow *h, uint32_t warp)
{
	h->warp_epoch[warp]++;
}

uint8_t *shadow_tags(const struct machine *mc, const struct strip *s, op_ref r)
{
	const struct shadow *h = mc->trace->shadow;
	if (r == REF_NONE || (r & REF_CONST) != 0)
		return h->zero;
	return h->tags[s->first / STRIP_LANES] + (size_t)r * h->lanes;
}

void shadow_find(struct machine *mc, struct strip *s, const struct op *o,
		 enum exec_reason kind, uint32_t lane, uint64_t address)
{
	struct shadow *h = mc->trace->shadow;
	h->finding_total++;
	if (h->first.outcome == EXEC_OK)
		h->first = (struct end){.outcome = EXEC_VOID,
					.reason = kind,
					.op = (uint32_t)(o - mc->ops),
					.thread = s->first + lane,
					.address = address};
	for (uint32_t i = 0; i < h->finding_count; i++) {
		if (h->findings[i].kind == kind &&
		    h->findings[i].line == o->line) {
			h->findings[i].count++;
			return;
		}
	}
	if (h->finding_count == EXEC_FINDINGS_MAX)
		return;
	h->findings[h->finding_count++] =
		(struct exec_finding){.kind = kind,
				      .line = o->line,
				      .source_line = o->source_line,
				      .cta = mc->cta,
				      .thread = s->first + lane,
				      .address = address,
				      .count = 1};
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

/* Any tag among n lanes? */
static bool any_tag(const struct shadow *h, const uint8_t *t, uint32_t n)
{
	uint8_t any = 0;
	if (t == h->zero)
		return false;
	for (uint32_t i = 0; i < n; i++)
		any |= t[i];
	return any != 0;
}

void shadow_decide(struct machine *mc, struct strip *s, const struct op *o)
{
	const uint8_t *t = shadow_tags(mc, s, o->guard);
	if (!any_tag(mc->trace->shadow, t, s->n))
		return;
	for (uint32_t i = 0; i < s->n; i++) {
		if (t[i] == 0 || !lane_is_on(s->mask, i))
			continue;
		if ((t[i] & TAG_UNSET) != 0)
			shadow_find(mc, s, o, EXEC_REASON_uninitialised, i, 0);
		if ((t[i] & TAG_NAN) != 0)
			shadow_nan(mc, s, o, i);
	}
}

void shadow_use(struct machine *mc, struct strip *s, const struct op *o,
		op_ref r, uint32_t lane)
{
	uint8_t t = shadow_tags(mc, s, r)[lane];
	if ((t & TAG_UNSET) != 0)
		shadow_find(mc, s, o, EXEC_REASON_uninitialised, lane, 0);
	if ((t & TAG_NAN) != 0)
		shadow_nan(mc, s, o, lane);
}

enum rule {
	RULE_FOLLOW, /* all sources */
	RULE_COPY,   /* the one source, as it is */
	RULE_SELECT, /* the one that was selected, and the selector */
	RULE_FLOAT,  /* NaN or not by the result; widths below */
	RULE_VALUE,  /* a NaN's bits do not matter */
};

static enum rule rule_of(const struct op *o, uint32_t *ret_bytes)
{
	*ret_bytes = 4;
	if (o->id >= OP_eq_f32 && o->id <= OP_nan_f64)
		return RULE_VALUE;
	switch (o->id) {
	case OP_mov_32:
	case OP_mov_64:
		return RULE_COPY;
	case OP_selp_16:
	case OP_selp_32:
	case OP_selp_64:
	case OP_slct_16_s32:
	case OP_slct_32_s32:
	case OP_slct_64_s32:
	case OP_slct_16_f32:
	case OP_slct_32_f32:
	case OP_slct_64_f32:
		return RULE_SELECT;
	case OP_testp_f32:
	case OP_testp_f64:
	case OP_int_f32:
	case OP_int_f64:
	case OP_clamp_f32:
	case OP_clamp_f64:
		return RULE_VALUE;
	case OP_copysign_f32:
	case OP_copysign_f64:
		return RULE_FOLLOW;
	case OP_f32_f16:
	case OP_f32_bf16:
	case OP_f32_f64:
	case OP_round_f32:
	case OP_copy_f32:
		return RULE_FLOAT;
	case OP_f64_f32:
	case OP_round_f64:
	case OP_copy_f64:
		*ret_bytes = 8;
		return RULE_FLOAT;
	case OP_f16_f32:
	case OP_bf16_f32:
	case OP_f16_f64:
		*ret_bytes = 2;
		return RULE_FLOAT;
	default:
		break;
	}
	*ret_bytes = o->result_bytes;
	return o->csr != 0 ? RULE_FLOAT : RULE_FOLLOW;
}

/* Results only: they have the common bits, which are NaNs in f16 and bf16. */
static bool is_nan_value(uint64_t v, uint32_t bytes)
{
	if (bytes == 8)
		return (v & INT64_MAX) > 0x7ff0000000000000u;
	if (bytes == 4)
		return (v & 0x7fffffffu) > 0x7f800000u;
	if (bytes == RESULT_PAIR)
		return (v & 0x7fffu) > 0x7f80u || (v >> 16 & 0x7fffu) > 0x7f80u;
	return bytes == 2 && (v & 0x7fffu) > 0x7f80u;
}

static uint64_t lane_value(struct machine *mc, struct strip *s, op_ref r,
			   uint32_t bytes, uint32_t lane)
{
	const void *p = machine_lanes(mc, s, r);
	return bytes == 8 ? ((const uint64_t *)p)[lane]
			  : ((const uint32_t *)p)[lane];
}

/* Did the selection of lane i take the first operand? */
static bool took_first(struct machine *mc, struct strip *s, const struct op *o,
		       uint32_t i)
{
	uint32_t c = ((const uint32_t *)machine_lanes(mc, s, o->c))[i];
	if (o->id == OP_selp_16 || o->id == OP_selp_32 || o->id == OP_selp_64)
		return c != 0;
	bool is_int = o->id == OP_slct_16_s32 || o->id == OP_slct_32_s32 ||
		      o->id == OP_slct_64_s32;
	if (is_int)
		return (int32_t)c >= 0;
	return !is_nan_value(c, 4) && ((int32_t)c >= 0 || c == 0x80000000u);
}

static bool any_nan(struct machine *mc, struct strip *s, op_ref r,
		    uint32_t bytes)
{
	bool any = false;
	if (bytes == 4) {
		const uint32_t *v = machine_lanes(mc, s, r);
		for (uint32_t i = 0; i < s->n; i++)
			any |= (v[i] & 0x7fffffffu) > 0x7f800000u;
		return any;
	}
	for (uint32_t i = 0; i < s->n; i++)
		any |= is_nan_value(lane_value(mc, s, r, bytes, i), bytes);
	return any;
}

static void clear_tags(uint8_t *t, uint32_t n, const uint32_t *mask)
{
	if (mask == NULL) {
		memset(t, 0, n);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		t[i] = mask[i] != 0 ? 0 : t[i];
}

/* The common case: no tag goes in, none comes out. */
static bool is_clean(struct machine *mc, struct strip *s, const struct op *o,
		     enum rule rule, uint32_t bytes)
{
	const struct shadow *h = mc->trace->shadow;
	return !any_tag(h, shadow_tags(mc, s, o->a), s->n) &&
	       !any_tag(h, shadow_tags(mc, s, o->b), s->n) &&
	       !any_tag(h, shadow_tags(mc, s, o->c), s->n) &&
	       !any_tag(h, shadow_tags(mc, s, o->f), s->n) &&
	       (rule != RULE_FLOAT || !any_nan(mc, s, o->d, bytes));
}

void shadow_lanes(struct machine *mc, struct strip *s, const struct op *o,
		  const uint32_t *mask)
{
	const uint8_t *a = shadow_tags(mc, s, o->a);
	const uint8_t *b = shadow_tags(mc, s, o->b);
	const uint8_t *c = shadow_tags(mc, s, o->c);
	const uint8_t *f = shadow_tags(mc, s, o->f);
	uint8_t *d = shadow_tags(mc, s, o->d);
	uint32_t bytes;
	enum rule rule = rule_of(o, &bytes);
	if (is_clean(mc, s, o, rule, bytes)) {
		clear_tags(d, s->n, mask);
		if (o->e != REF_NONE)
			clear_tags(shadow_tags(mc, s, o->e), s->n, mask);
		return;
	}
	for (uint32_t i = 0; i < s->n; i++) {
		if (!lane_is_on(mask, i))
			continue;
		uint8_t t = (a[i] | b[i] | c[i] | f[i]) & (uint8_t)~TAG_PURE;
		if (rule == RULE_COPY)
			t = a[i];
		if (rule == RULE_SELECT)
			t = (c[i] & (uint8_t)~TAG_PURE) |
			    (took_first(mc, s, o, i) ? a[i] : b[i]);
		if (rule == RULE_VALUE || rule == RULE_FLOAT)
			t &= (uint8_t)~TAG_NAN;
		if (rule == RULE_FLOAT &&
		    is_nan_value(lane_value(mc, s, o->d, bytes, i), bytes))
			t |= TAG_NAN | tag_pure(bytes);
		if (o->e != REF_NONE)
			shadow_tags(mc, s, o->e)[i] = t;
		d[i] = t;
	}
}

void shadow_step(struct machine *mc, struct strip *s, const struct op *o,
		 const uint32_t *mask)
{
	const uint8_t *a = shadow_tags(mc, s, o->a);
	bool warp = o->id == OP_vote || o->id == OP_match || o->id == OP_redux;
	for (uint32_t i = 0; i < s->n; i++) {
		uint8_t t = o->id == OP_isspacep ? a[i] : 0;
		if (!lane_is_on(mask, i))
			continue;
		for (uint32_t k = i & ~31u; warp && k < s->n && k <= (i | 31u);
		     k++)
			t |= lane_is_on(mask, k) ? a[k] & (uint8_t)~TAG_PURE
						 : 0;
		shadow_tags(mc, s, o->d)[i] = t;
		if (o->e != REF_NONE)
			shadow_tags(mc, s, o->e)[i] = t;
	}
}

void shadow_clear(struct machine *mc, struct strip *s, op_ref r,
		  const uint32_t *mask)
{
	uint8_t *t = shadow_tags(mc, s, r);
	for (uint32_t i = 0; i < s->n; i++) {
		if (lane_is_on(mask, i))
			t[i] = 0;
	}
}

void shadow_shuffle(struct machine *mc, struct strip *s, const struct op *o,
		    uint32_t i, uint32_t j, bool is_member, const uint8_t *old)
{
	uint8_t t = is_member ? old[j & 31u] : TAG_UNSET;
	t |= (shadow_tags(mc, s, o->b)[i] | shadow_tags(mc, s, o->c)[i]) &
	     (uint8_t)~TAG_PURE;
	shadow_tags(mc, s, o->d)[i] = t;
	if (o->e != REF_NONE)
		shadow_tags(mc, s, o->e)[i] = 0;
}

void shadow_frame(struct machine *mc, struct strip *s, const struct op *o,
		  uint32_t lane, uint64_t at, bool is_write)
{
	uint8_t *frame = mc->trace->shadow->frames[s->first / STRIP_LANES];
	for (uint32_t k = 0; k < o->vec; k++, at += o->size) {
		uint8_t *r =
			shadow_tags(mc, s, mc->l->m->lists[o->list + k]) + lane;
		if (is_write) {
			memset(frame + at, *r, o->size);
			continue;
		}
		*r = frame[at];
		for (uint32_t b = 1; b < o->size; b++)
			*r = tag_join(*r, frame[at + b]);
		*r &= TAG_UNSET | TAG_NAN | tag_pure(o->size);
	}
}

void shadow_enter(struct machine *mc, struct strip *s, const struct function *f,
		  const uint32_t *mask)
{
	struct shadow *h = mc->trace->shadow;
	const struct exec_module *m = mc->l->m;
	uint32_t strip = s->first / STRIP_LANES;
	for (uint32_t i = 0; i < s->n; i++) {
		if (!lane_is_on(mask, i))
			continue;
		for (uint32_t k = 0; k < f->packed_units; k++)
			h->tags[strip][(size_t)(f->placed_unit + k) * h->lanes +
				       i] = TAG_UNSET;
		for (uint32_t k = 0; k < m->local_slot_count; k++) {
			const struct slot *v = &m->local_slots[k];
			if (v->owner == f->ptx_index)
				memset(h->local[strip] +
					       (size_t)i * m->local_bytes +
					       v->at,
				       TAG_UNSET, v->bytes);
		}
	}
}

void shadow_copy(struct machine *mc, struct strip *s, const struct call_copy *c,
		 uint32_t lane)
{
	uint8_t *frame = mc->trace->shadow->frames[s->first / STRIP_LANES] +
			 (size_t)lane * mc->l->m->frame_bytes;
	uint8_t t = 0;
	if (c->from_ref == REF_NONE && c->to_ref == REF_NONE) {
		memmove(frame + c->to_at, frame + c->from_at, c->bytes);
		return;
	}
	if (c->from_ref != REF_NONE)
		t = shadow_tags(mc, s, c->from_ref)[lane];
	if (c->from_ref == REF_NONE)
		t = frame[c->from_at];
	for (uint32_t b = 1; c->from_ref == REF_NONE && b < c->bytes; b++)
		t = tag_join(t, frame[c->from_at + b]);
	if (c->to_ref != REF_NONE)
		shadow_tags(mc, s, c->to_ref)[lane] = t;
	else
		memset(frame + c->to_at, t, c->bytes);
}
