/*
 * UNDO: u64be height, u32be part -> part 0 the tip before the block, the others
 * arrays of [key, old value or nil] of every record that it wrote, about a
 * mebibyte each.  Old values restore the state; the tree follows, because it
 * depends on the records alone.
 */
#include <string.h>

#include "base/arena.h"
#include "base/codec.h"
#include "base/must.h"
#include "ledger/priv/chain.h"
#include "ledger/smt.h"

#define PART_BYTES ((size_t)1 << 20)

/* Records in one part at most; each takes three bytes or more. */
#define PART_RECORDS_MAX (1u << 20)

static struct ledger_key part_key(uint64_t height, uint32_t part)
{
	struct ledger_key k = {.n = 0};

	key_u64(&k, height);
	key_u32(&k, part);
	return k;
}

static enum err part_put(const struct ledger_store *store,
			 struct ledger_txn *txn, uint64_t height, uint32_t part,
			 const struct buf *b)
{
	struct ledger_key k = part_key(height, part);

	if (b->err != ERR_OK)
		return b->err;
	return store->ops->put(txn, LEDGER_TABLE_UNDO, key_view(&k),
			       buf_bytes(b));
}

/* Cells from *at on until the part is full; *at moves on. */
static void part_fill(struct ledger_cell **at, struct buf *b, struct buf *part)
{
	uint32_t count = 0;

	buf_reset(b);
	while (*at && b->n < PART_BYTES && b->err == ERR_OK) {
		enc_bin(b, (*at)->key);
		if ((*at)->had)
			enc_bin(b, (*at)->first);
		else
			enc_nil(b);
		count++;
		*at = (*at)->next_written;
	}
	buf_reset(part);
	enc_array(part, count);
	buf_put_bytes(part, buf_bytes(b));
	if (b->err != ERR_OK)
		part->err = b->err;
}

static enum err undo_forget(const struct ledger_store *store,
			    struct ledger_txn *txn, uint64_t height)
{
	struct ledger_key from = part_key(height, 0);
	struct bytes key;
	struct bytes value;
	enum err e;

	for (;;) {
		struct ledger_key k = {.n = 0};

		e = store->ops->seek(txn, LEDGER_TABLE_UNDO, key_view(&from),
				     &key, &value);
		if (e != ERR_OK)
			return e == ERR_NOT_FOUND ? ERR_OK : e;
		if (key.n != from.n || u64_be(key.p) != height)
			return ERR_OK;
		key_bytes(&k, key);
		e = store->ops->del(txn, LEDGER_TABLE_UNDO, key_view(&k));
		if (e != ERR_OK)
			return e;
	}
}

enum err undo_write(struct ledger_stage *s, const struct ledger_tip *before)
{
	struct buf b = buf_make(LEDGER_STORE_VALUE_MAX);
	struct buf part = buf_make(LEDGER_STORE_VALUE_MAX);
	struct ledger_cell *at = s->p.written;
	uint64_t height = s->l.height;
	uint32_t number = 1;
	enum err e;

	tip_encode(before, &part);
	e = part_put(&s->store, s->p.txn, height, 0, &part);
	while (at && e == ERR_OK) {
		part_fill(&at, &b, &part);
		e = part_put(&s->store, s->p.txn, height, number++, &part);
	}
	buf_free(&b);
	buf_free(&part);
	if (e == ERR_OK && height > LEDGER_UNDO_BLOCKS)
		e = undo_forget(&s->store, s->p.txn,
				height - LEDGER_UNDO_BLOCKS);
	return e;
}

/* --- stepping back --- */

struct back {
	struct ledger_chain *c;
	struct ledger_txn *txn;
	struct arena *a;
	uint64_t height;
	struct ledger_smt_change *changes; /* of one part */
	size_t count;
	struct hash root;
};

/* Every account with a line in this block has a record that the block wrote:
 * its own, or a lock of its. */
static enum err lines_back(struct back *b, struct bytes key)
{
	struct pubkey account;

	if (key.n < 33 || (key.p[0] != LEDGER_PREFIX_ACCOUNT &&
			   key.p[0] != LEDGER_PREFIX_LOCK))
		return ERR_OK;
	memcpy(account.b, key.p + 1, sizeof(account.b));
	return ledger_lines_drop(&b->c->store, b->txn, &account, b->height);
}

