/*
 * node/random - the only place of the node that asks for randomness.
 */
#ifndef WEFT_NODE_RANDOM_H
#define WEFT_NODE_RANDOM_H

#include <stddef.h>

#include "base/attr.h"
#include "base/err.h"

/* n <= 256 bytes from the kernel.  ERR_OK, ERR_IO. */
MUST_USE enum err random_bytes(void *out, size_t n);

#endif /* WEFT_NODE_RANDOM_H */
