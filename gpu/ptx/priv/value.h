/*
 * gpu/ptx/priv/value - what the analyser knows of one register.
 *
 * Two lattices side by side.  Origin: from which bases a value may derive,
 * and whether it is a clean number, an address (one base, coefficient 1), the
 * difference of two (which may become an address again: A + (B - A)) or
 * mixed.  Shape: the value, or the offset from its base, as
 *
 *     c0 + r + sum coef[i] * x[var[i]]
 *
 * over variables x: the thread's six indexes, and quotients and remainders of
 * them; x takes 0 .. extent - 1, or any such number where extent is 0.  r is a
 * multiple of step (0: r is 0) in [lo, hi].  A register of fewer than 64 bits
 * holds the value modulo its width.
 */
#ifndef WEFT_GPU_PTX_PRIV_VALUE_H
#define WEFT_GPU_PTX_PRIV_VALUE_H

#include <stdbool.h>
#include <stdint.h>

/* Bits of value.kinds. */
#define VALUE_CLEAN   1u
#define VALUE_ADDRESS 2u
#define VALUE_LINEAR  4u  /* the difference of two bases, plus - minus */
#define VALUE_MIXED   8u  /* any other function of addresses */
#define VALUE_DATA    16u /* with CLEAN: loaded, perhaps a pointer */
#define VALUE_HIDDEN  (VALUE_ADDRESS | VALUE_LINEAR | VALUE_MIXED)

/* tid.x tid.y tid.z ctaid.x ctaid.y ctaid.z are the first variables. */
#define VALUE_IDS  6u
#define VALUE_VARS 30u
/* Terms of one value; with more it gives up. */
#define VALUE_TERMS 8u

/* A bound that is none. */
#define VALUE_FAR ((int64_t)1 << 62)

static inline bool value_is_far(int64_t v)
{
	return v == VALUE_FAR || v == -VALUE_FAR;
}

enum value_shape {
	SHAPE_NONE, /* not seen yet */
	SHAPE_AFFINE,
	SHAPE_ANY,
};

/* Base number of everything that has no number of its own. */
#define BASE_OTHER 63u

struct value {
	uint64_t bases; /* bit per base */
	uint8_t kinds;	/* 0: not seen yet */
	uint8_t shape;	/* enum value_shape */
	/* Depends on memory, or on mixing of bits: not a plain index. */
	bool irregular;
	uint8_t plus, minus; /* LINEAR: the bases */
	uint8_t term_count;
	uint8_t var[VALUE_TERMS]; /* ascending */
	int64_t coef[VALUE_TERMS];
	int64_t c0, step, lo, hi;
	uint64_t reach; /* most that one way round a loop adds or takes */
};

/* extent, below: of each of the VALUE_VARS variables. */

struct value value_any(void);	/* a clean number */
struct value value_data(void);	/* one that memory held */
struct value value_unset(void); /* one that nothing has written */
struct value value_const(int64_t c);
struct value value_in(int64_t lo, int64_t hi); /* a clean number */
struct value value_var(uint32_t var);
struct value value_address(uint32_t base, int64_t offset);

/* Seen, and a number that owes nothing to an address. */
bool value_is_clean(const struct value *v);
/* An offset that is the same for all threads, and known. */
bool value_is_fixed(const struct value *v);
/* Clean, fixed, and not loaded. */
bool value_is_const(const struct value *v);
/* An address that is one base exactly, no matter the offset. */
bool value_is_one_base(const struct value *v);
/* A fixed offset in [0, limit). */
bool value_has_small_offset(const struct value *v, int64_t limit);
/* As an address: it may point where no known base is. */
bool value_may_be_anywhere(const struct value *v);

/* All that the value (or offset) can be; -VALUE_FAR, VALUE_FAR: no bound. */
void value_range(const struct value *v, const uint64_t *extent, int64_t *ret_lo,
		 int64_t *ret_hi);
/* Keeps what is in [lo, hi], as far as r shows it. */
void value_clip(struct value *v, const uint64_t *extent, int64_t lo,
		int64_t hi);
/* Whether the offset stays below limit in both directions as long as no loop
 * goes round more than 2^26 times. */
bool value_is_near(const struct value *v, const uint64_t *extent,
		   uint64_t limit);

int64_t value_coef(const struct value *v, uint32_t var);

/* Bounds of c0 and the terms alone. */
void value_terms_range(const struct value *v, const uint64_t *extent,
		       int64_t *ret_lo, int64_t *ret_hi);

void value_forget_shape(struct value *v);
/* Gives up the shape, if any was seen. */
void value_forget(struct value *v);
/* Becomes any number in the same range. */
void value_flatten(struct value *v, const uint64_t *extent);

/* Joins b into *a; true if *a grew. */
bool value_join(struct value *a, const struct value *b, const uint64_t *extent);
/*
 * v grew from old and may grow on: bounds go on to the next of the stops that
 * it can come to, or to a power that means something.
 */
void value_widen(struct value *v, const struct value *old,
		 const uint64_t *extent, const int64_t *stops,
		 uint32_t stop_count);

struct value value_add(const struct value *a, const struct value *b);
struct value value_sub(const struct value *a, const struct value *b);
struct value value_mul(const struct value *a, const struct value *b,
		       const uint64_t *extent);
struct value value_shl(const struct value *a, const struct value *b,
		       const uint64_t *extent);
/* align: of every base that may be in them, a power of two. */
struct value value_and(const struct value *a, const struct value *b,
		       uint32_t align, const uint64_t *extent);
struct value value_or(const struct value *a, const struct value *b,
		      uint32_t align, const uint64_t *extent);
/* Any other function of a and b: clean stays clean, else mixed. */
struct value value_mix(const struct value *a, const struct value *b);

/*
 * a, held in that many bits (8, 16 or 32), as a number in 64: sign- or
 * zero-extended.
 */
struct value value_extend(const struct value *a, uint32_t bits, bool is_signed,
			  const uint64_t *extent);

/* v = divisor * *whole + *rest, as far as the terms show it; divisor > 0. */
void value_part(const struct value *v, int64_t divisor, struct value *ret_whole,
		struct value *ret_rest);

int64_t value_gcd(int64_t a, int64_t b);
/* A sum and a product that stop at VALUE_FAR. */
int64_t value_far_add(int64_t a, int64_t b);
int64_t value_far_mul(int64_t a, int64_t b);

#endif /* WEFT_GPU_PTX_PRIV_VALUE_H */
