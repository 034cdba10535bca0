/*
 * Tags of bytes: what a load takes along and what a store of a tagged value
 * means.
 */
#include <string.h>

#include "base/must.h"
#include "gpu/exec/priv/half.h"
#include "gpu/exec/priv/op_list.h"
#include "gpu/exec/priv/shadow.h"
#include "gpu/exec/priv/trace.h"

/* Where the tags of some bytes are kept. */
struct tag_place {
	uint8_t *unset, *nan;
	uint16_t *form; /* of words; NULL: none are kept */
	uint8_t *has;
	uint32_t at;
};

static uint64_t get_bytes(const uint8_t *p, uint32_t size)
{
	uint64_t v = 0;
	memcpy(&v, p, size);
	return v;
}

static struct tag load_tag(struct shadow *h, const struct tag_place *p,
			   uint32_t size)
{
	struct tag t = {0};
	if ((*p->has & HAS_UNSET) != 0)
		t.unset = get_bytes(p->unset + p->at, size);
	if ((*p->has & HAS_NAN) != 0)
		t.nan = get_bytes(p->nan + p->at, size);
	if ((*p->has & HAS_FORM) == 0 || p->form == NULL)
		return t;
	const uint16_t *f = p->form + p->at / 4;
	if (size == 8)
		t.form = form_join(&h->table, f[0], f[1]);
	else if (size == 4)
		t.form = f[0];
	else
		t.form = f[0] == FORM_CLEAN ? FORM_CLEAN : FORM_MIXED;
	return t;
}

static void store_form(struct shadow *h, const struct tag_place *p,
		       uint32_t size, uint16_t form)
{
	uint16_t *f = p->form + p->at / 4;
	if (size >= 4) {
		f[0] = form;
		if (size == 8)
			f[1] = form_high(&h->table, form);
	} else if (form != FORM_CLEAN || f[0] != FORM_CLEAN) {
		f[0] = FORM_MIXED;
	}
	*p->has |= form != FORM_CLEAN ? HAS_FORM : 0;
}

static void store_tag(struct shadow *h, const struct tag_place *p,
		      uint32_t size, struct tag t)
{
	if (t.unset != 0 || (*p->has & HAS_UNSET) != 0) {
		memcpy(p->unset + p->at, &t.unset, size);
		*p->has |= t.unset != 0 ? HAS_UNSET : 0;
	}
	if (t.nan != 0 || (*p->has & HAS_NAN) != 0) {
		memcpy(p->nan + p->at, &t.nan, size);
		*p->has |= t.nan != 0 ? HAS_NAN : 0;
	}
	if (p->form != NULL &&
	    (t.form != FORM_CLEAN || (*p->has & HAS_FORM) != 0))
		store_form(h, p, size, t.form);
}

static struct tag_place place_in(const struct tag_bytes *b, uint8_t *has,
				 uint64_t at)
{
	return (struct tag_place){.unset = b->unset,
				  .nan = b->nan,
				  .form = b->form,
				  .has = has,
				  .at = (uint32_t)at};
}

/* false: no tags are kept there. */
static bool place_of(struct machine *mc, struct strip *s, const struct touch *t,
		     uint32_t i, struct tag_place *ret)
{
	struct shadow *h = mc->trace->shadow;
	uint32_t k = s->first / STRIP_LANES;
	if (t->window->is_per_lane) {
		*ret = place_in(&h->local[k], &h->local[k].has,
				(uint64_t)(t->host + i - s->local));
		return true;
	}
	if (t->page == NULL)
		return false;
	if (t->page->has == 0 && !page_need_tags(t->page))
		return false;
	*ret = (struct tag_place){.unset = t->page->tags->unset,
				  .nan = t->page->tags->nan,
				  .form = t->page->tags->form,
				  .has = &t->page->has,
				  .at = t->at + i};
	return true;
}

