/*
 * tests/bench/exec - thread-instructions per second of the CPU executor.
 *
 *   exec [--lanes NAME] [--threads N] [--sanitize] [--ratio] [KERNEL]...
 *
 * Runs the kernels of tests/bench/exec.ptx (an integer mix, a float loop that
 * diverges, a matrix product in shared memory, ...) and prints one line each:
 * per second of CPU time, so that a busy machine does not matter much.
 * --ratio: also what the sanitizer takes, as a multiple; the goal is 3.
 * "rounding" compares a loop of .rn with one of .rz and with one that changes
 * its rounding mode in every instruction: the goal is 1.1.
 */
#define _GNU_SOURCE /* allowed: clock_gettime */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "gpu/exec/exec.h"
#include "gpu/ptx/parse.h"

#define N (1u << 20)

struct row {
	const char *kernel;
	uint32_t grid[3], block[3];
	uint32_t buffers; /* the first parameters */
	uint32_t scalars[6];
	uint32_t scalar_count;
};

static const struct row rows[] = {
	{"mix", {64, 1, 1}, {256, 1, 1}, 1, {2000}, 1},
	{"mandel",
	 {64, 64, 1},
	 {16, 16, 1},
	 1,
	 {1024, 1024, 0xc0000000, 0xbfc00000, 0x3b400000, 256},
	 6},
	{"matmul", {16, 16, 1}, {16, 16, 1}, 3, {256}, 1},
	{"hash", {256, 1, 1}, {256, 1, 1}, 1, {42}, 1},
	{"nbody", {8, 1, 1}, {256, 1, 1}, 2, {2048}, 1},
};

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct bytes read_file(struct arena *a, const char *path)
{
	FILE *f = fopen(path, "rb");
	if (f == NULL)
		return (struct bytes){NULL, 0};
	uint8_t *p = arena_alloc(a, 4u << 20, 16);
	size_t n = fread(p, 1, 4u << 20, f);
	fclose(f);
	return bytes_of(p, n);
}

/* The shortest of some runs, in seconds. */
static double best_of(const struct exec_module *m, const struct exec_launch *in,
		      const struct exec_options *options, struct arena *a,
		      struct exec_result *ret)
{
	double best = 1e9, t0 = seconds();
	for (int i = 0; i < 5 && (i == 0 || seconds() - t0 < 2); i++) {
		double t = seconds();
		enum err e = exec_run(m, in, options, a, ret);
		t = seconds() - t;
		if (e != ERR_OK || ret->outcome != EXEC_OK)
			printf("%.*s: %s\n", (int)in->kernel.n,
			       (const char *)in->kernel.p,
			       exec_reason_word(ret->reason));
		best = t < best ? t : best;
	}
	return best;
}

static void run_row(const struct exec_module *m, const struct row *r,
		    const struct exec_options *options, bool ratio)
{
	struct exec_buffer buffers[3];
	struct exec_reloc relocs[3];
	uint8_t params[64] = {0};
	struct arena *a = arena_new(1u << 24);
	struct exec_param p;
	for (uint32_t i = 0; i < r->buffers; i++) {
		uint8_t *data = calloc(N, 16);
		for (uint32_t k = 0; k < 4 * N; k++) {
			float v = (float)(k * 2654435761u >> 8) / 16777216.0f;
			memcpy(data + 4 * (size_t)k, &v, 4);
		}
		buffers[i] =
			(struct exec_buffer){.data = data,
					     .bytes = 16u * N,
					     .writable = i + 1 == r->buffers};
		exec_kernel_param(m, bytes_str(r->kernel), i, &p);
		relocs[i] = (struct exec_reloc){.param_offset = p.offset_bytes,
						.buffer = i};
	}
	for (uint32_t i = 0; i < r->scalar_count; i++) {
		exec_kernel_param(m, bytes_str(r->kernel), r->buffers + i, &p);
		memcpy(params + p.offset_bytes, &r->scalars[i], 4);
	}
	struct exec_launch in = {.kernel = bytes_str(r->kernel),
				 .params = bytes_of(params, 0),
				 .relocs = relocs,
				 .reloc_count = r->buffers,
				 .buffers = buffers,
				 .buffer_count = r->buffers};
	struct exec_kernel k;
	if (exec_kernel_find(m, in.kernel, &k) != ERR_OK)
		return;
	in.params = bytes_of(params, k.param_bytes);
	memcpy(in.grid, r->grid, sizeof(in.grid));
	memcpy(in.block, r->block, sizeof(in.block));
	struct exec_result res = {0};
	double best = best_of(m, &in, options, a, &res);
	uint64_t sum = 0;
	for (size_t i = 0; i < 16u * N; i++)
		sum = sum * 31 + buffers[r->buffers - 1].data[i];
	printf("%-8s %8.4f s  %12llu ops  %6.2f G/s per core  %016llx\n",
	       r->kernel, best, (unsigned long long)res.count,
	       (double)res.count / best / 1e9, (unsigned long long)sum);
	if (ratio) {
		struct exec_options o = *options;
		o.sanitize = true;
		double t = best_of(m, &in, &o, a, &res);
		printf("         sanitized %.4f s: %.2f\n", t, t / best);
	}
	for (uint32_t i = 0; i < r->buffers; i++)
		free(buffers[i].data);
	arena_free(a);
}

