/*
 * node/work - a worker for every task, opening and audit, driven by the loop.
 *
 * Inputs go from the blob store into sealed memfds, outputs come back the
 * same way and enter the store under the roots that the worker named: a
 * worker that lies about its own output is found here.  What cannot run yet
 * waits in order; openings and audits do not wait behind tasks.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/coin.h"
#include "base/merkle.h"
#include "gpu/client/client.h"
#include "gpu/client/job.h"
#include "gpu/client/memory.h"
#include "gpu/program/judge.h"
#include "gpu/program/program.h"
#include "gpu/program/task.h"
#include "gpu/program/trace.h"
#include "node/clock.h"
#include "node/log.h"
#include "node/priv/node.h"

#define JOB_ARENA_BYTES_MAX (1u << 30)
#define REFEREE_WALL_MS	    600000u
#define OPENINGS_AT_A_TIME  2u

struct node_job {
	struct node *node;
	struct node_job *next;
	uint64_t ticket;
	enum core_action_kind kind; /* RUN, OPEN, AUDIT */
	struct arena *arena;
	struct core_run run;
	struct core_open open;
	struct core_audit audit;
	struct hash owner;
	struct program program;
	struct program_task task;
	struct memory memory[WIRE_FDS_MAX];
	size_t memory_count;
	size_t input_count;
	struct client *client;
	struct event *event;
	uint64_t begun_ms;
};

static void start_waiting(struct node *n);

static void job_free(struct node_job *j)
{
	if (j->event)
		event_free(j->event);
	client_free(j->client);
	for (size_t i = 0; i < j->memory_count; i++)
		memory_free(&j->memory[i]);
	arena_free(j->arena);
	free(j);
}

static void unlink_job(struct node_job **list, struct node_job *j)
{
	while (*list != j)
		list = &(*list)->next;
	*list = j->next;
}

static enum core_event_kind answer_kind(const struct node_job *j)
{
	if (j->kind == CORE_ACTION_RUN)
		return CORE_EVENT_RAN;
	return j->kind == CORE_ACTION_OPEN ? CORE_EVENT_OPENED
					   : CORE_EVENT_AUDITED;
}

/* A blob of the store in the job's arena. */
static enum err get_blob(struct node_job *j, const struct hash *root,
			 struct bytes *ret)
{
	uint64_t bytes;
	struct buf b;
	enum err e;

	if (!blob_has(j->node->blobs, root, &bytes))
		return ERR_NOT_FOUND;
	if (bytes > JOB_RECORD_BYTES_MAX)
		return ERR_LIMIT;
	b = buf_make((size_t)bytes);
	e = blob_read(j->node->blobs, root, &b);
	if (!e) {
		*ret = arena_copy(j->arena, buf_bytes(&b));
		if (!ret->p && b.n)
			e = ERR_NO_MEMORY;
	}
	buf_free(&b);
	return e;
}

/* A blob as a frozen memfd, the job's next. */
static enum err get_memory(struct node_job *j, const struct hash *root,
			   uint64_t bytes)
{
	struct memory *m = &j->memory[j->memory_count];
	uint64_t found;
	uint64_t at = 0;
	int fd;
	enum err e;

	if (j->memory_count == WIRE_FDS_MAX)
		return ERR_LIMIT;
	e = blob_open(j->node->blobs, root, &fd, &found);
	if (e)
		return e;
	e = found == bytes ? memory_new("weft-input", bytes, m) : ERR_PROOF;
	if (!e)
		j->memory_count++;
	while (!e && at < bytes) {
		ssize_t got = read(fd, m->p + at, (size_t)(bytes - at));

		if (got <= 0)
			e = ERR_IO;
		else
			at += (uint64_t)got;
	}
	close(fd);
	return e ? e : memory_freeze(m);
}

/* Inputs of the task in buffer order. */
static enum err get_inputs(struct node_job *j, struct job_task *t)
{
	uint32_t count = 0;

