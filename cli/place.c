/*
 * The lines are asked of a worker, since finding them parses the PTX.  No
 * answer is no failure: the message is then shorter.
 */
#include "cli/place.h"

#include <inttypes.h>

#include "cli/work.h"

static void ask_lines(struct cli *c, struct buf *request,
		      struct job_places *ret)
{
	struct client_options o = {0};
	struct client *client;
	struct bytes answer;

	ret->found = false;
	if (request->err || client_run(&o, WIRE_LINES, buf_bytes(request), NULL,
				       0, NULL, NULL, &client))
		return;
	if (client_state_of(client) == CLIENT_ANSWERED) {
		answer = arena_copy(c->arena, client_answer(client));
		if (!answer.p || job_places_decode(c->arena, answer, ret))
			ret->found = false;
	}
	client_free(client);
}

static void take_places(struct job_run *run, const struct job_places *places,
			struct bytes *ret_file)
{
	if (places->place_count != 2 * run->finding_count + 1)
		return;
	run->source_line = places->places[0].line;
	*ret_file = places->places[0].file;
	for (uint32_t i = 0; i < run->finding_count; i++) {
		run->findings[i].source_line = places->places[2 * i + 1].line;
		run->findings[i].other_source_line =
			places->places[2 * i + 2].line;
	}
}

void place_find(struct cli *c, const struct local_job *j, struct job_run *run,
		struct bytes *ret_file)
{
	uint64_t lines[2 * JOB_FINDINGS_MAX + 1] = {run->line};

	*ret_file = (struct bytes){0};
	for (uint32_t i = 0; i < run->finding_count; i++) {
		lines[2 * i + 1] = run->findings[i].line;
		lines[2 * i + 2] = run->findings[i].other_line;
	}
	for (uint32_t i = 0; i < j->ptx_count && run->line; i++) {
		struct job_lines l = {.ptx = j->ptx[i].text,
				      .kernel = run->kernel,
				      .lines = lines,
				      .line_count = 2 * run->finding_count + 1};
		struct buf request = buf_make(WIRE_FRAME_BYTES_MAX);
		struct job_places places;

		job_lines_encode(&request, &l);
		ask_lines(c, &request, &places);
		buf_free(&request);
		if (!places.found)
			continue;
		take_places(run, &places, ret_file);
		return;
	}
}

static void put_line(struct buf *out, struct bytes file, uint64_t source_line,
		     uint64_t line)
{
	if (source_line && file.n)
		buf_printf(out, ", %.*s:%" PRIu64, (int)file.n,
			   (const char *)file.p, source_line);
	else if (source_line)
		buf_printf(out, ", source line %" PRIu64, source_line);
	if (line)
		buf_printf(out, ", PTX line %" PRIu64, line);
}

/* As compute-sanitizer has it: what, where and by whom, and the access that
 * it clashes with. */
static void put_finding(struct buf *out, const struct job_run *run,
			const struct job_finding *f, struct bytes file)
{
	buf_printf(out, "\n  %.*s: %.*s\n      in %.*s", (int)f->kind.n,
		   (const char *)f->kind.p, (int)f->text.n,
		   (const char *)f->text.p, (int)run->kernel.n,
		   (const char *)run->kernel.p);
	put_line(out, file, f->source_line, f->line);
	buf_printf(out, "\n      by CTA %" PRIu64 ", thread %" PRIu64, f->cta,
		   f->thread);
	if (f->address)
		buf_printf(out, ", address 0x%" PRIx64, f->address);
	if (f->count > 1)
		buf_printf(out, ", and %" PRIu64 " times more", f->count - 1);
	if (!f->other_line)
		return;
	buf_put_str(out, "\n      after the access");
	put_line(out, file, f->other_source_line, f->other_line);
	if (bytes_eq(f->kind, BYTES_LIT("cross_cta")))
		buf_printf(out, ", by CTA %" PRIu64, f->other_cta);
}

static void put_summary(struct buf *out, const struct job_run *run)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < run->finding_count; i++)
		all += run->findings[i].count;
	if (run->finding_count)
		buf_printf(out, "\n  findings: %u, %" PRIu64 " in all",
			   run->finding_count, all);
}

void place_put(struct buf *out, const struct job_run *run, struct bytes file)
{
	buf_put_str(out, job_outcome_word(run->outcome));
	if (run->reason.n)
		buf_printf(out, ": %.*s: %.*s", (int)run->reason.n,
			   (const char *)run->reason.p, (int)run->text.n,
			   (const char *)run->text.p);
	if (run->outcome != JOB_OK && run->kernel.n) {
		buf_printf(out, "\n  kernel %.*s", (int)run->kernel.n,
			   (const char *)run->kernel.p);
		put_line(out, file, run->source_line, run->line);
		if (run->step)
			buf_printf(out, ", step %" PRIu64, run->step);
		if (run->line)
			buf_printf(out, ", CTA %" PRIu64 ", thread %" PRIu64,
				   run->cta, run->thread);
		if (run->address)
			buf_printf(out, ", address 0x%" PRIx64, run->address);
	}
	for (uint32_t i = 0; i < run->finding_count; i++)
		put_finding(out, run, &run->findings[i], file);
	put_summary(out, run);
}
