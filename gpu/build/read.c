/*
 * The nearest known key is the one of least edit distance, if that is at most
 * a third of the word's length (at least 2), so that nonsense gets no advice.
 */
#include "gpu/build/priv/read.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void read_fail(struct read *r, struct build_pos at, const char *fmt, ...)
{
	char text[600];
	va_list args;

	if (r->err != ERR_OK)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	r->err = ERR_MANIFEST;
	r->diag->file = r->file;
	r->diag->at = at;
	r->diag->text = arena_str(r->a, bytes_str(text));
	if (!r->diag->text) {
		r->err = ERR_NO_MEMORY;
		r->diag->text = err_words(ERR_NO_MEMORY);
	}
}

bool read_ok(const struct read *r)
{
	return r->err == ERR_OK;
}

void *read_alloc(struct read *r, size_t count, size_t size, size_t align)
{
	void *p;

	if (r->err != ERR_OK)
		return NULL;
	p = arena_array(r->a, count > 0 ? count : 1, size, align);
	if (!p) {
		r->err = ERR_NO_MEMORY;
		*r->diag = (struct build_diag){
			.file = r->file, .text = err_words(ERR_NO_MEMORY)};
	}
	return p;
}

#define WORD_MAX 48u

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

/* Levenshtein; words longer than WORD_MAX are far from everything. */
static size_t distance(struct bytes a, struct bytes b)
{
	size_t row[WORD_MAX + 1];

	if (a.n > WORD_MAX || b.n > WORD_MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= b.n; j++)
		row[j] = j;
	for (size_t i = 1; i <= a.n; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= b.n; j++) {
			size_t up = row[j];

			row[j] = min3(up + 1, row[j - 1] + 1,
				      diagonal + (a.p[i - 1] != b.p[j - 1]));
			diagonal = up;
		}
	}
	return row[b.n];
}

const char *manifest_nearest(struct bytes word, const char *const *known,
			     size_t known_count)
{
	const char *best = NULL;
	size_t least = word.n / 3 > 2 ? word.n / 3 : 2;

	for (size_t i = 0; i < known_count; i++) {
		size_t d = distance(word, bytes_str(known[i]));

		if (d > least || (best && d == least))
			continue;
		if (d >= word.n)
			continue; /* nothing in common */
		least = d;
		best = known[i];
	}
	return best;
}

/* Text that is safe in a message: at most 60 bytes. */
#define SHOWN(b) (int)((b).n < 60 ? (b).n : 60), (const char *)(b).p

static void unknown_key(struct read *r, const struct json *j, const char *what,
			const char *const *keys, size_t key_count)
{
	const char *near = manifest_nearest(j->key, keys, key_count);
	const char *list = keys[0];

	for (size_t i = 1; i < key_count && list; i++)
		list = arena_printf(r->a, "%s, %s", list, keys[i]);
	if (near)
		read_fail(r, j->key_at,
			  "%s has no key \"%.*s\"; did you mean \"%s\"?", what,
			  SHOWN(j->key), near);
	else
		read_fail(r, j->key_at, "%s has no key \"%.*s\"; it has %s",
			  what, SHOWN(j->key), list ? list : "others");
}

bool read_object(struct read *r, const struct json *j, const char *what,
		 const char *const *keys, size_t key_count,
		 const struct json **ret)
{
	memset(ret, 0, key_count * sizeof(*ret));
	if (!read_ok(r))
		return false;
	if (j->kind != JSON_OBJECT) {
		read_fail(r, j->at, "expected %s as an object, found %s", what,
			  json_kind_text(j->kind));
		return false;
	}
	for (const struct json *c = j->first; c; c = c->next) {
		size_t i = 0;

		while (i < key_count && !bytes_eq(c->key, bytes_str(keys[i])))
			i++;
		if (i == key_count) {
			unknown_key(r, c, what, keys, key_count);
			return false;
		}
		ret[i] = c;
	}
	return true;
}

bool read_need(struct read *r, const struct json *parent,
	       const struct json *member, const char *key, const char *what)
{
	if (member)
		return read_ok(r);
	read_fail(r, parent->at, "%s needs the key \"%s\"", what, key);
	return false;
}

struct bytes read_string(struct read *r, const struct json *j, const char *what,
			 size_t max)
{
	struct bytes none = {NULL, 0};

	if (!read_ok(r))
		return none;
	if (j->kind != JSON_STRING) {
		read_fail(r, j->at, "expected %s as a string, found %s", what,
			  json_kind_text(j->kind));
		return none;
	}
	if (j->text.n == 0 || j->text.n > max) {
		read_fail(r, j->at, "%s must have 1 to %zu characters", what,
			  max);
		return none;
	}
	return j->text;
}

uint32_t read_word(struct read *r, const struct json *j, const char *what,
		   const char *const *words, size_t count)
{
	char list[200];
	size_t n = 0;

	if (!read_ok(r))
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (j->kind == JSON_STRING &&
		    bytes_eq(j->text, bytes_str(words[i])))
			return (uint32_t)i;
		if (n < sizeof(list))
			n += (size_t)snprintf(list + n, sizeof(list) - n,
					      "%s\"%s\"", i > 0 ? ", " : "",
					      words[i]);
	}
	read_fail(r, j->at, "expected %s, one of %s", what, list);
	return 0;
}

