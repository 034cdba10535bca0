/*
 * Races.  Two accesses of one byte by different threads race when nothing
 * orders them, one is a write, they are not both atomic, and they are not
 * both writes of equal bytes.
 *
 * Each entry of a page keeps the writers and the readers that no later access
 * is ordered behind.  Synchronisations have ascending numbers.  lane_seen[t][l]
 * says: what lane l of t's warp did before that number is ordered before t;
 * warp_seen does so between warps, for barriers with a count.  A barrier of
 * the whole CTA begins an epoch, and nothing older is looked at.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/exec/priv/race.h"
#include "gpu/exec/priv/shadow.h"
#include "gpu/exec/priv/trace.h"

/* Numbers fit a stamp's upper bits; from here on history is forgotten. */
#define NUMBER_MAX ((1u << (32 - SET_SHIFT)) - 2)

/* When a CTA starts above this, all stamps start again. */
#define NUMBER_HIGH (NUMBER_MAX / 2)

static uint32_t stamp_of(const struct shadow *h)
{
	return h->number << SET_SHIFT;
}

bool race_setup(const struct launch *l, struct shadow *h)
{
	uint32_t *at = h->bits_memory;
	h->entry_shift = 2;
	h->lane_seen =
		calloc(l->strip_count * STRIP_LANES, sizeof(*h->lane_seen));
	h->arrived_seen = calloc(MACHINE_BARRIERS, sizeof(*h->arrived_seen));
	if (h->lane_seen == NULL || h->arrived_seen == NULL || !calm_setup(h))
		return false;
	for (uint32_t k = 0; k < 6; k++) {
		h->bits[k] = at;
		for (uint32_t i = 0; i < 32u << k; i++)
			*at++ = 1u << (i >> k);
	}
	return true;
}

bool race_need(struct shadow *h, struct page *e)
{
	uint32_t n = PAGE_BYTES >> h->entry_shift;
	if (e->race != NULL && e->race_entries == n)
		return true;
	free(e->race);
	e->race = calloc((size_t)RACE_ARRAYS * n, sizeof(*e->race));
	e->race_entries = n;
	return e->race != NULL;
}

/* Stamps of all pages that there are begin again at nothing. */
static void forget(struct machine *mc)
{
	struct shadow *h = mc->trace->shadow;
	struct pages *p = &mc->trace->pages;
	for (uint32_t i = 0; i < p->made; i++) {
		if (p->list[i]->race != NULL)
			memset(p->list[i]->race, 0,
			       (size_t)RACE_ARRAYS * p->list[i]->race_entries *
				       sizeof(uint32_t));
	}
	for (uint32_t i = 0; i < h->shared_pages; i++) {
		h->shared[i].wrote = h->shared[i].noted = 0;
		if (h->shared[i].race != NULL)
			memset(h->shared[i].race, 0,
			       (size_t)RACE_ARRAYS * h->shared[i].race_entries *
				       sizeof(uint32_t));
	}
	h->number = 1;
}

void race_start(struct machine *mc)
{
	struct shadow *h = mc->trace->shadow;
	if (h->number > NUMBER_HIGH)
		forget(mc);
	h->number++;
	h->start = stamp_of(h);
	h->number++;
	h->epoch = stamp_of(h);
	memset(h->lane_seen, 0,
	       (size_t)mc->l->strip_count * STRIP_LANES *
		       sizeof(*h->lane_seen));
	memset(h->warp_seen, 0, sizeof(h->warp_seen));
	memset(h->arrived, 0, sizeof(h->arrived));
	calm_forget(h);
}

/* A new synchronisation; 0: there are too many, history was forgotten. */
static uint32_t next_number(struct machine *mc)
{
	struct shadow *h = mc->trace->shadow;
	if (h->number < NUMBER_MAX)
		return ++h->number;
	forget(mc);
	race_start(mc);
	return h->number;
}

/* Is all of a set ordered before what thread does now? */
static bool ordered(const struct shadow *h, uint32_t stamp, uint32_t mask,
		    uint32_t thread)
{
	uint32_t number = stamp >> SET_SHIFT, who = stamp & SET_WHO;
	uint32_t warp = thread / 32, lane = thread % 32;
	if (stamp < h->epoch)
		return true;
	if (who != SET_WARPS && who != warp)
		return h->warp_seen[warp][who] > number;
	uint32_t lanes = who == warp		    ? mask
			 : (mask >> warp & 1u) != 0 ? UINT32_MAX
						    : 0;
	for (uint32_t m = lanes & ~(1u << lane); m != 0; m &= m - 1) {
		uint32_t l = (uint32_t)__builtin_ctz(m);
		if (h->lane_seen[thread][l] <= number)
			return false;
	}
	uint32_t warps = who == SET_WARPS ? mask & ~(1u << warp) : 0;
	for (uint32_t m = warps; m != 0; m &= m - 1) {
		if (h->warp_seen[warp][__builtin_ctz(m)] <= number)
			return false;
	}
	return true;
}

