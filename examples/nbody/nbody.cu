/*
 * Gravity among n bodies, every pair, tiles of bodies in shared memory.
 * A body is float4: position and mass; a velocity is float4 too.
 */
#define TILE 128

static __device__ float unit(unsigned seed)
{
	seed ^= seed >> 16;
	seed *= 0x7feb352du;
	seed ^= seed >> 15;
	seed *= 0x846ca68bu;
	seed ^= seed >> 16;
	return (float)(seed >> 8) * (1.0f / 16777216.0f);
}

extern "C" __global__ void scatter(float4 *body, float4 *velocity, unsigned n,
				   unsigned task)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned s = (task * n + i) * 4u;
	float4   b;

	if (i >= n)
		return;
	b.x = unit(s) * 2.0f - 1.0f;
	b.y = unit(s + 1u) * 2.0f - 1.0f;
	b.z = unit(s + 2u) * 2.0f - 1.0f;
	b.w = 1.0f / (float)n;
	body[i] = b;
	velocity[i] = make_float4(-b.y * 0.5f, b.x * 0.5f, 0.0f, 0.0f);
}

extern "C" __global__ void step(const float4 *from, float4 *to,
				float4 *velocity, unsigned n, float dt)
{
	__shared__ float4 tile[TILE];
	unsigned          i = blockIdx.x * TILE + threadIdx.x;
	float4            me = from[i], v = velocity[i];
	float             ax = 0.0f, ay = 0.0f, az = 0.0f;

	for (unsigned base = 0; base < n; base += TILE) {
		tile[threadIdx.x] = from[base + threadIdx.x];
		__syncthreads();
		for (unsigned j = 0; j < TILE; j++) {
			float4 o = tile[j];
			float  dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
			float  r2 = dx * dx + dy * dy + dz * dz + 0.01f;
			float  r = sqrtf(r2);
			float  f = o.w / (r2 * r);

			ax += f * dx;
			ay += f * dy;
			az += f * dz;
		}
		__syncthreads();
	}
	v.x += dt * ax;
	v.y += dt * ay;
	v.z += dt * az;
	velocity[i] = v;
	to[i] = make_float4(me.x + dt * v.x, me.y + dt * v.y, me.z + dt * v.z,
			    me.w);
}

/* How many bodies a pixel sees, looking down the z axis. */
extern "C" __global__ void plot(const float4 *body, unsigned char *pixels,
				unsigned n, unsigned size)
{
	unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
	float    cell = 3.0f / (float)size, light = 0.0f;
	float    px = -1.5f + ((float)x + 0.5f) * cell;
	float    py = -1.5f + ((float)y + 0.5f) * cell;

	for (unsigned i = 0; i < n; i++) {
		float dx = body[i].x - px, dy = body[i].y - py;
		float d2 = dx * dx + dy * dy;

		if (d2 < cell * cell * 9.0f)
			light += 60.0f;
	}
	pixels[y * size + x] =
		light > 255.0f ? 255 : (unsigned char)light;
}
