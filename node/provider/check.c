/*
 * node/provider/check - the provider's own look at 4 samples before it
 * commits: honest faults of a machine end here as driver_fault, a program
 * without a defined result as void, neither with a mark.
 *
 * All four are of one task, so that it runs once more and not four times.
 * Which ones follows from the results, to be repeatable.
 */
#include <string.h>

#include "base/coin.h"
#include "gpu/program/judge.h"
#include "node/provider/priv/work.h"
#include "verify/draw.h"

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

/* Launches' samples of one task, as an audit would draw them. */
static struct verify_draw draw_of(const struct work *w)
{
	struct verify_draw d = {.seed = w->result_root,
				.lease = w->id,
				.result_root = w->result_root,
				.done_count = 1};

	d.first_task = w->lease.first +
		       u64_mulhi(verify_draw_word(&d, WORK_CHECK_SAMPLES, 0),
				 work_done(w));
	return d;
}

void work_check(struct work *w, struct core_out *out)
{
	struct verify_draw d = draw_of(w);
	uint32_t position = (uint32_t)(d.first_task - w->lease.first);
	struct program_sample samples[WORK_CHECK_SAMPLES];
	struct core_open open = {
		.program = w->lease.program_id,
		.tasks_root = w->lease.tasks_root,
		.leaves_root = w->leaves_root,
		.memory_roots = w->tasks[position].memory_roots,
		.task_index = d.first_task,
		.position = position,
		.seed = w->result_root,
		.samples = samples,
		.limit_ops = w->lease.work.limit_ops,
	};

	for (uint32_t i = 0;
	     i < WORK_CHECK_SAMPLES && w->header.totals.ops_per_task; i++)
		if (verify_draw_sample(&d, &w->program, &w->header, i,
				       &samples[open.sample_count]) == ERR_OK)
			open.sample_count++;
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
		w->check = !event->err && event->audited->verdict ==
						   PROGRAM_VERDICT_VOID
				   ? CHECK_VOID
				   : CHECK_WRONG;
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
