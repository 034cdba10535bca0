/*
 * The records that several jobs share: failures, limits, ends of runs.  Each
 * struct is written and read by two functions that name its fields in the
 * same order.
 */
#include "gpu/client/job.h"

#include <string.h>

#include "base/arena.h"
#include "base/codec.h"
#include "gpu/client/priv/codec.h"

/* Numbers on the wire: append only. */
static const struct {
	uint32_t number;
	enum err err;
} failures[] = {
	{1, ERR_MALFORMED},    {2, ERR_REFUSED},
	{3, ERR_LIMIT},	       {4, ERR_NO_MEMORY},
	{5, ERR_UNSUPPORTED},  {6, ERR_TIMEOUT},
	{7, ERR_IO},	       {8, ERR_PTX_SYNTAX},
	{9, ERR_PTX_UNKNOWN},  {10, ERR_EXEC_REFUSED},
	{11, ERR_MANIFEST},    {12, ERR_COMPILE},
	{13, ERR_NO_COMPILER}, {14, ERR_NOT_FOUND},
	{15, ERR_OVERFLOW},    {16, ERR_PROOF},
};

#define FAILURE_COUNT	  (sizeof(failures) / sizeof(*failures))
#define FAILURE_WORDS_MAX (48u << 10)

void job_failure_encode(struct buf *out, enum err e, struct bytes words)
{
	uint32_t number = 7;

	for (size_t i = 0; i < FAILURE_COUNT; i++)
		if (failures[i].err == e)
			number = failures[i].number;
	enc_array(out, 2);
	enc_uint(out, number);
	enc_bin(out, bytes_slice(words, 0, FAILURE_WORDS_MAX));
}

enum err job_failure_decode(struct bytes in, enum err *ret_err,
			    struct bytes *ret_words)
{
	struct dec d = dec_make(in);
	uint64_t number;
	struct bytes words;

	dec_array_exact(&d, 2);
	number = dec_uint(&d, UINT32_MAX);
	words = dec_bin(&d, FAILURE_WORDS_MAX);
	if (dec_end(&d))
		return dec_end(&d);
	for (size_t i = 0; i < FAILURE_COUNT; i++) {
		if (failures[i].number != number)
			continue;
		*ret_err = failures[i].err;
		*ret_words = words;
		return ERR_OK;
	}
	return ERR_MALFORMED;
}

enum err job_limits_decode(struct bytes in, struct job_limits *ret_limits)
{
	struct dec d = dec_make(in);
	struct job_limits l;

	dec_array_exact(&d, 6);
	l.memory_bytes = dec_uint(&d, UINT64_MAX);
	l.cpu_ms = dec_uint(&d, UINT64_MAX);
	l.wall_ms = dec_uint(&d, UINT64_MAX);
	l.threads = dec_u32(&d);
	l.want_full = dec_bool(&d);
	l.request = dec_raw(&d);
	if (dec_end(&d))
		return dec_end(&d);
	*ret_limits = l;
	return ERR_OK;
}

void job_record_encode(struct buf *out, struct bytes record)
{
	enc_array(out, 1);
	enc_bin(out, record);
}

enum err job_record_decode(struct bytes in, struct bytes *ret_record)
{
	struct dec d = dec_make(in);
	struct bytes record;

	dec_array_exact(&d, 1);
	record = dec_bin(&d, JOB_RECORD_BYTES_MAX);
	if (dec_end(&d))
		return dec_end(&d);
	*ret_record = record;
	return ERR_OK;
}

const char *job_outcome_word(uint32_t outcome)
{
	static const char *const words[] = {
		"ok",	   "fault",	 "void",      "over",
		"refused", "incomplete", "cancelled",
	};

	return outcome < sizeof(words) / sizeof(*words) ? words[outcome] : "?";
}

uint32_t dec_u32(struct dec *d)
{
	return (uint32_t)dec_uint(d, UINT32_MAX);
}

void *dec_list(struct dec *d, struct arena *a, uint32_t max, size_t size,
	       uint32_t *ret_count)
{
	uint32_t count = dec_array(d, max);
	void *list;

	*ret_count = 0;
	if (d->err || !count)
		return NULL;
	list = arena_array(a, count, size, 16);
	if (!list)
		dec_fail(d, ERR_NO_MEMORY);
	else
		*ret_count = count;
	return list;
}

void job_how_put(struct buf *out, const struct job_how *h)
{
	enc_array(out, 3);
	enc_str(out, h->lanes);
	enc_uint(out, h->threads);
	enc_bool(out, h->sanitize);
}

void job_how_get(struct dec *d, struct job_how *ret)
{
	dec_array_exact(d, 3);
	ret->lanes = dec_str(d, 16);
	ret->threads = dec_u32(d);
	ret->sanitize = dec_bool(d);
}