	t->inputs = ARENA_ARRAY(j->arena,
				j->task.input_count ? j->task.input_count : 1,
				struct job_input);
	if (!t->inputs)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < j->program.buffer_count; i++) {
		const struct program_buffer *b = &j->program.buffers[i];
		enum err e;

		if (b->init != PROGRAM_INIT_INPUT)
			continue;
		e = get_memory(j, &j->task.inputs[count].root, b->bytes);
		if (e)
			return e;
		t->inputs[count++] =
			(struct job_input){.buffer = i, .bytes = b->bytes};
	}
	t->input_count = count;
	j->input_count = j->memory_count;
	return ERR_OK;
}

/* A memfd for each saved buffer. */
static enum err make_outputs(struct node_job *j, struct job_task *t)
{
	t->outputs =
		ARENA_ARRAY(j->arena, j->program.buffer_count + 1, uint32_t);
	if (!t->outputs)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < j->program.buffer_count; i++) {
		enum err e;

		if (!j->program.buffers[i].save)
			continue;
		if (j->memory_count == WIRE_FDS_MAX)
			return ERR_LIMIT;
		e = memory_new("weft-output", j->program.buffers[i].bytes,
			       &j->memory[j->memory_count]);
		if (e)
			return e;
		j->memory_count++;
		t->outputs[t->output_count++] = i;
	}
	return ERR_OK;
}

/* Program and task, decoded; t gets their bytes. */
static enum err get_program(struct node_job *j, const struct hash *program,
			    struct bytes task, struct job_task *t)
{
	enum err e = get_blob(j, program, &t->program);

	if (!e)
		e = program_decode(j->arena, t->program, &j->program);
	t->task = task;
	if (!e)
		e = program_task_decode(j->arena, task, &j->task);
	return e ? e : program_task_fits(&j->program, &j->task);
}

static enum err run_request(struct node_job *j, struct buf *body)
{
	struct job_task t = {
		.want_roots = true,
		.limit_ops = j->run.limit_ops,
		.cta_ops = j->run.cta_ops,
		.how = {.lanes = BYTES_LIT("auto"), .threads = j->run.threads},
	};
	enum err e = get_program(j, &j->run.program, j->run.task, &t);

	if (!e)
		e = get_inputs(j, &t);
	if (!e)
		e = make_outputs(j, &t);
	if (!e)
		job_task_encode(body, &t);
	return e;
}

/* The item hashes of a list blob, and its item number pick. */
static enum err list_items(struct node_job *j, const struct hash *root,
			   uint64_t pick, struct bytes *ret_hashes,
			   struct bytes *ret_item)
{
	struct bytes list;
	struct bytes rest;
	struct hash *hashes;
	uint64_t count = 0;
	enum err e = get_blob(j, root, &list);

	if (e)
		return e;
	/* the store checked the list's form */
	for (rest = list; rest.n >= 4; count++)
		rest = bytes_skip(rest, 4 + (size_t)u32_be(rest.p));
	hashes = ARENA_ARRAY(j->arena, count ? count : 1, struct hash);
	if (!hashes)
		return ERR_NO_MEMORY;
	*ret_item = (struct bytes){NULL, 0};
	rest = list;
	for (uint64_t i = 0; i < count; i++) {
		struct bytes item =
			bytes_slice(bytes_skip(rest, 4), 0, u32_be(rest.p));

		hashes[i] = merkle_item(item.p, item.n);
		if (i == pick)
			*ret_item = item;
		rest = bytes_skip(rest, 4 + item.n);
	}
	*ret_hashes = bytes_of(hashes, (size_t)count * HASH_BYTES);
	return ret_item->p ? ERR_OK : ERR_NOT_FOUND;
}

