/*
 * gpu/ptx/priv/analysis - one kernel under analysis.
 *
 * analyse.c    objects, memory contents, the fixpoint over all functions
 * transfer.c   one instruction: registers in, registers and memory out
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
#include "gpu/ptx/priv/value.h"

/* Passes of the fixpoint; from ANALYSIS_WIDEN on shapes give up. */
#define ANALYSIS_PASSES 64u
#define ANALYSIS_WIDEN	12u

/* Contents of memory are told apart in this many cells of 8 bytes; a larger
 * object has one cell. */
#define OBJECT_CELLS 64u

enum object_kind {
	OBJECT_VARIABLE, /* module->variables */
	OBJECT_PARAM,	 /* of a function */
	OBJECT_RETURN,
	OBJECT_BUFFER, /* behind a pointer parameter of the kernel */
};

struct object {
	uint8_t kind;	   /* enum object_kind */
	uint32_t function; /* PARAM, RETURN */
	uint32_t index;	   /* variable, parameter; BUFFER: see origin */
	uint64_t bytes;
	uint32_t align;
	uint32_t cell_first, cell_count; /* none for buffers */
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
	uint32_t bytes;
	bool is_read, is_write, is_atomic, is_nc;
};

struct analysis {
	struct arena *a;
	const struct ptx_module *m;
	uint32_t kernel;
	const struct ptx_launch *launch; /* may be NULL */
	struct reach reach;
	uint64_t extent[VALUE_IDS]; /* 0: unknown */

	/* Registers of all reached functions: function's first + class's
	 * first + index. */
	struct value *regs;
	uint32_t *reg_first; /* [function] */
	uint32_t (*class_first)[PTX_CLASS_COUNT];
	bool *reg_used; /* some instruction reads it */

	struct object *objects;
	uint32_t object_count, object_cap;
	uint32_t *variable_object; /* [variable], PTX_NO_INDEX */
	uint32_t *param_object;	   /* [function]: of its first param */
	uint32_t *return_object;
	uint32_t base_object[64]; /* object of a base number */
	uint32_t base_count;
	uint64_t generic_bases;	 /* those that only generic addresses have */
	bool *variable_is_taken; /* [variable]: its address is a value */
	struct value *cells;
	uint32_t cell_count, cell_cap;

	bool grew;  /* in this pass */
	bool widen; /* shapes that still grow give up */
	enum err err;

	struct ptx_reason *reasons;
	uint32_t reason_count, reason_cap;
	struct access *accesses;
	uint32_t access_count, access_cap;
	bool reads_all, uses_shared, uses_barrier;
};

/* analyse.c */
MUST_USE enum err analysis_run(struct analysis *n);
struct value *analysis_reg(struct analysis *n, uint32_t function,
			   const struct ptx_operand *o);
/* Joins v into a register. */
void analysis_set(struct analysis *n, uint32_t function,
		  const struct ptx_operand *o, struct value v);
/* The object that a base number or a direct operand names; PTX_NO_INDEX. */
uint32_t analysis_object_of(const struct analysis *n, uint32_t function,
			    const struct ptx_operand *o);
/* The value of bytes at offset (known or not) of an object. */
struct value analysis_load(struct analysis *n, uint32_t object, bool is_known,
			   int64_t offset, uint32_t bytes);
void analysis_store(struct analysis *n, uint32_t object, bool is_known,
		    int64_t offset, uint32_t bytes, struct value v);

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

/* access.c: after the fixpoint. */
MUST_USE enum err access_find(struct analysis *n);

/* reasons.c */
void reasons_add(struct analysis *n, enum ptx_why why,
		 const struct ptx_function *f, const struct ptx_instr *in,
		 const char *detail);
void reasons_find(struct analysis *n);
void reasons_of_buffers(struct analysis *n);
void reasons_of_launch(struct analysis *n, const struct ptx_needs *needs);

/* regular.c: whether no store to a buffer happens in every CTA. */
bool regular_is_search(struct analysis *n);

/* independence.c */
bool independence_is_proved(struct analysis *n);

#endif /* WEFT_GPU_PTX_PRIV_ANALYSIS_H */
