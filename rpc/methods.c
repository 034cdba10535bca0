/*
 * The table of methods: the families' rows one after the other.
 */
#include <string.h>

#include "rpc/priv/call.h"

static const struct rpc_method *const families[] = {
	rpc_methods_program, rpc_methods_job,	 rpc_methods_offer,
	rpc_methods_lease,   rpc_methods_wallet, rpc_methods_account,
	rpc_methods_tx,	     rpc_methods_chain,	 rpc_methods_market,
	rpc_methods_node,    rpc_methods_rpc,
};

const struct rpc_method *rpc_method_at(size_t index)
{
	for (size_t f = 0; f < sizeof(families) / sizeof(families[0]); f++) {
		for (const struct rpc_method *m = families[f]; m->name; m++) {
			if (index-- == 0)
				return m;
		}
	}
	return 0;
}

const struct rpc_method *rpc_method_find(const char *name)
{
	const struct rpc_method *m;

	for (size_t i = 0; (m = rpc_method_at(i)); i++) {
		if (strcmp(m->name, name) == 0)
			return m;
	}
	return 0;
}
