/*
 * Cells are found by a hash of the key.  A collision costs a comparison, and
 * whoever provokes many of them pays for each record that he touches.  Views
 * have no cells: they read the store and copy.
 */
#include "ledger/state.h"

#include <string.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/must.h"
#include "ledger/priv/state.h"
#include "ledger/rules.h"

struct ledger_key ledger_key(uint8_t prefix)
{
	struct ledger_key k;

	k.b[0] = prefix;
	k.n = 1;
	return k;
}

void key_bytes(struct ledger_key *k, struct bytes b)
{
	must(b.n <= LEDGER_KEY_MAX - k->n);
	if (b.n > 0)
		memcpy(k->b + k->n, b.p, b.n);
	k->n += b.n;
}

void key_u8(struct ledger_key *k, uint8_t v)
{
	key_bytes(k, bytes_of(&v, 1));
}

void key_u32(struct ledger_key *k, uint32_t v)
{
	uint8_t b[4];

	put_u32_be(b, v);
	key_bytes(k, bytes_of(b, sizeof(b)));
}

void key_u64(struct ledger_key *k, uint64_t v)
{
	uint8_t b[8];

	put_u64_be(b, v);
	key_bytes(k, bytes_of(b, sizeof(b)));
}

void key_u64_down(struct ledger_key *k, uint64_t v)
{
	key_u64(k, ~v);
}

void key_hash(struct ledger_key *k, const struct hash *h)
{
	key_bytes(k, hash_bytes(h));
}

void key_pubkey(struct ledger_key *k, const struct pubkey *pk)
{
	key_bytes(k, bytes_of(pk->b, sizeof(pk->b)));
}

struct bytes key_view(const struct ledger_key *k)
{
	return bytes_of(k->b, k->n);
}

void ledger_begin(struct ledger *l)
{
	struct ledger_priv *p = l->priv;

	memset(p->buckets, 0, CELL_BUCKETS * sizeof(p->buckets[0]));
	p->written = NULL;
	p->written_count = 0;
	memset(&p->at, 0, sizeof(p->at));
	p->at.cost_left = BLOCK_COST_MAX;
	p->fee_cap = COIN_ZERO;
	p->why = REASON_none;
	p->from_height = 0;
	p->until_height = 0;
}

/* FNV-1a, folded. */
static uint32_t bucket_of(struct bytes key)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < key.n; i++)
		h = (h ^ key.p[i]) * 0x100000001b3u;
	return (uint32_t)(h ^ h >> 29) & (CELL_BUCKETS - 1);
}

static enum err copy_in(struct arena *a, struct bytes b, struct bytes *ret_copy)
{
	*ret_copy = arena_copy(a, b);
	return b.n > 0 && !ret_copy->p ? ERR_NO_MEMORY : ERR_OK;
}

/* The cell of key, read from the store if it is new. */
static enum err cell_find(struct ledger *l, struct bytes key,
			  struct ledger_cell **ret_cell)
{
	struct ledger_priv *p = l->priv;
	struct ledger_cell **bucket = &p->buckets[bucket_of(key)];
	struct ledger_cell *c;
	struct bytes value;
	enum err e;

	for (c = *bucket; c; c = c->next) {
		if (bytes_eq(c->key, key)) {
			*ret_cell = c;
			return ERR_OK;
		}
	}
	c = ARENA_NEW(p->arena, struct ledger_cell);
	if (!c)
		return ERR_NO_MEMORY;
	e = p->store->ops->get(p->txn, LEDGER_TABLE_KV, key, &value);
	if (e != ERR_OK && e != ERR_NOT_FOUND)
		return e;
	c->had = e == ERR_OK;
	e = copy_in(p->arena, key, &c->key);
	if (e == ERR_OK && c->had)
		e = copy_in(p->arena, value, &c->first);
	if (e != ERR_OK)
		return e;
	c->now = c->first;
	c->has = c->had;
	c->next = *bucket;
	*bucket = c;
	*ret_cell = c;
	return ERR_OK;
}

enum err ledger_get(struct ledger *l, const struct ledger_key *key,
		    struct bytes *ret_value)
{
	struct ledger_priv *p = l->priv;
	struct ledger_cell *c;
	struct bytes value;
	enum err e;

