/*
 * Edges of a grey picture: Sobel's two 3 x 3 filters, one thread a pixel,
 * a strip of rows a task.
 */
static __device__ int at(const unsigned char *in, int x, int y, int width,
			 int height)
{
	x = min(max(x, 0), width - 1);
	y = min(max(y, 0), height - 1);
	return in[y * width + x];
}

extern "C" __global__ void sobel(const unsigned char *in, unsigned char *out,
				 int width, int height, int first_row)
{
	int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	int row = (int)(blockIdx.y * blockDim.y + threadIdx.y);
	int y = first_row + row, a, b, c, d, f, g, h, i, gx, gy;

	if (x >= width)
		return;
	a = at(in, x - 1, y - 1, width, height);
	b = at(in, x, y - 1, width, height);
	c = at(in, x + 1, y - 1, width, height);
	d = at(in, x - 1, y, width, height);
	f = at(in, x + 1, y, width, height);
	g = at(in, x - 1, y + 1, width, height);
	h = at(in, x, y + 1, width, height);
	i = at(in, x + 1, y + 1, width, height);
	gx = c + 2 * f + i - a - 2 * d - g;
	gy = g + 2 * h + i - a - 2 * b - c;
	out[row * width + x] = (unsigned char)min(abs(gx) + abs(gy), 255);
}
