/*
 * The operators of one type WEFT_T: the toolkit's, left out while its header
 * is read, with the quotient from above.  WEFT_OP(f, g) is the name of f in
 * the scalar and of g in the pair type, WEFT_STEP a function that gives 1.
 */
#define WEFT_BINARY(op, call)                                                 \
	__device__ __forceinline__ WEFT_T operator op(const WEFT_T &a,        \
						      const WEFT_T &b)        \
	{                                                                     \
		return call(a, b);                                            \
	}                                                                     \
	__device__ __forceinline__ WEFT_T &operator op##=(WEFT_T & a,         \
							  const WEFT_T &b)    \
	{                                                                     \
		a = call(a, b);                                               \
		return a;                                                     \
	}
#define WEFT_COMPARE(op, call)                                                \
	__device__ __forceinline__ bool operator op(const WEFT_T &a,          \
						    const WEFT_T &b)          \
	{                                                                     \
		return call(a, b);                                            \
	}
#define WEFT_COUNT(op, call)                                                  \
	__device__ __forceinline__ WEFT_T &operator op(WEFT_T & a)            \
	{                                                                     \
		a = call(a, WEFT_STEP());                                     \
		return a;                                                     \
	}                                                                     \
	__device__ __forceinline__ WEFT_T operator op(WEFT_T & a, int)        \
	{                                                                     \
		const WEFT_T was = a;                                         \
		a = call(a, WEFT_STEP());                                     \
		return was;                                                   \
	}

WEFT_BINARY(+, WEFT_OP(__hadd, __hadd2))
WEFT_BINARY(-, WEFT_OP(__hsub, __hsub2))
WEFT_BINARY(*, WEFT_OP(__hmul, __hmul2))
WEFT_BINARY(/, WEFT_OP(__hdiv, __h2div))
WEFT_COUNT(++, WEFT_OP(__hadd, __hadd2))
WEFT_COUNT(--, WEFT_OP(__hsub, __hsub2))
WEFT_COMPARE(==, WEFT_OP(__heq, __hbeq2))
WEFT_COMPARE(!=, WEFT_OP(__hneu, __hbneu2))
WEFT_COMPARE(>, WEFT_OP(__hgt, __hbgt2))
WEFT_COMPARE(<, WEFT_OP(__hlt, __hblt2))
WEFT_COMPARE(>=, WEFT_OP(__hge, __hbge2))
WEFT_COMPARE(<=, WEFT_OP(__hle, __hble2))

__device__ __forceinline__ WEFT_T operator+(const WEFT_T &a)
{
	return a;
}

__device__ __forceinline__ WEFT_T operator-(const WEFT_T &a)
{
	return WEFT_OP(__hneg, __hneg2)(a);
}

#undef WEFT_BINARY
#undef WEFT_COMPARE
#undef WEFT_COUNT
