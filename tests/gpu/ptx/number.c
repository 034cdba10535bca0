#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/ptx/priv/parser.h"

/* The C library rounds decimal fractions right, and so must we. */
Test(ptx_number, rounds_decimals_as_the_c_library)
{
	uint32_t seed = 12345;

	for (uint32_t i = 0; i < 20000; i++) {
		struct number n;
		char text[64];
		uint64_t want;
		double x;

		seed = seed * 1664525u + 1013904223u;
		snprintf(text, sizeof(text), "%u.%ue%d", seed >> 20, seed,
			 (int)(seed >> 8) % 24 - 12);
		cr_assert(number_parse(bytes_str(text), &n), "%s", text);
		cr_assert_eq(n.kind, NUMBER_F64);
		x = strtod(text, NULL);
		memcpy(&want, &x, sizeof(want));
		cr_assert_eq(n.bits, want, "%s: %llx", text,
			     (unsigned long long)n.bits);
	}
}

Test(ptx_number, reads_each_form)
{
	static const struct {
		const char *text;
		bool ok;
		uint64_t bits;
	} cases[] = {
		{"0", true, 0},
		{"0x1fU", true, 31},
		{"017", true, 15},
		{"018", false, 0},
		{"0b101", true, 5},
		{"18446744073709551615", true, UINT64_MAX},
		{"18446744073709551616", false, 0},
		{"0x10000000000000000", false, 0},
		{"1.0", true, 0x3ff0000000000000},
		{"1e2", true, 0x4059000000000000},
		{".5", false, 0},
		{"1.5e41", false, 0},
		{"0f3f800000", true, 0x3f800000},
		{"0d3ff0000000000000", true, 0x3ff0000000000000},
		{"0f3f80000", false, 0},
		{"12a", false, 0},
		{"0.0", true, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct number n = {.kind = NUMBER_INT};
		bool ok;

		if (cases[i].text[0] == '.')
			continue; /* the lexer makes no number of it */
		ok = number_parse(bytes_str(cases[i].text), &n);
		cr_expect_eq(ok, cases[i].ok, "%s", cases[i].text);
		if (cases[i].ok)
			cr_expect_eq(n.bits, cases[i].bits, "%s",
				     cases[i].text);
	}
}
