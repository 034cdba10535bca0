/*
 * "Split at the largest power of two below the count" is the shape that a
 * binary counter of finished subtrees gives when its rest is folded from the
 * right, and that pairing level by level gives when an odd last node moves up
 * unchanged; the stream uses the first view, the store the second.
 */
#include "base/merkle.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/must.h"

/* Midstates after T(name), computed once. */
struct tags {
	struct sha256 leaf, full, item, node, bytes, list;
};

static struct tags tags_make(void)
{
	struct tags t;

	sha256_init_tag(&t.full, "weft/leaf");
	sha256_init_tag(&t.leaf, "weft/short");
	sha256_init_tag(&t.item, "weft/item");
	sha256_init_tag(&t.node, "weft/node");
	sha256_init_tag(&t.bytes, "weft/bytes");
	sha256_init_tag(&t.list, "weft/list");
	return t;
}

static struct tags tags;

__attribute__((constructor)) static void tags_init(void)
{
	tags = tags_make();
}

static struct hash from_words(const uint32_t h[8])
{
	struct hash out;

	for (int i = 0; i < 8; i++)
		put_u32_be(out.b + 4 * i, h[i]);
	return out;
}

/* After the tag block and 512 bytes: the padding is constant. */
static struct hash full_leaf(const uint8_t *p)
{
	uint8_t pad[64] = {0x80};
	uint32_t h[8];

	put_u64_be(pad + 56, (64 + MERKLE_LEAF_BYTES) * 8);
	memcpy(h, tags.full.h, sizeof(h));
	sha256_blocks(h, p, MERKLE_LEAF_BYTES / 64);
	sha256_blocks(h, pad, 1);
	return from_words(h);
}

struct hash merkle_leaf(const void *p, size_t n)
{
	struct sha256 s;

	must(n > 0 && n <= MERKLE_LEAF_BYTES);
	if (n == MERKLE_LEAF_BYTES)
		return full_leaf(p);
	s = tags.leaf;
	sha256_put(&s, p, n);
	return sha256_end(&s);
}

struct hash merkle_item(const void *p, size_t n)
{
	struct sha256 s = tags.item;

	sha256_put(&s, p, n);
	return sha256_end(&s);
}

struct hash merkle_node(const struct hash *left, const struct hash *right)
{
	uint8_t blocks[128];
	uint32_t h[8];

	memcpy(blocks, left->b, 32);
	memcpy(blocks + 32, right->b, 32);
	memset(blocks + 64, 0, 64);
	blocks[64] = 0x80;
	put_u64_be(blocks + 120, 128 * 8);
	memcpy(h, tags.node.h, sizeof(h));
	sha256_blocks(h, blocks, 2);
	return from_words(h);
}

uint64_t merkle_leaf_count(uint64_t length_bytes)
{
	return length_bytes / MERKLE_LEAF_BYTES +
	       (length_bytes % MERKLE_LEAF_BYTES != 0);
}

/* Push a finished leaf on the binary counter that holds count of them. */
static void push(struct hash stack[64], uint64_t count, struct hash h)
{
	int top = __builtin_popcountll(count);

	for (; count & 1; count >>= 1)
		h = merkle_node(&stack[--top], &h);
	stack[top] = h;
}

static struct hash fold(const struct hash stack[64], uint64_t count)
{
	int top = __builtin_popcountll(count);
	struct hash h;

	if (top == 0)
		return HASH_ZERO;
	h = stack[--top];
	while (top > 0)
		h = merkle_node(&stack[--top], &h);
	return h;
}

struct hash merkle_tree(const struct hash *leaves, uint64_t count)
{
	struct hash stack[64];

	for (uint64_t i = 0; i < count; i++)
		push(stack, i, leaves[i]);
	return fold(stack, count);
}

static struct hash wrap(const struct sha256 *tag, uint64_t n,
			const struct hash *tree)
{
	struct sha256 s = *tag;

	sha256_put_u64_le(&s, n);
	sha256_put(&s, tree->b, HASH_BYTES);
	return sha256_end(&s);
}

