/*
 * tests/sim/market - many nodes' cores in one process, under a clock that
 * only this program moves.
 *
 *   market [--runs N] [--seed N] [--verbose] [--notes]
 *
 * Four providers, one of which computes from zeroed inputs, two verifiers and
 * a buyer decide with the code of node/; the ledger is real, machines are the
 * toy's (tests/support/toy), and everything between them is hostile: answers
 * come late and out of order, transactions and fetches are lost, nodes die
 * with everything but their journal and come back.  Every run must end with
 * all jobs ended, every lease in a final state and the clock at rest; the
 * chain counts all money after each block; honest providers lose nothing to
 * a verdict and the cheat is never paid for a lease that was audited.  Each
 * run is made twice and must give the same state root.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/merkle.h"
#include "base/must.h"
#include "ledger/tx.h"
#include "market/job.h"
#include "market/kinds.h"
#include "market/lease.h"
#include "tests/sim/shell/shell.h"
#include "verify/kinds.h"

/* All that has arrived, in whatever order, goes into a block. */

static uint32_t take_mail(struct sim *s, struct mail **taken)
{
	struct mail **at = &s->mail;
	uint32_t n = 0;

	while (*at && n < TXS_MAX) {
		struct mail *m = *at;

		if (m->at_ms > s->now_ms) {
			at = &m->next;
			continue;
		}
		*at = m->next;
		taken[n++] = m;
	}
	for (uint32_t i = n; i > 1; i--) {
		uint32_t k = (uint32_t)shell_below(s, i);
		struct mail *m = taken[k];

		taken[k] = taken[i - 1];
		taken[i - 1] = m;
	}
	return n;
}

/* As a pool does: what cannot go into a block is refused at once. */
static bool sign(struct sim *s, const struct mail *m, struct bytes *ret_tx)
{
	uint32_t actor = shell_actor_of(m->node);
	struct ledger_tx_result r;
	struct core_event e = {
		.kind = CORE_EVENT_TX, .ticket = m->ticket, .err = ERR_REFUSED};

	*ret_tx = rig_tx(&s->rig, actor, m->kind, m->body);
	if (ledger_chain_check(s->rig.chain, *ret_tx, LEDGER_CHECK_NEW, &r) ==
	    ERR_OK)
		return true;
	s->rig.seqs[actor]--;
	e.reason = r.reason;
	if (s->notes)
		printf("%8.3f node %u: kind %u: %s, not taken\n",
		       (double)s->now_ms / 1000, m->node, m->kind,
		       reason_word(r.reason));
	shell_tell_later(s, m->node, m->life, 1, &e);
	return false;
}

static void make_block(struct sim *s)
{
	struct mail *taken[TXS_MAX];
	struct bytes txs[TXS_MAX];
	struct core_event block = {.kind = CORE_EVENT_BLOCK};
	uint32_t arrived = take_mail(s, taken), n = 0;

	for (uint32_t i = 0; i < arrived; i++) {
		if (!sign(s, taken[i], &txs[n]))
			continue;
		taken[n++] = taken[i];
	}
	rig_block(&s->rig, txs, n);
	must(s->rig.outcome.hook_refusals == 0);
	for (uint32_t i = 0; i < n; i++) { /* the beacon is number 0 */
		const struct ledger_tx_result *r =
			&s->rig.outcome.results[i + 1];
		struct core_event e = {.kind = CORE_EVENT_TX,
				       .ticket = taken[i]->ticket,
				       .id = r->id,
				       .height = s->rig.outcome.height,
				       .reason = r->reason,
				       .err = r->reason ? ERR_REFUSED : ERR_OK};

		if (s->notes)
			printf("%8.3f node %u: kind %u: %s\n",
			       (double)s->now_ms / 1000, taken[i]->node,
			       taken[i]->kind, reason_word(r->reason));
		shell_tell_later(s, taken[i]->node, taken[i]->life,
				 shell_below(s, 300), &e);
	}
	block.height = s->rig.outcome.height;
	block.time_ms = s->rig.time_ms;
	for (uint32_t i = 0; i < NODES; i++)
		shell_tell_later(s, i, s->nodes[i].life, shell_below(s, 900),
				 &block);
}

/* The market. */

