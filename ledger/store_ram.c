/*
 * The memory store is a stack of layers, each a skip list per table.  The
 * bottom layer is the store; a write transaction is a layer of its own on top
 * of it, moved down by commit and dropped by abort.  A layer that stands on
 * something keeps tombstones for what was deleted there.  Read transactions
 * look at the bottom layer itself, so they see later commits at once.
 *
 * Memory comes from the arena in powers of two; freed pieces go to a list per
 * size.  The levels of nodes come from a counter-driven generator: they decide
 * speed, never a result.
 */
#include <string.h>

#include "base/arena.h"
#include "base/must.h"
#include "ledger/store.h"

#define LEVELS_MAX 16u
#define CLASS_MIN  5u /* 32 bytes */
#define CLASSES	   27u

struct ram_node {
	uint8_t key[LEDGER_KEY_MAX];
	uint32_t key_n;
	uint32_t value_n;
	uint8_t *value; /* NULL if value_n = 0 or is_dead */
	bool is_dead;
	uint32_t levels;
	struct ram_node *next[]; /* levels of them */
};

struct ram_map {
	struct ram_node *head[LEVELS_MAX];
	uint32_t levels;
};

struct ram_store;

struct ledger_txn {
	struct ram_store *store;
	bool is_write;
	bool is_open;
	struct ram_map maps[LEDGER_TABLE_COUNT]; /* of a write */
	struct ledger_txn *next_free;
};

struct ram_free {
	struct ram_free *next;
};

struct ram_store {
	struct arena *arena;
	struct ledger_store below;
	struct ledger_txn *below_txn; /* NULL: stands on nothing */
	struct ram_map maps[LEDGER_TABLE_COUNT];
	struct ram_free *free[CLASSES];
	struct ledger_txn *free_txns;
	bool has_writer;
	uint64_t random;
};

static uint32_t class_of(size_t n)
{
	uint32_t c = CLASS_MIN;

	while (((size_t)1 << c) < n)
		c++;
	return c;
}

static void *ram_take(struct ram_store *s, size_t n)
{
	uint32_t c = class_of(n);
	struct ram_free *f;

	if (c - CLASS_MIN >= CLASSES)
		return NULL;
	f = s->free[c - CLASS_MIN];
	if (!f)
		return arena_alloc(s->arena, (size_t)1 << c, 16);
	s->free[c - CLASS_MIN] = f->next;
	return f;
}

static void ram_give(struct ram_store *s, void *p, size_t n)
{
	struct ram_free *f = p;
	uint32_t c = class_of(n);

	if (!p)
		return;
	f->next = s->free[c - CLASS_MIN];
	s->free[c - CLASS_MIN] = f;
}

static size_t node_bytes(uint32_t levels)
{
	return sizeof(struct ram_node) + levels * sizeof(struct ram_node *);
}

static void node_give(struct ram_store *s, struct ram_node *n)
{
	ram_give(s, n->value, n->value_n);
	ram_give(s, n, node_bytes(n->levels));
}

static uint32_t draw_levels(struct ram_store *s)
{
	uint32_t n = 1;
	uint64_t x = s->random;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	s->random = x;
	for (; (x & 3) == 0 && n < LEVELS_MAX; x >>= 2)
		n++;
	return n;
}

static struct bytes node_key(const struct ram_node *n)
{
	return bytes_of(n->key, n->key_n);
}

static struct bytes node_value(const struct ram_node *n)
{
	return bytes_of(n->value, n->value_n);
}

/* The first node >= key; *ret_before is the last one < key, or NULL.
 * path, if not NULL, gets the links that lead to the place. */
static struct ram_node *map_find(struct ram_map *m, struct bytes key,
				 struct ram_node **ret_before,
				 struct ram_node ***path)
{
	struct ram_node *at = NULL;
	struct ram_node **links = m->head;
	uint32_t level = m->levels;

	while (level > 0) {
		struct ram_node *next = links[level - 1];

		if (next && bytes_cmp(node_key(next), key) < 0) {
			at = next;
			links = next->next;
			continue;
		}
		if (path)
			path[level - 1] = &links[level - 1];
		level--;
	}
	if (ret_before)
		*ret_before = at;
	return links[0];
}

static struct ram_node *map_last(struct ram_map *m)
{
	struct ram_node *at = NULL;
	struct ram_node **links = m->head;
	uint32_t level = m->levels;

	while (level > 0) {
		if (links[level - 1]) {
			at = links[level - 1];
			links = at->next;
		} else {
			level--;
		}
	}
	return at;
}

static struct ram_node *map_get(struct ram_map *m, struct bytes key)
{
	struct ram_node *n = map_find(m, key, NULL, NULL);

	return n && bytes_eq(node_key(n), key) ? n : NULL;
}

