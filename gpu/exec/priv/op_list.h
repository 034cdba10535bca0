/*
 * gpu/exec/priv/op_list - operands of an op beyond its own places.
 *
 * They stand in the module's lists from op.list on: first the registers that
 * are written, then those that are read.
 */
#ifndef WEFT_GPU_EXEC_PRIV_OP_LIST_H
#define WEFT_GPU_EXEC_PRIV_OP_LIST_H

#include "gpu/exec/priv/op.h"

/* op.what and flags of mma. */
enum mma_kind { MMA_BYTES, MMA_NIBBLES, MMA_XOR, MMA_AND };
#define MMA_A_SIGNED 1u
#define MMA_B_SIGNED 2u

/* Works on the registers of whole warps, by lists. */
static inline bool op_is_matrix(const struct op *o)
{
	return o->id == OP_mma || o->id == OP_spread || o->id == OP_collect;
}

static inline uint32_t op_list_writes(const struct op *o)
{
	return o->id == OP_ld || o->id == OP_ld_static || op_is_matrix(o)
		       ? o->vec
		       : 0;
}

static inline uint32_t op_list_reads(const struct op *o)
{
	return o->id == OP_st ? o->vec : op_is_matrix(o) ? o->target : 0;
}

#endif /* WEFT_GPU_EXEC_PRIV_OP_LIST_H */
