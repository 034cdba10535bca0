/*
 * verify/draw - what the seed chooses: whether a lease is audited, by whom,
 * and which samples.
 *
 * Pure functions of public values; the auditor, the provider and the ledger
 * compute the same.  word(i, n) is the n-th 64-bit big-endian word of
 *   SHA-256(T("weft/draw") || seed || lease || result_root || u32be i ||
 *           u32be j),  j = 0, 1, ...
 * (four words a hash); a choice below w is mulhi(word, w).  Sample i takes
 * word 0 for the task, word 1 for the step, word 2 for the CTA or chunk.
 */
#ifndef WEFT_VERIFY_DRAW_H
#define WEFT_VERIFY_DRAW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/sig.h"
#include "gpu/program/header.h"
#include "gpu/program/opening.h"
#include "gpu/program/program.h"
#include "gpu/program/sample.h"

struct ledger_params;
struct market_lease;

/* Every value that a draw depends on. */
struct verify_draw {
	struct hash seed; /* at the sampling height */
	struct hash lease;
	struct hash result_root;
	uint64_t first_task;  /* of the lease */
	uint64_t done_count;  /* tasks behind result_root; > 0 */
	uint32_t chunk_every; /* params.chunk_sample_every */
};

struct verify_draw verify_draw_of(const struct ledger_params *params,
				  const struct market_lease *lease,
				  const struct hash *seed);

/* How many samples an audit of this lease draws. */
uint32_t verify_sample_count(const struct ledger_params *params,
			     const struct market_lease *lease);

/* Is the lease audited?  audit_p is of MARKET_CERTAIN. */
bool verify_is_audited(const struct hash *seed, const struct hash *lease,
		       uint64_t audit_p);

/* word(i, n) above. */
uint64_t verify_draw_word(const struct verify_draw *d, uint32_t sample_index,
			  uint32_t word_index);

/*
 * Sample sample_index of an audit.
 * header must fit program (program_header_fits); of program only the
 * preamble and the steps are looked at.
 * Returns ERR_OK, ERR_REFUSED (the header does not fit, or the program
 * neither runs CTAs nor writes).
 */
MUST_USE enum err verify_draw_sample(const struct verify_draw *d,
				     const struct program *program,
				     const struct program_header *header,
				     uint32_t sample_index,
				     struct program_sample *ret_sample);

/*
 * How likely an audit catches a provider that fakes fraction_ppm of a lease's
 * work, in parts per million, rounded down: audit_p times 1 minus the chance
 * that none of sample_count samples meets a faked piece.
 * audit_p is of MARKET_CERTAIN; fraction_ppm at most 1,000,000.
 */
uint32_t verify_catch_ppm(uint32_t fraction_ppm, uint32_t sample_count,
			  uint64_t audit_p);

/* The claim that openings of a lease are checked against. */
struct program_claim verify_claim_of(const struct market_lease *lease,
				     uint64_t task_count);

/* The witness of sample_index is bound to the auditor who computes it. */
struct hash verify_witness_seed(const struct hash *seed,
				const struct hash *lease,
				const struct pubkey *auditor,
				uint32_t sample_index);

/*
 * SHA-256(T("weft/witness-root") || lease || auditor || list root), the list
 * over the samples' witnesses (32 bytes each) in draw order.
 */
struct hash verify_witness_root(const struct hash *lease,
				const struct pubkey *auditor,
				const struct hash *list_root);
/* The item hash of one witness in that list. */
struct hash verify_witness_leaf(const struct hash *witness);

#endif /* WEFT_VERIFY_DRAW_H */
