/*
 * A request body against a node without a ledger and without ops: every
 * path of the dispatcher and of the parameters.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/bech32m.h"
#include "rpc/rpc.h"

static void done(void *arg, int http_status, struct bytes answer)
{
	int *count = arg;

	(*count)++;
	if (http_status != 200 && http_status != 204)
		abort();
	if (http_status == 200 && answer.n == 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rpc_host host = {.hrp = ADDRESS_HRP_TEST, .version = "0"};
	struct rpc_caller caller = {.scopes = 7};
	struct rpc *r = rpc_new(&host);
	int answers = 0;

	rpc_handle(r, &caller, bytes_of(data, size), 1, done, &answers);
	rpc_look(r, UINT64_MAX);
	if (answers != 1)
		abort();
	rpc_free(r);
	return 0;
}
