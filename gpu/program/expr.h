/*
 * gpu/program/expr - the integer expressions that stay in a program.
 *
 * Whatever depends on a repeat's index, on the task's index or on one of its
 * columns is kept as postfix: a flat array of opcodes, each followed by its
 * operand if it has one.  Everything else is one number.  Arithmetic is
 * signed 64-bit and checked; / and % truncate as in C.
 *
 * On the wire an expression without code is an integer, any other an array
 * of integers.
 */
#ifndef WEFT_GPU_PROGRAM_EXPR_H
#define WEFT_GPU_PROGRAM_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/codec.h"
#include "base/err.h"
#include "base/limits.h"

struct arena;

/* Most integers in one expression, and its deepest stack. */
#define PROGRAM_EXPR_CODE_MAX  512u
#define PROGRAM_EXPR_STACK_MAX 32u

/* name, number on the wire, has an operand, takes, gives */
#define PROGRAM_OP_LIST(X)                                        \
	X(PUSH, 0, 1, 0)   /* operand: the value */               \
	X(REPEAT, 1, 1, 0) /* operand: the loop, 0 = outermost */ \
	X(TASK, 2, 0, 0)                                          \
	X(COLUMN, 3, 1, 0) /* operand: the column's index */      \
	X(ADD, 4, 0, 2)                                           \
	X(SUB, 5, 0, 2)                                           \
	X(MUL, 6, 0, 2)                                           \
	X(DIV, 7, 0, 2)                                           \
	X(REM, 8, 0, 2)                                           \
	X(NEG, 9, 0, 1)

enum program_op {
#define X(name, number, operand, takes) PROGRAM_OP_##name = number,
	PROGRAM_OP_LIST(X)
#undef X
};

struct program_expr {
	int64_t value;	     /* the whole expression if code_count is 0 */
	const int64_t *code; /* borrowed; opcode, operand, opcode, ... */
	uint32_t code_count;
};

/* What the names stand for while an expression is evaluated. */
struct program_env {
	int64_t repeat[PROGRAM_REPEAT_DEPTH];
	uint32_t repeat_count; /* open loops */
	int64_t task_index;
	const int64_t *columns; /* borrowed; may be NULL if column_count is 0 */
	uint32_t column_count;
};

struct program_expr program_expr_const(int64_t value);

/* Of equal value whatever the task, and whatever the loops. */
bool program_expr_uses_task(const struct program_expr *e);
bool program_expr_uses_repeat(const struct program_expr *e);

/*
 * Is the code well formed: known opcodes, loops below repeat_count, columns
 * below column_count, the stack within its limit and one value at the end?
 * Returns ERR_OK or ERR_MALFORMED.
 */
MUST_USE enum err program_expr_check(const struct program_expr *e,
				     uint32_t repeat_count,
				     uint32_t column_count);

/*
 * Evaluate a checked expression.
 * Returns ERR_OK, ERR_OVERFLOW (a result outside 64 bits), ERR_REFUSED
 * (division by zero, or a name that env does not have).
 */
MUST_USE enum err program_expr_eval(const struct program_expr *e,
				    const struct program_env *env,
				    int64_t *ret_value);

void program_expr_encode(struct buf *b, const struct program_expr *e);

/* Reads one; the code lives in a.  Errors stick in d. */
struct program_expr program_expr_decode(struct dec *d, struct arena *a);

#endif /* WEFT_GPU_PROGRAM_EXPR_H */
