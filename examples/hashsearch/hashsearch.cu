/*
 * Look for numbers whose SHA-256 begins with many zero bits.  Most thread
 * blocks find nothing, so their outputs would not show that they looked:
 * each also fills a slot of its own with what only the search gives.
 */
#define THREADS 128
#define ROUNDS  4

typedef unsigned int u32;

__constant__ u32 k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static __device__ u32 rotr(u32 x, u32 n)
{
	return x >> n | x << (32u - n);
}

/* The first word of SHA-256 over the 8 bytes (seed, number), big-endian. */
static __device__ u32 first_word(u32 seed, u32 number)
{
	u32 w[16] = {seed, number, 0x80000000u};
	u32 a = 0x6a09e667u, b = 0xbb67ae85u, c = 0x3c6ef372u, d = 0xa54ff53au;
	u32 e = 0x510e527fu, f = 0x9b05688cu, g = 0x1f83d9abu, h = 0x5be0cd19u;

	w[15] = 64;
#pragma unroll
	for (int i = 0; i < 64; i++) {
		u32 x = w[i & 15], s0, s1, t1, t2;

		if (i >= 16) {
			u32 p = w[(i + 1) & 15], q = w[(i + 14) & 15];

			s0 = rotr(p, 7) ^ rotr(p, 18) ^ p >> 3;
			s1 = rotr(q, 17) ^ rotr(q, 19) ^ q >> 10;
			x += s0 + w[(i + 9) & 15] + s1;
			w[i & 15] = x;
		}
		s1 = rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25);
		t1 = h + s1 + ((e & f) ^ (~e & g)) + k[i] + x;
		s0 = rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22);
		t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
		h = g, g = f, f = e, e = d + t1;
		d = c, c = b, b = a, a = t1 + t2;
	}
	return a + 0x6a09e667u;
}

extern "C" __global__ void hashsearch(u32 *hits, unsigned long long *slots,
				      u32 seed, u32 task, u32 below)
{
	__shared__ u32 found;
	u32            t = threadIdx.x, least = 0xffffffffu, at = 0;

	for (u32 r = 0; r < ROUNDS; r++) {
		u32 n = ((task * gridDim.x + blockIdx.x) * ROUNDS + r) *
				THREADS + t;
		u32 x = first_word(seed, n);

		if (x < least) {
			least = x;
			at = n;
		}
	}
	if (t == 0)
		found = 0xffffffffu;
	__syncthreads();
	if (least < below)
		atomicMin(&found, at);
	__syncthreads();
	if (t == 0 && found != 0xffffffffu)
		hits[blockIdx.x] = found;
	WEFT_WITNESS(slots, (unsigned long long)least << 32 | at);
}
