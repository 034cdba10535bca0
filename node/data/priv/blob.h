/*
 * node/data/priv/blob - what the store's two halves share.
 */
#ifndef WEFT_NODE_DATA_PRIV_BLOB_H
#define WEFT_NODE_DATA_PRIV_BLOB_H

#include "node/data/blob.h"

/* Free room on the disk that the store leaves: a full disk must not stop the
 * ledger's own writes. */
#define BLOB_RESERVE_BYTES (256ull << 20)

/* A file's name: 64 hex digits, a dot and the number of its name's kind;
 * unfinished ones begin with "part-". */
#define BLOB_FILE_BYTES 80u

struct blob_store {
	char *dir; /* <dir>/blobs */
	int dir_fd;
	struct data_env *env;
	uint64_t quota_bytes;
	uint64_t bytes; /* sum of whole blobs */
	uint64_t count;
};

void blob_file(const struct hash *root, enum core_name name, const char *prefix,
	       char out[BLOB_FILE_BYTES]);

/* Which kind the blob is stored under; ERR_NOT_FOUND. */
MUST_USE enum err blob_find(struct blob_store *s, const struct hash *root,
			    char ret_file[BLOB_FILE_BYTES], uint64_t *ret_bytes,
			    enum core_name *ret_name);

/* Room for bytes: under the quota after eviction, and on the disk. */
MUST_USE enum err blob_room(struct blob_store *s, uint64_t bytes);

/* Does a pin hold it? */
bool blob_is_pinned(struct blob_store *s, const struct hash *root);

#endif /* WEFT_NODE_DATA_PRIV_BLOB_H */
