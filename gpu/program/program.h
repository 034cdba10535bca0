/*
 * gpu/program/program - a closed piece of work, named by its hash.
 *
 * Buffers, module variables, kernels (parts) and the steps that launch them.
 * A part's text is canonical PTX, but only bytes here; what it reads, writes
 * and needs stands beside it as data.
 *
 * Encoded: [preamble, [part ...], [step ...]]; program_id is the list root
 * (base/merkle.h) over the encodings of the preamble, each part and each step
 * (the program's items), so that a proof carries one part of many.
 *
 * Memory objects are what a task's state consists of: the buffers in order,
 * then the written symbols in order.  "Object i" means this numbering.
 */
#ifndef WEFT_GPU_PROGRAM_PROGRAM_H
#define WEFT_GPU_PROGRAM_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/limits.h"
#include "gpu/program/expr.h"

struct arena;

#define PROGRAM_VERSION		1u
#define PROGRAM_SYMBOLS_MAX	256u
#define PROGRAM_OBJECTS_MAX	(PROGRAM_BUFFERS_MAX + PROGRAM_SYMBOLS_MAX)
#define PROGRAM_COLUMNS_MAX	256u
#define PROGRAM_STEPS_MAX	4096u /* as written, loops not expanded */
#define PROGRAM_ARGS_MAX	1024u /* of one launch */
#define PROGRAM_PARAM_BYTES_MAX 32764u
#define PROGRAM_NAME_BYTES_MAX	4096u /* mangled names can be long */

/*
 * Encoded bytes of all steps together.  A decoded step takes up to 45 times
 * its encoding, and a referee's memory is bounded.
 */
#define PROGRAM_STEP_BYTES_MAX (256u << 10)

/* Bytes of all symbols that have data: their start is hashed byte by byte. */
#define PROGRAM_DATA_BYTES_MAX (64ull << 20)

/* Integers of code that walking all executions evaluates: the sum over the
 * steps that name a loop of executions times code. */
#define PROGRAM_EVAL_MAX (1ull << 25)

/* What a launch may be sold as; PTX's classes, numbers on the wire. */
enum program_class {
	PROGRAM_CLASS_A = 0,
	PROGRAM_CLASS_B = 1,
	PROGRAM_CLASS_R = 2,
	PROGRAM_CLASS_S = 3,
	PROGRAM_CLASS_C = 4, /* from here on refused */
	PROGRAM_CLASS_D = 5,
	PROGRAM_CLASS_X = 6,
};

/* Are the CTAs of a class A launch shown to be independent? */
enum program_independence {
	PROGRAM_PROVED = 0,
	PROGRAM_ASSUMED = 1,
};

enum program_init {
	PROGRAM_INIT_FILL = 0,	/* every byte is fill */
	PROGRAM_INIT_INPUT = 1, /* the task names root and true length */
};

struct program_buffer {
	uint64_t bytes;
	enum program_init init;
	uint8_t fill; /* 0 for an input */
	bool save;    /* its final bytes are an output */
};

/*
 * A module variable that kernels write (a memory object), or a constant to
 * which the manifest gave bytes.  Constants that nobody named are in the
 * parts alone.  Sorted by name, no two equal.
 */
struct program_symbol {
	struct bytes name; /* mangled */
	uint64_t bytes;
	bool written;
	struct bytes data; /* its first bytes; the rest is zero */
};

/* How an integer or float column of the tasks is carried: 64 bits. */
enum program_column {
	PROGRAM_COLUMN_INT = 0, /* a signed integer */
	PROGRAM_COLUMN_F16 = 1, /* raw bits, zero-extended */
	PROGRAM_COLUMN_F32 = 2,
	PROGRAM_COLUMN_F64 = 3, /* raw bits as a signed integer */
};

/* Access flags of a parameter or object. */
#define PROGRAM_READ  1u
#define PROGRAM_WRITE 2u

struct program_param {
	uint32_t offset_bytes; /* in the parameter space */
	uint32_t bytes;
	uint32_t access; /* of whatever buffer is bound to it */
};

