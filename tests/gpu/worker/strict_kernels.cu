/* Kernels of tests/gpu/worker/strict.c over the helpers of gpu/strict. */
#include "weft_gemm.cuh"
#include "weft_philox.cuh"
#include "weft_reduce.cuh"

extern "C" __global__ void sum_first(const float *in, float *partial, int n)
{
	unsigned i = weft_cta() * weft_threads() + weft_thread();

	weft_reduce_grid_first(i < n ? in[i] : 0.0f, weft_sum(), partial);
}

extern "C" __global__ void sum_second(const float *partial, float *out,
				      unsigned long long count)
{
	float v = weft_reduce_grid_second(partial, count, weft_sum());

	if (weft_thread() == 0)
		*out = v;
}

/* Every thread's view of three folds, one after the other. */
extern "C" __global__ void folds(const int *in, int *out)
{
	unsigned t = weft_thread(), n = weft_threads();

	out[t] = weft_reduce_block(in[t], weft_sum());
	out[n + t] = weft_reduce_block(in[t], weft_smallest());
	out[2 * n + t] = weft_reduce_block(in[t], weft_largest());
}

extern "C" __global__ void philox(const unsigned *in, unsigned *out)
{
	weft_philox c = {in[0], in[1], in[2], in[3]};

	c = weft_philox_rounds(c, in[4], in[5]);
	out[0] = c.x;
	out[1] = c.y;
	out[2] = c.z;
	out[3] = c.w;
}

extern "C" __global__ void normals(float *out, unsigned long long seed)
{
	weft_philox r = weft_philox_at(seed, weft_cta(), weft_thread());
	unsigned i = 2 * (weft_cta() * weft_threads() + weft_thread());

	weft_normal(r.x, r.y, &out[i], &out[i + 1]);
}

extern "C" __global__ void gemm(const float *a, const float *b, float *c,
				int m, int n, int k)
{
	weft_gemm_tile<float, 8>(a, b, c, m, n, k);
}

extern "C" __global__ void witness(unsigned long long *slots,
				   const unsigned *values)
{
	unsigned i = weft_cta() * weft_threads() + weft_thread();

	WEFT_WITNESS(slots, values[i]);
}
