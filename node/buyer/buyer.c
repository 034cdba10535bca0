/*
 * node/buyer/buyer - at every block, the live leases of the jobs that have
 * not ended; once, at start and when a job ends, all of its leases.
 *
 * A lease's results are one list blob; every result names the roots of the
 * saved buffers, and those roots are the names of the outputs.
 */
#include "node/buyer/buyer.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/codec.h"
#include "base/merkle.h"
#include "gpu/program/program.h"
#include "gpu/program/trace.h"
#include "ledger/state.h"
#include "market/job.h"
#include "market/lease.h"
#include "market/receipt.h"
#include "node/core/act.h"

#define JOBS_MAX	  4096u
#define JOB_BYTES_MAX	  (64u << 20)
#define LEASE_BYTES_MAX	  (128u << 20)
#define LEAVES_BYTES_MAX  (CORE_SCRATCH_BYTES_MAX / 4)
#define RECENT_MAX	  4096u
#define RECORD_VERSION	  1u
#define RECORD_BYTES_MAX  64u
#define RECEIPT_TRIES_MAX 5u
#define RETRY_MIN_MS	  250u
#define RETRY_MAX_MS	  60000u

struct buyer_job {
	struct hash id;
	bool used;
	bool ended;  /* the last pass over all leases is under way */
	bool pinned; /* program, tasks, header */
	struct arena *arena;
	uint64_t ticket; /* the program */
	bool has_program;
	struct program program;
	uint64_t seen_height;
};

struct buyer_lease {
	bool used;
	struct market_lease lease;
	struct buyer_job *job;
	struct arena *arena;
	struct program_result *results;
	uint32_t result_count;	/* 0: the leaves are not here */
	uint32_t task;		/* next output: of this result ... */
	uint32_t buffer;	/* ... and buffer */
	unsigned asked_receipt; /* times: without one the outputs count too */
	uint64_t receipt_ticket;
	uint64_t ticket;
	uint64_t retry_ms;
	uint64_t backoff_ms;
};

struct buyer {
	struct pubkey account;
	struct buyer_job jobs[JOBS_MAX];
	struct buyer_lease leases[BUYER_FETCHES_MAX];
	struct hash recent[RECENT_MAX]; /* leases that are here */
	uint32_t recent_next;
	struct buyer_status status;
};

struct buyer *buyer_new(const struct pubkey *account)
{
	struct buyer *b = calloc(1, sizeof(*b));

	if (b)
		b->account = *account;
	return b;
}

static void buyer_free(void *state)
{
	struct buyer *b = state;

	for (size_t i = 0; i < JOBS_MAX; i++)
		arena_free(b->jobs[i].arena);
	for (size_t i = 0; i < BUYER_FETCHES_MAX; i++)
		arena_free(b->leases[i].arena);
	free(b);
}

struct hash buyer_inputs_owner(const struct hash *job)
{
	struct sha256 s;

	sha256_init_tag(&s, "weft/inputs");
	sha256_put(&s, job->b, HASH_BYTES);
	return sha256_end(&s);
}

bool buyer_has_lease(const struct buyer *b, const struct hash *lease)
{
	for (size_t i = 0; i < RECENT_MAX; i++)
		if (hash_eq(&b->recent[i], lease))
			return true;
	return false;
}

static struct buyer_job *job_of(struct buyer *b, const struct hash *id)
{
	struct buyer_job *empty = NULL;

	for (size_t i = 0; i < JOBS_MAX; i++) {
		if (b->jobs[i].used && hash_eq(&b->jobs[i].id, id))
			return &b->jobs[i];
		if (!b->jobs[i].used && !empty)
			empty = &b->jobs[i];
	}
	if (!empty)
		return NULL;
	memset(empty, 0, sizeof(*empty));
	empty->used = true;
	empty->id = *id;
	return empty;
}

static void job_free(struct buyer_job *j)
{
	arena_free(j->arena);
	memset(j, 0, sizeof(*j));
}

static struct buyer_lease *lease_of(struct buyer *b, const struct hash *id)
{
	for (size_t i = 0; i < BUYER_FETCHES_MAX; i++)
		if (b->leases[i].used && hash_eq(&b->leases[i].lease.id, id))
			return &b->leases[i];
	return NULL;
}

static void lease_free(struct buyer_lease *l)
{
	arena_free(l->arena);
	memset(l, 0, sizeof(*l));
}

