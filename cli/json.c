/*
 * Addresses are "0x..." strings, counts are numbers.
 */
#include "cli/json.h"

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

static json_t *finding(const struct job_finding *f)
{
	return json_pack(
		"{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "kind",
		json_text(f->kind), "text", json_text(f->text), "line",
		count_or_null(f->line, f->line), "source_line",
		count_or_null(f->source_line, f->source_line), "cta",
		json_count(f->cta), "thread", json_count(f->thread), "address",
		address_of(f->address), "count", json_count(f->count),
		"other_line", count_or_null(f->other_line, f->other_line),
		"other_source_line",
		count_or_null(f->other_source_line, f->other_source_line),
		"other_cta", count_or_null(f->other_cta, has_other_cta(f)));
}

json_t *json_run(const struct job_run *r)
{
	bool placed = r->outcome != JOB_OK && r->reason.n;
	json_t *findings = json_array();

	for (uint32_t i = 0; i < r->finding_count; i++)
		json_array_append_new(findings, finding(&r->findings[i]));
	return json_pack(
		"{s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "outcome",
		job_outcome_word(r->outcome), "reason", text_or_null(r->reason),
		"count", json_count(r->count), "cost", json_count(r->cost),
		"kernel", text_or_null(r->kernel), "line",
		count_or_null(r->line, placed && r->line), "source_line",
		count_or_null(r->source_line, placed && r->source_line), "cta",
		count_or_null(r->cta, placed), "thread",
		count_or_null(r->thread, placed), "address",
		address_of(r->address), "findings", findings);
}

void json_put(json_t *value)
{
	json_dumpf(value, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(value);
}
