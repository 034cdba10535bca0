/*
 * gpu/exec/priv/lanes_video - video instructions, whole or on two or four
 * lanes of a register, by the pseudo code of the ISA.
 *
 * Scalar ones: imm has the parts of a, b and d (enum ptx_select, three bits
 * each), then flags.  SIMD ones: the lanes that are written, then flags.
 */
#ifndef WEFT_GPU_EXEC_PRIV_LANES_VIDEO_H
#define WEFT_GPU_EXEC_PRIV_LANES_VIDEO_H

#include "gpu/exec/priv/lanes_int.h"
#include "gpu/exec/priv/video.h"

/* The part of v that a selector names, extended. */
static inline int64_t video_part(uint32_t v, uint32_t select, bool is_signed)
{
	uint32_t bits = select == 0 ? 32 : select < 5 ? 8 : 16;
	uint32_t shift = select == 0  ? 0
			 : select < 5 ? (select - 1) * 8
				      : (select - 5) * 16;
	uint64_t part = (v >> shift) & (UINT32_MAX >> (32 - bits));
	uint64_t sign = (uint64_t)1 << (bits - 1);
	return is_signed ? (int64_t)((part ^ sign) - sign) : (int64_t)part;
}

static inline int64_t video_clamp(int64_t v, uint32_t bits, bool is_signed)
{
	int64_t low = is_signed ? -((int64_t)1 << (bits - 1)) : 0;
	int64_t high = ((int64_t)1 << (bits - is_signed)) - 1;
	return v < low ? low : v > high ? high : v;
}

static inline int64_t video_a(uint32_t imm, uint32_t x)
{
	return video_part(x, imm & 7u, (imm & VIDEO_A_SIGNED) != 0);
}
static inline int64_t video_b(uint32_t imm, uint32_t y)
{
	return video_part(y, imm >> 3 & 7u, (imm & VIDEO_B_SIGNED) != 0);
}

/* Saturate, then combine with c or put a part into it. */
static inline uint32_t video_end(uint32_t imm, int64_t t, uint32_t c)
{
	uint32_t part = imm >> 6 & 7u;
	bool is_signed = (imm & VIDEO_D_SIGNED) != 0;
	uint32_t bits = part == 0 ? 32 : part < 5 ? 8 : 16;
	if ((imm & VIDEO_SAT) != 0)
		t = video_clamp(t, bits, is_signed);
	int64_t low = is_signed ? (int64_t)(int32_t)(uint32_t)t
				: (int64_t)(uint32_t)t;
	int64_t wide = is_signed ? (int64_t)(int32_t)c : (int64_t)c;
	switch (imm & VIDEO_SECOND) {
	case VIDEO_ADD:
		return (uint32_t)t + c;
	case VIDEO_MIN:
		return (uint32_t)(low < wide ? low : wide);
	case VIDEO_MAX:
		return (uint32_t)(low > wide ? low : wide);
	default:
		break;
	}
	if (part == 0)
		return (uint32_t)t;
	uint32_t shift = part < 5 ? (part - 1) * 8 : (part - 5) * 16;
	uint32_t mask = (UINT32_MAX >> (32 - bits)) << shift;
	return (((uint32_t)t << shift) & mask) | (c & ~mask);
}

static inline int64_t video_distance(int64_t x, int64_t y)
{
	return x < y ? y - x : x - y;
}

static inline bool video_compare(uint32_t compare, int64_t x, int64_t y)
{
	switch (compare) {
	case 1:
		return x == y;
	case 2:
		return x != y;
	case 3:
		return x < y;
	case 4:
		return x <= y;
	case 5:
		return x > y;
	default:
		return x >= y;
	}
}

/* How far a shift goes. */
static inline uint32_t video_amount(uint32_t imm, uint32_t y)
{
	uint64_t n = (uint64_t)video_part(y, imm >> 3 & 7u, false);
	if ((imm & VIDEO_WRAP) != 0)
		return (uint32_t)n & 31u;
	return n > 32 ? 32 : (uint32_t)n;
}
static inline int64_t video_left(int64_t x, uint32_t n)
{
	/* Beyond 63 bits only the sign and the low half matter. */
	return x > INT32_MAX && n == 32 ? (int64_t)1 << 62
					: (int64_t)((uint64_t)x << n);
}

#define VIDEO_A video_a(p->imm, x)
#define VIDEO_B video_b(p->imm, y)
#define VIDEO_OP(name, expr)                                \
	LANE3(name, uint32_t, lane_u32, lane_u32, lane_u32, \
	      video_end(p->imm, expr, z))

VIDEO_OP(vadd, VIDEO_A + VIDEO_B)
VIDEO_OP(vsub, VIDEO_A - VIDEO_B)
VIDEO_OP(vabsdiff, video_distance(VIDEO_A, VIDEO_B))
VIDEO_OP(vmin, VIDEO_A < VIDEO_B ? VIDEO_A : VIDEO_B)
VIDEO_OP(vmax, VIDEO_A > VIDEO_B ? VIDEO_A : VIDEO_B)
VIDEO_OP(vshl, video_left(VIDEO_A, video_amount(p->imm, y)))
VIDEO_OP(vshr, VIDEO_A >> video_amount(p->imm, y))
VIDEO_OP(vset, video_compare(VIDEO_COMPARE(p->imm), VIDEO_A, VIDEO_B))