static void post_job(struct sim *s)
{
	const struct program_totals *t = &s->header.totals;
	struct toy_lease *all = shell_toy(s, false, 0, TOY_TASKS);
	struct market_job_terms x = {
		.program_id = all->claim.program_id,
		.header_root = s->header_root,
		.tasks_root = all->claim.tasks_root,
		.task_count = TOY_TASKS,
		.lease_tasks_min = 1,
		.gop_price_max = coin_picks(2000000000),
		.deadline_height = rig_height(&s->rig) + 1000,
		.grace_blocks = 20,
		.work = {.ops_per_task = t->ops_per_task,
			 .limit_ops = 4 * t->ops_per_task,
			 .cta_ops_max = t->cta_ops,
			 .sample_ops =
				 program_sample_ops(&all->program, &s->header),
			 .cta_open_max = t->cta_open,
			 .written_bytes = t->write_bytes,
			 .input_bytes = t->input_bytes,
			 .output_bytes = t->output_bytes,
			 .memory_bytes = s->header.needs.memory_bytes,
			 .step_count = (uint32_t)t->launches,
			 .sm_min = 80,
			 .class_bit = MARKET_CLASS_A_ASSUMED}};
	struct buf b = buf_make(1u << 16);
	struct bytes tx;
	struct hash id;

	market_job_terms_encode(&b, &x);
	tx = rig_tx(&s->rig, shell_actor_of(BUYER), MARKET_KIND_JOB_POST,
		    buf_bytes(&b));
	buf_free(&b);
	id = ledger_tx_id(tx);
	rig_block(&s->rig, &tx, 1);
	must(s->rig.outcome.results[1].reason == REASON_none);
	s->jobs[s->posted++] = market_job_id(&id);
}

static struct bytes tasks_list(struct sim *s)
{
	struct toy_lease *t = shell_toy(s, false, 0, TOY_TASKS);
	struct buf b = buf_make(1u << 20);
	struct bytes out;

	for (uint32_t i = 0; i < TOY_TASKS; i++) {
		uint8_t length[4];

		put_u32_be(length, (uint32_t)t->tasks[i].n);
		buf_put(&b, length, 4);
		buf_put_bytes(&b, t->tasks[i]);
	}
	out = arena_copy(s->arena, buf_bytes(&b));
	buf_free(&b);
	return out;
}

/* What the buyer serves. */
static void fill_store(struct sim *s)
{
	struct toy_lease *t = shell_toy(s, false, 0, TOY_TASKS);
	struct buf program = buf_make(1u << 20), header = buf_make(1u << 20);

	s->program = t->program;
	s->header = toy_header(s->arena, &s->program);
	must(program_header_root(s->arena, &s->header, &s->header_root) ==
	     ERR_OK);
	program_encode(&program, &s->program);
	program_header_encode(&header, &s->header);
	shell_put_blob(s, &t->claim.program_id, buf_bytes(&program));
	shell_put_blob(s, &s->header_root, buf_bytes(&header));
	shell_put_blob(s, &t->claim.tasks_root, tasks_list(s));
	for (uint32_t i = 0; i < TOY_TASKS; i++)
		shell_put_bytes(s, toy_input(s->arena, i), 1500);
	buf_free(&program);
	buf_free(&header);
}

static struct ledger_params params(void)
{
	struct ledger_params p = ledger_params_default();

	p.accept_blocks = 20;
	p.commit_blocks_min = 40;
	p.challenge_blocks = 60;
	p.life_blocks = 3000;
	p.open_blocks = 20;
	p.pledge_blocks = 30;
	p.reveal_blocks = 15;
	p.answer_blocks = 60;
	p.demand_blocks = 20;
	p.delay_blocks = 100;
	p.prove_blocks = 60;
	p.prove_one_in = 3;
	p.lapse_close_blocks = 5;
	return p;
}

static void open_sim(struct sim *s, uint64_t seed)
{
	static struct ledger_rows rows[2];
	static struct ledger_params p;

	rows[0] = (struct ledger_rows){market_kinds, market_kind_count,
				       market_hooks, market_hook_count};
	rows[1] = (struct ledger_rows){verify_kinds, verify_kind_count,
				       verify_hooks, verify_hook_count};
	p = params();
	memset(s, 0, sizeof(*s));
	s->random = seed * 0x9e3779b97f4a7c15ull + 1;
	s->arena = arena_new((size_t)8 << 30);
	s->now_ms = BLOCK_MS;
	rig_open(&s->rig, &(struct rig_options){.rows = rows,
						.row_count = 2,
						.referee = {shell_referee, s},
						.params = &p,
						.actor_count = NODES,
						.balance_picks = FUNDS});
	fill_store(s);
	for (uint32_t i = 0; i < NODES; i++)
		shell_start(s, i);
}

static void close_sim(struct sim *s)
{
	for (uint32_t i = 0; i < NODES; i++)
		core_free(s->nodes[i].core);
	rig_close(&s->rig);
	arena_free(s->arena);
}

/* One block's time: what is due is told, somebody may die. */
static void pass_time(struct sim *s)
{
	uint64_t until_ms = s->now_ms + BLOCK_MS;

	while (s->queue && s->queue->at_ms <= until_ms) {
		struct pending *p = s->queue;

		s->queue = p->next;
		s->now_ms = p->at_ms;
		if (s->nodes[p->node].core && p->life == s->nodes[p->node].life)
			shell_tell(s, p->node, &p->event);
	}
	s->now_ms = until_ms;
	for (uint32_t i = 0; i < NODES; i++)
		if (!s->nodes[i].core && s->nodes[i].back_ms <= s->now_ms)
			shell_start(s, i);
	if (shell_one_in(s, 25)) {
		uint32_t node = (uint32_t)shell_below(s, NODES);

		if (s->nodes[node].core)
			shell_kill(s, node);
	}
}

