/*
 * gpu/exec/priv/track_all - the loops of gpu/exec/priv/track.h, written once.
 *
 * Included once by each track_*.c, which names the set (TRACK_SET).
 */
#ifndef WEFT_GPU_EXEC_PRIV_TRACK_ALL_H
#define WEFT_GPU_EXEC_PRIV_TRACK_ALL_H

#include <immintrin.h>
#include <string.h>

#include "gpu/exec/priv/track.h"

#if defined(__clang__)
#define TRACK_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define TRACK_LOOP _Pragma("GCC ivdep")
#endif

static bool any(const void *p, size_t bytes)
{
	const uint8_t *b = p;
	uint64_t all = 0;
	size_t i = 0;
	for (; i + 64 <= bytes; i += 64) {
		uint64_t v[8];
		memcpy(v, b + i, sizeof(v));
		all |= (v[0] | v[1]) | (v[2] | v[3]) | (v[4] | v[5]) |
		       (v[6] | v[7]);
	}
	for (; i < bytes; i++)
		all |= b[i];
	return all != 0;
}

#define NAN_LOOP(is_nan)                                           \
	uint32_t bad = 0;                                          \
	if (mask == NULL) {                                        \
		TRACK_LOOP for (uint32_t i = 0; i < n; i++) bad |= \
			(uint32_t)(is_nan);                        \
	} else {                                                   \
		TRACK_LOOP for (uint32_t i = 0; i < n; i++) bad |= \
			(uint32_t)(is_nan)&mask[i];                \
	}                                                          \
	return bad != 0

static bool nan16(const uint32_t *v, const uint32_t *mask, uint32_t n)
{
	/* The common NaNs of results are NaNs in f16 and bf16. */
	NAN_LOOP((v[i] & 0x7fffu) > 0x7f80u ||
		 (v[i] & 0x7fff0000u) > 0x7f80ffffu);
}

/* Some of 32 lanes; a comparison of two vectors sees the NaNs of both. */
static inline bool nan32_block(const uint32_t *v)
{
#if defined(__AVX512F__)
	return _mm512_cmp_ps_mask(_mm512_loadu_ps(v), _mm512_loadu_ps(v + 16),
				  _CMP_UNORD_Q) != 0;
#elif defined(__AVX2__)
	const float *f = (const float *)(const void *)v;
	__m256 low = _mm256_cmp_ps(_mm256_loadu_ps(f), _mm256_loadu_ps(f + 8),
				   _CMP_UNORD_Q);
	__m256 high = _mm256_cmp_ps(_mm256_loadu_ps(f + 16),
				    _mm256_loadu_ps(f + 24), _CMP_UNORD_Q);
	return _mm256_movemask_ps(_mm256_or_ps(low, high)) != 0;
#else
	uint32_t bad = 0;
	TRACK_LOOP for (uint32_t i = 0; i < 32; i++) bad |=
		(uint32_t)((v[i] & 0x7fffffffu) > 0x7f800000u);
	return bad != 0;
#endif
}

static bool nan32(const uint32_t *v, const uint32_t *mask, uint32_t n)
{
	bool any = n % 32 != 0;
	/* Lanes that are off may hold one: only then the mask is asked. */
	for (uint32_t b = 0; b + 32 <= n; b += 32)
		any |= nan32_block(v + b);
	if (!any)
		return false;
	NAN_LOOP((v[i] & 0x7fffffffu) > 0x7f800000u);
}

static bool nan64(const uint64_t *v, const uint32_t *mask, uint32_t n)
{
	NAN_LOOP((v[i] & INT64_MAX) > 0x7ff0000000000000u);
}

static bool plain32(const uint32_t *marks, const uint32_t *mask, uint32_t n)
{
	uint32_t bad = 0;
	if (mask == NULL) {
		TRACK_LOOP for (uint32_t i = 0; i < n; i++) bad |=
			(uint32_t)((marks[i] != 0) & (marks[i] != TRACK_NAN32));
		return bad == 0;
	}
	TRACK_LOOP for (uint32_t i = 0; i < n; i++) bad |=
		mask[i] &
		(uint32_t)((marks[i] != 0) & (marks[i] != TRACK_NAN32));
	return bad == 0;
}

static bool mark32(uint32_t *marks, const uint32_t *v, const uint32_t *mask,
		   uint32_t n)
{
	uint32_t any = 0;
	if (mask == NULL) {
		TRACK_LOOP for (uint32_t i = 0; i < n; i++)
		{
			marks[i] = (v[i] & 0x7fffffffu) > 0x7f800000u
					   ? TRACK_NAN32
					   : 0;
			any |= marks[i];
		}
		return any != 0;
	}
	TRACK_LOOP for (uint32_t i = 0; i < n; i++)
	{
		uint32_t m =
			(v[i] & 0x7fffffffu) > 0x7f800000u ? TRACK_NAN32 : 0;
		marks[i] = (m & mask[i]) | (marks[i] & ~mask[i]);
		any |= marks[i];
	}
	return any != 0;
}

