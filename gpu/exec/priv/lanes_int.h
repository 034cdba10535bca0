/*
 * gpu/exec/priv/lanes_int - integer arithmetic, logic, shifts and carries.
 */
#ifndef WEFT_GPU_EXEC_PRIV_LANES_INT_H
#define WEFT_GPU_EXEC_PRIV_LANES_INT_H

#include "gpu/exec/priv/lanes_macros.h"

__extension__ typedef unsigned __int128 lane_u128;
__extension__ typedef __int128 lane_s128;

static inline uint64_t mulhi_u64(uint64_t x, uint64_t y)
{
	return (uint64_t)(((lane_u128)x * y) >> 64);
}

static inline uint64_t mulhi_s64(int64_t x, int64_t y)
{
	return (uint64_t)(((lane_s128)x * y) >> 64);
}

static inline uint32_t mulhi_u32(uint32_t x, uint32_t y)
{
	return (uint32_t)(((uint64_t)x * y) >> 32);
}

static inline uint32_t mulhi_s32(int32_t x, int32_t y)
{
	return (uint32_t)((uint64_t)((int64_t)x * y) >> 32);
}

/* Add and subtract, the same for both signs. */
LANE2(add_16, uint32_t, lane_u32, lane_u32, U16(x + y))
LANE2U(add_32, uint32_t, lane_u32, lane_u32, x + y)
LANE2U(add_64, uint64_t, lane_u64, lane_u64, x + y)
LANE2(sub_16, uint32_t, lane_u32, lane_u32, U16(x - y))
LANE2U(sub_32, uint32_t, lane_u32, lane_u32, x - y)
LANE2U(sub_64, uint64_t, lane_u64, lane_u64, x - y)

static inline uint32_t sat_s32(int64_t v)
{
	v = v < INT32_MIN ? INT32_MIN : v;
	return (uint32_t)(v > INT32_MAX ? INT32_MAX : v);
}

LANE2(add_sat_s32, uint32_t, lane_s32, lane_s32, sat_s32((int64_t)x + y))
LANE2(sub_sat_s32, uint32_t, lane_s32, lane_s32, sat_s32((int64_t)x - y))

/* Packed halves. */
static inline uint32_t add_16x2(uint32_t x, uint32_t y)
{
	return U16(x + y) | (((x >> 16) + (y >> 16)) << 16);
}
LANE2(add_16x2, uint32_t, lane_u32, lane_u32, add_16x2(x, y))

/* Carries.  The flag is 0 or 1; subtraction leaves NOT borrow. */
LANE2_E(add_cc_32, uint32_t, lane_u32, lane_u32, x + y, r < x)
LANE2_E(add_cc_64, uint64_t, lane_u64, lane_u64, x + y, r < x)
LANE3(addc_32, uint32_t, lane_u32, lane_u32, lane_u32, x + y + z)
LANE3(addc_64, uint64_t, lane_u64, lane_u64, lane_u32, x + y + z)
LANE3_E(addc_cc_32, uint32_t, lane_u32, lane_u32, lane_u32, x + y + z,
	((uint64_t)x + y + z) >> 32)
LANE3_E(addc_cc_64, uint64_t, lane_u64, lane_u64, lane_u32, x + y + z,
	r < x || (z && r == x))
LANE2_E(sub_cc_32, uint32_t, lane_u32, lane_u32, x - y, x >= y)
LANE2_E(sub_cc_64, uint64_t, lane_u64, lane_u64, x - y, x >= y)
LANE3(subc_32, uint32_t, lane_u32, lane_u32, lane_u32, x - y - (z ^ 1u))
LANE3(subc_64, uint64_t, lane_u64, lane_u64, lane_u32, x - y - (z ^ 1u))
LANE3_E(subc_cc_32, uint32_t, lane_u32, lane_u32, lane_u32, x - y - (z ^ 1u),
	x > y || (z && x == y))
LANE3_E(subc_cc_64, uint64_t, lane_u64, lane_u64, lane_u32, x - y - (z ^ 1u),
	x > y || (z && x == y))

