/*
 * Actions, and the time until their answers.
 */
#include "tests/sim/shell/shell.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/merkle.h"
#include "base/must.h"
#include "market/lease.h"
#include "market/offer.h"
#include "node/buyer/buyer.h"
#include "node/provider/provider.h"
#include "node/verifier/verifier.h"

uint64_t shell_below(struct sim *s, uint64_t n)
{
	s->random ^= s->random >> 12;
	s->random ^= s->random << 25;
	s->random ^= s->random >> 27;
	return u64_mulhi(s->random * 0x2545f4914f6cdd1dull, n);
}

bool shell_one_in(struct sim *s, uint64_t n)
{
	return shell_below(s, n) == 0;
}

static bool is_provider(uint32_t node)
{
	return node < PROVIDERS;
}

/* Actor 0 of the rig proposes. */
uint32_t shell_actor_of(uint32_t node)
{
	return node + 1;
}

uint32_t shell_node_of(const struct sim *s, const struct pubkey *key)
{
	for (uint32_t i = 0; i < NODES; i++)
		if (pubkey_eq(&s->rig.keys[shell_actor_of(i)], key))
			return i;
	must(false);
	return 0;
}

/* Blobs: one store for all; a dead node's cannot be fetched. */

static const struct blob *blob_of(const struct sim *s, const struct hash *root)
{
	const struct blob *b = s->blobs;

	while (b && !hash_eq(&b->root, root))
		b = b->next;
	return b;
}

void shell_put_blob(struct sim *s, const struct hash *root, struct bytes in)
{
	struct blob *b = ARENA_NEW(s->arena, struct blob);

	if (blob_of(s, root))
		return;
	must(b);
	*b = (struct blob){s->blobs, *root, arena_copy(s->arena, in)};
	s->blobs = b;
}

void shell_put_bytes(struct sim *s, const void *p, size_t n)
{
	struct hash root = merkle_bytes_root(bytes_of(p, n));

	shell_put_blob(s, &root, bytes_of(p, n));
}

/* What is to come. */

void shell_tell_later(struct sim *s, uint32_t node, uint32_t life,
		      uint64_t in_ms, const struct core_event *e)
{
	struct pending *p = ARENA_NEW(s->arena, struct pending);
	struct pending **at = &s->queue;

	must(p);
	*p = (struct pending){NULL, s->now_ms + in_ms, node, life, *e};
	while (*at && (*at)->at_ms <= p->at_ms)
		at = &(*at)->next;
	p->next = *at;
	*at = p;
}

void shell_answer(struct sim *s, uint32_t node, const struct core_event *e)
{
	shell_tell_later(s, node, s->nodes[node].life, 1 + shell_below(s, 1500),
			 e);
}

static void fetch(struct sim *s, uint32_t node, const struct core_action *a)
{
	struct core_event e = {.kind = CORE_EVENT_FETCHED, .ticket = a->ticket};
	const struct blob *b = blob_of(s, &a->root);
	bool up = a->from_count == 0;

	for (size_t i = 0; i < a->from_count; i++)
		up |= s->nodes[shell_node_of(s, &a->from[i])].core != NULL;
	if (!up || shell_one_in(s, 12))
		e.err = shell_one_in(s, 2) ? ERR_TIMEOUT : ERR_UNREACHABLE;
	else if (!b)
		e.err = ERR_NOT_FOUND;
	else if (a->want_bytes)
		e.bytes = b->bytes;
	s->lost += e.err != ERR_OK;
	shell_answer(s, node, &e);
}

