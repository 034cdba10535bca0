/*
 * One row a command: its file defines the struct that the row names.
 */
#include "cli/table.h"

const struct cli_command *const cli_commands[] = {
#define X(name) &name,
	CLI_COMMANDS(X)
#undef X
};

const size_t cli_command_count = sizeof(cli_commands) / sizeof(*cli_commands);

const struct cli_option cli_common_options[] = {
	{"json", 0, NULL, "print one JSON value instead of text"},
	{"quiet", 'q', NULL, "print results and errors only"},
	{"explain", 0, NULL, "show the calls to the node as they are made"},
	{"help", 'h', NULL, "show this help"},
	{NULL, 0, NULL, NULL},
};
