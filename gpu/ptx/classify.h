/*
 * gpu/ptx/classify - what a kernel, or one launch of it, can be sold as.
 *
 * The classes are those of the exact profile: A (exact everywhere, CTAs
 * independent), B (exact on one architecture), R (atomics of one operation),
 * S (a search: most CTAs write nothing), C (order-dependent), D (needs the
 * whole grid at once), X (does not run here).  For instructions, atomics,
 * special registers and addresses the analyser is sound: in doubt it refuses.
 * Independence of CTAs it proves or assumes, and says which.
 */
#ifndef WEFT_GPU_PTX_CLASSIFY_H
#define WEFT_GPU_PTX_CLASSIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "gpu/ptx/module.h"

/* In ascending order of how bad they are for a sale. */
enum ptx_sale {
	PTX_SALE_A,
	PTX_SALE_R,
	PTX_SALE_B,
	PTX_SALE_S,
	PTX_SALE_C,
	PTX_SALE_D,
	PTX_SALE_X,
};

enum ptx_independence {
	PTX_PROVED,  /* no CTA touches what another CTA writes */
	PTX_ASSUMED, /* could not be proved; tested at quote time */
};

/* word, class, hint for a person: the rewrite that would help */
#define PTX_WHY_LIST(X)                                                       \
	X(approximate, B, "include Weft's strict math, or sell it as B")      \
	X(subnormal_ftz, B, "compile without -use_fast_math or -ftz")         \
	X(saturating_mma, B, "use mma without .satfinite")                    \
	X(atomic_one_op, R, "")                                               \
	X(writes_by_chance, S, "write one result per CTA with WEFT_WITNESS")  \
	X(float_atomic, C, "sum in two passes, in a fixed order")             \
	X(atomic_result_used, C, "write to a place that the thread owns")     \
	X(atomic_mixed, C, "use one operation and width per buffer")          \
	X(atomic_and_plain, C, "read or write that buffer in another launch") \
	X(atomic_order, C, "use add, and, or, xor, min or max")               \
	X(atomic_wide, C, "use a 32 or 64 bit atomic")                        \
	X(reads_written, C, "write to a second buffer, and launch twice")     \
	X(nc_written, C, "drop __restrict__, or use another output buffer")   \
	X(special_register, C, "compute from threadIdx and blockIdx")         \
	X(volatile_access, C, "split the launch where CTAs wait for others")  \
	X(activemask, C, "use a full mask, or __ballot_sync")                 \
	X(float_mma, C, "use the strict fixed-order tile GEMM")               \
	X(store_through_loaded, C, "pass the pointer as a parameter")         \
	X(store_to_any, C, "pass the pointer as a parameter")                 \
	X(wrong_space, C, "convert the address with cvta")                    \
	X(indirect_call, C, "call through a constant table of functions")     \
	X(address_leak, C, "do not store, compare or branch on addresses")    \
	X(stores_constant, C, "write to a parameter's buffer")                \
	X(grid_barrier, D, "split the kernel at the barrier")                 \
	X(cluster, D, "launch without clusters")                              \
	X(env_register, D, "split the kernel at the grid barrier")            \
	X(unknown, X, "compile for an older architecture")                    \
	X(refused, X, "")                                                     \
	X(no_body, X, "compile printf, malloc and assert out")                \
	X(needs_stack, X, "set stack in the manifest")                        \
	X(too_much_shared, X, "use at most 227 KiB a CTA")                    \
	X(too_much_local, X, "use at most 64 KiB of local memory a thread")   \
	X(too_many_threads, X, "use at most 1,024 threads a CTA")             \
	X(texture, X, "read from a buffer")                                   \
	X(too_complex, X, "make the kernel smaller")

enum ptx_why {
#define X(word, sale, hint) PTX_WHY_##word,
	PTX_WHY_LIST(X)
#undef X
		PTX_WHY_COUNT
};

const char *ptx_why_word(enum ptx_why why);
const char *ptx_why_hint(enum ptx_why why);
enum ptx_sale ptx_why_sale(enum ptx_why why);
char ptx_sale_letter(enum ptx_sale s);

/* One cause, at the first line where it shows. */
struct ptx_reason {
	enum ptx_why why;
	uint32_t line;	      /* in the parsed text; 0: the kernel as a whole */
	uint32_t source_line; /* 0: unknown */
	uint16_t source_file; /* 0xffff: unknown */
	const char *opcode;   /* zero-terminated; "" with line 0 */
	const char *detail;   /* more words, or "" */
	uint32_t count;	      /* places with the same cause */
};

/* What may be touched through one parameter or one variable. */
struct ptx_footprint {
	bool is_variable;
	uint32_t index;	 /* parameter of the kernel, or module variable */
	uint32_t offset; /* in the parameter's bytes (pointers in structs) */
	bool read, written, atomic;
};

struct ptx_count {
	const char *opcode; /* canonical, with modifiers */
	uint32_t count;	    /* places in the text, not executions */
};

struct ptx_needs {
	uint16_t sm, version;
	uint32_t shared_bytes; /* static */
	bool uses_dynamic_shared;
	uint32_t threads;      /* .reqntid or .maxntid product; 0: any */
	uint32_t local_bytes;  /* per thread, without calls that need stack */
	bool needs_stack;      /* recursion or indirect calls */
	uint64_t memory_bytes; /* global and const variables it uses */
};

struct ptx_report {
	uint32_t kernel;
	enum ptx_sale sale;
	enum ptx_independence independence;
	struct ptx_reason *reasons; /* worst first, then by line */
	uint32_t reason_count;
	struct ptx_footprint *footprint;
	uint32_t footprint_count;
	/* It loads through pointers that it loads: every bound buffer may be
	 * read. */
	bool reads_all;
	/* Class S: beside what it finds it writes, in every CTA, to a slot of
	 * the CTA's own (WEFT_WITNESS). */
	bool has_witness;
	/* No barrier, shared memory or exchange across warps: a sample may be
	 * one warp. */
	bool by_warp;
	struct ptx_needs needs;
	struct ptx_count *counts; /* ascending by name */
	uint32_t count_count;
	uint32_t instr_count; /* of all functions reached */
};

/* A buffer whose address stands in the parameter bytes of a launch. */
struct ptx_bound {
	uint32_t param_offset; /* in the kernel's parameter bytes */
	uint32_t buffer;       /* equal numbers alias */
	uint64_t offset;       /* in the buffer */
};

struct ptx_launch {
	uint32_t grid[3], block[3];
	uint32_t shared_bytes; /* dynamic */
	struct bytes params;   /* addresses inside are ignored */
	const struct ptx_bound *bound;
	uint32_t bound_count;
	uint32_t stack_bytes; /* the manifest's; 0: none */
};

/*
 * Classify one kernel (launch NULL: each 64-bit parameter is a buffer of its
 * own, sizes and grid unknown) or one launch of it.
 *
 * a       in/out  owns the report; also scratch
 * kernel  in      an index of an entry with a body
 * launch  in      may be NULL; borrowed for the call
 *
 * Cost: near linear in the instructions reached, with a limit on the passes;
 * a kernel beyond it is X (too_complex).
 * Returns ERR_OK; ERR_NOT_FOUND (not an entry); ERR_NO_MEMORY.
 */
MUST_USE enum err ptx_classify(struct arena *a, const struct ptx_module *m,
			       uint32_t kernel, const struct ptx_launch *launch,
			       struct ptx_report *ret);

#endif /* WEFT_GPU_PTX_CLASSIFY_H */
