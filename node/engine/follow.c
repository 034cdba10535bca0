/*
 * node/engine/follow - a full ledger that others order.
 *
 * One request for blocks is always on its way: the peer answers when it has
 * the next one, or with nothing after a while.  Every block is checked as if
 * its peer were a liar: the operator's signature, the parent, and that the
 * root it was built on is the one computed here.  That last mismatch means
 * that two honest ledgers differ, and stops the node.  A peer that sends
 * anything else that is wrong is passed over.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/codec.h"
#include "base/limits.h"
#include "node/engine/engine.h"
#include "node/engine/priv/pending.h"

#define SCRATCH_BYTES_MAX (64u << 20)
#define BACKOFF_MIN_MS	  100u
#define BACKOFF_MAX_MS	  5000u
#define RESEND_MS	  1000u
#define EMPTY_PAUSE_MS	  20u
#define PATH_BYTES_MAX	  96u

/* The only ticket whose answer matters; a transaction is sent again until a
 * block has it. */
#define TICKET_FEED 1u

struct engine {
	struct ledger_chain *chain;
	struct engine_io io;
	struct engine_config config;
	struct pending pending;
	struct arena *scratch;
	size_t peer;	     /* asked now */
	bool asked;	     /* a feed request is on its way */
	uint64_t ask_ms;     /* not before */
	uint64_t backoff_ms; /* after the next failure */
	uint64_t applied_ms;
	uint64_t heard_ms;
	uint64_t peer_height;
	const char *trouble;
	bool stopped;
};

static uint64_t now(const struct engine *e)
{
	return e->io.now_ms(e->io.ctx);
}

static void follow_stop(struct engine *e)
{
	if (!e)
		return;
	pending_free(&e->pending);
	arena_free(e->scratch);
	free(e);
}

static void ask(struct engine *e)
{
	struct ledger_info info;
	char path[PATH_BYTES_MAX];

	ledger_chain_info(e->chain, &info);
	(void)snprintf(path, sizeof(path), "/blocks?from=%llu&wait_ms=%u",
		       (unsigned long long)info.height + 1,
		       ENGINE_FEED_WAIT_MS);
	e->asked = true;
	e->io.request(e->io.ctx, e->peer, path, (struct bytes){NULL, 0},
		      TICKET_FEED);
}

static void send_pending(struct engine *e)
{
	for (size_t i = 0; i < e->pending.count; i++) {
		struct pending_tx *tx = &e->pending.txs[i];

		if (tx->again_ms > now(e))
			continue;
		tx->again_ms = now(e) + RESEND_MS;
		e->io.request(e->io.ctx, e->peer, "/tx", buf_bytes(&tx->bytes),
			      0);
	}
}

/* When does anything have to be done next? */
static void plan(struct engine *e)
{
	uint64_t at_ms = e->asked ? UINT64_MAX : e->ask_ms;

	for (size_t i = 0; i < e->pending.count; i++)
		if (e->pending.txs[i].again_ms < at_ms)
			at_ms = e->pending.txs[i].again_ms;
	if (at_ms != UINT64_MAX && !e->stopped)
		e->io.wake(e->io.ctx, at_ms);
}

static void follow_tick(struct engine *e)
{
	if (e->stopped)
		return;
	if (!e->asked && e->ask_ms <= now(e))
		ask(e);
	send_pending(e);
	plan(e);
}

static enum err follow_start(struct ledger_chain *chain,
			     const struct engine_io *io,
			     const struct engine_config *config,
			     struct engine **ret_engine)
{
	struct engine *e;
	enum err err;

	if (!config->peer_count || config->peer_count > ENGINE_PEERS_MAX)
		return ERR_REFUSED;
	e = calloc(1, sizeof(*e));
	if (!e)
		return ERR_NO_MEMORY;
	e->chain = chain;
	e->io = *io;
	e->config = *config;
	e->trouble = "";
	e->backoff_ms = BACKOFF_MIN_MS;
	e->scratch = arena_new(SCRATCH_BYTES_MAX);
	err = pending_init(&e->pending);
	if (!err && !e->scratch)
		err = ERR_NO_MEMORY;
	if (err) {
		follow_stop(e);
		return err;
	}
	*ret_engine = e;
	e->io.wake(e->io.ctx, now(e));
	return ERR_OK;
}

