/*
 * One descent serves a whole block: the sorted changes are split at each bit,
 * so a node above many of them is read, hashed and written once.  Below the
 * last stored inner node at most one leaf exists; it is carried down in hand
 * until it parts from the changes.  A leaf is written by the node above it,
 * which alone knows whether it stays there or moves up.
 */
#include <string.h>

#include "base/must.h"
#include "ledger/smt.h"

enum smt_form { SMT_EMPTY, SMT_LEAF, SMT_INNER, SMT_UNREAD };

struct smt_node {
	enum smt_form form;
	bool is_stored; /* a record stands at this place */
	struct hash hash;
	struct hash left;  /* or a leaf's path */
	struct hash right; /* or a leaf's value hash */
};

struct smt_walk {
	const struct ledger_store *store;
	struct ledger_txn *txn;
};

#define NODE_BYTES 65u

struct hash ledger_smt_path(struct bytes key)
{
	return sha256(key.p, key.n);
}

static struct hash hash_pair(uint8_t tag, const struct hash *a,
			     const struct hash *b)
{
	uint8_t in[NODE_BYTES];

	in[0] = tag;
	memcpy(in + 1, a->b, 32);
	memcpy(in + 33, b->b, 32);
	return sha256(in, sizeof(in));
}

struct hash ledger_smt_leaf(const struct hash *path,
			    const struct hash *value_hash)
{
	return hash_pair(0, path, value_hash);
}

struct hash ledger_smt_inner(const struct hash *left, const struct hash *right)
{
	return hash_pair(1, left, right);
}

static bool bit_at(const struct hash *path, uint32_t depth)
{
	return (path->b[depth / 8] >> (7 - depth % 8)) & 1;
}

/* The key of the place that depth bits of path lead to. */
static struct bytes place(const struct hash *path, uint32_t depth,
			  uint8_t out[34])
{
	uint32_t n = (depth + 7) / 8;

	out[0] = (uint8_t)(depth >> 8);
	out[1] = (uint8_t)depth;
	memcpy(out + 2, path->b, n);
	if (depth % 8)
		out[1 + n] &= (uint8_t)(0xff00u >> (depth % 8));
	return bytes_of(out, 2 + n);
}

/* path with bit depth set to right, for the places of children. */
static struct hash child_path(const struct hash *path, uint32_t depth,
			      bool right)
{
	struct hash h = *path;
	uint8_t mask = (uint8_t)(0x80u >> (depth % 8));

	if (right)
		h.b[depth / 8] |= mask;
	else
		h.b[depth / 8] &= (uint8_t)~mask;
	return h;
}

static struct smt_node leaf_node(const struct hash *path,
				 const struct hash *value_hash)
{
	struct smt_node n = {.form = SMT_LEAF};

	n.left = *path;
	n.right = *value_hash;
	n.hash = ledger_smt_leaf(path, value_hash);
	return n;
}

static enum err node_read(const struct smt_walk *w, const struct hash *path,
			  uint32_t depth, struct smt_node *ret_node)
{
	uint8_t key[34];
	struct bytes value;
	enum err e = w->store->ops->get(w->txn, LEDGER_TABLE_SMT,
					place(path, depth, key), &value);

	*ret_node = (struct smt_node){.form = SMT_EMPTY};
	if (e == ERR_NOT_FOUND)
		return ERR_OK;
	if (e != ERR_OK)
		return e;
	if (value.n != NODE_BYTES || value.p[0] > 1)
		return ERR_STORE;
	ret_node->is_stored = true;
	ret_node->form = value.p[0] ? SMT_INNER : SMT_LEAF;
	memcpy(ret_node->left.b, value.p + 1, 32);
	memcpy(ret_node->right.b, value.p + 33, 32);
	ret_node->hash =
		hash_pair(value.p[0], &ret_node->left, &ret_node->right);
	return ERR_OK;
}

static enum err node_write(const struct smt_walk *w, const struct hash *path,
			   uint32_t depth, const struct smt_node *n)
{
	uint8_t key[34];
	uint8_t value[NODE_BYTES];

	value[0] = n->form == SMT_INNER;
	memcpy(value + 1, n->left.b, 32);
	memcpy(value + 33, n->right.b, 32);
	return w->store->ops->put(w->txn, LEDGER_TABLE_SMT,
				  place(path, depth, key),
				  bytes_of(value, sizeof(value)));
}

static enum err node_drop(const struct smt_walk *w, const struct hash *path,
			  uint32_t depth)
{
	uint8_t key[34];

	return w->store->ops->del(w->txn, LEDGER_TABLE_SMT,
				  place(path, depth, key));
}

/* Write what a child has become, unless it wrote itself or nothing changed. */
static enum err child_settle(const struct smt_walk *w, const struct hash *path,
			     uint32_t depth, const struct smt_node *n)
{
	if (n->form == SMT_LEAF)
		return node_write(w, path, depth, n);
	if (n->form == SMT_EMPTY && n->is_stored)
		return node_drop(w, path, depth);
	return ERR_OK;
}

