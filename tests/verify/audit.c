/* The way of an audit without a dispute, with every amount. */
#include <criterion/criterion.h>

#include "market/price.h"
#include "tests/verify/world.h"

static struct world *w;
static struct toy_lease *t;
static struct market_lease x;

static void begin(const struct ledger_params *p, const struct toy_cheat *cheat,
		  uint32_t verifiers)
{
	w = world_new(p);
	world_verifiers(w, verifiers);
	world_offer(w, PROVIDER);
	world_post(w);
	t = world_lease(w, PROVIDER, cheat, &x);
}

static void teardown(void)
{
	world_free(w);
}

TestSuite(audit, .fini = teardown);

Test(audit, valid_pays_everybody)
{
	uint64_t provider;
	uint64_t auditor_before;
	uint64_t pool;
	uint64_t fee;
	uint32_t who;

	begin(NULL, NULL, 3);
	/* five tasks of 3,300 instructions at 10^12 picks per 10^9 */
	cr_assert_eq(coin_raw(x.price), 5u * 3300000u);
	provider = world_balance(w, PROVIDER);
	world_sample(w);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_auditing);
	who = world_auditor(w, &x.id);
	cr_assert_eq(world_verifier(w, who).duties, 1u);
	cr_assert_eq(coin_raw(world_verifier(w, who).reserved),
		     256u * 16500000ull);
	auditor_before = world_balance(w, who);
	pool = world_pool(w);
	world_reveal(w, t, &x.id, false);
	x = world_get(w, &x.id);
	cr_assert_eq(x.state, MARKET_LEASE_settled);
	cr_assert(x.audited);
	/* a fifth is withheld for the bond */
	cr_assert_eq(world_balance(w, PROVIDER) - provider,
		     16500000u - 3300000u);
	cr_assert_eq(world_lock(w, PROVIDER, LEDGER_PURPOSE_bond, NULL),
		     3300000u);
	/* 3 % of the price is the highest of the three */
	fee = coin_raw(x.check_fee);
	cr_assert_geq(fee, 495000u);
	/* min(table, 2 * fee, a thousandth of the pool), paid out of it */
	pool += fee;
	cr_assert_eq(coin_raw(world_audit(w, &x.id).paid), pool / 1000);
	cr_assert_eq(world_pool(w), pool - pool / 1000);
	/* two transactions' fees went the other way */
	cr_assert_lt(world_balance(w, who), auditor_before);
	world_idle(w, 4);
	cr_assert_eq(world_audit(w, &x.id).state, VERIFY_AUDIT_DONE);
	cr_assert_eq(world_audit(w, &x.id).end, VERIFY_END_VALID);
	cr_assert_eq(world_verifier(w, who).duties, 0u);
	cr_assert_eq(world_verifier(w, who).audits, 1u);
	cr_assert(coin_is_zero(world_verifier(w, who).reserved));
	cr_assert_eq(world_holds(w), 0u);
}

Test(audit, nobody_eligible_is_unchecked)
{
	begin(NULL, NULL, 0);
	world_sample(w);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_unchecked);
	cr_assert_eq(coin_raw(world_get(w, &x.id).charged), 0u);
}

Test(audit, silent_auditors_are_redrawn_twice)
{
	uint64_t bond = 0;
	uint64_t burnt;

	begin(NULL, NULL, 3);
	world_sample(w);
	burnt = world_burnt(w);
	for (uint32_t n = 1; n <= 3; n++) {
		struct verify_audit a = world_audit(w, &x.id);
		uint32_t who = world_auditor(w, &x.id);

		cr_assert_eq(a.auditor_count, n);
		bond = world_lock(w, who, LEDGER_PURPOSE_verifier, NULL);
		while (rig_height(&w->rig) <= a.window_height)
			world_idle(w, 1);
		cr_assert_eq(bond - world_lock(w, who, LEDGER_PURPOSE_verifier,
					       NULL),
			     coin_raw(x.check_fee));
		cr_assert_eq(world_verifier(w, who).missed, 1u);
		cr_assert_eq(world_verifier(w, who).duties, 0u);
	}
	cr_assert_eq(world_audit(w, &x.id).end, VERIFY_END_UNCHECKED);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_unchecked);
	cr_assert_eq(world_burnt(w) - burnt, 3 * coin_raw(x.check_fee));
	cr_assert_eq(coin_raw(world_get(w, &x.id).paid), 16500000u);
}

