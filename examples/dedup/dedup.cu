/*
 * MinHash: how alike are two texts?  HASHES hash functions over all runs of
 * eight characters (letters folded to lower case, blanks to one kind); the
 * share of equal minima estimates the Jaccard similarity of the two sets.
 */
#define HASHES  64
#define GROUP   16 /* hash functions of one CTA */
#define THREADS 256
#define RUN     8

typedef unsigned int       u32;
typedef unsigned long long u64;

static __device__ u32 fold(u32 c)
{
	if (c >= 'A' && c <= 'Z')
		return c + 32u;
	return c <= ' ' ? (u32)' ' : c;
}

static __device__ u32 mix(u64 run, u32 which)
{
	u64 h = run * 0x9e3779b97f4a7c15ull + which * 0xc2b2ae3d27d4eb4full;

	h ^= h >> 29;
	h *= 0xbf58476d1ce4e5b9ull;
	return (u32)(h >> 32);
}

/* CTA (g, w): the minima of GROUP hash functions over text w. */
extern "C" __global__ void minhash(const unsigned char *a, u32 a_bytes,
				   const unsigned char *b, u32 b_bytes,
				   u32 *minima)
{
	__shared__ u32       least[THREADS];
	const unsigned char *text = blockIdx.y ? b : a;
	u32                  n = blockIdx.y ? b_bytes : a_bytes;
	u32                  best[GROUP];

#pragma unroll
	for (u32 h = 0; h < GROUP; h++)
		best[h] = 0xffffffffu;
	for (u32 i = threadIdx.x; i + RUN <= n; i += THREADS) {
		u64 run = 0;

#pragma unroll
		for (u32 j = 0; j < RUN; j++)
			run = run << 8 | fold(text[i + j]);
#pragma unroll
		for (u32 h = 0; h < GROUP; h++)
			best[h] = min(best[h],
				      mix(run, blockIdx.x * GROUP + h));
	}
#pragma unroll
	for (u32 h = 0; h < GROUP; h++) {
		least[threadIdx.x] = best[h];
		__syncthreads();
		for (u32 half = THREADS / 2; half > 0; half /= 2) {
			if (threadIdx.x < half)
				least[threadIdx.x] =
					min(least[threadIdx.x],
					    least[threadIdx.x + half]);
			__syncthreads();
		}
		if (threadIdx.x == 0)
			minima[blockIdx.y * HASHES + blockIdx.x * GROUP + h] =
				least[0];
		__syncthreads();
	}
}

/* One CTA of HASHES threads: per mille of equal minima. */
extern "C" __global__ void compare(const u32 *minima, u32 *per_mille)
{
	__shared__ u32 same[HASHES];
	u32            i = threadIdx.x;

	same[i] = minima[i] == minima[HASHES + i];
	__syncthreads();
	for (u32 half = HASHES / 2; half > 0; half /= 2) {
		if (i < half)
			same[i] += same[i + half];
		__syncthreads();
	}
	if (i == 0)
		per_mille[0] = same[0] * 1000u / HASHES;
}
