/*
 * node/keys - the keys that a node signs with, unattended.
 *
 * <data>/account.key and <data>/vrf.key hold 64 hex digits each, mode 0600.
 * The account's key is a rig key where the configuration names an owner: it
 * can accept, commit and serve, but moves no money.
 */
#ifndef WEFT_NODE_KEYS_H
#define WEFT_NODE_KEYS_H

#include "base/attr.h"
#include "base/err.h"
#include "base/sig.h"
#include "base/vrf.h"

struct keys {
	struct seckey account_secret;
	struct pubkey account;
	struct vrf_secret vrf_secret;
	struct vrf_public vrf;
};

/*
 * Read the keys in folder dir; make what is missing.
 * Returns ERR_OK, ERR_IO, ERR_MALFORMED (not 64 hex digits), ERR_REFUSED
 * (others may read the file).
 */
MUST_USE enum err keys_open(const char *dir, struct keys *ret_keys);

void keys_wipe(struct keys *k);

/*
 * Write text to dir/name with mode 0600, whole or not at all.
 * Returns ERR_OK, ERR_IO.
 */
MUST_USE enum err file_put(const char *dir, const char *name,
			   struct bytes text);

/* All of dir/name appended to out.
 * Returns ERR_OK, ERR_NOT_FOUND, ERR_IO, ERR_LIMIT. */
MUST_USE enum err file_get(const char *dir, const char *name, struct buf *out);

#endif /* WEFT_NODE_KEYS_H */
