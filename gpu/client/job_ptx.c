/*
 * WIRE_PTX_RUN and WIRE_CHECK: one launch of a PTX text, and the classifier's
 * report on one.
 */
#include "base/codec.h"
#include "gpu/client/job.h"
#include "gpu/client/priv/codec.h"

static void put_dims(struct buf *out, const uint32_t dims[3])
{
	enc_array(out, 3);
	for (int i = 0; i < 3; i++)
		enc_uint(out, dims[i]);
}

static void get_dims(struct dec *d, uint32_t dims[3])
{
	dec_array_exact(d, 3);
	for (int i = 0; i < 3; i++)
		dims[i] = dec_u32(d);
}

static void arg_put(struct buf *out, const struct job_ptx_arg *a)
{
	enc_array(out, 4);
	enc_bool(out, a->is_buffer);
	enc_uint(out, a->buffer);
	enc_bin(out, a->bytes);
	enc_str(out, a->type);
}

static void arg_get(struct dec *d, uint32_t buffer_count,
		    struct job_ptx_arg *ret)
{
	dec_array_exact(d, 4);
	ret->is_buffer = dec_bool(d);
	ret->buffer = dec_u32(d);
	ret->bytes = dec_bin(d, JOB_NAME_BYTES_MAX);
	ret->type = dec_str(d, 16);
	if (ret->is_buffer && ret->buffer >= buffer_count)
		dec_fail(d, ERR_MALFORMED);
}

static void buffers_put(struct buf *out, const struct job_ptx_run *r)
{
	enc_array(out, r->buffer_count);
	for (uint32_t i = 0; i < r->buffer_count; i++) {
		enc_array(out, 2);
		enc_uint(out, r->buffers[i].bytes);
		enc_bool(out, r->buffers[i].writable);
	}
}

static void buffers_get(struct dec *d, struct arena *a, struct job_ptx_run *r)
{
	r->buffers = dec_list(d, a, JOB_BUFFERS_MAX, sizeof(*r->buffers),
			      &r->buffer_count);
	for (uint32_t i = 0; i < r->buffer_count; i++) {
		dec_array_exact(d, 2);
		r->buffers[i].bytes = dec_uint(d, TASK_BUFFER_BYTES_MAX);
		r->buffers[i].writable = dec_bool(d);
	}
}

static void symbols_put(struct buf *out, const struct job_ptx_run *r)
{
	enc_array(out, r->symbol_count);
	for (uint32_t i = 0; i < r->symbol_count; i++) {
		enc_array(out, 2);
		enc_str(out, r->symbols[i].name);
		enc_bin(out, r->symbols[i].data);
	}
}

static void symbols_get(struct dec *d, struct arena *a, struct job_ptx_run *r)
{
	r->symbols = dec_list(d, a, JOB_SYMBOLS_MAX, sizeof(*r->symbols),
			      &r->symbol_count);
	for (uint32_t i = 0; i < r->symbol_count; i++) {
		dec_array_exact(d, 2);
		r->symbols[i].name = dec_str(d, JOB_NAME_BYTES_MAX);
		r->symbols[i].data = dec_bin(d, JOB_RECORD_BYTES_MAX);
	}
}

void job_ptx_run_encode(struct buf *out, const struct job_ptx_run *r)
{
	enc_array(out, 12);
	enc_bin(out, r->ptx);
	enc_str(out, r->kernel);
	put_dims(out, r->grid);
	put_dims(out, r->block);
	enc_uint(out, r->shared_bytes);
	enc_bool(out, r->one_cta);
	enc_uint(out, r->cta);
	enc_uint(out, r->repeats);
	job_how_put(out, &r->how);
	buffers_put(out, r);
	enc_array(out, r->arg_count);
	for (uint32_t i = 0; i < r->arg_count; i++)
		arg_put(out, &r->args[i]);
	symbols_put(out, r);
}

enum err job_ptx_run_decode(struct arena *a, struct bytes in,
			    struct job_ptx_run *ret_request)
{
	struct dec d = dec_make(in);
	struct job_ptx_run r;

