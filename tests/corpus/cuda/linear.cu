/* Dense and sparse linear algebra. */
#include "corpus.cuh"

//= A
//@ <<<(2 2) (16 16)>>> f32[1024] f32[1024]=sym f32[1024]=sym u32=32
KERNEL gemm_naive(float *c, const float *a, const float *b, u32 n)
{
	u32 x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	float s = 0;
	for (u32 k = 0; k < n; k++)
		s = fmaf(a[y * n + k], b[k * n + x], s);
	c[y * n + x] = s;
}

template <int TILE> __device__ __forceinline__ float tiled(const float *a, const float *b, u32 n)
{
	__shared__ float as[TILE][TILE], bs[TILE][TILE + 1];
	u32 x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
	float s = 0;
	for (u32 t = 0; t < n; t += TILE) {
		as[threadIdx.y][threadIdx.x] = a[y * n + t + threadIdx.x];
		bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + x];
		__syncthreads();
#pragma unroll
		for (int k = 0; k < TILE; k++)
			s = fmaf(as[threadIdx.y][k], bs[k][threadIdx.x], s);
		__syncthreads();
	}
	return s;
}

//= A
//@ <<<(2 2) (16 16)>>> f32[1024] f32[1024]=sym f32[1024]=sym u32=32
KERNEL gemm_tiled16(float *__restrict__ c, const float *__restrict__ a, const float *__restrict__ b, u32 n)
{
	float s = tiled<16>(a, b, n);
	c[(blockIdx.y * 16 + threadIdx.y) * n + blockIdx.x * 16 + threadIdx.x] = s;
}

//= A
//@ <<<(4 4) (8 8)>>> f32[1024] f32[1024]=sym f32[1024]=sym u32=32 f32=0.5 f32=2
KERNEL gemm_tiled8_scaled(float *c, const float *a, const float *b, u32 n, float alpha, float beta)
{
	u32 i = (blockIdx.y * 8 + threadIdx.y) * n + blockIdx.x * 8 + threadIdx.x;
	c[i] = alpha * tiled<8>(a, b, n) + beta * c[i];
}

/* Four by four results a thread. */
//= A
//@ <<<(1 1) (8 8)>>> f32[1024] f32[1024]=sym f32[1024]=sym u32=32
KERNEL gemm_registers(float *c, const float *a, const float *b, u32 n)
{
	float s[4][4] = {};
	u32 y = threadIdx.y * 4, x = threadIdx.x * 4;
	for (u32 k = 0; k < n; k++) {
		float4 row = *(const float4 *)(b + k * n + x);
		for (int i = 0; i < 4; i++) {
			float v = a[(y + i) * n + k];
			s[i][0] = fmaf(v, row.x, s[i][0]);
			s[i][1] = fmaf(v, row.y, s[i][1]);
			s[i][2] = fmaf(v, row.z, s[i][2]);
			s[i][3] = fmaf(v, row.w, s[i][3]);
		}
	}
	for (int i = 0; i < 4; i++)
		*(float4 *)(c + (y + i) * n + x) = make_float4(s[i][0], s[i][1], s[i][2], s[i][3]);
}

#if !defined(__clang__) && !defined(CORPUS_PLAIN)
//= A
//@ <<<2 32>>> s32[64] u32[512]=hash u32[8]=hash ; nvidia
KERNEL matvec_int8(int *out, const int *w, const int *x)
{
	int s = 0;
	for (int k = 0; k < 8; k++)
		s = __dp4a(w[THREAD * 8 + k], x[k], s);
	out[THREAD] = s;
}
#endif

/* Rows of four-bit weights with a scale a group. */
//= A
//@ <<<1 32>>> f32[32] u32[256]=hash f32[32]=unit f32[64]=sym
KERNEL matvec_int4(float *out, const u32 *w, const float *scale, const float *x)
{
	float s = 0;
	for (u32 k = 0; k < 8; k++) {
		u32 q = w[threadIdx.x * 8 + k];
		for (u32 j = 0; j < 8; j++)
			s = fmaf((float)(int)((q >> (4 * j) & 15) - 8), x[k * 8 + j], s);
	}
	out[threadIdx.x] = s * scale[threadIdx.x];
}

