/*
 * Other schedules, for tests: groups of few lanes, chosen by chance.  What
 * has a defined result gives the same one on every schedule, so that a kernel
 * which comes out otherwise here shows a fault of the executor.
 *
 * A group is the lanes at one pc inside one aligned run of group_lanes; it
 * runs on past the pcs of others as long as it stays together.  Lanes that
 * meet for a warp operation go on together, whatever their number.
 */
#include <string.h>

#include "gpu/exec/priv/machine.h"

static uint32_t draw(struct machine *mc)
{
	uint64_t x = mc->schedule += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
	return (uint32_t)(x >> 32);
}

void schedule_start(struct machine *mc)
{
	mc->schedule =
		mc->l->options->schedule_seed ^ mc->cta * 0xa0761d6478bd642fu;
}

/* In registers only words of no or all ones: a predicate is one of them. */
void schedule_noise(struct machine *mc, void *p, size_t bytes, bool registers)
{
	uint64_t x = mc->l->options->noise_seed;
	uint8_t *to = p;
	memset(p, 0, bytes);
	if (x == 0)
		return;
	x ^= mc->cta * 0xe7037ed1a0b428dbu + bytes;
	for (size_t i = 0; i + 4 <= bytes; i += 4) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		uint32_t word = (uint32_t)(x >> 32);
		if (registers)
			word = word >> 31 ? UINT32_MAX : 0;
		memcpy(to + i, &word, 4);
	}
}

uint32_t schedule_strip(struct machine *mc, uint32_t k)
{
	uint32_t n = mc->l->strip_count;
	if (mc->l->options->schedule_seed == 0)
		return k;
	if (k == 0)
		mc->schedule_turn = draw(mc);
	uint32_t at = (k + mc->schedule_turn / 2) % n;
	return (mc->schedule_turn & 1u) != 0 ? n - 1 - at : at;
}

/* For steps, column "operands" of ops.def. */
static const char *const step_args[OP_COUNT] = {
#define STEP_OP(id, mn, t0, t1, need, allow, args, fn, cost, doc) \
	[OP_##id] = args,
#include "gpu/exec/ops.def"
};

static bool is_warp_op(const struct op *o)
{
	return step_args[o->id] != NULL && step_args[o->id][0] == 'w';
}

/* A lane that can run: the lowest pc's first, or by chance; n: none. */
static uint32_t choose_lane(struct machine *mc, const struct strip *s)
{
	bool by_chance = mc->l->options->schedule_seed != 0;
	uint32_t from = by_chance ? draw(mc) % s->n : 0;
	uint32_t best = s->n;
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t k = (from + i) % s->n;
		if (s->pcs[k] >= PC_WAIT)
			continue;
		if (by_chance)
			return k;
		if (best == s->n || s->pcs[k] < s->pcs[best])
			best = k;
	}
	return best;
}

/* The next op from pc on that begins an instruction: no lane rests inside one,
 * but where it waits for others. */
static uint32_t start_after(const struct machine *mc, uint32_t pc)
{
	const struct op *ops = mc->ops;
	uint32_t end = mc->l->m->op_count;
	while (pc < end && ops[pc].number_in_text == ops[pc - 1].number_in_text)
		pc++;
	return pc < end ? pc : UINT32_MAX;
}

void schedule_group(struct machine *mc, struct strip *s)
{
	const struct exec_options *o = mc->l->options;
	uint32_t lane = choose_lane(mc, s);
	uint32_t most = o->group_lanes;
	s->runs = lane < s->n;
	if (!s->runs)
		return;
	s->pc = s->pcs[lane];
	s->active = 0;
	if (is_warp_op(&mc->ops[s->pc]))
		most = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		bool is_on = s->pcs[i] == s->pc &&
			     (most == 0 || i / most == lane / most);
		s->group_mask[i] = is_on ? UINT32_MAX : 0;
		s->active += is_on;
	}
	s->is_whole = s->active == s->live;
	s->mask = s->active == s->n ? NULL : s->group_mask;
	s->stop_pc = UINT32_MAX;
	if (o->schedule_seed != 0 && draw(mc) % 2 == 0)
		s->stop_pc = start_after(mc, s->pc + 1 + draw(mc) % 16);
}
