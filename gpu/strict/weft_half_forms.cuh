/*
 * The functions of one 16-bit type, through the float ones.  The including
 * file says which: WEFT_T, WEFT_T2, WEFT_TO (to float), WEFT_FROM (rounded),
 * WEFT_PAIR (two to a pair), WEFT_ONES (the bits of 1).  Quotients, roots and
 * inverses are correctly rounded: a float has more than twice the digits.
 */
#define WEFT_H(name, core)                                                    \
	__device__ __forceinline__ WEFT_T h##name(const WEFT_T a)             \
	{                                                                     \
		return WEFT_FROM(core(WEFT_TO(a)));                           \
	}                                                                     \
	__device__ __forceinline__ WEFT_T2 h2##name(const WEFT_T2 a)          \
	{                                                                     \
		return WEFT_PAIR(h##name(a.x), h##name(a.y));                 \
	}

WEFT_H(sqrt, __fsqrt_rn)
WEFT_H(rsqrt, weft_rsqrtf)
WEFT_H(rcp, __frcp_rn)
WEFT_H(log, weft_logf)
WEFT_H(log2, weft_log2f)
WEFT_H(log10, weft_log10f)
WEFT_H(exp, weft_expf)
WEFT_H(exp2, weft_exp2f)
WEFT_H(exp10, weft_exp10f)
WEFT_H(cos, weft_cosf)
WEFT_H(sin, weft_sinf)
WEFT_H(tanh, weft_tanhf)
WEFT_H(tanh_approx, weft_tanhf)

__device__ __forceinline__ WEFT_T __hdiv(const WEFT_T a, const WEFT_T b)
{
	return WEFT_FROM(__fdiv_rn(WEFT_TO(a), WEFT_TO(b)));
}

__device__ __forceinline__ WEFT_T2 __h2div(const WEFT_T2 a, const WEFT_T2 b)
{
	return WEFT_PAIR(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}

#undef WEFT_H
