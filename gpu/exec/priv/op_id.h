/*
 * gpu/exec/priv/op_id - the numbers of the operations in ops.def.
 */
#ifndef WEFT_GPU_EXEC_PRIV_OP_ID_H
#define WEFT_GPU_EXEC_PRIV_OP_ID_H

enum op_id {
#define LANE_OP(id, mn, t0, t1, need, allow, args, fn, cost, doc) OP_##id,
#define STEP_OP(id, mn, t0, t1, need, allow, args, fn, cost, doc) OP_##id,
#include "gpu/exec/ops.def"
	OP_COUNT
};

#endif /* WEFT_GPU_EXEC_PRIV_OP_ID_H */
