/*
 * gpu/exec/priv/load_pack - pieces for load_move.c and load_convert.c.
 */
#ifndef WEFT_GPU_EXEC_PRIV_LOAD_PACK_H
#define WEFT_GPU_EXEC_PRIV_LOAD_PACK_H

#include "gpu/exec/priv/load.h"

/* Compare operands first and first + 1, halves or pairs (part 1: the upper
 * ones), into predicate d; false when refused. */
bool load_compare_half(struct loader *l, uint32_t type, uint32_t first,
		       uint32_t part, op_ref d);

/* cvt to and from eight-bit floats and tf32; false: it is another one. */
bool load_cvt_narrow(struct loader *l);

#endif /* WEFT_GPU_EXEC_PRIV_LOAD_PACK_H */
