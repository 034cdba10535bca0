/*
 * rpc/error - every error an RPC can answer with.
 *
 * Codes below zero are JSON-RPC's own; a ledger's refusal has the number of
 * its reason (base/reason.h); those of the RPC itself are 1000 and above.
 * All are frozen: append, never renumber (pinned in tests/rpc/error.c).
 */
#ifndef WEFT_RPC_ERROR_H
#define WEFT_RPC_ERROR_H

#include "base/err.h"
#include "base/reason.h"

/* word, code, message, hint */
/* clang-format off */
#define RPC_ERRORS(X)                                                          \
	X(parse_error,      -32700, "not JSON", "send one JSON value")         \
	X(invalid_request,  -32600, "not a JSON-RPC 2.0 request",              \
	  "send {\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": ..., "           \
	  "\"params\": {...}}")                                                \
	X(method_not_found, -32601, "no such method",                          \
	  "rpc.discover lists the methods")                                    \
	X(invalid_params,   -32602, "wrong parameters",                        \
	  "rpc.discover tells each method's parameters")                       \
	X(internal,         -32603, "internal error", "look at the node's log")\
	X(no_wallet,        1000, "this node holds no wallet",                 \
	  "weft wallet new, then start the node with it")                      \
	X(not_here,         1001, "this node does not do that",                \
	  "node.status tells what this node does")                             \
	X(forbidden,        1002, "this token may not do that",                \
	  "use the cookie, or a token with this scope")                        \
	X(other_params,     1003, "this idempotency_key was used with other "  \
	  "parameters", "use a new key for a new request")                     \
	X(busy,             1004, "too many calls are waiting", "try later")   \
	X(build_failed,     1005, "the manifest does not build",               \
	  "the message names the place")                                       \
	X(no_state,         1006, "this node has no ledger yet",               \
	  "wait until node.status shows a height")                             \
	X(too_many,         1007, "a batch holds at most 100 calls",           \
	  "send several batches")                                              \
	X(spends_silently,  1008, "a call that spends needs an id",            \
	  "send it as a request, not as a notification")                       \
	X(worker_failed,    1009, "the worker process failed", "try again")
/* clang-format on */

enum rpc_error {
#define X(word, code, message, hint) RPC_ERROR_##word = code,
	RPC_ERRORS(X)
#undef X
};

/* For a code of the list above; never NULL. */
const char *rpc_error_word(int code);
const char *rpc_error_message(int code);
const char *rpc_error_hint(int code);

#endif /* WEFT_RPC_ERROR_H */
