/*
 * gpu/program/opening - the bytes and proofs with which one sample is checked
 * without anything else of the task.
 *
 * What it shows: the program's preamble, steps and one part under program_id;
 * the task under tasks_root; the task's result under result_root; S_0,
 * S_{k-1}, S_k and S_last under the trace root; all object roots before and
 * after step k; the pieces that the CTA reads or writes as they were before,
 * and the pieces that it writes as they were after, each object's with one
 * multiproof.  A chunk sample's opening holds the chunk before and after and,
 * if any byte differs, the CTA that wrote the drawn byte, opened likewise.
 *
 * Building and checking are pure; running the CTA is the executor's, which
 * gets a struct program_run and hands back a list of writes.
 */
#ifndef WEFT_GPU_PROGRAM_OPENING_H
#define WEFT_GPU_PROGRAM_OPENING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/merkle.h"
#include "base/sig.h"
#include "gpu/program/program.h"
#include "gpu/program/sample.h"
#include "gpu/program/task.h"
#include "gpu/program/trace.h"
#include "gpu/program/walk.h"

struct arena;

#define PROGRAM_OPENING_VERSION	  1u
#define PROGRAM_OPENING_BYTES_MAX DISPUTE_OPEN_BYTES_MAX
#define PROGRAM_RANGES_MAX	  (1u << 17) /* of all pieces together */
#define PROGRAM_WRITER_NONE	  UINT64_MAX

/* What the ledger knows of a committed lease. */
struct program_claim {
	struct hash lease; /* its id */
	struct pubkey provider;
	struct hash program_id;
	struct hash tasks_root;
	uint64_t task_count; /* of the job */
	uint64_t first_task; /* of the lease */
	uint64_t done_count; /* results behind result_root */
	struct hash result_root;
};

/* Sorted, disjoint leaf ranges of one object, their bytes and their proof. */
struct program_pieces {
	uint32_t object_index;
	struct merkle_range *ranges; /* in leaves of 512 bytes */
	uint32_t range_count;
	struct bytes data;  /* the ranges' bytes, one after another */
	struct bytes proof; /* 32 bytes each */
};

struct program_opening {
	struct program_sample sample;
	/* CHUNK: the CTA that wrote the drawn byte, or WRITER_NONE; of a
	 * class R launch 0, for all of it; and the warp of that CTA where
	 * warps are sampled, else PROGRAM_WARP_ALL.  PAIR: the other CTA. */
	uint64_t writer;
	uint32_t writer_warp;

	struct bytes preamble; /* encoded */
	uint32_t part_index;
	struct bytes part;   /* encoded; empty for copy and fill */
	struct bytes *steps; /* encoded */
	uint32_t step_count;
	struct bytes program_proof;

	struct bytes task; /* encoded */
	struct bytes task_proof;
	struct bytes result; /* encoded */
	struct bytes result_proof;

	/* S_0, S_{k-1}, S_k, S_last; equal indexes hold equal hashes */
	struct hash memory_roots[4];
	struct bytes trace_proof;

	struct hash *before_roots; /* of all objects */
	struct hash *after_roots;
	uint32_t object_count;

	struct program_pieces *before; /* sorted by object */
	uint32_t before_count;
	struct program_pieces *after;
	uint32_t after_count;
};

void program_opening_encode(struct buf *out, const struct program_opening *o);

/* Form only: lists sorted, ranges disjoint, lengths.  Borrows from in. */
MUST_USE enum err program_opening_decode(struct arena *a, struct bytes in,
					 struct program_opening *ret_opening);

/*
 * Only which sample an encoding says it opens; the rest is not looked at.
 * Returns ERR_OK, ERR_MALFORMED, ERR_LIMIT.
 */
MUST_USE enum err program_opening_sample(struct bytes in,
					 struct program_sample *ret_sample);

/*
 * What the provider signs when it serves an opening, so that the writer it
 * names binds it: SHA-256(T("weft/opening") || lease || encoded opening).
 */
struct hash program_opening_digest(const struct hash *lease,
				   struct bytes encoded_opening);

/* Most memory that decoding and checking one opening takes. */
#define PROGRAM_CHECK_SCRATCH (20u << 20)

/* What checking an opening found.  Numbers are on the wire. */
enum program_finding {
	PROGRAM_FINE = 0,
	/* It proves nothing: a hash, an index or a range is wrong. */
	PROGRAM_NO_PROOF = 1,
	/* It is authentic, and shows that the provider's result is wrong: */
	PROGRAM_BAD_START = 2, /* the trace does not begin with the task */
	PROGRAM_BAD_END = 3,   /* the results are not the trace's end */
	PROGRAM_BAD_WRITE = 4, /* an object changed that may not */
	PROGRAM_BAD_BYTES = 5, /* a byte is not what the step makes it */
	/* It is authentic but does not hold all that is needed. */
	PROGRAM_INCOMPLETE = 6,
};

