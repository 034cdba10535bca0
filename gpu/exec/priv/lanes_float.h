/*
 * gpu/exec/priv/lanes_float - f32 and f64 arithmetic, exact to the bit.
 *
 * Written with vector types, so that the compiler neither fuses nor reorders
 * nor folds: the rounding mode and the flushing of subnormals are MXCSR's.
 * Any NaN result gets the bits p->nan32 or p->nan64, whatever the operands'
 * NaNs were.  min, max, abs, neg and slct work on the bits alone.
 */
#ifndef WEFT_GPU_EXEC_PRIV_LANES_FLOAT_H
#define WEFT_GPU_EXEC_PRIV_LANES_FLOAT_H

#include <immintrin.h>

#include "gpu/exec/priv/lanes_macros.h"
#include "gpu/exec/priv/soft.h"

#define V_ATTR(n) __attribute__((vector_size(n), may_alias, aligned(16)))

typedef float vf32 V_ATTR(LANE_BYTES);
typedef double vf64 V_ATTR(LANE_BYTES);
typedef uint32_t vu32 V_ATTR(LANE_BYTES);
typedef int32_t vs32 V_ATTR(LANE_BYTES);
typedef uint64_t vu64 V_ATTR(LANE_BYTES);
typedef int64_t vs64 V_ATTR(LANE_BYTES);
/* As many 32-bit values as vu64 has. */
typedef float hf32
	__attribute__((vector_size(LANE_BYTES / 2), may_alias, aligned(8)));
typedef int32_t hs32
	__attribute__((vector_size(LANE_BYTES / 2), may_alias, aligned(8)));
typedef uint32_t hu32
	__attribute__((vector_size(LANE_BYTES / 2), may_alias, aligned(8)));

#define V32 (LANE_BYTES / 4u)
#define V64 (LANE_BYTES / 8u)

#if LANE_BYTES == 64
#define V_FMA32(x, y, z) \
	((vf32)_mm512_fmadd_ps((__m512)(x), (__m512)(y), (__m512)(z)))
#define V_FMA64(x, y, z) \
	((vf64)_mm512_fmadd_pd((__m512d)(x), (__m512d)(y), (__m512d)(z)))
#define V_SQRT32(x) ((vf32)_mm512_sqrt_ps((__m512)(x)))
#define V_SQRT64(x) ((vf64)_mm512_sqrt_pd((__m512d)(x)))
#elif LANE_BYTES == 32
#define V_FMA32(x, y, z) \
	((vf32)_mm256_fmadd_ps((__m256)(x), (__m256)(y), (__m256)(z)))
#define V_FMA64(x, y, z) \
	((vf64)_mm256_fmadd_pd((__m256d)(x), (__m256d)(y), (__m256d)(z)))
#define V_SQRT32(x) ((vf32)_mm256_sqrt_ps((__m256)(x)))
#define V_SQRT64(x) ((vf64)_mm256_sqrt_pd((__m256d)(x)))
#else
/* No fused instruction: integers do it, in MXCSR's mode. */
static vf32 v_fma32_soft(vf32 x, vf32 y, vf32 z)
{
	vu32 a = (vu32)x, b = (vu32)y, c = (vu32)z, r;
	for (uint32_t i = 0; i < V32; i++)
		r[i] = soft_fma32(a[i], b[i], c[i], _mm_getcsr());
	return (vf32)r;
}
/*
 * In f64 the product is exact and the sum is rounded once before it is
 * rounded to f32.  Twice the same directed way is once; to nearest differs
 * only when the sum ends exactly between two f32, and small results have
 * their own rounding place: integers do those.
 */
