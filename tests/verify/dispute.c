/* Disputes: each kind of cheating, each verdict, and who pays for it. */
#include <criterion/criterion.h>

#include "base/codec.h"
#include "base/merkle.h"
#include "tests/verify/world.h"

static struct world *w;
static struct toy_lease *t;
static struct market_lease x;

/* What the provider's first, honest lease leaves as a bond: a fifth of
 * 16,500,000. */
#define PROVIDER_BOND 3300000u
#define PRICE	      16500000u
#define DEPOSIT	      10000000u

/* An honest lease first, so that there is a bond; then one under cheat. */
static void begin(const struct toy_cheat *cheat)
{
	w = world_bonded();
	cr_assert_eq(world_lock(w, PROVIDER, LEDGER_PURPOSE_bond, NULL),
		     PROVIDER_BOND);
	world_post(w);
	t = world_lease(w, PROVIDER, cheat, &x);
	world_sample(w);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_auditing);
}

static void teardown(void)
{
	world_free(w);
}

TestSuite(dispute, .fini = teardown);

/* A drawn sample of this kind and step, or -1. */
static int drawn(enum program_sample_kind kind, uint64_t step, uint64_t number)
{
	for (uint32_t i = 0; i < x.sample_count; i++) {
		struct program_sample s = world_drawn(w, &x.id, i);

		if (s.kind == kind && s.step_number == step &&
		    (number == UINT64_MAX || s.number == number))
			return (int)i;
	}
	return -1;
}

/* Somebody accuses by a sample of its own choice: what comes of it. */
static struct hash accuse(const struct program_sample *s,
			  enum program_verdict want)
{
	struct verify_evidence e = world_evidence(w, t, s);
	struct hash id = world_dispute(w, OUTSIDER, &x.id, &e);

	cr_assert_eq(world_case(w, &id).verdict, want);
	return id;
}

static const struct toy_cheat wrong_byte = {
	.step = 1, .object = 1, .offset = 0, .flip = 1};

/* The sample that sees wrong_byte: CTA 0 of step 1 (k0 writes out[0, 64)). */
static const struct program_sample sees_it = {0, 1, PROGRAM_SAMPLE_CTA, 0,
					      PROGRAM_WARP_ALL};

Test(dispute, fraud_of_a_drawn_sample)
{
	struct verify_evidence e;
	struct program_sample s;
	uint64_t escrow;
	uint64_t reward;
	uint64_t burnt;
	uint64_t before;
	uint64_t fee;
	struct hash id;
	uint32_t who;
	int i;

	begin(&wrong_byte);
	/* 16 of 20 samples are CTAs, 10 of 11 of those in step 1: one of its
	 * three CTAs 0 is among them with near certainty */
	i = drawn(PROGRAM_SAMPLE_CTA, 1, 0);
	cr_assert_geq(i, 0);
	s = world_drawn(w, &x.id, (uint32_t)i);
	e = world_evidence(w, t, &s);
	world_show_draw(w, &e, (uint32_t)i);
	who = world_auditor(w, &x.id);
	escrow = world_lock(w, BUYER, LEDGER_PURPOSE_escrow, &w->job);
	before = world_balance(w, who);
	burnt = world_burnt(w);
	id = world_dispute(w, who, &x.id, &e);
	cr_assert_eq(world_case(w, &id).verdict, PROGRAM_VERDICT_FRAUD);
	cr_assert(world_case(w, &id).seed_drawn);
	cr_assert_eq(world_case(w, &id).answer.difference.offset, 0u);
	x = world_get(w, &x.id);
	cr_assert_eq(x.state, MARKET_LEASE_refuted);
	cr_assert_eq(x.reason, REASON_refuted);
	cr_assert_eq(coin_raw(x.paid), 0u);
	/* min(bond, 2 * price): the bond, all of it */
	cr_assert_eq(coin_raw(x.penalty), PROVIDER_BOND);
	cr_assert_eq(world_lock(w, PROVIDER, LEDGER_PURPOSE_bond, NULL), 0u);
	/* costs and four check fees to the auditor, the rest burnt */
	fee = coin_raw(x.check_fee);
	reward = coin_raw(x.audit_cost) + 4 * fee;
	if (reward > PROVIDER_BOND)
		reward = PROVIDER_BOND;
	cr_assert_lt(world_balance(w, who), before + reward);
	cr_assert_gt(world_balance(w, who), before + reward - 100000);
	cr_assert_geq(world_burnt(w) - burnt, PROVIDER_BOND - reward);
	/* the money is back in the escrow, the tasks in the queue */
	cr_assert_eq(world_lock(w, BUYER, LEDGER_PURPOSE_escrow, &w->job),
		     escrow);
	cr_assert_eq(world_audit(w, &x.id).end, VERIFY_END_FRAUD);
	cr_assert_eq(world_lock(w, who, LEDGER_PURPOSE_deposit, &id), 0u);
	cr_assert_eq(world_verifier(w, who).duties, 0u);
}

