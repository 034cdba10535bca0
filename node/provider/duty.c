/*
 * node/provider/duty - what a provider owes after its commit: the openings of
 * the drawn samples, made as soon as the draw is known and before anybody
 * asks, and answers on the chain to demands, and to verdicts that are held
 * until it has shown a conflict.
 *
 * Samples of one task are opened together, because each opening runs the
 * task again.  What is served is one blob, the same for every auditor.
 */
#include <string.h>

#include "base/merkle.h"
#include "gpu/program/walk.h"
#include "ledger/state.h"
#include "node/core/bundle.h"
#include "node/core/post.h"
#include "node/provider/priv/work.h"
#include "verify/audit.h"
#include "verify/draw.h"
#include "verify/evidence.h"
#include "verify/kinds.h"

#define BODY_BYTES_MAX 4096u
#define BACKOFF_MAX_MS 30000u

struct duty {
	bool is_drawn;	 /* what follows is known */
	uint32_t count;	 /* samples of the draw */
	uint32_t opened; /* of them, done */
	struct program_sample *samples;
	struct bundle_item *items; /* opening.p NULL: not yet */
	struct hash seed;
	/* the batch that is being opened */
	uint64_t ticket;
	uint32_t batch[CORE_SAMPLES_MAX];
	uint32_t batch_count;
	uint64_t tamper_ticket; /* the tampered output's bytes */
	struct bytes tampered;
	uint32_t tampered_task;
	uint64_t retry_ms;
	uint64_t backoff_ms;	 /* after the next failure */
	struct hash bundle_root; /* zero: not whole yet */
	/* demands, one place at a time; or a held case */
	struct core_post post;
	uint64_t answered; /* places done by us */
	uint32_t place;
	bool is_held; /* what is asked for is about held, no demand */
	struct hash held;
	struct hash given_up; /* a held case that no conflict was found for */
	struct program_sample asked;
	uint64_t asked_ticket;
};

/* The samples of the audit, once there is one. */
static bool learn_draw(struct work *w, struct duty *d, struct ledger *view)
{
	struct verify_audit audit;
	struct verify_draw draw;

	if (verify_audit_get(view, &w->id, &audit) != ERR_OK)
		return false;
	d->count = audit.sample_count;
	d->seed = audit.seed;
	d->samples = ARENA_ARRAY(w->arena, d->count, struct program_sample);
	d->items = ARENA_ARRAY(w->arena, d->count, struct bundle_item);
	if (!d->samples || !d->items)
		return false;
	draw = verify_draw_of(view->params, &w->lease, &audit.seed);
	for (uint32_t i = 0; i < d->count; i++)
		if (verify_draw_sample(&draw, &w->program, &w->header, i,
				       &d->samples[i]))
			return false;
	return true;
}

/* A demand can come before a draw, or without one, and so can a dispute. */
static bool begin(struct work *w, struct ledger *view)
{
	struct verify_demand demand;
	struct verify_case c;
	struct duty *d = w->duty;
	uint64_t height;

	if (!d) {
		d = ARENA_NEW(w->arena, struct duty);
		if (!d)
			return false;
		d->backoff_ms = WORK_RETRY_MS;
		w->duty = d;
	}
	if (!d->is_drawn)
		d->is_drawn = learn_draw(w, d, view);
	if (d->is_drawn)
		return true;
	d->count = 0;
	if (verify_demand_get(view, &w->id, &demand) || !demand.is_open) {
		if (verify_case_next(view, &w->id, NULL, &c))
			return false;
	}
	return ledger_sampling(view, w->lease.stated_height, &height,
			       &d->seed) == ERR_OK;
}

static uint32_t position_of(const struct work *w,
			    const struct program_sample *s)
{
	uint64_t at = s->task_index - w->lease.first;

	return s->task_index >= w->lease.first && at < w->lease.count
		       ? (uint32_t)at
		       : UINT32_MAX;
}

static uint64_t open_samples(struct work *w, struct core_out *out,
			     uint32_t position,
			     const struct program_sample *samples,
			     uint32_t count)
{
	struct core_open open = {
		.program = w->lease.program_id,
		.tasks_root = w->lease.tasks_root,
		.leaves_root = w->leaves_root,
		.memory_roots = w->tasks[position].memory_roots,
		.task_index = w->lease.first + (uint64_t)position,
		.position = position,
		.seed = w->duty->seed,
		.samples = samples,
		.sample_count = count,
		.limit_ops = w->lease.work.limit_ops,
	};

	return core_open(out, &open);
}

