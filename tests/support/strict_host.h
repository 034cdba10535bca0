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

static inline long long __double_as_longlong(double a)
{
	long long v;

	memcpy(&v, &a, sizeof(v));
	return v;
}

static inline double __longlong_as_double(long long v)
{
	double a;

	memcpy(&a, &v, sizeof(a));
	return a;
}

static inline double __dadd_rn(double a, double b)
{
	return a + b;
}

static inline double __dmul_rn(double a, double b)
{
	return a * b;
}

static inline double __fma_rn(double a, double b, double c)
{
	return __builtin_fma(a, b, c);
}

static inline double __ddiv_rn(double a, double b)
{
	return a / b;
}

static inline double __ull2double_rn(unsigned long long a)
{
	return (double)a;
}

static inline long long __double2ll_rn(double a)
{
	return __builtin_llrint(a);
}

static inline int __clzll(long long a)
{
	return a == 0 ? 64 : __builtin_clzll((unsigned long long)a);
}

static inline unsigned long long __umul64hi(unsigned long long a,
					    unsigned long long b)
{
	__extension__ unsigned __int128 p = a;

	return (unsigned long long)(p * b >> 64);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wdouble-promotion"
/* clang-format off */
/* In the order of their needs. */
#include "gpu/strict/weft_core.cuh"
#include "gpu/strict/weft_curves.cuh"
#include "gpu/strict/weft_pow.cuh"
#include "gpu/strict/weft_trig.cuh"
#include "gpu/strict/weft_hyper.cuh"
#include "gpu/strict/weft_angle.cuh"
#include "gpu/strict/weft_root.cuh"
#include "gpu/strict/weft_double.cuh"
#include "gpu/strict/weft_double_more.cuh"
#include "gpu/strict/weft_gamma.cuh"
#include "gpu/strict/weft_inverse.cuh"
#include "gpu/strict/weft_norm.cuh"
/* clang-format on */
#pragma GCC diagnostic pop

#endif /* WEFT_TESTS_SUPPORT_STRICT_HOST_H */
