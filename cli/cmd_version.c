/*
 * weft version
 */
#include <stdio.h>

#include "cli/json.h"
#include "cli/table.h"

#define WEFT_VERSION "0.1.0"

static enum cli_exit version(struct cli *c)
{
	if (c->json)
		json_put(json_pack("{s:s,s:i}", "version", WEFT_VERSION,
				   "manifest", 1));
	else
		puts("weft " WEFT_VERSION);
	return CLI_DONE;
}

const struct cli_command cli_version = {
	.noun = "version",
	.verb = "",
	.operands = "",
	.summary = "say which Weft this is",
	.help = "Prints the version, and the version of manifests it reads.\n",
	.run = version,
};
