/*
 * A decimal is the fraction N / M of two big integers, M a power of ten.
 * Scaled by a power of two so that the quotient has exactly the bits of the
 * target's significand, one long division gives the bits and the remainder
 * decides the rounding: no intermediate rounding anywhere.
 */
#include "gpu/build/number.h"

#include <string.h>

/* Bits: NUMBER_TEXT_MAX digits and an exponent clamped to +-1,600 take less
 * than 9,000; the scaling adds 1,200. */
#define BIG_LIMBS 360u

/* Decimal exponents beyond this are zero or infinite in every type. */
#define DECIMAL_MAX 420

struct big {
	uint32_t n; /* limbs in use */
	uint32_t v[BIG_LIMBS];
};

struct format {
	unsigned size_bytes;
	int digits; /* bits of the significand, the hidden one too */
	int low;    /* exponent of the smallest subnormal */
	uint64_t infinity;
};

/* clang-format off */
static const struct format formats[] = {
	{2, 11,   -24, 0x7c00},
	{4, 24,  -149, 0x7f800000},
	{8, 53, -1074, 0x7ff0000000000000},
};
/* clang-format on */

static void big_muladd(struct big *b, uint32_t times, uint32_t plus)
{
	uint64_t carry = plus;

	for (uint32_t i = 0; i < b->n; i++) {
		carry += (uint64_t)b->v[i] * times;
		b->v[i] = (uint32_t)carry;
		carry >>= 32;
	}
	if (carry > 0 && b->n < BIG_LIMBS)
		b->v[b->n++] = (uint32_t)carry;
}

static void big_shl(struct big *b, uint32_t bits)
{
	uint32_t limbs = bits / 32, rest = bits % 32;

	if (b->n == 0)
		return;
	if (b->n + limbs + 1 > BIG_LIMBS)
		limbs = BIG_LIMBS - b->n - 1; /* cannot be: see BIG_LIMBS */
	memmove(b->v + limbs, b->v, b->n * sizeof(b->v[0]));
	memset(b->v, 0, limbs * sizeof(b->v[0]));
	b->n += limbs;
	if (rest > 0)
		big_muladd(b, 1u << rest, 0);
}

static void big_shr1(struct big *b)
{
	for (uint32_t i = 0; i < b->n; i++) {
		uint32_t high = i + 1 < b->n ? b->v[i + 1] : 0;

		b->v[i] = b->v[i] >> 1 | high << 31;
	}
	if (b->n > 0 && b->v[b->n - 1] == 0)
		b->n--;
}

static int big_cmp(const struct big *a, const struct big *b)
{
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	for (uint32_t i = a->n; i-- > 0;)
		if (a->v[i] != b->v[i])
			return a->v[i] < b->v[i] ? -1 : 1;
	return 0;
}

/* a -= b, a >= b. */
static void big_sub(struct big *a, const struct big *b)
{
	uint64_t borrow = 0;

	for (uint32_t i = 0; i < a->n; i++) {
		uint64_t take = (i < b->n ? b->v[i] : 0) + borrow;

		borrow = a->v[i] < take;
		a->v[i] = (uint32_t)(a->v[i] - take);
	}
	while (a->n > 0 && a->v[a->n - 1] == 0)
		a->n--;
}

static int big_bits(const struct big *b)
{
	uint32_t top;
	int bits;

	if (b->n == 0)
		return 0;
	top = b->v[b->n - 1];
	bits = (int)(b->n - 1) * 32;
	for (; top > 0; top >>= 1)
		bits++;
	return bits;
}

