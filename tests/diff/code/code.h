/*
 * tests/diff/code - straight-line functions, each as PTX and as C.
 *
 * Both have the same variables: i0.. of 32 bits, l0.. of 64, f0.. and d0..
 * floats; they start from the same bytes and leave the same.  No variable but
 * a float ever holds what depends on the bits of a NaN.
 */
#ifndef WEFT_TESTS_DIFF_CODE_CODE_H
#define WEFT_TESTS_DIFF_CODE_CODE_H

#include <stdint.h>

#include "base/bytes.h"

#define CODE_INTS    6u
#define CODE_LONGS   4u
#define CODE_FLOATS  5u
#define CODE_DOUBLES 4u

/* The variables in memory: doubles, longs, ints, floats; 112 bytes. */
#define CODE_AT_LONGS  (8u * CODE_DOUBLES)
#define CODE_AT_INTS   (CODE_AT_LONGS + 8u * CODE_LONGS)
#define CODE_AT_FLOATS (CODE_AT_INTS + 4u * CODE_INTS)
#define CODE_BYTES     112u

/* What stands before all functions of a C file, and of a PTX module. */
void code_put_heads(struct buf *c, struct buf *ptx);

/*
 * Function number index of a seed: in C "void k<index>(const char *in, char
 * *out)" for one set of variables; in PTX kernel "k<index>(.u64 out, .u64 in)",
 * a thread for each set.
 */
void code_put_function(uint64_t seed, uint32_t index, uint32_t statements,
		       struct buf *c, struct buf *ptx);

#endif /* WEFT_TESTS_DIFF_CODE_CODE_H */
