/*
 * gpu/exec/priv/lanes_count - bits counted in whole vectors.
 */
#ifndef WEFT_GPU_EXEC_PRIV_LANES_COUNT_H
#define WEFT_GPU_EXEC_PRIV_LANES_COUNT_H

#include "gpu/exec/priv/lanes_bits.h"
#include "gpu/exec/priv/lanes_float.h"

/* By the half bytes' own counts, from a table in a register. */
#if LANE_BYTES == 64
static inline vu32 popc_vector(vu32 x)
{
	const __m512i table = _mm512_broadcast_i32x4(
		_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
	const __m512i half = _mm512_set1_epi8(15);
	__m512i low = _mm512_and_si512((__m512i)x, half);
	__m512i high = _mm512_and_si512((__m512i)(x >> 4), half);
	__m512i sum = _mm512_add_epi8(_mm512_shuffle_epi8(table, low),
				      _mm512_shuffle_epi8(table, high));
	sum = _mm512_maddubs_epi16(sum, _mm512_set1_epi8(1));
	return (vu32)_mm512_madd_epi16(sum, _mm512_set1_epi16(1));
}
#elif LANE_BYTES == 32
static inline vu32 popc_vector(vu32 x)
{
	const __m256i table = _mm256_broadcastsi128_si256(
		_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
	const __m256i half = _mm256_set1_epi8(15);
	__m256i low = _mm256_and_si256((__m256i)x, half);
	__m256i high = _mm256_and_si256((__m256i)(x >> 4), half);
	__m256i sum = _mm256_add_epi8(_mm256_shuffle_epi8(table, low),
				      _mm256_shuffle_epi8(table, high));
	sum = _mm256_maddubs_epi16(sum, _mm256_set1_epi8(1));
	return (vu32)_mm256_madd_epi16(sum, _mm256_set1_epi16(1));
}
#else
static inline vu32 popc_vector(vu32 x)
{
	x -= (x >> 1) & 0x55555555u;
	x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
	x = (x + (x >> 4)) & 0x0f0f0f0fu;
	x += x >> 8;
	return (x + (x >> 16)) & 0x3fu;
}
#endif

static void lane_popc_32(const struct lane_args *args)
{
	LANE_LOCAL
	for (uint32_t i = p->lo; i < n; i += V32)
		put32(p, i,
		      popc_vector(
			      *(const vu32 *)(const void *)((const uint32_t *)
								    p->a +
							    i)));
}

#endif /* WEFT_GPU_EXEC_PRIV_LANES_COUNT_H */
