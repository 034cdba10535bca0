/* Reductions, scans, sorts, histograms. */
#include "corpus.cuh"

//= A
//@ <<<4 128>>> u32[4] u32[512]=hash
KERNEL sum_shared(u32 *out, const u32 *in)
{
	__shared__ u32 s[128];
	s[threadIdx.x] = in[THREAD];
	__syncthreads();
	for (u32 k = blockDim.x / 2; k > 0; k >>= 1) {
		if (threadIdx.x < k)
			s[threadIdx.x] += s[threadIdx.x + k];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		out[blockIdx.x] = s[0];
}

__device__ __forceinline__ u32 warp_sum(u32 v)
{
	for (int d = 16; d > 0; d >>= 1)
		v += __shfl_down_sync(~0u, v, d);
	return v;
}

//= A
//@ <<<4 128>>> u32[4] u32[512]=hash
KERNEL sum_shuffles(u32 *out, const u32 *in)
{
	__shared__ u32 s[4];
	u32 v = warp_sum(in[THREAD]);
	if (threadIdx.x % 32 == 0)
		s[threadIdx.x / 32] = v;
	__syncthreads();
	if (threadIdx.x == 0)
		out[blockIdx.x] = s[0] + s[1] + s[2] + s[3];
}

//= A
//@ <<<4 64>>> f32[4] f32[1024]=sym
KERNEL sum_floats_fixed(float *out, const float *in)
{
	__shared__ float s[64];
	float v = 0;
	for (int k = 0; k < 4; k++)
		v += in[blockIdx.x * 256 + k * 64 + threadIdx.x];
	s[threadIdx.x] = v;
	__syncthreads();
	for (u32 k = 32; k > 0; k >>= 1) {
		if (threadIdx.x < k)
			s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + k];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		out[blockIdx.x] = s[0];
}

//= R atomic_one_op
//@ <<<4 64>>> u32[1] u32[256]=hash
KERNEL sum_atomic(u32 *out, const u32 *in)
{
	atomicAdd(out, in[THREAD]);
}

//= R atomic_one_op
//@ <<<4 64>>> s32[1] u32[256]=hash
KERNEL max_atomic(int *out, const int *in)
{
	atomicMax(out, in[THREAD]);
}

//= R atomic_one_op
//@ <<<4 64>>> u32[16] u32[256]=hash
KERNEL histogram_global(u32 *out, const u32 *in)
{
	atomicAdd(out + (in[THREAD] & 15), 1u);
}

//= R atomic_one_op
//@ <<<4 64>>> u32[64] u8[256]=hash
KERNEL histogram_shared(u32 *out, const u8 *in)
{
	__shared__ u32 bins[64];
	bins[threadIdx.x] = 0;
	__syncthreads();
	atomicAdd(&bins[in[THREAD] & 63], 1u);
	__syncthreads();
	atomicAdd(out + threadIdx.x, bins[threadIdx.x]);
}

/* A histogram for each CTA: exact and independent. */
//= A
//@ <<<4 64>>> u32[256] u8[1024]=hash
KERNEL histogram_per_cta(u32 *out, const u8 *in)
{
	__shared__ u32 bins[64];
	bins[threadIdx.x] = 0;
	__syncthreads();
	for (int k = 0; k < 4; k++)
		atomicAdd(&bins[in[(blockIdx.x * 4 + k) * 64 + threadIdx.x] & 63], 1u);
	__syncthreads();
	out[THREAD] = bins[threadIdx.x];
}

//= A
//@ <<<4 64>>> u32[256] u32[256]=hash
KERNEL scan_hillis(u32 *out, const u32 *in)
{
	__shared__ u32 s[2][64];
	u32 t = threadIdx.x, from = 0;
	s[0][t] = in[THREAD];
	__syncthreads();
	for (u32 d = 1; d < 64; d *= 2) {
		s[1 - from][t] = t >= d ? s[from][t] + s[from][t - d] : s[from][t];
		from = 1 - from;
		__syncthreads();
	}
	out[THREAD] = s[from][t];
}

//= A
//@ <<<4 64>>> u32[256] u32[256]=hash
KERNEL scan_blelloch(u32 *out, const u32 *in)
{
	__shared__ u32 s[64];
	u32 t = threadIdx.x;
	s[t] = in[THREAD];
	for (u32 d = 1; d < 64; d *= 2) {
		__syncthreads();
		u32 i = (t + 1) * d * 2 - 1;
		if (i < 64)
			s[i] += s[i - d];
	}
	if (t == 0)
		s[63] = 0;
	for (u32 d = 32; d > 0; d /= 2) {
		__syncthreads();
		u32 i = (t + 1) * d * 2 - 1;
		if (i < 64) {
			u32 v = s[i - d];
			s[i - d] = s[i];
			s[i] += v;
		}
	}
	__syncthreads();
	out[THREAD] = s[t];
}

//= A
//@ <<<4 32>>> u32[128] u32[128]=hash
KERNEL scan_warp(u32 *out, const u32 *in)
{
	u32 v = in[THREAD];
	for (int d = 1; d < 32; d *= 2) {
		u32 o = __shfl_up_sync(~0u, v, d);
		if (threadIdx.x >= (u32)d)
			v += o;
	}
	out[THREAD] = v;
}

//= A
//@ <<<4 64>>> u32[256]=hash
KERNEL bitonic_sort(u32 *v)
{
	__shared__ u32 s[64];
	u32 t = threadIdx.x;
	s[t] = v[THREAD];
	for (u32 k = 2; k <= 64; k *= 2) {
		for (u32 j = k / 2; j > 0; j /= 2) {
			__syncthreads();
			u32 o = t ^ j;
			if (o > t) {
				u32 a = s[t], b = s[o];
				if ((a > b) == ((t & k) == 0)) {
					s[t] = b;
					s[o] = a;
				}
			}
		}
	}
	__syncthreads();
	v[THREAD] = s[t];
}

/* Counts of one digit, for each CTA. */
//= A
//@ <<<4 64>>> u32[64] u32[256]=hash u32=4
KERNEL radix_count(u32 *out, const u32 *in, u32 shift)
{
	__shared__ u32 bins[16];
	if (threadIdx.x < 16)
		bins[threadIdx.x] = 0;
	__syncthreads();
	atomicAdd(&bins[in[THREAD] >> shift & 15], 1u);
	__syncthreads();
	if (threadIdx.x < 16)
		out[blockIdx.x * 16 + threadIdx.x] = bins[threadIdx.x];
}

/* Places come from a scan, so that the order is that of the input. */
//= A
//@ <<<4 32>>> u32[128] u32[128]=hash u32=4
KERNEL radix_split(u32 *out, const u32 *in, u32 bit)
{
	u32 v = in[THREAD], one = v >> bit & 1, mask = __ballot_sync(~0u, one != 0);
	u32 below = (1u << threadIdx.x) - 1, zeros = 32 - __popc(mask);
	u32 place = one != 0 ? zeros + __popc(mask & below) : __popc(~mask & below);
	out[blockIdx.x * 32 + place] = v;
}

//= C atomic_result_used
//@ <<<4 64>>> u32[256] u32[1] u32[256]=hash
KERNEL compact_atomic(u32 *out, u32 *n, const u32 *in)
{
	if ((in[THREAD] & 3) == 0)
		out[atomicAdd(n, 1u)] = in[THREAD];
}

//= C atomic_result_used
//@ <<<4 32>>> u32[128] u32[1] u32[128]=hash ; norun
KERNEL compact_warp_aggregated(u32 *out, u32 *n, const u32 *in)
{
	bool keep = (in[THREAD] & 3) == 0;
	u32 mask = __ballot_sync(~0u, keep), base = 0;
	if (threadIdx.x == 0)
		base = atomicAdd(n, (u32)__popc(mask));
	base = __shfl_sync(~0u, base, 0);
	if (keep)
		out[base + __popc(mask & ((1u << threadIdx.x) - 1))] = in[THREAD];
}

/* Flags and their places, inside a CTA's own part. */
//= A
//@ <<<4 64>>> u32[256] u32[4] u32[256]=hash
KERNEL compact_own_part(u32 *out, u32 *n, const u32 *in)
{
	__shared__ u32 warps[2];
	u32 v = in[THREAD], lane = threadIdx.x & 31, w = threadIdx.x / 32;
	bool keep = (v & 3) == 0;
	u32 mask = __ballot_sync(~0u, keep);
	if (lane == 0)
		warps[w] = __popc(mask);
	__syncthreads();
	u32 at = (w > 0 ? warps[0] : 0) + __popc(mask & ((1u << lane) - 1));
	if (keep)
		out[blockIdx.x * 64 + at] = v;
	if (threadIdx.x == 0)
		n[blockIdx.x] = warps[0] + warps[1];
}

//= A
//@ <<<4 64 256>>> u32[4] u32[256]=hash
KERNEL sum_dynamic_shared(u32 *out, const u32 *in)
{
	DYNAMIC_SHARED(u32, s);
	s[threadIdx.x] = in[THREAD];
	__syncthreads();
	if (threadIdx.x == 0) {
		u32 t = 0;
		for (u32 k = 0; k < 64; k++)
			t = t * 3 + s[k];
		out[blockIdx.x] = t;
	}
}

//= A
//@ <<<2 64>>> u32[128] u32[128]=iota
KERNEL reverse_in_cta(u32 *out, const u32 *in)
{
	__shared__ u32 s[64];
	s[63 - threadIdx.x] = in[THREAD];
	__syncthreads();
	out[THREAD] = s[threadIdx.x];
}

//= A
//@ <<<1 32>>> u64[32] u64[32]=hash
KERNEL merge_ranks(u64 *out, const u64 *in)
{
	u32 rank = 0;
	for (u32 k = 0; k < 32; k++)
		rank += in[k] < in[threadIdx.x] || (in[k] == in[threadIdx.x] && k < threadIdx.x);
	out[rank] = in[threadIdx.x];
}

//= C float_atomic
//@ <<<4 64>>> f32[1] f32[256]=unit ; norun
KERNEL sum_float_atomic(float *out, const float *in)
{
	atomicAdd(out, in[THREAD]);
}