/* Products. */
LANE2(mul_lo_16, uint32_t, lane_u32, lane_u32, U16(x *y))
LANE2U(mul_lo_32, uint32_t, lane_u32, lane_u32, x *y)
LANE2U(mul_lo_64, uint64_t, lane_u64, lane_u64, x *y)
LANE2(mul_hi_u16, uint32_t, lane_u32, lane_u32, (x * y) >> 16)
LANE2(mul_hi_s16, uint32_t, lane_u32, lane_u32,
      U16((uint32_t)(S16(x) * S16(y)) >> 16))
LANE2(mul_hi_u32, uint32_t, lane_u32, lane_u32, mulhi_u32(x, y))
LANE2(mul_hi_s32, uint32_t, lane_s32, lane_s32, mulhi_s32(x, y))
LANE2(mul_hi_u64, uint64_t, lane_u64, lane_u64, mulhi_u64(x, y))
LANE2(mul_hi_s64, uint64_t, lane_s64, lane_s64, mulhi_s64(x, y))
LANE2(mul_wide_u16, uint32_t, lane_u32, lane_u32, x *y)
LANE2(mul_wide_s16, uint32_t, lane_u32, lane_u32, S16(x) * S16(y))
LANE2U(mul_wide_u32, uint64_t, lane_u32, lane_u32, (uint64_t)x *y)
LANE2U(mul_wide_s32, uint64_t, lane_s32, lane_s32, (int64_t)x *y)
LANE3(mad_lo_16, uint32_t, lane_u32, lane_u32, lane_u32, U16(x *y + z))
LANE3U(mad_lo_32, uint32_t, lane_u32, lane_u32, lane_u32, x *y + z)
LANE3(mad_lo_64, uint64_t, lane_u64, lane_u64, lane_u64, x *y + z)
LANE3(mad_hi_u16, uint32_t, lane_u32, lane_u32, lane_u32,
      U16(((x * y) >> 16) + z))
LANE3(mad_hi_s16, uint32_t, lane_u32, lane_u32, lane_u32,
      U16(((uint32_t)(S16(x) * S16(y)) >> 16) + z))
LANE3(mad_hi_u32, uint32_t, lane_u32, lane_u32, lane_u32, mulhi_u32(x, y) + z)
LANE3(mad_hi_s32, uint32_t, lane_s32, lane_s32, lane_u32, mulhi_s32(x, y) + z)
LANE3(mad_hi_sat_s32, uint32_t, lane_s32, lane_s32, lane_s32,
      sat_s32((int64_t)(int32_t)mulhi_s32(x, y) + z))
LANE3(mad_hi_u64, uint64_t, lane_u64, lane_u64, lane_u64, mulhi_u64(x, y) + z)
LANE3(mad_hi_s64, uint64_t, lane_s64, lane_s64, lane_u64, mulhi_s64(x, y) + z)
LANE3(mad_wide_u16, uint32_t, lane_u32, lane_u32, lane_u32, x *y + z)
LANE3(mad_wide_s16, uint32_t, lane_u32, lane_u32, lane_u32,
      (uint32_t)(S16(x) * S16(y)) + z)
LANE3(mad_wide_u32, uint64_t, lane_u32, lane_u32, lane_u64, (uint64_t)x *y + z)
LANE3(mad_wide_s32, uint64_t, lane_s32, lane_s32, lane_u64,
      (uint64_t)((int64_t)x *y) + z)

