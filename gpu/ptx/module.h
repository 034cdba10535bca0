/*
 * gpu/ptx/module - a PTX module as a tree, everything resolved.
 *
 * ptx_parse() (gpu/ptx/parse.h) makes it; the printer, the classifier and the
 * executors read it.  No text is left to interpret: modifiers are numbers,
 * registers are indexes in a class, symbols and labels are indexes, scopes
 * are renamed apart, and every immediate is the raw bits of the type that its
 * place in the instruction has.  All of it lives in the arena given to
 * ptx_parse(), and nothing changes it afterwards.
 *
 * Terms: sizes are in bytes; an index is always below the count beside its
 * array; PTX_NO_INDEX stands for "none".
 */
#ifndef WEFT_GPU_PTX_MODULE_H
#define WEFT_GPU_PTX_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

#define PTX_NO_INDEX 0xffffffffu

/* Limits of one module; more is ERR_LIMIT. */
#define PTX_OPERANDS_MAX    8u	       /* of one instruction, calls apart */
#define PTX_REGISTERS_MAX   (1u << 18) /* of one function */
#define PTX_FUNCTIONS_MAX   4096u
#define PTX_VARIABLES_MAX   65536u
#define PTX_PARAMS_MAX	    4096u /* of one function */
#define PTX_PARAM_BYTES_MAX 32764u

enum ptx_type {
#define PTX_TYPE(name, text, bits, kind) PTX_TYPE_##name,
#include "gpu/ptx/types.def"
	PTX_TYPE_COUNT
};

enum ptx_type_kind {
	PTX_KIND_N, /* none */
	PTX_KIND_P, /* predicate */
	PTX_KIND_B,
	PTX_KIND_U,
	PTX_KIND_S,
	PTX_KIND_F,
};

struct ptx_type_info {
	const char *text; /* without the dot */
	uint8_t bits;
	uint8_t kind; /* enum ptx_type_kind */
};

extern const struct ptx_type_info ptx_types[PTX_TYPE_COUNT];

/* Registers live in classes by width; canonical names %p %c %h %r %d %q. */
enum ptx_class {
	PTX_CLASS_PRED,
	PTX_CLASS_8,
	PTX_CLASS_16,
	PTX_CLASS_32,
	PTX_CLASS_64,
	PTX_CLASS_128,
	PTX_CLASS_COUNT
};

/* 1, 8, 16, 32, 64, 128. */
uint32_t ptx_class_bits(enum ptx_class c);

/* The special registers. */
enum ptx_sreg {
#define PTX_SREG(name, text, bits, components, listed) PTX_SREG_##name,
#include "gpu/ptx/types.def"
	PTX_SREG_COUNT
};

struct ptx_sreg_info {
	const char *text;
	uint8_t bits;
	uint8_t components;
	bool is_listed; /* class A may read it */
};

extern const struct ptx_sreg_info ptx_sregs[PTX_SREG_COUNT];

/* Opcodes: PTX_OP_add ... */
enum ptx_op {
#define PTX_OP(name, text, form, operands, sm, version, trait) PTX_OP_##name,
#include "gpu/ptx/isa.def"
	/* Known but refused, or unknown, or with an unknown modifier or
	 * operand: func->opaque[aux] is why.  Cannot be printed or run. */
	PTX_OP_opaque,
	PTX_OP_COUNT
};

enum ptx_trait {
	PTX_TRAIT_EXACT,
	PTX_TRAIT_APPROX,
	PTX_TRAIT_MOVE,
	PTX_TRAIT_LOAD,
	PTX_TRAIT_STORE,
	PTX_TRAIT_ATOMIC,
	PTX_TRAIT_COPY,
	PTX_TRAIT_FLOW,
	PTX_TRAIT_SYNC,
	PTX_TRAIT_HINT,
	PTX_TRAIT_WARP,
};

