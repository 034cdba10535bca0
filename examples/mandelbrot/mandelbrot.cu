/*
 * One tile of the Mandelbrot set, one thread a pixel, three bytes a pixel.
 * Plain float arithmetic: what NVRTC fuses stays fused, so every machine
 * draws the same bytes.
 */
#define ITERATIONS 256u

static __device__ void colour(unsigned n, unsigned char *rgb)
{
	if (n == ITERATIONS) {
		rgb[0] = rgb[1] = rgb[2] = 0;
		return;
	}
	rgb[0] = (unsigned char)(n * 5u & 255u);
	rgb[1] = (unsigned char)(n * 11u & 255u);
	rgb[2] = (unsigned char)(96u + (n * 3u & 127u));
}

extern "C" __global__ void mandelbrot(unsigned char *pixels, unsigned tile,
				      unsigned columns, unsigned task)
{
	unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
	float    size = (float)(tile * columns);
	float    cx, cy, zx = 0.0f, zy = 0.0f;
	unsigned n = 0;

	if (x >= tile || y >= tile)
		return;
	cx = -2.2f + 3.0f * (float)(task % columns * tile + x) / size;
	cy = -1.5f + 3.0f * (float)(task / columns * tile + y) / size;
	while (n < ITERATIONS && zx * zx + zy * zy < 4.0f) {
		float next = zx * zx - zy * zy + cx;

		zy = 2.0f * zx * zy + cy;
		zx = next;
		n++;
	}
	colour(n, pixels + 3u * (y * tile + x));
}
