/*
 * WIRE_BUILD: a manifest and its PTX become a program, its header and quote.
 */
#include "base/codec.h"
#include "gpu/client/job.h"
#include "gpu/client/priv/codec.h"
#include "gpu/program/task.h"

static void files_put(struct buf *out, const struct job_file *files,
		      uint32_t count)
{
	enc_array(out, count);
	for (uint32_t i = 0; i < count; i++) {
		enc_array(out, 3);
		enc_uint(out, files[i].kind);
		enc_str(out, files[i].name);
		enc_bin(out, files[i].bytes);
	}
}

static struct job_file *files_get(struct dec *d, struct arena *a,
				  uint32_t *ret_count)
{
	struct job_file *files =
		dec_list(d, a, JOB_FILES_MAX, sizeof(*files), ret_count);

	for (uint32_t i = 0; i < *ret_count; i++) {
		dec_array_exact(d, 3);
		files[i].kind = dec_u32(d);
		files[i].name = dec_str(d, JOB_NAME_BYTES_MAX);
		files[i].bytes = dec_bin(d, JOB_RECORD_BYTES_MAX);
	}
	return files;
}

void job_inputs_put(struct buf *out, const struct job_input *inputs,
		    uint32_t count)
{
	enc_array(out, count);
	for (uint32_t i = 0; i < count; i++) {
		enc_array(out, 2);
		enc_uint(out, inputs[i].buffer);
		enc_uint(out, inputs[i].bytes);
	}
}

struct job_input *job_inputs_get(struct dec *d, struct arena *a,
				 uint32_t *ret_count)
{
	struct job_input *inputs =
		dec_list(d, a, PROGRAM_BUFFERS_MAX, sizeof(*inputs), ret_count);

	for (uint32_t i = 0; i < *ret_count; i++) {
		dec_array_exact(d, 2);
		inputs[i].buffer =
			(uint32_t)dec_uint(d, PROGRAM_BUFFERS_MAX - 1);
		inputs[i].bytes = dec_uint(d, TASK_BUFFER_BYTES_MAX);
	}
	return inputs;
}

void job_build_encode(struct buf *out, const struct job_build *b)
{
	enc_array(out, 11);
	enc_bin(out, b->manifest);
	enc_str(out, b->manifest_name);
	files_put(out, b->ptx, b->ptx_count);
	files_put(out, b->files, b->file_count);
	enc_bool(out, b->want_quote);
	enc_bool(out, b->any_class);
	enc_bin(out, b->task);
	job_inputs_put(out, b->inputs, b->input_count);
	enc_uint(out, b->seed);
	enc_uint(out, b->budget_ops);
	job_how_put(out, &b->how);
}

enum err job_build_decode(struct arena *a, struct bytes in,
			  struct job_build *ret_request)
{
	struct dec d = dec_make(in);
	struct job_build b;

	dec_array_exact(&d, 11);
	b.manifest = dec_bin(&d, JOB_RECORD_BYTES_MAX);
	b.manifest_name = dec_str(&d, JOB_NAME_BYTES_MAX);
	b.ptx = files_get(&d, a, &b.ptx_count);
	b.files = files_get(&d, a, &b.file_count);
	b.want_quote = dec_bool(&d);
	b.any_class = dec_bool(&d);
	b.task = dec_bin(&d, PROGRAM_TASK_BYTES_MAX);
	b.inputs = job_inputs_get(&d, a, &b.input_count);
	b.seed = dec_uint(&d, UINT64_MAX);
	b.budget_ops = dec_uint(&d, UINT64_MAX);
	job_how_get(&d, &b.how);
	if (dec_end(&d))
		return dec_end(&d);
	*ret_request = b;
	return ERR_OK;
}

static void built_put(struct buf *out, const struct job_built *b)
{
	enc_array(out, 10);
	enc_bin(out, b->result);
	enc_bin(out, b->header);
	enc_uint(out, b->ops_per_task);
	enc_uint(out, b->limit_ops);
	enc_uint(out, b->cta_ops);
	enc_uint(out, b->cta_cost);
	enc_uint(out, b->cta_open);
	enc_uint(out, b->sampled_ops);
	enc_bool(out, b->is_estimate);
	job_run_put(out, &b->end);
}