/* Products with carries: the product's half, then the addition. */
#define MAD_CARRY(name, T, P, product)                                        \
	LANE3_E(mad_##name##_cc, T, P, P, T, (T)(product) + z, r < z)         \
	LANE4(madc_##name, T, P, P, T, lane_u32, (T)(product) + z + w)        \
	LANE4_E(madc_##name##_cc, T, P, P, T, lane_u32, (T)(product) + z + w, \
		r < z || (w && r == z))
MAD_CARRY(lo_32, uint32_t, lane_u32, x *y)
MAD_CARRY(lo_64, uint64_t, lane_u64, x *y)
MAD_CARRY(hi_u32, uint32_t, lane_u32, mulhi_u32(x, y))
MAD_CARRY(hi_s32, uint32_t, lane_s32, mulhi_s32(x, y))
MAD_CARRY(hi_u64, uint64_t, lane_u64, mulhi_u64(x, y))
MAD_CARRY(hi_s64, uint64_t, lane_s64, mulhi_s64(x, y))

/* 24 bits. */
static inline int32_t s24(uint32_t x)
{
	return (int32_t)(x << 8) >> 8;
}
static inline uint32_t u24(uint32_t x)
{
	return x & 0xffffffu;
}
static inline uint32_t mul24_hi_u32(uint32_t x, uint32_t y)
{
	return (uint32_t)(((uint64_t)u24(x) * u24(y)) >> 16);
}
static inline uint32_t mul24_hi_s32(uint32_t x, uint32_t y)
{
	return (uint32_t)((uint64_t)((int64_t)s24(x) * s24(y)) >> 16);
}
static inline uint32_t mul24_lo_s32(uint32_t x, uint32_t y)
{
	return (uint32_t)((int64_t)s24(x) * s24(y));
}
LANE2(mul24_lo_u32, uint32_t, lane_u32, lane_u32, u24(x) * u24(y))
LANE2(mul24_lo_s32, uint32_t, lane_u32, lane_u32, mul24_lo_s32(x, y))
LANE2(mul24_hi_u32, uint32_t, lane_u32, lane_u32, mul24_hi_u32(x, y))
LANE2(mul24_hi_s32, uint32_t, lane_u32, lane_u32, mul24_hi_s32(x, y))
LANE3(mad24_lo_u32, uint32_t, lane_u32, lane_u32, lane_u32, u24(x) * u24(y) + z)
LANE3(mad24_lo_s32, uint32_t, lane_u32, lane_u32, lane_u32,
      mul24_lo_s32(x, y) + z)
LANE3(mad24_hi_u32, uint32_t, lane_u32, lane_u32, lane_u32,
      mul24_hi_u32(x, y) + z)
LANE3(mad24_hi_s32, uint32_t, lane_u32, lane_u32, lane_u32,
      mul24_hi_s32(x, y) + z)
LANE3(mad24_hi_sat_s32, uint32_t, lane_u32, lane_u32, lane_s32,
      sat_s32((int64_t)(int32_t)mul24_hi_s32(x, y) + z))

/* Quotients.  By zero: all ones, and the dividend as the remainder. */
static inline uint32_t div_u32(uint32_t x, uint32_t y)
{
	return y == 0 ? UINT32_MAX : x / y;
}
static inline uint32_t rem_u32(uint32_t x, uint32_t y)
{
	return y == 0 ? x : x % y;
}
static inline uint64_t div_u64(uint64_t x, uint64_t y)
{
	return y == 0 ? UINT64_MAX : x / y;
}
static inline uint64_t rem_u64(uint64_t x, uint64_t y)
{
	return y == 0 ? x : x % y;
}
static inline uint64_t div_s64(int64_t x, int64_t y)
{
	if (y == 0)
		return UINT64_MAX;
	return y == -1 ? 0u - (uint64_t)x : (uint64_t)(x / y);
}
static inline uint64_t rem_s64(int64_t x, int64_t y)
{
	if (y == 0)
		return (uint64_t)x;
	return y == -1 ? 0u : (uint64_t)(x % y);
}
LANE2(div_u16, uint32_t, lane_u32, lane_u32, U16(div_u32(x, y)))
LANE2(div_s16, uint32_t, lane_u32, lane_u32, U16(div_s64(S16(x), S16(y))))
LANE2(div_u32, uint32_t, lane_u32, lane_u32, div_u32(x, y))
LANE2(div_s32, uint32_t, lane_s32, lane_s32, div_s64(x, y))
LANE2(div_u64, uint64_t, lane_u64, lane_u64, div_u64(x, y))
LANE2(div_s64, uint64_t, lane_s64, lane_s64, div_s64(x, y))
LANE2(rem_u16, uint32_t, lane_u32, lane_u32, rem_u32(x, y))
LANE2(rem_s16, uint32_t, lane_u32, lane_u32, U16(rem_s64(S16(x), S16(y))))
LANE2(rem_u32, uint32_t, lane_u32, lane_u32, rem_u32(x, y))
LANE2(rem_s32, uint32_t, lane_s32, lane_s32, rem_s64(x, y))
LANE2(rem_u64, uint64_t, lane_u64, lane_u64, rem_u64(x, y))
LANE2(rem_s64, uint64_t, lane_s64, lane_s64, rem_s64(x, y))

/* Magnitudes and extremes. */
LANE1(abs_s16, uint32_t, lane_u32, U16(S16(x) < 0 ? 0u - x : x))
LANE1(abs_s32, uint32_t, lane_s32, x < 0 ? 0u - (uint32_t)x : (uint32_t)x)
LANE1(abs_s64, uint64_t, lane_s64, x < 0 ? 0u - (uint64_t)x : (uint64_t)x)
LANE1(neg_16, uint32_t, lane_u32, U16(0u - x))
LANE1(neg_32, uint32_t, lane_u32, 0u - x)
LANE1(neg_64, uint64_t, lane_u64, 0u - x)
LANE2U(min_u32, uint32_t, lane_u32, lane_u32, x < y ? x : y)
LANE2U(min_s32, uint32_t, lane_s32, lane_s32, x < y ? x : y)
LANE2(min_s16, uint32_t, lane_u32, lane_u32, S16(x) < S16(y) ? x : y)
LANE2(min_u64, uint64_t, lane_u64, lane_u64, x < y ? x : y)
LANE2(min_s64, uint64_t, lane_s64, lane_s64, x < y ? x : y)
LANE2U(max_u32, uint32_t, lane_u32, lane_u32, x > y ? x : y)
LANE2U(max_s32, uint32_t, lane_s32, lane_s32, x > y ? x : y)
LANE2(max_s16, uint32_t, lane_u32, lane_u32, S16(x) > S16(y) ? x : y)
LANE2(max_u64, uint64_t, lane_u64, lane_u64, x > y ? x : y)
LANE2(max_s64, uint64_t, lane_s64, lane_s64, x > y ? x : y)
LANE2(min_relu_s32, uint32_t, lane_s32, lane_s32,
      (x < y ? x : y) < 0 ? 0 : (x < y ? x : y))
LANE2(max_relu_s32, uint32_t, lane_s32, lane_s32,
      (x > y ? x : y) < 0 ? 0 : (x > y ? x : y))

/* Two 16-bit values in one register. */
#define PAIR16(lo, hi) (U16(lo) | ((uint32_t)(hi) << 16))
#define MIN16X2(name, T, op)                                                  \
	static inline uint32_t name(uint32_t x, uint32_t y)                   \
	{                                                                     \
		T x0 = (T)x, x1 = (T)(x >> 16), y0 = (T)y, y1 = (T)(y >> 16); \
		return PAIR16((uint32_t)(x0 op y0 ? x0 : y0),                 \
			      (uint32_t)(x1 op y1 ? x1 : y1));                \
	}                                                                     \
	LANE2(name, uint32_t, lane_u32, lane_u32, name(x, y))
MIN16X2(min_u16x2, uint16_t, <)
MIN16X2(min_s16x2, int16_t, <)
MIN16X2(max_u16x2, uint16_t, >)
MIN16X2(max_s16x2, int16_t, >)

/* Sum of absolute differences; the difference wraps in its own width. */
static inline uint32_t sad_s16(uint32_t x, uint32_t y, uint32_t z)
{
	uint32_t diff = S16(x) < S16(y) ? y - x : x - y;
	return U16(z + diff);
}
LANE3(sad_u16, uint32_t, lane_u32, lane_u32, lane_u32,
      U16(z + (x < y ? y - x : x - y)))
LANE3(sad_s16, uint32_t, lane_u32, lane_u32, lane_u32, sad_s16(x, y, z))
LANE3(sad_u32, uint32_t, lane_u32, lane_u32, lane_u32,
      z + (x < y ? y - x : x - y))
LANE3(sad_s32, uint32_t, lane_s32, lane_s32, lane_u32,
      z + (x < y ? (uint32_t)y - (uint32_t)x : (uint32_t)x - (uint32_t)y))
LANE3(sad_u64, uint64_t, lane_u64, lane_u64, lane_u64,
      z + (x < y ? y - x : x - y))
LANE3(sad_s64, uint64_t, lane_s64, lane_s64, lane_u64,
      z + (x < y ? (uint64_t)y - (uint64_t)x : (uint64_t)x - (uint64_t)y))

/* Dot products of bytes. */
static inline int32_t byte_of(uint32_t x, uint32_t i, bool is_signed)
{
	uint32_t v = (x >> (8 * i)) & 0xffu;
	return is_signed ? (int32_t)(int8_t)v : (int32_t)v;
}
static inline uint32_t dp4a(uint32_t x, uint32_t y, uint32_t z, bool sx,
			    bool sy)
{
	for (uint32_t i = 0; i < 4; i++)
		z += (uint32_t)(byte_of(x, i, sx) * byte_of(y, i, sy));
	return z;
}
static inline int32_t half_of(uint32_t x, uint32_t i, bool is_signed)
{
	uint32_t v = (x >> (16 * i)) & 0xffffu;
	return is_signed ? (int32_t)(int16_t)v : (int32_t)v;
}
static inline uint32_t dp2a(uint32_t x, uint32_t y, uint32_t z, uint32_t type,
			    uint32_t first)
{
	bool sx = (type & 1) != 0, sy = (type & 2) != 0;
	for (uint32_t i = 0; i < 2; i++)
		z += (uint32_t)(half_of(x, i, sx) * byte_of(y, first + i, sy));
	return z;
}
LANE3(dp4a_uu, uint32_t, lane_u32, lane_u32, lane_u32, dp4a(x, y, z, 0, 0))
LANE3(dp4a_us, uint32_t, lane_u32, lane_u32, lane_u32, dp4a(x, y, z, 0, 1))
LANE3(dp4a_su, uint32_t, lane_u32, lane_u32, lane_u32, dp4a(x, y, z, 1, 0))
LANE3(dp4a_ss, uint32_t, lane_u32, lane_u32, lane_u32, dp4a(x, y, z, 1, 1))
LANE3(dp2a_lo_uu, uint32_t, lane_u32, lane_u32, lane_u32, dp2a(x, y, z, 0, 0))
LANE3(dp2a_lo_su, uint32_t, lane_u32, lane_u32, lane_u32, dp2a(x, y, z, 1, 0))
LANE3(dp2a_lo_us, uint32_t, lane_u32, lane_u32, lane_u32, dp2a(x, y, z, 2, 0))
LANE3(dp2a_lo_ss, uint32_t, lane_u32, lane_u32, lane_u32, dp2a(x, y, z, 3, 0))
LANE3(dp2a_hi_uu, uint32_t, lane_u32, lane_u32, lane_u32, dp2a(x, y, z, 0, 2))
LANE3(dp2a_hi_su, uint32_t, lane_u32, lane_u32, lane_u32, dp2a(x, y, z, 1, 2))
LANE3(dp2a_hi_us, uint32_t, lane_u32, lane_u32, lane_u32, dp2a(x, y, z, 2, 2))
LANE3(dp2a_hi_ss, uint32_t, lane_u32, lane_u32, lane_u32, dp2a(x, y, z, 3, 2))

#endif /* WEFT_GPU_EXEC_PRIV_LANES_INT_H */
