/*
 * How long the parser takes for the largest texts, and how much memory: one
 * line a text of PTX_TEXT_BYTES_MAX, made of one repeated piece.
 *
 *   tests/bench/ptx [FILE.ptx...]     the same for files
 */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/limits.h"
#include "gpu/ptx/parse.h"

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"
#define KERNEL                                             \
	HEAD ".entry k(.param .u64 o){.reg .pred %p<9>;\n" \
	     ".reg .b32 %r<999>;.reg .b64 %d<999>;.reg .f32 %f<9>;\n"

static const struct {
	const char *name, *head, *unit, *tail;
	uint32_t most; /* of the unit; 0: as many as fit */
} texts[] = {
	{"instructions", KERNEL, "\tadd.s32 \t%r1, %r2, %r3;    // x += y;\n",
	 "}", PTX_INSTRUCTIONS_MAX - 2},
	{"loads", KERNEL, "@%p1 ld.global.v4.f32 {%f1,%f2,%f3,%f4},[%d7+16];",
	 "}", PTX_INSTRUCTIONS_MAX - 2},
	{"scopes", KERNEL, "{.reg .b32 t;mov.u32 t,7;add.s32 %r1,%r1,t;}", "}",
	 PTX_INSTRUCTIONS_MAX / 2 - 2},
	{"branches", KERNEL, "@%p1 bra end;", "end: ret;}",
	 PTX_INSTRUCTIONS_MAX - 2},
	{"places", KERNEL, ".loc 1 2 3\n", "}", 0},
	{"comments", HEAD, "/* a comment */ // and another\n", "", 0},
	{"integers", HEAD ".global .b8 x[]={", "255,", "0};", 0},
	{"decimals", HEAD ".global .f64 x[]={", "-1.2345678901234567e-20,",
	 "0.0};", 0},
	{"debug", HEAD ".section .debug_info {", ".b8 1,2,3\n", "}", 0},
	{"pragmas", HEAD, ".pragma \"nounroll\";", "", 0},
};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void measure(const char *name, struct bytes text)
{
	struct arena *a = arena_new(PTX_ARENA_BYTES);
	struct ptx_module *m;
	struct ptx_diag d = {0};
	double start = now();
	enum err e = ptx_parse(a, text, &m, &d);
	double took = now() - start;
	printf("%-14s %8zu bytes  %6.0f ms of CPU  %5.1f bytes a byte  %s\n",
	       name, text.n, took * 1e3, (double)arena_used(a) / (double)text.n,
	       e == ERR_OK ? "ok" : d.text);
	arena_free(a);
}

static size_t fill(size_t i, char *out, size_t cap)
{
	size_t u = strlen(texts[i].unit), t = strlen(texts[i].tail);
	size_t n = strlen(texts[i].head);
	memcpy(out, texts[i].head, n);
	for (uint32_t k = 0; n + u + t <= cap; k++) {
		if (texts[i].most != 0 && k == texts[i].most)
			break;
		memcpy(out + n, texts[i].unit, u);
		n += u;
	}
	memcpy(out + n, texts[i].tail, t);
	return n + t;
}

int main(int argc, char **argv)
{
	char *text = malloc(PTX_TEXT_BYTES_MAX + 1);
	if (text == NULL)
		return 1;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		measure(texts[i].name,
			(struct bytes){(uint8_t *)text,
				       fill(i, text, PTX_TEXT_BYTES_MAX)});
	for (int i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "rb");
		if (f == NULL)
			return 1;
		size_t n = fread(text, 1, PTX_TEXT_BYTES_MAX, f);
		fclose(f);
		measure(argv[i], (struct bytes){(uint8_t *)text, n});
	}
	free(text);
	return 0;
}
