/*
 * The chain is the real one, with real signatures and beacons; only the
 * engine is missing: blocks are put together here.
 */
#define _GNU_SOURCE
#include "tests/market/world.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/must.h"

static enum err audit_decode(struct arena *a, struct bytes body,
			     void **ret_body, enum reason *reterr_why UNUSED)
{
	struct audit {
		uint64_t op, a;
		struct hash lease;
	} *x = arena_alloc(a, sizeof(*x), 8);
	struct dec d = dec_make(body);

	dec_array_exact(&d, 3);
	x->op = dec_uint(&d, WORLD_AUDITS - 1);
	x->lease = dec_hash(&d);
	x->a = dec_uint(&d, UINT64_MAX);
	*ret_body = x;
	return dec_end(&d);
}

static enum err audit_apply(struct ledger *l, const void *body)
{
	const struct audit {
		uint64_t op, a;
		struct hash lease;
	} *x = body;
	struct market_ruling r = {true, true, l->sender, coin_picks(x->a)};
	struct market_lease lease;
	struct hash prior = HASH_ZERO;
	struct coin penalty;

	prior.b[0] = (uint8_t)x->a;
	prior.b[1] = 1;
	switch ((enum world_audit)x->op) {
	case WORLD_PASSED:
		return market_lease_passed(l, &x->lease);
	case WORLD_DRAWN:
		return market_lease_drawn(l, &x->lease);
	case WORLD_VALID:
		return market_lease_audited(l, &x->lease);
	case WORLD_UNCHECKED:
		return market_lease_unchecked(l, &x->lease);
	case WORLD_FRAUD_CHOSEN:
		r.seed_drawn = false;
		return market_lease_refuted(l, &x->lease, REASON_refuted, &r,
					    &penalty);
	case WORLD_FRAUD:
		return market_lease_refuted(l, &x->lease, REASON_refuted, &r,
					    &penalty);
	case WORLD_UNAVAILABLE:
		return market_lease_refuted(
			l, &x->lease, REASON_opening_unavailable, &r, &penalty);
	case WORLD_VOID:
		return market_lease_void(l, &x->lease, &prior, false);
	case WORLD_VOID_START:
		return market_lease_void(l, &x->lease, &prior, true);
	case WORLD_HOLD:
		return market_lease_hold(l, &x->lease, x->a);
	case WORLD_COUNTED: {
		enum err e = market_lease_get(l, &x->lease, &lease);

		return e == ERR_OK
			       ? market_job_counted(l, &lease.job, x->a, 1000)
			       : e;
	}
	case WORLD_AUDITS:
		break;
	}
	return ERR_REFUSED;
}

static const struct ledger_kind audit_kind[] = {
	{WORLD_KIND_AUDIT, "test.audit", 0, false, false, audit_decode, NULL,
	 audit_apply},
};

struct ledger_params world_params_small(void)
{
	struct ledger_params p = ledger_params_default();

	p.accept_blocks = 4;
	p.commit_blocks_min = 6;
	p.lapse_close_blocks = 3;
	p.challenge_blocks = 8;
	p.life_blocks = 30;
	p.bond_return_blocks = 40;
	p.match_backoff_max = 3;
	return p;
}

struct world *world_new(const struct ledger_params *params)
{
	static const struct ledger_rows rows[2] = {
		{market_kinds, 14, market_hooks, 7},
		{audit_kind, 1, NULL, 0},
	};
	struct rig_options o = {.rows = rows,
				.row_count = 2,
				.params = params,
				.actor_count = WORLD_ACCOUNTS,
				.balance_picks = WORLD_FUNDS};
	struct world *w = calloc(1, sizeof(*w));

