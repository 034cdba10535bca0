/*
 * gpu/worker/priv/quoting - count a program's work by running some of it.
 */
#ifndef WEFT_GPU_WORKER_PRIV_QUOTING_H
#define WEFT_GPU_WORKER_PRIV_QUOTING_H

#include "gpu/build/files.h"
#include "gpu/build/manifest.h"
#include "gpu/worker/priv/machine.h"

struct quoting {
	struct worker *w;
	const struct manifest *manifest;
	uint64_t seed;
	uint64_t budget_ops;
	struct exec_options o;
	/* Put the inputs of task index into m, and its record into task; NULL:
	 * only one task's inputs are here. */
	enum err (*open_task)(struct quoting *q, uint64_t index);
	void *ctx;
	struct job_built built; /* numbers and end are filled */
	/* private */
	struct program p;
	struct program_task task;
	struct machine *m;
	uint8_t *saved[PROGRAM_OBJECTS_MAX]; /* before sampling */
};

/* Memory of one task.  ERR_OK or what machine_init returns. */
MUST_USE enum err quoting_begin(struct quoting *q, struct bytes encoding,
				struct bytes task,
				const struct job_input *inputs,
				uint32_t input_count);

/* Fill q->built but its result.  A CTA that does not end well is no error:
 * built.end tells, and built.header is empty. */
MUST_USE enum err quoting_make(struct quoting *q);

/* A, B, R, S. */
bool quoting_is_sold(char class_name);

/* Make a diagnosis the words, and give e back. */
MUST_USE enum err quoting_fail(struct worker *w, enum err e,
			       const struct build_diag *diag);

#endif /* WEFT_GPU_WORKER_PRIV_QUOTING_H */
