#include "tests/verify/world.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/merkle.h"
#include "base/must.h"
#include "gpu/program/judge.h"
#include "ledger/money.h"
#include "market/job.h"
#include "market/kinds.h"
#include "market/offer.h"

/* What a run of a CTA gives on the toy machine. */
static struct hash toy_witness(const struct hash *seed,
			       const struct program_run *run)
{
	struct sha256 s;

	sha256_init_tag(&s, "toy/witness");
	sha256_put(&s, seed->b, 32);
	sha256_put_u64_be(&s, run->launch.number);
	sha256_put_u64_be(&s, run->cta);
	return sha256_end(&s);
}

static struct program_judge_answer toy_judge(struct world *w, struct arena *a,
					     struct program_judge_request *q)
{
	struct program_judge_answer r = {0};
	struct program_opening o;
	enum program_finding f;
	struct program_run run;
	struct program_write writes[2];
	size_t n;

	must(program_opening_decode(a, q->opening, &o) == ERR_OK);
	must(program_opening_check(a, &q->claim, &o, &q->seed, &f, &run) ==
	     ERR_OK);
	r.verdict = program_finding_verdict(f);
	if (f != PROGRAM_FINE)
		return r;
	if (!run.needed) {
		r.witness = program_still_witness(&q->witness_seed, &o);
		return r;
	}
	if (run.launch.number == w->void_step) {
		r.verdict = PROGRAM_VERDICT_VOID;
		r.outcome = PROGRAM_OUTCOME_VOID;
		return r;
	}
	if (run.pair) {
		r.verdict = w->conflict ? PROGRAM_VERDICT_VOID
					: PROGRAM_VERDICT_INCOMPLETE;
		return r;
	}
	n = toy_writes(a, run.launch.number, run.launch.step_index, run.cta,
		       writes);
	r.verdict = program_finding_verdict(
		program_run_compare(&run, writes, n, &r.difference));
	r.count = 1000;
	r.cost = 5000;
	r.witness = toy_witness(&q->witness_seed, &run);
	return r;
}

static enum err referee_run(void *ctx, struct arena *a, uint64_t version,
			    struct bytes request, struct bytes *ret_verdict)
{
	struct world *w = ctx;
	struct program_judge_request q;
	struct program_judge_answer r;
	struct buf b = buf_make(1024);

	w->referee_runs++;
	if (w->referee_fails)
		return ERR_REFEREE;
	if (version != 1)
		return ERR_UNSUPPORTED;
	must(program_judge_request_decode(request, &q) == ERR_OK);
	r = toy_judge(w, a, &q);
	program_judge_answer_encode(&b, &r);
	*ret_verdict = arena_copy(a, buf_bytes(&b));
	buf_free(&b);
	return ERR_OK;
}

struct ledger_params world_params(void)
{
	struct ledger_params p = ledger_params_default();

	p.accept_blocks = 10;
	p.commit_blocks_min = 20;
	p.challenge_blocks = 40;
	p.life_blocks = 3000;
	p.newcomer_tasks_ppm = 1000000;
	p.open_blocks = 5;
	p.pledge_blocks = 5;
	p.reveal_blocks = 3;
	p.answer_blocks = 12;
	p.delay_blocks = 30;
	p.prove_blocks = 12;
	p.verifier_unbond_blocks = 20;
	p.prove_one_in = 1000000;
	return p;
}

struct world *world_new(const struct ledger_params *params)
{
	struct ledger_rows rows[2] = {
		{market_kinds, market_kind_count, market_hooks,
		 market_hook_count},
		{verify_kinds, verify_kind_count, verify_hooks,
		 verify_hook_count},
	};
	struct world *w = calloc(1, sizeof(*w));
	struct rig_options o = {.rows = rows,
				.row_count = 2,
				.referee = {referee_run, w},
				.actor_count = ACTORS,
				.balance_picks = FUNDS};
	struct buf b = buf_make(PROGRAM_HEADER_BYTES_MAX);

