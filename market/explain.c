/*
 * The answers of market_fit, counted, and the order book's two sides.
 */
#include <string.h>

#include "ledger/state.h"
#include "market/explain.h"
#include "market/priv/store.h"

/* Count how the two fit. */
static enum err tally(struct ledger *l, const struct market_job *j,
		      const struct market_offer *o,
		      const struct market_provider *p, uint32_t *counts)
{
	struct market_fit fit;
	enum market_misfit why;
	enum err e = market_fit(l, j, o, p, &why, &fit);

	if (e == ERR_OVERFLOW)
		why = MARKET_MISFIT_price;
	else if (e != ERR_OK)
		return e;
	counts[why]++;
	return ERR_OK;
}

enum err market_job_explain(struct ledger *l, const struct hash *job,
			    uint32_t most, uint32_t *ret_counts)
{
	struct market_job j;
	struct market_offer o;
	struct market_provider p;
	enum err e = market_job_get(l, job, &j);
	uint32_t n;

	memset(ret_counts, 0, MARKET_MISFIT_COUNT * sizeof(*ret_counts));
	o.id = HASH_ZERO;
	for (n = 0; e == ERR_OK && n < most; n++) {
		struct hash after = o.id;

		e = market_offer_next_any(l, n > 0 ? &after : NULL, &o);
		if (e == ERR_NOT_FOUND)
			return ERR_OK;
		if (e != ERR_OK || o.withdrawn)
			continue;
		e = market_provider_get(l, &o.owner, &p);
		if (e == ERR_OK)
			e = tally(l, &j, &o, &p, ret_counts);
	}
	return e;
}

enum err market_offer_explain(struct ledger *l, const struct hash *offer,
			      uint32_t most, uint32_t *ret_counts)
{
	struct market_job j;
	struct market_offer o;
	struct market_provider p;
	enum err e = market_offer_get(l, offer, &o);
	uint32_t n;

	memset(ret_counts, 0, MARKET_MISFIT_COUNT * sizeof(*ret_counts));
	if (e == ERR_OK)
		e = market_provider_get(l, &o.owner, &p);
	j.id = HASH_ZERO;
	for (n = 0; e == ERR_OK && n < most; n++) {
		struct hash after = j.id;

		e = market_job_next_any(l, n > 0 ? &after : NULL, &j);
		if (e == ERR_NOT_FOUND)
			return ERR_OK;
		if (e == ERR_OK && j.state != MARKET_JOB_ENDED)
			e = tally(l, &j, &o, &p, ret_counts);
	}
	return e;
}

/* The next key of an index behind *at; *at is moved there. */
static enum err next_entry(struct ledger *l, uint8_t prefix, bool first,
			   struct ledger_key *at, struct hash *ret_id)
{
	struct ledger_key p = ledger_key(prefix), from = *at;
	struct bytes v;
	enum err e = ledger_scan(l, &p, first ? NULL : &from, !first, at, &v);

	if (e == ERR_OK)
		*ret_id = market_key_tail(at);
	return e;
}

enum err market_book_offers(struct ledger *l, uint32_t most,
			    void (*each)(void *ctx,
					 const struct market_offer *o),
			    void *ctx)
{
	struct ledger_key at = {0};
	struct market_offer o;
	struct hash id;
	uint32_t n;
	enum err e;

	for (n = 0; n < most; n++) {
		e = next_entry(l, MARKET_PREFIX_OFFER_BOOK, n == 0, &at, &id);
		if (e == ERR_NOT_FOUND)
			return ERR_OK;
		if (e == ERR_OK)
			e = market_offer_get(l, &id, &o);
		if (e != ERR_OK)
			return e;
		each(ctx, &o);
	}
	return ERR_OK;
}

static enum err book_jobs(struct ledger *l, uint8_t prefix, uint32_t most,
			  void (*each)(void *ctx, const struct market_job *j),
			  void *ctx, uint32_t *ret_n)
{
	struct ledger_key at = {0};
	struct market_job j;
	struct hash id;
	uint32_t n;
	enum err e;

	for (n = 0; n < most; n++) {
		e = next_entry(l, prefix, n == 0, &at, &id);
		if (e == ERR_NOT_FOUND)
			break;
		if (e == ERR_OK)
			e = market_job_get(l, &id, &j);
		if (e != ERR_OK)
			return e;
		each(ctx, &j);
	}
	*ret_n = n;
	return ERR_OK;
}

enum err market_book_jobs(struct ledger *l, uint32_t most,
			  void (*each)(void *ctx, const struct market_job *j),
			  void *ctx)
{
	uint32_t n = 0;
	enum err e;

	e = book_jobs(l, MARKET_PREFIX_READY, most, each, ctx, &n);
	if (e != ERR_OK)
		return e;
	return book_jobs(l, MARKET_PREFIX_WAITING, most - n, each, ctx, &n);
}
