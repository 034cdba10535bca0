/*
 * gpu/exec/priv/lanes - one instruction over the threads of a strip.
 *
 * A strip is up to STRIP_LANES threads of a CTA.  A register is an array
 * with one value per lane: 32 bits for predicates (0 or ~0), 8-, 16- and
 * 32-bit registers (narrow ones zero-extended), 64 bits for wide ones.
 * A lane function computes lanes [lo, hi), or more below, and, where mask is
 * given, stores only those with mask ~0.  Both are multiples of LANE_STEP, so
 * vectors never need a tail; what lanes without a thread compute is never
 * looked at.
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
#include "gpu/exec/priv/chain.h"

/* Most lanes of a strip; a multiple of 32, so warps never straddle. */
#define STRIP_LANES 256u

/* hi is a multiple of this. */
#define LANE_STEP 16u

/* The pool of constants, as a bit of a place. */
#define LANE_CONST 0x80000000u

/* What else than fn an op needs (lane_op.flags); 0: nothing. */
#define LANE_GUARDED 1u
#define LANE_STEPS   2u /* a step function, not fn */
#define LANE_CSR     4u /* MXCSR may be another op's */
#define LANE_TRACED  8u
#define LANE_CHAIN   16u /* a chain starts here */

/* Operands that are the same in all lanes (lane_op.uniform). */
#define UNIFORM_A  1u
#define UNIFORM_B  2u
#define UNIFORM_C  4u
#define UNIFORM_BC (UNIFORM_B | UNIFORM_C)

struct lane_args;
typedef void lane_fn(const struct lane_args *args);

/*
 * An op as one launch runs it: what the loop needs and no more.  Places are
 * in multiples of 64 bytes from the strip's registers or, with LANE_CONST,
 * from the constants.
 */
struct lane_op {
	lane_fn *fn; /* of a step: unused */
	uint32_t d, e, a, b, c, f;
	uint32_t imm;
	uint16_t csr;
	uint8_t flags;
	uint8_t uniform;
	uint8_t spoils;	  /* of what the strip remembers, bits */
	uint8_t rounding; /* as in MXCSR: nearest, down, up, to zero */
	uint16_t id;	  /* operation number */
	uint32_t chain;	  /* which, with LANE_CHAIN */
};

/*
 * The operands of a lane function, which may be the same arrays.  The caller
 * sets op, base and what follows them; lane_resolve() adds the operands.
 */
struct lane_args {
	const struct lane_op *op;
	uint8_t *base[2];     /* registers, constants */
	const uint32_t *mask; /* NULL: all lanes */
	uint32_t lo;	      /* no lane below it is on */
	uint32_t hi;	      /* nor from here on */
	uint32_t nan32;	      /* the bits of a NaN that has none of its own */
	uint64_t nan64;
	void *d; /* destination */
	void *e; /* second destination: carry or predicate */
	const void *a;
	const void *b;
	const void *c;
	const void *f; /* fourth source */
	uint32_t imm;
	uint32_t uniform;
};

static inline void *lane_place(const struct lane_args *args, uint32_t place)
{
	return args->base[place >> 31] + ((uint64_t)(place & ~LANE_CONST) << 6);
}

/* With the operands of args->op; inlined, it costs only those that are used. */
static inline __attribute__((always_inline)) struct lane_args
lane_resolve(const struct lane_args *args)
{
	const struct lane_op *o = args->op;
	return (struct lane_args){.mask = args->mask,
				  .lo = args->lo & ~(LANE_STEP - 1),
				  .hi = args->hi,
				  .nan32 = args->nan32,
				  .nan64 = args->nan64,
				  .d = lane_place(args, o->d),
				  .e = lane_place(args, o->e),
				  .a = lane_place(args, o->a),
				  .b = lane_place(args, o->b),
				  .c = lane_place(args, o->c),
				  .f = lane_place(args, o->f),
				  .imm = o->imm,
				  .uniform = o->uniform};
}

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

/* Rows: the elements of the next 16 lanes are row bytes behind those of 16.
 * n is a multiple of 16. */
typedef void lane_load_fn(void *d, const uint8_t *host, int64_t row,
			  uint32_t n);
typedef void lane_store_fn(const void *r, uint8_t *host, int64_t row,
			   uint32_t n);

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
	/* Is lane 16 k + i's address k rows and i steps behind lane 0's?
	 * n is a multiple of 16. */
	bool (*rows)(const void *address, bool is_wide, uint32_t n,
		     int64_t *ret_step, int64_t *ret_row);
	/* By the logarithm of an element's size: moves elements that lie one
	 * behind the other for 16 lanes; that are the same for 16 lanes. */
	lane_load_fn *load_unit[4];
	lane_load_fn *load_same[4];
	lane_store_fn *store_unit[4];
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
	/* [lo, hi): blocks of 16 lanes, outside of which m has none. */
	void (*extent)(const uint32_t *m, uint32_t n, uint32_t *ret_lo,
		       uint32_t *ret_hi);
	/* d = x where m (NULL: everywhere). */
	void (*fill)(uint32_t *d, const uint32_t *m, uint32_t x, uint32_t n);
	/* Does it round by lane_op.rounding, whatever MXCSR says? */
	bool (*rounds)(lane_fn *fn);
	const struct link_set *links;
	/* By operation number (gpu/exec/ops.def). */
	lane_fn *const *ops;
};

extern const struct lane_set exec_lanes_plain;
extern const struct lane_set exec_lanes_avx2;
extern const struct lane_set exec_lanes_avx512;

#endif /* WEFT_GPU_EXEC_PRIV_LANES_H */