	w->params = params ? *params : world_params();
	o.params = &w->params;
	rig_open(&w->rig, &o);
	w->a = arena_new(64u << 20);
	w->program = toy_program(w->a);
	w->header = toy_header(w->a, &w->program);
	program_header_encode(&b, &w->header);
	w->header_bytes = arena_copy(w->a, buf_bytes(&b));
	buf_free(&b);
	return w;
}

void world_free(struct world *w)
{
	rig_close(&w->rig);
	arena_free(w->a);
	free(w);
}

enum reason world_send_buf(struct world *w, uint32_t who, uint32_t kind,
			   struct buf *b, struct hash *ret_id)
{
	struct bytes tx = rig_tx(&w->rig, who, kind, buf_bytes(b));
	struct hash id = ledger_tx_id(tx);

	buf_free(b);
	rig_block(&w->rig, &tx, 1);
	cr_assert_eq(w->rig.outcome.hook_refusals, 0u);
	if (ret_id)
		*ret_id = id;
	return w->rig.outcome.results[1].reason;
}

void world_idle(struct world *w, uint32_t blocks)
{
	for (uint32_t i = 0; i < blocks; i++) {
		rig_block(&w->rig, NULL, 0);
		cr_assert_eq(w->rig.outcome.hook_refusals, 0u,
			     "a hook was refused");
	}
}

static void expect_none(enum reason r)
{
	cr_assert_eq(r, REASON_none, "%s", reason_word(r));
}

void world_verifiers(struct world *w, uint32_t count)
{
	struct verify_verifier_bond x = {coin_picks(BOND)};

	for (uint32_t i = 0; i < count; i++)
		expect_none(WORLD_SEND(w, VERIFIER + i, VERIFIER_BOND,
				       verifier_bond, &x, NULL));
}

void world_offer(struct world *w, uint32_t who)
{
	struct market_offer_terms t = {
		.device = MARKET_DEVICE_CPU,
		.memory_bytes = 1ull << 32,
		.gop_price = coin_picks(1000000000000),
		.rate = 1000000000,
		.slots = 4,
		.classes = MARKET_CLASS_A | MARKET_CLASS_A_ASSUMED,
		.until_height = 100000,
		.bond_target = coin_picks(100000000000),
	};
	struct buf b = buf_make(4096);

	market_offer_terms_encode(&b, &t);
	expect_none(world_send_buf(w, who, MARKET_KIND_OFFER_POST, &b, NULL));
}

void world_post(struct world *w)
{
	struct program_totals *s = &w->header.totals;
	struct hash zero = HASH_ZERO;
	struct pubkey key = {{0}};
	struct toy_lease *t = toy_lease_make(w->a, &zero, &key, 0, 1, NULL);
	struct market_job_terms x = {
		.program_id = t->claim.program_id,
		.tasks_root = t->claim.tasks_root,
		.task_count = TOY_TASKS,
		.lease_tasks_min = TOY_TASKS,
		.gop_price_max = coin_picks(1000000000000),
		.deadline_height = rig_height(&w->rig) + 4000,
		.grace_blocks = 20,
	};
	struct buf b = buf_make(4096);
	struct hash id;

	x.work = (struct market_work){
		.ops_per_task = s->ops_per_task,
		.limit_ops = 4 * s->ops_per_task,
		.cta_ops_max = s->cta_ops,
		.sample_ops = program_sample_ops(&w->program, &w->header),
		.cta_open_max = s->cta_open,
		.written_bytes = s->write_bytes,
		.input_bytes = s->input_bytes,
		.output_bytes = s->output_bytes,
		.memory_bytes = w->header.needs.memory_bytes,
		.step_count = (uint32_t)s->launches,
		.sm_min = 80,
		.class_bit = MARKET_CLASS_A_ASSUMED,
	};
	must(program_header_root(w->a, &w->header, &x.header_root) == ERR_OK);
	market_job_terms_encode(&b, &x);
	expect_none(world_send_buf(w, BUYER, MARKET_KIND_JOB_POST, &b, &id));
	w->job = market_job_id(&id);
}