/* The set gets thread; it replaces what is ordered before it. */
static void add(const struct shadow *h, uint32_t *stamp, uint32_t *mask,
		uint32_t thread, bool is_open)
{
	uint32_t warp = thread / 32, who = *stamp & SET_WHO;
	uint32_t now = stamp_of(h);
	if (!is_open) {
		*stamp = now | warp;
		*mask = 1u << (thread % 32);
		return;
	}
	if (who == warp) {
		*stamp = now | warp;
		*mask |= 1u << (thread % 32);
		return;
	}
	if (who != SET_WARPS)
		*mask = 1u << who;
	*mask |= 1u << warp;
	*stamp = now | SET_WARPS;
}

struct entry {
	uint32_t *w, *w_mask, *w_op, *r, *r_mask, *r_op;
};

static struct entry entry_of(const struct page *e, uint32_t i)
{
	uint32_t n = e->race_entries;
	uint32_t *p = e->race + i;
	return (struct entry){.w = p + (size_t)RACE_W * n,
			      .w_mask = p + (size_t)RACE_W_MASK * n,
			      .w_op = p + (size_t)RACE_W_OP * n,
			      .r = p + (size_t)RACE_R * n,
			      .r_mask = p + (size_t)RACE_R_MASK * n,
			      .r_op = p + (size_t)RACE_R_OP * n};
}

/*
 * An atomic access comes behind plain writes.  It does not stand for them,
 * since it races with less: they go to the readers, with which all of the
 * others' writes race.
 */
static void demote(const struct shadow *h, struct entry e)
{
	if (*e.r < h->epoch) {
		*e.r = *e.w;
		*e.r_mask = *e.w_mask;
		*e.r_op = *e.w_op;
		return;
	}
	uint32_t r = *e.r & SET_WHO, w = *e.w & SET_WHO;
	uint32_t newest = *e.r > *e.w ? *e.r : *e.w;
	if (*e.w < h->epoch)
		return;
	if (r != w) {
		*e.r_mask = r == SET_WARPS ? *e.r_mask : 1u << r;
		*e.w_mask = w == SET_WARPS ? *e.w_mask : 1u << w;
		r = SET_WARPS;
	}
	*e.r_mask |= *e.w_mask;
	*e.r = (newest >> SET_SHIFT << SET_SHIFT) | r;
}

#define NO_RACE UINT32_MAX

/* The first of a set that is not ordered before what thread does now. */
static struct clash clash_with(const struct shadow *h, uint32_t stamp,
			       uint32_t mask, uint32_t op, uint32_t thread)
{
	uint32_t who = stamp & (SET_WARPS - 1), warp = thread / 32;
	bool is_warps = (stamp & SET_WARPS) != 0;
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		uint32_t k = (uint32_t)__builtin_ctz(m);
		if (is_warps && k == warp)
			continue;
		if (!is_warps && who * 32 + k == thread)
			continue;
		if (ordered(h, stamp, 1u << k, thread))
			continue;
		return (struct clash){.op = op,
				      .thread =
					      is_warps ? k * 32 : who * 32 + k,
				      .threads = is_warps ? 32 : 1};
	}
	return (struct clash){.op = op, .thread = warp * 32, .threads = 32};
}

