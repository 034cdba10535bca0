/*
 * gpu/exec/priv/lanes - one instruction over the threads of a strip.
 *
 * A strip is up to STRIP_LANES threads of a CTA.  A register is an array
 * with one value per lane: 32 bits for predicates (0 or ~0), 8-, 16- and
 * 32-bit registers (narrow ones zero-extended), 64 bits for wide ones.
 * A lane function computes lanes [0, hi) and, where mask is given, stores
 * only those with mask ~0.  hi is a multiple of LANE_STEP, so vectors
 * never need a tail; what lanes without a thread compute is never looked at.
 *
 * The same bodies are compiled for plain C, AVX2 and AVX-512; every set gives
 * the same bits.  Rounding mode and flushing of subnormals come from MXCSR,
 * which the caller has set.
 */
#ifndef WEFT_GPU_EXEC_PRIV_LANES_H
#define WEFT_GPU_EXEC_PRIV_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"

/* Most lanes of a strip; a multiple of 32, so warps never straddle. */
#define STRIP_LANES 256u

/* hi is a multiple of this. */
#define LANE_STEP 16u

/* Operands of a lane function.  d may be the same array as a source. */
struct lane_args {
	void *d; /* destination */
	void *e; /* second destination: carry or predicate */
	const void *a;
	const void *b;
	const void *c;
	const void *f;	      /* fourth source */
	const uint32_t *mask; /* NULL: all lanes */
	uint32_t lo;
	uint32_t hi;
	uint32_t imm;
	uint32_t nan32; /* the bits of a NaN that has none of its own */
	uint64_t nan64;
};

typedef void lane_fn(const struct lane_args *p);

/* Addresses of a strip, ready to access one window of host memory. */
struct lane_span {
	const void *address;  /* uint32_t or uint64_t per lane */
	bool is_wide;	      /* addresses of 64 bits */
	uint64_t offset;      /* added to each, wraps at the width */
	uint64_t base;	      /* of the window */
	uint64_t bytes;	      /* of the window */
	uint32_t size;	      /* of one access: 1, 2, 4, 8, 16 */
	uint32_t count;	      /* lanes [0, count) */
	const uint32_t *mask; /* NULL: all lanes */
	uint32_t *at; /* out: offset in the window by lane; 0: masked off */
	uint32_t least, most; /* out: of at, active lanes */
};

/* What a width must offer besides the instructions. */
struct lane_set {
	const char *name;
	/* Fills at; false when some active lane is misaligned or outside, or
	 * the window is too large for 32-bit offsets. */
	bool (*span)(struct lane_span *s);
	/* How the addresses of each block of 16 lanes lie to each other, and
	 * behind them what all blocks are alike. */
	void (*patterns)(uint8_t *ret, const uint32_t *at, uint32_t size,
			 uint32_t count, const uint32_t *mask);
	/* Moves 1, 2, 4, 8 bytes between host + at[i] and 32- or 64-bit lanes;
	 * loads extend by zeros, stores go in the lanes' order. */
	void (*gather)(void *d, const uint8_t *host, const uint32_t *at,
		       uint32_t size, uint32_t count, const uint32_t *mask,
		       const uint8_t *patterns);
	void (*scatter)(const void *r, uint8_t *host, const uint32_t *at,
			uint32_t size, uint32_t count, const uint32_t *mask);
	/* d = a & (b ^ flip) over n lanes, a NULL: all; how many are set. */
	uint32_t (*mask_and)(uint32_t *d, const uint32_t *a, const uint32_t *b,
			     uint32_t flip, uint32_t n);
	/* Lowest and second lowest value of v. */
	void (*lowest)(const uint32_t *v, uint32_t n, uint32_t ret_low[2]);
	/* d = (v == x) as a mask; how many are set. */
	uint32_t (*equal)(uint32_t *d, const uint32_t *v, uint32_t x,
			  uint32_t n);
	/* d = x where m (NULL: everywhere). */
	void (*fill)(uint32_t *d, const uint32_t *m, uint32_t x, uint32_t n);
	/* By operation number (gpu/exec/ops.def). */
	lane_fn *const *ops;
};

extern const struct lane_set exec_lanes_plain;
extern const struct lane_set exec_lanes_avx2;
extern const struct lane_set exec_lanes_avx512;

#endif /* WEFT_GPU_EXEC_PRIV_LANES_H */
