/*
 * node/data/env - three LMDB tables and a batch of writes.
 *
 * NOMETASYNC: one wait for the disk per batch instead of two; a power cut may
 * undo the last batch, never tear it.  Roles survive that, because they
 * compare with the ledger at every block.
 */
#include "node/data/env.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/must.h"
#include "node/data/priv/env.h"

static MDB_val val(struct bytes b)
{
	return (MDB_val){.mv_size = b.n, .mv_data = (void *)(uintptr_t)b.p};
}

static bool open_tables(struct data_env *e)
{
	MDB_txn *txn;

	if (mdb_txn_begin(e->env, NULL, 0, &txn))
		return false;
	if (mdb_dbi_open(txn, "journal", MDB_CREATE, &e->journal) ||
	    mdb_dbi_open(txn, "pin", MDB_CREATE, &e->pin) ||
	    mdb_dbi_open(txn, "owner", MDB_CREATE, &e->owner)) {
		mdb_txn_abort(txn);
		return false;
	}
	return mdb_txn_commit(txn) == 0;
}

enum err data_env_open(const char *dir, uint64_t map_bytes,
		       struct data_env **ret_env)
{
	struct data_env *e = calloc(1, sizeof(*e));

	if (!e)
		return ERR_NO_MEMORY;
	if (mkdir(dir, 0700) && errno != EEXIST)
		goto failed;
	if (mdb_env_create(&e->env))
		goto failed;
	if (mdb_env_set_maxdbs(e->env, 3) ||
	    mdb_env_set_mapsize(e->env, map_bytes) ||
	    mdb_env_open(e->env, dir, MDB_NOMETASYNC, 0600) || !open_tables(e))
		goto failed;
	*ret_env = e;
	return ERR_OK;
failed:
	data_env_close(e);
	return ERR_STORE;
}

void data_env_close(struct data_env *e)
{
	if (!e)
		return;
	if (e->txn)
		mdb_txn_abort(e->txn);
	if (e->env)
		mdb_env_close(e->env);
	free(e);
}

enum err env_begin(struct data_env *e, MDB_txn **ret_txn)
{
	if (e->txn) {
		*ret_txn = e->txn;
		return ERR_OK;
	}
	return mdb_txn_begin(e->env, NULL, 0, ret_txn) ? ERR_STORE : ERR_OK;
}

enum err env_end(struct data_env *e, MDB_txn *txn, enum err so_far)
{
	if (txn == e->txn)
		return so_far;
	if (so_far) {
		mdb_txn_abort(txn);
		return so_far;
	}
	return mdb_txn_commit(txn) ? ERR_STORE : ERR_OK;
}

enum err journal_begin(struct data_env *e)
{
	must(!e->txn);
	return mdb_txn_begin(e->env, NULL, 0, &e->txn) ? ERR_STORE : ERR_OK;
}

enum err journal_put(struct data_env *e, struct bytes key, struct bytes value)
{
	MDB_val k = val(key);
	MDB_val v = val(value);

	must(e->txn != NULL);
	return mdb_put(e->txn, e->journal, &k, &v, 0) ? ERR_STORE : ERR_OK;
}

enum err journal_del(struct data_env *e, struct bytes key)
{
	MDB_val k = val(key);
	int rc;

	must(e->txn != NULL);
	rc = mdb_del(e->txn, e->journal, &k, NULL);
	return rc && rc != MDB_NOTFOUND ? ERR_STORE : ERR_OK;
}

enum err journal_commit(struct data_env *e)
{
	MDB_txn *txn = e->txn;

	must(txn != NULL);
	e->txn = NULL;
	return mdb_txn_commit(txn) ? ERR_STORE : ERR_OK;
}

enum err journal_get(struct data_env *e, struct bytes key, struct buf *out)
{
	MDB_txn *txn = e->txn;
	MDB_val k = val(key);
	MDB_val v;
	int rc;

	if (!txn && mdb_txn_begin(e->env, NULL, MDB_RDONLY, &txn))
		return ERR_STORE;
	rc = mdb_get(txn, e->journal, &k, &v);
	if (!rc)
		buf_put(out, v.mv_data, v.mv_size);
	if (!e->txn)
		mdb_txn_abort(txn);
	if (rc)
		return rc == MDB_NOTFOUND ? ERR_NOT_FOUND : ERR_STORE;
	return out->err;
}

enum err journal_scan(struct data_env *e, journal_each *each, void *ctx)
{
	MDB_txn *txn;
	MDB_cursor *cursor;
	MDB_val k;
	MDB_val v;
	int rc;

	if (mdb_txn_begin(e->env, NULL, MDB_RDONLY, &txn))
		return ERR_STORE;
	if (mdb_cursor_open(txn, e->journal, &cursor)) {
		mdb_txn_abort(txn);
		return ERR_STORE;
	}
	while (!(rc = mdb_cursor_get(cursor, &k, &v, MDB_NEXT)))
		each(ctx, bytes_of(k.mv_data, k.mv_size),
		     bytes_of(v.mv_data, v.mv_size));
	mdb_cursor_close(cursor);
	mdb_txn_abort(txn);
	return rc == MDB_NOTFOUND ? ERR_OK : ERR_STORE;
}