	must(w != NULL);
	/* The same blocks on the other store: contrib/same-roots. */
	if (getenv("WEFT_STORE_DIR")) {
		snprintf(w->dir, sizeof(w->dir), "%s/world-XXXXXX",
			 getenv("WEFT_STORE_DIR"));
		must(mkdtemp(w->dir) != NULL);
		o.lmdb_path = w->dir;
		o.lmdb_no_sync = true;
	}
	must(market_kind_count == 14 && market_hook_count == 7);
	rig_open(&w->rig, &o);
	w->pk = w->rig.keys;
	return w;
}

void world_free(struct world *w)
{
	rig_close(&w->rig);
	free(w);
}

struct hash world_add(struct world *w, uint32_t who, uint32_t kind,
		      struct buf *body)
{
	struct bytes tx;

	must(w->tx_count < WORLD_TXS_MAX && body->err == ERR_OK);
	tx = rig_tx(&w->rig, who, kind, buf_bytes(body));
	buf_free(body);
	w->txs[w->tx_count++] = tx;
	return ledger_tx_id(tx);
}

void world_block(struct world *w)
{
	const struct ledger_outcome *out = &w->rig.outcome;
	uint32_t i;

	rig_block(&w->rig, w->txs, w->tx_count);
	for (i = 0; i < w->tx_count; i++)
		w->reasons[i] = out->results[i + 1].reason;
	cr_assert_eq(out->hook_refusals, 0, "a hook was refused at %llu",
		     (unsigned long long)out->height);
	w->height = out->height;
	w->is_live = out->is_live;
	w->tx_count = 0;
	if (!w->skip_checks)
		world_check(w);
}

enum reason world_send(struct world *w, uint32_t who, uint32_t kind,
		       struct buf *body, struct hash *ret_id)
{
	struct hash id = world_add(w, who, kind, body);

	world_block(w);
	if (ret_id != NULL)
		*ret_id = id;
	return w->reasons[0];
}

void world_until(struct world *w, uint64_t height)
{
	while (w->height < height)
		world_block(w);
}

static struct ledger *view(struct world *w)
{
	struct ledger *l = NULL;

	must(ledger_chain_view(w->rig.chain, &l) == ERR_OK);
	return l;
}

