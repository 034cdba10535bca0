/*
 * tests/support/ptx/vectors - the files of tests/vectors/ptx as kernels.
 *
 * Many lines become one kernel "k" of one parameter, the address of the
 * results; every thread of VECTOR_THREADS computes all of them.  For whatever
 * runs PTX: the executor's sets of lanes, a card.
 */
#ifndef WEFT_TESTS_SUPPORT_PTX_VECTORS_H
#define WEFT_TESTS_SUPPORT_PTX_VECTORS_H

#include <stdbool.h>
#include <stdint.h>

#define VECTOR_LINES	 512u
#define VECTOR_THREADS	 48u
#define VECTOR_VALUES	 8u
#define VECTOR_CELLS	 (VECTOR_LINES * 2 * VECTOR_THREADS * 8)
#define VECTOR_OUT_BYTES (VECTOR_CELLS + VECTOR_THREADS * 16)

struct vector_value {
	char cls; /* p h r d: the register's class; i: an immediate; m v: 8 of
		   * 16 bytes in memory, or that registers hold together */
	bool is_minus;
	char part[8]; /* ".b1": of a video operand */
	uint64_t bits;
};

struct vector_line {
	char text[256];
	char op[96];
	struct vector_value in[VECTOR_VALUES], out[VECTOR_VALUES];
	uint32_t in_count, out_count;
	char outcome[16];
};

struct vector_user {
	/* ptx runs n lines: run it, then ptx_vectors_check() its results. */
	void (*chunk)(void *ctx, const char *ptx,
		      const struct vector_line *lines, uint32_t n);
	/* ptx holds one line that must be refused. */
	void (*refused)(void *ctx, const char *ptx,
			const struct vector_line *line);
	void *ctx;
};

/*
 * All lines of tests/vectors/ptx/<name>, or each stride-th chunk of them.
 * A missing file fails the test.
 */
void ptx_vectors_read(const char *name, uint32_t stride,
		      const struct vector_user *user);

/*
 * Results of a chunk, VECTOR_OUT_BYTES, in the first and the last thread.
 * any_nan: a NaN's bits are not looked at.
 */
void ptx_vectors_check(const struct vector_line *lines, uint32_t n,
		       const uint8_t *out, bool any_nan, const char *who);

#endif /* WEFT_TESTS_SUPPORT_PTX_VECTORS_H */
