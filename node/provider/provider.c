/*
 * node/provider/provider - the reconciler: the ledger's leases against ours.
 *
 * An answer finds its lease by its ticket; a linear search over what is in
 * hand is short.  After every answer the lease is driven on with the ledger's
 * present state, so that nothing waits for a block that need not.
 */
#include "node/provider/provider.h"

#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/must.h"
#include "ledger/state.h"
#include "market/job.h"
#include "market/kinds.h"
#include "market/offer.h"
#include "node/provider/priv/work.h"

#define RECORD_VERSION	   1u
#define TX_REFUSALS_MAX	   4u
#define OFFER_BYTES_MAX	   4096u
#define OFFER_AGAIN_BLOCKS 20u

struct provider *provider_new(const struct provider_config *config)
{
	struct provider *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->config = *config;
	p->waiting = "";
	if (!p->config.slots)
		p->config.slots = 1;
	return p;
}

static void work_free(struct work *w)
{
	arena_free(w->arena);
	memset(w, 0, sizeof(*w));
}

static void provider_free(void *state)
{
	struct provider *p = state;

	for (size_t i = 0; i < PROVIDER_LEASES_MAX; i++)
		if (p->works[i].used)
			work_free(&p->works[i]);
	free(p->served);
	sig_wipe(&p->config.key, sizeof(p->config.key));
	free(p);
}

static struct work *find(struct provider *p, const struct hash *id)
{
	for (size_t i = 0; i < PROVIDER_LEASES_MAX; i++)
		if (p->works[i].used && hash_eq(&p->works[i].id, id))
			return &p->works[i];
	return NULL;
}

static struct work *add(struct provider *p, const struct hash *id)
{
	for (size_t i = 0; i < PROVIDER_LEASES_MAX; i++) {
		struct work *w = &p->works[i];

		if (w->used)
			continue;
		memset(w, 0, sizeof(*w));
		w->arena = arena_new(PROVIDER_LEASE_BYTES_MAX);
		if (!w->arena)
			return NULL;
		w->used = true;
		w->id = *id;
		return w;
	}
	return NULL;
}

/* Records: lease id -> [1, receipt]; lease id, position -> a task's. */
static void take_record(struct provider *p, const struct core_event *event)
{
	struct hash id;
	struct work *w;

	if (event->key.n != HASH_BYTES && event->key.n != HASH_BYTES + 4)
		return;
	memcpy(id.b, event->key.p, HASH_BYTES);
	w = find(p, &id);
	if (!w)
		w = add(p, &id);
	if (!w)
		return;
	w->known = true;
	if (event->key.n == HASH_BYTES) {
		struct dec d = dec_make(event->bytes);
		struct hash root;

		dec_array_exact(&d, 2);
		(void)dec_uint(&d, UINT32_MAX);
		root = dec_hash(&d);
		if (dec_end(&d) == ERR_OK)
			w->receipt_root = root;
	} else {
		struct work_kept *k = ARENA_NEW(w->arena, struct work_kept);

		if (!k)
			return;
		k->position = u32_be(event->key.p + HASH_BYTES);
		k->record = arena_copy(w->arena, event->bytes);
		k->next = w->kept;
		w->kept = k;
	}
}

static void forget_journal(struct work *w, struct core_out *out)
{
	uint8_t key[HASH_BYTES + 4];

	memcpy(key, w->id.b, HASH_BYTES);
	for (uint32_t i = 0; i < w->lease.count; i++) {
		put_u32_be(key + HASH_BYTES, i);
		core_journal_del(out, bytes_of(key, sizeof(key)));
	}
}

/* Outputs stay for a while: the buyer may not have them yet. */
static void serve_on(struct provider *p, struct work *w, uint64_t until_height)
{
	struct served *grown;

	if (p->served_count == SERVED_MAX)
		return;
	if ((p->served_count & (p->served_count - 1)) == 0) {
		size_t n = p->served_count ? p->served_count * 2 : 1;

		grown = realloc(p->served, n * sizeof(*grown));
		if (!grown)
			return;
		p->served = grown;
	}
	p->served[p->served_count++] =
		(struct served){.id = w->id, .until_height = until_height};
}

