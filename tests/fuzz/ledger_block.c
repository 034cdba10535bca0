/*
 * Blocks and genesis files from strangers: what decodes encodes to the same
 * bytes.
 */
#include <stdint.h>

#include "base/arena.h"
#include "base/must.h"
#include "ledger/block.h"
#include "ledger/genesis.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct arena *a;
	struct buf out = buf_make((size_t)64 << 20);
	struct bytes in = bytes_of(data, size);
	struct ledger_block b;
	struct ledger_genesis g;
	enum reason why;

	if (!a)
		a = arena_new((size_t)64 << 20);
	must(a);
	arena_reset(a);
	if (ledger_block_decode(a, in, &b, &why) == ERR_OK) {
		ledger_block_encode(&b, &out);
		must(bytes_eq(in, buf_bytes(&out)));
	}
	if (ledger_genesis_decode(a, in, &g) == ERR_OK) {
		buf_reset(&out);
		ledger_genesis_encode(&g, &out);
		must(bytes_eq(in, buf_bytes(&out)));
	}
	buf_free(&out);
	return 0;
}