/* Both children of a place are known: what stands at the place itself? */
static enum err node_join(const struct smt_walk *w, const struct hash *path,
			  uint32_t depth, struct smt_node child[2],
			  bool is_stored, struct smt_node *ret_node)
{
	enum err e = ERR_OK;

	for (int i = 0; i < 2 && e == ERR_OK; i++) {
		struct hash at = child_path(path, depth, i);

		/* Beside an emptied place the other may have to move up. */
		if (child[i].form == SMT_UNREAD &&
		    child[1 - i].form == SMT_EMPTY)
			e = node_read(w, &at, depth + 1, &child[i]);
	}
	for (int i = 0; i < 2 && e == ERR_OK; i++) {
		struct hash at = child_path(path, depth, i);

		if (child[1 - i].form != SMT_EMPTY ||
		    child[i].form == SMT_INNER || child[i].form == SMT_UNREAD)
			continue;
		/* A lone leaf, or nothing at all: it is the subtree. */
		*ret_node = child[i];
		ret_node->is_stored = is_stored;
		if (child[i].is_stored)
			e = node_drop(w, &at, depth + 1);
		at = child_path(path, depth, !i);
		if (e == ERR_OK && child[1 - i].is_stored)
			e = node_drop(w, &at, depth + 1);
		return e;
	}
	for (int i = 0; i < 2 && e == ERR_OK; i++) {
		struct hash at = child_path(path, depth, i);

		e = child_settle(w, &at, depth + 1, &child[i]);
	}
	if (e != ERR_OK)
		return e;
	*ret_node = (struct smt_node){.form = SMT_INNER, .is_stored = true};
	ret_node->left = child[0].hash;
	ret_node->right = child[1].hash;
	ret_node->hash = ledger_smt_inner(&ret_node->left, &ret_node->right);
	return node_write(w, path, depth, ret_node);
}

static enum err update(const struct smt_walk *w, struct hash path,
		       uint32_t depth, const struct ledger_smt_change *c,
		       size_t count, struct smt_node here,
		       struct smt_node *ret_node);

/* Descend into one side of a stored inner node. */
static enum err update_side(const struct smt_walk *w, const struct hash *path,
			    uint32_t depth, const struct ledger_smt_change *c,
			    size_t count, const struct hash *old,
			    struct smt_node *ret_node)
{
	struct smt_node here = {.form = SMT_EMPTY};
	enum err e = ERR_OK;

	if (count == 0) {
		*ret_node = here;
		ret_node->hash = *old;
		if (!hash_is_zero(old))
			ret_node->form = SMT_UNREAD;
		return ERR_OK;
	}
	if (!hash_is_zero(old))
		e = node_read(w, path, depth, &here);
	if (e != ERR_OK)
		return e;
	/* A place that its parent knows must be there, and be the same. */
	if (!hash_eq(&here.hash, old))
		return ERR_STORE;
	return update(w, *path, depth, c, count, here, ret_node);
}

/* At most one leaf and one change of the same path, or less: no split. */
static bool update_one(const struct ledger_smt_change *c, size_t count,
		       const struct smt_node *here, struct smt_node *ret_node)
{
	if (here->form == SMT_INNER || count > 1)
		return false;
	if (here->form == SMT_LEAF && count == 1 &&
	    !hash_eq(&here->left, &c->path))
		return false;
	*ret_node = *here;
	if (count == 0)
		return true;
	if (c->is_delete)
		*ret_node = (struct smt_node){.form = SMT_EMPTY};
	else
		*ret_node = leaf_node(&c->path, &c->value_hash);
	ret_node->is_stored = here->is_stored;
	return true;
}

static enum err update(const struct smt_walk *w, struct hash path,
		       uint32_t depth, const struct ledger_smt_change *c,
		       size_t count, struct smt_node here,
		       struct smt_node *ret_node)
{
	struct smt_node child[2];
	size_t split = 0;
	enum err e = ERR_OK;

	if (update_one(c, count, &here, ret_node))
		return ERR_OK;
	must(depth < LEDGER_SMT_DEPTH);
	while (split < count && !bit_at(&c[split].path, depth))
		split++;
	for (int i = 0; i < 2 && e == ERR_OK; i++) {
		const struct ledger_smt_change *part = i ? c + split : c;
		size_t part_count = i ? count - split : split;
		struct hash at = child_path(&path, depth, i);
		struct smt_node carry = {.form = SMT_EMPTY};

		if (here.form == SMT_INNER) {
			e = update_side(w, &at, depth + 1, part, part_count,
					i ? &here.right : &here.left,
					&child[i]);
			continue;
		}
		if (here.form == SMT_LEAF &&
		    bit_at(&here.left, depth) == (bool)i) {
			carry = here;
			carry.is_stored = false;
		}
		e = update(w, at, depth + 1, part, part_count, carry,
			   &child[i]);
	}
	if (e != ERR_OK)
		return e;
	return node_join(w, &path, depth, child, here.is_stored, ret_node);
}

