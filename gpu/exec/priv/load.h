/*
 * gpu/exec/priv/load - from the parsed tree to ops.
 *
 * The loader trusts nothing in the tree but what gpu/ptx/module.h promises:
 * every operand's register class is checked here before it becomes a
 * reference to lanes, and whatever has no row in ops.def is refused.
 */
#ifndef WEFT_GPU_EXEC_PRIV_LOAD_H
#define WEFT_GPU_EXEC_PRIV_LOAD_H

#include "gpu/exec/priv/op.h"
#include "gpu/ptx/module.h"

/* Temporaries of a function, each wide enough for 64 bits. */
#define LOAD_TEMPS 16u

/* The one that holds the complement of a predicate, and nothing else. */
#define LOAD_TEMP_NEGATED 8u

/* Two of 64 bits with which a lane may wait: a row of a matrix. */
#define LOAD_TEMP_ROW 12u

/* The address of a variable on the stack. */
#define LOAD_TEMP_ADDRESS 14u

struct loader {
	const struct ptx_module *pm;
	const struct ptx_function *pf;
	const struct ptx_instr *in;
	struct exec_module *m;
	struct function *f;
	struct exec_refusal *why;
	enum err err;	   /* sticky */
	uint32_t first_op; /* of this instruction */
	uint32_t number;   /* of this instruction */
	uint32_t op_cap, list_cap, constant_cap, fix_cap;
	uint32_t copy_cap, table_cap;
	uint32_t *hash; /* constants by value, index + 1 */
	uint32_t hash_cap;
	/* By index of the module's variables: slot or variable number. */
	uint32_t *variable_home;
	/* Frame places of .param variables, by index of the variable. */
	struct place *variable_place;
	/* By prototype: where its targets stand in module->tables. */
	struct place *prototype_targets;
	/* Local copies of parameters whose address is taken. */
	struct param_copy *param_copies;
	uint32_t param_copy_count, param_copy_cap;
};

/* The function's parameter, and the slot or place in the stack (recursive
 * functions) that its copy has. */
struct param_copy {
	uint32_t function, param;
	uint32_t home;
};

/* Refuse the present instruction; later calls do nothing. */
void load_refuse(struct loader *l, const char *why);

/* A new op for the present instruction, with its guard; never NULL (a scratch
 * op after an error). */
struct op *load_emit(struct loader *l, enum op_id id);

/* Lanes of an operand; size: 1 predicate, 2, 4, 8 bytes.  Constants go to the
 * pool.  A negated predicate takes a temporary. */
op_ref load_source(struct loader *l, const struct ptx_operand *o,
		   uint32_t size);
op_ref load_register(struct loader *l, const struct ptx_operand *o,
		     uint32_t size); /* REG of exactly that size */
op_ref load_unit(struct loader *l, uint32_t cls, uint32_t index);
op_ref load_temp(struct loader *l, uint32_t i);
op_ref load_constant(struct loader *l, uint64_t value, bool is_wide);
/* The address of a variable or slot, known at launch. */
op_ref load_address(struct loader *l, enum fix_kind kind, uint32_t index,
		    uint64_t offset, bool is_wide);
op_ref load_special(struct loader *l, uint32_t sreg, uint32_t component);
/* Bytes of a register class: 1 for predicates. */
uint32_t load_class_bytes(uint32_t cls);
uint32_t load_type_bytes(uint32_t type);

const struct ptx_operand *load_operand(struct loader *l, uint32_t i);

/* Growing arrays of the module; false after an error. */
bool load_grow(struct loader *l, void **p, uint32_t *cap, uint32_t need,
	       size_t size);

/* The row of ops.def that fits; OP_COUNT when none does. */
enum op_id load_match(uint32_t ptx_op, uint32_t type0, uint32_t type1,
		      const uint8_t *mods, uint64_t ignore);
/* One instruction by its row alone. */
void load_row(struct loader *l);
uint16_t load_csr(const struct ptx_instr *in);
uint32_t load_cost(enum op_id id);
bool load_is_step(enum op_id id);
/* Of d, for a lane op: 1, or 2 where it has 64 bits. */
uint32_t load_result_units(enum op_id id);

/* Families. */
void load_mov(struct loader *l);
void load_cvt(struct loader *l);
void load_cvta(struct loader *l);
void load_setp(struct loader *l);
void load_set(struct loader *l);
void load_testp(struct loader *l);
void load_ld(struct loader *l);
void load_st(struct loader *l);
void load_atom(struct loader *l);
void load_isspacep(struct loader *l);
void load_ldmatrix(struct loader *l);
void load_stmatrix(struct loader *l);
void load_movmatrix(struct loader *l);
void load_mma(struct loader *l);
void load_extreme(struct loader *l); /* min, max */
void load_cvt_pack(struct loader *l);
void load_video(struct loader *l);
void load_simd(struct loader *l);
void load_cp_async(struct loader *l);
void load_hint(struct loader *l);
void load_bra(struct loader *l);
void load_brx(struct loader *l);
void load_call(struct loader *l);
void load_alloca(struct loader *l);
void load_stacksave(struct loader *l);
void load_stackrestore(struct loader *l);
void load_ret(struct loader *l);
void load_exit(struct loader *l);
void load_trap(struct loader *l);
void load_bar(struct loader *l);
void load_bar_warp(struct loader *l);
void load_shfl(struct loader *l);
void load_vote(struct loader *l);
void load_match_sync(struct loader *l);
void load_redux(struct loader *l);
void load_activemask(struct loader *l);

/* Variables, slots and frames of the module (load_variable.c). */
void load_variables(struct loader *l);

/* Which results a witness may look at (load_witness.c). */
void load_witness(struct loader *l);

/* Let registers of the function share places (load_compact.c); false: out of
 * memory. */
bool load_compact(struct loader *l);
/* Final places of all registers (load_place.c). */
void load_place_all(struct loader *l);

/* Accesses that know the addresses of earlier ones (load_span.c). */
void load_spans(struct loader *l);

/* Who calls whom: cycles, depths, who needs a stack (load_calls.c). */
void load_call_graph(struct loader *l);

/* What an argument or result takes there: those in registers, too. */
uint32_t load_stage_bytes(const struct ptx_param *p);

/* Copies between each function and the staging places (load_call.c). */
void load_stage_copies(struct loader *l);

/* Frames on the stack (load_stack.c): a recursive function's variables,
 * addresses of local variables, copies of parameters at a function's start,
 * and which registers a call keeps. */
uint32_t load_stack_variable(struct loader *l, uint32_t function,
			     uint64_t bytes);
op_ref load_local_address(struct loader *l, uint32_t variable, uint64_t offset,
			  bool is_wide);
/* REF_NONE: the parameter has no copy. */
op_ref load_param_address(struct loader *l, uint32_t param, uint64_t offset,
			  bool is_wide);
void load_param_copies(struct loader *l);
void load_stack_frames(struct loader *l);
void load_saves(struct loader *l, struct function *f);

/* Memory operand: fills space, a, offset, is_wide, is_static of o. */
void load_memory(struct loader *l, const struct ptx_operand *mem,
		 uint32_t space_mod, struct op *o);

#endif /* WEFT_GPU_EXEC_PRIV_LOAD_H */
