/*
 * Stands in front of the toolkit's cuda_bf16.h: reads it, then gives the functions
 * that it approximates their strict form.
 */
#ifndef WEFT_CUDA_BF16_H
#define WEFT_CUDA_BF16_H

/* What the toolkit's header would include amid the renaming. */
#include <cuda_fp16.h>

#ifndef __CUDA_NO_BFLOAT16_OPERATORS__
#define __CUDA_NO_BFLOAT16_OPERATORS__
#define WEFT_BFLOAT_OPERATORS
#endif
#ifndef __CUDA_NO_BFLOAT162_OPERATORS__
#define __CUDA_NO_BFLOAT162_OPERATORS__
#define WEFT_BFLOAT2_OPERATORS
#endif

#include "weft_half_rename.cuh"
#include <./cuda_bf16.h>
#include "weft_half_undo.cuh"

#define WEFT_T     __nv_bfloat16
#define WEFT_T2    __nv_bfloat162
#define WEFT_TO    __bfloat162float
#define WEFT_FROM  __float2bfloat16_rn
#define WEFT_PAIR  __halves2bfloat162
#include "weft_half_forms.cuh"

__device__ __forceinline__ __nv_bfloat16 weft_bfloat_one()
{
	__nv_bfloat16_raw one;

	one.x = 0x3f80;
	return one;
}

__device__ __forceinline__ __nv_bfloat162 weft_bfloat2_one()
{
	return __halves2bfloat162(weft_bfloat_one(), weft_bfloat_one());
}

#ifdef WEFT_BFLOAT_OPERATORS
#define WEFT_OP(scalar, pair) scalar
#define WEFT_STEP             weft_bfloat_one
#include "weft_half_ops.cuh"
#undef WEFT_OP
#undef WEFT_STEP
#undef __CUDA_NO_BFLOAT16_OPERATORS__
#endif
#undef WEFT_T

#ifdef WEFT_BFLOAT2_OPERATORS
#define WEFT_T                __nv_bfloat162
#define WEFT_OP(scalar, pair) pair
#define WEFT_STEP             weft_bfloat2_one
#include "weft_half_ops.cuh"
#undef WEFT_T
#undef WEFT_OP
#undef WEFT_STEP
#undef __CUDA_NO_BFLOAT162_OPERATORS__
#endif

#undef WEFT_T2
#undef WEFT_TO
#undef WEFT_FROM
#undef WEFT_PAIR

#endif /* WEFT_CUDA_BF16_H */