struct program_symbol_use {
	uint32_t symbol_index;
	uint32_t access;
};

/* What a device must have. */
struct program_needs {
	uint32_t sm;	       /* 75 and up */
	uint32_t shared_bytes; /* of a CTA, static and dynamic */
	uint32_t threads;      /* of a CTA */
	uint32_t local_bytes;  /* of a thread */
	uint64_t memory_bytes; /* all objects */
};

struct program_part {
	struct bytes entry; /* stands in the preamble */
	struct bytes text;  /* empty: not carried (a proof) */
	enum program_class class;
	enum program_independence independence;
	bool by_warp;	      /* warps can be run alone */
	bool reads_all;	      /* loads pointers from memory */
	uint32_t stack_bytes; /* 0: no recursion */
	struct program_param *params;
	uint32_t param_count;
	struct program_symbol_use *symbols; /* sorted, written ones and named
					     * constants that it uses */
	uint32_t symbol_count;
	struct program_needs needs; /* dynamic shared not included */
};

enum program_arg_kind {
	PROGRAM_ARG_BUFFER = 0, /* address of buffer + value */
	PROGRAM_ARG_NULL = 1,
	PROGRAM_ARG_VALUE = 2,	/* value as type */
	PROGRAM_ARG_BYTES = 3,	/* data, with addresses put in */
	PROGRAM_ARG_LENGTH = 4, /* true length of input buffer, as type */
};

/* name, number, bytes, signed; B takes raw bits of a float or column */
#define PROGRAM_TYPE_LIST(X) \
	X(U8, 0, 1, false)   \
	X(S8, 1, 1, true)    \
	X(U16, 2, 2, false)  \
	X(S16, 3, 2, true)   \
	X(U32, 4, 4, false)  \
	X(S32, 5, 4, true)   \
	X(U64, 6, 8, false)  \
	X(S64, 7, 8, true)   \
	X(B16, 8, 2, false)  \
	X(B32, 9, 4, false)  \
	X(B64, 10, 8, true)

enum program_type {
#define X(name, number, bytes, is_signed) PROGRAM_TYPE_##name = number,
	PROGRAM_TYPE_LIST(X)
#undef X
};

struct program_address {
	uint32_t at_bytes; /* in the argument's data */
	uint32_t buffer_index;
	struct program_expr offset;
};

struct program_arg {
	enum program_arg_kind kind;
	enum program_type type;		   /* VALUE, LENGTH */
	uint32_t buffer_index;		   /* BUFFER, LENGTH */
	struct program_expr value;	   /* BUFFER: offset; VALUE */
	struct bytes data;		   /* BYTES */
	struct program_address *addresses; /* BYTES; sorted by at_bytes */
	uint32_t address_count;
};

enum program_step_kind {
	PROGRAM_STEP_LAUNCH = 0,
	PROGRAM_STEP_COPY = 1,
	PROGRAM_STEP_FILL = 2,
	PROGRAM_STEP_REPEAT = 3, /* the next body_count steps, count times */
};

/* Steps are a flat array: a repeat stands before its body. */
struct program_step {
	enum program_step_kind kind;
	/* LAUNCH */
	uint32_t part_index;
	struct program_expr grid[3];
	struct program_expr block[3];
	struct program_expr shared_bytes; /* dynamic */
	struct program_arg *args;	  /* one for each parameter */
	uint32_t arg_count;
	/* COPY: from[from_offset ...) to to[to_offset ...); FILL: to */
	uint32_t from_index;
	uint32_t to_index;
	struct program_expr from_offset;
	struct program_expr to_offset;
	struct program_expr bytes;
	struct program_expr with; /* FILL: the byte, 0 to 255 */
	/* REPEAT */
	uint64_t count;	     /* at least 1 */
	uint32_t body_count; /* at least 1; nested repeats count too */
};

/* Which states a provider commits; the number stands in the preamble. */
enum program_trace {
	PROGRAM_TRACE_STEPS = 0, /* the memory root after every step */
};

