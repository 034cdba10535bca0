/*
 * gpu/ptx/independence - a proof that no CTA touches what another one writes.
 *
 * Needs a launch, whose sizes bound every variable.  For each pair of accesses
 * to one buffer, one of them a write, it looks for two threads of different
 * CTAs whose bytes meet: an equation over the differences of their variables,
 * with what guards and divisions say of them as further rows.  The variables
 * are tried from the largest coefficient down, each with the few values that
 * the smaller ones can still make up for.  No solution is a proof; too many to
 * try is none.
 */
#include <string.h>

#include "gpu/ptx/priv/analysis.h"

/* Values tried for one variable, and steps of the search for one kernel. */
#define BRANCH_MAX 64
#define STEPS_MAX  (1u << 20)
/* Different forms of accesses to one object. */
#define FORMS_MAX 96u
/* Variables of one equation: differences, those that differ in coefficient
 * twice, and r. */
#define UNKNOWNS_MAX (2 * VALUE_VARS + 1)
#define PAIR_ROWS    (2 * ROWS_MAX + SPLITS_MAX)

/* Where one access goes. */
struct form {
	struct value at;
	uint32_t bytes;
	bool is_write;
	struct row rows[ROWS_MAX];
	uint32_t row_count;
};

struct unknown {
	int64_t coef, lo, hi;
	uint8_t var; /* VALUE_VARS: none, only in the equation */
	bool is_cta; /* other than 0: two CTAs */
	bool is_set;
	int64_t value;
};

struct pair {
	const struct analysis *n;
	struct unknown u[UNKNOWNS_MAX];
	uint32_t count, equation_count; /* those with coefficients first */
	int64_t rest_lo[UNKNOWNS_MAX + 1], rest_hi[UNKNOWNS_MAX + 1];
	struct row rows[PAIR_ROWS];
	uint32_t row_count;
	uint8_t of_var[VALUE_VARS]; /* unknown + 1 */
	/* Some index of the CTA has two coefficients: they may differ. */
	bool may_differ;
	uint32_t *steps;
};

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

/* The values x with coef * x in [lo, hi]. */
static void quotient(int64_t coef, int64_t lo, int64_t hi, int64_t *ret_lo,
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
static void row_range(const struct pair *p, const struct row *r,
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
static void bound(const struct pair *p, const struct unknown *u, int64_t *lo,
		  int64_t *hi)
{
	*lo = u->lo;
	*hi = u->hi;
	for (uint32_t i = 0; i < p->row_count; i++) {
		const struct row *r = &p->rows[i];
		int64_t coef = 0, a, b;

		for (uint32_t k = 0; k < r->term_count; k++)
			if (u->var < VALUE_VARS && r->var[k] == u->var)
				coef = r->coef[k];
		if (!coef)
			continue;
		row_range(p, r, u, &a, &b);
		/* coef * x in [r->lo - b, r->hi - a] */
		quotient(coef, value_far_add(r->lo, -b),
			 value_far_add(r->hi, -a), &a, &b);
		*lo = a > *lo ? a : *lo;
		*hi = b < *hi ? b : *hi;
	}
}

static bool rows_hold(const struct pair *p)
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
static bool differs(const struct pair *p)
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

/* Whether unknowns from i on can bring the sum into [lo, hi]. */
static bool meets(struct pair *p, uint32_t i, int64_t lo, int64_t hi)
{
	struct unknown *u = &p->u[i];
	int64_t from, to, low, high;
	bool found = false;

	if (++*p->steps > STEPS_MAX)
		return true;
	if (!rows_hold(p))
		return false;
	if (i == p->equation_count)
		return lo <= 0 && hi >= 0 && differs(p);
	quotient(u->coef, value_far_add(lo, -p->rest_hi[i + 1]),
		 value_far_add(hi, -p->rest_lo[i + 1]), &from, &to);
	bound(p, u, &low, &high);
	from = from > low ? from : low;
	to = to < high ? to : high;
	if (from > to)
		return false;
	if (to - from >= BRANCH_MAX || to >= VALUE_FAR || from <= -VALUE_FAR)
		return true;
	u->is_set = true;
	for (u->value = from; u->value <= to && !found; u->value++) {
		int64_t part = value_far_mul(u->coef, u->value);

		found = meets(p, i + 1, value_far_add(lo, -part),
			      value_far_add(hi, -part));
	}
	u->is_set = false;
	return found;
}

static void add_unknown(struct pair *p, struct unknown u)
{
	if (u.var < VALUE_VARS)
		p->of_var[u.var] = 1;
	p->u[p->count++] = u;
}

static bool is_cta(uint32_t var)
{
	return var >= 3 && var < VALUE_IDS;
}

static void add_variables(struct pair *p, const struct value *x,
			  const struct value *y)
{
	for (uint32_t v = 0; v < p->n->var_count; v++) {
		int64_t a = value_coef(x, v), b = value_coef(y, v);
		uint64_t extent = p->n->extent[v];
		int64_t most = VALUE_FAR;

		if (extent && extent <= 1ull << 40)
			most = (int64_t)extent - 1;
		if (a == b) {
			add_unknown(p, (struct unknown){.coef = a,
							.lo = -most,
							.hi = most,
							.var = (uint8_t)v,
							.is_cta = is_cta(v)});
			continue;
		}
		p->may_differ = true;
		add_unknown(p, (struct unknown){.coef = a,
						.hi = most,
						.var = VALUE_VARS});
		add_unknown(p, (struct unknown){.coef = -b,
						.hi = most,
						.var = VALUE_VARS});
	}
}

/* The difference of the two r. */
static void add_rest(struct pair *p, const struct value *x,
		     const struct value *y)
{
	struct unknown u = {.var = VALUE_VARS};

	u.coef = value_gcd(x->step, y->step);
	if (!u.coef)
		return;
	u.lo = value_far_add(x->lo, -y->hi);
	u.hi = value_far_add(x->hi, -y->lo);
	quotient(u.coef, u.lo, u.hi, &u.lo, &u.hi);
	add_unknown(p, u);
}

/* Larger coefficients first, none at all last. */
static void sort_unknowns(struct pair *p)
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
		p->equation_count += p->u[i].coef != 0;
		if (p->u[i].var < VALUE_VARS)
			p->of_var[p->u[i].var] = (uint8_t)(i + 1);
	}
	for (uint32_t i = p->equation_count; i > 0; i--) {
		const struct unknown *u = &p->u[i - 1];
		int64_t a = value_far_mul(u->lo, u->coef);
		int64_t b = value_far_mul(u->hi, u->coef);

		p->rest_lo[i - 1] = value_far_add(p->rest_lo[i], a < b ? a : b);
		p->rest_hi[i - 1] = value_far_add(p->rest_hi[i], a < b ? b : a);
	}
}

