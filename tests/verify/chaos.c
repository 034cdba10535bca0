/*
 * Random sequences of everything that anybody may send, then silence: every
 * lease, audit, demand and case ends, no deposit stays, no duty is left, the
 * clock is let go.  The ledger counts all money after every block.
 *
 * WEFT_SEED gives the first run's seed, WEFT_HEAVY multiplies the runs.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/codec.h"
#include "base/merkle.h"
#include "base/must.h"
#include "ledger/account.h"
#include "market/job.h"
#include "market/kinds.h"
#include "tests/verify/world.h"

#define RUNS	   12u
#define STEPS	   40u
#define LEASES_MAX 32u
#define QUIET_MAX  700u

static struct world *w;
static uint64_t rng;

/* What the test knows of the leases that it committed. */
static struct {
	struct hash id;
	struct toy_lease *t;
	uint32_t provider;
	struct verify_audit_reveal reveal;
	bool pledged;
} leases[LEASES_MAX];
static uint32_t lease_count;
static struct hash jobs[2 * STEPS];
static uint32_t job_count;

static uint32_t below(uint32_t n)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (uint32_t)((rng >> 11) % n);
}

static struct ledger_params params(void)
{
	struct ledger_params p = world_params();

	p.accept_blocks = 4;
	p.commit_blocks_min = 6;
	p.challenge_blocks = 8;
	p.life_blocks = 90;
	p.open_blocks = 2;
	p.pledge_blocks = 3;
	p.reveal_blocks = 2;
	p.answer_blocks = 5;
	p.delay_blocks = 12;
	p.prove_blocks = 6;
	p.prove_one_in = 2;
	p.bond_return_blocks = 30;
	return p;
}

/* Sends, whatever comes of it. */
#define TRY(who, KIND, name, x, ret_id) \
	(void)WORLD_SEND(w, who, KIND, name, x, ret_id)

static struct ledger *view(void)
{
	struct ledger *l = NULL;

	must(ledger_chain_view(w->rig.chain, &l) == ERR_OK);
	return l;
}

static void post(void)
{
	world_post(w);
	jobs[job_count++] = w->job;
}

static void post_offer(void)
{
	world_offer(w, below(2) ? PROVIDER : PROVIDER2);
}

/* Take some provider's live lease one step on. */
static void work(void)
{
	uint32_t who = below(2) ? PROVIDER : PROVIDER2;
	struct market_lease x;
	struct ledger *l = view();
	enum err err = market_lease_next_live(l, &w->rig.keys[who], NULL, &x);
	struct buf b = buf_make(4096);

	ledger_chain_view_end(l);
	if (err)
		return;
	if (x.state == MARKET_LEASE_open) {
		struct market_lease_accept a = {x.id};

		market_lease_accept_encode(&b, &a);
		world_send_buf(w, who, MARKET_KIND_LEASE_ACCEPT, &b, NULL);
	} else if (x.state == MARKET_LEASE_accepted &&
		   lease_count < LEASES_MAX) {
		/* A draw a statement: those of one initialiser have no order.
		 */
		struct toy_cheat cheat = {.step = 1 + below(TOY_STEPS),
					  .flip = 1};
		cheat.object = below(3);
		cheat.offset = below(600);
		cheat.start = below(8) == 0;
		cheat.end = below(8) == 0;
		struct market_lease_commit c = {.lease = x.id};
		struct toy_lease *t =
			toy_lease_make(w->a, &x.id, &w->rig.keys[who], x.first,
				       x.count, below(2) ? &cheat : NULL);

		c.result.result_root = t->claim.result_root;
		c.result.done = x.count;
		c.result.leaves_root = t->leaves_root;
		c.result.leaves_bytes = 100;
		c.result.totals = (struct market_totals){1, 1, UINT64_MAX};
		market_lease_commit_encode(&b, &c);
		if (world_send_buf(w, who, MARKET_KIND_LEASE_COMMIT, &b,
				   NULL) == REASON_none) {
			leases[lease_count].id = x.id;
			leases[lease_count].t = t;
			leases[lease_count++].provider = who;
		}
	} else {
		buf_free(&b);
	}
}

