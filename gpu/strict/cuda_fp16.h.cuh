/*
 * Stands in front of the toolkit's cuda_fp16.h: reads it, then gives the functions
 * that it approximates their strict form.
 */
#ifndef WEFT_CUDA_FP16_H
#define WEFT_CUDA_FP16_H

#ifndef __CUDA_NO_HALF_OPERATORS__
#define __CUDA_NO_HALF_OPERATORS__
#define WEFT_HALF_OPERATORS
#endif
#ifndef __CUDA_NO_HALF2_OPERATORS__
#define __CUDA_NO_HALF2_OPERATORS__
#define WEFT_HALF2_OPERATORS
#endif

#include "weft_half_rename.cuh"
#include <./cuda_fp16.h>
#include "weft_half_undo.cuh"

#define WEFT_T     __half
#define WEFT_T2    __half2
#define WEFT_TO    __half2float
#define WEFT_FROM  __float2half_rn
#define WEFT_PAIR  __halves2half2
#include "weft_half_forms.cuh"

__device__ __forceinline__ __half weft_half_one()
{
	__half_raw one;

	one.x = 0x3c00;
	return one;
}

__device__ __forceinline__ __half2 weft_half2_one()
{
	return __halves2half2(weft_half_one(), weft_half_one());
}

#ifdef WEFT_HALF_OPERATORS
#define WEFT_OP(scalar, pair) scalar
#define WEFT_STEP             weft_half_one
#include "weft_half_ops.cuh"
#undef WEFT_OP
#undef WEFT_STEP
#undef __CUDA_NO_HALF_OPERATORS__
#endif
#undef WEFT_T

#ifdef WEFT_HALF2_OPERATORS
#define WEFT_T                __half2
#define WEFT_OP(scalar, pair) pair
#define WEFT_STEP             weft_half2_one
#include "weft_half_ops.cuh"
#undef WEFT_T
#undef WEFT_OP
#undef WEFT_STEP
#undef __CUDA_NO_HALF2_OPERATORS__
#endif

#undef WEFT_T2
#undef WEFT_TO
#undef WEFT_FROM
#undef WEFT_PAIR

#endif /* WEFT_CUDA_FP16_H */
