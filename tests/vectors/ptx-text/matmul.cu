#define T 16
template <typename F> __device__ void tile_gemm(const F *a, const F *b, F *c, int n)
{
	__shared__ F as[T][T], bs[T][T + 1];
	int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
	F sum = 0;
	for (int t = 0; t < n / T; t++) {
		as[threadIdx.y][threadIdx.x] = a[row * n + t * T + threadIdx.x];
		bs[threadIdx.y][threadIdx.x] = b[(t * T + threadIdx.y) * n + col];
		__syncthreads();
		for (int k = 0; k < T; k++)
			sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
		__syncthreads();
	}
	c[row * n + col] = sum;
}
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n) { tile_gemm(a, b, c, n); }
extern "C" __global__ void matmul_f64(const double *a, const double *b, double *c, int n) { tile_gemm(a, b, c, n); }
