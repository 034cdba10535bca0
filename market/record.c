/*
 * Records of participants: encoding, and the numbers that rules derive from
 * them.  Counters saturate nowhere: 64 bits outlive the chain.
 */
#include "market/record.h"
#include "ledger/money.h"
#include "ledger/state.h"
#include "market/priv/codec.h"
#include "market/priv/store.h"

struct coin market_prices_median(const struct market_prices *p,
				 struct coin fallback)
{
	uint32_t i, j, below, upto;

	/* The lower median: the first with at most half before it. */
	for (i = 0; i < p->n; i++) {
		below = 0;
		upto = 0;
		for (j = 0; j < p->n; j++) {
			int c = coin_cmp(p->v[j], p->v[i]);

			below += c < 0;
			upto += c <= 0;
		}
		if (below <= (p->n - 1) / 2 && upto > (p->n - 1) / 2)
			return p->v[i];
	}
	return fallback;
}

void market_prices_put(struct market_prices *p, struct coin price)
{
	p->v[p->at] = price;
	p->at = (p->at + 1) % MARKET_RECENT_PRICES;
	if (p->n < MARKET_RECENT_PRICES)
		p->n++;
}

void market_prices_encode(struct buf *b, const struct market_prices *p)
{
	uint32_t i;

	enc_array(b, 2);
	enc_uint(b, p->at);
	enc_array(b, p->n);
	for (i = 0; i < p->n; i++)
		enc_coin(b, p->v[i]);
}

void market_prices_decode(struct dec *d, struct market_prices *ret_p)
{
	uint32_t i;

	dec_array_exact(d, 2);
	ret_p->at = market_dec_u32(d, MARKET_RECENT_PRICES - 1);
	ret_p->n = dec_array(d, MARKET_RECENT_PRICES);
	for (i = 0; i < ret_p->n && d->err == ERR_OK; i++)
		ret_p->v[i] = dec_coin(d);
}

uint32_t market_cv(const struct market_provider *p,
		   const struct market_device_record *d)
{
	return d->cv_height > p->struck_height ? d->cv : 0;
}

uint32_t market_failures(const struct market_provider *p)
{
	uint32_t i, n = 0;

	for (i = 0; i < MARKET_FAILURES_BITS; i++)
		n += (uint32_t)p->failures[i / 8] >> (i % 8) & 1u;
	return n;
}

void market_provider_ended(struct market_provider *p, bool failed,
			   enum reason why)
{
	uint32_t at = p->failures_at, i;
	uint8_t bit = (uint8_t)(1u << (at % 8));

	p->failures[at / 8] = (uint8_t)(failed ? p->failures[at / 8] | bit
					       : p->failures[at / 8] & ~bit);
	p->failures_at = (at + 1) % MARKET_FAILURES_BITS;
	if (why == REASON_none)
		return;
	for (i = 0; i < p->reason_count; i++) {
		if (p->reasons[i].reason == why) {
			p->reasons[i].count++;
			return;
		}
	}
	if (p->reason_count < MARKET_REASONS_MAX)
		p->reasons[p->reason_count++] =
			(struct market_reason_count){why, 1};
}

uint32_t market_record(const struct ledger_params *params,
		       const struct market_provider *p, uint32_t cv)
{
	uint64_t most = params->record_cv_max;
	uint64_t c = cv < most ? cv : most;

	return (uint32_t)(c * 1000 / (1 + (uint64_t)market_failures(p)));
}

struct coin market_exposure_max(const struct ledger_params *params,
				struct coin bond)
{
	struct coin part;

	if (!coin_scale(bond, params->exposure_bond_ppm, 1000000, &part))
		part = bond;
	return coin_max(part, coin_picks(params->starter_value_picks));
}

enum err market_bond(struct ledger *l, const struct pubkey *account,
		     struct coin *ret_bond)
{
	struct ledger_lock_id id = market_bond_lock(account);
	struct ledger_lock lock;
	enum err e = ledger_lock_get(l, &id, &lock);

	if (e == ERR_OK)
		*ret_bond = lock.amount;
	return e;
}

enum err market_median(struct ledger *l, struct coin *ret_median)
{
	struct market_prices p;
	enum err e = market_prices_load(l, &p);

	if (e == ERR_OK)
		*ret_median = market_prices_median(
			&p, coin_picks(l->params->gop_price_picks));
	return e;
}

