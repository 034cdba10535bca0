/*
 * strict [STRIDE] [POINTS] [NAME] [FROM TO]: the error of the strict functions.
 *
 * Every function of one float at every STRIDE-th of the 2^32 inputs (of those
 * whose bits are from FROM to below TO), the others at POINTS hard points, as
 * a histogram of units of the last place from the correctly rounded value.
 * STRIDE 1 takes all inputs, minutes a function.  Floats are held to the C
 * library's doubles, and to MPFR where a double does not tell which float is
 * nearest; inverses to what they invert, at both ends of the interval that
 * rounds to the result; doubles likewise to its long doubles and to MPFR.
 *
 * And softmax: instructions per element of tests/bench/softmax.cu as NVRTC
 * compiles it with the strict functions, against the original.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h>

#include "base/arena.h"
#include "gpu/build/compile.h"
#include "gpu/exec/exec.h"
#include "gpu/ptx/parse.h"
#include "tests/support/strict_host.h"
#include "tests/support/strict_list.h"

#define BINS 4u

/* Far beyond what any of the C library's doubles, or the few operations that
 * follow them in strict_list.h, are wrong by, and far below half a float's
 * last place: one value in half a million is left to MPFR. */
#define DOUBT 0x1p-44

/* The same for its long doubles: a double in thirty is left to MPFR. */
#define DOUBT_LONG 0x1p-59L

/* Of a float's bits. */
struct range {
	uint64_t from, to, stride;
};

struct tally {
	uint64_t bins[BINS];
	uint64_t wrong; /* NaN against number, the sign of a zero */
	int64_t worst;
	double worst_x, worst_y;
	uint64_t near; /* of MPFR's decision */
};

