/*
 * gpu/exec/priv/lanes_macros - loops over lanes, written once.
 *
 * Included by the lanes_*.c files only.  LANEk(name, D, A, expr) makes
 * lane_<name>: k sources x, y, z, w of type A, ... and the result expr of type
 * D.  Compilers turn the loops into vectors; masked lanes keep what they had.
 */
#ifndef WEFT_GPU_EXEC_PRIV_LANES_MACROS_H
#define WEFT_GPU_EXEC_PRIV_LANES_MACROS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "gpu/exec/priv/lanes.h"

#if defined(__clang__)
#define IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define IVDEP _Pragma("GCC ivdep")
#endif

/* Copies in registers: stores to lanes cannot change them. */
#define LANE_LOCAL                                         \
	const struct lane_args local = lane_resolve(args); \
	const struct lane_args *const p = &local;          \
	const uint32_t n = local.hi & ~(uint32_t)(LANE_STEP - 1);

/* Lane arrays may be read as any type (built with -fno-strict-aliasing). */
#define LANE_LOOP(D, get, expr) \
	D *d = p->d;            \
	LANE_LOOP_TO(D, get, expr)
#define LANE_LOOP_TO(D, get, expr)                      \
	const uint32_t *m = p->mask;                    \
	if (m == NULL) {                                \
		IVDEP for (uint32_t i = 0; i < n; i++)  \
		{                                       \
			get;                            \
			d[i] = (D)(expr);               \
		}                                       \
	} else {                                        \
		const uint32_t lo = p->lo;              \
		IVDEP for (uint32_t i = lo; i < n; i++) \
		{                                       \
			get;                            \
			D r_ = (D)(expr);               \
			d[i] = m[i] ? r_ : d[i];        \
		}                                       \
	}

#define LANE0(name, D, expr)                                  \
	static void lane_##name(const struct lane_args *args) \
	{                                                     \
		LANE_LOCAL                                    \
		LANE_LOOP(D, (void)0, expr)                   \
	}

#define LANE1(name, D, A, expr)                               \
	static void lane_##name(const struct lane_args *args) \
	{                                                     \
		LANE_LOCAL                                    \
		const A *a = p->a;                            \
		LANE_LOOP(D, A x = a[i], expr)                \
	}

#define LANE2(name, D, A, B, expr)                            \
	static void lane_##name(const struct lane_args *args) \
	{                                                     \
		LANE_LOCAL                                    \
		const A *a = p->a;                            \
		const B *b = p->b;                            \
		LANE_LOOP(D, A x = a[i]; B y = b[i], expr)    \
	}

#define LANE3(name, D, A, B, C, expr)                                  \
	static void lane_##name(const struct lane_args *args)          \
	{                                                              \
		LANE_LOCAL                                             \
		const A *a = p->a;                                     \
		const B *b = p->b;                                     \
		const C *c = p->c;                                     \
		LANE_LOOP(D, A x = a[i]; B y = b[i]; C z = c[i], expr) \
	}

#define LANE4(name, D, A, B, C, F, expr)                         \
	static void lane_##name(const struct lane_args *args)    \
	{                                                        \
		LANE_LOCAL                                       \
		const A *a = p->a;                               \
		const B *b = p->b;                               \
		const C *c = p->c;                               \
		const F *f = p->f;                               \
		LANE_LOOP(D, A x = a[i]; B y = b[i]; C z = c[i]; \
			  F w = f[i], expr)                      \
	}

/* The same, with loops of their own where one source is uniform. */
#define LANE_EACH(get, store)                  \
	IVDEP for (uint32_t i = 0; i < n; i++) \
	{                                      \
		get;                           \
		store;                         \
	}

#define LANE1U(name, D, A, expr)                              \
	static void lane_##name(const struct lane_args *args) \
	{                                                     \
		LANE_LOCAL                                    \
		const A *a = p->a;                            \
		D *d = p->d;                                  \
		if (p->mask == NULL && p->uniform != 0) {     \
			A x = a[0];                           \
			D r = (D)(expr);                      \
			LANE_EACH((void)0, d[i] = r)          \
		} else {                                      \
			LANE_LOOP_TO(D, A x = a[i], expr)     \
		}                                             \
	}