static bool at_rest(struct sim *s)
{
	struct ledger_info info;

	ledger_chain_info(s->rig.chain, &info);
	return s->posted == JOBS && !info.is_clock_set;
}

struct tally {
	uint32_t leases, settled, refuted, lapsed, other;
	uint32_t done_tasks;
	bool wrong;
};

static bool verbose, notes;

static void count_lease(struct sim *s, const struct market_lease *x,
			struct tally *t)
{
	bool cheat = shell_node_of(s, &x->provider) == CHEAT;
	const char *bad = NULL;
	char id[HASH_TEXT_BYTES];

	t->leases++;
	t->settled += x->state == MARKET_LEASE_settled;
	t->refuted += x->state == MARKET_LEASE_refuted;
	t->lapsed += x->state == MARKET_LEASE_lapsed;
	if (!market_lease_is_final(x->state))
		bad = "has not ended";
	else if (cheat && x->audited)
		bad = "of the cheat passed its audit";
	else if (!cheat && x->state == MARKET_LEASE_refuted)
		bad = "of an honest provider was refuted";
	if (verbose && x->state != MARKET_LEASE_settled &&
	    x->state != MARKET_LEASE_refuted)
		printf("  lease %.8s of provider %u ended %s: %s\n",
		       hash_text(&x->id, id), shell_node_of(s, &x->provider),
		       market_lease_state_word(x->state),
		       reason_word(x->reason));
	if (!bad)
		return;
	t->wrong = true;
	printf("WRONG: a lease %s (provider %u, state %s, reason %s)\n", bad,
	       shell_node_of(s, &x->provider),
	       market_lease_state_word(x->state), reason_word(x->reason));
}

static void count_job(struct sim *s, struct ledger *view, const struct hash *id,
		      struct tally *t)
{
	struct market_job j;
	struct market_lease x;
	struct hash after = HASH_ZERO;

	must(market_job_get(view, id, &j) == ERR_OK);
	t->done_tasks += j.done_count;
	if (verbose && j.done_count < TOY_TASKS)
		printf("  a job ended with %u tasks done, %u quarantined: %s\n",
		       j.done_count, j.quarantined_count,
		       reason_word(j.reason));
	if (j.state != MARKET_JOB_ENDED) {
		t->wrong = true;
		printf("WRONG: a job has not ended (state %d)\n", (int)j.state);
	}
	while (market_lease_next_of_job(view, id, &after, &x) == ERR_OK) {
		after = x.id;
		count_lease(s, &x, t);
	}
}

static struct tally look(struct sim *s)
{
	struct tally t = {0};
	struct ledger *view;

	must(ledger_chain_view(s->rig.chain, &view) == ERR_OK);
	for (uint32_t i = 0; i < s->posted; i++)
		count_job(s, view, &s->jobs[i], &t);
	ledger_chain_view_end(view);
	return t;
}

static bool one_run(uint64_t seed, struct hash *ret_root)
{
	static struct sim s;
	struct ledger_info info;
	struct tally t;
	uint32_t blocks = 0;

	open_sim(&s, seed);
	s.notes = notes;
	while (blocks < BLOCKS_MAX && !at_rest(&s)) {
		pass_time(&s);
		/* some jobs come while others run */
		if (s.posted < JOBS && blocks % 40 == 20)
			post_job(&s);
		make_block(&s);
		blocks++;
	}
	ledger_chain_info(s.rig.chain, &info);
	*ret_root = info.state_root;
	t = look(&s);
	if (!at_rest(&s)) {
		t.wrong = true;
		printf("WRONG: somebody still waits after %u blocks\n", blocks);
	}
	if (verbose || t.wrong)
		printf("seed %llu: %u blocks, %u deaths, %u lost; %u of %u "
		       "tasks; leases: %u, settled %u, refuted %u, lapsed %u\n",
		       (unsigned long long)seed, blocks, s.deaths, s.lost,
		       t.done_tasks, JOBS * TOY_TASKS, t.leases, t.settled,
		       t.refuted, t.lapsed);
	close_sim(&s);
	return !t.wrong;
}

int main(int argc, char **argv)
{
	unsigned long runs = 3, seed = 1, bad = 0;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--verbose") == 0)
			verbose = true;
		else if (strcmp(argv[i], "--notes") == 0)
			notes = true;
		else if (i + 1 < argc && strcmp(argv[i], "--runs") == 0)
			runs = strtoul(argv[++i], NULL, 10);
		else if (i + 1 < argc && strcmp(argv[i], "--seed") == 0)
			seed = strtoul(argv[++i], NULL, 10);
		else
			return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (unsigned long i = 0; i < runs; i++) {
		struct hash once, again;

		bad += !one_run(seed + i, &once);
		bad += !one_run(seed + i, &again);
		if (!hash_eq(&once, &again)) {
			printf("WRONG: seed %lu gives two roots\n", seed + i);
			bad++;
		}
	}
	printf("%lu markets, %lu wrong\n", runs, bad);
	return bad ? 1 : 0;
}
