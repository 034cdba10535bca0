/*
 * node/config - one table of keys with an offset and a kind each; file lines
 * and flags end in the same setter.
 */
#define _GNU_SOURCE

#include "node/config.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "node/http.h"

#define FILE_BYTES_MAX (1u << 20)

enum kind {
	KIND_number,
	KIND_text,
	KIND_path,
	KIND_flag,
};

struct row {
	const char *section;
	const char *key;
	enum kind kind;
	size_t offset;
	const char *value;
	const char *words;
};

static const struct row rows[] = {
#define X(section, key, kind, value, words)                            \
	{                                                              \
		#section,    #key,                                     \
		KIND_##kind, offsetof(struct config, section##_##key), \
		value,	     words},
	CONFIG_LIST(X)
#undef X
};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

static bool set_flag(bool *flag, struct bytes value)
{
	if (bytes_eq(value, BYTES_LIT("true")))
		*flag = true;
	else if (bytes_eq(value, BYTES_LIT("false")))
		*flag = false;
	else
		return false;
	return true;
}

/* Text with its zero into a field of size bytes. */
static bool set_text(char *field, size_t size, struct bytes value)
{
	if (value.n >= size ||
	    memchr(value.p ? value.p : (const void *)"", '\0', value.n))
		return false;
	if (value.n)
		memcpy(field, value.p, value.n);
	field[value.n] = '\0';
	return true;
}

static bool set_row(struct config *c, const struct row *r, struct bytes value)
{
	uint8_t *field = (uint8_t *)c + r->offset;

	switch (r->kind) {
	case KIND_number:
		return http_number(value, (uint64_t *)(void *)field) == ERR_OK;
	case KIND_text:
		return set_text((char *)field, CONFIG_TEXT_BYTES, value);
	case KIND_path:
		return set_text((char *)field, CONFIG_PATH_BYTES, value);
	case KIND_flag:
		return set_flag((bool *)(void *)field, value);
	}
	return false;
}

void config_init(struct config *c)
{
	memset(c, 0, sizeof(*c));
	for (size_t i = 0; i < ROW_COUNT; i++)
		(void)set_row(c, &rows[i], bytes_str(rows[i].value));
}

static const struct row *find(struct bytes section, struct bytes key)
{
	for (size_t i = 0; i < ROW_COUNT; i++)
		if (bytes_eq(section, bytes_str(rows[i].section)) &&
		    bytes_eq(key, bytes_str(rows[i].key)))
			return &rows[i];
	return NULL;
}

static const char *expected(enum kind kind)
{
	switch (kind) {
	case KIND_number:
		return "a whole number";
	case KIND_text:
		return "a shorter text";
	case KIND_path:
		return "a shorter path";
	case KIND_flag:
		return "true or false";
	}
	return "";
}

static enum err set(struct config *c, struct bytes section, struct bytes key,
		    struct bytes value, const char *where,
		    char reterr_words[CONFIG_ERROR_BYTES])
{
	const struct row *r = find(section, key);

	if (!r) {
		(void)snprintf(reterr_words, CONFIG_ERROR_BYTES,
			       "%s: no key %.*s.%.*s (see --help)", where,
			       (int)section.n, (const char *)section.p,
			       (int)key.n, (const char *)key.p);
		return ERR_MALFORMED;
	}
	if (!set_row(c, r, value)) {
		(void)snprintf(reterr_words, CONFIG_ERROR_BYTES,
			       "%s: %s.%s takes %s", where, r->section, r->key,
			       expected(r->kind));
		return ERR_MALFORMED;
	}
	return ERR_OK;
}

static struct bytes trim(struct bytes b)
{
	while (b.n && (b.p[0] == ' ' || b.p[0] == '\t'))
		b = bytes_skip(b, 1);
	while (b.n && (b.p[b.n - 1] == ' ' || b.p[b.n - 1] == '\t' ||
		       b.p[b.n - 1] == '\r'))
		b.n--;
	return b;
}

static struct bytes cut(struct bytes *rest, uint8_t at)
{
	const uint8_t *p = rest->n ? memchr(rest->p, at, rest->n) : NULL;
	size_t n = p ? (size_t)(p - rest->p) : rest->n;
	struct bytes head = bytes_slice(*rest, 0, n);

	*rest = bytes_skip(*rest, n + 1);
	return head;
}

enum err config_parse(struct config *c, struct bytes text,
		      char reterr_words[CONFIG_ERROR_BYTES])
{
	struct bytes section = {NULL, 0};
	char where[32];

	for (unsigned line = 1; text.n; line++) {
		struct bytes rest = trim(cut(&text, '\n'));
		struct bytes key;
		enum err e;

		(void)snprintf(where, sizeof(where), "line %u", line);
		if (!rest.n || rest.p[0] == '#')
			continue;
		if (rest.p[0] == '[' && rest.p[rest.n - 1] == ']') {
			section = bytes_slice(rest, 1, rest.n - 2);
			continue;
		}
		if (!memchr(rest.p, '=', rest.n)) {
			(void)snprintf(reterr_words, CONFIG_ERROR_BYTES,
				       "%s: expected key = value", where);
			return ERR_MALFORMED;
		}
		key = trim(cut(&rest, '='));
		e = set(c, section, key, trim(rest), where, reterr_words);
		if (e)
			return e;
	}
	return ERR_OK;
}

