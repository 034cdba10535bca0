/*
 * gpu/ptx/priv/ssa - a function whose registers have one definition each.
 *
 * The copy has the same instructions; register operands and guards hold
 * names instead of indexes of a class.  Equal names hold equal values wherever
 * one of them is defined.  Name 0 is what was never written.
 */
#ifndef WEFT_GPU_PTX_PRIV_SSA_H
#define WEFT_GPU_PTX_PRIV_SSA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/err.h"
#include "gpu/ptx/module.h"
#include "gpu/ptx/priv/flow.h"

/* What comes together at the head of a block: argument k is what the block's
 * predecessor k leaves.  Of a result register (block PTX_NO_INDEX): what each
 * return leaves. */
struct ssa_phi {
	uint32_t name, block;
	uint32_t arg_first, arg_count;
};

/* A guarded instruction keeps the old value where its guard is false. */
struct ssa_merge {
	uint32_t instr, name, old;
};

struct ssa {
	struct ptx_function f;
	struct flow flow; /* of the copy; the owner sets flow.f */
	uint32_t name_count;
	uint32_t *def; /* [name] instruction, or PTX_NO_INDEX */
	uint8_t *cls;  /* [name] enum ptx_class */
	struct ssa_phi *phis;
	uint32_t phi_count;
	/* [block] its first in phis, those of results behind all. */
	uint32_t *phi_first;
	uint32_t *args;
	struct ssa_merge *merges; /* ascending by instruction */
	uint32_t merge_count;
};

/*
 * Cost: near linear, with limits on names and on the ways walked.
 * Returns ERR_OK, ERR_NO_MEMORY, ERR_LIMIT (too tangled).
 */
MUST_USE enum err ssa_make(struct arena *a, const struct ptx_function *f,
			   struct ssa *ret);

#endif /* WEFT_GPU_PTX_PRIV_SSA_H */