/* The product, c and a one, as the text says, in more than 66 bits. */
static inline uint32_t video_mad(uint32_t imm, uint32_t x, uint32_t y,
				 uint32_t z)
{
	bool is_signed = (imm & (VIDEO_A_SIGNED | VIDEO_B_SIGNED |
				 VIDEO_MINUS_PRODUCT | VIDEO_MINUS_C)) != 0;
	lane_s128 t = (lane_s128)video_a(imm, x) * video_b(imm, y);
	bool one = (imm & (VIDEO_PLUS_ONE | VIDEO_MINUS_PRODUCT |
			   VIDEO_MINUS_C)) != 0;
	if ((imm & VIDEO_MINUS_PRODUCT) != 0)
		t = ~t;
	if ((imm & VIDEO_MINUS_C) != 0)
		z = ~z;
	t += is_signed ? (int64_t)(int32_t)z : (int64_t)z;
	t += one;
	if ((imm & VIDEO_SHR7) != 0)
		t >>= 7;
	if ((imm & VIDEO_SHR15) != 0)
		t >>= 15;
	if ((imm & VIDEO_SAT) == 0)
		return (uint32_t)t;
	if (is_signed)
		return t < INT32_MIN   ? 0x80000000u
		       : t > INT32_MAX ? 0x7fffffffu
				       : (uint32_t)t;
	return t > UINT32_MAX ? UINT32_MAX : (uint32_t)t;
}
LANE3(vmad, uint32_t, lane_u32, lane_u32, lane_u32, video_mad(p->imm, x, y, z))

/* One lane of several: bits is 8 or 16. */
static inline int64_t simd_lane(uint32_t v, uint32_t i, uint32_t bits,
				bool is_signed)
{
	uint32_t part = (v >> (i * bits)) & (UINT32_MAX >> (32 - bits));
	int64_t sign = (int64_t)1 << (bits - 1);
	return is_signed ? (int64_t)(part ^ (uint32_t)sign) - sign
			 : (int64_t)part;
}

static inline int64_t simd_average(int64_t x, int64_t y)
{
	return (x + y + (x + y >= 0)) >> 1;
}

typedef int64_t simd_fn(uint32_t imm, int64_t x, int64_t y);

static inline uint32_t simd(uint32_t imm, uint32_t x, uint32_t y, uint32_t z,
			    uint32_t bits, simd_fn *fn)
{
	uint32_t sum = z, d = z;
	for (uint32_t i = 0; i < 32 / bits; i++) {
		if ((imm >> i & 1u) == 0)
			continue;
		int64_t t = fn(
			imm, simd_lane(x, i, bits, (imm & SIMD_A_SIGNED) != 0),
			simd_lane(y, i, bits, (imm & SIMD_B_SIGNED) != 0));
		if ((imm & SIMD_SAT) != 0)
			t = video_clamp(t, bits, (imm & SIMD_D_SIGNED) != 0);
		uint32_t mask = (UINT32_MAX >> (32 - bits)) << (i * bits);
		sum += (uint32_t)t;
		d = (((uint32_t)t << (i * bits)) & mask) | (d & ~mask);
	}
	return (imm & SIMD_ADD) != 0 ? sum : d;
}

#define SIMD_OP(name, expr)                                                   \
	static inline int64_t simd_##name(uint32_t imm, int64_t x, int64_t y) \
	{                                                                     \
		(void)imm;                                                    \
		return expr;                                                  \
	}                                                                     \
	LANE3(name##2, uint32_t, lane_u32, lane_u32, lane_u32,                \
	      simd(p->imm, x, y, z, 16, simd_##name))                         \
	LANE3(name##4, uint32_t, lane_u32, lane_u32, lane_u32,                \
	      simd(p->imm, x, y, z, 8, simd_##name))

SIMD_OP(vadd, x + y)
SIMD_OP(vsub, x - y)
SIMD_OP(vavrg, simd_average(x, y))
SIMD_OP(vabsdiff, video_distance(x, y))
SIMD_OP(vmin, x < y ? x : y)
SIMD_OP(vmax, x > y ? x : y)
SIMD_OP(vset, video_compare(SIMD_COMPARE(imm), x, y))

/* The offset-th one of x at or from bit y on, in either direction. */
static inline uint32_t find_nth(uint32_t x, uint32_t y, int32_t offset)
{
	int64_t step = offset < 0 ? -1 : 1,
		left = offset < 0 ? -(int64_t)offset : offset;
	if (offset == 0)
		return y < 32 && (x >> y & 1u) != 0 ? y : UINT32_MAX;
	for (int64_t at = y; at >= 0 && at < 32; at += step) {
		left -= x >> at & 1u;
		if (left == 0)
			return (uint32_t)at;
	}
	return UINT32_MAX;
}
LANE3(fns, uint32_t, lane_u32, lane_u32, lane_s32, find_nth(x, y, z))

#endif /* WEFT_GPU_EXEC_PRIV_LANES_VIDEO_H */
