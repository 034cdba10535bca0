__constant__ unsigned seeds[64];
extern "C" __global__ void minhash(const unsigned char *text, const unsigned *start, unsigned *sig, int docs, int k)
{
	int doc = blockIdx.x;
	if (doc >= docs) return;
	unsigned h0 = 0xffffffffu;
	unsigned seed = seeds[threadIdx.x & 63];
	for (unsigned i = start[doc]; i + k <= start[doc + 1]; i++) {
		unsigned h = seed;
		for (int j = 0; j < k; j++)
			h = (h ^ text[i + j]) * 16777619u;
		h ^= h >> 15;
		h0 = min(h0, h);
	}
	sig[doc * blockDim.x + threadIdx.x] = h0;
}
extern "C" __global__ void histogram(const unsigned *sig, unsigned *bins, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) atomicAdd(&bins[sig[i] >> 24], 1u);
}
extern "C" __global__ void sum_float(const float *x, float *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) atomicAdd(out, x[i]);
}
extern "C" __global__ void append(const unsigned *x, unsigned *count, unsigned *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n && x[i] > 1000) out[atomicAdd(count, 1u)] = x[i];
}
