__device__ int at(const unsigned char *in, int w, int h, int x, int y)
{
	x = x < 0 ? 0 : x >= w ? w - 1 : x;
	y = y < 0 ? 0 : y >= h ? h - 1 : y;
	return in[y * w + x];
}
extern "C" __global__ void sobel(const unsigned char *in, unsigned char *out, int w, int h)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= w || y >= h) return;
	int gx = at(in, w, h, x + 1, y - 1) + 2 * at(in, w, h, x + 1, y) + at(in, w, h, x + 1, y + 1)
	       - at(in, w, h, x - 1, y - 1) - 2 * at(in, w, h, x - 1, y) - at(in, w, h, x - 1, y + 1);
	int gy = at(in, w, h, x - 1, y + 1) + 2 * at(in, w, h, x, y + 1) + at(in, w, h, x + 1, y + 1)
	       - at(in, w, h, x - 1, y - 1) - 2 * at(in, w, h, x, y - 1) - at(in, w, h, x + 1, y - 1);
	int m = (int)__fsqrt_rn((float)(gx * gx + gy * gy));
	out[y * w + x] = m > 255 ? 255 : m;
}
