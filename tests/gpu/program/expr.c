/* Expressions: C's integer rules in 64 bits, checked. */
#include <criterion/criterion.h>

#include "base/arena.h"
#include "gpu/program/expr.h"

#define P PROGRAM_OP_PUSH

static struct program_env env(void)
{
	static const int64_t columns[2] = {-9, 1000};

	return (struct program_env){.repeat = {5, 6},
				    .repeat_count = 2,
				    .task_index = 7,
				    .columns = columns,
				    .column_count = 2};
}

static enum err eval(const int64_t *code, uint32_t n, int64_t *v)
{
	struct program_expr e = {.code = code, .code_count = n};
	struct program_env at = env();

	cr_assert_eq(program_expr_check(&e, 2, 2), ERR_OK);
	return program_expr_eval(&e, &at, v);
}

struct row {
	enum program_op op;
	int64_t a;
	int64_t b;
	enum err err;
	int64_t want;
};

Test(expr, binary)
{
	static const struct row rows[] = {
		{PROGRAM_OP_ADD, INT64_MAX, 0, ERR_OK, INT64_MAX},
		{PROGRAM_OP_ADD, INT64_MAX, 1, ERR_OVERFLOW, 0},
		{PROGRAM_OP_ADD, INT64_MIN, -1, ERR_OVERFLOW, 0},
		{PROGRAM_OP_SUB, 3, 5, ERR_OK, -2},
		{PROGRAM_OP_SUB, INT64_MIN, 1, ERR_OVERFLOW, 0},
		{PROGRAM_OP_SUB, INT64_MAX, -1, ERR_OVERFLOW, 0},
		{PROGRAM_OP_SUB, 0, INT64_MIN, ERR_OVERFLOW, 0},
		{PROGRAM_OP_SUB, -1, INT64_MIN, ERR_OK, INT64_MAX},
		{PROGRAM_OP_MUL, 1 << 20, 1 << 20, ERR_OK, 1ll << 40},
		{PROGRAM_OP_MUL, INT64_MIN, -1, ERR_OVERFLOW, 0},
		{PROGRAM_OP_MUL, -1, INT64_MIN, ERR_OVERFLOW, 0},
		{PROGRAM_OP_MUL, INT64_MIN, 1, ERR_OK, INT64_MIN},
		{PROGRAM_OP_MUL, INT64_MIN, 0, ERR_OK, 0},
		{PROGRAM_OP_MUL, 3037000500, 3037000500, ERR_OVERFLOW, 0},
		{PROGRAM_OP_MUL, -3037000499, 3037000499, ERR_OK,
		 -9223372030926249001},
		{PROGRAM_OP_DIV, -7, 2, ERR_OK, -3},
		{PROGRAM_OP_DIV, 7, -2, ERR_OK, -3},
		{PROGRAM_OP_DIV, 7, 0, ERR_REFUSED, 0},
		{PROGRAM_OP_DIV, INT64_MIN, -1, ERR_OVERFLOW, 0},
		{PROGRAM_OP_REM, -7, 2, ERR_OK, -1},
		{PROGRAM_OP_REM, 7, -2, ERR_OK, 1},
		{PROGRAM_OP_REM, INT64_MIN, -1, ERR_OK, 0},
		{PROGRAM_OP_REM, 7, 0, ERR_REFUSED, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *r = &rows[i];
		const int64_t code[] = {P, r->a, P, r->b, r->op};
		int64_t v = 0;

		cr_assert_eq(eval(code, 5, &v), r->err, "row %zu", i);
		if (r->err == ERR_OK)
			cr_assert_eq(v, r->want, "row %zu", i);
	}
}

Test(expr, names)
{
	const int64_t code[] = {
		PROGRAM_OP_REPEAT, 1, PROGRAM_OP_TASK, PROGRAM_OP_MUL,
		PROGRAM_OP_COLUMN, 0, PROGRAM_OP_NEG,  PROGRAM_OP_ADD};
	const int64_t min[] = {P, INT64_MIN, PROGRAM_OP_NEG};
	int64_t v = 0;

	cr_assert_eq(eval(code, 8, &v), ERR_OK);
	cr_assert_eq(v, 6 * 7 + 9);
	cr_assert_eq(eval(min, 3, &v), ERR_OVERFLOW);
}

static enum err check(const int64_t *code, uint32_t n)
{
	struct program_expr e = {.code = code, .code_count = n};

	return program_expr_check(&e, 2, 2);
}

Test(expr, malformed)
{
	const int64_t underflow[] = {P, 1, PROGRAM_OP_ADD};
	const int64_t two[] = {P, 1, P, 2};
	const int64_t cut[] = {P};
	const int64_t unknown[] = {10};
	const int64_t negative[] = {-1};
	const int64_t loop[] = {PROGRAM_OP_REPEAT, 2};
	const int64_t column[] = {PROGRAM_OP_COLUMN, -1};
	int64_t deep[2 * PROGRAM_EXPR_STACK_MAX + 2] = {0};
	int64_t full[3 * PROGRAM_EXPR_STACK_MAX - 1] = {0};

	cr_assert_eq(check(underflow, 3), ERR_MALFORMED);
	cr_assert_eq(check(two, 4), ERR_MALFORMED);
	cr_assert_eq(check(cut, 1), ERR_MALFORMED);
	cr_assert_eq(check(unknown, 1), ERR_MALFORMED);
	cr_assert_eq(check(negative, 1), ERR_MALFORMED);
	cr_assert_eq(check(loop, 2), ERR_MALFORMED);
	cr_assert_eq(check(column, 2), ERR_MALFORMED);
	cr_assert_eq(check(deep, 2 * PROGRAM_EXPR_STACK_MAX + 2),
		     ERR_MALFORMED);
	/* 32 pushes, 31 additions: just fits */
	for (uint32_t i = 2 * PROGRAM_EXPR_STACK_MAX;
	     i < 3 * PROGRAM_EXPR_STACK_MAX - 1; i++)
		full[i] = PROGRAM_OP_ADD;
	cr_assert_eq(check(full, 3 * PROGRAM_EXPR_STACK_MAX - 1), ERR_OK);
}

Test(expr, an_empty_array_is_no_expression)
{
	struct arena *a = arena_new(1 << 16);
	struct dec d = dec_make(BYTES_LIT("\x90"));

	program_expr_decode(&d, a);
	cr_assert_eq(d.err, ERR_MALFORMED);
	arena_free(a);
}
