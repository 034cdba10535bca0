/*
 * gpu/exec/priv/lanes_chain - the links of chains: what they compute, storing,
 * NaNs, MXCSR.
 */
#ifndef WEFT_GPU_EXEC_PRIV_LANES_CHAIN_H
#define WEFT_GPU_EXEC_PRIV_LANES_CHAIN_H

#include "gpu/exec/priv/chain.h"
#include "gpu/exec/priv/lanes_count.h"
#include "gpu/exec/priv/lanes_link.h"
#include "gpu/exec/priv/lanes_memory.h"
#include "gpu/exec/priv/op_id.h"

#if LANE_BYTES == 64
#define V_SHL(x, y)  _mm512_sllv_epi32((__m512i)(x), (__m512i)(y))
#define V_SHR(x, y)  _mm512_srlv_epi32((__m512i)(x), (__m512i)(y))
#define V_SAR(x, y)  _mm512_srav_epi32((__m512i)(x), (__m512i)(y))
#define V_ROTL(x, y) _mm512_rolv_epi32((__m512i)(x), (__m512i)(y))
#define V_ROTR(x, y) _mm512_rorv_epi32((__m512i)(x), (__m512i)(y))
#else
#if LANE_BYTES == 32
#define V_SHL(x, y) ((vu32)_mm256_sllv_epi32((__m256i)(x), (__m256i)(y)))
#define V_SHR(x, y) ((vu32)_mm256_srlv_epi32((__m256i)(x), (__m256i)(y)))
#define V_SAR(x, y) _mm256_srav_epi32((__m256i)(x), (__m256i)(y))
#else
#define V_SHL(x, y) (((x) << ((y)&31u)) & (vu32)((y) < 32u))
#define V_SHR(x, y) (((x) >> ((y)&31u)) & (vu32)((y) < 32u))
#define V_SAR(x, y) ((vs32)(x) >> (vs32)(((y)&31u) | ((vu32)((y) > 31u) & 31u)))
#endif
#define V_ROTL(x, y) (V_SHL(x, (y)&31u) | V_SHR(x, (0u - (y)) & 31u))
#define V_ROTR(x, y) (V_SHR(x, (y)&31u) | V_SHL(x, (0u - (y)) & 31u))
#endif

LINKS2S_FAR(add_f32, (vf32)x + (vf32)y)
LINKS2_FAR(sub_f32, (vf32)x - (vf32)y)
LINKS2S_FAR(mul_f32, (vf32)x *(vf32)y)
LINKS2(div_f32, (vf32)x / (vf32)y)
LINKS3S_FAR(fma_f32, V_FMA32((vf32)x, (vf32)y, (vf32)z))
LINKS1(rcp_f32, 1.0f / (vf32)x)
LINKS1(sqrt_f32, V_SQRT32((vf32)x))
LINKS2(lt_f32, (vf32)x < (vf32)y)
LINKS2(le_f32, (vf32)x <= (vf32)y)
LINKS2(gt_f32, (vf32)x > (vf32)y)
LINKS2(ge_f32, (vf32)x >= (vf32)y)
LINKS2S(eq_f32, (vf32)x == (vf32)y)
LINKS2S(neu_f32, (vf32)x != (vf32)y)
LINKS1_FAR(mov_32, x)
LINKS1(not_32, ~x)
LINKS1(popc_32, popc_vector(x))
LINKS2S(and_32, x &y)
LINKS2S(or_32, x | y)
LINKS2S(xor_32, x ^ y)
LINKS2S_FAR(add_32, x + y)
LINKS2(sub_32, x - y)
LINKS2S(mul_lo_32, x *y)
LINKS3S(mad_lo_32, x *y + z)
LINKS2(shl_32, V_SHL(x, y))
LINKS2(shr_u32, V_SHR(x, y))
LINKS2(shr_s32, V_SAR(x, y))
LINKS2(rotl_32, V_ROTL(x, y))
LINKS2(rotr_32, V_ROTR(x, y))
LINKS2S(eq_u32, x == y)
LINKS2S(ne_u32, x != y)
LINKS2(lt_u32, x < y)
LINKS2(le_u32, x <= y)
LINKS2(gt_u32, x > y)
LINKS2(ge_u32, x >= y)
LINKS2(lt_s32, (vs32)x < (vs32)y)
LINKS2(le_s32, (vs32)x <= (vs32)y)
LINKS2(gt_s32, (vs32)x > (vs32)y)
LINKS2(ge_s32, (vs32)x >= (vs32)y)