Test(dispute, fraud_of_a_chosen_sample_spares_the_bond)
{
	struct hash id;

	begin(&wrong_byte);
	id = accuse(&sees_it, PROGRAM_VERDICT_FRAUD);
	cr_assert_not(world_case(w, &id).seed_drawn);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_refuted);
	cr_assert_eq(world_lock(w, PROVIDER, LEDGER_PURPOSE_bond, NULL),
		     PROVIDER_BOND);
	cr_assert_eq(world_lock(w, OUTSIDER, LEDGER_PURPOSE_deposit, &id), 0u);
}

/* A draw that is claimed but is not the seed's counts as chosen. */
Test(dispute, a_false_draw_spares_the_bond)
{
	struct verify_evidence e;
	struct hash id;
	uint32_t wrong = 4; /* a chunk sample */

	begin(&wrong_byte);
	e = world_evidence(w, t, &sees_it);
	world_show_draw(w, &e, wrong);
	id = world_dispute(w, OUTSIDER, &x.id, &e);
	cr_assert_eq(world_case(w, &id).verdict, PROGRAM_VERDICT_FRAUD);
	cr_assert_not(world_case(w, &id).seed_drawn);
	cr_assert_eq(world_lock(w, PROVIDER, LEDGER_PURPOSE_bond, NULL),
		     PROVIDER_BOND);
}

Test(dispute, a_false_accusation_pays_the_provider)
{
	uint64_t before;
	uint32_t who;
	struct hash id;

	begin(NULL);
	before = world_balance(w, PROVIDER);
	id = accuse(&sees_it, PROGRAM_VERDICT_VALID);
	cr_assert_eq(world_balance(w, PROVIDER) - before, DEPOSIT);
	cr_assert_eq(world_lock(w, OUTSIDER, LEDGER_PURPOSE_deposit, &id), 0u);
	/* the audit goes on and ends well */
	cr_assert_eq(world_audit(w, &x.id).stops, 0u);
	who = world_auditor(w, &x.id);
	world_reveal(w, t, &x.id, false);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_settled);
	cr_assert_eq(world_verifier(w, who).missed, 0u);
}

Test(dispute, evidence_that_proves_nothing_pays_the_provider)
{
	static const uint8_t noise[700] = {1, 2, 3};
	struct verify_evidence e = {.opening = {noise, sizeof(noise)}};
	uint64_t before;
	struct hash id;

	begin(NULL);
	before = world_balance(w, PROVIDER);
	id = world_dispute(w, OUTSIDER, &x.id, &e);
	cr_assert_eq(world_case(w, &id).verdict, PROGRAM_VERDICT_INCOMPLETE);
	cr_assert_eq(world_balance(w, PROVIDER) - before, DEPOSIT);
	cr_assert_eq(w->referee_runs, 0u);
}

