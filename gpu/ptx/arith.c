/*
 * gpu/ptx/arith - sums, products, masks and widths of the analyser's values.
 */
#include "gpu/ptx/priv/value.h"

/* Of a sum: the terms of a and sign times those of b. */
static bool sum_terms(struct value *v, const struct value *a,
		      const struct value *b, int64_t sign)
{
	uint32_t i = 0, k = 0;
	bool bad = false;

	v->term_count = 0;
	while (i < a->term_count || k < b->term_count) {
		uint32_t x = i < a->term_count ? a->var[i] : VALUE_VARS;
		uint32_t y = k < b->term_count ? b->var[k] : VALUE_VARS;
		int64_t coef = 0, other = 0;

		if (x <= y)
			coef = a->coef[i++];
		if (y <= x)
			bad |= __builtin_mul_overflow(b->coef[k++], sign,
						      &other);
		bad |= __builtin_add_overflow(coef, other, &coef);
		if (!coef)
			continue;
		if (v->term_count == VALUE_TERMS)
			return false;
		v->var[v->term_count] = (uint8_t)(x < y ? x : y);
		v->coef[v->term_count++] = coef;
	}
	return !bad;
}

/* a + sign * b in shape. */
static void sum_shape(struct value *v, const struct value *a,
		      const struct value *b, int64_t sign)
{
	bool bad = a->shape != SHAPE_AFFINE || b->shape != SHAPE_AFFINE;
	int64_t t;

	v->shape = SHAPE_AFFINE;
	if (!bad) {
		bad |= __builtin_mul_overflow(b->c0, sign, &t);
		bad |= __builtin_add_overflow(a->c0, t, &v->c0);
		v->step = value_gcd(a->step, b->step);
		v->lo = value_far_add(a->lo, sign < 0 ? -b->hi : b->lo);
		v->hi = value_far_add(a->hi, sign < 0 ? -b->lo : b->hi);
		bad |= __builtin_add_overflow(a->reach, b->reach, &v->reach);
		bad |= !sum_terms(v, a, b, sign);
	}
	if (bad)
		value_forget_shape(v);
}

/* Kinds of a value made of a and b in a way that keeps no address. */
static struct value mixed(const struct value *a, const struct value *b)
{
	struct value v = value_any();

	v.bases = a->bases | b->bases;
	v.irregular = a->irregular || b->irregular;
	if ((a->kinds | b->kinds) & VALUE_HIDDEN)
		v.kinds = VALUE_MIXED;
	else
		v.kinds |= (a->kinds | b->kinds) & VALUE_DATA;
	return v;
}

struct value value_mix(const struct value *a, const struct value *b)
{
	if (!a->kinds || !b->kinds)
		return (struct value){0};
	return mixed(a, b);
}

/* The origin of v becomes that of x. */
static void take_origin(struct value *v, const struct value *x)
{
	v->kinds = x->kinds;
	v->bases = x->bases;
	v->plus = x->plus;
	v->minus = x->minus;
}

/* Whether x + d, an address and a difference, cancel to one base. */
static bool cancels(const struct value *x, const struct value *d)
{
	return value_is_one_base(x) && d->kinds == VALUE_LINEAR &&
	       x->bases == 1ull << d->minus;
}

struct value value_add(const struct value *a, const struct value *b)
{
	bool ac = value_is_clean(a), bc = value_is_clean(b);
	struct value v;

	if (!a->kinds || !b->kinds)
		return (struct value){0};
	v = mixed(a, b);
	if (ac && !bc) {
		take_origin(&v, b);
	} else if (bc && !ac) {
		take_origin(&v, a);
	} else if (cancels(a, b) || cancels(b, a)) {
		v.kinds = VALUE_ADDRESS;
		v.bases = 1ull << (cancels(a, b) ? b->plus : a->plus);
	}
	sum_shape(&v, a, b, 1);
	return v;
}

static uint8_t bit_number(uint64_t bit)
{
	return (uint8_t)__builtin_ctzll(bit);
}

struct value value_sub(const struct value *a, const struct value *b)
{
	struct value v;

	if (!a->kinds || !b->kinds)
		return (struct value){0};
	v = mixed(a, b);
	if (value_is_clean(b) && !value_is_clean(a)) {
		take_origin(&v, a);
	} else if (value_is_one_base(a) && value_is_one_base(b)) {
		bool same = a->bases == b->bases;

		v.kinds = same ? VALUE_CLEAN : VALUE_LINEAR;
		v.plus = bit_number(a->bases);
		v.minus = bit_number(b->bases);
		if (same)
			v.bases = 0;
	}
	sum_shape(&v, a, b, -1);
	return v;
}

