#include "tests/node/provider/market.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/merkle.h"
#include "gpu/program/trace.h"
#include "ledger/tx.h"
#include "market/kinds.h"
#include "verify/evidence.h"
#include "verify/kinds.h"

static enum err referee(void *ctx, struct arena *a, uint64_t version,
			struct bytes request, struct bytes *ret_verdict)
{
	struct program_judge_request q;
	struct program_judge_answer r = {.verdict = PROGRAM_VERDICT_FRAUD};
	struct program_sample s;
	struct buf b = buf_make(1024);

	(void)ctx, (void)version;
	cr_assert_eq(program_judge_request_decode(request, &q), ERR_OK);
	cr_assert_eq(program_opening_sample(q.opening, &s), ERR_OK);
	if (s.kind == PROGRAM_SAMPLE_PAIR)
		r.verdict = PROGRAM_VERDICT_VOID;
	program_judge_answer_encode(&b, &r);
	*ret_verdict = arena_copy(a, buf_bytes(&b));
	buf_free(&b);
	return ERR_OK;
}

/* Sequential list of items, each after its length. */
static struct bytes list_of(struct arena *a, const struct bytes *items,
			    uint32_t count)
{
	struct buf b = buf_make(1u << 20);
	struct bytes out;

	for (uint32_t i = 0; i < count; i++) {
		uint8_t length[4];

		put_u32_be(length, (uint32_t)items[i].n);
		buf_put(&b, length, 4);
		buf_put_bytes(&b, items[i]);
	}
	out = arena_copy(a, buf_bytes(&b));
	buf_free(&b);
	return out;
}

static void keep(struct fake_market *m, const struct core_action *a)
{
	struct kept *k = m->kept;
	struct kept *end = m->kept + m->kept_count;

	while (k < end && !bytes_eq(buf_bytes(&k->key), a->key))
		k++;
	if (k < end) {
		buf_free(&k->key);
		buf_free(&k->value);
		*k = *--end;
		m->kept_count--;
	}
	if (!a->bytes.p)
		return;
	cr_assert_lt(m->kept_count, MARKET_KEPT_MAX);
	k = &m->kept[m->kept_count++];
	k->key = buf_make(1024);
	k->value = buf_make(1u << 20);
	buf_put_bytes(&k->key, a->key);
	buf_put_bytes(&k->value, a->bytes);
}

static void ask(struct fake_market *m, const struct core_action *a)
{
	struct core_action *copy = &m->asked[m->asked_count++];

	cr_assert_lt(m->asked_count, MARKET_ASKED_MAX);
	*copy = *a;
	copy->bytes = arena_copy(m->arena, a->bytes);
	copy->run.task = arena_copy(m->arena, a->run.task);
}

static void take(struct fake_market *m, const struct core_action *a)
{
	switch (a->kind) {
	case CORE_ACTION_JOURNAL:
		keep(m, a);
		return;
	case CORE_ACTION_RUN:
		m->runs++;
		ask(m, a);
		return;
	case CORE_ACTION_SUBMIT:
	case CORE_ACTION_FETCH:
	case CORE_ACTION_FETCH_OF_LEASE:
	case CORE_ACTION_OPEN:
	case CORE_ACTION_AUDIT:
		ask(m, a);
		return;
	case CORE_ACTION_CANCEL:
		m->cancels++;
		for (size_t i = 0; i < m->asked_count; i++)
			if (m->asked[i].ticket == a->ticket)
				m->asked[i].kind = CORE_ACTION_NOTE;
		return;
	case CORE_ACTION_STORE:
	case CORE_ACTION_PIN:
	case CORE_ACTION_UNPIN:
	case CORE_ACTION_WAKE:
	case CORE_ACTION_REPLY:
	case CORE_ACTION_NOTE:
		return;
	}
}

void market_tell(struct fake_market *m, struct core_event *event)
{
	const struct core_action *actions;
	struct ledger *view;
	size_t count;

	cr_assert_eq(ledger_chain_view(m->rig.chain, &view), ERR_OK);
	event->view = view;
	cr_assert_eq(core_step(m->core, m->now_ms, event, &actions, &count),
		     ERR_OK);
	for (size_t i = 0; i < count; i++)
		take(m, &actions[i]);
	ledger_chain_view_end(view);
}

