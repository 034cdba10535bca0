/*
 * node/data/priv/env - the tables of the node's environment.
 */
#ifndef WEFT_NODE_DATA_PRIV_ENV_H
#define WEFT_NODE_DATA_PRIV_ENV_H

#include <lmdb.h>

#include "node/data/env.h"

struct data_env {
	MDB_env *env;
	MDB_dbi journal; /* key -> value */
	MDB_dbi pin;	 /* root, owner -> one byte */
	MDB_dbi owner;	 /* owner, root -> one byte */
	MDB_txn *txn;	 /* the open batch, or NULL */
};

/* The open batch, or a transaction of its own that env_end commits. */
MUST_USE enum err env_begin(struct data_env *e, MDB_txn **ret_txn);
MUST_USE enum err env_end(struct data_env *e, MDB_txn *txn, enum err so_far);

#endif /* WEFT_NODE_DATA_PRIV_ENV_H */
