/*
 * tests/corpus/cuda/half - halves on the host: sums and products are exact in
 * 113 bits, then rounded once.
 */
#ifndef WEFT_TESTS_CORPUS_CUDA_HALF_HPP
#define WEFT_TESTS_CORPUS_CUDA_HALF_HPP

template <int P, int EMIN, int BITS> struct corpus_small {
	u16 x;
	/* Numbers alone: no infinity and no NaN comes here. */
	__float128 wide() const
	{
		int e = (x & 0x7fff) >> (P - 1);
		__float128 m = (x & ((1 << (P - 1)) - 1)) + (e > 0 ? 1 << (P - 1) : 0);
		int k = (e > 0 ? e - 1 : 0) + EMIN - (P - 1);
		for (; k > 0; k--)
			m *= 2;
		for (; k < 0; k++)
			m /= 2;
		return x >> 15 ? -m : m;
	}
	static corpus_small round(__float128 v)
	{
		bool negative = v < 0 || (v == 0 && 1 / (double)v < 0);
		__float128 m = negative ? -v : v;
		int e = EMIN;
		for (int k = 0; k < -EMIN + P - 1; k++)
			m *= 2;
		/* m is in units of the last place of the smallest numbers. */
		while (m >= (1 << P)) {
			__float128 half = m / 2;
			m = half, e++;
		}
		int q = (int)m;
		__float128 rest = m - q;
		q += rest > 0.5 || (rest == 0.5 && (q & 1));
		u32 bits = q < (1 << (P - 1)) ? (u32)q : (u32)((e - EMIN + 1) << (P - 1)) + (u32)(q - (1 << (P - 1)));
		return {(u16)(bits | (negative ? 0x8000 : 0))};
	}
};
typedef corpus_small<11, -14, 16> __half;
typedef corpus_small<8, -126, 16> __nv_bfloat16;
struct __half2 { __half x, y; };

inline __half __ushort_as_half(u16 a) { return {a}; }
inline u16 __half_as_ushort(__half a) { return a.x; }
inline __nv_bfloat16 __ushort_as_bfloat16(u16 a) { return {a}; }
inline u16 __bfloat16_as_ushort(__nv_bfloat16 a) { return a.x; }
template <class T> T __hadd(T a, T b) { return T::round(a.wide() + b.wide()); }
template <class T> T __hsub_rn(T a, T b) { return T::round(a.wide() - b.wide()); }
template <class T> T __hmul_rn(T a, T b) { return T::round(a.wide() * b.wide()); }
template <class T> T __hfma(T a, T b, T c) { return T::round(a.wide() * b.wide() + c.wide()); }
template <class T> bool __hlt(T a, T b) { return a.wide() < b.wide(); }
template <class T> bool __hge(T a, T b) { return a.wide() >= b.wide(); }
inline float __half2float(__half a) { return (float)a.wide(); }
inline __half __float2half_rn(float a) { return __half::round(a); }
inline __nv_bfloat16 __float2bfloat16_rn(float a) { return __nv_bfloat16::round(a); }
inline __half2 __halves2half2(__half a, __half b) { return {a, b}; }
inline __half __low2half(__half2 a) { return a.x; }
inline __half __high2half(__half2 a) { return a.y; }
inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }

#endif /* WEFT_TESTS_CORPUS_CUDA_HALF_HPP */