static void start(struct fake_market *m)
{
	struct core_event e = {.kind = CORE_EVENT_JOURNAL};
	/* what the journal holds now; the core may change it meanwhile */
	size_t count = m->kept_count;

	m->asked_count = 0;
	m->core = core_new();
	m->provider = provider_new(&m->config);
	core_add(m->core, &provider_role, m->provider);
	for (size_t i = 0; i < count; i++) {
		e.key = buf_bytes(&m->kept[i].key);
		e.bytes = buf_bytes(&m->kept[i].value);
		market_tell(m, &e);
	}
	e = (struct core_event){.kind = CORE_EVENT_START};
	market_tell(m, &e);
}

static void configure(struct fake_market *m)
{
	struct market_offer_terms *t = &m->config.offer;

	m->config.account = m->rig.keys[MARKET_PROVIDER];
	m->config.signer = m->rig.keys[MARKET_PROVIDER];
	m->config.key = m->rig.secrets[MARKET_PROVIDER];
	m->config.slots = 8;
	m->config.task_wall_ms = 1000;
	m->config.drop_keep_blocks = 10;
	m->config.has_offer = true;
	t->device = MARKET_DEVICE_CPU;
	t->memory_bytes = 1ull << 32;
	t->gop_price = coin_picks(900000);
	t->rate = 1000000000;
	t->slots = 1;
	t->classes = MARKET_CLASS_A | MARKET_CLASS_A_ASSUMED | MARKET_CLASS_R;
	t->until_height = 100000;
	t->bond_target = coin_picks(100000000);
}

void market_open(struct fake_market *m)
{
	static const struct ledger_rows *rows;
	static struct ledger_rows both[2];

	both[0] = (struct ledger_rows){market_kinds, market_kind_count,
				       market_hooks, market_hook_count};
	both[1] = (struct ledger_rows){verify_kinds, verify_kind_count,
				       verify_hooks, verify_hook_count};
	rows = both;
	memset(m, 0, sizeof(*m));
	rig_open(&m->rig,
		 &(struct rig_options){.rows = rows,
				       .row_count = 2,
				       .referee = {referee, NULL},
				       .actor_count = 3,
				       .balance_picks = 1000000000000ull});
	m->arena = arena_new(256u << 20);
	m->now_ms = 1000;
	configure(m);
	start(m);
}

static void forget(struct fake_market *m)
{
	while (m->kept_count) {
		m->kept_count--;
		buf_free(&m->kept[m->kept_count].key);
		buf_free(&m->kept[m->kept_count].value);
	}
}

void market_shut(struct fake_market *m)
{
	core_free(m->core);
	forget(m);
	arena_free(m->arena);
	rig_close(&m->rig);
}

void market_restart(struct fake_market *m, bool disk_is_lost)
{
	core_free(m->core);
	if (disk_is_lost)
		forget(m);
	start(m);
}

void market_post_job(struct fake_market *m)
{
	struct market_job_terms t = {0};
	struct hash nobody = HASH_ZERO;
	struct toy_lease *toy =
		toy_lease_make(m->arena, &nobody, &m->rig.keys[MARKET_PROVIDER],
			       0, TOY_TASKS, NULL);
	struct program_header h = toy_header(m->arena, &toy->program);
	struct buf b = buf_make(1u << 16);

	cr_assert_eq(program_header_root(m->arena, &h, &m->header_root),
		     ERR_OK);
	m->tasks_root = toy->claim.tasks_root;
	t.program_id = toy->claim.program_id;
	t.header_root = m->header_root;
	t.tasks_root = m->tasks_root;
	t.task_count = TOY_TASKS;
	t.lease_tasks_min = TOY_TASKS;
	t.work.ops_per_task = 100000000;
	t.work.limit_ops = 400000000;
	t.work.cta_ops_max = h.totals.cta_ops;
	t.work.sample_ops = 10;
	t.work.cta_open_max = h.totals.cta_open;
	t.work.written_bytes = h.totals.write_bytes;
	t.work.memory_bytes = 1u << 20;
	t.work.step_count = (uint32_t)h.totals.launches;
	t.work.class_bit = m->class_bit ? m->class_bit : MARKET_CLASS_A_ASSUMED;
	t.gop_price_max = coin_picks(1000000);
	t.deadline_height = rig_height(&m->rig) + 5000;
	t.grace_blocks = 10;
	market_job_terms_encode(&b, &t);
	cr_assert_eq(b.err, ERR_OK);
	{
		struct bytes tx = rig_tx(&m->rig, MARKET_BUYER,
					 MARKET_KIND_JOB_POST, buf_bytes(&b));
		struct hash id = ledger_tx_id(tx);

		rig_block(&m->rig, &tx, 1);
		m->job = market_job_id(&id);
	}
	buf_free(&b);
	for (uint32_t i = 0; i < m->rig.outcome.result_count; i++)
		cr_assert_eq(m->rig.outcome.results[i].reason, REASON_none,
			     "%s",
			     reason_word(m->rig.outcome.results[i].reason));
}

