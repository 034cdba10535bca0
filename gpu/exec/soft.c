/*
 * A number is unpacked to sign, mantissa (up to 128 bits) and exponent; every
 * result goes through soft_pack(), which rounds once to a format.  Bits lost
 * on the way are "jammed" into the lowest bit, far below the rounding place.
 */
#include "gpu/exec/priv/soft.h"

__extension__ typedef unsigned __int128 u128;

struct format {
	int precision; /* bits with the hidden one */
	int emin;      /* exponent of the least normal number */
	uint64_t infinity;
	uint64_t sign;
	uint64_t nan;
};

static const struct format format_f64 = {53, -1022, 0x7ff0000000000000u,
					 0x8000000000000000u,
					 0x7ff8000000000000u};
static const struct format format_f32 = {24, -126, 0x7f800000u, 0x80000000u,
					 0x7fc00000u};
static const struct format format_f16 = {11, -14, 0x7c00u, 0x8000u, 0x7fffu};
/* Eight bits: e4m3 has no infinity, its place is the one NaN. */
static const struct format format_e4m3 = {4, -6, 0x7fu, 0x80u, 0x7fu};
static const struct format format_e5m2 = {3, -14, 0x7cu, 0x80u, 0x7fu};
static const struct format format_bf16 = {8, -126, 0x7f80u, 0x8000u, 0x7fffu};

static int top_bit(u128 m)
{
	uint64_t high = (uint64_t)(m >> 64);
	if (high != 0)
		return 127 - __builtin_clzll(high);
	return 63 - __builtin_clzll((uint64_t)m);
}

/* m >> n, with what falls out jammed into the lowest bit. */
static u128 shift_jam(u128 m, int n)
{
	if (n <= 0)
		return m;
	if (n > 127)
		return m != 0;
	u128 lost = m & (((u128)1 << n) - 1);
	return (m >> n) | (lost != 0);
}

/* m / 4 rounded: its two lowest bits are guard and sticky. */
static u128 round_quarter(u128 m, bool negative, uint32_t round)
{
	u128 q = m >> 2;
	uint32_t rest = (uint32_t)(m & 3);
	bool up = false;
	if (round == SOFT_NEAREST)
		up = rest == 3 || (rest == 2 && (q & 1) != 0);
	else if (round == SOFT_UP)
		up = rest != 0 && !negative;
	else if (round == SOFT_DOWN)
		up = rest != 0 && negative;
	return q + up;
}

/* m with place value 2^exponent, to units of 2^unit, times four, jammed. */
static u128 to_unit(u128 m, int exponent, int unit)
{
	int shift = unit - 2 - exponent;
	return shift >= 0 ? shift_jam(m, shift) : m << -shift;
}

static uint64_t overflow_bits(const struct format *f, bool negative,
			      uint32_t round)
{
	uint64_t sign = negative ? f->sign : 0;
	bool finite = round == SOFT_ZERO || (round == SOFT_UP && negative) ||
		      (round == SOFT_DOWN && !negative);
	return sign | (f->infinity - finite);
}

/* The number m * 2^exponent, m > 0, in format f. */
static uint64_t soft_pack(const struct format *f, bool negative, u128 m,
			  int exponent, uint32_t csr)
{
	uint32_t round = SOFT_CSR_ROUND(csr);
	uint64_t sign = negative ? f->sign : 0;
	int e = top_bit(m) + exponent;
	int unit = (e > f->emin ? e : f->emin) - (f->precision - 1);

	if ((csr & SOFT_CSR_FTZ) != 0 && e < f->emin) {
		/* Tiny after rounding to full precision: zero. */
		u128 full = round_quarter(
			to_unit(m, exponent, e - (f->precision - 1)), negative,
			round);
		if (full < ((u128)1 << f->precision) || e + 1 < f->emin)
			return sign;
	}
	uint64_t q = (uint64_t)round_quarter(to_unit(m, exponent, unit),
					     negative, round);
	uint64_t biased = (uint64_t)(unit - (f->emin - (f->precision - 1)));
	uint64_t bits = (biased << (f->precision - 1)) + q;
	if (bits >= f->infinity)
		return overflow_bits(f, negative, round);
	return sign | bits;
}

struct number {
	bool negative;
	bool is_nan;
	bool is_inf;
	u128 m; /* 0: zero */
	int exponent;
};

static struct number unpack(const struct format *f, uint64_t x, uint32_t csr)
{
	uint64_t mag = x & (f->sign - 1);
	int fp = f->precision - 1;
	struct number n = {.negative = (x & f->sign) != 0,
			   .is_nan = mag > f->infinity,
			   .is_inf = mag == f->infinity};
	uint64_t be = mag >> fp;
	uint64_t mm = mag & (((uint64_t)1 << fp) - 1);
	if (be == 0) {
		n.m = (csr & SOFT_CSR_DAZ) != 0 ? 0 : mm;
		n.exponent = f->emin - fp;
	} else {
		n.m = mm | ((uint64_t)1 << fp);
		n.exponent = (int)be - 1 + f->emin - fp;
	}
	return n;
}

