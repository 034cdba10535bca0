/*
 * gpu/exec/priv/lanes_all - one set of lane functions and its table.
 *
 * Included once by each lanes_*.c, which names the set (LANE_SET, LANE_NAME)
 * and its vectors' size (LANE_BYTES).
 */
#ifndef WEFT_GPU_EXEC_PRIV_LANES_ALL_H
#define WEFT_GPU_EXEC_PRIV_LANES_ALL_H

#include "gpu/exec/priv/lanes_bits.h"
#include "gpu/exec/priv/lanes_chain.h"
#include "gpu/exec/priv/lanes_compare.h"
#include "gpu/exec/priv/lanes_convert.h"
#include "gpu/exec/priv/lanes_count.h"
#include "gpu/exec/priv/lanes_float.h"
#include "gpu/exec/priv/lanes_half.h"
#include "gpu/exec/priv/lanes_int.h"
#include "gpu/exec/priv/lanes_memory.h"
#include "gpu/exec/priv/lanes_pack.h"
#include "gpu/exec/priv/lanes_rows.h"
#include "gpu/exec/priv/lanes_sign.h"
#include "gpu/exec/priv/lanes_video.h"
#include "gpu/exec/priv/op_id.h"

static lane_fn *const lane_table[OP_COUNT] = {
#define LANE_OP(id, mn, t0, t1, need, allow, args, fn, cost, doc) \
	[OP_##id] = lane_##fn,
#include "gpu/exec/ops.def"
};

const struct lane_set LANE_SET = {
	.name = LANE_NAME,
	.span = lane_span_set,
	.patterns = lane_patterns,
	.rows = lane_rows,
	.load_unit = {load_unit1, load_unit2, load_unit4, load_unit8},
	.load_same = {load_same1, load_same2, load_same4, load_same8},
	.store_unit = {store_unit1, store_unit2, store_unit4, store_unit8},
	.gather = lane_gather,
	.scatter = lane_scatter,
	.mask_and = lane_mask_and,
	.lowest = lane_lowest,
	.equal = lane_equal,
	.extent = lane_extent,
	.fill = lane_fill,
	.rounds = lane_rounds,
	.links = &lane_links,
	.ops = lane_table,
};

#endif /* WEFT_GPU_EXEC_PRIV_LANES_ALL_H */
