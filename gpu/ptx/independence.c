/*
 * gpu/ptx/independence - a proof that no CTA touches what another one writes.
 *
 * Needs a launch, whose sizes bound every variable.  For each pair of accesses
 * to one buffer, one of them a write, it looks for two threads of different
 * CTAs whose bytes meet: an equation over the differences of their variables,
 * with what guards and divisions say of them as further rows (solve.c).  No
 * solution is a proof.  A write and a read that certainly meet, guards and
 * all, are a reason to refuse.
 */
#include <string.h>

#include "gpu/ptx/priv/analysis.h"
#include "gpu/ptx/priv/solve.h"

/* Different forms of accesses to one object. */
#define FORMS_MAX 96u
/* Steps to find one certain conflict, and pairs tried for one. */
#define CERTAIN_STEPS 4096u
#define CERTAIN_PAIRS 512u

/* Where one access goes. */
struct form {
	struct value at;
	const struct access *c; /* the first of it */
	uint32_t bytes;
	bool is_write, is_read;
	/* The rows say all of when it runs. */
	bool is_whole;
	struct row rows[ROWS_MAX];
	uint32_t row_count;
};

static bool is_cta(uint32_t var)
{
	return var >= 3 && var < VALUE_IDS;
}

static void add_variables(const struct analysis *n, struct solve *p,
			  const struct value *x, const struct value *y)
{
	for (uint32_t v = 0; v < n->var_count; v++) {
		int64_t a = value_coef(x, v), b = value_coef(y, v);
		uint64_t extent = n->extent[v];
		int64_t most = VALUE_FAR;

		if (extent && extent <= 1ull << 40)
			most = (int64_t)extent - 1;
		if (a == b) {
			solve_add(p, (struct unknown){.coef = a,
						      .lo = -most,
						      .hi = most,
						      .var = (uint8_t)v,
						      .is_cta = is_cta(v)});
			continue;
		}
		p->may_differ = true;
		solve_add(p, (struct unknown){.coef = a,
					      .hi = most,
					      .var = SOLVE_NO_VAR});
		solve_add(p, (struct unknown){.coef = -b,
					      .hi = most,
					      .var = SOLVE_NO_VAR});
	}
}