/* The sum of p and z, neither NaN nor infinite. */
static uint64_t sum_pack(const struct format *f, struct number p,
			 struct number z, uint32_t csr)
{
	if (p.m == 0 && z.m == 0) {
		bool negative = p.negative == z.negative
					? p.negative
					: SOFT_CSR_ROUND(csr) == SOFT_DOWN;
		return negative ? f->sign : 0;
	}
	if (p.m == 0)
		return soft_pack(f, z.negative, z.m, z.exponent, csr);
	if (z.m == 0)
		return soft_pack(f, p.negative, p.m, p.exponent, csr);

	int sp = 125 - top_bit(p.m), sz = 125 - top_bit(z.m);
	p.m <<= sp;
	p.exponent -= sp;
	z.m <<= sz;
	z.exponent -= sz;
	if (p.exponent < z.exponent) {
		struct number t = p;
		p = z;
		z = t;
	}
	z.m = shift_jam(z.m, p.exponent - z.exponent);
	if (p.negative == z.negative)
		return soft_pack(f, p.negative, p.m + z.m, p.exponent, csr);
	if (p.m == z.m)
		return SOFT_CSR_ROUND(csr) == SOFT_DOWN ? f->sign : 0;
	if (p.m > z.m)
		return soft_pack(f, p.negative, p.m - z.m, p.exponent, csr);
	return soft_pack(f, z.negative, z.m - p.m, p.exponent, csr);
}

static uint64_t fma_any(const struct format *f, uint64_t x, uint64_t y,
			uint64_t z, uint32_t csr)
{
	struct number a = unpack(f, x, csr), b = unpack(f, y, csr),
		      c = unpack(f, z, csr);
	bool negative = a.negative != b.negative;

	if (a.is_nan || b.is_nan || c.is_nan)
		return f->nan;
	if (a.is_inf || b.is_inf) {
		bool is_zero =
			!(a.is_inf || a.m != 0) || !(b.is_inf || b.m != 0);
		if (is_zero || (c.is_inf && c.negative != negative))
			return f->nan;
		return f->infinity | (negative ? f->sign : 0);
	}
	if (c.is_inf)
		return f->infinity | (c.negative ? f->sign : 0);
	struct number product = {.negative = negative,
				 .m = a.m * b.m,
				 .exponent = a.exponent + b.exponent};
	return sum_pack(f, product, c, csr);
}

uint32_t soft_fma32(uint32_t x, uint32_t y, uint32_t z, uint32_t csr)
{
	return (uint32_t)fma_any(&format_f32, x, y, z, csr);
}

uint64_t soft_fma64(uint64_t x, uint64_t y, uint64_t z, uint32_t csr)
{
	return fma_any(&format_f64, x, y, z, csr);
}

uint16_t soft_fma16(uint16_t x, uint16_t y, uint16_t z, bool is_bf16,
		    uint32_t csr)
{
	return (uint16_t)fma_any(is_bf16 ? &format_bf16 : &format_f16, x, y, z,
				 csr);
}

uint32_t soft_f32_u64(uint64_t x, uint32_t csr)
{
	return x == 0 ? 0 : (uint32_t)soft_pack(&format_f32, false, x, 0, csr);
}

uint64_t soft_f64_u64(uint64_t x, uint32_t csr)
{
	return x == 0 ? 0 : soft_pack(&format_f64, false, x, 0, csr);
}

static uint32_t int_bits(uint32_t type)
{
	return 8u << (type >> 1);
}

static uint64_t int_max(uint32_t type)
{
	return UINT64_MAX >> (64 - int_bits(type) + (type & 1));
}

/* A magnitude with a sign, clamped into type. */
static uint64_t clamp_int(bool negative, u128 m, uint32_t type)
{
	uint64_t max = int_max(type);
	if (!negative)
		return m > max ? max : (uint64_t)m;
	if ((type & 1) == 0)
		return 0;
	return m > (u128)max + 1 ? ~max : 0u - (uint64_t)m;
}

uint64_t soft_int_sat(uint64_t x, uint32_t from, uint32_t to)
{
	bool negative = (from & 1) != 0 && (int64_t)x < 0;
	return clamp_int(negative, negative ? 0u - x : x, to);
}

/* Round to units of one; a number of at least 2^64 stays that large. */
static u128 integral(struct number n, uint32_t round)
{
	if (n.m == 0)
		return 0;
	if (n.exponent > 63)
		return (u128)1 << 100;
	return round_quarter(to_unit(n.m, n.exponent, 0), n.negative, round);
}

static uint64_t integral_any(const struct format *f, uint64_t x, uint32_t round)
{
	struct number n = unpack(f, x, 0);
	if (n.is_inf || n.exponent >= 0)
		return x;
	u128 m = integral(n, round);
	if (m == 0)
		return x & f->sign;
	return soft_pack(f, n.negative, m, 0, 0);
}

