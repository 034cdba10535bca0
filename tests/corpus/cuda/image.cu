/* Filters and transforms. */
#include "corpus.cuh"

//= A
//@ <<<(2 2) (16 16)>>> u8[1024] u8[1024]=hash u32=32
KERNEL sobel(u8 *out, const u8 *in, u32 w)
{
	u32 x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
	int r = 0;
	if (x > 0 && y > 0 && x + 1 < w && y + 1 < w) {
		const u8 *p = in + y * w + x;
		int gx = p[1] * 2 - p[-1] * 2 + p[1 - (int)w] - p[-1 - (int)w] + p[1 + w] - p[w - 1];
		int gy = p[w] * 2 - p[-(int)w] * 2 + p[w - 1] - p[-1 - (int)w] + p[w + 1] - p[1 - (int)w];
		r = min(abs(gx) + abs(gy), 255);
	}
	out[y * w + x] = (u8)r;
}

__device__ __forceinline__ void order(u8 &a, u8 &b)
{
	u8 lo = a < b ? a : b;
	b = a < b ? b : a;
	a = lo;
}

//= A
//@ <<<4 64>>> u8[256] u8[258]=hash
KERNEL median3(u8 *out, const u8 *in)
{
	u8 a = in[THREAD], b = in[THREAD + 1], c = in[THREAD + 2];
	order(a, b);
	order(b, c);
	order(a, b);
	out[THREAD] = b;
}

//= A
//@ <<<(1 1) (16 16)>>> u8[256] u8[324]=hash
KERNEL median3x3(u8 *out, const u8 *in)
{
	u8 v[9];
	for (int i = 0; i < 9; i++)
		v[i] = in[(threadIdx.y + i / 3) * 18 + threadIdx.x + i % 3];
#pragma unroll
	for (int i = 0; i < 5; i++)
#pragma unroll
		for (int j = i + 1; j < 9; j++)
			order(v[i], v[j]);
	out[threadIdx.y * 16 + threadIdx.x] = v[4];
}

//= A
//@ <<<(1 1) (16 16)>>> f32[256] f32[400]=unit
KERNEL bilateral(float *out, const float *in)
{
	float c = in[(threadIdx.y + 2) * 20 + threadIdx.x + 2], s = 0, ws = 0;
	for (int dy = 0; dy < 5; dy++) {
		for (int dx = 0; dx < 5; dx++) {
			float v = in[(threadIdx.y + dy) * 20 + threadIdx.x + dx], d = v - c;
			float w = 1.0f / (1.0f + 50.0f * d * d + (float)((dx - 2) * (dx - 2) + (dy - 2) * (dy - 2)));
			s += w * v;
			ws += w;
		}
	}
	out[threadIdx.y * 16 + threadIdx.x] = s / ws;
}

__constant__ float gauss[7] = {0.03125f, 0.109375f, 0.21875f, 0.28125f, 0.21875f, 0.109375f, 0.03125f};

//= A
//@ <<<4 64>>> f32[256] f32[262]=unit
KERNEL gauss_row(float *out, const float *in)
{
	__shared__ float s[70];
	s[threadIdx.x] = in[THREAD];
	if (threadIdx.x < 6)
		s[64 + threadIdx.x] = in[THREAD + 64];
	__syncthreads();
	float v = 0;
#pragma unroll
	for (int k = 0; k < 7; k++)
		v = fmaf(s[threadIdx.x + k], gauss[k], v);
	out[THREAD] = v;
}

//= A
//@ <<<(1 1 4) (8 8)>>> f32[256] f32[400]=sym f32[144]=sym
KERNEL convolution3x3(float *out, const float *in, const float *w)
{
	float s = 0;
	for (u32 c = 0; c < 4; c++)
		for (u32 k = 0; k < 9; k++)
			s = fmaf(in[c * 100 + (threadIdx.y + k / 3) * 10 + threadIdx.x + k % 3], w[(blockIdx.z * 4 + c) * 9 + k], s);
	out[blockIdx.z * 64 + threadIdx.y * 8 + threadIdx.x] = s;
}

__constant__ float dct_row[8] = {0.35355339f, 0.49039264f, 0.46193977f, 0.41573481f, 0.35355339f, 0.27778512f, 0.19134172f, 0.09754516f};
__constant__ s8 dct_sign[8][8] = {{0, 0, 0, 0, 0, 0, 0, 0}, {1, 3, 5, 7, -7, -5, -3, -1}, {2, 6, -6, -2, -2, -6, 6, 2}, {3, -7, -1, -5, 5, 1, 7, -3},
	{4, -4, -4, 4, 4, -4, -4, 4}, {5, -1, 7, 3, -3, -7, 1, -5}, {6, -2, 2, -6, -6, 2, -2, 6}, {7, -5, 3, -1, 1, -3, 5, -7}};

