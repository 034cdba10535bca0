/*
 * Random parties do random things, legal and not, in any order, and then all
 * vanish: money adds up after every block, every task is paid at most once,
 * and within a bounded number of blocks every lease and job has ended and
 * every escrow is empty.
 *
 * WEFT_HEAVY=n runs n times as many sequences (a sequence has about twenty
 * transactions); WEFT_SEED repeats one.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "ledger/account.h"
#include "tests/market/world.h"

#define PARTIES	   4u  /* actors 1..4 do everything */
#define SEQUENCES  50u /* of a plain run */
#define BUSY	   6u  /* blocks of a sequence in which they act */
#define QUIET_MAX  60u /* blocks in which all must have ended afterwards */
#define OBJECTS	   64u
#define LEASES	   24u /* that are looked at in one block */
#define REPLAY_MAX 4096u

struct play {
	struct world *w;
	uint64_t seed;
	struct hash jobs[OBJECTS];
	uint32_t job_count;
	struct hash offers[OBJECTS];
	uint32_t offer_count;
	struct hash leases[LEASES];
	uint32_t lease_count;
	uint8_t replay[REPLAY_MAX]; /* an old transaction */
	size_t replay_n;
	uint64_t sent, taken;
	uint64_t ended[MARKET_LEASE_STATE_COUNT]; /* leases, by their end */
};

static uint64_t draw(struct play *p, uint64_t below)
{
	p->seed = p->seed * 6364136223846793005ull + 1442695040888963407ull;
	return (p->seed >> 33) % below;
}

static struct buf body(void)
{
	return buf_make(32768);
}

static uint32_t party(struct play *p)
{
	return 1 + (uint32_t)draw(p, PARTIES);
}

static struct ledger_params tiny_windows(void)
{
	struct ledger_params q = world_params_small();

	q.accept_blocks = 4;
	q.commit_blocks_min = 4;
	q.challenge_blocks = 3;
	q.life_blocks = 10;
	q.lapse_close_blocks = 2;
	q.newcomer_cv = 2;
	q.underdeclared_ctas_min = 2;
	q.free_ranges_max = 8;
	return q;
}

static void post_job(struct play *p)
{
	struct market_job_terms t = world_job_terms(p->w);
	struct buf b = body();
	struct hash id;

	t.task_count = 1 + (uint32_t)draw(p, 12);
	t.lease_tasks_min = 1 + (uint32_t)draw(p, t.task_count);
	t.work.ops_per_task = 1 + draw(p, 4) * 700000001;
	t.gop_price_max = coin_picks(1 + draw(p, 4) * 500000);
	t.not_before_height = p->w->height + draw(p, 3);
	t.deadline_height = p->w->height + 4 + draw(p, 8);
	t.grace_blocks = (uint32_t)draw(p, 4);
	t.prefer = (enum market_prefer)draw(p, 2);
	if (draw(p, 8) == 0)
		t.want = MARKET_WANT_GPU;
	market_job_terms_encode(&b, &t);
	id = world_add(p->w, party(p), MARKET_KIND_JOB_POST, &b);
	p->jobs[p->job_count++ % OBJECTS] = market_job_id(&id);
}

static struct market_offer_terms offer_terms(struct play *p)
{
	struct market_offer_terms t = world_offer_terms(p->w);

	t.gop_price = coin_picks(1 + draw(p, 4) * 300000);
	t.value_min = coin_picks(draw(p, 2) * 100000);
	t.rate = 1 + draw(p, 3) * 500000000;
	t.slots = (uint32_t)draw(p, 4);
	t.device_index = (uint32_t)draw(p, 2);
	t.until_height = p->w->height + draw(p, 40);
	if (draw(p, 6) == 0) {
		t.device = MARKET_DEVICE_GPU;
		t.sm = 89;
	}
	return t;
}

