/*
 * node/verifier/verifier - one duty is a line of steps: program, header,
 * openings, samples, pledge, reveal, and if the seed says so a proof.
 *
 * A sample that does not come out as the provider says is answered at once:
 * with a dispute if the opening proves its own falsehood, with a demand if
 * it proves nothing.
 */
#include "node/verifier/verifier.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/codec.h"
#include "base/coin.h"
#include "base/merkle.h"
#include "base/must.h"
#include "gpu/program/header.h"
#include "gpu/program/program.h"
#include "gpu/program/task.h"
#include "ledger/state.h"
#include "market/job.h"
#include "market/lease.h"
#include "node/core/act.h"
#include "node/core/bundle.h"
#include "node/core/post.h"
#include "verify/audit.h"
#include "verify/draw.h"
#include "verify/evidence.h"
#include "verify/kinds.h"
#include "verify/verifier.h"

#define DUTY_BYTES_MAX	  (256u << 20)
#define REQUEST_BYTES_MAX (PROGRAM_OPENING_BYTES_MAX + 4096u)
#define BODY_BYTES_MAX	  (64u << 10)
#define RETRY_MS	  150u
#define MARGIN_BLOCKS	  6u /* before the window's end: a demand */
#define AGAIN_BLOCKS	  4u /* after a refused transaction */

enum duty_phase {
	DUTY_PROGRAM,
	DUTY_HEADER,
	DUTY_OPENINGS,
	DUTY_SAMPLES,
	DUTY_REPORT, /* all valid: pledge, reveal */
	DUTY_ACCUSE, /* bad_index names the sample */
	DUTY_DEMAND, /* bad_index names the sample, or none was served */
};

struct duty_sample {
	uint64_t ticket;
	bool done;
	struct program_judge_answer answer;
};

struct duty {
	bool used;
	struct verify_audit audit;
	struct market_lease lease;
	uint32_t job_tasks;
	struct arena *arena;
	enum duty_phase phase;
	uint64_t ticket; /* fetch */
	uint64_t retry_ms;
	struct program program;
	struct program_header header;
	struct bytes header_bytes;
	struct bundle_item *items;
	struct duty_sample *samples;
	uint32_t running;
	uint32_t bad_index;
	bool demanded;
	bool stopped; /* the demand was seen open */
	struct verify_audit_reveal reveal;
	uint64_t tx_ticket;
	uint64_t tx_again_height;
	struct core_post post; /* dispute or proof */
	uint64_t seen_height;
};

struct verifier {
	struct verifier_config config;
	struct duty duties[VERIFIER_DUTIES_MAX];
	uint64_t height;
	uint32_t running; /* samples, of all duties */
	uint64_t bond_ticket;
	uint64_t bond_again_height;
	struct verifier_status status;
};

struct verifier *verifier_new(const struct verifier_config *config)
{
	struct verifier *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->config = *config;
	if (!v->config.audits)
		v->config.audits = 1;
	v->status.trouble = "";
	return v;
}

static void verifier_free(void *state)
{
	struct verifier *v = state;

	for (size_t i = 0; i < VERIFIER_DUTIES_MAX; i++)
		arena_free(v->duties[i].arena);
	sig_wipe(&v->config.salt_key, sizeof(v->config.salt_key));
	free(v);
}

static struct hash owner_of(const struct duty *d)
{
	struct sha256 s;

	/* another name than the lease's: a provider in the same node pins
	 * under that */
	sha256_init_tag(&s, "weft/duty");
	sha256_put(&s, d->lease.id.b, HASH_BYTES);
	return sha256_end(&s);
}

static void end_duty(struct verifier *v, struct duty *d, struct core_out *out)
{
	struct hash owner = owner_of(d);

	for (uint32_t i = 0; d->samples && i < d->audit.sample_count; i++)
		core_cancel(out, d->samples[i].ticket);
	must(v->running >= d->running);
	v->running -= d->running;
	core_cancel(out, d->ticket);
	core_unpin(out, &owner);
	arena_free(d->arena);
	memset(d, 0, sizeof(*d));
}

