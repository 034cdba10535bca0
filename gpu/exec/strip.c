/*
 * The loop: the group's ops one after the other, each over all its lanes.
 * The group stops where a branch parts it, or where other lanes of the strip
 * may have a lower pc; the lowest then form the next group, so that threads
 * meet again as early as they can.
 */
#include <immintrin.h>
#include <string.h>

#include "gpu/exec/priv/machine.h"
#include "gpu/exec/priv/op_list.h"
#include "gpu/exec/priv/shadow.h"
#include "gpu/exec/priv/trace.h"

enum step machine_end(struct machine *mc, struct strip *s,
		      enum exec_outcome outcome, enum exec_reason reason,
		      uint32_t lane, uint64_t address)
{
	mc->end = (struct end){.outcome = outcome,
			       .reason = reason,
			       .op = s->pc,
			       .thread = s->first + lane,
			       .address = address};
	return STEP_STOP;
}

void strip_set_pcs(struct machine *mc, struct strip *s, const uint32_t *mask,
		   uint32_t pc)
{
	mc->lanes->fill(s->pcs, mask != NULL ? mask : s->mask, pc, s->n);
}

/* The group's lanes are those of mask (NULL: all n). */
static void set_mask(struct machine *mc, struct strip *s, const uint32_t *mask)
{
	s->mask = mask;
	s->spans_valid = 0;
	s->args.lo = 0;
	s->args.hi = s->lanes;
	if (mask != NULL)
		mc->lanes->extent(mask, s->n, &s->args.lo, &s->args.hi);
}

bool strip_split(struct machine *mc, struct strip *s, uint32_t target,
		 uint32_t taken)
{
	uint32_t next = s->pc + 1, *mask = s->guard_mask;
	uint32_t low = target < next ? target : next;
	uint32_t high = target < next ? next : target;
	if (mc->l->is_scheduled || low == high || low >= s->stop_pc)
		return false;
	/* All of the group are at the higher one, until they get there. */
	strip_set_pcs(mc, s, NULL, high);
	if (low == target) {
		s->guard_mask = s->group_mask;
		s->group_mask = mask;
		s->active = taken;
	} else {
		s->active = mc->lanes->mask_and(s->group_mask, s->mask, mask,
						UINT32_MAX, s->n);
	}
	set_mask(mc, s, s->group_mask);
	s->is_whole = false;
	s->stop_pc = high < s->stop_pc ? high : s->stop_pc;
	s->pc = low;
	return true;
}

/* The lanes with the lowest pc become the group. */
void strip_regroup(struct machine *mc, struct strip *s)
{
	uint32_t low[2];
	s->spans_valid = 0;
	if (mc->l->is_scheduled) {
		schedule_group(mc, s);
		return;
	}
	mc->lanes->lowest(s->pcs, s->n, low);
	s->runs = low[0] < PC_WAIT;
	if (!s->runs)
		return;
	s->pc = low[0];
	s->stop_pc = low[1] < PC_WAIT ? low[1] : UINT32_MAX;
	s->active = mc->lanes->equal(s->group_mask, s->pcs, low[0], s->n);
	s->is_whole = s->active == s->live;
	set_mask(mc, s, s->active == s->n ? NULL : s->group_mask);
}

void strip_start(struct machine *mc, struct strip *s, uint32_t pc)
{
	s->pc = pc;
	s->stop_pc = UINT32_MAX;
	s->live = s->n;
	s->active = s->n;
	s->is_whole = true;
	s->runs = true;
	s->at_barrier = 0;
	set_mask(mc, s, NULL);
	mc->lanes->fill(s->live_mask, NULL, UINT32_MAX, s->n);
	memset(s->wait, 0, s->n * sizeof(*s->wait));
	memset(s->depth, 0, s->n * sizeof(*s->depth));
	strip_set_pcs(mc, s, NULL, pc);
	if (mc->l->options->warp == EXEC_WARP_ALL && !mc->l->is_scheduled)
		return;
	/* A sample of one warp: no other thread ever starts. */
	for (uint32_t i = 0; i < s->n; i++) {
		if (mc->l->options->warp == EXEC_WARP_ALL ||
		    (s->first + i) / 32 == mc->l->options->warp)
			continue;
		s->pcs[i] = PC_EXIT;
		s->live_mask[i] = 0;
		s->live--;
	}
	strip_regroup(mc, s);
}

