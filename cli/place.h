/*
 * cli/place - how a run ended, and where, in words.
 */
#ifndef WEFT_CLI_PLACE_H
#define WEFT_CLI_PLACE_H

#include "cli/cli.h"
#include "cli/local.h"
#include "gpu/client/job.h"

/*
 * Find the user's lines of a run of a manifest's program, whose canonical
 * text holds none: run->source_line and those of its findings are filled
 * where they are known.  *ret_file: the file of run->line, or empty.
 */
void place_find(struct cli *c, const struct local_job *j, struct job_run *run,
		struct bytes *ret_file);

/* "fault: out_of_bounds: ...", its place on a second line, a few lines for
 * each finding and a sum of them; no newline at the end.  What is unknown is
 * left out. */
void place_put(struct buf *out, const struct job_run *run, struct bytes file);

#endif /* WEFT_CLI_PLACE_H */