static void fetch(struct duty *d, struct core_out *out, const struct hash *root,
		  enum core_name name, uint64_t bytes_max)
{
	struct pubkey from[2] = {d->lease.provider, d->lease.buyer};

	d->ticket = core_fetch(out, &(struct core_fetch){
					    .root = *root,
					    .name = name,
					    .owner = owner_of(d),
					    .bytes_max = bytes_max,
					    .want_bytes = true,
					    .from = from,
					    .from_count = 2,
				    });
}

/* Does the opening that was served for draw index open what was drawn? */
static bool is_drawn(const struct duty *d, struct ledger *view, uint32_t index)
{
	struct verify_draw draw =
		verify_draw_of(view->params, &d->lease, &d->audit.seed);
	struct program_sample drawn, opened;

	return verify_draw_sample(&draw, &d->program, &d->header, index,
				  &drawn) == ERR_OK &&
	       program_opening_sample(d->items[index].opening, &opened) ==
		       ERR_OK &&
	       program_sample_eq(&drawn, &opened);
}

static void proves_nothing(struct duty *d, struct core_out *out, uint32_t index)
{
	d->bad_index = index;
	d->phase = DUTY_DEMAND;
	core_note(out, CORE_NOTE_INFO, "audit", &d->lease.id,
		  "sample %u proves nothing", index);
}

/* Judge the samples that are not judged yet, as many as may run. */
static void run_samples(struct verifier *v, struct duty *d,
			struct core_out *out, struct ledger *view)
{
	for (uint32_t i = 0; i < d->audit.sample_count; i++) {
		struct duty_sample *s = &d->samples[i];
		struct buf b;
		struct program_judge_request r;

		if (v->running >= v->config.audits)
			return;
		if (s->done || s->ticket)
			continue;
		if (!is_drawn(d, view, i)) {
			proves_nothing(d, out, i);
			return;
		}
		r = verify_request(&d->lease, d->job_tasks, &d->audit.seed,
				   &v->config.account, i, d->items[i].opening);
		b = buf_make(REQUEST_BYTES_MAX);
		program_judge_request_encode(&b, &r);
		if (!b.err) {
			s->ticket = core_audit(
				out,
				&(struct core_audit){
					.request = buf_bytes(&b),
					.wall_ms = v->config.audit_wall_ms});
			d->running++;
			v->running++;
		}
		buf_free(&b);
	}
}

/* Our secret, the same after a restart. */
static struct hash salt_of(const struct verifier *v, const struct duty *d)
{
	struct sha256 s;

	sha256_init_tag(&s, "weft/salt");
	sha256_put(&s, v->config.salt_key.b, HASH_BYTES);
	sha256_put(&s, d->lease.id.b, HASH_BYTES);
	return sha256_end(&s);
}

/* What the header declared for a sample; 0: nothing, for a chunk. */
static uint64_t mean_ops_of(const struct duty *d,
			    const struct program_sample *s)
{
	struct program_launch launch;
	const struct program_header_row *row;
	uint64_t ops = 0;

	if (program_launch_at(&d->program, s->step_number, &launch) ||
	    launch.step_index >= d->header.row_count)
		return 0;
	row = &d->header.rows[launch.step_index];
	switch (s->kind) {
	case PROGRAM_SAMPLE_CHUNK:
	case PROGRAM_SAMPLE_PAIR:
		return 0;
	case PROGRAM_SAMPLE_CTA:
		if (s->warp == PROGRAM_WARP_ALL || !row->warps)
			return row->mean_ops;
		return (row->mean_ops + row->warps - 1) / row->warps;
	case PROGRAM_SAMPLE_LAUNCH:
		/* no wider than the sum of the row, which is checked */
		return u64_mul(row->mean_ops, launch.cta_count, &ops) ? ops : 0;
	}
	return 0;
}

