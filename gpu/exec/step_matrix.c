/*
 * Matrices that a warp holds in registers: integer mma, and the two halves of
 * ldmatrix and stmatrix that move between rows and fragments.  All 32 lanes
 * must take part.
 *
 * A fragment's register holds E elements of a row: of register j of lane t, row
 * t / 4 (eight rows further down in the second of a pair) and the elements from
 * (t % 4) * E on.
 */
#include <string.h>

#include "gpu/exec/priv/op_list.h"
#include "gpu/exec/priv/steps.h"

#define WARP 32u

static uint32_t *list_lanes(struct machine *mc, struct strip *s,
			    const struct op *o, uint32_t i)
{
	return machine_lanes(mc, s, mc->l->m->lists[o->list + i]);
}

static uint32_t bits_of(uint32_t x, uint32_t at, uint32_t bits)
{
	return x >> at & ((1u << bits) - 1u);
}

static int32_t element(uint32_t x, uint32_t i, uint32_t bits, bool is_signed)
{
	uint32_t v = bits_of(x, i * bits, bits);
	uint32_t sign = 1u << (bits - 1);
	return is_signed ? (int32_t)(v ^ sign) - (int32_t)sign : (int32_t)v;
}

/* Sum of the products of two registers' elements. */
static uint32_t dot(const struct op *o, uint32_t a, uint32_t b)
{
	enum mma_kind kind = (enum mma_kind)o->what;
	uint32_t sum = 0;
	if (kind == MMA_XOR)
		return (uint32_t)__builtin_popcount(a ^ b);
	if (kind == MMA_AND)
		return (uint32_t)__builtin_popcount(a & b);
	uint32_t bits = kind == MMA_BYTES ? 8 : 4;
	for (uint32_t i = 0; i < 32 / bits; i++)
		sum += (uint32_t)(element(a, i, bits,
					  (o->flags & MMA_A_SIGNED) != 0) *
				  element(b, i, bits,
					  (o->flags & MMA_B_SIGNED) != 0));
	return sum;
}

/* Registers of one warp before the operation. */
struct fragments {
	uint32_t a[4][WARP], b[2][WARP], c[4][WARP];
};

static uint32_t mma_element(const struct op *o, const struct fragments *f,
			    uint32_t row, uint32_t column)
{
	uint32_t down = o->vec / 2; /* registers of A for one part of k */
	uint32_t parts = (o->target - o->vec) / (down + 1);
	uint32_t sum = f->c[row / 8 * 2 + column % 2][row % 8 * 4 + column / 2];
	for (uint32_t part = 0; part < parts; part++) {
		for (uint32_t t = 0; t < 4; t++)
			sum += dot(o,
				   f->a[part * down + row / 8][row % 8 * 4 + t],
				   f->b[part][column * 4 + t]);
	}
	return sum;
}

static void mma_warp(struct machine *mc, struct strip *s, const struct op *o,
		     uint32_t first)
{
	struct fragments f;
	uint32_t down = o->vec / 2u, at = o->vec;
	uint32_t parts = (o->target - o->vec) / (down + 1);
	for (uint32_t i = 0; i < parts * down; i++)
		memcpy(f.a[i], list_lanes(mc, s, o, at++) + first,
		       sizeof(f.a[i]));
	for (uint32_t i = 0; i < parts; i++)
		memcpy(f.b[i], list_lanes(mc, s, o, at++) + first,
		       sizeof(f.b[i]));
	for (uint32_t i = 0; i < o->vec; i++)
		memcpy(f.c[i], list_lanes(mc, s, o, at++) + first,
		       sizeof(f.c[i]));
	for (uint32_t i = 0; i < o->vec; i++) {
		uint32_t *d = list_lanes(mc, s, o, i) + first;
		for (uint32_t t = 0; t < WARP; t++)
			d[t] = mma_element(o, &f, i / 2 * 8 + t / 4,
					   t % 4 * 2 + i % 2);
	}
}

