/* Graphs, tables, sets. */
#include "corpus.cuh"

/* One level from the side of the unvisited. */
//= A
//@ <<<1 64>>> u32[64] u32[64]=mod3 u32[256]=mod64 u32=1
KERNEL bfs_pull(u32 *next, const u32 *level, const u32 *edges, u32 depth)
{
	u32 v = level[threadIdx.x];
	if (v == 0) {
		for (int k = 0; k < 4; k++)
			if (level[edges[threadIdx.x * 4 + k]] == depth)
				v = depth + 1;
	}
	next[threadIdx.x] = v;
}

/* The usual push: what it reads, it writes. */
//= A assumed
//@ <<<1 64>>> u32[64]=mod3 u32[256]=mod64 u32=1 ; norun
KERNEL bfs_push(u32 *level, const u32 *edges, u32 depth)
{
	if (level[THREAD] != depth)
		return;
	for (int k = 0; k < 4; k++) {
		u32 to = edges[THREAD * 4 + k];
		if (level[to] == 0)
			level[to] = depth + 1;
	}
}

//= A
//@ <<<1 64>>> u32[64] u32[64]=mod64
KERNEL pointer_jump(u32 *out, const u32 *parent)
{
	u32 p = threadIdx.x;
	for (int k = 0; k < 6; k++)
		p = parent[p];
	out[threadIdx.x] = p;
}

__device__ u32 find_root(u32 *parent, u32 v)
{
	while (parent[v] != v)
		v = parent[v];
	return v;
}

//= C atomic_result_used
//@ <<<1 32>>> u32[64]=iota u32[64]=mod64 ; norun
KERNEL union_find(u32 *parent, const u32 *edges)
{
	u32 a = edges[2 * THREAD], b = edges[2 * THREAD + 1];
	for (;;) {
		a = find_root(parent, a);
		b = find_root(parent, b);
		if (a == b)
			return;
		u32 hi = max(a, b), lo = min(a, b);
		if (atomicCAS(&parent[hi], hi, lo) == hi)
			return;
	}
}

//= R atomic_one_op
//@ <<<2 64>>> u32[32] u32[128]=hash
KERNEL bloom_insert(u32 *bits, const u32 *keys)
{
	u32 h = keys[THREAD];
	for (int k = 0; k < 4; k++) {
		h = h * 0x9e3779b1u + 0x7f4a7c15u;
		atomicOr(&bits[h >> 27], 1u << (h >> 20 & 31));
	}
}

//= A
//@ <<<2 64>>> u8[128] u32[32]=hash u32[128]=hash
KERNEL bloom_query(u8 *out, const u32 *bits, const u32 *keys)
{
	u32 h = keys[THREAD], all = 1;
	for (int k = 0; k < 4; k++) {
		h = h * 0x9e3779b1u + 0x7f4a7c15u;
		all &= bits[h >> 27] >> (h >> 20 & 31);
	}
	out[THREAD] = (u8)(all & 1);
}

//= C atomic_result_used
//@ <<<2 64>>> u32[256] u32[128]=hash ; norun
KERNEL hash_insert(u32 *table, const u32 *keys)
{
	u32 key = keys[THREAD] | 1;
	for (u32 at = key * 0x9e3779b1u >> 24;; at = (at + 1) & 255) {
		u32 seen = atomicCAS(&table[at], 0, key);
		if (seen == 0 || seen == key)
			return;
	}
}

//= A
//@ <<<2 64>>> u32[128] u32[256]=hash u32[128]=hash
KERNEL hash_lookup(u32 *out, const u32 *table, const u32 *keys)
{
	u32 key = keys[THREAD], at = key >> 24, n = 0;
	while (n < 256 && table[at] != key) {
		at = (at + 1) & 255;
		n++;
	}
	out[THREAD] = n;
}

//= A
//@ <<<2 64>>> u32[128] u32[64]=iota u32[128]=mod80
KERNEL binary_search(u32 *out, const u32 *sorted, const u32 *keys)
{
	u32 lo = 0, hi = 64, key = keys[THREAD];
	while (lo < hi) {
		u32 mid = (lo + hi) / 2;
		if (sorted[mid] < key)
			lo = mid + 1;
		else
			hi = mid;
	}
	out[THREAD] = lo;
}

//= A
//@ <<<1 16>>> u32[256] u32[256]=mod100 u32=5
KERNEL floyd_row(u32 *out, const u32 *d, u32 k)
{
	u32 i = threadIdx.x;
	for (u32 j = 0; j < 16; j++)
		out[i * 16 + j] = min(d[i * 16 + j], d[i * 16 + k] + d[k * 16 + j]);
}

//= A
//@ <<<1 64>>> u32[64] u32[256]=mod64
KERNEL count_triangles(u32 *out, const u32 *edges)
{
	const u32 *mine = edges + threadIdx.x * 4;
	u32 n = 0;
	for (int a = 0; a < 4; a++)
		for (int b = 0; b < 4; b++)
			for (int c = 0; c < 4; c++)
				n += edges[mine[a] * 4 + c] == mine[b];
	out[threadIdx.x] = n;
}

//= A
//@ <<<1 64>>> f32[64] f32[64]=unit u32[256]=mod64
KERNEL pagerank_pull(float *out, const float *rank, const u32 *in_edges)
{
	float s = 0;
	for (int k = 0; k < 4; k++)
		s += rank[in_edges[threadIdx.x * 4 + k]] * 0.25f;
	out[threadIdx.x] = 0.15f / 64.0f + 0.85f * s;
}

/* Nearest of 16 centres, in 4 dimensions. */
//= A
//@ <<<2 64>>> u32[128] f32[512]=unit f32[64]=unit
KERNEL kmeans_assign(u32 *out, const float4 *points, const float4 *centres)
{
	float4 p = points[THREAD];
	float least = 1e30f;
	u32 which = 0;
	for (u32 k = 0; k < 16; k++) {
		float4 c = centres[k];
		float d = (p.x - c.x) * (p.x - c.x) + (p.y - c.y) * (p.y - c.y) + (p.z - c.z) * (p.z - c.z) + (p.w - c.w) * (p.w - c.w);
		if (d < least) {
			least = d;
			which = k;
		}
	}
	out[THREAD] = which;
}

//= A
//@ <<<1 32>>> u32[96] f32[32]=unit f32[64]=unit
KERNEL knn3(u32 *out, const float *query, const float *points)
{
	float d[3] = {1e30f, 1e30f, 1e30f};
	u32 at[3] = {0, 0, 0};
	for (u32 k = 0; k < 64; k++) {
		float v = fabsf(points[k] - query[threadIdx.x]);
		u32 i = k;
		for (int j = 0; j < 3; j++) {
			if (v < d[j]) {
				float tv = d[j];
				u32 ti = at[j];
				d[j] = v;
				at[j] = i;
				v = tv;
				i = ti;
			}
		}
	}
	for (int j = 0; j < 3; j++)
		out[threadIdx.x * 3 + j] = at[j];
}
