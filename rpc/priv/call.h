/*
 * rpc/priv/call - one call, its arguments, and how methods answer.
 */
#ifndef WEFT_RPC_PRIV_CALL_H
#define WEFT_RPC_PRIV_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "rpc/error.h"
#include "rpc/rpc.h"

struct ledger;

#define RPC_PARAMS_MAX 20u

/* Types of parameters; the text after each is its JSON schema. */
enum rpc_type {
	RPC_TYPE_TEXT,
	RPC_TYPE_ID,	  /* 64 lower-case hex digits */
	RPC_TYPE_ADDRESS, /* bech32m of this network */
	RPC_TYPE_COUNT,	  /* 64 bits, a decimal string */
	RPC_TYPE_PICKS,	  /* an amount, a decimal string */
	RPC_TYPE_NUMBER,  /* 0..2^53, a JSON integer: heights, indexes */
	RPC_TYPE_BOOL,
	RPC_TYPE_HEX, /* bytes */
	RPC_TYPE_OBJECT,
	RPC_TYPE_ARRAY,
};

struct rpc_param {
	const char *name; /* NULL ends the list */
	enum rpc_type type;
	bool required;
	const char *words;
};

struct rpc_arg {
	bool present;
	struct bytes text; /* TEXT, HEX: decoded */
	struct hash id;
	struct pubkey account;
	uint64_t number; /* COUNT, NUMBER, BOOL */
	struct coin coin;
	json_t *json; /* OBJECT, ARRAY: borrowed from the request */
};

struct rpc_call;

struct rpc_method {
	const char *name;
	const char *words;
	enum rpc_scope scope;
	bool spends;
	const struct rpc_param *params;
	void (*run)(struct rpc_call *c);
	const char *result; /* in words, for rpc.discover */
};

/* A call; freed when it has answered. */
struct rpc_call {
	struct rpc *rpc;
	struct rpc_request *request;
	size_t index; /* its place in the batch */
	const struct rpc_method *method;
	json_t *id;	/* NULL: a notification */
	json_t *params; /* owned; args borrow from it */
	struct rpc_arg arg[RPC_PARAMS_MAX];
	struct buf memo_key; /* idempotency: empty if none */
	struct hash memo_params;
	/* of a call that waits: */
	bool (*look)(struct rpc_call *c, bool timed_out);
	uint64_t until_ms;
	struct rpc_call *next_waiting;
	struct hash saved_id; /* a method's own, across its steps */
	json_t *saved;	      /* likewise; owned */
};

struct rpc {
	struct rpc_host host;
	struct rpc_call *waiting;
	size_t waiting_count;
	uint64_t now_ms;
};

/* Answer; takes the reference to result.  The call is gone afterwards. */
void rpc_answer(struct rpc_call *c, json_t *result);

/* Fail with an own code, words NULL: the code's message. */
void rpc_fail(struct rpc_call *c, int code, const char *words);

/* Fail with a ledger's reason. */
void rpc_refuse(struct rpc_call *c, enum reason why, const char *words);

/* Fail with what a function returned. */
void rpc_fail_err(struct rpc_call *c, enum err e);

/* Call look at every rpc_look until it returns true (it has answered). */
void rpc_wait(struct rpc_call *c, uint64_t timeout_ms,
	      bool (*look)(struct rpc_call *c, bool timed_out));

/* The last state; answers with an error and gives NULL if there is none. */
struct ledger *rpc_view(struct rpc_call *c);

/* Answer with what the node tells about a topic, and about argument 0 if it
 * is there: an id. */
void rpc_tell(struct rpc_call *c, enum rpc_topic topic);

/*
 * Answer with a page of a list, called name.  Argument limit_at is its limit,
 * the next one its cursor.  next gives the element behind after (NULL: the
 * first) and its id; ERR_NOT_FOUND: there is none.
 */
void rpc_answer_page(struct rpc_call *c, const char *name, size_t limit_at,
		     enum err (*next)(struct rpc_call *c, struct ledger *l,
				      const struct hash *after,
				      struct hash *ret_id, json_t **ret_o));

/* Sign and submit with the wallet; then(c, sent) answers. */
void rpc_send_kind(struct rpc_call *c, uint32_t kind, const struct buf *body,
		   const struct rpc_arg *from,
		   void (*then)(struct rpc_call *c, const struct rpc_sent *s));

/* For rpc_send_kind: answer with argument 0's id, the transaction, its
 * height. */
void rpc_answer_changed(struct rpc_call *c, const struct rpc_sent *s);

/* Answer with what explain counts for argument 0's id. */
void rpc_explain(struct rpc_call *c,
		 enum err (*explain)(struct ledger *l, const struct hash *id,
				     uint32_t most, uint32_t *ret_counts));

/* Values in answers. */
void out_hash(json_t *o, const char *key, const struct hash *h);
void out_id_or_null(json_t *o, const char *key, const struct hash *h);
void out_account(json_t *o, const char *key, const struct rpc *r,
		 const struct pubkey *pk);
void out_coin(json_t *o, const char *key, struct coin c);
void out_count(json_t *o, const char *key, uint64_t v);
void out_number(json_t *o, const char *key, uint64_t v);
void out_text(json_t *o, const char *key, const char *s);
void out_bytes_text(json_t *o, const char *key, struct bytes b);
void out_time(json_t *o, const char *key, uint64_t time_ms);
void out_bool(json_t *o, const char *key, bool v);
void out_hex(json_t *o, const char *key, struct bytes b);

/* Lists: limit (default 50, at most 500) and what next is made of. */
uint32_t rpc_limit(const struct rpc_arg *limit);

/* Arguments from the request's params; answers and false when wrong. */
bool rpc_args_read(struct rpc_call *c);

/* One value of a type; false when it does not fit, *ret_why says. */
bool rpc_value_read(const struct rpc *r, enum rpc_type type, json_t *v,
		    struct rpc_arg *ret_arg, const char **reterr_why);
const char *rpc_type_schema(enum rpc_type type);

/* Records as JSON, new references. */
json_t *json_of_job(const struct rpc *r, struct ledger *l,
		    const struct market_job *j);
json_t *json_of_work(const struct market_work *w);
bool work_of_json(const struct rpc *r, json_t *o, struct market_work *ret_work,
		  const char **reterr_why);
json_t *json_of_misfits(const uint32_t *counts);

/* The families' rows, each ended by a NULL name. */
extern const struct rpc_method rpc_methods_account[];
extern const struct rpc_method rpc_methods_chain[];
extern const struct rpc_method rpc_methods_job[];
extern const struct rpc_method rpc_methods_lease[];
extern const struct rpc_method rpc_methods_market[];
extern const struct rpc_method rpc_methods_node[];
extern const struct rpc_method rpc_methods_offer[];
extern const struct rpc_method rpc_methods_program[];
extern const struct rpc_method rpc_methods_tx[];
extern const struct rpc_method rpc_methods_wallet[];
extern const struct rpc_method rpc_methods_rpc[];

/* All rows in turn; NULL past the last. */
const struct rpc_method *rpc_method_at(size_t index);
const struct rpc_method *rpc_method_find(const char *name);

/* Idempotency: true if the call was answered from memory or refused. */
bool rpc_memo_look(struct rpc_call *c);
void rpc_memo_keep(struct rpc_call *c, const json_t *result);

/* Bracket depth of JSON text outside strings. */
bool rpc_depth_ok(struct bytes text);

#endif /* WEFT_RPC_PRIV_CALL_H */
