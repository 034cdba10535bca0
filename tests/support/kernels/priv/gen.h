/*
 * tests/support/kernels/priv/gen - a kernel in the making.
 *
 * draw.c    numbers, constants, registers; a template becomes a line
 * memory.c  lines that load and store
 * warp.c    lines of a warp together
 * barrier.c barriers, of the CTA and of its halves
 * calls.c   functions, calls, recursions; what a function begins with
 * make.c    the shape: branches, loops, phases of shared memory
 */
#ifndef WEFT_TESTS_SUPPORT_KERNELS_PRIV_GEN_H
#define WEFT_TESTS_SUPPORT_KERNELS_PRIV_GEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "tests/support/kernels/kernels.h"

/* How many registers of each kind a statement may choose from: %i0 ... */
#define GEN_INTS    8u
#define GEN_LONGS   5u
#define GEN_SHORTS  4u
#define GEN_FLOATS  6u
#define GEN_DOUBLES 4u
#define GEN_F16S    4u
#define GEN_BF16S   3u
#define GEN_F16X2S  3u
#define GEN_BF16X2S 2u
#define GEN_PREDS   6u

#define GEN_DEPTH_MAX	  3u
#define GEN_FUNCTIONS_MAX 3u
#define GEN_TABLE	  4u /* addresses of functions, a power of two */

/* Bytes of shared memory that each thread owns, and of local memory. */
#define GEN_SHARED_BYTES 16u
#define GEN_LOCAL_BYTES	 64u

/* Of the output: final registers below, then what is stored on the way. */
#define GEN_OWN_INTS   208u
#define GEN_OWN_FLOATS 240u

/* No mask is known: nothing may be done together here. */
#define GEN_NO_MASK UINT32_MAX

enum gen_family {
	GEN_INT,
	GEN_BITS,
	GEN_PRED,
	GEN_F32,
	GEN_F64,
	GEN_HALF,
	GEN_CVT,
	GEN_FAMILIES
};

struct gen {
	uint64_t state;
	struct bytes choices; /* what decides first, until it is used up */
	struct buf *out;
	uint32_t without;
	uint32_t weights[GEN_FAMILIES];
	uint32_t labels;
	uint32_t depth;
	uint32_t mask;	    /* %m<mask> is exact here */
	bool is_uniform;    /* the whole CTA runs this together */
	bool is_function;   /* not the kernel: no memory but parameters */
	bool writes_shared; /* each its own part; else all read all */
	bool has_exits;	    /* some threads may be gone */
	uint32_t threads;   /* of a CTA */
	uint32_t functions; /* that may be called here */
	uint32_t function_count;
	bool by_register[GEN_FUNCTIONS_MAX];
};

/* draw.c */
uint32_t gen_below(struct gen *g, uint32_t n);
bool gen_chance(struct gen *g, uint32_t percent);
uint32_t gen_word(struct gen *g); /* near an edge, or any */
uint64_t gen_long(struct gen *g);
void gen_put(struct gen *g, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* A line from a template; with a guard at times where may_guard. */
void gen_expand(struct gen *g, const char *text, bool may_guard);
/* A random line of the families that g has. */
void gen_line(struct gen *g);
/* Floats of register i as integers, a NaN replaced. */
void gen_launder(struct gen *g);
void gen_carry(struct gen *g);

/* calls.c */
void gen_declare(struct gen *g);
/* Values for all registers, from those in %i0 and %l0. */
void gen_start_values(struct gen *g);
void gen_functions(struct gen *g);
void gen_call(struct gen *g);

/* barrier.c */
void gen_barrier(struct gen *g);

/* make.c */
uint32_t gen_label(struct gen *g);
void gen_body(struct gen *g, uint32_t statements);

/* memory.c */
void gen_memory(struct gen *g);
void gen_shared(struct gen *g);
void gen_atomic(struct gen *g);

/* warp.c */
void gen_warp(struct gen *g);
void gen_activemask(struct gen *g);

#endif /* WEFT_TESTS_SUPPORT_KERNELS_PRIV_GEN_H */
