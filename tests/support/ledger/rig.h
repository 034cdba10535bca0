/*
 * tests/support/ledger/rig - a chain of one validator, for tests.
 *
 * Real keys, real signatures, real blocks: a test says who sends what and
 * gets a block.  Actor 0 is the proposer; actors 1 and on are accounts.  All
 * is deterministic.
 */
#ifndef WEFT_TESTS_SUPPORT_LEDGER_RIG_H
#define WEFT_TESTS_SUPPORT_LEDGER_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/coin.h"
#include "base/hash.h"
#include "base/sig.h"
#include "base/vrf.h"
#include "ledger/chain.h"
#include "ledger/rules.h"

#define RIG_ACTORS_MAX 64u
#define RIG_CHAIN_ID   BYTES_LIT("weft-test")

struct arena;

struct rig_options {
	const struct ledger_rows *rows; /* besides the ledger's own */
	size_t row_count;
	struct ledger_referee referee;
	const struct ledger_params *params; /* NULL: defaults */
	uint32_t actor_count;		    /* besides the proposer */
	uint64_t balance_picks;		    /* of each */
	/* Actors 0 to validators - 1 propose, with power 1 each; 0: one. */
	uint32_t validators;
	const char *lmdb_path; /* NULL: in memory */
	bool lmdb_no_sync;
	bool quick; /* no history, no blocks, no counting of money */
};

struct rig {
	struct arena *home;
	struct arena *block; /* what the last block is made of */
	struct ledger_store store;
	struct ledger_rules rules;
	struct ledger_chain *chain;
	struct vrf_secret vrf; /* of validator 0; validator i has seed 9 + i */
	uint32_t proposer;     /* of the next blocks; 0 at first */
	uint32_t actor_count;  /* with the proposer */
	struct seckey secrets[RIG_ACTORS_MAX];
	struct pubkey keys[RIG_ACTORS_MAX];
	uint64_t seqs[RIG_ACTORS_MAX]; /* next on lane 0 */
	uint64_t time_ms;
	struct ledger_outcome outcome; /* of the last block */
};

/* Fails the test on any error.  Writes the genesis if the store is empty. */
void rig_open(struct rig *r, const struct rig_options *o);
void rig_close(struct rig *r);

/* The key of actor i in every rig. */
struct seckey rig_secret(uint32_t i);

/* A signed transaction of actor on lane 0, fee 10,000,000 picks at most, valid
 * for 100 blocks; body is one msgpack array.  Lives until the next
 * rig_block; advances the actor's sequence. */
struct bytes rig_tx(struct rig *r, uint32_t actor, uint32_t kind,
		    struct bytes body);
struct bytes rig_transfer(struct rig *r, uint32_t from, uint32_t to,
			  uint64_t picks);

/* One block with these transactions (a beacon is put in front if it is live);
 * fails the test if it is refused. */
void rig_block(struct rig *r, const struct bytes *txs, uint32_t count);

/* The proposal of such a block, to be bent; lives until the next. */
struct ledger_proposal rig_proposal(struct rig *r, const struct bytes *txs,
				    uint32_t count);

/* One block with one transaction; its reason. */
enum reason rig_send(struct rig *r, uint32_t actor, uint32_t kind,
		     struct bytes body);

/* Blocks without transactions. */
void rig_idle(struct rig *r, uint32_t blocks);

struct coin rig_balance(struct rig *r, uint32_t actor);
uint64_t rig_height(const struct rig *r);

#endif /* WEFT_TESTS_SUPPORT_LEDGER_RIG_H */
