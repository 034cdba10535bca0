#include "cli/money.h"

#include <string.h>

#include "cli/link.h"

const char *money_of(const json_t *o, const char *key,
		     char out[COIN_TEXT_BYTES])
{
	return coin_text(coin_picks(link_count(o, key)), out);
}

bool money_picks(const char *weft, char out[MONEY_PICKS_BYTES])
{
	char digits[MONEY_PICKS_BYTES];
	size_t whole = strspn(weft, "0123456789"), n = whole, decimals = 0;
	const char *rest = weft + whole;
	size_t from;

	if (whole == 0 || whole > 10)
		return false;
	memcpy(digits, weft, whole);
	if (*rest == '.') {
		decimals = strspn(++rest, "0123456789");
		if (decimals == 0 || decimals > 9)
			return false;
		memcpy(digits + n, rest, decimals);
		n += decimals;
		rest += decimals;
	}
	if (*rest)
		return false;
	for (; decimals < 9; decimals++)
		digits[n++] = '0';
	digits[n] = 0;
	from = strspn(digits, "0");
	if (from == n)
		from--;
	memcpy(out, digits + from, n + 1 - from);
	return true;
}