/* Are there results that are worth having? */
static bool has_results(const struct market_lease *l)
{
	return l->commit_height && l->done &&
	       (l->state == MARKET_LEASE_committed ||
		l->state == MARKET_LEASE_auditing ||
		l->state == MARKET_LEASE_settled ||
		l->state == MARKET_LEASE_unchecked);
}

static void begin_lease(struct buyer *b, struct buyer_job *j,
			const struct market_lease *lease)
{
	if (!has_results(lease) || buyer_has_lease(b, &lease->id) ||
	    lease_of(b, &lease->id))
		return;
	for (size_t i = 0; i < BUYER_FETCHES_MAX; i++) {
		struct buyer_lease *l = &b->leases[i];

		if (l->used)
			continue;
		l->arena = arena_new(LEASE_BYTES_MAX);
		if (!l->arena)
			return;
		l->used = true;
		l->lease = *lease;
		l->job = j;
		l->backoff_ms = RETRY_MIN_MS;
		return;
	}
}

static uint64_t fetch(struct buyer_lease *l, struct core_out *out,
		      const struct hash *root, enum core_name name,
		      uint64_t bytes_max, bool want_bytes)
{
	return core_fetch(out, &(struct core_fetch){
				       .root = *root,
				       .name = name,
				       .owner = l->lease.job,
				       .bytes_max = bytes_max,
				       .want_bytes = want_bytes,
				       .from = &l->lease.provider,
				       .from_count = 1,
			       });
}

/* The next output that is not here; false when all are. */
static bool next_output(const struct buyer_lease *l, uint32_t *ret_buffer)
{
	uint32_t buffer = l->buffer;

	if (l->task >= l->result_count)
		return false;
	while (buffer < l->job->program.buffer_count &&
	       !l->job->program.buffers[buffer].save)
		buffer++;
	*ret_buffer = buffer;
	return true;
}

static void lease_done(struct buyer *b, struct buyer_lease *l,
		       struct core_out *out)
{
	b->recent[b->recent_next] = l->lease.id;
	b->recent_next = (b->recent_next + 1) % RECENT_MAX;
	core_note(out, CORE_NOTE_EVENT, "outputs", &l->lease.id,
		  "tasks %u to %u", l->lease.first,
		  l->lease.first + l->lease.done - 1);
	lease_free(l);
}

static void drive_lease(struct buyer *b, struct buyer_lease *l,
			struct core_out *out)
{
	uint32_t buffer;

	if (l->ticket || l->receipt_ticket || !l->job->has_program ||
	    core_now_ms(out) < l->retry_ms)
		return;
	if (!l->result_count) {
		l->ticket = fetch(l, out, &l->lease.leaves_root, CORE_NAME_LIST,
				  LEAVES_BYTES_MAX, true);
		return;
	}
	while (next_output(l, &buffer)) {
		const struct program *p = &l->job->program;

		if (buffer == p->buffer_count) {
			l->task++;
			l->buffer = 0;
			continue;
		}
		l->buffer = buffer;
		l->ticket =
			fetch(l, out, &l->results[l->task].object_roots[buffer],
			      CORE_NAME_BYTES, p->buffers[buffer].bytes, false);
		return;
	}
	if (l->asked_receipt < RECEIPT_TRIES_MAX) {
		l->asked_receipt++;
		l->receipt_ticket = core_fetch_of_lease(
			out, CORE_ASK_RECEIPT, &l->lease.id, &l->lease.provider,
			MARKET_RECEIPT_BYTES_MAX + 256u);
		return;
	}
	lease_done(b, l, out);
}

/*
 * The receipt that lease.commit named, signed by who holds the lease or by a
 * key it acts with; kept as a blob, its root in the journal.
 */
static enum err take_receipt(struct buyer_lease *l, struct core_out *out,
			     struct bytes bytes)
{
	struct market_receipt_signed s;
	struct hash digest;
	struct hash root = merkle_bytes_root(bytes);
	struct buf b = buf_make(RECORD_BYTES_MAX);
	enum err e = market_receipt_signed_decode(bytes, &s);

	if (!e)
		e = market_receipt_digest(&s.receipt, &digest);
	if (!e && !hash_eq(&digest, &l->lease.receipt_hash))
		e = ERR_PROOF;
	if (!e)
		e = market_receipt_verify(&s);
	if (!e) {
		core_store(out, bytes, CORE_NAME_BYTES, &root, &l->lease.job);
		enc_array(&b, 2);
		enc_uint(&b, RECORD_VERSION);
		enc_hash(&b, &root);
		core_journal_put(out, hash_bytes(&l->lease.id), buf_bytes(&b));
	}
	buf_free(&b);
	return e;
}

