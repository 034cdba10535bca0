/*
 * market/priv/store - the market's keys in the state, and its records there.
 *
 * Prefixes are part of the state's format.  Index records hold nil: what
 * counts is that the key is there.
 */
#ifndef WEFT_MARKET_PRIV_STORE_H
#define WEFT_MARKET_PRIV_STORE_H

#include "ledger/money.h"
#include "ledger/state.h"
#include "market/job.h"
#include "market/lease.h"
#include "market/offer.h"
#include "market/record.h"

enum market_prefix {
	MARKET_PREFIX_PROVIDER = 'A',	/* account -> provider record */
	MARKET_PREFIX_BUYER_JOB = 'B',	/* buyer, job */
	MARKET_PREFIX_CHANGED = 'C',	/* u8 device, u32 sm: offers changed */
	MARKET_PREFIX_DEVICE = 'D',	/* account, u32 device -> record */
	MARKET_PREFIX_FREE = 'F',	/* job -> free ranges */
	MARKET_PREFIX_OFFER_BOOK = 'I', /* u8 device, u32 sm, u64 price,
					 * ~u32 record, offer */
	MARKET_PREFIX_JOB = 'J',	/* job -> job */
	MARKET_PREFIX_JOB_LEASE = 'K',	/* job, lease */
	MARKET_PREFIX_LEASE = 'L',	/* lease -> lease */
	MARKET_PREFIX_PRICES = 'M',	/* -> recent prices per Gop */
	MARKET_PREFIX_OFFER = 'O',	/* offer -> offer */
	MARKET_PREFIX_OWN_OFFER = 'P',	/* owner, offer */
	MARKET_PREFIX_FAULTS = 'Q',	/* job -> claims of faulty tasks */
	MARKET_PREFIX_READY = 'R',	/* u8 want, u32 sm, ~u64 price,
					 * u64 posted height, job */
	MARKET_PREFIX_JOB_LIVE = 'U',	/* job, lease that is not final */
	MARKET_PREFIX_LIVE = 'V',	/* provider, lease that is not final */
	MARKET_PREFIX_WAITING = 'W',	/* as READY */
	MARKET_PREFIX_BUYER = 'Y',	/* account -> buyer record */
};

/* Records; load gives ERR_NOT_FOUND when there is none. */
MUST_USE enum err market_job_save(struct ledger *l, const struct market_job *j);
MUST_USE enum err market_offer_save(struct ledger *l,
				    const struct market_offer *o);
MUST_USE enum err market_lease_save(struct ledger *l,
				    const struct market_lease *x);
MUST_USE enum err market_provider_save(struct ledger *l,
				       const struct pubkey *account,
				       const struct market_provider *p);
MUST_USE enum err market_device_save(struct ledger *l,
				     const struct pubkey *account,
				     uint32_t device_index,
				     const struct market_device_record *d);
MUST_USE enum err market_buyer_save(struct ledger *l,
				    const struct pubkey *account,
				    const struct market_buyer *y);
MUST_USE enum err market_prices_load(struct ledger *l,
				     struct market_prices *ret_p);
MUST_USE enum err market_prices_save(struct ledger *l,
				     const struct market_prices *p);
void market_prices_encode(struct buf *b, const struct market_prices *p);
void market_prices_decode(struct dec *d, struct market_prices *ret_p);

/* One more lease of the provider ended: failed marks its record, why (none:
 * all went well) is counted either way. */
void market_provider_ended(struct market_provider *p, bool failed,
			   enum reason why);

/* Index keys: set and clear.  Clearing what is not there is fine. */
MUST_USE enum err market_mark(struct ledger *l, const struct ledger_key *key);
MUST_USE enum err market_unmark(struct ledger *l, const struct ledger_key *key);

struct ledger_key market_key_object(uint8_t prefix, const struct hash *id);
struct ledger_key market_key_account(uint8_t prefix,
				     const struct pubkey *account);
struct ledger_key market_key_pair(uint8_t prefix, const struct hash *a,
				  const struct hash *b);
struct ledger_key market_key_owned(uint8_t prefix, const struct pubkey *account,
				   const struct hash *id);

/* The 32 bytes that end an index key: an id. */
struct hash market_key_tail(const struct ledger_key *key);

/* Locks. */
struct ledger_lock_id market_bond_lock(const struct pubkey *account);
struct ledger_lock_id market_escrow_lock(const struct market_job *j);

#endif /* WEFT_MARKET_PRIV_STORE_H */
