/*
 * gpu/ptx/priv/parser - the state of one parse, shared by its files.
 *
 * parse.c        the module and its directives, parts, diagnostics
 * parse_var.c    variables and their initialisers
 * parse_func.c   functions, parameters, scopes, labels, tables
 * parse_instr.c  opcodes and modifiers
 * operand.c      operands
 * number.c       constants
 *
 * Errors are sticky: after the first one the current token is TOKEN_END and
 * stays so, hence every loop that also ends at TOKEN_END ends.
 */
#ifndef WEFT_GPU_PTX_PRIV_PARSER_H
#define WEFT_GPU_PTX_PRIV_PARSER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/limits.h"
#include "gpu/ptx/module.h"
#include "gpu/ptx/parse.h"
#include "gpu/ptx/priv/lex.h"
#include "gpu/ptx/priv/names.h"

/* A number as written. */
struct number {
	enum { NUMBER_INT, NUMBER_F32, NUMBER_F64 } kind;
	uint64_t bits;	    /* INT: the value; F32, F64: raw bits */
	bool is_exact_form; /* 0f..., 0d...: bits may be moved as bits */
};

/* Register slots of the function at hand: a slot gets its index in its class
 * at its first appearance. */
struct reg_slot {
	uint32_t generation; /* of the function that used it last */
	uint32_t index;
};

/* A label (or .branchtargets) named before it was seen. */
struct pending {
	struct bytes name;
	uint32_t *index; /* where the answer goes */
	uint32_t line, column;
	bool is_table;
};

struct target_list {
	uint32_t *functions;
	uint32_t count;
};

struct alias {
	uint32_t from, to; /* functions */
};

/* An op or a modifier by its text. */
struct word_entry {
	const char *text;
	uint16_t length;
	uint16_t next;	      /* + 1; 0: end */
	uint8_t group, value; /* modifiers */
	uint16_t op;	      /* ops; PTX_OP_COUNT + i: refused i */
};

#define WORD_BUCKETS 512u
#define WORD_MAX     512u

struct words {
	uint16_t buckets[WORD_BUCKETS];
	struct word_entry entries[WORD_MAX];
	uint32_t count;
};

struct parser {
	struct arena *a;
	struct lexer lex;
	struct token t, next;
	enum err err;
	struct ptx_diag diag;
	struct ptx_module *m;
	struct names names;
	struct words *ops, *mods;
	uint32_t part; /* which of several texts */

	uint32_t function_cap, variable_cap, file_cap;

	/* Pools, sized by a count of the text's punctuation. */
	struct ptx_instr *instrs;
	uint32_t instr_count, instr_cap;
	struct ptx_operand *operands;
	uint32_t operand_count, operand_cap;
	struct ptx_operand *elements;
	uint32_t element_count, element_cap;

	/* The function at hand. */
	uint32_t function; /* PTX_NO_INDEX at module scope */
	uint32_t generation;
	struct reg_slot *slots;
	uint32_t slot_count, slot_cap;
	uint32_t reg_count[PTX_CLASS_COUNT];
	struct pending *pending;
	uint32_t pending_count, pending_cap;
	struct ptx_call *calls;
	uint32_t call_count, call_cap, call_first;
	struct ptx_table *tables;
	uint32_t table_count, table_cap, table_first;
	uint32_t table_targets;
	struct ptx_opaque *opaque;
	uint32_t opaque_count, opaque_cap, opaque_first;
	struct target_list *targets;
	uint32_t target_count, target_cap;
	uint32_t loc; /* the last, index + 1; 0: none in this function */

	/* Of the text at hand. */
	struct ptx_loc *locs;
	uint32_t loc_count, loc_cap;
	uint32_t *locs_seen;	 /* by a hash of the place, index + 1 */
	uint32_t locs_seen_bits; /* of that hash */

	struct alias *aliases;
	uint32_t alias_count, alias_cap;

	/* The instruction at hand. */
	struct ptx_operand ops_now[PTX_OPERANDS_MAX];
	uint32_t ops_now_count;
	bool may_take_sreg; /* mov and cvt */
};

/* The function at hand. */
static inline struct ptx_function *parser_function(struct parser *p)
{
	return &p->m->functions[p->function];
}

