/*
 * cli/cmd_job_node - weft job run and quote through a node.
 */
#ifndef WEFT_CLI_CMD_JOB_NODE_H
#define WEFT_CLI_CMD_JOB_NODE_H

#include "cli/cli.h"

/* operands[0]: the manifest; options as in cli/cmd_job_run.c. */
MUST_USE enum cli_exit job_run_node(struct cli *c);
MUST_USE enum cli_exit job_quote_node(struct cli *c);

#endif /* WEFT_CLI_CMD_JOB_NODE_H */