/* The bytes of a tampered task's output, before its samples are opened. */
static bool has_tampered(struct provider *p, struct work *w,
			 struct core_out *out, uint32_t position)
{
	struct duty *d = w->duty;
	struct program_result r;

	if (!tamper_wants(&p->config.tamper,
			  w->lease.first + (uint64_t)position))
		return true;
	if (d->tampered.p && d->tampered_task == position)
		return true;
	if (d->tamper_ticket ||
	    program_result_decode(w->arena, w->tasks[position].result, &r))
		return false;
	d->tampered = (struct bytes){NULL, 0};
	d->tampered_task = position;
	d->tamper_ticket = core_fetch(
		out, &(struct core_fetch){
			     .root = r.object_roots[tamper_object(&w->program)],
			     .name = CORE_NAME_BYTES,
			     .owner = w->id,
			     .bytes_max = CORE_SCRATCH_BYTES_MAX / 4,
			     .want_bytes = true,
		     });
	return false;
}

/* The next samples of one task that are not open yet. */
static void open_batch(struct provider *p, struct work *w, struct core_out *out)
{
	struct program_sample samples[CORE_SAMPLES_MAX];
	struct duty *d = w->duty;
	uint32_t position = UINT32_MAX;

	d->batch_count = 0;
	for (uint32_t i = 0; i < d->count; i++) {
		if (d->items[i].opening.p || d->batch_count == CORE_SAMPLES_MAX)
			continue;
		if (position == UINT32_MAX)
			position = position_of(w, &d->samples[i]);
		if (position != position_of(w, &d->samples[i]))
			continue;
		samples[d->batch_count] = d->samples[i];
		d->batch[d->batch_count++] = i;
	}
	if (position == UINT32_MAX || w->tasks[position].state != TASK_DONE ||
	    !has_tampered(p, w, out, position))
		return;
	d->ticket = open_samples(w, out, position, samples, d->batch_count);
}

/* Sign one opening and keep it. */
static bool keep(struct provider *p, struct work *w, struct core_out *out,
		 struct bytes opening, uint32_t position,
		 struct bundle_item *ret)
{
	struct buf b = buf_make(PROGRAM_OPENING_BYTES_MAX);
	struct hash digest;
	bool fine = false;

	if (tamper_wants(&p->config.tamper,
			 w->lease.first + (uint64_t)position)) {
		if (tamper_opening(core_arena(out), opening,
				   tamper_object(&w->program),
				   w->duty->tampered, &b)) {
			buf_free(&b);
			return false;
		}
		opening = buf_bytes(&b);
	}
	digest = program_opening_digest(&w->id, opening);
	if (sig_sign(&p->config.key, hash_bytes(&digest), NULL, &ret->sig) ==
	    ERR_OK) {
		ret->opening = arena_copy(w->arena, opening);
		fine = ret->opening.p != NULL;
	}
	buf_free(&b);
	return fine;
}

static void make_bundle(struct work *w, struct core_out *out)
{
	struct duty *d = w->duty;
	struct buf b = buf_make(BUNDLE_BYTES_MAX);

	bundle_encode(&b, d->items, d->count);
	if (!b.err) {
		d->bundle_root = merkle_bytes_root(buf_bytes(&b));
		core_store(out, buf_bytes(&b), CORE_NAME_BYTES, &d->bundle_root,
			   &w->id);
		core_note(out, CORE_NOTE_EVENT, "openings", &w->id,
			  "%u samples, %zu bytes", d->count, b.n);
	}
	buf_free(&b);
}

static void take_opened(struct provider *p, struct work *w,
			struct core_out *out, const struct core_event *event)
{
	struct duty *d = w->duty;

