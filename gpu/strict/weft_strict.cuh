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
#include "weft_hyper.cuh"
#include "weft_angle.cuh"
#include "weft_root.cuh"
#include "weft_double.cuh"
#include "weft_double_more.cuh"
#include "weft_gamma.cuh"
#include "weft_inverse.cuh"
#include "weft_norm.cuh"
#include "weft_witness.cuh"

#define WEFT_ONE(name, core)                                                  \
	__device__ __forceinline__ float name(float x)                        \
	{                                                                     \
		return core(x);                                               \
	}
#define WEFT_ONE_D(name, core)                                                \
	__device__ __forceinline__ double name(double x)                      \
	{                                                                     \
		return core(x);                                               \
	}
#define WEFT_TWO(name, core)                                                  \
	__device__ __forceinline__ float name(float x, float y)               \
	{                                                                     \
		return core(x, y);                                            \
	}
#define WEFT_TWO_D(name, core)                                                 \
	__device__ __forceinline__ double name(double x, double y)               \
	{                                                                    \
		return core(x, y);                                           \
	}

WEFT_ONE(expf, weft_expf)
WEFT_ONE(exp, weft_expf)
WEFT_ONE(__expf, weft_expf)
WEFT_ONE(exp2f, weft_exp2f)
WEFT_ONE(exp2, weft_exp2f)
WEFT_ONE(exp10f, weft_exp10f)
WEFT_ONE(exp10, weft_exp10f)
WEFT_ONE(__exp10f, weft_exp10f)
WEFT_ONE(expm1f, weft_expm1f)
WEFT_ONE(expm1, weft_expm1f)
WEFT_ONE(logf, weft_logf)
WEFT_ONE(log, weft_logf)
WEFT_ONE(__logf, weft_logf)
WEFT_ONE(log2f, weft_log2f)
WEFT_ONE(log2, weft_log2f)
WEFT_ONE(__log2f, weft_log2f)
WEFT_ONE(log10f, weft_log10f)
WEFT_ONE(log10, weft_log10f)
WEFT_ONE(__log10f, weft_log10f)
WEFT_ONE(log1pf, weft_log1pf)
WEFT_ONE(log1p, weft_log1pf)
WEFT_ONE(sinf, weft_sinf)
WEFT_ONE(sin, weft_sinf)
WEFT_ONE(__sinf, weft_sinf)
WEFT_ONE(cosf, weft_cosf)
WEFT_ONE(cos, weft_cosf)
WEFT_ONE(__cosf, weft_cosf)
WEFT_ONE(tanf, weft_tanf)
WEFT_ONE(tan, weft_tanf)
WEFT_ONE(__tanf, weft_tanf)
WEFT_ONE(asinf, weft_asinf)
WEFT_ONE(asin, weft_asinf)
WEFT_ONE(acosf, weft_acosf)
WEFT_ONE(acos, weft_acosf)
WEFT_ONE(atanf, weft_atanf)
WEFT_ONE(atan, weft_atanf)
WEFT_ONE(sinhf, weft_sinhf)
WEFT_ONE(sinh, weft_sinhf)
WEFT_ONE(coshf, weft_coshf)
WEFT_ONE(cosh, weft_coshf)
WEFT_ONE(tanhf, weft_tanhf)
WEFT_ONE(tanh, weft_tanhf)
WEFT_ONE(__tanhf, weft_tanhf)
WEFT_ONE(asinhf, weft_asinhf)
WEFT_ONE(asinh, weft_asinhf)
WEFT_ONE(acoshf, weft_acoshf)
WEFT_ONE(acosh, weft_acoshf)
WEFT_ONE(atanhf, weft_atanhf)
WEFT_ONE(atanh, weft_atanhf)
WEFT_ONE(erff, weft_erff)
WEFT_ONE(erf, weft_erff)
WEFT_ONE(cbrtf, weft_cbrtf)
WEFT_ONE(cbrt, weft_cbrtf)
WEFT_ONE(rcbrtf, weft_rcbrtf)
WEFT_ONE(rcbrt, weft_rcbrtf)
WEFT_ONE(rsqrtf, weft_rsqrtf)
WEFT_ONE(rsqrt, weft_rsqrtf)
WEFT_ONE(erfcf, weft_erfcf)
WEFT_ONE(erfc, weft_erfcf)
WEFT_ONE(erfcxf, weft_erfcxf)
WEFT_ONE(erfcx, weft_erfcxf)
WEFT_ONE(normcdff, weft_normcdff)
WEFT_ONE(normcdf, weft_normcdff)
WEFT_ONE(lgammaf, weft_lgammaf)
WEFT_ONE(lgamma, weft_lgammaf)
WEFT_ONE(tgammaf, weft_tgammaf)
WEFT_ONE(tgamma, weft_tgammaf)
WEFT_ONE(erfinvf, weft_erfinvf)
WEFT_ONE(erfinv, weft_erfinvf)
WEFT_ONE(erfcinvf, weft_erfcinvf)
WEFT_ONE(erfcinv, weft_erfcinvf)
WEFT_ONE(normcdfinvf, weft_normcdfinvf)
WEFT_ONE(normcdfinv, weft_normcdfinvf)
WEFT_ONE(__frsqrt_rn, weft_rsqrt_rn)
WEFT_TWO(powf, weft_powf)
WEFT_TWO(pow, weft_powf)
WEFT_TWO(__powf, weft_powf)
WEFT_TWO(atan2f, weft_atan2f)
WEFT_TWO(atan2, weft_atan2f)
WEFT_TWO(hypotf, weft_hypotf)
WEFT_TWO(hypot, weft_hypotf)
WEFT_TWO(fmodf, weft_fmodf)
WEFT_TWO(fmod, weft_fmodf)
WEFT_TWO(remainderf, weft_remainderf)
WEFT_TWO(remainder, weft_remainderf)
WEFT_TWO(fdividef, __fdiv_rn)
WEFT_TWO(__fdividef, __fdiv_rn)


