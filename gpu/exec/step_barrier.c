/*
 * Arriving at a barrier of the CTA; cta.c decides when it opens.
 */
#include "gpu/exec/priv/race.h"
#include "gpu/exec/priv/shadow.h"
#include "gpu/exec/priv/steps.h"
#include "gpu/exec/priv/trace.h"

/* The barrier's number; it is the same for all lanes of a warp, and 0..15. */
static bool barrier_of(struct machine *mc, struct strip *s, const struct op *o,
		       uint32_t lane, uint32_t *ret_id)
{
	*ret_id = ((const uint32_t *)machine_lanes(mc, s, o->a))[lane];
	if (*ret_id < MACHINE_BARRIERS)
		return true;
	machine_end(mc, s, EXEC_VOID, EXEC_REASON_bad_sync, lane, 0);
	return false;
}

enum step step_bar_sync(struct machine *mc, struct strip *s, const struct op *o,
			const uint32_t *mask, uint32_t active)
{
	/* The common case: all that live come to one barrier together. */
	if (active == s->live && (o->a & REF_CONST) != 0 && o->b == REF_NONE &&
	    o->id == OP_bar_sync) {
		if (!barrier_of(mc, s, o, 0, &s->at_barrier))
			return STEP_STOP;
		s->at_barrier++;
		return STEP_PAUSE;
	}
	strip_set_pcs(mc, s, NULL, s->pc + 1);
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t id;
		if (!lane_is_on(mask, i))
			continue;
		if (!barrier_of(mc, s, o, i, &id))
			return STEP_STOP;
		s->pcs[i] = PC_WAIT;
		s->resume[i] = s->pc + 1;
		s->wait[i] = id + 1;
	}
	return STEP_REGROUP;
}

enum step step_bar_red(struct machine *mc, struct strip *s, const struct op *o,
		       const uint32_t *mask, uint32_t active)
{
	const uint32_t *p = machine_lanes(mc, s, o->c);
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t id;
		if (!lane_is_on(mask, i))
			continue;
		if (!barrier_of(mc, s, o, i, &id))
			return STEP_STOP;
		struct barrier *b = &mc->barriers[id];
		b->popc += p[i] & 1u;
		if (mc->trace != NULL && mc->trace->shadow != NULL)
			shadow_use(mc, s, o, o->c, i);
		b->and_all = b->and_all && p[i] != 0;
		b->or_any = b->or_any || p[i] != 0;
	}
	return step_bar_sync(mc, s, o, mask, active);
}

/* Nothing waits, but warps arrive whole, in whatever parts they come. */
enum step step_bar_arrive(struct machine *mc, struct strip *s,
			  const struct op *o, const uint32_t *mask,
			  UNUSED uint32_t active)
{
	enum step r = warp_gather_living(mc, s, mask);
	if (r != STEP_NEXT)
		return r;
	for (uint32_t first = 0; first < s->n; first += 32) {
		uint32_t k = first, id;
		while (k < first + 32 && k < s->n && !lane_is_on(mask, k))
			k++;
		if (k == first + 32 || k == s->n)
			continue;
		if (o->b == REF_NONE)
			return machine_end(mc, s, EXEC_VOID,
					   EXEC_REASON_bad_sync, k, 0);
		if (!barrier_of(mc, s, o, k, &id))
			return STEP_STOP;
		mc->barriers[id].arrived_warps++;
		if (mc->trace != NULL && mc->trace->shadow != NULL)
			race_arrive(mc, id, (s->first + first) / 32);
	}
	return STEP_NEXT;
}
