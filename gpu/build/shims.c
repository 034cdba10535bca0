/*
 * Host headers for device code.  NVRTC knows none by itself; programs include
 * them by habit.  Only what makes sense on a device is declared.
 */
#include "gpu/build/priv/unit.h"

/* The types that cuda/std/cstdint gives these names under NVRTC: a source may
 * include both, by way of cub or cooperative groups. */
static const char stdint_h[] =
	"#pragma once\n"
	"typedef signed char int8_t;\n"
	"typedef short int16_t;\n"
	"typedef int int32_t;\n"
	"typedef long long int64_t;\n"
	"typedef unsigned char uint8_t;\n"
	"typedef unsigned short uint16_t;\n"
	"typedef unsigned int uint32_t;\n"
	"typedef unsigned long long uint64_t;\n"
	"typedef int8_t int_least8_t;\n"
	"typedef int16_t int_least16_t;\n"
	"typedef int32_t int_least32_t;\n"
	"typedef int64_t int_least64_t;\n"
	"typedef uint8_t uint_least8_t;\n"
	"typedef uint16_t uint_least16_t;\n"
	"typedef uint32_t uint_least32_t;\n"
	"typedef uint64_t uint_least64_t;\n"
	"typedef signed char int_fast8_t;\n"
	"typedef int16_t int_fast16_t;\n"
	"typedef int32_t int_fast32_t;\n"
	"typedef int64_t int_fast64_t;\n"
	"typedef unsigned char uint_fast8_t;\n"
	"typedef uint16_t uint_fast16_t;\n"
	"typedef uint32_t uint_fast32_t;\n"
	"typedef uint64_t uint_fast64_t;\n"
	"typedef int64_t intptr_t;\n"
	"typedef uint64_t uintptr_t;\n"
	"typedef int64_t intmax_t;\n"
	"typedef uint64_t uintmax_t;\n"
	"#define INT8_MIN (-128)\n"
	"#define INT8_MAX 127\n"
	"#define UINT8_MAX 255\n"
	"#define INT16_MIN (-32767 - 1)\n"
	"#define INT16_MAX 32767\n"
	"#define UINT16_MAX 65535\n"
	"#define INT32_MIN (-2147483647 - 1)\n"
	"#define INT32_MAX 2147483647\n"
	"#define UINT32_MAX 4294967295u\n"
	"#define INT64_MIN (-9223372036854775807ll - 1)\n"
	"#define INT64_MAX 9223372036854775807ll\n"
	"#define UINT64_MAX 18446744073709551615ull\n"
	"#define INTPTR_MIN INT64_MIN\n"
	"#define INTPTR_MAX INT64_MAX\n"
	"#define UINTPTR_MAX UINT64_MAX\n"
	"#define INTMAX_MIN INT64_MIN\n"
	"#define INTMAX_MAX INT64_MAX\n"
	"#define UINTMAX_MAX UINT64_MAX\n"
	"#define SIZE_MAX UINT64_MAX\n"
	"#define PTRDIFF_MIN INT64_MIN\n"
	"#define PTRDIFF_MAX INT64_MAX\n"
	"#define INT8_C(x) x\n"
	"#define INT16_C(x) x\n"
	"#define INT32_C(x) x\n"
	"#define INT64_C(x) x##ll\n"
	"#define UINT8_C(x) x\n"
	"#define UINT16_C(x) x\n"
	"#define UINT32_C(x) x##u\n"
	"#define UINT64_C(x) x##ull\n"
	"#define INTMAX_C(x) x##ll\n"
	"#define UINTMAX_C(x) x##ull\n";

static const char cstdint[] =
	"#pragma once\n"
	"#include <stdint.h>\n"
	"namespace std {\n"
	"using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;\n"
	"using ::uint8_t; using ::uint16_t; using ::uint32_t;\n"
	"using ::uint64_t; using ::intptr_t; using ::uintptr_t;\n"
	"}\n";

static const char stddef_h[] = "#pragma once\n"
			       "typedef decltype(sizeof(0)) size_t;\n"
			       "typedef long ptrdiff_t;\n"
			       "#ifndef NULL\n"
			       "#define NULL 0\n"
			       "#endif\n"
			       "#ifndef offsetof\n"
			       "#define offsetof(t, m) ((size_t)&((t *)0)->m)\n"
			       "#endif\n";

static const char cstddef[] = "#pragma once\n"
			      "#include <stddef.h>\n"
			      "namespace std {\n"
			      "using ::size_t; using ::ptrdiff_t;\n"
			      "}\n";

static const char limits_h[] =
	"#pragma once\n"
	"#define CHAR_BIT 8\n"
	"#define SCHAR_MIN (-128)\n"
	"#define SCHAR_MAX 127\n"
	"#define UCHAR_MAX 255\n"
	"#define CHAR_MIN SCHAR_MIN\n"
	"#define CHAR_MAX SCHAR_MAX\n"
	"#define SHRT_MIN (-32767 - 1)\n"
	"#define SHRT_MAX 32767\n"
	"#define USHRT_MAX 65535\n"
	"#define INT_MIN (-2147483647 - 1)\n"
	"#define INT_MAX 2147483647\n"
	"#define UINT_MAX 4294967295u\n"
	"#define LONG_MIN (-9223372036854775807l - 1)\n"
	"#define LONG_MAX 9223372036854775807l\n"
	"#define ULONG_MAX 18446744073709551615ul\n"
	"#define LLONG_MIN (-9223372036854775807ll - 1)\n"
	"#define LLONG_MAX 9223372036854775807ll\n"
	"#define ULLONG_MAX 18446744073709551615ull\n";

