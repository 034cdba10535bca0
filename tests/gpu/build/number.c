/*
 * Numbers from text: decimals against exact fractions (float.py), integers
 * and raw bits at the edges of their types.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/build/number.h"
#include "tests/support/vectors.h"

Test(number, decimals_round_once)
{
	struct vectors v;
	size_t count = 0;

	vectors_open(&v, WEFT_SOURCE_DIR, "build/float.txt");
	while (vectors_next(&v)) {
		unsigned bytes = v.field[0][1] == '1'	? 2
				 : v.field[0][1] == '3' ? 4
							: 8;
		uint64_t bits = 0;
		enum err err =
			number_float(bytes_str(v.field[1]), bytes, &bits);

		if (strcmp(v.field[2], "over") == 0)
			cr_expect_eq(err, ERR_OVERFLOW, "%s %s", v.field[0],
				     v.field[1]);
		else
			cr_expect(err == ERR_OK && bits == strtoull(v.field[2],
								    NULL, 16),
				  "%s %s: %llx, want %s", v.field[0],
				  v.field[1], (unsigned long long)bits,
				  v.field[2]);
		count++;
	}
	cr_expect_gt(count, 200);
}

Test(number, f64_agrees_with_libc)
{
	uint64_t x = 88172645463325252ull;

	for (int i = 0; i < 2000; i++) {
		char text[64];
		double want;
		uint64_t bits, want_bits;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		snprintf(text, sizeof(text), "%llu.%llue%d",
			 (unsigned long long)(x >> 40),
			 (unsigned long long)(x & 0xffffff),
			 (int)(x % 600) - 300);
		want = strtod(text, NULL);
		memcpy(&want_bits, &want, 8);
		cr_assert_eq(number_float(bytes_str(text), 8, &bits), ERR_OK);
		cr_expect_eq(bits, want_bits, "%s", text);
	}
}

Test(number, float_words_and_raw_bits)
{
	uint64_t b = 0;

	cr_expect_eq(number_float(BYTES_LIT("nan"), 2, &b), ERR_OK);
	cr_expect_eq(b, 0x7e00u);
	cr_expect_eq(number_float(BYTES_LIT("nan"), 4, &b), ERR_OK);
	cr_expect_eq(b, 0x7fc00000u);
	cr_expect_eq(number_float(BYTES_LIT("nan"), 8, &b), ERR_OK);
	cr_expect_eq(b, 0x7ff8000000000000u);
	cr_expect_eq(number_float(BYTES_LIT("-inf"), 4, &b), ERR_OK);
	cr_expect_eq(b, 0xff800000u);
	cr_expect_eq(number_float(BYTES_LIT("0x3f800000"), 4, &b), ERR_OK);
	cr_expect_eq(b, 0x3f800000u);
	cr_expect_eq(number_float(BYTES_LIT("0x13f800000"), 4, &b),
		     ERR_OVERFLOW);
	cr_expect_eq(number_float(BYTES_LIT("0x"), 4, &b), ERR_MALFORMED);
	cr_expect_eq(number_float(BYTES_LIT(""), 4, &b), ERR_MALFORMED);
	cr_expect_eq(number_float(BYTES_LIT("1."), 4, &b), ERR_MALFORMED);
	cr_expect_eq(number_float(BYTES_LIT(".5"), 4, &b), ERR_MALFORMED);
	cr_expect_eq(number_float(BYTES_LIT("1.5.2"), 4, &b), ERR_MALFORMED);
	cr_expect_eq(number_float(BYTES_LIT("1e"), 4, &b), ERR_MALFORMED);
	cr_expect_eq(number_float(BYTES_LIT("1 "), 4, &b), ERR_MALFORMED);
	cr_expect_eq(number_float(BYTES_LIT("infinity"), 4, &b), ERR_MALFORMED);
}

Test(number, integers_at_the_edges)
{
	static const struct {
		const char *type, *text;
		enum err err;
		uint64_t bits;
	} t[] = {
		/* clang-format off */
		{"u8", "255", ERR_OK, 255}, {"u8", "256", ERR_OVERFLOW, 0},
		{"u8", "-0", ERR_OK, 0}, {"u8", "-1", ERR_OVERFLOW, 0},
		{"s8", "127", ERR_OK, 127}, {"s8", "128", ERR_OVERFLOW, 0},
		{"s8", "-128", ERR_OK, 0x80}, {"s8", "-129", ERR_OVERFLOW, 0},
		{"s8", "0xff", ERR_OK, 0xff}, {"s8", "0x100", ERR_OVERFLOW, 0},
		{"u64", "18446744073709551615", ERR_OK, UINT64_MAX},
		{"u64", "18446744073709551616", ERR_OVERFLOW, 0},
		{"u64", "0xffffffffffffffff", ERR_OK, UINT64_MAX},
		{"u64", "0x10000000000000000", ERR_OVERFLOW, 0},
		{"s64", "-9223372036854775808", ERR_OK, 1ull << 63},
		{"s64", "9223372036854775808", ERR_OVERFLOW, 0},
		{"u32", "", ERR_MALFORMED, 0}, {"u32", "-", ERR_MALFORMED, 0},
		{"u32", "1x", ERR_MALFORMED, 0}, {"u32", "0xg", ERR_MALFORMED, 0},
		{"i32", "1", ERR_NOT_FOUND, 0},
		/* clang-format on */
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		uint64_t bits = 0;
		unsigned bytes = 0;
		enum err err =
			number_typed(bytes_str(t[i].type), bytes_str(t[i].text),
				     &bytes, &bits);

		cr_expect(err == t[i].err &&
				  (err != ERR_OK || bits == t[i].bits),
			  "%s:%s gives %s %llx", t[i].type, t[i].text,
			  err_name(err), (unsigned long long)bits);
	}
}