/* Doubles whose CUDA versions begin with an approximation. */
WEFT_ONE_D(log, weft_d_log)
WEFT_ONE_D(log2, weft_d_log2)
WEFT_ONE_D(log10, weft_d_log10)
WEFT_ONE_D(log1p, weft_d_log1p)
WEFT_ONE_D(cosh, weft_d_cosh)
WEFT_ONE_D(tanh, weft_d_tanh)
WEFT_ONE_D(asinh, weft_d_asinh)
WEFT_ONE_D(acosh, weft_d_acosh)
WEFT_ONE_D(atanh, weft_d_atanh)
WEFT_ONE_D(tan, weft_d_tan)
WEFT_ONE_D(asin, weft_d_asin)
WEFT_ONE_D(acos, weft_d_acos)
WEFT_ONE_D(atan, weft_d_atan)
WEFT_ONE_D(erf, weft_d_erf)
WEFT_ONE_D(erfc, weft_d_erfc)
WEFT_ONE_D(erfcx, weft_d_erfcx)
WEFT_ONE_D(normcdf, weft_d_normcdf)
WEFT_ONE_D(erfinv, weft_d_erfinv)
WEFT_ONE_D(erfcinv, weft_d_erfcinv)
WEFT_ONE_D(normcdfinv, weft_d_normcdfinv)
WEFT_ONE_D(lgamma, weft_d_lgamma)
WEFT_ONE_D(tgamma, weft_d_tgamma)
WEFT_ONE_D(cbrt, weft_d_cbrt)
WEFT_ONE_D(rcbrt, weft_d_rcbrt)
WEFT_ONE_D(rsqrt, weft_d_rsqrt)
WEFT_TWO_D(pow, weft_d_pow)
WEFT_TWO_D(hypot, weft_d_hypot)
WEFT_TWO_D(rhypot, weft_d_rhypot)

WEFT_TWO(rhypotf, weft_rhypotf)
WEFT_TWO(rhypot, weft_rhypotf)

#define WEFT_NORMS(type, sfx, core, many)                                     \
	__device__ __forceinline__ type norm3d##sfx(type a, type b, type c)   \
	{                                                                     \
		return core(a, b, c, 0, false);                               \
	}                                                                     \
	__device__ __forceinline__ type rnorm3d##sfx(type a, type b, type c)  \
	{                                                                     \
		return core(a, b, c, 0, true);                                \
	}                                                                     \
	__device__ __forceinline__ type norm4d##sfx(type a, type b, type c,   \
						    type d)                   \
	{                                                                     \
		return core(a, b, c, d, false);                               \
	}                                                                     \
	__device__ __forceinline__ type rnorm4d##sfx(type a, type b, type c,  \
						     type d)                  \
	{                                                                     \
		return core(a, b, c, d, true);                                \
	}                                                                     \
	__device__ __forceinline__ type norm##sfx(int n, const type *p)       \
	{                                                                     \
		return many(n, p, false);                                     \
	}                                                                     \
	__device__ __forceinline__ type rnorm##sfx(int n, const type *p)      \
	{                                                                     \
		return many(n, p, true);                                      \
	}

WEFT_NORMS(float, f, weft_norm4f, weft_norm_manyf)
WEFT_NORMS(double, , weft_d_norm4, weft_d_norm_many)

#undef WEFT_NORMS
#undef WEFT_ONE_D
#undef WEFT_TWO_D
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

__device__ __forceinline__ float remquof(float x, float y, int *quotient)
{
	return weft_remquof(x, y, quotient);
}

__device__ __forceinline__ float remquo(float x, float y, int *quotient)
{
	return weft_remquof(x, y, quotient);
}

#endif /* WEFT_STRICT_CUH */