/* Constants: addresses of the launch in parameters and initialisers. */
static uint16_t constant_form(struct machine *mc, const struct touch *t,
			      uint32_t i, uint32_t size)
{
	struct shadow *h = mc->trace->shadow;
	const struct launch *l = mc->l;
	const uint8_t *host = t->host + i;
	uint64_t at = (uint64_t)(host - l->params);
	if (host >= l->params && at < l->param_bytes) {
		const uint16_t *f = h->param_forms + at / 4;
		return size == 8	    ? form_join(&h->table, f[0], f[1])
		       : size == 4	    ? f[0]
		       : f[0] == FORM_CLEAN ? FORM_CLEAN
					    : FORM_MIXED;
	}
	uint64_t j = (t->window->base >> 40) - 0x8000u;
	if (t->window->base >> 40 == 0 || j >= l->m->variable_count)
		return FORM_CLEAN;
	return shadow_initialised(mc, (uint32_t)j,
				  (uint64_t)(host - l->variable_host[j]), size);
}

/* The tags of all elements of one access, in order. */
static uint64_t whole_nan(struct machine *mc, struct strip *s,
			  const struct op *o, uint32_t lane, uint32_t from,
			  uint32_t count)
{
	uint64_t codes = 0;
	for (uint32_t k = 0; k < count; k++) {
		struct tag t =
			shadow_tag(mc, s, mc->l->m->lists[o->list + from + k],
				   lane, o->size == 8);
		codes |= (t.nan & (UINT64_MAX >> (64 - 8 * o->size)))
			 << (8 * k * o->size);
	}
	return codes;
}

/* Are the NaN bytes that element k stores parts of NaNs that the whole access
 * stores as they are?  Looked at in groups of 8 bytes. */
static bool stores_whole(struct machine *mc, struct strip *s,
			 const struct op *o, uint32_t lane, uint32_t k)
{
	uint32_t group = o->size >= 8 ? 1 : 8u / o->size;
	uint32_t from = k / group * group;
	uint32_t count = o->vec - from < group ? o->vec - from : group;
	return nan_is_whole(whole_nan(mc, s, o, lane, from, count),
			    count * o->size);
}

static void store_element(struct machine *mc, struct strip *s,
			  const struct op *o, const struct touch *t, uint32_t k,
			  struct tag v)
{
	struct tag_place p;
	uint64_t ones = UINT64_MAX >> (64 - 8 * o->size);
	v.unset &= ones;
	v.nan &= ones;
	if (t->page != NULL && t->page->buffer != UINT32_MAX) {
		if (v.unset != 0)
			shadow_find(mc, s, o, EXEC_REASON_uninitialised,
				    t->lane, t->address);
		if (v.form != FORM_CLEAN)
			shadow_find(mc, s, o, EXEC_REASON_address_leak, t->lane,
				    t->address);
		if (v.nan != 0 && !stores_whole(mc, s, o, t->lane, k)) {
			shadow_nan(mc, s, o, t->lane);
			v.nan = 0;
		}
		v.unset = 0;
		v.form = FORM_CLEAN;
		if (v.nan == 0 && t->page->has == 0)
			return;
	}
	if (place_of(mc, s, t, k * o->size, &p))
		store_tag(mc->trace->shadow, &p, o->size, v);
}

void shadow_move(struct machine *mc, struct strip *s, const struct op *o,
		 const struct touch *t)
{
	struct shadow *h = mc->trace->shadow;
	bool wide = o->size == 8;
	for (uint32_t k = 0; k < o->vec; k++) {
		op_ref r = mc->l->m->lists[o->list + k];
		struct tag_place p;
		struct tag v = {0};
		if (t->is_write) {
			store_element(mc, s, o, t, k,
				      shadow_tag(mc, s, r, t->lane, wide));
			continue;
		}
		if (t->page != NULL && t->page->has == 0)
			;
		else if (place_of(mc, s, t, k * o->size, &p))
			v = load_tag(h, &p, o->size);
		else
			v.form = constant_form(mc, t, k * o->size, o->size);
		shadow_set_tag(mc, s, r, t->lane, wide, v);
	}
}

static struct tag any_tag(struct tag a, struct tag b)
{
	return (struct tag){.unset = (a.unset | b.unset) != 0 ? UINT64_MAX : 0,
			    .nan = (a.nan | b.nan) != 0
					   ? NAN_MARK * 0x0101010101010101u
					   : 0,
			    .form = a.form | b.form ? FORM_MIXED : FORM_CLEAN};
}

