/*
 * Index keys are made from the records alone, so that a record always tells
 * which key is there: terms in a key change only while the key is not.
 */
#include "market/priv/index.h"
#include "ledger/queue.h"
#include "market/kinds.h"
#include "market/priv/store.h"

uint32_t market_sm_ceiling(uint32_t sm)
{
	uint32_t i, n = market_sm_bucket_count();

	for (i = 0; i + 1 < n && market_sm_bucket(i) < sm; i++)
		;
	return market_sm_bucket(i);
}

uint32_t market_job_sm(const struct market_job *j)
{
	uint32_t own = j->terms.work.sm_min, want = j->terms.want_sm_min;

	return market_sm_ceiling(own > want ? own : want);
}

struct ledger_key market_key_jobs(uint8_t prefix, enum market_want want,
				  uint32_t sm)
{
	struct ledger_key k = ledger_key(prefix);

	key_u8(&k, (uint8_t)want);
	key_u32(&k, sm);
	return k;
}

struct ledger_key market_key_offers(enum market_device device, uint32_t sm)
{
	struct ledger_key k = ledger_key(MARKET_PREFIX_OFFER_BOOK);

	key_u8(&k, (uint8_t)device);
	key_u32(&k, sm);
	return k;
}

static struct ledger_key job_key(const struct market_job *j, uint8_t prefix)
{
	struct ledger_key k =
		market_key_jobs(prefix, j->terms.want, market_job_sm(j));

	key_u64_down(&k, coin_raw(j->terms.gop_price_max));
	key_u64(&k, j->posted_height);
	key_hash(&k, &j->id);
	return k;
}

static struct ledger_key offer_key(const struct market_offer *o)
{
	struct ledger_key k = market_key_offers(o->terms.device, o->terms.sm);

	key_u64(&k, coin_raw(o->terms.gop_price));
	key_u32(&k, ~o->index_record);
	key_hash(&k, &o->id);
	return k;
}

enum err market_job_unplace(struct ledger *l, struct market_job *j)
{
	struct ledger_key k;
	enum err e = ERR_OK;

	if (j->index == MARKET_JOB_NOWHERE)
		return ERR_OK;
	if (j->index == MARKET_JOB_WAITING)
		e = ledger_queue_remove(l, MARKET_QUEUE_RETRY, j->retry_height,
					&j->id);
	if (e != ERR_OK)
		return e;
	k = job_key(j, j->index == MARKET_JOB_READY ? MARKET_PREFIX_READY
						    : MARKET_PREFIX_WAITING);
	j->index = MARKET_JOB_NOWHERE;
	j->retry_height = 0;
	return market_unmark(l, &k);
}

static enum err ready(struct ledger *l, struct market_job *j)
{
	struct ledger_key k = job_key(j, MARKET_PREFIX_READY);

	j->index = MARKET_JOB_READY;
	return market_mark(l, &k);
}

enum err market_job_place(struct ledger *l, struct market_job *j)
{
	bool matchable = j->state == MARKET_JOB_OPEN && j->free_count > 0 &&
			 l->height >= j->terms.not_before_height;

	if (!matchable)
		return market_job_unplace(l, j);
	if (j->index == MARKET_JOB_NOWHERE)
		return ready(l, j);
	return ERR_OK;
}

enum err market_job_back_off(struct ledger *l, struct market_job *j)
{
	struct ledger_key k;
	enum err e = market_job_unplace(l, j);

	if (e != ERR_OK)
		return e;
	j->retry_height = l->height + (1ull << j->backoff);
	if (j->backoff < l->params->match_backoff_max)
		j->backoff++;
	j->index = MARKET_JOB_WAITING;
	k = job_key(j, MARKET_PREFIX_WAITING);
	e = market_mark(l, &k);
	if (e != ERR_OK)
		return e;
	return ledger_queue_add(l, MARKET_QUEUE_RETRY, j->retry_height, &j->id);
}

enum err market_job_wake(struct ledger *l, struct market_job *j)
{
	enum err e;

	if (j->index != MARKET_JOB_WAITING)
		return ERR_OK;
	e = market_job_unplace(l, j);
	return e == ERR_OK ? market_job_place(l, j) : e;
}

enum err market_offer_unplace(struct ledger *l, struct market_offer *o)
{
	struct ledger_key k = offer_key(o);

	if (!o->indexed)
		return ERR_OK;
	o->indexed = false;
	return market_unmark(l, &k);
}

enum err market_offer_place(struct ledger *l, struct market_offer *o,
			    const struct market_provider *owner)
{
	struct market_device_record d;
	struct ledger_key k;
	enum err e = market_offer_unplace(l, o);

	if (e != ERR_OK)
		return e;
	if (!o->withdrawn && o->closed_until > l->height) {
		e = ledger_queue_add(l, MARKET_QUEUE_OFFER, o->closed_until,
				     &o->id);
		if (e != ERR_OK)
			return e;
	}
	if (!market_offer_stands(o, l->height) ||
	    o->used_slots >= o->terms.slots)
		return ERR_OK;
	e = market_device_get(l, &o->owner, o->terms.device_index, &d);
	if (e != ERR_OK)
		return e;
	o->index_record = market_record(l->params, owner, market_cv(owner, &d));
	o->indexed = true;
	k = offer_key(o);
	e = market_mark(l, &k);
	if (e != ERR_OK)
		return e;
	k = ledger_key(MARKET_PREFIX_CHANGED);
	key_u8(&k, (uint8_t)o->terms.device);
	key_u32(&k, o->terms.sm);
	return market_mark(l, &k);
}
