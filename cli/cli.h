/*
 * cli - the command line: weft NOUN VERB.
 *
 * Every command is one row of cli/table.c and one function in a file
 * cli/cmd_<noun>_<verb>.c; options, help, completion and did-you-mean come
 * from the row.  A command writes its result to standard output (with --json
 * one JSON value and nothing else) and everything else to standard error.
 */
#ifndef WEFT_CLI_CLI_H
#define WEFT_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/attr.h"

/* Frozen: scripts branch on them. */
enum cli_exit {
	CLI_DONE = 0,
	CLI_FAILED = 1, /* with the reason */
	CLI_USAGE = 2,
	CLI_REFUSED = 3,     /* before running: admission, funds, policy */
	CLI_FAULTED = 4,     /* the kernel: out of bounds, trap, limit, void */
	CLI_UNREACHABLE = 5, /* the node */
	CLI_PARTLY = 6,	     /* done in part, see tasks.csv */
	CLI_INTERRUPTED = 130,
};

/* One option of a command. */
struct cli_option {
	const char *name;  /* "threads" for --threads */
	char letter;	   /* 'o' for -o, or 0 */
	const char *value; /* "N": takes one; NULL: a flag */
	const char *help;  /* one line */
};

struct cli;

struct cli_command {
	const char *noun;		  /* "ptx" */
	const char *verb;		  /* "run"; "" for a noun alone */
	const char *operands;		  /* "FILE.ptx" */
	const char *summary;		  /* one line for the list */
	const char *help;		  /* paragraphs, ending in newlines */
	const struct cli_option *options; /* ends with a NULL name */
	int operands_min;
	int operands_max; /* -1: any number */
	enum cli_exit (*run)(struct cli *c);
};

/* What was given; strings are argv's. */
struct cli_given {
	const struct cli_option *option;
	const char *value; /* NULL for a flag */
};

/* One run of a command. */
struct cli {
	const struct cli_command *command;
	struct arena *arena;	       /* of the whole run */
	const struct cli_given *given; /* in the order of argv */
	size_t given_count;
	char **operands;
	int operand_count;
	bool json;
	bool quiet;
	bool explain; /* show the RPC calls it makes */
};

/* The process's exit status. */
int cli_main(int argc, char **argv);

/* Was the flag given?  The last value, or NULL.  The i-th value of an option
 * that repeats, or NULL. */
bool cli_flag(const struct cli *c, const char *name);
const char *cli_value(const struct cli *c, const char *name);
const char *cli_value_at(const struct cli *c, const char *name, size_t i);

/*
 * A non-negative integer option (decimal or 0x) up to max; *ret stays as it
 * is when the option is absent.  CLI_DONE, or CLI_USAGE after a message.
 */
MUST_USE enum cli_exit cli_number(const struct cli *c, const char *name,
				  unsigned long long max,
				  unsigned long long *ret);

/*
 * Say why, to standard error (with --json also as {"error": {...}} on
 * standard output), and give code back.  reason: a stable word.
 */
MUST_USE enum cli_exit cli_fail(struct cli *c, enum cli_exit code,
				const char *reason, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

/* A usage error: CLI_USAGE, with the line that teaches. */
MUST_USE enum cli_exit cli_usage(struct cli *c, const char *fmt, ...)
	PRINTF_LIKE(2, 3);

/* A line to standard error unless -q. */
void cli_note(const struct cli *c, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* True once Ctrl-C was pressed; commands then end with CLI_INTERRUPTED. */
bool cli_interrupted(void);

#endif /* WEFT_CLI_CLI_H */
