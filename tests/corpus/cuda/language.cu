/* What C++ brings: templates, lambdas, virtual functions, pointers to
 * functions, recursion, structures by value. */
#include "corpus.cuh"

template <class T, int N> struct small_vector {
	T v[N];
	__device__ __forceinline__ T sum() const
	{
		T s = 0;
		for (int i = 0; i < N; i++)
			s += v[i];
		return s;
	}
};

//= A
//@ <<<1 32>>> u32[32] u32[128]=hash
KERNEL template_sum(u32 *out, const u32 *in)
{
	small_vector<u32, 4> a;
	for (int i = 0; i < 4; i++)
		a.v[i] = in[threadIdx.x * 4 + i];
	out[threadIdx.x] = a.sum();
}

template <class F> __device__ __forceinline__ void each(u32 n, F f)
{
	for (u32 i = 0; i < n; i++)
		f(i);
}

//= A
//@ <<<1 32>>> u32[32] u32=9
KERNEL lambda_capture(u32 *out, u32 n)
{
	u32 s = threadIdx.x;
	each(n, [&](u32 i) { s = s * 31 + i; });
	out[threadIdx.x] = s;
}

struct scene {
	float4 a, b;
	u32 n;
	s8 weights[5];
	double scale;
};

//= A
//@ <<<1 32>>> f64[32] block64=hash
KERNEL struct_by_value(double *out, scene s)
{
	u32 n = 0;
	for (int i = 0; i < 5; i++)
		n += (u32)(u8)s.weights[(threadIdx.x + i) % 5] * (u32)(i + 1);
	out[threadIdx.x] = (double)(n + s.n % 100);
}

struct buffers {
	u32 *out;
	const u32 *in;
	u32 n;
};

struct pair_result {
	u32 lo, hi;
	u64 product;
	u8 tag[3];
};

__device__ __noinline__ pair_result make_pair(u32 a, u32 b, u8 tag)
{
	pair_result r = {a < b ? a : b, a < b ? b : a, (u64)a * b, {tag, (u8)(tag + 1), (u8)(tag + 2)}};
	return r;
}

//= A
//@ <<<1 32>>> u64[32] u32[64]=hash
KERNEL struct_returned(u64 *out, const u32 *in)
{
	pair_result r = make_pair(in[threadIdx.x * 2], in[threadIdx.x * 2 + 1], (u8)threadIdx.x);
	out[threadIdx.x] = r.product + r.lo * 3 + r.hi + r.tag[0] + r.tag[1] + r.tag[2];
}

__device__ __noinline__ u32 add_one(u32 a) { return a + 1; }
__device__ __noinline__ u32 triple(u32 a) { return a * 3; }
__device__ __noinline__ u32 flip(u32 a) { return ~a; }
typedef u32 (*unary)(u32);
__constant__ unary steps[3] = {add_one, triple, flip};

//= A
//@ <<<1 32>>> u32[32] u32[32]=hash ; stack
KERNEL function_table(u32 *out, const u32 *in)
{
	u32 v = in[threadIdx.x];
	for (u32 i = 0; i < 4; i++)
		v = steps[(threadIdx.x + i) % 3](v);
	out[threadIdx.x] = v;
}

//= A
//@ <<<1 32>>> u32[32] u32[32]=hash ; stack
KERNEL function_chosen(u32 *out, const u32 *in)
{
	unary f = in[threadIdx.x] & 1 ? add_one : triple;
	out[threadIdx.x] = f(in[threadIdx.x]);
}

struct shape {
	__device__ virtual float area() const { return 0; }
	__device__ virtual u32 kind() const { return 0; }
};
struct square : shape {
	float side;
	__device__ square(float s) : side(s) {}
	__device__ float area() const override { return side * side; }
	__device__ u32 kind() const override { return 1; }
};
struct disc : shape {
	float radius;
	__device__ disc(float r) : radius(r) {}
	__device__ float area() const override { return 3.0f * radius * radius; }
};

//= A
//@ <<<1 32>>> f32[32] f32[32]=unit ; stack
KERNEL virtual_area(float *out, const float *in)
{
	square s(in[threadIdx.x]);
	disc d(in[threadIdx.x]);
	const shape *p = (threadIdx.x & 1) != 0 ? (const shape *)&s : (const shape *)&d;
	out[threadIdx.x] = p->area() + (float)p->kind();
}

