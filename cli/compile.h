/*
 * cli/compile - CUDA C to PTX for the commands: cache, worker, committed
 * text.
 */
#ifndef WEFT_CLI_COMPILE_H
#define WEFT_CLI_COMPILE_H

#include "cli/cli.h"
#include "gpu/build/compile.h"
#include "gpu/build/files.h"

struct manifest;

/*
 * PTX of one unit: from the cache, else from NVRTC in a worker, else - when
 * NVRTC is not installed - the committed text beside the source.  In the
 * arena.  CLI_DONE, or the code of the failure, said.
 */
MUST_USE enum cli_exit compile_unit(struct cli *c,
				    const struct build_files *files,
				    const struct build_unit *unit,
				    struct bytes *ret_ptx);

/* One text per source of m: compiled, or read if m's sources are PTX. */
MUST_USE enum cli_exit compile_manifest(struct cli *c, const struct manifest *m,
					const struct build_files *files,
					struct build_text **ret_ptx,
					uint32_t *ret_count);

/* The folder of path, opened, and its last part; path is not changed. */
MUST_USE enum cli_exit compile_folder(struct cli *c, const char *path,
				      int *ret_fd, const char **ret_name);

/* A diagnosis with its place, said. */
MUST_USE enum cli_exit compile_fail(struct cli *c, enum err e,
				    const struct build_diag *diag);

#endif /* WEFT_CLI_COMPILE_H */
