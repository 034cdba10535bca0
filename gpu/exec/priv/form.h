/*
 * gpu/exec/priv/form - how a value depends on addresses.
 *
 * A value is clean, or a sum of bases with coefficients and something clean
 * (one base with coefficient 1: an address), or the upper half of such a
 * sum, or mixed: anything else that came out of one.  Forms have numbers in a
 * table that is emptied for every CTA.
 */
#ifndef WEFT_GPU_EXEC_PRIV_FORM_H
#define WEFT_GPU_EXEC_PRIV_FORM_H

#include <stdbool.h>
#include <stdint.h>

#define FORM_CLEAN  ((uint16_t)0)
#define FORM_MIXED  ((uint16_t)1)
#define FORM_VARIED ((uint16_t)0xffff) /* only of a register: see its lanes */

/* Most forms of a CTA; what would need more is mixed. */
#define FORM_MAX 16384u
/* Most bases of one sum. */
#define FORM_TERMS 3u

enum form_kind {
	FORM_SUM,
	FORM_HIGH, /* the upper half of another */
	FORM_LOW,  /* its low bits */
};

enum form_space {
	BASE_BUFFER,
	BASE_VARIABLE,
	BASE_SHARED,
	BASE_LOCAL,
	BASE_FUNCTION
};

/* Index of what starts at a unit of the thread's stack. */
#define FORM_STACK_UNIT (1u << 24)

#define FORM_BASE(space, index) ((uint32_t)(space) << 28 | (uint32_t)(index))

struct form {
	uint8_t kind;
	uint8_t terms;
	uint16_t of;		   /* the whole value's form */
	uint32_t base[FORM_TERMS]; /* ascending */
	uint64_t coefficient[FORM_TERMS];
};

struct form_table {
	struct form *list; /* 0 and 1: clean, mixed */
	uint32_t count;
	uint16_t *slots; /* by hash */
};

bool form_setup(struct form_table *t);
void form_free(struct form_table *t);
void form_reset(struct form_table *t);

uint16_t form_address(struct form_table *t, uint32_t base);
uint16_t form_sum(struct form_table *t, uint16_t a, uint16_t b, bool subtract);
uint16_t form_negate(struct form_table *t, uint16_t a);
uint16_t form_high(struct form_table *t, uint16_t a);
uint16_t form_low(struct form_table *t, uint16_t a);
/* Of 64 bits whose halves have these forms. */
uint16_t form_join(struct form_table *t, uint16_t low, uint16_t high);
/* Extended from 32 bits. */
uint16_t form_widen(const struct form_table *t, uint16_t a);
/* Is it an address, and of what? */
bool form_is_address(const struct form_table *t, uint16_t a,
		     uint32_t *ret_base);

#endif /* WEFT_GPU_EXEC_PRIV_FORM_H */
