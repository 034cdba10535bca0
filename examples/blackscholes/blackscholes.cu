/*
 * European option prices by Black and Scholes over a surface of strikes and
 * maturities.  expf, logf and erff are Weft's strict ones: made of exact
 * operations only, so a price is the same on every card and CPU.
 */
static __device__ float cdf(float x)
{
	return 0.5f + 0.5f * erff(x * 0.707106781f);
}

extern "C" __global__ void blackscholes(float *price, unsigned width,
					unsigned height, float spot,
					float rate, float volatility)
{
	unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
	float    strike, years, root, d1, d2;

	if (x >= width || y >= height)
		return;
	strike = spot * (0.5f + (float)x / (float)width);
	years = 0.05f + 2.0f * (float)y / (float)height;
	root = volatility * sqrtf(years);
	d1 = (logf(spot / strike) +
	      (rate + 0.5f * volatility * volatility) * years) / root;
	d2 = d1 - root;
	price[y * width + x] =
		spot * cdf(d1) - strike * expf(-rate * years) * cdf(d2);
}