/* num / den (both positive) to the nearest, ties to even. */
static uint64_t round_fraction(struct big *num, struct big *den,
			       const struct format *f)
{
	int high = big_bits(num) - big_bits(den); /* value < 2^(high+1) */
	int unit = high - (f->digits - 1);
	uint64_t q = 0;
	int order;

	/* value may lie below 2^high: then one more bit is needed */
	{
		struct big x = *num, y = *den;

		if (high >= 0)
			big_shl(&y, (uint32_t)high);
		else
			big_shl(&x, (uint32_t)-high);
		if (big_cmp(&x, &y) < 0)
			unit--;
	}
	if (unit < f->low)
		unit = f->low;
	if (unit < 0)
		big_shl(num, (uint32_t)-unit);
	else
		big_shl(den, (uint32_t)unit);
	big_shl(den, (uint32_t)f->digits);
	for (int i = 0; i <= f->digits; i++) {
		q <<= 1;
		if (big_cmp(num, den) >= 0) {
			big_sub(num, den);
			q |= 1;
		}
		if (i < f->digits)
			big_shr1(den);
	}
	big_shl(num, 1);
	order = big_cmp(num, den);
	if (order > 0 || (order == 0 && (q & 1) != 0))
		q++;
	return ((uint64_t)(unit - f->low) << (f->digits - 1)) + q;
}

struct decimal {
	bool negative;
	struct big digits;
	long exponent; /* value = digits * 10^exponent */
	long count;    /* significant digits */
};

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

/* [e[+-]digits] at i; exponents are clamped far outside every range. */
static bool parse_exponent(struct bytes t, size_t i, long *exponent)
{
	bool negative = false;
	long e = 0;

	if (i == t.n)
		return true;
	if (t.p[i] != 'e' && t.p[i] != 'E')
		return false;
	i++;
	if (i < t.n && (t.p[i] == '+' || t.p[i] == '-'))
		negative = t.p[i++] == '-';
	if (i == t.n)
		return false;
	for (; i < t.n; i++) {
		if (!is_digit(t.p[i]))
			return false;
		if (e < 100000)
			e = e * 10 + (t.p[i] - '0');
	}
	*exponent += negative ? -e : e;
	return true;
}

static bool parse_decimal(struct bytes t, struct decimal *d)
{
	size_t i = 0, first;
	bool any = false;

	memset(d, 0, sizeof(*d));
	if (t.n > NUMBER_TEXT_MAX)
		return false;
	if (i < t.n && (t.p[i] == '-' || t.p[i] == '+'))
		d->negative = t.p[i++] == '-';
	first = i;
	for (; i < t.n && (is_digit(t.p[i]) || t.p[i] == '.'); i++) {
		if (t.p[i] == '.') {
			if (!any || first == SIZE_MAX)
				return false;
			first = SIZE_MAX; /* behind the point */
			any = false;
			continue;
		}
		any = true;
		if (first == SIZE_MAX)
			d->exponent--;
		if (d->count > 0 || t.p[i] != '0') {
			d->count++;
			if (d->digits.n == 0)
				d->digits.v[d->digits.n++] =
					(uint32_t)(t.p[i] - '0');
			else
				big_muladd(&d->digits, 10,
					   (uint32_t)(t.p[i] - '0'));
		}
	}
	return any && parse_exponent(t, i, &d->exponent);
}

static enum err hex_bits(struct bytes t, unsigned size_bytes, uint64_t *ret)
{
	uint64_t v = 0;

