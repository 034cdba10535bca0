/*
 * Transactions from strangers: what decodes encodes to the same bytes, and no
 * body of the ledger's own kinds does harm.
 */
#include <stdint.h>

#include "base/arena.h"
#include "base/must.h"
#include "ledger/rules.h"
#include "ledger/tx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct arena *a;
	const struct ledger_kind *kind = NULL;
	struct buf out = buf_make(TX_EVIDENCE_BYTES_MAX);
	struct bytes in = bytes_of(data, size);
	struct ledger_tx tx;
	enum reason why;
	void *body;

	if (!a)
		a = arena_new((size_t)16 << 20);
	must(a);
	arena_reset(a);
	if (ledger_tx_decode(in, &tx, &why) != ERR_OK)
		return 0;
	ledger_tx_encode(&tx, &out);
	must(bytes_eq(in, buf_bytes(&out)));
	buf_free(&out);
	for (size_t i = 0; i < ledger_kind_count; i++)
		if (ledger_kinds[i].number == tx.kind)
			kind = &ledger_kinds[i];
	if (kind)
		(void)!kind->decode(a, tx.body, &body, &why);
	return 0;
}
