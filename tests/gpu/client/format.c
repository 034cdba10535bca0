/*
 * The frozen bytes of every record: read, written again, equal.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/codec.h"
#include "gpu/client/job.h"
#include "gpu/client/wire.h"

#define VECTORS WEFT_SOURCE_DIR "/tests/vectors/format/gpu-client.txt"

static struct arena *arena;
static struct buf again;

/* Decode in as what name says and encode it into again. */
static enum err turn(const char *name, struct bytes in)
{
	static struct job_ptx_run ptx_run;
	static struct job_build build;
	static struct job_task task;
	static struct job_lines lines;
	static struct job_places places;
	static struct job_manifest manifest;
	static struct job_planned planned;
	static struct job_run run;
	static struct job_report report;
	static struct job_built built;
	static struct job_task_done done;
	struct bytes record;
	enum err failure;
	enum err e = ERR_NOT_FOUND;

	if (!strcmp(name, "canon") && !(e = job_record_decode(in, &record)))
		job_record_encode(&again, record);
	if (!strcmp(name, "ptx_run") &&
	    !(e = job_ptx_run_decode(arena, in, &ptx_run)))
		job_ptx_run_encode(&again, &ptx_run);
	if (!strcmp(name, "build") &&
	    !(e = job_build_decode(arena, in, &build)))
		job_build_encode(&again, &build);
	if ((!strcmp(name, "task") || !strcmp(name, "open")) &&
	    !(e = job_task_decode(arena, in, &task)))
		job_task_encode(&again, &task);
	if (!strcmp(name, "report") &&
	    !(e = job_report_decode(arena, in, &report)))
		job_report_encode(&again, &report);
	if (!strcmp(name, "built") &&
	    !(e = job_built_decode(arena, in, &built)))
		job_built_encode(&again, &built);
	if (!strcmp(name, "done") &&
	    !(e = job_task_done_decode(arena, in, &done)))
		job_task_done_encode(&again, &done);
	if (!strcmp(name, "run") && !(e = job_run_decode(arena, in, &run)))
		job_run_encode(&again, &run);
	if (!strcmp(name, "manifest") &&
	    !(e = job_manifest_decode(arena, in, &manifest)))
		job_manifest_encode(&again, &manifest);
	if (!strcmp(name, "planned") &&
	    !(e = job_planned_decode(arena, in, &planned)))
		job_planned_encode(&again, &planned);
	if (!strcmp(name, "lines") &&
	    !(e = job_lines_decode(arena, in, &lines)))
		job_lines_encode(&again, &lines);
	if (!strcmp(name, "places") &&
	    !(e = job_places_decode(arena, in, &places)))
		job_places_encode(&again, &places);
	if (!strcmp(name, "failure") &&
	    !(e = job_failure_decode(in, &failure, &record)))
		job_failure_encode(&again, failure, record);
	return e;
}

static void check(const char *name, const char *hex)
{
	size_t n = strlen(hex) / 2;
	uint8_t *payload = malloc(n);
	uint32_t kind;
	uint32_t fd_count;
	struct bytes body;
	struct job_limits limits;

	cr_assert_eq(hex_decode(bytes_str(hex), payload, n), ERR_OK);
	cr_assert_eq(wire_decode(bytes_of(payload, n), &kind, &fd_count, &body),
		     ERR_OK, "%s", name);
	if (kind < WIRE_ANSWER) {
		cr_assert_eq(job_limits_decode(body, &limits), ERR_OK);
		cr_expect_eq(limits.wall_ms, 5000);
		body = limits.request;
	}
	again = buf_make(1u << 16);
	if (strcmp(name, "progress")) {
		cr_expect_eq(turn(name, body), ERR_OK, "%s", name);
		cr_expect(bytes_eq(buf_bytes(&again), body), "%s", name);
	}
	buf_free(&again);
	free(payload);
}

Test(format, vectors)
{
	char line[8192];
	FILE *f = fopen(VECTORS, "r");
	int count = 0;

	cr_assert(f);
	arena = arena_new(16u << 20);
	while (fgets(line, sizeof(line), f)) {
		char *space = strchr(line, ' ');

		if (*line == '#' || !space)
			continue;
		*space++ = 0;
		space[strcspn(space, "\n")] = 0;
		check(line, space);
		count++;
	}
	fclose(f);
	arena_free(arena);
	cr_expect_eq(count, 15);
}
