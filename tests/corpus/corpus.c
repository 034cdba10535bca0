#define _POSIX_C_SOURCE 200809L

#include "tests/corpus/corpus.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define TEXT_MAX (8u << 20)

const char *const corpus_variants[] = {"nvrtc-75",	 "nvrtc-90-off",
				       "nvrtc12-70-off", "nvrtc11-70-off",
				       "nvcc-80-off",	 "nvcc-75-off-debug",
				       "clang-75-off",	 "clang-70-off-debug",
				       "triton-80-off",	 NULL};

static struct bytes take_all(struct arena *a, FILE *f)
{
	uint8_t *p = arena_alloc(a, TEXT_MAX, 16);
	cr_assert_not_null(p);
	size_t n = fread(p, 1, TEXT_MAX - 1, f);
	p[n] = '\0';
	return (struct bytes){p, n};
}

struct bytes corpus_read(struct arena *a, const char *path)
{
	char full[512];
	snprintf(full, sizeof(full), WEFT_SOURCE_DIR "/tests/corpus/%s", path);
	FILE *f = fopen(full, "rb");
	cr_assert_not_null(f, "%s", full);
	struct bytes text = take_all(a, f);
	fclose(f);
	return text;
}

static void take_specs(struct arena *a, struct corpus_text *t)
{
	char path[128];
	snprintf(path, sizeof(path), "cuda/%s.cu", t->source);
	struct arena *scratch = arena_new(TEXT_MAX + (1u << 20));
	t->specs = ARENA_ARRAY(a, SPEC_KERNELS_MAX, struct spec_kernel);
	t->spec_count = spec_parse((const char *)corpus_read(scratch, path).p,
				   t->specs);
	cr_assert_gt(t->spec_count, 0, "%s", path);
	arena_free(scratch);
}

uint32_t corpus_open(struct arena *a, const char *variant,
		     struct corpus_text **ret_texts)
{
	char command[512];
	snprintf(command, sizeof(command),
		 "gzip -dc " WEFT_SOURCE_DIR "/tests/corpus/ptx/%s.ptx.gz",
		 variant);
	FILE *f = popen(command, "r");
	cr_assert_not_null(f);
	struct bytes all = take_all(a, f);
	cr_assert_eq(pclose(f), 0, "%s", command);
	struct corpus_text *texts = ARENA_ARRAY(a, 64, struct corpus_text);
	uint32_t n = 0;
	char *p = (char *)(uintptr_t)all.p;
	while (p != NULL && strncmp(p, "//// ", 5) == 0) {
		cr_assert_lt(n, 64);
		struct corpus_text *t = &texts[n++];
		char *line = strchr(p, '\n');
		char *next = strstr(line, "\n//// ");
		*line = '\0';
		t->source = p + 5;
		p = next == NULL ? NULL : next + 1;
		t->ptx.p = (const uint8_t *)line + 1;
		t->ptx.n =
			p == NULL ? strlen(line + 1) : (size_t)(p - line - 1);
		take_specs(a, t);
	}
	cr_assert_gt(n, 0, "%s", variant);
	*ret_texts = texts;
	return n;
}

const struct spec_kernel *corpus_spec(const struct corpus_text *t,
				      struct bytes kernel)
{
	for (uint32_t i = 0; i < t->spec_count; i++) {
		if (bytes_eq(kernel, bytes_str(t->specs[i].name)))
			return &t->specs[i];
	}
	return NULL;
}