static void drop_served(struct provider *p, struct core_out *out)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->served_count; i++) {
		if (p->served[i].until_height > p->height) {
			p->served[kept++] = p->served[i];
			continue;
		}
		core_unpin(out, &p->served[i].id);
		core_journal_del(out, hash_bytes(&p->served[i].id));
	}
	p->served_count = kept;
}

/* Workers and transactions of a lease that is over. */
static void cancel_all(struct provider *p, struct work *w, struct core_out *out)
{
	core_cancel(out, w->ticket);
	core_cancel(out, w->check_ticket);
	for (uint32_t i = 0; i < WORK_CHECK_SAMPLES; i++)
		core_cancel(out, w->check_audits[i]);
	for (uint32_t i = 0; w->tasks && i < w->lease.count; i++) {
		if (w->tasks[i].state == TASK_RUNNING) {
			must(p->running > 0);
			p->running--;
		}
		core_cancel(out, w->tasks[i].ticket);
	}
}

static void finish(struct provider *p, struct work *w, struct core_out *out)
{
	enum market_lease_state s = w->lease.state;

	cancel_all(p, w, out);
	core_note(out, CORE_NOTE_INFO, "lease", &w->id, "%s%s%s",
		  market_lease_state_word(s), w->lease.reason ? ": " : "",
		  w->lease.reason ? reason_word(w->lease.reason) : "");
	if (s == MARKET_LEASE_settled || s == MARKET_LEASE_unchecked)
		p->done_leases++;
	else
		p->last_reason = w->lease.reason;
	forget_journal(w, out);
	serve_on(p, w, w->lease.end_height + p->config.drop_keep_blocks);
	work_free(w);
}

/* Accepted, window nearly over: say what is done. */
static bool is_late(const struct provider *p, const struct work *w)
{
	return p->height + WORK_MARGIN_BLOCKS >= w->lease.window_height;
}

static void drive_open(struct provider *p, struct work *w, struct core_out *out)
{
	if (p->paused || p->draining) {
		work_decline(p, w, out,
			     p->paused ? REASON_owner_active
				       : REASON_declined_busy);
		return;
	}
	if (work_prepare(p, w, out))
		work_accept(p, w, out);
	else if (is_late(p, w))
		work_decline(p, w, out, REASON_input_missing);
}

static void drive_accepted(struct provider *p, struct work *w,
			   struct core_out *out)
{
	if (!work_prepare(p, w, out) && !is_late(p, w))
		return;
	if (w->phase != WORK_READY) {
		/* They were here when it accepted: the fault is our own. */
		w->reason = REASON_driver_fault;
		w->limit = 0;
		work_commit(p, w, out);
		return;
	}
	if (work_done(w) < w->limit) {
		if (!is_late(p, w))
			return;
		w->limit = work_done(w);
		w->reason = REASON_limit_seconds;
	}
	if (w->limit && !w->stated && !work_state_results(p, w, out, w->limit))
		return;
	if (w->limit && w->check == CHECK_NONE) {
		if (p->config.tamper.on)
			w->check = CHECK_FINE; /* a cheat does not look */
		else
			work_check(w, out);
	}
	if (w->check == CHECK_WRONG || w->check == CHECK_VOID) {
		w->limit = 0;
		w->reason = w->check == CHECK_VOID ? REASON_void
						   : REASON_driver_fault;
	}
	if (!w->limit || w->check == CHECK_FINE || is_late(p, w))
		work_commit(p, w, out);
}

