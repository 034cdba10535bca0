/*
 * YAJL's callbacks come with no position, but the handle knows how many bytes
 * it has consumed: the end of the token.  Its start is found by walking back
 * over the token.  All text is parsed in one call, so that no token is split.
 */
#include "gpu/build/priv/json.h"

#include <string.h>
#include <yajl/yajl_parse.h>

#include "base/arena.h"

struct parse {
	struct arena *a;
	struct bytes text;
	yajl_handle yajl;
	struct json *root;
	struct json *open; /* innermost array or object */
	unsigned depth;
	struct bytes key;
	struct build_pos key_at;
	size_t offset; /* that line and start belong to */
	uint32_t line;
	size_t start; /* of the line */
	enum err err;
	struct build_diag *diag;
};

const char *json_kind_text(enum json_kind k)
{
	static const char *const words[] = {
		"null",	    "true or false", "a number",
		"a string", "a list",	     "an object",
	};

	return words[k];
}

static struct build_pos pos_of(struct parse *p, size_t offset)
{
	if (offset > p->text.n)
		offset = p->text.n;
	if (offset < p->offset) {
		p->offset = 0;
		p->line = 1;
		p->start = 0;
	}
	for (; p->offset < offset; p->offset++) {
		if (p->text.p[p->offset] == '\n') {
			p->line++;
			p->start = p->offset + 1;
		}
	}
	return (struct build_pos){p->line, (uint32_t)(offset - p->start) + 1};
}

static int fail(struct parse *p, struct build_pos at, const char *text)
{
	if (p->err == ERR_OK) {
		p->err = text ? ERR_MALFORMED : ERR_NO_MEMORY;
		p->diag->at = at;
		p->diag->text = text ? text : err_words(ERR_NO_MEMORY);
	}
	return 0;
}

/* The offset just behind the token that YAJL has reported. */
static size_t token_end(struct parse *p)
{
	size_t n = yajl_get_bytes_consumed(p->yajl);

	return n < p->text.n ? n : p->text.n;
}

/* A quote is the opening one if an even number of backslashes precedes it. */
static size_t string_start(const struct parse *p, size_t end)
{
	size_t i = end < 2 ? 0 : end - 2;

	for (;; i--) {
		size_t back = 0;

		if (p->text.p[i] == '"') {
			while (back < i && p->text.p[i - 1 - back] == '\\')
				back++;
			if (back % 2 == 0)
				return i;
		}
		if (i == 0)
			return 0;
	}
}

static struct json *add(struct parse *p, enum json_kind kind, size_t start)
{
	struct json *j = ARENA_NEW(p->a, struct json);

	if (!j) {
		fail(p, (struct build_pos){0, 0}, NULL);
		return NULL;
	}
	j->kind = kind;
	j->at = pos_of(p, start);
	j->up = p->open;
	if (!p->open) {
		p->root = j;
		return j;
	}
	j->key = p->key;
	j->key_at = p->key_at;
	if (p->open->last)
		p->open->last->next = j;
	else
		p->open->first = j;
	p->open->last = j;
	p->open->count++;
	return j;
}

static int on_null(void *ctx)
{
	struct parse *p = ctx;

	return add(p, JSON_NULL, token_end(p) - 4) != NULL;
}

static int on_bool(void *ctx, int truth)
{
	struct parse *p = ctx;
	struct json *j = add(p, JSON_BOOL, token_end(p) - (truth ? 4u : 5u));

	if (!j)
		return 0;
	j->truth = truth != 0;
	return 1;
}

static int on_number(void *ctx, const char *s, size_t n)
{
	struct parse *p = ctx;
	size_t end = token_end(p);
	struct json *j = add(p, JSON_NUMBER, end < n ? 0 : end - n);

	if (!j)
		return 0;
	j->text = arena_copy(p->a, bytes_of(s, n));
	return j->text.p ? 1 : fail(p, j->at, NULL);
}

/* A copy, since YAJL reuses its buffer for strings with escapes. */
static int copy_text(struct parse *p, const unsigned char *s, size_t n,
		     struct build_pos at, struct bytes *ret)
{
	if (n > 0 && memchr(s, 0, n))
		return fail(p, at, "a string may not hold \\u0000");
	*ret = arena_copy(p->a, bytes_of(s, n));
	if (n > 0 && !ret->p)
		return fail(p, at, NULL);
	return 1;
}