struct program {
	enum program_trace trace;
	struct program_buffer *buffers;
	uint32_t buffer_count;
	struct program_symbol *symbols;
	uint32_t symbol_count;
	enum program_column *columns;
	uint32_t column_count;
	struct program_part *parts;
	uint32_t part_count;
	struct program_step *steps;
	uint32_t step_count;
};

/*
 * Every rule of a program's inside: limits, indexes, sorted lists, argument
 * sizes against parameters, expressions, launches after unrolling, sizes.
 * grid, block, shared, copy and fill may use loops but not the task.
 * Parts without text are accepted; program_decode refuses them.
 * Returns ERR_OK, ERR_MALFORMED, ERR_LIMIT.
 */
MUST_USE enum err program_check(const struct program *p);

/*
 * The rules that hold without evaluating an expression: O(steps).  A part
 * without text is not looked at, nor the arguments of its launches.
 */
MUST_USE enum err program_check_form(const struct program *p);

/* Appends the encoding of a checked program to out; errors stick there. */
void program_encode(struct buf *out, const struct program *p);

/*
 * Reads and checks a program.  Everything lives in a and borrows from in.
 * Returns ERR_OK, ERR_MALFORMED, ERR_LIMIT, ERR_NO_MEMORY.
 */
MUST_USE enum err program_decode(struct arena *a, struct bytes in,
				 struct program *ret_program);

/* The items of the list whose root is program_id. */
uint32_t program_item_count(const struct program *p);
void program_item_encode(struct buf *out, const struct program *p,
			 uint32_t item_index);

/*
 * A program from its items: the preamble, all parts or only part part_index
 * (the others stay without text), all steps.  Checked by program_check_form
 * only.  parts has part_count entries, or 1 if part_index is not
 * PROGRAM_PART_ALL, or none if it is PROGRAM_PART_NONE.
 * Returns as program_decode.
 */
#define PROGRAM_PART_ALL  UINT32_MAX
#define PROGRAM_PART_NONE (UINT32_MAX - 1)
MUST_USE enum err
program_items_decode(struct arena *a, struct bytes preamble,
		     uint32_t part_index, const struct bytes *parts,
		     uint32_t part_count, const struct bytes *steps,
		     uint32_t step_count, struct program *ret_program);

/* A whole program from its list items in order, checked by program_check. */
MUST_USE enum err program_list_decode(struct arena *a,
				      const struct bytes *items,
				      uint32_t item_count,
				      struct program *ret_program);

/*
 * program_id.  scratch takes the item hashes and one encoding at a time.
 * Returns ERR_OK, ERR_NO_MEMORY, ERR_LIMIT.
 */
MUST_USE enum err program_id(struct arena *scratch, const struct program *p,
			     struct hash *ret_id);

/* Memory objects. */
uint32_t program_object_count(const struct program *p);
uint64_t program_object_bytes(const struct program *p, uint32_t object_index);
/* The object of a written symbol; UINT32_MAX for a constant. */
uint32_t program_symbol_object(const struct program *p, uint32_t symbol_index);
/* The symbol of object i >= buffer_count. */
uint32_t program_object_symbol(const struct program *p, uint32_t object_index);

/* Buffers with init INPUT, and with save. */
uint32_t program_input_count(const struct program *p);
uint32_t program_output_count(const struct program *p);

/*
 * What a step may do to each object: PROGRAM_READ | PROGRAM_WRITE.
 * access has program_object_count entries.
 */
void program_step_access(const struct program *p, uint32_t step_index,
			 uint8_t *access);

/* Bytes and 4,096-byte chunks of the objects that the step may write. */
void program_step_written(const struct program *p, uint32_t step_index,
			  uint64_t *ret_bytes, uint64_t *ret_chunks);

/* Bytes and signedness of a type. */
uint32_t program_type_bytes(enum program_type t);
bool program_type_signed(enum program_type t);

#endif /* WEFT_GPU_PROGRAM_PROGRAM_H */
