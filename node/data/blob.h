/*
 * node/data/blob - bytes kept under their root.
 *
 * A blob is one file in <dir>/blobs, named by its root and how it is named
 * (work.h); its time of change is its time of use.  Pins stand in LMDB.
 * Nothing enters the store unchecked: the root is computed over what was
 * written.  What nobody pins goes, least recently used first, when the quota
 * is passed.
 *
 * Start at blob_store_open(); write with blob_put() or, while bytes arrive,
 * with struct blob_writer.
 */
#ifndef WEFT_NODE_DATA_BLOB_H
#define WEFT_NODE_DATA_BLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "node/core/work.h"

struct data_env;
struct blob_store;

/*
 * dir         <dir>/blobs is made if missing; copied
 * env         node/data/env.h; borrowed while the store lives
 * quota_bytes unpinned blobs go when the sum is above
 * Returns ERR_OK, ERR_IO, ERR_NO_MEMORY.
 */
MUST_USE enum err blob_store_open(const char *dir, struct data_env *env,
				  uint64_t quota_bytes,
				  struct blob_store **ret_store);
void blob_store_close(struct blob_store *s); /* NULL is fine */

/* Root of bytes under a way of naming.  A list that does not split into
 * items is ERR_MALFORMED. */
MUST_USE enum err blob_root(enum core_name name, struct bytes bytes,
			    struct hash *ret_root);

/*
 * Store bytes whose root the caller knows (NULL: any) and get the root.
 * owner: pins it at once; NULL: nobody does.
 * Returns ERR_OK (also when it is there already), ERR_PROOF (another root),
 * ERR_MALFORMED, ERR_LIMIT (the quota is full of pinned blobs, or the disk's
 * reserve is reached), ERR_IO.
 */
MUST_USE enum err blob_put(struct blob_store *s, enum core_name name,
			   struct bytes bytes, const struct hash *root,
			   const struct hash *owner, struct hash *ret_root);

/* True and the size if it is here, whole. */
bool blob_has(struct blob_store *s, const struct hash *root,
	      uint64_t *ret_bytes);

/* An open descriptor for reading, the caller's to close; marks it used.
 * Returns ERR_OK, ERR_NOT_FOUND, ERR_IO. */
MUST_USE enum err blob_open(struct blob_store *s, const struct hash *root,
			    int *ret_fd, uint64_t *ret_bytes);

/* The whole content appended to out.  Returns ERR_OK, ERR_NOT_FOUND,
 * ERR_LIMIT (out->max), ERR_IO. */
MUST_USE enum err blob_read(struct blob_store *s, const struct hash *root,
			    struct buf *out);

/* A pin is (root, owner); it may be set before the blob is here. */
MUST_USE enum err blob_pin(struct blob_store *s, const struct hash *root,
			   const struct hash *owner);
/* All pins of an owner. */
MUST_USE enum err blob_unpin(struct blob_store *s, const struct hash *owner);

/* Sum of sizes, of pinned ones, and the quota. */
struct blob_usage {
	uint64_t bytes;
	uint64_t pinned_bytes;
	uint64_t quota_bytes;
	uint64_t count;
};
void blob_usage(struct blob_store *s, struct blob_usage *ret);

/* Free at least what is above the quota; called by writers. */
MUST_USE enum err blob_evict(struct blob_store *s, uint64_t wanted_bytes);

/* Check every blob against its root; wrong ones are removed and counted. */
MUST_USE enum err blob_fsck(struct blob_store *s, uint64_t *ret_checked,
			    uint64_t *ret_removed);

/*
 * A blob that arrives in order, resumable: what is written stays in a part
 * file named by the root when the writer is closed without blob_writer_end.
 */
struct blob_writer;

/* ret_have: bytes that an earlier writer left; go on from there.
 * Returns ERR_OK, ERR_EXISTS (the blob is here), ERR_LIMIT, ERR_IO. */
MUST_USE enum err blob_writer_begin(struct blob_store *s, enum core_name name,
				    const struct hash *root, uint64_t bytes_max,
				    uint64_t *ret_have,
				    struct blob_writer **ret_writer);

/* Throw away what an earlier writer left.  ERR_OK, ERR_IO. */
MUST_USE enum err blob_writer_restart(struct blob_writer *w);

/* Returns ERR_OK, ERR_LIMIT (bytes_max), ERR_IO (disk full). */
MUST_USE enum err blob_writer_put(struct blob_writer *w, struct bytes bytes);

/* Check and keep.  Returns ERR_OK, ERR_PROOF (wrong content: the part is
 * thrown away), ERR_MALFORMED, ERR_IO.  The writer is closed in any case. */
MUST_USE enum err blob_writer_end(struct blob_writer *w,
				  const struct hash *owner);
void blob_writer_close(struct blob_writer *w); /* NULL is fine */

#endif /* WEFT_NODE_DATA_BLOB_H */
