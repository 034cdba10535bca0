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
 * text holds none: files, lines and what stands there, of the run's end and
 * of its findings, are filled where they are known.
 */
void place_find(struct cli *c, const struct local_job *j, struct job_run *run);

/* What stands in the lines of the PTX that was run; it must outlive run. */
void place_find_ptx(struct job_run *run, struct bytes ptx);

/* What helps against a reason; NULL: nothing to say. */
const char *place_advice(struct bytes reason);

/* "fault: out_of_bounds: ...", its place on a second line, a few lines for
 * each finding and a sum of them; no newline at the end.  What is unknown is
 * left out.  j: whose buffers have names; NULL: none. */
void place_put(struct buf *out, const struct local_job *j,
	       const struct job_run *run);

#endif /* WEFT_CLI_PLACE_H */
