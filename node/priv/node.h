/*
 * node/priv/node - the parts of a running node, and what they ask of each
 * other.
 *
 * Everything runs on one thread.  What happens to the core is queued
 * (node_post) and handled one after another (pump.c), so that no part ever
 * calls back into another in the middle of its work.
 */
#ifndef WEFT_NODE_PRIV_NODE_H
#define WEFT_NODE_PRIV_NODE_H

#include <event2/event.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "ledger/chain.h"
#include "ledger/rules.h"
#include "ledger/store.h"
#include "node/buyer/buyer.h"
#include "node/config.h"
#include "node/core/act.h"
#include "node/core/core.h"
#include "node/data/blob.h"
#include "node/data/env.h"
#include "node/engine/engine.h"
#include "node/genesis.h"
#include "node/keys.h"
#include "node/provider/provider.h"
#include "node/server.h"
#include "node/verifier/verifier.h"
#include "rpc/rpc.h"

#define NODE_VERSION "0.1.0"

/* Blocks that a transaction of the node's own stays valid. */
#define NODE_TX_BLOCKS 60u

#define NODE_COOKIE_HEX_BYTES 64u

struct node_fetch;
struct node_job;
struct node_plan;
struct node_sent;
struct node_wait;
struct node_timer;
struct node_ask;
struct node_stream;

/* One thing for the core; owns what its event points to. */
struct node_event {
	struct node_event *next;
	struct core_event event;
	struct arena *arena; /* freed afterwards; may be NULL */
	struct buf keep;     /* likewise */
};

struct node {
	struct config config;
	struct event_base *base;
	int lock_fd;
	struct keys keys;
	struct pubkey owner; /* who is paid: keys.account or an owner */
	char cookie[NODE_COOKIE_HEX_BYTES + 1];
	int exit_code;
	bool stopping;
	struct event *signals[3];

	/* ledger */
	struct arena *store_arena;
	struct ledger_store store;
	struct ledger_rules rules;
	struct ledger_chain *chain;
	struct network network; /* whom to follow, or what to hand out */
	bool disk_low;
	uint64_t started_ms;

	/* engine */
	const struct engine_ops *engine_ops;
	struct engine *engine;
	struct event *engine_timer;
	struct node_ask *asks; /* the engine's requests on their way */

	/* data */
	struct data_env *env;
	struct blob_store *blobs;

	/* decisions */
	struct core *core;
	struct provider *provider; /* NULL: that role is off */
	struct verifier *verifier;
	struct buyer *buyer;
	struct node_event *queue;
	struct node_event **queue_end;
	struct event *pump_event;
	bool pumping;
	struct node_timer *timers; /* that the core asked for */
	uint64_t announce_again_height;

	/* what is on its way */
	struct node_fetch *fetches;
	struct node_job *jobs; /* running */
	struct node_job *jobs_waiting;
	uint32_t job_count;
	struct node_plan *plans; /* manifests being built */
	struct node_sent *sents;
	uint64_t next_ask; /* tickets of ASKED and of the RPC's sends */

	/* doors */
	struct server *server;
	struct rpc *rpc;
	struct event *rpc_timer;
	struct node_wait *waits;     /* the block feed's */
	struct node_stream *streams; /* GET /events */
	uint64_t next_event_id;
};

/* pump.c */
/* A new event; NULL: out of memory, the node is stopping. */
struct node_event *node_event_new(struct node *n, enum core_event_kind kind,
				  uint64_t ticket);
void node_post(struct node *n, struct node_event *e);
/* Without anything but an error. */
void node_post_err(struct node *n, enum core_event_kind kind, uint64_t ticket,
		   enum err err);
MUST_USE enum err node_pump_open(struct node *n);
void node_pump_close(struct node *n);
/* Hand the journal and START to the core. */
MUST_USE enum err node_core_start(struct node *n);

/* node.c: say why and end the loop. */
void node_fail(struct node *n, enum err e, const char *what);
void node_stop(struct node *n, int exit_code);

/* send.c: transactions of the node's own keys. */
void node_send(struct node *n, uint64_t ticket, enum core_lane lane,
	       uint32_t tx_kind, struct bytes body);
/* The same for the RPC; done as struct rpc_ops.send. */
void node_send_rpc(struct node *n, const struct rpc_send *s,
		   void (*done)(void *arg, const struct rpc_sent *r),
		   void *arg);
void node_send_applied(struct node *n, const struct ledger_outcome *outcome);
void node_send_dropped(struct node *n, const struct hash *tx_id,
		       enum reason reason);
void node_send_close(struct node *n);
/* Submit signed bytes to the engine, unless the disk is full. */
MUST_USE enum err node_submit(struct node *n, struct bytes tx,
			      enum reason *reterr_reason);
/* Tell the chain where this node is. */
void node_announce(struct node *n);

/* fetch.c: blobs from other nodes. */
void node_fetch_begin(struct node *n, const struct core_action *a);
void node_fetch_of_lease(struct node *n, const struct core_action *a);
/* true if it was a fetch's ticket. */
bool node_fetch_cancel(struct node *n, uint64_t ticket);
void node_fetch_close(struct node *n);
/* What an auditor signs to prove who asks. */
struct hash node_ask_digest(const struct hash *lease,
			    const struct pubkey *provider, uint64_t time_ms);

/* work.c: workers. */
void node_job_begin(struct node *n, const struct core_action *a);
bool node_job_cancel(struct node *n, uint64_t ticket);
void node_job_close(struct node *n);
/* For ledger_rules: the referee, in a worker, waiting for it. */
enum err node_referee(void *ctx, struct arena *a, uint64_t version,
		      struct bytes request, struct bytes *ret_verdict);

/* build.c: manifests by RPC, as struct rpc_ops.build. */
void node_build(struct node *n, struct bytes manifest,
		void (*done)(void *arg, const struct rpc_built *b), void *arg);
void node_build_close(struct node *n);

/* door.c: HTTP. */
MUST_USE enum err node_door_open(struct node *n);
void node_door_close(struct node *n);
/* An ASKED was answered. */
void node_door_reply(struct node *n, uint64_t ticket, enum err e,
		     const struct hash *root);

/* feed.c: blocks for followers, events for listeners. */
void node_feed_call(struct node *n, struct server_call *c);
void node_feed_applied(struct node *n);
void node_stream_call(struct node *n, struct server_call *c);
void node_stream_put(struct node *n, const char *name, struct bytes data);
void node_stream_applied(struct node *n, const struct ledger_outcome *outcome);

/* blobs.c: GET and PUT /blob. */
void node_blob_get(struct node *n, struct server_call *c);
void node_blob_put_head(struct node *n, struct server_call *c);
void node_blob_put(struct node *n, struct server_call *c);
/* Answer with a blob of the store. */
void node_blob_answer(struct node *n, struct server_call *c,
		      const struct hash *root);

/* ledger.c: store, rules, chain, genesis, engine. */
MUST_USE enum err node_ledger_open(struct node *n);
MUST_USE enum err node_engine_open(struct node *n);
void node_ledger_close(struct node *n);

/* ops.c: what rpc asks of the node. */
MUST_USE enum err node_rpc_open(struct node *n);
void node_rpc_close(struct node *n);
void node_rpc_look(struct node *n);

/* status.c */
json_t *node_status_json(struct node *n);
/* Is everything moving?  "" or why not. */
const char *node_trouble(struct node *n);

/* peers: the first endpoint an account announced; false: none. */
bool node_endpoint_of(struct node *n, const struct pubkey *account,
		      char out[NETWORK_ENDPOINT_BYTES]);

#endif /* WEFT_NODE_PRIV_NODE_H */
