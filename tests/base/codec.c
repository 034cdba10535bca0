#include "base/codec.h"

#include <criterion/criterion.h>

static uint64_t uint_of(const char *hex, size_t n, enum err *ret_err)
{
	struct dec d = dec_make(bytes_of(hex, n));
	uint64_t v = dec_uint(&d, UINT64_MAX);

	*ret_err = dec_end(&d);
	return v;
}

static int64_t int_of(const char *hex, size_t n, enum err *ret_err)
{
	struct dec d = dec_make(bytes_of(hex, n));
	int64_t v = dec_int(&d);

	*ret_err = dec_end(&d);
	return v;
}

Test(codec, shortest_unsigned_only)
{
	enum err e;

	cr_assert_eq(uint_of("\x7f", 1, &e), 127);
	cr_assert_eq(e, ERR_OK);
	cr_assert_eq(uint_of("\xcc\x80", 2, &e), 128);
	cr_assert_eq(e, ERR_OK);
	cr_assert_eq(uint_of("\xcd\x01\x00", 3, &e), 256);
	cr_assert_eq(e, ERR_OK);
	cr_assert_eq(uint_of("\xcf\xff\xff\xff\xff\xff\xff\xff\xff", 9, &e),
		     UINT64_MAX);
	cr_assert_eq(e, ERR_OK);
	uint_of("\xcc\x7f", 2, &e);
	cr_assert_eq(e, ERR_MALFORMED);
	uint_of("\xcd\x00\xff", 3, &e);
	cr_assert_eq(e, ERR_MALFORMED);
	uint_of("\xce\x00\x00\xff\xff", 5, &e);
	cr_assert_eq(e, ERR_MALFORMED);
	uint_of("\xcf\x00\x00\x00\x00\xff\xff\xff\xff", 9, &e);
	cr_assert_eq(e, ERR_MALFORMED);
	uint_of("\x01\x02", 2, &e);
	cr_assert_eq(e, ERR_MALFORMED);
	uint_of("\xcd\x01", 2, &e);
	cr_assert_eq(e, ERR_MALFORMED);
	uint_of("", 0, &e);
	cr_assert_eq(e, ERR_MALFORMED);
	uint_of("\xff", 1, &e);
	cr_assert_eq(e, ERR_MALFORMED);
}

Test(codec, shortest_signed_only)
{
	enum err e;

	cr_assert_eq(int_of("\xff", 1, &e), -1);
	cr_assert_eq(e, ERR_OK);
	cr_assert_eq(int_of("\xe0", 1, &e), -32);
	cr_assert_eq(e, ERR_OK);
	cr_assert_eq(int_of("\xd0\xdf", 2, &e), -33);
	cr_assert_eq(e, ERR_OK);
	cr_assert_eq(int_of("\xd1\xff\x7f", 3, &e), -129);
	cr_assert_eq(e, ERR_OK);
	cr_assert_eq(int_of("\xd3\x80\0\0\0\0\0\0\0", 9, &e), INT64_MIN);
	cr_assert_eq(e, ERR_OK);
	int_of("\xd0\xe0", 2, &e);
	cr_assert_eq(e, ERR_MALFORMED, "-32 fits one byte");
	int_of("\xd1\xff\x80", 3, &e);
	cr_assert_eq(e, ERR_MALFORMED, "-128 fits two bytes");
	int_of("\xd0\x05", 2, &e);
	cr_assert_eq(e, ERR_MALFORMED, "positive in a signed form");
	int_of("\xcf\xff\xff\xff\xff\xff\xff\xff\xff", 9, &e);
	cr_assert_eq(e, ERR_LIMIT);
}

Test(codec, round_trip_at_every_edge)
{
	static const int64_t v[] = {
		0,	     127,	128,	    255,	256,
		65535,	     65536,	4294967295, -1,		-32,
		-33,	     -128,	-129,	    -32768,	-32769,
		-2147483648, INT64_MAX, INT64_MIN,  4294967296, -2147483649};

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		struct buf b = buf_make(100);
		struct dec d;

		enc_int(&b, v[i]);
		d = dec_make(buf_bytes(&b));
		cr_assert_eq(dec_int(&d), v[i]);
		cr_assert_eq(dec_end(&d), ERR_OK);
		buf_free(&b);
	}
}