static inline vf32 v_fma32(vf32 x, vf32 y, vf32 z)
{
	float r[4];
	uint64_t doubt = 0;
	for (uint32_t i = 0; i < V32; i++) {
		double s = (double)x[i] * (double)y[i] + (double)z[i];
		uint64_t b, e;
		memcpy(&b, &s, sizeof(b));
		e = b >> 52 & 0x7ffu;
		doubt |= (b & 0x1fffffffu) == 0x10000000u;
		doubt |= e < 1023 - 120 && (b & INT64_MAX) != 0;
		r[i] = (float)s;
	}
	if (doubt != 0)
		return v_fma32_soft(x, y, z);
	vf32 v;
	memcpy(&v, r, sizeof(v));
	return v;
}
static inline vf64 v_fma64(vf64 x, vf64 y, vf64 z)
{
	vu64 a = (vu64)x, b = (vu64)y, c = (vu64)z, r;
	for (uint32_t i = 0; i < V64; i++)
		r[i] = soft_fma64(a[i], b[i], c[i], _mm_getcsr());
	return (vf64)r;
}
#define V_FMA32(x, y, z) v_fma32(x, y, z)
#define V_FMA64(x, y, z) v_fma64(x, y, z)
#define V_SQRT32(x)	 ((vf32)_mm_sqrt_ps((__m128)(x)))
#define V_SQRT64(x)	 ((vf64)_mm_sqrt_pd((__m128d)(x)))
#endif

#define LD32(p, i)   (*(const vf32 *)(const void *)((const uint32_t *)(p) + (i)))
#define LD64(p, i)   (*(const vf64 *)(const void *)((const uint64_t *)(p) + (i)))
#define LDH(T, p, i) (*(const T *)(const void *)((const uint32_t *)(p) + (i)))

#if LANE_BYTES == 64
static inline vu32 canon32(vf32 r, uint32_t nan)
{
	__m512 v = (__m512)r;
	return (vu32)_mm512_mask_set1_epi32(
		_mm512_castps_si512(v), _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q),
		(int)nan);
}

static inline vu64 canon64(vf64 r, uint64_t nan)
{
	__m512d v = (__m512d)r;
	return (vu64)_mm512_mask_set1_epi64(
		_mm512_castpd_si512(v), _mm512_cmp_pd_mask(v, v, _CMP_UNORD_Q),
		(long long)nan);
}
#else
static inline vu32 canon32(vf32 r, uint32_t nan)
{
	vu32 is_nan = (vu32)(r != r);
	return ((vu32)r & ~is_nan) | (is_nan & nan);
}

static inline vu64 canon64(vf64 r, uint64_t nan)
{
	vu64 is_nan = (vu64)(r != r);
	return ((vu64)r & ~is_nan) | (is_nan & nan);
}
#endif

/* Into [+0, 1]; NaN and -0 become +0. */
static inline vu32 clamp32(vu32 r)
{
	vu32 is_high = (vu32)((vs32)r > 0x3f800000);
	vu32 is_nan = (vu32)((vs32)r > 0x7f800000);
	vu32 is_low = (vu32)((vs32)r < 0);
	r = (r & ~is_high) | (is_high & 0x3f800000u);
	return r & ~(is_low | is_nan);
}

static inline void put32(const struct lane_args *p, uint32_t i, vu32 r)
{
	vu32 *d = (vu32 *)(void *)((uint32_t *)p->d + i);
#if LANE_BYTES == 64
	if (p->mask != NULL) {
		__m512i m = _mm512_load_si512(p->mask + i);
		_mm512_mask_store_epi32(d, _mm512_test_epi32_mask(m, m),
					(__m512i)r);
		return;
	}
#endif
	if (p->mask != NULL) {
		vu32 m = *(const vu32 *)(const void *)(p->mask + i);
		r = (r & m) | (*d & ~m);
	}
	*d = r;
}

static inline void put64(const struct lane_args *p, uint32_t i, vu64 r)
{
	vu64 *d = (vu64 *)(void *)((uint64_t *)p->d + i);
	if (p->mask != NULL) {
		vu64 m = (vu64) __builtin_convertvector(LDH(hs32, p->mask, i),
							vs64);
		r = (r & m) | (*d & ~m);
	}
	*d = r;
}

static inline void put_half(const struct lane_args *p, uint32_t i, hu32 r)
{
	hu32 *d = (hu32 *)(void *)((uint32_t *)p->d + i);
	if (p->mask != NULL) {
		hu32 m = LDH(hu32, p->mask, i);
		r = (r & m) | (*d & ~m);
	}
	*d = r;
}

#define F32_OP(name, load, expr, post)                              \
	static void lane_##name(const struct lane_args *args)       \
	{                                                           \
		LANE_LOCAL                                          \
		for (uint32_t i = p->lo; i < n; i += V32) {         \
			load;                                       \
			put32(p, i, post(canon32(expr, p->nan32))); \
		}                                                   \
	}
