#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <openssl/evp.h>

#include "base/arena.h"
#include "base/coin.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/reason.h"

Test(coin, edges)
{
	struct coin max = coin_picks(UINT64_MAX), r = coin_picks(7);
	uint64_t v = 7;

	cr_assert(!coin_add(max, coin_picks(1), &r));
	cr_assert_eq(coin_raw(r), 7, "nothing written on overflow");
	cr_assert(!coin_sub(coin_picks(1), coin_picks(2), &r));
	cr_assert_eq(coin_raw(r), 7);
	cr_assert(coin_add(max, COIN_ZERO, &r));
	cr_assert_eq(coin_raw(r), UINT64_MAX);
	cr_assert(!coin_mul(coin_picks(1ull << 32), 1ull << 32, &r));
	cr_assert(coin_scale(max, 3, 4, &r));
	cr_assert_eq(coin_raw(r), 13835058055282163711ull);
	cr_assert(coin_scale_up(max, 3, 4, &r));
	cr_assert_eq(coin_raw(r), 13835058055282163712ull);
	cr_assert(!coin_scale(max, 4, 3, &r));
	cr_assert(!coin_scale(max, 1, 0, &r));
	cr_assert(!u64_muldiv(UINT64_MAX, UINT64_MAX, 1, &v));
	cr_assert_eq(v, 7);
	cr_assert(u64_muldiv(UINT64_MAX, UINT64_MAX, UINT64_MAX, &v));
	cr_assert_eq(v, UINT64_MAX);
	cr_assert_eq(u64_mulhi(UINT64_MAX, 10), 9);
	cr_assert_eq(u64_mulhi(1ull << 63, 10), 5);
}

Test(coin, text)
{
	char out[COIN_TEXT_BYTES];

	cr_assert_str_eq(coin_text(coin_picks(1250000000), out),
			 "1.250000000 WEFT");
	cr_assert_str_eq(coin_text(coin_picks(UINT64_MAX), out),
			 "18446744073.709551615 WEFT");
}

/* Against OpenSSL's EVP layer, which shares no padding code with ours. */
Test(hash, agrees_with_evp_at_every_length)
{
	uint8_t p[400];

	for (size_t i = 0; i < sizeof(p); i++)
		p[i] = (uint8_t)(i * 31 + 5);
	for (size_t n = 0; n <= sizeof(p); n++) {
		unsigned char want[32];
		unsigned int len;
		struct hash got = sha256(p, n);
		struct sha256 s;

		EVP_Digest(p, n, want, &len, EVP_sha256(), 0);
		cr_assert_arr_eq(got.b, want, 32, "%zu", n);
		sha256_init(&s);
		for (size_t i = 0; i < n; i += 13)
			sha256_put(&s, p + i, n - i < 13 ? n - i : 13);
		got = sha256_end(&s);
		cr_assert_arr_eq(got.b, want, 32, "%zu in parts", n);
	}
}

Test(arena, limits_and_alignment)
{
	struct arena *a = arena_new(10000);
	uint8_t *p;

	for (size_t align = 1; align <= 64; align *= 2) {
		p = arena_alloc(a, 3, align);
		cr_assert_eq((uintptr_t)p % align, 0);
		cr_assert_eq(p[0] | p[1] | p[2], 0);
		memset(p, 0xff, 3);
	}
	cr_assert_null(arena_alloc(a, 10000, 1));
	cr_assert_null(arena_array(a, SIZE_MAX / 2, 4, 1));
	cr_assert_eq(arena_used(a), 21);
	arena_reset(a);
	p = arena_alloc(a, 10000, 8);
	cr_assert_not_null(p);
	for (size_t i = 0; i < 10000; i++)
		cr_assert_eq(p[i], 0, "memory after a reset is zero again");
	arena_free(a);
}

