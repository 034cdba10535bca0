/*
 * node/provider/prepare - program, header, tasks, inputs, in that order and
 * one at a time: each is named by what came before it.
 */
#include <string.h>

#include "node/provider/priv/work.h"
#include "verify/evidence.h"

/* The node of the buyer has everything. */
static void fetch(struct provider *p, struct work *w, struct core_out *out,
		  const struct hash *root, enum core_name name,
		  uint64_t bytes_max)
{
	struct core_fetch f = {
		.root = *root,
		.name = name,
		.owner = w->id,
		.bytes_max = bytes_max,
		.want_bytes = w->phase != WORK_INPUTS,
		.from = &w->lease.buyer,
		.from_count = 1,
	};

	(void)p;
	w->ticket = core_fetch(out, &f);
}

/* The input that is to be fetched next; false: all are here. */
static bool next_input(struct work *w, struct hash *ret_root,
		       uint64_t *ret_bytes)
{
	while (w->input_task < w->lease.count) {
		struct program_task t;
		uint32_t buffer = 0;
		uint32_t seen = 0;
		struct arena *a = arena_new(PROGRAM_TASK_BYTES_MAX * 8);
		bool found = false;

		if (!a)
			return false;
		if (program_task_decode(a, w->tasks[w->input_task].task, &t) ==
			    ERR_OK &&
		    w->input_index < t.input_count) {
			*ret_root = t.inputs[w->input_index].root;
			found = true;
		}
		arena_free(a);
		if (!found) {
			w->input_task++;
			w->input_index = 0;
			continue;
		}
		for (buffer = 0; buffer < w->program.buffer_count; buffer++)
			if (w->program.buffers[buffer].init ==
				    PROGRAM_INIT_INPUT &&
			    seen++ == w->input_index)
				break;
		if (buffer == w->program.buffer_count)
			return false;
		*ret_bytes = w->program.buffers[buffer].bytes;
		return true;
	}
	return false;
}

bool work_prepare(struct provider *p, struct work *w, struct core_out *out)
{
	struct hash root;
	uint64_t bytes;

	if (w->phase == WORK_READY)
		return true;
	if (w->ticket || core_now_ms(out) < w->retry_ms)
		return false;
	if (!w->begun_ms)
		w->begun_ms = core_now_ms(out);
	switch (w->phase) {
	case WORK_PROGRAM:
		fetch(p, w, out, &w->lease.program_id, CORE_NAME_PROGRAM,
		      PROGRAM_BYTES_MAX);
		break;
	case WORK_HEADER:
		fetch(p, w, out, &w->lease.header_root, CORE_NAME_HEADER,
		      PROGRAM_HEADER_BYTES_MAX);
		break;
	case WORK_TASKS:
		/* all of the job: an opening proves a task's place among
		 * them */
		fetch(p, w, out, &w->lease.tasks_root, CORE_NAME_LIST,
		      CORE_SCRATCH_BYTES_MAX / 2);
		break;
	case WORK_INPUTS:
		if (next_input(w, &root, &bytes)) {
			fetch(p, w, out, &root, CORE_NAME_BYTES, bytes);
			break;
		}
		w->phase = WORK_READY;
		w->ready_ms = core_now_ms(out);
		return true;
	case WORK_READY:
		break;
	}
	return false;
}

static enum err take_program(struct work *w, struct bytes bytes)
{
	struct bytes own = arena_copy(w->arena, bytes);

	if (!own.p)
		return ERR_NO_MEMORY;
	return program_decode(w->arena, own, &w->program);
}

/* What the job says of its work must be what its header says: a referee goes
 * by the job, and pay by its numbers. */
static bool is_as_posted(const struct work *w)
{
	const struct market_work *m = &w->lease.work;
	const struct program_totals *t = &w->header.totals;

	return m->class_bit == verify_class_bit(&w->header) &&
	       m->cta_ops_max >= t->cta_ops &&
	       m->ops_per_task >= t->ops_per_task;
}

static enum err take_header(struct work *w, struct bytes bytes)
{
	struct bytes own = arena_copy(w->arena, bytes);
	enum err e;

	if (!own.p)
		return ERR_NO_MEMORY;
	e = program_header_decode(w->arena, own, &w->header);
	if (!e)
		e = program_header_fits(w->arena, &w->program, &w->header);
	return !e && !is_as_posted(w) ? ERR_REFUSED : e;
}

/* The lease's tasks out of the job's list; all must fit the program. */
static enum err take_tasks(struct work *w, struct bytes list)
{
	uint64_t end = (uint64_t)w->lease.first + w->lease.count;
	uint64_t index = 0;

	w->tasks = ARENA_ARRAY(w->arena, w->lease.count, struct work_task);
	if (!w->tasks)
		return ERR_NO_MEMORY;
	for (; list.n >= 4 && index < end; index++) {
		struct bytes item =
			bytes_slice(bytes_skip(list, 4), 0, u32_be(list.p));

		list = bytes_skip(list, 4 + item.n);
		if (index < w->lease.first)
			continue;
		item = arena_copy(w->arena, item);
		if (!item.p)
			return ERR_NO_MEMORY;
		w->tasks[index - w->lease.first].task = item;
	}
	if (index != end)
		return ERR_REFUSED;
	for (uint32_t i = 0; i < w->lease.count; i++) {
		struct program_task t;
		enum err e =
			program_task_decode(w->arena, w->tasks[i].task, &t);

		if (!e)
			e = program_task_fits(&w->program, &t);
		if (!e && t.index != w->lease.first + (uint64_t)i)
			e = ERR_REFUSED;
		if (e)
			return e;
	}
	w->limit = w->lease.count;
	return ERR_OK;
}

static enum err take(struct provider *p, struct work *w, struct bytes bytes)
{
	enum err e = ERR_OK;

	switch (w->phase) {
	case WORK_PROGRAM:
		e = take_program(w, bytes);
		break;
	case WORK_HEADER:
		e = take_header(w, bytes);
		break;
	case WORK_TASKS:
		e = take_tasks(w, bytes);
		if (!e)
			work_restore(p, w);
		break;
	case WORK_INPUTS:
		w->input_index++;
		return ERR_OK;
	case WORK_READY:
		return ERR_OK;
	}
	if (!e)
		w->phase++;
	return e;
}

void work_fetched(struct provider *p, struct work *w, struct core_out *out,
		  const struct core_event *event)
{
	enum err e = event->err;

	w->ticket = 0;
	if (!e) {
		e = take(p, w, event->bytes);
		if (e && e != ERR_NO_MEMORY &&
		    w->lease.state == MARKET_LEASE_open) {
			/* its name fits, but it is no work for us */
			work_decline(p, w, out, REASON_declined_policy);
			return;
		}
	}
	if (e) {
		w->retry_ms = core_now_ms(out) + WORK_RETRY_MS;
		return;
	}
	(void)work_prepare(p, w, out);
}
