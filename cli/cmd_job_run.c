/*
 * weft job run, weft job quote
 */
#include "cli/cmd_job_local.h"
#include "cli/table.h"
#include "cli/work.h"

#define LOCAL_OPTIONS                                                     \
	{"local", 0, NULL, "on this machine: no node, no chain"},         \
		{"any-class", 0, NULL, "also classes that are not sold"}, \
		{"sanitize", 0, NULL, "look for races in every CTA"},     \
		WORK_OPTIONS

static enum cli_exit run(struct cli *c)
{
	if (!cli_flag(c, "local"))
		return cli_fail(c, CLI_UNREACHABLE, "unreachable",
				"no node is configured; --local runs the job "
				"on this machine");
	return job_run_local(c);
}

static enum cli_exit quote(struct cli *c)
{
	if (!cli_flag(c, "local"))
		return cli_fail(c, CLI_UNREACHABLE, "unreachable",
				"no node is configured; --local quotes on "
				"this machine");
	return job_quote_local(c);
}

static const struct cli_option run_options[] = {
	LOCAL_OPTIONS,
	{"output", 'o', "DIR", "results (default: NAME.out)"},
	{NULL, 0, NULL, NULL},
};

static const struct cli_option quote_options[] = {
	LOCAL_OPTIONS,
	{NULL, 0, NULL, NULL},
};

const struct cli_command cli_job_run = {
	.noun = "job",
	.verb = "run",
	.operands = "MANIFEST",
	.summary = "run a job and fetch its results",
	.help = "With --local: compiles the manifest, refuses what the "
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
