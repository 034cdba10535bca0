/*
 * gpu/worker/priv/policy - the system calls that a worker may still make.
 */
#ifndef WEFT_GPU_WORKER_PRIV_POLICY_H
#define WEFT_GPU_WORKER_PRIV_POLICY_H

#include <stdbool.h>

#include "base/attr.h"
#include "base/err.h"

enum policy_files {
	POLICY_NO_FILES,   /* opening one kills */
	POLICY_DENY_FILES, /* opening one fails with EACCES */
	POLICY_READ_FILES, /* reading is Landlock's to decide */
};

/* Load the filter for all threads.  ERR_OK or ERR_UNSUPPORTED. */
MUST_USE enum err policy_load(int socket_fd, enum policy_files files);

#endif /* WEFT_GPU_WORKER_PRIV_POLICY_H */
