/*
 * tests/support/cuda/referee - what the executor makes of a random kernel.
 */
#ifndef WEFT_TESTS_SUPPORT_CUDA_REFEREE_H
#define WEFT_TESTS_SUPPORT_CUDA_REFEREE_H

#include <stdbool.h>
#include <stdint.h>

struct kernels_case;

#define REFEREE_VARIANTS 3u

/*
 * The bytes that the kernel writes, once for each kind of NaN: out[i] has
 * c->out_bytes.  false: it has no defined result.  What does not load ends
 * the program: it is the generator's fault.
 */
bool referee_run(const struct kernels_case *c, uint8_t *in,
		 uint8_t *out[REFEREE_VARIANTS]);

#endif /* WEFT_TESTS_SUPPORT_CUDA_REFEREE_H */
