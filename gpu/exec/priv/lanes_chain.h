/*
 * gpu/exec/priv/lanes_chain - the links of chains (gpu/exec/priv/chain.h).
 *
 * A link computes TILE_VECTORS vectors, its sources' kinds being part of its
 * name, and hands them on to the next as arguments, which stay in registers.
 */
#ifndef WEFT_GPU_EXEC_PRIV_LANES_CHAIN_H
#define WEFT_GPU_EXEC_PRIV_LANES_CHAIN_H

#include "gpu/exec/priv/chain.h"
#include "gpu/exec/priv/lanes_count.h"
#include "gpu/exec/priv/lanes_memory.h"
#include "gpu/exec/priv/op_id.h"

#define T_PARAMS \
	vu32 t0, vu32 t1, vu32 t2, vu32 t3, vu32 t4, vu32 t5, vu32 t6, vu32 t7
#define LINK_PARAMS const struct link *l, const struct tile *t, T_PARAMS

/* The one that all are called as. */
typedef void tile_fn(LINK_PARAMS);

/* clang-format off */
#define LINK_NEXT \
	((tile_fn *)l[1].fn)(l + 1, t, t0, t1, t2, t3, t4, t5, t6, t7)
#define EACH_VECTOR(DO, ...)                                              \
	DO(0, __VA_ARGS__) DO(1, __VA_ARGS__) DO(2, __VA_ARGS__)          \
	DO(3, __VA_ARGS__) DO(4, __VA_ARGS__) DO(5, __VA_ARGS__)          \
	DO(6, __VA_ARGS__) DO(7, __VA_ARGS__)

/* Vector k of a source. */
#define GET_V(k, p) vector_at(p + (k) * LANE_BYTES)
#define GET_B(k, p) p##_value
#define GET_T(k, p) t##k
#define GET_U(k, p) vector_at(p + (k) * V32 / 16 * p##_row + (k) * V32 % 16 * 4)
#define GET_R(k, p) value_at(p + (k) * V32 / 16 * p##_row)
/* And what it needs beforehand. */
#define SOURCE_V(p) const uint8_t *p = l->p + t->block * 64u;
#define SOURCE_B(p) const vu32 p##_value = value_at(l->p);
#define SOURCE_T(p)
#define SOURCE_U(p)                         \
	const int64_t p##_row = l->p##_row; \
	const uint8_t *p = l->p + t->block * p##_row;
#define SOURCE_R(p) SOURCE_U(p)
/* clang-format on */

static inline vu32 vector_at(const uint8_t *p)
{
	vu32 v;
	memcpy(&v, p, sizeof(v));
	return v;
}

static inline vu32 value_at(const uint8_t *p)
{
	uint32_t x;
	memcpy(&x, p, sizeof(x));
#if LANE_BYTES == 64
	return (vu32)_mm512_set1_epi32((int)x);
#elif LANE_BYTES == 32
	return (vu32)_mm256_set1_epi32((int)x);
#else
	return (vu32)_mm_set1_epi32((int)x);
#endif
}