static enum err open_request(struct node_job *j, struct buf *body)
{
	struct job_open o = {
		.samples = (struct program_sample *)(uintptr_t)j->open.samples,
		.sample_count = j->open.sample_count,
		.seed = j->open.seed,
		.result_position = j->open.position,
	};
	struct job_task t = {
		.want_roots = true,
		.limit_ops = j->open.limit_ops,
		.how = {.lanes = BYTES_LIT("auto")},
		.open = &o,
	};
	struct bytes task;
	enum err e = list_items(j, &j->open.tasks_root, j->open.task_index,
				&o.task_leaves, &task);

	if (!e)
		e = list_items(j, &j->open.leaves_root, j->open.position,
			       &o.result_leaves, &o.result);
	if (!e)
		e = get_blob(j, &j->open.memory_roots, &o.memory_roots);
	if (!e)
		e = get_program(j, &j->open.program, task, &t);
	if (!e)
		e = get_inputs(j, &t);
	if (!e)
		job_task_encode(body, &t);
	return e;
}

static enum reason outcome_reason(uint32_t outcome)
{
	switch ((enum job_outcome)outcome) {
	case JOB_OK:
		return REASON_none;
	case JOB_FAULT:
	case JOB_VOID:
		return REASON_kernel_fault;
	case JOB_OVER:
		return REASON_limit_ops;
	case JOB_REFUSED: /* not what its buyer says it is */
		return REASON_void;
	case JOB_INCOMPLETE:
	case JOB_CANCELLED:
		break;
	}
	return REASON_driver_fault;
}

/* Outputs and memory roots into the store. */
static enum err keep_outputs(struct node_job *j,
			     const struct job_task_done *done,
			     struct core_ran *ran)
{
	size_t at = j->input_count;
	struct hash root;
	struct hash *objects;
	struct hash *trace;
	uint64_t traces = done->memory_roots.n / HASH_BYTES;
	enum err e = ERR_OK;

	if (done->object_roots.n !=
		    program_object_count(&j->program) * (size_t)HASH_BYTES ||
	    traces != done->steps + 1)
		return ERR_WORKER_LIED;
	objects = ARENA_ARRAY(j->arena, done->object_roots.n / HASH_BYTES,
			      struct hash);
	trace = ARENA_ARRAY(j->arena, traces, struct hash);
	if (!objects || !trace)
		return ERR_NO_MEMORY;
	memcpy(objects, done->object_roots.p, done->object_roots.n);
	memcpy(trace, done->memory_roots.p, done->memory_roots.n);
	for (uint32_t i = 0; !e && i < j->program.buffer_count; i++) {
		const struct memory *m = &j->memory[at];

		if (!j->program.buffers[i].save)
			continue;
		at++;
		ran->out_bytes += m->bytes;
		e = blob_put(j->node->blobs, CORE_NAME_BYTES,
			     bytes_of(m->p, (size_t)m->bytes), &objects[i],
			     &j->owner, &root);
	}
	if (!e)
		e = blob_put(j->node->blobs, CORE_NAME_BYTES,
			     done->memory_roots, NULL, &j->owner,
			     &ran->memory_roots);
	if (!e)
		e = program_trace_root(j->arena, trace, traces,
				       &ran->trace_root);
	ran->objects = objects;
	ran->object_count = program_object_count(&j->program);
	return e == ERR_PROOF ? ERR_WORKER_LIED : e;
}

