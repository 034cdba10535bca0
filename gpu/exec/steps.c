/*
 * The table of step functions, from ops.def.
 */
#include "gpu/exec/priv/steps.h"

step_fn *const exec_steps[OP_COUNT] = {
#define STEP_OP(id, mn, t0, t1, need, allow, args, fn, cost, doc) \
	[OP_##id] = step_##fn,
#include "gpu/exec/ops.def"
};
