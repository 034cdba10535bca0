/*
 * gpu/exec/priv/lanes_half - f16 and bf16, alone and in pairs.
 *
 * Everything is one exact product and sum in integers, rounded once.  A NaN
 * is 0x7fff, or as odd as nan32 says.
 */
#ifndef WEFT_GPU_EXEC_PRIV_LANES_HALF_H
#define WEFT_GPU_EXEC_PRIV_LANES_HALF_H

#include "gpu/exec/priv/lanes_float.h"

#define HALF_ONE(is_bf16) ((is_bf16) ? 0x3f80u : 0x3c00u)
#define HALF_INF(is_bf16) ((is_bf16) ? 0x7f80u : 0x7c00u)
#define HALF_NAN	  0x7fffu

static inline uint32_t half_fma(uint32_t x, uint32_t y, uint32_t z, bool bf,
				uint32_t csr)
{
	return soft_fma16((uint16_t)x, (uint16_t)y, (uint16_t)z, bf, csr);
}
/* x * 1 + y; y * -1 + x; x * y + -0. */
static inline uint32_t half_add(uint32_t x, uint32_t y, bool bf, uint32_t csr)
{
	return half_fma(x, HALF_ONE(bf), y, bf, csr);
}
static inline uint32_t half_sub(uint32_t x, uint32_t y, bool bf, uint32_t csr)
{
	return half_fma(y, HALF_ONE(bf) | 0x8000u, x, bf, csr);
}
static inline uint32_t half_mul(uint32_t x, uint32_t y, bool bf, uint32_t csr)
{
	return half_fma(x, y, 0x8000u, bf, csr);
}
static inline bool half_is_nan(uint32_t x, bool bf)
{
	return (x & 0x7fffu) > HALF_INF(bf);
}
static inline uint32_t half_sat(uint32_t r, bool bf)
{
	if (half_is_nan(r, bf) || (r & 0x8000u) != 0)
		return 0;
	return r > HALF_ONE(bf) ? HALF_ONE(bf) : r;
}
static inline uint32_t half_relu(uint32_t r, bool bf)
{
	return !half_is_nan(r, bf) && (r & 0x8000u) != 0 ? 0 : r;
}
static inline uint32_t half_flush(uint32_t x, bool bf, uint32_t csr)
{
	bool tiny = (x & HALF_INF(bf)) == 0;
	return (csr & SOFT_CSR_DAZ) != 0 && tiny ? x & 0x8000u : x;
}
static inline int32_t half_key(uint32_t x)
{
	int32_t v = (int16_t)x;
	return v ^ (int32_t)((uint32_t)(v >> 31) & 0x7fffu);
}
/* which: 0 min, 1 max; + 2: a NaN gives NaN. */
static inline uint32_t half_pick(uint32_t x, uint32_t y, bool bf, uint32_t csr,
				 uint32_t which)
{
	bool nx = half_is_nan(x, bf), ny = half_is_nan(y, bf);
	if ((nx && ny) || ((nx || ny) && which > 1))
		return HALF_NAN;
	x = half_flush(x, bf, csr);
	y = half_flush(y, bf, csr);
	if (nx || ny)
		return nx ? y : x;
	bool first = (which & 1u) != 0 ? half_key(x) > half_key(y)
				       : half_key(x) < half_key(y);
	return first ? x : y;
}
static inline uint32_t half_sign(uint32_t x, bool bf, uint32_t csr, bool neg)
{
	if (half_is_nan(x, bf))
		return HALF_NAN;
	x = half_flush(x, bf, csr);
	return neg ? x ^ 0x8000u : x & 0x7fffu;
}