static void change_offer(struct play *p)
{
	struct market_offer_terms t = offer_terms(p);
	struct buf b = body();
	struct hash id;

	if (p->offer_count == 0 || draw(p, 3) == 0) {
		market_offer_terms_encode(&b, &t);
		id = world_add(p->w, party(p), MARKET_KIND_OFFER_POST, &b);
		p->offers[p->offer_count++ % OBJECTS] = market_offer_id(&id);
		return;
	}
	id = p->offers[draw(p, p->offer_count < OBJECTS ? p->offer_count
							: OBJECTS)];
	if (draw(p, 3) > 0) {
		market_offer_update_encode(&b, &id, &t);
		world_add(p->w, party(p), MARKET_KIND_OFFER_UPDATE, &b);
	} else {
		market_offer_withdraw_encode(&b, &id);
		world_add(p->w, party(p), MARKET_KIND_OFFER_WITHDRAW, &b);
	}
}

static void change_job(struct play *p)
{
	struct buf b = body();
	struct hash id;

	if (p->job_count == 0) {
		post_job(p);
		buf_free(&b);
		return;
	}
	id = p->jobs[draw(p, p->job_count < OBJECTS ? p->job_count : OBJECTS)];
	switch (draw(p, 4)) {
	case 0: {
		struct market_job_top_up x = {id, coin_picks(1 + draw(p, 9))};

		market_job_top_up_encode(&b, &x);
		world_add(p->w, party(p), MARKET_KIND_JOB_TOP_UP, &b);
		return;
	}
	case 1: {
		struct market_job_extend x = {id, p->w->height + draw(p, 14)};

		market_job_extend_encode(&b, &x);
		world_add(p->w, party(p), MARKET_KIND_JOB_EXTEND, &b);
		return;
	}
	case 2: {
		struct market_job_redeclare x = {
			.id = id,
			.work = world_job_terms(p->w).work,
			.gop_price_max = coin_picks(1 + draw(p, 900000))};

		market_job_redeclare_encode(&b, &x);
		world_add(p->w, party(p), MARKET_KIND_JOB_REDECLARE, &b);
		return;
	}
	default: {
		struct market_job_cancel x = {id};

		market_job_cancel_encode(&b, &x);
		world_add(p->w, party(p), MARKET_KIND_JOB_CANCEL, &b);
		return;
	}
	}
}

/* The leases that live; what was remembered of a dead one stays for once. */
static void look(struct play *p)
{
	struct market_lease x;
	struct hash after;
	struct ledger *l = NULL;
	uint32_t who;

	must(ledger_chain_view(p->w->rig.chain, &l) == ERR_OK);
	p->lease_count = p->lease_count > 0 ? 1 : 0;
	for (who = 1; who <= PARTIES; who++) {
		bool first = true;

		while (market_lease_next_live(l, &p->w->pk[who],
					      first ? NULL : &after,
					      &x) == ERR_OK) {
			first = false;
			after = x.id;
			if (p->lease_count < LEASES)
				p->leases[p->lease_count++] = x.id;
		}
	}
	ledger_chain_view_end(l);
}

static uint32_t owner(struct play *p, const struct market_lease *x)
{
	uint32_t who = 1;

	while (who < PARTIES && !pubkey_eq(&p->w->pk[who], &x->provider))
		who++;
	/* one in eight is sent by somebody else */
	return draw(p, 8) == 0 ? party(p) : who;
}

/* Mostly what the state allows, now and then anything. */
static uint64_t likely(struct play *p, const struct market_lease *x)
{
	if (draw(p, 5) == 0)
		return draw(p, 10);
	if (x->state == MARKET_LEASE_open)
		return draw(p, 3) == 0 ? 0 : 4;
	if (x->state == MARKET_LEASE_accepted)
		return draw(p, 4) == 0 ? 1 + 2 * draw(p, 2) : 9;
	return 2;
}

