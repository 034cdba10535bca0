/*
 * The strict functions and helpers as NVRTC compiles them, run by the
 * executor: the same bits as the same text compiled by a C compiler, the
 * folds in the order that the headers promise, Philox by its known answers.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/arena.h"
#include "gpu/build/compile.h"
#include "gpu/exec/exec.h"
#include "gpu/ptx/parse.h"
#include "tests/support/strict_host.h"

#define ARGS_MAX 8u

struct arg {
	const void *scalar; /* NULL: a buffer */
	void *data;
	size_t bytes;
};

#define BUFFER(p)                               \
	{                                       \
		.data = (p), .bytes = sizeof(p) \
	}
#define SCALAR(type, v)                                     \
	{                                                   \
		.scalar = &(type){v}, .bytes = sizeof(type) \
	}
#define ROOM(p, size_bytes)                        \
	{                                          \
		.data = (p), .bytes = (size_bytes) \
	}

static struct arena *arena;
static struct exec_module *module;

static struct bytes read_source(struct arena *a, const char *name)
{
	const char *path = arena_printf(
		a, WEFT_SOURCE_DIR "/tests/gpu/worker/%s.cu", name);
	FILE *f = fopen(path, "rb");
	char *p = ARENA_ARRAY(a, 1u << 16, char);
	size_t n;

	cr_assert_not_null(f);
	n = fread(p, 1, 1u << 16, f);
	fclose(f);
	return bytes_of((const uint8_t *)p, n);
}

/* Compile and load once; false after saying why not. */
static bool ready_with(const char *name)
{
	/* Kept: what NVRTC never frees is then its own, for a leak checker. */
	static struct build_compiler *c;
	struct build_nvrtc_place place;
	struct build_unit u = {.fmad = true, .sm = 75};
	struct build_diag d;
	struct bytes text;
	struct ptx_module *m;
	struct ptx_diag e;
	struct exec_refusal why;

	if (module)
		return true;
	arena = arena_new(1u << 30);
	if (build_nvrtc_find(arena, &place, &d) != ERR_OK) {
		fprintf(stderr, "skipped: %s\n", d.text);
		return false;
	}
	u.source = (struct build_text){name, read_source(arena, name)};
	cr_assert_eq(build_compiler_new(arena, &place, &c, &d), ERR_OK, "%s",
		     d.text);
	cr_assert_eq(build_compile(c, arena, &u, &text, &d), ERR_OK, "%s",
		     d.text);
	cr_assert_eq(ptx_parse(arena, text, &m, &e), ERR_OK, "%u: %s",
		     (unsigned)e.line, e.text);
	cr_assert_eq(exec_module_load(m, NULL, &module, &why), ERR_OK, "%u: %s",
		     (unsigned)why.line, why.text);
	return true;
}

static bool ready(void)
{
	return ready_with("strict_kernels");
}

static void launch(const char *kernel, uint32_t gx, uint32_t gy, uint32_t bx,
		   uint32_t by, const struct arg *args, size_t count)
{
	struct exec_buffer buffers[ARGS_MAX];
	struct exec_reloc relocs[ARGS_MAX];
	uint8_t params[128] = {0};
	struct exec_options options = EXEC_OPTIONS_DEFAULT;
	struct exec_result r;
	struct exec_kernel k;
	uint32_t used = 0;

	cr_assert_eq(exec_kernel_find(module, bytes_str(kernel), &k), ERR_OK);
	for (size_t i = 0; i < count; i++) {
		struct exec_param p;

		exec_kernel_param(module, bytes_str(kernel), (uint32_t)i, &p);
		if (args[i].scalar) {
			memcpy(params + p.offset_bytes, args[i].scalar,
			       args[i].bytes);
			continue;
		}
		relocs[used] = (struct exec_reloc){
			.param_offset = p.offset_bytes, .buffer = used};
		buffers[used++] = (struct exec_buffer){.data = args[i].data,
						       .bytes = args[i].bytes,
						       .writable = true};
	}
	options.sanitize = true;
	cr_assert_eq(exec_run(module,
			      &(struct exec_launch){
				      .kernel = bytes_str(kernel),
				      .grid = {gx, gy, 1},
				      .block = {bx, by, 1},
				      .params = bytes_of(params, k.param_bytes),
				      .relocs = relocs,
				      .reloc_count = used,
				      .buffers = buffers,
				      .buffer_count = used},
			      &options, arena, &r),
		     ERR_OK);
	cr_assert_eq(r.outcome, EXEC_OK, "%s: %s at line %u", kernel,
		     exec_reason_text(r.reason), (unsigned)r.source_line);
}