struct market_lease market_the_lease(struct fake_market *m)
{
	struct market_lease lease = {.count = 0};
	struct market_lease found = {.count = 0};
	struct hash after = HASH_ZERO;
	struct ledger *view;

	cr_assert_eq(ledger_chain_view(m->rig.chain, &view), ERR_OK);
	while (market_lease_next_of_job(view, &m->job, &after, &lease) ==
	       ERR_OK) {
		after = lease.id;
		if (!found.count || !market_lease_is_final(lease.state) ||
		    lease.open_height > found.open_height)
			found = lease;
	}
	ledger_chain_view_end(view);
	return found;
}

/* What the toy machine makes of the lease at hand. */
static struct toy_lease *toy_of(struct fake_market *m)
{
	struct market_lease l = market_the_lease(m);

	cr_assert_gt(l.count, 0);
	if (!m->toy || !hash_eq(&m->toy->claim.lease, &l.id))
		m->toy = toy_lease_make(m->arena, &l.id,
					&m->rig.keys[MARKET_PROVIDER], l.first,
					l.count, NULL);
	return m->toy;
}

static struct bytes content_of(struct fake_market *m, const struct hash *root)
{
	struct toy_lease *t = toy_of(m);
	struct buf b = buf_make(1u << 20);
	struct bytes out = {NULL, 0};

	if (hash_eq(root, &m->tasks_root))
		return list_of(m->arena, t->tasks, TOY_TASKS);
	if (hash_eq(root, &t->claim.program_id)) {
		program_encode(&b, &t->program);
	} else if (hash_eq(root, &m->header_root)) {
		struct program_header h = toy_header(m->arena, &t->program);

		program_header_encode(&b, &h);
	}
	out = arena_copy(m->arena, buf_bytes(&b));
	buf_free(&b);
	return out;
}

static void answer_run(struct fake_market *m, const struct core_action *a)
{
	struct toy_lease *t = toy_of(m);
	struct program_task task;
	struct program_result r;
	struct core_ran ran = {.run_ms = 10, .wall_ms = 12, .count = 1000};
	struct core_event e = {
		.kind = CORE_EVENT_RAN, .ticket = a->ticket, .ran = &ran};
	uint64_t k;

	cr_assert_eq(program_task_decode(m->arena, a->run.task, &task), ERR_OK);
	k = task.index - t->claim.first_task;
	cr_assert_eq(program_result_decode(m->arena, t->results[k], &r),
		     ERR_OK);
	ran.steps = r.steps;
	ran.trace_root = r.trace_root;
	ran.objects = r.object_roots;
	ran.object_count = r.object_count;
	ran.memory_roots = merkle_bytes_root(
		bytes_of(t->memory_roots[k], sizeof(t->memory_roots[k])));
	market_tell(m, &e);
}

static struct bytes open_one(struct fake_market *m,
			     const struct program_sample *s,
			     const struct hash *seed)
{
	struct toy_lease *t = toy_of(m);
	uint64_t writer = PROGRAM_WRITER_NONE;
	struct program_opening o;

	if (s->kind == PROGRAM_SAMPLE_CHUNK)
		writer = toy_chunk_writer(m->arena, t, s, seed);
	if (s->kind == PROGRAM_SAMPLE_PAIR) {
		m->pairs++;
		writer = 0;
	}
	o = toy_opening(m->arena, t, s, writer);
	return toy_encode(m->arena, &o);
}

