/*
 * Random straight-line code: as C, compiled by gcc and by clang, and as PTX,
 * run by the executor on every set of lanes.  Equal bits, NaNs as NaNs.
 *
 * native [--count N] [--seed S] [--statements N] [--keep FOLDER]
 *
 * The seed of a function that differs is printed; with --keep its C and PTX
 * stay in FOLDER.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/must.h"
#include "gpu/exec/exec.h"
#include "gpu/ptx/parse.h"
#include "tests/diff/code/code.h"
#include "tests/support/kernels/kernels.h"

#define BATCH 50u
#define SETS  64u

static const char *const compilers[] = {"gcc", "clang"};

#define FLAGS "-O2 -ffp-contract=off -frounding-math -fno-math-errno -w"

struct batch {
	uint64_t seed;
	uint32_t first, count, statements;
	const char *folder;
	struct arena *arena;
	uint8_t in[SETS * CODE_BYTES];
	uint8_t ptx[BATCH][SETS * CODE_BYTES];
};

static bool write_file(const char *folder, const char *name, struct bytes text)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *f = fopen(path, "w");
	if (f == NULL)
		return false;
	bool ok = fwrite(text.p, 1, text.n, f) == text.n;
	return fclose(f) == 0 && ok;
}

/* The first difference of one set of variables; NULL: none. */
static const char *difference(const uint8_t *a, const uint8_t *b)
{
	for (uint32_t i = 0; i < CODE_DOUBLES; i++) {
		uint64_t x = u64_le(a + 8 * i), y = u64_le(b + 8 * i);
		bool nan = (x & INT64_MAX) > 0x7ff0000000000000u &&
			   (y & INT64_MAX) > 0x7ff0000000000000u;
		if (x != y && !nan)
			return "double";
	}
	for (uint32_t i = 0; i < CODE_FLOATS; i++) {
		uint32_t x = u32_le(a + CODE_AT_FLOATS + 4 * i);
		uint32_t y = u32_le(b + CODE_AT_FLOATS + 4 * i);
		bool nan = (x & 0x7fffffffu) > 0x7f800000u &&
			   (y & 0x7fffffffu) > 0x7f800000u;
		if (x != y && !nan)
			return "float";
	}
	if (memcmp(a + CODE_AT_LONGS, b + CODE_AT_LONGS,
		   CODE_AT_FLOATS - CODE_AT_LONGS) != 0)
		return "integer";
	return NULL;
}

static void run_ptx(struct batch *b, struct bytes text)
{
	struct ptx_module *pm;
	struct ptx_diag diag = {0};
	struct exec_module *m;
	struct exec_refusal why = {0};
	if (ptx_parse(b->arena, text, &pm, &diag) != ERR_OK)
		printf("line %u: %s\n", diag.line, diag.text);
	must(diag.code == ERR_OK);
	if (exec_module_load(pm, NULL, &m, &why) != ERR_OK)
		printf("line %u: %s\n", why.line, why.text);
	must(why.line == 0);
	for (uint32_t i = 0; i < b->count; i++) {
		char name[16];
		struct exec_buffer buffers[2] = {
			{.data = b->ptx[i],
			 .bytes = sizeof(b->ptx[i]),
			 .writable = true},
			{.data = b->in, .bytes = sizeof(b->in)}};
		struct exec_reloc relocs[2] = {
			{.param_offset = 0, .buffer = 0},
			{.param_offset = 8, .buffer = 1}};
		snprintf(name, sizeof(name), "k%u", i);
		struct exec_launch in = {.kernel = bytes_str(name),
					 .grid = {1, 1, 1},
					 .block = {SETS, 1, 1},
					 .relocs = relocs,
					 .reloc_count = 2,
					 .buffers = buffers,
					 .buffer_count = 2};
		struct exec_options o = EXEC_OPTIONS_DEFAULT;
		struct exec_result r;
		o.lanes = (enum exec_lanes)(EXEC_LANES_PLAIN +
					    i % (uint32_t)exec_lanes_best());
		must(exec_run(m, &in, &o, b->arena, &r) == ERR_OK);
		must(r.outcome == EXEC_OK);
	}
	exec_module_free(m);
}

