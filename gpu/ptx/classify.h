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

/* word, class, what it means to a CUDA programmer, the rewrite that would help
 * ("": none).  The words are on the wire: append, never rename. */
/* clang-format off */
#define PTX_WHY_LIST(X) \
	X(approximate, B, \
	  "the result of an approximate instruction differs between " \
	  "architectures", \
	  "include Weft's strict math, or sell it as B") \
	X(subnormal_ftz, B, \
	  "flushing tiny numbers to zero may differ between " \
	  "architectures at the edge", \
	  "compile without -use_fast_math or -ftz=true") \
	X(saturating_mma, B, \
	  "where a saturating matrix product saturates may differ " \
	  "between architectures", \
	  "use mma without .satfinite") \
	X(video_steps, B, \
	  "today's cards run this video instruction as steps of other " \
	  "ones, not all of which agree with the ISA", \
	  "use min, max, prmt and bfi") \
	X(atomic_one_op, R, \
	  "thread blocks add up in one buffer by one atomic operation: " \
	  "the launch is checked as a whole", \
	  "") \
	X(writes_by_chance, S, \
	  "most thread blocks may write nothing, so a sample of them " \
	  "shows nothing", \
	  "give every thread block a slot with WEFT_WITNESS") \
	X(float_atomic, C, \
	  "floating-point atomics depend on the order in which threads " \
	  "come", \
	  "sum in two passes, in a fixed order") \
	X(atomic_result_used, C, \
	  "what an atomic returns depends on the order in which threads " \
	  "come", \
	  "write to a place that the thread owns") \
	X(atomic_mixed, C, \
	  "different atomic operations on one buffer depend on their " \
	  "order", \
	  "use one operation and one width per buffer") \
	X(atomic_and_plain, C, \
	  "plain accesses see a buffer while atomics of other threads " \
	  "change it", \
	  "read or write that buffer in another launch") \
	X(atomic_order, C, \
	  "this atomic operation depends on the order in which threads " \
	  "come", \
	  "use add, and, or, xor, min or max") \
	X(atomic_wide, C, \
	  "an atomic of this width may be torn", \
	  "use a 32 or 64 bit atomic") \
	X(reads_written, C, \
	  "a thread block reads what another one of the same launch " \
	  "writes", \
	  "write to a second buffer, and launch twice") \
	X(waits, C, \
	  "a loop waits until another thread block writes something", \
	  "split the launch where thread blocks wait for others") \
	X(nc_written, C, \
	  "ld.global.nc (const __restrict__, __ldg) reads a buffer that " \
	  "the launch writes", \
	  "drop __restrict__, or use another output buffer") \
	X(special_register, C, \
	  "this special register differs from run to run", \
	  "compute from threadIdx, blockIdx, blockDim and gridDim") \
	X(volatile_access, C, \
	  "volatile, acquire and release accesses wait for, or show " \
	  "something to, other thread blocks", \
	  "split the launch where thread blocks wait for others") \
	X(activemask, C, \
	  "which threads are active at this moment is not defined", \
	  "use a full mask, or __ballot_sync") \
	X(float_mma, C, \
	  "the order and rounding of floating-point matrix sums are " \
	  "unspecified", \
	  "use the strict fixed-order tile GEMM") \
	X(store_through_loaded, C, \
	  "it stores through a pointer that memory holds, perhaps into " \
	  "any buffer", \
	  "pass the pointer as a parameter") \
	X(store_to_any, C, \
	  "it stores to an address that is no buffer's plus an offset", \
	  "pass the pointer as a parameter") \
	X(far_offset, C, \
	  "an offset from memory may be so large that it reaches " \
	  "another buffer", \
	  "use a 32-bit index, or compare it with the size first") \
	X(wrong_space, C, \
	  "an address of one memory space is used as one of another", \
	  "convert the address with cvta") \
	X(indirect_call, C, \
	  "it calls an address that no constant table of functions " \
	  "holds", \
	  "call through a constant table of functions") \
	X(address_leak, C, \
	  "the result depends on where memory lies, which differs from " \
	  "card to card", \
	  "do not store, compare or branch on addresses") \
	X(stack_pointer, C, \
	  "it takes memory of the stack in a function or a loop, or gives " \
	  "it back: where it lies differs from card to card", \
	  "use a local array, or alloca in the kernel itself, outside loops") \
	X(stores_constant, C, \
	  "it writes to a parameter, a constant, or a variable that is " \
	  "initialised with addresses", \
	  "write to a parameter's buffer") \
	X(grid_barrier, D, \
	  "it needs all thread blocks of the grid at once, or one that " \
	  "comes last", \
	  "split the kernel at the barrier, finish in a second launch") \
	X(cluster, D, \
	  "clusters need several thread blocks at once", \
	  "launch without clusters") \
	X(env_register, D, \
	  "%envreg is the driver's; grid-wide synchronisation reads it", \
	  "split the kernel at the grid barrier") \
	X(unknown, X, \
	  "this instruction or modifier is not known", \
	  "compile for an older architecture") \
	X(refused, X, \
	  "this instruction does not run here", \
	  "") \
	X(no_body, X, \
	  "a function is called whose code is not in the text", \
	  "compile printf, malloc and assert out") \
	X(needs_stack, X, \
	  "recursion and indirect calls need a stack size", \
	  "set stack in the manifest") \
	X(too_much_shared, X, \
	  "it takes more shared memory than a thread block has", \
	  "use at most 227 KiB a thread block") \
	X(too_much_local, X, \
	  "it takes more local memory than a thread has", \
	  "use at most 64 KiB of local memory a thread") \
	X(too_many_threads, X, \
	  "a thread block has at most 1,024 threads", \
	  "use smaller thread blocks") \
	X(texture, X, \
	  "textures and surfaces are not done here", \
	  "read from a buffer") \
	X(too_complex, X, \
	  "the kernel is too large or too tangled to be analysed", \
	  "make the kernel smaller")
/* clang-format on */

enum ptx_why {
#define X(word, sale, text, hint) PTX_WHY_##word,
	PTX_WHY_LIST(X)
#undef X
		PTX_WHY_COUNT
};

const char *ptx_why_word(enum ptx_why why);
/* A sentence without its full stop. */
const char *ptx_why_text(enum ptx_why why);
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
