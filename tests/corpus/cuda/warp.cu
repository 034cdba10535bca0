/* Warps: votes, shuffles, matches, cooperative groups. */
#include "corpus.cuh"
#if defined(CORPUS_NVIDIA) && !defined(CORPUS_PLAIN)
#include <cooperative_groups.h>
#endif

//= A
//@ <<<2 64>>> u32[128] u32[128]=mod4
KERNEL ballots(u32 *out, const u32 *in)
{
	u32 m = __ballot_sync(~0u, in[THREAD] == 1);
	out[THREAD] = m ^ (u32)__any_sync(~0u, in[THREAD] == 3) ^ (u32)__all_sync(~0u, in[THREAD] < 4) << 1;
}

//= A
//@ <<<2 64>>> u32[128] u32[128]=hash
KERNEL shuffle_widths(u32 *out, const u32 *in)
{
	u32 v = in[THREAD];
	v += __shfl_sync(~0u, v, 3, 8);
	v ^= __shfl_up_sync(~0u, v, 1, 16);
	v += __shfl_down_sync(~0u, v, 2, 4);
	v ^= __shfl_xor_sync(~0u, v, 5);
	out[THREAD] = v;
}

//= A
//@ <<<2 64>>> u32[128] u32[128]=mod5
KERNEL match_groups(u32 *out, const u32 *in)
{
	u32 m = __match_any_sync(~0u, in[THREAD]);
	out[THREAD] = m;
}

//= A
//@ <<<2 64>>> u32[128] u32[128]=mod64
KERNEL half_warps(u32 *out, const u32 *in)
{
	u32 v = in[THREAD];
	if ((threadIdx.x & 31) < 16)
		v += __shfl_xor_sync(0xffffu, v, 1);
	else
		v ^= __shfl_xor_sync(0xffff0000u, v, 2);
	out[THREAD] = v;
}

//= A
//@ <<<2 64>>> u32[128] u32[128]=hash
KERNEL warp_shared(u32 *out, const u32 *in)
{
	__shared__ u32 s[64];
	s[threadIdx.x] = in[THREAD];
	__syncwarp();
	u32 v = s[threadIdx.x ^ 7];
	__syncwarp();
	s[threadIdx.x] = v * 3;
	__syncwarp();
	out[THREAD] = s[threadIdx.x ^ 1];
}

#if !defined(__clang__)
//= A
//@ <<<1 64>>> u32[64] u32[64]=hash ; nvidia
KERNEL counted_barrier(u32 *out, const u32 *in)
{
	out[threadIdx.x] = (u32)__syncthreads_count(in[threadIdx.x] & 1) + (u32)__syncthreads_or(in[threadIdx.x] == 7) * 1000;
}
#endif

//= A
//@ <<<1 32>>> u32[32] u32[32]=hash ; sm80 norun
KERNEL reduce_sync(u32 *out, const u32 *in)
{
#if __CUDA_ARCH__ >= 800
	out[threadIdx.x] = __reduce_add_sync(~0u, in[threadIdx.x]) ^ __reduce_max_sync(~0u, in[threadIdx.x]);
#else
	out[threadIdx.x] = in[threadIdx.x];
#endif
}

//= C activemask
//@ <<<1 32>>> u32[32] u32[32]=hash ; norun
KERNEL active_mask(u32 *out, const u32 *in)
{
	if ((in[threadIdx.x] & 1) != 0)
		out[threadIdx.x] = __activemask();
}

#if defined(CORPUS_NVIDIA) && !defined(CORPUS_PLAIN)
namespace cg = cooperative_groups;

//= A
//@ <<<2 64>>> u32[2] u32[128]=hash ; nvidia norun
KERNEL group_tile_sum(u32 *out, const u32 *in)
{
	cg::thread_block cta = cg::this_thread_block();
	cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cta);
	__shared__ u32 s[2];
	u32 v = in[THREAD];
	for (int d = 16; d > 0; d /= 2)
		v += tile.shfl_down(v, d);
	if (tile.thread_rank() == 0)
		s[threadIdx.x / 32] = v;
	cta.sync();
	if (cta.thread_rank() == 0)
		out[blockIdx.x] = s[0] + s[1];
}

//= D env_register
//@ <<<2 64>>> u32[2] u32[128]=hash ; nvidia norun
KERNEL group_grid_sync(u32 *out, const u32 *in)
{
	cg::grid_group g = cg::this_grid();
	if (threadIdx.x == 0)
		out[blockIdx.x] = in[blockIdx.x];
	g.sync();
	if (threadIdx.x == 0 && blockIdx.x == 0)
		out[0] += out[1];
}

//= C activemask
//@ <<<2 64>>> u32[128] u32[128]=hash ; nvidia norun
KERNEL group_coalesced(u32 *out, const u32 *in)
{
	if ((in[THREAD] & 1) != 0) {
		cg::coalesced_group g = cg::coalesced_threads();
		out[THREAD] = g.size();
	}
}
#endif

/* Carries between lanes: a sum of 1,024 bits. */
//= A
//@ <<<2 32>>> u32[64] u32[64]=hash u32[64]=hash
KERNEL big_add(u32 *out, const u32 *a, const u32 *b)
{
	u64 s = (u64)a[THREAD] + b[THREAD];
	u32 v = (u32)s, lane = threadIdx.x & 31;
	u32 generate = __ballot_sync(~0u, (s >> 32) != 0), propagate = __ballot_sync(~0u, v == ~0u);
	u64 carries = (((u64)generate << 1) + propagate) ^ propagate;
	out[THREAD] = v + (u32)(carries >> lane & 1);
}

//= A
//@ <<<2 32>>> u32[64] f32[64]=sym
KERNEL float_bits_max(u32 *out, const float *in)
{
	float v = in[THREAD];
	for (int d = 16; d > 0; d /= 2)
		v = fmaxf(v, __shfl_xor_sync(~0u, v, d));
	out[THREAD] = __float_as_uint(v);
}
