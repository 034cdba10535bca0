/*
 * Manifests: tests/vectors/build/wrong.txt holds wrong ones, each with the
 * whole message that a user must read.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "gpu/build/manifest.h"

static struct build_files no_files(struct build_files_memory *m)
{
	*m = (struct build_files_memory){NULL, 0};
	return build_files_memory(m);
}

static char *slurp(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	char *text = malloc(4u << 20);

	cr_assert(f && text, "%s", path);
	*n = fread(text, 1, (4u << 20) - 1, f);
	text[*n] = '\0';
	fclose(f);
	return text;
}

/* Text between "### name\n" and "=> message\n". */
struct wrong {
	const char *name, *message;
	int name_n, message_n;
	struct bytes json;
};

static const char *next_case(const char *p, struct wrong *w)
{
	const char *json, *mark;

	p = strstr(p, "\n### ");
	if (!p)
		return NULL;
	w->name = p + 5;
	json = strchr(w->name, '\n') + 1;
	w->name_n = (int)(json - 1 - w->name);
	mark = strstr(json - 1, "\n=> ");
	cr_assert(mark, "no message for %.*s", w->name_n, w->name);
	w->json = bytes_of(json, mark < json ? 0 : (size_t)(mark - json));
	w->message = mark + 4;
	w->message_n = (int)strcspn(w->message, "\n");
	return w->message;
}

static void message_of(struct bytes json, struct buf *out)
{
	struct build_files_memory mem;
	struct build_files files = no_files(&mem);
	struct arena *a = arena_new(64u << 20);
	struct manifest m;
	struct build_diag d;
	enum err err = manifest_read(a, json, "m.json", &files, &m, &d);

	if (err == ERR_OK)
		buf_put_str(out, "(accepted)");
	else
		build_diag_put(out, &d);
	cr_expect(err == ERR_OK || err == ERR_MANIFEST, "%s", err_name(err));
	arena_free(a);
}

Test(manifest, wrong_ones_say_why)
{
	size_t n, count = 0;
	char *text =
		slurp(WEFT_SOURCE_DIR "/tests/vectors/build/wrong.txt", &n);
	struct wrong w;

	for (const char *p = text; (p = next_case(p, &w)) != NULL; count++) {
		struct buf got = buf_make(4096);

		message_of(w.json, &got);
		cr_expect(got.n == (size_t)w.message_n &&
				  memcmp(got.p, w.message, got.n) == 0,
			  "%.*s:\n  got  %.*s\n  want %.*s", w.name_n, w.name,
			  (int)got.n, (const char *)got.p, w.message_n,
			  w.message);
		buf_free(&got);
	}
	cr_expect(count >= 60, "only %zu cases", count);
	free(text);
}
