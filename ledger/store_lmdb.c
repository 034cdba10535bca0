/*
 * The disk store is one LMDB environment with a named database per table.
 * Readers are not bound to threads (MDB_NOTLS), so views can be open beside
 * the writer.  A cursor per table is kept while a transaction lasts.
 *
 * The map can only be resized while no transaction is open.  It is doubled
 * when a write begins with more than half of it used, or after a write ran
 * into its end; a reader that is open then puts it off.
 */
#include <lmdb.h>
#include <string.h>

#include "base/arena.h"
#include "base/must.h"
#include "ledger/store.h"

#define MAP_BYTES_FIRST ((uint64_t)64 << 20)
#define MAP_BYTES_MOST	((uint64_t)1 << 40)
#define READERS_MAX	126u

static const char *const table_names[LEDGER_TABLE_COUNT] = {
	[LEDGER_TABLE_KV] = "kv",	  [LEDGER_TABLE_SMT] = "smt",
	[LEDGER_TABLE_UNDO] = "undo",	  [LEDGER_TABLE_META] = "meta",
	[LEDGER_TABLE_BLOCKS] = "blocks", [LEDGER_TABLE_INDEX] = "index",
};

struct lmdb_store;

struct ledger_txn {
	struct lmdb_store *store;
	MDB_txn *txn;
	bool is_write;
	MDB_cursor *cursors[LEDGER_TABLE_COUNT];
	struct ledger_txn *next_free;
};

struct lmdb_store {
	struct arena *arena;
	MDB_env *env;
	MDB_dbi tables[LEDGER_TABLE_COUNT];
	uint64_t map_bytes;
	uint64_t map_bytes_max;
	uint32_t open_count;
	bool was_full;
	struct ledger_txn *free_txns;
};

static MDB_val val_of(struct bytes b)
{
	return (MDB_val){.mv_size = b.n, .mv_data = (void *)(uintptr_t)b.p};
}

static struct bytes bytes_of_val(MDB_val v)
{
	return bytes_of(v.mv_data, v.mv_size);
}

static enum err err_of(struct ledger_txn *txn, int rc)
{
	if (rc == MDB_SUCCESS)
		return ERR_OK;
	if (rc == MDB_NOTFOUND)
		return ERR_NOT_FOUND;
	if (rc == MDB_MAP_FULL)
		txn->store->was_full = true;
	return ERR_STORE;
}

/* Double the map if it gets tight and nobody looks. */
static enum err lmdb_grow(struct lmdb_store *s)
{
	MDB_envinfo info;
	MDB_stat stat;
	uint64_t used;

	if (s->open_count > 0)
		return ERR_OK;
	if (mdb_env_info(s->env, &info) || mdb_env_stat(s->env, &stat))
		return ERR_STORE;
	used = ((uint64_t)info.me_last_pgno + 1) * stat.ms_psize;
	if (used <= info.me_mapsize / 2 && !s->was_full)
		return ERR_OK;
	if (info.me_mapsize >= s->map_bytes_max)
		return ERR_OK;
	s->map_bytes = (uint64_t)info.me_mapsize * 2;
	if (s->map_bytes > s->map_bytes_max)
		s->map_bytes = s->map_bytes_max;
	s->was_full = false;
	if (mdb_env_set_mapsize(s->env, (size_t)s->map_bytes))
		return ERR_STORE;
	return ERR_OK;
}

static void txn_give(struct ledger_txn *txn)
{
	struct lmdb_store *s = txn->store;

	s->open_count--;
	txn->next_free = s->free_txns;
	s->free_txns = txn;
}

static void cursors_close(struct ledger_txn *txn)
{
	for (size_t t = 0; t < LEDGER_TABLE_COUNT; t++) {
		if (txn->cursors[t])
			mdb_cursor_close(txn->cursors[t]);
		txn->cursors[t] = NULL;
	}
}

static enum err lmdb_begin(void *self, bool write, struct ledger_txn **ret_txn)
{
	struct lmdb_store *s = self;
	struct ledger_txn *txn = s->free_txns;

	if (write && lmdb_grow(s) != ERR_OK)
		return ERR_STORE;
	if (txn)
		s->free_txns = txn->next_free;
	else
		txn = ARENA_NEW(s->arena, struct ledger_txn);
	if (!txn)
		return ERR_STORE;
	memset(txn, 0, sizeof(*txn));
	txn->store = s;
	txn->is_write = write;
	s->open_count++;
	if (mdb_txn_begin(s->env, NULL, write ? 0 : MDB_RDONLY, &txn->txn)) {
		txn_give(txn);
		return ERR_STORE;
	}
	*ret_txn = txn;
	return ERR_OK;
}

static enum err lmdb_commit(struct ledger_txn *txn)
{
	int rc;

	cursors_close(txn);
	rc = mdb_txn_commit(txn->txn);
	if (rc == MDB_MAP_FULL)
		txn->store->was_full = true;
	txn_give(txn);
	return rc ? ERR_STORE : ERR_OK;
}

static void lmdb_abort(struct ledger_txn *txn)
{
	cursors_close(txn);
	mdb_txn_abort(txn->txn);
	txn_give(txn);
}

static enum err lmdb_get(struct ledger_txn *txn, enum ledger_table table,
			 struct bytes key, struct bytes *ret_value)
{
	MDB_val k = val_of(key);
	MDB_val v;
	int rc = mdb_get(txn->txn, txn->store->tables[table], &k, &v);

	if (rc == MDB_SUCCESS)
		*ret_value = bytes_of_val(v);
	return err_of(txn, rc);
}

