/*
 * The public half is a struct keystore; the secrets, if unlocked, are an array
 * in memory of libsodium's that is locked, guarded and wiped.
 */
#include "wallet/wallet.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "ledger/tx.h"
#include "wallet/priv/file.h"

struct wallet {
	struct keystore store;
	struct buf file;  /* what store.sealed borrows from */
	uint8_t *secrets; /* 32 bytes each; NULL: locked */
};

#define SECRETS_BYTES ((size_t)32 * WALLET_KEYS_MAX)

static struct wallet *wallet_make(void)
{
	struct wallet *w;

	if (sodium_init() < 0)
		return NULL;
	w = calloc(1, sizeof(*w));
	if (w)
		w->file = buf_make(WALLET_FILE_BYTES_MAX);
	return w;
}

enum err wallet_new(struct wallet **ret_wallet)
{
	struct wallet *w = wallet_make();

	if (!w)
		return ERR_NO_MEMORY;
	w->secrets = sodium_malloc(SECRETS_BYTES);
	if (!w->secrets) {
		wallet_free(w);
		return ERR_NO_MEMORY;
	}
	*ret_wallet = w;
	return ERR_OK;
}

void wallet_free(struct wallet *w)
{
	if (!w)
		return;
	wallet_lock(w);
	buf_free(&w->file);
	free(w);
}

enum err wallet_load(const char *path, struct wallet **ret_wallet)
{
	struct wallet *w = wallet_make();
	enum err e;

	if (!w)
		return ERR_NO_MEMORY;
	e = file_read_private(path, &w->file);
	if (e == ERR_OK)
		e = keystore_decode(buf_bytes(&w->file), &w->store);
	if (e != ERR_OK) {
		wallet_free(w);
		return e;
	}
	*ret_wallet = w;
	return ERR_OK;
}

/* Do the secrets belong to the keys?  The seal says so already, unless it was
 * written wrong. */
static bool secrets_fit(const struct wallet *w, const uint8_t *secrets)
{
	bool fits = true;

	for (uint32_t i = 0; i < w->store.count; i++) {
		struct seckey sk;
		struct pubkey pk;

		memcpy(sk.b, secrets + (size_t)32 * i, sizeof(sk.b));
		fits = fits && sig_pubkey(&sk, &pk) == ERR_OK &&
		       pubkey_eq(&pk, &w->store.keys[i].key);
		sig_wipe(&sk, sizeof(sk));
	}
	return fits;
}

enum err wallet_unlock(struct wallet *w, struct bytes passphrase)
{
	uint8_t *secrets;
	enum err e;

	if (w->secrets)
		return ERR_OK;
	secrets = sodium_malloc(SECRETS_BYTES);
	if (!secrets)
		return ERR_NO_MEMORY;
	e = keystore_open(&w->store, passphrase, secrets);
	if (e == ERR_OK && !secrets_fit(w, secrets))
		e = ERR_MALFORMED;
	if (e == ERR_OK)
		w->secrets = secrets;
	else
		sodium_free(secrets);
	return e;
}

void wallet_lock(struct wallet *w)
{
	if (w->secrets)
		sodium_free(w->secrets);
	w->secrets = NULL;
}

bool wallet_is_locked(const struct wallet *w)
{
	return !w->secrets;
}

enum err wallet_save(struct wallet *w, const char *path,
		     struct bytes passphrase, enum wallet_cost cost)
{
	static const struct {
		uint64_t passes;
		uint64_t memory_kib;
	} costs[] = {
		[WALLET_COST_LOW] = {1, 8u << 10},
		[WALLET_COST_NORMAL] = {2, 64u << 10},
		[WALLET_COST_PARANOID] = {3, 256u << 10},
	};
	struct buf sealed = buf_make(WALLET_FILE_BYTES_MAX);
	struct buf out = buf_make(WALLET_FILE_BYTES_MAX);
	enum err e;

