/*
 * Calls, returns, and the stack that recursive functions keep their
 * activations on.  Each thread has its own depth, returns and stack.
 */
#include <string.h>

#include "gpu/exec/priv/shadow.h"
#include "gpu/exec/priv/steps.h"
#include "gpu/exec/priv/trace.h"

static struct shadow *shadow_of(const struct machine *mc)
{
	return mc->trace != NULL ? mc->trace->shadow : NULL;
}

/* One copy of an argument or result, for one lane. */
static void copy_lane(struct machine *mc, struct strip *s,
		      const struct call_copy *c, uint32_t lane)
{
	uint8_t *frame = s->frames + (size_t)lane * mc->l->m->frame_bytes;
	bool wide = c->bytes == 8;
	uint64_t v = 0;
	if (shadow_of(mc) != NULL)
		shadow_copy(mc, s, c, lane);
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

static void copy_list(struct machine *mc, struct strip *s, uint32_t first,
		      uint32_t count, uint32_t lane)
{
	for (uint32_t k = 0; k < count; k++)
		copy_lane(mc, s, &mc->l->m->copies[first + k], lane);
}

/* A lane's stack from its byte at on. */
static uint8_t *stack_host(const struct machine *mc, const struct strip *s,
			   uint32_t lane, uint32_t at)
{
	return s->local + (size_t)lane * mc->l->m->local_bytes +
	       mc->l->m->stack_at + at;
}

/* Where the activation that runs now begins. */
static uint32_t frame_base(const struct strip *s, uint32_t lane)
{
	return s->stack_bases[(size_t)(s->depth[lane] - 1) * s->lanes + lane];
}

/* Keeps or brings back a register, with its tag. */
static void move_register(struct machine *mc, struct strip *s,
			  const struct save *r, uint32_t lane, uint32_t at,
			  bool keeps)
{
	uint8_t *host = stack_host(mc, s, lane, at);
	uint8_t *p = (uint8_t *)machine_lanes(mc, s, r->ref) +
		     (size_t)lane * r->bytes;
	memcpy(keeps ? host : p, keeps ? p : host, r->bytes);
	if (shadow_of(mc) != NULL)
		shadow_keep(mc, s, r, lane, at, keeps);
}

/* What a function must find again after a call of itself. */
static void move_activation(struct machine *mc, struct strip *s,
			    const struct function *f, uint32_t lane, bool keeps)
{
	uint32_t at = frame_base(s, lane) + f->save_at;
	mc->cost += (uint64_t)OP_COST * ((f->stack_bytes - f->save_at) / 4);
	size_t from = (size_t)lane * mc->l->m->frame_bytes + f->frame.at;
	uint8_t *frame = s->frames + from;
	uint8_t *host = stack_host(mc, s, lane, at);
	memcpy(keeps ? host : frame, keeps ? frame : host, f->frame.bytes);
	if (shadow_of(mc) != NULL)
		shadow_keep_frame(mc, s, lane, f->frame, at, keeps);
	at += f->frame.bytes;
	for (uint32_t i = 0; i < f->save_count; i++) {
		move_register(mc, s, &f->saves[i], lane, at, keeps);
		at += f->saves[i].bytes;
	}
}

/* Takes bytes of the stack, whose units hold nothing yet; false: too many. */
static bool take_stack(struct machine *mc, struct strip *s, uint32_t lane,
		       uint32_t bytes)
{
	uint32_t at = s->stack_top[lane];
	if (bytes > mc->l->stack_bytes - at)
		return false;
	mc->cost += (uint64_t)OP_COST * (bytes / COPY_COST_BYTES);
	for (uint32_t u = at; u < at + bytes; u += STACK_UNIT)
		s->stack_sizes[(size_t)(u / STACK_UNIT) * s->lanes + lane] = 0;
	schedule_noise(mc, stack_host(mc, s, lane, at), bytes, false);
	if (shadow_of(mc) != NULL)
		shadow_take(mc, s, lane, at, bytes);
	s->stack_top[lane] = at + bytes;
	return true;
}

/* A variable begins at a unit of the stack. */
static void place_variable(struct strip *s, uint32_t lane, uint32_t at,
			   uint32_t bytes)
{
	s->stack_sizes[(size_t)(at / STACK_UNIT) * s->lanes + lane] = bytes;
}

/* One more activation for a lane; false: the stack is full. */
static bool push(struct machine *mc, struct strip *s, const struct function *f,
		 uint32_t lane)
{
	uint32_t depth = s->depth[lane];
	size_t slot = (size_t)depth * s->lanes + lane;
	if (depth >= mc->l->depth_max)
		return false;
	s->returns[slot] = s->pc + 1;
	s->callees[slot] = (uint32_t)(f - mc->l->m->functions);
	if (mc->l->stack_bytes > 0) {
		uint32_t base = s->stack_top[lane];
		s->stack_bases[slot] = base;
		if (!take_stack(mc, s, lane, f->stack_bytes))
			return false;
		for (uint32_t i = 0; i < f->stack_variable_count; i++)
			place_variable(s, lane, base + f->stack_variables[i].at,
				       f->stack_variables[i].bytes);
	}
	s->depth[lane] = depth + 1;
	return true;
}

/* To the sanitizer: what f has is unset, for one lane. */
static void enter_lane(struct machine *mc, struct strip *s,
		       const struct function *f, uint32_t lane)
{
	memset(s->at, 0, s->n * sizeof(*s->at));
	s->at[lane] = UINT32_MAX;
	shadow_enter(mc, s, f, s->at);
}

/* The lane's call of f from the function at the op. */
static bool enter(struct machine *mc, struct strip *s, const struct op *o,
		  const struct function *f, uint32_t lane, bool staged)
{
	uint32_t caller = mc->ops[s->pc + 1].target;
	copy_list(mc, s, o->list, o->imm, lane);
	if (staged && o->flags != 0)
		move_activation(mc, s, &mc->l->m->functions[caller], lane,
				true);
	if (staged && shadow_of(mc) != NULL)
		enter_lane(mc, s, f, lane);
	if (staged)
		copy_list(mc, s, f->argument_copies, f->param_count, lane);
	if (push(mc, s, f, lane))
		return true;
	machine_end(mc, s, EXEC_FAULT, EXEC_REASON_stack, lane, 0);
	return false;
}

enum step step_call(struct machine *mc, struct strip *s, const struct op *o,
		    const uint32_t *mask, uint32_t active)
{
	const struct function *f = &mc->l->m->functions[o->target];
	bool staged = o->flags != 0;
	if (!staged && shadow_of(mc) != NULL)
		shadow_enter(mc, s, f, mask);
	for (uint32_t i = 0; i < s->n; i++) {
		if (!lane_is_on(mask, i))
			continue;
		if (!enter(mc, s, o, f, i, staged))
			return STEP_STOP;
	}
	if (active == s->active) {
		s->pc = f->entry;
		return STEP_JUMP;
	}
	strip_set_pcs(mc, s, NULL, s->pc + 1);
	strip_set_pcs(mc, s, mask, f->entry);
	return STEP_REGROUP;
}

/* The function at an address, if the call may go there. */
static const struct function *target_of(const struct machine *mc,
					const struct op *o, uint64_t address)
{
	const uint32_t *targets = mc->l->m->tables + o->target;
	for (int64_t i = 0; i < o->offset; i++) {
		if (address == FUNCTION_BASE(targets[i]))
			return &mc->l->m->functions[targets[i]];
	}
	return NULL;
}

enum step step_call_to(struct machine *mc, struct strip *s, const struct op *o,
		       const uint32_t *mask, UNUSED uint32_t active)
{
	const uint64_t *a = machine_lanes(mc, s, o->a);
	const struct function *f = NULL;
	uint64_t last = 0;
	strip_set_pcs(mc, s, NULL, s->pc + 1);
	for (uint32_t i = 0; i < s->n; i++) {
		if (!lane_is_on(mask, i))
			continue;
		uint64_t address = a[i];
		if (f == NULL || address != last)
			f = target_of(mc, o, address);
		last = address;
		if (shadow_of(mc) != NULL && !shadow_target(mc, s, o, i))
			f = NULL;
		if (f == NULL)
			return machine_end(mc, s, EXEC_FAULT,
					   EXEC_REASON_bad_call, i, address);
		if (!enter(mc, s, o, f, i, true))
			return STEP_STOP;
		s->pcs[i] = f->entry;
	}
	return STEP_REGROUP;
}

enum step step_call_end(struct machine *mc, struct strip *s, const struct op *o,
			const uint32_t *mask, UNUSED uint32_t active)
{
	for (uint32_t i = 0; i < s->n; i++) {
		if (lane_is_on(mask, i))
			copy_list(mc, s, o->list, o->imm, i);
	}
	return STEP_NEXT;
}

enum step step_call_back(struct machine *mc, struct strip *s,
			 const struct op *o, const uint32_t *mask,
			 UNUSED uint32_t active)
{
	const struct exec_module *m = mc->l->m;
	for (uint32_t i = 0; i < s->n; i++) {
		if (!lane_is_on(mask, i))
			continue;
		const struct function *f =
			&m->functions[s->callees[(size_t)s->depth[i] *
							 s->lanes +
						 i]];
		copy_list(mc, s, f->result_copies, f->return_count, i);
		if (o->flags != 0)
			move_activation(mc, s, &m->functions[o->target], i,
					false);
		copy_list(mc, s, o->list, o->imm, i);
	}
	return STEP_NEXT;
}

enum step step_ret(struct machine *mc, struct strip *s,
		   UNUSED const struct op *o, const uint32_t *mask,
		   UNUSED uint32_t active)
{
	strip_set_pcs(mc, s, NULL, s->pc + 1);
	for (uint32_t i = 0; i < s->n; i++) {
		if (!lane_is_on(mask, i))
			continue;
		size_t slot = (size_t)--s->depth[i] * s->lanes + i;
		s->pcs[i] = s->returns[slot];
		if (mc->l->stack_bytes > 0)
			s->stack_top[i] = s->stack_bases[slot];
	}
	return STEP_REGROUP;
}

static void put_address(struct machine *mc, struct strip *s, const struct op *o,
			uint32_t lane, uint64_t address, bool is_wide)
{
	void *d = machine_lanes(mc, s, o->d);
	if (is_wide)
		((uint64_t *)d)[lane] = address;
	else
		((uint32_t *)d)[lane] = (uint32_t)address;
}

enum step step_stack_address(struct machine *mc, struct strip *s,
			     const struct op *o, const uint32_t *mask,
			     UNUSED uint32_t active)
{
	for (uint32_t i = 0; i < s->n; i++) {
		if (!lane_is_on(mask, i))
			continue;
		uint32_t unit = (frame_base(s, i) + o->imm) / STACK_UNIT;
		put_address(mc, s, o, i,
			    machine_stack(unit) + (uint64_t)o->offset,
			    o->is_wide != 0);
		if (shadow_of(mc) != NULL)
			shadow_stack_address(mc, s, o, i, unit);
	}
	return STEP_NEXT;
}

enum step step_param_copy(struct machine *mc, struct strip *s,
			  const struct op *o, const uint32_t *mask,
			  UNUSED uint32_t active)
{
	for (uint32_t i = 0; i < s->n; i++) {
		if (!lane_is_on(mask, i))
			continue;
		size_t from = (size_t)i * mc->l->m->frame_bytes + o->list;
		size_t to = (size_t)i * mc->l->m->local_bytes + o->imm;
		if (o->flags != 0)
			to += mc->l->m->stack_at + frame_base(s, i);
		memcpy(s->local + to, s->frames + from, o->target);
		if (shadow_of(mc) != NULL)
			shadow_copy_param(mc, s, i,
					  (struct place){.at = o->list,
							 .bytes = o->target},
					  to);
	}
	return STEP_NEXT;
}

enum step step_alloca(struct machine *mc, struct strip *s, const struct op *o,
		      const uint32_t *mask, UNUSED uint32_t active)
{
	const uint64_t *a = machine_lanes(mc, s, o->a);
	for (uint32_t i = 0; i < s->n; i++) {
		if (!lane_is_on(mask, i))
			continue;
		uint32_t at = s->stack_top[i];
		uint64_t bytes = a[i];
		/* Even of no size it has an address of its own. */
		uint64_t units = bytes / STACK_UNIT + 1;
		if (shadow_of(mc) != NULL)
			shadow_use(mc, s, o, o->a, i);
		if (units > mc->l->stack_bytes / STACK_UNIT ||
		    !take_stack(mc, s, i, (uint32_t)units * STACK_UNIT))
			return machine_end(mc, s, EXEC_FAULT, EXEC_REASON_stack,
					   i, 0);
		place_variable(s, i, at, (uint32_t)bytes);
		put_address(mc, s, o, i, machine_stack(at / STACK_UNIT), true);
		if (shadow_of(mc) != NULL)
			shadow_stack_address(mc, s, o, i, at / STACK_UNIT);
	}
	return STEP_NEXT;
}

enum step step_stacksave(struct machine *mc, struct strip *s,
			 const struct op *o, const uint32_t *mask,
			 UNUSED uint32_t active)
{
	for (uint32_t i = 0; i < s->n; i++) {
		if (!lane_is_on(mask, i))
			continue;
		uint32_t top = mc->l->stack_bytes > 0 ? s->stack_top[i] : 0;
		put_address(mc, s, o, i, top, o->size == 8);
	}
	if (shadow_of(mc) != NULL)
		shadow_clear(mc, s, o->d, o->size == 8, mask);
	return STEP_NEXT;
}

/* Not below what the function began with, and not above the top. */
enum step step_stackrestore(struct machine *mc, struct strip *s,
			    const struct op *o, const uint32_t *mask,
			    UNUSED uint32_t active)
{
	const struct function *f = &mc->l->m->functions[o->target];
	const void *a = machine_lanes(mc, s, o->a);
	for (uint32_t i = 0; i < s->n; i++) {
		if (!lane_is_on(mask, i))
			continue;
		uint64_t to = o->size == 8 ? ((const uint64_t *)a)[i]
					   : ((const uint32_t *)a)[i];
		bool is_used = mc->l->stack_bytes > 0;
		uint32_t top = is_used ? s->stack_top[i] : 0;
		uint32_t least = is_used && !f->is_entry
					 ? frame_base(s, i) + f->stack_bytes
					 : 0;
		if (shadow_of(mc) != NULL)
			shadow_use(mc, s, o, o->a, i);
		if (to < least || to > top || to % STACK_UNIT != 0)
			return machine_end(mc, s, EXEC_FAULT, EXEC_REASON_stack,
					   i, to);
		if (is_used)
			s->stack_top[i] = (uint32_t)to;
	}
	return STEP_NEXT;
}
