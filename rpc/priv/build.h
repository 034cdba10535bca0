/*
 * rpc/priv/build - manifests built on behalf of a call.
 */
#ifndef WEFT_RPC_PRIV_BUILD_H
#define WEFT_RPC_PRIV_BUILD_H

#include "rpc/priv/call.h"

/* Build a manifest; then(c, built) answers, a failure is answered here. */
void rpc_build(struct rpc_call *c, json_t *manifest,
	       void (*then)(struct rpc_call *c, const struct rpc_built *b));

json_t *json_of_built(const struct rpc_built *b);

#endif /* WEFT_RPC_PRIV_BUILD_H */
