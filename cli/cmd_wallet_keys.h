/*
 * cli/cmd_wallet_keys - the wallet's file, for the other wallet commands.
 */
#ifndef WEFT_CLI_CMD_WALLET_KEYS_H
#define WEFT_CLI_CMD_WALLET_KEYS_H

#include <jansson.h>

#include "cli/cli.h"

/* Sign a transfer with key name of the wallet's file and hand it to the node.
 * picks: decimal, NULL: all. */
MUST_USE enum cli_exit wallet_send_signed(struct cli *c, const char *name,
					  const char *to, const char *picks);

/* Names and addresses in the wallet's file; a new array, empty without one. */
json_t *wallet_file_json(struct cli *c, const char *hrp);

#endif /* WEFT_CLI_CMD_WALLET_KEYS_H */
