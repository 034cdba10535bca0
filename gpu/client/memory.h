/*
 * gpu/client/memory - buffers shared with a worker.
 *
 * A memory is a memfd whose size is sealed, so that a lying worker can
 * change bytes but never make the parent's mapping fault.
 */
#ifndef WEFT_GPU_CLIENT_MEMORY_H
#define WEFT_GPU_CLIENT_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"

struct memory {
	int fd;	    /* -1: none */
	uint8_t *p; /* mapped, shared; NULL when bytes is 0 */
	uint64_t bytes;
};

#define MEMORY_NONE ((struct memory){-1, NULL, 0})

/* bytes zeroes, mapped and sealed against resizing.
 * Returns ERR_OK, ERR_IO, ERR_NO_MEMORY. */
MUST_USE enum err memory_new(const char *name, uint64_t bytes,
			     struct memory *ret_memory);

/*
 * Map a received descriptor.  It must be a memfd sealed against shrinking
 * and growing (ERR_REFUSED otherwise), of exactly bytes.  private_copy: own
 * changes stay own.  The descriptor is taken over on ERR_OK only.
 * Returns ERR_OK, ERR_REFUSED, ERR_NO_MEMORY.
 */
MUST_USE enum err memory_map(int fd, uint64_t bytes, int private_copy,
			     struct memory *ret_memory);

/* Forbid all further writing (also through other descriptors): for inputs
 * that many workers read.  The mapping becomes read-only.
 * Returns ERR_OK, ERR_IO. */
MUST_USE enum err memory_freeze(struct memory *m);

/* Unmaps and closes; MEMORY_NONE is fine. */
void memory_free(struct memory *m);

#endif /* WEFT_GPU_CLIENT_MEMORY_H */
