/*
 * gpu/worker/priv/sold - is a launch of the class that it is sold as?
 */
#ifndef WEFT_GPU_WORKER_PRIV_SOLD_H
#define WEFT_GPU_WORKER_PRIV_SOLD_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/err.h"
#include "gpu/program/program.h"
#include "gpu/program/walk.h"
#include "gpu/ptx/classify.h"

/*
 * Classifies one launch of a part, whose text is tree.  *ret_worse: it is of
 * a worse class than the part says (by which the sample's kind was chosen),
 * or not proved independent as it says (by which its provider may show a
 * conflict).  Cost: of ptx_classify().
 * Returns ERR_OK, ERR_NO_MEMORY.
 */
MUST_USE enum err sold_classify(struct arena *a, const struct ptx_module *tree,
				const struct program_part *part,
				const struct program_launch *step,
				const struct program_params *params,
				bool *ret_worse, struct ptx_report *ret_report);

/* Is the launch of a worse class than this? */
bool sold_is_worse(const struct ptx_report *report, enum program_class class);

#endif /* WEFT_GPU_WORKER_PRIV_SOLD_H */
