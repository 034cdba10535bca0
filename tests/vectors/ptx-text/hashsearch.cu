__device__ unsigned mix(unsigned h)
{
	h ^= h >> 16; h *= 0x85ebca6bu; h ^= h >> 13; h *= 0xc2b2ae35u; h ^= h >> 16;
	return h;
}
extern "C" __global__ void search(unsigned *found, unsigned base, unsigned target)
{
	unsigned nonce = base + blockIdx.x * blockDim.x + threadIdx.x;
	unsigned h = mix(nonce);
	for (int i = 0; i < 16; i++) h = mix(h + i);
	if (h < target) found[0] = nonce;
}
extern "C" __global__ void search_slots(unsigned long long *slot, unsigned base, unsigned target)
{
	__shared__ unsigned best[256];
	unsigned nonce = base + blockIdx.x * blockDim.x + threadIdx.x;
	unsigned h = mix(nonce);
	for (int i = 0; i < 16; i++) h = mix(h + i);
	best[threadIdx.x] = h < target ? nonce : 0xffffffffu;
	for (int s = blockDim.x / 2; s > 0; s >>= 1) {
		__syncthreads();
		if (threadIdx.x < s)
			best[threadIdx.x] = min(best[threadIdx.x], best[threadIdx.x + s]);
	}
	__syncthreads();
	if (threadIdx.x == 0) slot[blockIdx.x] = best[0];
}
