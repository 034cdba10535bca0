/*
 * gpu/exec - run PTX on the CPU, with one defined result: the referee.
 *
 * Load a parsed module once, then run launches of its kernels over buffers
 * that the caller owns.  The bytes depend on the launch alone: not on the
 * number of threads, the width of the vectors or the order of the CTAs, as
 * long as the launch is of class A.  What cannot be executed exactly is
 * refused by name and line when loading, never ignored.
 *
 * Addresses are virtual: buffer i starts at (i + 1) << 40, every variable in
 * shared and local memory has gaps around it, so that overruns fault.
 *
 * Start at exec_module_load() and exec_run().
 */
#ifndef WEFT_GPU_EXEC_EXEC_H
#define WEFT_GPU_EXEC_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"

struct arena;
struct ptx_module;
struct exec_module;

/* Most buffers of one launch, module variables included. */
#define EXEC_BUFFERS_MAX 4096u

/* Most threads that share one launch. */
#define EXEC_THREADS_MAX 256u

/* Most findings that are kept; the rest is only counted. */
#define EXEC_FINDINGS_MAX 256u

/* Most ranges that the finder looks for at once. */
#define EXEC_RANGES_MAX 16u

/* No warp selected: the whole CTA. */
#define EXEC_WARP_ALL UINT32_MAX

/* The address of buffer i. */
#define EXEC_BUFFER_BASE(i) (((uint64_t)(i) + 1) << 40)

/* Which vectors compute; all give the same bits. */
enum exec_lanes {
	EXEC_LANES_AUTO = 0, /* the widest this CPU has */
	EXEC_LANES_PLAIN = 1,
	EXEC_LANES_AVX2 = 2,
	EXEC_LANES_AVX512 = 3,
};

/* How a run ended.  Numbers travel in worker frames: append only. */
enum exec_outcome {
	EXEC_OK = 0,
	EXEC_FAULT = 1,	     /* reason says which */
	EXEC_VOID = 2,	     /* the kernel has no defined result */
	EXEC_OVER = 3,	     /* a count or cost limit was passed */
	EXEC_REFUSED = 4,    /* the launch does not fit the kernel */
	EXEC_INCOMPLETE = 5, /* touches bytes of a buffer that no piece opens */
	EXEC_CANCELLED = 6,
};

/* word, number, words for a person; append only (pinned by a test). */
#define EXEC_REASON_LIST(X)                                                 \
	X(none, 0, "")                                                      \
	X(out_of_bounds, 1, "access outside every buffer and variable")     \
	X(misaligned, 2, "address is not a multiple of the access size")    \
	X(trap, 3, "the kernel executed trap")                              \
	X(deadlock, 4, "threads wait at barriers that others never reach")  \
	X(read_only, 5, "write to a buffer that is read-only here")         \
	X(stack, 6, "the stack limit was passed")                           \
	X(bad_call, 7, "indirect call or branch to no valid target")        \
	X(count_limit, 8, "the limit on thread-instructions was passed")    \
	X(cost_limit, 9, "the limit on cost was passed")                    \
	X(uninitialised, 10, "a value that was never written matters")      \
	X(race, 11, "unordered accesses to one byte, one of them a write")  \
	X(address_leak, 12, "an address decides a result or is stored")     \
	X(nan_bits, 13, "the bits of a NaN decide a result")                \
	X(bad_sync, 14, "lanes disagree about a warp or barrier operation") \
	X(cross_cta, 15, "CTAs of one launch read and write the same byte") \
	X(no_kernel, 16, "no kernel of this name")                          \
	X(bad_launch, 17, "grid, block, shared or parameters do not fit")   \
	X(not_open, 18, "the opening lacks bytes that the CTA touches")     \
	X(no_memory, 19, "this machine is out of memory")

enum exec_reason {
#define X(word, number, words) EXEC_REASON_##word = number,
	EXEC_REASON_LIST(X)
#undef X
};

/* The word ("out_of_bounds"); NULL for a number not in the list. */
const char *exec_reason_word(enum exec_reason r);
const char *exec_reason_text(enum exec_reason r);

/* Why a module cannot be executed. */
struct exec_refusal {
	uint32_t line;	/* in the PTX text */
	char text[192]; /* names the instruction or variable */
};

struct exec_module_options {
	uint32_t stack_bytes; /* a thread's stack for calls; 0: no recursion
			       * and no indirect calls */
};

/*
 * Decode all functions of m.  m is borrowed for the call only; the module
 * keeps what it needs.  Immutable afterwards: threads may share it.
 *
 * m               parsed module
 * options         NULL: all zero
 * ret_module      free with exec_module_free
 * reterr_why      written on ERR_EXEC_REFUSED
 *
 * Cost: O(instructions).  Returns ERR_OK, ERR_EXEC_REFUSED (something in it
 * is not executed here), ERR_LIMIT, ERR_NO_MEMORY.
 */