static void drive(struct provider *p, struct work *w, struct core_out *out,
		  struct ledger *view)
{
	if (!w->used || !w->lease.count || w->tx_ticket ||
	    p->height < w->tx_again_height)
		return;
	switch (w->lease.state) {
	case MARKET_LEASE_open:
		drive_open(p, w, out);
		return;
	case MARKET_LEASE_accepted:
		drive_accepted(p, w, out);
		return;
	case MARKET_LEASE_committed:
	case MARKET_LEASE_auditing:
		if (work_prepare(p, w, out) && view)
			duty_drive(p, w, out, view);
		return;
	case MARKET_LEASE_settled:
	case MARKET_LEASE_declined:
	case MARKET_LEASE_lapsed:
	case MARKET_LEASE_failed:
	case MARKET_LEASE_retracted:
	case MARKET_LEASE_cancelled:
	case MARKET_LEASE_refuted:
	case MARKET_LEASE_void:
	case MARKET_LEASE_unavailable:
	case MARKET_LEASE_unchecked:
	case MARKET_LEASE_STATE_COUNT:
		return;
	}
}

/*
 * Accepted before, but the journal does not know it and it did not begin in
 * this process: hand it back at once, so that its tasks are requeued.
 */
static void hand_back(struct provider *p, struct work *w, struct core_out *out)
{
	core_note(out, CORE_NOTE_WARN, "lease", &w->id,
		  "unknown here: handed back");
	w->reason = REASON_driver_fault;
	work_commit(p, w, out);
}

/*
 * What the ledger has of our results is what we answer for.  It may come as
 * news: a commit that was on its way when this process died.
 */
static void adopt(struct work *w)
{
	if (!w->lease.commit_height)
		return;
	w->result_root = w->lease.result_root;
	w->leaves_root = w->lease.leaves_root;
	w->leaves_bytes = w->lease.leaves_bytes;
	w->stated = true;
}

static void begin(struct provider *p, struct work *w, struct core_out *out,
		  struct ledger *view)
{
	struct market_job job;
	struct buf b = buf_make(64);

	w->seen_height = p->height;
	if (market_job_get(view, &w->lease.job, &job) == ERR_OK)
		w->job_tasks = job.terms.task_count;
	if (w->known)
		return;
	w->known = true;
	enc_array(&b, 2);
	enc_uint(&b, RECORD_VERSION);
	enc_hash(&b, &w->receipt_root);
	if (!b.err)
		core_journal_put(out, hash_bytes(&w->id), buf_bytes(&b));
	buf_free(&b);
	core_note(out, CORE_NOTE_INFO, "lease", &w->id,
		  "tasks %u to %u for %llu picks", w->lease.first,
		  w->lease.first + w->lease.count - 1,
		  (unsigned long long)coin_raw(w->lease.price));
	if (w->lease.state == MARKET_LEASE_accepted)
		hand_back(p, w, out);
}

/* Our leases as the ledger has them.  False if it could not be asked. */
static bool look(struct provider *p, struct core_out *out, struct ledger *view)
{
	struct hash after = HASH_ZERO;
	struct market_lease lease;
	bool first = true;
	enum err e;

	while (!(e = market_lease_next_live(view, &p->config.account,
					    first ? NULL : &after, &lease))) {
		struct work *w = find(p, &lease.id);

		first = false;
		after = lease.id;
		if (!w)
			w = add(p, &lease.id);
		if (!w)
			continue; /* full: it will lapse or be taken later */
		w->lease = lease;
		adopt(w);
		if (!w->seen_height)
			begin(p, w, out, view);
		w->seen_height = p->height;
	}
	return e == ERR_NOT_FOUND;
}

/* One that is no longer live: ended, or never was on this chain. */
static void look_after(struct provider *p, struct work *w, struct core_out *out,
		       struct ledger *view)
{
	struct market_lease lease;
	enum err e = market_lease_get(view, &w->id, &lease);

	if (e == ERR_OK && market_lease_is_final(lease.state)) {
		w->lease = lease;
		finish(p, w, out);
	} else if (e == ERR_NOT_FOUND) {
		cancel_all(p, w, out);
		core_unpin(out, &w->id);
		forget_journal(w, out);
		core_journal_del(out, hash_bytes(&w->id));
		work_free(w);
	}
}

