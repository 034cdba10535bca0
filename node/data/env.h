/*
 * node/data/env - the node's own LMDB environment: blob index and journal.
 *
 * It is another one than the ledger's, whose write transaction spans a block:
 * a journal never waits for a block to end.  One writer, the loop's thread.
 */
#ifndef WEFT_NODE_DATA_ENV_H
#define WEFT_NODE_DATA_ENV_H

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"

struct data_env;

/* dir is made if missing.  Returns ERR_OK, ERR_STORE, ERR_NO_MEMORY. */
MUST_USE enum err data_env_open(const char *dir, uint64_t map_bytes,
				struct data_env **ret_env);
void data_env_close(struct data_env *e); /* NULL is fine */

/*
 * The journal: what the roles must know after a restart.  Writes between
 * begin and commit are one transaction, on disk when commit returns.
 * All return ERR_OK or ERR_STORE.
 */
MUST_USE enum err journal_begin(struct data_env *e);
MUST_USE enum err journal_put(struct data_env *e, struct bytes key,
			      struct bytes value);
MUST_USE enum err journal_del(struct data_env *e, struct bytes key);
MUST_USE enum err journal_commit(struct data_env *e);

/* One record appended to out.  ERR_OK, ERR_NOT_FOUND, ERR_LIMIT,
 * ERR_STORE. */
MUST_USE enum err journal_get(struct data_env *e, struct bytes key,
			      struct buf *out);

/* All records in the order of their keys.  each may not write. */
typedef void journal_each(void *ctx, struct bytes key, struct bytes value);
MUST_USE enum err journal_scan(struct data_env *e, journal_each *each,
			       void *ctx);

#endif /* WEFT_NODE_DATA_ENV_H */