static void fetch_of_lease(struct sim *s, uint32_t node,
			   const struct core_action *a)
{
	struct core_event e = {.kind = CORE_EVENT_FETCHED,
			       .ticket = a->ticket,
			       .err = ERR_UNREACHABLE};
	uint32_t peer = shell_node_of(s, &a->from[0]);
	struct asked *q;

	if (!s->nodes[peer].core || shell_one_in(s, 12)) {
		s->lost++;
		shell_answer(s, node, &e);
		return;
	}
	q = ARENA_NEW(s->arena, struct asked);
	must(q);
	*q = (struct asked){s->asked, ++s->asked_count, node,
			    s->nodes[node].life, a->ticket};
	s->asked = q;
	e = (struct core_event){.kind = CORE_EVENT_ASKED,
				.ticket = q->number,
				.id = a->root,
				.ask = a->ask,
				.who = s->rig.keys[shell_actor_of(node)]};
	shell_answer(s, peer, &e);
	/* if nobody answers */
	e = (struct core_event){.kind = CORE_EVENT_FETCHED,
				.ticket = a->ticket,
				.err = ERR_TIMEOUT};
	shell_tell_later(s, node, s->nodes[node].life, 20000, &e);
}

static void reply(struct sim *s, const struct core_action *a)
{
	struct core_event e = {.kind = CORE_EVENT_FETCHED, .err = a->err};
	const struct asked *q = s->asked;

	while (q && q->number != a->ticket)
		q = q->next;
	must(q);
	if (!a->err) {
		const struct blob *b = blob_of(s, &a->root);

		e.err = b ? ERR_OK : ERR_NOT_FOUND;
		e.bytes = b ? b->bytes : e.bytes;
	}
	e.ticket = q->by_ticket;
	shell_tell_later(s, q->by_node, q->by_life, 1 + shell_below(s, 500),
			 &e);
}

static void journal(struct sim *s, uint32_t node, const struct core_action *a)
{
	struct record *r = s->nodes[node].journal;

	while (r && !bytes_eq(r->key, a->key))
		r = r->next;
	if (!r) {
		r = ARENA_NEW(s->arena, struct record);
		must(r);
		r->key = arena_copy(s->arena, a->key);
		r->next = s->nodes[node].journal;
		s->nodes[node].journal = r;
	}
	r->value = arena_copy(s->arena, a->bytes);
}

static void submit(struct sim *s, uint32_t node, const struct core_action *a)
{
	struct core_event e = {.kind = CORE_EVENT_TX,
			       .ticket = a->ticket,
			       .err = ERR_TIMEOUT,
			       .reason = REASON_tx_expired};
	struct mail *m = ARENA_NEW(s->arena, struct mail);

	must(m);
	if (shell_one_in(s, 25)) {
		s->lost++;
		shell_tell_later(s, node, s->nodes[node].life, 10 * BLOCK_MS,
				 &e);
		return;
	}
	*m = (struct mail){s->mail,
			   s->now_ms + shell_below(s, 2500),
			   node,
			   s->nodes[node].life,
			   a->ticket,
			   a->tx_kind,
			   arena_copy(s->arena, a->bytes)};
	s->mail = m;
}

static void cancel(struct sim *s, uint32_t node, uint64_t ticket)
{
	for (struct pending *p = s->queue; p; p = p->next)
		if (p->node == node && p->life == s->nodes[node].life &&
		    p->event.ticket == ticket &&
		    p->event.kind != CORE_EVENT_ASKED &&
		    p->event.kind != CORE_EVENT_TX)
			p->life = UINT32_MAX; /* nobody's */
}

static void note(const struct sim *s, uint32_t node,
		 const struct core_action *a)
{
	char id[HASH_TEXT_BYTES];

	if (s->notes)
		printf("%8.3f node %u: %.*s %.8s: %.*s\n",
		       (double)s->now_ms / 1000, node, (int)a->key.n,
		       (const char *)a->key.p, hash_text(&a->root, id),
		       (int)a->bytes.n, (const char *)a->bytes.p);
}