	d->ticket = 0;
	if (event->err || event->opened->count != d->batch_count) {
		core_note(out, CORE_NOTE_WARN, "openings", &w->id, "failed: %s",
			  err_words(event->err));
		d->retry_ms = core_now_ms(out) + d->backoff_ms;
		if (d->backoff_ms < BACKOFF_MAX_MS)
			d->backoff_ms *= 2;
		return;
	}
	for (uint32_t i = 0; i < d->batch_count; i++) {
		uint32_t k = d->batch[i];

		if (keep(p, w, out, event->opened->openings[i],
			 position_of(w, &d->samples[k]), &d->items[k]))
			d->opened++;
	}
	if (d->opened == d->count)
		make_bundle(w, out);
}

static void begin_post(struct work *w, struct core_out *out,
		       struct bytes evidence)
{
	struct duty *d = w->duty;
	struct buf b = buf_make(BODY_BYTES_MAX);
	struct hash root = merkle_bytes_root(evidence);

	if (d->is_held) {
		struct verify_dispute_conflict x = {d->held, root, evidence.n};

		verify_dispute_conflict_encode(&b, &x);
	} else {
		struct verify_audit_answer x = {w->id, d->place, root,
						evidence.n};

		verify_audit_answer_encode(&b, &x);
	}
	core_post_begin(&d->post, out, CORE_LANE_PROVIDER,
			d->is_held ? VERIFY_KIND_DISPUTE_CONFLICT
				   : VERIFY_KIND_AUDIT_ANSWER,
			buf_bytes(&b), evidence);
	buf_free(&b);
}

/* Evidence for one place of the demand or a conflict, and the transaction
 * that names it. */
static void post_answer(struct work *w, struct core_out *out,
			struct ledger *view, const struct bundle_item *item,
			bool has_draw, uint32_t draw_index)
{
	struct duty *d = w->duty;
	struct buf b = buf_make(EVIDENCE_BYTES_MAX);
	struct buf header = buf_make(PROGRAM_HEADER_BYTES_MAX);
	struct verify_evidence e = {
		.opening = item->opening,
		.has_sig = true,
		.sig = item->sig,
		.has_draw = has_draw,
		.draw_index = draw_index,
	};
	struct bytes evidence = {NULL, 0};

	program_header_encode(&header, &w->header);
	if (has_draw)
		e.header = buf_bytes(&header);
	verify_evidence_encode(&b, &e);
	if (!b.err && !header.err)
		evidence = arena_copy(w->arena, buf_bytes(&b));
	if (evidence.p && !core_post_resume(&d->post, out, view, &w->id,
					    CORE_LANE_PROVIDER, evidence))
		begin_post(w, out, evidence);
	buf_free(&header);
	buf_free(&b);
}

/* Asked for what is no sample: one of the same step shows that; of the first
 * if there is no such step. */
static void stand_in(const struct work *w, struct program_sample *s)
{
	uint64_t steps = program_launch_count(&w->program);
	const enum program_sample_kind kinds[] = {PROGRAM_SAMPLE_LAUNCH,
						  PROGRAM_SAMPLE_CTA,
						  PROGRAM_SAMPLE_CHUNK};

	if (s->step_number < 1 || s->step_number > steps)
		s->step_number = 1;
	s->number = 0;
	for (size_t i = 0; i < 3; i++) {
		s->kind = kinds[i];
		s->warp = PROGRAM_WARP_ALL;
		if (program_sample_exists(&w->program, s))
			return;
		s->warp = 0;
		if (s->kind == PROGRAM_SAMPLE_CTA &&
		    program_sample_exists(&w->program, s))
			return;
	}
	s->warp = PROGRAM_WARP_ALL;
}

static bool is_answering(const struct duty *d)
{
	return d->post.state == POST_OPENING || d->post.state == POST_PARTS ||
	       d->asked_ticket;
}

/* A verdict against us that waits for a conflict. */
static bool waits(const struct duty *d, const struct verify_case *c,
		  uint64_t height)
{
	return c->held_height >= height && !c->is_ruled &&
	       c->kind != VERIFY_CASE_CONFLICT && hash_is_zero(&c->conflict) &&
	       !hash_eq(&c->id, &d->given_up);
}

/* Look for another CTA that has a part in the disputed bytes. */
static void drive_held(struct work *w, struct core_out *out,
		       struct ledger *view)
{
	struct duty *d = w->duty;
	struct hash after = HASH_ZERO;
	struct verify_case c;
	bool first = true;