/* The difference of the two r. */
static void add_rest(struct solve *p, const struct value *x,
		     const struct value *y)
{
	struct unknown u = {.var = SOLVE_NO_VAR};

	u.coef = value_gcd(x->step, y->step);
	if (!u.coef)
		return;
	u.lo = value_far_add(x->lo, -y->hi);
	u.hi = value_far_add(x->hi, -y->lo);
	solve_quotient(u.coef, u.lo, u.hi, &u.lo, &u.hi);
	solve_add(p, u);
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
static void tightest(const struct analysis *n, const struct form *f,
		     const struct row *r, int64_t *lo, int64_t *hi)
{
	struct value v = {.kinds = VALUE_CLEAN,
			  .shape = SHAPE_AFFINE,
			  .term_count = r->term_count};

	memcpy(v.var, r->var, sizeof(v.var));
	memcpy(v.coef, r->coef, sizeof(v.coef));
	value_range(&v, n->extent, lo, hi);
	for (uint32_t i = 0; i < f->row_count; i++) {
		if (!same_row(&f->rows[i], r))
			continue;
		*lo = f->rows[i].lo > *lo ? f->rows[i].lo : *lo;
		*hi = f->rows[i].hi < *hi ? f->rows[i].hi : *hi;
	}
}

static void add_rows(const struct analysis *n, struct solve *p,
		     const struct form *x, const struct form *y,
		     const struct form *of)
{
	for (uint32_t i = 0; i < of->row_count; i++) {
		struct row r = of->rows[i];
		int64_t a[2], b[2];

		tightest(n, x, &r, &a[0], &a[1]);
		tightest(n, y, &r, &b[0], &b[1]);
		r.lo = value_far_add(a[0], -b[1]);
		r.hi = value_far_add(a[1], -b[0]);
		solve_add_row(p, r);
	}
}

/* of - divisor * whole - rest = 0; no terms: too long. */
static struct row split_row(const struct split *s)
{
	struct row r = {.term_count = s->of.term_count,
			.lo = -s->of.c0,
			.hi = -s->of.c0};

	memcpy(r.var, s->of.var, sizeof(r.var));
	memcpy(r.coef, s->of.coef, sizeof(r.coef));
	if (r.term_count > VALUE_TERMS - 2)
		return (struct row){0};
	r.var[r.term_count] = s->whole;
	r.coef[r.term_count++] = -s->divisor;
	r.var[r.term_count] = s->rest;
	r.coef[r.term_count++] = -1;
	return r;
}

/* Of the differences, where constants cancel. */
static void add_splits(const struct analysis *n, struct solve *p)
{
	for (uint32_t i = 0; i < n->split_count; i++) {
		struct row r = split_row(&n->splits[i]);

		r.lo = r.hi = 0;
		solve_add_row(p, r);
	}
}

/* Whether two threads of different CTAs may meet, one in each access. */
static bool collide(const struct analysis *n, const struct form *x,
		    const struct form *y, uint32_t *steps)
{
	struct solve p = {.steps = steps};
	int64_t apart;

	if (__builtin_sub_overflow(y->at.c0, x->at.c0, &apart) ||
	    apart >= VALUE_FAR / 2 || apart <= -VALUE_FAR / 2)
		return true;
	add_variables(n, &p, &x->at, &y->at);
	add_rest(&p, &x->at, &y->at);
	solve_sort(&p);
	add_rows(n, &p, x, y, x);
	add_rows(n, &p, x, y, y);
	add_splits(n, &p);
	return solve_meets(&p, apart - ((int64_t)x->bytes - 1),
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
			     .c = c,
			     .bytes = c->bytes,
			     .is_write = c->is_write || c->is_atomic,
			     .is_read = c->is_read && !c->is_atomic};
	/* One base exactly, or the offset means nothing. */
	if (c->at.kinds != VALUE_ADDRESS || (c->at.bases & (c->at.bases - 1)) ||
	    c->at.shape != SHAPE_AFFINE)
		return false;
	analysis_at(n, c->function, (uint32_t)(c->in - c->f->instrs));
	ret->row_count = facts_rows(n, c->function, ret->rows, &ret->is_whole);
	ret->is_whole &= c->function == n->kernel;
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
		     f->bytes != o->bytes || f->is_write != o->is_write ||
		     f->is_read != o->is_read || f->is_whole != o->is_whole))
			continue;
		o->at = both;
		o->is_write |= f->is_write;
		o->is_read |= f->is_read;
		o->is_whole &= f->is_whole && o->at.step == 0;
		if (f->bytes > o->bytes)
			o->bytes = f->bytes;
		return true;
	}
	if (*count == FORMS_MAX)
		return false;
	list[(*count)++] = *f;
	return true;
}

static bool find_forms(struct analysis *n, uint32_t object, struct form *list,
		       uint32_t *count)
{
	*count = 0;
	for (uint32_t i = 0; i < n->access_count; i++) {
		const struct access *c = &n->accesses[i];
		struct form f;

		if (touches(n, c, object) &&
		    (!make_form(n, c, &f) || !add_form(n, list, count, &f)))
			return false;
	}
	return true;
}

static bool object_is_proved(struct analysis *n, uint32_t object,
			     struct form *list, uint32_t *steps)
{
	uint32_t count;

	if (!find_forms(n, object, list, &count))
		return false;
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; list[i].is_write && k < count; k++)
			if ((!list[k].is_write || k >= i) &&
			    collide(n, &list[i], &list[k], steps))
				return false;
	return true;
}