void market_provider_encode(struct buf *b, const struct market_provider *p)
{
	uint32_t i;

	market_enc_head(b, 13);
	enc_coin(b, p->bond_target);
	enc_coin(b, p->exposure);
	enc_uint(b, p->live_leases);
	enc_uint(b, p->offers);
	enc_uint(b, p->settled);
	enc_uint(b, p->lapsed);
	enc_uint(b, p->refuted);
	enc_uint(b, p->struck_height);
	enc_uint(b, p->last_settled_height);
	enc_array(b, 2);
	enc_uint(b, p->failures_at);
	enc_bin(b, bytes_of(p->failures, sizeof(p->failures)));
	enc_array(b, p->reason_count);
	for (i = 0; i < p->reason_count; i++) {
		enc_array(b, 2);
		enc_uint(b, p->reasons[i].reason);
		enc_uint(b, p->reasons[i].count);
	}
	market_prices_encode(b, &p->lease_prices);
}

enum err market_provider_decode(struct bytes in, struct market_provider *ret_p)
{
	struct dec d = dec_make(in);
	struct market_provider *p = ret_p;
	uint32_t i;

	*p = (struct market_provider){0};
	market_dec_head(&d, 13);
	p->bond_target = dec_coin(&d);
	p->exposure = dec_coin(&d);
	p->live_leases = market_dec_u32(&d, UINT32_MAX);
	p->offers = market_dec_u32(&d, UINT32_MAX);
	p->settled = dec_uint(&d, UINT64_MAX);
	p->lapsed = dec_uint(&d, UINT64_MAX);
	p->refuted = dec_uint(&d, UINT64_MAX);
	p->struck_height = dec_uint(&d, UINT64_MAX);
	p->last_settled_height = dec_uint(&d, UINT64_MAX);
	dec_array_exact(&d, 2);
	p->failures_at = market_dec_u32(&d, MARKET_FAILURES_BITS - 1);
	dec_bin_exact(&d, p->failures, sizeof(p->failures));
	p->reason_count = dec_array(&d, MARKET_REASONS_MAX);
	for (i = 0; i < p->reason_count && d.err == ERR_OK; i++) {
		dec_array_exact(&d, 2);
		p->reasons[i].reason =
			(enum reason)market_dec_u32(&d, UINT16_MAX);
		p->reasons[i].count = market_dec_u32(&d, UINT32_MAX);
	}
	market_prices_decode(&d, &p->lease_prices);
	return dec_end(&d);
}

void market_device_encode(struct buf *b, const struct market_device_record *x)
{
	market_enc_head(b, 5);
	enc_uint(b, x->cv);
	enc_uint(b, x->cv_height);
	enc_uint(b, x->settled);
	enc_uint(b, x->rate);
}

enum err market_device_decode(struct bytes in,
			      struct market_device_record *ret_d)
{
	struct dec d = dec_make(in);

	market_dec_head(&d, 5);
	ret_d->cv = market_dec_u32(&d, UINT32_MAX);
	ret_d->cv_height = dec_uint(&d, UINT64_MAX);
	ret_d->settled = dec_uint(&d, UINT64_MAX);
	ret_d->rate = dec_uint(&d, UINT64_MAX);
	return dec_end(&d);
}

void market_buyer_encode(struct buf *b, const struct market_buyer *y)
{
	market_enc_head(b, 7);
	enc_uint(b, y->open_jobs);
	enc_uint(b, y->jobs);
	enc_uint(b, y->void_programs);
	enc_uint(b, y->quarantined_tasks);
	enc_uint(b, y->unserved_inputs);
	enc_coin(b, y->spent);
}

enum err market_buyer_decode(struct bytes in, struct market_buyer *ret_y)
{
	struct dec d = dec_make(in);

	market_dec_head(&d, 7);
	ret_y->open_jobs = market_dec_u32(&d, UINT32_MAX);
	ret_y->jobs = dec_uint(&d, UINT64_MAX);
	ret_y->void_programs = dec_uint(&d, UINT64_MAX);
	ret_y->quarantined_tasks = dec_uint(&d, UINT64_MAX);
	ret_y->unserved_inputs = dec_uint(&d, UINT64_MAX);
	ret_y->spent = dec_coin(&d);
	return dec_end(&d);
}
