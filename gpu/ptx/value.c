/*
 * gpu/ptx/value - the lattice of the analyser.  Every overflow of a
 * coefficient gives up the shape, so what is affine is so in the integers.
 */
#include "gpu/ptx/priv/value.h"

#include <string.h>

int64_t value_gcd(int64_t a, int64_t b)
{
	uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
	uint64_t y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;

	while (y) {
		uint64_t r = x % y;

		x = y;
		y = r;
	}
	return (int64_t)(x > INT64_MAX ? 1 : x);
}

static int64_t to_far(int64_t v)
{
	if (v >= VALUE_FAR)
		return VALUE_FAR;
	return v <= -VALUE_FAR ? -VALUE_FAR : v;
}

int64_t value_far_add(int64_t a, int64_t b)
{
	int64_t sum;

	if (value_is_far(a))
		return a;
	if (value_is_far(b))
		return b;
	if (__builtin_add_overflow(a, b, &sum))
		return a < 0 ? -VALUE_FAR : VALUE_FAR;
	return to_far(sum);
}

int64_t value_far_mul(int64_t a, int64_t b)
{
	int64_t product;

	if (__builtin_mul_overflow(a, b, &product))
		return (a < 0) == (b < 0) ? VALUE_FAR : -VALUE_FAR;
	return to_far(product);
}

struct value value_any(void)
{
	return (struct value){.kinds = VALUE_CLEAN, .shape = SHAPE_ANY};
}

struct value value_data(void)
{
	return (struct value){.kinds = VALUE_CLEAN | VALUE_DATA,
			      .shape = SHAPE_ANY,
			      .irregular = true};
}

struct value value_unset(void)
{
	struct value v = value_data();

	v.irregular = false;
	return v;
}

struct value value_const(int64_t c)
{
	return (struct value){
		.kinds = VALUE_CLEAN, .shape = SHAPE_AFFINE, .c0 = c};
}

struct value value_in(int64_t lo, int64_t hi)
{
	struct value v = value_const(lo);

	if (lo != hi) {
		v.step = 1;
		v.hi = hi - lo;
	}
	return v;
}

struct value value_var(uint32_t var)
{
	struct value v = value_const(0);

	v.term_count = 1;
	v.var[0] = (uint8_t)var;
	v.coef[0] = 1;
	return v;
}

struct value value_address(uint32_t base, int64_t offset)
{
	struct value v = value_const(offset);

	v.kinds = VALUE_ADDRESS;
	v.bases = 1ull << base;
	return v;
}

void value_forget_shape(struct value *v)
{
	v->shape = SHAPE_ANY;
	v->c0 = v->step = v->lo = v->hi = 0;
	v->reach = 0;
	v->term_count = 0;
}

void value_forget(struct value *v)
{
	if (v->kinds)
		value_forget_shape(v);
}

bool value_is_fixed(const struct value *v)
{
	return v->shape == SHAPE_AFFINE && v->step == 0 && v->term_count == 0;
}

bool value_is_const(const struct value *v)
{
	return v->kinds == VALUE_CLEAN && value_is_fixed(v);
}

bool value_is_clean(const struct value *v)
{
	return (v->kinds & ~VALUE_DATA) == VALUE_CLEAN;
}

bool value_may_be_anywhere(const struct value *v)
{
	return v->kinds && (!v->bases || v->bases >> BASE_OTHER & 1 ||
			    v->kinds & VALUE_DATA);
}

static bool one_bit(uint64_t bases)
{
	return bases && !(bases & (bases - 1)) && bases != 1ull << BASE_OTHER;
}

bool value_is_one_base(const struct value *v)
{
	return v->kinds == VALUE_ADDRESS && one_bit(v->bases);
}

bool value_has_small_offset(const struct value *v, int64_t limit)
{
	return value_is_fixed(v) && v->c0 >= 0 && v->c0 < limit;
}

int64_t value_coef(const struct value *v, uint32_t var)
{
	for (uint32_t i = 0; i < v->term_count; i++)
		if (v->var[i] == var)
			return v->coef[i];
	return 0;
}

static void remove_term(struct value *v, uint32_t i)
{
	v->term_count--;
	for (; i < v->term_count; i++) {
		v->var[i] = v->var[i + 1];
		v->coef[i] = v->coef[i + 1];
	}
}

