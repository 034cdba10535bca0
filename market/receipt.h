/*
 * market/receipt - what a lease cost, signed by who did the work.
 *
 * The provider signs it at the commit (its hash stands on the chain), the
 * buyer countersigns when it fetches; both keep it.  Money and audits are
 * read from the chain when the lease is final and are no part of what is
 * signed.  A number that was not measured is absent (UINT64_MAX here, nil on
 * the wire); an estimate says so in its method.
 */
#ifndef WEFT_MARKET_RECEIPT_H
#define WEFT_MARKET_RECEIPT_H

#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/sig.h"
#include "market/offer.h"

#define MARKET_RECEIPT_VERSION	 1u
#define MARKET_RECEIPT_BYTES_MAX 2048u
#define MARKET_TEXT_MAX		 48u

/* Not measured. */
#define MARKET_ABSENT UINT64_MAX

/* How an amount of energy was found; on the wire, append only. */
enum market_energy_method {
	MARKET_ENERGY_ABSENT = 0,
	MARKET_ENERGY_NVML = 1,	     /* the card's own counter */
	MARKET_ENERGY_RAPL = 2,	     /* the package's counter */
	MARKET_ENERGY_ESTIMATED = 3, /* rated watts times seconds */
};

struct market_text {
	uint8_t n;
	uint8_t b[MARKET_TEXT_MAX];
};

struct market_receipt {
	/* what was done */
	struct hash lease;
	struct hash job;
	struct hash program_id;
	uint32_t first;
	uint32_t done;
	struct hash result_root;
	/* by what */
	enum market_device device;
	uint32_t sm;
	struct market_text device_name;
	struct market_text driver;
	uint64_t power_limit_mw;
	/* work, in thread-instructions: priced, and counted where it was */
	uint64_t ops_priced;
	uint64_t ops_counted;
	/* time */
	uint64_t queued_ms;
	uint64_t fetch_ms;
	uint64_t compile_ms;
	uint64_t device_ms;
	uint64_t wall_ms;
	/* bytes over the network */
	uint64_t in_bytes;
	uint64_t out_bytes;
	uint64_t opening_bytes;
	/* energy */
	uint64_t device_mj;
	enum market_energy_method device_method;
	uint64_t device_samples;
	uint64_t device_uncertainty_mj;
	uint64_t cpu_mj;
	enum market_energy_method cpu_method;
	/* work that was begun and is not part of `done` */
	uint64_t lost_ops;
	uint64_t lost_ms;
	/* the grid, as the provider states it */
	struct market_region grid_zone;
	uint64_t g_per_kwh;
	struct market_text grid_source;
};

struct market_receipt_signed {
	struct market_receipt receipt;
	struct pubkey provider_key; /* account or rig key */
	struct sig provider_sig;
};

/* A receipt with every number absent. */
void market_receipt_init(struct market_receipt *r);

void market_receipt_encode(struct buf *b, const struct market_receipt *r);
MUST_USE enum err market_receipt_decode(struct bytes in,
					struct market_receipt *ret_r);

/* [receipt, key, signature]. */
void market_receipt_signed_encode(struct buf *b,
				  const struct market_receipt_signed *r);
MUST_USE enum err
market_receipt_signed_decode(struct bytes in,
			     struct market_receipt_signed *ret_r);

/* What both sign and what lease.commit names: SHA-256(T("weft/receipt") ||
 * encoding).  ERR_OK, ERR_NO_MEMORY. */
MUST_USE enum err market_receipt_digest(const struct market_receipt *r,
					struct hash *ret_digest);

/* ERR_OK, ERR_SIGNATURE, ERR_NO_MEMORY. */
MUST_USE enum err market_receipt_verify(const struct market_receipt_signed *r);

#endif /* WEFT_MARKET_RECEIPT_H */