//= A
//@ <<<(2 2) (16 16)>>> f32[1024] f32[1024]=sym
KERNEL transpose(float *out, const float *in)
{
	__shared__ float t[16][17];
	t[threadIdx.y][threadIdx.x] = in[(blockIdx.y * 16 + threadIdx.y) * 32 + blockIdx.x * 16 + threadIdx.x];
	__syncthreads();
	out[(blockIdx.x * 16 + threadIdx.y) * 32 + blockIdx.y * 16 + threadIdx.x] = t[threadIdx.x][threadIdx.y];
}

//= A
//@ <<<1 64>>> f32[64] u32[256]=mod64 f32[256]=sym f32[64]=sym
KERNEL spmv_ell(float *y, const u32 *columns, const float *values, const float *x)
{
	float s = 0;
	for (int k = 0; k < 4; k++)
		s = fmaf(values[threadIdx.x * 4 + k], x[columns[threadIdx.x * 4 + k]], s);
	y[threadIdx.x] = s;
}

//= A
//@ <<<1 32>>> f64[32] u32[33]=iota u32[64]=mod32 f64[64]=sym f64[32]=sym
KERNEL spmv_csr(double *y, const u32 *rows, const u32 *columns, const double *values, const double *x)
{
	double s = 0;
	for (u32 k = rows[threadIdx.x]; k < rows[threadIdx.x + 1]; k++)
		s += values[k] * x[columns[k]];
	y[threadIdx.x] = s;
}

/* One matrix of 8 by 8 a CTA. */
//= A
//@ <<<4 64>>> f32[256]=unit
KERNEL lu_batch(float *m)
{
	__shared__ float a[8][8];
	u32 r = threadIdx.x / 8, c = threadIdx.x % 8;
	a[r][c] = m[blockIdx.x * 64 + threadIdx.x] + (r == c ? 8.0f : 0.0f);
	__syncthreads();
	for (u32 k = 0; k < 7; k++) {
		if (c == k && r > k)
			a[r][k] /= a[k][k];
		__syncthreads();
		if (r > k && c > k)
			a[r][c] -= a[r][k] * a[k][c];
		__syncthreads();
	}
	m[blockIdx.x * 64 + threadIdx.x] = a[r][c];
}

//= A
//@ <<<4 32>>> f64[8192]=unit
KERNEL cholesky_threads(double *m)
{
	double *a = m + (u64)THREAD * 64;
	for (int j = 0; j < 8; j++) {
		double d = a[j * 8 + j] + 8;
		for (int k = 0; k < j; k++)
			d -= a[j * 8 + k] * a[j * 8 + k];
		d = sqrt(d);
		a[j * 8 + j] = d;
		for (int i = j + 1; i < 8; i++) {
			double s = a[i * 8 + j];
			for (int k = 0; k < j; k++)
				s -= a[i * 8 + k] * a[j * 8 + k];
			a[i * 8 + j] = s / d;
		}
	}
}

//= A
//@ <<<2 64>>> f32[128]=sym f32[128]=sym f32=3
KERNEL saxpy(float *y, const float *x, float a)
{
	y[THREAD] = a * x[THREAD] + y[THREAD];
}

//= A
//@ <<<2 64>>> f64[128] f64[512]=sym
KERNEL solve2x2(double *x, const double *m)
{
	const double *a = m + THREAD * 4;
	double det = a[0] * a[3] - a[1] * a[2];
	x[THREAD] = fabs(det) < 1e-9 ? 0 : (a[3] - a[1]) / det;
}

//= A
//@ <<<1 32>>> f32[64] f32[64]=sym
KERNEL complex_power(float2 *out, const float2 *in)
{
	float2 z = in[threadIdx.x], r = make_float2(1, 0);
	for (int n = 13; n != 0; n >>= 1) {
		if ((n & 1) != 0)
			r = make_float2(r.x * z.x - r.y * z.y, r.x * z.y + r.y * z.x);
		z = make_float2(z.x * z.x - z.y * z.y, 2 * z.x * z.y);
	}
	out[threadIdx.x] = r;
}
