/*
 * Tags on a thread's stack: of what a recursive function keeps while it calls
 * itself, and of addresses that lead there.
 */
#include <string.h>

#include "gpu/exec/priv/shadow.h"
#include "gpu/exec/priv/trace.h"

static struct tag_bytes *local_of(const struct machine *mc,
				  const struct strip *s)
{
	return &mc->trace->shadow->local[s->first / STRIP_LANES];
}

/* In a thread's local bytes of the strip. */
static uint64_t stack_at(const struct machine *mc, uint32_t lane, uint32_t at)
{
	return (uint64_t)lane * mc->l->m->local_bytes + mc->l->m->stack_at + at;
}

void shadow_take(struct machine *mc, struct strip *s, uint32_t lane,
		 uint32_t at, uint32_t bytes)
{
	struct tag_bytes *b = local_of(mc, s);
	uint64_t from = stack_at(mc, lane, at);
	b->has |= HAS_UNSET;
	memset(b->unset + from, 0xff, bytes);
	memset(b->nan + from, 0, bytes);
	memset(b->form + from / 4, 0, bytes / 4 * sizeof(*b->form));
}

void shadow_keep(struct machine *mc, struct strip *s, const struct save *r,
		 uint32_t lane, uint32_t at, bool keeps)
{
	struct tag_bytes *b = local_of(mc, s);
	uint64_t to = stack_at(mc, lane, at);
	struct tag t = {0};
	if (keeps) {
		t = shadow_tag(mc, s, r->ref, lane, r->bytes == 8);
		memcpy(b->unset + to, &t.unset, r->bytes);
		memcpy(b->nan + to, &t.nan, r->bytes);
		b->form[to / 4] = t.form;
		b->has |= tag_is_clear(t) ? 0 : HAS_UNSET | HAS_NAN | HAS_FORM;
		return;
	}
	memcpy(&t.unset, b->unset + to, r->bytes);
	memcpy(&t.nan, b->nan + to, r->bytes);
	t.form = b->form[to / 4];
	shadow_set_tag(mc, s, r->ref, lane, r->bytes == 8, t);
}

static void copy_planes(struct tag_bytes *to, uint64_t to_at,
			const struct tag_bytes *from, uint64_t from_at,
			uint32_t bytes)
{
	memcpy(to->unset + to_at, from->unset + from_at, bytes);
	memcpy(to->nan + to_at, from->nan + from_at, bytes);
	memcpy(to->form + to_at / 4, from->form + from_at / 4,
	       (bytes + 3) / 4 * sizeof(*to->form));
	to->has |= from->has;
}

void shadow_keep_frame(struct machine *mc, struct strip *s, uint32_t lane,
		       struct place frame, uint32_t at, bool keeps)
{
	struct tag_bytes *b = local_of(mc, s);
	struct tag_bytes *f =
		&mc->trace->shadow->frames[s->first / STRIP_LANES];
	uint64_t in = (uint64_t)lane * mc->l->m->frame_bytes + frame.at;
	uint64_t on = stack_at(mc, lane, at);
	if (keeps)
		copy_planes(b, on, f, in, frame.bytes);
	else
		copy_planes(f, in, b, on, frame.bytes);
}

void shadow_copy_param(struct machine *mc, struct strip *s, uint32_t lane,
		       struct place frame, uint64_t local_at)
{
	const struct tag_bytes *f =
		&mc->trace->shadow->frames[s->first / STRIP_LANES];
	copy_planes(local_of(mc, s), local_at, f,
		    (uint64_t)lane * mc->l->m->frame_bytes + frame.at,
		    frame.bytes);
}

void shadow_stack_address(struct machine *mc, struct strip *s,
			  const struct op *o, uint32_t lane, uint32_t unit)
{
	struct tag t = {.form = form_address(
				&mc->trace->shadow->table,
				FORM_BASE(BASE_LOCAL, FORM_STACK_UNIT | unit))};
	shadow_set_tag(mc, s, o->d, lane, o->id == OP_alloca || o->is_wide != 0,
		       t);
}

bool shadow_target(struct machine *mc, struct strip *s, const struct op *o,
		   uint32_t lane)
{
	struct tag t = shadow_tag(mc, s, o->a, lane, true);
	uint32_t base = 0;
	if (t.unset != 0)
		shadow_find(mc, s, o, EXEC_REASON_uninitialised, lane, 0);
	if (t.nan != 0)
		shadow_nan(mc, s, o, lane);
	if (t.form == FORM_CLEAN)
		return false;
	if (!form_is_address(&mc->trace->shadow->table, t.form, &base))
		shadow_find(mc, s, o, EXEC_REASON_address_leak, lane, 0);
	return true;
}
