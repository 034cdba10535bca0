/*
 * tests/bench/native - Weft's executor against plain C on one core.
 *
 *   native [--repeats N] [KERNEL]...
 *
 * exec.ptx runs on gpu/exec with one thread; the same kernels as loops over
 * threads, written down here, are compiled with -O3 -march=native.  Both run
 * in turns and the best CPU time of each counts.  A ratio of 1 would mean
 * that the referee is as fast as compiled code.  Integers are compared to the
 * bit, floats to 1e-4 of their size (the compilers of the two fuse
 * differently), iterations of mandel in all but one pixel of 500.
 */
#define _GNU_SOURCE /* allowed: clock_gettime */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/must.h"
#include "gpu/exec/exec.h"
#include "gpu/ptx/parse.h"

#define WORDS (1u << 20) /* of every buffer */

/* a, b: what is read; out: the result. */
typedef void native_fn(const uint32_t *a, const uint32_t *b, uint32_t *out);

static uint32_t rotr(uint32_t x, uint32_t n)
{
	return x >> n | x << (32 - n);
}

static void native_mix(const uint32_t *u, const uint32_t *v, uint32_t *out)
{
	(void)u;
	(void)v;
	for (uint32_t i = 0; i < 64 * 256; i++) {
		uint32_t a = i * 2654435761u, b = i ^ 0x9e3779b9u, c = i + 7;

		for (int k = 0; k < 2000; k++) {
			a += b;
			b ^= a << 5;
			c = c * 1664525u + 1013904223u;
			b += c >> 7;
			a ^= c;
			c = (uint32_t)__builtin_popcount(a) + (c ^ b);
			a = rotr(a, 3);
		}
		out[i] = a ^ b ^ c;
	}
}

static void native_mandel(const uint32_t *u, const uint32_t *v, uint32_t *out)
{
	(void)u;
	(void)v;
	for (uint32_t at = 0; at < 1024 * 1024; at++) {
		float cx = -2.0f + (float)(at % 1024) * 0.0029296875f;
		float cy = -1.5f + (float)(at / 1024) * 0.0029296875f;
		float zx = 0, zy = 0;
		uint32_t i = 0;

		while (i < 256 && zx * zx + zy * zy < 4.0f) {
			float t = zx * zx - zy * zy + cx;

			zy = 2 * zx * zy + cy;
			zx = t;
			i++;
		}
		out[at] = i;
	}
}

static float f32(uint32_t bits)
{
	float v;

	memcpy(&v, &bits, 4);
	return v;
}

static void native_matmul(const uint32_t *u, const uint32_t *v, uint32_t *out)
{
	const float *a = (const float *)(const void *)u;
	const float *b = (const float *)(const void *)v;
	float *c = (float *)(void *)out;

	for (uint32_t i = 0; i < 512; i++) {
		for (uint32_t j = 0; j < 512; j++) {
			float sum = 0;

			for (uint32_t k = 0; k < 512; k++)
				sum += a[i * 512 + k] * b[k * 512 + j];
			c[i * 512 + j] = sum;
		}
	}
}

static void native_nbody(const uint32_t *u, const uint32_t *v, uint32_t *out)
{
	const float *p = (const float *)(const void *)u;
	float *acc = (float *)(void *)out;

	(void)v;
	for (uint32_t i = 0; i < 2048; i++) {
		float ax = 0, ay = 0, az = 0;

		for (uint32_t j = 0; j < 2048; j++) {
			float dx = p[4 * j] - p[4 * i];
			float dy = p[4 * j + 1] - p[4 * i + 1];
			float dz = p[4 * j + 2] - p[4 * i + 2];
			float inv = 1.0f /
				    sqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
			float f = p[4 * j + 3] * inv * inv * inv;

			ax += dx * f;
			ay += dy * f;
			az += dz * f;
		}
		memcpy(&acc[4 * i], (float[4]){ax, ay, az, 0}, 16);
	}
}