static bool has_audit(const struct hash *lease, struct verify_audit *a)
{
	struct ledger *l = view();
	enum err err = verify_audit_get(l, lease, a);

	ledger_chain_view_end(l);
	return err == ERR_OK;
}

static uint32_t some_lease(void)
{
	return below(lease_count);
}

static void pledge_or_reveal(void)
{
	uint32_t i = some_lease();
	struct verify_audit_pledge p = {.lease = leases[i].id};
	struct verify_audit a;
	uint32_t who;

	if (!has_audit(&leases[i].id, &a))
		return;
	who = world_auditor(w, &leases[i].id);
	if (leases[i].pledged && below(4)) {
		TRY(who, AUDIT_REVEAL, audit_reveal, &leases[i].reveal, NULL);
		leases[i].pledged = false;
		return;
	}
	leases[i].reveal = (struct verify_audit_reveal){
		.lease = leases[i].id,
		.report = below(5) ? VERIFY_REPORT_VALID
				   : VERIFY_REPORT_UNAVAILABLE,
		.salt.b = {(uint8_t)below(256)}};
	p.pledge = verify_pledge(&w->rig.keys[who], &leases[i].reveal);
	TRY(who, AUDIT_PLEDGE, audit_pledge, &p, NULL);
	leases[i].pledged = true;
}

static struct program_sample some_sample(uint32_t i, uint32_t *ret_draw)
{
	struct program_sample s = {0, 1, PROGRAM_SAMPLE_CTA, 0,
				   PROGRAM_WARP_ALL};
	struct verify_audit a;

	*ret_draw = below(20);
	if (below(4) && has_audit(&leases[i].id, &a))
		s = world_drawn(w, &leases[i].id, *ret_draw);
	return s;
}

/* Parts of e, sometimes only the first, sometimes junk. */
static void send_evidence(uint32_t who, const struct hash *id, struct bytes in)
{
	struct verify_evidence_part p = {*id, 0, in};

	if (below(6))
		TRY(who, EVIDENCE_PART, evidence_part, &p, NULL);
}

static struct bytes some_evidence(uint32_t i, const struct program_sample *s,
				  uint32_t draw, uint32_t provider)
{
	struct verify_evidence e = world_evidence(w, leases[i].t, s);
	struct buf b = buf_make(1 << 20);
	struct bytes out;

	if (below(3))
		world_show_draw(w, &e, draw);
	if (below(2))
		world_sign(w, provider, &leases[i].id, &e);
	if (below(8) == 0)
		e.opening.n /= 2;
	verify_evidence_encode(&b, &e);
	out = arena_copy(w->a, buf_bytes(&b));
	buf_free(&b);
	return out;
}

static void dispute(void)
{
	uint32_t i = some_lease();
	uint32_t who = 1 + below(ACTORS);
	struct verify_dispute_open d = {.lease = leases[i].id};
	struct program_sample s;
	struct bytes in;
	struct hash id;
	uint32_t draw;

	s = some_sample(i, &draw);
	in = some_evidence(i, &s, draw, leases[i].provider);
	d.evidence_root = merkle_bytes_root(in);
	d.evidence_bytes = in.n;
	TRY(who, DISPUTE_OPEN, dispute_open, &d, &id);
	send_evidence(who, &id, in);
}

static void demand(void)
{
	uint32_t i = some_lease();
	struct verify_audit_demand d = {.lease = leases[i].id};
	struct verify_audit a;
	uint32_t draw;

	if (below(2) && has_audit(&leases[i].id, &a)) {
		d.draw_count = 1;
		d.draws[0] = below(21);
		TRY(world_auditor(w, &leases[i].id), AUDIT_DEMAND, audit_demand,
		    &d, NULL);
	} else {
		d.sample_count = 1;
		d.samples[0] = some_sample(i, &draw);
		TRY(BUYER, AUDIT_DEMAND, audit_demand, &d, NULL);
	}
}

