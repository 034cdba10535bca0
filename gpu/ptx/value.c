/*
 * gpu/ptx/value - the arithmetic of the analyser.  Every overflow of a
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

struct value value_const(int64_t c)
{
	return (struct value){
		.kinds = VALUE_CLEAN, .shape = SHAPE_AFFINE, .c0 = c};
}

struct value value_id(uint32_t id)
{
	struct value v = value_const(0);

	v.coef[id] = 1;
	return v;
}

struct value value_address(uint32_t base, int64_t offset)
{
	struct value v = value_const(offset);

	v.kinds = VALUE_ADDRESS;
	v.bases = 1ull << base;
	return v;
}

static void give_up(struct value *v)
{
	v->shape = SHAPE_ANY;
	v->c0 = v->step = 0;
	v->reach = 0;
	memset(v->coef, 0, sizeof(v->coef));
}

void value_forget(struct value *v)
{
	if (v->kinds)
		give_up(v);
}

static bool has_ids(const struct value *v)
{
	for (uint32_t i = 0; i < VALUE_IDS; i++)
		if (v->coef[i])
			return true;
	return false;
}

bool value_is_const(const struct value *v)
{
	return v->kinds == VALUE_CLEAN && v->shape == SHAPE_AFFINE &&
	       v->step == 0 && !has_ids(v);
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

static bool join_shape(struct value *a, const struct value *b, bool widen)
{
	int64_t apart, step;
	uint64_t reach;

	if (b->shape == SHAPE_NONE || a->shape == SHAPE_ANY)
		return false;
	if (a->shape == SHAPE_NONE) {
		a->shape = b->shape;
		a->c0 = b->c0;
		a->step = b->step;
		a->reach = b->reach;
		memcpy(a->coef, b->coef, sizeof(a->coef));
		return true;
	}
	if (b->shape == SHAPE_ANY ||
	    memcmp(a->coef, b->coef, sizeof(a->coef)) != 0 ||
	    __builtin_sub_overflow(a->c0, b->c0, &apart)) {
		give_up(a);
		return true;
	}
	step = value_gcd(value_gcd(a->step, b->step), apart);
	reach = apart < 0 ? 0 - (uint64_t)apart : (uint64_t)apart;
	if (reach < b->reach)
		reach = b->reach;
	if (step == a->step && reach <= a->reach)
		return false;
	a->step = step;
	if (reach > a->reach)
		a->reach = reach;
	if (widen)
		give_up(a);
	return true;
}

bool value_join(struct value *a, const struct value *b, bool widen)
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
	return join_shape(a, b, widen) || grew;
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
		bad |= __builtin_add_overflow(a->reach, b->reach, &v->reach);
		for (uint32_t i = 0; i < VALUE_IDS; i++) {
			bad |= __builtin_mul_overflow(b->coef[i], sign, &t);
			bad |= __builtin_add_overflow(a->coef[i], t,
						      &v->coef[i]);
		}
	}
	if (bad)
		give_up(v);
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
	return v->shape == SHAPE_AFFINE && v->step == 0 && !has_ids(v) &&
	       v->c0 >= 0 && v->c0 < limit;
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

struct value value_mul(const struct value *a, const struct value *b)
{
	const struct value *c = value_is_const(a) ? a : b;
	const struct value *x = c == a ? b : a;
	struct value v;
	bool bad = !value_is_const(c) || x->shape != SHAPE_AFFINE;

	if (!a->kinds || !b->kinds)
		return (struct value){0};
	v = mixed(a, b);
	if (value_is_const(c) && c->c0 == 1) {
		v = *x;
		return v;
	}
	v.shape = SHAPE_AFFINE;
	if (!bad) {
		bad |= __builtin_mul_overflow(x->c0, c->c0, &v.c0);
		bad |= __builtin_mul_overflow(x->step, c->c0, &v.step);
		bad |= __builtin_mul_overflow(x->reach,
					      c->c0 < 0 ? 0 - (uint64_t)c->c0
							: (uint64_t)c->c0,
					      &v.reach);
		for (uint32_t i = 0; i < VALUE_IDS; i++)
			bad |= __builtin_mul_overflow(x->coef[i], c->c0,
						      &v.coef[i]);
	}
	if (v.step < 0)
		v.step = v.step == INT64_MIN ? 1 : -v.step;
	if (bad)
		give_up(&v);
	return v;
}

struct value value_shl(const struct value *a, const struct value *b)
{
	struct value c;

	if (value_is_const(b) && b->c0 >= 0 && b->c0 < 62) {
		c = value_const((int64_t)(1ull << b->c0));
		return value_mul(a, &c);
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
	for (uint32_t i = 0; i < VALUE_IDS; i++)
		all |= v->coef[i];
	return (all & mask) == 0;
}

struct value value_and(const struct value *a, const struct value *b,
		       uint32_t align)
{
	const struct value *c = value_is_const(b) ? b : a;
	const struct value *x = c == a ? b : a;
	struct value v;

	if (!a->kinds || !b->kinds)
		return (struct value){0};
	v = mixed(a, b);
	if (!value_is_const(c) || (x->kinds & (VALUE_MIXED | VALUE_LINEAR)))
		return v;
	if (c->c0 >= 0 && c->c0 < align) {
		v.kinds = VALUE_CLEAN;
		v.bases = 0;
	} else if (c->c0 < 0 && (-c->c0 & (-c->c0 - 1)) == 0 &&
		   -c->c0 <= align) {
		/* Rounded down to the alignment: still that base. */
		take_origin(&v, x);
	}
	return v;
}