static bool same_row(const struct row *a, const struct row *b)
{
	return a->term_count == b->term_count &&
	       memcmp(a->var, b->var, a->term_count) == 0 &&
	       memcmp(a->coef, b->coef, a->term_count * sizeof(a->coef[0])) ==
		       0;
}

/* All that the rows of a form with r's terms say, and the variables' own
 * ranges. */
static void tightest(const struct pair *p, const struct form *f,
		     const struct row *r, int64_t *lo, int64_t *hi)
{
	struct value v = {.kinds = VALUE_CLEAN,
			  .shape = SHAPE_AFFINE,
			  .term_count = r->term_count};

	memcpy(v.var, r->var, sizeof(v.var));
	memcpy(v.coef, r->coef, sizeof(v.coef));
	value_range(&v, p->n->extent, lo, hi);
	for (uint32_t i = 0; i < f->row_count; i++) {
		if (!same_row(&f->rows[i], r))
			continue;
		*lo = f->rows[i].lo > *lo ? f->rows[i].lo : *lo;
		*hi = f->rows[i].hi < *hi ? f->rows[i].hi : *hi;
	}
}

static void add_row(struct pair *p, struct row r)
{
	for (uint32_t i = 0; i < r.term_count; i++)
		if (!p->of_var[r.var[i]])
			return;
	if (p->row_count < PAIR_ROWS)
		p->rows[p->row_count++] = r;
}

static void add_rows(struct pair *p, const struct form *x, const struct form *y,
		     const struct form *of)
{
	for (uint32_t i = 0; i < of->row_count; i++) {
		struct row r = of->rows[i];
		int64_t a[2], b[2];

		tightest(p, x, &r, &a[0], &a[1]);
		tightest(p, y, &r, &b[0], &b[1]);
		r.lo = value_far_add(a[0], -b[1]);
		r.hi = value_far_add(a[1], -b[0]);
		add_row(p, r);
	}
}

/* of - divisor * whole - rest = 0. */
static void add_splits(struct pair *p)
{
	for (uint32_t i = 0; i < p->n->split_count; i++) {
		const struct split *s = &p->n->splits[i];
		struct row r = {.term_count = s->of.term_count};

		if (r.term_count > VALUE_TERMS - 2)
			continue;
		memcpy(r.var, s->of.var, sizeof(r.var));
		memcpy(r.coef, s->of.coef, sizeof(r.coef));
		r.var[r.term_count] = s->whole;
		r.coef[r.term_count++] = -s->divisor;
		r.var[r.term_count] = s->rest;
		r.coef[r.term_count++] = -1;
		add_row(p, r);
	}
}

