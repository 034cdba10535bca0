/*
 * Every name by which CUDA code reaches a function of gpu/strict, compiled by
 * NVRTC: none may contain an instruction whose result differs between cards.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "gpu/build/compile.h"

/* Of one argument: name in float with f, name as an overload, in double. */
static const char *const one[] = {
	"acos",	   "acosh", "asin",   "asinh",	"atan",	   "atanh",
	"cbrt",	   "ceil",  "cos",    "cosh",	"cospi",   "erf",
	"erfc",	   "erfcx", "exp",    "exp10",	"exp2",	   "expm1",
	"fabs",	   "floor", "lgamma", "erfinv", "erfcinv", "normcdfinv",
	"log",	   "log10", "log1p",  "log2",	"logb",	   "rint",
	"normcdf", "rcbrt", "round",  "rsqrt",	"sin",	   "sinh",
	"sinpi",   "sqrt",  "tan",    "tanh",	"tgamma",  "nearbyint",
	"trunc",
};

static const char *const two[] = {
	"atan2", "fdim",      "fmax",	"fmin",	    "fmod",	 "hypot",
	"pow",	 "remainder", "rhypot", "copysign", "nextafter",
};

/* Of float alone. */
static const char *const float_one[] = {
	"__expf",    "__exp10f",   "__logf",	  "__log2f", "__log10f",
	"__sinf",    "__cosf",	   "__tanf",	  "__tanhf", "__frsqrt_rn",
	"__frcp_rn", "__fsqrt_rn", "__saturatef",
};

static const char *const float_two[] = {
	"__powf",
	"__fdividef",
	"fdividef",
	"__fdiv_rn",
};

/* Whole statements over float or double x, y, *p and the result r. */
static const char *const statements[] = {
	"r = x / y;",
	"r = 1 / x;",
	"{ T s, c; sincos(x, &s, &c); r = s + c; }",
	"{ T s, c; sincospi(x, &s, &c); r = s + c; }",
	"{ int q; r = remquo(x, y, &q) + q; }",
	"r = norm3d(x, y, p[2]) + norm4d(x, y, p[2], p[3]);",
	"r = rnorm3d(x, y, p[2]) + rnorm4d(x, y, p[2], p[3]);",
	"r = pow(x, 3) + pow(x, (int)y);",
	"{ int e; r = frexp(x, &e); r += ldexp(y, e) + scalbn(x, e); }",
	"{ T i; r = modf(x, &i) + i; }",
	"r = std_like(x);",
};

static const char *const float_statements[] = {
	"{ float s, c; sincosf(x, &s, &c); r = s + c; }",
	"{ float s, c; __sincosf(x, &s, &c); r = s + c; }",
	"{ int q; r = remquof(x, y, &q) + q; }",
	"r = norm3df(x, y, x) + norm4df(x, y, x, y) + normf(3, p);",
	"r = rnorm3df(x, y, x) + rnorm4df(x, y, x, y) + rnormf(3, p);",
	"{ float (*f)(float) = expf; r = f(x); }",
};

static const char *const double_statements[] = {
	"r = norm(7, p) + rnorm(7, p);",
	"{ double (*f)(double) = tanh; r = f(x); }",
};

