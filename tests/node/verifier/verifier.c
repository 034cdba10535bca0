/*
 * The auditor against a real ledger: a lease of the toy program is committed
 * and drawn; what the auditor says depends on what it is served.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/tx.h"
#include "market/job.h"
#include "market/kinds.h"
#include "market/lease.h"
#include "node/core/act.h"
#include "node/core/bundle.h"
#include "node/verifier/verifier.h"
#include "tests/support/ledger/rig.h"
#include "tests/support/toy.h"
#include "verify/audit.h"
#include "verify/draw.h"
#include "verify/kinds.h"

#define BUYER	  1u
#define PROVIDER  2u
#define AUDITOR	  3u
#define ASKED_MAX 256u

static struct rig rig;
static struct arena *arena;
static struct core *core;
static struct verifier *verifier;
static struct toy_lease *toy;
static struct hash lease;
static struct hash header_root;
static uint64_t now_ms;
static struct core_action asked[ASKED_MAX];
static size_t asked_count;
static unsigned sent[256]; /* by kind */
static unsigned refused;
static bool served;		     /* openings are to be had */
static enum program_verdict verdict; /* of sample 3; others are valid */
static unsigned audits;

static void tell(struct core_event *event)
{
	const struct core_action *actions;
	struct ledger *view;
	size_t count;

	cr_assert_eq(ledger_chain_view(rig.chain, &view), ERR_OK);
	event->view = view;
	cr_assert_eq(core_step(core, now_ms, event, &actions, &count), ERR_OK);
	for (size_t i = 0; i < count; i++) {
		if (actions[i].kind != CORE_ACTION_SUBMIT &&
		    actions[i].kind != CORE_ACTION_FETCH &&
		    actions[i].kind != CORE_ACTION_FETCH_OF_LEASE &&
		    actions[i].kind != CORE_ACTION_AUDIT)
			continue;
		cr_assert_lt(asked_count, ASKED_MAX);
		asked[asked_count] = actions[i];
		asked[asked_count].bytes = arena_copy(arena, actions[i].bytes);
		asked_count++;
	}
	ledger_chain_view_end(view);
}

/* One block of everything that is submitted. */
static void block(void)
{
	struct core_event e = {.kind = CORE_EVENT_BLOCK};
	struct bytes txs[32] = {{NULL, 0}};
	struct core_action submitted[32];
	uint32_t n = 0;
	size_t left = 0;

	for (size_t i = 0; i < asked_count; i++) {
		if (asked[i].kind != CORE_ACTION_SUBMIT) {
			asked[left++] = asked[i];
			continue;
		}
		submitted[n] = asked[i];
		sent[asked[i].tx_kind]++;
		txs[n++] =
			rig_tx(&rig, AUDITOR, asked[i].tx_kind, asked[i].bytes);
	}
	asked_count = left;
	rig_block(&rig, txs, n);
	now_ms += 1000;
	for (uint32_t i = 0; i < n; i++) {
		const struct ledger_tx_result *r =
			&rig.outcome.results[i + rig.outcome.is_live];
		struct core_event t = {.kind = CORE_EVENT_TX,
				       .ticket = submitted[i].ticket,
				       .id = r->id,
				       .reason = r->reason,
				       .err = r->reason ? ERR_REFUSED : ERR_OK};

		refused += r->reason != REASON_none;
		tell(&t);
	}
	tell(&e);
}

static struct bytes encoded_program(const struct hash *root)
{
	struct program_header h = toy_header(arena, &toy->program);
	struct buf b = buf_make(1u << 20);
	struct bytes out;

	if (hash_eq(root, &header_root))
		program_header_encode(&b, &h);
	else
		program_encode(&b, &toy->program);
	out = arena_copy(arena, buf_bytes(&b));
	buf_free(&b);
	return out;
}

static bool is_swapped;

/* As the provider would serve it; the toy's openings are honest. */
static struct bytes the_bundle(void)
{
	struct program_header h = toy_header(arena, &toy->program);
	struct verify_audit audit;
	struct market_lease l;
	struct verify_draw draw;
	struct bundle_item *items;
	struct ledger *view;
	struct buf b = buf_make(64u << 20);
	struct bytes out;

	cr_assert_eq(ledger_chain_view(rig.chain, &view), ERR_OK);
	cr_assert_eq(verify_audit_get(view, &lease, &audit), ERR_OK);
	cr_assert_eq(market_lease_get(view, &lease, &l), ERR_OK);
	draw = verify_draw_of(view->params, &l, &audit.seed);
	items = ARENA_ARRAY(arena, audit.sample_count, struct bundle_item);
	for (uint32_t i = 0; i < audit.sample_count; i++) {
		struct buf one = buf_make(16u << 20);
		struct program_sample s;
		struct program_opening o;
		struct hash digest;

		cr_assert_eq(
			verify_draw_sample(&draw, &toy->program, &h, i, &s),
			ERR_OK);
		o = toy_opening(
			arena, toy, &s,
			s.kind == PROGRAM_SAMPLE_CHUNK
				? toy_chunk_writer(arena, toy, &s, &audit.seed)
				: PROGRAM_WRITER_NONE);
		program_opening_encode(&one, &o);
		items[i].opening = arena_copy(arena, buf_bytes(&one));
		digest = program_opening_digest(&lease, items[i].opening);
		cr_assert_eq(sig_sign(&rig.secrets[PROVIDER],
				      hash_bytes(&digest), NULL, &items[i].sig),
			     ERR_OK);
		buf_free(&one);
	}
	/* honest openings all, but one is not of what was drawn */
	if (is_swapped)
		items[2] = items[1];
	bundle_encode(&b, items, audit.sample_count);
	out = arena_copy(arena, buf_bytes(&b));
	buf_free(&b);
	ledger_chain_view_end(view);
	return out;
}