/* Whether two threads of different CTAs may meet, one in each access. */
static bool collide(const struct analysis *n, const struct form *x,
		    const struct form *y, uint32_t *steps)
{
	struct pair p = {.n = n, .steps = steps};
	int64_t apart;

	if (__builtin_sub_overflow(y->at.c0, x->at.c0, &apart) ||
	    apart >= VALUE_FAR / 2 || apart <= -VALUE_FAR / 2)
		return true;
	add_variables(&p, &x->at, &y->at);
	add_rest(&p, &x->at, &y->at);
	sort_unknowns(&p);
	add_rows(&p, x, y, x);
	add_rows(&p, x, y, y);
	add_splits(&p);
	return meets(&p, 0, apart - ((int64_t)x->bytes - 1),
		     apart + ((int64_t)y->bytes - 1));
}

static bool touches(const struct analysis *n, const struct access *c,
		    uint32_t object)
{
	uint32_t direct = analysis_object_of(n, c->function, c->memory);

	if (direct != PTX_NO_INDEX)
		return direct == object;
	if (value_may_be_anywhere(&c->at))
		return true;
	return n->objects[object].base != BASE_OTHER &&
	       (c->at.bases >> n->objects[object].base & 1);
}

static bool make_form(struct analysis *n, const struct access *c,
		      struct form *ret)
{
	*ret = (struct form){.at = c->at,
			     .bytes = c->bytes,
			     .is_write = c->is_write || c->is_atomic};
	/* One base exactly, or the offset means nothing. */
	if (c->at.kinds != VALUE_ADDRESS || (c->at.bases & (c->at.bases - 1)) ||
	    c->at.shape != SHAPE_AFFINE)
		return false;
	analysis_at(n, c->function, (uint32_t)(c->in - c->f->instrs));
	ret->row_count = facts_rows(n, c->function, ret->rows);
	return true;
}

static bool same_rows(const struct form *a, const struct form *b)
{
	if (a->row_count != b->row_count)
		return false;
	for (uint32_t i = 0; i < a->row_count; i++)
		if (!same_row(&a->rows[i], &b->rows[i]) ||
		    a->rows[i].lo != b->rows[i].lo ||
		    a->rows[i].hi != b->rows[i].hi)
			return false;
	return true;
}

/* Adds a form to the list: an equal one is enough, and a full list takes it
 * into one of the same terms. */
static bool add_form(const struct analysis *n, struct form *list,
		     uint32_t *count, const struct form *f)
{
	for (uint32_t i = 0; i < *count; i++) {
		struct form *o = &list[i];
		struct value both = o->at;

		if (!same_rows(o, f))
			continue;
		value_join(&both, &f->at, n->extent);
		if (both.term_count != f->at.term_count ||
		    both.term_count != o->at.term_count)
			continue;
		if (*count < FORMS_MAX &&
		    (f->at.c0 != o->at.c0 || f->at.step != o->at.step ||
		     f->at.lo != o->at.lo || f->at.hi != o->at.hi ||
		     f->bytes != o->bytes || f->is_write != o->is_write))
			continue;
		o->at = both;
		o->is_write |= f->is_write;
		if (f->bytes > o->bytes)
			o->bytes = f->bytes;
		return true;
	}
	if (*count == FORMS_MAX)
		return false;
	list[(*count)++] = *f;
	return true;
}

static bool object_is_proved(struct analysis *n, uint32_t object,
			     struct form *list, uint32_t *steps)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < n->access_count; i++) {
		const struct access *c = &n->accesses[i];
		struct form f;

		if (!touches(n, c, object))
			continue;
		if (!make_form(n, c, &f) || !add_form(n, list, &count, &f))
			return false;
	}
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; list[i].is_write && k < count; k++)
			if ((!list[k].is_write || k >= i) &&
			    collide(n, &list[i], &list[k], steps))
				return false;
	return true;
}

bool independence_is_slot(struct analysis *n, const struct access *c)
{
	struct form f;
	uint32_t steps = 0;

	if (!n->launch || !make_form(n, c, &f) || f.at.step)
		return false;
	for (uint32_t i = 0; i < f.at.term_count; i++)
		if (!is_cta(f.at.var[i]))
			return false;
	return !collide(n, &f, &f, &steps);
}

bool independence_is_proved(struct analysis *n)
{
	bool one_cta = n->launch != NULL;
	struct form *list = ARENA_ARRAY(n->a, FORMS_MAX, struct form);
	uint32_t steps = 0;

	if (!list) {
		n->err = ERR_NO_MEMORY;
		return false;
	}
	for (uint32_t i = 3; i < VALUE_IDS; i++)
		one_cta = one_cta && n->extent[i] <= 1;
	if (one_cta)
		return true;
	for (uint32_t i = 0; i < n->object_count; i++) {
		const struct object *o = &n->objects[i];

		if (!o->is_global || !o->written)
			continue;
		/* Atomics of one operation commute (class R). */
		if (o->atomic && !o->plain && !n->reads_all)
			continue;
		if (!n->launch || !object_is_proved(n, i, list, &steps))
			return false;
	}
	return true;
}
