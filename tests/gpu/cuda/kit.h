/*
 * tests/gpu/cuda/kit - the cards of a test: the stand-in, and a real one
 * where the driver is.
 */
#ifndef WEFT_TESTS_GPU_CUDA_KIT_H
#define WEFT_TESTS_GPU_CUDA_KIT_H

#include <stdbool.h>

#include "gpu/cuda/card.h"
#include "tests/support/cuda/standin.h"

/* A head for PTX; .target sm_75. */
#define KIT_HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"

/* y[i] = a * x[i] + y[i]; parameters x, y, a, n. */
extern const char kit_saxpy[];

struct kit {
	struct cuda_driver d;
	struct cuda_card *card;
	struct cuda_diag diag;
	bool is_real;
	uint64_t looks; /* at the last launch */
	uint64_t looks_max;
};

/* The stand-in's card, open. */
struct kit *kit_standin(const struct standin_options *options);

/* The real card, or NULL after saying why it is skipped. */
struct kit *kit_real(void);

/* Close it; the stand-in must have nothing in use. */
void kit_end(struct kit *k);

struct cuda_module *kit_load(struct kit *k, const char *text);

/* Fails the test unless e is ERR_OK. */
void kit_ok(const struct kit *k, enum err e);

#endif /* WEFT_TESTS_GPU_CUDA_KIT_H */
