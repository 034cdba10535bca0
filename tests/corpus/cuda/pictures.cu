/* Pictures and small 3-D: one thread a pixel. */
#include "corpus.cuh"

//= A
//@ <<<16 64>>> u32[1024] u32=32 u32=100
KERNEL mandelbrot(u32 *out, u32 width, u32 limit)
{
	u32 i = THREAD, x = i % width, y = i / width, n = 0;
	float cr = (float)x * 0.09375f - 2.0f, ci = (float)y * 0.09375f - 1.5f;
	float zr = 0, zi = 0;
	while (n < limit && zr * zr + zi * zi < 4.0f) {
		float t = zr * zr - zi * zi + cr;
		zi = 2 * zr * zi + ci;
		zr = t;
		n++;
	}
	out[i] = n;
}

//= A
//@ <<<16 64>>> u32[1024] u32=32
KERNEL julia_double(u32 *out, u32 width)
{
	u32 i = THREAD, n = 0;
	double zr = (double)(i % width) / 16 - 1, zi = (double)(i / width) / 16 - 1;
	for (; n < 255; n++) {
		double t = zr * zr - zi * zi - 0.8;
		zi = 2 * zr * zi + 0.156;
		zr = t;
		if (zr * zr + zi * zi > 4)
			break;
	}
	out[i] = n;
}

struct vec3 {
	float x, y, z;
};

__device__ __forceinline__ vec3 operator+(vec3 a, vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__device__ __forceinline__ vec3 operator-(vec3 a, vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
__device__ __forceinline__ vec3 operator*(vec3 a, float s) { return {a.x * s, a.y * s, a.z * s}; }
__device__ __forceinline__ float dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

struct sphere {
	vec3 at;
	float radius, shine;
};

__constant__ sphere spheres[4] = {{{0, 0, 5}, 1, 0.5f}, {{2, 0, 6}, 1.5f, 0.25f}, {{-2, 1, 4}, 0.5f, 0.75f}, {{0, -101, 5}, 100, 0.125f}};

__device__ bool hit(sphere s, vec3 from, vec3 to, float *ret_t)
{
	vec3 d = from - s.at;
	float b = dot(d, to), c = dot(d, d) - s.radius * s.radius, q = b * b - c;
	if (q < 0)
		return false;
	float t = -b - sqrtf(q);
	if (t < 0.001f)
		return false;
	*ret_t = t;
	return true;
}

//= A
//@ <<<4 64>>> f32[256] u32=16
KERNEL ray_spheres(float *out, u32 width)
{
	u32 i = THREAD;
	vec3 to = {((float)(i % width) - 8) / 16, ((float)(i / width) - 8) / 16, 1};
	to = to * (1.0f / sqrtf(dot(to, to)));
	vec3 from = {0, 0, 0};
	float light = 0, weight = 1;
	for (int bounce = 0; bounce < 4; bounce++) {
		float nearest = 1e30f;
		int which = -1;
		for (int k = 0; k < 4; k++) {
			float t;
			if (hit(spheres[k], from, to, &t) && t < nearest) {
				nearest = t;
				which = k;
			}
		}
		if (which < 0) {
			light += weight * (0.5f + 0.5f * to.y);
			break;
		}
		sphere s = spheres[which];
		from = from + to * nearest;
		vec3 n = (from - s.at) * (1.0f / s.radius);
		to = to - n * (2 * dot(to, n));
		weight *= s.shine;
	}
	out[i] = light;
}

__device__ __forceinline__ u32 pcg(u32 &s)
{
	s = s * 747796405u + 2891336453u;
	u32 w = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u;
	return (w >> 22) ^ w;
}

//= A
//@ <<<2 64>>> f32[128] u32=8
KERNEL path_walk(float *out, u32 steps)
{
	u32 i = THREAD, s = i * 9781u + 1;
	float e = 0, through = 1;
	for (u32 k = 0; k < steps; k++) {
		float a = (float)(pcg(s) >> 8) * (1.0f / 16777216.0f);
		float b = (float)(pcg(s) >> 8) * (1.0f / 16777216.0f);
		if (a < 0.25f) {
			e += through * b;
			break;
		}
		through *= 0.75f + 0.25f * b;
	}
	out[i] = e;
}

//= A
//@ <<<4 64>>> u8[1024] u32=16
KERNEL rgba_gradient(u8 *out, u32 width)
{
	u32 i = THREAD;
	uchar4 c = {(u8)(i % width * 16), (u8)(i / width * 16), (u8)(i * 7), 255};
	((uchar4 *)out)[i] = c;
}

/* Lengths of rays through a field of boxes, cell by cell. */
//= A
//@ <<<2 32>>> u32[64] u32[64]=hash
KERNEL voxel_march(u32 *out, const u32 *cells)
{
	u32 i = THREAD;
	int x = (int)(i & 7), y = (int)(i >> 3), dx = (int)(i % 3) - 1, dy = (int)(i % 5) - 2, n = 0;
	while (x >= 0 && x < 8 && y >= 0 && y < 8 && n < 20 && (cells[y * 8 + x] & 3) != 0) {
		if ((n & 1) != 0)
			x += dx;
		else
			y += dy;
		n++;
	}
	out[i] = (u32)n;
}

#if !defined(__clang__)
//= A
//@ <<<4 64>>> f32[768] u32=16 ; nvidia
KERNEL tone_map(float *out, u32 width)
{
	u32 i = THREAD;
	float v = (float)i / (float)width;
	float3 c = make_float3(v / (1 + v), v * v / (1 + v * v), sqrtf(v));
	((float3 *)out)[i] = c;
}
#endif
