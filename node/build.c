/*
 * node/build - a manifest over JSON-RPC: compiled, checked, planned and
 * quoted by a worker; what comes out is kept as blobs, so that the job can be
 * posted and its provider served.
 *
 * {"blob": ROOT} in place of a path is looked up here and travels with the
 * request.  Inputs are stored as the program sees them: padded to the size
 * of their buffer.
 */
#include <stdlib.h>
#include <string.h>

#include "base/merkle.h"
#include "gpu/client/client.h"
#include "gpu/client/job.h"
#include "gpu/program/header.h"
#include "gpu/program/program.h"
#include "gpu/program/task.h"
#include "node/clock.h"
#include "node/priv/node.h"
#include "verify/evidence.h"

#define PLAN_ARENA_BYTES    (1u << 30)
#define PLAN_WALL_MS	    300000u
#define PLAN_FILES_MAX	    256u
#define PLAN_FILE_BYTES_MAX (64u << 20)
#define PLAN_DEPTH_MAX	    32u
#define SOURCE_BLOB	    2u /* gpu/build's number of a source by root */

struct node_plan {
	struct node *node;
	struct node_plan *next;
	void (*done)(void *arg, const struct rpc_built *b);
	void *arg;
	struct arena *arena;
	struct job_file files[PLAN_FILES_MAX]; /* blobs that are named */
	uint32_t file_count;
	struct bytes texts[PLAN_FILES_MAX]; /* contents given in place */
	uint32_t text_count;
	struct client *client;
	struct event *event;
};

static void plan_free(struct node_plan *p)
{
	struct node_plan **at = &p->node->plans;

	while (*at && *at != p)
		at = &(*at)->next;
	if (*at)
		*at = p->next;
	if (p->event)
		event_free(p->event);
	client_free(p->client);
	arena_free(p->arena);
	free(p);
}

static void plan_end(struct node_plan *p, const struct rpc_built *b)
{
	p->done(p->arg, b);
	plan_free(p);
}

static void plan_fail(struct node_plan *p, enum err e, const char *words)
{
	struct rpc_built b = {.err = e, .words = words};

	plan_end(p, &b);
}

static enum err add_blob(struct node_plan *p, const char *hex)
{
	struct buf b = buf_make(PLAN_FILE_BYTES_MAX);
	struct job_file *f = &p->files[p->file_count];
	struct hash root;
	enum err e = hex_decode(bytes_str(hex), root.b, HASH_BYTES);

	if (!e && p->file_count == PLAN_FILES_MAX)
		e = ERR_LIMIT;
	if (!e)
		e = blob_read(p->node->blobs, &root, &b);
	if (!e) {
		f->kind = SOURCE_BLOB;
		f->name = arena_copy(p->arena, bytes_str(hex));
		f->bytes = arena_copy(p->arena, buf_bytes(&b));
		p->file_count++;
	}
	buf_free(&b);
	return e;
}

/* Every {"blob": ROOT} and {"text": ...} anywhere in the manifest. */
static enum err collect(struct node_plan *p, const json_t *j, unsigned depth)
{
	const char *key;
	json_t *value;
	size_t i;
	enum err e = ERR_OK;

	if (depth == PLAN_DEPTH_MAX)
		return ERR_LIMIT;
	if (json_is_array(j)) {
		json_array_foreach(j, i, value)
		{
			e = e ? e : collect(p, value, depth + 1);
		}
		return e;
	}
	json_object_foreach((json_t *)(uintptr_t)j, key, value)
	{
		if (e)
			return e;
		if (strcmp(key, "blob") == 0 && json_is_string(value))
			e = add_blob(p, json_string_value(value));
		else if (strcmp(key, "text") == 0 && json_is_string(value) &&
			 p->text_count < PLAN_FILES_MAX)
			p->texts[p->text_count++] = arena_copy(
				p->arena, bytes_of(json_string_value(value),
						   json_string_length(value)));
		else
			e = collect(p, value, depth + 1);
	}
	return e;
}

static struct market_work work_of(const struct program *p,
				  const struct program_header *h,
				  uint64_t limit_ops)
{
	const struct program_totals *t = &h->totals;

	return (struct market_work){
		.ops_per_task = t->ops_per_task,
		.limit_ops = limit_ops,
		.cta_ops_max = t->cta_ops,
		.sample_ops = program_sample_ops(p, h),
		.cta_open_max = t->cta_open,
		.written_bytes = t->write_bytes,
		.input_bytes = t->input_bytes,
		.output_bytes = t->output_bytes,
		.memory_bytes = h->needs.memory_bytes,
		.step_count = (uint32_t)t->launches,
		.sm_min = h->needs.sm,
		.class_bit = verify_class_bit(h),
	};
}

