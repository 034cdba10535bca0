/*
 * gpu/exec/priv/lanes_convert - between widths, signs and kinds of numbers.
 *
 * A conversion between integers is at most three of these in a row: widen or
 * narrow, extend from the source type, saturate or extend to the destination
 * type.  Floats to integers go through integers only (gpu/exec/priv/soft.h).
 */
#ifndef WEFT_GPU_EXEC_PRIV_LANES_CONVERT_H
#define WEFT_GPU_EXEC_PRIV_LANES_CONVERT_H

#include "gpu/exec/priv/half.h"
#include "gpu/exec/priv/lanes_float.h"
#include "gpu/exec/priv/soft.h"

LANE1(ext_u8, uint32_t, lane_u32, x & 0xffu)
LANE1(ext_s8, uint32_t, lane_u32, (int32_t)(int8_t)x)
LANE1(ext_u16, uint32_t, lane_u32, x & 0xffffu)
LANE1(ext_s16, uint32_t, lane_u32, S16(x))
LANE1(narrow, uint32_t, lane_u64, x)
LANE1(high, uint32_t, lane_u64, x >> 32)
LANE1(widen_u, uint64_t, lane_u32, x)
LANE1(widen_s, uint64_t, lane_s32, (int64_t)x)
/* y:x as one register. */
LANE2(join, uint64_t, lane_u32, lane_u32, ((uint64_t)y << 32) | x)
LANE2(join16, uint32_t, lane_u32, lane_u32, (y << 16) | (x & 0xffffu))
LANE1(shift16, uint32_t, lane_u32, x >> 16)

/* imm: SOFT_INT of the source in the low byte, the destination above. */
LANE1(int_sat, uint64_t, lane_u64, soft_int_sat(x, p->imm & 0xff, p->imm >> 8))

#define CVT32(name, S)                                                        \
	static void lane_##name(const struct lane_args *args)                 \
	{                                                                     \
		LANE_LOCAL                                                    \
		for (uint32_t i = 0; i < n; i += V32) {                       \
			S x = *(const S *)(const void *)((const uint32_t *)   \
								 p->a +       \
							 i);                  \
			put32(p, i, (vu32) __builtin_convertvector(x, vf32)); \
		}                                                             \
	}
CVT32(f32_s32, vs32)

/* Scalar ones: the compiler's sequences are exact in every mode. */
static inline uint32_t bits_f32(float v)
{
	uint32_t r;
	memcpy(&r, &v, sizeof(r));
	return r;
}
static inline uint64_t bits_f64(double v)
{
	uint64_t r;
	memcpy(&r, &v, sizeof(r));
	return r;
}
LANE1(f32_u32, uint32_t, lane_u32, bits_f32((float)(int64_t)(uint64_t)x))
LANE1(f32_s64, uint32_t, lane_s64, bits_f32((float)x))
LANE1(f32_u64, uint32_t, lane_u64, soft_f32_u64(x, _mm_getcsr()))
LANE1(f64_s32, uint64_t, lane_s32, bits_f64((double)x))
LANE1(f64_u32, uint64_t, lane_u32, bits_f64((double)(int64_t)(uint64_t)x))
LANE1(f64_s64, uint64_t, lane_s64, bits_f64((double)x))
LANE1(f64_u64, uint64_t, lane_u64, soft_f64_u64(x, _mm_getcsr()))

static void lane_f64_f32(const struct lane_args *args)
{
	LANE_LOCAL
	for (uint32_t i = 0; i < n; i += V64) {
		hf32 x = LDH(hf32, p->a, i);
		put64(p, i,
		      canon64(__builtin_convertvector(x, vf64), p->nan64));
	}
}
static void lane_f32_f64(const struct lane_args *args)
{
	LANE_LOCAL
	for (uint32_t i = 0; i < n; i += V64) {
		vf64 x = LD64(p->a, i);
		hf32 r = __builtin_convertvector(x, hf32);
		hu32 is_nan = (hu32)(r != r);
		put_half(p, i, ((hu32)r & ~is_nan) | (is_nan & p->nan32));
	}
}
LANE1(clamp_f32, uint32_t, lane_u32,
      (int32_t)x<0 || is_nan32(x) ? 0u : x> 0x3f800000u ? 0x3f800000u : x)
LANE1(clamp_f64, uint64_t, lane_u64,
      (int64_t)x<0 || is_nan64(x) ? 0u : x> 0x3ff0000000000000u
	      ? 0x3ff0000000000000u
	      : x)

/* imm: SOFT_ROUND in the low byte (to integral), bit 8: flush inputs. */
LANE1(round_f32, uint32_t, lane_u32,
      is_nan32(x) ? p->nan32
		  : soft_integral32(flush32(x, p->imm >> 8), p->imm & 0xff))
LANE1(round_f64, uint64_t, lane_u64,
      is_nan64(x) ? p->nan64 : soft_integral64(x, p->imm & 0xff))
/* A copy that gives NaNs the common bits and flushes where asked. */
LANE1(copy_f32, uint32_t, lane_u32, is_nan32(x) ? p->nan32 : flush32(x, p->imm))
LANE1(copy_f64, uint64_t, lane_u64, is_nan64(x) ? p->nan64 : x)

/* imm: SOFT_ROUND, bit 8: flush inputs, SOFT_INT from bit 16 on. */
LANE1(int_f32, uint64_t, lane_u32,
      soft_int_f32(flush32(x, p->imm >> 8 & 1), p->imm & 0xff, p->imm >> 16))
LANE1(int_f64, uint64_t, lane_u64, soft_int_f64(x, p->imm & 0xff, p->imm >> 16))

/* 0x7fff comes from NaNs alone. */
static inline uint32_t half_fix(uint32_t r, uint32_t nan32)
{
	return r == 0x7fffu ? half_nan(nan32) : r;
}

/* Half precision and bfloat16 in the low 16 bits. */
LANE1(f32_f16, uint32_t, lane_u32, soft_f32_f16(x, p->nan32))
LANE1(f32_bf16, uint32_t, lane_u32, is_nan32(x << 16) ? p->nan32 : x << 16)
/* imm: SOFT_ROUND (n z m p), bit 8 relu, bit 9 saturate to finite,
 * bit 10 flush inputs */
LANE1(f16_f32, uint32_t, lane_u32, half_fix(soft_f16_f32(x, p->imm), p->nan32))
LANE1(bf16_f32, uint32_t, lane_u32,
      half_fix(soft_bf16_f32(x, p->imm), p->nan32))
LANE1(f16_f64, uint32_t, lane_u64, half_fix(soft_f16_f64(x, p->imm), p->nan32))

#endif /* WEFT_GPU_EXEC_PRIV_LANES_CONVERT_H */
