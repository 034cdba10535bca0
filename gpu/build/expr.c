/*
 * Recursive descent that writes postfix as it goes.  A subexpression whose
 * code is one PUSH is a constant; an operator on constants is folded at once,
 * so that a constant expression ends as one number and its errors are found
 * where they stand.
 */
#include <stdio.h>
#include <string.h>

#include "gpu/build/priv/read.h"

#define EXPR_DEPTH_MAX 24u /* parentheses and signs */

struct expr {
	struct read *r;
	struct bytes text;
	size_t i;
	struct build_pos at;
	bool plain;
	enum read_scope scope;
	unsigned depth;
	uint32_t n;
	int64_t code[PROGRAM_EXPR_CODE_MAX];
};

static struct build_pos place(const struct expr *e, size_t i)
{
	struct build_pos at = e->at;

	if (e->plain)
		at.column += 1 + (uint32_t)i;
	return at;
}

static void emit(struct expr *e, int64_t v)
{
	if (e->n == PROGRAM_EXPR_CODE_MAX)
		read_fail(e->r, e->at, "the expression is too long");
	else
		e->code[e->n++] = v;
}

static void emit_push(struct expr *e, int64_t v)
{
	emit(e, PROGRAM_OP_PUSH);
	emit(e, v);
}

static void skip_space(struct expr *e)
{
	while (e->i < e->text.n && strchr(" \t\r\n", e->text.p[e->i]))
		e->i++;
}

/* The next character that is not space, 0 at the end. */
static char peek(struct expr *e)
{
	skip_space(e);
	return e->i < e->text.n ? (char)e->text.p[e->i] : '\0';
}

static bool is_const(const struct expr *e, uint32_t start)
{
	return e->n == start + 2 && e->code[start] == PROGRAM_OP_PUSH;
}

/* false: overflow or division by zero. */
static bool fold(enum program_op op, int64_t x, int64_t y, int64_t *v)
{
	switch (op) {
	case PROGRAM_OP_ADD:
		return !__builtin_add_overflow(x, y, v);
	case PROGRAM_OP_SUB:
		return !__builtin_sub_overflow(x, y, v);
	case PROGRAM_OP_MUL:
		return !__builtin_mul_overflow(x, y, v);
	case PROGRAM_OP_DIV:
		if (y == 0 || (x == INT64_MIN && y == -1))
			return false;
		*v = x / y;
		return true;
	case PROGRAM_OP_REM:
		if (y == 0 || (x == INT64_MIN && y == -1))
			return false;
		*v = x % y;
		return true;
	case PROGRAM_OP_PUSH:
	case PROGRAM_OP_REPEAT:
	case PROGRAM_OP_TASK:
	case PROGRAM_OP_COLUMN:
	case PROGRAM_OP_NEG:
		break;
	}
	return false;
}

static void binary(struct expr *e, enum program_op op, uint32_t left,
		   uint32_t right, size_t where)
{
	int64_t y, v = 0;

	if (!read_ok(e->r))
		return;
	if (!is_const(e, right)) {
		emit(e, op);
		return;
	}
	y = e->code[right + 1];
	if ((op == PROGRAM_OP_DIV || op == PROGRAM_OP_REM) && y == 0) {
		read_fail(e->r, place(e, where), "division by zero");
		return;
	}
	if (right != left + 2 || e->code[left] != PROGRAM_OP_PUSH) {
		emit(e, op);
		return;
	}
	if (!fold(op, e->code[left + 1], y, &v)) {
		read_fail(e->r, place(e, where),
			  "the result does not fit 64 bits");
		return;
	}
	e->n = left;
	emit_push(e, v);
}

/* Digits, or 0x and hex digits, at e->i. */
static void literal(struct expr *e, bool negative)
{
	size_t from = e->i;
	uint64_t v = 0, top = (uint64_t)INT64_MAX + (negative ? 1 : 0);
	unsigned base = 10;

	if (e->i + 1 < e->text.n && e->text.p[e->i] == '0' &&
	    (e->text.p[e->i + 1] | 0x20) == 'x') {
		base = 16;
		e->i += 2;
	}
	for (size_t start = e->i;; e->i++) {
		uint8_t c = e->i < e->text.n ? e->text.p[e->i] : ' ';
		unsigned d;

		if (c >= '0' && c <= '9')
			d = (unsigned)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')
			d = (unsigned)((c | 0x20) - 'a') + 10;
		else if (c == '_' || c == '.')
			d = 99;
		else if (e->i > start)
			break;
		else
			d = 99;
		if (d >= base) {
			read_fail(e->r, place(e, from),
				  "expected an integer, decimal or 0x");
			return;
		}
		if (v > (top - d) / base) {
			read_fail(e->r, place(e, from),
				  "the number does not fit 64 bits");
			return;
		}
		v = v * base + d;
	}
	emit_push(e, negative ? (int64_t)(0 - v) : (int64_t)v);
}

