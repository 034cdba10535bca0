/*
 * One CTA: its strips run in turn, each until it must wait; then barriers
 * open.  When none does and threads are left, they wait for ever.
 *
 * A barrier without a count opens when every thread that lives waits at it.
 * With a count it opens when the warps at it, times 32, are that many.
 * A warp is at a barrier when all its living lanes are, at one instruction.
 */
#include <stdlib.h>
#include <string.h>

#include <immintrin.h>

#include "gpu/exec/priv/machine.h"
#include "gpu/exec/priv/shadow.h"
#include "gpu/exec/priv/trace.h"

struct tally {
	uint32_t waiting; /* threads at the barrier */
	uint32_t warps;	  /* whole warps there */
	bool is_ragged;	  /* a warp is there in part */
	uint32_t op;	  /* of the first */
	uint32_t count;	  /* asked for; 0: none */
	struct strip *strip;
	uint32_t lane;
};

static void tally_warp(struct machine *mc, struct strip *s, uint32_t first,
		       uint32_t id, struct tally *t)
{
	uint32_t here = 0, live = 0, op = 0;
	for (uint32_t i = first; i < first + 32 && i < s->n; i++) {
		if (s->live_mask[i] == 0)
			continue;
		live++;
		if (s->wait[i] != id + 1)
			continue;
		if (here++ == 0)
			op = s->resume[i] - 1;
		else if (op != s->resume[i] - 1)
			t->is_ragged = true;
		if (t->waiting++ == 0) {
			const struct op *o = &mc->ops[op];
			t->op = op;
			t->strip = s;
			t->lane = i;
			if (o->b != REF_NONE)
				t->count = ((uint32_t *)machine_lanes(mc, s,
								      o->b))[i];
		}
	}
	if (here == 0)
		return;
	t->warps++;
	t->is_ragged = t->is_ragged || here != live;
}

static uint32_t live_threads(const struct machine *mc)
{
	uint32_t live = 0;
	for (uint32_t k = 0; k < mc->l->strip_count; k++)
		live += mc->strips[k].live;
	return live;
}

/* What bar.red gives. */
static uint32_t reduced(const struct barrier *b, const struct op *o)
{
	/* PTX_BOOL_*: and, or, xor, popc. */
	if (o->what == 4)
		return b->popc;
	return (o->what == 1 ? b->and_all : b->or_any) ? UINT32_MAX : 0;
}

static void open_barrier(struct machine *mc, uint32_t id)
{
	struct barrier *b = &mc->barriers[id];
	if (mc->trace != NULL)
		trace_barrier(mc, id);
	for (uint32_t k = 0; k < mc->l->strip_count; k++) {
		struct strip *s = &mc->strips[k];
		for (uint32_t i = 0; i < s->n; i++) {
			if (s->wait[i] != id + 1)
				continue;
			const struct op *o = &mc->ops[s->resume[i] - 1];
			if (o->id == OP_bar_red)
				((uint32_t *)machine_lanes(mc, s, o->d))[i] =
					reduced(b, o);
			if (o->id == OP_bar_red && mc->trace != NULL &&
			    mc->trace->shadow != NULL)
				shadow_set_tag(mc, s, o->d, i, false,
					       (struct tag){0});
			s->wait[i] = 0;
			s->pcs[i] = s->resume[i];
			s->runs = true;
		}
	}
	*b = (struct barrier){.and_all = true};
}

/* Opens barriers that are complete; false: the CTA has ended. */
static bool open_barriers(struct machine *mc, bool *ret_any)
{
	for (uint32_t id = 0; id < MACHINE_BARRIERS; id++) {
		struct tally t = {0};
		for (uint32_t k = 0; k < mc->l->strip_count; k++) {
			struct strip *s = &mc->strips[k];
			for (uint32_t i = 0; i < s->n; i += 32)
				tally_warp(mc, s, i, id, &t);
		}
		if (t.waiting == 0)
			continue;
		uint32_t warps = t.warps + mc->barriers[id].arrived_warps;
		bool complete = t.count == 0 ? t.waiting == live_threads(mc)
					     : (uint64_t)warps * 32 >= t.count;
		if (!complete)
			continue;
		t.strip->pc = t.op;
		if (t.is_ragged || (t.count != 0 && warps * 32 != t.count)) {
			machine_end(mc, t.strip, EXEC_VOID,
				    EXEC_REASON_bad_sync, t.lane, 0);
			return false;
		}
		open_barrier(mc, id);
		*ret_any = true;
	}
	return true;
}