static void answer(const struct core_action *a)
{
	struct program_judge_answer judged = {.verdict = PROGRAM_VERDICT_VALID,
					      .count = 1};
	struct core_event e = {.ticket = a->ticket};

	if (a->kind == CORE_ACTION_AUDIT) {
		if (audits++ == 3)
			judged.verdict = verdict;
		e.kind = CORE_EVENT_AUDITED;
		e.audited = &judged;
	} else if (a->kind == CORE_ACTION_FETCH) {
		e.kind = CORE_EVENT_FETCHED;
		e.bytes = encoded_program(&a->root);
	} else {
		e.kind = CORE_EVENT_FETCHED;
		e.err = served ? ERR_OK : ERR_UNREACHABLE;
		if (served)
			e.bytes = the_bundle();
	}
	tell(&e);
}

/* Answers and blocks, so many of them. */
static void turn(unsigned blocks)
{
	while (blocks--) {
		for (size_t i = 0; i < asked_count;) {
			struct core_action a = asked[i];

			if (a.kind == CORE_ACTION_SUBMIT) {
				i++;
				continue;
			}
			memmove(&asked[i], &asked[i + 1],
				(asked_count - i - 1) * sizeof(a));
			asked_count--;
			answer(&a);
		}
		block();
	}
}

static void must_send(uint32_t actor, uint32_t kind, struct buf *b)
{
	enum reason r = rig_send(&rig, actor, kind, buf_bytes(b));

	cr_assert_eq(b->err, ERR_OK);
	cr_assert_eq(r, REASON_none, "kind %u: %s", kind, reason_word(r));
	buf_free(b);
}

static void post_offer(void)
{
	struct market_offer_terms t = {.device = MARKET_DEVICE_CPU,
				       .memory_bytes = 1ull << 32,
				       .gop_price = {900000},
				       .rate = 1000000000,
				       .slots = 1,
				       .classes = MARKET_CLASS_A_ASSUMED,
				       .until_height = 100000,
				       .bond_target = {100000000}};
	struct buf b = buf_make(4096);

	market_offer_terms_encode(&b, &t);
	must_send(PROVIDER, MARKET_KIND_OFFER_POST, &b);
}

static void post_job(void)
{
	struct program_header h = toy_header(arena, &toy->program);
	struct market_job_terms t = {.task_count = TOY_TASKS,
				     .lease_tasks_min = TOY_TASKS,
				     .gop_price_max = {1000000},
				     .grace_blocks = 10};
	struct buf b = buf_make(4096);

	cr_assert_eq(program_header_root(arena, &h, &header_root), ERR_OK);
	t.program_id = toy->claim.program_id;
	t.header_root = header_root;
	t.tasks_root = toy->claim.tasks_root;
	t.work.ops_per_task = 100000000;
	t.work.limit_ops = 400000000;
	t.work.cta_ops_max = h.totals.cta_ops;
	t.work.sample_ops = 10;
	t.work.cta_open_max = h.totals.cta_open;
	t.work.written_bytes = h.totals.write_bytes;
	t.work.memory_bytes = 1u << 20;
	t.work.step_count = (uint32_t)h.totals.launches;
	t.work.class_bit = MARKET_CLASS_A_ASSUMED;
	t.deadline_height = rig_height(&rig) + 5000;
	market_job_terms_encode(&b, &t);
	must_send(BUYER, MARKET_KIND_JOB_POST, &b);
}

/* The provider's part, by hand: accept and commit what the toy computed. */
static void commit_lease(void)
{
	struct market_lease_accept accept;
	struct market_lease_commit commit = {.result = {.done = 0}};
	struct market_lease l;
	struct ledger *view;
	struct buf b = buf_make(4096);

	cr_assert_eq(ledger_chain_view(rig.chain, &view), ERR_OK);
	cr_assert_eq(
		market_lease_next_live(view, &rig.keys[PROVIDER], NULL, &l),
		ERR_OK);
	ledger_chain_view_end(view);
	lease = accept.lease = commit.lease = l.id;
	market_lease_accept_encode(&b, &accept);
	must_send(PROVIDER, MARKET_KIND_LEASE_ACCEPT, &b);
	toy = toy_lease_make(arena, &l.id, &rig.keys[PROVIDER], l.first,
			     l.count, NULL);
	commit.result.result_root = toy->claim.result_root;
	commit.result.leaves_root = toy->leaves_root;
	commit.result.leaves_bytes = 100;
	commit.result.done = l.count;
	b = buf_make(4096);
	market_lease_commit_encode(&b, &commit);
	must_send(PROVIDER, MARKET_KIND_LEASE_COMMIT, &b);
}