void market_dispute(struct fake_market *m)
{
	struct program_sample s = {0, 6, PROGRAM_SAMPLE_CTA, 2,
				   PROGRAM_WARP_ALL};
	struct program_opening o =
		toy_opening(m->arena, toy_of(m), &s, PROGRAM_WRITER_NONE);
	struct verify_evidence e = {.opening = toy_encode(m->arena, &o)};
	struct verify_dispute_open x = {.lease = market_the_lease(m).id};
	struct verify_evidence_part part = {.index = 0};
	struct buf b = buf_make(1u << 20);
	struct buf body = buf_make(1u << 20);

	verify_evidence_encode(&b, &e);
	x.evidence_root = merkle_bytes_root(buf_bytes(&b));
	x.evidence_bytes = b.n;
	verify_dispute_open_encode(&body, &x);
	cr_assert_eq(rig_send(&m->rig, MARKET_BUYER, VERIFY_KIND_DISPUTE_OPEN,
			      buf_bytes(&body)),
		     REASON_none);
	part.case_id = m->rig.outcome.results[1].id;
	part.data = buf_bytes(&b);
	buf_reset(&body);
	verify_evidence_part_encode(&body, &part);
	cr_assert_eq(rig_send(&m->rig, MARKET_BUYER, VERIFY_KIND_EVIDENCE_PART,
			      buf_bytes(&body)),
		     REASON_none);
	buf_free(&b);
	buf_free(&body);
}

static void answer_other(struct fake_market *m, const struct core_action *a)
{
	struct bytes openings[CORE_SAMPLES_MAX];
	struct core_opened opened = {.openings = openings};
	struct program_judge_answer valid = {.verdict = m->verdict};
	struct core_event e = {.ticket = a->ticket};

	if (a->kind == CORE_ACTION_FETCH) {
		e.kind = CORE_EVENT_FETCHED;
		e.err = m->buyer_is_away ? ERR_UNREACHABLE : ERR_OK;
		if (!e.err && a->want_bytes)
			e.bytes = content_of(m, &a->root);
	} else if (a->kind == CORE_ACTION_OPEN) {
		e.kind = CORE_EVENT_OPENED;
		opened.count = a->open.sample_count;
		for (uint32_t i = 0; i < a->open.sample_count; i++)
			openings[i] =
				open_one(m, &a->open.samples[i], &a->open.seed);
		e.opened = &opened;
	} else if (a->kind == CORE_ACTION_AUDIT) {
		e.kind = CORE_EVENT_AUDITED;
		e.audited = &valid;
	} else {
		return;
	}
	market_tell(m, &e);
}

/* All that is submitted now goes into one block. */
static unsigned make_block(struct fake_market *m)
{
	struct core_action sent[64];
	struct bytes txs[64] = {{NULL, 0}};
	uint32_t n = 0;
	size_t left = 0;
	struct core_event block = {.kind = CORE_EVENT_BLOCK};

	for (size_t i = 0; i < m->asked_count; i++) {
		if (m->asked[i].kind != CORE_ACTION_SUBMIT) {
			m->asked[left++] = m->asked[i];
			continue;
		}
		sent[n] = m->asked[i];
		txs[n] = rig_tx(&m->rig, MARKET_PROVIDER, sent[n].tx_kind,
				sent[n].bytes);
		n++;
	}
	m->asked_count = left;
	rig_block(&m->rig, txs, n);
	m->now_ms += 1000;
	for (uint32_t i = 0; i < n; i++) {
		/* the beacon is transaction 0 */
		const struct ledger_tx_result *r =
			&m->rig.outcome.results[i + 1];
		struct core_event e = {.kind = CORE_EVENT_TX,
				       .ticket = sent[i].ticket,
				       .id = r->id,
				       .reason = r->reason,
				       .err = r->reason ? ERR_REFUSED : ERR_OK};

		market_tell(m, &e);
	}
	market_tell(m, &block);
	return n;
}

void market_turn(struct fake_market *m, unsigned runs)
{
	for (unsigned round = 0; round < 200; round++) {
		size_t i = 0;
		struct core_action a;

		while (i < m->asked_count &&
		       (m->asked[i].kind == CORE_ACTION_SUBMIT ||
			(m->asked[i].kind == CORE_ACTION_RUN && !runs)))
			i++;
		if (i == m->asked_count) {
			if (!make_block(m) && !m->asked_count)
				return;
			if (i && !runs && m->asked[0].kind == CORE_ACTION_RUN)
				return;
			continue;
		}
		a = m->asked[i];
		memmove(&m->asked[i], &m->asked[i + 1],
			(m->asked_count - i - 1) * sizeof(a));
		m->asked_count--;
		if (a.kind != CORE_ACTION_RUN) {
			answer_other(m, &a);
			continue;
		}
		runs--;
		answer_run(m, &a);
	}
	cr_assert_fail("it never comes to rest");
}

void market_blocks(struct fake_market *m, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		(void)make_block(m);
}