/* Bounds of a term. */
static void term_range(int64_t coef, uint64_t extent, int64_t *lo, int64_t *hi)
{
	int64_t end = VALUE_FAR;

	if (extent && extent <= 1ull << 40)
		end = value_far_mul(coef, (int64_t)extent - 1);
	else if (coef < 0)
		end = -VALUE_FAR;
	*lo = end < 0 ? end : 0;
	*hi = end > 0 ? end : 0;
}

void value_terms_range(const struct value *v, const uint64_t *extent,
		       int64_t *lo, int64_t *hi)
{
	*lo = *hi = to_far(v->c0);
	for (uint32_t i = 0; i < v->term_count; i++) {
		int64_t a, b;

		term_range(v->coef[i], extent[v->var[i]], &a, &b);
		*lo = value_far_add(*lo, a);
		*hi = value_far_add(*hi, b);
	}
}

void value_range(const struct value *v, const uint64_t *extent, int64_t *ret_lo,
		 int64_t *ret_hi)
{
	*ret_lo = -VALUE_FAR;
	*ret_hi = VALUE_FAR;
	if (v->shape != SHAPE_AFFINE)
		return;
	value_terms_range(v, extent, ret_lo, ret_hi);
	*ret_lo = value_far_add(*ret_lo, v->lo);
	*ret_hi = value_far_add(*ret_hi, v->hi);
}

void value_clip(struct value *v, const uint64_t *extent, int64_t lo, int64_t hi)
{
	int64_t least, most;

	if (v->shape == SHAPE_ANY) {
		v->shape = SHAPE_AFFINE;
		v->step = 1;
		v->lo = -VALUE_FAR;
		v->hi = VALUE_FAR;
	}
	if (v->shape != SHAPE_AFFINE || v->step == 0)
		return;
	value_terms_range(v, extent, &least, &most);
	if (lo > -VALUE_FAR && most < VALUE_FAR && lo - most > v->lo)
		v->lo = lo - most;
	if (hi < VALUE_FAR && least > -VALUE_FAR && hi - least < v->hi)
		v->hi = hi - least;
	/* Nothing is left: code that never runs. */
	if (v->lo > v->hi)
		v->lo = v->hi;
}

/* A term becomes part of r. */
static void fold(struct value *v, uint32_t i, const uint64_t *extent)
{
	int64_t lo, hi;

	term_range(v->coef[i], extent[v->var[i]], &lo, &hi);
	v->step = value_gcd(v->step, v->coef[i]);
	v->lo = value_far_add(v->lo, lo);
	v->hi = value_far_add(v->hi, hi);
	remove_term(v, i);
}

void value_flatten(struct value *v, const uint64_t *extent)
{
	int64_t lo, hi;

	if (v->shape != SHAPE_AFFINE)
		return;
	value_range(v, extent, &lo, &hi);
	v->term_count = 0;
	v->reach = 0;
	v->c0 = 0;
	v->step = 1;
	v->lo = lo;
	v->hi = hi;
	if (value_is_far(lo) || value_is_far(hi))
		return;
	v->c0 = lo;
	v->lo = 0;
	v->hi = to_far(hi - lo);
	v->step = lo != hi;
}

/* Folds the terms that a and b do not share. */
static void fold_others(struct value *a, struct value *b,
			const uint64_t *extent)
{
	for (uint32_t i = 0; i < a->term_count;)
		if (value_coef(b, a->var[i]) != a->coef[i])
			fold(a, i, extent);
		else
			i++;
	for (uint32_t i = 0; i < b->term_count;)
		if (value_coef(a, b->var[i]) != b->coef[i])
			fold(b, i, extent);
		else
			i++;
}

/*
 * Where a bound of r goes on to, r growing upwards: what brings the value to
 * the end of some width (whole: c0 and the terms at their most), or to a stop
 * n, or n - 1, or one step before n (part: at their least, as guards clip).
 */
