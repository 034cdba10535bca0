/*
 * A checked expression cannot underflow its stack, so evaluation needs no
 * bounds but the names that the environment lacks.
 */
#include "gpu/program/expr.h"

#include <stddef.h>

#include "base/arena.h"

static const struct {
	uint8_t operand;
	uint8_t takes;
} ops[] = {
#define X(name, number, operand, takes) [number] = {operand, takes},
	PROGRAM_OP_LIST(X)
#undef X
};

#define OP_COUNT ((int64_t)(sizeof(ops) / sizeof(ops[0])))

struct program_expr program_expr_const(int64_t value)
{
	return (struct program_expr){.value = value};
}

static bool uses(const struct program_expr *e, int64_t op_a, int64_t op_b)
{
	for (uint32_t i = 0; i < e->code_count; i++) {
		int64_t op = e->code[i];

		if (op == op_a || op == op_b)
			return true;
		if (op >= 0 && op < OP_COUNT)
			i += ops[op].operand;
	}
	return false;
}

bool program_expr_uses_task(const struct program_expr *e)
{
	return uses(e, PROGRAM_OP_TASK, PROGRAM_OP_COLUMN);
}

bool program_expr_uses_repeat(const struct program_expr *e)
{
	return uses(e, PROGRAM_OP_REPEAT, PROGRAM_OP_REPEAT);
}

static bool operand_ok(int64_t op, int64_t v, uint32_t repeat_count,
		       uint32_t column_count)
{
	if (op == PROGRAM_OP_REPEAT)
		return v >= 0 && v < repeat_count;
	if (op == PROGRAM_OP_COLUMN)
		return v >= 0 && v < column_count;
	return true;
}

enum err program_expr_check(const struct program_expr *e, uint32_t repeat_count,
			    uint32_t column_count)
{
	uint32_t depth = 0;

	if (e->code_count == 0)
		return ERR_OK;
	if (e->code_count > PROGRAM_EXPR_CODE_MAX)
		return ERR_MALFORMED;
	for (uint32_t i = 0; i < e->code_count; i++) {
		int64_t op = e->code[i];

		if (op < 0 || op >= OP_COUNT || depth < ops[op].takes)
			return ERR_MALFORMED;
		if (ops[op].operand) {
			if (++i == e->code_count ||
			    !operand_ok(op, e->code[i], repeat_count,
					column_count))
				return ERR_MALFORMED;
		}
		depth = depth - ops[op].takes + 1;
		if (depth > PROGRAM_EXPR_STACK_MAX)
			return ERR_MALFORMED;
	}
	return depth == 1 ? ERR_OK : ERR_MALFORMED;
}

static enum err leaf(const struct program_env *env, enum program_op op,
		     int64_t operand, int64_t *ret)
{
	if (op == PROGRAM_OP_PUSH) {
		*ret = operand;
	} else if (op == PROGRAM_OP_TASK) {
		*ret = env->task_index;
	} else if (op == PROGRAM_OP_REPEAT) {
		if (operand < 0 || operand >= env->repeat_count)
			return ERR_REFUSED;
		*ret = env->repeat[operand];
	} else {
		if (operand < 0 || operand >= env->column_count)
			return ERR_REFUSED;
		*ret = env->columns[operand];
	}
	return ERR_OK;
}

static enum err divide(enum program_op op, int64_t a, int64_t b, int64_t *ret)
{
	if (b == 0)
		return ERR_REFUSED;
	if (a == INT64_MIN && b == -1) {
		if (op == PROGRAM_OP_DIV)
			return ERR_OVERFLOW;
		*ret = 0;
		return ERR_OK;
	}
	*ret = op == PROGRAM_OP_DIV ? a / b : a % b;
	return ERR_OK;
}

static bool add_passes(int64_t a, int64_t b)
{
	return b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b;
}

static bool sub_passes(int64_t a, int64_t b)
{
	return b > 0 ? a < INT64_MIN + b : a > INT64_MAX + b;
}

static bool mul_passes(int64_t a, int64_t b)
{
	if (a == 0 || b == 0)
		return false;
	if (a > 0)
		return b > 0 ? a > INT64_MAX / b : b < INT64_MIN / a;
	return b > 0 ? a < INT64_MIN / b : b < INT64_MAX / a;
}

static enum err binary(enum program_op op, int64_t a, int64_t b, int64_t *ret)
{
	if (op == PROGRAM_OP_DIV || op == PROGRAM_OP_REM)
		return divide(op, a, b, ret);
	if (op == PROGRAM_OP_ADD) {
		if (add_passes(a, b))
			return ERR_OVERFLOW;
		*ret = a + b;
	} else if (op == PROGRAM_OP_SUB) {
		if (sub_passes(a, b))
			return ERR_OVERFLOW;
		*ret = a - b;
	} else {
		if (mul_passes(a, b))
			return ERR_OVERFLOW;
		*ret = a * b;
	}
	return ERR_OK;
}

enum err program_expr_eval(const struct program_expr *e,
			   const struct program_env *env, int64_t *ret_value)
{
	int64_t stack[PROGRAM_EXPR_STACK_MAX];
	uint32_t n = 0;

	if (e->code_count == 0) {
		*ret_value = e->value;
		return ERR_OK;
	}
	for (uint32_t i = 0; i < e->code_count; i++) {
		enum program_op op = (enum program_op)e->code[i];
		enum err err;

		if (ops[op].takes == 2) {
			n--;
			err = binary(op, stack[n - 1], stack[n], &stack[n - 1]);
		} else if (ops[op].takes == 1) {
			err = binary(PROGRAM_OP_SUB, 0, stack[n - 1],
				     &stack[n - 1]);
		} else {
			int64_t operand = 0;

			if (ops[op].operand)
				operand = e->code[++i];
			err = leaf(env, op, operand, &stack[n++]);
		}
		if (err)
			return err;
	}
	*ret_value = stack[0];
	return ERR_OK;
}

void program_expr_encode(struct buf *b, const struct program_expr *e)
{
	if (e->code_count == 0) {
		enc_int(b, e->value);
		return;
	}
	enc_array(b, e->code_count);
	for (uint32_t i = 0; i < e->code_count; i++)
		enc_int(b, e->code[i]);
}

static bool next_is_array(const struct dec *d)
{
	uint8_t head;

	if (d->err || d->at >= d->in.n)
		return false;
	head = d->in.p[d->at];
	return (head >= 0x90 && head <= 0x9f) || head == 0xdc || head == 0xdd;
}

struct program_expr program_expr_decode(struct dec *d, struct arena *a)
{
	struct program_expr e = {0};
	int64_t *code;

	if (!next_is_array(d)) {
		e.value = dec_int(d);
		return e;
	}
	e.code_count = dec_array(d, PROGRAM_EXPR_CODE_MAX);
	if (!d->err && (e.code_count == 0 || e.code_count > d->in.n - d->at))
		dec_fail(d, ERR_MALFORMED);
	code = d->err ? NULL : ARENA_ARRAY(a, e.code_count, int64_t);
	if (!code) {
		dec_fail(d, ERR_NO_MEMORY);
		return (struct program_expr){0};
	}
	for (uint32_t i = 0; i < e.code_count; i++)
		code[i] = dec_int(d);
	e.code = code;
	return e;
}
