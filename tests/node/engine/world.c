#include "tests/node/engine/world.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static uint64_t now_ms(void *ctx)
{
	return ((struct world *)ctx)->now_ms;
}

static uint64_t wall_ms(void *ctx)
{
	return ((struct world *)ctx)->wall_ms;
}

static void wake(void *ctx, uint64_t at_ms)
{
	((struct world *)ctx)->wake_ms = at_ms;
}

static void request(void *ctx, size_t peer, const char *path, struct bytes body,
		    uint64_t ticket)
{
	struct world *w = ctx;
	struct world_request *r = &w->requests[w->request_count++];

	cr_assert_lt(w->request_count, WORLD_REQUESTS_MAX);
	r->peer = peer;
	snprintf(r->path, sizeof(r->path), "%s", path);
	r->body = buf_make(1u << 20);
	buf_put_bytes(&r->body, body);
	r->ticket = ticket;
}

static void applied(void *ctx, const struct ledger_outcome *outcome)
{
	(void)outcome;
	((struct world *)ctx)->applied++;
}

static void dropped(void *ctx, const struct hash *tx_id, enum reason reason)
{
	(void)tx_id;
	((struct world *)ctx)->dropped = reason;
}

static void failed(void *ctx, enum err e, const char *words)
{
	(void)words;
	((struct world *)ctx)->failed = e;
}

void world_open(struct world *w, const struct engine_ops *ops,
		uint64_t block_ms, size_t peers)
{
	const struct engine_io io = {
		.ctx = w,
		.now_ms = now_ms,
		.wall_ms = wall_ms,
		.wake = wake,
		.request = request,
		.applied = applied,
		.dropped = dropped,
		.failed = failed,
	};
	struct engine_config config = {.block_ms = block_ms,
				       .peer_count = peers};

	memset(w, 0, sizeof(*w));
	rig_open(&w->rig, &(struct rig_options){.actor_count = 2,
						.balance_picks = 1000000000});
	w->ops = ops;
	w->now_ms = 1000;
	w->wall_ms = 5000000000000;
	w->wake_ms = UINT64_MAX;
	config.operator_key = &w->rig.secrets[0];
	config.vrf_key = &w->rig.vrf;
	cr_assert_eq(ops->start(w->rig.chain, &io, &config, &w->engine),
		     ERR_OK);
}

void world_close(struct world *w)
{
	w->ops->stop(w->engine);
	while (w->request_count)
		buf_free(&w->requests[--w->request_count].body);
	rig_close(&w->rig);
}

void world_pass(struct world *w, uint64_t ms)
{
	uint64_t until_ms = w->now_ms + ms;

	while (w->wake_ms <= until_ms && !w->failed) {
		uint64_t at_ms = w->wake_ms;

		if (at_ms > w->now_ms)
			w->now_ms = at_ms;
		w->wake_ms = UINT64_MAX;
		w->ops->tick(w->engine);
		/* an engine that asks again for this very moment is broken */
		cr_assert(w->wake_ms != at_ms || at_ms < w->now_ms);
	}
	w->now_ms = until_ms;
}

void world_answer(struct world *w, enum err e, struct bytes body)
{
	uint64_t ticket = w->requests[0].ticket;

	cr_assert_gt(w->request_count, 0);
	buf_free(&w->requests[0].body);
	w->request_count--;
	memmove(w->requests, w->requests + 1,
		w->request_count * sizeof(w->requests[0]));
	w->ops->answer(w->engine, ticket, e, body);
}

struct bytes world_transfer(struct world *w, uint32_t from, uint32_t to)
{
	return rig_transfer(&w->rig, from, to, 5);
}

uint64_t world_height(const struct world *w)
{
	return rig_height(&w->rig);
}
