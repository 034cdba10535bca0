/*
 * cli/table - all commands, in the order in which help lists them.
 */
#ifndef WEFT_CLI_TABLE_H
#define WEFT_CLI_TABLE_H

#include <stddef.h>

#include "cli/cli.h"

/* name of the command's struct: one extern, one row */
#define CLI_COMMANDS(X)       \
	X(cli_ptx_compile)    \
	X(cli_ptx_canon)      \
	X(cli_ptx_check)      \
	X(cli_ptx_run)        \
	X(cli_ptx_bench)      \
	X(cli_job_run)        \
	X(cli_job_quote)      \
	X(cli_job_submit)     \
	X(cli_job_list)       \
	X(cli_job_get)        \
	X(cli_job_wait)       \
	X(cli_job_fetch)      \
	X(cli_job_explain)    \
	X(cli_job_cancel)     \
	X(cli_offer_post)     \
	X(cli_offer_list)     \
	X(cli_wallet_new)     \
	X(cli_wallet_restore) \
	X(cli_wallet_backup)  \
	X(cli_wallet_list)    \
	X(cli_wallet_balance) \
	X(cli_wallet_locks)   \
	X(cli_wallet_history) \
	X(cli_wallet_send)    \
	X(cli_node_start)     \
	X(cli_node_status)    \
	X(cli_node_stop)      \
	X(cli_node_fsck)      \
	X(cli_demo)           \
	X(cli_completion)     \
	X(cli_man)            \
	X(cli_version)

#define X(name) extern const struct cli_command name;
CLI_COMMANDS(X)
#undef X

extern const struct cli_command *const cli_commands[];
extern const size_t cli_command_count;

/* Options that every command takes. */
extern const struct cli_option cli_common_options[];

#endif /* WEFT_CLI_TABLE_H */
