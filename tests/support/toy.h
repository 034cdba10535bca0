/*
 * tests/support/toy - a small program with every kind of step, and a toy
 * machine that runs its "kernels", so that proofs can be made and broken
 * without PTX.  tests/vectors/format/make.py has the same program.
 */
#ifndef WEFT_TESTS_SUPPORT_TOY_H
#define WEFT_TESTS_SUPPORT_TOY_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "gpu/program/header.h"
#include "gpu/program/opening.h"
#include "gpu/program/program.h"

#define TOY_TASKS   5u
#define TOY_STEPS   10u
#define TOY_OBJECTS 4u

/* Not 0: part 0's text is so many bytes, to make openings large. */
extern size_t toy_text_bytes;

/* Of part 1, which step 2 launches; class A unless a test says otherwise. */
extern enum program_class toy_class;

/* The program, in a. */
struct program toy_program(struct arena *a);

/* Its header with the numbers that a quote would have found. */
struct program_header toy_header(struct arena *a, const struct program *p);

/* The padded input of a task: 1,500 bytes in a. */
uint8_t *toy_input(struct arena *a, uint64_t index);
struct program_task toy_task(struct arena *a, const struct hash *program_id,
			     uint64_t index);

/* What CTA cta of executed step number of static step step_index writes;
 * returns the count, at most 2.  Bytes in a. */
size_t toy_writes(struct arena *a, uint64_t number, uint32_t step_index,
		  uint64_t cta, struct program_write out[2]);

/* A provider's knowledge of a lease over tasks [first, first + done). */
struct toy_lease {
	struct program program;
	struct program_claim claim;
	struct hash task_leaves[TOY_TASKS];
	struct bytes tasks[TOY_TASKS]; /* encoded */
	struct hash result_leaves[TOY_TASKS];
	struct bytes results[TOY_TASKS];
	struct hash leaves_root;
	/* states[t][k][object], t from claim.first_task */
	uint8_t *states[TOY_TASKS][TOY_STEPS + 1][TOY_OBJECTS];
	struct hash memory_roots[TOY_TASKS][TOY_STEPS + 1];
};

/* How a provider cheats; zero: honest. */
struct toy_cheat {
	uint64_t step;	 /* after executed step k ... */
	uint32_t object; /* ... this byte of every task */
	uint64_t offset;
	uint8_t flip; /* is XORed with this; 0: honest */
	bool start;   /* zeroed inputs, committed as S_0 */
	bool end;     /* results name other buffers than S_last */
};

/* Runs everything. */
struct toy_lease *toy_lease_make(struct arena *a, const struct hash *lease,
				 const struct pubkey *provider, uint32_t first,
				 uint32_t done, const struct toy_cheat *cheat);

/* The opening of a sample, with what the toy CTA, or launch, reads and
 * writes. */
struct program_opening toy_opening(struct arena *a, const struct toy_lease *t,
				   const struct program_sample *s,
				   uint64_t writer);

/* The CTA that wrote a byte of an object in step k, or WRITER_NONE. */
uint64_t toy_writer(struct arena *a, const struct program *p, uint64_t number,
		    uint32_t object, uint64_t offset);

/* The writer that a chunk sample's opening must name, as seed draws it. */
uint64_t toy_chunk_writer(struct arena *a, const struct toy_lease *t,
			  const struct program_sample *s,
			  const struct hash *seed);

/* Encoded into a. */
struct bytes toy_encode(struct arena *a, const struct program_opening *o);

#endif /* WEFT_TESTS_SUPPORT_TOY_H */
