/*
 * Counts what is there, record by record, and rebuilds the tree in memory from
 * nothing: whatever the incremental code did wrong would show here.
 */
#include <string.h>

#include "base/arena.h"
#include "base/codec.h"
#include "ledger/priv/chain.h"
#include "ledger/smt.h"

/* Records per step of the rebuilt tree. */
#define REBUILD_BATCH 4096u

static bool add(struct coin *sum, struct coin c)
{
	return coin_add(*sum, c, sum);
}

/* A value that is an amount, or an array that begins with count of them. */
static bool amounts(struct bytes value, uint32_t length, uint32_t count,
		    struct coin out[2])
{
	struct dec d = dec_make(value);

	if (length > 0)
		dec_array_exact(&d, length);
	for (uint32_t i = 0; i < count; i++)
		out[i] = dec_coin(&d);
	return d.err == ERR_OK;
}

static bool count_record(struct bytes key, struct bytes value,
			 struct ledger_fsck *f)
{
	struct coin c[2] = {COIN_ZERO, COIN_ZERO};

	f->record_count++;
	if (key.p[0] == LEDGER_PREFIX_ACCOUNT) {
		f->account_count++;
		return amounts(value, 6, 1, c) && add(&f->balances, c[0]);
	}
	if (key.p[0] == LEDGER_PREFIX_LOCK)
		return amounts(value, 2, 1, c) && add(&f->locks, c[0]);
	if (key.p[0] == LEDGER_PREFIX_POOL)
		return amounts(value, 0, 1, c) && add(&f->pools, c[0]);
	if (key.p[0] == LEDGER_PREFIX_TOTALS) {
		if (!amounts(value, 2, 2, c))
			return false;
		f->issued = c[0];
		f->burnt = c[1];
	}
	return true;
}

static bool is_canonical(struct bytes value)
{
	struct dec d = dec_make(value);

	(void)dec_raw(&d);
	return dec_end(&d) == ERR_OK;
}

/* The next record; key is in *at afterwards. */
static enum err step(const struct ledger_store *store, struct ledger_txn *txn,
		     struct ledger_key *at, struct bytes *ret_value)
{
	uint8_t from[LEDGER_KEY_MAX + 1];
	struct bytes key;
	enum err e;

	memcpy(from, at->b, at->n);
	from[at->n] = 0;
	e = store->ops->seek(txn, LEDGER_TABLE_KV,
			     bytes_of(from, at->n > 0 ? at->n + 1 : 0), &key,
			     ret_value);
	if (e != ERR_OK)
		return e;
	at->n = 0;
	key_bytes(at, key);
	return ERR_OK;
}

enum err money_count(const struct ledger_store *store, struct ledger_txn *txn,
		     struct ledger_fsck *ret_found)
{
	struct ledger_fsck f = {.is_conserved = true, .is_canonical = true};
	struct ledger_key at = {.n = 0};
	struct coin sum = COIN_ZERO;
	struct bytes value;
	enum err e;

	for (;;) {
		e = step(store, txn, &at, &value);
		if (e != ERR_OK)
			break;
		if (!count_record(key_view(&at), value, &f))
			f.is_conserved = false;
		if (!is_canonical(value))
			f.is_canonical = false;
	}
	if (e != ERR_NOT_FOUND)
		return e;
	if (!add(&sum, f.balances) || !add(&sum, f.locks) ||
	    !add(&sum, f.pools) || !add(&sum, f.burnt) ||
	    coin_cmp(sum, f.issued) != 0)
		f.is_conserved = false;
	*ret_found = f;
	return ERR_OK;
}

static enum err rebuild(const struct ledger_store *from, struct ledger_txn *txn,
			struct arena *a, struct hash *ret_root)
{
	struct ledger_smt_change *batch =
		ARENA_ARRAY(a, REBUILD_BATCH, struct ledger_smt_change);
	struct ledger_key at = {.n = 0};
	struct ledger_store to;
	struct ledger_txn *to_txn;
	struct bytes value;
	size_t count = 0;
	enum err e = ledger_store_ram_new(a, NULL, NULL, &to);

	if (e == ERR_OK && batch)
		e = to.ops->begin(to.self, true, &to_txn);
	if (e != ERR_OK || !batch)
		return ERR_NO_MEMORY;
	*ret_root = HASH_ZERO;
	while (e == ERR_OK) {
		e = step(from, txn, &at, &value);
		if (e == ERR_OK) {
			batch[count].path = ledger_smt_path(key_view(&at));
			batch[count].value_hash = sha256(value.p, value.n);
			batch[count++].is_delete = false;
		}
		if (count == REBUILD_BATCH || (e == ERR_NOT_FOUND && count)) {
			enum err u = ledger_smt_update(&to, to_txn, batch,
						       count, ret_root);

			count = 0;
			e = u == ERR_OK ? e : u;
		}
	}
	to.ops->abort(to_txn);
	return e == ERR_NOT_FOUND ? ERR_OK : e;
}

enum err ledger_chain_fsck(struct ledger_chain *c,
			   struct ledger_fsck *ret_found)
{
	struct arena *a = arena_new(BLOCK_ARENA_BYTES_MAX);
	struct ledger_txn *txn;
	struct ledger_fsck f = {0};
	struct hash root = HASH_ZERO;
	enum err e;

	if (!a)
		return ERR_NO_MEMORY;
	e = c->store.ops->begin(c->store.self, false, &txn);
	if (e != ERR_OK) {
		arena_free(a);
		return e;
	}
	e = money_count(&c->store, txn, &f);
	if (e == ERR_OK)
		e = rebuild(&c->store, txn, a, &root);
	c->store.ops->abort(txn);
	arena_free(a);
	if (e != ERR_OK)
		return e;
	f.is_root_right = hash_eq(&root, &c->tip.state_root);
	*ret_found = f;
	return ERR_OK;
}
