/*
 * Lanes of one warp together.  A lane waits until all lanes that its mask
 * names, exist and live have come to the same instruction with the same mask;
 * if they never do, the kernel has no defined result.
 */
#include <string.h>

#include "gpu/exec/priv/race.h"
#include "gpu/exec/priv/shadow.h"
#include "gpu/exec/priv/steps.h"
#include "gpu/exec/priv/trace.h"

struct warp {
	uint32_t first; /* lane in the strip */
	uint32_t on;	/* lanes that execute, by bit */
	uint32_t live;	/* lanes that exist and have not exited */
};

static struct warp warp_at(const struct strip *s, const uint32_t *mask,
			   uint32_t first)
{
	struct warp w = {.first = first};
	for (uint32_t k = 0; k < 32 && first + k < s->n; k++) {
		w.on |= (uint32_t)lane_is_on(mask, first + k) << k;
		w.live |= (s->live_mask[first + k] & 1u) << k;
	}
	return w;
}

enum arrival { ARRIVED, WAITS, BROKEN };

/* Have all the lanes that the masks name arrived?  members: lane's mask. */
static enum arrival warp_arrival(const struct warp *w, const uint32_t *members)
{
	bool waits = false;
	for (uint32_t k = 0; k < 32; k++) {
		if ((w->on >> k & 1u) == 0)
			continue;
		uint32_t need = members[w->first + k] & w->live;
		if ((need >> k & 1u) == 0)
			return BROKEN;
		waits |= (need & ~w->on) != 0;
		for (uint32_t j = 0; j < 32; j++) {
			if ((need & w->on) >> j & 1u &&
			    members[w->first + j] != members[w->first + k])
				return BROKEN;
		}
	}
	return waits ? WAITS : ARRIVED;
}

static bool same_masks(const uint32_t *members, const uint32_t *mask,
		       uint32_t n)
{
	uint32_t differ = 0;
	if (mask != NULL)
		return false;
	for (uint32_t i = 0; i < n; i++)
		differ |= members[i] ^ UINT32_MAX;
	return differ == 0;
}

/* Set the lanes of a warp to wait at this op. */
static void warp_wait(struct strip *s, const struct warp *w)
{
	for (uint32_t k = 0; k < 32; k++) {
		if ((w->on >> k & 1u) == 0)
			continue;
		s->pcs[w->first + k] = PC_WAIT;
		s->resume[w->first + k] = s->pc;
		s->wait[w->first + k] = WAIT_WARP;
	}
}

/* Lanes that wait at this op already run with those of their warp that come
 * now; of other warps nothing has changed. */
static bool wake_waiting(struct machine *mc, struct strip *s,
			 const uint32_t *mask)
{
	bool woken = false;
	for (uint32_t i = 0; i < s->n; i++) {
		if (s->wait[i] != WAIT_WARP || s->resume[i] != s->pc ||
		    warp_at(s, mask, i / 32 * 32).on == 0)
			continue;
		if (!woken)
			strip_set_pcs(mc, s, NULL, s->pc);
		s->wait[i] = 0;
		s->pcs[i] = s->pc;
		woken = true;
	}
	return woken;
}

enum step warp_gather(struct machine *mc, struct strip *s, const uint32_t *mask,
		      op_ref member_ref)
{
	const uint32_t *members = machine_lanes(mc, s, member_ref);
	bool waits = false;
	if (same_masks(members, mask, s->n))
		return STEP_NEXT;
	if (wake_waiting(mc, s, mask))
		return STEP_AGAIN;
	for (uint32_t first = 0; first < s->n; first += 32) {
		struct warp w = warp_at(s, mask, first);
		switch (warp_arrival(&w, members)) {
		case ARRIVED:
			break;
		case WAITS:
			if (!waits)
				strip_set_pcs(mc, s, NULL, s->pc);
			waits = true;
			warp_wait(s, &w);
			break;
		case BROKEN:
			return machine_end(mc, s, EXEC_VOID,
					   EXEC_REASON_bad_sync, first, 0);
		}
	}
	return waits ? STEP_AGAIN : STEP_NEXT;
}

enum step warp_gather_living(struct machine *mc, struct strip *s,
			     const uint32_t *mask)
{
	bool waits = false;
	if (mask == NULL)
		return STEP_NEXT;
	if (wake_waiting(mc, s, mask))
		return STEP_AGAIN;
	for (uint32_t first = 0; first < s->n; first += 32) {
		struct warp w = warp_at(s, mask, first);
		if (w.on == 0 || (w.live & ~w.on) == 0)
			continue;
		if (!waits)
			strip_set_pcs(mc, s, NULL, s->pc);
		waits = true;
		warp_wait(s, &w);
	}
	return waits ? STEP_AGAIN : STEP_NEXT;
}

