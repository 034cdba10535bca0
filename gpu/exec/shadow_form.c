/*
 * Forms through lane operations.  Mostly all lanes have one form and one sum
 * of two forms decides for all; where lanes differ, or where a value decides
 * (a mask, a comparison with zero), lanes go one by one.
 */
#include <string.h>

#include "gpu/exec/priv/shadow.h"
#include "gpu/exec/priv/trace.h"
#include "gpu/ptx/module.h"

/* Buffers start at multiples of this on every device. */
#define BUFFER_ALIGN 256u

struct form_run {
	struct machine *mc;
	struct strip *s;
	struct shadow *h;
	const struct op *o;
	const struct flow *f;
	uint32_t strip;
};

static uint16_t form_at(const struct form_run *r, uint32_t plane, uint32_t lane)
{
	if ((r->h->flags[r->strip][plane] & FLAG_FORM) == 0)
		return FORM_CLEAN;
	uint16_t f = r->h->forms[r->strip][plane];
	size_t lanes = r->h->stride / 4;
	return f == FORM_VARIED
		       ? r->h->lane_forms[r->strip][plane * lanes + lane]
		       : f;
}

static uint64_t value_at(const struct form_run *r, op_ref ref, uint32_t lane,
			 bool wide)
{
	if (ref == REF_NONE)
		return 0;
	const void *p = machine_lanes(r->mc, r->s, ref);
	return wide ? ((const uint64_t *)p)[lane] : ((const uint32_t *)p)[lane];
}

/* What every device aligns this base to, at least. */
static uint32_t base_align(const struct launch *l, uint32_t base)
{
	uint32_t i = base & 0xfffffffu;
	uint32_t align = 1;
	switch ((enum form_space)(base >> 28)) {
	case BASE_BUFFER:
		return BUFFER_ALIGN;
	case BASE_VARIABLE:
		align = l->m->variables[i].align;
		break;
	case BASE_SHARED:
		align = l->m->shared_slots[i].align;
		break;
	case BASE_LOCAL:
		align = l->m->local_slots[i].align;
		break;
	case BASE_FUNCTION:
		return 1;
	}
	bool is_slot = base >> 28 == BASE_SHARED;
	return is_slot && align < 16 ? 16 : align;
}

/* The alignment of what form a is an address of; 0: it is none. */
static uint32_t align_of(const struct form_run *r, uint16_t a)
{
	uint32_t base;
	const struct form_table *t = &r->h->table;
	if (a > FORM_MIXED && t->list[a].kind == FORM_LOW)
		a = t->list[a].of;
	return form_is_address(t, a, &base) ? base_align(r->mc->l, base) : 0;
}

/* a & mask: below the alignment it is a number, above it an address. */
static uint16_t form_and(const struct form_run *r, uint16_t a, uint64_t mask,
			 bool wide)
{
	uint64_t align = align_of(r, a);
	uint64_t ones = wide ? UINT64_MAX : UINT32_MAX;
	if (mask == 0 || (align != 0 && mask < align))
		return FORM_CLEAN;
	if (mask == ones ||
	    (align != 0 && r->h->table.list[a].kind == FORM_SUM &&
	     (~mask & ones) < align && ((~mask + 1) & ~mask & ones) == 0))
		return a;
	if (mask == UINT32_MAX || mask == 0xffff || mask == 0xff)
		return form_low(&r->h->table, a);
	return FORM_MIXED;
}

/* a | b or a ^ b with b below the alignment stays in a's object. */
static uint16_t form_or(const struct form_run *r, uint16_t a, uint64_t b,
			bool wide)
{
	uint64_t align = align_of(r, a);
	uint64_t ones = wide ? UINT64_MAX : UINT32_MAX;
	if (b == 0 ||
	    (align != 0 && b < align && r->h->table.list[a].kind == FORM_SUM))
		return a;
	if (b == ones && r->f->rule == FLOW_XOR)
		return form_negate(&r->h->table, a);
	return FORM_MIXED;
}

static uint16_t form_compare(const struct form_run *r, uint32_t i, uint16_t a,
			     uint16_t b)
{
	uint32_t base;
	bool wide = (r->f->wide & WIDE_A) != 0;
	const struct form_table *t = &r->h->table;
	if (a == b && a != FORM_MIXED)
		return FORM_CLEAN;
	op_ref other = a == FORM_CLEAN ? r->o->a : r->o->b;
	uint16_t form = a == FORM_CLEAN ? b : a;
	if ((a == FORM_CLEAN || b == FORM_CLEAN) &&
	    value_at(r, other, i, wide) == 0 && !r->f->is_signed &&
	    form_is_address(t, form, &base))
		return FORM_CLEAN;
	return FORM_MIXED;
}

