/*
 * How long do Collatz walks take?  Halve an even number, take an odd one times
 * three plus one, until it is 1: the number of steps is counted into bins
 * that all threads of all thread blocks share.  Whole numbers added in any
 * order give the same sum, so the launch has one result; but no thread block
 * alone makes a bin, which is why the launch is checked as one.
 */
typedef unsigned int u32;
typedef unsigned long long u64;

extern "C" __global__ void histogram(u32 *bins, u32 count, u32 last, u32 task)
{
	u32 at = blockIdx.x * blockDim.x + threadIdx.x;
	u64 n = (u64)task * count + at + 1;
	u32 steps = 0;

	if (at >= count)
		return;
	while (n > 1 && steps < last) {
		n = n & 1 ? 3 * n + 1 : n / 2;
		steps++;
	}
	atomicAdd(&bins[steps], 1u);
}