uint32_t soft_integral32(uint32_t x, uint32_t round)
{
	return (uint32_t)integral_any(&format_f32, x, round);
}

uint64_t soft_integral64(uint64_t x, uint32_t round)
{
	return integral_any(&format_f64, x, round);
}

static uint64_t int_any(const struct format *f, uint64_t x, uint32_t round,
			uint32_t to)
{
	struct number n = unpack(f, x, 0);
	if (n.is_nan) {
		bool is_wide = f == &format_f64 || int_bits(to) == 64;
		uint64_t low = (uint64_t)1 << (int_bits(to) - 1);
		if (!is_wide)
			return 0;
		return (to & 1) != 0 ? 0u - low : low;
	}
	if (n.is_inf)
		return clamp_int(n.negative, (u128)1 << 100, to);
	return clamp_int(n.negative, integral(n, round), to);
}

uint64_t soft_int_f32(uint32_t x, uint32_t round, uint32_t to)
{
	return int_any(&format_f32, x, round, to);
}

uint64_t soft_int_f64(uint64_t x, uint32_t round, uint32_t to)
{
	return int_any(&format_f64, x, round, to);
}

uint32_t soft_f32_f16(uint32_t x, uint32_t nan32)
{
	struct number n = unpack(&format_f16, x & 0xffffu, 0);
	uint32_t sign = n.negative ? 0x80000000u : 0;
	if (n.is_nan)
		return nan32;
	if (n.is_inf)
		return sign | 0x7f800000u;
	if (n.m == 0)
		return sign;
	return (uint32_t)soft_pack(&format_f32, n.negative, n.m, n.exponent, 0);
}

/* x of format from in the 16-bit format to. */
static uint32_t half_any(const struct format *to, const struct format *from,
			 uint64_t x, uint32_t imm)
{
	uint32_t csr = (imm & 3u) << 13 | (imm & 1u << 10 ? SOFT_CSR_DAZ : 0u);
	bool relu = (imm & 1u << 8) != 0, finite = (imm & 1u << 9) != 0;
	struct number n = unpack(from, x, csr);
	if (n.is_nan)
		return (uint32_t)to->nan;
	if (relu && n.negative)
		return 0;
	uint64_t sign = n.negative ? to->sign : 0, r;
	if (n.is_inf)
		r = sign | to->infinity;
	else if (n.m == 0)
		r = sign;
	else
		r = soft_pack(to, n.negative, n.m, n.exponent, csr);
	if (finite && (r & (to->sign - 1)) == to->infinity)
		r--;
	return (uint32_t)r;
}

uint32_t soft_f16_f32(uint32_t x, uint32_t imm)
{
	return half_any(&format_f16, &format_f32, x, imm);
}

uint32_t soft_bf16_f32(uint32_t x, uint32_t imm)
{
	return half_any(&format_bf16, &format_f32, x, imm);
}

uint32_t soft_f16_f64(uint64_t x, uint32_t imm)
{
	return half_any(&format_f16, &format_f64, x, imm);
}

uint32_t soft_bf16_f64(uint64_t x, uint32_t imm)
{
	return half_any(&format_bf16, &format_f64, x, imm);
}

static uint32_t f8_any(const struct format *from, uint32_t x, bool is_e5m2,
		       bool relu)
{
	return half_any(is_e5m2 ? &format_e5m2 : &format_e4m3, from, x,
			SOFT_NEAREST | 1u << 9 | (relu ? 1u << 8 : 0));
}

uint32_t soft_f8_f32(uint32_t x, bool is_e5m2, bool relu)
{
	return f8_any(&format_f32, x, is_e5m2, relu);
}

uint32_t soft_f8_f16(uint32_t x, bool is_e5m2, bool relu)
{
	return f8_any(&format_f16, x & 0xffffu, is_e5m2, relu);
}

uint32_t soft_f16_f8(uint32_t x, bool is_e5m2)
{
	struct number n = unpack(is_e5m2 ? &format_e5m2 : &format_e4m3, x, 0);
	uint32_t sign = n.negative ? 0x8000u : 0;
	if (n.is_nan || (n.is_inf && !is_e5m2))
		return 0x7fffu;
	if (n.is_inf)
		return sign | 0x7c00u;
	if (n.m == 0)
		return sign;
	return (uint32_t)soft_pack(&format_f16, n.negative, n.m, n.exponent, 0);
}

uint32_t soft_half_int(uint64_t x, bool is_signed, bool is_bf16, uint32_t csr)
{
	bool negative = is_signed && (int64_t)x < 0;
	if (x == 0)
		return 0;
	return (uint32_t)soft_pack(is_bf16 ? &format_bf16 : &format_f16,
				   negative, negative ? 0u - x : x, 0, csr);
}
