/*
 * A peer's feed of blocks against the following engine: it may pass the peer
 * over, it may not stop the node or change the ledger.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/must.h"
#include "ledger/chain.h"
#include "ledger/genesis.h"
#include "node/engine/engine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t now_ms;
static uint64_t asked;
static struct ledger_rules rules;
static struct ledger_store store;
static struct ledger_chain *chain;
static struct engine *engine;

static uint64_t get_now_ms(void *ctx)
{
	(void)ctx;
	return now_ms;
}

static void wake(void *ctx, uint64_t at_ms)
{
	(void)ctx, (void)at_ms;
}

static void request(void *ctx, size_t peer, const char *path, struct bytes body,
		    uint64_t ticket)
{
	(void)ctx, (void)peer, (void)path, (void)body;
	asked = ticket;
}

static void applied(void *ctx, const struct ledger_outcome *outcome)
{
	(void)ctx, (void)outcome;
	must(false); /* a block that nobody signed */
}

static void dropped(void *ctx, const struct hash *tx_id, enum reason reason)
{
	(void)ctx, (void)tx_id, (void)reason;
}

static void failed(void *ctx, enum err e, const char *words)
{
	(void)ctx, (void)e, (void)words;
	must(false); /* a peer stopped the node */
}

static void begin(void)
{
	const struct engine_io io = {NULL,    get_now_ms, get_now_ms, wake,
				     request, applied,	  dropped,    failed};
	const struct engine_config config = {.peer_count = 1};
	const struct ledger_chain_options options = {.blocks = true};
	struct ledger_validator v = {.power = 1};
	struct seckey sk = {{5}};
	struct vrf_secret vrf = {{7}};
	struct ledger_genesis g = {
		.chain_id = BYTES_LIT("fuzz"),
		.params = ledger_params_default(),
		.validators = &v,
		.validator_count = 1,
	};
	struct hash root;

	vrf_public_of(&vrf, &v.vrf);
	must(!sig_pubkey(&sk, &v.account));
	memcpy(v.key32, v.vrf.b, sizeof(v.key32));
	ledger_rules_join(NULL, 0, (struct ledger_referee){NULL, NULL}, &rules);
	must(!ledger_store_ram_new(arena_new(64u << 20), NULL, NULL, &store));
	must(!ledger_chain_open(&store, &rules, &options, &chain));
	must(!ledger_chain_init(chain, &g, &root));
	must(!engine_follow.start(chain, &io, &config, &engine));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!chain)
		begin();
	now_ms += 10000;
	engine_follow.tick(engine);
	engine_follow.answer(engine, asked, ERR_OK, bytes_of(data, size));
	return 0;
}
