/*
 * gpu/exec/priv/lanes_bits - logic, shifts, bit fields and permutations.
 */
#ifndef WEFT_GPU_EXEC_PRIV_LANES_BITS_H
#define WEFT_GPU_EXEC_PRIV_LANES_BITS_H

#include "gpu/exec/priv/lanes_macros.h"

LANE2U(and_32, uint32_t, lane_u32, lane_u32, x &y)
LANE2U(and_64, uint64_t, lane_u64, lane_u64, x &y)
LANE2U(or_32, uint32_t, lane_u32, lane_u32, x | y)
LANE2U(or_64, uint64_t, lane_u64, lane_u64, x | y)
LANE2U(xor_32, uint32_t, lane_u32, lane_u32, x ^ y)
LANE2U(xor_64, uint64_t, lane_u64, lane_u64, x ^ y)
LANE1(not_16, uint32_t, lane_u32, U16(~x))
LANE1(not_32, uint32_t, lane_u32, ~x)
LANE1(not_64, uint64_t, lane_u64, ~x)
LANE1(cnot_32, uint32_t, lane_u32, x == 0 ? 1u : 0u)
LANE1(cnot_64, uint64_t, lane_u64, x == 0 ? 1u : 0u)
LANE1U(mov_32, uint32_t, lane_u32, x)
LANE1U(mov_64, uint64_t, lane_u64, x)

/* Any function of three bits by its table. */
static inline uint32_t lop3(uint32_t x, uint32_t y, uint32_t z, uint32_t lut)
{
	uint32_t r = 0;
	for (uint32_t i = 0; i < 8; i++) {
		uint32_t term =
			(i & 4 ? x : ~x) & (i & 2 ? y : ~y) & (i & 1 ? z : ~z);
		r |= (0u - (lut >> i & 1u)) & term;
	}
	return r;
}
static inline uint32_t lop3_xor(uint32_t x, uint32_t y, uint32_t z)
{
	return x ^ y ^ z;
}
LANE3U(lop3_any, uint32_t, lane_u32, lane_u32, lane_u32, lop3(x, y, z, p->imm))
LANE3(lop3_96, uint32_t, lane_u32, lane_u32, lane_u32, lop3_xor(x, y, z))
LANE3(lop3_ca, uint32_t, lane_u32, lane_u32, lane_u32, (x & y) | (~x & z))
LANE3(lop3_e8, uint32_t, lane_u32, lane_u32, lane_u32,
      (x & y) | (x & z) | (y & z))

/* The tables that programs use most have loops of their own. */
static void lane_lop3(const struct lane_args *args)
{
	if (args->op->imm == 0x96u)
		lane_lop3_96(args);
	else if (args->op->imm == 0xcau)
		lane_lop3_ca(args);
	else if (args->op->imm == 0xe8u)
		lane_lop3_e8(args);
	else
		lane_lop3_any(args);
}

/* lop3 with a predicate: (d != 0) or / and q. */
LANE4_E(lop3_or, uint32_t, lane_u32, lane_u32, lane_u32, lane_u32,
	lop3(x, y, z, p->imm), PRED(r != 0) | w)
LANE4_E(lop3_and, uint32_t, lane_u32, lane_u32, lane_u32, lane_u32,
	lop3(x, y, z, p->imm), PRED(r != 0) & w)

/* Amounts of the width or more clamp. */
LANE2(shl_16, uint32_t, lane_u32, lane_u32, y > 15 ? 0u : U16(x << (y & 15)))
LANE2U(shl_32, uint32_t, lane_u32, lane_u32, y > 31 ? 0u : x << (y & 31))
LANE2U(shl_64, uint64_t, lane_u64, lane_u32, y > 63 ? 0u : x << (y & 63))
LANE2(shr_u16, uint32_t, lane_u32, lane_u32, y > 15 ? 0u : x >> (y & 15))
LANE2U(shr_u32, uint32_t, lane_u32, lane_u32, y > 31 ? 0u : x >> (y & 31))
LANE2U(shr_u64, uint64_t, lane_u64, lane_u32, y > 63 ? 0u : x >> (y & 63))
LANE2(shr_s16, uint32_t, lane_u32, lane_u32, U16(S16(x) >> (y > 15 ? 15 : y)))
LANE2U(shr_s32, uint32_t, lane_s32, lane_u32, x >> (y > 31 ? 31 : y))
LANE2(shr_s64, uint64_t, lane_s64, lane_u32, x >> (y > 63 ? 63 : y))

