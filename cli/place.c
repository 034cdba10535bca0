/*
 * The lines are asked of a worker, since finding them parses the PTX.  No
 * answer is no failure: the message is then shorter.
 */
#include "cli/place.h"

#include <inttypes.h>
#include <string.h>

#include "cli/work.h"
#include "gpu/build/files.h"

/* Source files above this are not read for a message. */
#define SOURCE_BYTES_MAX (16u << 20)

/* Variables in shared memory lie so far apart (doc/formats/gpu-exec.md). */
#define SHARED_SHIFT 21u

/* What helps, by reason. */
static const struct {
	const char *reason, *words;
} advice[] = {
	{"race", "order the two by __syncthreads(), inside a warp by "
		 "__syncwarp(), or make both atomic"},
	{"uninitialised", "set it on every path; shared and local memory and "
			  "registers start without a value"},
	{"address_leak", "compute with indices: what a pointer's bits are is "
			 "not the same everywhere"},
	{"nan_bits", "ask with isnan() before a float's bits are looked at"},
	{"cross_cta", "CTAs have no order: give each its own part, or put a "
		      "second launch between"},
	{"bad_sync", "all lanes of the mask, or whole warps, must get to the "
		     "same call"},
	{"out_of_bounds", "compare the index with the number of elements "
			  "before the access"},
	{"misaligned", "an access needs an address that is a multiple of its "
		       "size, also of a whole vector's"},
	{"deadlock", "every thread must get to __syncthreads(), or have "
		     "returned before"},
	{"read_only", "only buffers that the manifest lets the kernel write "
		      "can be written"},
};

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

/* A line of a text without the spaces around it; empty: it has none. */
static struct bytes line_of(struct bytes text, uint64_t line)
{
	const uint8_t *p = text.p, *end = text.p + text.n, *stop;

	for (; line > 1 && p; line--) {
		p = memchr(p, '\n', (size_t)(end - p));
		p = p ? p + 1 : NULL;
	}
	if (!line || !p || p == end)
		return (struct bytes){0};
	stop = memchr(p, '\n', (size_t)(end - p));
	stop = stop ? stop : end;
	while (p < stop && (*p == ' ' || *p == '\t'))
		p++;
	while (stop > p && stop[-1] <= ' ')
		stop--;
	return bytes_of(p, (size_t)(stop - p));
}

/* What the user wrote there, where the manifest's folder has it. */
static struct bytes source_of(struct cli *c, const struct local_job *j,
			      struct bytes file, uint64_t line)
{
	struct build_source s = {.kind = BUILD_SOURCE_PATH, .name = file};
	struct build_data data;
	struct bytes ret;
	const char *why;

	if (!file.n || !line ||
	    build_open(&j->files, &s, SOURCE_BYTES_MAX, &data, &why))
		return (struct bytes){0};
	ret = arena_copy(c->arena, line_of(data.bytes, line));
	build_close(&j->files, &s, &data);
	return ret.p ? ret : (struct bytes){0};
}

static bool is_same_place(const struct job_finding *x,
			  const struct job_finding *y)
{
	return x->source_line && x->source_line == y->source_line &&
	       x->other_source_line == y->other_source_line &&
	       bytes_eq(x->kind, y->kind) && bytes_eq(x->file, y->file) &&
	       bytes_eq(x->other_file, y->other_file);
}

/* Findings of one line of the user's, which may be many of PTX, are one. */
static void join_lines(struct job_run *run)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < run->finding_count; i++) {
		const struct job_finding *f = &run->findings[i];
		uint32_t k = 0;

		while (k < count && !is_same_place(&run->findings[k], f))
			k++;
		if (k < count)
			run->findings[k].count += f->count;
		else
			run->findings[count++] = *f;
	}
	run->finding_count = count;
}

static void take_places(struct cli *c, const struct local_job *j,
			struct job_run *run, const struct job_places *places)
{
	const struct job_place *p = places->places;

	if (places->place_count != 2 * run->finding_count + 1)
		return;
	run->source_line = p->line;
	run->file = p->file;
	run->source = source_of(c, j, run->file, run->source_line);
	for (uint32_t i = 0; i < run->finding_count; i++) {
		struct job_finding *f = &run->findings[i];

		f->source_line = (++p)->line;
		f->file = p->file;
		f->source = source_of(c, j, f->file, f->source_line);
		f->other_source_line = (++p)->line;
		f->other_file = p->file;
		f->other_source =
			source_of(c, j, f->other_file, f->other_source_line);
	}
	join_lines(run);
}

void place_find(struct cli *c, const struct local_job *j, struct job_run *run)
{
	uint64_t lines[2 * JOB_FINDINGS_MAX + 1] = {run->line};

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
		take_places(c, j, run, &places);
		return;
	}
}

void place_find_ptx(struct job_run *run, struct bytes ptx)
{
	run->source = line_of(ptx, run->line);
	for (uint32_t i = 0; i < run->finding_count; i++) {
		struct job_finding *f = &run->findings[i];

		f->source = line_of(ptx, f->line);
		f->other_source = line_of(ptx, f->other_line);
	}
}

