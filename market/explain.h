/*
 * market/explain - why no match: the same test as matching's, counted.
 *
 * market_fit is the one place that says whether a job and an offer go
 * together, and how many tasks a lease of them takes.  Matching makes leases
 * with it, the RPC counts its answers.
 */
#ifndef WEFT_MARKET_EXPLAIN_H
#define WEFT_MARKET_EXPLAIN_H

#include <stdint.h>

#include "base/attr.h"
#include "base/coin.h"
#include "base/err.h"
#include "base/hash.h"
#include "market/job.h"
#include "market/offer.h"
#include "market/record.h"

struct ledger;

/* word, what it means for the job, in the order of the tests */
/* clang-format off */
#define MARKET_MISFITS(X)                                                      \
	X(fits,      "a lease can be made now")                                \
	X(device,    "another kind of device")                                 \
	X(sm,        "an older GPU than the program or the job needs")         \
	X(memory,    "too little memory")                                      \
	X(class_,    "the offer does not take this class of program")          \
	X(region,    "another region")                                         \
	X(price,     "dearer than the job's limit")                            \
	X(record,    "a shorter record than the job wants")                    \
	X(seconds,   "a task would pass the offer's time limit")               \
	X(carbon,    "more CO2 than the job allows, or not stated")            \
	X(skipped,   "this operator is passed over by the job for a while")    \
	X(closed,    "the offer is closed after a missed window, or withdrawn")\
	X(expired,   "the offer has run out")                                  \
	X(busy,      "no free slot")                                           \
	X(newcomer,  "a newcomer has one lease at a time")                     \
	X(leases,    "the provider has too many unsettled leases")             \
	X(deadline,  "it would not be done before the deadline")               \
	X(exposure,  "a task is worth more than the provider's bond covers")   \
	X(value,     "less work than the offer's smallest lease")              \
	X(funds,     "the escrow does not cover a task")                       \
	X(ranges,    "too many scattered tasks; waits for leases to end")      \
	X(job,       "the job is not open, or nothing of it is free")
/* clang-format on */

enum market_misfit {
#define X(word, text) MARKET_MISFIT_##word,
	MARKET_MISFITS(X)
#undef X
		MARKET_MISFIT_COUNT
};

const char *market_misfit_word(enum market_misfit m);
const char *market_misfit_text(enum market_misfit m);

/* What a lease of this job and this offer would be. */
struct market_fit {
	uint32_t first;
	uint32_t tasks;
	uint32_t cv;
	struct coin task_price;
	struct coin price;
	struct coin check_fee;
	uint64_t audit_p;
	uint64_t expected_blocks;
};

/*
 * Do they go together at l->height?  provider is the offer's owner's record.
 *
 * ret_fit     written when *ret_misfit is fits
 * Returns ERR_OK, ERR_STORE, ERR_NO_MEMORY, ERR_OVERFLOW (amounts beyond 64
 * bits: they do not go together).  Cost: at most five reads.
 */
MUST_USE enum err market_fit(struct ledger *l, const struct market_job *j,
			     const struct market_offer *o,
			     const struct market_provider *provider,
			     enum market_misfit *ret_misfit,
			     struct market_fit *ret_fit);

/*
 * Count the answers of a job against all offers, or of an offer against all
 * jobs that are not ended; at most `most` of them are looked at.
 * ret_counts has MARKET_MISFIT_COUNT entries.
 * Returns ERR_OK, ERR_NOT_FOUND, ERR_STORE, ERR_NO_MEMORY.
 */
MUST_USE enum err market_job_explain(struct ledger *l, const struct hash *job,
				     uint32_t most, uint32_t *ret_counts);
MUST_USE enum err market_offer_explain(struct ledger *l,
				       const struct hash *offer, uint32_t most,
				       uint32_t *ret_counts);

/* All matchable offers or jobs by price: the order book's two sides.  Calls
 * each(ctx, ...) at most `most` times, best price first within a bucket. */
MUST_USE enum err market_book_offers(struct ledger *l, uint32_t most,
				     void (*each)(void *ctx,
						  const struct market_offer *o),
				     void *ctx);
MUST_USE enum err market_book_jobs(struct ledger *l, uint32_t most,
				   void (*each)(void *ctx,
						const struct market_job *j),
				   void *ctx);

#endif /* WEFT_MARKET_EXPLAIN_H */