#define LAUNCH(kernel, gx, gy, bx, by, ...)                       \
	launch(kernel, gx, gy, bx, by, (struct arg[])__VA_ARGS__, \
	       sizeof((struct arg[])__VA_ARGS__) / sizeof(struct arg))

static uint32_t word(uint64_t n)
{
	n = (n + 1) * 0x9e3779b97f4a7c15u;
	n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9u;
	return (uint32_t)(n >> 32);
}

/* The order that weft_reduce.cuh promises, of n slots. */
static float fold_slots(float *slot, uint32_t n)
{
	uint32_t w = 1;

	while (2 * w < n)
		w *= 2;
	for (; n > 1 && w > 0; w /= 2)
		for (uint32_t t = 0; t < w; t++)
			if (t + w < n)
				slot[t] += slot[t + w];
	return slot[0];
}

static void check_sum(uint32_t threads, uint32_t count, uint32_t second)
{
	uint32_t ctas = (count + threads - 1) / threads;
	float *in = calloc(count, sizeof(float));
	float *partial = calloc(ctas, sizeof(float));
	float slot[1024], want, got[1] = {0};

	for (uint32_t i = 0; i < count; i++)
		in[i] = (float)word(i) * 0x1p-20f - 2048.0f;
	LAUNCH("sum_first", ctas, 1, threads, 1,
	       {ROOM(in, count * sizeof(float)),
		ROOM(partial, ctas * sizeof(float)), SCALAR(int, (int)count)});
	LAUNCH("sum_second", 1, 1, second, 1,
	       {ROOM(partial, ctas * sizeof(float)), BUFFER(got),
		SCALAR(unsigned long long, ctas)});
	for (uint32_t c = 0; c < ctas; c++) {
		for (uint32_t t = 0; t < threads; t++)
			slot[t] = c * threads + t < count ? in[c * threads + t]
							  : 0.0f;
		want = fold_slots(slot, threads);
		cr_assert_eq(partial[c], want, "CTA %u of %u threads", c,
			     threads);
	}
	memset(slot, 0, sizeof(slot));
	for (uint32_t i = 0; i < ctas; i++)
		slot[i % second] =
			i < second ? partial[i] : slot[i % second] + partial[i];
	want = fold_slots(slot, ctas < second ? ctas : second);
	cr_assert_eq(got[0], want, "%u of %u", count, threads);
	free(in);
	free(partial);
}

Test(strict_run, sums_in_two_passes_have_the_promised_order)
{
	if (!ready())
		return;
	check_sum(256, 10000, 256);
	check_sum(100, 1234, 7);
	check_sum(1, 3, 1024);
	check_sum(1024, 1, 32);
	check_sum(33, 40000, 200);
}

Test(strict_run, folds_reach_every_thread)
{
	static const uint32_t sizes[] = {1, 2, 31, 32, 33, 96, 257, 1000};
	static int in[1024], out[3 * 1024];

	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]) && ready();
	     s++) {
		uint32_t n = sizes[s];
		int sum = 0, low = INT32_MAX, high = INT32_MIN;

		for (uint32_t i = 0; i < n; i++) {
			in[i] = (int)(word(i + n) >> 12) - (1 << 19);
			sum += in[i];
			low = in[i] < low ? in[i] : low;
			high = in[i] > high ? in[i] : high;
		}
		LAUNCH("folds", 1, 1, n, 1, {BUFFER(in), BUFFER(out)});
		for (uint32_t t = 0; t < n; t++) {
			cr_assert_eq(out[t], sum);
			cr_assert_eq(out[n + t], low);
			cr_assert_eq(out[2 * n + t], high);
		}
	}
}

