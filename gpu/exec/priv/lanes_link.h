/*
 * gpu/exec/priv/lanes_link - how links are written (gpu/exec/priv/chain.h).
 *
 * LINKSk(name, expr) makes the links of an op with k sources x, y, z: one for
 * each kind of them that it takes.  A link computes TILE_VECTORS vectors and
 * hands them on to the next as arguments, which stay in registers.
 */
#ifndef WEFT_GPU_EXEC_PRIV_LANES_LINK_H
#define WEFT_GPU_EXEC_PRIV_LANES_LINK_H

#include "gpu/exec/priv/chain.h"
#include "gpu/exec/priv/lanes_float.h"

#define T_PARAMS \
	vu32 t0, vu32 t1, vu32 t2, vu32 t3, vu32 t4, vu32 t5, vu32 t6, vu32 t7
#define LINK_PARAMS const struct link *l, const struct tile *t, T_PARAMS

/* The one that all are called as. */
typedef void tile_fn(LINK_PARAMS);

/* clang-format off */
#define LINK_NEXT \
	((tile_fn *)l[1].fn)(l + 1, t, t0, t1, t2, t3, t4, t5, t6, t7)
#define EACH_VECTOR(DO, ...)                                              \
	DO(0, __VA_ARGS__) DO(1, __VA_ARGS__) DO(2, __VA_ARGS__)          \
	DO(3, __VA_ARGS__) DO(4, __VA_ARGS__) DO(5, __VA_ARGS__)          \
	DO(6, __VA_ARGS__) DO(7, __VA_ARGS__)

/* Vector k of a source. */
#define GET_V(k, p) vector_at(p + (k) * LANE_BYTES)
#define GET_B(k, p) p##_value
#define GET_T(k, p) t##k
#define GET_U(k, p) vector_at(p + (k) * V32 / 16 * p##_row + (k) * V32 % 16 * 4)
#define GET_R(k, p) value_at(p + (k) * V32 / 16 * p##_row)
/* And what it needs beforehand. */
#define SOURCE_V(p) const uint8_t *p = l->p + t->block * 64u;
#define SOURCE_B(p) const vu32 p##_value = value_at(l->p);
#define SOURCE_T(p)
#define SOURCE_U(p)                         \
	const int64_t p##_row = l->p##_row; \
	const uint8_t *p = l->p + t->block * p##_row;
#define SOURCE_R(p) SOURCE_U(p)
/* clang-format on */

static inline vu32 vector_at(const uint8_t *p)
{
	vu32 v;
	memcpy(&v, p, sizeof(v));
	return v;
}

static inline vu32 value_at(const uint8_t *p)
{
	uint32_t x;
	memcpy(&x, p, sizeof(x));
#if LANE_BYTES == 64
	return (vu32)_mm512_set1_epi32((int)x);
#elif LANE_BYTES == 32
	return (vu32)_mm256_set1_epi32((int)x);
#else
	return (vu32)_mm_set1_epi32((int)x);
#endif
}