MUST_USE enum err exec_module_load(const struct ptx_module *m,
				   const struct exec_module_options *options,
				   struct exec_module **ret_module,
				   struct exec_refusal *reterr_why);
void exec_module_free(struct exec_module *m); /* NULL is fine */

/* A kernel, as a launch must know it. */
struct exec_kernel {
	struct bytes name; /* lives as long as the module */
	uint32_t param_count;
	uint32_t param_bytes;  /* of the whole parameter block */
	uint32_t shared_bytes; /* static */
	uint32_t local_bytes;  /* per thread, without calls */
	bool barriers; /* CTA barriers or shared memory: no warp samples */
};

uint32_t exec_kernel_count(const struct exec_module *m);
void exec_kernel_at(const struct exec_module *m, uint32_t index,
		    struct exec_kernel *ret_kernel);
MUST_USE enum err exec_kernel_find(const struct exec_module *m,
				   struct bytes name,
				   struct exec_kernel *ret_kernel);

/* A parameter's place in the block of parameter bytes. */
struct exec_param {
	uint32_t offset_bytes;
	uint32_t size_bytes;
};
void exec_kernel_param(const struct exec_module *m, struct bytes kernel,
		       uint32_t index, struct exec_param *ret_param);

/*
 * Module variables in .global or .const.  One that a launch binds to a
 * buffer (exec_symbol) lives there; any other is a constant with the bytes
 * of its initialiser, and a store to it is the fault read_only.
 */
struct exec_variable {
	struct bytes name;
	uint64_t bytes;
	const uint8_t *init; /* bytes of them; addresses in it are zero here */
	bool written;	     /* some instruction may write it */
	bool holds_addresses;
};

uint32_t exec_variable_count(const struct exec_module *m);
void exec_variable_at(const struct exec_module *m, uint32_t index,
		      struct exec_variable *ret_variable);

/* Bytes [offset, offset + bytes) of a buffer that an opening shows. */
struct exec_piece {
	uint64_t offset;
	uint64_t bytes;
	uint8_t *data; /* written too where the CTA writes */
};

struct exec_buffer {
	uint8_t *data; /* whole; NULL when only pieces are open */
	uint64_t bytes;
	bool writable;
	/* sorted by offset, disjoint; used when data is NULL */
	const struct exec_piece *pieces;
	size_t piece_count;
};

/* Put the address of a buffer into the parameter bytes (8 bytes). */
struct exec_reloc {
	uint32_t param_offset;
	uint32_t buffer;
	uint64_t offset; /* within the buffer, may be its end */
};

/* The module variable name lives in buffer. */
struct exec_symbol {
	struct bytes name;
	uint32_t buffer;
};

struct exec_launch {
	struct bytes kernel;
	uint32_t grid[3];
	uint32_t block[3];
	uint32_t shared_bytes; /* dynamic */
	struct bytes params;   /* missing bytes at the end are zero */
	const struct exec_reloc *relocs;
	size_t reloc_count;
	const struct exec_buffer *buffers;
	size_t buffer_count;
	const struct exec_symbol *symbols;
	size_t symbol_count;
	/* Which CTAs: number x + X * (y + Y * z).  A list when ctas is not
	 * NULL, else the range; cta_count 0 is the whole grid. */
	const uint64_t *ctas;
	uint64_t cta_first;
	uint64_t cta_count;
};

/* A range of one buffer that the finder looks for. */
struct exec_range {
	uint32_t buffer;
	uint64_t offset;
	uint64_t bytes;
};

struct exec_options {
	enum exec_lanes lanes;
	uint32_t threads; /* 0: one */
	/* Shadow state for every rule of a defined result.  At most some 3x
	 * slower.  Findings end in EXEC_VOID. */
	bool sanitize;
	/* Run all CTAs though some end badly, but at a limit: for the findings
	 * of all. */
	bool runs_on;
	/* Keep what the CTAs write as ordered ranges (result.writes). */
	bool record_writes;
	/* Keep what the CTAs read of buffers (result.reads). */
	bool record_reads;
	/* Only this warp of each CTA; EXEC_WARP_ALL is the normal case.
	 * Kernels with barriers or shared memory refuse. */
	uint32_t warp;
	uint64_t cta_count_max; /* 0: no limit.  A CTA that would pass it ... */
	uint64_t cta_cost_max;	/* ... ends the run as EXEC_OVER */
	uint64_t count_max;	/* of all CTAs together */
	uint64_t cost_max;	/* likewise */
	/* 32 bytes that select the witness's instructions; NULL: none. */
	const uint8_t *witness_seed32;
	/* Other orders of CTAs and other NaN bits (0 to 2), for tests: class A
	 * gives the same bytes (NaN words aside). */
	uint64_t shuffle_seed; /* 0: ascending */
	/* Other schedules inside a CTA, for tests: groups of lanes and the
	 * order of strips by chance (0: the lowest pc first), at most so many
	 * lanes at a time (0: all that can). */
	uint64_t schedule_seed;
	uint32_t group_lanes;
	/* What a CTA finds in registers, shared and local memory that it has
	 * not written, for tests: noise by chance (0: zero). */
	uint64_t noise_seed;
	uint32_t nan_variant;
	/* Finder: who writes and reads these ranges. */
	const struct exec_range *ranges;
	size_t range_count;
	/* Counts of every CTA in the order given; NULL or room for them all.
	 * This is what a quote sums. */
	uint64_t *ret_cta_counts;
	/* Called between CTAs, from the calling thread only. */
	void (*progress)(void *ctx, uint64_t ctas_done);
	void *progress_ctx;
	/* Set to nonzero by anybody (a signal handler too) to stop the run. */
	const volatile int *cancel;
};

