/*
 * The encoder of addresses serves: a secret is 32 bytes like a key, and the
 * prefix keeps the two from being taken for each other.
 */
#include "wallet/backup.h"

#include <string.h>

#include "base/bech32m.h"

#define GROUP	  4u
#define HEX_CHARS 64u

void backup_text(const struct seckey *sk, char out[BACKUP_TEXT_BYTES])
{
	struct pubkey as_key;
	char plain[ADDRESS_TEXT_BYTES];
	size_t head = sizeof(BACKUP_HRP); /* with the separator */
	size_t n = 0;

	memcpy(as_key.b, sk->b, sizeof(as_key.b));
	address_text(BACKUP_HRP, &as_key, plain);
	for (size_t i = 0; plain[i]; i++) {
		if (i >= head && (i - head) % GROUP == 0)
			out[n++] = ' ';
		out[n++] = plain[i];
	}
	out[n] = 0;
	sig_wipe(&as_key, sizeof(as_key));
	sig_wipe(plain, sizeof(plain));
}

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '-';
}

/* Without blanks; 0 if it is too long to be anything. */
static size_t squeeze(struct bytes text, char out[ADDRESS_TEXT_BYTES])
{
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (is_blank(text.p[i]))
			continue;
		if (n == ADDRESS_TEXT_BYTES - 1)
			return 0;
		out[n++] = (char)text.p[i];
	}
	return n;
}

enum err backup_parse(struct bytes text, struct seckey *ret_secret)
{
	struct seckey sk = {{0}};
	struct pubkey pk = {{0}};
	char plain[ADDRESS_TEXT_BYTES] = {0};
	size_t n = squeeze(text, plain);
	struct bytes in = bytes_of(plain, n);
	enum err e;

	if (n == HEX_CHARS) {
		e = hex_decode(in, sk.b, sizeof(sk.b));
	} else {
		e = address_parse(BACKUP_HRP, in, &pk);
		memcpy(sk.b, pk.b, sizeof(sk.b));
		/* A good text of something else, such as an address. */
		if (e != ERR_OK)
			e = ERR_MALFORMED;
	}
	if (e == ERR_OK)
		e = sig_pubkey(&sk, &pk);
	if (e == ERR_OK)
		*ret_secret = sk;
	sig_wipe(&sk, sizeof(sk));
	sig_wipe(plain, sizeof(plain));
	return e;
}
