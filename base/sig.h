/*
 * base/sig - BIP-340 Schnorr signatures on secp256k1.
 */
#ifndef WEFT_BASE_SIG_H
#define WEFT_BASE_SIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/hash.h"

/* An x-only public key; an account's identity. */
struct pubkey {
	uint8_t b[32];
};

/* A secret; wipe with sig_wipe when done. */
struct seckey {
	uint8_t b[32];
};

struct sig {
	uint8_t b[64];
};

bool pubkey_eq(const struct pubkey *a, const struct pubkey *b);

/* Returns ERR_OK or ERR_REFUSED (zero or not below the group's order). */
MUST_USE enum err sig_pubkey(const struct seckey *sk, struct pubkey *ret_pk);

/*
 * Sign msg with auxiliary randomness aux32 (NULL: all zero, deterministic).
 * Returns ERR_OK or ERR_REFUSED (bad secret).
 */
MUST_USE enum err sig_sign(const struct seckey *sk, struct bytes msg,
			   const uint8_t *aux32, struct sig *ret_sig);

/* ERR_OK or ERR_SIGNATURE.  About 40 us. */
MUST_USE enum err sig_verify(const struct pubkey *pk, struct bytes msg,
			     const struct sig *s);

void sig_wipe(void *p, size_t n);

#endif /* WEFT_BASE_SIG_H */
