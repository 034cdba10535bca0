/*
 * base/hash - SHA-256, plain and tagged.
 *
 * Tagged hashes prefix the constant 64-byte block T(name) = SHA-256(name)
 * twice, as BIP-340 does, so that records of different kinds never collide
 * and the first compression is a constant midstate.  SHA-NI is used where
 * the CPU has it.
 */
#ifndef WEFT_BASE_HASH_H
#define WEFT_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

#define HASH_BYTES 32

struct hash {
	uint8_t b[HASH_BYTES];
};

#define HASH_ZERO ((struct hash){{0}})

bool hash_eq(const struct hash *a, const struct hash *b);
bool hash_is_zero(const struct hash *a);
int hash_cmp(const struct hash *a, const struct hash *b);
struct bytes hash_bytes(const struct hash *a); /* borrows *a */

/* 64 hex digits and a zero. */
#define HASH_TEXT_BYTES 65
const char *hash_text(const struct hash *a, char out[HASH_TEXT_BYTES]);

/* A running SHA-256; copy it freely. */
struct sha256 {
	uint32_t h[8];
	uint64_t length_bytes;
	uint8_t block[64];
};

void sha256_init(struct sha256 *s);
void sha256_put(struct sha256 *s, const void *p, size_t n);
void sha256_put_u32_be(struct sha256 *s, uint32_t v);
void sha256_put_u64_le(struct sha256 *s, uint64_t v);
void sha256_put_u64_be(struct sha256 *s, uint64_t v);
struct hash sha256_end(struct sha256 *s);

struct hash sha256(const void *p, size_t n);

/* Start after T(tag): compute once, copy for each use. */
void sha256_init_tag(struct sha256 *s, const char *tag);

/* SHA-256(T(tag) || p[0..n)). */
struct hash sha256_tagged(const char *tag, const void *p, size_t n);

/* Raw compression of count 64-byte blocks, for the Merkle code. */
void sha256_blocks(uint32_t h[8], const uint8_t *blocks, size_t count);

#endif /* WEFT_BASE_HASH_H */
