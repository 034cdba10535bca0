/*
 * gpu/worker/priv/quoting - count a program's work by running some of it.
 */
#ifndef WEFT_GPU_WORKER_PRIV_QUOTING_H
#define WEFT_GPU_WORKER_PRIV_QUOTING_H

#include "gpu/build/files.h"
#include "gpu/build/manifest.h"
#include "gpu/build/quote.h"
#include "gpu/program/opening.h"
#include "gpu/worker/priv/machine.h"

/* What an audit of samples of a step has to be shown, and what they cost. */
struct shown {
	uint64_t bytes;	    /* of pieces */
	uint64_t all_bytes; /* of the whole opening, at most */
	uint64_t ranges;
	uint64_t cost;
	uint64_t written_bytes;
};

/* Of one program step, over all CTAs whose writes were looked at. */
struct silence {
	uint64_t ops;
	uint64_t silent_ops; /* of those that wrote nothing */
};

struct quoting {
	struct worker *w;
	const struct manifest *manifest;
	uint64_t seed;
	uint64_t budget_ops;
	struct exec_options o;
	bool any_class; /* quote what is not sold, too */
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
	struct silence *silence;	     /* one for each step */
};

/* Memory of one task.  ERR_OK or what machine_init returns. */
MUST_USE enum err quoting_begin(struct quoting *q, struct bytes encoding,
				struct bytes task,
				const struct job_input *inputs,
				uint32_t input_count);

/* Fill q->built but its result.  A CTA that does not end well is no error:
 * built.end tells, and built.header is empty. */
MUST_USE enum err quoting_make(struct quoting *q);

/* A, R, S: class B needs two legs, which are not there. */
bool quoting_is_sold(char class_name);

/* What an opening of a run that recorded reads and writes would show. */
struct shown quoting_shown(const struct quoting *q,
			   const struct program_launch *step,
			   const struct exec_result *r);
/* The larger of each number; written bytes add up. */
void quoting_shown_most(struct shown *most, const struct shown *s);

/*
 * Does the largest sample of a step fit a dispute?
 * Returns ERR_OK; ERR_REFUSED with built.end and *why filled; ERR_NO_MEMORY.
 */
MUST_USE enum err quoting_limit(struct quoting *q,
				const struct program_launch *step,
				const struct shown *s, struct quote_fault *why);

/* Not for sale: fills built.end and *why, gives ERR_REFUSED. */
MUST_USE enum err quoting_refuse(struct quoting *q,
				 const struct program_launch *step,
				 const char *reason, const char *text,
				 struct quote_fault *why);

/* Make a diagnosis the words, and give e back. */
MUST_USE enum err quoting_fail(struct worker *w, enum err e,
			       const struct build_diag *diag);

#endif /* WEFT_GPU_WORKER_PRIV_QUOTING_H */
