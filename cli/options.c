/*
 * getopt_long over the command's own options and the common ones.  Options
 * and operands may be mixed; "--" ends the options.
 */
#define _GNU_SOURCE
#include "cli/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/help.h"
#include "cli/table.h"
#include "gpu/build/manifest.h"

#define OPTIONS_MAX 64

/* getopt's tables for one command. */
struct tables {
	const struct cli_option *row[OPTIONS_MAX];
	struct option long_options[OPTIONS_MAX + 1];
	char letters[2 * OPTIONS_MAX + 2];
	int count;
};

/* Values of struct option.val: the row, above all characters. */
#define ROW_BASE 1000

static void add_options(struct tables *t, const struct cli_option *o)
{
	size_t n = strlen(t->letters);

	for (; o && o->name && t->count < OPTIONS_MAX; o++) {
		t->row[t->count] = o;
		t->long_options[t->count] = (struct option){
			o->name, o->value ? required_argument : no_argument,
			NULL, ROW_BASE + t->count};
		if (o->letter) {
			t->letters[n++] = o->letter;
			if (o->value)
				t->letters[n++] = ':';
		}
		t->count++;
	}
}

static const struct cli_option *option_of(const struct tables *t, int val)
{
	if (val >= ROW_BASE)
		return t->row[val - ROW_BASE];
	for (int i = 0; i < t->count; i++)
		if (t->row[i]->letter == val)
			return t->row[i];
	return NULL;
}

static enum cli_exit unknown(struct cli *c, const struct tables *t,
			     const char *word)
{
	const char *names[OPTIONS_MAX];
	const char *near;
	size_t n = strcspn(word, "=");

	for (int i = 0; i < t->count; i++)
		names[i] = t->row[i]->name;
	if (strncmp(word, "--", 2))
		return cli_usage(c, "unknown option %s", word);
	near = manifest_nearest(bytes_of(word + 2, n - 2), names,
				(size_t)t->count);
	if (near)
		return cli_usage(c, "unknown option %.*s; did you mean --%s?",
				 (int)n, word, near);
	return cli_usage(c, "unknown option %.*s", (int)n, word);
}

static enum cli_exit bad_option(struct cli *c, const struct tables *t,
				int result, char **argv)
{
	const struct cli_option *o = optopt ? option_of(t, optopt) : NULL;
	const char *word = argv[optind - 1];
	char letter[3] = {'-', (char)optopt, 0};

	if (result == ':' && o)
		return cli_usage(c, "option --%s needs a value (%s)", o->name,
				 o->value);
	if (o)
		return cli_usage(c, "option --%s takes no value", o->name);
	return unknown(c, t, optopt && strncmp(word, "--", 2) ? letter : word);
}

static void note_common(struct cli *c, const char *name)
{
	c->json |= !strcmp(name, "json");
	c->quiet |= !strcmp(name, "quiet");
	c->explain |= !strcmp(name, "explain");
}

static enum cli_exit check_operands(struct cli *c)
{
	const struct cli_command *m = c->command;

	if (c->operand_count < m->operands_min)
		return cli_usage(c, "missing %s", m->operands);
	if (m->operands_max >= 0 && c->operand_count > m->operands_max)
		return cli_usage(c, "unexpected \"%s\"",
				 c->operands[m->operands_max]);
	return CLI_DONE;
}

enum cli_exit options_parse(struct cli *c, int argc, char **argv,
			    bool *ret_help)
{
	struct tables t = {.letters = ":"};
	struct cli_given *given =
		ARENA_ARRAY(c->arena, (size_t)argc + 1, struct cli_given);
	int result;

	*ret_help = false;
	if (!given)
		return CLI_FAILED;
	c->given = given;
	add_options(&t, c->command->options);
	add_options(&t, cli_common_options);
	/* --json must hold for errors in the options too. */
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		c->json |= !strcmp(argv[i], "--json");
	opterr = 0;
	optind = 0; /* start over, GNU's way */
	while ((result = getopt_long(argc, argv, t.letters, t.long_options,
				     NULL)) != -1) {
		const struct cli_option *o;

		if (result == '?' || result == ':')
			return bad_option(c, &t, result, argv);
		o = option_of(&t, result);
		if (!strcmp(o->name, "help")) {
			*ret_help = true;
			return CLI_DONE;
		}
		note_common(c, o->name);
		given[c->given_count++] = (struct cli_given){o, optarg};
	}
	c->operands = argv + optind;
	c->operand_count = argc - optind;
	return check_operands(c);
}
