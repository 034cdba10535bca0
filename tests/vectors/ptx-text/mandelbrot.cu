extern "C" __global__ void mandelbrot(unsigned char *out, int width, int height,
	float x0, float y0, float step, int limit)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= width || y >= height)
		return;
	float cx = x0 + x * step, cy = y0 + y * step, zx = 0, zy = 0;
	int n = 0;
	while (n < limit && zx * zx + zy * zy < 4.0f) {
		float t = zx * zx - zy * zy + cx;
		zy = 2 * zx * zy + cy;
		zx = t;
		n++;
	}
	out[y * width + x] = (unsigned char)(n * 255 / limit);
}
