/*
 * The records against bytes that another encoder made.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/arena.h"
#include "gpu/build/build.h"
#include "gpu/build/compile.h"
#include "tests/support/vectors.h"

static void check_unit(struct arena *a, struct bytes in)
{
	struct buf b = buf_make(4096);
	struct build_unit u;

	cr_assert_eq(build_unit_decode(a, in, &u), ERR_OK);
	cr_expect_str_eq(u.source.name, "k.cu");
	cr_expect(bytes_eq(u.source.text, BYTES_LIT("code")));
	cr_expect_str_eq(u.headers[0].name, "h.h");
	cr_expect_str_eq(u.defines[0].value, "3");
	cr_expect_str_eq(u.kernels[0], "k<1>");
	cr_expect(u.fmad && u.sm == 75);
	build_unit_encode(&b, &u);
	cr_expect(bytes_eq(buf_bytes(&b), in));
	buf_free(&b);
}

static void check_result(struct arena *a, struct bytes in)
{
	struct buf b = buf_make(4096);
	struct build_result r;

	cr_assert_eq(build_result_decode(a, in, &r), ERR_OK);
	cr_expect(bytes_eq(r.encoding, BYTES_LIT("prog")));
	cr_expect(r.class_name == 'A' && r.is_proved);
	cr_expect(r.needs.sm == 75 && r.needs.threads == 256 &&
		  r.needs.memory_bytes == 64);
	cr_expect(bytes_eq(r.launches[0].entry, BYTES_LIT("_Z1kv")));
	cr_expect(bytes_eq(r.reasons[0].reason, BYTES_LIT("approximate")));
	cr_expect_eq(r.reasons[0].line, 3);
	build_result_encode(&b, &r);
	cr_expect(bytes_eq(buf_bytes(&b), in));
	buf_free(&b);
}

Test(format, records)
{
	struct arena *a = arena_new(1u << 20);
	struct vectors v;
	uint8_t raw[4096];
	int seen = 0;

	vectors_open(&v, WEFT_SOURCE_DIR, "format/gpu-build.txt");
	while (vectors_next(&v)) {
		size_t n = vectors_hex(v.field[1], raw, sizeof(raw));

		if (strcmp(v.field[0], "unit") == 0)
			check_unit(a, bytes_of(raw, n));
		else
			check_result(a, bytes_of(raw, n));
		seen++;
	}
	cr_expect_eq(seen, 2);
	arena_free(a);
}
