// Two kernels that hand a buffer back and forth: every word of a step depends
// on three words of the step before, and no bit is without effect.
extern "C" __global__ void stir(const unsigned *from, unsigned *to, unsigned n, unsigned salt)
{
	__shared__ unsigned tile[64];
	unsigned i = blockIdx.x * 64u + threadIdx.x;
	unsigned x;

	tile[threadIdx.x] = from[i];
	__syncthreads();
	x = tile[threadIdx.x] + 3u * tile[63u - threadIdx.x] + from[(i + 1000u) % n];
	for (unsigned k = 0; k < 12u; k++)
		x = (x ^ (x >> 15)) * 0x2c1b3c6du + salt + k;
	to[i] = x;
}

extern "C" __global__ void mix(const unsigned *from, unsigned *to, unsigned n, unsigned salt)
{
	unsigned i = blockIdx.x * 64u + threadIdx.x;
	unsigned x = from[i] ^ (from[(i + 77u) % n] << 1) ^ salt;

	for (unsigned k = 0; k < 4u; k++)
		x = (x ^ (x >> 12)) * 0x297a2d39u + 1u;
	to[i] = x;
}