/* Lanes that wait for others of their warp look again. */
static bool wake_warps(struct machine *mc, uint32_t *live_before)
{
	uint32_t live = live_threads(mc);
	bool woken = false;
	if (live == *live_before)
		return false;
	*live_before = live;
	for (uint32_t k = 0; k < mc->l->strip_count; k++) {
		struct strip *s = &mc->strips[k];
		for (uint32_t i = 0; i < s->n; i++) {
			if (s->wait[i] != WAIT_WARP)
				continue;
			s->wait[i] = 0;
			s->pcs[i] = s->resume[i];
			s->runs = true;
			woken = true;
		}
	}
	return woken;
}

static void end_stuck(struct machine *mc)
{
	for (uint32_t k = 0; k < mc->l->strip_count; k++) {
		struct strip *s = &mc->strips[k];
		for (uint32_t i = 0; i < s->n; i++) {
			if (s->wait[i] == 0)
				continue;
			bool warp = s->wait[i] == WAIT_WARP;
			s->pc = s->resume[i] - !warp;
			machine_end(mc, s, warp ? EXEC_VOID : EXEC_FAULT,
				    warp ? EXEC_REASON_bad_sync
					 : EXEC_REASON_deadlock,
				    i, 0);
			return;
		}
	}
}

/* Every strip waits as a whole at one barrier: it opens at once. */
static bool open_whole(struct machine *mc)
{
	uint32_t id = 0;
	for (uint32_t k = 0; k < mc->l->strip_count; k++) {
		const struct strip *s = &mc->strips[k];
		if (s->live == 0)
			continue;
		if (s->at_barrier == 0 || (id != 0 && s->at_barrier != id))
			return false;
		id = s->at_barrier;
	}
	if (id == 0)
		return false;
	for (uint32_t k = 0; k < mc->l->strip_count; k++) {
		struct strip *s = &mc->strips[k];
		if (s->live == 0)
			continue;
		s->at_barrier = 0;
		s->runs = true;
		s->pc++;
		s->stop_pc = UINT32_MAX; /* nobody else is lower */
	}
	mc->barriers[id - 1] = (struct barrier){.and_all = true};
	if (mc->trace != NULL)
		trace_barrier(mc, UINT32_MAX);
	return true;
}

/* Say in wait[] what at_barrier says. */
static void spread_waiting(struct machine *mc)
{
	for (uint32_t k = 0; k < mc->l->strip_count; k++) {
		struct strip *s = &mc->strips[k];
		if (s->at_barrier == 0)
			continue;
		mc->lanes->fill(s->pcs, s->live_mask, PC_WAIT, s->n);
		mc->lanes->fill(s->resume, s->live_mask, s->pc + 1, s->n);
		mc->lanes->fill(s->wait, s->live_mask, s->at_barrier, s->n);
		s->at_barrier = 0;
	}
}

static void run_strips(struct machine *mc)
{
	uint32_t live_before = UINT32_MAX;
	for (;;) {
		for (uint32_t k = 0; k < mc->l->strip_count; k++) {
			uint32_t i =
				mc->l->is_scheduled ? schedule_strip(mc, k) : k;
			if (!strip_run(mc, &mc->strips[i]))
				return;
		}
		if (open_whole(mc))
			continue;
		spread_waiting(mc);
		bool opened = false;
		if (live_threads(mc) == 0 || !open_barriers(mc, &opened))
			return;
		if (!opened && !wake_warps(mc, &live_before)) {
			end_stuck(mc);
			return;
		}
		for (uint32_t k = 0; k < mc->l->strip_count; k++)
			strip_regroup(mc, &mc->strips[k]);
	}
}

static void fill_special(struct machine *mc, struct strip *s,
			 enum special which, uint32_t v)
{
	uint32_t *p = machine_lanes(mc, s, mc->l->m->special_unit[which]);
	mc->lanes->fill(p, NULL, v, s->lanes);
}

