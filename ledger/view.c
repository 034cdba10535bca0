/*
 * A view is a ledger without cells on a read transaction of its own, with an
 * arena that holds it and all that was read through it.
 */
#include <string.h>

#include "base/arena.h"
#include "base/must.h"
#include "ledger/priv/chain.h"
#include "ledger/smt.h"

struct view {
	struct ledger l;
	struct ledger_priv p;
	struct ledger_store store;
	struct arena *home;
	struct arena *scratch;
};

static enum err view_fill(struct ledger_chain *c, struct view *v,
			  struct arena *home)
{
	v->home = home;
	v->scratch = arena_new(LEDGER_SCRATCH_BYTES_MAX);
	if (!v->scratch)
		return ERR_NO_MEMORY;
	v->store = c->store;
	v->p.store = &v->store;
	v->l.priv = &v->p;
	v->l.is_view = true;
	v->l.is_dry = true;
	v->l.height = c->tip.height;
	v->l.time_ms = c->tip.time_ms;
	v->l.seed = c->tip.seed;
	v->l.chain_id = bytes_of(c->chain_id, c->chain_id_n);
	v->l.tx_index = UINT32_MAX;
	v->l.params = &c->params;
	v->l.rules = c->rules;
	v->l.scratch = v->scratch;
	return c->store.ops->begin(c->store.self, false, &v->p.txn);
}

enum err ledger_chain_view(struct ledger_chain *c, struct ledger **ret_view)
{
	struct arena *home = arena_new(1u << 16);
	struct view *v;
	enum err e = ERR_NO_MEMORY;

	if (!home)
		return ERR_NO_MEMORY;
	v = ARENA_NEW(home, struct view);
	if (v)
		e = view_fill(c, v, home);
	if (e != ERR_OK) {
		if (v)
			arena_free(v->scratch);
		arena_free(home);
		return e;
	}
	*ret_view = &v->l;
	return ERR_OK;
}

void ledger_chain_view_end(struct ledger *view)
{
	struct view *v;

	if (!view)
		return;
	must(view->is_view);
	v = (struct view *)view; /* its first member */
	v->store.ops->abort(v->p.txn);
	arena_free(v->scratch);
	arena_free(v->home);
}

enum err ledger_chain_prove(struct ledger_chain *c, struct bytes key,
			    struct ledger_proof *ret_proof)
{
	struct hash path = ledger_smt_path(key);
	struct ledger_txn *txn;
	enum err e = c->store.ops->begin(c->store.self, false, &txn);

	if (e != ERR_OK)
		return e;
	memset(ret_proof, 0, sizeof(*ret_proof));
	e = ledger_smt_prove(&c->store, txn, &path, ret_proof);
	ret_proof->height = c->tip.height;
	c->store.ops->abort(txn);
	return e;
}