static enum err read_file(const char *path, struct buf *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint8_t piece[4096];
	ssize_t got;

	if (fd < 0)
		return ERR_NOT_FOUND;
	while ((got = read(fd, piece, sizeof(piece))) > 0)
		buf_put(out, piece, (size_t)got);
	close(fd);
	return got < 0 ? ERR_IO : out->err;
}

/* The value of "--name VALUE" or "--name=VALUE"; NULL if it is another. */
static const char *flag_value(int argc, char **argv, int *i, const char *name)
{
	size_t n = strlen(name);

	if (strncmp(argv[*i], name, n) != 0)
		return NULL;
	if (argv[*i][n] == '=')
		return argv[*i] + n + 1;
	if (argv[*i][n] == '\0' && *i + 1 < argc)
		return argv[++*i];
	return NULL;
}

static bool simple_flag(struct config *c, const char *arg)
{
	const struct {
		const char *name;
		bool *flag;
	} flags[] = {
		{"--init", &c->init},
		{"--fsck", &c->fsck},
		{"--help", &c->help},
		{"--version", &c->version},
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (strcmp(arg, flags[i].name) == 0) {
			*flags[i].flag = true;
			return true;
		}
	return false;
}

static enum err set_argument(struct config *c, const char *arg,
			     char reterr_words[CONFIG_ERROR_BYTES])
{
	struct bytes rest = bytes_str(arg);
	struct bytes section;
	struct bytes key;

	if (strncmp(arg, "--", 2) != 0 || !strchr(arg, '.') ||
	    !strchr(arg, '=')) {
		(void)snprintf(reterr_words, CONFIG_ERROR_BYTES,
			       "%.100s: expected --section.key=value", arg);
		return ERR_MALFORMED;
	}
	rest = bytes_skip(rest, 2);
	section = cut(&rest, '.');
	key = cut(&rest, '=');
	return set(c, section, key, rest, arg, reterr_words);
}

/* The flags: first = true only looks for --data and --config. */
static enum err arguments(struct config *c, int argc, char **argv, bool first,
			  const char **ret_file,
			  char reterr_words[CONFIG_ERROR_BYTES])
{
	for (int i = 1; i < argc; i++) {
		const char *v = flag_value(argc, argv, &i, "--data");
		enum err e = ERR_OK;

		if (v) {
			e = set(c, BYTES_LIT("node"), BYTES_LIT("data"),
				bytes_str(v), "--data", reterr_words);
		} else if ((v = flag_value(argc, argv, &i, "--config"))) {
			*ret_file = v;
		} else if (!simple_flag(c, argv[i]) && !first) {
			e = set_argument(c, argv[i], reterr_words);
		}
		if (e)
			return e;
	}
	return ERR_OK;
}

static enum err default_data(struct config *c,
			     char reterr_words[CONFIG_ERROR_BYTES])
{
	const char *home = getenv("HOME");
	const char *dir = getenv("WEFT_DIR");

	if (c->node_data[0])
		return ERR_OK;
	if (dir && dir[0])
		return set(c, BYTES_LIT("node"), BYTES_LIT("data"),
			   bytes_str(dir), "WEFT_DIR", reterr_words);
	if (!home || strlen(home) + sizeof("/.weft") > CONFIG_PATH_BYTES) {
		(void)snprintf(reterr_words, CONFIG_ERROR_BYTES,
			       "--data DIR is missing, and HOME is not set");
		return ERR_NOT_FOUND;
	}
	(void)snprintf(c->node_data, sizeof(c->node_data), "%s/.weft", home);
	return ERR_OK;
}

static enum err load_file(struct config *c, const char *named,
			  char reterr_words[CONFIG_ERROR_BYTES])
{
	struct buf text = buf_make(FILE_BYTES_MAX);
	char path[CONFIG_PATH_BYTES + 16];
	enum err e;

	(void)snprintf(path, sizeof(path), "%s/weft.conf", c->node_data);
	e = read_file(named ? named : path, &text);
	if (e == ERR_NOT_FOUND && !named)
		e = ERR_OK;
	else if (e)
		(void)snprintf(reterr_words, CONFIG_ERROR_BYTES,
			       "cannot read %.200s", named ? named : path);
	if (!e)
		e = config_parse(c, buf_bytes(&text), reterr_words);
	buf_free(&text);
	return e == ERR_NOT_FOUND ? ERR_IO : e;
}

enum err config_load(struct config *c, int argc, char **argv,
		     char reterr_words[CONFIG_ERROR_BYTES])
{
	const char *file = NULL;
	enum err e;

	config_init(c);
	e = arguments(c, argc, argv, true, &file, reterr_words);
	if (!e)
		e = default_data(c, reterr_words);
	if (!e)
		e = load_file(c, file, reterr_words);
	if (!e)
		e = arguments(c, argc, argv, false, &file, reterr_words);
	return e;
}

void config_help(struct buf *out)
{
	buf_put_str(out, "weftd [--data DIR] [--config FILE] [--init | --fsck]"
			 " [--section.key=value]...\n\n");
	for (size_t i = 0; i < ROW_COUNT; i++)
		buf_printf(out, "  --%s.%s=%s\n\t%s (default: %s)\n",
			   rows[i].section, rows[i].key,
			   rows[i].kind == KIND_number ? "N"
			   : rows[i].kind == KIND_flag ? "true|false"
						       : "TEXT",
			   rows[i].words,
			   rows[i].value[0] ? rows[i].value : "none");
}