/* What one thread's guards and divisions say; its variables begin at first. */
static void add_own_rows(const struct analysis *n, struct solve *p,
			 const struct form *f, uint32_t first)
{
	for (uint32_t i = 0; i < f->row_count; i++) {
		struct row r = f->rows[i];

		for (uint32_t k = 0; k < r.term_count; k++)
			r.var[k] = (uint8_t)(r.var[k] + first);
		solve_add_row(p, r);
	}
	for (uint32_t i = 0; i < n->split_count; i++) {
		struct row r = split_row(&n->splits[i]);

		for (uint32_t k = 0; k < r.term_count; k++)
			r.var[k] = (uint8_t)(r.var[k] + first);
		solve_add_row(p, r);
	}
}

/* The variables of a thread of the CTA at cta. */
static void add_thread(const struct analysis *n, struct solve *p,
		       const struct value *at, int64_t sign, uint32_t first,
		       const int64_t cta[3])
{
	for (uint32_t v = 0; v < n->var_count; v++) {
		int64_t lo = 0, hi = (int64_t)n->extent[v] - 1;

		if (is_cta(v))
			lo = hi = cta[v - 3];
		solve_add(p, (struct unknown){.coef = sign * value_coef(at, v),
					      .lo = lo,
					      .hi = hi,
					      .var = (uint8_t)(first + v)});
	}
}

/* Whether a thread of CTA a certainly writes, by x, what one of CTA b reads,
 * by y. */
static bool do_meet(const struct analysis *n, const struct form *x,
		    const struct form *y, const int64_t a[3],
		    const int64_t b[3])
{
	uint32_t steps = SOLVE_STEPS_MAX - CERTAIN_STEPS;
	struct solve p = {.steps = &steps, .is_sure = true};
	int64_t apart = y->at.c0 - x->at.c0;

	add_thread(n, &p, &x->at, 1, 0, a);
	add_thread(n, &p, &y->at, -1, VALUE_VARS, b);
	solve_sort(&p);
	add_own_rows(n, &p, x, 0);
	add_own_rows(n, &p, y, VALUE_VARS);
	return solve_meets(&p, apart - ((int64_t)x->bytes - 1),
			   apart + ((int64_t)y->bytes - 1));
}

/* Neighbours in the middle of the grid, or at its first CTA. */
static bool neighbours_meet(const struct analysis *n, const struct form *x,
			    const struct form *y)
{
	if (x->at.c0 > VALUE_FAR / 4 || x->at.c0 < -VALUE_FAR / 4 ||
	    y->at.c0 > VALUE_FAR / 4 || y->at.c0 < -VALUE_FAR / 4)
		return false;
	for (uint32_t way = 0; way < 6; way++) {
		uint32_t d = way / 2;
		int64_t a[3], b[3];

		for (uint32_t i = 0; i < 3; i++)
			a[i] = b[i] =
				way % 2 ? 0 : (int64_t)n->extent[3 + i] / 2;
		if (n->extent[3 + d] < 2)
			continue;
		b[d] += way % 2 ? 1 : -1;
		if (do_meet(n, x, y, a, b) || do_meet(n, x, y, b, a))
			return true;
	}
	return false;
}

void independence_find_conflicts(struct analysis *n)
{
	struct form *list = ARENA_ARRAY(n->a, FORMS_MAX, struct form);
	uint32_t count, pairs = 0;

	if (!list)
		n->err = ERR_NO_MEMORY;
	for (uint32_t o = 0; list && n->launch && o < n->object_count; o++) {
		if (!n->objects[o].is_global || !n->objects[o].written ||
		    !n->objects[o].read || !n->objects[o].plain)
			continue;
		find_forms(n, o, list, &count);
		for (uint32_t i = 0; i < count; i++)
			for (uint32_t k = 0; k < count; k++) {
				const struct form *x = &list[i], *y = &list[k];

				if (!x->is_write || !y->is_read ||
				    !x->is_whole || !y->is_whole ||
				    x->at.step || y->at.step ||
				    pairs++ > CERTAIN_PAIRS ||
				    !neighbours_meet(n, x, y))
					continue;
				reasons_add(n, PTX_WHY_reads_written, y->c->f,
					    y->c->in, "");
			}
	}
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
