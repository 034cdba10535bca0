/*
 * gpu/exec/priv/prepare - from a caller's launch to one that machines share.
 */
#ifndef WEFT_GPU_EXEC_PRIV_PREPARE_H
#define WEFT_GPU_EXEC_PRIV_PREPARE_H

#include "gpu/exec/priv/machine.h"

/*
 * ret_reason is none when l is ready, else why the launch is refused.
 * launch_free() either way.  Returns ERR_OK or ERR_NO_MEMORY.
 */
MUST_USE enum err launch_prepare(const struct exec_module *m,
				 const struct exec_launch *in,
				 const struct exec_options *options,
				 const struct lane_set *lanes, struct launch *l,
				 enum exec_reason *ret_reason);
void launch_free(struct launch *l);

#endif /* WEFT_GPU_EXEC_PRIV_PREPARE_H */
