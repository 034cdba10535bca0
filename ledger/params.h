/*
 * ledger/params - the numbers of one chain, set in its genesis.
 *
 * One table gives the struct, the defaults, the ranges and the names that
 * genesis files and chain.params use.  The order is the encoding: append,
 * never reorder.  Parts per million end in _ppm, amounts in _picks.
 */
#ifndef WEFT_LEDGER_PARAMS_H
#define WEFT_LEDGER_PARAMS_H

#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/coin.h"
#include "base/err.h"

/* name, default, least, most */
/* clang-format off */
#define LEDGER_PARAMS(X)                                                       \
	/* ledger */                                                           \
	X(block_ms,                1000, 1, 3600000)                           \
	X(fee_base_picks,          1000, 0, 1000000000000)                     \
	X(fee_per_byte_picks,      10, 0, 1000000000)                          \
	X(fee_per_cost_picks,      1, 0, 1000000000) /* per 2^20 of cost */    \
	X(credit_tx_max,           16, 0, 1024)                                \
	X(credit_stamp_bits,       24, 0, 64)                                  \
	X(credit_stamp_blocks,     100, 1, 1000)                               \
	X(seed_keep_blocks,        20000, 10, 1000000)                         \
	X(sampling_delay_blocks,   2, 2, 1000)                                 \
	X(referee_version,         1, 1, 1000000)                              \
	X(unbonding_ms,            1814400000, 1000, 31536000000)              \
	X(double_sign_slash_ppm,   50000, 0, 1000000)                          \
	X(downtime_window_blocks,  1000, 1, 1000000)                           \
	X(downtime_missed_max,     500, 1, 1000000)                            \
	X(downtime_slash_ppm,      1000, 0, 1000000)                           \
	/* jobs, offers, leases */                                             \
	X(posting_picks,           100000, 0, 1000000000000)                   \
	X(idle_fee_picks,          100000, 0, 1000000000000)                   \
	X(starter_value_picks,     1000000000, 0, 1000000000000000)            \
	X(exposure_bond_ppm,       500000, 0, 1000000)                         \
	X(withhold_ppm,            200000, 0, 1000000)                         \
	X(bond_return_blocks,      20000, 1, 10000000)                         \
	X(limit_ops_factor,        4, 1, 1000)                                 \
	X(underdeclared_ppm,       1100000, 1000000, 1000000000)               \
	X(underdeclared_ctas_min,  64, 1, 1000000)                             \
	X(accept_blocks,           60, 1, 1000000)                             \
	X(commit_blocks_min,       60, 1, 1000000)                             \
	X(commit_expected_factor,  2, 1, 1000)                                 \
	X(lapse_close_blocks,      60, 1, 1000000)                             \
	X(challenge_blocks,        600, 1, 1000000)                            \
	X(life_blocks,             20000, 10, 10000000)                        \
	X(lease_seconds_min,       60, 1, 1000000)                             \
	X(lease_seconds_max,       3600, 1, 1000000)                           \
	X(lease_seconds_cv,        10, 1, 1000000)                             \
	X(newcomer_cv,             10, 0, 1000000)                             \
	X(newcomer_tasks_ppm,      250000, 1, 1000000)                         \
	X(match_jobs_max,          256, 1, 4096)                               \
	X(match_offers_max,        32, 1, 1024)                                \
	X(match_backoff_max,       10, 0, 20)                                  \
	X(job_blocks_max,          2097152, 1, 16777216)                       \
	X(free_ranges_max,         4096, 1, 65536)                             \
	X(account_jobs_max,        4096, 1, 65536)                             \
	X(account_offers_max,      256, 1, 4096)                               \
	X(quarantine_operators,    3, 1, 100)                                  \
	X(input_missing_operators, 3, 1, 100)                                  \
	X(record_cv_max,           50, 1, 1000000)                             \
	X(record_failures_window,  100, 1, 1000000)                            \
	/* audits */                                                           \
	X(audit_one_in_max,        50, 1, 1000000)                             \
	X(audit_bond_factor,       2, 1, 1000000)                              \
	X(samples,                 20, 1, 1024)                                \
	X(samples_min,             8, 1, 1024)                                 \
	X(samples_open_bytes,      33554432, 1, 1099511627776)                 \
	X(chunk_sample_every,      5, 2, 1024)                                 \
	X(open_blocks,             60, 1, 1000000)                             \
	X(open_bytes_per_block,    131072, 1, 1099511627776)                   \
	X(demand_blocks,           20, 1, 1000000)                             \
	X(answer_blocks,           600, 1, 1000000)                            \
	X(delay_blocks,            7200, 1, 1000000)                           \
	X(pledge_blocks,           20, 1, 1000000)                             \
	X(reveal_blocks,           10, 1, 1000000)                             \
	X(auditor_redraws,         2, 0, 100)                                  \
	X(second_auditor_one_in,   10, 1, 1000000)                             \
	X(prove_one_in,            64, 1, 1000000)                             \
	X(prove_blocks,            600, 1, 1000000)                            \
	X(conflict_blocks,         600, 1, 1000000)                            \
	X(demand_samples_max,      2, 1, 64)                                   \
	X(buyer_samples_max,       4, 0, 64)                                   \
	X(deposit_picks,           10000000, 0, 1000000000000000)              \
	X(verifier_min_picks,      10000000000, 0, 1000000000000000000)        \
	X(verifier_bond_factor,    256, 1, 1000000)                            \
	X(verifier_unbond_blocks,  20000, 1, 10000000)                         \
	X(verifier_missed_max,     3, 1, 1000)                                 \
	X(check_min_picks,         100000, 0, 1000000000000)                   \
	X(check_share_ppm,         30000, 0, 1000000)                          \
	X(check_table_ppm,         1200000, 0, 1000000000)                     \
	X(audit_base_picks,        10000, 0, 1000000000000)                    \
	X(audit_gop_factor,        4, 0, 1000000)                              \
	X(audit_per_kib_picks,     1, 0, 1000000000)                           \
	X(audit_pool_share,        1000, 1, 1000000000)                        \
	X(accuser_check_fees,      4, 0, 1000)                                 \
	X(evidence_parts_max,      64, 1, 1024)                                \
	X(drop_wait_blocks,        600, 1, 1000000)                            \
	X(drop_keep_blocks,        20000, 1, 10000000)                         \
	/* what one Gop costs before the market has a median */                \
	X(gop_price_picks,         10000, 1, 1000000000000)
