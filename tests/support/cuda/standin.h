/*
 * tests/support/cuda/standin - a driver table made of the executor: a legal
 * card, and a hostile one.
 *
 * Legal: every class A launch gives the referee's bytes.  Hostile: buffers
 * lie at random 256-byte aligned bases without gaps, filled with noise; an
 * access out of bounds that stays inside the heap succeeds silently; shared
 * and local memory and registers start as noise; NaNs have other bits; CTAs
 * and warps are shuffled; launches end late; limits are those of the sm it
 * plays.  Faults come on command.
 *
 * One card for the whole process, reset by standin_start.
 */
#ifndef WEFT_TESTS_SUPPORT_CUDA_STANDIN_H
#define WEFT_TESTS_SUPPORT_CUDA_STANDIN_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/cuda/driver.h"

struct standin_options {
	uint64_t seed; /* 0 is a seed like any other */
	uint32_t sm;   /* 75, 80, 86, 89, 90, 120 */
	uint64_t heap_bytes;
	bool schedules;	     /* also shuffle inside CTAs: slow */
	const char *fail;    /* member of the table; NULL: none fails */
	uint32_t fail_after; /* calls of it that still succeed */
	int fail_code;
	uint32_t flip_launch; /* after so many launches one bit of the
			       * memory in use turns; 0: never */
	bool hang;	      /* launches never end */
};

#define STANDIN_DEFAULT \
	((struct standin_options){.sm = 80, .heap_bytes = 16u << 20})

/* A card without memory in use, and its table.  Forgets the one before. */
struct cuda_driver standin_start(const struct standin_options *options);

/* Gives everything back. */
void standin_stop(void);

/* Contexts, modules, events, streams and memory that are in use. */
uint32_t standin_in_use(void);

#endif /* WEFT_TESTS_SUPPORT_CUDA_STANDIN_H */
