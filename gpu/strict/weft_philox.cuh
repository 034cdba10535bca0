/*
 * Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers, as easy
 * as 1, 2, 3; 2011): random numbers without state.  Four words for each
 * (counter, key), equal everywhere; give every thread and every use counters
 * of its own.
 *
 *	weft_philox r = weft_philox_at(seed, thread, draw);
 *	float u = weft_uniform(r.x);
 *
 * Included by name: #include "weft_philox.cuh"
 */
#ifndef WEFT_PHILOX_CUH
#define WEFT_PHILOX_CUH

struct weft_philox {
	unsigned x, y, z, w;
};

/* Ten rounds over the counter c under the key (k0, k1). */
static __device__ __forceinline__ weft_philox weft_philox_rounds(
	weft_philox c, unsigned k0, unsigned k1)
{
	for (int i = 0; i < 10; i++) {
		unsigned h0 = __umulhi(0xd2511f53u, c.x);
		unsigned l0 = 0xd2511f53u * c.x;
		unsigned h1 = __umulhi(0xcd9e8d57u, c.z);
		unsigned l1 = 0xcd9e8d57u * c.z;

		c.x = h1 ^ c.y ^ k0;
		c.y = l1;
		c.z = h0 ^ c.w ^ k1;
		c.w = l0;
		k0 += 0x9e3779b9u;
		k1 += 0xbb67ae85u;
	}
	return c;
}

/* The words of a seed for one stream (a thread, an item) and draw number. */
static __device__ __forceinline__ weft_philox weft_philox_at(
	unsigned long long seed, unsigned long long stream,
	unsigned long long draw)
{
	weft_philox c;

	c.x = (unsigned)draw;
	c.y = (unsigned)(draw >> 32);
	c.z = (unsigned)stream;
	c.w = (unsigned)(stream >> 32);
	return weft_philox_rounds(c, (unsigned)seed, (unsigned)(seed >> 32));
}

/* In [0, 1): 24 bits, each of them exact. */
static __device__ __forceinline__ float weft_uniform(unsigned bits)
{
	return __fmul_rn((float)(bits >> 8), 0x1p-24f);
}

/* In (0, 1]: for logarithms. */
static __device__ __forceinline__ float weft_uniform_positive(unsigned bits)
{
	return __fmul_rn((float)((bits >> 8) + 1), 0x1p-24f);
}

/* In [0, 1): 53 bits of two words. */
static __device__ __forceinline__ double weft_uniform_double(unsigned high,
							     unsigned low)
{
	unsigned long long bits = (unsigned long long)high << 32 | low;

	return __dmul_rn(__ull2double_rn(bits >> 11), 0x1p-53);
}

/* Two independent normal numbers of two words (Box and Muller). */
static __device__ __forceinline__ void weft_normal(unsigned a, unsigned b,
						   float *first,
						   float *second)
{
	float r = __fsqrt_rn(
		__fmul_rn(-2.0f, logf(weft_uniform_positive(a))));
	float s, c;

	sincosf(__fmul_rn(weft_uniform(b), 0x1.921fb6p+2f), &s, &c);
	*first = __fmul_rn(r, c);
	*second = __fmul_rn(r, s);
}

#endif /* WEFT_PHILOX_CUH */
