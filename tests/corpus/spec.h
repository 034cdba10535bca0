/*
 * tests/corpus/spec - what stands above each kernel of the corpus.
 *
 *   //= A assumed                     class, then a reason or independence
 *   //@ <<<4 64 256>>> u32[256] f32[64]=unit u32=7 ; stack
 *   KERNEL name(...)
 *
 * Between <<< and >>>: grid, block, dynamic shared bytes; (x y z) where one
 * number is not enough.  Then the parameters in order: a buffer is
 * type[count]=fill, zeroed without a fill; a scalar is type=value; blockN=hash
 * a structure of N bytes by value.  After ";" flags: norun (there is no
 * reference), nvidia (only their compilers take it), stack (it needs one).
 *
 * Shared by the tests and the host's reference, so it is C and C++.
 */
#ifndef WEFT_TESTS_CORPUS_SPEC_H
#define WEFT_TESTS_CORPUS_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SPEC_PARAMS_MAX	 8
#define SPEC_KERNELS_MAX 64

enum spec_fill {
	SPEC_ZERO,
	SPEC_HASH, /* random bits */
	SPEC_UNIT, /* a float in [0, 1) */
	SPEC_SYM,  /* in [-1, 1) */
	SPEC_IOTA,
	SPEC_MOD, /* a random number below modulus */
	SPEC_TEXT /* printable bytes */
};

struct spec_param {
	bool is_buffer;
	bool is_float;
	uint32_t bytes; /* of one element */
	uint32_t count;
	enum spec_fill fill;
	uint32_t modulus;
	uint64_t value; /* of a scalar: its bits */
};

struct spec_kernel {
	char name[64];
	char sale; /* 'A' ... */
	char reason[40];
	char only[40]; /* flags, as written */
	uint32_t grid[3], block[3], shared_bytes;
	struct spec_param params[SPEC_PARAMS_MAX];
	uint32_t param_count;
};

/* All kernels of a source, in order; 0: not well formed. */
uint32_t spec_parse(const char *text, struct spec_kernel *ret_kernels);

bool spec_has(const struct spec_kernel *k, const char *flag);

/* The bytes of parameter i: a buffer's contents or a scalar's. */
void spec_fill(const struct spec_kernel *k, uint32_t i, uint8_t *out);
size_t spec_bytes(const struct spec_param *p);

/* What a buffer is compared by. */
uint64_t spec_digest(const uint8_t *p, size_t n);

#ifdef __cplusplus
}
#endif

#endif /* WEFT_TESTS_CORPUS_SPEC_H */
