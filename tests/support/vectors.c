#define _GNU_SOURCE
#include "tests/support/vectors.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

static void die(const char *what, const char *which)
{
	fprintf(stderr, "vectors: %s: %s\n", what, which);
	abort();
}

void vectors_open(struct vectors *v, const char *root, const char *path)
{
	char name[4096];

	memset(v, 0, sizeof(*v));
	snprintf(name, sizeof(name), "%s/tests/vectors/%s", root, path);
	v->file = fopen(name, "r");
	if (!v->file)
		die("cannot open", name);
}

bool vectors_next(struct vectors *v)
{
	while (getline(&v->line, &v->cap, v->file) >= 0) {
		char *rest = v->line, *word;

		v->number++;
		v->count = 0;
		if (v->line[0] == '#')
			continue;
		while ((word = strtok_r(rest, " \t\n", &rest))) {
			if (v->count == VECTOR_FIELDS_MAX)
				die("too many fields", word);
			v->field[v->count++] = word;
		}
		if (v->count)
			return true;
	}
	fclose(v->file);
	free(v->line);
	v->line = 0;
	return false;
}

size_t vectors_hex(const char *hex, uint8_t *out, size_t max)
{
	struct bytes b = bytes_str(hex);

	if (strcmp(hex, "-") == 0)
		return 0;
	if (b.n / 2 > max || hex_decode(b, out, b.n / 2))
		die("bad hex", hex);
	return b.n / 2;
}
