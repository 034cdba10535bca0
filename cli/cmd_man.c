/*
 * weft man: the manual pages, made from the table as help is.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/help.h"
#include "cli/table.h"

/* Text as roff: no line is taken for a request, a hyphen stays one. */
static void put_text(FILE *out, const char *s)
{
	for (bool begins = true; *s; s++) {
		if (begins && (*s == '.' || *s == '\''))
			fputs("\\&", out);
		if (*s == '\\' || *s == '-')
			fputc('\\', out);
		fputc(*s == '\\' ? 'e' : *s, out);
		begins = *s == '\n';
	}
}

static void put_name(FILE *out, const struct cli_command *c, char between)
{
	fputs("weft", out);
	fputc(between, out);
	fputs(c->noun, out);
	if (*c->verb)
		fprintf(out, "%c%s", between, c->verb);
}

static void put_options(FILE *out, const struct cli_option *o)
{
	for (; o && o->name; o++) {
		fputs(".TP\n.B ", out);
		if (o->letter)
			fprintf(out, "\\-%c, ", o->letter);
		fputs("\\-\\-", out);
		put_text(out, o->name);
		if (o->value) {
			fputs(" \\fI", out);
			put_text(out, o->value);
			fputs("\\fR", out);
		}
		fputc('\n', out);
		put_text(out, o->help);
		fputc('\n', out);
	}
}

static void put_exits(FILE *out)
{
	fprintf(out, ".SH EXIT STATUS\n%s", help_exit_codes);
}

static void put_command(FILE *out, const struct cli_command *c)
{
	fputs(".TH \"", out);
	put_name(out, c, '-');
	fputs("\" 1\n.SH NAME\n", out);
	put_name(out, c, '-');
	fputs(" \\- ", out);
	put_text(out, c->summary);
	fputs("\n.SH SYNOPSIS\n.B ", out);
	put_name(out, c, ' ');
	fputs("\n", out);
	if (*c->operands) {
		put_text(out, c->operands);
		fputc('\n', out);
	}
	fputs("[\\fIOPTION\\fR]...\n.SH DESCRIPTION\n.nf\n", out);
	put_text(out, c->help);
	fputs(".fi\n.SH OPTIONS\n", out);
	put_options(out, c->options);
	put_options(out, cli_common_options);
	put_exits(out);
	fputs(".SH SEE ALSO\n.BR weft (1)\n", out);
}

static void put_overview(FILE *out)
{
	fputs(".TH weft 1\n.SH NAME\n"
	      "weft \\- a compute market whose results are checked\n"
	      ".SH SYNOPSIS\n.B weft\n\\fINOUN VERB\\fR "
	      "[\\fIOPTION\\fR]... [\\fIOPERAND\\fR]...\n.SH COMMANDS\n",
	      out);
	for (size_t i = 0; i < cli_command_count; i++) {
		fputs(".TP\n.BR ", out);
		put_name(out, cli_commands[i], '-');
		fputs(" (1)\n", out);
		put_text(out, cli_commands[i]->summary);
		fputc('\n', out);
	}
	put_exits(out);
}

/* One page into the folder c->operands[0]; command NULL: the overview. */
static enum cli_exit write_page(struct cli *c,
				const struct cli_command *command)
{
	const char *dir = c->operands[0];
	const char *path =
		command ? arena_printf(c->arena, "%s/weft-%s%s%s.1", dir,
				       command->noun, *command->verb ? "-" : "",
				       command->verb)
			: arena_printf(c->arena, "%s/weft.1", dir);
	FILE *out = path ? fopen(path, "w") : NULL;

	if (!out)
		return cli_fail(c, CLI_FAILED, "io", "%s: %s",
				path ? path : dir, strerror(errno));
	if (command)
		put_command(out, command);
	else
		put_overview(out);
	if (fclose(out))
		return cli_fail(c, CLI_FAILED, "io", "%s: %s", path,
				strerror(errno));
	return CLI_DONE;
}

static enum cli_exit man(struct cli *c)
{
	enum cli_exit code;

	if (mkdir(c->operands[0], 0777) && errno != EEXIST)
		return cli_fail(c, CLI_FAILED, "io", "%s: %s", c->operands[0],
				strerror(errno));
	code = write_page(c, NULL);
	for (size_t i = 0; !code && i < cli_command_count; i++)
		code = write_page(c, cli_commands[i]);
	if (!code)
		cli_note(c, "%zu pages; man -l %s/weft.1",
			 cli_command_count + 1, c->operands[0]);
	return code;
}

const struct cli_command cli_man = {
	.noun = "man",
	.verb = "",
	.operands = "DIR",
	.summary = "write the manual pages into a folder",
	.help = "One page a command, and weft.1 that lists them.  "
		"cmake --install puts them\nwhere man finds them.\n",
	.operands_min = 1,
	.operands_max = 1,
	.run = man,
};
