/*
 * gpu/program/judge - the question to a referee and its answer.
 *
 * The ledger's rules ask one function with encoded bytes; the node has it
 * answered by a worker process.  Auditors ask the same question with the
 * witness wanted.
 */
#ifndef WEFT_GPU_PROGRAM_JUDGE_H
#define WEFT_GPU_PROGRAM_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "gpu/program/opening.h"

struct arena;

#define PROGRAM_JUDGE_VERSION	1u
#define PROGRAM_REFEREE_VERSION 1u

/* Numbers are in blocks and on disk: append, never renumber. */
#define PROGRAM_VERDICT_LIST(X)                                               \
	X(valid, 0)                                                           \
	X(fraud, 1)                                                           \
	X(void, 2)                                                            \
	X(unavailable, 3)                                                     \
	X(bad_start, 4)                                                       \
	X(bad_end, 5)                                                         \
	X(incomplete, 6) /* the evidence does not hold all that the CTA reads \
			  */

enum program_verdict {
	PROGRAM_VERDICT_VALID = 0,
	PROGRAM_VERDICT_FRAUD = 1,
	PROGRAM_VERDICT_VOID = 2,
	PROGRAM_VERDICT_UNAVAILABLE = 3,
	PROGRAM_VERDICT_BAD_START = 4,
	PROGRAM_VERDICT_BAD_END = 5,
	PROGRAM_VERDICT_INCOMPLETE = 6,
};

#define PROGRAM_VERDICT_COUNT 7u

/* The word; NULL for a number that is not in the list. */
const char *program_verdict_word(enum program_verdict v);

/* Why a verdict is void, or how a CTA ended; numbers on the wire. */
enum program_outcome {
	PROGRAM_OUTCOME_OK = 0,
	PROGRAM_OUTCOME_FAULT = 1,
	PROGRAM_OUTCOME_VOID = 2,
	PROGRAM_OUTCOME_OVER = 3,
	PROGRAM_OUTCOME_REFUSED = 4, /* not executable exactly, worse class */
};

struct program_judge_request {
	uint32_t referee_version;
	struct program_claim claim;
	struct hash seed;	  /* of the draw */
	enum program_class class; /* that the job was sold as */
	uint64_t cost_max;	  /* DISPUTE_COST_MAX */
	uint64_t count_max;	  /* the step's cta_ops */
	bool want_witness;
	struct hash witness_seed;
	struct bytes opening; /* encoded */
};

struct program_judge_answer {
	enum program_verdict verdict;
	enum program_outcome outcome;
	uint32_t detail; /* the executor's reason; 0: none */
	uint64_t count;	 /* thread-instructions of the CTA */
	uint64_t cost;
	struct hash witness;		      /* zero if not wanted */
	struct program_difference difference; /* FRAUD by bytes, else zero */
};

void program_judge_request_encode(struct buf *out,
				  const struct program_judge_request *r);
/* Borrows from in. */
MUST_USE enum err
program_judge_request_decode(struct bytes in,
			     struct program_judge_request *ret_request);
void program_judge_answer_encode(struct buf *out,
				 const struct program_judge_answer *r);
MUST_USE enum err
program_judge_answer_decode(struct bytes in,
			    struct program_judge_answer *ret_answer);

/* The verdict of a finding that needs no run: FINE is VALID. */
enum program_verdict program_finding_verdict(enum program_finding f);

/*
 * The witness of a sample that needs no run (copy, fill, an unchanged chunk),
 * which only the opened bytes give: SHA-256(T("weft/still") || witness_seed
 * || roots and data of all pieces after).
 */
struct hash program_still_witness(const struct hash *witness_seed,
				  const struct program_opening *o);

#endif /* WEFT_GPU_PROGRAM_JUDGE_H */
