/*
 * gpu/client/job - what is asked of a worker, and what it answers.
 *
 * For each job a request and an answer, with encoders and decoders that both
 * ends link; the enclosing frames are gpu/client/wire.h's.  Records that
 * other folders own (units, programs, tasks, openings) travel as byte
 * strings.  Decoded structs borrow from the input, their arrays lie in the
 * arena.  Encoders append to a struct buf, where errors stick; decoders
 * return ERR_OK, ERR_MALFORMED, ERR_LIMIT or ERR_NO_MEMORY.
 *
 * Buffers travel as memfds (gpu/client/memory.h), in the order in which the
 * request lists them.
 */
#ifndef WEFT_GPU_CLIENT_JOB_H
#define WEFT_GPU_CLIENT_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/limits.h"
#include "gpu/program/sample.h"

struct arena;

/* A record of another folder inside a frame, in bytes. */
#define JOB_RECORD_BYTES_MAX   (96u << 20)
#define JOB_NAME_BYTES_MAX     4096u
#define JOB_FILES_MAX	       1024u
#define JOB_BUFFERS_MAX	       128u
#define JOB_SYMBOLS_MAX	       256u
#define JOB_RELOCS_MAX	       1024u
#define JOB_FINDINGS_MAX       256u
#define JOB_LINES_MAX	       1024u
#define JOB_SAMPLES_MAX	       16u
#define JOB_REASONS_BYTES_MAX  (64u << 10)
#define JOB_REPORT_KERNELS_MAX 256u
#define JOB_REPORT_REASONS_MAX 1024u

/*
 * Failures: what the worker could not do, as one error and words for a
 * person.  Only the errors of job.c's table travel; any other is sent as
 * ERR_IO.
 */
void job_failure_encode(struct buf *out, enum err e, struct bytes words);
MUST_USE enum err job_failure_decode(struct bytes in, enum err *ret_err,
				     struct bytes *ret_words);

/* The limits that client_start puts before every request. */
struct job_limits {
	uint64_t memory_bytes; /* 0: the worker's own default */
	uint64_t cpu_ms;
	uint64_t wall_ms;
	uint32_t threads;
	bool want_full;
	struct bytes request;
};
MUST_USE enum err job_limits_decode(struct bytes in,
				    struct job_limits *ret_limits);

/*
 * One record in, one out: WIRE_COMPILE takes a gpu/build unit and gives PTX,
 * WIRE_CANON takes and gives PTX, WIRE_REFEREE takes gpu/program's
 * judge_request and gives its judge_answer, a function of those bytes alone.
 */
void job_record_encode(struct buf *out, struct bytes record);
MUST_USE enum err job_record_decode(struct bytes in, struct bytes *ret_record);

/* How a run ended; gpu/exec's numbers. */
enum job_outcome {
	JOB_OK = 0,
	JOB_FAULT = 1,
	JOB_VOID = 2,
	JOB_OVER = 3,
	JOB_REFUSED = 4,
	JOB_INCOMPLETE = 5,
	JOB_CANCELLED = 6,
};
/* "ok", "fault", ...; "?" for a number not above. */
const char *job_outcome_word(uint32_t outcome);

/* Something that the sanitizer saw. */
struct job_finding {
	struct bytes kind; /* a word of gpu/exec's reasons */
	struct bytes text;
	uint64_t line;	      /* in the PTX text */
	uint64_t source_line; /* in the user's source; 0: unknown */
	uint64_t cta;
	uint64_t thread;
	uint64_t address; /* 0: none */
	uint64_t count;
	/* Of races and conflicts, the other access; lines 0: unknown. */
	uint64_t other_line;
	uint64_t other_source_line;
	uint64_t other_cta;
	uint64_t other_thread;	/* of races; or the first of its warp */
	uint64_t other_threads; /* 1, 32; 0: unknown */
	/* What the user knows of the lines; not on the wire. */
	struct bytes file, other_file;
	struct bytes source, other_source;
};

/* The end of a run of one launch or one task. */
struct job_run {
	uint32_t outcome;    /* enum job_outcome */
	struct bytes reason; /* a word; empty: none */
	struct bytes text;   /* for a person */
	struct bytes kernel;
	uint64_t step; /* number, from 1; 0: none */
	uint64_t line; /* 0: unknown */
	uint64_t source_line;
	uint64_t cta;
	uint64_t thread;
	uint64_t address; /* 0: none */
	uint64_t count;	  /* thread-instructions */
	uint64_t cost;
	uint64_t cta_count_most;
	uint64_t run_us;	    /* executing alone, without loading */
	uint32_t grid[3], block[3]; /* of the launch; 0: none */
	struct bytes file, source;  /* of the line; not on the wire */
	struct job_finding *findings;
	uint32_t finding_count;
};
void job_run_encode(struct buf *out, const struct job_run *r);
MUST_USE enum err job_run_decode(struct arena *a, struct bytes in,
				 struct job_run *ret_run);

