/* Halves and bfloats: exact, rounded once. */
#include "corpus.cuh"

#if defined(CORPUS_HOST)
#include "half.hpp"
#elif defined(CORPUS_NVIDIA) && !defined(CORPUS_PLAIN)
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#define CORPUS_HALF 1
#endif

#if defined(CORPUS_HOST) || defined(CORPUS_HALF)

/* Below 2 and finite, subnormal ones among them. */
#define H(a) __ushort_as_half((u16)((a) & 0xbfff))
#define B(a) __ushort_as_bfloat16((u16)((a) & 0xbfff))

//= A
//@ <<<2 64>>> u16[128] u16[128]=hash u16[128]=hash ; nvidia
KERNEL half_add(u16 *out, const u16 *a, const u16 *b)
{
	out[THREAD] = __half_as_ushort(__hadd(H(a[THREAD]), H(b[THREAD])));
}

//= A
//@ <<<2 64>>> u16[128] u16[128]=hash u16[128]=hash ; nvidia
KERNEL half_sub_mul(u16 *out, const u16 *a, const u16 *b)
{
	out[THREAD] = __half_as_ushort(__hmul_rn(__hsub_rn(H(a[THREAD]), H(b[THREAD])), H(b[THREAD])));
}

//= A
//@ <<<2 64>>> u16[128] u16[1024]=hash u16[8]=hash ; nvidia
KERNEL half_dot(u16 *out, const u16 *a, const u16 *w)
{
	__half s = __ushort_as_half(0);
	for (int k = 0; k < 8; k++)
		s = __hfma(H(a[THREAD * 8 + k]), H(w[k]), s);
	out[THREAD] = __half_as_ushort(s);
}

//= A
//@ <<<2 64>>> f32[128] u16[128]=hash u16[128]=hash ; nvidia
KERNEL half_to_float(float *out, const u16 *a, const u16 *b)
{
	out[THREAD] = __half2float(H(a[THREAD])) + __half2float(H(b[THREAD]));
}

//= A
//@ <<<2 64>>> u16[128] f32[128]=sym ; nvidia
KERNEL half_from_float(u16 *out, const float *a)
{
	out[THREAD] = __half_as_ushort(__float2half_rn(a[THREAD] * a[THREAD]));
}

//= A
//@ <<<2 64>>> u16[128] u16[128]=hash u16[128]=hash ; nvidia
KERNEL half_compare(u16 *out, const u16 *a, const u16 *b)
{
	out[THREAD] = (u16)(__hlt(H(a[THREAD]), H(b[THREAD])) * 2 + __hge(H(a[THREAD]), H(b[THREAD] ^ a[THREAD])));
}

//= A
//@ <<<2 64>>> u32[128] u16[256]=hash u16[256]=hash ; nvidia
KERNEL half_pair_fma(u32 *out, const u16 *a, const u16 *b)
{
	__half2 x = __halves2half2(H(a[THREAD * 2]), H(a[THREAD * 2 + 1]));
	__half2 y = __halves2half2(H(b[THREAD * 2]), H(b[THREAD * 2 + 1]));
	__half2 r = __hfma2(x, y, x);
	out[THREAD] = __half_as_ushort(__low2half(r)) | (u32)__half_as_ushort(__high2half(r)) << 16;
}

//= A
//@ <<<1 64>>> u16[1] u16[64]=hash ; nvidia
KERNEL half_sum_tree(u16 *out, const u16 *a)
{
	__shared__ u16 s[64];
	s[threadIdx.x] = __half_as_ushort(H(a[threadIdx.x]));
	__syncthreads();
	for (u32 k = 32; k > 0; k >>= 1) {
		if (threadIdx.x < k)
			s[threadIdx.x] = __half_as_ushort(__hadd(__ushort_as_half(s[threadIdx.x]), __ushort_as_half(s[threadIdx.x + k])));
		__syncthreads();
	}
	if (threadIdx.x == 0)
		*out = s[0];
}

#if defined(CORPUS_HOST) || __CUDA_ARCH__ >= 800
//= A
//@ <<<2 64>>> u16[128] u16[128]=hash u16[128]=hash ; nvidia
KERNEL bfloat_fma(u16 *out, const u16 *a, const u16 *b)
{
	out[THREAD] = __bfloat16_as_ushort(__hfma(B(a[THREAD]), B(b[THREAD]), B(a[THREAD])));
}

//= A
//@ <<<2 64>>> u16[128] f32[128]=sym ; nvidia
KERNEL bfloat_from_float(u16 *out, const float *a)
{
	out[THREAD] = __bfloat16_as_ushort(__float2bfloat16_rn(a[THREAD] * a[THREAD]));
}

#endif
#endif
