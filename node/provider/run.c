/*
 * node/provider/run - tasks in ascending order, as many at a time as there
 * are slots; what a finished one gave is in the journal before anything is
 * said about it.
 */
#include <string.h>

#include "base/codec.h"
#include "base/merkle.h"
#include "base/must.h"
#include "node/provider/priv/work.h"

#define TASK_KEY_BYTES	      36u
#define TASK_RECORD_VERSION   1u
#define TASK_RECORD_BYTES_MAX (PROGRAM_RESULT_BYTES_MAX + 256u)

static struct bytes task_key(const struct work *w, uint32_t position,
			     uint8_t key[TASK_KEY_BYTES])
{
	memcpy(key, w->id.b, HASH_BYTES);
	put_u32_be(key + HASH_BYTES, position);
	return bytes_of(key, TASK_KEY_BYTES);
}

/* [1, result, memory roots, steps, run_ms, count, out_bytes] */
static void journal_task(struct work *w, struct work_task *t,
			 struct core_out *out)
{
	struct buf b = buf_make(TASK_RECORD_BYTES_MAX);
	uint8_t key[TASK_KEY_BYTES];

	enc_array(&b, 7);
	enc_uint(&b, TASK_RECORD_VERSION);
	enc_bin(&b, t->result);
	enc_hash(&b, &t->memory_roots);
	enc_uint(&b, t->steps);
	enc_uint(&b, t->run_ms);
	enc_uint(&b, t->count);
	enc_uint(&b, t->out_bytes);
	/* without a record the task runs again after a restart: no harm */
	if (!b.err)
		core_journal_put(out,
				 task_key(w, (uint32_t)(t - w->tasks), key),
				 buf_bytes(&b));
	buf_free(&b);
}

void work_restore(struct provider *p, struct work *w)
{
	(void)p;
	for (struct work_kept *k = w->kept; k; k = k->next) {
		struct dec d = dec_make(k->record);
		struct work_task t = {.state = TASK_DONE};

		if (k->position >= w->lease.count)
			continue;
		dec_array_exact(&d, 7);
		if (dec_uint(&d, UINT32_MAX) != TASK_RECORD_VERSION)
			continue;
		t.result = dec_bin(&d, PROGRAM_RESULT_BYTES_MAX);
		t.memory_roots = dec_hash(&d);
		t.steps = dec_uint(&d, UINT64_MAX);
		t.run_ms = dec_uint(&d, UINT64_MAX);
		t.count = dec_uint(&d, UINT64_MAX);
		t.out_bytes = dec_uint(&d, UINT64_MAX);
		if (dec_end(&d))
			continue;
		t.task = w->tasks[k->position].task;
		w->tasks[k->position] = t;
	}
	w->kept = NULL;
}

uint32_t work_done(const struct work *w)
{
	uint32_t n = 0;

	while (n < w->limit && w->tasks[n].state == TASK_DONE)
		n++;
	return n;
}

static void start_task(struct provider *p, struct work *w, struct work_task *t,
		       struct core_out *out)
{
	struct core_run run = {
		.program = w->lease.program_id,
		.task = t->task,
		.limit_ops = w->lease.work.limit_ops,
		.cta_ops = w->lease.work.cta_ops_max,
		.wall_ms = p->config.task_wall_ms,
		.threads = p->config.threads,
	};

	t->state = TASK_RUNNING;
	t->tries++;
	t->ticket = core_run(out, &run, &w->id);
	p->running++;
}

void work_schedule(struct provider *p, struct core_out *out)
{
	for (size_t i = 0; i < PROVIDER_LEASES_MAX; i++) {
		struct work *w = &p->works[i];

		if (!w->used || w->phase != WORK_READY || p->paused ||
		    w->lease.state != MARKET_LEASE_accepted)
			continue;
		for (uint32_t k = 0; k < w->limit; k++) {
			if (p->running >= p->config.slots)
				return;
			if (w->tasks[k].state == TASK_TODO)
				start_task(p, w, &w->tasks[k], out);
		}
	}
}

/* Tasks from this one on will not be done, for this reason. */
static void stop_at(struct work *w, const struct work_task *t,
		    const struct core_ran *ran, enum reason reason)
{
	uint32_t position = (uint32_t)(t - w->tasks);

	if (position >= w->limit)
		return;
	w->limit = position;
	w->reason = reason;
	w->fault.present = false;
	if (reason == REASON_kernel_fault || reason == REASON_limit_ops)
		w->fault = (struct market_fault){
			.present = true,
			.task = w->lease.first + position,
			.step = (uint32_t)ran->step,
			.cta = ran->cta,
		};
}

