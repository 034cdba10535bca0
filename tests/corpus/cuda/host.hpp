/*
 * tests/corpus/cuda/host - CUDA on the host: each thread of a CTA is a fiber.
 *
 * An implementation of the kernels that shares nothing with Weft's: g++
 * compiles the same source without contraction.  A fiber runs until it must
 * wait for its warp or its CTA.
 */
#ifndef WEFT_TESTS_CORPUS_CUDA_HOST_HPP
#define WEFT_TESTS_CORPUS_CUDA_HOST_HPP

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __constant__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __restrict__ __restrict

struct dim3 { unsigned x, y, z; };

struct corpus_fiber {
	ucontext_t at;
	dim3 tid;
	unsigned linear;
	bool done;
	void *stack;
};

struct corpus_gate {
	unsigned arrived, generation, live;
};

struct corpus_cta {
	dim3 grid, block, ctaid;
	corpus_fiber *fibers;
	unsigned count;
	corpus_fiber *now;
	ucontext_t home;
	corpus_gate gate, warps[64];
	uint64_t slots[1024];
	int preds[1024];
	unsigned char dynamic[232448] __attribute__((aligned(16)));
};
extern corpus_cta corpus;

#define threadIdx corpus.now->tid
#define blockIdx corpus.ctaid
#define blockDim corpus.block
#define gridDim corpus.grid
#define warpSize 32
#define DYNAMIC_SHARED(type, name) type *name = (type *)(void *)corpus.dynamic

inline void corpus_yield() { swapcontext(&corpus.now->at, &corpus.home); }
inline void corpus_wait(corpus_gate *g, unsigned need)
{
	unsigned generation = g->generation;
	if (++g->arrived == need) {
		g->arrived = 0;
		g->generation++;
		return;
	}
	while (g->generation == generation)
		corpus_yield();
}
/* Two halves of a warp may wait apart. */
inline corpus_gate *corpus_warp(u32 m) { return &corpus.warps[corpus.now->linear / 32 * 2 + (m & 1)]; }
inline void __syncthreads() { corpus_wait(&corpus.gate, corpus.gate.live); }
/* Lanes of m that have not left. */
inline unsigned corpus_lanes(u32 m)
{
	unsigned first = corpus.now->linear / 32 * 32, n = 0;
	for (unsigned i = 0; i < 32 && first + i < corpus.count; i++)
		n += (m >> i & 1) && !corpus.fibers[first + i].done;
	return n;
}
inline void __syncwarp(u32 m = ~0u) { corpus_wait(corpus_warp(m), corpus_lanes(m)); }
inline void __threadfence() {}
inline void __threadfence_block() {}

template <class T> T corpus_exchange(u32 m, T v, unsigned from)
{
	unsigned me = corpus.now->linear, first = me / 32 * 32;
	T r;
	memcpy(&corpus.slots[me], &v, sizeof(v));
	__syncwarp(m);
	memcpy(&r, &corpus.slots[first + from], sizeof(r));
	__syncwarp(m);
	return r;
}
#define LANE (corpus.now->linear % 32)
template <class T> T __shfl_sync(u32 m, T v, int l, int w = 32)
{
	return corpus_exchange(m, v, (LANE & ~(unsigned)(w - 1)) | ((unsigned)l & (unsigned)(w - 1)));
}
template <class T> T __shfl_up_sync(u32 m, T v, u32 d, int w = 32)
{
	return corpus_exchange(m, v, LANE % w < d ? LANE : LANE - d);
}
template <class T> T __shfl_down_sync(u32 m, T v, u32 d, int w = 32)
{
	return corpus_exchange(m, v, LANE % w + d >= (u32)w ? LANE : LANE + d);
}
template <class T> T __shfl_xor_sync(u32 m, T v, int d, int w = 32)
{
	unsigned to = LANE ^ (unsigned)d;
	return corpus_exchange(m, v, (to & ~(unsigned)(w - 1)) > (LANE | (unsigned)(w - 1)) ? LANE : to);
}
inline u32 __ballot_sync(u32 m, int p)
{
	unsigned me = corpus.now->linear, first = me / 32 * 32;
	u32 r = 0;
	corpus.preds[me] = p != 0;
	__syncwarp(m);
	for (unsigned i = 0; i < 32 && first + i < corpus.count; i++)
		r |= (m >> i & 1) && corpus.preds[first + i] && !corpus.fibers[first + i].done ? 1u << i : 0;
	__syncwarp(m);
	return r;
}
inline int __any_sync(u32 m, int p) { return __ballot_sync(m, p) != 0; }
inline int __all_sync(u32 m, int p) { return __ballot_sync(m, !p) == 0; }
inline u32 __match_any_sync(u32 m, u32 v)
{
	u32 r = 0;
	for (int i = 0; i < 32; i++) {
		u32 o = __shfl_sync(m, v, i);
		if ((m >> i & 1) && o == v && corpus.now->linear / 32 * 32 + i < corpus.count)
			r |= 1u << i;
	}
	return r;
}
inline int __syncthreads_count(int p)
{
	int n = 0;
	corpus.preds[corpus.now->linear] = p != 0;
	__syncthreads();
	for (unsigned i = 0; i < corpus.count; i++)
		n += corpus.preds[i];
	__syncthreads();
	return n;
}
inline int __syncthreads_or(int p) { return __syncthreads_count(p) != 0; }
inline int __syncthreads_and(int p) { return __syncthreads_count(!p) == 0; }
inline u32 __activemask() { return ~0u; }