/* Directed rounding in the instruction itself. */
#if LANE_BYTES == 64
#define V_ROUND(r) (_MM_FROUND_NO_EXC | (r))
#define ROUND_LINKS(way, r)                                                  \
	LINKS2R(add_f32_##way, _mm512_add_round_ps((__m512)x, (__m512)y, r)) \
	LINKS2R(sub_f32_##way, _mm512_sub_round_ps((__m512)x, (__m512)y, r)) \
	LINKS2R(mul_f32_##way, _mm512_mul_round_ps((__m512)x, (__m512)y, r)) \
	LINKS2R(div_f32_##way, _mm512_div_round_ps((__m512)x, (__m512)y, r)) \
	LINKS3R(fma_f32_##way,                                               \
		_mm512_fmadd_round_ps((__m512)x, (__m512)y, (__m512)z, r))   \
	LINKS1R(rcp_f32_##way,                                               \
		_mm512_div_round_ps(_mm512_set1_ps(1.0f), (__m512)x, r))     \
	LINKS1R(sqrt_f32_##way, _mm512_sqrt_round_ps((__m512)x, r))
ROUND_LINKS(down, V_ROUND(_MM_FROUND_TO_NEG_INF))
ROUND_LINKS(up, V_ROUND(_MM_FROUND_TO_POS_INF))
ROUND_LINKS(zero, V_ROUND(_MM_FROUND_TO_ZERO))
#endif

/* clang-format off */
#define ROW(id, name, sources, traits) \
	[OP_##id] = {forms_##name, sources, traits}
static const struct link_row link_rows[OP_COUNT] = {
	ROW(add_f32, add_f32, 2, LINK_RAW | LINK_SWAPS),
	ROW(sub_f32, sub_f32, 2, LINK_RAW),
	ROW(mul_f32, mul_f32, 2, LINK_RAW | LINK_SWAPS),
	ROW(div_f32, div_f32, 2, LINK_RAW),
	ROW(fma_f32, fma_f32, 3, LINK_RAW | LINK_SWAPS),
	ROW(mad_f32, fma_f32, 3, LINK_RAW | LINK_SWAPS),
	ROW(rcp_f32, rcp_f32, 1, LINK_RAW),
	ROW(sqrt_f32, sqrt_f32, 1, LINK_RAW),
	ROW(lt_f32, lt_f32, 2, 0),
	ROW(le_f32, le_f32, 2, 0),
	ROW(gt_f32, gt_f32, 2, 0),
	ROW(ge_f32, ge_f32, 2, 0),
	ROW(eq_f32, eq_f32, 2, LINK_SWAPS),
	ROW(neu_f32, neu_f32, 2, LINK_SWAPS),
	ROW(mov_32, mov_32, 1, LINK_BITS),
	ROW(not_32, not_32, 1, LINK_BITS),
	ROW(not_pred, not_32, 1, LINK_BITS),
	ROW(popc_32, popc_32, 1, LINK_BITS),
	ROW(and_32, and_32, 2, LINK_BITS | LINK_SWAPS),
	ROW(and_pred, and_32, 2, LINK_BITS | LINK_SWAPS),
	ROW(or_32, or_32, 2, LINK_BITS | LINK_SWAPS),
	ROW(or_pred, or_32, 2, LINK_BITS | LINK_SWAPS),
	ROW(xor_32, xor_32, 2, LINK_BITS | LINK_SWAPS),
	ROW(xor_pred, xor_32, 2, LINK_BITS | LINK_SWAPS),
	ROW(add_32, add_32, 2, LINK_BITS | LINK_SWAPS),
	ROW(sub_32, sub_32, 2, LINK_BITS),
	ROW(mul_lo_32, mul_lo_32, 2, LINK_BITS | LINK_SWAPS),
	ROW(mad_lo_32, mad_lo_32, 3, LINK_BITS | LINK_SWAPS),
	ROW(shl_32, shl_32, 2, LINK_BITS),
	ROW(shr_u32, shr_u32, 2, LINK_BITS),
	ROW(shr_s32, shr_s32, 2, LINK_BITS),
	ROW(rotl_32, rotl_32, 2, LINK_BITS),
	ROW(rotr_32, rotr_32, 2, LINK_BITS),
	ROW(eq_u32, eq_u32, 2, LINK_BITS | LINK_SWAPS),
	ROW(ne_u32, ne_u32, 2, LINK_BITS | LINK_SWAPS),
	ROW(lt_u32, lt_u32, 2, LINK_BITS),
	ROW(le_u32, le_u32, 2, LINK_BITS),
	ROW(gt_u32, gt_u32, 2, LINK_BITS),
	ROW(ge_u32, ge_u32, 2, LINK_BITS),
	ROW(lt_s32, lt_s32, 2, LINK_BITS),
	ROW(le_s32, le_s32, 2, LINK_BITS),
	ROW(gt_s32, gt_s32, 2, LINK_BITS),
	ROW(ge_s32, ge_s32, 2, LINK_BITS),
};
/* clang-format on */

#if LANE_BYTES == 64
/* clang-format off */
#define DIRECTED_ROWS(way)                                            \
	{                                                             \
		ROW(add_f32, add_f32_##way, 2, LINK_RAW | LINK_SWAPS), \
		ROW(sub_f32, sub_f32_##way, 2, LINK_RAW),             \
		ROW(mul_f32, mul_f32_##way, 2, LINK_RAW | LINK_SWAPS), \
		ROW(div_f32, div_f32_##way, 2, LINK_RAW),             \
		ROW(fma_f32, fma_f32_##way, 3, LINK_RAW | LINK_SWAPS), \
		ROW(mad_f32, fma_f32_##way, 3, LINK_RAW | LINK_SWAPS), \
		ROW(rcp_f32, rcp_f32_##way, 1, LINK_RAW),             \
		ROW(sqrt_f32, sqrt_f32_##way, 1, LINK_RAW),           \
	}
/* clang-format on */
static const struct link_row down_rows[OP_COUNT] = DIRECTED_ROWS(down);
static const struct link_row up_rows[OP_COUNT] = DIRECTED_ROWS(up);
static const struct link_row zero_rows[OP_COUNT] = DIRECTED_ROWS(zero);
#define LINK_ROWS                                        \
	{                                                \
		link_rows, down_rows, up_rows, zero_rows \
	}
#else
#define LINK_ROWS         \
	{                 \
		link_rows \
	}
#endif

/* Where one of two vectors has a NaN; is it anywhere? */
#if LANE_BYTES == 64
#define NANS_OF(x, y) _mm512_cmp_ps_mask((__m512)(x), (__m512)(y), _CMP_UNORD_Q)
#define ANY_NAN(m)    ((m) != 0)
#elif LANE_BYTES == 32
#define NANS_OF(x, y) \
	((vu32)_mm256_cmp_ps((__m256)(x), (__m256)(y), _CMP_UNORD_Q))
#define ANY_NAN(m) (_mm256_movemask_ps((__m256)(m)) != 0)
#else
#define NANS_OF(x, y) ((vu32)_mm_cmpunord_ps((__m128)(x), (__m128)(y)))
#define ANY_NAN(m)    (_mm_movemask_ps((__m128)(m)) != 0)
#endif

#define HAS_NAN                                       \
	ANY_NAN((NANS_OF(t0, t1) | NANS_OF(t2, t3)) | \
		(NANS_OF(t4, t5) | NANS_OF(t6, t7)))
#define SETTLE(k, nan) t##k = canon32((vf32)t##k, nan);
#define STORE(k, d)    *(vu32 *)(void *)((d) + (k)*LANE_BYTES) = t##k;
#define STORE_SOME(k, d, m) \
	store_some((d) + (k)*LANE_BYTES, t##k, (m) + (k)*V32);

static inline void store_some(uint8_t *d, vu32 r, const uint32_t *mask)
{
#if LANE_BYTES == 64
	__m512i m = _mm512_load_si512(mask);
	_mm512_mask_store_epi32(d, _mm512_test_epi32_mask(m, m), (__m512i)r);
#else
	vu32 m = LDU(mask, 0), *to = (vu32 *)(void *)d;
	*to = (r & m) | (*to & ~m);
#endif
}

static void link_store(LINK_PARAMS)
{
	uint8_t *d = l->d + t->block * 64u;
	const uint32_t *m = t->mask;
	if (m == NULL) {
		EACH_VECTOR(STORE, d)
	} else {
		m += t->block * 16u;
		EACH_VECTOR(STORE_SOME, d, m)
	}
	LINK_NEXT;
}

/* Apart, so that vectors without NaNs need no stack. */
static __attribute__((noinline)) void link_settle_nans(LINK_PARAMS)
{
	EACH_VECTOR(SETTLE, t->nan32)
	LINK_NEXT;
}

static void link_settle(LINK_PARAMS)
{
	if (__builtin_expect(HAS_NAN, 0)) {
		link_settle_nans(l, t, t0, t1, t2, t3, t4, t5, t6, t7);
		return;
	}
	LINK_NEXT;
}

static __attribute__((noinline)) void link_store_nans(LINK_PARAMS)
{
	EACH_VECTOR(SETTLE, t->nan32)
	link_store(l, t, t0, t1, t2, t3, t4, t5, t6, t7);
}

static void link_store_raw(LINK_PARAMS)
{
	if (__builtin_expect(HAS_NAN, 0))
		link_store_nans(l, t, t0, t1, t2, t3, t4, t5, t6, t7);
	else
		link_store(l, t, t0, t1, t2, t3, t4, t5, t6, t7);
}

static void link_csr(LINK_PARAMS)
{
	_mm_setcsr((uint32_t)l->a_row);
	LINK_NEXT;
}

#define UNUSED_VECTOR(k, d) (void)t##k;
static void link_end(LINK_PARAMS)
{
	(void)l;
	(void)t;
	EACH_VECTOR(UNUSED_VECTOR, 0)
}

static void lane_chain(const struct link *first, const struct tile *from,
		       uint32_t lo, uint32_t hi)
{
	const uint32_t tile = TILE_VECTORS * V32;
	const vu32 z = {0};
	struct tile t = *from;
	for (uint32_t i = lo / tile * tile; i < hi; i += tile) {
		t.block = i / 16;
		((tile_fn *)first->fn)(first, &t, z, z, z, z, z, z, z, z);
	}
}

static const struct link_set lane_links = {
	.tile_lanes = TILE_VECTORS * V32,
	.rows = LINK_ROWS,
	.store = (link_fn *)link_store,
	.store_raw = (link_fn *)link_store_raw,
	.settle = (link_fn *)link_settle,
	.csr = (link_fn *)link_csr,
	.end = (link_fn *)link_end,
	.run = lane_chain,
};

#endif /* WEFT_GPU_EXEC_PRIV_LANES_CHAIN_H */