static uint16_t form_field(const struct form_run *r, uint32_t i, uint16_t a)
{
	uint64_t from = value_at(r, r->o->b, i, false) & 0xff;
	uint64_t count = value_at(r, r->o->c, i, false) & 0xff;
	uint64_t align = align_of(r, a);
	bool below =
		from + count < 32 && (uint64_t)1 << (from + count) <= align;
	return count == 0 || below ? FORM_CLEAN : FORM_MIXED;
}

static uint16_t form_select(const struct form_run *r, uint32_t i, uint16_t a,
			    uint16_t b, uint16_t c)
{
	bool wide = (r->f->wide & WIDE_D) != 0;
	bool equal =
		value_at(r, r->o->a, i, wide) == value_at(r, r->o->b, i, wide);
	if (c != FORM_CLEAN && !(equal && a == b))
		return FORM_MIXED;
	return shadow_took_first(r->mc, r->s, r->o, i) ? a : b;
}

static uint16_t form_lane(const struct form_run *r, uint32_t i)
{
	struct form_table *t = &r->h->table;
	const struct flow *f = r->f;
	uint16_t a = form_at(r, f->a, i), b = form_at(r, f->b, i);
	uint16_t c = form_at(r, f->c, i);
	bool wide = (f->wide & WIDE_D) != 0;
	bool any = (a | b | c | form_at(r, f->f, i)) != FORM_CLEAN;
	if (!any)
		return FORM_CLEAN;
	switch ((enum flow_form)f->form) {
	case FORM_ANY:
		break;
	case FORM_COPY:
		return a;
	case FORM_ADD:
		return form_sum(t, a, b, false);
	case FORM_SUBTRACT:
		return form_sum(t, a, b, true);
	case FORM_ADD_C:
		return (a | b) == FORM_CLEAN ? c : FORM_MIXED;
	case FORM_NEGATE:
		return form_negate(t, a);
	case FORM_UPPER:
		return form_high(t, a);
	case FORM_EXTEND:
		return form_widen(t, a);
	case FORM_CUT:
		return form_low(t, a);
	case FORM_PAIR:
		return form_join(t, a, b);
	case FORM_BITS_AND:
		if (a != FORM_CLEAN && b != FORM_CLEAN)
			break;
		return a != FORM_CLEAN
			       ? form_and(r, a, value_at(r, r->o->b, i, wide),
					  wide)
			       : form_and(r, b, value_at(r, r->o->a, i, wide),
					  wide);
	case FORM_BITS_OR:
		if (a != FORM_CLEAN && b != FORM_CLEAN)
			break;
		return a != FORM_CLEAN
			       ? form_or(r, a, value_at(r, r->o->b, i, wide),
					 wide)
			       : form_or(r, b, value_at(r, r->o->a, i, wide),
					 wide);
	case FORM_FIELD:
		return (b | c) == FORM_CLEAN ? form_field(r, i, a) : FORM_MIXED;
	case FORM_SELECT:
		return form_select(r, i, a, b, c);
	case FORM_COMPARE:
		return form_compare(r, i, a, b);
	}
	return FORM_MIXED;
}

/* Is every form the same for all lanes, and no lane's value needed? */
static bool is_uniform(const struct form_run *r)
{
	const struct flow *f = r->f;
	const uint32_t planes[4] = {f->a, f->b, f->c, f->f};
	for (uint32_t k = 0; k < 4; k++) {
		if ((r->h->flags[r->strip][planes[k]] & FLAG_FORM) != 0 &&
		    r->h->forms[r->strip][planes[k]] == FORM_VARIED)
			return false;
	}
	bool by_value = f->form == FORM_BITS_AND || f->form == FORM_BITS_OR ||
			f->form == FORM_FIELD || f->form == FORM_SELECT ||
			f->form == FORM_COMPARE;
	/* Values that are constants are the same for all lanes. */
	bool fixed = (r->o->b & REF_CONST) != 0 &&
		     (r->o->c == REF_NONE || (r->o->c & REF_CONST) != 0) &&
		     f->form != FORM_SELECT &&
		     form_at(r, f->b, 0) == FORM_CLEAN;
	return !by_value || fixed;
}

