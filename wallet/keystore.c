/*
 * [1, kdf, passes, memory KiB, salt, nonce, [[name, key, owner] ...], sealed]
 *
 * sealed is XChaCha20-Poly1305 of the array of secrets, in the order of the
 * keys, under Argon2id(passphrase, salt); the array of the first seven elements
 * is its associated data, so that no name or key can be changed unseen.
 */
#include <sodium.h>
#include <string.h>

#include "base/codec.h"
#include "wallet/priv/file.h"

#define KEY_BYTES crypto_aead_xchacha20poly1305_ietf_KEYBYTES
#define TAG_BYTES crypto_aead_xchacha20poly1305_ietf_ABYTES

_Static_assert(KEYSTORE_SALT_BYTES == crypto_pwhash_argon2id_SALTBYTES, "salt");
_Static_assert(KEYSTORE_NONCE_BYTES ==
		       crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
	       "nonce");

bool name_ok(struct bytes name)
{
	if (name.n == 0 || name.n > WALLET_NAME_BYTES_MAX)
		return false;
	for (size_t i = 0; i < name.n; i++) {
		uint8_t c = name.p[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') &&
		    c != '.' && c != '_' && c != '-')
			return false;
	}
	return true;
}

static void encode_seven(const struct keystore *k, struct buf *out)
{
	enc_uint(out, KEYSTORE_VERSION);
	enc_str(out, BYTES_LIT(KEYSTORE_KDF));
	enc_uint(out, k->passes);
	enc_uint(out, k->memory_kib);
	enc_bin(out, bytes_of(k->salt, sizeof(k->salt)));
	enc_bin(out, bytes_of(k->nonce, sizeof(k->nonce)));
	enc_array(out, k->count);
	for (uint32_t i = 0; i < k->count; i++) {
		const struct wallet_key *key = &k->keys[i];

		enc_array(out, 3);
		enc_str(out, bytes_str(key->name));
		enc_pubkey(out, &key->key);
		if (key->has_owner)
			enc_pubkey(out, &key->owner);
		else
			enc_nil(out);
	}
}

void keystore_encode_open(const struct keystore *k, struct buf *out)
{
	enc_array(out, 7);
	encode_seven(k, out);
}

void keystore_encode(const struct keystore *k, struct buf *out)
{
	enc_array(out, 8);
	encode_seven(k, out);
	enc_bin(out, k->sealed);
}

static void decode_key(struct dec *d, struct wallet_key *key)
{
	struct bytes name;

	dec_array_exact(d, 3);
	name = dec_str(d, WALLET_NAME_BYTES_MAX);
	key->key = dec_pubkey(d);
	key->has_owner = !dec_is_nil(d);
	if (key->has_owner)
		key->owner = dec_pubkey(d);
	else
		dec_nil(d);
	if (d->err == ERR_OK && !name_ok(name))
		dec_fail(d, ERR_MALFORMED);
	if (d->err == ERR_OK)
		memcpy(key->name, name.p, name.n);
}

static bool is_double(const struct keystore *k, uint32_t i)
{
	for (uint32_t j = 0; j < i; j++)
		if (strcmp(k->keys[j].name, k->keys[i].name) == 0 ||
		    pubkey_eq(&k->keys[j].key, &k->keys[i].key))
			return true;
	return false;
}

enum err keystore_decode(struct bytes in, struct keystore *ret_k)
{
	struct dec d = dec_make(in);
	struct keystore *k = ret_k;
	uint64_t version;

	memset(k, 0, sizeof(*k));
	dec_array_exact(&d, 8);
	version = dec_uint(&d, UINT64_MAX);
	if (version > KEYSTORE_VERSION)
		return ERR_UNSUPPORTED;
	if (version != KEYSTORE_VERSION)
		return ERR_MALFORMED;
	if (!bytes_eq(dec_str(&d, 32), BYTES_LIT(KEYSTORE_KDF)))
		dec_fail(&d, ERR_MALFORMED);
	k->passes = dec_uint(&d, KEYSTORE_PASSES_MAX);
	k->memory_kib = dec_uint(&d, KEYSTORE_KIB_MAX);
	dec_bin_exact(&d, k->salt, sizeof(k->salt));
	dec_bin_exact(&d, k->nonce, sizeof(k->nonce));
	k->count = dec_array(&d, WALLET_KEYS_MAX);
	for (uint32_t i = 0; i < k->count; i++) {
		decode_key(&d, &k->keys[i]);
		if (is_double(k, i))
			dec_fail(&d, ERR_MALFORMED);
	}
	k->sealed = dec_bin(&d, WALLET_FILE_BYTES_MAX);
	if (dec_end(&d) != ERR_OK || k->passes == 0 ||
	    k->sealed.n != (size_t)32 * k->count + TAG_BYTES)
		return ERR_MALFORMED;
	return ERR_OK;
}

static enum err derive(const struct keystore *k, struct bytes passphrase,
		       uint8_t key[KEY_BYTES])
{
	int rc = crypto_pwhash_argon2id(
		key, KEY_BYTES, (const char *)passphrase.p, passphrase.n,
		k->salt, k->passes, (size_t)k->memory_kib << 10,
		crypto_pwhash_argon2id_ALG_ARGON2ID13);

	return rc == 0 ? ERR_OK : ERR_NO_MEMORY;
}

enum err keystore_seal(const struct keystore *k, struct bytes passphrase,
		       const uint8_t *secrets, struct buf *out)
{
	struct buf ad = buf_make(WALLET_FILE_BYTES_MAX);
	uint8_t key[KEY_BYTES];
	uint8_t *p;
	enum err e = derive(k, passphrase, key);

	buf_reset(out);
	keystore_encode_open(k, &ad);
	p = buf_extend(out, (size_t)32 * k->count + TAG_BYTES);
	if (e == ERR_OK && ad.err != ERR_OK)
		e = ad.err;
	if (e == ERR_OK && !p)
		e = out->err;
	if (e == ERR_OK)
		crypto_aead_xchacha20poly1305_ietf_encrypt(
			p, NULL, secrets, (size_t)32 * k->count, ad.p, ad.n,
			NULL, k->nonce, key);
	sodium_memzero(key, sizeof(key));
	buf_free(&ad);
	return e;
}

enum err keystore_open(const struct keystore *k, struct bytes passphrase,
		       uint8_t *ret_secrets)
{
	struct buf ad = buf_make(WALLET_FILE_BYTES_MAX);
	uint8_t key[KEY_BYTES];
	enum err e = derive(k, passphrase, key);

	keystore_encode_open(k, &ad);
	if (e == ERR_OK && ad.err != ERR_OK)
		e = ad.err;
	if (e == ERR_OK && crypto_aead_xchacha20poly1305_ietf_decrypt(
				   ret_secrets, NULL, NULL, k->sealed.p,
				   k->sealed.n, ad.p, ad.n, k->nonce, key))
		e = ERR_PASSPHRASE;
	sodium_memzero(key, sizeof(key));
	buf_free(&ad);
	return e;
}
