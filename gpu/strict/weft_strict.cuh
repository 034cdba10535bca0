/*
 * Weft's pre-included header: every name by which CUDA code reaches the
 * functions of core, trig, curves and pow.  Definitions, not macros, so that
 * overloads, namespaces and pointers to them work.
 */
#ifndef WEFT_STRICT_CUH
#define WEFT_STRICT_CUH

#include "weft_core.cuh"
#include "weft_trig.cuh"
#include "weft_curves.cuh"
#include "weft_pow.cuh"

#define WEFT_ONE(name, core)                                                  \
	__device__ __forceinline__ float name(float x)                        \
	{                                                                     \
		return core(x);                                               \
	}
#define WEFT_TWO(name, core)                                                  \
	__device__ __forceinline__ float name(float x, float y)               \
	{                                                                     \
		return core(x, y);                                            \
	}

WEFT_ONE(expf, weft_expf)
WEFT_ONE(exp, weft_expf)
WEFT_ONE(__expf, weft_expf)
WEFT_ONE(exp2f, weft_exp2f)
WEFT_ONE(exp2, weft_exp2f)
WEFT_ONE(exp10f, weft_exp10f)
WEFT_ONE(exp10, weft_exp10f)
WEFT_ONE(__exp10f, weft_exp10f)
WEFT_ONE(logf, weft_logf)
WEFT_ONE(log, weft_logf)
WEFT_ONE(__logf, weft_logf)
WEFT_ONE(log2f, weft_log2f)
WEFT_ONE(log2, weft_log2f)
WEFT_ONE(__log2f, weft_log2f)
WEFT_ONE(log10f, weft_log10f)
WEFT_ONE(log10, weft_log10f)
WEFT_ONE(__log10f, weft_log10f)
WEFT_ONE(sinf, weft_sinf)
WEFT_ONE(sin, weft_sinf)
WEFT_ONE(__sinf, weft_sinf)
WEFT_ONE(cosf, weft_cosf)
WEFT_ONE(cos, weft_cosf)
WEFT_ONE(__cosf, weft_cosf)
WEFT_ONE(tanhf, weft_tanhf)
WEFT_ONE(tanh, weft_tanhf)
WEFT_ONE(erff, weft_erff)
WEFT_ONE(erf, weft_erff)
WEFT_ONE(rsqrtf, weft_rsqrtf)
WEFT_ONE(rsqrt, weft_rsqrtf)
WEFT_ONE(__frsqrt_rn, weft_rsqrt_rn)
WEFT_TWO(powf, weft_powf)
WEFT_TWO(pow, weft_powf)
WEFT_TWO(__powf, weft_powf)
WEFT_TWO(fdividef, __fdiv_rn)
WEFT_TWO(__fdividef, __fdiv_rn)

#undef WEFT_ONE
#undef WEFT_TWO

__device__ __forceinline__ void sincosf(float x, float *s, float *c)
{
	weft_sincosf(x, s, c);
}

__device__ __forceinline__ void sincos(float x, float *s, float *c)
{
	weft_sincosf(x, s, c);
}

__device__ __forceinline__ void __sincosf(float x, float *s, float *c)
{
	weft_sincosf(x, s, c);
}

#endif /* WEFT_STRICT_CUH */