/* A decoded answer as the core's event; j's arena goes with it. */
static void ran(struct node_job *j, struct node_event *e)
{
	struct core_ran *r = ARENA_NEW(j->arena, struct core_ran);
	struct job_task_done done;
	enum err err;

	if (!r) {
		e->event.err = ERR_NO_MEMORY;
		return;
	}
	e->event.ran = r;
	err = client_state_of(j->client) == CLIENT_ANSWERED
		      ? job_task_done_decode(j->arena, client_answer(j->client),
					     &done)
		      : client_error(j->client);
	if (!err) {
		r->reason = outcome_reason(done.run.outcome);
		r->words = done.run.text;
		r->step = done.run.step;
		r->cta = done.run.cta;
		r->steps = done.steps;
		r->count = done.run.count;
		r->run_ms = done.run.run_us / 1000;
		r->wall_ms = clock_now_ms() - j->begun_ms;
		if (!r->reason)
			err = keep_outputs(j, &done, r);
	} else if (client_state_of(j->client) == CLIENT_FAILED) {
		r->words = bytes_str(client_error_words(j->client));
	}
	if (err == ERR_TIMEOUT)
		r->reason = REASON_limit_seconds;
	else if (err == ERR_NO_MEMORY || err == ERR_LIMIT)
		r->reason = REASON_limit_memory;
	else if (err)
		r->reason = REASON_driver_fault;
}

static void opened(struct node_job *j, struct node_event *e)
{
	struct core_opened *o = ARENA_NEW(j->arena, struct core_opened);
	struct job_task_done done;

	if (!o) {
		e->event.err = ERR_NO_MEMORY;
		return;
	}
	e->event.opened = o;
	if (client_state_of(j->client) != CLIENT_ANSWERED) {
		e->event.err = client_error(j->client);
		log_line(LOG_WARN, "worker", "openings: %s",
			 client_error_words(j->client));
		return;
	}
	e->event.err =
		job_task_done_decode(j->arena, client_answer(j->client), &done);
	if (e->event.err)
		return;
	o->openings = done.openings;
	o->count = done.opening_count;
	o->wall_ms = clock_now_ms() - j->begun_ms;
}

static void audited(struct node_job *j, struct node_event *e)
{
	struct program_judge_answer *a =
		ARENA_NEW(j->arena, struct program_judge_answer);
	struct bytes record;

	if (!a) {
		e->event.err = ERR_NO_MEMORY;
		return;
	}
	e->event.audited = a;
	if (client_state_of(j->client) != CLIENT_ANSWERED) {
		e->event.err = client_error(j->client);
		log_line(LOG_WARN, "worker", "audit: %s",
			 client_error_words(j->client));
		return;
	}
	e->event.err = job_record_decode(client_answer(j->client), &record);
	if (!e->event.err)
		e->event.err = program_judge_answer_decode(record, a);
}

/* The worker is through: tell the core, which is done with j afterwards. */
static void finish(struct node_job *j)
{
	struct node *n = j->node;
	struct node_event *e = node_event_new(n, answer_kind(j), j->ticket);

	unlink_job(&n->jobs, j);
	n->job_count--;
	if (e) {
		if (j->kind == CORE_ACTION_RUN)
			ran(j, e);
		else if (j->kind == CORE_ACTION_OPEN)
			opened(j, e);
		else
			audited(j, e);
		/* answers borrow from the client: copy what is small */
		if (e->event.ran)
			((struct core_ran *)(uintptr_t)e->event.ran)->words =
				arena_copy(j->arena, e->event.ran->words);
		if (e->event.opened) {
			struct bytes *list = (struct bytes *)(uintptr_t)
						     e->event.opened->openings;

			for (size_t i = 0; i < e->event.opened->count; i++)
				list[i] = arena_copy(j->arena, list[i]);
		}
		e->arena = j->arena;
		j->arena = NULL;
		node_post(n, e);
	}
	job_free(j);
	start_waiting(n);
}

static void watch(struct node_job *j);

static void on_ready(evutil_socket_t fd, short what, void *ctx)
{
	struct node_job *j = ctx;

	(void)fd, (void)what;
	if (client_step(j->client, clock_now_ms()) != CLIENT_RUNNING)
		finish(j);
	else
		watch(j);
}

