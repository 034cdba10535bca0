/*
 * tests/sim/shell - what lies between the cores of many nodes: one store of
 * blobs, one queue of things to come, one chain, and toy machines.
 *
 * The shell performs the cores' actions under a clock that the caller moves,
 * late, out of order, and sometimes not at all.  All is drawn from one seed.
 */
#ifndef WEFT_TESTS_SIM_SHELL_SHELL_H
#define WEFT_TESTS_SIM_SHELL_SHELL_H

#include <stdbool.h>
#include <stdint.h>

#include "node/core/act.h"
#include "node/core/core.h"
#include "tests/support/ledger/rig.h"
#include "tests/support/toy.h"

#define PROVIDERS  4u
#define VERIFIERS  2u
#define NODES	   (PROVIDERS + VERIFIERS + 1u)
#define CHEAT	   1u /* this provider */
#define BUYER	   (NODES - 1u)
#define JOBS	   6u
#define BLOCKS_MAX 6000u
#define BLOCK_MS   1000u
#define FUNDS	   10000000000000ull
#define BOND	   20000000000ull
#define TXS_MAX	   40u

struct blob {
	struct blob *next;
	struct hash root;
	struct bytes bytes;
};

struct record {
	struct record *next;
	struct bytes key;
	struct bytes value; /* p NULL: deleted */
};

/* Something that will be told to a node, unless it dies before. */
struct pending {
	struct pending *next;
	uint64_t at_ms;
	uint32_t node;
	uint32_t life;
	struct core_event event;
};

struct mail { /* a body on its way into a block */
	struct mail *next;
	uint64_t at_ms;
	uint32_t node;
	uint32_t life;
	uint64_t ticket;
	uint32_t kind;
	struct bytes body;
};

struct asked { /* a peer's question that a node owes an answer to */
	struct asked *next;
	uint64_t number;
	uint32_t by_node;
	uint32_t by_life;
	uint64_t by_ticket;
};

struct node {
	struct core *core; /* NULL: dead */
	uint32_t life;
	uint64_t back_ms; /* comes back then */
	struct record *journal;
};

struct sim {
	struct rig rig;
	struct arena *arena;
	uint64_t random;
	uint64_t now_ms;
	struct node nodes[NODES];
	struct blob *blobs;
	struct pending *queue; /* by time */
	struct mail *mail;
	struct asked *asked;
	uint64_t asked_count;
	struct program program;
	struct program_header header;
	struct hash header_root;
	/* by cheat, first task, done count */
	struct toy_lease *toys[2][TOY_TASKS][TOY_TASKS + 1];
	struct hash jobs[JOBS];
	uint32_t posted;
	uint32_t deaths, lost;
	bool notes; /* print what the nodes say */
};

/* Uniform below n; true once in n times. */
uint64_t shell_below(struct sim *s, uint64_t n);
bool shell_one_in(struct sim *s, uint64_t n);

uint32_t shell_actor_of(uint32_t node);
uint32_t shell_node_of(const struct sim *s, const struct pubkey *key);

/* The toy machine's lease; with cheat it began with zeroes. */
struct toy_lease *shell_toy(struct sim *s, bool cheat, uint64_t first,
			    uint64_t done);

/* Keep bytes under a root, or under their own. */
void shell_put_blob(struct sim *s, const struct hash *root, struct bytes in);
void shell_put_bytes(struct sim *s, const void *p, size_t n);

/* The ledger's referee: proofs are checked in earnest, CTAs run on the toy. */
enum err shell_referee(void *ctx, struct arena *a, uint64_t version,
		       struct bytes request, struct bytes *ret_verdict);

/* An event for a node in in_ms, unless it dies before; answer: soon. */
void shell_tell_later(struct sim *s, uint32_t node, uint32_t life,
		      uint64_t in_ms, const struct core_event *e);
void shell_answer(struct sim *s, uint32_t node, const struct core_event *e);

/* Give a node an event now and perform what it asks for. */
void shell_tell(struct sim *s, uint32_t node, struct core_event *e);

/* A machine's work, by the toy. */
void shell_run(struct sim *s, uint32_t node, const struct core_action *a);
void shell_open(struct sim *s, uint32_t node, const struct core_action *a);
void shell_audit(struct sim *s, uint32_t node, const struct core_action *a);

/* Start a node with its journal; kill it with all but that. */
void shell_start(struct sim *s, uint32_t node);
void shell_kill(struct sim *s, uint32_t node);

#endif /* WEFT_TESTS_SIM_SHELL_SHELL_H */