/* Funnel shifts of y:x, 0 <= n <= 31, without a shift by 32. */
static inline uint32_t shf_l(uint32_t x, uint32_t y, uint32_t n)
{
	return (y << n) | ((x >> 1) >> (31 - n));
}
static inline uint32_t shf_r(uint32_t x, uint32_t y, uint32_t n)
{
	return (x >> n) | ((y << 1) << (31 - n));
}
LANE3(shf_l_wrap, uint32_t, lane_u32, lane_u32, lane_u32, shf_l(x, y, z & 31))
LANE3(shf_r_wrap, uint32_t, lane_u32, lane_u32, lane_u32, shf_r(x, y, z & 31))
LANE2U(rotl_32, uint32_t, lane_u32, lane_u32,
       x << (y & 31) | x >> ((32 - (y & 31)) & 31))
LANE2U(rotr_32, uint32_t, lane_u32, lane_u32,
       x >> (y & 31) | x << ((32 - (y & 31)) & 31))
LANE3(shf_l_clamp, uint32_t, lane_u32, lane_u32, lane_u32,
      z > 31 ? x : shf_l(x, y, z & 31))
LANE3(shf_r_clamp, uint32_t, lane_u32, lane_u32, lane_u32,
      z > 31 ? y : shf_r(x, y, z & 31))

/* Counting. */
static inline uint32_t clz_32(uint32_t x)
{
	return x == 0 ? 32u : (uint32_t)__builtin_clz(x);
}
static inline uint32_t clz_64(uint64_t x)
{
	return x == 0 ? 64u : (uint32_t)__builtin_clzll(x);
}
static inline uint32_t popc_32(uint32_t x)
{
	x -= (x >> 1) & 0x55555555u;
	x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
	x = (x + (x >> 4)) & 0x0f0f0f0fu;
	return (x * 0x01010101u) >> 24;
}
static inline uint32_t brev_32(uint32_t x)
{
	x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
	x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
	x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
	return __builtin_bswap32(x);
}
static inline uint64_t brev_64(uint64_t x)
{
	return ((uint64_t)brev_32((uint32_t)x) << 32) |
	       brev_32((uint32_t)(x >> 32));
}
LANE1(clz_32, uint32_t, lane_u32, clz_32(x))
LANE1(clz_64, uint32_t, lane_u64, clz_64(x))
LANE1(popc_64, uint32_t, lane_u64,
      popc_32((uint32_t)x) + popc_32((uint32_t)(x >> 32)))
LANE1(brev_32, uint32_t, lane_u32, brev_32(x))
LANE1(brev_64, uint64_t, lane_u64, brev_64(x))

/* The highest bit that differs from the sign; ~0 when there is none. */
LANE1(bfind_u32, uint32_t, lane_u32, 31u - clz_32(x))
LANE1(bfind_u64, uint32_t, lane_u64, 63u - clz_64(x))
LANE1(bfind_s32, uint32_t, lane_s32, 31u - clz_32((uint32_t)(x ^ (x >> 31))))
LANE1(bfind_s64, uint32_t, lane_s64, 63u - clz_64((uint64_t)(x ^ (x >> 63))))
static inline uint32_t shift_amount(uint32_t position, uint32_t top)
{
	return position == UINT32_MAX ? position : top - position;
}
LANE1(bfind_sh_u32, uint32_t, lane_u32, shift_amount(31u - clz_32(x), 31))
LANE1(bfind_sh_u64, uint32_t, lane_u64, shift_amount(63u - clz_64(x), 63))
LANE1(bfind_sh_s32, uint32_t, lane_s32,
      shift_amount(31u - clz_32((uint32_t)(x ^ (x >> 31))), 31))
