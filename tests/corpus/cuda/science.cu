/* Many small steps of physics and chemistry. */
#include "corpus.cuh"

//= A
//@ <<<2 64>>> f32[512] f32[512]=unit u32=128
KERNEL nbody_tiles(float4 *out, const float4 *in, u32 n)
{
	__shared__ float4 tile[64];
	u32 i = THREAD;
	float4 me = in[i];
	float ax = 0, ay = 0, az = 0;
	for (u32 t = 0; t < n; t += 64) {
		tile[threadIdx.x] = in[t + threadIdx.x];
		__syncthreads();
#pragma unroll 8
		for (u32 k = 0; k < 64; k++) {
			float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
			float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
			float inv = 1.0f / sqrtf(r2), s = tile[k].w * inv * inv * inv;
			ax += dx * s;
			ay += dy * s;
			az += dz * s;
		}
		__syncthreads();
	}
	out[i] = make_float4(ax, ay, az, 0);
}

//= A
//@ <<<2 64>>> f64[384] f64[384]=sym f64=0.001
KERNEL leapfrog(double *at, double *speed, double dt)
{
	u32 i = THREAD * 3;
	for (int k = 0; k < 3; k++) {
		double v = speed[i + k] - at[i + k] * dt;
		at[i + k] += v * dt;
		speed[i + k] = v;
	}
}

//= A
//@ <<<4 64>>> f32[256] f32[256]=sym f32[256]=sym u32=256 f32=0.25
KERNEL wave1d(float *next, const float *now, const float *last, u32 n, float c)
{
	u32 i = THREAD;
	float l = i > 0 ? now[i - 1] : 0, r = i + 1 < n ? now[i + 1] : 0;
	next[i] = 2 * now[i] - last[i] + c * (l - 2 * now[i] + r);
}

//= A
//@ <<<(2 2) (16 16)>>> f32[1024] f32[1024]=unit f32[1024]=unit u32=32
KERNEL hotspot(float *out, const float *heat, const float *power, u32 n)
{
	__shared__ float t[18][18];
	u32 x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
	u32 tx = threadIdx.x + 1, ty = threadIdx.y + 1;
	t[ty][tx] = heat[y * n + x];
	if (threadIdx.x == 0)
		t[ty][0] = heat[y * n + (x > 0 ? x - 1 : 0)];
	if (threadIdx.x == 15)
		t[ty][17] = heat[y * n + (x + 1 < n ? x + 1 : x)];
	if (threadIdx.y == 0)
		t[0][tx] = heat[(y > 0 ? y - 1 : 0) * n + x];
	if (threadIdx.y == 15)
		t[17][tx] = heat[(y + 1 < n ? y + 1 : y) * n + x];
	__syncthreads();
	float c = t[ty][tx];
	out[y * n + x] = c + 0.125f * (t[ty - 1][tx] + t[ty + 1][tx] + t[ty][tx - 1] + t[ty][tx + 1] - 4 * c) + 0.0625f * power[y * n + x];
}

//= A
//@ <<<(1 1 2) (8 8 4)>>> f32[512] f32[512]=unit
KERNEL stencil3d(float *out, const float *in)
{
	u32 x = threadIdx.x, y = threadIdx.y, z = blockIdx.z * 4 + threadIdx.z, i = (z * 8 + y) * 8 + x;
	float v = in[i];
	if (x > 0 && x < 7 && y > 0 && y < 7 && z > 0 && z < 7)
		v = (in[i - 1] + in[i + 1] + in[i - 8] + in[i + 8] + in[i - 64] + in[i + 64]) / 6.0f;
	out[i] = v;
}

struct ligand_atom {
	float x, y, z, charge;
	int kind;
};

