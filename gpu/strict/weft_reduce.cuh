/*
 * Sums, extremes and other folds whose order is fixed, so that float results
 * are equal everywhere and a kernel stays of class A: no atomics.
 *
 * Over a CTA:	   v = weft_reduce_block(v, weft_sum());
 * Over a grid, in two passes: the first kernel ends with
 *		   weft_reduce_grid_first(v, weft_sum(), partial);
 * where partial has a slot for each CTA, the second, of one CTA, is
 *		   v = weft_reduce_grid_second(partial, count, weft_sum());
 *
 * The order: within a CTA, slot t takes slot t + w for w the largest power of
 * two below the number of threads, then half of it, down to 1; over a grid,
 * thread t of the second pass folds partial[t], partial[t + threads], ... in
 * this order first.  Other block sizes are other orders.
 *
 * Included by name: #include "weft_reduce.cuh"
 */
#ifndef WEFT_REDUCE_CUH
#define WEFT_REDUCE_CUH

struct weft_sum {
	__device__ __forceinline__ float operator()(float a, float b) const
	{
		return __fadd_rn(a, b);
	}

	__device__ __forceinline__ double operator()(double a, double b) const
	{
		return __dadd_rn(a, b);
	}

	template <typename T>
	__device__ __forceinline__ T operator()(T a, T b) const
	{
		return a + b;
	}
};

struct weft_smallest {
	template <typename T>
	__device__ __forceinline__ T operator()(T a, T b) const
	{
		return b < a ? b : a;
	}
};

struct weft_largest {
	template <typename T>
	__device__ __forceinline__ T operator()(T a, T b) const
	{
		return a < b ? b : a;
	}
};

static __device__ __forceinline__ unsigned weft_thread()
{
	return threadIdx.x +
	       blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

static __device__ __forceinline__ unsigned weft_threads()
{
	return blockDim.x * blockDim.y * blockDim.z;
}

static __device__ __forceinline__ unsigned long long weft_cta()
{
	return blockIdx.x +
	       (unsigned long long)gridDim.x *
		       (blockIdx.y +
			(unsigned long long)gridDim.y * blockIdx.z);
}

/*
 * The fold of every thread's v; all get it.  All threads of the CTA call it,
 * outside divergent code.
 */
template <typename T, typename F>
static __device__ __forceinline__ T weft_reduce_block(T v, F fold)
{
	__shared__ T slot[1024];
	unsigned     t = weft_thread(), n = weft_threads(), w = 1;
	T	     r;

	slot[t] = v;
	while (w < n)
		w <<= 1;
	for (w >>= 1; w > 0; w >>= 1) {
		__syncthreads();
		if (t < w && t + w < n)
			slot[t] = fold(slot[t], slot[t + w]);
	}
	__syncthreads();
	r = slot[0];
	/* The slots may be used again. */
	__syncthreads();
	return r;
}

template <typename T, typename F>
static __device__ __forceinline__ void weft_reduce_grid_first(T v, F fold,
							       T *partial)
{
	v = weft_reduce_block(v, fold);
	if (weft_thread() == 0)
		partial[weft_cta()] = v;
}

/* count partial results, at least 1; one CTA of any size up to 1,024. */
template <typename T, typename F>
static __device__ __forceinline__ T weft_reduce_grid_second(
	const T *partial, unsigned long long count, F fold)
{
	unsigned long long t = weft_thread(), n = weft_threads(), i;
	__shared__ T	   slot[1024];
	unsigned	   w = 1;
	T		   v, r;

	if (t < count) {
		v = partial[t];
		for (i = t + n; i < count; i += n)
			v = fold(v, partial[i]);
		slot[t] = v;
	}
	n = n < count ? n : count;
	while (w < n)
		w <<= 1;
	for (w >>= 1; w > 0; w >>= 1) {
		__syncthreads();
		if (t < w && t + w < n)
			slot[t] = fold(slot[t], slot[t + w]);
	}
	__syncthreads();
	r = slot[0];
	__syncthreads();
	return r;
}

#endif /* WEFT_REDUCE_CUH */