/* The report that is pledged and then revealed. */
static bool make_report(struct verifier *v, struct duty *d, struct ledger *view)
{
	struct verify_draw draw =
		verify_draw_of(view->params, &d->lease, &d->audit.seed);
	uint32_t n = d->audit.sample_count;
	struct hash *leaves = ARENA_ARRAY(d->arena, n, struct hash);
	struct hash list;

	d->reveal.counts = ARENA_ARRAY(d->arena, n, struct verify_count);
	if (!leaves || !d->reveal.counts)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const struct program_judge_answer *a = &d->samples[i].answer;
		struct program_sample s;

		if (verify_draw_sample(&draw, &d->program, &d->header, i, &s))
			return false;
		leaves[i] = verify_witness_leaf(&a->witness);
		d->reveal.counts[i].mean_ops = mean_ops_of(d, &s);
		if (d->reveal.counts[i].mean_ops)
			d->reveal.counts[i].count = a->count;
	}
	list = merkle_list_root(leaves, n);
	d->reveal.lease = d->lease.id;
	d->reveal.report = VERIFY_REPORT_VALID;
	d->reveal.count_count = n;
	d->reveal.witness_root =
		verify_witness_root(&d->lease.id, &v->config.account, &list);
	d->reveal.salt = salt_of(v, d);
	return true;
}

static void submit(struct duty *d, struct core_out *out, uint32_t kind,
		   struct buf *body)
{
	if (!body->err)
		d->tx_ticket = core_submit(out, CORE_LANE_VERIFIER, kind,
					   buf_bytes(body));
	buf_free(body);
}

static void report(struct verifier *v, struct duty *d, struct core_out *out,
		   struct ledger *view)
{
	struct buf b = buf_make(BODY_BYTES_MAX);

	if (!d->reveal.counts && !make_report(v, d, view)) {
		buf_free(&b);
		return;
	}
	if (d->audit.state == VERIFY_AUDIT_PLEDGE) {
		struct verify_audit_pledge x = {
			.lease = d->lease.id,
			.pledge = verify_pledge(&v->config.account, &d->reveal),
		};

		verify_audit_pledge_encode(&b, &x);
		submit(d, out, VERIFY_KIND_AUDIT_PLEDGE, &b);
		return;
	}
	verify_audit_reveal_encode(&b, &d->reveal);
	submit(d, out, VERIFY_KIND_AUDIT_REVEAL, &b);
}

/* The path of one witness in the list behind witness_root. */
static struct bytes witness_proof(struct duty *d, uint32_t index)
{
	uint32_t n = d->audit.sample_count;
	struct hash *leaves = ARENA_ARRAY(d->arena, n, struct hash);
	struct hash *proof;
	size_t count;

	if (!leaves)
		return (struct bytes){NULL, 0};
	for (uint32_t i = 0; i < n; i++)
		leaves[i] = verify_witness_leaf(&d->samples[i].answer.witness);
	if (program_list_prove(d->arena, leaves, n, index, 1, &proof, &count))
		return (struct bytes){NULL, 0};
	return bytes_of(proof, count * HASH_BYTES);
}

/* Evidence of a drawn sample, in the duty's arena; empty when it failed. */
static struct bytes evidence_of(struct duty *d, uint32_t index, bool prove)
{
	struct verify_evidence e = {
		.opening = d->items[index].opening,
		.has_sig = true,
		.sig = d->items[index].sig,
		.has_draw = true,
		.draw_index = index,
		.header = d->header_bytes,
	};
	struct buf b = buf_make(EVIDENCE_BYTES_MAX);
	struct bytes kept = {NULL, 0};

	if (prove)
		e.witness_proof = witness_proof(d, index);
	verify_evidence_encode(&b, &e);
	if (!b.err)
		kept = arena_copy(d->arena, buf_bytes(&b));
	buf_free(&b);
	return kept;
}

