/* What cannot be sold: order decides, the whole grid is needed, or it does
 * not run here. */
#include "corpus.cuh"
#if !defined(CORPUS_HOST)

#if defined(CORPUS_NVIDIA)
//= X no_body
//@ <<<1 32>>> u32[32] ; nvidia norun
KERNEL prints(u32 *out)
{
	if (threadIdx.x == 0)
		printf("%u\n", out[0]);
}

//= X no_body
//@ <<<1 32>>> u32[32] ; nvidia norun
KERNEL allocates(u32 *out)
{
	u32 *p = (u32 *)malloc(64);
	if (p != nullptr) {
		p[threadIdx.x & 7] = 1;
		out[threadIdx.x] = p[0];
		free(p);
	}
}

//= X texture
//@ <<<1 32>>> f32[32] u64=0 ; nvidia norun
KERNEL texture_read(float *out, cudaTextureObject_t t)
{
	out[threadIdx.x] = tex2D<float>(t, (float)threadIdx.x, 0.5f);
}

//= X texture
//@ <<<1 32>>> u64=0 ; nvidia norun
KERNEL surface_write(cudaSurfaceObject_t s)
{
	surf2Dwrite(threadIdx.x, s, (int)threadIdx.x * 4, 0);
}

//= C special_register
//@ <<<1 32>>> u32[32] ; nvidia norun
KERNEL sm_number(u32 *out)
{
	u32 s;
	asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
	out[threadIdx.x] = s;
}

//= C special_register
//@ <<<1 32>>> u64[32] ; nvidia norun
KERNEL global_timer(u64 *out)
{
	u64 t;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
	out[threadIdx.x] = t;
}

//= C float_atomic
//@ <<<1 32>>> f64[1] f64[32]=unit ; nvidia norun
KERNEL double_atomic(double *out, const double *in)
{
	atomicAdd(out, in[threadIdx.x]);
}

//= C atomic_mixed
//@ <<<1 32>>> u32[1] u32[32]=hash ; norun
KERNEL mixed_atomics(u32 *out, const u32 *in)
{
	atomicAdd(out, in[threadIdx.x]);
	atomicMax(out, in[threadIdx.x]);
}
#endif

//= C atomic_order
//@ <<<1 32>>> u32[1] u32[32]=hash ; norun
KERNEL last_writer(u32 *out, const u32 *in)
{
	atomicExch(out, in[threadIdx.x]);
}

//= C atomic_and_plain
//@ <<<1 32>>> u32[32] ; norun
KERNEL atomic_then_read(u32 *out)
{
	atomicAdd(out, 1u);
	out[1 + THREAD] = out[0];
}

/* Waits for another CTA. */
//= C volatile_access
//@ <<<2 32>>> u32[2] u32[64] ; norun
KERNEL spin_flag(volatile u32 *flag, u32 *out)
{
	if (blockIdx.x == 0) {
		out[threadIdx.x] = threadIdx.x;
		__threadfence();
		flag[0] = 1;
	} else {
		while (flag[0] == 0) {
		}
		out[32 + threadIdx.x] = out[threadIdx.x];
	}
}

/* The last CTA adds up what the others left. */
//= D grid_barrier
//@ <<<4 32>>> u32[4] u32[1] u32[1] ; norun
KERNEL last_cta_sums(u32 *part, u32 *done, u32 *out)
{
	__shared__ bool last;
	if (threadIdx.x == 0) {
		part[blockIdx.x] = blockIdx.x;
		__threadfence();
		last = atomicAdd(done, 1u) == gridDim.x - 1;
	}
	__syncthreads();
	if (last && threadIdx.x == 0) {
		u32 s = 0;
		for (u32 k = 0; k < gridDim.x; k++)
			s += part[k];
		*out = s;
	}
}

//= C address_leak
//@ <<<1 32>>> u64[32] ; norun
KERNEL stores_address(u64 *out)
{
	out[threadIdx.x] = (u64)(out + threadIdx.x);
}

//= C address_leak
//@ <<<1 32>>> u32[32] u32[32] ; norun
KERNEL compares_addresses(u32 *a, u32 *b)
{
	a[threadIdx.x] = (a < b) ? 1 : 2;
}

//= C store_through_loaded
//@ <<<1 32>>> u64[4] ; norun
KERNEL linked_store(u32 **list)
{
	*list[threadIdx.x & 3] = threadIdx.x;
}

/* A lock: the order decides which value wins. */
//= C atomic_result_used
//@ <<<2 1>>> u32[1] u32[1] ; norun
KERNEL spin_lock(u32 *lock, u32 *value)
{
	while (atomicCAS(lock, 0, 1) != 0) {
	}
	*value = *value * 3 + blockIdx.x;
	atomicExch(lock, 0);
}

/* A work queue. */
//= C atomic_result_used
//@ <<<2 32>>> u32[1] u32[64] u32=64 ; norun
KERNEL work_queue(u32 *next, u32 *out, u32 n)
{
	for (;;) {
		u32 i = atomicAdd(next, 1u);
		if (i >= n)
			return;
		out[i] = i * i;
	}
}

//= A
//@ <<<2 32>>> u32[64] u32[64]=hash ; norun
KERNEL trap_when_wrong(u32 *out, const u32 *in)
{
	if (in[THREAD] == 12345)
		asm volatile("trap;");
	out[THREAD] = in[THREAD];
}

/* Gauss-Seidel across CTAs: neighbours read what others write. */
//= A assumed
//@ <<<2 32>>> f32[66]=unit ; norun
KERNEL seidel_race(float *v)
{
	u32 i = 1 + THREAD;
	v[i] = 0.5f * (v[i - 1] + v[i + 1]);
}
#endif
