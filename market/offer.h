/*
 * market/offer - what a provider sells: a device, a price, a rate, limits.
 *
 * An offer is posted, updated and withdrawn by its owner (or a rig key) and
 * stands until its `until` height.  Its terms at the match are frozen into
 * each lease, so an update never touches a running one.
 */
#ifndef WEFT_MARKET_OFFER_H
#define WEFT_MARKET_OFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/codec.h"
#include "base/coin.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/sig.h"

struct ledger;

#define MARKET_NAME_MAX	       48u /* bytes of a device's name */
#define MARKET_REGION_MAX      16u /* bytes of a region tag */
#define MARKET_ENERGY_MAX      48u /* hourly steps of the energy facts */
#define MARKET_SLOTS_MAX       256u
#define MARKET_DEVICE_MAX      256u /* devices of an account */
#define MARKET_RATE_MAX	       (1ull << 60)
#define MARKET_OFFER_BYTES_MAX 2048u /* an encoded offer */

/* On the wire; append only. */
enum market_device {
	MARKET_DEVICE_CPU = 0,
	MARKET_DEVICE_GPU = 1,
};

/* Bits of `classes`: what an offer takes, what a job needs (one bit). */
enum market_class {
	MARKET_CLASS_A = 1u << 0, /* exact, independence proved */
	MARKET_CLASS_A_ASSUMED = 1u << 1,
	MARKET_CLASS_B = 1u << 2,
	MARKET_CLASS_R = 1u << 3,
	MARKET_CLASS_S = 1u << 4,
};
#define MARKET_CLASS_ALL   0x1fu
#define MARKET_CLASS_COUNT 5u

/* "A", "A_assumed", "B", "R", "S"; NULL for anything but one of the bits. */
const char *market_class_word(uint32_t class_bit);

/* Counted text inside a record; no zero at the end. */
struct market_name {
	uint8_t n;
	uint8_t b[MARKET_NAME_MAX];
};
struct market_region {
	uint8_t n; /* 0: anywhere */
	uint8_t b[MARKET_REGION_MAX];
};

/* One hour, as the owner states it. */
struct market_energy {
	uint32_t price_milli; /* per kWh, 1/1000 of the owner's currency */
	uint32_t g_per_kwh;
};

/* What the owner decides. */
struct market_offer_terms {
	enum market_device device;
	uint32_t sm; /* 0 for a cpu, else 75 and more */
	uint64_t memory_bytes;
	struct market_name name;
	uint32_t device_index; /* which of the owner's devices */
	struct coin gop_price; /* per 10^9 instructions, > 0 */
	struct coin value_min; /* of a lease */
	uint64_t rate;	       /* instructions a second, > 0 */
	uint32_t slots;	       /* leases at a time; 0: paused */
	uint32_t classes;      /* enum market_class, or'ed */
	uint32_t seconds_max;  /* of a lease; 0: no limit */
	struct market_region region;
	uint32_t watts; /* 0: not stated */
	uint32_t energy_count;
	struct market_energy energy[MARKET_ENERGY_MAX]; /* from posting on */
	uint64_t until_height;	 /* last height it stands */
	struct coin bond_target; /* what the owner wants to be worth */
};

struct market_offer {
	struct hash id;
	struct pubkey owner;
	struct market_offer_terms terms;
	uint64_t posted_height; /* or last updated */
	uint64_t closed_until;	/* not matched below this */
	uint32_t lapses;	/* in a row */
	uint32_t used_slots;	/* unsettled up to commit */
	bool withdrawn;
	bool indexed; /* matchable: it is in the index */
	uint32_t
		index_record; /* the owner\'s record, as its index key has it */
};

/*
 * Terms as one array; the body of offer.post is exactly this, offer.update's
 * is [id, terms], offer.withdraw's [id].  Decoding checks ranges; errors
 * stick in d.
 */
void market_offer_terms_encode(struct buf *b,
			       const struct market_offer_terms *t);
void market_offer_terms_decode(struct dec *d,
			       struct market_offer_terms *ret_terms);
void market_offer_update_encode(struct buf *b, const struct hash *id,
				const struct market_offer_terms *t);
void market_offer_withdraw_encode(struct buf *b, const struct hash *id);

/* The state's record. */
void market_offer_encode(struct buf *b, const struct market_offer *o);
MUST_USE enum err market_offer_decode(struct bytes in,
				      struct market_offer *ret_offer);

/* The id that an offer.post gets: of its transaction's id. */
struct hash market_offer_id(const struct hash *txid);

/*
 * The compute capabilities that offers may state, ascending: each has a
 * bucket of its own in the indexes.  A card between two of them offers the
 * lower one.
 */
uint32_t market_sm_bucket_count(void);
uint32_t market_sm_bucket(uint32_t index); /* index below the count */
bool market_sm_known(uint32_t sm);
/* Is there a bucket at or above sm (0: a cpu will do)? */
bool market_sm_served(uint32_t sm);

/* Is it ever matched at this height, slots aside? */
bool market_offer_stands(const struct market_offer *o, uint64_t height);

/* Grams of CO2 per Gop, in micrograms, at height; UINT64_MAX: not stated. */
uint64_t market_offer_ug_per_gop(const struct market_offer *o, uint64_t height,
				 uint64_t block_ms);

/* ERR_OK, ERR_NOT_FOUND, ERR_STORE.  One store read. */
MUST_USE enum err market_offer_get(struct ledger *l, const struct hash *id,
				   struct market_offer *ret_offer);

/*
 * Offers of an account in the order of their ids, those withdrawn excluded:
 * the first with an id above *after (NULL: the first at all).
 * ERR_OK, ERR_NOT_FOUND (no more), ERR_STORE.
 */
MUST_USE enum err market_offer_next(struct ledger *l,
				    const struct pubkey *owner,
				    const struct hash *after,
				    struct market_offer *ret_offer);

/* The same over every offer of the market (for lists). */
MUST_USE enum err market_offer_next_any(struct ledger *l,
					const struct hash *after,
					struct market_offer *ret_offer);

#endif /* WEFT_MARKET_OFFER_H */