const char *place_advice(struct bytes reason)
{
	for (size_t i = 0; i < sizeof(advice) / sizeof(*advice); i++) {
		if (bytes_eq(reason, bytes_str(advice[i].reason)))
			return advice[i].words;
	}
	return NULL;
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

/* Without a file it is the PTX's line. */
static void put_source(struct buf *out, const char *indent, struct bytes file,
		       uint64_t source_line, uint64_t line, struct bytes source)
{
	if (file.n)
		line = source_line;
	if (source.n)
		buf_printf(out, "\n%s%5" PRIu64 " | %.*s", indent, line,
			   (int)source.n, (const char *)source.p);
}

/* As CUDA numbers them: x, y, z. */
static void put_index(struct buf *out, const char *what, uint64_t n,
		      const uint32_t dims[3])
{
	if (dims[0] && dims[1])
		buf_printf(out, "%s (%" PRIu64 ",%" PRIu64 ",%" PRIu64 ")",
			   what, n % dims[0], n / dims[0] % dims[1],
			   n / dims[0] / dims[1]);
	else
		buf_printf(out, "%s %" PRIu64, what, n);
}

/* What lies there; buffers have names in a manifest. */
static void put_address(struct buf *out, const struct local_job *j,
			uint64_t address, bool is_shared)
{
	uint64_t at = address & (((uint64_t)1 << 40) - 1);
	uint64_t object = address >> 40;

	if (object && j && object <= j->m.buffer_count)
		buf_printf(out,
			   ", byte %" PRIu64 " of buffer %.*s (%" PRIu64
			   " bytes)",
			   at, (int)j->m.buffers[object - 1].name.n,
			   (const char *)j->m.buffers[object - 1].name.p,
			   (uint64_t)j->m.buffers[object - 1].size_bytes);
	else if (object && object < 0x4000)
		buf_printf(out, ", byte %" PRIu64 " of buffer %" PRIu64, at,
			   object - 1);
	else if (is_shared && at >> SHARED_SHIFT)
		buf_printf(out,
			   ", byte %" PRIu64 " of shared variable %" PRIu64,
			   at & ((1u << SHARED_SHIFT) - 1),
			   (at & UINT32_MAX) >> SHARED_SHIFT);
	else if (address)
		buf_printf(out, ", address 0x%" PRIx64, address);
}

static void put_other(struct buf *out, const struct job_run *run,
		      const struct job_finding *f)
{
	buf_put_str(out, "\n      after the access");
	put_line(out, f->other_file, f->other_source_line, f->other_line);
	put_source(out, "      ", f->other_file, f->other_source_line,
		   f->other_line, f->other_source);
	if (bytes_eq(f->kind, BYTES_LIT("cross_cta")))
		put_index(out, "\n      by CTA", f->other_cta, run->grid);
	else if (f->other_threads == 1)
		put_index(out, "\n      by thread", f->other_thread,
			  run->block);
	else if (f->other_threads)
		buf_printf(out, "\n      by a thread of warp %" PRIu64,
			   f->other_thread / 32);
}

/* Help is given once for a kind. */
static const char *new_advice(const struct job_run *run, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++) {
		if (bytes_eq(run->findings[k].kind, run->findings[i].kind))
			return NULL;
	}
	return place_advice(run->findings[i].kind);
}

/* As compute-sanitizer has it: what, where and by whom, the access that it
 * clashes with, and what helps. */
static void put_finding(struct buf *out, const struct local_job *j,
			const struct job_run *run, uint32_t i)
{
	const struct job_finding *f = &run->findings[i];
	const char *help = new_advice(run, i);

	buf_printf(out, "\n  %.*s: %.*s\n      in %.*s", (int)f->kind.n,
		   (const char *)f->kind.p, (int)f->text.n,
		   (const char *)f->text.p, (int)run->kernel.n,
		   (const char *)run->kernel.p);
	put_line(out, f->file, f->source_line, f->line);
	put_source(out, "      ", f->file, f->source_line, f->line, f->source);
	put_index(out, "\n      by thread", f->thread, run->block);
	put_index(out, " of CTA", f->cta, run->grid);
	put_address(out, j, f->address, bytes_eq(f->kind, BYTES_LIT("race")));
	if (f->count > 1)
		buf_printf(out, ", and %" PRIu64 " times more", f->count - 1);
	if (f->other_line)
		put_other(out, run, f);
	if (help)
		buf_printf(out, "\n      help: %s", help);
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

/* Is the run's end one of its findings?  Then those say it all. */
static bool is_finding(const struct job_run *run)
{
	for (uint32_t i = 0; i < run->finding_count; i++) {
		if (bytes_eq(run->findings[i].kind, run->reason) &&
		    run->findings[i].line == run->line)
			return true;
	}
	return false;
}

static void put_end(struct buf *out, const struct local_job *j,
		    const struct job_run *run)
{
	const char *help = place_advice(run->reason);

	buf_printf(out, "\n  kernel %.*s", (int)run->kernel.n,
		   (const char *)run->kernel.p);
	put_line(out, run->file, run->source_line, run->line);
	if (run->step)
		buf_printf(out, ", step %" PRIu64, run->step);
	if (!run->line || is_finding(run))
		return;
	put_index(out, ", CTA", run->cta, run->grid);
	put_index(out, ", thread", run->thread, run->block);
	put_address(out, j, run->address, false);
	put_source(out, "", run->file, run->source_line, run->line,
		   run->source);
	if (help)
		buf_printf(out, "\n  help: %s", help);
}

void place_put(struct buf *out, const struct local_job *j,
	       const struct job_run *run)
{
	buf_put_str(out, job_outcome_word(run->outcome));
	if (run->reason.n)
		buf_printf(out, ": %.*s: %.*s", (int)run->reason.n,
			   (const char *)run->reason.p, (int)run->text.n,
			   (const char *)run->text.p);
	if (run->outcome != JOB_OK && run->kernel.n)
		put_end(out, j, run);
	for (uint32_t i = 0; i < run->finding_count; i++)
		put_finding(out, j, run, i);
	put_summary(out, run);
}
