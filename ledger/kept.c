/*
 * BLOCKS: 'b' height -> block, 'r' height -> [block id, root, time_ms,
 * [[id, kind, reason, charged, fee, from, until] ...]].
 * INDEX: 't' id -> [height, index].
 */
#include "base/arena.h"
#include "base/codec.h"
#include "base/limits.h"
#include "ledger/priv/chain.h"

static void enc_result(struct buf *b, const struct ledger_tx_result *r)
{
	enc_array(b, 7);
	enc_hash(b, &r->id);
	enc_uint(b, r->kind);
	enc_uint(b, r->reason);
	enc_bool(b, r->is_charged);
	enc_coin(b, r->fee);
	enc_uint(b, r->from_height);
	enc_uint(b, r->until_height);
}

static void dec_result(struct dec *d, struct ledger_tx_result *r)
{
	dec_array_exact(d, 7);
	r->id = dec_hash(d);
	r->kind = (uint32_t)dec_uint(d, UINT32_MAX);
	r->reason = (enum reason)dec_uint(d, UINT32_MAX);
	r->is_charged = dec_bool(d);
	r->fee = dec_coin(d);
	r->from_height = dec_uint(d, UINT64_MAX);
	r->until_height = dec_uint(d, UINT64_MAX);
}

static struct ledger_key tx_key(const struct hash *id)
{
	struct ledger_key k = ledger_key(INDEX_TX);

	key_hash(&k, id);
	return k;
}

/* A refused transaction may come again in a later block and take effect; the
 * index points to where it was charged, else to the last try. */
static enum err index_write(struct ledger_stage *s, uint64_t height,
			    const struct ledger_tx_result *results,
			    uint32_t count, struct buf *b)
{
	enum err e = ERR_OK;

	for (uint32_t i = 0; i < count && e == ERR_OK; i++) {
		struct ledger_key k = tx_key(&results[i].id);
		struct bytes value;

		if (!results[i].is_charged) {
			e = s->store.ops->get(s->p.txn, LEDGER_TABLE_INDEX,
					      key_view(&k), &value);
			if (e == ERR_OK)
				continue;
			if (e != ERR_NOT_FOUND)
				break;
		}
		buf_reset(b);
		enc_array(b, 2);
		enc_uint(b, height);
		enc_uint(b, i);
		e = b->err;
		if (e == ERR_OK)
			e = s->store.ops->put(s->p.txn, LEDGER_TABLE_INDEX,
					      key_view(&k), buf_bytes(b));
	}
	return e;
}

enum err kept_write(struct ledger_chain *c, struct ledger_stage *s,
		    const struct ledger_tip *tip,
		    const struct ledger_tx_result *results, uint32_t count)
{
	struct ledger_key k = height_key(BLOCKS_RESULT, tip->height);
	struct buf b = buf_make(LEDGER_STORE_VALUE_MAX);
	enum err e;

	if (!c->options.blocks && !c->options.history)
		return ERR_OK;
	enc_array(&b, 4);
	enc_hash(&b, &tip->block_id);
	enc_hash(&b, &tip->state_root);
	enc_uint(&b, tip->time_ms);
	enc_array(&b, count);
	for (uint32_t i = 0; i < count; i++)
		enc_result(&b, &results[i]);
	e = b.err;
	if (e == ERR_OK)
		e = s->store.ops->put(s->p.txn, LEDGER_TABLE_BLOCKS,
				      key_view(&k), buf_bytes(&b));
	if (e == ERR_OK && c->options.history)
		e = index_write(s, tip->height, results, count, &b);
	buf_free(&b);
	return e;
}

static enum err kept_decode(struct arena *a, struct bytes in,
			    struct ledger_kept *ret_kept)
{
	struct dec d = dec_make(in);

	dec_array_exact(&d, 4);
	ret_kept->block_id = dec_hash(&d);
	ret_kept->state_root = dec_hash(&d);
	ret_kept->time_ms = dec_uint(&d, UINT64_MAX);
	ret_kept->result_count = dec_array(&d, BLOCK_TX_MAX);
	ret_kept->results = ARENA_ARRAY(a, (size_t)ret_kept->result_count + 1,
					struct ledger_tx_result);
	if (!ret_kept->results)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < ret_kept->result_count; i++)
		dec_result(&d, &ret_kept->results[i]);
	return dec_end(&d) == ERR_OK ? ERR_OK : ERR_STORE;
}

