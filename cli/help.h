/*
 * cli/help - what the commands teach about themselves.
 */
#ifndef WEFT_CLI_HELP_H
#define WEFT_CLI_HELP_H

#include <stdio.h>

#include "cli/cli.h"

/* What every exit code means: three lines. */
extern const char help_exit_codes[];

/* All commands with one line each. */
void help_overview(FILE *out);

/* The verbs of one noun; false if there are none. */
bool help_noun(FILE *out, const char *noun);

/* Usage, text and options of one command. */
void help_command(FILE *out, const struct cli_command *c);

/* Only its usage line. */
void help_usage(FILE *out, const struct cli_command *c);

#endif /* WEFT_CLI_HELP_H */
