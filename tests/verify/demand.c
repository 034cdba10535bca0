/* Demands: openings that are asked for on the chain. */
#include <criterion/criterion.h>

#include "tests/verify/world.h"

static struct world *w;
static struct toy_lease *t;
static struct market_lease x;

#define DEPOSIT 10000000u

static void begin(const struct toy_cheat *cheat)
{
	w = world_bonded();
	world_post(w);
	t = world_lease(w, PROVIDER, cheat, &x);
	world_sample(w);
}

static void teardown(void)
{
	world_free(w);
}

TestSuite(demand, .fini = teardown);

static enum reason demand(uint32_t who, uint32_t i, uint32_t j)
{
	struct verify_audit_demand d = {
		.lease = x.id, .draw_count = 2, .draws = {i, j}};

	return WORLD_SEND(w, who, AUDIT_DEMAND, audit_demand, &d, NULL);
}

static struct verify_evidence answer_to(uint32_t draw)
{
	struct program_sample s = world_drawn(w, &x.id, draw);
	struct verify_evidence e = world_evidence(w, t, &s);

	world_show_draw(w, &e, draw);
	return e;
}

Test(demand, silence_costs_what_fraud_costs)
{
	uint32_t who;

	begin(NULL);
	who = world_auditor(w, &x.id);
	cr_assert_eq(demand(who, 3, 5), REASON_none);
	cr_assert_eq(world_lock(w, who, LEDGER_PURPOSE_deposit, &x.id),
		     DEPOSIT);
	world_idle(w, 14);
	x = world_get(w, &x.id);
	cr_assert_eq(x.state, MARKET_LEASE_unavailable);
	cr_assert_eq(x.reason, REASON_opening_unavailable);
	cr_assert_eq(coin_raw(x.penalty), 3300000u);
	cr_assert_eq(world_lock(w, PROVIDER, LEDGER_PURPOSE_bond, NULL), 0u);
	cr_assert_eq(world_lock(w, who, LEDGER_PURPOSE_deposit, &x.id), 0u);
	cr_assert_eq(world_audit(w, &x.id).end, VERIFY_END_UNAVAILABLE);
	cr_assert_eq(world_verifier(w, who).duties, 0u);
}

Test(demand, good_answers_earn_the_deposit)
{
	struct verify_evidence e;
	uint64_t before;
	uint32_t who;

	begin(NULL);
	who = world_auditor(w, &x.id);
	cr_assert_eq(demand(who, 3, 4), REASON_none);
	before = world_balance(w, PROVIDER);
	e = answer_to(3);
	world_answer(w, &x.id, 0, &e);
	cr_assert_eq(world_demand(w, &x.id).answered, 1u);
	cr_assert(world_demand(w, &x.id).is_open);
	/* the same answer is not an answer to the other question */
	world_answer(w, &x.id, 1, &e);
	cr_assert_eq(world_demand(w, &x.id).answered, 1u);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_auditing);
	e = answer_to(4);
	world_answer(w, &x.id, 1, &e);
	cr_assert_not(world_demand(w, &x.id).is_open);
	cr_assert_gt(world_balance(w, PROVIDER), before);
	cr_assert_eq(world_lock(w, who, LEDGER_PURPOSE_deposit, &x.id), 0u);
	/* and the auditor goes on */
	cr_assert_eq(world_audit(w, &x.id).stops, 0u);
	world_reveal(w, t, &x.id, false);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_settled);
}

Test(demand, an_answer_can_convict)
{
	struct toy_cheat cheat = {.start = true};
	struct verify_evidence e;

	begin(&cheat);
	cr_assert_eq(demand(world_auditor(w, &x.id), 0, 1), REASON_none);
	e = answer_to(0);
	world_answer(w, &x.id, 0, &e);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_refuted);
	cr_assert_eq(world_lock(w, PROVIDER, LEDGER_PURPOSE_bond, NULL), 0u);
	cr_assert_not(world_demand(w, &x.id).is_open);
}

Test(demand, one_delay)
{
	struct verify_audit_delay d = {.reason = REASON_owner_active};
	uint64_t until;

	begin(NULL);
	d.lease = x.id;
	cr_assert_eq(demand(world_auditor(w, &x.id), 0, 1), REASON_none);
	until = world_demand(w, &x.id).until_height;
	cr_assert_eq(
		WORLD_SEND(w, PROVIDER, AUDIT_DELAY, audit_delay, &d, NULL),
		REASON_none);
	cr_assert_eq(world_demand(w, &x.id).until_height, until + 30 - 12);
	cr_assert_eq(
		WORLD_SEND(w, PROVIDER, AUDIT_DELAY, audit_delay, &d, NULL),
		REASON_duplicate);
	world_idle(w, 14);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_auditing);
	world_idle(w, 20);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_unavailable);
}

