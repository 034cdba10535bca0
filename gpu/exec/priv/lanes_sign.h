/*
 * gpu/exec/priv/lanes_sign - what floats need no arithmetic for: the lesser
 * and the greater, signs and kinds of numbers, by their bits alone.
 */
#ifndef WEFT_GPU_EXEC_PRIV_LANES_SIGN_H
#define WEFT_GPU_EXEC_PRIV_LANES_SIGN_H

#include "gpu/exec/priv/lanes_float.h"

static inline uint32_t pick32(uint32_t x, uint32_t y, bool first, uint32_t nan)
{
	uint32_t r = first ? x : y;
	r = is_nan32(x) ? y : r;
	r = is_nan32(y) ? x : r;
	return is_nan32(x) && is_nan32(y) ? nan : r;
}
static inline uint64_t pick64(uint64_t x, uint64_t y, bool first, uint64_t nan)
{
	uint64_t r = first ? x : y;
	r = is_nan64(x) ? y : r;
	r = is_nan64(y) ? x : r;
	return is_nan64(x) && is_nan64(y) ? nan : r;
}
static inline uint32_t min32(uint32_t x, uint32_t y, uint32_t ftz, uint32_t nan)
{
	x = flush32(x, ftz);
	y = flush32(y, ftz);
	return pick32(x, y, key32(x) < key32(y), nan);
}
static inline uint32_t max32(uint32_t x, uint32_t y, uint32_t ftz, uint32_t nan)
{
	x = flush32(x, ftz);
	y = flush32(y, ftz);
	return pick32(x, y, key32(x) > key32(y), nan);
}
static inline uint32_t either_nan32(uint32_t x, uint32_t y, uint32_t r,
				    uint32_t nan)
{
	return is_nan32(x) || is_nan32(y) ? nan : r;
}
/* imm: bit 0 ftz, bit 1 .xorsign.abs */
static inline uint32_t xorsign32(uint32_t x, uint32_t y, uint32_t r)
{
	return (r & 0x7fffffffu) | ((x ^ y) & 0x80000000u);
}
#define MAG(x) ((x)&0x7fffffffu)

LANE2(min_f32, uint32_t, lane_u32, lane_u32, min32(x, y, p->imm, p->nan32))
LANE2(max_f32, uint32_t, lane_u32, lane_u32, max32(x, y, p->imm, p->nan32))
LANE2(min_nan_f32, uint32_t, lane_u32, lane_u32,
      either_nan32(x, y, min32(x, y, p->imm, p->nan32), p->nan32))
LANE2(max_nan_f32, uint32_t, lane_u32, lane_u32,
      either_nan32(x, y, max32(x, y, p->imm, p->nan32), p->nan32))
LANE2(min_xs_f32, uint32_t, lane_u32, lane_u32,
      xorsign32(x, y, min32(MAG(x), MAG(y), p->imm, p->nan32)))
LANE2(max_xs_f32, uint32_t, lane_u32, lane_u32,
      xorsign32(x, y, max32(MAG(x), MAG(y), p->imm, p->nan32)))
LANE2(min_f64, uint64_t, lane_u64, lane_u64,
      pick64(x, y, key64(x) < key64(y), p->nan64))
LANE2(max_f64, uint64_t, lane_u64, lane_u64,
      pick64(x, y, key64(x) > key64(y), p->nan64))

LANE1(abs_f32, uint32_t, lane_u32,
      is_nan32(x) ? p->nan32 : flush32(x, p->imm) & 0x7fffffffu)
LANE1(neg_f32, uint32_t, lane_u32,
      is_nan32(x) ? p->nan32 : flush32(x, p->imm) ^ 0x80000000u)
LANE1(abs_f64, uint64_t, lane_u64,
      is_nan64(x) ? p->nan64 : x &(uint64_t)INT64_MAX)
LANE1(neg_f64, uint64_t, lane_u64,
      is_nan64(x) ? p->nan64 : x ^ ((uint64_t)1 << 63))
LANE2(copysign_f32, uint32_t, lane_u32, lane_u32,
      (x & 0x80000000u) | (y & 0x7fffffffu))
LANE2(copysign_f64, uint64_t, lane_u64, lane_u64,
      (x & ((uint64_t)1 << 63)) | (y & (uint64_t)INT64_MAX))

/* testp: imm says which. */
enum {
	TEST_FINITE,
	TEST_INFINITE,
	TEST_NUMBER,
	TEST_NAN,
	TEST_NORMAL,
	TEST_SUBNORMAL
};
static inline bool test_class(uint64_t mag, uint64_t inf, uint64_t tiny,
			      uint32_t which)
{
	/* A bit each and no array: in a loop whose iterations are said to be
	 * independent, all would share it. */
	uint32_t bits = (uint32_t)(mag < inf) << TEST_FINITE |
			(uint32_t)(mag == inf) << TEST_INFINITE |
			(uint32_t)(mag <= inf) << TEST_NUMBER |
			(uint32_t)(mag > inf) << TEST_NAN |
			(uint32_t)(mag >= tiny && mag < inf) << TEST_NORMAL |
			(uint32_t)(mag != 0 && mag < tiny) << TEST_SUBNORMAL;
	return bits >> which & 1;
}
LANE1(testp_f32, uint32_t, lane_u32,
      PRED(test_class(x & 0x7fffffffu, 0x7f800000u, 0x00800000u, p->imm)))
LANE1(testp_f64, uint32_t, lane_u64,
      PRED(test_class(x &INT64_MAX, 0x7ff0000000000000u, 0x0010000000000000u,
		      p->imm)))

#endif /* WEFT_GPU_EXEC_PRIV_LANES_SIGN_H */