/*
 * Directed rounding: AVX-512 has it in each instruction (lane_rounds()), so
 * that MXCSR need not change; elsewhere MXCSR has been set.
 */
#if LANE_BYTES == 64
#define DIRECTED(loop)                                           \
	switch (args->op->rounding) {                            \
	case 1:                                                  \
		loop(_MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); \
		return;                                          \
	case 2:                                                  \
		loop(_MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC); \
		return;                                          \
	case 3:                                                  \
		loop(_MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);    \
		return;                                          \
	default:                                                 \
		break;                                           \
	}
#else
#define DIRECTED(loop)
#endif

/* With loops of their own where a source is uniform. */
#define F32_EACH(load, expr)                          \
	for (uint32_t i = p->lo; i < n; i += V32) {   \
		load;                                 \
		put32(p, i, canon32(expr, p->nan32)); \
	}
#define F32_OP2U(name, expr)                                   \
	static void lane_##name(const struct lane_args *args)  \
	{                                                      \
		LANE_LOCAL                                     \
		DIRECTED(ROUND_##name)                         \
		if (p->mask != NULL || p->uniform == 0) {      \
			F32_EACH(XY32, expr)                   \
		} else if ((p->uniform & UNIFORM_B) != 0) {    \
			const vf32 y = LD32(p->b, 0);          \
			F32_EACH(X32, expr)                    \
		} else {                                       \
			const vf32 x = LD32(p->a, 0);          \
			F32_EACH(vf32 y = LD32(p->b, i), expr) \
		}                                              \
	}
#define F32_OP3U(name, expr)                                             \
	static void lane_##name(const struct lane_args *args)            \
	{                                                                \
		LANE_LOCAL                                               \
		DIRECTED(ROUND_##name)                                   \
		const uint32_t uniform = p->uniform & UNIFORM_BC;        \
		if (p->mask != NULL || uniform == 0) {                   \
			F32_EACH(XYZ32, expr)                            \
		} else if (uniform == UNIFORM_C) {                       \
			const vf32 z = LD32(p->c, 0);                    \
			F32_EACH(XY32, expr)                             \
		} else if (uniform == UNIFORM_B) {                       \
			const vf32 y = LD32(p->b, 0);                    \
			F32_EACH(X32; vf32 z = LD32(p->c, i), expr)      \
		} else {                                                 \
			const vf32 y = LD32(p->b, 0), z = LD32(p->c, 0); \
			F32_EACH(X32, expr)                              \
		}                                                        \
	}
#define F32_OP1R(name, load, expr)                            \
	static void lane_##name(const struct lane_args *args) \
	{                                                     \
		LANE_LOCAL                                    \
		DIRECTED(ROUND_##name)                        \
		F32_EACH(load, expr)                          \
	}
#define F64_OP(name, load, expr)                              \
	static void lane_##name(const struct lane_args *args) \
	{                                                     \
		LANE_LOCAL                                    \
		DIRECTED(ROUND_##name)                        \
		for (uint32_t i = 0; i < n; i += V64) {       \
			load;                                 \
			put64(p, i, canon64(expr, p->nan64)); \
		}                                             \
	}
#define X32 vf32 x = LD32(p->a, i)
#define XY32 \
	X32; \
	vf32 y = LD32(p->b, i)
#define XYZ32 \
	XY32; \
	vf32 z = LD32(p->c, i)
#define X64 vf64 x = LD64(p->a, i)
#define XY64 \
	X64; \
	vf64 y = LD64(p->b, i)
#define XYZ64 \
	XY64; \
	vf64 z = LD64(p->c, i)

#define R32(get, call) F32_EACH(get, (vf32)call)
#define R64(get, call)                                      \
	for (uint32_t i = p->lo; i < n; i += V64) {         \
		get;                                        \
		put64(p, i, canon64((vf64)call, p->nan64)); \
	}
#define ROUND_add_f32(r) R32(XY32, _mm512_add_round_ps((__m512)x, (__m512)y, r))
#define ROUND_sub_f32(r) R32(XY32, _mm512_sub_round_ps((__m512)x, (__m512)y, r))
#define ROUND_mul_f32(r) R32(XY32, _mm512_mul_round_ps((__m512)x, (__m512)y, r))
#define ROUND_div_f32(r) R32(XY32, _mm512_div_round_ps((__m512)x, (__m512)y, r))
#define ROUND_rcp_f32(r) \
	R32(X32, _mm512_div_round_ps(_mm512_set1_ps(1.0f), (__m512)x, r))
#define ROUND_sqrt_f32(r) R32(X32, _mm512_sqrt_round_ps((__m512)x, r))
#define ROUND_fma_f32(r) \
	R32(XYZ32, _mm512_fmadd_round_ps((__m512)x, (__m512)y, (__m512)z, r))
#define ROUND_add_f64(r) \
	R64(XY64, _mm512_add_round_pd((__m512d)x, (__m512d)y, r))
#define ROUND_sub_f64(r) \
	R64(XY64, _mm512_sub_round_pd((__m512d)x, (__m512d)y, r))
#define ROUND_mul_f64(r) \
	R64(XY64, _mm512_mul_round_pd((__m512d)x, (__m512d)y, r))
#define ROUND_div_f64(r) \
	R64(XY64, _mm512_div_round_pd((__m512d)x, (__m512d)y, r))
#define ROUND_rcp_f64(r) \
	R64(X64, _mm512_div_round_pd(_mm512_set1_pd(1.0), (__m512d)x, r))
#define ROUND_sqrt_f64(r) R64(X64, _mm512_sqrt_round_pd((__m512d)x, r))
#define ROUND_fma_f64(r) \
	R64(XYZ64, _mm512_fmadd_round_pd((__m512d)x, (__m512d)y, (__m512d)z, r))

F32_OP2U(add_f32, x + y)
F32_OP2U(sub_f32, x - y)
F32_OP2U(mul_f32, x *y)
F32_OP3U(fma_f32, V_FMA32(x, y, z))
F32_OP(add_sat_f32, XY32, x + y, clamp32)
F32_OP(sub_sat_f32, XY32, x - y, clamp32)
F32_OP(mul_sat_f32, XY32, x *y, clamp32)
F32_OP(fma_sat_f32, XYZ32, V_FMA32(x, y, z), clamp32)
F32_OP1R(div_f32, XY32, x / y)
F32_OP1R(rcp_f32, X32, 1.0f / x)
F32_OP1R(sqrt_f32, X32, V_SQRT32(x))

F64_OP(add_f64, XY64, x + y)
F64_OP(sub_f64, XY64, x - y)
F64_OP(mul_f64, XY64, x *y)
F64_OP(fma_f64, XYZ64, V_FMA64(x, y, z))
F64_OP(div_f64, XY64, x / y)
F64_OP(rcp_f64, X64, 1.0 / x)
F64_OP(sqrt_f64, X64, V_SQRT64(x))

/* Does the function round as lane_op.rounding says, whatever MXCSR does? */
static bool lane_rounds(lane_fn *fn)
{
	static lane_fn *const rounding[] = {
		lane_add_f32,  lane_sub_f32,  lane_mul_f32, lane_div_f32,
		lane_rcp_f32,  lane_sqrt_f32, lane_fma_f32, lane_add_f64,
		lane_sub_f64,  lane_mul_f64,  lane_div_f64, lane_rcp_f64,
		lane_sqrt_f64, lane_fma_f64};
	for (size_t i = 0; i < sizeof(rounding) / sizeof(rounding[0]); i++) {
		if (fn == rounding[i])
			return LANE_BYTES == 64;
	}
	return false;
}

/* Bit work.  imm 1: subnormals become zeros of their sign. */
static inline uint32_t flush32(uint32_t x, uint32_t ftz)
{
	uint32_t is_small = (x & 0x7f800000u) == 0 && ftz != 0;
	return is_small ? x & 0x80000000u : x;
}
static inline bool is_nan32(uint32_t x)
{
	return (x & 0x7fffffffu) > 0x7f800000u;
}
static inline bool is_nan64(uint64_t x)
{
	return (x & INT64_MAX) > 0x7ff0000000000000u;
}
/* Signed keys in the order of the numbers, -0 below +0. */
static inline int32_t key32(uint32_t x)
{
	return (int32_t)x ^ (int32_t)((uint32_t)((int32_t)x >> 31) >> 1);
}
static inline int64_t key64(uint64_t x)
{
	return (int64_t)x ^ (int64_t)((uint64_t)((int64_t)x >> 63) >> 1);
}

#endif /* WEFT_GPU_EXEC_PRIV_LANES_FLOAT_H */
