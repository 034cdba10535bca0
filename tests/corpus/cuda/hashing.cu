/* Hashes, checksums and ciphers: integers only. */
#include "corpus.cuh"

__constant__ u32 sha_k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ __forceinline__ u32 rotr(u32 x, u32 n) { return (x >> n) | (x << (32 - n)); }
__device__ __forceinline__ u32 rotl(u32 x, u32 n) { return (x << n) | (x >> (32 - n)); }

__device__ void sha256_round(u32 *h, u32 *w)
{
	u32 a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], k = h[7];
	for (int i = 0; i < 64; i++) {
		u32 m = i < 16 ? w[i] : 0;
		if (i >= 16) {
			u32 x = w[(i + 1) & 15], y = w[(i + 14) & 15];
			m = w[i & 15] + w[(i + 9) & 15] + (rotr(x, 7) ^ rotr(x, 18) ^ (x >> 3)) + (rotr(y, 17) ^ rotr(y, 19) ^ (y >> 10));
			w[i & 15] = m;
		}
		u32 t = k + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + sha_k[i] + m;
		u32 s = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
		k = g; g = f; f = e; e = d + t; d = c; c = b; b = a; a = t + s;
	}
	h[0] += a; h[1] += b; h[2] += c; h[3] += d; h[4] += e; h[5] += f; h[6] += g; h[7] += k;
}

//= A
//@ <<<2 32>>> u32[512] u32=7
KERNEL sha256_blocks(u32 *out, u32 salt)
{
	u32 i = THREAD, w[16] = {i, salt, 0x80000000u};
	u32 h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	w[15] = 64;
	sha256_round(h, w);
	for (int k = 0; k < 8; k++)
		out[i * 8 + k] = h[k];
}

/* A search: only a winner writes. */
//= S writes_by_chance
//@ <<<4 64>>> u32[4] u32=12
KERNEL sha256_search(u32 *out, u32 bits)
{
	u32 i = THREAD, w[16] = {i, 0x77656674u, 0x80000000u};
	u32 h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	w[15] = 64;
	sha256_round(h, w);
	if (h[0] >> (32 - bits) == 0)
		out[0] = i;
}

//= A
//@ <<<2 64>>> u64[128] u8[4096]=hash u32=32
KERNEL fnv1a(u64 *out, const u8 *text, u32 n)
{
	u32 i = THREAD;
	u64 h = 0xcbf29ce484222325ull;
	for (u32 k = 0; k < n; k++)
		h = (h ^ text[i * n + k]) * 0x100000001b3ull;
	out[i] = h;
}

//= A
//@ <<<2 64>>> u32[128] u32[1024]=hash u32=8
KERNEL murmur3(u32 *out, const u32 *text, u32 n)
{
	u32 i = THREAD, h = i;
	for (u32 k = 0; k < n; k++) {
		u32 v = text[i * n + k] * 0xcc9e2d51u;
		v = rotl(v, 15) * 0x1b873593u;
		h = rotl(h ^ v, 13) * 5 + 0xe6546b64u;
	}
	h ^= n * 4;
	h = (h ^ (h >> 16)) * 0x85ebca6bu;
	h = (h ^ (h >> 13)) * 0xc2b2ae35u;
	out[i] = h ^ (h >> 16);
}

//= A
//@ <<<1 64>>> u64[64] u64[256]=hash
KERNEL xxh64_lanes(u64 *out, const u64 *in)
{
	const u64 p1 = 0x9e3779b185ebca87ull, p2 = 0xc2b2ae3d27d4eb4full, p3 = 0x165667b19e3779f9ull;
	u64 h = threadIdx.x * p1;
	for (int k = 0; k < 4; k++) {
		u64 v = in[threadIdx.x * 4 + k] * p2;
		v = (v << 31 | v >> 33) * p1;
		h = (h ^ v);
		h = (h << 27 | h >> 37) * p1 + p3;
	}
	h ^= h >> 33;
	h *= p2;
	out[threadIdx.x] = h ^ (h >> 29);
}

