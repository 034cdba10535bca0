/*
 * base/merkle - trees over bytes and lists, and multiproofs of ranges.
 *
 * Bytes: leaves of 512 bytes (the last may be short); lists: one leaf an
 * item.  Every tree splits at the largest power of two below its count.
 *
 *   leaf   SHA-256(T("weft/leaf")  || 512 bytes)
 *   short  SHA-256(T("weft/short") || 0 < n < 512 bytes)
 *   item   SHA-256(T("weft/item")  || item)
 *   node   SHA-256(T("weft/node")  || left || right)
 *   bytes  SHA-256(T("weft/bytes") || u64le length || tree)
 *   list   SHA-256(T("weft/list")  || u64le count  || tree)
 *
 * An empty tree is 32 zero bytes.  A multiproof for sorted disjoint leaf
 * ranges is the hashes of the subtrees that contain no asked leaf, depth
 * first, left to right, exactly as many as are needed.
 */
#ifndef WEFT_BASE_MERKLE_H
#define WEFT_BASE_MERKLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"

#define MERKLE_LEAF_BYTES 512u

/* Most hashes in one proof that is read from a peer. */
#define MERKLE_PROOF_MAX (1u << 20)

struct arena;

struct hash merkle_leaf(const void *p, size_t n); /* 0 < n <= 512 */
struct hash merkle_item(const void *p, size_t n);
struct hash merkle_node(const struct hash *left, const struct hash *right);
uint64_t merkle_leaf_count(uint64_t length_bytes);

/* Tree hash of count leaf hashes; O(count), no allocation. */
struct hash merkle_tree(const struct hash *leaves, uint64_t count);

/* The name of a byte string, and of a list with these item hashes. */
struct hash merkle_bytes_root(struct bytes b);
struct hash merkle_list_root(const struct hash *items, uint64_t count);
struct hash merkle_bytes_wrap(uint64_t length_bytes, const struct hash *tree);
struct hash merkle_list_wrap(uint64_t count, const struct hash *tree);

/* Root of length bytes of one value, O(log n). */
struct hash merkle_fill_root(uint8_t value, uint64_t length_bytes);

/* A byte string's root while its bytes arrive in order. */
struct merkle_stream {
	struct hash stack[64];
	uint64_t leaves; /* finished leaves */
	uint64_t length_bytes;
	uint8_t part[MERKLE_LEAF_BYTES];
};
void merkle_stream_init(struct merkle_stream *m);
void merkle_stream_put(struct merkle_stream *m, const void *p, size_t n);
struct hash merkle_stream_end(struct merkle_stream *m);

/* Leaves [first, first + count); count > 0. */
struct merkle_range {
	uint64_t first;
	uint64_t count;
};

/*
 * A tree that keeps all its leaf and node hashes, so that changed leaves cost
 * O(log n) and proofs need no rehash.  About 64 bytes per leaf.
 */
struct merkle_tree_store;
/* All leaves zero; NULL when out of memory or above 2^40 leaves. */
struct merkle_tree_store *merkle_store_new(uint64_t leaf_count);
void merkle_store_free(struct merkle_tree_store *t);
void merkle_store_set(struct merkle_tree_store *t, uint64_t leaf,
		      const struct hash *h);
/* The tree hash; recomputes what depends on leaves set since the last call. */
struct hash merkle_store_root(struct merkle_tree_store *t);
uint64_t merkle_store_count(const struct merkle_tree_store *t);

/*
 * The multiproof of sorted disjoint ranges, allocated in a.
 * leaves: all leaf hashes of the tree (count of them).
 * Returns ERR_OK, ERR_REFUSED (ranges not sorted, disjoint, in bounds),
 * ERR_NO_MEMORY.
 */
MUST_USE enum err merkle_prove(struct arena *a, const struct hash *leaves,
			       uint64_t count,
			       const struct merkle_range *ranges,
			       size_t range_count, struct hash **ret_proof,
			       size_t *ret_proof_count);

/* The same from a store, without a rehash. */
MUST_USE enum err
merkle_store_prove(struct arena *a, struct merkle_tree_store *t,
		   const struct merkle_range *ranges, size_t range_count,
		   struct hash **ret_proof, size_t *ret_proof_count);

/*
 * Tree hash from the asked leaves (in order) and the proof.  Every hash must
 * be used: anything left over is ERR_PROOF.
 * Returns ERR_OK, ERR_PROOF.
 */
MUST_USE enum err merkle_check(uint64_t count,
			       const struct merkle_range *ranges,
			       size_t range_count, const struct hash *leaves,
			       size_t leaf_count, const struct hash *proof,
			       size_t proof_count, struct hash *ret_tree);

#endif /* WEFT_BASE_MERKLE_H */