static struct ledger *view(struct world *w)
{
	struct ledger *l = NULL;

	must(ledger_chain_view(w->rig.chain, &l) == ERR_OK);
	return l;
}

static bool live_lease(struct world *w, uint32_t who, struct market_lease *x)
{
	struct ledger *l = view(w);
	bool found =
		market_lease_next_live(l, &w->rig.keys[who], NULL, x) == ERR_OK;

	ledger_chain_view_end(l);
	return found;
}

struct toy_lease *world_lease(struct world *w, uint32_t who,
			      const struct toy_cheat *cheat,
			      struct market_lease *ret_lease)
{
	struct market_lease x;
	struct market_lease_accept accept;
	struct market_lease_commit commit = {0};
	struct buf b = buf_make(4096);
	struct toy_lease *t;

	for (uint32_t i = 0; i < 50 && !live_lease(w, who, &x); i++)
		world_idle(w, 1);
	cr_assert(live_lease(w, who, &x), "no lease was matched");
	accept.lease = x.id;
	market_lease_accept_encode(&b, &accept);
	expect_none(world_send_buf(w, who, MARKET_KIND_LEASE_ACCEPT, &b, NULL));
	t = toy_lease_make(w->a, &x.id, &w->rig.keys[who], x.first, x.count,
			   cheat);
	commit.lease = x.id;
	commit.result.result_root = t->claim.result_root;
	commit.result.done = x.count;
	commit.result.leaves_root = t->leaves_root;
	commit.result.leaves_bytes = 1000;
	commit.result.totals = (struct market_totals){1, 1, UINT64_MAX};
	b = buf_make(4096);
	market_lease_commit_encode(&b, &commit);
	expect_none(world_send_buf(w, who, MARKET_KIND_LEASE_COMMIT, &b, NULL));
	*ret_lease = world_get(w, &x.id);
	return t;
}

void world_sample(struct world *w)
{
	world_idle(w, 2);
}

