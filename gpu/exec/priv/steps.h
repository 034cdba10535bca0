/*
 * gpu/exec/priv/steps - the functions of STEP_OP rows, by family.
 *
 * Each gets the strip, its op, the mask of the lanes that execute it (NULL:
 * all of the strip) and how many they are, at least one; s->pc is the op's.
 */
#ifndef WEFT_GPU_EXEC_PRIV_STEPS_H
#define WEFT_GPU_EXEC_PRIV_STEPS_H

#include "gpu/exec/priv/machine.h"

step_fn step_ld, step_ld_static, step_st, step_atom, step_atom_wide;
step_fn step_isspacep, step_nop;
step_fn step_bra, step_brx, step_call, step_call_end, step_ret, step_exit;
step_fn step_call_to, step_call_back, step_stack_address, step_param_copy;
step_fn step_alloca, step_stacksave, step_stackrestore;
step_fn step_trap;
step_fn step_bar_sync, step_bar_arrive, step_bar_red, step_bar_warp;
step_fn step_mma, step_spread, step_collect;
step_fn step_shfl, step_vote, step_match, step_redux, step_activemask;

/*
 * Before a warp operation: STEP_NEXT when the lanes that the masks in
 * member_ref name are all here; otherwise what the loop must do instead.
 */
enum step warp_gather(struct machine *mc, struct strip *s, const uint32_t *mask,
		      op_ref member_ref);

/* The same with all living lanes of each warp that comes. */
enum step warp_gather_living(struct machine *mc, struct strip *s,
			     const uint32_t *mask);

#endif /* WEFT_GPU_EXEC_PRIV_STEPS_H */