	dec_array_exact(&d, 12);
	r.ptx = dec_bin(&d, PTX_TEXT_BYTES_MAX);
	r.kernel = dec_str(&d, JOB_NAME_BYTES_MAX);
	get_dims(&d, r.grid);
	get_dims(&d, r.block);
	r.shared_bytes = dec_u32(&d);
	r.one_cta = dec_bool(&d);
	r.cta = dec_uint(&d, UINT64_MAX);
	r.repeats = dec_u32(&d);
	job_how_get(&d, &r.how);
	buffers_get(&d, a, &r);
	r.args = dec_list(&d, a, PROGRAM_ARGS_MAX, sizeof(*r.args),
			  &r.arg_count);
	for (uint32_t i = 0; i < r.arg_count; i++)
		arg_get(&d, r.buffer_count, &r.args[i]);
	symbols_get(&d, a, &r);
	if (dec_end(&d))
		return dec_end(&d);
	if (!r.repeats)
		return ERR_MALFORMED;
	*ret_request = r;
	return ERR_OK;
}

static void reasons_put(struct buf *out, const struct job_kernel *k)
{
	enc_array(out, k->reason_count);
	for (uint32_t i = 0; i < k->reason_count; i++) {
		const struct job_reason *r = &k->reasons[i];

		enc_array(out, 8);
		enc_uint(out, r->line);
		enc_uint(out, r->source_line);
		enc_str(out, r->file);
		enc_str(out, r->opcode);
		enc_str(out, r->reason);
		enc_str(out, r->text);
		enc_str(out, r->hint);
		enc_uint(out, r->count);
	}
}

static void reasons_get(struct dec *d, struct arena *a, struct job_kernel *k)
{
	k->reasons = dec_list(d, a, JOB_REPORT_REASONS_MAX, sizeof(*k->reasons),
			      &k->reason_count);
	for (uint32_t i = 0; i < k->reason_count; i++) {
		struct job_reason *r = &k->reasons[i];

		dec_array_exact(d, 8);
		r->line = dec_uint(d, UINT64_MAX);
		r->source_line = dec_uint(d, UINT64_MAX);
		r->file = dec_str(d, JOB_NAME_BYTES_MAX);
		r->opcode = dec_str(d, JOB_NAME_BYTES_MAX);
		r->reason = dec_str(d, JOB_NAME_BYTES_MAX);
		r->text = dec_str(d, JOB_NAME_BYTES_MAX);
		r->hint = dec_str(d, JOB_NAME_BYTES_MAX);
		r->count = dec_uint(d, UINT64_MAX);
	}
}

static void uses_put(struct buf *out, const struct job_kernel *k)
{
	enc_array(out, k->use_count);
	for (uint32_t i = 0; i < k->use_count; i++) {
		enc_array(out, 3);
		enc_uint(out, k->uses[i].param);
		enc_bool(out, k->uses[i].read);
		enc_bool(out, k->uses[i].write);
	}
}

static void uses_get(struct dec *d, struct arena *a, struct job_kernel *k)
{
	k->uses = dec_list(d, a, PROGRAM_ARGS_MAX * 4, sizeof(*k->uses),
			   &k->use_count);
	for (uint32_t i = 0; i < k->use_count; i++) {
		dec_array_exact(d, 3);
		k->uses[i].param = dec_u32(d);
		k->uses[i].read = dec_bool(d);
		k->uses[i].write = dec_bool(d);
	}
}

static void opcodes_put(struct buf *out, const struct job_kernel *k)
{
	enc_array(out, k->opcode_count);
	for (uint32_t i = 0; i < k->opcode_count; i++) {
		enc_array(out, 2);
		enc_str(out, k->opcodes[i].name);
		enc_uint(out, k->opcodes[i].count);
	}
}

static void opcodes_get(struct dec *d, struct arena *a, struct job_kernel *k)
{
	k->opcodes = dec_list(d, a, PTX_INSTRUCTIONS_MAX, sizeof(*k->opcodes),
			      &k->opcode_count);
	for (uint32_t i = 0; i < k->opcode_count; i++) {
		dec_array_exact(d, 2);
		k->opcodes[i].name = dec_str(d, JOB_NAME_BYTES_MAX);
		k->opcodes[i].count = dec_uint(d, UINT64_MAX);
	}
}