__device__ __noinline__ u32 fibonacci(u32 n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

//= A
//@ <<<1 32>>> u32[32] ; stack
KERNEL recursion_fibonacci(u32 *out)
{
	out[threadIdx.x] = fibonacci(threadIdx.x % 12);
}

__device__ __noinline__ u32 ackermann(u32 m, u32 n)
{
	if (m == 0)
		return n + 1;
	return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

//= A
//@ <<<1 16>>> u32[16] ; stack
KERNEL recursion_ackermann(u32 *out)
{
	out[threadIdx.x] = ackermann(threadIdx.x % 3, threadIdx.x / 3);
}

__device__ __noinline__ u32 is_odd(u32 n);
__device__ __noinline__ u32 is_even(u32 n) { return n == 0 ? 1 : is_odd(n - 1); }
__device__ __noinline__ u32 is_odd(u32 n) { return n == 0 ? 0 : is_even(n - 1); }

//= A
//@ <<<1 32>>> u32[32] ; stack
KERNEL recursion_mutual(u32 *out)
{
	out[threadIdx.x] = is_even(threadIdx.x) * 2 + is_odd(threadIdx.x);
}

__device__ __noinline__ void sort_range(u32 *v, int lo, int hi)
{
	if (lo >= hi)
		return;
	u32 pivot = v[(lo + hi) / 2];
	int i = lo, j = hi;
	while (i <= j) {
		while (v[i] < pivot)
			i++;
		while (v[j] > pivot)
			j--;
		if (i <= j) {
			u32 t = v[i];
			v[i++] = v[j];
			v[j--] = t;
		}
	}
	sort_range(v, lo, j);
	sort_range(v, i, hi);
}

//= A
//@ <<<1 32>>> u32[1024]=hash ; stack
KERNEL recursion_quicksort(u32 *v)
{
	sort_range(v + threadIdx.x * 32, 0, 31);
}

__device__ __noinline__ u32 depth_first(const u8 *next, u32 at, u32 *seen)
{
	if ((*seen >> at & 1) != 0)
		return 0;
	*seen |= 1u << at;
	u32 n = 1;
	for (int k = 0; k < 2; k++)
		n += depth_first(next, next[at * 2 + k] & 31, seen);
	return n;
}

//= A
//@ <<<1 32>>> u32[32] u8[64]=hash ; stack
KERNEL recursion_local_pointer(u32 *out, const u8 *next)
{
	u32 seen = 0;
	out[threadIdx.x] = depth_first(next, threadIdx.x, &seen);
}

__device__ u32 counter_state[4] = {1, 2, 3, 4};

//= A
//@ <<<1 4>>> u32[4] ; norun
KERNEL module_state(u32 *out)
{
	counter_state[threadIdx.x] += out[threadIdx.x];
}

__constant__ struct { u32 a; u8 b; double c; } settings = {5, 6, 7.5};

//= A
//@ <<<1 32>>> f64[32]
KERNEL constant_struct(double *out)
{
	out[threadIdx.x] = settings.c * settings.a + settings.b;
}

/* A switch that compiles to a table of branches. */
//= A
//@ <<<1 64>>> u32[64] u32[64]=mod9
KERNEL switch_table(u32 *out, const u32 *in)
{
	u32 v = threadIdx.x;
	switch (in[threadIdx.x]) {
	case 0: v = v * 3 + 1; break;
	case 1: v ^= 0x55; break;
	case 2: v = v << 3; break;
	case 3: v = ~v; break;
	case 4: v = v * v; break;
	case 5: v = v % 7; break;
	case 6: v = __popc(v); break;
	case 7: v = v / 5; break;
	default: v = 1000; break;
	}
	out[threadIdx.x] = v;
}

//= A
//@ <<<1 32>>> u64[32] u64[32]=hash u64[32]=hash
KERNEL long_division(u64 *out, const u64 *a, const u64 *b)
{
	u64 x = a[threadIdx.x], y = (b[threadIdx.x] >> (threadIdx.x & 31)) | 1;
	out[threadIdx.x] = x / y + x % y + (u64)((s64)x / (s64)(y >> 1 | 1));
}

union bits {
	u32 word;
	float number;
	u8 bytes[4];
};

//= A
//@ <<<1 32>>> u32[32] f32[32]=sym
KERNEL union_bits(u32 *out, const float *in)
{
	bits b;
	b.number = in[threadIdx.x];
	out[threadIdx.x] = b.word ^ b.bytes[threadIdx.x & 3];
}

//= A
//@ <<<1 32>>> u32[32] u32=3
KERNEL early_returns(u32 *out, u32 n)
{
	u32 t = threadIdx.x;
	if (t % n == 0)
		return;
	for (u32 i = 0;; i++) {
		if (i * i > t) {
			out[t] = i;
			return;
		}
		if (i == 4)
			break;
	}
	out[t] = 77;
}
