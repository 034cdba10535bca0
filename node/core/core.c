/*
 * node/core/core - the dispatcher, and the list of actions that roles fill.
 *
 * A ticket is the role's number in its top byte and a counter below, so an
 * answer finds its role without a table; what a role no longer waits for it
 * recognises itself.  Everything an action points to is copied into an arena
 * that lives until the next step.
 */
#include "node/core/core.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/must.h"
#include "node/core/act.h"

#define TICKET_ROLE_SHIFT 56
#define NOTE_BYTES_MAX	  512u

struct core_out {
	struct arena *arena;
	struct core_action *actions; /* CORE_ACTIONS_MAX */
	size_t count;
	uint64_t now_ms;
	uint64_t next_ticket;
	size_t role_index;
	const char *role_name;
	enum err err; /* sticky */
};

struct core {
	struct core_out out;
	const struct core_role *roles[CORE_ROLES_MAX];
	void *states[CORE_ROLES_MAX];
	size_t role_count;
	struct arena *arena;
};

struct core *core_new(void)
{
	struct core *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->arena = arena_new(CORE_SCRATCH_BYTES_MAX);
	c->out.actions = calloc(CORE_ACTIONS_MAX, sizeof(*c->out.actions));
	c->out.arena = c->arena;
	if (!c->arena || !c->out.actions) {
		core_free(c);
		return NULL;
	}
	return c;
}

void core_add(struct core *c, const struct core_role *role, void *state)
{
	must(c->role_count < CORE_ROLES_MAX);
	c->roles[c->role_count] = role;
	c->states[c->role_count] = state;
	c->role_count++;
}

void core_free(struct core *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->role_count; i++)
		if (c->roles[i]->free)
			c->roles[i]->free(c->states[i]);
	arena_free(c->arena);
	free(c->out.actions);
	free(c);
}

/* Is this key the role's?  Journal keys are "<role>/" and the rest. */
static bool key_is_of(struct bytes key, const char *name, struct bytes *ret)
{
	size_t n = strlen(name);

	if (key.n < n + 1 || memcmp(key.p, name, n) != 0 || key.p[n] != '/')
		return false;
	*ret = bytes_skip(key, n + 1);
	return true;
}

static void step_role(struct core *c, size_t i, const struct core_event *event)
{
	c->out.role_index = i;
	c->out.role_name = c->roles[i]->name;
	c->roles[i]->step(c->states[i], &c->out, event);
}

static void step_journal(struct core *c, const struct core_event *event)
{
	for (size_t i = 0; i < c->role_count; i++) {
		struct core_event own = *event;

		if (key_is_of(event->key, c->roles[i]->name, &own.key))
			step_role(c, i, &own);
	}
}

static bool event_is_answer(const struct core_event *event)
{
	switch (event->kind) {
	case CORE_EVENT_TX:
	case CORE_EVENT_FETCHED:
	case CORE_EVENT_RAN:
	case CORE_EVENT_OPENED:
	case CORE_EVENT_AUDITED:
	case CORE_EVENT_TIMER:
		return true;
	case CORE_EVENT_JOURNAL:
	case CORE_EVENT_START:
	case CORE_EVENT_BLOCK:
	case CORE_EVENT_ASKED:
	case CORE_EVENT_PAUSE:
		break;
	}
	return false;
}

enum err core_step(struct core *c, uint64_t now_ms,
		   const struct core_event *event,
		   const struct core_action **ret_actions, size_t *ret_count)
{
	arena_reset(c->arena);
	c->out.count = 0;
	c->out.now_ms = now_ms;
	c->out.err = ERR_OK;
	if (event->kind == CORE_EVENT_JOURNAL) {
		step_journal(c, event);
	} else if (event_is_answer(event)) {
		size_t i = (size_t)(event->ticket >> TICKET_ROLE_SHIFT);

		if (i < c->role_count)
			step_role(c, i, event);
	} else {
		for (size_t i = 0; i < c->role_count; i++)
			step_role(c, i, event);
	}
	if (c->out.err)
		return c->out.err;
	*ret_actions = c->out.actions;
	*ret_count = c->out.count;
	return ERR_OK;
}

/* A new action, or NULL after an error, which sticks. */
static struct core_action *act(struct core_out *out, enum core_action_kind kind)
{
	struct core_action *a;

	if (out->err)
		return NULL;
	if (out->count == CORE_ACTIONS_MAX) {
		out->err = ERR_LIMIT;
		return NULL;
	}
	a = &out->actions[out->count++];
	memset(a, 0, sizeof(*a));
	a->kind = kind;
	return a;
}

static uint64_t ticket(struct core_out *out, struct core_action *a)
{
	a->ticket = ((uint64_t)out->role_index << TICKET_ROLE_SHIFT) |
		    ++out->next_ticket;
	return a->ticket;
}

static struct bytes copy(struct core_out *out, struct bytes b)
{
	struct bytes c = arena_copy(out->arena, b);

	if (!c.p && b.n)
		out->err = ERR_LIMIT;
	return c;
}

uint64_t core_submit(struct core_out *out, enum core_lane lane,
		     uint32_t tx_kind, struct bytes body)
{
	struct core_action *a = act(out, CORE_ACTION_SUBMIT);

	if (!a)
		return 0;
	a->lane = lane;
	a->tx_kind = tx_kind;
	a->bytes = copy(out, body);
	return ticket(out, a);
}