/* One entry; gives the access that it races with; op NO_RACE: none. */
static struct clash touch_entry(const struct shadow *h, struct entry e,
				const struct touch *t, uint32_t thread,
				uint32_t op, bool changes)
{
	struct clash other = {.op = NO_RACE};
	bool w_atomic = (*e.w & SET_ATOMIC) != 0;
	bool w_open = !ordered(h, *e.w, *e.w_mask, thread);
	bool r_open = !ordered(h, *e.r, *e.r_mask, thread);
	bool equal = t->is_write && !t->is_atomic && !w_atomic && !changes;
	if (w_open && !(t->is_atomic && w_atomic) && !equal)
		other = clash_with(h, *e.w, *e.w_mask, *e.w_op, thread);
	if (!t->is_write) {
		add(h, e.r, e.r_mask, thread, r_open);
		*e.r_op = op;
		return other;
	}
	if (r_open)
		other = clash_with(h, *e.r, *e.r_mask, *e.r_op, thread);
	if (t->is_atomic && *e.w >= h->start && !w_atomic)
		demote(h, e);
	else if (!t->is_atomic && !r_open && *e.r >= h->start)
		*e.r = h->start;
	add(h, e.w, e.w_mask, thread, w_open);
	if (t->is_atomic && (!w_open || w_atomic))
		*e.w |= SET_ATOMIC;
	*e.w_op = op;
	return other;
}

/* Does a store change byte i of what it writes to? */
static bool changes_byte(const struct machine *mc, const struct strip *s,
			 const struct op *o, const struct touch *t, uint32_t i)
{
	const void *v =
		machine_lanes(mc, s, mc->l->m->lists[o->list + i / o->size]);
	uint64_t x = o->size == 8 ? ((const uint64_t *)v)[t->lane]
				  : ((const uint32_t *)v)[t->lane];
	return t->host[i] != (uint8_t)(x >> (8 * (i % o->size)));
}

void race_touch(struct machine *mc, struct strip *s, const struct op *o,
		const struct touch *t)
{
	struct shadow *h = mc->trace->shadow;
	uint32_t each = 1u << h->entry_shift;
	uint32_t op = (uint32_t)(o - mc->ops);
	struct clash other = {.op = NO_RACE};
	for (uint32_t i = 0; i < t->size; i += each) {
		bool changes = t->is_atomic;
		for (uint32_t k = 0; t->is_write && !changes && k < each; k++)
			changes = changes_byte(mc, s, o, t, i + k);
		struct clash with = touch_entry(
			h, entry_of(t->page, (t->at + i) >> h->entry_shift), t,
			s->first + t->lane, op, changes);
		other = other.op == NO_RACE ? with : other;
	}
	if (other.op != NO_RACE)
		shadow_find_race(mc, s, o, t->lane, t->address, other);
}

static uint32_t log2_of(uint32_t v)
{
	return (uint32_t)__builtin_ctz(v);
}

bool race_touch_run(struct machine *mc, struct strip *s, const struct op *o,
		    struct page *e, uint32_t at, uint32_t lane, uint32_t count,
		    uint32_t size, bool is_write)
{
	struct shadow *h = mc->trace->shadow;
	uint32_t k = log2_of(size >> h->entry_shift);
	uint32_t thread = s->first + lane;
	struct entry n = entry_of(e, at >> h->entry_shift);
	struct track_run run = {.w = n.w,
				.w_mask = n.w_mask,
				.w_op = n.w_op,
				.r = n.r,
				.r_mask = n.r_mask,
				.r_op = n.r_op,
				.bits = h->bits[k] + ((thread % 32) << k),
				.n = count << k,
				.epoch = h->epoch,
				.start = h->start,
				.key = stamp_of(h) | thread / 32,
				.op = (uint32_t)(o - mc->ops)};
	return is_write ? h->track->store(&run) : h->track->load(&run);
}

bool race_touch_one(struct machine *mc, struct strip *s, const struct op *o,
		    struct page *e, uint32_t at, uint32_t lane, uint32_t count,
		    uint32_t size)
{
	struct shadow *h = mc->trace->shadow;
	uint32_t thread = s->first + lane, first = thread / 32;
	uint32_t last = (thread + count - 1) / 32;
	uint32_t key = stamp_of(h) | first;
	uint32_t bits = (count == 32 ? UINT32_MAX : (1u << count % 32) - 1)
			<< thread % 32;
	struct entry n = entry_of(e, at >> h->entry_shift);
	uint32_t entries = size >> h->entry_shift;
	for (uint32_t i = 0; i < entries; i++) {
		if (n.w[i] >= h->epoch ||
		    (n.r[i] >= h->epoch && (n.r[i] ^ key) >> SET_SHIFT != 0))
			return false;
	}
	for (uint32_t i = 0; i < entries; i++) {
		uint32_t r = n.r[i], who = r & SET_WHO, m = n.r_mask[i];
		n.r_op[i] = (uint32_t)(o - mc->ops);
		if (first == last && (r < h->epoch || r == key)) {
			n.r[i] = key;
			n.r_mask[i] = r == key ? m | bits : bits;
			continue;
		}
		uint32_t warps = (UINT32_MAX >> (31 - (last - first))) << first;
		if (r >= h->epoch)
			warps |= who == SET_WARPS ? m : 1u << who;
		n.r[i] = stamp_of(h) | SET_WARPS;
		n.r_mask[i] = warps;
	}
	return true;
}