LANE1(bfind_sh_s64, uint32_t, lane_s64,
      shift_amount(63u - clz_64((uint64_t)(x ^ (x >> 63))), 63))

/* Fields: position and length are their low 8 bits. */
static inline uint64_t ones_below(uint32_t n)
{
	return n > 63 ? UINT64_MAX : ((uint64_t)1 << n) - 1;
}
static inline uint64_t bfe_u(uint64_t x, uint32_t pos, uint32_t len)
{
	pos &= 0xff;
	len &= 0xff;
	return (pos > 63 ? 0 : x >> (pos & 63)) & ones_below(len);
}
static inline uint64_t bfe_s(int64_t x, uint32_t pos, uint32_t len,
			     uint32_t top)
{
	pos &= 0xff;
	len &= 0xff;
	if (len == 0)
		return 0;
	uint32_t sign_at = pos + len - 1 > top ? top : pos + len - 1;
	uint64_t sign = 0u - (((uint64_t)x >> sign_at) & 1u);
	uint64_t field = (pos > top ? sign : (uint64_t)x >> (pos & 63)) &
			 ones_below(len);
	uint32_t have = pos > top ? 0 : top + 1 - pos;
	have = have < len ? have : len;
	return field | (sign & ~ones_below(have));
}
static inline uint64_t bfi(uint64_t x, uint64_t y, uint32_t pos, uint32_t len,
			   uint32_t top)
{
	pos &= 0xff;
	len &= 0xff;
	if (pos > top)
		return y;
	uint64_t field = ones_below(len) << pos;
	return ((x << pos) & field) | (y & ~field);
}
LANE3U(bfe_u32, uint32_t, lane_u32, lane_u32, lane_u32, bfe_u(x, y, z))
LANE3(bfe_u64, uint64_t, lane_u64, lane_u32, lane_u32, bfe_u(x, y, z))
LANE3(bfe_s32, uint32_t, lane_u32, lane_u32, lane_u32, bfe_s(x, y, z, 31))
LANE3(bfe_s64, uint64_t, lane_u64, lane_u32, lane_u32,
      bfe_s((int64_t)x, y, z, 63))
LANE4(bfi_32, uint32_t, lane_u32, lane_u32, lane_u32, lane_u32,
      bfi(x, y, z, w, 31))
LANE4(bfi_64, uint64_t, lane_u64, lane_u64, lane_u32, lane_u32,
      bfi(x, y, z, w, 63))

/* A mask of y ones from x on, and extension from a width. */
static inline uint32_t bmsk(uint32_t pos, uint32_t len)
{
	return pos > 31 ? 0u
			: (uint32_t)(ones_below(len > 63 ? 63 : len) << pos);
}
static inline uint32_t szext(uint32_t x, uint32_t n, bool is_signed)
{
	if (n == 0)
		return 0;
	if (n > 31)
		return x;
	uint32_t low = x & (uint32_t)ones_below(n);
	uint32_t sign = is_signed ? 0u - (x >> (n - 1) & 1u) : 0u;
	return low | (sign & ~(uint32_t)ones_below(n));
}
LANE2(bmsk_clamp, uint32_t, lane_u32, lane_u32, bmsk(x, y))
LANE2(bmsk_wrap, uint32_t, lane_u32, lane_u32, bmsk(x & 31, y & 31))
LANE2(szext_clamp_u32, uint32_t, lane_u32, lane_u32, szext(x, y, false))
LANE2(szext_clamp_s32, uint32_t, lane_u32, lane_u32, szext(x, y, true))
LANE2(szext_wrap_u32, uint32_t, lane_u32, lane_u32, szext(x, y & 31, false))
LANE2(szext_wrap_s32, uint32_t, lane_u32, lane_u32, szext(x, y & 31, true))

