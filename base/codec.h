/*
 * base/codec - strict, canonical msgpack.
 *
 * Only what Weft's records use: nil, bool, integers in their shortest form,
 * byte strings (bin), text (str), arrays.  No maps, floats, extensions.
 * Encoding goes through msgpack-c; decoding is a sticky cursor that refuses
 * every non-canonical form, so decode followed by encode gives the same
 * bytes.
 */
#ifndef WEFT_BASE_CODEC_H
#define WEFT_BASE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/coin.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/sig.h"

/* Writers; errors stick in the buffer (struct buf). */
void enc_nil(struct buf *b);
void enc_bool(struct buf *b, bool v);
void enc_uint(struct buf *b, uint64_t v);
void enc_int(struct buf *b, int64_t v); /* v >= 0 as enc_uint */
void enc_bin(struct buf *b, struct bytes v);
void enc_str(struct buf *b, struct bytes v);
void enc_array(struct buf *b, uint32_t count);
void enc_hash(struct buf *b, const struct hash *h);
void enc_pubkey(struct buf *b, const struct pubkey *k);
void enc_sig(struct buf *b, const struct sig *s);
void enc_coin(struct buf *b, struct coin c);

/*
 * A cursor over borrowed bytes.  The first error sticks; readers then return
 * zero values, so that a run of reads is checked once with dec_end.
 * What dec_bin and dec_str return borrows from the input.
 */
struct dec {
	struct bytes in;
	size_t at;
	enum err err;
};

/* Deepest nesting that dec_raw walks through. */
#define DEC_DEPTH_MAX 16u

struct dec dec_make(struct bytes in);
bool dec_is_nil(const struct dec *d); /* looks, does not move */
void dec_nil(struct dec *d);
bool dec_bool(struct dec *d);
uint64_t dec_uint(struct dec *d, uint64_t max); /* larger: ERR_LIMIT */
int64_t dec_int(struct dec *d);
struct bytes dec_bin(struct dec *d, size_t max_bytes);
struct bytes dec_str(struct dec *d, size_t max_bytes);
/* Exactly n bytes of bin. */
void dec_bin_exact(struct dec *d, uint8_t *out, size_t n);
struct hash dec_hash(struct dec *d);
struct pubkey dec_pubkey(struct dec *d);
struct sig dec_sig(struct dec *d);
struct coin dec_coin(struct dec *d);

/* An array head: exactly count, or any count up to max (returned). */
void dec_array_exact(struct dec *d, uint32_t count);
uint32_t dec_array(struct dec *d, uint32_t max);

/* One whole value of any kind, as raw bytes. */
struct bytes dec_raw(struct dec *d);

/* The value must be well-formed for the caller: sets ERR_MALFORMED. */
void dec_fail(struct dec *d, enum err e);

/* ERR_OK if no error stuck and all input was read, else the error
 * (ERR_MALFORMED for trailing bytes). */
MUST_USE enum err dec_end(const struct dec *d);

#endif /* WEFT_BASE_CODEC_H */
