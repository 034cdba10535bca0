/*
 * market/price - every amount that the market computes, in one place.
 *
 * Pure arithmetic on terms and parameters: the quote, the chain and the RPC
 * call the same functions, so that what was promised is what is charged.
 */
#ifndef WEFT_MARKET_PRICE_H
#define WEFT_MARKET_PRICE_H

#include <stdint.h>

#include "base/attr.h"
#include "base/coin.h"
#include "base/err.h"
#include "ledger/params.h"
#include "market/job.h"

/* A probability: p / 2^32, in (0, 2^32]; MARKET_CERTAIN is 1. */
#define MARKET_CERTAIN (1ull << 32)

/*
 * What one task pays at gop_price: ceil(ops_per_task * gop_price / 10^9).
 * ERR_OK or ERR_OVERFLOW.
 */
MUST_USE enum err market_task_price(uint64_t ops_per_task,
				    struct coin gop_price,
				    struct coin *ret_price);

/*
 * How many samples an audit of this work draws: `samples`, fewer (not below
 * `samples_min`) until their openings fit samples_open_bytes; asked > 0
 * (confidence {"samples": n}) replaces `samples`.
 */
uint32_t market_sample_count(const struct ledger_params *p,
			     const struct market_work *w, uint32_t asked);

/*
 * The auditors' table: base + gop_factor * median * Gop of all samples + a
 * price per KiB opened.  ERR_OK or ERR_OVERFLOW.
 */
MUST_USE enum err market_audit_cost(const struct ledger_params *p,
				    const struct market_work *w,
				    uint32_t sample_count, struct coin median,
				    struct coin *ret_cost);

/*
 * The check fee of a lease that pays price and is audited with probability
 * audit_p: max(3 % of price, check_min, 1.2 * audit_p * cost), each rounded
 * up.  ERR_OK or ERR_OVERFLOW.
 */
MUST_USE enum err market_check_fee(const struct ledger_params *p,
				   struct coin price, uint64_t audit_p,
				   struct coin cost, struct coin *ret_fee);

/*
 * A task's share of the check fee of the smallest lease that the job takes,
 * at its maximum price and p = 1.  A lease of n tasks is charged at most n
 * times this, however the job's tasks are cut, so the escrow always holds.
 * ERR_OK or ERR_OVERFLOW.
 */
MUST_USE enum err market_check_fee_task(const struct ledger_params *p,
					const struct market_job_terms *t,
					struct coin audit_cost,
					struct coin *ret_fee);

/*
 * What job.post locks: count * (task_price(max) + check_fee_task) + posting.
 * ERR_OK or ERR_OVERFLOW.
 */
MUST_USE enum err market_escrow(const struct ledger_params *p,
				const struct market_job_terms *t,
				struct coin check_fee_task,
				struct coin *ret_escrow);

/*
 * How often a lease is audited: certain while cv is below newcomer_cv or
 * bond_factor * price >= bond, else max(1/cv, 1/one_in_max,
 * bond_factor * price / bond).
 */
uint64_t market_audit_p(const struct ledger_params *p, uint32_t cv,
			struct coin price, struct coin bond);

/* What a proven fraud takes: min(bond, bond_factor * price / audit_p). */
struct coin market_penalty(const struct ledger_params *p, struct coin price,
			   uint64_t audit_p, struct coin bond);

/* Seconds of work in a lease: 60 below cv 10, doubling with each 10. */
uint64_t market_lease_seconds(const struct ledger_params *p, uint32_t cv);

/* Blocks that `ops` take at `rate` instructions a second, rounded up, >= 1. */
uint64_t market_expected_blocks(const struct ledger_params *p, uint64_t ops,
				uint64_t rate);

#endif /* WEFT_MARKET_PRICE_H */