/* Two numbers with bounds: their product's bounds. */
static void product_range(struct value *v, const struct value *a,
			  const struct value *b, const uint64_t *extent)
{
	int64_t x[2], y[2], least = VALUE_FAR, most = -VALUE_FAR;

	value_range(a, extent, &x[0], &x[1]);
	value_range(b, extent, &y[0], &y[1]);
	if (!value_is_clean(a) || !value_is_clean(b) || value_is_far(x[0]) ||
	    value_is_far(x[1]) || value_is_far(y[0]) || value_is_far(y[1]))
		return;
	for (uint32_t i = 0; i < 4; i++) {
		int64_t p = value_far_mul(x[i & 1], y[i >> 1]);

		least = p < least ? p : least;
		most = p > most ? p : most;
	}
	if (value_is_far(least) || value_is_far(most))
		return;
	v->shape = SHAPE_AFFINE;
	v->c0 = least;
	v->hi = value_far_add(0, most - least);
	v->step = v->hi != 0;
}

/* x times a number that is not 0 or 1. */
static void scale(struct value *v, const struct value *x, int64_t c)
{
	bool bad = x->shape != SHAPE_AFFINE;
	uint64_t size = c < 0 ? 0 - (uint64_t)c : (uint64_t)c;
	int64_t ends[2];

	v->shape = SHAPE_AFFINE;
	v->term_count = x->term_count;
	if (!bad) {
		bad |= __builtin_mul_overflow(x->c0, c, &v->c0);
		bad |= __builtin_mul_overflow(x->step, c, &v->step);
		bad |= __builtin_mul_overflow(x->reach, size, &v->reach);
		ends[0] = value_far_mul(x->lo, c);
		ends[1] = value_far_mul(x->hi, c);
		v->lo = ends[c < 0];
		v->hi = ends[c > 0];
		for (uint32_t i = 0; i < x->term_count; i++) {
			v->var[i] = x->var[i];
			bad |= __builtin_mul_overflow(x->coef[i], c,
						      &v->coef[i]);
		}
	}
	if (v->step < 0)
		v->step = v->step == INT64_MIN ? 1 : -v->step;
	if (bad)
		value_forget_shape(v);
}

struct value value_mul(const struct value *a, const struct value *b,
		       const uint64_t *extent)
{
	const struct value *c = value_is_const(a) ? a : b;
	const struct value *x = c == a ? b : a;
	struct value v;

	if (!a->kinds || !b->kinds)
		return (struct value){0};
	v = mixed(a, b);
	if (!value_is_const(c))
		product_range(&v, a, b, extent);
	else if (c->c0 == 1)
		v = *x;
	else if (c->c0 == 0)
		v = value_const(0);
	else
		scale(&v, x, c->c0);
	return v;
}

struct value value_shl(const struct value *a, const struct value *b,
		       const uint64_t *extent)
{
	struct value c;

	if (value_is_const(b) && b->c0 >= 0 && b->c0 < 62) {
		c = value_const((int64_t)(1ull << b->c0));
		return value_mul(a, &c, extent);
	}
	return value_mix(a, b);
}

/* Whether every value of v is a multiple of 2^bits. */
static bool is_multiple(const struct value *v, uint32_t bits)
{
	int64_t mask = (int64_t)((1ull << bits) - 1);
	int64_t all = v->c0 | v->step;

	if (v->shape != SHAPE_AFFINE)
		return false;
	for (uint32_t i = 0; i < v->term_count; i++)
		all |= v->coef[i];
	return (all & mask) == 0;
}

struct value value_and(const struct value *a, const struct value *b,
		       uint32_t align, const uint64_t *extent)
{
	const struct value *c = value_is_const(b) ? b : a;
	const struct value *x = c == a ? b : a;
	struct value v;

	if (!a->kinds || !b->kinds)
		return (struct value){0};
	v = mixed(a, b);
	if (!value_is_const(c) || (x->kinds & (VALUE_MIXED | VALUE_LINEAR)))
		return v;
	if (value_is_clean(x)) {
		if (c->c0 >= 0)
			value_clip(&v, extent, 0, c->c0);
	} else if (c->c0 >= 0 && c->c0 < align) {
		v.kinds = VALUE_CLEAN;
		v.bases = 0;
		value_clip(&v, extent, 0, c->c0);
	} else if (c->c0 < 0 && (-c->c0 & (-c->c0 - 1)) == 0 &&
		   -c->c0 <= align) {
		/* Rounded down to the alignment: still that base. */
		take_origin(&v, x);
	}
	return v;
}

