/*
 * cli/work - jobs for weft-worker, and the files that go with them.
 *
 * Every function says itself what went wrong and gives the exit code.
 */
#ifndef WEFT_CLI_WORK_H
#define WEFT_CLI_WORK_H

#include "base/bytes.h"
#include "cli/cli.h"
#include "gpu/client/client.h"
#include "gpu/client/job.h"
#include "gpu/client/memory.h"

/* The rows of --threads and --lanes, for option tables. */
#define WORK_OPTIONS                                                      \
	{"threads", 0, "N", "use N threads (default: all allowed)"},      \
	{                                                                 \
		"lanes", 0, "L",                                          \
			"auto, avx512, avx2 or plain vectors; same bytes" \
	}

/* --threads, --lanes and --sanitize as the worker takes them. */
MUST_USE enum cli_exit work_how(struct cli *c, struct job_how *ret);

/* A job to run. */
struct work {
	enum wire_kind kind;
	struct buf *request; /* freed by work_run */
	const int *fds;
	size_t fd_count;
	const char *label;  /* of the progress bar; NULL: none */
	const char *prefix; /* file name before "LINE:COLUMN: ..." */
	uint64_t wall_ms;   /* 0: the client's default */
};

/*
 * Run it and wait.  *ret holds the answer, for client_answer; free it with
 * client_free.  CLI_DONE, or the code of the failure, said.
 */
MUST_USE enum cli_exit work_run(struct cli *c, const struct work *w,
				struct client **ret);

/* A whole file in the arena. */
MUST_USE enum cli_exit work_read(struct cli *c, const char *path,
				 size_t max_bytes, struct bytes *ret);

/* A whole file as a buffer. */
MUST_USE enum cli_exit work_load(struct cli *c, const char *path,
				 struct memory *ret);

/* Replace path by b; "-" and NULL are standard output. */
MUST_USE enum cli_exit work_write(struct cli *c, const char *path,
				  struct bytes b);

/* An answer that does not decode: the worker lied. */
MUST_USE enum cli_exit work_bad_answer(struct cli *c);

#endif /* WEFT_CLI_WORK_H */