	if (t.n == 0)
		return ERR_MALFORMED;
	for (size_t i = 0; i < t.n; i++) {
		uint8_t c = t.p[i];
		uint8_t d;

		if (is_digit(c))
			d = (uint8_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			d = (uint8_t)(c - 'a' + 10);
		else if (c >= 'A' && c <= 'F')
			d = (uint8_t)(c - 'A' + 10);
		else
			return ERR_MALFORMED;
		if (v >> 60 != 0)
			return ERR_OVERFLOW;
		v = v << 4 | d;
	}
	if (size_bytes < 8 && v >> (size_bytes * 8) != 0)
		return ERR_OVERFLOW;
	*ret = v;
	return ERR_OK;
}

static bool starts_hex(struct bytes t)
{
	return t.n >= 2 && t.p[0] == '0' && (t.p[1] == 'x' || t.p[1] == 'X');
}

static enum err round_decimal(struct decimal *d, const struct format *f,
			      uint64_t *ret_bits)
{
	uint64_t sign = (uint64_t)d->negative << (f->size_bytes * 8 - 1);
	uint64_t bits = 0;
	struct big den = {.n = 1, .v = {1}};

	if (d->count + d->exponent > DECIMAL_MAX)
		bits = d->digits.n > 0 ? f->infinity : 0;
	else if (d->digits.n > 0 && d->count + d->exponent > -DECIMAL_MAX) {
		for (long i = 0; i < d->exponent; i++)
			big_muladd(&d->digits, 10, 0);
		for (long i = 0; i > d->exponent; i--)
			big_muladd(&den, 10, 0);
		bits = round_fraction(&d->digits, &den, f);
	}
	if (bits >= f->infinity)
		return ERR_OVERFLOW;
	*ret_bits = bits | sign;
	return ERR_OK;
}

enum err number_float(struct bytes text, unsigned size_bytes,
		      uint64_t *ret_bits)
{
	const struct format *f = &formats[size_bytes == 2   ? 0
					  : size_bytes == 4 ? 1
							    : 2];
	struct decimal d;
	uint64_t quiet = f->infinity | f->infinity >> 1;

	if (starts_hex(text))
		return hex_bits(bytes_skip(text, 2), size_bytes, ret_bits);
	if (bytes_eq(text, BYTES_LIT("inf"))) {
		*ret_bits = f->infinity;
		return ERR_OK;
	}
	if (bytes_eq(text, BYTES_LIT("-inf"))) {
		*ret_bits = f->infinity | 1ull << (size_bytes * 8 - 1);
		return ERR_OK;
	}
	if (bytes_eq(text, BYTES_LIT("nan"))) {
		/* the lowest bit of infinity is the exponent's: halved it is
		 * the quiet bit, its other bits are the exponent's own */
		*ret_bits = quiet;
		return ERR_OK;
	}
	if (!parse_decimal(text, &d))
		return ERR_MALFORMED;
	return round_decimal(&d, f, ret_bits);
}

enum err number_int(struct bytes text, unsigned size_bytes, bool is_signed,
		    uint64_t *ret_bits)
{
	bool negative = text.n > 0 && text.p[0] == '-';
	uint64_t v = 0, top;
	uint64_t mask =
		size_bytes == 8 ? UINT64_MAX : (1ull << (size_bytes * 8)) - 1;

	if (starts_hex(text))
		return hex_bits(bytes_skip(text, 2), size_bytes, ret_bits);
	text = bytes_skip(text, negative ? 1 : 0);
	if (text.n == 0)
		return ERR_MALFORMED;
	for (size_t i = 0; i < text.n; i++) {
		if (!is_digit(text.p[i]))
			return ERR_MALFORMED;
	}
	for (size_t i = 0; i < text.n; i++) {
		uint64_t digit = (uint64_t)(text.p[i] - '0');

		if (v > (UINT64_MAX - digit) / 10)
			return ERR_OVERFLOW;
		v = v * 10 + digit;
	}
	top = is_signed ? mask >> 1 : mask;
	if (negative)
		top = is_signed ? top + 1 : 0;
	if (v > top)
		return ERR_OVERFLOW;
	*ret_bits = (negative ? 0 - v : v) & mask;
	return ERR_OK;
}

enum err number_typed(struct bytes type, struct bytes value,
		      unsigned *ret_size_bytes, uint64_t *ret_bits)
{
	static const struct {
		const char *name;
		char kind;
		unsigned size_bytes;
	} types[] = {
		{"u8", 'u', 1},	 {"u16", 'u', 2}, {"u32", 'u', 4},
		{"u64", 'u', 8}, {"s8", 's', 1},  {"s16", 's', 2},
		{"s32", 's', 4}, {"s64", 's', 8}, {"f16", 'f', 2},
		{"f32", 'f', 4}, {"f64", 'f', 8},
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (!bytes_eq(type, bytes_str(types[i].name)))
			continue;
		*ret_size_bytes = types[i].size_bytes;
		if (types[i].kind == 'f')
			return number_float(value, types[i].size_bytes,
					    ret_bits);
		return number_int(value, types[i].size_bytes,
				  types[i].kind == 's', ret_bits);
	}
	return ERR_NOT_FOUND;
}