static void accuse(struct verifier *v, struct duty *d, struct core_out *out,
		   struct ledger *view)
{
	struct bytes evidence = evidence_of(d, d->bad_index, false);
	struct verify_dispute_open x = {.lease = d->lease.id,
					.evidence_bytes = evidence.n};
	struct buf b = buf_make(BODY_BYTES_MAX);

	if (evidence.p && !core_post_resume(&d->post, out, view, &d->lease.id,
					    CORE_LANE_VERIFIER, evidence)) {
		x.evidence_root = merkle_bytes_root(evidence);
		verify_dispute_open_encode(&b, &x);
		core_post_begin(&d->post, out, CORE_LANE_VERIFIER,
				VERIFY_KIND_DISPUTE_OPEN, buf_bytes(&b),
				evidence);
		v->status.accused_count++;
	}
	buf_free(&b);
}

static void prove(struct duty *d, struct core_out *out, struct ledger *view)
{
	struct bytes evidence;
	struct verify_audit_prove x = {.lease = d->lease.id};
	struct buf b = buf_make(BODY_BYTES_MAX);

	if (d->audit.prove_index < d->audit.sample_count) {
		evidence = evidence_of(d, d->audit.prove_index, true);
		x.evidence_root = merkle_bytes_root(evidence);
		x.evidence_bytes = evidence.n;
		verify_audit_prove_encode(&b, &x);
		if (evidence.p && !b.err &&
		    !core_post_resume(&d->post, out, view, &d->lease.id,
				      CORE_LANE_VERIFIER, evidence))
			core_post_begin(&d->post, out, CORE_LANE_VERIFIER,
					VERIFY_KIND_AUDIT_PROVE, buf_bytes(&b),
					evidence);
	}
	buf_free(&b);
}

/* Ask on the chain for what was not served, or proved nothing. */
static void demand(struct verifier *v, struct duty *d, struct core_out *out)
{
	struct verify_audit_demand x = {.lease = d->lease.id, .draw_count = 1};
	struct buf b = buf_make(BODY_BYTES_MAX);

	x.draws[0] = d->bad_index;
	verify_audit_demand_encode(&b, &x);
	submit(d, out, VERIFY_KIND_AUDIT_DEMAND, &b);
	d->demanded = true;
	v->status.demanded_count++;
}

static void drive_fetch(struct duty *d, struct core_out *out)
{
	if (d->ticket || core_now_ms(out) < d->retry_ms)
		return;
	switch (d->phase) {
	case DUTY_PROGRAM:
		fetch(d, out, &d->lease.program_id, CORE_NAME_PROGRAM,
		      PROGRAM_BYTES_MAX);
		return;
	case DUTY_HEADER:
		fetch(d, out, &d->lease.header_root, CORE_NAME_HEADER,
		      PROGRAM_HEADER_BYTES_MAX);
		return;
	case DUTY_OPENINGS:
		d->ticket = core_fetch_of_lease(
			out, CORE_ASK_OPENINGS, &d->lease.id,
			&d->lease.provider, BUNDLE_BYTES_MAX);
		return;
	case DUTY_SAMPLES:
	case DUTY_REPORT:
	case DUTY_ACCUSE:
	case DUTY_DEMAND:
		return;
	}
}

static bool is_late(const struct verifier *v, const struct duty *d)
{
	return d->audit.state == VERIFY_AUDIT_PLEDGE &&
	       v->height + MARGIN_BLOCKS >= d->audit.window_height;
}

/* The demand was answered: look at the openings once more. */
static void look_again(struct duty *d, struct core_out *out)
{
	d->stopped = false;
	d->items = NULL;
	d->samples = NULL;
	d->phase = DUTY_OPENINGS;
	d->retry_ms = core_now_ms(out) + RETRY_MS;
}