/* The table is made in shared memory first. */
//= A
//@ <<<2 256>>> u32[512] u8[8192]=hash u32=16
KERNEL crc32_table(u32 *out, const u8 *text, u32 n)
{
	__shared__ u32 table[256];
	u32 c = threadIdx.x;
	for (int k = 0; k < 8; k++)
		c = (c & 1) != 0 ? (c >> 1) ^ 0xedb88320u : c >> 1;
	table[threadIdx.x] = c;
	__syncthreads();
	u32 i = THREAD, h = ~0u;
	for (u32 k = 0; k < n; k++)
		h = table[(h ^ text[i * n + k]) & 255] ^ (h >> 8);
	out[i] = ~h;
}

//= A
//@ <<<1 64>>> u32[64] u8[1024]=hash
KERNEL adler32(u32 *out, const u8 *text)
{
	u32 a = 1, b = 0;
	for (u32 k = 0; k < 16; k++) {
		a = (a + text[threadIdx.x * 16 + k]) % 65521;
		b = (b + a) % 65521;
	}
	out[threadIdx.x] = b << 16 | a;
}

__device__ __forceinline__ void quarter(u32 &a, u32 &b, u32 &c, u32 &d)
{
	a += b; d = rotl(d ^ a, 16);
	c += d; b = rotl(b ^ c, 12);
	a += b; d = rotl(d ^ a, 8);
	c += d; b = rotl(b ^ c, 7);
}

//= A
//@ <<<1 32>>> u32[512] u32[8]=hash u32=5
KERNEL chacha20(u32 *out, const u32 *key, u32 nonce)
{
	u32 s[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, x[16];
	for (int i = 0; i < 8; i++)
		s[4 + i] = key[i];
	s[12] = THREAD;
	s[13] = 0;
	s[14] = 0;
	s[15] = nonce;
	for (int i = 0; i < 16; i++)
		x[i] = s[i];
	for (int i = 0; i < 10; i++) {
		quarter(x[0], x[4], x[8], x[12]);
		quarter(x[1], x[5], x[9], x[13]);
		quarter(x[2], x[6], x[10], x[14]);
		quarter(x[3], x[7], x[11], x[15]);
		quarter(x[0], x[5], x[10], x[15]);
		quarter(x[1], x[6], x[11], x[12]);
		quarter(x[2], x[7], x[8], x[13]);
		quarter(x[3], x[4], x[9], x[14]);
	}
	for (int i = 0; i < 16; i++)
		out[THREAD * 16 + i] = x[i] + s[i];
}

__constant__ u8 blake_order[7][16] = {
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8},
	{3, 4, 10, 12, 13, 2, 7, 14, 6, 5, 9, 0, 11, 15, 8, 1},
	{10, 7, 12, 9, 14, 3, 13, 15, 4, 0, 11, 2, 5, 8, 1, 6},
	{12, 13, 9, 11, 15, 10, 14, 8, 7, 2, 5, 3, 0, 1, 6, 4},
	{9, 14, 11, 5, 8, 12, 15, 1, 13, 3, 0, 10, 2, 6, 4, 7},
	{11, 15, 5, 0, 1, 9, 8, 6, 14, 10, 2, 12, 3, 4, 7, 13}};

__device__ void blake_mix(u32 *v, int a, int b, int c, int d, u32 x, u32 y)
{
	v[a] += v[b] + x; v[d] = rotr(v[d] ^ v[a], 16);
	v[c] += v[d]; v[b] = rotr(v[b] ^ v[c], 12);
	v[a] += v[b] + y; v[d] = rotr(v[d] ^ v[a], 8);
	v[c] += v[d]; v[b] = rotr(v[b] ^ v[c], 7);
}

