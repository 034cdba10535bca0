/*
 * A clock, a timer and a network that a test moves by hand.
 */
#ifndef WEFT_TESTS_NODE_ENGINE_WORLD_H
#define WEFT_TESTS_NODE_ENGINE_WORLD_H

#include "node/engine/engine.h"
#include "tests/support/ledger/rig.h"

#define WORLD_REQUESTS_MAX 64u

struct world_request {
	size_t peer;
	char path[96];
	struct buf body;
	uint64_t ticket;
};

struct world {
	struct rig rig;
	const struct engine_ops *ops;
	struct engine *engine;
	uint64_t now_ms;
	uint64_t wall_ms;
	uint64_t wake_ms; /* UINT64_MAX: none */
	struct world_request requests[WORLD_REQUESTS_MAX];
	size_t request_count;
	unsigned applied;
	enum reason dropped; /* of the last one */
	enum err failed;     /* ERR_OK: it has not */
};

/* A chain of two actors and its engine; operator is actor 0. */
void world_open(struct world *w, const struct engine_ops *ops,
		uint64_t block_ms, size_t peers);
void world_close(struct world *w);

/* Time passes; a tick when the timer says so. */
void world_pass(struct world *w, uint64_t ms);

/* The oldest request is answered. */
void world_answer(struct world *w, enum err e, struct bytes body);

/* A transfer from actor to actor, its sequence advanced. */
struct bytes world_transfer(struct world *w, uint32_t from, uint32_t to);

uint64_t world_height(const struct world *w);

#endif /* WEFT_TESTS_NODE_ENGINE_WORLD_H */
