/*
 * Fraud in a launch whose CTAs are only assumed to be independent: the
 * provider has a window in which to show that another CTA decides the bytes.
 */
#include <criterion/criterion.h>

#include "tests/verify/world.h"

static struct world *w;
static struct toy_lease *t;
static struct market_lease x;
static struct hash held; /* the dispute's case */

/* Step 6 is k1's: assumed.  Its CTA 2 writes out[2080, 2096). */
static const struct toy_cheat wrong_byte = {
	.step = 6, .object = 1, .offset = 2083, .flip = 1};
static const struct program_sample sees_it = {0, 6, PROGRAM_SAMPLE_CTA, 2,
					      PROGRAM_WARP_ALL};
static const struct program_sample pair = {0, 6, PROGRAM_SAMPLE_PAIR, 2,
					   PROGRAM_WARP_ALL};

#define WINDOW	      12u /* answer_blocks of the world */
#define PROVIDER_BOND 3300000u
#define DEPOSIT	      10000000u

/* An honest lease first, so that there is a bond; then one under cheat. */
static void commit(const struct toy_cheat *cheat)
{
	w = world_bonded();
	world_post(w);
	t = world_lease(w, PROVIDER, cheat, &x);
	world_sample(w);
}

static void begin(void)
{
	struct verify_evidence e;

	commit(&wrong_byte);
	e = world_evidence(w, t, &sees_it);
	held = world_dispute(w, OUTSIDER, &x.id, &e);
}

static void end(void)
{
	world_free(w);
}

TestSuite(conflict, .init = begin, .fini = end);

static uint64_t bond(void)
{
	return world_lock(w, PROVIDER, LEDGER_PURPOSE_bond, NULL);
}

static uint64_t deposit(void)
{
	return world_lock(w, OUTSIDER, LEDGER_PURPOSE_deposit, &held);
}

Test(conflict, the_verdict_is_held)
{
	struct verify_case c = world_case(w, &held);

	cr_assert_eq(c.verdict, PROGRAM_VERDICT_FRAUD);
	cr_assert_not(c.is_ruled);
	cr_assert_eq(c.cta, 2u);
	cr_assert_neq(c.held_height, 0u);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_auditing);
	cr_assert_eq(deposit(), DEPOSIT);
	/* the auditor waits */
	cr_assert_eq(world_audit(w, &x.id).stops, 1u);
}

Test(conflict, silence_is_fraud_when_the_window_ends)
{
	uint64_t last = world_case(w, &held).held_height;

	while (rig_height(&w->rig) < last)
		world_idle(w, 1);
	cr_assert_not(world_case(w, &held).is_ruled);
	world_idle(w, 1);
	cr_assert(world_case(w, &held).is_ruled);
	cr_assert_eq(world_case(w, &held).verdict, PROGRAM_VERDICT_FRAUD);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_refuted);
	cr_assert_eq(world_audit(w, &x.id).end, VERIFY_END_FRAUD);
	/* chosen by its accuser: the bond is not touched */
	cr_assert_eq(bond(), PROVIDER_BOND);
	cr_assert_eq(deposit(), 0u);
}

Test(conflict, two_ctas_that_conflict_are_nobodys_fault)
{
	struct verify_evidence e = world_evidence(w, t, &pair);
	uint64_t before = world_balance(w, OUTSIDER);
	struct hash id;

	w->conflict = true;
	id = world_conflict(w, &held, &e);
	cr_assert(world_case(w, &id).is_ruled);
	cr_assert_eq(world_case(w, &id).verdict, PROGRAM_VERDICT_VOID);
	cr_assert(world_case(w, &held).is_ruled);
	cr_assert_eq(world_case(w, &held).verdict, PROGRAM_VERDICT_VOID);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_void);
	cr_assert_eq(coin_raw(world_get(w, &x.id).paid), 0u);
	cr_assert_eq(world_audit(w, &x.id).end, VERIFY_END_VOID);
	cr_assert_eq(bond(), PROVIDER_BOND);
	cr_assert_eq(world_balance(w, OUTSIDER), before + DEPOSIT);
	/* the window's end finds nothing more to do */
	world_idle(w, WINDOW + 2);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_void);
	cr_assert_eq(world_holds(w), 1u); /* the job that waits for others */
}

Test(conflict, a_pair_that_shows_nothing_is_fraud_at_once)
{
	struct verify_evidence e = world_evidence(w, t, &pair);

	(void)world_conflict(w, &held, &e);
	cr_assert_eq(world_case(w, &held).verdict, PROGRAM_VERDICT_FRAUD);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_refuted);
}

/* Another CTA, step or task than the one at issue; no pair at all. */
static void wrong_pair(struct program_sample s)
{
	struct verify_evidence e = world_evidence(w, t, &s);

	w->conflict = true;
	(void)world_conflict(w, &held, &e);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_refuted);
}

