/*
 * tests/support/kernels - random kernels that have one defined result.
 *
 * Valid PTX that ptxas takes: integers of all widths, floats of all kinds with
 * every rounding mode, conversions, predicates, nested divergence and loops
 * with bounded trips, barriers in uniform flow, with counts, warp operations
 * under exact masks, shared, local and constant memory, vectors, calls by name
 * and by address, recursions, carry chains, integer atomics whose results
 * nobody reads.  No race, no uninitialised value, no read of what another CTA
 * writes, and no look at the bits of a NaN, so that every schedule, executor
 * and card must give the same bytes.
 *
 * One statement a line, so that a line can be taken out.
 */
#ifndef WEFT_TESTS_SUPPORT_KERNELS_KERNELS_H
#define WEFT_TESTS_SUPPORT_KERNELS_KERNELS_H

#include <stdint.h>

#include "base/bytes.h"

/* Bytes of the buffer that the kernel reads. */
#define KERNELS_IN_BYTES 1024u

/* Bytes that each thread owns of the buffer that it writes; the atomics'
 * places are behind those of all threads. */
#define KERNELS_THREAD_BYTES 320u
#define KERNELS_ATOMIC_BYTES 128u

/* What a thread's stack takes at most, for recursions and calls by address. */
#define KERNELS_STACK_BYTES 16384u

/* What may be in a kernel; 0: whatever is exact. */
enum kernels_without {
	KERNELS_NO_FLOAT = 1u << 0,
	KERNELS_NO_WARP = 1u << 1,   /* shfl vote match redux bar.warp */
	KERNELS_NO_SHARED = 1u << 2, /* shared memory and barriers */
	KERNELS_NO_ATOMIC = 1u << 3,
	KERNELS_NO_CALL = 1u << 4,
	KERNELS_NO_FTZ = 1u << 5,   /* class B until measured */
	KERNELS_NO_STACK = 1u << 6, /* recursion, calls by address */
};

/*
 * Kernel "k" with parameters (.u64 out, .u64 in, .u32 n): out has out_bytes,
 * all zero before, in has KERNELS_IN_BYTES of kernels_input, n is word.
 */
struct kernels_case {
	struct buf text;
	uint32_t grid[3], block[3];
	uint32_t out_bytes;
	uint32_t word;
};

/* The kernel of a seed; ret_case->text is the caller's to free. */
void kernels_make(uint64_t seed, uint32_t without,
		  struct kernels_case *ret_case);

/* The same, but choices decides, a byte or two each, as long as it lasts:
 * for fuzzers. */
void kernels_make_chosen(struct bytes choices, uint64_t seed, uint32_t without,
			 struct kernels_case *ret_case);

/* What it reads: numbers near every edge. */
void kernels_input(uint64_t seed, uint8_t *out, uint32_t n);

/* A step of the generator that all of this draws from (splitmix64). */
uint64_t kernels_draw(uint64_t *state);

#endif /* WEFT_TESTS_SUPPORT_KERNELS_KERNELS_H */