/* What part k of an atomic has in d, b and c. */
static void atomic_refs(const struct machine *mc, const struct op *o,
			uint32_t k, op_ref refs[3])
{
	const op_ref *list = mc->l->m->lists + o->list + k;
	bool is_wide = o->id == OP_atom_wide;
	refs[0] = is_wide ? list[0] : o->d;
	refs[1] = is_wide ? list[2] : o->b;
	refs[2] = !is_wide ? o->c : o->what == ATOM_CAS ? list[4] : REF_NONE;
}

/* What the lane's atomic leaves in part k of memory. */
static void atomic_store(struct machine *mc, struct strip *s,
			 const struct op *o, const struct touch *t, uint32_t k,
			 struct tag old, struct tag b, struct tag new)
{
	struct tag_place p;
	bool in_buffer = t->page->buffer != UINT32_MAX;
	new.form = FORM_CLEAN;
	if (in_buffer && new.unset != 0) {
		shadow_find(mc, s, o, EXEC_REASON_uninitialised, t->lane,
			    t->address);
		new.unset = 0;
	}
	if (o->number >= NUMBER_F && o->what != ATOM_EXCH &&
	    nan_is_whole(old.nan, o->size) && nan_is_whole(b.nan, o->size))
		new.nan = 0;
	if (in_buffer && new.nan != 0 && !nan_is_whole(new.nan, o->size)) {
		shadow_nan(mc, s, o, t->lane);
		new.nan = 0;
	}
	if (place_of(mc, s, t, k * o->size, &p))
		store_tag(mc->trace->shadow, &p, o->size, new);
}

/* An atomic's address-dependent operands and memory decide what is there. */
void shadow_atomic(struct machine *mc, struct strip *s, const struct op *o,
		   const struct touch *t)
{
	struct shadow *h = mc->trace->shadow;
	bool wide = o->size == 8;
	struct tag old[2] = {0}, b[2], all = {0};
	op_ref refs[2][3];
	struct tag_place p;
	must(o->vec <= 2);
	if (t->page == NULL)
		return;
	for (uint32_t k = 0; k < o->vec; k++) {
		if (!place_of(mc, s, t, k * o->size, &p))
			return;
		atomic_refs(mc, o, k, refs[k]);
		old[k] = load_tag(h, &p, o->size);
		b[k] = shadow_tag(mc, s, refs[k][1], t->lane, wide);
		struct tag c = shadow_tag(mc, s, refs[k][2], t->lane, wide);
		if ((b[k].form | c.form) != FORM_CLEAN)
			shadow_find(mc, s, o, EXEC_REASON_address_leak, t->lane,
				    t->address);
		all = any_tag(any_tag(all, old[k]), any_tag(b[k], c));
	}
	for (uint32_t k = 0; k < o->vec; k++) {
		if (o->flags == 0)
			shadow_set_tag(mc, s, refs[k][0], t->lane, wide,
				       old[k]);
		atomic_store(mc, s, o, t, k, old[k], b[k],
			     o->what == ATOM_EXCH ? b[k] : all);
	}
}

/* Tags of the NaNs of unspecified bits that an atomic of floats left. */
static uint64_t made_nans(const struct op *o, uint64_t v)
{
	bool bf = o->number == NUMBER_BF16;
	uint64_t codes = 0;
	if (o->number == NUMBER_F && o->size == 8)
		return (v & INT64_MAX) > 0x7ff0000000000000u ? NAN_WORD64 : 0;
	if (o->number == NUMBER_F)
		return (v & 0x7fffffffu) > 0x7f800000u ? NAN_WORD32 : 0;
	for (uint32_t at = 0; at < 8u * o->size; at += 16) {
		if (half_is_nan(v >> at & 0xffffu, bf))
			codes |= (uint64_t)NAN_WORD16 << at;
	}
	return codes;
}

void shadow_atomic_done(struct machine *mc, struct strip *s, const struct op *o,
			const struct touch *t)
{
	struct tag_place p;
	uint64_t codes = made_nans(o, get_bytes(t->host, o->size));
	if (o->number < NUMBER_F || o->what == ATOM_EXCH || codes == 0 ||
	    t->page == NULL || !place_of(mc, s, t, 0, &p))
		return;
	store_tag(mc->trace->shadow, &p, o->size, (struct tag){.nan = codes});
}