Test(conflict, of_another_cta)
{
	struct program_sample s = pair;

	s.number = 1;
	wrong_pair(s);
}

Test(conflict, of_another_step)
{
	struct program_sample s = pair;

	s.step_number = 9; /* k1 again, with six CTAs */
	wrong_pair(s);
}

Test(conflict, of_another_task)
{
	struct program_sample s = pair;

	s.task_index = 1;
	wrong_pair(s);
}

Test(conflict, that_is_no_pair)
{
	wrong_pair(sees_it);
}

Test(conflict, only_the_provider_once_and_in_time)
{
	struct verify_dispute_conflict b = {.evidence_bytes = 1000};
	struct hash id;

	b.case_id = x.id;
	cr_assert_eq(WORLD_SEND(w, PROVIDER, DISPUTE_CONFLICT, dispute_conflict,
				&b, NULL),
		     REASON_not_found);
	b.case_id = held;
	cr_assert_eq(WORLD_SEND(w, OUTSIDER, DISPUTE_CONFLICT, dispute_conflict,
				&b, NULL),
		     REASON_no_permission);
	cr_assert_eq(WORLD_SEND(w, PROVIDER, DISPUTE_CONFLICT, dispute_conflict,
				&b, &id),
		     REASON_none);
	cr_assert_eq(WORLD_SEND(w, PROVIDER, DISPUTE_CONFLICT, dispute_conflict,
				&b, NULL),
		     REASON_duplicate);
	b.case_id = id;
	cr_assert_eq(WORLD_SEND(w, PROVIDER, DISPUTE_CONFLICT, dispute_conflict,
				&b, NULL),
		     REASON_wrong_state);
	/* its parts never come: the window passes it, their window ends it */
	world_idle(w, WINDOW + 2);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_auditing);
	world_idle(w, 64);
	cr_assert(world_case(w, &id).is_ruled);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_refuted);
	b.case_id = held;
	cr_assert_eq(WORLD_SEND(w, PROVIDER, DISPUTE_CONFLICT, dispute_conflict,
				&b, NULL),
		     REASON_wrong_state);
}

/* A pair is evidence for nothing else. */
Test(conflict, a_pair_accuses_nobody)
{
	struct verify_evidence e = world_evidence(w, t, &pair);
	uint64_t before = world_balance(w, PROVIDER);
	struct hash id;

	w->conflict = true;
	id = world_dispute(w, OUTSIDER, &x.id, &e);
	cr_assert_eq(world_case(w, &id).verdict, PROGRAM_VERDICT_INCOMPLETE);
	cr_assert_eq(world_balance(w, PROVIDER), before + DEPOSIT);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_auditing);
}

Test(conflict, nobody_can_ask_for_a_pair)
{
	struct verify_audit_demand d = {.lease = x.id, .sample_count = 1};
	struct verify_audit_demand back;
	struct buf b = buf_make(4096);
	struct dec in;

	d.samples[0] = pair;
	verify_audit_demand_encode(&b, &d);
	in = dec_make(buf_bytes(&b));
	verify_audit_demand_decode(&in, w->a, &back);
	cr_assert_eq(dec_end(&in), ERR_MALFORMED);
	buf_free(&b);
}

/* The draw index of a CTA of step 6, or -1. */
static int drawn(uint64_t cta)
{
	for (uint32_t i = 0; i < x.sample_count; i++) {
		struct program_sample s = world_drawn(w, &x.id, i);

		if (s.kind == PROGRAM_SAMPLE_CTA && s.step_number == 6 &&
		    s.number == cta && s.task_index == 0)
			return (int)i;
	}
	return -1;
}

/* What the auditor accuses by its draw costs the bond, later than usual.  The
 * draw follows from the result, so a cheat that it meets has to be found. */
Test(conflict, a_drawn_one_costs_the_bond_in_the_end)
{
	struct program_sample s = sees_it;
	struct verify_evidence e;
	struct hash id;
	int i = -1;

	for (uint32_t n = 0; n < 64 && i < 0; n++) {
		struct toy_cheat cheat = wrong_byte;

		world_free(w);
		s.number = n % 4;
		cheat.offset = 2048 + 16 * s.number + n / 4;
		commit(&cheat);
		i = drawn(s.number);
	}
	cr_assert_geq(i, 0);
	e = world_evidence(w, t, &s);
	world_show_draw(w, &e, (uint32_t)i);
	id = world_dispute(w, world_auditor(w, &x.id), &x.id, &e);
	cr_assert(world_case(w, &id).seed_drawn);
	cr_assert_eq(bond(), PROVIDER_BOND);
	world_idle(w, WINDOW + 2);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_refuted);
	cr_assert_eq(bond(), 0u);
}