bool read_bool(struct read *r, const struct json *j, const char *what)
{
	if (!read_ok(r))
		return false;
	if (j->kind != JSON_BOOL)
		read_fail(r, j->at, "expected %s as true or false, found %s",
			  what, json_kind_text(j->kind));
	return j->truth;
}

bool read_is_name(struct bytes s)
{
	if (s.n == 0 || s.n > 64 || (s.p[0] >= '0' && s.p[0] <= '9'))
		return false;
	for (size_t i = 0; i < s.n; i++) {
		uint8_t c = s.p[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		      (c >= '0' && c <= '9') || c == '_'))
			return false;
	}
	return true;
}

uint32_t read_column(const struct read *r, struct bytes name)
{
	const struct manifest_table *t = &r->m->table;

	for (uint32_t i = 0; i < t->column_count; i++)
		if (bytes_eq(t->columns[i].name, name))
			return i;
	return UINT32_MAX;
}

uint32_t read_carry(struct read *r, uint32_t column, enum program_column type)
{
	struct manifest *m = r->m;

	for (uint32_t i = 0; i < m->carried_count; i++)
		if (r->carried[i].column == column &&
		    r->carried[i].type == type)
			return i;
	if (!r->carried) {
		r->carried = READ_ARRAY(r, PROGRAM_COLUMNS_MAX,
					struct manifest_carried);
		m->carried = r->carried;
	}
	if (!read_ok(r) || m->carried_count == PROGRAM_COLUMNS_MAX)
		return 0; /* a table has at most MANIFEST_NAMES_MAX columns */
	r->carried[m->carried_count].column = column;
	r->carried[m->carried_count].type = type;
	return m->carried_count++;
}

uint32_t read_buffer_name(struct read *r, const struct json *j)
{
	const struct manifest *m = r->m;
	const char *known[PROGRAM_BUFFERS_MAX];
	const char *near;
	struct bytes name = read_string(r, j, "a buffer's name", 64);

	for (uint32_t i = 0; i < m->buffer_count; i++)
		if (bytes_eq(m->buffers[i].name, name))
			return i;
	if (!read_ok(r))
		return 0;
	for (uint32_t i = 0; i < m->buffer_count; i++)
		known[i] = arena_str(r->a, m->buffers[i].name);
	for (uint32_t i = 0; i < m->buffer_count; i++)
		if (!known[i])
			return 0;
	near = manifest_nearest(name, known, m->buffer_count);
	if (near)
		read_fail(r, j->at,
			  "there is no buffer \"%.*s\"; did you mean \"%s\"?",
			  SHOWN(name), near);
	else
		read_fail(r, j->at, "there is no buffer \"%.*s\"", SHOWN(name));
	return 0;
}

bool read_safe_path(struct bytes p)
{
	size_t from = 0;

	if (p.n == 0 || p.p[0] == '/')
		return false;
	for (size_t i = 0; i <= p.n; i++) {
		if (i < p.n && (p.p[i] < 0x20 || p.p[i] == 0x7f))
			return false;
		if (i < p.n && p.p[i] != '/')
			continue;
		if (i - from == 0)
			return false; /* "a//b" and "a/" */
		if (i - from == 2 && p.p[from] == '.' && p.p[from + 1] == '.')
			return false;
		from = i + 1;
	}
	return true;
}

static bool is_root(struct bytes s)
{
	uint8_t raw[32];

	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] >= 'A' && s.p[i] <= 'F')
			return false;
	return hex_decode(s, raw, sizeof(raw)) == ERR_OK;
}

struct build_source read_source(struct read *r, const struct json *j,
				const char *what, bool per_task)
{
	static const char *const keys[] = {"blob", "text"};
	const struct json *got[2];
	struct build_source s = {.at = j->at};

	if (!read_ok(r))
		return s;
	if (j->kind == JSON_STRING) {
		s.kind = BUILD_SOURCE_PATH;
		s.name = read_string(r, j, what, 4000);
	} else if (j->kind == JSON_OBJECT) {
		if (!read_object(r, j, what, keys, 2, got))
			return s;
		if (!got[0] == !got[1]) {
			read_fail(r, j->at,
				  "%s needs either \"blob\" or \"text\"", what);
			return s;
		}
		if (got[1]) {
			s.kind = BUILD_SOURCE_TEXT;
			s.name = read_string(r, got[1], "a text",
					     BUILD_MANIFEST_BYTES_MAX);
			return s;
		}
		s.kind = BUILD_SOURCE_BLOB;
		s.at = got[0]->at;
		s.name = read_string(r, got[0], "a blob's root", 4000);
	} else {
		read_fail(r, j->at,
			  "expected %s as a path, {\"blob\": ROOT} or "
			  "{\"text\": ...}, found %s",
			  what, json_kind_text(j->kind));
		return s;
	}
	if (per_task)
		read_pattern(r, s.name, s.at);
	if (read_ok(r) && s.kind == BUILD_SOURCE_BLOB && !is_root(s.name) &&
	    !(per_task && manifest_name_is_per_task(r->m, s.name)))
		read_fail(r, s.at, "a blob's root is 64 lower-case hex digits");
	return s;
}
