/*
 * gpu/ptx/priv/reach - what a set of kernels uses.
 */
#ifndef WEFT_GPU_PTX_PRIV_REACH_H
#define WEFT_GPU_PTX_PRIV_REACH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/err.h"
#include "gpu/ptx/module.h"

struct reach {
	bool *functions; /* by index; those whose code may run */
	bool *variables;
	/* Functions whose address is taken: what an indirect call reaches. */
	bool *addressed;
};

/*
 * Marks the kernels (indexes) and all that they reach through calls, taken
 * addresses and initialisers.
 *
 * Cost: linear in what is reached.  Returns ERR_OK or ERR_NO_MEMORY.
 */
MUST_USE enum err reach_find(struct arena *a, const struct ptx_module *m,
			     const uint32_t *kernels, uint32_t kernel_count,
			     struct reach *ret);

#endif /* WEFT_GPU_PTX_PRIV_REACH_H */
