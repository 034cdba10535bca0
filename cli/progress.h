/*
 * cli/progress - how far a long command is.
 *
 * A bar that is redrawn on a terminal; plain lines, one every tenth of the
 * way, in a pipe; nothing with -q.  Goes to standard error.
 */
#ifndef WEFT_CLI_PROGRESS_H
#define WEFT_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/cli.h"

struct progress {
	const char *label;
	bool silent;
	bool terminal;
	bool drawn; /* a bar stands on the line */
	uint64_t drawn_ms;
	uint64_t tenths; /* printed so far */
};

void progress_begin(struct progress *p, const struct cli *c, const char *label);

/* total 0: unknown.  Cheap; draws at most ten times a second. */
void progress_update(struct progress *p, uint64_t done, uint64_t total);

/* Clears the bar. */
void progress_end(struct progress *p);

#endif /* WEFT_CLI_PROGRESS_H */