/* A loop of float operations, in the rounding modes of the list in turn.  Its
 * values stay between 0.3 and 2.1, wherever it starts. */
static struct exec_module *load_rounding(struct arena *a, const char *modes)
{
	static const char *const ops[4] = {
		"fma.rn.f32 %a, %a, %h, %b;\n", "mul.rn.f32 %b, %a, %h;\n",
		"sub.rn.f32 %a, %k, %b;\n", "add.rn.f32 %b, %b, %k;\n"};
	char text[8192];
	int n = snprintf(text, sizeof(text),
			 ".version 7.0\n.target sm_75\n.address_size 64\n"
			 ".visible .entry k(.param .u64 out) {\n"
			 ".reg .f32 %%a, %%b, %%h, %%k;\n"
			 ".reg .b32 %%n;\n.reg .pred %%p;\n"
			 "mov.f32 %%a, 0f3f000001;\nmov.f32 %%b, 0f3e800003;\n"
			 "mov.f32 %%h, 0f3ebffff1;\nmov.f32 %%k, 0f3f7ffff3;\n"
			 "mov.u32 %%n, 0;\nLOOP:\n");
	for (int i = 0; i < 64; i++) {
		char line[64];
		snprintf(line, sizeof(line), "%s", ops[i % 4]);
		line[5] = modes[(size_t)i % strlen(modes)];
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%s", line);
	}
	snprintf(text + n, sizeof(text) - (size_t)n,
		 "add.u32 %%n, %%n, 1;\nsetp.lt.u32 %%p, %%n, 200;\n"
		 "@%%p bra LOOP;\nret;\n}\n");
	struct ptx_module *pm;
	struct ptx_diag diag;
	struct exec_module *m = NULL;
	struct exec_refusal why;
	if (ptx_parse(a, bytes_str(text), &pm, &diag) != ERR_OK ||
	    exec_module_load(pm, NULL, &m, &why) != ERR_OK)
		return NULL;
	return m;
}

/* One mode all the time, and another in every instruction. */
#define MODES 3u
static const char *const modes_of[MODES] = {"n", "z", "mpz"};

static void run_rounding(const struct exec_options *options)
{
	struct arena *a = arena_new(PTX_ARENA_BYTES * MODES);
	struct exec_module *m[MODES];
	struct exec_launch in = {.kernel = bytes_str("k"),
				 .grid = {16, 1, 1},
				 .block = {256, 1, 1}};
	double best[MODES];
	for (uint32_t k = 0; k < MODES; k++) {
		m[k] = load_rounding(a, modes_of[k]);
		best[k] = 1e9;
	}
	for (uint32_t i = 0; i < 50 * MODES; i++) {
		struct exec_result res;
		double t = seconds();
		if (m[i % MODES] == NULL ||
		    exec_run(m[i % MODES], &in, options, a, &res) != ERR_OK)
			continue;
		t = seconds() - t;
		best[i % MODES] = t < best[i % MODES] ? t : best[i % MODES];
	}
	printf("rounding  nearest %.4f s; all to zero %.2f, another mode in "
	       "every instruction %.2f times as long\n",
	       best[0], best[1] / best[0], best[2] / best[0]);
	for (uint32_t k = 0; k < MODES; k++)
		exec_module_free(m[k]);
	arena_free(a);
}

static bool wanted(int argc, char **argv, int first, const char *name)
{
	for (int i = first; i < argc; i++) {
		if (strcmp(argv[i], name) == 0)
			return true;
	}
	return first >= argc;
}

int main(int argc, char **argv)
{
	struct exec_options options = EXEC_OPTIONS_DEFAULT;
	struct arena *a = arena_new(PTX_ARENA_BYTES * 2);
	int first = 1;
	bool ratio = false;
	for (; first < argc && strncmp(argv[first], "--", 2) == 0; first++) {
		if (strcmp(argv[first], "--sanitize") == 0)
			options.sanitize = true;
		else if (strcmp(argv[first], "--ratio") == 0)
			ratio = true;
		else if (first + 1 >= argc)
			return 2;
		else if (strcmp(argv[first], "--threads") == 0)
			options.threads =
				(uint32_t)strtoul(argv[++first], NULL, 10);
		else if (exec_lanes_parse(bytes_str(argv[++first]),
					  &options.lanes) != ERR_OK)
			return 2;
	}
	struct ptx_module *pm;
	struct ptx_diag diag;
	struct exec_module *m;
	struct exec_refusal why;
	struct bytes text =
		read_file(a, WEFT_SOURCE_DIR "/tests/bench/exec.ptx");
	if (ptx_parse(a, text, &pm, &diag) != ERR_OK) {
		printf("line %u: %s\n", diag.line, diag.text);
		return 1;
	}
	if (exec_module_load(pm, NULL, &m, &why) != ERR_OK) {
		printf("line %u: %s\n", why.line, why.text);
		return 1;
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (wanted(argc, argv, first, rows[i].kernel))
			run_row(m, &rows[i], &options, ratio);
	}
	if (wanted(argc, argv, first, "rounding"))
		run_rounding(&options);
	exec_module_free(m);
	arena_free(a);
	return 0;
}