static void built_get(struct dec *d, struct arena *a, struct job_built *b)
{
	dec_array_exact(d, 10);
	b->result = dec_bin(d, JOB_RECORD_BYTES_MAX);
	b->header = dec_bin(d, JOB_RECORD_BYTES_MAX);
	b->ops_per_task = dec_uint(d, UINT64_MAX);
	b->limit_ops = dec_uint(d, UINT64_MAX);
	b->cta_ops = dec_uint(d, UINT64_MAX);
	b->cta_cost = dec_uint(d, UINT64_MAX);
	b->cta_open = dec_uint(d, UINT64_MAX);
	b->sampled_ops = dec_uint(d, UINT64_MAX);
	b->is_estimate = dec_bool(d);
	job_run_get(d, a, &b->end);
}

void job_built_encode(struct buf *out, const struct job_built *b)
{
	built_put(out, b);
}

enum err job_built_decode(struct arena *a, struct bytes in,
			  struct job_built *ret_answer)
{
	struct dec d = dec_make(in);
	struct job_built b;

	built_get(&d, a, &b);
	if (dec_end(&d))
		return dec_end(&d);
	*ret_answer = b;
	return ERR_OK;
}

void job_manifest_encode(struct buf *out, const struct job_manifest *m)
{
	enc_array(out, 5);
	enc_bin(out, m->manifest);
	files_put(out, m->files, m->file_count);
	enc_bool(out, m->want_quote);
	enc_uint(out, m->seed);
	enc_uint(out, m->budget_ops);
}

enum err job_manifest_decode(struct arena *a, struct bytes in,
			     struct job_manifest *ret_request)
{
	struct dec d = dec_make(in);
	struct job_manifest m;

	dec_array_exact(&d, 5);
	m.manifest = dec_bin(&d, JOB_RECORD_BYTES_MAX);
	m.files = files_get(&d, a, &m.file_count);
	m.want_quote = dec_bool(&d);
	m.seed = dec_uint(&d, UINT64_MAX);
	m.budget_ops = dec_uint(&d, UINT64_MAX);
	if (dec_end(&d))
		return dec_end(&d);
	*ret_request = m;
	return ERR_OK;
}

void job_planned_encode(struct buf *out, const struct job_planned *p)
{
	enc_array(out, 8);
	built_put(out, &p->built);
	enc_bin(out, p->program);
	enc_array(out, p->task_count);
	for (uint32_t i = 0; i < p->task_count; i++)
		enc_bin(out, p->tasks[i]);
	enc_str(out, p->class_name);
	enc_str(out, p->reasons);
	enc_uint(out, p->confidence);
	enc_uint(out, p->samples);
	enc_uint(out, p->seconds);
}

enum err job_planned_decode(struct arena *a, struct bytes in,
			    struct job_planned *ret_answer)
{
	struct dec d = dec_make(in);
	struct job_planned p;

	dec_array_exact(&d, 8);
	built_get(&d, a, &p.built);
	p.program = dec_bin(&d, PROGRAM_BYTES_MAX);
	p.tasks =
		dec_list(&d, a, JOB_TASKS_MAX, sizeof(*p.tasks), &p.task_count);
	for (uint32_t i = 0; i < p.task_count; i++)
		p.tasks[i] = dec_bin(&d, PROGRAM_TASK_BYTES_MAX);
	p.class_name = dec_str(&d, 1);
	p.reasons = dec_str(&d, JOB_REASONS_BYTES_MAX);
	p.confidence = dec_u32(&d);
	p.samples = dec_u32(&d);
	p.seconds = dec_uint(&d, UINT64_MAX);
	if (dec_end(&d))
		return dec_end(&d);
	*ret_answer = p;
	return ERR_OK;
}