void shadow_frame(struct machine *mc, struct strip *s, const struct op *o,
		  uint32_t lane, uint64_t at, bool is_write)
{
	struct shadow *h = mc->trace->shadow;
	struct tag_bytes *b = &h->frames[s->first / STRIP_LANES];
	for (uint32_t k = 0; k < o->vec; k++, at += o->size) {
		op_ref r = mc->l->m->lists[o->list + k];
		struct tag_place p = place_in(b, &b->has, at);
		if (is_write)
			store_tag(h, &p, o->size,
				  shadow_tag(mc, s, r, lane, o->size == 8));
		else
			shadow_set_tag(mc, s, r, lane, o->size == 8,
				       load_tag(h, &p, o->size));
	}
}

static void unset_bytes(struct tag_bytes *b, uint64_t at, uint64_t bytes)
{
	b->has |= bytes != 0 ? HAS_UNSET : 0;
	memset(b->unset + at, 0xff, bytes);
	if ((b->has & HAS_NAN) != 0)
		memset(b->nan + at, 0, bytes);
	for (uint64_t w = at / 4; (b->has & HAS_FORM) && w < (at + bytes) / 4;
	     w++)
		b->form[w] = FORM_CLEAN;
}

/* The lane's registers and variables of a function that it enters. */
static void enter_lane(struct machine *mc, struct strip *s,
		       const struct function *f, uint32_t lane)
{
	struct shadow *h = mc->trace->shadow;
	const struct exec_module *m = mc->l->m;
	uint32_t strip = s->first / STRIP_LANES;
	for (uint32_t i = 0; f->entry_units != NULL && i < f->packed_units;
	     i++) {
		bool wide = f->entry_units[i] == ENTRY_WIDE;
		if (f->entry_units[i] == 0)
			continue;
		shadow_set_tag(
			mc, s, f->placed_unit + i, lane, wide,
			(struct tag){.unset = wide ? UINT64_MAX : UINT32_MAX});
		/* Its other unit has no tags of its own. */
		i += wide;
	}
	for (uint32_t k = 0; k < m->local_slot_count; k++) {
		const struct slot *v = &m->local_slots[k];
		if (v->owner == f->ptx_index)
			unset_bytes(&h->local[strip],
				    (uint64_t)lane * m->local_bytes + v->at,
				    v->bytes);
	}
	for (uint32_t k = 0; k < f->return_count; k++)
		unset_bytes(&h->frames[strip],
			    (uint64_t)lane * m->frame_bytes +
				    f->return_places[k].at,
			    f->return_places[k].bytes);
}

void shadow_enter(struct machine *mc, struct strip *s, const struct function *f,
		  const uint32_t *mask)
{
	for (uint32_t i = 0; i < s->n; i++) {
		if (lane_is_on(mask, i))
			enter_lane(mc, s, f, i);
	}
}

/* The bytes at a place of the frame move, 8 at a time. */
static void copy_bytes(struct tag_bytes *b, uint64_t to, uint64_t from,
		       uint32_t bytes)
{
	memmove(b->unset + to, b->unset + from, bytes);
	memmove(b->nan + to, b->nan + from, bytes);
	memmove(b->form + to / 4, b->form + from / 4,
		(bytes + 3) / 4 * sizeof(*b->form));
}

void shadow_copy(struct machine *mc, struct strip *s, const struct call_copy *c,
		 uint32_t lane)
{
	struct shadow *h = mc->trace->shadow;
	struct tag_bytes *b = &h->frames[s->first / STRIP_LANES];
	uint64_t frame = (uint64_t)lane * mc->l->m->frame_bytes;
	bool wide = c->bytes == 8;
	struct tag t;
	if (c->from_ref == REF_NONE && c->to_ref == REF_NONE) {
		copy_bytes(b, frame + c->to_at, frame + c->from_at, c->bytes);
		unset_bytes(b, frame + c->from_at, c->bytes);
		return;
	}
	struct tag_place from = place_in(b, &b->has, frame + c->from_at);
	struct tag_place to = place_in(b, &b->has, frame + c->to_at);
	if (c->from_ref != REF_NONE) {
		t = shadow_tag(mc, s, c->from_ref, lane, wide);
	} else {
		t = load_tag(h, &from, c->bytes);
		unset_bytes(b, frame + c->from_at, c->bytes);
	}
	if (c->to_ref != REF_NONE)
		shadow_set_tag(mc, s, c->to_ref, lane, wide, t);
	else
		store_tag(h, &to, c->bytes, t);
}