template <class T, class U> T atomicAdd(T *p, U u) { T v = (T)u; T o = *p; *p = o + v; return o; }
template <class T, class U> T atomicSub(T *p, U u) { T v = (T)u; T o = *p; *p = o - v; return o; }
template <class T, class U> T atomicMax(T *p, U u) { T v = (T)u; T o = *p; *p = o > v ? o : v; return o; }
template <class T, class U> T atomicMin(T *p, U u) { T v = (T)u; T o = *p; *p = o < v ? o : v; return o; }
template <class T, class U> T atomicOr(T *p, U u) { T v = (T)u; T o = *p; *p = o | v; return o; }
template <class T, class U> T atomicAnd(T *p, U u) { T v = (T)u; T o = *p; *p = o & v; return o; }
template <class T, class U> T atomicXor(T *p, U u) { T v = (T)u; T o = *p; *p = o ^ v; return o; }
template <class T, class U> T atomicExch(T *p, U u) { T v = (T)u; T o = *p; *p = v; return o; }
template <class T, class U, class V> T atomicCAS(T *p, U c, V v) { T o = *p; if (o == (T)c) *p = (T)v; return o; }

inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a > b ? a : b; }
inline u32 min(u32 a, u32 b) { return a < b ? a : b; }
inline u32 max(u32 a, u32 b) { return a > b ? a : b; }
inline u32 __popc(u32 a) { return (u32)__builtin_popcount(a); }
inline int __popcll(u64 a) { return __builtin_popcountll(a); }
inline int __clz(int a) { return a == 0 ? 32 : __builtin_clz((u32)a); }
inline int __clzll(s64 a) { return a == 0 ? 64 : __builtin_clzll((u64)a); }
inline int __ffs(int a) { return __builtin_ffs(a); }
inline u32 __brev(u32 a) { u32 r = 0; for (int i = 0; i < 32; i++) r |= (a >> i & 1) << (31 - i); return r; }
inline u32 __umulhi(u32 a, u32 b) { return (u32)(((u64)a * b) >> 32); }
inline u64 __umul64hi(u64 a, u64 b) { return (u64)(((unsigned __int128)a * b) >> 64); }
inline u32 __funnelshift_l(u32 lo, u32 hi, u32 s) { s &= 31; return s == 0 ? hi : (hi << s) | (lo >> (32 - s)); }
inline u32 __funnelshift_r(u32 lo, u32 hi, u32 s) { s &= 31; return s == 0 ? lo : (hi << (32 - s)) | (lo >> s); }
inline u32 __byte_perm(u32 a, u32 b, u32 s)
{
	u64 v = (u64)b << 32 | a;
	u32 r = 0;
	for (int i = 0; i < 4; i++)
		r |= (u32)(v >> (8 * (s >> (4 * i) & 7)) & 255) << (8 * i);
	return r;
}
inline int __float_as_int(float a) { int r; memcpy(&r, &a, 4); return r; }
inline float __int_as_float(int a) { float r; memcpy(&r, &a, 4); return r; }
inline u32 __float_as_uint(float a) { u32 r; memcpy(&r, &a, 4); return r; }
inline float __uint_as_float(u32 a) { float r; memcpy(&r, &a, 4); return r; }
inline int __float2int_rn(float a) { return (int)nearbyintf(a); }
inline int __float2int_rz(float a) { return (int)a; }
inline int __dp4a(int a, int b, int c)
{
	for (int i = 0; i < 4; i++)
		c += (s8)(a >> (8 * i)) * (s8)(b >> (8 * i));
	return c;
}

struct alignas(8) int2 { int x, y; };
struct alignas(8) uint2 { u32 x, y; };
struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(16) uint4 { u32 x, y, z, w; };
struct alignas(16) int4 { int x, y, z, w; };
struct alignas(16) double2 { double x, y; };
struct float3 { float x, y, z; };
struct alignas(4) uchar4 { u8 x, y, z, w; };
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float3 make_float3(float x, float y, float z) { return {x, y, z}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline uint4 make_uint4(u32 x, u32 y, u32 z, u32 w) { return {x, y, z, w}; }
inline uint2 make_uint2(u32 x, u32 y) { return {x, y}; }
inline int2 make_int2(int x, int y) { return {x, y}; }

#endif /* WEFT_TESTS_CORPUS_CUDA_HOST_HPP */