	must(w->secrets);
	w->store.passes = costs[cost].passes;
	w->store.memory_kib = costs[cost].memory_kib;
	randombytes_buf(w->store.salt, sizeof(w->store.salt));
	randombytes_buf(w->store.nonce, sizeof(w->store.nonce));
	e = keystore_seal(&w->store, passphrase, w->secrets, &sealed);
	if (e == ERR_OK) {
		w->store.sealed = buf_bytes(&sealed);
		keystore_encode(&w->store, &out);
		e = out.err;
	}
	if (e == ERR_OK)
		e = file_write_private(path, buf_bytes(&out));
	/* What it was loaded from is no longer what it would save. */
	w->store.sealed = bytes_of(NULL, 0);
	buf_free(&sealed);
	if (e == ERR_OK) {
		buf_free(&w->file);
		w->file = out;
		e = keystore_decode(buf_bytes(&w->file), &w->store);
		must(e == ERR_OK); /* our own encoding */
	} else {
		buf_free(&out);
	}
	return e;
}

size_t wallet_count(const struct wallet *w)
{
	return w->store.count;
}

const struct wallet_key *wallet_at(const struct wallet *w, size_t index)
{
	must(index < w->store.count);
	return &w->store.keys[index];
}

enum err wallet_find(const struct wallet *w, struct bytes name,
		     size_t *ret_index)
{
	for (size_t i = 0; i < w->store.count; i++) {
		if (bytes_eq(bytes_str(w->store.keys[i].name), name)) {
			*ret_index = i;
			return ERR_OK;
		}
	}
	return ERR_NOT_FOUND;
}

enum err wallet_find_key(const struct wallet *w, const struct pubkey *key,
			 size_t *ret_index)
{
	for (size_t i = 0; i < w->store.count; i++) {
		if (pubkey_eq(&w->store.keys[i].key, key)) {
			*ret_index = i;
			return ERR_OK;
		}
	}
	return ERR_NOT_FOUND;
}

/* Almost every 32 random bytes are a secret key; try again if not. */
static void draw_secret(struct seckey *ret_sk, struct pubkey *ret_pk)
{
	do
		randombytes_buf(ret_sk->b, sizeof(ret_sk->b));
	while (sig_pubkey(ret_sk, ret_pk) != ERR_OK);
}

enum err wallet_add(struct wallet *w, struct bytes name,
		    const struct seckey *sk, const struct pubkey *owner,
		    size_t *ret_index)
{
	struct wallet_key *k;
	struct seckey fresh;
	struct pubkey pk;
	size_t index;

	must(w->secrets);
	if (!name_ok(name))
		return ERR_REFUSED;
	if (w->store.count == WALLET_KEYS_MAX)
		return ERR_LIMIT;
	if (sk && sig_pubkey(sk, &pk) != ERR_OK)
		return ERR_REFUSED;
	if (!sk) {
		draw_secret(&fresh, &pk);
		sk = &fresh;
	}
	if (wallet_find(w, name, &index) == ERR_OK ||
	    wallet_find_key(w, &pk, &index) == ERR_OK)
		return ERR_EXISTS;
	index = w->store.count++;
	k = &w->store.keys[index];
	memset(k, 0, sizeof(*k));
	memcpy(k->name, name.p, name.n);
	k->key = pk;
	k->has_owner = owner != NULL;
	if (owner)
		k->owner = *owner;
	memcpy(w->secrets + 32 * index, sk->b, sizeof(sk->b));
	sig_wipe(&fresh, sizeof(fresh));
	*ret_index = index;
	return ERR_OK;
}

void wallet_secret(const struct wallet *w, size_t index,
		   struct seckey *ret_secret)
{
	must(w->secrets && index < w->store.count);
	memcpy(ret_secret->b, w->secrets + 32 * index, sizeof(ret_secret->b));
}

enum err wallet_sign_tx(const struct wallet *w, size_t index,
			struct ledger_tx *tx, struct buf *out)
{
	const struct wallet_key *k = wallet_at(w, index);
	struct seckey sk;
	enum err e;

	tx->sender = k->has_owner ? k->owner : k->key;
	tx->has_key = k->has_owner;
	tx->key = k->key;
	wallet_secret(w, index, &sk);
	e = ledger_tx_sign(tx, &sk, out);
	sig_wipe(&sk, sizeof(sk));
	must(e != ERR_REFUSED); /* it was a good secret when it came in */
	return e;
}

enum err wallet_sign_digest(const struct wallet *w, size_t index,
			    const struct hash *digest, struct sig *ret_sig)
{
	struct seckey sk;
	enum err e;

	wallet_secret(w, index, &sk);
	e = sig_sign(&sk, hash_bytes(digest), NULL, ret_sig);
	sig_wipe(&sk, sizeof(sk));
	return e;
}
