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

/* Changes memory as one with reading it; of 16 bytes by lists: op.d, op.b and,
 * of an exchange that compares, op.c, low half first. */
static inline bool op_is_atomic(const struct op *o)
{
	return o->id == OP_atom || o->id == OP_red || o->id == OP_atom_wide;
}

static inline uint32_t op_list_writes(const struct op *o)
{
	return o->id == OP_ld || o->id == OP_ld_static ||
			       o->id == OP_atom_wide || op_is_matrix(o)
		       ? o->vec
		       : 0;
}

static inline uint32_t op_list_reads(const struct op *o)
{
	if (o->id == OP_atom_wide)
		return o->what == ATOM_CAS ? 4 : 2;
	return o->id == OP_st ? o->vec : op_is_matrix(o) ? o->target : 0;
}

#endif /* WEFT_GPU_EXEC_PRIV_OP_LIST_H */