static enum err bin_of(size_t n, uint8_t head, size_t head_bytes)
{
	static uint8_t in[70000];
	struct dec d;

	memset(in, 0, sizeof(in));
	in[0] = head;
	for (size_t i = 0; i < head_bytes; i++)
		in[1 + i] = (uint8_t)(n >> 8 * (head_bytes - 1 - i));
	d = dec_make(bytes_of(in, 1 + head_bytes + n));
	if (head >= 0xd9)
		dec_str(&d, 69000);
	else
		dec_bin(&d, 69000);
	return dec_end(&d);
}

Test(codec, shortest_lengths_only)
{
	cr_assert_eq(bin_of(255, 0xc4, 1), ERR_OK);
	cr_assert_eq(bin_of(255, 0xc5, 2), ERR_MALFORMED);
	cr_assert_eq(bin_of(256, 0xc5, 2), ERR_OK);
	cr_assert_eq(bin_of(65535, 0xc6, 4), ERR_MALFORMED);
	cr_assert_eq(bin_of(65536, 0xc6, 4), ERR_OK);
	cr_assert_eq(bin_of(69001, 0xc6, 4), ERR_LIMIT);
	cr_assert_eq(bin_of(31, 0xd9, 1), ERR_MALFORMED);
	cr_assert_eq(bin_of(32, 0xd9, 1), ERR_OK);
	cr_assert_eq(bin_of(255, 0xda, 2), ERR_MALFORMED);
	cr_assert_eq(bin_of(65535, 0xdb, 4), ERR_MALFORMED);
}

Test(codec, arrays)
{
	struct dec d = dec_make(BYTES_LIT("\xdc\x00\x0f"));

	dec_array(&d, 100);
	cr_assert_eq(d.err, ERR_MALFORMED, "15 fits a fixarray");
	d = dec_make(BYTES_LIT("\xdd\xff\xff\xff\xff"));
	cr_assert_eq(dec_array(&d, 100), 0);
	cr_assert_eq(d.err, ERR_LIMIT);
	d = dec_make(BYTES_LIT("\x92\x01\x91\x02"));
	dec_array_exact(&d, 2);
	cr_assert_eq(dec_uint(&d, 9), 1);
	dec_array_exact(&d, 1);
	cr_assert_eq(dec_uint(&d, 2), 2);
	cr_assert_eq(dec_end(&d), ERR_OK);
	d = dec_make(BYTES_LIT("\x81\x01\x01"));
	dec_array(&d, 3);
	cr_assert_eq(d.err, ERR_MALFORMED, "maps are refused");
}

Test(codec, errors_stick_and_values_are_zero)
{
	struct dec d = dec_make(BYTES_LIT("\xc1\x05"));
	struct hash h;

	cr_assert_eq(dec_uint(&d, 9), 0);
	h = dec_hash(&d);
	cr_assert(hash_is_zero(&h));
	cr_assert_eq(dec_bin(&d, 9).n, 0);
	cr_assert_eq(dec_end(&d), ERR_MALFORMED);
}

Test(codec, raw_takes_one_whole_value)
{
	struct dec d =
		dec_make(BYTES_LIT("\x93\x01\x92\xc0\xa1x\xc4\x01y\x07"));
	struct bytes r = dec_raw(&d);

	cr_assert_eq(r.n, 9);
	cr_assert_eq(dec_uint(&d, 9), 7);
	cr_assert_eq(dec_end(&d), ERR_OK);
}

Test(codec, raw_bounds_depth)
{
	uint8_t deep[64];
	struct dec d;

	memset(deep, 0x91, sizeof(deep));
	d = dec_make(bytes_of(deep, sizeof(deep)));
	dec_raw(&d);
	cr_assert_eq(d.err, ERR_LIMIT);
	deep[DEC_DEPTH_MAX] = 0x00;
	d = dec_make(bytes_of(deep, DEC_DEPTH_MAX + 1));
	cr_assert_eq(dec_raw(&d).n, DEC_DEPTH_MAX + 1);
	cr_assert_eq(dec_end(&d), ERR_OK);
}
