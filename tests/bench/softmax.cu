/* One row a CTA: maximum, sum of exponentials, quotients. */
extern "C" __global__ void softmax(const float *in, float *out, int n)
{
	__shared__ float part[256];
	const float *x = in + (long long)blockIdx.x * n;
	float *y = out + (long long)blockIdx.x * n;
	int t = threadIdx.x;
	float m = -3.402823466e38f, s = 0.0f;

	for (int i = t; i < n; i += 256)
		m = fmaxf(m, x[i]);
	part[t] = m;
	__syncthreads();
	for (int k = 128; k > 0; k >>= 1) {
		if (t < k)
			part[t] = fmaxf(part[t], part[t + k]);
		__syncthreads();
	}
	m = part[0];
	__syncthreads();
	for (int i = t; i < n; i += 256) {
		float e = expf(x[i] - m);

		y[i] = e;
		s += e;
	}
	part[t] = s;
	__syncthreads();
	for (int k = 128; k > 0; k >>= 1) {
		if (t < k)
			part[t] += part[t + k];
		__syncthreads();
	}
	s = part[0];
	for (int i = t; i < n; i += 256)
		y[i] = y[i] / s;
}
