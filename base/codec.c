/*
 * The decoder reads one head at a time and refuses every form but the
 * shortest; it allocates nothing, so a claimed count of 2^32 costs nothing.
 */
#include "base/codec.h"

#include <string.h>

#include <msgpack/pack.h>

static int write_to_buf(void *ctx, const char *p, size_t n)
{
	struct buf *b = ctx;

	buf_put(b, p, n);
	return b->err ? -1 : 0;
}

static msgpack_packer packer_of(struct buf *b)
{
	msgpack_packer pk;

	msgpack_packer_init(&pk, b, write_to_buf);
	return pk;
}

void enc_nil(struct buf *b)
{
	msgpack_packer pk = packer_of(b);

	msgpack_pack_nil(&pk);
}

void enc_bool(struct buf *b, bool v)
{
	msgpack_packer pk = packer_of(b);

	if (v)
		msgpack_pack_true(&pk);
	else
		msgpack_pack_false(&pk);
}

void enc_uint(struct buf *b, uint64_t v)
{
	msgpack_packer pk = packer_of(b);

	msgpack_pack_uint64(&pk, v);
}

void enc_int(struct buf *b, int64_t v)
{
	msgpack_packer pk = packer_of(b);

	msgpack_pack_int64(&pk, v);
}

void enc_bin(struct buf *b, struct bytes v)
{
	msgpack_packer pk = packer_of(b);

	if (v.n > UINT32_MAX) {
		b->err = ERR_LIMIT;
		return;
	}
	msgpack_pack_bin(&pk, v.n);
	buf_put_bytes(b, v);
}

void enc_str(struct buf *b, struct bytes v)
{
	msgpack_packer pk = packer_of(b);

	if (v.n > UINT32_MAX) {
		b->err = ERR_LIMIT;
		return;
	}
	msgpack_pack_str(&pk, v.n);
	buf_put_bytes(b, v);
}

void enc_array(struct buf *b, uint32_t count)
{
	msgpack_packer pk = packer_of(b);

	msgpack_pack_array(&pk, count);
}

void enc_hash(struct buf *b, const struct hash *h)
{
	enc_bin(b, hash_bytes(h));
}

void enc_pubkey(struct buf *b, const struct pubkey *k)
{
	enc_bin(b, (struct bytes){k->b, sizeof(k->b)});
}

void enc_sig(struct buf *b, const struct sig *s)
{
	enc_bin(b, (struct bytes){s->b, sizeof(s->b)});
}

void enc_coin(struct buf *b, struct coin c)
{
	enc_uint(b, coin_raw(c));
}

struct dec dec_make(struct bytes in)
{
	return (struct dec){.in = in};
}

void dec_fail(struct dec *d, enum err e)
{
	if (!d->err)
		d->err = e;
}

static uint8_t dec_peek(const struct dec *d)
{
	return d->at < d->in.n ? d->in.p[d->at] : 0xc1; /* never used */
}

static const uint8_t *dec_take(struct dec *d, size_t n)
{
	const uint8_t *p;

	if (d->err)
		return 0;
	if (!d->in.p || d->in.n - d->at < n) {
		d->err = ERR_MALFORMED;
		return 0;
	}
	p = d->in.p + d->at;
	d->at += n;
	return p;
}

/* A big-endian number of n bytes that must not be below min. */
static uint64_t dec_be(struct dec *d, size_t n, uint64_t min)
{
	const uint8_t *p = dec_take(d, n);
	uint64_t v = 0;

	if (!p)
		return 0;
	for (size_t i = 0; i < n; i++)
		v = v << 8 | p[i];
	if (v < min) {
		d->err = ERR_MALFORMED;
		return 0;
	}
	return v;
}

bool dec_is_nil(const struct dec *d)
{
	return !d->err && dec_peek(d) == 0xc0;
}

void dec_nil(struct dec *d)
{
	const uint8_t *p = dec_take(d, 1);

	if (p && *p != 0xc0)
		d->err = ERR_MALFORMED;
}

bool dec_bool(struct dec *d)
{
	const uint8_t *p = dec_take(d, 1);

	if (p && *p != 0xc2 && *p != 0xc3)
		d->err = ERR_MALFORMED;
	return p && *p == 0xc3;
}

static uint64_t dec_unsigned(struct dec *d)
{
	const uint8_t *p = dec_take(d, 1);

	if (!p)
		return 0;
	if (*p < 0x80)
		return *p;
	switch (*p) {
	case 0xcc:
		return dec_be(d, 1, 0x80);
	case 0xcd:
		return dec_be(d, 2, 0x100);
	case 0xce:
		return dec_be(d, 4, 0x10000);
	case 0xcf:
		return dec_be(d, 8, 0x100000000);
	default:
		d->err = ERR_MALFORMED;
		return 0;
	}
}

uint64_t dec_uint(struct dec *d, uint64_t max)
{
	uint64_t v = dec_unsigned(d);

	if (v > max) {
		dec_fail(d, ERR_LIMIT);
		return 0;
	}
	return v;
}

/* The n-byte two's complement after an int head; above max is not shortest. */
static int64_t dec_negative(struct dec *d, size_t n, int64_t max)
{
	uint64_t v = dec_be(d, n, 0);
	int64_t s;

	if (d->err)
		return 0;
	if (n < 8 && v >> (8 * n - 1))
		v |= UINT64_MAX << (8 * n);
	s = (int64_t)v;
	if (s > max) {
		d->err = ERR_MALFORMED;
		return 0;
	}
	return s;
}