static void submit_offer(struct provider *p, struct core_out *out,
			 const struct market_offer *standing, uint32_t slots)
{
	struct market_offer_terms t = p->config.offer;
	struct buf b = buf_make(OFFER_BYTES_MAX);

	t.until_height += p->height;
	t.slots = slots;
	if (standing)
		market_offer_update_encode(&b, &standing->id, &t);
	else
		market_offer_terms_encode(&b, &t);
	if (!b.err)
		p->offer_ticket =
			core_submit(out, CORE_LANE_PROVIDER,
				    standing ? MARKET_KIND_OFFER_UPDATE
					     : MARKET_KIND_OFFER_POST,
				    buf_bytes(&b));
	p->offer_again_height = p->height + OFFER_AGAIN_BLOCKS;
	buf_free(&b);
}

/* One offer stands while we work, with no slots while we do not. */
static void drive_offer(struct provider *p, struct core_out *out,
			struct ledger *view)
{
	bool wanted = !p->paused && !p->draining;
	uint32_t slots = wanted ? p->config.offer.slots : 0;
	struct market_offer offer;
	enum err e;

	p->waiting = "";
	if (!p->config.has_offer || p->offer_ticket ||
	    p->height < p->offer_again_height)
		return;
	e = market_offer_next(view, &p->config.account, NULL, &offer);
	if (e == ERR_NOT_FOUND && wanted)
		submit_offer(p, out, NULL, slots);
	else if (e == ERR_OK && (offer.terms.slots != slots ||
				 offer.terms.until_height < p->height))
		submit_offer(p, out, &offer, slots);
}

static void reconcile(struct provider *p, struct core_out *out,
		      struct ledger *view)
{
	if (!view || !p->started)
		return;
	p->height = view->height;
	if (!look(p, out, view))
		return;
	for (size_t i = 0; i < PROVIDER_LEASES_MAX; i++) {
		struct work *w = &p->works[i];

		if (w->used && w->seen_height != p->height)
			look_after(p, w, out, view);
		drive(p, w, out, view);
	}
	work_schedule(p, out);
	drive_offer(p, out, view);
	drop_served(p, out);
}

static void take_tx(struct provider *p, struct work *w, struct core_out *out,
		    const struct core_event *event)
{
	w->tx_ticket = 0;
	if (event->err == ERR_OK || event->reason == REASON_tx_expired) {
		w->tx_refusals = 0;
		return;
	}
	core_note(out, CORE_NOTE_WARN, "lease", &w->id,
		  "a transaction was refused: %s", reason_word(event->reason));
	w->tx_refusals++;
	w->tx_again_height = w->tx_refusals < TX_REFUSALS_MAX
				     ? p->height + (1u << w->tx_refusals)
				     : UINT64_MAX;
}

static struct work_task *task_of(struct work *w, uint64_t ticket)
{
	for (uint32_t i = 0; w->tasks && i < w->lease.count; i++)
		if (w->tasks[i].ticket == ticket)
			return &w->tasks[i];
	return NULL;
}

static bool take_answer(struct provider *p, struct work *w,
			struct core_out *out, const struct core_event *event)
{
	struct work_task *t;

	if (w->tx_ticket == event->ticket) {
		take_tx(p, w, out, event);
		return true;
	}
	if (w->ticket == event->ticket) {
		work_fetched(p, w, out, event);
		return true;
	}
	if (event->kind == CORE_EVENT_OPENED &&
	    w->check_ticket == event->ticket) {
		work_check_opened(p, w, out, event);
		return true;
	}
	if (event->kind == CORE_EVENT_AUDITED)
		return work_check_audited(w, out, event);
	if (duty_event(p, w, out, event))
		return true;
	t = task_of(w, event->ticket);
	if (!t)
		return false;
	if (event->kind == CORE_EVENT_RAN)
		work_ran(p, w, t, out, event);
	else
		work_tampered(p, w, t, out, event);
	return true;
}

