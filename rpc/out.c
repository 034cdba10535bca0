/*
 * How values look in answers: 64-bit numbers as decimal strings, ids as
 * lower-case hex, heights and indexes as numbers, times in RFC 3339.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/bech32m.h"
#include "rpc/priv/call.h"

void out_text(json_t *o, const char *key, const char *s)
{
	json_object_set_new(o, key, s ? json_string(s) : json_null());
}

void out_bytes_text(json_t *o, const char *key, struct bytes b)
{
	json_t *v = json_stringn((const char *)b.p, b.n);

	json_object_set_new(o, key, v ? v : json_null());
}

void out_hash(json_t *o, const char *key, const struct hash *h)
{
	char text[HASH_TEXT_BYTES];

	out_text(o, key, hash_text(h, text));
}

void out_id_or_null(json_t *o, const char *key, const struct hash *h)
{
	if (hash_is_zero(h))
		json_object_set_new(o, key, json_null());
	else
		out_hash(o, key, h);
}

void out_account(json_t *o, const char *key, const struct rpc *r,
		 const struct pubkey *pk)
{
	char text[ADDRESS_TEXT_BYTES];

	out_text(o, key, address_text(r->host.hrp, pk, text));
}

void out_count(json_t *o, const char *key, uint64_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, v);
	out_text(o, key, text);
}

void out_coin(json_t *o, const char *key, struct coin c)
{
	out_count(o, key, coin_raw(c));
}

void out_number(json_t *o, const char *key, uint64_t v)
{
	json_object_set_new(o, key, json_integer((json_int_t)v));
}

void out_bool(json_t *o, const char *key, bool v)
{
	json_object_set_new(o, key, json_boolean(v));
}

void out_hex(json_t *o, const char *key, struct bytes b)
{
	char *text = malloc(2 * b.n + 1);

	if (!text) {
		json_object_set_new(o, key, json_null());
		return;
	}
	hex_encode(b, text);
	out_text(o, key, text);
	free(text);
}

void out_time(json_t *o, const char *key, uint64_t time_ms)
{
	time_t seconds = (time_t)(time_ms / 1000);
	struct tm tm;
	char text[64];
	size_t n;

	if (!gmtime_r(&seconds, &tm)) {
		json_object_set_new(o, key, json_null());
		return;
	}
	n = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + n, sizeof(text) - n, ".%03uZ",
		 (unsigned)(time_ms % 1000));
	out_text(o, key, text);
}