enum step step_bar_warp(struct machine *mc, struct strip *s, const struct op *o,
			const uint32_t *mask, UNUSED uint32_t active)
{
	enum step r = warp_gather(mc, s, mask, o->a);
	if (r != STEP_NEXT || mc->trace == NULL || mc->trace->shadow == NULL)
		return r;
	for (uint32_t first = 0; first < s->n; first += 32) {
		struct warp w = warp_at(s, mask, first);
		if (w.on != 0)
			race_warp_barrier(mc, s, first, w.on,
					  machine_lanes(mc, s, o->a));
	}
	return r;
}

/* The source lane of lane k, and whether it is in range. */
static uint32_t shfl_source(uint32_t mode, uint32_t k, uint32_t b, uint32_t c,
			    bool *ret_ok)
{
	uint32_t clamp = c & 31u, segment = c >> 8 & 31u;
	uint32_t top = (k & segment) | (clamp & ~segment);
	uint32_t low = k & segment;
	uint32_t j = 0;
	bool ok = false;
	b &= 31u;
	switch (mode) {
	case 1: /* up */
		j = k - b;
		ok = (int32_t)j >= (int32_t)top;
		break;
	case 2: /* down */
		j = k + b;
		ok = j <= top;
		break;
	case 3: /* bfly */
		j = k ^ b;
		ok = j <= top;
		break;
	default: /* idx */
		j = low | (b & ~segment);
		ok = j <= top;
		break;
	}
	*ret_ok = ok;
	return ok ? j : k;
}

/* Is lane j one that takes part with lane i? */
bool shadow_meets(const struct machine *mc, const struct strip *s,
		  const struct op *o, uint32_t i, uint32_t k)
{
	const uint32_t *members = machine_lanes(mc, s, o->f);
	return (members[i] >> (k & 31u) & 1u) != 0;
}

static bool is_member(const struct strip *s, const uint32_t *mask,
		      uint32_t members, uint32_t first, uint32_t j)
{
	return (members >> j & 1u) != 0 && first + j < s->n &&
	       lane_is_on(mask, first + j);
}

struct shfl {
	const uint32_t *a, *b, *c, *members;
	uint32_t *d, *p;
};

static void shfl_warp(struct machine *mc, struct strip *s, const struct op *o,
		      const uint32_t *mask, const struct shfl *v,
		      uint32_t first)
{
	bool has_shadow = mc->trace != NULL && mc->trace->shadow != NULL;
	uint32_t n = s->n - first < 32 ? s->n - first : 32;
	uint32_t old[32] = {0};
	struct tag tags[32];
	memcpy(old, v->a + first, n * sizeof(*old));
	for (uint32_t k = 0; has_shadow && k < n; k++)
		tags[k] = shadow_tag(mc, s, o->a, first + k, false);
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = first + k;
		bool ok;
		if (!lane_is_on(mask, i))
			continue;
		uint32_t j = shfl_source(o->what, k, v->b[i], v->c[i], &ok);
		bool in = is_member(s, mask, v->members[i], first, j);
		if (has_shadow)
			shadow_shuffle(mc, s, o, i, in, tags[j & 31u]);
		v->d[i] = old[j];
		if (v->p != NULL)
			v->p[i] = ok ? UINT32_MAX : 0;
	}
}

enum step step_shfl(struct machine *mc, struct strip *s, const struct op *o,
		    const uint32_t *mask, UNUSED uint32_t active)
{
	enum step r = warp_gather(mc, s, mask, o->f);
	struct shfl v = {.a = machine_lanes(mc, s, o->a),
			 .b = machine_lanes(mc, s, o->b),
			 .c = machine_lanes(mc, s, o->c),
			 .members = machine_lanes(mc, s, o->f),
			 .d = machine_lanes(mc, s, o->d)};
	if (o->e != REF_NONE)
		v.p = machine_lanes(mc, s, o->e);
	for (uint32_t first = 0; r == STEP_NEXT && first < s->n; first += 32)
		shfl_warp(mc, s, o, mask, &v, first);
	return r;
}

