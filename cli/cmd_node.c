/*
 * weft node start, stop, status, fsck
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/daemon.h"
#include "cli/json.h"
#include "cli/link.h"
#include "cli/table.h"

static enum cli_exit start(struct cli *c)
{
	const char *dir = link_dir(c);
	const char *flags[64];
	size_t n = 0;
	struct link l = {0};
	pid_t pid;
	enum cli_exit code;

	if (!dir)
		return CLI_USAGE;
	if (cli_flag(c, "provider"))
		flags[n++] = "--provider.enabled=true";
	if (cli_flag(c, "verifier"))
		flags[n++] = "--verifier.enabled=true";
	if (cli_value(c, "join"))
		flags[n++] = arena_printf(c->arena, "--node.network=%s",
					  cli_value(c, "join"));
	for (size_t i = 0; cli_value_at(c, "set", i); i++) {
		if (n == 60)
			return cli_usage(c, "at most 50 --set");
		flags[n++] = arena_printf(c->arena, "--%s",
					  cli_value_at(c, "set", i));
	}
	flags[n] = NULL;
	code = daemon_start(c, dir, flags, &pid);
	if (!code)
		code = daemon_ready(c, dir, pid, 20000);
	if (!code)
		code = link_open_dir(c, dir, &l);
	if (!code)
		printf("weftd %ld serves http://%s:%u, log %s/log\n", (long)pid,
		       l.host, (unsigned)l.port, dir);
	link_close(&l);
	return code;
}

static void print_object(const json_t *o, const char *indent)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)o, key, v)
	{
		if (json_is_object(v)) {
			printf("%s%s\n", indent, key);
			print_object(v, "    ");
		} else {
			char *text = json_is_string(v)
					     ? strdup(json_string_value(v))
					     : json_dumps(v, JSON_ENCODE_ANY);

			printf("%s%-20s %s\n", indent, key, text ? text : "");
			free(text);
		}
	}
}

static enum cli_exit status(struct cli *c)
{
	struct link l = {0};
	json_t *o = NULL;
	enum cli_exit code = link_open(c, &l);

	if (!code)
		code = link_call(c, &l, "node.status", NULL, &o);
	if (!code && c->json)
		json_put(json_incref(o));
	else if (!code)
		print_object(o, "");
	json_decref(o);
	link_close(&l);
	return code;
}

static enum cli_exit stop(struct cli *c)
{
	const char *dir = link_dir(c);

	return dir ? daemon_stop(c, dir) : CLI_USAGE;
}

static enum cli_exit fsck(struct cli *c)
{
	const char *dir = link_dir(c);

	return dir ? daemon_fsck(c, dir) : CLI_USAGE;
}

static const struct cli_option start_options[] = {
	{"provider", 0, NULL, "sell this machine's work"},
	{"verifier", 0, NULL, "audit others' work"},
	{"join", 0, "FILE", "network file of the chain to follow"},
	{"set", 0, "SECTION.KEY=VALUE", "any setting (weftd --help)"},
	LINK_OPTIONS,
	{NULL, 0, NULL, NULL},
};
static const struct cli_option link_options[] = {
	LINK_OPTIONS,
	{NULL, 0, NULL, NULL},
};

const struct cli_command cli_node_start = {
	.noun = "node",
	.verb = "start",
	.operands = "",
	.summary = "start a node in the background",
	.help = "Without --join the node makes its own chain, whose genesis "
		"funds its account.\nSettings can also stand in "
		"DIR/weft.conf.\n",
	.options = start_options,
	.run = start,
};
const struct cli_command cli_node_status = {
	.noun = "node",
	.verb = "status",
	.operands = "",
	.summary = "how the node is",
	.help = "Health is told from progress, not from being alive.\n",
	.options = link_options,
	.run = status,
};
const struct cli_command cli_node_stop = {
	.noun = "node",
	.verb = "stop",
	.operands = "",
	.summary = "stop the node",
	.help = "Nothing that was committed is lost; leases go on when it "
		"starts again.\n",
	.options = link_options,
	.run = stop,
};
const struct cli_command cli_node_fsck = {
	.noun = "node",
	.verb = "fsck",
	.operands = "",
	.summary = "look at everything that a stopped node has stored",
	.help = "Counts all money, rebuilds the state root from nothing and "
		"checks every record.\n",
	.options = link_options,
	.run = fsck,
};
