/*
 * base/bech32m - addresses (BIP-350) of x-only keys.
 */
#ifndef WEFT_BASE_BECH32M_H
#define WEFT_BASE_BECH32M_H

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/sig.h"

/* Human-readable parts: "weft" gives weft1..., "weftt" a test network. */
#define ADDRESS_HRP_MAIN   "weft"
#define ADDRESS_HRP_TEST   "weftt"
#define ADDRESS_TEXT_BYTES 96

/* hrp1 + 52 data characters + 6 of checksum, and a zero. */
const char *address_text(const char *hrp, const struct pubkey *pk,
			 char out[ADDRESS_TEXT_BYTES]);

/*
 * Returns ERR_OK, ERR_MALFORMED (characters, checksum, length, mixed case),
 * ERR_REFUSED (a good address of another network).
 */
MUST_USE enum err address_parse(const char *hrp, struct bytes text,
				struct pubkey *ret_pk);

#endif /* WEFT_BASE_BECH32M_H */
