/*
 * atom and red: lane by lane in thread order, atomic among the host's threads
 * that run other CTAs.
 */
#include <immintrin.h>
#include <string.h>

#include "gpu/exec/priv/half.h"
#include "gpu/exec/priv/op_list.h"
#include "gpu/exec/priv/steps.h"
#include "gpu/exec/priv/trace.h"

static uint64_t flush_sign(uint64_t x, uint32_t size)
{
	if (size == 4)
		return (x & 0x7f800000u) == 0 ? x & 0x80000000u : x;
	return x;
}

/* Sums of floats round to nearest; MXCSR is set by the caller. */
static uint64_t float_sum(const struct machine *mc, const struct op *o,
			  uint64_t x, uint64_t y, bool flush)
{
	if (flush) {
		x = flush_sign(x, o->size);
		y = flush_sign(y, o->size);
	}
	if (o->size == 4) {
		uint32_t r, a = (uint32_t)x, b = (uint32_t)y;
		__m128 v =
			_mm_add_ss(_mm_castsi128_ps(_mm_cvtsi32_si128((int)a)),
				   _mm_castsi128_ps(_mm_cvtsi32_si128((int)b)));
		r = (uint32_t)_mm_cvtsi128_si32(_mm_castps_si128(v));
		if ((r & 0x7fffffffu) > 0x7f800000u)
			return mc->nan32;
		return flush ? flush_sign(r, 4) : r;
	}
	__m128d v =
		_mm_add_sd(_mm_castsi128_pd(_mm_cvtsi64_si128((long long)x)),
			   _mm_castsi128_pd(_mm_cvtsi64_si128((long long)y)));
	uint64_t r = (uint64_t)_mm_cvtsi128_si64(_mm_castpd_si128(v));
	return (r & INT64_MAX) > 0x7ff0000000000000u ? mc->nan64 : r;
}

/* Halves, one or two, subnormal ones as they are. */
static uint64_t halves(const struct machine *mc, const struct op *o, uint64_t x,
		       uint64_t y)
{
	bool bf = o->number == NUMBER_BF16;
	uint64_t r = 0;
	for (uint32_t at = 0; at < 8u * o->size; at += 16) {
		uint32_t a = x >> at & 0xffffu, b = y >> at & 0xffffu;
		uint32_t v = o->what == ATOM_ADD
				     ? half_add(a, b, bf, CSR_BASE)
				     : half_pick(a, b, bf, CSR_BASE,
						 o->what == ATOM_MAX);
		r |= (uint64_t)(half_is_nan(v, bf) ? half_nan(mc->nan32) : v)
		     << at;
	}
	return r;
}

static bool is_less(const struct op *o, uint64_t x, uint64_t y)
{
	if (o->number == NUMBER_U)
		return x < y;
	if (o->size == 4)
		return (int32_t)(uint32_t)x < (int32_t)(uint32_t)y;
	return (int64_t)x < (int64_t)y;
}

static uint64_t changed(const struct machine *mc, const struct op *o,
			uint64_t old, uint64_t b, uint64_t c, bool is_own)
{
	uint64_t ones = o->size == 4 ? UINT32_MAX : UINT64_MAX;
	if (o->number >= NUMBER_F16)
		return halves(mc, o, old, b);
	switch ((enum op_atom)o->what) {
	case ATOM_ADD:
		if (o->number == NUMBER_F)
			return float_sum(mc, o, old, b, !is_own);
		return (old + b) & ones;
	case ATOM_AND:
		return old & b;
	case ATOM_OR:
		return old | b;
	case ATOM_XOR:
		return old ^ b;
	case ATOM_MIN:
		return is_less(o, b, old) ? b : old;
	case ATOM_MAX:
		return is_less(o, old, b) ? b : old;
	case ATOM_EXCH:
		return b;
	case ATOM_CAS:
		return old == b ? c : old;
	case ATOM_INC:
		return old >= b ? 0 : old + 1;
	case ATOM_DEC:
		return old == 0 || old > b ? b : old - 1;
	}
	return old;
}

/* Change what is at host; gives what was there.  is_own: it is no buffer, so no
 * other thread of the host sees it, and sums of floats keep subnormals (PTX
 * ISA, atom: those in global memory flush them). */
#define UPDATE(bits)                                                        \
	static uint64_t update##bits(const struct machine *mc,              \
				     const struct op *o, void *host,        \
				     uint64_t b, uint64_t c, bool is_own)   \
	{                                                                   \
		uint##bits##_t *at = host, next;                            \
		uint##bits##_t old = __atomic_load_n(at, __ATOMIC_RELAXED); \
		if (is_own) {                                               \
			*at = (uint##bits##_t)changed(mc, o, old, b, c,     \
						      is_own);              \
			return old;                                         \
		}                                                           \
		do                                                          \
			next = (uint##bits##_t)changed(mc, o, old, b, c,    \
						       is_own);             \
		while (!__atomic_compare_exchange_n(at, &old, next, false,  \
						    __ATOMIC_RELAXED,       \
						    __ATOMIC_RELAXED));     \
		return old;                                                 \
	}

UPDATE(16)
UPDATE(32)
UPDATE(64)

