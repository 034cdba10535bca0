#include "base/bytes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bytes bytes_str(const char *s)
{
	return (struct bytes){(const uint8_t *)s, strlen(s)};
}

struct bytes bytes_of(const void *p, size_t n)
{
	return (struct bytes){p, n};
}

bool bytes_eq(struct bytes a, struct bytes b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

int bytes_cmp(struct bytes a, struct bytes b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	if (c != 0)
		return c;
	return (a.n > b.n) - (a.n < b.n);
}

struct bytes bytes_skip(struct bytes b, size_t n)
{
	if (n >= b.n)
		return (struct bytes){0};
	return (struct bytes){b.p + n, b.n - n};
}

struct bytes bytes_slice(struct bytes b, size_t offset, size_t n)
{
	struct bytes rest = bytes_skip(b, offset);

	if (rest.n > n)
		rest.n = n;
	return rest;
}

bool bytes_starts(struct bytes b, struct bytes prefix)
{
	return b.n >= prefix.n && bytes_eq(bytes_slice(b, 0, prefix.n), prefix);
}

uint16_t u16_le(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

uint32_t u32_le(const uint8_t *p)
{
	return (uint32_t)u16_le(p) | (uint32_t)u16_le(p + 2) << 16;
}

uint64_t u64_le(const uint8_t *p)
{
	return (uint64_t)u32_le(p) | (uint64_t)u32_le(p + 4) << 32;
}

uint32_t u32_be(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

uint64_t u64_be(const uint8_t *p)
{
	return (uint64_t)u32_be(p) << 32 | u32_be(p + 4);
}

void put_u16_le(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
}

void put_u32_le(uint8_t *p, uint32_t v)
{
	put_u16_le(p, (uint16_t)v);
	put_u16_le(p + 2, (uint16_t)(v >> 16));
}

void put_u64_le(uint8_t *p, uint64_t v)
{
	put_u32_le(p, (uint32_t)v);
	put_u32_le(p + 4, (uint32_t)(v >> 32));
}

void put_u32_be(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 24);
	p[1] = (uint8_t)(v >> 16);
	p[2] = (uint8_t)(v >> 8);
	p[3] = (uint8_t)v;
}

void put_u64_be(uint8_t *p, uint64_t v)
{
	put_u32_be(p, (uint32_t)(v >> 32));
	put_u32_be(p + 4, (uint32_t)v);
}

void hex_encode(struct bytes b, char *out)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < b.n; i++) {
		out[2 * i] = digits[b.p[i] >> 4];
		out[2 * i + 1] = digits[b.p[i] & 15];
	}
	out[2 * b.n] = 0;
}

static int hex_digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

enum err hex_decode(struct bytes hex, uint8_t *out, size_t n)
{
	if (hex.n / 2 != n || hex.n % 2 != 0)
		return ERR_MALFORMED;
	for (size_t i = 0; i < hex.n; i++) {
		if (hex_digit(hex.p[i]) < 0)
			return ERR_MALFORMED;
	}
	for (size_t i = 0; i < n; i++) {
		out[i] = (uint8_t)(hex_digit(hex.p[2 * i]) << 4 |
				   hex_digit(hex.p[2 * i + 1]));
	}
	return ERR_OK;
}

struct buf buf_make(size_t max)
{
	return (struct buf){.max = max};
}

void buf_free(struct buf *b)
{
	free(b->p);
	*b = (struct buf){.max = b->max};
}

void buf_reset(struct buf *b)
{
	b->n = 0;
	b->err = ERR_OK;
}

static bool buf_room(struct buf *b, size_t n)
{
	size_t cap;
	uint8_t *p;

	if (b->err)
		return false;
	if (n > b->max || b->n > b->max - n) {
		b->err = ERR_LIMIT;
		return false;
	}
	if (b->n + n <= b->cap)
		return true;
	cap = b->cap ? b->cap : 64;
	while (cap < b->n + n)
		cap = cap > b->max / 2 ? b->max : 2 * cap;
	p = realloc(b->p, cap);
	if (!p) {
		b->err = ERR_NO_MEMORY;
		return false;
	}
	b->p = p;
	b->cap = cap;
	return true;
}

uint8_t *buf_extend(struct buf *b, size_t n)
{
	if (!buf_room(b, n))
		return 0;
	b->n += n;
	return b->p + b->n - n;
}

void buf_put(struct buf *b, const void *p, size_t n)
{
	if (n && buf_room(b, n)) {
		memcpy(b->p + b->n, p, n);
		b->n += n;
	}
}

void buf_put_bytes(struct buf *b, struct bytes v)
{
	buf_put(b, v.p, v.n);
}

void buf_put_str(struct buf *b, const char *s)
{
	buf_put(b, s, strlen(s));
}

void buf_put_u8(struct buf *b, uint8_t v)
{
	buf_put(b, &v, 1);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(0, 0, fmt, args);
	va_end(args);
	/* vsnprintf writes a zero after the text, which does not count. */
	if (n < 0 || !buf_room(b, (size_t)n + 1)) {
		if (!b->err)
			b->err = ERR_LIMIT;
		return;
	}
	va_start(args, fmt);
	vsnprintf((char *)b->p + b->n, (size_t)n + 1, fmt, args);
	va_end(args);
	b->n += (size_t)n;
}

void buf_consume(struct buf *b, size_t n)
{
	if (n >= b->n) {
		b->n = 0;
		return;
	}
	memmove(b->p, b->p + n, b->n - n);
	b->n -= n;
}

struct bytes buf_bytes(const struct buf *b)
{
	return (struct bytes){b->p, b->n};
}
