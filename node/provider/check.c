/*
 * node/provider/check - the provider's own look at 4 CTAs before it commits:
 * honest faults of a machine end here as driver_fault, without a mark.
 *
 * All four are of one task, so that it runs once more and not four times.
 * Which ones follows from the results, to be repeatable.
 */
#include <string.h>

#include "base/coin.h"
#include "gpu/program/judge.h"
#include "gpu/program/walk.h"
#include "node/provider/priv/work.h"

#define REQUEST_BYTES_MAX (PROGRAM_OPENING_BYTES_MAX + 4096u)

void work_claim(const struct work *w, struct program_claim *ret_claim)
{
	*ret_claim = (struct program_claim){
		.lease = w->id,
		.provider = w->lease.provider,
		.program_id = w->lease.program_id,
		.tasks_root = w->lease.tasks_root,
		.task_count = w->job_tasks,
		.first_task = w->lease.first,
		.done_count =
			w->lease.commit_height ? w->lease.done : work_done(w),
		.result_root = w->result_root,
	};
}

/* A uniform word for draw number i. */
static uint64_t word(const struct work *w, uint32_t i)
{
	struct sha256 s;
	struct hash h;

	sha256_init(&s);
	sha256_put(&s, w->result_root.b, HASH_BYTES);
	sha256_put_u32_be(&s, i);
	h = sha256_end(&s);
	return u64_be(h.b);
}

/* CTA number at of all CTAs of a task; false when there are fewer. */
static bool cta_at(const struct program_header *h, const struct program *p,
		   uint64_t at, struct program_sample *ret)
{
	for (uint32_t row = 0; row < h->row_count; row++) {
		if (at >= h->rows[row].ctas) {
			at -= h->rows[row].ctas;
			continue;
		}
		ret->kind = PROGRAM_SAMPLE_CTA;
		ret->warp = PROGRAM_WARP_ALL;
		return program_cta_place(p, row, at, &ret->step_number,
					 &ret->number) == ERR_OK;
	}
	return false;
}

void work_check(struct work *w, struct core_out *out)
{
	uint32_t done = work_done(w);
	uint32_t position = (uint32_t)u64_mulhi(word(w, 0), done);
	uint64_t ctas = w->header.totals.ctas;
	struct program_sample samples[WORK_CHECK_SAMPLES];
	struct core_open open = {
		.program = w->lease.program_id,
		.tasks_root = w->lease.tasks_root,
		.leaves_root = w->leaves_root,
		.memory_roots = w->tasks[position].memory_roots,
		.task_index = w->lease.first + (uint64_t)position,
		.position = position,
		.seed = w->result_root,
		.samples = samples,
		.limit_ops = w->lease.work.limit_ops,
	};

	for (uint32_t i = 0; i < WORK_CHECK_SAMPLES; i++) {
		struct program_sample *s = &samples[open.sample_count];

		memset(s, 0, sizeof(*s));
		s->task_index = open.task_index;
		if (ctas && cta_at(&w->header, &w->program,
				   u64_mulhi(word(w, 1 + i), ctas), s))
			open.sample_count++;
	}
	if (!open.sample_count) {
		w->check = CHECK_FINE; /* nothing but copies and fills */
		return;
	}
	w->check = CHECK_OPENING;
	w->check_ticket = core_open(out, &open);
}

static void audit(struct provider *p, struct work *w, struct core_out *out,
		  struct bytes opening)
{
	struct buf b = buf_make(REQUEST_BYTES_MAX);
	struct program_judge_request r = {
		.referee_version = w->lease.referee_version,
		.seed = w->result_root,
		.class = w->header.class,
		.cost_max = DISPUTE_COST_MAX,
		.count_max = w->lease.work.cta_ops_max,
		.opening = opening,
	};

	work_claim(w, &r.claim);
	program_judge_request_encode(&b, &r);
	if (!b.err) {
		w->check_audits[w->check_left++] = core_audit(
			out, &(struct core_audit){
				     .request = buf_bytes(&b),
				     .wall_ms = p->config.task_wall_ms});
	}
	buf_free(&b);
}

void work_check_opened(struct provider *p, struct work *w, struct core_out *out,
		       const struct core_event *event)
{
	w->check_ticket = 0;
	if (event->err || !event->opened->count) {
		w->check = CHECK_WRONG;
		return;
	}
	w->check = CHECK_AUDITING;
	w->check_left = 0;
	for (size_t i = 0; i < event->opened->count && i < WORK_CHECK_SAMPLES;
	     i++)
		audit(p, w, out, event->opened->openings[i]);
	if (!w->check_left)
		w->check = CHECK_WRONG;
}

bool work_check_audited(struct work *w, struct core_out *out,
			const struct core_event *event)
{
	uint32_t i = 0;

	if (w->check != CHECK_AUDITING)
		return false;
	while (i < WORK_CHECK_SAMPLES && w->check_audits[i] != event->ticket)
		i++;
	if (i == WORK_CHECK_SAMPLES)
		return false;
	w->check_audits[i] = 0;
	w->check_left--;
	if (event->err || event->audited->verdict != PROGRAM_VERDICT_VALID) {
		w->check = CHECK_WRONG;
		core_note(out, CORE_NOTE_WARN, "check", &w->id, "%s, %s %u",
			  err_words(event->err),
			  event->err ? ""
				     : program_verdict_word(
					       event->audited->verdict),
			  event->err ? 0 : event->audited->detail);
	} else if (!w->check_left)
		w->check = CHECK_FINE;
	return true;
}
