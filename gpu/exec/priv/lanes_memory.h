/*
 * gpu/exec/priv/lanes_memory - addresses of a strip, loads, stores, masks.
 */
#ifndef WEFT_GPU_EXEC_PRIV_LANES_MEMORY_H
#define WEFT_GPU_EXEC_PRIV_LANES_MEMORY_H

#include "gpu/exec/priv/lanes_float.h"

/* Every lane against the window; at[] gets its offset there. */
#define SPAN_LOOP(T, offset_of)                                   \
	const T size = (T)s->size, low = size - 1;                \
	const T last = (T)(s->bytes - s->size);                   \
	const uint32_t *mask = s->mask;                           \
	const uint32_t n = s->count;                              \
	uint32_t *at = s->at;                                     \
	T bad = 0, least = ~(T)0, most = 0;                       \
	if (mask == NULL) {                                       \
		IVDEP for (uint32_t i = 0; i < n; i++)            \
		{                                                 \
			T o = offset_of(i);                       \
			bad |= (o & low) | (T)(o > last);         \
			least = o < least ? o : least;            \
			most = o > most ? o : most;               \
			at[i] = (uint32_t)o;                      \
		}                                                 \
	} else {                                                  \
		IVDEP for (uint32_t i = 0; i < n; i++)            \
		{                                                 \
			T o = offset_of(i);                       \
			o = mask[i] ? o : 0;                      \
			bad |= (o & low) | (T)(o > last);         \
			least = mask[i] && o < least ? o : least; \
			most = o > most ? o : most;               \
			at[i] = (uint32_t)o;                      \
		}                                                 \
	}                                                         \
	s->least = (uint32_t)least;                               \
	s->most = (uint32_t)most;                                 \
	return bad == 0

static bool span_wide(struct lane_span *s)
{
	const uint64_t *a = s->address;
	const uint64_t shift = s->offset - s->base;
#define WIDE_AT(i) (a[i] + shift)
	SPAN_LOOP(uint64_t, WIDE_AT);
#undef WIDE_AT
}

/* 32-bit addresses wrap at 32 bits, and so do offsets from the base: what is
 * below it becomes larger than any window. */
static bool span_narrow(struct lane_span *s)
{
	const uint32_t *a = s->address;
	const uint32_t shift = (uint32_t)(s->offset - s->base);
#define NARROW_AT(i) (a[i] + shift)
	SPAN_LOOP(uint32_t, NARROW_AT);
#undef NARROW_AT
}

static bool lane_span_set(struct lane_span *s)
{
	if (s->bytes < s->size || s->bytes > UINT32_MAX)
		return false;
	if (s->is_wide)
		return span_wide(s);
	/* The window must lie where 32-bit addresses reach. */
	return s->base <= UINT32_MAX && s->bytes <= UINT32_MAX - s->base &&
	       span_narrow(s);
}

/* How the addresses of a block of 16 lanes lie to each other. */
enum pattern {
	PATTERN_ANY,
	PATTERN_UNIT,
	PATTERN_UNIFORM,
	PATTERN_PART,
	PATTERN_NONE
};

#define BLOCK_LANES 16u

#if LANE_BYTES == 64
#define V_ANY(x) (_mm512_test_epi32_mask((__m512i)(x), (__m512i)(x)) != 0)
#elif LANE_BYTES == 32
#define V_ANY(x) (!_mm256_testz_si256((__m256i)(x), (__m256i)(x)))
#else
#define V_ANY(x)                                         \
	(_mm_movemask_epi8(_mm_cmpeq_epi32((__m128i)(x), \
					   _mm_setzero_si128())) != 0xffff)
#endif

#define LDU(p, i) (*(const vu32 *)(const void *)((p) + (i)))

