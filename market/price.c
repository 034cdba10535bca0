/*
 * Amounts.  Everything that a buyer pays is rounded up, everything that a
 * limit allows is rounded down; products are taken in 128 bits (base/coin).
 */
#include "market/price.h"

#define GOP 1000000000u
#define PPM 1000000u
#define KIB 1024u

enum err market_task_price(uint64_t ops_per_task, struct coin gop_price,
			   struct coin *ret_price)
{
	return coin_scale_up(gop_price, ops_per_task, GOP, ret_price)
		       ? ERR_OK
		       : ERR_OVERFLOW;
}

uint32_t market_sample_count(const struct ledger_params *p,
			     const struct market_work *w, uint32_t asked)
{
	uint64_t n = asked > 0 ? asked : p->samples;
	uint64_t fit;

	if (w->cta_open_max == 0)
		return (uint32_t)n;
	fit = p->samples_open_bytes / w->cta_open_max;
	if (fit < p->samples_min)
		fit = p->samples_min;
	return (uint32_t)(fit < n ? fit : n);
}

enum err market_audit_cost(const struct ledger_params *p,
			   const struct market_work *w, uint32_t sample_count,
			   struct coin median, struct coin *ret_cost)
{
	uint64_t ops, bytes, kib, kib_picks;
	struct coin work;

	if (!u64_mul(w->sample_ops, sample_count, &ops) ||
	    !u64_mul(w->cta_open_max, sample_count, &bytes) ||
	    !u64_muldiv_up(bytes, 1, KIB, &kib) ||
	    !u64_mul(kib, p->audit_per_kib_picks, &kib_picks) ||
	    !coin_mul(median, p->audit_gop_factor, &work) ||
	    !coin_scale_up(work, ops, GOP, &work) ||
	    !coin_add(work, coin_picks(kib_picks), &work) ||
	    !coin_add(work, coin_picks(p->audit_base_picks), ret_cost))
		return ERR_OVERFLOW;
	return ERR_OK;
}

enum err market_check_fee(const struct ledger_params *p, struct coin price,
			  uint64_t audit_p, struct coin cost,
			  struct coin *ret_fee)
{
	struct coin share, table;

	if (!coin_scale_up(price, p->check_share_ppm, PPM, &share) ||
	    !coin_scale_up(cost, p->check_table_ppm, PPM, &table) ||
	    !coin_scale_up(table, audit_p, MARKET_CERTAIN, &table))
		return ERR_OVERFLOW;
	*ret_fee = coin_max(coin_max(share, table),
			    coin_picks(p->check_min_picks));
	return ERR_OK;
}

enum err market_check_fee_task(const struct ledger_params *p,
			       const struct market_job_terms *t,
			       struct coin audit_cost, struct coin *ret_fee)
{
	struct coin task, price, fee;
	enum err e;

	e = market_task_price(t->work.ops_per_task, t->gop_price_max, &task);
	if (e != ERR_OK)
		return e;
	if (!coin_mul(task, t->lease_tasks_min, &price))
		return ERR_OVERFLOW;
	e = market_check_fee(p, price, MARKET_CERTAIN, audit_cost, &fee);
	if (e != ERR_OK)
		return e;
	return coin_scale_up(fee, 1, t->lease_tasks_min, ret_fee)
		       ? ERR_OK
		       : ERR_OVERFLOW;
}

enum err market_escrow(const struct ledger_params *p,
		       const struct market_job_terms *t,
		       struct coin check_fee_task, struct coin *ret_escrow)
{
	struct coin task, sum;
	enum err e;

	e = market_task_price(t->work.ops_per_task, t->gop_price_max, &task);
	if (e != ERR_OK)
		return e;
	if (!coin_add(task, check_fee_task, &sum) ||
	    !coin_mul(sum, t->task_count, &sum) ||
	    !coin_add(sum, coin_picks(p->posting_picks), ret_escrow))
		return ERR_OVERFLOW;
	return ERR_OK;
}

uint64_t market_audit_p(const struct ledger_params *p, uint32_t cv,
			struct coin price, struct coin bond)
{
	struct coin stake;
	uint64_t by_cv, by_price, floor_p;

	if (cv < p->newcomer_cv || cv == 0 ||
	    !coin_mul(price, p->audit_bond_factor, &stake) ||
	    coin_cmp(stake, bond) >= 0)
		return MARKET_CERTAIN;
	by_cv = MARKET_CERTAIN / cv;
	floor_p = MARKET_CERTAIN / p->audit_one_in_max;
	if (!u64_muldiv_up(coin_raw(stake), MARKET_CERTAIN, coin_raw(bond),
			   &by_price))
		return MARKET_CERTAIN;
	if (by_cv < floor_p)
		by_cv = floor_p;
	return by_cv > by_price ? by_cv : by_price;
}

struct coin market_penalty(const struct ledger_params *p, struct coin price,
			   uint64_t audit_p, struct coin bond)
{
	struct coin want;

	if (!coin_mul(price, p->audit_bond_factor, &want) ||
	    !coin_scale(want, MARKET_CERTAIN, audit_p, &want))
		return bond;
	return coin_min(want, bond);
}

uint64_t market_lease_seconds(const struct ledger_params *p, uint32_t cv)
{
	uint64_t s = p->lease_seconds_min;
	uint64_t steps = cv / p->lease_seconds_cv;

	while (steps-- > 0 && s < p->lease_seconds_max)
		s *= 2;
	return s < p->lease_seconds_max ? s : p->lease_seconds_max;
}

uint64_t market_expected_blocks(const struct ledger_params *p, uint64_t ops,
				uint64_t rate)
{
	uint64_t ms, blocks;

	if (!u64_muldiv_up(ops, 1000, rate, &ms))
		return p->job_blocks_max;
	blocks = ms / p->block_ms + (ms % p->block_ms != 0);
	if (blocks > p->job_blocks_max)
		return p->job_blocks_max;
	return blocks > 0 ? blocks : 1;
}
