/*
 * gpu/exec/priv/lanes_rows - addresses in rows: blocks of 16 lanes that are
 * alike but for a distance, as loops over arrays make them.
 */
#ifndef WEFT_GPU_EXEC_PRIV_LANES_ROWS_H
#define WEFT_GPU_EXEC_PRIV_LANES_ROWS_H

#include "gpu/exec/priv/lanes_memory.h"

#define ROWS_OF(T, V, PER)                                                    \
	V away[BLOCK_LANES / PER], differ = {0}, want = {0};                  \
	for (uint32_t i = 0; i < BLOCK_LANES; i++)                            \
		away[i / PER][i % PER] = (T)(i * step);                       \
	want += a[0];                                                         \
	for (uint32_t j = 0; j < n; j += BLOCK_LANES, want += row) {          \
		for (uint32_t k = 0; k < BLOCK_LANES / PER; k++)              \
			differ |=                                             \
				*(const V *)(const void *)(a + j + k * PER) ^ \
				(want + away[k]);                             \
	}                                                                     \
	return !V_ANY(differ)

static bool rows_wide(const uint64_t *a, uint32_t n, uint64_t step,
		      uint64_t row)
{
	ROWS_OF(uint64_t, vu64, V64);
}

static bool rows_narrow(const uint32_t *a, uint32_t n, uint32_t step,
			uint32_t row)
{
	ROWS_OF(uint32_t, vu32, V32);
}

static bool lane_rows(const void *address, bool is_wide, uint32_t n,
		      int64_t *ret_step, int64_t *ret_row)
{
	if (is_wide) {
		const uint64_t *a = address;
		uint64_t step = a[1] - a[0];
		uint64_t row = n > BLOCK_LANES ? a[BLOCK_LANES] - a[0] : 0;
		*ret_step = (int64_t)step;
		*ret_row = (int64_t)row;
		return rows_wide(a, n, step, row);
	}
	const uint32_t *a = address;
	uint32_t step = a[1] - a[0];
	uint32_t row = n > BLOCK_LANES ? a[BLOCK_LANES] - a[0] : 0;
	*ret_step = (int32_t)step;
	*ret_row = (int32_t)row;
	return rows_narrow(a, n, step, row);
}

/* T in memory, D in lanes. */
#define EACH_ROW for (; n != 0; n -= BLOCK_LANES, r += BLOCK_LANES, host += row)
#define MOVE_ROWS_OF(size, D, T)                                               \
	static void load_unit##size(void *d, const uint8_t *host, int64_t row, \
				    uint32_t n)                                \
	{                                                                      \
		D *r = d;                                                      \
		EACH_ROW                                                       \
		{                                                              \
			T v[BLOCK_LANES];                                      \
			memcpy(v, host, sizeof(v));                            \
			for (uint32_t k = 0; k < BLOCK_LANES; k++)             \
				r[k] = v[k];                                   \
		}                                                              \
	}                                                                      \
	static void load_same##size(void *d, const uint8_t *host, int64_t row, \
				    uint32_t n)                                \
	{                                                                      \
		D *r = d;                                                      \
		EACH_ROW                                                       \
		{                                                              \
			T v;                                                   \
			memcpy(&v, host, sizeof(v));                           \
			for (uint32_t k = 0; k < BLOCK_LANES; k++)             \
				r[k] = v;                                      \
		}                                                              \
	}                                                                      \
	static void store_unit##size(const void *s, uint8_t *host,             \
				     int64_t row, uint32_t n)                  \
	{                                                                      \
		const D *r = s;                                                \
		EACH_ROW                                                       \
		{                                                              \
			T v[BLOCK_LANES];                                      \
			for (uint32_t k = 0; k < BLOCK_LANES; k++)             \
				v[k] = (T)r[k];                                \
			memcpy(host, v, sizeof(v));                            \
		}                                                              \
	}
MOVE_ROWS_OF(1, uint32_t, uint8_t)
MOVE_ROWS_OF(2, uint32_t, uint16_t)
MOVE_ROWS_OF(4, uint32_t, uint32_t)
MOVE_ROWS_OF(8, uint64_t, uint64_t)

#endif /* WEFT_GPU_EXEC_PRIV_LANES_ROWS_H */