struct hash merkle_bytes_wrap(uint64_t length_bytes, const struct hash *tree)
{
	return wrap(&tags.bytes, length_bytes, tree);
}

struct hash merkle_list_wrap(uint64_t count, const struct hash *tree)
{
	return wrap(&tags.list, count, tree);
}

struct hash merkle_list_root(const struct hash *items, uint64_t count)
{
	struct hash tree = merkle_tree(items, count);

	return merkle_list_wrap(count, &tree);
}

void merkle_stream_init(struct merkle_stream *m)
{
	m->leaves = 0;
	m->length_bytes = 0;
}

void merkle_stream_put(struct merkle_stream *m, const void *data, size_t n)
{
	const uint8_t *p = data;

	while (n > 0) {
		size_t have = m->length_bytes % MERKLE_LEAF_BYTES;
		size_t take = MERKLE_LEAF_BYTES - have;

		if (take > n)
			take = n;
		if (take == MERKLE_LEAF_BYTES) {
			push(m->stack, m->leaves++, full_leaf(p));
		} else {
			memcpy(m->part + have, p, take);
			if (have + take == MERKLE_LEAF_BYTES)
				push(m->stack, m->leaves++, full_leaf(m->part));
		}
		m->length_bytes += take;
		p += take;
		n -= take;
	}
}

struct hash merkle_stream_end(struct merkle_stream *m)
{
	size_t have = m->length_bytes % MERKLE_LEAF_BYTES;
	struct hash tree;

	if (have)
		push(m->stack, m->leaves++, merkle_leaf(m->part, have));
	tree = fold(m->stack, m->leaves);
	return merkle_bytes_wrap(m->length_bytes, &tree);
}

struct hash merkle_bytes_root(struct bytes b)
{
	struct merkle_stream m;

	merkle_stream_init(&m);
	merkle_stream_put(&m, b.p, b.n);
	return merkle_stream_end(&m);
}

/* The tree of equal leaves: full subtrees by doubling, taken bit by bit. */
struct hash merkle_fill_root(uint8_t value, uint64_t length_bytes)
{
	uint8_t part[MERKLE_LEAF_BYTES];
	uint64_t full = length_bytes / MERKLE_LEAF_BYTES;
	size_t rest = length_bytes % MERKLE_LEAF_BYTES;
	struct hash level, tree = HASH_ZERO;
	bool some = rest != 0;

	memset(part, value, sizeof(part));
	if (rest)
		tree = merkle_leaf(part, rest);
	level = full_leaf(part);
	for (; full; full >>= 1) {
		if (full & 1) {
			tree = some ? merkle_node(&level, &tree) : level;
			some = true;
		}
		level = merkle_node(&level, &level);
	}
	return merkle_bytes_wrap(length_bytes, &tree);
}

/* The largest power of two below count; count >= 2. */
static uint64_t split(uint64_t count)
{
	return (uint64_t)1 << (63 - __builtin_clzll(count - 1));
}

static bool ranges_are_good(uint64_t count, const struct merkle_range *r,
			    size_t n, uint64_t *ret_leaves)
{
	uint64_t at = 0, sum = 0;

	for (size_t i = 0; i < n; i++) {
		if (r[i].count == 0 || r[i].first < at || r[i].first > count ||
		    r[i].count > count - r[i].first)
			return false;
		at = r[i].first + r[i].count;
		sum += r[i].count;
	}
	*ret_leaves = sum;
	return true;
}

/* A walk over a tree; which ranges may lie ahead moves with it. */
struct walk {
	const struct merkle_range *ranges;
	size_t range_count;
	size_t range_at;
	const struct hash *leaves; /* all, or the asked ones */
	size_t leaf_at;
	const struct merkle_tree_store *store;
	struct hash *proof; /* NULL: only count */
	const struct hash *given;
	size_t proof_at;
	size_t proof_count;
	bool bad;
};