Test(audit, pledge_binds)
{
	struct verify_audit_pledge p;
	struct verify_audit_reveal r = {.salt.b = {1}};
	uint32_t who;

	begin(NULL, NULL, 3);
	world_sample(w);
	who = world_auditor(w, &x.id);
	p.lease = r.lease = x.id;
	p.pledge = verify_pledge(&w->rig.keys[who], &r);
	cr_assert_eq(WORLD_SEND(w, who, AUDIT_REVEAL, audit_reveal, &r, NULL),
		     REASON_wrong_state);
	cr_assert_eq(
		WORLD_SEND(w, OUTSIDER, AUDIT_PLEDGE, audit_pledge, &p, NULL),
		REASON_no_permission);
	cr_assert_eq(WORLD_SEND(w, who, AUDIT_PLEDGE, audit_pledge, &p, NULL),
		     REASON_none);
	cr_assert_eq(WORLD_SEND(w, who, AUDIT_PLEDGE, audit_pledge, &p, NULL),
		     REASON_wrong_state);
	r.salt.b[0] = 2;
	cr_assert_eq(WORLD_SEND(w, who, AUDIT_REVEAL, audit_reveal, &r, NULL),
		     REASON_bad_proof);
	r.salt.b[0] = 1;
	cr_assert_eq(WORLD_SEND(w, who, AUDIT_REVEAL, audit_reveal, &r, NULL),
		     REASON_none);
}

Test(audit, reports_of_withheld_openings_redraw)
{
	struct verify_audit_reveal r = {.report = VERIFY_REPORT_UNAVAILABLE};
	struct verify_audit_pledge p;
	uint32_t who;

	begin(NULL, NULL, 3);
	world_sample(w);
	who = world_auditor(w, &x.id);
	p.lease = r.lease = x.id;
	p.pledge = verify_pledge(&w->rig.keys[who], &r);
	WORLD_SEND(w, who, AUDIT_PLEDGE, audit_pledge, &p, NULL);
	cr_assert_eq(WORLD_SEND(w, who, AUDIT_REVEAL, audit_reveal, &r, NULL),
		     REASON_none);
	cr_assert_eq(world_audit(w, &x.id).auditor_count, 2u);
	cr_assert_neq(world_auditor(w, &x.id), who);
	cr_assert_eq(world_verifier(w, who).missed, 0u);
	cr_assert_eq(world_lock(w, who, LEDGER_PURPOSE_verifier, NULL), BOND);
}

/* prove_one_in = 1: every reveal is asked for a proof. */
static void begin_prove(bool lie)
{
	struct ledger_params p = world_params();

	p.prove_one_in = 1;
	begin(&p, NULL, 3);
	world_sample(w);
	world_reveal(w, t, &x.id, lie);
	world_idle(w, 2);
	cr_assert_eq(world_audit(w, &x.id).state, VERIFY_AUDIT_PROVE);
	cr_assert_eq(world_holds(w), 1u);
}

static struct verify_evidence proof(void)
{
	uint32_t i = world_audit(w, &x.id).prove_index;
	struct program_sample s = world_drawn(w, &x.id, i);
	struct verify_evidence e = world_evidence(w, t, &s);

	world_show_draw(w, &e, i);
	world_witness_path(w, t, &x.id, i, &e);
	return e;
}

Test(audit, a_true_proof_ends_the_duty)
{
	struct verify_evidence e;
	struct hash id;
	uint32_t who;

	begin_prove(false);
	who = world_auditor(w, &x.id);
	e = proof();
	id = world_prove(w, who, &x.id, &e);
	cr_assert_eq(world_case(w, &id).verdict, PROGRAM_VERDICT_VALID);
	cr_assert(world_case(w, &id).seed_drawn);
	cr_assert_eq(world_audit(w, &x.id).state, VERIFY_AUDIT_DONE);
	cr_assert_eq(world_lock(w, who, LEDGER_PURPOSE_verifier, NULL), BOND);
	cr_assert_eq(world_verifier(w, who).duties, 0u);
	cr_assert_eq(world_holds(w), 0u);
}