static void map_link(struct ram_map *m, struct ram_node *n)
{
	struct ram_node **path[LEVELS_MAX];

	while (m->levels < n->levels)
		m->levels++;
	(void)map_find(m, node_key(n), NULL, path);
	for (uint32_t i = 0; i < n->levels; i++) {
		n->next[i] = *path[i];
		*path[i] = n;
	}
}

static void map_unlink(struct ram_map *m, struct ram_node *n)
{
	struct ram_node **path[LEVELS_MAX];

	(void)map_find(m, node_key(n), NULL, path);
	for (uint32_t i = 0; i < n->levels; i++)
		*path[i] = n->next[i];
}

/* Set key in m; a dead entry is a tombstone. */
static enum err map_set(struct ram_store *s, struct ram_map *m,
			struct bytes key, struct bytes value, bool is_dead)
{
	struct ram_node *n = map_get(m, key);
	uint8_t *copy = NULL;
	uint32_t levels;

	if (value.n > 0) {
		copy = ram_take(s, value.n);
		if (!copy)
			return ERR_STORE;
		memcpy(copy, value.p, value.n);
	}
	if (n) {
		ram_give(s, n->value, n->value_n);
	} else {
		levels = draw_levels(s);
		n = ram_take(s, node_bytes(levels));
		if (!n) {
			ram_give(s, copy, value.n);
			return ERR_STORE;
		}
		memcpy(n->key, key.p, key.n);
		n->key_n = (uint32_t)key.n;
		n->levels = levels;
		map_link(m, n);
	}
	n->value = copy;
	n->value_n = (uint32_t)value.n;
	n->is_dead = is_dead;
	return ERR_OK;
}

/*
 * A view of the layers of one transaction: own (a write's), base, below.
 */
static enum err below_get(struct ram_store *s, enum ledger_table table,
			  struct bytes key, struct bytes *ret_value)
{
	if (!s->below_txn)
		return ERR_NOT_FOUND;
	return s->below.ops->get(s->below_txn, table, key, ret_value);
}

static enum err ram_get(struct ledger_txn *txn, enum ledger_table table,
			struct bytes key, struct bytes *ret_value)
{
	struct ram_store *s = txn->store;
	struct ram_node *n = NULL;

	if (txn->is_write)
		n = map_get(&txn->maps[table], key);
	if (!n)
		n = map_get(&s->maps[table], key);
	if (!n)
		return below_get(s, table, key, ret_value);
	if (n->is_dead)
		return ERR_NOT_FOUND;
	*ret_value = node_value(n);
	return ERR_OK;
}

static enum err ram_put(struct ledger_txn *txn, enum ledger_table table,
			struct bytes key, struct bytes value)
{
	must(txn->is_write && key.n > 0 && key.n <= LEDGER_KEY_MAX);
	if (value.n > LEDGER_STORE_VALUE_MAX)
		return ERR_LIMIT;
	return map_set(txn->store, &txn->maps[table], key, value, false);
}

static enum err ram_del(struct ledger_txn *txn, enum ledger_table table,
			struct bytes key)
{
	struct bytes value;
	enum err e = ram_get(txn, table, key, &value);

	must(txn->is_write);
	if (e != ERR_OK)
		return e;
	return map_set(txn->store, &txn->maps[table], key, bytes_of(NULL, 0),
		       true);
}

/* One candidate of a merge: of a layer, or of what is below. */
struct pick {
	bool is_there;
	bool is_dead;
	struct bytes key;
	struct bytes value;
};

static struct pick pick_of(const struct ram_node *n)
{
	struct pick p = {0};

	if (n) {
		p.is_there = true;
		p.is_dead = n->is_dead;
		p.key = node_key(n);
		p.value = node_value(n);
	}
	return p;
}

/* The upper one wins a tie; sign is 1 for the smaller key, -1 for the
 * greater. */
static struct pick pick_first(struct pick upper, struct pick lower, int sign)
{
	int order;

	if (!upper.is_there)
		return lower;
	if (!lower.is_there)
		return upper;
	order = bytes_cmp(lower.key, upper.key) * sign;
	return order < 0 ? lower : upper;
}

static enum err below_pick(struct ram_store *s, enum ledger_table table,
			   struct bytes key, bool back, struct pick *ret_pick)
{
	enum err e;

	*ret_pick = (struct pick){0};
	if (!s->below_txn)
		return ERR_OK;
	e = back ? s->below.ops->seek_back(s->below_txn, table, key,
					   &ret_pick->key, &ret_pick->value)
		 : s->below.ops->seek(s->below_txn, table, key, &ret_pick->key,
				      &ret_pick->value);
	if (e == ERR_NOT_FOUND)
		return ERR_OK;
	ret_pick->is_there = e == ERR_OK;
	return e;
}

static struct ram_node *layer_pick(struct ram_map *m, struct bytes key,
				   bool back)
{
	struct ram_node *before;
	struct ram_node *at;

	if (back && key.n == 0)
		return map_last(m);
	at = map_find(m, key, &before, NULL);
	return back ? before : at;
}