/* What an executor needs; borrows from the opening and the arena. */
struct program_run {
	struct program program; /* one part has text */
	struct program_task task;
	struct program_result result;
	struct program_launch launch;
	struct program_params params;
	bool needed; /* false: settled by hashes alone */
	bool whole;  /* all CTAs of the launch, as one */
	bool pair;   /* with another CTA before it and after it */
	uint64_t other;
	uint64_t cta;  /* to be run, else */
	uint32_t warp; /* or PROGRAM_WARP_ALL */
	/* Warps of this launch are sampled, and yet a whole CTA is to be run:
	 * should it pass a limit, that says nothing. */
	bool too_much;
	const struct program_opening *opening; /* its pieces */
	/* Chunk samples: the byte that the CTA must write. */
	bool must_write;
	uint32_t byte_object;
	uint64_t byte_offset;
};

/*
 * Check an opening against what the ledger knows and get the sample ready.
 *
 * a          in/out  owns what ret_run points to
 * claim, o   in      borrowed; o must outlive ret_run
 * seed       in      of the draw, for chunk samples
 * ret_run            written on PROGRAM_FINE; on any other finding but
 *                    PROGRAM_NO_PROOF only its program and task
 *
 * Cost: one hash for each opened leaf and proof node; at most
 * PROGRAM_CHECK_SCRATCH bytes of a, with what decoding took.
 * Returns ERR_OK with *ret_finding, ERR_NO_MEMORY.
 */
MUST_USE enum err program_opening_check(struct arena *a,
					const struct program_claim *claim,
					const struct program_opening *o,
					const struct hash *seed,
					enum program_finding *ret_finding,
					struct program_run *ret_run);

/*
 * Only what bad_start and bad_end need: program, task, result and the
 * trace's ends; the sample's step may be any.
 */
MUST_USE enum err program_opening_check_ends(struct arena *a,
					     const struct program_claim *claim,
					     const struct program_opening *o,
					     enum program_finding *ret_finding);

/*
 * Opened bytes of an object: the longest part of [offset, offset + bytes)
 * from offset on that pieces holds without a gap; empty if offset is not
 * opened.  object_bytes is the object's length.
 */
struct bytes program_pieces_at(const struct program_pieces *pieces,
			       uint64_t object_bytes, uint64_t offset,
			       uint64_t bytes);

/* The pieces of an object in a sorted list; NULL if there are none. */
const struct program_pieces *
program_pieces_of(const struct program_pieces *list, uint32_t count,
		  uint32_t object_index);

/* Bytes that the run CTA wrote. */
struct program_write {
	uint32_t object_index;
	uint64_t offset;
	struct bytes data;
	/* 0, or: data is NaNs of unspecified bits of so many bytes each; any
	 * NaN in their place is equal. */
	uint32_t nan_bytes;
};

/* Where a comparison failed. */
struct program_difference {
	uint32_t object_index;
	uint64_t offset;
	uint8_t expected; /* by the run */
	uint8_t found;	  /* in S_k */
};

/*
 * Do the writes of the run stand in S_k, and is the drawn byte among them?
 * Returns PROGRAM_FINE, PROGRAM_BAD_BYTES (then *reterr_difference is
 * written; for a drawn byte that was not written expected = its old value),
 * PROGRAM_INCOMPLETE (a write outside the pieces after).
 */
enum program_finding
program_run_compare(const struct program_run *run,
		    const struct program_write *writes, size_t write_count,
		    struct program_difference *reterr_difference);

/* Byte ranges of one object, as the finder or executor reports them. */
struct program_range {
	uint32_t object_index;
	uint64_t offset;
	uint64_t bytes;
};

/* An object's bytes and, if they are kept, its leaf hashes. */
struct program_state {
	const uint8_t *bytes;
	const struct hash *leaves; /* NULL: hashed when needed */
};

/* What a provider holds when it is asked for an opening. */
struct program_witness {
	const struct program *program;
	const struct hash *task_leaves; /* of tasks_root, all */
	uint64_t task_count;
	struct bytes task;		  /* encoded */
	const struct hash *result_leaves; /* done ones, all */
	uint64_t done_count;
	uint64_t result_position;	 /* task - first task */
	struct bytes result;		 /* encoded */
	const struct hash *memory_roots; /* S_0 ... S_n */
	uint64_t memory_root_count;
	const struct hash *before_roots;    /* of the objects, S_{k-1} */
	const struct hash *after_roots;	    /* S_k */
	const struct program_state *before; /* one per object */
	const struct program_state *after;
	const struct program_range *reads; /* of the CTA; any order */
	size_t read_count;
	const struct program_range *writes;
	size_t write_count;
};

/*
 * Build the opening of sample; for a chunk, writer is the CTA whose reads and
 * writes are given (PROGRAM_WRITER_NONE if no byte of it differs); if they
 * are one warp's, set its writer_warp then.  For copy and fill steps no
 * ranges are needed.  Lives in a.
 * Returns ERR_OK, ERR_REFUSED (a range outside its object, a sample outside
 * the program), ERR_NO_MEMORY.
 */
MUST_USE enum err program_opening_build(struct arena *a,
					const struct program_witness *w,
					const struct program_sample *sample,
					uint64_t writer,
					struct program_opening *ret_opening);

#endif /* WEFT_GPU_PROGRAM_OPENING_H */
