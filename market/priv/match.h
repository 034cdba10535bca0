/*
 * market/priv/match - jobs meet offers, at a live block's end.
 */
#ifndef WEFT_MARKET_PRIV_MATCH_H
#define WEFT_MARKET_PRIV_MATCH_H

#include "base/attr.h"
#include "base/err.h"

struct ledger;

/* Most leases that one block opens. */
#define MARKET_MATCH_LEASES_MAX 512u

/* Jobs that one changed bucket of offers wakes. */
#define MARKET_WAKE_MAX 32u

/*
 * Wake what waits for changed offers, then look at match_jobs_max jobs, best
 * price first within a bucket, buckets in turn beginning at another one each
 * block, each job against match_offers_max offers, cheapest first.
 * ERR_OK, ERR_STORE, ERR_NO_MEMORY.  Bounded by the limits above.
 */
MUST_USE enum err market_match(struct ledger *l);

#endif /* WEFT_MARKET_PRIV_MATCH_H */
