/*
 * node/pump - one event after another through the core; then its actions.
 *
 * All journal records, stores and pins of a step are one batch, written
 * before anything leaves the node: what was said to others is never
 * forgotten by a kill.
 */
#include <stdlib.h>

#include "node/clock.h"
#include "node/log.h"
#include "node/priv/node.h"

/* A timer that the core asked for. */
struct node_timer {
	struct node *node;
	struct node_timer *next;
	struct event *event;
	uint64_t ticket;
};

struct node_event *node_event_new(struct node *n, enum core_event_kind kind,
				  uint64_t ticket)
{
	struct node_event *e = calloc(1, sizeof(*e));

	if (!e) {
		node_fail(n, ERR_NO_MEMORY, "an event");
		return NULL;
	}
	e->event.kind = kind;
	e->event.ticket = ticket;
	e->keep = buf_make(CORE_SCRATCH_BYTES_MAX);
	return e;
}

static void item_free(struct node_event *e)
{
	arena_free(e->arena);
	buf_free(&e->keep);
	free(e);
}

void node_post(struct node *n, struct node_event *e)
{
	if (n->stopping) {
		item_free(e);
		return;
	}
	*n->queue_end = e;
	n->queue_end = &e->next;
	if (!n->pumping)
		event_active(n->pump_event, EV_TIMEOUT, 0);
}

void node_post_err(struct node *n, enum core_event_kind kind, uint64_t ticket,
		   enum err err)
{
	struct node_event *e = node_event_new(n, kind, ticket);

	if (!e)
		return;
	e->event.err = err;
	node_post(n, e);
}

static void timer_free(struct node_timer *t)
{
	struct node_timer **at = &t->node->timers;

	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	event_free(t->event);
	free(t);
}

static void on_wake(evutil_socket_t fd, short what, void *ctx)
{
	struct node_timer *t = ctx;

	(void)fd, (void)what;
	node_post_err(t->node, CORE_EVENT_TIMER, t->ticket, ERR_OK);
	timer_free(t);
}

static void wake(struct node *n, const struct core_action *a)
{
	struct node_timer *t = calloc(1, sizeof(*t));
	uint64_t now_ms = clock_now_ms();
	uint64_t in_ms = a->at_ms > now_ms ? a->at_ms - now_ms : 0;
	struct timeval in = {(time_t)(in_ms / 1000),
			     (suseconds_t)(in_ms % 1000) * 1000};

	if (t)
		t->event = evtimer_new(n->base, on_wake, t);
	if (!t || !t->event || evtimer_add(t->event, &in)) {
		if (t && t->event)
			event_free(t->event);
		free(t);
		node_fail(n, ERR_NO_MEMORY, "a timer");
		return;
	}
	t->node = n;
	t->ticket = a->ticket;
	t->next = n->timers;
	n->timers = t;
}

/* Journal, stores, pins: before everything else, in one batch. */
static enum err keep_one(struct node *n, const struct core_action *a)
{
	struct hash root;

	switch (a->kind) {
	case CORE_ACTION_JOURNAL:
		return a->bytes.p ? journal_put(n->env, a->key, a->bytes)
				  : journal_del(n->env, a->key);
	case CORE_ACTION_STORE:
		return blob_put(n->blobs, a->name, a->bytes, &a->root,
				&a->owner, &root);
	case CORE_ACTION_PIN:
		return blob_pin(n->blobs, &a->root, &a->owner);
	case CORE_ACTION_UNPIN:
		return blob_unpin(n->blobs, &a->owner);
	case CORE_ACTION_SUBMIT:
	case CORE_ACTION_FETCH:
	case CORE_ACTION_FETCH_OF_LEASE:
	case CORE_ACTION_RUN:
	case CORE_ACTION_OPEN:
	case CORE_ACTION_AUDIT:
	case CORE_ACTION_CANCEL:
	case CORE_ACTION_WAKE:
	case CORE_ACTION_REPLY:
	case CORE_ACTION_NOTE:
		break;
	}
	return ERR_OK;
}

static bool is_kept(const struct core_action *a)
{
	return a->kind == CORE_ACTION_JOURNAL || a->kind == CORE_ACTION_STORE ||
	       a->kind == CORE_ACTION_PIN || a->kind == CORE_ACTION_UNPIN;
}

static enum err keep_all(struct node *n, const struct core_action *actions,
			 size_t count)
{
	enum err e = ERR_OK;
	size_t first = 0;

	while (first < count && !is_kept(&actions[first]))
		first++;
	if (first == count)
		return ERR_OK;
	e = journal_begin(n->env);
	for (size_t i = first; !e && i < count; i++) {
		e = keep_one(n, &actions[i]);
		if (e == ERR_LIMIT && actions[i].kind == CORE_ACTION_STORE) {
			/* no room: the role hears of it when it looks for
			 * the blob */
			log_line(LOG_WARN, "data", "no room for %zu bytes",
				 actions[i].bytes.n);
			e = ERR_OK;
		}
	}
	return e ? e : journal_commit(n->env);
}

