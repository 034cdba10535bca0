/*
 * atom and red: lane by lane in thread order, atomic among the host's threads
 * that run other CTAs.
 */
#include <immintrin.h>
#include <string.h>

#include "gpu/exec/priv/soft.h"
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

/* Sums of halves, one or two, subnormal ones as they are. */
static uint64_t half_sum(const struct op *o, uint64_t x, uint64_t y)
{
	bool is_bf16 = (o->imm & HALF_SUM_BF16) != 0;
	uint16_t one = is_bf16 ? 0x3f80u : 0x3c00u;
	uint64_t r = 0;
	for (uint32_t at = 0; at < 8u * o->size; at += 16)
		r |= (uint64_t)soft_fma16((uint16_t)(x >> at), one,
					  (uint16_t)(y >> at), is_bf16,
					  CSR_BASE)
		     << at;
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
			uint64_t old, uint64_t b, uint64_t c)
{
	uint64_t ones = o->size == 4 ? UINT32_MAX : UINT64_MAX;
	switch ((enum op_atom)o->what) {
	case ATOM_ADD:
		if (o->imm != 0)
			return half_sum(o, old, b);
		if (o->number == NUMBER_F)
			return float_sum(mc, o, old, b,
					 o->space != SPACE_SHARED);
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

static uint64_t update16(const struct machine *mc, const struct op *o,
			 uint16_t *host, uint64_t b, uint64_t c)
{
	uint16_t old = __atomic_load_n(host, __ATOMIC_RELAXED), next;
	do {
		next = (uint16_t)changed(mc, o, old, b, c);
	} while (!__atomic_compare_exchange_n(
		host, &old, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return old;
}

static uint64_t update32(const struct machine *mc, const struct op *o,
			 uint32_t *host, uint64_t b, uint64_t c)
{
	uint32_t old = __atomic_load_n(host, __ATOMIC_RELAXED), next;
	do {
		next = (uint32_t)changed(mc, o, old, b, c);
	} while (!__atomic_compare_exchange_n(
		host, &old, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return old;
}

static uint64_t update64(const struct machine *mc, const struct op *o,
			 uint64_t *host, uint64_t b, uint64_t c)
{
	uint64_t old = __atomic_load_n(host, __ATOMIC_RELAXED), next;
	do {
		next = changed(mc, o, old, b, c);
	} while (!__atomic_compare_exchange_n(
		host, &old, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return old;
}

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

enum step step_atom(struct machine *mc, struct strip *s, const struct op *o,
		    const uint32_t *mask, UNUSED uint32_t active)
{
	if (o->csr != mc->csr) {
		mc->csr = o->csr;
		_mm_setcsr(o->csr);
	}
	for (uint32_t i = 0; i < s->n; i++) {
		struct window w;
		uint8_t *host;
		if (!lane_is_on(mask, i))
			continue;
		uint64_t a =
			lane_value(mc, s, o->a, o->is_wide != 0 ? 8 : 4, i) +
			(uint64_t)o->offset;
		if (o->is_wide == 0)
			a = (uint32_t)a;
		if (!machine_reach(mc, s, (enum op_space)o->space, i, a,
				   o->size, true, &host, &w))
			return STEP_STOP;
		if (mc->trace != NULL &&
		    !trace_access(mc, s, o, i, a, host, &w, o->size, true))
			return STEP_STOP;
		uint64_t b = lane_value(mc, s, o->b, o->size, i);
		uint64_t c = lane_value(mc, s, o->c, o->size, i);
		uint64_t v = o->size == 8 ? update64(mc, o, (void *)host, b, c)
			     : o->size == 4
				     ? update32(mc, o, (void *)host, b, c)
				     : update16(mc, o, (void *)host, b, c);
		if (o->flags == 0)
			lane_result(mc, s, o, i, v);
		if (mc->trace != NULL)
			trace_updated(mc, s, o, i, host, &w);
	}
	return STEP_NEXT;
}