static const char float_h[] = "#pragma once\n"
			      "#define FLT_RADIX 2\n"
			      "#define FLT_MANT_DIG 24\n"
			      "#define FLT_DIG 6\n"
			      "#define FLT_MIN_EXP (-125)\n"
			      "#define FLT_MAX_EXP 128\n"
			      "#define FLT_MIN_10_EXP (-37)\n"
			      "#define FLT_MAX_10_EXP 38\n"
			      "#define FLT_MIN 1.17549435e-38f\n"
			      "#define FLT_MAX 3.402823466e+38f\n"
			      "#define FLT_EPSILON 1.1920928955078125e-7f\n"
			      "#define FLT_TRUE_MIN 1.40129846e-45f\n"
			      "#define DBL_MANT_DIG 53\n"
			      "#define DBL_DIG 15\n"
			      "#define DBL_MIN_EXP (-1021)\n"
			      "#define DBL_MAX_EXP 1024\n"
			      "#define DBL_MIN_10_EXP (-307)\n"
			      "#define DBL_MAX_10_EXP 308\n"
			      "#define DBL_MIN 2.2250738585072014e-308\n"
			      "#define DBL_MAX 1.7976931348623157e+308\n"
			      "#define DBL_EPSILON 2.2204460492503131e-16\n"
			      "#define DBL_TRUE_MIN 4.9406564584124654e-324\n";

/* No guard: NDEBUG may change between two includes. */
static const char assert_h[] = "#undef assert\n"
			       "#ifdef NDEBUG\n"
			       "#define assert(x) ((void)0)\n"
			       "#else\n"
			       "#define assert(x) ((x) ? (void)0 : __trap())\n"
			       "#endif\n";

static const char math_h[] = "#pragma once\n"
			     "#define M_E 2.7182818284590452354\n"
			     "#define M_LOG2E 1.4426950408889634074\n"
			     "#define M_LOG10E 0.43429448190325182765\n"
			     "#define M_LN2 0.69314718055994530942\n"
			     "#define M_LN10 2.30258509299404568402\n"
			     "#define M_PI 3.14159265358979323846\n"
			     "#define M_PI_2 1.57079632679489661923\n"
			     "#define M_PI_4 0.78539816339744830962\n"
			     "#define M_1_PI 0.31830988618379067154\n"
			     "#define M_2_PI 0.63661977236758134308\n"
			     "#define M_2_SQRTPI 1.12837916709551257390\n"
			     "#define M_SQRT2 1.41421356237309504880\n"
			     "#define M_SQRT1_2 0.70710678118654752440\n"
			     "#ifndef INFINITY\n"
			     "#define INFINITY __int_as_float(0x7f800000)\n"
			     "#endif\n"
			     "#ifndef NAN\n"
			     "#define NAN __int_as_float(0x7fffffff)\n"
			     "#endif\n"
			     "#ifndef HUGE_VALF\n"
			     "#define HUGE_VALF INFINITY\n"
			     "#endif\n"
			     "#ifndef HUGE_VAL\n"
			     "#define HUGE_VAL ((double)INFINITY)\n"
			     "#endif\n";

static const char cmath[] = "#pragma once\n#include <math.h>\n";
static const char cfloat[] = "#pragma once\n#include <float.h>\n";
static const char climits[] = "#pragma once\n#include <limits.h>\n";
static const char cassert[] = "#include <assert.h>\n";

/* Sources often name these and need no more of them on the device than what
 * NVRTC declares by itself (printf, malloc, memcpy and their like). */
static const char declared[] = "#pragma once\n#include <stddef.h>\n";

#define SHIM(name, text)                                          \
	{                                                         \
		name,                                             \
		{                                                 \
			(const uint8_t *)(text), sizeof(text) - 1 \
		}                                                 \
	}

const struct build_text build_shims[] = {
	SHIM("stdint.h", stdint_h), SHIM("cstdint", cstdint),
	SHIM("stddef.h", stddef_h), SHIM("cstddef", cstddef),
	SHIM("limits.h", limits_h), SHIM("climits", climits),
	SHIM("float.h", float_h),   SHIM("cfloat", cfloat),
	SHIM("assert.h", assert_h), SHIM("cassert", cassert),
	SHIM("math.h", math_h),	    SHIM("cmath", cmath),
	SHIM("stdio.h", declared),  SHIM("cstdio", declared),
	SHIM("stdlib.h", declared), SHIM("cstdlib", declared),
	SHIM("string.h", declared), SHIM("cstring", declared),
};

const uint32_t build_shim_count = sizeof(build_shims) / sizeof(build_shims[0]);