static void watch(struct node_job *j)
{
	uint64_t now_ms = clock_now_ms();
	uint64_t deadline_ms = client_deadline_ms(j->client);
	uint64_t in_ms = deadline_ms > now_ms ? deadline_ms - now_ms : 0;
	struct timeval in = {(time_t)(in_ms / 1000),
			     (suseconds_t)(in_ms % 1000) * 1000};
	short what = EV_READ;

	if (client_wants_write(j->client))
		what |= EV_WRITE;
	if (j->event)
		event_free(j->event);
	j->event = event_new(j->node->base, client_fd(j->client), what,
			     on_ready, j);
	if (!j->event || event_add(j->event, &in))
		node_fail(j->node, ERR_NO_MEMORY, "a worker's event");
}

static uint64_t wall_ms_of(const struct node_job *j)
{
	uint64_t ms = j->kind == CORE_ACTION_RUN    ? j->run.wall_ms
		      : j->kind == CORE_ACTION_OPEN ? j->open.wall_ms
						    : j->audit.wall_ms;

	return ms ? ms : j->node->config.provider_task_seconds * 1000;
}

static enum err start_client(struct node_job *j, enum wire_kind kind,
			     struct bytes body)
{
	const char *worker = j->node->config.node_worker;
	struct client_options options = {
		.worker_path = worker[0] ? worker : NULL,
		.wall_ms = wall_ms_of(j),
		.threads = j->kind == CORE_ACTION_RUN ? j->run.threads : 1,
	};
	int fds[WIRE_FDS_MAX];

	for (size_t i = 0; i < j->memory_count; i++)
		fds[i] = j->memory[i].fd;
	return client_start(&options, kind, body, fds, j->memory_count,
			    clock_now_ms(), &j->client);
}

static enum err start(struct node_job *j)
{
	struct buf body = buf_make(WIRE_FRAME_BYTES_MAX);
	enum wire_kind kind = WIRE_TASK;
	enum err e = ERR_OK;

	j->begun_ms = clock_now_ms();
	if (j->kind == CORE_ACTION_RUN) {
		e = run_request(j, &body);
	} else if (j->kind == CORE_ACTION_OPEN) {
		kind = WIRE_OPEN;
		e = open_request(j, &body);
	} else {
		/* an auditor asks what the referee is asked */
		kind = WIRE_REFEREE;
		job_record_encode(&body, j->audit.request);
	}
	if (!e)
		e = body.err;
	if (!e)
		e = start_client(j, kind, buf_bytes(&body));
	buf_free(&body);
	return e;
}

/* It could not even begin. */
static void fail(struct node_job *j, enum err err)
{
	struct node_event *e =
		node_event_new(j->node, answer_kind(j), j->ticket);

	log_line(LOG_WARN, "worker", "cannot start: %s", err_words(err));
	if (e) {
		e->event.err = err;
		if (j->kind == CORE_ACTION_RUN) {
			struct core_ran *r =
				ARENA_NEW(j->arena, struct core_ran);

			if (r)
				r->reason = REASON_driver_fault;
			e->event.ran = r;
			e->arena = j->arena;
			j->arena = NULL;
			if (!r)
				node_fail(j->node, ERR_NO_MEMORY, "a worker");
		}
		node_post(j->node, e);
	}
	job_free(j);
}

static uint32_t running(const struct node *n, enum core_action_kind kind)
{
	uint32_t count = 0;

	for (const struct node_job *j = n->jobs; j; j = j->next)
		if (j->kind == kind)
			count++;
	return count;
}

/* Tasks and audits are bounded by their roles; each opening runs a task. */
static bool may_start(const struct node *n, const struct node_job *j)
{
	return j->kind != CORE_ACTION_OPEN ||
	       running(n, CORE_ACTION_OPEN) < OPENINGS_AT_A_TIME;
}

static void start_waiting(struct node *n)
{
	struct node_job **at = &n->jobs_waiting;

	while (*at && !n->stopping) {
		struct node_job *j = *at;
		enum err e;

		if (!may_start(n, j)) {
			at = &j->next;
			continue;
		}
		*at = j->next;
		e = start(j);
		if (e) {
			fail(j, e);
			continue;
		}
		j->next = n->jobs;
		n->jobs = j;
		n->job_count++;
		watch(j);
	}
}

