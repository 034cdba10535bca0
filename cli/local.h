/*
 * cli/local - a manifest on this machine: read, compiled, built, its tasks
 * run one after another in workers.
 */
#ifndef WEFT_CLI_LOCAL_H
#define WEFT_CLI_LOCAL_H

#include "cli/cli.h"
#include "cli/work.h"
#include "gpu/build/build.h"
#include "gpu/build/files.h"
#include "gpu/build/manifest.h"
#include "gpu/build/view.h"

struct local_job {
	const char *path;
	struct bytes text;
	struct build_files_folder folder;
	struct build_files files;
	struct manifest m;
	struct build_text *ptx;
	uint32_t ptx_count;
	struct job_file *sent; /* table and symbols, for the worker */
	uint32_t sent_count;
	struct job_how how;
	/* after local_build */
	struct job_built built;
	struct build_result result;
};

/* Read the manifest and compile its sources.  Ends with local_close in any
 * case. */
MUST_USE enum cli_exit local_open(struct cli *c, const char *path,
				  struct local_job *j);
void local_close(struct local_job *j);

/*
 * Build the program in a worker.  want_quote: also run sampled CTAs under the
 * sanitizer, in several workers when each task has inputs of its own; classes
 * that are not sold only with any_class.  A finding is not a failure here: look
 * at j->built.end.
 */
MUST_USE enum cli_exit local_build(struct cli *c, struct local_job *j,
				   bool want_quote, bool any_class);

/* CLI_REFUSED, said, if a launch is of a class that is not sold. */
MUST_USE enum cli_exit local_admit(struct cli *c, const struct local_job *j);

/* CLI_FAULTED, said, if a sampled CTA did not end well. */
MUST_USE enum cli_exit local_sampled(struct cli *c, const struct local_job *j);

/* One task's inputs as memfds. */
struct local_inputs {
	struct build_task task;
	struct bytes record; /* encoded task */
	struct job_input inputs[PROGRAM_BUFFERS_MAX];
	struct memory memory[PROGRAM_BUFFERS_MAX];
	uint32_t count;
};
MUST_USE enum cli_exit local_inputs(struct cli *c, struct local_job *j,
				    uint64_t index, struct local_inputs *ret);
void local_inputs_free(struct local_job *j, struct local_inputs *in);

/* view.table, view.line and view.points on standard output, those that the
 * manifest has. */
void local_print_views(struct view_results *results);

/* What lies in dir now, a line each: the saved buffers (with braces where there
 * is a file a task), tasks.csv, frames and plots, the picture last. */
void local_print_files(const struct manifest *m, const char *dir);

#endif /* WEFT_CLI_LOCAL_H */