#define EXEC_OPTIONS_DEFAULT ((struct exec_options){.warp = EXEC_WARP_ALL})

/* Something that the sanitizer saw, once per line and kind. */
struct exec_finding {
	enum exec_reason kind;
	uint32_t line;	      /* in the PTX text */
	uint32_t source_line; /* in the user's source; 0: unknown */
	uint64_t cta;
	uint32_t thread;  /* linear, in the CTA */
	uint64_t address; /* 0: none */
	uint64_t count;
	/* Races and conflicts: the access before this one; lines 0: unknown.
	 * other_cta: of a conflict.  other_threads of a race: 1, or 32 when
	 * only the warp that starts with other_thread is known; 0: unknown. */
	uint32_t other_line;
	uint32_t other_source_line;
	uint64_t other_cta;
	uint32_t other_thread;
	uint32_t other_threads;
};

/* Bytes that were written, sorted by (buffer, offset), merged. */
struct exec_write {
	uint32_t buffer;
	uint64_t offset;
	uint64_t bytes;
	const uint8_t *data; /* final bytes, in the result's arena */
	/* 0: compare byte by byte.  2, 4, 8: the range is values of that many
	 * bytes whose NaNs, at offsets that are multiples of it, have bits
	 * that no rule fixes: any NaN equals any NaN. */
	uint32_t nan_bytes;
};

/* What the finder found about one range. */
struct exec_found {
	bool written;
	bool read;
	bool conflict;	 /* written by one CTA and touched by another */
	uint64_t writer; /* lowest CTA */
	uint64_t reader; /* lowest CTA */
};

struct exec_result {
	enum exec_outcome outcome;
	enum exec_reason reason;
	uint32_t line;	      /* in the PTX text */
	uint32_t source_line; /* in the user's source; 0: unknown */
	uint64_t cta;
	uint32_t thread;	    /* linear, in the CTA */
	uint64_t address;	    /* 0: none */
	uint32_t grid[3], block[3]; /* of the launch */
	/* Outcome not_open: the bytes that were missing first. */
	struct exec_range missing;
	uint64_t ctas_done;
	uint64_t count; /* of all CTAs */
	uint64_t cost;
	uint64_t cta_count_most; /* of one CTA */
	uint64_t cta_cost_most;
	struct hash witness; /* of the CTAs run, in their given order */

	const struct exec_finding *findings;
	size_t finding_count;
	uint64_t finding_total;
	const struct exec_write *writes;
	size_t write_count;
	/* Sorted by (buffer, offset), merged, whole leaves of 512 bytes (cut
	 * at the buffer's end). */
	const struct exec_range *reads;
	size_t read_count;
	struct exec_found found[EXEC_RANGES_MAX];
};

/*
 * Run CTAs of one launch and wait for them.
 *
 * On EXEC_OK every selected CTA has run and the buffers hold the result.  On
 * a fault, void or over result it names the lowest CTA (in the order given)
 * for which it was seen; CTAs after it may or may not have run, so buffers
 * hold part of the result.
 *
 * m               borrowed
 * launch, options borrowed; buffers are written
 * arena   in/out  findings and writes live in it
 * ret_result      always written when ERR_OK
 *
 * Blocks; starts options->threads - 1 threads and joins them.
 * Returns ERR_OK (whatever the outcome), ERR_NO_MEMORY, ERR_LIMIT (too many
 * ranges for the finder), ERR_UNSUPPORTED
 * (these lanes are not on this CPU).
 */
MUST_USE enum err exec_run(const struct exec_module *m,
			   const struct exec_launch *launch,
			   const struct exec_options *options,
			   struct arena *arena, struct exec_result *ret_result);

/* The widest lanes of this CPU, and a name for each ("avx512"). */
enum exec_lanes exec_lanes_best(void);
const char *exec_lanes_name(enum exec_lanes lanes);
MUST_USE enum err exec_lanes_parse(struct bytes name,
				   enum exec_lanes *ret_lanes);

#endif /* WEFT_GPU_EXEC_EXEC_H */