static enum err ram_walk(struct ledger_txn *txn, enum ledger_table table,
			 struct bytes key, bool back, struct bytes *ret_key,
			 struct bytes *ret_value)
{
	struct ram_store *s = txn->store;
	uint8_t next[LEDGER_KEY_MAX + 1];
	struct pick p;
	struct pick lower;
	enum err e;

	for (;;) {
		e = below_pick(s, table, key, back, &lower);
		if (e != ERR_OK)
			return e;
		p = pick_of(layer_pick(&s->maps[table], key, back));
		p = pick_first(p, lower, back ? -1 : 1);
		if (txn->is_write)
			p = pick_first(pick_of(layer_pick(&txn->maps[table],
							  key, back)),
				       p, back ? -1 : 1);
		if (!p.is_there)
			return ERR_NOT_FOUND;
		if (!p.is_dead)
			break;
		/* Step over the tombstone: key, or key with a zero byte,
		 * which is the next possible key. */
		memmove(next, p.key.p, p.key.n);
		next[p.key.n] = 0;
		key = bytes_of(next, back ? p.key.n : p.key.n + 1);
	}
	*ret_key = p.key;
	*ret_value = p.value;
	return ERR_OK;
}

static enum err ram_seek(struct ledger_txn *txn, enum ledger_table table,
			 struct bytes key, struct bytes *ret_key,
			 struct bytes *ret_value)
{
	return ram_walk(txn, table, key, false, ret_key, ret_value);
}

static enum err ram_seek_back(struct ledger_txn *txn, enum ledger_table table,
			      struct bytes key, struct bytes *ret_key,
			      struct bytes *ret_value)
{
	return ram_walk(txn, table, key, true, ret_key, ret_value);
}

static enum err ram_begin(void *self, bool write, struct ledger_txn **ret_txn)
{
	struct ram_store *s = self;
	struct ledger_txn *txn = s->free_txns;

	if (txn)
		s->free_txns = txn->next_free;
	else
		txn = ARENA_NEW(s->arena, struct ledger_txn);
	if (!txn)
		return ERR_STORE;
	memset(txn, 0, sizeof(*txn));
	must(!write || !s->has_writer);
	s->has_writer |= write;
	txn->store = s;
	txn->is_write = write;
	txn->is_open = true;
	*ret_txn = txn;
	return ERR_OK;
}

static void txn_end(struct ledger_txn *txn)
{
	struct ram_store *s = txn->store;

	must(txn->is_open);
	txn->is_open = false;
	if (txn->is_write)
		s->has_writer = false;
	txn->next_free = s->free_txns;
	s->free_txns = txn;
}

/* Move one node of a write down into the store. */
static void node_settle(struct ram_store *s, struct ram_map *m,
			struct ram_node *n)
{
	struct ram_node *old = map_get(m, node_key(n));

	if (old) {
		map_unlink(m, old);
		node_give(s, old);
	}
	if (n->is_dead && !s->below_txn)
		node_give(s, n);
	else
		map_link(m, n);
}

static enum err ram_commit(struct ledger_txn *txn)
{
	struct ram_store *s = txn->store;

	for (size_t t = 0; txn->is_write && t < LEDGER_TABLE_COUNT; t++) {
		struct ram_node *n = txn->maps[t].head[0];

		while (n) {
			struct ram_node *next = n->next[0];

			node_settle(s, &s->maps[t], n);
			n = next;
		}
	}
	txn_end(txn);
	return ERR_OK;
}

static void ram_abort(struct ledger_txn *txn)
{
	for (size_t t = 0; txn->is_write && t < LEDGER_TABLE_COUNT; t++) {
		struct ram_node *n = txn->maps[t].head[0];

		while (n) {
			struct ram_node *next = n->next[0];

			node_give(txn->store, n);
			n = next;
		}
	}
	txn_end(txn);
}

static void ram_close(void *self)
{
	(void)self; /* all of it is in the arena */
}

static const struct ledger_store_ops ram_ops = {
	.begin = ram_begin,
	.commit = ram_commit,
	.abort = ram_abort,
	.get = ram_get,
	.put = ram_put,
	.del = ram_del,
	.seek = ram_seek,
	.seek_back = ram_seek_back,
	.close = ram_close,
};

enum err ledger_store_ram_new(struct arena *a, const struct ledger_store *below,
			      struct ledger_txn *below_txn,
			      struct ledger_store *ret_store)
{
	struct ram_store *s = ARENA_NEW(a, struct ram_store);

	if (!s)
		return ERR_NO_MEMORY;
	s->arena = a;
	s->random = 0x9e3779b97f4a7c15u;
	if (below) {
		s->below = *below;
		s->below_txn = below_txn;
	}
	ret_store->ops = &ram_ops;
	ret_store->self = s;
	return ERR_OK;
}

void ledger_store_close(struct ledger_store *store)
{
	if (store->ops)
		store->ops->close(store->self);
	store->ops = NULL;
	store->self = NULL;
}