/* One operation for a single value and a pair of either format. */
#define HALF_LO(v) ((v)&0xffffu)
#define HALF_HI(v) ((v) >> 16)
#define HALF_ROWS(LANES, name, args, expr)              \
	HALF_KIND(LANES, name##_f16, args, false, expr) \
	HALF_KIND(LANES, name##_bf16, args, true, expr)
#define HALF_KIND(LANES, name, args, bf_, expr)                                \
	static inline uint32_t half_##name(uint32_t x, uint32_t y, uint32_t z, \
					   uint32_t csr, uint32_t nan)         \
	{                                                                      \
		const bool bf = bf_;                                           \
		(void)y;                                                       \
		(void)z;                                                       \
		(void)csr;                                                     \
		uint32_t r = (expr)&0xffffu;                                   \
		return half_is_nan(r, bf) ? nan : r;                           \
	}                                                                      \
	static inline uint32_t pair_##name(uint32_t x, uint32_t y, uint32_t z, \
					   uint32_t csr, uint32_t nan)         \
	{                                                                      \
		return half_##name(HALF_LO(x), HALF_LO(y), HALF_LO(z), csr,    \
				   nan) |                                      \
		       half_##name(HALF_HI(x), HALF_HI(y), HALF_HI(z), csr,    \
				   nan)                                        \
			       << 16;                                          \
	}                                                                      \
	LANES(name, half_##name args)                                          \
	LANES(name##x2, pair_##name args)
#define HALF_LANES1(name, expr) LANE1(name, uint32_t, lane_u32, expr)
#define HALF_LANES2(name, expr) LANE2(name, uint32_t, lane_u32, lane_u32, expr)
#define HALF_LANES3(name, expr) \
	LANE3(name, uint32_t, lane_u32, lane_u32, lane_u32, expr)
#define ARGS1 (x, 0, 0, _mm_getcsr(), half_nan(p->nan32))
#define ARGS2 (x, y, 0, _mm_getcsr(), half_nan(p->nan32))
#define ARGS3 (x, y, z, _mm_getcsr(), half_nan(p->nan32))

HALF_ROWS(HALF_LANES2, add, ARGS2, half_add(x, y, bf, csr))
HALF_ROWS(HALF_LANES2, sub, ARGS2, half_sub(x, y, bf, csr))
HALF_ROWS(HALF_LANES2, mul, ARGS2, half_mul(x, y, bf, csr))
HALF_ROWS(HALF_LANES3, fma, ARGS3, half_fma(x, y, z, bf, csr))
HALF_ROWS(HALF_LANES2, add_sat, ARGS2, half_sat(half_add(x, y, bf, csr), bf))
HALF_ROWS(HALF_LANES2, sub_sat, ARGS2, half_sat(half_sub(x, y, bf, csr), bf))
HALF_ROWS(HALF_LANES2, mul_sat, ARGS2, half_sat(half_mul(x, y, bf, csr), bf))
HALF_ROWS(HALF_LANES3, fma_sat, ARGS3, half_sat(half_fma(x, y, z, bf, csr), bf))
HALF_ROWS(HALF_LANES3, fma_relu, ARGS3,
	  half_relu(half_fma(x, y, z, bf, csr), bf))
HALF_ROWS(HALF_LANES2, min, ARGS2, half_pick(x, y, bf, csr, 0))
HALF_ROWS(HALF_LANES2, max, ARGS2, half_pick(x, y, bf, csr, 1))
HALF_ROWS(HALF_LANES2, min_nan, ARGS2, half_pick(x, y, bf, csr, 2))
HALF_ROWS(HALF_LANES2, max_nan, ARGS2, half_pick(x, y, bf, csr, 3))
HALF_ROWS(HALF_LANES1, neg, ARGS1, half_sign(x, bf, csr, true))
HALF_ROWS(HALF_LANES1, abs, ARGS1, half_sign(x, bf, csr, false))

/* From integers. */
LANE1(f16_u64, uint32_t, lane_u64, soft_half_int(x, false, false, _mm_getcsr()))
LANE1(f16_s64, uint32_t, lane_u64, soft_half_int(x, true, false, _mm_getcsr()))
LANE1(bf16_u64, uint32_t, lane_u64, soft_half_int(x, false, true, _mm_getcsr()))
LANE1(bf16_s64, uint32_t, lane_u64, soft_half_int(x, true, true, _mm_getcsr()))

#endif /* WEFT_GPU_EXEC_PRIV_LANES_HALF_H */