struct value value_or(const struct value *a, const struct value *b,
		      uint32_t align)
{
	const struct value *c = value_is_const(b) ? b : a;
	const struct value *x = c == a ? b : a;

	/* Bits that never meet: a sum. */
	if (value_is_const(c) && c->c0 >= 0 && c->c0 < 1ll << 31 &&
	    (value_is_clean(x) || c->c0 < align)) {
		uint32_t bits = 0;

		while (c->c0 >> bits)
			bits++;
		if (is_multiple(x, bits))
			return value_add(a, b);
	}
	return value_mix(a, b);
}

/* Whether v stays in [lo, hi]. */
static bool in_range(const struct value *v, int64_t lo, int64_t hi,
		     const uint64_t extent[VALUE_IDS])
{
	int64_t least = v->c0, most = v->c0, reach;

	if (v->step)
		return false;
	for (uint32_t i = 0; i < VALUE_IDS; i++) {
		if (!v->coef[i])
			continue;
		if (!extent[i] || extent[i] > 1ull << 32 ||
		    __builtin_mul_overflow(v->coef[i], (int64_t)extent[i] - 1,
					   &reach))
			return false;
		if (__builtin_add_overflow(reach < 0 ? least : most, reach,
					   reach < 0 ? &least : &most))
			return false;
	}
	return least >= lo && most <= hi;
}

bool value_is_near(const struct value *v, const uint64_t extent[VALUE_IDS],
		   uint64_t limit)
{
	uint64_t sum = v->c0 < 0 ? 0 - (uint64_t)v->c0 : (uint64_t)v->c0;
	uint64_t part;

	if (v->shape != SHAPE_AFFINE)
		return false;
	for (uint32_t i = 0; i < VALUE_IDS; i++) {
		int64_t c = v->coef[i];

		if (!c)
			continue;
		if (!extent[i] ||
		    __builtin_mul_overflow(c < 0 ? 0 - (uint64_t)c
						 : (uint64_t)c,
					   extent[i] - 1, &part) ||
		    __builtin_add_overflow(sum, part, &sum))
			return false;
	}
	if (v->step && (__builtin_mul_overflow(v->reach, 1ull << 26, &part) ||
			__builtin_add_overflow(sum, part, &sum)))
		return false;
	return sum < limit;
}

struct value value_widen(const struct value *a, bool is_signed,
			 const uint64_t extent[VALUE_IDS])
{
	struct value v = *a;
	int64_t lo = is_signed ? INT32_MIN : 0;
	int64_t hi = is_signed ? INT32_MAX : UINT32_MAX;

	if (!value_is_clean(&v)) {
		/* An address in 32 bits may have wrapped. */
		if (v.kinds && (v.kinds != VALUE_ADDRESS ||
				!value_has_small_offset(&v, 1 << 20)))
			v = mixed(a, a);
		return v;
	}
	if (v.shape != SHAPE_AFFINE)
		return v;
	if (value_is_const(&v)) {
		v.c0 = is_signed ? (int64_t)(int32_t)(uint32_t)v.c0
				 : (int64_t)(uint32_t)v.c0;
		return v;
	}
	if (!in_range(&v, lo, hi, extent))
		v.step = value_gcd(v.step, 1ll << 32);
	return v;
}
