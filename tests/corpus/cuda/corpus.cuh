/*
 * tests/corpus/cuda/corpus.cuh - one source for NVRTC, nvcc, clang and the host.
 *
 * Above each kernel stands what the classifier must say, and how to run it
 * (tests/corpus/spec.h).  clang compiles without NVIDIA's headers, so what
 * the kernels use of them is declared here; the host's half, where threads
 * are fibers, is host.hpp.
 */
#ifndef WEFT_TESTS_CORPUS_CUDA_CORPUS_CUH
#define WEFT_TESTS_CORPUS_CUDA_CORPUS_CUH

typedef unsigned char u8;
typedef signed char s8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;

#if defined(CORPUS_HOST)
#include "host.hpp"
#elif defined(__clang__)

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

struct corpus_dim { int pad; };
#define CORPUS_DIM(name, sreg) \
	struct name { \
		__declspec(property(get = get_x)) u32 x; \
		__declspec(property(get = get_y)) u32 y; \
		__declspec(property(get = get_z)) u32 z; \
		static __device__ __forceinline__ u32 get_x() { return __nvvm_read_ptx_sreg_##sreg##_x(); } \
		static __device__ __forceinline__ u32 get_y() { return __nvvm_read_ptx_sreg_##sreg##_y(); } \
		static __device__ __forceinline__ u32 get_z() { return __nvvm_read_ptx_sreg_##sreg##_z(); } \
	}
CORPUS_DIM(corpus_tid, tid);
CORPUS_DIM(corpus_ntid, ntid);
CORPUS_DIM(corpus_ctaid, ctaid);
CORPUS_DIM(corpus_nctaid, nctaid);
extern const __device__ __attribute__((weak)) corpus_tid threadIdx;
extern const __device__ __attribute__((weak)) corpus_ntid blockDim;
extern const __device__ __attribute__((weak)) corpus_ctaid blockIdx;
extern const __device__ __attribute__((weak)) corpus_nctaid gridDim;
#define warpSize 32

#define D static __device__ __forceinline__
D void __syncwarp(u32 m = ~0u) { __nvvm_bar_warp_sync(m); }
D u32 __shfl_sync(u32 m, u32 v, int l, int w = 32) { return __nvvm_shfl_sync_idx_i32(m, v, l, ((32 - w) << 8) | 31); }
D u32 __shfl_up_sync(u32 m, u32 v, u32 d, int w = 32) { return __nvvm_shfl_sync_up_i32(m, v, d, (32 - w) << 8); }
D u32 __shfl_down_sync(u32 m, u32 v, u32 d, int w = 32) { return __nvvm_shfl_sync_down_i32(m, v, d, ((32 - w) << 8) | 31); }
D u32 __shfl_xor_sync(u32 m, u32 v, int d, int w = 32) { return __nvvm_shfl_sync_bfly_i32(m, v, d, ((32 - w) << 8) | 31); }
D float __shfl_down_sync(u32 m, float v, u32 d, int w = 32) { return __nvvm_shfl_sync_down_f32(m, v, d, ((32 - w) << 8) | 31); }
D float __shfl_xor_sync(u32 m, float v, int d, int w = 32) { return __nvvm_shfl_sync_bfly_f32(m, v, d, ((32 - w) << 8) | 31); }
D float __shfl_sync(u32 m, float v, int l, int w = 32) { return __nvvm_shfl_sync_idx_f32(m, v, l, ((32 - w) << 8) | 31); }
D u32 __ballot_sync(u32 m, int p) { return __nvvm_vote_ballot_sync(m, p); }
D int __any_sync(u32 m, int p) { return __nvvm_vote_any_sync(m, p); }
D int __all_sync(u32 m, int p) { return __nvvm_vote_all_sync(m, p); }
D u32 __match_any_sync(u32 m, u32 v) { return __nvvm_match_any_sync_i32(m, v); }
D u32 __activemask() { u32 r; asm volatile("activemask.b32 %0;" : "=r"(r)); return r; }
D int atomicAdd(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
D u32 atomicAdd(u32 *p, u32 v) { return (u32)__nvvm_atom_add_gen_i((int *)p, (int)v); }
D u64 atomicAdd(u64 *p, u64 v) { return (u64)__nvvm_atom_add_gen_ll((s64 *)p, (s64)v); }
D float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
D int atomicMax(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }
D u32 atomicMax(u32 *p, u32 v) { return __nvvm_atom_max_gen_ui(p, v); }
D int atomicMin(int *p, int v) { return __nvvm_atom_min_gen_i(p, v); }
D u32 atomicMin(u32 *p, u32 v) { return __nvvm_atom_min_gen_ui(p, v); }
D u64 atomicMin(u64 *p, u64 v) { return __nvvm_atom_min_gen_ull(p, v); }
D u32 atomicOr(u32 *p, u32 v) { return (u32)__nvvm_atom_or_gen_i((int *)p, (int)v); }
D u32 atomicAnd(u32 *p, u32 v) { return (u32)__nvvm_atom_and_gen_i((int *)p, (int)v); }
D u32 atomicXor(u32 *p, u32 v) { return (u32)__nvvm_atom_xor_gen_i((int *)p, (int)v); }
D u32 atomicExch(u32 *p, u32 v) { return (u32)__nvvm_atom_xchg_gen_i((int *)p, (int)v); }
D u32 atomicCAS(u32 *p, u32 c, u32 v) { return (u32)__nvvm_atom_cas_gen_i((int *)p, (int)c, (int)v); }
D void __threadfence() { __nvvm_membar_gl(); }
D void __threadfence_block() { __nvvm_membar_cta(); }
D float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
D double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
D float sqrtf(float a) { return __nvvm_sqrt_rn_f(a); }
D double sqrt(double a) { return __nvvm_sqrt_rn_d(a); }
D float fabsf(float a) { return __builtin_fabsf(a); }
D double fabs(double a) { return __builtin_fabs(a); }
D float fminf(float a, float b) { return __nvvm_fmin_f(a, b); }
D float fmaxf(float a, float b) { return __nvvm_fmax_f(a, b); }
D float floorf(float a) { return __nvvm_floor_f(a); }
D float truncf(float a) { return __nvvm_trunc_f(a); }
D int __float2int_rn(float a) { return __nvvm_f2i_rn(a); }
D int __float2int_rz(float a) { return __nvvm_f2i_rz(a); }
D float __int_as_float(int a) { return __builtin_bit_cast(float, a); }
D int __float_as_int(float a) { return __builtin_bit_cast(int, a); }
D u32 __float_as_uint(float a) { return __builtin_bit_cast(u32, a); }
D float __uint_as_float(u32 a) { return __builtin_bit_cast(float, a); }
D int min(int a, int b) { return a < b ? a : b; }
D int max(int a, int b) { return a > b ? a : b; }
D u32 min(u32 a, u32 b) { return a < b ? a : b; }
D u32 max(u32 a, u32 b) { return a > b ? a : b; }
D int abs(int a) { return a < 0 ? -a : a; }
D u32 __popc(u32 a) { return (u32)__builtin_popcount(a); }
D int __popcll(u64 a) { return __builtin_popcountll(a); }
D int __clz(int a) { return a == 0 ? 32 : __builtin_clz((u32)a); }
D int __clzll(s64 a) { return a == 0 ? 64 : __builtin_clzll((u64)a); }
D int __ffs(int a) { return __builtin_ffs(a); }
D u32 __brev(u32 a) { return __builtin_bitreverse32(a); }
D u32 __umulhi(u32 a, u32 b) { return (u32)(((u64)a * b) >> 32); }
D u64 __umul64hi(u64 a, u64 b) { return __nvvm_mulhi_ull(a, b); }
D u32 __byte_perm(u32 a, u32 b, u32 s) { return (u32)__nvvm_prmt(a, b, s); }
D u32 __funnelshift_l(u32 lo, u32 hi, u32 s) { s &= 31; return s == 0 ? hi : (hi << s) | (lo >> (32 - s)); }
D u32 __funnelshift_r(u32 lo, u32 hi, u32 s) { s &= 31; return s == 0 ? lo : (hi << (32 - s)) | (lo >> s); }
#undef D
struct alignas(8) int2 { int x, y; };
struct alignas(8) uint2 { u32 x, y; };
struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(16) uint4 { u32 x, y, z, w; };
struct alignas(16) int4 { int x, y, z, w; };
struct alignas(16) double2 { double x, y; };
struct float3 { float x, y, z; };
struct alignas(4) uchar4 { u8 x, y, z, w; };
static __device__ __forceinline__ float2 make_float2(float x, float y) { return {x, y}; }
static __device__ __forceinline__ float3 make_float3(float x, float y, float z) { return {x, y, z}; }
static __device__ __forceinline__ float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
static __device__ __forceinline__ uint4 make_uint4(u32 x, u32 y, u32 z, u32 w) { return {x, y, z, w}; }
static __device__ __forceinline__ uint2 make_uint2(u32 x, u32 y) { return {x, y}; }
static __device__ __forceinline__ int2 make_int2(int x, int y) { return {x, y}; }
#define DYNAMIC_SHARED(type, name) extern __shared__ type name[]

#else /* NVIDIA's own */
#define CORPUS_NVIDIA 1
#define DYNAMIC_SHARED(type, name) extern __shared__ type name[]
#endif

#define KERNEL extern "C" __global__ void
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

#endif /* WEFT_TESTS_CORPUS_CUDA_CORPUS_CUH */
