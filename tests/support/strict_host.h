/*
 * tests/support/strict_host - gpu/strict's CUDA text compiled as C.
 *
 * Gives the device intrinsics their exact meaning on the host, then takes the
 * functions in.  Compile with -ffp-contract=off -fno-fast-math.
 */
#ifndef WEFT_TESTS_SUPPORT_STRICT_HOST_H
#define WEFT_TESTS_SUPPORT_STRICT_HOST_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define __device__
#define __forceinline__ inline __attribute__((unused))

static inline float __int_as_float(int v)
{
	float f;

	memcpy(&f, &v, sizeof(f));
	return f;
}

static inline int __float_as_int(float f)
{
	int v;

	memcpy(&v, &f, sizeof(v));
	return v;
}

static inline float __fmaf_rn(float a, float b, float c)
{
	return __builtin_fmaf(a, b, c);
}

static inline float __fmul_rn(float a, float b)
{
	return a * b;
}

static inline float __fadd_rn(float a, float b)
{
	return a + b;
}

static inline float __fdiv_rn(float a, float b)
{
	return a / b;
}

static inline float __frcp_rn(float a)
{
	return 1.0f / a;
}

static inline float __fsqrt_rn(float a)
{
	return __builtin_sqrtf(a);
}

static inline double __drcp_rn(double a)
{
	return 1.0 / a;
}

static inline double __dsqrt_rn(double a)
{
	return __builtin_sqrt(a);
}

static inline float __double2float_rn(double a)
{
	return (float)a;
}

static inline float __ll2float_rn(long long a)
{
	return (float)a;
}

static inline long long __float2ll_rz(float a)
{
	return (long long)a;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wdouble-promotion"
/* clang-format off: the order is the dependency */
#include "gpu/strict/weft_core.cuh"
#include "gpu/strict/weft_curves.cuh"
#include "gpu/strict/weft_pow.cuh"
#include "gpu/strict/weft_trig.cuh"
/* clang-format on */
#pragma GCC diagnostic pop

#endif /* WEFT_TESTS_SUPPORT_STRICT_HOST_H */
