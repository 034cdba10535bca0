// A search: next to no thread finds anything, so that every CTA also fills a
// slot of its own with what only its work gives (WEFT_WITNESS).
extern "C" __global__ void seek(const unsigned *from, unsigned *hits, unsigned long long *slots, unsigned n, unsigned salt)
{
	unsigned i = blockIdx.x * 64u + threadIdx.x;
	unsigned x = from[i] + salt;

	for (unsigned k = 0; k < 20u; k++)
		x = (x ^ (x >> 15)) * 0x2c1b3c6du + from[(i + k) % n];
	if (x < 0x04000000u)
		hits[i] = x | 1u;
	WEFT_WITNESS(slots, x);
}