#define GET(type, name, fn, id_type)                         \
	struct type name(struct world *w, const id_type *id) \
	{                                                    \
		struct type x;                               \
		struct ledger *l = view(w);                  \
                                                             \
		cr_assert_eq(fn(l, id, &x), ERR_OK, #fn);    \
		ledger_chain_view_end(l);                    \
		return x;                                    \
	}
GET(market_lease, world_get, market_lease_get, struct hash)
GET(verify_audit, world_audit, verify_audit_get, struct hash)
GET(verify_case, world_case, verify_case_get, struct hash)
GET(verify_demand, world_demand, verify_demand_get, struct hash)

struct verify_verifier world_verifier(struct world *w, uint32_t who)
{
	struct verify_verifier v;
	struct ledger *l = view(w);

	cr_assert_eq(verify_verifier_get(l, &w->rig.keys[who], &v), ERR_OK);
	ledger_chain_view_end(l);
	return v;
}

uint64_t world_balance(struct world *w, uint32_t who)
{
	return coin_raw(rig_balance(&w->rig, who));
}

uint64_t world_lock(struct world *w, uint32_t who, enum ledger_purpose purpose,
		    const struct hash *object)
{
	struct ledger_lock_id id = {w->rig.keys[who], purpose,
				    object ? *object : HASH_ZERO};
	struct ledger_lock lock;
	struct ledger *l = view(w);

	must(ledger_lock_get(l, &id, &lock) == ERR_OK);
	ledger_chain_view_end(l);
	return coin_raw(lock.amount);
}

uint64_t world_pool(struct world *w)
{
	struct ledger *l = view(w);
	struct coin c;

	must(ledger_pool_get(l, LEDGER_POOL_AUDIT, &c) == ERR_OK);
	ledger_chain_view_end(l);
	return coin_raw(c);
}

uint64_t world_burnt(struct world *w)
{
	struct ledger *l = view(w);
	struct coin issued;
	struct coin burnt;

	must(ledger_totals(l, &issued, &burnt) == ERR_OK);
	ledger_chain_view_end(l);
	return coin_raw(burnt);
}

uint64_t world_holds(struct world *w)
{
	struct ledger *l = view(w);
	uint64_t n;

	must(ledger_clock(l, &n) == ERR_OK);
	ledger_chain_view_end(l);
	return n;
}

uint32_t world_auditor(struct world *w, const struct hash *lease)
{
	struct verify_audit a = world_audit(w, lease);

	for (uint32_t i = 0; i < VERIFIERS; i++)
		if (pubkey_eq(verify_audit_auditor(&a),
			      &w->rig.keys[VERIFIER + i]))
			return VERIFIER + i;
	cr_assert_fail("no verifier is on duty");
	return 0;
}

struct program_sample world_drawn(struct world *w, const struct hash *lease,
				  uint32_t index)
{
	struct market_lease x = world_get(w, lease);
	struct verify_audit a = world_audit(w, lease);
	struct verify_draw d = verify_draw_of(&w->params, &x, &a.seed);
	struct program_sample s;

	must(verify_draw_sample(&d, &w->program, &w->header, index, &s) ==
	     ERR_OK);
	return s;
}

struct verify_evidence world_evidence(struct world *w,
				      const struct toy_lease *t,
				      const struct program_sample *s)
{
	struct hash seed = HASH_ZERO;
	struct verify_audit a;
	struct ledger *l = view(w);
	uint64_t writer = PROGRAM_WRITER_NONE;
	struct program_opening o;

	if (verify_audit_get(l, &t->claim.lease, &a) == ERR_OK)
		seed = a.seed;
	ledger_chain_view_end(l);
	if (s->kind == PROGRAM_SAMPLE_CHUNK)
		writer = toy_chunk_writer(w->a, t, s, &seed);
	if (s->kind == PROGRAM_SAMPLE_PAIR)
		writer = 0;
	o = toy_opening(w->a, t, s, writer);
	return (struct verify_evidence){.opening = toy_encode(w->a, &o)};
}

void world_show_draw(struct world *w, struct verify_evidence *e, uint32_t index)
{
	e->has_draw = true;
	e->draw_index = index;
	e->header = w->header_bytes;
}

void world_sign(struct world *w, uint32_t who, const struct hash *lease,
		struct verify_evidence *e)
{
	struct hash digest = program_opening_digest(lease, e->opening);

	must(sig_sign(&w->rig.secrets[who], hash_bytes(&digest), NULL,
		      &e->sig) == ERR_OK);
	e->has_sig = true;
}

static struct bytes encode(struct world *w, const struct verify_evidence *e)
{
	struct buf b = buf_make(EVIDENCE_BYTES_MAX);
	struct bytes out;

	verify_evidence_encode(&b, e);
	out = arena_copy(w->a, buf_bytes(&b));
	buf_free(&b);
	return out;
}

static void send_parts(struct world *w, uint32_t who, const struct hash *id,
		       struct bytes in)
{
	for (uint32_t i = 0; i < verify_part_count(in.n); i++) {
		struct verify_evidence_part p = {
			*id, i,
			bytes_slice(in, (size_t)i * VERIFY_PART_BYTES,
				    VERIFY_PART_BYTES)};

		expect_none(WORLD_SEND(w, who, EVIDENCE_PART, evidence_part, &p,
				       NULL));
	}
}

struct hash world_dispute(struct world *w, uint32_t who,
			  const struct hash *lease,
			  const struct verify_evidence *e)
{
	struct bytes in = encode(w, e);
	struct verify_dispute_open x = {*lease, merkle_bytes_root(in), in.n};
	struct hash id;

	expect_none(WORLD_SEND(w, who, DISPUTE_OPEN, dispute_open, &x, &id));
	send_parts(w, who, &id, in);
	return id;
}

struct hash world_conflict(struct world *w, const struct hash *held,
			   const struct verify_evidence *e)
{
	struct bytes in = encode(w, e);
	struct verify_dispute_conflict x = {*held, merkle_bytes_root(in), in.n};
	struct hash id;

	expect_none(WORLD_SEND(w, PROVIDER, DISPUTE_CONFLICT, dispute_conflict,
			       &x, &id));
	send_parts(w, PROVIDER, &id, in);
	return id;
}

struct hash world_answer(struct world *w, const struct hash *lease,
			 uint32_t place, const struct verify_evidence *e)
{
	struct bytes in = encode(w, e);
	struct verify_audit_answer x = {*lease, place, merkle_bytes_root(in),
					in.n};
	struct hash id;

	expect_none(
		WORLD_SEND(w, PROVIDER, AUDIT_ANSWER, audit_answer, &x, &id));
	send_parts(w, PROVIDER, &id, in);
	return id;
}

struct hash world_prove(struct world *w, uint32_t who, const struct hash *lease,
			const struct verify_evidence *e)
{
	struct bytes in = encode(w, e);
	struct verify_audit_prove x = {*lease, merkle_bytes_root(in), in.n};
	struct hash id;

	expect_none(WORLD_SEND(w, who, AUDIT_PROVE, audit_prove, &x, &id));
	send_parts(w, who, &id, in);
	return id;
}

struct hash world_witness(struct world *w, const struct toy_lease *t,
			  const struct hash *lease, uint32_t index)
{
	struct program_sample s = world_drawn(w, lease, index);
	struct verify_evidence e = world_evidence(w, t, &s);
	struct verify_audit a = world_audit(w, lease);
	struct market_lease x = world_get(w, lease);
	struct program_judge_request q =
		verify_request(&x, TOY_TASKS, &a.seed, verify_audit_auditor(&a),
			       index, e.opening);

	return toy_judge(w, w->a, &q).witness;
}

static struct hash *witness_leaves(struct world *w, const struct toy_lease *t,
				   const struct hash *lease, uint32_t count)
{
	struct hash *leaves = ARENA_ARRAY(w->a, count, struct hash);

	for (uint32_t i = 0; i < count; i++) {
		struct hash witness = world_witness(w, t, lease, i);

		leaves[i] = verify_witness_leaf(&witness);
	}
	return leaves;
}

void world_witness_path(struct world *w, const struct toy_lease *t,
			const struct hash *lease, uint32_t index,
			struct verify_evidence *e)
{
	struct verify_audit a = world_audit(w, lease);
	struct hash *leaves = witness_leaves(w, t, lease, a.sample_count);
	struct hash *proof;
	size_t n;

	must(program_list_prove(w->a, leaves, a.sample_count, index, 1, &proof,
				&n) == ERR_OK);
	e->witness_proof = bytes_of(proof, n * HASH_BYTES);
}

void world_reveal(struct world *w, const struct toy_lease *t,
		  const struct hash *lease, bool lie)
{
	struct verify_audit a = world_audit(w, lease);
	uint32_t who = world_auditor(w, lease);
	struct hash *leaves = witness_leaves(w, t, lease, a.sample_count);
	struct verify_audit_reveal r = {.lease = *lease, .salt.b = {7}};
	struct verify_audit_pledge p = {.lease = *lease};
	struct hash root;

	for (uint32_t i = 0; lie && i < a.sample_count; i++)
		leaves[i].b[0] ^= 1;
	root = merkle_list_root(leaves, a.sample_count);
	r.witness_root =
		verify_witness_root(lease, verify_audit_auditor(&a), &root);
	p.pledge = verify_pledge(verify_audit_auditor(&a), &r);
	expect_none(WORLD_SEND(w, who, AUDIT_PLEDGE, audit_pledge, &p, NULL));
	expect_none(WORLD_SEND(w, who, AUDIT_REVEAL, audit_reveal, &r, NULL));
}

struct world *world_bonded(void)
{
	struct world *w = world_new(NULL);
	struct market_lease x;
	struct toy_lease *t;

	world_verifiers(w, 3);
	world_offer(w, PROVIDER);
	world_post(w);
	t = world_lease(w, PROVIDER, NULL, &x);
	world_sample(w);
	world_reveal(w, t, &x.id, false);
	world_idle(w, 4);
	return w;
}
