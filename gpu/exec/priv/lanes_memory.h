/*
 * gpu/exec/priv/lanes_memory - addresses of a strip, loads, masks.
 */
#ifndef WEFT_GPU_EXEC_PRIV_LANES_MEMORY_H
#define WEFT_GPU_EXEC_PRIV_LANES_MEMORY_H

#include "gpu/exec/priv/lanes_float.h"

/* Every lane against the window; at[] gets its offset there. */
#define SPAN_LOOP(effective)                                               \
	const uint64_t base = s->base, size = s->size, low = size - 1;     \
	const uint64_t last = s->bytes - size;                             \
	const uint32_t *mask = s->mask;                                    \
	const uint32_t n = s->count;                                       \
	uint64_t *at = s->at;                                              \
	uint64_t bad = 0, ragged = 1, varied = 1;                          \
	if (mask == NULL) {                                                \
		const uint32_t i0 = 0;                                     \
		const uint64_t first = EFFECTIVE_AT(effective, i0) - base; \
		ragged = varied = 0;                                       \
		IVDEP for (uint32_t i = 0; i < n; i++)                     \
		{                                                          \
			uint64_t o = EFFECTIVE_AT(effective, i) - base;    \
			bad |= (o & low) | (uint64_t)(o > last);           \
			ragged |= o ^ (first + (uint64_t)i * size);        \
			varied |= o ^ first;                               \
			at[i] = o;                                         \
		}                                                          \
	} else {                                                           \
		IVDEP for (uint32_t i = 0; i < n; i++)                     \
		{                                                          \
			uint64_t o = EFFECTIVE_AT(effective, i) - base;    \
			o = mask[i] ? o : 0;                               \
			bad |= (o & low) | (uint64_t)(o > last);           \
			at[i] = o;                                         \
		}                                                          \
	}                                                                  \
	s->is_unit = ragged == 0;                                          \
	s->is_uniform = varied == 0;                                       \
	return bad == 0

#define EFFECTIVE_AT(f, i) f(i)

static bool span_wide(struct lane_span *s)
{
	const uint64_t *a = s->address;
	const uint64_t offset = s->offset;
#define WIDE_AT(i) (a[i] + offset)
	SPAN_LOOP(WIDE_AT);
#undef WIDE_AT
}

/* 32-bit addresses wrap at 32 bits. */
static bool span_narrow(struct lane_span *s)
{
	const uint32_t *a = s->address;
	const uint32_t offset = (uint32_t)s->offset;
#define NARROW_AT(i) ((uint64_t)(uint32_t)(a[i] + offset))
	SPAN_LOOP(NARROW_AT);
#undef NARROW_AT
}

static bool lane_span_set(struct lane_span *s)
{
	if (s->bytes < s->size)
		return false;
	return s->is_wide ? span_wide(s) : span_narrow(s);
}

#define GATHER(D, T)                                 \
	for (uint32_t i = 0; i < count; i++) {       \
		T v;                                 \
		memcpy(&v, host + at[i], sizeof(v)); \
		if (mask == NULL || mask[i])         \
			((D *)d)[i] = v;             \
	}

static void gather_slow(void *d, const uint8_t *host, const uint64_t *at,
			uint32_t size, uint32_t count, const uint32_t *mask)
{
	if (size == 1) {
		GATHER(uint32_t, uint8_t)
	} else if (size == 2) {
		GATHER(uint32_t, uint16_t)
	} else if (size == 4) {
		GATHER(uint32_t, uint32_t)
	} else {
		GATHER(uint64_t, uint64_t)
	}
}

#if LANE_BYTES == 64
static void gather4_512(uint32_t *d, const uint8_t *host, const uint64_t *at,
			uint32_t first, uint32_t count)
{
	for (uint32_t i = first; i + 8 <= count; i += 8) {
		__m512i o = _mm512_loadu_si512(at + i);
		__m256i v = _mm512_i64gather_epi32(o, (const void *)host, 1);
		_mm256_storeu_si256((void *)(d + i), v);
	}
}
static void gather8_512(uint64_t *d, const uint8_t *host, const uint64_t *at,
			uint32_t first, uint32_t count)
{
	for (uint32_t i = first; i + 8 <= count; i += 8) {
		__m512i o = _mm512_loadu_si512(at + i);
		__m512i v = _mm512_i64gather_epi64(o, (const void *)host, 1);
		_mm512_storeu_si512(d + i, v);
	}
}
static void lane_gather(void *d, const uint8_t *host, const uint64_t *at,
			uint32_t size, uint32_t count, const uint32_t *mask)
{
	uint32_t done = count & ~7u;
	if (mask != NULL || size < 4) {
		gather_slow(d, host, at, size, count, mask);
		return;
	}
	if (size == 4)
		gather4_512(d, host, at, 0, count);
	else
		gather8_512(d, host, at, 0, count);
	if (done < count)
		gather_slow((uint8_t *)d + (size_t)done * (size == 8 ? 8 : 4),
			    host, at + done, size, count - done, NULL);
}
#else
static void lane_gather(void *d, const uint8_t *host, const uint64_t *at,
			uint32_t size, uint32_t count, const uint32_t *mask)
{
	gather_slow(d, host, at, size, count, mask);
}
#endif

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