enum step step_vote(struct machine *mc, struct strip *s, const struct op *o,
		    const uint32_t *mask, UNUSED uint32_t active)
{
	enum step r = warp_gather(mc, s, mask, o->f);
	const uint32_t *a = machine_lanes(mc, s, o->a);
	const uint32_t *members = machine_lanes(mc, s, o->f);
	uint32_t *d = machine_lanes(mc, s, o->d);
	if (r != STEP_NEXT)
		return r;
	for (uint32_t first = 0; first < s->n; first += 32) {
		struct warp w = warp_at(s, mask, first);
		uint32_t ballot = 0;
		for (uint32_t k = 0; k < 32 && first + k < s->n; k++)
			ballot |= (a[first + k] & 1u) << k;
		for (uint32_t k = 0; k < 32; k++) {
			uint32_t i = first + k;
			if ((w.on >> k & 1u) == 0)
				continue;
			uint32_t in = members[i] & w.on;
			uint32_t on = ballot & in;
			bool result[5] = {false, on == in, on != 0,
					  on == in || on == 0, false};
			d[i] = o->what == 4
				       ? on
				       : (result[o->what] ? UINT32_MAX : 0);
		}
	}
	return STEP_NEXT;
}

static uint64_t match_value(const void *a, uint32_t size, uint32_t i)
{
	return size == 8 ? ((const uint64_t *)a)[i] : ((const uint32_t *)a)[i];
}

enum step step_match(struct machine *mc, struct strip *s, const struct op *o,
		     const uint32_t *mask, UNUSED uint32_t active)
{
	enum step r = warp_gather(mc, s, mask, o->f);
	const void *a = machine_lanes(mc, s, o->a);
	const uint32_t *members = machine_lanes(mc, s, o->f);
	uint32_t *d = machine_lanes(mc, s, o->d);
	uint32_t *p = o->e == REF_NONE ? NULL : machine_lanes(mc, s, o->e);
	if (r != STEP_NEXT)
		return r;
	for (uint32_t first = 0; first < s->n; first += 32) {
		struct warp w = warp_at(s, mask, first);
		uint64_t v[32];
		for (uint32_t k = 0; k < 32 && first + k < s->n; k++)
			v[k] = match_value(a, o->size, first + k);
		for (uint32_t k = 0; k < 32; k++) {
			uint32_t i = first + k, equal = 0;
			if ((w.on >> k & 1u) == 0)
				continue;
			uint32_t in = members[i] & w.on;
			for (uint32_t j = 0; j < 32; j++) {
				if (in >> j & 1u && v[j] == v[k])
					equal |= 1u << j;
			}
			bool all = equal == in;
			d[i] = o->what == 1 && !all ? 0 : equal;
			if (p != NULL)
				p[i] = all ? UINT32_MAX : 0;
		}
	}
	return STEP_NEXT;
}

static uint32_t redux_step(const struct op *o, uint32_t x, uint32_t y)
{
	bool less = o->number == NUMBER_S ? (int32_t)x < (int32_t)y : x < y;
	switch ((enum op_atom)o->what) {
	case ATOM_AND:
		return x & y;
	case ATOM_OR:
		return x | y;
	case ATOM_XOR:
		return x ^ y;
	case ATOM_MIN:
		return less ? x : y;
	case ATOM_MAX:
		return less ? y : x;
	case ATOM_ADD:
	case ATOM_EXCH:
	case ATOM_CAS:
	case ATOM_INC:
	case ATOM_DEC:
		break;
	}
	return x + y;
}

enum step step_redux(struct machine *mc, struct strip *s, const struct op *o,
		     const uint32_t *mask, UNUSED uint32_t active)
{
	enum step r = warp_gather(mc, s, mask, o->f);
	const uint32_t *a = machine_lanes(mc, s, o->a);
	const uint32_t *members = machine_lanes(mc, s, o->f);
	uint32_t *d = machine_lanes(mc, s, o->d);
	if (r != STEP_NEXT)
		return r;
	for (uint32_t first = 0; first < s->n; first += 32) {
		struct warp w = warp_at(s, mask, first);
		uint32_t old[32] = {0};
		for (uint32_t k = 0; k < 32 && first + k < s->n; k++)
			old[k] = a[first + k];
		for (uint32_t k = 0; k < 32; k++) {
			if ((w.on >> k & 1u) == 0)
				continue;
			uint32_t in = members[first + k] & w.on, v = old[k];
			for (uint32_t j = 0; j < 32; j++) {
				if (j != k && (in >> j & 1u) != 0)
					v = redux_step(o, v, old[j]);
			}
			d[first + k] = v;
		}
	}
	return STEP_NEXT;
}

enum step step_activemask(struct machine *mc, struct strip *s,
			  const struct op *o, const uint32_t *mask,
			  UNUSED uint32_t active)
{
	uint32_t *d = machine_lanes(mc, s, o->d);
	for (uint32_t first = 0; first < s->n; first += 32) {
		struct warp w = warp_at(s, mask, first);
		for (uint32_t k = 0; k < 32; k++) {
			if ((w.on >> k & 1u) != 0)
				d[first + k] = w.on;
		}
	}
	return STEP_NEXT;
}
