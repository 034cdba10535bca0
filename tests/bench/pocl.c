/*
 * tests/bench/pocl - Weft's executor against PoCL, same kernels, same run.
 *
 *   pocl [--least RATIO] [--repeats N] [--cores N] [KERNEL]...
 *
 * exec.ptx runs on gpu/exec, pocl.cl on PoCL, in turns: with one thread each,
 * then (or only, with --cores) with two.  The best time of each counts: of one
 * core the processor's, so that a busy machine does not matter much, of more
 * the clock's.  Compiling is not counted.  PoCL gets the sizes of work groups
 * that suit it best, where the kernel leaves them free.  Results are compared:
 * integers to the bit, floats to 1e-4 of their size, iterations of mandel in
 * all but one pixel of 500 (contraction may differ at the set's edge).
 * The hash is straight-line code that compiled vectors keep in registers; its
 * line is followed by a bound: what any interpreter that keeps registers in
 * the L1 cache would need at least, as load, load, operation, store.
 * Exits 1 when results differ or a ratio is below --least.
 */
#define CL_TARGET_OPENCL_VERSION 300
#define _GNU_SOURCE		 /* allowed: clock_gettime, sched_setaffinity, fork */
#include <CL/cl.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/must.h"
#include "gpu/exec/exec.h"
#include "gpu/ptx/parse.h"

#define WORDS (1u << 22) /* of every buffer */

enum compare { BITS, FLOATS, COUNTS };

struct row {
	const char *kernel;
	uint32_t grid[3], block[3];
	uint32_t buffers; /* the first parameters; the last is the result */
	uint32_t scalars[6];
	uint32_t scalar_count;
	uint32_t result_words;
	enum compare compare;
	bool is_free; /* any work groups do */
};

static const struct row rows[] = {
	{"mix", {64, 1, 1}, {256, 1, 1}, 1, {2000}, 1, 64 * 256, BITS, true},
	{"matmul",
	 {32, 32, 1},
	 {16, 16, 1},
	 3,
	 {512},
	 1,
	 512 * 512,
	 FLOATS,
	 false},
	{"mandel",
	 {64, 64, 1},
	 {16, 16, 1},
	 1,
	 {1024, 1024, 0xc0000000, 0xbfc00000, 0x3b400000, 256},
	 6,
	 1024 * 1024,
	 COUNTS,
	 true},
	{"hash", {256, 1, 1}, {256, 1, 1}, 1, {42}, 1, 256 * 256, BITS, true},
	{"nbody",
	 {8, 1, 1},
	 {256, 1, 1},
	 2,
	 {2048},
	 1,
	 8 * 256 * 4,
	 FLOATS,
	 false},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

struct bench {
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	struct exec_module *module;
	unsigned repeats, cores;
	double least;
};

static double seconds(const struct bench *b)
{
	struct timespec t;

	clock_gettime(
		b->cores == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct bytes read_file(struct arena *a, const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *p = arena_alloc(a, 4u << 20, 16);
	size_t n;

	if (!f || !p) {
		fprintf(stderr, "cannot read %s\n", path);
		exit(2);
	}
	n = fread(p, 1, 4u << 20, f);
	fclose(f);
	return bytes_of(p, n);
}

static void check(cl_int rc, const char *what)
{
	if (rc == CL_SUCCESS)
		return;
	fprintf(stderr, "%s: OpenCL error %d\n", what, (int)rc);
	exit(2);
}

static void print_log(const struct bench *b, cl_device_id device)
{
	static char log[65536];

	clGetProgramBuildInfo(b->program, device, CL_PROGRAM_BUILD_LOG,
			      sizeof(log), log, NULL);
	fprintf(stderr, "%s\n", log);
}

static void open_pocl(struct bench *b, struct arena *a)
{
	struct bytes text =
		read_file(a, WEFT_SOURCE_DIR "/tests/bench/pocl.cl");
	const char *p = (const char *)text.p;
	char name[256] = "", version[256] = "";
	cl_platform_id platform;
	cl_device_id device;
	cl_int rc;

	snprintf(version, sizeof(version), "%u", b->cores);
	setenv("POCL_MAX_PTHREAD_COUNT", version, 1);
	check(clGetPlatformIDs(1, &platform, NULL), "no OpenCL platform");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL),
	      "no CPU device");
	clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof(version),
			  version, NULL);
	clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(name), name, NULL);
	printf("PoCL: %s, %s\n", version, name);
	b->context = clCreateContext(NULL, 1, &device, NULL, NULL, &rc);
	check(rc, "context");
	b->queue = clCreateCommandQueueWithProperties(b->context, device, NULL,
						      &rc);
	check(rc, "queue");
	b->program = clCreateProgramWithSource(b->context, 1, &p, &text.n, &rc);
	check(rc, "program");
	rc = clBuildProgram(b->program, 1, &device,
			    "-cl-fp32-correctly-rounded-divide-sqrt", NULL,
			    NULL);
	if (rc != CL_SUCCESS)
		print_log(b, device);
	check(rc, "build");
}