Test(audit, an_invented_witness_costs_the_bond)
{
	struct verify_evidence e;
	uint32_t who;
	uint64_t burnt;

	begin_prove(true);
	who = world_auditor(w, &x.id);
	burnt = world_burnt(w);
	e = proof();
	world_prove(w, who, &x.id, &e);
	cr_assert_eq(world_lock(w, who, LEDGER_PURPOSE_verifier, NULL), 0u);
	cr_assert_geq(world_burnt(w) - burnt, BOND);
	cr_assert_eq(world_verifier(w, who).state, VERIFY_OUT);
	cr_assert_eq(world_holds(w), 0u);
}

Test(audit, a_missing_proof_costs_the_bond)
{
	uint32_t who;

	begin_prove(false);
	who = world_auditor(w, &x.id);
	world_idle(w, 14);
	cr_assert_eq(world_lock(w, who, LEDGER_PURPOSE_verifier, NULL), 0u);
	cr_assert_eq(world_verifier(w, who).state, VERIFY_OUT);
	cr_assert_eq(world_holds(w), 0u);
}

Test(audit, verifiers_come_and_go)
{
	struct verify_verifier_pause pause = {true};
	struct verify_verifier_unbond none = {0};
	struct verify_verifier_bond little = {coin_picks(5)};
	uint64_t before;

	w = world_new(NULL);
	world_verifiers(w, 1);
	cr_assert_eq(WORLD_SEND(w, OUTSIDER, VERIFIER_BOND, verifier_bond,
				&little, NULL),
		     REASON_bad_value);
	cr_assert_eq(WORLD_SEND(w, OUTSIDER, VERIFIER_PAUSE, verifier_pause,
				&pause, NULL),
		     REASON_not_found);
	cr_assert_eq(WORLD_SEND(w, VERIFIER, VERIFIER_PAUSE, verifier_pause,
				&pause, NULL),
		     REASON_none);
	/* the only verifier is paused: drawn, but nobody can look */
	world_offer(w, PROVIDER);
	world_post(w);
	t = world_lease(w, PROVIDER, NULL, &x);
	world_sample(w);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_unchecked);
	before = world_balance(w, VERIFIER);
	cr_assert_eq(WORLD_SEND(w, VERIFIER, VERIFIER_UNBOND, verifier_unbond,
				&none, NULL),
		     REASON_none);
	cr_assert_eq(WORLD_SEND(w, VERIFIER, VERIFIER_UNBOND, verifier_unbond,
				&none, NULL),
		     REASON_duplicate);
	/* heights pass only in live blocks: somebody keeps sending */
	for (uint32_t i = 0; i < 25; i++) {
		struct bytes tx = rig_transfer(&w->rig, OUTSIDER, BUYER, 1);

		rig_block(&w->rig, &tx, 1);
	}
	cr_assert_eq(world_lock(w, VERIFIER, LEDGER_PURPOSE_verifier, NULL),
		     0u);
	/* all of it, less the fees of the two */
	cr_assert_gt(world_balance(w, VERIFIER), before + BOND - 100000);
}

/* Sixteen CTA samples of an audit count 1.2 times their mean; the four chunk
 * samples count nothing. */
Test(audit, exact_counts_tell_under_declared_work)
{
	struct ledger_params p = world_params();
	struct verify_audit_pledge pledge;
	struct verify_audit_reveal r = {0};
	struct verify_count counts[20];
	struct market_job job;
	struct ledger *l = NULL;

	p.underdeclared_ctas_min = 16;
	begin(&p, NULL, 3);
	world_sample(w);
	for (int i = 0; i < 20; i++)
		counts[i] = (struct verify_count){1200, i % 5 == 4 ? 0 : 1000};
	r.lease = pledge.lease = x.id;
	r.counts = counts;
	r.count_count = x.sample_count;
	pledge.pledge =
		verify_pledge(&w->rig.keys[world_auditor(w, &x.id)], &r);
	WORLD_SEND(w, world_auditor(w, &x.id), AUDIT_PLEDGE, audit_pledge,
		   &pledge, NULL);
	cr_assert_eq(WORLD_SEND(w, world_auditor(w, &x.id), AUDIT_REVEAL,
				audit_reveal, &r, NULL),
		     REASON_none);
	cr_assert_eq(ledger_chain_view(w->rig.chain, &l), ERR_OK);
	cr_assert_eq(market_job_get(l, &x.job, &job), ERR_OK);
	ledger_chain_view_end(l);
	cr_assert_eq(job.counted_samples, 16u);
	cr_assert_eq(job.counted_milli, 16u * 1200);
}