static void start_strip(struct machine *mc, struct strip *s)
{
	const struct function *f = mc->l->kernel;
	for (uint32_t i = 0; i < mc->l->m->zero_run_count; i++) {
		struct place p = mc->l->m->zero_runs[i];
		schedule_noise(mc, s->regs + (size_t)p.at * mc->stride,
			       (size_t)p.bytes * mc->stride, true);
	}
	for (uint32_t i = 0; i < 3; i++)
		fill_special(mc, s, (enum special)(SPECIAL_CTAID_X + i),
			     mc->ctaid[i]);
	if (mc->l->m->frame_bytes > 0)
		schedule_noise(mc, s->frames,
			       (size_t)s->n * mc->l->m->frame_bytes, false);
	/* A stack's bytes are cleared when they are taken. */
	for (uint32_t i = 0; mc->l->m->stack_at > 0 && i < s->n; i++)
		schedule_noise(mc, s->local + (size_t)i * mc->l->m->local_bytes,
			       mc->l->m->stack_at, false);
	if (mc->l->stack_bytes > 0)
		memset(s->stack_top, 0, s->n * sizeof(*s->stack_top));
	strip_start(mc, s, f->entry);
}

void machine_run_cta(struct machine *mc, uint64_t cta)
{
	const uint32_t *grid = mc->l->in->grid;
	mc->cta = cta;
	mc->ctaid[0] = (uint32_t)(cta % grid[0]);
	mc->ctaid[1] = (uint32_t)(cta / grid[0] % grid[1]);
	mc->ctaid[2] = (uint32_t)(cta / grid[0] / grid[1]);
	mc->count = 0;
	mc->cost = 0;
	mc->end = (struct end){.outcome = EXEC_OK};
	schedule_start(mc);
	if (mc->l->shared_bytes > 0)
		schedule_noise(mc, mc->shared, mc->l->shared_bytes, false);
	for (uint32_t i = 0; i < MACHINE_BARRIERS; i++)
		mc->barriers[i] = (struct barrier){.and_all = true};
	for (uint32_t k = 0; k < mc->l->strip_count; k++)
		start_strip(mc, &mc->strips[k]);
	if (mc->trace != NULL)
		trace_start(mc);
	mc->csr = mc->l->csr;
	_mm_setcsr(mc->csr);
	run_strips(mc);
	_mm_setcsr(CSR_BASE);
}

/* What never changes: thread numbers and the sizes of the launch. */
static void fill_fixed(struct machine *mc, struct strip *s)
{
	const struct exec_launch *in = mc->l->in;
	for (uint32_t i = 0; i < 3; i++) {
		fill_special(mc, s, (enum special)(SPECIAL_NTID_X + i),
			     in->block[i]);
		fill_special(mc, s, (enum special)(SPECIAL_NCTAID_X + i),
			     in->grid[i]);
	}
	fill_special(mc, s, SPECIAL_DYNAMIC, in->shared_bytes);
	fill_special(mc, s, SPECIAL_NWARPID, (mc->l->threads + 31) / 32);
	for (uint32_t i = 0; i < s->lanes; i++) {
		uint32_t t = s->first + i, lane = t % 32;
		uint32_t values[SPECIAL_COUNT] = {
			[SPECIAL_TID_X] = t % in->block[0],
			[SPECIAL_TID_Y] = t / in->block[0] % in->block[1],
			[SPECIAL_TID_Z] = t / in->block[0] / in->block[1],
			[SPECIAL_LANEID] = lane,
			[SPECIAL_EQ] = 1u << lane,
			[SPECIAL_LT] = (1u << lane) - 1,
			[SPECIAL_LE] = (uint32_t)((2ull << lane) - 1),
			[SPECIAL_GE] = ~((1u << lane) - 1),
			[SPECIAL_GT] = ~(uint32_t)((2ull << lane) - 1),
			[SPECIAL_WARPID] = t / 32};
		static const uint8_t which[] = {SPECIAL_TID_X, SPECIAL_TID_Y,
						SPECIAL_TID_Z, SPECIAL_LANEID,
						SPECIAL_EQ,    SPECIAL_LT,
						SPECIAL_LE,    SPECIAL_GE,
						SPECIAL_GT,    SPECIAL_WARPID};
		for (size_t k = 0; k < sizeof(which); k++) {
			uint32_t unit = mc->l->m->special_unit[which[k]];
			((uint32_t *)machine_lanes(mc, s, unit))[i] =
				values[which[k]];
		}
	}
}

