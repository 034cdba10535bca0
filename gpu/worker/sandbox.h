/*
 * gpu/worker/sandbox - what a worker can no longer do once a stranger's code
 * is near.
 *
 * No file, no network, no other process, no new program, no executable
 * memory; bounded processor time, address space and wall time.  A compiler
 * may also read the toolkit's header folders.  Whoever tries anything else
 * dies by SIGSYS.  The list of system calls is gpu/worker/policy.c.
 *
 * Two levels (gpu/client/client.h): "full" has namespaces and Landlock on
 * top of the filter; "reduced" is what a kernel without them allows.
 */
#ifndef WEFT_GPU_WORKER_SANDBOX_H
#define WEFT_GPU_WORKER_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "gpu/client/client.h"

struct sandbox_limits {
	uint64_t memory_bytes; /* the backstop is at least 4 GiB above */
	uint64_t cpu_ms;       /* of all threads; 0: none */
	uint64_t wall_ms;      /* own alarm; 0: none */
};

/*
 * First step, while there is one thread: die with the parent, no new
 * privileges, no core file, no capabilities, own namespaces where the system
 * lets us, resource limits.
 * ret_isolated: the namespaces are ours.
 * Returns ERR_OK, ERR_IO (the system refuses the least of it).
 */
MUST_USE enum err sandbox_begin(const struct sandbox_limits *limits,
				bool *ret_isolated);

/*
 * The open descriptors must be exactly 0, 1, 2, socket_fd and fds.
 * Returns ERR_OK, ERR_REFUSED (one more or one less), ERR_IO.
 */
MUST_USE enum err sandbox_check_fds(int socket_fd, const int *fds,
				    size_t fd_count);

/*
 * Last step: Landlock and the filter.  There is no way back.
 * socket_fd        the only descriptor that can still be written to
 *                  (besides standard error)
 * read_folders     NULL-terminated; NULL: no file can be opened.  Only with
 *                  Landlock; without it opening answers EACCES.
 * Returns the level reached, CLIENT_SANDBOX_NONE if the filter failed.
 */
enum client_sandbox sandbox_lock(int socket_fd, const char *const *read_folders,
				 bool isolated);

#endif /* WEFT_GPU_WORKER_SANDBOX_H */