/* Is some lane of d not 0, and some not as lanes side by side have it? */
static inline void compare_block(const uint32_t *at, uint32_t size,
				 bool *ret_varied, bool *ret_ragged)
{
#if defined(__AVX512F__)
	static const uint32_t iota[TRACK_LANES] = {
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
	__m512i d = _mm512_sub_epi32(_mm512_loadu_si512(at),
				     _mm512_set1_epi32((int)at[0]));
	__m512i unit = _mm512_mullo_epi32(_mm512_loadu_si512(iota),
					  _mm512_set1_epi32((int)size));
	*ret_varied = _mm512_test_epi32_mask(d, d) != 0;
	*ret_ragged = _mm512_cmpneq_epi32_mask(d, unit) != 0;
#else
	uint32_t ragged = 0, varied = 0;
	for (uint32_t i = 0; i < TRACK_LANES; i++) {
		uint32_t d = at[i] - at[0];
		varied |= d;
		ragged |= d ^ (i * size);
	}
	*ret_varied = varied != 0;
	*ret_ragged = ragged != 0;
#endif
}

static void patterns(uint8_t *ret, const uint32_t *at, uint32_t size,
		     uint32_t n, const uint32_t *mask)
{
	for (uint32_t b = 0; b < n; b += TRACK_LANES) {
		uint32_t on = 0, off = 0;
		bool varied, ragged;
		uint8_t *p = &ret[b / TRACK_LANES];
		*p = TRACK_ANY;
		if (b + TRACK_LANES > n)
			continue;
		for (uint32_t i = b; mask != NULL && i < b + TRACK_LANES; i++) {
			on |= mask[i];
			off |= ~mask[i];
		}
		if (mask != NULL && on == 0)
			*p = TRACK_NONE;
		if (off != 0)
			continue;
		compare_block(at + b, size, &varied, &ragged);
		if (!ragged)
			*p = TRACK_UNIT;
		else if (!varied)
			*p = TRACK_UNIFORM;
	}
}

/* Only their own thread may have written since the last barrier. */
static inline bool load_entries(const struct track_run v, const uint32_t n)
{
	const uint32_t warp = v.key & SET_WHO;
	const uint32_t several = v.key - warp + SET_WARPS;
	uint32_t bad = 0;
	TRACK_LOOP for (uint32_t i = 0; i < n; i++)
	{
		uint32_t w = v.w[i], r = v.r[i];
		bad |= (w >= v.epoch) &
		       ((w != v.key) | (v.w_mask[i] != v.bits[i]));
		bad |= (r >= v.epoch) & ((r ^ v.key) >> SET_SHIFT != 0);
	}
	if (bad != 0)
		return false;
	TRACK_LOOP for (uint32_t i = 0; i < n; i++)
	{
		uint32_t r = v.r[i], m = v.r_mask[i];
		bool fresh = r < v.epoch;
		uint32_t both = r == several ? m : 1u << (r & 31u);
		m = r == v.key ? m | v.bits[i] : both | 1u << warp;
		v.r_mask[i] = fresh ? v.bits[i] : m;
		v.r[i] = fresh || r == v.key ? v.key : several;
		v.r_op[i] = v.op;
	}
	return true;
}

static inline bool store_entries(const struct track_run v, const uint32_t n)
{
	uint32_t bad = 0;
	TRACK_LOOP for (uint32_t i = 0; i < n; i++)
	{
		uint32_t w = v.w[i], r = v.r[i], bit = v.bits[i];
		bad |= (w >= v.epoch) & ((w != v.key) | (v.w_mask[i] != bit));
		bad |= (r >= v.epoch) & ((r != v.key) | (v.r_mask[i] != bit));
	}
	if (bad != 0)
		return false;
	TRACK_LOOP for (uint32_t i = 0; i < n; i++)
	{
		v.w[i] = v.key;
		v.w_mask[i] = v.bits[i];
		v.w_op[i] = v.op;
		v.r[i] = v.r[i] >= v.start ? v.start : v.r[i];
	}
	return true;
}

/* A block of words is what there is most. */
static bool load(const struct track_run *t)
{
	return t->n == TRACK_LANES ? load_entries(*t, TRACK_LANES)
				   : load_entries(*t, t->n);
}

static bool store(const struct track_run *t)
{
	return t->n == TRACK_LANES ? store_entries(*t, TRACK_LANES)
				   : store_entries(*t, t->n);
}

const struct track_set TRACK_SET = {
	.any = any,
	.nan16 = nan16,
	.nan32 = nan32,
	.nan64 = nan64,
	.plain32 = plain32,
	.mark32 = mark32,
	.patterns = patterns,
	.load = load,
	.store = store,
};

#endif /* WEFT_GPU_EXEC_PRIV_TRACK_ALL_H */