void shadow_forms(struct machine *mc, struct strip *s, const struct op *o,
		  const uint32_t *mask)
{
	struct shadow *h = mc->trace->shadow;
	struct form_run r = {.mc = mc,
			     .s = s,
			     .h = h,
			     .o = o,
			     .f = &h->flows[o - mc->ops],
			     .strip = s->first / STRIP_LANES};
	uint16_t lanes[STRIP_LANES], any = 0;
	if (is_uniform(&r)) {
		uint16_t form = form_lane(&r, 0);
		shadow_put_form(mc, s, r.f->d, mask, form, NULL);
		if (r.f->e != h->clean)
			shadow_put_form(mc, s, r.f->e, mask,
					form == FORM_CLEAN ? FORM_CLEAN
							   : FORM_MIXED,
					NULL);
		return;
	}
	bool same = true;
	uint16_t first = FORM_VARIED;
	for (uint32_t i = shadow_low(s); i < shadow_high(s); i++) {
		if (!lane_is_on(mask, i))
			continue;
		lanes[i] = form_lane(&r, i);
		first = first == FORM_VARIED ? lanes[i] : first;
		same = same && lanes[i] == first;
		any |= lanes[i];
	}
	shadow_put_form(mc, s, r.f->d, mask, first, same ? NULL : lanes);
	if (r.f->e != h->clean)
		shadow_put_form(mc, s, r.f->e, mask,
				any == FORM_CLEAN ? FORM_CLEAN : FORM_MIXED,
				NULL);
}

static uint32_t variable_base(const struct launch *l, uint32_t variable)
{
	uint32_t b = l->variable_buffer[variable];
	return b != UINT32_MAX ? FORM_BASE(BASE_BUFFER, b)
			       : FORM_BASE(BASE_VARIABLE, variable);
}

static uint32_t fix_base(const struct launch *l, const struct const_fix *f)
{
	switch ((enum fix_kind)f->kind) {
	case FIX_VARIABLE:
		return variable_base(l, f->index);
	case FIX_SHARED:
		return FORM_BASE(BASE_SHARED, f->index);
	case FIX_FUNCTION:
		return FORM_BASE(BASE_FUNCTION, f->index);
	case FIX_LOCAL:
		break;
	}
	return FORM_BASE(BASE_LOCAL, f->index);
}

void shadow_bases(struct machine *mc)
{
	const struct launch *l = mc->l;
	struct shadow *h = mc->trace->shadow;
	for (uint32_t i = 0; i < l->m->fix_count; i++) {
		const struct const_fix *f = &l->m->fixes[i];
		uint32_t at =
			l->m->unit_count + l->m->constant_unit[f->constant];
		uint16_t form = form_address(&h->table, fix_base(l, f));
		for (uint32_t k = 0; k < l->strip_count; k++) {
			h->flags[k][at] = FLAG_FORM;
			h->forms[k][at] = form;
		}
	}
	for (size_t i = 0; i < l->in->reloc_count; i++) {
		const struct exec_reloc *r = &l->in->relocs[i];
		uint16_t form = form_address(&h->table,
					     FORM_BASE(BASE_BUFFER, r->buffer));
		h->param_forms[r->param_offset / 4] = form;
		h->param_forms[r->param_offset / 4 + 1] =
			form_high(&h->table, form);
	}
}

/* What object the window is; UINT32_MAX: one that stays where it is. */
static uint32_t window_base(const struct machine *mc, const struct window *w)
{
	uint64_t at = w->base & (((uint64_t)1 << WINDOW_SHIFT) - 1);
	uint32_t slot = (uint32_t)(at >> SLOT_SHIFT) - 1;
	if (w->buffer != UINT32_MAX)
		return FORM_BASE(BASE_BUFFER, w->buffer);
	if (w->is_stack)
		return FORM_BASE(BASE_LOCAL,
				 FORM_STACK_UNIT |
					 (at - STACK_BASE) >> STACK_SHIFT);
	if (w->is_per_lane)
		return FORM_BASE(BASE_LOCAL, slot);
	if (w->base >> 40 != 0)
		return FORM_BASE(BASE_VARIABLE, (w->base >> 40) - 0x8000u);
	if (w->host == mc->l->params)
		return UINT32_MAX;
	return FORM_BASE(BASE_SHARED, slot);
}

enum reach { REACH_FINE, REACH_MIXED, REACH_OUTSIDE };

static enum reach reaches(const struct shadow *h, uint16_t form, uint32_t base)
{
	uint32_t of;
	if (base == UINT32_MAX)
		return form == FORM_CLEAN ? REACH_FINE : REACH_MIXED;
	if (form == FORM_CLEAN)
		return REACH_OUTSIDE;
	if (!form_is_address(&h->table, form, &of))
		return REACH_MIXED;
	return of == base ? REACH_FINE : REACH_OUTSIDE;
}

