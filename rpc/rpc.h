/*
 * rpc - JSON-RPC 2.0: bytes in, method table, bytes out.
 *
 * The dispatcher opens no socket and knows no node: it reads the ledger
 * through the chain it is handed and acts only through struct rpc_ops.  A
 * method may answer later; a batch is answered when its last call is.
 *
 * Start at rpc_handle(); the methods are rows of rpc/methods.c, one file a
 * family.  One rpc is used from one thread.
 */
#ifndef WEFT_RPC_RPC_H
#define WEFT_RPC_RPC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/coin.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/reason.h"
#include "base/sig.h"
#include "ledger/event.h"
#include "market/job.h"

struct arena;
struct ledger_chain;
struct rpc;

/* Longest answer, and calls that may wait at a time. */
#define RPC_ANSWER_BYTES_MAX (32u << 20)
#define RPC_WAITING_MAX	     1024u
#define RPC_IDEMPOTENCY_MAX  64u /* bytes of a key */

/* What a caller may do; or'ed. */
enum rpc_scope {
	RPC_SCOPE_READ = 1,
	RPC_SCOPE_SPEND = 2,   /* sign with the node's wallet */
	RPC_SCOPE_CONTROL = 4, /* pause, resume, drain */
};

/* A transaction that the node's wallet is asked to sign and submit. */
struct rpc_send {
	bool has_from;
	struct pubkey from; /* an account of the wallet; else its first */
	uint32_t kind;
	struct bytes body;
};

/* What became of it: in a block, or refused before. */
struct rpc_sent {
	enum err err; /* ERR_OK, ERR_REFUSED (reason), or why it was not sent */
	enum reason reason;
	struct hash tx_id;
	uint64_t height;
};

/* What a manifest was built to, or why not. */
struct rpc_built {
	enum err err;
	const char *words; /* the diagnosis; borrowed for the call */
	struct hash program_id;
	struct hash header_root;
	struct hash tasks_root;
	uint32_t task_count;
	struct market_work work;
	enum market_confidence confidence;
	uint32_t samples;
	uint32_t seconds_max;
	json_t *detail; /* class, reasons, warnings; borrowed, may be NULL */
};

/* What the node tells about itself, as a JSON object. */
enum rpc_topic {
	RPC_TOPIC_NODE_STATUS,
	RPC_TOPIC_NODE_PEERS,
	RPC_TOPIC_NODE_CLOCK,
	RPC_TOPIC_PROVIDER_STATUS,
	RPC_TOPIC_PROVIDER_EARNINGS,
	RPC_TOPIC_PROVIDER_DOCTOR,
	RPC_TOPIC_AUDITS,     /* of a lease, or all open ones */
	RPC_TOPIC_JOB_RESULT, /* outputs of a job by task */
	RPC_TOPIC_JOB_LOG,    /* what happened to a job */
	RPC_TOPIC_RECEIPTS,   /* of a lease, or all held */
	RPC_TOPIC_PROGRAM,    /* one held program, or all */
	RPC_TOPIC_BLOB,	      /* stat of one blob */
};

enum rpc_verb {
	RPC_VERB_PAUSE,
	RPC_VERB_RESUME,
	RPC_VERB_DRAIN,
};

/*
 * The node's side.  Any function may be NULL: the methods that need it answer
 * not_here.  Arguments are borrowed for the call; a done function is called
 * exactly once, also before the op returns.
 */
struct rpc_ops {
	void *ctx;

	/* Check and queue a signed transaction; *ret as ledger_chain_check. */
	enum err (*tx_submit)(void *ctx, struct bytes tx,
			      struct ledger_tx_result *ret);

	/* The wallet's accounts: the index-th, false past the last. */
	bool (*account)(void *ctx, uint32_t index, struct pubkey *ret_account,
			const char **ret_name);
	void (*send)(void *ctx, const struct rpc_send *s,
		     void (*done)(void *arg, const struct rpc_sent *r),
		     void *arg);

	/* Compile, check and quote a manifest given as JSON text. */
	void (*build)(void *ctx, struct bytes manifest,
		      void (*done)(void *arg, const struct rpc_built *b),
		      void *arg);

	/* A new object, or NULL: unknown id.  id may be NULL. */
	json_t *(*tell)(void *ctx, enum rpc_topic topic, const struct hash *id);

	enum err (*control)(void *ctx, enum rpc_verb verb);

	/* Answers of spending calls, kept across restarts: get copies into
	 * out (ERR_OK, ERR_NOT_FOUND), put is durable when it returns. */
	enum err (*memo_get)(void *ctx, struct bytes key, struct buf *out);
	enum err (*memo_put)(void *ctx, struct bytes key, struct bytes value);
};

struct rpc_host {
	struct ledger_chain *chain; /* borrowed; NULL until there is one */
	const char *hrp;	    /* of addresses; lives as long as rpc */
	const char *version;	    /* of the program; likewise */
	struct rpc_ops ops;
};

/* NULL when out of memory. */
struct rpc *rpc_new(const struct rpc_host *host);

/* Unanswered requests are dropped without an answer.  NULL is fine. */
void rpc_free(struct rpc *r);

/* Who asks. */
struct rpc_caller {
	unsigned scopes; /* enum rpc_scope */
};

/*
 * Handle one request body.
 *
 * done is called exactly once, perhaps before this returns: http_status 200
 * with the answer, or 204 without one (only notifications).  body is borrowed
 * for the call.
 *
 * now_ms   any steady clock; waits are measured with it
 * done     must not call back into rpc
 *
 * Returns a handle for rpc_drop while the answer is outstanding, else NULL.
 */
struct rpc_request *rpc_handle(struct rpc *r, const struct rpc_caller *caller,
			       struct bytes body, uint64_t now_ms,
			       void (*done)(void *arg, int http_status,
					    struct bytes answer),
			       void *arg);

/* The asker is gone: done will not be called.  Calls go on to their end. */
void rpc_drop(struct rpc_request *q);

/*
 * Look again at everything that waits: after each block, and when
 * rpc_wake_ms() has come.
 */
void rpc_look(struct rpc *r, uint64_t now_ms);

/* When the next wait times out; UINT64_MAX: none. */
uint64_t rpc_wake_ms(const struct rpc *r);

/* One ledger event as the data line of GET /events. */
void rpc_event_json(const struct rpc *r, const struct ledger_event *e,
		    uint64_t height, uint64_t time_ms, struct buf *out);

#endif /* WEFT_RPC_RPC_H */