static void drive(struct verifier *v, struct duty *d, struct core_out *out,
		  struct ledger *view)
{
	bool posting =
		d->post.state == POST_OPENING || d->post.state == POST_PARTS;

	if (!view || d->tx_ticket || posting || v->height < d->tx_again_height)
		return;
	if (d->demanded && d->audit.stops)
		d->stopped = true;
	if (d->phase == DUTY_DEMAND && d->stopped && !d->audit.stops &&
	    !d->running)
		look_again(d, out);
	if (d->phase < DUTY_SAMPLES) {
		drive_fetch(d, out);
		if (is_late(v, d) && !d->demanded && !d->audit.stops)
			demand(v, d, out);
		return;
	}
	if (d->phase == DUTY_SAMPLES) {
		run_samples(v, d, out, view);
		return;
	}
	if (d->phase == DUTY_ACCUSE && d->post.state != POST_DONE)
		accuse(v, d, out, view);
	else if (d->phase == DUTY_DEMAND && !d->demanded && !d->audit.stops)
		demand(v, d, out);
	else if (d->phase == DUTY_REPORT &&
		 d->audit.state == VERIFY_AUDIT_PROVE &&
		 d->post.state != POST_DONE)
		prove(d, out, view);
	else if (d->phase == DUTY_REPORT &&
		 d->audit.state <= VERIFY_AUDIT_REVEAL)
		report(v, d, out, view);
}

static enum err take_program(struct duty *d, struct bytes bytes)
{
	struct bytes own = arena_copy(d->arena, bytes);

	return own.p ? program_decode(d->arena, own, &d->program)
		     : ERR_NO_MEMORY;
}

static enum err take_header(struct duty *d, struct bytes bytes)
{
	enum err e;

	d->header_bytes = arena_copy(d->arena, bytes);
	if (!d->header_bytes.p)
		return ERR_NO_MEMORY;
	e = program_header_decode(d->arena, d->header_bytes, &d->header);
	return e ? e : program_header_fits(d->arena, &d->program, &d->header);
}

/* All samples must be there and signed; else it is as if none were. */
static enum err take_openings(struct duty *d, struct bytes bytes)
{
	struct bytes own = arena_copy(d->arena, bytes);
	uint32_t count;
	enum err e;

	if (!own.p)
		return ERR_NO_MEMORY;
	e = bundle_decode(d->arena, own, &d->items, &count);
	if (!e && count != d->audit.sample_count)
		e = ERR_MALFORMED;
	d->samples = ARENA_ARRAY(d->arena, d->audit.sample_count,
				 struct duty_sample);
	return !e && !d->samples ? ERR_NO_MEMORY : e;
}

static void take_fetched(struct verifier *v, struct duty *d,
			 struct core_out *out, const struct core_event *event)
{
	enum err e = event->err;

	d->ticket = 0;
	if (!e && d->phase == DUTY_PROGRAM)
		e = take_program(d, event->bytes);
	else if (!e && d->phase == DUTY_HEADER)
		e = take_header(d, event->bytes);
	else if (!e && d->phase == DUTY_OPENINGS)
		e = take_openings(d, event->bytes);
	if (e) {
		d->retry_ms = core_now_ms(out) + RETRY_MS;
		(void)core_wake(out, d->retry_ms);
		if (e != ERR_BUSY)
			v->status.trouble = err_words(e);
		return;
	}
	d->phase++;
}

/* One sample is judged. */
static void take_sample(struct verifier *v, struct duty *d, uint32_t index,
			struct core_out *out, const struct core_event *event)
{
	struct duty_sample *s = &d->samples[index];