#define WORLD_GET(type, name, id_type)                                \
	struct type world_##name(struct world *w, const id_type *id)  \
	{                                                             \
		struct type x;                                        \
		struct ledger *l = view(w);                           \
                                                                      \
		cr_assert_eq(market_##name##_get(l, id, &x), ERR_OK); \
		ledger_chain_view_end(l);                             \
		return x;                                             \
	}
WORLD_GET(market_job, job, struct hash)
WORLD_GET(market_offer, offer, struct hash)
WORLD_GET(market_lease, lease, struct hash)

struct market_provider world_provider(struct world *w, uint32_t who)
{
	struct market_provider p;
	struct ledger *l = view(w);

	must(market_provider_get(l, &w->pk[who], &p) == ERR_OK);
	ledger_chain_view_end(l);
	return p;
}

struct coin world_balance(struct world *w, uint32_t who)
{
	struct coin c;
	struct ledger *l = view(w);

	must(ledger_balance(l, &w->pk[who], &c) == ERR_OK);
	ledger_chain_view_end(l);
	return c;
}

struct coin world_bond(struct world *w, uint32_t who)
{
	struct coin c;
	struct ledger *l = view(w);

	must(market_bond(l, &w->pk[who], &c) == ERR_OK);
	ledger_chain_view_end(l);
	return c;
}

struct coin world_pool(struct world *w)
{
	struct coin c;
	struct ledger *l = view(w);

	must(ledger_pool_get(l, LEDGER_POOL_AUDIT, &c) == ERR_OK);
	ledger_chain_view_end(l);
	return c;
}

static bool is_before(const struct market_lease *a,
		      const struct market_lease *b)
{
	if (a->open_height != b->open_height)
		return a->open_height < b->open_height;
	return a->first < b->first;
}

bool world_lease_of(struct world *w, const struct hash *job, uint32_t n,
		    struct market_lease *ret_lease)
{
	struct ledger *l = view(w);
	struct market_lease v[64], x;
	uint32_t count = 0, i;
	bool first = true;
	struct hash after;

	while (market_lease_next_of_job(l, job, first ? NULL : &after, &x) ==
	       ERR_OK) {
		first = false;
		after = x.id;
		must(count < 64);
		for (i = count++; i > 0 && is_before(&x, &v[i - 1]); i--)
			v[i] = v[i - 1];
		v[i] = x;
	}
	ledger_chain_view_end(l);
	if (n < count)
		*ret_lease = v[n];
	return n < count;
}

static void check_job(struct ledger *l, const struct market_job *j)
{
	struct ledger_lock_id id = {j->buyer, LEDGER_PURPOSE_escrow, j->id};
	struct ledger_lock lock;
	struct market_lease x;
	struct hash after = HASH_ZERO;
	uint64_t reserved = 0, in_lease = 0, committed = 0, live = 0, done = 0;
	bool first = true;
	uint32_t at = 0, count, free_tasks = 0, ranges = 0;

	must(ledger_lock_get(l, &id, &lock) == ERR_OK);
	cr_assert_eq(coin_raw(lock.amount),
		     coin_raw(j->escrow) + coin_raw(j->reserved));
	while (market_lease_next_of_job(l, &j->id, first ? NULL : &after, &x) ==
	       ERR_OK) {
		first = false;
		after = x.id;
		if (market_lease_is_final(x.state)) {
			done += coin_is_zero(x.paid) ? 0 : x.done;
			continue;
		}
		live++;
		reserved += coin_raw(x.price) + coin_raw(x.check_fee);
		if (x.commit_height == 0)
			in_lease += x.count;
		else
			committed += x.done;
	}
	cr_assert_eq(coin_raw(j->reserved), reserved);
	cr_assert_eq(j->in_lease_count, in_lease);
	cr_assert_eq(j->committed_count, committed);
	cr_assert_eq(j->done_count, done, "a task was paid twice or not");
	cr_assert_eq(j->live_leases, live);
	if (j->state == MARKET_JOB_ENDED) {
		cr_assert_eq(coin_raw(lock.amount), 0);
		return;
	}
	while (market_job_free_next(l, &j->id, at, &at, &count) == ERR_OK) {
		free_tasks += count;
		at += count;
		ranges++;
	}
	cr_assert_eq(j->free_count, free_tasks);
	cr_assert_eq(j->free_ranges, ranges);
	cr_assert_eq(j->free_count + j->in_lease_count + j->committed_count +
			     j->done_count + j->quarantined_count,
		     j->terms.task_count);
}

void world_check(struct world *w)
{
	struct ledger *l = view(w);
	struct market_job j;
	struct hash after;
	bool first = true;
	uint64_t holds, open_jobs = 0;
	uint32_t i;

	while (market_job_next_any(l, first ? NULL : &after, &j) == ERR_OK) {
		first = false;
		after = j.id;
		open_jobs += j.state != MARKET_JOB_ENDED;
		check_job(l, &j);
	}
	must(ledger_clock(l, &holds) == ERR_OK);
	cr_assert_eq(holds, open_jobs);
	for (i = 0; i < WORLD_ACCOUNTS; i++) {
		struct market_provider p;
		struct market_lease x;
		uint64_t live = 0, exposure = 0;

		must(market_provider_get(l, &w->pk[i], &p) == ERR_OK);
		first = true;
		while (market_lease_next_live(l, &w->pk[i],
					      first ? NULL : &after,
					      &x) == ERR_OK) {
			first = false;
			after = x.id;
			live++;
			exposure += coin_raw(x.price);
		}
		cr_assert_eq(p.live_leases, live);
		cr_assert_eq(coin_raw(p.exposure), exposure);
	}
	ledger_chain_view_end(l);
}

uint64_t world_heavy(void)
{
	const char *s = getenv("WEFT_HEAVY");
	uint64_t v = s != NULL ? strtoull(s, NULL, 10) : 1;

	return v > 0 ? v : 1;
}