static uint32_t find_name(const struct bytes *list, uint32_t count,
			  struct bytes name)
{
	for (uint32_t i = 0; i < count; i++)
		if (bytes_eq(list[i], name))
			return i;
	return UINT32_MAX;
}

static void emit_loop(struct expr *e, uint32_t name, size_t from)
{
	struct read *r = e->r;
	struct bytes text = r->loop_names[name];

	if (e->scope == READ_LET) {
		emit(e, PROGRAM_OP_REPEAT);
		emit(e, READ_LOOP_NAME + (int64_t)name);
		return;
	}
	for (uint32_t d = r->loop_count; e->scope != READ_CONST && d-- > 0;) {
		if (r->loops[d] != name)
			continue;
		emit(e, PROGRAM_OP_REPEAT);
		emit(e, d);
		return;
	}
	if (e->scope == READ_CONST)
		read_fail(r, place(e, from),
			  "\"%.*s\" is a repeat's index; this value must be "
			  "the same always",
			  (int)text.n, (const char *)text.p);
	else
		read_fail(r, place(e, from),
			  "\"%.*s\" is the index of a repeat that is not open "
			  "here",
			  (int)text.n, (const char *)text.p);
}

static bool may_use_task(struct expr *e, struct bytes name, size_t from)
{
	if (e->scope == READ_TASK || e->scope == READ_LET)
		return true;
	read_fail(e->r, place(e, from),
		  "\"%.*s\" differs between tasks; sizes, grids and steps are "
		  "the same for all",
		  (int)name.n, (const char *)name.p);
	return false;
}

/* A let's code, its loops' names turned into the depths of here. */
static void emit_let(struct expr *e, const struct read_let *let, size_t from)
{
	const struct program_expr *x = &let->expr;

	if (x->code_count == 0)
		emit_push(e, x->value);
	for (uint32_t i = 0; i < x->code_count && read_ok(e->r); i++) {
		switch ((enum program_op)x->code[i]) {
		case PROGRAM_OP_REPEAT:
			emit_loop(e, (uint32_t)(x->code[++i] - READ_LOOP_NAME),
				  from);
			break;
		case PROGRAM_OP_TASK:
			if (may_use_task(e, let->name, from))
				emit(e, PROGRAM_OP_TASK);
			break;
		case PROGRAM_OP_COLUMN:
			if (may_use_task(e, let->name, from)) {
				emit(e, PROGRAM_OP_COLUMN);
				emit(e, x->code[++i]);
			}
			break;
		case PROGRAM_OP_PUSH:
			emit_push(e, x->code[++i]);
			break;
		case PROGRAM_OP_ADD:
		case PROGRAM_OP_SUB:
		case PROGRAM_OP_MUL:
		case PROGRAM_OP_DIV:
		case PROGRAM_OP_REM:
		case PROGRAM_OP_NEG:
			emit(e, x->code[i]);
			break;
		}
	}
}

static void unknown_name(struct expr *e, struct bytes name, size_t from)
{
	struct read *r = e->r;
	const char *known[3 * MANIFEST_NAMES_MAX];
	size_t n = 0;
	const char *near;

	for (uint32_t i = 0; i < r->let_count && n < MANIFEST_NAMES_MAX; i++)
		known[n++] = arena_str(r->a, r->lets[i].name);
	for (uint32_t i = 0; i < r->m->table.column_count; i++)
		known[n++] = arena_str(r->a, r->m->table.columns[i].name);
	for (uint32_t i = 0; i < r->loop_name_count; i++)
		known[n++] = arena_str(r->a, r->loop_names[i]);
	for (size_t i = 0; i < n; i++)
		if (!known[i])
			n = 0;
	near = manifest_nearest(name, known, n);
	if (near)
		read_fail(r, place(e, from),
			  "unknown name \"%.*s\"; did you mean \"%s\"?",
			  (int)name.n, (const char *)name.p, near);
	else
		read_fail(r, place(e, from), "unknown name \"%.*s\"",
			  (int)name.n, (const char *)name.p);
}

