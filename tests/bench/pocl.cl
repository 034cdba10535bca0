/* The kernels of exec.cu in OpenCL C, line by line. */

__kernel void bench_mix(__global uint *out, int n)
{
	uint i = get_global_id(0);
	uint a = i * 2654435761u, b = i ^ 0x9e3779b9u, c = i + 7;

	for (int k = 0; k < n; k++) {
		a += b;
		b ^= a << 5;
		c = c * 1664525u + 1013904223u;
		b += c >> 7;
		a ^= c;
		c = popcount(a) + (c ^ b);
		a = (a >> 3) | (a << 29);
	}
	out[i] = a ^ b ^ c;
}

__kernel void bench_mandel(__global uint *out, int w, int h, float x0, float y0,
		     float dx, int maxit)
{
	int x = get_global_id(0), y = get_global_id(1);

	if (x >= w || y >= h)
		return;
	float cx = x0 + x * dx, cy = y0 + y * dx, zx = 0, zy = 0;
	int i = 0;
	while (i < maxit && zx * zx + zy * zy < 4.0f) {
		float t = zx * zx - zy * zy + cx;
		zy = 2 * zx * zy + cy;
		zx = t;
		i++;
	}
	out[y * w + x] = i;
}

#define T 16
__kernel void bench_matmul(__global const float *restrict a,
		     __global const float *restrict b, __global float *c, int n)
{
	__local float sa[T][T], sb[T][T];
	int tx = get_local_id(0), ty = get_local_id(1);
	int row = get_group_id(1) * T + ty, col = get_group_id(0) * T + tx;
	float acc = 0;

	for (int k = 0; k < n; k += T) {
		sa[ty][tx] = a[row * n + k + tx];
		sb[ty][tx] = b[(k + ty) * n + col];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int j = 0; j < T; j++)
			acc += sa[ty][j] * sb[j][tx];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[row * n + col] = acc;
}

__kernel void bench_nbody(__global const float4 *p, __global float4 *acc, int n)
{
	__local float4 s[256];
	int t = get_local_id(0);
	int i = get_group_id(0) * 256 + t;
	float4 me = p[i];
	float ax = 0, ay = 0, az = 0;

	for (int k = 0; k < n; k += 256) {
		s[t] = p[k + t];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int j = 0; j < 256; j++) {
			float dx = s[j].x - me.x, dy = s[j].y - me.y,
			      dz = s[j].z - me.z;
			float r2 = dx * dx + dy * dy + dz * dz + 1e-3f;
			float inv = 1.0f / sqrt(r2);
			float f = s[j].w * inv * inv * inv;
			ax += dx * f;
			ay += dy * f;
			az += dz * f;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	acc[i] = (float4)(ax, ay, az, 0);
}

__constant uint K[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

__kernel void bench_hash(__global uint *out, uint seed)
{
	uint id = get_global_id(0);
	uint w[16];

	w[0] = seed;
	w[1] = id;
	w[2] = 0x80000000;
#pragma unroll
	for (int i = 3; i < 15; i++)
		w[i] = 0;
	w[15] = 64;
	uint a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a;
	uint e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
#pragma unroll
	for (int i = 0; i < 64; i++) {
		uint wi;

		if (i < 16) {
			wi = w[i];
		} else {
			uint s0 = w[(i + 1) & 15], s1 = w[(i + 14) & 15];

			s0 = rotate(s0, 25u) ^ rotate(s0, 14u) ^ (s0 >> 3);
			s1 = rotate(s1, 15u) ^ rotate(s1, 13u) ^ (s1 >> 10);
			wi = w[i & 15] = w[i & 15] + s0 + w[(i + 9) & 15] + s1;
		}
		uint t1 = h +
			  (rotate(e, 26u) ^ rotate(e, 21u) ^ rotate(e, 7u)) +
			  ((e & f) ^ (~e & g)) + K[i] + wi;
		uint t2 = (rotate(a, 30u) ^ rotate(a, 19u) ^ rotate(a, 10u)) +
			  ((a & b) ^ (a & c) ^ (b & c));

		h = g;
		g = f;
		f = e;
		e = d + t1;
		d = c;
		c = b;
		b = a;
		a = t1 + t2;
	}
	out[id] = a + 0x6a09e667;
}
