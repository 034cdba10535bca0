/*
 * ledger/smt - the state root: a compact sparse Merkle tree over SHA-256.
 *
 *   path    SHA-256(key), walked from its highest bit
 *   leaf    SHA-256(00 || path || SHA-256(value))
 *   inner   SHA-256(01 || left || right)
 *   empty   32 zero bytes
 *
 * A subtree with one leaf is that leaf, so the root depends on the set of
 * records alone, never on the order in which they came, and deleting gives
 * the root of never having inserted.  Proofs fit ICS-23's smtSpec.
 *
 * Nodes are stored by place: key u16be depth || leading bits of the path (as
 * few bytes as hold them); value 01 || left || right, or 00 || path ||
 * SHA-256(value) for a leaf at its shallowest place.
 */
#ifndef WEFT_LEDGER_SMT_H
#define WEFT_LEDGER_SMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "ledger/store.h"

struct arena;

#define LEDGER_SMT_DEPTH 256u

/* One changed record. */
struct ledger_smt_change {
	struct hash path;	/* SHA-256(key) */
	struct hash value_hash; /* SHA-256(value); unused if is_delete */
	bool is_delete;
};

/*
 * Apply changes (any order, no path twice; sorted in place) to the nodes in
 * txn and give the new root.
 * Returns ERR_OK, ERR_STORE.  Cost: O(count * log(records)) store operations.
 */
MUST_USE enum err ledger_smt_update(const struct ledger_store *store,
				    struct ledger_txn *txn,
				    struct ledger_smt_change *changes,
				    size_t count, struct hash *ret_root);

/* The root as stored; zero if empty.  ERR_OK, ERR_STORE. */
MUST_USE enum err ledger_smt_root(const struct ledger_store *store,
				  struct ledger_txn *txn,
				  struct hash *ret_root);

/* From the leaf upward: siblings[0] is the deepest. */
struct ledger_proof {
	uint64_t height;	/* of the state it is about */
	struct hash state_root; /* of that state */
	bool is_there;
	struct hash value_hash; /* if is_there */
	/* if absent: the leaf that stands in the key's way, if any */
	bool has_other;
	struct hash other_path;
	struct hash other_value_hash;
	uint32_t depth; /* number of siblings */
	struct hash siblings[LEDGER_SMT_DEPTH];
};

/* ERR_OK, ERR_STORE. */
MUST_USE enum err ledger_smt_prove(const struct ledger_store *store,
				   struct ledger_txn *txn,
				   const struct hash *path,
				   struct ledger_proof *ret_proof);

/* Does it prove what it says about key, under its root?  ERR_OK, ERR_PROOF. */
MUST_USE enum err ledger_proof_check(const struct ledger_proof *p,
				     struct bytes key);

struct hash ledger_smt_path(struct bytes key);
struct hash ledger_smt_leaf(const struct hash *path,
			    const struct hash *value_hash);
struct hash ledger_smt_inner(const struct hash *left, const struct hash *right);

#endif /* WEFT_LEDGER_SMT_H */