Test(demand, who_may_ask)
{
	struct verify_audit_demand d = {.sample_count = 5};
	struct program_sample s = {0, 1, PROGRAM_SAMPLE_CTA, 0,
				   PROGRAM_WARP_ALL};
	struct verify_evidence e;

	begin(NULL);
	for (uint32_t i = 0; i < 5; i++)
		d.samples[i] = s;
	d.lease = x.id;
	cr_assert_eq(demand(OUTSIDER, 0, 1), REASON_no_permission);
	cr_assert_eq(demand(world_auditor(w, &x.id), 0, 20), REASON_bad_value);
	cr_assert_eq(WORLD_SEND(w, BUYER, AUDIT_DEMAND, audit_demand, &d, NULL),
		     REASON_limit_reached);
	d.sample_count = 1;
	cr_assert_eq(
		WORLD_SEND(w, OUTSIDER, AUDIT_DEMAND, audit_demand, &d, NULL),
		REASON_no_permission);
	cr_assert_eq(WORLD_SEND(w, BUYER, AUDIT_DEMAND, audit_demand, &d, NULL),
		     REASON_none);
	cr_assert_eq(demand(world_auditor(w, &x.id), 0, 1), REASON_duplicate);
	e = world_evidence(w, t, &s);
	world_answer(w, &x.id, 0, &e);
	cr_assert_not(world_demand(w, &x.id).is_open);
	cr_assert_eq(world_demand(w, &x.id).buyer_used, 1u);
}

/* The buyer chose the sample: pay is lost, the bond is not. */
Test(demand, silence_to_the_buyer_spares_the_bond)
{
	struct verify_audit_demand d = {.sample_count = 1};

	begin(NULL);
	d.lease = x.id;
	d.samples[0] = (struct program_sample){0, 1, PROGRAM_SAMPLE_CTA, 0,
					       PROGRAM_WARP_ALL};
	cr_assert_eq(WORLD_SEND(w, BUYER, AUDIT_DEMAND, audit_demand, &d, NULL),
		     REASON_none);
	world_idle(w, 14);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_unavailable);
	cr_assert_eq(world_lock(w, PROVIDER, LEDGER_PURPOSE_bond, NULL),
		     3300000u);
}

/* What no draw gives cannot be opened: an opening of the same step says so. */
static void answered(struct program_sample asked, struct program_sample shown,
		     bool is_enough)
{
	struct verify_audit_demand d = {.sample_count = 1};
	struct verify_evidence e;

	if (w)
		world_free(w);
	begin(NULL);
	d.lease = x.id;
	d.samples[0] = asked;
	cr_assert_eq(WORLD_SEND(w, BUYER, AUDIT_DEMAND, audit_demand, &d, NULL),
		     REASON_none);
	e = world_evidence(w, t, &shown);
	world_answer(w, &x.id, 0, &e);
	cr_assert_eq(world_demand(w, &x.id).is_open, !is_enough);
	world_idle(w, 14);
	cr_assert_eq(world_get(w, &x.id).state == MARKET_LEASE_unavailable,
		     !is_enough);
}

Test(demand, what_does_not_exist_is_not_withheld)
{
	const struct program_sample warp = {0, 1, PROGRAM_SAMPLE_CTA, 0, 1};
	const struct program_sample cta = {0, 2, PROGRAM_SAMPLE_CTA, 0,
					   PROGRAM_WARP_ALL};
	const struct program_sample copy = {0, 4, PROGRAM_SAMPLE_CHUNK, 0,
					    PROGRAM_WARP_ALL};

	/* a step that there is not, shown by any other */
	answered((struct program_sample){0, 11, PROGRAM_SAMPLE_CTA, 0,
					 PROGRAM_WARP_ALL},
		 cta, true);
	/* step 1 has three CTAs of two warps, which are its samples */
	answered((struct program_sample){0, 1, PROGRAM_SAMPLE_CTA, 3, 0}, warp,
		 true);
	answered((struct program_sample){0, 1, PROGRAM_SAMPLE_CTA, 0,
					 PROGRAM_WARP_ALL},
		 warp, true);
	answered((struct program_sample){0, 1, PROGRAM_SAMPLE_CTA, 0, 2}, warp,
		 true);
	/* step 4 copies */
	answered((struct program_sample){0, 4, PROGRAM_SAMPLE_CTA, 0,
					 PROGRAM_WARP_ALL},
		 copy, true);
	answered((struct program_sample){0, 2, PROGRAM_SAMPLE_LAUNCH, 0,
					 PROGRAM_WARP_ALL},
		 cta, true);
	/* another step shows nothing of this one */
	answered((struct program_sample){0, 2, PROGRAM_SAMPLE_CTA, 99,
					 PROGRAM_WARP_ALL},
		 warp, false);
	/* and what exists must be opened itself */
	answered((struct program_sample){0, 1, PROGRAM_SAMPLE_CTA, 1, 1}, warp,
		 false);
}

Test(demand, of_a_task_of_the_lease_only)
{
	struct verify_audit_demand d = {.sample_count = 1};

	begin(NULL);
	d.lease = x.id;
	d.samples[0] = (struct program_sample){x.first + x.done, 1,
					       PROGRAM_SAMPLE_CTA, 0, 0};
	cr_assert_eq(WORLD_SEND(w, BUYER, AUDIT_DEMAND, audit_demand, &d, NULL),
		     REASON_bad_value);
}
