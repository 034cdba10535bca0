/*
 * gpu/exec/priv/lanes_pack - several numbers in one register, and formats
 * narrower than sixteen bits.
 */
#ifndef WEFT_GPU_EXEC_PRIV_LANES_PACK_H
#define WEFT_GPU_EXEC_PRIV_LANES_PACK_H

#include "gpu/exec/priv/lanes_half.h"
#include "gpu/exec/priv/lanes_sign.h"

/* Two f32 in 64 bits; one exact product and sum each. */
static inline uint32_t f32_fma(uint32_t x, uint32_t y, uint32_t z,
			       uint32_t nan32)
{
	uint32_t r = soft_fma32(x, y, z, _mm_getcsr());
	return is_nan32(r) ? nan32 : r;
}
static inline uint64_t f32x2_fma(uint64_t x, uint64_t y, uint64_t z,
				 uint32_t nan32)
{
	uint32_t low = f32_fma((uint32_t)x, (uint32_t)y, (uint32_t)z, nan32);
	uint32_t high = f32_fma((uint32_t)(x >> 32), (uint32_t)(y >> 32),
				(uint32_t)(z >> 32), nan32);
	return (uint64_t)high << 32 | low;
}
#define BOTH32(v) ((uint64_t)(v) << 32 | (v))
/* x * 1 + y; y * -1 + x; x * y + a zero of its sign. */
LANE2(add_f32x2, uint64_t, lane_u64, lane_u64,
      f32x2_fma(x, BOTH32(0x3f800000u), y, p->nan32))
LANE2(sub_f32x2, uint64_t, lane_u64, lane_u64,
      f32x2_fma(y, BOTH32(0xbf800000u), x, p->nan32))
LANE2(mul_f32x2, uint64_t, lane_u64, lane_u64,
      f32x2_fma(x, y, (x ^ y) & BOTH32(0x80000000u), p->nan32))
LANE3(fma_f32x2, uint64_t, lane_u64, lane_u64, lane_u64,
      f32x2_fma(x, y, z, p->nan32))

/* Subnormal f16 halves to zeros of their sign. */
static inline uint32_t flush_halves(uint32_t x)
{
	return half_flush(x & 0xffffu, false, SOFT_CSR_DAZ) |
	       half_flush(x >> 16, false, SOFT_CSR_DAZ) << 16;
}
LANE1(flush_f16x2, uint32_t, lane_u32, flush_halves(x))
LANE1(clamp_f16, uint32_t, lane_u32, half_sat(x & 0xffffu, false))

/* Magnitudes' extreme, with the signs' xor.  which: as in half_pick(). */
static inline uint32_t half_xorsign(uint32_t x, uint32_t y, bool bf,
				    uint32_t csr, uint32_t which)
{
	uint32_t r = half_pick(x & 0x7fffu, y & 0x7fffu, bf, csr, which);
	return half_is_nan(r, bf) ? r : (r & 0x7fffu) | ((x ^ y) & 0x8000u);
}
HALF_ROWS(HALF_LANES2, min_xs, ARGS2, half_xorsign(x, y, bf, csr, 0))
HALF_ROWS(HALF_LANES2, max_xs, ARGS2, half_xorsign(x, y, bf, csr, 1))
HALF_ROWS(HALF_LANES2, min_nan_xs, ARGS2, half_xorsign(x, y, bf, csr, 2))
HALF_ROWS(HALF_LANES2, max_nan_xs, ARGS2, half_xorsign(x, y, bf, csr, 3))
LANE2(min_nan_xs_f32, uint32_t, lane_u32, lane_u32,
      either_nan32(x, y,
		   xorsign32(x, y, min32(MAG(x), MAG(y), p->imm, p->nan32)),
		   p->nan32))
LANE2(max_nan_xs_f32, uint32_t, lane_u32, lane_u32,
      either_nan32(x, y,
		   xorsign32(x, y, max32(MAG(x), MAG(y), p->imm, p->nan32)),
		   p->nan32))

