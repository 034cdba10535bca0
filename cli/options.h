/*
 * cli/options - argv to options and operands of a command.
 */
#ifndef WEFT_CLI_OPTIONS_H
#define WEFT_CLI_OPTIONS_H

#include "cli/cli.h"

/*
 * argv[0] is ignored, the rest belongs to c->command.  argv is permuted and
 * borrowed.  CLI_DONE; *ret_help when help was asked for (the rest is then
 * not looked at); CLI_USAGE after a message.
 */
MUST_USE enum cli_exit options_parse(struct cli *c, int argc, char **argv,
				     bool *ret_help);

#endif /* WEFT_CLI_OPTIONS_H */
