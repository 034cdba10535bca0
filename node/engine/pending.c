/*
 * node/engine/pending - a plain array in order of arrival: the order is the
 * sequence order within a lane, and a block takes a prefix of it.
 */
#include "node/engine/priv/pending.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "ledger/tx.h"

enum err pending_init(struct pending *p)
{
	p->count = 0;
	p->txs = calloc(ENGINE_PENDING_MAX, sizeof(*p->txs));
	return p->txs ? ERR_OK : ERR_NO_MEMORY;
}

void pending_free(struct pending *p)
{
	for (size_t i = 0; i < p->count; i++)
		buf_free(&p->txs[i].bytes);
	free(p->txs);
	p->txs = NULL;
	p->count = 0;
}

static bool is_waiting(const struct pending *p, const struct hash *id)
{
	for (size_t i = 0; i < p->count; i++)
		if (hash_eq(&p->txs[i].id, id))
			return true;
	return false;
}

enum err pending_add(struct pending *p, struct ledger_chain *chain,
		     struct bytes tx, enum reason *reterr_reason)
{
	struct ledger_tx_result result;
	struct pending_tx *slot;
	struct hash id = ledger_tx_id(tx);
	enum err e;

	if (is_waiting(p, &id))
		return ERR_OK;
	if (p->count == ENGINE_PENDING_MAX)
		return ERR_BUSY;
	e = ledger_chain_check(chain, tx, LEDGER_CHECK_NEW, &result);
	if (e == ERR_REFUSED)
		*reterr_reason = result.reason;
	if (e)
		return e;
	slot = &p->txs[p->count];
	memset(slot, 0, sizeof(*slot));
	slot->id = id;
	slot->bytes = buf_make(tx.n);
	buf_put_bytes(&slot->bytes, tx);
	if (slot->bytes.err)
		return ERR_NO_MEMORY;
	p->count++;
	return ERR_OK;
}

static bool is_in(const struct ledger_outcome *outcome, const struct hash *id)
{
	for (uint32_t i = 0; i < outcome->result_count; i++)
		if (hash_eq(&outcome->results[i].id, id))
			return true;
	return false;
}

/* Would it still be taken?  ERR_REFUSED: it is given up, and said so. */
static enum err recheck(const struct pending_tx *tx, struct ledger_chain *chain,
			const struct engine_io *io)
{
	struct ledger_tx_result result;
	enum err e = ledger_chain_check(chain, buf_bytes(&tx->bytes),
					LEDGER_CHECK_RECHECK, &result);

	if (e == ERR_REFUSED)
		io->dropped(io->ctx, &tx->id, result.reason);
	return e;
}

enum err pending_after(struct pending *p, struct ledger_chain *chain,
		       const struct ledger_outcome *outcome,
		       const struct engine_io *io)
{
	enum err failed = ERR_OK;
	size_t kept = 0;

	for (size_t i = 0; i < p->count; i++) {
		enum err e = ERR_REFUSED;

		if (!failed && !is_in(outcome, &p->txs[i].id))
			e = recheck(&p->txs[i], chain, io);
		if (e && e != ERR_REFUSED)
			failed = e;
		if (e == ERR_OK)
			p->txs[kept++] = p->txs[i];
		else
			buf_free(&p->txs[i].bytes);
	}
	p->count = kept;
	return failed;
}

enum err engine_apply(struct ledger_chain *chain, struct arena *scratch,
		      struct bytes block, struct ledger_outcome *ret_outcome,
		      struct ledger_refusal *reterr_why)
{
	struct ledger_proposal proposal;
	enum err e;

	arena_reset(scratch);
	e = ledger_chain_unseal(chain, scratch, block, &proposal, reterr_why);
	if (!e)
		e = ledger_chain_process(chain, &proposal, reterr_why);
	if (!e)
		e = ledger_chain_finalize(chain, &proposal, ret_outcome,
					  reterr_why);
	if (!e)
		e = ledger_chain_commit(chain, block);
	return e;
}