/* Results as the provider committed to them, or an error. */
static enum err take_leaves(struct buyer_lease *l, struct bytes list)
{
	struct bytes own = arena_copy(l->arena, list);
	struct hash root = program_result_root(&l->lease.id, &l->lease.provider,
					       &l->lease.leaves_root);
	uint32_t objects = program_object_count(&l->job->program);
	uint32_t count = 0;

	l->results =
		ARENA_ARRAY(l->arena, l->lease.done, struct program_result);
	if (!own.p || !l->results)
		return ERR_NO_MEMORY;
	if (!hash_eq(&root, &l->lease.result_root))
		return ERR_PROOF;
	for (; own.n >= 4 && count < l->lease.done; count++) {
		struct program_result *r = &l->results[count];
		size_t n = u32_be(own.p);
		struct bytes item = bytes_slice(bytes_skip(own, 4), 0, n);

		own = bytes_skip(own, 4 + item.n);
		if (program_result_decode(l->arena, item, r) ||
		    r->index != l->lease.first + (uint64_t)count ||
		    r->object_count != objects)
			return ERR_MALFORMED;
	}
	if (own.n || count != l->lease.done)
		return ERR_MALFORMED;
	l->result_count = count;
	return ERR_OK;
}

static void take_fetched(struct buyer *b, struct buyer_lease *l,
			 struct core_out *out, const struct core_event *event)
{
	enum err e = event->err;

	l->ticket = 0;
	if (!e && !l->result_count) {
		e = take_leaves(l, event->bytes);
	} else if (!e) {
		l->buffer++;
		b->status.output_count++;
		b->status.last_ms = core_now_ms(out);
	}
	if (!e) {
		l->backoff_ms = RETRY_MIN_MS;
		drive_lease(b, l, out);
		return;
	}
	if (e == ERR_PROOF || e == ERR_MALFORMED) {
		b->status.wrong_count++;
		l->backoff_ms = RETRY_MAX_MS;
		core_note(out, CORE_NOTE_WARN, "outputs", &l->lease.id,
			  "the provider sent something else: %s", err_words(e));
	}
	l->retry_ms = core_now_ms(out) + l->backoff_ms;
	(void)core_wake(out, l->retry_ms);
	if (l->backoff_ms < RETRY_MAX_MS)
		l->backoff_ms *= 2;
}

static void take_program(struct buyer_job *j, const struct core_event *event)
{
	struct bytes own;

	j->ticket = 0;
	if (event->err)
		return;
	own = arena_copy(j->arena, event->bytes);
	j->has_program =
		own.p && program_decode(j->arena, own, &j->program) == ERR_OK;
}

/* What the job needs from this node stays; its program is read. */
static void begin_job(struct buyer_job *j, const struct market_job *job,
		      struct core_out *out)
{
	if (!j->pinned) {
		core_pin(out, &job->terms.program_id, &j->id);
		core_pin(out, &job->terms.header_root, &j->id);
		core_pin(out, &job->terms.tasks_root, &j->id);
		j->pinned = true;
	}
	if (!j->arena)
		j->arena = arena_new(JOB_BYTES_MAX);
	if (!j->arena || j->ticket || j->has_program)
		return;
	j->ticket = core_fetch(out, &(struct core_fetch){
					    .root = job->terms.program_id,
					    .name = CORE_NAME_PROGRAM,
					    .owner = j->id,
					    .bytes_max = PROGRAM_BYTES_MAX,
					    .want_bytes = true,
				    });
}

static void look_at_leases(struct buyer *b, struct buyer_job *j, bool all,
			   struct ledger *view)
{
	struct market_lease lease;
	struct hash after = HASH_ZERO;
	bool first = true;

	for (;;) {
		const struct hash *from = first ? NULL : &after;
		enum err e = all ? market_lease_next_of_job(view, &j->id, from,
							    &lease)
				 : market_lease_next_live_of_job(view, &j->id,
								 from, &lease);

		if (e)
			return;
		first = false;
		after = lease.id;
		begin_lease(b, j, &lease);
	}
}

static bool is_fetching(const struct buyer *b, const struct buyer_job *j)
{
	for (size_t i = 0; i < BUYER_FETCHES_MAX; i++)
		if (b->leases[i].used && b->leases[i].job == j)
			return true;
	return false;
}

static void look_at_job(struct buyer *b, const struct market_job *job,
			bool at_start, struct core_out *out,
			struct ledger *view)
{
	bool ended = job->state == MARKET_JOB_ENDED;
	struct buyer_job *j;