/* Sums for ops [from, to) of active lanes; false when a limit is passed. */
static bool account(struct machine *mc, struct strip *s, uint32_t active,
		    uint32_t from, uint32_t to)
{
	const struct exec_module *m = mc->l->m;
	mc->count += (uint64_t)(m->count_before[to] - m->count_before[from]) *
		     active;
	mc->cost += (m->cost_before[to] - m->cost_before[from]) * active;
	if (mc->count > mc->count_max)
		machine_end(mc, s, EXEC_OVER, EXEC_REASON_count_limit, 0, 0);
	else if (mc->cost > mc->cost_max)
		machine_end(mc, s, EXEC_OVER, EXEC_REASON_cost_limit, 0, 0);
	else
		return true;
	return false;
}

static void set_csr(struct machine *mc, uint32_t csr)
{
	mc->csr = csr;
	_mm_setcsr(csr);
}

/* The group's lanes whose guard holds: how many, and their mask. */
static inline uint32_t guard(struct machine *mc, struct strip *s,
			     const struct op *o, const uint32_t **mask)
{
	const uint32_t *p = machine_lanes(mc, s, o->guard);
	uint32_t flip = o->guard_flip != 0 ? UINT32_MAX : 0;
	uint32_t n = mc->lanes->mask_and(s->guard_mask, s->mask, p, flip, s->n);
	*mask = n == s->active ? s->mask : s->guard_mask;
	return n;
}

/* Steps whose results' tags come from their sources alone. */
static bool shadow_follows(const struct op *o)
{
	return o->id == OP_vote || o->id == OP_match || o->id == OP_redux ||
	       o->id == OP_activemask || o->id == OP_isspacep;
}

/* What a traced run does about an op that some lanes have executed. */
static void after_op(struct machine *mc, struct strip *s, const struct op *o,
		     const uint32_t *mask)
{
	if (mc->trace->shadow != NULL && mc->lanes->ops[o->id] != NULL)
		shadow_after(mc, s, o, mask);
	else if (mc->trace->shadow != NULL)
		shadow_step(mc, s, o, mask);
	if (mc->trace->witness != NULL && mc->l->selected[o - mc->ops] != 0)
		witness_mix(mc, s, o, mask);
}

/* And about a guard, whether any lane passed it or none. */
static void after_guard(struct machine *mc, struct strip *s, const struct op *o,
			const uint32_t *mask, uint32_t active)
{
	if (mc->trace->shadow != NULL)
		shadow_decide(mc, s, o);
	if (mc->trace->witness != NULL && o->id == OP_bra)
		witness_branch(mc, s, o, active, mask);
}

static void run_lanes(struct machine *mc, struct strip *s,
		      const struct lane_op *o, const uint32_t *mask)
{
	if ((o->flags & LANE_CSR) != 0 && o->csr != mc->csr)
		set_csr(mc, o->csr);
	s->args.op = o;
	s->args.mask = mask;
	o->fn(&s->args);
	s->args.mask = s->mask;
}

/* A lane op of a traced run whose tags are all clear. */
static void run_quiet(struct machine *mc, struct strip *s, uint32_t pc)
{
	const struct lane_op *lane = &mc->l->lane_ops[pc];
	const uint32_t *mask = s->mask;
	if ((lane->flags & LANE_GUARDED) != 0 &&
	    guard(mc, s, &mc->ops[pc], &mask) == 0)
		return;
	run_lanes(mc, s, lane, mask);
	if (mc->trace->shadow->quiet[pc].result != 0)
		shadow_after(mc, s, &mc->ops[pc], mask);
}

