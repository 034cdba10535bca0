/*
 * gpu/ptx/number - constants, exactly.
 *
 * Decimal fractions are rounded once, to nearest even, with big integers: no
 * libc, no locale, no double rounding.
 */
#include <string.h>

#include "gpu/ptx/priv/parser.h"

/* Decimal fractions with more digits, or a larger exponent, are refused. */
#define DIGITS_MAX   24u
#define EXPONENT_MAX 40

/* 10^64 < 2^213, and one doubling. */
#define LIMBS 8u

struct big {
	uint32_t limb[LIMBS]; /* little endian */
};

static void big_muladd(struct big *b, uint32_t m, uint32_t add)
{
	uint64_t carry = add;

	for (uint32_t i = 0; i < LIMBS; i++) {
		carry += (uint64_t)b->limb[i] * m;
		b->limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
}

static void big_shift(struct big *b, uint32_t bits)
{
	uint32_t limbs = bits / 32;

	for (uint32_t i = LIMBS; limbs && i-- > 0;)
		b->limb[i] = i >= limbs ? b->limb[i - limbs] : 0;
	if (bits % 32)
		big_muladd(b, 1u << (bits % 32), 0);
}

static void big_scale(struct big *b, int exponent)
{
	for (; exponent >= 9; exponent -= 9)
		big_muladd(b, 1000000000, 0);
	for (; exponent > 0; exponent--)
		big_muladd(b, 10, 0);
}

static int big_cmp(const struct big *a, const struct big *b)
{
	for (uint32_t i = LIMBS; i-- > 0;)
		if (a->limb[i] != b->limb[i])
			return a->limb[i] < b->limb[i] ? -1 : 1;
	return 0;
}

static void big_sub(struct big *a, const struct big *b)
{
	uint64_t borrow = 0;

	for (uint32_t i = 0; i < LIMBS; i++) {
		uint64_t d = (uint64_t)a->limb[i] - b->limb[i] - borrow;

		a->limb[i] = (uint32_t)d;
		borrow = d >> 63;
	}
}

static int big_bits(const struct big *b)
{
	for (uint32_t i = LIMBS; i-- > 0;)
		if (b->limb[i])
			return (int)(i * 32u) + 32 - __builtin_clz(b->limb[i]);
	return 0;
}

/*
 * mantissa * 2^exponent (bit 63 set, sticky: more bits follow) rounded to
 * nearest even in a format of that many fraction bits and exponent bits.
 */
static uint64_t pack_float(uint64_t mantissa, int exponent, bool sticky,
			   uint32_t fraction_bits, uint32_t exponent_bits)
{
	int bias = (1 << (exponent_bits - 1)) - 1;
	int biased = exponent + 63 + bias;
	uint32_t drop = 63u - fraction_bits;
	uint64_t kept, rest, half;

	if (biased <= 0)
		drop += (uint32_t)(1 - biased);
	if (drop > 64)
		return 0;
	kept = drop == 64 ? 0 : mantissa >> drop;
	rest = drop == 64 ? mantissa : mantissa << (64u - drop);
	half = 1ull << 63;
	if (rest > half || (rest == half && (sticky || (kept & 1))))
		kept++;
	if (biased <= 0)
		return kept;
	kept += (uint64_t)(biased - 1) << fraction_bits;
	if (kept >> fraction_bits >= (1ull << exponent_bits) - 1)
		kept = ((1ull << exponent_bits) - 1) << fraction_bits;
	return kept;
}

/* digits * 10^exponent as a double. */
static uint64_t decimal_to_f64(const struct big *digits, int exponent)
{
	struct big n = *digits, d = {{1}};
	int shift = 0;
	uint64_t q = 0;

	if (big_bits(&n) == 0)
		return 0;
	big_scale(&n, exponent);
	big_scale(&d, -exponent);
	shift = big_bits(&n) - big_bits(&d);
	big_shift(shift < 0 ? &n : &d, (uint32_t)(shift < 0 ? -shift : shift));
	if (big_cmp(&n, &d) < 0) {
		big_shift(&n, 1);
		shift--;
	}
	/* 1 <= n / d < 2: the first 56 bits of the quotient. */
	for (uint32_t i = 0; i < 56; i++) {
		q <<= 1;
		if (big_cmp(&n, &d) >= 0) {
			big_sub(&n, &d);
			q |= 1;
		}
		big_shift(&n, 1);
	}
	return pack_float(q << 8, shift - 63, big_bits(&n) != 0, 52, 11);
}

static int digit_of(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

static bool parse_digits(struct bytes t, int base, uint64_t *ret)
{
	uint64_t v = 0;

	if (t.n == 0)
		return false;
	for (size_t i = 0; i < t.n; i++) {
		int d = digit_of(t.p[i]);

		if (d >= base ||
		    __builtin_mul_overflow(v, (uint64_t)base, &v) ||
		    __builtin_add_overflow(v, (uint64_t)d, &v))
			return false;
	}
	*ret = v;
	return true;
}

/* The exponent behind 'e'. */
static bool parse_exponent(struct bytes t, int *exponent)
{
	bool negative = t.n > 0 && t.p[0] == '-';
	uint64_t v;

	if (t.n > 0 && (t.p[0] == '-' || t.p[0] == '+'))
		t = bytes_skip(t, 1);
	if (!parse_digits(t, 10, &v) || v > EXPONENT_MAX)
		return false;
	*exponent += negative ? -(int)v : (int)v;
	return true;
}

static bool parse_decimal(struct bytes t, struct number *ret)
{
	struct big digits = {{0}};
	uint32_t count = 0;
	int exponent = 0;
	bool behind = false;
	size_t i = 0;

	for (; i < t.n && t.p[i] != 'e' && t.p[i] != 'E'; i++) {
		if (t.p[i] == '.' && !behind) {
			behind = true;
			continue;
		}
		if (digit_of(t.p[i]) > 9)
			return false;
		if (count || t.p[i] != '0')
			count++;
		big_muladd(&digits, 10, (uint32_t)digit_of(t.p[i]));
		exponent -= behind;
		if (count > DIGITS_MAX || exponent < -EXPONENT_MAX)
			return false;
	}
	if (i < t.n && !parse_exponent(bytes_skip(t, i + 1), &exponent))
		return false;
	if (exponent > EXPONENT_MAX || exponent < -EXPONENT_MAX)
		return false;
	ret->kind = NUMBER_F64;
	ret->bits = decimal_to_f64(&digits, exponent);
	return true;
}

static bool has_any(struct bytes t, const char *set)
{
	for (size_t i = 0; i < t.n; i++)
		if (t.p[i] && strchr(set, t.p[i]))
			return true;
	return false;
}

bool number_parse(struct bytes t, struct number *ret)
{
	char kind = t.n > 1 && t.p[0] == '0' ? (char)(t.p[1] | 32) : 0;

	*ret = (struct number){.kind = NUMBER_INT};
	if (kind == 'f' || kind == 'd') {
		ret->kind = kind == 'f' ? NUMBER_F32 : NUMBER_F64;
		ret->is_exact_form = true;
		return t.n == (kind == 'f' ? 10u : 18u) &&
		       parse_digits(bytes_skip(t, 2), 16, &ret->bits);
	}
	if (kind != 'x' && has_any(t, ".eE"))
		return parse_decimal(t, ret);
	if (t.p[t.n - 1] == 'U' || t.p[t.n - 1] == 'u')
		t.n--;
	if (kind == 'x')
		return parse_digits(bytes_skip(t, 2), 16, &ret->bits);
	if (kind == 'b')
		return parse_digits(bytes_skip(t, 2), 2, &ret->bits);
	if (t.n > 1 && t.p[0] == '0')
		return parse_digits(bytes_skip(t, 1), 8, &ret->bits);
	return parse_digits(t, 10, &ret->bits);
}

static struct number negate(struct number n)
{
	if (n.kind == NUMBER_INT)
		n.bits = 0 - n.bits;
	else
		n.bits ^= 1ull << (n.kind == NUMBER_F32 ? 31 : 63);
	return n;
}

/* An integer of a constant expression: 64 bits, as in C. */
struct constant {
	uint64_t v;
	bool is_unsigned;
};

/* Infix operators, loosest first; of two that begin alike the longer one
 * stands first. */
static const struct {
	char text[3];
	uint8_t level;
} operators[] = {
	{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7},
	{"<<", 8}, {">>", 8}, {"|", 3},	 {"^", 4},  {"&", 5},  {"<", 7},
	{">", 7},  {"+", 9},  {"-", 9},	 {"*", 10}, {"/", 10}, {"%", 10},
};
#define OPERATOR_COUNT (sizeof(operators) / sizeof(operators[0]))

static bool is_next_to(const struct token *a, const struct token *b)
{
	return a->text.p + 1 == b->text.p;
}

/* The operator at hand; OPERATOR_COUNT: none. */
static size_t find_operator(const struct parser *p)
{
	for (size_t i = 0; i < OPERATOR_COUNT; i++) {
		const char *text = operators[i].text;

		if (!parser_is(p, text[0]))
			continue;
		if (!text[1] ||
		    (p->next.kind == TOKEN_PUNCT && p->next.punct == text[1] &&
		     is_next_to(&p->t, &p->next)))
			return i;
	}
	return OPERATOR_COUNT;
}

static struct constant expression(struct parser *p, uint8_t level,
				  uint32_t depth);

static struct constant take_literal(struct parser *p)
{
	struct constant c = {0};
	struct number n;
	struct bytes t = p->t.text;

	if (p->t.kind != TOKEN_NUMBER || !number_parse(t, &n) ||
	    n.kind != NUMBER_INT) {
		parser_fail(p, ERR_PTX_SYNTAX,
			    "an integer constant should stand here");
		return c;
	}
	c.v = n.bits;
	c.is_unsigned = n.bits >> 63 || (t.p[t.n - 1] | 32) == 'u';
	parser_advance(p);
	return c;
}

static struct constant primary(struct parser *p, uint32_t depth)
{
	struct constant c = {0};
	bool is_cast;

	if (depth > 32) {
		parser_fail(p, ERR_LIMIT, "expression too deep");
		return c;
	}
	if (parser_accept(p, '+'))
		return primary(p, depth + 1);
	if (parser_accept(p, '-')) {
		c = primary(p, depth + 1);
		c.v = 0 - c.v;
		return c;
	}
	if (parser_accept(p, '~')) {
		c = primary(p, depth + 1);
		c.v = ~c.v;
		return c;
	}
	if (parser_accept(p, '!')) {
		c.v = !primary(p, depth + 1).v;
		return c;
	}
	if (!parser_accept(p, '('))
		return take_literal(p);
	is_cast = parser_is_dot(p, "s64") || parser_is_dot(p, "u64");
	if (is_cast) {
		bool is_unsigned = parser_is_dot(p, "u64");

		parser_advance(p);
		parser_expect(p, ')');
		c = primary(p, depth + 1);
		c.is_unsigned = is_unsigned;
		return c;
	}
	c = expression(p, 0, depth + 1);
	parser_expect(p, ')');
	return c;
}

static bool is_less(struct constant a, struct constant b, bool is_unsigned)
{
	return is_unsigned ? a.v < b.v : (int64_t)a.v < (int64_t)b.v;
}

/* / and %, rounding to zero. */
static uint64_t divide(struct parser *p, bool remainder, struct constant a,
		       struct constant b, bool is_unsigned)
{
	bool an = !is_unsigned && a.v >> 63, bn = !is_unsigned && b.v >> 63;
	uint64_t x = an ? 0 - a.v : a.v, y = bn ? 0 - b.v : b.v, r;

	if (y == 0) {
		parser_fail(p, ERR_PTX_SYNTAX, "division by zero");
		return 0;
	}
	r = remainder ? x % y : x / y;
	return (remainder ? an : an != bn) ? 0 - r : r;
}

static uint64_t shift(bool right, struct constant a, uint64_t by)
{
	uint64_t fill = !a.is_unsigned && a.v >> 63 ? UINT64_MAX : 0;

	if (by > 63)
		return right ? fill : 0;
	if (!right)
		return a.v << by;
	return by ? a.v >> by | (fill << (64 - by)) : a.v;
}

static struct constant apply(struct parser *p, const char *op,
			     struct constant a, struct constant b)
{
	struct constant c = {.is_unsigned = a.is_unsigned || b.is_unsigned};
	bool u = c.is_unsigned, is_double = op[1] != 0;

	switch (op[0]) {
	case '+':
		c.v = a.v + b.v;
		return c;
	case '-':
		c.v = a.v - b.v;
		return c;
	case '*':
		c.v = a.v * b.v;
		return c;
	case '/':
	case '%':
		c.v = divide(p, op[0] == '%', a, b, u);
		return c;
	case '^':
		c.v = a.v ^ b.v;
		return c;
	case '|':
		c.v = is_double ? a.v || b.v : a.v | b.v;
		break;
	case '&':
		c.v = is_double ? a.v && b.v : a.v & b.v;
		break;
	case '=':
		c.v = a.v == b.v;
		break;
	case '!':
		c.v = a.v != b.v;
		break;
	default: /* < <= << > >= >> */
		if (op[1] == op[0]) {
			c.v = shift(op[0] == '>', a, b.v);
			c.is_unsigned = a.is_unsigned;
			return c;
		}
		c.v = op[0] == '<' ? is_less(a, b, u) : is_less(b, a, u);
		if (op[1] == '=')
			c.v = op[0] == '<' ? !is_less(b, a, u)
					   : !is_less(a, b, u);
		is_double = true;
		break;
	}
	/* Comparisons and the logical ones give a signed 0 or 1. */
	if (is_double || op[0] == '=' || op[0] == '!')
		c.is_unsigned = false;
	return c;
}

/* Operators of at least that level; level 0: ?: too. */
static struct constant expression(struct parser *p, uint8_t level,
				  uint32_t depth)
{
	struct constant c = primary(p, depth), x, y;
	size_t i;

	while ((i = find_operator(p)) != OPERATOR_COUNT &&
	       operators[i].level >= level && p->err == ERR_OK) {
		parser_advance(p);
		if (operators[i].text[1])
			parser_advance(p);
		x = expression(p, (uint8_t)(operators[i].level + 1), depth + 1);
		c = apply(p, operators[i].text, c, x);
	}
	if (level > 0 || !parser_accept(p, '?'))
		return c;
	x = expression(p, 0, depth + 1);
	parser_expect(p, ':');
	y = expression(p, 0, depth + 1);
	c.v = c.v ? x.v : y.v;
	c.is_unsigned = x.is_unsigned || y.is_unsigned;
	return c;
}

/* [-] a number alone: where an operator belongs to something else. */
static struct number take_plain(struct parser *p)
{
	struct number n = {.kind = NUMBER_INT};
	bool negative = false;

	while (parser_is(p, '-') || parser_is(p, '+')) {
		negative ^= parser_is(p, '-');
		parser_advance(p);
	}
	if (p->t.kind != TOKEN_NUMBER || !number_parse(p->t.text, &n))
		parser_fail(p, ERR_PTX_SYNTAX, "not a number");
	parser_advance(p);
	return negative ? negate(n) : n;
}

static bool is_float(struct token t)
{
	struct number n;

	return t.kind == TOKEN_NUMBER && number_parse(t.text, &n) &&
	       n.kind != NUMBER_INT;
}

struct number parser_number(struct parser *p)
{
	struct number n = {.kind = NUMBER_INT};
	bool signed_float =
		(parser_is(p, '-') || parser_is(p, '+')) && is_float(p->next);

	/* A malformed number is said to be one. */
	if (is_float(p->t) || signed_float ||
	    (p->t.kind == TOKEN_NUMBER && !number_parse(p->t.text, &n)))
		return take_plain(p);
	n.kind = NUMBER_INT;
	n.bits = expression(p, 0, 0).v;
	return n;
}

int64_t parser_count(struct parser *p)
{
	struct number n = take_plain(p);

	if (n.kind != NUMBER_INT)
		parser_fail(p, ERR_PTX_SYNTAX, "an integer should stand here");
	return (int64_t)n.bits;
}

int64_t parser_integer(struct parser *p)
{
	struct number n = parser_number(p);

	if (n.kind != NUMBER_INT)
		parser_fail(p, ERR_PTX_SYNTAX, "an integer should stand here");
	return (int64_t)n.bits;
}

static uint64_t f32_to_f64(uint64_t v)
{
	uint64_t sign = (v >> 31) << 63, exponent = (v >> 23) & 255;
	uint64_t fraction = v & 0x7fffff;

	if (exponent == 255)
		return sign | 0x7ffull << 52 | fraction << 29;
	if (exponent == 0 && fraction == 0)
		return sign;
	if (exponent == 0) {
		uint32_t up = (uint32_t)__builtin_clz((uint32_t)fraction) - 8u;

		return sign | (uint64_t)(897 - up) << 52 |
		       ((fraction << up) & 0x7fffff) << 29;
	}
	return sign | (exponent + 896) << 52 | fraction << 29;
}

static uint64_t f64_to_f32(uint64_t v)
{
	uint64_t sign = (v >> 63) << 31, fraction = v & 0xfffffffffffff;
	int exponent = (int)((v >> 52) & 2047);

	if (exponent == 2047)
		return sign | 255ull << 23 | (fraction ? 1u << 22 : 0) |
		       fraction >> 29;
	/* A double below the normal ones is far below half of the least
	 * float. */
	if (exponent == 0)
		return sign;
	return sign | pack_float((fraction | 1ull << 52) << 11,
				 exponent - 1023 - 63, false, 23, 8);
}

uint64_t parser_convert(struct parser *p, struct number n, enum ptx_type t)
{
	const struct ptx_type_info *info = &ptx_types[t];
	uint32_t bits = info->bits;

	if (n.kind == NUMBER_INT) {
		if (t == PTX_TYPE_PRED)
			return n.bits != 0;
		if (info->kind == PTX_KIND_F)
			parser_fail(p, ERR_PTX_SYNTAX,
				    "an integer where a float should stand");
		return bits < 64 ? n.bits & ((1ull << bits) - 1) : n.bits;
	}
	if (t == PTX_TYPE_F64)
		return n.kind == NUMBER_F64 ? n.bits : f32_to_f64(n.bits);
	if (t == PTX_TYPE_F32)
		return n.kind == NUMBER_F32 ? n.bits : f64_to_f32(n.bits);
	if (info->kind == PTX_KIND_B && n.is_exact_form &&
	    bits == (n.kind == NUMBER_F32 ? 32u : 64u))
		return n.bits;
	parser_fail(p, ERR_PTX_SYNTAX,
		    "a float constant where an integer should stand");
	return 0;
}