Test(dispute, parts_that_never_come_pay_the_provider)
{
	struct verify_dispute_open open = {.evidence_bytes = 1000};
	uint64_t before;
	struct hash id;

	begin(NULL);
	open.lease = x.id;
	before = world_balance(w, PROVIDER);
	cr_assert_eq(
		WORLD_SEND(w, OUTSIDER, DISPUTE_OPEN, dispute_open, &open, &id),
		REASON_none);
	cr_assert_eq(world_lock(w, OUTSIDER, LEDGER_PURPOSE_deposit, &id),
		     DEPOSIT);
	cr_assert_eq(world_audit(w, &x.id).stops, 1u);
	world_idle(w, 64);
	cr_assert(world_case(w, &id).is_ruled);
	cr_assert_eq(world_balance(w, PROVIDER) - before, DEPOSIT);
	/* the auditor's windows stood still meanwhile */
	cr_assert_eq(world_audit(w, &x.id).auditor_count, 1u);
	cr_assert_eq(world_audit(w, &x.id).stops, 0u);
}

static void hash_only(const struct toy_cheat *cheat, enum program_verdict want)
{
	struct program_sample s;
	struct verify_evidence e;
	struct hash id;

	begin(cheat);
	s = world_drawn(w, &x.id, 0);
	e = world_evidence(w, t, &s);
	world_show_draw(w, &e, 0);
	id = world_dispute(w, world_auditor(w, &x.id), &x.id, &e);
	cr_assert_eq(world_case(w, &id).verdict, want);
	cr_assert(world_case(w, &id).seed_drawn);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_refuted);
	cr_assert_eq(world_lock(w, PROVIDER, LEDGER_PURPOSE_bond, NULL), 0u);
	cr_assert_eq(w->referee_runs, 0u);
}

Test(dispute, bad_start)
{
	struct toy_cheat cheat = {.start = true};

	hash_only(&cheat, PROGRAM_VERDICT_BAD_START);
}

Test(dispute, bad_end)
{
	struct toy_cheat cheat = {.end = true};

	hash_only(&cheat, PROGRAM_VERDICT_BAD_END);
}

/* A byte that no CTA wrote: the opening's own words accuse, so they must be
 * the provider's. */
Test(dispute, a_chunk_needs_the_providers_signature)
{
	struct toy_cheat cheat = {
		.step = 1, .object = 1, .offset = 4500, .flip = 1};
	struct program_sample s = {0, 1, PROGRAM_SAMPLE_CHUNK, 1,
				   PROGRAM_WARP_ALL};
	struct verify_evidence e;
	struct hash id;

	begin(&cheat);
	e = world_evidence(w, t, &s);
	(void)accuse(&s, PROGRAM_VERDICT_INCOMPLETE);
	world_sign(w, OUTSIDER, &x.id, &e);
	id = world_dispute(w, OUTSIDER, &x.id, &e);
	cr_assert_eq(world_case(w, &id).verdict, PROGRAM_VERDICT_INCOMPLETE);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_auditing);
	world_sign(w, PROVIDER, &x.id, &e);
	id = world_dispute(w, OUTSIDER, &x.id, &e);
	cr_assert_eq(world_case(w, &id).verdict, PROGRAM_VERDICT_FRAUD);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_refuted);
}

Test(dispute, a_wrong_copy_needs_no_signature)
{
	struct toy_cheat cheat = {
		.step = 3, .object = 2, .offset = 7, .flip = 1};
	struct program_sample s = {2, 3, PROGRAM_SAMPLE_CHUNK, 0,
				   PROGRAM_WARP_ALL};

	begin(&cheat);
	(void)accuse(&s, PROGRAM_VERDICT_FRAUD);
	cr_assert_eq(w->referee_runs, 0u);
}

/* Step 6 changes what only copies and fills may change. */
Test(dispute, a_forbidden_write_needs_hashes_only)
{
	struct toy_cheat cheat = {
		.step = 6, .object = 2, .offset = 600, .flip = 1};
	struct program_sample s = {0, 6, PROGRAM_SAMPLE_CTA, 0,
				   PROGRAM_WARP_ALL};

	begin(&cheat);
	(void)accuse(&s, PROGRAM_VERDICT_FRAUD);
	cr_assert_eq(w->referee_runs, 0u);
}

