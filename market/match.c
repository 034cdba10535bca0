/*
 * Matching.  A job walks through the offers of every bucket that may serve
 * it, merged by price, and takes what fits; a job that took nothing leaves
 * the list for a while.  All orders are orders of keys, so two nodes make the
 * same leases.
 */
#include <string.h>

#include "market/kinds.h"
#include "market/priv/flow.h"
#include "market/priv/index.h"
#include "market/priv/match.h"
#include "market/priv/store.h"

#define BUCKETS_MAX 16u

/* What is left of the block's allowance. */
struct budget {
	uint32_t jobs;
	uint32_t leases;
};

/* A walk through one bucket of offers. */
struct cursor {
	struct ledger_key prefix;
	struct ledger_key at;
	bool there;
};

static enum err cursor_next(struct ledger *l, struct cursor *c, bool first)
{
	struct ledger_key from = c->at;
	struct bytes v;
	enum err e;

	e = ledger_scan(l, &c->prefix, first ? NULL : &from, !first, &c->at,
			&v);
	c->there = e == ERR_OK;
	return e == ERR_NOT_FOUND ? ERR_OK : e;
}

/* Cursors over every bucket that may serve the job. */
static enum err cursors_open(struct ledger *l, const struct market_job *j,
			     struct cursor *v, uint32_t *ret_n)
{
	uint32_t i, n = 0;
	enum err e = ERR_OK;

	if (j->terms.want != MARKET_WANT_GPU)
		v[n++].prefix = market_key_offers(MARKET_DEVICE_CPU, 0);
	for (i = 0; i < market_sm_bucket_count() && n < BUCKETS_MAX; i++) {
		if (j->terms.want == MARKET_WANT_CPU ||
		    market_sm_bucket(i) < market_job_sm(j))
			continue;
		v[n++].prefix = market_key_offers(MARKET_DEVICE_GPU,
						  market_sm_bucket(i));
	}
	for (i = 0; i < n && e == ERR_OK; i++)
		e = cursor_next(l, &v[i], true);
	*ret_n = n;
	return e;
}

/* The cheapest of what the cursors stand on: keys behind the bucket. */
static struct cursor *cheapest(struct cursor *v, uint32_t n)
{
	struct cursor *best = NULL;
	uint32_t i;

	for (i = 0; i < n; i++) {
		struct bytes a, b;

		if (!v[i].there)
			continue;
		if (best == NULL) {
			best = &v[i];
			continue;
		}
		a = bytes_skip(key_view(&v[i].at), v[i].prefix.n);
		b = bytes_skip(key_view(&best->at), best->prefix.n);
		if (bytes_cmp(a, b) < 0)
			best = &v[i];
	}
	return best;
}

/* The offers that the job looks at, cheapest first. */
static enum err collect(struct ledger *l, const struct market_job *j,
			struct hash *ret_ids, uint32_t *ret_n)
{
	struct cursor v[BUCKETS_MAX] = {0};
	struct cursor *c;
	uint32_t n, count = 0;
	enum err e = cursors_open(l, j, v, &n);

	while (e == ERR_OK && count < l->params->match_offers_max) {
		c = cheapest(v, n);
		if (c == NULL)
			break;
		ret_ids[count++] = market_key_tail(&c->at);
		e = cursor_next(l, c, false);
	}
	*ret_n = count;
	return e;
}

/* As many leases of this offer as fit now. */
static enum err try_offer(struct ledger *l, struct market_job *j,
			  const struct hash *id, struct budget *b,
			  bool *ret_short)
{
	struct market_offer o;
	struct market_provider p;
	struct market_fit fit;
	enum market_misfit why = MARKET_MISFIT_fits;
	bool made = false;
	enum err e = market_offer_get(l, id, &o);

	if (e == ERR_OK)
		e = market_provider_get(l, &o.owner, &p);
	while (e == ERR_OK && b->leases > 0) {
		e = market_fit(l, j, &o, &p, &why, &fit);
		/* no pair of strangers may stop the whole market */
		if (e == ERR_OVERFLOW) {
			e = ERR_OK;
			why = MARKET_MISFIT_price;
		}
		if (e != ERR_OK || why != MARKET_MISFIT_fits)
			break;
		e = market_deal_open(l, j, &o, &p, &fit);
		b->leases--;
		made = true;
	}
	*ret_short = *ret_short || why == MARKET_MISFIT_funds;
	if (e != ERR_OK)
		return e;
	if (made) {
		e = market_offer_place(l, &o, &p);
		if (e == ERR_OK)
			e = market_offer_save(l, &o);
		if (e == ERR_OK)
			e = market_provider_save(l, &o.owner, &p);
		return e;
	}
	/* one that ran out leaves the book when somebody sees it */
	if (why == MARKET_MISFIT_expired) {
		e = market_offer_unplace(l, &o);
		if (e == ERR_OK)
			e = market_offer_save(l, &o);
	}
	return e;
}

/* PREFER_SOON: fastest first; stable, so that price decides among equals. */
static enum err sort_by_rate(struct ledger *l, struct hash *ids, uint32_t n)
{
	struct market_offer o;
	uint64_t rates[1024];
	uint32_t i, k;
	enum err e;