static inline enum pattern block_pattern(const uint32_t *at, uint32_t size,
					 const uint32_t *mask)
{
	static const uint32_t iota[BLOCK_LANES] __attribute__((aligned(64))) = {
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
	vu32 ragged = {0}, varied = {0}, off = {0}, on = {0};
	if (mask != NULL) {
		for (uint32_t i = 0; i < BLOCK_LANES; i += V32) {
			on |= LDU(mask, i);
			off |= ~LDU(mask, i);
		}
		if (!V_ANY(on))
			return PATTERN_NONE;
		if (V_ANY(off))
			return PATTERN_PART;
	}
	for (uint32_t i = 0; i < BLOCK_LANES; i += V32) {
		vu32 d = LDU(at, i) - at[0];
		varied |= d;
		ragged |= d ^ (LDU(iota, i) * size);
	}
	if (!V_ANY(ragged))
		return PATTERN_UNIT;
	return V_ANY(varied) ? PATTERN_ANY : PATTERN_UNIFORM;
}

/* T in memory, D in lanes. */
#define GATHER_OF(name, D, T, any)                                             \
	static void name##_lanes(D *d, const uint8_t *host,                    \
				 const uint32_t *at, uint32_t n,               \
				 const uint32_t *mask)                         \
	{                                                                      \
		for (uint32_t i = 0; i < n; i++) {                             \
			T v;                                                   \
			if (mask != NULL && mask[i] == 0)                      \
				continue;                                      \
			memcpy(&v, host + at[i], sizeof(v));                   \
			d[i] = v;                                              \
		}                                                              \
	}                                                                      \
	static void name(D *d, const uint8_t *host, const uint32_t *at,        \
			 uint32_t n, const uint32_t *mask,                     \
			 const uint8_t *patterns)                              \
	{                                                                      \
		uint32_t i = 0;                                                \
		const uint8_t common = patterns[STRIP_LANES / BLOCK_LANES];    \
		for (; common == PATTERN_UNIT && i < n; i += BLOCK_LANES) {    \
			T v[BLOCK_LANES];                                      \
			memcpy(v, host + at[i], sizeof(v));                    \
			for (uint32_t k = 0; k < BLOCK_LANES; k++)             \
				d[i + k] = v[k];                               \
		}                                                              \
		for (; common == PATTERN_UNIFORM && i < n; i += BLOCK_LANES) { \
			T v;                                                   \
			memcpy(&v, host + at[i], sizeof(v));                   \
			for (uint32_t k = 0; k < BLOCK_LANES; k++)             \
				d[i + k] = v;                                  \
		}                                                              \
		for (; i + BLOCK_LANES <= n; i += BLOCK_LANES) {               \
			const uint32_t *m = mask == NULL ? NULL : mask + i;    \
			T v[BLOCK_LANES];                                      \
			switch ((enum pattern)patterns[i / BLOCK_LANES]) {     \
			case PATTERN_NONE:                                     \
				break;                                         \
			case PATTERN_UNIT:                                     \
				memcpy(v, host + at[i], sizeof(v));            \
				for (uint32_t k = 0; k < BLOCK_LANES; k++)     \
					d[i + k] = v[k];                       \
				break;                                         \
			case PATTERN_UNIFORM:                                  \
				memcpy(v, host + at[i], sizeof(T));            \
				for (uint32_t k = 0; k < BLOCK_LANES; k++)     \
					d[i + k] = v[0];                       \
				break;                                         \
			case PATTERN_ANY:                                      \
				any(d + i, host, at + i);                      \
				break;                                         \
			case PATTERN_PART:                                     \
				name##_lanes(d + i, host, at + i, BLOCK_LANES, \
					     m);                               \
				break;                                         \
			}                                                      \
		}                                                              \
		name##_lanes(d + i, host, at + i, n - i,                       \
			     mask == NULL ? NULL : mask + i);                  \
	}

#define ANY_BY_LANES(T, D)                           \
	for (uint32_t k = 0; k < BLOCK_LANES; k++) { \
		T v;                                 \
		memcpy(&v, host + at[k], sizeof(v)); \
		d[k] = (D)v;                         \
	}

