/*
 * cli/cmd_job_local - weft job run and quote with --local.
 */
#ifndef WEFT_CLI_CMD_JOB_LOCAL_H
#define WEFT_CLI_CMD_JOB_LOCAL_H

#include "cli/cli.h"

/* operands[0]: the manifest; options as in cli/cmd_job_run.c. */
MUST_USE enum cli_exit job_run_local(struct cli *c);
MUST_USE enum cli_exit job_quote_local(struct cli *c);

#endif /* WEFT_CLI_CMD_JOB_LOCAL_H */