static void note(struct node *n, const struct core_action *a)
{
	char id[HASH_TEXT_BYTES];
	json_t *j;
	char *text;

	(void)hash_text(&a->root, id);
	if (a->level != CORE_NOTE_EVENT)
		log_line(a->level == CORE_NOTE_WARN ? LOG_WARN : LOG_INFO,
			 "node", "%.*s %.12s: %.*s", (int)a->key.n,
			 (const char *)a->key.p, id, (int)a->bytes.n,
			 (const char *)a->bytes.p);
	j = json_pack("{s:s%, s:s, s:s%}", "topic", (const char *)a->key.p,
		      a->key.n, "id", id, "text", (const char *)a->bytes.p,
		      a->bytes.n);
	text = j ? json_dumps(j, JSON_COMPACT) : NULL;
	if (text)
		node_stream_put(n, "note", bytes_str(text));
	free(text);
	json_decref(j);
}

static void cancel(struct node *n, const struct core_action *a)
{
	if (!node_fetch_cancel(n, a->ticket))
		(void)node_job_cancel(n, a->ticket);
}

static void perform(struct node *n, const struct core_action *a)
{
	switch (a->kind) {
	case CORE_ACTION_SUBMIT:
		node_send(n, a->ticket, a->lane, a->tx_kind, a->bytes);
		return;
	case CORE_ACTION_FETCH:
		node_fetch_begin(n, a);
		return;
	case CORE_ACTION_FETCH_OF_LEASE:
		node_fetch_of_lease(n, a);
		return;
	case CORE_ACTION_RUN:
	case CORE_ACTION_OPEN:
	case CORE_ACTION_AUDIT:
		node_job_begin(n, a);
		return;
	case CORE_ACTION_CANCEL:
		cancel(n, a);
		return;
	case CORE_ACTION_WAKE:
		wake(n, a);
		return;
	case CORE_ACTION_REPLY:
		node_door_reply(n, a->ticket, a->err, &a->root);
		return;
	case CORE_ACTION_NOTE:
		note(n, a);
		return;
	case CORE_ACTION_STORE:
	case CORE_ACTION_PIN:
	case CORE_ACTION_UNPIN:
	case CORE_ACTION_JOURNAL:
		return; /* kept already */
	}
}

/* One event; false when the node cannot go on. */
static bool step(struct node *n, struct core_event *event)
{
	const struct core_action *actions;
	struct ledger *view = NULL;
	struct ledger_info info;
	size_t count;
	enum err e = ERR_OK;

	ledger_chain_info(n->chain, &info);
	if (!info.is_empty)
		e = ledger_chain_view(n->chain, &view);
	if (!e) {
		event->view = view;
		e = core_step(n->core, clock_now_ms(), event, &actions, &count);
	}
	if (view)
		ledger_chain_view_end(view);
	if (!e)
		e = keep_all(n, actions, count);
	if (e) {
		node_fail(n, e, "the node's own records");
		return false;
	}
	for (size_t i = 0; i < count && !n->stopping; i++)
		perform(n, &actions[i]);
	return true;
}

static void on_pump(evutil_socket_t fd, short what, void *ctx)
{
	struct node *n = ctx;

	(void)fd, (void)what;
	n->pumping = true;
	while (n->queue) {
		struct node_event *e = n->queue;

		n->queue = e->next;
		if (!n->queue)
			n->queue_end = &n->queue;
		if (!n->stopping && !step(n, &e->event))
			n->stopping = true;
		item_free(e);
	}
	n->pumping = false;
}

enum err node_pump_open(struct node *n)
{
	n->queue_end = &n->queue;
	n->pump_event = event_new(n->base, -1, 0, on_pump, n);
	return n->pump_event ? ERR_OK : ERR_NO_MEMORY;
}

void node_pump_close(struct node *n)
{
	while (n->timers)
		timer_free(n->timers);
	while (n->queue) {
		struct node_event *e = n->queue;

		n->queue = e->next;
		item_free(e);
	}
	if (n->pump_event)
		event_free(n->pump_event);
}

static void give_record(void *ctx, struct bytes key, struct bytes value)
{
	struct node *n = ctx;
	struct node_event *e = node_event_new(n, CORE_EVENT_JOURNAL, 0);

	if (!e)
		return;
	e->arena = arena_new(key.n + value.n + 256);
	if (!e->arena) {
		item_free(e);
		node_fail(n, ERR_NO_MEMORY, "the journal");
		return;
	}
	e->event.key = arena_copy(e->arena, key);
	e->event.bytes = arena_copy(e->arena, value);
	node_post(n, e);
}

enum err node_core_start(struct node *n)
{
	enum err e = journal_scan(n->env, give_record, n);

	if (!e)
		node_post_err(n, CORE_EVENT_START, 0, ERR_OK);
	return e;
}
