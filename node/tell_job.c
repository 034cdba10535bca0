/*
 * node/tell_job - a job's outputs by task, and what happened to it.
 *
 * Nothing is stored for this: leases are the ledger's, their results lie in
 * the blob store under the roots that the ledger names.
 */
#include <stdlib.h>

#include "gpu/program/program.h"
#include "gpu/program/trace.h"
#include "market/job.h"
#include "market/lease.h"
#include "node/priv/tell.h"

#define RESULT_ARENA_BYTES (256u << 20)
#define LOG_LINES_MAX	   1000u

/* How good a lease's word about a task is; the best one is told. */
static int rank_of(const struct market_lease *l)
{
	switch (l->state) {
	case MARKET_LEASE_settled:
		return l->audited ? 5 : 4;
	case MARKET_LEASE_unchecked:
		return 4;
	case MARKET_LEASE_committed:
	case MARKET_LEASE_auditing:
		return 3;
	case MARKET_LEASE_refuted:
	case MARKET_LEASE_unavailable:
	case MARKET_LEASE_void:
		return 1;
	case MARKET_LEASE_open:
	case MARKET_LEASE_accepted:
	case MARKET_LEASE_declined:
	case MARKET_LEASE_lapsed:
	case MARKET_LEASE_failed:
	case MARKET_LEASE_retracted:
	case MARKET_LEASE_cancelled:
	case MARKET_LEASE_STATE_COUNT:
		break;
	}
	return 0;
}

static const char *word_of(int rank)
{
	static const char *const words[] = {"missing", "refuted",   "missing",
					    "pending", "unaudited", "audited"};

	return words[rank];
}

struct telling {
	struct node *node;
	struct arena *arena;
	struct program program;
	bool has_program;
	uint32_t task_count;
	int *ranks;
	json_t *tasks;
};

static bool read_blob(struct telling *t, const struct hash *root,
		      struct bytes *ret)
{
	struct buf b = buf_make(CORE_SCRATCH_BYTES_MAX);
	bool fine = blob_read(t->node->blobs, root, &b) == ERR_OK;

	if (fine) {
		*ret = arena_copy(t->arena, buf_bytes(&b));
		fine = ret->p || !b.n;
	}
	buf_free(&b);
	return fine;
}

static json_t *outputs_of(struct telling *t, const struct program_result *r)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < t->program.buffer_count; i++) {
		json_t *o;
		uint64_t bytes;

		if (!t->program.buffers[i].save || i >= r->object_count ||
		    !blob_has(t->node->blobs, &r->object_roots[i], &bytes))
			continue;
		o = json_object();
		tell_number(o, "buffer", i);
		tell_hash(o, "root", &r->object_roots[i]);
		tell_u64(o, "bytes", bytes);
		json_array_append_new(list, o);
	}
	return list;
}

static void put_task(struct telling *t, const struct market_lease *l,
		     uint32_t index, const struct program_result *r)
{
	int rank = rank_of(l);
	json_t *o;

	if (index >= t->task_count || rank < t->ranks[index])
		return;
	t->ranks[index] = rank;
	o = json_array_get(t->tasks, index);
	json_object_set_new(o, "state", json_string(word_of(rank)));
	tell_reason(o, rank == 1 ? l->reason : REASON_none);
	tell_account(t->node, o, "provider", &l->provider);
	tell_hash(o, "lease", &l->id);
	json_object_set_new(o, "outputs", r ? outputs_of(t, r) : json_array());
}

static void put_lease(struct telling *t, const struct market_lease *l)
{
	struct bytes list = {NULL, 0};
	bool here = t->has_program && read_blob(t, &l->leaves_root, &list);

	for (uint32_t i = 0; i < l->done; i++) {
		struct program_result r;
		bool fine = here && list.n >= 4;

		if (fine) {
			struct bytes item = bytes_slice(bytes_skip(list, 4), 0,
							u32_be(list.p));

			list = bytes_skip(list, 4 + item.n);
			fine = program_result_decode(t->arena, item, &r) ==
			       ERR_OK;
		}
		put_task(t, l, l->first + i, fine ? &r : NULL);
	}
}

static void put_leases(struct telling *t, struct ledger *view,
		       const struct hash *job)
{
	struct market_lease lease;
	struct hash after = HASH_ZERO;
	bool first = true;

	while (market_lease_next_of_job(view, job, first ? NULL : &after,
					&lease) == ERR_OK) {
		first = false;
		after = lease.id;
		if (lease.commit_height && rank_of(&lease))
			put_lease(t, &lease);
	}
}

static const char *job_word(enum market_job_state s)
{
	static const char *const words[] = {"open", "paused", "closing",
					    "ended"};

	return words[s];
}

json_t *tell_job_result(struct node *n, struct ledger *view,
			const struct hash *id)
{
	struct telling t = {.node = n, .arena = arena_new(RESULT_ARENA_BYTES)};
	struct market_job job;
	struct bytes program;
	json_t *j;

	if (!t.arena || market_job_get(view, id, &job)) {
		arena_free(t.arena);
		return NULL;
	}
	t.task_count = job.terms.task_count;
	t.tasks = json_array();
	t.ranks = ARENA_ARRAY(t.arena, t.task_count, int);
	if (!t.ranks)
		t.task_count = 0;
	for (uint32_t i = 0; i < t.task_count; i++)
		json_array_append_new(
			t.tasks, json_pack("{s:i, s:s, s:[]}", "index", (int)i,
					   "state", "missing", "outputs"));
	t.has_program = read_blob(&t, &job.terms.program_id, &program) &&
			program_decode(t.arena, program, &t.program) == ERR_OK;
	put_leases(&t, view, id);
	j = json_object();
	tell_hash(j, "id", id);
	json_object_set_new(j, "state", json_string(job_word(job.state)));
	tell_reason(j, job.reason);
	json_object_set_new(j, "tasks", t.tasks);
	arena_free(t.arena);
	return j;
}

static void put_line(json_t *list, uint64_t height, const char *event,
		     const struct market_lease *l)
{
	json_t *o;

	if (!height || json_array_size(list) >= LOG_LINES_MAX)
		return;
	o = json_object();
	tell_number(o, "height", height);
	json_object_set_new(o, "event", json_string(event));
	tell_hash(o, "lease", &l->id);
	tell_number(o, "first", l->first);
	tell_number(o, "tasks", l->count);
	json_array_append_new(list, o);
}

static void put_lease_lines(struct node *n, json_t *list,
			    const struct market_lease *l)
{
	put_line(list, l->open_height, "matched", l);
	put_line(list, l->accept_height, "accepted", l);
	put_line(list, l->commit_height, "committed", l);
	put_line(list, l->end_height, market_lease_state_word(l->state), l);
	if (l->end_height && json_array_size(list)) {
		json_t *last = json_array_get(list, json_array_size(list) - 1);

		tell_reason(last, l->reason);
		tell_account(n, last, "provider", &l->provider);
	}
}

json_t *tell_job_log(struct node *n, struct ledger *view, const struct hash *id)
{
	struct market_lease lease;
	struct market_job job;
	struct hash after = HASH_ZERO;
	bool first = true;
	json_t *list;
	json_t *j;

	if (market_job_get(view, id, &job))
		return NULL;
	list = json_array();
	while (market_lease_next_of_job(view, id, first ? NULL : &after,
					&lease) == ERR_OK) {
		first = false;
		after = lease.id;
		put_lease_lines(n, list, &lease);
	}
	j = json_object();
	tell_hash(j, "id", id);
	json_object_set_new(j, "lines", list);
	return j;
}