static void open_weft(struct bench *b, struct arena *a)
{
	struct ptx_module *m;
	struct ptx_diag diag;
	struct exec_refusal why;

	must(ptx_parse(a, read_file(a, WEFT_SOURCE_DIR "/tests/bench/exec.ptx"),
		       &m, &diag) == ERR_OK);
	must(exec_module_load(m, NULL, &b->module, &why) == ERR_OK);
	printf("Weft: %s lanes; threads of each: %u\n",
	       exec_lanes_name(exec_lanes_best()), b->cores);
}

/* Reals in [0, 1), the same for both. */
static void fill(uint32_t *p)
{
	for (uint32_t k = 0; k < WORDS; k++) {
		float v = (float)(k * 2654435761u >> 8) / 16777216.0f;

		memcpy(&p[k], &v, 4);
	}
}

/* A launch on PoCL, ready to be run again. */
struct theirs {
	cl_kernel kernel;
	cl_mem memory[3];
	size_t local[3]; /* 0: as PoCL likes */
};

static struct theirs prepare_theirs(const struct bench *b, const struct row *r,
				    uint32_t **data)
{
	struct theirs t;
	char name[32];
	cl_int rc;

	/* OpenCL has functions called mix and so on */
	snprintf(name, sizeof(name), "bench_%s", r->kernel);
	t.kernel = clCreateKernel(b->program, name, &rc);
	check(rc, r->kernel);
	for (uint32_t i = 0; i < r->buffers; i++) {
		t.memory[i] = clCreateBuffer(
			b->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
			4ul * WORDS, data[i], &rc);
		check(rc, "buffer");
		check(clSetKernelArg(t.kernel, i, sizeof(cl_mem), &t.memory[i]),
		      "argument");
	}
	for (uint32_t i = 0; i < r->scalar_count; i++)
		check(clSetKernelArg(t.kernel, r->buffers + i, 4,
				     &r->scalars[i]),
		      "argument");
	return t;
}

static double run_theirs(const struct bench *b, const struct row *r,
			 const struct theirs *t)
{
	size_t global[3];
	double begin = seconds(b);

	for (int i = 0; i < 3; i++)
		global[i] = (size_t)r->block[i] * r->grid[i];
	check(clEnqueueNDRangeKernel(b->queue, t->kernel, 3, NULL, global,
				     t->local[0] > 0 ? t->local : NULL, 0, NULL,
				     NULL),
	      "launch");
	check(clFinish(b->queue), "finish");
	return seconds(b) - begin;
}

/* The work groups with which it is fastest. */
static void choose_local(const struct bench *b, const struct row *r,
			 struct theirs *t)
{
	static const size_t shapes[][3] = {
		{0, 0, 0},   {64, 1, 1},   {128, 1, 1}, {256, 1, 1},
		{512, 1, 1}, {1024, 1, 1}, {8, 8, 1},	{16, 16, 1},
		{32, 8, 1},  {64, 4, 1},   {32, 32, 1}};
	size_t best[3] = {r->block[0], r->block[1], r->block[2]};
	double least = 1e9;

