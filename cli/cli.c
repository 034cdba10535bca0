/*
 * Find the command, parse its options, run it.  Messages to a person go
 * through here, so that --json and -q hold everywhere.
 */
#define _GNU_SOURCE
#include "cli/cli.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/table.h"
#include "gpu/build/manifest.h"

#define ARENA_BYTES   (2ull << 30)
#define MESSAGE_BYTES (64u << 10)
#define WORDS_MAX     256u

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number UNUSED)
{
	/* A second one ends us at once. */
	if (interrupted)
		_Exit(CLI_INTERRUPTED);
	interrupted = 1;
}

bool cli_interrupted(void)
{
	return interrupted != 0;
}

bool cli_flag(const struct cli *c, const char *name)
{
	for (size_t i = 0; i < c->given_count; i++)
		if (!strcmp(c->given[i].option->name, name))
			return true;
	return false;
}

const char *cli_value(const struct cli *c, const char *name)
{
	const char *value = NULL;

	for (size_t i = 0; i < c->given_count; i++)
		if (!strcmp(c->given[i].option->name, name))
			value = c->given[i].value;
	return value;
}

const char *cli_value_at(const struct cli *c, const char *name, size_t at)
{
	for (size_t i = 0; i < c->given_count; i++)
		if (!strcmp(c->given[i].option->name, name) && at-- == 0)
			return c->given[i].value;
	return NULL;
}

enum cli_exit cli_number(const struct cli *c, const char *name,
			 unsigned long long max, unsigned long long *ret)
{
	const char *text = cli_value(c, name);
	char *end;
	unsigned long long value;

	if (!text)
		return CLI_DONE;
	errno = 0;
	value = strtoull(text, &end, 0);
	if (errno || end == text || *end || strchr(text, '-') || value > max)
		return cli_usage((struct cli *)c,
				 "--%s takes a number up to %llu, not \"%s\"",
				 name, max, text);
	*ret = value;
	return CLI_DONE;
}

static void put_json_error(const char *reason, const char *text)
{
	json_t *o = json_pack("{s:{s:s,s:s}}", "error", "reason", reason,
			      "text", text);

	if (!o)
		o = json_pack("{s:{s:s}}", "error", "reason", reason);
	json_dumpf(o, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(o);
}

enum cli_exit cli_fail(struct cli *c, enum cli_exit code, const char *reason,
		       const char *fmt, ...)
{
	static char text[MESSAGE_BYTES];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	fprintf(stderr, "weft: %s\n", text);
	if (c->json)
		put_json_error(reason, text);
	return code;
}

enum cli_exit cli_usage(struct cli *c, const char *fmt, ...)
{
	char text[4096];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	fprintf(stderr, "weft: %s\n", text);
	help_usage(stderr, c->command);
	fprintf(stderr, "weft %s%s%s --help teaches it.\n", c->command->noun,
		*c->command->verb ? " " : "", c->command->verb);
	if (c->json)
		put_json_error("usage", text);
	return CLI_USAGE;
}

void cli_note(const struct cli *c, const char *fmt, ...)
{
	va_list args;

	if (c->quiet)
		return;
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

static const struct cli_command *find(const char *noun, const char *verb)
{
	for (size_t i = 0; i < cli_command_count; i++)
		if (!strcmp(cli_commands[i]->noun, noun) &&
		    !strcmp(cli_commands[i]->verb, verb))
			return cli_commands[i];
	return NULL;
}

/* The nearest noun, or the nearest verb of a noun. */
static const char *nearest(const char *noun, const char *word)
{
	const char *known[WORDS_MAX];
	size_t count = 0;

	for (size_t i = 0; i < cli_command_count && count < WORDS_MAX; i++) {
		if (!noun)
			known[count++] = cli_commands[i]->noun;
		else if (!strcmp(cli_commands[i]->noun, noun))
			known[count++] = cli_commands[i]->verb;
	}
	return manifest_nearest(bytes_str(word), known, count);
}

static int no_such(const char *noun, const char *verb)
{
	const char *near = nearest(verb ? noun : NULL, verb ? verb : noun);

	fprintf(stderr, "weft: no command \"%s%s%s\"", noun, verb ? " " : "",
		verb ? verb : "");
	if (near)
		fprintf(stderr, "; did you mean \"weft %s%s%s\"?",
			verb ? noun : near, verb ? " " : "", verb ? near : "");
	fputs("\n", stderr);
	if (!verb || !help_noun(stderr, noun))
		fputs("weft --help lists them all.\n", stderr);
	return CLI_USAGE;
}

static bool is_help(const char *word)
{
	return !strcmp(word, "--help") || !strcmp(word, "-h") ||
	       !strcmp(word, "help");
}

static int run(const struct cli_command *command, int argc, char **argv)
{
	struct cli c = {.command = command};
	bool help;
	enum cli_exit code;

	c.arena = arena_new(ARENA_BYTES);
	if (!c.arena) {
		fputs("weft: out of memory\n", stderr);
		return CLI_FAILED;
	}
	code = options_parse(&c, argc, argv, &help);
	if (help)
		help_command(stdout, command);
	else if (code == CLI_DONE)
		code = command->run(&c);
	arena_free(c.arena);
	if (fflush(stdout) && code == CLI_DONE) {
		fprintf(stderr, "weft: cannot write: %s\n", strerror(errno));
		code = CLI_FAILED;
	}
	return interrupted ? CLI_INTERRUPTED : (int)code;
}

int cli_main(int argc, char **argv)
{
	const struct cli_command *command;
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = on_interrupt;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	if (argc < 2) {
		help_overview(stderr);
		return CLI_USAGE;
	}
	if (is_help(argv[1])) {
		help_overview(stdout);
		return CLI_DONE;
	}
	if (!strcmp(argv[1], "--version"))
		argv[1] = (char *)"version";
	command = find(argv[1], "");
	if (command)
		return run(command, argc - 1, argv + 1);
	if (argc < 3 || is_help(argv[2])) {
		if (argc < 3 ? help_noun(stderr, argv[1])
			     : help_noun(stdout, argv[1]))
			return argc < 3 ? CLI_USAGE : CLI_DONE;
		return no_such(argv[1], NULL);
	}
	command = find(argv[1], argv[2]);
	if (command)
		return run(command, argc - 2, argv + 2);
	return no_such(argv[1],
		       nearest(NULL, argv[1]) &&
				       !strcmp(nearest(NULL, argv[1]), argv[1])
			       ? argv[2]
			       : NULL);
}