static const char *const half_one[] = {
	"sqrt", "rsqrt", "rcp", "log", "log2", "log10",	      "exp",
	"exp2", "exp10", "cos", "sin", "tanh", "tanh_approx",
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static struct build_compiler *compiler(struct arena *a)
{
	static struct build_compiler *shared;
	struct build_nvrtc_place place;
	struct build_diag d;

	if (shared)
		return shared;
	if (build_nvrtc_find(a, &place, &d) != ERR_OK) {
		fprintf(stderr, "skipped: %s\n", d.text);
		return NULL;
	}
	cr_assert_eq(build_compiler_new(a, &place, &shared, &d), ERR_OK, "%s",
		     d.text);
	return shared;
}

static void kernel(struct buf *b, uint32_t *n, const char *type,
		   const char *statement)
{
	buf_printf(b,
		   "extern \"C\" __global__ void k%u(%s *p) { typedef %s T; "
		   "T x = p[0], y = p[1], r; %s p[0] = r; p[1] = y; }\n",
		   (*n)++, type, type, statement);
}

static void call(struct buf *b, uint32_t *n, const char *type, const char *name,
		 const char *suffix, const char *args)
{
	struct buf s = buf_make(1u << 12);

	buf_printf(&s, "r = %s%s(%s);", name, suffix, args);
	buf_put_u8(&s, 0);
	cr_assert_eq(s.err, ERR_OK);
	kernel(b, n, type, (const char *)buf_bytes(&s).p);
	buf_free(&s);
}

/* Lines of ptx that hold an inexact instruction are printed and counted. */
static uint32_t inexact(struct bytes ptx, const char **reterr_where)
{
	static const char *const word[] = {".approx", ".full", "ex2.", "lg2."};
	static char where[128];
	uint32_t count = 0;

	for (size_t i = 0; i < ptx.n; i++)
		for (size_t w = 0; w < COUNT(word); w++) {
			size_t n = strlen(word[w]);

			if (i + n > ptx.n || memcmp(ptx.p + i, word[w], n) != 0)
				continue;
			count++;
			n = ptx.n - i < sizeof(where) ? ptx.n - i
						      : sizeof(where) - 1;
			memcpy(where, ptx.p + i, n);
			where[n < 100 ? n : 100] = '\0';
			*reterr_where = where;
		}
	return count;
}

static void expect_exact(struct arena *a, const struct buf *text, uint32_t sm)
{
	struct build_unit u = {
		.source = {"forms.cu", buf_bytes(text)},
		.fmad = true,
		.sm = sm,
	};
	struct build_diag d;
	struct bytes ptx;
	const char *where = "";

	cr_assert_eq(text->err, ERR_OK);
	cr_assert_eq(build_compile(compiler(a), a, &u, &ptx, &d), ERR_OK, "%s",
		     d.text);
	cr_expect_eq(inexact(ptx, &where), 0, "sm_%u: %s", (unsigned)sm, where);
}

Test(strict_forms, float_and_double)
{
	static const char *const types[] = {"float", "double"};
	struct arena *a = arena_new(256u << 20);
	struct buf b = buf_make(1u << 20);
	uint32_t n = 0;

	buf_printf(&b, "template <typename T> __device__ T std_like(T x) "
		       "{ return ::exp(x) + ::log(x); }\n");
	for (size_t t = 0; t < 2; t++) {
		for (size_t i = 0; i < COUNT(one); i++)
			call(&b, &n, types[t], one[i], "", "x");
		for (size_t i = 0; i < COUNT(two); i++)
			call(&b, &n, types[t], two[i], "", "x, y");
		for (size_t i = 0; i < COUNT(statements); i++)
			kernel(&b, &n, types[t], statements[i]);
	}
	for (size_t i = 0; i < COUNT(one); i++)
		call(&b, &n, "float", one[i], "f", "x");
	for (size_t i = 0; i < COUNT(two); i++)
		call(&b, &n, "float", two[i], "f", "x, y");
	for (size_t i = 0; i < COUNT(float_one); i++)
		call(&b, &n, "float", float_one[i], "", "x");
	for (size_t i = 0; i < COUNT(float_two); i++)
		call(&b, &n, "float", float_two[i], "", "x, y");
	for (size_t i = 0; i < COUNT(float_statements); i++)
		kernel(&b, &n, "float", float_statements[i]);
	for (size_t i = 0; i < COUNT(double_statements); i++)
		kernel(&b, &n, "double", double_statements[i]);
	if (compiler(a))
		expect_exact(a, &b, 75);
	buf_free(&b);
	arena_free(a);
}

/* The functions, operators and pairs of a 16-bit type. */
static void half_text(struct buf *b, const char *header, const char *type,
		      const char *pair)
{
	uint32_t n = 0;

	buf_printf(b, "#include <%s>\n", header);
	for (size_t i = 0; i < COUNT(half_one); i++) {
		call(b, &n, type, "h", half_one[i], "x");
		call(b, &n, pair, "h2", half_one[i], "x");
	}
	call(b, &n, type, "__hdiv", "", "x, y");
	call(b, &n, pair, "__h2div", "", "x, y");
	for (int i = 0; i < 2; i++)
		kernel(b, &n, i ? pair : type,
		       "r = x / y + x * y - x; r += x; r -= y; r *= x; "
		       "r /= y; ++r; --r; r++; r--; r = -r; r = +r; "
		       "if (x == y || x < y || x > y || x <= y || x >= y || "
		       "x != y) r = x;");
}

Test(strict_forms, half_and_bfloat)
{
	static const uint32_t sms[] = {75, 80, 90};
	struct arena *a = arena_new(512u << 20);

	for (size_t i = 0; i < COUNT(sms) && compiler(a); i++) {
		struct buf b = buf_make(1u << 20);

		half_text(&b, "cuda_fp16.h", "__half", "__half2");
		expect_exact(a, &b, sms[i]);
		buf_free(&b);
		b = buf_make(1u << 20);
		half_text(&b, "cuda_bf16.h", "__nv_bfloat16", "__nv_bfloat162");
		expect_exact(a, &b, sms[i]);
		buf_free(&b);
	}
	arena_free(a);
}

Test(strict_forms, the_search_itself_finds_what_is_inexact)
{
	const char *where = "";

	cr_expect_eq(
		inexact(bytes_str("\tex2.approx.ftz.f32 %f1, %f2;"), &where),
		2);
	cr_expect_eq(
		inexact(bytes_str("\tdiv.full.f32 %f1, %f2, %f3;"), &where), 1);
	cr_expect_eq(inexact(bytes_str("\tdiv.rn.f32 %f1, %f2, %f3;"), &where),
		     0);
}