static uint64_t lane_value(struct machine *mc, struct strip *s, op_ref r,
			   uint32_t size, uint32_t lane)
{
	if (r == REF_NONE)
		return 0;
	const void *p = machine_lanes(mc, s, r);
	if (size == 2)
		return (uint16_t)((const uint32_t *)p)[lane];
	return size == 8 ? ((const uint64_t *)p)[lane]
			 : ((const uint32_t *)p)[lane];
}

static void lane_result(struct machine *mc, struct strip *s, const struct op *o,
			uint32_t lane, uint64_t v)
{
	void *d = machine_lanes(mc, s, o->d);
	if (o->size == 8)
		((uint64_t *)d)[lane] = v;
	else
		((uint32_t *)d)[lane] = (uint32_t)v;
}

/* The window that lanes before this one reached holds all of its access, too.
 */
static bool is_within(const struct window *w, uint64_t address, uint64_t size)
{
	return w->is_writable && !w->is_stack && !w->is_per_lane &&
	       (address & (size - 1)) == 0 && w->bytes >= size &&
	       address - w->base <= w->bytes - size;
}

/* Where the lane's access goes, noted by a trace; false: the CTA has ended.
 * w: of an access before, or zero. */
static bool lane_reach(struct machine *mc, struct strip *s, const struct op *o,
		       uint32_t lane, uint8_t **ret_host, struct window *w)
{
	uint64_t a = lane_value(mc, s, o->a, o->is_wide != 0 ? 8 : 4, lane) +
		     (uint64_t)o->offset;
	if (o->is_wide == 0)
		a = (uint32_t)a;
	if (is_within(w, a, o->imm))
		*ret_host = w->host + (a - w->base);
	else if (!machine_reach(mc, s, (enum op_space)o->space, lane, a, o->imm,
				true, ret_host, w))
		return false;
	return mc->trace == NULL ||
	       trace_access(mc, s, o, lane, a, *ret_host, w,
			    (uint32_t)o->size * o->vec, true);
}

enum step step_atom(struct machine *mc, struct strip *s, const struct op *o,
		    const uint32_t *mask, UNUSED uint32_t active)
{
	if (o->csr != mc->csr) {
		mc->csr = o->csr;
		_mm_setcsr(o->csr);
	}
	struct window w = {0};
	for (uint32_t i = 0; i < s->n; i++) {
		uint8_t *host;
		if (!lane_is_on(mask, i))
			continue;
		if (!lane_reach(mc, s, o, i, &host, &w))
			return STEP_STOP;
		bool is_own = w.buffer == UINT32_MAX;
		uint64_t b = lane_value(mc, s, o->b, o->size, i);
		uint64_t c = lane_value(mc, s, o->c, o->size, i);
		uint64_t v = o->size == 8 ? update64(mc, o, host, b, c, is_own)
			     : o->size == 4
				     ? update32(mc, o, host, b, c, is_own)
				     : update16(mc, o, host, b, c, is_own);
		if (o->flags == 0)
			lane_result(mc, s, o, i, v);
		if (mc->trace != NULL)
			trace_updated(mc, s, o, i, host, &w);
	}
	return STEP_NEXT;
}

/* Of 16 bytes at a host's address: the CPU's own exchange of so many wants
 * them aligned there, too. */
#define WIDE_LOCKS 64u
static uint8_t wide_locks[WIDE_LOCKS];

struct wide {
	uint64_t part[2];
};

static struct wide update_wide(const struct op *o, uint8_t *host,
			       const struct wide *b, const struct wide *c)
{
	uint8_t *lock = &wide_locks[(uintptr_t)host / 16 % WIDE_LOCKS];
	struct wide old;
	while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) != 0)
		_mm_pause();
	memcpy(&old, host, sizeof(old));
	if (o->what == ATOM_EXCH)
		memcpy(host, b, sizeof(*b));
	else if (memcmp(&old, b, sizeof(old)) == 0)
		memcpy(host, c, sizeof(*c));
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
	return old;
}

static uint64_t *list_lanes(struct machine *mc, struct strip *s,
			    const struct op *o, uint32_t i)
{
	return machine_lanes(mc, s, mc->l->m->lists[o->list + i]);
}

enum step step_atom_wide(struct machine *mc, struct strip *s,
			 const struct op *o, const uint32_t *mask,
			 UNUSED uint32_t active)
{
	uint64_t *lanes[6] = {NULL}; /* of d, b, c */
	struct window w = {0};
	uint32_t n = op_list_writes(o) + op_list_reads(o);
	for (uint32_t k = 0; k < n; k++)
		lanes[k] = list_lanes(mc, s, o, k);
	for (uint32_t i = 0; i < s->n; i++) {
		struct wide b, c = {{0}};
		uint8_t *host;
		if (!lane_is_on(mask, i))
			continue;
		if (!lane_reach(mc, s, o, i, &host, &w))
			return STEP_STOP;
		for (uint32_t k = 0; k < 2; k++) {
			b.part[k] = lanes[2 + k][i];
			c.part[k] = n > 4 ? lanes[4 + k][i] : 0;
		}
		struct wide old = update_wide(o, host, &b, &c);
		for (uint32_t k = 0; k < 2; k++)
			lanes[k][i] = old.part[k];
	}
	return STEP_NEXT;
}