static void fail(struct engine *e, enum err err, const char *words)
{
	e->trouble = words;
	e->stopped = true;
	e->io.failed(e->io.ctx, err, words);
}

/* The peer did not help: another one, a little later. */
static void pass_over(struct engine *e, const char *words)
{
	e->trouble = words;
	e->peer = (e->peer + 1) % e->config.peer_count;
	e->ask_ms = now(e) + e->backoff_ms;
	e->backoff_ms *= 2;
	if (e->backoff_ms > BACKOFF_MAX_MS)
		e->backoff_ms = BACKOFF_MAX_MS;
}

static const char *refusal_words(enum reason reason)
{
	const char *word = reason_word(reason);

	return word ? word : "the peer's block was refused";
}

/* Returns false when the rest of the feed is of no use. */
static bool take_block(struct engine *e, struct bytes block)
{
	struct ledger_outcome outcome;
	struct ledger_refusal why = {.reason = REASON_none};
	enum err err =
		engine_apply(e->chain, e->scratch, block, &outcome, &why);

	if (err == ERR_REFUSED && why.reason == REASON_bad_height)
		return false; /* a late answer: asked for again */
	if (err == ERR_REFUSED && why.reason == REASON_bad_root) {
		fail(e, err,
		     "the operator signed another state root than "
		     "this node computes");
		return false;
	}
	if (err == ERR_REFUSED || err == ERR_MALFORMED) {
		pass_over(e, refusal_words(why.reason));
		return false;
	}
	if (!err)
		err = pending_after(&e->pending, e->chain, &outcome, &e->io);
	if (err) {
		fail(e, err, err_words(err));
		return false;
	}
	e->applied_ms = now(e);
	if (outcome.height > e->peer_height)
		e->peer_height = outcome.height;
	e->io.applied(e->io.ctx, &outcome);
	return true;
}

/* The feed: [peer's height, [block ...]]. */
static void take_feed(struct engine *e, struct bytes body)
{
	struct dec d = dec_make(body);
	uint32_t count;

	dec_array_exact(&d, 2);
	e->peer_height = dec_uint(&d, UINT64_MAX);
	count = dec_array(&d, UINT32_MAX);
	for (uint32_t i = 0; i < count && !d.err; i++) {
		struct bytes block = dec_bin(&d, ENGINE_FEED_BYTES_MAX);

		if (!d.err && !take_block(e, block))
			return;
	}
	if (dec_end(&d)) {
		pass_over(e, "the peer's feed is malformed");
		return;
	}
	e->heard_ms = now(e);
	e->backoff_ms = BACKOFF_MIN_MS;
	/* a peer that never waits must not be asked in a rush */
	e->ask_ms = now(e) + (count ? 0 : EMPTY_PAUSE_MS);
	e->trouble = "";
}

static void follow_answer(struct engine *e, uint64_t ticket, enum err err,
			  struct bytes body)
{
	if (e->stopped || ticket != TICKET_FEED)
		return;
	e->asked = false;
	e->ask_ms = now(e);
	if (err)
		pass_over(e, "cannot reach the peer");
	else
		take_feed(e, body);
	follow_tick(e);
}

static enum err follow_submit(struct engine *e, struct bytes tx,
			      enum reason *reterr_reason)
{
	enum err err = pending_add(&e->pending, e->chain, tx, reterr_reason);

	if (!err)
		follow_tick(e);
	return err;
}

static void follow_status(const struct engine *e, struct engine_status *ret)
{
	struct ledger_info info;

	ledger_chain_info(e->chain, &info);
	*ret = (struct engine_status){
		.name = "follow",
		.height = info.height,
		.applied_ms = e->applied_ms,
		.heard_ms = e->heard_ms,
		.peer_height = e->peer_height,
		.pending_count = e->pending.count,
		.trouble = e->trouble,
	};
}

const struct engine_ops engine_follow = {
	.name = "follow",
	.start = follow_start,
	.stop = follow_stop,
	.submit = follow_submit,
	.status = follow_status,
	.tick = follow_tick,
	.answer = follow_answer,
};