/* Bits needed for every value of v; 63: unknown, or some are negative. */
static uint32_t width(const struct value *v, const uint64_t *extent)
{
	uint32_t bits = 0;
	int64_t lo, hi;

	value_range(v, extent, &lo, &hi);
	if (lo < 0)
		return 63;
	while (hi >> bits)
		bits++;
	return bits;
}

struct value value_or(const struct value *a, const struct value *b,
		      uint32_t align, const uint64_t *extent)
{
	const struct value *small = b, *big = a;
	uint32_t bits;

	if (!a->kinds || !b->kinds)
		return (struct value){0};
	if (!value_is_clean(b) ||
	    (value_is_clean(a) && width(a, extent) < width(b, extent))) {
		small = a;
		big = b;
	}
	/* Bits that never meet: a sum. */
	bits = width(small, extent);
	if (value_is_clean(small) && bits < 31 && is_multiple(big, bits) &&
	    (value_is_clean(big) || 1u << bits <= align))
		return value_add(a, b);
	return value_mix(a, b);
}

bool value_is_near(const struct value *v, const uint64_t *extent,
		   uint64_t limit)
{
	int64_t lo, hi, most = limit > INT64_MAX ? INT64_MAX : (int64_t)limit;
	uint64_t part;

	if (v->shape != SHAPE_AFFINE)
		return false;
	value_range(v, extent, &lo, &hi);
	if (lo > -most && hi < most)
		return true;
	/* No bound: as far as loops carry it. */
	value_terms_range(v, extent, &lo, &hi);
	if (lo <= -most || hi >= most || !v->reach ||
	    __builtin_mul_overflow(v->reach, 1ull << 26, &part))
		return false;
	return part < limit && part + (uint64_t)(-lo > hi ? -lo : hi) < limit;
}

struct value value_extend(const struct value *a, uint32_t bits, bool is_signed,
			  const uint64_t *extent)
{
	struct value v = *a;
	int64_t size = (int64_t)1 << bits;
	int64_t least = is_signed ? -(size / 2) : 0;
	int64_t most = least + size - 1, lo, hi;

	if (!value_is_clean(&v)) {
		/* An address in 32 bits may have wrapped. */
		if (v.kinds && (v.kinds != VALUE_ADDRESS || bits != 32 ||
				!value_has_small_offset(&v, 1 << 20)))
			v = mixed(a, a);
		return v;
	}
	if (value_is_fixed(&v)) {
		v.c0 = (int64_t)((uint64_t)v.c0 & (uint64_t)(size - 1));
		if (v.c0 > most)
			v.c0 -= size;
		return v;
	}
	value_range(&v, extent, &lo, &hi);
	if (lo >= least && hi <= most)
		return v;
	if (v.shape == SHAPE_AFFINE) {
		v.step = value_gcd(v.step, size);
		v.lo = -VALUE_FAR;
		v.hi = VALUE_FAR;
	}
	value_clip(&v, extent, least, most);
	return v;
}

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

void value_part(const struct value *v, int64_t divisor, struct value *ret_whole,
		struct value *ret_rest)
{
	struct value whole = *v, rest = *v;
	uint8_t n = 0, k = 0;

	whole.c0 = floor_div(v->c0, divisor);
	rest.c0 = v->c0 - whole.c0 * divisor;
	for (uint32_t i = 0; i < v->term_count; i++) {
		if (v->coef[i] % divisor == 0) {
			whole.var[n] = v->var[i];
			whole.coef[n++] = v->coef[i] / divisor;
		} else {
			rest.var[k] = v->var[i];
			rest.coef[k++] = v->coef[i];
		}
	}
	whole.term_count = n;
	rest.term_count = k;
	whole.reach = rest.reach = 0;
	if (v->step % divisor == 0) {
		whole.step = v->step / divisor;
		whole.lo =
			value_is_far(v->lo) ? v->lo : floor_div(v->lo, divisor);
		whole.hi =
			value_is_far(v->hi) ? v->hi : floor_div(v->hi, divisor);
		rest.step = rest.lo = rest.hi = 0;
	} else {
		whole.step = whole.lo = whole.hi = 0;
	}
	*ret_whole = whole;
	*ret_rest = rest;
}