Test(dispute, a_void_sample_strikes_nobody)
{
	struct program_sample s = {0, 2, PROGRAM_SAMPLE_CTA, 0,
				   PROGRAM_WARP_ALL};
	uint64_t before;
	struct hash id;

	begin(NULL);
	w->void_step = 2;
	before = world_balance(w, PROVIDER);
	id = accuse(&s, PROGRAM_VERDICT_VOID);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_void);
	cr_assert_eq(world_audit(w, &x.id).end, VERIFY_END_VOID);
	cr_assert_eq(world_balance(w, PROVIDER), before);
	cr_assert_eq(world_lock(w, PROVIDER, LEDGER_PURPOSE_bond, NULL),
		     PROVIDER_BOND);
	cr_assert_eq(world_lock(w, OUTSIDER, LEDGER_PURPOSE_deposit, &id), 0u);
}

/* At step 1 no provider can have chosen the state: the program is marked and
 * the provider paid. */
Test(dispute, a_void_first_step_marks_the_program)
{

	begin(NULL);
	w->void_step = 1;
	(void)accuse(&sees_it, PROGRAM_VERDICT_VOID);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_void);
	cr_assert_eq(coin_raw(world_get(w, &x.id).paid), PRICE);
}

Test(dispute, refusals)
{
	struct verify_dispute_open open = {.evidence_bytes = 1000};
	struct verify_evidence_part part = {.data = BYTES_LIT("x")};
	struct hash id;

	begin(NULL);
	open.lease.b[0] = 1;
	cr_assert_eq(WORLD_SEND(w, OUTSIDER, DISPUTE_OPEN, dispute_open, &open,
				NULL),
		     REASON_not_found);
	open.lease = x.id;
	WORLD_SEND(w, OUTSIDER, DISPUTE_OPEN, dispute_open, &open, &id);
	cr_assert_eq(WORLD_SEND(w, OUTSIDER, EVIDENCE_PART, evidence_part,
				&part, NULL),
		     REASON_not_found);
	part.case_id = id;
	cr_assert_eq(
		WORLD_SEND(w, BUYER, EVIDENCE_PART, evidence_part, &part, NULL),
		REASON_no_permission);
	cr_assert_eq(WORLD_SEND(w, OUTSIDER, EVIDENCE_PART, evidence_part,
				&part, NULL),
		     REASON_bad_value);
	part.index = 1;
	cr_assert_eq(WORLD_SEND(w, OUTSIDER, EVIDENCE_PART, evidence_part,
				&part, NULL),
		     REASON_wrong_state);
}

/* Evidence of several parts is put together in order. */
Test(dispute, large_evidence)
{
	struct verify_evidence e;
	struct hash id;

	toy_text_bytes = 700000;
	begin(&wrong_byte);
	e = world_evidence(w, t, &sees_it);
	cr_assert_gt(e.opening.n, 700000u);
	id = world_dispute(w, OUTSIDER, &x.id, &e);
	cr_assert_eq(world_case(w, &id).part_count, 3u);
	cr_assert_eq(world_case(w, &id).verdict, PROGRAM_VERDICT_FRAUD);
	toy_text_bytes = 0;
}

/* Opens a dispute and gives the part that completes it, unsent. */
static struct bytes open_case(struct verify_evidence *e, struct buf *part)
{
	struct buf b = buf_make(1 << 20);
	struct verify_dispute_open d = {.lease = x.id};
	struct verify_evidence_part p = {0};

