/*
 * verify/evidence - the bytes that let every node judge one sample.
 *
 * Encoded: [version, opening, signature|nil, draw|nil, header|nil,
 * [witness proof]|nil].  A dispute, an answer to a demand and an auditor's
 * proof all carry this record; it travels in evidence.part transactions of
 * 256 KiB, named by its bytes root.
 */
#ifndef WEFT_VERIFY_EVIDENCE_H
#define WEFT_VERIFY_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/sig.h"
#include "gpu/program/judge.h"

struct arena;
struct hash;
struct market_lease;
struct program_header;
struct pubkey;

#define VERIFY_EVIDENCE_VERSION 1u

/* Bytes of one evidence.part; the last may be short. */
#define VERIFY_PART_BYTES (240u << 10)

struct verify_evidence {
	struct bytes opening; /* encoded (gpu/program/opening.h) */
	/*
	 * The provider's, over program_opening_digest.  Needed where the
	 * opening's own words accuse: a chunk sample of a launch, in a dispute.
	 */
	bool has_sig;
	struct sig sig;
	/*
	 * That sample draw_index of the seed is the opening's: the encoded
	 * header rows' bytes (program_header_encode).  Without it the sample
	 * counts as chosen by its sender and no bond is touched.
	 */
	bool has_draw;
	uint32_t draw_index;
	struct bytes header;
	/* audit.prove only: hashes of the witness's path, 32 bytes each */
	struct bytes witness_proof;
};

void verify_evidence_encode(struct buf *out, const struct verify_evidence *e);

/* Form only; borrows from in.  ERR_OK, ERR_MALFORMED, ERR_LIMIT. */
MUST_USE enum err verify_evidence_decode(struct bytes in,
					 struct verify_evidence *ret_evidence);

/* The bit that a job of this header must post as its work's class; 0: it is
 * not for sale. */
uint32_t verify_class_bit(const struct program_header *h);

/*
 * The question about one sample of a lease, for the referee or an auditor's
 * own worker; it borrows opening.
 * witness_of    the auditor whose witness is wanted, or NULL
 * sample_index  in the draw; only the witness depends on it
 */
struct program_judge_request
verify_request(const struct market_lease *lease, uint64_t task_count,
	       const struct hash *seed, const struct pubkey *witness_of,
	       uint32_t sample_index, struct bytes opening);

#endif /* WEFT_VERIFY_EVIDENCE_H */