/* Store content, padded with zeroes to bytes. */
static enum err put_padded(struct node_plan *p, struct bytes content,
			   uint64_t bytes)
{
	uint8_t *padded;
	struct hash root;

	if (content.n > bytes || bytes > PLAN_FILE_BYTES_MAX)
		return ERR_OK; /* not of this buffer */
	padded = arena_alloc(p->arena, (size_t)bytes + 1, 1);
	if (!padded)
		return ERR_NO_MEMORY;
	if (content.n)
		memcpy(padded, content.p, content.n);
	return blob_put(p->node->blobs, CORE_NAME_BYTES,
			bytes_of(padded, (size_t)bytes), NULL, NULL, &root);
}

/* What was given, as each input buffer would see it. */
static enum err keep_inputs(struct node_plan *p, const struct program *program)
{
	enum err e = ERR_OK;

	for (uint32_t i = 0; i < program->buffer_count; i++) {
		const struct program_buffer *b = &program->buffers[i];

		if (b->init != PROGRAM_INIT_INPUT)
			continue;
		for (uint32_t k = 0; !e && k < p->file_count; k++)
			e = put_padded(p, p->files[k].bytes, b->bytes);
		for (uint32_t k = 0; !e && k < p->text_count; k++)
			e = put_padded(p, p->texts[k], b->bytes);
	}
	return e;
}

static bool inputs_are_here(struct node_plan *p,
			    const struct job_planned *planned)
{
	for (uint32_t i = 0; i < planned->task_count; i++) {
		struct program_task t;
		uint64_t bytes;

		if (program_task_decode(p->arena, planned->tasks[i], &t))
			return false;
		for (uint32_t k = 0; k < t.input_count; k++)
			if (!blob_has(p->node->blobs, &t.inputs[k].root,
				      &bytes))
				return false;
	}
	return true;
}

static enum err keep_tasks(struct node_plan *p,
			   const struct job_planned *planned,
			   struct hash *ret_root)
{
	struct buf list = buf_make(CORE_SCRATCH_BYTES_MAX / 2);
	enum err e;

	for (uint32_t i = 0; i < planned->task_count; i++) {
		uint8_t length[4];

		put_u32_be(length, (uint32_t)planned->tasks[i].n);
		buf_put(&list, length, sizeof(length));
		buf_put_bytes(&list, planned->tasks[i]);
	}
	e = list.err ? list.err
		     : blob_put(p->node->blobs, CORE_NAME_LIST,
				buf_bytes(&list), NULL, NULL, ret_root);
	buf_free(&list);
	return e;
}

/* gpu/build counts sampled, dual, full, tasks; {"samples": n} is sampled. */
static enum market_confidence confidence_of(const struct job_planned *planned)
{
	static const enum market_confidence numbers[] = {
		MARKET_SAMPLED, MARKET_DUAL, MARKET_FULL, MARKET_TASKS};

	if (planned->confidence >= sizeof(numbers) / sizeof(numbers[0]))
		return MARKET_SAMPLED;
	if (!planned->confidence && planned->samples)
		return MARKET_SAMPLES;
	return numbers[planned->confidence];
}

static enum err keep(struct node_plan *p, const struct job_planned *planned,
		     struct rpc_built *b)
{
	struct blob_store *blobs = p->node->blobs;
	struct program program;
	struct program_header header;
	enum err e = program_decode(p->arena, planned->program, &program);

	if (!e)
		e = program_header_decode(p->arena, planned->built.header,
					  &header);
	if (!e)
		e = blob_put(blobs, CORE_NAME_PROGRAM, planned->program, NULL,
			     NULL, &b->program_id);
	if (!e)
		e = blob_put(blobs, CORE_NAME_HEADER, planned->built.header,
			     NULL, NULL, &b->header_root);
	if (!e)
		e = keep_tasks(p, planned, &b->tasks_root);
	if (!e)
		e = keep_inputs(p, &program);
	if (e)
		return e;
	b->task_count = planned->task_count;
	b->work = work_of(&program, &header, planned->built.limit_ops);
	b->confidence = confidence_of(planned);
	b->samples = planned->samples;
	b->seconds_max = (uint32_t)planned->seconds;
	return ERR_OK;
}