struct ptx_op_info {
	const char *text; /* "add", "bar.warp" */
	const char *form; /* see gpu/ptx/isa.def */
	const char *operands;
	uint16_t sm;	  /* 75 for sm_75 */
	uint16_t version; /* 63 for 6.3 */
	uint8_t trait;	  /* enum ptx_trait */
};

extern const struct ptx_op_info ptx_ops[PTX_OP_COUNT];

/* Groups of modifiers: index into instr.mod[]. */
enum ptx_group {
#define PTX_GROUP(name, letter) PTX_MOD_##name,
#include "gpu/ptx/mods.def"
	PTX_MOD_COUNT
};

/* Values in a group: PTX_ROUND_RN = 1 ...; PTX_ROUND_NONE = 0, not written.
 * A flag has one value: PTX_FTZ_ON. */
enum {
#define PTX_GROUP(name, letter)	   PTX_##name##_NONE = 0,
#define PTX_MOD(group, name, text) PTX_##group##_##name,
#include "gpu/ptx/mods.def"
};

enum ptx_operand_kind {
	PTX_OPERAND_NONE,    /* an optional operand that is not there ("_") */
	PTX_OPERAND_REG,     /* cls, index; negated: "!p" */
	PTX_OPERAND_IMM,     /* imm: raw bits, zero above the type's width */
	PTX_OPERAND_SREG,    /* index: enum ptx_sreg, component 0..2 or N of
			      * %envregN */
	PTX_OPERAND_ADDRESS, /* the address base + offset, as a value */
	PTX_OPERAND_MEMORY,  /* what stands at base + offset */
	PTX_OPERAND_VECTOR,  /* elements[index .. index + count) of the
			      * function: REG, IMM or NONE */
	PTX_OPERAND_LABEL,   /* index: instruction, at most instr_count */
	PTX_OPERAND_TABLE,   /* brx.idx: index into tables */
};

enum ptx_base {
	PTX_BASE_NONE,	   /* absolute: offset alone */
	PTX_BASE_REG,	   /* cls (32 or 64) and index */
	PTX_BASE_VARIABLE, /* index in module->variables */
	PTX_BASE_PARAM,	   /* index in function->params */
	PTX_BASE_RETURN,   /* index in function->returns */
	PTX_BASE_FUNCTION, /* index in module->functions; ADDRESS only */
};

/* Part of a register that a video instruction takes. */
enum ptx_select {
	PTX_SELECT_ALL,
	PTX_SELECT_B0,
	PTX_SELECT_B1,
	PTX_SELECT_B2,
	PTX_SELECT_B3,
	PTX_SELECT_H0,
	PTX_SELECT_H1,
	PTX_SELECT_LANES, /* of vadd2 ... vset4: see lanes */
};

/*
 * Lanes of a SIMD video operand: how many there are in the lowest nibble,
 * then the number of each in a nibble, from the right of the text.  A
 * destination's are the lanes that are written, a source's where each lane is
 * taken from, in the pair of sources.
 */
#define PTX_LANE_COUNT(lanes) ((lanes)&15u)
#define PTX_LANE(lanes, i)    ((lanes) >> (4u * ((i) + 1u)) & 15u)

struct ptx_operand {
	uint8_t kind;	/* enum ptx_operand_kind */
	uint8_t cls;	/* enum ptx_class: REG, and bases that are registers */
	uint8_t base;	/* enum ptx_base: ADDRESS, MEMORY */
	bool negated;	/* REG of class PRED: its complement; vmad: -x */
	uint8_t select; /* enum ptx_select: video instructions */
	uint8_t component; /* SREG */
	uint16_t count;	   /* VECTOR */
	uint32_t index;
	uint32_t lanes;
	union {
		uint64_t imm;
		int64_t offset; /* ADDRESS, MEMORY */
	};
};

