/*
 * node/core/bundle - what a provider serves to a drawn auditor: the openings
 * of all samples of one lease, in draw order.
 *
 * Encoded: [version, [[opening, signature] ...]], both byte strings; the
 * signature is over program_opening_digest.
 */
#ifndef WEFT_NODE_CORE_BUNDLE_H
#define WEFT_NODE_CORE_BUNDLE_H

#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/sig.h"

struct arena;

#define BUNDLE_VERSION	   1u
#define BUNDLE_SAMPLES_MAX 1024u
#define BUNDLE_BYTES_MAX   (56u << 20)

struct bundle_item {
	struct bytes opening;
	struct sig sig;
};

void bundle_encode(struct buf *out, const struct bundle_item *items,
		   uint32_t count);

/* The list lives in a, the openings borrow from in.
 * ERR_OK, ERR_MALFORMED, ERR_LIMIT, ERR_NO_MEMORY. */
MUST_USE enum err bundle_decode(struct arena *a, struct bytes in,
				struct bundle_item **ret_items,
				uint32_t *ret_count);

#endif /* WEFT_NODE_CORE_BUNDLE_H */
