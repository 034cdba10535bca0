#include "base/coin.h"

#include <stddef.h>
#include <stdio.h>

__extension__ typedef unsigned __int128 wide;

bool u64_add(uint64_t a, uint64_t b, uint64_t *ret)
{
	uint64_t r;

	if (__builtin_add_overflow(a, b, &r))
		return false;
	*ret = r;
	return true;
}

bool u64_mul(uint64_t a, uint64_t b, uint64_t *ret)
{
	uint64_t r;

	if (__builtin_mul_overflow(a, b, &r))
		return false;
	*ret = r;
	return true;
}

static bool muldiv(uint64_t a, uint64_t b, uint64_t c, bool up, uint64_t *ret)
{
	wide q;

	if (c == 0)
		return false;
	q = ((wide)a * b + (up ? c - 1 : 0)) / c;
	if (q > UINT64_MAX)
		return false;
	*ret = (uint64_t)q;
	return true;
}

bool u64_muldiv(uint64_t a, uint64_t b, uint64_t c, uint64_t *ret)
{
	return muldiv(a, b, c, false, ret);
}

bool u64_muldiv_up(uint64_t a, uint64_t b, uint64_t c, uint64_t *ret)
{
	return muldiv(a, b, c, true, ret);
}

uint64_t u64_mulhi(uint64_t a, uint64_t b)
{
	return (uint64_t)((wide)a * b >> 64);
}

bool coin_add(struct coin a, struct coin b, struct coin *ret_sum)
{
	return u64_add(a.picks, b.picks, &ret_sum->picks);
}

bool coin_sub(struct coin a, struct coin b, struct coin *ret_diff)
{
	if (b.picks > a.picks)
		return false;
	ret_diff->picks = a.picks - b.picks;
	return true;
}

bool coin_mul(struct coin a, uint64_t times, struct coin *ret_prod)
{
	return u64_mul(a.picks, times, &ret_prod->picks);
}

bool coin_scale(struct coin a, uint64_t num, uint64_t den,
		struct coin *ret_floor)
{
	return muldiv(a.picks, num, den, false, &ret_floor->picks);
}

bool coin_scale_up(struct coin a, uint64_t num, uint64_t den,
		   struct coin *ret_ceil)
{
	return muldiv(a.picks, num, den, true, &ret_ceil->picks);
}

int coin_cmp(struct coin a, struct coin b)
{
	return (a.picks > b.picks) - (a.picks < b.picks);
}

bool coin_is_zero(struct coin a)
{
	return a.picks == 0;
}

struct coin coin_min(struct coin a, struct coin b)
{
	return a.picks < b.picks ? a : b;
}

struct coin coin_max(struct coin a, struct coin b)
{
	return a.picks > b.picks ? a : b;
}

const char *coin_text(struct coin c, char out[COIN_TEXT_BYTES])
{
	snprintf(out, COIN_TEXT_BYTES, "%llu.%09llu WEFT",
		 (unsigned long long)(c.picks / COIN_PICKS_PER_WEFT),
		 (unsigned long long)(c.picks % COIN_PICKS_PER_WEFT));
	return out;
}
