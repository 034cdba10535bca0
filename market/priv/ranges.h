/*
 * market/priv/ranges - a job's free tasks as sorted, disjoint ranges.
 *
 * Kept in one record beside the job; the job itself carries how many tasks
 * and ranges are free and which range is the lowest, so that matching need
 * not read the list.  All change *j and leave saving it to the caller.
 */
#ifndef WEFT_MARKET_PRIV_RANGES_H
#define WEFT_MARKET_PRIV_RANGES_H

#include "ledger/state.h"
#include "market/job.h"

/* Tasks [first, first + count) become free; they were not. */
MUST_USE enum err market_ranges_give(struct ledger *l, struct market_job *j,
				     uint32_t first, uint32_t count);

/* The lowest count tasks of the lowest range; count <= j->low_count. */
MUST_USE enum err market_ranges_take(struct ledger *l, struct market_job *j,
				     uint32_t count);

/* One free task leaves the list for good. */
MUST_USE enum err market_ranges_drop(struct ledger *l, struct market_job *j,
				     uint32_t task);

/* The job has ended: forget the list. */
MUST_USE enum err market_ranges_forget(struct ledger *l,
				       const struct market_job *j);

#endif /* WEFT_MARKET_PRIV_RANGES_H */