/* How to run. */
struct job_how {
	struct bytes lanes; /* "auto", "avx512", "avx2", "plain" */
	uint32_t threads;   /* 0: all that the worker may use */
	bool sanitize;
};

/* WIRE_PTX_RUN: one launch of one kernel; the answer is a job_run.  Each
 * buffer is one memfd, changed in place. */
struct job_buffer {
	uint64_t bytes;
	bool writable;
};
struct job_reloc {
	uint32_t param_offset;
	uint32_t buffer;
};
struct job_symbol {
	struct bytes name;
	struct bytes data; /* its first bytes */
};
struct job_ptx_run {
	struct bytes ptx;
	struct bytes kernel;
	uint32_t grid[3];
	uint32_t block[3];
	uint32_t shared_bytes;
	bool one_cta; /* only number cta */
	uint64_t cta;
	uint32_t repeats; /* at least 1; the run's time is their sum */
	struct job_how how;
	/* One argument each, in order: the worker lays them out. */
	struct job_ptx_arg *args;
	uint32_t arg_count;
	struct job_buffer *buffers;
	uint32_t buffer_count;
	struct job_symbol *symbols;
	uint32_t symbol_count;
};
struct job_ptx_arg {
	bool is_buffer;
	uint32_t buffer;    /* index */
	struct bytes bytes; /* else: the value, little endian */
	struct bytes type;  /* "u32", "bytes", "null"; for messages */
};
void job_ptx_run_encode(struct buf *out, const struct job_ptx_run *r);
MUST_USE enum err job_ptx_run_decode(struct arena *a, struct bytes in,
				     struct job_ptx_run *ret_request);

/* WIRE_CHECK: PTX in, the classifier's report out. */
struct job_reason {
	uint64_t line;	      /* in the PTX text; 0: the kernel as a whole */
	uint64_t source_line; /* 0: unknown */
	struct bytes file;    /* of source_line */
	struct bytes opcode;
	struct bytes reason; /* a stable word */
	struct bytes text;   /* what it means, a sentence */
	struct bytes hint;   /* the rewrite that would help, or "" */
	uint64_t count;	     /* places */
};
struct job_use { /* of one parameter's buffer */
	uint32_t param;
	bool read;
	bool write;
};
struct job_opcode {
	struct bytes name;
	uint64_t count;
};
struct job_kernel {
	struct bytes name;
	struct bytes class_name; /* "A" ... "X" */
	/* "proved", "assumed"; "" where it is not sold. */
	struct bytes independence;
	struct job_reason *reasons;
	uint32_t reason_count;
	struct job_use *uses;
	uint32_t use_count;
	uint32_t sm;	  /* 75 for sm_75 */
	uint32_t version; /* of PTX, 63 for 6.3 */
	uint32_t shared_bytes;
	bool dynamic_shared; /* takes more, as the launch says */
	uint32_t threads;
	uint32_t local_bytes;
	bool needs_stack; /* recursion or indirect calls */
	uint64_t memory_bytes;
	struct job_opcode *opcodes;
	uint32_t opcode_count;
};
struct job_report {
	struct job_kernel *kernels;
	uint32_t kernel_count;
};
void job_report_encode(struct buf *out, const struct job_report *r);
MUST_USE enum err job_report_decode(struct arena *a, struct bytes in,
				    struct job_report *ret_report);

/*
 * WIRE_LINES: where instructions of a kernel's canonical text came from.  PTX
 * as it was compiled in, the user's lines out: a program carries none.
 */
struct job_lines {
	struct bytes ptx;
	struct bytes kernel;
	uint64_t *lines; /* in the canonical text */
	uint32_t line_count;
};
struct job_place {
	struct bytes file; /* empty: unknown */
	uint64_t line;	   /* 0: unknown */
};
struct job_places {
	bool found;		  /* the text has this kernel */
	struct job_place *places; /* one for each line */
	uint32_t place_count;
};
void job_lines_encode(struct buf *out, const struct job_lines *l);
MUST_USE enum err job_lines_decode(struct arena *a, struct bytes in,
				   struct job_lines *ret_request);
void job_places_encode(struct buf *out, const struct job_places *p);
MUST_USE enum err job_places_decode(struct arena *a, struct bytes in,
				    struct job_places *ret_answer);

/*
 * WIRE_BUILD: a manifest with its PTX in; program, header and quote out.
 * memfds: the padded inputs of the task whose state the quote uses.
 */
