/*
 * A tiny universe, exhausted: one buyer with two jobs of one task each, two
 * providers, and every order of everything that can be done, one transaction
 * a block, to a depth.  Each step is undone by rolling the chain back, which
 * must restore the root; invariants are looked at after every block, and
 * from the leaves on everybody is silent until all has ended.
 *
 * Two steps deep, three with WEFT_HEAVY > 1, four from 100 on.
 */
#include <criterion/criterion.h>

#include "base/must.h"
#include "tests/market/world.h"

#define BUYER	  1
#define QUIET_MAX 60u

/* What one step is: done to the latest lease of a job. */
enum deed {
	ACCEPT,
	DECLINE,
	COMMIT,
	FAIL,
	RETRACT,
	EXTEND,
	CANCEL,
	DRAW,
	VALID,
	FRAUD,
	UNAVAILABLE,
	VOIDED,
	UNCHECKED,
	DEEDS
};

struct universe {
	struct world *w;
	struct hash jobs[2];
	uint64_t steps, leaves, taken[DEEDS];
};

static uint32_t owner(struct world *w, const struct market_lease *x)
{
	uint32_t who = 2;

	while (!pubkey_eq(&w->pk[who], &x->provider))
		who++;
	return who;
}

/* The latest lease of the job; false: there is none. */
static bool latest(struct world *w, const struct hash *job,
		   struct market_lease *ret_x)
{
	uint32_t n = 0;

	while (world_lease_of(w, job, n, ret_x))
		n++;
	return n > 0;
}

static enum reason audit(struct world *w, enum deed d, const struct hash *id)
{
	static const enum world_audit ops[DEEDS] = {
		[DRAW] = WORLD_DRAWN,  [VALID] = WORLD_VALID,
		[FRAUD] = WORLD_FRAUD, [UNAVAILABLE] = WORLD_UNAVAILABLE,
		[VOIDED] = WORLD_VOID, [UNCHECKED] = WORLD_UNCHECKED,
	};

	return world_audit(w, 3, ops[d], id, 1);
}

/* One block with one deed; not_found: nothing to do it to, no block. */
static enum reason act(struct universe *u, enum deed d, uint32_t job)
{
	struct world *w = u->w;
	struct market_lease x;
	struct buf b;

	if (d == CANCEL)
		return world_cancel(w, BUYER, &u->jobs[job]);
	if (!latest(w, &u->jobs[job], &x))
		return REASON_not_found;
	switch (d) {
	case ACCEPT:
		return world_accept(w, owner(w, &x), &x.id);
	case DECLINE:
		return world_decline(w, owner(w, &x), &x.id,
				     REASON_input_missing);
	case COMMIT:
		b = world_body_commit(&x.id, &x.provider, 1, REASON_none);
		return world_send(w, owner(w, &x), MARKET_KIND_LEASE_COMMIT, &b,
				  NULL);
	case FAIL:
		return world_fail(w, owner(w, &x), &x.id, REASON_kernel_fault,
				  0, 0);
	case RETRACT:
		return world_retract(w, owner(w, &x), &x.id);
	case EXTEND:
		return world_extend(w, owner(w, &x), &x.id);
	case DRAW:
	case VALID:
	case FRAUD:
	case UNAVAILABLE:
	case VOIDED:
	case UNCHECKED:
		return audit(w, d, &x.id);
	case CANCEL:
	case DEEDS:
		break;
	}
	return REASON_not_found;
}

struct mark {
	struct hash root;
	uint64_t height;
	uint64_t seqs[RIG_ACTORS_MAX];
	uint64_t time_ms;
};

static struct mark mark(const struct world *w)
{
	struct ledger_info info;
	struct mark m = {.height = w->height, .time_ms = w->rig.time_ms};
	uint32_t i;

	ledger_chain_info(w->rig.chain, &info);
	m.root = info.state_root;
	for (i = 0; i < RIG_ACTORS_MAX; i++)
		m.seqs[i] = w->rig.seqs[i];
	return m;
}

static void undo(struct world *w, const struct mark *m)
{
	struct ledger_info info;
	uint32_t i;

	cr_assert_eq(ledger_chain_rollback(w->rig.chain, m->height), ERR_OK);
	ledger_chain_info(w->rig.chain, &info);
	cr_assert(hash_eq(&info.state_root, &m->root), "undo changed a byte");
	w->height = m->height;
	w->rig.time_ms = m->time_ms;
	for (i = 0; i < RIG_ACTORS_MAX; i++)
		w->rig.seqs[i] = m->seqs[i];
}

static void silence(struct universe *u)
{
	struct world *w = u->w;
	uint64_t from = w->height;
	struct market_lease x;
	uint32_t i, n;

	/* sums are looked at once, at the end */
	w->skip_checks = true;
	do {
		world_block(w);
		cr_assert_lt(w->height - from, QUIET_MAX);
	} while (w->is_live);
	w->skip_checks = false;
	world_check(w);
	for (i = 0; i < 2; i++) {
		cr_assert_eq(world_job(w, &u->jobs[i]).state, MARKET_JOB_ENDED);
		for (n = 0; world_lease_of(w, &u->jobs[i], n, &x); n++)
			cr_assert(market_lease_is_final(x.state));
	}
	u->leaves++;
}

static void explore(struct universe *u, uint32_t depth)
{
	struct mark m = mark(u->w);
	uint32_t d, job;

	if (depth == 0) {
		/* one leaf in sixteen: the others differ little */
		if (u->steps % 16 == 0) {
			silence(u);
			undo(u->w, &m);
		}
		return;
	}
	/* nobody does anything */
	world_block(u->w);
	explore(u, depth - 1);
	undo(u->w, &m);
	for (d = 0; d < DEEDS; d++) {
		for (job = 0; job < 2; job++) {
			enum reason r = act(u, (enum deed)d, job);

			u->steps++;
			if (r == REASON_none) {
				u->taken[d]++;
				explore(u, depth - 1);
			}
			if (r != REASON_not_found)
				undo(u->w, &m);
		}
	}
}

Test(universe, every_order_keeps_every_invariant, .timeout = 0)
{
	struct ledger_params q = world_params_small();
	struct universe u = {0};
	struct market_job_terms t;
	struct market_offer_terms o;
	uint32_t i, depth = 2;

	depth += world_heavy() > 1;
	depth += world_heavy() >= 100;
	q.accept_blocks = 3;
	q.commit_blocks_min = 4;
	q.challenge_blocks = 5;
	q.life_blocks = 12;
	q.quarantine_operators = 2;
	q.input_missing_operators = 1;
	u.w = world_new(&q);
	t = world_job_terms(u.w);
	t.task_count = 1;
	t.deadline_height = u.w->height + 14;
	t.grace_blocks = 3;
	o = world_offer_terms(u.w);
	for (i = 2; i < 4; i++)
		world_post_offer(u.w, i, &o);
	for (i = 0; i < 2; i++)
		u.jobs[i] = world_post_job(u.w, BUYER, &t);
	explore(&u, depth);
	/* from committed leases on, the other deeds */
	for (i = 0; i < 2; i++) {
		cr_assert_eq(act(&u, ACCEPT, i), REASON_none);
		cr_assert_eq(act(&u, COMMIT, i), REASON_none);
	}
	explore(&u, depth);
	for (i = 0; i < DEEDS; i++)
		cr_assert_gt(u.taken[i], 0, "deed %u was never legal", i);
	cr_log_info("%llu steps, %llu leaves", (unsigned long long)u.steps,
		    (unsigned long long)u.leaves);
	world_free(u.w);
}