int64_t dec_int(struct dec *d)
{
	uint8_t head = dec_peek(d);
	uint64_t v;

	if (head >= 0xe0) {
		dec_take(d, 1);
		return d->err ? 0 : (int8_t)head;
	}
	if (head >= 0xd0 && head <= 0xd3) {
		static const int64_t max[4] = {-33, -129, -32769, -2147483649};

		dec_take(d, 1);
		return dec_negative(d, (size_t)1 << (head - 0xd0),
				    max[head - 0xd0]);
	}
	v = dec_uint(d, INT64_MAX);
	return (int64_t)v;
}

static struct bytes dec_body(struct dec *d, uint64_t n, size_t max_bytes)
{
	const uint8_t *p;

	if (n > max_bytes)
		dec_fail(d, ERR_LIMIT);
	p = d->err ? 0 : dec_take(d, (size_t)n);
	return p ? (struct bytes){p, (size_t)n} : (struct bytes){0};
}

struct bytes dec_bin(struct dec *d, size_t max_bytes)
{
	const uint8_t *p = dec_take(d, 1);

	if (!p)
		return (struct bytes){0};
	switch (*p) {
	case 0xc4:
		return dec_body(d, dec_be(d, 1, 0), max_bytes);
	case 0xc5:
		return dec_body(d, dec_be(d, 2, 0x100), max_bytes);
	case 0xc6:
		return dec_body(d, dec_be(d, 4, 0x10000), max_bytes);
	default:
		d->err = ERR_MALFORMED;
		return (struct bytes){0};
	}
}

struct bytes dec_str(struct dec *d, size_t max_bytes)
{
	const uint8_t *p = dec_take(d, 1);

	if (!p)
		return (struct bytes){0};
	if (*p >= 0xa0 && *p <= 0xbf)
		return dec_body(d, *p & 31u, max_bytes);
	switch (*p) {
	case 0xd9:
		return dec_body(d, dec_be(d, 1, 32), max_bytes);
	case 0xda:
		return dec_body(d, dec_be(d, 2, 0x100), max_bytes);
	case 0xdb:
		return dec_body(d, dec_be(d, 4, 0x10000), max_bytes);
	default:
		d->err = ERR_MALFORMED;
		return (struct bytes){0};
	}
}

void dec_bin_exact(struct dec *d, uint8_t *out, size_t n)
{
	struct bytes b = dec_bin(d, n);

	if (!d->err && b.n != n)
		d->err = ERR_MALFORMED;
	if (d->err)
		memset(out, 0, n);
	else
		memcpy(out, b.p, n);
}

struct hash dec_hash(struct dec *d)
{
	struct hash h;

	dec_bin_exact(d, h.b, sizeof(h.b));
	return h;
}

struct pubkey dec_pubkey(struct dec *d)
{
	struct pubkey k;

	dec_bin_exact(d, k.b, sizeof(k.b));
	return k;
}

struct sig dec_sig(struct dec *d)
{
	struct sig s;

	dec_bin_exact(d, s.b, sizeof(s.b));
	return s;
}

struct coin dec_coin(struct dec *d)
{
	return coin_picks(dec_uint(d, UINT64_MAX));
}

static uint64_t dec_array_head(struct dec *d)
{
	const uint8_t *p = dec_take(d, 1);

	if (!p)
		return 0;
	if (*p >= 0x90 && *p <= 0x9f)
		return *p & 15u;
	if (*p == 0xdc)
		return dec_be(d, 2, 16);
	if (*p == 0xdd)
		return dec_be(d, 4, 0x10000);
	d->err = ERR_MALFORMED;
	return 0;
}

uint32_t dec_array(struct dec *d, uint32_t max)
{
	uint64_t n = dec_array_head(d);

	if (n > max) {
		dec_fail(d, ERR_LIMIT);
		return 0;
	}
	return (uint32_t)n;
}

void dec_array_exact(struct dec *d, uint32_t count)
{
	uint64_t n = dec_array_head(d);

	if (!d->err && n != count)
		d->err = ERR_MALFORMED;
}

/*
 * Walks one value with a counter instead of recursion: left[] holds how many
 * values each open array still wants.
 */
struct bytes dec_raw(struct dec *d)
{
	uint64_t left[DEC_DEPTH_MAX + 1] = {1};
	unsigned depth = 0;
	size_t from = d->at;

	while (!d->err) {
		uint8_t head;

		while (left[depth] == 0) {
			if (depth == 0)
				return (struct bytes){d->in.p + from,
						      d->at - from};
			depth--;
		}
		head = dec_peek(d);
		left[depth]--;
		if ((head >= 0x90 && head <= 0x9f) || head == 0xdc ||
		    head == 0xdd) {
			if (depth == DEC_DEPTH_MAX) {
				dec_fail(d, ERR_LIMIT);
				break;
			}
			left[++depth] = dec_array_head(d);
		} else if (head == 0xc0) {
			dec_nil(d);
		} else if (head == 0xc2 || head == 0xc3) {
			dec_bool(d);
		} else if (head >= 0xc4 && head <= 0xc6) {
			dec_bin(d, SIZE_MAX);
		} else if ((head >= 0xa0 && head <= 0xbf) ||
			   (head >= 0xd9 && head <= 0xdb)) {
			dec_str(d, SIZE_MAX);
		} else if (head >= 0xe0 || (head >= 0xd0 && head <= 0xd3)) {
			dec_int(d);
		} else {
			dec_uint(d, UINT64_MAX);
		}
	}
	return (struct bytes){0};
}

enum err dec_end(const struct dec *d)
{
	if (d->err)
		return d->err;
	return d->at == d->in.n ? ERR_OK : ERR_MALFORMED;
}
