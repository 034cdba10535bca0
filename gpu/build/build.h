/*
 * gpu/build/build - from a manifest and its PTX to a program and its tasks.
 *
 * build_program parses strangers' PTX, so it runs in weft-worker; its result
 * travels as one record (build_result_encode) to whoever asked.  The tasks'
 * inputs are the buyer's own files and are opened where they lie.
 */
#ifndef WEFT_GPU_BUILD_BUILD_H
#define WEFT_GPU_BUILD_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "gpu/build/compile.h"
#include "gpu/build/files.h"
#include "gpu/program/task.h"

struct arena;
struct manifest;
struct build_held;

/* Memory that build_program takes while it works, beside the result's. */
#define BUILD_SCRATCH_BYTES (1ull << 30)

/* Reasons kept per launch; more are counted only. */
#define BUILD_REASONS_MAX 64u

/* One reason why a launch is not class A; strings are a record's own. */
struct build_reason {
	struct bytes kernel; /* source name */
	struct bytes file;   /* the user's, or empty */
	uint32_t line;	     /* in file, or in the PTX when file is empty */
	struct bytes opcode;
	struct bytes reason; /* a stable word */
	struct bytes hint;   /* the rewrite that would help */
};

/* One launch as written in the manifest, in order. */
struct build_launch {
	struct bytes kernel; /* as the manifest names it */
	struct bytes entry;  /* the PTX name */
	uint32_t part;	     /* index in the program's parts */
	char class_name;     /* 'A', 'B', 'R', 'S', 'C', 'D', 'X' */
	bool is_proved;	     /* independence: proved, else assumed */
	uint32_t first_reason;
	uint32_t reason_count;
};

/* What a device must have, computed from all parts. */
struct build_needs {
	uint32_t sm;
	uint32_t shared_bytes; /* a CTA's, dynamic included */
	uint32_t threads;      /* of the largest CTA */
	uint32_t local_bytes;  /* a thread's */
	uint64_t memory_bytes; /* all buffers and written variables */
};

struct build_result {
	struct bytes encoding; /* gpu/program's canonical form */
	struct hash id;	       /* program_id */
	char class_name;       /* the worst launch's */
	bool is_proved;
	struct build_needs needs;
	const struct build_launch *launches;
	uint32_t launch_count;
	const struct build_reason *reasons;
	uint32_t reason_count;
};

/*
 * Make the program.
 *
 * a         in/out  holds the result; borrowed
 * m                 as manifest_read gave it
 * ptx               one text per source of m, in order (for ptx manifests
 *                   the files' bytes)
 * files             opens symbols' bytes; borrowed for the call
 *
 * A launch of class C, D or X is not an error here: the result says so, and
 * the caller refuses (exit code 3) or runs it locally on demand.
 * Returns ERR_OK; ERR_MANIFEST (kernel, argument, symbol or size is wrong:
 * manifest's file and line in reterr_diag); ERR_PTX_SYNTAX, ERR_PTX_UNKNOWN
 * (the PTX's name and line); ERR_LIMIT; ERR_IO; ERR_NO_MEMORY.
 */
MUST_USE enum err build_program(struct arena *a, const struct manifest *m,
				const struct build_text *ptx,
				uint32_t ptx_count,
				const struct build_files *files,
				struct build_result *ret_result,
				struct build_diag *reterr_diag);

/* One record for the wire; decode borrows from in, arrays lie in a. */
void build_result_encode(struct buf *out, const struct build_result *r);
MUST_USE enum err build_result_decode(struct arena *a, struct bytes in,
				      struct build_result *ret_result);

/* One task of a manifest with its inputs at hand. */
struct build_task {
	struct program_task task;
	/* padded bytes of each input, in the order of task.inputs; valid
	 * until build_task_close */
	const struct bytes *inputs;
	const uint32_t *input_buffers; /* their buffers */
	struct build_held *held;
};

/*
 * Open the inputs of task index: files read, pictures decoded, sizes checked,
 * padding added, roots computed, columns taken from its row.  program_id may
 * be NULL while it is not known (then it is zero).
 * Returns ERR_OK, ERR_MANIFEST (missing, wrong size, not a PNG; position of
 * the `from`), ERR_IO, ERR_NO_MEMORY.  Cost: O(bytes of its inputs).
 */
MUST_USE enum err build_task_open(struct arena *a, const struct manifest *m,
				  const struct build_files *files,
				  const struct hash *program_id, uint64_t index,
				  struct build_task *ret_task,
				  struct build_diag *reterr_diag);
void build_task_close(const struct build_files *files, struct build_task *t);

/* Gets each task's encoding (gpu/program/task.h), in order. */
typedef enum err (*build_task_sink)(void *ctx, uint64_t index,
				    struct bytes encoded);

/*
 * tasks_root over all tasks.  Inputs that do not depend on the task are read
 * once.  sink may be NULL; what it returns but ERR_OK ends the walk.
 * Returns as build_task_open.
 */
MUST_USE enum err build_tasks_root(struct arena *a, const struct manifest *m,
				   const struct build_files *files,
				   const struct hash *program_id,
				   struct hash *ret_root,
				   struct build_diag *reterr_diag,
				   build_task_sink sink, void *ctx);

#endif /* WEFT_GPU_BUILD_BUILD_H */