static int64_t next_bound(int64_t bound, int64_t whole, int64_t part,
			  int64_t step, const int64_t *stops, uint32_t count,
			  bool is_low)
{
	static const int64_t ends[2][4] = {
		{0, INT32_MAX, UINT32_MAX, 1ll << 40},
		{0, -(int64_t)INT32_MIN, 1ll << 40, 1ll << 40},
	};
	int64_t best = VALUE_FAR;

	for (uint32_t i = 0; i < 4; i++) {
		int64_t end = value_far_add(ends[is_low][i], -whole);

		if (end >= bound && end < best)
			best = end;
	}
	for (uint32_t i = 0; i < count; i++) {
		int64_t stop = is_low ? -stops[i] : stops[i];
		const int64_t tries[3] = {stop, stop - 1, stop - step};

		for (uint32_t k = 0; k < 3; k++) {
			int64_t end = value_far_add(tries[k], -part);

			if (end >= bound && end < best)
				best = end;
		}
	}
	return best;
}

void value_widen(struct value *v, const struct value *old,
		 const uint64_t *extent, const int64_t *stops,
		 uint32_t stop_count)
{
	int64_t least, most, lo, hi, old_lo, old_hi;

	if (v->shape != SHAPE_AFFINE || old->shape != SHAPE_AFFINE)
		return;
	value_terms_range(v, extent, &least, &most);
	value_range(v, extent, &lo, &hi);
	value_range(old, extent, &old_lo, &old_hi);
	if (hi > old_hi || v->hi > old->hi)
		v->hi = value_is_far(most) || value_is_far(least)
				? VALUE_FAR
				: next_bound(v->hi, most, least, v->step, stops,
					     stop_count, false);
	if (lo < old_lo || v->lo < old->lo)
		v->lo = value_is_far(most) || value_is_far(least)
				? -VALUE_FAR
				: -next_bound(-v->lo, -least, -most, v->step,
					      stops, stop_count, true);
}

/* r of both, b's offset by apart; whether the bounds of a grew. */
static void join_rest(struct value *a, struct value *b, int64_t apart,
		      bool *low, bool *high)
{
	uint64_t reach = apart < 0 ? 0 - (uint64_t)apart : (uint64_t)apart;

	a->step = value_gcd(value_gcd(a->step, b->step), apart);
	b->lo = value_far_add(b->lo, apart);
	b->hi = value_far_add(b->hi, apart);
	if (reach < b->reach)
		reach = b->reach;
	if (reach > a->reach)
		a->reach = reach;
	*low = b->lo < a->lo;
	*high = b->hi > a->hi;
	if (*low)
		a->lo = b->lo;
	if (*high)
		a->hi = b->hi;
}

static bool join_shape(struct value *a, const struct value *from,
		       const uint64_t *extent)
{
	struct value old = *a, b = *from;
	bool low, high;
	int64_t apart;

	if (b.shape == SHAPE_NONE || a->shape == SHAPE_ANY)
		return false;
	if (a->shape == SHAPE_NONE) {
		a->shape = b.shape;
		a->c0 = b.c0;
		a->step = b.step;
		a->lo = b.lo;
		a->hi = b.hi;
		a->reach = b.reach;
		a->term_count = b.term_count;
		memcpy(a->var, b.var, sizeof(a->var));
		memcpy(a->coef, b.coef, sizeof(a->coef));
		return true;
	}
	if (b.shape == SHAPE_ANY ||
	    __builtin_sub_overflow(b.c0, a->c0, &apart)) {
		value_forget_shape(a);
		return true;
	}
	fold_others(a, &b, extent);
	join_rest(a, &b, apart, &low, &high);
	return low || high || a->step != old.step || a->reach != old.reach ||
	       a->term_count != old.term_count;
}

bool value_join(struct value *a, const struct value *b, const uint64_t *extent)
{
	uint8_t kinds = a->kinds | b->kinds;
	bool grew;

	if (b->kinds == 0)
		return false;
	/* Two different differences are no difference. */
	if (a->kinds & b->kinds & VALUE_LINEAR) {
		if (a->plus != b->plus || a->minus != b->minus)
			kinds |= VALUE_MIXED;
	} else if (b->kinds & VALUE_LINEAR) {
		a->plus = b->plus;
		a->minus = b->minus;
	}
	grew = (a->bases | b->bases) != a->bases || kinds != a->kinds ||
	       (b->irregular && !a->irregular);
	a->bases |= b->bases;
	a->kinds = kinds;
	a->irregular |= b->irregular;
	return join_shape(a, b, extent) || grew;
}
