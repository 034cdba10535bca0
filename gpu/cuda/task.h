/*
 * gpu/cuda/task - a program's task on a card, step by step.
 *
 * The caller walks the steps (gpu/program/walk.h), looks at memory between
 * them as it likes, and takes the outputs at the end.
 */
#ifndef WEFT_GPU_CUDA_TASK_H
#define WEFT_GPU_CUDA_TASK_H

#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "gpu/cuda/card.h"
#include "gpu/program/program.h"
#include "gpu/program/walk.h"

struct arena;
struct program_task;

/* Private; ends with cuda_task_end whatever happened. */
struct cuda_task {
	struct cuda_card *card;
	struct arena *arena;
	const struct program *p;
	const struct program_task *task;
	uint64_t *objects;	      /* addresses, by object */
	struct cuda_module **modules; /* by part; NULL: not loaded yet */
};

/*
 * Memory for all objects, in its first state.
 *
 * arena, p, task   borrowed until cuda_task_end
 * inputs           by input buffer in order; padded to the buffer's size
 *
 * Returns ERR_OK, ERR_CUDA, ERR_LIMIT (more than the card's memory),
 * ERR_MALFORMED (inputs do not fit), ERR_NO_MEMORY.
 */
MUST_USE enum err cuda_task_begin(struct cuda_task *t, struct cuda_card *card,
				  struct arena *arena, const struct program *p,
				  const struct program_task *task,
				  const struct bytes *inputs,
				  uint32_t input_count,
				  struct cuda_diag *reterr_diag);

/* One executed step.  Returns as cuda_launch; ERR_OVERFLOW, ERR_REFUSED: an
 * argument does not fit for this task. */
MUST_USE enum err cuda_task_step(struct cuda_task *t,
				 const struct program_launch *step,
				 struct cuda_diag *reterr_diag);

/* Bytes [offset, offset + bytes) of an object, as they are now. */
MUST_USE enum err cuda_task_get(struct cuda_task *t, uint32_t object_index,
				uint64_t offset, uint64_t bytes, void *to,
				struct cuda_diag *reterr_diag);

/* Gives memory and modules back; the card stays open. */
void cuda_task_end(struct cuda_task *t);

#endif /* WEFT_GPU_CUDA_TASK_H */