static void use_name(struct expr *e, struct bytes name, size_t from)
{
	struct read *r = e->r;
	uint32_t i;

	for (i = 0; i < r->let_count; i++) {
		if (!bytes_eq(r->lets[i].name, name))
			continue;
		emit_let(e, &r->lets[i], from);
		return;
	}
	i = find_name(r->loop_names, r->loop_name_count, name);
	if (i != UINT32_MAX) {
		emit_loop(e, i, from);
		return;
	}
	i = read_column(r, name);
	if (i != UINT32_MAX) {
		if (!may_use_task(e, name, from))
			return;
		if (!r->m->table.columns[i].is_integer) {
			read_fail(r, place(e, from),
				  "column \"%.*s\" does not hold integers only",
				  (int)name.n, (const char *)name.p);
			return;
		}
		emit(e, PROGRAM_OP_COLUMN);
		emit(e, read_carry(r, i, PROGRAM_COLUMN_INT));
		return;
	}
	if (r->m->task_index.n > 0 && bytes_eq(r->m->task_index, name)) {
		if (may_use_task(e, name, from))
			emit(e, PROGRAM_OP_TASK);
		return;
	}
	unknown_name(e, name, from);
}

static void sum(struct expr *e);

static void primary(struct expr *e)
{
	char c = peek(e);
	size_t from = e->i;

	if (c >= '0' && c <= '9') {
		literal(e, false);
	} else if (c == '(') {
		e->i++;
		sum(e);
		if (read_ok(e->r) && peek(e) != ')')
			read_fail(e->r, place(e, e->i), "expected \")\"");
		e->i++;
	} else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		   c == '_') {
		while (e->i < e->text.n &&
		       read_is_name(
			       bytes_of(e->text.p + from, e->i + 1 - from)))
			e->i++;
		use_name(e, bytes_of(e->text.p + from, e->i - from), from);
	} else if (c == '\0') {
		read_fail(e->r, place(e, e->i),
			  "the expression ends where a number or a name is "
			  "expected");
	} else {
		read_fail(e->r, place(e, e->i),
			  "expected a number, a name or \"(\", found \"%c\"",
			  c >= ' ' && c < 0x7f ? c : '?');
	}
}

static void unary(struct expr *e)
{
	uint32_t start = e->n;
	size_t from;

	if (!read_ok(e->r))
		return;
	if (peek(e) != '-') {
		if (++e->depth > EXPR_DEPTH_MAX)
			read_fail(e->r, place(e, e->i),
				  "the expression is nested too deep");
		else
			primary(e);
		e->depth--;
		return;
	}
	from = e->i++;
	if (peek(e) >= '0' && peek(e) <= '9') {
		literal(e, true);
		return;
	}
	if (++e->depth > EXPR_DEPTH_MAX) {
		read_fail(e->r, place(e, from),
			  "the expression is nested too deep");
		return;
	}
	unary(e);
	e->depth--;
	if (!read_ok(e->r))
		return;
	if (!is_const(e, start)) {
		emit(e, PROGRAM_OP_NEG);
	} else if (e->code[start + 1] == INT64_MIN) {
		read_fail(e->r, place(e, from),
			  "the result does not fit 64 bits");
	} else {
		e->code[start + 1] = -e->code[start + 1];
	}
}

static void product(struct expr *e)
{
	uint32_t left = e->n, right;

	unary(e);
	while (read_ok(e->r)) {
		char c = peek(e);
		size_t where = e->i;

		if (c != '*' && c != '/' && c != '%')
			return;
		e->i++;
		right = e->n;
		unary(e);
		binary(e,
		       c == '*'	  ? PROGRAM_OP_MUL
		       : c == '/' ? PROGRAM_OP_DIV
				  : PROGRAM_OP_REM,
		       left, right, where);
	}
}

static void sum(struct expr *e)
{
	uint32_t left = e->n, right;

	product(e);
	while (read_ok(e->r)) {
		char c = peek(e);
		size_t where = e->i;

		if (c != '+' && c != '-')
			return;
		e->i++;
		right = e->n;
		product(e);
		binary(e, c == '+' ? PROGRAM_OP_ADD : PROGRAM_OP_SUB, left,
		       right, where);
	}
}