	while (!is_answering(d) &&
	       verify_case_next(view, &w->id, first ? NULL : &after, &c) ==
		       ERR_OK) {
		first = false;
		after = c.id;
		if (!waits(d, &c, view->height))
			continue;
		d->asked = (struct program_sample){
			c.sample.task_index, c.sample.step_number,
			PROGRAM_SAMPLE_PAIR, c.cta, PROGRAM_WARP_ALL};
		if (position_of(w, &d->asked) >= w->lease.count)
			continue;
		d->is_held = true;
		d->held = c.id;
		d->asked_ticket = open_samples(
			w, out, position_of(w, &d->asked), &d->asked, 1);
	}
}

/* The first place that nobody has answered. */
static void drive_demand(struct work *w, struct core_out *out,
			 struct ledger *view)
{
	struct duty *d = w->duty;
	struct verify_demand demand;
	uint32_t place = 0;

	if (is_answering(d) || verify_demand_get(view, &w->id, &demand) ||
	    !demand.is_open)
		return;
	while (place < demand.count &&
	       ((demand.answered | d->answered) >> place & 1))
		place++;
	if (place == demand.count)
		return;
	d->place = place;
	d->is_held = false;
	if (demand.by_auditor) {
		uint32_t k = demand.draws[place];

		if (k < d->count && d->items[k].opening.p)
			post_answer(w, out, view, &d->items[k], true, k);
		return;
	}
	d->asked = demand.samples[place];
	if (!program_sample_exists(&w->program, &d->asked))
		stand_in(w, &d->asked);
	if (position_of(w, &d->asked) < w->lease.count)
		d->asked_ticket = open_samples(
			w, out, position_of(w, &d->asked), &d->asked, 1);
}

static void take_asked(struct provider *p, struct work *w, struct core_out *out,
		       const struct core_event *event)
{
	struct bundle_item item;

	w->duty->asked_ticket = 0;
	if (event->err && w->duty->is_held) {
		w->duty->given_up = w->duty->held;
		core_note(out, CORE_NOTE_WARN, "dispute", &w->id,
			  "no conflict was found");
	}
	if (event->err || event->opened->count != 1)
		return;
	if (keep(p, w, out, event->opened->openings[0],
		 position_of(w, &w->duty->asked), &item))
		post_answer(w, out, event->view, &item, false, 0);
}

void duty_drive(struct provider *p, struct work *w, struct core_out *out,
		struct ledger *view)
{
	struct duty *d;

	if (!begin(w, view))
		return;
	d = w->duty;
	if (!d->ticket && d->opened < d->count &&
	    core_now_ms(out) >= d->retry_ms)
		open_batch(p, w, out);
	drive_held(w, out, view);
	drive_demand(w, out, view);
}

bool duty_event(struct provider *p, struct work *w, struct core_out *out,
		const struct core_event *event)
{
	struct duty *d = w->duty;

	if (!d || !event->ticket)
		return false;
	if (core_post_event(&d->post, out, event)) {
		if (d->post.state == POST_DONE && !d->is_held)
			d->answered |= 1ull << d->place;
		return true;
	}
	if (event->ticket == d->ticket) {
		take_opened(p, w, out, event);
		return true;
	}
	if (event->ticket == d->asked_ticket) {
		take_asked(p, w, out, event);
		return true;
	}
	if (event->ticket == d->tamper_ticket) {
		d->tamper_ticket = 0;
		if (!event->err)
			d->tampered = arena_copy(w->arena, event->bytes);
		return true;
	}
	return false;
}

void duty_asked(struct provider *p, struct work *w, struct core_out *out,
		const struct core_event *event)
{
	struct verify_audit audit;
	bool is_drawn = false;

	(void)p;
	if (!event->view ||
	    verify_audit_get(event->view, &w->id, &audit) != ERR_OK) {
		core_reply(out, event->ticket, ERR_BUSY, &w->id);
		return;
	}
	for (uint32_t i = 0; i < audit.auditor_count; i++)
		if (pubkey_eq(&audit.auditors[i], &event->who))
			is_drawn = true;
	if (!is_drawn)
		core_reply(out, event->ticket, ERR_REFUSED, &w->id);
	else if (!w->duty || hash_is_zero(&w->duty->bundle_root))
		core_reply(out, event->ticket, ERR_BUSY, &w->id);
	else
		core_reply(out, event->ticket, ERR_OK, &w->duty->bundle_root);
}