static void answer(void)
{
	uint32_t i = some_lease();
	uint32_t who = leases[i].provider;
	struct verify_audit_answer x = {.lease = leases[i].id};
	struct verify_audit_delay delay = {leases[i].id, REASON_power};
	struct verify_demand d;
	struct ledger *l = view();
	enum err err = verify_demand_get(l, &leases[i].id, &d);
	struct program_sample s;
	struct bytes in;
	struct hash id;
	uint32_t draw;

	ledger_chain_view_end(l);
	if (err || !d.is_open)
		return;
	if (below(4) == 0) {
		TRY(who, AUDIT_DELAY, audit_delay, &delay, NULL);
		return;
	}
	s = some_sample(i, &draw);
	if (d.by_auditor && below(4)) {
		draw = d.draws[0];
		s = world_drawn(w, &leases[i].id, draw);
	} else if (below(4)) {
		s = d.samples[0];
	}
	if (s.step_number == 0)
		return;
	in = some_evidence(i, &s, draw, who);
	x.evidence_root = merkle_bytes_root(in);
	x.evidence_bytes = in.n;
	TRY(who, AUDIT_ANSWER, audit_answer, &x, &id);
	send_evidence(who, &id, in);
}

static void prove(void)
{
	uint32_t i = some_lease();
	struct verify_audit_prove x = {.lease = leases[i].id};
	struct verify_audit a;
	struct program_sample s;
	struct bytes in;
	struct hash id;
	uint32_t who;

	if (!has_audit(&leases[i].id, &a) || a.state != VERIFY_AUDIT_PROVE)
		return;
	who = world_auditor(w, &leases[i].id);
	s = world_drawn(w, &leases[i].id, a.prove_index);
	in = some_evidence(i, &s, a.prove_index, leases[i].provider);
	x.evidence_root = merkle_bytes_root(in);
	x.evidence_bytes = in.n;
	TRY(who, AUDIT_PROVE, audit_prove, &x, &id);
	send_evidence(who, &id, in);
}

static void verifier(void)
{
	uint32_t who = VERIFIER + below(VERIFIERS);
	struct verify_verifier_bond bond = {coin_picks(BOND)};
	struct verify_verifier_pause pause = {below(2) == 0};
	struct verify_verifier_unbond none = {0};

	switch (below(6)) {
	case 0:
		TRY(who, VERIFIER_UNBOND, verifier_unbond, &none, NULL);
		break;
	case 1:
		TRY(who, VERIFIER_PAUSE, verifier_pause, &pause, NULL);
		break;
	default:
		TRY(who, VERIFIER_BOND, verifier_bond, &bond, NULL);
		break;
	}
}

static void cancel(uint32_t i)
{
	struct market_job_cancel c = {jobs[i]};
	struct buf b = buf_make(256);

	market_job_cancel_encode(&b, &c);
	world_send_buf(w, BUYER, MARKET_KIND_JOB_CANCEL, &b, NULL);
}

static void act(void)
{
	static void (*const on_leases[])(void) = {
		pledge_or_reveal, pledge_or_reveal, dispute,
		demand,		  answer,	    prove};
	uint32_t n = below(20);

	if (n < 3)
		post();
	else if (n < 8)
		work();
	else if (n < 9)
		verifier();
	else if (n < 10)
		post_offer();
	else if (n < 12)
		world_idle(w, 1 + below(4));
	else if (n == 12 && below(4) == 0)
		cancel(below(job_count));
	else if (lease_count > 0)
		on_leases[below(6)]();
	else
		work();
}

