/*
 * gpu/ptx/priv/analysis - one kernel under analysis.
 *
 * slots.c      places in local memory that become registers
 * analyse.c    the fixpoint over all functions
 * objects.c    what has an address: buffers, variables, parameters
 * contents.c   what objects that are no buffers hold
 * transfer.c   one instruction: registers in, registers and memory out
 * bind.c       calls
 * used.c       which registers anybody reads
 * facts.c      what guards say of registers
 * access.c     what each memory instruction touches
 * reasons.c    rules that refuse
 * regular.c    which stores happen by chance
 * independence.c  whether CTAs keep out of each other's writes
 * classify.c   the report
 */
#ifndef WEFT_GPU_PTX_PRIV_ANALYSIS_H
#define WEFT_GPU_PTX_PRIV_ANALYSIS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/err.h"
#include "gpu/ptx/classify.h"
#include "gpu/ptx/module.h"
#include "gpu/ptx/priv/reach.h"
#include "gpu/ptx/priv/slots.h"
#include "gpu/ptx/priv/ssa.h"
#include "gpu/ptx/priv/value.h"

/* Passes of the fixpoint; from ANALYSIS_WIDEN on bounds that grow go on to
 * the next power that means something, from ANALYSIS_GIVE_UP on shapes give
 * up. */
#define ANALYSIS_PASSES	 96u
#define ANALYSIS_WIDEN	 3u
#define ANALYSIS_GIVE_UP 40u

/* What is done with a value that still grows. */
enum widen {
	WIDEN_NOT,
	WIDEN_RANGE, /* value_widen */
	WIDEN_SHAPE, /* the shape gives up */
};

/* Numbers where loops of one function may stop. */
#define STOPS_MAX 64u

/* Contents of memory are told apart in this many cells of 4 bytes; a larger
 * object, and what comes after all cells are given away, is one heap. */
#define OBJECT_CELLS 512u
#define CELLS_MAX    (1u << 17)
/* Cells visited by loads of unknown offset; later ones see the heap. */
#define CELL_VISITS_MAX (1u << 22)

/* How a cell was written; 0: not, or by an initialiser. */
#define CELL_FOUR  1u /* 4 bytes of its own */
#define CELL_EIGHT 2u /* the first of 8 bytes */
#define CELL_UPPER 4u /* the last of 8 bytes */
#define CELL_PART  8u /* otherwise */

struct cell {
	struct value v;
	uint8_t form;
};

/* A quotient and a remainder: of = divisor * x[whole] + x[rest]. */
#define SPLITS_MAX ((VALUE_VARS - VALUE_IDS) / 2)
struct split {
	struct value of;
	int64_t divisor;
	uint8_t whole, rest;
};

enum object_kind {
	OBJECT_VARIABLE, /* module->variables */
	OBJECT_PARAM,	 /* of a function */
	OBJECT_RETURN,
	OBJECT_BUFFER, /* behind a pointer parameter of the kernel */
	OBJECT_STACK,  /* of an alloca that runs once at most */
};

struct object {
	uint8_t kind;	   /* enum object_kind */
	uint32_t function; /* PARAM, RETURN */
	/* Variable, parameter, buffer; STACK: instruction of the kernel. */
	uint32_t index;
	uint64_t bytes;
	uint32_t align;
	/* Cells by offset; behind them one for stores anywhere, and one that
	 * holds all.  A heap has those two only; a buffer has none. */
	uint32_t cell_first, cell_count;
	bool has_cells;
	uint32_t base;	  /* BASE_OTHER: its address is never taken, or it
			   * has no number */
	uint32_t generic; /* the base of its generic address */
	uint8_t space;	  /* PTX_SPACE_GLOBAL ... */
	bool is_taken;	  /* its address is a value somewhere */
	/* BUFFER: where its address stands in the kernel's parameters. */
	uint32_t param, param_offset;
	bool is_global;	   /* a buffer, or a .global or .const variable */
	bool is_addressed; /* something was loaded or stored through it */
	bool read, written, atomic, plain, nc;
	/* Of its atomics: the first one's. */
	uint8_t atom_op, atom_bits;
};

/* One memory instruction, as access.c sees it. */
struct access {
	const struct ptx_function *f;
	const struct ptx_instr *in;
	const struct ptx_operand *memory;
	struct value at;
	uint64_t all_bases; /* of at, before numbers were told apart */
	uint32_t function;
	uint32_t bytes;
	bool is_read, is_write, is_atomic, is_nc;
};

