/*
 * The encoding is what is hashed, so order and doubles are checked: equal
 * chains have equal hashes.
 */
#include "ledger/genesis.h"

#include <string.h>

#include "base/arena.h"
#include "base/codec.h"
#include "ledger/tx.h"

#define GENESIS_VERSION 1u

static bool chain_id_ok(struct bytes id)
{
	if (id.n == 0 || id.n > LEDGER_CHAIN_ID_BYTES)
		return false;
	for (size_t i = 0; i < id.n; i++) {
		uint8_t c = id.p[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') &&
		    c != '-')
			return false;
	}
	return true;
}

static enum reason check_accounts(const struct ledger_genesis *g)
{
	struct coin sum = COIN_ZERO;

	if (g->account_count > LEDGER_GENESIS_ACCOUNTS_MAX)
		return REASON_too_large;
	for (uint32_t i = 0; i < g->account_count; i++) {
		int order = i == 0 ? -1
				   : memcmp(g->accounts[i - 1].account.b,
					    g->accounts[i].account.b, 32);

		if (order == 0)
			return REASON_duplicate;
		if (order > 0)
			return REASON_bad_value;
		if (!coin_add(sum, g->accounts[i].balance, &sum))
			return REASON_overflow;
	}
	return REASON_none;
}

static enum reason check_validators(const struct ledger_genesis *g)
{
	uint64_t sum = 0;

	if (g->validator_count == 0 ||
	    g->validator_count > LEDGER_VALIDATORS_MAX)
		return REASON_bad_value;
	for (uint32_t i = 0; i < g->validator_count; i++) {
		const struct ledger_validator *v = &g->validators[i];
		int order = i == 0 ? -1 : memcmp(v[-1].key32, v->key32, 32);

		if (order == 0)
			return REASON_duplicate;
		if (order > 0 || v->power == 0)
			return REASON_bad_value;
		/* What an engine and 3 * sum must be able to hold. */
		if (!u64_add(sum, v->power, &sum) || sum > INT64_MAX / 8)
			return REASON_overflow;
	}
	return REASON_none;
}

enum err ledger_genesis_check(const struct ledger_genesis *g,
			      enum reason *reterr_why)
{
	enum reason why = REASON_none;

	if (!chain_id_ok(g->chain_id))
		why = REASON_bad_value;
	if (why == REASON_none)
		why = check_accounts(g);
	if (why == REASON_none)
		why = check_validators(g);
	if (why == REASON_none)
		return ERR_OK;
	*reterr_why = why;
	return ERR_REFUSED;
}

void ledger_genesis_encode(const struct ledger_genesis *g, struct buf *out)
{
	enc_array(out, 6);
	enc_uint(out, GENESIS_VERSION);
	enc_str(out, g->chain_id);
	enc_uint(out, g->time_ms);
	ledger_params_encode(&g->params, out);
	enc_array(out, g->account_count);
	for (uint32_t i = 0; i < g->account_count; i++) {
		enc_array(out, 2);
		enc_pubkey(out, &g->accounts[i].account);
		enc_coin(out, g->accounts[i].balance);
	}
	enc_array(out, g->validator_count);
	for (uint32_t i = 0; i < g->validator_count; i++) {
		const struct ledger_validator *v = &g->validators[i];

		enc_array(out, 4);
		enc_bin(out, bytes_of(v->key32, 32));
		enc_bin(out, bytes_of(v->vrf.b, 32));
		enc_pubkey(out, &v->account);
		enc_uint(out, v->power);
	}
}

static enum err decode_accounts(struct arena *a, struct dec *d,
				struct ledger_genesis *g)
{
	struct ledger_genesis_account *list;

	g->account_count = dec_array(d, LEDGER_GENESIS_ACCOUNTS_MAX);
	if (d->err == ERR_OK && g->account_count > d->in.n / 35)
		dec_fail(d, ERR_MALFORMED);
	if (d->err != ERR_OK)
		return ERR_OK;
	list = ARENA_ARRAY(a, (size_t)g->account_count + 1,
			   struct ledger_genesis_account);
	if (!list)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < g->account_count; i++) {
		dec_array_exact(d, 2);
		list[i].account = dec_pubkey(d);
		list[i].balance = dec_coin(d);
	}
	g->accounts = list;
	return ERR_OK;
}

static enum err decode_validators(struct arena *a, struct dec *d,
				  struct ledger_genesis *g)
{
	struct ledger_validator *list;

	g->validator_count = dec_array(d, LEDGER_VALIDATORS_MAX);
	list = ARENA_ARRAY(a, (size_t)g->validator_count + 1,
			   struct ledger_validator);
	if (!list)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < g->validator_count; i++) {
		dec_array_exact(d, 4);
		dec_bin_exact(d, list[i].key32, 32);
		dec_bin_exact(d, list[i].vrf.b, 32);
		list[i].account = dec_pubkey(d);
		list[i].power = dec_uint(d, UINT64_MAX);
	}
	g->validators = list;
	return ERR_OK;
}

enum err ledger_genesis_decode(struct arena *a, struct bytes in,
			       struct ledger_genesis *ret_genesis)
{
	struct dec d = dec_make(in);
	struct ledger_genesis g = {0};
	enum reason why;
	enum err e;

	dec_array_exact(&d, 6);
	if (dec_uint(&d, UINT64_MAX) != GENESIS_VERSION)
		dec_fail(&d, ERR_MALFORMED);
	g.chain_id = dec_str(&d, LEDGER_CHAIN_ID_BYTES);
	g.time_ms = dec_uint(&d, UINT64_MAX);
	if (ledger_params_decode(dec_raw(&d), &g.params) != ERR_OK)
		return ERR_REFUSED;
	e = decode_accounts(a, &d, &g);
	if (e == ERR_OK)
		e = decode_validators(a, &d, &g);
	if (e != ERR_OK)
		return e;
	if (dec_end(&d) != ERR_OK)
		return ERR_REFUSED;
	e = ledger_genesis_check(&g, &why);
	if (e == ERR_OK)
		*ret_genesis = g;
	return e;
}

enum err ledger_genesis_hash(const struct ledger_genesis *g,
			     struct hash *ret_hash)
{
	struct buf b = buf_make(LEDGER_GENESIS_BYTES_MAX);
	enum err e;

	ledger_genesis_encode(g, &b);
	e = b.err;
	if (e == ERR_OK)
		*ret_hash = sha256_tagged("weft/genesis", b.p, b.n);
	buf_free(&b);
	return e;
}