	s->ticket = 0;
	must(d->running > 0 && v->running > 0);
	d->running--;
	v->running--;
	if (event->err) {
		/* our own worker failed: again at the next block */
		v->status.trouble = err_words(event->err);
		return;
	}
	s->done = true;
	s->answer = *event->audited;
	v->status.sample_count++;
	v->status.last_ms = core_now_ms(out);
	if (d->phase != DUTY_SAMPLES)
		return;
	switch (s->answer.verdict) {
	case PROGRAM_VERDICT_VALID:
		break;
	case PROGRAM_VERDICT_FRAUD:
	case PROGRAM_VERDICT_VOID:
	case PROGRAM_VERDICT_BAD_START:
	case PROGRAM_VERDICT_BAD_END:
		d->bad_index = index;
		d->phase = DUTY_ACCUSE;
		core_note(out, CORE_NOTE_INFO, "audit", &d->lease.id,
			  "sample %u: %s", index,
			  program_verdict_word(s->answer.verdict));
		return;
	case PROGRAM_VERDICT_UNAVAILABLE:
	case PROGRAM_VERDICT_INCOMPLETE:
		proves_nothing(d, out, index);
		return;
	}
	for (uint32_t i = 0; i < d->audit.sample_count; i++)
		if (!d->samples[i].done)
			return;
	d->phase = DUTY_REPORT;
	v->status.valid_count++;
}

static void take_tx(struct verifier *v, struct duty *d, struct core_out *out,
		    const struct core_event *event)
{
	d->tx_ticket = 0;
	if (!event->err || event->reason == REASON_tx_expired)
		return;
	core_note(out, CORE_NOTE_WARN, "audit", &d->lease.id,
		  "a transaction was refused: %s", reason_word(event->reason));
	d->tx_again_height = v->height + AGAIN_BLOCKS;
}

static bool take_answer(struct verifier *v, struct duty *d,
			struct core_out *out, const struct core_event *event)
{
	if (d->ticket == event->ticket) {
		take_fetched(v, d, out, event);
		return true;
	}
	if (d->tx_ticket == event->ticket) {
		take_tx(v, d, out, event);
		return true;
	}
	if (core_post_event(&d->post, out, event)) {
		if (d->post.state == POST_REFUSED)
			d->tx_again_height = v->height + AGAIN_BLOCKS;
		return true;
	}
	for (uint32_t i = 0; d->samples && i < d->audit.sample_count; i++)
		if (d->samples[i].ticket == event->ticket) {
			take_sample(v, d, i, out, event);
			return true;
		}
	return false;
}

static struct duty *find(struct verifier *v, const struct hash *lease)
{
	for (size_t i = 0; i < VERIFIER_DUTIES_MAX; i++)
		if (v->duties[i].used && hash_eq(&v->duties[i].lease.id, lease))
			return &v->duties[i];
	return NULL;
}

static struct duty *add(struct verifier *v, const struct verify_audit *audit,
			struct ledger *view)
{
	struct market_lease lease;
	struct market_job job;

	if (market_lease_get(view, &audit->lease, &lease) ||
	    market_job_get(view, &lease.job, &job))
		return NULL;
	for (size_t i = 0; i < VERIFIER_DUTIES_MAX; i++) {
		struct duty *d = &v->duties[i];

		if (d->used)
			continue;
		d->arena = arena_new(DUTY_BYTES_MAX);
		if (!d->arena)
			return NULL;
		d->used = true;
		d->lease = lease;
		d->job_tasks = job.terms.task_count;
		return d;
	}
	return NULL;
}

/* No longer in the list of open duties: between two of them, or over. */
static void look_after(struct verifier *v, struct duty *d, struct core_out *out,
		       struct ledger *view)
{
	enum err e = verify_audit_get(view, &d->lease.id, &d->audit);

	if (e == ERR_NOT_FOUND ||
	    (e == ERR_OK &&
	     (d->audit.state == VERIFY_AUDIT_DONE ||
	      !pubkey_eq(verify_audit_auditor(&d->audit), &v->config.account))))
		end_duty(v, d, out);
}