struct analysis {
	struct arena *a;   /* scratch */
	struct arena *out; /* the report's */
	/* Its reached functions have names for registers (ssa.c). */
	const struct ptx_module *m;
	uint32_t kernel;
	const struct ptx_launch *launch; /* may be NULL */
	struct reach reach;
	struct slots *slots;	     /* [function] */
	uint64_t extent[VALUE_VARS]; /* 0: unknown */
	uint32_t var_count;
	struct split splits[SPLITS_MAX];
	uint32_t split_count;

	/* Names of all reached functions: function's first + name. */
	struct ssa *ssa; /* [function] */
	struct value *regs;
	uint32_t *reg_first; /* [function] */
	bool *reg_used;	     /* some instruction reads it */
	bool *reg_compared;  /* a guard may bound it */
	uint32_t **fact_up;  /* [function][block] see facts.c */
	/* Where the walk is: facts that hold there bound what is read. */
	uint32_t block;
	uint32_t guard; /* of the instruction; PTX_NO_INDEX */
	bool guard_truth;

	struct object *objects;
	uint32_t object_count, object_cap;
	uint32_t *variable_object; /* [variable], PTX_NO_INDEX */
	uint32_t *param_object;	   /* [function]: of its first param */
	uint32_t *return_object;
	uint32_t stack_object, stack_count; /* those of OBJECT_STACK */
	uint32_t base_object[64];	    /* object of a base number */
	uint32_t base_count;
	uint64_t generic_bases;	 /* those that only generic addresses have */
	bool *variable_is_taken; /* [variable]: its address is a value */
	struct cell *cells;
	uint32_t cell_count, cell_visits;

	uint32_t *addressed; /* functions whose address is a value */
	uint32_t addressed_count, bind_count;

	struct value carry; /* what may be in the carry flag */
	bool grew;	    /* in this pass */
	/* In this pass memory was read that nothing writes; that it may hold
	 * anything is looked at when all else is known. */
	bool saw_unset, is_settled;
	enum widen widen; /* of loops and of contents */
	int64_t stops[STOPS_MAX];
	uint32_t stop_count;
	enum err err;

	struct ptx_reason *reasons;
	uint32_t reason_count, reason_cap;
	struct access *accesses;
	uint32_t access_count, access_cap;
	bool reads_all, uses_shared, uses_barrier;
};

/* objects.c */
MUST_USE enum err objects_make(struct analysis *n);
/* The object that a direct operand names; PTX_NO_INDEX. */
uint32_t analysis_object_of(const struct analysis *n, uint32_t function,
			    const struct ptx_operand *o);

/* That of an alloca; PTX_NO_INDEX: it has none. */
uint32_t analysis_stack_of(const struct analysis *n, uint32_t function,
			   const struct ptx_instr *in);

/* analyse.c */
MUST_USE enum err analysis_run(struct analysis *n);
struct value *analysis_reg(struct analysis *n, uint32_t function,
			   const struct ptx_operand *o);
/* Joins v into a register. */
void analysis_set(struct analysis *n, uint32_t function,
		  const struct ptx_operand *o, struct value v);
/* The same along a call, where values may go round. */
void analysis_carry(struct analysis *n, uint32_t function,
		    const struct ptx_operand *o, struct value v);
/* used.c: sets reg_used; after objects_make(). */
MUST_USE enum err used_find(struct analysis *n);

/* The place of a walk: what facts hold there. */
void analysis_at(struct analysis *n, uint32_t function, uint32_t instr);

/* The object of a buffer by its number: one for all its aliases. */
uint32_t analysis_buffer_of(const struct analysis *n, uint32_t object);

/* contents.c: the value of bytes at an offset (known if fixed) of an object. */
struct value contents_load(struct analysis *n, uint32_t object,
			   const struct value *at, uint32_t bytes);
void contents_store(struct analysis *n, uint32_t object, const struct value *at,
		    uint32_t bytes, struct value v);
/* What stands there before anything runs. */
void contents_init(struct analysis *n, uint32_t object, int64_t offset,
		   uint32_t bytes, struct value v);
void contents_fill(struct analysis *n, uint32_t object, struct value v);
void contents_copy(struct analysis *n, uint32_t from, uint32_t to);

/* The least alignment of the bases of v. */
uint32_t analysis_align(const struct analysis *n, const struct value *v);
/* Whether all bases, or any base, of v are addresses in a space of their own,
 * not generic; such are small numbers, perhaps zero. */
bool analysis_is_small(const struct analysis *n, const struct value *v);
bool analysis_has_small(const struct analysis *n, const struct value *v);

/* Whether an address of BASE_OTHER may be that of the object. */
bool analysis_is_other(const struct object *o);

/* transfer.c */
void transfer_instr(struct analysis *n, uint32_t function,
		    const struct ptx_instr *in);
