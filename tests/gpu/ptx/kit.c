#include "tests/gpu/ptx/kit.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "gpu/ptx/parse.h"
#include "gpu/ptx/print.h"

const char *const kit_samples[] = {"blackscholes", "features",	 "hashsearch",
				   "instructions", "mandelbrot", "matmul",
				   "minhash",	   "nbody",	 "sobel",
				   "syntax",	   NULL};

struct arena *kit_arena(void)
{
	struct arena *a = arena_new(PTX_ARENA_BYTES);

	cr_assert_not_null(a);
	return a;
}

struct bytes kit_read(struct arena *a, const char *sample)
{
	char path[512];
	FILE *f;
	long n;
	uint8_t *p;

	snprintf(path, sizeof(path), "%s/tests/vectors/ptx-text/%s.ptx",
		 WEFT_SOURCE_DIR, sample);
	f = fopen(path, "rb");
	cr_assert_not_null(f, "%s", path);
	fseek(f, 0, SEEK_END);
	n = ftell(f);
	rewind(f);
	p = arena_alloc(a, (size_t)n + 1, 1);
	cr_assert_not_null(p);
	cr_assert_eq(fread(p, 1, (size_t)n, f), (size_t)n);
	fclose(f);
	return bytes_of(p, (size_t)n);
}

struct ptx_module *kit_parse(struct arena *a, struct bytes text)
{
	struct ptx_module *m = NULL;
	struct ptx_diag d = {0};
	enum err e = ptx_parse(a, text, &m, &d);

	cr_assert_eq(e, ERR_OK, "%s at %u:%u: %s", err_name(e), d.line,
		     d.column, d.text);
	return m;
}

struct ptx_module *kit_sample(struct arena *a, const char *sample)
{
	return kit_parse(a, kit_read(a, sample));
}

struct bytes kit_body_text(struct arena *a, const char *body)
{
	char *text = arena_printf(
		a,
		".version 9.0\n.target sm_100\n.address_size 64\n"
		".visible .entry k(.param .u64 p, .param .u64 q, "
		".param .u32 n) {\n"
		".reg .pred %%p<16>;\n.reg .b16 %%h<16>;\n"
		".reg .b32 %%r<16>;\n.reg .b64 %%d<16>; .reg .b128 %%q<4>;\n"
		".shared .align 16 .b8 s[256];\n.local .align 8 .b8 l[64];\n"
		"%s\n}\n",
		body);

	cr_assert_not_null(text);
	return bytes_str(text);
}

struct ptx_module *kit_body(struct arena *a, const char *body)
{
	return kit_parse(a, kit_body_text(a, body));
}

uint32_t kit_find(const struct ptx_module *m, const char *name)
{
	uint32_t i = ptx_module_find(m, bytes_str(name));

	cr_assert_neq(i, PTX_NO_INDEX, "%s", name);
	return i;
}

struct bytes kit_print(struct arena *a, const struct ptx_module *m)
{
	struct buf out = buf_make(16u << 20);
	struct ptx_diag d = {0};
	enum err e = ptx_print(a, m, NULL, 0, &out, NULL, &d);
	struct bytes copy;

	cr_assert_eq(e, ERR_OK, "%s line %u: %s", err_name(e), d.line, d.text);
	copy = arena_copy(a, buf_bytes(&out));
	buf_free(&out);
	return copy;
}