/* How many functions of the library differ. */
static uint32_t compare(const struct batch *b, void *library, const char *by)
{
	uint32_t bad = 0;
	for (uint32_t i = 0; i < b->count; i++) {
		char name[16];
		const char *what = NULL;
		uint8_t out[CODE_BYTES] = {0};
		uint32_t s;
		snprintf(name, sizeof(name), "k%u", i);
		void (*f)(const char *, char *);
		*(void **)&f = dlsym(library, name);
		must(f != NULL);
		for (s = 0; s < SETS && what == NULL; s++) {
			f((const char *)b->in + s * CODE_BYTES, (char *)out);
			what = difference(b->ptx[i] + s * CODE_BYTES, out);
		}
		if (what == NULL)
			continue;
		printf("seed %llu, %s, set %u: %s differs\n",
		       (unsigned long long)b->seed + i, by, s - 1, what);
		bad++;
	}
	return bad;
}

static uint32_t compile_and_compare(const struct batch *b, const char *by)
{
	char command[1024], path[512];
	snprintf(path, sizeof(path), "%s/%s.so", b->folder, by);
	snprintf(command, sizeof(command),
		 "%s %s %s -shared -fPIC -o %s %s/code.c -lm", by, FLAGS,
		 __builtin_cpu_supports("fma") ? "-mfma" : "", path, b->folder);
	if (system(command) != 0) {
		printf("%s failed\n", by);
		return b->count;
	}
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	must(library != NULL);
	uint32_t bad = compare(b, library, by);
	dlclose(library);
	unlink(path);
	return bad;
}

static uint32_t run_batch(struct batch *b)
{
	struct buf c = buf_make(64u << 20), ptx = buf_make(64u << 20);
	uint32_t bad = 0;
	arena_reset(b->arena);
	code_put_heads(&c, &ptx);
	for (uint32_t i = 0; i < b->count; i++)
		code_put_function(b->seed, i, b->statements, &c, &ptx);
	kernels_input(b->seed, b->in, sizeof(b->in));
	must(c.err == ERR_OK && ptx.err == ERR_OK);
	must(write_file(b->folder, "code.c", buf_bytes(&c)));
	must(write_file(b->folder, "code.ptx", buf_bytes(&ptx)));
	run_ptx(b, buf_bytes(&ptx));
	for (uint32_t i = 0; i < 2; i++)
		bad += compile_and_compare(b, compilers[i]);
	buf_free(&c);
	buf_free(&ptx);
	return bad;
}

static uint64_t number(const char *s)
{
	char *end;
	uint64_t v = strtoull(s, &end, 0);
	if (*s == '\0' || *end != '\0') {
		fprintf(stderr, "native: %s is not a number\n", s);
		exit(2);
	}
	return v;
}

int main(int argc, char **argv)
{
	static struct batch b = {.statements = 40, .count = BATCH};
	char folder[] = "/tmp/weft-native-XXXXXX";
	uint64_t count = 200, seed = 1, bad = 0;
	for (int i = 1; i < argc; i += 2) {
		bool has_value = i + 1 < argc;
		if (has_value && strcmp(argv[i], "--count") == 0)
			count = number(argv[i + 1]);
		else if (has_value && strcmp(argv[i], "--seed") == 0)
			seed = number(argv[i + 1]);
		else if (has_value && strcmp(argv[i], "--statements") == 0)
			b.statements = (uint32_t)number(argv[i + 1]);
		else if (has_value && strcmp(argv[i], "--keep") == 0)
			b.folder = argv[i + 1];
		else {
			fprintf(stderr, "native [--count N] [--seed S] "
					"[--statements N] [--keep FOLDER]\n");
			return 2;
		}
	}
	bool keeps = b.folder != NULL;
	if (!keeps)
		b.folder = mkdtemp(folder);
	must(b.folder != NULL);
	b.arena = arena_new(PTX_ARENA_BYTES);
	for (uint64_t i = 0; i < count; i += BATCH) {
		b.seed = seed + i;
		b.count = count - i < BATCH ? (uint32_t)(count - i) : BATCH;
		bad += run_batch(&b);
	}
	arena_free(b.arena);
	printf("%llu functions from seed %llu, each by gcc and clang: %llu "
	       "differ\n",
	       (unsigned long long)count, (unsigned long long)seed,
	       (unsigned long long)bad);
	if (!keeps) {
		char path[512];
		snprintf(path, sizeof(path), "%s/code.c", folder);
		unlink(path);
		snprintf(path, sizeof(path), "%s/code.ptx", folder);
		unlink(path);
		rmdir(folder);
	}
	return bad == 0 && count > 0 ? 0 : 1;
}