static void task_done(struct provider *p, struct work *w, struct work_task *t,
		      struct core_out *out, const struct core_ran *ran)
{
	struct program_result r = {
		.index = w->lease.first + (uint64_t)(t - w->tasks),
		.steps = ran->steps,
		.trace_root = ran->trace_root,
		.object_roots = (struct hash *)(uintptr_t)ran->objects,
		.object_count = ran->object_count,
	};
	struct buf b = buf_make(PROGRAM_RESULT_BYTES_MAX);

	program_result_encode(&b, &r);
	t->result = b.err ? (struct bytes){NULL, 0}
			  : arena_copy(w->arena, buf_bytes(&b));
	buf_free(&b);
	if (!t->result.p) {
		stop_at(w, t, ran, REASON_limit_memory);
		t->state = TASK_TODO;
		return;
	}
	t->memory_roots = ran->memory_roots;
	t->steps = ran->steps;
	t->run_ms = ran->run_ms;
	t->count = ran->count;
	t->out_bytes = ran->out_bytes;
	t->state = TASK_DONE;
	p->done_tasks++;
	p->last_task_ms = core_now_ms(out);
	journal_task(w, t, out);
	core_note(out, CORE_NOTE_EVENT, "task", &w->id, "%llu done in %llu ms",
		  (unsigned long long)r.index,
		  (unsigned long long)ran->wall_ms);
}

/* Keep what the worker said until the output's bytes are here. */
static bool begin_tampering(struct provider *p, struct work *w,
			    struct work_task *t, struct core_out *out,
			    const struct core_ran *ran)
{
	uint64_t index = w->lease.first + (uint64_t)(t - w->tasks);
	uint32_t object = tamper_object(&w->program);
	struct hash *objects;

	if (!tamper_wants(&p->config.tamper, index) ||
	    object >= ran->object_count)
		return false;
	t->ran = ARENA_NEW(w->arena, struct core_ran);
	objects = ARENA_ARRAY(w->arena, ran->object_count, struct hash);
	if (!t->ran || !objects)
		return false;
	memcpy(objects, ran->objects,
	       ran->object_count * sizeof(*ran->objects));
	*t->ran = *ran;
	t->ran->words = (struct bytes){NULL, 0};
	t->ran->objects = objects;
	t->state = TASK_TAMPERING;
	t->ticket = core_fetch(
		out, &(struct core_fetch){
			     .root = objects[object],
			     .name = CORE_NAME_BYTES,
			     .owner = w->id,
			     .bytes_max = w->program.buffers[object].bytes,
			     .want_bytes = true,
		     });
	return true;
}

void work_ran(struct provider *p, struct work *w, struct work_task *t,
	      struct core_out *out, const struct core_event *event)
{
	const struct core_ran *ran = event->ran;

	must(p->running > 0);
	p->running--;
	t->ticket = 0;
	t->state = TASK_TODO;
	if (ran->reason == REASON_none) {
		if (!begin_tampering(p, w, t, out, ran))
			task_done(p, w, t, out, ran);
		return;
	}
	core_note(
		out, CORE_NOTE_WARN, "lease", &w->id, "task %llu: %s: %.*s",
		(unsigned long long)(w->lease.first + (uint64_t)(t - w->tasks)),
		reason_word(ran->reason), (int)ran->words.n,
		(const char *)ran->words.p);
	if (ran->reason == REASON_driver_fault && t->tries < WORK_TRIES_MAX)
		return;
	stop_at(w, t, ran, ran->reason);
}

/* Two answers come here: the output's bytes, then the memory roots'. */
void work_tampered(struct provider *p, struct work *w, struct work_task *t,
		   struct core_out *out, const struct core_event *event)
{
	uint32_t object = tamper_object(&w->program);
	struct hash *objects = (struct hash *)(uintptr_t)t->ran->objects;
	struct bytes own = arena_copy(core_arena(out), event->bytes);
	uint8_t *bytes = (uint8_t *)(uintptr_t)own.p;
	struct hash root;

	t->ticket = 0;
	if (event->err || !own.p) {
		t->state = TASK_TODO;
		return;
	}
	if (!t->out_bytes) {
		tamper_bytes(bytes, own.n);
		root = merkle_bytes_root(own);
		core_store(out, own, CORE_NAME_BYTES, &root, &w->id);
		objects[object] = root;
		t->out_bytes = own.n;
		t->ticket = core_fetch(
			out, &(struct core_fetch){
				     .root = t->ran->memory_roots,
				     .name = CORE_NAME_BYTES,
				     .owner = w->id,
				     .bytes_max = CORE_SCRATCH_BYTES_MAX / 2,
				     .want_bytes = true,
			     });
		return;
	}
	if (tamper_trace(core_arena(out), objects, t->ran->object_count, object,
			 &objects[object], bytes, own.n / HASH_BYTES,
			 &t->ran->trace_root)) {
		t->state = TASK_TODO;
		return;
	}
	/* the honest roots stay: openings are made by an honest run */
	task_done(p, w, t, out, t->ran);
}
