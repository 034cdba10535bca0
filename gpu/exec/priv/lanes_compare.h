/*
 * gpu/exec/priv/lanes_compare - predicates from comparisons.
 *
 * Narrow integers are extended first.  Float comparisons flush subnormals
 * when MXCSR says so; only those named with u are true for a NaN.
 */
#ifndef WEFT_GPU_EXEC_PRIV_LANES_COMPARE_H
#define WEFT_GPU_EXEC_PRIV_LANES_COMPARE_H

#include "gpu/exec/priv/lanes_float.h"

#define COMPARE_UNSIGNED(cmp, op)                                     \
	LANE2U(cmp##_u32, uint32_t, lane_u32, lane_u32, PRED(x op y)) \
	LANE2(cmp##_u64, uint32_t, lane_u64, lane_u64, PRED(x op y))
#define COMPARE_INT(cmp, op)                                                   \
	COMPARE_UNSIGNED(cmp, op)                                              \
	LANE2(cmp##_s16, uint32_t, lane_u32, lane_u32, PRED(S16(x) op S16(y))) \
	LANE2U(cmp##_s32, uint32_t, lane_s32, lane_s32, PRED(x op y))          \
	LANE2(cmp##_s64, uint32_t, lane_s64, lane_s64, PRED(x op y))
COMPARE_UNSIGNED(eq, ==)
COMPARE_UNSIGNED(ne, !=)
COMPARE_INT(lt, <)
COMPARE_INT(le, <=)
COMPARE_INT(gt, >)
COMPARE_INT(ge, >=)

#define COMPARE_FLOAT(cmp, expr)                                              \
	static void lane_##cmp##_f32(const struct lane_args *args)            \
	{                                                                     \
		LANE_LOCAL                                                    \
		if (p->mask != NULL || (p->uniform & UNIFORM_B) == 0) {       \
			for (uint32_t i = p->lo; i < n; i += V32) {           \
				XY32;                                         \
				put32(p, i, (vu32)(expr));                    \
			}                                                     \
		} else {                                                      \
			const vf32 y = LD32(p->b, 0);                         \
			for (uint32_t i = 0; i < n; i += V32) {               \
				X32;                                          \
				put32(p, i, (vu32)(expr));                    \
			}                                                     \
		}                                                             \
	}                                                                     \
	static void lane_##cmp##_f64(const struct lane_args *args)            \
	{                                                                     \
		LANE_LOCAL                                                    \
		for (uint32_t i = 0; i < n; i += V64) {                       \
			XY64;                                                 \
			put_half(p, i,                                        \
				 (hu32) __builtin_convertvector((vs64)(expr), \
								hs32));       \
		}                                                             \
	}
#define UNORDERED ((x != x) | (y != y))
COMPARE_FLOAT(eq, x == y)
COMPARE_FLOAT(ne, (x < y) | (x > y))
COMPARE_FLOAT(lt, x < y)
COMPARE_FLOAT(le, x <= y)
COMPARE_FLOAT(gt, x > y)
COMPARE_FLOAT(ge, x >= y)
COMPARE_FLOAT(equ, (x == y) | UNORDERED)
COMPARE_FLOAT(neu, x != y)
COMPARE_FLOAT(ltu, (x < y) | UNORDERED)
COMPARE_FLOAT(leu, (x <= y) | UNORDERED)
COMPARE_FLOAT(gtu, (x > y) | UNORDERED)
COMPARE_FLOAT(geu, (x >= y) | UNORDERED)
COMPARE_FLOAT(num, (x == x) & (y == y))
COMPARE_FLOAT(nan, UNORDERED)

#endif /* WEFT_GPU_EXEC_PRIV_LANES_COMPARE_H */
