/*
 * ledger/store - where the ledger's bytes live: LMDB on disk, or memory.
 *
 * Six ordered tables of byte keys and values behind one small struct of
 * functions.  A transaction sees one snapshot; a single write transaction may
 * be open beside any number of read transactions, in the same thread too.
 * What a write transaction did is there as a whole after commit, even when
 * the power fails, and not at all otherwise.
 */
#ifndef WEFT_LEDGER_STORE_H
#define WEFT_LEDGER_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"

struct arena;
struct ledger_txn;

/* Longest key of any table, in bytes (LMDB's own limit is 511). */
#define LEDGER_KEY_MAX 128u

/* Longest value: an undo record or a block with its results. */
#define LEDGER_STORE_VALUE_MAX (64u << 20)

/* The numbers are on disk as table names: append, never renumber. */
enum ledger_table {
	LEDGER_TABLE_KV = 0,	 /* canonical state; the root is over this */
	LEDGER_TABLE_SMT = 1,	 /* latest nodes of the state tree */
	LEDGER_TABLE_UNDO = 2,	 /* height -> old values */
	LEDGER_TABLE_META = 3,	 /* tip, version of the layout */
	LEDGER_TABLE_BLOCKS = 4, /* height -> block, results */
	LEDGER_TABLE_INDEX = 5,	 /* can be rebuilt from the blocks */
};
#define LEDGER_TABLE_COUNT 6

/*
 * One implementation.  Every key is 1 to LEDGER_KEY_MAX bytes.  Returned
 * bytes borrow from the transaction: valid until its next put or del, or its
 * end.  All but seek and get of an absent key (ERR_NOT_FOUND) return ERR_OK
 * or ERR_STORE; put also ERR_LIMIT (value longer than the store's maximum).
 */
struct ledger_store_ops {
	/* begin a transaction; at most one with write set at a time */
	enum err (*begin)(void *self, bool write, struct ledger_txn **ret_txn);
	/* end it; commit of a write waits for the disk */
	enum err (*commit)(struct ledger_txn *txn);
	void (*abort)(struct ledger_txn *txn);
	enum err (*get)(struct ledger_txn *txn, enum ledger_table table,
			struct bytes key, struct bytes *ret_value);
	enum err (*put)(struct ledger_txn *txn, enum ledger_table table,
			struct bytes key, struct bytes value);
	/* ERR_NOT_FOUND if it was not there */
	enum err (*del)(struct ledger_txn *txn, enum ledger_table table,
			struct bytes key);
	/* the smallest key >= key (an empty key: the first) */
	enum err (*seek)(struct ledger_txn *txn, enum ledger_table table,
			 struct bytes key, struct bytes *ret_key,
			 struct bytes *ret_value);
	/* the greatest key < key (an empty key: the last of all) */
	enum err (*seek_back)(struct ledger_txn *txn, enum ledger_table table,
			      struct bytes key, struct bytes *ret_key,
			      struct bytes *ret_value);
	/* release what the store holds outside its arena */
	void (*close)(void *self);
};

/* A store: copied freely; self belongs to whoever opened it. */
struct ledger_store {
	const struct ledger_store_ops *ops;
	void *self;
};

/* What an LMDB environment may take.  Zero means the default. */
struct ledger_lmdb_options {
	uint64_t map_bytes;	/* first size of the map; default 64 MiB */
	uint64_t map_bytes_max; /* it doubles up to here; default 1 TiB */
	bool no_sync;		/* tests only: commit does not wait */
};

/*
 * Open or make the environment in folder path (which must exist).  The folder
 * holds data.mdb and lock.mdb, mode 0600.
 *
 * a        in/out  the handle lives here; must outlive the store
 * options  may be NULL
 *
 * Returns ERR_OK, ERR_NO_MEMORY, ERR_STORE (cannot open, not a database, too
 * new a layout).  Close with ledger_store_close.
 */
MUST_USE enum err
ledger_store_lmdb_open(struct arena *a, const char *path,
		       const struct ledger_lmdb_options *options,
		       struct ledger_store *ret_store);

/*
 * An empty store in memory.  Keys and values live in a, which bounds it: a
 * put beyond that fails with ERR_STORE.  Freed room is used again.
 * below may be NULL; else reads fall through to this open transaction, whose
 * bytes are never changed: a set of changes on top of a snapshot.
 */
MUST_USE enum err ledger_store_ram_new(struct arena *a,
				       const struct ledger_store *below,
				       struct ledger_txn *below_txn,
				       struct ledger_store *ret_store);

void ledger_store_close(struct ledger_store *store);

#endif /* WEFT_LEDGER_STORE_H */
