/*
 * cli/money - amounts in answers, as people read them.
 */
#ifndef WEFT_CLI_MONEY_H
#define WEFT_CLI_MONEY_H

#include <stdbool.h>

#include <jansson.h>

#include "base/coin.h"

/* "1.250000000 WEFT" of a member that holds picks as a decimal string. */
const char *money_of(const json_t *o, const char *key,
		     char out[COIN_TEXT_BYTES]);

/* "1.5" WEFT as picks in decimal, exactly; false if it is no amount. */
#define MONEY_PICKS_BYTES 32
bool money_picks(const char *weft, char out[MONEY_PICKS_BYTES]);

#endif /* WEFT_CLI_MONEY_H */
