/*
 * Everything is printed from the table; nothing here knows a command.
 */
#include "cli/help.h"

#include <string.h>

#include "cli/table.h"

#define NAME_COLUMNS 18

static void command_line(FILE *out, const struct cli_command *c)
{
	char name[64];

	snprintf(name, sizeof(name), "%s%s%s", c->noun, *c->verb ? " " : "",
		 c->verb);
	fprintf(out, "  %-*s %s\n", NAME_COLUMNS, name, c->summary);
}

const char help_exit_codes[] =
	"0 done, 1 failed, 2 usage, 3 refused before running, 4 the kernel\n"
	"faulted or has no one result, 5 cannot reach the node, 6 done in part,\n"
	"130 interrupted.\n";

void help_overview(FILE *out)
{
	fputs("weft - a compute market whose results are checked\n\n"
	      "usage: weft NOUN VERB [OPTION]... [OPERAND]...\n\n"
	      "commands:\n",
	      out);
	for (size_t i = 0; i < cli_command_count; i++)
		command_line(out, cli_commands[i]);
	fprintf(out,
		"\nweft NOUN VERB --help teaches one of them.\n"
		"Exit codes: %s",
		help_exit_codes);
}

bool help_noun(FILE *out, const char *noun)
{
	bool found = false;

	for (size_t i = 0; i < cli_command_count; i++) {
		if (strcmp(cli_commands[i]->noun, noun))
			continue;
		if (!found)
			fprintf(out, "usage: weft %s VERB [OPTION]...\n\n",
				noun);
		found = true;
		command_line(out, cli_commands[i]);
	}
	return found;
}

void help_usage(FILE *out, const struct cli_command *c)
{
	fprintf(out, "usage: weft %s%s%s%s%s%s\n", c->noun, *c->verb ? " " : "",
		c->verb, *c->operands ? " " : "", c->operands, " [OPTION]...");
}

static void put_options(FILE *out, const struct cli_option *o)
{
	for (; o && o->name; o++) {
		char name[64];
		char letter[8] = "    ";

		if (o->letter)
			snprintf(letter, sizeof(letter), "-%c, ", o->letter);
		snprintf(name, sizeof(name), "%s--%s%s%s", letter, o->name,
			 o->value ? " " : "", o->value ? o->value : "");
		fprintf(out, "  %-26s %s\n", name, o->help);
	}
}

void help_command(FILE *out, const struct cli_command *c)
{
	help_usage(out, c);
	fprintf(out, "\n%s\n", c->help);
	fputs("options:\n", out);
	put_options(out, c->options);
	put_options(out, cli_common_options);
}
