/*
 * Frames as a lying worker or a lying parent would send them: the payload is
 * split, and its body read by every decoder of its kind.
 */
#include "base/arena.h"
#include "gpu/client/job.h"
#include "gpu/client/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static union {
	struct job_ptx_run ptx_run;
	struct job_build build;
	struct job_task task;
	struct job_manifest manifest;
	struct job_lines lines;
	struct job_places places;
	struct job_planned planned;
	struct job_run run;
	struct job_report report;
	struct job_built built;
	struct job_task_done done;
} room;

static void read_request(struct arena *a, uint32_t kind, struct bytes body)
{
	struct job_limits limits;
	struct bytes record;
	enum err e = job_limits_decode(body, &limits);

	if (e)
		return;
	if (kind == WIRE_PTX_RUN)
		e = job_ptx_run_decode(a, limits.request, &room.ptx_run);
	else if (kind == WIRE_BUILD)
		e = job_build_decode(a, limits.request, &room.build);
	else if (kind == WIRE_LINES)
		e = job_lines_decode(a, limits.request, &room.lines);
	else if (kind == WIRE_MANIFEST)
		e = job_manifest_decode(a, limits.request, &room.manifest);
	else if (kind == WIRE_TASK || kind == WIRE_OPEN)
		e = job_task_decode(a, limits.request, &room.task);
	else
		e = job_record_decode(limits.request, &record);
	(void)e;
}

static void read_answer(struct arena *a, uint32_t kind, struct bytes body)
{
	struct bytes words;
	enum err e;

	if (kind == WIRE_FAILURE)
		(void)!job_failure_decode(body, &e, &words);
	else if (kind == WIRE_ANSWER + WIRE_CHECK)
		(void)!job_report_decode(a, body, &room.report);
	else if (kind == WIRE_ANSWER + WIRE_BUILD)
		(void)!job_built_decode(a, body, &room.built);
	else if (kind == WIRE_ANSWER + WIRE_LINES)
		(void)!job_places_decode(a, body, &room.places);
	else if (kind == WIRE_ANSWER + WIRE_MANIFEST)
		(void)!job_planned_decode(a, body, &room.planned);
	else if (kind == WIRE_ANSWER + WIRE_TASK)
		(void)!job_task_done_decode(a, body, &room.done);
	else if (kind == WIRE_ANSWER + WIRE_PTX_RUN)
		(void)!job_run_decode(a, body, &room.run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(16u << 20);
	uint32_t kind;
	uint32_t fd_count;
	struct bytes body;

	if (a && !wire_decode(bytes_of(data, size), &kind, &fd_count, &body)) {
		if (kind < WIRE_ANSWER)
			read_request(a, kind, body);
		else
			read_answer(a, kind, body);
	}
	arena_free(a);
	return 0;
}
