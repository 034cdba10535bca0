/*
 * market/priv/index - where jobs and offers wait for each other.
 *
 * Offers: one bucket per (device, sm), cheapest first.  Jobs: one bucket per
 * (what they want, least sm), highest limit first, in two lists: those that
 * MATCH looks at, and those that found nothing and wait for an offer to
 * change or for their back-off to end.
 */
#ifndef WEFT_MARKET_PRIV_INDEX_H
#define WEFT_MARKET_PRIV_INDEX_H

#include "ledger/state.h"
#include "market/job.h"
#include "market/offer.h"
#include "market/record.h"

/* Put the job where its state wants it; a waiting one stays waiting.  Changes
 * *j and leaves saving it to the caller, as all here. */
MUST_USE enum err market_job_place(struct ledger *l, struct market_job *j);

/* Out of both lists; needed before a term that is in the key changes. */
MUST_USE enum err market_job_unplace(struct ledger *l, struct market_job *j);

/* It found nothing: out of MATCH's sight for 2^n blocks. */
MUST_USE enum err market_job_back_off(struct ledger *l, struct market_job *j);

/* Waiting, and something changed: look again. */
MUST_USE enum err market_job_wake(struct ledger *l, struct market_job *j);

/*
 * Into or out of the book, by its terms, slots and record at this height; an
 * offer that is in the book afterwards wakes jobs of its bucket.
 */
MUST_USE enum err market_offer_place(struct ledger *l, struct market_offer *o,
				     const struct market_provider *owner);
MUST_USE enum err market_offer_unplace(struct ledger *l,
				       struct market_offer *o);

/* The least sm bucket that serves sm; sm must be served. */
uint32_t market_sm_ceiling(uint32_t sm);

/* What bucket a job is in. */
uint32_t market_job_sm(const struct market_job *j);

/* Prefixes of one bucket. */
struct ledger_key market_key_jobs(uint8_t prefix, enum market_want want,
				  uint32_t sm);
struct ledger_key market_key_offers(enum market_device device, uint32_t sm);

#endif /* WEFT_MARKET_PRIV_INDEX_H */