struct job_file {
	uint32_t kind; /* gpu/build's source kinds */
	struct bytes name;
	struct bytes bytes;
};
struct job_input { /* one memfd: an input buffer of a task, padded */
	uint32_t buffer;
	uint64_t bytes;
};
struct job_build {
	struct bytes manifest;
	struct bytes manifest_name; /* for messages */
	struct job_file *ptx;	    /* one per source; kind is 0 */
	uint32_t ptx_count;
	struct job_file *files; /* table and symbols */
	uint32_t file_count;
	bool want_quote;
	bool any_class;	   /* quote refused classes too */
	struct bytes task; /* record of the quoted task; the
			    * program id in it is not looked at */
	struct job_input *inputs;
	uint32_t input_count;
	uint64_t seed;
	uint64_t budget_ops; /* 0: the default */
	struct job_how how;
};
struct job_built {
	struct bytes result; /* gpu/build's build_result */
	struct bytes header; /* gpu/program's; empty without a quote */
	uint64_t ops_per_task;
	uint64_t limit_ops;
	uint64_t cta_ops;
	uint64_t cta_cost;
	uint64_t cta_open;
	uint64_t sampled_ops;
	bool is_estimate;
	struct job_run end; /* of the sampled CTAs: outcome, findings */
};
void job_build_encode(struct buf *out, const struct job_build *b);
MUST_USE enum err job_build_decode(struct arena *a, struct bytes in,
				   struct job_build *ret_request);
void job_built_encode(struct buf *out, const struct job_built *b);
MUST_USE enum err job_built_decode(struct arena *a, struct bytes in,
				   struct job_built *ret_answer);

/*
 * WIRE_MANIFEST: a manifest alone, as it comes over RPC: compiled if it holds
 * CUDA C, built, its tasks encoded, quoted.  No memfds: files that it names
 * come as bytes.
 */
struct job_manifest {
	struct bytes manifest;
	struct job_file *files; /* blobs by root; by path where allowed */
	uint32_t file_count;
	bool want_quote;
	uint64_t seed;
	uint64_t budget_ops; /* 0: the default */
};
struct job_planned {
	struct job_built built;
	struct bytes program; /* encoded; also inside built.result */
	struct bytes *tasks;  /* encoded, in order */
	uint32_t task_count;
	struct bytes class_name; /* "A" ... "X" */
	struct bytes reasons;	 /* of classes below A; for a person */
	uint32_t confidence;	 /* gpu/build's number */
	uint32_t samples;	 /* 0: the network's default */
	uint64_t seconds;	 /* 0: no limit given */
};
void job_manifest_encode(struct buf *out, const struct job_manifest *m);
MUST_USE enum err job_manifest_decode(struct arena *a, struct bytes in,
				      struct job_manifest *ret_request);
void job_planned_encode(struct buf *out, const struct job_planned *p);
MUST_USE enum err job_planned_decode(struct arena *a, struct bytes in,
				     struct job_planned *ret_answer);

/*
 * WIRE_TASK: run one task.  memfds: inputs, then one for each output buffer
 * of exactly its size, written on JOB_OK only.
 */
struct job_task {
	struct bytes program; /* encoded */
	struct bytes task;    /* encoded; input roots are taken as given */
	struct job_input *inputs;
	uint32_t input_count;
	uint32_t *outputs; /* buffer indexes */
	uint32_t output_count;
	bool want_roots;    /* hash memory after every step */
	uint64_t limit_ops; /* 0: none */
	uint64_t cta_ops;   /* 0: none */
	struct job_how how;
	struct job_open *open; /* WIRE_OPEN: what to show; else NULL */
};

/* What an opening proves its place with; gpu/program/opening.h. */
struct job_open {
	struct program_sample *samples;
	uint32_t sample_count;
	struct hash seed;	    /* picks a chunk's byte */
	struct bytes task_leaves;   /* of tasks_root, 32 each */
	struct bytes result_leaves; /* of the done ones, 32 each */
	uint64_t result_position;
	struct bytes result;	   /* encoded */
	struct bytes memory_roots; /* S_0 ... S_n, 32 each */
};
struct job_task_done {
	struct job_run run;
	uint64_t steps;		   /* executed */
	struct bytes memory_roots; /* 32 * (steps + 1) bytes, or empty */
	struct bytes object_roots; /* of the last state, 32 each */
	uint64_t hash_us;	   /* spent on roots */
	struct bytes *openings;	   /* WIRE_OPEN: one per sample */
	uint32_t opening_count;
};
void job_task_encode(struct buf *out, const struct job_task *t);
MUST_USE enum err job_task_decode(struct arena *a, struct bytes in,
				  struct job_task *ret_request);
void job_task_done_encode(struct buf *out, const struct job_task_done *d);
MUST_USE enum err job_task_done_decode(struct arena *a, struct bytes in,
				       struct job_task_done *ret_answer);

#endif /* WEFT_GPU_CLIENT_JOB_H */