bool shadow_address(struct machine *mc, struct strip *s, const struct op *o,
		    uint32_t lane, uint64_t address, const struct window *w)
{
	if (o->is_static != 0)
		return true;
	struct tag t = shadow_tag(mc, s, o->a, lane, o->is_wide != 0);
	if (t.unset != 0)
		shadow_find(mc, s, o, EXEC_REASON_uninitialised, lane, address);
	if (t.nan != 0)
		shadow_nan(mc, s, o, lane);
	switch (reaches(mc->trace->shadow, t.form, window_base(mc, w))) {
	case REACH_FINE:
		return true;
	case REACH_MIXED:
		shadow_find(mc, s, o, EXEC_REASON_address_leak, lane, address);
		return true;
	case REACH_OUTSIDE:
		break;
	}
	machine_end(mc, s, EXEC_FAULT, EXEC_REASON_out_of_bounds, lane,
		    address);
	return false;
}

bool shadow_knows(const struct machine *mc, const struct strip *s,
		  const struct op *o, const struct window *w)
{
	const struct shadow *h = mc->trace->shadow;
	uint32_t k = s->first / STRIP_LANES, at = shadow_plane(mc, h, o->a);
	uint16_t form = h->forms[k][at];
	return h->flags[k][at] == FLAG_FORM && form != FORM_VARIED &&
	       reaches(h, form, window_base(mc, w)) == REACH_FINE;
}

bool shadow_addresses(struct machine *mc, struct strip *s, const struct op *o,
		      const uint32_t *mask, const struct window *w)
{
	if (o->is_static != 0 || shadow_knows(mc, s, o, w))
		return true;
	for (uint32_t i = shadow_low(s); i < shadow_high(s); i++) {
		if (!lane_is_on(mask, i))
			continue;
		const void *a = machine_lanes(mc, s, o->a);
		uint64_t v = o->is_wide != 0 ? ((const uint64_t *)a)[i]
					     : ((const uint32_t *)a)[i];
		if (!shadow_address(mc, s, o, i, v + (uint64_t)o->offset, w))
			return false;
	}
	return true;
}

bool shadow_holds_forms(const struct machine *mc, const struct window *w)
{
	const struct launch *l = mc->l;
	uint64_t j = (w->base >> 40) - 0x8000u;
	if (w->base >> 40 == 0)
		return w->host >= l->params &&
		       w->host < l->params + l->param_bytes &&
		       l->in->reloc_count > 0;
	return j < l->m->variable_count && l->m->variables[j].reloc_count > 0;
}

static uint32_t reloc_base(const struct launch *l, const struct ptx_reloc *r)
{
	if (r->base == PTX_BASE_FUNCTION)
		return FORM_BASE(BASE_FUNCTION, r->index);
	for (uint32_t j = 0; j < l->m->variable_count; j++) {
		if (l->m->variables[j].ptx_index == r->index)
			return variable_base(l, j);
	}
	return UINT32_MAX;
}

uint16_t shadow_initialised(struct machine *mc, uint32_t variable, uint64_t at,
			    uint32_t size)
{
	const struct variable *v = &mc->l->m->variables[variable];
	struct form_table *t = &mc->trace->shadow->table;
	for (uint32_t i = 0; i < v->reloc_count; i++) {
		const struct ptx_reloc *r = &v->relocs[i];
		uint64_t bytes = r->bytes < 8 ? 4 : 8;
		if (at + size <= r->offset || at >= r->offset + bytes)
			continue;
		if (at == r->offset && size == bytes)
			return form_address(t, reloc_base(mc->l, r));
		return FORM_MIXED;
	}
	return FORM_CLEAN;
}

void shadow_param(struct machine *mc, struct strip *s, const struct op *o,
		  const uint32_t *mask)
{
	struct shadow *h = mc->trace->shadow;
	uint64_t at = (uint64_t)o->offset;
	for (uint32_t k = 0; k < o->vec; k++, at += o->size) {
		op_ref r = mc->l->m->lists[o->list + k];
		const uint16_t *f = h->param_forms + at / 4;
		uint16_t form = o->size == 8 ? form_join(&h->table, f[0], f[1])
				: o->size == 4	     ? f[0]
				: f[0] != FORM_CLEAN ? FORM_MIXED
						     : FORM_CLEAN;
		shadow_clear(mc, s, r, o->size == 8, mask);
		if (form != FORM_CLEAN)
			shadow_put_form(mc, s, shadow_plane(mc, h, r), mask,
					form, NULL);
	}
}
