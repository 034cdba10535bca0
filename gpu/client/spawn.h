/*
 * gpu/client/spawn - start the worker's process.
 */
#ifndef WEFT_GPU_CLIENT_SPAWN_H
#define WEFT_GPU_CLIENT_SPAWN_H

#include <sys/types.h>

#include "base/attr.h"
#include "base/err.h"

/* The worker's end of the socket pair. */
#define SPAWN_SOCKET_FD 3

/*
 * Start worker_path (NULL: $WEFT_WORKER, else "weft-worker" beside the
 * running program) with exactly four descriptors: /dev/null twice, stderr_fd
 * as standard error, and the socket.  The environment is a short list.
 *
 * ret_fd   our end, non-blocking, close-on-exec, owned by the caller
 * ret_pid  the child; the caller reaps it
 *
 * Returns ERR_OK, ERR_IO.
 */
MUST_USE enum err client_spawn(const char *worker_path, int stderr_fd,
			       int *ret_fd, pid_t *ret_pid);

#endif /* WEFT_GPU_CLIENT_SPAWN_H */