/* An op that needs more than its lane function. */
static enum step run_op(struct machine *mc, struct strip *s, uint32_t pc)
{
	const struct lane_op *lane = &mc->l->lane_ops[pc];
	const struct op *o = &mc->ops[pc];
	const uint32_t *mask = s->mask;
	uint32_t active = s->active;
	enum step r = STEP_NEXT;
	if ((lane->flags & LANE_GUARDED) != 0)
		active = guard(mc, s, o, &mask);
	if (mc->trace != NULL && o->guard != REF_NONE)
		after_guard(mc, s, o, mask, active);
	if (active == 0)
		return STEP_NEXT; /* counted, without effect */
	if ((lane->flags & LANE_STEPS) == 0) {
		if (mc->trace != NULL && mc->trace->shadow != NULL)
			shadow_before(mc, s, o, mask);
		run_lanes(mc, s, lane, mask);
		if (mc->trace != NULL)
			after_op(mc, s, o, mask);
		return STEP_NEXT;
	}
	s->pc = pc;
	r = exec_steps[o->id](mc, s, o, mask, active);
	if (mc->trace != NULL && r == STEP_NEXT && shadow_follows(o))
		after_op(mc, s, o, mask);
	if (mc->trace != NULL && mc->trace->shadow != NULL && op_is_matrix(o))
		shadow_matrix(mc, s, o, mask);
	return r;
}

/* Runs the group until it stops being one. */
static bool run_group(struct machine *mc, struct strip *s)
{
	const struct lane_op *ops = mc->l->lane_ops;
	const uint32_t traced = mc->trace != NULL ? LANE_TRACED : 0;
	const struct shadow *h = trace_quiet(mc->trace);
	uint32_t pc = s->pc, from = pc, active = s->active;
	s->args.mask = s->mask;
	for (;;) {
		const struct lane_op *o = &ops[pc];
		enum step r = STEP_NEXT;
		uint32_t chained = 0;
		const uint32_t flags = (o->flags | traced) & ~LANE_CHAIN;
		if ((o->flags & LANE_CHAIN) != 0)
			chained = traced == 0 ? chain_run(mc, s, pc)
				  : h != NULL ? shadow_chain(mc, s, pc)
					      : 0;
		if (chained > 0) {
			pc += chained;
			if (pc < s->stop_pc)
				continue;
			pc--;
		} else if (flags == 0) {
			s->args.op = o;
			o->fn(&s->args);
		} else if (flags == LANE_STEPS) {
			s->pc = pc;
			r = exec_steps[mc->ops[pc].id](mc, s, &mc->ops[pc],
						       s->mask, s->active);
		} else if (h != NULL && shadow_is_quiet(h, s, pc)) {
			run_quiet(mc, s, pc);
		} else {
			r = run_op(mc, s, pc);
		}
		s->spans_valid &= ~(uint32_t)o->spoils;
		pc++;
		if (r == STEP_NEXT && pc < s->stop_pc)
			continue;
		if (r == STEP_STOP || !account(mc, s, active, from,
					       r == STEP_AGAIN ? pc - 1 : pc))
			return false;
		if (r == STEP_JUMP) {
			pc = s->pc;
			active = s->active;
			s->args.mask = s->mask;
		}
		if (r == STEP_PAUSE)
			s->runs = false;
		if (r == STEP_REGROUP || r == STEP_AGAIN || r == STEP_PAUSE)
			return true;
		if (pc >= s->stop_pc) {
			strip_set_pcs(mc, s, NULL, pc);
			return true;
		}
		from = pc;
	}
}

bool strip_run(struct machine *mc, struct strip *s)
{
	while (s->runs) {
		if (!run_group(mc, s))
			return false;
		if (s->runs)
			strip_regroup(mc, s);
	}
	return true;
}