	if (l->is_view) {
		e = p->store->ops->get(p->txn, LEDGER_TABLE_KV, key_view(key),
				       &value);
		return e == ERR_OK ? copy_in(l->scratch, value, ret_value) : e;
	}
	e = cell_find(l, key_view(key), &c);
	if (e != ERR_OK)
		return e;
	if (!c->has)
		return ERR_NOT_FOUND;
	*ret_value = c->now;
	return ERR_OK;
}

enum err ledger_has(struct ledger *l, const struct ledger_key *key,
		    bool *ret_there)
{
	struct bytes value;
	enum err e = ledger_get(l, key, &value);

	if (e != ERR_OK && e != ERR_NOT_FOUND)
		return e;
	*ret_there = e == ERR_OK;
	return ERR_OK;
}

static enum err store_set(struct ledger_priv *p, const struct ledger_cell *c)
{
	enum err e;

	if (c->has)
		return p->store->ops->put(p->txn, LEDGER_TABLE_KV, c->key,
					  c->now);
	e = p->store->ops->del(p->txn, LEDGER_TABLE_KV, c->key);
	return e == ERR_NOT_FOUND ? ERR_OK : e;
}

static enum err cell_set(struct ledger *l, struct ledger_cell *c, bool has,
			 struct bytes value)
{
	struct ledger_priv *p = l->priv;
	struct ledger_write *w = ARENA_NEW(p->arena, struct ledger_write);

	if (!w)
		return ERR_NO_MEMORY;
	w->cell = c;
	w->old = c->now;
	w->had = c->has;
	w->prev = p->at.writes;
	p->at.writes = w;
	c->has = has;
	c->now = value;
	if (!c->is_written) {
		c->is_written = true;
		c->next_written = p->written;
		p->written = c;
		p->written_count++;
	}
	return store_set(p, c);
}

enum err ledger_put(struct ledger *l, const struct ledger_key *key,
		    struct bytes value)
{
	struct ledger_cell *c;
	struct bytes copy;
	enum err e;

	must(!l->is_view && key->n > 0);
	if (value.n == 0 || value.n > LEDGER_VALUE_MAX)
		return ERR_LIMIT;
	e = cell_find(l, key_view(key), &c);
	if (e == ERR_OK)
		e = copy_in(l->priv->arena, value, &copy);
	return e == ERR_OK ? cell_set(l, c, true, copy) : e;
}

enum err ledger_put_buf(struct ledger *l, const struct ledger_key *key,
			const struct buf *value)
{
	if (value->err != ERR_OK)
		return value->err;
	return ledger_put(l, key, buf_bytes(value));
}

enum err ledger_del(struct ledger *l, const struct ledger_key *key)
{
	struct ledger_cell *c;
	enum err e;

	must(!l->is_view && key->n > 0);
	e = cell_find(l, key_view(key), &c);
	if (e != ERR_OK)
		return e;
	if (!c->has)
		return ERR_NOT_FOUND;
	return cell_set(l, c, false, bytes_of(NULL, 0));
}

enum err ledger_scan(struct ledger *l, const struct ledger_key *prefix,
		     const struct ledger_key *from, bool after,
		     struct ledger_key *ret_key, struct bytes *ret_value)
{
	struct ledger_priv *p = l->priv;
	uint8_t start[LEDGER_KEY_MAX + 1];
	struct bytes at = key_view(prefix);
	struct bytes key;
	struct bytes value;
	enum err e;

	if (from && bytes_cmp(key_view(from), at) >= 0) {
		memcpy(start, from->b, from->n);
		start[from->n] = 0;
		at = bytes_of(start, from->n + after);
	}
	e = p->store->ops->seek(p->txn, LEDGER_TABLE_KV, at, &key, &value);
	if (e != ERR_OK)
		return e;
	if (!bytes_starts(key, key_view(prefix)))
		return ERR_NOT_FOUND;
	/* Copy first: ret_key may be from. */
	memmove(ret_key->b, key.p, key.n);
	ret_key->n = key.n;
	return copy_in(l->scratch, value, ret_value);
}

struct ledger_mark ledger_mark_take(const struct ledger *l)
{
	return l->priv->at;
}