static enum err record_back(struct back *b, struct dec *d)
{
	const struct ledger_store_ops *ops = b->c->store.ops;
	struct ledger_smt_change *change = &b->changes[b->count];
	struct bytes key = dec_bin(d, LEDGER_KEY_MAX);
	struct bytes value = {0};
	bool had = !dec_is_nil(d);
	enum err e;

	if (had)
		value = dec_bin(d, LEDGER_VALUE_MAX);
	else
		dec_nil(d);
	if (d->err != ERR_OK)
		return ERR_STORE;
	change->path = ledger_smt_path(key);
	change->is_delete = !had;
	change->value_hash = sha256(value.p, value.n);
	b->count++;
	e = had ? ops->put(b->txn, LEDGER_TABLE_KV, key, value)
		: ops->del(b->txn, LEDGER_TABLE_KV, key);
	/* Made and gone within the block. */
	if (e == ERR_NOT_FOUND)
		e = ERR_OK;
	return e == ERR_OK ? lines_back(b, key) : e;
}

static enum err part_back(struct back *b, struct bytes in)
{
	struct bytes copy = arena_copy(b->a, in);
	struct dec d = dec_make(copy);
	uint32_t count = dec_array(&d, PART_RECORDS_MAX);
	enum err e = ERR_OK;

	b->changes =
		ARENA_ARRAY(b->a, (size_t)count + 1, struct ledger_smt_change);
	b->count = 0;
	if (!copy.p || !b->changes)
		return ERR_NO_MEMORY;
	for (uint32_t i = 0; i < count && e == ERR_OK; i++)
		e = record_back(b, &d);
	if (e == ERR_OK && dec_end(&d) != ERR_OK)
		e = ERR_STORE;
	if (e == ERR_OK)
		e = ledger_smt_update(&b->c->store, b->txn, b->changes,
				      b->count, &b->root);
	return e;
}

static enum err parts_back(struct back *b)
{
	struct bytes value;
	enum err e = ERR_OK;

	for (uint32_t part = 1; e == ERR_OK; part++) {
		struct ledger_key k = part_key(b->height, part);

		arena_reset(b->a);
		e = b->c->store.ops->get(b->txn, LEDGER_TABLE_UNDO,
					 key_view(&k), &value);
		if (e == ERR_OK)
			e = part_back(b, value);
	}
	return e == ERR_NOT_FOUND ? ERR_OK : e;
}

static enum err block_back(struct back *b)
{
	struct ledger_key k = part_key(b->height, 0);
	struct ledger_tip tip;
	struct bytes value;
	enum err e;

	b->root = b->c->tip.state_root;
	e = b->c->store.ops->get(b->txn, LEDGER_TABLE_UNDO, key_view(&k),
				 &value);
	if (e == ERR_OK)
		e = tip_decode(value, &tip);
	if (e == ERR_OK)
		e = kept_drop(b->c, b->txn, b->height);
	if (e == ERR_OK)
		e = parts_back(b);
	if (e == ERR_OK && !hash_eq(&b->root, &tip.state_root))
		e = ERR_STORE;
	if (e == ERR_OK)
		e = undo_forget(&b->c->store, b->txn, b->height);
	return e == ERR_OK ? tip_write(&b->c->store, b->txn, &tip) : e;
}

enum err ledger_chain_rollback(struct ledger_chain *c, uint64_t to_height)
{
	struct back b = {.c = c};
	enum err e = ERR_OK;

	stage_abort(&c->block);
	stage_abort(&c->check);
	c->is_final = false;
	b.a = arena_new(BLOCK_ARENA_BYTES_MAX);
	if (!b.a)
		return ERR_NO_MEMORY;
	while (e == ERR_OK && c->tip.height > to_height) {
		b.height = c->tip.height;
		e = c->store.ops->begin(c->store.self, true, &b.txn);
		if (e != ERR_OK)
			break;
		e = block_back(&b);
		if (e != ERR_OK) {
			c->store.ops->abort(b.txn);
			break;
		}
		e = c->store.ops->commit(b.txn);
		if (e == ERR_OK)
			e = chain_load(c);
	}
	arena_free(b.a);
	return e;
}
