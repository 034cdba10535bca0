/*
 * gpu/program/header - what a program costs, as its buyer declares it.
 *
 * One row per step of the program, in the flat order of program.steps (a
 * repeat's row is all zero), counted over all executions of the step.  The
 * header's root is the list root over the encoded rows and stands in
 * job.post beside the totals.
 */
#ifndef WEFT_GPU_PROGRAM_HEADER_H
#define WEFT_GPU_PROGRAM_HEADER_H

#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "gpu/program/program.h"

struct arena;

#define PROGRAM_HEADER_VERSION	 1u
#define PROGRAM_HEADER_BYTES_MAX (1u << 20)

struct program_header_row {
	uint64_t runs;	       /* executions */
	uint64_t ctas;	       /* sum over the runs; 0 for copy and fill */
	uint64_t warps;	       /* of a CTA, if sampled by warp, else 0 */
	uint64_t mean_ops;     /* thread-instructions of a CTA, rounded up */
	uint64_t cta_ops;      /* the largest CTA's */
	uint64_t cta_open;     /* bytes of the largest opening */
	uint64_t write_bytes;  /* that it may write, sum over the runs */
	uint64_t write_chunks; /* likewise, in chunks of 4,096 bytes */
};

struct program_totals {
	uint64_t launches; /* executed steps: the trace has one leaf more */
	uint64_t ctas;
	uint64_t ops_per_task; /* sum of ctas * mean_ops */
	uint64_t cta_ops;      /* largest */
	uint64_t cta_open;     /* largest */
	uint64_t write_bytes;
	uint64_t input_bytes;  /* of all input buffers */
	uint64_t output_bytes; /* of all saved buffers */
};

struct program_header {
	enum program_class class;		/* the worst launch's */
	enum program_independence independence; /* the worst launch's */
	struct program_needs needs;		/* dynamic shared included */
	struct program_totals totals;
	struct program_header_row *rows;
	uint32_t row_count;
};

/*
 * Everything of a header that follows from the program alone: runs, ctas,
 * warps, bytes and chunks, class, needs; mean_ops, cta_ops and cta_open are 0
 * until a quote fills them (then call program_header_total).  rows in a.
 * Returns ERR_OK, ERR_NO_MEMORY, ERR_OVERFLOW.
 */
MUST_USE enum err program_header_make(struct arena *a, const struct program *p,
				      struct program_header *ret_header);

/* Sums the rows into the totals.  ERR_OK or ERR_OVERFLOW. */
MUST_USE enum err program_header_total(struct program_header *h);

/*
 * Thread-instructions that one drawn sample of a launch is expected to take,
 * rounded up: steps weigh as they are drawn.  0 for a program without
 * launches.  h fits p.
 */
uint64_t program_sample_ops(const struct program *p,
			    const struct program_header *h);

/*
 * Does h fit p: are the fields that follow from p as program_header_make
 * gives them, and the totals the rows' sums?
 * Returns ERR_OK, ERR_REFUSED, ERR_NO_MEMORY, ERR_OVERFLOW.
 */
MUST_USE enum err program_header_fits(struct arena *scratch,
				      const struct program *p,
				      const struct program_header *h);

/* One leaf of the header's list. */
void program_header_row_encode(struct buf *out,
			       const struct program_header_row *row);
MUST_USE enum err program_header_row_decode(struct bytes in,
					    struct program_header_row *ret_row);

void program_header_encode(struct buf *out, const struct program_header *h);

/* Reads and checks form and sums.  rows live in a. */
MUST_USE enum err program_header_decode(struct arena *a, struct bytes in,
					struct program_header *ret_header);

/* List root over the rows' encodings.  ERR_OK or ERR_NO_MEMORY. */
MUST_USE enum err program_header_root(struct arena *scratch,
				      const struct program_header *h,
				      struct hash *ret_root);

#endif /* WEFT_GPU_PROGRAM_HEADER_H */
