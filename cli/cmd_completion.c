/*
 * weft completion bash: a script made from the table.
 */
#include <stdio.h>
#include <string.h>

#include "cli/table.h"

static void put_nouns(void)
{
	for (size_t i = 0; i < cli_command_count; i++)
		if (!i ||
		    strcmp(cli_commands[i]->noun, cli_commands[i - 1]->noun))
			printf("%s ", cli_commands[i]->noun);
}

static void put_verbs(const char *noun)
{
	for (size_t i = 0; i < cli_command_count; i++)
		if (!strcmp(cli_commands[i]->noun, noun) &&
		    *cli_commands[i]->verb)
			printf("%s ", cli_commands[i]->verb);
}

static void put_options(const struct cli_option *o)
{
	for (; o && o->name; o++)
		printf("--%s ", o->name);
}

static enum cli_exit completion(struct cli *c)
{
	if (strcmp(c->operands[0], "bash"))
		return cli_usage(c, "only bash is known, not \"%s\"",
				 c->operands[0]);
	puts("_weft() {\n"
	     "  local cur=${COMP_WORDS[COMP_CWORD]} words=\n"
	     "  if ((COMP_CWORD == 1)); then");
	printf("    words=\"");
	put_nouns();
	puts("\"\n  elif [[ $cur == -* ]]; then\n"
	     "    case \"${COMP_WORDS[1]} ${COMP_WORDS[2]}\" in");
	for (size_t i = 0; i < cli_command_count; i++) {
		const struct cli_command *m = cli_commands[i];

		printf("    \"%s %s\"*) words=\"", m->noun, m->verb);
		put_options(m->options);
		put_options(cli_common_options);
		puts("\" ;;");
	}
	puts("    esac\n"
	     "  elif ((COMP_CWORD == 2)); then\n"
	     "    case ${COMP_WORDS[1]} in");
	for (size_t i = 0; i < cli_command_count; i++) {
		const char *noun = cli_commands[i]->noun;

		if (i && !strcmp(noun, cli_commands[i - 1]->noun))
			continue;
		printf("    %s) words=\"", noun);
		put_verbs(noun);
		puts("\" ;;");
	}
	puts("    esac\n"
	     "  fi\n"
	     "  if [[ -n $words ]]; then\n"
	     "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
	     "  else\n"
	     "    COMPREPLY=($(compgen -f -- \"$cur\"))\n"
	     "  fi\n"
	     "}\n"
	     "complete -o filenames -F _weft weft");
	return CLI_DONE;
}

const struct cli_command cli_completion = {
	.noun = "completion",
	.verb = "",
	.operands = "bash",
	.summary = "print a shell's completion script",
	.help = "Put this into ~/.bashrc:\n\n"
		"  source <(weft completion bash)\n",
	.operands_min = 1,
	.operands_max = 1,
	.run = completion,
};
