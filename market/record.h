/*
 * market/record - what the market remembers of its participants.
 *
 * Public, and used by both sides' filters: a provider's leases by outcome,
 * its bond target and exposure, each device's run of valid audits (CV); a
 * buyer's jobs and what went wrong with them.
 */
#ifndef WEFT_MARKET_RECORD_H
#define WEFT_MARKET_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/coin.h"
#include "base/err.h"
#include "base/reason.h"
#include "base/sig.h"
#include "ledger/params.h"

struct ledger;

#define MARKET_RECENT_PRICES 31u
#define MARKET_REASONS_MAX   32u   /* kinds of failure counted apart */
#define MARKET_LIVE_MAX	     1024u /* unsettled leases of an account */
#define MARKET_FAILURES_BITS 100u

/* The last prices, newest overwrites oldest. */
struct market_prices {
	uint32_t n;
	uint32_t at;
	struct coin v[MARKET_RECENT_PRICES];
};

/* The lower median; fallback when empty. */
struct coin market_prices_median(const struct market_prices *p,
				 struct coin fallback);
void market_prices_put(struct market_prices *p, struct coin price);

struct market_reason_count {
	enum reason reason;
	uint32_t count;
};

/* A provider account. */
struct market_provider {
	struct coin bond_target;
	struct coin exposure; /* value of unsettled leases */
	uint32_t live_leases;
	uint32_t offers; /* not withdrawn */
	uint64_t settled;
	uint64_t lapsed;
	uint64_t refuted;
	uint64_t struck_height;	      /* last fraud; 0: never */
	uint64_t last_settled_height; /* bonds return counted from here */
	/* the last 100 ended leases, one bit each: did it fail? */
	uint8_t failures[(MARKET_FAILURES_BITS + 7) / 8];
	uint32_t failures_at;
	uint32_t reason_count;
	struct market_reason_count reasons[MARKET_REASONS_MAX];
	struct market_prices lease_prices;
};

/* One device of a provider. */
struct market_device_record {
	uint32_t cv;	    /* consecutive valid audits */
	uint64_t cv_height; /* of the last step; below struck_height: 0 */
	uint64_t settled;
	uint64_t rate; /* measured, instructions a second; 0: not yet */
};

/* A buyer account. */
struct market_buyer {
	uint32_t open_jobs;
	uint64_t jobs;
	uint64_t void_programs;
	uint64_t quarantined_tasks;
	uint64_t unserved_inputs;
	struct coin spent;
};

/* Records of accounts never seen are all zero.  ERR_OK, ERR_STORE. */
MUST_USE enum err market_provider_get(struct ledger *l,
				      const struct pubkey *account,
				      struct market_provider *ret_provider);
MUST_USE enum err market_device_get(struct ledger *l,
				    const struct pubkey *account,
				    uint32_t device_index,
				    struct market_device_record *ret_device);
MUST_USE enum err market_buyer_get(struct ledger *l,
				   const struct pubkey *account,
				   struct market_buyer *ret_buyer);

/* CV as it counts: a fraud anywhere on the account ends every run. */
uint32_t market_cv(const struct market_provider *p,
		   const struct market_device_record *d);

/* min(cv, 50) * 1000 / (1 + failures in the last 100 leases). */
uint32_t market_record(const struct ledger_params *params,
		       const struct market_provider *p, uint32_t cv);

/* Failures among the last 100 leases. */
uint32_t market_failures(const struct market_provider *p);

/* The most that unsettled leases may be worth: max(bond / 2, starter). */
struct coin market_exposure_max(const struct ledger_params *params,
				struct coin bond);

/* The bond that stands behind an account's work.  ERR_OK, ERR_STORE. */
MUST_USE enum err market_bond(struct ledger *l, const struct pubkey *account,
			      struct coin *ret_bond);

/* The market's median price per Gop of recent leases. */
MUST_USE enum err market_median(struct ledger *l, struct coin *ret_median);

void market_provider_encode(struct buf *b, const struct market_provider *p);
MUST_USE enum err market_provider_decode(struct bytes in,
					 struct market_provider *ret_p);
void market_device_encode(struct buf *b, const struct market_device_record *d);
MUST_USE enum err market_device_decode(struct bytes in,
				       struct market_device_record *ret_d);
void market_buyer_encode(struct buf *b, const struct market_buyer *y);
MUST_USE enum err market_buyer_decode(struct bytes in,
				      struct market_buyer *ret_y);

#endif /* WEFT_MARKET_RECORD_H */