/*
 * One instruction.  Its operands are operands[operand_first ..] of the
 * function, in the order of the text; places that isa.def marks | or ? hold
 * PTX_OPERAND_NONE where something follows them ("|"), else operand_count ends
 * before them; a destination written "_" is NONE too.  So setp always has [p, q
 * or NONE, a, b, (c)], shfl [d, p or NONE, a, b, c, mask], lop3 [d, p or NONE,
 * a, b, c, lut, (q)], match [d, p or NONE, a, mask], vector ld [VECTOR,
 * MEMORY]. mov [d, a]: either side may be a VECTOR (pack, unpack), a may be
 * ADDRESS, SREG.  vote without a mask, and shfl without one, end early.  Any
 * value may be an SREG of its width. bar, barrier: [barrier, (count)], with
 * .red [d, barrier, count or NONE, p]; bar.warp [mask].  cp.async: [MEMORY dst,
 * MEMORY src, size, (src size or predicate "ignore")]; wait_group [n].
 */
struct ptx_instr {
	uint16_t op;	  /* enum ptx_op */
	uint8_t types[4]; /* enum ptx_type, NONE where not written */
	uint8_t operand_count;
	bool guard_negated;
	uint32_t guard; /* PRED register, or PTX_NO_INDEX */
	uint32_t operand_first;
	uint32_t aux; /* call: index in calls; opaque: index in opaque */
	uint32_t line, column; /* in the text, from 1 */
	uint32_t source_line;  /* from .loc, 0: unknown */
	uint16_t source_file;  /* index in module->files, 0xffff: unknown */
	uint8_t mod[PTX_MOD_COUNT]; /* by enum ptx_group */
};

/*
 * A call.  Arguments and results are REG, IMM, or ADDRESS of a variable of
 * space PTX_SPACE_PARAM (offset 0).  Exactly one of callee and target counts.
 */
struct ptx_call {
	uint32_t callee;	   /* index of the function, or PTX_NO_INDEX */
	struct ptx_operand target; /* REG: an indirect call's address */
	/* Indirect only: its prototype, in module->functions (no body); or
	 * PTX_NO_INDEX when a list of targets stands there. */
	uint32_t prototype;
	uint32_t *targets; /* indices of functions it may reach */
	uint32_t target_count;
	struct ptx_operand *results;
	uint32_t result_count;
	struct ptx_operand *args;
	uint32_t arg_count;
};

/* The labels of a brx.idx. */
struct ptx_table {
	uint32_t *targets; /* instruction indexes */
	uint32_t count;
};

/* Why an instruction is opaque: all in words for a person. */
struct ptx_opaque {
	struct bytes text; /* the opcode as written: "tex.2d.v4.f32.s32" */
	const char *why;
	bool is_known; /* in the ISA, but refused here */
};

/*
 * A parameter, or a result of a device function.  In a register (in_register;
 * device functions only), or in .param space at offset of the function's
 * parameter (or result) bytes.
 */
struct ptx_param {
	struct bytes name;
	uint8_t type; /* of one element, B8 for structs */
	uint8_t cls;  /* in_register */
	bool in_register;
	uint32_t index; /* in_register: register in cls */
	uint32_t align, bytes, offset;
	/* .ptr attribute: 0, or the guaranteed alignment of what it points
	 * to. */
	uint32_t pointee_align;
};

struct ptx_function {
	struct bytes name;
	bool is_entry;
	bool has_body;
	bool is_visible;   /* .visible or .weak */
	bool is_prototype; /* .callprototype: only its shape counts */
	bool is_noreturn;
	uint32_t line;
	/* The parser's: which text it stands in, and its body there. */
	uint32_t part;
	struct bytes text;

	struct ptx_param *params;
	uint32_t param_count, param_bytes;
	struct ptx_param *returns;
	uint32_t return_count, return_bytes;

	uint32_t reg_count[PTX_CLASS_COUNT];

	struct ptx_instr *instrs;
	uint32_t instr_count;
	struct ptx_operand *operands;
	uint32_t operand_count;
	struct ptx_operand *elements;
	uint32_t element_count;
	struct ptx_call *calls;
	uint32_t call_count;
	struct ptx_table *tables;
	uint32_t table_count;
	struct ptx_opaque *opaque;
	uint32_t opaque_count;