/* clang-format off */
#define DO1(k, A, expr) \
	{ vu32 x = GET_##A(k, a); t##k = (vu32)(expr); }
#define DO2(k, A, B, expr) \
	{ vu32 x = GET_##A(k, a), y = GET_##B(k, b); t##k = (vu32)(expr); }
#define DO3(k, A, B, C, expr)                                         \
	{                                                             \
		vu32 x = GET_##A(k, a), y = GET_##B(k, b);            \
		vu32 z = GET_##C(k, c);                               \
		t##k = (vu32)(expr);                                  \
	}

#define LINK1(name, A, expr)                                          \
	static void link_##name##_##A(LINK_PARAMS)                    \
	{                                                             \
		SOURCE_##A(a)                                         \
		EACH_VECTOR(DO1, A, expr)                             \
		LINK_NEXT;                                            \
	}
#define LINK2(name, A, B, expr)                                       \
	static void link_##name##_##A##B(LINK_PARAMS)                 \
	{                                                             \
		SOURCE_##A(a)                                         \
		SOURCE_##B(b)                                         \
		EACH_VECTOR(DO2, A, B, expr)                          \
		LINK_NEXT;                                            \
	}
#define LINK3(name, A, B, C, expr)                                    \
	static void link_##name##_##A##B##C(LINK_PARAMS)              \
	{                                                             \
		SOURCE_##A(a)                                         \
		SOURCE_##B(b)                                         \
		SOURCE_##C(c)                                         \
		EACH_VECTOR(DO3, A, B, C, expr)                       \
		LINK_NEXT;                                            \
	}

#define AT1(name, A, expr) \
	[LINK_FORM(LINK_##A, 0, 0)] = (link_fn *)link_##name##_##A,
#define AT2(name, A, B, expr) \
	[LINK_FORM(LINK_##A, LINK_##B, 0)] = (link_fn *)link_##name##_##A##B,
#define AT3(name, A, B, C, expr)                                      \
	[LINK_FORM(LINK_##A, LINK_##B, LINK_##C)] =                   \
		(link_fn *)link_##name##_##A##B##C,

/* Kinds of sources that there are links for; a and b of those with an S may
 * change places.  FAR: with elements in rows, too. */
#define KINDS1(X, name, expr) X(name, V, expr) X(name, B, expr) X(name, T, expr)
#define KINDS1_FAR(X, name, expr) \
	KINDS1(X, name, expr) X(name, U, expr) X(name, R, expr)
#define KINDS2S(X, name, expr)                                        \
	X(name, V, V, expr) X(name, V, B, expr) X(name, T, V, expr)   \
	X(name, T, B, expr) X(name, T, T, expr)
#define KINDS2(X, name, expr)                                         \
	KINDS2S(X, name, expr) X(name, B, V, expr)                    \
	X(name, V, T, expr) X(name, B, T, expr)
#define KINDS2S_FAR(X, name, expr)                                    \
	KINDS2S(X, name, expr) X(name, U, V, expr) X(name, U, B, expr) \
	X(name, R, V, expr) X(name, R, U, expr) X(name, T, U, expr)   \
	X(name, T, R, expr)
#define KINDS2_FAR(X, name, expr)                                     \
	KINDS2S_FAR(X, name, expr) X(name, B, V, expr)                \
	X(name, V, T, expr) X(name, B, T, expr) X(name, V, U, expr)   \
	X(name, B, U, expr) X(name, V, R, expr) X(name, U, R, expr)   \
	X(name, U, T, expr) X(name, R, T, expr)
#define KINDS3_BY(X, name, C, expr)                                   \
	X(name, V, V, C, expr) X(name, V, B, C, expr)                 \
	X(name, T, V, C, expr) X(name, T, B, C, expr)                 \
	X(name, T, T, C, expr)
#define KINDS3_FAR_BY(X, name, C, expr)                               \
	KINDS3_BY(X, name, C, expr) X(name, U, V, C, expr)            \
	X(name, U, B, C, expr) X(name, R, V, C, expr)                 \
	X(name, R, U, C, expr) X(name, T, U, C, expr)                 \
	X(name, T, R, C, expr)
#define KINDS3S(X, name, expr)                                        \
	KINDS3_BY(X, name, V, expr) KINDS3_BY(X, name, B, expr)       \
	KINDS3_BY(X, name, T, expr)
#define KINDS3S_FAR(X, name, expr)                                    \
	KINDS3_FAR_BY(X, name, V, expr) KINDS3_FAR_BY(X, name, B, expr) \
	KINDS3_FAR_BY(X, name, T, expr)

/* Of those with directed rounding: fewer. */
#define KINDS1R(X, name, expr) X(name, V, expr) X(name, T, expr)
#define KINDS2R(X, name, expr)                                        \
	X(name, V, V, expr) X(name, T, V, expr) X(name, V, T, expr)   \
	X(name, T, T, expr)
#define KINDS3R(X, name, expr)                                        \
	X(name, V, V, V, expr) X(name, V, V, T, expr)                 \
	X(name, T, V, V, expr) X(name, T, T, V, expr)                 \
	X(name, T, V, T, expr) X(name, T, T, T, expr)

#define LINKS(n, KINDS, name, expr)                                   \
	KINDS(LINK##n, name, expr)                                    \
	static link_fn *const forms_##name[LINK_FORMS(n)] = {KINDS(AT##n, name, expr)};
#define LINKS1(name, expr)      LINKS(1, KINDS1, name, expr)
#define LINKS1_FAR(name, expr)  LINKS(1, KINDS1_FAR, name, expr)
#define LINKS2(name, expr)      LINKS(2, KINDS2, name, expr)
#define LINKS2S(name, expr)     LINKS(2, KINDS2S, name, expr)
#define LINKS2_FAR(name, expr)  LINKS(2, KINDS2_FAR, name, expr)
#define LINKS2S_FAR(name, expr) LINKS(2, KINDS2S_FAR, name, expr)
#define LINKS1R(name, expr)     LINKS(1, KINDS1R, name, expr)
#define LINKS2R(name, expr)     LINKS(2, KINDS2R, name, expr)
#define LINKS3R(name, expr)     LINKS(3, KINDS3R, name, expr)
#define LINKS3S(name, expr)     LINKS(3, KINDS3S, name, expr)
#define LINKS3S_FAR(name, expr) LINKS(3, KINDS3S_FAR, name, expr)
/* clang-format on */

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

/* Has one of two vectors a NaN? */
#if LANE_BYTES == 64
#define NANS_OF(x, y) _mm512_cmp_ps_mask((__m512)(x), (__m512)(y), _CMP_UNORD_Q)
#define ANY_NAN(m)    ((m) != 0)
#elif LANE_BYTES == 32
#define NANS_OF(x, y) _mm256_cmp_ps((__m256)(x), (__m256)(y), _CMP_UNORD_Q)
#define ANY_NAN(m)    (_mm256_movemask_ps(m) != 0)
#else
#define NANS_OF(x, y) _mm_cmpunord_ps((__m128)(x), (__m128)(y))
#define ANY_NAN(m)    (_mm_movemask_ps(m) != 0)
#endif

#define HAS_NAN                                                  \
	(ANY_NAN(NANS_OF(t0, t1)) || ANY_NAN(NANS_OF(t2, t3)) || \
	 ANY_NAN(NANS_OF(t4, t5)) || ANY_NAN(NANS_OF(t6, t7)))
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

static void link_store_raw(LINK_PARAMS)
{
	uint8_t *d = l->d + t->block * 64u;
	const uint32_t *m = t->mask;
	if (HAS_NAN) {
		EACH_VECTOR(SETTLE, t->nan32)
	}
	if (m == NULL) {
		EACH_VECTOR(STORE, d)
	} else {
		m += t->block * 16u;
		EACH_VECTOR(STORE_SOME, d, m)
	}
	LINK_NEXT;
}

static void link_settle(LINK_PARAMS)
{
	if (HAS_NAN) {
		EACH_VECTOR(SETTLE, t->nan32)
	}
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
	.end = (link_fn *)link_end,
	.run = lane_chain,
};

#endif /* WEFT_GPU_EXEC_PRIV_LANES_CHAIN_H */