/* Why it is not for sale; NULL: it is. */
static const char *refusal(struct node_plan *p,
			   const struct job_planned *planned)
{
	const struct job_run *end = &planned->built.end;

	if (end->outcome == JOB_REFUSED)
		return arena_printf(
			p->arena, "not for sale: %.*s: %.*s",
			(int)end->reason.n, (const char *)end->reason.p,
			(int)end->text.n, (const char *)end->text.p);
	if (end->outcome != JOB_OK)
		return arena_printf(p->arena, "a sampled CTA: %s: %.*s",
				    job_outcome_word(end->outcome),
				    (int)end->text.n,
				    (const char *)end->text.p);
	if (!planned->built.header.n)
		return arena_printf(p->arena, "class %.*s is not sold: %.*s",
				    (int)planned->class_name.n,
				    (const char *)planned->class_name.p,
				    (int)planned->reasons.n,
				    (const char *)planned->reasons.p);
	return NULL;
}

static void answered(struct node_plan *p)
{
	struct rpc_built b = {.err = ERR_OK};
	struct job_planned planned;
	const char *why;

	if (client_state_of(p->client) != CLIENT_ANSWERED) {
		plan_fail(p, client_error(p->client),
			  client_error_words(p->client));
		return;
	}
	b.err = job_planned_decode(p->arena, client_answer(p->client),
				   &planned);
	why = b.err ? NULL : refusal(p, &planned);
	if (!b.err && why)
		b.err = ERR_REFUSED;
	if (!b.err)
		b.err = keep(p, &planned, &b);
	if (!b.err && !inputs_are_here(p, &planned)) {
		b.err = ERR_NOT_FOUND;
		why = "an input is not here: give it as text or as a blob";
	}
	b.words = why ? why : err_words(b.err);
	if (!b.err)
		b.detail = json_pack("{s:s%, s:s%}", "class",
				     (const char *)planned.class_name.p,
				     planned.class_name.n, "reasons",
				     planned.reasons.n
					     ? (const char *)planned.reasons.p
					     : "",
				     planned.reasons.n);
	{
		json_t *detail = b.detail;

		plan_end(p, &b);
		json_decref(detail);
	}
}

static void watch(struct node_plan *p);

static void on_ready(evutil_socket_t fd, short what, void *ctx)
{
	struct node_plan *p = ctx;

	(void)fd, (void)what;
	if (client_step(p->client, clock_now_ms()) != CLIENT_RUNNING)
		answered(p);
	else
		watch(p);
}

static void watch(struct node_plan *p)
{
	struct timeval in = {PLAN_WALL_MS / 1000, 0};
	short what = EV_READ;

	if (client_wants_write(p->client))
		what |= EV_WRITE;
	if (p->event)
		event_free(p->event);
	p->event = event_new(p->node->base, client_fd(p->client), what,
			     on_ready, p);
	if (!p->event || event_add(p->event, &in))
		node_fail(p->node, ERR_NO_MEMORY, "a worker's event");
}

static enum err start(struct node_plan *p, struct bytes manifest)
{
	const char *worker = p->node->config.node_worker;
	struct client_options options = {
		.worker_path = worker[0] ? worker : NULL,
		.wall_ms = PLAN_WALL_MS,
	};
	struct job_manifest m = {.manifest = manifest,
				 .files = p->files,
				 .file_count = p->file_count,
				 .want_quote = true,
				 .seed = 1};
	struct buf body = buf_make(WIRE_FRAME_BYTES_MAX);
	enum err e;

	job_manifest_encode(&body, &m);
	e = body.err ? body.err
		     : client_start(&options, WIRE_MANIFEST, buf_bytes(&body),
				    NULL, 0, clock_now_ms(), &p->client);
	buf_free(&body);
	return e;
}

void node_build(struct node *n, struct bytes manifest,
		void (*done)(void *arg, const struct rpc_built *b), void *arg)
{
	struct node_plan *p = calloc(1, sizeof(*p));
	json_t *j = json_loadb((const char *)manifest.p, manifest.n, 0, NULL);
	enum err e;

	if (p)
		p->arena = arena_new(PLAN_ARENA_BYTES);
	if (!p || !p->arena) {
		struct rpc_built b = {.err = ERR_NO_MEMORY,
				      .words = err_words(ERR_NO_MEMORY)};

		free(p);
		json_decref(j);
		done(arg, &b);
		return;
	}
	p->node = n;
	p->done = done;
	p->arg = arg;
	p->next = n->plans;
	n->plans = p;
	e = j ? collect(p, j, 0) : ERR_MALFORMED;
	json_decref(j);
	if (!e)
		e = start(p, manifest);
	if (e == ERR_NOT_FOUND)
		plan_fail(p, e, "a blob that the manifest names is not here");
	else if (e)
		plan_fail(p, e, err_words(e));
	else
		watch(p);
}

void node_build_close(struct node *n)
{
	while (n->plans)
		plan_free(n->plans);
}
