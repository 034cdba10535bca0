#include "base/bech32m.h"

#include <string.h>

#define CHECKSUM_CONST 0x2bc830a3u /* BIP-350 */
#define DATA_CHARS     52u	   /* 256 bits in groups of 5, padded */
#define SUM_CHARS      6u

static const char charset[] = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

static uint32_t polymod(uint32_t chk, uint8_t value)
{
	static const uint32_t gen[5] = {0x3b6a57b2, 0x26508e6d, 0x1ea119fa,
					0x3d4233dd, 0x2a1462b3};
	uint32_t top = chk >> 25;

	chk = (chk & 0x1ffffff) << 5 ^ value;
	for (int i = 0; i < 5; i++) {
		if (top >> i & 1)
			chk ^= gen[i];
	}
	return chk;
}

static uint32_t sum_of(const char *hrp, const uint8_t *values, size_t n)
{
	uint32_t chk = 1;

	for (const char *c = hrp; *c; c++)
		chk = polymod(chk, (uint8_t)(*c >> 5));
	chk = polymod(chk, 0);
	for (const char *c = hrp; *c; c++)
		chk = polymod(chk, (uint8_t)(*c & 31));
	for (size_t i = 0; i < n; i++)
		chk = polymod(chk, values[i]);
	return chk;
}

static void to_five_bits(const uint8_t *in32, uint8_t *out)
{
	for (unsigned i = 0; i < DATA_CHARS; i++) {
		unsigned bit = 5 * i;
		unsigned word = (unsigned)in32[bit / 8] << 8;

		if (bit / 8 + 1 < 32)
			word |= in32[bit / 8 + 1];
		out[i] = (uint8_t)(word >> (11 - bit % 8) & 31);
	}
}

const char *address_text(const char *hrp, const struct pubkey *pk,
			 char out[ADDRESS_TEXT_BYTES])
{
	uint8_t values[DATA_CHARS + SUM_CHARS] = {0};
	size_t n = strlen(hrp);
	uint32_t sum;

	to_five_bits(pk->b, values);
	sum = sum_of(hrp, values, sizeof(values)) ^ CHECKSUM_CONST;
	for (unsigned i = 0; i < SUM_CHARS; i++)
		values[DATA_CHARS + i] = (uint8_t)(sum >> (25 - 5 * i) & 31);
	memcpy(out, hrp, n);
	out[n++] = '1';
	for (unsigned i = 0; i < sizeof(values); i++)
		out[n++] = charset[values[i]];
	out[n] = 0;
	return out;
}

static enum err values_of(struct bytes text, uint8_t *values)
{
	bool upper = false, lower = false;

	for (size_t i = 0; i < text.n; i++) {
		uint8_t c = text.p[i];
		const char *at;

		upper |= c >= 'A' && c <= 'Z';
		lower |= c >= 'a' && c <= 'z';
		if (c >= 'A' && c <= 'Z')
			c = (uint8_t)(c + 32);
		at = c ? strchr(charset, c) : 0;
		if (!at)
			return ERR_MALFORMED;
		values[i] = (uint8_t)(at - charset);
	}
	return upper && lower ? ERR_MALFORMED : ERR_OK;
}

static void from_five_bits(const uint8_t *values, struct pubkey *out)
{
	uint32_t acc = 0;
	unsigned bits = 0, n = 0;

	for (unsigned i = 0; i < DATA_CHARS; i++) {
		acc = acc << 5 | values[i];
		bits += 5;
		if (bits >= 8 && n < sizeof(out->b)) {
			bits -= 8;
			out->b[n++] = (uint8_t)(acc >> bits);
		}
	}
}

/* The human-readable part in lower case; empty when there is none. */
static size_t split(struct bytes text, char hrp[16])
{
	size_t n = 0;
	bool upper = false, lower = false;

	while (n < text.n && text.p[n] != '1')
		n++;
	if (n == 0 || n >= 16 || n == text.n)
		return 0;
	for (size_t i = 0; i < n; i++) {
		uint8_t c = text.p[i];

		upper |= c >= 'A' && c <= 'Z';
		lower |= c >= 'a' && c <= 'z';
		hrp[i] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
	}
	hrp[n] = 0;
	if (n + 1 < text.n) {
		for (size_t i = n + 1; i < text.n; i++) {
			upper |= text.p[i] >= 'A' && text.p[i] <= 'Z';
			lower |= text.p[i] >= 'a' && text.p[i] <= 'z';
		}
	}
	return upper && lower ? 0 : n;
}

enum err address_parse(const char *hrp, struct bytes text,
		       struct pubkey *ret_pk)
{
	uint8_t values[DATA_CHARS + SUM_CHARS];
	char seen[16];
	size_t n = split(text, seen);
	struct pubkey pk;

	if (n == 0 || text.n - n - 1 != sizeof(values))
		return ERR_MALFORMED;
	if (values_of(bytes_skip(text, n + 1), values))
		return ERR_MALFORMED;
	if (sum_of(seen, values, sizeof(values)) != CHECKSUM_CONST)
		return ERR_MALFORMED;
	if (values[DATA_CHARS - 1] & 15) /* 260 bits carry 256 */
		return ERR_MALFORMED;
	if (strcmp(seen, hrp) != 0)
		return ERR_REFUSED;
	from_five_bits(values, &pk);
	*ret_pk = pk;
	return ERR_OK;
}
