/*
 * gpu/exec/priv/op - decoded instructions and the module that holds them.
 *
 * One PTX instruction becomes one counted op and, where PTX packs several
 * things into one (setp with a boolean, loads that extend), a few uncounted
 * ones before or after it.  Operands are references to lanes: a unit number
 * in the strip's registers, or in the pool of constants.
 */
#ifndef WEFT_GPU_EXEC_PRIV_OP_H
#define WEFT_GPU_EXEC_PRIV_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/exec/exec.h"
#include "gpu/exec/priv/op_id.h"

/* A reference to lanes: units of 32 bits per lane. */
typedef uint32_t op_ref;
#define REF_NONE  UINT32_MAX
#define REF_CONST 0x80000000u

/* MXCSR: exceptions masked, rounding, flushing; 0: does not matter. */
#define CSR_BASE  0x1f80u
#define CSR_FLUSH 0x8040u

/* What the least op costs: a dispute's 2^28 are then a second at most, where
 * a whole dispatch is for one lane (tests/bench/slowest.c). */
#define OP_COST 16u

/* Bytes of parameters, or of the stack, that cost one unit more. */
#define COPY_COST_BYTES 64u

/* op.result_bytes of two halves in one register. */
#define RESULT_PAIR 3u
/* Of two f32. */
#define RESULT_PAIR32 5u

/* Where an address points. */
enum op_space {
	SPACE_GENERIC,
	SPACE_GLOBAL, /* .const too */
	SPACE_SHARED,
	SPACE_LOCAL,
	SPACE_PARAM, /* of the kernel */
	SPACE_FRAME, /* static places in a thread's call parameters */
};

enum op_atom {
	ATOM_ADD,
	ATOM_AND,
	ATOM_OR,
	ATOM_XOR,
	ATOM_MIN,
	ATOM_MAX,
	ATOM_EXCH,
	ATOM_CAS,
	ATOM_INC,
	ATOM_DEC,
};

/* op.last_reads. */
#define READS_A 1u
#define READS_B 2u
#define READS_C 4u

enum op_number {
	NUMBER_U,
	NUMBER_S,
	NUMBER_F,   /* f32, f64 */
	NUMBER_F16, /* one or two */
	NUMBER_BF16,
};

struct op {
	uint16_t id; /* enum op_id */
	uint16_t csr;
	uint8_t is_counted;
	uint8_t guard_flip; /* run where the guard is false */
	uint8_t space;	    /* enum op_space */
	uint8_t size;	    /* of one element in memory, in bytes */
	uint8_t vec;	    /* elements: 1, 2, 4, 8 */
	uint8_t what;	    /* enum op_atom, or a mode of the step */
	uint8_t number;	    /* enum op_number */
	uint8_t is_wide;    /* address register of 64 bits */
	uint8_t is_static;  /* no address register: offset alone */
	uint8_t is_aligned; /* bar .aligned */
	uint8_t is_volatile;
	uint8_t flags;
	uint8_t is_witness;	 /* a seed may select its result */
	uint8_t span_slot;	 /* of its address register; 0: none */
	uint8_t spoils;		 /* slots whose register it may write, bits */
	uint8_t is_float;	 /* the witness's result is a float */
	uint8_t result_bytes;	 /* of d where it is a value: 4, 8 */
	uint8_t last_reads;	 /* READS_* whose value nobody reads later */
	uint16_t span_key;	 /* accesses with other keys differ */
	uint32_t number_in_text; /* in the function; UINT32_MAX: none */
	op_ref result;		 /* the witness looks at these lanes */
	op_ref guard;
	op_ref d, e;
	op_ref a, b, c, f;
	uint32_t imm;
	uint32_t list;	 /* vec > 1: first of the refs in module->lists */
	uint32_t target; /* op index; call: function */
	int64_t offset;
	uint32_t line;
	uint32_t source_line;
};

/* A variable's place in a window of shared or local memory. */
struct slot {
	uint64_t at; /* in the CTA's or thread's bytes */
	uint64_t bytes;
	uint32_t owner; /* function of the tree; UINT32_MAX: the module */
	uint32_t align; /* as declared */
};

/* Shared and local variables start at multiples of this. */
#define SLOT_SHIFT 21u

/* Generic addresses of the windows, below every buffer. */
#define WINDOW_SHIFT  36u
#define WINDOW_SHARED ((uint64_t)1 << WINDOW_SHIFT)
#define WINDOW_LOCAL  ((uint64_t)2 << WINDOW_SHIFT)
#define WINDOW_PARAM  ((uint64_t)3 << WINDOW_SHIFT)
#define WINDOW_BYTES  ((uint64_t)1 << 32)

/* Module variable j without a buffer starts here. */
#define VARIABLE_BASE(j) (((uint64_t)(j) + 0x8000u) << 40)
/* The address of function i, for indirect calls. */
#define FUNCTION_BASE(i) (((uint64_t)(i) + 0x4000u) << 40)

/* A thread's stack is cut into units; what starts at unit u of it has the
 * local address STACK_BASE + (u << STACK_SHIFT). */
#define STACK_UNIT  32u
#define STACK_SHIFT 20u
#define STACK_BASE  ((uint64_t)1 << 31)

struct variable {
	struct exec_variable public;
	uint8_t *init;
	const struct ptx_reloc *relocs; /* copied */
	uint32_t reloc_count;
	uint32_t ptx_index;
	uint32_t align; /* as declared */
};

