/*
 * gpu/ptx/solve - a bounded search; see the header.
 */
#include "gpu/ptx/priv/solve.h"

#include <string.h>

static int64_t magnitude(int64_t v)
{
	return v < 0 ? -v : v;
}

static int64_t div_down(int64_t a, int64_t b)
{
	return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t div_up(int64_t a, int64_t b)
{
	return a / b + (a % b != 0 && (a < 0) == (b < 0));
}

void solve_quotient(int64_t coef, int64_t lo, int64_t hi, int64_t *ret_lo,
		    int64_t *ret_hi)
{
	*ret_lo = -VALUE_FAR;
	*ret_hi = VALUE_FAR;
	if (lo > -VALUE_FAR)
		*(coef > 0 ? ret_lo : ret_hi) =
			coef > 0 ? div_up(lo, coef) : div_down(lo, coef);
	if (hi < VALUE_FAR)
		*(coef > 0 ? ret_hi : ret_lo) =
			coef > 0 ? div_down(hi, coef) : div_up(hi, coef);
}

/* Bounds of a row over what its unknowns can still be, without one of them
 * (NULL: with all). */
static void row_range(const struct solve *p, const struct row *r,
		      const struct unknown *without, int64_t *lo, int64_t *hi)
{
	*lo = *hi = 0;
	for (uint32_t i = 0; i < r->term_count; i++) {
		const struct unknown *u = &p->u[p->of_var[r->var[i]] - 1];
		int64_t a = u->is_set ? u->value : u->lo;
		int64_t b = u->is_set ? u->value : u->hi;

		if (u == without)
			continue;
		a = value_far_mul(a, r->coef[i]);
		b = value_far_mul(b, r->coef[i]);
		*lo = value_far_add(*lo, a < b ? a : b);
		*hi = value_far_add(*hi, a < b ? b : a);
	}
}

/* What the rows leave of an unknown. */
static void bound(const struct solve *p, const struct unknown *u, int64_t *lo,
		  int64_t *hi)
{
	*lo = u->lo;
	*hi = u->hi;
	for (uint32_t i = 0; i < p->row_count; i++) {
		const struct row *r = &p->rows[i];
		int64_t coef = 0, a, b;

		for (uint32_t k = 0; k < r->term_count; k++)
			if (r->var[k] == u->var)
				coef = r->coef[k];
		if (!coef)
			continue;
		row_range(p, r, u, &a, &b);
		/* coef * x in [r->lo - b, r->hi - a] */
		solve_quotient(coef, value_far_add(r->lo, -b),
			       value_far_add(r->hi, -a), &a, &b);
		*lo = a > *lo ? a : *lo;
		*hi = b < *hi ? b : *hi;
	}
}

static bool rows_hold(const struct solve *p)
{
	for (uint32_t i = 0; i < p->row_count; i++) {
		int64_t lo, hi;

		row_range(p, &p->rows[i], NULL, &lo, &hi);
		if (lo > p->rows[i].hi || hi < p->rows[i].lo)
			return false;
	}
	return true;
}

/* All unknowns of the equation are set: can the CTAs differ? */
static bool differs(const struct solve *p)
{
	bool differ = p->may_differ;

	for (uint32_t i = 0; i < p->count; i++) {
		const struct unknown *u = &p->u[i];
		int64_t lo, hi;

		if (u->is_set) {
			differ |= u->is_cta && u->value;
			continue;
		}
		bound(p, u, &lo, &hi);
		if (lo > hi)
			return false;
		differ |= u->is_cta && (lo || hi);
	}
	return differ;
}

static bool meets(struct solve *p, uint32_t i, int64_t lo, int64_t hi);

/* Tries the values of unknown i one after the other. */
static bool try_values(struct solve *p, uint32_t i, int64_t lo, int64_t hi,
		       int64_t from, int64_t to)
{
	struct unknown *u = &p->u[i];
	bool found = false;

	u->is_set = true;
	for (u->value = from; u->value <= to && !found; u->value++) {
		int64_t part = value_far_mul(u->coef, u->value);

		found = meets(p, i + 1, value_far_add(lo, -part),
			      value_far_add(hi, -part));
	}
	u->is_set = false;
	return found;
}

/* Whether unknowns from i on can bring the sum into [lo, hi]. */
static bool meets(struct solve *p, uint32_t i, int64_t lo, int64_t hi)
{
	struct unknown *u = &p->u[i];
	int64_t from = -VALUE_FAR, to = VALUE_FAR, low, high;

	if (++*p->steps > SOLVE_STEPS_MAX)
		return !p->is_sure;
	if (!rows_hold(p))
		return false;
	if (i == p->tried_count)
		return lo <= 0 && hi >= 0 && (p->is_sure || differs(p));
	if (u->coef)
		solve_quotient(u->coef, value_far_add(lo, -p->rest_hi[i + 1]),
			       value_far_add(hi, -p->rest_lo[i + 1]), &from,
			       &to);
	bound(p, u, &low, &high);
	from = from > low ? from : low;
	to = to < high ? to : high;
	if (from > to)
		return false;
	if (value_is_far(from) || value_is_far(to) ||
	    to - from >= SOLVE_BRANCH_MAX) {
		if (!p->is_sure || value_is_far(from))
			return !p->is_sure;
		to = from + SOLVE_BRANCH_MAX - 1;
	}
	return try_values(p, i, lo, hi, from, to);
}

bool solve_meets(struct solve *p, int64_t lo, int64_t hi)
{
	return meets(p, 0, lo, hi);
}

void solve_add(struct solve *p, struct unknown u)
{
	p->u[p->count++] = u;
}

/* Larger coefficients first, none at all last. */
void solve_sort(struct solve *p)
{
	for (uint32_t i = 1; i < p->count; i++) {
		struct unknown u = p->u[i];
		uint32_t k = i;

		for (; k > 0 && magnitude(p->u[k - 1].coef) < magnitude(u.coef);
		     k--)
			p->u[k] = p->u[k - 1];
		p->u[k] = u;
	}
	memset(p->of_var, 0, sizeof(p->of_var));
	for (uint32_t i = 0; i < p->count; i++) {
		p->tried_count += p->u[i].coef != 0;
		if (p->u[i].var != SOLVE_NO_VAR)
			p->of_var[p->u[i].var] = (uint8_t)(i + 1);
	}
	if (p->is_sure)
		p->tried_count = p->count;
	for (uint32_t i = p->count; i > 0; i--) {
		const struct unknown *u = &p->u[i - 1];
		int64_t a = value_far_mul(u->lo, u->coef);
		int64_t b = value_far_mul(u->hi, u->coef);

		p->rest_lo[i - 1] = value_far_add(p->rest_lo[i], a < b ? a : b);
		p->rest_hi[i - 1] = value_far_add(p->rest_hi[i], a < b ? b : a);
	}
}

void solve_add_row(struct solve *p, struct row r)
{
	for (uint32_t i = 0; i < r.term_count; i++)
		if (!p->of_var[r.var[i]])
			return;
	if (p->row_count < SOLVE_ROWS_MAX)
		p->rows[p->row_count++] = r;
}