static void provider_acts(struct play *p, const struct market_lease *x,
			  uint32_t who)
{
	static const enum reason declines[] = {REASON_declined_busy,
					       REASON_declined_policy,
					       REASON_input_missing};
	static const enum reason fails[] = {
		REASON_gpu_lost, REASON_kernel_fault, REASON_underpriced};
	uint32_t done = 1 + (uint32_t)draw(p, x->count + 1);
	struct buf b = body();

	switch (likely(p, x)) {
	case 0: {
		struct market_lease_decline y = {x->id, declines[draw(p, 3)]};

		market_lease_decline_encode(&b, &y);
		world_add(p->w, who, MARKET_KIND_LEASE_DECLINE, &b);
		return;
	}
	case 1: {
		struct market_lease_fail y = {.lease = x->id,
					      .reason = fails[draw(p, 3)]};

		y.fault.present = y.reason == REASON_kernel_fault;
		y.fault.task = x->first + done - 1;
		market_lease_fail_encode(&b, &y);
		world_add(p->w, who, MARKET_KIND_LEASE_FAIL, &b);
		return;
	}
	case 2: {
		struct market_lease_retract y = {x->id};

		market_lease_retract_encode(&b, &y);
		world_add(p->w, who, MARKET_KIND_LEASE_RETRACT, &b);
		return;
	}
	case 3: {
		struct market_lease_extend y = {.lease = x->id, .progress = 1};

		market_lease_extend_encode(&b, &y);
		world_add(p->w, who, MARKET_KIND_LEASE_EXTEND, &b);
		return;
	}
	case 4:
	case 5:
	case 6:
		buf_free(&b);
		b = world_body_accept(&x->id);
		world_add(p->w, who, MARKET_KIND_LEASE_ACCEPT, &b);
		return;
	default:
		buf_free(&b);
		b = world_body_commit(&x->id, &p->w->pk[who], done,
				      done < x->count ? REASON_gpu_lost
						      : REASON_none);
		world_add(p->w, who, MARKET_KIND_LEASE_COMMIT, &b);
		return;
	}
}

static void lease_acts(struct play *p, const struct hash *id)
{
	struct market_lease x = world_lease(p->w, id);
	enum world_audit op = (enum world_audit)draw(p, WORLD_AUDITS);
	struct buf b;

	if (x.commit_height == 0 || draw(p, 6) == 0) {
		provider_acts(p, &x, owner(p, &x));
		return;
	}
	if (x.state == MARKET_LEASE_committed && draw(p, 2) == 0)
		op = WORLD_DRAWN;
	b = world_body_audit(op, &x.id, draw(p, 3000));
	world_add(p->w, party(p), WORLD_KIND_AUDIT, &b);
}

/* Every party begins a sequence with a good offer and a job. */
static void open_shops(struct play *p)
{
	struct market_offer_terms t = world_offer_terms(p->w);
	struct hash id;
	uint32_t who;

	t.slots = 2;
	t.until_height = p->w->height + 20;
	for (who = 1; who <= PARTIES; who++) {
		struct buf b = body();

		t.gop_price = coin_picks(1 + draw(p, 4) * 300000);
		market_offer_terms_encode(&b, &t);
		id = world_add(p->w, who, MARKET_KIND_OFFER_POST, &b);
		p->offers[p->offer_count++ % OBJECTS] = market_offer_id(&id);
	}
	post_job(p);
	post_job(p);
	world_block(p->w);
}

/* An old transaction, byte for byte: it must not work again. */
static void replay(struct play *p)
{
	struct world *w = p->w;

	if (p->replay_n == 0)
		return;
	w->txs[w->tx_count++] = bytes_of(p->replay, p->replay_n);
	world_block(w);
	cr_assert_neq(w->reasons[0], REASON_none);
}

static void act(struct play *p)
{
	uint32_t n, i;
	struct world *w = p->w;

	look(p);
	for (i = 0; i < p->lease_count; i++) {
		if (draw(p, 4) > 0)
			lease_acts(p, &p->leases[i]);
	}
	if (draw(p, 3) == 0)
		post_job(p);
	if (draw(p, 3) == 0)
		change_offer(p);
	if (draw(p, 3) == 0)
		change_job(p);
	n = w->tx_count;
	if (n > 0 && w->txs[0].n <= REPLAY_MAX) {
		memcpy(p->replay, w->txs[0].p, w->txs[0].n);
		p->replay_n = w->txs[0].n;
	}
	world_block(w);
	for (i = 0; i < n; i++)
		p->taken += w->reasons[i] == REASON_none;
	p->sent += n;
	if (draw(p, 10) == 0)
		replay(p);
}