void job_report_encode(struct buf *out, const struct job_report *r)
{
	enc_array(out, r->kernel_count);
	for (uint32_t i = 0; i < r->kernel_count; i++) {
		const struct job_kernel *k = &r->kernels[i];

		enc_array(out, 14);
		enc_str(out, k->name);
		enc_str(out, k->class_name);
		enc_str(out, k->independence);
		reasons_put(out, k);
		uses_put(out, k);
		enc_uint(out, k->sm);
		enc_uint(out, k->version);
		enc_uint(out, k->shared_bytes);
		enc_bool(out, k->dynamic_shared);
		enc_uint(out, k->threads);
		enc_uint(out, k->local_bytes);
		enc_bool(out, k->needs_stack);
		enc_uint(out, k->memory_bytes);
		opcodes_put(out, k);
	}
}

enum err job_report_decode(struct arena *a, struct bytes in,
			   struct job_report *ret_report)
{
	struct dec d = dec_make(in);
	struct job_report r;

	r.kernels = dec_list(&d, a, JOB_REPORT_KERNELS_MAX, sizeof(*r.kernels),
			     &r.kernel_count);
	for (uint32_t i = 0; i < r.kernel_count && !d.err; i++) {
		struct job_kernel *k = &r.kernels[i];

		dec_array_exact(&d, 14);
		k->name = dec_str(&d, JOB_NAME_BYTES_MAX);
		k->class_name = dec_str(&d, 1);
		k->independence = dec_str(&d, 16);
		reasons_get(&d, a, k);
		uses_get(&d, a, k);
		k->sm = dec_u32(&d);
		k->version = dec_u32(&d);
		k->shared_bytes = dec_u32(&d);
		k->dynamic_shared = dec_bool(&d);
		k->threads = dec_u32(&d);
		k->local_bytes = dec_u32(&d);
		k->needs_stack = dec_bool(&d);
		k->memory_bytes = dec_uint(&d, UINT64_MAX);
		opcodes_get(&d, a, k);
	}
	if (dec_end(&d))
		return dec_end(&d);
	*ret_report = r;
	return ERR_OK;
}

void job_lines_encode(struct buf *out, const struct job_lines *l)
{
	enc_array(out, 3);
	enc_bin(out, l->ptx);
	enc_str(out, l->kernel);
	enc_array(out, l->line_count);
	for (uint32_t i = 0; i < l->line_count; i++)
		enc_uint(out, l->lines[i]);
}

enum err job_lines_decode(struct arena *a, struct bytes in,
			  struct job_lines *ret_request)
{
	struct dec d = dec_make(in);
	struct job_lines l;

	dec_array_exact(&d, 3);
	l.ptx = dec_bin(&d, PTX_TEXT_BYTES_MAX);
	l.kernel = dec_str(&d, JOB_NAME_BYTES_MAX);
	l.lines =
		dec_list(&d, a, JOB_LINES_MAX, sizeof(*l.lines), &l.line_count);
	for (uint32_t i = 0; i < l.line_count; i++)
		l.lines[i] = dec_uint(&d, UINT64_MAX);
	if (dec_end(&d))
		return dec_end(&d);
	*ret_request = l;
	return ERR_OK;
}

void job_places_encode(struct buf *out, const struct job_places *p)
{
	enc_array(out, 2);
	enc_bool(out, p->found);
	enc_array(out, p->place_count);
	for (uint32_t i = 0; i < p->place_count; i++) {
		enc_array(out, 2);
		enc_str(out, p->places[i].file);
		enc_uint(out, p->places[i].line);
	}
}

enum err job_places_decode(struct arena *a, struct bytes in,
			   struct job_places *ret_answer)
{
	struct dec d = dec_make(in);
	struct job_places p;

	dec_array_exact(&d, 2);
	p.found = dec_bool(&d);
	p.places = dec_list(&d, a, JOB_LINES_MAX, sizeof(*p.places),
			    &p.place_count);
	for (uint32_t i = 0; i < p.place_count; i++) {
		dec_array_exact(&d, 2);
		p.places[i].file = dec_str(&d, JOB_NAME_BYTES_MAX);
		p.places[i].line = dec_uint(&d, UINT64_MAX);
	}
	if (dec_end(&d))
		return dec_end(&d);
	*ret_answer = p;
	return ERR_OK;
}
