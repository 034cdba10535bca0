/*
 * gpu/program/sample - the smallest piece of work that is checked alone.
 *
 * What of a launch is a sample follows from its part (program.h): all of it
 * for class R, one warp where warps can be run alone, else one CTA.
 *
 * Encoded: [task, step, kind, number, warp], warp nil for all.
 */
#ifndef WEFT_GPU_PROGRAM_SAMPLE_H
#define WEFT_GPU_PROGRAM_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/codec.h"
#include "base/hash.h"
#include "gpu/program/program.h"

#define PROGRAM_CHUNK_BYTES 4096u
#define PROGRAM_WARP_ALL    UINT32_MAX

enum program_sample_kind {
	PROGRAM_SAMPLE_CTA = 0,
	PROGRAM_SAMPLE_CHUNK = 1,
	PROGRAM_SAMPLE_LAUNCH = 2, /* all CTAs of a class R launch at once */
	/* Never drawn: a CTA with another one, which its opening names as the
	 * writer, to show that their order decides what the first leaves. */
	PROGRAM_SAMPLE_PAIR = 3,
};

struct program_sample {
	uint64_t task_index;  /* in the job */
	uint64_t step_number; /* k, from 1, as executed */
	enum program_sample_kind kind;
	/*
	 * CTA: x + X * (y + Y * z).  CHUNK: counted through the objects that
	 * the step may write, in order; each begins a chunk of its own.
	 * LAUNCH: 0.
	 */
	uint64_t number;
	uint32_t warp; /* PROGRAM_WARP_ALL: the whole CTA */
};

bool program_sample_eq(const struct program_sample *a,
		       const struct program_sample *b);
void program_sample_encode(struct buf *out, const struct program_sample *s);
/* Reads one; errors stick in d. */
struct program_sample program_sample_decode(struct dec *d);

/*
 * Can the program's draw give this sample, of some task?  The part of its step
 * must be known.  A CTA is none where warps are sampled, a pair never.
 */
bool program_sample_exists(const struct program *p,
			   const struct program_sample *s);

/*
 * Where a chunk lies.  ERR_OK or ERR_NOT_FOUND (the step writes fewer).
 */
MUST_USE enum err program_chunk_find(const struct program *p,
				     uint32_t step_index, uint64_t number,
				     uint32_t *ret_object_index,
				     uint64_t *ret_offset, uint32_t *ret_bytes);

/*
 * The byte of a chunk that its sample asks about: among the bytes that
 * differ, number mulhi(word, differing), word = the first 8 bytes, big endian,
 * of SHA-256(seed || encoded sample).
 * Returns ERR_OK or ERR_NOT_FOUND (no byte differs).
 */
MUST_USE enum err program_chunk_byte(const struct hash *seed,
				     const struct program_sample *s,
				     struct bytes before, struct bytes after,
				     uint32_t *ret_at_bytes);

#endif /* WEFT_GPU_PROGRAM_SAMPLE_H */