/* A source operand as a value, for an instruction of that type. */
struct value transfer_value(struct analysis *n, uint32_t function,
			    const struct ptx_operand *o, enum ptx_type t);
/* Where a memory operand points. */
struct value transfer_address(struct analysis *n, uint32_t function,
			      const struct ptx_operand *o);
/* Bytes that a load, store or atomic touches. */
uint32_t transfer_bytes(const struct ptx_instr *in);
/* The type that operand i is read or written with. */
enum ptx_type transfer_type(const struct ptx_instr *in, uint32_t i);

struct value transfer_source(struct analysis *n, uint32_t function,
			     const struct ptx_instr *in, uint32_t i);
/* integer.c: clean numbers, with what remains of their shape. */
struct value integer_divide(struct analysis *n, enum ptx_type t,
			    const struct value *a, const struct value *b,
			    bool want_rest);
struct value integer_shr(struct analysis *n, enum ptx_type t,
			 const struct value *a, const struct value *b);
struct value integer_and(struct analysis *n, const struct value *a,
			 const struct value *b, uint32_t align);
struct value integer_extract(struct analysis *n, enum ptx_type t,
			     const struct value *a, const struct value *at,
			     const struct value *length);
struct value integer_least(struct analysis *n, enum ptx_type t,
			   const struct value *a, const struct value *b,
			   bool want_most);
struct value integer_convert(struct analysis *n, enum ptx_type to,
			     enum ptx_type from, uint32_t register_bits,
			     struct value v);

/* memory.c: loads, stores and atomics; bind.c: calls. */
void transfer_load(struct analysis *n, uint32_t function,
		   const struct ptx_instr *in);
void transfer_store(struct analysis *n, uint32_t function,
		    const struct ptx_instr *in);
void transfer_update(struct analysis *n, uint32_t function,
		     const struct ptx_instr *in);
/* Bits of what memory holds anywhere around o: a row of a matrix, a copy. */
struct value transfer_anywhere(struct analysis *n, uint32_t function,
			       const struct ptx_operand *o);
/* Whether the indirect call c, if it does not fault, may reach a function
 * whose address is a value. */
bool analysis_may_reach(const struct analysis *n, const struct ptx_call *c,
			uint32_t callee);
void transfer_call(struct analysis *n, uint32_t function,
		   const struct ptx_instr *in);

/*
 * facts.c: what follows from the guards that lead to a place.  facts_make()
 * once; facts_bound() narrows v, the value of a name, by what holds at
 * n->block (and under n->guard); facts_bound_edge() by what holds on the way
 * between two blocks; facts_bound_if() by one predicate.
 */
MUST_USE enum err facts_make(struct analysis *n);
void facts_bound(struct analysis *n, uint32_t function, uint32_t name,
		 struct value *v);
void facts_bound_edge(struct analysis *n, uint32_t function, uint32_t from,
		      uint32_t to, uint32_t name, struct value *v);
void facts_bound_if(struct analysis *n, uint32_t function, uint32_t predicate,
		    bool truth, uint32_t name, struct value *v);

/* A sum of variables that is known to lie in [lo, hi]. */
struct row {
	uint8_t term_count;
	uint8_t var[VALUE_TERMS];
	int64_t coef[VALUE_TERMS];
	int64_t lo, hi;
};
#define ROWS_MAX 12u
/* Rows that hold at n->block under n->guard; at most ROWS_MAX.  whole: they
 * say all that the facts on the way say. */
uint32_t facts_rows(struct analysis *n, uint32_t function,
		    struct row rows[ROWS_MAX], bool *ret_whole);

/* access.c: after the fixpoint. */
MUST_USE enum err access_find(struct analysis *n);

/* reasons.c */
void reasons_add(struct analysis *n, enum ptx_why why,
		 const struct ptx_function *f, const struct ptx_instr *in,
		 const char *detail);
void reasons_find(struct analysis *n);
void reasons_of_buffers(struct analysis *n);
void reasons_of_launch(struct analysis *n, const struct ptx_needs *needs);

/* waits.c: loops and branches that need other CTAs. */
void waits_find(struct analysis *n);

/* regular.c: whether no store to a buffer happens in every CTA, but for those
 * into slots that each CTA owns (*ret_has_slots; written if true). */
bool regular_is_search(struct analysis *n, bool *ret_has_slots);

/* independence.c */
bool independence_is_proved(struct analysis *n);
/* Adds a reason where a CTA certainly reads what another one writes. */
void independence_find_conflicts(struct analysis *n);
/* A store to one place of each CTA, the same for all its threads. */
bool independence_is_slot(struct analysis *n, const struct access *c);

#endif /* WEFT_GPU_PTX_PRIV_ANALYSIS_H */