/* The action lives until the core's next step: keep what it points to. */
static bool keep_action(struct node_job *j, const struct core_action *a)
{
	struct program_sample *samples;

	j->run = a->run;
	j->run.task = arena_copy(j->arena, a->run.task);
	j->audit = a->audit;
	j->audit.request = arena_copy(j->arena, a->audit.request);
	j->open = a->open;
	samples =
		ARENA_ARRAY(j->arena, CORE_SAMPLES_MAX, struct program_sample);
	if (!samples || (a->run.task.n && !j->run.task.p) ||
	    (a->audit.request.n && !j->audit.request.p))
		return false;
	for (uint32_t i = 0; i < a->open.sample_count; i++)
		samples[i] = a->open.samples[i];
	j->open.samples = samples;
	return true;
}

void node_job_begin(struct node *n, const struct core_action *a)
{
	struct node_job **end = &n->jobs_waiting;
	struct node_job *j = calloc(1, sizeof(*j));

	if (j)
		j->arena = arena_new(JOB_ARENA_BYTES_MAX);
	if (!j || !j->arena) {
		free(j);
		node_fail(n, ERR_NO_MEMORY, "a worker");
		return;
	}
	j->node = n;
	j->ticket = a->ticket;
	j->kind = a->kind;
	j->owner = a->owner;
	if (!keep_action(j, a)) {
		fail(j, ERR_NO_MEMORY);
		return;
	}
	while (*end)
		end = &(*end)->next;
	*end = j;
	start_waiting(n);
}

static bool cancel_in(struct node_job **list, uint64_t ticket)
{
	for (struct node_job *j = *list; j; j = j->next)
		if (j->ticket == ticket) {
			unlink_job(list, j);
			job_free(j);
			return true;
		}
	return false;
}

bool node_job_cancel(struct node *n, uint64_t ticket)
{
	if (cancel_in(&n->jobs_waiting, ticket))
		return true;
	if (!cancel_in(&n->jobs, ticket))
		return false;
	n->job_count--;
	start_waiting(n);
	return true;
}

void node_job_close(struct node *n)
{
	while (n->jobs_waiting)
		(void)cancel_in(&n->jobs_waiting, n->jobs_waiting->ticket);
	while (n->jobs)
		(void)cancel_in(&n->jobs, n->jobs->ticket);
}

enum err node_referee(void *ctx, struct arena *a, uint64_t version,
		      struct bytes request, struct bytes *ret_verdict)
{
	struct node *n = ctx;
	const char *worker = n->config.node_worker;
	struct client_options options = {
		.worker_path = worker[0] ? worker : NULL,
		.wall_ms = REFEREE_WALL_MS,
		.threads = 1,
	};
	struct buf body = buf_make(WIRE_FRAME_BYTES_MAX);
	struct client *client = NULL;
	struct bytes record;
	enum err e;

	if (version != PROGRAM_REFEREE_VERSION) {
		buf_free(&body);
		return ERR_UNSUPPORTED;
	}
	job_record_encode(&body, request);
	e = body.err ? body.err
		     : client_run(&options, WIRE_REFEREE, buf_bytes(&body),
				  NULL, 0, NULL, NULL, &client);
	buf_free(&body);
	if (!e && client_state_of(client) != CLIENT_ANSWERED) {
		log_line(LOG_ERROR, "referee", "%s",
			 client_error_words(client));
		e = ERR_REFEREE;
	}
	if (!e)
		e = job_record_decode(client_answer(client), &record);
	if (!e) {
		*ret_verdict = arena_copy(a, record);
		if (!ret_verdict->p)
			e = ERR_NO_MEMORY;
	}
	client_free(client);
	return e ? ERR_REFEREE : ERR_OK;
}
