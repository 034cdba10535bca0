/*
 * Branches, calls and returns, the ends of threads.
 */
#include <string.h>

#include "gpu/exec/priv/shadow.h"
#include "gpu/exec/priv/steps.h"
#include "gpu/exec/priv/trace.h"

enum step step_nop(UNUSED struct machine *mc, UNUSED struct strip *s,
		   UNUSED const struct op *o, UNUSED const uint32_t *mask,
		   UNUSED uint32_t active)
{
	return STEP_NEXT;
}

enum step step_bra(struct machine *mc, struct strip *s, const struct op *o,
		   const uint32_t *mask, uint32_t active)
{
	if (active == s->active) {
		s->pc = o->target;
		return STEP_JUMP;
	}
	if (strip_split(mc, s, o->target, active))
		return STEP_JUMP;
	strip_set_pcs(mc, s, NULL, s->pc + 1);
	strip_set_pcs(mc, s, mask, o->target);
	return STEP_REGROUP;
}

enum step step_brx(struct machine *mc, struct strip *s, const struct op *o,
		   const uint32_t *mask, UNUSED uint32_t active)
{
	const uint32_t *a = machine_lanes(mc, s, o->a);
	const uint32_t *targets = mc->l->m->tables + o->list;
	strip_set_pcs(mc, s, NULL, s->pc + 1);
	for (uint32_t i = 0; i < s->n; i++) {
		if (!lane_is_on(mask, i))
			continue;
		if (a[i] >= o->imm)
			return machine_end(mc, s, EXEC_FAULT,
					   EXEC_REASON_bad_call, i, a[i]);
		s->pcs[i] = targets[a[i]];
		if (mc->trace != NULL && mc->trace->shadow != NULL)
			shadow_use(mc, s, o, o->a, i);
	}
	return STEP_REGROUP;
}

enum step step_exit(struct machine *mc, struct strip *s,
		    UNUSED const struct op *o, const uint32_t *mask,
		    uint32_t active)
{
	strip_set_pcs(mc, s, NULL, s->pc + 1);
	strip_set_pcs(mc, s, mask, PC_EXIT);
	mc->lanes->fill(s->live_mask, mask, 0, s->n);
	s->live -= active;
	return STEP_REGROUP;
}

static uint32_t first_lane(const uint32_t *mask, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (lane_is_on(mask, i))
			return i;
	}
	return 0;
}

enum step step_trap(struct machine *mc, struct strip *s,
		    UNUSED const struct op *o, const uint32_t *mask,
		    UNUSED uint32_t active)
{
	return machine_end(mc, s, EXEC_FAULT, EXEC_REASON_trap,
			   first_lane(mask, s->n), 0);
}

/* One copy of an argument or result, for one lane. */
static void copy_lane(struct machine *mc, struct strip *s,
		      const struct call_copy *c, uint32_t lane)
{
	uint8_t *frame = s->frames + (size_t)lane * mc->l->m->frame_bytes;
	bool wide = c->bytes == 8;
	uint64_t v = 0;
	if (c->from_ref == REF_NONE && c->to_ref == REF_NONE) {
		memmove(frame + c->to_at, frame + c->from_at, c->bytes);
		return;
	}
	if (c->from_ref == REF_NONE)
		memcpy(&v, frame + c->from_at, c->bytes);
	else if (wide)
		v = ((uint64_t *)machine_lanes(mc, s, c->from_ref))[lane];
	else
		v = ((uint32_t *)machine_lanes(mc, s, c->from_ref))[lane];
	if (c->to_ref == REF_NONE)
		memcpy(frame + c->to_at, &v, c->bytes);
	else if (wide)
		((uint64_t *)machine_lanes(mc, s, c->to_ref))[lane] = v;
	else
		((uint32_t *)machine_lanes(mc, s, c->to_ref))[lane] =
			(uint32_t)v;
}

static void copy_all(struct machine *mc, struct strip *s, const struct op *o,
		     const uint32_t *mask)
{
	for (uint32_t k = 0; k < o->imm; k++) {
		const struct call_copy *c = &mc->l->m->copies[o->list + k];
		for (uint32_t i = 0; i < s->n; i++) {
			if (!lane_is_on(mask, i))
				continue;
			copy_lane(mc, s, c, i);
			if (mc->trace != NULL && mc->trace->shadow != NULL)
				shadow_copy(mc, s, c, i);
		}
	}
}

enum step step_call(struct machine *mc, struct strip *s, const struct op *o,
		    const uint32_t *mask, uint32_t active)
{
	const struct function *f = &mc->l->m->functions[o->target];
	uint32_t entry = f->entry;
	if (mc->trace != NULL && mc->trace->shadow != NULL)
		shadow_enter(mc, s, f, mask);
	copy_all(mc, s, o, mask);
	for (uint32_t i = 0; i < s->n; i++) {
		if (!lane_is_on(mask, i))
			continue;
		if (s->depth[i] >= mc->l->depth_max)
			return machine_end(mc, s, EXEC_FAULT, EXEC_REASON_stack,
					   i, 0);
		s->returns[(size_t)s->depth[i]++ * s->lanes + i] = s->pc + 1;
	}
	if (active == s->active) {
		s->pc = entry;
		return STEP_JUMP;
	}
	strip_set_pcs(mc, s, NULL, s->pc + 1);
	strip_set_pcs(mc, s, mask, entry);
	return STEP_REGROUP;
}

enum step step_call_end(struct machine *mc, struct strip *s, const struct op *o,
			const uint32_t *mask, UNUSED uint32_t active)
{
	copy_all(mc, s, o, mask);
	return STEP_NEXT;
}

enum step step_ret(struct machine *mc, struct strip *s,
		   UNUSED const struct op *o, const uint32_t *mask,
		   UNUSED uint32_t active)
{
	strip_set_pcs(mc, s, NULL, s->pc + 1);
	for (uint32_t i = 0; i < s->n; i++) {
		if (lane_is_on(mask, i))
			s->pcs[i] =
				s->returns[(size_t)--s->depth[i] * s->lanes +
					   i];
	}
	return STEP_REGROUP;
}
