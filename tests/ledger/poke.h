/*
 * tests/ledger/poke - a kind of transaction and hooks that do on demand what
 * rules do: move money, hold the clock, queue, refuse after writing.
 */
#ifndef WEFT_TESTS_LEDGER_POKE_H
#define WEFT_TESTS_LEDGER_POKE_H

#include <stdint.h>

#include "base/bytes.h"
#include "base/sig.h"
#include "ledger/rules.h"

#define POKE_KIND  200u
#define POKE_QUEUE 5u

enum poke_op {
	POKE_PAY,
	POKE_LOCK,
	POKE_RELEASE,
	POKE_LOCK_PAY,
	POKE_LOCK_MOVE,
	POKE_LOCK_BURN,
	POKE_LOCK_POOL,
	POKE_POOL_ADD,
	POKE_POOL_PAY,
	POKE_BURN,
	POKE_CLOCK_HOLD,
	POKE_CLOCK_RELEASE,
	POKE_QUEUE_ADD, /* amount: due height; object: id */
	POKE_WRITE_AND_REFUSE,
	POKE_COST,	/* amount */
	POKE_BAD_ENTRY, /* queue an entry at which the hook refuses */
	POKE_OPS
};

struct poke {
	enum poke_op op;
	struct pubkey a; /* lock's owner, payer */
	struct pubkey b; /* receiver, second owner */
	uint8_t purpose;
	uint8_t object; /* first byte of the id */
	uint64_t amount;
};

void poke_encode(struct buf *out, const struct poke *p);

/* A number below `below` from a generator that is one word of state. */
uint64_t poke_draw(uint64_t *state, uint64_t below);

/* Any operation but the one that a hook refuses, between keys[0..actors] and
 * from keys[1..actors], up to amount picks. */
struct poke poke_random(uint64_t *state, const struct pubkey *keys,
			uint32_t actors, uint64_t height, uint64_t amount);

/* Kind and hooks, to be joined. */
extern const struct ledger_rows poke_rows;

/* Entries that the hook has served, in order, since reset. */
#define POKE_SERVED_MAX 4096u
struct poke_served {
	uint64_t height;
	uint64_t due;
	uint8_t object;
};
extern struct poke_served poke_served[POKE_SERVED_MAX];
extern uint32_t poke_served_count;

/* Names of hooks in the order in which they ran in the last block. */
extern char poke_order[64];
extern uint32_t poke_order_count;

#endif /* WEFT_TESTS_LEDGER_POKE_H */
