/*
 * The compression function is OpenSSL's (SHA-NI, AVX2 or plain, chosen by the
 * CPU), reached through its context so that midstates can be kept; its EVP
 * layer would cost more than the hash of a short record.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/hash.h"

#include <string.h>

#include <openssl/sha.h>

bool hash_eq(const struct hash *a, const struct hash *b)
{
	return memcmp(a->b, b->b, HASH_BYTES) == 0;
}

bool hash_is_zero(const struct hash *a)
{
	return hash_eq(a, &HASH_ZERO);
}

int hash_cmp(const struct hash *a, const struct hash *b)
{
	return memcmp(a->b, b->b, HASH_BYTES);
}

struct bytes hash_bytes(const struct hash *a)
{
	return (struct bytes){a->b, HASH_BYTES};
}

const char *hash_text(const struct hash *a, char out[HASH_TEXT_BYTES])
{
	hex_encode(hash_bytes(a), out);
	return out;
}

void sha256_blocks(uint32_t h[8], const uint8_t *blocks, size_t count)
{
	SHA256_CTX c;

	/* Only what SHA256_Update reads when its own buffer is empty. */
	memcpy(c.h, h, sizeof(c.h));
	c.Nl = 0;
	c.Nh = 0;
	c.num = 0;
	SHA256_Update(&c, blocks, count * 64);
	memcpy(h, c.h, sizeof(c.h));
}

void sha256_init(struct sha256 *s)
{
	static const uint32_t start[8] = {
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
	};

	memcpy(s->h, start, sizeof(start));
	s->length_bytes = 0;
}

void sha256_put(struct sha256 *s, const void *data, size_t n)
{
	const uint8_t *p = data;
	size_t have = s->length_bytes % 64;
	size_t take;

	if (n == 0)
		return;
	s->length_bytes += n;
	if (have) {
		take = 64 - have < n ? 64 - have : n;
		memcpy(s->block + have, p, take);
		p += take;
		n -= take;
		if (have + take < 64)
			return;
		sha256_blocks(s->h, s->block, 1);
	}
	if (n >= 64) {
		sha256_blocks(s->h, p, n / 64);
		p += n / 64 * 64;
		n %= 64;
	}
	if (n)
		memcpy(s->block, p, n);
}

void sha256_put_u32_be(struct sha256 *s, uint32_t v)
{
	uint8_t b[4];

	put_u32_be(b, v);
	sha256_put(s, b, sizeof(b));
}

void sha256_put_u64_le(struct sha256 *s, uint64_t v)
{
	uint8_t b[8];

	put_u64_le(b, v);
	sha256_put(s, b, sizeof(b));
}

void sha256_put_u64_be(struct sha256 *s, uint64_t v)
{
	uint8_t b[8];

	put_u64_be(b, v);
	sha256_put(s, b, sizeof(b));
}

struct hash sha256_end(struct sha256 *s)
{
	size_t have = s->length_bytes % 64;
	struct hash out;

	s->block[have++] = 0x80;
	if (have > 56) {
		memset(s->block + have, 0, 64 - have);
		sha256_blocks(s->h, s->block, 1);
		have = 0;
	}
	memset(s->block + have, 0, 56 - have);
	put_u64_be(s->block + 56, s->length_bytes * 8);
	sha256_blocks(s->h, s->block, 1);
	for (int i = 0; i < 8; i++)
		put_u32_be(out.b + 4 * i, s->h[i]);
	return out;
}

struct hash sha256(const void *p, size_t n)
{
	struct sha256 s;

	sha256_init(&s);
	sha256_put(&s, p, n);
	return sha256_end(&s);
}

void sha256_init_tag(struct sha256 *s, const char *tag)
{
	struct hash t = sha256(tag, strlen(tag));

	sha256_init(s);
	sha256_put(s, t.b, HASH_BYTES);
	sha256_put(s, t.b, HASH_BYTES);
}

struct hash sha256_tagged(const char *tag, const void *p, size_t n)
{
	struct sha256 s;

	sha256_init_tag(&s, tag);
	sha256_put(&s, p, n);
	return sha256_end(&s);
}
