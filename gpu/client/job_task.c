/*
 * WIRE_TASK and WIRE_OPEN: run a task; show samples of one that was run.
 */
#include "base/arena.h"
#include "base/codec.h"
#include "gpu/client/job.h"
#include "gpu/client/priv/codec.h"
#include "gpu/program/task.h"
#include "gpu/program/trace.h"

/* Hashes of all steps of a task, or of all tasks of a job. */
#define HASHES_BYTES_MAX ((size_t)HASH_BYTES * (JOB_TASKS_MAX + 1))

static struct bytes dec_hashes(struct dec *d)
{
	struct bytes b = dec_bin(d, HASHES_BYTES_MAX);

	if (b.n % HASH_BYTES)
		dec_fail(d, ERR_MALFORMED);
	return b;
}

static void open_put(struct buf *out, const struct job_open *o)
{
	enc_array(out, 7);
	enc_array(out, o->sample_count);
	for (uint32_t i = 0; i < o->sample_count; i++)
		program_sample_encode(out, &o->samples[i]);
	enc_hash(out, &o->seed);
	enc_bin(out, o->task_leaves);
	enc_bin(out, o->result_leaves);
	enc_uint(out, o->result_position);
	enc_bin(out, o->result);
	enc_bin(out, o->memory_roots);
}

static struct job_open *open_get(struct dec *d, struct arena *a)
{
	struct job_open *o = ARENA_NEW(a, struct job_open);

	if (!o) {
		dec_fail(d, ERR_NO_MEMORY);
		return NULL;
	}
	dec_array_exact(d, 7);
	o->samples = dec_list(d, a, JOB_SAMPLES_MAX, sizeof(*o->samples),
			      &o->sample_count);
	for (uint32_t i = 0; i < o->sample_count; i++)
		o->samples[i] = program_sample_decode(d);
	o->seed = dec_hash(d);
	o->task_leaves = dec_hashes(d);
	o->result_leaves = dec_hashes(d);
	o->result_position = dec_uint(d, JOB_TASKS_MAX);
	o->result = dec_bin(d, PROGRAM_RESULT_BYTES_MAX);
	o->memory_roots = dec_hashes(d);
	return o;
}

void job_task_encode(struct buf *out, const struct job_task *t)
{
	enc_array(out, 9);
	enc_bin(out, t->program);
	enc_bin(out, t->task);
	job_inputs_put(out, t->inputs, t->input_count);
	enc_array(out, t->output_count);
	for (uint32_t i = 0; i < t->output_count; i++)
		enc_uint(out, t->outputs[i]);
	enc_bool(out, t->want_roots);
	enc_uint(out, t->limit_ops);
	enc_uint(out, t->cta_ops);
	job_how_put(out, &t->how);
	if (t->open)
		open_put(out, t->open);
	else
		enc_nil(out);
}

enum err job_task_decode(struct arena *a, struct bytes in,
			 struct job_task *ret_request)
{
	struct dec d = dec_make(in);
	struct job_task t;

	dec_array_exact(&d, 9);
	t.program = dec_bin(&d, PROGRAM_BYTES_MAX);
	t.task = dec_bin(&d, PROGRAM_TASK_BYTES_MAX);
	t.inputs = job_inputs_get(&d, a, &t.input_count);
	t.outputs = dec_list(&d, a, PROGRAM_BUFFERS_MAX, sizeof(*t.outputs),
			     &t.output_count);
	for (uint32_t i = 0; i < t.output_count; i++)
		t.outputs[i] = (uint32_t)dec_uint(&d, PROGRAM_BUFFERS_MAX - 1);
	t.want_roots = dec_bool(&d);
	t.limit_ops = dec_uint(&d, UINT64_MAX);
	t.cta_ops = dec_uint(&d, UINT64_MAX);
	job_how_get(&d, &t.how);
	t.open = NULL;
	if (dec_is_nil(&d))
		dec_nil(&d);
	else
		t.open = open_get(&d, a);
	if (dec_end(&d))
		return dec_end(&d);
	*ret_request = t;
	return ERR_OK;
}

void job_task_done_encode(struct buf *out, const struct job_task_done *t)
{
	enc_array(out, 6);
	job_run_put(out, &t->run);
	enc_uint(out, t->steps);
	enc_bin(out, t->memory_roots);
	enc_bin(out, t->object_roots);
	enc_uint(out, t->hash_us);
	enc_array(out, t->opening_count);
	for (uint32_t i = 0; i < t->opening_count; i++)
		enc_bin(out, t->openings[i]);
}

enum err job_task_done_decode(struct arena *a, struct bytes in,
			      struct job_task_done *ret_answer)
{
	struct dec d = dec_make(in);
	struct job_task_done t;

	dec_array_exact(&d, 6);
	job_run_get(&d, a, &t.run);
	t.steps = dec_uint(&d, PROGRAM_LAUNCHES_MAX);
	t.memory_roots = dec_hashes(&d);
	t.object_roots = dec_hashes(&d);
	t.hash_us = dec_uint(&d, UINT64_MAX);
	t.openings = dec_list(&d, a, JOB_SAMPLES_MAX, sizeof(*t.openings),
			      &t.opening_count);
	for (uint32_t i = 0; i < t.opening_count; i++)
		t.openings[i] = dec_bin(&d, JOB_RECORD_BYTES_MAX);
	if (dec_end(&d))
		return dec_end(&d);
	*ret_answer = t;
	return ERR_OK;
}