static void finding_put(struct buf *out, const struct job_finding *f)
{
	enc_array(out, 13);
	enc_str(out, f->kind);
	enc_str(out, f->text);
	enc_uint(out, f->line);
	enc_uint(out, f->source_line);
	enc_uint(out, f->cta);
	enc_uint(out, f->thread);
	enc_uint(out, f->address);
	enc_uint(out, f->count);
	enc_uint(out, f->other_line);
	enc_uint(out, f->other_source_line);
	enc_uint(out, f->other_cta);
	enc_uint(out, f->other_thread);
	enc_uint(out, f->other_threads);
}

static void finding_get(struct dec *d, struct job_finding *ret)
{
	*ret = (struct job_finding){0};
	dec_array_exact(d, 13);
	ret->kind = dec_str(d, 64);
	ret->text = dec_str(d, JOB_NAME_BYTES_MAX);
	ret->line = dec_uint(d, UINT64_MAX);
	ret->source_line = dec_uint(d, UINT64_MAX);
	ret->cta = dec_uint(d, UINT64_MAX);
	ret->thread = dec_uint(d, UINT64_MAX);
	ret->address = dec_uint(d, UINT64_MAX);
	ret->count = dec_uint(d, UINT64_MAX);
	ret->other_line = dec_uint(d, UINT64_MAX);
	ret->other_source_line = dec_uint(d, UINT64_MAX);
	ret->other_cta = dec_uint(d, UINT64_MAX);
	ret->other_thread = dec_uint(d, UINT64_MAX);
	ret->other_threads = dec_uint(d, UINT64_MAX);
}

static void dims_put(struct buf *out, const uint32_t dims[3])
{
	enc_array(out, 3);
	for (int i = 0; i < 3; i++)
		enc_uint(out, dims[i]);
}

static void dims_get(struct dec *d, uint32_t ret[3])
{
	dec_array_exact(d, 3);
	for (int i = 0; i < 3; i++)
		ret[i] = dec_u32(d);
}

void job_run_put(struct buf *out, const struct job_run *r)
{
	enc_array(out, 17);
	enc_uint(out, r->outcome);
	enc_str(out, r->reason);
	enc_str(out, r->text);
	enc_str(out, r->kernel);
	enc_uint(out, r->step);
	enc_uint(out, r->line);
	enc_uint(out, r->source_line);
	enc_uint(out, r->cta);
	enc_uint(out, r->thread);
	enc_uint(out, r->address);
	enc_uint(out, r->count);
	enc_uint(out, r->cost);
	enc_uint(out, r->cta_count_most);
	enc_uint(out, r->run_us);
	dims_put(out, r->grid);
	dims_put(out, r->block);
	enc_array(out, r->finding_count);
	for (uint32_t i = 0; i < r->finding_count; i++)
		finding_put(out, &r->findings[i]);
}

void job_run_get(struct dec *d, struct arena *a, struct job_run *ret)
{
	*ret = (struct job_run){0};
	dec_array_exact(d, 17);
	ret->outcome = (uint32_t)dec_uint(d, JOB_CANCELLED);
	ret->reason = dec_str(d, 64);
	ret->text = dec_str(d, JOB_NAME_BYTES_MAX);
	ret->kernel = dec_str(d, JOB_NAME_BYTES_MAX);
	ret->step = dec_uint(d, UINT64_MAX);
	ret->line = dec_uint(d, UINT64_MAX);
	ret->source_line = dec_uint(d, UINT64_MAX);
	ret->cta = dec_uint(d, UINT64_MAX);
	ret->thread = dec_uint(d, UINT64_MAX);
	ret->address = dec_uint(d, UINT64_MAX);
	ret->count = dec_uint(d, UINT64_MAX);
	ret->cost = dec_uint(d, UINT64_MAX);
	ret->cta_count_most = dec_uint(d, UINT64_MAX);
	ret->run_us = dec_uint(d, UINT64_MAX);
	dims_get(d, ret->grid);
	dims_get(d, ret->block);
	ret->findings = dec_list(d, a, JOB_FINDINGS_MAX, sizeof(*ret->findings),
				 &ret->finding_count);
	for (uint32_t i = 0; i < ret->finding_count; i++)
		finding_get(d, &ret->findings[i]);
}

void job_run_encode(struct buf *out, const struct job_run *r)
{
	job_run_put(out, r);
}

enum err job_run_decode(struct arena *a, struct bytes in,
			struct job_run *ret_run)
{
	struct dec d = dec_make(in);
	struct job_run r;

	job_run_get(&d, a, &r);
	if (dec_end(&d))
		return dec_end(&d);
	*ret_run = r;
	return ERR_OK;
}