static enum err lmdb_put(struct ledger_txn *txn, enum ledger_table table,
			 struct bytes key, struct bytes value)
{
	MDB_val k = val_of(key);
	MDB_val v = val_of(value);

	must(txn->is_write && key.n > 0 && key.n <= LEDGER_KEY_MAX);
	if (value.n > LEDGER_STORE_VALUE_MAX)
		return ERR_LIMIT;
	return err_of(txn,
		      mdb_put(txn->txn, txn->store->tables[table], &k, &v, 0));
}

static enum err lmdb_del(struct ledger_txn *txn, enum ledger_table table,
			 struct bytes key)
{
	MDB_val k = val_of(key);

	must(txn->is_write);
	return err_of(txn,
		      mdb_del(txn->txn, txn->store->tables[table], &k, NULL));
}

static enum err cursor_of(struct ledger_txn *txn, enum ledger_table table,
			  MDB_cursor **ret_cursor)
{
	int rc = 0;

	if (!txn->cursors[table])
		rc = mdb_cursor_open(txn->txn, txn->store->tables[table],
				     &txn->cursors[table]);
	*ret_cursor = txn->cursors[table];
	return rc ? ERR_STORE : ERR_OK;
}

static enum err lmdb_seek(struct ledger_txn *txn, enum ledger_table table,
			  struct bytes key, struct bytes *ret_key,
			  struct bytes *ret_value)
{
	MDB_cursor *cursor;
	MDB_val k = val_of(key);
	MDB_val v;
	int rc;

	if (cursor_of(txn, table, &cursor) != ERR_OK)
		return ERR_STORE;
	rc = mdb_cursor_get(cursor, &k, &v,
			    key.n == 0 ? MDB_FIRST : MDB_SET_RANGE);
	if (rc == MDB_SUCCESS) {
		*ret_key = bytes_of_val(k);
		*ret_value = bytes_of_val(v);
	}
	return err_of(txn, rc);
}

static enum err lmdb_seek_back(struct ledger_txn *txn, enum ledger_table table,
			       struct bytes key, struct bytes *ret_key,
			       struct bytes *ret_value)
{
	MDB_cursor *cursor;
	MDB_val k = val_of(key);
	MDB_val v;
	int rc = MDB_NOTFOUND;

	if (cursor_of(txn, table, &cursor) != ERR_OK)
		return ERR_STORE;
	if (key.n > 0) {
		rc = mdb_cursor_get(cursor, &k, &v, MDB_SET_RANGE);
		if (rc == MDB_SUCCESS)
			rc = mdb_cursor_get(cursor, &k, &v, MDB_PREV);
		else if (rc == MDB_NOTFOUND)
			rc = mdb_cursor_get(cursor, &k, &v, MDB_LAST);
	} else {
		rc = mdb_cursor_get(cursor, &k, &v, MDB_LAST);
	}
	if (rc == MDB_SUCCESS) {
		*ret_key = bytes_of_val(k);
		*ret_value = bytes_of_val(v);
	}
	return err_of(txn, rc);
}

static void lmdb_close(void *self)
{
	struct lmdb_store *s = self;

	must(s->open_count == 0);
	mdb_env_close(s->env);
	s->env = NULL;
}

static const struct ledger_store_ops lmdb_ops = {
	.begin = lmdb_begin,
	.commit = lmdb_commit,
	.abort = lmdb_abort,
	.get = lmdb_get,
	.put = lmdb_put,
	.del = lmdb_del,
	.seek = lmdb_seek,
	.seek_back = lmdb_seek_back,
	.close = lmdb_close,
};

static int tables_open(struct lmdb_store *s)
{
	MDB_txn *txn;
	int rc = mdb_txn_begin(s->env, NULL, 0, &txn);

	for (size_t t = 0; rc == 0 && t < LEDGER_TABLE_COUNT; t++) {
		rc = mdb_dbi_open(txn, table_names[t], MDB_CREATE,
				  &s->tables[t]);
		if (rc)
			mdb_txn_abort(txn);
	}
	return rc ? rc : mdb_txn_commit(txn);
}

enum err ledger_store_lmdb_open(struct arena *a, const char *path,
				const struct ledger_lmdb_options *options,
				struct ledger_store *ret_store)
{
	struct lmdb_store *s = ARENA_NEW(a, struct lmdb_store);
	unsigned flags = MDB_NOTLS;
	int rc;

	if (!s)
		return ERR_NO_MEMORY;
	s->arena = a;
	s->map_bytes = MAP_BYTES_FIRST;
	s->map_bytes_max = MAP_BYTES_MOST;
	if (options && options->map_bytes > 0)
		s->map_bytes = options->map_bytes;
	if (options && options->map_bytes_max > 0)
		s->map_bytes_max = options->map_bytes_max;
	if (options && options->no_sync)
		flags |= MDB_NOSYNC;
	if (mdb_env_create(&s->env))
		return ERR_NO_MEMORY;
	rc = mdb_env_set_maxdbs(s->env, LEDGER_TABLE_COUNT);
	if (rc == 0)
		rc = mdb_env_set_maxreaders(s->env, READERS_MAX);
	if (rc == 0)
		rc = mdb_env_set_mapsize(s->env, (size_t)s->map_bytes);
	if (rc == 0)
		rc = mdb_env_open(s->env, path, flags, 0600);
	/* Readers that were killed would hold old pages for ever. */
	if (rc == 0)
		rc = mdb_reader_check(s->env, NULL);
	if (rc == 0)
		rc = tables_open(s);
	if (rc) {
		mdb_env_close(s->env);
		return ERR_STORE;
	}
	ret_store->ops = &lmdb_ops;
	ret_store->self = s;
	return ERR_OK;
}
