/*
 * weft job run, weft job quote
 */
#include "cli/buy.h"
#include "cli/cmd_job_local.h"
#include "cli/cmd_job_node.h"
#include "cli/table.h"
#include "cli/work.h"

#define LOCAL_OPTIONS                                                     \
	{"local", 0, NULL, "on this machine: no node, no chain"},         \
		{"any-class", 0, NULL, "also classes that are not sold"}, \
		{"sanitize", 0, NULL,                                     \
		 "look in every CTA for what has no one result"},         \
		WORK_OPTIONS

static enum cli_exit run(struct cli *c)
{
	return cli_flag(c, "local") ? job_run_local(c) : job_run_node(c);
}

static enum cli_exit quote(struct cli *c)
{
	return cli_flag(c, "local") ? job_quote_local(c) : job_quote_node(c);
}

static const struct cli_option run_options[] = {
	LOCAL_OPTIONS,
	BUY_OPTIONS,
	{"early", 0, NULL, "return when all results are stated, unchecked"},
	{"output", 'o', "DIR", "results (default: NAME.out)"},
	{NULL, 0, NULL, NULL},
};

static const struct cli_option quote_options[] = {
	LOCAL_OPTIONS,
	BUY_OPTIONS,
	{NULL, 0, NULL, NULL},
};

const struct cli_command cli_job_run = {
	.noun = "job",
	.verb = "run",
	.operands = "MANIFEST",
	.summary = "run a job and fetch its results",
	.help = "Buys the job through the node, waits for the last "
		"settlement and fetches the\nresults.  With --local: compiles the manifest, refuses what the "
		"market would, runs some\nCTAs under the sanitizer, then "
		"all tasks on this CPU, each in a sandboxed\nprocess.  "
		"Results, tasks.csv and picture.png land in DIR.\n\n"
		"  weft job run examples/mandelbrot/manifest.json --local "
		"-o out\n",
	.options = run_options,
	.operands_min = 1,
	.operands_max = 1,
	.run = run,
};

const struct cli_command cli_job_quote = {
	.noun = "job",
	.verb = "quote",
	.operands = "MANIFEST",
	.summary = "say how much work a job is",
	.help = "Runs a few CTAs of every step on the CPU and counts.\n\n"
		"  weft job quote examples/mandelbrot/manifest.json "
		"--local\n",
	.options = quote_options,
	.operands_min = 1,
	.operands_max = 1,
	.run = quote,
};
