/*
 * node/verifier - the auditor: re-runs what the seed drew, pledges, reveals,
 * and accuses when a byte differs.
 *
 * Everything follows from the ledger and the provider's openings, so nothing
 * is kept across a restart: a duty that is still open is done again and gives
 * the same report.
 */
#ifndef WEFT_NODE_VERIFIER_VERIFIER_H
#define WEFT_NODE_VERIFIER_VERIFIER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/coin.h"
#include "base/hash.h"
#include "base/sig.h"
#include "gpu/program/judge.h"
#include "node/core/core.h"

/* Most duties at hand. */
#define VERIFIER_DUTIES_MAX 64u

struct verifier_config {
	struct pubkey account;
	struct hash salt_key; /* secret: pledges cannot be guessed */
	struct coin bond;     /* bonded at start if there is none; zero: not */
	uint32_t audits;      /* samples at a time */
	uint64_t audit_wall_ms;
};

struct verifier;

/* NULL when out of memory.  Belongs to the core it is added to. */
struct verifier *verifier_new(const struct verifier_config *config);

extern const struct core_role verifier_role;

struct verifier_status {
	uint32_t duty_count;
	uint64_t valid_count; /* since start */
	uint64_t accused_count;
	uint64_t demanded_count;
	uint64_t sample_count;
	uint64_t last_ms;    /* steady time of the last sample */
	const char *trouble; /* "" */
};
void verifier_status(const struct verifier *v, struct verifier_status *ret);

#endif /* WEFT_NODE_VERIFIER_VERIFIER_H */
