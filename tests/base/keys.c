#include <string.h>

#include <criterion/criterion.h>

#include "base/bech32m.h"
#include "base/sig.h"
#include "base/vrf.h"
#include "tests/support/vectors.h"

Test(sig, bip340_vectors)
{
	struct vectors v;

	vectors_open(&v, WEFT_SOURCE_DIR, "base/bip340.txt");
	while (vectors_next(&v)) {
		struct seckey sk;
		struct pubkey pk, own;
		struct sig s, made;
		uint8_t aux[32], msg[64];
		size_t n = vectors_hex(v.field[3], msg, sizeof(msg));
		bool good = strcmp(v.field[5], "good") == 0;

		vectors_hex(v.field[1], pk.b, 32);
		vectors_hex(v.field[4], s.b, 64);
		cr_assert_eq(sig_verify(&pk, bytes_of(msg, n), &s),
			     good ? ERR_OK : ERR_SIGNATURE, "line %d",
			     v.number);
		if (!vectors_hex(v.field[0], sk.b, 32))
			continue;
		vectors_hex(v.field[2], aux, 32);
		cr_assert_eq(sig_pubkey(&sk, &own), ERR_OK);
		cr_assert(pubkey_eq(&own, &pk));
		cr_assert_eq(sig_sign(&sk, bytes_of(msg, n), aux, &made),
			     ERR_OK);
		cr_assert_arr_eq(made.b, s.b, 64);
	}
}

Test(sig, secrets_outside_the_group_are_refused)
{
	struct seckey zero = {{0}}, big;
	struct pubkey pk;

	memset(big.b, 0xff, sizeof(big.b));
	cr_assert_eq(sig_pubkey(&zero, &pk), ERR_REFUSED);
	cr_assert_eq(sig_pubkey(&big, &pk), ERR_REFUSED);
}

Test(vrf, rfc9381_vectors)
{
	struct vectors v;

	vectors_open(&v, WEFT_SOURCE_DIR, "base/vrf.txt");
	while (vectors_next(&v)) {
		struct vrf_secret sk;
		struct vrf_public pk, own;
		struct vrf_proof pi, made;
		struct vrf_output beta, got;
		uint8_t alpha[8];
		struct bytes in;

		vectors_hex(v.field[0], sk.seed, 32);
		vectors_hex(v.field[1], pk.b, 32);
		in = bytes_of(alpha, vectors_hex(v.field[2], alpha, 8));
		vectors_hex(v.field[3], pi.b, sizeof(pi.b));
		vectors_hex(v.field[4], beta.b, sizeof(beta.b));
		vrf_public_of(&sk, &own);
		cr_assert_arr_eq(own.b, pk.b, 32);
		cr_assert_eq(vrf_prove(&sk, in, &made), ERR_OK);
		cr_assert_arr_eq(made.b, pi.b, sizeof(pi.b));
		cr_assert_eq(vrf_verify(&pk, in, &pi, &got), ERR_OK);
		cr_assert_arr_eq(got.b, beta.b, sizeof(beta.b));
		for (size_t i = 0; i < sizeof(pi.b); i += 7) {
			made = pi;
			made.b[i] ^= 4;
			cr_assert_eq(vrf_verify(&pk, in, &made, &got),
				     ERR_SIGNATURE, "byte %zu", i);
		}
		cr_assert_eq(vrf_verify(&pk, BYTES_LIT("other"), &pi, &got),
			     ERR_SIGNATURE);
	}
}

Test(address, vectors)
{
	struct vectors v;

	vectors_open(&v, WEFT_SOURCE_DIR, "base/address.txt");
	while (vectors_next(&v)) {
		struct pubkey pk, got;
		char text[ADDRESS_TEXT_BYTES];

		vectors_hex(v.field[1], pk.b, 32);
		cr_assert_str_eq(address_text(v.field[0], &pk, text),
				 v.field[2]);
		cr_assert_eq(address_parse(v.field[0], bytes_str(text), &got),
			     ERR_OK);
		cr_assert(pubkey_eq(&got, &pk));
	}
}

Test(address, every_single_typo_is_caught)
{
	struct pubkey pk = {{1, 2, 3}}, got;
	char text[ADDRESS_TEXT_BYTES];
	size_t n;

	address_text("weft", &pk, text);
	n = strlen(text);
	for (size_t i = 0; i < n; i++) {
		char was = text[i];

		for (const char *c = "qpz1MA! "; *c; c++) {
			if (*c == was)
				continue;
			text[i] = *c;
			cr_assert_neq(
				address_parse("weft", bytes_of(text, n), &got),
				ERR_OK, "%s", text);
		}
		text[i] = was;
	}
	for (size_t k = 0; k < n; k++)
		cr_assert_neq(address_parse("weft", bytes_of(text, k), &got),
			      ERR_OK);
}

Test(address, other_network_is_named_as_such)
{
	struct pubkey pk = {{9}}, got;
	char text[ADDRESS_TEXT_BYTES];

	address_text("weftt", &pk, text);
	cr_assert_eq(address_parse("weft", bytes_str(text), &got), ERR_REFUSED);
}

Test(address, upper_case_is_fine_mixed_is_not)
{
	struct pubkey pk = {{9}}, got;
	char text[ADDRESS_TEXT_BYTES];

	address_text("weft", &pk, text);
	for (char *c = text; *c; c++)
		*c = (char)(*c >= 'a' && *c <= 'z' ? *c - 32 : *c);
	cr_assert_eq(address_parse("weft", bytes_str(text), &got), ERR_OK);
	text[0] = 'w';
	cr_assert_eq(address_parse("weft", bytes_str(text), &got),
		     ERR_MALFORMED);
}