__device__ __forceinline__ float dct_at(int u, int x)
{
	int s = dct_sign[u][x];
	return s < 0 ? -dct_row[-s] : dct_row[s];
}

//= A
//@ <<<4 (8 8)>>> s16[256] u8[256]=hash u16[64]=mod9
KERNEL jpeg_dct(short *out, const u8 *in, const u16 *q)
{
	__shared__ float a[8][8], b[8][8];
	u32 x = threadIdx.x, y = threadIdx.y, base = blockIdx.x * 64;
	a[y][x] = (float)in[base + y * 8 + x] - 128.0f;
	__syncthreads();
	float s = 0;
	for (int k = 0; k < 8; k++)
		s = fmaf(dct_at((int)x, k), a[y][k], s);
	b[y][x] = s;
	__syncthreads();
	s = 0;
	for (int k = 0; k < 8; k++)
		s = fmaf(dct_at((int)y, k), b[k][x], s);
	out[base + y * 8 + x] = (short)__float2int_rn(s / (float)(q[y * 8 + x] + 1));
}

/* Sixteen points, twiddles from a buffer, one transform a CTA. */
//= A
//@ <<<4 8>>> f32[128]=sym f32[32]=sym
KERNEL fft16(float2 *v, const float2 *twiddle)
{
	__shared__ float2 s[16];
	u32 t = threadIdx.x;
	s[__brev(t) >> 28] = v[blockIdx.x * 16 + t];
	s[__brev(t + 8) >> 28] = v[blockIdx.x * 16 + t + 8];
	__syncthreads();
	for (u32 half = 1; half < 16; half *= 2) {
		u32 k = t & (half - 1), i = (t - k) * 2 + k;
		float2 w = twiddle[k * (8 / half)], a = s[i], b = s[i + half];
		float2 m = make_float2(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
		s[i] = make_float2(a.x + m.x, a.y + m.y);
		s[i + half] = make_float2(a.x - m.x, a.y - m.y);
		__syncthreads();
	}
	v[blockIdx.x * 16 + t] = s[t];
	v[blockIdx.x * 16 + t + 8] = s[t + 8];
}

/* Number theoretic transform modulo 2^64 - 2^32 + 1: one butterfly layer. */
__device__ __forceinline__ u64 mul_goldilocks(u64 a, u64 b)
{
	u64 lo = a * b, hi = __umul64hi(a, b), e = 0xffffffffull, h1 = hi >> 32, h0 = hi & e, t = lo - h1;
	if (lo < h1)
		t -= e;
	u64 m = h0 * e, r = t + m;
	return r < m ? r + e : r;
}

//= A
//@ <<<2 64>>> u64[256]=hash u64[128]=hash
KERNEL ntt_layer(u64 *v, const u64 *w)
{
	const u64 p = 0xffffffff00000001ull;
	u64 a = v[2 * THREAD] % p, b = mul_goldilocks(v[2 * THREAD + 1], w[THREAD]) % p;
	u64 s = a + b;
	v[2 * THREAD] = s < a || s >= p ? s - p : s;
	v[2 * THREAD + 1] = a >= b ? a - b : a + p - b;
}

//= A
//@ <<<4 64>>> u8[256] u32[256]=hash
KERNEL luma(u8 *out, const u32 *rgba)
{
	u32 p = rgba[THREAD];
	out[THREAD] = (u8)((77 * (p & 255) + 150 * (p >> 8 & 255) + 29 * (p >> 16 & 255)) >> 8);
}

//= A
//@ <<<4 64>>> u32[256] u8[256]=hash u32[64]=hash
KERNEL palette(u32 *out, const u8 *in, const u32 *colours)
{
	out[THREAD] = __byte_perm(colours[in[THREAD] & 63], 0, 0x0123);
}

//= A
//@ <<<(1 1) (16 16)>>> u8[256] u8[1024]=hash
KERNEL shrink2x2(u8 *out, const u8 *in)
{
	const u8 *p = in + threadIdx.y * 64 + threadIdx.x * 2;
	out[threadIdx.y * 16 + threadIdx.x] = (u8)((p[0] + p[1] + p[32] + p[33] + 2) >> 2);
}

//= A
//@ <<<2 64>>> f32[128] f32[65]=unit f32=0.37
KERNEL resample_linear(float *out, const float *in, float step)
{
	float at = (float)THREAD * step, low = floorf(at), f = at - low;
	int i = (int)low;
	out[THREAD] = in[i] * (1 - f) + in[i + 1] * f;
}

/* Peak of each thread's window. */
//= A
//@ <<<1 64>>> u32[64] f32[576]=sym
KERNEL peak(u32 *out, const float *in)
{
	u32 at = 0;
	for (u32 k = 1; k < 9; k++)
		if (in[threadIdx.x * 9 + k] > in[threadIdx.x * 9 + at])
			at = k;
	out[threadIdx.x] = at;
}