#define LANE2U(name, D, A, B, expr)                                   \
	static void lane_##name(const struct lane_args *args)         \
	{                                                             \
		LANE_LOCAL                                            \
		const A *a = p->a;                                    \
		const B *b = p->b;                                    \
		D *d = p->d;                                          \
		if (p->mask != NULL || p->uniform == 0) {             \
			LANE_LOOP_TO(D, A x = a[i]; B y = b[i], expr) \
		} else if ((p->uniform & UNIFORM_B) != 0) {           \
			B y = b[0];                                   \
			LANE_EACH(A x = a[i], d[i] = (D)(expr))       \
		} else {                                              \
			A x = a[0];                                   \
			LANE_EACH(B y = b[i], d[i] = (D)(expr))       \
		}                                                     \
	}

#define LANE3U(name, D, A, B, C, expr)                                      \
	static void lane_##name(const struct lane_args *args)               \
	{                                                                   \
		LANE_LOCAL                                                  \
		const A *a = p->a;                                          \
		const B *b = p->b;                                          \
		const C *c = p->c;                                          \
		D *d = p->d;                                                \
		const uint32_t uniform = p->uniform & UNIFORM_BC;           \
		if (p->mask != NULL || uniform == 0) {                      \
			LANE_LOOP_TO(D, A x = a[i]; B y = b[i];             \
				     C z = c[i], expr)                      \
		} else if (uniform == UNIFORM_C) {                          \
			C z = c[0];                                         \
			LANE_EACH(A x = a[i]; B y = b[i], d[i] = (D)(expr)) \
		} else if (uniform == UNIFORM_B) {                          \
			B y = b[0];                                         \
			LANE_EACH(A x = a[i]; C z = c[i], d[i] = (D)(expr)) \
		} else {                                                    \
			B y = b[0];                                         \
			C z = c[0];                                         \
			LANE_EACH(A x = a[i], d[i] = (D)(expr))             \
		}                                                           \
	}

/* A second destination of 32 bits: carries and predicates. */
#define LANE_LOOP_E(D, get, expr, expr_e)                 \
	D *d = p->d;                                      \
	uint32_t *e = p->e;                               \
	const uint32_t *m = p->mask;                      \
	if (m == NULL) {                                  \
		IVDEP for (uint32_t i = 0; i < n; i++)    \
		{                                         \
			get;                              \
			D r = (D)(expr);                  \
			uint32_t r2 = (uint32_t)(expr_e); \
			d[i] = r;                         \
			e[i] = r2;                        \
		}                                         \
	} else {                                          \
		IVDEP for (uint32_t i = 0; i < n; i++)    \
		{                                         \
			get;                              \
			D r = (D)(expr);                  \
			uint32_t r2 = (uint32_t)(expr_e); \
			d[i] = m[i] ? r : d[i];           \
			e[i] = m[i] ? r2 : e[i];          \
		}                                         \
	}

#define LANE2_E(name, D, A, B, expr, expr_e)                         \
	static void lane_##name(const struct lane_args *args)        \
	{                                                            \
		LANE_LOCAL                                           \
		const A *a = p->a;                                   \
		const B *b = p->b;                                   \
		LANE_LOOP_E(D, A x = a[i]; B y = b[i], expr, expr_e) \
	}

#define LANE3_E(name, D, A, B, C, expr, expr_e)               \
	static void lane_##name(const struct lane_args *args) \
	{                                                     \
		LANE_LOCAL                                    \
		const A *a = p->a;                            \
		const B *b = p->b;                            \
		const C *c = p->c;                            \
		LANE_LOOP_E(D, A x = a[i]; B y = b[i];        \
			    C z = c[i], expr, expr_e)         \
	}

#define LANE4_E(name, D, A, B, C, F, expr, expr_e)                 \
	static void lane_##name(const struct lane_args *args)      \
	{                                                          \
		LANE_LOCAL                                         \
		const A *a = p->a;                                 \
		const B *b = p->b;                                 \
		const C *c = p->c;                                 \
		const F *f = p->f;                                 \
		LANE_LOOP_E(D, A x = a[i]; B y = b[i]; C z = c[i]; \
			    F w = f[i], expr, expr_e)              \
	}

/* A predicate from a condition. */
#define PRED(cond) ((cond) ? UINT32_MAX : 0u)

/* Short names of lane types; narrow ones are read from 32-bit lanes. */
typedef uint32_t lane_u32;
typedef int32_t lane_s32;
typedef uint64_t lane_u64;
typedef int64_t lane_s64;

#define S16(x) ((int32_t)(int16_t)(x))
#define U16(x) ((uint32_t)(uint16_t)(x))

#endif /* WEFT_GPU_EXEC_PRIV_LANES_MACROS_H */
