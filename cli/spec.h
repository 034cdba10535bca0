/*
 * cli/spec - the arguments of weft ptx run.
 *
 * SPEC: u8|u16|u32|u64|s8|s16|s32|s64|f16|f32|f64:VALUE, bytes:HEX, in:PATH,
 * out:PATH:BYTES, inout:PATH_IN:PATH_OUT, tmp:BYTES, null.  The last colon
 * divides, so paths may hold colons.
 */
#ifndef WEFT_CLI_SPEC_H
#define WEFT_CLI_SPEC_H

#include "cli/cli.h"
#include "gpu/client/job.h"
#include "gpu/client/memory.h"

/* All arguments of one run, and the buffers that they name. */
struct spec_list {
	struct job_ptx_arg args[PROGRAM_ARGS_MAX];
	uint32_t arg_count;
	struct job_buffer buffers[JOB_BUFFERS_MAX];
	struct memory memory[JOB_BUFFERS_MAX];
	int fds[JOB_BUFFERS_MAX];
	const char *out[JOB_BUFFERS_MAX]; /* NULL: not written */
	uint32_t buffer_count;
};

/* Append one; CLI_DONE, CLI_USAGE (not a SPEC), CLI_FAILED (a file). */
MUST_USE enum cli_exit spec_add(struct cli *c, struct spec_list *l,
				const char *text);

/* Write the buffers that have a path. */
MUST_USE enum cli_exit spec_write(struct cli *c, const struct spec_list *l);

void spec_free(struct spec_list *l);

#endif /* WEFT_CLI_SPEC_H */