static void count_ends(struct play *p)
{
	struct market_job j;
	struct market_lease x;
	struct hash job, lease;
	struct ledger *l = NULL;
	bool first = true, first_of_job;

	must(ledger_chain_view(p->w->rig.chain, &l) == ERR_OK);
	while (market_job_next_any(l, first ? NULL : &job, &j) == ERR_OK) {
		first = false;
		first_of_job = true;
		job = j.id;
		cr_assert_eq(j.state, MARKET_JOB_ENDED);
		while (market_lease_next_of_job(l, &job,
						first_of_job ? NULL : &lease,
						&x) == ERR_OK) {
			first_of_job = false;
			lease = x.id;
			cr_assert(market_lease_is_final(x.state));
			p->ended[x.state]++;
		}
	}
	ledger_chain_view_end(l);
}

/* Nobody acts any more: all that waits must end by itself. */
static void vanish(struct play *p)
{
	uint64_t from = p->w->height;
	struct ledger_lock_id id;
	struct ledger_lock lock;
	struct ledger *l = NULL;
	uint32_t who;
	enum err e;

	do {
		world_block(p->w);
		cr_assert_lt(p->w->height - from, QUIET_MAX,
			     "something waits for ever");
	} while (p->w->is_live);
	must(ledger_chain_view(p->w->rig.chain, &l) == ERR_OK);
	for (who = 1; who <= PARTIES; who++) {
		id = (struct ledger_lock_id){.owner = p->w->pk[who]};
		while ((e = ledger_account_lock_next(l, &id, &id, &lock)) ==
		       ERR_OK)
			cr_assert_neq(id.purpose, LEDGER_PURPOSE_escrow);
		cr_assert_eq(e, ERR_NOT_FOUND);
	}
	ledger_chain_view_end(l);
}

/* One line a world, for contrib/same-roots to compare between builds. */
static void note_root(struct play *p)
{
	const char *path = getenv("WEFT_ROOTS");
	struct ledger_info info;
	char text[HASH_TEXT_BYTES];
	FILE *f = path ? fopen(path, "a") : NULL;

	if (!f)
		return;
	ledger_chain_info(p->w->rig.chain, &info);
	fprintf(f, "%llu %s\n", (unsigned long long)info.height,
		hash_text(&info.state_root, text));
	fclose(f);
}

Test(property, every_lease_ends_and_money_adds_up, .timeout = 0)
{
	const char *s = getenv("WEFT_SEED");
	uint64_t seed = s != NULL ? strtoull(s, NULL, 10) : 20260101;
	uint64_t i, rounds = SEQUENCES * world_heavy();
	struct ledger_params q = tiny_windows();
	struct play p = {0};
	uint32_t k;

	for (i = 0; i < rounds; i++) {
		if (i % 8 == 0) {
			if (p.w != NULL)
				world_free(p.w);
			p.w = world_new(&q);
			p.seed = seed + i;
			p.job_count = p.offer_count = p.lease_count = 0;
			p.replay_n = 0;
			cr_log_info("WEFT_SEED=%llu",
				    (unsigned long long)(seed + i));
		}
		open_shops(&p);
		for (k = 0; k < BUSY; k++)
			act(&p);
		vanish(&p);
		if (i % 8 == 7 || i + 1 == rounds) {
			count_ends(&p);
			note_root(&p);
		}
	}
	world_free(p.w);
	for (k = 0; k < MARKET_LEASE_STATE_COUNT; k++)
		cr_log_info("%s: %llu",
			    market_lease_state_word((enum market_lease_state)k),
			    (unsigned long long)p.ended[k]);
	/* the play must not die out, and go everywhere */
	cr_assert_gt(p.taken * 4, p.sent, "%llu of %llu taken",
		     (unsigned long long)p.taken, (unsigned long long)p.sent);
	for (k = MARKET_LEASE_settled; k < MARKET_LEASE_STATE_COUNT; k++)
		cr_assert_gt(
			p.ended[k], 0, "none ended %s",
			market_lease_state_word((enum market_lease_state)k));
}
