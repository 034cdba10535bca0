/* Kernels that make the compiler print the rarer parts of the language. */
#include <cuda_fp16.h>
typedef unsigned long long u64;
struct item { int id; double weight; int *where; };
__device__ int table_data[4] = {1, 2, 3, 4};
__device__ int *table_ptr = &table_data[3];
__device__ int cells[16];
typedef int (*fn)(int);
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int square(int x) { return x * x; }
__device__ fn functions[2] = {twice, square};
__device__ __noinline__ item make(item a, int n) { a.id += n; a.weight *= n; return a; }
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

extern "C" __global__ void structs(item *out, item in, int n) { out[threadIdx.x] = make(in, n); }
extern "C" __global__ void pointers(int *out) { out[threadIdx.x] = *table_ptr + table_data[threadIdx.x & 3]; }
extern "C" __global__ void indirect(int *out, int which) { out[threadIdx.x] = functions[which & 1](threadIdx.x); }
extern "C" __global__ void recursion(int *out) { out[threadIdx.x] = fib(threadIdx.x); }
extern "C" __global__ void jump(int *out, int k)
{
	int v;
	switch (k) {
	case 0: v = out[1]; break; case 1: v = out[2] * 3; break; case 2: v = out[7] ^ 5; break;
	case 3: v = out[4] - 1; break; case 4: v = out[5] | 64; break; case 5: v = ~out[6]; break;
	case 6: v = out[8] / 7; break; case 7: v = out[9] % 9; break; default: v = 0;
	}
	out[threadIdx.x + 16] = v;
}
extern "C" __global__ void local_array(int *out, const int *in, int n)
{
	int buf[32];
	for (int i = 0; i < 32; i++) buf[i] = in[i] * n;
	out[threadIdx.x] = buf[(n + threadIdx.x) & 31];
}
extern "C" __global__ void __launch_bounds__(128, 2) warps(unsigned *out)
{
	unsigned x = threadIdx.x * 77, m = __ballot_sync(~0u, x & 4);
	for (int d = 16; d; d >>= 1) x += __shfl_xor_sync(~0u, x, d);
	out[blockIdx.x * blockDim.x + threadIdx.x] = x + m + __popc(m) + __clz(x) + __reduce_add_sync(~0u, x) + __ffs(x);
}
extern "C" __global__ void halves(__half *out, const __half *a, const __half *b, __half2 *c)
{
	int i = threadIdx.x;
	out[i] = __hfma(a[i], b[i], a[i]) + b[i];
	c[i] = c[i] * c[i] + c[i];
}
extern "C" __global__ void asms(unsigned *out, u64 *wide)
{
	unsigned r; u64 w;
	asm("{ .reg .pred p; .reg .b32 t;\n setp.lt.u32 p, %1, 7;\n selp.b32 t, 1, 0, !p;\n add.cc.u32 t, t, %1;\n addc.u32 %0, t, 5; }" : "=r"(r) : "r"(out[0]));
	asm volatile("mad.wide.u32 %0, %1, %1, 17;" : "=l"(w) : "r"(r));
	asm("prmt.b32.f4e %0, %1, %1, 3;" : "=r"(r) : "r"(r));
	asm("lop3.b32 %0, %0, %1, %1, 0x6a;" : "+r"(r) : "r"(out[1]));
	out[threadIdx.x] = r; wide[threadIdx.x] = w * 0x123456789abcdefull / (w | 1) + __umul64hi(w, w);
}
extern "C" __global__ void doubles(double *x, float *y, long long *z)
{
	int i = threadIdx.x;
	x[i] = sqrt(x[i]) / (double)y[i] + fma(x[i], 3.25, (double)z[i]);
	y[i] = __fadd_rz(y[i], 1.0f) + __fdiv_rn(y[i], 3.0f) + __double2float_ru(x[i]);
	z[i] = (long long)floor(x[i]) + __float2int_rn(y[i]) + isnan(y[i]);
}
extern "C" __global__ void volatile_spin(volatile int *flag, int *out) { while (!flag[0]) ; out[blockIdx.x] = flag[1]; }
extern "C" __global__ void clocks(long long *out) { out[threadIdx.x] = clock64(); }
extern "C" __global__ void in_place(float *a, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i > 0 && i < n) a[i] = a[i - 1] + a[i];
}
extern "C" __global__ void shared_address(int *out)
{
	__shared__ int s[64];
	int *p = threadIdx.x & 1 ? s : out;
	p[threadIdx.x & 63] = threadIdx.x;
	__syncthreads();
	out[threadIdx.x] = s[0] + cells[threadIdx.x & 15];
	cells[threadIdx.x & 15] = 3;
}
