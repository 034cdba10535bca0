/* Sequence alignment. */
#include "corpus.cuh"

//= A
//@ <<<1 32>>> u32[32] u8[512]=mod4 u8[16]=mod4
KERNEL smith_waterman_pairs(u32 *out, const u8 *seqs, const u8 *query)
{
	int row[17] = {}, best = 0;
	for (int i = 0; i < 16; i++) {
		int diagonal = 0;
		for (int j = 1; j <= 16; j++) {
			int match = seqs[threadIdx.x * 16 + i] == query[j - 1] ? 2 : -1;
			int v = max(0, max(diagonal + match, max(row[j], row[j - 1]) - 1));
			diagonal = row[j];
			row[j] = v;
			best = max(best, v);
		}
	}
	out[threadIdx.x] = (u32)best;
}

/* One pair a CTA; anti-diagonals in shared memory. */
//= A
//@ <<<4 32>>> s32[4] u8[128]=mod4 u8[128]=mod4
KERNEL needleman_wunsch_wavefront(int *out, const u8 *a, const u8 *b)
{
	__shared__ int d[3][33];
	u32 t = threadIdx.x, base = blockIdx.x * 32;
	d[0][t] = d[1][t] = d[2][t] = 0;
	__syncthreads();
	if (t == 0) {
		d[0][32] = d[1][32] = d[2][32] = 0;
		d[0][0] = 0;
		d[1][0] = d[1][1] = -1;
	}
	__syncthreads();
	int last = 0;
	for (int s = 2; s <= 64; s++) {
		int *now = d[s % 3];
		const int *p1 = d[(s + 2) % 3], *p2 = d[(s + 1) % 3];
		int i = (int)t + 1, j = s - i;
		int v = 0;
		bool inside = j >= 1 && j <= 32;
		if (inside) {
			int up = i - 1 == 0 ? -j : p1[i - 1], left = j - 1 == 0 ? -i : p1[i], diag = i - 1 == 0 ? -(j - 1) : j - 1 == 0 ? -(i - 1) : p2[i - 1];
			v = max(diag + (a[base + i - 1] == b[base + j - 1] ? 1 : -1), max(up, left) - 1);
		}
		__syncthreads();
		if (inside) {
			now[i] = v;
			last = v;
		}
		__syncthreads();
	}
	if (t == 31)
		out[blockIdx.x] = last;
}

//= A
//@ <<<1 64>>> u32[64] u64[64]=hash u64[64]=hash
KERNEL hamming_packed(u32 *out, const u64 *a, const u64 *b)
{
	u64 x = a[threadIdx.x] ^ b[threadIdx.x];
	out[threadIdx.x] = (u32)__popcll((x | x >> 1) & 0x5555555555555555ull);
}

//= A
//@ <<<1 64>>> u64[64] u8[2048]=mod4
KERNEL kmer_canonical(u64 *out, const u8 *in)
{
	u64 f = 0, r = 0;
	for (u32 k = 0; k < 31; k++) {
		u64 c = in[threadIdx.x * 32 + k] & 3;
		f = f << 2 | c;
		r |= (3 - c) << (2 * k);
	}
	out[threadIdx.x] = f < r ? f : r;
}

/* Myers' bit-parallel edit distance. */
//= A
//@ <<<1 32>>> u32[32] u8[1024]=mod4 u8[32]=mod4
KERNEL myers(u32 *out, const u8 *texts, const u8 *pattern)
{
	u32 peq[4] = {}, pv = ~0u, mv = 0, score = 32;
	for (int i = 0; i < 32; i++)
		peq[pattern[i] & 3] |= 1u << i;
	for (int i = 0; i < 32; i++) {
		u32 eq = peq[texts[threadIdx.x * 32 + i] & 3];
		u32 xv = eq | mv, xh = (((eq & pv) + pv) ^ pv) | eq;
		u32 ph = mv | ~(xh | pv), mh = pv & xh;
		score += (ph >> 31) - (mh >> 31);
		ph = ph << 1 | 1;
		pv = (mh << 1) | ~(xv | ph);
		mv = ph & xv;
	}
	out[threadIdx.x] = score;
}

//= A
//@ <<<1 16>>> u32[16] u32[256]=mod5 u32[256]=mod5
KERNEL longest_common(u32 *out, const u32 *a, const u32 *b)
{
	u32 row[17] = {};
	for (int i = 0; i < 16; i++) {
		u32 diagonal = 0;
		for (int j = 0; j < 16; j++) {
			u32 up = row[j + 1];
			row[j + 1] = a[threadIdx.x * 16 + i] == b[threadIdx.x * 16 + j] ? diagonal + 1 : max(up, row[j]);
			diagonal = up;
		}
	}
	out[threadIdx.x] = row[16];
}
