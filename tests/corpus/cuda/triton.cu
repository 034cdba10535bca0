/* The twins of ../triton/kernels.py: one thread does what a program of Triton's
 * does, so launches have its 128 threads where the twin needs one. */
#include "corpus.cuh"

#define PROGRAM if (threadIdx.x == 0)

//= A
//@ <<<4 128>>> f32[1000] f32[1000]=sym f32[1000]=sym s32=1000
KERNEL t_vector_add(float *out, const float *a, const float *b, int n)
{
	for (int i = blockIdx.x * 256 + threadIdx.x, e = 0; e < 2; e++, i += 128)
		if (i < n)
			out[i] = a[i] + b[i];
}

//= A
//@ <<<3 128>>> s32[1500] s32[1500]=hash s32[1500]=hash s32=1500
KERNEL t_saxpy_grid(int *out, const int *a, const int *b, int n)
{
	for (int at = blockIdx.x * 256; at < n; at += gridDim.x * 256)
		for (int i = at + threadIdx.x, e = 0; e < 2; e++, i += 128)
			if (i < n)
				out[i] = (int)((u32)a[i] * 3 + (u32)b[i]);
}

//= A
//@ <<<6 128 16>>> s32[6] s32[3000]=hash s32=500
KERNEL t_row_sum(int *out, const int *a, int columns)
{
	PROGRAM {
		u32 sum = 0;
		for (int i = 0; i < columns; i++)
			sum += (u32)a[blockIdx.x * columns + i];
		out[blockIdx.x] = (int)sum;
	}
}

//= A
//@ <<<6 128 32>>> f32[6] s32[6] f32[3000]=sym s32=500
KERNEL t_row_max(float *out, int *at, const float *a, int columns)
{
	PROGRAM {
		float most = -2;
		int where = 0;
		for (int i = 0; i < columns; i++)
			if (a[blockIdx.x * columns + i] > most)
				most = a[blockIdx.x * columns + i], where = i;
		out[blockIdx.x] = most;
		at[blockIdx.x] = where;
	}
}

//= A
//@ <<<3 128 64>>> s32[1536] s32[1536]=hash
KERNEL t_scan(int *out, const int *a)
{
	PROGRAM {
		u32 sum = 0;
		for (int i = 0; i < 512; i++) {
			sum += (u32)a[blockIdx.x * 512 + i];
			out[blockIdx.x * 512 + i] = (int)sum;
		}
	}
}

//= A
//@ <<<3 128 1024>>> s32[768] s32[768]=hash
KERNEL t_sort(int *out, const int *a)
{
	PROGRAM {
		int *o = out + blockIdx.x * 256;
		for (int i = 0; i < 256; i++) {
			int v = a[blockIdx.x * 256 + i], k = i;
			for (; k > 0 && o[k - 1] > v; k--)
				o[k] = o[k - 1];
			o[k] = v;
		}
	}
}

//= A
//@ <<<(3 3 1) 128 4096>>> s32[9216] s32[9216]=hash s32=96
KERNEL t_transpose(int *out, const int *a, int width)
{
	for (u32 i = threadIdx.x; i < 1024; i += 128) {
		int x = blockIdx.x * 32 + i / 32, y = blockIdx.y * 32 + i % 32;
		out[x * width + y] = a[y * width + x];
	}
}

//= B saturating_mma
//@ <<<(2 2 1) 128 4096>>> s32[4096] s8[4096]=hash s8[4096]=hash s32=64 ; norun
KERNEL t_matmul_s8(int *out, const s8 *a, const s8 *b, int n)
{
	for (u32 i = threadIdx.x; i < 1024; i += 128) {
		int y = blockIdx.x * 32 + i / 32, x = blockIdx.y * 32 + i % 32;
		int c = 0;
		for (int k = 0; k < n; k++)
			c += a[y * n + k] * b[k * n + x];
		out[y * n + x] = c;
	}
}

//= A
//@ <<<(3 3 1) 128>>> s32[2304] s32[2304]=hash s32[2304]=hash s32=48
KERNEL t_matmul_s32(int *out, const int *a, const int *b, int n)
{
	for (u32 i = threadIdx.x; i < 256; i += 128) {
		int y = blockIdx.x * 16 + i / 16, x = blockIdx.y * 16 + i % 16;
		u32 c = 0;
		for (int k = 0; k < n; k++)
			c += (u32)a[y * n + k] * (u32)b[k * n + x];
		out[y * n + x] = (int)c;
	}
}

//= A
//@ <<<(3 3 1) 128 4096>>> f32[2304] f32[2304]=sym f32[2304]=sym s32=48
KERNEL t_matmul_fma(float *out, const float *a, const float *b, int n)
{
	for (u32 i = threadIdx.x; i < 256; i += 128) {
		int y = blockIdx.x * 16 + i / 16, x = blockIdx.y * 16 + i % 16;
		float c = 0;
		for (int k = 0; k < n; k++)
			c = fmaf(a[y * n + k], b[k * n + x], c);
		out[y * n + x] = c;
	}
}

//= C float_mma
//@ <<<(2 2 1) 128 4096>>> f32[4096] u16[4096] u16[4096] s32=64 ; norun
KERNEL t_matmul_f16(float *out, const u16 *a, const u16 *b, int n)
{
}

//= B approximate
//@ <<<4 128 16>>> f32[800] f32[800]=sym s32=200 ; norun
KERNEL t_softmax(float *out, const float *a, int columns)
{
}

//= A
//@ <<<4 128 16>>> f32[800] f32[800]=sym s32=200 ; norun
KERNEL t_layer_norm(float *out, const float *a, int columns)
{
}

//= R atomic_one_op
//@ <<<4 128>>> s32[64] s32[1000]=hash s32=1000
KERNEL t_histogram(int *bins, const int *a, int n)
{
	for (int i = blockIdx.x * 256 + threadIdx.x, e = 0; e < 2; e++, i += 128)
		if (i < n)
			atomicAdd(bins + (a[i] & 63), 1);
}

//= C float_atomic
//@ <<<4 128 16>>> f32[1] f32[1024]=sym ; norun
KERNEL t_sum_floats(float *out, const float *a)
{
}

//= C atomic_order
//@ <<<4 128 4>>> s32[1] s32[1] s32[4]=hash ; norun
KERNEL t_lock(int *lock, int *out, const int *a)
{
}

//= A
//@ <<<4 128>>> s32[1024] s32=100
KERNEL t_collatz(int *out, int n)
{
	for (u32 i = threadIdx.x; i < 256; i += 128) {
		u32 x = blockIdx.x * 256 + i + 1;
		int steps = 0;
		for (int k = 0; k < n && x != 1; k++, steps++)
			x = x % 2 == 0 ? x / 2 : x * 3 + 1;
		out[blockIdx.x * 256 + i] = steps;
	}
}

//= A
//@ <<<3 128>>> u16[768] u16[768] u16[768] ; norun
KERNEL t_half_mix(u16 *out, const u16 *a, const u16 *b)
{
}