/* Rules as the test's verdict says. */
static enum err referee(void *ctx, struct arena *a, uint64_t version,
			struct bytes request, struct bytes *ret_verdict)
{
	struct program_judge_answer judged = {.verdict = verdict};
	struct buf b = buf_make(4096);

	(void)ctx, (void)version, (void)request;
	program_judge_answer_encode(&b, &judged);
	*ret_verdict = arena_copy(a, buf_bytes(&b));
	buf_free(&b);
	return ERR_OK;
}

static void begin(void)
{
	static struct ledger_rows rows[2];
	struct verifier_config config = {.bond = {20000000000}, .audits = 2};
	struct core_event start = {.kind = CORE_EVENT_START};
	struct hash nobody = HASH_ZERO;

	rows[0] = (struct ledger_rows){market_kinds, market_kind_count,
				       market_hooks, market_hook_count};
	rows[1] = (struct ledger_rows){verify_kinds, verify_kind_count,
				       verify_hooks, verify_hook_count};
	rig_open(&rig, &(struct rig_options){.rows = rows,
					     .referee = {referee, NULL},
					     .row_count = 2,
					     .actor_count = 3,
					     .balance_picks = 1000000000000});
	arena = arena_new(1u << 30);
	toy = toy_lease_make(arena, &nobody, &rig.keys[PROVIDER], 0, TOY_TASKS,
			     NULL);
	now_ms = 1000;
	served = true;
	is_swapped = false;
	verdict = PROGRAM_VERDICT_VALID;
	config.account = rig.keys[AUDITOR];
	core = core_new();
	verifier = verifier_new(&config);
	core_add(core, &verifier_role, verifier);
	tell(&start);
	turn(2); /* the bond */
	post_offer();
	post_job();
	commit_lease();
}

static void end(void)
{
	core_free(core);
	arena_free(arena);
	rig_close(&rig);
}

TestSuite(verifier, .init = begin, .fini = end, .timeout = 60);

static struct market_lease the_lease(void)
{
	struct market_lease l;
	struct ledger *view;

	cr_assert_eq(ledger_chain_view(rig.chain, &view), ERR_OK);
	cr_assert_eq(market_lease_get(view, &lease, &l), ERR_OK);
	ledger_chain_view_end(view);
	return l;
}

Test(verifier, bonds_pledges_and_reveals)
{
	struct verifier_status s;

	cr_assert_eq(sent[VERIFY_KIND_VERIFIER_BOND], 1);
	turn(12);
	cr_assert_eq(sent[VERIFY_KIND_AUDIT_PLEDGE], 1);
	cr_assert_eq(sent[VERIFY_KIND_AUDIT_REVEAL], 1);
	cr_assert_eq(refused, 0);
	cr_assert_eq(the_lease().state, MARKET_LEASE_settled);
	cr_assert(the_lease().audited);
	verifier_status(verifier, &s);
	cr_assert_eq(s.valid_count, 1);
	cr_assert_eq(s.accused_count, 0);
	cr_assert_eq(s.sample_count, audits);
}

Test(verifier, opens_a_dispute_when_a_byte_differs)
{
	verdict = PROGRAM_VERDICT_FRAUD;
	turn(6);
	cr_assert_eq(sent[VERIFY_KIND_DISPUTE_OPEN], 1);
	cr_assert_geq(sent[VERIFY_KIND_EVIDENCE_PART], 1);
	cr_assert_eq(sent[VERIFY_KIND_AUDIT_PLEDGE], 0);
	cr_assert_eq(refused, 0);
	cr_assert_eq(the_lease().state, MARKET_LEASE_refuted);
}

Test(verifier, demands_a_sample_that_proves_nothing)
{
	verdict = PROGRAM_VERDICT_INCOMPLETE;
	turn(6);
	cr_assert_eq(sent[VERIFY_KIND_AUDIT_DEMAND], 1);
	cr_assert_eq(sent[VERIFY_KIND_DISPUTE_OPEN], 0);
	cr_assert_eq(refused, 0);
}

/* A cheat would answer every draw with the one CTA that it did run. */
Test(verifier, demands_a_sample_for_which_another_was_served)
{
	is_swapped = true;
	turn(6);
	cr_assert_eq(sent[VERIFY_KIND_AUDIT_DEMAND], 1);
	cr_assert_eq(sent[VERIFY_KIND_AUDIT_PLEDGE], 0);
	cr_assert_eq(refused, 0);
}

Test(verifier, demands_what_is_not_served_before_its_window_ends)
{
	unsigned blocks = 0;

	served = false;
	while (!sent[VERIFY_KIND_AUDIT_DEMAND] && blocks++ < 400)
		turn(1);
	cr_assert_gt(blocks, 3); /* it waits first */
	cr_assert_eq(sent[VERIFY_KIND_AUDIT_DEMAND], 1);
	cr_assert_eq(refused, 0);
	cr_assert_eq(the_lease().state, MARKET_LEASE_auditing);
}