/* parse.c: errors.  The first one counts. */
void parser_fail(struct parser *p, enum err code, const char *what);
void parser_fail_at(struct parser *p, enum err code, const char *what,
		    const struct token *t);
/* Takes ERR_OK too, and then does nothing. */
void parser_check(struct parser *p, enum err e, const char *what);

/* parse.c: tokens. */
void parser_advance(struct parser *p);
bool parser_is(const struct parser *p, char punct);
bool parser_is_dot(const struct parser *p, const char *text);
bool parser_is_word(const struct parser *p, const char *text);
/* Takes the token if it is that one. */
bool parser_accept(struct parser *p, char punct);
bool parser_accept_dot(struct parser *p, const char *text);
void parser_expect(struct parser *p, char punct);
/* The word at hand, taken; empty after an error. */
struct bytes parser_word(struct parser *p, const char *what);
/* Up to and with ';'. */
void parser_skip_statement(struct parser *p);
/* From '{' to its '}'. */
void parser_skip_braces(struct parser *p);

/*
 * A vector in the arena that grows by doubling: room for one more at count.
 * Returns the array (moved perhaps), NULL after an error.
 */
void *parser_grow(struct parser *p, void *old, uint32_t count, uint32_t *cap,
		  size_t size, uint32_t max);

/* number.c */
bool number_parse(struct bytes text, struct number *ret);
/* [-] number, or a parenthesised integer expression. */
struct number parser_number(struct parser *p);
/* An integer alone, after a sign perhaps: %r<8>. */
int64_t parser_count(struct parser *p);
/* An integer expression. */
int64_t parser_integer(struct parser *p);
/* Raw bits of n as a value of type t; fails if it has none. */
uint64_t parser_convert(struct parser *p, struct number n, enum ptx_type t);

/* parse_var.c: types, and [.linkage] .space variables. */
enum ptx_type type_of_text(struct bytes text);
/* .b32: taken; fails if it is none. */
enum ptx_type parser_type(struct parser *p);
/* .align n: taken. */
uint32_t parser_align(struct parser *p);
struct linkage {
	bool is_extern, is_visible;
};
/* At the space: .global ...;  */
void parser_variable(struct parser *p, struct linkage linkage);
/* At .reg. */
void parser_registers(struct parser *p);
enum ptx_class class_of_bits(uint32_t bits);
/* Dimensions [2][3], taken: elements; is_open: the first was []. */
uint64_t parser_dimensions(struct parser *p, bool *ret_is_open);

/* parse_func.c */
void parser_function_item(struct parser *p, struct linkage linkage);
/* At .callprototype, label taken already. */
void parser_prototype(struct parser *p, struct bytes name);
void parser_add_pending(struct parser *p, const struct token *name,
			uint32_t *index, bool is_table);
void parser_add_name(struct parser *p, struct bytes text, enum name_kind kind,
		     uint32_t index, uint32_t count, enum ptx_class cls);

/* parse_loc.c: at .loc; and what all of a text's, from its first instruction
 * on, come to. */
void parser_loc(struct parser *p);
void parser_place_instrs(struct parser *p, uint32_t first);

/* parse_instr.c: at a guard or an opcode. */
void parser_instr(struct parser *p);
enum err words_init(struct parser *p);

/* fragment.c: sizes that the instruction fixes; NULL, or what is wrong. */
const char *parser_check_sizes(const struct parser *p,
			       const struct ptx_instr *in);

/* operand.c */
/* One operand that isa.def describes by letter. */
void parser_operand(struct parser *p, struct ptx_instr *in, char letter,
		    bool is_dest);
/* A register by its name; false (no error) if the name is none. */
bool parser_find_reg(struct parser *p, struct bytes text,
		     struct ptx_operand *ret);
/* Any register of that class, taken. */
struct ptx_operand parser_reg(struct parser *p, enum ptx_class cls);
/* The operands of call, after its opcode. */
void parser_call(struct parser *p, struct ptx_instr *in);
/* Those of bar, barrier, cp.async, fence, which fit no pattern. */
void parser_bar(struct parser *p, struct ptx_instr *in);
void parser_cp_async(struct parser *p, struct ptx_instr *in);
void parser_put(struct parser *p, struct ptx_operand o);

#endif /* WEFT_GPU_PTX_PRIV_PARSER_H */
