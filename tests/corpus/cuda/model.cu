/* What inference and training of small models need.  The exponential is made
 * of exact operations, so that these are class A. */
#include "corpus.cuh"

__device__ __forceinline__ float exact_exp(float x)
{
	x = fminf(fmaxf(x, -80.0f), 80.0f);
	float n = floorf(x * 1.44269504f + 0.5f), r = fmaf(n, -0.693147182f, x), p = 0.00138888889f;
	p = fmaf(p, r, 0.00833333333f);
	p = fmaf(p, r, 0.0416666667f);
	p = fmaf(p, r, 0.166666667f);
	p = fmaf(p, r, 0.5f);
	p = fmaf(p, r, 1.0f);
	p = fmaf(p, r, 1.0f);
	return p * __int_as_float(((int)n + 127) << 23);
}

/* The CTA's 64 values, folded in one order. */
template <class F> __device__ __forceinline__ float fold64(float v, F f)
{
	__shared__ float s[64];
	s[threadIdx.x] = v;
	__syncthreads();
	for (u32 k = 32; k > 0; k >>= 1) {
		if (threadIdx.x < k)
			s[threadIdx.x] = f(s[threadIdx.x], s[threadIdx.x + k]);
		__syncthreads();
	}
	v = s[0];
	__syncthreads();
	return v;
}

//= A
//@ <<<4 64>>> f32[256] f32[256]=sym
KERNEL softmax_rows(float *out, const float *in)
{
	float v = in[THREAD];
	float m = fold64(v, [](float a, float b) { return fmaxf(a, b); });
	float e = exact_exp(v - m);
	float s = fold64(e, [](float a, float b) { return a + b; });
	out[THREAD] = e / s;
}

//= A
//@ <<<4 64>>> f32[256] f32[256]=sym f32[64]=sym f32[64]=sym
KERNEL layernorm(float *out, const float *in, const float *gain, const float *bias)
{
	float v = in[THREAD];
	float mean = fold64(v, [](float a, float b) { return a + b; }) / 64.0f;
	float d = v - mean;
	float var = fold64(d * d, [](float a, float b) { return a + b; }) / 64.0f;
	out[THREAD] = d / sqrtf(var + 1e-5f) * gain[threadIdx.x] + bias[threadIdx.x];
}

//= A
//@ <<<4 64>>> f32[256] f32[256]=sym f32[64]=sym
KERNEL rmsnorm(float *out, const float *in, const float *gain)
{
	float v = in[THREAD];
	float s = fold64(v * v, [](float a, float b) { return a + b; });
	out[THREAD] = v * (1.0f / sqrtf(s / 64.0f + 1e-6f)) * gain[threadIdx.x];
}

//= A
//@ <<<2 32>>> f32[128] f32[64]=sym f32[64]=sym
KERNEL rope(float *x, const float *cosines, const float *sines)
{
	u32 i = THREAD;
	float a = x[2 * i] + (float)i, b = x[2 * i + 1] - (float)i;
	x[2 * i] = a * cosines[i] - b * sines[i];
	x[2 * i + 1] = a * sines[i] + b * cosines[i];
}

//= A
//@ <<<2 64>>> f32[128] u32[2]=mod16 f32[1024]=sym
KERNEL embedding(float *out, const u32 *tokens, const float *table)
{
	out[THREAD] = table[tokens[blockIdx.x] * 64 + threadIdx.x];
}

/* One head of 16, causal, a row a thread, the soft maximum online. */
//= A
//@ <<<1 32>>> f32[512] f32[512]=sym f32[512]=sym f32[512]=sym
KERNEL attention(float *out, const float *q, const float *k, const float *v)
{
	float top = -1e30f, sum = 0, acc[16] = {};
	u32 i = threadIdx.x;
	for (u32 j = 0; j <= i; j++) {
		float s = 0;
		for (int d = 0; d < 16; d++)
			s = fmaf(q[i * 16 + d], k[j * 16 + d], s);
		s *= 0.25f;
		float next = fmaxf(top, s), scale = exact_exp(top - next), e = exact_exp(s - next);
		sum = sum * scale + e;
		for (int d = 0; d < 16; d++)
			acc[d] = fmaf(e, v[j * 16 + d], acc[d] * scale);
		top = next;
	}
	for (int d = 0; d < 16; d++)
		out[i * 16 + d] = acc[d] / sum;
}

//= A
//@ <<<2 64>>> f32[128] f32[128]=sym f32[128]=sym
KERNEL silu_gate(float *out, const float *a, const float *b)
{
	float x = a[THREAD];
	out[THREAD] = x / (1.0f + exact_exp(-x)) * b[THREAD];
}

//= A
//@ <<<2 64>>> f32[128] f32[128]=sym
KERNEL relu_squared(float *out, const float *in)
{
	float x = fmaxf(in[THREAD], 0.0f);
	out[THREAD] = x * x;
}

//= A
//@ <<<2 64>>> f32[128]=sym f32[128] f32[128] f32[128]=sym f32=0.01 u32=3
KERNEL adamw(float *w, float *m, float *v, const float *g, float rate, u32 step)
{
	u32 i = THREAD;
	float b1 = 1, b2 = 1;
	for (u32 k = 0; k < step; k++) {
		b1 *= 0.9f;
		b2 *= 0.999f;
	}
	m[i] = 0.9f * m[i] + 0.1f * g[i];
	v[i] = 0.999f * v[i] + 0.001f * g[i] * g[i];
	w[i] -= rate * (m[i] / (1 - b1) / (sqrtf(v[i] / (1 - b2)) + 1e-8f) + 0.01f * w[i]);
}