static inline uint32_t relu_s16(uint32_t x)
{
	return (x & 0x8000u) != 0 ? 0 : x & 0xffffu;
}
static inline uint32_t relu_s16x2(uint32_t x)
{
	return relu_s16(x) | relu_s16(x >> 16) << 16;
}
LANE2(min_relu_s16x2, uint32_t, lane_u32, lane_u32, relu_s16x2(min_s16x2(x, y)))
LANE2(max_relu_s16x2, uint32_t, lane_u32, lane_u32, relu_s16x2(max_s16x2(x, y)))

/* tf32: 19 bits.  imm: enum pack_round, bit 8 relu, bit 9 finite. */
static inline uint32_t tf32_of(uint32_t x, uint32_t imm, uint32_t nan32)
{
	static const uint32_t halves[3] = {0xfffu, 0, 0x1000u};
	uint32_t round = imm & 0xffu;
	if (is_nan32(x))
		return nan32;
	if ((imm & 1u << 8) != 0 && (x & 0x80000000u) != 0)
		return 0;
	uint32_t r = x;
	if ((x & 0x7f800000u) != 0x7f800000u) {
		/* Ties: to even (0), down (1), away from zero (2). */
		r += halves[round] + (round == 0 ? x >> 13 & 1u : 0);
		r &= ~0x1fffu;
	}
	bool is_inf = (r & 0x7fffffffu) == 0x7f800000u;
	return is_inf && (imm & 1u << 9) != 0 ? r - 0x2000u : r;
}
LANE1(tf32, uint32_t, lane_u32, tf32_of(x, p->imm, p->nan32))

/* f64 to bf16; imm as for f16_f64. */
LANE1(bf16_f64, uint32_t, lane_u64,
      half_fix(soft_bf16_f64(x, p->imm), p->nan32))

/* Eight bits: imm bit 0 e5m2, bit 8 relu.  NaNs have bits of their own. */
LANE1(f8_f32, uint32_t, lane_u32,
      soft_f8_f32(x, (p->imm & 1u) != 0, (p->imm >> 8 & 1u) != 0))
LANE1(f8_f16, uint32_t, lane_u32,
      soft_f8_f16(x, (p->imm & 1u) != 0, (p->imm >> 8 & 1u) != 0))
static inline uint32_t f16_of_f8(uint32_t x, uint32_t imm, uint32_t nan32)
{
	uint32_t r = soft_f16_f8(x & 0xffu, (imm & 1u) != 0);
	if (r == HALF_NAN)
		return half_nan(nan32);
	return (imm >> 8 & 1u) != 0 ? half_relu(r, false) : r;
}
LANE1(f16_f8, uint32_t, lane_u32, f16_of_f8(x, p->imm, p->nan32))
LANE1(shift8, uint32_t, lane_u32, x >> 8 & 0xffu)
LANE2(join8, uint32_t, lane_u32, lane_u32, (y & 0xffu) << 8 | (x & 0xffu))

/* x and y clamped to a few bits, y lowest, z above; imm: bits, bit 8 sign. */
static inline uint32_t clamp_bits(int32_t v, uint32_t bits, bool is_signed)
{
	int32_t high = (int32_t)((1u << (bits - is_signed)) - 1u);
	int32_t low = is_signed ? -high - 1 : 0;
	v = v < low ? low : v > high ? high : v;
	return (uint32_t)v & ((1u << bits) - 1u);
}
static inline uint32_t pack_two(uint32_t imm, int32_t x, int32_t y, uint32_t z)
{
	uint32_t bits = imm & 0xffu;
	bool is_signed = (imm >> 8 & 1u) != 0;
	uint32_t r = clamp_bits(x, bits, is_signed) << bits |
		     clamp_bits(y, bits, is_signed);
	return bits == 16 ? r : z << (2 * bits) | r;
}
LANE3(pack, uint32_t, lane_s32, lane_s32, lane_u32, pack_two(p->imm, x, y, z))

/* The low byte of y into byte imm of x. */
LANE2(put_byte, uint32_t, lane_u32, lane_u32,
      (x & ~(0xffu << (8 * p->imm))) | (y & 0xffu) << (8 * p->imm))

#endif /* WEFT_GPU_EXEC_PRIV_LANES_PACK_H */