bool read_expr_text(struct read *r, struct bytes text, struct build_pos at,
		    bool plain, enum read_scope scope, struct program_expr *ret)
{
	struct expr e = {
		.r = r, .text = text, .at = at, .plain = plain, .scope = scope};
	int64_t *code;

	sum(&e);
	if (read_ok(r) && peek(&e) != '\0')
		read_fail(r, place(&e, e.i),
			  "expected an operator or the end, found \"%c\"",
			  text.p[e.i] >= ' ' && text.p[e.i] < 0x7f ? text.p[e.i]
								   : '?');
	if (!read_ok(r))
		return false;
	if (is_const(&e, 0)) {
		*ret = program_expr_const(e.code[1]);
		return true;
	}
	code = READ_ARRAY(r, e.n, int64_t);
	if (!code)
		return false;
	memcpy(code, e.code, e.n * sizeof(code[0]));
	*ret = (struct program_expr){.code = code, .code_count = e.n};
	return true;
}

struct manifest_expr read_expr(struct read *r, const struct json *j,
			       enum read_scope scope, const char *what)
{
	struct manifest_expr x = {.at = j->at};

	if (!read_ok(r))
		return x;
	if (j->kind == JSON_NUMBER) {
		for (size_t i = 0; i < j->text.n; i++) {
			if (!strchr(".eE", j->text.p[i]))
				continue;
			read_fail(r, j->at,
				  "expected %s as an integer, found %.*s", what,
				  (int)(j->text.n < 40 ? j->text.n : 40),
				  (const char *)j->text.p);
			return x;
		}
		read_expr_text(r, j->text, j->at, false, scope, &x.expr);
	} else if (j->kind == JSON_STRING) {
		read_expr_text(r, j->text, j->at, j->is_plain, scope, &x.expr);
	} else {
		read_fail(r, j->at,
			  "expected %s as an integer or an expression, found "
			  "%s",
			  what, json_kind_text(j->kind));
	}
	if (read_ok(r) && scope != READ_LET &&
	    program_expr_check(&x.expr, r->loop_count, r->m->carried_count) !=
		    ERR_OK)
		read_fail(r, j->at, "the expression is nested too deep");
	return x;
}

int64_t read_int(struct read *r, const struct json *j, int64_t low,
		 int64_t high, const char *what)
{
	struct manifest_expr x = read_expr(r, j, READ_CONST, what);

	if (!read_ok(r))
		return low;
	if (low == high && x.expr.value != low) {
		read_fail(r, j->at, "%s must be %lld, found %lld", what,
			  (long long)low, (long long)x.expr.value);
		return low;
	}
	if (x.expr.value < low || x.expr.value > high) {
		read_fail(r, j->at,
			  "%s must lie between %lld and %lld, found %lld", what,
			  (long long)low, (long long)high,
			  (long long)x.expr.value);
		return low;
	}
	return x.expr.value;
}

/* A name may stand for one thing only. */
static bool name_is_free(struct read *r, const struct json *j)
{
	if (!read_is_name(j->key))
		read_fail(r, j->key_at,
			  "\"%.*s\" is no name: letters, digits and _ only",
			  (int)(j->key.n < 60 ? j->key.n : 60),
			  (const char *)j->key.p);
	else if (read_column(r, j->key) != UINT32_MAX)
		read_fail(r, j->key_at,
			  "\"%.*s\" is already a column of the task table",
			  (int)j->key.n, (const char *)j->key.p);
	else if (bytes_eq(j->key, r->m->task_index))
		read_fail(r, j->key_at, "\"%.*s\" is already the tasks' index",
			  (int)j->key.n, (const char *)j->key.p);
	else if (find_name(r->loop_names, r->loop_name_count, j->key) !=
		 UINT32_MAX)
		read_fail(r, j->key_at,
			  "\"%.*s\" is already the index of a repeat",
			  (int)j->key.n, (const char *)j->key.p);
	return read_ok(r);
}

void read_lets(struct read *r, const struct json *j)
{
	if (!j || !read_ok(r))
		return;
	if (j->kind != JSON_OBJECT) {
		read_fail(r, j->at, "expected \"let\" as an object, found %s",
			  json_kind_text(j->kind));
		return;
	}
	if (j->count > MANIFEST_NAMES_MAX) {
		read_fail(r, j->at, "more than %u names", MANIFEST_NAMES_MAX);
		return;
	}
	r->lets = READ_ARRAY(r, j->count, struct read_let);
	for (const struct json *c = j->first; c && read_ok(r); c = c->next) {
		struct manifest_expr x;

		if (!name_is_free(r, c))
			return;
		x = read_expr(r, c, READ_LET, "a named integer");
		r->lets[r->let_count].name = c->key;
		r->lets[r->let_count].expr = x.expr;
		r->let_count++;
	}
}