/* clang-format on */

struct ledger_params {
#define X(name, value, least, most) uint64_t name;
	LEDGER_PARAMS(X)
#undef X
};

enum ledger_param {
#define X(name, value, least, most) LEDGER_PARAM_##name,
	LEDGER_PARAMS(X)
#undef X
		LEDGER_PARAM_COUNT
};

/* The defaults. */
struct ledger_params ledger_params_default(void);

/* The name of a row; NULL for LEDGER_PARAM_COUNT and beyond. */
const char *ledger_param_name(enum ledger_param row);

/* ERR_OK or ERR_NOT_FOUND. */
MUST_USE enum err ledger_param_find(struct bytes name,
				    enum ledger_param *ret_row);

uint64_t ledger_param_get(const struct ledger_params *p, enum ledger_param row);

/* ERR_OK or ERR_REFUSED (outside the row's range); then p is untouched. */
MUST_USE enum err ledger_param_set(struct ledger_params *p,
				   enum ledger_param row, uint64_t value);

/*
 * Array of [row, value] for the values that differ from their defaults,
 * ascending, so that a row appended later changes no chain's bytes.  A default
 * is therefore frozen once a chain lives (pinned in tests/ledger/params.c).
 * Returns ERR_OK, ERR_MALFORMED, ERR_REFUSED (out of range).
 */
void ledger_params_encode(const struct ledger_params *p, struct buf *out);
MUST_USE enum err ledger_params_decode(struct bytes in,
				       struct ledger_params *ret_p);

#endif /* WEFT_LEDGER_PARAMS_H */