uint64_t core_fetch(struct core_out *out, const struct core_fetch *fetch)
{
	struct core_action *a = act(out, CORE_ACTION_FETCH);

	if (!a)
		return 0;
	must(fetch->from_count <= CORE_SOURCES_MAX);
	a->root = fetch->root;
	a->name = fetch->name;
	a->owner = fetch->owner;
	a->bytes_max = fetch->bytes_max;
	a->want_bytes = fetch->want_bytes;
	for (size_t i = 0; i < fetch->from_count; i++)
		a->from[i] = fetch->from[i];
	a->from_count = fetch->from_count;
	return ticket(out, a);
}

uint64_t core_fetch_of_lease(struct core_out *out, enum core_ask ask,
			     const struct hash *lease,
			     const struct pubkey *provider, uint64_t bytes_max)
{
	struct core_action *a = act(out, CORE_ACTION_FETCH_OF_LEASE);

	if (!a)
		return 0;
	a->ask = ask;
	a->root = *lease;
	a->bytes_max = bytes_max;
	a->from[0] = *provider;
	a->from_count = 1;
	return ticket(out, a);
}

void core_store(struct core_out *out, struct bytes bytes, enum core_name name,
		const struct hash *root, const struct hash *owner)
{
	struct core_action *a = act(out, CORE_ACTION_STORE);

	if (!a)
		return;
	a->bytes = copy(out, bytes);
	a->name = name;
	a->root = *root;
	a->owner = *owner;
}

void core_pin(struct core_out *out, const struct hash *root,
	      const struct hash *owner)
{
	struct core_action *a = act(out, CORE_ACTION_PIN);

	if (!a)
		return;
	a->root = *root;
	a->owner = *owner;
}

void core_unpin(struct core_out *out, const struct hash *owner)
{
	struct core_action *a = act(out, CORE_ACTION_UNPIN);

	if (a)
		a->owner = *owner;
}

uint64_t core_run(struct core_out *out, const struct core_run *run,
		  const struct hash *owner)
{
	struct core_action *a = act(out, CORE_ACTION_RUN);

	if (!a)
		return 0;
	a->run = *run;
	a->owner = *owner;
	a->run.task = copy(out, run->task);
	return ticket(out, a);
}

uint64_t core_open(struct core_out *out, const struct core_open *open)
{
	struct core_action *a = act(out, CORE_ACTION_OPEN);
	struct program_sample *samples;

	if (!a)
		return 0;
	must(open->sample_count <= CORE_SAMPLES_MAX);
	a->open = *open;
	samples = ARENA_ARRAY(out->arena, open->sample_count,
			      struct program_sample);
	if (!samples) {
		out->err = ERR_LIMIT;
		return 0;
	}
	for (uint32_t i = 0; i < open->sample_count; i++)
		samples[i] = open->samples[i];
	a->open.samples = samples;
	return ticket(out, a);
}

uint64_t core_audit(struct core_out *out, const struct core_audit *audit)
{
	struct core_action *a = act(out, CORE_ACTION_AUDIT);

	if (!a)
		return 0;
	a->audit = *audit;
	a->audit.request = copy(out, audit->request);
	return ticket(out, a);
}

void core_cancel(struct core_out *out, uint64_t asked)
{
	struct core_action *a = asked ? act(out, CORE_ACTION_CANCEL) : NULL;

	if (a)
		a->ticket = asked;
}

/* "<role>/" before the role's own key. */
static struct bytes full_key(struct core_out *out, struct bytes key)
{
	size_t n = strlen(out->role_name);
	uint8_t *p = arena_alloc(out->arena, n + 1 + key.n, 1);

	must(key.n <= CORE_KEY_BYTES_MAX);
	if (!p) {
		out->err = ERR_LIMIT;
		return (struct bytes){NULL, 0};
	}
	memcpy(p, out->role_name, n);
	p[n] = '/';
	memcpy(p + n + 1, key.p, key.n);
	return bytes_of(p, n + 1 + key.n);
}

void core_journal_put(struct core_out *out, struct bytes key,
		      struct bytes value)
{
	struct core_action *a = act(out, CORE_ACTION_JOURNAL);

	must(value.n > 0);
	if (!a)
		return;
	a->key = full_key(out, key);
	a->bytes = copy(out, value);
}

void core_journal_del(struct core_out *out, struct bytes key)
{
	struct core_action *a = act(out, CORE_ACTION_JOURNAL);

	if (a)
		a->key = full_key(out, key);
}

uint64_t core_wake(struct core_out *out, uint64_t at_ms)
{
	struct core_action *a = act(out, CORE_ACTION_WAKE);

	if (!a)
		return 0;
	a->at_ms = at_ms;
	return ticket(out, a);
}

void core_reply(struct core_out *out, uint64_t asked, enum err e,
		const struct hash *root)
{
	struct core_action *a = act(out, CORE_ACTION_REPLY);

	if (!a)
		return;
	a->ticket = asked;
	a->err = e;
	a->root = *root;
}

void core_note(struct core_out *out, enum core_note_level level,
	       const char *topic, const struct hash *id, const char *fmt, ...)
{
	struct core_action *a = act(out, CORE_ACTION_NOTE);
	char text[NOTE_BYTES_MAX];
	va_list args;

	if (!a)
		return;
	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	a->level = level;
	a->key = copy(out, bytes_str(topic));
	a->root = *id;
	a->bytes = copy(out, bytes_str(text));
}

uint64_t core_now_ms(const struct core_out *out)
{
	return out->now_ms;
}

struct arena *core_arena(struct core_out *out)
{
	return out->arena;
}