static void answer(struct provider *p, struct core_out *out,
		   const struct core_event *event)
{
	if (event->ticket == p->offer_ticket && event->ticket) {
		p->offer_ticket = 0;
		if (event->err)
			p->waiting = "the offer was refused";
		return;
	}
	for (size_t i = 0; i < PROVIDER_LEASES_MAX; i++) {
		struct work *w = &p->works[i];

		if (!w->used)
			continue;
		if (!take_answer(p, w, out, event))
			continue;
		/* a transaction's effect is seen at the next block */
		if (event->kind != CORE_EVENT_TX) {
			drive(p, w, out, event->view);
			work_schedule(p, out);
		}
		return;
	}
}

static void asked(struct provider *p, struct core_out *out,
		  const struct core_event *event)
{
	struct work *w = find(p, &event->id);

	if (!w) {
		core_reply(out, event->ticket, ERR_NOT_FOUND, &event->id);
		return;
	}
	if (event->ask == CORE_ASK_OPENINGS)
		duty_asked(p, w, out, event);
	else if (hash_is_zero(&w->receipt_root))
		core_reply(out, event->ticket, ERR_BUSY, &w->receipt_root);
	else
		core_reply(out, event->ticket, ERR_OK, &w->receipt_root);
}

/* The owner wants the machine: what is done is said, the rest goes back. */
static void stop_running(struct provider *p, struct core_out *out)
{
	for (size_t i = 0; i < PROVIDER_LEASES_MAX; i++) {
		struct work *w = &p->works[i];

		if (!w->used || w->lease.state != MARKET_LEASE_accepted ||
		    w->phase != WORK_READY || work_done(w) == w->limit)
			continue;
		w->limit = work_done(w);
		w->reason = REASON_owner_active;
		for (uint32_t k = w->limit; k < w->lease.count; k++) {
			struct work_task *t = &w->tasks[k];

			if (t->state == TASK_RUNNING) {
				must(p->running > 0);
				p->running--;
			}
			core_cancel(out, t->ticket);
			t->ticket = 0;
			if (t->state != TASK_DONE)
				t->state = TASK_TODO;
		}
	}
}

static void provider_step(void *state, struct core_out *out,
			  const struct core_event *event)
{
	struct provider *p = state;

	switch (event->kind) {
	case CORE_EVENT_JOURNAL:
		take_record(p, event);
		return;
	case CORE_EVENT_START:
		p->started = true;
		FALLTHROUGH;
	case CORE_EVENT_BLOCK:
		reconcile(p, out, event->view);
		return;
	case CORE_EVENT_PAUSE:
		p->paused = event->flag;
		p->offer_again_height = 0;
		if (p->paused)
			stop_running(p, out);
		reconcile(p, out, event->view);
		return;
	case CORE_EVENT_TX:
	case CORE_EVENT_FETCHED:
	case CORE_EVENT_RAN:
	case CORE_EVENT_OPENED:
	case CORE_EVENT_AUDITED:
		answer(p, out, event);
		return;
	case CORE_EVENT_ASKED:
		asked(p, out, event);
		return;
	case CORE_EVENT_TIMER:
		return;
	}
}

const struct core_role provider_role = {
	.name = "provider",
	.step = provider_step,
	.free = provider_free,
};

void provider_status(const struct provider *p, struct provider_status *ret)
{
	*ret = (struct provider_status){
		.paused = p->paused,
		.draining = p->draining,
		.running_count = p->running,
		.serving_count = (uint32_t)p->served_count,
		.done_tasks = p->done_tasks,
		.done_leases = p->done_leases,
		.last_task_ms = p->last_task_ms,
		.last_reason = p->last_reason,
		.waiting = p->waiting,
	};
	for (size_t i = 0; i < PROVIDER_LEASES_MAX; i++) {
		if (!p->works[i].used)
			continue;
		ret->lease_count++;
		ret->lease = p->works[i].id;
	}
}

void provider_drain(struct provider *p)
{
	p->draining = true;
	p->offer_again_height = 0;
}

bool provider_is_idle(const struct provider *p)
{
	for (size_t i = 0; i < PROVIDER_LEASES_MAX; i++)
		if (p->works[i].used)
			return false;
	return true;
}