	for (i = 0; i < n; i++) {
		struct hash id = ids[i];
		uint64_t rate;

		e = market_offer_get(l, &id, &o);
		if (e != ERR_OK)
			return e;
		rate = o.terms.rate;
		for (k = i; k > 0 && rates[k - 1] < rate; k--) {
			rates[k] = rates[k - 1];
			ids[k] = ids[k - 1];
		}
		rates[k] = rate;
		ids[k] = id;
	}
	return ERR_OK;
}

static enum err match_job(struct ledger *l, const struct hash *id,
			  struct budget *b)
{
	struct market_job j;
	struct hash ids[1024]; /* match_offers_max's own maximum */
	uint32_t i, n = 0, before;
	bool is_short = false;
	enum err e = market_job_get(l, id, &j);

	if (e != ERR_OK)
		return e;
	before = j.live_leases;
	e = collect(l, &j, ids, &n);
	if (e == ERR_OK && j.terms.prefer == MARKET_PREFER_SOON)
		e = sort_by_rate(l, ids, n);
	for (i = 0; e == ERR_OK && i < n; i++) {
		if (j.free_count == 0 || b->leases == 0)
			break;
		e = try_offer(l, &j, &ids[i], b, &is_short);
	}
	if (e != ERR_OK)
		return e;
	if (j.live_leases == before && b->leases > 0) {
		e = is_short ? market_job_pause(l, &j, REASON_out_of_funds)
			     : market_job_back_off(l, &j);
		if (e != ERR_OK)
			return e;
	}
	e = market_job_settle(l, &j);
	return e == ERR_OK ? market_job_save(l, &j) : e;
}

/* Jobs of one bucket, best price first, until it or the budget ends. */
static enum err match_bucket(struct ledger *l, enum market_want want,
			     uint32_t sm, struct budget *b)
{
	struct ledger_key prefix =
		market_key_jobs(MARKET_PREFIX_READY, want, sm);
	struct ledger_key at = {0};
	bool first = true;
	enum err e;

	while (b->jobs > 0 && b->leases > 0) {
		struct ledger_key from = at;
		struct hash id;
		struct bytes v;

		e = ledger_scan(l, &prefix, first ? NULL : &from, !first, &at,
				&v);
		if (e == ERR_NOT_FOUND)
			return ERR_OK;
		if (e != ERR_OK)
			return e;
		first = false;
		b->jobs--;
		id = market_key_tail(&at);
		e = match_job(l, &id, b);
		if (e != ERR_OK)
			return e;
	}
	return ERR_OK;
}

/* Wake at most `left` jobs of one bucket. */
static enum err wake_bucket(struct ledger *l, enum market_want want,
			    uint32_t sm, uint32_t *left)
{
	struct ledger_key prefix =
		market_key_jobs(MARKET_PREFIX_WAITING, want, sm);
	struct market_job j;
	struct ledger_key at;
	struct hash id;
	struct bytes v;
	enum err e;

	while (*left > 0) {
		e = ledger_scan(l, &prefix, NULL, false, &at, &v);
		if (e == ERR_NOT_FOUND)
			return ERR_OK;
		if (e != ERR_OK)
			return e;
		(*left)--;
		id = market_key_tail(&at);
		e = market_job_get(l, &id, &j);
		if (e == ERR_OK)
			e = market_job_wake(l, &j);
		if (e == ERR_OK)
			e = market_job_save(l, &j);
		if (e != ERR_OK)
			return e;
	}
	return ERR_OK;
}

/* Offers of one bucket changed: those who may use it look again. */
static enum err wake(struct ledger *l, enum market_device device, uint32_t sm)
{
	enum market_want own =
		device == MARKET_DEVICE_CPU ? MARKET_WANT_CPU : MARKET_WANT_GPU;
	uint32_t i, left = MARKET_WAKE_MAX;
	enum err e = ERR_OK;

	for (i = 0; i < market_sm_bucket_count() && e == ERR_OK; i++) {
		uint32_t s = market_sm_bucket(i);

		if (device == MARKET_DEVICE_GPU && s > sm)
			break;
		e = wake_bucket(l, own, s, &left);
		if (e == ERR_OK)
			e = wake_bucket(l, MARKET_WANT_ANY, s, &left);
	}
	return e;
}

static enum err wake_changed(struct ledger *l)
{
	struct ledger_key prefix = ledger_key(MARKET_PREFIX_CHANGED), at;
	struct bytes v;
	enum err e;

	for (;;) {
		e = ledger_scan(l, &prefix, NULL, false, &at, &v);
		if (e == ERR_NOT_FOUND)
			return ERR_OK;
		if (e == ERR_OK)
			e = market_unmark(l, &at);
		if (e == ERR_OK)
			e = wake(l, (enum market_device)at.b[1],
				 u32_be(at.b + 2));
		if (e != ERR_OK)
			return e;
	}
}

enum err market_match(struct ledger *l)
{
	struct budget b = {(uint32_t)l->params->match_jobs_max,
			   MARKET_MATCH_LEASES_MAX};
	uint32_t i, at, total = 3 * market_sm_bucket_count();
	enum err e = wake_changed(l);

	for (i = 0; i < total && e == ERR_OK; i++) {
		at = (uint32_t)((l->height + i) % total);
		e = match_bucket(l, (enum market_want)(at % 3),
				 market_sm_bucket(at / 3), &b);
	}
	return e;
}
