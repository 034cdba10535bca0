/*
 * Addresses are "0x..." strings, counts are numbers.
 */
#include "cli/json.h"

#include "cli/place.h"

#include <inttypes.h>
#include <stdio.h>

json_t *json_text(struct bytes b)
{
	json_t *s = json_stringn((const char *)b.p, b.n);
	struct buf clean;

	if (s || !b.n)
		return s ? s : json_string("");
	clean = buf_make(b.n + 1);
	for (size_t i = 0; i < b.n; i++)
		buf_put_u8(&clean, b.p[i] < 0x80 ? b.p[i] : '?');
	s = json_stringn((const char *)clean.p, clean.n);
	buf_free(&clean);
	return s;
}

json_t *json_count(uint64_t n)
{
	char text[24];

	if (n <= INT64_MAX)
		return json_integer((json_int_t)n);
	snprintf(text, sizeof(text), "%" PRIu64, n);
	return json_string(text);
}

static json_t *address_of(uint64_t address)
{
	char text[24];

	if (!address)
		return json_null();
	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	return json_string(text);
}

static json_t *text_or_null(struct bytes b)
{
	return b.n ? json_text(b) : json_null();
}

static json_t *count_or_null(uint64_t n, bool known)
{
	return known ? json_count(n) : json_null();
}

static bool has_other_cta(const struct job_finding *f)
{
	return bytes_eq(f->kind, BYTES_LIT("cross_cta"));
}

/* A place in the user's text. */
static void put_place(json_t *o, const char *file, struct bytes name,
		      const char *line, uint64_t number, const char *source,
		      struct bytes words)
{
	json_object_set_new(o, file, text_or_null(name));
	json_object_set_new(o, line, count_or_null(number, number));
	json_object_set_new(o, source, text_or_null(words));
}

static json_t *finding(const struct job_finding *f)
{
	const char *help = place_advice(f->kind);
	json_t *o = json_pack(
		"{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:s?}", "kind",
		json_text(f->kind), "text", json_text(f->text), "line",
		count_or_null(f->line, f->line), "cta", json_count(f->cta),
		"thread", json_count(f->thread), "address",
		address_of(f->address), "count", json_count(f->count),
		"other_line", count_or_null(f->other_line, f->other_line),
		"other_cta", count_or_null(f->other_cta, has_other_cta(f)),
		"other_thread",
		count_or_null(f->other_thread, f->other_threads),
		"other_threads",
		count_or_null(f->other_threads, f->other_threads), "help",
		help);

	put_place(o, "file", f->file, "source_line", f->source_line, "source",
		  f->source);
	put_place(o, "other_file", f->other_file, "other_source_line",
		  f->other_source_line, "other_source", f->other_source);
	return o;
}

static json_t *dims_or_null(const uint32_t d[3])
{
	if (!d[0])
		return json_null();
	return json_pack("[o,o,o]", json_count(d[0]), json_count(d[1]),
			 json_count(d[2]));
}

json_t *json_run(const struct job_run *r)
{
	bool placed = r->outcome != JOB_OK && r->reason.n;
	json_t *findings = json_array(), *o;

	for (uint32_t i = 0; i < r->finding_count; i++)
		json_array_append_new(findings, finding(&r->findings[i]));
	o = json_pack("{s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}",
		      "outcome", job_outcome_word(r->outcome), "reason",
		      text_or_null(r->reason), "count", json_count(r->count),
		      "cost", json_count(r->cost), "kernel",
		      text_or_null(r->kernel), "line",
		      count_or_null(r->line, placed && r->line), "cta",
		      count_or_null(r->cta, placed), "thread",
		      count_or_null(r->thread, placed), "address",
		      address_of(r->address), "grid", dims_or_null(r->grid),
		      "block", dims_or_null(r->block), "step",
		      count_or_null(r->step, r->step), "findings", findings);
	put_place(o, "file", r->file, "source_line",
		  placed ? r->source_line : 0, "source", r->source);
	return o;
}

void json_put(json_t *value)
{
	json_dumpf(value, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(value);
}
