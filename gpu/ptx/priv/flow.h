/*
 * gpu/ptx/priv/flow - the basic blocks of a function, and what dominates them.
 *
 * A block ends behind every instruction that may go elsewhere, guarded ones
 * too.  Blocks that nothing reaches have no predecessors here and are in no
 * order.
 */
#ifndef WEFT_GPU_PTX_PRIV_FLOW_H
#define WEFT_GPU_PTX_PRIV_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/err.h"
#include "gpu/ptx/module.h"

/* More edges of one function are ERR_LIMIT. */
#define FLOW_EDGES_MAX (1u << 20)

struct flow_block {
	uint32_t first, end; /* instructions */
	uint32_t pred_first, pred_count;
	/* Its number in reverse postorder; PTX_NO_INDEX: unreachable. */
	uint32_t rank;
	uint32_t idom; /* block; its own number: the entry */
};

struct flow {
	const struct ptx_function *f;
	struct flow_block *blocks;
	uint32_t block_count;
	uint32_t *block_of; /* [instruction] */
	uint32_t *preds;
	uint32_t *order; /* reachable blocks in reverse postorder */
	uint32_t order_count;
	/* Without them: the function is too tangled, nothing dominates. */
	bool has_dominators;
};

/*
 * Cost: linear in instructions and edges; dominators near linear, or left
 * out.  Returns ERR_OK, ERR_NO_MEMORY, ERR_LIMIT.
 */
MUST_USE enum err flow_make(struct arena *a, const struct ptx_function *f,
			    struct flow *ret);

/* The jump targets of an instruction; perhaps instr_count: the end. */
const uint32_t *flow_jumps(const struct ptx_function *f, uint32_t instr,
			   uint32_t *ret_count);
/* Whether the next instruction may follow. */
bool flow_falls_through(const struct ptx_function *f, uint32_t instr);

/*
 * Whether the block's last instruction chooses between two different ways by
 * a guard: then the way to block `to` is taken when the guard register holds
 * *ret_truth.
 */
bool flow_edge_guard(const struct flow *w, uint32_t from, uint32_t to,
		     uint32_t *ret_guard, bool *ret_truth);

#endif /* WEFT_GPU_PTX_PRIV_FLOW_H */