enum err ledger_mark_back(struct ledger *l, const struct ledger_mark *mark)
{
	struct ledger_priv *p = l->priv;
	enum err e = ERR_OK;

	while (p->at.writes != mark->writes && e == ERR_OK) {
		struct ledger_write *w = p->at.writes;

		w->cell->now = w->old;
		w->cell->has = w->had;
		e = store_set(p, w->cell);
		p->at.writes = w->prev;
	}
	if (e == ERR_OK)
		p->at = *mark;
	return e;
}

enum err ledger_refuse(struct ledger *l, enum reason why)
{
	return ledger_refuse_window(l, why, 0, 0);
}

enum err ledger_refuse_window(struct ledger *l, enum reason why,
			      uint64_t from_height, uint64_t until_height)
{
	struct ledger_priv *p = l->priv;

	if (p->why == REASON_none) {
		p->why = why;
		p->from_height = from_height;
		p->until_height = until_height;
	}
	return ERR_REFUSED;
}

enum err ledger_rule_result(struct ledger *l, enum err e)
{
	static const struct {
		enum err err;
		enum reason why;
	} map[] = {
		{ERR_LIMIT, REASON_limit_reached},
		{ERR_OVERFLOW, REASON_overflow},
		{ERR_NOT_FOUND, REASON_not_found},
		{ERR_EXISTS, REASON_duplicate},
		{ERR_PROOF, REASON_bad_proof},
		{ERR_SIGNATURE, REASON_bad_signature},
	};

	/* Of the environment: nobody's transaction is to blame. */
	if (e == ERR_OK || e == ERR_STORE || e == ERR_NO_MEMORY ||
	    e == ERR_IO || e == ERR_REFEREE)
		return e;
	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++)
		if (map[i].err == e)
			return ledger_refuse(l, map[i].why);
	return ledger_refuse(l, REASON_bad_value);
}

enum err ledger_cost_charge(struct ledger *l, uint64_t cost)
{
	struct ledger_priv *p = l->priv;
	struct ledger_note note = {LEDGER_WHY_tx_fee, l->tx_id};
	struct coin extra;
	struct coin sum;
	uint64_t picks;
	enum err e;

	if (!u64_muldiv_up(l->params->fee_per_cost_picks, cost, 1u << 20,
			   &picks))
		return ledger_refuse(l, REASON_overflow);
	extra = coin_picks(picks);
	if (!coin_add(p->at.tx_cost, extra, &sum) ||
	    coin_cmp(sum, p->fee_cap) > 0)
		return ledger_refuse(l, REASON_fee_too_low);
	e = ledger_debit(l, &l->sender, extra, note, NULL);
	if (e != ERR_OK)
		return e;
	p->at.tx_cost = sum;
	return ledger_fee_note(l, extra);
}

bool ledger_cost_take(struct ledger *l, uint64_t cost)
{
	if (cost > l->priv->at.cost_left)
		return false;
	l->priv->at.cost_left -= cost;
	return true;
}

enum err ledger_referee_run(struct ledger *l, uint64_t version,
			    struct bytes request, struct bytes *ret_verdict)
{
	const struct ledger_referee *r = &l->rules->referee;

	if (l->is_dry)
		return ERR_BUSY;
	if (!r->run)
		return ERR_REFEREE;
	return r->run(r->ctx, l->scratch, version, request, ret_verdict);
}

enum err ledger_emit(struct ledger *l, const char *name,
		     const struct hash *object, const struct pubkey *a,
		     const struct pubkey *b, struct bytes body)
{
	struct ledger_priv *p = l->priv;
	struct ledger_event_note *n;

	if (l->is_dry)
		return ERR_OK;
	n = ARENA_NEW(p->arena, struct ledger_event_note);
	if (!n)
		return ERR_NO_MEMORY;
	n->event.name = name;
	n->event.tx_index = l->tx_index;
	if (object)
		n->event.object = *object;
	if (a)
		n->event.a = *a;
	if (b)
		n->event.b = *b;
	n->prev = p->at.events;
	p->at.events = n;
	p->at.event_count++;
	return copy_in(p->arena, body, &n->event.body);
}