/* One pose a thread, against all atoms of a pocket. */
//= A
//@ <<<1 64>>> f32[64] f32[192]=sym u32[160]=mod7 u32=32
KERNEL dock_poses(float *score, const float *poses, const ligand_atom *pocket, u32 n)
{
	float px = poses[threadIdx.x * 3], py = poses[threadIdx.x * 3 + 1], pz = poses[threadIdx.x * 3 + 2], sum = 0;
	for (u32 k = 0; k < n; k++) {
		ligand_atom a = pocket[k];
		float dx = (float)__float_as_int(a.x) - px, dy = (float)__float_as_int(a.y) - py, dz = (float)__float_as_int(a.z) - pz;
		float r2 = dx * dx + dy * dy + dz * dz + 0.5f;
		float r6 = 1.0f / (r2 * r2 * r2);
		sum += (a.kind & 1) != 0 ? r6 * r6 - r6 : r6;
	}
	score[threadIdx.x] = sum;
}

/* Lennard-Jones with a neighbour list, f64. */
//= A
//@ <<<1 32>>> f64[96] f64[96]=unit u32[256]=mod32
KERNEL md_forces(double *force, const double *at, const u32 *neighbours)
{
	u32 i = threadIdx.x;
	double fx = 0, fy = 0, fz = 0;
	for (int k = 0; k < 8; k++) {
		u32 j = neighbours[i * 8 + k];
		if (j == i)
			continue;
		double dx = at[3 * i] - at[3 * j], dy = at[3 * i + 1] - at[3 * j + 1], dz = at[3 * i + 2] - at[3 * j + 2];
		double r2 = dx * dx + dy * dy + dz * dz + 0.25, r6 = 1 / (r2 * r2 * r2), s = (48 * r6 * r6 - 24 * r6) / r2;
		fx += dx * s;
		fy += dy * s;
		fz += dz * s;
	}
	force[3 * i] = fx;
	force[3 * i + 1] = fy;
	force[3 * i + 2] = fz;
}

//= A
//@ <<<2 64>>> f32[128] f32[128]=unit f32=0.1 u32=50
KERNEL lotka_volterra(float *out, const float *in, float dt, u32 steps)
{
	float x = in[THREAD] + 0.5f, y = 1;
	for (u32 k = 0; k < steps; k++) {
		float nx = x + dt * x * (1 - y), ny = y + dt * y * (x - 1);
		x = nx;
		y = ny;
	}
	out[THREAD] = x + y;
}

/* The game of life on bits: 32 cells a word. */
//= A
//@ <<<1 64>>> u32[64] u32[64]=hash
KERNEL life_bits(u32 *out, const u32 *in)
{
	u32 y = threadIdx.x, a = in[(y + 63) & 63], b = in[y], c = in[(y + 1) & 63], r = 0;
	for (int x = 0; x < 32; x++) {
		u32 l = (u32)(x + 31) & 31, h = (u32)(x + 1) & 31;
		u32 n = (a >> l & 1) + (a >> x & 1) + (a >> h & 1) + (b >> l & 1) + (b >> h & 1) + (c >> l & 1) + (c >> x & 1) + (c >> h & 1);
		r |= (u32)(n == 3 || (n == 2 && (b >> x & 1) != 0)) << x;
	}
	out[y] = r;
}

//= A
//@ <<<2 64>>> f32[128] u32=20
KERNEL euler_pendulum(float *out, u32 steps)
{
	float a = (float)THREAD / 128.0f, v = 0;
	for (u32 k = 0; k < steps; k++) {
		float s = a - a * a * a / 6.0f + a * a * a * a * a / 120.0f;
		v -= 0.05f * s;
		a += 0.05f * v;
	}
	out[THREAD] = a;
}

/* Red-black relaxation in place: what it reads, it writes. */
//= A assumed
//@ <<<4 64>>> f32[260]=unit u32=0
KERNEL red_black(float *v, u32 colour)
{
	u32 i = 1 + THREAD;
	if ((i & 1) == colour)
		v[i] = 0.5f * (v[i - 1] + v[i + 1]);
}