//= A
//@ <<<2 64>>> s8[128] f32[128]=sym f32=0.0078125
KERNEL quantise_int8(s8 *out, const float *in, float scale)
{
	int q = __float2int_rn(in[THREAD] / scale);
	out[THREAD] = (s8)min(max(q, -127), 127);
}

struct best {
	float value;
	u32 index;
};

/* The largest of each row, the first of equals. */
//= A
//@ <<<4 32>>> u32[4] f32[1024]=sym u32=256
KERNEL argmax(u32 *out, const float *in, u32 n)
{
	best b = {-1e30f, 0};
	for (u32 k = threadIdx.x; k < n; k += 32) {
		float v = in[blockIdx.x * n + k];
		if (v > b.value)
			b = {v, k};
	}
	for (int d = 16; d > 0; d >>= 1) {
		float v = __shfl_xor_sync(~0u, b.value, d);
		u32 i = __shfl_xor_sync(~0u, b.index, d);
		if (v > b.value || (v == b.value && i < b.index))
			b = {v, i};
	}
	if (threadIdx.x == 0)
		out[blockIdx.x] = b.index;
}

/* Eight largest of each thread's 32, by insertion. */
//= A
//@ <<<1 32>>> f32[256] f32[1024]=sym
KERNEL top_k(float *out, const float *in)
{
	float t[8];
	for (int k = 0; k < 8; k++)
		t[k] = -1e30f;
	for (int i = 0; i < 32; i++) {
		float v = in[threadIdx.x * 32 + i];
		for (int k = 0; k < 8; k++) {
			float hi = fmaxf(t[k], v);
			v = fminf(t[k], v);
			t[k] = hi;
		}
	}
	for (int k = 0; k < 8; k++)
		out[threadIdx.x * 8 + k] = t[k];
}

/* As the toolkit's expf is: approximate instructions. */
#if defined(CORPUS_NVIDIA)
//= B approximate
//@ <<<2 64>>> f32[128] f32[128]=sym ; nvidia norun
KERNEL softplus_expf(float *out, const float *in)
{
	out[THREAD] = logf(1.0f + expf(in[THREAD]));
}
#endif

#if defined(CORPUS_NVIDIA)
//= B approximate
//@ <<<2 64>>> f32[128] f32[128]=sym ; nvidia norun
KERNEL gelu_tanh(float *out, const float *in)
{
	float x = in[THREAD];
	out[THREAD] = 0.5f * x * (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
}
#endif

#if defined(CORPUS_NVIDIA)
//= B approximate
//@ <<<2 64>>> f32[128] f32[128]=sym ; nvidia norun
KERNEL rsqrt_norm(float *out, const float *in)
{
	out[THREAD] = in[THREAD] * rsqrtf(in[THREAD] * in[THREAD] + 1);
}
#endif

#if defined(CORPUS_NVIDIA)
//= B approximate
//@ <<<2 64>>> f32[128] f32[128]=sym ; nvidia norun
KERNEL fast_division(float *out, const float *in)
{
	out[THREAD] = __fdividef(in[THREAD], 3.7f) + __expf(in[THREAD]) + __sinf(in[THREAD]);
}
#endif

/* Accurate double functions, compiled to exact ones. */
#if defined(CORPUS_NVIDIA)
//= B approximate
//@ <<<2 64>>> f64[128] f64[128]=unit ; nvidia norun
KERNEL double_exp(double *out, const double *in)
{
	out[THREAD] = exp(in[THREAD]) + log(1 + in[THREAD]);
}
#endif

#if defined(CORPUS_NVIDIA)
//= A
//@ <<<2 64>>> f32[128] f32[128]=sym ; nvidia norun
KERNEL slow_sine(float *out, const float *in)
{
	out[THREAD] = sinf(in[THREAD]) + cosf(in[THREAD]);
}
#endif

/* Cross entropy of one row a CTA, with a label. */
//= A
//@ <<<4 64>>> f32[4] f32[256]=sym u32[4]=mod64
KERNEL cross_entropy_gradient(float *loss, float *logits, const u32 *labels)
{
	float v = logits[THREAD];
	float m = fold64(v, [](float a, float b) { return fmaxf(a, b); });
	float e = exact_exp(v - m), s = fold64(e, [](float a, float b) { return a + b; });
	float p = e / s;
	logits[THREAD] = p - (threadIdx.x == labels[blockIdx.x] ? 1.0f : 0.0f);
	if (threadIdx.x == labels[blockIdx.x])
		loss[blockIdx.x] = 1 - p;
}

/* Momentum and sign: the simplest optimiser that works. */
//= A
//@ <<<2 64>>> f32[128]=sym f32[128] f32[128]=sym
KERNEL signum(float *w, float *m, const float *g)
{
	u32 i = THREAD;
	m[i] = 0.9f * m[i] + 0.1f * g[i];
	w[i] -= m[i] > 0 ? 0.001f : m[i] < 0 ? -0.001f : 0;
}
