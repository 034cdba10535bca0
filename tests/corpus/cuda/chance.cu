/* Random numbers and money. */
#include "corpus.cuh"

__device__ __forceinline__ uint4 philox(uint4 c, uint2 k)
{
	for (int i = 0; i < 10; i++) {
		u32 h0 = __umulhi(0xd2511f53u, c.x), l0 = 0xd2511f53u * c.x, h1 = __umulhi(0xcd9e8d57u, c.z), l1 = 0xcd9e8d57u * c.z;
		c = make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
		k.x += 0x9e3779b9u;
		k.y += 0xbb67ae85u;
	}
	return c;
}

//= A
//@ <<<2 64>>> u32[512] u32=1 u32=2
KERNEL philox_fill(uint4 *out, u32 k0, u32 k1)
{
	out[THREAD] = philox(make_uint4(THREAD, 0, 0, 0), make_uint2(k0, k1));
}

//= A
//@ <<<2 64>>> u64[128]=hash u32=16
KERNEL xorshift_state(u64 *state, u32 n)
{
	u64 x = state[THREAD] | 1;
	for (u32 k = 0; k < n; k++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	state[THREAD] = x;
}

//= A
//@ <<<2 64>>> u64[128] u64=99
KERNEL splitmix(u64 *out, u64 seed)
{
	u64 z = seed + THREAD * 0x9e3779b97f4a7c15ull;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	out[THREAD] = z ^ (z >> 31);
}

//= A
//@ <<<2 64>>> u32[128] u32=64
KERNEL pi_points(u32 *out, u32 n)
{
	u32 hits = 0;
	for (u32 k = 0; k < n; k++) {
		uint4 r = philox(make_uint4(k, THREAD, 0, 0), make_uint2(7, 8));
		float x = (float)(r.x >> 8) * 5.9604645e-8f, y = (float)(r.y >> 8) * 5.9604645e-8f;
		hits += x * x + y * y < 1.0f;
	}
	out[THREAD] = hits;
}

/* Erf by a polynomial: exact operations only. */
__device__ double normal_cdf(double x)
{
	double t = 1 / (1 + 0.2316419 * fabs(x)), y = 1.330274429;
	y = y * t - 1.821255978;
	y = y * t + 1.781477937;
	y = y * t - 0.356563782;
	y = y * t + 0.31938153;
	double e = 1, z = -x * x / 2;
	for (int k = 20; k > 0; k--)
		e = 1 + e * z / k;
	double p = 0.3989422804 * e * y * t;
	return x > 0 ? 1 - p : p;
}

//= A
//@ <<<2 64>>> f64[128] f64[128]=unit f64[128]=unit
KERNEL black_scholes_moneyness(double *out, const double *spot, const double *vol)
{
	double d1 = (spot[THREAD] - 0.5) / (vol[THREAD] + 0.25) + vol[THREAD] / 2, d2 = d1 - vol[THREAD];
	out[THREAD] = spot[THREAD] * normal_cdf(d1) - 0.5 * normal_cdf(d2);
}

/* A tree of 32 levels in local memory. */
//= A
//@ <<<1 32>>> f64[32] f64[32]=unit f64=1.02 f64=0.52
KERNEL binomial_option(double *out, const double *strike, double up, double p)
{
	double v[33], s = 1;
	for (int k = 0; k < 32; k++)
		s /= up;
	for (int k = 0; k <= 32; k++) {
		double pay = s - (strike[threadIdx.x] + 0.5);
		v[k] = pay > 0 ? pay : 0;
		s *= up * up;
	}
	for (int n = 32; n > 0; n--)
		for (int k = 0; k < n; k++)
			v[k] = 0.999 * (p * v[k + 1] + (1 - p) * v[k]);
	out[threadIdx.x] = v[0];
}

//= A
//@ <<<2 64>>> f32[128] u32=32
KERNEL asian_paths(float *out, u32 steps)
{
	float s = 100, sum = 0;
	for (u32 k = 0; k < steps; k++) {
		uint4 r = philox(make_uint4(k, THREAD, 1, 0), make_uint2(3, 4));
		float z = ((float)(r.x >> 8) + (float)(r.y >> 8) + (float)(r.z >> 8) - 25165824.0f) * 1.1920929e-7f;
		s *= 1.0f + 0.01f * z;
		sum += s;
	}
	out[THREAD] = sum / (float)steps;
}

//= A
//@ <<<2 64>>> u32[128] u32[128]=mod2 u32=10
KERNEL random_walk(u32 *out, const u32 *seed, u32 steps)
{
	u32 x = seed[THREAD] * 2654435761u + THREAD, at = 1u << 16;
	for (u32 k = 0; k < steps; k++) {
		x = x * 1664525u + 1013904223u;
		at += (x >> 31) != 0 ? 1 : ~0u;
	}
	out[THREAD] = at;
}

/* The clock as a seed. */
#if defined(CORPUS_NVIDIA)
//= C special_register
//@ <<<1 32>>> u32[32] ; nvidia norun
KERNEL clock_seed(u32 *out)
{
	out[threadIdx.x] = (u32)clock() ^ threadIdx.x;
}
#endif

#if defined(CORPUS_NVIDIA)
//= C special_register
//@ <<<1 32>>> u64[32] ; nvidia norun
KERNEL clock_deep(u64 *out)
{
	long long a = clock64();
	out[threadIdx.x] = (u64)(clock64() - a) & 0;
}
#endif
