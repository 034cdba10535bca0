/*
 * base/coin - amounts of money.
 *
 * The unit is the pick, 10^-9 WEFT.  An amount is a struct so that it cannot
 * be mixed up with a count; all arithmetic is checked, products are taken in
 * 128 bits.  Nothing outside this file touches .picks (contrib/check-words).
 */
#ifndef WEFT_BASE_COIN_H
#define WEFT_BASE_COIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"

#define COIN_PICKS_PER_WEFT 1000000000u

struct coin {
	uint64_t picks;
};

static inline struct coin coin_picks(uint64_t picks)
{
	return (struct coin){picks};
}

static inline uint64_t coin_raw(struct coin c)
{
	return c.picks;
}

#define COIN_ZERO ((struct coin){0})

/* true and *ret_sum written; false on overflow, nothing written. */
MUST_USE bool coin_add(struct coin a, struct coin b, struct coin *ret_sum);

/* true and *ret_diff written; false if b > a, nothing written. */
MUST_USE bool coin_sub(struct coin a, struct coin b, struct coin *ret_diff);

/* a * times, checked. */
MUST_USE bool coin_mul(struct coin a, uint64_t times, struct coin *ret_prod);

/* floor or ceil of a * num / den; false if den = 0 or it passes 64 bits. */
MUST_USE bool coin_scale(struct coin a, uint64_t num, uint64_t den,
			 struct coin *ret_floor);
MUST_USE bool coin_scale_up(struct coin a, uint64_t num, uint64_t den,
			    struct coin *ret_ceil);

int coin_cmp(struct coin a, struct coin b); /* < 0, 0, > 0 */
bool coin_is_zero(struct coin a);
struct coin coin_min(struct coin a, struct coin b);
struct coin coin_max(struct coin a, struct coin b);

/* "1.250000000 WEFT" at most; the buffer is COIN_TEXT_BYTES long. */
#define COIN_TEXT_BYTES 32
const char *coin_text(struct coin c, char out[COIN_TEXT_BYTES]);

/*
 * Unsigned 64-bit helpers with the same manners, for counts.
 * floor/ceil of a * b / c in 128 bits; false if c = 0 or it passes 64 bits.
 */
MUST_USE bool u64_muldiv(uint64_t a, uint64_t b, uint64_t c, uint64_t *ret);
MUST_USE bool u64_muldiv_up(uint64_t a, uint64_t b, uint64_t c, uint64_t *ret);
MUST_USE bool u64_add(uint64_t a, uint64_t b, uint64_t *ret);
MUST_USE bool u64_mul(uint64_t a, uint64_t b, uint64_t *ret);

/* (a * b) >> 64: draws an index below b from a uniform word a. */
uint64_t u64_mulhi(uint64_t a, uint64_t b);

#endif /* WEFT_BASE_COIN_H */