static void bond(struct verifier *v, struct core_out *out, struct ledger *view)
{
	struct verify_verifier self;
	struct verify_verifier_bond x = {.amount = v->config.bond};
	struct buf b;

	if (coin_is_zero(v->config.bond) || v->bond_ticket ||
	    v->height < v->bond_again_height ||
	    verify_verifier_get(view, &v->config.account, &self) !=
		    ERR_NOT_FOUND)
		return;
	b = buf_make(BODY_BYTES_MAX);
	verify_verifier_bond_encode(&b, &x);
	if (!b.err)
		v->bond_ticket =
			core_submit(out, CORE_LANE_VERIFIER,
				    VERIFY_KIND_VERIFIER_BOND, buf_bytes(&b));
	buf_free(&b);
	v->bond_again_height = v->height + AGAIN_BLOCKS;
}

static void reconcile(struct verifier *v, struct core_out *out,
		      struct ledger *view)
{
	struct verify_audit audit;
	struct hash after = HASH_ZERO;
	bool first = true;
	enum err e;

	if (!view)
		return;
	v->height = view->height;
	while (!(e = verify_duty_next(view, &v->config.account,
				      first ? NULL : &after, &audit))) {
		struct duty *d = find(v, &audit.lease);

		first = false;
		after = audit.lease;
		if (!d)
			d = add(v, &audit, view);
		if (!d)
			continue;
		d->audit = audit;
		d->seen_height = v->height;
	}
	if (e != ERR_NOT_FOUND)
		return;
	for (size_t i = 0; i < VERIFIER_DUTIES_MAX; i++) {
		struct duty *d = &v->duties[i];

		if (d->used && d->seen_height != v->height)
			look_after(v, d, out, view);
		if (d->used)
			drive(v, d, out, view);
	}
	bond(v, out, view);
}

static void answer(struct verifier *v, struct core_out *out,
		   const struct core_event *event)
{
	if (event->ticket == v->bond_ticket) {
		v->bond_ticket = 0;
		v->status.trouble = event->err ? "the bond was refused" : "";
		return;
	}
	for (size_t i = 0; i < VERIFIER_DUTIES_MAX; i++) {
		struct duty *d = &v->duties[i];

		if (!d->used || !take_answer(v, d, out, event))
			continue;
		if (event->kind != CORE_EVENT_TX)
			drive(v, d, out, event->view);
		return;
	}
}

static void drive_all(struct verifier *v, struct core_out *out,
		      struct ledger *view)
{
	for (size_t i = 0; i < VERIFIER_DUTIES_MAX; i++)
		if (v->duties[i].used)
			drive(v, &v->duties[i], out, view);
}

static void verifier_step(void *state, struct core_out *out,
			  const struct core_event *event)
{
	struct verifier *v = state;

	switch (event->kind) {
	case CORE_EVENT_START:
	case CORE_EVENT_BLOCK:
		reconcile(v, out, event->view);
		return;
	case CORE_EVENT_TIMER:
		drive_all(v, out, event->view);
		return;
	case CORE_EVENT_TX:
	case CORE_EVENT_FETCHED:
	case CORE_EVENT_AUDITED:
		answer(v, out, event);
		/* a slot may be free for another duty's samples */
		if (event->kind == CORE_EVENT_AUDITED)
			drive_all(v, out, event->view);
		return;
	case CORE_EVENT_JOURNAL:
	case CORE_EVENT_RAN:
	case CORE_EVENT_OPENED:
	case CORE_EVENT_ASKED:
	case CORE_EVENT_PAUSE:
		return;
	}
}

const struct core_role verifier_role = {
	.name = "verifier",
	.step = verifier_step,
	.free = verifier_free,
};

void verifier_status(const struct verifier *v, struct verifier_status *ret)
{
	*ret = v->status;
	ret->duty_count = 0;
	for (size_t i = 0; i < VERIFIER_DUTIES_MAX; i++)
		if (v->duties[i].used)
			ret->duty_count++;
}