enum err kept_read(struct ledger_chain *c, struct ledger_txn *txn,
		   struct arena *a, uint64_t height,
		   struct ledger_kept *ret_kept)
{
	struct ledger_key result = height_key(BLOCKS_RESULT, height);
	struct ledger_key block = height_key(BLOCKS_BLOCK, height);
	struct ledger_kept kept = {.block = {0}};
	struct bytes value;
	enum err e;

	e = c->store.ops->get(txn, LEDGER_TABLE_BLOCKS, key_view(&result),
			      &value);
	if (e == ERR_OK)
		e = kept_decode(a, value, &kept);
	if (e != ERR_OK)
		return e;
	for (uint32_t i = 0; i < kept.result_count; i++)
		kept.results[i].height = height;
	e = c->store.ops->get(txn, LEDGER_TABLE_BLOCKS, key_view(&block),
			      &value);
	if (e != ERR_OK && e != ERR_NOT_FOUND)
		return e;
	if (e == ERR_OK) {
		kept.block = arena_copy(a, value);
		if (!kept.block.p)
			return ERR_NO_MEMORY;
	}
	*ret_kept = kept;
	return ERR_OK;
}

static enum err drop(struct ledger_chain *c, struct ledger_txn *txn,
		     enum ledger_table table, struct ledger_key k)
{
	enum err e = c->store.ops->del(txn, table, key_view(&k));

	return e == ERR_NOT_FOUND ? ERR_OK : e;
}

enum err kept_drop(struct ledger_chain *c, struct ledger_txn *txn,
		   uint64_t height)
{
	struct arena *a = arena_new(LEDGER_SCRATCH_BYTES_MAX);
	struct ledger_kept kept;
	enum err e;

	if (!a)
		return ERR_NO_MEMORY;
	e = kept_read(c, txn, a, height, &kept);
	for (uint32_t i = 0; e == ERR_OK && i < kept.result_count; i++)
		e = drop(c, txn, LEDGER_TABLE_INDEX,
			 tx_key(&kept.results[i].id));
	arena_free(a);
	if (e == ERR_NOT_FOUND)
		return ERR_OK;
	if (e == ERR_OK)
		e = drop(c, txn, LEDGER_TABLE_BLOCKS,
			 height_key(BLOCKS_RESULT, height));
	if (e == ERR_OK)
		e = drop(c, txn, LEDGER_TABLE_BLOCKS,
			 height_key(BLOCKS_BLOCK, height));
	return e;
}

enum err ledger_chain_block(struct ledger_chain *c, struct arena *a,
			    uint64_t height, struct ledger_kept *ret_kept)
{
	struct ledger_txn *txn;
	enum err e = c->store.ops->begin(c->store.self, false, &txn);

	if (e != ERR_OK)
		return e;
	e = kept_read(c, txn, a, height, ret_kept);
	c->store.ops->abort(txn);
	return e;
}

enum err ledger_chain_tx_find(struct ledger_chain *c, const struct hash *tx_id,
			      uint64_t *ret_height, uint32_t *ret_index)
{
	struct ledger_key k = tx_key(tx_id);
	struct ledger_txn *txn;
	struct bytes value;
	uint64_t height = 0;
	uint32_t index = 0;
	enum err e = c->store.ops->begin(c->store.self, false, &txn);

	if (e != ERR_OK)
		return e;
	e = c->store.ops->get(txn, LEDGER_TABLE_INDEX, key_view(&k), &value);
	if (e == ERR_OK) {
		struct dec d = dec_make(value);

		dec_array_exact(&d, 2);
		height = dec_uint(&d, UINT64_MAX);
		index = (uint32_t)dec_uint(&d, UINT32_MAX);
		e = dec_end(&d) == ERR_OK ? ERR_OK : ERR_STORE;
	}
	c->store.ops->abort(txn);
	if (e != ERR_OK)
		return e;
	*ret_height = height;
	*ret_index = index;
	return ERR_OK;
}
