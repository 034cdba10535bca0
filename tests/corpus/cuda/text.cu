/* Texts: cleaning, tokens, distances, automata, de-duplication. */
#include "corpus.cuh"

//= A
//@ <<<2 64>>> u8[128] u8[128]=text
KERNEL lower_case(u8 *out, const u8 *in)
{
	u8 c = in[THREAD];
	out[THREAD] = c >= 'A' && c <= 'Z' ? c + 32 : c;
}

//= A
//@ <<<1 64>>> u32[64] u8[1024]=text
KERNEL count_words(u32 *out, const u8 *in)
{
	const u8 *s = in + threadIdx.x * 16;
	u32 n = 0;
	bool inside = false;
	for (int i = 0; i < 16; i++) {
		bool letter = (s[i] | 32) >= 'a' && (s[i] | 32) <= 'z';
		n += letter && !inside;
		inside = letter;
	}
	out[threadIdx.x] = n;
}

__device__ __constant__ char alphabet[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

//= A
//@ <<<1 64>>> u8[256] u8[192]=hash
KERNEL base64(u8 *out, const u8 *in)
{
	u32 i = threadIdx.x, v = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
	for (int k = 0; k < 4; k++)
		out[4 * i + k] = (u8)alphabet[v >> (18 - 6 * k) & 63];
}

//= A
//@ <<<1 32>>> u32[32] u8[512]=text u8[16]=text
KERNEL levenshtein(u32 *out, const u8 *words, const u8 *query)
{
	u8 row[17];
	const u8 *w = words + threadIdx.x * 16;
	for (int j = 0; j <= 16; j++)
		row[j] = (u8)j;
	for (int i = 1; i <= 16; i++) {
		u8 diagonal = row[0];
		row[0] = (u8)i;
		for (int j = 1; j <= 16; j++) {
			u8 up = row[j], cost = (u8)(diagonal + (w[i - 1] != query[j - 1]));
			u8 best = up < row[j - 1] ? up + 1 : row[j - 1] + 1;
			diagonal = up;
			row[j] = cost < best ? cost : best;
		}
	}
	out[threadIdx.x] = row[16];
}

/* A DFA for (ab|c)*d over bytes. */
__constant__ s8 dfa[3][4] = {{1, -1, 0, 2}, {-1, 0, -1, -1}, {-1, -1, -1, -1}};

//= A
//@ <<<1 64>>> u32[64] u8[1024]=mod4
KERNEL regex_dfa(u32 *out, const u8 *in)
{
	int state = 0;
	u32 n = 0;
	for (; n < 16 && state >= 0 && state != 2; n++)
		state = dfa[state][in[threadIdx.x * 16 + n] & 3];
	out[threadIdx.x] = n | (state == 2 ? 0x80000000u : 0);
}

//= A
//@ <<<2 64>>> u32[128] u8[2048]=text u32=16
KERNEL minhash(u32 *out, const u8 *text, u32 n)
{
	u32 i = THREAD, least = ~0u;
	for (u32 k = 0; k + 3 < n; k++) {
		u32 h = 2166136261u;
		for (u32 j = 0; j < 4; j++)
			h = (h ^ text[i * n + k + j]) * 16777619u;
		least = min(least, h);
	}
	out[i] = least;
}

//= A
//@ <<<1 32>>> u32[32] u32[512]=hash u32[512]=hash
KERNEL simhash(u32 *out, const u32 *a, const u32 *b)
{
	int votes[32] = {};
	for (int i = 0; i < 16; i++) {
		u32 h = a[threadIdx.x * 16 + i] ^ b[threadIdx.x * 16 + i];
		for (int k = 0; k < 32; k++)
			votes[k] += (h >> k & 1) != 0 ? 1 : -1;
	}
	u32 r = 0;
	for (int k = 0; k < 32; k++)
		r |= votes[k] > 0 ? 1u << k : 0;
	out[threadIdx.x] = r;
}

/* Greedy tokens out of a small vocabulary of pairs. */
//= A
//@ <<<1 32>>> u16[512] u8[512]=mod4 u16[16]=mod9
KERNEL tokenise_pairs(u16 *out, const u8 *text, const u16 *merges)
{
	u32 n = 0, at = threadIdx.x * 16;
	for (u32 i = 0; i < 16; n++) {
		u16 m = i + 1 < 16 ? merges[(text[at + i] & 3) * 4 + (text[at + i + 1] & 3)] : 0;
		out[at + n] = m != 0 ? 256 + m : text[at + i];
		i += m != 0 ? 2 : 1;
	}
}

/* Keep or drop a document: a flag each. */
//= A
//@ <<<1 64>>> u8[64] u8[2048]=text f32=0.5
KERNEL quality_filter(u8 *keep, const u8 *text, float ratio)
{
	u32 letters = 0, spaces = 0;
	for (u32 k = 0; k < 32; k++) {
		u8 c = text[threadIdx.x * 32 + k];
		letters += (c | 32) >= 'a' && (c | 32) <= 'z';
		spaces += c == ' ';
	}
	keep[threadIdx.x] = (float)letters > ratio * 32.0f && spaces < 8;
}

//= A
//@ <<<1 64>>> u32[64] u8[1024]=hash
KERNEL utf8_length(u32 *out, const u8 *in)
{
	u32 n = 0;
	for (u32 k = 0; k < 4; k++) {
		u32 v = ((const u32 *)in)[threadIdx.x * 4 + k];
		n += __popc(((v >> 7) & ~(v >> 6)) & 0x01010101u);
	}
	out[threadIdx.x] = 16 - n;
}

//= A
//@ <<<1 64>>> u64[64] u8[1280]=text
KERNEL parse_decimal(u64 *out, const u8 *in)
{
	u64 v = 0;
	for (u32 k = 0; k < 20; k++) {
		u8 c = in[threadIdx.x * 20 + k];
		if (c < '0' || c > '9')
			continue;
		v = v * 10 + (c - '0');
	}
	out[threadIdx.x] = v;
}

/* Naive search for a needle in constant memory. */
__constant__ u8 needle[4] = {1, 2, 0, 3};

//= A
//@ <<<4 64>>> u8[256] u8[260]=mod4
KERNEL find_needle(u8 *out, const u8 *in)
{
	bool same = true;
	for (int k = 0; k < 4; k++)
		same = same && in[THREAD + k] == needle[k];
	out[THREAD] = same;
}
