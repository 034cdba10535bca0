/*
 * node/engine - who orders blocks: solo (this node) or follow (others).
 *
 * An engine calls the ledger in the order of ABCI 2.0 and nothing else; it
 * never waits.  Its world is struct engine_io, so that tests drive it with a
 * clock and a network of their own.
 */
#ifndef WEFT_NODE_ENGINE_ENGINE_H
#define WEFT_NODE_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/reason.h"
#include "base/sig.h"
#include "base/vrf.h"

struct ledger_chain;
struct ledger_outcome;

/* Most nodes a follower asks, and transactions that wait in one node. */
#define ENGINE_PEERS_MAX   16u
#define ENGINE_PENDING_MAX 4096u

/* Most bytes of one answer of the block feed. */
#define ENGINE_FEED_BYTES_MAX (8u << 20)

/* A follower hears of a block at most this late when nothing comes. */
#define ENGINE_FEED_WAIT_MS 10000u

/* The engine's world; all functions return at once.  ctx is passed first. */
struct engine_io {
	void *ctx;
	uint64_t (*now_ms)(void *ctx);	/* steady */
	uint64_t (*wall_ms)(void *ctx); /* of the day, for a block's time */
	/* Call ops->tick at now_ms >= at_ms; a later call replaces it. */
	void (*wake)(void *ctx, uint64_t at_ms);
	/*
	 * HTTP to a peer (index into config->peers): GET path, or POST body
	 * when it is not empty.  Answered once by ops->answer with the same
	 * ticket; path and body are copied.
	 */
	void (*request)(void *ctx, size_t peer, const char *path,
			struct bytes body, uint64_t ticket);
	/* A block was committed; outcome is borrowed for the call. */
	void (*applied)(void *ctx, const struct ledger_outcome *outcome);
	/* A transaction that waited would be refused now: it is given up. */
	void (*dropped)(void *ctx, const struct hash *tx_id,
			enum reason reason);
	/* The ledger or its store failed: stop the node. */
	void (*failed)(void *ctx, enum err e, const char *words);
};

struct engine_config {
	/* solo: the account that signs blocks, and its beacon's key */
	const struct seckey *operator_key;
	const struct vrf_secret *vrf_key;
	uint64_t block_ms;
	/* follow */
	size_t peer_count;
};

struct engine_status {
	const char *name;
	uint64_t height;
	uint64_t applied_ms;  /* steady time of the last applied block */
	uint64_t heard_ms;    /* follow: of the last good answer of a peer */
	uint64_t peer_height; /* follow: highest heard of */
	size_t pending_count; /* transactions not yet in a block */
	const char *trouble;  /* "" or why it does not move */
};

struct engine;

struct engine_ops {
	const char *name;

	/*
	 * chain, io, config   borrowed until stop
	 * Returns ERR_OK, ERR_NO_MEMORY, ERR_REFUSED (config), ERR_STORE.
	 */
	enum err (*start)(struct ledger_chain *chain,
			  const struct engine_io *io,
			  const struct engine_config *config,
			  struct engine **ret_engine);
	void (*stop)(struct engine *e); /* frees; NULL is fine */

	/*
	 * Take a transaction towards a block.  tx is copied.
	 * Returns ERR_OK (it waits; seen in a block or it expires),
	 * ERR_REFUSED with *reterr_reason, ERR_BUSY (ENGINE_PENDING_MAX, or
	 * the disk is full), ERR_STORE.
	 */
	enum err (*submit)(struct engine *e, struct bytes tx,
			   enum reason *reterr_reason);

	void (*status)(const struct engine *e, struct engine_status *ret);

	/* The time asked for with io->wake has come. */
	void (*tick)(struct engine *e);

	/* What came of io->request: e is ERR_OK with the body of a 200,
	 * ERR_REFUSED with the body of another status, ERR_UNREACHABLE. */
	void (*answer)(struct engine *e, uint64_t ticket, enum err err,
		       struct bytes body);
};

extern const struct engine_ops engine_solo;
extern const struct engine_ops engine_follow;

#endif /* WEFT_NODE_ENGINE_ENGINE_H */