static const uint32_t round_words[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t hash_word(uint32_t id)
{
	uint32_t w[16] = {42, id, 0x80000000u, [15] = 64};
	uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
			 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

	for (uint32_t i = 0; i < 64; i++) {
		uint32_t s0 = w[(i + 1) & 15], s1 = w[(i + 14) & 15];

		if (i >= 16)
			w[i & 15] += (rotr(s0, 7) ^ rotr(s0, 18) ^ s0 >> 3) +
				     w[(i + 9) & 15] +
				     (rotr(s1, 17) ^ rotr(s1, 19) ^ s1 >> 10);
		uint32_t t = h[7] +
			     (rotr(h[4], 6) ^ rotr(h[4], 11) ^ rotr(h[4], 25)) +
			     ((h[4] & h[5]) ^ (~h[4] & h[6])) + round_words[i] +
			     w[i & 15];
		uint32_t r = (rotr(h[0], 2) ^ rotr(h[0], 13) ^ rotr(h[0], 22)) +
			     ((h[0] & h[1]) ^ (h[0] & h[2]) ^ (h[1] & h[2]));

		memmove(h + 1, h, 7 * sizeof(*h));
		h[4] += t;
		h[0] = t + r;
	}
	return h[0] + 0x6a09e667u;
}

static void native_hash(const uint32_t *u, const uint32_t *v, uint32_t *out)
{
	(void)u;
	(void)v;
	for (uint32_t i = 0; i < 256 * 256; i++)
		out[i] = hash_word(i);
}

enum compare { BITS, FLOATS, COUNTS };

struct row {
	const char *kernel;
	uint32_t grid[3], block[3];
	uint32_t buffers; /* the first parameters; the last is the result */
	uint32_t scalars[6];
	uint32_t scalar_count;
	uint32_t result_words;
	enum compare compare;
	native_fn *native;
};

static const struct row rows[] = {
	{"mix",
	 {64, 1, 1},
	 {256, 1, 1},
	 1,
	 {2000},
	 1,
	 64 * 256,
	 BITS,
	 native_mix},
	{"matmul",
	 {32, 32, 1},
	 {16, 16, 1},
	 3,
	 {512},
	 1,
	 512 * 512,
	 FLOATS,
	 native_matmul},
	{"mandel",
	 {64, 64, 1},
	 {16, 16, 1},
	 1,
	 {1024, 1024, 0xc0000000, 0xbfc00000, 0x3b400000, 256},
	 6,
	 1024 * 1024,
	 COUNTS,
	 native_mandel},
	{"hash",
	 {256, 1, 1},
	 {256, 1, 1},
	 1,
	 {42},
	 1,
	 256 * 256,
	 BITS,
	 native_hash},
	{"nbody",
	 {8, 1, 1},
	 {256, 1, 1},
	 2,
	 {2048},
	 1,
	 8 * 256 * 4,
	 FLOATS,
	 native_nbody},
};

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct exec_module *load(struct arena *a)
{
	const char *path = WEFT_SOURCE_DIR "/tests/bench/exec.ptx";
	FILE *f = fopen(path, "rb");
	uint8_t *text = arena_alloc(a, 1u << 20, 16);
	struct exec_module *m = NULL;
	struct ptx_module *pm;
	struct exec_refusal why;
	struct ptx_diag diag;

	if (f == NULL || text == NULL) {
		fprintf(stderr, "cannot read %s\n", path);
		exit(2);
	}
	size_t n = fread(text, 1, 1u << 20, f);
	fclose(f);
	must(ptx_parse(a, bytes_of(text, n), &pm, &diag) == ERR_OK);
	must(exec_module_load(pm, NULL, &m, &why) == ERR_OK);
	return m;
}

static double run_ours(const struct exec_module *m, const struct row *r,
		       uint32_t **data, struct arena *a)
{
	struct exec_options options = EXEC_OPTIONS_DEFAULT;
	struct exec_buffer buffers[3];
	struct exec_reloc relocs[3];
	uint8_t params[64] = {0};
	struct exec_launch l = {.kernel = bytes_str(r->kernel),
				.relocs = relocs,
				.reloc_count = r->buffers,
				.buffers = buffers,
				.buffer_count = r->buffers};
	struct exec_result result;
	struct exec_kernel k;
	struct exec_param p;

	must(exec_kernel_find(m, l.kernel, &k) == ERR_OK);
	for (uint32_t i = 0; i < r->buffers; i++) {
		exec_kernel_param(m, l.kernel, i, &p);
		relocs[i] = (struct exec_reloc){p.offset_bytes, i, 0};
		buffers[i] = (struct exec_buffer){.data = (uint8_t *)data[i],
						  .bytes = 4ul * WORDS,
						  .writable = true};
	}
	for (uint32_t i = 0; i < r->scalar_count; i++) {
		exec_kernel_param(m, l.kernel, r->buffers + i, &p);
		memcpy(params + p.offset_bytes, &r->scalars[i], 4);
	}
	l.params = bytes_of(params, k.param_bytes);
	memcpy(l.grid, r->grid, sizeof(l.grid));
	memcpy(l.block, r->block, sizeof(l.block));
	double begin = cpu_seconds();
	must(exec_run(m, &l, &options, a, &result) == ERR_OK);
	must(result.outcome == EXEC_OK);
	return cpu_seconds() - begin;
}

static bool is_near(const struct row *r, uint32_t x, uint32_t y)
{
	if (r->compare != FLOATS)
		return x == y;
	return fabsf(f32(x) - f32(y)) <=
	       1e-4f * (fabsf(f32(x)) + fabsf(f32(y))) + 1e-6f;
}

static bool run_row(const struct exec_module *m, const struct row *r,
		    unsigned repeats)
{
	struct arena *a = arena_new(1u << 24);
	uint32_t *data[3], *out = calloc(WORDS, 4);
	double ours = 1e9, native = 1e9;
	uint32_t bad = 0,
		 may = r->compare == COUNTS ? r->result_words / 500 : 0;

	must(out != NULL);
	for (uint32_t i = 0; i < 3; i++) {
		data[i] = malloc(4ul * WORDS);
		must(data[i] != NULL);
		for (uint32_t k = 0; k < WORDS; k++) {
			float v = (float)(k * 2654435761u >> 8) / 16777216.0f;

			memcpy(&data[i][k], &v, 4);
		}
	}
	for (unsigned i = 0; i < repeats; i++) {
		ours = fmin(ours, run_ours(m, r, data, a));
		double begin = cpu_seconds();
		r->native(data[0], data[1], out);
		native = fmin(native, cpu_seconds() - begin);
		arena_reset(a);
	}
	for (uint32_t i = 0; i < r->result_words; i++)
		bad += !is_near(r, data[r->buffers - 1][i], out[i]);
	printf("%-8s weft %8.2f ms   C %8.2f ms   ratio %5.2f%s\n", r->kernel,
	       1e3 * ours, 1e3 * native, native / ours,
	       bad > may ? ": WRONG" : "");
	for (uint32_t i = 0; i < 3; i++)
		free(data[i]);
	free(out);
	arena_free(a);
	return bad <= may;
}

static bool wanted(int argc, char **argv, int first, const char *name)
{
	for (int i = first; i < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return true;
	return first >= argc;
}

int main(int argc, char **argv)
{
	struct arena *a = arena_new(PTX_ARENA_BYTES * 2);
	struct exec_module *m = load(a);
	unsigned repeats = 5;
	bool ok = true;
	int first = 1;

	if (argc > 2 && strcmp(argv[1], "--repeats") == 0) {
		repeats = (unsigned)strtoul(argv[2], NULL, 10);
		first = 3;
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (wanted(argc, argv, first, rows[i].kernel))
			ok &= run_row(m, &rows[i], repeats);
	exec_module_free(m);
	arena_free(a);
	return ok ? 0 : 1;
}