/* Bytes of y:x by four selectors; bit 3 of one replicates the sign. */
static inline uint32_t prmt_byte(uint64_t pool, uint32_t sel)
{
	uint32_t v = (uint32_t)(pool >> (8 * (sel & 7))) & 0xffu;
	return sel & 8 ? (v & 0x80u ? 0xffu : 0u) : v;
}
static inline uint32_t prmt(uint32_t x, uint32_t y, uint32_t z)
{
	uint64_t pool = ((uint64_t)y << 32) | x;
	return prmt_byte(pool, z) | prmt_byte(pool, z >> 4) << 8 |
	       prmt_byte(pool, z >> 8) << 16 | prmt_byte(pool, z >> 12) << 24;
}
/* Selectors of the named modes, by the low two bits of z. */
static inline uint32_t prmt_mode(uint32_t x, uint32_t y, uint32_t z,
				 uint32_t mode)
{
	static const uint16_t selectors[6][4] = {
		{0x3210, 0x4321, 0x5432, 0x6543}, /* f4e */
		{0x5670, 0x6701, 0x7012, 0x0123}, /* b4e */
		{0x0000, 0x1111, 0x2222, 0x3333}, /* rc8 */
		{0x3210, 0x3211, 0x3222, 0x3333}, /* ecl */
		{0x0000, 0x1110, 0x2210, 0x3210}, /* ecr */
		{0x1010, 0x3232, 0x1010, 0x3232}, /* rc16 */
	};
	return prmt(x, y, selectors[mode][z & 3]);
}
LANE3U(prmt, uint32_t, lane_u32, lane_u32, lane_u32, prmt(x, y, z))
LANE3(prmt_f4e, uint32_t, lane_u32, lane_u32, lane_u32, prmt_mode(x, y, z, 0))
LANE3(prmt_b4e, uint32_t, lane_u32, lane_u32, lane_u32, prmt_mode(x, y, z, 1))
LANE3(prmt_rc8, uint32_t, lane_u32, lane_u32, lane_u32, prmt_mode(x, y, z, 2))
LANE3(prmt_ecl, uint32_t, lane_u32, lane_u32, lane_u32, prmt_mode(x, y, z, 3))
LANE3(prmt_ecr, uint32_t, lane_u32, lane_u32, lane_u32, prmt_mode(x, y, z, 4))
LANE3(prmt_rc16, uint32_t, lane_u32, lane_u32, lane_u32, prmt_mode(x, y, z, 5))

/* Selection. */
LANE3U(selp_32, uint32_t, lane_u32, lane_u32, lane_u32, z ? x : y)
LANE3(selp_64, uint64_t, lane_u64, lane_u64, lane_u32, z ? x : y)
LANE3(slct_32_s32, uint32_t, lane_u32, lane_u32, lane_s32, z >= 0 ? x : y)
LANE3(slct_64_s32, uint64_t, lane_u64, lane_u64, lane_s32, z >= 0 ? x : y)

/* slct by a float: -0 counts as zero, NaN selects y. */
static inline bool f32_ge_zero(uint32_t z, bool flush)
{
	uint32_t mag = z & 0x7fffffffu;
	if (mag > 0x7f800000u)
		return false;
	return z == mag || mag == 0 || (flush && mag < 0x00800000u);
}
LANE3(slct_32_f32, uint32_t, lane_u32, lane_u32, lane_u32,
      f32_ge_zero(z, p->imm != 0) ? x : y)
LANE3(slct_64_f32, uint64_t, lane_u64, lane_u64, lane_u32,
      f32_ge_zero(z, p->imm != 0) ? x : y)

#endif /* WEFT_GPU_EXEC_PRIV_LANES_BITS_H */