//= A
//@ <<<1 32>>> u32[256] u32[512]=hash
KERNEL blake3_compress(u32 *out, const u32 *in)
{
	u32 v[16] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
		     0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, THREAD, 0, 64, 11};
	const u32 *m = in + THREAD * 16;
	for (int r = 0; r < 7; r++) {
		const u8 *o = blake_order[r];
		blake_mix(v, 0, 4, 8, 12, m[o[0]], m[o[1]]);
		blake_mix(v, 1, 5, 9, 13, m[o[2]], m[o[3]]);
		blake_mix(v, 2, 6, 10, 14, m[o[4]], m[o[5]]);
		blake_mix(v, 3, 7, 11, 15, m[o[6]], m[o[7]]);
		blake_mix(v, 0, 5, 10, 15, m[o[8]], m[o[9]]);
		blake_mix(v, 1, 6, 11, 12, m[o[10]], m[o[11]]);
		blake_mix(v, 2, 7, 8, 13, m[o[12]], m[o[13]]);
		blake_mix(v, 3, 4, 9, 14, m[o[14]], m[o[15]]);
	}
	for (int i = 0; i < 8; i++)
		out[THREAD * 8 + i] = v[i] ^ v[i + 8];
}

__device__ __forceinline__ u8 xtime(u8 x) { return (u8)(x << 1 ^ (x >> 7) * 0x1b); }
__device__ u8 gf_mul(u8 a, u8 b)
{
	u8 r = 0;
	for (int i = 0; i < 8; i++) {
		if ((b & 1) != 0)
			r ^= a;
		a = xtime(a);
		b >>= 1;
	}
	return r;
}
__device__ u8 sbox(u8 x)
{
	u8 r = 1, p = x;
	for (int i = 0; i < 7; i++) {
		p = gf_mul(p, p);
		r = gf_mul(r, p);
	}
	u8 s = 0x63;
	for (int i = 0; i < 5; i++)
		s ^= (u8)(r << i | r >> (8 - i));
	return s;
}

/* One round of AES; the S-box is computed. */
//= A
//@ <<<1 32>>> u8[512] u8[512]=hash u8[16]=hash
KERNEL aes_round(u8 *out, const u8 *in, const u8 *key)
{
	u8 s[16], t[16];
	for (int i = 0; i < 16; i++)
		s[i] = sbox(in[THREAD * 16 + i]);
	for (int c = 0; c < 4; c++)
		for (int r = 0; r < 4; r++)
			t[4 * c + r] = s[4 * ((c + r) & 3) + r];
	for (int c = 0; c < 4; c++)
		for (int r = 0; r < 4; r++)
			out[THREAD * 16 + 4 * c + r] = (u8)(xtime(t[4 * c + r]) ^ xtime(t[4 * c + ((r + 1) & 3)]) ^ t[4 * c + ((r + 1) & 3)] ^ t[4 * c + ((r + 2) & 3)] ^ t[4 * c + ((r + 3) & 3)] ^ key[4 * c + r]);
}

//= A
//@ <<<1 64>>> u64[64] u64[128]=hash
KERNEL siphash(u64 *out, const u64 *in)
{
	u64 v0 = 0x736f6d6570736575ull, v1 = 0x646f72616e646f6dull, v2 = 0x6c7967656e657261ull, v3 = 0x7465646279746573ull;
	for (int k = 0; k < 4; k++) {
		u64 m = k < 2 ? in[threadIdx.x * 2 + k] : 0;
		v3 ^= m;
		for (int r = 0; r < 2; r++) {
			v0 += v1; v1 = v1 << 13 | v1 >> 51; v1 ^= v0; v0 = v0 << 32 | v0 >> 32;
			v2 += v3; v3 = v3 << 16 | v3 >> 48; v3 ^= v2;
			v0 += v3; v3 = v3 << 21 | v3 >> 43; v3 ^= v0;
			v2 += v1; v1 = v1 << 17 | v1 >> 47; v1 ^= v2; v2 = v2 << 32 | v2 >> 32;
		}
		v0 ^= m;
	}
	out[threadIdx.x] = v0 ^ v1 ^ v2 ^ v3;
}