	memcpy(t->local, best, sizeof(best));
	(void)run_theirs(b, r, t); /* compiles for this shape */
	for (size_t i = 0; r->is_free && i < sizeof(shapes) / sizeof(*shapes);
	     i++) {
		double fastest = 1e9;

		if (shapes[i][1] > (size_t)r->block[1] * r->grid[1])
			continue;
		memcpy(t->local, shapes[i], sizeof(best));
		(void)run_theirs(b, r, t);
		for (int k = 0; k < 3; k++)
			fastest = fmin(fastest, run_theirs(b, r, t));
		if (fastest < least)
			memcpy(best, shapes[i], sizeof(best));
		least = fmin(least, fastest);
	}
	memcpy(t->local, best, sizeof(best));
}

static double run_ours(const struct bench *b, const struct row *r,
		       uint32_t **data, struct arena *a, uint64_t *ret_count)
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
	struct exec_kernel k;
	struct exec_param p;
	struct exec_result result;
	double begin;

	must(exec_kernel_find(b->module, l.kernel, &k) == ERR_OK);
	for (uint32_t i = 0; i < r->buffers; i++) {
		exec_kernel_param(b->module, l.kernel, i, &p);
		relocs[i] = (struct exec_reloc){p.offset_bytes, i, 0};
		buffers[i] = (struct exec_buffer){
			.data = (uint8_t *)data[i],
			.bytes = 4ul * WORDS,
			.writable = true,
		};
	}
	for (uint32_t i = 0; i < r->scalar_count; i++) {
		exec_kernel_param(b->module, l.kernel, r->buffers + i, &p);
		memcpy(params + p.offset_bytes, &r->scalars[i], 4);
	}
	l.params = bytes_of(params, k.param_bytes);
	memcpy(l.grid, r->grid, sizeof(l.grid));
	memcpy(l.block, r->block, sizeof(l.block));
	options.threads = b->cores;
	begin = seconds(b);
	must(exec_run(b->module, &l, &options, a, &result) == ERR_OK);
	begin = seconds(b) - begin;
	must(result.outcome == EXEC_OK);
	*ret_count = result.count;
	return begin;
}

static bool float_near(uint32_t x, uint32_t y)
{
	float a, b;

	memcpy(&a, &x, 4);
	memcpy(&b, &y, 4);
	return fabsf(a - b) <= 1e-4f * (fabsf(a) + fabsf(b)) + 1e-6f;
}

/* Words that differ more than they may. */
static uint32_t differing(const struct row *r, const uint32_t *a,
			  const uint32_t *b)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->result_words; i++)
		n += r->compare == FLOATS ? !float_near(a[i], b[i])
					  : a[i] != b[i];
	return n;
}

static bool agrees(const struct bench *b, const struct row *r,
		   const struct theirs *t, const uint32_t *ours)
{
	uint32_t *found = calloc(r->result_words, 4);
	uint32_t bad, may = r->compare == COUNTS ? r->result_words / 500 : 0;

	must(found);
	check(clEnqueueReadBuffer(b->queue, t->memory[r->buffers - 1], CL_TRUE,
				  0, 4ul * r->result_words, found, 0, NULL,
				  NULL),
	      "read");
	bad = differing(r, found, ours);
	if (bad)
		printf("  %s: %u of %u words differ%s\n", r->kernel, bad,
		       r->result_words, bad > may ? ": WRONG" : "");
	free(found);
	return bad <= may;
}

typedef uint32_t vector __attribute__((vector_size(64), aligned(64)));

/* Seconds for count lane-operations between registers of 1 KiB, 40 of them. */
static double bound_seconds(const struct bench *b, uint64_t count)
{
	static vector registers[40][16];
	uint64_t ops = count / 256;
	double begin = seconds(b);

	for (uint64_t i = 0; i < ops; i++) {
		vector *d = registers[i % 40];
		const vector *a = registers[(i + 7) % 40];
		const vector *c = registers[(i + 19) % 40];

		for (int k = 0; k < 16; k++)
			d[k] = a[k] + c[k];
		__asm__ volatile("" ::: "memory");
	}
	return (seconds(b) - begin) / b->cores;
}

