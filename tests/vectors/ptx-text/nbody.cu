struct body { float x, y, z, m; };
extern "C" __global__ void nbody(const float4 *__restrict__ in, float4 *out, float4 *vel, int n, float dt)
{
	extern __shared__ float4 tile[];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float4 p = in[i];
	float ax = 0, ay = 0, az = 0;
	for (int base = 0; base < n; base += blockDim.x) {
		tile[threadIdx.x] = in[base + threadIdx.x];
		__syncthreads();
#pragma unroll 4
		for (int k = 0; k < blockDim.x; k++) {
			float4 q = tile[k];
			float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
			float d = dx * dx + dy * dy + dz * dz + 0.01f;
			float r = 1.0f / sqrtf(d);
			float w = q.w * r * r * r;
			ax += dx * w; ay += dy * w; az += dz * w;
		}
		__syncthreads();
	}
	float4 v = vel[i];
	v.x += ax * dt; v.y += ay * dt; v.z += az * dt;
	vel[i] = v;
	p.x += v.x * dt; p.y += v.y * dt; p.z += v.z * dt;
	out[i] = p;
}
