/*
 * gpu/exec/priv/half - arithmetic of one f16 or bf16.
 *
 * Everything is one exact product and sum in integers, rounded once.  A NaN
 * result is HALF_NAN.
 */
#ifndef WEFT_GPU_EXEC_PRIV_HALF_H
#define WEFT_GPU_EXEC_PRIV_HALF_H

#include "gpu/exec/priv/soft.h"

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

/* The bits of a NaN in 16 bits, in either format, that go with nan32. */
static inline uint32_t half_nan(uint32_t nan32)
{
	return nan32 >> 16 | 1u;
}

#endif /* WEFT_GPU_EXEC_PRIV_HALF_H */