Test(strict_run, philox_known_answers)
{
	/* counter, key, words: of the authors' own test vectors */
	static uint32_t v[][10] = {
		{0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c,
		 0x9b00dbd8},
		{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
		 0xffffffff, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
		{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822,
		 0x299f31d0, 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1},
	};

	for (size_t i = 0; i < 3 && ready(); i++) {
		uint32_t out[4] = {0};

		LAUNCH("philox", 1, 1, 1, 1, {BUFFER(v[i]), BUFFER(out)});
		cr_expect_arr_eq(out, v[i] + 6, sizeof(out));
	}
}

Test(strict_run, normal_numbers_have_mean_zero_and_variance_one)
{
	static float out[64 * 256 * 2];
	double sum = 0, squares = 0;
	const size_t n = sizeof(out) / sizeof(out[0]);

	if (!ready())
		return;
	LAUNCH("normals", 64, 1, 256, 1,
	       {BUFFER(out), SCALAR(unsigned long long, 42)});
	for (size_t i = 0; i < n; i++) {
		sum += (double)out[i];
		squares += (double)out[i] * (double)out[i];
	}
	/* Four standard deviations: 4 / sqrt n and 4 sqrt(2 / n). */
	cr_expect_lt(fabs(sum / (double)n), 4.0 / sqrt((double)n));
	cr_expect_lt(fabs(squares / (double)n - 1.0),
		     4.0 * sqrt(2.0 / (double)n));
}

static void check_gemm(uint32_t m, uint32_t n, uint32_t k)
{
	float *a = calloc((size_t)m * k, sizeof(float));
	float *b = calloc((size_t)k * n, sizeof(float));
	float *c = calloc((size_t)m * n, sizeof(float));

	for (uint32_t i = 0; i < m * k; i++)
		a[i] = (float)word(i) * 0x1p-31f - 1.0f;
	for (uint32_t i = 0; i < k * n; i++)
		b[i] = (float)word(i + 77777) * 0x1p-31f - 1.0f;
	LAUNCH("gemm", (n + 7) / 8, (m + 7) / 8, 8, 8,
	       {ROOM(a, (size_t)m * k * 4), ROOM(b, (size_t)k * n * 4),
		ROOM(c, (size_t)m * n * 4), SCALAR(int, (int)m),
		SCALAR(int, (int)n), SCALAR(int, (int)k)});
	for (uint32_t i = 0; i < m; i++)
		for (uint32_t j = 0; j < n; j++) {
			float sum = 0.0f;

			for (uint32_t p = 0; p < k; p++)
				sum = fmaf(a[i * k + p], b[p * n + j], sum);
			cr_assert_eq(c[i * n + j], sum, "%u x %u x %u", m, n,
				     k);
		}
	free(a);
	free(b);
	free(c);
}

Test(strict_run, gemm_sums_in_the_order_of_k)
{
	if (!ready())
		return;
	check_gemm(8, 8, 8);
	check_gemm(17, 23, 31);
	check_gemm(1, 9, 100);
	check_gemm(40, 3, 1);
}

Test(strict_run, a_witness_depends_on_every_thread)
{
	static uint32_t values[3 * 100];
	uint64_t slots[3] = {0}, other[3] = {0};

	if (!ready())
		return;
	LAUNCH("witness", 3, 1, 100, 1, {BUFFER(slots), BUFFER(values)});
	/* Equal values, and still no slot is empty. */
	cr_expect(slots[0] & slots[1] & slots[2] & 1);
	cr_expect_eq(slots[0], slots[1], "the same work in another CTA");
	for (uint32_t i = 0; i < 300; i += 37) {
		values[i] ^= 1u << (i % 32);
		LAUNCH("witness", 3, 1, 100, 1,
		       {BUFFER(other), BUFFER(values)});
		for (uint32_t c = 0; c < 3; c++)
			cr_expect_eq(other[c] != slots[c], c == i / 100,
				     "thread %u, slot %u", i, c);
		values[i] ^= 1u << (i % 32);
	}
	/* Two threads that change places are seen. */
	values[5] = 1;
	LAUNCH("witness", 1, 1, 100, 1, {BUFFER(slots), BUFFER(values)});
	values[5] = 0;
	values[6] = 1;
	LAUNCH("witness", 1, 1, 100, 1, {BUFFER(other), BUFFER(values)});
	cr_expect_neq(slots[0], other[0]);
}

/* The order of the kernels floats and doubles. */
static float (*const floats[])(float) = {
	weft_expf,  weft_exp2f,	 weft_exp10f,	weft_expm1f,  weft_logf,
	weft_log2f, weft_log10f, weft_log1pf,	weft_sinf,    weft_cosf,
	weft_tanf,  weft_asinf,	 weft_acosf,	weft_atanf,   weft_sinhf,
	weft_coshf, weft_tanhf,	 weft_asinhf,	weft_acoshf,  weft_atanhf,
	weft_erff,  weft_erfcf,	 weft_normcdff, weft_lgammaf, weft_tgammaf,
	weft_cbrtf, weft_rcbrtf, weft_rsqrtf,
};

static double (*const doubles[])(double) = {
	weft_d_log,    weft_d_log2,   weft_d_log10,   weft_d_log1p,
	weft_d_cosh,   weft_d_tanh,   weft_d_tan,     weft_d_asin,
	weft_d_acos,   weft_d_atan,   weft_d_asinh,   weft_d_acosh,
	weft_d_atanh,  weft_d_cbrt,   weft_d_rcbrt,   weft_d_rsqrt,
	weft_d_erf,    weft_d_erfc,   weft_d_normcdf, weft_d_tgamma,
	weft_d_lgamma, weft_d_erfinv, weft_d_erfcinv, weft_d_normcdfinv,
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define POINTS	    2048u

Test(strict_run, compiled_functions_give_the_bits_of_the_text)
{
	static float x[POINTS], y[COUNT(floats)][POINTS];
	static double dx[POINTS], dy[COUNT(doubles)][POINTS];

	if (!ready_with("strict_functions"))
		return;
	for (uint32_t i = 0; i < POINTS; i++) {
		uint64_t d = (uint64_t)word(i) << 32 | word(~i);

		x[i] = __int_as_float((int)word(i));
		if (i % 2) {
			x[i] = (float)(int)word(i) * 0x1p-27f;
			d = (d & 0x800fffffffffffffu) | (1011 + d % 24) << 52;
		}
		memcpy(&dx[i], &d, sizeof(d));
	}
	LAUNCH("floats", POINTS / 128, 1, 128, 1,
	       {BUFFER(x), BUFFER(y), SCALAR(int, (int)POINTS)});
	LAUNCH("doubles", POINTS / 128, 1, 128, 1,
	       {BUFFER(dx), BUFFER(dy), SCALAR(int, (int)POINTS)});
	for (uint32_t i = 0; i < POINTS; i++) {
		for (size_t k = 0; k < COUNT(floats); k++) {
			float want = floats[k](x[i]);

			cr_assert(want == y[k][i]
					  ? signbit(want) == signbit(y[k][i])
					  : want != want && y[k][i] != y[k][i],
				  "float %zu of %a: %a, not %a", k,
				  (double)x[i], (double)y[k][i], (double)want);
		}
		for (size_t k = 0; k < COUNT(doubles); k++) {
			double want = doubles[k](dx[i]);

			cr_assert(want == dy[k][i]
					  ? signbit(want) == signbit(dy[k][i])
					  : want != want &&
						    dy[k][i] != dy[k][i],
				  "double %zu of %a: %a, not %a", k, dx[i],
				  dy[k][i], want);
		}
	}
}
