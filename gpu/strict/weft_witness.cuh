/*
 * WEFT_WITNESS(slots, value): proof of search for kernels that find little.
 *
 * A search writes almost nothing, so its outputs do not show that it was
 * done.  One slot of 64 bits a CTA does: every thread hands over something
 * that only its own work gives (a digest, a best score), and the CTA stores
 * one word that depends on all of them.
 *
 * slots   unsigned long long *, one for each CTA of the grid, in the order of
 *	   blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)
 * value   an integer, a float or a double
 *
 * Every thread of the CTA calls it, the same number of times, outside
 * divergent code.  A further call replaces the word.
 */
WEFT_FN unsigned long long weft_witness_bits(float v)
{
	return v == v ? (unsigned)__float_as_int(v) : 0x7fffffffu;
}

WEFT_FN unsigned long long weft_witness_bits(double v)
{
	return v == v ? (unsigned long long)__double_as_longlong(v)
		      : 0x7fffffffffffffffull;
}

template <typename T> WEFT_FN unsigned long long weft_witness_bits(T v)
{
	return (unsigned long long)v;
}

/* A bijection in which every input bit moves every output bit. */
WEFT_FN unsigned long long weft_mix64(unsigned long long z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

WEFT_FN void weft_witness(unsigned long long *slots, unsigned long long value)
{
	__shared__ unsigned long long fold;
	unsigned thread = threadIdx.x +
			  blockDim.x * (threadIdx.y +
					blockDim.y * threadIdx.z);

	if (thread == 0)
		fold = 0;
	__syncthreads();
	/* The thread's number keeps equal values from cancelling out. */
	value = weft_mix64(value + (thread + 1) * 0x9e3779b97f4a7c15ull);
	atomicXor(&fold, value);
	__syncthreads();
	/* Never zero: an empty slot was not searched. */
	if (thread == 0)
		slots[blockIdx.x +
		      (unsigned long long)gridDim.x *
			      (blockIdx.y + (unsigned long long)gridDim.y *
						    blockIdx.z)] = fold | 1;
}

#define WEFT_WITNESS(slots, value) \
	weft_witness((slots), weft_witness_bits(value))
