/*
 * gpu/exec/priv/lanes_half - f16 and bf16, alone and in pairs.
 *
 * A NaN is 0x7fff, or as odd as nan32 says.
 */
#ifndef WEFT_GPU_EXEC_PRIV_LANES_HALF_H
#define WEFT_GPU_EXEC_PRIV_LANES_HALF_H

#include "gpu/exec/priv/half.h"
#include "gpu/exec/priv/lanes_float.h"

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