	/* what had ended before this process began is looked at once */
	if (ended && !at_start) {
		j = job_of(b, &job->id);
		if (!j || !j->pinned)
			return;
	} else {
		j = job_of(b, &job->id);
	}
	if (!j)
		return;
	begin_job(j, job, out);
	if (at_start || (ended && !j->ended))
		look_at_leases(b, j, true, view);
	else if (!ended)
		look_at_leases(b, j, false, view);
	if (ended && !j->ended) {
		struct hash inputs = buyer_inputs_owner(&j->id);

		core_unpin(out, &inputs);
		j->ended = true;
	}
	if (!ended)
		b->status.job_count++;
}

static void reconcile(struct buyer *b, bool at_start, struct core_out *out,
		      struct ledger *view)
{
	struct market_job job;
	struct hash after = HASH_ZERO;
	bool first = true;

	if (!view)
		return;
	b->status.job_count = 0;
	while (market_job_next(view, &b->account, first ? NULL : &after,
			       &job) == ERR_OK) {
		first = false;
		after = job.id;
		look_at_job(b, &job, at_start, out, view);
	}
	for (size_t i = 0; i < BUYER_FETCHES_MAX; i++)
		if (b->leases[i].used)
			drive_lease(b, &b->leases[i], out);
	for (size_t i = 0; i < JOBS_MAX; i++)
		if (b->jobs[i].used && b->jobs[i].ended && !b->jobs[i].ticket &&
		    !is_fetching(b, &b->jobs[i]))
			job_free(&b->jobs[i]);
}

static bool take_answer(struct buyer *b, struct buyer_lease *l,
			struct core_out *out, const struct core_event *event)
{
	if (l->ticket == event->ticket) {
		take_fetched(b, l, out, event);
		return true;
	}
	if (l->receipt_ticket != event->ticket)
		return false;
	l->receipt_ticket = 0;
	if (event->err && l->asked_receipt < RECEIPT_TRIES_MAX) {
		l->retry_ms = core_now_ms(out) + ((uint64_t)RETRY_MIN_MS
						  << (2 * l->asked_receipt));
		(void)core_wake(out, l->retry_ms);
		return true;
	}
	if (event->err || take_receipt(l, out, event->bytes))
		core_note(out, CORE_NOTE_WARN, "receipt", &l->lease.id,
			  "not to be had");
	lease_done(b, l, out);
	return true;
}

static void answer(struct buyer *b, struct core_out *out,
		   const struct core_event *event)
{
	for (size_t i = 0; i < BUYER_FETCHES_MAX; i++)
		if (b->leases[i].used &&
		    take_answer(b, &b->leases[i], out, event))
			return;
	for (size_t i = 0; i < JOBS_MAX; i++)
		if (b->jobs[i].used && b->jobs[i].ticket == event->ticket) {
			take_program(&b->jobs[i], event);
			break;
		}
	for (size_t i = 0; i < BUYER_FETCHES_MAX; i++)
		if (b->leases[i].used)
			drive_lease(b, &b->leases[i], out);
}

static void buyer_step(void *state, struct core_out *out,
		       const struct core_event *event)
{
	struct buyer *b = state;

	switch (event->kind) {
	case CORE_EVENT_START:
		reconcile(b, true, out, event->view);
		return;
	case CORE_EVENT_BLOCK:
		reconcile(b, false, out, event->view);
		return;
	case CORE_EVENT_FETCHED:
		answer(b, out, event);
		return;
	case CORE_EVENT_TIMER:
		for (size_t i = 0; i < BUYER_FETCHES_MAX; i++)
			if (b->leases[i].used)
				drive_lease(b, &b->leases[i], out);
		return;
	case CORE_EVENT_JOURNAL:
	case CORE_EVENT_TX:
	case CORE_EVENT_RAN:
	case CORE_EVENT_OPENED:
	case CORE_EVENT_AUDITED:
	case CORE_EVENT_ASKED:
	case CORE_EVENT_PAUSE:
		return;
	}
}

const struct core_role buyer_role = {
	.name = "buyer",
	.step = buyer_step,
	.free = buyer_free,
};

void buyer_status(const struct buyer *b, struct buyer_status *ret)
{
	*ret = b->status;
	ret->lease_count = 0;
	for (size_t i = 0; i < BUYER_FETCHES_MAX; i++)
		if (b->leases[i].used)
			ret->lease_count++;
}