static inline void any1(uint32_t *d, const uint8_t *host, const uint32_t *at)
{
	ANY_BY_LANES(uint8_t, uint32_t)
}
static inline void any2(uint32_t *d, const uint8_t *host, const uint32_t *at)
{
	ANY_BY_LANES(uint16_t, uint32_t)
}
#if LANE_BYTES == 64
/* clang's headers convert a mask's sign. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
/* Offsets are unsigned: gathers take 64-bit ones. */
static inline void any4(uint32_t *d, const uint8_t *host, const uint32_t *at)
{
	for (uint32_t k = 0; k < BLOCK_LANES; k += 8) {
		__m512i o = _mm512_cvtepu32_epi64(
			_mm256_loadu_si256((const void *)(at + k)));
		_mm256_storeu_si256(
			(void *)(d + k),
			_mm512_i64gather_epi32(o, (const void *)host, 1));
	}
}
static inline void any8(uint64_t *d, const uint8_t *host, const uint32_t *at)
{
	for (uint32_t k = 0; k < BLOCK_LANES; k += 8) {
		__m512i o = _mm512_cvtepu32_epi64(
			_mm256_loadu_si256((const void *)(at + k)));
		_mm512_storeu_si512(d + k, _mm512_i64gather_epi64(
						   o, (const void *)host, 1));
	}
}
#pragma GCC diagnostic pop
#else
static inline void any4(uint32_t *d, const uint8_t *host, const uint32_t *at)
{
	ANY_BY_LANES(uint32_t, uint32_t)
}
static inline void any8(uint64_t *d, const uint8_t *host,
			const uint32_t *at){ANY_BY_LANES(uint64_t, uint64_t)}
#endif

GATHER_OF(gather1, uint32_t, uint8_t, any1)
GATHER_OF(gather2, uint32_t, uint16_t, any2)
GATHER_OF(gather4, uint32_t, uint32_t, any4)
GATHER_OF(gather8, uint64_t, uint64_t, any8)

/* ret[STRIP_LANES / 16] is what all blocks are, if they are the same. */
static void lane_patterns(uint8_t *ret, const uint32_t *at, uint32_t size,
			  uint32_t count, const uint32_t *mask)
{
	uint32_t differ = 0;
	for (uint32_t i = 0; i + BLOCK_LANES <= count; i += BLOCK_LANES) {
		ret[i / BLOCK_LANES] = (uint8_t)block_pattern(
			at + i, size, mask == NULL ? NULL : mask + i);
		differ |= ret[i / BLOCK_LANES] ^ ret[0];
	}
	bool is_one = differ == 0 && count != 0 && count % BLOCK_LANES == 0;
	ret[STRIP_LANES / BLOCK_LANES] = is_one ? ret[0] : PATTERN_NONE;
}

static void lane_gather(void *d, const uint8_t *host, const uint32_t *at,
			uint32_t size, uint32_t count, const uint32_t *mask,
			const uint8_t *patterns)
{
	if (size == 4)
		gather4(d, host, at, count, mask, patterns);
	else if (size == 8)
		gather8(d, host, at, count, mask, patterns);
	else if (size == 1)
		gather1(d, host, at, count, mask, patterns);
	else
		gather2(d, host, at, count, mask, patterns);
}

/* Lanes in ascending order, so that the last one stays. */
#define SCATTER_OF(name, S, T)                                                 \
	static void name##_lanes(const S *r, uint8_t *host,                    \
				 const uint32_t *at, uint32_t n,               \
				 const uint32_t *mask)                         \
	{                                                                      \
		for (uint32_t i = 0; i < n; i++) {                             \
			T v = (T)r[i];                                         \
			if (mask == NULL || mask[i] != 0)                      \
				memcpy(host + at[i], &v, sizeof(v));           \
		}                                                              \
	}                                                                      \
	static void name(const S *r, uint8_t *host, const uint32_t *at,        \
			 uint32_t n, const uint32_t *mask)                     \
	{                                                                      \
		uint32_t i = 0;                                                \
		for (; i + BLOCK_LANES <= n; i += BLOCK_LANES) {               \
			const uint32_t *m = mask == NULL ? NULL : mask + i;    \
			enum pattern p = block_pattern(at + i, sizeof(T), m);  \
			T v[BLOCK_LANES];                                      \
			if (p == PATTERN_UNIT) {                               \
				for (uint32_t k = 0; k < BLOCK_LANES; k++)     \
					v[k] = (T)r[i + k];                    \
				memcpy(host + at[i], v, sizeof(v));            \
			} else if (p != PATTERN_NONE) {                        \
				name##_lanes(r + i, host, at + i, BLOCK_LANES, \
					     m);                               \
			}                                                      \
		}                                                              \
		name##_lanes(r + i, host, at + i, n - i,                       \
			     mask == NULL ? NULL : mask + i);                  \
	}