/* clang-format off */
#define DO1(k, A, expr) \
	{ vu32 x = GET_##A(k, a); t##k = (vu32)(expr); }
#define DO2(k, A, B, expr) \
	{ vu32 x = GET_##A(k, a), y = GET_##B(k, b); t##k = (vu32)(expr); }
#define DO3(k, A, B, C, expr)                                         \
	{                                                             \
		vu32 x = GET_##A(k, a), y = GET_##B(k, b);            \
		vu32 z = GET_##C(k, c);                               \
		t##k = (vu32)(expr);                                  \
	}

#define LINK1(name, A, expr)                                          \
	static void link_##name##_##A(LINK_PARAMS)                    \
	{                                                             \
		SOURCE_##A(a)                                         \
		EACH_VECTOR(DO1, A, expr)                             \
		LINK_NEXT;                                            \
	}
#define LINK2(name, A, B, expr)                                       \
	static void link_##name##_##A##B(LINK_PARAMS)                 \
	{                                                             \
		SOURCE_##A(a)                                         \
		SOURCE_##B(b)                                         \
		EACH_VECTOR(DO2, A, B, expr)                          \
		LINK_NEXT;                                            \
	}
#define LINK3(name, A, B, C, expr)                                    \
	static void link_##name##_##A##B##C(LINK_PARAMS)              \
	{                                                             \
		SOURCE_##A(a)                                         \
		SOURCE_##B(b)                                         \
		SOURCE_##C(c)                                         \
		EACH_VECTOR(DO3, A, B, C, expr)                       \
		LINK_NEXT;                                            \
	}

#define AT1(name, A, expr) \
	[LINK_FORM(LINK_##A, 0, 0)] = (link_fn *)link_##name##_##A,
#define AT2(name, A, B, expr) \
	[LINK_FORM(LINK_##A, LINK_##B, 0)] = (link_fn *)link_##name##_##A##B,
#define AT3(name, A, B, C, expr)                                      \
	[LINK_FORM(LINK_##A, LINK_##B, LINK_##C)] =                   \
		(link_fn *)link_##name##_##A##B##C,

/* Kinds of sources that there are links for; a and b of those with an S may
 * change places.  FAR: with elements in rows, too. */
#define KINDS1(X, name, expr) X(name, V, expr) X(name, B, expr) X(name, T, expr)
#define KINDS1_FAR(X, name, expr) \
	KINDS1(X, name, expr) X(name, U, expr) X(name, R, expr)
#define KINDS2S(X, name, expr)                                        \
	X(name, V, V, expr) X(name, V, B, expr) X(name, T, V, expr)   \
	X(name, T, B, expr) X(name, T, T, expr)
#define KINDS2(X, name, expr)                                         \
	KINDS2S(X, name, expr) X(name, B, V, expr)                    \
	X(name, V, T, expr) X(name, B, T, expr)
#define KINDS2S_FAR(X, name, expr)                                    \
	KINDS2S(X, name, expr) X(name, U, V, expr) X(name, U, B, expr) \
	X(name, R, V, expr) X(name, R, U, expr) X(name, T, U, expr)   \
	X(name, T, R, expr)
#define KINDS2_FAR(X, name, expr)                                     \
	KINDS2S_FAR(X, name, expr) X(name, B, V, expr)                \
	X(name, V, T, expr) X(name, B, T, expr) X(name, V, U, expr)   \
	X(name, B, U, expr) X(name, V, R, expr) X(name, U, R, expr)   \
	X(name, U, T, expr) X(name, R, T, expr)
#define KINDS3_BY(X, name, C, expr)                                   \
	X(name, V, V, C, expr) X(name, V, B, C, expr)                 \
	X(name, T, V, C, expr) X(name, T, B, C, expr)                 \
	X(name, T, T, C, expr)
#define KINDS3_FAR_BY(X, name, C, expr)                               \
	KINDS3_BY(X, name, C, expr) X(name, U, V, C, expr)            \
	X(name, U, B, C, expr) X(name, R, V, C, expr)                 \
	X(name, R, U, C, expr) X(name, T, U, C, expr)                 \
	X(name, T, R, C, expr)
#define KINDS3S(X, name, expr)                                        \
	KINDS3_BY(X, name, V, expr) KINDS3_BY(X, name, B, expr)       \
	KINDS3_BY(X, name, T, expr)
#define KINDS3S_FAR(X, name, expr)                                    \
	KINDS3_FAR_BY(X, name, V, expr) KINDS3_FAR_BY(X, name, B, expr) \
	KINDS3_FAR_BY(X, name, T, expr)

/* Of those with directed rounding: fewer. */
#define KINDS1R(X, name, expr) X(name, V, expr) X(name, T, expr)
#define KINDS2R(X, name, expr)                                        \
	X(name, V, V, expr) X(name, T, V, expr) X(name, V, T, expr)   \
	X(name, T, T, expr)
#define KINDS3R(X, name, expr)                                        \
	X(name, V, V, V, expr) X(name, V, V, T, expr)                 \
	X(name, T, V, V, expr) X(name, T, T, V, expr)                 \
	X(name, T, V, T, expr) X(name, T, T, T, expr)

#define LINKS(n, KINDS, name, expr)                                   \
	KINDS(LINK##n, name, expr)                                    \
	static link_fn *const forms_##name[LINK_FORMS(n)] = {KINDS(AT##n, name, expr)};
#define LINKS1(name, expr)      LINKS(1, KINDS1, name, expr)
#define LINKS1_FAR(name, expr)  LINKS(1, KINDS1_FAR, name, expr)
#define LINKS2(name, expr)      LINKS(2, KINDS2, name, expr)
#define LINKS2S(name, expr)     LINKS(2, KINDS2S, name, expr)
#define LINKS2_FAR(name, expr)  LINKS(2, KINDS2_FAR, name, expr)
#define LINKS2S_FAR(name, expr) LINKS(2, KINDS2S_FAR, name, expr)
#define LINKS1R(name, expr)     LINKS(1, KINDS1R, name, expr)
#define LINKS2R(name, expr)     LINKS(2, KINDS2R, name, expr)
#define LINKS3R(name, expr)     LINKS(3, KINDS3R, name, expr)
#define LINKS3S(name, expr)     LINKS(3, KINDS3S, name, expr)
#define LINKS3S_FAR(name, expr) LINKS(3, KINDS3S_FAR, name, expr)
/* clang-format on */

#endif /* WEFT_GPU_EXEC_PRIV_LANES_LINK_H */