Test(buf, errors_stick)
{
	struct buf b = buf_make(10);

	buf_put_str(&b, "12345");
	buf_put_str(&b, "123456");
	cr_assert_eq(b.err, ERR_LIMIT);
	buf_put_str(&b, "x");
	cr_assert_eq(b.n, 5);
	buf_reset(&b);
	buf_put_str(&b, "1234567890");
	cr_assert_eq(b.err, ERR_OK);
	buf_consume(&b, 4);
	cr_assert(bytes_eq(buf_bytes(&b), BYTES_LIT("567890")));
	buf_free(&b);
}

Test(bytes, slices_never_leave)
{
	struct bytes b = BYTES_LIT("hello");

	cr_assert_eq(bytes_slice(b, 3, 100).n, 2);
	cr_assert_eq(bytes_slice(b, 6, 1).n, 0);
	cr_assert_eq(bytes_skip(b, SIZE_MAX).n, 0);
	cr_assert(bytes_starts(b, BYTES_LIT("he")));
	cr_assert(!bytes_starts(b, BYTES_LIT("hello!")));
	cr_assert_lt(bytes_cmp(BYTES_LIT("a"), BYTES_LIT("ab")), 0);
	cr_assert_gt(bytes_cmp(BYTES_LIT("b"), BYTES_LIT("ab")), 0);
}

Test(bytes, hex_is_strict)
{
	uint8_t out[2] = {9, 9};

	cr_assert_eq(hex_decode(BYTES_LIT("0aFf"), out, 2), ERR_OK);
	cr_assert_eq(out[0], 10);
	cr_assert_eq(out[1], 255);
	cr_assert_eq(hex_decode(BYTES_LIT("0aF"), out, 2), ERR_MALFORMED);
	cr_assert_eq(hex_decode(BYTES_LIT("0aFg"), out, 2), ERR_MALFORMED);
	cr_assert_eq(hex_decode(BYTES_LIT("0aFf00"), out, 2), ERR_MALFORMED);
	cr_assert_eq(out[0], 10);
}

/* On disk and on the wire: a changed number is a broken network. */
Test(reason, numbers_are_frozen)
{
	static const struct {
		enum reason r;
		int number;
		const char *word;
	} pinned[] = {
		{REASON_none, 0, "none"},
		{REASON_expired, 1, "expired"},
		{REASON_no_match, 2, "no_match"},
		{REASON_out_of_funds, 3, "out_of_funds"},
		{REASON_input_missing, 9, "input_missing"},
		{REASON_kernel_fault, 13, "kernel_fault"},
		{REASON_refuted, 20, "refuted"},
		{REASON_void, 21, "void"},
		{REASON_provider_timeout, 23, "provider_timeout"},
		{REASON_bad_encoding, 100, "bad_encoding"},
		{REASON_bad_signature, 104, "bad_signature"},
		{REASON_insufficient_funds, 109, "insufficient_funds"},
		{REASON_no_verifier, 131, "no_verifier"},
	};

	for (size_t i = 0; i < sizeof(pinned) / sizeof(pinned[0]); i++) {
		enum reason got;

		cr_assert_eq((int)pinned[i].r, pinned[i].number);
		cr_assert_str_eq(reason_word(pinned[i].r), pinned[i].word);
		cr_assert_eq(reason_parse(bytes_str(pinned[i].word), &got),
			     ERR_OK);
		cr_assert_eq(got, pinned[i].r);
	}
	cr_assert_null(reason_word((enum reason)99));
}

Test(limits, numbers_are_the_design)
{
	cr_assert_eq(TX_BYTES_MAX, 65536);
	cr_assert_eq(BLOCK_BYTES_MAX, 4194304);
	cr_assert_eq(BLOCK_TX_MAX, 10000);
	cr_assert_eq(BLOCK_COST_MAX, 536870912ull);
	cr_assert_eq(DISPUTE_COST_MAX, 268435456ull);
	cr_assert_eq(PTX_TEXT_BYTES_MAX, 4194304);
	cr_assert_eq(CTA_SHARED_BYTES_MAX, 232448);
	cr_assert_eq(JOB_TASKS_MAX, 1048576);
}
