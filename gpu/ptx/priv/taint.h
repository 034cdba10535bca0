/*
 * gpu/ptx/priv/taint - which results derive from addresses, for the witness.
 *
 * By register and without regard to order, as doc/formats/gpu-exec.md says.
 */
#ifndef WEFT_GPU_PTX_PRIV_TAINT_H
#define WEFT_GPU_PTX_PRIV_TAINT_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/err.h"
#include "gpu/ptx/module.h"

/*
 * ret[i]: a witness may look at the result of instruction i; ret has room for
 * all of f's.  a is scratch.  Returns ERR_OK or ERR_NO_MEMORY.
 */
MUST_USE enum err taint_allow(struct arena *a, const struct ptx_function *f,
			      bool *ret);

#endif /* WEFT_GPU_PTX_PRIV_TAINT_H */
