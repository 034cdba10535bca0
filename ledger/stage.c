/*
 * A stage is a ledger that can be written: the block's own, on the store's
 * write transaction, or a dry one on a layer in memory above a read
 * transaction, which is dropped as a whole.
 */
#include <string.h>

#include "base/arena.h"
#include "base/must.h"
#include "ledger/priv/chain.h"
#include "ledger/smt.h"

enum err stage_new(struct ledger_chain *c, struct ledger_stage *s,
		   size_t bytes_max)
{
	memset(s, 0, sizeof(*s));
	s->buckets = ARENA_ARRAY(c->home, CELL_BUCKETS, struct ledger_cell *);
	s->arena = arena_new(bytes_max);
	s->scratch = arena_new(LEDGER_SCRATCH_BYTES_MAX);
	if (s->buckets && s->arena && s->scratch)
		return ERR_OK;
	stage_free(s);
	return ERR_NO_MEMORY;
}

void stage_free(struct ledger_stage *s)
{
	stage_abort(s);
	arena_free(s->arena);
	arena_free(s->scratch);
	s->arena = NULL;
	s->scratch = NULL;
}

static void stage_fill(struct ledger_chain *c, struct ledger_stage *s,
		       struct ledger_txn *txn)
{
	struct ledger *l = &s->l;
	struct ledger_priv *p = &s->p;

	memset(l, 0, sizeof(*l));
	memset(p, 0, sizeof(*p));
	p->store = &s->store;
	p->txn = txn;
	p->arena = s->arena;
	p->buckets = s->buckets;
	l->height = c->tip.height + 1;
	l->time_ms = c->tip.time_ms;
	l->seed = c->tip.seed;
	l->chain_id = bytes_of(c->chain_id, c->chain_id_n);
	l->tx_index = UINT32_MAX;
	l->params = &c->params;
	l->rules = c->rules;
	l->scratch = s->scratch;
	l->priv = p;
	ledger_begin(l);
	s->is_open = true;
}

enum err stage_open(struct ledger_chain *c, struct ledger_stage *s)
{
	struct ledger_txn *txn;
	enum err e;

	must(!s->is_open);
	arena_reset(s->arena);
	arena_reset(s->scratch);
	s->store = c->store;
	s->base_txn = NULL;
	e = c->store.ops->begin(c->store.self, true, &txn);
	if (e != ERR_OK)
		return e;
	stage_fill(c, s, txn);
	s->p.keeps_lines = c->options.history;
	return ERR_OK;
}

enum err stage_open_dry(struct ledger_chain *c, struct ledger_stage *s)
{
	struct ledger_txn *txn;
	enum err e;

	must(!s->is_open);
	arena_reset(s->arena);
	arena_reset(s->scratch);
	e = c->store.ops->begin(c->store.self, false, &s->base_txn);
	if (e != ERR_OK)
		return e;
	e = ledger_store_ram_new(s->arena, &c->store, s->base_txn, &s->store);
	if (e == ERR_OK)
		e = s->store.ops->begin(s->store.self, true, &txn);
	if (e != ERR_OK) {
		c->store.ops->abort(s->base_txn);
		return e;
	}
	stage_fill(c, s, txn);
	s->l.is_dry = true;
	s->base = c->store;
	return ERR_OK;
}

void stage_abort(struct ledger_stage *s)
{
	if (!s->is_open)
		return;
	s->is_open = false;
	s->store.ops->abort(s->p.txn);
	if (s->base_txn)
		s->base.ops->abort(s->base_txn);
	s->base_txn = NULL;
}

enum err stage_root(struct ledger_stage *s, struct hash *ret_root)
{
	struct ledger_priv *p = &s->p;
	struct ledger_smt_change *list;
	size_t count = 0;

	list = ARENA_ARRAY(s->arena, p->written_count + 1,
			   struct ledger_smt_change);
	if (!list)
		return ERR_NO_MEMORY;
	for (struct ledger_cell *c = p->written; c; c = c->next_written) {
		struct ledger_smt_change *change = &list[count];

		if (!c->had && !c->has)
			continue;
		if (c->had && c->has && bytes_eq(c->first, c->now))
			continue;
		change->path = ledger_smt_path(c->key);
		change->is_delete = !c->has;
		if (c->has)
			change->value_hash = sha256(c->now.p, c->now.n);
		count++;
	}
	return ledger_smt_update(p->store, p->txn, list, count, ret_root);
}
