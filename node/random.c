/*
 * node/random - getrandom, which gives up to 256 bytes whole.
 */
#include "node/random.h"

#include <sys/random.h>

enum err random_bytes(void *out, size_t n)
{
	return getrandom(out, n, 0) == (ssize_t)n ? ERR_OK : ERR_IO;
}
