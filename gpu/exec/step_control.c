/*
 * Branches and the ends of threads.
 */
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