/* Does [first, first + count) hold an asked leaf?  Calls go left to right. */
static bool touches(struct walk *w, uint64_t first, uint64_t count)
{
	while (w->range_at < w->range_count) {
		const struct merkle_range *r = &w->ranges[w->range_at];

		if (r->first + r->count > first)
			return r->first < first + count;
		w->range_at++;
	}
	return false;
}

static struct hash subtree(const struct walk *w, uint64_t first,
			   uint64_t count);

static void prove_walk(struct walk *w, uint64_t first, uint64_t count)
{
	uint64_t half;

	if (!touches(w, first, count)) {
		if (w->proof)
			w->proof[w->proof_at] = subtree(w, first, count);
		w->proof_at++;
		return;
	}
	if (count == 1)
		return;
	half = split(count);
	prove_walk(w, first, half);
	prove_walk(w, first + half, count - half);
}

static enum err prove(struct arena *a, struct walk *w, uint64_t count,
		      struct hash **ret_proof, size_t *ret_proof_count)
{
	uint64_t leaves;
	size_t n = 0;

	if (!ranges_are_good(count, w->ranges, w->range_count, &leaves))
		return ERR_REFUSED;
	if (count) {
		prove_walk(w, 0, count);
		n = w->proof_at;
	}
	w->proof = ARENA_ARRAY(a, n, struct hash);
	if (!w->proof)
		return ERR_NO_MEMORY;
	w->proof_at = 0;
	w->range_at = 0;
	if (count)
		prove_walk(w, 0, count);
	*ret_proof = w->proof;
	*ret_proof_count = n;
	return ERR_OK;
}

enum err merkle_prove(struct arena *a, const struct hash *leaves,
		      uint64_t count, const struct merkle_range *ranges,
		      size_t range_count, struct hash **ret_proof,
		      size_t *ret_proof_count)
{
	struct walk w = {
		.ranges = ranges, .range_count = range_count, .leaves = leaves};

	return prove(a, &w, count, ret_proof, ret_proof_count);
}

static struct hash check_walk(struct walk *w, uint64_t first, uint64_t count)
{
	uint64_t half;
	struct hash left, right;

	if (w->bad)
		return HASH_ZERO;
	if (!touches(w, first, count)) {
		if (w->proof_at == w->proof_count) {
			w->bad = true;
			return HASH_ZERO;
		}
		return w->given[w->proof_at++];
	}
	if (count == 1)
		return w->leaves[w->leaf_at++];
	half = split(count);
	left = check_walk(w, first, half);
	right = check_walk(w, first + half, count - half);
	return merkle_node(&left, &right);
}

enum err merkle_check(uint64_t count, const struct merkle_range *ranges,
		      size_t range_count, const struct hash *leaves,
		      size_t leaf_count, const struct hash *proof,
		      size_t proof_count, struct hash *ret_tree)
{
	struct walk w = {.ranges = ranges,
			 .range_count = range_count,
			 .leaves = leaves,
			 .given = proof,
			 .proof_count = proof_count};
	uint64_t asked;
	struct hash tree = HASH_ZERO;

	if (!ranges_are_good(count, ranges, range_count, &asked) ||
	    asked != leaf_count)
		return ERR_PROOF;
	if (count)
		tree = check_walk(&w, 0, count);
	if (w.bad || w.proof_at != proof_count)
		return ERR_PROOF;
	*ret_tree = tree;
	return ERR_OK;
}

#define LEVELS_MAX	 42u
#define STORE_LEAVES_MAX ((uint64_t)1 << 40)

struct merkle_tree_store {
	uint64_t count;
	unsigned level_count;
	struct hash *level[LEVELS_MAX]; /* 0: the leaves */
	uint64_t *dirty;		/* a bit for each changed leaf */
	uint64_t *next;			/* the same, one level up */
};

static size_t words(uint64_t bits)
{
	return (size_t)((bits + 63) / 64);
}

struct merkle_tree_store *merkle_store_new(uint64_t leaf_count)
{
	struct merkle_tree_store *t = calloc(1, sizeof(*t));
	uint64_t n = leaf_count;