	verify_evidence_encode(&b, e);
	p.data = arena_copy(w->a, buf_bytes(&b));
	buf_free(&b);
	d.evidence_root = merkle_bytes_root(p.data);
	d.evidence_bytes = p.data.n;
	cr_assert_eq(WORLD_SEND(w, OUTSIDER, DISPUTE_OPEN, dispute_open, &d,
				&p.case_id),
		     REASON_none);
	*part = buf_make(1 << 20);
	verify_evidence_part_encode(part, &p);
	return buf_bytes(part);
}

/* A block rules two cases; the third waits for the next. */
Test(dispute, two_rulings_a_block)
{
	struct verify_evidence e;
	struct bytes txs[3];
	struct buf parts[3];
	uint32_t ruled = 0;
	struct verify_case c;

	begin(NULL);
	e = world_evidence(w, t, &sees_it);
	for (int i = 0; i < 3; i++)
		open_case(&e, &parts[i]);
	for (int i = 0; i < 3; i++)
		txs[i] = rig_tx(&w->rig, OUTSIDER, VERIFY_KIND_EVIDENCE_PART,
				buf_bytes(&parts[i]));
	rig_block(&w->rig, txs, 3);
	cr_assert_eq(w->referee_runs, 2u);
	world_idle(w, 1);
	cr_assert_eq(w->referee_runs, 3u);
	for (int i = 0; i < 3; i++) {
		struct dec d = dec_make(buf_bytes(&parts[i]));
		struct verify_evidence_part p;

		verify_evidence_part_decode(&d, w->a, &p);
		c = world_case(w, &p.case_id);
		ruled += c.is_ruled && c.verdict == PROGRAM_VERDICT_VALID;
		buf_free(&parts[i]);
	}
	cr_assert_eq(ruled, 3u);
}

/* A friend of the provider cannot hold the audit up for ever. */
Test(dispute, only_three_of_others_stop_the_windows)
{
	struct verify_dispute_open d = {.evidence_bytes = 10};
	uint32_t who;

	begin(NULL);
	d.lease = x.id;
	for (uint32_t i = 1; i <= 5; i++) {
		cr_assert_eq(WORLD_SEND(w, OUTSIDER, DISPUTE_OPEN, dispute_open,
					&d, NULL),
			     REASON_none);
		cr_assert_eq(world_audit(w, &x.id).stops, i < 3 ? i : 3);
	}
	who = world_auditor(w, &x.id);
	cr_assert_eq(WORLD_SEND(w, who, DISPUTE_OPEN, dispute_open, &d, NULL),
		     REASON_none);
	cr_assert_eq(world_audit(w, &x.id).stops, 4u);
	world_idle(w, 70);
	cr_assert_eq(world_audit(w, &x.id).stops, 0u);
	cr_assert_eq(world_audit(w, &x.id).auditor_count, 1u);
	world_reveal(w, t, &x.id, false);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_settled);
}

/* A referee that fails stops the node at that block; it is never a verdict. */
Test(dispute, a_failed_referee_is_no_verdict)
{
	struct ledger_outcome outcome;
	struct ledger_refusal why;
	struct ledger_proposal p;
	struct verify_evidence e;
	struct bytes tx;
	struct buf part;

	begin(&wrong_byte);
	e = world_evidence(w, t, &sees_it);
	open_case(&e, &part);
	tx = rig_tx(&w->rig, OUTSIDER, VERIFY_KIND_EVIDENCE_PART,
		    buf_bytes(&part));
	p = rig_proposal(&w->rig, &tx, 1);
	w->referee_fails = true;
	cr_assert_eq(ledger_chain_finalize(w->rig.chain, &p, &outcome, &why),
		     ERR_REFEREE);
	/* once it works again, the same block goes on from where it was */
	w->referee_fails = false;
	cr_assert_eq(ledger_chain_finalize(w->rig.chain, &p, &outcome, &why),
		     ERR_OK);
	cr_assert_eq(ledger_chain_commit(w->rig.chain, (struct bytes){0}),
		     ERR_OK);
	cr_assert_eq(world_get(w, &x.id).state, MARKET_LEASE_refuted);
	buf_free(&part);
}