static bool run_row(const struct bench *b, const struct row *r)
{
	struct arena *a = arena_new(1u << 24);
	uint32_t *data[3];
	struct theirs t;
	double ours = 1e9, theirs = 1e9;
	uint64_t count = 0;
	bool ok;

	for (uint32_t i = 0; i < r->buffers; i++) {
		data[i] = malloc(4ul * WORDS);
		must(data[i]);
		fill(data[i]);
	}
	t = prepare_theirs(b, r, data);
	choose_local(b, r, &t);
	for (unsigned i = 0; i < b->repeats; i++) {
		ours = fmin(ours, run_ours(b, r, data, a, &count));
		theirs = fmin(theirs, run_theirs(b, r, &t));
		arena_reset(a);
	}
	printf("%-8s weft %7.2f ms (%5.2f G thread-instructions/s per core)  "
	       "pocl %7.2f ms, groups %zu x %zu  ratio %5.2f\n",
	       r->kernel, 1e3 * ours, (double)count / ours / 1e9 / b->cores,
	       1e3 * theirs, t.local[0], t.local[1], theirs / ours);
	if (strcmp(r->kernel, "hash") == 0) {
		double bound = 1e9;

		for (unsigned i = 0; i < b->repeats; i++)
			bound = fmin(bound, bound_seconds(b, count));
		printf("         L1 bound %4.2f ms, ratio %5.2f\n", 1e3 * bound,
		       theirs / bound);
	}
	ok = agrees(b, r, &t, data[r->buffers - 1]);
	for (uint32_t i = 0; i < r->buffers; i++) {
		clReleaseMemObject(t.memory[i]);
		free(data[i]);
	}
	clReleaseKernel(t.kernel);
	arena_free(a);
	return ok && theirs / ours >= b->least;
}

static bool wanted(int argc, char **argv, int first, const char *name)
{
	for (int i = first; i < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return true;
	return first >= argc;
}

/* PoCL's threads, too, get no more. */
static void stay_on_cores(unsigned cores)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (unsigned i = 0; i < cores; i++)
		CPU_SET(cores == 1 ? (size_t)sched_getcpu() : i, &set);
	(void)sched_setaffinity(0, sizeof(set), &set);
}

static bool run_rows(struct bench *b, int argc, char **argv, int first)
{
	struct arena *a = arena_new(PTX_ARENA_BYTES * 2);
	bool ok = true;

	stay_on_cores(b->cores);
	open_pocl(b, a);
	open_weft(b, a);
	for (size_t i = 0; i < ROWS; i++)
		if (wanted(argc, argv, first, rows[i].kernel))
			ok &= run_row(b, &rows[i]);
	exec_module_free(b->module);
	arena_free(a);
	return ok;
}

/* In a process of its own: PoCL counts its threads once. */
static bool run_apart(struct bench *b, int argc, char **argv, int first)
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0)
		exit(run_rows(b, argc, argv, first) ? 0 : 1);
	return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

int main(int argc, char **argv)
{
	struct bench b = {.repeats = 5};
	bool ok = true;
	int first = 1;

	for (; first + 1 < argc && strncmp(argv[first], "--", 2) == 0;
	     first += 2) {
		if (strcmp(argv[first], "--least") == 0)
			b.least = strtod(argv[first + 1], NULL);
		else if (strcmp(argv[first], "--repeats") == 0)
			b.repeats =
				(unsigned)strtoul(argv[first + 1], NULL, 10);
		else if (strcmp(argv[first], "--cores") == 0)
			b.cores = (unsigned)strtoul(argv[first + 1], NULL, 10);
	}
	if (b.cores > 0)
		return run_rows(&b, argc, argv, first) ? 0 : 1;
	for (b.cores = 1; b.cores <= 2; b.cores++)
		ok &= run_apart(&b, argc, argv, first);
	return ok ? 0 : 1;
}
