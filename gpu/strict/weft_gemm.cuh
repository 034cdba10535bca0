/*
 * C = A B by tiles through shared memory, every sum in the order of k: the
 * same bits as the plain loop with fma, on every card and for every tile.
 *
 *	extern "C" __global__ void gemm(const float *a, const float *b,
 *					float *c, int m, int n, int k)
 *	{
 *		weft_gemm_tile<float, 16>(a, b, c, m, n, k);
 *	}
 *
 * Row-major: A is m x k, B is k x n, C is m x n.  Launch with blockDim
 * (TILE, TILE) and a grid of ceil(n / TILE) x ceil(m / TILE).  A sum starts
 * from +0, so that a product of -0 gives +0.
 *
 * Included by name: #include "weft_gemm.cuh"
 */
#ifndef WEFT_GEMM_CUH
#define WEFT_GEMM_CUH

static __device__ __forceinline__ float weft_fma(float a, float b, float c)
{
	return __fmaf_rn(a, b, c);
}

static __device__ __forceinline__ double weft_fma(double a, double b, double c)
{
	return __fma_rn(a, b, c);
}

static __device__ __forceinline__ int weft_fma(int a, int b, int c)
{
	return a * b + c;
}

template <typename T, int TILE>
static __device__ __forceinline__ void weft_gemm_tile(const T *a, const T *b,
						      T *c, int m, int n,
						      int k)
{
	__shared__ T left[TILE][TILE + 1], right[TILE][TILE + 1];
	int	     tx = threadIdx.x, ty = threadIdx.y;
	int	     row = blockIdx.y * TILE + ty;
	int	     col = blockIdx.x * TILE + tx;
	T	     sum = T(0);

	for (int base = 0; base < k; base += TILE) {
		int here = k - base < TILE ? k - base : TILE;

		if (row < m && tx < here)
			left[ty][tx] = a[(long long)row * k + base + tx];
		if (col < n && ty < here)
			right[ty][tx] = b[(long long)(base + ty) * n + col];
		__syncthreads();
		if (row < m && col < n)
			for (int i = 0; i < here; i++)
				sum = weft_fma(left[ty][i], right[i][tx], sum);
		__syncthreads();
	}
	if (row < m && col < n)
		c[(long long)row * n + col] = sum;
}

#endif /* WEFT_GEMM_CUH */