static void check_quiet(uint64_t seed)
{
	struct ledger_lock_id id = {0};
	struct ledger_lock lock;
	struct ledger *l = view();

	for (uint32_t i = 0; i < lease_count; i++) {
		struct market_lease x;
		struct verify_audit a;
		struct verify_demand d;
		struct verify_case c;
		struct hash last;
		bool more = false;

		must(market_lease_get(l, &leases[i].id, &x) == ERR_OK);
		cr_assert(market_lease_is_final(x.state), "seed %llu: a lease",
			  (unsigned long long)seed);
		if (verify_audit_get(l, &leases[i].id, &a) == ERR_OK)
			cr_assert_eq(a.state, VERIFY_AUDIT_DONE,
				     "seed %llu: an audit",
				     (unsigned long long)seed);
		if (verify_demand_get(l, &leases[i].id, &d) == ERR_OK)
			cr_assert_not(d.is_open, "seed %llu: a demand",
				      (unsigned long long)seed);
		while (verify_case_next(l, &leases[i].id, more ? &last : NULL,
					&c) == ERR_OK) {
			cr_assert(c.is_ruled, "seed %llu: a case",
				  (unsigned long long)seed);
			last = c.id;
			more = true;
		}
	}
	for (uint32_t who = 1; who <= ACTORS; who++) {
		struct verify_verifier v;

		id = (struct ledger_lock_id){.owner = w->rig.keys[who]};
		while (ledger_account_lock_next(l, &id, &id, &lock) == ERR_OK)
			cr_assert(id.purpose != LEDGER_PURPOSE_deposit ||
					  coin_is_zero(lock.amount),
				  "seed %llu: a deposit",
				  (unsigned long long)seed);
		if (verify_verifier_get(l, &w->rig.keys[who], &v) == ERR_OK) {
			cr_assert_eq(v.duties, 0u, "seed %llu: a duty",
				     (unsigned long long)seed);
			cr_assert(coin_is_zero(v.reserved));
		}
	}
	ledger_chain_view_end(l);
}

/* How the leases and cases ended, for whoever wants to see what was tried. */
static void tally(void)
{
	struct ledger *l = view();

	for (uint32_t i = 0; i < lease_count; i++) {
		struct market_lease x;
		struct verify_case c;
		struct hash last;
		bool more = false;

		must(market_lease_get(l, &leases[i].id, &x) == ERR_OK);
		printf("lease %s\n", market_lease_state_word(x.state));
		while (verify_case_next(l, &x.id, more ? &last : NULL, &c) ==
		       ERR_OK) {
			printf("case %d %s%s\n", (int)c.kind,
			       program_verdict_word(c.verdict),
			       c.seed_drawn ? " drawn" : "");
			last = c.id;
			more = true;
		}
	}
	ledger_chain_view_end(l);
}

static void run(uint64_t seed)
{
	struct ledger_params p = params();
	uint32_t quiet = 0;

	rng = seed * 0x9e3779b97f4a7c15u + 1;
	lease_count = 0;
	job_count = 0;
	w = world_new(&p);
	w->void_step = below(4) ? 0 : 1 + below(TOY_STEPS);
	world_verifiers(w, 1 + below(VERIFIERS));
	world_offer(w, PROVIDER);
	post();
	for (uint32_t i = 0; i < STEPS; i++)
		act();
	for (uint32_t i = 0; i < job_count; i++)
		cancel(i);
	while (world_holds(w) > 0 && quiet++ < QUIET_MAX)
		world_idle(w, 1);
	cr_assert_leq(quiet, QUIET_MAX, "seed %llu: the clock is held",
		      (unsigned long long)seed);
	check_quiet(seed);
	if (getenv("WEFT_TALLY"))
		tally();
	world_free(w);
}

static uint64_t number(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : otherwise;
}

Test(chaos, everything_ends)
{
	uint64_t seed = number("WEFT_SEED", 1);
	uint64_t runs = RUNS * number("WEFT_HEAVY", 1);

	for (uint64_t i = 0; i < runs; i++)
		run(seed + i);
}
