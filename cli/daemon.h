/*
 * cli/daemon - weftd processes that commands start and stop.
 */
#ifndef WEFT_CLI_DAEMON_H
#define WEFT_CLI_DAEMON_H

#include <sys/types.h>

#include "cli/cli.h"

/* weftd beside this program; in the arena. */
const char *daemon_path(struct cli *c);

/*
 * Start weftd for a data folder, detached, its output appended to DIR/log.
 * flags end with NULL.  CLI_DONE or CLI_FAILED, said.
 */
MUST_USE enum cli_exit daemon_start(struct cli *c, const char *dir,
				    const char *const *flags, pid_t *ret_pid);

/* Wait until DIR/endpoint is there.  CLI_DONE; CLI_FAILED with the end of
 * the log if the process ended or time_ms passed. */
MUST_USE enum cli_exit daemon_ready(struct cli *c, const char *dir, pid_t pid,
				    unsigned time_ms);

/* Run weftd --init for a folder: makes its keys; one JSON object. */
MUST_USE enum cli_exit daemon_init(struct cli *c, const char *dir,
				   const char *const *flags, char *out,
				   size_t size);

/* Run weftd --fsck for a folder whose node is stopped; its words go to
 * standard output.  CLI_DONE, or CLI_FAILED if it found something. */
MUST_USE enum cli_exit daemon_fsck(struct cli *c, const char *dir);

/* End the node of a folder and wait for it. */
MUST_USE enum cli_exit daemon_stop(struct cli *c, const char *dir);

#endif /* WEFT_CLI_DAEMON_H */