static int on_string(void *ctx, const unsigned char *s, size_t n)
{
	struct parse *p = ctx;
	size_t end = token_end(p);
	size_t start = string_start(p, end);
	struct json *j = add(p, JSON_STRING, start);

	if (!j)
		return 0;
	j->is_plain = end - start == n + 2;
	return copy_text(p, s, n, j->at, &j->text);
}

static int on_key(void *ctx, const unsigned char *s, size_t n)
{
	struct parse *p = ctx;

	p->key_at = pos_of(p, string_start(p, token_end(p)));
	if (!copy_text(p, s, n, p->key_at, &p->key))
		return 0;
	if (p->open->count >= JSON_KEYS_MAX)
		return fail(p, p->key_at, "too many keys in one object");
	for (const struct json *j = p->open->first; j; j = j->next) {
		char *text;

		if (!bytes_eq(j->key, p->key))
			continue;
		text = arena_printf(p->a,
				    "the key \"%.*s\" stands here a second "
				    "time, first on line %u",
				    (int)(n < 100 ? n : 100), (const char *)s,
				    (unsigned)j->key_at.line);
		return fail(p, p->key_at, text);
	}
	return 1;
}

static int open_nest(struct parse *p, enum json_kind kind)
{
	struct json *j = add(p, kind, token_end(p) - 1);

	if (!j)
		return 0;
	if (++p->depth > JSON_DEPTH_MAX)
		return fail(p, j->at, "nested more than 32 deep");
	p->open = j;
	return 1;
}

static int on_map(void *ctx)
{
	return open_nest(ctx, JSON_OBJECT);
}

static int on_list(void *ctx)
{
	return open_nest(ctx, JSON_ARRAY);
}

static int on_close(void *ctx)
{
	struct parse *p = ctx;

	p->open = p->open->up;
	p->depth--;
	return 1;
}

/* clang-format off */
static const yajl_callbacks callbacks = {
	.yajl_null        = on_null,
	.yajl_boolean     = on_bool,
	.yajl_number      = on_number,
	.yajl_string      = on_string,
	.yajl_start_map   = on_map,
	.yajl_map_key     = on_key,
	.yajl_end_map     = on_close,
	.yajl_start_array = on_list,
	.yajl_end_array   = on_close,
};
/* clang-format on */

/* YAJL's sentence without its line break. */
static void take_error(struct parse *p, struct build_pos at)
{
	unsigned char *s = yajl_get_error(p->yajl, 0, NULL, 0);
	const char *text = NULL;

	if (s) {
		size_t n = strcspn((const char *)s, "\n");

		while (n > 0 && s[n - 1] == '.')
			n--;
		text = arena_printf(p->a, "not JSON: %.*s", (int)n,
				    (const char *)s);
		yajl_free_error(p->yajl, s);
	}
	fail(p, at, text);
}

enum err json_parse(struct arena *a, struct bytes text, struct json **ret_root,
		    struct build_diag *reterr_diag)
{
	struct parse p = {.a = a, .text = text, .line = 1, .diag = reterr_diag};
	yajl_status status;

	p.yajl = yajl_alloc(&callbacks, NULL, &p);
	if (!p.yajl) {
		fail(&p, (struct build_pos){0, 0}, NULL);
		return ERR_NO_MEMORY;
	}
	status = yajl_parse(p.yajl, text.p, text.n);
	if (status == yajl_status_error) {
		size_t at = yajl_get_bytes_consumed(p.yajl);

		take_error(&p, pos_of(&p, at > 0 ? at - 1 : 0));
	} else if (status == yajl_status_ok) {
		status = yajl_complete_parse(p.yajl);
		if (status == yajl_status_error)
			take_error(&p, pos_of(&p, text.n));
	}
	yajl_free(p.yajl);
	if (p.err == ERR_OK && !p.root)
		fail(&p, (struct build_pos){1, 1}, "the text is empty");
	if (p.err == ERR_OK)
		*ret_root = p.root;
	return p.err;
}