SCATTER_OF(scatter1, uint32_t, uint8_t)
SCATTER_OF(scatter2, uint32_t, uint16_t)
SCATTER_OF(scatter4, uint32_t, uint32_t)
SCATTER_OF(scatter8, uint64_t, uint64_t)

static void lane_scatter(const void *r, uint8_t *host, const uint32_t *at,
			 uint32_t size, uint32_t count, const uint32_t *mask)
{
	if (size == 4)
		scatter4(r, host, at, count, mask);
	else if (size == 8)
		scatter8(r, host, at, count, mask);
	else if (size == 1)
		scatter1(r, host, at, count, mask);
	else
		scatter2(r, host, at, count, mask);
}

static uint32_t lane_mask_and(uint32_t *d, const uint32_t *a, const uint32_t *b,
			      uint32_t flip, uint32_t n)
{
	uint32_t sum = 0;
	if (a == NULL) {
		IVDEP for (uint32_t i = 0; i < n; i++)
		{
			d[i] = b[i] ^ flip;
			sum += d[i] & 1u;
		}
	} else {
		IVDEP for (uint32_t i = 0; i < n; i++)
		{
			d[i] = a[i] & (b[i] ^ flip);
			sum += d[i] & 1u;
		}
	}
	return sum;
}

static void lane_lowest(const uint32_t *v, uint32_t n, uint32_t ret_low[2])
{
	uint32_t least = UINT32_MAX, next = UINT32_MAX;
	for (uint32_t i = 0; i < n; i++)
		least = v[i] < least ? v[i] : least;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t other = v[i] == least ? UINT32_MAX : v[i];
		next = other < next ? other : next;
	}
	ret_low[0] = least;
	ret_low[1] = next;
}

static uint32_t lane_equal(uint32_t *d, const uint32_t *v, uint32_t x,
			   uint32_t n)
{
	uint32_t sum = 0;
	IVDEP for (uint32_t i = 0; i < n; i++)
	{
		d[i] = PRED(v[i] == x);
		sum += d[i] & 1u;
	}
	return sum;
}

static inline bool block_is_off(const uint32_t *m)
{
	vu32 on = {0};
	for (uint32_t i = 0; i < BLOCK_LANES; i += V32)
		on |= LDU(m, i);
	return !V_ANY(on);
}

static void lane_extent(const uint32_t *m, uint32_t n, uint32_t *ret_lo,
			uint32_t *ret_hi)
{
	uint32_t lo = 0, hi = (n + BLOCK_LANES - 1) / BLOCK_LANES * BLOCK_LANES;
	while (lo + BLOCK_LANES <= n && block_is_off(m + lo))
		lo += BLOCK_LANES;
	/* The last block may have lanes without a thread: it stays. */
	while (hi > lo + BLOCK_LANES && hi <= n &&
	       block_is_off(m + hi - BLOCK_LANES))
		hi -= BLOCK_LANES;
	*ret_lo = lo;
	*ret_hi = hi;
}

static void lane_fill(uint32_t *d, const uint32_t *m, uint32_t x, uint32_t n)
{
	if (m == NULL) {
		for (uint32_t i = 0; i < n; i++)
			d[i] = x;
	} else {
		IVDEP for (uint32_t i = 0; i < n; i++) d[i] = m[i] ? x : d[i];
	}
}

#endif /* WEFT_GPU_EXEC_PRIV_LANES_MEMORY_H */
