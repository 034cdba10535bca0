/*
 * wallet/priv/file - the keystore's bytes, and how they get to disk.
 */
#ifndef WEFT_WALLET_PRIV_FILE_H
#define WEFT_WALLET_PRIV_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "wallet/wallet.h"

#define KEYSTORE_VERSION     1u
#define KEYSTORE_SALT_BYTES  16
#define KEYSTORE_NONCE_BYTES 24
#define KEYSTORE_KDF	     "argon2id13"

/* More than these a file may not ask of us. */
#define KEYSTORE_PASSES_MAX 16u
#define KEYSTORE_KIB_MAX    (1u << 20)

struct keystore {
	uint64_t passes;
	uint64_t memory_kib;
	uint8_t salt[KEYSTORE_SALT_BYTES];
	uint8_t nonce[KEYSTORE_NONCE_BYTES];
	uint32_t count;
	struct wallet_key keys[WALLET_KEYS_MAX];
	struct bytes sealed; /* borrows, or is to be borrowed */
};

/* All but the sealed secrets: what the seal also protects. */
void keystore_encode_open(const struct keystore *k, struct buf *out);
void keystore_encode(const struct keystore *k, struct buf *out);

/* Strict.  ERR_OK, ERR_MALFORMED, ERR_UNSUPPORTED.  sealed borrows from in. */
MUST_USE enum err keystore_decode(struct bytes in, struct keystore *ret_k);

/*
 * Seal secrets (32 bytes for each key) with a passphrase; out is emptied.
 * ERR_OK, ERR_NO_MEMORY (the derivation's).
 */
MUST_USE enum err keystore_seal(const struct keystore *k,
				struct bytes passphrase, const uint8_t *secrets,
				struct buf *out);
/* ERR_OK, ERR_PASSPHRASE, ERR_MALFORMED (length), ERR_NO_MEMORY. */
MUST_USE enum err keystore_open(const struct keystore *k,
				struct bytes passphrase, uint8_t *ret_secrets);

bool name_ok(struct bytes name);

/* As wallet_load and wallet_save say. */
MUST_USE enum err file_read_private(const char *path, struct buf *out);
MUST_USE enum err file_write_private(const char *path, struct bytes text);

#endif /* WEFT_WALLET_PRIV_FILE_H */