static int change_cmp(const struct ledger_smt_change *a,
		      const struct ledger_smt_change *b)
{
	return memcmp(a->path.b, b->path.b, 32);
}

static void sift_down(struct ledger_smt_change *c, size_t at, size_t count)
{
	struct ledger_smt_change moved = c[at];

	for (size_t kid = 2 * at + 1; kid < count; kid = 2 * at + 1) {
		if (kid + 1 < count && change_cmp(&c[kid], &c[kid + 1]) < 0)
			kid++;
		if (change_cmp(&c[kid], &moved) <= 0)
			break;
		c[at] = c[kid];
		at = kid;
	}
	c[at] = moved;
}

/* In place and O(n log n) for every input: paths are hashes, but of keys
 * that strangers choose. */
static void heap_sort(struct ledger_smt_change *c, size_t count)
{
	for (size_t i = count / 2; i > 0; i--)
		sift_down(c, i - 1, count);
	for (size_t i = count; i > 1; i--) {
		struct ledger_smt_change last = c[i - 1];

		c[i - 1] = c[0];
		c[0] = last;
		sift_down(c, 0, i - 1);
	}
}

enum err ledger_smt_update(const struct ledger_store *store,
			   struct ledger_txn *txn,
			   struct ledger_smt_change *changes, size_t count,
			   struct hash *ret_root)
{
	struct smt_walk w = {.store = store, .txn = txn};
	struct hash top = HASH_ZERO;
	struct smt_node root;
	struct smt_node now;
	enum err e = node_read(&w, &top, 0, &root);

	if (e != ERR_OK)
		return e;
	heap_sort(changes, count);
	if (count == 0) {
		*ret_root = root.hash;
		return ERR_OK;
	}
	e = update(&w, top, 0, changes, count, root, &now);
	if (e == ERR_OK)
		e = child_settle(&w, &top, 0, &now);
	if (e == ERR_OK)
		*ret_root = now.hash;
	return e;
}

enum err ledger_smt_root(const struct ledger_store *store,
			 struct ledger_txn *txn, struct hash *ret_root)
{
	struct smt_walk w = {.store = store, .txn = txn};
	struct hash top = HASH_ZERO;
	struct smt_node root;
	enum err e = node_read(&w, &top, 0, &root);

	if (e == ERR_OK)
		*ret_root = root.hash;
	return e;
}

/* Read from the root down, then turn the siblings round. */
enum err ledger_smt_prove(const struct ledger_store *store,
			  struct ledger_txn *txn, const struct hash *path,
			  struct ledger_proof *ret_proof)
{
	struct smt_walk w = {.store = store, .txn = txn};
	struct smt_node at;
	struct hash top = HASH_ZERO;
	uint32_t depth = 0;
	enum err e = node_read(&w, &top, 0, &at);

	ret_proof->state_root = at.hash;
	ret_proof->is_there = false;
	ret_proof->has_other = false;
	while (e == ERR_OK && at.form == SMT_INNER) {
		bool right = bit_at(path, depth);

		must(depth < LEDGER_SMT_DEPTH);
		ret_proof->siblings[depth] = right ? at.left : at.right;
		depth++;
		e = node_read(&w, path, depth, &at);
	}
	if (e != ERR_OK)
		return e;
	ret_proof->depth = depth;
	for (uint32_t i = 0; i < depth / 2; i++) {
		struct hash h = ret_proof->siblings[i];

		ret_proof->siblings[i] = ret_proof->siblings[depth - 1 - i];
		ret_proof->siblings[depth - 1 - i] = h;
	}
	if (at.form == SMT_LEAF && hash_eq(&at.left, path)) {
		ret_proof->is_there = true;
		ret_proof->value_hash = at.right;
	} else if (at.form == SMT_LEAF) {
		ret_proof->has_other = true;
		ret_proof->other_path = at.left;
		ret_proof->other_value_hash = at.right;
	}
	return ERR_OK;
}

enum err ledger_proof_check(const struct ledger_proof *p, struct bytes key)
{
	struct hash path = ledger_smt_path(key);
	struct hash h = HASH_ZERO;

	if (p->depth > LEDGER_SMT_DEPTH || (p->is_there && p->has_other))
		return ERR_PROOF;
	if (p->is_there)
		h = ledger_smt_leaf(&path, &p->value_hash);
	if (p->has_other) {
		if (hash_eq(&p->other_path, &path))
			return ERR_PROOF;
		/* The other leaf must stand where the key would. */
		for (uint32_t i = 0; i < p->depth; i++)
			if (bit_at(&p->other_path, i) != bit_at(&path, i))
				return ERR_PROOF;
		h = ledger_smt_leaf(&p->other_path, &p->other_value_hash);
	}
	for (uint32_t i = 0; i < p->depth; i++) {
		const struct hash *s = &p->siblings[i];

		h = bit_at(&path, p->depth - 1 - i) ? ledger_smt_inner(s, &h)
						    : ledger_smt_inner(&h, s);
	}
	return hash_eq(&h, &p->state_root) ? ERR_OK : ERR_PROOF;
}
