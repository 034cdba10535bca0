/*
 * node/engine/solo - this node orders.
 *
 * A block when a transaction waits or the clock is set, block_ms after the
 * last one; none when idle.  A block's time is the clock's, or just after
 * the last block's when the clock was set back.
 */
#include <stdlib.h>

#include "base/arena.h"
#include "base/limits.h"
#include "node/engine/engine.h"
#include "node/engine/priv/pending.h"

#define SCRATCH_BYTES_MAX (64u << 20)

struct engine {
	struct ledger_chain *chain;
	struct engine_io io;
	struct engine_config config;
	struct pubkey proposer;
	struct pending pending;
	struct arena *scratch;
	struct buf block;
	uint64_t last_ms; /* steady time of the last block; 0: none */
	const char *trouble;
};

static void solo_stop(struct engine *e)
{
	if (!e)
		return;
	pending_free(&e->pending);
	arena_free(e->scratch);
	buf_free(&e->block);
	free(e);
}

/* Ask for a tick if a block is due. */
static void plan(struct engine *e)
{
	struct ledger_info info;
	uint64_t now_ms = e->io.now_ms(e->io.ctx);
	uint64_t at_ms = e->last_ms ? e->last_ms + e->config.block_ms : now_ms;

	ledger_chain_info(e->chain, &info);
	if (info.is_clock_set || e->pending.count)
		e->io.wake(e->io.ctx, at_ms > now_ms ? at_ms : now_ms);
}

static enum err solo_start(struct ledger_chain *chain,
			   const struct engine_io *io,
			   const struct engine_config *config,
			   struct engine **ret_engine)
{
	struct engine *e = calloc(1, sizeof(*e));
	enum err err;

	if (!e)
		return ERR_NO_MEMORY;
	e->chain = chain;
	e->io = *io;
	e->config = *config;
	e->trouble = "";
	e->block = buf_make(BLOCK_BYTES_MAX + (1u << 16));
	e->scratch = arena_new(SCRATCH_BYTES_MAX);
	err = pending_init(&e->pending);
	if (!err && !e->scratch)
		err = ERR_NO_MEMORY;
	if (!err)
		err = sig_pubkey(config->operator_key, &e->proposer);
	if (err) {
		solo_stop(e);
		return err;
	}
	*ret_engine = e;
	plan(e);
	return ERR_OK;
}

/* The candidates as prepare wants them; NULL when out of memory. */
static const struct bytes *candidates(struct engine *e, uint32_t *ret_count)
{
	struct bytes *txs =
		ARENA_ARRAY(e->scratch, e->pending.count ? e->pending.count : 1,
			    struct bytes);

	if (!txs)
		return NULL;
	for (size_t i = 0; i < e->pending.count; i++)
		txs[i] = buf_bytes(&e->pending.txs[i].bytes);
	*ret_count = (uint32_t)e->pending.count;
	return txs;
}

/* The next block into e->block; empty when there is nothing to say. */
static enum err make_block(struct engine *e)
{
	struct ledger_info info;
	struct ledger_prepare prepare = {.proposer = e->proposer,
					 .vrf = e->config.vrf_key};
	struct bytes *txs;
	uint32_t count;
	struct hash id;
	enum err err;

	arena_reset(e->scratch);
	buf_reset(&e->block);
	ledger_chain_info(e->chain, &info);
	prepare.height = info.height + 1;
	prepare.time_ms = e->io.wall_ms(e->io.ctx);
	if (prepare.time_ms <= info.time_ms)
		prepare.time_ms = info.time_ms + 1;
	prepare.txs = candidates(e, &prepare.tx_count);
	if (!prepare.txs)
		return ERR_NO_MEMORY;
	err = ledger_chain_prepare(e->chain, e->scratch, &prepare, &txs,
				   &count);
	if (err || !count)
		return err;
	return ledger_chain_seal(e->chain, prepare.time_ms, txs, count,
				 e->config.operator_key, &e->block, &id);
}

static void solo_tick(struct engine *e)
{
	struct ledger_outcome outcome;
	struct ledger_refusal why;
	uint64_t now_ms = e->io.now_ms(e->io.ctx);
	enum err err;

	if (e->last_ms && now_ms < e->last_ms + e->config.block_ms) {
		plan(e);
		return;
	}
	err = make_block(e);
	if (!err && e->block.n) {
		err = engine_apply(e->chain, e->scratch, buf_bytes(&e->block),
				   &outcome, &why);
		if (!err)
			err = pending_after(&e->pending, e->chain, &outcome,
					    &e->io);
		e->last_ms = now_ms;
		if (!err)
			e->io.applied(e->io.ctx, &outcome);
	}
	if (err) {
		e->trouble = "the ledger refused this node's own block";
		if (err != ERR_REFUSED)
			e->trouble = err_words(err);
		e->io.failed(e->io.ctx, err, e->trouble);
		return;
	}
	plan(e);
}

static enum err solo_submit(struct engine *e, struct bytes tx,
			    enum reason *reterr_reason)
{
	enum err err = pending_add(&e->pending, e->chain, tx, reterr_reason);

	if (!err)
		plan(e);
	return err;
}

static void solo_status(const struct engine *e, struct engine_status *ret)
{
	struct ledger_info info;

	ledger_chain_info(e->chain, &info);
	*ret = (struct engine_status){
		.name = "solo",
		.height = info.height,
		.applied_ms = e->last_ms,
		.heard_ms = e->io.now_ms(e->io.ctx),
		.peer_height = info.height,
		.pending_count = e->pending.count,
		.trouble = e->trouble,
	};
}

static void solo_answer(struct engine *e, uint64_t ticket, enum err err,
			struct bytes body)
{
	/* solo asks nobody */
	(void)e, (void)ticket, (void)err, (void)body;
}

const struct engine_ops engine_solo = {
	.name = "solo",
	.start = solo_start,
	.stop = solo_stop,
	.submit = solo_submit,
	.status = solo_status,
	.tick = solo_tick,
	.answer = solo_answer,
};