/* The warps that wait at barrier id, by bit; all of the CTA, when it has no
 * count: threads that have exited count as arrived there. */
static uint32_t waiting_warps(const struct machine *mc, uint32_t id,
			      uint32_t all)
{
	uint32_t here = 0;
	for (uint32_t k = 0; k < mc->l->strip_count; k++) {
		const struct strip *s = &mc->strips[k];
		for (uint32_t i = 0; i < s->n; i++) {
			if (s->wait[i] != id + 1)
				continue;
			if (mc->ops[s->resume[i] - 1].b == REF_NONE)
				return all;
			here |= 1u << (s->first + i) / 32;
		}
	}
	return here;
}

void race_barrier(struct machine *mc, uint32_t id)
{
	struct shadow *h = mc->trace->shadow;
	uint32_t all = UINT32_MAX >> (31 - (mc->l->threads - 1) / 32);
	uint32_t here = id == UINT32_MAX ? all : waiting_warps(mc, id, all);
	if (here != all)
		calm_note(mc);
	uint32_t number = next_number(mc);
	if (here == all) {
		calm_forget(h);
		h->epoch = stamp_of(h);
		return;
	}
	uint32_t seen[32] = {0};
	for (uint32_t m = here; m != 0; m &= m - 1) {
		for (uint32_t x = 0; x < 32; x++) {
			uint32_t v = h->warp_seen[__builtin_ctz(m)][x];
			seen[x] = v > seen[x] ? v : seen[x];
		}
		seen[__builtin_ctz(m)] = number;
	}
	for (uint32_t a = 0; a < 32; a++) {
		if (h->arrived[id][a] == 0)
			continue;
		for (uint32_t x = 0; x < 32; x++) {
			uint32_t v = h->arrived_seen[id][a][x];
			seen[x] = v > seen[x] ? v : seen[x];
		}
		h->arrived[id][a] = 0;
	}
	for (uint32_t m = here; m != 0; m &= m - 1) {
		uint32_t w = (uint32_t)__builtin_ctz(m);
		memcpy(h->warp_seen[w], seen, sizeof(seen));
		for (uint32_t t = w * 32; t < w * 32 + 32; t++) {
			for (uint32_t x = 0; x < 32; x++)
				h->lane_seen[t][x] = number;
		}
	}
}

void race_arrive(struct machine *mc, uint32_t id, uint32_t warp)
{
	struct shadow *h = mc->trace->shadow;
	calm_note(mc);
	uint32_t number = next_number(mc);
	uint32_t *seen = h->arrived_seen[id][warp];
	for (uint32_t x = 0; x < 32; x++) {
		uint32_t v = h->warp_seen[warp][x];
		seen[x] =
			h->arrived[id][warp] != 0 && seen[x] > v ? seen[x] : v;
	}
	seen[warp] = number;
	h->arrived[id][warp] = 1;
}

void race_warp_barrier(struct machine *mc, struct strip *s, uint32_t first,
		       uint32_t on, const uint32_t *members)
{
	struct shadow *h = mc->trace->shadow;
	uint32_t left = on, base = s->first + first;
	calm_note(mc);
	while (left != 0) {
		uint32_t l = (uint32_t)__builtin_ctz(left);
		uint32_t group = members[first + l] & on;
		uint32_t seen[32] = {0};
		left &= ~(group | 1u << l);
		if ((group & (group - 1)) == 0)
			continue;
		uint32_t number = next_number(mc);
		for (uint32_t m = group; m != 0; m &= m - 1) {
			const uint32_t *v =
				h->lane_seen[base + (uint32_t)__builtin_ctz(m)];
			for (uint32_t x = 0; x < 32; x++)
				seen[x] = v[x] > seen[x] ? v[x] : seen[x];
		}
		for (uint32_t m = group; m != 0; m &= m - 1)
			seen[__builtin_ctz(m)] = number;
		for (uint32_t m = group; m != 0; m &= m - 1)
			memcpy(h->lane_seen[base + (uint32_t)__builtin_ctz(m)],
			       seen, sizeof(seen));
	}
}