struct place {
	uint32_t at; /* in a thread's frame bytes */
	uint32_t bytes;
};

/* What is alive in a unit at a function's entry: of 64 bits in this unit and
 * the next, or what is left. */
#define ENTRY_NARROW 1u
#define ENTRY_WIDE   2u

struct function {
	struct bytes name;
	bool is_entry;
	uint32_t entry; /* first op */
	uint32_t end;
	uint32_t first_unit;
	uint32_t unit_count;
	/* While loading: raw units to packed ones, and where they go. */
	uint32_t *map;
	uint8_t *entry_units; /* by packed unit: ENTRY_*; 0: not alive there */
	uint32_t packed_units;
	uint32_t placed_unit;
	struct exec_kernel kernel;
	struct exec_param *params;
	struct place *param_places; /* device functions, .param space */
	struct place *return_places;
	uint32_t param_count;
	uint32_t return_count;
	uint32_t ptx_index;
	/* Calls of it through the staging places: first copies in
	 * module->copies, param_count and return_count of them. */
	uint32_t argument_copies;
	uint32_t result_copies;
	/* A cycle of calls: its functions have one number. */
	uint32_t cycle;
	bool is_recursive;
	bool needs_stack;   /* kernels: something that it reaches does */
	struct place frame; /* its .param bytes in a thread's frame bytes */
	/* What an activation takes of the stack; in it, a recursive function
	 * keeps its local variables and, while it calls, the rest. */
	uint32_t stack_bytes;
	uint32_t save_at;
	struct place *stack_variables;
	uint32_t stack_variable_count;
	struct save *saves;
	uint32_t save_count;
};

/* A register that a recursive function keeps while it calls. */
struct save {
	op_ref ref;
	uint32_t bytes; /* 4, 8 */
};

/* A call's copies: from caller's places and registers to the callee's. */
struct call_copy {
	op_ref from_ref; /* REF_NONE: from_at in the frame */
	op_ref to_ref;
	uint32_t from_at;
	uint32_t to_at;
	uint32_t bytes;
};

/* A reference that depends on the launch: its value is filled in then. */
/* exec_module.constant_wide: bit 0, and a constant that has a fix. */
#define CONSTANT_FIX 2u

enum fix_kind { FIX_VARIABLE, FIX_SHARED, FIX_LOCAL, FIX_FUNCTION };

struct const_fix {
	uint32_t constant; /* in the pool */
	uint32_t kind;	   /* enum fix_kind */
	uint32_t index;	   /* variable, slot or function */
	uint64_t offset;
};

/* Special registers that live in the strip's registers. */
enum special {
	SPECIAL_TID_X,
	SPECIAL_TID_Y,
	SPECIAL_TID_Z,
	SPECIAL_NTID_X,
	SPECIAL_NTID_Y,
	SPECIAL_NTID_Z,
	SPECIAL_CTAID_X,
	SPECIAL_CTAID_Y,
	SPECIAL_CTAID_Z,
	SPECIAL_NCTAID_X,
	SPECIAL_NCTAID_Y,
	SPECIAL_NCTAID_Z,
	SPECIAL_LANEID,
	SPECIAL_LT,
	SPECIAL_LE,
	SPECIAL_GT,
	SPECIAL_GE,
	SPECIAL_EQ,
	SPECIAL_DYNAMIC,
	SPECIAL_WARPID,
	SPECIAL_NWARPID,
	SPECIAL_COUNT
};

struct exec_module {
	struct arena *arena;
	struct op *ops;
	uint32_t op_count;
	uint64_t *cost_before; /* op_count + 1 sums */
	uint32_t *count_before;
	op_ref *lists;
	uint32_t list_count;
	uint64_t *constants; /* value by pool entry */
	uint8_t *constant_wide;
	uint32_t *constant_unit;
	uint32_t constant_count;
	uint32_t constant_units;
	struct const_fix *fixes;
	uint32_t fix_count;
	struct call_copy *copies;
	uint32_t copy_count;
	uint32_t *tables; /* brx targets; functions that a call may reach */
	uint32_t table_count;
	struct function *functions;
	uint32_t function_count;
	struct variable *variables;
	uint32_t variable_count;
	struct slot *shared_slots;
	uint32_t shared_slot_count;
	uint64_t shared_bytes; /* static */
	uint32_t dynamic_slot; /* UINT32_MAX: none */
	struct slot *local_slots;
	uint32_t local_slot_count;
	uint32_t local_bytes;	 /* of a thread */
	uint32_t frame_bytes;	 /* call parameters of a thread */
	uint32_t unit_count;	 /* registers of a strip */
	uint32_t first_unit;	 /* that is no special register */
	struct place *zero_runs; /* units that a CTA must find zeroed */
	uint32_t zero_run_count;
	uint32_t special_unit[SPECIAL_COUNT]; /* 0: unused */
	uint32_t stage_at;    /* staging places in a thread's frame bytes */
	uint32_t stack_at;    /* the stack in a thread's local bytes */
	uint32_t stack_bytes; /* 0: no kernel needs one */
	uint32_t depth_max;   /* of calls, without cycles */
	bool has_calls;
};

#endif /* WEFT_GPU_EXEC_PRIV_OP_H */
