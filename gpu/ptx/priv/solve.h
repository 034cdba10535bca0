/*
 * gpu/ptx/priv/solve - small integer equations with side conditions.
 *
 * Whether sum coef * x over the unknowns x comes into an interval while every
 * row (another such sum) stays in its own: the unknowns are tried from the
 * largest coefficient down, each with the few values that the smaller ones can
 * still make up for.
 */
#ifndef WEFT_GPU_PTX_PRIV_SOLVE_H
#define WEFT_GPU_PTX_PRIV_SOLVE_H

#include "gpu/ptx/priv/analysis.h"

/* Values tried for one unknown, and steps of the search for one kernel. */
#define SOLVE_BRANCH_MAX 64
#define SOLVE_STEPS_MAX	 (1u << 20)

/* Variables of two threads: the second one's numbers begin at VALUE_VARS. */
#define SOLVE_VARS	   (2 * VALUE_VARS)
#define SOLVE_UNKNOWNS_MAX (SOLVE_VARS + 1)
#define SOLVE_ROWS_MAX	   (2 * (ROWS_MAX + SPLITS_MAX))
#define SOLVE_NO_VAR	   0xffu

struct unknown {
	int64_t coef, lo, hi;
	uint8_t var; /* or SOLVE_NO_VAR: it is in no row */
	bool is_cta; /* an index of the CTA: other than 0, they differ */
	bool is_set;
	int64_t value;
};

struct solve {
	struct unknown u[SOLVE_UNKNOWNS_MAX];
	uint32_t count, tried_count; /* those that are tried first */
	int64_t rest_lo[SOLVE_UNKNOWNS_MAX + 1];
	int64_t rest_hi[SOLVE_UNKNOWNS_MAX + 1];
	struct row rows[SOLVE_ROWS_MAX];
	uint32_t row_count;
	uint8_t of_var[SOLVE_VARS]; /* unknown + 1; 0: none */
	/*
	 * Sure: a solution counts only if it was found whole; doubt is none.
	 * Else doubt is a solution, and one in which no unknown of a CTA can
	 * be other than 0 is none, unless may_differ.
	 */
	bool is_sure, may_differ;
	uint32_t *steps;
};

/* The values x with coef * x in [lo, hi]. */
void solve_quotient(int64_t coef, int64_t lo, int64_t hi, int64_t *ret_lo,
		    int64_t *ret_hi);
/* All unknowns first, then solve_sort(), then rows, then solve_meets(). */
void solve_add(struct solve *p, struct unknown u);
void solve_sort(struct solve *p);
/* A row with a variable that is no unknown is left out. */
void solve_add_row(struct solve *p, struct row r);
bool solve_meets(struct solve *p, int64_t lo, int64_t hi);

#endif /* WEFT_GPU_PTX_PRIV_SOLVE_H */