	/* Its own variables (.local, .shared, .param of call scopes):
	 * module->variables[variable_first ..]. */
	uint32_t variable_first, variable_count;

	/* Directives; 0: not given. */
	uint32_t maxntid[3], reqntid[3];
	uint32_t minnctapersm, maxnreg;
	/* Clusters: the kernel is class D. */
	bool needs_cluster;
};

/* A place in an initialiser that holds an address. */
struct ptx_reloc {
	uint32_t offset; /* in the variable */
	uint8_t bytes;	 /* 1, 4 or 8: how much of the address is stored */
	uint8_t shift;	 /* bits by which it is shifted down first */
	bool generic;
	uint8_t base; /* PTX_BASE_VARIABLE or PTX_BASE_FUNCTION */
	uint32_t index;
	int64_t addend;
};

struct ptx_variable {
	struct bytes name;
	uint8_t space; /* PTX_SPACE_GLOBAL CONST SHARED LOCAL PARAM */
	uint8_t type;  /* of one element */
	bool is_extern;
	bool is_visible; /* .visible, .weak, .common */
	/* .extern .shared without a size: dynamic shared memory; bytes = 0 */
	bool is_dynamic;
	bool is_opaque; /* texref, samplerref, surfref */
	uint32_t owner; /* function, or PTX_NO_INDEX: the module */
	uint32_t align;
	uint64_t bytes;
	uint8_t *init; /* init_bytes bytes; the rest is zero */
	uint64_t init_bytes;
	struct ptx_reloc *relocs; /* ascending offset, inside init_bytes */
	uint32_t reloc_count;
	uint32_t line;
	/* The parser's: which text it stands in, and where. */
	uint32_t part;
	struct bytes text;
};

struct ptx_module {
	uint16_t version;     /* 63 for 6.3 */
	uint16_t sm;	      /* 75 for sm_75 */
	uint8_t address_bits; /* 64 */
	struct ptx_function *functions;
	uint32_t function_count;
	struct ptx_variable *variables;
	uint32_t variable_count;
	struct bytes *files; /* of .file, by module index; p NULL: hole */
	uint32_t file_count;
	uint32_t instr_count; /* of all functions */
};

/* Video instructions: vadd ... vset; vadd2 ... vset4 alone; and their lanes, 2
 * or 4, else 0. */
bool ptx_is_video(uint32_t op);
bool ptx_is_simd(uint32_t op);
uint32_t ptx_lane_count(uint32_t op);

/* Two floats in one register: NaNs of theirs are none of the register's. */
static inline bool ptx_type_is_pair(uint32_t type)
{
	return type == PTX_TYPE_F16X2 || type == PTX_TYPE_BF16X2 ||
	       type == PTX_TYPE_F32X2;
}

/* The operand number i of an instruction. */
static inline const struct ptx_operand *
ptx_operand(const struct ptx_function *f, const struct ptx_instr *in,
	    uint32_t i)
{
	return &f->operands[in->operand_first + i];
}

/*
 * How many of the first operands are written: with "d|p" both places count,
 * the second may be NONE.  A call's results stand in its ptx_call.
 */
uint32_t ptx_dest_count(const struct ptx_instr *in);

/* Whether f has a body and the parameters and results of shape, a function or
 * a prototype: an indirect call reaches no other, it faults. */
bool ptx_same_shape(const struct ptx_function *f,
		    const struct ptx_function *shape);

/* Index of the entry with that name, or PTX_NO_INDEX. */
uint32_t ptx_module_find(const struct ptx_module *m, struct bytes name);

/* The opcode with its modifiers, canonical ("add.rn.f32"), into out (at most
 * n bytes with the zero); for messages and counts. */
void ptx_instr_name(const struct ptx_function *f, const struct ptx_instr *in,
		    char *out, size_t n);

#endif /* WEFT_GPU_PTX_MODULE_H */
