/*
 * gpu/ptx/priv/value - what the analyser knows of one register.
 *
 * Two lattices side by side.  Origin: from which bases a value may derive,
 *and whether it is a clean number, an address (one base, coefficient 1), the
 * difference of two (which may become an address again: A + (B - A)) or
 * mixed. Shape:
 * the value, or the offset from its base, as
 *
 *     c0 + step * k + sum coef[i] * id[i]      for some integer k
 *
 * over the thread's six indexes; a 32-bit register holds it modulo 2^32.
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

/* tid.x tid.y tid.z ctaid.x ctaid.y ctaid.z */
#define VALUE_IDS 6u

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
	int64_t c0, step;
	uint64_t reach; /* most that one way round a loop adds or takes */
	int64_t coef[VALUE_IDS];
};

struct value value_any(void);  /* a clean number */
struct value value_data(void); /* one that memory held */
struct value value_const(int64_t c);
struct value value_id(uint32_t id);
struct value value_address(uint32_t base, int64_t offset);

bool value_is_const(const struct value *v);
/* Seen, and a number that owes nothing to an address. */
bool value_is_clean(const struct value *v);

/* An address that is one base exactly, no matter the offset. */
bool value_is_one_base(const struct value *v);

/* A constant offset in [0, limit). */
bool value_has_small_offset(const struct value *v, int64_t limit);

/* Whether the offset stays below limit in both directions as long as no loop
 * goes round more than 2^26 times. */
bool value_is_near(const struct value *v, const uint64_t extent[VALUE_IDS],
		   uint64_t limit);

/* Gives up the shape, if any was seen. */
void value_forget(struct value *v);

/* As an address: it may point where no known base is. */
bool value_may_be_anywhere(const struct value *v);

/* Joins b into *a; true if *a grew.  widen: what grew in shape gives up. */
bool value_join(struct value *a, const struct value *b, bool widen);

struct value value_add(const struct value *a, const struct value *b);
struct value value_sub(const struct value *a, const struct value *b);
struct value value_mul(const struct value *a, const struct value *b);
struct value value_shl(const struct value *a, const struct value *b);
/* align: of every base that may be in them, a power of two. */
struct value value_and(const struct value *a, const struct value *b,
		       uint32_t align);
struct value value_or(const struct value *a, const struct value *b,
		      uint32_t align);
/* Any other function of a: clean stays clean, else mixed. */
struct value value_mix(const struct value *a, const struct value *b);

/*
 * a, held in 32 bits, as a number in 64: sign- or zero-extended.  extent:
 * how many values each index takes, 0 where unknown.
 */
struct value value_widen(const struct value *a, bool is_signed,
			 const uint64_t extent[VALUE_IDS]);

int64_t value_gcd(int64_t a, int64_t b);

#endif /* WEFT_GPU_PTX_PRIV_VALUE_H */
