/*
 * cli/table - all commands, in the order in which help lists them.
 */
#ifndef WEFT_CLI_TABLE_H
#define WEFT_CLI_TABLE_H

#include <stddef.h>

#include "cli/cli.h"

/* name of the command's struct: one extern, one row */
#define CLI_COMMANDS(X)    \
	X(cli_ptx_compile) \
	X(cli_ptx_canon)   \
	X(cli_ptx_check)   \
	X(cli_ptx_run)     \
	X(cli_ptx_bench)   \
	X(cli_job_run)     \
	X(cli_job_quote)   \
	X(cli_completion)  \
	X(cli_version)

#define X(name) extern const struct cli_command name;
CLI_COMMANDS(X)
#undef X

extern const struct cli_command *const cli_commands[];
extern const size_t cli_command_count;

/* Options that every command takes. */
extern const struct cli_option cli_common_options[];

#endif /* WEFT_CLI_TABLE_H */