static void fill_constants(struct machine *mc)
{
	const struct exec_module *m = mc->l->m;
	for (uint32_t i = 0; i < m->constant_count; i++) {
		uint8_t *p =
			mc->consts + (size_t)m->constant_unit[i] * mc->stride;
		uint64_t v = mc->l->constants[i];
		if ((m->constant_wide[i] & 1u) == 0) {
			mc->lanes->fill((uint32_t *)(void *)p, NULL,
					(uint32_t)v, mc->stride / 4);
			continue;
		}
		for (uint32_t k = 0; k < mc->stride / 4; k++)
			((uint64_t *)(void *)p)[k] = v;
	}
}

/* Hands out parts of one allocation; p NULL: only counts. */
static void *take(uint8_t *p, size_t *at, size_t bytes)
{
	size_t from = *at;
	*at += (bytes + 63) / 64 * 64;
	return p == NULL ? NULL : p + from;
}

static size_t lay_out(struct machine *mc, uint8_t *p)
{
	const struct launch *l = mc->l;
	const struct exec_module *m = l->m;
	size_t at = 0;
	mc->consts = take(p, &at, (size_t)m->constant_units * mc->stride);
	mc->shared = take(p, &at, l->shared_bytes + 16);
	for (uint32_t k = 0; k < l->strip_count; k++) {
		struct strip *s = &mc->strips[k];
		size_t words = (size_t)s->lanes * sizeof(uint32_t);
		s->regs = take(p, &at, (size_t)m->unit_count * mc->stride);
		s->live_mask = take(p, &at, words);
		s->group_mask = take(p, &at, words);
		s->guard_mask = take(p, &at, words);
		s->pcs = take(p, &at, words);
		s->resume = take(p, &at, words);
		s->wait = take(p, &at, words);
		s->depth = take(p, &at, words);
		s->returns = take(p, &at, words * l->depth_max);
		s->callees = take(p, &at, words * l->depth_max);
		size_t units = l->stack_bytes / STACK_UNIT;
		s->stack_top = take(p, &at, words * (units > 0));
		s->stack_bases =
			take(p, &at, words * (units > 0 ? l->depth_max : 0));
		s->stack_sizes = take(p, &at, words * units);
		s->at = take(p, &at, words);
		for (uint32_t i = 0; i < SPAN_SLOTS; i++)
			s->spans[i].at = take(p, &at, words);
		s->chains.links = take(
			p, &at, l->chains.link_count * sizeof(struct link));
		s->chains.seen =
			take(p, &at,
			     l->chains.span_count * sizeof(struct span_seen));
		s->chains.patches =
			take(p, &at,
			     l->chains.patch_count * sizeof(struct link_patch));
		s->chains.states = take(p, &at, l->chains.count);
		s->frames = take(p, &at, (size_t)s->n * m->frame_bytes);
		s->local = take(p, &at, (size_t)s->n * m->local_bytes);
	}
	return at;
}

static void fill_args(struct machine *mc, struct strip *s)
{
	s->args = (struct lane_args){.base = {s->regs, mc->consts},
				     .hi = s->lanes,
				     .nan32 = mc->nan32,
				     .nan64 = mc->nan64};
}

enum err machine_new(const struct launch *l, struct machine *ret_machine)
{
	struct machine *mc = ret_machine;
	*mc = (struct machine){.l = l,
			       .lanes = l->lanes,
			       .ops = l->m->ops,
			       .stride = l->stride,
			       .nan32 = 0x7fffffffu,
			       .nan64 = 0x7fffffffffffffffu};
	for (uint32_t k = 0; k < l->strip_count; k++) {
		struct strip *s = &mc->strips[k];
		s->first = k * STRIP_LANES;
		s->n = l->threads - s->first < STRIP_LANES
			       ? l->threads - s->first
			       : STRIP_LANES;
		s->lanes = (s->n + LANE_STEP - 1) / LANE_STEP * LANE_STEP;
	}
	size_t bytes = lay_out(mc, NULL);
	mc->memory = aligned_alloc(64, bytes + 64);
	if (mc->memory == NULL)
		return ERR_NO_MEMORY;
	memset(mc->memory, 0, bytes);
	lay_out(mc, mc->memory);
	fill_constants(mc);
	for (uint32_t k = 0; k < l->strip_count; k++)
		fill_args(mc, &mc->strips[k]);
	for (uint32_t k = 0; k < l->strip_count; k++)
		fill_fixed(mc, &mc->strips[k]);
	return ERR_OK;
}

void machine_free(struct machine *mc)
{
	free(mc->memory);
	mc->memory = NULL;
}
