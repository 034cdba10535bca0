/*
 * wallet/wallet - keys that can sign, in a file that nobody else can read.
 *
 * A wallet is a list of named keys.  Its file is encrypted with a passphrase
 * (Argon2id, XChaCha20-Poly1305); names and public keys are readable without
 * it, so that listing and watching need no passphrase.  What it cannot do is
 * decide: it signs what it is handed.
 *
 * Secrets are kept in locked, guarded memory while the wallet is unlocked and
 * wiped by wallet_lock and wallet_free.  Not thread-safe.
 */
#ifndef WEFT_WALLET_WALLET_H
#define WEFT_WALLET_WALLET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/sig.h"

struct ledger_tx;
struct wallet;

#define WALLET_KEYS_MAX	      256u
#define WALLET_NAME_BYTES_MAX 32u
#define WALLET_FILE_BYTES_MAX (256u << 10)

/* One key, without its secret. */
struct wallet_key {
	char name[WALLET_NAME_BYTES_MAX + 1]; /* [a-z0-9._-], unique */
	struct pubkey key;
	bool has_owner; /* a rig key: acts for owner, moves no money */
	struct pubkey owner;
};

/* What guessing a passphrase costs; stored in the file. */
enum wallet_cost {
	WALLET_COST_LOW = 0,	  /* 8 MiB, 1 pass: tests, key files of a rig */
	WALLET_COST_NORMAL = 1,	  /* 64 MiB, 2 passes: about 0.1 s */
	WALLET_COST_PARANOID = 2, /* 256 MiB, 3 passes: about 1 s */
};

/* An empty, unlocked wallet.  ERR_OK, ERR_NO_MEMORY. */
MUST_USE enum err wallet_new(struct wallet **ret_wallet);

/* Wipes; NULL is fine. */
void wallet_free(struct wallet *w);

/*
 * Read a wallet's file; it is locked then.
 * Returns ERR_OK, ERR_NOT_FOUND (no such file), ERR_REFUSED (others may read
 * it, or it is no plain file), ERR_MALFORMED, ERR_UNSUPPORTED (a later
 * version), ERR_IO, ERR_NO_MEMORY.
 */
MUST_USE enum err wallet_load(const char *path, struct wallet **ret_wallet);

/*
 * Decrypt the secrets.  Blocks for as long as the file's cost says.
 * Returns ERR_OK, ERR_PASSPHRASE (or the file was changed), ERR_MALFORMED
 * (inside: secrets that do not fit the public keys), ERR_NO_MEMORY.
 */
MUST_USE enum err wallet_unlock(struct wallet *w, struct bytes passphrase);
void wallet_lock(struct wallet *w);
bool wallet_is_locked(const struct wallet *w);

/*
 * Encrypt and write, whole or not at all, mode 0600; with a new salt and
 * nonce each time.  The wallet must be unlocked.
 * Returns ERR_OK, ERR_IO (the old file, if any, is as it was), ERR_NO_MEMORY.
 */
MUST_USE enum err wallet_save(struct wallet *w, const char *path,
			      struct bytes passphrase, enum wallet_cost cost);

/* Keys in the order in which they were added; [0, wallet_count). */
size_t wallet_count(const struct wallet *w);
const struct wallet_key *wallet_at(const struct wallet *w, size_t index);

/* By name.  ERR_OK, ERR_NOT_FOUND. */
MUST_USE enum err wallet_find(const struct wallet *w, struct bytes name,
			      size_t *ret_index);

/* By public key.  ERR_OK, ERR_NOT_FOUND. */
MUST_USE enum err wallet_find_key(const struct wallet *w,
				  const struct pubkey *key, size_t *ret_index);

/*
 * Add a secret under a name: a new random one if sk is NULL.  owner may be
 * NULL.  The wallet must be unlocked; nothing is written to disk.
 * Returns ERR_OK, ERR_EXISTS (name or key), ERR_REFUSED (bad name or secret),
 * ERR_LIMIT (WALLET_KEYS_MAX).
 */
MUST_USE enum err wallet_add(struct wallet *w, struct bytes name,
			     const struct seckey *sk,
			     const struct pubkey *owner, size_t *ret_index);

/* The secret, for a backup; wipe it with sig_wipe.  Must be unlocked. */
void wallet_secret(const struct wallet *w, size_t index,
		   struct seckey *ret_secret);

/*
 * Sign with a key: tx's sender, key and signature are set (a rig key signs for
 * its owner), its encoding is appended to out.  Must be unlocked.
 * Returns ERR_OK, ERR_LIMIT (too long), ERR_NO_MEMORY.
 */
MUST_USE enum err wallet_sign_tx(const struct wallet *w, size_t index,
				 struct ledger_tx *tx, struct buf *out);

/* Sign a digest of another record (receipts, drops, operators). */
MUST_USE enum err wallet_sign_digest(const struct wallet *w, size_t index,
				     const struct hash *digest,
				     struct sig *ret_sig);

#endif /* WEFT_WALLET_WALLET_H */