typedef int (*mpfr_one)(mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int (*mpfr_two)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

static int exact_lgamma(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd)
{
	int sign;

	return mpfr_lgamma(r, &sign, x, rnd);
}

/* Far more bits than the result, then one rounding. */
static int exact_rcbrt(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd)
{
	mpfr_t t;

	mpfr_init2(t, 300);
	mpfr_cbrt(t, x, rnd);
	mpfr_ui_div(t, 1, t, rnd);
	mpfr_set(r, t, rnd);
	mpfr_clear(t);
	return 0;
}

static int exact_normcdf(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd)
{
	mpfr_t t;

	mpfr_init2(t, 300);
	mpfr_sqrt_ui(t, 2, rnd);
	mpfr_div(t, x, t, rnd);
	mpfr_neg(t, t, rnd);
	mpfr_erfc(t, t, rnd);
	mpfr_div_ui(r, t, 2, rnd);
	mpfr_clear(t);
	return 0;
}

/* e^(x^2) erfc x, whose factors leave MPFR's range: then its series in
 * h = 1 / (2 x^2), (1 - h + 3 h^2 - 15 h^3) / (x sqrt pi). */
static int exact_erfcx(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd)
{
	mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
	mpfr_t s, t;

	mpfr_set_emin(mpfr_get_emin_min());
	mpfr_set_emax(mpfr_get_emax_max());
	mpfr_init2(s, 400);
	mpfr_init2(t, 400);
	mpfr_sqr(s, x, rnd);
	if (mpfr_cmp_ui(x, 1u << 24) < 0) {
		mpfr_exp(s, s, rnd);
		mpfr_erfc(t, x, rnd);
		mpfr_mul(r, s, t, rnd);
	} else {
		mpfr_mul_ui(s, s, 2, rnd);
		mpfr_ui_div(s, 1, s, rnd);
		mpfr_mul_si(t, s, -15, rnd);
		mpfr_add_ui(t, t, 3, rnd);
		mpfr_mul(t, t, s, rnd);
		mpfr_sub_ui(t, t, 1, rnd);
		mpfr_mul(t, t, s, rnd);
		mpfr_add_ui(t, t, 1, rnd);
		mpfr_div(t, t, x, rnd);
		mpfr_const_pi(s, rnd);
		mpfr_rec_sqrt(s, s, rnd);
		mpfr_mul(r, s, t, rnd);
	}
	mpfr_set_emin(emin);
	mpfr_set_emax(emax);
	mpfr_check_range(r, 0, rnd);
	mpfr_clear(s);
	mpfr_clear(t);
	return 0;
}

static const struct {
	const char *name;
	mpfr_one exact;
} exact_ones[] = {
	{"exp", mpfr_exp},	  {"exp2", mpfr_exp2},
	{"exp10", mpfr_exp10},	  {"expm1", mpfr_expm1},
	{"log", mpfr_log},	  {"log2", mpfr_log2},
	{"log10", mpfr_log10},	  {"log1p", mpfr_log1p},
	{"sin", mpfr_sin},	  {"cos", mpfr_cos},
	{"tan", mpfr_tan},	  {"asin", mpfr_asin},
	{"acos", mpfr_acos},	  {"atan", mpfr_atan},
	{"sinh", mpfr_sinh},	  {"cosh", mpfr_cosh},
	{"tanh", mpfr_tanh},	  {"asinh", mpfr_asinh},
	{"acosh", mpfr_acosh},	  {"atanh", mpfr_atanh},
	{"cbrt", mpfr_cbrt},	  {"rcbrt", exact_rcbrt},
	{"rsqrt", mpfr_rec_sqrt}, {"erf", mpfr_erf},
	{"erfc", mpfr_erfc},	  {"normcdf", exact_normcdf},
	{"lgamma", exact_lgamma}, {"tgamma", mpfr_gamma},
	{"erfcx", exact_erfcx},
};

static const struct {
	const char *name;
	mpfr_two exact;
} exact_twos[] = {
	{"pow", mpfr_pow},
	{"atan2", mpfr_atan2},
	{"hypot", mpfr_hypot},
	{"fmod", mpfr_fmod},
	{"remainder", mpfr_remainder},
};

/* NULL: MPFR has no inverse of it; the list's own reference decides. */
static mpfr_one find_one(const char *name)
{
	for (size_t i = 0; i < sizeof(exact_ones) / sizeof(exact_ones[0]); i++)
		if (strcmp(exact_ones[i].name, name) == 0)
			return exact_ones[i].exact;
	return NULL;
}

static mpfr_two find_two(const char *name)
{
	for (size_t i = 0; i < sizeof(exact_twos) / sizeof(exact_twos[0]); i++)
		if (strcmp(exact_twos[i].name, name) == 0)
			return exact_twos[i].exact;
	abort();
}

static int64_t order(float f)
{
	int32_t i = __float_as_int(f);

	return i < 0 ? -(int64_t)(i & 0x7fffffff) : i;
}

static int64_t order_double(double f)
{
	int64_t i = __double_as_longlong(f);

	return i < 0 ? -(i & INT64_MAX) : i;
}

static void count(struct tally *t, int64_t d, double x, double y)
{
	d = llabs(d);
	t->bins[d < (int64_t)BINS ? d : BINS - 1]++;
	if (d <= t->worst)
		return;
	t->worst = d;
	t->worst_x = x;
	t->worst_y = y;
}

/* NaNs and zeros; true: there is nothing to count. */
static bool is_settled(struct tally *t, double got, double want)
{
	if (want != want || got != got) {
		t->wrong += (want != want) != (got != got);
		return true;
	}
	if (want == 0.0 && got == 0.0)
		t->wrong += (signbit(want) != 0) != (signbit(got) != 0);
	return false;
}

/* If what the double may be wrong by does not move it across a midpoint of
 * floats, it tells the nearest float. */
static bool tells(double v, float *ret_nearest)
{
	float low = (float)(v - fabs(v) * DOUBT);
	float high = (float)(v + fabs(v) * DOUBT);

	*ret_nearest = (float)v;
	return low == high || v != v || isinf(v);
}

/* C's zero to the power of NaN and its like have no say in MPFR: the double
 * is exact there. */
static float nearest_one(mpfr_t y, mpfr_t x, mpfr_one exact, float f)
{
	mpfr_set_flt(x, f, MPFR_RNDN);
	exact(y, x, MPFR_RNDN);
	return mpfr_get_flt(y, MPFR_RNDN);
}

static void print(const char *name, const struct tally *t, const char *at)
{
	printf("%-12s max %lld ulp at %s, exact %llu, 1 ulp %llu, 2 ulp %llu, "
	       "more %llu, wrong %llu, by MPFR %llu\n",
	       name, (long long)t->worst, at, (unsigned long long)t->bins[0],
	       (unsigned long long)t->bins[1], (unsigned long long)t->bins[2],
	       (unsigned long long)t->bins[3], (unsigned long long)t->wrong,
	       (unsigned long long)t->near);
	fflush(stdout);
}

/* How far y >= 0 is right of the inverse, in [a] or from the far end in
 * [t = 1 - a], whichever is exact; 0: a double does not tell. */
static int side_by_double(double y, double a, double t, double scale)
{
	double z = y * scale;
	double value = a <= 0.5 ? a : t;
	double d = a <= 0.5 ? erf(z) - a : t - erfc(z);

	return fabs(d) <= value * DOUBT ? 0 : d > 0.0 ? 1 : -1;
}

static int side_by_mpfr(double y, double a, double t, bool is_normal)
{
	mpfr_t z, v;
	int c;

	mpfr_init2(z, 300);
	mpfr_init2(v, 300);
	mpfr_sqrt_ui(v, is_normal ? 2 : 1, MPFR_RNDN);
	mpfr_d_div(z, y, v, MPFR_RNDN);
	if (a <= 0.5) {
		mpfr_erf(v, z, MPFR_RNDN);
		c = mpfr_cmp_d(v, a);
	} else {
		mpfr_erfc(v, z, MPFR_RNDN);
		c = -mpfr_cmp_d(v, t);
	}
	mpfr_clear(z);
	mpfr_clear(v);
	return c;
}

/* What an inverse is asked: y >= 0 with erf y = a, erfc y = t, or with the
 * normal distribution's y / sqrt 2. */
struct asked {
	double a, t;
	bool is_negative, is_normal;
};

static struct asked ask(const char *name, float x)
{
	double v = (double)x, t;

	if (strcmp(name, "erfinv") == 0)
		return (struct asked){fabs(v), 1.0 - fabs(v), v < 0.0, false};
	t = strcmp(name, "erfcinv") == 0 ? v : 2.0 * v;
	/* Of 2 - t what decides is exact: t is beyond 1 then. */
	return (struct asked){fabs(1.0 - t), t > 1.0 ? 2.0 - t : t,
			      (t > 1.0) == (name[0] == 'e'), name[0] == 'n'};
}

/* The float nearest to the inverse, looked for from got on. */
static float nearest_inverse(const struct asked *q, float got, struct tally *t)
{
	double scale = q->is_normal ? 0x1.6a09e667f3bcdp-1 : 1.0;
	float y = fabsf(got);

	for (int steps = 0; steps < 64; steps++) {
		float next[2] = {nextafterf(y, 0.0f), nextafterf(y, INFINITY)};
		int side[2];

		for (int i = 0; i < 2; i++) {
			double end = 0.5 * ((double)y + (double)next[i]);

			side[i] = side_by_double(end, q->a, q->t, scale);
			if (side[i] == 0) {
				t->near++;
				side[i] = side_by_mpfr(end, q->a, q->t,
						       q->is_normal);
			}
		}
		if (y > 0.0f && side[0] > 0)
			y = next[0];
		else if (side[1] < 0)
			y = next[1];
		else
			break;
	}
	return q->is_negative ? -y : y;
}

static float nearest_of(const struct strict_function *f, mpfr_one exact,
			float in, float got, struct tally *t)
{
	mpfr_t x, y;
	float want;

	/* The inverses have no function of MPFR's. */
	if (exact == NULL && isfinite(got) && got != 0.0f) {
		struct asked q = ask(f->name, in);

		return nearest_inverse(&q, got, t);
	}
	if (tells(f->libm((double)in), &want) || exact == NULL)
		return want;
	t->near++;
	mpfr_init2(x, 24);
	mpfr_init2(y, 90);
	want = nearest_one(y, x, exact, in);
	mpfr_clear(x);
	mpfr_clear(y);
	return want;
}

static bool run_one(const struct strict_function *f, const struct range *r)
{
	mpfr_one exact = find_one(f->name);
	struct tally t = {0};
	char at[64];

	for (uint64_t u = r->from; u < r->to; u += r->stride) {
		float in = __int_as_float((int)(uint32_t)u);
		float got = f->ours(in);
		float want = nearest_of(f, exact, in, got, &t);

		if (!is_settled(&t, (double)got, (double)want))
			count(&t, order(got) - order(want), (double)in, 0.0);
	}
	snprintf(at, sizeof(at), "%a", t.worst_x);
	print(f->name, &t, at);
	return t.worst <= 1 && t.wrong == 0;
}

static bool run_two(const struct strict_pair *f, uint64_t points)
{
	mpfr_two exact = find_two(f->name);
	struct tally t = {0};
	char at[64];
	mpfr_t x, y, z;

	mpfr_init2(x, 24);
	mpfr_init2(y, 24);
	mpfr_init2(z, 90);
	for (uint64_t n = 0; n < points; n++) {
		float a, b, got, want;

		strict_hard_pair(n, &a, &b);
		got = f->ours(a, b);
		if (!tells(f->libm((double)a, (double)b), &want)) {
			t.near++;
			mpfr_set_flt(x, a, MPFR_RNDN);
			mpfr_set_flt(y, b, MPFR_RNDN);
			exact(z, x, y, MPFR_RNDN);
			want = mpfr_get_flt(z, MPFR_RNDN);
		}
		if (!is_settled(&t, (double)got, (double)want))
			count(&t, order(got) - order(want), (double)a,
			      (double)b);
	}
	snprintf(at, sizeof(at), "(%a, %a)", t.worst_x, t.worst_y);
	print(f->name, &t, at);
	mpfr_clear(x);
	mpfr_clear(y);
	mpfr_clear(z);
	return t.worst <= !f->exact && t.wrong == 0;
}

static bool tells_double(long double v, double *ret_nearest)
{
	long double d = fabsl(v) * DOUBT_LONG;

	*ret_nearest = (double)v;
	return v != v || isinf(v) || (double)(v - d) == (double)(v + d);
}

static double nearest_double(mpfr_t y, mpfr_t x, mpfr_one exact, double in,
			     struct tally *t)
{
	int ternary;

	t->near++;
	mpfr_set_d(x, in, MPFR_RNDN);
	ternary = exact(y, x, MPFR_RNDN);
	mpfr_subnormalize(y, ternary, MPFR_RNDN);
	return mpfr_get_d(y, MPFR_RNDN);
}

static bool run_double(const struct strict_double *f, uint64_t points)
{
	mpfr_one exact = find_one(f->name);
	mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
	struct tally t = {0};
	char at[64], name[32];
	mpfr_t x, y;

	mpfr_init2(x, 53);
	mpfr_init2(y, 53);
	mpfr_set_emin(-1073);
	mpfr_set_emax(1024);
	for (uint64_t n = 0; n < points; n++) {
		double in = strict_hard_double(n), got = f->ours(in), want;

		if (!tells_double(f->libm((long double)in), &want) && exact)
			want = nearest_double(y, x, exact, in, &t);
		/* Beside its zeros only as close as a sum. */
		if (f->libm == lgammal && fabs(got - want) < 0x1p-48)
			count(&t, 0, in, 0.0);
		else if (!is_settled(&t, got, want))
			count(&t, order_double(got) - order_double(want), in,
			      0.0);
	}
	mpfr_set_emin(emin);
	mpfr_set_emax(emax);
	snprintf(at, sizeof(at), "%a", t.worst_x);
	snprintf(name, sizeof(name), "double %s", f->name);
	print(name, &t, at);
	mpfr_clear(x);
	mpfr_clear(y);
	return t.worst <= f->ulps && t.wrong == 0;
}

static struct bytes read_file(struct arena *a, const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *p = arena_alloc(a, 1u << 20, 16);
	size_t n = f ? fread(p, 1, 1u << 20, f) : 0;

	if (f)
		fclose(f);
	return bytes_of(p, n);
}

/* The executor has no approximation: another instruction in its place keeps
 * the count, which depends on no value. */
static void replace(struct bytes text, const char *from, const char *to)
{
	size_t n = strlen(from);

	for (size_t i = 0; i + n <= text.n; i++)
		if (memcmp(text.p + i, from, n) == 0)
			memcpy((uint8_t *)(uintptr_t)(text.p + i), to, n);
}

/* Thread-instructions for each of 64 rows of 4,096 elements; 0: failed. */
static double count_softmax(struct arena *a, struct bytes text)
{
	static float in[64 * 4096], out[64 * 4096];
	struct exec_options o = EXEC_OPTIONS_DEFAULT;
	struct exec_buffer buffers[] = {
		{.data = (uint8_t *)in, .bytes = sizeof(in)},
		{.data = (uint8_t *)out,
		 .bytes = sizeof(out),
		 .writable = true},
	};
	struct exec_reloc relocs[] = {{.param_offset = 0, .buffer = 0},
				      {.param_offset = 8, .buffer = 1}};
	uint8_t params[20] = {[17] = 16}; /* n = 4,096 */
	struct exec_launch l = {
		.kernel = BYTES_LIT("softmax"),
		.grid = {64, 1, 1},
		.block = {256, 1, 1},
		.params = bytes_of(params, sizeof(params)),
		.relocs = relocs,
		.reloc_count = 2,
		.buffers = buffers,
		.buffer_count = 2,
	};
	struct exec_module *m;
	struct exec_refusal why;
	struct exec_result r;
	struct ptx_module *tree;
	struct ptx_diag d;

	if (ptx_parse(a, text, &tree, &d) != ERR_OK) {
		printf("softmax: %s\n", d.text);
		return 0;
	}
	if (exec_module_load(tree, NULL, &m, &why) != ERR_OK) {
		printf("softmax: %s\n", why.text);
		return 0;
	}
	for (uint32_t i = 0; i < 64 * 4096; i++)
		in[i] = (float)(i * 2654435761u >> 8) * 0x1p-20f;
	if (exec_run(m, &l, &o, a, &r) != ERR_OK || r.outcome != EXEC_OK)
		r.count = 0;
	exec_module_free(m);
	return (double)r.count / (64.0 * 4096.0);
}

static bool run_softmax(void)
{
	struct arena *a = arena_new(256u << 20);
	/* Kept: what NVRTC never frees is then its own, for a leak checker. */
	static struct build_compiler *c;
	struct build_nvrtc_place place;
	struct build_diag d;
	struct build_unit u = {.fmad = true, .sm = 75};
	struct bytes plain =
		read_file(a, WEFT_SOURCE_DIR "/tests/bench/softmax.ptx");
	struct bytes strict;
	double before, after;

	replace(plain, "ex2.approx.ftz.f32", "neg.ftz.f32       ");
	before = count_softmax(a, plain);
	if (build_nvrtc_find(a, &place, &d) != ERR_OK) {
		printf("softmax      skipped: %s\n", d.text);
		arena_free(a);
		return true;
	}
	u.source = (struct build_text){
		"softmax.cu",
		read_file(a, WEFT_SOURCE_DIR "/tests/bench/softmax.cu")};
	if (build_compiler_new(a, &place, &c, &d) != ERR_OK ||
	    build_compile(c, a, &u, &strict, &d) != ERR_OK) {
		printf("softmax: %s\n", d.text);
		return false;
	}
	after = count_softmax(a, strict);
	printf("softmax      %.1f instructions an element, %.1f in the "
	       "original: %.2f x\n",
	       after, before, after / before);
	arena_free(a);
	return before > 0 && after > 0 && after <= 1.5 * before;
}

int main(int argc, char **argv)
{
	uint64_t points = argc > 2 ? strtoull(argv[2], 0, 10) : 100000;
	const char *name = argc > 3 ? argv[3] : NULL;
	struct range r = {.to = 1ull << 32, .stride = 4099};
	bool good = true;

	if (argc > 1)
		r.stride = strtoull(argv[1], 0, 10);
	if (argc > 5) {
		r.from = strtoull(argv[4], 0, 0);
		r.to = strtoull(argv[5], 0, 0);
	}
	r.stride = r.stride ? r.stride : 1;
	for (size_t i = 0; i < STRICT_COUNT; i++)
		if (!name || strcmp(name, strict_functions[i].name) == 0)
			good &= run_one(&strict_functions[i], &r);
	for (size_t i = 0; i < STRICT_PAIRS; i++)
		if (!name || strcmp(name, strict_pairs[i].name) == 0)
			good &= run_two(&strict_pairs[i], points);
	for (size_t i = 0; i < STRICT_DOUBLES; i++)
		if (!name || strcmp(name, strict_doubles[i].name) == 0)
			good &= run_double(&strict_doubles[i], points);
	if (!name || strcmp(name, "softmax") == 0)
		good &= run_softmax();
	mpfr_free_cache();
	return good ? 0 : 1;
}
