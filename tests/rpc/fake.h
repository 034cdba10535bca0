/*
 * tests/rpc/fake - an rpc over a real chain in memory, with a fake node.
 */
#ifndef WEFT_TESTS_RPC_FAKE_H
#define WEFT_TESTS_RPC_FAKE_H

#include <jansson.h>

#include "rpc/rpc.h"
#include "tests/support/ledger/rig.h"

struct fake {
	struct rig rig;
	struct rpc *rpc;
	unsigned scopes;
	int sends;	 /* how often the node was asked to sign */
	bool hold_sends; /* answer them only at fake_release */
	void (*held)(void *arg, const struct rpc_sent *r);
	void *held_arg;
	struct buf memo_key;
	struct buf memo_value;
	int status; /* of the last answer; 0: none yet */
	json_t *answer;
};

void fake_open(struct fake *f);
void fake_close(struct fake *f);

/* Send text at a time; the answer (borrowed) or NULL: none (yet). */
json_t *fake_call_at(struct fake *f, const char *text, uint64_t now_ms);
json_t *fake_call(struct fake *f, const char *text);

/* result of a call that must succeed; error code of one that must not. */
json_t *fake_result(struct fake *f, const char *text);
int fake_code(struct fake *f, const char *text);
const char *fake_reason(struct fake *f);
void fake_release(struct fake *f);

#endif /* WEFT_TESTS_RPC_FAKE_H */