/* A row of 16 bytes, as two registers of 64 bits hold it. */
static uint32_t row_element(const uint64_t row[2], uint32_t i)
{
	return (uint32_t)(row[i / 4] >> (i % 4 * 16)) & 0xffffu;
}

/* Lane 8 m + r has row r of matrix m: to where ldmatrix wants it. */
static void spread_warp(struct machine *mc, struct strip *s, const struct op *o,
			uint32_t first)
{
	uint64_t rows[WARP][2];
	const uint64_t *low = (const void *)list_lanes(mc, s, o, o->vec);
	const uint64_t *high = (const void *)list_lanes(mc, s, o, o->vec + 1u);
	for (uint32_t t = 0; t < WARP; t++) {
		rows[t][0] = low[first + t];
		rows[t][1] = high[first + t];
	}
	for (uint32_t m = 0; m < o->vec; m++) {
		uint32_t *d = list_lanes(mc, s, o, m) + first;
		for (uint32_t t = 0; t < WARP; t++) {
			const uint64_t(*r)[2] =
				(const uint64_t(*)[2])rows[m * 8];
			uint32_t i = t % 4 * 2, k = t / 4;
			d[t] = o->flags != 0
				       ? row_element(r[i], k) |
						 row_element(r[i + 1], k) << 16
				       : row_element(r[k], i) |
						 row_element(r[k], i + 1) << 16;
		}
	}
}

/* The other way round, for stmatrix. */
static void collect_warp(struct machine *mc, struct strip *s,
			 const struct op *o, uint32_t first)
{
	uint16_t all[4][8][8] = {0};
	for (uint32_t m = 0; m < o->target; m++) {
		const uint32_t *a = list_lanes(mc, s, o, o->vec + m) + first;
		for (uint32_t t = 0; t < WARP; t++) {
			for (uint32_t k = 0; k < 2; k++) {
				uint32_t row = t / 4, column = t % 4 * 2 + k;
				uint16_t v = (uint16_t)(a[t] >> (16 * k));
				if (o->flags != 0)
					all[m][column][row] = v;
				else
					all[m][row][column] = v;
			}
		}
	}
	for (uint32_t i = 0; i < 2; i++) {
		uint64_t *d =
			(uint64_t *)(void *)list_lanes(mc, s, o, i) + first;
		for (uint32_t t = 0; t < WARP; t++) {
			const uint16_t *e = &all[t / 8][t % 8][i * 4];
			d[t] = e[0] | (uint64_t)e[1] << 16 |
			       (uint64_t)e[2] << 32 | (uint64_t)e[3] << 48;
		}
	}
}

typedef void warp_fn(struct machine *mc, struct strip *s, const struct op *o,
		     uint32_t first);

/* Every warp that has a lane here must be whole. */
static enum step each_warp(struct machine *mc, struct strip *s,
			   const struct op *o, const uint32_t *mask,
			   warp_fn *fn)
{
	enum step r = warp_gather(mc, s, mask, o->f);
	for (uint32_t first = 0; r == STEP_NEXT && first < s->n;
	     first += WARP) {
		uint32_t on = 0;
		for (uint32_t k = first; k < s->n && k < first + WARP; k++)
			on += lane_is_on(mask, k);
		if (on == WARP)
			fn(mc, s, o, first);
		else if (on != 0)
			r = machine_end(mc, s, EXEC_VOID, EXEC_REASON_bad_sync,
					first, 0);
	}
	return r;
}

enum step step_mma(struct machine *mc, struct strip *s, const struct op *o,
		   const uint32_t *mask, UNUSED uint32_t active)
{
	return each_warp(mc, s, o, mask, mma_warp);
}

enum step step_spread(struct machine *mc, struct strip *s, const struct op *o,
		      const uint32_t *mask, UNUSED uint32_t active)
{
	return each_warp(mc, s, o, mask, spread_warp);
}

enum step step_collect(struct machine *mc, struct strip *s, const struct op *o,
		       const uint32_t *mask, UNUSED uint32_t active)
{
	return each_warp(mc, s, o, mask, collect_warp);
}