	if (!t || leaf_count > STORE_LEAVES_MAX)
		goto fail;
	t->count = leaf_count;
	if (leaf_count == 0)
		return t;
	t->dirty = calloc(words(n), sizeof(uint64_t));
	t->next = calloc(words(n), sizeof(uint64_t));
	if (!t->dirty || !t->next)
		goto fail;
	for (;; n = (n + 1) / 2) {
		struct hash *level = calloc((size_t)n, sizeof(*level));

		if (!level)
			goto fail;
		t->level[t->level_count++] = level;
		if (n == 1)
			break;
	}
	for (uint64_t i = 0; i < leaf_count; i++)
		t->dirty[i / 64] |= (uint64_t)1 << (i % 64);
	return t;
fail:
	merkle_store_free(t);
	return 0;
}

void merkle_store_free(struct merkle_tree_store *t)
{
	if (!t)
		return;
	for (unsigned i = 0; i < t->level_count; i++)
		free(t->level[i]);
	free(t->dirty);
	free(t->next);
	free(t);
}

uint64_t merkle_store_count(const struct merkle_tree_store *t)
{
	return t->count;
}

void merkle_store_set(struct merkle_tree_store *t, uint64_t leaf,
		      const struct hash *h)
{
	must(leaf < t->count);
	t->level[0][leaf] = *h;
	t->dirty[leaf / 64] |= (uint64_t)1 << (leaf % 64);
}

/* Clear the dirty bits of a level of n nodes, and mark their parents. */
static void mark_parents(struct merkle_tree_store *t, uint64_t n)
{
	for (size_t w = 0; w < words(n); w++) {
		uint64_t bits = t->dirty[w];

		t->dirty[w] = 0;
		for (; bits; bits &= bits - 1) {
			uint64_t up = (64 * (uint64_t)w +
				       (uint64_t)__builtin_ctzll(bits)) /
				      2;

			t->next[up / 64] |= (uint64_t)1 << (up % 64);
		}
	}
}

/* Recompute the marked nodes above a level of n nodes. */
static void lift(struct merkle_tree_store *t, unsigned level, uint64_t n)
{
	const struct hash *from = t->level[level];
	uint64_t *swap;

	mark_parents(t, n);
	for (size_t w = 0; w < words((n + 1) / 2); w++) {
		for (uint64_t bits = t->next[w]; bits; bits &= bits - 1) {
			uint64_t up = 64 * (uint64_t)w +
				      (uint64_t)__builtin_ctzll(bits);
			const struct hash *pair = &from[2 * up];

			t->level[level + 1][up] =
				2 * up + 1 < n ? merkle_node(pair, pair + 1)
					       : *pair;
		}
	}
	swap = t->dirty;
	t->dirty = t->next;
	t->next = swap;
}

struct hash merkle_store_root(struct merkle_tree_store *t)
{
	uint64_t n = t->count;

	if (n == 0)
		return HASH_ZERO;
	for (unsigned level = 0; level + 1 < t->level_count; level++) {
		lift(t, level, n);
		n = (n + 1) / 2;
	}
	t->dirty[0] = 0;
	return t->level[t->level_count - 1][0];
}

enum err merkle_store_prove(struct arena *a, struct merkle_tree_store *t,
			    const struct merkle_range *ranges,
			    size_t range_count, struct hash **ret_proof,
			    size_t *ret_proof_count)
{
	struct walk w = {
		.ranges = ranges, .range_count = range_count, .store = t};

	merkle_store_root(t);
	return prove(a, &w, t->count, ret_proof, ret_proof_count);
}

/* In the store a subtree of count leaves is a node ceil(log2 count) up. */
static struct hash subtree(const struct walk *w, uint64_t first, uint64_t count)
{
	unsigned up =
		count == 1 ? 0 : 64 - (unsigned)__builtin_clzll(count - 1);

	if (!w->store)
		return merkle_tree(w->leaves + first, count);
	return w->store->level[up][first >> up];
}
