/*
 * gpu/worker/priv/job - what the jobs share: one request's memory, limits,
 * descriptors, and the way to its parent.
 */
#ifndef WEFT_GPU_WORKER_PRIV_JOB_H
#define WEFT_GPU_WORKER_PRIV_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "gpu/client/client.h"
#include "gpu/client/job.h"
#include "gpu/client/wire.h"
#include "gpu/exec/exec.h"
#include "gpu/ptx/module.h"

/* Memory of decoded requests, parsed modules and reports. */
#define WORKER_ARENA_BYTES (1ull << 30)

struct build_compiler;

struct worker {
	struct wire wire;
	struct arena *arena;
	struct job_limits limits;
	int fds[WIRE_FDS_MAX]; /* memfds, in order */
	size_t fd_count;
	size_t fds_taken;
	uint64_t memory_used_bytes;
	enum client_sandbox level;
	struct build_compiler *compiler;
	uint64_t progress_ms; /* of the last frame */
	struct buf words;     /* why it failed */
};

struct worker_job {
	uint32_t kind; /* enum wire_kind */
	/* Before the lock; NULL: nothing.  *ret_folders: readable ones. */
	enum err (*prepare)(struct worker *w, const char *const **ret_folders);
	enum err (*run)(struct worker *w, struct bytes request,
			struct buf *answer);
};

/* NULL for a kind that is not in the table. */
const struct worker_job *worker_job_find(uint32_t kind);

/* Note why, and give e back. */
MUST_USE enum err worker_fail(struct worker *w, enum err e, const char *fmt,
			      ...) PRINTF_LIKE(3, 4);

/* Tell the parent, at most ten times a second. */
void worker_progress(struct worker *w, uint64_t done, uint64_t total);

/*
 * Account for bytes of buffers, against the limit.
 * ERR_OK or ERR_LIMIT (words say so).
 */
MUST_USE enum err worker_take_memory(struct worker *w, uint64_t bytes);

/* bytes zeroes that count; ERR_OK, ERR_LIMIT, ERR_NO_MEMORY.  Never freed:
 * the process ends. */
MUST_USE enum err worker_zeroes(struct worker *w, uint64_t bytes,
				uint8_t **ret_p);

/* The next descriptor as memory of exactly bytes.
 * ERR_OK, ERR_MALFORMED (none left, wrong size), ERR_LIMIT, ERR_NO_MEMORY. */
MUST_USE enum err worker_next_memory(struct worker *w, uint64_t bytes,
				     bool private_copy, uint8_t **ret_p);

/* Steady microseconds. */
uint64_t worker_now_us(void);

/* Parse and load a text; words name the line. */
MUST_USE enum err worker_load(struct worker *w, struct bytes ptx,
			      uint32_t stack_bytes,
			      struct ptx_module **ret_tree,
			      struct exec_module **ret_module);
MUST_USE enum err worker_load_tree(struct worker *w,
				   const struct ptx_module *tree,
				   uint32_t stack_bytes,
				   struct exec_module **ret_module);
MUST_USE enum err worker_parse(struct worker *w, struct bytes ptx,
			       struct ptx_module **ret_tree);

/* lanes and threads of how into o.  ERR_OK, ERR_REFUSED, ERR_UNSUPPORTED. */
MUST_USE enum err worker_how(struct worker *w, const struct job_how *how,
			     struct exec_options *o);

/* What an execution came to, in the wire's words. */
MUST_USE enum err worker_run_report(struct worker *w,
				    const struct exec_result *r,
				    struct bytes kernel, struct job_run *ret);

/* The jobs; each is a row in jobs.c. */
enum err worker_compile_prepare(struct worker *w,
				const char *const **ret_folders);
enum err worker_compile(struct worker *w, struct bytes request,
			struct buf *answer);
enum err worker_manifest_prepare(struct worker *w,
				 const char *const **ret_folders);
enum err worker_manifest(struct worker *w, struct bytes request,
			 struct buf *answer);
enum err worker_check(struct worker *w, struct bytes request,
		      struct buf *answer);
enum err worker_lines(struct worker *w, struct bytes request,
		      struct buf *answer);
enum err worker_canon(struct worker *w, struct bytes request,
		      struct buf *answer);
enum err worker_build(struct worker *w, struct bytes request,
		      struct buf *answer);
enum err worker_task(struct worker *w, struct bytes request,
		     struct buf *answer);
enum err worker_open(struct worker *w, struct bytes request,
		     struct buf *answer);
enum err worker_referee(struct worker *w, struct bytes request,
			struct buf *answer);
enum err worker_ptx_run(struct worker *w, struct bytes request,
			struct buf *answer);

#endif /* WEFT_GPU_WORKER_PRIV_JOB_H */
