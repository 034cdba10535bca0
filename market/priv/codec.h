/*
 * market/priv/codec - what the market's encoders share.
 */
#ifndef WEFT_MARKET_PRIV_CODEC_H
#define WEFT_MARKET_PRIV_CODEC_H

#include "base/codec.h"
#include "ledger/rules.h"

#define MARKET_RECORD_VERSION 1u

/* Picks and counts that are added up stay below this. */
#define MARKET_COIN_MAX (1ull << 62)

/* A counted text of at most max bytes into a fixed array. */
static inline void market_dec_text(struct dec *d, uint8_t *ret_b,
				   uint8_t *ret_n, size_t max)
{
	struct bytes s = dec_str(d, max);
	size_t i;

	for (i = 0; i < s.n; i++)
		ret_b[i] = s.p[i];
	*ret_n = (uint8_t)s.n;
}

static inline uint32_t market_dec_u32(struct dec *d, uint32_t max)
{
	return (uint32_t)dec_uint(d, max);
}

/* A number in [least, most]; outside: ERR_LIMIT sticks. */
static inline uint64_t market_dec_range(struct dec *d, uint64_t least,
					uint64_t most)
{
	uint64_t v = dec_uint(d, most);

	if (d->err == ERR_OK && v < least)
		dec_fail(d, ERR_LIMIT);
	return v;
}

static inline struct coin market_dec_coin(struct dec *d)
{
	struct coin c = dec_coin(d);

	if (d->err == ERR_OK && coin_raw(c) > MARKET_COIN_MAX)
		dec_fail(d, ERR_LIMIT);
	return c;
}

/* The head of a record: its array and version. */
static inline void market_enc_head(struct buf *b, uint32_t count)
{
	enc_array(b, count);
	enc_uint(b, MARKET_RECORD_VERSION);
}

static inline void market_dec_head(struct dec *d, uint32_t count)
{
	dec_array_exact(d, count);
	if (dec_uint(d, UINT32_MAX) != MARKET_RECORD_VERSION)
		dec_fail(d, ERR_UNSUPPORTED);
}

/* The end of a body: out of range is bad_value, all else bad_encoding. */
static inline enum err market_dec_done(const struct dec *d,
				       enum reason *reterr_why)
{
	enum err e = dec_end(d);

	if (e == ERR_OK)
		return ERR_OK;
	*reterr_why = e == ERR_LIMIT ? REASON_bad_value : REASON_bad_encoding;
	return ERR_REFUSED;
}

#endif /* WEFT_MARKET_PRIV_CODEC_H */