static void perform(struct sim *s, uint32_t node, const struct core_action *a)
{
	struct core_event timer = {.kind = CORE_EVENT_TIMER,
				   .ticket = a->ticket};

	switch (a->kind) {
	case CORE_ACTION_SUBMIT:
		submit(s, node, a);
		return;
	case CORE_ACTION_FETCH:
		fetch(s, node, a);
		return;
	case CORE_ACTION_FETCH_OF_LEASE:
		fetch_of_lease(s, node, a);
		return;
	case CORE_ACTION_STORE:
		shell_put_blob(s, &a->root, a->bytes);
		return;
	case CORE_ACTION_RUN:
		shell_run(s, node, a);
		return;
	case CORE_ACTION_OPEN:
		shell_open(s, node, a);
		return;
	case CORE_ACTION_AUDIT:
		shell_audit(s, node, a);
		return;
	case CORE_ACTION_CANCEL:
		cancel(s, node, a->ticket);
		return;
	case CORE_ACTION_JOURNAL:
		journal(s, node, a);
		return;
	case CORE_ACTION_WAKE:
		shell_tell_later(s, node, s->nodes[node].life,
				 a->at_ms > s->now_ms ? a->at_ms - s->now_ms
						      : 0,
				 &timer);
		return;
	case CORE_ACTION_REPLY:
		reply(s, a);
		return;
	case CORE_ACTION_NOTE:
		note(s, node, a);
		return;
	case CORE_ACTION_PIN:
	case CORE_ACTION_UNPIN:
		return;
	}
}

void shell_tell(struct sim *s, uint32_t node, struct core_event *e)
{
	const struct core_action *actions;
	struct ledger *view;
	size_t count;

	must(ledger_chain_view(s->rig.chain, &view) == ERR_OK);
	e->view = view;
	must(core_step(s->nodes[node].core, s->now_ms, e, &actions, &count) ==
	     ERR_OK);
	for (size_t i = 0; i < count; i++)
		perform(s, node, &actions[i]);
	ledger_chain_view_end(view);
}

static struct provider *make_provider(const struct sim *s, uint32_t node)
{
	struct provider_config c = {
		.account = s->rig.keys[shell_actor_of(node)],
		.signer = s->rig.keys[shell_actor_of(node)],
		.key = s->rig.secrets[shell_actor_of(node)],
		.slots = 2,
		.task_wall_ms = 60000,
		.drop_keep_blocks = 100,
		.has_offer = true,
		.offer = {
			.device = MARKET_DEVICE_CPU,
			.memory_bytes = 1ull << 32,
			.gop_price = coin_picks(900000000 + node),
			.rate = 1000000000,
			.slots = 2,
			.classes = MARKET_CLASS_A | MARKET_CLASS_A_ASSUMED,
			.until_height = 100000,
			.bond_target = coin_picks(100000000),
		}};

	return provider_new(&c);
}

void shell_start(struct sim *s, uint32_t node)
{
	struct pubkey account = s->rig.keys[shell_actor_of(node)];
	struct verifier_config v = {.account = account,
				    .salt_key = {{(uint8_t)node}},
				    .bond = coin_picks(BOND),
				    .audits = 4,
				    .audit_wall_ms = 60000};
	struct core_event e = {.kind = CORE_EVENT_JOURNAL};
	struct core *c = core_new();

	must(c);
	if (s->notes)
		printf("%8.3f node %u: starts\n", (double)s->now_ms / 1000,
		       node);
	s->nodes[node].core = c;
	if (is_provider(node))
		core_add(c, &provider_role, make_provider(s, node));
	else if (node < BUYER)
		core_add(c, &verifier_role, verifier_new(&v));
	else
		core_add(c, &buyer_role, buyer_new(&account));
	/* records that the start itself adds come in front */
	for (struct record *r = s->nodes[node].journal; r; r = r->next) {
		e.key = r->key;
		e.bytes = r->value;
		if (r->value.p)
			shell_tell(s, node, &e);
	}
	e = (struct core_event){.kind = CORE_EVENT_START};
	shell_tell(s, node, &e);
}

void shell_kill(struct sim *s, uint32_t node)
{
	if (s->notes)
		printf("%8.3f node %u: dies\n", (double)s->now_ms / 1000, node);
	core_free(s->nodes[node].core);
	s->nodes[node].core = NULL;
	s->nodes[node].life++;
	s->nodes[node].back_ms = s->now_ms + shell_below(s, 12 * BLOCK_MS);
	s->deaths++;
}
