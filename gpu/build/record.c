/*
 * A build's result as one record, for the worker's answer.
 */
#include <string.h>

#include "base/arena.h"
#include "base/codec.h"
#include "base/limits.h"
#include "gpu/build/build.h"
#include "gpu/program/program.h"

#define RESULT_VERSION	1u
#define RESULT_TEXT_MAX 4096u
#define RESULT_LIST_MAX (PROGRAM_STEPS_MAX * BUILD_REASONS_MAX)

void build_result_encode(struct buf *out, const struct build_result *r)
{
	enc_array(out, 8);
	enc_uint(out, RESULT_VERSION);
	enc_bin(out, r->encoding);
	enc_hash(out, &r->id);
	enc_uint(out, (uint8_t)r->class_name);
	enc_bool(out, r->is_proved);
	enc_array(out, 5);
	enc_uint(out, r->needs.sm);
	enc_uint(out, r->needs.shared_bytes);
	enc_uint(out, r->needs.threads);
	enc_uint(out, r->needs.local_bytes);
	enc_uint(out, r->needs.memory_bytes);
	enc_array(out, r->launch_count);
	for (uint32_t i = 0; i < r->launch_count; i++) {
		const struct build_launch *l = &r->launches[i];

		enc_array(out, 7);
		enc_str(out, l->kernel);
		enc_str(out, l->entry);
		enc_uint(out, l->part);
		enc_uint(out, (uint8_t)l->class_name);
		enc_bool(out, l->is_proved);
		enc_uint(out, l->first_reason);
		enc_uint(out, l->reason_count);
	}
	enc_array(out, r->reason_count);
	for (uint32_t i = 0; i < r->reason_count; i++) {
		const struct build_reason *w = &r->reasons[i];

		enc_array(out, 6);
		enc_str(out, w->kernel);
		enc_str(out, w->file);
		enc_uint(out, w->line);
		enc_str(out, w->opcode);
		enc_str(out, w->reason);
		enc_str(out, w->hint);
	}
}

static char get_class(struct dec *d)
{
	uint64_t c = dec_uint(d, 0x7f);

	if (!memchr("ABRSCDX", (int)c, 7))
		dec_fail(d, ERR_MALFORMED);
	return (char)c;
}

static void get_launch(struct dec *d, struct build_launch *l)
{
	dec_array_exact(d, 7);
	l->kernel = dec_str(d, RESULT_TEXT_MAX);
	l->entry = dec_str(d, RESULT_TEXT_MAX);
	l->part = (uint32_t)dec_uint(d, PROGRAM_KERNELS_MAX - 1);
	l->class_name = get_class(d);
	l->is_proved = dec_bool(d);
	l->first_reason = (uint32_t)dec_uint(d, RESULT_LIST_MAX);
	l->reason_count = (uint32_t)dec_uint(d, BUILD_REASONS_MAX);
}

static void get_reason(struct dec *d, struct build_reason *w)
{
	dec_array_exact(d, 6);
	w->kernel = dec_str(d, RESULT_TEXT_MAX);
	w->file = dec_str(d, RESULT_TEXT_MAX);
	w->line = (uint32_t)dec_uint(d, UINT32_MAX);
	w->opcode = dec_str(d, RESULT_TEXT_MAX);
	w->reason = dec_str(d, RESULT_TEXT_MAX);
	w->hint = dec_str(d, RESULT_TEXT_MAX);
}

static void get_needs(struct dec *d, struct build_needs *n)
{
	dec_array_exact(d, 5);
	n->sm = (uint32_t)dec_uint(d, 9999);
	n->shared_bytes = (uint32_t)dec_uint(d, UINT32_MAX);
	n->threads = (uint32_t)dec_uint(d, UINT32_MAX);
	n->local_bytes = (uint32_t)dec_uint(d, UINT32_MAX);
	n->memory_bytes = dec_uint(d, UINT64_MAX);
}

enum err build_result_decode(struct arena *a, struct bytes in,
			     struct build_result *ret_result)
{
	struct dec d = dec_make(in);
	struct build_result r = {.class_name = 'A'};
	struct build_launch *launches;
	struct build_reason *reasons;

	dec_array_exact(&d, 8);
	if (dec_uint(&d, RESULT_VERSION) != RESULT_VERSION)
		dec_fail(&d, ERR_MALFORMED);
	r.encoding = dec_bin(&d, PROGRAM_BYTES_MAX);
	r.id = dec_hash(&d);
	r.class_name = get_class(&d);
	r.is_proved = dec_bool(&d);
	get_needs(&d, &r.needs);
	r.launch_count = dec_array(&d, PROGRAM_STEPS_MAX);
	launches = ARENA_ARRAY(a, r.launch_count + 1, struct build_launch);
	for (uint32_t i = 0; launches && i < r.launch_count && !d.err; i++)
		get_launch(&d, &launches[i]);
	r.reason_count = dec_array(&d, RESULT_LIST_MAX);
	reasons = ARENA_ARRAY(a, r.reason_count + 1, struct build_reason);
	for (uint32_t i = 0; reasons && i < r.reason_count && !d.err; i++)
		get_reason(&d, &reasons[i]);
	if (!launches || !reasons)
		dec_fail(&d, ERR_NO_MEMORY);
	for (uint32_t i = 0; !d.err && i < r.launch_count; i++)
		if (launches[i].first_reason > r.reason_count ||
		    launches[i].reason_count >
			    r.reason_count - launches[i].first_reason)
			dec_fail(&d, ERR_MALFORMED);
	if (dec_end(&d) != ERR_OK)
		return dec_end(&d);
	r.launches = launches;
	r.reasons = reasons;
	*ret_result = r;
	return ERR_OK;
}
