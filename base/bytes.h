/*
 * base/bytes - counted, borrowed bytes, and a growable buffer with a maximum.
 *
 * Text is bytes too: nothing here looks for a terminating zero, so that
 * hostile input needs no copy before it is parsed.
 */
#ifndef WEFT_BASE_BYTES_H
#define WEFT_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"

/* Borrowed: whoever made it says how long it lives.  p may be NULL if n = 0. */
struct bytes {
	const uint8_t *p;
	size_t n;
};

/* Of a string literal, without its zero. */
#define BYTES_LIT(s) ((struct bytes){(const uint8_t *)(s), sizeof(s) - 1})

/* Of an array or struct. */
#define BYTES_OF(x) ((struct bytes){(const uint8_t *)&(x), sizeof(x)})

/* Of a C string; it must outlive the result. */
struct bytes bytes_str(const char *s);

struct bytes bytes_of(const void *p, size_t n);

bool bytes_eq(struct bytes a, struct bytes b);

/* Lexicographic, shorter first: < 0, 0, > 0. */
int bytes_cmp(struct bytes a, struct bytes b);

/* b without its first n bytes; empty if it has fewer. */
struct bytes bytes_skip(struct bytes b, size_t n);

/* At most n bytes from offset on; clipped to what is there. */
struct bytes bytes_slice(struct bytes b, size_t offset, size_t n);

bool bytes_starts(struct bytes b, struct bytes prefix);

/* Little and big endian, any alignment. */
uint16_t u16_le(const uint8_t *p);
uint32_t u32_le(const uint8_t *p);
uint64_t u64_le(const uint8_t *p);
uint32_t u32_be(const uint8_t *p);
uint64_t u64_be(const uint8_t *p);
void put_u16_le(uint8_t *p, uint16_t v);
void put_u32_le(uint8_t *p, uint32_t v);
void put_u64_le(uint8_t *p, uint64_t v);
void put_u32_be(uint8_t *p, uint32_t v);
void put_u64_be(uint8_t *p, uint64_t v);

/* Lower-case hex of b into out (2 * b.n + 1 chars, zero at the end). */
void hex_encode(struct bytes b, char *out);

/*
 * Strict lower- or upper-case hex to exactly n bytes.
 * Returns ERR_OK or ERR_MALFORMED (then out is untouched).
 */
MUST_USE enum err hex_decode(struct bytes hex, uint8_t *out, size_t n);

/*
 * A growable buffer.  Errors are sticky: after one nothing is written and
 * buf.err says why, so that a run of writes is checked once at its end.
 */
struct buf {
	uint8_t *p;
	size_t n;
	size_t cap;
	size_t max; /* bytes; a write beyond it sets ERR_LIMIT */
	enum err err;
};

/* An empty buffer that can hold at most max bytes.  Allocates nothing. */
struct buf buf_make(size_t max);
void buf_free(struct buf *b);
void buf_reset(struct buf *b); /* empties, keeps memory, clears err */
void buf_put(struct buf *b, const void *p, size_t n);
void buf_put_bytes(struct buf *b, struct bytes v);
void buf_put_str(struct buf *b, const char *s);
void buf_put_u8(struct buf *b, uint8_t v);
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Room for n bytes at the end, counted as written; NULL after an error. */
uint8_t *buf_extend(struct buf *b, size_t n);

/* Drop n bytes at the front. */
void buf_consume(struct buf *b, size_t n);
struct bytes buf_bytes(const struct buf *b);

#endif /* WEFT_BASE_BYTES_H */
